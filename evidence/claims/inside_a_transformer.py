"""The claims of lesson 08 that depend on chance. The lesson itself trains with seed 0."""

import functools

import numpy as np
import torch
from torch import nn

from evidence.claims.runner import SEEDS, at_least, below, between, each_seed, who_learns
from evidence.claims.training import of_lesson, share_right, test_set, trained
from pe_lessons import arrays, tensors, toys

ALL, FEW, SOME = at_least(0.99), below(0.4), between(0.445, 0.885)  # the grades of the lesson
NOT_SOLVED = below(0.7)  # "solved" is more than 0.9


lesson = of_lesson("inside_a_transformer")


def in_columns(numbers):
    return functools.partial(toys.Table, lesson.in_columns(numbers))


POSITION = np.arange(16)[:, None]
SINUSOIDAL = functools.partial(toys.Table, arrays.sinusoidal(128, 32))


class PlainT5(toys.T5):
    """T5 whose numbers learn as fast as all else."""

    lr_factor = 1.0


KINDS = {
    "none": None,
    "index in one column": in_columns(POSITION),
    "index / length": in_columns(POSITION / 16),
    "binary digits": in_columns(POSITION // 2 ** np.arange(4) % 2),
    "sinusoidal": SINUSOIDAL,
    "learned": lambda: toys.Table(torch.randn(128, 32), learned=True),
    "RoPE": toys.Rotary,
    "ALiBi": lambda: toys.ALiBi(tensors.alibi_slopes(1)),
    "T5": toys.T5,
}
SOLVES = {
    toys.reverse: ("binary digits", "sinusoidal", "learned"),
    toys.k_back: ("sinusoidal", "learned", "RoPE", "T5"),
}


@who_learns
@each_seed
def nine_encodings(seed):
    """Nine encodings, two tasks: share right after 200 steps ('solved' is more than 0.9)"""
    for task, solvers in SOLVES.items():
        for name, encoding in KINDS.items():
            bounds = [NOT_SOLVED]
            if name in solvers:
                bounds = [at_least(0.98).at(1, 2), at_least(0.3 if name == "binary digits" else 0.85)]
            yield f"{task.__name__}, {name}", share_right(encoding, task, seed), *bounds
    bounds = at_least(0.98).at(1, 2), at_least(0.8)
    yield "k_back, T5 without its allowance", share_right(PlainT5, toys.k_back, seed), *bounds


class TenAtMinusThree(toys.Encoding):
    """The bias of the hint to the tenth encoding."""

    def bias(self, queries, positions):
        return torch.where(positions - positions[:, None] == -3, 10.0, 0.0)


@each_seed
def tenth(seed):
    """A bias of 10 at offset -3, written by hand: three back"""
    yield "10 at -3", share_right(TenAtMinusThree, toys.k_back, seed), at_least(0.98)


def one_column():
    """A number in one column: how far a step turns a word's row; three back after 800 steps, three seeds"""
    words = torch.randn(10_000, 1, 32, generator=torch.Generator().manual_seed(0)).double()
    for name, numbers, turned, right in (
        ("index", POSITION, between(1, 11), between(0.7, 0.9)),
        ("index / length", POSITION / 16, between(0.5, 0.7), between(0.37, 0.4)),
    ):
        rows = nn.functional.layer_norm(words + torch.tensor(lesson.in_columns(numbers)), (32,))
        cosines = nn.functional.cosine_similarity(rows[:, 1:], rows[:, :-1], dim=-1)  # (words, 15)
        yield f"{name}, degrees of a step", cosines.acos().rad2deg().mean(dim=0).tolist(), turned
        encoding = in_columns(numbers)
        shares = [share_right(encoding, toys.k_back, seed, steps=800) for seed in SEEDS[:3]]
        yield f"{name}, three back, 800 steps", shares, right


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
    for name, of_ends in (("RoPE", at_least(0.95)), ("T5", below(0.5)), ("none", below(0.35))):
        answers = trained(KINDS[name], toys.reverse, seed)(tokens).argmax(-1)
        right = (answers == targets).double().mean(dim=0)
        yield f"{name}, first and last", right[[0, 15]].mean().item(), of_ends
        yield f"{name}, between", right[1:15].mean().item(), below(0.35)
    answers = trained(toys.Rotary, toys.reverse, seed, steps=600)(tokens).argmax(-1)
    right = (answers == targets).double().mean(dim=0)
    yield "RoPE, 600 steps, tokens 4 to 11", right[4:12].mean().item(), below(0.25)


@each_seed
def attention(seed):
    """Three back, sinusoidal: the token with the largest weight is the right one (share of the queries)"""
    model, (tokens, _) = trained(SINUSOIDAL, toys.k_back, seed), test_set(toys.k_back, seed)
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
        "T5": (ALL, nearly_all, ALL, ALL, FEW),
    }
    for name, expected in grades.items():
        for (move, told), grade in zip(moves.items(), expected):
            yield f"{name}, {move}", share_right(KINDS[name], toys.k_back, seed, positions=told), grade
    tokens, _ = test_set(toys.k_back, seed)
    for name in ("RoPE", "T5"):
        model = trained(KINDS[name], toys.k_back, seed)
        change = (model(tokens, normal + 100) - model(tokens)).abs().max().item()
        yield f"{name}, change of the outputs by +100, in 1e-12", change * 1e12, below(1000)
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
    late = torch.stack([right_by_token(SINUSOIDAL, seed)[8:] for seed in range(900, 935)])  # told 16 to 23
    yield "mean from position 16 on", late.mean(dim=1).tolist(), between(0.125, 0.775)
    yield "share of the seeds below 0.3", [(late.mean(dim=1) < 0.3).double().mean().item()], at_least(0.5)
    told = torch.arange(16) + 100
    far = [share_right(SINUSOIDAL, toys.k_back, seed, positions=told) for seed in range(900, 935)]
    yield "told 100 to 115", far, between(0.395, 0.985)
