"""Right answers of lesson 03."""

import math

from pe_lessons import loops
from pe_lessons.lessons.numpy_when_used import numpy as np


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


def right_pairs_loop(table):
    base = 10_000
    d_model = len(table[0])
    for pair in range(d_model // 2):
        frequency = 1 / base ** (2 * pair / d_model)  # radians per token
        for position, row in enumerate(table):
            angle = position * frequency
            sine_error = abs(row[2 * pair] - math.sin(angle))
            cosine_error = abs(row[2 * pair + 1] - math.cos(angle))
            if sine_error > 1e-4 or cosine_error > 1e-4:
                return pair
    return d_model // 2


def right_pairs_arrays(table):
    base = 10_000
    table = np.array(table)
    seq_len, d_model = table.shape
    positions = np.arange(seq_len)[:, None]  # (seq_len, 1)
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    angles = positions * base**-exponents  # (seq_len, n_pairs)
    right = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (seq_len, n_pairs, 2)
    errors = np.abs(table.reshape(right.shape) - right)
    wrong = (errors > 1e-4).any(axis=(0, 2))  # (n_pairs,)
    return wrong.argmax() if wrong.any() else len(wrong)


def right_columns(table):
    """A mistake: it counts columns."""
    seq_len, d_model = len(table), len(table[0])
    right = loops.sinusoidal(seq_len, d_model)
    for column in range(d_model):
        if any(abs(table[position][column] - right[position][column]) > 1e-4 for position in range(seq_len)):
            return column
    return d_model


def first_wrong_row(table):
    """A mistake: it goes row by row, and takes the first wrong pair of the first wrong row."""
    seq_len, d_model = len(table), len(table[0])
    right = loops.sinusoidal(seq_len, d_model)
    for row, should in zip(table, right):
        for column in range(d_model):
            if abs(row[column] - should[column]) > 1e-4:
                return column // 2
    return d_model // 2


def columns_k_and_next(table):
    """A mistake: it takes columns k and k + 1 for pair k."""
    return max(0, min(right_columns(table) - 1, len(table[0]) // 2))
