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


def nearest_neighbour_arrays(table, position):
    differences = table - table[position]  # (seq_len, d_model)
    gaps = np.linalg.norm(differences, axis=1)  # (seq_len,)
    gaps[position] = np.inf
    return int(gaps.argmin())


def nearest_neighbour_loop(table, position):
    nearest, smallest = position, math.inf
    for other in range(len(table)):
        if other == position:
            continue
        gap = sum((a - b) ** 2 for a, b in zip(table[other], table[position]))
        if gap < smallest:
            nearest, smallest = other, gap
    return nearest
