"""Lesson 14 for test_exercises.py and test_styles.py: oracles, and its mistakes made in other styles."""

import math
import struct

import mpmath
import torch

CATALOGUE = {
    "far_table": (
        "float32 throughout", "float32 angles", "float32 frequencies", "float16 positions",
        "bfloat16 positions",
    ),
    "cached_scores": (
        "off by one", "offset ignored", "offset counted twice", "one position for all new tokens",
        "only queries turned",
    ),
    "padded_positions": (
        "counted from the left edge", "positions from 1", "padding not clipped", "padding counted instead",
    ),
}  # fmt: skip


# Oracles: multiple precision, complex numbers, and counting.


def precise_rows(positions, d_model):
    with mpmath.workdps(40):
        rows = []
        for position in positions:
            row = []
            for pair in range(d_model // 2):
                angle = position / mpmath.mpf(10_000) ** (mpmath.mpf(2 * pair) / d_model)
                row += [float(mpmath.sin(angle)), float(mpmath.cos(angle))]
            rows.append(row)
        return rows


def complex_scores(q, k, cache):
    """Rows as complex numbers, turned one pair after the other."""

    def turned(row, position):
        numbers = [complex(a, b) for a, b in zip(row[0::2], row[1::2])]
        return [
            number * complex(math.cos(angle), math.sin(angle))
            for pair, number in enumerate(numbers)
            for angle in [position / 10_000 ** (2 * pair / len(row))]
        ]

    n_cached, head_dim = len(cache), len(q[0])
    keys = [[complex(a, b) for a, b in zip(row[0::2], row[1::2])] for row in cache.tolist()]
    keys += [turned(row, n_cached + m) for m, row in enumerate(k.tolist())]
    queries = [turned(row, n_cached + m) for m, row in enumerate(q.tolist())]
    root = head_dim**0.5
    return [
        [sum((a * b.conjugate()).real for a, b in zip(one, key)) / root for key in keys] for one in queries
    ]


def count_before(mask):
    return [[sum(row[:column]) for column in range(len(row))] for row in mask]


ORACLES = {"far_table": precise_rows, "cached_scores": complex_scores, "padded_positions": count_before}


# far_table: rounding by the standard library, and by PyTorch.


def stored(letter):
    def rounded(number):
        try:
            return struct.unpack(letter, struct.pack(letter, number))[0]
        except OverflowError:
            return math.copysign(math.inf, number)

    return rounded


def eight_digits(number):
    fraction, point = math.frexp(number)
    return math.ldexp(round(fraction * 256), point - 8)


SINGLE, HALF = stored("f"), stored("e")


def sine(angle):
    return math.nan if math.isinf(angle) else math.sin(angle)


def cosine(angle):
    return math.nan if math.isinf(angle) else math.cos(angle)


def loop_far(
    position=float,
    frequency=float,
    angle=float,
    finish=SINGLE,
    places=list,
    waves=(sine, cosine),
    order=lambda even, odd: [entry for pair in zip(even, odd) for entry in pair],
):
    def far(positions, d_model):
        rows = []
        for place in places(positions):
            frequencies = [10_000 ** (-2 * pair / d_model) for pair in range(d_model // 2)]
            angles = [angle(position(place) * frequency(one)) for one in frequencies]
            even, odd = ([finish(one(turn)) for turn in angles] for one in waves)
            rows.append(order(even, odd))
        return rows

    return far


def torch_far(
    position=torch.float64,
    frequency=torch.float64,
    angle=torch.float64,
    finish=torch.float32,
    places=lambda positions: positions,
    waves=(torch.sin, torch.cos),
    order=lambda even, odd: torch.stack([even, odd], dim=2).flatten(1),
):
    def far(positions, d_model):
        positions = torch.tensor(places(positions)).float().to(position).double()
        exponents = torch.arange(0, d_model, 2).double() / d_model
        frequencies = torch.exp(exponents * -math.log(10_000)).to(frequency).double()
        angles = torch.outer(positions, frequencies).to(angle).double()
        return order(*(one(angles) for one in waves)).float().to(finish)

    return far


def torch_far_in_float32(positions, d_model):
    positions = torch.tensor(positions, dtype=torch.float32)
    frequencies = (10_000 ** -(torch.arange(0, d_model, 2).double() / d_model)).to(positions)
    angles = torch.einsum("m,k->mk", positions, frequencies).double()
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


def in_halves(even, odd):
    return even + odd


FAR_STYLES = {
    name: (loop_far(**loop), tensor if callable(tensor) else torch_far(**tensor))
    for name, loop, tensor in [
        (
            "float32 throughout",
            {"position": SINGLE, "frequency": SINGLE, "angle": SINGLE},
            torch_far_in_float32,
        ),
        ("float32 angles", {"angle": SINGLE}, {"angle": torch.float32}),
        ("float32 frequencies", {"frequency": SINGLE}, {"frequency": torch.float32}),
        ("float16 positions", {"position": HALF}, {"position": torch.float16}),
        ("bfloat16 positions", {"position": eight_digits}, {"position": torch.bfloat16}),
        ("float16 frequencies", {"frequency": HALF}, {"frequency": torch.float16}),
        ("bfloat16 frequencies", {"frequency": eight_digits}, {"frequency": torch.bfloat16}),
        ("stored in float16", {"finish": HALF}, {"finish": torch.float16}),
        ("stored in bfloat16", {"finish": eight_digits}, {"finish": torch.bfloat16}),
        (
            "positions ignored",
            {"places": lambda positions: [n for n, _ in enumerate(positions)]},
            {"places": lambda positions: list(range(len(positions)))},
        ),
        (
            "counted from the first",
            {"places": lambda positions: [one - positions[0] for one in positions]},
            {"places": lambda positions: (torch.tensor(positions) - positions[0]).tolist()},
        ),
        (
            "positions moved by one",
            {"places": lambda positions: [one + 1 for one in positions]},
            {"places": lambda positions: (torch.tensor(positions) + 1).tolist()},
        ),
        (
            "sine and cosine exchanged",
            {"waves": (cosine, sine)},
            {"waves": (torch.cos, torch.sin)},
        ),
        (
            "halves instead of interleaved",
            {"order": in_halves},
            {"order": lambda even, odd: torch.cat([even, odd], dim=1)},
        ),
    ]
}


# cached_scores: pair by pair in plain Python, and complex tensors in PyTorch.


def loop_turned(row, position):
    turned = []
    for pair in range(len(row) // 2):
        a, b = row[2 * pair], row[2 * pair + 1]
        angle = position * 10_000 ** (-2 * pair / len(row))
        turned += [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]
    return turned


def loop_cached(
    place=lambda m, n_cached, n_new: n_cached + m,
    turn_q=lambda row, position, n_cached: loop_turned(row, position),
    turn_k=lambda row, position, n_cached: loop_turned(row, position),
    join=lambda cache, keys: cache + keys,
    root=lambda head_dim: math.sqrt(head_dim),
    finish=lambda scores, n_cached: scores,
):
    def cached(q, k, cache):
        q, k, cache = q.tolist(), k.tolist(), cache.tolist()
        n_cached, n_new = len(cache), len(q)
        places = [place(m, n_cached, n_new) for m in range(n_new)]
        queries = [turn_q(row, position, n_cached) for row, position in zip(q, places)]
        keys = join(cache, [turn_k(row, position, n_cached) for row, position in zip(k, places)])
        scores = [[sum(a * b for a, b in zip(one, key)) / root(len(one)) for key in keys] for one in queries]
        return finish(scores, n_cached)

    return cached


def torch_turned(rows, positions):
    n_pairs = rows.shape[1] // 2
    frequencies = 10_000 ** -(torch.arange(n_pairs).double() / n_pairs)
    angles = torch.as_tensor(positions).double()[:, None] * frequencies
    numbers = torch.view_as_complex(rows.double().reshape(len(rows), n_pairs, 2).contiguous())
    return torch.view_as_real(numbers * torch.polar(torch.ones_like(angles), angles)).flatten(1)


def torch_cached(
    place=lambda n_cached, n_new: n_cached + torch.arange(n_new),
    turn_q=lambda rows, positions, n_cached: torch_turned(rows, positions),
    turn_k=lambda rows, positions, n_cached: torch_turned(rows, positions),
    join=lambda cache, keys: torch.cat([cache, keys]),
    scale=lambda head_dim: head_dim**-0.5,
    finish=lambda scores, n_cached: scores,
):
    def cached(q, k, cache):
        q, k, cache = torch.tensor(q), torch.tensor(k), torch.tensor(cache)
        places = place(len(cache), len(q))
        queries = turn_q(q, places, len(cache))
        keys = join(cache, turn_k(k, places, len(cache)))
        return finish(torch.einsum("md,nd->mn", queries, keys) * scale(q.shape[1]), len(cache))

    return cached


def loop_softmax(scores, n_cached):
    rows = [[math.exp(score) for score in row] for row in scores]
    return [[entry / sum(row) for entry in row] for row in rows]


def loop_causal(scores, n_cached):
    return [
        [score if n <= m + n_cached else -math.inf for n, score in enumerate(row)]
        for m, row in enumerate(scores)
    ]


def torch_causal(scores, n_cached):
    return scores.masked_fill(torch.ones(scores.shape).triu(n_cached + 1) > 0, -math.inf)


def torch_join_again(cache, keys):
    return torch.vstack([torch_turned(cache, torch.arange(len(cache))), keys])


CACHE_STYLES = {
    name: (loop_cached(**loop), torch_cached(**tensor))
    for name, loop, tensor in [
        (
            "offset ignored",
            {"place": lambda m, n_cached, n_new: m},
            {"place": lambda n_cached, n_new: torch.arange(n_new)},
        ),
        (
            "off by one",
            {"place": lambda m, n_cached, n_new: n_cached + m + 1},
            {"place": lambda n_cached, n_new: torch.arange(1, n_new + 1) + n_cached},
        ),
        (
            "last position used again",
            {"place": lambda m, n_cached, n_new: n_cached + m - 1},
            {"place": lambda n_cached, n_new: torch.arange(n_cached - 1, n_cached - 1 + n_new)},
        ),
        (
            "offset counted twice",
            {"place": lambda m, n_cached, n_new: n_cached + (n_cached + m)},
            {"place": lambda n_cached, n_new: torch.arange(n_new) + 2 * n_cached},
        ),
        (
            "one position for all new tokens",
            {"place": lambda m, n_cached, n_new: n_cached},
            {"place": lambda n_cached, n_new: torch.tensor([n_cached] * n_new)},
        ),
        (
            "counted backwards",
            {"place": lambda m, n_cached, n_new: n_cached + n_new - 1 - m},
            {"place": lambda n_cached, n_new: (n_cached + torch.arange(n_new)).flip(0)},
        ),
        (
            "keys without the offset",
            {"turn_k": lambda row, position, n_cached: loop_turned(row, position - n_cached)},
            {"turn_k": lambda rows, positions, n_cached: torch_turned(rows, torch.arange(len(rows)))},
        ),
        (
            "queries without the offset",
            {"turn_q": lambda row, position, n_cached: loop_turned(row, position - n_cached)},
            {"turn_q": lambda rows, positions, n_cached: torch_turned(rows, torch.arange(len(rows)))},
        ),
        (
            "only queries turned",
            {"turn_k": lambda row, position, n_cached: row},
            {"turn_k": lambda rows, positions, n_cached: rows},
        ),
        (
            "only keys turned",
            {"turn_q": lambda row, position, n_cached: row},
            {"turn_q": lambda rows, positions, n_cached: rows},
        ),
        (
            "cache turned again",
            {"join": lambda cache, keys: [loop_turned(row, n) for n, row in enumerate(cache)] + keys},
            {"join": torch_join_again},
        ),
        (
            "new keys first",
            {"join": lambda cache, keys: keys + cache},
            {"join": lambda cache, keys: torch.cat([keys, cache])},
        ),
        ("cache left out", {"join": lambda cache, keys: keys}, {"join": lambda cache, keys: keys}),
        ("new keys left out", {"join": lambda cache, keys: cache}, {"join": lambda cache, keys: cache}),
        ("not scaled", {"root": lambda head_dim: 1}, {"scale": lambda head_dim: 1}),
        ("scaled by head_dim", {"root": lambda head_dim: head_dim}, {"scale": lambda head_dim: 1 / head_dim}),
        ("mask added", {"finish": loop_causal}, {"finish": torch_causal}),
        (
            "softmax taken",
            {"finish": loop_softmax},
            {"finish": lambda scores, n_cached: scores.softmax(dim=-1)},
        ),
        (
            "keys by queries",
            {"finish": lambda scores, n_cached: [list(column) for column in zip(*scores)]},
            {"finish": lambda scores, n_cached: scores.mT},
        ),
    ]
}


# padded_positions: token by token, and PyTorch.


def loop_padded(entry, one_row=lambda mask, row: row):
    def padded(mask):
        return [[entry(one_row(mask, row), column) for column in range(len(row))] for row in mask]

    return padded


def torch_padded(formula):
    return lambda mask: formula(torch.tensor(mask))


def columns_of(mask):
    return torch.arange(mask.shape[1]).expand(mask.shape)


def down_the_batch(mask):
    return [
        [max(sum(row[column] for row in mask[: m + 1]) - 1, 0) for column in range(len(mask[0]))]
        for m in range(len(mask))
    ]


def from_row_to_row(mask):
    rows, count = [], 0
    for row in mask:
        rows.append([])
        for real in row:
            count += real
            rows[-1].append(max(count - 1, 0))
    return rows


def first_row_for_all(mask):
    pads = mask[0].count(0)
    return [[max(column - pads, 0) if real else 0 for column, real in enumerate(row)] for row in mask]


PADDED_STYLES = {
    "counted from the left edge": (loop_padded(lambda row, column: column), torch_padded(columns_of)),
    "positions from 1": (
        loop_padded(lambda row, column: sum(row[: column + 1])),
        torch_padded(lambda mask: torch.cumsum(mask, 1)),
    ),
    "padding not clipped": (
        loop_padded(lambda row, column: sum(row[:column]) if row[column] else -1),
        torch_padded(lambda mask: torch.cumsum(mask, 1) - 1),
    ),
    "padding gets 1": (
        loop_padded(lambda row, column: sum(row[:column]) if row[column] else 1),
        torch_padded(lambda mask: (torch.cumsum(mask, 1) - 1).masked_fill(mask == 0, 1)),
    ),
    "padding counted below 0": (
        loop_padded(lambda row, column: column - row.index(1)),
        torch_padded(lambda mask: columns_of(mask) - mask.argmax(dim=1, keepdim=True)),
    ),
    "padding counted instead": (
        loop_padded(lambda row, column: max(row[: column + 1].count(0) - 1, 0)),
        torch_padded(lambda mask: ((mask == 0).cumsum(1) - 1).clamp(min=0)),
    ),
    "padding added to the position": (
        loop_padded(lambda row, column: column + row.count(0) if row[column] else 0),
        torch_padded(lambda mask: (columns_of(mask) + (mask == 0).sum(1, keepdim=True)) * mask),
    ),
    "counted down the batch": (
        down_the_batch,
        torch_padded(lambda mask: (mask.cumsum(0) - 1).clamp(min=0)),
    ),
    "counted on from row to row": (
        from_row_to_row,
        torch_padded(lambda mask: (mask.flatten().cumsum(0).view_as(mask) - 1).clamp(min=0)),
    ),
    "counted from the right": (
        loop_padded(lambda row, column: len(row) - 1 - column if row[column] else 0),
        torch_padded(lambda mask: columns_of(mask).flip(1) * mask),
    ),
    "padding of the first row for all": (
        first_row_for_all,
        torch_padded(lambda mask: (columns_of(mask) - (1 - mask[0]).sum()).clamp(min=0) * mask),
    ),
    "left edge, padding at 0": (
        loop_padded(lambda row, column: column if row[column] else 0),
        torch_padded(lambda mask: columns_of(mask) * mask),
    ),
    "clipped too early": (
        loop_padded(lambda row, column: max(sum(row[: column + 1]) - 2, 0)),
        torch_padded(lambda mask: (mask.cumsum(1) - 2).clamp(min=0)),
    ),
}

STYLES = {"far_table": FAR_STYLES, "cached_scores": CACHE_STYLES, "padded_positions": PADDED_STYLES}
