"""Bad input: the same kind of error on every rung, naming the argument, the value and a remedy."""

import math

import numpy as np
import pytest
import torch

from pe_lessons import arrays, loops, tensors
from pe_lessons.tensors import SinusoidalEncoding

RUNGS = {"loops": (loops, lambda v: v), "arrays": (arrays, np.array), "tensors": (tensors, torch.tensor)}
rungs = pytest.mark.parametrize(("rung", "make"), RUNGS.values(), ids=RUNGS)


@rungs
@pytest.mark.parametrize("name", ["seq_len", "d_model", "start"])
@pytest.mark.parametrize("value", [4.0, "4", None, True, np.True_, [4], math.nan], ids=repr)
def test_not_a_whole_number(rung, make, name, value):
    with pytest.raises(TypeError, match=rf"{name} must be a whole number, got .*pass an int"):
        rung.sinusoidal(**{"seq_len": 3, "d_model": 4, name: value})


@rungs
@pytest.mark.parametrize("name", ["seq_len", "d_model"])
@pytest.mark.parametrize("value", [0, -1])
def test_too_small(rung, make, name, value):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, got {value}"):
        rung.sinusoidal(**{"seq_len": 3, "d_model": 4, name: value})


@rungs
@pytest.mark.parametrize("value", [np.int64(4), np.uint8(4)])
def test_numpy_integers_are_whole_numbers(rung, make, value):
    assert np.asarray(rung.sinusoidal(value, value, start=value)).shape == (4, 4)


@rungs
@pytest.mark.parametrize("function", ["sinusoidal", "frequencies"])
@pytest.mark.parametrize("base", [1, 0, -10_000, math.nan, math.inf, -math.inf, np.float64("nan")])
def test_base_out_of_range(rung, make, function, base):
    args = (3, 4) if function == "sinusoidal" else (4,)
    with pytest.raises(ValueError, match=r"base must be finite and above 1, got .*10_000"):
        getattr(rung, function)(*args, base=base)


@rungs
@pytest.mark.parametrize("base", ["10000", None, True, 1j], ids=repr)
def test_base_of_a_wrong_type(rung, make, base):
    with pytest.raises(TypeError, match=r"base must be a real number, got .*10_000"):
        rung.sinusoidal(3, 4, base=base)


@rungs
@pytest.mark.parametrize("d_model", [1, 5, 127])
def test_a_sine_without_its_cosine_cannot_be_turned(rung, make, d_model):
    with pytest.raises(ValueError, match=rf"d_model must be even, got {d_model}.*take {d_model + 1}"):
        rung.shift_matrix(3, d_model)
    with pytest.raises(ValueError, match=rf"d_model must be even, got {d_model}"):
        rung.kernel(make([3]), d_model)


@rungs
def test_arguments_of_shift_matrix_and_kernel(rung, make):
    for offset in (1.5, "3", None, True):
        with pytest.raises(TypeError, match=r"offset must be a whole number, got .*pass an int"):
            rung.shift_matrix(offset, 4)
    with pytest.raises(ValueError, match="d_model must be at least 1, got 0"):
        rung.shift_matrix(3, 0)
    for function, first in ((rung.shift_matrix, 3), (rung.kernel, make([3]))):
        with pytest.raises(TypeError, match=r"d_model must be a whole number, got 4\.0"):
            function(first, 4.0)
        with pytest.raises(ValueError, match="base must be finite and above 1"):
            function(first, 4, base=1)


@rungs
@pytest.mark.parametrize("offset", [math.nan, math.inf, -math.inf])
def test_offsets_that_are_not_finite(rung, make, offset):
    with pytest.raises(ValueError, match="offsets must be finite, got inf or nan"):
        rung.kernel(make([1.0, offset]), 4)


@rungs
@pytest.mark.parametrize("offset", [True, 1j])
def test_offsets_that_are_not_real_numbers(rung, make, offset):
    with pytest.raises(TypeError, match="offsets must hold real numbers, got"):
        rung.kernel(make([offset]), 4)


