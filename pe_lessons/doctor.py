"""Finds out what a causal language model does with positions, from outside, and names what is wrong::

    python -m pe_lessons.doctor my_module.py            # a file with a function `logits`, or a `model`
    python -m pe_lessons.doctor --json my_module.py     # for CI

A model of the transformers library can be given as it is. Of any other, say how it is asked, in a function::

    def logits(tokens, position_ids=None, mask=None, cache=None):
        ...
        return scores, cache

- tokens: (batch, n_q), whole numbers.
- position_ids: (batch, n_q) likewise; without them the model counts by itself.
- mask: True where a key may be looked at, (batch, n_k) beside the causal mask, or (batch, n_q, n_k) with it.
- cache: whatever the call before returned; then n_k is longer than n_q.
- scores: (batch, n_q, vocab_size); where there is no cache, they may come alone.

Leave out what your model does not take: what needs it is not tried, and the report says so. Ask in float32 or
float64 and with dropout off (`model.eval()`).

Each check compares two ways to the same answer. Where they differ, the doctor asks the model what it would
have said *had it made a certain mistake*, and names the mistake whose answer is the one that was seen.
"""

import argparse
import dataclasses
import importlib.util
import inspect
import json
import sys
from pathlib import Path

import torch

from pe_lessons import arguments, wrong_rotations

PADDING = 4  # so many tokens of padding
SHIFT = 40
WORDS = ("position_ids", "mask", "cache")
ENOUGH = 0.01  # of what moving the tokens apart changes; less is rounding


@dataclasses.dataclass(frozen=True)
class Finding:
    """What one check found; `status` is "right", "wrong", "note" or "not tried"."""

    check: str
    status: str
    says: str
    size: float = 0.0  # largest difference, as a share of what moving the tokens apart changes
    culprit: str = ""
    look_at: str = ""
    lesson: str = ""

    def __str__(self):
        size = f" ({self.size:.0%} of what positions do)" if self.status == "wrong" and self.size else ""
        lines = [f"{self.status:>9}  {self.check}: {self.says}{size}"]
        lines += [f"           {word}: {text}" for word, text in self._more() if text]
        return "\n".join(lines)

    def _more(self):
        return (("culprit", self.culprit), ("look at", self.look_at), ("read", self.lesson))


