"""The three versions against values that share no code with them."""

import mpmath
import numpy as np
import pytest
import torch
from three_versions import answer, each_version
from torch.nn import functional as F

from pe_lessons import arrays, tensors


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


LONG = {"factor": 4.0, "original_max_position_embeddings": 64}
YARN = {"rope_type": "yarn"} | LONG
BY_TURNS = {"rope_type": "llama3", "low_freq_factor": 0.5, "high_freq_factor": 2.0}
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
        (BY_TURNS | LONG, None, FOUR * [1, 1.6 / np.pi, 1 / 4, 1 / 4], 1),  # pair 1 turns 3.2 / pi times
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
