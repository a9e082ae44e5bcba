"""Try an encoding of your own: its card, two small tasks, goals that a check can see, a board of tries."""

import copy
import csv
import math
from pathlib import Path

import numpy as np
import torch
from torch import nn

from pe_lessons import plots, tensors, toys
from pe_lessons.lessons.design_your_own import scorecard

SEQ_LEN, LONGER, STEPS, BATCH_SIZE = 16, 64, 120, 32
TASKS = ("local", "five back")
STORED = Path(__file__).with_name("trained_encodings.csv")


# What follows words a and b in the language `markov` stands in row a, column b: random numbers, drawn once.
FOLLOWS = torch.tensor(
    [
        [7, 4, 1, 6, 3, 3, 7, 7],
        [4, 1, 6, 7, 0, 1, 6, 2],
        [2, 0, 7, 6, 4, 0, 7, 7],
        [4, 0, 3, 7, 2, 6, 3, 4],
        [4, 7, 5, 0, 0, 7, 5, 0],
        [3, 5, 0, 2, 0, 1, 6, 6],
        [4, 6, 1, 7, 3, 3, 0, 3],
        [0, 1, 0, 0, 6, 7, 5, 4],
    ]
)


def markov(num_texts, seq_len, *, seed):
    """Texts in a language of eight words: each word follows from the two before it, most of the time.

    The rule is `FOLLOWS`. Three times in ten the next word is drawn at random instead, and so are the
    first two.

    Returns the tokens, int64 (num_texts, seq_len), and what should follow token p by the rule; the two words
    it takes to know that are p - 1 and p. Token 0 is asked nothing.

    >>> tokens, by_rule = markov(1, 8, seed=2)
    >>> tokens
    tensor([[0, 7, 7, 4, 6, 5, 3, 2]])
    >>> by_rule
    tensor([[-100,    7,    4,    6,    5,    3,    2,    3]])
    """
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(len(FOLLOWS), (num_texts, seq_len), generator=generator)
    as_drawn = torch.rand(num_texts, seq_len, generator=generator) < 0.3
    for p in range(2, seq_len):
        expected = FOLLOWS[tokens[:, p - 2], tokens[:, p - 1]]
        tokens[:, p] = torch.where(as_drawn[:, p], tokens[:, p], expected)
    by_rule = torch.full_like(tokens, toys.IGNORE_INDEX)
    by_rule[:, 1:] = FOLLOWS[tokens[:, :-1], tokens[:, 1:]]
    return tokens, by_rule


def next_token(tokens):
    """The task of a language model: token p is asked for token p + 1, the last for nothing.

    >>> next_token(torch.tensor([[3, 1, 4, 5]]))
    tensor([[   1,    4,    5, -100]])
    """
    return torch.cat([tokens[..., 1:], torch.full_like(tokens[..., :1], toys.IGNORE_INDEX)], dim=-1)


def texts(task, num_texts, seq_len, *, seed):
    """Texts of eight words for a task, what training asks of each word, and what the test asks.

    ``local`` is the language of `markov`: the last two words decide the next one. ``five back`` asks for
    the word five back, among words drawn at random.

    Returns
    -------
    tokens, asked, tested : Tensors of int64, shape (num_texts, seq_len)
    """
    if task not in TASKS:
        raise ValueError(f"task must be 'local' or 'five back', got {task!r}")
    if task == "local":
        tokens, due = markov(num_texts, seq_len, seed=seed)
        return tokens, next_token(tokens), due
    tokens = torch.randint(8, (num_texts, seq_len), generator=torch.Generator().manual_seed(seed))
    return tokens, toys.k_back(tokens, k=5), toys.k_back(tokens, k=5)


def as_encoding(encoding):
    """What the small model takes: a table of 64 rows, or the score itself."""
    if scorecard.is_score(checked(encoding)):
        return Scored(copy.deepcopy(encoding))  # training must not change yours
    return toys.Table(np.asarray(encoding(np.arange(float(LONGER)), 32), dtype=float))


