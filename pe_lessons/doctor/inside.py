"""What PyTorch shows while a model answers: how queries and keys turn, what scores get, what tokens get.

What is seen in the patient and not in the reference is a name only if the reference, with that put into it,
answers as the patient does. Of a cache it is what new tokens see otherwise than in the whole text at once.
"""

import functools
import itertools
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from pe_lessons.doctor.examined_model import maybe, tensors

aten = torch.ops.aten
SOFTMAX = aten._softmax, aten._safe_softmax, aten.exp
SIZES = 509, 251, 151, 67, 31, 11  # tokens of a text: no width of a model
CLOSE, HIDDEN = 1e-3, -1e4
STILL = 0, 0, True, torch.zeros(0, dtype=torch.float64)  # how it turns what does not turn
OFFSET = "the offset by the length of the cache"
# beginning of an id: (where to look, lesson)
LOOK_AT = {
    "turns": ("the plan of the layers", "lesson 15"),
    "unturned": ("the plan of the layers; are keys turned before or after they are cached?", "lesson 09"),
    "columns": ("rotary_dim; which columns are cut off, and in which order they are joined", "lesson 10"),
    "layout": ("the layout of the pairs", "lesson 10"),
    "direction": ("where sines and cosines are put together", "lesson 09"),
    "exponent": ("the base that the configuration gives, and the exponent", "lesson 03"),
    "frequencies": ("the dtype of the frequencies", "lesson 21"),
    "apart": ("which positions are handed to queries, and which to keys", "lesson 09"),
    "positions": ("positions that are scaled, and the rule for long texts", "lesson 13"),
    "rule": ("rope_scaling, and the code that should apply it", "lesson 13"),
    "angles": ("positions[:, :, None]: does it lie along the tokens, or along the heads?", "lesson 09"),
    "base-or-exponent": ("the base that the configuration gives, and its exponent", "lesson 03"),
    "base": ("the base that the configuration gives", "lesson 13"),
    "bias-size": ("from which power do slopes begin? Is the bias divided by sqrt(d)?", "lesson 11"),
    "bias-places": ("the axis of the heads: view, where permute is meant", "lesson 11"),
    "bias": ("the slopes or the table of the bias, and the layers that get it", "lesson 11"),
    "window": ("is the token itself counted? sliding_window tokens, or that many before it", "lesson 15"),
    "buckets": ("num_buckets, max_distance, and bidirectional=False in a decoder", "lesson 11"),
    "table-size": ("is the embedding alone times sqrt(d)?", "lesson 08"),
    "table": ("how the table is made, and its sines and cosines: in turn, or in halves?", "lesson 08"),
    "row": ("where the table begins", "lesson 12"),
    "scale": ("division by sqrt(d); the factor of a rule for long texts", "lesson 09"),
    "offset": (OFFSET, "lesson 19"),
    "hidden": ("does the mask take slots of the cache for positions? Its triangle, its window", "lesson 19"),
    "heads": ("repeat, where repeat_interleave is meant", "lesson 09"),
    "counted": ("is the length of the cache taken for the number of tokens seen?", "lesson 20"),
    ("no-bias", "queries-bias", "cached-bias"): (
        "do the rows of the bias begin at the length of the cache?", "lesson 19"),
    "cache-row": ("which positions new tokens get, and so which rows of the table", "lesson 19"),
    "room": ("does the mask of new tokens end with the text? Later slots are empty", "lesson 20"),
    "state": ("where a state, or the end of a convolution, is handed on", "lesson 19"),
    "values-turned": ("queries and keys turn, and values don't", "lesson 09"),
    "other-layer": ("the number of the layer where the cache is read", "lesson 19"),
    ("values", "overwritten", "new-first"): ("which slots new keys and values are put into", "lesson 19"),
    ("by-slot", "turned-again", "keys-elsewhere", "new-keys", "queries"): (
        "where queries and keys turn, before or after they are cached, and at which positions", "lesson 19"),
    ("mask-forgets", "missing", "wider", "not-itself"): ("the mask of new tokens, its window", "lesson 19"),
    "": ("what the cache keeps, and where; where keys are turned; the mask of new tokens", "lesson 19"),
}  # fmt: skip


def found(name):
    """(culprit, where to look, lesson) of an "id | words"."""
    return name and (name, *next(more for begins, more in LOOK_AT.items() if name.startswith(begins)))


class Watch(TorchDispatchMode):
    """Keeps what the last `new` of `n` tokens bring to products of queries with keys, each softmax, products
    with values, and sums of two parts; `change` may have a function of the number and of these for each.

    Where there are more slots than `n` tokens, only those of the tokens are kept: `slots` has them for the
    number of a product. The mask tells them, after the product, so `found` are those for a second run.
    """

    def __init__(self, new, n=None, widths=(), slots=None, **change):
        super().__init__()
        self.new, self.n, self.widths, self.slots, self.change = new, n, widths, slots or {}, change
        self.turned, self.scores, self.values, self.sums, self.found = [], [], [], [], {}
        self.products = self.outer = self.waits = 0
        self.used = slice(None)

    def kept(self, name, *tensors):
        kept = getattr(self, name)
        kept.append([one.detach().double() for one in tensors])
        return self.change.get(name, lambda number, *same: same)(len(kept) - 1, *tensors)

    def product(self, queries, keys):
        inner, outer = queries.shape[2], keys.shape[2]
        self.products += 1
        if len(self.turned) > len(self.values) and inner == self.outer:
            return queries, _with(keys, self.used, *self.kept("values", keys[:, self.used]), dim=1)
        wide = self.n and outer > self.n
        mine = inner in self.widths if self.widths else outer == self.n != inner
        if self.products in self.slots or (mine and not wide):
            self.used, self.outer = self.slots.get(self.products, slice(None)), outer
            queries, own = self.kept("turned", queries, keys.mT[:, self.used])
            return queries, _with(keys, self.used, own.mT, dim=2)
        self.waits = self.products if wide else 0
        return queries, keys

    def softmax(self, scores):
        n, slots = self.n or scores.shape[-1], scores.shape[-1]
        if slots == n or (slots == self.outer and self.used != slice(None)):
            used = slice(None) if slots == n else self.used
            return _with(scores, used, *self.kept("scores", scores[..., used]), dim=-1)
        if slots > n and self.waits and (used := _slots_of_tokens(scores, n)):
            self.found[self.waits] = used
        return scores

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        op, new = func.overloadpacket, self.new
        if torch.is_inference_mode_enabled() and op not in SOFTMAX:
            with self:  # there PyTorch shows einsum or linear as a whole
                parts = func.decompose(*args, **(kwargs or {}))
            if parts is not NotImplemented:
                return parts
        if op in (aten.baddbmm, aten.addmm) and args[0].ndim > 1 and "out" not in (kwargs or {}):
            with self:  # a product and a sum
                return _product_and_sum(*args, **(kwargs or {}))
        if op is aten.bmm and args[0].shape[1] == new:
            args = self.product(*args)
        elif op in SOFTMAX and args[0].ndim > 2 and args[0].shape[-2] == new:
            args = self.softmax(args[0]), *args[1:]
        elif op in (aten.add, aten.add_) and not kwargs and _are_two_parts(args, new):
            args = *self.kept("sums", *torch.broadcast_tensors(*args[:2])), *args[2:]
            if op is aten.add_:
                return args[0].copy_(args[0] + args[1])
        return func(*args, **(kwargs or {}))


def _are_two_parts(args, new):
    both = all(torch.is_tensor(one) and one.is_floating_point() and one.ndim > 1 for one in args[:2])
    return both and args[0].shape[-2:] == (new, args[1].shape[-1])


