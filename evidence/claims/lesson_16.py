"""The claims of lesson 16 that depend on chance. Its other cards are arithmetic."""

import numpy as np
import torch

from evidence.claims.runner import SEEDS, above, below, equal_to
from pe_lessons import arrays, measures, toys


def in_pairs(angles):
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)


def sinusoidal(positions, d_model):
    return in_pairs(positions[:, None] * arrays.frequencies(d_model))


def doubled_exponent(positions, d_model):
    return in_pairs(positions[:, None] * arrays.frequencies(d_model) ** 2)


def random_rows(seed):
    rows = np.random.default_rng(seed).normal(size=(4096, 32))
    return lambda positions, d_model: rows[positions.astype(int)]


def random_frequencies(seed):
    falls = np.random.default_rng(seed).uniform(size=16)
    return lambda positions, d_model: in_pairs(positions[:, None] * 10_000.0**-falls)


def gray_code(positions, d_model):
    whole = positions.astype(int)
    return ((whole ^ (whole >> 1))[:, None] >> np.arange(d_model) & 1).astype(float)


def triangle_waves(positions, d_model):
    return np.arcsin(sinusoidal(positions, d_model)) * 2 / np.pi


def remainders(positions, d_model):
    clocks = [np.eye(hours)[(positions % hours).astype(int)] for hours in (2, 3, 5, 7, 11)]
    return np.pad(np.concatenate(clocks, axis=1), [(0, 0), (0, d_model - 28)])


def saw_teeth(positions, d_model):
    return positions[:, None] * arrays.frequencies(2 * d_model) / (2 * np.pi) % 1


def a_tenth(positions, d_model):
    return sinusoidal(positions / 10, d_model)


def failed(encode):
    return {criterion for criterion, good in measures.passes(measures.scorecard(encode)).items() if not good}


def cards():
    """Cards of what is drawn at random: the wishes that are not fulfilled"""
    expected = {"smooth", "local", "shift-consistent", "distinct far out"}
    others = [len(failed(random_rows(seed)) ^ expected) for seed in SEEDS]
    yield "random rows: wishes whose verdict is not the one that the lesson shows", others, equal_to(0)
    failing = [len(failed(random_frequencies(seed))) for seed in SEEDS]
    yield "random frequencies: wishes that are not fulfilled", failing, equal_to(0)


def training():
    """Nine tables, two tasks: share right after 200 steps ('solved' is more than 0.9)"""
    kinds = {
        "sinusoidal": (lambda seed: sinusoidal, "both"),
        "doubled exponent": (lambda seed: doubled_exponent, "both"),
        "random rows": (random_rows, "both"),
        "gray code": (lambda seed: gray_code, "reverse"),
        "triangle waves": (lambda seed: triangle_waves, "both"),
        "random frequencies": (random_frequencies, "both"),
        "remainders": (lambda seed: remainders, "both"),
        "saw-teeth": (lambda seed: saw_teeth, "none"),
        "a tenth": (lambda seed: a_tenth, "none"),
    }
    for name, (make, solves) in kinds.items():
        for task in (toys.reverse, toys.k_back):
            shares = []
            for seed in SEEDS:
                torch.manual_seed(seed)
                model = toys.TinyTransformer(10, 10, table=make(seed)(np.arange(16.0), 32))
                toys.train(model, toys.batches(task, seed=1000 + seed), steps=200, print_every=None)
                tokens, targets = next(toys.batches(task, seed=2000 + seed, batch_size=512))
                shares.append(toys.accuracy(model, tokens, targets))
            solved = solves in ("both", task.__name__)
            yield f"{task.__name__}, {name}", shares, above(0.9) if solved else below(0.9)


CLAIMS = [cards, training]
