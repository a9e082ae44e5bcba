"""What the measures say of encodings whose answer is known."""

import numpy as np
import pytest

from pe_lessons import arrays, properties

POSITIONS = np.arange(20)[:, None]
BINARY = POSITIONS // 2 ** np.arange(5) % 2


def test_smallest_gap_is_zero_where_two_positions_share_a_row():
    assert properties.smallest_gap(POSITIONS % 10) == 0
    assert properties.smallest_gap(BINARY) == 1


def test_largest_value():
    assert properties.largest_value(-POSITIONS) == 19
    assert properties.largest_value(arrays.sinusoidal(100, 8)) == 1


def test_length_drift():
    assert properties.length_drift(lambda n: np.arange(n)[:, None] / n, 5, 50) == pytest.approx(0.72)
    assert properties.length_drift(lambda n: arrays.sinusoidal(n, 8), 5, 50) == 0


def test_jump_ratio():
    assert properties.jump_ratio(POSITIONS) == 1
    assert properties.jump_ratio(BINARY[:16]) == 2  # 7 to 8 flips four digits, 0 to 1 flips one
    assert properties.jump_ratio(arrays.sinusoidal(100, 8)) == pytest.approx(1)


@pytest.mark.parametrize("offset", [1, 3, 7])
def test_shift_residual(offset):
    assert properties.shift_residual(arrays.sinusoidal(100, 8), offset) < 1e-9
    assert properties.shift_residual(POSITIONS, offset) < 1e-9
    assert properties.shift_residual(BINARY, offset) > 0.1
    assert properties.shift_residual(np.sin(POSITIONS), offset) > 0.1  # a sine without its cosine


@pytest.mark.parametrize("table", [[1.0, 2.0], [[1.0, 2.0]], np.zeros((2, 2, 2))])
def test_not_a_table(table):
    for measure in (properties.smallest_gap, properties.largest_value, properties.jump_ratio):
        with pytest.raises(ValueError, match=r"table must have the axes \(seq_len, d_model\)"):
            measure(table)


def test_offset_out_of_range():
    with pytest.raises(ValueError, match="offset must leave at least two pairs of rows, got 19 for 20"):
        properties.shift_residual(POSITIONS, 19)
    with pytest.raises(ValueError, match="offset must be at least 1"):
        properties.shift_residual(POSITIONS, 0)
