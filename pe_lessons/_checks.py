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


def even_width(d_model):
    """Return `d_model` as an even int of at least 2, or say what is wrong with it."""
    d_model = whole_number("d_model", d_model, minimum=1)
    if d_model % 2:
        raise ValueError(
            f"d_model must be even, got {d_model}: the last sine has no cosine to turn with, "
            f"take {d_model + 1}"
        )
    return d_model


def real_number(name, value):
    """Return `value` as a finite float, or say what is wrong with it."""
    if isinstance(value, bool) or type(value).__name__ == "bool" or not isinstance(value, Real):
        raise TypeError(f"{name} must hold real numbers, got {value!r} ({type(value).__name__})")
    if not math.isfinite(value):
        raise not_finite(name)
    return float(value)


def not_finite(name):
    """The ValueError for numbers among which there is an infinity or a NaN."""
    return ValueError(f"{name} must be finite, got inf or nan among them")


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


def rotary_arguments(x, positions, layout):
    """Check what rotary takes; `x` and `positions` are shapes, x ``(..., seq_len, head_dim)``."""
    x, positions = tuple(x), tuple(positions)
    if len(x) < 2 or 0 in x:
        raise ValueError(f"x must have the axes (seq_len, head_dim) and an entry, got shape {x}")
    if x[-1] % 2:
        raise ValueError(
            f"x must have an even head_dim (last axis), got shape {x}: a number without a partner cannot turn"
        )
    if positions != x[-2:-1]:
        raise ValueError(
            f"positions must be one number for each of the {x[-2]} rows of x, got shape {positions}"
        )
    if layout not in ("interleaved", "half"):
        raise ValueError(f'layout must be "interleaved" or "half", got {layout!r}')


def bucket_arguments(num_buckets, max_distance, bidirectional):
    """Check what t5_buckets takes; return the buckets of one direction and those for one distance."""
    if not isinstance(bidirectional, bool):
        raise TypeError(f"bidirectional must be True or False, got {bidirectional!r}")
    num_buckets = whole_number("num_buckets", num_buckets, minimum=4 if bidirectional else 2)
    if bidirectional and num_buckets % 2:
        raise ValueError(f"num_buckets must be even, half of them for each direction, got {num_buckets}")
    one_way = num_buckets // 2 if bidirectional else num_buckets
    exact = one_way // 2
    max_distance = whole_number("max_distance", max_distance)
    if max_distance <= exact:
        raise ValueError(
            f"max_distance must be above {exact}, where buckets begin to be shared, got {max_distance}"
        )
    return one_way, exact, max_distance


def not_whole(name, dtype):
    """The TypeError for numbers that must be whole ones."""
    return TypeError(f"{name} must hold whole numbers, got {dtype}: positions are counted in tokens")
