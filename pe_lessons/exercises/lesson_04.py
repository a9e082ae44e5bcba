"""Exercises of lesson 04, vectorized NumPy."""

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises import _sinusoidal_slips as slips
from pe_lessons.exercises.engine import Exercise, Misconception, Question


def frequencies(d_model):
    return 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)


def sinusoidal(seq_len, d_model):
    positions = np.arange(seq_len)[:, None]  # (seq_len, 1)
    angles = positions * 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)  # (seq_len, n_pairs)
    table = np.empty((seq_len, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return table


frequencies_numpy = Exercise(
    name="frequencies_numpy",
    reference=arrays.frequencies,
    answer=frequencies,
    probes=((4,), (6,), (10,)),
    edge_probes=((5,), (2,), (64,)),
    slips=slips.FREQUENCY,
    build=slips.frequencies_with,
    misconceptions=(
        slips.brackets_missing(slips.frequencies_with),
        Misconception(
            "one per column",
            "There is one frequency per column, each of them twice. A sine and its cosine share one: give "
            "one per pair.",
            lambda d_model: np.repeat(arrays.frequencies(d_model), 2)[:d_model],
        ),
        Misconception(
            "wavelengths",
            "These are wavelengths, in tokens per turn. A frequency is in radians per token: the first is 1.",
            lambda d_model: 2 * np.pi / arrays.frequencies(d_model),
        ),
        Misconception(
            "in reverse order",
            "The frequencies are right, but run from slow to fast. Pair 0 is the fastest.",
            lambda d_model: arrays.frequencies(d_model)[::-1],
        ),
        Misconception(
            "pairs counted from 1",
            "The first frequency should be 1: the pairs are counted from 1 here, and the formula counts "
            "from 0.",
            lambda d_model: arrays.frequencies(d_model) * 10_000 ** (-2 / d_model),
        ),
        Misconception(
            "last sine forgotten",
            "Even widths are right; an odd one lacks its last frequency. The last column is a sine without "
            "a cosine, and a sine needs a frequency too.",
            lambda d_model: arrays.frequencies(d_model)[: d_model // 2],
        ),
    ),
    hints=(
        "Make all exponents at once: an array that begins 0, 2/d_model, 4/d_model, ...",
        "np.arange(0, d_model, 2) steps by two already, so it is the 2k of the formula. What is left to do "
        "with it?",
        "10_000.0 ** (-array) raises to every power at once.",
    ),
)

sinusoidal_numpy = Exercise(
    name="sinusoidal_numpy",
    reference=arrays.sinusoidal,
    answer=sinusoidal,
    probes=slips.PROBES,
    edge_probes=slips.EDGE_PROBES,
    slips=slips.TABLE_SLIPS,
    build=slips.table_with,
    misconceptions=(
        slips.brackets_missing(slips.table_with),
        slips.whole_number_division(slips.table_with),
        Misconception(
            "angles in the table",
            "These are the angles, each of them twice. The table wants their sines in the even columns and "
            "their cosines in the odd ones.",
            lambda seq_len, d_model: (
                np.arange(seq_len)[:, None] * np.repeat(arrays.frequencies(d_model), 2)[:d_model]
            ),
        ),
    ),
    hints=(
        "Which shape must the positions have, so that positions * frequencies has one row per position?",
        "positions[:, None] has the shape (seq_len, 1); times frequencies of shape (n_pairs,) it gives "
        "(seq_len, n_pairs).",
        "Make an empty table and fill table[:, 0::2] with the sines, table[:, 1::2] with the cosines. An "
        "odd d_model has one cosine column less: angles[:, : d_model // 2].",
    ),
)

shape_question = Question(
    name="shape_question",
    prompt="`positions` has the shape (50,), `frequencies` the shape (256,). What is true?",
    choices={
        "a": (
            "`positions[:, None] * frequencies` has the shape (50, 256)",
            True,
            "(50, 1) against (256,): the axis of length 1 is stretched, and the missing one is added in "
            "front.",
        ),
        "b": (
            "`positions * frequencies` stops with an error",
            True,
            "Shapes are compared from the right: 50 against 256 does not fit, and neither of them is 1.",
        ),
        "c": (
            "`positions * frequencies` stops with an error for any seq_len",
            False,
            "With seq_len 256 (or 1) it runs, and gives the wrong thing without an error: 256 products, "
            "not a table.",
        ),
        "d": (
            "`frequencies[:, None] * positions` is the same table",
            False,
            "It has the shape (256, 50): the table on its side, with one row per pair.",
        ),
    },
    hints=(
        "Write the shapes above each other, aligned on the right. An axis fits if both are equal or one of "
        "them is 1.",
        "positions[:, None] has the shape (50, 1). And which lengths of a sentence would fit (256,) by "
        "accident?",
    ),
)