def test_offsets_of_a_wrong_type():
    for offsets in ("three", None, ["3"]):
        for rung in (loops, arrays):
            with pytest.raises(TypeError, match="offsets must hold real numbers, got"):
                rung.kernel(offsets, 4)
    with pytest.raises(
        TypeError, match=r"offsets must be a torch\.Tensor, got list: torch\.tensor\(offsets\)"
    ):
        tensors.kernel([3], 4)


ROWS = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]


@rungs
@pytest.mark.parametrize(
    ("q", "k", "v", "message"),
    [
        ([0.1, 0.2], ROWS, ROWS, "q must "),
        (ROWS, ROWS, [0.1, 0.2, 0.3], "v must "),
        (ROWS, [[0.1, 0.2, 0.3]] * 3, ROWS, r"head_dim.*\(3, 2\) and \(3, 3\)"),
        (ROWS, ROWS, ROWS[:2], r"seq_len.*\(3, 2\) and \(2, 2\)"),
        ([[]], [[]], [[0.1]], "q must not be empty"),
    ],
)
def test_attention_shapes_that_do_not_fit(rung, make, q, k, v, message):
    with pytest.raises(ValueError, match=message):
        rung.attention(make(q), make(k), make(v))


@rungs
@pytest.mark.parametrize("mask", [[[True, False, True]], [[True] * 2] * 3, [[True] * 3] * 4])
def test_mask_of_a_wrong_shape(rung, make, mask):
    with pytest.raises(ValueError, match=r"mask must have the shape \(n_q, n_k\) = \(3, 3\).*got \("):
        rung.attention(make(ROWS), make(ROWS), make(ROWS), mask=make(mask))


@rungs
@pytest.mark.parametrize("number", [1, 0.0])
def test_mask_of_a_wrong_dtype(rung, make, number):
    with pytest.raises(TypeError, match=r"mask must be boolean .*compare"):
        rung.attention(make(ROWS), make(ROWS), make(ROWS), mask=make([[number] * 3] * 3))


@rungs
def test_a_query_that_may_look_nowhere(rung, make):
    mask = [[True] * 3, [False] * 3, [True] * 3]
    with pytest.raises(ValueError, match="mask must leave every query at least one key, but its row 1"):
        rung.attention(make(ROWS), make(ROWS), make(ROWS), mask=make(mask))


@rungs
def test_softmax_of_nothing(rung, make):
    with pytest.raises(ValueError, match="scores must hold at least one number"):
        rung.softmax(make([]))
    with pytest.raises(ValueError, match="scores must hold a number above -inf"):
        rung.softmax(make([-math.inf, -math.inf]))
    with pytest.raises(ValueError, match="scores must be a row of numbers"):
        rung.softmax(make(0.5))


def test_rows_of_different_length():
    ragged = [[0.1, 0.2], [0.3]]
    for rung in (loops, arrays):
        with pytest.raises(ValueError, match="k must have rows of one length"):
            rung.attention(ROWS[:2], ragged, ROWS[:2])


def test_entries_that_are_not_real_numbers():
    for rung in (loops, arrays):
        for entry in (1j, "a", None, True):
            with pytest.raises(TypeError, match="q must hold real numbers, got"):
                rung.attention([[entry, entry]], ROWS, ROWS)


def test_leading_axes_that_differ():
    for rung, make in ((arrays, np.zeros), (tensors, torch.zeros)):
        with pytest.raises(ValueError, match=r"same leading axes, got shapes \(2, 3, 4\), \(5, 3, 4\)"):
            rung.attention(make((2, 3, 4)), make((5, 3, 4)), make((5, 3, 4)))


def test_tensors_want_tensors():
    x = torch.zeros(3, 2)
    with pytest.raises(TypeError, match=r"k must be a torch\.Tensor, got list"):
        tensors.attention(x, ROWS, x)
    with pytest.raises(TypeError, match=r"q must hold floating-point numbers, got torch\.int64"):
        tensors.attention(x.long(), x, x)
    with pytest.raises(TypeError, match=r"mask must be a torch\.Tensor, got list"):
        tensors.attention(x, x, x, mask=[[True] * 3] * 3)


