"""Right answers of the lesson that decides."""

import math

import numpy as np


def margin_needed_arrays(num_keys, weight):
    odds = weight / (1 - weight)
    return float(np.log(num_keys - 1) + np.log(odds))


def margin_needed_loop(num_keys, weight):
    others = num_keys - 1
    return math.log(others * weight / (1 - weight))


def needles_needed_arrays(accuracy, difference):
    variance = 2 * accuracy * (1 - accuracy)  # of the difference of two measurements
    return int(np.ceil(variance * (2 / difference) ** 2))


def needles_needed_loop(accuracy, difference):
    texts = 1
    while 2 * math.sqrt(2 * accuracy * (1 - accuracy) / texts) > difference:
        texts += 1
    return texts


def longest_promised_loop(found, texts):
    short, *lengths = found
    promised = 0
    for length in lengths:
        gap = max(found[length]) - min(found[length])
        rule_1 = gap / texts <= 0.05
        rule_2 = all(here >= 0.85 * there for here, there in zip(found[length], found[short]))
        if not (rule_1 and rule_2):
            break
        promised = length
    return promised


def longest_promised_arrays(found, texts):
    table = np.array([*found.values()])
    even = np.ptp(table[1:], axis=1) / texts <= 0.05
    kept = np.all(table[1:] >= 0.85 * table[0], axis=1)
    lengths = list(found)[1:]
    count = int(np.cumprod(even & kept).sum())  # how many pass before the first one fails
    return lengths[count - 1] if count else 0
