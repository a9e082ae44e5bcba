"""Exercises of lesson 08, inside a Transformer."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def _told(seed, positions, head_dim, slope):
    q, k = np.random.default_rng(seed).normal(size=(2, len(positions), head_dim))
    return q, k, np.array(positions), slope


told_scores = lesson.exercise(
    "told_scores",
    mine="my_scores",
    probes=(
        _told(0, [100, 101, 102, 103, 104], 4, 0.5),
        _told(1, [0, 1, 5, 6, 20, 21], 4, 0.25),
        _told(2, [7, 2, 9, 3], 6, 1.0),
        _told(3, [4, 1, 0], 8, 0.125),
    ),
    edge_probes=(_told(4, [6], 2, 0.5), _told(5, [3, 3, 8], 4, 0.5)),
)

unnamed_question = lesson.question("unnamed_question")
quiz_inside_a_transformer = lesson.quiz("quiz_inside_a_transformer")
