"""The three rungs are one function three times: every name they share, equal over a grid of sizes.

A few names are about speed, which a loop cannot show; they stand on the two upper rungs, and nowhere else.
"""

import inspect
import itertools
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


def attention_with_written_out_bias(q, k, v, bias_of_offsets, causal=False):
    """The scores one at a time, each with the number of its offset."""
    n, head_dim = len(q), len(q[0])
    rows = []
    for m in range(n):
        scores = [
            sum(a * b for a, b in zip(q[m], k[j])) / math.sqrt(head_dim) + bias_of_offsets[j - m + n - 1]
            for j in range(m + 1 if causal else n)
        ]
        weights = loops.softmax(scores)
        rows.append([sum(w * row[c] for w, row in zip(weights, v)) for c in range(len(v[0]))])
    return rows


SIZES = [(1, 1), (1, 6), (5, 1), (3, 6), (6, 3), (5, 4), (4, 5), (7, 7), (40, 33)]  # (seq_len, d_model)
TOKENS_BETWEEN = np.arange(-200, 201)
LOOK_BACK = np.tril(np.ones((4, 4), dtype=bool))
TEXTS = np.array([[7, 5, 9, 0, 0], [0, 0, 3, 7, 7]])  # two texts, padded with 0 on either side
LLAMA_3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
SCALINGS = [
    {"rope_type": "default"},
    {"rope_type": "linear", "factor": 4},
    {"rope_type": "ntk", "factor": 4.0},
    {"rope_type": "ntk_by_parts", "factor": 8.0, "original_max_position_embeddings": 32, "alpha": 0.5,
     "beta": 1.5},
    {"rope_type": "ntk_by_parts", "factor": 2.0, "original_max_position_embeddings": 4096},
    {"original_max_position_embeddings": 8192, **LLAMA_3},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, "truncate": False},
    {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 32, "beta_fast": 1.5,
     "beta_slow": 0.5, "attention_factor": 1.0},
    {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 6},  # all pairs are slow
]  # fmt: skip

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
    "shift_matrix": [
        *(((offset, 6), {}) for offset in (0, 1, 3, -3, 1000)),
        ((3, 2), {}),
        ((3, 64), {}),
        ((7, 8), {"base": 2.5}),
    ],
    "kernel": [
        (([0, 1, -1, 1000], 6), {}),
        (([0.5, -2.25], 4), {}),
        ((np.arange(6).reshape(2, 3), 8), {}),
        (([3], 2), {"base": 100}),
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
    "rotary": [
        ((random_rows(1, 2), [0]), {}),
        ((random_rows(5, 4), [0, 3, 7, 8, 20]), {}),
        ((random_rows(5, 4), [0, 3, 7, 8, 20]), {"layout": "half"}),
        ((random_rows(3, 6), [-2, 0.5, 1000]), {"base": 7.5}),
        ((random_rows(3, 6), [-2, 0.5, 1000]), {"base": 100, "layout": "half"}),
        *(((random_rows(3, 8), [0, 17, 100]), {"scaling": scaling}) for scaling in SCALINGS),
        ((random_rows(3, 8), [0, 17, 100]), {"layout": "half", "scaling": SCALINGS[-2]}),
    ],
    "rotary_frequencies": [
        ((2,), {}),
        ((6,), {"base": 2.5}),
        *(((head_dim,), {"scaling": scaling}) for head_dim in (8, 128) for scaling in SCALINGS),
    ],
    "axial_rotary": [
        ((random_rows(1, 4), [0], [0]), {}),
        ((random_rows(5, 8), [0, 0, 1, 1, 30], [0, 1, 0, 2, 7]), {}),
        ((random_rows(3, 12), [-2, 0.5, 1000], [0.25, 3, -7]), {"base": 100, "layout": "half"}),
    ],
    "sinusoidal_2d": [
        *((size, {}) for size in ((1, 1, 4), (3, 5, 8), (5, 3, 12))),
        ((2, 7, 4), {"base": 100}),
    ],
    "learned": [
        ((TEXTS, random_rows(5, 3)), {}),
        ((TEXTS, random_rows(9, 1)), {"offset": 4}),
        ((TEXTS, random_rows(3, 2)), {"padding_id": 0}),
        ((TEXTS, random_rows(8, 2)), {"padding_id": 7, "offset": 2}),
        ((TEXTS[:1], random_rows(5, 2)), {"padding_id": 100}),
    ],
    "shaw_bias": [
        ((random_rows(1, 1), random_rows(1, 1)), {}),
        ((random_rows(6, 3), random_rows(5, 3)), {}),
        ((random_rows(4, 2), random_rows(21, 2)), {}),
        ((random_rows(1, 2), random_rows(5, 2)), {"positions": [5, 9, 2, 7]}),
    ],
    "t5_bias": [
        ((1, random_rows(4, 1)), {}),
        ((9, random_rows(8, 3)), {"max_distance": 6}),
        ((9, random_rows(7, 2)), {"max_distance": 5, "bidirectional": False}),
        ((140, random_rows(32, 1)), {}),
        ((2, random_rows(8, 3)), {"max_distance": 6, "positions": [-5, 9, 2, 70]}),
    ],
    "alibi_slopes": [((num_heads,), {}) for num_heads in (1, 2, 3, 6, 8, 12, 16, 31)],
    "alibi": [
        *((size, {}) for size in ((1, 1), (5, 8), (7, 6))),
        ((3, 6), {"positions": [-5, 9, 2, 70]}),
    ],
    "t5_buckets": [
        (([0],), {}),
        ((TOKENS_BETWEEN,), {}),
        ((TOKENS_BETWEEN,), {"bidirectional": False}),
        ((TOKENS_BETWEEN.reshape(1, -1),), {"num_buckets": 10, "max_distance": 50}),
        ((TOKENS_BETWEEN,), {"num_buckets": 7, "max_distance": 4, "bidirectional": False}),
    ],
}


