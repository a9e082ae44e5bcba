"""NumPy, whole arrays at a time. Shapes stand as trailing comments; all in float64.

`loops` says what each function is; here its lists are arrays, or what NumPy makes an array of.
"""

import numpy as np

from pe_lessons import _arguments as arguments
from pe_lessons import loops


def frequencies(d_model, *, base=10_000.0):
    """`loops.frequencies` as an array ((d_model + 1) // 2,) of float64."""
    d_model = arguments.whole_number("d_model", d_model, minimum=1)
    base = arguments.base_of_angles(base)
    return base ** (-np.arange(0, d_model, 2) / d_model)  # (n_pairs,)


def sinusoidal(seq_len, d_model, *, base=10_000.0, start=0):
    """`loops.sinusoidal` as an array (seq_len, d_model) of float64."""
    seq_len, d_model, base, start = arguments.table_arguments(seq_len, d_model, base, start)
    positions = np.arange(start, start + seq_len)[:, None]  # (seq_len, 1)
    angles = positions * frequencies(d_model, base=base)  # (seq_len, n_pairs)
    table = np.empty((seq_len, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : d_model // 2])  # an odd width has one cosine less
    return table


def sinusoidal_2d(height, width, d_model, *, base=10_000.0):
    """`loops.sinusoidal_2d` as an array (height, width, d_model) of float64."""
    height, width, half = arguments.grid_arguments(height, width, d_model)
    table = np.empty((height, width, 2 * half))
    table[..., :half] = sinusoidal(height, half, base=base)[:, None]  # the same along a row of the grid
    table[..., half:] = sinusoidal(width, half, base=base)  # the same along a column
    return table


def shift_matrix(offset, d_model, *, base=10_000.0):
    """`loops.shift_matrix` as an array (d_model, d_model) of float64."""
    offset, d_model = arguments.whole_number("offset", offset), arguments.even_width(d_model)
    angles = offset * frequencies(d_model, base=base)  # (n_pairs,)
    first = np.arange(0, d_model, 2)  # (n_pairs,) the sine columns; the cosines are one further on
    matrix = np.zeros((d_model, d_model))
    matrix[first, first] = matrix[first + 1, first + 1] = np.cos(angles)
    matrix[first, first + 1] = np.sin(angles)
    matrix[first + 1, first] = -np.sin(angles)
    return matrix


def kernel(offsets, d_model, *, base=10_000.0):
    """`loops.kernel` as an array of float64 in the shape of `offsets`."""
    offsets, d_model = _finite_array("offsets", offsets), arguments.even_width(d_model)
    angles = offsets[..., None] * frequencies(d_model, base=base)  # (..., n_pairs)
    return np.cos(angles).sum(axis=-1)  # (...)


def softmax(scores):
    """`loops.softmax` along the last axis of an array (..., n), as one of float64."""
    scores = _array("scores", scores)
    largest = scores.max(axis=-1, keepdims=True)  # (..., 1)
    for row in scores[np.isneginf(largest[..., 0])]:
        arguments.sees_a_key("scores", row)
    powers = np.exp(scores - largest)  # (..., n)
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(q, k, v, mask=None):
    """`loops.attention` of q (..., n_q, head_dim), k and v, as an array (..., n_q, v_dim) of float64.

    The mask may be one for all, (n_q, n_k), or have the leading axes too.
    """
    q, k, v = _array("q", q), _array("k", k), _array("v", v)
    mask = None if mask is None else _array("mask", mask, "b", bool, arguments.BOOLEAN)
    arguments.attention_sizes(q, k, v, mask)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        for blind in np.argwhere(~mask.any(axis=-1)):
            arguments.sees_a_key("mask", mask[tuple(blind)], query=blind[-1])
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ v  # (..., n_q, v_dim)


def rotary_frequencies(head_dim, *, base=10_000.0, scaling=None, text_len=None):
    """`loops.rotary_frequencies`, the frequencies as an array (head_dim / 2,) of float64."""
    head_dim, base = arguments.even_width(head_dim, "head_dim"), arguments.base_of_angles(base)
    rule = arguments.scaling_rule(scaling, head_dim, text_len)
    if rule["rope_type"] == "ntk":
        base *= rule["factor"] ** (head_dim / (head_dim - 2))
    original = frequencies(head_dim, base=base)  # (n_pairs,)
    original[rule["turning_pairs"] :] = 0.0
    if rule["rope_type"] == "longrope":
        return original / np.array(rule["divisors"]), rule["attention_factor"]
    ramp = np.array(loops._ramps(head_dim, base, rule))  # (n_pairs,)
    return ramp * original + (1 - ramp) * original / rule["factor"], rule["attention_factor"]


def rotary(
    x, positions, *, base=10_000.0, layout="interleaved", scaling=None, rotary_dim=None, text_len=None
):
    """`loops.rotary` of an array (..., seq_len, head_dim), as one of float64; seq_len may be 0."""
    x, positions = _array("x", x), _finite_array("positions", positions)
    rotary_dim = arguments.rotary_columns(x, positions, layout, rotary_dim)
    frequencies, attention_factor = rotary_frequencies(
        rotary_dim, base=base, scaling=scaling, text_len=text_len
    )
    angles = positions[:, None] * frequencies  # (seq_len, n_pairs)
    cosine, sine = attention_factor * np.cos(angles), attention_factor * np.sin(angles)
    rotated = _rotate_pairs(x[..., :rotary_dim], cosine, sine, layout)  # (..., seq_len, rotary_dim)
    return np.concatenate([rotated, x[..., rotary_dim:]], axis=-1) if rotary_dim < x.shape[-1] else rotated


def _rotate_pairs(x, cosine, sine, layout):
    """Rotate the pairs of x (..., seq_len, head_dim) by angles of such cosines, sines (seq_len, n_pairs)."""
    if layout == "interleaved":  # a pair lies in memory as a complex number does
        pairs = np.ascontiguousarray(x).view(np.complex128)  # (..., seq_len, n_pairs)
        return (pairs * (cosine + 1j * sine)).view(np.float64)
    half = x.shape[-1] // 2
    rotated = x * np.concatenate([cosine, cosine], axis=-1)
    rotated[..., :half] -= x[..., half:] * sine
    rotated[..., half:] += x[..., :half] * sine
    return rotated


def query_scale(positions, *, length, strength=0.1):
    """`loops.query_scale` of an array of any shape, as one of float64."""
    positions = _finite_array("positions", positions)
    length, strength = arguments.scale_arguments(positions, length, strength)
    return 1.0 + strength * np.log1p(np.floor(positions / length))


def axial_rotary(x, rows, columns, *, base=10_000.0, layout="interleaved"):
    """`loops.axial_rotary` of an array (..., n_patches, head_dim), as one of float64."""
    x, rows, columns = _array("x", x), _finite_array("rows", rows), _finite_array("columns", columns)
    arguments.axial_columns(x, rows, columns, layout)
    by_row, by_column = np.split(x, 2, axis=-1)  # (..., n_patches, head_dim / 2)
    by_row = rotary(by_row, rows, base=base, layout=layout)
    return np.concatenate([by_row, rotary(by_column, columns, base=base, layout=layout)], axis=-1)


def mrope_positions(parts):
    """`loops.mrope_positions` as an array (3, seq_len) of int64."""
    places, start = [], 0
    for part in arguments.prompt_parts(parts):
        if isinstance(part, int):
            places.append(np.tile(np.arange(start, start + part), (3, 1)))  # (3, part)
        else:
            places.append(start + np.indices(part).reshape(3, -1))  # (3, frames * height * width)
        start = places[-1].max() + 1
    return np.concatenate(places, axis=1).astype(np.int64)


def mrope(x, positions, sections, *, base=10_000.0, layout="interleaved", order="blocks"):
    """`loops.mrope` of an array (..., seq_len, head_dim), as one of float64."""
    x, positions = _array("x", x), _finite_array("positions", positions)
    sections = arguments.mrope_sections(x, positions, sections, layout, order)
    axes = loops._axes_of_pairs(sections, order)  # n_pairs of them
    if order == "axial":
        speeds = np.concatenate([frequencies(2 * section, base=base) for section in sections])
    else:
        speeds = frequencies(x.shape[-1], base=base)
    of_pairs = np.ascontiguousarray(positions[axes].T)  # (seq_len, n_pairs) the position that each reads
    angles = of_pairs * speeds
    return _rotate_pairs(x, np.cos(angles), np.sin(angles), layout)


def shaw_bias(q, table, *, positions=None):
    """`loops.shaw_bias` of q (..., seq_len, head_dim), as an array (..., seq_len, n_k) of float64."""
    q, table = _array("q", q), _array("table", table)
    max_distance = arguments.shaw_distance(q, table)
    distances = _offsets(q.shape[-2], positions).clip(-max_distance, max_distance)  # (n_q, n_k)
    about = table[distances + max_distance]  # (n_q, n_k, head_dim)
    return np.einsum("...md,mnd->...mn", q, about) / np.sqrt(q.shape[-1])  # (..., n_q, n_k)


def alibi_slopes(num_heads):
    """`loops.alibi_slopes` as an array (num_heads,) of float64."""
    num_heads = arguments.whole_number("num_heads", num_heads, minimum=1)
    power = 2 ** (num_heads.bit_length() - 1)  # the largest power of two that is not above num_heads
    slopes = 2 ** (-8 * np.arange(1, power + 1) / power)  # (power,)
    between = 2 ** (-8 * np.arange(1, 2 * power, 2) / (2 * power))  # (power,)
    return np.concatenate([slopes, between])[:num_heads]


def alibi(seq_len, num_heads, *, positions=None):
    """`loops.alibi` as an array (num_heads, seq_len, n_k) of float64."""
    seq_len = arguments.whole_number("seq_len", seq_len, minimum=1)
    distances = np.abs(_offsets(seq_len, positions))  # (n_q, n_k)
    return 0.0 - alibi_slopes(num_heads)[:, None, None] * distances  # (num_heads, n_q, n_k)


def t5_buckets(relative_positions, *, num_buckets=32, max_distance=128, bidirectional=True):
    """`loops.t5_buckets` as an array of int64 in the shape of `relative_positions`."""
    one_way, exact, max_distance = arguments.bucket_arguments(num_buckets, max_distance, bidirectional)
    offsets = _whole_array("relative_positions", relative_positions)
    first = one_way * (offsets > 0) if bidirectional else 0
    distances = np.abs(offsets) if bidirectional else np.maximum(-offsets, 0)
    share = np.log(np.maximum(distances, exact) / exact) / np.log(max_distance / exact)
    # 1e-9: where the product is a whole number, rounding must not make it less
    shared = exact + np.floor((one_way - exact) * share + 1e-9).astype(np.int64)
    return first + np.where(distances < exact, distances, np.minimum(shared, one_way - 1))


def t5_bias(seq_len, table, *, max_distance=128, bidirectional=True, positions=None):
    """`loops.t5_bias` as an array (num_heads, seq_len, n_k) of float64."""
    seq_len, table = arguments.whole_number("seq_len", seq_len, minimum=1), _array("table", table)
    num_buckets, _ = arguments.bucket_table(table, max_distance, bidirectional)
    options = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    buckets = t5_buckets(_offsets(seq_len, positions), **options)  # (n_q, n_k)
    return np.moveaxis(table[buckets], -1, 0)  # (num_heads, n_q, n_k)


def forget_bias(gates):
    """`loops.forget_bias` of gates (..., seq_len), as an array (..., seq_len, seq_len) of float64."""
    gates = arguments.rate_of_each_token("gates", _array("gates", gates))
    logs = np.cumsum(np.log(gates), axis=-1)  # (..., seq_len)
    ahead = np.triu(np.ones((logs.shape[-1],) * 2, bool), k=1)
    return np.where(ahead, -np.inf, logs[..., :, None] - logs[..., None, :])


def linear_attention(q, k, v, *, gates=None, state=None):
    """`loops.linear_attention` of arrays (..., seq_len, head_dim), without a loop: all weights at once."""
    q, k, v, gates, state = _of_state(q, k, v, gates, state)
    fading = np.exp(forget_bias(gates))  # (..., seq_len, seq_len)
    since_start = np.cumprod(gates, axis=-1)[..., None]  # (..., seq_len, 1)
    outputs = (q @ np.swapaxes(k, -1, -2) * fading) @ v + since_start * (q @ state)
    left = np.swapaxes(k * fading[..., -1, :, None], -1, -2) @ v  # (..., head_dim, v_dim)
    return outputs, left + since_start[..., -1:, :] * state


def delta_rule(q, k, v, beta, *, gates=None, state=None):
    """`loops.delta_rule` of q, k (..., seq_len, head_dim) and v: a loop over tokens, the rest at once."""
    beta = _array("beta", beta)
    q, k, v, gates, state = _of_state(q, k, v, gates, state, beta=beta)
    outputs = np.empty(v.shape)
    for t in range(v.shape[-2]):
        q_t, k_t = q[..., t, :, None], k[..., t, :, None]  # (..., head_dim, 1)
        state = gates[..., t, None, None] * state
        news = v[..., t, :] - (k_t * state).sum(axis=-2)  # (..., v_dim)
        state = state + beta[..., t, None, None] * k_t * news[..., None, :]
        outputs[..., t, :] = (q_t * state).sum(axis=-2)
    return outputs, state


def short_convolution(x, weights, *, before=None):
    """`loops.short_convolution` of x (..., seq_len, d_model)."""
    x, weights = _array("x", x), _array("weights", weights)
    before = before if before is None else _array("before", before)
    seq_len, d_model, width = arguments.convolution_sizes(x, weights, before)
    if before is None:
        before = np.zeros((*x.shape[:-2], width - 1, d_model))
    rows = np.concatenate([before, x], axis=-2)  # (..., width - 1 + seq_len, d_model)
    windows = np.lib.stride_tricks.sliding_window_view(rows, width, axis=-2)  # (..., seq_len, d_model, width)
    return (windows * weights).sum(axis=-1), rows[..., seq_len:, :]


def _of_state(q, k, v, gates, state, **rates):
    q, k, v = _array("q", q), _array("k", k), _array("v", v)
    gates = np.ones(k.shape[:-1]) if gates is None else _array("gates", gates)
    state = state if state is None else _array("state", state)
    arguments.state_sizes(q, k, v, state, gates=gates, **rates)
    zeros = np.zeros((*k.shape[:-2], k.shape[-1], v.shape[-1]))
    return q, k, v, gates, zeros if state is None else state


def _offsets(seq_len, positions):
    """Position of the key minus position of the query, (seq_len, n_k)."""
    if positions is None:
        positions = np.arange(seq_len)
    else:
        positions = arguments.key_positions(_whole_array("positions", positions), seq_len)
    return positions - positions[-seq_len:, None]


def _array(name, value, kinds="iuf", dtype=np.float64, words=arguments.REAL):
    """`value` as an array of these kinds of numbers; the loops' check goes through all else."""
    if not (isinstance(value, np.ndarray) and value.dtype.kind in kinds):
        value = arguments.numbers(name, value, words)
    return np.asarray(value, dtype)


def _whole_array(name, value):
    return _array(name, value, "iu", np.int64, arguments.WHOLE)


def _finite_array(name, value):
    array = _array(name, value)
    arguments.finite(name, array[~np.isfinite(array)])
    return array
