"""Exercises of lesson 04, vectorized NumPy."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

frequencies_numpy = lesson.exercise(
    "frequencies_numpy",
    mine="my_frequencies",
    probes=((4,), (6,), (10,)),
    edge_probes=((5,), (2,), (64,)),
)

sinusoidal_numpy = lesson.exercise(
    "sinusoidal_numpy",
    mine="my_sinusoidal",
    probes=((5, 4), (3, 6), (4, 4), (3, 10)),
    edge_probes=((4, 5), (2, 3), (500, 16)),
    no_loop=True,
)

shape_question = lesson.question("shape_question")
quiz_04 = lesson.quiz("quiz_04")
