"""Exercises of lesson 20, design your own."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def _random_table(seed, seq_len, d_model):
    return np.random.default_rng(seed).normal(size=(seq_len, d_model))


weight_back = lesson.exercise(
    "weight_back",
    probes=(
        (_random_table(2, 9, 9), 2),
        (_random_table(3, 8, 8), 4),
        (_random_table(5, 12, 12), 3),
        (np.tril(_random_table(6, 8, 8)), 1),
    ),
    edge_probes=(
        (_random_table(7, 6, 6), 0),
        (_random_table(9, 7, 7), 5),
    ),
)

smallest_gap = lesson.exercise(
    "smallest_gap",
    probes=((_random_table(1, 6, 3),), (_random_table(4, 9, 4),), (_random_table(12, 7, 5),)),
    edge_probes=(
        (np.array([[1.0, 2.0], [5.0, 5.0], [1.0, 2.0]]),),
        (np.array([[0.0, 0.0], [3.0, 4.0]]),),
        (1000 + _random_table(8, 5, 1),),
    ),
)

choose_question = lesson.question("choose_question")
quiz_20 = lesson.quiz("quiz_20")
