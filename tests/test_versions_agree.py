"""A function is the same in its three versions (loop, NumPy, PyTorch): equal over a grid of sizes."""

import inspect
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from three_versions import TAKES, answer, each_version, made_for

from pe_lessons import arrays, loops, tensors


def public_functions(module):
    return {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and function.__module__ == module.__name__
    }


def random_rows(*shape):
    return np.random.default_rng(shape).normal(size=shape)


SIZES = [(1, 1), (1, 6), (5, 1), (3, 6), (6, 3), (5, 4), (4, 5), (7, 7), (40, 33)]  # (seq_len, d_model)
TOKENS_BETWEEN = np.arange(-200, 201)
LOOK_BACK = np.tril(np.ones((4, 4), dtype=bool))
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
SHARES = [
    {"rope_type": "proportional", "partial_rotary_factor": 0.5},
    {"rope_type": "proportional", "partial_rotary_factor": 0.334, "factor": 8.0},
    {"rope_type": "proportional", "partial_rotary_factor": 0.1},  # of 8 columns none
]
PROMPT = (3, (1, 2, 3), 2, (4, 2, 2), 5)  # text, an image, text, a video, text
PLACES = [[0, 3, 7, 1000], [5, -1, 0.5, 2], [0, 0, 9, -40]]
AXIS_ORDERS = ["blocks", "interleaved", "axial"]
OF_THE_LENGTH = [  # a rule that changes while a text grows, and the length of the text
    *(({"rope_type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 64}, text_len)
      for text_len in (5, 64, 65, 200)),
    *(({"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 64,
        "short_factor": [1.0, 1.1, 1.5, 2.0], "long_factor": [1.0, 2.0, 9.0, 40.0]}, text_len)
      for text_len in (64, 65)),
    ({"rope_type": "longrope", "factor": 1.0, "original_max_position_embeddings": 64,
      "short_factor": [1, 1, 1, 1], "long_factor": [1, 2, 3, 4], "attention_factor": 1.5}, 100),
    ({"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096, "mscale": 0.7,
      "mscale_all_dim": 1.0}, 100),
    ({"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096, "mscale": 0.7}, None),
]  # fmt: skip

KEYS_AND_VALUES = random_rows(5, 3), random_rows(5, 3) / 2, random_rows(5, 2)
GATES, BETA = np.array([0.9, 1.0, 0.01, 0.5, 0.7]), np.array([1.0, 0.0, 0.5, 2.0, 0.25])
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
        ((np.int64(4), np.uint8(5)), {"start": np.int64(-7), "base": np.float32(2)}),
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
        (([2**24 + 1], 6), {}),  # more than float32 tells apart
        (([], 4), {}),
    ],
    "softmax": [
        (([0.3],), {}),
        ((random_rows(7),), {}),
        ((random_rows(3, 4),), {}),
        (([1e4, 0.0, -1e4],), {}),
        (([-math.inf, 2.0],), {}),
        (([[math.nan, -math.inf], [-math.inf, 0.0]],), {}),
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
        (([[math.nan] * 4, [1.0] * 4], [0, 3]), {}),
        ((random_rows(3, 6), [-2, 0.5, 1000]), {"base": 7.5}),
        ((random_rows(3, 6), [-2, 0.5, 1000]), {"base": 100, "layout": "half"}),
        *(((random_rows(3, 8), [0, 17, 100]), {"scaling": scaling}) for scaling in SCALINGS + SHARES),
        ((random_rows(3, 8), [0, 17, 100]), {"layout": "half", "scaling": SCALINGS[-2]}),
        ((random_rows(3, 8), [0, 17, 100]), {"rotary_dim": 4}),
        ((random_rows(3, 8), [0, 17, 100]), {"rotary_dim": 6, "layout": "half", "base": 100}),
        ((random_rows(3, 8), [0, 17, 100]), {"rotary_dim": 8}),
        ((random_rows(3, 7), [0, 17, 100]), {"rotary_dim": 4, "layout": "half", "scaling": SCALINGS[-2]}),
        *(
            ((random_rows(3, 8), [0, 17, 100]), {"scaling": scaling, "text_len": text_len})
            for scaling, text_len in OF_THE_LENGTH
        ),
    ],
    "rotary_frequencies": [
        ((2,), {}),
        ((6,), {"base": 2.5}),
        *(((head_dim,), {"scaling": scaling}) for head_dim in (8, 128) for scaling in SCALINGS + SHARES),
        *(((8,), {"scaling": scaling, "text_len": text_len}) for scaling, text_len in OF_THE_LENGTH),
    ],
    "query_scale": [
        (([0],), {"length": 1}),
        (([0, 1, 7, 8, 9.5, 1e6],), {"length": 8}),
        ((np.arange(12).reshape(3, 4),), {"length": 5, "strength": 2.5}),
        (([2**53],), {"length": 8192, "strength": 0}),
    ],
    "axial_rotary": [
        ((random_rows(1, 4), [0], [0]), {}),
        ((random_rows(5, 8), [0, 0, 1, 1, 30], [0, 1, 0, 2, 7]), {}),
        ((random_rows(3, 12), [-2, 0.5, 1000], [0.25, 3, -7]), {"base": 100, "layout": "half"}),
    ],
    "mrope_positions": [
        *(((parts,), {}) for parts in ((1,), (7,), ((1, 2, 3),), ((4, 1, 1),), PROMPT)),
        (((2, 3, (2, 1, 2), (1, 1, 1), 1),), {}),
    ],
    "mrope": [
        ((random_rows(1, 2), [[3]], (1,)), {}),
        ((random_rows(4, 8), [[0, 3, 7, 8], [5, -1, 0.5, 2]], (1, 3)), {}),
        *(((random_rows(4, 16), PLACES, (3, 3, 2)), {"order": order}) for order in AXIS_ORDERS),
        *(
            ((random_rows(4, 16), PLACES, (6, 1, 1)), {"order": order, "layout": "half"})
            for order in AXIS_ORDERS
        ),
        ((random_rows(4, 16), PLACES, (2, 5, 1)), {"order": "axial", "base": 256}),
        ((random_rows(4, 16), [*PLACES, [1, 2, 3, 4]], (2, 2, 2, 2)), {"order": "interleaved", "base": 7.5}),
    ],
    "sinusoidal_2d": [
        *((size, {}) for size in ((1, 1, 4), (3, 5, 8), (5, 3, 12))),
        ((2, 7, 8), {"base": 100}),
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
    "forget_bias": [(([1.0],), {}), ((GATES,), {}), (([0.5] * 9,), {})],
    "linear_attention": [
        ((random_rows(1, 1), random_rows(1, 1), random_rows(1, 1)), {}),
        (KEYS_AND_VALUES, {}),
        (KEYS_AND_VALUES, {"gates": GATES}),
        (KEYS_AND_VALUES, {"gates": GATES, "state": random_rows(3, 2)}),
    ],
    "delta_rule": [
        ((*KEYS_AND_VALUES, BETA), {}),
        ((*KEYS_AND_VALUES, BETA), {"gates": GATES}),
        ((*KEYS_AND_VALUES, BETA), {"gates": GATES, "state": random_rows(3, 2)}),
    ],
    "short_convolution": [
        ((random_rows(5, 3), random_rows(3, 1)), {}),
        ((random_rows(5, 3), random_rows(3, 4)), {}),
        ((random_rows(2, 3), random_rows(3, 4)), {"before": random_rows(3, 3)}),
    ],
    "alibi_slopes": [((num_heads,), {}) for num_heads in (1, 2, 3, 6, 8, 12, 16, 31)],
    "alibi": [
        *((size, {}) for size in ((1, 1), (5, 8), (7, 6))),
        ((3, 6), {"positions": [-5, 9, 2, 70]}),
    ],
    "t5_buckets": [
        (([0],), {}),
        (([],), {}),
        ((np.array(-3),), {"bidirectional": np.True_}),
        ((TOKENS_BETWEEN,), {}),
        ((TOKENS_BETWEEN,), {"bidirectional": False}),
        ((TOKENS_BETWEEN.reshape(1, -1),), {"num_buckets": 10, "max_distance": 50}),
        ((TOKENS_BETWEEN,), {"num_buckets": 7, "max_distance": 4, "bidirectional": False}),
        (([-54],), {"num_buckets": 48, "max_distance": 81, "bidirectional": False}),  # on an edge: 24 + 16
    ],
}


def test_the_three_versions_have_the_same_functions_with_the_same_arguments_and_each_has_cases():
    lowest, numpy, torch_s = (public_functions(version) for version in TAKES)
    assert lowest == numpy == torch_s - {"sinusoidal_by_rotation"} == CASES.keys()
    for name in CASES:
        assert len({str(inspect.signature(getattr(version, name))) for version in TAKES}) == 1, name


@pytest.mark.parametrize(
    ("name", "args", "kwargs"), [(name, *case) for name, cases in CASES.items() for case in cases]
)
@pytest.mark.parametrize("version", [arrays, tensors], ids=["arrays", "tensors"])
def test_equal_to_the_loops(version, name, args, kwargs):
    expected = answer(loops, name, *args, **kwargs)
    actual = answer(version, name, *args, **kwargs)
    assert actual.shape == expected.shape
    assert actual.dtype in (np.float64, np.int64)
    assert actual.dtype == expected.dtype or not expected.size  # an empty list has no dtype
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_tensors_come_in_the_default_dtype_and_frequencies_in_float64(name):
    args, kwargs = CASES[name][0]
    args = [made_for(tensors, value) for value in args]
    args = [arg.float() if torch.is_tensor(arg) and arg.is_floating_point() else arg for arg in args]
    found = getattr(tensors, name)(*args, **kwargs)
    wanted = torch.float64 if "frequencies" in name else torch.float32
    for part in found if isinstance(found, tuple) else [found]:
        assert not torch.is_tensor(part) or part.dtype in (wanted, torch.int64)


# Laws, asked of the arrays: the other versions are equal to them, though not bit for bit.

sizes = st.integers(1, 24)
even_sizes = st.integers(1, 12).map(lambda half: 2 * half)
starts = st.integers(-10_000, 10_000)
shifts = st.integers(-500, 500)
bases = st.floats(1.5, 1e6)
layouts = st.sampled_from(["interleaved", "half"])


@given(d_model=even_sizes, offset=shifts, start=shifts, base=bases)
def test_the_shift_matrix_moves_every_row(d_model, offset, start, base):
    table = answer(arrays, "sinusoidal", 6, d_model, base=base, start=start)
    shifted = answer(arrays, "sinusoidal", 6, d_model, base=base, start=start + offset)
    matrix = answer(arrays, "shift_matrix", offset, d_model, base=base)
    np.testing.assert_allclose(table @ matrix.T, shifted, atol=1e-11)


@given(seq_len=sizes, d_model=even_sizes, start=shifts, base=bases)
def test_the_kernel_is_the_product_of_two_rows(seq_len, d_model, start, base):
    table = answer(arrays, "sinusoidal", seq_len, d_model, start=start, base=base)
    offsets = np.arange(seq_len)[:, None] - np.arange(seq_len)
    similarities = answer(arrays, "kernel", offsets, d_model, base=base)
    np.testing.assert_allclose(similarities, table @ table.T, atol=1e-10)


@given(
    half=st.integers(2, 8), m=starts, n=starts, offset=starts, base=bases, layout=layouts,
    scaling=st.sampled_from([None, *SCALINGS, *SHARES]), beside=st.sampled_from([None, 0, 3]),
)  # fmt: skip
def test_a_rotary_score_depends_on_the_difference_of_the_positions_only(
    half, m, n, offset, base, layout, scaling, beside
):
    q, k = random_rows(2, 1, 2 * half + (beside or 0))
    options = {"base": base, "layout": layout, "scaling": scaling}
    options["rotary_dim"] = None if beside is None else 2 * half

    def score(m, n):
        turned_q = answer(arrays, "rotary", q, [m], **options)
        return (turned_q @ answer(arrays, "rotary", k, [n], **options).T).item()

    assert score(m + offset, n + offset) == pytest.approx(score(m, n), abs=1e-9)
    assert score(m - n, 0) == pytest.approx(score(m, n), abs=1e-9)


@each_version
@given(half=st.integers(3, 8), start=starts, seq_len=sizes, base=bases, layout=layouts)
@pytest.mark.parametrize("order", ["blocks", "interleaved"])
def test_text_alone_comes_out_as_rotary_bit_for_bit(version, order, half, start, seq_len, base, layout):
    x, positions = random_rows(seq_len, 2 * half), np.arange(start, start + seq_len)
    sections = (half - 2 * (half // 3), half // 3, half // 3)
    options = {"base": base, "layout": layout}
    on_axes = answer(version, "mrope", x, np.tile(positions, (3, 1)), sections, order=order, **options)
    np.testing.assert_array_equal(on_axes, answer(version, "rotary", x, positions, **options))
    np.testing.assert_array_equal(
        answer(version, "mrope_positions", (seq_len,)), np.tile(np.arange(seq_len), (3, 1))
    )


@given(half=st.integers(1, 5), places=st.lists(st.tuples(starts, starts), min_size=1, max_size=6), base=bases)
def test_two_axes_with_frequencies_of_their_own_are_axial_rotary(half, places, base):
    x, axes = random_rows(len(places), 4 * half), np.array(places).T
    ours = answer(arrays, "mrope", x, axes, (half, half), base=base, order="axial")
    np.testing.assert_allclose(ours, answer(arrays, "axial_rotary", x, *axes, base=base), rtol=0, atol=1e-9)


@given(
    cut=st.integers(1, 8), seed=st.integers(0, 99), name=st.sampled_from(["linear_attention", "delta_rule"])
)
def test_a_text_in_two_parts_is_the_whole_text(cut, seed, name):
    rng = np.random.default_rng(seed)
    given = {"q": rng.normal(size=(9, 3)), "k": rng.normal(size=(9, 3)) / 2, "v": rng.normal(size=(9, 2))}
    given["gates"] = rng.uniform(0.1, 1, 9)
    if name == "delta_rule":
        given["beta"] = rng.uniform(0, 1, 9)

    def parts(tokens, **options):
        some = {argument: rows[tokens] for argument, rows in given.items()}
        both = answer(arrays, name, **some, **options)
        return both[:-6].reshape(-1, 2), both[-6:].reshape(3, 2)

    whole, end = parts(slice(None))
    first, state = parts(slice(None, cut))
    second, last = parts(slice(cut, None), state=state)
    np.testing.assert_allclose(np.vstack([first, second]), whole, rtol=0, atol=1e-10)
    np.testing.assert_allclose(last, end, rtol=0, atol=1e-10)


@given(seed=st.integers(0, 99))
def test_the_delta_rule_gives_back_what_was_written_last_under_a_key(seed):
    rng = np.random.default_rng(seed)
    keys = np.linalg.qr(rng.normal(size=(4, 4)))[0]  # at right angles, and of length 1
    order, values = rng.integers(0, 4, size=12), rng.normal(size=(12, 2))
    state = answer(arrays, "delta_rule", keys[order], keys[order], values, [1.0] * 12)[-8:].reshape(4, 2)
    for one in set(order):
        last = values[np.flatnonzero(order == one)[-1]]
        np.testing.assert_allclose(keys[one] @ state, last, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["shaw_bias", "alibi", "t5_bias"])
@given(places=st.lists(st.integers(0, 30), min_size=1, max_size=7), queries=sizes, move=starts)
def test_a_bias_at_positions_is_rows_and_columns_of_the_whole(name, places, queries, move):
    q, table = random_rows(31, 3), random_rows(9, 3)

    def bias(of_queries, **positions):
        size = q[of_queries] if name == "shaw_bias" else len(of_queries)
        return answer(arrays, name, size, {"alibi": 6, "t5_bias": table[:8]}.get(name, table), **positions)

    of_queries = places[-queries:]  # of the last key only, in a step of decoding
    at_places = bias(of_queries, positions=places)
    whole = bias(range(31))[..., of_queries, :][..., places]
    np.testing.assert_allclose(at_places, whole, rtol=0, atol=1e-12)
    moved = bias(of_queries, positions=[place + move for place in places])
    np.testing.assert_array_equal(moved, at_places)
