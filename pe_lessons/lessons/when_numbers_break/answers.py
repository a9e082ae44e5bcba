"""Right answers of lesson 21."""

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


def far_table_exact(positions, d_model, look_at="values"):
    """The rows in float64: those of every right answer are rounded."""
    angles = np.outer(positions, arrays.frequencies(d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), d_model)


def far_table_repaired(positions, d_model):
    table = torch.zeros(len(positions), d_model)
    positions = torch.tensor(positions, dtype=torch.float64)  # repaired: no longer in the table's format
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model  # repaired, too
    angles = positions[:, None] / 10_000**exponents
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


def far_table_tensors(positions, d_model):
    positions = torch.tensor(positions, dtype=torch.float64)
    angles = torch.outer(positions, tensors.frequencies(d_model))
    waves = angles.sin(), angles.cos()
    table = torch.stack(waves, dim=2).flatten(1)
    return table.float()
