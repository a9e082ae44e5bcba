"""Exercises of lesson 07, the shift as a rotation."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

shift_matrix = lesson.exercise(
    "shift_matrix",
    probes=((3, 4), (5, 6), (-2, 10)),
    edge_probes=((0, 4), (5, 2), (100, 16)),
)

kernel = lesson.exercise(
    "kernel",
    probes=(([0, 1, 3, 6], 4), ([-2, 5, 7], 6), ([3, -3], 8)),
    edge_probes=(([2], 2), ([63, 1000], 64)),
)

back_head = lesson.exercise(
    "back_head",
    mine="my_head",
    probes=((6, 8, 2, 4.0), (5, 4, 1, 16.0), (7, 6, 3, 0.5)),
    edge_probes=((4, 8, 0, 2.0), (3, 2, 1, 1.0)),
)

rotation_question = lesson.question("rotation_question")
quiz_07 = lesson.quiz("quiz_07")
