"""Rung 2: NumPy, whole arrays at a time. Shapes stand as trailing comments; all in float64."""

import numpy as np

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
    ndarray of float64, shape ((d_model + 1) // 2,)
        Falling from 1.

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
    array([1.  , 0.01])
    """
    d_model = _checks.whole_number("d_model", d_model, minimum=1)
    base = _checks.check_base(base)
    return base ** (-np.arange(0, d_model, 2) / d_model)  # (n_pairs,)


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
    ndarray of float64, shape (seq_len, d_model)
        Numbers between -1 and 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Examples
    --------
    >>> sinusoidal(3, 4).round(5)
    array([[ 0.     ,  1.     ,  0.     ,  1.     ],
           [ 0.84147,  0.5403 ,  0.01   ,  0.99995],
           [ 0.9093 , -0.41615,  0.02   ,  0.9998 ]])
    """
    seq_len, d_model, base, start = _checks.table_arguments(seq_len, d_model, base, start)
    positions = np.arange(start, start + seq_len)[:, None]  # (seq_len, 1)
    angles = positions * frequencies(d_model, base=base)  # (seq_len, n_pairs)
    table = np.empty((seq_len, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : d_model // 2])  # an odd width has one cosine less
    return table


def softmax(scores):
    r"""Turn scores into weights that are positive and sum to 1 along the last axis.

    .. math:: w_j = e^{s_j - \max s} / \sum_m e^{s_m - \max s}

    Subtracting the largest score changes nothing but keeps ``exp`` from overflowing.

    Parameters
    ----------
    scores : array of real numbers, shape (..., n)
        At least one score per row; ``-inf`` gets weight 0.

    Returns
    -------
    ndarray of float64, shape (..., n)

    Raises
    ------
    TypeError
        If `scores` does not hold real numbers.
    ValueError
        If `scores` is a single number, has an empty row, or a row that is ``-inf`` throughout.

    Examples
    --------
    >>> softmax([0.0, 0.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    scores = _real_array("scores", scores)
    if scores.ndim == 0:
        raise ValueError(f"scores must be a row of numbers, got {scores!r}: put it in a list")
    if scores.size == 0:
        raise ValueError(f"scores must hold at least one number in each row, got shape {scores.shape}")
    largest = scores.max(axis=-1, keepdims=True)  # (..., 1)
    if np.isneginf(largest).any():
        raise ValueError("scores must hold a number above -inf in every row, got -inf throughout")
    powers = np.exp(scores - largest)  # (..., n)
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(q, k, v, mask=None):
    r"""Scaled dot-product attention.

    .. math:: out = \mathrm{softmax}\!\left(\frac{Q K^T}{\sqrt{head\_dim}}\right) V

    Parameters
    ----------
    q : array, shape (..., n_q, head_dim)
    k : array, shape (..., n_k, head_dim)
    v : array, shape (..., n_k, v_dim)
    mask : array of bool, shape (n_q, n_k) or (..., n_q, n_k), optional
        True where query m may look at key n. Every query needs at least one True.

    Returns
    -------
    ndarray of float64, shape (..., n_q, v_dim)

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or `mask` not booleans.
    ValueError
        If shapes do not fit (both are named), or a query may look nowhere.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, equation 1.

    Examples
    --------
    >>> attention(q=[[0.0, 0.0]], k=[[1.0, 2.0], [3.0, 4.0]], v=[[10.0], [20.0]])
    array([[15.]])
    """
    q, k, v = _real_array("q", q), _real_array("k", k), _real_array("v", v)
    mask = None if mask is None else np.asarray(mask)
    _checks.attention_shapes(q.shape, k.shape, v.shape, mask=None if mask is None else mask.shape)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        if mask.dtype != bool:
            raise _checks.mask_dtype(mask.dtype)
        blind = ~mask.any(axis=-1)
        if blind.any():
            raise _checks.blind_query(int(np.argwhere(blind)[0][-1]))
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ v  # (..., n_q, v_dim)


def _real_array(name, value):
    """`value` as a float64 array, refusing what NumPy would convert in silence or crash on."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must have rows of one length, got a ragged list") from None
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    return array.astype(np.float64, copy=False)
