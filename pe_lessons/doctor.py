"""Finds out what a causal language model does with positions, from outside, and names what is wrong.

    python -m pe_lessons.doctor my_module.py            # a file with a function `logits`, or a `model`
    python -m pe_lessons.doctor --json my_module.py     # for CI

The model is a function of whole numbers:

    def logits(tokens, position_ids=None, mask=None, cache=None):
        ...
        return scores, cache

`tokens` is (batch, n_q), `position_ids` likewise; `mask` is True where a key may be looked at, (batch, n_k) or
(batch, n_q, n_k); `cache` is whatever the call before returned. Arguments that the function does not have are
not tried, and the report says so. A model of the transformers library can be given as it is.

Each check compares two ways to the same answer. Where they differ, the doctor asks the model what it would have
said *had it made a certain mistake*, and names the mistake whose answer is the one that was seen.
"""

import argparse
import dataclasses
import importlib.util
import inspect
import json
import sys
from pathlib import Path

import torch

from pe_lessons import arguments

PADDING = 4  # so many tokens of padding
SHIFT = 40
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
        size = f" ({self.size:.0%} of what positions do)" if self.status == "wrong" else ""
        lines = [f"{self.status:>9}  {self.check}: {self.says}{size}"]
        lines += [f"           {word}: {text}" for word, text in self._more() if text]
        return "\n".join(lines)

    def _more(self):
        return (("culprit", self.culprit), ("look at", self.look_at), ("read", self.lesson))


