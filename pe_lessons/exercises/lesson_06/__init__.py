"""Exercises of lesson 06, reading the picture."""

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

all_wavelengths = lesson.exercise(
    "all_wavelengths",
    mine="my_wavelengths",
    probes=((8, 10_000), (6, 100), (10, 500)),
    edge_probes=((5, 10_000), (2, 10_000)),
)

# Chosen so that any two of the mistakes below disagree at three positions or more, and that what they compare
# differs by a half or more: a tie is decided by the last digit, which is not the same on every machine.
SCATTERED = np.array(
    [
        [-3.0, 1.0, 0.5],
        [3.0, 5.5, -5.0],
        [2.0, -2.0, 2.0],
        [0.5, 2.0, -1.0],
        [5.0, -6.0, -6.0],
        [2.0, 5.0, 3.0],
    ]
)
GRID = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0], [5.0, 5.0]])
TWINS = np.array([[2.0, 1.0], [5.0, 1.0], [2.0, 1.0]])
ALMOST_AS_NEAR = np.array([[0.0, 0.0], [1.2, 0.0], [0.0, 1.0], [0.0, -1.1]])
LAST_NEAREST = np.array([[5.0, 1.0], [1.0, 1.0], [9.0, 9.0], [6.0, 1.0]])

# The last position: any other has two neighbours, equally far away.
LAST = (arrays.sinusoidal(128, 8), 127)

nearest_neighbour = lesson.exercise(
    "nearest_neighbour",
    mine="my_nearest",
    probes=(*((SCATTERED, position) for position in range(6)), LAST),
    edge_probes=((GRID, 0), (GRID, 3), (GRID[:2], 1), (TWINS, 2), (LAST_NEAREST, 0), (ALMOST_AS_NEAR, 0)),
)

map_question = lesson.question("map_question")
quiz_06 = lesson.quiz("quiz_06")
