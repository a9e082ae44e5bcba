"""Exercises of lesson 02, by hand."""

from pe_lessons.exercises.exercise import Numbers
from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

one_angle = lesson.exercise(
    "one_angle",
    mine="my_angle",
    probes=((3, 1, 4), (5, 1, 6), (2550, 3, 8), (7, 2, 10), (2550, 1, 4)),
    edge_probes=((7, 0, 4), (2, 1, 12), (0, 1, 6)),  # no odd width: the task counts d_model / 2 pairs
    redraw=lambda draw, position, pair, d_model: (
        draw.randrange(1, 3000),
        pair,
        2 * draw.randint(pair + 1, 20),
    ),
)

row_by_hand = lesson.exercise("row_by_hand", kind=Numbers, atol=6e-5)

table_question = lesson.question("table_question")
quiz_by_hand = lesson.quiz("quiz_by_hand")
