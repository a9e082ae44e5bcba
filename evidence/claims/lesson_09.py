"""The claims of lesson 09 that depend on chance. The lesson itself trains with seed 0."""

import functools

import numpy as np
import torch
from torch import nn

from evidence.claims.runner import SEEDS, at_least, below, between, equal_to
from pe_lessons import toys

HIDDEN = 8


def fill_in(seed, batch_size=32):
    generator = torch.Generator().manual_seed(seed)
    while True:
        changes = torch.rand(batch_size, 32, generator=generator) < 0.15
        fresh = torch.randint(8, (batch_size, 32), generator=generator)
        last_change = torch.where(changes, torch.arange(32), 0).cummax(dim=1).values
        tokens = fresh.gather(1, last_change)
        hidden = torch.rand(tokens.shape, generator=generator) < 0.5
        yield tokens.where(~hidden, HIDDEN), tokens.where(hidden, toys.IGNORE_INDEX)


@functools.cache
def filled(seed, word_std, table_std, steps=400):
    """The share filled right, the 32 trained rows before and after, and how many of the others moved.

    There is no table if its std is None.
    """
    torch.manual_seed(seed)
    rows = torch.randn(40, 32, dtype=torch.float64) * (table_std or 0.0)
    encoding = toys.Encoding() if table_std is None else toys.Table(rows, learned=True)
    model = toys.TinyTransformer(9, 8, num_heads=2, encoding=encoding)
    nn.init.normal_(model.embedding.weight, std=word_std)
    toys.train(model, fill_in(1000 + seed), steps=steps, lr=5e-3, print_every=None)
    share = toys.accuracy(model, *next(fill_in(2000 + seed, batch_size=512)))
    if table_std is None:
        return share, None, None, 0
    after = model.encoding.table.detach()
    moved = (after[32:] != rows[32:]).any(dim=1).sum().item()
    return share, rows[:32].numpy(), after[:32].numpy(), moved


def cosines(table):
    centred = table - table.mean(axis=0)
    centred = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    return centred @ centred.T


def neighbours(table):
    return np.diagonal(cosines(table), offset=1).mean()


def neighbour_share(table):
    alike = cosines(table)
    np.fill_diagonal(alike, -np.inf)
    return np.mean(abs(alike.argmax(axis=1) - np.arange(32)) == 1)


def by_distance(table):
    alike = cosines(table)
    return np.array([np.diagonal(alike, offset=distance).mean() for distance in range(28)])


def turns(table):
    """Turns that the rows make around the middle of their plane, and the share of steps that go that way."""
    centred = table - table.mean(axis=0)
    x, y = (centred @ np.linalg.svd(centred)[2][:2].T).T
    steps = np.diff(np.unwrap(np.arctan2(y, x)))
    return abs(steps.sum()) / (2 * np.pi), max(np.mean(steps > 0), np.mean(steps < 0))


def plane(table):
    """The share of the two directions of largest spread in all of it."""
    spread = np.linalg.svd(table - table.mean(axis=0))[1] ** 2
    return spread[:2].sum() / spread.sum()


def nearest_visible(seed):
    """The share of the gaps that the nearest visible token fills right."""
    seen, asked = (one.numpy() for one in next(fill_in(2000 + seed, batch_size=512)))
    right = []
    for string, answers in zip(seen, asked, strict=True):
        visible = np.flatnonzero(string != HIDDEN)
        for place in np.flatnonzero(answers >= 0):
            right.append(string[visible[np.abs(visible - place).argmin()]] == answers[place])
    return np.mean(right)


def gaps(word_std, table_std, steps=400):
    """Filling gaps: share right, the rows before and after, and the others that moved; of every seed."""
    return zip(*(filled(seed, word_std, table_std, steps) for seed in SEEDS), strict=True)


