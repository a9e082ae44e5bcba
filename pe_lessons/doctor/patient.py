"""A model as the doctor asks it, and what is said of it."""

import dataclasses
import inspect

import torch

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
        size = f" ({share(self.size)})" if self.status == "wrong" and self.size else ""
        more = (("culprit", self.culprit), ("look at", self.look_at), ("read", self.lesson))
        lines = [f"{self.status:>9}  {self.check}: {self.says}{size}"]
        return "\n".join([*lines, *(f"           {word}: {text}" for word, text in more if text)])


def share(size):
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
        self.scale = (exchanged - rows)[:, 2:].abs().max().item()
        did, wanted = "exchanging two tokens", 1_000 * noise
        self.enough = max(1e-4, noise / max(self.scale, wanted))  # tokens do more than positions alone
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


def adapted(model):
    if not callable(model):
        raise TypeError(f"logits must be a function or a model, got {model!r}")
    return of_transformers(model) if hasattr(model, "config") and hasattr(model, "generate") else model


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
