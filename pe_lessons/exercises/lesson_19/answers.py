"""Right answers of lesson 19."""

import math

import numpy as np
import torch


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


def causal_alibi_tensors(score, batch, head, query, key):
    slope = 0.5 ** (head + 1)  # 1/2, 1/4, ..., 1/256
    bias = slope * (key - query)  # 0 for the token itself, below 0 for those before it
    return torch.where(key <= query, score + bias, -math.inf)


def causal_alibi_loop(score, batch, head, query, key):
    slope, distance = 0.5 ** (head + 1), query - key
    lowered = score - slope * distance
    return lowered.masked_fill(key > query, -math.inf)
