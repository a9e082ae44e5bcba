"""Right answers of lesson 07."""

import math

import numpy as np

from pe_lessons import arrays, loops


def shift_matrix_arrays(offset, d_model):
    base = 10_000
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    frequencies = base**-exponents  # radians per token
    angles = offset * frequencies
    sines, cosines = np.sin(angles), np.cos(angles)
    columns = np.arange(d_model)
    first, second = columns[0::2], columns[1::2]  # of each pair
    matrix = np.zeros((d_model, d_model))
    matrix[first, first] = cosines
    matrix[first, second] = sines
    matrix[second, first] = -sines
    matrix[second, second] = cosines
    return matrix


def shift_matrix_loop(offset, d_model):
    base = 10_000
    matrix = [[0.0] * d_model for _ in range(d_model)]
    for first in range(0, d_model, 2):
        pair = first // 2
        exponent = 2 * pair / d_model
        frequency = 1 / base**exponent
        angle = offset * frequency
        sine, cosine = math.sin(angle), math.cos(angle)
        block = [[cosine, sine], [-sine, cosine]]
        for row in (0, 1):
            for column in (0, 1):
                matrix[first + row][first + column] = block[row][column]
    return matrix


def kernel_arrays(offsets, d_model):
    base = 10_000
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    frequencies = base**-exponents  # radians per token
    angles = np.array(offsets)[:, None] * frequencies  # (n_offsets, n_pairs)
    waves = np.cos(angles)
    similarities = waves.sum(axis=1)  # (n_offsets,)
    return similarities


def kernel_loop(offsets, d_model):
    base = 10_000
    angles = []  # a row for each offset, with an angle for each pair
    for offset in offsets:
        row = []
        for pair in range(d_model // 2):
            exponent = 2 * pair / d_model
            frequency = 1 / base**exponent
            row.append(offset * frequency)
        angles.append(row)
    waves = [[math.cos(angle) for angle in row] for row in angles]
    return [sum(row) for row in waves]


def back_head_arrays(seq_len, d_model, back, sharpness):
    table = arrays.sinusoidal(seq_len, d_model)
    queries = table @ arrays.shift_matrix(-back, d_model).T  # row m becomes row m - back
    scores = queries @ table.T / np.sqrt(d_model)  # (seq_len, seq_len)
    sharpened = sharpness * scores
    return arrays.softmax(sharpened)


def back_head_loop(seq_len, d_model, back, sharpness):
    scores = []
    for m in range(seq_len):
        row = []
        for n in range(seq_len):
            distance = m - back - n  # of the position looked for from position n
            waves = [math.cos(distance / 10_000 ** (column / d_model)) for column in range(0, d_model, 2)]
            row.append(sharpness * sum(waves) / math.sqrt(d_model))
        scores.append(row)
    return loops.softmax(scores)
