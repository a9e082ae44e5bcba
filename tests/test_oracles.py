"""The rungs against values that share no code with them."""

import mpmath
import numpy as np
import pytest
import torch
from torch.nn import functional as F

from pe_lessons import arrays, loops, tensors

RUNGS = pytest.mark.parametrize("rung", [loops, arrays, tensors], ids=["loops", "arrays", "tensors"])

# Article 002's 5 x 4 table as printed; its -0.9899 (position 3, column 1) is cut off, cos 3 = -0.98999...
PUBLISHED = """
    0        1        0           1
    0.8415   0.5403   0.00999983  0.99995
    0.9093  -0.4161   0.0199987   0.99980
    0.1411  -0.9900   0.0299955   0.99955
   -0.7568  -0.6536   0.0399893   0.99920
"""


@RUNGS
def test_published_table_to_its_printed_digits(rung):
    table = np.asarray(rung.sinusoidal(5, 4), dtype=float)
    for row, line in zip(table, PUBLISHED.strip().splitlines()):
        for number, printed in zip(row, line.split()):
            assert round(float(number), len(printed.partition(".")[2])) == float(printed)


def exact(position, column, d_model, base):
    """One entry with 50 digits, from the paper's formula."""
    with mpmath.workdps(50):
        angle = mpmath.mpf(position) / mpmath.mpf(base) ** (mpmath.mpf(2 * (column // 2)) / d_model)
        return float((mpmath.cos if column % 2 else mpmath.sin)(angle))


@RUNGS
@pytest.mark.parametrize("position", [0, 1, 99, 12_345, 1_000_000, 9_999_999])
@pytest.mark.parametrize(("d_model", "base"), [(8, 10_000), (9, 10_000), (64, 500_000)])
def test_exact_values_at_large_positions(rung, position, d_model, base):
    [row] = np.asarray(rung.sinusoidal(1, d_model, start=position, base=base), dtype=float)
    expected = [exact(position, column, d_model, base) for column in range(d_model)]
    # a float64 angle p w is off by about p * 2**-53; float32 tensors add their own rounding
    tolerance = 1e-15 + position * 2e-15 + (3.1e-8 if rung is tensors else 0)
    np.testing.assert_allclose(row, expected, rtol=0, atol=tolerance)


@RUNGS
def test_frequencies_are_the_paper_s_wavelengths(rung):
    wavelengths = 2 * np.pi / np.asarray(rung.frequencies(512))
    assert wavelengths[0] == pytest.approx(2 * np.pi)
    assert wavelengths[-1] == pytest.approx(60_611.5, abs=0.1)
    np.testing.assert_allclose(wavelengths[1:] / wavelengths[:-1], 10_000 ** (1 / 256))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (2, 4, 6, 8)])
def test_attention_is_pytorch_s(shape, causal):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, *shape, dtype=torch.float64)
    mask = torch.ones(shape[-2], shape[-2], dtype=torch.bool).tril() if causal else None
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    torch.testing.assert_close(tensors.attention(q, k, v, mask=mask), expected)
    numpy_mask = None if mask is None else mask.numpy()
    np.testing.assert_allclose(arrays.attention(q.numpy(), k.numpy(), v.numpy(), mask=numpy_mask), expected)


def test_batched_masks():
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 8, dtype=torch.float64)
    mask = torch.tensor([[[True, True, False, False]] * 4, [[True] * 4] * 4])
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    torch.testing.assert_close(tensors.attention(q, k, v, mask=mask), expected)
    np.testing.assert_allclose(arrays.attention(q.numpy(), k.numpy(), v.numpy(), mask=mask.numpy()), expected)


def test_softmax_of_two_scores_is_the_logistic_function():
    # 1 / (1 + e), e / (1 + e)
    np.testing.assert_allclose(loops.softmax([0.0, 1.0]), [0.2689414213699951, 0.7310585786300049])
