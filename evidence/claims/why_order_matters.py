"""The claims of lesson 01 that depend on chance."""

import itertools

import numpy as np

from evidence.claims.run_claims import between, each_seed, equal_to, who_learns
from evidence.claims.train_on_another_seed import of_lesson, train
from pe_lessons import arrays, toys
from pe_lessons.lessons.why_order_matters import sentences

lesson = of_lesson("why_order_matters")
INDEX = np.arange(6)[:, None]  # (seq_len, 1)


@who_learns
@each_seed
def who_chased_whom(seed):
    """Ten tables: accuracy"""
    blind = {"no positions": None, "index in every column": INDEX * np.ones(32)}
    tables = {
        "index in one column": lesson.in_first_columns(INDEX),
        "index / length in one column": lesson.in_first_columns(INDEX / 6),
        "binary digits": lesson.in_first_columns(lesson.binary(6)),
        "random rows": np.random.default_rng(seed).normal(size=(6, 32)),
        "sinusoidal": arrays.sinusoidal(6, 32),
    }
    _, tokens, subjects = sentences.who_chased_whom()

    def accuracy(table):
        batches = itertools.repeat((tokens, subjects))
        model = train(seed, batches, sizes=(14, 8), steps=80, table=table, pool=True)
        return toys.accuracy(model, tokens, subjects)

    for name, table in (blind | tables).items():
        yield name, accuracy(table), equal_to(0.5 if name in blind else 1.0)
    bounds = {
        "1000 + index": (1000 + INDEX, between(0.1, 0.6)),
        "index / 1000": (INDEX / 1000, between(0.4, 0.6)),
        "10,000 x index": (10_000 * INDEX, between(0.12, 0.16)),
    }
    for name, (numbers, claim) in bounds.items():
        yield f"{name} in one column", accuracy(lesson.in_first_columns(numbers)), claim