@rungs
@pytest.mark.parametrize(
    ("x", "positions", "kwargs", "error", "message"),
    [
        ([[0.1, 0.2, 0.3]], [0], {}, ValueError, r"even head_dim \(last axis\), got shape \(1, 3\)"),
        (
            ROWS,
            [0, 1],
            {},
            ValueError,
            r"positions must be one number for each of the 3 rows of x, got shape \(2,\)",
        ),
        (ROWS, [0, 1, math.nan], {}, ValueError, "positions must be finite"),
        (
            ROWS,
            [0, 1, 2],
            {"layout": "halves"},
            ValueError,
            'layout must be "interleaved" or "half", got \'halves\'',
        ),
        (ROWS, [0, 1, 2], {"layout": 2}, ValueError, "layout must be .* got 2"),
        (ROWS, [0, 1, 2], {"base": 1}, ValueError, "base must be finite and above 1"),
        (ROWS, [True, True, False], {}, TypeError, "positions must hold real numbers"),
        ([[]], [0], {}, ValueError, "x must "),
        ([0.1, 0.2], [0, 1], {}, ValueError, "x must "),
    ],
)
def test_rotary(rung, make, x, positions, kwargs, error, message):
    with pytest.raises(error, match=message):
        rung.rotary(make(x), make(positions), **kwargs)


@rungs
@pytest.mark.parametrize("name", ["seq_len", "num_heads"])
@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (-1, ValueError), (2.0, TypeError), (True, TypeError)]
)
def test_alibi(rung, make, name, value, error):
    with pytest.raises(error, match=f"{name} must be "):
        rung.alibi(**{"seq_len": 3, "num_heads": 4, name: value})
    if name == "num_heads":
        with pytest.raises(error, match="num_heads must be "):
            rung.alibi_slopes(value)


@rungs
@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"num_buckets": 7}, ValueError, "num_buckets must be even, .*got 7"),
        ({"num_buckets": 2}, ValueError, "num_buckets must be at least 4, got 2"),
        ({"num_buckets": 1, "bidirectional": False}, ValueError, "num_buckets must be at least 2, got 1"),
        ({"num_buckets": 8.0}, TypeError, "num_buckets must be a whole number"),
        ({"max_distance": 8}, ValueError, "max_distance must be above 8, .*got 8"),
        ({"max_distance": "128"}, TypeError, "max_distance must be a whole number"),
        ({"bidirectional": 1}, TypeError, "bidirectional must be True or False, got 1"),
    ],
)
def test_t5_buckets(rung, make, kwargs, error, message):
    with pytest.raises(error, match=message):
        rung.t5_buckets(make([-1, 0, 1]), **kwargs)


@rungs
@pytest.mark.parametrize("offsets", [[0.5, 1.0], [True, False]])
def test_t5_buckets_are_for_whole_numbers(rung, make, offsets):
    with pytest.raises(TypeError, match="relative_positions must "):
        rung.t5_buckets(make(offsets))


PLAIN = {"rope_type": "linear", "factor": 4.0}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}


