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


def _cached(head_dim, latent_dim, extra_dim, q_position, positions):
    return (
        _rows.normal(size=head_dim),
        _rows.normal(size=extra_dim),
        _rows.normal(size=(head_dim, latent_dim)),
        _rows.normal(size=(len(positions), latent_dim + extra_dim)),
        q_position,
        np.array(positions),
    )


# Here W_K c is too large for a float, and W_K^T q isn't. So an answer that makes a key shows itself.
_NO_KEY = (
    np.array([1e-307, 2e-307]),
    np.array([1.0, 2.0]),
    np.array([[1e155, 2e155], [2e155, 1e155]]),
    np.array([[1e154, 2e154, 3.0, 1.0], [3e154, 1e154, 2.0, -1.0]]),
    4,
    np.array([1, 4]),
)

absorbed_scores = lesson.exercise(
    "absorbed_scores",
    mine="my_scores",
    probes=(
        _cached(4, 2, 4, 5, [5, 4, 3, 0]),
        _cached(6, 4, 2, 9, [2, 7, 9]),
        _cached(2, 6, 4, 3, [0, 1, 2, 3]),
    ),
    edge_probes=(
        _cached(4, 2, 2, 0, [0]),
        _cached(2, 2, 2, 7, [7]),
        _cached(6, 4, 6, 60, [12]),
        _NO_KEY,
    ),
    atol=1e-5,
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
