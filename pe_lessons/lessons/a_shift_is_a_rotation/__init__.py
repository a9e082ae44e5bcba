"""Exercises of lesson 07, the shift as a rotation."""

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

split_shift = lesson.exercise(
    "split_shift",
    mine="my_shift",
    probes=((3, 4), (5, 6), (-2, 10), (5, 2)),
    edge_probes=((0, 4), (100, 16)),
)

# No two of their means, of diagonals, columns or rows, are alike.
LOOKING = arrays.softmax(np.array([[0, 2, 1, 4], [3, 0, 2, 1], [1, 4, 0, 0], [2, 0, 5, 1]], dtype=float))
# Weights of 0 among those that count.
HARD = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0.5, 0, 0, 0.5]])
CAUSAL = np.array([[1, 0, 0], [0.75, 0.25, 0], [0.125, 0.5, 0.375]])
SMALL = arrays.softmax(np.arange(36.0).reshape(6, 6) % 11)  # some weights are below 0.001


def _profile(function, weights):
    try:
        return function(weights)
    except ValueError as error:
        if "array element with a sequence" in str(error):
            error.args = ("a whole row is added to one number. Is the gap `...` of its brackets still open?",)
        raise


mean_by_step = lesson.exercise(
    "mean_by_step",
    mine="my_profile",
    probes=((LOOKING,), (CAUSAL,), (LOOKING[:3, :3],), (HARD,)),
    edge_probes=((CAUSAL[:1, :1],), (CAUSAL[:2, :2],), (SMALL,)),
    use=_profile,
)

rotation_question = lesson.question("rotation_question")
quiz_a_shift_is_a_rotation = lesson.quiz("quiz_a_shift_is_a_rotation")
