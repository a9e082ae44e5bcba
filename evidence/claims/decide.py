"""What lesson 23 says of luck with needles and of random words. Nothing is trained."""

import numpy as np

from evidence.claims.run_claims import above, below, between
from pe_lessons import arrays

TRIALS = 200_000
TEXTS = 1600


def found(*accuracies, texts=TEXTS):
    """The accuracy that each model, or each depth, reaches by chance, (TRIALS, how many)."""
    rng = np.random.default_rng(seed=900)
    return rng.binomial(texts, accuracies, size=(TRIALS, len(accuracies))) / texts


def five_depths():
    """Needles at each of five depths: how often the worst is below the best by more than four standard errors
    of one depth, by more than two standard errors of a difference, or by more than 5 points"""

    def gaps(accuracy, texts=TEXTS):
        each = found(*[accuracy] * 5, texts=texts)
        mean = each.mean(axis=1)
        return np.ptp(each, axis=1), np.sqrt(mean * (1 - mean) / texts)

    for accuracy in (0.5, 0.7, 0.9, 0.95, 0.97):
        gap, error = gaps(accuracy)
        yield f"all {accuracy:.0%}, four errors", [np.mean(gap > 4 * error)], between(0.03, 0.041)
        yield f"all {accuracy:.0%}, 5 points", [np.mean(gap > 0.05)], below(0.041)
    gap, error = gaps(0.9)
    wide = np.mean(gap > 2 * np.sqrt(2) * error)
    yield "all 90 %, two errors of a difference", [wide], between(0.26, 0.27)
    yield "all 50 %, 5 points, 6,400 texts", [np.mean(gaps(0.5, 4 * TEXTS)[0] > 0.05)], below(1e-4)


def all_depths():
    """How often any of five depths finds less than 85 % of what the same depth finds in short texts"""
    for texts, bound in ((TEXTS, between(0.335, 0.355)), (4 * TEXTS, between(0.005, 0.015))):
        each = found(*[0.8] * 5, *[0.7] * 5, texts=texts)
        fails = np.mean(np.any(each[:, 5:] < 0.85 * each[:, :5], axis=1))
        yield f"80 % in short texts and 70 % in long ones, {texts:,} texts", [fails], bound
    for texts, bound in ((TEXTS, above(0.975)), (4 * TEXTS, between(0.12, 0.14))):
        each = found(*[0.8] * 18, *[0.7] * 54, texts=texts).reshape(TRIALS, 4, 18)
        fails = np.mean(np.any(each[:, 1:] < 0.85 * each[:, :1], axis=(1, 2)))
        yield f"five depths and 13 tasks at three lengths, {texts:,} texts", [fails], bound


def plans():
    """Plans with two runs each, the first of which is plan C: how often a different one leads, by two
    standard errors and by more than the gap between the two seeds of either plan. The seed moves a run's true
    accuracy by 3 points (standard deviation)"""

    def leads(*plans):
        rng = np.random.default_rng(seed=900)
        accuracies = np.array(plans)[:, None] + 0.03 * rng.standard_normal((TRIALS, len(plans), 2))
        runs = rng.binomial(TEXTS, accuracies.clip(0, 1)) / TEXTS
        ours, others = runs[:, :1], runs[:, 1:]
        lead = others.mean(2) - ours.mean(2)
        mean = (others.mean(2) + ours.mean(2)) / 2
        errors = 2 * np.sqrt(2 * mean * (1 - mean) / (2 * TEXTS))
        seeds = np.maximum(np.ptp(others, axis=2), np.ptp(ours, axis=2))
        return np.mean(np.any((lead > errors) & (lead > seeds), axis=1))

    yield "plan B finds 93 % instead of 90 %, and leads", [leads(0.9, 0.93)], between(0.315, 0.325)
    yield "all three find 90 %, and plan A or B leads", [leads(0.9, 0.9, 0.9)], between(0.17, 0.18)


def slow_pairs():
    """A query and its copy, and random words with random angles, all in the slowest quarter of the
    pairs, in the slowest half, or in all pairs: how similar the copy is at its worst distance, and the
    best random word. Ten draws"""
    for name, pairs, part, tokens, random_bound, of_bases in (
        (
            "64 pairs, 128k, the slowest half",
            64,
            2,
            131_072,
            between(0.47, 0.62),
            {1e7: between(0.395, 0.405), 1e8: between(0.645, 0.655)},
        ),
        (
            "64 pairs, 128k",
            64,
            4,
            131_072,
            between(0.63, 0.8),
            {1e5: below(-0.19), 1e6: between(0.325, 0.335), 1e7: between(0.955, 0.965), 1e8: above(0.99)},
        ),
        (
            "64 pairs, 128k, all alike",
            64,
            1,
            131_072,
            between(0.34, 0.46),
            {base: below(0.3) for base in (1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10)},
        ),
        ("64 pairs, 64k", 64, 4, 65_536, between(0.63, 0.8), {5e5: between(0.37, 0.385), 8e6: above(0.98)}),
        ("64 pairs, 512k", 64, 4, 524_288, between(0.63, 0.85), {1.28e8: above(0.98)}),
        ("64 pairs, a window", 64, 4, 1024, between(0.4, 0.7), {1e4: above(0.87)}),
        (
            "32 pairs, 64k",
            32,
            4,
            65_536,
            between(0.82, 0.985),
            {1e5: below(0), 1e6: between(0.635, 0.645), 1e7: between(0.985, 0.99), 1e8: above(0.99)},
        ),
    ):
        used = pairs // part
        best = []
        for seed in range(900, 910):
            angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, (tokens - 1, used))
            best.append(np.cos(angles).mean(axis=1).max())
        yield f"{name}: best random word", best, random_bound
        for base, bound in of_bases.items():
            slowest = arrays.frequencies(2 * pairs, base=base)[-used:]
            copy = np.cos(np.arange(tokens)[:, None] * slowest).mean(axis=1).min()
            yield f"{name}, base {base:,.0f}: copy at its worst", [copy], bound
    fast = arrays.frequencies(128, base=1e6)[:16]  # plan C
    copy = ((np.cos(np.arange(131_072)[:, None] * fast).sum(axis=1) + 48) / 64).min()
    yield "64 pairs, 128k, all alike, the fastest quarter rotates: copy at its worst", [copy], above(0.55)
    scores = 8 * np.cos(np.random.default_rng(900).uniform(0, 2 * np.pi, (131_071, 64))).mean(axis=1)
    weight = np.exp(6) / (np.exp(6) + np.exp(scores).sum())
    yield "plan C, 8 times the similarity: weight of a copy of 0.75", [weight], between(0.002, 0.0025)
    slowest = arrays.frequencies(128, base=1e6)[-16:]
    copy = np.cos(np.arange(131_072)[:, None] / 8 * slowest).mean(axis=1).min()
    yield "base 1,000,000, frequencies divided by 8: copy at its worst", [copy], above(0.97)
