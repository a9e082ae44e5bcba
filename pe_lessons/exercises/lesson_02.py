"""Exercises of lesson 02, by hand."""

import math

import numpy as np

from pe_lessons import loops
from pe_lessons.exercises import _sinusoidal_slips as slips
from pe_lessons.exercises.engine import Exercise, Misconception, Numbers, Question, Slip

POSITION, SEQ_LEN, D_MODEL = 6, 7, 4


def angle_at(position, pair, d_model):
    return position / 10_000 ** (2 * pair / d_model)


one_angle = Exercise(
    name="one_angle",
    reference=angle_at,
    probes=((3, 1, 4), (5, 1, 6), (2, 3, 8), (7, 2, 10), (2550, 1, 4)),
    edge_probes=((7, 0, 4), (4, 2, 5)),
    slips=(
        *slips.ANGLE_SLIPS,
        Slip(
            "pair taken for a column",
            "The pair is divided by 2 once more, as if it were the number of a column. What you are given "
            "is the pair already.",
            "numerator",
            lambda column: 2 * (column // 4),
        ),
    ),
    build=slips.angle_with,
    misconceptions=(
        slips.brackets_missing(slips.angle_with),
        slips.whole_number_division(slips.angle_with),
        Misconception(
            "position and pair exchanged",
            "Position and pair have changed places. The position is multiplied by the frequency; the pair "
            "is in the exponent.",
            lambda position, pair, d_model: angle_at(pair, position, d_model),
        ),
        Misconception(
            "sine of the angle",
            "This is already the sine of the angle. Wanted is the angle itself, in radians.",
            lambda position, pair, d_model: math.sin(angle_at(position, pair, d_model)),
        ),
        Misconception(
            "cosine of the angle",
            "This is already the cosine of the angle. Wanted is the angle itself, in radians.",
            lambda position, pair, d_model: math.cos(angle_at(position, pair, d_model)),
        ),
        Misconception(
            "frequency alone",
            "This is the frequency of the pair. How far has the hand moved at the position?",
            lambda position, pair, d_model: angle_at(1, pair, d_model),
        ),
    ),
    hints=(
        "Start with the denominator: 10,000 to some power. Which of the three arguments are in the exponent?",
        "The exponent is 2 * pair / d_model. With d_model 4 the denominators are 1 and 100.",
        "angle = position / denominator, and the denominator is 10_000 ** (2 * pair / d_model).",
    ),
)


def _row_by_hand():
    return loops.sinusoidal(SEQ_LEN, D_MODEL)[POSITION]


def _row_with(**pieces):
    return lambda: slips.table_with(**pieces)(SEQ_LEN, D_MODEL)[POSITION]


# Nobody makes the first four by hand, the fifth is a doubled exponent at width 4, the others do not show.
NOT_IN_ONE_ROW = {
    "log2 for ln",
    "log10 for ln",
    "precedence of //",
    "base and exponent exchanged",
    "T2T denominator",
    "row 0 zeroed",
    "transposed",
    "float32 angles",
    "float16 angles",
    "rounded to 4 decimals",
    "crash on odd d_model",
}

row_by_hand = Numbers(
    name="row_by_hand",
    reference=_row_by_hand,
    atol=6e-5,
    slips=tuple(slip for slip in slips.TABLE_SLIPS if slip.name not in NOT_IN_ONE_ROW),
    build=_row_with,
    misconceptions=(
        Misconception(
            "cut off instead of rounded",
            "The digits are cut off after the fourth. Look at the fifth: from 5 on, the fourth goes up.",
            lambda: np.trunc(np.array(_row_by_hand()) * 1e4) / 1e4,
        ),
        Misconception(
            "row of position 5",
            "This is the row of position 5, the sixth one. Rows are counted from 0, so position 6 is the "
            "seventh.",
            lambda: loops.sinusoidal(SEQ_LEN, D_MODEL)[POSITION - 1],
        ),
        Misconception(
            "angles instead of sines",
            "These are the angles. Take the sine of each for the even columns, the cosine for the odd ones.",
            lambda: [6.0, 6.0, 0.06, 0.06],
        ),
        Misconception(
            "minus sign lost",
            "All the digits are right, but one sign is not: in the second half of a turn, from 3.14 to 6.28 "
            "radians, the sine is negative.",
            lambda: [abs(entry) for entry in _row_by_hand()],
        ),
    ),
    hints=(
        "d_model 4 has two pairs. Their denominators are 1 and 100, so position 6 has the angles 6 and 0.06.",
        "The order is sine, cosine of the first angle, then sine, cosine of the second one, in radians.",
        "math.sin(6) begins -0.27941...; what are math.cos(6), math.sin(0.06) and math.cos(0.06)?",
    ),
)

table_question = Question(
    name="table_question",
    prompt="The same sentence is encoded with d_model 4 and with d_model 8. Which entries are the same in "
    "both tables?",
    choices={
        "a": (
            "columns 0 and 1",
            True,
            "Pair 0 has the exponent 0 and the frequency 1, whatever the width.",
        ),
        "b": (
            "columns 2 and 3",
            False,
            "Pair 1 has the frequency 0.01 at width 4 and 0.1 at width 8: the exponent is 2k/d_model.",
        ),
        "c": (
            "columns 2 and 3 of the narrow table, columns 4 and 5 of the wide one",
            True,
            "Pair 1 of 4 columns and pair 2 of 8 have the same exponent, 1/2.",
        ),
        "d": (
            "row 0, as far as both go",
            True,
            "Position 0 has the angle 0 in every pair: 0, 1, 0, 1, ...",
        ),
    },
    hints=(
        "Write down the exponents 2k/d_model of all pairs, for both widths.",
        "They are 0, 1/2 and 0, 1/4, 1/2, 3/4. Which pairs have the same frequency?",
    ),
)
