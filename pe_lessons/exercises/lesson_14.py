"""Exercises of lesson 14, when numbers break."""

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.engine import Exercise, Misconception, Question, Slip


def _same(values):
    return values


def _to(dtype):
    return lambda values: np.asarray(values).astype(dtype)


def _bfloat16(values):
    """The nearest numbers of eight binary digits, ties to even."""
    fractions, points = np.frexp(np.asarray(values, float))
    return np.ldexp(np.round(fractions * 2**8), points - 8)


def far_rows(positions, d_model):
    positions = np.array(positions, dtype=np.float64)[:, None]  # (seq_len, 1)
    angles = positions * arrays.frequencies(d_model)  # (seq_len, n_pairs), float64
    table = np.empty((len(positions), d_model))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table.astype(np.float32)


def _interleaved(even, odd):
    return np.stack([even, odd], axis=-1).reshape(len(even), -1)


def _look_at_rows(function, positions, d_model, look_at="values"):
    rows = function(positions, d_model)
    if look_at == "is not float64":  # a list of lists has no format of its own
        return "float64" not in str(getattr(rows, "dtype", ""))
    return rows


# What is rounded, and when: positions, frequencies, angles, and the finished table.
EXACT = {"positions": _same, "frequencies": _same, "angles": _same, "stored": _to(np.float32)}


def _far_with(precision=EXACT, places=_same, waves=(np.sin, np.cos), layout=_interleaved, cast=np.float32):
    rounded = EXACT | precision

    def far_table(positions, d_model):
        positions = rounded["positions"](np.array(places(positions), float)[:, None])
        angles = rounded["angles"](positions * rounded["frequencies"](arrays.frequencies(d_model)))
        even, odd = (wave(angles.astype(float)) for wave in waves)
        return rounded["stored"](layout(even, odd)).astype(cast)

    return far_table


def _rounding(name, diagnosis, **precision):
    """Rounding is the same in every program that does it at this place, so the digits tell the place."""
    return Slip(name, diagnosis, "precision", precision)


far_table = Exercise(
    name="far_table",
    reference=far_rows,
    probes=(([0, 1, 2, 3], 4), ([255, 5, 301, 77], 6), ([1025, 2051, 4099], 8)),
    edge_probes=(
        ([100_003, 654_321, 1_000_000], 16),
        ([999_999], 12),
        ([123_457, 7], 2),
        ([0, 1, 2], 4, "is not float64"),
    ),
    use=_look_at_rows,
    says={"is not float64": "The table is still in float64: cast it to float32."},
    slips=(
        Slip(
            "float32 angles",
            "Before its sine is taken, the angle, or the position or frequency it is made of, is rounded "
            "to float32. Far out it is off by up to 0.06, and no sine undoes that: round the finished sine.",
            "precision",
            {"positions": _to(np.float32), "frequencies": _to(np.float32)},
            loses_precision=True,
        ),
        _rounding(
            "float16 positions",
            "The positions are rounded to float16: it keeps 11 binary digits, so from 2049 on positions fall "
            "together, and from 65,520 on they are infinite. Keep them in float64.",
            positions=_to(np.float16),
        ),
        _rounding(
            "bfloat16 positions",
            "The positions are rounded to bfloat16: it keeps 8 binary digits, so from 257 on positions fall "
            "together. Keep them in float64.",
            positions=_bfloat16,
        ),
        _rounding(
            "float16 frequencies",
            "The frequencies are rounded to float16, to 11 binary digits. That is another encoding, with "
            "other clocks: keep them in float64 until the sines are there.",
            frequencies=_to(np.float16),
        ),
        _rounding(
            "bfloat16 frequencies",
            "The frequencies are rounded to bfloat16, to 8 binary digits. That is another encoding, with "
            "other clocks: keep them in float64 until the sines are there.",
            frequencies=_bfloat16,
        ),
        _rounding(
            "stored in float16",
            "The angles are right, but the finished table is rounded to float16. Here it is to be stored in "
            "float32.",
            stored=_to(np.float16),
        ),
        _rounding(
            "stored in bfloat16",
            "The angles are right, but the finished table is rounded to bfloat16. Here it is to be stored in "
            "float32.",
            stored=_bfloat16,
        ),
        Slip(
            "positions ignored",
            "The rows are those of positions 0, 1, 2, ... whatever list is given. Take the positions from "
            "the list.",
            "places",
            lambda positions: list(range(len(positions))),
        ),
        Slip(
            "counted from the first",
            "The first position of the list is taken for 0. The numbers in the list are the positions "
            "themselves.",
            "places",
            lambda positions: [position - positions[0] for position in positions],
        ),
        Slip(
            "positions moved by one",
            "Each row is that of the next position. Positions count from 0, and the list says them as they "
            "are.",
            "places",
            lambda positions: [position + 1 for position in positions],
        ),
        Slip(
            "sine and cosine exchanged",
            "Sine and cosine are in each other's columns: the even columns are sines.",
            "waves",
            (np.cos, np.sin),
        ),
        Slip(
            "halves instead of interleaved",
            "The numbers are right, but all sines come before all cosines. Each cosine is beside its sine.",
            "layout",
            lambda even, odd: np.concatenate([even, odd], axis=1),
        ),
        Slip(
            "not cast",
            "Every number is right, but the table is still in float64. Compute high, and now store low: cast "
            "it to float32.",
            "cast",
            np.float64,
        ),
    ),
    build=_far_with,
    hints=(
        "Nothing may be rounded before the sine is taken. Where does each number of yours get its format?",
        "np.array(positions, dtype=np.float64)[:, None] * arrays.frequencies(d_model) is all float64.",
        "Fill the sines into table[:, 0::2] and the cosines into table[:, 1::2], and end with "
        ".astype(np.float32).",
    ),
)


