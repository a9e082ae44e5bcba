"""Finds out what a causal language model does with positions, from outside, and names what is wrong.

    python -m pe_lessons.doctor ask_mine.py            # a file with a function `logits`, or a `model`
    python -m pe_lessons.doctor --json ask_mine.py     # for CI

A model of the transformers library can be given as it is. Of any other, say in the file how it is asked:

    def logits(tokens, position_ids=None, mask=None, cache=None):
        ...
        return scores, cache

- tokens: (batch, n_q), whole numbers.
- position_ids: (batch, n_q) likewise; without them the model counts by itself.
- mask: True where a key may be looked at, (batch, n_k), to which the model adds its causal mask, or
  (batch, n_q, n_k), which is all of it. Raise an error for a form that your model does not take.
- cache: whatever the call before returned; then n_k counts the tokens in it, too.
- scores: (batch, n_q, vocab_size); where there is no cache, they may come alone.

Use these names, and leave out what your model does not take: what needs it is not tried, and the report says
so. Ask in float32 or float64 and with dropout off (`model.eval()`). The file may also say `relative = True`
(moving all positions must change nothing, as with a rotation), `reference = ...` (the same weights in a model
that is right) and `vocab_size = ...`. The exit status is 1 if something is wrong, 2 if nothing can be told.

Each check compares two ways to the same answer. Where they differ, the doctor asks the model what it would
have said *had it made a certain mistake*, or changes a token that should matter, or should not, and so names
the mistake.
"""

import argparse
import dataclasses
import functools
import importlib.util
import inspect
import json
import sys
from pathlib import Path

import torch

from pe_lessons import arguments, wrong_rotations

LENGTH, NEW, PADDING = 10, 3, 4  # tokens of a text, of them after the cache, and of padding
OLD = LENGTH - NEW
SHIFT = 40
WORDS = ("position_ids", "mask", "cache")
ROUNDING = 100  # last bits of the largest score: ten times what healthy models show


@dataclasses.dataclass(frozen=True)
class Finding:
    """What one check found; `status` is "right", "wrong", "note" or "not tried"."""

    check: str
    status: str
    says: str
    size: float = 0.0  # largest difference, as a share of what order does: `Patient.scale`
    culprit: str = ""
    look_at: str = ""
    lesson: str = ""

    def __str__(self):
        size = f" ({_share(self.size)})" if self.status == "wrong" and self.size else ""
        more = (("culprit", self.culprit), ("look at", self.look_at), ("read", self.lesson))
        lines = [f"{self.status:>9}  {self.check}: {self.says}{size}"]
        return "\n".join([*lines, *(f"           {word}: {text}" for word, text in more if text)])


def _share(size):
    return f"{size:.1%} of what order does" if size < 10 else "far more than order does"


