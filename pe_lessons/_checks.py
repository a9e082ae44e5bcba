"""Bad input, answered in one sentence; shared by the three rungs."""

import math
import operator
from numbers import Real


def whole_number(name, value, *, minimum=None):
    """Return `value` as an int, or say what is wrong with it."""
    try:
        if isinstance(value, bool) or type(value).__name__ == "bool":  # np.bool counts as an index too
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be a whole number, got {value!r} ({type(value).__name__}): pass an int such as 8"
        ) from None
    if minimum is not None and number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {number}")
    return number


def check_base(base):
    """Return `base` as a float above 1, or say what is wrong with it."""
    if isinstance(base, bool) or not isinstance(base, Real):
        raise TypeError(
            f"base must be a real number, got {base!r} ({type(base).__name__}): the paper's is 10_000.0"
        )
    if not (math.isfinite(base) and base > 1):
        raise ValueError(f"base must be finite and above 1, got {base!r}: the paper's is 10_000.0")
    return float(base)


def table_arguments(seq_len, d_model, base, start):
    """Check the four arguments that every table of positions takes."""
    return (
        whole_number("seq_len", seq_len, minimum=1),
        whole_number("d_model", d_model, minimum=1),
        check_base(base),
        whole_number("start", start),
    )


def attention_shapes(q, k, v, mask=None):
    """Check the shapes of attention's arguments; each argument here is a shape.

    q ``(..., n_q, head_dim)``, k ``(..., n_k, head_dim)``, v ``(..., n_k, v_dim)``,
    mask ``(n_q, n_k)`` or ``(..., n_q, n_k)``.
    """
    q, k, v = tuple(q), tuple(k), tuple(v)
    for name, shape in (("q", q), ("k", k), ("v", v)):
        if len(shape) < 2:
            raise ValueError(f"{name} must have the axes (seq_len, head_dim), got shape {shape}")
        if 0 in shape:
            raise ValueError(f"{name} must not be empty, got shape {shape}")
    if q[-1] != k[-1]:
        raise ValueError(f"q and k must have the same head_dim (last axis), got shapes {q} and {k}")
    if k[-2] != v[-2]:
        raise ValueError(f"k and v must have the same seq_len (last axis but one), got shapes {k} and {v}")
    if not q[:-2] == k[:-2] == v[:-2]:
        raise ValueError(f"q, k and v must have the same leading axes, got shapes {q}, {k} and {v}")
    scores = (*q[:-2], q[-2], k[-2])
    if mask is not None and tuple(mask) not in {scores, scores[-2:]}:
        raise ValueError(
            f"mask must have the shape (n_q, n_k) = {scores[-2:]}, one entry per query and key, "
            f"got {tuple(mask)} for q {q} and k {k}"
        )


def mask_dtype(dtype):
    """The TypeError for a mask that is not made of booleans."""
    return TypeError(f"mask must be boolean (True: may look there), got {dtype}: compare, as in mask > 0")


def blind_query(row):
    """The ValueError for a query that may look nowhere."""
    return ValueError(
        f"mask must leave every query at least one key, but its row {row} is all False: "
        "the softmax of nothing is not defined"
    )
