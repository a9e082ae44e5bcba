"""Right answers of lesson 20."""

import math

import numpy as np
import torch


def turned_rows_arrays(starts, frequencies, block_len, n):
    starts, frequencies = np.array(starts), np.array(frequencies)
    hands = starts[:, 0::2] + 1j * starts[:, 1::2]  # (n_blocks, n_pairs) sine + i cosine
    steps = np.arange(block_len)[:, None]  # (block_len, 1)
    turns = np.exp(-1j * steps * frequencies)  # (block_len, n_pairs) the same for every block
    rows = hands[:, None] * turns  # (n_blocks, block_len, n_pairs)
    rows = np.concatenate(rows)[:n]  # the blocks one below the other
    return rows.view(np.float64)  # (n, 2 n_pairs) real, imaginary, real, ...


def turned_rows_loop(starts, frequencies, block_len, n):
    rows = []
    for start in starts:
        pairs = list(zip(start[0::2], start[1::2]))
        for step in range(block_len):
            turned = []
            for (sine, cosine), frequency in zip(pairs, frequencies):
                angle = step * frequency
                turned_sine = sine * math.cos(angle) + cosine * math.sin(angle)
                turned_cosine = cosine * math.cos(angle) - sine * math.sin(angle)
                turned += [turned_sine, turned_cosine]
            rows.append(turned)
    return rows[:n]


def a_chain_in_complex64(starts, frequencies, block_len, n):
    starts = np.array(starts)
    hands = (starts[:, 0::2] + 1j * starts[:, 1::2]).astype(np.complex64)
    one_on = np.exp(-1j * np.array(frequencies)).astype(np.complex64)
    rows = []
    for _ in range(block_len):
        rows.append(hands)
        hands = hands * one_on  # each row from the one before it
    rows = np.concatenate(np.stack(rows, axis=1))[:n]
    return rows.view(np.float32)


def view_numbers_arrays(n_queries, n_keys, slope, window):
    offsets = np.arange(1 - n_keys, n_queries)  # key minus query, the far ones first
    numbers = slope * offsets  # 0 for the token itself, below 0 for those before it
    seen = (offsets <= 0) & (offsets > -window)
    return np.where(seen, numbers, -np.inf)


def view_numbers_loop(n_queries, n_keys, slope, window):
    numbers = []
    for offset in range(-(n_keys - 1), n_queries):
        back = -offset  # how many tokens the key lies behind the query
        if 0 <= back < window:
            numbers.append(-slope * back)
        else:
            numbers.append(-math.inf)
    return numbers


def a_matrix_in_place_of_numbers(n_queries, n_keys, slope, window):
    queries = np.arange(n_keys - n_queries, n_keys)[:, None]
    back = queries - np.arange(n_keys)  # (n_queries, n_keys)
    return np.where((back >= 0) & (back < window), -slope * back, -np.inf)


def causal_alibi_tensors(score, batch, head, query, key):
    slope = 0.5 ** (head + 1)  # 1/2, 1/4, ..., 1/256
    bias = slope * (key - query)  # 0 for the token itself, below 0 for those before it
    return torch.where(key <= query, score + bias, -math.inf)


def causal_alibi_loop(score, batch, head, query, key):
    slope, distance = 0.5 ** (head + 1), query - key
    lowered = score - slope * distance
    return lowered.masked_fill(key > query, -math.inf)
