"""Exercises of lesson 15, tables by rotation."""

from types import SimpleNamespace

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.engine import Exercise, Misconception, Question, Slip


def rows_by_turning(first_row, frequencies, seq_len):
    first_row, frequencies = np.array(first_row), np.array(frequencies)
    hands = first_row[0::2] + 1j * first_row[1::2]  # (n_pairs,) sine + i cosine
    steps = np.arange(seq_len)[:, None]  # (seq_len, 1)
    rows = hands * np.exp(-1j * steps * frequencies)  # (seq_len, n_pairs)
    return rows.view(np.float64)  # (seq_len, 2 n_pairs) real, imaginary, real, ...


def _directly(hands, angles, steps, turn):
    return hands * turn(steps[:, None] * angles)


def _step_by_step_in_float32(hands, angles, steps, turn):
    """Every row from the one before it, in complex64."""
    row, done, rows = hands.astype(np.complex64), 0, []
    for step in steps:
        row = row * turn((step - done) * angles).astype(np.complex64)
        done = step
        rows.append(row)
    return np.array(rows)


def _interleaved(first, second):
    return np.stack([first, second], axis=-1).reshape(len(first), -1)


def _from_halves(hands):
    """The hands that the same row gives if its first half is taken for the sines."""
    row = np.stack([hands.real, hands.imag], axis=-1).ravel()
    return row[: len(hands)] + 1j * row[len(hands) :]


def _turned_rows_with(**pieces):
    right = {
        "given": lambda hands: hands,
        "sign": -1,
        "unit": lambda angles: angles,
        "steps": lambda steps: steps,
        "turn": lambda angles: np.exp(1j * angles),
        "method": _directly,
        "layout": lambda rows: _interleaved(rows.real, rows.imag),
    }
    part = SimpleNamespace(**right | pieces)

    def turned_rows(first_row, frequencies, seq_len):
        first_row = np.array(first_row)
        hands = part.given(first_row[0::2] + 1j * first_row[1::2])
        angles = part.sign * part.unit(np.array(frequencies))
        return part.layout(part.method(hands, angles, part.steps(np.arange(seq_len)), part.turn))

    return turned_rows


def _row(position, frequencies):
    return [float(wave(position * frequency)) for frequency in frequencies for wave in (np.sin, np.cos)]


def _probe(position, frequencies, seq_len):
    return _row(position, frequencies), frequencies, seq_len


