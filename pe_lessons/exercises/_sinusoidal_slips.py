"""The known slips in sinusoidal tables, as pieces that stand in for the right ones.

The table, its frequencies and a single angle are put together here from the same pieces, so that each slip is
written once for lessons 02 to 05, and any two slips of different parts make a runnable wrong variant.
"""

import math
from types import SimpleNamespace

import numpy as np

from pe_lessons.exercises.engine import Misconception, Slip


def _same(value):
    return value


RIGHT = {
    "base": 10_000.0,
    "numerator": lambda column: 2 * (column // 2),
    "divide": lambda numerator, d_model, base: numerator / d_model,
    "power": lambda base, exponent: base**-exponent,
    "position": lambda position, seq_len: position,
    "unit": _same,
    "waves": (np.sin, np.cos),
    "layout": _same,
    "first_row": _same,
    "orientation": _same,
    "width": _same,
    "precision": (np.float64, _same),
}


def frequencies_with(**pieces):
    """``frequencies(d_model)`` with these pieces instead of the right ones; one frequency per pair."""
    part = SimpleNamespace(**RIGHT | pieces)

    def frequencies(d_model):
        return _frequency(part, np.arange(0, d_model, 2), d_model)  # (n_pairs,)

    return frequencies


def angle_with(**pieces):
    """``one_angle(position, pair, d_model)`` with these pieces instead of the right ones."""
    part = SimpleNamespace(**RIGHT | pieces)

    def one_angle(position, pair, d_model):
        return part.unit(part.position(position, 1) * _frequency(part, np.array(2 * pair), d_model))

    return one_angle


def table_with(**pieces):
    """``sinusoidal(seq_len, d_model)`` with these pieces instead of the right ones."""
    part = SimpleNamespace(**RIGHT | pieces)

    def sinusoidal(seq_len, d_model):
        d_model = part.width(d_model)
        dtype, finish = part.precision
        positions = part.position(np.arange(seq_len)[:, None], seq_len).astype(dtype)  # (seq_len, 1)
        angles = part.unit(positions * _frequency(part, np.arange(d_model), d_model).astype(dtype))
        table = np.empty((seq_len, d_model), dtype)
        even, odd = part.waves
        table[:, 0::2] = even(angles[:, 0::2])
        table[:, 1::2] = odd(angles[:, 1::2])
        return part.orientation(part.first_row(part.layout(finish(table))))

    return sinusoidal


def _frequency(part, column, d_model):
    exponent = part.divide(part.numerator(column), d_model, part.base)
    return part.power(part.base, exponent)


def _precedence(numerator, d_model, base):
    """Exponent of ``exp(numerator * (-log(base) / d_model // 2))``, which rounds the quotient down."""
    return -numerator * (-math.log(base) / d_model // 2) / math.log(base)


def _zero_first_row(table):
    table[0] = 0.0
    return table


def _even_only(d_model):
    if d_model % 2:
        raise ValueError("could not broadcast the cosines into the odd columns")
    return d_model


# These two are no slips: together with another one they would explain all that comes out as nearly 0.


def brackets_missing(build):
    return Misconception(
        "brackets missing",
        "The frequencies all come out as nearly 0. Are brackets missing? Python computes ** first: without "
        "brackets only what is right behind it is in the exponent.",
        build(power=lambda base, exponent: exponent / 2 / base**2),
    )


def whole_number_division(build):
    return Misconception(
        "whole-number division",
        "The angles are cut to whole numbers, most of them to 0. Is there a // between position and "
        "denominator, where a / belongs?",
        build(unit=lambda angle: np.floor(angle + 1e-9)),  # 3.0 may come out as 2.9999999999999996
    )


FREQUENCY = (
    Slip(
        "base 1000",
        "The frequencies fall too slowly: the base is 1000 where the paper has 10,000. Count the zeros.",
        "base",
        1_000.0,
    ),
    Slip(
        "log2 for ln",
        "The frequencies fall too fast: exp undoes only the natural logarithm, and yours was taken to base "
        "2. Which function of your library is ln?",
        "base",
        math.exp(math.log2(10_000)),
    ),
    Slip(
        "log10 for ln",
        "The frequencies fall too slowly: exp undoes only the natural logarithm, and yours was taken to "
        "base 10. Which function of your library is ln?",
        "base",
        math.exp(math.log10(10_000)),
    ),
    Slip(
        "doubled exponent",
        "The exponent is doubled. The first pair is right and all the others are too slow: does your "
        "index already step by two before you multiply it by 2?",
        "numerator",
        lambda column: 4 * (column // 2),
    ),
    Slip(
        "exponent without the 2",
        "The exponent is halved: the pairs are too fast, all but the first. The formula has 2k above "
        "d_model; look for the 2.",
        "numerator",
        lambda column: column // 2,
    ),
    Slip(
        "all frequencies 1",
        "Every pair has the same frequency, 1 radian per token, so the pairs repeat each other. Does "
        "the exponent come out as 0, perhaps through a whole-number division //?",
        "power",
        lambda base, exponent: 1.0 + 0 * exponent,
    ),
    Slip(
        "T2T denominator",
        "The exponent is divided by d_model - 2, so that the last pair reaches the base itself. The library "
        "Tensor2Tensor does this, the paper does not: its formula divides by d_model.",
        "divide",
        lambda numerator, d_model, base: numerator / max(d_model - 2, 1),
    ),
    Slip(
        "precedence of //",
        "The exponent was rounded down on the way: Python reads a / d_model // 2 from left to right, as "
        "(a / d_model) // 2. Put brackets around what belongs together.",
        "divide",
        _precedence,
    ),
    Slip(
        "base and exponent exchanged",
        "The frequencies are all nearly 1, the first one 0: the exponent was raised to the power of 1/base. "
        "In x ** y, which one is the base?",
        "power",
        lambda base, exponent: exponent ** (1 / base),
    ),
    Slip(
        "multiplied instead of divided",
        "The frequencies rise where they should fall: the position is multiplied by base ** (2k/d_model). "
        "Should a later pair be faster or slower?",
        "power",
        lambda base, exponent: base**exponent,
    ),
)

COLUMNS = (
    Slip(
        "cosine with its own exponent",
        "The sines are right, the cosines are not: each cosine has an exponent of its own, (2k+1)/d_model. "
        "A sine and its cosine are a pair and share one angle.",
        "numerator",
        lambda column: column,
    ),
    Slip(
        "column taken for the pair",
        "The exponent is 2 * column / d_model: the number of the column is where the number of the pair "
        "belongs. Columns 0 and 1 are both pair 0; which pair are columns 2 and 3?",
        "numerator",
        lambda column: 2 * column,
    ),
)

ANGLE = (
    Slip(
        "positions from 1",
        "These are the numbers of the next position: positions are counted from 1 here. The first token has "
        "position 0.",
        "position",
        lambda position, seq_len: position + 1,
    ),
    Slip(
        "degrees",
        "The angle is converted to degrees before use. Sine and cosine in Python work in radians, and so "
        "does the formula: leave the angle as it is.",
        "unit",
        np.degrees,
    ),
    Slip(
        "taken for degrees",
        "The angle is converted as if it were in degrees, and becomes 57 times too small. The formula gives "
        "radians already: nothing is to be converted.",
        "unit",
        np.radians,
    ),
)

TABLE = (
    Slip(
        "position over length",
        "The positions are divided by seq_len, so the same position gets another row in a longer sentence. "
        "The formula takes the position itself.",
        "position",
        lambda position, seq_len: position / seq_len,
    ),
    Slip(
        "sine and cosine exchanged",
        "Sine and cosine have changed places: row 0 begins 1, 0 where it should begin 0, 1. Which of them "
        "belongs to the even columns?",
        "waves",
        (np.cos, np.sin),
    ),
    Slip(
        "sine alone",
        "There are sines only, in the odd columns too. These take the cosine of the angle of their pair.",
        "waves",
        (np.sin, np.sin),
    ),
    Slip(
        "halves instead of interleaved",
        "All sines come first and all cosines after them. The numbers are right, their columns are not: the "
        "paper puts each cosine right beside its sine.",
        "layout",
        lambda table: np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1),
    ),
    Slip(
        "row 0 zeroed",
        "The first row is all zeros. Position 0 is a position like any other; padding is the business of a "
        "mask. What is the cosine of 0?",
        "first_row",
        _zero_first_row,
    ),
    Slip(
        "transposed",
        "Rows and columns are exchanged: the table lies on its side. Each row is one position, each column "
        "one sine or cosine.",
        "orientation",
        np.transpose,
    ),
    Slip(
        "float32 angles",
        "Small tables are right, but far down in a long one the digits go: the angles are held in 32 bits, "
        "and their rounding error grows with the position. Compute angles in float64 and convert the "
        "finished table.",
        "precision",
        (np.float32, _same),
        loses_precision=True,
    ),
    Slip(
        "float16 angles",
        "Only about three digits are right: something is held in 16 bits, where whole numbers run out "
        "after 2048. Compute in float64 and convert the finished table.",
        "precision",
        (np.float16, _same),
        loses_precision=True,
    ),
    Slip(
        "rounded to 4 decimals",
        "The entries are rounded to 4 decimals. Round when you print, not when you compute: the slow pairs "
        "live in the later digits.",
        "precision",
        (np.float64, lambda table: table.round(4)),
    ),
    Slip(
        "rounded to 3 decimals",
        "The entries are rounded to 3 decimals, and the slowest pair hardly moves any more. Round when you "
        "print, not when you compute.",
        "precision",
        (np.float64, lambda table: table.round(3)),
    ),
    Slip(
        "whole numbers",
        "Nearly every entry is 0. Was anything written into the table, and with which dtype was it made? A "
        "table of whole numbers turns 0.84 into 0.",
        "precision",
        (np.float64, np.trunc),
    ),
    Slip(
        "crash on odd d_model",
        "Everything is right while d_model is even; with an odd one it stops with an error. An odd width "
        "ends with a sine that has no cosine: make one cosine column less.",
        "width",
        _even_only,
    ),
)

TABLE_SLIPS = (*FREQUENCY, *COLUMNS, *ANGLE, *TABLE)
ANGLE_SLIPS = (*FREQUENCY, *ANGLE)

PROBES = ((5, 4), (3, 6), (4, 4), (3, 10))
EDGE_PROBES = ((4, 5), (2, 3), (500, 16))
