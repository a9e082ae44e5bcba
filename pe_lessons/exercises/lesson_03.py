"""Exercises of lesson 03, the naive loop."""

import math

from pe_lessons import loops
from pe_lessons.exercises import _sinusoidal_slips as slips
from pe_lessons.exercises.engine import Exercise, Question, Slip


def sinusoidal(seq_len, d_model):
    table = []
    for position in range(seq_len):
        row = []
        for column in range(d_model):
            pair = column // 2
            angle = position / 10_000 ** (2 * pair / d_model)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        table.append(row)
    return table


sinusoidal_loop = Exercise(
    name="sinusoidal_loop",
    reference=loops.sinusoidal,
    answer=sinusoidal,
    probes=slips.PROBES,
    edge_probes=slips.EDGE_PROBES,
    slips=slips.TABLE_SLIPS,
    build=slips.table_with,
    misconceptions=(
        slips.brackets_missing(slips.table_with),
        slips.whole_number_division(slips.table_with),
    ),
    hints=(
        "One row per position, one entry per column: two loops, one inside the other. What does one entry "
        "need?",
        "An entry needs its angle. Columns 0 and 1 share the angle of pair 0, columns 2 and 3 that of pair "
        "1: how do you get the pair from the column?",
        "angle = position / 10_000 ** (2 * pair / d_model), with pair = column // 2; an even column takes "
        "math.sin of it, an odd one math.cos. An odd d_model then needs nothing special.",
    ),
)


def tokens_per_turn(pair, d_model):
    return 2 * math.pi * 10_000 ** (2 * pair / d_model)


def _wavelength_with(turn=lambda frequency: 2 * math.pi / frequency, **pieces):
    angle = slips.angle_with(**pieces)
    return lambda pair, d_model: turn(angle(1, pair, d_model))


wavelength = Exercise(
    name="wavelength",
    reference=tokens_per_turn,
    probes=((1, 4), (2, 6), (3, 8), (1, 10)),
    edge_probes=((0, 4), (2, 5)),
    slips=(
        *(slip for slip in slips.FREQUENCY if slip.part != "power" or slip.name == "all frequencies 1"),
        Slip(
            "2 pi forgotten",
            "This is how many tokens it takes to move by 1 radian. How many radians has a turn?",
            "turn",
            lambda frequency: 1 / frequency,
        ),
        Slip(
            "half a turn",
            "This is half a wavelength: after pi radians the sine is back at 0, but on its way down. A "
            "full turn is 2 pi.",
            "turn",
            lambda frequency: math.pi / frequency,
        ),
        Slip(
            "frequency instead of wavelength",
            "This is the frequency, in radians per token. The wavelength is how many tokens one full turn "
            "takes.",
            "turn",
            lambda frequency: frequency,
        ),
        Slip(
            "2 pi times the frequency",
            "The full turn is multiplied by the frequency. The faster a pair, the shorter its wave: divide.",
            "turn",
            lambda frequency: 2 * math.pi * frequency,
        ),
        Slip(
            "360 degrees",
            "The full turn is counted as 360 degrees, but the frequency is in radians per token. How many "
            "radians has a full turn?",
            "turn",
            lambda frequency: 360 / frequency,
        ),
    ),
    build=_wavelength_with,
    hints=(
        "The angle grows by the frequency with every token. How many tokens until it has grown by a full "
        "turn?",
        "A full turn is 2 * math.pi radians; divide it by the frequency 1 / 10_000 ** (2 * pair / d_model).",
    ),
)

bug_question = Question(
    name="bug_question",
    prompt="A published program runs `for i in range(0, d_model, 2)` and divides by `10000 ** (2 * i / "
    "d_model)`. What is true of its table?",
    choices={
        "a": (
            "the doubled exponent makes it stop with an error",
            False,
            "A wrong exponent is still a number. (At an odd d_model some of these programs do stop, but for "
            "want of a column for the last cosine.)",
        ),
        "b": (
            "columns 0 and 1 are right",
            True,
            "At i = 0 the doubled exponent is 0 as well: a plot of the first two columns shows nothing "
            "wrong.",
        ),
        "c": (
            "with d_model 2 the whole table is right",
            True,
            "d_model 2 has only the pair i = 0, where doubling changes nothing: a test at that width is "
            "blind.",
        ),
        "d": (
            "the last columns are too fast",
            False,
            "A larger exponent makes a larger denominator: they are too slow, and hardly move at all.",
        ),
        "e": (
            "many columns hardly change along a sentence of 50 words",
            True,
            "The frequencies fall twice as fast as they should: at width 128, 77 columns hardly move, where "
            "it should be 27.",
        ),
    },
    hints=(
        "Write out i and the exponent for d_model 6, beside those of the formula.",
        "The exponents are 0, 4/6, 8/6 instead of 0, 2/6, 4/6. What do the first one and the last one do?",
    ),
)
