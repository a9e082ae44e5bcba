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
    frequencies = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)
    return poured(frequencies[:, None] * np.arange(seq_len), d_model, seq_len)  # (n_pairs, seq_len)


def sines_then_cosines(seq_len, d_model):
    """A mistake: all the sines are poured first."""
    return stacked_first(seq_len, d_model, -np.arange(0, d_model, 2) / d_model)


def sines_then_cosines_exponents_rounded(seq_len, d_model):
    """Two mistakes, as the exercise begins."""
    return stacked_first(seq_len, d_model, -np.arange(0, d_model, 2) // d_model)


def stacked_first(seq_len, d_model, exponents):
    return poured(np.arange(seq_len)[:, None] * 10_000.0**exponents, d_model, seq_len, axis=0)


def positions_meet_pairs(seq_len, d_model):
    """A mistake: two rows are multiplied, which stops with an error at nearly all sizes."""
    return poured(10_000.0 ** (-np.arange(0, d_model, 2) / d_model) * np.arange(seq_len), d_model, seq_len)


def positions_meet_pairs_exponents_rounded(seq_len, d_model):
    """The same, with the // of the start."""
    return poured(10_000.0 ** (-np.arange(0, d_model, 2) // d_model) * np.arange(seq_len), d_model, seq_len)


def positions_meet_pairs_in_a_table(seq_len, d_model):
    """The same mistake, stretched over the rows of a table where it doesn't stop."""
    angles = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model) * np.arange(seq_len)
    table = np.empty((seq_len, d_model))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)[: d_model // 2]
    return table


def poured(angles, d_model, seq_len, axis=-1):
    both = np.stack([np.sin(angles), np.cos(angles)], axis=axis)
    return both.reshape(seq_len, -1)[:, :d_model]


def sinusoidal_numpy_repaired(seq_len, d_model):
    pairs = np.arange((d_model + 1) // 2)  # (n_pairs,) with a pair for the last sine of an odd width
    frequencies = 10_000.0 ** (-2 * pairs / d_model)
    angles = np.arange(seq_len)[:, None] * frequencies  # (seq_len, n_pairs)
    both = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (seq_len, n_pairs, 2)
    return both.reshape(seq_len, -1)[:, :d_model]  # an odd width has one cosine less


sinusoidal_numpy_arrays = sinusoidal_loop_arrays
sinusoidal_numpy_loop = sinusoidal_loop_loop
