"""What lesson 23 says of luck with needles. Nothing is trained: texts are found or not, each by itself."""

import numpy as np

from evidence.claims.run_claims import between

TRIALS = 200_000
TEXTS = 1600


def found(*accuracies, texts=TEXTS):
    """The accuracy that each model, or each depth, reaches by chance, (TRIALS, how many)."""
    rng = np.random.default_rng(seed=900)
    return rng.binomial(texts, accuracies, size=(TRIALS, len(accuracies))) / texts


def five_depths():
    """1,600 needles at each of five depths: how often the worst is more than 3 points below the best"""
    for name, first, bound in (
        ("all 90 %", 0.9, between(0.03, 0.04)),
        ("one 87 %", 0.87, between(0.76, 0.785)),
    ):
        spread = np.ptp(found(first, 0.9, 0.9, 0.9, 0.9), axis=1)
        yield name, [np.mean(spread > 0.03 + 1e-9)], bound


def two_standard_errors():
    """A lead of 3 points around 90 %: how often it reaches two standard errors"""
    for texts, bound in ((800, between(0.45, 0.55)), (1600, between(0.78, 0.82))):
        one, other = found(0.885, 0.915, texts=texts).T
        error = np.sqrt((one * (1 - one) + other * (1 - other)) / texts)
        yield f"{texts} texts", [np.mean(other - one > 2 * error)], bound


def two_rivals():
    """Three equal models, 1,600 texts: how often one of two rivals leads the first by two standard errors"""
    first, *rivals = found(0.9, 0.9, 0.9).T
    lead = np.max(rivals, axis=0) - first
    yield "ahead by chance", [np.mean(lead > 2 * np.sqrt(2 * 0.9 * 0.1 / TEXTS))], between(0.035, 0.05)
