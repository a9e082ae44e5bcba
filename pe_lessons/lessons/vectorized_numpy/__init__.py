"""Exercises of lesson 04, vectorized NumPy."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

batch_angles = lesson.exercise(
    "batch_angles",
    mine="my_angles",
    probes=(
        (np.array([[0, 1, 2], [5, 6, 7]]), 4),
        (np.array([[3, 0], [1, 9], [4, 2]]), 6),
        (np.array([[2, 0, 1, 7, 3]]), 10),
    ),
    edge_probes=(
        (np.array([[8]]), 2),
        (np.array([[0, 0, 0, 1], [0, 1, 2, 3], [6, 7, 8, 9], [4, 3, 2, 1]]), 8),
    ),
)

sinusoidal_numpy = lesson.exercise(
    "sinusoidal_numpy",
    mine="my_sinusoidal",
    probes=((5, 4), (3, 6), (4, 4), (3, 10)),
    edge_probes=((4, 5), (2, 3), (500, 16), (1, 4)),
    # of every second trial, an odd width that is in none
    redraw=lambda draw, seq_len, d_model: (draw.randint(2, 24), 2 * draw.randint(3, 180) + (seq_len == 3)),
    no_loop=True,
)

shape_question = lesson.question("shape_question")
quiz_vectorized_numpy = lesson.quiz("quiz_vectorized_numpy")