def quiet_table():
    """Filling gaps: a table that began quietly (0.02, words 0.3)"""
    shares, before, after, moved = gaps(0.3, 0.02)
    yield "gaps filled right", shares, at_least(0.75)
    rule = [nearest_visible(seed) for seed in SEEDS]
    yield "the nearest visible token is right", rule, at_least(0.78)
    yield "model and rule differ by", np.abs(np.subtract(shares, rule)), below(0.05)
    yield "neighbours' mean cosine, before", [neighbours(one) for one in before], below(0.3)
    yield "neighbours' mean cosine, after", [neighbours(one) for one in after], at_least(0.8)
    yield "a neighbour is most alike, before", [neighbour_share(one) for one in before], below(0.5)
    yield "a neighbour is most alike, after", [neighbour_share(one) for one in after], at_least(0.85)
    yield "share of their plane in the spread of the rows", [plane(one) for one in after], at_least(0.8)
    yield "turns of the rows in their plane", [turns(one)[0] for one in after]
    yield "steps in that plane that go on in order", [turns(one)[1] for one in after], at_least(0.9)
    yield "lowest mean cosine of a distance", [by_distance(one).min() for one in after], below(-0.7)
    yield "  at distance", [by_distance(one).argmin() for one in after]
    yield "rows beyond the texts that moved", moved, equal_to(0)
    without = [filled(seed, 1.0, None)[0] for seed in SEEDS]
    yield "gaps filled right without positions", without, below(0.55)


def loud_table():
    """The table loud (1), words as before (0.3)"""
    shares, _, after, _ = gaps(0.3, 1.0)
    yield "gaps filled right", shares, at_least(0.75)
    yield "neighbours' mean cosine, after", [neighbours(one) for one in after], below(0.25)
    yield "a neighbour is most alike, after", [neighbour_share(one) for one in after], below(0.6)


def loud_words():
    """The table quiet (0.02), words loud (1)"""
    shares, _, after, _ = gaps(1.0, 0.02)
    yield "gaps filled right", shares, between(0.445, 0.595)
    yield "neighbours' mean cosine, after", [neighbours(one) for one in after], at_least(0.5)
    shares, _, after, _ = gaps(1.0, 0.02, steps=1200)
    yield "with 1200 steps", shares, at_least(0.75)
    yield "neighbours' mean cosine then", [neighbours(one) for one in after], at_least(0.8)


def both_loud():
    """Both loud (1, words 1)"""
    shares, before, after, _ = gaps(1.0, 1.0)
    quiet, *_ = gaps(0.3, 0.02)
    yield "gaps filled right", shares, at_least(0.75)
    yield "difference to the quiet one", np.abs(np.subtract(quiet, shares)), below(0.03)
    yield "neighbours' mean cosine, after", [neighbours(one) for one in after], below(0.25)
    rise = [neighbours(b) - neighbours(a) for a, b in zip(before, after, strict=True)]
    yield "and by how much it rose", rise, at_least(0)
    yield "a neighbour is most alike, after", [neighbour_share(one) for one in after], between(0, 0.415)
    added = np.subtract(after, before)
    yield "neighbours' mean cosine of what was added", [neighbours(one) for one in added], at_least(0.3)
    far = [by_distance(one)[12:20].mean() for one in added]
    yield "mean cosine of what was added, distance 12 to 19", far, below(-0.1)
    lengths = np.linalg.norm(before, axis=(1, 2)) / np.linalg.norm(added, axis=(1, 2))
    yield "length of the rows of the start over length of what was added", lengths, at_least(3)


def three_back():
    """Three back: the 16 rows that were used move, the others do not"""
    used, unused, shares = [], [], []
    for seed in SEEDS:
        torch.manual_seed(seed)
        rows = torch.randn(128, 32, dtype=torch.float64)
        model = toys.TinyTransformer(10, 10, encoding=toys.Table(rows, learned=True))
        toys.train(model, toys.batches(toys.k_back, seed=1000 + seed), steps=200, print_every=None)
        moved = (model.encoding.table.detach() - rows).abs().amax(dim=1) > 0
        used.append(moved[:16].sum().item())
        unused.append(moved[16:].sum().item())
        torch.manual_seed(seed)
        model = toys.TinyTransformer(10, 10, encoding=toys.Table(torch.randn(16, 32)))
        toys.train(model, toys.batches(toys.k_back, seed=1000 + seed), steps=200, print_every=None)
        test_set = next(toys.batches(toys.k_back, seed=2000 + seed, batch_size=512))
        shares.append(toys.accuracy(model, *test_set))
    yield "of the 16 rows that were used, moved", used, equal_to(16)
    yield "of the others, moved", unused, equal_to(0)
    yield "share right with random rows that stay as they are", shares, at_least(0.99)


CLAIMS = [quiet_table, loud_table, loud_words, both_loud, three_back]