# name on the two upper rungs: what a loop has in its place, which is what they must equal
TWO_RUNGS = {
    "sinusoidal_by_rotation": lambda *args, **kwargs: loops.sinusoidal(*args, **kwargs),
    "sinusoidal_blocks": lambda *args, **kwargs: [loops.sinusoidal(*args, **kwargs)],
    "attention_with_bias": attention_with_written_out_bias,
}
CASES_OF_TWO_RUNGS = {
    "sinusoidal_by_rotation": CASES["sinusoidal"],
    "sinusoidal_blocks": CASES["sinusoidal"],
    "attention_with_bias": [
        ((*random_rows(3, 4, 3), random_rows(7)), {}),
        ((*random_rows(3, 4, 3), random_rows(7)), {"causal": True}),
        ((random_rows(1, 2), random_rows(1, 2), random_rows(1, 5), random_rows(1)), {}),
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
    value = getattr(module, name)(*args, **kwargs)
    return np.hstack(value) if isinstance(value, tuple) else np.asarray(value)


def test_the_rungs_share_their_names_and_every_name_has_cases():
    shared = set.intersection(*map(public_functions, RUNGS))
    apart = {name: "not on all three rungs" for name in public_functions(loops) - shared}
    apart |= {name: "no line in CASES" for name in shared - CASES.keys()}
    apart |= {name: "in CASES, not on the rungs" for name in CASES.keys() - public_functions(loops)}
    assert not apart, apart


def test_what_is_not_on_all_three_rungs_is_on_the_two_upper_ones():
    upper = public_functions(arrays) - public_functions(loops)
    assert upper == public_functions(tensors) - public_functions(loops)
    assert upper == set(TWO_RUNGS) == set(CASES_OF_TWO_RUNGS)


@pytest.mark.parametrize("name", [*CASES, *TWO_RUNGS])
def test_the_rungs_share_their_signatures(name):
    rungs = RUNGS[1:] if name in TWO_RUNGS else RUNGS
    signatures = {str(inspect.signature(getattr(module, name))) for module in rungs}
    assert len(signatures) == 1


def said_in(module):
    """Every four lines that stand one below the other in a docstring of the module."""
    for thing in (module, *vars(module).values()):
        if thing is module or getattr(thing, "__module__", None) == module.__name__:
            lines = [line for line in (inspect.getdoc(thing) or "").splitlines() if line.strip()]
            yield from zip(lines, lines[1:], lines[2:], lines[3:])


@pytest.mark.parametrize(("one", "other"), [*itertools.combinations(RUNGS, 2)])
def test_what_one_rung_says_another_does_not_say_again(one, other):
    both = set(said_in(one)) & set(said_in(other))
    assert not both, f"say it on the lower rung only: {sorted(both)}"


def test_a_docstring_said_twice_is_noticed(monkeypatch):
    monkeypatch.setattr(arrays.softmax, "__doc__", loops.softmax.__doc__)
    assert set(said_in(loops)) & set(said_in(arrays))


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), [(name, *case) for name, cases in CASES.items() for case in cases]
)
@pytest.mark.parametrize("rung", [arrays, tensors], ids=["arrays", "tensors"])
def test_equal_to_the_loops(rung, name, args, kwargs):
    expected = climb(loops, name, args, kwargs)
    actual = climb(rung, name, args, kwargs)
    assert actual.dtype == expected.dtype and expected.dtype in (np.float64, np.int64)
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [(name, *case) for name, cases in CASES_OF_TWO_RUNGS.items() for case in cases],
)
@pytest.mark.parametrize("rung", [arrays, tensors], ids=["arrays", "tensors"])
def test_on_two_rungs_equal_to_loops(rung, name, args, kwargs):
    expected = np.asarray(TWO_RUNGS[name](*[on_rung(loops, value) for value in args], **kwargs))
    actual = getattr(rung, name)(*[on_rung(rung, value) for value in args], **kwargs)
    actual = np.asarray(list(actual) if name == "sinusoidal_blocks" else actual)
    assert actual.dtype == expected.dtype == np.float64
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12)