class Scored(toys.Encoding):
    """Any encoding that is a score: ``score(q, k, m, n)`` of query q at position m and key k at position n.

    Parameters
    ----------
    score : callable
        Takes tensors that broadcast, q and k (..., head_dim), m and n (...), and returns one score for each
        (...). The product of query and key is part of it, and so is the division by the root of head_dim. A
        module may hold numbers that are learned, ten times as fast as the model.
    """

    def __init__(self, score):
        super().__init__()
        self.score = score
        for part in score.modules() if isinstance(score, nn.Module) else ():
            part.lr_factor = 10.0

    def scores(self, queries, keys, positions):
        asking = positions[-queries.shape[-2] :, None]
        return self.score(queries[..., :, None, :], keys[..., None, :, :], asking, positions)


def checked(encoding):
    """The encoding, if it returns what it should; else an error that says what is missing.

    >>> checked(lambda positions, d_model: None)
    Traceback (most recent call last):
    ...
    ValueError: <lambda> returns nothing: is `return` missing?
    """
    if not callable(encoding):
        raise TypeError(f"a design is a function or a module, got {encoding!r}")
    name, is_score = getattr(encoding, "__name__", type(encoding).__name__), scorecard.is_score(encoding)
    if is_score:
        q, k = torch.randn(2, 2, 1, 32, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            made = encoding(
                q[..., :, None, :], k[..., None, :, :], torch.arange(32)[:, None], torch.arange(32)
            )
    else:
        made = encoding(np.arange(float(LONGER)), 32)
    if made is None:
        raise ValueError(f"{name} returns nothing: is `return` missing?")
    if is_score and getattr(made, "dtype", None) != torch.float64:
        raise TypeError(f"{name} must return a float64 tensor, as q and k are: torch, and `.to(q.dtype)`?")
    shape, wanted = tuple(np.shape(made)), (2, 1, 32, 32) if is_score else (LONGER, 32)
    said = "one number for each pair of words" if is_score else f"a row for each of {LONGER} positions"
    why = (
        "does the sum go over the last axis, `.sum(-1)`?"
        if is_score
        else "a sine and a cosine are two columns"
    )
    if shape != wanted and not (
        is_score and len(shape) == 4 and np.broadcast_shapes(shape, wanted) == wanted
    ):
        raise ValueError(f"{name} must return {said}, here {wanted}, got the shape {shape}: {why}")
    return encoding


def trained(encoding, task, seed=0, steps=STEPS):
    """Train one causal block with one head on texts of 16 words, and say how much it gets right.

    Returns
    -------
    on average, at 16, at 64 : float
        Shares right: over the steps of the training; at its end, in the second half of new texts; and in the
        second half of texts four times as long.
    """
    model = _after_training(encoding, task, seed, steps)
    shares = [sum(model.history) / steps]
    for seq_len in (SEQ_LEN, LONGER):
        tokens, _, tested = texts(task, 2048 // seq_len, seq_len, seed=2000 + seed)
        tested[:, : seq_len // 2] = toys.IGNORE_INDEX
        shares.append(toys.accuracy(model, tokens, tested))
    return tuple(shares)


def trained_attention(encoding, seed=0):
    """Where the head looks after the training of `trained` on five back: the mean of 128 texts, (16, 16)."""
    model = _after_training(encoding, "five back", seed, STEPS)
    tokens, *_ = texts("five back", 128, SEQ_LEN, seed=2000 + seed)
    return toys.attention_weights(model, tokens).mean(dim=(0, 1)).numpy()


def _after_training(encoding, task, seed, steps):
    torch.manual_seed(seed)
    model = toys.TinyTransformer(8, 8, encoding=as_encoding(encoding), causal=True)
    tokens, asked, _ = texts(task, steps * BATCH_SIZE, SEQ_LEN, seed=1000 + seed)
    batches = zip(tokens.split(BATCH_SIZE), asked.split(BATCH_SIZE))
    toys.train(model, batches, steps=steps, print_every=None)
    return model


def trained_encodings():
    """What fifty encodings got right, three seeds each, and what their card says: by name, a dict each.

    Made by `evidence/train_encodings.py`. Of every word ``training``, ``16`` and ``64`` behind a task see
    `trained`.

    >>> trained_encodings()["sinusoidal"]["kind"]
    'table'
    """
    found = {}
    with STORED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, kind, held_back = row.pop("encoding"), row.pop("kind"), row.pop("held back") == "yes"
            numbers = {column: float(number) for column, number in row.items()}
            found[name] = {"kind": kind, "held back": held_back, **numbers}
    return found


NAMED = {"ALiBi": "alibi", "RoPE and ALiBi": "rope_and_alibi", "triangle waves": "triangle_waves"}
NAMED |= {"T5, few buckets": "t5_few_buckets", "remainders of 5": "bias_per_remainder_of_5"}


def dots_of_held_back(wish, right):
    """The encodings held back as dots (number of the card, share right): by kind, and some by name.

    >>> {kind: len(dots) for kind, dots in dots_of_held_back("five back", "five back training")[0].items()}
    {'table': 12, 'rotation': 6, 'bias': 7}
    """
    kinds, stored = {}, trained_encodings()
    for one in stored.values():
        if one["held back"]:
            kinds.setdefault(one["kind"], []).append((one[wish], one[right]))
    return kinds, {label: (stored[name][wish], stored[name][right]) for label, name in NAMED.items()}


def agreement(wish, right):
    """Rank correlation of a number of the card and a share right: of the 25 held back, and of each kind.

    >>> {kind: round(value, 2) for kind, value in agreement("five back", "five back training").items()}
    {'25 held back': 0.95, '12 tables': 0.97, '6 rotations': 0.94, '7 biases': 1.0}
    """
    held_back = [one for one in trained_encodings().values() if one["held back"]]
    groups = {f"{len(held_back)} held back": held_back}
    for kind, several in {"table": "tables", "rotation": "rotations", "bias": "biases"}.items():
        some = [one for one in held_back if one["kind"] == kind]
        groups[f"{len(some)} {several}"] = some
    return {
        name: scorecard.rank_correlation([one[wish] for one in some], [one[right] for one in some])
        for name, some in groups.items()
    }


def rope(q, k, m, n):
    """RoPE as a score: q and k are rotated by their positions and multiplied."""
    columns = q.shape[-1]
    frequencies = tensors.frequencies(columns)
    pairs = (torch.view_as_complex(rows.unflatten(-1, (-1, 2)).contiguous()) for rows in (q, k))
    query, key = pairs
    angles = (m - n)[..., None] * frequencies
    return (query * key.conj() * torch.exp(1j * angles)).real.sum(-1) / math.sqrt(columns)


def alibi(q, k, m, n):
    """ALiBi as a score, with the slope 1/2."""
    return (q * k).sum(-1) / math.sqrt(q.shape[-1]) - 0.5 * abs(m - n)


def show_cards(*encodings):
    """The cards of several encodings as a table, each number with a tick or a cross."""
    cards = [scorecard.scorecard(checked(one)) for one in encodings]
    texts = []
    for card in cards:
        good = scorecard.passes(card)
        texts.append({wish: f"{_rounded(card, wish)} {'✓' if good[wish] else '✗'}" for wish in card})
    rows = [[text.get(wish, "") for text in texts] for wish in cards[0]]
    names = [one.__name__ for one in encodings]
    plots.show_table(rows, rows=cards[0], columns=names, corner="wish")


def _rounded(card, wish):
    """A number of a card in words: two digits behind the point, or as many as its tick or cross needs."""
    for digits in range(2, 17):
        rounded = round(card[wish], digits)
        if scorecard.passes(card | {wish: rounded})[wish] == scorecard.passes(card)[wish]:
            break
    return f"{rounded:.6g}"


GOALS = {
    "a table that fails neighbours and four times, and nothing else": lambda one: (
        "neighbours" in one["card"]
        and {wish for wish, good in scorecard.passes(one["card"]).items() if not good}
        == {"neighbours", "four times"}
    ),
    "seven of ten right on both tasks at 64 words": lambda one: min(one["at 64"].values()) >= 0.7,
    "fool the scorecard with a table: ticked for five back, but below one half at 16 words": lambda one: (
        "neighbours" in one["card"]
        and scorecard.passes(one["card"])["five back"]
        and one["at 16"]["five back"] < 0.5
    ),
}
WHY = {  # a table misses the first goal: what is said first stands first
    "length-free": "Its first rows change with the number of positions.",
    "shift-consistent": "A shift is no longer one matrix. What is it for pairs that turn evenly?",
    "unique": "Two rows, perhaps far apart, are closer than 0.1. Do all pairs come round nearly at once?",
    "precise": "Two of 4096 rows fall together in bfloat16. Do all pairs come round nearly at once?",
    "one back": "Places look too much alike. Are the rows too slow, too quiet, or drowned by a loud column?",
    "five back": "Places look too much alike. Are the rows too slow, too quiet, or drowned by a loud column?",
    "neighbours": "Slow pairs keep rows next door alike. Do not drop them, for a pair that stands still says "
    "nothing: give them other frequencies.",
    "four times": "What points among the first 16 places points from 48 on as well.",
}


def first_goal(encoding):
    """Say whether a table fails neighbours and four times and nothing else; if not, name one wish and why.

    >>> first_goal(lambda positions, d_model: positions[:, None] / len(positions) * np.ones(d_model))
    Not yet: length-free fails (0.72). Its first rows change with the number of positions.
    """
    card = scorecard.scorecard(checked(encoding))
    good = scorecard.passes(card)
    wrong = [wish for wish in WHY if good.get(wish) != (wish not in ("neighbours", "four times"))]
    if scorecard.is_score(encoding):
        print("Not yet: this is a score. The goal asks for a table, encode(positions, d_model).")
    elif wrong:
        says = f"{wrong[0]} {'holds' if good[wrong[0]] else 'fails'} ({_rounded(card, wrong[0])})"
        print(f"Not yet: {says}. {WHY[wrong[0]]}")
    else:
        print("Goal 1 is met: it fails neighbours and four times, and nothing else.")


COMPARED = {"RoPE": "rope", "ALiBi": "alibi", "no positions": "nothing"}  # on the board, of the fifty


class Board:
    """Your tries, in the order of the goals they meet, and below them RoPE, ALiBi and no positions."""

    def __init__(self):
        self.tries = {}

    def add(self, encoding, name=None):
        """Fill in the card, train on both tasks, and return which goals are met: a dict of str to bool.

        A second try of one name, that of the function if left out, takes the place of the first.
        """
        one = {"card": scorecard.scorecard(checked(encoding))}
        shares = {task: trained(encoding, task) for task in TASKS}
        one["at 16"] = {task: shares[task][1] for task in TASKS}
        one["at 64"] = {task: shares[task][2] for task in TASKS}
        one["goals"] = {goal: bool(met(one)) for goal, met in GOALS.items()}
        self.tries[name or getattr(encoding, "__name__", type(encoding).__name__)] = one
        return one["goals"]

    def table(self):
        """For each try how many goals it meets and what it gets right, of ten, at 16 and at 64 words."""
        columns = ["goals", "local 16", "five back 16", "local 64", "five back 64"]
        tries = sorted(self.tries.items(), key=lambda item: -sum(item[1]["goals"].values()))
        rows = {
            name: [sum(one["goals"].values())]
            + [f"{10 * one[words][task]:.0f}" for words in ("at 16", "at 64") for task in TASKS]
            for name, one in tries
        }
        known = trained_encodings()
        rows |= {
            name: ["-"] + [f"{10 * known[stored][column]:.0f}" for column in columns[1:]]
            for name, stored in COMPARED.items()
        }
        plots.show_table(list(rows.values()), rows=rows, columns=columns, corner="right, of ten")


def who_uses_what():
    """What models do, each line read from the file that `docs/sources.toml` names under its last word.

    >>> who_uses_what()["BLOOM"]["positions"]
    'ALiBi'
    """
    with STORED.with_name("who_uses_what.csv").open(encoding="utf-8", newline="") as file:
        return {row.pop("model"): row for row in csv.DictReader(file)}
