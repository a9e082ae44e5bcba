"""Exercises of lesson 10, RoPE in a model."""

import math

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson
from pe_lessons.lessons.rotary import ROTARY_EDGES, ROTARY_PROBES

lesson = Lesson(__name__)

rotary_half = lesson.exercise(
    "rotary_half",
    mine="my_rotary_in_halves",
    probes=ROTARY_PROBES,
    edge_probes=ROTARY_EDGES,
    atol=1e-5,
)


def _numbered(rows, columns):
    """Rows that can be told apart: row n holds 10 n, 10 n + 1, ..."""
    return 10.0 * np.arange(rows)[:, None] + np.arange(columns)


def _other_heads(draw, weights, num_heads):
    """Other numbers in heads of another number and width."""
    num_heads = draw.randint(1, 5)
    rows = num_heads * 2 * draw.randint(1, 7)
    shape = (rows, draw.randint(1, 4)) if weights.ndim == 2 else (rows,)
    return np.array([draw.uniform(-9, 9) for _ in range(math.prod(shape))]).reshape(shape), num_heads


to_neighbours = lesson.exercise(
    "to_neighbours",
    probes=((_numbered(12, 3), 2), (_numbered(24, 2), 3), (_numbered(16, 4), 1)),
    edge_probes=((10.0 * np.arange(18), 3), (_numbered(8, 16), 4)),
    redraw=_other_heads,
)

layers_question = lesson.question("layers_question")
quiz_rotary_in_a_model = lesson.quiz("quiz_rotary_in_a_model")
