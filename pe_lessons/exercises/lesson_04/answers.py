"""Right answers of lesson 04."""

import math  # noqa: F401 (mistakes are written with it)

import numpy as np

from pe_lessons.exercises.lesson_03.answers import sinusoidal_loop_arrays, sinusoidal_loop_loop


def frequencies_numpy_arrays(d_model):
    base = 10_000
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    return base**-exponents


def frequencies_numpy_loop(d_model):
    base = 10_000
    frequencies = []
    for pair in range((d_model + 1) // 2):
        exponent = 2 * pair / d_model
        frequency = 1 / base**exponent
        frequencies.append(frequency)
    return frequencies


sinusoidal_numpy_arrays = sinusoidal_loop_arrays
sinusoidal_numpy_loop = sinusoidal_loop_loop
