"""Right answers of lesson 10."""

import math

import numpy as np


def rotary_half_repaired(x, positions):
    _, head_dim = x.shape
    half = head_dim // 2
    frequencies = 10_000 ** (-2 * np.arange(half) / head_dim)  # repaired: the 2 of 2k
    angles = positions[:, None] * frequencies  # repaired: the positions that are given
    angles = np.concatenate([angles, angles], axis=1)  # (seq_len, head_dim)
    partner = np.concatenate([-x[:, half:], x[:, :half]], axis=1)
    return x * np.cos(angles) + partner * np.sin(angles)


def rotary_half_arrays(x, positions):
    base, head_dim = 10_000.0, x.shape[1]
    exponents = np.arange(0, head_dim, 2) / head_dim  # (n_pairs,)
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies  # (seq_len, n_pairs)
    first, second = np.split(np.arange(head_dim), 2)  # the two columns of each pair
    a, b = x[:, first], x[:, second]  # (seq_len, n_pairs) each
    rotated = np.empty(x.shape)
    rotated[:, first] = a * np.cos(angles) - b * np.sin(angles)
    rotated[:, second] = a * np.sin(angles) + b * np.cos(angles)
    return rotated


def rotary_half_loop(x, positions):
    base, head_dim = 10_000.0, len(x[0])
    exponents = [2 * pair / head_dim for pair in range(head_dim // 2)]
    frequencies = [base**-exponent for exponent in exponents]
    rotated = []
    for row, position in zip(x, positions):
        angles = [position * frequency for frequency in frequencies]
        new = list(row)
        for pair, angle in enumerate(angles):
            first, second = pair, pair + head_dim // 2
            a, b = row[first], row[second]
            new[first] = a * math.cos(angle) - b * math.sin(angle)
            new[second] = a * math.sin(angle) + b * math.cos(angle)
        rotated.append(new)
    return rotated


def to_neighbours_arrays(weight, num_heads):
    order = np.arange(len(weight)).reshape(num_heads, 2, -1)  # (num_heads, first or second, n_pairs)
    return weight[order.swapaxes(1, 2).ravel()]


def to_neighbours_loop(weight, num_heads):
    head_dim = len(weight) // num_heads
    n_pairs = head_dim // 2
    rows = []
    for head in range(num_heads):
        start = head * head_dim
        for pair in range(n_pairs):
            first, second = start + pair, start + n_pairs + pair
            rows += [weight[first], weight[second]]
    return rows
