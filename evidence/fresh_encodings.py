"""Sixteen encodings that were trained when all of the card was fixed: how far does it predict their order?

    python -m evidence.fresh_encodings     cards and trainings, two seeds; a line each, as in the results

The lines are in results/fresh_encodings.csv, and the rank correlations of the card with them in lesson 22.
"""

import math

import numpy as np

from evidence.train_encodings import (
    LearnedBias,
    in_pairs,
    on_one_column,
    product,
    random_rows,
    rotated,
    waves,
)
from pe_lessons import arrays, measures
from pe_lessons.lessons.design_your_own import capstone

SEEDS = (900, 901)


def own_exponents(positions, d_model):
    column = np.arange(d_model)
    angles = positions[:, None] / 10_000 ** (2 * column / d_model)
    return np.where(column % 2, np.cos(angles), np.sin(angles))


def random_walk(positions, d_model):
    steps = np.random.default_rng(seed=0).normal(size=(4096, d_model))
    return 0.3 * np.cumsum(steps, axis=0)[positions.astype(int)]


def one_pair(positions, d_model):
    return np.pad(in_pairs(positions[:, None] * np.array([2 * np.pi / 16])), [(0, 0), (0, d_model - 2)])


TABLES = {
    "base_a_million": lambda positions, d_model: waves(positions, d_model, base=1_000_000),
    "four_times_as_slow": lambda positions, d_model: waves(positions / 4, d_model),
    "three_times_as_loud": lambda positions, d_model: 3 * waves(positions, d_model),
    "index_over_16": lambda positions, d_model: on_one_column(positions / 16, d_model),
    "square_waves": lambda positions, d_model: np.where(waves(positions, d_model) > 0, 1.0, -1.0),
    "faint_random_rows": lambda positions, d_model: 0.2 * random_rows(positions, d_model),
    "own_exponents": own_exponents,
    "random_walk": random_walk,
    "repeats_every_8": lambda positions, d_model: waves(positions % 8, d_model),
    "one_pair": one_pair,
    "three_times_as_fast": lambda positions, d_model: waves(positions * 3, d_model),
}
FALLS = np.random.default_rng(seed=0).uniform(size=16)
SCORES = {
    "rope_base_a_million": lambda: rotated(arrays.frequencies(32, base=1_000_000)),
    "rope_one_frequency": lambda: rotated(np.full(16, 2 * math.pi / 16)),
    "rope_random_frequencies": lambda: rotated(10_000.0**-FALLS),
    "alibi_flat": lambda: lambda q, k, m, n: product(q, k, m, n) - 0.02 * abs(m - n),
    "bias_odd_or_even": lambda: LearnedBias(2, lambda m, n: (m - n) % 2),
}
ENCODINGS = TABLES | {name: make() for name, make in SCORES.items()}


def main():
    print("encoding,one back,five back,local training,needle training")
    for name, encoding in ENCODINGS.items():
        card = [near for near, _ in measures.pointing(encoding).values()]
        shares = [
            np.mean([capstone.trained(encoding, task, seed)[0] for seed in SEEDS]) for task in capstone.TASKS
        ]
        print(name, *(f"{number:.4f}" for number in (*card, *shares)), sep=",", flush=True)


if __name__ == "__main__":
    main()
