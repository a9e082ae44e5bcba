"""The claims of lesson 10 that depend on chance. The lesson itself uses seed 0."""

import copy

import numpy as np
import torch

from evidence.claims.run_claims import at_least, below, each_seed
from evidence.claims.train_on_another_seed import test_set, trained
from evidence.measure_small_models import repaired
from pe_lessons import toys
from pe_lessons.lessons.rotary_in_a_model.unnamed import unnamed_layers

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
    right = toys.accuracy(model, tokens, targets)
    yield "three back, in the layout of the training: right", right, at_least(0.99)
    yield "the same weights in the other layout: right", toys.accuracy(other, tokens, targets), below(0.8)
    moved = model(tokens, torch.arange(16) + 100)
    reordered = change(repaired(other)(tokens), outputs)
    yield "the other layout, W_Q and W_K reordered: outputs change by", reordered, EXACT
    yield "told +100: outputs change by", change(moved, outputs), EXACT


def four_layers():
    """The exercise's layers: outputs change in steps, moved by 100, with two tokens swapped (the last)"""
    rng = np.random.default_rng(seed=0)
    weights = rng.normal(size=(3, 64, 64)) / 8
    x, swapped = rng.normal(size=(12, 64)), [0, 1, 3, 2, *range(4, 12)]
    differs = at_least(0.02)
    expected = {"P": (differs, EXACT, differs), "Q": (EXACT, differs, differs)}
    expected |= {"R": (EXACT, EXACT, EXACT), "S": (EXACT, EXACT, differs)}
    for name, layer in unnamed_layers(*weights).items():
        caches = [{"k": np.empty((4, 0, 16)), "v": np.empty((4, 0, 16))} for _ in range(4)]
        right = layer(x, caches[0], 0)
        steps = np.concatenate([layer(x[n : n + 1], caches[1], n) for n in range(12)], axis=1)
        moved, other = layer(x, caches[2], 100), layer(x[swapped], caches[3], 0)
        changes = change(steps, right), change(moved, right), change(other[:, -1], right[:, -1])
        for test, one, bound in zip(("steps", "move", "swap"), changes, expected[name]):
            yield f"{name}, {test}", [one], bound
