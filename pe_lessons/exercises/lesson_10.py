"""Exercises of lesson 10, relative biases."""

import math

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.engine import Exercise, Question, Slip


def _slopes(num_heads):
    power = 1
    while 2 * power <= num_heads:
        power = 2 * power  # the largest power of two that is not above num_heads
    slopes = [2 ** (-8 * (head + 1) / power) for head in range(power)]
    between = [2 ** (-8 * (head + 1) / (2 * power)) for head in range(0, 2 * power, 2)]
    return slopes + between[: num_heads - power]


def _paper_slope(head, power):
    return 2 ** (-8 * (head + 1) / power)


def _every_second(num_heads, power, slope):
    return [slope(2 * head, 2 * power) for head in range(num_heads - power)]


def _only_powers(num_heads, power, slope):
    if num_heads != power:
        raise ValueError(f"{num_heads} is not a power of two")
    return []


def _slopes_with(
    slope=_paper_slope,
    plan=lambda num_heads, power, slope: (
        [slope(head, power) for head in range(power)] + _every_second(num_heads, power, slope)
    ),
    finish=lambda slopes: slopes,
):
    def alibi_slopes(num_heads):
        power = 2 ** int(math.log2(num_heads))
        return finish(plan(num_heads, power, slope))

    return alibi_slopes


def _then(rest):
    """A plan that begins right and goes on with `rest`."""
    return lambda num_heads, power, slope: (
        [slope(head, power) for head in range(power)] + rest(num_heads, power, slope)
    )


slopes = Exercise(
    name="slopes",
    reference=_slopes,
    probes=((8,), (4,), (6,)),
    edge_probes=((12,), (1,), (16,), (7,)),
    slips=(
        Slip(
            "off by one",
            "The slopes begin with 1: heads were counted from 0 in the exponent. The first of eight heads "
            "has 1/2, so the exponent of head h is -8 (h + 1) / num_heads.",
            "slope",
            lambda head, power: 2 ** (-8 * head / power),
        ),
        Slip(
            "each slope half of the one before",
            "Each slope is half of the one before, whatever the number of heads. That is so for 8 heads "
            "only: the last slope is always 1/256.",
            "slope",
            lambda head, power: 2 ** -(head + 1),
        ),
        Slip(
            "8 forgotten",
            "The 8 is missing in the exponent, so all slopes are steep. The last one should be 1/256, two to "
            "the power of -8.",
            "slope",
            lambda head, power: 2 ** (-(head + 1) / power),
        ),
        Slip(
            "base e",
            "The slopes are powers of e. They should be powers of 2.",
            "slope",
            lambda head, power: math.exp(-8 * (head + 1) / power),
        ),
        Slip(
            "exponents returned",
            "These are the exponents. The slopes are two to the power of them.",
            "slope",
            lambda head, power: -8 * (head + 1) / power,
        ),
        Slip(
            "exponent positive",
            "The slopes grow to 256: the minus in the exponent is missing.",
            "slope",
            lambda head, power: 2 ** (8 * (head + 1) / power),
        ),
        Slip(
            "one formula for all numbers",
            "The formula is used for every number of heads. The published code uses it for powers of two "
            "only, and fills up with slopes from the next power.",
            "plan",
            lambda num_heads, power, slope: [slope(head, num_heads) for head in range(num_heads)],
        ),
        Slip(
            "powers of two only",
            "It works for powers of two only. Six heads get the four slopes of 4, then two of those of 8.",
            "plan",
            _then(_only_powers),
        ),
        Slip(
            "rest left out",
            "There are too few slopes where the number of heads is not a power of two. The rest comes from "
            "the slopes of the next power.",
            "plan",
            _then(lambda num_heads, power, slope: []),
        ),
        Slip(
            "rest not every second",
            "The rest should be every second slope of the next power; here they come one after the other, "
            "and some of them occur already.",
            "plan",
            _then(
                lambda num_heads, power, slope: [slope(head, 2 * power) for head in range(num_heads - power)]
            ),
        ),
        Slip(
            "rest begins with the second",
            "The rest begins with the second slope of the next power, and that occurs already. Begin with "
            "the first: 0, 2, 4, ...",
            "plan",
            _then(
                lambda num_heads, power, slope: [
                    slope(2 * head + 1, 2 * power) for head in range(num_heads - power)
                ]
            ),
        ),
        Slip(
            "first slopes of the next power",
            "All slopes are taken from the next higher power. Take the lower power whole, and fill up from "
            "the higher one.",
            "plan",
            lambda num_heads, power, slope: [
                slope(head, power if num_heads == power else 2 * power) for head in range(num_heads)
            ],
        ),
        Slip(
            "sorted",
            "The slopes are sorted. In the published code the rest comes at the end, and a head keeps its "
            "place: a trained model expects it there.",
            "finish",
            lambda slopes: sorted(slopes, reverse=True),
        ),
        Slip(
            "negative slopes",
            "The slopes are negative. A slope is positive; the minus belongs to the bias.",
            "finish",
            lambda slopes: [-slope for slope in slopes],
        ),
    ),
    build=_slopes_with,
    hints=(
        "First powers of two: 8 heads have 1/2, 1/4, ... 1/256. What is the exponent of head h, counted from "
        "0, of n heads?",
        "2 ** (-8 * (head + 1) / n). For other numbers: which is the largest power of two that is not "
        "above num_heads?",
        "All slopes of that power; then those of twice the power, of heads 0, 2, 4, ..., as many as are "
        "missing.",
    ),
)