def positions_of_mask(mask):
    return (np.cumsum(mask, axis=1) - 1).clip(min=0)  # (batch, seq_len)


def _array(formula):
    return lambda mask: formula(np.array(mask))


padded_positions = Exercise(
    name="padded_positions",
    reference=positions_of_mask,
    probes=(
        ([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 1, 1, 1, 1]],),
        ([[0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1]],),
        ([[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1]],),
    ),
    edge_probes=(([[1]],), ([[0, 0, 0, 1]],), ([[1, 1], [1, 1]],)),
    misconceptions=(
        Misconception(
            "counted from the left edge",
            "The positions are counted from the left edge, padding included. The first *real* token has "
            "position 0.",
            _array(lambda mask: np.tile(np.arange(mask.shape[1]), (len(mask), 1))),
        ),
        Misconception(
            "positions from 1",
            "The first real token has position 1. cumsum counts the token itself too: take 1 off, and mind "
            "the padding.",
            _array(lambda mask: mask.cumsum(axis=1)),
        ),
        Misconception(
            "padding not clipped",
            "The real tokens are right, but padding gets -1, and in a table that is the *last* row, or an "
            "error. It should be 0.",
            _array(lambda mask: mask.cumsum(axis=1) - 1),
        ),
        Misconception(
            "padding gets 1",
            "The real tokens are right, but padding gets 1. Older versions of the library transformers "
            "did that; here it should be 0.",
            _array(lambda mask: np.where(mask, mask.cumsum(axis=1) - 1, 1)),
        ),
        Misconception(
            "padding counted below 0",
            "The real tokens are right, but padding is counted as -1, -2, ... to the left. It should be 0.",
            _array(lambda mask: np.arange(mask.shape[1]) - (mask == 0).sum(axis=1, keepdims=True)),
        ),
        Misconception(
            "padding counted instead",
            "The padding is counted, not the tokens. Is the mask read the other way round? 1 is real.",
            _array(lambda mask: ((1 - mask).cumsum(axis=1) - 1).clip(min=0)),
        ),
        Misconception(
            "padding added to the position",
            "The number of padding tokens is added to the column instead of taken away from it.",
            _array(
                lambda mask: np.where(
                    mask, np.arange(mask.shape[1]) + (mask == 0).sum(axis=1, keepdims=True), 0
                )
            ),
        ),
        Misconception(
            "counted down the batch",
            "The count runs down the batch. Each row is a sentence of its own: count along it, axis 1.",
            _array(lambda mask: (mask.cumsum(axis=0) - 1).clip(min=0)),
        ),
        Misconception(
            "counted on from row to row",
            "The count goes on from one row to the next. Each row is a sentence of its own: begin with 0.",
            _array(lambda mask: (mask.cumsum().reshape(mask.shape) - 1).clip(min=0)),
        ),
        Misconception(
            "counted from the right",
            "The last token of each row has position 0. The first real one should: count from left to right.",
            _array(lambda mask: np.where(mask, np.arange(mask.shape[1])[::-1], 0)),
        ),
        Misconception(
            "padding of the first row for all",
            "Every row is counted as if it had the padding of the first one. Each has its own.",
            _array(
                lambda mask: (np.arange(mask.shape[1]) - (mask[0] == 0).sum() + 0 * mask).clip(min=0) * mask
            ),
        ),
        Misconception(
            "left edge, padding at 0",
            "Padding is 0, as it should be, but the real tokens keep the number of their column. The first "
            "real one of each row has position 0.",
            _array(lambda mask: np.arange(mask.shape[1]) * mask),
        ),
        Misconception(
            "clipped too early",
            "The first two real tokens both have position 0: one too many is taken away. Take 1 off the "
            "count, once.",
            _array(lambda mask: (mask.cumsum(axis=1) - 2).clip(min=0)),
        ),
    ),
    hints=(
        "The position of a token is the number of real tokens before it.",
        "np.cumsum(mask, axis=1) counts the real tokens up to and with this one.",
        "Take 1 off the cumsum; padding then has -1, and .clip(min=0) puts it to 0.",
    ),
)


