"""Exercises of lesson 17, positions that are data."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

mrope_positions = lesson.exercise(
    "mrope_positions",
    mine="my_positions",
    probes=(
        ([2, (1, 2, 3), 3],),
        ([1, (3, 2, 2), 2, (1, 1, 4), 1],),
        ([(4, 1, 2), 2, (1, 3, 2), 3],),
    ),
    edge_probes=(([5],), ([(1, 1, 1)],), ([3, 2, (2, 1, 1), (1, 4, 1), 2],)),
)

decoded_positions = lesson.exercise(
    "decoded_positions",
    probes=(
        ([[5], [2, (1, 3, 4), 1], [(1, 2, 2), 4]], 2),
        ([[1, (2, 3, 3), 2], [2, (1, 4, 2)]], 5),
        ([[3, (5, 1, 2)], [(1, 4, 4), 1, (1, 2, 6), 2]], 4),
    ),
    edge_probes=(([[4]], 1), ([[(1, 3, 5)]], 2), ([[(6, 2, 2)], [(6, 2, 2)]], 1)),
)


def _vectors(seed, vertices, columns):
    return np.random.default_rng(seed).integers(-9, 10, size=(vertices, columns)) / 4


def _near(vectors, signs):
    """The same vectors with other signs, and a little noise, as those of a graph with one edge changed."""
    return vectors * signs + np.random.default_rng(9).integers(-1, 2, size=vectors.shape) / 16


def _either_where_both_are_as_near(function, vectors, like):
    """What the answer gives; a column that is as near as its opposite may be either."""
    aligned, tied = function(vectors, like), (vectors * like).sum(axis=0) == 0
    if aligned is None or not tied.any() or np.shape(aligned) != vectors.shape:
        return aligned
    return np.where(tied & (np.array(aligned) == -vectors).all(axis=0), vectors, aligned)


align_signs = lesson.exercise(
    "align_signs",
    probes=(
        (_near(_vectors(6, 6, 3), [1, -1, -1]), _vectors(6, 6, 3)),
        (_near(_vectors(2, 5, 4), [-1, 1, 1, -1]), _vectors(2, 5, 4)),
        (np.array([[0.0, 2.0], [3.0, 1.0], [-2.0, -4.0]]), np.array([[0.5, -2.0], [-3.0, 1.0], [2.0, 4.0]])),
    ),
    edge_probes=(
        (np.array([[1.0], [0.0], [-2.0]]), np.array([[-1.0], [0.0], [2.0]])),
        (np.array([[0.0, 1.0], [1.0, 2.0]]), np.array([[0.0, 1.0], [1.0, 2.0]])),
        (  # products between -1 and 1, which a number added anywhere would turn round
            np.array([[0.5, 1.0], [0.5, -0.5], [-0.25, 0.25], [0, 0]]),
            np.array([[0.5, -0.125], [0.25, 1.0], [-0.25, 0.25], [0, 0]]),
        ),
        (  # most signs differ, and the large entries decide
            np.array([[2.0, -1.0], [0.25, 3.0], [-0.25, 0.5], [0.25, 0.5]]),
            np.array([[2.0, -1.0], [-0.25, -3.0], [0.25, 0.5], [-0.25, 0.5]]),
        ),
        (  # the largest entry says one thing, the others together another
            np.array([[2.0, -1.75], [1.5, 2.0], [1.5, 1.5]]),
            np.array([[-2.0, 1.75], [1.5, 2.0], [1.5, -1.0]]),
        ),
        (np.array([[0.0, 3.0], [2.0, 1.0], [1.0, 0.5]]), np.array([[1.0, -3.0], [1.0, 1.0], [-2.0, 0.25]])),
    ),
    use=_either_where_both_are_as_near,
)

quiz_positions_are_data = lesson.quiz("quiz_positions_are_data")
