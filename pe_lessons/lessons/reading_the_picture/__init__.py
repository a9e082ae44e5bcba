"""Exercises of lesson 06, reading the picture."""

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def table_of(frequencies, seq_len):
    """Rows of hands with these frequencies, in radians per token; each sine is followed by its cosine."""
    angles = np.arange(seq_len)[:, None] * frequencies  # (seq_len, n_pairs)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(seq_len, -1)


# Kept in float32 for a while, a cosine near 1 has lost the digits of its angle, and the same ones everywhere.
SLOW = table_of([1.75, 1e-3], 2).astype(np.float32).astype(float)

read_wavelengths = lesson.exercise(
    "read_wavelengths",
    mine="my_wavelengths",
    probes=(
        (arrays.sinusoidal(5, 8),),
        (table_of([2.0, 0.5, 0.25], 4),),
        (table_of([0.1, 1.2, 0.4, 2.5], 6),),
    ),
    edge_probes=((table_of([0.8], 3),), (SLOW,)),
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
# Farther apart than a "large number" in the place of infinity.
FAR_APART = 1e12 * np.array([[0.0, 0.0], [3.0, 1.0], [1.0, 7.0], [9.0, 4.0]])
LAST_NEAREST = np.array([[5.0, 1.0], [1.0, 1.0], [9.0, 9.0], [6.0, 1.0]])

# The last position: any other has two neighbours, equally far away.
LAST = (arrays.sinusoidal(128, 8), 127)

nearest_neighbour = lesson.exercise(
    "nearest_neighbour",
    mine="my_nearest",
    probes=(*((SCATTERED, position) for position in range(6)), LAST, (LAST_NEAREST, 0)),
    edge_probes=(
        (GRID, 0),
        (GRID, 3),
        (GRID[:2], 1),
        (TWINS, 2),
        (ALMOST_AS_NEAR, 0),
        (GRID[:2], 0),
        (FAR_APART, 0),
    ),
)

map_question = lesson.question("map_question")
quiz_reading_the_picture = lesson.quiz("quiz_reading_the_picture")
