"""Train many encodings, good, bad and odd, on two small tasks: what the card of lesson 25 has to predict.

    python evidence/train_encodings.py STATE.jsonl      train what STATE.jsonl does not hold yet
    python evidence/train_encodings.py STATE.jsonl --store    write trained_encodings.csv of that lesson

An encoding is a table, `encode(positions, d_model)`, or a score, `score(q, k, m, n)`. Tasks and training
are those of `capstone.py` in `pe_lessons/lessons/design_your_own`: one head, one causal block, 120 steps on
texts of 16 words; three seeds.

Every second encoding of the list is held back. With the others `SOFTNESS` (0.1 to 0.5) and `SHARPNESS` (10
to 40) of `scorecard.pointing` were chosen, and that the share of the words is multiplied in.
"""

import argparse
import csv
import json
import math
from pathlib import Path

import numpy as np
import torch
from torch import nn

from pe_lessons import arrays, tensors
from pe_lessons.lessons.design_your_own import capstone, scorecard

SEEDS = (900, 901, 902)
COLUMNS = ["encoding", "kind", "held back", "one back", "five back", "four times"]
COLUMNS += [f"{task} {when}" for task in ("local", "five back") for when in ("training", "16", "64")]


def in_pairs(angles):
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)


def waves(positions, d_model, base=10_000):
    return in_pairs(positions[:, None] * arrays.frequencies(d_model, base=base))


def on_one_column(numbers, d_model):
    return numbers[:, None] * (np.arange(d_model) == 0)


def random_rows(positions, d_model):
    rows = np.random.default_rng(seed=0).normal(size=(4096, d_model))
    return rows[positions.astype(int)]


def gray_code(positions, d_model):
    whole = positions.astype(int)
    return ((whole ^ (whole >> 1))[:, None] >> np.arange(d_model) & 1).astype(float)


def remainders(positions, d_model):
    clocks = [np.eye(hours)[(positions % hours).astype(int)] for hours in (2, 3, 5, 7, 11)]
    return np.pad(np.concatenate(clocks, axis=1), [(0, 0), (0, d_model - 28)])


def at_speeds(frequencies):
    """The table whose pairs turn by `frequencies(d_model)`."""
    return lambda positions, d_model: in_pairs(positions[:, None] * frequencies(d_model))


