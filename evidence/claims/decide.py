"""What lesson 23 says of luck with needles and of random words. Nothing is trained."""

import numpy as np

from evidence.claims.run_claims import at_least, below, between, equal_to
from pe_lessons import arrays

TRIALS = 200_000
TEXTS = 1600


def found(*accuracies):
    """The accuracy that each model, or each depth, reaches by chance, (TRIALS, how many)."""
    rng = np.random.default_rng(seed=900)
    return rng.binomial(TEXTS, accuracies, size=(TRIALS, len(accuracies))) / TEXTS


def five_depths():
    """1,600 needles at each of five depths: how often the worst is below the best by more than four standard
    errors of one depth, and by more than 2 points; and at one of three lengths"""

    def fails(accuracies, points=0.02):
        each = found(*accuracies)
        mean = each.mean(axis=1)
        return np.mean(np.ptp(each, axis=1) > np.maximum(4 * np.sqrt(mean * (1 - mean) / TEXTS), points))

    nearly_all = [0.995, *[0.999] * 4]
    yield "99.5 % and 99.9 %, without the 2 points", [fails(nearly_all, points=0)], between(0.625, 0.635)
    yield "99.5 % and 99.9 %", [fails(nearly_all)], below(0.001)
    one_of_three = 1 - (1 - fails([0.9] * 5)) ** 3
    yield "all 90 %, one of three lengths", [one_of_three], between(0.105, 0.115)


def the_whole_procedure():
    """A model that finds 90 % everywhere and forgets nothing: how often chance takes 128k from it. After half
    of the training it fails rule 2 at 8k, 16k or 32k. Or the final model fails rule 1 or rule 2 at 32k, 64k
    or 128k, or rule 2 in one of 13 tasks. Or after half of the training, or at its end, one of ten short
    tasks is worse than at the start by three standard errors of the difference"""
    all_of_it = found(*[0.9] * 92, *[0.7] * 30)
    half, final = all_of_it[:, :40].reshape(TRIALS, 2, 4, 5).swapaxes(0, 1)  # 4k, and three lengths
    tasks = all_of_it[:, 40:92].reshape(TRIALS, 4, 13)
    start, *later = all_of_it[:, 92:].reshape(TRIALS, 3, 10).swapaxes(0, 1)

    def by_rule_1(lengths):
        mean = lengths.mean(axis=2)
        limit = np.maximum(4 * np.sqrt(mean * (1 - mean) / TEXTS), 0.02)
        return np.any((np.ptp(lengths, axis=2) > limit)[:, 1:], axis=1)

    def by_rule_2(lengths):
        return np.any(lengths[:, 1:] < 0.85 * lengths[:, :1], axis=(1, 2))

    def worse(after):
        mean = (start + after) / 2
        return np.max((start - after) / np.sqrt(2 * mean * (1 - mean) / TEXTS), axis=1) > 3

    failed = by_rule_1(final) | by_rule_2(final) | by_rule_2(tasks)
    whole = failed | by_rule_2(half) | worse(later[0]) | worse(later[1])
    yield "all together", [np.mean(whole)], between(0.125, 0.135)
    with_rule_1 = whole | by_rule_1(half)
    yield "the same, if rule 1 could stop the training", [np.mean(with_rule_1)], between(0.215, 0.235)


def ten_short_tasks():
    """Ten short tasks before and after, 1,600 questions each, and the model is as good as before: how often
    at least one task is worse by two or by three standard errors of the difference"""
    for accuracy in (0.5, 0.7, 0.9):
        before, after = found(*[accuracy] * 20).reshape(TRIALS, 2, 10).swapaxes(0, 1)
        mean = (before + after) / 2
        lost = (before - after) / np.sqrt(2 * mean * (1 - mean) / TEXTS)
        for errors, bound in (2, between(0.195, 0.21)), (3, between(0.01, 0.015)):
            yield f"{accuracy:.0%}, {errors} standard errors", [np.mean(lost.max(axis=1) > errors)], bound


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


def slow_pairs():
    """A query and its copy, and 131,071 words with random angles, all only in the n slowest of 64 pairs: for
    how many n the copy is more similar than the best random word at every distance up to 128k. Five draws"""
    words, distances = 131_071, np.arange(131_072)
    best = []
    for seed in range(900, 905):
        cosines = np.cos(np.random.default_rng(seed).uniform(0, 2 * np.pi, (words, 64)))
        best.append(np.cumsum(cosines, axis=1).max(axis=0) / np.arange(1, 65))
    best = np.array(best)
    for base, bound in (1_000_000, equal_to(0)), (10_000_000, at_least(10)):
        slowest_first = arrays.frequencies(128, base=base)[::-1]
        copy = np.cumsum(np.cos(distances[:, None] * slowest_first), axis=1) / np.arange(1, 65)
        wins = copy.min(axis=0) > best  # (draws, n)
        yield f"base {base:,}: for how many n in all draws", [wins.all(axis=0).sum()], bound
    yield "the same with n = 17", wins[:, 16].tolist(), equal_to(1)
    close = np.abs(copy[:, 23].min() - best[:, 23]).tolist()
    yield "n = 24: between the copy at its worst and the best random word", close, below(0.15)
