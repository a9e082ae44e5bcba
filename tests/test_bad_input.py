"""Bad input: every version refuses it alike, and names the argument, the value and what would do."""

import inspect
import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from pe_lessons import arrays, loops, tensors
from pe_lessons.tensors import SinusoidalEncoding

VERSIONS = {loops: lambda value: value, arrays: np.array, tensors: torch.tensor}
T, V = TypeError, ValueError
nan, inf = math.nan, math.inf


@dataclass
class N:
    """Numbers that each version gets in its own form: (nested) lists, an array, a Tensor."""

    value: object


# fmt: off
ROWS = [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.9, 1.0, 1.1, 1.2]]  # (seq_len, head_dim)
MASK = [[True, False, False], [True, True, False], [True, True, True]]
LINEAR = {"rope_type": "linear", "factor": 4.0}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
SHARE = {"rope_type": "proportional", "partial_rotary_factor": 0.5}
DYNAMIC = {**YARN, "rope_type": "dynamic"}
LONG = {**YARN, "rope_type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [1.0, 9.0]}
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
    "sinusoidal_2d": {"height": 2, "width": 3, "d_model": 4, "base": 10_000.0},
    "shift_matrix": {"offset": 3, "d_model": 4, "base": 10_000.0},
    "kernel": {"offsets": N([0.0, 1.0, 2.5]), "d_model": 4, "base": 10_000.0},
    "softmax": {"scores": N([0.5, 1.0, 2.0])},
    "attention": {**HEADS, "mask": N(MASK)},
    "rotary_frequencies": {"head_dim": 4, "base": 10_000.0, "scaling": LINEAR, "text_len": 9},
    "rotary": {
        **TURN, "positions": N([0.0, 1.0, 2.5]), "scaling": LINEAR, "rotary_dim": 4, "text_len": 9},
    "query_scale": {"positions": N([0.0, 1.0, 2.5]), "length": 8, "strength": 0.1},
    "axial_rotary": {**TURN, "rows": N([0.0, 0.0, 1.0]), "columns": N([0.0, 1.0, 0.5])},
    "mrope_positions": {"parts": (2, (1, 2, 3), 4)},
    "mrope": {**TURN, "positions": N([[0.0, 1.0, 2.5], [0.0, 1.0, 3.0]]), "sections": (1, 1),
              "order": "blocks"},
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


# A row of the tables below: what is given instead of right arguments, the error, what its sentence says.


def bad(said, error=V, **replaced):
    return replaced, error, said


def whole(name, minimum=None):
    rows = [bad(f"{name} must be a whole number, got 4.0 (float)", T, **{name: 4.0})]
    if minimum is None:
        return rows
    return [*rows, bad(f"{name} must be at least {minimum}, got {minimum - 1}", **{name: minimum - 1})]


def rows_of_x(name):
    """For queries, keys, values, x."""
    return [
        bad(f"{name} must hold real numbers (floats such as 0.5), got 1j", T, **{name: N([[1j, 0.0]])}),
        bad(f"{name} must hold real numbers (floats such as 0.5), got None", T, **{name: [[None, 0.0]]}),
        bad(f"{name} must have the axes (", **{name: N([0.1, 0.2])}),
    ]


def places(name):
    """For one place for each of the three rows of x."""
    return [
        bad(f"{name} must be finite, got nan among them", **{name: N([0.0, 1.0, nan])}),
        bad(f"{name} must be one number for each of the 3 rows of x, got shape (2,)", **{name: N([0, 1])}),
    ]


BY_FOUR = "must be a multiple of 4, got 6: a half for each axis, in pairs; take 8"
WIDTH = bad("d_model must be even, got 5: the last sine has no cosine to turn with, take 6", d_model=5)
POSITIONS = [  # of the keys
    bad("positions must hold whole numbers (ints such as 8), got 0.5", T, positions=N([0.5, 1.0, 2.0])),
    bad("positions must be a row of numbers, one for each key and at least 3", positions=N([0, 1])),
]
GATES = [
    bad("gates must be above 0 and at most 1, got 0.0 among them", gates=N([0.5, 0.0, 1.0])),
    bad("gates must be above 0 and at most 1, got 1.5 among them", gates=N([0.5, 1.5, 1.0])),
]
STATES = [
    *GATES,
    bad("gates must have the axes (..., seq_len) with seq_len = 3, as q has, got shape (2,)",
        gates=N([0.5, 1.0])),
    bad("with head_dim = 4, as q has, got shape (3, 4)", state=N([[0.5] * 4] * 3)),
    bad("with v_dim = 4, as v has, got shape (4, 3)", state=N([[0.5] * 3] * 4)),
    bad("k must have the axes (..., seq_len, head_dim) with seq_len = 2, as q has", q=N(ROWS[:2])),
]
BY_ARGUMENT = {  # what is refused in every function that has the argument
    **{name: whole(name, 1) for name in ("seq_len", "d_model", "head_dim", "num_heads", "height", "width",
                                         "text_len", "rotary_dim", "length")},
    **{name: whole(name) for name in ("start", "offset", "max_distance")},
    "bidirectional": [bad("bidirectional must be True or False, got 'yes'", T, bidirectional="yes")],
    **{name: rows_of_x(name) for name in ("q", "k", "v", "x")},
    **{name: places(name) for name in ("rows", "columns")},
    "base": [bad("must be finite and above 1, got 1: Vaswani et al. and Su et al. take 10_000.0", base=1),
             bad("base must be a real number, got '10000' (str)", T, base="10000")],
    "layout": [bad('layout must be "interleaved" or "half", got \'halves\'', layout="halves")],
    "scaling": [
        bad('scaling must be a dict such as {"rope_type": "linear", "factor": 4.0}', T, scaling="linear"),
        bad("must be one of ['default', 'linear', 'ntk', ", scaling={"factor": 4.0}),
        bad("must have the keys ['factor'] and may have [], got []", scaling={"rope_type": "linear"}),
        bad("and may have [], got ['beta', 'factor']", scaling={**LINEAR, "beta": 1.0}),
        bad("must be at least 1, the new length over the trained", scaling={**LINEAR, "factor": 0.5}),
        bad('scaling["factor"] must be a real number, got \'4\'', T, scaling={**LINEAR, "factor": "4"}),
        bad('scaling["mscale"] must be finite and above 0, got 0', scaling={**YARN, "mscale": 0}),
        bad("must be at most 1, the share of the columns", scaling={**SHARE, "partial_rotary_factor": 64}),
        bad('must be above scaling["beta_slow"], got 1', scaling={**YARN, "beta_fast": 1}),
        bad("must be a list with a number for each of the 2 pairs", scaling={**LONG, "long_factor": [1.0]}),
        bad('scaling["long_factor"] must be finite and above 0', scaling={**LONG, "long_factor": [1, 0.0]}),
        bad("text_len must be given for scaling of the type 'dynamic'", scaling=DYNAMIC, text_len=None),
    ],
}
BY_FUNCTION = {  # and what is besides
    "sinusoidal_2d": [bad(f"d_model {BY_FOUR}", d_model=6)],
    "shift_matrix": [WIDTH],
    "kernel": [WIDTH, bad("offsets must be finite, got inf among them", offsets=N([0.0, inf]))],
    "softmax": [
        bad("scores must leave every query at least one key, but a row", scores=N([[nan, 0], [-inf, -inf]])),
    ],
    "attention": [
        bad("k must have the axes (..., n_k, head_dim) with head_dim = 4, as q has", k=N([[0.1] * 3] * 3)),
        bad("v must have the axes (..., n_k, v_dim) with n_k = 3, as k has, got", v=N(ROWS[:2])),
        bad("mask must have the axes (n_q, n_k) with n_q = 3, as q has, got", mask=N([[True, False, True]])),
        bad("mask must hold booleans (True: may look there; compare, as in mask > 0), got 1 (int)", T,
            mask=N([[1] * 3] * 3)),
        bad("mask must leave every query at least one key, but query 1 has none",
            mask=N([[True] * 3, [False] * 3, [True] * 3])),
    ],
    "rotary_frequencies": [bad("head_dim must be even, got 5: the last sine has no cosine", head_dim=5)],
    "rotary": [
        *places("positions"),
        bad("head_dim, the last axis of x, must be even, got 3", x=N([[0.1] * 3] * 3), rotary_dim=None),
        bad("rotary_dim must be even, got 3", rotary_dim=3),
        bad("rotary_dim must be at most the head_dim of x, 4, got 6", rotary_dim=6),
    ],
    "query_scale": [
        bad("positions must be at least 0, got -0.5 among them", positions=N([[5.0], [-0.5]])),
        bad("strength must be finite and at least 0, got -0.1: 0.1 is usual", strength=-0.1),
    ],
    "axial_rotary": [bad(f"head_dim, the last axis of x, {BY_FOUR}", x=N([[0.1] * 6] * 3))],
    "mrope_positions": [
        bad("parts must be a sequence such as (2, (1, 3, 4), 5), got 5", parts=5),
        bad("text in parts must be at least 1, got 0", parts=(3, 0)),
        bad("(2, 3): an image has one frame, (1, height, width)", parts=((2, 3),)),
        bad("an image or a video in parts must be at least 1, got 0", parts=((1, 0, 3),)),
    ],
    "mrope": [
        bad("positions must have the axes (axes, seq_len) with axes = 2", positions=N([[0, 1, 2]] * 3)),
        bad("with seq_len = 3, as x has, got shape (2, 2)", positions=N([[0, 1]] * 2)),
        bad("sections must be a number of pairs for each axis, 2 in all, got (1, 2)", sections=[1, 2]),
        bad('order must be "blocks", "interleaved" or "axial", got \'thw\'', order="thw"),
        bad("from pair 1 on there are not 3, 2 apart",
            x=N([[0.1] * 8] * 3), sections=(1, 3), order="interleaved"),
    ],
    "shaw_bias": [
        *POSITIONS,
        bad("table must have the axes (distances, head_dim) with head_dim = 4, as q", table=N([[0.1]] * 3)),
        bad("table must have 2 * max_distance + 1 rows, an odd number, got 2", table=N(ROWS[:2])),
    ],
    "forget_bias": GATES,
    "linear_attention": STATES,
    "delta_rule": [*STATES, bad("beta must be from 0 to 2, got 2.5 among them", beta=N([0.0, 1.0, 2.5]))],
    "short_convolution": [
        bad("weights must have the axes (d_model, width) with d_model = 4", weights=N([[0.5, 1.0]] * 3)),
        bad("before must have the axes (..., width-1, d_model) with width-1 = 1", before=N([[0.5] * 4] * 2)),
    ],
    "alibi": POSITIONS,
    "t5_buckets": [
        bad("max_distance must be above 2, where buckets begin to be shared, got 2", max_distance=2),
        bad("relative_positions must hold whole numbers", T, relative_positions=N([0.5, 1.0])),
        bad("num_buckets must be even, half of them for each direction, got 7", num_buckets=7),
        bad("num_buckets must be at least 2, got 1", num_buckets=1, bidirectional=False),
    ],
    "t5_bias": [
        *POSITIONS,
        bad("table must have the axes (num_buckets, num_heads) and an entry", table=N([0.1] * 4)),
        bad("num_buckets, the rows of table, must be even", table=N([[0.1]] * 5)),
    ],
}
REFUSED = {
    function: [row for name in right for row in BY_ARGUMENT.get(name, [])] + BY_FUNCTION.get(function, [])
    for function, right in RIGHT.items()
}
# fmt: on


def having(function):
    """The versions that have the function."""
    return [version for version in VERSIONS if hasattr(version, function)]


def call(version, function, replaced):
    """The function, with the right arguments but for those replaced."""
    given = {**RIGHT[function], **replaced}
    for name, value in given.items():
        if isinstance(value, N):
            given[name] = VERSIONS[version](value.value)
    return getattr(version, function)(**given)


def refusal(version, function, replaced):
    """The type of the error and its sentence; None where there is none."""
    try:
        call(version, function, replaced)
    except Exception as error:
        return type(error), str(error)
    return None


def test_every_argument_of_every_function_has_a_right_value():
    for version in VERSIONS:
        for name, function in inspect.getmembers(version, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == version.__name__:
                assert set(inspect.signature(function).parameters) == set(RIGHT.get(name, ())), name


@pytest.mark.parametrize("function", REFUSED)
def test_all_versions_refuse_it_and_say_so(function):
    for replaced, error, said in REFUSED[function]:
        for version in having(function):
            found, sentence = refusal(version, function, replaced) or (None, "")
            assert found is error and said in sentence, (replaced, version.__name__, sentence)


def test_axes_before_the_rows():
    for version, make in ((arrays, np.zeros), (tensors, torch.zeros)):
        with pytest.raises(ValueError, match=r"k must .* with \.\.\. = \(2,\), as q has, got shape \(5, 3"):
            version.attention(make((2, 3, 4)), make((5, 3, 4)), make((5, 3, 4)))
    for function, name in (("attention", "q"), ("rotary", "x"), ("axial_rotary", "x"), ("shaw_bias", "q")):
        error, sentence = refusal(loops, function, {name: N([ROWS])})
        start = f"{name} must have the axes (seq_len, head_dim) and an entry, got shape (1, 3, 4)"
        assert error is ValueError and sentence.startswith(start)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_rotary_of_no_rows(layout):
    array = arrays.rotary(np.empty((2, 0, 4)), np.arange(0), layout=layout, scaling=LINEAR)
    tensor = tensors.rotary(torch.empty(2, 0, 4), torch.arange(0), layout=layout, scaling=LINEAR)
    assert array.shape == tensor.shape == (2, 0, 4)


def test_rows_of_two_lengths():
    for version, error in ((loops, "rows of one length, got rows of the shapes"), (arrays, "one length")):
        with pytest.raises(ValueError, match=error):
            version.softmax([[0.1, 0.2], [0.3]])


@pytest.mark.parametrize("function", RIGHT)
def test_anything_else_than_a_tensor(function):
    for name, value in RIGHT[function].items():
        if isinstance(value, N):
            says = f"{name} must be a torch.Tensor, got list: torch.tensor({name}) makes one"
            assert refusal(tensors, function, {name: value.value}) == (TypeError, says)


def test_integers_where_floating_point_numbers_should_be():
    x = torch.zeros(3, 2)
    with pytest.raises(TypeError, match=r"q must hold floating-point numbers, got torch\.int64: q\.fl"):
        tensors.attention(x.long(), x, x)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (torch.zeros(1, 6, 4), ValueError, r"max_len = 5 positions, got seq_len = 6 .*larger max_len"),
        (torch.zeros(2, 3, 5), ValueError, r"d_model\) with d_model = 4, got shape \(2, 3, 5\)"),
        (torch.zeros(3, 4), ValueError, r"axes \(batch, seq_len, d_model\) and an entry, got shape"),
    ],
)
def test_input_of_the_module(x, error, message):
    with pytest.raises(error, match=message):
        SinusoidalEncoding(4, max_len=5)(x)
    if "max_len" in message:
        with pytest.raises(error, match=message):
            SinusoidalEncoding(4, max_len=5, batch_first=False)(x.transpose(0, 1))
