"""The claims of lesson 10 that depend on chance. The lesson itself uses seed 0."""

import copy

import numpy as np
import torch

from evidence.claims.runner import at_least, below, each_seed
from evidence.claims.training import test_set, trained
from evidence.measure_small import repaired
from pe_lessons import arrays, toys

EXACT = below(1e-9)


def change(a, b):
    return abs(a - b).max().item()


@each_seed
def layouts(seed):
    """A trained model: in its own layout, in the other one, there with its columns in order, moved by 100"""
    model = trained(toys.Rotary, toys.k_back, seed)
    tokens, targets = test_set(toys.k_back, seed)
    outputs = model(tokens).detach()
    other = copy.deepcopy(model)
    other.encoding = toys.Rotary(layout="half")
    yield (
        "three back, in the layout of the training: right",
        toys.accuracy(model, tokens, targets),
        at_least(0.99),
    )
    yield "the same weights in the other layout: right", toys.accuracy(other, tokens, targets), below(0.8)
    moved = model(tokens, torch.arange(16) + 100)
    yield (
        "the other layout, W_Q and W_K reordered: outputs change by",
        change(repaired(other)(tokens), outputs),
        EXACT,
    )
    yield "told +100: outputs change by", change(moved, outputs), EXACT


def score(rotate, query, key, m, n):
    return (rotate(query[None], [m]) @ rotate(key[None], [n]).T).item()


def exchanged(x, positions):
    """The angles laid out for halves, the partners fetched from the neighbours."""
    angles = np.multiply.outer(positions, arrays.frequencies(x.shape[-1]))
    angles = np.concatenate([angles, angles], axis=-1)
    partner = np.empty(x.shape)
    partner[..., 0::2], partner[..., 1::2] = -x[..., 1::2], x[..., 0::2]
    return x * np.cos(angles) + partner * np.sin(angles)


@each_seed
def two_layouts_at_once(seed):
    """The angles of one layout, the partners of the other"""
    query, key = np.random.default_rng(seed).normal(size=(2, 64))
    mixed = [score(exchanged, query, key, m, m - 3) for m in (8, 108, 1008)]
    yield "at three places: scores differ by", np.ptp(mixed), at_least(0.1)
    norms = np.linalg.norm(exchanged(np.tile(query, (1000, 1)), np.arange(1000)), axis=1)
    norms /= np.linalg.norm(query)
    yield "least norm", norms.min(), below(0.95)
    yield "largest norm", norms.max(), at_least(1.05)


@each_seed
def wrong_place(seed):
    """Rotated in the wrong place, and moved by 100"""
    rng = np.random.default_rng(seed)
    W_Q, W_K, W_V = rng.normal(size=(3, 16, 16)) / 4
    x, positions = rng.normal(size=(12, 16)), np.arange(12)

    def before(positions):
        rotated = arrays.rotary(x, positions)
        return arrays.attention(rotated @ W_Q, rotated @ W_K, x @ W_V)

    def values_turned(positions):
        return arrays.attention(*(arrays.rotary(x @ weights, positions) for weights in (W_Q, W_K, W_V)))

    for name, wrong, bound in (
        ("before W_Q and W_K: outputs change by", before, at_least(0.5)),
        ("the values too: outputs change by", values_turned, at_least(0.5)),
    ):
        yield name, change(wrong(positions + 100), wrong(positions)), bound