class Patient:
    """A model as the doctor asks it: lists of positions in, one row of logits for each new token out."""

    def __init__(self, logits, vocab_size, relative=False):
        self.logits, self.relative = logits, relative
        self.arguments = _arguments(logits)
        draw = torch.Generator().manual_seed(0)
        self.tokens = torch.randint(vocab_size // 2, vocab_size, (3, LENGTH), generator=draw)
        self.tokens[0, :2] = torch.tensor([vocab_size - 1, vocab_size - 2])  # two that differ
        self.text, self.count = self.tokens[:1], torch.arange(LENGTH)[None]
        self.stranger = vocab_size // 2 - 1  # a token of no text: padding, or put in the place of another

    def ask(self, tokens, position_ids=None, mask=None, cache=None):
        """The logits (batch, n_q, vocab_size) in float64, and the cache."""
        given = {"position_ids": position_ids, "mask": mask, "cache": cache}
        given = {name: value for name, value in given.items() if value is not None}
        with torch.no_grad():
            answer = self.logits(tokens, **given)
        scores, cache = answer if isinstance(answer, tuple) else (answer, None)
        scores = torch.as_tensor(scores)
        if scores.shape[:-1] != tokens.shape:
            wanted = f"(batch, n_q, vocab_size), here {(*tokens.shape, '...')}"
            raise ValueError(f"logits must return {wanted}, got {tuple(scores.shape)}")
        self.dtype = scores.dtype if scores.is_floating_point() else torch.float64
        return scores.double(), cache

    def rows(self, tokens, position_ids=None, mask=None):
        return self.ask(tokens, position_ids, mask)[0]

    def continued(self, tokens, cuts, positions=None, mask=None):
        """The rows from the first cut on, when the text comes in pieces and a cache is handed on."""
        rows, cache = [], None
        for first, end in zip([0, *cuts], [*cuts, tokens.shape[1]]):
            ids = None if positions is None else positions[:, first:end]
            piece, cache = self.ask(tokens[:, first:end], ids, None if mask is None else mask[:, :end], cache)
            rows.append(piece)
        return torch.cat(rows[1:], dim=1)

    def ways(self, positions):
        """Without position_ids, and with these if the model takes any."""
        return [None, positions] if "position_ids" in self.arguments else [None]

    def measured(self):
        """What order does (`scale`), and which share of it is a fault (`enough`): the first `Finding`."""
        rows, again = self.rows(self.text), self.rows(self.text)
        size = rows.abs().max().item()
        noise = ROUNDING * torch.finfo(self.dtype).eps * size
        if not rows.isfinite().all():
            return Finding("answers", "not tried", "not all scores of a plain text are finite numbers")
        if (rows - again).abs().max() > 1e-3 * size:
            says = "the same tokens get two answers, so nothing else can be tried"
            return Finding("answers", "wrong", says, culprit="dropout is on", look_at="model.eval()")
        exchanged = self.rows(self.text[:, [1, 0, *range(2, LENGTH)]])
        self.scale, self.enough = (exchanged - rows)[:, 2:].abs().max().item(), 1e-4
        did, wanted = "exchanging two tokens", 3_000 * noise
        if "position_ids" in self.arguments:
            try:
                apart = (self.rows(self.text, 3 * self.count) - rows).abs().max().item()
            except Exception:  # a table that ends before these positions: they are used
                apart = self.scale
            if apart < noise / 10 and self.scale >= wanted:
                says, what = "position_ids change nothing", "leave them out if the model has no use for them"
                return Finding("position_ids", "wrong", says, 0, "position_ids are not used", what)
            did, wanted = "moving the tokens apart", 100 * noise
            self.scale, self.enough = apart, 1e-2
        moves = f"{did} moves the scores by {self.scale / max(size, 1e-300):.0e} of their size"
        if self.scale >= max(wanted, 1e-300):
            return Finding("order", "right", moves)
        says = f"{moves}: too little to tell a fault from the rounding of {self.dtype}".replace("torch.", "")
        look_at = "weights too small, or scores too coarse: ask in float64. Or the model sees no order at all"
        return Finding("order", "not tried", says, look_at=look_at, lesson="lesson 01")

    def difference(self, one, other):
        gap = (one - other).abs().max().item()
        return float("inf") if gap != gap else gap / self.scale

    def same(self, one, other):
        return self.difference(one, other) < self.enough

    def moved(self, offset):
        """How much the rows of a text change when all its positions are moved."""
        return self.difference(self.rows(self.text, self.count + offset), self.rows(self.text, self.count))

    def told(self, new):
        """The rows of the last tokens if they stood at the positions `new`, after a right beginning."""
        return self.rows(self.text, torch.tensor([[*range(OLD), *new]]))[:, OLD:]

    def verdict(self, check, seen, expected, right, wrong, lesson, stories=(), otherwise=("", "")):
        """What was seen held to what was expected. A story that explains it names the culprit.

        A story is (culprit, look_at, explains) or has a lesson before its end; `explains()` is the rows that
        the mistake would give, or whether it was made.
        """
        size = self.difference(seen, expected)
        if size < self.enough:
            return Finding(check, "right", right, size)
        for culprit, look_at, *own, explains in stories:
            try:
                told = explains()
            except Exception:  # a story that this model cannot tell
                continue
            if told if isinstance(told, bool) else self.difference(seen, told) < self.enough / 10:
                return Finding(check, "wrong", wrong, size, culprit, look_at, *(own or [lesson]))
        return Finding(check, "wrong", wrong, size, *otherwise, lesson)


def examine(logits, vocab_size=None, *, reference=None, relative=False):
    """Everything that can be found out about `logits`, as a list of `Finding`.

    Parameters
    ----------
    logits : callable
        As the top of this module says, or a causal model of transformers.
    vocab_size : int, optional
        Tokens from its upper half are asked; without it, as many as there are scores for a token.
    reference : callable, optional
        The same weights in an implementation that is right, asked in the same way. If it is a model of
        transformers, a wrong rotation can be named, too.
    relative : bool
        Whether moving all positions must change nothing, as with a rotation or ALiBi.

    Raises
    ------
    TypeError, ValueError
        If `logits` cannot be asked as this module says.

    Examples
    --------
    A model that counts every token of a cache twice:

    >>> embedding = torch.nn.Embedding(20, 8).double()
    >>> def logits(tokens, position_ids=None, cache=None):
    ...     past = 0 if cache is None else cache.shape[1]
    ...     if position_ids is None:
    ...         position_ids = 2 * past + torch.arange(tokens.shape[1])[None]
    ...     x = embedding(tokens) * (1 + position_ids[..., None])
    ...     cache = x if cache is None else torch.cat([cache, x], dim=1)
    ...     return cache.cumsum(dim=1)[:, past:], cache
    >>> [finding.culprit for finding in examine(logits, 20) if finding.status == "wrong"][0]
    'the length of the cache is counted twice'
    """
    logits = _adapted(logits)
    if vocab_size is None:
        vocab_size = Patient(logits, 4).rows(torch.zeros(1, 1, dtype=torch.long)).shape[-1]
    patient = Patient(logits, arguments.whole_number("vocab_size", vocab_size, minimum=4), relative)
    findings, unsure = [patient.measured()], set()
    if findings[0].status != "right":
        return findings
    for name, (check, needs, before) in CHECKS.items():
        missing = " or ".join(word for word in needs if word not in patient.arguments)
        first = [one for one in before if one in unsure]
        if missing:
            says = f"no argument is called {missing}, only {', '.join(patient.arguments)}"
            findings.append(Finding(name, "not tried", says))
            continue
        try:
            found = [Finding(name, "not tried", f"{first[0]!r} must be right first")] if first else []
            found = found or [*check(patient, name)]
        except Exception as error:
            says = f"the model ends in {type(error).__name__}: {error}".splitlines()[0]
            found = [Finding(name, "not tried", says)]
        unsure |= {name} if any(finding.status in ("wrong", "not tried") for finding in found) else set()
        findings += found
    return findings + ([_against(patient, reference)] if reference is not None else [])


def assert_healthy(logits, vocab_size=None, **kwargs):
    """For a test of your own: an AssertionError with all that is wrong, or if nothing can be told.

    Arguments as for `examine`.

    Examples
    --------
    >>> def logits(tokens):
    ...     places = torch.arange(1.0, tokens.shape[1] + 1)[:, None]
    ...     return (torch.nn.functional.one_hot(tokens, 8) * places).cumsum(dim=1)
    >>> assert_healthy(logits)
    """
    findings = examine(logits, vocab_size, **kwargs)
    blamed = [finding for finding in findings if finding.status == "wrong"] or findings[:1]
    assert blamed[0].status == "right", "\n".join(["the doctor finds:", *map(str, blamed)])


def _first_wrong(verdicts):
    for verdict in verdicts:
        if verdict.status == "wrong":
            break
    yield verdict


def _future(patient, check):
    rows, changed = patient.rows(patient.text), patient.text.clone()
    changed[0, -1] = patient.stranger
    seen = patient.rows(changed)
    yield patient.verdict(
        check, seen[:, :-1], rows[:, :-1], "no token sees a later one",
        "another last token changes rows before it", "lesson 01", [
            ("the causal mask is off by one: tokens see the next one", "the diagonal of the mask",
             lambda: patient.same(seen[:, 0], rows[:, 0])),
        ], ("a causal mask is missing, or in a model of many layers off by one", "the attention's mask"),
    )  # fmt: skip


def _longer(patient, check):
    yield patient.verdict(
        check, patient.rows(patient.text[:, :OLD]), patient.rows(patient.text)[:, :OLD],
        "rows stay what they are when the text goes on", "rows change when the text goes on", "lesson 05", (),
        ("positions are counted from the end, or hang on the length of the text",
         "where positions are made"),
    )  # fmt: skip


def _first(patient, check):
    any_start = " (or of any other start: they are relative)" if patient.moved(1) < patient.enough else ""
    yield patient.verdict(
        check, patient.rows(patient.text), patient.rows(patient.text, patient.count),
        f"without position_ids, the rows are those of 0, 1, 2, ...{any_start}",
        "without position_ids, the rows are not those of 0, 1, 2, ...", "lesson 05",
        [(f"positions begin at {first}", "where position_ids are made when none are given",
          lambda first=first: patient.rows(patient.text, patient.count + first)) for first in (1, 2)],
    )  # fmt: skip


ADDED = {
    True: "equal tokens get equal rows wherever they stand: nothing is added to them, as with a rotation, "
          "ALiBi, or no positions at all",
    False: "equal tokens get different rows: something is added to them, as with a table of positions",
}  # fmt: skip
SMALL_FORMAT = (
    "angles in a small format (bfloat16 or float16)",
    "the dtype in which positions are multiplied by frequencies", "lesson 18",
)  # fmt: skip
NO_ROTATION = (
    "positions act in the attention alone, but not as a rotation: pairs are mixed up, a sign is lost, or "
    "only queries or only keys turn", "where queries and keys are turned", "lesson 12",
)  # fmt: skip


def _added(patient, check):
    """Rows of equal tokens can differ only by what is added to the tokens."""
    rows = patient.rows(patient.text[:, :1].repeat(1, LENGTH))
    patient.in_attention = patient.same(rows, rows[:, :1])
    yield Finding(check, "note", ADDED[patient.in_attention])


def _shift(patient, check):
    size, status = patient.moved(SHIFT), "wrong" if patient.relative else "note"
    says = f"moving all positions by {SHIFT} changes"
    if size < patient.enough:
        yield Finding(check, "right", f"{says} nothing: relative positions", size)
    elif not patient.in_attention:
        yield Finding(check, status, f"{says} the answers: absolute positions", size)
    elif _confused(patient):
        yield Finding(check, "wrong", f"{says} the answers", size, *SMALL_FORMAT)
    else:
        should = "" if patient.relative else "; if it should not, say relative = True and this is wrong"
        yield Finding(check, status, f"{says} the answers{should}", size, *NO_ROTATION)


def _confused(patient):
    """Is a text far out answered as if all its tokens stood at one place, so coarse are the angles there?"""
    far = [patient.rows(patient.text, 2**15 + count) for count in (patient.count, 0 * patient.count)]
    return patient.difference(*far) < 0.1


def _far(patient, check):
    try:
        near, far, very_far = (patient.moved(offset) for offset in (SHIFT, 1_000, 1_000_000))
    except Exception as error:
        yield Finding(check, "note", f"they end in {type(error).__name__}: a table of positions ends")
        return
    if near >= patient.enough:
        yield Finding(check, "note", "they are answered; only relative ones would show whether rightly")
    elif far >= patient.enough:
        says = f"moving all positions by {SHIFT} changes nothing, by 1,000 the answers"
        yield Finding(check, "wrong", says, far, *SMALL_FORMAT)
    elif very_far >= patient.enough:
        says = f"by 1,000 it changes nothing, by 1,000,000 {_share(very_far)}"
        yield Finding(check, "note", says, very_far)
    else:
        yield Finding(check, "right", "moving all positions by 1,000,000 changes nothing", very_far)


FIRST_FOR_ALL = "the positions of the first text are used for all", "position_ids[:1]"


def _batch(patient, check):
    def judged(positions):
        each = [None] * 3 if positions is None else positions[:, None]
        alone = [patient.rows(row[None], own) for row, own in zip(patient.tokens, each)]
        copies = patient.rows(patient.text.repeat(3, 1))
        equal = patient.rows(patient.text[:, :1].repeat(3, LENGTH))
        by_place = not patient.same(copies, copies[:1])
        return patient.verdict(
            check, patient.rows(patient.tokens, positions), torch.cat(alone),
            "a text gets the same rows alone and in a batch", "a text gets other rows in a batch than alone",
            "lesson 05", [
                ("the number of the text is taken for the position", "the order of the axes (batch, n_q)",
                 lambda: by_place and patient.same(equal, equal[:, :1])),
                ("positions go on from one text of the batch to the next",
                 "the axis along which they are counted", lambda: by_place),
                (*FIRST_FOR_ALL, lambda: torch.cat(
                    [patient.rows(row[None], positions[:1]) for row in patient.tokens])),
            ],
        )  # fmt: skip

    # a gap in the middle, of another size in each text
    gaps = patient.count + torch.arange(3)[:, None] * (patient.count >= OLD)
    yield from _first_wrong(map(judged, patient.ways(gaps)))


def _padded(patient):
    """A batch of two texts, the first with padding on the left, and what it should be answered.

    Two batches (2, n), with other padding each; mask, positions (2, n); and a function of two lists of
    positions: the rows of each text alone.
    """
    long = torch.cat([patient.tokens[1], patient.tokens[2, :PADDING]])
    paddings = torch.full((PADDING,), patient.stranger), long[:PADDING]
    batch, other = (torch.stack([torch.cat([padding, patient.text[0]]), long]) for padding in paddings)
    mask = torch.ones_like(batch).bool()
    mask[0, :PADDING] = False

    def alone(first=None, second=None):
        return patient.rows(patient.text, first)[0], patient.rows(long[None], second)[0]

    return batch, other, mask, (mask.cumsum(dim=1) - 1).clamp(min=0), alone


def _ends(rows, *counts):
    """The last rows of two texts, one after another."""
    return torch.cat([row[-count:] for row, count in zip(rows, counts)])


IDS_UNUSED = "position_ids are not used once there is a mask", "where position_ids are made from the mask"


def _left_padding(patient, check):
    batch, other, mask, positions, alone = _padded(patient)
    counts = LENGTH, LENGTH + PADDING

    def judged(ids, otherwise=("", "")):
        def asked(tokens, mask):
            return _ends(patient.rows(tokens, ids, mask), *counts)

        seen, given = asked(batch, mask), " even with position_ids" if ids is not None else ""
        return patient.verdict(
            check, seen, _ends(alone(), *counts), f"padding on the left changes nothing{given[5:]}",
            f"padding on the left changes the rows of the texts{given}", "lesson 17", [
                ("the softmax of nothing is 0 / 0: padding may look at no key", "let padding look at itself",
                 lambda: bool(seen.isnan().any())),
                ("the mask is not used", "where the mask reaches the scores", lambda: asked(batch, None)),
                ("the mask of the first text is used for all", "mask[:1]",
                 lambda: asked(batch, mask[:1].expand_as(mask))),
                (*IDS_UNUSED, lambda: _ends(alone(patient.count + PADDING), *counts)),
                (*FIRST_FOR_ALL, lambda: _ends(alone(None, positions[:1]), *counts)),
                ("padding is looked at although the mask forbids it", "is True taken for 'hide'?",
                 lambda: not patient.same(seen, asked(other, mask))),
            ], otherwise,
        )  # fmt: skip

    own = judged(None, ("padding is counted as positions", "count them from the first real token"))
    patient.counts_from_the_text = own.status == "right"
    given = judged(positions) if "position_ids" in patient.arguments else own
    yield given
    if given.status == "right" and own.status == "wrong":
        says = "without position_ids, it does: give them, counted from the first real token"
        yield Finding(check, "note", says, own.size, lesson="lesson 17")


OFFSET = "the offset by the length of the cache"


def _cached(patient, check, cuts):
    if patient.ask(patient.text)[1] is None:
        yield Finding(check, "not tried", "no cache comes back")
        return

    def judged(positions):
        # given position_ids have a gap before the new tokens, which no counting makes
        new = (patient.count if positions is None else positions)[0, OLD:].tolist()
        seen = patient.continued(patient.text, cuts, positions)

        def matters(place):
            changed = patient.text.clone()
            changed[0, place] = patient.stranger
            return not patient.same(seen, patient.continued(changed, cuts, positions))

        stories = [
            ("the cache is not used", "where cached keys and values are put before the new ones",
             lambda: not matters(0) and not matters(OLD - 1)),
            ("the causal mask forgets the cache: new tokens look at the first keys only",
             f"is_causal=True, or a triangle without {OFFSET}", lambda: not matters(OLD - 1)),
            ("position_ids are not used once there is a cache", "where position_ids are made",
             lambda: positions is not None and patient.told(range(OLD, LENGTH))),
            ("every new token gets position 0", OFFSET, lambda: patient.told([0] * NEW)),
            ("positions begin again at 0 after the cache", OFFSET,
             lambda: patient.told([p - OLD for p in new])),
            ("the length of the cache is counted twice", f"{OFFSET}: it is added in two places",
             lambda: patient.told([p + (OLD if len(cuts) == 1 else OLD + i) for i, p in enumerate(new)])),
            ("positions after the cache are one too far on", OFFSET,
             lambda: patient.told([p + 1 for p in new])),
            ("positions after the cache are one too low", OFFSET,
             lambda: patient.told([p - 1 for p in new])),
            ("all new tokens get the position of the first", "position_ids when several tokens come at once",
             lambda: patient.told(new[:1] * NEW)),
        ]  # fmt: skip
        otherwise = (
            "no simple change of positions or of the mask explains it: does the cache keep what was used?",
            "are cached keys turned again, or kept before the turn?",
        ) if "position_ids" in patient.arguments else (
            "new tokens are not counted on from the cache, or what it keeps is not what was used",
            f"{OFFSET}; are cached keys turned again? With position_ids the doctor could say which",
        )  # fmt: skip
        return patient.verdict(
            check, seen, patient.rows(patient.text, positions)[:, OLD:],
            "with a cache, the rows are those of the whole text at once",
            f"with a cache{' and position_ids' * (positions is not None)}, the rows are not those at once",
            "lesson 17", stories, otherwise,
        )  # fmt: skip

    yield from _first_wrong(map(judged, patient.ways(patient.count + 2 * (patient.count >= OLD))))


def _padded_steps(patient, check):
    batch, other, mask, positions, alone = _padded(patient)
    cuts = [*range(OLD + PADDING, LENGTH + PADDING)]

    def judged(ids):
        seen = patient.continued(batch, cuts, ids, mask)
        return patient.verdict(
            check, _ends(seen, NEW, NEW), _ends(alone(), NEW, NEW),
            "texts padded on the left go on with a cache as each does alone",
            f"texts padded on the left{' and given position_ids' * (ids is not None)} do not go on with a "
            "cache as each does alone", "lesson 17", [
                ("the mask is not used once there is a cache", "where the mask reaches the scores",
                 lambda: not patient.same(seen, patient.continued(other, cuts, ids, mask))),
                ("padding is counted as positions once there is a cache", "where the model counts by itself",
                 lambda: _ends(alone(torch.tensor([[*range(OLD), *cuts]])), NEW, NEW)),
                (*FIRST_FOR_ALL, lambda: _ends(alone(None, torch.tensor(
                    [[*range(cuts[0]), *range(OLD, LENGTH)]])), NEW, NEW)),
            ],
        )  # fmt: skip

    yield from _first_wrong(map(judged, patient.ways(positions)[not patient.counts_from_the_text :]))


def _packing(patient, check):
    one, other, count = patient.tokens[:1, :OLD], patient.tokens[1:2], patient.count
    packed, text = torch.cat([one, other], dim=1), torch.tensor([0] * OLD + [1] * LENGTH)
    along, positions = torch.arange(len(text))[None], torch.cat([count[:, :OLD], count], dim=1)
    causal = torch.ones(len(text), len(text)).tril().bool()
    try:
        understood = patient.same(patient.rows(packed, along, causal[None]), patient.rows(packed, along))
    except Exception:
        understood = False
    if not understood:
        says = "a mask (batch, n_q, n_k) that is just the causal one ends in an error or changes the rows"
        yield Finding(check, "not tried", says)
        return
    yield patient.verdict(
        check, patient.rows(packed, positions, ((text[:, None] == text) & causal)[None]),
        torch.cat([patient.rows(one), patient.rows(other)], dim=1),
        "two texts packed into one row get the rows that each gets alone",
        "two texts packed into one row do not get the rows that each gets alone", "lesson 17", [
            ("the mask between the texts is not used", "where a mask with three axes reaches the scores",
             lambda: patient.rows(packed, positions)),
            (*IDS_UNUSED, lambda: torch.cat([patient.rows(one), patient.rows(other, OLD + count)], dim=1)),
        ],
    )  # fmt: skip


# name: (check, the arguments it needs, the checks that must have found nothing wrong)
SOUND = ("future", "longer text", "first position")
CHECKS = {
    "equal tokens": (_added, (), ()),
    "future": (_future, (), ()),
    "longer text": (_longer, (), ("future",)),
    "first position": (_first, ("position_ids",), ()),
    "shift": (_shift, ("position_ids",), ()),
    "far positions": (_far, ("position_ids",), ()),
    "batch": (_batch, (), ()),
    "left padding": (_left_padding, ("mask",), ("longer text", "first position", "batch")),
    "step by step": (functools.partial(_cached, cuts=[*range(OLD, LENGTH)]), ("cache",), SOUND),
    "several new tokens": (functools.partial(_cached, cuts=[OLD]), ("cache",), SOUND),
    "padded, step by step": (_padded_steps, ("mask", "cache"), ("left padding", "step by step")),
    "packing": (_packing, ("position_ids", "mask"), (*SOUND, "left padding")),
}


def _against(patient, reference):
    """Is it the reference? If not: each known change of the reference is a story."""
    right = Patient(_adapted(reference), 4)
    apart = 37 * patient.count if "position_ids" in {*patient.arguments} & {*right.arguments} else None

    def told():
        return right.rows(patient.text, apart)

    known, look_at = (), "with a model of the transformers library, a wrong rotation would be named"
    if hasattr(reference, "config") and hasattr(reference, "named_buffers"):
        known = wrong_rotations.stories(reference, told)
        look_at = "the weights, and what is not about positions"
    return patient.verdict(
        "reference", patient.rows(patient.text, apart), told(), "the rows are those of the reference",
        "the rows are not those of the reference", "", known, ("", look_at),
    )  # fmt: skip


def _adapted(model):
    if not callable(model):
        raise TypeError(f"logits must be a function or a model, got {model!r}")
    return of_transformers(model) if hasattr(model, "config") and hasattr(model, "generate") else model


def _arguments(logits):
    """The names of what the function takes."""
    # a torch module is called with anything; what it takes, its forward says
    parameters = list(inspect.signature(getattr(logits, "forward", logits)).parameters.values())
    foreign = [p.name for p in parameters[1:] if p.name not in WORDS and p.default is p.empty and p.kind < 2]
    names = [p.name for p in parameters]
    if not parameters or foreign:
        takes = f"takes {', '.join(names) or 'nothing'}"
        raise TypeError(f"logits must take tokens and, if it can, {', '.join(WORDS)}; this one {takes}")
    return names


def of_transformers(model):
    """A causal model of the transformers library as the doctor asks it."""

    def logits(tokens, position_ids=None, mask=None, cache=None):
        given = {"past_key_values": cache, "use_cache": True}
        if position_ids is not None:
            given["position_ids"] = position_ids
        if mask is not None:
            far_below = max(torch.finfo(model.dtype).min, -1e30)
            given["attention_mask"] = (
                mask.long() if mask.ndim == 2
                else torch.where(mask, 0.0, far_below).to(model.dtype)[:, None]
            )  # fmt: skip
        output = model(input_ids=tokens, **given)
        return output.logits, getattr(output, "past_key_values", None)

    def without_positions(tokens, mask=None, cache=None):
        return logits(tokens, None, mask, cache)

    return logits if "position_ids" in inspect.signature(model.forward).parameters else without_positions


def main(words=None):
    parser = argparse.ArgumentParser(
        prog="python -m pe_lessons.doctor", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("module", help="a Python file with `logits` or `model`")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(words)
    try:
        module = vars(_loaded(Path(options.module)))
        model = module.get("logits") or module.get("model")
        if model is None:
            raise ValueError(f"{options.module} must define a function `logits` or a `model`")
        known = ("vocab_size", "reference", "relative")
        findings = examine(model, **{name: module[name] for name in known if name in module})
    except (TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=1))
    else:
        tried = {finding.check for finding in findings if finding.status != "not tried"}
        asked = {finding.check for finding in findings}
        print(*findings, f"{len(tried)} of {len(asked)} checks tried", sep="\n")
    if any(finding.status == "wrong" for finding in findings):
        return 1
    return 0 if findings[0].status == "right" else 2


def _loaded(path):
    if path.suffix != ".py":
        raise ValueError(f"module must be a Python file, a path that ends in .py, got {str(path)!r}")
    if not path.is_file():
        raise ValueError(f"module must be a Python file, and there is no file {str(path)!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))  # as when Python runs the file itself
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{path} ends in {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    return module


if __name__ == "__main__":
    sys.exit(main())
