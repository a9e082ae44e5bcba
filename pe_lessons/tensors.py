"""Rung 3: PyTorch. Functions as on the other rungs, and the modules that models are built from."""

import math

import torch
from torch import nn

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
    Tensor of float64 on the CPU, shape ((d_model + 1) // 2,)
        Falling from 1. In float64 whatever the default dtype: an angle is a frequency times a
        position, and grows the rounding error of the frequency with it.

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
    tensor([1.0000, 0.0100], dtype=torch.float64)
    """
    d_model = _checks.whole_number("d_model", d_model, minimum=1)
    base = _checks.check_base(base)
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64, device="cpu") / d_model
    return base**-exponents  # (n_pairs,)


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
    Tensor of the default dtype on the CPU, shape (seq_len, d_model)
        Numbers between -1 and 1, computed in float64 and cast last.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Examples
    --------
    >>> sinusoidal(3, 4)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """
    seq_len, d_model, base, start = _checks.table_arguments(seq_len, d_model, base, start)
    positions = torch.arange(start, start + seq_len, dtype=torch.float64, device="cpu")[
        :, None
    ]  # (seq_len, 1)
    angles = positions * frequencies(d_model, base=base)  # (seq_len, n_pairs)
    table = torch.empty(seq_len, d_model, dtype=torch.float64, device="cpu")
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles[:, : d_model // 2])  # an odd width has one cosine less
    return table.to(torch.get_default_dtype())


def softmax(scores):
    r"""Turn scores into weights that are positive and sum to 1 along the last axis.

    .. math:: w_j = e^{s_j - \max s} / \sum_m e^{s_m - \max s}

    Parameters
    ----------
    scores : floating-point Tensor, shape (..., n)
        At least one score per row; ``-inf`` gets weight 0.

    Returns
    -------
    Tensor, shape and dtype of `scores`

    Raises
    ------
    TypeError
        If `scores` is not a floating-point Tensor.
    ValueError
        If `scores` is a single number, has an empty row, or a row that is ``-inf`` throughout.

    Examples
    --------
    >>> softmax(torch.tensor([0.0, 0.0, -math.inf]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    _check_float_tensor("scores", scores)
    if scores.ndim == 0:
        raise ValueError(f"scores must be a row of numbers, got {scores!r}: put it in a list")
    if scores.numel() == 0:
        raise ValueError(f"scores must hold at least one number in each row, got shape {tuple(scores.shape)}")
    if torch.isneginf(scores).all(dim=-1).any():
        raise ValueError("scores must hold a number above -inf in every row, got -inf throughout")
    return torch.softmax(scores, dim=-1)


def attention(q, k, v, mask=None):
    r"""Scaled dot-product attention.

    .. math:: out = \mathrm{softmax}\!\left(\frac{Q K^T}{\sqrt{head\_dim}}\right) V

    Parameters
    ----------
    q : floating-point Tensor, shape (..., n_q, head_dim)
    k : floating-point Tensor, shape (..., n_k, head_dim)
    v : floating-point Tensor, shape (..., n_k, v_dim)
    mask : Tensor of bool, shape (n_q, n_k) or (..., n_q, n_k), optional
        True where query m may look at key n. Every query needs at least one True.

    Returns
    -------
    Tensor, shape (..., n_q, v_dim)

    Raises
    ------
    TypeError
        If an argument is not a floating-point Tensor, or `mask` not one of booleans.
    ValueError
        If shapes do not fit (both are named), or a query may look nowhere.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, equation 1.

    Examples
    --------
    >>> zero, k = torch.zeros(1, 2), torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> attention(zero, k, v=torch.tensor([[10.0], [20.0]]))
    tensor([[15.]])
    """
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        _check_float_tensor(name, tensor)
    if mask is not None and not isinstance(mask, torch.Tensor):
        raise TypeError(
            f"mask must be a torch.Tensor, got {type(mask).__name__}: torch.tensor(mask) makes one"
        )
    _checks.attention_shapes(q.shape, k.shape, v.shape, mask=None if mask is None else mask.shape)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        if mask.dtype != torch.bool:
            raise _checks.mask_dtype(mask.dtype)
        blind = ~mask.any(dim=-1)
        if blind.any():
            raise _checks.blind_query(int(blind.nonzero()[0][-1]))
        scores = scores.masked_fill(~mask, -math.inf)
    return softmax(scores) @ v  # (..., n_q, v_dim)


class SinusoidalEncoding(nn.Module):
    r"""Add the sinusoidal encoding to a batch of embeddings, then apply dropout.

    The table is a buffer, so it follows the module to another device or dtype; it is not
    persistent, so `max_len` can change without breaking saved checkpoints.

    Parameters
    ----------
    d_model : int
        Width of the embeddings.
    max_len : int
        Number of rows prepared; a longer input is an error.
    dropout : float
        Probability of dropping an entry of the sum while training, 0 to 1.
    base : float
        Above 1; the paper takes 10 000.
    batch_first : bool
        True for inputs ``(batch, seq_len, d_model)``, False for ``(seq_len, batch, d_model)``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above, or the input does not fit; the message names it.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, sections 3.5 and 5.4.

    Examples
    --------
    >>> encoding = SinusoidalEncoding(d_model=4, max_len=10, dropout=0.0)
    >>> encoding(torch.zeros(2, 3, 4))[1]
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """

    def __init__(self, d_model, *, max_len=5000, dropout=0.1, base=10_000.0, batch_first=True):
        super().__init__()
        _checks.whole_number("max_len", max_len, minimum=1)
        if not isinstance(batch_first, bool):
            raise TypeError(f"batch_first must be True or False, got {batch_first!r}")
        self.batch_first = batch_first
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", sinusoidal(max_len, d_model, base=base), persistent=False)

    def forward(self, x):
        _check_float_tensor("x", x)
        axes = "(batch, seq_len, d_model)" if self.batch_first else "(seq_len, batch, d_model)"
        if x.ndim != 3:
            raise ValueError(f"x must have the axes {axes}, got shape {tuple(x.shape)}")
        max_len, d_model = self.table.shape
        seq_len = x.shape[1 if self.batch_first else 0]
        if x.shape[2] != d_model:
            raise ValueError(
                f"x must have d_model = {d_model} in its last axis, got shape {tuple(x.shape)}, axes {axes}"
            )
        if seq_len > max_len:
            raise ValueError(
                f"x must have at most max_len = {max_len} positions, got seq_len = {seq_len} "
                f"(shape {tuple(x.shape)}, axes {axes}): make the module with a larger max_len"
            )
        rows = self.table[:seq_len].to(x.dtype)  # (seq_len, d_model)
        return self.dropout(x + (rows if self.batch_first else rows[:, None]))


def _check_float_tensor(name, value):
    if not isinstance(value, torch.Tensor):
        raise TypeError(
            f"{name} must be a torch.Tensor, got {type(value).__name__}: torch.tensor({name}) makes one"
        )
    if not value.is_floating_point():
        raise TypeError(
            f"{name} must hold floating-point numbers, got {value.dtype}: {name}.float() converts it"
        )
