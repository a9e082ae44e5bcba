"""Lesson 10 for the tests of exercises: oracles, the mistakes it must know, and each in two other styles."""

import functools
import math
from fractions import Fraction

import mpmath
import numpy as np
import torch

# The closed values of the published code for some numbers of heads, as powers of two.
EXPONENTS = {
    1: [-8], 4: [-2, -4, -6, -8], 6: [-2, -4, -6, -8, -1, -3], 7: [-2, -4, -6, -8, -1, -3, -5],
    8: [-1, -2, -3, -4, -5, -6, -7, -8],
    12: [-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5],
    16: [-0.5, -1, -1.5, -2, -2.5, -3, -3.5, -4, -4.5, -5, -5.5, -6, -6.5, -7, -7.5, -8],
}  # fmt: skip


def weights_one_by_one(scores, slope):
    rows = []
    for m, row in enumerate(scores.tolist()):
        powers = [mpmath.exp(score - slope * abs(n - m)) for n, score in enumerate(row)]
        rows.append([float(power / mpmath.fsum(powers)) for power in powers])
    return rows


@functools.cache
def first_distances(one_way):
    """Where each shared bucket begins: the distances whose power exceeds that of the edge, exactly."""
    exact = one_way // 2
    shared = one_way - exact
    ratio = Fraction(128, exact)
    return [
        next(d for d in range(exact, 129) if Fraction(d, exact) ** shared >= ratio**step)
        for step in range(shared)
    ]


def bucket_by_counting(offset, bidirectional):
    one_way = 16 if bidirectional else 32
    distance = abs(offset) if bidirectional else max(0, -offset)
    if distance < one_way // 2:
        bucket = distance
    else:
        bucket = one_way // 2 - 1 + sum(distance >= first for first in first_distances(one_way))
    return bucket + (16 if bidirectional and offset > 0 else 0)


def buckets_by_counting(relative_positions, bidirectional):
    offsets = relative_positions.ravel().tolist()
    found = [bucket_by_counting(offset, bidirectional) for offset in offsets]
    return np.reshape(found, relative_positions.shape)


ORACLES = {
    "slopes": lambda num_heads: [2.0**exponent for exponent in EXPONENTS[num_heads]],
    "alibi_weights": weights_one_by_one,
    "buckets": buckets_by_counting,
}

CATALOGUE = {
    "slopes": ("off by one", "powers of two only", "each slope half of the one before"),
    "alibi_weights": (
        "wrong sign", "applied after the softmax", "counted from the first token", "causal mask applied",
    ),
    "buckets": (
        "always causal", "always bidirectional", "sign of the relative position",
        "max_distance not clipped", "log without the exact part", "off by one bucket", "no exact half",
        "16 buckets in the causal mode", "exact part of 8 in both modes", "one bucket for each distance",
    ),
}  # fmt: skip


# slopes: by repeated multiplication, and in PyTorch.


def loop_slopes(
    first=lambda power: 2 ** (-8 / power),
    ratio=lambda power: 2 ** (-8 / power),
    rest=lambda n, power, series: series(2 * power)[0::2][: n - power],
    begin=lambda n, power, series: series(power),
    finish=list,
):
    def slopes(num_heads):
        def series(power):
            found, slope = [], first(power)
            for _ in range(power):
                found.append(slope)
                slope = slope * ratio(power)
            return found

        power = 1 << (num_heads.bit_length() - 1)
        return finish(begin(num_heads, power, series) + rest(num_heads, power, series))

    return slopes


def torch_slopes(
    series=lambda power: torch.exp2(-8 * torch.arange(1, power + 1).double() / power),
    rest=lambda n, power, series: series(2 * power)[0 : 2 * (n - power) : 2],
    begin=lambda n, power, series: series(power),
    finish=lambda slopes: slopes,
):
    def slopes(num_heads):
        power = 2 ** math.floor(math.log2(num_heads))
        return finish(torch.cat([begin(num_heads, power, series), rest(num_heads, power, series)]))

    return slopes


def refuse(n, power, series):
    if n & (n - 1):
        raise AssertionError("a power of two is wanted")
    return []


def refuse_in_torch(n, power, series):
    return torch.tensor(refuse(n, power, series)).double()


def steps(power):
    return torch.arange(1, power + 1).double()


def no_rest(n, power, series):
    return []


def no_tensor(n, power, series):
    return torch.tensor([]).double()


