"""What lesson 03 says of training with a wrong exponent."""

import numpy as np
import torch

from evidence.claims.runner import SEEDS, at_least, between
from pe_lessons import toys

COLUMNS = np.arange(32)
EXPONENTS = {
    "right": 2 * (COLUMNS // 2) / 32,
    "doubled": 4 * (COLUMNS // 2) / 32,
    "every column for itself": 2 * COLUMNS / 32,
}
BOUNDS = {
    ("right", 200): at_least(0.99),
    ("doubled", 200): at_least(0.99),
    ("every column for itself", 200): between(0.4, 0.65),
    ("every column for itself", 800): at_least(0.9),
}


def table(exponents):
    angles = np.arange(16)[:, None] / 10_000.0**exponents  # (seq_len, d_model)
    return np.where(COLUMNS % 2 == 0, np.sin(angles), np.cos(angles))


def accuracy(exponents, task, steps, seed):
    torch.manual_seed(seed)
    model = toys.TinyTransformer(vocab_size=10, num_classes=10, table=table(exponents))
    toys.train(model, toys.batches(task, seed=1000 + seed), steps=steps, print_every=None)
    return toys.accuracy(model, *next(toys.batches(task, seed=2000 + seed, batch_size=512)))


def wrong_exponents():
    """Two wrong exponents, two tasks: share right"""
    for (name, steps), bound in BOUNDS.items():
        for task in (toys.k_back, toys.reverse):
            shares = [accuracy(EXPONENTS[name], task, steps, seed) for seed in SEEDS]
            yield f"{task.__name__} after {steps} steps, exponents {name}", shares, bound


CLAIMS = [wrong_exponents]
