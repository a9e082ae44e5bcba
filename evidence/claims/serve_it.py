"""The claims of lesson 19 that depend on the weights: what moved keys and shared positions cost."""

import numpy as np
import torch

from evidence.claims.run_claims import above, below
from pe_lessons import small_models
from pe_lessons.lessons.reuse_evict_share_out import events

KEPT = torch.tensor([0, 1, 8, 9, 10, 11])  # of twelve cached tokens


def gap(model, text, newest, encoding=None):
    """The worst error of the next token, in sizes of a typical score; the truth is the shortened text."""
    places = torch.arange(len(KEPT))
    cache = events.place(events.read(model, text), KEPT, places, encoding)
    served = model(newest[None], torch.tensor([len(KEPT)]), cache=cache)[0, -1]
    return events.between(served, model(torch.cat([text[KEPT], newest])[None])[0, -1])


def guesses_at_the_first():
    """Three characters at a time, at the position of the first, 64 texts: extra bits after a prompt of 64"""
    model, text = small_models.load("rope"), small_models.encode(small_models.held_out())[:8192]
    places = torch.arange(128)
    told = torch.where(places < 64, places, places - (places - 64) % 3)
    extra = small_models.bits(model, text, 128, told) - small_models.bits(model, text, 128)
    yield "the last 32 characters", [extra[:, 96:].mean().item()], above(1)


def split_counts():
    """New positions that are too large, after a prompt of 64, 64 texts: extra bits of the last 8 of 64 new"""
    model, text = small_models.load("rope"), small_models.encode(small_models.held_out())[:8192]
    places, right = torch.arange(128), small_models.bits(model, text, 128)
    for too_many, bound in ((6, below(0.1)), (100, below(0.1)), (600, above(1))):
        told = torch.where(places < 64, places, places + too_many)
        extra = small_models.bits(model, text, 128, told) - right
        yield f"{too_many} too many", [extra[:, 120:].mean().item()], bound


def moved_keys():
    """Six of twelve keys kept, 300 random models: gap of the next token, keys left as they are and moved"""
    for num_layers in (1, 2):
        left, moved = [], []
        for seed in range(300):
            model = events.untrained("RoPE", num_layers, seed)
            text, newest = torch.randint(10, (12,)), torch.randint(10, (1,))
            left.append(gap(model, text, newest))
            moved.append(gap(model, text, newest, model.encoding))
        layers = f"{num_layers} layer" + "s" * (num_layers > 1)
        yield f"{layers}, left as they are, mean", [np.mean(left)], above(0.3)
        if num_layers == 1:
            yield f"{layers}, moved", moved, below(1e-11)
        else:
            yield f"{layers}, moved, mean", [np.mean(moved)], above(0.3)
