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
        or _added(own.sums, other.sums, real.sums, explains)
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


def _added(own, other, real, explains):
    def first(sums):
        for at, pair in enumerate(sums):
            pair = [one.flatten(0, -2) for one in pair]
            fixed = [_same(one, one[:1].expand_as(one)) for one in pair]
            if sorted(fixed) == [False, True]:
                return at, pair[fixed.index(True)], pair[fixed.index(False)]
        return None

    found = first(own), first(other)
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
