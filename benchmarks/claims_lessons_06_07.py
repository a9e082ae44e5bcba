"""The printed claims of lessons 06 and 07 that involve chance, on ten seeds the lessons do not use.

    python benchmarks/claims_lessons_06_07.py

Everything else these lessons print is the same on every run: it follows from the formula. Exits with 1
if a claim fails for any seed.
"""

import sys

import numpy as np
from sklearn.manifold import TSNE

from pe_lessons import arrays

SEEDS = range(10, 20)  # the lessons draw with seed 0
BACK, SEQ_LEN, D_MODEL, LETTERS = 3, 256, 64, 26


def map_ratio(seed, init, perplexity=4):
    """Lesson 06: on a t-SNE map of the 128 x 8 table, how much further from 5 is 6 than 68?"""
    rows = arrays.sinusoidal(128, 8)
    points = TSNE(n_components=2, perplexity=perplexity, random_state=seed, init=init).fit_transform(rows)
    return np.linalg.norm(points[5] - points[6]) / np.linalg.norm(points[5] - points[68])


def copied_at_length(seed):
    """Lesson 07: share of 1021 random words that the hand-built head copies from three back."""
    numbers = np.random.default_rng(seed).integers(26, size=1024)
    table = arrays.sinusoidal(1024, D_MODEL)
    scores = 16 * table @ arrays.shift_matrix(-BACK, D_MODEL).T @ table.T / np.sqrt(D_MODEL)
    weights = arrays.softmax(np.where(np.tri(1024, dtype=bool), scores, -np.inf))
    return (((weights @ np.eye(26)[numbers]).argmax(axis=1))[BACK:] == numbers[:-BACK]).mean()


def with_words(seed):
    """Lesson 07: the naive head, the two least-squares problems, the repaired head, its copy."""
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
        "naive": rows_on_target(rotation, np.eye(D_MODEL)),
        "own letter": (text[strongest(rotation, np.eye(D_MODEL))] == text).mean(),
        "worst demand": np.abs(both @ P - wanted).max(),
        "repaired": rows_on_target(P @ rotation, P),
        "letters copied": copied,
    }


def main():
    runs = [with_words(seed) for seed in SEEDS]
    long = [copied_at_length(seed) for seed in SEEDS]
    ratios = {init: [map_ratio(seed, init) for seed in SEEDS] for init in ("pca", "random")}
    blurred = [map_ratio(seed, "pca", perplexity=30) for seed in SEEDS]
    claims = [
        ("07 copied right at length 1024", long, lambda share: share == 1),
        ("07 naive head on target", [run["naive"] for run in runs], lambda share: share < 0.1),
        ("07 naive head on its own letter", [run["own letter"] for run in runs], lambda share: share >= 0.9),
        ("07 demand missed by", [run["worst demand"] for run in runs], lambda error: error < 1e-9),
        ("07 repaired head on target", [run["repaired"] for run in runs], lambda share: share == 1),
        ("07 letters copied right", [run["letters copied"] for run in runs], lambda share: share == 1),
        ("06 map: 6 over 68, from PCA", ratios["pca"], lambda ratio: ratio > 10),
        ("06 map: 6 over 68, random start", ratios["random"], lambda ratio: ratio > 10),
        ("06 the same, perplexity 30, from PCA", blurred, lambda ratio: 2 < ratio < 4),
    ]
    failed = 0
    for name, values, holds in claims:
        kept = sum(holds(value) for value in values)
        failed += kept < len(values)
        print(f"{name:36} {min(values):9.3g} to {max(values):9.3g}   holds for {kept} of {len(values)}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
