"""Right answers of lesson 15."""

import math

import numpy as np


def turned_rows_arrays(first_row, frequencies, seq_len):
    first_row, frequencies = np.array(first_row), np.array(frequencies)
    hands = first_row[0::2] + 1j * first_row[1::2]  # (n_pairs,) sine + i cosine
    steps = np.arange(seq_len)[:, None]  # (seq_len, 1)
    turns = np.exp(-1j * steps * frequencies)  # (seq_len, n_pairs)
    rows = hands * turns
    return rows.view(np.float64)  # (seq_len, 2 n_pairs) real, imaginary, real, ...


def turned_rows_loop(first_row, frequencies, seq_len):
    pairs = list(zip(first_row[0::2], first_row[1::2]))
    rows = []
    for steps in range(seq_len):
        row = []
        for (sine, cosine), frequency in zip(pairs, frequencies):
            angle = steps * frequency
            turned_sine = sine * math.cos(angle) + cosine * math.sin(angle)
            turned_cosine = cosine * math.cos(angle) - sine * math.sin(angle)
            row += [turned_sine, turned_cosine]
        rows.append(row)
    return rows


def stream_blocks_arrays(seq_len, d_model, block_len):
    frequencies = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)  # (n_pairs,)
    turns = np.exp(-1j * np.arange(block_len)[:, None] * frequencies)  # (block_len, n_pairs)
    for first in range(0, seq_len, block_len):
        hands = 1j * np.exp(-1j * first * frequencies)  # (n_pairs,) the row of position `first`
        rows = (hands * turns)[: seq_len - first]  # the last block may be shorter
        yield rows.view(np.float64)


def stream_blocks_loop(seq_len, d_model, block_len):
    for first in range(0, seq_len, block_len):
        rows = []
        for offset in range(min(block_len, seq_len - first)):
            position = first + offset
            row = []
            for column in range(0, d_model, 2):
                angle = position / 10_000 ** (column / d_model)
                row += [math.sin(angle), math.cos(angle)]
            rows.append(row)
        yield rows
