"""Right answers of lesson 07."""

import math

import numpy as np


def split_shift_arrays(offset, d_model):
    base = 10_000
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    frequencies = base**-exponents  # radians per token
    angles = offset * frequencies
    sines, cosines = np.sin(angles), np.cos(angles)
    columns = np.arange(d_model)
    first, second = columns[: d_model // 2], columns[d_model // 2 :]  # of each pair
    matrix = np.zeros((d_model, d_model))
    matrix[first, first] = cosines
    matrix[first, second] = sines
    matrix[second, first] = -sines
    matrix[second, second] = cosines
    return matrix


def split_shift_loop(offset, d_model):
    base = 10_000
    matrix = [[0.0] * d_model for _ in range(d_model)]
    for pair in range(d_model // 2):
        exponent = 2 * pair / d_model
        frequency = 1 / base**exponent
        angle = offset * frequency
        sine, cosine = math.sin(angle), math.cos(angle)
        block = [[cosine, sine], [-sine, cosine]]
        for row in (0, 1):
            for column in (0, 1):
                matrix[pair + d_model // 2 * row][pair + d_model // 2 * column] = block[row][column]
    return matrix


def split_shift_from_even_columns(offset, d_model):
    first = np.arange(0, d_model, 2)
    second = (first + d_model // 2) % d_model
    angles = offset * 10_000 ** (-first / d_model)
    matrix = np.zeros((d_model, d_model))
    matrix[first, first] = matrix[second, second] = np.cos(angles)
    matrix[first, second] = np.sin(angles)
    matrix[second, first] = -np.sin(angles)
    return matrix


def mean_by_step_arrays(weights):
    seq_len = len(weights)
    means = [np.diagonal(weights, -back).sum() / seq_len for back in range(seq_len)]
    return np.array(means)


def mean_by_step_loop(weights):
    seq_len = len(weights)
    means = []
    for back in range(seq_len):
        total = 0.0
        for m in range(back, seq_len):
            total += weights[m][m - back]
        means.append(total / seq_len)
    return means
