"""The claims of lesson 07 that depend on chance: a head built by hand, and random words."""

import numpy as np

from evidence.claims.runner import SEEDS, at_least, below, equal_to
from pe_lessons import arrays

BACK, SEQ_LEN, D_MODEL, LETTERS = 3, 256, 64, 26


def copied_at_length(seed):
    """Share of 1021 random words that the hand-built head copies from three back."""
    numbers = np.random.default_rng(seed).integers(26, size=1024)
    table = arrays.sinusoidal(1024, D_MODEL)
    scores = 16 * table @ arrays.shift_matrix(-BACK, D_MODEL).T @ table.T / np.sqrt(D_MODEL)
    weights = arrays.softmax(np.where(np.tri(1024, dtype=bool), scores, -np.inf))
    return (((weights @ np.eye(26)[numbers]).argmax(axis=1))[BACK:] == numbers[:-BACK]).mean()


def with_words(seed):
    """The naive head, the two least-squares problems, the repaired head, its copy."""
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

    wanted = np.concatenate([np.zeros((LETTERS, D_MODEL)), table])
    P, *_ = np.linalg.lstsq(both, wanted)
    demands = np.concatenate([np.eye(LETTERS), np.zeros((SEQ_LEN, LETTERS))])
    W_V, *_ = np.linalg.lstsq(both, demands)
    taken_home = arrays.attention(16 * x @ P @ rotation, x @ P, x @ W_V, mask=causal)
    copied = (taken_home.argmax(axis=1)[BACK:] == text[:-BACK]).mean()
    return {
        "naive head on target": rows_on_target(rotation, np.eye(D_MODEL)),
        "naive head on its own letter": (text[strongest(rotation, np.eye(D_MODEL))] == text).mean(),
        "demand missed by": np.abs(both @ P - wanted).max(),
        "repaired head on target": rows_on_target(P @ rotation, P),
        "letters copied right": copied,
    }


def head_by_hand():
    """A head that copies from three back, built by hand"""
    yield "copied right at length 1024", [copied_at_length(seed) for seed in SEEDS], equal_to(1)
    runs = [with_words(seed) for seed in SEEDS]
    for name, bound in (
        ("naive head on target", below(0.1)),
        ("naive head on its own letter", at_least(0.9)),
        ("demand missed by", below(1e-9)),
        ("repaired head on target", equal_to(1)),
        ("letters copied right", equal_to(1)),
    ):
        yield name, [run[name] for run in runs], bound


CLAIMS = [head_by_hand]
