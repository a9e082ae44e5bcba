"""Lesson 15 for test_exercises.py and test_styles.py: oracles, and every mistake in two more styles."""

import math

import mpmath
import torch

CATALOGUE = {
    "turned_rows": (
        "drift of step-by-step products", "conjugate sign", "degrees", "starts from row 1",
        "real and imaginary exchanged", "starts from position 0", "halves taken for pairs",
    ),
    "stream_blocks": (
        "off by one block", "last partial block missing", "offsets do not restart", "block start re-used",
        "starts without the i", "block number for block start", "the same array again", "row by row",
        "return instead of yield", "all rows in one block", "drift from block to block",
        "nothing handed over", "one buffer for all blocks",
    ),
}  # fmt: skip


# Oracles: no complex numbers, and all the digits of mpmath where the position is known.


def rows_by_the_addition_formulas(first_row, frequencies, seq_len):
    rows = []
    for q in range(seq_len):
        row = []
        for pair, frequency in enumerate(frequencies):
            sine, cosine = first_row[2 * pair], first_row[2 * pair + 1]
            c, s = math.cos(q * frequency), math.sin(q * frequency)
            row += [sine * c + cosine * s, cosine * c - sine * s]
        rows.append(row)
    return rows


def exact_stream(seq_len, d_model, block_len):
    with mpmath.workdps(30):
        rows = []
        for position in range(seq_len):
            angles = [
                position / mpmath.mpf(10_000) ** (mpmath.mpf(2 * k) / d_model) for k in range(d_model // 2)
            ]
            rows.append([float(wave(angle)) for angle in angles for wave in (mpmath.sin, mpmath.cos)])
    return [rows[first : first + block_len] for first in range(0, seq_len, block_len)]


ORACLES = {"turned_rows": rows_by_the_addition_formulas, "stream_blocks": exact_stream}


# turned_rows, as loops over angles read off the row, and with PyTorch's complex numbers.


def loop_rows(
    angle=lambda start, q, w: start + q * w, steps=lambda q: q, put=None, waves=(math.sin, math.cos)
):
    def rows(first_row, frequencies, seq_len):
        found = []
        for q in range(seq_len):
            row = []
            for sine, cosine, w in zip(first_row[0::2], first_row[1::2], frequencies):
                turned = angle(math.atan2(sine, cosine), steps(q), w)
                row += [waves[0](turned), waves[1](turned)]
            found.append(row if put is None else put(row))
        return found

    return rows


def torch_rows(sign=-1, unit=1.0, steps=lambda q: q, turn=None, put=None, given=lambda hands: hands):
    def rows(first_row, frequencies, seq_len):
        row, w = (torch.tensor(numbers, dtype=torch.float64) for numbers in (first_row, frequencies))
        hands = given(torch.view_as_complex(row.view(-1, 2)))
        angles = sign * unit * torch.outer(steps(torch.arange(seq_len)).double(), w)
        turned = hands * (torch.polar(torch.ones_like(angles), angles) if turn is None else turn(angles))
        both = torch.view_as_real(turned)  # (seq_len, n_pairs, 2)
        return (both if put is None else put(both)).flatten(1)

    return rows


def loop_sums(first_row, frequencies, seq_len):
    """By sums, which keep the length of a hand that is not 1."""
    rows = []
    for q in range(seq_len):
        row = []
        for a, b, w in zip(first_row[0::2], first_row[1::2], frequencies):
            row += [math.cos(q * w) * a + math.sin(q * w) * b, math.cos(q * w) * b - math.sin(q * w) * a]
        rows.append(row)
    return rows


def loop_scaled(first_row, frequencies, seq_len):
    return [
        [entry * math.cos(q * frequencies[column // 2]) for column, entry in enumerate(first_row)]
        for q in range(seq_len)
    ]


def from_halves(rows):
    """`rows` with the row it is given sorted so that its two halves take the places of the pairs."""

    def with_halves(first_row, frequencies, seq_len):
        pairs = zip(first_row[: len(frequencies)], first_row[len(frequencies) :])
        return rows([entry for pair in pairs for entry in pair], frequencies, seq_len)

    return with_halves


def loop_drift(first_row, frequencies, seq_len):
    """The 2 x 2 rotation again and again, on float32 numbers."""

    def short(value):
        return torch.tensor(value, dtype=torch.float32).item()

    turns = [(short(math.cos(w)), short(math.sin(w))) for w in frequencies]
    rows = [[short(entry) for entry in first_row]]
    while len(rows) < seq_len:
        row = []
        for (c, s), sine, cosine in zip(turns, rows[-1][0::2], rows[-1][1::2]):
            row += [short(sine * c + cosine * s), short(cosine * c - sine * s)]
        rows.append(row)
    return rows


def torch_drift(first_row, frequencies, seq_len):
    hands = torch.view_as_complex(torch.tensor(first_row).view(-1, 2))
    turn = torch.polar(torch.ones(len(frequencies)), -torch.tensor(frequencies))
    factors = torch.cat([hands[None], turn.expand(seq_len - 1, -1)])
    return torch.view_as_real(factors.cumprod(dim=0)).flatten(1)


TURNED_ROWS_STYLES = {
    "conjugate sign": (loop_rows(angle=lambda start, q, w: start - q * w), torch_rows(sign=1)),
    "starts from position 0": (
        loop_rows(angle=lambda start, q, w: q * w),
        torch_rows(given=lambda hands: torch.full_like(hands, 1j)),
    ),
    "halves taken for pairs": (from_halves(loop_sums), from_halves(torch_rows())),
    "degrees": (
        loop_rows(angle=lambda start, q, w: start + math.radians(q * w)),
        torch_rows(unit=math.pi / 180),
    ),
    "starts from row 1": (loop_rows(steps=lambda q: q + 1), torch_rows(steps=lambda q: q + 1)),
    "one step only": (loop_rows(steps=lambda q: 1 if q else 0), torch_rows(steps=lambda q: q.clamp(max=1))),
    "faster and faster": (
        loop_rows(steps=lambda q: sum(range(q + 1))),
        torch_rows(steps=lambda q: q.cumsum(0)),
    ),
    "scaled instead of turned": (loop_scaled, torch_rows(turn=lambda angles: angles.cos())),
    "real and imaginary exchanged": (
        loop_rows(waves=(math.cos, math.sin)),
        torch_rows(put=lambda both: both.flip(-1)),
    ),
    "halves instead of interleaved": (
        loop_rows(put=lambda row: row[0::2] + row[1::2]),
        torch_rows(put=lambda both: both.transpose(1, 2)),
    ),
    "drift of step-by-step products": (loop_drift, torch_drift),
}


# stream_blocks, as lists of rows, and as a generator of tensors.


def loop_blocks(
    bounds=lambda n, length: [(first, min(first + length, n)) for first in range(0, n, length)],
    position=lambda first, offset, length: first + offset,
    waves=(math.sin, math.cos),
):
    def stream(seq_len, d_model, block_len):
        blocks = []
        for first, end in bounds(seq_len, block_len):
            block = []
            for offset in range(end - first):
                p = position(first, offset, block_len)
                block.append([waves[c % 2](p / 10_000 ** (c // 2 * 2 / d_model)) for c in range(d_model)])
            blocks.append(block)
        return blocks

    return stream


def torch_blocks(
    count=lambda n, length: -(-n // length),
    skip=0,
    length=lambda left, length: min(left, length),
    sign=-1,
    start=lambda number, length: number * length,
    offsets=lambda offsets, number, length: offsets,
    unit=1,
    flip=False,
):
    def stream(seq_len, d_model, block_len):
        w = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
        for number in range(skip, count(seq_len, block_len)):
            own = torch.arange(length(seq_len - number * block_len, block_len))
            angles = torch.outer(offsets(own, number, block_len).double(), w)
            begin = start(number, block_len) * w
            rows = unit * torch.complex(begin.sin(), begin.cos()) * torch.exp(sign * 1j * angles)
            rows = torch.view_as_real(rows)
            yield (rows.flip(-1) if flip else rows).flatten(1)

    return stream


def loop_same_block(seq_len, d_model, block_len):
    """The same row lists again, entry by entry."""
    block = [[0.0] * d_model for _ in range(block_len)]
    for blockful in loop_blocks()(seq_len, d_model, block_len):
        for row, entries in zip(block, blockful):
            row[:] = entries
        yield block[: len(blockful)]


def torch_same_block(seq_len, d_model, block_len):
    block = torch.empty(block_len, d_model, dtype=torch.float64)
    for blockful in torch_blocks()(seq_len, d_model, block_len):
        yield block[: len(blockful)].copy_(blockful)


def loop_one_buffer(seq_len, d_model, block_len):
    """One list of rows, filled to its end even for the last block."""
    block = [[0.0] * d_model for _ in range(block_len)]
    whole = loop_blocks()(-(-seq_len // block_len) * block_len, d_model, block_len)
    for number, blockful in enumerate(whole):
        for row, entries in zip(block, blockful):
            row[:] = entries
        yield block[: seq_len - number * block_len]


def torch_one_buffer(seq_len, d_model, block_len):
    block = torch.empty(block_len, d_model, dtype=torch.float64)
    whole = torch_blocks(length=lambda left, length: length)(seq_len, d_model, block_len)
    for number, blockful in enumerate(whole):
        yield block.copy_(blockful)[: seq_len - number * block_len]


def torch_nothing(seq_len, d_model, block_len):
    blocks = []
    for block in torch_blocks()(seq_len, d_model, block_len):
        blocks.append(block)


def loop_one_by_one(seq_len, d_model, block_len):
    [rows] = loop_blocks()(seq_len, d_model, seq_len)
    return rows


def torch_one_by_one(seq_len, d_model, block_len):
    for block in torch_blocks()(seq_len, d_model, block_len):
        yield from block


def loop_block_drift(seq_len, d_model, block_len):
    """The last row so far, turned by one token, with sums of float32 numbers."""

    def short(value):
        return torch.tensor(value, dtype=torch.float32).item()

    turns = [
        (short(math.cos(w)), short(math.sin(w)))
        for w in (10_000 ** (-2 * k / d_model) for k in range(d_model // 2))
    ]
    rows = [[0.0, 1.0] * (d_model // 2)]
    while len(rows) < seq_len:
        row = []
        for (c, s), sine, cosine in zip(turns, rows[-1][0::2], rows[-1][1::2]):
            row += [short(sine * c + cosine * s), short(cosine * c - sine * s)]
        rows.append(row)
    return [rows[first : first + block_len] for first in range(0, seq_len, block_len)]


def torch_block_drift(seq_len, d_model, block_len):
    w = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    turns = torch.polar(torch.ones(block_len, len(w)), -torch.outer(torch.arange(block_len), w))
    start = torch.full((len(w),), 1j, dtype=torch.complex64)
    for first in range(0, seq_len, block_len):
        yield torch.view_as_real(start * turns).flatten(1)[: seq_len - first]
        start = start * torch.polar(torch.ones(len(w)), -block_len * w)


STREAM_STYLES = {
    "row by row": (loop_one_by_one, torch_one_by_one),
    "return instead of yield": (
        lambda *sizes: loop_blocks()(*sizes)[0],
        lambda *sizes: next(torch_blocks()(*sizes)),
    ),
    "all rows in one block": (
        lambda seq_len, d_model, block_len: loop_blocks()(seq_len, d_model, seq_len),
        lambda seq_len, d_model, block_len: list(torch_blocks()(seq_len, d_model, seq_len)),
    ),
    "nothing handed over": (lambda *sizes: [], torch_nothing),
    "one buffer for all blocks": (loop_one_buffer, torch_one_buffer),
    "drift from block to block": (loop_block_drift, torch_block_drift),
    "the same array again": (loop_same_block, torch_same_block),
    "last partial block missing": (
        loop_blocks(bounds=lambda n, length: [(k * length, (k + 1) * length) for k in range(n // length)]),
        torch_blocks(count=lambda n, length: n // length),
    ),
    "first block missing": (
        loop_blocks(bounds=lambda n, length: [(f, min(f + length, n)) for f in range(length, n, length)]),
        torch_blocks(skip=1),
    ),
    "last block too long": (
        loop_blocks(bounds=lambda n, length: [(first, first + length) for first in range(0, n, length)]),
        torch_blocks(length=lambda left, length: length),
    ),
    "blocks one row short": (
        loop_blocks(bounds=lambda n, length: [(f, min(f + length - 1, n)) for f in range(0, n, length)]),
        torch_blocks(length=lambda left, length: min(left, length - 1)),
    ),
    "off by one block": (
        loop_blocks(position=lambda first, offset, length: first + length + offset),
        torch_blocks(start=lambda number, length: (number + 1) * length),
    ),
    "block start re-used": (
        loop_blocks(position=lambda first, offset, length: offset),
        torch_blocks(start=lambda number, length: 0),
    ),
    "block number for block start": (
        loop_blocks(position=lambda first, offset, length: first // length + offset),
        torch_blocks(start=lambda number, length: number),
    ),
    "offsets do not restart": (
        loop_blocks(position=lambda first, offset, length: first + (first + offset)),
        torch_blocks(offsets=lambda own, number, length: own + number * length),
    ),
    "offsets from 1": (
        loop_blocks(position=lambda first, offset, length: first + offset + 1),
        torch_blocks(offsets=lambda own, number, length: own + 1),
    ),
    "blocks overlap by one row": (
        loop_blocks(position=lambda first, offset, length: first // length * (length - 1) + offset),
        torch_blocks(start=lambda number, length: number * (length - 1)),
    ),
    "turned back within a block": (
        loop_blocks(position=lambda first, offset, length: first - offset),
        torch_blocks(sign=1),
    ),
    "sine and cosine exchanged": (loop_blocks(waves=(math.cos, math.sin)), torch_blocks(flip=True)),
    "starts without the i": (
        loop_blocks(waves=(math.cos, lambda angle: -math.sin(angle))),
        torch_blocks(unit=-1j),
    ),
}

STYLES = {"turned_rows": TURNED_ROWS_STYLES, "stream_blocks": STREAM_STYLES}
