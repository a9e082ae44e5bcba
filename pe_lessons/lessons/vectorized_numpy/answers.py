"""Right answers of lesson 04."""

import math  # noqa: F401 (mistakes are written with it)

import numpy as np

from pe_lessons.lessons.the_naive_loop.answers import sinusoidal_loop_arrays, sinusoidal_loop_loop


def batch_angles_arrays(positions, d_model):
    base = 10_000
    exponents = np.arange(0, d_model, 2) / d_model  # (n_pairs,)
    frequencies = base**-exponents
    positions = positions[..., None]  # (batch, seq_len, 1)
    angles = positions * frequencies  # (batch, seq_len, n_pairs)
    return angles


def batch_angles_loop(positions, d_model):
    base = 10_000
    block = []
    for text in positions:
        table = []
        for position in text:
            row = []
            for pair in range(d_model // 2):
                exponent = 2 * pair / d_model
                frequency = 1 / base**exponent
                angle = position * frequency
                row.append(angle)
            table.append(row)
        block.append(table)
    return block


def angles_on_their_side(seq_len, d_model):
    """A mistake: a row of angles per pair, poured into rows of the right width."""
    return on_their_side(seq_len, d_model, -np.arange(0, d_model, 2) / d_model)


def angles_on_their_side_exponents_rounded(seq_len, d_model):
    """Two mistakes, as the exercise begins."""
    return on_their_side(seq_len, d_model, -np.arange(0, d_model, 2) // d_model)


def on_their_side(seq_len, d_model, exponents):
    return poured(10_000.0 ** exponents[:, None] * np.arange(seq_len), d_model, seq_len)  # (n_pairs, seq_len)


def positions_meet_pairs(seq_len, d_model):
    """A mistake: two rows are multiplied, which stops with an error at nearly all sizes."""
    return poured(10_000.0 ** (-np.arange(0, d_model, 2) / d_model) * np.arange(seq_len), d_model, seq_len)


def poured(angles, d_model, seq_len):
    both = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return both.reshape(seq_len, -1)[:, :d_model]


def sinusoidal_numpy_repaired(seq_len, d_model):
    pairs = np.arange((d_model + 1) // 2)  # (n_pairs,) with a pair for the last sine of an odd width
    frequencies = 10_000.0 ** (-2 * pairs / d_model)
    angles = np.arange(seq_len)[:, None] * frequencies  # (seq_len, n_pairs)
    both = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (seq_len, n_pairs, 2)
    return both.reshape(seq_len, -1)[:, :d_model]  # an odd width has one cosine less


sinusoidal_numpy_arrays = sinusoidal_loop_arrays
sinusoidal_numpy_loop = sinusoidal_loop_loop
