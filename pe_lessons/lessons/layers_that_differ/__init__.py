"""Exercises of lesson 15, layers that differ."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

_rows = np.random.default_rng(seed=17)


def _share(seq_len, head_dim, share, proportional):
    positions = np.array([3, 0, 1, 20, 8][:seq_len])
    return _rows.normal(size=(seq_len, head_dim)), positions, share, proportional


share_rotary = lesson.exercise(
    "share_rotary",
    mine="my_share",
    # No share but all is a whole number of columns, where a last digit would decide.
    probes=(
        _share(4, 12, 0.55, False),
        _share(4, 12, 0.55, True),
        _share(2, 8, 0.8, False),
        _share(3, 16, 0.27, False),
    ),
    edge_probes=(
        _share(4, 8, 0.55, True),
        _share(2, 10, 0.75, False),  # 7 of 10 columns: 3 pairs
        _share(3, 10, 0.57, True),
        _share(3, 6, 0.99, False),
        _share(3, 6, 0.99, True),
        _share(3, 14, 0.3, True),
        (_rows.normal(size=(2, 4)), np.array([-3, 2]), 0.6, True),
        _share(2, 6, 1, False),
        _share(2, 6, 1, True),
    ),
    atol=1e-5,
)


def _config(num_layers, pattern, flags=None, base=1_000_000, local_base=10_000):
    config = {"num_layers": num_layers, "pattern": pattern, "base": base, "local_base": local_base}
    return ({**config, "no_rope_layers": flags},)


layer_bases = lesson.exercise(
    "layer_bases",
    mine="my_bases",
    probes=(
        _config(6, 3),
        _config(7, 3),
        _config(8, 4, [1, 1, 0, 1, 1, 1, 1, 0]),
        _config(5, 2, [1, 0, 1, 0, 1], 160_000, 20_000),
    ),
    edge_probes=(
        _config(1, 6),
        _config(4, 1, base=500_000),
        _config(3, 7, [0, 0, 0]),
        _config(13, 6),
    ),
)


quiz_layers_that_differ = lesson.quiz("quiz_layers_that_differ")
