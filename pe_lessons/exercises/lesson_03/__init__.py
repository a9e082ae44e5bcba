"""Exercises of lesson 03, the naive loop."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

sinusoidal_loop = lesson.exercise(
    "sinusoidal_loop",
    mine="my_sinusoidal",
    probes=((5, 4), (3, 6), (4, 4), (3, 10)),
    edge_probes=((4, 5), (2, 3), (500, 16)),
)

wavelength = lesson.exercise(
    "wavelength",
    probes=((1, 4), (2, 6), (3, 8), (1, 10)),
    edge_probes=((0, 4), (1, 5)),
)

bug_question = lesson.question("bug_question")
quiz_03 = lesson.quiz("quiz_03")