def _alibi_weights(scores, slope):
    positions = np.arange(len(scores))
    distances = np.abs(positions[:, None] - positions)  # (n_q, n_k)
    return arrays.softmax(scores - slope * distances)


def _add(scores, bias, weigh):
    return weigh(scores + bias)


def _weights_with(
    distance=lambda m, n: np.abs(m - n),
    bias=lambda slope, distances: -slope * distances,
    combine=_add,
    weigh=arrays.softmax,
):
    def alibi_weights(scores, slope):
        positions = np.arange(len(scores), dtype=float)
        distances = distance(positions[:, None], positions)
        return combine(scores, np.broadcast_to(bias(slope, distances), scores.shape), weigh)

    return alibi_weights


def _scores(seed, seq_len):
    return np.random.default_rng(seed).normal(size=(seq_len, seq_len))


alibi_weights = Exercise(
    name="alibi_weights",
    reference=_alibi_weights,
    probes=((_scores(0, 5), 0.5), (_scores(1, 4), 0.25), (_scores(2, 6), 0.125)),
    edge_probes=((_scores(3, 1), 0.5), (_scores(4, 40), 0.5)),
    slips=(
        Slip(
            "distance with a sign",
            "Keys after the query get a bonus: the distance has a sign. Both directions lose: take the size "
            "of m - n. The short form, slope times n, is the same model only under a causal mask.",
            "distance",
            lambda m, n: m - n,
        ),
        Slip(
            "counted from the first token",
            "The penalty grows with the place of the key, the same for every query. Distance is between key "
            "n and query m: the query's own place is missing.",
            "distance",
            lambda m, n: n,
        ),
        Slip(
            "same for the whole row",
            "These are the weights without any bias. Is it missing, or is it one number along each row? The "
            "softmax cancels that: key *and* query belong in the distance.",
            "distance",
            lambda m, n: m,
        ),
        Slip(
            "squared distance",
            "The penalty grows with the square of the distance. ALiBi is linear.",
            "distance",
            lambda m, n: (m - n) ** 2,
        ),
        Slip(
            "wrong sign",
            "The far keys gain instead of losing: the bias needs a minus.",
            "distance",
            lambda m, n: -np.abs(m - n),
        ),
        Slip(
            "slope forgotten",
            "Every token of distance costs 1, whatever the slope. Multiply the distance by it.",
            "bias",
            lambda slope, distances: -distances,
        ),
        Slip(
            "divided by the slope",
            "The distance is divided by the slope, so that a small slope punishes hard. Multiply.",
            "bias",
            lambda slope, distances: -distances / slope,
        ),
        Slip(
            "applied after the softmax",
            "The bias is added to the finished weights: they no longer sum to 1, and some are negative. Add "
            "it to the scores, before the softmax.",
            "combine",
            lambda scores, bias, weigh: weigh(scores) + bias,
        ),
        Slip(
            "multiplied instead of added",
            "The scores are multiplied by the bias, so that even a token's score with itself is lost. Add.",
            "combine",
            lambda scores, bias, weigh: weigh(scores * bias),
        ),
        Slip(
            "scores left out",
            "The weights depend on the distance only: the scores were replaced, not added to.",
            "combine",
            lambda scores, bias, weigh: weigh(bias),
        ),
        Slip(
            "weights multiplied",
            "The finished weights are multiplied by the powers of the bias, and the rows no longer sum to 1. "
            "Add the bias to the scores: then the softmax divides by the new sum.",
            "combine",
            lambda scores, bias, weigh: weigh(scores) * np.exp(bias),
        ),
        Slip(
            "causal mask applied",
            "Keys after the query have no weight at all. This head looks in both directions: no mask.",
            "combine",
            lambda scores, bias, weigh: weigh(np.where(np.tri(len(scores)), scores + bias, -1e9)),
        ),
        Slip(
            "scores scaled again",
            "The scores are divided by a root once more. They come already divided.",
            "combine",
            lambda scores, bias, weigh: weigh(scores / math.sqrt(len(scores)) + bias),
        ),
        Slip(
            "sum scaled",
            "Scores and bias are divided by a root together. The scores come already divided, and the bias "
            "is not divided at all.",
            "combine",
            lambda scores, bias, weigh: weigh((scores + bias) / math.sqrt(len(scores))),
        ),
        Slip(
            "columns sum to 1",
            "The weights of a column sum to 1, those of a row do not. The softmax runs along the rows.",
            "weigh",
            lambda scores: arrays.softmax(scores.T).T,
        ),
        Slip(
            "scores returned",
            "These are the scores with the bias. The softmax turns them into weights.",
            "weigh",
            lambda scores: scores,
        ),
    ),
    build=_weights_with,
    hints=(
        "Which number belongs at row m, column n of the bias? What is it on the diagonal?",
        "positions[:, None] - positions holds m - n for all pairs; the distance is its size.",
        "scores - slope * distances, then arrays.softmax.",
    ),
)


