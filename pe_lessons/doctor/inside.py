"""What PyTorch shows while a model answers: how queries and keys turn, what scores get, what tokens get.

All tokens of a text are equal here. Then whatever differs between two places comes from positions alone. What
is seen in the patient and not in the reference is a name only if the reference, with that put into it,
answers as the patient does.
"""

import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
SIZES = 131, 67, 31, 11  # tokens of a text: no width of a model
CLOSE = 1e-3


class Watch(TorchDispatchMode):
    """Keeps what products of queries and keys get, the scores of each softmax, and the first sum that goes by
    places; `change` has a function of the layer and of these for some of them."""

    def __init__(self, n, **change):
        super().__init__()
        self.n, self.change = n, change
        self.turned, self.scores, self.sums = [], [], []

    def kept(self, name, *tensors):
        kept = getattr(self, name)
        kept.append([one.detach().double() for one in tensors])
        return self.change.get(name, lambda layer, *same: same)(len(kept) - 1, *tensors)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        op, n, kwargs = func.overloadpacket, self.n, kwargs or {}
        if op is aten.bmm and args[0].shape[1] == args[1].shape[2] == n != args[0].shape[2]:
            queries, keys = self.kept("turned", args[0], args[1].mT)
            args = queries, keys.mT
        elif op in (aten._softmax, aten._safe_softmax) and args[0].shape[-2:] == (n, n):
            args = *self.kept("scores", args[0]), *args[1:]
        elif op in (aten.add, aten.add_) and all(
            torch.is_tensor(one) and one.is_floating_point() and one.ndim > 1 for one in args
        ) and args[0].shape[-2:] == (n, args[1].shape[-1]):  # fmt: skip
            args = (*self.kept("sums", *torch.broadcast_tensors(*args[:2])), *args[2:])
            if op is aten.add_:
                return args[0].copy_(sum(args[:2]))
        return func(*args, **kwargs)


def watched(one, text, ids, **change):
    """The rows, and what was seen."""
    with sdpa_kernel(SDPBackend.MATH), Watch(text.shape[1], **change) as watch:
        return one.rows(text, ids), watch


def turn(columns, how, places):
    """(heads, n, d) turned as `how` says, at these places."""
    first, width, halves, speeds = how
    if not width:
        return columns
    part = _pairs(columns[..., first : first + width].double(), halves)
    part = torch.view_as_real(part * torch.exp(1j * places[:, None] * speeds))
    part = torch.cat(part.unbind(-1), -1) if halves else part.flatten(-2)
    columns = columns.clone()
    columns[..., first : first + width] = part.to(columns)
    return columns


def _pairs(columns, halves):
    two = columns.chunk(2, -1) if halves else (columns[..., ::2], columns[..., 1::2])
    return torch.complex(*(one.contiguous() for one in two))


def how_it_turns(columns):
    """(first column, number of columns, in halves?, speeds) of what (heads, n, d) does from place to place."""
    n, size = columns.shape[1], columns.abs().max()
    moves = (columns - columns[:, :1]).abs().amax(dim=(0, 1)) > CLOSE * size
    if not moves.any():
        return 0, 0, True, columns.new_zeros(0)
    first, last = moves.nonzero()[[0, -1], 0].tolist()
    places, d = torch.arange(n), columns.shape[2]
    for width in range(2, d + 1, 2):
        for start in {0, d - width}:
            if not start <= first <= last < start + width:
                continue
            for halves in (True, False)[: 1 + (width > 2)]:
                pairs = _pairs(columns[..., start : start + width], halves)
                turns = (pairs * pairs[:, :1].conj()).sum(dim=0)
                speeds, far = turns[1].angle(), 2
                while far < n:
                    more = turns[far].angle() - far * speeds
                    speeds, far = speeds + torch.remainder(more + torch.pi, 2 * torch.pi).sub(torch.pi) / far, 2 * far
                told = pairs[:, :1] * torch.exp(1j * places[:, None] * speeds)
                if (pairs - told).abs().max() < 3 * CLOSE * size:
                    return start, width, halves, speeds
    return None