turned_rows = Exercise(
    name="turned_rows",
    reference=rows_by_turning,
    probes=(_probe(2, [1.0, 0.01], 5), _probe(7, [1.0, 0.3, 0.05], 4)),
    edge_probes=(_probe(5, [1.0, 0.1], 1), _probe(1, [0.9], 1200)),
    slips=(
        Slip(
            "conjugate sign",
            "The hands go round the wrong way: row q is that of q tokens *back*. One token on is sine + i "
            "cosine times exp(-i w), or cosine + i sine times exp(+i w); in sums, the new sine is sine "
            "cos(w) + cosine sin(w).",
            "sign",
            1,
        ),
        Slip(
            "starts from position 0",
            "The rows begin with the row of position 0. The given row is that of another position, which you "
            "need not know: make its pairs, sine + i cosine, the hands that are rotated.",
            "given",
            lambda hands: np.full_like(hands, 1j),
        ),
        Slip(
            "halves taken for pairs",
            "Sines and cosines are taken from the two halves of the given row; in our table they are "
            "beside each other: `row[0::2]` and `row[1::2]`.",
            "given",
            _from_halves,
        ),
        Slip(
            "degrees",
            "The hands hardly move: the angles are taken for degrees. Frequencies are radians per token.",
            "unit",
            lambda angles: np.pi / 180 * angles,
        ),
        Slip(
            "starts from row 1",
            "The rows begin one token late: row 0 should be the given row itself, rotated by nothing.",
            "steps",
            lambda steps: steps + 1,
        ),
        Slip(
            "one step only",
            "All rows after the first are alike: every one is rotated by a single step. Row q is q steps on.",
            "steps",
            lambda steps: np.minimum(steps, 1),
        ),
        Slip(
            "faster and faster",
            "The hands run faster and faster: each row is made from the row before it, but rotated by q "
            "steps instead of one. Rotate the first row by q steps, or the row before by one.",
            "steps",
            lambda steps: steps * (steps + 1) // 2,
        ),
        Slip(
            "scaled instead of turned",
            "The hands change their length instead of going round: a multiplication by a cosine alone. A "
            "rotation needs the sine too, as imaginary part.",
            "turn",
            lambda angles: np.cos(angles) + 0j,
        ),
        Slip(
            "real and imaginary exchanged",
            "Sine and cosine come out in each other's columns. Which part of the complex number did you make "
            "of the sine at the beginning?",
            "layout",
            lambda rows: _interleaved(rows.imag, rows.real),
        ),
        Slip(
            "halves instead of interleaved",
            "All sines come first, then all cosines. In our table each cosine is beside its sine: "
            "`.view(float)` puts them so.",
            "layout",
            lambda rows: np.concatenate([rows.real, rows.imag], axis=1),
        ),
        Slip(
            "drift of step-by-step products",
            "The first rows are right, the late ones drift away. Is each row made from the one before it in "
            "float32? Then rounding adds up: rotate the *first* row by q steps. Or are the angles float32, "
            "by complex64 or by `torch.tensor` without a dtype? Keep float64.",
            "method",
            _step_by_step_in_float32,
            loses_precision=True,
        ),
    ),
    build=_turned_rows_with,
    hints=(
        "Make complex numbers of the row: sine + i cosine, `row[0::2] + 1j * row[1::2]`. One token on "
        "multiplies each by exp(-i w).",
        "Row q is the first row times exp(-i q w): q as a column, np.arange(seq_len)[:, None], makes all "
        "rows at once.",
        "`.view(np.float64)` of the complex rows gives real part, imaginary part, real part, ...",
    ),
)


def stream_of_blocks(seq_len, d_model, block_len):
    frequencies = arrays.frequencies(d_model)
    turns = np.exp(-1j * np.arange(block_len)[:, None] * frequencies)  # (block_len, n_pairs)
    for first in range(0, seq_len, block_len):
        hands = 1j * np.exp(-1j * first * frequencies)  # (n_pairs,) the row of position `first`
        rows = hands * turns[: seq_len - first]  # the last block may be shorter
        yield rows.view(np.float64)


def _fresh(rows, buffer):
    return rows


def _the_same_again(rows, buffer):
    buffer[: len(rows)] = rows
    return buffer[: len(rows)]


