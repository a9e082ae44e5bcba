"""Right answers of lesson 14."""

import math

import numpy as np
import torch
from torch.nn import functional as F

from pe_lessons import arrays


def sinusoidal_2d_short(height, width, d_model):
    half = d_model // 2
    grid = np.empty((height, width, d_model))
    grid[..., :half] = arrays.sinusoidal(height, half, base=100)[:, None]  # (height, 1, half)
    grid[..., half:] = arrays.sinusoidal(width, half, base=100)  # (width, half)
    return grid


def sinusoidal_2d_arrays(height, width, d_model):
    half = d_model // 2
    frequencies = 100.0 ** (-np.arange(0, half, 2) / half)  # (n_pairs,) each half has all of them
    positions = np.indices((height, width))  # (2, height, width) every patch's row, every patch's column
    angles = positions[..., None] * frequencies  # (2, height, width, n_pairs)
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
            for position in (row, column):
                for exponent in range(0, half, 2):
                    angle = position / 100 ** (exponent / half)
                    numbers += [math.sin(angle), math.cos(angle)]
            line.append(numbers)
        grid.append(line)
    return grid


def axial_rotary_short(x, rows, columns):
    first, second = np.split(x, 2, axis=-1)  # (n, head_dim / 2) each
    first = arrays.rotary(first, rows, base=100)
    second = arrays.rotary(second, columns, base=100)
    return np.concatenate([first, second], axis=-1)  # (n, head_dim)


def axial_rotary_arrays(x, rows, columns):
    half = x.shape[1] // 2
    exponents = np.tile(np.arange(0, half, 2), 2) / half  # (n_pairs,) begin with 0 again in the second half
    positions = np.repeat([rows, columns], half // 2, axis=0).T  # (n, n_pairs) a position for every pair
    angles = positions * 100.0**-exponents
    pairs = x[:, 0::2] + 1j * x[:, 1::2]  # (n, n_pairs) two numbers side by side make one complex number
    turned = pairs * np.exp(1j * angles)  # (n, n_pairs) and back: real, imaginary, real, ...
    return turned.view(np.float64)


def axial_rotary_loop(x, rows, columns):
    half = len(x[0]) // 2
    result = []
    for numbers, row, column in zip(x, rows, columns):
        turned = []
        for start, position in ((0, row), (half, column)):
            for number in range(0, half, 2):
                a, b = numbers[start + number], numbers[start + number + 1]
                angle = position / 100 ** (number / half)
                first = a * math.cos(angle) - b * math.sin(angle)
                second = a * math.sin(angle) + b * math.cos(angle)
                turned += [first, second]
        result.append(turned)
    return result


def resized_table_tensors(table, old, new):
    class_row, patches = table[:1], table[1:]
    height, width = old
    grid = patches.reshape(height, width, -1).permute(2, 0, 1)  # (d_model, height, width)
    grid = F.interpolate(grid[None], size=new, mode="bicubic")  # (1, d_model, new height, new width)
    patches = grid[0].permute(1, 2, 0).flatten(0, 1)
    return torch.cat([class_row, patches])


def resized_table_arrays(table, old, new):
    rows = np.asarray(table)
    class_row, patches = rows[:1], rows[1:]
    height, width = old
    grid = patches.reshape(height, width, -1)
    down, across = share_of_each(height, new[0]), share_of_each(width, new[1])
    grid = np.einsum("rh,hwd,cw->rcd", down, grid, across)
    patches = grid.reshape(new[0] * new[1], -1)
    return np.concatenate([class_row, patches])


def share_of_each(old, new):
    one_hot = torch.eye(old, dtype=torch.float64)[None, None]  # (1, 1, old, old)
    shares = F.interpolate(one_hot, size=(new, old), mode="bicubic")
    return shares.reshape(new, old).numpy()  # what each new position along an axis takes from each old one