@rungs
@pytest.mark.parametrize(
    ("scaling", "error", "message"),
    [
        ("linear", TypeError, r'scaling must be a dict such as \{"rope_type"'),
        ({}, ValueError, r'scaling\["rope_type"\] must be one of \[.*"?ntk.*got None'),
        (PLAIN | {"rope_type": "dynamic"}, ValueError, "must be one of .*got 'dynamic'"),
        ({"rope_type": "linear"}, ValueError, r"must have the keys \['factor'\] and may have \[\], got \[\]"),
        (PLAIN | {"rope_theta": 1e4}, ValueError, r"must have the keys \['factor'\].*got .*'rope_theta'"),
        (PLAIN | {"factor": 0.5}, ValueError, r'scaling\["factor"\] must be at least 1, .*got 0.5'),
        (PLAIN | {"factor": "4"}, TypeError, r'scaling\["factor"\] must be a real number, got \'4\''),
        (PLAIN | {"factor": True}, TypeError, r'scaling\["factor"\] must be a real number'),
        (
            PLAIN | {"factor": math.inf},
            ValueError,
            r'scaling\["factor"\] must be finite and above 0, got inf',
        ),
        (YARN | {"truncate": 1}, TypeError, r'scaling\["truncate"\] must be True or False, got 1'),
        (YARN | {"beta_fast": 1}, ValueError, r'scaling\["beta_fast"\] must be above scaling\["beta_slow"\]'),
        (
            YARN | {"attention_factor": 0},
            ValueError,
            r'scaling\["attention_factor"\] must be finite and above',
        ),
        (
            YARN | {"rope_type": "by_parts", "alpha": 32},
            ValueError,
            r'scaling\["beta"\] must be above scaling',
        ),
        (
            YARN | {"rope_type": "llama3", "low_freq_factor": 4, "high_freq_factor": 1},
            ValueError,
            r'scaling\["high_freq_factor"\] must be above scaling\["low_freq_factor"\]',
        ),
    ],
)
def test_scaling(rung, make, scaling, error, message):
    with pytest.raises(error, match=message):
        rung.rotary_frequencies(8, scaling=scaling)
    with pytest.raises(error, match=message):
        rung.rotary(make([[0.1] * 8]), make([0]), scaling=scaling)


@rungs
def test_rotary_frequencies(rung, make):
    with pytest.raises(ValueError, match="head_dim must be even, got 5"):
        rung.rotary_frequencies(5)
    with pytest.raises(TypeError, match=r"head_dim must be a whole number, got 8\.0"):
        rung.rotary_frequencies(8.0)
    with pytest.raises(ValueError, match="base must be finite and above 1"):
        rung.rotary_frequencies(8, base=1)
    with pytest.raises(ValueError, match=r"head_dim must be at least 4 .*'ntk', got 2"):
        rung.rotary_frequencies(2, scaling={"rope_type": "ntk", "factor": 2.0})


@rungs
@pytest.mark.parametrize(
    ("token_ids", "table", "kwargs", "error", "message"),
    [
        ([[5, 6, 7]], ROWS[:2], {}, ValueError, "3 tokens from row 0 on need 3 rows, got 2; .*longer table"),
        ([[5, 6, 7]], ROWS, {"offset": 1}, ValueError, "3 tokens from row 1 on need 4 rows, got 3"),
        ([[5.0, 6.0]], ROWS, {}, TypeError, "token_ids must .*whole number"),
        ([[True]], ROWS, {}, TypeError, "token_ids must hold "),
        ([5, 6], ROWS, {}, ValueError, "token_ids must "),
        ([[5, 6]], [0.1, 0.2], {}, ValueError, "table must "),
        ([[5, 6]], ROWS, {"offset": -1}, ValueError, "offset must be at least 0, got -1"),
        ([[5, 6]], ROWS, {"padding_id": 1.5}, TypeError, "padding_id must be a whole number"),
    ],
)
def test_learned(rung, make, token_ids, table, kwargs, error, message):
    with pytest.raises(error, match=message):
        rung.learned(make(token_ids), make(table), **kwargs)


@rungs
@pytest.mark.parametrize(
    ("q", "table", "message"),
    [
        (ROWS, ROWS[:2], r"\(2 \* max_distance \+ 1, head_dim = 2\), got shape \(2, 2\)"),
        (ROWS, [[0.1, 0.2, 0.3]], r"table must have the axes .*got shape \(1, 3\)"),
        ([0.1, 0.2], ROWS, "q must "),
    ],
)
def test_shaw_bias(rung, make, q, table, message):
    with pytest.raises(ValueError, match=message):
        rung.shaw_bias(make(q), make(table))


@rungs
def test_t5_bias(rung, make):
    with pytest.raises(ValueError, match="seq_len must be at least 1, got 0"):
        rung.t5_bias(0, make(ROWS * 2))
    with pytest.raises(ValueError, match="table must "):
        rung.t5_bias(3, make([0.1, 0.2, 0.3, 0.4]))
    with pytest.raises(ValueError, match="num_buckets must be even"):
        rung.t5_bias(3, make([[0.1]] * 5))
    with pytest.raises(ValueError, match="max_distance must be above 1"):
        rung.t5_bias(3, make([[0.1]] * 4), max_distance=1)