sizes = st.integers(1, 24)
starts = st.integers(-10_000, 10_000)
bases = st.floats(1.5, 1e6)
shifts = st.integers(-500, 500)
even_sizes = st.integers(1, 12).map(lambda half: 2 * half)


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

    @given(d_model=even_sizes, offset=st.integers(-500, 500))
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

    @given(seq_len=sizes, d_model=even_sizes, start=starts)
    def test_every_row_has_the_same_length(self, rung, seq_len, d_model, start):
        table = np.asarray(rung.sinusoidal(seq_len, d_model, start=start))
        np.testing.assert_allclose((table**2).sum(axis=1), d_model / 2)

    @given(d_model=even_sizes, offset=shifts, start=shifts, base=bases)
    def test_the_shift_matrix_moves_every_row(self, rung, d_model, offset, start, base):
        table = np.asarray(rung.sinusoidal(6, d_model, base=base, start=start))
        shifted = np.asarray(rung.sinusoidal(6, d_model, base=base, start=start + offset))
        matrix = np.asarray(rung.shift_matrix(offset, d_model, base=base))
        np.testing.assert_allclose(table @ matrix.T, shifted, atol=1e-11)

    @given(d_model=even_sizes, one=shifts, other=shifts)
    def test_shifts_are_chained_and_undone(self, rung, d_model, one, other):
        first, second = (np.asarray(rung.shift_matrix(offset, d_model)) for offset in (one, other))
        np.testing.assert_allclose(first @ second, rung.shift_matrix(one + other, d_model), atol=1e-11)
        np.testing.assert_array_equal(rung.shift_matrix(-one, d_model), first.T)
        np.testing.assert_allclose(first.T @ first, np.eye(d_model), atol=1e-12)

    @given(seq_len=sizes, d_model=even_sizes, start=shifts, base=bases)
    def test_the_kernel_is_the_product_of_two_rows(self, rung, seq_len, d_model, start, base):
        table = np.asarray(rung.sinusoidal(seq_len, d_model, start=start, base=base))
        offsets = np.arange(seq_len)[:, None] - np.arange(seq_len)
        similarities = climb(rung, "kernel", (offsets, d_model), {"base": base})
        np.testing.assert_allclose(similarities, table @ table.T, atol=1e-10)

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