def what_is_added(scores):
    """(heads, n, n) of what the place of a key adds to the scores of equal tokens, 0 where it's hidden."""
    scores = scores.flatten(0, -3)
    seen = (scores > -1e4) & torch.ones_like(scores).tril().bool()
    return torch.where(seen, scores - scores.diagonal(dim1=1, dim2=2)[..., None], 0.0), seen


def _same(one, other, size=None):
    return one.shape == other.shape and bool((one - other).abs().max() <= CLOSE * (size or max(1e-3, other.abs().max())))


def _number(number):
    return f"{float(f'{number:.3g}'):,.4g}" if number < 1e4 else f"{float(f'{number:.3g}'):,.0f}"


def speeds_differ(own, others):
    """(id and words, where, lesson) of how the speeds of pairs differ, or ()."""
    most = max(len(own), len(others))
    if not min(len(own), len(others)):
        return ()
    own, others = (torch.cat([one, one.new_zeros(most - len(one))]) for one in (own, others))
    rotation, powers = "where sines and cosines are put together", "the exponent of the base"
    clear = others.abs().clamp(max=1) * own.abs().clamp(max=1) > 1e-7

    def are(told):
        return bool(((own - told).abs() <= 0.01 * told.abs())[clear].all())

    if are(others):
        return ()
    sign = own[0].sign() * others[0].sign()
    a, b, half = own.abs(), others.abs(), len(own)
    if are(-others):
        return "direction | the rotation goes the other way", rotation, "lesson 09"
    if half > 1 and sign > 0:
        f = others.abs()
        for words, told in (
            ("exponent | the exponent is doubled", f**2),
            ("exponent-half | the exponent is halved: i / d", f**0.5),
            ("exponent-from-1 | the exponent begins at 2 / d and not at 0", f * f[1] / f[0]),
            ("exponent-to-1 | the exponent goes up to 1: i / (d / 2 - 1)", f ** (half / (half - 1))),
            ("exponent-sign | the exponent has the other sign", 1 / f),
        ):
            if are(told * others.sign()):
                return words, powers, "lesson 03"
    times = (a / b)[0].item()
    if are(others * times * sign):
        word = f"multiplied by {_number(times)}" if times > 1 else f"divided by {_number(1 / times)}"
        return f"positions-{word.split()[0]} | positions are {word}", "a scale of positions, the rule for long texts", "lesson 13"
    bases = [float((one[0] / one[1]) ** half) if half > 1 else 0.0 for one in (a, b)]
    geometric = [half > 1 and bool(((one[1:] / one[:-1]) / (one[1] / one[0]) - 1).abs()[clear[1:]].max() < 0.02)
                 for one in (a, b)]
    if all(geometric) and abs(times - 1) < 0.01 and clear.sum() > 1:
        one, other = map(_number, bases)
        return f"base | the base is {one}, and {other} in the reference", "the base, or a factor in its exponent", "lesson 13"
    return ()


