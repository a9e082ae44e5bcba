"""Lesson 14 for test_exercises.py and test_styles.py: oracles, and its mistakes made in other styles."""

import math
import struct

import mpmath
import numpy as np
import torch

CATALOGUE = {
    "far_table": (
        "not cast", "float32 angles", "float16 positions", "bfloat16 positions", "bfloat16 frequencies",
    ),
    "next_positions": (
        "off by one", "offset ignored", "offset counted twice", "one position for all new tokens",
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


def count_before(mask):
    return [[sum(row[:column]) for column in range(len(row))] for row in mask]


def count_before_new(mask, new):
    return [[sum(row[:column]) for column in range(len(row) - new, len(row))] for row in mask]


ORACLES = {
    "far_table": precise_rows,
    "padded_positions": count_before,
    "next_positions": count_before_new,
}


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
    cast=torch.float32,
):
    def far(positions, d_model):
        positions = torch.tensor(places(positions)).float().to(position).double()
        exponents = torch.arange(0, d_model, 2).double() / d_model
        frequencies = torch.exp(exponents * -math.log(10_000)).to(frequency).double()
        angles = torch.outer(positions, frequencies).to(angle).double()
        return order(*(one(angles) for one in waves)).to(finish).to(cast)

    return far


def torch_far_in_float32(positions, d_model):
    """As it stands in many tutorials."""
    positions = torch.tensor(positions).float()
    frequencies = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000) / d_model))
    angles = torch.einsum("m,k->mk", positions, frequencies)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


def in_halves(even, odd):
    return even + odd


FAR_STYLES = {
    name: (loop if callable(loop) else loop_far(**loop), tensor if callable(tensor) else torch_far(**tensor))
    for name, loop, tensor in [
        ("float32 angles", {"frequency": SINGLE}, torch_far_in_float32),
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
        (
            "not cast",
            lambda positions, d_model: np.array(loop_far(finish=float)(positions, d_model)),
            {"finish": torch.float64, "cast": torch.float64},
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

# next_positions: token by token, and PyTorch.


def loop_next(entry, columns=lambda row, new: range(len(row) - new, len(row))):
    """`entry(row, column, cached)` is the position of a token."""

    def following(mask, new):
        return [[entry(row, column, len(row) - new) for column in columns(row, new)] for row in mask]

    return following


def torch_next(formula):
    """`formula(counts, cached, new)` gets the count of real tokens up to and with each column."""

    def following(mask, new):
        counts = torch.tensor(mask).cumsum(1)
        return formula(counts, counts.shape[1] - new, new)

    return following


def before(row, column):
    return sum(row[:column])


def torch_offset_ignored(mask, new):
    return (torch.tensor(mask)[:, -new:].cumsum(1) - 1).relu()


def torch_on_through_padding(mask, new):
    mask = torch.tensor(mask)
    return mask[:, : mask.shape[1] - new].sum(1, keepdim=True) + torch.arange(new)


def loop_first_row(mask, new):
    return [count_before_new(mask, new)[0] for _ in mask]


NEXT_STYLES = {
    "offset ignored": (
        loop_next(lambda row, column, cached: sum(row[cached:column])),
        torch_offset_ignored,
    ),
    "padding counted": (
        loop_next(lambda row, column, cached: column),
        torch_next(lambda counts, cached, new: torch.arange(cached, cached + new).expand(len(counts), new)),
    ),
    "off by one": (
        loop_next(lambda row, column, cached: sum(row[: column + 1])),
        torch_next(lambda counts, cached, new: counts[:, cached:]),
    ),
    "last position used again": (
        loop_next(lambda row, column, cached: max(sum(row[: column + 1]) - 2, 0)),
        torch_next(lambda counts, cached, new: (counts[:, cached:] - 2).relu()),
    ),
    "offset counted twice": (
        loop_next(lambda row, column, cached: before(row, column) + sum(row[:cached])),
        torch_next(
            lambda counts, cached, new: (
                (counts[:, cached:] - 1).relu() + (counts[:, cached - 1 : cached] if cached else 0)
            )
        ),
    ),
    "length of the cache added": (
        loop_next(lambda row, column, cached: before(row, column) + cached),
        torch_next(lambda counts, cached, new: (counts[:, cached:] - 1).relu() + cached),
    ),
    "one position for all new tokens": (
        loop_next(lambda row, column, cached: before(row, cached)),
        torch_next(lambda counts, cached, new: (counts[:, [cached] * new] - 1).relu()),
    ),
    "positions of all tokens": (
        loop_next(lambda row, column, cached: before(row, column), lambda row, new: range(len(row))),
        torch_next(lambda counts, cached, new: (counts - 1).relu()),
    ),
    "counted on through padding": (
        loop_next(lambda row, column, cached: sum(row[:cached]) + column - cached),
        torch_on_through_padding,
    ),
    "first columns for last": (
        loop_next(lambda row, column, cached: before(row, column), lambda row, new: range(new)),
        torch_next(lambda counts, cached, new: (counts[:, :new] - 1).relu()),
    ),
    "padding not clipped": (
        loop_next(lambda row, column, cached: before(row, column) if row[column] else -1),
        torch_next(lambda counts, cached, new: counts[:, cached:] - 1),
    ),
    "first row for all": (
        loop_first_row,
        torch_next(lambda counts, cached, new: (counts[:1, cached:] - 1).relu().expand(len(counts), new)),
    ),
    "counted backwards": (
        loop_next(lambda row, column, cached: before(row, len(row) - 1 + cached - column)),
        torch_next(lambda counts, cached, new: (counts[:, cached:] - 1).relu().flip(1)),
    ),
}

STYLES = {"far_table": FAR_STYLES, "padded_positions": PADDED_STYLES, "next_positions": NEXT_STYLES}

# The other ways to lose the same digits: one rounding is enough, wherever it happens.
FLOAT32_STYLES = (
    loop_far(angle=SINGLE),
    loop_far(position=SINGLE, frequency=SINGLE, angle=SINGLE),
    torch_far(frequency=torch.float32),
    torch_far(angle=torch.float32),
)
