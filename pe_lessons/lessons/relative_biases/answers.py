"""Right answers of lesson 10."""

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


def buckets_arrays(relative_positions, bidirectional):
    one_way = 16 if bidirectional else 32  # buckets of a direction
    exact = one_way // 2
    distances = np.abs(relative_positions) if bidirectional else np.maximum(-relative_positions, 0)
    far = np.maximum(distances, exact)
    share = np.log(far / exact) / np.log(128 / exact)  # of the way from exact to 128
    steps = (share * (one_way - exact) + 1e-9).astype(int)  # a whole number must not come out below itself
    shared = np.minimum(exact + steps, one_way - 1)
    first = np.where(relative_positions > 0, 16, 0) if bidirectional else 0
    return first + np.where(distances < exact, distances, shared)


def buckets_mended(relative_positions, bidirectional):
    n = 8 if bidirectional else 16
    back = np.maximum(-relative_positions, 0)  # 0 for keys ahead
    distances = np.abs(relative_positions) if bidirectional else back
    share = np.log(np.maximum(distances, n) / n) / np.log(128 / n)  # of the way to 128
    far = n + (n * share + 1e-9).astype(int)  # a whole number must not come out below itself
    found = np.where(distances < n, distances, np.minimum(far, 2 * n - 1))
    return found + 16 * (relative_positions > 0) * bidirectional


def eight_in_both_modes_not_clipped(relative_positions, bidirectional):
    """Two mistakes, as the exercise begins."""
    distances = np.abs(relative_positions) if bidirectional else np.maximum(-relative_positions, 0)
    share = np.log(np.maximum(distances, 8) / 8) / np.log(128 / 8)
    found = np.where(distances < 8, distances, 8 + (8 * share + 1e-9).astype(int))
    return found + 16 * (relative_positions > 0) * bidirectional


def buckets_loop(relative_positions, bidirectional):
    offsets = relative_positions.ravel().tolist()
    found = [one_bucket(offset, bidirectional) for offset in offsets]
    return np.reshape(found, relative_positions.shape)


def one_bucket(offset, bidirectional):
    one_way = 16 if bidirectional else 32
    exact = one_way // 2
    distance = abs(offset) if bidirectional else max(-offset, 0)
    first = 16 if bidirectional and offset > 0 else 0
    if distance < exact:
        return first + distance
    share = math.log(distance / exact) / math.log(128 / exact)
    steps = int((one_way - exact) * share + 1e-9)
    return first + min(exact + steps, one_way - 1)
