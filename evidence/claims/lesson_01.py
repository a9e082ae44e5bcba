"""The claims of lesson 01 that depend on chance."""

import itertools

import numpy as np

from evidence.claims.runner import each_seed, equal_to
from evidence.claims.training import train
from pe_lessons import arrays, toys

SEQ_LEN, D_MODEL = 6, 32
INDEX = np.arange(SEQ_LEN)[:, None]  # (seq_len, 1)


def in_first_columns(numbers):
    return np.pad(numbers, [(0, 0), (0, D_MODEL - numbers.shape[1])])  # (seq_len, d_model)


@each_seed
def who_chased_whom(seed):
    """Seven tables: share of the sentences answered right"""
    blind = {"no positions": None, "index in every column": INDEX * np.ones(D_MODEL)}
    tables = {
        "index in one column": in_first_columns(INDEX),
        "index / length in one column": in_first_columns(INDEX / SEQ_LEN),
        "binary digits": in_first_columns(INDEX // 2 ** np.arange(4) % 2),
        "random rows": np.random.default_rng(seed).normal(size=(SEQ_LEN, D_MODEL)),
        "sinusoidal": arrays.sinusoidal(SEQ_LEN, D_MODEL),
    }
    _, tokens, subjects = toys.who_chased_whom()
    for name, table in (blind | tables).items():
        batches = itertools.repeat((tokens, subjects))
        model = train(seed, batches, sizes=(14, 8), steps=120, table=table, pool=True)
        yield name, toys.accuracy(model, tokens, subjects), equal_to(0.5 if name in blind else 1.0)
