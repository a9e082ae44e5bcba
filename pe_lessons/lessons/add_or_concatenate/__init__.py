"""Exercises of lesson 11, add or concatenate."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def _random_rows(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def _sums(seed, n_words, n_positions, d_model, of_words):
    """All sums of two random tables, the labels of one of them, and that table."""
    words, positions = _random_rows(seed, n_words, d_model), _random_rows(seed + 1, n_positions, d_model)
    sums = (words[:, None] + positions).reshape(-1, d_model)
    if of_words:
        return sums, np.repeat(np.arange(n_words), n_positions), words
    return sums, np.tile(np.arange(n_positions), n_words), positions


# So few that also the farthest row is sometimes the right one, and a matrix that is not the best one shows.
FEW_COLUMNS = _sums(198, 3, 8, 2, True)

readout = lesson.exercise(
    "readout",
    probes=(_sums(0, 9, 7, 8, True), _sums(2, 8, 9, 8, False), _sums(28, 12, 5, 6, True), FEW_COLUMNS),
    edge_probes=(_sums(6, 4, 5, 12, True),),
)

paper_input = lesson.exercise(
    "paper_input",
    probes=(
        (_random_rows(10, 3, 6), _random_rows(11, 3, 6)),
        (_random_rows(12, 4, 4), _random_rows(13, 7, 4)),
        (_random_rows(14, 2, 10), _random_rows(15, 5, 10)),
    ),
    edge_probes=((_random_rows(16, 1, 8), _random_rows(17, 9, 8)),),
)

quiz_add_or_concatenate = lesson.quiz("quiz_add_or_concatenate")
