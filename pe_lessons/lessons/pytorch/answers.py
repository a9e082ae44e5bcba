"""Right answers of lesson 05."""

import math

import numpy as np
import torch
from torch import nn

from pe_lessons import tensors


def sinusoidal_torch_tensors(seq_len, d_model):
    base = 10_000
    positions = torch.arange(seq_len, dtype=torch.float64)[:, None]  # (seq_len, 1)
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model  # (n_pairs,)
    frequencies = base**-exponents
    angles = positions * frequencies  # (seq_len, n_pairs)
    table = torch.empty(seq_len, d_model, dtype=torch.float64)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles[:, : d_model // 2])
    return table.to(torch.get_default_dtype())


def sinusoidal_torch_loop(seq_len, d_model):
    table = rows_one_by_one(seq_len, d_model)
    return torch.from_numpy(np.array(table)).to(torch.get_default_dtype())


def rows_one_by_one(seq_len, d_model):
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
    return table


class encoding_module_tensors(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        table = tensors.sinusoidal(max_len, d_model)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x):  # (batch, seq_len, d_model)
        seq_len, max_len = x.size(1), self.table.size(0)
        if seq_len > max_len:
            raise ValueError(f"seq_len is {seq_len}, but max_len is {max_len}")
        rows = self.table[:seq_len]  # (seq_len, d_model)
        return x + rows


class encoding_module_loop(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.max_len = max_len
        self.register_buffer("table", sinusoidal_torch_loop(max_len, d_model), persistent=False)

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError(f"{x.size(1)} positions, but max_len is {self.max_len}")
        samples = []
        for number in range(len(x)):
            sample = x[number]  # (seq_len, d_model)
            samples.append(sample + self.table[: len(sample)])
        return torch.stack(samples)
