"""Right answers of lesson 15."""

import math

import numpy as np


def share_rotary_arrays(x, positions, share, proportional):
    base, head_dim = 10_000.0, x.shape[1]
    n_pairs = int(share * head_dim) // 2
    width = head_dim if proportional else 2 * n_pairs
    exponents = np.arange(0, 2 * n_pairs, 2) / width  # (n_pairs,)
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies  # (seq_len, n_pairs)
    first = np.arange(n_pairs)
    second = first + width // 2  # the other column of each pair
    a, b = x[:, first], x[:, second]  # (seq_len, n_pairs) each
    rotated = np.array(x)
    rotated[:, first] = a * np.cos(angles) - b * np.sin(angles)
    rotated[:, second] = a * np.sin(angles) + b * np.cos(angles)
    return rotated


def share_rotary_loop(x, positions, share, proportional):
    base, head_dim = 10_000.0, len(x[0])
    n_pairs = int(share * head_dim) // 2
    width = head_dim if proportional else 2 * n_pairs
    exponents = [2 * pair / width for pair in range(n_pairs)]
    frequencies = [base**-exponent for exponent in exponents]
    rotated = []
    for row, position in zip(x, positions):
        angles = [position * frequency for frequency in frequencies]
        new = list(row)
        for pair, angle in enumerate(angles):
            first, second = pair, pair + width // 2
            a, b = row[first], row[second]
            new[first] = a * math.cos(angle) - b * math.sin(angle)
            new[second] = a * math.sin(angle) + b * math.cos(angle)
        rotated.append(new)
    return rotated


def layer_bases_loop(config):
    n_layers, flags = config["num_layers"], config["no_rope_layers"]
    bases = []
    for layer in range(n_layers):
        number = layer + 1
        sees_all = number % config["pattern"] == 0 or number == n_layers
        base = config["base"] if sees_all else config["local_base"]
        rotates = flags is None or flags[layer] == 1
        bases.append(base if rotates else 0)
    return bases


def layer_bases_arrays(config):
    n_layers, flags = config["num_layers"], config["no_rope_layers"]
    number = np.arange(n_layers) + 1
    sees_all = (number % config["pattern"] == 0) | (number == n_layers)
    bases = np.where(sees_all, config["base"], config["local_base"])
    rotates = np.ones(n_layers) if flags is None else np.array(flags)
    return np.where(rotates == 1, bases, 0)
