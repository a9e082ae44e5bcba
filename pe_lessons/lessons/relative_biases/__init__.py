"""Exercises of lesson 11, relative biases."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

slopes = lesson.exercise(
    "slopes",
    probes=((8,), (4,), (6,)),
    edge_probes=((12,), (1,), (16,), (7,), (3,), (9,), (15,), (24,), (44,), (130,)),
    redraw=lambda draw, num_heads: (draw.randint(2, 60),),
)


def _scores(seed, num_queries, num_keys):
    return np.random.default_rng(seed).normal(size=(num_queries, num_keys))


newest_weights = lesson.exercise(
    "newest_weights",
    probes=((_scores(0, 2, 5), 0.5), (_scores(1, 4, 4), 0.25), (_scores(2, 3, 7), 0.125)),
    edge_probes=(
        (_scores(3, 1, 6), 0.5),
        (_scores(4, 1, 1), 0.5),
        (_scores(5, 8, 40), 0.5),
        (_scores(6, 2, 5) - 120, 0.5),
    ),
)

lists_question = lesson.question("lists_question")
quiz_relative_biases = lesson.quiz("quiz_relative_biases")
