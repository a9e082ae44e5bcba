"""Right answers of lesson 12."""

import math

import numpy as np

from pe_lessons import arrays


def rotary_interleaved_arrays(x, positions):
    base, head_dim = 10_000.0, x.shape[1]
    exponents = np.arange(0, head_dim, 2) / head_dim  # (n_pairs,)
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies  # (seq_len, n_pairs)
    first, second = np.arange(0, head_dim, 2), np.arange(1, head_dim, 2)  # the two columns of each pair
    a, b = x[:, first], x[:, second]  # (seq_len, n_pairs) each
    rotated = np.empty(x.shape)
    rotated[:, first] = a * np.cos(angles) - b * np.sin(angles)
    rotated[:, second] = a * np.sin(angles) + b * np.cos(angles)
    return rotated


def rotary_interleaved_loop(x, positions):
    base, head_dim = 10_000.0, len(x[0])
    exponents = [2 * pair / head_dim for pair in range(head_dim // 2)]
    frequencies = [base**-exponent for exponent in exponents]
    rotated = []
    for row, position in zip(x, positions):
        angles = [position * frequency for frequency in frequencies]
        new = list(row)
        for pair, angle in enumerate(angles):
            first, second = 2 * pair, 2 * pair + 1
            a, b = row[first], row[second]
            new[first] = a * math.cos(angle) - b * math.sin(angle)
            new[second] = a * math.sin(angle) + b * math.cos(angle)
        rotated.append(new)
    return rotated


def rotary_half_mended(x, positions):
    _, head_dim = x.shape
    half = head_dim // 2
    frequencies = 10_000 ** (-2 * np.arange(half) / head_dim)  # mended: the 2 of 2k
    angles = positions[:, None] * frequencies  # mended: the positions that are given
    angles = np.concatenate([angles, angles], axis=1)  # (seq_len, head_dim)
    partner = np.concatenate([-x[:, half:], x[:, :half]], axis=1)
    return x * np.cos(angles) + partner * np.sin(angles)


def rotary_half_arrays(x, positions):
    base, head_dim = 10_000.0, x.shape[1]
    exponents = np.arange(0, head_dim, 2) / head_dim  # (n_pairs,)
    frequencies = base**-exponents
    angles = positions[:, None] * frequencies  # (seq_len, n_pairs)
    first, second = np.split(np.arange(head_dim), 2)  # the two columns of each pair
    a, b = x[:, first], x[:, second]  # (seq_len, n_pairs) each
    rotated = np.empty(x.shape)
    rotated[:, first] = a * np.cos(angles) - b * np.sin(angles)
    rotated[:, second] = a * np.sin(angles) + b * np.cos(angles)
    return rotated


def rotary_half_loop(x, positions):
    base, head_dim = 10_000.0, len(x[0])
    exponents = [2 * pair / head_dim for pair in range(head_dim // 2)]
    frequencies = [base**-exponent for exponent in exponents]
    rotated = []
    for row, position in zip(x, positions):
        angles = [position * frequency for frequency in frequencies]
        new = list(row)
        for pair, angle in enumerate(angles):
            first, second = pair, pair + head_dim // 2
            a, b = row[first], row[second]
            new[first] = a * math.cos(angle) - b * math.sin(angle)
            new[second] = a * math.sin(angle) + b * math.cos(angle)
        rotated.append(new)
    return rotated


def cached_attention_arrays(q, k, v, cached_k, cached_v, num_heads):
    cached, new = cached_k.shape[1], len(q)
    positions = cached + np.arange(new)
    q, k, v = [rows.reshape(new, num_heads, -1).swapaxes(0, 1) for rows in [q, k, v]]
    q, k = [arrays.rotary(heads, positions) for heads in [q, k]]  # (num_heads, new, head_dim) each
    keys = np.concatenate([cached_k, k], axis=1)  # (num_heads, cached + new, head_dim)
    values = np.concatenate([cached_v, v], axis=1)
    mask = np.arange(cached + new) <= cached + np.arange(new)[:, None]  # (new, cached + new)
    outputs = arrays.attention(q, keys, values, mask)  # (num_heads, new, head_dim)
    return outputs.swapaxes(0, 1).reshape(new, -1)


def cached_attention_loop(q, k, v, cached_k, cached_v, num_heads):
    new, head_dim = len(q), len(q[0]) // num_heads
    outputs = [[] for row in q]
    for head in range(num_heads):
        cached = len(cached_k[head])
        positions = [cached + number for number in range(new)]
        columns = slice(head * head_dim, (head + 1) * head_dim)
        queries, new_keys, new_values = [[row[columns] for row in rows] for rows in [q, k, v]]
        queries = rotary_interleaved_loop(queries, positions)
        new_keys = rotary_interleaved_loop(new_keys, positions)
        keys = [*cached_k[head], *new_keys]
        values = [*cached_v[head], *new_values]
        for number, query in enumerate(queries):
            seen = cached + number + 1  # how many keys it may look at
            scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in keys[:seen]]
            powers = [math.exp(score) for score in scores]
            for column in range(head_dim):
                weighted = [power * value[column] for power, value in zip(powers, values)]
                outputs[number].append(sum(weighted) / sum(powers))
    return outputs


def rotary_across_heads(rows, positions, **options):
    """Every head rotated by a position of its own, from the first one on."""
    positions = positions[0] + np.arange(len(rows))
    return arrays.rotary(rows.swapaxes(0, 1), positions, **options).swapaxes(0, 1)


def rotary_of_all_heads_loop(rows, positions, num_heads):
    """The frequencies of rows that are `num_heads` times as wide."""
    wide = [[*row, *[0.0] * (num_heads - 1) * len(row)] for row in rows]
    return [new[: len(row)] for row, new in zip(rows, rotary_interleaved_loop(wide, positions))]
