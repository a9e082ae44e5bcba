"""What lesson 03 says of training with a wrong exponent."""

import functools

import numpy as np

from evidence.claims.runner import at_least, between, each_seed
from evidence.claims.training import share_right
from pe_lessons import toys

COLUMNS = np.arange(32)
BOUNDS = {
    ("right", 200): at_least(0.99),
    ("doubled", 200): at_least(0.99),
    ("every column for itself", 200): between(0.4, 0.65),
    ("every column for itself", 800): at_least(0.9),
}


def table(exponents):
    angles = np.arange(16)[:, None] / 10_000.0**exponents  # (seq_len, d_model)
    return functools.partial(toys.Table, np.where(COLUMNS % 2 == 0, np.sin(angles), np.cos(angles)))


TABLES = {
    "right": table(2 * (COLUMNS // 2) / 32),
    "doubled": table(4 * (COLUMNS // 2) / 32),
    "every column for itself": table(2 * COLUMNS / 32),
}


@each_seed
def wrong_exponents(seed):
    """Two wrong exponents, two tasks: share right"""
    for (name, steps), bound in BOUNDS.items():
        for task in (toys.k_back, toys.reverse):
            share = share_right(TABLES[name], task, seed, steps=steps)
            yield f"{task.__name__} after {steps} steps, exponents {name}", share, bound