def _block_after_block_in_float32(seq_len, d_model, block_len):
    """Every start is the start before it, turned by a block, in complex64."""
    frequencies = arrays.frequencies(d_model)
    turns = np.exp(-1j * np.arange(block_len)[:, None] * frequencies).astype(np.complex64)
    one_block_on = np.exp(-1j * block_len * frequencies).astype(np.complex64)
    hands = np.full(d_model // 2, 1j, np.complex64)
    for first in range(0, seq_len, block_len):
        yield (hands * turns[: seq_len - first]).view(np.float32)
        hands = hands * one_block_on


def _row_by_row(seq_len, d_model, block_len):
    yield from arrays.sinusoidal(seq_len, d_model)


def _first_block_only(seq_len, d_model, block_len):
    return arrays.sinusoidal(min(seq_len, block_len), d_model)


def _nothing(seq_len, d_model, block_len):
    blocks = []
    for block in stream_of_blocks(seq_len, d_model, block_len):
        blocks.append(block)


def _one_buffer_filled_to_its_end(seq_len, d_model, block_len):
    frequencies = arrays.frequencies(d_model)
    turns = np.exp(-1j * np.arange(block_len)[:, None] * frequencies)
    rows = np.empty_like(turns)
    for first in range(0, seq_len, block_len):
        np.multiply(1j * np.exp(-1j * first * frequencies), turns, out=rows)
        yield rows.view(np.float64)[: seq_len - first]


def _all_at_once(seq_len, d_model, block_len):
    yield arrays.sinusoidal(seq_len, d_model)


def _stream_with(**pieces):
    right = {
        "firsts": lambda seq_len, block_len: range(0, seq_len, block_len),
        "length": lambda left, block_len: min(left, block_len),
        "sign": 1,
        "place": lambda first, offsets, block_len: first + offsets,
        "waves": (np.sin, np.cos),
        "hand_over": _fresh,
    }
    part = SimpleNamespace(**right | pieces)

    def stream(seq_len, d_model, block_len):
        buffer = np.empty((block_len, d_model))
        for first in part.firsts(seq_len, block_len):
            offsets = part.sign * np.arange(part.length(seq_len - first, block_len))
            positions = part.place(first, offsets, block_len)  # (rows of this block,)
            angles = positions[:, None] * arrays.frequencies(d_model)
            yield part.hand_over(_interleaved(*(wave(angles) for wave in part.waves)), buffer)

    return stream


def _look_at_stream(stream, seq_len, d_model, block_len, look):
    blocks = stream(seq_len, d_model, block_len)
    blocks = [] if blocks is None else list(blocks)
    if look == "lengths":
        return [len(block) for block in blocks]
    return [row.tolist() for block in blocks for row in np.asarray(block)]


def _call(name, seq_len, d_model, block_len, look):
    call = f"{name}({seq_len}, {d_model}, {block_len})"
    return f"[len(block) for block in {call}]" if look == "lengths" else call


stream_blocks = Exercise(
    name="stream_blocks",
    reference=stream_of_blocks,
    probes=tuple(
        (*sizes, look) for sizes in ((10, 4, 4), (7, 6, 3), (9, 2, 5)) for look in ("lengths", "rows")
    ),
    edge_probes=tuple(
        (*sizes, look)
        for sizes in ((6, 4, 3), (3, 4, 8), (4, 2, 1), (600, 2, 2))
        for look in ("lengths", "rows")
    ),
    use=_look_at_stream,
    call=_call,
    misconceptions=(
        Misconception(
            "row by row",
            "It hands over single rows. A loop over a table gives its rows too; hand over one block at a "
            "time, block_len rows together.",
            _row_by_row,
        ),
        Misconception(
            "return instead of yield",
            "Only the first block arrives: `return` ends the function. `yield` hands over a block, waits, "
            "and goes on with the next.",
            _first_block_only,
        ),
        Misconception(
            "all rows in one block",
            "The whole table comes as one single block. Let a loop run over the block starts, and yield the "
            "rows of one block in each round.",
            _all_at_once,
        ),
        Misconception(
            "nothing handed over",
            "Nothing is handed over: a `yield` is missing. It belongs into the loop, once for each block.",
            _nothing,
        ),
        Misconception(
            "one buffer for all blocks",
            "All blocks share one memory: the next one fills the array that you handed over before. Make a "
            "new block each time, or yield a copy.",
            _one_buffer_filled_to_its_end,
        ),
        Misconception(
            "drift from block to block",
            "The first blocks are right, the late ones drift away: each start is made from the one before it "
            "in float32. Make every start from its own position, or keep more digits.",
            _block_after_block_in_float32,
            exact=stream_of_blocks,
        ),
    ),
    slips=(
        Slip(
            "last partial block missing",
            "The rows at the end are missing: the last block is shorter than the others, and was left out. "
            "Rounding seq_len / block_len down forgets it.",
            "firsts",
            lambda seq_len, block_len: range(0, seq_len - block_len + 1, block_len),
        ),
        Slip(
            "first block missing",
            "The first block is missing: the stream begins with the second. The first block starts at "
            "position 0.",
            "firsts",
            lambda seq_len, block_len: range(block_len, seq_len, block_len),
        ),
        Slip(
            "last block too long",
            "The last block is as long as the others and runs past seq_len. Cut it to the rows that are "
            "left.",
            "length",
            lambda left, block_len: block_len,
        ),
        Slip(
            "blocks one row short",
            "Every full block has one row less than it should. range and slices leave their end out by "
            "themselves: no -1 is needed.",
            "length",
            lambda left, block_len: min(left, block_len - 1),
        ),
        Slip(
            "off by one block",
            "Every block holds the rows of the block after it. The first block starts at position 0, so the "
            "numbers of the blocks begin with 0.",
            "place",
            lambda first, offsets, block_len: first + block_len + offsets,
        ),
        Slip(
            "block start re-used",
            "All blocks hold the rows of the first one. Each block is rotated from a start of its own: the "
            "row of *its* first position.",
            "place",
            lambda first, offsets, block_len: offsets,
        ),
        Slip(
            "block number for block start",
            "Each block is rotated by its number, 0, 1, 2, ..., instead of by its first position, which is "
            "the number times block_len.",
            "place",
            lambda first, offsets, block_len: first // block_len + offsets,
        ),
        Slip(
            "offsets do not restart",
            "From the second block on the positions are counted twice: in the start of the block and within "
            "it. The rows within a block begin again with 0.",
            "place",
            lambda first, offsets, block_len: 2 * first + offsets,
        ),
        Slip(
            "offsets from 1",
            "All rows are one token late: within a block the count begins with 1. The first row of a block "
            "is its start, rotated by 0.",
            "place",
            lambda first, offsets, block_len: first + offsets + 1,
        ),
        Slip(
            "blocks overlap by one row",
            "The last row of a block comes again as the first of the next: the starts are block_len - 1 "
            "apart. The next block starts block_len tokens on.",
            "place",
            lambda first, offsets, block_len: first - first // block_len + offsets,
        ),
        Slip(
            "turned back within a block",
            "Within each block the positions run backwards from its start. One token on multiplies sine + i "
            "cosine by exp(-i w): look at the sign.",
            "sign",
            -1,
        ),
        Slip(
            "sine and cosine exchanged",
            "The cosines are in the sine columns and the other way round. In this course the sine comes "
            "first.",
            "waves",
            (np.cos, np.sin),
        ),
        Slip(
            "starts without the i",
            "Cosine and minus sine come out: exp(-i p w) alone begins with the cosine. The row of position p "
            "is i times it, `1j * np.exp(...)`.",
            "waves",
            (np.cos, lambda angles: -np.sin(angles)),
        ),
        Slip(
            "the same array again",
            "One array is filled again for every block, so the blocks handed over before change with it. "
            "Hand over a copy, or make a new array for each block.",
            "hand_over",
            _the_same_again,
        ),
    ),
    build=_stream_with,
    hints=(
        "Two small tables: the rotations exp(-i q w) for the rows q = 0, 1, ... within a block, made once, "
        "and the row of the position where a block starts, made for each block: call it hands_of(P), the "
        "row of position P, as complex numbers.",
        "for first in range(0, seq_len, block_len): the block is hands_of(first) * rotations, cut to the "
        "rows that are left.",
        "1j * np.exp(-1j * first * frequencies) is the row of position first; `yield rows.view(np.float64)`.",
    ),
)


speed_question = Question(
    name="speed_question",
    prompt="A table of n rows and d columns. What is true?",
    choices={
        "a": (
            "twice the rows take about twice the time, and so do twice the columns",
            True,
            "Every entry has to be written, so the time grows with n d, however it is made. Only small "
            "tables cost the calls rather than the entries.",
        ),
        "b": (
            "by rotation, most of the time goes into sines and cosines",
            False,
            "Of a large table only the rows of a few hundred positions, or fewer, need a sine: the time "
            "goes into products and into writing them down.",
        ),
        "c": (
            "made row after row in float32, a long table is as exact as one made by blocks",
            False,
            "Every product rounds, and the next row is built on it: the error grows along the table. A block "
            "start of its own forgets all earlier errors.",
        ),
        "d": (
            "a bias that depends on the offset alone needs at most 2n - 1 numbers per head, not n times n",
            True,
            "One for each offset from 1 - n to n - 1, the diagonals of the matrix; the matrix need not "
            "exist.",
        ),
        "e": (
            "the rotation is faster than the plain formula for every size of table",
            False,
            "For a small table the extra calls cost more than the sines they save.",
        ),
    },
    hints=(
        "Think of three costs: computing an entry, writing it to memory, and calling a function at all.",
        "Which cost grows with the table, which does not, and what does a rounding error do that is "
        "multiplied on?",
    ),
)
