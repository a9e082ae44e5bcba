"""The claims of lesson 11 that depend on chance. The lesson itself trains with seed 0."""

import numpy as np

from evidence.claims.runner import above, at_least, below, between, each_seed, who_learns
from evidence.claims.training import of_lesson, share_right, trained
from pe_lessons import arrays, measures, toys

lesson = of_lesson("add_or_concatenate")


@who_learns
@each_seed
def scale(seed):
    """The scale of the embeddings, and adding or concatenating (three back)"""
    steps = []
    quiet, as_in_torch = {"word_std": 32**-0.5}, {"word_std": 1.0}
    for name, encoding, options in (
        ("sinusoidal", lesson.Added, {}),
        ("side by side", lesson.Concatenated, {}),
        ("paper", lesson.Scaled, quiet),
        ("paper, factor forgotten", lesson.Added, quiet),
        ("nn.Embedding", lesson.Added, as_in_torch),
    ):
        yield (
            name,
            share_right(encoding, toys.k_back, seed, **options),
            at_least(0.85),
            at_least(0.98).at(1, 2),
        )
        history = trained(encoding, toys.k_back, seed, **options).history
        recent = np.convolve(history, np.ones(10) / 10, mode="valid")
        step = 9 + int((recent >= 0.98).argmax()) if recent.max() >= 0.98 else 999
        yield f"{name}, first step at 0.98 (mean of ten)", step, below(110).at(1, 2)
        steps.append(step)
    sum_, halves = steps[:2]
    yield "sum over side by side, steps to 0.98", sum_ / halves, above(1.1), below(2.1).at(1, 2)
    yield "nn.Embedding x root", share_right(lesson.Scaled, toys.k_back, seed, **as_in_torch), below(0.4)
    patient = share_right(lesson.Scaled, toys.k_back, seed, steps=600, **as_in_torch)
    by_rate = between(0.2, 0.35).at(0.5), between(0.43, 0.965).at(1), at_least(0.7).at(2)
    yield "nn.Embedding x root, 600 steps", patient, *by_rate


@each_seed
def readout(seed):
    """The linear read-out"""

    def words_of(num_words, d_model):
        return np.random.default_rng(seed).normal(size=(num_words, d_model))

    for num_words, d_model, claim in (
        (20, 32, at_least(1)), (30, 32, below(0.97)), (50, 64, at_least(1)), (60, 64, below(1)),
        (100, 64, below(0.9)), (100, 128, at_least(1)),
    ):  # fmt: skip
        words, table = words_of(num_words, d_model), arrays.sinusoidal(32, d_model)
        sums, labels = (words[:, None] + table).reshape(-1, d_model), np.tile(np.arange(32), num_words)
        share = measures.linear_readout(sums, labels, table)
        yield f"{num_words} words, {d_model} columns: positions read right", share, claim
        if d_model == 64:
            lengths = np.linalg.norm(words, axis=1)[:, None] * np.linalg.norm(table, axis=1)
            cosine = np.abs(words @ table.T / lengths).mean()
            yield f"{num_words} words, {d_model} columns: mean |cosine|", cosine, between(0.05, 0.15)
    for d_model, size, claim in (
        (64, 1, between(0.5, 0.56)), (256, 1, between(0.8, 0.84)), (1024, 1, at_least(0.98)),
        (64, 1 / 4, at_least(0.98)),
    ):  # fmt: skip
        words, rows = words_of(2000, d_model) * size, arrays.sinusoidal(32, d_model)
        words, rows = words - words.mean(axis=0), rows - rows.mean(axis=0)
        products = (words @ rows.T)[:, None] + rows @ rows.T
        nearest = (products - (rows**2).sum(axis=1) / 2).argmax(axis=-1)
        share = (nearest == np.arange(32)).mean()
        yield f"2000 words of size {size}, {d_model} columns, no matrix", share, claim
    words, table = words_of(50, 64), arrays.sinusoidal(32, 64)
    for size, claim in ((1, below(0.5)), (1 / 8, at_least(0.98))):
        sums = words[:, None] * size + table
        matrix, *_ = np.linalg.lstsq(sums[:25].reshape(-1, 64), np.tile(table, (25, 1)))
        misses = np.linalg.norm((sums[25:] @ matrix)[:, :, None] - table, axis=-1)
        yield f"unseen words, {size} of the size", (misses.argmin(-1) == np.arange(32)).mean(), claim
