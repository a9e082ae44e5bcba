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
    """Needles at each of five depths: how often the worst is more than 3 points below the best, at one
    length; or more than four standard errors of one depth, at one length or at one of three"""
    for name, texts, first, bound in (
        ("all 90 %, 800 texts", 800, 0.9, between(0.235, 0.255)),
        ("all 90 %, 1,600 texts", TEXTS, 0.9, between(0.03, 0.04)),
        ("one 87 %, 1,600 texts", TEXTS, 0.87, between(0.76, 0.785)),
    ):
        spread = np.ptp(found(first, 0.9, 0.9, 0.9, 0.9, texts=texts), axis=1)
        yield name, [np.mean(spread > 0.03 + 1e-9)], bound
        if (texts, first) == (TEXTS, 0.9):
            best = found(*[0.9] * 4).max(axis=1)
            yield "the best of four, on average", [np.mean(best)], between(0.9075, 0.9085)
    for accuracy in (0.765, 0.9):
        each = found(*[accuracy] * 5)
        mean = each.mean(axis=1)
        fails = np.mean(np.ptp(each, axis=1) > 4 * np.sqrt(mean * (1 - mean) / TEXTS))
        yield f"all {accuracy:.1%}, four standard errors", [fails], between(0.035, 0.04)
    yield "one of three lengths, four standard errors", [1 - (1 - fails) ** 3], between(0.1, 0.115)


def four_rivals():
    """Five plans, two runs each: how often a rival leads plan A, by two standard errors and by more than the
    largest gap between the two seeds of any plan. Either one of four rivals as good as plan A, or one that is
    3 points better. The seed moves a run's true accuracy by this standard deviation"""
    better = {
        (0.9, 0): (0.92, 0.94),
        (0.9, 0.01): (0.55, 0.59),
        (0.9, 0.02): (0.24, 0.29),
        (0.9, 0.03): (0.15, 0.18),
        (0.8, 0): (0.7, 0.72),
        (0.5, 0): (0.49, 0.515),
    }
    for (accuracy, luck), bounds in better.items():
        for gain, bound in (0.0, between(0.035, 0.1)), (0.03, between(*bounds)):
            rng = np.random.default_rng(seed=900)
            means = accuracy + gain * np.eye(5)[1][:, None]
            accuracies = np.clip(means + luck * rng.standard_normal((TRIALS, 5, 2)), 0, 1)
            runs = rng.binomial(TEXTS, accuracies) / TEXTS
            first, *rivals = runs.mean(2).T
            lead = np.max(rivals[:1] if gain else rivals, axis=0) - first
            texts = 2 * np.sqrt(2 * accuracy * (1 - accuracy) / (2 * TEXTS))
            seeds = np.ptp(runs, axis=2).max(1)
            yield (
                f"{accuracy:.0%}, seed {luck}, gain {gain}",
                [np.mean((lead > texts) & (lead > seeds))],
                bound,
            )
