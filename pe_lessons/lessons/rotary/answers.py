"""Right answers of lesson 09."""

import math

import numpy as np


def rotary_interleaved_arrays(x, positions):
    base, head_dim = 10_000.0, x.shape[1]
    exponents = np.arange(0, head_dim, 2) / head_dim  # (n_pairs,)
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies  # (seq_len, n_pairs)
    first, second = np.arange(0, head_dim, 2), np.arange(1, head_dim, 2)  # the two columns of each pair
    a, b = x[:, first], x[:, second]  # (seq_len, n_pairs) each
    rotated = np.empty(x.shape)
    rotated[:, first] = a * np.cos(angles) - b * np.sin(angles)
    rotated[:, second] = a * np.sin(angles) + b * np.cos(angles)
    return rotated


def rotary_interleaved_loop(x, positions):
    base, head_dim = 10_000.0, len(x[0])
    exponents = [2 * pair / head_dim for pair in range(head_dim // 2)]
    frequencies = [base**-exponent for exponent in exponents]
    rotated = []
    for row, position in zip(x, positions):
        angles = [position * frequency for frequency in frequencies]
        new = list(row)
        for pair, angle in enumerate(angles):
            first, second = 2 * pair, 2 * pair + 1
            a, b = row[first], row[second]
            new[first] = a * math.cos(angle) - b * math.sin(angle)
            new[second] = a * math.sin(angle) + b * math.cos(angle)
        rotated.append(new)
    return rotated


def read_base_arrays(row):
    head_dim = len(row)
    angle = np.arctan2(row[3], row[2])  # of pair 1, after one position
    exponent = 2 / head_dim
    return angle ** (-1 / exponent)


def read_base_loop(row):
    head_dim = len(row)
    angle = math.atan2(row[3], row[2])
    exponent = 2 / head_dim
    return angle ** (-1 / exponent)