def positions_of_new(mask, new):
    return (np.cumsum(mask, axis=1) - 1).clip(min=0)[:, -new:]  # (batch, new)


def _of_new(formula):
    """A wrong variant, given the mask as an array, all right positions, and how many are cached and new."""

    def next_positions(mask, new):
        mask = np.array(mask)
        return formula(mask, positions_of_mask(mask), mask.shape[1] - new, new)

    return next_positions


next_positions = Exercise(
    name="next_positions",
    reference=positions_of_new,
    probes=(
        ([[1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]], 2),
        ([[0, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1]], 3),
        ([[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]], 5),
    ),
    edge_probes=(([[0, 1, 1, 1]], 1), ([[1, 1, 1]], 3), ([[1, 1], [0, 1]], 1)),
    misconceptions=(
        Misconception(
            "offset ignored",
            "The new tokens are counted from 0, as if nothing were in the cache. How many real tokens are "
            "before them?",
            _of_new(lambda mask, right, cached, new: positions_of_mask(mask[:, cached:])),
        ),
        Misconception(
            "padding counted",
            "The new tokens get the numbers of their columns, padding included. Count real tokens only, each "
            "row for itself.",
            _of_new(lambda mask, right, cached, new: np.arange(cached, cached + new) + 0 * mask[:, cached:]),
        ),
        Misconception(
            "off by one",
            "All positions are one too high: the first real token of a row should be 0. cumsum counts the "
            "token itself too.",
            _of_new(lambda mask, right, cached, new: mask.cumsum(axis=1)[:, cached:]),
        ),
        Misconception(
            "last position used again",
            "Positions are one too low: the first new token gets the position of the last one in the cache.",
            _of_new(lambda mask, right, cached, new: (mask.cumsum(axis=1) - 2).clip(min=0)[:, cached:]),
        ),
        Misconception(
            "offset counted twice",
            "The real tokens in the cache are counted twice. A cumsum over the whole mask holds them.",
            _of_new(
                lambda mask, right, cached, new: (
                    right[:, cached:] + mask[:, :cached].sum(axis=1, keepdims=True)
                )
            ),
        ),
        Misconception(
            "length of the cache added",
            "The length of the cache is added to positions that were counted from the whole mask. They hold "
            "it already.",
            _of_new(lambda mask, right, cached, new: right[:, cached:] + cached),
        ),
        Misconception(
            "one position for all new tokens",
            "All new tokens of a row get the same position, as if each were the first after the cache. They "
            "follow one another.",
            _of_new(lambda mask, right, cached, new: np.repeat(right[:, cached : cached + 1], new, axis=1)),
        ),
        Misconception(
            "positions of all tokens",
            "These are the positions of all tokens, the cached ones too. Give back the last `new` columns.",
            _of_new(lambda mask, right, cached, new: right),
        ),
        Misconception(
            "counted on through padding",
            "Right for tokens that come after the padding. At the first step, though, the padding itself is "
            "among the new columns, and you count on through it as if it were real.",
            _of_new(
                lambda mask, right, cached, new: mask[:, :cached].sum(axis=1, keepdims=True) + np.arange(new)
            ),
        ),
        Misconception(
            "first columns for last",
            "These are the positions of the first columns. The new tokens are the last ones.",
            _of_new(lambda mask, right, cached, new: right[:, :new]),
        ),
        Misconception(
            "padding not clipped",
            "Where the prompt itself is new, its padding gets -1. It should be 0.",
            _of_new(lambda mask, right, cached, new: (mask.cumsum(axis=1) - 1)[:, cached:]),
        ),
        Misconception(
            "first row for all",
            "Every row gets the positions of the first one. Each row has padding of its own.",
            _of_new(lambda mask, right, cached, new: right[:1, cached:] + 0 * mask[:, cached:]),
        ),
        Misconception(
            "counted backwards",
            "The new tokens are counted backwards. The first of them comes right after the cache.",
            _of_new(lambda mask, right, cached, new: right[:, cached:][:, ::-1]),
        ),
    ),
    hints=(
        "You have a function that gives the position of every token of the whole mask.",
        "Which columns of it belong to the new tokens?",
        "positions[:, -new:] are the last `new` columns.",
    ),
)

