"""A model as the doctor asks it, and what is said of it."""

import dataclasses
import functools
import inspect
import math
import re

import torch

LENGTH, NEW, PADDING = 10, 3, 4  # tokens of a text, of them after the cache, and of padding
OLD = LENGTH - NEW
SHIFT, FARTHEST = 40, 1_000_000
LONG, LONGEST = 160, 512  # tokens of a long text, and of one that is to be longer than a window
WORDS = ("position_ids", "mask", "cache")
ROUNDING = 100  # last bits of the largest score: ten times what healthy models show
ROUGH = 16  # last bits of a 16-bit format: three times what healthy models show that work in one
LITTLE = 0.05  # of what order does: a cache in bfloat16 or int8 may do so much
ROUNDED_CACHE = (
    "rounded-cache | rounding of the cache, for example to bfloat16 or int8, or something else of this size",
    "does the cache keep all digits? If it is rounded on purpose, say so with tolerance",
)  # fmt: skip
SMALL = (torch.bfloat16, torch.float16)
TINY = (torch.float8_e4m3fn, torch.float8_e5m2)
PRODUCTS = "linear addmm matmul __matmul__ bmm baddbmm einsum scaled_dot_product_attention".split()


def maybe(seen, causes):
    """A culprit that is no proven name: what was seen is true, whatever the cause is."""
    return f"{seen}. Look first at {causes}; something else can do it, too"


class Crash(Exception):
    """The model raised an error, its `__cause__`, when it was asked."""

    @property
    def kind(self):
        return type(self.__cause__).__name__


