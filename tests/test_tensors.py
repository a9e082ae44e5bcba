"""What PyTorch adds: dtypes, buffers, axes, devices, compilation."""

import numpy as np
import pytest
import torch

from pe_lessons import arrays, tensors
from pe_lessons.tensors import SinusoidalEncoding


def test_the_table_has_the_default_dtype_and_is_cast_last():
    assert tensors.sinusoidal(3, 4).dtype == torch.float32
    far = tensors.sinusoidal(1, 64, start=1_000_000).numpy()
    np.testing.assert_array_equal(far, arrays.sinusoidal(1, 64, start=1_000_000).astype(np.float32))


def test_frequencies_are_float64_under_any_default():
    yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
    expected, _ = arrays.rotary_frequencies(64, scaling=yarn)
    np.testing.assert_allclose(tensors.rotary_frequencies(64, scaling=yarn)[0], expected, rtol=1e-12)


def test_positions_of_any_whole_numbers_have_the_same_distances():
    small = torch.tensor([0, 1, 2], dtype=torch.uint8)
    assert torch.equal(tensors.alibi(3, 8, positions=small), tensors.alibi(3, 8))


def test_no_table_depends_on_the_default_device():
    with torch.device("meta"):
        blocks = tensors.sinusoidal_blocks(3, 4)
        tables = tensors.sinusoidal(3, 4), tensors.sinusoidal_by_rotation(3, 4), *blocks
    assert {table.device.type for table in tables} == {"cpu"}


def test_adds_the_table_to_every_sequence_and_leaves_the_input_as_it_is():
    x = torch.randn(3, 5, 8, generator=torch.Generator().manual_seed(0))
    expected = x + tensors.sinusoidal(5, 8)
    assert torch.equal(SinusoidalEncoding(8, dropout=0.0)(x), expected)
    seq_first = SinusoidalEncoding(8, dropout=0.0, batch_first=False)(x.transpose(0, 1))
    assert torch.equal(seq_first, expected.transpose(0, 1))
    assert torch.equal(x + tensors.sinusoidal(5, 8), expected)


def test_the_buffer_moves_but_is_not_saved():
    assert SinusoidalEncoding(4).table.shape == (5000, 4)
    encoding = SinusoidalEncoding(8, max_len=10)
    assert encoding.state_dict() == {}
    assert list(encoding.parameters()) == []
    assert encoding.half().table.dtype == torch.float16
    encoding.load_state_dict(SinusoidalEncoding(8, max_len=99).state_dict())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_the_output_keeps_the_dtype_of_the_input(dtype):
    assert SinusoidalEncoding(8)(torch.zeros(1, 5, 8, dtype=dtype)).dtype == dtype


def test_dropout_acts_in_training_only():
    torch.manual_seed(0)
    encoding, x = SinusoidalEncoding(8, dropout=0.5), torch.ones(4, 20, 8)
    share_dropped = (encoding(x) == 0).double().mean()
    assert 0.4 < share_dropped < 0.6
    assert not (encoding.eval()(x) == 0).any()


@pytest.mark.skipif(not torch.accelerator.is_available(), reason="no CUDA or MPS device here")
def test_runs_on_the_accelerator():
    device = torch.accelerator.current_accelerator()
    encoding, x = SinusoidalEncoding(8, dropout=0.0), torch.ones(2, 6, 8)
    torch.testing.assert_close(encoding.to(device)(x.to(device)).cpu(), encoding.cpu()(x))
