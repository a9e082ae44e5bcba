"""The three versions against values that share no code with them."""

import mpmath
import numpy as np
import pytest
import torch
from three_versions import answer, each_version
from torch.nn import functional as F

from pe_lessons import arrays, tensors

# Article 002's 5 x 4 table as printed; its -0.9899 (position 3, column 1) is cut off, cos 3 = -0.98999...
PUBLISHED = """
    0        1        0           1
    0.8415   0.5403   0.00999983  0.99995
    0.9093  -0.4161   0.0199987   0.99980
    0.1411  -0.9900   0.0299955   0.99955
   -0.7568  -0.6536   0.0399893   0.99920
"""


def exact(position, column, d_model, base):
    """One entry with 50 digits, from the paper's formula."""
    with mpmath.workdps(50):
        angle = mpmath.mpf(position) / mpmath.mpf(base) ** (mpmath.mpf(2 * (column // 2)) / d_model)
        return float((mpmath.cos if column % 2 else mpmath.sin)(angle))


@each_version
@pytest.mark.parametrize("position", [0, 1, 99, 12_345, 1_000_000, 9_999_999])
@pytest.mark.parametrize(("d_model", "base"), [(8, 10_000), (9, 10_000), (64, 500_000)])
def test_exact_values_at_large_positions(version, position, d_model, base):
    [row] = answer(version, "sinusoidal", 1, d_model, start=position, base=base)
    expected = [exact(position, column, d_model, base) for column in range(d_model)]
    # a float64 angle p w is off by about p * 2**-53
    np.testing.assert_allclose(row, expected, rtol=0, atol=1e-15 + position * 2e-15)


LOOK_BACK = np.tril(np.ones((6, 6), dtype=bool))
OF_TWO_TEXTS = np.array([[[True, True, False, False]] * 4, [[True] * 4] * 4])


@pytest.mark.parametrize(
    ("shape", "mask"),
    [((5, 3), None), ((2, 4, 6, 8), None), ((3, 6, 8), LOOK_BACK), ((2, 4, 8), OF_TWO_TEXTS)],
)
def test_attention_is_pytorch_s(shape, mask):
    q, k, v = np.random.default_rng(0).normal(size=(3, *shape))
    tensor_mask = None if mask is None else torch.tensor(mask)
    expected = F.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), attn_mask=tensor_mask)
    for version in (arrays, tensors):
        np.testing.assert_allclose(answer(version, "attention", q, k, v, mask=mask), expected, atol=1e-14)


@each_version
def test_alibi_slopes_of_8_and_of_12_heads(version):
    # Press et al., section 3: 1/2, 1/4, ..., 1/256 for 8 heads; their code for 12 adds 2^-0.5, 2^-1.5, ...
    of_8 = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    np.testing.assert_allclose(answer(version, "alibi_slopes", 8), of_8)
    of_12 = [*of_8, 0.7071067811865476, 0.35355339059327373, 0.17677669529663687, 0.08838834764831843]
    np.testing.assert_allclose(answer(version, "alibi_slopes", 12), of_12)


def published_buckets(relative_position, bidirectional, num_buckets, max_distance):
    """The rule of T5's published code, in float64, for one offset."""
    bucket = 0
    distance = -relative_position
    if bidirectional:
        num_buckets //= 2
        bucket += num_buckets * (distance < 0)
        distance = abs(distance)
    else:
        distance = max(distance, 0)
    exact = num_buckets // 2
    if distance < exact:
        return bucket + distance
    with mpmath.workdps(40):  # exact powers are exact here, so no rounding decides
        share = mpmath.log(mpmath.mpf(distance) / exact) / mpmath.log(mpmath.mpf(max_distance) / exact)
        far = exact + int(mpmath.floor(share * (num_buckets - exact) + mpmath.mpf("1e-30")))
    return bucket + min(far, num_buckets - 1)


@each_version
@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("num_buckets", "max_distance"), [(32, 128), (16, 32), (8, 20), (64, 4096)])
def test_buckets_are_those_of_the_published_rule(version, bidirectional, num_buckets, max_distance):
    offsets = list(range(-300, 301))
    options = {"bidirectional": bidirectional, "num_buckets": num_buckets, "max_distance": max_distance}
    expected = [published_buckets(offset, **options) for offset in offsets]
    assert answer(version, "t5_buckets", offsets, **options).tolist() == expected


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@each_version
def test_rotary_is_multiplication_by_a_complex_number(version, layout):
    for_row, for_column = np.random.default_rng(0).normal(size=(2, 4, 6))
    rows, columns = [2, 2, 0, -0.5], [0, 1, 5, 100]
    pairs = (slice(0, 6, 2), slice(1, 6, 2)) if layout == "interleaved" else (slice(0, 3), slice(3, 6))
    frequencies = 10_000.0 ** (-np.arange(3) / 3)

    def turned(x, positions):
        real, imaginary = pairs
        numbers = (x[:, real] + 1j * x[:, imaginary]) * np.exp(1j * np.outer(positions, frequencies))
        expected = np.empty_like(x)
        expected[:, real], expected[:, imaginary] = numbers.real, numbers.imag
        return expected

    by_row, by_column = turned(for_row, rows), turned(for_column, columns)
    actual = answer(version, "rotary", for_column, columns, layout=layout)
    np.testing.assert_allclose(actual, by_column, atol=1e-12)
    actual = answer(version, "axial_rotary", np.hstack([for_row, for_column]), rows, columns, layout=layout)
    np.testing.assert_allclose(actual, np.hstack([by_row, by_column]), atol=1e-12)


