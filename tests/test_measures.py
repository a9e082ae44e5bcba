"""What the measures say of tables whose answer is known."""

import numpy as np
import pytest

from pe_lessons import measures

POSITIONS = np.arange(20)[:, None]


def test_nearest_neighbours():
    np.testing.assert_array_equal(measures.nearest_neighbours(POSITIONS**2), [1, *range(19)])
    np.testing.assert_array_equal(measures.nearest_neighbours([[1], [5], [1], [5]]), [2, 3, 0, 1])
    np.testing.assert_array_equal(measures.nearest_neighbours([[0], [1], [2]]), [1, 0, 1])  # a tie


@pytest.mark.parametrize("table", [[1.0, 2.0], [[1.0, 2.0]], np.zeros((2, 2, 2))])
def test_not_a_table(table):
    with pytest.raises(ValueError, match=r"table must have the axes \(seq_len, d_model\)"):
        measures.smallest_gap(table)
    if np.ndim(table) != 2:
        with pytest.raises(ValueError, match=r"table must have the axes \(seq_len, d_model\)"):
            measures.shift_residual(table, 1)


def test_offset_out_of_range():
    with pytest.raises(ValueError, match="offset must leave at least two pairs of rows, got 19 for 20"):
        measures.shift_residual(POSITIONS, 19)
    with pytest.raises(ValueError, match="offset must be at least 1"):
        measures.shift_residual(POSITIONS, 0)