def _buckets(relative_positions, bidirectional):
    one_way = 16 if bidirectional else 32
    exact = one_way // 2
    distances = np.abs(relative_positions) if bidirectional else np.maximum(-relative_positions, 0)
    share = np.log(np.maximum(distances, exact) / exact) / np.log(128 / exact)
    steps = (share * (one_way - exact) + 1e-9).astype(int)  # 6 must not come out as 5.999...
    shared = np.minimum(exact + steps, one_way - 1)
    first = np.where(relative_positions > 0, 16, 0) if bidirectional else 0
    return first + np.where(distances < exact, distances, shared)


def _ratio(distances, exact, one_way):
    return np.log(distances / exact) / np.log(128 / exact)


def _buckets_with(
    offset=lambda offsets: offsets,
    both=lambda bidirectional: bidirectional,
    sizes=lambda in_both: (16, 16) if in_both else (32, 0),
    upper=lambda offsets: offsets > 0,
    behind=lambda offsets: np.maximum(-offsets, 0),
    exact=lambda one_way: one_way // 2,
    ratio=_ratio,
    whole=lambda number: np.floor(number + 1e-9),
    cap=np.minimum,
):
    def buckets(relative_positions, bidirectional):
        offsets, in_both = offset(relative_positions), both(bidirectional)
        one_way, ahead = sizes(in_both)  # buckets of a direction, and where those for looking ahead begin
        distances, own = np.abs(offsets) if in_both else behind(offsets), exact(one_way)
        share = ratio(np.maximum(distances, own), own, one_way)
        shared = cap(own + whole((one_way - own) * share), one_way - 1)
        first = ahead * upper(offsets) if in_both else 0
        return first + np.where(distances < own, distances, shared)

    return buckets


_FEW = [0, 3, -3], [-8, 8], [-20, 20], [-90, 90], [-1000, 1000]  # so few that a reply can show them
# At distances of 16, 32 and 64 the logarithm comes out whole, or a last digit below: both answers are right.
_MANY = np.array([n for n in range(-200, 201) if abs(n) not in (16, 32, 64)])