class Patient:
    """A model as the doctor asks it: lists of positions in, one row of logits for each new token out."""

    def __init__(self, logits, vocab_size, length=10, seed=0):
        self.logits = logits
        self.takes = set(inspect.signature(logits).parameters)
        draw = torch.Generator().manual_seed(seed)
        self.tokens = torch.randint(vocab_size // 2, vocab_size, (3, length), generator=draw)
        self.padding = torch.full((1, PADDING), vocab_size // 2 - 1)

    def ask(self, tokens, position_ids=None, mask=None, cache=None):
        """The logits (batch, n_q, vocab_size) in float64, and the cache."""
        given = {"position_ids": position_ids, "mask": mask, "cache": cache}
        given = {name: value for name, value in given.items() if value is not None}
        with torch.no_grad():
            answer = self.logits(tokens, **given)
        logits, cache = answer if isinstance(answer, tuple) else (answer, None)
        return torch.as_tensor(logits).double(), cache

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
            if "position_ids" in self.takes:
                other = self.rows(tokens, 3 * torch.arange(tokens.shape[1])[None])
            else:
                swapped = tokens[:, [1, 0, *range(2, tokens.shape[1])]]
                as_given, other = as_given[:, 2:], self.rows(swapped)[:, 2:]
            self._scale = max((as_given - other).abs().max().item(), 1e-9 * as_given.abs().max().item())
        return self._scale

    def moved(self, offset):
        """How much the rows of a text change when all its positions are moved."""
        tokens = self.tokens[:1]
        positions = torch.arange(tokens.shape[1])[None]
        return self.difference(self.rows(tokens, positions + offset), self.rows(tokens, positions))


def examine(logits, vocab_size, *, length=10, reference=None, seed=0):
    """Everything that can be found out about `logits`, as a list of `Finding`.

    Parameters
    ----------
    logits : callable
        As the top of this module says, or a causal model of transformers.
    vocab_size : int
        Tokens from its upper half are asked.
    length : int
        How many tokens a text has, at least 8.
    reference : model of transformers, optional
        The same weights in an implementation that is right; with it a wrong rotation can be named, too.

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
    arguments.whole_number("vocab_size", vocab_size, minimum=4)
    patient = Patient(_adapted(logits), vocab_size, length, seed)
    checks = (_order, _future, _beginning, _shift, _far, _batch, _left_padding, _steps, _chunk, _packing)
    findings = [finding for check in checks for finding in check(patient)]
    return findings + (_against(patient, reference) if reference is not None else [])


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


def _order(patient):
    tokens = patient.tokens[:1]
    other = tokens[:, [1, 0, *range(2, tokens.shape[1])]]
    rows, moved = patient.rows(tokens), patient.rows(other)
    if (rows[:, -1] - moved[:, -1]).abs().max() < 1e-9 * rows.abs().max():
        yield Finding(
            "order",
            "note",
            "the last token does not notice when the first two are exchanged",
            lesson="lesson 01",
        )
    else:
        yield Finding("order", "right", "the last token notices when the first two are exchanged")


def _future(patient):
    tokens, changed = patient.tokens[:1], patient.tokens[:1].clone()
    changed[0, -1] = patient.padding[0, 0]
    verdict = _verdict(
        patient, "future", patient.rows(changed)[:, :-1], patient.rows(tokens)[:, :-1],
        right="no token sees a later one", wrong="another last token changes the rows before it",
        lesson="lesson 01", otherwise=("a causal mask is missing", "the mask of the attention"),
    )  # fmt: skip
    patient.causal = verdict.status == "right"
    yield verdict


def _beginning(patient):
    check = "first position"
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


def _shift(patient):
    check = "shift"
    if missing := _needs(patient, check, "position_ids"):
        yield from missing
        return
    size = patient.moved(SHIFT)
    moves = (
        "changes nothing: relative positions" if size < ENOUGH else "changes the answers: absolute positions"
    )
    yield Finding(check, "note", f"moving all positions by {SHIFT} {moves}", size)


def _far(patient):
    check = "far positions"
    if "position_ids" not in patient.takes:
        return
    try:
        some, far, very_far = (patient.moved(offset) for offset in (SHIFT, 1_000, 1_000_000))
    except Exception as error:
        yield Finding(
            check, "note", f"far positions end in {type(error).__name__}: a table of positions ends"
        )
        return
    relative = (
        f"moving all positions by {SHIFT} changes {some:.1%}, by 1,000 {far:.1%}, by 1,000,000 {very_far:.1%}"
    )
    if some >= ENOUGH:
        return
    if far < ENOUGH:
        yield Finding(check, "right" if very_far < ENOUGH else "note", relative, very_far)
    else:
        yield Finding(
            check, "wrong", relative, far, "angles in a small format such as bfloat16",
            "the dtype in which positions are multiplied by frequencies", "lesson 14",
        )  # fmt: skip


def _batch(patient):
    tokens = patient.tokens
    n = tokens.shape[1]
    alone = torch.cat([patient.rows(row[None]) for row in tokens])
    stories = [
        ("positions go on from one text of the batch to the next", "the axis along which positions are counted",
         lambda: torch.cat([patient.rows(row[None], b * n + torch.arange(n)[None]) for b, row in enumerate(tokens)])),
        ("the number of the text in the batch is taken for the position", "the order of the axes (batch, seq_len)",
         lambda: torch.cat([patient.rows(row[None], torch.full((1, n), b)) for b, row in enumerate(tokens)])),
    ]  # fmt: skip
    yield _verdict(
        patient, "batch", patient.rows(tokens), alone, right="a text gets the same rows alone and in a batch",
        wrong="a text gets other rows in a batch than alone", lesson="lesson 05", stories=stories,
    )  # fmt: skip


def _left_padding(patient):
    check = "left padding"
    if missing := _needs(patient, check, "mask"):
        yield from missing
        return
    tokens, n = patient.tokens[:1], patient.tokens.shape[1]
    alone, padded = patient.rows(tokens), torch.cat([patient.padding, tokens], dim=1)
    mask = torch.cat([torch.zeros(1, PADDING), torch.ones(1, n)], dim=1).bool()
    without = patient.rows(padded, None, mask)[:, PADDING:]
    if without.isnan().all():
        says = "all rows are NaN: padding may look at nothing, and the softmax of nothing is 0 / 0"
        yield Finding(
            check,
            "note",
            says,
            look_at="let padding look at itself, or ask the model in float32",
            lesson="lesson 14",
        )
        return
    if "position_ids" not in patient.takes:
        yield _verdict(
            patient, check, without, alone, right="padding on the left changes nothing",
            wrong="padding on the left changes the rows of the text", lesson="lesson 14",
            stories=[("the mask is not used", "where the mask reaches the scores", lambda: patient.rows(padded)[:, PADDING:])],
            otherwise=("padding is counted as positions", "count positions from the first real token"),
        )  # fmt: skip
        return
    positions = _positions(*[0] * PADDING, *range(n))
    counted = torch.arange(PADDING + n)[None]
    with_ids = patient.rows(padded, positions, mask)[:, PADDING:]
    stories = [
        ("the mask is not used", "where the mask reaches the scores",
         lambda: patient.rows(padded, positions)[:, PADDING:]),
        ("position_ids are not used once there is a mask", "where position_ids are made from the mask",
         lambda: patient.rows(tokens, counted[:, PADDING:])),
    ]  # fmt: skip
    verdict = _verdict(
        patient, check, with_ids, alone, right="with position_ids, padding on the left changes nothing",
        wrong="even with position_ids, padding on the left changes the rows of the text", lesson="lesson 14", stories=stories,
    )  # fmt: skip
    yield verdict
    size = patient.difference(without, alone)
    if verdict.status == "right" and size > ENOUGH:
        yield Finding(
            check, "note", f"without position_ids it changes {size:.0%}: give them, counted from the first real token",
            size, lesson="lesson 14",
        )  # fmt: skip


def _continued(patient, cuts, with_positions):
    """The rows from the first cut on, when the text comes in pieces and a cache is handed on."""
    tokens = patient.tokens[:1]
    rows, cache = [], None
    for first, end in zip([0, *cuts], [*cuts, tokens.shape[1]]):
        positions = torch.arange(first, end)[None] if with_positions else None
        piece, cache = patient.ask(tokens[:, first:end], positions, cache=cache)
        rows.append(piece)
    return torch.cat(rows[1:], dim=1)


def _steps(patient):
    n = patient.tokens.shape[1]
    yield from _cached(patient, "step by step", [*range(n - 3, n)])


def _chunk(patient):
    yield from _cached(patient, "several new tokens", [patient.tokens.shape[1] - 3])


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
    new = range(first, n)
    together = len(cuts) == 1
    stories = [
        ("every new token gets position 0", "the offset by the length of the cache", lambda: told([0] * (n - first))),
        ("positions begin again at 0 after the cache", "the offset by the length of the cache",
         lambda: told([p - first for p in new])),
        ("the length of the cache is counted twice", "the offset: it is added in two places",
         lambda: told([p + first for p in new] if together else [2 * p for p in new])),
        ("positions after the cache are one too far on", "the offset: the length of the cache, no more",
         lambda: told([p + 1 for p in new])),
        ("positions after the cache are one too low", "the offset: the length of the cache, no less",
         lambda: told([p - 1 for p in new])),
        ("all new tokens get the position of the first", "position_ids when several tokens come at once",
         lambda: told([first] * (n - first))),
        ("the cache is not used", "where cached keys and values are put before the new ones",
         lambda: torch.cat([patient.rows(tokens[:, a:b], torch.arange(a, b)[None])
                            for a, b in zip(cuts, [*cuts[1:], n])], dim=1)),
    ]  # fmt: skip
    if "position_ids" not in patient.takes:
        stories = []
    sizes = {}
    for with_positions in (False, True) if "position_ids" in patient.takes else (False,):
        seen = _continued(patient, cuts, with_positions)
        at_once = patient.rows(tokens, torch.arange(n)[None] if with_positions else None)[:, first:]
        verdict = _verdict(
            patient, check, seen, at_once, right="with a cache, the rows are those of the whole text at once",
            wrong=f"with a cache{' and position_ids' if with_positions else ''}, the rows are not those at once",
            lesson="lesson 11", stories=stories,
            otherwise=("no position of the new tokens explains it: what is kept in the cache is not what was used",
                       "are cached keys turned again, or kept before the turn?"),
        )  # fmt: skip
        sizes[with_positions] = verdict
    wrong = [verdict for verdict in sizes.values() if verdict.status == "wrong"]
    yield wrong[0] if wrong else sizes[False]


def _packing(patient):
    check = "packing"
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
    stories = [
        ("the mask between the texts is not used", "where a mask with three axes reaches the scores",
         lambda: patient.rows(packed, positions)),
        ("position_ids are not used once there is a mask", "where position_ids are made from the mask",
         lambda: torch.cat([patient.rows(one), patient.rows(other, m + torch.arange(n)[None])], dim=1)),
    ]  # fmt: skip
    yield _verdict(
        patient, check, seen, alone, right="two texts packed into one row get the rows that each gets alone",
        wrong="two texts packed into one row do not get the rows that each gets alone", lesson="lesson 14", stories=stories,
    )  # fmt: skip


# --- a reference ------------------------------------------------------------------------------------------------


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
    for culprit, look_at, lesson, change in _changes(reference):
        undo = change()
        try:
            told = rows()
        finally:
            undo()
        if patient.difference(seen, told) < ENOUGH / 10:
            return [Finding(check, "wrong", wrong, size, culprit, look_at, lesson)]
    return [Finding(check, "wrong", wrong, size, "", "the weights, and what is not about positions")]


def _changes(model):
    """(culprit, look_at, lesson, change) for everything that can be changed in a reference."""
    rotation = "where sines and cosines are put together"
    powers = "the exponent of the base"
    frequencies = {
        ("the rotation goes the other way", rotation, "lesson 11"): lambda f: -f,
        ("the exponent is doubled", powers, "lesson 03"): lambda f: f**2,
        ("nothing turns", rotation, "lesson 11"): lambda f: 0 * f,
        ("frequencies are rounded to bfloat16", "the dtype of the frequencies", "lesson 14"): lambda f: f.bfloat16().to(f),
        **{(f"the base is {base:,}", "the base that the configuration gives", "lesson 12"): _with_base(base)
           for base in (10_000, 100_000, 500_000, 1_000_000)},
        **{(f"positions are divided by {factor}", "the rule for long texts", "lesson 12"): lambda f, by=factor: f / by
           for factor in (2, 4, 8)},
        **{(f"positions are multiplied by {factor}", "the rule for long texts", "lesson 12"): lambda f, by=factor: f * by
           for factor in (2, 4, 8)},
        ("every frequency belongs to the pair after it", powers, "lesson 03"): lambda f: f.roll(1),
    }  # fmt: skip
    for story, change in frequencies.items():
        yield *story, lambda change=change: _changed_buffers(model, change)
    for story, order in (
        (
            ("the weights are in halves, the code turns neighbours", "the layout of the pairs", "lesson 11"),
            _interleaved,
        ),
        (
            ("the weights are in neighbours, the code turns halves", "the layout of the pairs", "lesson 11"),
            _halved,
        ),
    ):
        yield *story, lambda order=order: _changed_projections(model, order)
    yield ("angles are rounded to bfloat16", "the dtype in which positions are multiplied", "lesson 14",
           lambda: _changed_rotations(model, lambda angles: angles.bfloat16()))  # fmt: skip
    stack = getattr(getattr(model, "model", model), "layers", ())
    for number in range(len(stack)):
        yield (f"layer {number} does not turn", "the plan of the layers: which of them have positions", "lesson 15",
               lambda number=number: _unturned(stack[number : number + 1]))  # fmt: skip
    for every in (2, 4):
        for first, which in ((every - 1, "every"), (0, "the first of every")):
            yield (f"{which} {every} layers one does not turn", "the plan of the layers: which of them have positions",
                   "", lambda layers=stack[first::every]: _unturned(layers))  # fmt: skip


def _with_base(base):
    return lambda f: (base ** (-torch.arange(len(f), dtype=torch.float64) / len(f))).to(f)


def _changed_buffers(model, change):
    found = [
        buffer for name, buffer in model.named_buffers() if name.endswith("inv_freq") and buffer.ndim == 1
    ]
    before = [buffer.clone() for buffer in found]
    for buffer in found:
        buffer.copy_(change(buffer))
    return lambda: [buffer.copy_(old) for buffer, old in zip(found, before)]


def _interleaved(rows):
    """(head_dim, ...) in halves, as the neighbours that a code for the other layout takes them for."""
    return torch.cat([rows[0::2], rows[1::2]])


def _halved(rows):
    return torch.stack(rows.chunk(2), dim=1).flatten(0, 1)


def _changed_projections(model, order):
    found = [p for name, p in model.named_parameters() if "q_proj" in name or "k_proj" in name]
    before = [p.detach().clone() for p in found]
    head_dim = _head_dim(model.config)
    with torch.no_grad():
        for p in found:
            p.copy_(torch.cat([order(head) for head in p.detach().clone().split(head_dim)]))

    def undo():
        with torch.no_grad():
            for p, old in zip(found, before):
                p.copy_(old)

    return undo


def _head_dim(config):
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def _changed_rotations(model, rounded):
    def hook(module, given, kwargs, output):
        x, positions = [*given, *kwargs.values()][:2]
        angles = rounded(positions[..., None] * rounded(module.inv_freq)).to(x).repeat(1, 1, 2)
        return angles.cos(), angles.sin()

    found = [
        module for module in model.modules() if isinstance(getattr(module, "inv_freq", None), torch.Tensor)
    ]
    hooks = [module.register_forward_hook(hook, with_kwargs=True) for module in found]
    return lambda: [handle.remove() for handle in hooks]


def _unturned(layers):
    def hook(module, given, kwargs):
        cosine, sine = kwargs["position_embeddings"]
        return given, kwargs | {"position_embeddings": (torch.ones_like(cosine), torch.zeros_like(sine))}

    hooks = [layer.register_forward_pre_hook(hook, with_kwargs=True) for layer in layers]
    return lambda: [handle.remove() for handle in hooks]


# --- adapters ---------------------------------------------------------------------------------------------------


def _adapted(model):
    if not callable(model):
        raise TypeError(f"logits must be a function or a model, got {model!r}")
    return of_transformers(model) if hasattr(model, "config") and hasattr(model, "generate") else model


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
    parser.add_argument(
        "module", help="a Python file with `logits` (or `model`), and `vocab_size` if it is not 32"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(words)
    try:
        module = _loaded(Path(options.module))
        model = getattr(module, "logits", None) or getattr(module, "model", None)
        if model is None:
            raise ValueError(f"{options.module} must define a function `logits` or a `model`")
        size = getattr(module, "vocab_size", None) or getattr(
            getattr(model, "config", None), "vocab_size", 32
        )
        findings = examine(model, size, reference=getattr(module, "reference", None))
    except (TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=1))
    else:
        print(*findings, sep="\n")
    return int(any(finding.status == "wrong" for finding in findings))


def _loaded(path):
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
