"""Right answers of lesson 03."""

import math

import numpy as np


def sinusoidal_loop_loop(seq_len, d_model):
    base = 10_000
    table = []
    for position in range(seq_len):
        row = []
        for column in range(d_model):
            pair = column // 2
            exponent = 2 * pair / d_model
            frequency = 1 / base**exponent  # radians per token
            angle = position * frequency
            wave = math.sin if column % 2 == 0 else math.cos
            row.append(wave(angle))
        table.append(row)
    return table


def sinusoidal_loop_arrays(seq_len, d_model):
    base = 10_000
    positions = np.arange(seq_len)[:, None]  # (seq_len, 1)
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    frequencies = base**-exponents
    angles = positions * frequencies  # (seq_len, n_pairs)
    table = np.empty((seq_len, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : d_model // 2])  # an odd width has one cosine less
    return table


def wavelength_loop(pair, d_model):
    base = 10_000
    exponent = 2 * pair / d_model
    frequency = 1 / base**exponent  # radians per token
    return 2 * math.pi / frequency


def wavelength_arrays(pair, d_model):
    base = 10_000
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    frequencies = base**-exponents
    wavelengths = 2 * np.pi / frequencies
    return wavelengths[pair]
