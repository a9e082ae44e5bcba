"""Try an encoding of your own: its card, two small tasks, goals that a check can see, a board of tries."""

import copy
import csv
import html
import inspect
import math
from pathlib import Path

import numpy as np
import torch

from pe_lessons import _arguments as arguments
from pe_lessons import measures, plots, tensors, toys

SEQ_LEN, LONGER, STEPS, BATCH_SIZE = 16, 64, 120, 32
TASKS = ("local", "five back")
STORED = Path(__file__).with_name("trained_encodings.csv")


def texts(task, num_texts, seq_len, *, seed):
    """Texts of eight words for a task, what training asks of each word, and what the test asks.

    ``local`` is the language of `toys.markov`: the last two words decide the next one. ``five back`` asks for
    the word five back, among words drawn at random.

    Returns
    -------
    tokens, asked, tested : Tensors of int64, shape (num_texts, seq_len)
    """
    if task not in TASKS:
        raise ValueError(f"task must be 'local' or 'five back', got {task!r}")
    if task == "local":
        tokens, due = toys.markov(num_texts, seq_len, seed=seed)
        return tokens, toys.next_token(tokens), due
    tokens = torch.randint(8, (num_texts, seq_len), generator=torch.Generator().manual_seed(seed))
    return tokens, toys.k_back(tokens, k=5), toys.k_back(tokens, k=5)


def as_encoding(encoding):
    """What the small model takes: a table of 64 rows, or the score itself."""
    checked(encoding)
    if measures.is_score(encoding):
        return toys.Scored(copy.deepcopy(encoding))  # training must not change yours
    return toys.Table(np.asarray(encoding(np.arange(float(LONGER)), 32), dtype=float))


def checked(encoding):
    """The encoding, if it returns what it should.

    Raises
    ------
    TypeError, ValueError
        In words that say what is missing: a `return`, rows, columns, a sum, a format.

    Examples
    --------
    >>> checked(lambda positions, d_model: None)
    Traceback (most recent call last):
    ...
    ValueError: <lambda> returns nothing: is `return` missing?
    """
    name = getattr(encoding, "__name__", type(encoding).__name__)
    if not callable(encoding):
        raise TypeError(f"a design is a function or a module, got {encoding!r}")
    if measures.is_score(encoding):
        _checked_score(name, encoding)
    else:
        _checked_rows(name, encoding(np.arange(float(LONGER)), 32), 32)
    return encoding


def _checked_rows(name, table, columns):
    if table is None:
        raise ValueError(f"{name} returns nothing: is `return` missing?")
    shape = np.shape(table)
    if shape == (LONGER, columns):
        return
    if len(shape) != 2:
        why = "a table gives a row for each position, a score takes q, k, m and n"
    elif shape[0] != LONGER:
        why = "is there one row for each of the positions?"
    else:
        why = (
            "each frequency makes two columns, a sine and a cosine; columns that it does not need can stay 0"
        )
    raise ValueError(
        f"{name} must return {LONGER} rows of {columns} columns where it is asked for them, got the shape "
        f"{shape}: {why}"
    )


