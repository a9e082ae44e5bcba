"""Exercises of lesson 17, share one row."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

_rows = np.random.default_rng(seed=17)


def _values(n_q, n_k, head_dim, first, asking=None):
    positions = np.arange(n_k) * 2 + first
    asking = range(n_k - n_q, n_k) if asking is None else asking  # the last tokens ask
    return (
        _rows.normal(size=(n_q, head_dim)),
        _rows.normal(size=(n_k, head_dim)),
        positions[list(asking)],
        positions,
    )


values_turned_back = lesson.exercise(
    "values_turned_back",
    mine="my_values",
    probes=(_values(3, 3, 4, 1), _values(2, 6, 4, 3, asking=[1, 4]), _values(1, 3, 8, 20)),
    edge_probes=(
        _values(1, 1, 2, 7),
        _values(4, 4, 2, 0),
        _values(2, 5, 4, -3),
        _values(2, 4, 6, 5),
    ),
    atol=1e-5,
)

quiz_shared_latent_row = lesson.quiz("quiz_shared_latent_row")
