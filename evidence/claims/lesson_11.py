"""The claims of lesson 11 that depend on chance. The lesson itself uses seed 0."""

import copy

import numpy as np
import torch

from evidence.claims.runner import SEEDS, at_least, below
from pe_lessons import arrays, measures, toys

EXACT = below(1e-9)
ORDER = np.r_[0:32:2, 1:32:2]
ROWS = np.concatenate([ORDER, ORDER + 32, np.arange(64, 96)])


def change(a, b):
    return abs(a - b).max().item()


def layouts():
    """A trained model: in its own layout, in the other one, there with its columns in order, moved by 100"""
    own, other_layout, repaired, moved = [], [], [], []
    for seed in SEEDS:
        torch.manual_seed(seed)
        model = toys.TinyTransformer(10, 10, encoding=toys.Rotary())
        toys.train(model, toys.batches(toys.k_back, seed=1000 + seed), steps=200, print_every=None)
        tokens, targets = next(toys.batches(toys.k_back, seed=2000 + seed, batch_size=512))
        outputs = model(tokens).detach()
        own.append(toys.accuracy(model, tokens, targets))
        other = copy.deepcopy(model)
        other.encoding = toys.Rotary(layout="half")
        other_layout.append(toys.accuracy(other, tokens, targets))
        with torch.no_grad():
            for parameter in other.blocks[0].to_qkv.parameters():
                parameter.copy_(parameter[ROWS])
            repaired.append(change(other(tokens), outputs))
            moved.append(change(model(tokens, torch.arange(16) + 100), outputs))
    yield "three back, in the layout of the training: right", own, at_least(0.99)
    yield "the same weights in the other layout: right", other_layout, below(0.8)
    yield "the other layout, W_Q and W_K reordered: outputs change by", repaired, EXACT
    yield "told +100: outputs change by", moved, EXACT


def score(rotate, query, key, m, n):
    return (rotate(query[None], [m]) @ rotate(key[None], [n]).T).item()


def exchanged(x, positions):
    """The angles of one layout with the partners of the other."""
    angles = np.multiply.outer(positions, arrays.frequencies(x.shape[-1]))
    angles = np.concatenate([angles, angles], axis=-1)
    partner = np.empty(x.shape)
    partner[..., 0::2], partner[..., 1::2] = -x[..., 1::2], x[..., 0::2]
    return x * np.cos(angles) + partner * np.sin(angles)


def scores():
    """Scores of a random query and key"""
    kept, sides, mixed, least, largest, added = [], [], [], [], [], []
    for seed in SEEDS:
        query, key = np.random.default_rng(seed).normal(size=(2, 64))
        own = [score(arrays.rotary, query, key, m, m - 3) for m in (8, 108, 1008)]
        kept.append(np.ptp(own))
        sides.append(abs(own[0] - score(arrays.rotary, query, key, 5, 8)))
        mixed.append(np.ptp([score(exchanged, query, key, m, m - 3) for m in (8, 108, 1008)]))
        norms = np.linalg.norm(exchanged(np.tile(query, (1000, 1)), np.arange(1000)), axis=1)
        norms /= np.linalg.norm(query)
        least.append(norms.min())
        largest.append(norms.max())
        table = arrays.sinusoidal(24, 64)
        added.append(measures.toeplitz_residual((query + table) @ (key + table).T))
    yield "at three places: they differ by", kept, EXACT
    yield "three back against three ahead: they differ by", sides, at_least(0.01)
    yield "layouts exchanged, at three places: they differ by", mixed, at_least(0.1)
    yield "layouts exchanged: least norm", least, below(0.95)
    yield "layouts exchanged: largest norm", largest, at_least(1.05)
    yield "a table added: how far from one number per diagonal", added, at_least(0.1)


def spread():
    """Spread of 20,000 random scores at four distances"""
    least, largest = [], []
    for seed in SEEDS:
        queries, keys = np.random.default_rng(seed).normal(size=(2, 20_000, 64))
        rotated = (arrays.rotary(keys[:, None], [distance])[:, 0] for distance in (0, 10, 100, 1000))
        found = [np.std(np.sum(queries * turned, axis=1) / 8) for turned in rotated]
        least.append(min(found))
        largest.append(max(found))
    yield "the least", least, at_least(0.95)
    yield "the largest", largest, below(1.05)


def wrong_place():
    """Rotated in the wrong place, and moved by 100"""
    scores_change, outputs_change = [], []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        W_Q, W_K, W_V = rng.normal(size=(3, 16, 16)) / 4
        x, positions = rng.normal(size=(12, 16)), np.arange(12)

        def before(positions, x=x, W_Q=W_Q, W_K=W_K):
            turned = arrays.rotary(x, positions)
            return (turned @ W_Q) @ (turned @ W_K).T

        def values_turned(positions, x=x, W_Q=W_Q, W_K=W_K, W_V=W_V):
            return arrays.attention(*(arrays.rotary(x @ weights, positions) for weights in (W_Q, W_K, W_V)))

        scores_change.append(change(before(positions + 100), before(positions)))
        outputs_change.append(change(values_turned(positions + 100), values_turned(positions)))
    yield "before W_Q and W_K: scores change by", scores_change, at_least(1)
    yield "the values too: outputs change by", outputs_change, at_least(0.5)


def cache():
    """Token by token with a cache of rotated keys: error, as a part of the output"""
    errors = {"right": [], "from 0": [], "stuck": [], "twice": []}
    first_stuck = []
    for seed in SEEDS:
        q, k, v = np.random.default_rng(seed).normal(size=(3, 4, 24, 16))
        positions, causal = np.arange(24), np.tri(24, dtype=bool)
        at_once = arrays.attention(arrays.rotary(q, positions), arrays.rotary(k, positions), v, mask=causal)
        ways = {"right": lambda step: step, "from 0": lambda step: 0}
        ways |= {"stuck": lambda step: 8, "twice": lambda step: step + 8}
        for name, position_of in ways.items():
            cached, worst = arrays.rotary(k[:, :8], np.arange(8)), []
            for step in range(8, 24):
                position, one = [position_of(step)], slice(step, step + 1)
                cached = np.concatenate([cached, arrays.rotary(k[:, one], position)], axis=1)
                out = arrays.attention(arrays.rotary(q[:, one], position), cached, v[:, : step + 1])
                wrong_by, size = out - at_once[:, one], np.sqrt(np.mean(at_once[:, one] ** 2))
                worst.append(np.sqrt(np.mean(wrong_by**2)) / size)
            if name == "stuck":
                first_stuck.append(worst.pop(0))
            errors[name].append(max(worst) if name == "right" else min(worst))
    yield "right: the largest", errors["right"], EXACT
    yield "counted from 0: the least", errors["from 0"], at_least(0.1)
    yield "stuck: of the first new token", first_stuck, EXACT
    yield "stuck: the least of the others", errors["stuck"], at_least(0.05)
    yield "prompt counted twice: the least", errors["twice"], at_least(0.1)


CLAIMS = [layouts, scores, spread, wrong_place, cache]
