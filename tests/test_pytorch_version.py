"""What PyTorch adds: dtypes, buffers, axes, devices, compilation."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pe_lessons import arrays, tensors
from pe_lessons.tensors import SinusoidalEncoding


def test_the_table_has_the_default_dtype_and_is_cast_last():
    assert tensors.sinusoidal(3, 4).dtype == torch.float32
    far = tensors.sinusoidal(1, 64, start=1_000_000).numpy()
    np.testing.assert_array_equal(far, arrays.sinusoidal(1, 64, start=1_000_000).astype(np.float32))


def test_no_table_depends_on_the_default_device():
    with torch.device("meta"):
        tables = tensors.sinusoidal(3, 4), tensors.sinusoidal_by_rotation(3, 4)
    assert {table.device.type for table in tables} == {"cpu"}


def test_adds_the_table_to_every_sequence_and_leaves_the_input_as_it_is():
    x = torch.randn(3, 5, 8, generator=torch.Generator().manual_seed(0))
    expected = x + tensors.sinusoidal(5, 8)
    assert torch.equal(SinusoidalEncoding(8, dropout=0.0)(x), expected)
    seq_first = SinusoidalEncoding(8, dropout=0.0, batch_first=False)(x.transpose(0, 1))
    assert torch.equal(seq_first, expected.transpose(0, 1))
    assert torch.equal(x + tensors.sinusoidal(5, 8), expected)
    assert SinusoidalEncoding(8)(x.bfloat16()).dtype == torch.bfloat16


def test_the_buffer_moves_but_is_not_saved():
    assert SinusoidalEncoding(4).table.shape == (5000, 4)
    encoding = SinusoidalEncoding(8, max_len=10)
    assert encoding.state_dict() == {}
    assert list(encoding.parameters()) == []
    assert encoding.half().table.dtype == torch.float16
    encoding.load_state_dict(SinusoidalEncoding(8, max_len=99).state_dict())


@pytest.mark.skipif(not torch.accelerator.is_available(), reason="no CUDA or MPS device here")
def test_runs_on_the_accelerator():
    device = torch.accelerator.current_accelerator()
    encoding, x = SinusoidalEncoding(8, dropout=0.0), torch.ones(2, 6, 8)
    torch.testing.assert_close(encoding.to(device)(x.to(device)).cpu(), encoding.cpu()(x))


class TestTableByRotation:
    @given(st.integers(1, 300), st.integers(1, 40), st.integers(-1_000_000, 1_000_000), st.floats(1.5, 1e6))
    def test_is_the_table(self, seq_len, d_model, start, base):
        options = {"base": base, "start": start}
        table = tensors.sinusoidal_by_rotation(seq_len, d_model, dtype=torch.float64, **options)
        expected = arrays.sinusoidal(seq_len, d_model, **options)
        np.testing.assert_allclose(table, expected, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("size", [(70_000, 1), (70_000, 2), (9000, 15), (129, 1024), (3, 70_001)])
    def test_with_more_than_one_block(self, size):
        table = tensors.sinusoidal_by_rotation(*size, dtype=torch.float64)
        np.testing.assert_allclose(table, arrays.sinusoidal(*size), rtol=0, atol=1e-10)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
    @pytest.mark.parametrize("start", [0, 10_000, 9_999_000])
    def test_rounded_once_to_any_dtype(self, start, dtype):
        table = tensors.sinusoidal_by_rotation(1000, 33, start=start, dtype=dtype)
        # half a unit in the last place below 1, with some room, and what float64 angles are off by
        allowed = 0.26 * torch.finfo(dtype).eps + 1e-13 + start * 4e-16
        expected = arrays.sinusoidal(1000, 33, start=start)
        np.testing.assert_allclose(table.double(), expected, rtol=0, atol=allowed)
        assert table.dtype == dtype
        assert tensors.sinusoidal_by_rotation(3, 4).dtype == tensors.sinusoidal(3, 4).dtype


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

    def test_each_text_of_a_batch_has_positions_of_its_own(self, layout):
        x = torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(0))
        positions = torch.tensor([[0, 0, 0, 1, 2], [7, 8, 9, 1000, 1001]])
        alone = [tensors.rotary(rows, own, layout=layout) for rows, own in zip(x, positions)]
        assert torch.equal(tensors.rotary(x, positions, layout=layout), torch.stack(alone))
        with pytest.raises(ValueError, match=r"must have the axes \(batch, seq_len\) with batch = 2"):
            tensors.rotary(x, positions[:1], layout=layout)


def test_rotary_is_one_graph_for_compilers_and_for_export():
    class Turn(torch.nn.Module):
        def forward(self, x, positions):
            rule = {"rope_type": "linear", "factor": 2}
            return [tensors.rotary(x, positions, layout=one, scaling=rule) for one in ("interleaved", "half")]

    x, positions = torch.randn(2, 3, 5, 8), torch.arange(10).view(2, 5)
    compiled = torch.compile(Turn(), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x, positions), Turn()(x, positions))
    exported = torch.export.export(Turn(), (x, positions)).module()
    torch.testing.assert_close(exported(x, 3 + positions), Turn()(x, 3 + positions))
