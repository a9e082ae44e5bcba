"""The loops: one number at a time, as the formula reads. Plain Python lists and floats.

What a function is stands here, in full, for all three versions. Where an argument is not what is said of it,
every function raises a TypeError or a ValueError that names the argument, the value and what would do. A
`base` is above 1, and 10 000, the paper's, unless given; positions and offsets are counted in tokens.
"""

import math

from pe_lessons import _arguments as arguments


def frequencies(d_model, *, base=10_000.0):
    r"""Frequency of every sine-cosine pair, in radians per token.

    .. math:: \omega_k = base^{-2k / d_{model}}, \qquad k = 0, 1, \dots

    Parameters
    ----------
    d_model : int
        Width of the table, at least 1. An odd width ends with a sine that has no cosine.

    Returns
    -------
    list of float
        ``(d_model + 1) // 2`` frequencies, falling from 1.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Examples
    --------
    >>> [round(frequency, 6) for frequency in frequencies(4)]
    [1.0, 0.01]
    """
    d_model = arguments.whole_number("d_model", d_model, minimum=1)
    base = arguments.base_of_angles(base)
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
    start : int
        Position of the first row; may be negative.

    Returns
    -------
    list of list of float
        ``seq_len`` rows of ``d_model`` numbers between -1 and 1.

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
    seq_len, d_model, base, start = arguments.table_arguments(seq_len, d_model, base, start)
    table = []
    for position in range(start, start + seq_len):
        row = []
        for column in range(d_model):
            pair = column // 2
            angle = position / base ** (2 * pair / d_model)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        table.append(row)
    return table


def sinusoidal_2d(height, width, d_model, *, base=10_000.0):
    r"""Sinusoidal encoding of a grid, such as the patches of an image.

    .. math:: PE(row, column) = [\, PE_{d/2}(row) \;|\; PE_{d/2}(column) \,]

    The first half of the numbers is the table of `sinusoidal` for the row, the second half that for
    the column.

    Parameters
    ----------
    height, width : int
        Of the grid, in rows and columns of patches; at least 1.
    d_model : int
        A multiple of 4.

    Returns
    -------
    list of height lists of width rows of d_model floats

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5, for each axis; He et al., "Masked
    Autoencoders Are Scalable Vision Learners", 2021, appendix A.1 uses it for patches.

    Examples
    --------
    >>> [[[round(number, 4) for number in patch] for patch in row] for row in sinusoidal_2d(1, 2, 4)]
    [[[0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.8415, 0.5403]]]
    """
    height, width, half = arguments.grid_arguments(height, width, d_model)
    of_row, of_column = sinusoidal(height, half, base=base), sinusoidal(width, half, base=base)
    return [[of_row[row] + of_column[column] for column in range(width)] for row in range(height)]


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
        Negative moves back.
    d_model : int
        Width of the table, even, because a sine without its cosine cannot be rotated.

    Returns
    -------
    list of list of float, shape (d_model, d_model)

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.5: "for any fixed offset k,
    PE_{pos+k} can be represented as a linear function of PE_{pos}".

    Examples
    --------
    >>> for row in shift_matrix(3, 4):
    ...     print([round(number, 4) + 0.0 for number in row])
    [-0.99, 0.1411, 0.0, 0.0]
    [-0.1411, -0.99, 0.0, 0.0]
    [0.0, 0.0, 0.9996, 0.03]
    [0.0, 0.0, -0.03, 0.9996]
    """
    offset, d_model = arguments.whole_number("offset", offset), arguments.even_width(d_model)
    matrix = [[0.0] * d_model for _ in range(d_model)]
    for pair, frequency in enumerate(frequencies(d_model, base=base)):
        sine, cosine = math.sin(offset * frequency), math.cos(offset * frequency)
        first, second = 2 * pair, 2 * pair + 1  # the columns of the pair
        matrix[first][first], matrix[first][second] = cosine, sine
        matrix[second][first], matrix[second][second] = -sine, cosine
    return matrix


def kernel(offsets, d_model, *, base=10_000.0):
    r"""Similarity of two rows of the sinusoidal table that are `offsets` tokens apart.

    .. math:: PE(p) \cdot PE(p + offset) = \sum_k \cos(offset \, \omega_k)

    The same for every position p, for an offset and its negative, and largest, d_model / 2, at 0.

    Parameters
    ----------
    offsets : number, or (nested) list of numbers
    d_model : int
        Width of the table, even; else the similarity would depend on the position.

    Returns
    -------
    float, or (nested) list of float in the shape of `offsets`

    References
    ----------
    Follows from Vaswani et al., "Attention Is All You Need", 2017, section 3.5, by
    ``cos a cos b + sin a sin b = cos(a - b)``.

    Examples
    --------
    >>> [round(similarity, 4) for similarity in kernel([0, 1, -1, 6], 4)]
    [2.0, 1.5403, 1.5403, 1.9584]
    """
    offset, d_model = _finite("offsets", offsets), arguments.even_width(d_model)
    base = arguments.base_of_angles(base)
    if isinstance(offset, list):
        return [kernel(one, d_model, base=base) for one in offset]
    return sum(math.cos(offset * frequency) for frequency in frequencies(d_model, base=base))


def softmax(scores):
    r"""Turn scores into weights from 0 to 1 that sum to 1.

    .. math:: w_j = e^{s_j - \max s} / \sum_m e^{s_m - \max s}

    Subtracting the largest score changes nothing but keeps ``exp`` from overflowing.

    Parameters
    ----------
    scores : list of float, or list of such rows
        At least one score per row above ``-inf``, which gets weight 0.

    Returns
    -------
    The weights, in the shape of `scores`.

    Examples
    --------
    >>> softmax([0.0, 0.0, float("-inf")])
    [0.5, 0.5, 0.0]
    """
    scores = arguments.numbers("scores", scores)
    if isinstance(scores[0], list):
        return [softmax(row) for row in scores]
    largest = max(arguments.sees_a_key("scores", scores))
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

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, equation 1.

    Examples
    --------
    >>> attention(q=[[0.0, 0.0]], k=[[1.0, 2.0], [3.0, 4.0]], v=[[10.0], [20.0]])
    [[15.0]]
    """
    q, k, v = arguments.matrix("q", q), arguments.matrix("k", k), arguments.matrix("v", v)
    mask = [[True] * len(k)] * len(q) if mask is None else arguments.numbers("mask", mask, arguments.BOOLEAN)
    arguments.attention_sizes(q, k, v, mask)
    n_q, n_k, head_dim, v_dim = len(q), len(k), len(q[0]), len(v[0])
    output = []
    for m in range(n_q):
        may_look = arguments.sees_a_key("mask", mask[m], query=m)
        scores = []
        for n in range(n_k):
            score = sum(q[m][column] * k[n][column] for column in range(head_dim)) / math.sqrt(head_dim)
            scores.append(score if may_look[n] else -math.inf)
        weights = softmax(scores)
        output.append([sum(weights[n] * v[n][column] for n in range(n_k)) for column in range(v_dim)])
    return output


