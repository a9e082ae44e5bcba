"""The claims of lesson 08 that depend on chance. The lesson itself trains with seed 0."""

import functools

import numpy as np
import torch

from evidence.claims.run_claims import at_least, below, between, each_seed, who_learns
from evidence.claims.train_on_another_seed import of_lesson, share_right, test_set, trained
from pe_lessons import toys
from pe_lessons.lessons.inside_a_transformer.unnamed import unnamed_models

NOT_SOLVED = below(0.7)  # "solved" is more than 0.9
lesson = of_lesson("inside_a_transformer")
DIGITS = np.arange(16)[:, None] // 2 ** np.arange(4) % 2  # (16, 4)
KINDS = {
    "binary digits": functools.partial(toys.Table, np.concatenate([DIGITS, np.zeros((16, 28))], axis=1)),
    "sinusoidal": lesson.sinusoidal,
    "learned": lesson.learned,
    "RoPE": toys.Rotary,
}
SOLVES = {
    toys.reverse: ("binary digits", "sinusoidal", "learned"),
    toys.k_back: ("sinusoidal", "learned", "RoPE"),
}


@who_learns
@each_seed
def two_tasks(seed):
    """Two tasks: share right after 200 steps ('solved' is more than 0.9)"""
    for task, solvers in SOLVES.items():
        for name, encoding in KINDS.items():
            bounds = [NOT_SOLVED]
            if name in solvers:
                bounds = [at_least(0.98).at(1, 2), at_least(0.3 if name == "binary digits" else 0.85)]
            yield f"{task.__name__}, {name}", share_right(encoding, task, seed), *bounds


def longer():
    """Reverse, RoPE, 1,000 steps: the answers creep inward from the ends; three seeds, as it takes long"""
    by_token, task = [], (KINDS["RoPE"], toys.reverse)
    for seed in range(900, 903):
        model, (strings, mirrored) = trained(*task, seed, steps=1000), test_set(toys.reverse, seed)
        by_token.append((model(strings).argmax(-1) == mirrored).double().mean(dim=0))  # (seq_len,)
    right = torch.stack(by_token)
    yield "all tokens", right.mean(dim=1).tolist(), between(0.45, 0.55)
    yield "token 1", right[:, 1].tolist(), at_least(0.8)
    yield "tokens 6 to 9", right[:, 6:10].mean(dim=1).tolist(), below(0.24)


def shuffled():
    """Three back, told sixty shuffles of the positions: the three models of the lesson"""
    generator = torch.Generator().manual_seed(0)
    shuffles = [torch.randperm(16, generator=generator) for _ in range(60)]
    strings = next(toys.batches(toys.k_back, seed=2, batch_size=512))
    for name in SOLVES[toys.k_back]:
        model = lesson.trained(KINDS[name], toys.k_back)
        shares = [toys.accuracy(model, *strings, told) for told in shuffles]
        yield name, shares, between(0.085, 0.385)


def unnamed():
    """The exercise's three models, X, Y and Z: share right as trained, moved by 8, shuffled; seed 0"""
    normal, generator = torch.arange(16), torch.Generator().manual_seed(0)
    shuffles = [torch.randperm(16, generator=generator) for _ in range(10)]
    for name, (model, strings, right) in unnamed_models().items():
        shares = [toys.accuracy(model, strings, right, told) for told in (normal, normal + 8, *shuffles)]
        yield f"{name} as trained", shares[:1], at_least(0.95)
        yield f"{name} moved by 8", shares[1:2], below(0.5) if name == "Z" else at_least(0.95)
        yield f"{name} shuffled", shares[2:], at_least(0.95) if name == "X" else below(0.5)