TABLES = {
    "sinusoidal": lambda positions, d_model: waves(positions, d_model),
    "base_100": lambda positions, d_model: waves(positions, d_model, base=100),
    "twice_as_slow": lambda positions, d_model: waves(positions / 2, d_model),
    "ten_times_as_slow": lambda positions, d_model: waves(positions / 10, d_model),
    "a_tenth_as_loud": lambda positions, d_model: 0.09 * waves(positions, d_model),
    "a_third_as_loud": lambda positions, d_model: 0.3 * waves(positions, d_model),
    "ten_times_as_loud": lambda positions, d_model: 10 * waves(positions, d_model),
    "stripes_of_four": lambda positions, d_model: (
        waves(positions, d_model) + 4 * (-1.0) ** np.arange(d_model)
    ),
    "squared_positions": lambda positions, d_model: waves(positions**2, d_model),
    "logarithms": lambda positions, d_model: in_pairs(
        2 * np.log1p(positions)[:, None] * np.arange(1, d_model // 2 + 1)
    ),
    "random_rows": random_rows,
    "gray_code": gray_code,
    "binary_digits": lambda positions, d_model: positions[:, None] // 2 ** np.arange(d_model) % 2,
    "triangle_waves": lambda positions, d_model: np.arcsin(waves(positions, d_model)) * 2 / np.pi,
    "saw_teeth": lambda positions, d_model: (
        positions[:, None] * arrays.frequencies(2 * d_model) / (2 * np.pi) % 1
    ),
    "remainders": remainders,
    "doubled_exponent": at_speeds(lambda d_model: arrays.frequencies(d_model) ** 2),
    "sines_alone": lambda positions, d_model: np.sin(positions[:, None] * arrays.frequencies(2 * d_model)),
    "index": lambda positions, d_model: positions[:, None] * np.ones(d_model),
    "index_on_one_column": lambda positions, d_model: on_one_column(positions, d_model),
    "equal_steps": at_speeds(lambda d_model: np.linspace(1, 1 / d_model, d_model // 2)),
    "random_frequencies": at_speeds(
        lambda d_model: 10_000.0 ** -np.random.default_rng(seed=0).uniform(size=d_model // 2)
    ),
    "two_share_a_row": lambda positions, d_model: waves(positions // 2, d_model),
    "one_hot": lambda positions, d_model: 3 * np.eye(d_model)[(positions % d_model).astype(int)],
}


def product(q, k, m, n):
    return (q * k).sum(-1) / math.sqrt(q.shape[-1])


def rotated(frequencies, m_factor=1.0, n_factor=1.0):
    """RoPE with these frequencies; the columns behind them are not rotated."""
    frequencies = torch.as_tensor(frequencies)
    columns = 2 * len(frequencies)

    def of(q, k, m, n):
        pairs_q = torch.view_as_complex(q[..., :columns].unflatten(-1, (-1, 2)).contiguous())
        pairs_k = torch.view_as_complex(k[..., :columns].unflatten(-1, (-1, 2)).contiguous())
        angles = (m_factor * m - n_factor * n)[..., None] * frequencies
        turned = (pairs_q.conj() * pairs_k * torch.exp(-1j * angles)).real.sum(-1)
        return (turned + (q[..., columns:] * k[..., columns:]).sum(-1)) / math.sqrt(q.shape[-1])

    return of


FREQUENCIES = arrays.frequencies(32)
SCORES = {
    "rope": lambda: rotated(FREQUENCIES),
    "rope_base_100": lambda: rotated(arrays.frequencies(32, base=100)),
    "rope_on_a_quarter": lambda: rotated(arrays.frequencies(8)),
    "rope_on_one_pair": lambda: rotated([1.0]),
    "rope_ten_times_as_slow": lambda: rotated(FREQUENCIES / 10),
    "rope_hundred_times_as_slow": lambda: rotated(FREQUENCIES / 100),
    "rope_every_4_tokens_a_turn": lambda: rotated(np.full(16, np.pi / 2)),
    "rope_on_queries_only": lambda: rotated(FREQUENCIES, n_factor=0.0),
    "rope_turned_against": lambda: rotated(FREQUENCIES, n_factor=-1.0),
    "rope_keys_twice_as_fast": lambda: rotated(FREQUENCIES, n_factor=2.0),
}


def biased(bias, inner=product):
    return lambda q, k, m, n: inner(q, k, m, n) + bias(m, n)


SCORES |= {
    "nothing": lambda: product,
    "alibi": lambda: biased(lambda m, n: -0.5 * abs(m - n)),
    "alibi_steep": lambda: biased(lambda m, n: -4.0 * abs(m - n)),
    "logarithmic_bias": lambda: biased(lambda m, n: -2 * torch.log1p(abs(m - n))),
    "bias_of_waves": lambda: biased(lambda m, n: 4 * torch.cos(2 * math.pi * (m - n) / 5)),
    "bias_prefers_far": lambda: biased(lambda m, n: 0.5 * abs(m - n)),
    "window_of_4": lambda: biased(lambda m, n: torch.where(abs(m - n) < 4, 0.0, -20.0)),
    "bias_in_steps_of_4": lambda: biased(lambda m, n: -(abs(m - n) // 4).double()),
}


class LearnedBias(nn.Module):
    """A learned number for each class of offsets."""

    def __init__(self, classes, class_of):
        super().__init__()
        self.numbers, self.class_of = nn.Parameter(torch.zeros(classes, dtype=torch.float64)), class_of

    def forward(self, q, k, m, n):
        return product(q, k, m, n) + self.numbers[self.class_of(m, n).long()]


class Shaw(nn.Module):
    """A learned vector for each offset up to the largest, multiplied by the query."""

    def __init__(self, largest):
        super().__init__()
        self.rows, self.largest = nn.Parameter(torch.zeros(largest + 1, 32, dtype=torch.float64)), largest

    def forward(self, q, k, m, n):
        return product(q, k + self.rows[(m - n).clamp(0, self.largest).long()], m, n)


def t5_class(num_buckets, max_distance):
    return lambda m, n: tensors.t5_buckets(
        (n - m).long(), num_buckets=num_buckets, max_distance=max_distance, bidirectional=False
    )


SCORES |= {
    "t5": lambda: LearnedBias(16, t5_class(16, 32)),
    "t5_few_buckets": lambda: LearnedBias(4, t5_class(4, 16)),
    "bias_per_offset": lambda: LearnedBias(64, lambda m, n: (m - n).clamp(0, 63)),
    "bias_per_remainder_of_5": lambda: LearnedBias(5, lambda m, n: (m - n) % 5),
    "bias_per_place": lambda: LearnedBias(64, lambda m, n: (n + 0 * m).clamp(max=63)),
    "shaw": lambda: Shaw(16),
    "shaw_up_to_2": lambda: Shaw(2),
    "rope_and_alibi": lambda: biased(lambda m, n: -0.5 * abs(m - n), rotated(FREQUENCIES)),
}
NAMES = [*TABLES, *SCORES]


def kind_of(name):
    return "table" if name in TABLES else "rotation" if name.startswith("rope") else "bias"


def encoding_of(name):
    """The function itself, or a new module."""
    return TABLES[name] if name in TABLES else SCORES[name]()


def train(state, task):
    """Train what the state lacks: a line for each encoding, task and seed, as soon as it is there."""
    for seed in SEEDS:
        for name in NAMES:
            lines = state.read_text().splitlines() if state.exists() else []
            if [name, task, seed] in [json.loads(line)[:3] for line in lines]:
                continue
            shares = [round(share, 4) for share in capstone.trained(encoding_of(name), task, seed)]
            with state.open("a") as file:
                file.write(json.dumps([name, task, seed, *shares]) + "\n")


def store(state):
    """Means over the seeds, and the card's numbers, one line for each encoding."""
    runs = [json.loads(line) for line in state.read_text().splitlines()]
    with capstone.STORED.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number, name in enumerate(NAMES):
            shares = []
            for task in capstone.TASKS:
                of_seeds = [run[3:] for run in runs if run[:2] == [name, task]]
                assert len(of_seeds) == len(SEEDS), f"{len(of_seeds)} runs of {name}, {task}"
                shares += [f"{share:.3f}" for share in np.mean(of_seeds, axis=0)]
            card = scorecard.scorecard(encoding_of(name))
            numbers = [f"{card[wish]:.4f}" for wish in ("one back", "five back", "four times")]
            writer.writerow([name, kind_of(name), "yes" if number % 2 else "no", *numbers, *shares])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("state", type=Path)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    for task in capstone.TASKS:
        train(options.state, task)
    if options.store:
        store(options.state)


if __name__ == "__main__":
    main()