def _call_buckets(name, offsets, bidirectional):
    shown = (
        offsets.tolist()
        if offsets.size < 5
        else "[n for n in range(-200, 201) if abs(n) not in (16, 32, 64)]"
    )
    return f"{name}(np.array({shown}), {bidirectional})"


buckets = Exercise(
    name="buckets",
    reference=_buckets,
    probes=(
        *((np.array(few), mode) for mode in (True, False) for few in _FEW),
        (_MANY, True),
        (_MANY, False),
    ),
    edge_probes=((np.array([[0, 3], [-3, 0]]), True), (np.array([-100_000, 100_000]), True)),
    call=_call_buckets,
    slips=(
        Slip(
            "sign of the relative position",
            "Before and after are exchanged. A relative position is the key's minus the query's: negative "
            "looks back.",
            "offset",
            lambda offsets: -offsets,
        ),
        Slip(
            "always bidirectional",
            "The buckets of the causal mode are those of the bidirectional one. A causal model has all 32 "
            "for looking back.",
            "both",
            lambda bidirectional: True,
        ),
        Slip(
            "always causal",
            "The buckets of the bidirectional mode are those of the causal one. There each direction has 16.",
            "both",
            lambda bidirectional: False,
        ),
        Slip(
            "modes exchanged",
            "The two modes are exchanged: bidirectional means that keys after the query have buckets of "
            "their own.",
            "both",
            lambda bidirectional: not bidirectional,
        ),
        Slip(
            "16 buckets in the causal mode",
            "In the causal mode only 16 buckets are used. There is one direction, and all 32 are for it.",
            "sizes",
            lambda in_both: (16, 16),
        ),
        Slip(
            "32 buckets for looking back",
            "In the bidirectional mode looking back takes more than 16 buckets and runs into those for "
            "looking ahead. Each direction has half of the 32.",
            "sizes",
            lambda in_both: (32, 16),
        ),
        Slip(
            "32 buckets for each direction",
            "In the bidirectional mode there are 64 buckets. Each direction has half of the 32, so those for "
            "looking ahead begin at 16.",
            "sizes",
            lambda in_both: (32, 32),
        ),
        Slip(
            "both directions in the same buckets",
            "Looking ahead and looking back land in the same buckets, so the head cannot tell the sides "
            "apart. Keys after the query get the upper 16.",
            "upper",
            lambda offsets: False,
        ),
        Slip(
            "lower half for the keys ahead",
            "The two halves are exchanged: keys *after* the query get the upper 16 buckets.",
            "upper",
            lambda offsets: offsets < 0,
        ),
        Slip(
            "distance 0 in the upper half",
            "The token itself got bucket 16. It counts as looking back: only offsets above 0 get the upper "
            "half.",
            "upper",
            lambda offsets: offsets >= 0,
        ),
        Slip(
            "keys ahead not in bucket 0",
            "In the causal mode keys ahead are sorted by their distance. A causal model never sees them: "
            "they all land in bucket 0.",
            "behind",
            np.abs,
        ),
        Slip(
            "no exact half",
            "Near distances share buckets already. The first half of a direction's buckets is exact: one "
            "bucket for each distance.",
            "exact",
            lambda one_way: 1,
        ),
        Slip(
            "exact quarter",
            "Only a quarter of a direction's buckets is exact. It should be half of them.",
            "exact",
            lambda one_way: one_way // 4,
        ),
        Slip(
            "exact part of 8 in both modes",
            "In the causal mode 8 distances have a bucket of their own. There a direction has 32 buckets, "
            "and half of them, 16, are exact.",
            "exact",
            lambda one_way: 8,
        ),
        Slip(
            "one bucket for each distance",
            "Every distance has a bucket of its own until they are used up. Only half of them is exact; the "
            "rest grow with the distance: take logarithms.",
            "ratio",
            lambda distances, exact, one_way: (distances - exact) / (one_way - exact),
        ),
        Slip(
            "log without the exact part",
            "The logarithm is taken of the distance itself. The shared buckets begin at the distance where "
            "the exact ones end: divide by it, above and below.",
            "ratio",
            lambda distances, exact, one_way: np.log(distances) / np.log(128),
        ),
        Slip(
            "max_distance not divided",
            "The logarithm below is that of 128 itself. Above and below are divided by the number of exact "
            "buckets.",
            "ratio",
            lambda distances, exact, one_way: np.log(distances / exact) / np.log(128),
        ),
        Slip(
            "divided by all buckets of the direction",
            "The 128 is divided by all buckets of the direction. Divide it by the exact ones, half of them, "
            "as the distance is.",
            "ratio",
            lambda distances, exact, one_way: np.log(distances / exact) / np.log(128 / one_way),
        ),
        Slip(
            "base of the logarithm",
            "The logarithm is not divided by the one of 128 / exact, so that the buckets fill up too "
            "slowly or too fast.",
            "ratio",
            lambda distances, exact, one_way: np.log(distances / exact),
        ),
        Slip(
            "straight instead of logarithmic",
            "The shared buckets are all equally wide. They should grow with the distance: take logarithms.",
            "ratio",
            lambda distances, exact, one_way: (distances - exact) / (128 - exact),
        ),
        Slip(
            "rounded instead of cut off",
            "Numbers are rounded to the nearest bucket. Cut off what comes after the point.",
            "whole",
            np.rint,
        ),
        Slip(
            "rounded up",
            "Numbers are rounded up to the next bucket. Cut off what comes after the point.",
            "whole",
            lambda number: np.ceil(number - 1e-9),
        ),
        Slip(
            "off by one bucket",
            "The shared buckets are one too high: the first of them is left empty. Cut off what comes "
            "after the point, and do not add 1.",
            "whole",
            lambda number: np.floor(number + 1e-9) + 1,
        ),
        Slip(
            "max_distance not clipped",
            "From distance 128 on the numbers run past the last bucket of the direction. There is none after "
            "it: what is further away stays in the last one.",
            "cap",
            lambda bucket, last: bucket,
        ),
        Slip(
            "clipped one too early",
            "The last bucket of a direction is never used. Clip at the number of the last one, which is one "
            "less than how many there are.",
            "cap",
            lambda bucket, last: np.minimum(bucket, last - 1),
        ),
    ),
    build=_buckets_with,
    hints=(
        "Begin with looking back only: distances 0 to 7 (16 buckets) or 0 to 15 (32 buckets) are their own "
        "bucket. What of the others? (An `if` decides once, and here are many offsets: np.where decides for "
        "each.)",
        "Which share of the way from `exact` to 128 is the distance, on a logarithmic scale? That share of "
        "the remaining buckets, cut off, and at most the last one.",
        "np.log(distances / exact) / np.log(128 / exact); np.maximum(distances, exact) keeps the near ones "
        "out of the logarithm, np.where chooses. Then 16 more for keys ahead, if bidirectional.",
    ),
)

