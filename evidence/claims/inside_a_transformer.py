"""The claims of lesson 08 that depend on chance. The lesson itself trains with seed 0."""

import functools

import numpy as np
import torch
from torch import nn

from evidence.claims.runner import at_least, below, between, each_seed, who_learns
from evidence.claims.training import of_lesson, share_right, test_set, trained
from pe_lessons import toys

ALL, FEW, SOME = at_least(0.99), below(0.4), between(0.445, 0.885)  # the grades of the lesson
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


@each_seed
def bag(seed):
    """Without positions: no better than the most frequent token"""
    tokens, targets = test_set(toys.k_back, seed)
    hits = tokens.mode(dim=1).values[:, None] == targets
    most = hits[:, 3:].double().mean().item()
    yield "most frequent token", most, between(0.22, 0.26)
    yield "none minus most frequent", share_right(None, toys.k_back, seed) - most, between(-0.02, 0.02)
    counts = nn.functional.one_hot(tokens, 10).sum(dim=1)
    answers = trained(None, toys.k_back, seed)(tokens)[:, 3:].argmax(dim=-1)
    unbeaten = counts.gather(1, answers) == counts.max(dim=1, keepdim=True).values
    yield "none answers a digit that no other beats", unbeaten.double().mean().item(), at_least(0.9)


@each_seed
def by_place(seed):
    """Reverse: the first and the last token, and those between"""
    tokens, targets = test_set(toys.reverse, seed)
    answers = trained(toys.Rotary, toys.reverse, seed)(tokens).argmax(-1)
    right = (answers == targets).double().mean(dim=0)
    yield "RoPE, first and last", right[[0, 15]].mean().item(), at_least(0.95)
    yield "RoPE, between", right[1:15].mean().item(), below(0.35)


@each_seed
def attention(seed):
    """Three back, sinusoidal: the token with the largest weight is the right one (share of the queries)"""
    model, (tokens, _) = trained(KINDS["sinusoidal"], toys.k_back, seed), test_set(toys.k_back, seed)
    largest = toys.attention_weights(model, tokens)[:, 0].argmax(-1)  # (512, seq_len)
    yield "sinusoidal", (largest[:, 3:] == torch.arange(13)).double().mean().item(), at_least(0.998)


@each_seed
def moved(seed):
    """Positions moved after training (three back)"""
    normal = torch.arange(16)
    shuffled = torch.randperm(16, generator=torch.Generator().manual_seed(0))
    moves = {
        "as trained": normal,
        "+1": normal + 1,
        "+8": normal + 8,
        "+100": normal + 100,
        "shuffled": shuffled,
    }
    nearly_all = at_least(0.9)
    grades = {
        "sinusoidal": (ALL, nearly_all, SOME, SOME, FEW),
        "learned": (ALL, nearly_all, SOME, FEW, FEW),
        "RoPE": (ALL, nearly_all, ALL, ALL, FEW),
    }
    for name, expected in grades.items():
        for (move, told), grade in zip(moves.items(), expected):
            yield f"{name}, {move}", share_right(KINDS[name], toys.k_back, seed, positions=told), grade
    tokens, _ = test_set(toys.k_back, seed)
    model = trained(toys.Rotary, toys.k_back, seed)
    change = (model(tokens, normal + 100) - model(tokens)).abs().max().item()
    yield "RoPE, change of the outputs by +100, in 1e-12", change * 1e12, below(1000)
    for name, first_unseen in (("sinusoidal", below(0.8)), ("learned", below(0.4))):
        by_token = right_by_token(KINDS[name], seed)
        seen, late = by_token[3:8].mean().item(), by_token[8:].mean().item()
        yield f"{name}, +8, mean up to position 15", seen, at_least(0.8)
        yield f"{name}, +8, told position 16", by_token[8].item(), first_unseen
        yield f"{name}, +8, the first mean minus that from 16 on", seen - late, at_least(0.2)
        if name == "learned":
            yield f"{name}, +8, mean from position 16 on", late, below(0.3)


def right_by_token(encoding, seed):  # (seq_len,): token p is told p + 8
    tokens, targets = test_set(toys.k_back, seed)
    answers = trained(encoding, toys.k_back, seed)(tokens, torch.arange(16) + 8).argmax(-1)
    return (answers == targets).double().mean(dim=0)


def recovery():
    """Sinusoidal, told 8 to 23: from position 16 on the seeds differ so much that it takes 35 of them"""
    late = torch.stack(
        [right_by_token(KINDS["sinusoidal"], seed)[8:] for seed in range(900, 935)]
    )  # told 16 to 23
    yield "mean from position 16 on", late.mean(dim=1).tolist(), between(0.125, 0.775)
    yield "share of the seeds below 0.3", [(late.mean(dim=1) < 0.3).double().mean().item()], at_least(0.5)
    told = torch.arange(16) + 100
    far = [share_right(KINDS["sinusoidal"], toys.k_back, seed, positions=told) for seed in range(900, 935)]
    yield "told 100 to 115", far, between(0.395, 0.985)
