"""What happens to the rows of a cache, tried on small untrained models, one for each family of encodings.

An event takes a model and returns its gap, the largest error in the outputs for the new tokens, divided by
the size of a typical output. The whole text read at once says which outputs are right.
"""

import math

import torch
from torch.nn import functional as F

from pe_lessons import arrays, small_models, tensors, toys


class PartlyRotated(toys.Encoding):
    """Only the last half of each key is rotated, as next to a latent row."""

    def turn(self, rows, positions):
        content, rotated = rows.chunk(2, dim=-1)
        return torch.cat([content, tensors.rotary(rotated, positions)], dim=-1)


def _buckets():
    encoding = toys.T5(2)
    torch.nn.init.normal_(encoding.per_bucket)
    return encoding


FAMILIES = {
    "sinusoidal table": lambda: toys.Table(arrays.sinusoidal(64, 32)),
    "learned table": lambda: toys.Table(torch.randn(64, 32)),
    "RoPE": toys.Rotary,
    "latent row and key": PartlyRotated,
    "ALiBi": lambda: toys.ALiBi([1.0, 0.5]),
    "T5": _buckets,
    "no positions": toys.Encoding,
}
# In the cache, in front of it in a different text, and new.
text, front, new = torch.randint(10, (22,), generator=torch.Generator().manual_seed(1)).split([12, 6, 4])
PARENTS = [-1, -1, 0, 0, 1, 2]  # which guess each guess follows; -1: the text


def untrained(family, layers=1, seed=0):
    """A model with random weights whose attention is uneven, as in the lesson *Serve it*."""
    torch.manual_seed(seed)
    options = {"num_heads": 2, "num_layers": layers, "causal": True, "encoding": FAMILIES[family]()}
    model = toys.TinyTransformer(10, 10, **options).requires_grad_(False)
    for block in model.blocks:
        block.to_qkv.weight *= 3
    return model


def place(cache, rows, positions, encoding=None):
    """Keep these rows of a cache, at these positions; with an encoding, rotate their keys there."""
    for block in cache:
        shift = positions - block["positions"][rows]
        for name in ("keys", "values"):
            block[name] = block[name][:, :, rows]
        if encoding:
            block["keys"] = encoding.turn(block["keys"], shift)
        block["positions"] = positions
    return cache


def read(model, tokens):
    """A cache with these tokens, (seq_len,) or (batch, seq_len)."""
    cache = model.empty_cache()
    model(tokens if tokens.ndim == 2 else tokens[None], cache=cache)
    return cache


def join(first, second):
    """Two caches as one; the rows of the second stand after those of the first."""
    axes = {"keys": -2, "values": -2, "positions": -1}
    return [
        {name: torch.cat([a[name], b[name]], axis) for name, axis in axes.items()}
        for a, b in zip(first, second)
    ]


def end_to_end(chunks, number):
    """One cache for each text, from the caches of its chunks, of which every `number` make a text."""
    texts = []
    for layer in chunks:
        text = {"positions": layer["positions"].repeat(number)}
        for name in ("keys", "values"):
            rows = (
                layer[name].unflatten(0, (-1, number)).transpose(1, 2)
            )  # (texts, heads, number, size, width)
            text[name] = rows.flatten(2, 3)
        texts.append(text)
    return texts


def between(got, right):
    return ((got - right).abs().max() / right.square().mean().sqrt()).item()


def gap(model, cache, whole, mask=None, positions=None, next_position=None):
    """The new tokens after this cache, and after the text that it should stand for, at these positions.

    next_position: what the first new token is told after the cache, if that may be wrong
    """
    positions = torch.arange(len(whole)) if positions is None else positions
    right_position = positions[-1] + 1
    steps = torch.arange(len(new))
    got = model(new[None], steps + (right_position if next_position is None else next_position), cache=cache)
    told = torch.cat([positions, steps + right_position])
    right = model(torch.cat([whole, new])[None], told, mask=mask)[:, -len(new) :]
    return between(got, right)


def code():
    """64 pieces of the held-out code: what the small models read, and what they should say."""
    return small_models.windows(small_models.encode(small_models.held_out())[: 64 * 256], 256)


def go_on(model, cache, first, number):
    """How many bits each of the next characters costs at the positions first, first + 1, ...: (number,)."""
    texts, followers = code()
    new = slice(192, 192 + number)
    outputs = model(texts[:, new], torch.arange(first, first + number), cache=cache)
    each = F.cross_entropy(outputs.transpose(1, 2), followers[:, new], reduction="none") / math.log(2)
    return each.mean(dim=0)