@rungs
@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"height": 0}, ValueError, "height must be at least 1, got 0"),
        ({"width": 2.0}, TypeError, "width must be a whole number"),
        ({"d_model": 6}, ValueError, "d_model must be a multiple of 4, got 6: .*take 8"),
        ({"base": 0}, ValueError, "base must be finite"),
    ],
)
def test_sinusoidal_2d(rung, make, kwargs, error, message):
    with pytest.raises(error, match=message):
        rung.sinusoidal_2d(**{"height": 2, "width": 3, "d_model": 8} | kwargs)


@rungs
@pytest.mark.parametrize(
    ("x", "rows", "columns", "layout", "error", "message"),
    [
        ([[0.1] * 6], [0], [0], "half", ValueError, "head_dim.* must be a multiple of 4, got 6"),
        ([[0.1] * 4], [0, 1], [0], "half", ValueError, "rows must be one number for each of the 1 rows of x"),
        ([[0.1] * 4], [0], [0, 1], "half", ValueError, "columns must be one number for each"),
        ([[0.1] * 4], [0], [math.nan], "half", ValueError, "columns must be finite"),
        ([[0.1] * 4], [True], [0], "half", TypeError, "rows must hold real numbers"),
        ([[0.1] * 4], [0], [0], "halves", ValueError, 'layout must be "interleaved" or "half"'),
        ([0.1] * 4, [0], [0], "half", ValueError, "x must "),
    ],
)
def test_axial_rotary(rung, make, x, rows, columns, layout, error, message):
    with pytest.raises(error, match=message):
        rung.axial_rotary(make(x), make(rows), make(columns), layout=layout)


class TestSinusoidalEncoding:
    def test_longer_than_max_len(self):
        encoding = SinusoidalEncoding(4, max_len=5)
        with pytest.raises(ValueError, match=r"max_len = 5 positions, got seq_len = 6 .*larger max_len"):
            encoding(torch.zeros(1, 6, 4))
        with pytest.raises(ValueError, match="max_len = 5 positions, got seq_len = 6"):
            SinusoidalEncoding(4, max_len=5, batch_first=False)(torch.zeros(6, 1, 4))

    def test_another_d_model(self):
        with pytest.raises(ValueError, match=r"d_model = 4 in its last axis, got shape \(2, 3, 5\)"):
            SinusoidalEncoding(4)(torch.zeros(2, 3, 5))

    @pytest.mark.parametrize("shape", [(4,), (3, 4), (1, 2, 3, 4)])
    def test_another_rank(self, shape):
        with pytest.raises(ValueError, match=r"axes \(batch, seq_len, d_model\), got shape"):
            SinusoidalEncoding(4)(torch.zeros(shape))

    def test_not_a_float_tensor(self):
        with pytest.raises(TypeError, match=r"x must be a torch\.Tensor, got list"):
            SinusoidalEncoding(4)([[0.0] * 4])
        with pytest.raises(TypeError, match=r"x must hold floating-point numbers, got torch\.int64"):
            SinusoidalEncoding(4)(torch.zeros(1, 2, 4, dtype=torch.int64))

    @pytest.mark.parametrize(
        ("kwargs", "error", "message"),
        [
            ({"d_model": 0}, ValueError, "d_model must be at least 1"),
            ({"max_len": 0}, ValueError, "max_len must be at least 1"),
            ({"max_len": 2.5}, TypeError, "max_len must be a whole number"),
            ({"base": 1.0}, ValueError, "base must be finite and above 1"),
            ({"dropout": 1.5}, ValueError, "dropout"),
            ({"batch_first": 1}, TypeError, "batch_first must be True or False"),
        ],
    )
    def test_arguments(self, kwargs, error, message):
        with pytest.raises(error, match=message):
            SinusoidalEncoding(**{"d_model": 4} | kwargs)
