"""Right answers of lesson 11."""

import math

import numpy as np

from pe_lessons import arrays


def slopes_loop(num_heads):
    power = 2 ** int(math.log2(num_heads))  # the largest that is not above num_heads
    series = [(head, power) for head in range(power)]
    series += [(head, 2 * power) for head in range(0, 2 * (num_heads - power), 2)]
    slopes = [2 ** (-8 * (head + 1) / n) for head, n in series]
    return slopes


def slopes_arrays(num_heads):
    power = 1
    while 2 * power <= num_heads:
        power = 2 * power
    lower, higher = (2.0 ** (-8 / n * np.arange(1, n + 1)) for n in (power, 2 * power))
    slopes = np.concatenate([lower, higher[0::2][: num_heads - power]])
    return slopes


def newest_weights_arrays(scores, slope):
    n_queries, n_keys = scores.shape
    keys = np.arange(n_keys)
    queries = keys[n_keys - n_queries :, None]  # (n_queries, 1) the last positions
    bias = -slope * (queries - keys)
    biased = np.where(keys <= queries, scores + bias, -np.inf)
    weights = arrays.softmax(biased)
    return weights


def newest_weights_repaired(scores, slope):
    n_queries, n_keys = scores.shape
    queries, keys = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
    biased = scores - slope * np.abs(queries - keys)
    return arrays.softmax(np.where(keys <= queries, biased, -np.inf))


def newest_weights_loop(scores, slope):
    n_queries, n_keys = scores.shape
    weights = []
    for row, query in zip(scores.tolist(), range(n_keys - n_queries, n_keys)):
        powers = []
        for key, score in enumerate(row):
            bias = -slope * (query - key)
            powers.append(math.exp(score + bias) if key <= query else 0.0)
        weights.append([power / sum(powers) for power in powers])
    return weights
