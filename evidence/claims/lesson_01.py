"""The claims of lesson 01 that depend on chance."""

import itertools

import numpy as np
import torch

from evidence.claims.runner import SEEDS, equal_to
from pe_lessons import arrays, toys

SEQ_LEN, D_MODEL = 6, 32
INDEX = np.arange(SEQ_LEN)[:, None]  # (seq_len, 1)


def in_first_columns(numbers):
    return np.pad(numbers, [(0, 0), (0, D_MODEL - numbers.shape[1])])  # (seq_len, d_model)


def random_rows(seed):
    return np.random.default_rng(seed).normal(size=(SEQ_LEN, D_MODEL))


TABLES = {
    "no positions": lambda seed: None,
    "index in every column": lambda seed: INDEX * np.ones(D_MODEL),
    "index in one column": lambda seed: in_first_columns(INDEX),
    "index / length in one column": lambda seed: in_first_columns(INDEX / SEQ_LEN),
    "binary digits": lambda seed: in_first_columns(INDEX // 2 ** np.arange(4) % 2),
    "random rows": random_rows,
    "sinusoidal": lambda seed: arrays.sinusoidal(SEQ_LEN, D_MODEL),
}
BLIND = {"no positions", "index in every column"}


def accuracy(table, seed):
    """Of the sentences of *who chased whom*, after the lesson's training."""
    _, tokens, subjects = toys.who_chased_whom()
    torch.manual_seed(seed)
    model = toys.TinyTransformer(vocab_size=14, num_classes=8, table=table, pool=True)
    toys.train(model, itertools.repeat((tokens, subjects)), steps=120, print_every=None)
    return toys.accuracy(model, tokens, subjects)


def who_chased_whom():
    """Seven tables: share of the sentences answered right"""
    for name, table in TABLES.items():
        wanted = 0.5 if name in BLIND else 1.0
        shares = [accuracy(table(seed), seed) for seed in SEEDS]
        yield name, shares, equal_to(wanted)


CLAIMS = [who_chased_whom]