def _with(whole, used, part, dim):
    """The whole tensor with another part."""
    if used == slice(None):
        return part
    whole = whole.clone()
    whole.movedim(dim, 0)[used] = part.movedim(dim, 0)
    return whole


def _slots_of_tokens(scores, n):
    """The first or last `n` slots, if no other one is seen."""
    seen = (scores > HIDDEN).flatten(0, -2).any(dim=0).nonzero()[:, 0]
    first = 0 if len(seen) and seen[-1] < n else scores.shape[-1] - n
    return slice(first, first + n) if len(seen) and seen[0] >= first else None


def _product_and_sum(added, one, other, *, beta=1, alpha=1):
    product = (torch.mm if one.ndim == 2 else torch.bmm)(one, other)
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (added if beta == 1 else added * beta)


def watched(one, text, ids, mask=None, widths=(), **change):
    """The rows of a text at once, and what was seen."""
    slots, n = None, text.shape[1]
    for _ in range(2):
        with sdpa_kernel(SDPBackend.MATH), Watch(n, n, widths, slots, **change) as watch:
            rows = one.rows(text, ids, mask)
        if not (slots := watch.found):
            break
    return rows, watch


class Equal:
    """What is seen of equal tokens: whatever differs between two places comes from positions alone."""

    def __init__(self, one, text, given, most=SIZES[0]):
        self.n = n = next(size for size in SIZES if size <= min(most, one.long.shape[1]))
        self.ids = torch.arange(n)[None] if given else None
        self.seen = watched(one, text[:, :1].repeat(1, n), self.ids)[1]
        self.ways = [[how_it_turns(part) for part in layer] for layer in self.seen.turned]
        self.other = functools.cache(lambda: watched(one, text[:, 1:2].repeat(1, n), self.ids)[1])

    @property
    def turns(self):
        unseen = len(self.ways) != len(self.seen.scores)
        return unseen or any(how is None or how[1] for layer in self.ways for how in layer)

    def bias(self, layer):
        return what_is_added(self.seen.scores[layer][0])

    def fixed(self, layer):
        """Is this the same for other tokens? A part that turns in a product of its own isn't."""
        return _same(self.bias(layer)[0], what_is_added(self.other().scores[layer][0])[0])

    def table(self):
        """(number of the sum, tokens, table) of what is added to tokens by their places alone, or None."""
        for at, pair in enumerate(self.seen.sums):
            pair = [one.flatten(0, -2) for one in pair]
            fixed = [_same(one, one[:1].expand_as(one)) for one in pair]
            if sorted(fixed) == [False, True]:
                which, other = fixed.index(False), self.other().sums
                same = _same(other[at][which].flatten(0, -2), pair[which])
                return (at, pair[1 - which], pair[which]) if same else None
        return None


def kind(one, text, given):
    """Does it turn, or get a bias that "fades"?"""
    equal = Equal(one, text, given, 31)
    if len(equal.ways) != len(equal.seen.scores):
        return ""
    layers = range(len(equal.seen.scores))
    biased = any(equal.bias(layer)[0].abs().max() > CLOSE for layer in layers)
    return "turns" if equal.turns else "fades" if biased and all(map(equal.fixed, layers)) else ""


def turn_alike(text, given, *models):
    """Do queries and keys of both models turn, and from place to place alike?"""
    own, other = (Equal(one, text, given).ways for one in models)
    differ = {turns_differ(*ways) for layers in zip(own, other) for ways in zip(*layers)}
    return differ == {""} and len(own) == len(other) and any(how[1] for layer in own for how in layer)


class OfPlaces(TorchDispatchMode):
    """Keeps one number for each of `n` places, of all that comes out of what PyTorch does."""

    def __init__(self, n):
        super().__init__()
        self.n, self.seen, self.softmax = n, [], False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        answer = func(*args, **(kwargs or {}))
        self.softmax |= func.overloadpacket in SOFTMAX
        for one in answer if isinstance(answer, tuple) else (answer,):
            if not torch.is_tensor(one) or not one.is_floating_point() or self.n not in one.shape:
                continue
            one = torch.where(one.detach().abs() < -HIDDEN, one, 0.0)
            edges = (one == one.min()) | (one == one.max()) | (one == one.round())
            if not edges.all():  # they are neither a mask nor positions, which may go nowhere
                rows = one.movedim(one.shape.index(self.n), 0).reshape(self.n, -1).double()
                draw = torch.Generator().manual_seed(0)
                self.seen.append(rows.cpu() @ torch.rand(rows.shape[1], generator=draw, dtype=rows.dtype))
        return answer


def only_a_state(one, uneven):
    """Is all that goes by places a state, as far as is seen: nothing that is the same for other tokens?

    `uneven`: whether equal tokens get different rows.
    """
    n, seen = 31, []
    for text in (one.long[:, :n], one.long[:, n : 2 * n]):
        with sdpa_kernel(SDPBackend.MATH), OfPlaces(n) as watch:
            one.rows(text)
        seen.append(watch.seen)
    same = [_same(*pair) for pair in zip(*seen)]
    fixed = any(alike and not _same(rows, rows[:1].expand(n)) for alike, rows in zip(same, seen[0]))
    if fixed or all(same) or len(seen[0]) != len(seen[1]):
        return False
    return (uneven and not watch.softmax) or _keeps_a_state(one)


def _keeps_a_state(one):
    """Is there something in the cache that doesn't grow, and most of which each token changes?"""
    if "cache" not in one.arguments:
        return False
    before, after = ([part.clone() for part in tensors(one.ask(one.text[:, :n])[1])] for n in (6, 7))
    return any(len(two.flatten()) > 1 and two.shape == part.shape and (two != part).double().mean() > 0.5
               for part, two in zip(before, after))  # fmt: skip


def bias_of_places(one):
    """Do the scores of equal tokens get a bias that goes by more than the distance?"""
    equal = Equal(one, one.text, False, 31)
    return not equal.turns and any(_by_distance(what_is_added(*one)[0]) is None for one in equal.seen.scores)


def turn(columns, how, places):
    """(heads, n, d) turned as `how` says, at these places."""
    first, width, halves, speeds = how
    pairs = _pairs(columns[..., first : first + width].double(), halves)
    pairs = torch.view_as_real(pairs * torch.exp(1j * places[:, None] * speeds))
    turned = torch.cat(pairs.unbind(-1), -1) if halves else pairs.flatten(-2)
    return torch.cat([columns[..., :first], turned.to(columns), columns[..., first + width :]], -1)


def _pairs(columns, halves):
    two = columns.chunk(2, -1) if halves else (columns[..., ::2], columns[..., 1::2])
    return torch.complex(*(one.contiguous() for one in two))


def how_it_turns(columns):
    """(first column, number of columns, in halves?, speeds) of (heads, n, d) from place to place, or None."""
    n, d, size = *columns.shape[1:], columns.abs().max()
    moved, places = (columns - columns[:, :1]).abs().amax(dim=(0, 1)), torch.arange(n)
    if moved.max() <= CLOSE * size:
        return STILL
    for least, width in itertools.product((CLOSE / 100, CLOSE), range(2, d + 1, 2)):  # a slow pair, rounding
        moves = (moved > least * size).nonzero()[:, 0].tolist()
        for start, halves in ((0, True), (0, False), (d - width, True), (d - width, False)):
            if not start <= moves[0] <= moves[-1] < start + width:
                continue
            pairs = _pairs(columns[..., start : start + width], halves)
            turns = (pairs * pairs[:, :1].conj()).sum(dim=0).angle()
            speeds, far = turns[1], 2
            while far < n:
                off = torch.remainder(turns[far] - far * speeds + torch.pi, 2 * torch.pi) - torch.pi
                speeds, far = speeds + off / far, 2 * far
            told = pairs[:, :1] * torch.exp(1j * places[:, None] * speeds)
            if (pairs - told).abs().max() < 3 * CLOSE * size:
                turn = (speeds.abs() * n > CLOSE / 10).nonzero()[:, 0].tolist()
                if not halves and turn:  # a column that rounding moves turns with no other
                    start, speeds = start + 2 * turn[0], speeds[turn[0] : turn[-1] + 1]
                return start, width if halves else 2 * len(speeds), halves, speeds
    return None


