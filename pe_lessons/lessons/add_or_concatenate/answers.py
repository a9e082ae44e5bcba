"""Right answers of lesson 11."""

import math

import numpy as np
import torch


def readout_arrays(sums, labels, rows):
    best, *_ = np.linalg.lstsq(sums, rows[labels])  # (d_model, d_model)
    read = sums @ best  # (n, d_model)
    distances = np.linalg.norm(read[:, None] - rows, axis=-1)  # (n, n_labels)
    nearest = distances.argmin(axis=1)  # (n,)
    return np.mean(nearest == labels)


def readout_tensors(sums, labels, rows):
    sums, labels, rows = torch.tensor(sums), torch.tensor(labels), torch.tensor(rows)
    matrix = torch.linalg.pinv(sums) @ rows[labels]
    read = sums @ matrix
    nearest = torch.cdist(read, rows).argmin(dim=1)
    return (nearest == labels).double().mean()


def paper_input_arrays(embedded, table):
    seq_len, d_model = embedded.shape
    factor = np.sqrt(d_model)
    rows = table[:seq_len]  # (seq_len, d_model)
    return embedded * factor + rows


def paper_input_loop(embedded, table):
    seq_len, d_model = len(embedded), len(embedded[0])
    factor = math.sqrt(d_model)
    rows = [table[position] for position in range(seq_len)]
    result = []
    for words, places in zip(embedded, rows, strict=True):
        result.append([factor * word + place for word, place in zip(words, places)])
    return result
