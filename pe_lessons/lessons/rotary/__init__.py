"""Exercises of lesson 09, rotary positions."""

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

_rows = np.random.default_rng(seed=11)
ROTARY_PROBES = (
    (_rows.normal(size=(5, 4)), np.array([0, 3, 7, 8, 20])),
    (_rows.normal(size=(3, 6)), np.array([5, 1, 2])),
    (_rows.normal(size=(2, 10)), np.array([4, 9])),
)
ROTARY_EDGES = ((_rows.normal(size=(2, 2)), np.array([3, 1])), (_rows.normal(size=(2, 4)), np.array([-3, 2])))


def _rotated(base, head_dim):
    """The row (1, 0, 1, 0, ...) at position 1."""
    return arrays.rotary([[1.0, 0.0] * (head_dim // 2)], [1], base=base)[0]


rotary_interleaved = lesson.exercise(
    "rotary_interleaved",
    mine="my_rotary",
    probes=ROTARY_PROBES,
    edge_probes=ROTARY_EDGES,
    atol=1e-5,
)

read_base = lesson.exercise(
    "read_base",
    probes=((_rotated(10_000, 8),), (_rotated(500_000, 6),), (_rotated(100, 12),)),
    edge_probes=((_rotated(10_000, 4),), (_rotated(2_000, 64),)),
    atol=1e-4,  # who takes a slow pair loses digits
    redraw=lambda draw, row: (_rotated(draw.uniform(100, 500_000), len(row)),),
)

quiz_rotary = lesson.quiz("quiz_rotary")