def what_is_added(scores):
    """(heads, n, n) of what the place of a key adds to the scores of equal tokens, and which are seen."""
    scores = scores.flatten(0, -3)
    seen = (scores > HIDDEN) & torch.ones_like(scores).tril().bool()
    return torch.where(seen, scores - scores.diagonal(dim1=1, dim2=2)[..., None], 0.0), seen


def _same(one, other, size=None):
    size = max(CLOSE, other.abs().max()) if size is None else size
    return one.shape == other.shape and bool((one - other).abs().max() <= CLOSE * size)


def _times(one, other):
    """The number by which `other` is multiplied in `one`, or None."""
    times = ((one * other).sum() / other.square().sum().clamp(min=1e-30)).item()
    return times if _same(one, times * other, one.abs().max()) else None


def _number(number):
    number = float(f"{number:.3g}")
    return f"{number:,.0f}" if number >= 100 else f"{number:g}"


def _list(numbers):
    return ", ".join(map(str, numbers[:4])) + ", ..." * (len(numbers) > 4)


def named(patient, right, given, apart=1):
    """(culprit, look_at, lesson) of what differs inside, if nothing else makes the rows differ, or ().

    `apart`: how far the tokens of a text stand apart in which it is to make them differ."""
    own, other = (Equal(one, patient.text, given) for one in (patient, right))
    text, own.apart = patient.long[:, : own.n] if apart == 1 else patient.text, apart
    ids = torch.arange(text.shape[1])[None] * apart if given else None
    wanted, real = watched(patient, text, ids)
    others = watched(right, text, ids)[1]

    def explains(**change):
        return patient.same(watched(right, text, ids, **change)[0], wanted, by=10)

    return found(
        _turned(own, other, explains)
        or _windows(own, other, lambda **change: [watched(one, text, ids, **change)[0]
                                                  for one in (patient, right)])
        or _biased(own, other, explains)
        or _added(own.table(), other.table(), real.sums, explains)
        or _scaled(own, other, real.scores, others.scores, explains)
        or _scaled_by_place(own, other, explains)
        or _values_turned(own, other, explains)
        or _reordered(real.turned, others.turned, explains)
    )  # fmt: skip


def _of_layers(names):
    """One name of those of each layer, "" where nothing differs."""
    found = []
    for name in dict.fromkeys(filter(None, names)):
        which = [str(layer) for layer, other in enumerate(names) if other == name]
        found.append((*name.split(" | "), f"in layer{'s' * (len(which) > 1)} {', '.join(which)}"))
    if len(found) == 1 and "" not in names:
        return f"{found[0][0]} | {found[0][1]}"
    only = ", and no other" * (len(found) == 1)
    words = "; ".join(f"{layers}{' (counted from 0)' * (not at)}{only}: {says}"
                      for at, (_, says, layers) in enumerate(found))  # fmt: skip
    return f"{found[0][0]} | {words}" if len(found) in (1, 2) else ""


def _turned(own, other, explains):
    if len(own.ways) != len(other.ways) or any(None in layer for layer in own.ways + other.ways):
        return ""

    at_heads = _heads_turned(own, other)
    order = _order_of_columns(own.seen.turned, other.seen.turned)

    begin, names = [], []  # where queries and keys of each layer stand at first
    for layer in zip(own.seen.turned, other.seen.turned, other.ways):
        at_0 = [_stands(one[:, :1], two[:, :1], how, torch.tensor([0]))[0] for one, two, how in zip(*layer)]
        begin.append((begin or [[0, 0]])[0] if None in at_0 else at_0)  # what a sink gets hides the others

    def as_the_patient(layer, *parts):
        places = own.apart * torch.arange(parts[0].shape[1])
        if at_heads:
            parts = [turn(part, (*how[:3], -how[3]), places) for part, how in zip(parts, other.ways[layer])]
            return [torch.cat([turn(head[None], how, 0 * places + at) for head, at in zip(part, heads)])
                    for part, heads, how in zip(parts, at_heads, other.ways[layer])]  # fmt: skip
        ways = zip(parts, own.ways[layer], other.ways[layer], begin[layer])
        return [turn(turn(part, (*theirs[:3], -theirs[3]), places)[..., order], mine, places + at)
                for part, mine, theirs, at in ways]  # fmt: skip

    if at_heads:
        says = f"angles differ between heads, and not between tokens: queries turn as at {_list(at_heads[0])}"
        return f"angles-of-heads | {says}" if explains(turned=as_the_patient) else ""
    for layer, (queries, keys) in zip(zip(own.ways, other.ways), begin):
        one, two = (turns_differ(*ways) for ways in zip(*layer))
        if None in (one, two):
            return ""  # something differs that has no name
        if one != two and one and two:
            one = one.replace(" | ", " | of queries: ") + f"; of keys: {two.partition(' | ')[2]}"
        elif one != two:
            word = "queries" if one else "keys"
            one = (one or two).replace(" | ", f"-{word} | of {word} alone: ")
        if not one and queries != keys:
            least = min(queries, keys, 0)
            stand = ", and keys as at ".join(f"{at - least}, {at - least + 1}, ..." for at in (queries, keys))
            one = f"apart | queries turn as at {stand}"
        names.append(one)
    if order != sorted(order) and not any(names):
        names = [order_differs(order, *other.ways[0][0][1:3])] * len(names)
    return (any(names) and explains(turned=as_the_patient) and _of_layers(names)) or ""


def _heads_turned(own, other):
    """Where each head of queries, and of keys, stands in the first layer, if tokens stand nowhere."""
    if not own.ways or any(how[1] for layer in own.ways for how in layer) or not other.ways[0][0][1]:
        return []
    heads = [[_stands(*(part[at : at + 1, :1] for part in parts), how, torch.zeros(1).long())[0]
              for at in range(len(parts[0]))]
             for *parts, how in zip(own.seen.turned[0], other.seen.turned[0], other.ways[0])]  # fmt: skip
    return heads if any(map(any, heads)) and None not in heads[0] + heads[1] else []


def _order_of_columns(own, other):
    """Where the columns of the patient's first queries, which nothing turns, lie in the reference."""
    pairs = [[(part[:, 0, at] - theirs[:, 0].T).abs().amax(dim=1) for part, theirs in zip(own[0], other[0])]
             for at in range(own[0][0].shape[2])] if own else []  # fmt: skip
    order = [sum(pair).argmin().item() if min(sum(pair)) < CLOSE else at for at, pair in enumerate(pairs)]
    return order if len({*order}) == len(order) else [*range(len(order))]


def order_differs(order, width, halves):
    one, two = ("neighbours", "halves") if halves else ("halves", "neighbours")
    told = torch.arange(width).view(-1, 2) if halves else torch.arange(width).view(2, -1)
    if order[:width] == told.T.flatten().tolist():
        return f"layout-{one} | weights or code turn {one}, and the reference {two}"
    if sorted(order[:width]) == [*range(len(order) - width, len(order))]:
        return "columns-last | the last columns of a head turn, and not the first ones"
    return "columns-order | the columns of queries and keys come in another order"