def test_shaw_s_bias_is_the_padded_and_skewed_product_of_the_music_transformer():
    """Huang et al. 2018 shift the rows of q E^T instead of looking up n x n vectors."""
    seq_len, head_dim = 5, 3
    q, table = torch.randn(2, seq_len, head_dim), torch.randn(2 * seq_len - 1, head_dim)
    product = q @ table.T  # (2, seq_len, 2 seq_len - 1): every distance for every query
    skewed = F.pad(product, (0, 1)).flatten(1)
    skewed = F.pad(skewed, (0, seq_len - 1)).view(2, seq_len + 1, 2 * seq_len - 1)
    expected = skewed[:, :seq_len, seq_len - 1 :] / head_dim**0.5
    torch.testing.assert_close(tensors.shaw_bias(q, table), expected)
    np.testing.assert_allclose(arrays.shaw_bias(q.numpy(), table.numpy()), expected, atol=1e-6)


@each_version
def test_llama_3_1_as_published(version):
    """head_dim 128, base 500 000, the values of its config.json: pairs 0-28 kept, from 35 on an eighth."""
    scaling = {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192}
    scaling |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    scaled = answer(version, "rotary_frequencies", 128, base=500_000.0, scaling=scaling)[:-1]
    ratios = scaled * 500_000.0 ** (np.arange(64) / 64)
    wavelengths = 2 * np.pi * 500_000.0 ** (np.arange(64) / 64)
    kept, divided = wavelengths < 8192 / 4, wavelengths > 8192
    np.testing.assert_allclose(ratios[kept], 1)
    np.testing.assert_allclose(ratios[divided], 1 / 8)
    for ratio, wavelength in zip(ratios[~kept & ~divided], wavelengths[~kept & ~divided]):
        smooth = (8192 / wavelength - 1) / 3
        assert ratio == pytest.approx((1 - smooth) / 8 + smooth)
    assert (kept.sum(), divided.sum()) == (29, 29)


@each_version
def test_the_proportional_rule_of_gemma_4(version):
    """Head of 512, base 1e6, a quarter: pairs 0-63 as in the whole head, the other 192 do not turn."""
    scaling = {"rope_type": "proportional", "partial_rotary_factor": 0.25}
    found = answer(version, "rotary_frequencies", 512, base=1e6, scaling=scaling)[:-1]
    with mpmath.workdps(40):
        wanted = [float(mpmath.mpf(10) ** (-12 * mpmath.mpf(pair) / 512)) for pair in range(64)]
    np.testing.assert_allclose(found, wanted + [0.0] * 192, rtol=1e-14)
    x = np.random.default_rng(0).normal(size=(2, 512))
    turned = answer(version, "rotary", x, [0, 1], base=1e6, layout="half", scaling=scaling)
    partner = x[1, :64] + 1j * x[1, 256:320]  # column 0 turns with column 256, not with 64
    np.testing.assert_allclose(turned[1, 256:320], (partner * np.exp(1j * np.array(wanted))).imag, atol=1e-12)
    np.testing.assert_array_equal(turned[:, 64:256], x[:, 64:256])


LONG = {"factor": 4.0, "original_max_position_embeddings": 64}
YARN = {"rope_type": "yarn"} | LONG
BY_LENGTH = {"rope_type": "longrope", "short_factor": [1] * 4, "long_factor": [8] * 4}
QUARTERS = np.arange(4) / 4
FOUR = 10_000.0**-QUARTERS  # the frequencies of eight columns
# Pairs 0.4 and 1.008 turn 4 times and once in 64 tokens: the line falls from pair 0 to pair 2.
HALVED_IN_THE_MIDDLE = np.array([1, (1 + 1 / 4) / 2, 1 / 4, 1 / 4])