SLOPES_STYLES = {
    name: (loop_slopes(**loop), torch_slopes(**tensor))
    for name, loop, tensor in [
        (
            "off by one",
            {"first": lambda power: 1.0},
            {"series": lambda power: torch.exp2(-8 * torch.arange(power).double() / power)},
        ),
        (
            "each slope half of the one before",
            {"first": lambda power: 0.5, "ratio": lambda power: 0.5},
            {"series": lambda power: 0.5 ** steps(power)},
        ),
        (
            "8 forgotten",
            {"first": lambda power: 2 ** (-1 / power), "ratio": lambda power: 2 ** (-1 / power)},
            {"series": lambda power: torch.exp2(-steps(power) / power)},
        ),
        (
            "base e",
            {"first": lambda power: math.exp(-8 / power), "ratio": lambda power: math.exp(-8 / power)},
            {"series": lambda power: torch.exp(-8 * steps(power) / power)},
        ),
        (
            "exponents returned",
            {"finish": lambda slopes: [math.log2(slope) for slope in slopes]},
            {"finish": torch.log2},
        ),
        (
            "exponent positive",
            {"first": lambda power: 2 ** (8 / power), "ratio": lambda power: 2 ** (8 / power)},
            {"series": lambda power: torch.exp2(8 * steps(power) / power)},
        ),
        (
            "one formula for all numbers",
            {"begin": lambda n, power, series: series(n), "rest": no_rest},
            {"begin": lambda n, power, series: series(n), "rest": no_tensor},
        ),
        ("powers of two only", {"rest": refuse}, {"rest": refuse_in_torch}),
        ("rest left out", {"rest": no_rest}, {"rest": no_tensor}),
        (
            "rest not every second",
            {"rest": lambda n, power, series: series(2 * power)[: n - power]},
            {"rest": lambda n, power, series: series(2 * power)[: n - power]},
        ),
        (
            "rest begins with the second",
            {"rest": lambda n, power, series: series(2 * power)[1::2][: n - power]},
            {"rest": lambda n, power, series: series(2 * power)[1::2][: n - power]},
        ),
        (
            "first slopes of the next power",
            {
                "begin": lambda n, power, series: series(power if n == power else 2 * power)[:n],
                "rest": no_rest,
            },
            {
                "begin": lambda n, power, series: series(2 ** math.ceil(math.log2(n)))[:n],
                "rest": no_tensor,
            },
        ),
        (
            "sorted",
            {"finish": lambda slopes: sorted(slopes)[::-1]},
            {"finish": lambda slopes: slopes.sort(descending=True).values},
        ),
        (
            "negative slopes",
            {"finish": lambda slopes: [0 - slope for slope in slopes]},
            {"finish": torch.neg},
        ),
    ]
}


# alibi_weights: entry by entry, and in PyTorch.


def loop_softmax(rows):
    return [[math.exp(score) / sum(map(math.exp, row)) for score in row] for row in rows]


def loop_transposed(rows):
    return [list(row) for row in zip(*loop_softmax(list(zip(*rows))))]


def loop_causal(rows):
    return [loop_softmax([row[: m + 1]])[0] + [0.0] * (len(row) - m - 1) for m, row in enumerate(rows)]


def minus_infinity_above(scores):
    return torch.full_like(scores, -math.inf).triu(diagonal=1)


def loop_weights(
    before=lambda row: row,
    cost=lambda m, n: abs(m - n),
    price=lambda slope, cost: slope * cost,
    score=lambda score, price: score - price,
    weigh=loop_softmax,
    after=lambda weight, price: weight,
):
    def weights(scores, slope):
        rows = [before(row) for row in scores.tolist()]
        prices = [[price(slope, cost(m, n)) for n in range(len(rows))] for m in range(len(rows))]
        biased = [[score(a, b) for a, b in zip(*both)] for both in zip(rows, prices)]
        return [[after(a, b) for a, b in zip(*both)] for both in zip(weigh(biased), prices)]

    return weights


def torch_weights(
    cost=lambda n: torch.cdist(n[:, None], n[:, None], p=1),
    price=lambda slope, cost: slope * cost,
    combine=lambda scores, price: torch.softmax(scores - price, dim=-1),
):
    def weights(scores, slope):
        scores = torch.tensor(scores)
        return combine(scores, price(slope, cost(torch.arange(len(scores)).double())).expand_as(scores))

    return weights


