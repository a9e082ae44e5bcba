"""Exercises of lesson 14, grids and positions that are not whole."""

import numpy as np
import torch

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

sinusoidal_2d = lesson.exercise(
    "sinusoidal_2d",
    mine="my_grid",
    probes=((2, 3, 12), (4, 2, 8), (3, 3, 8)),
    edge_probes=((1, 6, 4), (2, 1, 8), (30, 2, 16), (2, 9, 8)),
)

axial_rotary = lesson.exercise(
    "axial_rotary",
    probes=(
        (np.random.default_rng(20).normal(size=(4, 8)), [0, 1, 3, 2], [5, 0, 2, 7]),
        (np.random.default_rng(21).normal(size=(3, 12)), [1, 4, 2], [3, 0, 6]),
    ),
    edge_probes=(
        (np.random.default_rng(22).normal(size=(2, 4)), [2, 5], [7, 1]),
        (np.random.default_rng(23).normal(size=(3, 8)), [0.5, 2.25, -1], [3.75, -2, 100]),
    ),
)


def _checkpoint(seed, places, d_model):
    return torch.tensor(np.random.default_rng(seed).normal(size=(1 + places, d_model)))


def _stretched(function, table, old, new):
    try:
        return function(table, old, new)
    except ValueError as error:
        if "number of spatial dimensions" in str(error):  # PyTorch doesn't say which axis is missing
            axes = "F.interpolate needs four axes, (batch, channels, height, width)"
            error.args = (f"{axes}. A batch of one is (1, d_model, height, width), and `[None]` makes it",)
        raise


resized_table = lesson.exercise(
    "resized_table",
    probes=(
        (_checkpoint(24, 6, 3), (2, 3), (4, 5)),
        (_checkpoint(25, 16, 4), (4, 4), (3, 7)),  # as many columns as patch rows
        (_checkpoint(26, 15, 5), (5, 3), (6, 6)),  # here, too
    ),
    edge_probes=(
        (_checkpoint(27, 12, 5), (3, 4), (3, 4)),
        (_checkpoint(28, 10, 1), (1, 10), (2, 5)),  # as many patches in another shape
        (_checkpoint(26, 15, 2), (5, 3), (6, 6)),
        (_checkpoint(29, 22, 2), (11, 2), (15, 2)),  # 11 times 15 / 11 is less than 15 in floats
    ),
    use=_stretched,
)

quiz_image_patches = lesson.quiz("quiz_image_patches")
