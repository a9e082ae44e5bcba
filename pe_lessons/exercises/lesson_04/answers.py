"""Right answers of lesson 04."""

import math

import numpy as np


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


def sinusoidal_numpy_arrays(seq_len, d_model):
    base = 10_000
    positions = np.arange(seq_len)[:, None]  # (seq_len, 1)
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    frequencies = base**-exponents
    angles = positions * frequencies  # (seq_len, n_pairs)
    table = np.empty((seq_len, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : d_model // 2])  # an odd width has one cosine less
    return table


def sinusoidal_numpy_loop(seq_len, d_model):
    base = 10_000
    table = []
    for position in range(seq_len):
        row = []
        for column in range(d_model):
            pair = column // 2
            exponent = 2 * pair / d_model
            frequency = 1 / base**exponent
            angle = position * frequency
            wave = math.sin if column % 2 == 0 else math.cos
            row.append(wave(angle))
        table.append(row)
    return table
