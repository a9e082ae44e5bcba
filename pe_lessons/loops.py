"""Rung 1: one number at a time, as the formula reads. Plain Python lists and floats."""

import math
from numbers import Real

from pe_lessons import _checks


def frequencies(d_model, *, base=10_000.0):
    r"""Frequency of every sine-cosine pair, in radians per token.

    .. math:: \omega_k = base^{-2k / d_{model}}, \qquad k = 0, 1, \dots

    Parameters
    ----------
    d_model : int
        Width of the table, at least 1. An odd width ends with a sine that has no cosine.
    base : float
        Above 1; the paper takes 10 000.

    Returns
    -------
    list of float
        ``(d_model + 1) // 2`` frequencies, falling from 1.

    Raises
    ------
    TypeError, ValueError
        If `d_model` is not a whole number of at least 1, or `base` not a finite number above 1.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Examples
    --------
    >>> frequencies(4)
    [1.0, 0.01]
    """
    d_model = _checks.whole_number("d_model", d_model, minimum=1)
    base = _checks.check_base(base)
    return [base ** (-2 * pair / d_model) for pair in range((d_model + 1) // 2)]


def sinusoidal(seq_len, d_model, *, base=10_000.0, start=0):
    r"""Sinusoidal positional encoding, one row per position.

    .. math::
        PE(p, 2k) = \sin(p \, \omega_k), \quad PE(p, 2k+1) = \cos(p \, \omega_k), \quad
        \omega_k = base^{-2k / d_{model}}

    Parameters
    ----------
    seq_len : int
        Number of rows, at least 1.
    d_model : int
        Number of columns, at least 1; the last column of an odd width is a sine.
    base : float
        Above 1; the paper takes 10 000.
    start : int
        Position of the first row, counted in tokens; may be negative.

    Returns
    -------
    list of list of float
        ``seq_len`` rows of ``d_model`` numbers between -1 and 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Examples
    --------
    >>> for row in sinusoidal(3, 4):
    ...     print([round(number, 5) for number in row])
    [0.0, 1.0, 0.0, 1.0]
    [0.84147, 0.5403, 0.01, 0.99995]
    [0.9093, -0.41615, 0.02, 0.9998]
    """
    seq_len, d_model, base, start = _checks.table_arguments(seq_len, d_model, base, start)
    table = []
    for position in range(start, start + seq_len):
        row = []
        for column in range(d_model):
            pair = column // 2
            angle = position / base ** (2 * pair / d_model)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        table.append(row)
    return table


def softmax(scores):
    r"""Turn scores into weights that are positive and sum to 1.

    .. math:: w_j = e^{s_j - \max s} / \sum_m e^{s_m - \max s}

    Subtracting the largest score changes nothing but keeps ``exp`` from overflowing.

    Parameters
    ----------
    scores : list of float, or list of such rows
        At least one score per row; ``-inf`` gets weight 0.

    Returns
    -------
    list of float, or list of such rows
        The weights, in the shape of `scores`.

    Raises
    ------
    ValueError
        If `scores` is a single number, has an empty row, or a row that is ``-inf`` throughout.

    Examples
    --------
    >>> softmax([0.0, 0.0, float("-inf")])
    [0.5, 0.5, 0.0]
    """
    if not hasattr(scores, "__len__") or getattr(scores, "ndim", 1) == 0:
        raise ValueError(f"scores must be a row of numbers, got {scores!r}: put it in a list")
    if len(scores) == 0:
        raise ValueError(f"scores must hold at least one number in each row, got {scores!r}")
    if hasattr(scores[0], "__len__"):
        return [softmax(row) for row in scores]
    largest = max(scores)
    if largest == -math.inf:
        raise ValueError("scores must hold a number above -inf in every row, got -inf throughout")
    powers = [math.exp(score - largest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def attention(q, k, v, mask=None):
    r"""Scaled dot-product attention of one head.

    .. math:: out_m = \sum_n \mathrm{softmax}_n\!\left(\frac{q_m \cdot k_n}{\sqrt{head\_dim}}\right) v_n

    Parameters
    ----------
    q : list of rows, shape (n_q, head_dim)
    k : list of rows, shape (n_k, head_dim)
    v : list of rows, shape (n_k, v_dim)
    mask : list of rows of bool, shape (n_q, n_k), optional
        True where query m may look at key n. Every query needs at least one True.

    Returns
    -------
    list of list of float, shape (n_q, v_dim)

    Raises
    ------
    TypeError
        If an entry is not a number, or an entry of `mask` not a boolean.
    ValueError
        If shapes do not fit (both are named), rows differ in length, or a query may look nowhere.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, equation 1.

    Examples
    --------
    >>> attention(q=[[0.0, 0.0]], k=[[1.0, 2.0], [3.0, 4.0]], v=[[10.0], [20.0]])
    [[15.0]]
    """
    shapes = [_matrix_shape(name, rows) for name, rows in (("q", q), ("k", k), ("v", v))]
    _checks.attention_shapes(*shapes, mask=None if mask is None else _matrix_shape("mask", mask))
    (n_q, head_dim), (n_k, _), (_, v_dim) = shapes
    output = []
    for m in range(n_q):
        scores = []
        for n in range(n_k):
            score = sum(q[m][column] * k[n][column] for column in range(head_dim)) / math.sqrt(head_dim)
            scores.append(score if mask is None or mask[m][n] else -math.inf)
        if max(scores) == -math.inf:
            raise _checks.blind_query(m)
        weights = softmax(scores)
        output.append([sum(weights[n] * v[n][column] for n in range(n_k)) for column in range(v_dim)])
    return output


def _matrix_shape(name, rows):
    """The shape of a list of equally long rows, its entries checked to be numbers (or booleans)."""
    if getattr(rows, "ndim", 2) != 2:
        raise ValueError(f"{name} must have the axes (seq_len, head_dim), got shape {tuple(rows.shape)}")
    if not (hasattr(rows, "__len__") and all(hasattr(row, "__len__") for row in rows)):
        raise ValueError(f"{name} must be a list of rows, got {rows!r}")
    lengths = sorted({len(row) for row in rows}) or [0]
    if len(lengths) > 1:
        raise ValueError(f"{name} must have rows of one length, got lengths {lengths}")
    for row in rows:
        for entry in row:
            is_bool = type(entry).__name__ in ("bool", "bool_")
            if name == "mask" and not is_bool:
                raise _checks.mask_dtype(type(entry).__name__)
            if name != "mask" and (is_bool or not isinstance(entry, Real)):
                raise TypeError(f"{name} must hold real numbers, got {entry!r} ({type(entry).__name__})")
    return len(rows), lengths[0]
