"""What the workshop says of training, with other random numbers than those of the lesson."""

import numpy as np
import torch
from torch.nn import functional

from evidence.claims.run_claims import SEEDS, above, below, between, each_seed, who_learns
from evidence.claims.train_on_another_seed import of_lesson
from pe_lessons import arrays, toys
from pe_lessons.lessons.design_your_own import workshop

lesson = of_lesson("design_your_own")


def right(encoding, seed, steps=workshop.STEPS):
    """What a model gets right that was trained with this encoding."""
    return workshop.share_right(workshop.trained(encoding, seed, steps), workshop.SEQ_LEN, seed)


@who_learns
@each_seed
def five_back(seed):
    """The word five back, after 120 steps"""
    for name, bound in (
        ("sinusoidal", above(0.8).at(1, 2)),
        ("squared_positions", above(0.9)),
        ("ten_times_as_slow", below(0.5)),
        ("stripes_of_four", below(0.5)),
        ("four_everywhere", above(0.9).at(1, 2)),
        ("my_encoding", below(0.5).at(1)),
        ("sixteen_times_as_loud", below(0.4).at(1)),
    ):
        yield name, right(getattr(lesson, name), seed), bound
    rotary = workshop.trained(toys.Rotary(), seed)
    yield "RoPE", workshop.share_right(rotary, 16, seed), above(0.95).at(1, 2)
    yield "RoPE, 64 words", workshop.share_right(rotary, 64, seed), between(0.15, 1).at(1)


def never_or_not_yet():
    """The word five back, after 1,200 steps at the learning rate of the lesson"""
    for name, bound in ("ten_times_as_slow", between(0.6, 0.95)), ("stripes_of_four", above(0.99)):
        yield name, [right(getattr(lesson, name), seed, 10 * workshop.STEPS) for seed in SEEDS], bound


@who_learns
@each_seed
def stripes_with_the_old_gaps(seed):
    """Rows 4 times as loud in stripes: with words, their gaps are as large as without stripes"""
    found = []
    for name, bound in (
        ("halved", above(0.45)),
        ("four_times_in_stripes", between(0.15, 0.7)),
        ("doubled", below(0.25)),
    ):
        encode = getattr(lesson, name)
        found.append(right(encode, seed))
        yield name, found[-1], bound.at(1)
        yield f"{name}, with words", workshop.distance_with_words(encode, seed), between(0.85, 1)
    yield "the least that halving wins", min(-np.diff(found)), above(0).at(1)


def louder_in_stripes():
    """Rows 8 and 12 times as loud in stripes, at the learning rate of the lesson"""
    for factor, bound, median in (8, above(0.15), above(0.7)), (12, below(0.7), below(0.3)):

        def encode(positions, d_model, factor=factor):
            return factor * lesson.sinusoidal(positions, d_model) + lesson.stripes(d_model)

        found = [right(encode, seed) for seed in SEEDS]
        yield f"{factor} times", found, bound
        yield f"{factor} times, median", [np.median(found)], median


def _times(factor, encode):
    return lambda positions, d_model: factor * encode(positions, d_model)


@who_learns
@each_seed
def loud_but_slow(seed):
    """The slow table ten times as loud: as it is, and without the mean of its rows"""
    found = []
    for name, bound, apart in (
        ("slow_and_loud", between(0.1, 0.3), between(0.19, 0.23)),
        ("without_the_mean", above(0.5), between(0.31, 0.38)),
    ):
        encode = getattr(lesson, name)
        found.append(right(encode, seed))
        yield name, found[-1], bound.at(1)
        yield f"{name}, with words", workshop.distance_with_words(encode, seed), apart
    yield "the least that a step wins", min(np.diff(found)), above(0).at(1)


@each_seed
def what_layer_norm_divides_by(seed):
    """The mean standard deviation of 16 rows, each added to 200 random words"""
    words = np.random.default_rng(seed).normal(size=(200, 1, workshop.WIDTH))
    for name, bound in ("sinusoidal", between(1.05, 1.15)), ("stripes_of_four", between(4.05, 4.2)):
        rows = words + workshop.rows_of(getattr(lesson, name), workshop.SEQ_LEN)
        yield name, rows.std(axis=-1).mean(), bound


@each_seed
def a_bias_that_falls(seed):
    """ALiBi has no slope that sees five back, so it does no better than a model without positions"""
    for slope in (0.02, 0.1, 0.5, 2):
        yield f"slope {slope}", right(toys.ALiBi([slope]), seed), below(0.36)
    yield "no positions", right(toys.Encoding(), seed), below(0.36)


@each_seed
def guess(seed):
    """Naming the most frequent of the earlier words; a tie is decided by lot"""
    tokens, targets = workshop.five_back(5000, workshop.SEQ_LEN, seed=seed)
    targets[:, : workshop.SEQ_LEN // 2] = toys.IGNORE_INDEX
    asked = targets != toys.IGNORE_INDEX
    words = functional.one_hot(tokens, 8)
    counts = (words.cumsum(dim=1) - words)[asked]  # (asked, 8)
    most = counts == counts.amax(dim=-1, keepdim=True)
    by_lot = most[torch.arange(len(most)), targets[asked]] / most.sum(dim=-1)
    yield "five back", by_lot.mean().item(), between(0.28, 0.3)


@each_seed
def our_designs(seed):
    """The three goals of the lesson"""

    def at(frequencies):
        return lambda positions, d_model: lesson.in_pairs(positions[:, None] * frequencies)

    far = at(np.pi - arrays.frequencies(workshop.WIDTH))
    yield "next door 0", right(far, seed), above(0.9)
    even = workshop.trained(at(np.linspace(0.1, np.pi, workshop.WIDTH // 2)), seed)
    yield "evenly spaced, 64 words", workshop.share_right(even, 64, seed), above(0.38)
    by_word = workshop.right_by_word(even, 64, seed)
    guesses = below(0.25)
    for first, last, bound in (
        (5, 15, above(0.97)),
        (17, 34, guesses),
        (37, 46, above(0.85)),
        (48, 63, guesses),
    ):
        yield f"evenly spaced, words {first} to {last}", by_word[first : last + 1].mean(), bound
    opposite = workshop.trained(at(np.pi * (2 * np.arange(workshop.WIDTH // 2) + 1) / 25), seed)
    by_word = workshop.right_by_word(opposite, 64, seed)
    for first, last, bound in ((17, 28, guesses), (31, 40, above(0.85)), (56, 63, between(0.4, 0.75))):
        yield f"opposite after 25, words {first} to {last}", by_word[first : last + 1].mean(), bound

    def fast(positions, d_model):
        return lesson.my_encoding(10 * positions, d_model)

    yield "my_encoding, ten times as fast and 4 times as loud", right(_times(4, fast), seed), above(0.99)
    for factor in (4, 10):
        louder = _times(factor, lesson.my_encoding)
        yield f"my_encoding, {factor} times as loud", right(louder, seed), above(0.43)
    yield "my_encoding, ten times as fast", right(fast, seed), between(0.29, 0.5)
    loudest = lesson.sixteen_times_as_loud
    yield "sinusoidal, 16 times as loud, with words", workshop.distance_with_words(loudest, seed), above(0.8)
    yield "sinusoidal, 16 times as loud", right(loudest, seed), below(0.5)
