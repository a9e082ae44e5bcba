"""Bad input: one error in one sentence on every rung; it names the argument, the value, what would do."""

import inspect
import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from pe_lessons import arrays, loops, tensors
from pe_lessons.tensors import SinusoidalEncoding

RUNGS = {loops: lambda value: value, arrays: np.array, tensors: torch.tensor}
T, V = TypeError, ValueError
nan, inf = math.nan, math.inf


@dataclass
class N:
    """Numbers that each rung gets in its own form: (nested) lists, an array, a Tensor."""

    value: object


# fmt: off
ROWS = [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.9, 1.0, 1.1, 1.2]]  # (seq_len, head_dim)
MASK = [[True, False, False], [True, True, False], [True, True, True]]
LINEAR = {"rope_type": "linear", "factor": 4.0}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
PARTS = {**YARN, "rope_type": "ntk_by_parts"}
SHARE = {"rope_type": "proportional", "partial_rotary_factor": 0.5}
DYNAMIC = {**YARN, "rope_type": "dynamic"}
LONG = {**YARN, "rope_type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [1.0, 9.0]}
LLAMA_3 = {**YARN, "rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
TABLE = {"seq_len": 3, "d_model": 4, "base": 10_000.0, "start": 0}
HEADS = {"q": N(ROWS), "k": N(ROWS), "v": N(ROWS)}
TURN = {"x": N(ROWS), "base": 10_000.0, "layout": "half"}
BUCKETS = {"max_distance": 16, "bidirectional": True}
KEYS = {"positions": N([4, 5, 9])}
OF_STATE = {"gates": N([0.5, 1.0, 0.25]), "state": N([[0.5] * 4] * 4)}

RIGHT = {  # function: all of its arguments, as they should be
    "frequencies": {"d_model": 4, "base": 10_000.0},
    "sinusoidal": TABLE,
    "sinusoidal_by_rotation": {**TABLE, "dtype": None},
    "sinusoidal_blocks": {**TABLE, "dtype": None, "block_len": None},
    "sinusoidal_2d": {"height": 2, "width": 3, "d_model": 4, "base": 10_000.0},
    "learned": {"token_ids": N([[7, 5, 9], [0, 5, 7]]), "table": N(ROWS), "offset": 0, "padding_id": 0},
    "shift_matrix": {"offset": 3, "d_model": 4, "base": 10_000.0},
    "kernel": {"offsets": N([0.0, 1.0, 2.5]), "d_model": 4, "base": 10_000.0},
    "softmax": {"scores": N([0.5, 1.0, 2.0])},
    "attention": {**HEADS, "mask": N(MASK)},
    "attention_with_bias": {**HEADS, "bias_of_offsets": N([0.1, 0.2, 0.3, 0.4, 0.5]), "causal": True},
    "rotary_frequencies": {"head_dim": 4, "base": 10_000.0, "scaling": LINEAR, "text_len": 9},
    "rotary": {
        **TURN, "positions": N([0.0, 1.0, 2.5]), "scaling": LINEAR, "rotary_dim": 4, "text_len": 9},
    "query_scale": {"positions": N([0.0, 1.0, 2.5]), "length": 8, "strength": 0.1},
    "axial_rotary": {**TURN, "rows": N([0.0, 0.0, 1.0]), "columns": N([0.0, 1.0, 0.5])},
    "mrope_positions": {"parts": (2, (1, 2, 3), 4)},
    "mrope": {**TURN, "positions": N([[0.0, 1.0, 2.5], [0.0, 1.0, 3.0]]), "sections": (1, 1),
              "order": "blocks"},
    "laplacian_eigenvectors": {"adjacency": N([[0.0, 1.0, 0.5], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]),
                               "num_vectors": 2},
    "shaw_bias": {"q": N(ROWS), "table": N(ROWS), **KEYS},
    "forget_bias": {"gates": N([0.5, 1.0, 0.25])},
    "linear_attention": {**HEADS, **OF_STATE},
    "delta_rule": {**HEADS, **OF_STATE, "beta": N([0.0, 1.0, 2.0])},
    "short_convolution": {"x": N(ROWS), "weights": N([[0.5, 1.0]] * 4), "before": N([[0.5] * 4])},
    "alibi_slopes": {"num_heads": 4},
    "alibi": {"seq_len": 3, "num_heads": 4, **KEYS},
    "t5_buckets": {"relative_positions": N([-20, 0, 3]), "num_buckets": 8, **BUCKETS},
    "t5_bias": {"seq_len": 3, "table": N([[0.5, 1.5]] * 8), **BUCKETS, **KEYS},
}


# Rows of the table below: what is given instead of right arguments, the error, what its sentence says.


def bad(said, error=V, **replaced):
    return replaced, error, said


def each(name, error, begins, *values_and_ends):
    """A row for each wrong value of one argument, the sentence in two pieces."""
    return [({name: value}, error, begins + end) for value, end in values_and_ends]


def kinds(values):
    """Each value and how a sentence names it."""
    return [(value, f"{value!r} ({type(value).__name__})") for value in values]


def whole(name, minimum=None, *, optional=False):
    values = [4.0, True] + [None] * (not optional)
    rows = each(name, T, f"{name} must be a whole number, got ", *kinds(values))
    rows += each(name, V, f"{name} must lie within 64 bits, got ", (2**63, "9223372036854775808"))
    if minimum is not None:
        rows += each(name, V, f"{name} must be at least {minimum}, got ", (minimum - 1, str(minimum - 1)))
    return rows


def reals(name, with_one):
    """`with_one(entry)` holds real numbers, and the entry."""
    said = f"{name} must hold real numbers, got "
    rows = each(name, T, said, *((with_one(entry), end) for entry, end in kinds([None, "a", True])))
    rows += each(name, T, said, (N([[1j, 0.0]]), "1j (complex)"), *kinds(["abc", None]))
    said = f"{name} must have rows of one length, got rows of the shapes "
    return rows + each(name, V, said, ([[0.1, 0.2], [0.3]], "[(1,), (2,)]"))


def wholes(name):
    """For many whole numbers."""
    said = f"{name} must hold whole numbers, got "
    rows = each(name, T, said, (N([[0.5, 1.0]]), "0.5 (float): pass ints such"), ([7, True], "True (bool)"))
    said = f"{name} must lie within 64 bits, got "
    return rows + each(name, V, said, ([2**63], "922337203685"), (N([-(2**63)]), "-9223372036854775808"))


def finite(name):
    """For an argument that holds the places of three tokens."""
    wrong = [(N([0.0, 1.0, entry]), f"{entry} among them") for entry in (nan, -inf)]
    wrong += [([0.0, 1.0, 10**400], "inf among them")]
    rows = reals(name, lambda entry: [0.0, 1.0, entry])
    return rows + each(name, V, f"{name} must be finite, got ", *wrong)


def vectors(name):
    """For queries, keys or values."""
    said = f"{name} must have the axes (seq_len, head_dim) and an entry, got shape "
    shapes = (N(0.5), "()"), (N([0.1, 0.2]), "(2,)"), (N([[]]), "(1, 0)")
    return reals(name, lambda entry: [[0.1, 0.2, 0.3, entry]] * 3) + each(name, V, said, *shapes)


def places(name):
    """For one place for each of the three rows of x."""
    said = f"{name} must be one number for each of the 3 rows of x, got shape "
    shapes = (N(0), "()"), (N([0, 1]), "(2,)"), (N([[0, 1, 2]]), "(1, 3)")
    return finite(name) + each(name, V, said, *shapes)


def flag(name):
    return each(name, T, f"{name} must be True or False, got ", ("yes", "'yes'"))


def not_none(rows):
    """The rows without those that give None, which stands for nothing where an argument is optional."""
    return [row for row in rows if None not in row[0].values()]


GATES = [
    *reals("gates", lambda entry: [0.5, 1.0, entry]),
    *each("gates", V, "gates must be above 0 and at most 1, got ",
          (N([0.5, 0.0, 1.0]), "0.0 among them"), (N([0.5, 1.5, 1.0]), "1.5 among them"),
          (N([nan, 1.0, 1.0]), "nan among them")),
]
STATES = [
    *not_none(GATES),
    bad("gates must have the shape (3,), one for each token, got (2,)", gates=N([0.5, 1.0])),
    bad("state must have the shape (4, 4) for k (3, 4) and v (3, 4), got (4, 3)", state=N([[0.5] * 3] * 4)),
    bad("q and k must have the same seq_len (last axis but one), got 2 and 3", q=N(ROWS[:2])),
    *not_none(reals("state", lambda entry: [[0.1, 0.2, 0.3, entry]] * 4)),
]
BASE = "base must be finite and above 1, got "
BASES = [
    *each("base", V, BASE, *((base, f"{base}: the paper's is") for base in (1, nan, inf, 10**400))),
    *each("base", T, "base must be a real number, got ", *kinds(["10000", True])),
]
DTYPES = each("dtype", T, "dtype must be a floating-point one such as float32, got ", ("abc", "'abc'"))
LAYOUTS = each("layout", V, 'layout must be "interleaved" or "half", got ',
               ("halves", "'halves'"), (["half"], "['half']"))
WIDTHS = each("d_model", V, "d_model must be even, got ",
              *((d, f"{d}: the last sine has no cosine to turn with, take {d + 1}") for d in (1, 5)))
BY_FOUR = "must be a multiple of 4, got 6: a half for each axis, in pairs; take 8"
ABOVE_ZERO = "must be finite and above 0, got "
SCALINGS = [
    bad('scaling must be a dict such as {"rope_type": "linear", "factor": 4.0}, got', T, scaling="linear"),
    bad("must be one of ['default', 'linear', 'ntk', ", scaling={"factor": 4.0}),
    bad("'longrope'], got ['linear']", scaling={**LINEAR, "rope_type": ["linear"]}),
    bad("must have the keys ['factor'] and may have [], got []", scaling={"rope_type": "linear"}),
    bad("must have the keys ['factor'] and may have [], got [3, 'factor']", scaling={**LINEAR, 3: 1.0}),
    bad("must be at least 1, the new length over the trained", scaling={**LINEAR, "factor": 0.5}),
    bad('scaling["factor"] must be a real number, got \'4\'', T, scaling={**LINEAR, "factor": "4"}),
    bad(f'scaling["factor"] {ABOVE_ZERO}nan', scaling={**LINEAR, "factor": nan}),
    bad('scaling["truncate"] must be True or False, got 1', T, scaling={**YARN, "truncate": 1}),
    bad("must be at most 1, the share of the columns", scaling={**SHARE, "partial_rotary_factor": 64}),
    bad('must be above scaling["beta_slow"], got 1 and 1.0', scaling={**YARN, "beta_fast": 1}),
    bad('must be above scaling["alpha"], got 32.0 and 32', scaling={**PARTS, "alpha": 32}),
    bad('must be above scaling["low_freq_factor"]', scaling={**LLAMA_3, "low_freq_factor": 4}),
    bad(f'scaling["mscale"] {ABOVE_ZERO}0', scaling={**YARN, "mscale": 0}),
    bad("must be a list with a number for each of the 2 pairs", scaling={**LONG, "long_factor": 2.0}),
    bad("must be a list with a number for each of the 2 pairs", scaling={**LONG, "long_factor": [1.0] * 3}),
    bad(f'scaling["long_factor"] {ABOVE_ZERO}0.0', scaling={**LONG, "long_factor": [1, 0.0]}),
    bad("must be above 1 for scaling of the type", scaling={**LONG, "original_max_position_embeddings": 1}),
    bad("text_len must be given for scaling of the type 'dynamic', got None", scaling=DYNAMIC, text_len=None),
    bad("text_len must be given for scaling of the type 'longrope', got None", scaling=LONG, text_len=None),
]
TOO_NEAR = [bad("max_distance must be above 2, where buckets begin to be shared, got 2", max_distance=2)]
POSITIONS = [  # of the keys
    *wholes("positions"),
    bad("positions must be a row of numbers, one for each key and at least 3", positions=N([0, 1])),
    bad("the last 3 are those of the queries, got shape (1, 3)", positions=N([[0, 1, 2]])),
    bad("positions must lie within 63 bits of each other, got ", positions=N([2**62, 0, -(2**62)])),
]

BY_ARGUMENT = {  # what is refused in every function that has the argument
    **{name: whole(name, 1) for name in ("seq_len", "d_model", "head_dim", "num_heads", "height", "width")},
    **{name: whole(name) for name in ("start", "offset", "max_distance")},
    **{name: flag(name) for name in ("bidirectional", "causal")},
    **{name: vectors(name) for name in ("q", "k", "v", "x")},
    **{name: places(name) for name in ("rows", "columns")},
    "base": BASES, "layout": LAYOUTS, "scaling": SCALINGS, "dtype": DTYPES,
    **{name: whole(name, 1, optional=True) for name in ("block_len", "text_len")},
}
BY_FUNCTION = {  # and what is besides
    "sinusoidal_2d": [bad(f"d_model {BY_FOUR}", d_model=6)],
    "learned": [
        *reals("table", lambda entry: [[0.1, 0.2], [0.3, entry]]),
        *whole("padding_id", optional=True),
        *wholes("token_ids"),
        bad("offset must be at least 0, got -1", offset=-1),
        bad("token_ids must have the axes (batch, seq_len) and an entry", token_ids=N([0, 0, 0])),
        bad("token_ids must have the axes (batch, seq_len) and an entry, got shape (0,)", token_ids=N([])),
        bad("token_ids must have the axes (batch, seq_len) and an entry", token_ids=N([[[7]]])),
        bad("table must have the axes (max_len, d_model) and an entry, got shape (2,)", table=N([0.1, 0.2])),
        bad("table must have the axes (max_len, d_model) and an entry, got shape (1, 0)", table=N([[]])),
        bad("3 tokens from row 0 on need 3 rows, got 2; cut the text or", table=N(ROWS[:2])),
        bad("3 tokens from row 1 on need 4 rows, got", offset=1),
    ],
    "shift_matrix": WIDTHS,
    "kernel": [*finite("offsets"), *WIDTHS, bad(BASE + "1", offsets=N([]), base=1)],
    "softmax": [
        *reals("scores", lambda entry: [0.1, entry]),
        bad("scores must be rows of at least one number, got shape ()", scores=N(0.5)),
        bad("scores must be rows of at least one number, got shape (2, 0)", scores=N([[], []])),
        bad("scores must hold a number above -inf in every row", scores=N([[nan, 0.0], [-inf, -inf]])),
    ],
    "attention": [
        bad("q and k must have the same head_dim (last axis), got shapes (3, 4) and", k=N([[0.1] * 3] * 3)),
        bad("k and v must have the same seq_len (last axis but one), got shapes (3, 4) and", v=N(ROWS[:2])),
        bad("mask must have the shape (n_q, n_k) = (3, 3), one entry per query and key, got (1, 3) for q",
            mask=N([[True, False, True]])),
        bad("mask must have the shape (n_q, n_k) = (3, 3)", mask=N(True)),
        bad("hold booleans (True: may look there), got 1 (int): compare, as in", T, mask=N([[1] * 3] * 3)),
        bad("mask must hold booleans (True: may look there), got 1 (int)", T, mask=[[True, 1, 0]] * 3),
        bad("mask must leave every query at least one key, but its row 1 is all False",
            mask=N([[True] * 3, [False] * 3, [True] * 3])),
    ],
    "attention_with_bias": [
        *reals("bias_of_offsets", lambda entry: [0.1, 0.2, 0.3, 0.4, entry]),
        bad("must hold 2 * 3 - 1 = 5 numbers for the offsets -2 to 2", bias_of_offsets=N([0.5] * 4)),
        bad("behind axes that fit (), got shape (1, 5)", bias_of_offsets=N([[0.5] * 5])),
        bad("but query 0 has none", bias_of_offsets=N([0.1, 0.2, -inf, 0.4, 0.5])),
        bad("but query 1 has none", bias_of_offsets=N([0.1, -inf, -inf, -inf, 0.5]), causal=False),
        bad("q and k must have the same seq_len (last axis but one)", k=N(ROWS[:2]), v=N(ROWS[:2])),
    ],
    "rotary_frequencies": [
        bad("head_dim must be even, got 5: the last sine has no cosine to turn", head_dim=5),
        bad("head_dim must be at least 4 for scaling of the type 'ntk', got 2",
            head_dim=2, scaling={"rope_type": "ntk", "factor": 2.0}),
        bad("at least 4 for scaling of the type 'dynamic', got 2", head_dim=2, scaling=DYNAMIC),
    ],
    "rotary": [
        *places("positions"),
        *whole("rotary_dim", 1, optional=True),
        bad("x must have an even head_dim (last axis), got shape", x=N([[0.1] * 3] * 3), rotary_dim=None),
        bad("rotary_dim must be even, got 3", rotary_dim=3),
        bad("rotary_dim must be at most the head_dim of x, 4, got 6", rotary_dim=6),
    ],
    "query_scale": [
        *finite("positions"),
        *whole("length", 1),
        bad("positions must be at least 0, got -0.5 among them", positions=N([[5.0], [-0.5]])),
        bad("strength must be a real number, got '0.1' (str)", T, strength="0.1"),
        bad("strength must be finite and at least 0, got -0.1: 0.1 is usual", strength=-0.1),
    ],
    "axial_rotary": [bad(f"head_dim, the last axis of x, {BY_FOUR}", x=N([[0.1] * 6] * 3))],
    "mrope_positions": [
        bad("parts must be a sequence such as (2, (1, 3, 4), 5), got 5", parts=5),
        bad("parts must be a sequence such as (2, (1, 3, 4), 5), got ()", parts=()),
        bad("text in parts must be a whole number, got 2.5 (float)", T, parts=(2.5,)),
        bad("text in parts must be at least 1, got 0", parts=(3, 0)),
        bad("(2, 3): an image has one frame, (1, height, width)", parts=((2, 3),)),
        bad("an image or a video in parts must be at least 1, got 0", parts=((1, 0, 3),)),
    ],
    "mrope": [
        *reals("positions", lambda entry: [[0.0, 1.0, 2.0], [0.0, 1.0, entry]]),
        *wholes("sections"),
        bad("positions must be finite, got nan among them", positions=N([[0.0, 1.0, nan]] * 2)),
        bad("(axes, seq_len) = (2, 3), a row for each of the sections, got (3,)", positions=N([0, 1, 2])),
        bad("a row for each of the sections, got (2, 2)", positions=N([[0, 1]] * 2)),
        bad("x must have an even head_dim (last axis), got shape (3, 3)", x=N([[0.1] * 3] * 3)),
        *(bad(f"sections must be positive numbers of pairs, one for each axis, with the sum 2, got {wrong}",
              sections=wrong) for wrong in (2, [], [[1, 1]], [1, 2], [2, 0])),
        bad('order must be "blocks", "interleaved" or "axial", got \'thw\'', order="thw"),
        bad("from pair 1 on there are not 3, 2 apart",
            x=N([[0.1] * 8] * 3), sections=(1, 3), order="interleaved"),
    ],
    "laplacian_eigenvectors": [
        *reals("adjacency", lambda entry: [[0.0, entry], [1.0, 0.0]]),
        *whole("num_vectors", 1),
        bad("adjacency must be finite, got nan among them", adjacency=N([[0.0, nan], [nan, 0.0]])),
        bad("(num_vertices, num_vertices) and an entry, got shape (2,)", adjacency=N([0.1, 0.2])),
        bad("adjacency must be square, a row and a column for each vertex", adjacency=N([[0.0, 1.0]])),
        bad("got 1.0 at [0, 1] and 0.5 at [1, 0]", adjacency=N([[0.0, 1.0], [0.5, 0.0]])),
        bad("weights of at least 0", adjacency=N([[0.0, -1.0], [-1.0, 0.0]])),
        bad("0 on its diagonal, got 1.0 at [0, 0]", adjacency=N([[1.0, 1.0], [1.0, 0.0]])),
        bad("only 2 of 3 vertices can be reached", adjacency=N([[0, 1, 0], [1, 0, 0], [0, 0, 0]])),
        bad("num_vectors must be below the number of vertices, 3, got 3", num_vectors=3),
    ],
    "shaw_bias": [
        *reals("table", lambda entry: [[0.1, 0.2, 0.3, entry]] * 3), *POSITIONS,
        *each("table", V, "table must have the axes (2 * max_distance + 1, head_dim = 4), got shape ",
              (N([0.1] * 4), "(4,)"), (N(ROWS[:2]), "(2, 4)"), (N([[0.1]] * 3), "(3, 1)")),
    ],
    "forget_bias": [*GATES, bad("gates must have the shape (..., seq_len), one for each token", gates=N([]))],
    "linear_attention": STATES,
    "delta_rule": [
        *STATES,
        *reals("beta", lambda entry: [0.1, 0.2, entry]),
        bad("beta must be from 0 to 2, got 2.5 among them", beta=N([0.0, 1.0, 2.5])),
        bad("beta must have the shape (3,), one for each token, got (2,)", beta=N([0.0, 1.0])),
    ],
    "short_convolution": [
        *reals("weights", lambda entry: [[0.1, entry]] * 4),
        *not_none(reals("before", lambda entry: [[0.1, 0.2, 0.3, entry]])),
        bad("weights must have the shape (d_model, width) with d_model = 4", weights=N([[0.5, 1.0]] * 3)),
        bad("before must hold the width - 1 rows before x, shape (1, 4), got (2, 4)",
            before=N([[0.5] * 4] * 2)),
    ],
    "alibi": POSITIONS,
    "t5_buckets": [
        *whole("num_buckets", 4), *TOO_NEAR, *wholes("relative_positions"),
        bad("num_buckets must be even, half of them for each direction, got 7", num_buckets=7),
        bad("num_buckets must be at least 2, got 1", num_buckets=1, bidirectional=False),
        bad("num_buckets must be even", relative_positions=N([]), num_buckets=7),
    ],
    "t5_bias": [
        *reals("table", lambda entry: [[0.1, entry]] * 8), *TOO_NEAR, *POSITIONS,
        bad("table must have the axes (num_buckets, num_heads) and an entry", table=N([0.1] * 4)),
        bad("num_buckets, the rows of table, must be even", table=N([[0.1]] * 5)),
        bad("num_buckets, the rows of table, must be at least 4, got 1", table=N([[0.1]])),
    ],
}
REFUSED = {
    function: [row for name in right for row in BY_ARGUMENT.get(name, [])] + BY_FUNCTION.get(function, [])
    for function, right in RIGHT.items()
}
# fmt: on


def on(function):
    """The rungs that have the function."""
    return [rung for rung in RUNGS if hasattr(rung, function)]


def call(rung, function, replaced):
    """The function, with the right arguments but for those replaced."""
    given = {**RIGHT[function], **replaced}
    for name, value in given.items():
        if isinstance(value, N):
            given[name] = RUNGS[rung](value.value)
    return getattr(rung, function)(**given)


def refusal(rung, function, replaced):
    """The type of the error and its sentence; None where there is none."""
    try:
        call(rung, function, replaced)
    except Exception as error:
        return type(error), str(error)
    return None


def test_every_argument_of_every_function_has_a_row():
    for rung in RUNGS:
        for name, function in inspect.getmembers(rung, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == rung.__name__:
                assert name in RIGHT and name in REFUSED, f"{name} needs an entry in RIGHT and in REFUSED"
                refused = {argument for replaced, *_ in REFUSED[name] for argument in replaced}
                assert set(inspect.signature(function).parameters) == set(RIGHT[name]) == refused, name


@pytest.mark.parametrize("function", REFUSED)
def test_all_rungs_refuse_it_in_the_same_words(function):
    for replaced, error, said in REFUSED[function]:
        refusals = {rung.__name__: refusal(rung, function, replaced) for rung in on(function)}
        assert len(set(refusals.values())) == 1, (replaced, refusals)
        found, sentence = refusals["pe_lessons.arrays"]
        assert found is error and said in sentence, (replaced, sentence)


# Not bad input: nothing at all, no axis, numbers of NumPy, and NaN, of which NaN is made.
ANSWERED = [
    *((function, {}) for function in RIGHT),
    ("attention", {"mask": None}),
    ("learned", {"padding_id": None}),
    ("rotary_frequencies", {"scaling": None}),
    ("sinusoidal", {"seq_len": np.int64(4), "d_model": np.uint8(5), "start": np.array(-7)}),
    ("sinusoidal", {"base": np.float32(2)}),
    ("t5_buckets", {"relative_positions": N([])}),
    ("t5_buckets", {"relative_positions": N([[], []])}),
    ("t5_buckets", {"relative_positions": N(np.array(3))}),
    ("t5_buckets", {"relative_positions": N(-3)}),
    ("t5_buckets", {"bidirectional": np.True_}),
    ("kernel", {"offsets": N([])}),
    ("kernel", {"offsets": N(3)}),
    ("kernel", {"offsets": N([[1, 2]])}),
    ("softmax", {"scores": N([[-inf, 0.0], [1.0, -inf]])}),
    ("softmax", {"scores": N([[nan, 0.0], [0.0, nan]])}),
    ("softmax", {"scores": N([[nan, -inf], [-inf, nan]])}),
    ("attention", {"q": N([[nan] * 4, *ROWS[1:]])}),
    ("rotary", {"x": N([*ROWS[:2], [nan] * 4])}),
    ("shaw_bias", {"table": N([*ROWS[:2], [nan] * 4])}),
    *((function, {"positions": None}) for function in ("shaw_bias", "alibi", "t5_bias")),
]


@pytest.mark.parametrize(("function", "replaced"), ANSWERED)
def test_all_rungs_answer_alike(function, replaced):
    answers = [call(rung, function, replaced) for rung in on(function)]
    if function == "sinusoidal_blocks":
        answers = [np.concatenate(list(blocks)) for blocks in answers]
    if isinstance(answers[0], tuple):
        answers = [np.concatenate([np.ravel(part) for part in answer]) for answer in answers]
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0], rtol=0, atol=1e-6)
        assert np.shape(answer) == np.shape(answers[0])


def test_leading_axes_that_differ():
    for rung, make in ((arrays, np.zeros), (tensors, torch.zeros)):
        with pytest.raises(ValueError, match=r"same leading axes, got shapes \(2, 3, 4\), \(5, 3, 4\)"):
            rung.attention(make((2, 3, 4)), make((5, 3, 4)), make((5, 3, 4)))


def test_a_loop_has_no_leading_axes():
    for function, name in (("attention", "q"), ("rotary", "x"), ("axial_rotary", "x"), ("shaw_bias", "q")):
        error, sentence = refusal(loops, function, {name: N([ROWS])})
        start = f"{name} must have the axes (seq_len, head_dim) and an entry, got shape (1, 3, 4)"
        assert error is ValueError and sentence.startswith(start)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("shape", [(0, 4), (2, 0, 4), (2, 3, 0, 2)])
def test_rotary_of_no_rows(shape, layout):
    array = arrays.rotary(np.empty(shape), np.arange(0), layout=layout, scaling=LINEAR)
    tensor = tensors.rotary(torch.empty(shape), torch.arange(0), layout=layout, scaling=LINEAR)
    assert array.shape == tensor.shape == shape
    assert (array.dtype, tensor.dtype) == (np.float64, torch.float32)


def test_rotary_of_no_rows_is_checked_all_the_same():
    for rung, make, count in ((arrays, np.empty, np.arange), (tensors, torch.empty, torch.arange)):
        with pytest.raises(ValueError, match="one number for each of the 0 rows of x"):
            rung.rotary(make((2, 0, 4)), count(1))
        with pytest.raises(ValueError, match=r"x must have the axes .* an entry, got shape \(0, 2, 4\)"):
            rung.rotary(make((0, 2, 4)), count(2))


class TestTensors:
    """What only a Tensor can be: absent, or of integers."""

    @pytest.mark.parametrize("function", RIGHT)
    def test_anything_else_than_a_tensor(self, function):
        for name, value in RIGHT[function].items():
            if isinstance(value, N):
                says = f"{name} must be a torch.Tensor, got list: torch.tensor({name}) makes one"
                assert refusal(tensors, function, {name: value.value}) == (TypeError, says)

    def test_integers_where_floating_point_numbers_should_be(self):
        x = torch.zeros(3, 2)
        with pytest.raises(TypeError, match=r"q must hold floating-point numbers, got torch\.int64: q\.fl"):
            tensors.attention(x.long(), x, x)


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"d_model": 0}, ValueError, "d_model must be at least 1"),
        ({"max_len": 0}, ValueError, "max_len must be at least 1"),
        ({"base": 1.0}, ValueError, "base must be finite and above 1"),
        ({"dropout": math.nan}, ValueError, "dropout must be finite and at least 0, got nan"),
        ({"dropout": "0.1"}, TypeError, r"dropout must be a real number, got '0\.1' \(str\)"),
        ({"dropout": 1.5}, ValueError, r"dropout .*between 0 and 1, but got 1\.5"),  # PyTorch's sentence
        ({"batch_first": 1}, TypeError, "batch_first must be True or False"),
    ],
)
def test_arguments_of_the_module(kwargs, error, message):
    with pytest.raises(error, match=message):
        SinusoidalEncoding(**{"d_model": 4} | kwargs)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (torch.zeros(1, 6, 4), ValueError, r"max_len = 5 positions, got seq_len = 6 .*larger max_len"),
        (torch.zeros(2, 3, 5), ValueError, r"d_model = 4 in its last axis, got shape \(2, 3, 5\)"),
        *(
            (torch.zeros(shape), ValueError, r"axes \(batch, seq_len, d_model\), got shape")
            for shape in ((4,), (3, 4), (1, 2, 3, 4))
        ),
        ([[0.0] * 4], TypeError, r"x must be a torch\.Tensor, got list"),
        (torch.zeros(1, 2, 4).long(), TypeError, r"x must hold floating-point numbers, got torch\.int64"),
    ],
)
def test_input_of_the_module(x, error, message):
    with pytest.raises(error, match=message):
        SinusoidalEncoding(4, max_len=5)(x)
    if "max_len" in message:
        with pytest.raises(error, match=message):
            SinusoidalEncoding(4, max_len=5, batch_first=False)(x.transpose(0, 1))
