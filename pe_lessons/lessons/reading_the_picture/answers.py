"""Right answers of lesson 06."""

import math

import numpy as np


def read_wavelengths_arrays(table):
    row = table[1]  # where every hand is after one token
    sines, cosines = row[0::2], row[1::2]  # (n_pairs,) each
    angles = np.arctan2(sines, cosines)  # radians per token
    return 2 * np.pi / angles  # tokens per turn


def read_wavelengths_loop(table):
    row = table[1]
    wavelengths = []
    for pair in range(len(row) // 2):
        sine, cosine = row[2 * pair], row[2 * pair + 1]
        angle = math.atan2(sine, cosine)
        wavelengths.append(2 * math.pi / angle)
    return wavelengths
