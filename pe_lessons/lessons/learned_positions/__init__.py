"""Exercises of lesson 12, learned positions."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def _random_table(seed, max_len, d_model):
    return np.random.default_rng(seed).normal(size=(max_len, d_model))


paper_input = lesson.exercise(
    "paper_input",
    probes=(
        (_random_table(10, 3, 6), _random_table(11, 3, 6)),
        (_random_table(12, 4, 4), _random_table(13, 7, 4)),
        (_random_table(14, 2, 10), _random_table(15, 5, 10)),
    ),
    edge_probes=((_random_table(16, 1, 8), _random_table(17, 9, 8)),),
)


def _ids(*sentences):
    return np.array(sentences)


learned_rows = lesson.exercise(
    "learned_rows",
    mine="my_learned",
    probes=(
        (_ids([9, 6, 1, 7, 1], [1, 1, 5, 8, 5]), _random_table(0, 21, 4), 2, 1),
        (_ids([3, 8, 3, 0, 9], [6, 3, 3, 2, 7]), _random_table(1, 24, 3), 4, 3),
        (_ids([2, 0, 7, 4, 6], [0, 0, 0, 9, 5]), _random_table(2, 23, 5), 3, 0),
    ),
    edge_probes=(
        (_ids([4, 4, 8, 6, 7], [5, 9, 4, 8, 4]), _random_table(3, 21, 2), 0, 1),
        (_ids([1, 1, 1], [7, 1, 7]), _random_table(4, 12, 3), 5, 1),
        (_ids([7, 7, 1], [1, 7, 7]), _random_table(5, 7, 3), 5, 1),  # no row more than there are real tokens
        (_ids([7, 7, 1, 1], [7, 7, 7, 7]), _random_table(6, 7, 3), 5, 1),  # two rows too few: an error
        (_ids([7, 7, 1, 1], [7, 7, 7, 7]), _random_table(6, 8, 3), 5, 1),  # one row too few
        # ids of padding that are no rows of the table
        (_ids([4, 7, 50_256]), _random_table(7, 8, 3), 2, 50_256),
        (_ids([4, -100, 7]), _random_table(7, 8, 3), 2, -100),
        # texts that just fit: a check of the length that counts padding, or all texts together, stops them
        (_ids([1, 7, 7]), _random_table(8, 7, 3), 5, 1),
        (_ids([7, 7], [7, 7]), _random_table(8, 7, 3), 5, 1),
    ),
)

reach_question = lesson.question("reach_question")
quiz_learned_positions = lesson.quiz("quiz_learned_positions")