def _checked_score(name, score):
    q, k = torch.randn(2, 2, 1, 32, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    q, k, m, n = q[..., :, None, :], k[..., None, :, :], torch.arange(32)[:, None], torch.arange(32)
    with torch.no_grad():
        scores = score(q, k, m, n)
    if scores is None:
        raise ValueError(f"{name} returns nothing: is `return` missing?")
    if not isinstance(scores, torch.Tensor):
        raise TypeError(f"{name} must return a tensor, got {type(scores).__name__}: torch instead of NumPy?")
    shape, pairs = tuple(scores.shape), (2, 1, 32, 32)
    one_each = f"{name} must return one number per pair, here {pairs}, got the shape {shape}"
    if not shape:
        raise ValueError(f"{one_each}: does the sum go over all axes, where `.sum(-1)` takes the last?")
    if len(shape) > 4:
        raise ValueError(f"{one_each}: is `.sum(-1)` missing, as in (q * k).sum(-1)?")
    if any(here not in (1, wanted) for here, wanted in zip(shape[::-1], pairs[::-1])):
        raise ValueError(f"{one_each}: which axis is summed?")
    if scores.dtype != torch.float64:
        kind = str(scores.dtype).removeprefix("torch.")
        raise TypeError(f"{name} must return float64, as q and k are, got {kind}: is `.to(q.dtype)` missing?")
    if torch.isnan(scores.expand(pairs)[..., torch.ones(32, 32).tril().bool()]).any():
        raise ValueError(f"{name} returns NaN: a logarithm of 0, or 0 divided by 0, where m and n are equal?")


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
        name: measures.rank_correlation([one[wish] for one in some], [one[right] for one in some])
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
    cards = [measures.scorecard(checked(one)) for one in encodings]
    texts = []
    for card in cards:
        good = measures.passes(card)
        texts.append({wish: f"{_rounded(card, wish)} {'✓' if good[wish] else '✗'}" for wish in card})
    rows = [[text.get(wish, "") for text in texts] for wish in cards[0]]
    names = [one.__name__ for one in encodings]
    plots.show_table(rows, rows=cards[0], columns=names, corner="wish")


def _rounded(card, wish):
    """A number of a card in words: two digits behind the point, or as many as its tick or cross needs."""
    for digits in range(2, 17):
        rounded = round(card[wish], digits)
        if measures.passes(card | {wish: rounded})[wish] == measures.passes(card)[wish]:
            break
    return f"{rounded:.6g}"


def is_fixed_bias(encoding):
    """Whether a score is that of the words plus a number for the two places, with nothing learned."""
    if not measures.is_score(encoding) or isinstance(encoding, torch.nn.Module):
        return False
    q, k = torch.randn(2, 1, 32, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    m, n = torch.arange(LONGER)[:, None], torch.arange(LONGER)
    of_words = encoding(q, k, m, n) - encoding(0 * q, k, m, n)
    finite = of_words[torch.isfinite(of_words)]
    return len(finite) > 0 and torch.allclose(finite, (q * k).sum() / math.sqrt(32))


def _fails_only(card, *names):
    return {name for name, good in measures.passes(card).items() if not good} == set(
        names
    ) and "neighbours" in card


GOALS = {
    "a table that fails neighbours and four times, and nothing else": lambda one: _fails_only(
        one["card"], "neighbours", "four times"
    ),
    "a table that, asked for eight columns, fails four times and nothing else": lambda one: _fails_only(
        one["card of 8"], "four times"
    ),
    "seven of ten right on both tasks at 64 words": lambda one: min(one["at 64"].values()) >= 0.7,
    "a fixed bias with every tick, and nine of ten right on five back at 64 words": lambda one: (
        one["fixed bias"] and all(measures.passes(one["card"]).values()) and one["at 64"]["five back"] >= 0.9
    ),
    "fool the scorecard with a table: ticked for five back, but below one half at 16 words": lambda one: (
        "neighbours" in one["card"]
        and measures.passes(one["card"])["five back"]
        and one["at 16"]["five back"] < 0.5
    ),
}


FIRST_GOAL = {  # why a table misses the first goal: what is said first stands first
    "length-free": "Its first rows change with the number of positions.",
    "shift-consistent": "A shift is no longer one matrix. What is it for pairs that turn evenly?",
    "unique": "Two rows, perhaps far apart, are closer than 0.1. Do all pairs come round nearly at once?",
    "precise": "Two of 4096 rows fall together in bfloat16. Do all pairs come round nearly at once?",
    "one back": "Places look too much alike. Are the rows too slow, too quiet, or drowned by a loud column?",
    "five back": "Places look too much alike. Are the rows too slow, too quiet, or drowned by a loud column?",
    "neighbours": "Slow pairs keep rows next door alike, and {slow} of {pairs} turn less than once among 16 "
    "places. Do not drop them, for a pair that stands still says nothing: give them other frequencies.",
    "four times": "What points among the first 16 places points from 48 on as well.",
}
FEW_ARE_SLOW = (
    "Few pairs turn less than once among 16 places, {slow} of {pairs}, but rows next door are still the most "
    "alike. Faster pairs part them."
)


def first_goal(encoding):
    """Say whether a table fails neighbours and four times and nothing else; if not, name one wish and why.

    >>> first_goal(lambda positions, d_model: positions[:, None] / len(positions) * np.ones(d_model))
    Not yet: length-free fails (0.72). Its first rows change with the number of positions.
    """
    if measures.is_score(encoding):
        print("Not yet: this is a score. The goal asks for a table, encode(positions, d_model).")
        return
    try:
        card = measures.scorecard(checked(encoding))
    except (TypeError, ValueError) as error:
        print(f"Not yet: {error}.".replace("?.", "?"))
        return
    good = measures.passes(card)
    wrong = [wish for wish in FIRST_GOAL if good[wish] != (wish not in ("neighbours", "four times"))]
    if wrong:
        says = f"{wrong[0]} {'holds' if good[wrong[0]] else 'fails'} ({_rounded(card, wrong[0])})"
        slow, pairs = _slow_pairs(encoding)
        few = wrong[0] == "neighbours" and slow <= pairs // 4
        why = FEW_ARE_SLOW if few else FIRST_GOAL[wrong[0]]
        print(f"Not yet: {says}. {why.format(slow=slow, pairs=pairs)}")
    else:
        print("Goal 1 is met: it fails neighbours and four times, and nothing else.")


def _slow_pairs(encode):
    """How many pairs of columns turn less than once among 16 places, and of how many."""
    pairs = np.asarray(encode(np.arange(float(SEQ_LEN)), 32), dtype=float).reshape(SEQ_LEN, -1, 2)
    hands = pairs[..., 0] + 1j * pairs[..., 1]  # (seq_len, d_model / 2)
    turned = abs(np.angle(hands[1:] * hands[:-1].conj())).sum(axis=0)
    return int((turned < 2 * np.pi).sum()), len(turned)


COMPARED = {"RoPE": "rope", "ALiBi": "alibi", "no positions": "nothing"}  # on the board, of the fifty


class Board:
    """Your tries, in the order of the goals they meet, and below them RoPE, ALiBi and no positions.

    Examples
    --------
    >>> board = Board()
    >>> board.names()
    []
    """

    def __init__(self):
        self.tries = {}

    def add(self, encoding, name=None, *, seed=0):
        """Fill in the card, train on both tasks, and return which goals are met: a dict of str to bool.

        Parameters
        ----------
        encoding : callable
            ``encode(positions, d_model)`` or ``score(q, k, m, n)``.
        name : str, optional
            On the board; the name of the function if left out. A second try of one name takes its place.
        seed : int
            Of the training.
        """
        seed = arguments.whole_number("seed", seed, minimum=0)
        checked(encoding)
        one = {"card": measures.scorecard(encoding), "card of 8": {}, "fixed bias": is_fixed_bias(encoding)}
        try:
            if not measures.is_score(encoding):
                _checked_rows("", encoding(np.arange(float(LONGER)), 8), 8)
            one["card of 8"] = measures.scorecard(encoding, d_model=8)
        except (ValueError, RuntimeError, IndexError):
            pass  # it has no eight columns, and does not meet that goal
        shares = {task: trained(encoding, task, seed) for task in TASKS}
        one["at 16"] = {task: shares[task][1] for task in TASKS}
        one["at 64"] = {task: shares[task][2] for task in TASKS}
        one["goals"] = {goal: bool(met(one)) for goal, met in GOALS.items()}
        try:
            one["source"] = inspect.getsource(getattr(encoding, "forward", encoding))
        except (OSError, TypeError):
            one["source"] = ""
        self.tries[name or getattr(encoding, "__name__", type(encoding).__name__)] = one
        return one["goals"]

    def names(self):
        """The tries, those with most goals first."""
        return sorted(self.tries, key=lambda name: -sum(self.tries[name]["goals"].values()))

    def rows(self):
        """For each try how many goals it meets and what it gets right, of ten, at 16 and at 64 words."""
        return {
            name: [sum(one["goals"].values())]
            + [f"{10 * one[words][task]:.0f}" for words in ("at 16", "at 64") for task in TASKS]
            for name, one in ((name, self.tries[name]) for name in self.names())
        }

    def table(self):
        """The board as a table; RoPE, ALiBi and no positions are those of `trained_encodings`."""
        columns = ["goals", "local 16", "five back 16", "local 64", "five back 64"]
        known = trained_encodings()
        rows = self.rows() | {
            name: ["-"] + [f"{10 * known[stored][column]:.0f}" for column in columns[1:]]
            for name, stored in COMPARED.items()
        }
        plots.show_table(list(rows.values()), rows=rows, columns=columns, corner="right, of ten")

    def page(self, path):
        """Write the board, with the source of each try, as an HTML page that needs nothing else."""
        parts = ["<!doctype html><meta charset=utf-8><title>My encodings</title>", "<h1>My encodings</h1>"]
        for name in self.names():
            one = self.tries[name]
            parts.append(f"<h2>{html.escape(name)}</h2>")
            if one["source"]:
                parts.append(f"<pre>{html.escape(one['source'])}</pre>")
            marks = measures.passes(one["card"])
            card = [
                f"{'✓' if marks[wish] else '✗'} {wish}: {value:.3g}" for wish, value in one["card"].items()
            ]
            right = [
                f"{task}, {words}: {share:.0%}"
                for words in ("at 16", "at 64")
                for task, share in one[words].items()
            ]
            met = [f"{'✓' if good else '✗'} {goal}" for goal, good in one["goals"].items()]
            for title, lines in (("Card", card), ("Right", right), ("Goals", met)):
                items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
                parts.append(f"<h3>{title}</h3><ul>{items}</ul>")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(parts) + "\n")


def who_uses_what():
    """What models do, each line read from the file that `docs/sources.toml` names under its last word.

    >>> who_uses_what()["BLOOM"]["positions"]
    'ALiBi'
    """
    with STORED.with_name("who_uses_what.csv").open(encoding="utf-8", newline="") as file:
        return {row.pop("model"): row for row in csv.DictReader(file)}


QUESTIONS = {
    "weights": (
        "Are there weights already?",
        "No choice, only a duty: formula, layout, base, first row, rule.",
    ),
    "order": ("Does order matter at all?", "If not, leave positions out: a set has none."),
    "axes": ("Has a position more than one axis?", "A part of the columns for each: 2-D table, axial RoPE."),
    "where": ("Must a token know where it is?", "Add a table. If only how far away: rotate, or bias."),
    "longer": (
        "Longer texts than in training?",
        "No learned table. Near words only: ALiBi. Else T5, Shaw; RoPE with YaRN, tried with a needle.",
    ),
    "exactly": (
        "Must a head find exactly three back?",
        "Not ALiBi alone. T5 and Shaw near by; RoPE; a table.",
    ),
    "low": (
        "Low formats, or a cache?",
        "Angles in float64; storage may be low; positions from mask and cache.",
    ),
    "speed": ("Long, and fast?", "RoPE, or a bias that is computed, never stored as a matrix."),
}


def choose(**answers):
    """The eight questions as a table: all of them, or those that you answer with True, and `order=False`.

    Raises
    ------
    ValueError
        If a question is unknown, or an answer is neither True nor False.
    """
    for name, answer in answers.items():
        if name not in QUESTIONS or not isinstance(answer, bool):
            known = ", ".join(QUESTIONS)
            raise ValueError(f"answers must be True or False for {known}; got {name}={answer!r}")
    if answers.get("weights"):
        asked = ["weights"]  # the others are settled
    elif answers.get("order") is False:
        asked = ["order"]
    else:
        asked = [name for name in QUESTIONS if not answers or (answers.get(name) and name != "order")]
    rows = {name: QUESTIONS[name] for name in asked}
    rows = rows or {"-": ("none of them", "RoPE: nothing speaks against it.")}
    plots.show_table([*rows.values()], rows=rows, columns=["question", "then"], corner="argument", left=True)
