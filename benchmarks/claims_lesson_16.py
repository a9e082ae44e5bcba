"""The claims of lesson 16 that depend on a seed, on ten seeds that it does not use.

    python benchmarks/claims_lesson_16.py

takes about three minutes on one core, prints the range of every quantity over the seeds, and ends with an
error if a claim fails for any of them. The other cards of the lesson are arithmetic.
"""

import numpy as np
import torch
from claims import FAILED, SEEDS, verdict

from pe_lessons import arrays, properties, toys


def in_pairs(angles):
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)


def sinusoidal(positions, d_model):
    return in_pairs(positions[:, None] * arrays.frequencies(d_model))


def doubled_exponent(positions, d_model):
    return in_pairs(positions[:, None] * arrays.frequencies(d_model) ** 2)


def random_rows(seed):
    rows = np.random.default_rng(seed).normal(size=(4096, 32))
    return lambda positions, d_model: rows[positions.astype(int)]


def random_frequencies(seed):
    falls = np.random.default_rng(seed).uniform(size=16)
    return lambda positions, d_model: in_pairs(positions[:, None] * 10_000.0**-falls)


def gray_code(positions, d_model):
    whole = positions.astype(int)
    return ((whole ^ (whole >> 1))[:, None] >> np.arange(d_model) & 1).astype(float)


def triangle_waves(positions, d_model):
    return np.arcsin(sinusoidal(positions, d_model)) * 2 / np.pi


def remainders(positions, d_model):
    clocks = [np.eye(hours)[(positions % hours).astype(int)] for hours in (2, 3, 5, 7, 11)]
    return np.pad(np.concatenate(clocks, axis=1), [(0, 0), (0, d_model - 28)])


def saw_teeth(positions, d_model):
    return positions[:, None] * arrays.frequencies(2 * d_model) / (2 * np.pi) % 1


def a_tenth(positions, d_model):
    return sinusoidal(positions / 10, d_model)


def unfulfilled(encode):
    return {wish for wish, good in properties.fulfilled(properties.scorecard(encode)).items() if not good}


def cards():
    print("Cards of what is drawn at random: wishes that are not fulfilled")
    rows = [unfulfilled(random_rows(seed)) for seed in SEEDS]
    expected = {"smooth", "local", "shift-consistent", "distinct far out"}
    print(f"random rows always fail {sorted(set.intersection(*rows))}, at most {sorted(set.union(*rows))}")
    if any(one != expected for one in rows):
        FAILED.append("random rows: the card")
    waves = [unfulfilled(random_frequencies(seed)) for seed in SEEDS]
    print(f"random frequencies fail nothing on {sum(not one for one in waves)} of 10 seeds; others: "
          f"{sorted(set.union(*waves))}")  # fmt: skip
    if any(waves):
        FAILED.append("random frequencies: the card")


def training():
    print("\nShare right after 200 steps ('solved' is more than 0.9)")
    kinds = {
        "sinusoidal": (lambda seed: sinusoidal, "both"),
        "doubled exponent": (lambda seed: doubled_exponent, "both"),
        "random rows": (random_rows, "both"),
        "gray code": (lambda seed: gray_code, "reverse"),
        "triangle waves": (lambda seed: triangle_waves, "both"),
        "random frequencies": (random_frequencies, "both"),
        "remainders": (lambda seed: remainders, "both"),
        "saw-teeth": (lambda seed: saw_teeth, "none"),
        "a tenth": (lambda seed: a_tenth, "none"),
    }
    for name, (make, solves) in kinds.items():
        for task in (toys.reverse, toys.k_back):
            shares = []
            for seed in SEEDS:
                torch.manual_seed(seed)
                model = toys.TinyTransformer(10, 10, table=make(seed)(np.arange(16.0), 32))
                toys.train(model, toys.batches(task, seed=1000 + seed), steps=200, print_every=None)
                tokens, targets = next(toys.batches(task, seed=2000 + seed, batch_size=512))
                shares.append(toys.accuracy(model, tokens, targets))
            solved = solves in ("both", task.__name__)
            holds = min(shares) > 0.9 if solved else max(shares) < 0.9
            claim = "solved" if solved else "not solved"
            print(f"{name:20} {task.__name__:8} [{min(shares):.4f}, {max(shares):.4f}]   {claim}: "
                  f"{'holds' if holds else 'FAILS'}", flush=True)  # fmt: skip
            if not holds:
                FAILED.append(f"{name}, {task.__name__}")


if __name__ == "__main__":
    cards()
    training()
    verdict()
