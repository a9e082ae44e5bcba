"""The three rungs are one function three times: every name they share, equal over a grid of sizes."""

import inspect
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_lessons import arrays, loops, tensors

RUNGS = (loops, arrays, tensors)


def public_functions(module):
    return {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and function.__module__ == module.__name__
    }


def random_rows(*shape):
    return np.random.default_rng(shape).normal(size=shape)


SIZES = [(1, 1), (1, 6), (5, 1), (3, 6), (6, 3), (5, 4), (4, 5), (7, 7), (40, 33)]  # (seq_len, d_model)
LOOK_BACK = np.tril(np.ones((4, 4), dtype=bool))

CASES = {
    "frequencies": [
        *(((d_model,), {}) for d_model in (1, 2, 3, 8, 127)),
        ((6,), {"base": 2.5}),
    ],
    "sinusoidal": [
        *((size, {}) for size in SIZES),
        ((3, 6), {"base": 100}),
        ((3, 5), {"start": 1000}),
        ((4, 6), {"start": -2, "base": 7.5}),
    ],
    "softmax": [
        (([0.3],), {}),
        ((random_rows(7),), {}),
        ((random_rows(3, 4),), {}),
        (([1e4, 0.0, -1e4],), {}),
        (([-math.inf, 2.0],), {}),
    ],
    "attention": [
        ((random_rows(4, 3), random_rows(4, 3) + 1, random_rows(4, 5)), {}),
        ((random_rows(2, 3), random_rows(5, 3), random_rows(5, 1)), {}),
        ((random_rows(1, 1), random_rows(1, 1), random_rows(1, 2)), {}),
        ((random_rows(4, 3), random_rows(4, 3), random_rows(4, 3)), {"mask": LOOK_BACK}),
        ((random_rows(2, 3), random_rows(4, 3), random_rows(4, 3)), {"mask": LOOK_BACK[2:]}),
    ],
}


@pytest.fixture(autouse=True)
def float64_tensors():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def on_rung(module, value):
    """An array as the rung takes it: a list, an array or a tensor."""
    if not isinstance(value, np.ndarray | list):
        return value
    return {loops: lambda v: np.asarray(v).tolist(), arrays: np.asarray, tensors: torch.tensor}[module](value)


def climb(module, name, args, kwargs):
    args = [on_rung(module, value) for value in args]
    kwargs = {key: on_rung(module, value) for key, value in kwargs.items()}
    return np.asarray(getattr(module, name)(*args, **kwargs))


def test_the_rungs_share_their_names_and_every_name_has_cases():
    shared = set.intersection(*map(public_functions, RUNGS))
    assert shared == set(CASES)
    assert shared == public_functions(loops) == public_functions(tensors)


@pytest.mark.parametrize("name", CASES)
def test_the_rungs_share_their_signatures(name):
    signatures = {str(inspect.signature(getattr(module, name))) for module in RUNGS}
    assert len(signatures) == 1


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), [(name, *case) for name, cases in CASES.items() for case in cases]
)
@pytest.mark.parametrize("rung", [arrays, tensors], ids=["arrays", "tensors"])
def test_equal_to_the_loops(rung, name, args, kwargs):
    expected = climb(loops, name, args, kwargs)
    actual = climb(rung, name, args, kwargs)
    assert actual.dtype == np.float64
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


sizes = st.integers(1, 24)
starts = st.integers(-10_000, 10_000)
bases = st.floats(1.5, 1e6)


@pytest.mark.parametrize("rung", RUNGS, ids=["loops", "arrays", "tensors"])
class TestLawsOfTheTable:
    @given(seq_len=sizes, d_model=sizes, start=starts, base=bases)
    def test_shape_and_bounds(self, rung, seq_len, d_model, start, base):
        table = np.asarray(rung.sinusoidal(seq_len, d_model, start=start, base=base))
        assert table.shape == (seq_len, d_model)
        assert np.abs(table).max() <= 1

    @given(seq_len=sizes, d_model=sizes, start=st.integers(0, 50))
    def test_start_skips_rows(self, rung, seq_len, d_model, start):
        longer = np.asarray(rung.sinusoidal(start + seq_len, d_model))
        np.testing.assert_array_equal(rung.sinusoidal(seq_len, d_model, start=start), longer[start:])

    @given(d_model=st.integers(1, 12).map(lambda half: 2 * half), offset=st.integers(-500, 500))
    def test_a_shift_is_one_rotation(self, rung, d_model, offset):
        table = np.asarray(rung.sinusoidal(6, d_model))
        shifted = np.asarray(rung.sinusoidal(6, d_model, start=offset))
        angle = offset * np.asarray(rung.frequencies(d_model))
        sine, cosine = table[:, 0::2], table[:, 1::2]
        np.testing.assert_allclose(
            shifted[:, 0::2], sine * np.cos(angle) + cosine * np.sin(angle), atol=1e-11
        )
        np.testing.assert_allclose(
            shifted[:, 1::2], cosine * np.cos(angle) - sine * np.sin(angle), atol=1e-11
        )

    @given(seq_len=sizes, d_model=st.integers(1, 12).map(lambda half: 2 * half), start=starts)
    def test_every_row_has_the_same_length(self, rung, seq_len, d_model, start):
        table = np.asarray(rung.sinusoidal(seq_len, d_model, start=start))
        np.testing.assert_allclose((table**2).sum(axis=1), d_model / 2)

    @given(d_model=sizes, base=bases)
    def test_frequencies_fall_from_one(self, rung, d_model, base):
        frequencies = np.asarray(rung.frequencies(d_model, base=base))
        assert len(frequencies) == math.ceil(d_model / 2)
        assert frequencies[0] == 1
        assert (np.diff(frequencies) < 0).all()


@pytest.mark.parametrize("rung", RUNGS, ids=["loops", "arrays", "tensors"])
class TestLawsOfAttention:
    @given(order=st.permutations(range(6)))
    def test_without_positions_a_permutation_passes_through(self, rung, order):
        q, k, v = random_rows(3, 6, 4)
        straight = climb(rung, "attention", (q, k, v), {})
        permuted = climb(rung, "attention", (q[order], k[order], v[order]), {})
        np.testing.assert_allclose(permuted, straight[order], atol=1e-12)

    def test_with_positions_it_does_not(self, rung):
        x, order = random_rows(6, 4), [5, 4, 3, 2, 1, 0]
        table = np.asarray(arrays.sinusoidal(6, 4))
        straight = climb(rung, "attention", (x + table,) * 3, {})
        permuted = climb(rung, "attention", (x[order] + table,) * 3, {})
        assert np.abs(permuted - straight[order]).max() > 0.01

    @given(scores=st.lists(st.floats(-700, 700), min_size=1, max_size=9), shift=st.floats(-700, 700))
    def test_softmax_sums_to_one_and_ignores_a_constant(self, rung, scores, shift):
        weights = climb(rung, "softmax", (scores,), {})
        shifted = climb(rung, "softmax", ([score + shift for score in scores],), {})
        assert weights.sum() == pytest.approx(1)
        np.testing.assert_allclose(shifted, weights, atol=1e-9)

    def test_a_masked_key_has_no_say(self, rung):
        q, k, v = random_rows(3, 4, 2)
        changed_k, changed_v = k.copy(), v.copy()
        changed_k[3], changed_v[3] = 9, -9
        mask = np.ones((4, 4), dtype=bool)
        mask[:, 3] = False
        before = climb(rung, "attention", (q, k, v), {"mask": mask})
        np.testing.assert_array_equal(
            climb(rung, "attention", (q, changed_k, changed_v), {"mask": mask}), before
        )
