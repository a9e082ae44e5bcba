"""The claims of lesson 07 that depend on chance: a head built by hand, and random words."""

import numpy as np

from evidence.claims.runner import at_least, below, between, each_seed, equal_to
from pe_lessons import arrays

BACK, SEQ_LEN, D_MODEL, LETTERS = 3, 256, 64, 26


@each_seed
def long_text(seed):
    """A head that copies from three back, built by hand, without words"""
    numbers = np.random.default_rng(seed).integers(26, size=1024)
    table = arrays.sinusoidal(1024, D_MODEL)
    scores = 16 * table @ arrays.shift_matrix(-BACK, D_MODEL).T @ table.T / np.sqrt(D_MODEL)
    weights = arrays.softmax(np.where(np.tri(1024, dtype=bool), scores, -np.inf))
    copied = (weights @ np.eye(26)[numbers]).argmax(axis=1)
    yield "copied right at length 1024", (copied[BACK:] == numbers[:-BACK]).mean(), equal_to(1)


@each_seed
def with_words(seed):
    """The same with words: as it is, and repaired by two least-squares problems"""
    rng = np.random.default_rng(seed)
    letters = rng.normal(size=(LETTERS, D_MODEL))
    text = rng.integers(LETTERS, size=SEQ_LEN)
    table = arrays.sinusoidal(SEQ_LEN, D_MODEL)
    x = letters[text] + table
    causal = np.tri(SEQ_LEN, dtype=bool)
    both, rotation = np.concatenate([letters, table]), arrays.shift_matrix(-BACK, D_MODEL).T

    def strongest(W_Q, W_K):
        return np.where(causal, (x @ W_Q) @ (x @ W_K).T, -np.inf).argmax(axis=1)

    def rows_on_target(W_Q, W_K):
        return (strongest(W_Q, W_K)[BACK:] == np.arange(SEQ_LEN - BACK)).mean()

    naive = rotation, np.eye(D_MODEL)
    yield "naive head on target", rows_on_target(*naive), below(0.1)
    yield "naive head on its own letter", (text[strongest(*naive)] == text).mean(), at_least(0.98)
    wanted = np.concatenate([np.zeros((LETTERS, D_MODEL)), table])
    P, *_ = np.linalg.lstsq(both, wanted)
    yield "demand missed by", np.abs(both @ P - wanted).max(), below(1e-9)
    yield "repaired head on target", rows_on_target(P @ rotation, P), equal_to(1)
    for name, (W_Q, W_K), back, claim in (
        ("naive", naive, 0, between(0.55, 0.8)),
        ("repaired", (P @ rotation, P), BACK, between(0.75, 0.9)),
    ):
        scores = 16 * (x @ W_Q) @ (x @ W_K).T / np.sqrt(D_MODEL)
        weights = arrays.softmax(np.where(causal, scores, -np.inf))
        means = [np.diagonal(weights, -step).sum() / SEQ_LEN for step in range(SEQ_LEN)]
        yield f"{name} head, step of the peak", int(np.argmax(means)), equal_to(back)
        yield f"{name} head, mean weight there", means[back], claim
    demands = np.concatenate([np.eye(LETTERS), np.zeros((SEQ_LEN, LETTERS))])
    W_V, *_ = np.linalg.lstsq(both, demands)
    taken_home = arrays.attention(16 * x @ P @ rotation, x @ P, x @ W_V, mask=causal)
    copied = taken_home.argmax(axis=1)
    yield "letters copied right", (copied[BACK:] == text[:-BACK]).mean(), equal_to(1)
