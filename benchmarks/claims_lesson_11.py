"""Every claim of lesson 11 that depends on chance, on ten seeds that it does not use.

    python benchmarks/claims_lesson_11.py

takes about ten seconds on one core, prints the range of every quantity over the seeds, and ends with an error
if a claim fails for any of them. The lesson itself uses seed 0.
"""

import copy

import numpy as np
import torch
from claims import SEEDS, at_least, below, report, verdict

from pe_lessons import arrays, properties, toys

EXACT = below(1e-9)
ORDER = np.r_[0:32:2, 1:32:2]
ROWS = np.concatenate([ORDER, ORDER + 32, np.arange(64, 96)])


def change(a, b):
    return abs(a - b).max().item()


# The trained model: its own layout, the other one, the other one with its columns in order, moved by 100.
models = {}
for seed in SEEDS:
    torch.manual_seed(seed)
    models[seed] = toys.TinyTransformer(10, 10, encoding=toys.Rotary())
    toys.train(models[seed], toys.batches(toys.k_back, seed=1000 + seed), steps=200, print_every=None)

found = {"own": [], "other": [], "repaired": [], "moved": []}
for seed, model in models.items():
    tokens, targets = next(toys.batches(toys.k_back, seed=2000 + seed, batch_size=512))
    outputs = model(tokens).detach()
    found["own"].append(toys.accuracy(model, tokens, targets))
    other = copy.deepcopy(model)
    other.encoding = toys.Rotary(layout="half")
    found["other"].append(toys.accuracy(other, tokens, targets))
    with torch.no_grad():
        for parameter in other.blocks[0].to_qkv.parameters():
            parameter.copy_(parameter[ROWS])
        found["repaired"].append(change(other(tokens), outputs))
        found["moved"].append(change(model(tokens, torch.arange(16) + 100), outputs))
report("three back, in the layout of the training: right", found["own"], *at_least(0.99))
report("the same weights in the other layout: right", found["other"], *below(0.8))
report("the other layout, W_Q and W_K reordered: outputs change by", found["repaired"], *EXACT)
report("told +100: outputs change by", found["moved"], *EXACT)


# Scores of a random query and key.
def score(rotate, query, key, m, n):
    return (rotate(query[None], [m]) @ rotate(key[None], [n]).T).item()


def exchanged(x, positions):
    angles = np.multiply.outer(positions, arrays.frequencies(x.shape[-1]))
    angles = np.concatenate([angles, angles], axis=-1)
    partner = np.empty(x.shape)
    partner[..., 0::2], partner[..., 1::2] = -x[..., 1::2], x[..., 0::2]
    return x * np.cos(angles) + partner * np.sin(angles)


found = {name: [] for name in ("kept", "sides", "exchanged", "least", "largest", "added", "spread")}
found |= {name: [] for name in ("before", "values", "first stuck")}
errors = {"right": [], "from 0": [], "stuck": [], "twice": []}
for seed in SEEDS:
    rng = np.random.default_rng(seed)
    query, key = rng.normal(size=(2, 64))
    own = [score(arrays.rotary, query, key, m, m - 3) for m in (8, 108, 1008)]
    found["kept"].append(np.ptp(own))
    found["sides"].append(abs(own[0] - score(arrays.rotary, query, key, 5, 8)))
    found["exchanged"].append(np.ptp([score(exchanged, query, key, m, m - 3) for m in (8, 108, 1008)]))
    norms = np.linalg.norm(exchanged(np.tile(query, (1000, 1)), np.arange(1000)), axis=1)
    norms /= np.linalg.norm(query)
    found["least"].append(norms.min())
    found["largest"].append(norms.max())
    table = arrays.sinusoidal(24, 64)
    found["added"].append(properties.toeplitz_residual((query + table) @ (key + table).T))

    queries, keys = rng.normal(size=(2, 20_000, 64))
    for distance in (0, 10, 100, 1000):
        turned = arrays.rotary(keys[:, None], [distance])[:, 0]
        found["spread"].append(np.std(np.sum(queries * turned, axis=1) / 8))

    W_Q, W_K, W_V = rng.normal(size=(3, 16, 16)) / 4
    x, positions = rng.normal(size=(12, 16)), np.arange(12)

    def before(positions, x=x, W_Q=W_Q, W_K=W_K):
        turned = arrays.rotary(x, positions)
        return (turned @ W_Q) @ (turned @ W_K).T

    def values_turned(positions, x=x, W_Q=W_Q, W_K=W_K, W_V=W_V):
        return arrays.attention(*(arrays.rotary(x @ weights, positions) for weights in (W_Q, W_K, W_V)))

    found["before"].append(change(before(positions + 100), before(positions)))
    found["values"].append(change(values_turned(positions + 100), values_turned(positions)))

    q, k, v = rng.normal(size=(3, 4, 24, 16))
    positions, causal = np.arange(24), np.tri(24, dtype=bool)
    at_once = arrays.attention(arrays.rotary(q, positions), arrays.rotary(k, positions), v, mask=causal)
    ways = {"right": lambda step: step, "from 0": lambda step: 0}
    ways |= {"stuck": lambda step: 8, "twice": lambda step: step + 8}
    for name, position_of in ways.items():
        cache, worst = arrays.rotary(k[:, :8], np.arange(8)), []
        for step in range(8, 24):
            position, one = [position_of(step)], slice(step, step + 1)
            cache = np.concatenate([cache, arrays.rotary(k[:, one], position)], axis=1)
            out = arrays.attention(arrays.rotary(q[:, one], position), cache, v[:, : step + 1])
            wrong_by, size = out - at_once[:, one], np.sqrt(np.mean(at_once[:, one] ** 2))
            worst.append(np.sqrt(np.mean(wrong_by**2)) / size)
        if name == "stuck":
            found["first stuck"].append(worst.pop(0))
        errors[name].append(max(worst) if name == "right" else min(worst))

report("random query and key, three places: scores differ by", found["kept"], *EXACT)
report("three back against three ahead: scores differ by", found["sides"], *at_least(0.01))
report("layouts exchanged, three places: scores differ by", found["exchanged"], *at_least(0.1))
report("layouts exchanged: least norm", found["least"], *below(0.95))
report("layouts exchanged: largest norm", found["largest"], *at_least(1.05))
report("a table added: how far from one number per diagonal", found["added"], *at_least(0.1))
report("spread of random scores, four distances: from", found["spread"], *at_least(0.95))
report("spread of random scores, four distances: to", found["spread"], *below(1.05))
report("rotated before W_Q and W_K, moved by 100: scores change by", found["before"], *at_least(1))
report("values rotated, moved by 100: outputs change by", found["values"], *at_least(0.5))
report("cache, right: largest error, of the output", errors["right"], *EXACT)
report("cache, counted from 0: least error, of the output", errors["from 0"], *at_least(0.1))
report("cache, stuck: error of the first new token", found["first stuck"], *EXACT)
report("cache, stuck: least error of the others, of the output", errors["stuck"], *at_least(0.1))
report("cache, prompt counted twice: least error, of the output", errors["twice"], *at_least(0.1))

verdict()