layouts = st.sampled_from(["interleaved", "half"])
half_widths = st.integers(1, 8)


@pytest.mark.parametrize("rung", RUNGS, ids=["loops", "arrays", "tensors"])
class TestLawsOfRotary:
    @given(half=half_widths, m=starts, n=starts, offset=starts, layout=layouts, base=bases)
    def test_a_score_depends_on_the_difference_of_the_positions_only(
        self, rung, half, m, n, offset, layout, base
    ):
        q, k = random_rows(2, 1, 2 * half)

        def score(m, n):
            options = {"layout": layout, "base": base}
            turned_q, turned_k = (
                climb(rung, "rotary", (q, [m]), options),
                climb(rung, "rotary", (k, [n]), options),
            )
            return (turned_q @ turned_k.T).item()

        assert score(m + offset, n + offset) == pytest.approx(score(m, n), abs=1e-9)
        assert score(m - n, 0) == pytest.approx(score(m, n), abs=1e-9)

    @given(half=half_widths, position=starts, layout=layouts)
    def test_no_row_gets_longer_or_shorter(self, rung, half, position, layout):
        x = random_rows(3, 2 * half)
        turned = climb(rung, "rotary", (x, [position, 0, -position]), {"layout": layout})
        np.testing.assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(x, axis=1))
        np.testing.assert_allclose(turned[1], x[1])

    @given(half=half_widths, position=starts, base=bases)
    def test_the_layouts_are_a_permutation_of_columns_apart(self, rung, half, position, base):
        x = random_rows(1, 2 * half)
        columns = np.arange(2 * half).reshape(half, 2).T.ravel()  # 0 2 4 ... 1 3 5 ...
        interleaved = climb(rung, "rotary", (x, [position]), {"base": base})
        in_halves = climb(rung, "rotary", (x[:, columns], [position]), {"base": base, "layout": "half"})
        np.testing.assert_allclose(in_halves, interleaved[:, columns], atol=1e-12)

    def test_the_score_is_not_symmetric(self, rung):
        q, k = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
        forward = climb(rung, "rotary", (q, [3]), {}) @ k.T  # sin 3
        back = climb(rung, "rotary", (q, [-3]), {}) @ k.T
        assert abs(forward - back).item() > 0.1

    def test_turning_a_hand_that_points_up_gives_the_sinusoidal_table(self, rung):
        turned = climb(rung, "rotary", (np.tile([0.0, 1.0], (9, 3)), list(range(9))), {})
        table = np.asarray(rung.sinusoidal(9, 6))
        np.testing.assert_allclose(-turned[:, 0::2], table[:, 0::2], atol=1e-12)
        np.testing.assert_allclose(turned[:, 1::2], table[:, 1::2], atol=1e-12)