WEIGHTS_STYLES = {
    name: (loop_weights(**loop), torch_weights(**tensor))
    for name, loop, tensor in [
        (
            "distance with a sign",
            {"cost": lambda m, n: m - n},
            {"cost": lambda n: torch.sub(n[:, None], n)},
        ),
        (
            "counted from the first token",
            {"cost": lambda m, n: n},
            {"cost": lambda n: n},
        ),
        (
            "same for the whole row",
            {"cost": lambda m, n: m},
            {"cost": torch.zeros_like},
        ),
        (
            "squared distance",
            {"cost": lambda m, n: (n - m) ** 2},
            {"cost": lambda n: torch.square(n - n[:, None])},
        ),
        (
            "wrong sign",
            {"score": lambda score, price: price + score},
            {"price": lambda slope, cost: -slope * cost},
        ),
        ("slope forgotten", {"price": lambda slope, cost: cost}, {"price": lambda slope, cost: cost}),
        (
            "divided by the slope",
            {"price": lambda slope, cost: cost / slope},
            {"price": lambda slope, cost: cost.div(slope)},
        ),
        (
            "applied after the softmax",
            {"score": lambda score, price: score, "after": lambda weight, price: weight - price},
            {"combine": lambda scores, price: scores.softmax(1) - price},
        ),
        (
            "multiplied instead of added",
            {"score": lambda score, price: -score * price},
            {"combine": lambda scores, price: (scores * -price).softmax(1)},
        ),
        (
            "scores left out",
            {"score": lambda score, price: -price},
            {"combine": lambda scores, price: torch.softmax(-price, 1)},
        ),
        (
            "weights multiplied",
            {"score": lambda score, price: score, "after": lambda weight, price: weight * math.exp(-price)},
            {"combine": lambda scores, price: scores.softmax(1) / price.exp()},
        ),
        (
            "causal mask applied",
            {"weigh": loop_causal},
            {"combine": lambda scores, price: (scores - price + minus_infinity_above(scores)).softmax(1)},
        ),
        (
            "scores scaled again",
            {"before": lambda row: [score / len(row) ** 0.5 for score in row]},
            {"combine": lambda scores, price: (scores * len(scores) ** -0.5 - price).softmax(1)},
        ),
        (
            "sum scaled",
            {"weigh": lambda rows: loop_softmax([[s / len(row) ** 0.5 for s in row] for row in rows])},
            {"combine": lambda scores, price: ((scores - price) * len(scores) ** -0.5).softmax(1)},
        ),
        (
            "columns sum to 1",
            {"weigh": loop_transposed},
            {"combine": lambda scores, price: (scores - price).softmax(0)},
        ),
        ("scores returned", {"weigh": lambda rows: rows}, {"combine": lambda scores, price: scores - price}),
    ]
}


# buckets: one offset at a time, and in PyTorch.


def loop_buckets(
    look=lambda offset: offset,
    both=lambda flag: flag,
    buckets_of=lambda flag: 16 if flag else 32,
    upper=16,
    first=lambda offset: offset > 0,
    behind=lambda offset: -offset if offset < 0 else 0,
    near=lambda one_way: one_way // 2,
    way=lambda d, near, one_way: math.log(d / near, 128 / near),
    cut=lambda number: int(number + 1e-9),
    last=lambda one_way: one_way - 1,
):
    def one(offset, flag):
        offset, flag = look(offset), both(flag)
        one_way = buckets_of(flag)
        distance = abs(offset) if flag else behind(offset)
        start, own = upper if flag and first(offset) else 0, near(one_way)
        if distance < own:
            return start + distance
        return start + min(own + cut((one_way - own) * way(distance, own, one_way)), last(one_way))

    def buckets(relative_positions, bidirectional):
        walk = relative_positions.tolist()

        def each(part):
            return [each(piece) for piece in part] if isinstance(part, list) else one(part, bidirectional)

        return each(walk)

    return buckets


def torch_buckets(
    look=lambda offsets: offsets,
    both=lambda flag: flag,
    buckets_of=lambda flag: 16 if flag else 32,
    upper=16,
    first=lambda offsets: offsets > 0,
    behind=lambda offsets: torch.relu(-offsets),
    near=lambda one_way: one_way // 2,
    way=lambda d, near, one_way: torch.log2(d / near) / math.log2(128 / near),
    cut=lambda number: torch.trunc(number + 1e-9),
    limit=lambda bucket, one_way: bucket.clamp(max=one_way - 1),
):
    def buckets(relative_positions, bidirectional):
        offsets, flag = look(torch.tensor(relative_positions)), both(bidirectional)
        one_way = buckets_of(flag)
        distances, own = offsets.abs() if flag else behind(offsets), near(one_way)
        far = distances.clamp(min=own).double()
        shared = limit(own + cut((one_way - own) * way(far, own, one_way)).long(), one_way)
        found = torch.where(distances < own, distances, shared)
        return found + upper * first(offsets) if flag else found

    return buckets


