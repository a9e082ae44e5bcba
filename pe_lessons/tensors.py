"""PyTorch. Functions as in the other two versions, and the module that models are built from.

`loops` says what each function is; here its lists are Tensors.
"""

import math

import torch
from torch import nn

from pe_lessons import _arguments as arguments
from pe_lessons import loops


def frequencies(d_model, *, base=10_000.0):
    """`loops.frequencies` as a Tensor ((d_model + 1) // 2,) of float64 on the CPU, whatever the default.

    An angle is a frequency times a position, and grows the rounding error of the frequency with it.
    """
    d_model = arguments.whole_number("d_model", d_model, minimum=1)
    base = arguments.base_of_angles(base)
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64, device="cpu") / d_model
    return base**-exponents  # (n_pairs,)


def sinusoidal(seq_len, d_model, *, base=10_000.0, start=0):
    """`loops.sinusoidal` as a Tensor (seq_len, d_model) on the CPU, cast last to the default dtype."""
    seq_len, d_model, base, start = arguments.table_arguments(seq_len, d_model, base, start)
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
    place in the block. Sines and cosines are taken in float64, of a few rows. The products are made in
    complex128 and rounded once, on their way into the table. Besides the table this takes 1 MB, and
    d_model / 32 768 of it. `dtype` is the default dtype unless given.
    """
    seq_len, d_model, base, start = arguments.table_arguments(seq_len, d_model, base, start)
    table = torch.empty(seq_len, d_model, dtype=dtype or torch.get_default_dtype(), device="cpu")
    angles = frequencies(d_model, base=base)  # (n_pairs,) of one token
    block_len = min(seq_len, max(1, 2**16 // d_model))  # as many turns as stay in the cache
    turns = _rotated_rows(1, angles, block_len)  # (block_len, n_pairs)
    n_blocks = -(-seq_len // block_len)
    first_row = torch.complex(torch.sin(start * angles), torch.cos(start * angles))  # (n_pairs,)
    first_rows = _rotated_rows(first_row, block_len * angles, n_blocks)  # (n_blocks, n_pairs)
    product = torch.empty_like(turns)
    for block, first_row in zip(table.split(block_len), first_rows):
        torch.mul(first_row, turns, out=product)
        block.copy_(_interleaved(product)[: len(block), :d_model])
    return table


def sinusoidal_2d(height, width, d_model, *, base=10_000.0):
    """`loops.sinusoidal_2d` as a Tensor (height, width, d_model) on the CPU, cast last to the default."""
    height, width, half = arguments.grid_arguments(height, width, d_model)
    of_row = sinusoidal(height, half, base=base)[:, None].expand(height, width, half)
    of_column = sinusoidal(width, half, base=base).expand(height, width, half)
    return torch.cat([of_row, of_column], dim=-1)  # (height, width, d_model)


def shift_matrix(offset, d_model, *, base=10_000.0):
    """`loops.shift_matrix` as a Tensor (d_model, d_model) on the CPU, cast last to the default dtype."""
    offset, d_model = arguments.whole_number("offset", offset), arguments.even_width(d_model)
    angles = offset * frequencies(d_model, base=base)  # (n_pairs,)
    sine, cosine = torch.sin(angles), torch.cos(angles)
    blocks = torch.stack([cosine, sine, -sine, cosine], dim=-1).view(-1, 2, 2)  # (n_pairs, 2, 2)
    return torch.block_diag(*blocks).to(torch.get_default_dtype())


def kernel(offsets, d_model, *, base=10_000.0):
    """`loops.kernel` as a Tensor in the shape of `offsets`, on the CPU, cast last to the default dtype."""
    offsets, d_model = _finite_tensor("offsets", offsets), arguments.even_width(d_model)
    offsets = offsets.to("cpu", torch.float64)
    angles = offsets[..., None] * frequencies(d_model, base=base)  # (..., n_pairs)
    return torch.cos(angles).sum(dim=-1).to(torch.get_default_dtype())  # (...)


def softmax(scores):
    """`loops.softmax` along the last axis of a Tensor (..., n), whose dtype and device stay."""
    scores = _float_tensor("scores", scores)
    for row in scores[torch.isneginf(scores).all(dim=-1)].tolist():
        arguments.sees_a_key("scores", row)
    return torch.softmax(scores, dim=-1)


def attention(q, k, v, mask=None):
    """`loops.attention` of q (..., n_q, head_dim), k and v, as a Tensor (..., n_q, v_dim) of their dtype.

    The mask may be one for all, (n_q, n_k), or have the leading axes too.
    """
    q, k, v = _float_tensor("q", q), _float_tensor("k", k), _float_tensor("v", v)
    mask = None if mask is None else _tensor("mask", mask, "b", arguments.BOOLEAN)
    arguments.attention_sizes(q, k, v, mask)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        for blind in (~mask.any(dim=-1)).nonzero().tolist():
            arguments.sees_a_key("mask", mask[tuple(blind)], query=blind[-1])
        scores = scores.masked_fill(~mask, -math.inf)
    return softmax(scores) @ v  # (..., n_q, v_dim)


def rotary_frequencies(head_dim, *, base=10_000.0, scaling=None, text_len=None):
    """`loops.rotary_frequencies`, the frequencies as a Tensor (head_dim / 2,), as those of `frequencies`."""
    head_dim, base = arguments.even_width(head_dim, "head_dim"), arguments.base_of_angles(base)
    rule = arguments.scaling_rule(scaling, head_dim, text_len)
    if rule["rope_type"] == "ntk":
        base *= rule["factor"] ** (head_dim / (head_dim - 2))
    original = frequencies(head_dim, base=base)  # (n_pairs,)
    original[rule["turning_pairs"] :] = 0.0
    if rule["rope_type"] == "longrope":
        divisors = torch.tensor(rule["divisors"], dtype=torch.float64, device="cpu")
        return original / divisors, rule["attention_factor"]
    ramp = loops._ramps(head_dim, base, rule)
    ramp = torch.tensor(ramp, dtype=torch.float64, device="cpu")  # (n_pairs,)
    return ramp * original + (1 - ramp) * original / rule["factor"], rule["attention_factor"]


def rotary(
    x, positions, *, base=10_000.0, layout="interleaved", scaling=None, rotary_dim=None, text_len=None
):
    """`loops.rotary` of a Tensor (..., seq_len, head_dim), whose dtype and device stay.

    The angles are computed in float64, their sines and cosines cast last. seq_len may be 0. Where texts have
    positions of their own, as in a batch with padding, positions are (batch, seq_len), and batch is the
    first axis of x. The frequencies are kept for the next call.
    """
    x, positions = _float_tensor("x", x), _finite_tensor("positions", positions)
    rotary_dim = arguments.rotary_columns(x, positions, layout, rotary_dim, by_text=True)
    device = "cpu" if positions.device.type == "mps" else positions.device  # MPS has no float64
    frequencies, attention_factor = _kept_frequencies(
        rotary_dim, base=base, scaling=scaling, text_len=text_len, device=device
    )
    angles = positions.to(device, torch.float64)[..., None] * frequencies  # ([batch,] seq_len, n_pairs)
    if positions.ndim == 2:
        angles = angles.reshape(len(angles), *[1] * (x.ndim - 3), *angles.shape[1:])
    wide = x.to(torch.promote_types(x.dtype, torch.float32))  # half precision: rounded once, at the end
    cosine, sine = attention_factor * torch.cos(angles), attention_factor * torch.sin(angles)
    rotated = _rotate_pairs(wide[..., :rotary_dim], cosine.to(wide), sine.to(wide), layout).to(x.dtype)
    return torch.cat([rotated, x[..., rotary_dim:]], dim=-1) if rotary_dim < x.shape[-1] else rotated


_KEPT = {}


def _kept_frequencies(head_dim, *, device, **rule):
    """`rotary_frequencies` on a device, made once: a model asks for the same ones in every layer."""
    asked = repr((head_dim, device, rule))
    if torch.compiler.is_compiling() or asked not in _KEPT:
        frequencies, attention_factor = rotary_frequencies(head_dim, **rule)
        found = frequencies.to(device), attention_factor
        if torch.compiler.is_compiling():  # there they are constants
            return found
        if len(_KEPT) == 64:  # a rule that changes with text_len has new ones for each length
            _KEPT.clear()
        _KEPT[asked] = found
    return _KEPT[asked]


def _rotate_pairs(x, cosine, sine, layout):
    """Rotate the pairs of x (..., seq_len, head_dim) by angles of such cosines, sines (seq_len, n_pairs)."""
    if layout == "interleaved" and torch.compiler.is_compiling():  # compilers are slow at complex numbers
        a, b = x.unflatten(-1, (-1, 2)).unbind(dim=-1)
        return torch.stack([a * cosine - b * sine, a * sine + b * cosine], dim=-1).flatten(-2)
    if layout == "interleaved":  # a pair lies in memory as a complex number does
        return torch.view_as_real(_as_complex(x) * torch.complex(cosine, sine)).flatten(-2)
    half = x.shape[-1] // 2
    rotated = x * torch.cat([cosine, cosine], dim=-1)
    rotated[..., :half].addcmul_(x[..., half:], sine, value=-1)
    rotated[..., half:].addcmul_(x[..., :half], sine)
    return rotated


def _as_complex(x):
    """Every two numbers of the last axis as one complex number: a view, wherever PyTorch allows one."""
    *steps, step = x.stride()
    if step != 1 or any(n % 2 for n in (*steps, x.storage_offset())):
        x = x.clone(memory_format=torch.contiguous_format)
    return torch.view_as_complex(x.unflatten(-1, (-1, 2)))


def query_scale(positions, *, length, strength=0.1):
    """`loops.query_scale` of a Tensor of any shape, on its device, cast last to the default dtype."""
    positions = _finite_tensor("positions", positions)
    length, strength = arguments.scale_arguments(positions, length, strength)
    steps = torch.floor(positions.to("cpu", torch.float64) / length)
    return (1.0 + strength * torch.log1p(steps)).to(positions.device, torch.get_default_dtype())


def axial_rotary(x, rows, columns, *, base=10_000.0, layout="interleaved"):
    """`loops.axial_rotary` of a Tensor (..., n_patches, head_dim), whose dtype and device stay."""
    x, rows, columns = _float_tensor("x", x), _finite_tensor("rows", rows), _finite_tensor("columns", columns)
    arguments.axial_columns(x, rows, columns, layout)
    by_row, by_column = x.chunk(2, dim=-1)  # (..., n_patches, head_dim / 2)
    by_row = rotary(by_row, rows, base=base, layout=layout)
    return torch.cat([by_row, rotary(by_column, columns, base=base, layout=layout)], dim=-1)


def mrope_positions(parts):
    """`loops.mrope_positions` as a Tensor (3, seq_len) of int64 on the CPU."""
    places, start = [], 0
    for part in arguments.prompt_parts(parts):
        if isinstance(part, int):
            places.append(start + torch.arange(part, device="cpu").expand(3, -1))  # (3, part)
            start += part
        else:
            axes = [torch.arange(size, device="cpu") for size in part]
            places.append(start + torch.cartesian_prod(*axes).T)  # (3, frames * height * width)
            start += max(part)
    return torch.cat(places, dim=1)


def mrope(x, positions, sections, *, base=10_000.0, layout="interleaved", order="blocks"):
    """`loops.mrope` of a Tensor (..., seq_len, head_dim), whose dtype and device stay.

    The angles are computed in float64, their sines and cosines cast last.
    """
    x, positions = _float_tensor("x", x), _finite_tensor("positions", positions)
    sections = arguments.mrope_sections(x, positions, sections, layout, order)
    axes = loops._axes_of_pairs(sections, order)  # n_pairs of them
    if order == "axial":
        speeds = torch.cat([frequencies(2 * section, base=base) for section in sections])
    else:
        speeds = frequencies(x.shape[-1], base=base)
    of_pairs = positions.to("cpu", torch.float64)[axes].T  # (seq_len, n_pairs) the position that each reads
    angles = of_pairs.contiguous() * speeds  # in memory as those of `rotary`: then the bits agree, too
    wide = x.to(torch.promote_types(x.dtype, torch.float32))  # half precision: rounded once, at the end
    return _rotate_pairs(wide, angles.cos().to(wide), angles.sin().to(wide), layout).to(x.dtype)


def shaw_bias(q, table, *, positions=None):
    """`loops.shaw_bias` of q (..., seq_len, head_dim), as a Tensor (..., seq_len, n_k) of its dtype."""
    q, table = _float_tensor("q", q), _float_tensor("table", table)
    max_distance = arguments.shaw_distance(q, table)
    offsets = _offsets(q.shape[-2], positions, q.device)
    distances = offsets.clamp(-max_distance, max_distance)  # (n_q, n_k)
    about = table[distances + max_distance]  # (n_q, n_k, head_dim)
    return torch.einsum("...md,mnd->...mn", q, about) / math.sqrt(q.shape[-1])  # (..., n_q, n_k)


def alibi_slopes(num_heads):
    """`loops.alibi_slopes` as a Tensor (num_heads,) on the CPU, cast last to the default dtype."""
    num_heads = arguments.whole_number("num_heads", num_heads, minimum=1)
    power = 2 ** (num_heads.bit_length() - 1)  # the largest power of two that is not above num_heads
    steps = torch.arange(1, power + 1, dtype=torch.float64, device="cpu")
    slopes = 2 ** (-8 * steps / power)  # (power,)
    between = 2 ** (-8 * (2 * steps - 1) / (2 * power))  # (power,)
    return torch.cat([slopes, between])[:num_heads].to(torch.get_default_dtype())


def alibi(seq_len, num_heads, *, positions=None):
    """`loops.alibi` as a Tensor (num_heads, seq_len, n_k) of the default dtype, on the CPU.

    FlexAttention needs no matrix: its score_mod is ``score - slopes[head] * (query - key).abs()``, where
    slopes are ``alibi_slopes(num_heads)`` on the device of the scores.
    """
    seq_len = arguments.whole_number("seq_len", seq_len, minimum=1)
    distances = _offsets(seq_len, positions, "cpu").abs()  # (n_q, n_k)
    return 0.0 - alibi_slopes(num_heads)[:, None, None] * distances  # (num_heads, n_q, n_k)


def t5_buckets(relative_positions, *, num_buckets=32, max_distance=128, bidirectional=True):
    """`loops.t5_buckets` as a Tensor of int64, shape and device of `relative_positions`."""
    one_way, exact, max_distance = arguments.bucket_arguments(num_buckets, max_distance, bidirectional)
    offsets = _whole_tensor("relative_positions", relative_positions)
    first = one_way * (offsets > 0) if bidirectional else 0
    distances = offsets.abs() if bidirectional else (-offsets).clamp(min=0)
    far = distances.clamp(min=exact).to("cpu", torch.float64)
    share = torch.log(far / exact) / math.log(max_distance / exact)
    # 1e-9: where the product is a whole number, rounding must not make it less
    shared = exact + torch.floor((one_way - exact) * share + 1e-9).long()
    shared = shared.clamp(max=one_way - 1).to(offsets.device)
    return first + torch.where(distances < exact, distances, shared)


def t5_bias(seq_len, table, *, max_distance=128, bidirectional=True, positions=None):
    """`loops.t5_bias` as a Tensor (num_heads, seq_len, n_k), dtype and device of `table`."""
    seq_len, table = arguments.whole_number("seq_len", seq_len, minimum=1), _float_tensor("table", table)
    num_buckets, _ = arguments.bucket_table(table, max_distance, bidirectional)
    options = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    buckets = t5_buckets(_offsets(seq_len, positions, table.device), **options)  # (n_q, n_k)
    return table[buckets].movedim(-1, 0)  # (num_heads, n_q, n_k)


def forget_bias(gates):
    """`loops.forget_bias` of a Tensor (..., seq_len), of its dtype and on its device."""
    gates = arguments.rate_of_each_token("gates", _float_tensor("gates", gates))
    logs = gates.log().cumsum(dim=-1)  # (..., seq_len)
    ahead = torch.ones(logs.shape[-1], logs.shape[-1], dtype=torch.bool, device=logs.device).triu(1)
    return (logs[..., :, None] - logs[..., None, :]).masked_fill(ahead, -math.inf)


def linear_attention(q, k, v, *, gates=None, state=None):
    """`loops.linear_attention` of Tensors (..., seq_len, head_dim), without a loop: all weights at once."""
    q, k, v, gates, state = _of_state(q, k, v, gates, state)
    fading = forget_bias(gates).exp()  # (..., seq_len, seq_len)
    since_start = gates.cumprod(dim=-1)[..., None]  # (..., seq_len, 1)
    outputs = (q @ k.transpose(-1, -2) * fading) @ v + since_start * (q @ state)
    left = (k * fading[..., -1, :, None]).transpose(-1, -2) @ v  # (..., head_dim, v_dim)
    return outputs, left + since_start[..., -1:, :] * state


def delta_rule(q, k, v, beta, *, gates=None, state=None):
    """`loops.delta_rule` of Tensors (..., seq_len, head_dim); gradients flow through all tokens."""
    beta = _float_tensor("beta", beta)
    q, k, v, gates, state = _of_state(q, k, v, gates, state, beta=beta)
    outputs = []
    for t in range(v.shape[-2]):
        q_t, k_t = q[..., t, :, None], k[..., t, :, None]  # (..., head_dim, 1)
        state = gates[..., t, None, None] * state
        news = v[..., t, :] - (k_t * state).sum(dim=-2)  # (..., v_dim)
        state = state + beta[..., t, None, None] * k_t * news[..., None, :]
        outputs.append((q_t * state).sum(dim=-2))
    return torch.stack(outputs, dim=-2), state


def short_convolution(x, weights, *, before=None):
    """`loops.short_convolution` of a Tensor (..., seq_len, d_model)."""
    x, weights = _float_tensor("x", x), _float_tensor("weights", weights)
    before = before if before is None else _float_tensor("before", before)
    seq_len, d_model, width = arguments.convolution_sizes(x, weights, before)
    if before is None:
        before = x.new_zeros(*x.shape[:-2], width - 1, d_model)
    rows = torch.cat([before, x], dim=-2)  # (..., width - 1 + seq_len, d_model)
    windows = rows.unfold(-2, width, 1)  # (..., seq_len, d_model, width)
    return (windows * weights).sum(dim=-1), rows[..., seq_len:, :]


def _of_state(q, k, v, gates, state, **rates):
    q, k, v = _float_tensor("q", q), _float_tensor("k", k), _float_tensor("v", v)
    gates = k.new_ones(k.shape[:-1]) if gates is None else _float_tensor("gates", gates)
    state = state if state is None else _float_tensor("state", state)
    arguments.state_sizes(q, k, v, state, gates=gates, **rates)
    zeros = k.new_zeros(*k.shape[:-2], k.shape[-1], v.shape[-1])
    return q, k, v, gates, zeros if state is None else state


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
    batch_first : bool
        True for inputs ``(batch, seq_len, d_model)``, False for ``(seq_len, batch, d_model)``.

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
        max_len = arguments.whole_number("max_len", max_len, minimum=1)
        self.batch_first = arguments.true_or_false("batch_first", batch_first)
        self.dropout = nn.Dropout(arguments.real_number("dropout", dropout))
        self.register_buffer("table", sinusoidal(max_len, d_model, base=base), persistent=False)

    def forward(self, x):
        x = _float_tensor("x", x)
        max_len, d_model = self.table.shape
        axes = "batch seq_len d_model" if self.batch_first else "seq_len batch d_model"
        seq_len = arguments.axes({"d_model": d_model}, x=(x, axes))["seq_len"]
        if seq_len > max_len:
            raise ValueError(
                f"x must have at most max_len = {max_len} positions, got seq_len = {seq_len} (shape "
                f"{tuple(x.shape)}, axes {axes}): make the module with a larger max_len"
            )
        rows = self.table[:seq_len].to(x.dtype)  # (seq_len, d_model)
        return self.dropout(x + (rows if self.batch_first else rows[:, None]))


def _offsets(seq_len, positions, device):
    """Position of the key minus position of the query, (seq_len, n_k)."""
    if positions is None:
        positions = torch.arange(seq_len, device=device)
    else:
        positions = arguments.key_positions(_whole_tensor("positions", positions), seq_len).to(device)
    return positions - positions[-seq_len:, None]


def _rotated_rows(first_row, angles, n_rows):
    """The rows first_row exp(-i q angles) for q = 0, 1, ...; the rotated rows double until all are there."""
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


def _tensor(name, value, kinds, words=arguments.REAL):
    """`value`, a Tensor of these kinds of numbers; the loops' check refuses others in its own words."""
    if not isinstance(value, torch.Tensor):
        arguments.numbers(name, value, words)
        got = f"got {type(value).__name__}: torch.tensor({name}) makes one"
        raise TypeError(f"{name} must be a torch.Tensor, {got}")
    kind = "f" if value.is_floating_point() else "c" if value.is_complex() else "i"
    if ("b" if value.dtype == torch.bool else kind) not in kinds:
        arguments.numbers(name, value.flatten()[:1], words)  # all entries are of one kind
    return value


def _float_tensor(name, value):
    if not _tensor(name, value, "if").is_floating_point():
        got = f"got {value.dtype}: {name}.float() converts it"
        raise TypeError(f"{name} must hold floating-point numbers, {got}")
    return value


def _finite_tensor(name, value):
    value = _tensor(name, value, "if")
    if not torch.compiler.is_compiling():  # a graph cannot look at numbers
        arguments.finite(name, value[~torch.isfinite(value)])
    return value


def _whole_tensor(name, value):
    return _tensor(name, value, "i", arguments.WHOLE).long()