def turns_differ(own, other):
    """An "id | words", "" where both turn alike, None where they don't and it has no name."""
    (first, width, halves, speeds), (first2, width2, halves2, speeds2) = own, other
    if not width or not width2:
        return "turns | what should not turn does" * (width > 0) or "unturned | nothing turns" * (width2 > 0)
    fewer = min(speeds, speeds2, key=len).abs()
    unseen = not (first or halves or halves2) and len(fewer) > 1 and fewer[-1] ** 2 < 1e-6 * fewer[-2]
    if (first, width) != (first2, width2) and not unseen:  # what comes next may turn too slowly to be seen
        if width == width2:
            which = ("last", "first") if first else ("first", "last")
            return "columns-{0} | the {0} columns of a head turn, and not the {1} ones".format(*which)
        return f"columns | {width} columns of a head turn, and {width2} in the reference"
    differ = speeds_differ(speeds, speeds2)
    if differ is None:
        differ = rule_differs(speeds, speeds2)
    if halves == halves2 or width == 2 or differ is None:
        return differ
    one, two = ("halves", "neighbours") if halves else ("neighbours", "halves")
    more = differ and f"; and {differ.partition(' | ')[2]}"
    return f"layout-{one} | the code turns {one}, and the reference {two}{more}"


def _even(speeds):
    """Is each the same part of the one before it?"""
    steps = speeds[1:] / speeds[:-1]
    return bool((steps / steps[0] - 1).abs().max() < 0.02)


def rule_differs(own, others):
    pairs = [pair for pair in zip(own, others) if min(map(abs, pair)) > 1e-6]
    own, others = torch.tensor(pairs or [(1, 1)], dtype=torch.float64).T
    times = own / others
    growth = times.diff() * (times[-1] - 1).sign()
    if len(pairs) < 3 or abs(times[0] - 1) > 0.01 or abs(times[-1] - 1) < 0.05 or growth.min() < -0.05:
        return None
    if own.abs().diff().max() >= 0:  # no rule makes a pair as fast as the one before
        return None
    rules = {(True, False): "as without its rule", (False, True): "as with a rule"}
    rule = rules.get((_even(own), _even(others)), "as with another rule")
    says = "the fastest pair turns as in the reference, and slow ones {} times as fast, {} for long texts"
    return "rule | " + says.format(_number(times[-1]), rule)


def speeds_differ(own, others):
    most = max(len(own), len(others))
    own, others = (torch.cat([one, one.new_zeros(most - len(one))]) for one in (own, others))
    clear = (others * own).abs() > 1e-10

    def are(told):
        # speeds are seen up to whole turns, and to a last bit of the angle
        off = torch.remainder(own - told + torch.pi, 2 * torch.pi) - torch.pi
        return bool((off.abs() <= (0.01 * told.abs()).clamp(1e-6, 0.01)).all())

    if are(others):
        for small in (torch.bfloat16, torch.float16):
            one, other = ((own - told).abs() for told in (others.to(small).double(), others))
            if (one < 1e-6 + 1e-5 * own.abs()).all() and (other > 1e-6 + 1e-4 * own.abs()).any():
                name = str(small).removeprefix("torch.")
                return f"frequencies-{name} | frequencies are rounded to {name}"
        return ""
    if not clear.any():
        return None
    if are(-others):
        return "direction | the rotation goes the other way"
    a, b = own.abs(), others.abs()
    times, d = (a / b)[clear][-1].item(), 2 * most
    even = clear.sum() > 1 and _even(b[clear])
    exact = [float((one[0] / one[1]) ** most) for one in (a, b) if even]
    says = "speeds are those of base {}, and of {} in the reference: another base, or {}"
    powers = [("", "doubled", 2.0), ("-half", "halved: i / d", 0.5)]
    powers += [("-to-1", "i / (d / 2 - 1)", d / max(2, d - 2))]
    powers += [("-part", f"divided by {by}, as by another width", 1 / by) for by in range(3, 65)]
    for name, words, power in powers if even else ():
        if are(b**power * others.sign()):
            return f"exponent{name} | {says.format(*map(_number, exact), f'the exponent is {words}')}"
    if even and are(1 / others):
        return "exponent-sign | the exponent has the other sign"
    if even and are(others * b[1] / b[0]):
        return "exponent-from-1 | the exponent begins at 2 / d and not at 0"
    if are(others * times):
        word = f"multiplied by {_number(times)}" if times > 1 else f"divided by {_number(1 / times)}"
        return f"positions-{word.split()[0]} | positions are {word} against the reference's"
    if even and _even(a[clear]) and abs(a[0] / b[0] - 1) < 0.01:
        bases = [*map(_number, exact)]
        if not all(abs(one / float(f"{one:.2g}") - 1) < 1e-3 for one in exact):
            such = ", such as i / (d / 2) for i / (d / 2 - 1)" * are(b ** (1 - 2 / d) * others.sign())
            return "base-or-exponent | " + says.format(*bases, "another exponent") + such
        by = float(d * (b[0] / b[1]).log() / (a[0] / a[1]).log())
        whole = abs(by - round(by)) < 0.02 and round(by) in (8, 16, 32, 64, 80, 96, 128, 192, 256)
        also = f" (or the exponent is 2i / {by:.0f}, and not 2i / {d})" * (whole and by > d)
        return "base | the base is {}, and {} in the reference".format(*bases) + also
    return None


def _windows(own, other, rows):
    """Is it another window, and nothing else once all see what both see?"""
    seen, seen_2 = ([scores[0].flatten(0, -3)[0].tril() > HIDDEN for scores in one.seen.scores]
                    for one in (own, other))  # fmt: skip
    if not seen or len(seen) != len(seen_2) or any(one.shape != two.shape for one, two in zip(seen, seen_2)):
        return ""
    if not all(one.diagonal().all() for one in seen + seen_2):  # a token that does not see itself
        return ""

    def both(layer, scores):
        return [scores.masked_fill(~(seen[layer] & seen_2[layer]), -1e30)]

    widths, widths_2 = ([int(one[-1].sum()) for one in layers] for layers in (seen, seen_2))
    alike = [torch.equal(*pair) for pair in zip(seen, seen_2)]
    if all(alike) or not _same(*rows(scores=both)):
        return ""
    if widths != widths_2 and sorted(widths) == sorted(widths_2):
        return "window-layers | the same window as in the reference, in other layers"
    names = []
    for same, *pair, size, size_2 in zip(alike, seen, seen_2, widths, widths_2):
        wider = "wider" if size > size_2 else "narrower"
        sizes = [one if one < own.n else "all" for one in (size, size_2)]
        says = "window-{0} | the window is {0} than that of the reference: {1} tokens, and {2} there"
        if not all(torch.equal(one, one.triu(1 - int(one[-1].sum()))) for one in pair):
            says = ("window-shape | in one of the two models, what is seen is no window: the last sees {1} "
                    "tokens, and {2} in the reference")  # fmt: skip
        names.append("" if same else says.format(wider, *sizes))
    return _of_layers(names)


