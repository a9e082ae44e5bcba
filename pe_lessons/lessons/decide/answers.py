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