class Patient:
    """A model as the doctor asks it: lists of positions in, one row of logits for each new token out."""

    def __init__(self, logits, vocab_size, length=10, seed=0):
        self.logits = logits
        self.takes = _words(logits)
        draw = torch.Generator().manual_seed(seed)
        self.tokens = torch.randint(vocab_size // 2, vocab_size, (3, length), generator=draw)
        self.padding = torch.full((1, PADDING), vocab_size // 2 - 1)

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
        self.dtype = scores.dtype
        return scores.double(), cache

    def rows(self, tokens, position_ids=None, mask=None):
        return self.ask(tokens, position_ids, mask)[0]

    def difference(self, one, other):
        """The largest difference, as a share of what moving the tokens apart changes."""
        gap = (one - other).abs().max().item()
        return float("inf") if gap != gap else gap / self.scale

    @property
    def scale(self):
        if not hasattr(self, "_scale"):
            tokens = self.tokens[:1]
            as_given = self.rows(tokens)
            try:
                other = self.rows(tokens, 3 * torch.arange(tokens.shape[1])[None])
            except Exception:  # it takes no positions, or its table ends before these
                swapped = tokens[:, [1, 0, *range(2, tokens.shape[1])]]
                as_given, other = as_given[:, 2:], self.rows(swapped)[:, 2:]
            self._scale = max((as_given - other).abs().max().item(), 1e-9 * as_given.abs().max().item())
        return self._scale

    def moved(self, offset):
        """How much the rows of a text change when all its positions are moved."""
        tokens = self.tokens[:1]
        positions = torch.arange(tokens.shape[1])[None]
        return self.difference(self.rows(tokens, positions + offset), self.rows(tokens, positions))


def examine(logits, vocab_size=None, *, length=10, reference=None, seed=0):
    """Everything that can be found out about `logits`, as a list of `Finding`.

    Parameters
    ----------
    logits : callable
        As the top of this module says, or a causal model of transformers.
    vocab_size : int, optional
        Tokens from its upper half are asked; without it, as many as there are scores for a token.
    length : int
        How many tokens a text has, at least 8.
    reference : model of transformers, optional
        The same weights in an implementation that is right; with it a wrong rotation can be named, too.

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
    arguments.whole_number("length", length, minimum=8)
    logits = _adapted(logits)
    if vocab_size is None:
        vocab_size = Patient(logits, 4, 1).rows(torch.zeros(1, 1, dtype=torch.long)).shape[-1]
    arguments.whole_number("vocab_size", vocab_size, minimum=4)
    patient = Patient(logits, vocab_size, length, seed)
    findings = list(_sure(patient))
    if any(finding.status == "wrong" for finding in findings):
        return findings
    for name, check in CHECKS.items():
        try:
            findings += check(patient, name)
        except Exception as error:
            says = f"the model ends in {type(error).__name__}: {error}".splitlines()[0]
            findings.append(Finding(name, "not tried", says))
    return findings + (_against(patient, reference) if reference is not None else [])


def assert_healthy(logits, vocab_size=None, **kwargs):
    """For a test of your own: an AssertionError with all that is wrong. Arguments as for `examine`.

    Examples
    --------
    >>> assert_healthy(lambda tokens: torch.nn.functional.one_hot(tokens, 8).double())
    """
    wrong = [finding for finding in examine(logits, vocab_size, **kwargs) if finding.status == "wrong"]
    assert not wrong, "\n".join(["the doctor finds:", *map(str, wrong)])


def _sure(patient):
    """Is the same question answered twice alike, and finely enough to see a fault?"""
    tokens = patient.tokens[:1]
    one, other = patient.rows(tokens), patient.rows(tokens)
    if (one - other).abs().max() > 1e-3 * one.abs().max():
        says = "the same tokens get two answers, so nothing else can be tried"
        yield Finding("twice", "wrong", says, culprit="dropout is on", look_at="model.eval()")
    if patient.dtype in (torch.bfloat16, torch.float16):
        name = str(patient.dtype).removeprefix("torch.")
        yield Finding("twice", "note", f"scores in {name}: rounding may look like a fault; ask in float32")


UNUSED_POSITIONS = (
    "position_ids are not used once there is a mask", "where position_ids are made from the mask",
)  # fmt: skip


def _positions(*numbers):
    return torch.tensor([numbers])


def _named(seen, stories, patient):
    """The (culprit, look_at) of the first story whose rows are those that were seen."""
    for culprit, look_at, rows in stories:
        try:
            told = rows()
        except Exception:  # a story that this model cannot tell
            continue
        if patient.difference(seen, told) < ENOUGH / 10:
            return culprit, look_at
    return "", ""


def _verdict(patient, check, seen, expected, *, right, wrong, lesson, stories=(), otherwise=("", "")):
    size = patient.difference(seen, expected)
    if size < ENOUGH:
        return Finding(check, "right", right, size)
    culprit, look_at = _named(seen, stories, patient)
    culprit, look_at = (culprit, look_at) if culprit else otherwise
    return Finding(check, "wrong", wrong, size, culprit, look_at, lesson)


def _needs(patient, check, *names):
    missing = [name for name in names if name not in patient.takes]
    if missing:
        return [Finding(check, "not tried", f"the function takes no {' and no '.join(missing)}")]
    return []


def _order(patient, check):
    tokens = patient.tokens[:1]
    other = tokens[:, [1, 0, *range(2, tokens.shape[1])]]
    rows, moved = patient.rows(tokens), patient.rows(other)
    if (rows[:, -1] - moved[:, -1]).abs().max() < 1e-9 * rows.abs().max():
        says = "the last token does not notice when the first two are exchanged"
        yield Finding(check, "note", says, lesson="lesson 01")
    else:
        yield Finding(check, "right", "the last token notices when the first two are exchanged")


def _future(patient, check):
    tokens, changed = patient.tokens[:1], patient.tokens[:1].clone()
    changed[0, -1] = patient.padding[0, 0]
    verdict = _verdict(
        patient, check, patient.rows(changed)[:, :-1], patient.rows(tokens)[:, :-1],
        right="no token sees a later one", wrong="another last token changes the rows before it",
        lesson="lesson 01", otherwise=("a causal mask is missing", "the mask of the attention"),
    )  # fmt: skip
    patient.causal = verdict.status == "right"
    yield verdict


def _beginning(patient, check):
    if missing := _needs(patient, check, "position_ids"):
        yield from missing
        return
    tokens, n = patient.tokens[:1], patient.tokens.shape[1]
    rows = patient.rows(tokens)
    stories = [
        (f"positions begin at {first}", "where position_ids are made when none are given",
         lambda first=first: patient.rows(tokens, first + torch.arange(n)[None]))
        for first in (1, 2)
    ]  # fmt: skip
    yield _verdict(
        patient, check, rows, patient.rows(tokens, torch.arange(n)[None]),
        right="without position_ids, positions are 0, 1, 2, ...",
        wrong="without position_ids, the rows are not those of 0, 1, 2, ...",
        lesson="lesson 05", stories=stories,
    )  # fmt: skip


def _shift(patient, check):
    if missing := _needs(patient, check, "position_ids"):
        yield from missing
        return
    size = patient.moved(SHIFT)
    says = "nothing: relative positions" if size < ENOUGH else "the answers: absolute positions"
    yield Finding(check, "note", f"moving all positions by {SHIFT} changes {says}", size)


def _far(patient, check):
    if "position_ids" not in patient.takes:
        return
    try:
        some, far, very_far = (patient.moved(offset) for offset in (SHIFT, 1_000, 1_000_000))
    except Exception as error:
        says = f"far positions end in {type(error).__name__}: a table of positions ends"
        yield Finding(check, "note", says)
        return
    says = f"moved by {SHIFT} the rows change by {some:.1%}, by 1,000 {far:.1%}, by 1,000,000 {very_far:.1%}"
    if far < ENOUGH:
        yield Finding(check, "right" if very_far < ENOUGH else "note", says, very_far)
    elif some < ENOUGH:
        culprit = "angles in a small format such as bfloat16"
        look_at = "the dtype in which positions are multiplied by frequencies"
        yield Finding(check, "wrong", says, far, culprit, look_at, "lesson 18")


def _batch(patient, check):
    tokens = patient.tokens
    n = tokens.shape[1]
    alone = torch.cat([patient.rows(row[None]) for row in tokens])

    def told(positions):
        """Each row of tokens alone, at positions of its own."""
        return torch.cat([patient.rows(row[None], positions(b)) for b, row in enumerate(tokens)])

    stories = [
        ("positions go on from one text of the batch to the next", "the axis along which they are counted",
         lambda: told(lambda b: b * n + torch.arange(n)[None])),
        ("the number of the text is taken for the position", "the order of the axes (batch, n_q)",
         lambda: told(lambda b: torch.full((1, n), b))),
    ]  # fmt: skip
    yield _verdict(
        patient, check, patient.rows(tokens), alone, right="a text gets the same rows alone and in a batch",
        wrong="a text gets other rows in a batch than alone", lesson="lesson 05", stories=stories,
    )  # fmt: skip


def _left_padding(patient, check):
    if missing := _needs(patient, check, "mask"):
        yield from missing
        return
    tokens, n = patient.tokens[:1], patient.tokens.shape[1]
    alone, padded = patient.rows(tokens), torch.cat([patient.padding, tokens], dim=1)
    mask = torch.cat([torch.zeros(1, PADDING), torch.ones(1, n)], dim=1).bool()
    without = patient.rows(padded, None, mask)[:, PADDING:]
    if without.isnan().all():
        says = "all rows are NaN: padding may look at nothing, and the softmax of nothing is 0 / 0"
        yield Finding(check, "note", says, look_at="let padding look at itself", lesson="lesson 17")
        return
    unused = "the mask is not used", "where the mask reaches the scores"
    if "position_ids" not in patient.takes:
        yield _verdict(
            patient, check, without, alone, right="padding on the left changes nothing",
            wrong="padding on the left changes the rows of the text", lesson="lesson 17",
            stories=[(*unused, lambda: patient.rows(padded)[:, PADDING:])],
            otherwise=("padding is counted as positions", "count positions from the first real token"),
        )  # fmt: skip
        return
    positions, counted = _positions(*[0] * PADDING, *range(n)), torch.arange(PADDING + n)[None]
    stories = [
        (*unused, lambda: patient.rows(padded, positions)[:, PADDING:]),
        (*UNUSED_POSITIONS, lambda: patient.rows(tokens, counted[:, PADDING:])),
    ]
    verdict = _verdict(
        patient, check, patient.rows(padded, positions, mask)[:, PADDING:], alone,
        right="with position_ids, padding on the left changes nothing",
        wrong="even with position_ids, padding on the left changes the rows of the text",
        lesson="lesson 17", stories=stories,
    )  # fmt: skip
    yield verdict
    size = patient.difference(without, alone)
    if verdict.status == "right" and size > ENOUGH:
        says = f"without position_ids it changes {size:.0%}: give them, counted from the first real token"
        yield Finding(check, "note", says, size, lesson="lesson 17")


def _continued(patient, cuts, with_positions):
    """The rows from the first cut on, when the text comes in pieces and a cache is handed on."""
    tokens = patient.tokens[:1]
    rows, cache = [], None
    for first, end in zip([0, *cuts], [*cuts, tokens.shape[1]]):
        positions = torch.arange(first, end)[None] if with_positions else None
        piece, cache = patient.ask(tokens[:, first:end], positions, cache=cache)
        rows.append(piece)
    return torch.cat(rows[1:], dim=1)


def _steps(patient, check):
    n = patient.tokens.shape[1]
    yield from _cached(patient, check, [*range(n - 3, n)])


def _chunk(patient, check):
    yield from _cached(patient, check, [patient.tokens.shape[1] - 3])


def _cached(patient, check, cuts):
    if missing := _needs(patient, check, "cache"):
        yield from missing
        return
    if not patient.causal:
        yield Finding(check, "not tried", "a token that sees later ones cannot be answered before them")
        return
    tokens, first = patient.tokens[:1], cuts[0]
    n = tokens.shape[1]

    def told(positions):
        """Rows of the new tokens, each as if it alone had come at its position, after a right beginning."""
        rows = []
        for number, position in enumerate(positions, start=first):
            before = [*range(first), *positions[: number - first]]
            rows.append(patient.rows(tokens[:, : number + 1], _positions(*before, position))[:, -1:])
        return torch.cat(rows, dim=1)

    if patient.ask(tokens[:, :first])[1] is None:
        yield Finding(check, "not tried", "no cache comes back")
        return
    new, together = range(first, n), len(cuts) == 1
    offset = "the offset by the length of the cache"
    stories = [
        ("every new token gets position 0", offset, lambda: told([0] * (n - first))),
        ("positions begin again at 0 after the cache", offset, lambda: told([p - first for p in new])),
        ("the length of the cache is counted twice", f"{offset}: it is added in two places",
         lambda: told([p + first for p in new] if together else [2 * p for p in new])),
        ("positions after the cache are one too far on", offset, lambda: told([p + 1 for p in new])),
        ("positions after the cache are one too low", offset, lambda: told([p - 1 for p in new])),
        ("all new tokens get the position of the first", "position_ids when several tokens come at once",
         lambda: told([first] * (n - first))),
        ("the cache is not used", "where cached keys and values are put before the new ones",
         lambda: torch.cat([patient.rows(tokens[:, a:b], torch.arange(a, b)[None])
                            for a, b in zip(cuts, [*cuts[1:], n])], dim=1)),
    ]  # fmt: skip
    otherwise = (
        "what is kept in the cache is not what was used: no new position explains it",
        "are cached keys turned again, or kept before the turn?",
    )
    if "position_ids" not in patient.takes:
        stories, otherwise = [], (
            "new tokens are not counted on from the cache, or what it keeps is not what was used",
            f"{offset}; are cached keys turned again? With position_ids the doctor could say which",
        )  # fmt: skip
    for with_positions in (False, True) if "position_ids" in patient.takes else (False,):
        seen = _continued(patient, cuts, with_positions)
        at_once = patient.rows(tokens, torch.arange(n)[None] if with_positions else None)[:, first:]
        verdict = _verdict(
            patient, check, seen, at_once, right="with a cache, the rows are those of the whole text at once",
            wrong=f"with a cache{' and position_ids' * with_positions}, the rows are not those at once",
            lesson="lesson 17", stories=stories, otherwise=otherwise,
        )  # fmt: skip
        if verdict.status == "wrong":
            break
    yield verdict


def _packing(patient, check):
    if missing := _needs(patient, check, "position_ids", "mask"):
        yield from missing
        return
    one, other = patient.tokens[:1, :-3], patient.tokens[1:2]
    m, n = one.shape[1], other.shape[1]
    packed, positions = torch.cat([one, other], dim=1), _positions(*range(m), *range(n))
    text = torch.tensor([0] * m + [1] * n)
    mask = (text[:, None] == text) & torch.ones(m + n, m + n).tril().bool()
    alone = torch.cat([patient.rows(one), patient.rows(other)], dim=1)
    try:
        seen = patient.rows(packed, positions, mask[None])
    except Exception as error:
        yield Finding(check, "not tried", f"a mask (batch, n_q, n_k) ends in {type(error).__name__}")
        return
    going_on = m + torch.arange(n)[None]
    stories = [
        ("the mask between the texts is not used", "where a mask with three axes reaches the scores",
         lambda: patient.rows(packed, positions)),
        (*UNUSED_POSITIONS, lambda: torch.cat([patient.rows(one), patient.rows(other, going_on)], dim=1)),
    ]  # fmt: skip
    yield _verdict(
        patient, check, seen, alone, right="two texts packed into one row get the rows that each gets alone",
        wrong="two texts packed into one row do not get the rows that each gets alone",
        lesson="lesson 17", stories=stories,
    )  # fmt: skip


CHECKS = {
    "order": _order, "future": _future, "first position": _beginning, "shift": _shift, "far positions": _far,
    "batch": _batch, "left padding": _left_padding, "step by step": _steps, "several new tokens": _chunk,
    "packing": _packing,
}  # fmt: skip


def _against(patient, reference):
    """What turns the reference into the patient: each change of the reference is one story."""
    check = "reference"
    tokens, right = patient.tokens[:1], _adapted(reference)
    apart = 37 * torch.arange(tokens.shape[1])[None] if "position_ids" in patient.takes else None
    seen = patient.rows(tokens, apart)

    def rows():
        given = {} if apart is None else {"position_ids": apart}
        with torch.no_grad():
            return torch.as_tensor(right(tokens, **given)[0]).double()

    size = patient.difference(seen, rows())
    if size < ENOUGH:
        return [Finding(check, "right", "the rows are those of the reference", size)]
    wrong = "the rows are not those of the reference"
    for culprit, look_at, lesson, make in wrong_rotations.mistakes(reference):
        undo = make()
        try:
            told = rows()
        finally:
            undo()
        if patient.difference(seen, told) < ENOUGH / 10:
            return [Finding(check, "wrong", wrong, size, culprit, look_at, lesson)]
    return [Finding(check, "wrong", wrong, size, "", "the weights, and what is not about positions")]


def _adapted(model):
    if not callable(model):
        raise TypeError(f"logits must be a function or a model, got {model!r}")
    return of_transformers(model) if hasattr(model, "config") and hasattr(model, "generate") else model


def _words(logits):
    """Which of `WORDS` the function takes."""
    parameters = list(inspect.signature(logits).parameters.values())
    foreign = [p.name for p in parameters[1:] if p.name not in WORDS and p.default is p.empty and p.kind < 2]
    if not parameters or foreign:
        takes = f"takes {', '.join(p.name for p in parameters) or 'nothing'}"
        raise TypeError(f"logits must take tokens and, if it can, {', '.join(WORDS)}; this one {takes}")
    return {p.name for p in parameters} & set(WORDS)


def of_transformers(model):
    """A causal model of the transformers library as the doctor asks it."""
    takes_positions = "position_ids" in inspect.signature(model.forward).parameters

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

    return logits if takes_positions else without_positions


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m pe_lessons.doctor", description=__doc__.splitlines()[0])
    parser.add_argument("module", help="a Python file with `logits` or `model`, perhaps `reference`")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(words)
    try:
        module = _loaded(Path(options.module))
        model = getattr(module, "logits", None) or getattr(module, "model", None)
        if model is None:
            raise ValueError(f"{options.module} must define a function `logits` or a `model`")
        words = {name: getattr(module, name, None) for name in ("vocab_size", "reference")}
        findings = examine(model, **words)
    except (TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=1))
    else:
        print(*findings, sep="\n")
    return int(any(finding.status == "wrong" for finding in findings))


def _loaded(path):
    if not path.is_file() or path.suffix != ".py":
        raise ValueError(f"module must be a Python file, a path that ends in .py, got {str(path)!r}")
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
