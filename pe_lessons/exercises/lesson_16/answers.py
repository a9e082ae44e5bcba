"""Right answers of lesson 16."""

import math

import numpy as np
import torch

from pe_lessons import arrays, tensors


def digits_needed_loop(seq_len):
    digits = 2
    while 2**digits < seq_len - 1:  # the last position is out of reach
        digits += 1
    return digits


def digits_needed_arrays(seq_len):
    last = seq_len - 1
    digits = math.ceil(math.log2(last))
    return max(digits, 2)


def far_table_arrays(positions, d_model):
    positions = np.array(positions, dtype=np.float64)[:, None]  # (seq_len, 1)
    angles = positions * arrays.frequencies(d_model)  # (seq_len, n_pairs), float64
    table = np.empty((len(positions), d_model))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table.astype(np.float32)


def far_table_tensors(positions, d_model):
    positions = torch.tensor(positions, dtype=torch.float64)
    angles = torch.outer(positions, tensors.frequencies(d_model))
    waves = angles.sin(), angles.cos()
    table = torch.stack(waves, dim=2).flatten(1)
    return table.float()


def padded_positions_arrays(mask):
    counts = np.cumsum(mask, axis=1)  # (batch, seq_len) real tokens up to and with this one
    return (counts - 1).clip(min=0)  # (batch, seq_len)


def padded_positions_loop(mask):
    rows = []
    for row in mask:
        count = 0
        positions = []
        for real in row:
            count += real
            positions.append(max(count - 1, 0))
        rows.append(positions)
    return rows


def next_positions_arrays(mask, new):
    counts = np.cumsum(mask, axis=1)  # (batch, cached + new) real tokens up to and with this one
    positions = (counts - 1).clip(min=0)
    return positions[:, -new:]  # (batch, new)


def next_positions_loop(mask, new):
    rows = []
    for row in mask:
        cached = len(row) - new
        rows.append([sum(row[:column]) for column in range(cached, len(row))])
    return rows
