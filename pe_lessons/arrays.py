"""Rung 2: NumPy, whole arrays at a time. Shapes stand as trailing comments; all in float64."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

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
    base = _checks.base_of_angles(base)
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
    dtype : dtype, optional
        A floating-point one; float64 unless given.

    Returns
    -------
    ndarray of `dtype`, shape (seq_len, d_model)
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
    >>> sinusoidal_by_rotation(3, 4, dtype=np.float32).round(4)
    array([[ 0.    ,  1.    ,  0.    ,  1.    ],
           [ 0.8415,  0.5403,  0.01  ,  1.    ],
           [ 0.9093, -0.4161,  0.02  ,  0.9998]], dtype=float32)
    """
    seq_len, d_model, base, start = _checks.table_arguments(seq_len, d_model, base, start)
    table = np.empty((seq_len, d_model), _table_dtype(dtype))
    angles = frequencies(d_model, base=base)  # (n_pairs,) of one token
    block_len = min(seq_len, max(1, 2**16 // d_model))  # as many turns as stay in the cache
    turns = _turned(1, angles, block_len)  # (block_len, n_pairs)
    n_blocks = -(-seq_len // block_len)
    first_rows = _turned(_hands(start, angles), block_len * angles, n_blocks)  # (n_blocks, n_pairs)
    product = np.empty_like(turns)
    for n, first_row in enumerate(first_rows):
        block = table[n * block_len : (n + 1) * block_len]
        np.multiply(first_row, turns, out=product)
        block[:] = product.view(np.float64)[: len(block), :d_model]  # sine, cosine, sine, cosine, ...
    return table


def sinusoidal_blocks(seq_len, d_model, *, base=10_000.0, start=0, dtype=None, block_len=None):
    r"""The table of `sinusoidal_by_rotation` block by block, for a stream of any length in 1 MB.

    The first row of every block is made from sines and cosines of its own, so nothing drifts.

    Parameters
    ----------
    seq_len, d_model, base, start
        As in `sinusoidal`.
    dtype : dtype, optional
        A floating-point one; float64 unless given.
    block_len : int, optional
        Rows in a block, at least 1; by default as many as stay in a processor's cache. The last block
        may be shorter.

    Yields
    ------
    ndarray of `dtype`, shape (block_len, d_model)
        The rows from `start` on; each block is an array of its own.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5, for the shift property.

    Examples
    --------
    >>> [block.shape for block in sinusoidal_blocks(1000, 4, block_len=400)]
    [(400, 4), (400, 4), (200, 4)]
    """
    seq_len, d_model, base, start = _checks.table_arguments(seq_len, d_model, base, start)
    block_len = min(seq_len, _checks.block_rows(block_len, d_model))
    dtype, end = _table_dtype(dtype), start + seq_len
    angles = frequencies(d_model, base=base)  # (n_pairs,) of one token
    turns = _turned(1, angles, block_len)  # (block_len, n_pairs)
    return (
        (_hands(first, angles) * turns[: end - first]).view(np.float64)[:, :d_model].astype(dtype)
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
    ndarray of float64, shape (height, width, d_model)

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
    >>> sinusoidal_2d(1, 2, 4).round(4)
    array([[[0.    , 1.    , 0.    , 1.    ],
            [0.    , 1.    , 0.8415, 0.5403]]])
    """
    height, width, half = _checks.grid_arguments(height, width, d_model)
    table = np.empty((height, width, 2 * half))
    table[..., :half] = sinusoidal(height, half, base=base)[:, None]  # the same along a row of the grid
    table[..., half:] = sinusoidal(width, half, base=base)  # the same along a column
    return table


def learned(token_ids, table, *, offset=0, padding_id=None):
    r"""Row of a learned table for every token: the first token of a text gets row `offset`.

    .. math:: out_{b, n} = table[\mathit{offset} + p_{b, n}]

    where p counts the tokens before n in the same text. Padding does not count, and gets zeros.

    Parameters
    ----------
    token_ids : array of int, shape (batch, seq_len)
        Only which of them are padding matters.
    table : array of real numbers, shape (max_len, d_model)
    offset : int
        The row of the first token, at least 0: BART and OPT begin at 2, RoBERTa after its padding
        row.
    padding_id : int, optional
        The token that fills short texts up, on either side; left out, every token counts.

    Returns
    -------
    ndarray of float64, shape (batch, seq_len, d_model)

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
    >>> learned([[7, 9], [0, 7]], table=[[0.0], [0.1], [0.2]], offset=1, padding_id=0)[..., 0]
    array([[0.1, 0.2],
           [0. , 0.1]])
    """
    token_ids, table = _whole_array("token_ids", token_ids), _real_array("table", table)
    offset, padding_id = _checks.learned_arguments(token_ids, table, offset, padding_id)
    real = np.full(token_ids.shape, True) if padding_id is None else token_ids != padding_id
    _checks.rows_for_tokens(table, offset, real.sum(axis=-1).max())
    positions = np.cumsum(real, axis=-1) - 1  # (batch, seq_len)
    rows = table[np.where(real, offset + positions, 0)]  # (batch, seq_len, d_model)
    return np.where(real[..., None], rows, 0.0)


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
    ndarray of float64, shape (d_model, d_model)

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
    >>> shift_matrix(3, 4).round(4)
    array([[-0.99  ,  0.1411,  0.    ,  0.    ],
           [-0.1411, -0.99  ,  0.    ,  0.    ],
           [ 0.    ,  0.    ,  0.9996,  0.03  ],
           [ 0.    ,  0.    , -0.03  ,  0.9996]])
    """
    offset, d_model = _checks.whole_number("offset", offset), _checks.even_width(d_model)
    angles = offset * frequencies(d_model, base=base)  # (n_pairs,)
    first = np.arange(0, d_model, 2)  # (n_pairs,) the sine columns; the cosines are one further on
    matrix = np.zeros((d_model, d_model))
    matrix[first, first] = matrix[first + 1, first + 1] = np.cos(angles)
    matrix[first, first + 1] = np.sin(angles)
    matrix[first + 1, first] = -np.sin(angles)
    return matrix


def kernel(offsets, d_model, *, base=10_000.0):
    r"""Similarity of two rows of the sinusoidal table that are `offsets` tokens apart.

    .. math:: PE(p) \cdot PE(p + offset) = \sum_k \cos(offset \, \omega_k)

    The same for every position p, for an offset and its negative, and largest, d_model / 2, at 0.

    Parameters
    ----------
    offsets : array of real numbers, shape (...)
        In tokens; finite.
    d_model : int
        Width of the table, even.
    base : float
        Above 1; the paper takes 10 000.

    Returns
    -------
    ndarray of float64, shape (...)
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
    >>> kernel([0, 1, -1, 6], 4).round(4)
    array([2.    , 1.5403, 1.5403, 1.9584])
    """
    offsets, d_model = _finite_array("offsets", offsets), _checks.even_width(d_model)
    angles = offsets[..., None] * frequencies(d_model, base=base)  # (..., n_pairs)
    return np.cos(angles).sum(axis=-1)  # (...)


def softmax(scores):
    r"""Turn scores into weights from 0 to 1 that sum to 1 along the last axis.

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
    scores = _checks.score_rows(_real_array("scores", scores))
    largest = scores.max(axis=-1, keepdims=True)  # (..., 1)
    for row in scores[np.isneginf(largest[..., 0])]:
        _checks.row_of_scores(row)
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
    mask = None if mask is None else _array("mask", mask, "b", bool, _checks.booleans)
    _checks.attention_shapes(q, k, v, mask)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        for blind in np.argwhere(~mask.any(axis=-1)):
            _checks.row_of_mask(blind[-1], mask[tuple(blind)])
        scores = np.where(mask, scores, -np.inf)
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
    ndarray of float64, shape (head_dim / 2,)

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
    array([0.25  , 0.0025])
    >>> rotary_frequencies(4, scaling={"rope_type": "ntk", "factor": 4.0}).round(6)
    array([1.    , 0.0025])
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
        turns = trained_len * original / (2 * np.pi)
        return ((turns - rule["alpha"]) / (rule["beta"] - rule["alpha"])).clip(0, 1)
    times = np.array([rule["beta_fast"], rule["beta_slow"]])
    bounds = (
        head_dim * np.log(trained_len / (2 * np.pi * times)) / (2 * np.log(base))
    )  # pairs that turn so often
    if rule["truncate"]:
        bounds = np.floor(bounds[0]), np.ceil(bounds[1])
    first, last = max(bounds[0], 0), min(bounds[1], head_dim - 1)
    # 0.001: where first and last are one pair, the line would be a step at it
    return 1 - ((np.arange(head_dim // 2) - first) / (last - first if last != first else 0.001)).clip(0, 1)


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
    x : array of real numbers, shape (..., seq_len, head_dim)
        Queries or keys of one head in a row; head_dim even.
    positions : array of real numbers, shape (seq_len,)
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
    ndarray of float64, shape (..., seq_len, head_dim)

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
    >>> rotary([[1.0, 0.0, 1.0, 0.0]] * 2, positions=[0, 1]).round(4)
    array([[1.    , 0.    , 1.    , 0.    ],
           [0.5403, 0.8415, 1.    , 0.01  ]])
    """
    x, positions = _real_array("x", x), _finite_array("positions", positions)
    _, head_dim = _checks.rotary_shapes(x, positions, layout)
    angles = positions[:, None] * rotary_frequencies(
        head_dim, base=base, scaling=scaling
    )  # (seq_len, n_pairs)
    size = _checks.scaling_rule(scaling, head_dim).get("attention_factor", 1.0)
    return _turned_pairs(x, size * np.cos(angles), size * np.sin(angles), layout)


def _turned_pairs(x, cosine, sine, layout):
    """Turn the pairs of x (..., seq_len, head_dim) by angles with these cosines, sines (seq_len, n_pairs)."""
    if layout == "interleaved":  # a pair lies in memory as a complex number does
        pairs = np.ascontiguousarray(x).view(np.complex128)  # (..., seq_len, n_pairs)
        return (pairs * (cosine + 1j * sine)).view(np.float64)
    half = x.shape[-1] // 2
    turned = x * np.concatenate([cosine, cosine], axis=-1)
    turned[..., :half] -= x[..., half:] * sine
    turned[..., half:] += x[..., :half] * sine
    return turned


def axial_rotary(x, rows, columns, *, base=10_000.0, layout="interleaved"):
    r"""Rotate half of every row by its place on one axis of a grid, the other half by that on the other.

    .. math:: y = [\, rotary(x_{1..d/2}, row) \;|\; rotary(x_{d/2+1..d}, column) \,]

    Positions then enter the score of a query and a key through the difference of their rows and that
    of their columns only.

    Parameters
    ----------
    x : array of real numbers, shape (..., n_patches, head_dim)
        Queries or keys, one for each patch; head_dim a multiple of 4.
    rows, columns : array of real numbers, shape (n_patches,)
        Where on the grid each patch lies; need not be whole.
    base, layout
        As for `rotary`; each half of head_dim is laid out for itself.

    Returns
    -------
    ndarray of float64, shape (..., n_patches, head_dim)

    Raises
    ------
    TypeError, ValueError
        If an argument is not what is said above; the message names it.

    References
    ----------
    Heo et al., "Rotary Position Embedding for Vision Transformer", 2024, section 3.2.

    Examples
    --------
    >>> axial_rotary([[1.0, 0.0, 1.0, 0.0]] * 2, rows=[0, 0], columns=[0, 1]).round(4)
    array([[1.    , 0.    , 1.    , 0.    ],
           [1.    , 0.    , 0.5403, 0.8415]])
    """
    x, rows, columns = _real_array("x", x), _finite_array("rows", rows), _finite_array("columns", columns)
    _checks.axial_shapes(x, rows, columns, layout)
    by_row, by_column = np.split(x, 2, axis=-1)  # (..., n_patches, head_dim / 2)
    by_row = rotary(by_row, rows, base=base, layout=layout)
    return np.concatenate([by_row, rotary(by_column, columns, base=base, layout=layout)], axis=-1)


def shaw_bias(q, table):
    r"""What Shaw's relative positions add to the scores: the query, asked about a distance.

    .. math::
        bias_{m, n} = \frac{q_m \cdot a_{c(n - m)}}{\sqrt{head\_dim}}, \qquad
        c(d) = \max(-K, \min(K, d))

    Row 0 of the table is for K tokens back and further, row K for the token itself, the last for K
    tokens ahead and further.

    Parameters
    ----------
    q : array of real numbers, shape (..., seq_len, head_dim)
    table : array of real numbers, shape (2 K + 1, head_dim)
        Learned; the K of the formula is its `max_distance`.

    Returns
    -------
    ndarray of float64, shape (..., seq_len, seq_len)
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
    >>> shaw_bias([[1.0], [1.0], [2.0]], table=[[-1.0], [0.0], [3.0]])
    array([[ 0.,  3.,  3.],
           [-1.,  0.,  3.],
           [-2., -2.,  0.]])
    """
    q, table = _real_array("q", q), _real_array("table", table)
    max_distance = _checks.shaw_distance(q, table)
    positions = np.arange(q.shape[-2])
    distances = (positions - positions[:, None]).clip(-max_distance, max_distance)  # (n_q, n_k)
    about = table[distances + max_distance]  # (n_q, n_k, head_dim)
    return np.einsum("...md,mnd->...mn", q, about) / np.sqrt(q.shape[-1])  # (..., n_q, n_k)


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
    ndarray of float64, shape (num_heads,)
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
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    num_heads = _checks.whole_number("num_heads", num_heads, minimum=1)
    power = 2 ** (num_heads.bit_length() - 1)  # the largest power of two that is not above num_heads
    slopes = 2 ** (-8 * np.arange(1, power + 1) / power)  # (power,)
    between = 2 ** (-8 * np.arange(1, 2 * power, 2) / (2 * power))  # (power,)
    return np.concatenate([slopes, between])[:num_heads]


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
    ndarray of float64, shape (num_heads, seq_len, seq_len)
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
    array([[ 0. , -0.5, -1. ],
           [-0.5,  0. , -0.5],
           [-1. , -0.5,  0. ]])
    """
    seq_len = _checks.whole_number("seq_len", seq_len, minimum=1)
    positions = np.arange(seq_len)
    distances = np.abs(positions[:, None] - positions)  # (n_q, n_k)
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
    relative_positions : array of int, shape (...)
        Position of the key minus position of the query: negative looks back.
    num_buckets : int
        At least 2; at least 4 and even if bidirectional.
    max_distance : int
    bidirectional : bool
        True gives the keys that come after the query the upper half of the buckets. False is for
        causal models: there such keys cannot be seen, and land in bucket 0.

    Returns
    -------
    ndarray of int64, shape (...)
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
    >>> t5_buckets([-200, -9, -1, 0, 1, 9, 200])
    array([15,  8,  1,  0, 17, 24, 31])
    >>> t5_buckets([-200, -9, -1, 0, 1], bidirectional=False)
    array([31,  9,  1,  0,  0])
    """
    one_way, exact, max_distance = _checks.bucket_arguments(num_buckets, max_distance, bidirectional)
    offsets = _whole_array("relative_positions", relative_positions)
    first = one_way * (offsets > 0) if bidirectional else 0
    distances = np.abs(offsets) if bidirectional else np.maximum(-offsets, 0)
    share = np.log(np.maximum(distances, exact) / exact) / np.log(max_distance / exact)
    # 1e-9: where the product is a whole number, rounding must not make it less
    shared = exact + np.floor((one_way - exact) * share + 1e-9).astype(np.int64)
    return first + np.where(distances < exact, distances, np.minimum(shared, one_way - 1))


def t5_bias(seq_len, table, *, max_distance=128, bidirectional=True):
    r"""What T5 adds to the scores: a learned number for each bucket of distances and each head.

    .. math:: bias_{h, m, n} = table[bucket(n - m), h]

    Parameters
    ----------
    seq_len : int
        At least 1.
    table : array of real numbers, shape (num_buckets, num_heads)
        Learned.
    max_distance, bidirectional
        As for `t5_buckets`.

    Returns
    -------
    ndarray of float64, shape (num_heads, seq_len, seq_len)
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
    >>> t5_bias(3, [[0.0], [0.1], [0.2], [0.3]], max_distance=4, bidirectional=False)[0]
    array([[0. , 0. , 0. ],
           [0.1, 0. , 0. ],
           [0.2, 0.1, 0. ]])
    """
    seq_len, table = _checks.whole_number("seq_len", seq_len, minimum=1), _real_array("table", table)
    num_buckets, _ = _checks.bucket_table(table, max_distance, bidirectional)
    positions = np.arange(seq_len)
    buckets = t5_buckets(
        positions - positions[:, None],  # key minus query
        num_buckets=num_buckets,
        max_distance=max_distance,
        bidirectional=bidirectional,
    )  # (n_q, n_k)
    return np.moveaxis(table[buckets], -1, 0)  # (num_heads, n_q, n_k)


def attention_with_bias(q, k, v, bias_of_offsets, *, causal=False):
    r"""Attention with a bias that depends on the offset between key and query only.

    .. math::
        out = \mathrm{softmax}\!\left(\frac{Q K^T}{\sqrt{head\_dim}} + B\right) V, \qquad
        B_{m, j} = bias_{j - m}

    ALiBi and T5 are of this kind. B is a Toeplitz matrix: one number for each diagonal, 2 n - 1 of
    them, and it is never built. A view of the numbers, each row one further on than the row before,
    stands for it; the scores are made as in `attention`.

    Parameters
    ----------
    q, k : array, shape (..., n, head_dim)
    v : array, shape (..., n, v_dim)
    bias_of_offsets : array, shape (..., 2 n - 1)
        What is added to the scaled scores for the offsets 1 - n to n - 1, in tokens, position of the
        key minus position of the query; the leading axes fit those of q, (num_heads, 2 n - 1) for
        instance.
    causal : bool
        True lets every query look at itself and back only.

    Returns
    -------
    ndarray of float64, shape (..., n, v_dim)

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
    >>> offsets = np.arange(-2, 3)  # three tokens
    >>> bias = -alibi_slopes(8)[:, None] * np.abs(offsets)  # (num_heads, 2 n - 1)
    >>> q = k = np.zeros((8, 3, 4))
    >>> attention_with_bias(q, k, v=np.tile(np.eye(3), (8, 1, 1)), bias_of_offsets=bias)[0].round(2)
    array([[0.51, 0.31, 0.19],
           [0.27, 0.45, 0.27],
           [0.19, 0.31, 0.51]])
    """
    q, k, v = _real_array("q", q), _real_array("k", k), _real_array("v", v)
    bias_of_offsets = _real_array("bias_of_offsets", bias_of_offsets)
    n, *_ = _checks.attention_shapes(q, k, v)
    bias_of_offsets = _checks.bias_of_offsets(q, k, bias_of_offsets)
    if _checks.true_or_false("causal", causal):
        bias_of_offsets = np.where(np.arange(1 - n, n) > 0, -np.inf, bias_of_offsets)  # (..., 2 n - 1)
    # Row r of the view holds the offsets r + 1 - n to r, those of query n - 1 - r: so upside down.
    bias = sliding_window_view(bias_of_offsets, n, axis=-1)[..., ::-1, :]  # (..., n, n), a view
    for blind in np.argwhere(np.isneginf(bias).all(axis=-1)):
        _checks.row_of_biases(blind[-1], bias[tuple(blind)])
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])  # (..., n, n)
    return softmax(scores + bias) @ v


def _table_dtype(dtype):
    try:
        is_floating = np.issubdtype(np.dtype(dtype), np.floating)
    except TypeError:  # not the name of a dtype at all
        is_floating = False
    return np.dtype(_checks.floating_dtype(dtype, is_floating))


def _hands(position, angles):
    """Row `position` of the table with each sine and cosine as one number: sine + i cosine."""
    return 1j * np.exp(-1j * position * angles)  # (n_pairs,)


def _turned(first_row, angles, n_rows):
    """The rows first_row exp(-i q angles) for q = 0, 1, ...; the turned rows double until all are there."""
    rows = np.empty((n_rows, len(angles)), complex)
    rows[0] = first_row
    done = 1
    while done < n_rows:
        more = rows[done : 2 * done]  # (done, n_pairs), or what is left
        np.multiply(rows[: len(more)], np.exp(-1j * done * angles), out=more)
        done *= 2
    return rows


def _array(name, value, kinds, dtype, check):
    """`value` as an array of these kinds of numbers; `check` goes through all else, as on the first rung."""
    if not (isinstance(value, np.ndarray) and value.dtype.kind in kinds):
        value = check(name, value)
    return np.asarray(value, dtype)


def _real_array(name, value):
    return _array(name, value, "iuf", np.float64, _checks.real_numbers)


def _whole_array(name, value):
    return _array(name, value, "i", np.int64, _checks.whole_numbers)


def _finite_array(name, value):
    array = _real_array(name, value)
    for number in array[~np.isfinite(array)]:
        _checks.finite_numbers(name, number)
    return array
