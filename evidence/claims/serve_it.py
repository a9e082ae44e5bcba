"""The claims of lesson 19 that depend on the weights: what moved cached keys and visible padding cost."""

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


def padding_seen():
    """Six visible places of padding before 64 characters, 64 texts: extra bits of the trained models"""
    read, asked = small_models.windows(small_models.encode(small_models.held_out())[:4096], 64)
    padded = torch.cat([torch.zeros(64, 6, dtype=read.dtype), read], dim=1)
    positions = torch.cat([torch.zeros(6, dtype=torch.long), torch.arange(64)])
    for name in ("rope", "sinusoidal", "learned"):
        model = small_models.load(name)
        right = small_models.costs(model, read, asked).mean(dim=0)
        scores = model(padded, positions)[:, 6:].log_softmax(dim=-1)
        wrong = -scores.gather(-1, asked[..., None])[..., 0].mean(dim=0) / np.log(2)
        extra = (wrong - right).detach()
        yield f"{name}, characters 0 to 7", [extra[:8].mean().item()], above(0.1)
        yield f"{name}, characters 8 to 63", [extra[8:].mean().item()], below(0.1)


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
