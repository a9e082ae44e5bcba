"""What stands on two rungs only: tables made by rotation, and attention with one number per offset."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from versions import on_rung

from pe_lessons import arrays, tensors

rungs = pytest.mark.parametrize("rung", [arrays, tensors], ids=["arrays", "tensors"])

sizes = st.integers(1, 300)
widths = st.integers(1, 40)
starts = st.integers(-1_000_000, 1_000_000)
bases = st.floats(1.5, 1e6)


def dtype(rung, name="float64"):
    return np.dtype(name) if rung is arrays else getattr(torch, name)


@rungs
class TestTableByRotation:
    @given(seq_len=sizes, d_model=widths, start=starts, base=bases)
    def test_is_the_table(self, rung, seq_len, d_model, start, base):
        table = rung.sinusoidal_by_rotation(seq_len, d_model, base=base, start=start, dtype=dtype(rung))
        expected = arrays.sinusoidal(seq_len, d_model, base=base, start=start)
        np.testing.assert_allclose(table, expected, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("size", [(70_000, 1), (70_000, 2), (9000, 15), (129, 1024), (3, 70_001)])
    def test_with_more_than_one_block(self, rung, size):
        table = rung.sinusoidal_by_rotation(*size, dtype=dtype(rung))
        np.testing.assert_allclose(table, arrays.sinusoidal(*size), rtol=0, atol=1e-10)

    @pytest.mark.parametrize("name", ["float16", "float32", "float64"])
    @pytest.mark.parametrize("start", [0, 10_000, 9_999_000])
    def test_rounded_once_to_any_dtype(self, rung, start, name):
        table = rung.sinusoidal_by_rotation(1000, 33, start=start, dtype=dtype(rung, name))
        blocks = list(rung.sinusoidal_blocks(1000, 33, start=start, block_len=999, dtype=dtype(rung, name)))
        # half a unit in the last place below 1, with some room, and what float64 angles are off by
        allowed = 0.26 * float(np.finfo(name).eps) + 1e-13 + start * 4e-16
        for made in (table, np.concatenate(blocks)):
            np.testing.assert_allclose(made, arrays.sinusoidal(1000, 33, start=start), rtol=0, atol=allowed)
        assert table.dtype == blocks[0].dtype == dtype(rung, name)

    def test_the_default_dtype_is_that_of_the_plain_table(self, rung):
        assert rung.sinusoidal_by_rotation(3, 4).dtype == rung.sinusoidal(3, 4).dtype
        assert next(iter(rung.sinusoidal_blocks(3, 4))).dtype == rung.sinusoidal(3, 4).dtype


@rungs
class TestBlocks:
    @given(seq_len=sizes, d_model=widths, start=starts, base=bases, block_len=st.integers(1, 310))
    def test_one_after_the_other_they_are_the_table(self, rung, seq_len, d_model, start, base, block_len):
        options = {"start": start, "base": base}
        blocks = rung.sinusoidal_blocks(seq_len, d_model, block_len=block_len, dtype=dtype(rung), **options)
        blocks = list(blocks)
        lengths = [len(block) for block in blocks]
        assert sum(lengths) == seq_len
        assert set(lengths[:-1]) <= {block_len} and 1 <= lengths[-1] <= block_len
        expected = arrays.sinusoidal(seq_len, d_model, **options)
        np.testing.assert_allclose(np.concatenate(blocks), expected, rtol=0, atol=1e-9)

    def test_a_stream_begins_at_once_however_long_it_is(self, rung):
        first = next(rung.sinusoidal_blocks(10**12, 8, dtype=dtype(rung)))
        np.testing.assert_allclose(first[:100], arrays.sinusoidal(100, 8), atol=1e-12)


def test_bfloat16_is_computed_high_and_stored_low():
    table = tensors.sinusoidal_by_rotation(4096, 64, dtype=torch.bfloat16)
    assert torch.equal(table, tensors.sinusoidal_by_rotation(4096, 64, dtype=torch.float64).bfloat16())
    assert len(torch.unique(table.float(), dim=0)) == 4096


def random_tensors(n, head_dim, dtype=torch.float32):
    generator = torch.Generator().manual_seed(n)
    q, k, v = torch.randn(3, 2, 3, n, head_dim, generator=generator)
    bias = torch.randn(3, 2 * n - 1, generator=generator)
    return [tensor.to(dtype) for tensor in (q, k, v, bias)]


def offsets_of(n):
    return torch.arange(n) - torch.arange(n)[:, None]  # (n_q, n_k), key minus query


def dense(q, k, v, bias, causal=False):
    """The same call with the n x n biases written out."""
    n = q.shape[-2]
    mask = bias[None, :, offsets_of(n) + n - 1]
    if causal:
        mask = mask.masked_fill(offsets_of(n) > 0, -math.inf)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


class TestAttentionWithBias:
    @given(n=st.integers(1, 40), head_dim=st.integers(1, 9), causal=st.booleans())
    def test_any_size(self, n, head_dim, causal):
        arguments = random_tensors(n, head_dim, torch.float64)
        expected = dense(*arguments, causal=causal)
        actual = tensors.attention_with_bias(*arguments, causal=causal)
        torch.testing.assert_close(actual, expected, rtol=0, atol=1e-13)
        in_numpy = arrays.attention_with_bias(*(tensor.numpy() for tensor in arguments), causal=causal)
        np.testing.assert_allclose(in_numpy, expected, rtol=0, atol=1e-13)

    @pytest.mark.parametrize("causal", [False, True])
    def test_the_gradient_reaches_a_learned_table(self, causal):
        q, k, v, _ = random_tensors(33, 8, torch.float64)
        gradients = []
        for attend in (tensors.attention_with_bias, dense):
            table = torch.linspace(-1, 1, 32 * 3, dtype=torch.float64).view(32, 3).requires_grad_()
            bias = table[tensors.t5_buckets(torch.arange(-32, 33), bidirectional=not causal)].T
            attend(q, k, v, bias, causal=causal).square().sum().backward()
            gradients.append(table.grad)
        torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)
        assert gradients[0].any(dim=1).sum() > 10

    @pytest.mark.parametrize("leading", [(2, 3), (3,), (), (2, 2, 3)])
    @pytest.mark.parametrize("causal", [False, True])
    def test_nothing_of_n_by_n_is_made(self, leading, causal, monkeypatch):
        """The mask lies in the 2 n - 1 numbers of each head, and the scores are those of the fused kernel."""
        masks, attend = [], functional.scaled_dot_product_attention

        def watched(q, k, v, attn_mask):
            masks.append(attn_mask)
            return attend(q, k, v, attn_mask)

        monkeypatch.setattr(functional, "scaled_dot_product_attention", watched)
        q = torch.randn(*leading, 100, 8, generator=torch.Generator().manual_seed(0))
        by_offset = torch.randn(199, *leading[-1:], generator=torch.Generator().manual_seed(1))
        bias = by_offset.movedim(0, -1)  # as looked up in a table of T5: offsets first
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):  # an error where there is no way but another
            out = tensors.attention_with_bias(q, q, q, bias, causal=causal)
        assert out.shape == q.shape
        assert masks[0].shape[-2:] == (100, 100) and masks[0].stride()[-2:] == (1, 1)
        assert masks[0].untyped_storage().nbytes() == bias.numel() * 4
        in_numpy = arrays.attention_with_bias(*(x.numpy() for x in (q, q, q, bias)), causal=causal)
        np.testing.assert_allclose(out, in_numpy, rtol=0, atol=1e-5)

    @rungs
    @pytest.mark.parametrize("shape", [(3, 4), (3, 6), (2, 5), (1, 1, 1, 5), ()])
    def test_a_bias_that_does_not_fit(self, rung, shape):
        q = on_rung(rung, np.ones((2, 3, 3, 4)))
        with pytest.raises(ValueError, match=r"bias_of_offsets must hold 2 \* 3 - 1 = 5 numbers"):
            rung.attention_with_bias(q, q, q, on_rung(rung, np.ones(shape)))

    def test_a_bias_in_another_dtype_is_cast(self):
        q, k, v, bias = random_tensors(5, 4)
        assert tensors.attention_with_bias(q.half(), k.half(), v.half(), bias).dtype == torch.float16


# PyTorch views pairs as complex numbers only where memory permits; the others have to be copied.
LYING = {
    "plain": lambda x: x,
    "heads behind": lambda x: x.transpose(1, 2),
    "columns first": lambda x: x.transpose(2, 3)[:, :, :6],
    "odd offset": lambda x: x[..., 1:7],
    "gaps": lambda x: x[..., ::2][..., :4],
    "odd rows": lambda x: x.flatten()[1 : 1 + 4 * 5 * 7].view(4, 5, 7)[..., :6],
    "one row": lambda x: x.flatten()[3:5].as_strided((1, 2), (3, 1)),
    "one pair": lambda x: x[:1, :1, :, :2],
}
VIEWS = pytest.mark.parametrize("view", LYING.values(), ids=LYING)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
class TestRotary:
    @VIEWS
    def test_however_it_lies_in_memory(self, layout, view):
        x = view(torch.randn(2, 6, 6, 8, generator=torch.Generator().manual_seed(0)))
        before = x.clone()
        positions = 1000 + torch.arange(x.shape[-2])
        actual = tensors.rotary(x, positions, layout=layout)
        expected = arrays.rotary(x.tolist(), positions, layout=layout)
        assert actual.dtype == torch.float32 and actual.shape == x.shape
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-6)
        torch.testing.assert_close(x, before, rtol=0, atol=0)
        in_numpy = arrays.rotary(x.numpy(), positions.numpy(), layout=layout)
        np.testing.assert_allclose(in_numpy, expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
    def test_half_precision_is_rounded_once(self, layout, dtype):
        x = torch.randn(3, 50, 8, generator=torch.Generator().manual_seed(0)).to(dtype)
        positions = 100_000 + torch.arange(50)
        actual = tensors.rotary(x, positions, layout=layout)
        expected = torch.tensor(arrays.rotary(x.tolist(), positions, layout=layout))
        assert actual.dtype == dtype
        torch.testing.assert_close(actual.double(), expected, rtol=0.51 * torch.finfo(dtype).eps, atol=1e-6)

    @VIEWS
    def test_the_gradient_of_a_rotation_turns_back(self, layout, view):
        x = torch.randn(2, 6, 6, 8, generator=torch.Generator().manual_seed(0)).requires_grad_()
        rows = view(x)
        positions = torch.arange(rows.shape[-2])
        turned = tensors.rotary(rows, positions, layout=layout)
        (gradient,) = torch.autograd.grad(turned.square().sum() / 2, rows)
        torch.testing.assert_close(gradient, rows.detach(), rtol=0, atol=1e-5)  # no length changes