def _biased(own, other, explains):
    if own.turns or other.turns or len(own.seen.scores) != len(other.seen.scores):
        return ""
    pairs = [(own.bias(layer), other.bias(layer)) for layer in range(len(own.seen.scores))]
    if any(seen.shape != seen_2.shape or (seen != seen_2).any() for (_, seen), (_, seen_2) in pairs):
        return ""  # a window is another

    def as_the_patient(layer, scores):
        (mine, _), (theirs, _) = pairs[layer]
        return [scores + (mine - theirs).view_as(scores).to(scores)]

    names = [bias_differs(mine, theirs) for (mine, _), (theirs, _) in pairs]
    if None in names or not (any(names) and explains(scores=as_the_patient)):
        return ""
    return _of_layers(names)


def bias_differs(own, other):
    """An "id | words", "" where nothing differs, None where something does that has no name."""
    sizes = own.abs().max(), other.abs().max()
    if _same(own, other):
        return ""
    if min(sizes) < CLOSE * max(sizes):
        if sizes[0] < sizes[1]:
            return "bias-left-out | no bias is added, or the same at all distances"
        return "bias-added | what should get no bias does"
    if times := _times(own, other):
        if abs(times + 1) < CLOSE:
            return "bias-sign | the bias has the other sign"
        by = f"{_number(times)} times" if abs(times) > 1 else f"1 / {_number(1 / times)} of"
        root = f", as where it is divided by sqrt({1 / times**2:.0f})" * (0 < times < 1)
        return f"bias-size | the bias is {by} that of the reference{root}"
    if _same(own, other.flip(0)):
        return "bias-reversed | heads get their bias in reverse order"
    order = [next((at for at, two in enumerate(other) if _same(one, two)), None) for one in own]
    if None not in order:
        return f"bias-heads | heads get the bias of heads {', '.join(map(str, order))}"
    far = [_by_distance(one) for one in (own, other)]
    if far[0] is None and far[1] is not None:
        return "bias-places | the bias goes by more than the distance here"
    if all(one is not None and _same(one, torch.arange(len(one))[:, None] * one[1]) for one in far):
        at = [head for head, pair in enumerate(zip(own, other)) if not _same(*pair)]
        slopes = [_list([_number(-slope) for slope in one[1, at].tolist()]) for one in far]
        return f"bias-slopes | slopes of heads {_list(at)} are {slopes[0]}, and {slopes[1]} in the reference"
    fits = [one is not None and _buckets(one) for one in far]
    if not all(fits):
        first = next((at for at in range(own.shape[1]) if not _same(far[0][at], far[1][at], sizes[1])), 0)
        steps = [one.diff(dim=0).abs().amax(dim=1).min() for one in far if one is not None]
        flat = any(step < CLOSE / 1e3 * sizes[1] for step in steps)
        says = "distances fall into other buckets, or are cut off elsewhere, than in the reference"
        return f"buckets | {says}: the first that differs is {first}" if flat else None
    (count, most), (count_2, most_2) = fits
    if most != most_2:
        says = f"the largest distance of the buckets is {most:,}, and {most_2:,} in the reference"
        return f"buckets-most | {says}"
    half = ", as if half were for later tokens" * (2 * count == count_2)
    return f"buckets-count | past tokens get {count} buckets, and {count_2} in the reference{half}"


def _by_distance(bias):
    """(n, heads) of what each distance gets, or None where it goes by more than the distance."""
    n = bias.shape[1]
    far = bias[:, -1].flip(-1).T
    told = far[(torch.arange(n)[:, None] - torch.arange(n)).clamp(min=0)].permute(2, 0, 1).tril()
    return far if _same(bias, told) else None


def _buckets(far):
    """(number of buckets, largest distance) of T5's rule by which these distances get a bias, or None."""
    changes = (far[1:] - far[:-1]).abs().amax(dim=1) > CLOSE * far.abs().max()
    for dtype, count in itertools.product((torch.float32, torch.float64), (32, 16, 64, 8, 128)):
        for most in (128, 64, 32, 256, 512, 1024, 20, 40, 50, 80, 100, 200, 1000):
            exact, distances = count // 2, torch.arange(len(far), dtype=dtype)
            if exact < most:
                large = (distances.clamp(min=1) / exact).log() / math.log(most / exact) * (count - exact)
                large = (exact + large.long()).clamp(max=count - 1)
                bucket = torch.where(distances < exact, distances.long(), large)
                if torch.equal(bucket.diff() > 0, changes):
                    return count, most
    return None


def _added(own, other, real, explains):
    if own is None or other is None or own[2].shape != other[2].shape:
        return ""
    (at, tokens, table), (their, their_tokens, theirs) = own, other
    size = _times(their_tokens, tokens)
    if not size:
        return ""

    def part(number, *two):
        which = int(not _same(two[0].double().flatten(0, -2), theirs))
        return [(size * table).view_as(one).to(one) if number == their and place == which else one
                for place, one in enumerate(two)]  # fmt: skip

    def whole(number, one, two):
        return (sum(real[at]).to(one), torch.zeros_like(two)) if number == their else (one, two)

    name = table_differs(size * table, theirs)
    return name if name and (explains(sums=part) or explains(sums=whole)) else ""


def table_differs(own, other):
    if _same(own, other):
        return ""
    if _same(own, -other):
        return "table-sign | the table has the other sign"
    if (times := _times(own, other)) and times > 0:
        root = f", sqrt({times**2:.0f})," * (times > 1)
        says = f"beside the embedding of a token, the table counts {_number(times)}{root} times as much"
        return f"table-size | {says} as in the reference"
    n = len(own)
    for by, way in ((1, "one later"), (2, "two later"), (-1, "one earlier"), (-2, "two earlier")):
        if _same(own[max(0, -by) : n - max(0, by)], other[max(0, by) : n + min(0, by)]):
            return f"row-{way.replace(' ', '-')} | the rows of the table are read {way} than in the reference"
    ways = [how_it_turns(one[None]) for one in (own, other)]
    order = [{at for at, two in enumerate(other.T) if _same(one, two)} for one in own.T]
    if all(order) and set().union(*order) == {*range(own.shape[1])}:
        lies = ["in halves" if way and way[2] else "in turn" for way in ways]
        more = ": sines and cosines lie {}, and {} in the reference".format(*lies) * (lies[0] != lies[1])
        return f"table-columns | the columns of the table come in another order{more}"
    return speeds_differ(ways[0][3], ways[1][3]) if None not in ways and ways[0][2] == ways[1][2] else ""


def _scaled(own, other, real, others, explains):
    if not real or len(real) != len(others) or real[0][0].shape != others[0][0].shape:
        return ""
    seen = (real[0][0] > HIDDEN) & (others[0][0] > HIDDEN)
    count = seen.sum(dim=-1, keepdim=True)

    def told(biases):
        """The name, if a bias that both have is added after the scale."""

        def centred(scores, bias):
            """A softmax doesn't notice a number that is added to a row."""
            row = torch.where(seen, scores - bias.view_as(scores), 0.0)
            return torch.where(seen, row - row.sum(dim=-1, keepdim=True) / count, 0.0)

        one, two = (centred(scores[0][0], biases[0]) for scores in (real, others))
        times = _times(one, two)

        def scaled(layer, scores):
            bias = biases[layer].view_as(scores).to(scores)
            return [times * (scores - bias) + bias]

        return times if times and not _same(one, two) and explains(scores=scaled) else 0

    nothing = [torch.zeros_like(scores[0]) for scores in real]
    times = told(nothing)
    if not times and not own.turns and not other.turns and len(own.seen.scores) == len(real):
        times = told([own.bias(layer)[0] for layer in range(len(real))])
    return f"scale | scores are {_number(times)} times those of the reference" if times else ""


