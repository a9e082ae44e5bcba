"""The claims of lesson 16 that depend on chance. Its other cards are arithmetic."""

import functools

import numpy as np

from evidence.claims.runner import above, below, each_seed, equal_to
from evidence.claims.training import share_right
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


@each_seed
def cards(seed):
    """Cards of what is drawn at random: the wishes that are not fulfilled"""
    others = failed(random_rows(seed)) ^ {"smooth", "local", "shift-consistent", "distinct far out"}
    yield "random rows: wishes whose verdict is not the one that the lesson shows", len(others), equal_to(0)
    failing = failed(random_frequencies(seed))
    yield "random frequencies: wishes that are not fulfilled", len(failing), equal_to(0)


@each_seed
def training(seed):
    """Nine tables, two tasks: share right after 200 steps ('solved' is more than 0.9)"""
    both = toys.reverse, toys.k_back
    for name, encode, solves in (
        ("sinusoidal", sinusoidal, both),
        ("doubled exponent", doubled_exponent, both),
        ("random rows", random_rows(seed), both),
        ("gray code", gray_code, [toys.reverse]),
        ("triangle waves", triangle_waves, both),
        ("random frequencies", random_frequencies(seed), both),
        ("remainders", remainders, both),
        ("saw-teeth", saw_teeth, []),
        ("a tenth", a_tenth, []),
    ):
        encoding = functools.partial(toys.Table, encode(np.arange(16.0), 32))
        for task in both:
            bound = above(0.9) if task in solves else below(0.9)
            yield f"{task.__name__}, {name}", share_right(encoding, task, seed), bound
