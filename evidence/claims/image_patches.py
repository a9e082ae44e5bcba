"""The claims of lesson 14 that depend on chance.

The lesson reports the training from here and runs none of it.
"""

import numpy as np
import torch
from torch import nn

from evidence.claims.run_claims import at_least, between, each_seed, who_learns
from pe_lessons import arrays, toys


def red_and_blue(num_images, seed):
    generator = torch.Generator().manual_seed(seed)
    images = 0.1 * torch.randn(num_images, 6, 6, 4, generator=generator, dtype=torch.float64)
    rows, columns = (torch.rand(num_images, 6, generator=generator).argsort(dim=1) for _ in range(2))
    for colour in (0, 1):
        images[torch.arange(num_images), rows[:, colour], columns[:, colour], colour] += 2
    return images.flatten(1, 2), (columns[:, 1] > columns[:, 0]).long()


def batches(seed):
    images, labels = red_and_blue(4096, seed)
    generator = torch.Generator().manual_seed(seed)
    while True:
        chosen = torch.randint(4096, (64,), generator=generator)
        yield images[chosen], labels[chosen]


MORE_SEEDS = range(910, 950)  # the lesson says what happens on fifty


class PatchModel(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.embedding, self.answer = nn.Linear(4, 32), nn.Parameter(torch.randn(32))
        self.block, self.norm = toys.Block(32, num_heads=4), nn.LayerNorm(32)
        self.head = nn.Linear(32, 2)
        self.register_buffer("table", torch.tensor(table), persistent=False)
        self.double()

    def forward(self, images):
        x = self.embedding(images) + self.table
        x = torch.cat([self.answer.expand(len(x), 1, -1), x], dim=1)
        x = self.block(x, toys.Encoding(), None)
        return self.head(self.norm(x[:, 0]))


def accuracy(table, seed, steps=200):
    torch.manual_seed(seed)
    model = PatchModel(table)
    toys.train(model, batches(1000 + seed), steps=steps, print_every=None)
    images, labels = red_and_blue(1024, 2000 + seed)
    with torch.no_grad():
        return toys.accuracy_of(model(images), labels)


PLANE = arrays.sinusoidal_2d(6, 6, 32).reshape(36, 32)


@who_learns
@each_seed
def patches(seed):
    """Is blue to the right of red? 6 x 6 patches, 200 steps and 600: share right of 1024 new images"""
    yield "no positions", accuracy(np.zeros((36, 32)), seed), between(0.45, 0.55)
    yield "raster order", accuracy(arrays.sinusoidal(36, 32), seed), between(0.8, 0.985).at(1)
    yield "raster order, 600 steps", accuracy(arrays.sinusoidal(36, 32), seed, 600), at_least(0.9).at(1)
    yield "2-D", accuracy(PLANE, seed), at_least(0.7)


def forty_more():
    """The same in 2-D on forty more seeds"""
    shares = [accuracy(PLANE, seed) for seed in MORE_SEEDS]
    yield "2-D, forty more seeds", shares, at_least(0.7)
    yield "2-D, forty more seeds, how many below 0.9", [sum(share < 0.9 for share in shares)]
    yield "2-D, forty more seeds, the others", [share for share in shares if share >= 0.9], at_least(0.98)