BUCKETS_STYLES = {
    name: (loop_buckets(**loop), torch_buckets(**tensor))
    for name, loop, tensor in [
        ("sign of the relative position", {"look": lambda offset: -offset}, {"look": torch.neg}),
        ("always bidirectional", {"both": lambda flag: True}, {"both": lambda flag: True}),
        ("always causal", {"both": lambda flag: False}, {"both": lambda flag: False}),
        ("modes exchanged", {"both": lambda flag: not flag}, {"both": lambda flag: not flag}),
        (
            "16 buckets in the causal mode",
            {"buckets_of": lambda flag: 16},
            {"buckets_of": lambda flag: 16},
        ),
        (
            "32 buckets for looking back",
            {"buckets_of": lambda flag: 32},
            {"buckets_of": lambda flag: 32},
        ),
        (
            "32 buckets for each direction",
            {"buckets_of": lambda flag: 32, "upper": 32},
            {"buckets_of": lambda flag: 32, "upper": 32},
        ),
        ("both directions in the same buckets", {"upper": 0}, {"upper": 0}),
        (
            "lower half for the keys ahead",
            {"first": lambda offset: offset < 0},
            {"first": lambda offsets: offsets.lt(0)},
        ),
        (
            "distance 0 in the upper half",
            {"first": lambda offset: not offset < 0},
            {"first": lambda offsets: offsets.ge(0)},
        ),
        ("keys ahead not in bucket 0", {"behind": abs}, {"behind": torch.abs}),
        ("no exact half", {"near": lambda one_way: 1}, {"near": lambda one_way: 1}),
        ("exact quarter", {"near": lambda one_way: one_way // 4}, {"near": lambda one_way: one_way >> 2}),
        ("exact part of 8 in both modes", {"near": lambda one_way: 8}, {"near": lambda one_way: 8}),
        (
            "one bucket for each distance",
            {"near": lambda one_way: one_way, "way": lambda d, near, one_way: 0},
            {"near": lambda one_way: one_way, "way": lambda d, near, one_way: torch.zeros_like(d)},
        ),
        (
            "log without the exact part",
            {"way": lambda d, near, one_way: math.log(d, 128)},
            {"way": lambda d, near, one_way: torch.log2(d) / 7},
        ),
        (
            "max_distance not divided",
            {"way": lambda d, near, one_way: math.log(d / near, 128)},
            {"way": lambda d, near, one_way: torch.log2(d / near) / 7},
        ),
        (
            "divided by all buckets of the direction",
            {"way": lambda d, near, one_way: math.log(d / near, 128 / one_way)},
            {"way": lambda d, near, one_way: torch.log2(d / near) / math.log2(128 / one_way)},
        ),
        (
            "base of the logarithm",
            {"way": lambda d, near, one_way: math.log(d / near)},
            {"way": lambda d, near, one_way: torch.log(d) - math.log(near)},
        ),
        (
            "straight instead of logarithmic",
            {"way": lambda d, near, one_way: (d - near) / (128 - near)},
            {"way": lambda d, near, one_way: (d - near) / (128 - near)},
        ),
        ("rounded instead of cut off", {"cut": round}, {"cut": torch.round}),
        (
            "rounded up",
            {"cut": lambda number: math.ceil(number - 1e-9)},
            {"cut": lambda number: torch.ceil(number - 1e-9)},
        ),
        (
            "off by one bucket",
            {"cut": lambda number: math.floor(number + 1e-9) + 1},
            {"cut": lambda number: torch.floor(number + 1 + 1e-9)},
        ),
        (
            "max_distance not clipped",
            {"last": lambda one_way: math.inf},
            {"limit": lambda bucket, one_way: bucket},
        ),
        (
            "clipped one too early",
            {"last": lambda one_way: one_way - 2},
            {"limit": lambda bucket, one_way: bucket.clamp(max=one_way - 2)},
        ),
    ]
}

STYLES = {"slopes": SLOPES_STYLES, "alibi_weights": WEIGHTS_STYLES, "buckets": BUCKETS_STYLES}