bias_question = Question(
    name="bias_question",
    prompt="A bias is added to the scores of a head before the softmax. What is true?",
    choices={
        "a": (
            "adding the same number to a whole row of scores changes nothing",
            True,
            "The softmax divides by the sum of the row, and the common factor cancels.",
        ),
        "b": (
            "adding the same number to a whole column of scores changes nothing",
            False,
            "A column is one key, seen from all queries: in every row it gains on the others.",
        ),
        "c": (
            "a bias of -2 divides a key's weight, compared with that of a key without bias, by about 7",
            True,
            "A bias b multiplies the power by e to the b, and e to the 2 is 7.4.",
        ),
        "d": (
            "T5 with 32 bidirectional buckets can tell a key 20 back from one 21 back",
            False,
            "From 8 on, distances share a bucket: 16 to 22 have the same one.",
        ),
        "e": (
            "Shaw's rows can be of use to a head that looks as far back as its own digit says",
            True,
            "The query is multiplied by the row of the offset, so different queries can prefer "
            "different offsets.",
        ),
        "f": (
            "symmetric ALiBi can learn to look exactly three back with another slope",
            False,
            "No slope makes three back better than two back, or than three ahead.",
        ),
    },
    hints=(
        "Write the softmax of a row as powers over their sum. Which factor is common, in a row, in a column?",
        "Then look at the three pictures: one slope, a number per bucket, a row per offset that the query "
        "is multiplied by.",
    ),
)