precision_question = Question(
    name="precision_question",
    prompt="A rotary model was trained with exact angles. In a text of 4000 tokens, which of these change a "
    "score by more than a hundredth of the largest one?",
    choices={
        "a": (
            "the positions are stored in bfloat16",
            True,
            "Only 769 of 4096 whole numbers exist there: most tokens share their place with a neighbour, and "
            "scores at one offset differ by up to 0.4 of the largest.",
        ),
        "b": (
            "the finished sines and cosines are stored in bfloat16",
            False,
            "They are wrong by 0.002 at most, near or far, and the scores of the lesson by no more: compute "
            "high, store low. (Real models may have larger scores; the lesson tells of the dispute.)",
        ),
        "c": (
            "the frequencies are rounded to bfloat16, after training",
            True,
            "It is another encoding: near tokens look the same, but between tokens thousands apart a score "
            "changes by up to 0.17 of the largest.",
        ),
        "d": (
            "the angles are computed in float32",
            False,
            "At 4000 tokens such a sine is wrong by less than 0.001. At 1,000,000 the worst pair is off by "
            "0.05, and the score of the lesson by 0.001; at ten million it is 0.02.",
        ),
        "e": (
            "the frequencies are written as exp(-log(base) * ...) instead of a power",
            False,
            "Two spellings of the same number; what counts is the format that it is computed in.",
        ),
    },
    hints=(
        "What may not be rounded: the position, its angle, or the sine? And how far out are 4000 tokens?",
        "Look at the number of positions left, at the kernel with rounded frequencies, and at the picture of "
        "errors near 4000.",
    ),
)