def _scaled_by_place(own, other, explains):
    if len(own.seen.scores) != len(other.seen.scores):
        return ""
    factors, names = [], []
    for layer in zip(own.seen.scores, other.seen.scores):
        one, two = (scores[0].flatten(0, -3) for scores in layer)
        if one.shape != two.shape:
            return ""
        both = (one > HIDDEN) & (two > HIDDEN)
        one, two = (torch.where(both, scores, 0.0) for scores in (one, two))
        factors.append((one * two).sum(dim=(0, 2)) / two.square().sum(dim=(0, 2)).clamp(min=1e-30))
        if not _same(one, factors[-1][:, None] * two):
            return ""
        first, last = map(_number, factors[-1][[0, -1]].tolist())
        says = f"scores at 0 are {first}, and at {own.n - 1} {last}, times those of the reference"
        names.append(f"scale-places | a scale goes by the place of the query: {says}" * (first != last))

    def scaled(layer, scores):
        return [scores * factors[layer][:, None].to(scores)]

    return _of_layers(names) if any(names) and explains(scores=scaled) else ""


def _values_turned(own, other, explains):
    ways = [how_it_turns(one.seen.values[0][0]) if one.seen.values else None for one in (own, other)]
    if None in ways or bool(ways[0][1]) == bool(ways[1][1]):
        return ""
    first, width, halves, speeds = ways[0] if ways[0][1] else ways[1]
    how = first, width, halves, speeds if ways[0][1] else -speeds
    told = explains(values=lambda layer, values: [turn(values, how, torch.arange(values.shape[1]))])
    return f"values-turned | values are turned{', too' if ways[0][1] else ' in the reference alone'}" * told


def values_that_turn(patient, by):
    """(culprit, look_at, lesson) if moving all positions changes nothing once values are turned back."""
    how = how_it_turns(Equal(patient, patient.text, True, 31).seen.values[0][0])
    if how is None or not how[1]:
        return ()
    ids, rows = torch.arange(patient.text.shape[1]), []
    for at in (ids, ids + by):

        def back(_, values, at=at):
            return [turn(values, (*how[:3], -how[3]), at)]

        rows.append(watched(patient, patient.text, at[None], values=back)[0])
    return found("values-turned | values are turned, too") if patient.same(*rows) else ()


def bias_of_texts(patient):
    """What is to be said of it if equal texts of a batch differ by the bias alone that they get."""
    n = patient.text.shape[1]
    equal = patient.text[:, :1].repeat(1, n)
    alone, three = ([what_is_added(*scores)[0] for scores in watched(patient, text, None)[1].scores]
                    for text in (equal, equal.repeat(3, 1)))  # fmt: skip

    def as_alone(layer, scores):
        bias = alone[layer].repeat(3, 1, 1) - three[layer]
        return [scores + bias.view_as(scores).to(scores)]

    rows = watched(patient, patient.text.repeat(3, 1), None, scores=as_alone)[0]
    if not three or not patient.same(rows, patient.rows(patient.text).expand_as(rows)):
        return ""
    names = [bias_differs(part, alone[0]) or "" for part in three[0].chunk(3)]
    heads = [f": in text {at} (counted from 0) {name.partition(' | ')[2]}" for at, name in enumerate(names)
             if name.startswith("bias-heads")]  # fmt: skip
    return heads[0] if heads else True


def _reordered(own, other, explains):
    """Do heads of queries look at keys and values that are those of other heads in the reference?"""
    if not own or not other:
        return ""
    (queries, keys), (queries_2, keys_2) = ([one / one.norm() for one in layers[0]]
                                            for layers in (own, other))  # fmt: skip
    if not _same(queries, queries_2) or _same(keys, keys_2):  # it lies farther out, or there is one KV head
        return ""
    order = [next((at for at, two in enumerate(keys_2) if _same(one, two)), None) for one in keys]
    if None in order or not explains(turned=lambda layer, queries, keys: (queries, keys[order]),
                                     values=lambda layer, values: [values[order]]):  # fmt: skip
        return ""
    return "heads-order | heads that share keys are repeated in another order"


def with_cache(patient, text, cuts, ids, mask=None):
    """(culprit, look_at, lesson) of what new tokens get otherwise with a cache than at once, or ().

    With a mask of padding, positions count from the first token that it shows."""

    def shown(end):
        return None if mask is None else mask[:, :end]

    equal = Equal(patient, patient.text, patient.known)
    widths, table = {queries.shape[2] for queries, _ in equal.seen.turned}, equal.table()
    if table:  # by which equal tokens differ, and not by a turn
        equal.ways = [[STILL, STILL] for _ in equal.ways]
    cache = patient.ask(text[:, : cuts[0]], None if ids is None else ids[:, : cuts[0]], shown(cuts[0]))[1]
    for first, end in zip(cuts, [*cuts[1:], text.shape[1]]):
        old, new, both = (None if ids is None else ids[:, a:b]
                          for a, b in ((0, first), (first, end), (0, end)))  # fmt: skip
        with sdpa_kernel(SDPBackend.MATH):
            with Watch(end - first, widths=widths) as step:
                seen, cache = patient.ask(text[:, first:end], new, shown(end), cache)
        right, once = watched(patient, text[:, :end], both, shown(end), widths)
        right = right[:, first:]
        if not patient.same(seen, right):
            where = torch.arange(end) if ids is None else ids[0, :end]
            if mask is not None:
                where = torch.arange(end) - mask[0].long().argmax()

            def hiding(hide, first=first, old=old, new=new, end=end, right=right):
                """Is all right once scores are changed by `hide`?"""
                kept = patient.ask(text[:, :first], old, shown(first))[1]
                with sdpa_kernel(SDPBackend.MATH), Watch(end - first, widths=widths, scores=hide):
                    return patient.same(patient.ask(text[:, first:end], new, shown(end), kept)[0], right)

            name = (_row(step, once, table, first, where) or _room(step, once, hiding)
                    or _other_layer(step, once, first)
                    or _heads(step, once, equal, first, where))  # fmt: skip
            if mask is None and first == cuts[0] and (not name or name.startswith("beside")):
                name = _kept(patient, text, first, end, old, new) or name
            return found(name)
    return ()


def _row(step, once, table, first, where):
    """Which row of a table each new token gets."""
    if table is None or len(step.sums) <= (at := table[0]):
        return ""
    got, right = ([one.flatten(0, -2) for one in seen.sums[at]] for seen in (step, once))
    which = int(_same(got[0], right[0][first:]))
    if not _same(got[1 - which], right[1 - which][first:]) or _same(got[which], right[which][first:]):
        return ""
    rows = [next((row for row, one in enumerate(table[2]) if _same(new, one)), None) for new in got[which]]
    if None in rows:
        return ""
    new = _list(where[first:].tolist())
    says = f"new tokens at {new} get the table's rows {_list(rows)}"
    if rows == [*range(len(rows))]:
        return f"offset-0 | positions begin again at 0 after the cache: {says}"
    return f"cache-row | with a cache, {says}"


def _room(step, once, hiding):
    """Are slots seen that hold no token's values, and is all right once they are hidden?"""
    for (own,), (right,), (scores,) in zip(step.values, once.values, step.scores):
        if own.shape[::2] != right.shape[::2] or scores.shape[-1] != own.shape[1]:
            return ""
        gaps = (own[:, :, None] - right[:, None]).abs().amax(dim=(0, 3)) > CLOSE * right.abs().max()
        empty = gaps.all(dim=1) & (scores > HIDDEN).flatten(0, -2).any(dim=0)
        if gaps.all(dim=0).any():  # a token's values lie nowhere
            return ""
        if empty.any():
            says = f"with a cache, new tokens see {empty.sum()} key{'s' * (empty.sum() > 1)} of no token"
            says += ", as where its empty room isn't masked"
            hidden = hiding(lambda _, scores, empty=empty: [scores.masked_fill(empty, -1e30)])
            return f"room | {says}" if hidden else ""
    return ""


