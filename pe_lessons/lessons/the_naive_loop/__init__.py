"""Exercises of lesson 03, the naive loop."""

import math

from pe_lessons import loops
from pe_lessons.exercises.lesson_files import Lesson
from pe_lessons.lessons.numpy_when_used import HAS_NUMPY, numpy

lesson = Lesson(__name__)

RIGHT_TABLE = [[round(number, 4) for number in row] for row in loops.sinusoidal(7, 8)]  # as it is printed


# Digits cut off after the fourth, as in some books: no number is off by more than 0.0001.
CUT_OFF = [[math.trunc(10_000 * number) / 10_000 for number in row] for row in loops.sinusoidal(7, 8)]


def with_misprints(*misprints, table=RIGHT_TABLE):
    """The table, with some numbers off by so much: (position, column, by how much)."""
    table = [list(row) for row in table]
    for position, column, difference in misprints:
        table[position][column] += difference
    return table


def another_table(draw, table):
    """A table of another size and printed otherwise, with no misprint, one, or two whose sum is 0."""
    seq_len, d_model, digits = draw.randint(4, 20), 2 * draw.randint(1, 9), draw.choice((4, 15))
    table = [[round(number, digits) for number in row] for row in loops.sinusoidal(seq_len, d_model)]
    column, amount = draw.randrange(d_model), draw.choice((-0.5, 0.5)) / 10 ** draw.uniform(0, 3.2)
    rows = draw.sample(range(seq_len), draw.randrange(3))
    return (with_misprints(*zip(rows, (column, column), (amount, -amount)), table=table),)


sinusoidal_loop = lesson.exercise(
    "sinusoidal_loop",
    mine="my_sinusoidal",
    probes=((5, 4), (3, 6), (4, 4), (3, 10)),
    edge_probes=((4, 5), (2, 3), (250, 16), (1, 4)),
    # of every second trial, an odd width that is in none
    redraw=lambda draw, seq_len, d_model: (draw.randint(2, 24), 2 * draw.randint(3, 180) + (seq_len == 3)),
)

right_pairs = lesson.exercise(
    "right_pairs",
    probes=(
        (RIGHT_TABLE,),
        (loops.sinusoidal(7, 6),),
        (loops.sinusoidal(9, 6, base=10_000**2),),  # the doubled exponent
        (with_misprints((3, 4, 0.1), (5, 0, 0.1)),),
        (with_misprints((3, 2, 0.1)),),
        (with_misprints((2, 2, -0.1), (2, 3, -0.1)),),
        (with_misprints((4, 4, -0.1)),),
        (with_misprints((4, 5, -0.1)),),
        (with_misprints((6, 1, -0.1)),),
        (with_misprints((1, 7, 0.005)),),
        (with_misprints((0, 6, 0.1)),),  # else a look at row 0 alone finds nothing wrong anywhere
    ),
    edge_probes=(
        *([(numpy.array(with_misprints((3, 3, 0.1))),)] if HAS_NUMPY else []),
        (loops.sinusoidal(200, 8),),
        (CUT_OFF,),
        (with_misprints((140, 2, 0.0003), table=loops.sinusoidal(200, 8)),),  # hardly seen in a mean
        # seen in a mean, and missed by a tolerance that is too wide
        (with_misprints((1, 2, 0.0003), (1, 3, 0.0003), table=loops.sinusoidal(2, 6)),),
        (with_misprints((3, 10, 0.1), table=loops.sinusoidal(7, 14)),),
        (with_misprints((2, 3, 0.2), (5, 3, -0.2)),),  # not seen in a sum
    ),
    redraw=another_table,
)

bug_question = lesson.question("bug_question")
quiz_the_naive_loop = lesson.quiz("quiz_the_naive_loop")