def rotary_frequencies(head_dim, *, base=10_000.0, scaling=None, text_len=None):
    r"""Frequency of every pair that `rotary` rotates, in radians per token, for a longer context if asked.

    With s the factor, L the trained length, and the turns :math:`r_k = L \omega_k / 2 \pi` of pair k
    within it, a share :math:`\gamma_k` of each frequency is kept and the rest divided by s:

    .. math:: \omega'_k = \gamma_k \, \omega_k + (1 - \gamma_k) \, \omega_k / s

    ================  =======================================================================
    ``linear``        position interpolation: all :math:`\gamma_k = 0`
    ``ntk``           NTK-aware: all are kept, of :math:`base \cdot s^{head\_dim / (head\_dim - 2)}`
    ``ntk_by_parts``  :math:`\gamma_k = (r_k - alpha) / (beta - alpha)`, cut at 0 and 1
    ``llama3``        the same, with alpha = ``low_freq_factor`` and beta = ``high_freq_factor``
    ``yarn``          from 1 down to 0 in a straight line over the pair index, between the pairs that
                      turn ``beta_fast`` and ``beta_slow`` times; its ``attention_factor`` is
                      :math:`0.1 \ln s + 1` by default, and with both ``mscale`` m and
                      ``mscale_all_dim`` a it is :math:`(0.1 m \ln s + 1) / (0.1 a \ln s + 1)`
    ``dynamic``       ``ntk`` with the factor :math:`s n / L - (s - 1)` for a text of n > L tokens
    ``longrope``      :math:`\omega_k / d_k` with d the list ``long_factor`` for a text of more than L
                      tokens, ``short_factor`` else; ``attention_factor`` is
                      :math:`\sqrt{1 + \ln s / \ln L}` by default
    ``proportional``  for no longer context: the first pairs, a share ``partial_rotary_factor`` of them
                      rounded down, keep :math:`\omega_k / s`, with s = 1 by default; the others get 0
    ================  =======================================================================

    Parameters
    ----------
    head_dim : int
        Even; at least 4 for ``ntk`` and ``dynamic``.
    scaling : dict, optional
        ``rope_type``, ``factor`` and the rule's own keys, named as in the configuration files of the
        library transformers: ``original_max_position_embeddings`` is L, ``truncate`` (by default
        True) rounds yarn's pairs outwards. The names ``ntk`` and ``ntk_by_parts`` those files do not know.
    text_len : int, optional
        Tokens in the whole text so far, those in a cache too. Only ``dynamic`` and ``longrope`` look at
        it, and must have it.

    Returns
    -------
    frequencies : list of head_dim / 2 floats
    attention_factor : float
        What `rotary` multiplies queries and keys by: 1 unless the rule is ``yarn`` or ``longrope``.

    References
    ----------
    Chen et al., "Extending Context Window of Large Language Models via Positional Interpolation",
    2023, section 2.3. Peng et al., "YaRN: Efficient Context Window Extension of Large Language
    Models", 2023, section 3; ``yarn`` is as in the code published with it, whose ramp is not the
    paper's. ``llama3``: the code published with Llama 3.1. ``proportional``:
    as for Gemma 4 in the library transformers 5.23, after the p-RoPE of Barbero et al., "Round and
    Round We Go! What Makes Rotary Positional Encodings Useful?", 2024. ``dynamic``, and
    what is left out of ``longrope`` (Ding et al., "LongRoPE: Extending LLM Context Window Beyond 2
    Million Tokens", 2024): as in the library transformers 5.23.

    Examples
    --------
    >>> linear, attention_factor = rotary_frequencies(4, scaling={"rope_type": "linear", "factor": 4.0})
    >>> [round(frequency, 6) for frequency in linear], attention_factor
    ([0.25, 0.0025], 1.0)
    >>> ntk, _ = rotary_frequencies(4, scaling={"rope_type": "ntk", "factor": 4.0})
    >>> [round(frequency, 6) for frequency in ntk]  # the base became 160 000
    [1.0, 0.0025]
    """
    head_dim, base = arguments.even_width(head_dim, "head_dim"), arguments.base_of_angles(base)
    rule = arguments.scaling_rule(scaling, head_dim, text_len)
    if rule["rope_type"] == "ntk":
        base *= rule["factor"] ** (head_dim / (head_dim - 2))
    if rule["rope_type"] == "longrope":
        divided = zip(frequencies(head_dim, base=base), rule["divisors"])
        return [frequency / divisor for frequency, divisor in divided], rule["attention_factor"]
    turning = rule["turning_pairs"]
    original = frequencies(head_dim, base=base)[:turning] + [0.0] * (head_dim // 2 - turning)
    scaled = []
    for ramp, frequency in zip(_ramps(head_dim, base, rule), original):
        scaled.append(ramp * frequency + (1 - ramp) * frequency / rule["factor"])
    return scaled, rule["attention_factor"]


def _ramps(head_dim, base, rule):
    """How much of its frequency each pair keeps under a scaling rule: 1 all, 0 none. For all versions."""
    pairs = range(head_dim // 2)
    if rule["rope_type"] in ("linear", "proportional"):
        return [0.0 for _ in pairs]
    if rule["rope_type"] in ("default", "ntk"):
        return [1.0 for _ in pairs]
    trained_len = rule["original_max_position_embeddings"]
    if rule["rope_type"] == "ntk_by_parts":
        turns = [trained_len * frequency / (2 * math.pi) for frequency in frequencies(head_dim, base=base)]
        few, many = rule["alpha"], rule["beta"]
        return [min(1.0, max(0.0, (times - few) / (many - few))) for times in turns]

    def pair_that_turns(times):
        return head_dim * math.log(trained_len / (2 * math.pi * times)) / (2 * math.log(base))

    first, last = pair_that_turns(rule["beta_fast"]), pair_that_turns(rule["beta_slow"])
    if rule["truncate"]:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, head_dim - 1)
    # 0.001: where first and last are one pair, the line would be a step at it
    width = last - first if last != first else 0.001
    return [1.0 - min(1.0, max(0.0, (pair - first) / width)) for pair in pairs]


def rotary(
    x, positions, *, base=10_000.0, layout="interleaved", scaling=None, rotary_dim=None, text_len=None
):
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
    x : list of rows, shape (seq_len, head_dim)
        Queries or keys of one head in a row; head_dim even. At least one row: an empty list has no head_dim.
    positions : list of seq_len numbers
        In tokens, one for each row of `x`; need not be whole, nor begin at 0.
    layout : "interleaved" or "half"
        Which columns make a pair: GPT-J style, as in the paper and Meta's Llama, or GPT-NeoX style,
        as in the Llama of the library transformers. A model trained with one can use the other only
        after the outputs of its W_Q and W_K are put in order.
    scaling, text_len : optional
        A rule for contexts longer than trained, as for `rotary_frequencies`.
    rotary_dim : int, optional
        Even. Only so many columns, the first ones, are rotated, as a row of that width would be: their
        frequencies and partners are those of a head of `rotary_dim` columns. The others stay.

    Returns
    -------
    list of list of float, shape (seq_len, head_dim)

    References
    ----------
    Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021, section 3.2.2,
    equations 14 and 15.

    Examples
    --------
    >>> rows = rotary([[1.0, 0.0, 1.0, 0.0]] * 2, positions=[0, 1])
    >>> [[round(number, 4) for number in row] for row in rows]
    [[1.0, 0.0, 1.0, 0.0], [0.5403, 0.8415, 1.0, 0.01]]
    """
    x, positions = arguments.matrix("x", x), _finite("positions", positions)
    rotary_dim = arguments.rotary_columns(x, positions, layout, rotary_dim)
    frequencies, attention_factor = rotary_frequencies(
        rotary_dim, base=base, scaling=scaling, text_len=text_len
    )
    rotated = []
    for row, position in zip(x, positions):
        new_row = list(row)
        for pair, frequency in enumerate(frequencies):
            a, b = (2 * pair, 2 * pair + 1) if layout == "interleaved" else (pair, pair + rotary_dim // 2)
            cosine = attention_factor * math.cos(position * frequency)
            sine = attention_factor * math.sin(position * frequency)
            new_row[a] = row[a] * cosine - row[b] * sine
            new_row[b] = row[a] * sine + row[b] * cosine
        rotated.append(new_row)
    return rotated


def query_scale(positions, *, length, strength=0.1):
    r"""What a query far into a text is multiplied by, so that its softmax stays sharp over many keys.

    .. math:: 1 + strength \cdot \ln(1 + \lfloor p / length \rfloor)

    A softmax over ten times the keys gives the right one less. Some models sharpen the scores of late
    queries against that, most of them in layers that look at the whole text.

    Parameters
    ----------
    positions : list of float, or list of such rows
        Of the queries, in tokens; at least 0. Llama 4 counts from 1 here: give it `positions` + 1.
    length : int
        How many tokens a step of the staircase takes: the first of them are left as they are.
    strength : float
        0 leaves all queries as they are.

    Returns
    -------
    The factors, in the shape of `positions`.

    References
    ----------
    Nakanishi, "Scalable-Softmax Is Superior for Attention", 2025. The formula: Llama 4 and Ministral 3
    in the library transformers 5.23.

    Examples
    --------
    >>> [round(factor, 4) for factor in query_scale([0, 8191, 8192, 1_000_000], length=8192)]
    [1.0, 1.0, 1.0693, 1.4812]
    """
    positions = _finite("positions", positions)
    length, strength = arguments.scale_arguments(positions, length, strength)
    if isinstance(positions, list):
        return [query_scale(one, length=length, strength=strength) for one in positions]
    return 1.0 + strength * math.log(1 + math.floor(positions / length))


def axial_rotary(x, rows, columns, *, base=10_000.0, layout="interleaved"):
    r"""Rotate half of every row by its place on one axis of a grid, the other half by that on the other.

    .. math:: y = [\, rotary(x_{1..d/2}, row) \;|\; rotary(x_{d/2+1..d}, column) \,]

    Positions then enter the score of a query and a key through the difference of their rows and that
    of their columns only.

    Parameters
    ----------
    x : list of rows, shape (n_patches, head_dim)
        Queries or keys, one for each patch; head_dim a multiple of 4.
    rows, columns : list of n_patches numbers, shape (n_patches,)
        Where each patch lies: on a grid, 0 to height - 1 and 0 to width - 1. Need not be whole.
    base, layout
        As for `rotary`; each half of head_dim is laid out for itself.

    Returns
    -------
    list of n_patches rows of head_dim floats

    References
    ----------
    Heo et al., "Rotary Position Embedding for Vision Transformer", 2024, section 3.2.

    Examples
    --------
    >>> turned = axial_rotary([[1.0, 0.0, 1.0, 0.0]] * 2, rows=[0, 0], columns=[0, 1])
    >>> [[round(number, 4) for number in row] for row in turned]
    [[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.5403, 0.8415]]
    """
    x, rows = arguments.matrix("x", x), _finite("rows", rows)
    columns = _finite("columns", columns)
    half = arguments.axial_columns(x, rows, columns, layout) // 2
    by_row = rotary([row[:half] for row in x], rows, base=base, layout=layout)
    by_column = rotary([row[half:] for row in x], columns, base=base, layout=layout)
    return [first + second for first, second in zip(by_row, by_column)]


def mrope_positions(parts):
    r"""Positions of a prompt of text, images and videos on three axes: time, height and width.

    A token of text counts on all three axes alike. An image or a video begins where the text before it
    has come to; from there its frames count on the first axis, its rows on the second, its columns on the
    third. What follows begins one after the largest number so far.

    Parameters
    ----------
    parts : sequence
        In order: n for n tokens of text, (frames, height, width) for an image (one frame) or a video,
        counted in the tokens that the language model sees, line by line and frame after frame.

    Returns
    -------
    list of three lists of seq_len ints
        With m the largest of them, the next token of text is at m + 1 on every axis, and m + 1 - seq_len
        is what code calls the rope delta.

    References
    ----------
    Wang et al., "Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any
    Resolution", 2024, section 2.1.

    Examples
    --------
    >>> for axis in mrope_positions((2, (1, 2, 3), 2)):
    ...     print(axis)
    [0, 1, 2, 2, 2, 2, 2, 2, 5, 6]
    [0, 1, 2, 2, 2, 3, 3, 3, 5, 6]
    [0, 1, 2, 3, 4, 2, 3, 4, 5, 6]
    """
    times, rows, columns, start = [], [], [], 0
    for part in arguments.prompt_parts(parts):
        if isinstance(part, int):
            for place in range(start, start + part):
                times.append(place)
                rows.append(place)
                columns.append(place)
            start += part
        else:
            frames, height, width = part
            for frame in range(frames):
                for row in range(height):
                    for column in range(width):
                        times.append(start + frame)
                        rows.append(start + row)
                        columns.append(start + column)
            start += max(part)
    return [times, rows, columns]


def mrope(x, positions, sections, *, base=10_000.0, layout="interleaved", order="blocks"):
    r"""Rotary positions on several axes: every pair is rotated by the position on one of them.

    .. math:: \text{angle of pair } k \;=\; p_{axis(k)} \, \omega_k

    ===============  =======================================================================
    ``blocks``       the first pairs read the first axis, and so on: Qwen2-VL's M-RoPE
    ``interleaved``  the axes take turns, until an axis has its pairs; the first axis reads the
                     rest: Qwen3-VL's
    ``axial``        as ``blocks``, but the frequencies begin again on every axis:
                     :math:`base^{-j/s}` for pair j of its s pairs, as in HunyuanVideo and Wan
    ===============  =======================================================================

    Where a token has one and the same position on all axes, the first two are `rotary`, bit for bit.

    Parameters
    ----------
    x : list of rows, shape (seq_len, head_dim)
        Queries or keys of one head; head_dim even.
    positions : list of rows of numbers, shape (n_axes, seq_len)
        Such as those of `mrope_positions`; need not be whole.
    sections : sequence of n_axes ints
        How many pairs each axis has, head_dim / 2 in all.
    base, layout
        As for `rotary`.
    order : "blocks", "interleaved" or "axial"

    Returns
    -------
    list of list of float, shape (seq_len, head_dim)

    References
    ----------
    As for `mrope_positions`. The other orders: the code published with the models.

    Examples
    --------
    >>> x = [[1.0, 0.0, 1.0, 0.0]]
    >>> [[round(number, 4) for number in row] for row in mrope(x, [[0], [1]], sections=(1, 1))]
    [[1.0, 0.0, 1.0, 0.01]]
    >>> [[round(number, 4) for number in row] for row in mrope(x, [[0], [1]], (1, 1), order="axial")]
    [[1.0, 0.0, 0.5403, 0.8415]]
    """
    x, positions = arguments.matrix("x", x), _finite("positions", positions)
    sections = arguments.mrope_sections(x, positions, sections, layout, order)
    head_dim = len(x[0])
    half, speeds = head_dim // 2, frequencies(head_dim, base=base)
    rotated = []
    for token, row in enumerate(x):
        new_row = [0.0] * head_dim
        for pair, frequency in enumerate(speeds):
            axis, place = _axis_and_place(pair, sections, order)
            if order == "axial":
                frequency = base ** (-place / sections[axis])
            angle = positions[axis][token] * frequency
            a, b = (2 * pair, 2 * pair + 1) if layout == "interleaved" else (pair, pair + half)
            new_row[a] = row[a] * math.cos(angle) - row[b] * math.sin(angle)
            new_row[b] = row[a] * math.sin(angle) + row[b] * math.cos(angle)
        rotated.append(new_row)
    return rotated


def _axis_and_place(pair, sections, order):
    """Which axis a pair reads, and its place among the pairs of its block, or of its round."""
    if order == "interleaved":
        round_, axis = divmod(pair, len(sections))
        return (axis if round_ < sections[axis] else 0), round_
    axis = 0
    while pair >= sections[axis]:
        pair -= sections[axis]
        axis += 1
    return axis, pair


def _axes_of_pairs(sections, order):
    """The number of the axis that each pair reads. For all versions."""
    return [_axis_and_place(pair, sections, order)[0] for pair in range(sum(sections))]


def shaw_bias(q, table, *, positions=None):
    r"""What Shaw's relative positions add to the scores: the query, asked about a distance.

    .. math::
        bias_{m, n} = \frac{q_m \cdot a_{c(p_n - p_m)}}{\sqrt{head\_dim}}, \qquad
        c(d) = \max(-K, \min(K, d))

    Row 0 of the table is for K tokens back and further, row K for the token itself, the last for K
    tokens ahead and further.

    Parameters
    ----------
    q : list of rows, shape (seq_len, head_dim)
    table : list of rows, shape (2 K + 1, head_dim)
        Learned; the K of the formula is its `max_distance`.
    positions : list of n_k int, optional
        Of the keys, p_n, in tokens; the last seq_len of them are those of the queries, so that one
        query can be asked about a cache of keys. If left out, 0 to seq_len - 1.

    Returns
    -------
    list of seq_len rows of n_k floats
        Entry (m, n) is for query m and key n. Add it to the scaled scores, before the softmax.

    References
    ----------
    Shaw et al., "Self-Attention with Relative Position Representations", 2018, section 3, equation 4
    (its term for the keys).

    Examples
    --------
    >>> shaw_bias([[1.0], [1.0], [2.0]], table=[[-1.0], [0.0], [3.0]])
    [[0.0, 3.0, 3.0], [-1.0, 0.0, 3.0], [-2.0, -2.0, 0.0]]
    """
    q, table = arguments.matrix("q", q), arguments.numbers("table", table)
    max_distance, head_dim = arguments.shaw_distance(q, table), len(q[0])
    bias = []
    for query, offsets in zip(q, _offsets(len(q), positions)):
        row = []
        for offset in offsets:
            distance = max(-max_distance, min(max_distance, offset))
            about = table[distance + max_distance]
            row.append(sum(query[column] * about[column] for column in range(head_dim)) / math.sqrt(head_dim))
        bias.append(row)
    return bias


def _offsets(seq_len, positions):
    """Position of the key minus position of the query, seq_len rows of n_k."""
    if positions is None:
        positions = list(range(seq_len))
    else:
        positions = arguments.key_positions(
            arguments.numbers("positions", positions, arguments.WHOLE), seq_len
        )
    return [[of_key - of_query for of_key in positions] for of_query in positions[-seq_len:]]


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
    list of num_heads floats
        Positive, at most 1. The order is that of the authors' code, not sorted.

    References
    ----------
    Press et al., "Train Short, Test Long: Attention with Linear Biases Enables Input Length
    Extrapolation", 2021, section 3; other numbers of heads: the code published with it.

    Examples
    --------
    >>> alibi_slopes(4)
    [0.25, 0.0625, 0.015625, 0.00390625]
    """
    num_heads = arguments.whole_number("num_heads", num_heads, minimum=1)
    power = 2 ** (num_heads.bit_length() - 1)  # the largest power of two that is not above num_heads
    slopes = [2 ** (-8 * (head + 1) / power) for head in range(power)]
    for head in range(num_heads - power):
        slopes.append(2 ** (-8 * (2 * head + 1) / (2 * power)))
    return slopes


def alibi(seq_len, num_heads, *, positions=None):
    r"""What ALiBi (see `alibi_slopes`) adds to the scores: a penalty in proportion to the distance.

    .. math:: bias_{h, m, n} = -slope_h \, |p_m - p_n|

    The paper's model is causal and needs n <= m only. Here the penalty is the same in both
    directions, so that it serves models without a mask too; under a causal mask what is left of it
    is the paper's. There one row for all queries is enough, the last one, since the softmax cancels what the
    rows differ by.

    Parameters
    ----------
    seq_len, num_heads : int
        At least 1.
    positions : list of n_k int, optional
        As for `shaw_bias`.

    Returns
    -------
    list of num_heads matrices, each seq_len rows of n_k floats
        Entry (h, m, n) is for query m and key n; 0 where a token meets itself. Add it to the
        scores, before the softmax.

    Examples
    --------
    >>> alibi(3, num_heads=8)[0]
    [[0.0, -0.5, -1.0], [-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]]
    """
    seq_len = arguments.whole_number("seq_len", seq_len, minimum=1)
    offsets, slopes = _offsets(seq_len, positions), alibi_slopes(num_heads)
    return [[[0.0 - slope * abs(offset) for offset in row] for row in offsets] for slope in slopes]


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
    relative_positions : int, or (nested) list of int
        Position of the key minus position of the query: negative looks back.
    num_buckets : int
        At least 2; at least 4 and even if bidirectional.
    max_distance : int
    bidirectional : bool
        True gives the keys that come after the query the upper half of the buckets. False is for
        causal models: there such keys cannot be seen, and land in bucket 0.

    Returns
    -------
    int, or (nested) list of int
        Between 0 and num_buckets - 1, in the shape of `relative_positions`.

    References
    ----------
    Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
    Transformer", 2019, section 2.1; the formula is that of the code published with it.

    Examples
    --------
    >>> t5_buckets([-200, -9, -1, 0, 1, 9, 200])
    [15, 8, 1, 0, 17, 24, 31]
    >>> t5_buckets([-200, -9, -1, 0, 1], bidirectional=False)
    [31, 9, 1, 0, 0]
    """
    one_way, exact, max_distance = arguments.bucket_arguments(num_buckets, max_distance, bidirectional)
    offset = arguments.numbers("relative_positions", relative_positions, arguments.WHOLE)
    if isinstance(offset, list):
        options = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
        return [t5_buckets(one, **options) for one in offset]
    first = one_way if bidirectional and offset > 0 else 0
    distance = abs(offset) if bidirectional else max(-offset, 0)
    if distance < exact:
        return first + distance
    share = math.log(distance / exact) / math.log(max_distance / exact)
    # 1e-9: where the product is a whole number, rounding must not make it less
    shared = exact + math.floor((one_way - exact) * share + 1e-9)
    return first + min(shared, one_way - 1)


def t5_bias(seq_len, table, *, max_distance=128, bidirectional=True, positions=None):
    r"""What T5 adds to scores (see `t5_buckets`): a learned number for each bucket of distances and head.

    .. math:: bias_{h, m, n} = table[bucket(p_n - p_m), h]

    Parameters
    ----------
    seq_len : int
        At least 1.
    table : list of rows, shape (num_buckets, num_heads)
        Learned.
    max_distance, bidirectional
        As for `t5_buckets`.
    positions : list of n_k int, optional
        As for `shaw_bias`.

    Returns
    -------
    list of num_heads matrices, each seq_len rows of n_k floats
        Entry (h, m, n) is for query m and key n. Add it to the scores, before the softmax. (T5 itself
        does not scale its scores by the root of head_dim.)

    Examples
    --------
    >>> t5_bias(3, [[0.0], [0.1], [0.2], [0.3]], max_distance=4, bidirectional=False)
    [[[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.1, 0.0]]]
    """
    seq_len = arguments.whole_number("seq_len", seq_len, minimum=1)
    table = arguments.numbers("table", table)
    num_buckets, num_heads = arguments.bucket_table(table, max_distance, bidirectional)
    options = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    buckets = t5_buckets(_offsets(seq_len, positions), **options)
    return [[[table[bucket][head] for bucket in row] for row in buckets] for head in range(num_heads)]


def forget_bias(gates):
    r"""Biases of a head that forgets as fast as its words say: ALiBi whose slope is chosen token by token.

    .. math:: bias_{mn} = \sum_{t=n+1}^{m} \ln g_t \quad (n \le m), \qquad -\infty \quad (n > m)

    With one gate g for all tokens it is ALiBi with the slope :math:`-\ln g`.

    Parameters
    ----------
    gates : list of float, length seq_len
        What a token leaves of all that came before it: above 0 and at most 1.

    Returns
    -------
    list of list of float, shape (seq_len, seq_len)
        Row m is added to the scores of query m.

    References
    ----------
    Lin et al., "Forgetting Transformer: Softmax Attention with a Forget Gate", 2025.

    Examples
    --------
    >>> forget_bias([1.0, 1.0, 0.5])[2]
    [-0.6931471805599453, -0.6931471805599453, 0.0]
    """
    gates = arguments.rate_of_each_token("gates", arguments.numbers("gates", gates))
    rows = []
    for m in range(len(gates)):
        row = [-math.inf] * len(gates)
        row[m] = 0.0
        for n in range(m - 1, -1, -1):
            row[n] = row[n + 1] + math.log(gates[n + 1])
        rows.append(row)
    return rows


def linear_attention(q, k, v, *, gates=None, state=None):
    r"""Causal attention without a softmax, computed by a state of fixed size that every token updates.

    .. math:: S_t = g_t \, S_{t-1} + k_t v_t^\top, \qquad out_t = S_t^\top q_t

    Written out, :math:`out_m = \sum_{n \le m} (\prod_{t=n+1}^{m} g_t) \, (q_m \cdot k_n) \, v_n`. The scores
    are not divided by anything.

    Parameters
    ----------
    q, k : list of rows, shape (seq_len, head_dim)
    v : list of rows, shape (seq_len, v_dim)
    gates : list of float, length seq_len, optional
        What a token leaves of the state before it: above 0 and at most 1. None forgets nothing.
    state : list of rows, shape (head_dim, v_dim), optional
        What earlier tokens left; None is zeros.

    Returns
    -------
    (list of rows, shape (seq_len, v_dim); list of rows, shape (head_dim, v_dim))
        The outputs, and the state after the last token.

    References
    ----------
    Katharopoulos et al., "Transformers are RNNs: Fast Autoregressive Transformers with Linear Attention",
    2020.

    Examples
    --------
    >>> linear_attention(q=[[1.0]] * 3, k=[[1.0]] * 3, v=[[8.0], [0.0], [0.0]], gates=[0.5] * 3)
    ([[8.0], [4.0], [2.0]], [[2.0]])
    """
    q, k, v, gates, _, state = _of_state(q, k, v, state, gates=gates)
    outputs = []
    for q_t, k_t, v_t, gate in zip(q, k, v, gates):
        state = [[gate * old + key * value for old, value in zip(row, v_t)] for key, row in zip(k_t, state)]
        outputs.append(_read(q_t, state))
    return outputs, state


def delta_rule(q, k, v, beta, *, gates=None, state=None):
    r"""Linear attention that overwrites: what the state had under a key gives way to the new value.

    .. math:: \bar S_t = g_t S_{t-1}, \quad S_t = \bar S_t + \beta_t \, k_t (v_t - \bar S_t^\top k_t)^\top,
        \quad out_t = S_t^\top q_t

    Reading with a key of length 1 right after it was written at :math:`\beta = 1` gives back the value.

    Parameters
    ----------
    q, k, v, gates, state :
        As for `linear_attention`. Models take keys of length 1.
    beta : list of float, length seq_len
        How much of the old value gives way, 0 (nothing is written) to 1 (all); some models go up to 2.

    Returns
    -------
    As for `linear_attention`.

    References
    ----------
    Yang et al., "Gated Delta Networks: Improving Mamba2 with Delta Rule", 2024.

    Examples
    --------
    >>> delta_rule(q=[[1.0]] * 2, k=[[1.0]] * 2, v=[[5.0], [7.0]], beta=[1.0, 1.0])
    ([[5.0], [7.0]], [[7.0]])
    """
    q, k, v, gates, beta, state = _of_state(q, k, v, state, gates=gates, beta=beta)
    outputs = []
    for q_t, k_t, v_t, gate, strength in zip(q, k, v, gates, beta):
        state = [[gate * old for old in row] for row in state]
        news = [value - known for value, known in zip(v_t, _read(k_t, state))]
        state = [[old + strength * key * new for old, new in zip(row, news)] for key, row in zip(k_t, state)]
        outputs.append(_read(q_t, state))
    return outputs, state


def _of_state(q, k, v, state, *, gates, beta=()):
    """The arguments of a layer with a state; gates of 1 and a state of zeros where there is none."""
    q, k, v = arguments.matrix("q", q), arguments.matrix("k", k), arguments.matrix("v", v)
    gates = [1.0] * len(k) if gates is None else arguments.numbers("gates", gates)
    rates = {"gates": gates}
    if beta != ():
        rates["beta"] = beta = arguments.numbers("beta", beta)
    state = state if state is None else arguments.matrix("state", state)
    sizes = arguments.state_sizes(q, k, v, state, **rates)
    return q, k, v, gates, beta, [[0.0] * sizes["v_dim"]] * sizes["head_dim"] if state is None else state


def _read(row, state):
    """The product of a row (head_dim) and a state (head_dim, v_dim)."""
    return [sum(number * entry for number, entry in zip(row, column)) for column in zip(*state)]


def short_convolution(x, weights, *, before=None):
    r"""Mix every token with the few before it, column by column: a causal, depthwise convolution.

    .. math:: out_{t, c} = \sum_{j=0}^{width - 1} weights_{c, j} \; x_{t - width + 1 + j, \, c}

    Parameters
    ----------
    x : list of rows, shape (seq_len, d_model)
    weights : list of rows, shape (d_model, width)
        The last weight of a row is that of the token itself.
    before : list of rows, shape (width - 1, d_model), optional
        The rows before x; None is zeros.

    Returns
    -------
    (list of rows, shape (seq_len, d_model); list of rows, shape (width - 1, d_model))
        The outputs, and the last rows of x, which a continued text needs as `before`.

    References
    ----------
    Qwen3-Next in the library transformers 5.23, `causal_conv1d_fn`.

    Examples
    --------
    >>> short_convolution([[1.0], [2.0], [3.0]], weights=[[10.0, 1.0]])
    ([[1.0], [12.0], [23.0]], [[3.0]])
    """
    x, weights = arguments.matrix("x", x), arguments.matrix("weights", weights)
    before = before if before is None else arguments.matrix("before", before)
    _, d_model, width = arguments.convolution_sizes(x, weights, before)
    rows = ([[0.0] * d_model] * (width - 1) if before is None else before) + x
    outputs = []
    for end in range(width, len(rows) + 1):
        window = rows[end - width : end]
        outputs.append([sum(w * row[c] for w, row in zip(weights[c], window)) for c in range(d_model)])
    return outputs, rows[len(rows) - width + 1 :]


def _finite(name, value):
    return arguments.finite(name, arguments.numbers(name, value))