def turns_differ(own, other):
    """The same of two ways to turn."""
    (first, width, halves, speeds), (first2, width2, halves2, speeds2) = own, other
    if not width2:
        return ("turns | what should not turn does", "the plan of the layers", "lesson 15") if width else ()
    if not width:
        return "unturned | nothing turns", "where queries and keys are turned", "lesson 09"
    if (first, width) != (first2, width2):
        slow = speeds[min(width, width2) // 2 :], speeds2[min(width, width2) // 2 :]
        if first == first2 and halves == halves2 is False and width < width2 and max(one.abs().max() for one in slow if len(one)) < 1e-3:
            return speeds_differ(speeds, speeds2)
        if width == width2:
            which = "last" if first else "first"
            return (f"columns-{which} | the {which} columns of a head turn, and not the {'first' if first else 'last'} ones",
                    "which columns are cut off, and in which order they are joined", "lesson 10")
        return (f"columns | {width} columns of a head turn, and {width2} in the reference", "rotary_dim", "lesson 10")
    if halves != halves2 and width > 2 and not speeds_differ(speeds, speeds2):
        one, two = ("halves", "neighbours") if halves else ("neighbours", "halves")
        return f"layout-{one} | pairs are made of {one}, and of {two} in the reference", "the layout of the pairs", "lesson 10"
    return speeds_differ(speeds, speeds2) if halves == halves2 or width == 2 else ()


def named(patient, right, given):
    """(culprit, look_at, lesson) of what differs inside, if nothing else makes the rows differ, or ()."""
    n = next((size for size in SIZES if size <= patient.long.shape[1]), 0)
    text, ids = patient.long[:, :n], torch.arange(n)[None] if given else None
    if not n:
        return ()
    wanted, real = watched(patient, text, ids)
    equal = text[:, :1].repeat(1, n)
    own, other = (watched(one, equal, ids)[1] for one in (patient, right))

    def explains(**change):
        return patient.same(watched(right, text, ids, **change)[0], wanted, by=10)

    return (
        _turned(own.turned, other.turned, explains)
        or _biased(own, other, explains)
        or _added([_table(one, text, ids, seen.sums) for one, seen in ((patient, own), (right, other))], real.sums, explains)
        or _scaled(real.scores, watched(right, text, ids)[1].scores, explains)
    )


def _of_layers(names):
    """One finding of those of each layer, where those that differ do so alike."""
    which = [layer for layer, name in enumerate(names) if name]
    if len({names[layer] for layer in which}) != 1:
        return ()
    words, *more = names[which[0]]
    if len(which) < len(names):
        short, _, words = words.partition(" | ")
        layers = f"layer{'s' * (len(which) > 1)} {', '.join(map(str, which))}"
        words = f"{short} | in {layers} (counted from 0), and no other: {words}"
    return words, *more


def _turned(own, other, explains):
    ways = [[[how_it_turns(one) for one in layer] for layer in layers] for layers in (own, other)]
    if len(own) != len(other) or not own or any(how is None for way in ways for layer in way for how in layer):
        return ()

    def as_the_patient(layer, *queries_and_keys):
        places = torch.arange(queries_and_keys[0].shape[1])
        return [turn(turn(one, (*theirs[:3], -theirs[3]), places), mine, places)
                for one, mine, theirs in zip(queries_and_keys, ways[0][layer], ways[1][layer])]  # fmt: skip

    names = [turns_differ(*queries) or turns_differ(*keys) for queries, keys in
             (zip(*layer) for layer in zip(*ways))]  # fmt: skip
    return any(names) and explains(turned=as_the_patient) and _of_layers(names)


def _biased(own, other, explains):
    if any(how_it_turns(one) != () and how_it_turns(one) is not None and how_it_turns(one)[1] for layers in (own, other) for layer in layers.turned
           for one in layer) or len(own.scores) != len(other.scores) or not own.scores:  # fmt: skip
        return ()
    pairs = [[what_is_added(*layer) for layer in pair] for pair in zip(own.scores, other.scores)]
    if any(one.shape != two.shape or (seen != seen_2).any() for (one, seen), (two, seen_2) in pairs):
        return ()
    pairs = [(one, two) for (one, _), (two, _) in pairs]

    def as_the_patient(layer, scores):
        one, two = pairs[layer]
        return [scores + (one - two).view_as(scores).to(scores)]

    names = [bias_differs(*pair) for pair in pairs]
    return any(names) and explains(scores=as_the_patient) and _of_layers(names)


def bias_differs(own, other):
    where = "the slopes or the table of the bias"
    if _same(own, other):
        return ()
    size = max(one.abs().max() for one in (own, other))
    if own.abs().max() < CLOSE * size:
        return "no-bias | no bias is added", "the plan of the layers", "lesson 17"
    if other.abs().max() < CLOSE * size:
        return "bias | what should not get a bias does", "the plan of the layers", "lesson 17"
    times = ((own * other).sum() / other.square().sum()).item()
    if _same(own, times * other):
        by = f"{_number(abs(times))} times" if abs(times) > 1 else f"1 / {_number(1 / abs(times))} of"
        if abs(times + 1) < CLOSE:
            return "bias-sign | the bias has the other sign", where, "lesson 17"
        root = f", as where it is divided by sqrt({1 / times**2:.0f})" * (0 < times < 1)
        return (f"bias-size | the bias is {by} that of the reference{root}",
                "from which power do slopes begin? Is the bias added after scores are divided by sqrt(d)?", "lesson 17")
    if _same(own, other.flip(0)):
        return "bias-reversed | heads get their bias in reverse order", where, "lesson 17"
    order = [next((at for at, two in enumerate(other) if _same(one, two)), None) for one in own]
    if None not in order:
        return f"bias-heads | heads get the bias of heads {', '.join(map(str, order))}", where, "lesson 17"
    n = own.shape[1]
    far = [torch.stack([one[:, n - 1, n - 1 - by] for by in range(n)]) for one in (own, other)]
    toeplitz = [_same(one, (each[(torch.arange(n)[:, None] - torch.arange(n)).clamp(min=0)]).permute(2, 0, 1).tril())
                for one, each in zip((own, other), far)]  # fmt: skip
    if toeplitz == [False, True]:
        return ("bias-places | the bias goes by more than the distance here",
                "the axis of the heads: view, where permute is meant", "lesson 17")
    if not all(toeplitz):
        return ()
    fits = [_buckets(one) for one in far]
    if None in fits:
        return ()
    (count, most), (count_2, most_2) = fits
    half = ": half of them are for later tokens?" * (2 * count == count_2)
    differ = [f"{one:,} {words}, and {two:,} in the reference" for one, two, words in
              ((count, count_2, f"buckets{half}"), (most, most_2, "as their largest distance")) if one != two]
    return differ and (f"buckets-of-t5 | the buckets are those of {', and '.join(differ)}", "num_buckets, "
                       "max_distance, and bidirectional=False in a decoder", "lesson 18")


def _buckets(far):
    """(number of buckets, largest distance) of T5's rule that gives these distances their own bias, or None."""
    distances = torch.arange(len(far))
    changes = (far[1:] - far[:-1]).abs().amax(dim=1) > CLOSE * far.abs().max()
    for count in (32, 16, 64, 8, 128):
        for most in (128, 64, 32, 256, 512, 1024, 20, 40, 50, 80, 100, 200, 1000):
            exact = count // 2
            if exact < most:
                large = (distances.clamp(min=1) / exact).log() / math.log(most / exact) * (count - exact)
                bucket = torch.where(distances < exact, distances, (exact + large.long()).clamp(max=count - 1))
                if torch.equal(bucket.diff() > 0, changes):
                    return count, most
    return None


def _table(one, text, ids, sums):
    """(number of the sum, tokens, table) of what is added to tokens and goes by their places alone, or None."""
    for at, pair in enumerate(sums):
        pair = [each.flatten(0, -2) for each in pair]
        fixed = [_same(each, each[:1].expand_as(each)) for each in pair]
        if sorted(fixed) == [False, True]:
            other = watched(one, text[:, 1:2].expand_as(text).contiguous(), ids)[1].sums
            if len(other) == len(sums) and _same(other[at][fixed.index(False)].flatten(0, -2), pair[fixed.index(False)]):
                return at, pair[fixed.index(True)], pair[fixed.index(False)]
            return None
    return None


def _added(found, real, explains):
    if None in found:
        return ()
    (at, tokens, table), (their, their_tokens, theirs) = found
    if table.shape != theirs.shape:
        return ()
    size = ((tokens * their_tokens).sum() / tokens.square().sum().clamp(min=1e-30)).item()
    if not _same(size * tokens, their_tokens):
        return ()

    def whole(layer, one, two):
        return (sum(real[at]).to(one), torch.zeros_like(two)) if layer == their else (one, two)

    def part(layer, one, two):
        if layer != their:
            return one, two
        pair = [one, two]
        fixed = 0 if _same(two.double().flatten(0, -2), theirs) else 1
        pair[1 - fixed] = (size * table).view_as(pair[1 - fixed]).to(one)
        return pair

    words = table_differs(size * table, theirs)
    return words and (explains(sums=part) or explains(sums=whole)) and words


def table_differs(own, other):
    if _same(own, other):
        return ()
    times = ((own * other).sum() / other.square().sum()).item()
    if _same(own, times * other):
        root = f", sqrt({times**2:.0f})," * (times > 1)
        return (f"table-size | beside the embedding of a token, the table counts {_number(times)}{root} times as much as in "
                "the reference", "what is multiplied with sqrt(d): the embedding alone?", "lesson 02")
    for by in (1, 2, -1, -2):
        if _same(own[max(0, -by) : len(own) - max(0, by)], other[max(0, by) : len(own) + min(0, by)]):
            way = f"{('one', 'two')[abs(by) - 1]} {'later' if by > 0 else 'earlier'}"
            return f"row-{way.replace(' ', '-')} | the rows of the table are read {way} than in the reference", "where the table begins", "lesson 02"
    if _same(own, -other):
        return "table-sign | the table has the other sign", "what is added to tokens", "lesson 02"
    ways = [how_it_turns(one[None]) for one in (own, other)]
    order = [{at for at, two in enumerate(other.T) if _same(one, two)} for one in own.T]
    if all(order) and set().union(*order) == {*range(own.shape[1])}:
        lies = [" in halves" if way and way[2] else " in turn" if way else "" for way in ways]
        more = f": sines and cosines lie{lies[0]}, and{lies[1]} in the reference" * (all(lies) and lies[0] != lies[1])
        return f"table-columns | the columns of the table come in another order{more}", "sines and cosines in turn, or in halves?", "lesson 02"
    return all(ways) and ways[0][2] == ways[1][2] and speeds_differ(ways[0][3], ways[1][3])


def _scaled(own, other, explains):
    if len(own) != len(other) or not own:
        return ()
    one, two = (torch.where((pair[0] > -1e4) & (pair[1] > -1e4), pair[which], 0).tril() for which, pair in
                ((0, (own[0][0], other[0][0])), (1, (own[0][0], other[0][0]))))  # fmt: skip
    if one.shape != two.shape:
        return ()
    times = ((one * two).sum() / two.square().sum()).item()
    if _same(one, two) or not _same(one, times * two) or not explains(scores=lambda layer, scores: [times * scores]):
        return ()
    return (f"scale | scores are {_number(times)} times those of the reference", "is it divided by sqrt(d) once? Does a "
            "rule for long texts have a factor?", "lesson 09")  # fmt: skip


class Steps(TorchDispatchMode):
    """Keeps what products of new queries with keys get, the scores, the values and the sums, layer by layer."""

    def __init__(self, new, widths):
        super().__init__()
        self.new, self.widths = new, widths
        self.turned, self.scores, self.values, self.sums = [], [], [], []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        op = func.overloadpacket
        if op is aten.bmm and args[0].shape[1] == self.new:
            if len(self.turned) == len(self.values) and args[0].shape[2] in self.widths:
                self.turned.append((args[0].double(), args[1].mT.double()))
            elif len(self.turned) > len(self.values) and args[0].shape[2] == self.turned[-1][1].shape[1]:
                self.values.append(args[1].double())
        elif op in (aten._softmax, aten._safe_softmax) and args[0].shape[-2] == self.new:
            self.scores.append(args[0].double().flatten(0, -3))
        elif op in (aten.add, aten.add_) and all(
            torch.is_tensor(one) and one.is_floating_point() and one.ndim > 1 for one in args[:2]
        ) and args[0].shape[-2:] == (self.new, args[1].shape[-1]):  # fmt: skip
            self.sums.append([one.double().flatten(0, -2) for one in torch.broadcast_tensors(*args[:2])])
        return func(*args, **(kwargs or {}))


def with_cache(patient, text, cuts, ids):
    """(culprit, look_at) of what new tokens get otherwise with a cache than at once, or ()."""
    n = next((size for size in SIZES if size <= patient.long.shape[1]), 0)
    plain = torch.arange(n)[None] if patient.known else None
    equal = watched(patient, patient.text[:, :1].repeat(1, n), plain)[1]
    widths = {queries.shape[2] for queries, _ in equal.turned}
    for first, end in zip(cuts, [*cuts[1:], text.shape[1]]):
        parts = [None if ids is None else ids[:, own] for own in (slice(first), slice(first, end), slice(end))]
        with sdpa_kernel(SDPBackend.MATH):
            cache = patient.ask(text[:, :first], parts[0])[1]
            with Steps(end - first, widths) as step:
                seen = patient.ask(text[:, first:end], parts[1], cache=cache)[0]
            with Steps(end, widths) as once:
                right = patient.rows(text[:, :end], parts[2])
        if not patient.same(seen, right[:, first:]):
            where = torch.arange(end) if ids is None else ids[0, :end]
            table = _table(patient, patient.text[:, :2].repeat(1, n)[:, :n], plain, equal.sums)
            return (_table_row(step, once, table, first, where) or _heads(step, once, equal, first, where)
                    or _kept(patient, text, first, end, *parts[:2]))  # fmt: skip
    return ()


def _tensors(kept, depth=0):
    """All that a cache holds in tensors of numbers with a point."""
    if torch.is_tensor(kept):
        return [kept] if kept.is_floating_point() else []
    if isinstance(kept, dict):
        kept = list(kept.values())
    elif hasattr(kept, "__dict__") and not isinstance(kept, type):
        kept = list(vars(kept).values())
    return [one for each in kept for one in _tensors(each, depth + 1)] if isinstance(kept, list | tuple) and depth < 6 else []


def _kept(patient, text, first, end, ids, new):
    """What the cache keeps of a state or of the end of a convolution, and what becomes of it."""

    def begun(tokens, length=first):
        return patient.ask(tokens[:, :length], None if ids is None else ids[:, :length])[1]

    def step(cache):
        return patient.ask(text[:, first:end], new, cache=cache)[0]

    def notices(place):
        return [not torch.equal(*pair) for pair in zip(_tensors(begun(text)), _tensors(begun(patient.altered(text, place))))]

    plain, shorter = _tensors(begun(text)), _tensors(begun(text, first - 1))
    rows = step(begun(text))
    fixed = [at for at, (one, two) in enumerate(zip(plain, shorter)) if one.shape == two.shape]
    last, earliest, before = notices(first - 1), notices(0), notices(first - 2)
    for at in fixed:
        cache = begun(text)
        with torch.no_grad():
            _tensors(cache)[at].mul_(-2.0)
        read = not torch.equal(step(cache), rows)
        size = f"a tensor {tuple(plain[at].shape)}"
        if not read and last[at]:
            what = "the end of a convolution" if not earliest[at] else "a state"
            return f"not-read | {what} is kept, and a new token does not read it ({size} of the cache)", "what new tokens get beside keys and values"
        if read and not last[at] and before[at]:
            return (f"kept-early | what is kept of a state does not notice the last token, only those before it ({size} of the cache)",
                    "is the state kept before it gets the last token?")
        cache = begun(text)
        old = _tensors(cache)[at].clone()
        after = _tensors(patient.ask(text[:, first:end], new, cache=cache)[1])
        if read and last[at] and len(after) == len(plain) and torch.equal(after[at], old):
            return f"not-written | a step does not change what is kept of a state ({size} of the cache)", "what a step hands on"
    return ()


def _table_row(step, once, table, first, where):
    """Which row of a table each new token gets."""
    if not table:
        return ()
    at, _, table = table
    which = int(_same(step.sums[at][0], once.sums[at][0][first:])) if len(step.sums) > at else 0
    if len(step.sums) <= at or len(once.sums) <= at or not _same(step.sums[at][1 - which], once.sums[at][1 - which][first:]):
        return ()
    got = step.sums[at][which]
    if _same(got, once.sums[at][which][first:]):
        return ()
    rows = [next((row for row, one in enumerate(table) if _same(new, one)), None) for new in got]
    if None in rows:
        return ()
    again = rows == [*range(len(rows))]
    says = f"the row{'s' * (len(rows) > 1)} for {_list(rows)} {'are' if len(rows) > 1 else 'is'} added to new tokens at {_list(where[first:].tolist())}"
    name = "offset-0 | positions begin again at 0 after the cache: " if again else "rows | with a cache, "
    return f"{name}{says}", "the offset by the length of the cache"


def _list(numbers):
    return ", ".join(map(str, numbers[:4])) + ", ..." * (len(numbers) > 4)


def _heads(step, once, equal, first, where):
    """What the first layer that differs gets."""
    if not len(step.turned) == len(once.turned) == len(equal.turned) == len(step.values) == len(once.values):
        return ()
    for layer, ((queries, keys), (queries_2, keys_2)) in enumerate(zip(step.turned, once.turned)):
        values, values_2, new = step.values[layer], once.values[layer], where[first:]
        hows = [how_it_turns(one) for one in equal.turned[layer]]
        if None in hows or queries.shape[0] != queries_2.shape[0]:
            return ()
        if len(step.scores) != len(step.turned) or len(once.scores) != len(step.turned):
            return ()
        scores, scores_2 = step.scores[layer], once.scores[layer][:, first:]
        at = f" in layer {layer} (counted from 0)" * (layer > 0)
        found = _in_layer(queries, keys, values, scores, queries_2[:, first:], keys_2, values_2, scores_2, hows, where, first, equal.scores[layer][0])
        if found is not None:
            return found and (f"{found[0]}{at}", *found[1:])
    return ()


def _stands(own, right, how, places):
    """At which position each of (heads, n, d) stands that is turned as `right`, and should stand at `places`."""
    found = []
    most = 2 * int(places.max()) + 8
    offsets = torch.arange(-int(places.max()) - 4, most)
    for at, place in enumerate(places.tolist()):
        told = turn(right[:, at : at + 1].expand(-1, len(offsets), -1), how, offsets)
        off = (told - own[:, at : at + 1]).abs().amax(dim=(0, 2))
        best = off.argmin().item() if how[1] else offsets.tolist().index(0)
        zero = offsets.tolist().index(0)
        best = zero if off[zero] < CLOSE * right.abs().max() else best
        found.append(place + offsets[best].item() if off[best] < 3 * CLOSE * right.abs().max() else None)
    return found


def _in_layer(queries, keys, values, scores, queries_2, keys_2, values_2, scores_2, hows, where, first, bias):
    """(culprit, look_at), () if something differs that has no name, None if nothing does."""
    new, total = where[first:], len(where)
    # tokens may lie in another order: each slot is that of the token whose values it holds
    size = values_2.abs().max()
    gaps = (values[:, :, None] - values_2[:, None]).abs().amax(dim=(0, 3))
    near = (keys[:, :, None] - keys_2[:, None]).abs().amax(dim=(0, 3)) / keys_2.abs().max()
    slots = []
    for slot, gap in enumerate(gaps):  # equal tokens may hold equal values
        likely = [token for token in (gap < CLOSE * size).nonzero()[:, 0].tolist() if token not in slots]
        own = min(likely, key=lambda token: (near[slot, token] > CLOSE, token != slot), default=None)
        slots.append(own)
    stand = _stands(queries, queries_2, hows[0], new)
    known = [(slot, token) for slot, token in enumerate(slots) if token is not None]
    visible = [{token for slot, token in known if scores[:, row, slot].max() > -1e4} for row in range(len(new))]
    should = [{token for token in range(total) if scores_2[:, row, token].max() > -1e4} for row in range(len(new))]
    foreign = [slot for slot, token in enumerate(slots) if token is None and scores[:, :, slot].max() > -1e4]
    held = {token for _, token in known}
    lost = sorted(set.union(*should) - held - {*range(first, total)})
    over = [(total_slot, token) for total_slot, token in known if token >= first and total_slot in lost]
    if over and [slot for slot, _ in over] == lost:
        return (f"overwritten | the keys of new tokens at {_list(new.tolist())} are written over those of {_list(where[lost].tolist())}",
                "the index at which new keys and values are written")
    if foreign:
        return ()
    mine = [_stands(keys[:, [slot]], keys_2[:, [token]], hows[1], where[[token]])[0] for slot, token in known]
    right = [where[token].item() for _, token in known]
    off = [(token, place, own) for (_, token), place, own in zip(known, right, mine) if place != own]
    cached = [one for one in off if one[0] < first]
    if None in stand or None in mine:
        return ()
    if stand != new.tolist() and not off:
        return (f"queries | with a cache, only the queries of new tokens stand elsewhere: at {_list(stand)} and not at {_list(new.tolist())}",
                "where queries get their positions, and the offset by the length of the cache")
    if off:
        places, own = [place for _, place, _ in off], [own for *_, own in off]
        says = f"keys of {_list(places)} stand at {_list(own)} with a cache" + f", and queries of {_list(new.tolist())} at {_list(stand)}" * (stand != new.tolist())
        look = "where keys are turned: before or after they are cached?"
        if len(cached) < len(off) and not cached:
            return f"new-keys | only the keys of new tokens stand elsewhere: {says}", look
        if all(own == 0 for *_, own in cached):
            return f"unturned | cached keys are kept before the turn, and not turned: {says}", look
        if all(own == place + token for token, place, own in cached) or all(own == 2 * place for _, place, own in cached):
            return f"turned-again | cached keys are turned again: {says}", look
        return f"keys-elsewhere | {says}", look
    if visible != should:
        row = next(row for row in range(len(new)) if visible[row] != should[row])
        lost, more = sorted(should[row] - visible[row]), sorted(visible[row] - should[row])
        if lost and more:
            return ()
        names = [where[token].item() for token in lost or more]
        if more:
            return f"seen-too | with a cache, a new token at {new[row]} sees those at {_list(names)}, and at once it doesn't", "the mask of new tokens, and their window"
        if visible == [{*range(1 + row)} for row in range(len(new))]:
            return ("mask-forgets | the causal mask forgets the cache: new tokens look at the first keys only",
                    "is_causal=True, or a triangle without the offset by the length of the cache")
        if {*lost} <= held:
            return (f"hidden | the cache keeps the keys of {_list(names)}, and the mask hides them from a new token at {new[row]}",
                    "does the mask take slots of the cache for positions? Then its triangle and its window")
        if not {*lost} & held:
            return (f"not-kept | a new token at {new[row]} should see the keys of {_list(names)}, and the cache keeps them no more",
                    "which end of the cache is cut off, slots that are written over, and what a step adds to it")
        return ()
    mine = _by_token(scores, known, scores_2)
    seen = (scores_2 > -1e4) & (mine > -1e4)
    mine, scores_2 = (torch.where(seen, one, 0.0) for one in (mine, scores_2))
    if _same(mine, scores_2):
        return None
    times = ((mine * scores_2).sum() / scores_2.square().sum()).item()
    if _same(mine, times * scores_2):
        return f"scale | with a cache, scores are {_number(times)} times those at once", "the scale of the scores"
    far, _ = what_is_added(bias)
    far = torch.stack([far[:, -1, -1 - by] for by in range(far.shape[1])], -1)
    if any(how[1] for how in hows) or not far.any():
        return ()
    plain = scores_2 - far[:, (new[:, None] - where).clamp(min=0)]
    at = [next((at for at in range(2 * total) if _alike(mine[:, row], plain[:, row] + far[:, (at - where).abs()], seen[:, row])), None)
          for row in range(len(new))]
    if None not in at and at != new.tolist():
        return (f"query-at | with a cache, new tokens at {_list(new.tolist())} get the bias of queries at {_list(at)}",
                "the offset by the length of the cache, in the distances of new tokens")
    if all(_alike(mine[:, row], plain[:, row], seen[:, row]) for row in range(len(new))):
        return "no-bias | with a cache, new tokens get no bias", "what is added to the scores of new tokens"
    return ()


def _alike(one, other, seen):
    """Up to a number for each head, which a softmax doesn't notice."""
    gap = torch.where(seen, one - other, 0.0)
    mean = gap.sum(dim=1, keepdim=True) / seen.sum(dim=1, keepdim=True)
    return bool(torch.where(seen, gap - mean, 0.0).abs().max() < CLOSE * other.abs().max())


def _by_token(scores, known, like):
    ordered = like.clone()
    for slot, token in known:
        ordered[:, :, token] = scores[:, :, slot]
    return ordered
