"""Right answers of lesson 13."""

import math

import numpy as np


def sinusoidal_2d_arrays(height, width, d_model):
    half = d_model // 2
    frequencies = 10_000.0 ** (-np.arange(0, half, 2) / half)  # (n_pairs,) each half has all of them
    places = np.indices((height, width))  # (2, height, width) every patch's row, every patch's column
    angles = places[..., None] * frequencies  # (2, height, width, n_pairs)
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # a sine and a cosine beside each other
    of_row, of_column = waves.reshape(2, height, width, half)
    grid = np.concatenate([of_row, of_column], axis=-1)  # (height, width, d_model)
    return grid


def sinusoidal_2d_loop(height, width, d_model):
    half = d_model // 2
    grid = []
    for row in range(height):
        line = []
        for column in range(width):
            numbers = []
            for place in (row, column):
                for exponent in range(0, half, 2):
                    angle = place / 10_000 ** (exponent / half)
                    numbers += [math.sin(angle), math.cos(angle)]
            line.append(numbers)
        grid.append(line)
    return grid


def axial_rotary_arrays(x, rows, columns):
    half = x.shape[1] // 2
    exponents = np.tile(np.arange(0, half, 2), 2) / half  # (n_pairs,) begin with 0 again in the second half
    places = np.repeat([rows, columns], half // 2, axis=0).T  # (n, n_pairs) a place for every pair
    angles = places * 10_000.0**-exponents
    pairs = x[:, 0::2] + 1j * x[:, 1::2]  # (n, n_pairs) two numbers side by side make one complex number
    turned = pairs * np.exp(1j * angles)  # (n, n_pairs) and back: real, imaginary, real, ...
    return turned.view(np.float64)


def axial_rotary_loop(x, rows, columns):
    half = len(x[0]) // 2
    result = []
    for numbers, row, column in zip(x, rows, columns):
        turned = []
        for start, place in ((0, row), (half, column)):
            for number in range(0, half, 2):
                a, b = numbers[start + number], numbers[start + number + 1]
                angle = place / 10_000 ** (number / half)
                first = a * math.cos(angle) - b * math.sin(angle)
                second = a * math.sin(angle) + b * math.cos(angle)
                turned += [first, second]
        result.append(turned)
    return result
