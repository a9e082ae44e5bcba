"""What lesson 03 says of training with a wrong exponent."""

import math

import numpy as np
import torch

from evidence.claims.run_claims import above, at_least, below, between, each_seed, who_learns
from evidence.claims.train_on_another_seed import of_lesson, train
from pe_lessons import loops, toys

lesson = of_lesson("the_naive_loop")
TABLES = {
    "formula": loops.sinusoidal,
    "textbook": lesson.textbook,
    "every column for itself": lesson.column_by_column,
    "textbook, first 8 columns": lambda seq_len, d_model: first_columns(lesson.textbook(seq_len, d_model), 8),
    "formula, first 8 columns": lambda seq_len, d_model: first_columns(loops.sinusoidal(seq_len, d_model), 8),
}


def first_columns(table, number):
    table = np.array(table)
    table[:, number:] = 0
    return table


LEARNED = at_least(0.99).at(1, 2)  # at half the rate the steps are too few


@who_learns
@each_seed
def learning_curves(seed):
    """Wrong exponents, the digit three back in strings of 64: steps to 90 %, share right in the end"""
    histories = {}
    for name, make in TABLES.items():
        strings = toys.batches(toys.k_back, seed=1000 + seed, seq_len=64, batch_size=16)
        histories[name] = np.array(train(seed, strings, steps=250, table=make(64, 32)).history)
    reached = {name: [*np.flatnonzero(history > 0.9), 250][0] for name, history in histories.items()}
    yield "steps to 90 %, formula", reached["formula"]
    ratio = reached["textbook"] / reached["formula"]
    yield "steps to 90 %, textbook over formula", ratio, between(1.0, 1.5).at(1, 2)
    ratio = reached["textbook, first 8 columns"] / reached["formula"]
    yield "steps to 90 %, first 8 columns of the textbook over formula", ratio, between(0.85, 1.2).at(1)
    ratio = reached["textbook, first 8 columns"] / reached["formula, first 8 columns"]
    yield "steps to 90 %, first 8 columns, textbook over formula", ratio, between(0.85, 1.2).at(1)
    shares = {name: history[-20:].mean() for name, history in histories.items()}
    for name, bound in zip(TABLES, (LEARNED, LEARNED, between(0.3, 0.4).at(1), *2 * [at_least(0.99).at(1)])):
        yield f"after 250 steps, {name}", shares[name], bound
    less = shares["textbook"] - shares["every column for itself"]
    yield "every column for itself, less than the textbook by", less, above(0)


def in_float32():
    """A correct table with 128 columns in float32, as commonly written: its largest error"""
    frequencies = torch.exp(torch.arange(0, 128, 2) * (-math.log(10_000) / 128))
    angles = torch.arange(2000)[:, None] * frequencies
    table = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (2000, 128)
    errors = np.abs(table.numpy() - np.array(loops.sinusoidal(2000, 128))).max(axis=1)
    for rows, bound in ((50, between(1e-6, 5e-6)), (500, below(1e-4)), (2000, above(1e-4))):
        yield f"in the first {rows:,} rows", [errors[:rows].max()], bound
