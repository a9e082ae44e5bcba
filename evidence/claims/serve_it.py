"""The claim of lesson 19 that depends on the weights: what moving cached keys repairs, and what not."""

import numpy as np
import torch

from evidence.claims.run_claims import above, below
from pe_lessons import toys

KEPT = [0, 1, 8, 9, 10, 11]  # of twelve cached tokens
MOVES = [0, 0, -6, -6, -6, -6]


def untrained(num_layers, seed):
    torch.manual_seed(seed)
    options = {"num_heads": 2, "num_layers": num_layers, "causal": True, "encoding": toys.Rotary()}
    model = toys.TinyTransformer(10, 10, **options).requires_grad_(False)
    for block in model.blocks:
        block.to_qkv.weight *= 3  # it looks at some tokens more than at others
    return model


def gap(model, text, newest, moves):
    """The worst error of the next token, in sizes of a typical score; the truth is the shortened text."""
    cache = model.empty_cache()
    model(text[None], cache=cache)
    for kept in cache:  # a dictionary for each layer
        for name in ("keys", "values"):
            kept[name] = kept[name][..., KEPT, :]
        kept["keys"] = model.encoding.turn(kept["keys"], torch.tensor(moves))
        kept["positions"] = torch.arange(len(KEPT))
    served = model(newest[None], torch.tensor([len(KEPT)]), cache=cache)[0, -1]
    again = model(torch.cat([text[KEPT], newest])[None])[0, -1]
    return ((served - again).abs().max() / again.square().mean().sqrt()).item()


def moved_keys():
    """Six of twelve keys kept, 300 random models: gap of the next token, keys left as they are and moved"""
    for num_layers in (1, 2):
        left, moved = [], []
        for seed in range(300):
            model = untrained(num_layers, seed)
            text, newest = torch.randint(10, (12,)), torch.randint(10, (1,))
            left.append(gap(model, text, newest, [0] * 6))
            moved.append(gap(model, text, newest, MOVES))
        layers = f"{num_layers} layer" + "s" * (num_layers > 1)
        yield f"{layers}, left as they are, mean", [np.mean(left)], above(0.3)
        if num_layers == 1:
            yield f"{layers}, moved", moved, below(1e-11)
        else:
            yield f"{layers}, moved, mean", [np.mean(moved)], above(0.3)
