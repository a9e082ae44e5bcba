"""Lesson 11: right answers by other means, the mistakes its checks must know, and these in other styles."""

import cmath
import math

import mpmath
import torch
from torch.nn import functional as F

# Oracles: complex numbers in multiple precision, one pair at a time; attention one query at a time.


def precise_turn(row, position, columns):
    """`row` with the pairs of `columns` turned."""
    with mpmath.workdps(40):
        turned = [None] * len(row)
        for pair, (first, second) in enumerate(columns):
            angle = int(position) * mpmath.mpf(10_000) ** (mpmath.mpf(-2 * pair) / len(row))
            number = mpmath.mpc(float(row[first]), float(row[second])) * mpmath.expj(angle)
            turned[first], turned[second] = float(number.real), float(number.imag)
        return turned


def neighbours(width):
    return [(2 * pair, 2 * pair + 1) for pair in range(width // 2)]


def across(width):
    return [(pair, pair + width // 2) for pair in range(width // 2)]


def precise_interleaved(x, positions):
    return [precise_turn(row, position, neighbours(len(row))) for row, position in zip(x, positions)]


def precise_half(x, positions):
    return [precise_turn(row, position, across(len(row))) for row, position in zip(x, positions)]


def scores_by_distance(x, W_Q, W_K, num_heads):
    """The key is turned by the distance alone, and the query not at all."""
    width = W_Q.shape[1] // num_heads
    scores = []
    for head in range(num_heads):
        columns = slice(head * width, (head + 1) * width)
        q, k = (x @ W_Q)[:, columns], (x @ W_K)[:, columns]
        scores.append(
            [
                [
                    sum(a * b for a, b in zip(query, precise_turn(key, n - m, neighbours(width))))
                    / math.sqrt(width)
                    for n, key in enumerate(k)
                ]
                for m, query in enumerate(q)
            ]
        )
    return scores


def one_token_at_a_time(q, k, v, cached_k, cached_v):
    outputs = []
    for head in range(len(q)):
        keys, values = [list(row) for row in cached_k[head]], [list(row) for row in cached_v[head]]
        outputs.append([])
        for query, key, value in zip(q[head], k[head], v[head]):
            position, pairs = len(keys), neighbours(len(query))
            keys.append(precise_turn(key, position, pairs))
            values.append(list(value))
            query = torch.tensor([precise_turn(query, position, pairs)], dtype=torch.float64)
            out = F.scaled_dot_product_attention(
                query, torch.tensor(keys).to(query), torch.tensor(values).to(query)
            )
            outputs[-1].append(out[0].tolist())
    return outputs


ORACLES = {
    "rotary_interleaved": precise_interleaved,
    "rotary_half": precise_half,
    "rotary_scores": scores_by_distance,
    "cached_attention": one_token_at_a_time,
}

TURNING = (
    "wrong sign", "layouts mixed", "doubled exponent", "positions from 1", "positions not used", "base 1000",
    "sine and cosine exchanged", "first pair only",
)  # fmt: skip
CATALOGUE = {
    "rotary_interleaved": (*TURNING, "halves instead of interleaved"),
    "rotary_half": (*TURNING, "interleaved instead of halves"),
    "rotary_scores": (
        "rotated before the projection", "only queries rotated", "head axis taken for time", "wrong sign",
        "frequencies over d_model instead of head_dim",
    ),
    "cached_attention": (
        "offset ignored", "offset counted twice", "values rotated too", "only queries rotated",
        "cached keys turned again", "layouts mixed", "head axis taken for time",
        "frequencies over d_model instead of head_dim",
    ),
}  # fmt: skip


# rotary_interleaved and rotary_half: one pair at a time, and the half-turned partner in PyTorch.


def plain_frequency(column, d):
    return 10_000 ** (-column / d)


def turn_one(a, b, first, second):
    return a * math.cos(first) - b * math.sin(first), a * math.sin(second) + b * math.cos(second)


def turn_complex_by(change):
    """Both numbers of a pair as one complex number, times a factor made from the angle."""

    def turn(a, b, first, second):
        turned = complex(a, b) * change(first)
        return turned.real, turned.imag

    return turn


def loop_rotary(
    pairs,
    frequency=plain_frequency,
    angle=lambda angle: angle,
    position=lambda n, positions: positions[n],
    turn=turn_one,
    second_pair=lambda pair, n_pairs: (pair, pair),
    target=None,
    only=None,
):
    def rotary(x, positions):
        turned = []
        for n, row in enumerate(x):
            width = len(row)
            read, write = pairs(width), (target or pairs)(width)
            new = [float(entry) for entry in row]
            for pair, (columns, places) in enumerate(zip(read, write)):
                if only is not None and pair not in only:
                    continue
                where = position(n, [int(p) for p in positions])
                angles = [
                    angle(where * frequency(2 * other, width)) for other in second_pair(pair, width // 2)
                ]
                a, b = (float(row[column]) for column in columns)
                new[places[0]], new[places[1]] = turn(a, b, *angles)
            turned.append(new)
        return turned

    return rotary


def torch_partner(x, half):
    if half:
        a, b = x.chunk(2, dim=-1)
        return torch.cat([-b, a], dim=-1)
    return torch.stack([-x[:, 1::2], x[:, ::2]], dim=-1).flatten(1)


def doubled(angles, half):
    return angles.repeat(1, 2) if half else angles.repeat_interleave(2, dim=1)


def torch_rotary(
    half,
    frequency=None,
    change=lambda angles: angles,
    where=lambda positions: positions,
    combine=lambda x, partner, angles: x * angles.cos() + partner * angles.sin(),
    angles_half=None,
    partner=torch_partner,
    finish=lambda turned: turned,
):
    def rotary(x, positions):
        x, positions = torch.tensor(x), torch.tensor(positions).double()
        columns = torch.arange(0, x.shape[1], 2).double()
        frequencies = (frequency or plain_frequency)(columns, x.shape[1])
        angles = change(torch.outer(where(positions), frequencies))
        angles = doubled(angles, half if angles_half is None else angles_half)
        return finish(combine(x, partner(x, half), angles))

    return rotary


def numbered(positions, table):
    """What stands at `positions` of a list, as Python indexes it."""
    return [table[int(position)] for position in positions]


def torch_table(positions):
    return torch.arange(positions.max() + 1).double()[positions.long()]


def torch_first_pair(angles):
    return torch.cat([angles[:, :1], torch.zeros_like(angles[:, 1:])], dim=1)


def split_columns(x, half):
    """The first and the second numbers of all pairs."""
    return x.chunk(2, dim=1) if half else (x[:, ::2], x[:, 1::2])


def join_columns(a, b, half):
    return torch.cat([a, b], dim=1) if half else torch.stack([a, b], dim=2).flatten(1)


def by_columns(half, turn):
    """A way to combine that works on first and second numbers: ``turn(a, b, sine, cosine)``."""

    def combine(x, partner, angles):
        a, b = split_columns(x, half)
        angles, _ = split_columns(angles, half)
        return join_columns(*turn(a, b, angles.sin(), angles.cos()), half)

    return combine


def torch_overwritten(half):
    def combine(x, partner, angles):
        a, b = split_columns(x.clone(), half)
        angle, _ = split_columns(angles, half)
        a.mul_(angle.cos()).sub_(b * angle.sin())
        return join_columns(a, a * angle.sin() + b * angle.cos(), half)

    return combine


def columns_with_first_overwritten(a, b, first, second):
    a = a * math.cos(first) - b * math.sin(first)
    b = a * math.sin(second) + b * math.cos(second)
    return a, b


def angles_of_halves(pair, n_pairs):
    """The angles that columns 2 pair and 2 pair + 1 get if all angles stand twice behind each other."""
    return 2 * pair % n_pairs, (2 * pair + 1) % n_pairs


def angles_of_neighbours(pair, n_pairs):
    return pair // 2, (pair + n_pairs) // 2


def rotary_styles(half, loop_frequency, torch_frequency):
    pairs, others = (across, neighbours) if half else (neighbours, across)
    mixed, mixed_too = angles_of_halves, angles_of_neighbours
    if half:
        mixed, mixed_too = mixed_too, mixed
    frequencies = (
        "base 1000", "log2 for ln", "log10 for ln", "doubled exponent", "exponent without the 2",
        "all frequencies 1", "T2T denominator", "precedence of //", "base and exponent exchanged",
        "multiplied instead of divided",
    )  # fmt: skip
    styles = {
        name: (
            loop_rotary(pairs, frequency=loop_frequency[name]),
            torch_rotary(half, frequency=torch_frequency[name]),
        )
        for name in frequencies
    }
    styles |= {
        "wrong sign": (
            loop_rotary(pairs, turn=turn_complex_by(lambda angle: cmath.exp(-1j * angle))),
            torch_rotary(half, combine=lambda x, partner, angles: x * angles.cos() - partner * angles.sin()),
        ),
        "both sines positive": (
            loop_rotary(
                pairs,
                turn=lambda a, b, first, second: (
                    a * math.cos(first) + b * math.sin(first),
                    a * math.sin(second) + b * math.cos(second),
                ),
            ),
            torch_rotary(half, partner=lambda x, half: torch_partner(x, half) * signs(x, half)),
        ),
        "sine and cosine exchanged": (
            loop_rotary(pairs, turn=turn_complex_by(lambda angle: complex(math.sin(angle), math.cos(angle)))),
            torch_rotary(half, combine=lambda x, partner, angles: x * angles.sin() + partner * angles.cos()),
        ),
        "cosine alone": (
            loop_rotary(pairs, turn=lambda a, b, first, second: (a * math.cos(first), b * math.cos(second))),
            torch_rotary(half, combine=lambda x, partner, angles: x * angles.cos()),
        ),
        "nothing turned": (
            loop_rotary(pairs, turn=lambda a, b, first, second: (a, b)),
            torch_rotary(half, combine=lambda x, partner, angles: x),
        ),
        "partner not fetched": (
            loop_rotary(
                pairs,
                turn=lambda a, b, first, second: (
                    a * (math.cos(first) + math.sin(first)),
                    b * (math.cos(second) + math.sin(second)),
                ),
            ),
            torch_rotary(half, combine=lambda x, partner, angles: x * angles.cos() + x * angles.sin()),
        ),
        "first number overwritten": (
            loop_rotary(pairs, turn=columns_with_first_overwritten),
            torch_rotary(half, combine=torch_overwritten(half)),
        ),
        "added instead of turned": (
            loop_rotary(pairs, turn=lambda a, b, first, second: (a + math.sin(first), b + math.cos(second))),
            torch_rotary(half, combine=by_columns(half, lambda a, b, sine, cosine: (a + sine, b + cosine))),
        ),
        "multiplied by the table": (
            loop_rotary(pairs, turn=lambda a, b, first, second: (a * math.sin(first), b * math.cos(second))),
            torch_rotary(half, combine=by_columns(half, lambda a, b, sine, cosine: (a * sine, b * cosine))),
        ),
        "positions not used": (
            loop_rotary(pairs, position=lambda n, positions: n),
            torch_rotary(half, where=lambda positions: torch.arange(len(positions)).double()),
        ),
        "positions from 1": (
            loop_rotary(pairs, position=lambda n, positions: 1 + positions[n]),
            torch_rotary(half, where=lambda positions: positions.add(1)),
        ),
        "looked up in a table": (
            loop_rotary(
                pairs,
                position=lambda n, positions: numbered(positions, list(range(max(positions) + 1)))[n],
            ),
            torch_rotary(half, where=torch_table),
        ),
        "first pair only": (
            loop_rotary(pairs, only=(0,)),
            torch_rotary(half, change=torch_first_pair),
        ),
        "degrees": (
            loop_rotary(pairs, angle=math.degrees),
            torch_rotary(half, change=torch.rad2deg),
        ),
        "interleaved instead of halves" if half else "halves instead of interleaved": (
            loop_rotary(others),
            torch_rotary(not half),
        ),
        "layouts mixed": (
            loop_rotary(pairs, second_pair=mixed),
            torch_rotary(half, angles_half=not half),
        ),
        f"layouts mixed, partners from the {'neighbours' if half else 'halves'}": (
            loop_rotary(others, second_pair=mixed_too),
            torch_rotary(not half, angles_half=half),
        ),
        "interleaved, written in halves" if half else "halves, written interleaved": (
            loop_rotary(others, target=pairs),
            torch_rotary(
                not half, finish=lambda turned: join_columns(*split_columns(turned, not half), half)
            ),
        ),
        "written interleaved" if half else "written in halves": (
            loop_rotary(pairs, target=others),
            torch_rotary(half, finish=lambda turned: join_columns(*split_columns(turned, half), not half)),
        ),
    }
    return styles


def signs(x, half):
    """-1 for the first numbers of the pairs, 1 for the second ones."""
    first = torch.full((1, x.shape[1] // 2), -1.0).double()
    return join_columns(first, -first, half)


# rotary_scores: entry by entry, and PyTorch with the heads as an axis of an einsum.


def plain_turn(row, position, width=None):
    width = width or len(row)
    turned = list(row)
    for pair, (first, second) in enumerate(neighbours(len(row))):
        angle = position * 10_000 ** (-2 * pair / width)
        turned[first], turned[second] = turn_one(row[first], row[second], angle, angle)
    return turned


def halves_turn(row, position, width=None):
    turned = list(row)
    for pair, (first, second) in enumerate(across(len(row))):
        angle = position * 10_000 ** (-2 * pair / len(row))
        turned[first], turned[second] = turn_one(row[first], row[second], angle, angle)
    return turned


def project(rows, weights):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*weights)] for row in rows]


def cut(rows, num_heads):
    width = len(rows[0]) // num_heads
    return [[row[head * width : (head + 1) * width] for row in rows] for head in range(num_heads)]


def cut_between_rows(rows, num_heads):
    flat, width = [entry for row in rows for entry in row], len(rows[0]) // num_heads
    rows = [flat[start : start + width] for start in range(0, len(flat), width)]
    return [
        rows[start : start + len(rows) // num_heads] for start in range(0, len(rows), len(rows) // num_heads)
    ]


def cut_by_turns(rows, num_heads):
    return [[row[head::num_heads] for row in rows] for head in range(num_heads)]


def loop_softmax(scores):
    powers = [[[math.exp(score) for score in row] for row in head] for head in scores]
    return [[[power / sum(row) for power in row] for row in head] for head in powers]


def loop_causal(scores):
    return [
        [[score if n <= m else -math.inf for n, score in enumerate(row)] for m, row in enumerate(head)]
        for head in scores
    ]


def loop_scores(
    before=lambda rows: rows,
    whole=lambda rows: rows,
    turn_q=plain_turn,
    turn_k=plain_turn,
    where=lambda position, head: position,
    split=cut,
    scale=lambda width, d_model, d_in: math.sqrt(width),
    finish=lambda scores: scores,
):
    def scores(x, W_Q, W_K, num_heads):
        x = before(x.tolist())
        heads = []
        for weights, turn in ((W_Q, turn_q), (W_K, turn_k)):
            rows = split(whole(project(x, weights.tolist())), num_heads)
            heads.append(
                [[turn(row, where(n, h)) for n, row in enumerate(head)] for h, head in enumerate(rows)]
            )
        by = scale(len(heads[0][0][0]), W_Q.shape[1], len(W_Q))
        return finish(
            [
                [[sum(a * b for a, b in zip(query, key)) / by for key in keys] for query in queries]
                for queries, keys in zip(*heads)
            ]
        )

    return scores


def unturned(row, position, width=None):
    return row


def rows_turned(rows):
    return [plain_turn(row, n) for n, row in enumerate(rows)]


def torch_turn(heads, sign=1, width=None, positions=None, half=False):
    """Heads (..., seq_len, head_dim) times complex numbers of length 1."""
    n_pairs = heads.shape[-1] // 2
    positions = torch.arange(heads.shape[-2]).double() if positions is None else positions
    frequencies = 10_000 ** (-torch.arange(n_pairs).double() * 2 / (width or 2 * n_pairs))
    factors = torch.polar(
        torch.ones(len(positions), n_pairs).double(), sign * torch.outer(positions, frequencies)
    )
    if half:
        turned = torch.complex(*heads.chunk(2, dim=-1)) * factors
        return torch.cat([turned.real, turned.imag], dim=-1)
    return torch.view_as_real(
        torch.view_as_complex(heads.unflatten(-1, (-1, 2)).contiguous()) * factors
    ).flatten(-2)


def torch_scores(
    before=lambda x: x,
    whole=lambda rows: rows,
    turn_q=lambda heads, num_heads: torch_turn(heads),
    turn_k=lambda heads, num_heads: torch_turn(heads),
    split=lambda rows, num_heads: rows.unflatten(1, (num_heads, -1)).transpose(0, 1),
    scale=lambda width, d_model, d_in: width**0.5,
    equation="hmd,hnd->hmn",
    finish=lambda scores: scores,
):
    def scores(x, W_Q, W_K, num_heads):
        x = before(torch.tensor(x))
        q = turn_q(split(whole(x @ torch.tensor(W_Q)), num_heads), num_heads)
        k = turn_k(split(whole(x @ torch.tensor(W_K)), num_heads), num_heads)
        return finish(torch.einsum(equation, q, k) / scale(q.shape[-1], W_Q.shape[1], len(W_Q)))

    return scores


def torch_unturned(heads, num_heads):
    return heads


def torch_by_heads(heads, num_heads):
    return torch_turn(heads.transpose(0, 1)).transpose(0, 1)


def wide_loop(row, position, num_heads):
    return plain_turn(row, position, num_heads * len(row))


def loop_scores_wide(x, W_Q, W_K, num_heads):
    def turn(row, position):
        return wide_loop(row, position, num_heads)

    return loop_scores(turn_q=turn, turn_k=turn)(x, W_Q, W_K, num_heads)


def torch_wide(heads, num_heads):
    return torch_turn(heads, width=num_heads * heads.shape[-1])


SCORE_STYLES = {
    "rotated before the projection": (
        loop_scores(before=rows_turned, turn_q=unturned, turn_k=unturned),
        torch_scores(before=torch_turn, turn_q=torch_unturned, turn_k=torch_unturned),
    ),
    "only queries rotated": (loop_scores(turn_k=unturned), torch_scores(turn_k=torch_unturned)),
    "only keys rotated": (loop_scores(turn_q=unturned), torch_scores(turn_q=torch_unturned)),
    "head axis taken for time": (
        loop_scores(where=lambda position, head: head),
        torch_scores(turn_q=torch_by_heads, turn_k=torch_by_heads),
    ),
    "frequencies over d_model instead of head_dim": (
        loop_scores_wide,
        torch_scores(turn_q=torch_wide, turn_k=torch_wide),
    ),
    "rotated before the heads were split": (
        loop_scores(whole=rows_turned, turn_q=unturned, turn_k=unturned),
        torch_scores(whole=torch_turn, turn_q=torch_unturned, turn_k=torch_unturned),
    ),
    "halves instead of interleaved": (
        loop_scores(turn_q=halves_turn, turn_k=halves_turn),
        torch_scores(
            turn_q=lambda heads, num_heads: torch_turn(heads, half=True),
            turn_k=lambda heads, num_heads: torch_turn(heads, half=True),
        ),
    ),
    "wrong sign": (
        loop_scores(where=lambda position, head: -position),
        torch_scores(
            turn_q=lambda heads, num_heads: torch_turn(heads, sign=-1),
            turn_k=lambda heads, num_heads: torch_turn(heads, sign=-1),
        ),
    ),
    "heads cut out of the wrong axis": (
        loop_scores(split=cut_between_rows),
        torch_scores(split=lambda rows, num_heads: rows.reshape(num_heads, len(rows), -1)),
    ),
    "columns dealt out to the heads": (
        loop_scores(split=cut_by_turns),
        torch_scores(split=lambda rows, num_heads: rows.unflatten(1, (-1, num_heads)).permute(2, 0, 1)),
    ),
    "scaled by the root of d_in": (
        loop_scores(scale=lambda width, d_model, d_in: math.sqrt(d_in)),
        torch_scores(scale=lambda width, d_model, d_in: d_in**0.5),
    ),
    "weights instead of scores": (
        loop_scores(finish=loop_softmax),
        torch_scores(finish=lambda scores: scores.softmax(dim=-1)),
    ),
    "causal mask applied": (
        loop_scores(finish=loop_causal),
        torch_scores(
            finish=lambda scores: scores.masked_fill(
                torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf
            )
        ),
    ),
    "scaled by the root of d_model": (
        loop_scores(scale=lambda width, d_model, d_in: d_model**0.5),
        torch_scores(scale=lambda width, d_model, d_in: math.sqrt(d_model)),
    ),
    "not scaled": (
        loop_scores(scale=lambda width, d_model, d_in: 1),
        torch_scores(scale=lambda width, d_model, d_in: 1),
    ),
    "scaled by head_dim": (
        loop_scores(scale=lambda width, d_model, d_in: width),
        torch_scores(scale=lambda width, d_model, d_in: width),
    ),
    "queries and keys exchanged": (
        loop_scores(finish=lambda scores: [[list(column) for column in zip(*head)] for head in scores]),
        torch_scores(equation="hmd,hnd->hnm"),
    ),
}


# cached_attention: one query after the other with lists, and PyTorch's own attention.


def loop_cached(
    start=lambda cached, new: cached,
    turn_q=plain_turn,
    turn_k=plain_turn,
    turn_v=unturned,
    turn_old=unturned,
    where=lambda position, head, first: position,
    sees=lambda n, m, cached, new: n <= cached + m,
    join=lambda cached, new: cached + new,
    width=lambda num_heads, head_dim: head_dim,
    from_zero="",
):
    def attend(q, k, v, cached_k, cached_v):
        num_heads, new, head_dim = q.shape
        cached, of = cached_k.shape[1], width(*q.shape[::2])
        outputs = []
        for h in range(num_heads):
            first = num_heads if start is None else start(cached, new)

            def moved(rows, turn, name, h=h, first=first):
                first = 0 if name in from_zero else first
                return [turn(row, where(first + m, h, first), of) for m, row in enumerate(rows)]

            queries, new_keys = moved(q[h].tolist(), turn_q, "q"), moved(k[h].tolist(), turn_k, "k")
            old_keys = [turn_old(row, n, of) for n, row in enumerate(cached_k[h].tolist())]
            keys = join(old_keys, new_keys)
            values = join(cached_v[h].tolist(), moved(v[h].tolist(), turn_v, "v"))
            outputs.append([])
            for m, query in enumerate(queries):
                powers = [
                    math.exp(sum(a * b for a, b in zip(query, key)) / math.sqrt(head_dim))
                    if sees(n + cached + new - len(keys), m, cached, new)
                    else 0.0
                    for n, key in enumerate(keys)
                ]
                outputs[-1].append(
                    [
                        sum(p * value[c] for p, value in zip(powers, values)) / sum(powers)
                        for c in range(head_dim)
                    ]
                )
        return outputs

    return attend


def torch_cached(
    start=lambda cached, new: cached,
    turn=torch_turn,
    which=(True, True, False),
    old=lambda keys: keys,
    diagonal=lambda cached, new: cached,
    join=lambda cached, new: torch.cat([cached, new], dim=1),
    sign=1,
    from_zero="",
):
    def attend(*arguments):
        q, k, v, cached_k, cached_v = (torch.tensor(one) for one in arguments)
        cached, new = cached_k.shape[1], q.shape[1]
        positions = torch.arange(new).double() + (len(q) if start is None else start(cached, new))
        q, k, v = (
            turn(one, positions=positions - (positions[0] if name in from_zero else 0), sign=sign)
            if turned
            else one
            for name, one, turned in zip("qkv", (q, k, v), which)
        )
        keys, values = join(old(cached_k), k), join(cached_v, v)
        mask = torch.ones(new, cached + new).bool().tril(diagonal(cached, new))[:, -keys.shape[1] :]
        return F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)

    return attend


def torch_across_heads(heads, positions, sign):
    return torch_turn(heads.transpose(0, 1), positions=positions[0] + torch.arange(len(heads))).transpose(
        0, 1
    )


CACHED_STYLES = {
    "offset ignored": (
        loop_cached(start=lambda cached, new: 0),
        torch_cached(start=lambda cached, new: 0),
    ),
    "offset counted twice": (
        loop_cached(start=lambda cached, new: cached + cached),
        torch_cached(start=lambda cached, new: 2 * cached),
    ),
    "new tokens counted in the offset": (
        loop_cached(start=lambda cached, new: new + cached),
        torch_cached(start=lambda cached, new: new + cached),
    ),
    "keys counted from 0": (loop_cached(from_zero="k"), torch_cached(from_zero="k")),
    "queries counted from 0": (loop_cached(from_zero="q"), torch_cached(from_zero="q")),
    "all new tokens at one position": (
        loop_cached(where=lambda position, head, first: first),
        torch_cached(
            turn=lambda heads, positions, sign: torch_turn(
                heads, positions=positions[:1].expand(len(positions))
            )
        ),
    ),
    "one position too late": (
        loop_cached(start=lambda cached, new: cached + 1),
        torch_cached(start=lambda cached, new: 1 + cached),
    ),
    "one position too early": (
        loop_cached(start=lambda cached, new: cached - 1),
        torch_cached(start=lambda cached, new: cached - 1),
    ),
    "heads counted for tokens": (
        loop_cached(start=None),
        torch_cached(start=None),
    ),
    "wrong sign": (
        loop_cached(where=lambda position, head, first: -position),
        torch_cached(sign=-1),
    ),
    "values rotated too": (loop_cached(turn_v=plain_turn), torch_cached(which=(True, True, True))),
    "only queries rotated": (loop_cached(turn_k=unturned), torch_cached(which=(True, False, False))),
    "only keys rotated": (loop_cached(turn_q=unturned), torch_cached(which=(False, True, False))),
    "nothing rotated": (
        loop_cached(where=lambda position, head, first: 0),
        torch_cached(which=(False, False, False)),
    ),
    "cached keys turned again": (loop_cached(turn_old=plain_turn), torch_cached(old=torch_turn)),
    "layouts mixed": (
        loop_cached(turn_q=halves_turn, turn_k=halves_turn),
        torch_cached(turn=lambda heads, positions, sign: torch_turn(heads, positions=positions, half=True)),
    ),
    "head axis taken for time": (
        loop_cached(where=lambda position, head, first: first + head),
        torch_cached(turn=torch_across_heads),
    ),
    "frequencies over d_model instead of head_dim": (
        loop_cached(width=lambda num_heads, head_dim: num_heads * head_dim),
        torch_cached(
            turn=lambda heads, positions, sign: torch_turn(
                heads, positions=positions, width=len(heads) * heads.shape[-1]
            )
        ),
    ),
    "no mask": (
        loop_cached(sees=lambda n, m, cached, new: True),
        torch_cached(diagonal=lambda cached, new: cached + new),
    ),
    "mask not moved by the cache": (
        loop_cached(sees=lambda n, m, cached, new: n <= m),
        torch_cached(diagonal=lambda cached, new: 0),
    ),
    "itself not seen": (
        loop_cached(sees=lambda n, m, cached, new: n < cached + m),
        torch_cached(diagonal=lambda cached, new: cached - 1),
    ),
    "one token ahead seen": (
        loop_cached(sees=lambda n, m, cached, new: n <= cached + m + 1),
        torch_cached(diagonal=lambda cached, new: cached + 1),
    ),
    "new tokens not put into the cache": (
        loop_cached(sees=lambda n, m, cached, new: True, join=lambda cached, new: cached),
        torch_cached(diagonal=lambda cached, new: cached + new, join=lambda cached, new: cached),
    ),
    "cache not looked at": (
        loop_cached(join=lambda cached, new: new),
        torch_cached(join=lambda cached, new: new),
    ),
    "cache put behind": (
        loop_cached(join=lambda cached, new: new + cached),
        torch_cached(join=lambda cached, new: torch.cat([new, cached], dim=1)),
    ),
}


def styles(loop_frequency, torch_frequency):
    return {
        "rotary_interleaved": rotary_styles(False, loop_frequency, torch_frequency),
        "rotary_half": rotary_styles(True, loop_frequency, torch_frequency),
        "rotary_scores": SCORE_STYLES,
        "cached_attention": CACHED_STYLES,
    }