def _other_layer(step, once, first):
    """Does a layer get what the cache keeps of another one?"""
    layers, olds = ([[turned[1][:, :first], values[0][:, :first]] for turned, values in
                     zip(seen.turned, seen.values)] for seen in (once, step))  # fmt: skip
    for layer, old in enumerate(olds):
        kept = [[by for by, one in enumerate(layers) if _same(part, one[at])] for at, part in enumerate(old)]
        other = {what: of[0] for what, of in zip(("keys", "values"), kept) if of and layer not in of}
        if other:
            says = f"of layer {layer} (counted from 0) are those of layer {max(other.values())}"
            return f"other-layer | cached {' and '.join(other)} {says}"
    return ""


def _heads(step, once, equal, first, where):
    """What the first layer that differs gets."""
    counts = {len(one) for seen in (step, once) for one in (seen.turned, seen.values, seen.scores)}
    if not equal.ways or len(counts) > 1:
        return ""
    for layer, how in enumerate(equal.ways):
        own, right = ([*seen.turned[layer], *seen.values[layer], seen.scores[layer][0].flatten(0, -3)]
                      for seen in (step, once))  # fmt: skip
        if None in how or own[0].shape[0] != right[0].shape[0]:
            return ""
        right[0], right[3] = right[0][:, first:], right[3][:, first:]
        far = _by_distance(equal.bias(layer)[0]) if equal.fixed(layer) else None
        name = _in_layer(own, right, how, where, first, far)
        if name is not None:
            return name and name + f", in layer {layer} (counted from 0)" * (layer > 0)
    says = "with a cache, queries, keys, values and scores are those at once, and the rows are not"
    causes = "a state or the end of a convolution that is not handed on, a sink, and a norm"
    return maybe(f"beside-attention | {says}", causes)


def _stands(own, right, how, places):
    """At which position each of (heads, n, d) stands, if `right` stands at `places`; None where at none."""
    stands, offsets = [], torch.arange(-int(places.max()) - 4, int(places.max()) + 9)
    for at, place in enumerate(places.tolist()):
        told = turn(right[:, at : at + 1].expand(-1, len(offsets), -1), how, offsets)
        off = (told - own[:, at : at + 1]).abs().amax(dim=(0, 2))
        off[offsets == 0] -= CLOSE * right.abs().max()  # what doesn't turn stands anywhere
        best = off.argmin()
        stands.append(place + offsets[best].item() if off[best] < 2 * CLOSE * right.abs().max() else None)
    return stands