@each_version
@pytest.mark.parametrize(
    ("scaling", "text_len", "frequencies", "attention_factor"),
    [
        (YARN | {"beta_fast": 4.0}, None, FOUR * HALVED_IN_THE_MIDDLE, 1.1386294361),  # 0.1 ln 4 + 1
        (YARN | {"mscale": 0.7, "mscale_all_dim": 1.0}, None, FOUR * HALVED_IN_THE_MIDDLE, 0.9634747),
        ({"rope_type": "dynamic"} | LONG, 64, FOUR, 1),
        ({"rope_type": "dynamic"} | LONG, 128, (10_000 * 5 ** (4 / 3)) ** -QUARTERS, 1),  # 4 * 2 - 3
        (BY_LENGTH | LONG, 64, FOUR, 1.1547005),  # the root of 1 + ln 4 / ln 64
        (BY_LENGTH | LONG, 65, FOUR / 8, 1.1547005),
    ],
)
def test_what_a_rule_makes_of_lengths_and_of_the_softmax(
    version, scaling, text_len, frequencies, attention_factor
):
    *found, factor = answer(version, "rotary_frequencies", 8, scaling=scaling, text_len=text_len)
    assert factor == pytest.approx(attention_factor, abs=1e-6)
    np.testing.assert_allclose(found, frequencies, rtol=1e-12)


@each_version
def test_a_grid_of_two_by_three(version):
    zero, one, two = [0, 1], [0.8414709848, 0.5403023059], [0.9092974268, -0.4161468365]
    expected = [[zero + zero, zero + one, zero + two], [one + zero, one + one, one + two]]
    np.testing.assert_allclose(answer(version, "sinusoidal_2d", 2, 3, 4), expected, atol=1e-9)
    slow = np.sin(2 / 10), np.cos(2 / 10)  # base 100: the second pair of four columns turns by a tenth
    last = answer(version, "sinusoidal_2d", 3, 3, 8, base=100)[2, 2]
    np.testing.assert_allclose(last, 2 * [*two, *slow], atol=1e-9)


@each_version
def test_positions_of_a_prompt_written_down(version):
    """Text, an image of 2 x 2 and a video of three frames of 1 x 2, as in the paper's figure 3 in small."""
    places = answer(version, "mrope_positions", (2, (1, 2, 2), 1, (3, 1, 2), 2)).astype(int).tolist()
    assert places == [
        [0, 1, 2, 2, 2, 2, 4, 5, 5, 6, 6, 7, 7, 8, 9],
        [0, 1, 2, 2, 3, 3, 4, 5, 5, 5, 5, 5, 5, 8, 9],
        [0, 1, 2, 3, 2, 3, 4, 5, 6, 5, 6, 5, 6, 8, 9],
    ]


@each_version
def test_which_pair_reads_which_axis(version):
    """A pair turns when its axis moves, and stays where it is when another one does."""
    written = {"blocks": "tttthhhw", "interleaved": "thwthtth", "axial": "tttthhhw"}
    for order, wanted in written.items():
        found = ""
        for pair in range(8):
            x = np.zeros((1, 16))
            x[0, 2 * pair] = 1
            for name, place in zip("thw", np.eye(3)[:, :, None]):
                turned = answer(version, "mrope", x, place, (4, 3, 1), base=4, order=order)
                found += name * (not np.array_equal(turned, x))
        assert found == wanted, order


@each_version
def test_a_short_convolution_is_that_of_pytorch(version):
    rng = np.random.default_rng(0)
    x, weights, before = rng.normal(size=(7, 3)), rng.normal(size=(3, 4)), rng.normal(size=(3, 3))
    rows = torch.tensor(np.vstack([before, x])).T[None]
    theirs = F.conv1d(rows, torch.tensor(weights)[:, None], groups=3)[0].T
    ours = answer(version, "short_convolution", x, weights, before=before)
    np.testing.assert_allclose(ours, np.concatenate([theirs.numpy().ravel(), x[-3:].ravel()]), atol=1e-12)


@each_version
def test_linear_attention_is_a_sum_over_all_earlier_tokens(version):
    rng = np.random.default_rng(0)
    q, k, v, gates = *rng.normal(size=(3, 6, 2)), rng.uniform(0.2, 1, 6)
    ours = answer(version, "linear_attention", q, k, v, gates=gates)[:12].reshape(6, 2)
    for m in range(6):
        terms = [np.prod(gates[n + 1 : m + 1]) * (q[m] @ k[n]) * v[n] for n in range(m + 1)]
        np.testing.assert_allclose(ours[m], sum(terms), rtol=0, atol=1e-12)
