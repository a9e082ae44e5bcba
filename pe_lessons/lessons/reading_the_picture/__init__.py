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
    redraw=lambda draw, table: (table_of([draw.uniform(0.1, 3) for _ in table[0, ::2]], len(table)),),
)

quiz_reading_the_picture = lesson.quiz("quiz_reading_the_picture")