def _in_layer(own, right, how, where, first, far):
    """An "id | words", "" if something differs that has no name, None if nothing does."""
    (queries, keys, values, scores), (queries_2, keys_2, values_2, scores_2) = own, right
    new, places, total = where[first:], where[first:].tolist(), len(where)

    def apart(one, two):
        return (one[:, :, None] - two[:, None]).abs().amax(dim=(0, 3)) / two.abs().max()

    # tokens may lie in another order: a slot is that of the token whose values it holds
    gaps = apart(values, values_2)
    if len(gaps) > total and scores.shape[2] == len(gaps):  # what is hidden and no token's is no key
        used = (gaps < CLOSE).any(dim=1) | (scores > HIDDEN).flatten(0, 1).any(dim=0)
        keys, values, scores, gaps = keys[:, used], values[:, used], scores[:, :, used], gaps[used]
    near = apart(keys, keys_2)
    wrong = gaps.diagonal() > CLOSE if gaps.shape == near.shape else gaps[:0]
    if near.diagonal().max() < CLOSE and wrong.any():
        holds = [gap.argmin().item() if gap.min() < CLOSE else "no token" for gap in gaps[wrong]]
        says = f"values of {_list(where[wrong].tolist())} are those of {_list(holds)}"
        return f"values | with a cache, keys lie where they should, and {says}"
    last = gaps[-len(new) :, -len(new) :].diagonal()
    ends = 1 < len(new) == len(last) and (last < CLOSE).all()  # new tokens lie there
    token_of = {}
    for slot, gap in enumerate(gaps):  # equal tokens may hold equal values
        likely = [token for token in (gap < CLOSE).nonzero()[:, 0].tolist() if token not in token_of.values()]
        if likely:
            here = total - len(gaps) + slot
            token_of[slot] = min(likely, key=lambda token: (
                here >= first and ends and token != here, near[slot, token] > CLOSE, token not in (slot, here)
            ))  # fmt: skip
    visible, should = ([{name(slot) for slot in range(one.shape[2]) if one[:, row, slot].max() > HIDDEN}
                        for row in range(len(new))]
                       for one, name in ((scores, token_of.get), (scores_2, int)))  # fmt: skip
    more = [one.shape[2] - two.shape[1] for one, two in ((scores, keys), (scores_2, keys_2))]
    if more[0] != more[1]:
        counts = "places that hold no key count in" if more[0] > more[1] else "a sink is left out of"
        return f"unwritten | with a cache, {counts} the softmax"
    held = {*token_of.values()}
    lost = sorted(set.union(*should) - held - {*range(first, total)})
    over = [token_of.get(slot, 0) for slot in lost]
    if lost and min(over) >= first:
        what = "keys and values" if near[lost, over].max() < CLOSE else "values"
        if what == "values" and near[lost, lost].max() > CLOSE:
            return ""
        over, lost = (_list(where[tokens].tolist()) for tokens in (over, lost))
        return f"overwritten | {what} of {over} are written over those of {lost}"
    if any(None in row for row in visible):
        return ""
    if token_of.get(0, 0) >= first and len(token_of) == total == len(gaps):  # no ring that was written over
        return "new-first | new keys are put before the old ones"
    pairs = (queries, queries_2), (keys[:, [*token_of]], keys_2[:, [*held]])
    factors = [one.shape == two.shape and not _same(one, two) and _times(one, two) for one, two in pairs]
    if any(factors):  # SDPA gives each of both a root of the scale
        what = "scores" if all(factors) else "queries" if factors[0] else "keys"
        times = _number(math.prod(filter(None, factors)))
        return f"scale | with a cache, {what} are {times} times those at once"
    stand = _stands(queries, queries_2, how[0], new)
    mine = {token: _stands(keys[:, [slot]], keys_2[:, [token]], how[1], where[[token]])[0]
            for slot, token in token_of.items()}  # fmt: skip
    if None in stand or None in mine.values():
        return ""
    moves = {token: place - where[token].item() for token, place in mine.items()}
    cached = {by for token, by in moves.items() if token < first}
    if len(cached) == 1 and all(moves.values()) and stand != places:  # only distances count
        (by,) = cached
        mine, stand = {token: place - by for token, place in mine.items()}, [place - by for place in stand]
    off = {token: place for token, place in sorted(mine.items()) if place != where[token]}
    queries_too = f", and queries of {_list(places)} as at {_list(stand)}" * (stand != places)
    says = f"keys of {_list(where[[*off]].tolist())} turn as at {_list([*off.values()])}{queries_too}"
    if off:
        cached = {token: place for token, place in off.items() if token < first}
        if cached and all(place == token for token, place in cached.items()):
            return f"by-slot | cached keys are turned by their places in the cache: {says}"
        kept = keys.shape[1] - len(new)
        if not cached and stand == [*range(kept, kept + len(new))] == [*off.values()]:
            counted = f"new tokens count from the {kept} keys that the cache{' still' * (kept < first)} holds"
            return f"counted-from-kept | {counted}: {says}"
        if not cached and not any(off.values()):
            return f"new-keys | with a cache, keys of new tokens are not turned: {says}"
        if not {token for token in mine if token < first and where[token] > 0} <= {*cached}:
            return f"new-keys | with a cache, {says}"
        if not any(cached.values()):
            return f"unturned | cached keys are kept before the turn, and not turned: {says}"
        if all(place == where[token] + token or place == 2 * where[token] for token, place in cached.items()):
            return f"turned-again | cached keys are turned again: {says}"
        return f"keys-elsewhere | with a cache, {says}"
    if stand != places:
        says = f"those of {_list(places)} turn as at {_list(stand)}"
        return f"queries | with a cache, only the queries of new tokens stand elsewhere: {says}"
    if visible != should:
        row = next(row for row in range(len(new)) if visible[row] != should[row])
        less, more = should[row] - visible[row], visible[row] - should[row]
        names = _list(where[sorted(less or more)].tolist())
        all_seen = [{*range(first + at + 1)} for at in range(len(new))]
        if visible == [{*range(1 + row)} for row in range(len(new))]:
            return "mask-forgets | the causal mask forgets the cache: new tokens look at the first keys only"
        if more and where[0] < 0:  # padding
            return ""
        if more:
            says = f"a new token at {new[row]} sees {names}"
            in_order = dict(zip(token_of, sorted(held)))  # as if slots were positions
            seen_there = {in_order[slot] for slot in token_of if token_of[slot] in visible[row]}
            if less and seen_there == should[row]:
                seen = f"a new token at {new[row]} sees {_list(where[sorted(more)].tolist())} and not {names}"
                return f"hidden-slots | with a cache, the mask takes slots for positions: {seen}"
            missing = total >= 3 * len(should[row])
            wider = "missing" if missing and visible == all_seen else "wider"
            return "" if less else f"{wider} | with a cache, the window is {wider}: {says}, too"
        says = f"a new token at {new[row]} does not see {names}, which the cache "
        says += "keeps: the mask hides them" if less <= held else "keeps no more"
        rest = {token for token in should[row] - less if token < first}
        if min(less) >= first:
            return "not-itself | with a cache, a new token does not see itself"
        if not rest or max(less) > min(rest) or where[0] < 0:  # padding: no window does it
            return f"{'hidden' if less <= held else 'not-kept'} | with a cache, {says}"
        if len(new) > 1 and visible[-1] == should[-1]:
            return f"dropped-early | the first of several new tokens see too little, the last one not: {says}"
        return f"drops | with a cache, far tokens are not seen, as with a window that is too narrow: {says}"
    ordered = scores_2.clone()
    for slot, token in token_of.items():
        ordered[:, :, token] = scores[:, :, slot]
    seen = scores_2 > HIDDEN
    ordered, plain = (torch.where(seen, one, 0.0) for one in (ordered, scores_2))
    if _same(ordered, plain):
        return None
    if times := _times(ordered, plain):
        return f"scale | with a cache, scores are {_number(times)} times those at once"
    causes = (
        "the bias (its size, its sign, distances that are not counted on, slots)", "the scale or a softcap",
        "a second product in the scores, and the positions by which its keys turn",
    )  # fmt: skip
    unseen = far is None and not (how[0][1] or how[1][1])
    says = "with a cache, the queries and keys that are seen are those at once, and their scores are not"
    scores = maybe(f"scores | {says}", "{}, {}, and {}".format(*causes[:: -1 if unseen else 1]))
    if how[0][1] or how[1][1] or far is None or not far.any():
        return scores
    far = far.T
    plain = plain - far[:, (new[:, None] - where).clamp(min=0)]

    def alike(row, added):
        """Up to a number for each head, which a softmax doesn't notice."""
        gap = (ordered - plain)[:, row][:, seen[0, row]] - added[..., seen[0, row]]
        return bool((gap - gap.mean(dim=1, keepdim=True)).abs().max() < CLOSE * ordered.abs().max())

    if all(alike(row, torch.zeros_like(plain[:, row])) for row in range(len(new))):
        at_0 = torch.where(seen, ordered - plain, 0.0).abs().max() < CLOSE * ordered.abs().max()
        one = "that of distance 0 to all keys, as a query at 0" if at_0 else "that of one distance for all"
        return f"no-bias | with a cache, new tokens get no bias, or {one}"
    words = ("queries", 0), ("queries and keys", where >= new[0])
    for (word, too), fold in itertools.product(words, (torch.abs, torch.relu)):  # T5 has one bias below 0
        moved = [[by for by in range(-int(one), 9)
                  if alike(row, far[:, fold(one + by - where - too * by)])]
                 for row, one in enumerate(new)]  # fmt: skip
        if all(moved):
            at = _list([one + by[0] for one, by in zip(places, moved)])
            says = f"queries of {_list(places)} get the bias of those at {at}"
            if word == "queries":
                return f"queries-bias | with a cache, {says}"
            return f"cached-bias | with a cache, {says} to cached keys, and the right one to each other"
    gap, told = ((one - one.mean(dim=1, keepdim=True))[:, seen[0, 0]] for one in
                 ((ordered - plain)[:, 0], far[:, (new[0] - where).clamp(min=0)]))  # fmt: skip
    times = _times(gap, told)
    return f"bias-size | with a cache, the bias is {_number(times)} times that at once" if times else scores


def _kept(patient, text, first, end, ids, new):
    """What the cache keeps of a state or of the end of a convolution, and what becomes of it."""

    def begun(tokens, length=first):
        return patient.ask(tokens[:, :length], None if ids is None else ids[:, :length])[1]

    def step(cache):
        return patient.ask(text[:, first:end], new, cache=cache)[0]

    def noticed(place):
        return [not torch.equal(*pair) for pair in zip(plain, tensors(begun(patient.altered(text, place))))]

    plain, rows, unread = tensors(begun(text)), step(begun(text)), {}
    earliest, before, last = noticed(0), noticed(first - 2), noticed(first - 1)
    for at, (one, shorter) in enumerate(zip(plain, tensors(begun(text, first - 1)))):
        if one.shape != shorter.shape:
            continue
        changed = begun(text)
        tensors(changed)[at].mul_(-2.0)
        read, size = not torch.equal(step(changed), rows), f"a tensor {tuple(one.shape)} of the cache"
        kept = "a state, or the end of a convolution, that is not kept"
        if not one.any():
            return maybe(f"state-empty | {size} is all 0", kept)
        if last[at] and not read:
            kind = "a state" if earliest[at] else "the end of a convolution"
            unread.setdefault(str(tuple(one.shape)), kind)  # in a deeper layer an end notices all tokens
        if read and earliest[at] and not before[at] and not last[at]:
            says = f"state-first | {size} notices the first token, and not the last two"
            return maybe(says, "the end of a convolution that is cut from the first tokens, and not the last")
        if read and before[at] and not last[at]:
            says = f"{size} notices the tokens before the last one, and not the last one"
            return maybe(f"state-early | {says}", "a state, or the end of a convolution, kept too early")
    if not unread:
        return ""
    sizes, kinds = " and ".join(unread), " and ".join(dict.fromkeys(unread.values()))
    new = "several new tokens" if end > first + 1 else "a new token"
    says = f"what the cache keeps in tensors of {sizes} is not read by {new}"
    return maybe(f"state-not-read | {says}", f"{kinds} that is not handed on")
