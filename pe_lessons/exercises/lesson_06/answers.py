"""Right answers of lesson 06."""

import math

import numpy as np


def all_wavelengths_arrays(d_model, base):
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    frequencies = base**-exponents  # radians per token
    return 2 * np.pi / frequencies  # tokens per turn


def all_wavelengths_loop(d_model, base):
    wavelengths = []
    n_pairs = (d_model + 1) // 2
    for pair in range(n_pairs):
        exponent = 2 * pair / d_model
        radians_per_token = base**-exponent
        wavelengths.append(2 * math.pi / radians_per_token)
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
