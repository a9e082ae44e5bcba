"""The claims of lesson 20 that depend on chance. Its other cards are arithmetic."""

import functools

import numpy as np

from evidence.claims.runner import above, below, each_seed, equal_to
from evidence.claims.training import of_lesson, share_right
from pe_lessons import arrays, measures, toys

lesson = of_lesson("20")


def random_rows(seed):
    rows = np.random.default_rng(seed).normal(size=(4096, 32))
    return lambda positions, d_model: rows[positions.astype(int)]


def random_frequencies(seed):
    falls = np.random.default_rng(seed).uniform(size=16)
    return lambda positions, d_model: lesson.in_pairs(positions[:, None] * 10_000.0**-falls)


def saw_teeth(positions, d_model):
    return positions[:, None] * arrays.frequencies(2 * d_model) / (2 * np.pi) % 1


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
        ("sinusoidal", lesson.sinusoidal, both),
        ("doubled exponent", lesson.doubled_exponent, both),
        ("random rows", random_rows(seed), both),
        ("gray code", lesson.gray_code, [toys.reverse]),
        ("triangle waves", lesson.triangle_waves, both),
        ("random frequencies", random_frequencies(seed), both),
        ("remainders", lesson.remainders, both),
        ("saw-teeth", saw_teeth, []),
        ("a tenth", lesson.a_tenth, []),
    ):
        encoding = functools.partial(toys.Table, encode(np.arange(16.0), 32))
        for task in both:
            bound = above(0.9) if task in solves else below(0.9)
            yield f"{task.__name__}, {name}", share_right(encoding, task, seed), bound