@pytest.mark.parametrize("rung", RUNGS, ids=["loops", "arrays", "tensors"])
class TestLawsOfTheBiases:
    @given(seq_len=st.integers(1, 9), num_heads=st.integers(1, 20))
    def test_alibi_falls_with_the_distance_and_not_with_the_direction(self, rung, seq_len, num_heads):
        bias, slopes = (
            climb(rung, "alibi", (seq_len, num_heads), {}),
            climb(rung, "alibi_slopes", (num_heads,), {}),
        )
        assert bias.shape == (num_heads, seq_len, seq_len)
        np.testing.assert_array_equal(bias, bias.transpose(0, 2, 1))
        np.testing.assert_allclose(bias[:, 0], -slopes[:, None] * np.arange(seq_len))
        assert len(set(slopes.tolist())) == num_heads
        assert (slopes > 0).all() and (slopes <= 1).all()

    @given(one_way=st.integers(2, 40), above=st.integers(1, 300), bidirectional=st.booleans())
    def test_buckets_never_fall_and_never_jump_within_a_direction(self, rung, one_way, above, bidirectional):
        num_buckets = 2 * one_way if bidirectional else one_way
        options = {
            "num_buckets": num_buckets,
            "max_distance": one_way // 2 + above,
            "bidirectional": bidirectional,
        }
        back = climb(rung, "t5_buckets", (-np.arange(400),), options)
        assert back[0] == 0 and back[-1] == one_way - 1
        assert (np.diff(back) >= 0).all()
        np.testing.assert_array_equal(back[: one_way // 2], np.arange(one_way // 2))
        forward = climb(rung, "t5_buckets", (np.arange(1, 400),), options)
        np.testing.assert_array_equal(forward, back[1:] + one_way if bidirectional else 0 * forward)

    @given(seq_len=st.integers(1, 12), num_heads=st.integers(1, 4), bidirectional=st.booleans())
    def test_a_t5_bias_depends_on_the_distance_only(self, rung, seq_len, num_heads, bidirectional):
        table = random_rows(8, num_heads)
        options = {"max_distance": 5, "bidirectional": bidirectional}
        bias = climb(rung, "t5_bias", (seq_len, table), options)
        assert bias.shape == (num_heads, seq_len, seq_len)
        np.testing.assert_array_equal(bias[:, 1:, 1:], bias[:, :-1, :-1])
        np.testing.assert_array_equal(bias[:, 0, 0], table[0])

    @given(seq_len=st.integers(1, 9), farthest=st.integers(0, 10), row=st.integers(0, 8))
    def test_shaw_tells_each_distance_apart_up_to_the_farthest(self, rung, seq_len, farthest, row):
        table = np.arange(2.0 * farthest + 1)[:, None]  # row r says r
        bias = climb(rung, "shaw_bias", (np.ones((seq_len, 1)), table), {})
        expected = [[np.clip(n - m, -farthest, farthest) for n in range(seq_len)] for m in range(seq_len)]
        np.testing.assert_array_equal(bias, np.array(expected) + farthest)

    @given(places=st.lists(st.integers(0, 30), min_size=1, max_size=7), queries=sizes, move=starts)
    @pytest.mark.parametrize("name", ["shaw_bias", "alibi", "t5_bias"])
    def test_at_positions_it_is_rows_and_columns_of_the_whole(self, rung, name, places, queries, move):
        q, table = random_rows(31, 3), random_rows(9, 3)

        def bias(of_queries, **positions):
            size = q[of_queries] if name == "shaw_bias" else len(of_queries)
            return climb(rung, name, (size, {"alibi": 6, "t5_bias": table[:8]}.get(name, table)), positions)

        of_queries = places[-queries:]  # of the last key only, in a step of decoding
        at_places = bias(of_queries, positions=places)
        whole = bias(range(31))[..., of_queries, :][..., places]
        np.testing.assert_allclose(at_places, whole, rtol=0, atol=1e-12)
        moved = bias(of_queries, positions=[place + move for place in places])
        np.testing.assert_array_equal(moved, at_places)


@pytest.mark.parametrize("rung", RUNGS, ids=["loops", "arrays", "tensors"])
class TestLawsOfTheLearnedTable:
    @given(
        real=st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=3),
        offset=st.integers(0, 3),
    )
    def test_the_tokens_of_a_text_get_the_rows_in_their_order_wherever_its_padding_is(
        self, rung, real, offset
    ):
        table = random_rows(4 + offset, 2)
        token_ids = np.where(real, 5, 1)
        rows = climb(rung, "learned", (token_ids, table), {"offset": offset, "padding_id": 1})
        for mask, text in zip(np.array(real), rows):
            np.testing.assert_array_equal(text[mask], table[offset : offset + mask.sum()])
            np.testing.assert_array_equal(text[~mask], 0)


@pytest.mark.parametrize("rung", RUNGS, ids=["loops", "arrays", "tensors"])
class TestLawsOfTheGrid:
    @given(height=st.integers(1, 6), width=st.integers(1, 6), quarter=st.integers(1, 4), base=bases)
    def test_a_row_of_the_grid_shares_one_half_and_a_column_the_other(
        self, rung, height, width, quarter, base
    ):
        grid = climb(rung, "sinusoidal_2d", (height, width, 4 * quarter), {"base": base})
        line = np.asarray(rung.sinusoidal(max(height, width), 2 * quarter, base=base))
        for column in range(width):
            np.testing.assert_array_equal(grid[:, column, : 2 * quarter], line[:height])
        for row in range(height):
            np.testing.assert_array_equal(grid[row, :, 2 * quarter :], line[:width])

    @given(quarter=st.integers(1, 4), down=starts, right=starts, m=starts, n=starts, layout=layouts)
    def test_an_axial_score_depends_on_both_differences_only(self, rung, quarter, down, right, m, n, layout):
        q, k = random_rows(2, 1, 4 * quarter)

        def score(q_place, k_place):
            turned = [
                climb(rung, "axial_rotary", (x, [row], [column]), {"layout": layout})
                for x, (row, column) in ((q, q_place), (k, k_place))
            ]
            return (turned[0] @ turned[1].T).item()

        moved = score((m + down, n + right), (down, right))
        assert moved == pytest.approx(score((m, n), (0, 0)), abs=1e-9)


@pytest.mark.parametrize("rung", RUNGS, ids=["loops", "arrays", "tensors"])
class TestLawsOfScaling:
    @pytest.mark.parametrize("scaling", SCALINGS[1:], ids=lambda scaling: scaling["rope_type"])
    @pytest.mark.parametrize("head_dim", [4, 64, 128])
    def test_no_frequency_grows_or_falls_by_more_than_the_factor(self, rung, scaling, head_dim):
        before = np.asarray(rung.frequencies(head_dim))
        after = np.asarray(rung.rotary_frequencies(head_dim, scaling=scaling)[0])
        assert (after <= before * (1 + 1e-12)).all()
        assert (after >= before / scaling["factor"] * (1 - 1e-12)).all()

    @given(half=st.integers(2, 64), factor=st.floats(1, 64), base=st.floats(10, 1e6))
    def test_interpolation_slows_all_and_ntk_leaves_the_first_and_slows_the_last_by_the_factor(
        self, rung, half, factor, base
    ):
        before = np.asarray(rung.frequencies(2 * half, base=base))
        rules = ({"rope_type": rule, "factor": factor} for rule in ("linear", "ntk"))
        scaled = (rung.rotary_frequencies(2 * half, base=base, scaling=rule) for rule in rules)
        linear, ntk = (np.asarray(frequencies) for frequencies, _ in scaled)
        np.testing.assert_allclose(linear, before / factor, rtol=1e-12)
        assert ntk[0] == 1
        assert ntk[-1] == pytest.approx(before[-1] / factor)

    @given(half=half_widths, m=starts, n=starts, offset=starts, scaling=st.sampled_from(SCALINGS))
    def test_a_scaled_score_still_depends_on_the_difference_only(self, rung, half, m, n, offset, scaling):
        q, k = random_rows(2, 1, 2 * half + 2)

        def score(m, n):
            turned = [
                climb(rung, "rotary", (x, [place]), {"scaling": scaling}) for x, place in ((q, m), (k, n))
            ]
            return (turned[0] @ turned[1].T).item()

        assert score(m + offset, n + offset) == pytest.approx(score(m, n), abs=1e-9)

    def test_a_factor_of_one_changes_nothing(self, rung):
        for scaling in SCALINGS[1:]:
            same, attention_factor = rung.rotary_frequencies(64, scaling=scaling | {"factor": 1.0})
            np.testing.assert_allclose(same, rung.frequencies(64), rtol=1e-12)
            assert attention_factor == 1
