"""The claims of lesson 10 that depend on chance. The lesson itself uses seed 0."""

import copy

import torch

from evidence.claims.run_claims import at_least, below, each_seed
from evidence.claims.train_on_another_seed import test_set, trained
from evidence.measure_small_models import repaired
from pe_lessons import toys

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
