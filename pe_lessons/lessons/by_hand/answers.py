"""Right answers of lesson 02."""

import math

from pe_lessons.lessons.numpy_when_used import numpy as np


def one_angle_loop(position, pair, d_model):
    base = 10_000
    exponent = 2 * pair / d_model
    frequency = 1 / base**exponent  # radians per token
    angle = position * frequency
    return angle


def one_angle_arrays(position, pair, d_model):
    base = 10_000
    positions = np.arange(position + 1)[:, None]
    exponents = np.arange(0, d_model, 2) / d_model
    frequencies = base**-exponents
    angles = positions * frequencies
    return angles[position, pair]


def row_by_hand_loop():
    seq_len, d_model = 7, 4
    base = 10_000
    table = []
    for position in range(seq_len):
        row = []
        for column in range(d_model):
            pair = column // 2
            exponent = 2 * pair / d_model
            frequency = 1 / base**exponent
            angle = position * frequency
            wave = math.sin if column % 2 == 0 else math.cos
            row.append(wave(angle))
        table.append(row)
    return table[6]


def row_by_hand_arrays():
    seq_len, d_model = 7, 4
    base = 10_000
    positions = np.arange(seq_len)[:, None]
    exponents = np.arange(0, d_model, 2) / d_model
    frequencies = base**-exponents
    angles = positions * frequencies
    table = np.empty((seq_len, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return table[6]