class NoScores(TypeError, ValueError):
    """The model returns what the doctor cannot take for scores."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """What one check found; `status` is "right", "wrong", "note", "not tried" or "failed".

    Not tried: the model does not take what the check needs. Failed: it does, and then raises an error.
    """

    check: str
    status: str
    says: str
    size: float | None = 0.0  # largest difference, as a share of what order does; None if it is not finite
    culprit: str = ""
    look_at: str = ""
    lesson: str = ""
    id: str = ""  # stays what it is when the words change

    def __post_init__(self):
        """A culprit is written "id | words"."""
        short, _, words = self.culprit.rpartition(" | ")
        check = hyphened(self.check)
        object.__setattr__(self, "culprit", words)
        object.__setattr__(self, "id", self.id or (f"{check}/{short}" if short else check))

    def __str__(self):
        size = f" ({share(self.size)})" if self.status == "wrong" and self.size else ""
        more = (("culprit", self.culprit), ("look at", self.look_at), ("read", self.lesson))
        more = (*more, ("id", self.id if self.status == "wrong" else ""))
        lines = [f"{self.status:>9}  {self.check}: {self.says}{size}"]
        return "\n".join([*lines, *(f"           {word}: {text}" for word, text in more if text)])


def hyphened(check):
    return check.replace(",", "").replace(" ", "-")


def finite(size):
    """JSON has no infinity."""
    return size if math.isfinite(size) else None


def share(size):
    return f"{size:.1%} of what order does" if size < 10 else "far more than order does"


class Patient:
    """A model as the doctor asks it: lists of positions in, one row of logits for each new token out."""

    def __init__(self, logits, vocab_size, relative=False, tolerance=None, window=0):
        self.logits, self.relative, self.tolerance = logits, relative, tolerance or 0.0
        self.arguments = _arguments(logits)
        self.unused, self.too_long, self.too_far = (), "", ""
        self.unfilled = ()  # what is wrong with the buffers of frequencies, if they can be seen
        draw = torch.Generator().manual_seed(0)
        self.tokens = torch.randint(vocab_size // 2, vocab_size, (3, LENGTH), generator=draw)
        self.tokens[0, :2] = torch.tensor([vocab_size - 1, vocab_size - 2])  # two that differ
        self.text, self.count = self.tokens[:1], torch.arange(LENGTH)[None]
        self.stranger = vocab_size // 2 - 1  # a token of no text: padding, or put in the place of another
        length = max(LONGEST, window + LENGTH)
        self.long = torch.randint(vocab_size // 2, vocab_size, (1, length), generator=draw)
        self.longest = self.farthest = 0  # tokens of a text, and position, that were answered
        self.works_in, self.rough = None, 0.0  # a 16-bit format inside, and how much its rounding may do
        self.perhaps_rough = 0.0  # the same where nobody can see inside: it is compiled, or not in PyTorch
        self.kept_in = None  # a format of the cache in 8 or 16 bits
        self.even = self.batches = self.steps_right = False  # no sign of a state, and what is right
        self.settles = False  # many equal tokens end in equal rows, so no table is added
        self.several_right = False  # with a cache, several new tokens at once
        self.mask_wrong = False  # what follows from it is not said again
        self.grows = False  # something changes with the length of the text

    def ask(self, tokens, position_ids=None, mask=None, cache=None):
        """The logits (batch, n_q, vocab_size) in float64, and the cache."""
        given = {"position_ids": position_ids, "mask": mask, "cache": cache}
        given = {name: value for name, value in given.items() if value is not None}
        try:
            if not given.keys() <= {*self.arguments}:
                raise TypeError(f"of {', '.join(given)} it takes some, or uses some")
            with torch.no_grad():
                answer = self.logits(tokens, **given)
        except Exception as error:
            raise Crash(f"the model ends in {type(error).__name__}: {error}".splitlines()[0]) from error
        scores, cache = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
        if isinstance(scores, dict | list | tuple) or hasattr(scores, "logits"):
            kind = type(scores).__name__
            inside = " Its scores are probably in .logits." if hasattr(scores, "logits") else ""
            raise NoScores(f"logits must return scores, or a tuple (scores, cache), got a {kind}.{inside}")
        scores = torch.as_tensor(scores)
        if scores.shape[:-1] != tokens.shape:
            wanted = f"(batch, n_q, vocab_size), here ({tokens.shape[0]}, {tokens.shape[1]}, vocab_size)"
            raise NoScores(f"logits must return {wanted}, got {tuple(scores.shape)}")
        self.dtype = scores.dtype if scores.is_floating_point() else torch.float64
        self.longest = max(self.longest, tokens.shape[1])
        self.farthest = max(self.farthest, *([] if position_ids is None else [int(position_ids.max())]), 0)
        return scores.double(), cache

    @property
    def known(self):
        """Can positions be given?"""
        return "position_ids" in self.arguments

    def refused(self, offset):
        """Are positions so far out not answered, as where a table ends?"""
        try:
            self.rows(self.text, self.count + offset)
        except Crash as crash:
            self.unless_a_slip(crash)
            self.too_far = f", and no farther ({crash.kind})"
            return True
        return False

    @functools.cached_property
    def end(self):
        """How many positions are answered, from 0 on; at most as many as the doctor asks about."""
        if not self.refused(FARTHEST):
            return FARTHEST + LENGTH
        low, high = 0, FARTHEST
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.refused(middle) else (middle, high)
        return low + LENGTH

    def within(self, offset, n=LENGTH):
        """So far, or as far as the positions of `n` tokens may be moved."""
        if offset + n <= self.farthest + 1 or not self.refused(offset + n - LENGTH):
            return offset
        return min(offset, self.end - n)

    def altered(self, text, places):
        """The same texts, where the first one has a stranger at these places."""
        text = text.clone()
        text[0, places] = self.stranger
        return text

    def unless_a_slip(self, crash):
        """A model may refuse what it doesn't take, but not by a name that it misspells."""
        if isinstance(crash.__cause__, NameError | AttributeError):
            raise crash

    def rows(self, tokens, position_ids=None, mask=None):
        return self.ask(tokens, position_ids, mask)[0]

    def continued(self, tokens, cuts, positions=None, mask=None, later=None):
        """The rows from the first cut on, when the text comes in pieces and a cache is handed on.

        With `later` the pieces after the first one get that mask.
        """
        rows, cache = [], None
        for first, end in zip([0, *cuts], [*cuts, tokens.shape[1]]):
            ids = None if positions is None else positions[:, first:end]
            one = mask if later is None or not first else later
            if one is not None:
                one = one[:, :end] if one.ndim == 2 else one[:, first:end, :end]
            piece, cache = self.ask(tokens[:, first:end], ids, one, cache)
            rows.append(piece)
        return torch.cat(rows[1:], dim=1)

    def shorten(self, window):
        """A long text: longer than the window, where there is one, and as long as the model answers."""
        self.too_long, most = "", self.long.shape[1]
        length = max(LONG, window + LENGTH if window + LENGTH <= most else 0)
        while length > LENGTH:
            try:
                self.rows(self.long[:, :length])
                break
            except Crash as crash:
                self.too_long, length = f"; {length} are more than it takes ({crash.kind})", length * 3 // 4
        self.long = self.long[:, : max(length, LENGTH)]
        if window > length:
            self.too_long += f", none longer than the window of {window:,}"

    def ways(self, positions):
        """Without position_ids, and with these if the model takes any."""
        return [None, positions] if self.known else [None]

    def measured(self):
        """What order does (`scale`), and how much is a fault (`enough`): the first `Finding`."""
        rows, again = self.rows(self.text), self.rows(self.text)
        size, rounded = rows.abs().max().item(), format_shown(rows) or self.dtype
        noise = ROUNDING * torch.finfo(rounded).eps * size
        if not rows.isfinite().all():
            return Finding("answers", "not tried", "not all scores of a plain text are finite numbers")
        if (rows - again).abs().max() > 1e-3 * size:
            says = "the same tokens get two answers, so nothing else can be tried"
            culprit = "dropout | dropout is on", "model.eval()"
            with torch.random.fork_rng(devices=[]):
                seeded = []
                for number in (0, 1):
                    self.rows(self.tokens[number + 1 :][:1])
                    torch.manual_seed(0)
                    seeded.append(self.rows(self.text))
            if (seeded[0] - seeded[1]).abs().max() > 1e-3 * size:
                culprit = (
                    "kept | something is kept from one call to the next, or drawn at random without a seed",
                    "a cache, or the state of a layer, that is not emptied",
                )
            return Finding("answers", "wrong", says, 0, *culprit)
        exchanged = self.rows(self.text[:, [1, 0, *range(2, LENGTH)]])
        self.scale = (exchanged - rows)[:, 2:].abs().max().item()
        did, wanted = "exchanging two tokens", 100 * noise
        self.enough = max(1e-4, noise / max(self.scale, wanted), self.tolerance)
        if self.known:
            try:
                apart = (self.rows(self.text, 3 * self.count) - rows).abs().max().item()
            except Exception:  # a table that ends before these positions: they are used
                apart = self.scale
            if apart < noise / 10 and self.scale >= wanted:
                says, culprit = "position_ids change nothing", "unused | position_ids are not used"
                where = ("do they reach what is made of positions, and along the axis of the tokens, not of "
                         "the heads? Leave them out only if the model has no use for them")  # fmt: skip
                return Finding("position_ids", "wrong", says, 0, culprit, where)
            did = "moving the tokens apart"
            self.scale, self.enough = apart, max(1e-2, self.tolerance)
        moves = f"{did} moves the scores by {self.scale / max(size, 1e-300):.1g} of their size"
        if self.scale >= max(wanted, 1e-300):
            kept = [format_shown(one, (*TINY, *SMALL)) for one in tensors(self.ask(self.text)[1])]
            self.kept_in = next(filter(None, kept), None)
            inside = self.formats_inside()
            self.works_in = next((one for one in SMALL if 2 * inside.count(one) > len(inside)), None)
            if self.works_in:
                self.rough = ROUGH * torch.finfo(self.works_in).eps * size / self.scale
            if not inside:
                self.perhaps_rough = ROUGH * torch.finfo(torch.bfloat16).eps * size / self.scale
            return Finding("order", "right", moves)
        says = f"{moves}: a hundredth of it cannot be told from the rounding of {_name(rounded)}"
        where = "larger weights, or float64 if every part of the model works in it; or it sees no order"
        if rounded in SMALL:
            where = "model.float(), and no autocast: .float() on its scores gives nothing back"
        return Finding("order", "not tried", says, look_at=where, lesson="lesson 01")

    def formats_inside(self):
        """The formats in which the model's products of matrices come, as far as they can be seen."""
        seen = []

        class Watch(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                answer = function(*args, **kwargs or {})
                if getattr(function, "__name__", "") in PRODUCTS and torch.is_tensor(answer):
                    seen.append(answer.dtype)
                return answer

        try:
            with Watch():
                self.rows(self.text)
        except Crash:  # it cannot be watched
            return []
        return seen

    def difference(self, one, other):
        gap = (one - other).abs().max().item()
        return math.inf if gap != gap else gap / self.scale

    def same(self, one, other, by=1):
        """`by` times as strict: what is not seen does nothing, and another mistake does hardly as much."""
        return self.difference(one, other) < self.enough / by

    def moved(self, offset):
        """How much the rows of a text change when all its positions are moved."""
        return self.difference(self.rows(self.text, self.count + offset), self.rows(self.text, self.count))

    def told(self, new):
        """The rows of the last tokens if they stood at the positions `new`, after a right beginning."""
        return self.rows(self.text, torch.tensor([[*range(OLD), *new]]))[:, OLD:]

    def a_little_everywhere(self, seen, expected):
        """As rounding of a cache to 8 bits does: about as much in each row."""
        rows = (seen - expected).abs().amax(dim=-1) / self.scale
        return bool(rows.max() < 2 * LITTLE and rows.min() > rows.max() / 4)

    def rounded(self, check, wrong, size, lesson):
        """The `Finding` where the rounding inside the model is as good a reason as any."""
        small, where = self.works_in, "ask in float32 (model.float(), and no autocast) to find out"
        if not small:
            small, where = self.kept_in, "keep the cache in float32 to find out, or say so with tolerance"
        says = f"{wrong}, by {share(size)}: so much the rounding of {_name(small)} may do"
        return Finding(check, "not tried", says, size, look_at=where, lesson=lesson)

    def verdict(self, check, seen, expected, right, wrong, lesson, stories=(), otherwise=("", ""),
                perhaps_rounded=lambda: None):  # fmt: skip
        """What was seen held to what was expected. A story that explains it names the culprit.

        A story is (culprit, look_at, explains) or has a lesson before its end; `explains()` is the rows that
        the mistake would give, or whether it was made, or what is to be said of it. Little may come from a
        cache that is rounded, and then only the rows themselves are enough to name something else.
        `perhaps_rounded()`: whether it may be that alone, or None where there is no cache.
        """
        size = self.difference(seen, expected)
        if size < self.enough:
            return Finding(check, "right", right, size)
        if size < self.rough:
            return self.rounded(check, wrong, size, lesson)
        perhaps_rounded = perhaps_rounded()
        little = perhaps_rounded and size < max(LITTLE, 2 * self.tolerance)
        first, rounded = ". Look first at ", "; or the cache is rounded, for example to 8 bits"
        for culprit, look_at, *own, explains in stories:
            try:
                told = explains()
            except Exception:  # a story that this model cannot tell
                continue
            if little and isinstance(told, bool | str):
                continue
            more = told if isinstance(told, str) else ""
            if torch.is_tensor(told):
                told = self.difference(seen, told) < self.enough / 10
            elif perhaps_rounded is not None and self.a_little_everywhere(seen, expected):
                more += rounded
            if told:
                culprit = culprit.replace(first, more + first) if first in culprit else culprit + more
                return Finding(check, "wrong", wrong, finite(size), culprit, look_at, *(own or [lesson]))
        if little and self.kept_in:
            return self.rounded(check, wrong, size, lesson)
        if little:
            wrong, otherwise = "with a cache, the rows are nearly those at once, and not quite", ROUNDED_CACHE
        elif perhaps_rounded is not None and self.a_little_everywhere(seen, expected):
            otherwise = otherwise[0].replace(first, rounded + first), otherwise[1]
        return Finding(check, "wrong", wrong, finite(size), *otherwise, lesson)


def tensors(kept, depth=0):
    """All that a cache holds in tensors of numbers with a point."""
    if torch.is_tensor(kept):
        return [kept] * kept.is_floating_point()
    if not isinstance(kept, dict | list | tuple):
        kept = getattr(kept, "__dict__", {})
    inner = kept.values() if isinstance(kept, dict) else kept
    return [one for each in inner for one in tensors(each, depth + 1)] if depth < 6 else []


def format_shown(rows, formats=SMALL):
    """The small format that every one of these numbers is a number of, or None."""
    rows = rows.double()
    if torch.equal(rows, rows.round()):  # whole numbers say nothing
        return None
    return next((small for small in formats if torch.equal(rows, rows.to(small).double())), None)


def _name(dtype):
    return str(dtype).removeprefix("torch.")


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
    if getattr(getattr(model, "config", None), "is_encoder_decoder", False):
        raise TypeError(
            "logits must be a causal model, and this one has an encoder and a decoder: "
            "write a function that asks the decoder about one fixed text"
        )
    if hasattr(model, "config") and not hasattr(model, "generate") and hasattr(model, "base_model_prefix"):
        raise TypeError(
            f"logits must be a causal language model, and a {type(model).__name__} generates no text: an "
            "encoder reads both ways, and this doctor knows causal models only; a bare model lacks its head"
        )
    return of_transformers(model) if hasattr(model, "config") and hasattr(model, "generate") else model


def window_of(model):
    """The smallest window of a model of transformers, 0 where there is none."""
    names = ("sliding_window", "attention_chunk_size")
    found = [getattr(getattr(model, "config", None), name, None) for name in names]
    return min([number for number in found if isinstance(number, int) and number > 0], default=0)


ABOUT_POSITIONS = re.compile("rotary|rope|pos|wpe|freq|alibi", re.IGNORECASE)


def of_transformers(model):
    """A causal model of the transformers library as the doctor asks it."""
    takes = inspect.signature(model.forward).parameters
    # Mamba's cache_params is left out: with it the model is asked in another way, without a mask.
    kept = "past_key_values" if "past_key_values" in takes else None

    def logits(tokens, position_ids=None, mask=None, cache=None):
        given = {kept: cache, "use_cache": True} if kept else {}
        if position_ids is not None:
            given["position_ids"] = position_ids
        if mask is not None:
            far_below = max(torch.finfo(model.dtype).min, -1e30)
            given["attention_mask"] = (
                mask.long() if mask.ndim == 2
                else torch.where(mask, 0.0, far_below).to(model.dtype)[:, None]
            )  # fmt: skip
        output = model(input_ids=tokens, **given)
        return output.logits, getattr(output, kept, None) if kept else None

    # Hybrids take position_ids and hand them to nobody: nothing in them is about positions.
    parts = [*model.named_modules(), *model.named_buffers(), *model.named_parameters()]
    uses = any(ABOUT_POSITIONS.search(f"{name} {type(part).__name__}") for name, part in parts)
    missing = {"cache"} if kept is None else set()
    if "position_ids" not in takes or not uses:
        missing.add("position_ids")
    signature = inspect.signature(logits)
    left = [parameter for name, parameter in signature.parameters.items() if name not in missing]
    logits.__signature__ = signature.replace(parameters=left)
    return logits


def unfilled(model):
    """(culprit, look_at, lesson) if a buffer of frequencies holds what no rotation has, else ()."""
    for name, buffer in getattr(model, "named_buffers", list)():
        if not name.endswith("inv_freq") or buffer.ndim != 1 or not len(buffer):
            continue
        fast = buffer.double().abs()
        if not fast.any():
            what = f"zero | the frequencies in {name} are all 0, so nothing turns"
        elif not (fast.isfinite().all() and 1e-6 <= fast.max() <= 10 and (fast[1:] <= 4 * fast[:-1]).all()):
            what = f"unfilled | the frequencies in {name} are those of no rotation: uninitialised memory?"
        else:
            continue
        where = "a buffer that is not saved, made on the device 'meta' or with to_empty and never filled"
        return what, where, "lesson 05"
    return ()
