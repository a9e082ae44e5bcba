"""Right answers of lesson 12."""

import math

import numpy as np


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


def learned_rows_arrays(token_ids, table, first_row, padding_id):
    real = token_ids != padding_id  # (batch, seq_len)
    before = real.cumsum(axis=1) - real  # (batch, seq_len) real tokens before each
    rows = table[first_row + before * real]  # (batch, seq_len, d_model) padding asks for one that exists
    return np.where(real[:, :, None], rows, 0.0)


def learned_rows_loop(token_ids, table, first_row, padding_id):
    nothing = [0.0] * len(table[0])
    batch = []
    for sentence in token_ids:
        rows, before = [], 0
        for token in sentence:
            real = token != padding_id
            rows.append(table[first_row + before] if real else nothing)
            before += real
        batch.append(rows)
    return batch
