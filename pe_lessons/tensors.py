"""Rung 3: PyTorch. Functions as on the other rungs, and the modules that models are built from."""

import math

import torch
from torch import nn
from torch.nn import functional

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
    base = _checks.base_of_angles(base)
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
    positions = start + torch.arange(seq_len, dtype=torch.float64, device="cpu")[:, None]  # (seq_len, 1)
    angles = positions * frequencies(d_model, base=base)  # (seq_len, n_pairs)
    table = torch.empty(seq_len, d_model, dtype=torch.float64, device="cpu")
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles[:, : d_model // 2])  # an odd width has one cosine less
    return table.to(torch.get_default_dtype())


def sinusoidal_by_rotation(seq_len, d_model, *, base=10_000.0, start=0, dtype=None):
    r"""The table of `sinusoidal`, made by rotating rows: hardly any sines, and, when long, far less time.

    With a sine and its cosine read as one complex number, a shift is one multiplication:

    .. math::
        z_p = \sin(p \, \omega) + i \cos(p \, \omega), \qquad z_{p + q} = z_p \, e^{-i q \omega}

    So the table is cut into blocks, and every row is the first row of its block, rotated by its
    place in the block. Sines and cosines are taken in float64, of a few rows; the products are made in
    complex128 and rounded once, on their way into the table.

    Parameters
    ----------
    seq_len, d_model, base, start
        As in `sinusoidal`.
    dtype : torch.dtype, optional
        A floating-point one; the default dtype unless given.

    Returns
    -------
    Tensor of `dtype` on the CPU, shape (seq_len, d_model)
        The memory taken besides: 1 MB, and d_model / 32 768 of a table of float32.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5, for the shift property.

    Examples
    --------
    >>> sinusoidal_by_rotation(3, 4)
    tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
            [ 0.8415,  0.5403,  0.0100,  0.9999],
            [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """
    seq_len, d_model, base, start = _checks.table_arguments(seq_len, d_model, base, start)
    table = torch.empty(seq_len, d_model, dtype=_table_dtype(dtype), device="cpu")
    angles = frequencies(d_model, base=base)  # (n_pairs,) of one token
    block_len = min(seq_len, max(1, 2**16 // d_model))  # as many turns as stay in the cache
    turns = _turned(1, angles, block_len)  # (block_len, n_pairs)
    n_blocks = -(-seq_len // block_len)
    first_rows = _turned(_hands(start, angles), block_len * angles, n_blocks)  # (n_blocks, n_pairs)
    product = torch.empty_like(turns)
    for block, first_row in zip(table.split(block_len), first_rows):
        torch.mul(first_row, turns, out=product)
        block.copy_(_interleaved(product)[: len(block), :d_model])
    return table


def sinusoidal_blocks(seq_len, d_model, *, base=10_000.0, start=0, dtype=None, block_len=None):
    r"""The table of `sinusoidal_by_rotation` block by block, for a stream of any length in 1 MB.

    The first row of every block is made from sines and cosines of its own, so nothing drifts.

    Parameters
    ----------
    seq_len, d_model, base, start
        As in `sinusoidal`.
    dtype : torch.dtype, optional
        A floating-point one; the default dtype unless given.
    block_len : int, optional
        Rows in a block, at least 1; by default as many as stay in a processor's cache. The last block
        may be shorter.

    Yields
    ------
    Tensor of `dtype` on the CPU, shape (block_len, d_model)
        The rows from `start` on; each block is a tensor of its own.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5, for the shift property.

    Examples
    --------
    >>> [len(block) for block in sinusoidal_blocks(1000, 4, block_len=400)]
    [400, 400, 200]
    """
    seq_len, d_model, base, start = _checks.table_arguments(seq_len, d_model, base, start)
    block_len = min(seq_len, _checks.block_rows(block_len, d_model))
    dtype, end = _table_dtype(dtype), start + seq_len
    angles = frequencies(d_model, base=base)  # (n_pairs,) of one token
    turns = _turned(1, angles, block_len)  # (block_len, n_pairs)
    return (
        _interleaved(_hands(first, angles) * turns[: end - first])[:, :d_model].to(dtype, copy=True)
        for first in range(start, end, block_len)
    )


def sinusoidal_2d(height, width, d_model, *, base=10_000.0):
    r"""Sinusoidal encoding of a grid, such as the patches of an image.

    .. math:: PE(row, column) = [\, PE_{d/2}(row) \;|\; PE_{d/2}(column) \,]

    The first half of the numbers is the table of `sinusoidal` for the row, the second half that for
    the column.

    Parameters
    ----------
    height, width : int
        Of the grid, in patches; at least 1.
    d_model : int
        A multiple of 4.
    base : float
        Above 1; the paper on which it is modelled takes 10 000.

    Returns
    -------
    Tensor of the default dtype on the CPU, shape (height, width, d_model)

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5, for each axis; He et al., "Masked
    Autoencoders Are Scalable Vision Learners", 2021, appendix A.1 uses it for patches.

    Examples
    --------
    >>> sinusoidal_2d(1, 2, 4)
    tensor([[[0.0000, 1.0000, 0.0000, 1.0000],
             [0.0000, 1.0000, 0.8415, 0.5403]]])
    """
    height, width, half = _checks.grid_arguments(height, width, d_model)
    of_row = sinusoidal(height, half, base=base)[:, None].expand(height, width, half)
    of_column = sinusoidal(width, half, base=base).expand(height, width, half)
    return torch.cat([of_row, of_column], dim=-1)  # (height, width, d_model)


def learned(token_ids, table, *, offset=0, padding_id=None):
    r"""Row of a learned table for every token: the first token of a text gets row `offset`.

    .. math:: out_{b, n} = table[\mathit{offset} + p_{b, n}]

    where p counts the tokens before n in the same text. Padding does not count, and gets zeros.

    Parameters
    ----------
    token_ids : Tensor of int, shape (batch, seq_len)
        Only which of them are padding matters.
    table : floating-point Tensor, shape (max_len, d_model)
    offset : int
        The row of the first token, at least 0: BART and OPT begin at 2, RoBERTa after its padding
        row.
    padding_id : int, optional
        The token that fills short texts up, on either side; left out, every token counts.

    Returns
    -------
    Tensor, shape (batch, seq_len, d_model), dtype and device of `table`
        Gradients reach the rows that were looked up.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above, or a text is longer than the table; the message
        names it.

    References
    ----------
    Gehring et al., "Convolutional Sequence to Sequence Learning", 2017, section 3.1; Devlin et al.,
    "BERT", 2018, section 3.

    Examples
    --------
    >>> ids, table = torch.tensor([[7, 9], [0, 7]]), torch.tensor([[0.0], [0.1], [0.2]])
    >>> learned(ids, table, offset=1, padding_id=0)[..., 0]
    tensor([[0.1000, 0.2000],
            [0.0000, 0.1000]])
    """
    token_ids, table = _whole_tensor("token_ids", token_ids), _float_tensor("table", table)
    offset, padding_id = _checks.learned_arguments(token_ids, table, offset, padding_id)
    real = torch.ones_like(token_ids).bool() if padding_id is None else token_ids != padding_id
    _checks.rows_for_tokens(table, offset, int(real.sum(dim=-1).max()))
    positions = real.cumsum(dim=-1) - 1  # (batch, seq_len)
    rows = table[torch.where(real, offset + positions, 0)]  # (batch, seq_len, d_model)
    return rows.masked_fill(~real[..., None], 0.0)


def shift_matrix(offset, d_model, *, base=10_000.0):
    r"""Rotation that moves every row of the sinusoidal table by `offset` tokens.

    .. math::
        PE(p + offset) = R \, PE(p), \qquad
        R = \begin{pmatrix} R_0 & & \\ & R_1 & \\ & & \ddots \end{pmatrix}, \quad
        R_k = \begin{pmatrix} \cos(offset \, \omega_k) & \sin(offset \, \omega_k) \\
                              -\sin(offset \, \omega_k) & \cos(offset \, \omega_k) \end{pmatrix}

    One 2 x 2 block per pair, zeros elsewhere; the same for every position p. `R` acts on a column
    ``(sin, cos, sin, cos, ...)``; a table, whose rows are positions, is moved by ``table @ R.T``.

    Parameters
    ----------
    offset : int
        In tokens; negative moves back.
    d_model : int
        Width of the table, even.
    base : float
        Above 1; the paper takes 10 000.

    Returns
    -------
    Tensor of the default dtype on the CPU, shape (d_model, d_model)

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; a sine without its cosine cannot be rotated, so an
        odd `d_model` is a ValueError.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5: "for any fixed offset k,
    PE_{pos+k} can be represented as a linear function of PE_{pos}".

    Examples
    --------
    >>> shift_matrix(3, 4)
    tensor([[-0.9900,  0.1411,  0.0000,  0.0000],
            [-0.1411, -0.9900,  0.0000,  0.0000],
            [ 0.0000,  0.0000,  0.9996,  0.0300],
            [ 0.0000,  0.0000, -0.0300,  0.9996]])
    """
    offset, d_model = _checks.whole_number("offset", offset), _checks.even_width(d_model)
    angles = offset * frequencies(d_model, base=base)  # (n_pairs,)
    sine, cosine = torch.sin(angles), torch.cos(angles)
    blocks = torch.stack([cosine, sine, -sine, cosine], dim=-1).view(-1, 2, 2)  # (n_pairs, 2, 2)
    return torch.block_diag(*blocks).to(torch.get_default_dtype())


def kernel(offsets, d_model, *, base=10_000.0):
    r"""Similarity of two rows of the sinusoidal table that are `offsets` tokens apart.

    .. math:: PE(p) \cdot PE(p + offset) = \sum_k \cos(offset \, \omega_k)

    The same for every position p, for an offset and its negative, and largest, d_model / 2, at 0.

    Parameters
    ----------
    offsets : Tensor of real numbers, shape (...)
        In tokens; finite.
    d_model : int
        Width of the table, even.
    base : float
        Above 1; the paper takes 10 000.

    Returns
    -------
    Tensor of the default dtype on the CPU, shape (...)
        In the shape of `offsets`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; with an odd `d_model` the similarity would depend
        on the position, so that is a ValueError.

    References
    ----------
    Follows from Vaswani et al., "Attention Is All You Need", 2017, section 3.5, by
    ``cos a cos b + sin a sin b = cos(a - b)``.

    Examples
    --------
    >>> kernel(torch.tensor([0, 1, -1, 6]), 4)
    tensor([2.0000, 1.5403, 1.5403, 1.9584])
    """
    offsets, d_model = _finite_tensor("offsets", offsets), _checks.even_width(d_model)
    offsets = offsets.to("cpu", torch.float64)
    angles = offsets[..., None] * frequencies(d_model, base=base)  # (..., n_pairs)
    return torch.cos(angles).sum(dim=-1).to(torch.get_default_dtype())  # (...)


def softmax(scores):
    r"""Turn scores into weights from 0 to 1 that sum to 1 along the last axis.

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
    scores = _checks.score_rows(_float_tensor("scores", scores))
    for row in scores[torch.isneginf(scores).all(dim=-1)].tolist():
        _checks.row_of_scores(row)
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
    q, k, v = _float_tensor("q", q), _float_tensor("k", k), _float_tensor("v", v)
    mask = None if mask is None else _tensor("mask", mask, "b", _checks.booleans)
    _checks.attention_shapes(q, k, v, mask)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        for blind in (~mask.any(dim=-1)).nonzero().tolist():
            _checks.row_of_mask(blind[-1], mask[tuple(blind)].tolist())
        scores = scores.masked_fill(~mask, -math.inf)
    return softmax(scores) @ v  # (..., n_q, v_dim)


def rotary_frequencies(head_dim, *, base=10_000.0, scaling=None):
    r"""Frequency of every pair that `rotary` rotates, in radians per token, for a longer context if asked.

    With s the factor, L the trained length, and the turns :math:`r_k = L \omega_k / 2 \pi` of pair k
    within it, a share :math:`\gamma_k` of each frequency is kept and the rest divided by s:

    .. math:: \omega'_k = \gamma_k \, \omega_k + (1 - \gamma_k) \, \omega_k / s

    ============  ===========================================================================
    ``linear``    position interpolation: all :math:`\gamma_k = 0`
    ``ntk``       NTK-aware: all are kept, of :math:`base \cdot s^{head\_dim / (head\_dim - 2)}`
    ``by_parts``  :math:`\gamma_k = (r_k - alpha) / (beta - alpha)`, cut at 0 and 1
    ``llama3``    the same, with alpha = ``low_freq_factor`` and beta = ``high_freq_factor``
    ``yarn``      from 1 down to 0 in a straight line over the pair index, between the pairs that
                  turn ``beta_fast`` and ``beta_slow`` times; `rotary` multiplies by
                  ``attention_factor``, by default :math:`0.1 \ln s + 1`, as well
    ============  ===========================================================================

    Parameters
    ----------
    head_dim : int
        Even; at least 4 for ``ntk``.
    base : float
        Above 1; the paper takes 10 000.
    scaling : dict, optional
        ``rope_type``, ``factor`` and the rule's own keys, named as in the configuration files of the
        library transformers: ``original_max_position_embeddings`` is L, ``truncate`` (by default
        True) rounds yarn's pairs outwards. The names ``ntk`` and ``by_parts`` those files do not know.

    Returns
    -------
    Tensor of float64 on the CPU, shape (head_dim / 2,)
        In float64 whatever the default dtype, as those of `frequencies`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Chen et al., "Extending Context Window of Large Language Models via Positional Interpolation",
    2023, section 2.3. Peng et al., "YaRN: Efficient Context Window Extension of Large Language
    Models", 2023, section 3; ``yarn`` is as in the code published with it, whose ramp is not the
    paper's. ``llama3``: the code published with Llama 3.1.

    Examples
    --------
    >>> rotary_frequencies(4, scaling={"rope_type": "linear", "factor": 4.0})
    tensor([0.2500, 0.0025], dtype=torch.float64)
    >>> rotary_frequencies(4, scaling={"rope_type": "ntk", "factor": 4.0})
    tensor([1.0000, 0.0025], dtype=torch.float64)
    """
    head_dim, base = _checks.even_width(head_dim, "head_dim"), _checks.base_of_angles(base)
    rule = _checks.scaling_rule(scaling, head_dim)
    if rule["rope_type"] == "ntk":
        base *= rule["factor"] ** (head_dim / (head_dim - 2))
    original = frequencies(head_dim, base=base)  # (n_pairs,)
    kept = _kept_share(original, head_dim, base, rule)  # (n_pairs,) or one number
    return kept * original + (1 - kept) * original / rule["factor"]


def _kept_share(original, head_dim, base, rule):
    """How much of its frequency a pair keeps under a scaling rule: 1 all, 0 none."""
    if rule["rope_type"] in ("default", "ntk", "linear"):
        return 0.0 if rule["rope_type"] == "linear" else 1.0
    trained_len = rule["original_max_position_embeddings"]
    if rule["rope_type"] == "by_parts":
        turns = trained_len * original / (2 * math.pi)
        return ((turns - rule["alpha"]) / (rule["beta"] - rule["alpha"])).clamp(0, 1)

    def pair_that_turns(times):
        return head_dim * math.log(trained_len / (2 * math.pi * times)) / (2 * math.log(base))

    first, last = pair_that_turns(rule["beta_fast"]), pair_that_turns(rule["beta_slow"])
    if rule["truncate"]:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, head_dim - 1)
    pairs = torch.arange(head_dim // 2, dtype=torch.float64, device="cpu")
    # 0.001: where first and last are one pair, the line would be a step at it
    return 1 - ((pairs - first) / (last - first if last != first else 0.001)).clamp(0, 1)


def rotary(x, positions, *, base=10_000.0, layout="interleaved", scaling=None):
    r"""Rotate every pair of numbers in a row by an angle that grows with the row's position (RoPE).

    .. math::
        \begin{pmatrix} y_a \\ y_b \end{pmatrix} =
        \begin{pmatrix} \cos(p \, \omega_k) & -\sin(p \, \omega_k) \\
                        \sin(p \, \omega_k) & \cos(p \, \omega_k) \end{pmatrix}
        \begin{pmatrix} x_a \\ x_b \end{pmatrix}, \quad
        \omega_k = base^{-2k / head\_dim}

    Pair k stands in the columns (a, b) = (2k, 2k + 1) when the layout is ``"interleaved"``, and in
    (k, k + head_dim / 2) when it is ``"half"``. Rotate queries and keys, not values: then positions
    enter the score of a query at position m and a key at n through m - n only.

    Parameters
    ----------
    x : floating-point Tensor, shape (..., seq_len, head_dim)
        Queries or keys of one head in a row; head_dim even.
    positions : Tensor of real numbers, shape (seq_len,)
        In tokens, one for each row of `x`; need not be whole, nor begin at 0.
    base : float
        Above 1; the paper takes 10 000.
    layout : "interleaved" or "half"
        Which columns make a pair. The paper, GPT-J and Meta's Llama interleave; GPT-NeoX and the
        Llama of the library transformers take halves. A model trained with one
        can use the other only after the outputs of its W_Q and W_K are put in order.
    scaling : dict, optional
        A rule for contexts longer than trained, as for `rotary_frequencies`.

    Returns
    -------
    Tensor, shape, dtype and device of `x`
        The angles are computed in float64, their sines and cosines cast last.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021, section 3.2.2,
    equations 14 and 15.

    Examples
    --------
    >>> rotary(torch.tensor([[1.0, 0.0, 1.0, 0.0]] * 2), positions=torch.tensor([0, 1]))
    tensor([[1.0000, 0.0000, 1.0000, 0.0000],
            [0.5403, 0.8415, 0.9999, 0.0100]])
    """
    x, positions = _float_tensor("x", x), _finite_tensor("positions", positions)
    _, head_dim = _checks.rotary_shapes(x, positions, layout)
    positions = positions.to("cpu", torch.float64)
    angles = positions[:, None] * rotary_frequencies(
        head_dim, base=base, scaling=scaling
    )  # (seq_len, n_pairs)
    size = _checks.scaling_rule(scaling, head_dim).get("attention_factor", 1.0)
    wide = x.to(torch.promote_types(x.dtype, torch.float32))  # half precision: rounded once, at the end
    cosine, sine = (size * torch.cos(angles)).to(wide), (size * torch.sin(angles)).to(wide)
    return _turned_pairs(wide, cosine, sine, layout).to(x.dtype)


def _turned_pairs(x, cosine, sine, layout):
    """Turn the pairs of x (..., seq_len, head_dim) by angles with these cosines, sines (seq_len, n_pairs)."""
    if layout == "interleaved":  # a pair lies in memory as a complex number does
        return torch.view_as_real(_as_complex(x) * torch.complex(cosine, sine)).flatten(-2)
    half = x.shape[-1] // 2
    turned = x * torch.cat([cosine, cosine], dim=-1)
    turned[..., :half].addcmul_(x[..., half:], sine, value=-1)
    turned[..., half:].addcmul_(x[..., :half], sine)
    return turned


def _as_complex(x):
    """Every two numbers of the last axis as one complex number: a view, wherever PyTorch allows one."""
    *steps, step = x.stride()
    if step != 1 or any(n % 2 for n in (*steps, x.storage_offset())):
        x = x.clone(memory_format=torch.contiguous_format)
    return torch.view_as_complex(x.unflatten(-1, (-1, 2)))


def axial_rotary(x, rows, columns, *, base=10_000.0, layout="interleaved"):
    r"""Rotate half of every row by its place on one axis of a grid, the other half by that on the other.

    .. math:: y = [\, rotary(x_{1..d/2}, row) \;|\; rotary(x_{d/2+1..d}, column) \,]

    Positions then enter the score of a query and a key through the difference of their rows and that
    of their columns only.

    Parameters
    ----------
    x : floating-point Tensor, shape (..., n_patches, head_dim)
        Queries or keys, one for each patch; head_dim a multiple of 4.
    rows, columns : Tensor of real numbers, shape (n_patches,)
        Where on the grid each patch lies; need not be whole.
    base, layout
        As for `rotary`; each half of head_dim is laid out for itself.

    Returns
    -------
    Tensor, shape, dtype and device of `x`

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Heo et al., "Rotary Position Embedding for Vision Transformer", 2024, section 3.2.

    Examples
    --------
    >>> x = torch.tensor([[1.0, 0.0, 1.0, 0.0]] * 2)
    >>> axial_rotary(x, rows=torch.tensor([0, 0]), columns=torch.tensor([0, 1]))
    tensor([[1.0000, 0.0000, 1.0000, 0.0000],
            [1.0000, 0.0000, 0.5403, 0.8415]])
    """
    x, rows, columns = _float_tensor("x", x), _finite_tensor("rows", rows), _finite_tensor("columns", columns)
    _checks.axial_shapes(x, rows, columns, layout)
    by_row, by_column = x.chunk(2, dim=-1)  # (..., n_patches, head_dim / 2)
    by_row = rotary(by_row, rows, base=base, layout=layout)
    return torch.cat([by_row, rotary(by_column, columns, base=base, layout=layout)], dim=-1)


def shaw_bias(q, table):
    r"""What Shaw's relative positions add to the scores: the query, asked about a distance.

    .. math::
        bias_{m, n} = \frac{q_m \cdot a_{c(n - m)}}{\sqrt{head\_dim}}, \qquad
        c(d) = \max(-K, \min(K, d))

    Row 0 of the table is for K tokens back and further, row K for the token itself, the last for K
    tokens ahead and further.

    Parameters
    ----------
    q : floating-point Tensor, shape (..., seq_len, head_dim)
    table : floating-point Tensor, shape (2 K + 1, head_dim)
        Learned; the K of the formula is its `max_distance`.

    Returns
    -------
    Tensor, shape (..., seq_len, seq_len), dtype of `q`
        Entry (m, n) is for query m and key n. Add it to the scaled scores, before the softmax.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Shaw et al., "Self-Attention with Relative Position Representations", 2018, section 3, equation 4
    (its term for the keys).

    Examples
    --------
    >>> shaw_bias(torch.tensor([[1.0], [1.0], [2.0]]), table=torch.tensor([[-1.0], [0.0], [3.0]]))
    tensor([[ 0.,  3.,  3.],
            [-1.,  0.,  3.],
            [-2., -2.,  0.]])
    """
    q, table = _float_tensor("q", q), _float_tensor("table", table)
    max_distance = _checks.shaw_distance(q, table)
    positions = torch.arange(q.shape[-2], device=q.device)
    distances = (positions - positions[:, None]).clamp(-max_distance, max_distance)  # (n_q, n_k)
    about = table[distances + max_distance]  # (n_q, n_k, head_dim)
    return torch.einsum("...md,mnd->...mn", q, about) / math.sqrt(q.shape[-1])  # (..., n_q, n_k)


def alibi_slopes(num_heads):
    r"""How much each head's scores lose per token of distance (ALiBi).

    .. math:: slope_h = 2^{-8 (h + 1) / num\_heads}, \qquad h = 0, 1, \dots

    This holds where `num_heads` is a power of two. Otherwise the slopes are those of the next lower
    power of two, followed by every second one of the next higher, as in the authors' code.

    Parameters
    ----------
    num_heads : int
        At least 1.

    Returns
    -------
    Tensor of the default dtype on the CPU, shape (num_heads,)
        Positive, at most 1. The order is that of the authors' code, not sorted.

    Raises
    ------
    TypeError, ValueError
        If `num_heads` is not a whole number of at least 1.

    References
    ----------
    Press et al., "Train Short, Test Long: Attention with Linear Biases Enables Input Length
    Extrapolation", 2021, section 3; other numbers of heads: the code published with it.

    Examples
    --------
    >>> alibi_slopes(4)
    tensor([0.2500, 0.0625, 0.0156, 0.0039])
    """
    num_heads = _checks.whole_number("num_heads", num_heads, minimum=1)
    power = 2 ** (num_heads.bit_length() - 1)  # the largest power of two that is not above num_heads
    steps = torch.arange(1, power + 1, dtype=torch.float64, device="cpu")
    slopes = 2 ** (-8 * steps / power)  # (power,)
    between = 2 ** (-8 * (2 * steps - 1) / (2 * power))  # (power,)
    return torch.cat([slopes, between])[:num_heads].to(torch.get_default_dtype())


def alibi(seq_len, num_heads):
    r"""What ALiBi adds to the scores: a penalty in proportion to the distance.

    .. math:: bias_{h, m, n} = -slope_h \, |m - n|

    The paper's model is causal and needs n <= m only. Here the penalty is the same in both
    directions, so that it serves models without a mask too; under a causal mask what is left of it
    is the paper's.

    Parameters
    ----------
    seq_len, num_heads : int
        At least 1.

    Returns
    -------
    Tensor of the default dtype on the CPU, shape (num_heads, seq_len, seq_len)
        Entry (h, m, n) is for query m and key n; 0 where m = n, negative elsewhere. Add it to the
        scores, before the softmax.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a whole number of at least 1.

    References
    ----------
    Press et al., "Train Short, Test Long: Attention with Linear Biases Enables Input Length
    Extrapolation", 2021, section 3.

    Examples
    --------
    >>> alibi(3, num_heads=8)[0]
    tensor([[ 0.0000, -0.5000, -1.0000],
            [-0.5000,  0.0000, -0.5000],
            [-1.0000, -0.5000,  0.0000]])
    """
    seq_len = _checks.whole_number("seq_len", seq_len, minimum=1)
    positions = torch.arange(seq_len, device="cpu")
    distances = (positions[:, None] - positions).abs()  # (n_q, n_k)
    return 0.0 - alibi_slopes(num_heads)[:, None, None] * distances  # (num_heads, n_q, n_k)


def t5_buckets(relative_positions, *, num_buckets=32, max_distance=128, bidirectional=True):
    r"""Bucket of every distance between a query and a key, as in T5.

    With d the distance and e half the buckets of one direction, L being all of them:

    .. math::
        bucket(d) = \begin{cases} d & d < e \\
        \min\left(L - 1, \; e + \left\lfloor (L - e)
        \frac{\ln(d / e)}{\ln(max\_distance / e)} \right\rfloor\right) & d \ge e \end{cases}

    Near distances have a bucket of their own, far ones share. The last bucket has no end: the one after
    it would begin at `max_distance`.

    Parameters
    ----------
    relative_positions : Tensor of int, shape (...)
        Position of the key minus position of the query: negative looks back.
    num_buckets : int
        At least 2; at least 4 and even if bidirectional.
    max_distance : int
    bidirectional : bool
        True gives the keys that come after the query the upper half of the buckets. False is for
        causal models: there such keys cannot be seen, and land in bucket 0.

    Returns
    -------
    Tensor of int64, shape (...), on the device of `relative_positions`
        Between 0 and num_buckets - 1, in the shape of `relative_positions`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer", 2019, section 2.1; the formula is that of the code published with it.

    Examples
    --------
    >>> t5_buckets(torch.tensor([-200, -9, -1, 0, 1, 9, 200]))
    tensor([15,  8,  1,  0, 17, 24, 31])
    >>> t5_buckets(torch.tensor([-200, -9, -1, 0, 1]), bidirectional=False)
    tensor([31,  9,  1,  0,  0])
    """
    one_way, exact, max_distance = _checks.bucket_arguments(num_buckets, max_distance, bidirectional)
    offsets = _whole_tensor("relative_positions", relative_positions)
    first = one_way * (offsets > 0) if bidirectional else 0
    distances = offsets.abs() if bidirectional else (-offsets).clamp(min=0)
    far = distances.clamp(min=exact).to("cpu", torch.float64)
    share = torch.log(far / exact) / math.log(max_distance / exact)
    # 1e-9: where the product is a whole number, rounding must not make it less
    shared = exact + torch.floor((one_way - exact) * share + 1e-9).long()
    shared = shared.clamp(max=one_way - 1).to(offsets.device)
    return first + torch.where(distances < exact, distances, shared)


def t5_bias(seq_len, table, *, max_distance=128, bidirectional=True):
    r"""What T5 adds to the scores: a learned number for each bucket of distances and each head.

    .. math:: bias_{h, m, n} = table[bucket(n - m), h]

    Parameters
    ----------
    seq_len : int
        At least 1.
    table : floating-point Tensor, shape (num_buckets, num_heads)
        Learned.
    max_distance, bidirectional
        As for `t5_buckets`.

    Returns
    -------
    Tensor, shape (num_heads, seq_len, seq_len), dtype and device of `table`
        Entry (h, m, n) is for query m and key n. Add it to the scores, before the softmax. (T5 itself
        does not scale its scores by the root of head_dim.)

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer", 2019, section 2.1.

    Examples
    --------
    >>> table = torch.tensor([[0.0], [0.1], [0.2], [0.3]])
    >>> t5_bias(3, table, max_distance=4, bidirectional=False)[0]
    tensor([[0.0000, 0.0000, 0.0000],
            [0.1000, 0.0000, 0.0000],
            [0.2000, 0.1000, 0.0000]])
    """
    seq_len, table = _checks.whole_number("seq_len", seq_len, minimum=1), _float_tensor("table", table)
    num_buckets, _ = _checks.bucket_table(table, max_distance, bidirectional)
    positions = torch.arange(seq_len, device=table.device)
    buckets = t5_buckets(
        positions - positions[:, None],  # key minus query
        num_buckets=num_buckets,
        max_distance=max_distance,
        bidirectional=bidirectional,
    )  # (n_q, n_k)
    return table[buckets].movedim(-1, 0)  # (num_heads, n_q, n_k)


def attention_with_bias(q, k, v, bias_of_offsets, *, causal=False):
    r"""Attention with a bias that depends on the offset between key and query only.

    .. math::
        out = \mathrm{softmax}\!\left(\frac{Q K^T}{\sqrt{head\_dim}} + B\right) V, \qquad
        B_{m, j} = bias_{j - m}

    ALiBi and T5 are of this kind. B is a Toeplitz matrix: one number for each diagonal, 2 n - 1 of
    them, and it is never built. A view of the numbers, each row one further on than the row before,
    is handed to PyTorch's fused attention, with the queries in reverse, because a Tensor cannot step
    backwards. (On the CPU; a kernel for a GPU may copy the view.)

    Parameters
    ----------
    q, k : floating-point Tensor, shape (..., n, head_dim)
    v : floating-point Tensor, shape (..., n, v_dim)
    bias_of_offsets : floating-point Tensor, shape (..., 2 n - 1)
        What is added to the scaled scores for the offsets 1 - n to n - 1, in tokens, position of the
        key minus position of the query; the leading axes fit those of q, (num_heads, 2 n - 1) for
        instance.
    causal : bool
        True lets every query look at itself and back only.

    Returns
    -------
    Tensor, shape (..., n, v_dim)
        Gradients reach `bias_of_offsets`, and so a learned table that it was looked up in; while they
        are recorded, PyTorch (2.13) writes n x n scores all the same.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Press et al., "Train Short, Test Long: Attention with Linear Biases Enables Input Length
    Extrapolation", 2021, section 3; Raffel et al., "Exploring the Limits of Transfer Learning with a
    Unified Text-to-Text Transformer", 2019, section 2.1.

    Examples
    --------
    >>> offsets = torch.arange(-2, 3)  # three tokens
    >>> bias = -alibi_slopes(8)[:, None] * offsets.abs()  # (num_heads, 2 n - 1)
    >>> q = k = torch.zeros(8, 3, 4)
    >>> attention_with_bias(q, k, torch.eye(3).repeat(8, 1, 1), bias)[0]
    tensor([[0.5065, 0.3072, 0.1863],
            [0.2741, 0.4519, 0.2741],
            [0.1863, 0.3072, 0.5065]])
    """
    q, k, v = _float_tensor("q", q), _float_tensor("k", k), _float_tensor("v", v)
    bias_of_offsets = _float_tensor("bias_of_offsets", bias_of_offsets)
    n, *_ = _checks.attention_shapes(q, k, v)
    bias_of_offsets = _checks.bias_of_offsets(q, k, bias_of_offsets)
    if _checks.true_or_false("causal", causal):
        ahead = torch.arange(1 - n, n, device=bias_of_offsets.device) > 0  # (2 n - 1,)
        bias_of_offsets = bias_of_offsets.masked_fill(ahead, -math.inf)
    if torch.isneginf(bias_of_offsets[..., n - 1]).any():  # offset 0 is among those of every query
        rows = bias_of_offsets.unfold(-1, n, 1).flip(-2)  # (..., n, n)
        for blind in torch.isneginf(rows).all(dim=-1).nonzero().tolist():
            _checks.row_of_biases(blind[-1], rows[tuple(blind)].tolist())
    *_, num_heads = leading = (1, *q.shape[:-2])
    # Four axes, and neighbours in memory, because otherwise PyTorch would write n x n scores or biases.
    q, k, v = (x.reshape(-1, num_heads, n, x.shape[-1]) for x in (q.flip(-2), k, v))
    bias = bias_of_offsets.to(q).contiguous().expand(*leading, 2 * n - 1).reshape(-1, num_heads, 2 * n - 1)
    # Row r of the view holds the offsets r + 1 - n to r, those of query n - 1 - r.
    bias = bias.unfold(-1, n, 1)  # (batch, num_heads, n, n), a view
    out = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    return out.flip(-2).reshape(*leading[1:], n, -1)  # (..., n, v_dim)


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
        max_len = _checks.whole_number("max_len", max_len, minimum=1)
        self.batch_first = _checks.true_or_false("batch_first", batch_first)
        self.dropout = nn.Dropout(_checks.probability("dropout", dropout))
        self.register_buffer("table", sinusoidal(max_len, d_model, base=base), persistent=False)

    def forward(self, x):
        x = _float_tensor("x", x)
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


def _table_dtype(dtype):
    if dtype is None:
        return torch.get_default_dtype()
    return _checks.floating_dtype(dtype, isinstance(dtype, torch.dtype) and dtype.is_floating_point)


def _hands(position, angles):
    """Row `position` of the table with each sine and cosine as one number: sine + i cosine."""
    return torch.complex(torch.sin(position * angles), torch.cos(position * angles))  # (n_pairs,)


def _turned(first_row, angles, n_rows):
    """The rows first_row exp(-i q angles) for q = 0, 1, ...; the turned rows double until all are there."""
    rows = torch.empty(n_rows, len(angles), dtype=torch.complex128, device="cpu")
    rows[0] = first_row
    done = 1
    while done < n_rows:
        more = rows[done : 2 * done]  # (done, n_pairs), or what is left
        torch.mul(rows[: len(more)], torch.exp(-1j * done * angles), out=more)
        done *= 2
    return rows


def _interleaved(numbers):
    """A view (..., 2 n) of complex numbers (..., n): real part, imaginary part, real part, ..."""
    return torch.view_as_real(numbers).flatten(-2)


def _tensor(name, value, kinds, check):
    """`value`, a Tensor of these kinds of numbers; `check` refuses others in the words of the first rung."""
    if not isinstance(value, torch.Tensor):
        check(name, value)
        raise TypeError(
            f"{name} must be a torch.Tensor, got {type(value).__name__}: torch.tensor({name}) makes one"
        )
    if _kind(value) not in kinds:
        check(name, value.flatten()[:1])  # all entries are of one kind
    return value


def _kind(tensor):
    """The letter that NumPy has for it: boolean, integer, floating-point or complex."""
    if tensor.dtype == torch.bool:
        return "b"
    return "c" if tensor.is_complex() else "f" if tensor.is_floating_point() else "i"


def _float_tensor(name, value):
    if not _tensor(name, value, "if", _checks.real_numbers).is_floating_point():
        raise TypeError(
            f"{name} must hold floating-point numbers, got {value.dtype}: {name}.float() converts it"
        )
    return value


def _finite_tensor(name, value):
    value = _tensor(name, value, "if", _checks.finite_numbers)
    for number in value[~torch.isfinite(value)].tolist():
        _checks.finite_numbers(name, number)
    return value


def _whole_tensor(name, value):
    return _tensor(name, value, "i", _checks.whole_numbers).long()
