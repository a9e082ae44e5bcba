"""What the measures say of encodings whose answer is known."""

import numpy as np
import pytest

from pe_lessons import arrays, measures

POSITIONS = np.arange(20)[:, None]
BINARY = POSITIONS // 2 ** np.arange(5) % 2


def test_smallest_gap_is_zero_where_two_positions_share_a_row():
    assert measures.smallest_gap(POSITIONS % 10) == 0
    assert measures.smallest_gap(BINARY) == 1


def test_largest_value():
    assert measures.largest_value(-POSITIONS) == 19
    assert measures.largest_value(arrays.sinusoidal(100, 8)) == 1


def test_length_drift():
    assert measures.length_drift(lambda n: np.arange(n)[:, None] / n, 5, 50) == pytest.approx(0.72)
    assert measures.length_drift(lambda n: arrays.sinusoidal(n, 8), 5, 50) == 0


def test_jump_ratio():
    assert measures.jump_ratio(POSITIONS) == 1
    assert measures.jump_ratio(BINARY[:16]) == 2  # 7 to 8 flips four digits, 0 to 1 flips one
    assert measures.jump_ratio(arrays.sinusoidal(100, 8)) == pytest.approx(1)
    assert measures.jump_ratio(POSITIONS // 2) == measures.jump_ratio(np.ones((2, 3))) == np.inf


@pytest.mark.parametrize("offset", [1, 3, 7])
def test_shift_residual(offset):
    assert measures.shift_residual(arrays.sinusoidal(100, 8), offset) < 1e-9
    assert measures.shift_residual(POSITIONS, offset) < 1e-9
    assert measures.shift_residual(BINARY, offset) > 0.1
    assert measures.shift_residual(np.sin(POSITIONS), offset) > 0.1  # a sine without its cosine


def test_distances():
    gaps = measures.distances(POSITIONS)
    np.testing.assert_array_equal(gaps, np.abs(POSITIONS - POSITIONS.T))
    table = arrays.sinusoidal(128, 8)
    assert measures.distances(table)[5, 68] == pytest.approx(0.64529, abs=1e-5)
    assert measures.distances(table)[5, 6] == pytest.approx(0.96410, abs=1e-5)


def test_nearest_neighbours():
    np.testing.assert_array_equal(measures.nearest_neighbours(POSITIONS**2), [1, *range(19)])
    np.testing.assert_array_equal(measures.nearest_neighbours([[1], [5], [1], [5]]), [2, 3, 0, 1])
    np.testing.assert_array_equal(measures.nearest_neighbours([[0], [1], [2]]), [1, 0, 1])  # a tie


@pytest.mark.parametrize(
    ("d_model", "strangers"), [(4, 128), (8, 128), (10, 128), (12, 0), (16, 0), (512, 0)]
)
def test_nearest_rows_are_next_door_from_12_columns_on(d_model, strangers):
    nearest = measures.nearest_neighbours(arrays.sinusoidal(128, d_model))
    assert np.sum(np.abs(nearest - np.arange(128)) > 1) == strangers


def test_toeplitz_residual():
    table = arrays.sinusoidal(50, 8)
    assert measures.toeplitz_residual(table @ table.T) < 1e-12
    assert measures.toeplitz_residual(POSITIONS @ POSITIONS.T) == 19 * 19
    assert measures.toeplitz_residual([[1.0, 2.0, 3.0]]) == 0
    for matrix in ([1.0, 2.0], np.zeros((2, 0)), np.zeros((1, 1, 1))):
        with pytest.raises(ValueError, match="matrix must have two axes and an entry, got shape"):
            measures.toeplitz_residual(matrix)


class TestLinearReadout:
    words = np.random.default_rng(0).normal(size=(10, 32))
    table = arrays.sinusoidal(12, 32)
    inputs = (words[:, None] + table).reshape(-1, 32)
    positions, numbers = np.tile(np.arange(12), 10), np.repeat(np.arange(10), 12)

    def test_words_and_positions_are_both_read_while_there_is_room(self):
        assert measures.linear_readout(self.inputs, self.positions, self.table) == 1
        assert measures.linear_readout(self.inputs, self.numbers, self.words) == 1

    def test_not_where_the_words_fill_the_space(self):
        words = np.random.default_rng(0).normal(size=(100, 8))
        inputs = (words[:, None] + self.table[:, :8]).reshape(-1, 8)
        assert measures.linear_readout(inputs, np.tile(np.arange(12), 100), self.table[:, :8]) < 0.5

    def test_chance_where_nothing_is_to_be_read(self):
        """Rows p and 11 - p are equally near to what is read, so the last bit decides between the two."""
        inputs = np.ones((12, 3))
        assert measures.linear_readout(inputs, np.arange(12), self.table) <= 2 / 12

    @pytest.mark.parametrize("labels", [[0, 1], np.zeros(120), np.zeros((120, 1), dtype=int)])
    def test_labels_that_do_not_fit(self, labels):
        with pytest.raises(ValueError, match="labels must be one whole number for each of the 120 inputs"):
            measures.linear_readout(self.inputs, labels, self.table)

    @pytest.mark.parametrize("wrong", [-1, 12])
    def test_labels_without_a_row(self, wrong):
        labels = np.where(self.positions == 3, wrong, self.positions)
        with pytest.raises(ValueError, match="labels must lie between 0 and 11, got"):
            measures.linear_readout(self.inputs, labels, self.table)


@pytest.mark.parametrize("table", [[1.0, 2.0], [[1.0, 2.0]], np.zeros((2, 2, 2))])
def test_not_a_table(table):
    for measure in (measures.smallest_gap, measures.largest_value, measures.jump_ratio):
        with pytest.raises(ValueError, match=r"table must have the axes \(seq_len, d_model\)"):
            measure(table)


def test_offset_out_of_range():
    with pytest.raises(ValueError, match="offset must leave at least two pairs of rows, got 19 for 20"):
        measures.shift_residual(POSITIONS, 19)
    with pytest.raises(ValueError, match="offset must be at least 1"):
        measures.shift_residual(POSITIONS, 0)


class TestScorecard:
    """Encodings that fail in one known way each."""

    @staticmethod
    def waves(positions, frequencies):
        angles = positions[:, None] * frequencies
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)

    def sinusoidal(self, positions, d_model):
        return self.waves(positions, arrays.frequencies(d_model))

    def failed(self, encode):
        scores = measures.scorecard(encode)
        assert list(scores) == list(measures.passes(scores))
        return {name for name, good in measures.passes(scores).items() if not good}

    def test_every_wish_has_one_threshold(self):
        scores = measures.scorecard(self.sinusoidal)
        assert sorted(scores) == sorted([*measures.AT_LEAST, *measures.AT_MOST])

    def test_sinusoidal_fulfils_all(self):
        assert self.failed(self.sinusoidal) == set()
        scores = measures.scorecard(self.sinusoidal)
        assert scores["unique"] == pytest.approx(1.1716, abs=1e-4)
        assert scores["smooth"] == pytest.approx(1)
        assert (scores["bounded"], scores["local"], scores["precise"]) == (1, 1, 4096)

    def test_the_same_rows_in_other_places(self):
        def moved(positions, d_model):
            return self.sinusoidal(positions + 0.5, d_model)[:, ::-1]

        assert self.failed(moved) == set()

    def test_not_unique(self):
        assert "unique" in self.failed(lambda positions, d_model: self.sinusoidal(positions % 100, d_model))
        assert self.failed(lambda positions, d_model: self.sinusoidal(positions, d_model) / 100) == {
            "unique",
            "distinct far out",
        }

    def test_not_bounded(self):
        assert self.failed(lambda positions, d_model: 6 * self.sinusoidal(positions, d_model)) == {
            "bounded",
            "distinct far out",
        }

    def test_not_length_free(self):
        def stretched(positions, d_model):
            return self.waves(positions + len(positions), arrays.frequencies(d_model))

        assert self.failed(stretched) == {"length-free"}

    def test_not_smooth(self):
        def jumping(positions, d_model):
            return np.column_stack([self.sinusoidal(positions, d_model), 2.0 * (positions == 100)])

        assert self.failed(jumping) == {"smooth", "shift-consistent"}

    def test_a_step_of_length_0(self):
        scores = measures.scorecard(lambda positions, d_model: self.sinusoidal(positions // 2, d_model))
        assert (scores["unique"], scores["smooth"]) == (0, np.inf)

    def test_not_local(self):
        def narrow(positions, d_model):
            return self.sinusoidal(positions, 8)  # too few pairs: 63 tokens are ten turns

        assert self.failed(narrow) == {"local"}

    @pytest.mark.parametrize("dtype", [np.float32, np.float16])
    def test_rounded_angles_are_not_shift_consistent_far_out(self, dtype):
        def rounded(positions, d_model):
            with np.errstate(invalid="ignore", over="ignore"):
                angles = (positions[:, None] * arrays.frequencies(d_model)).astype(dtype).astype(float)
                return np.nan_to_num(np.concatenate([np.sin(angles), np.cos(angles)], axis=1))

        assert "shift-consistent" in self.failed(rounded)
        assert measures.scorecard(rounded)["unique"] > 1

    def test_not_precise(self):
        def in_one_column(positions, d_model):
            return positions[:, None] / 1000

        scores = measures.scorecard(in_one_column)
        assert scores["precise"] == len(
            {float(np.float32(p)) for p in measures._eight_digits(np.arange(4096) / 1000)}
        )
        assert scores["precise"] < 4096

    @pytest.mark.parametrize("error", [IndexError, ValueError])
    def test_a_table_that_ends(self, error):
        def ending(positions, d_model):
            if positions.max() > 5000:
                raise error("no such row")
            return self.sinusoidal(positions, d_model)

        assert self.failed(ending) == {"distinct far out"}

    @pytest.mark.parametrize(
        ("function", "message"),
        [
            (np.log, "encode must return finite numbers, but the row of position 0 holds -inf"),
            (np.exp, "encode must return finite numbers, but the row of position 710 holds inf"),
        ],
    )
    def test_rows_that_are_not_finite_are_named(self, function, message):
        with np.errstate(divide="ignore", over="ignore"), pytest.raises(ValueError, match=message):
            measures.scorecard(lambda positions, d_model: function(positions)[:, None] * np.ones(d_model))

    def test_rows_that_are_not_finite_far_out_are_no_rows(self):
        def ending(positions, d_model):
            return np.where(positions[:, None] > 5000, np.nan, self.sinusoidal(positions, d_model))

        assert self.failed(ending) == {"distinct far out"}

    def test_other_errors_are_not_hidden(self):
        with pytest.raises(ZeroDivisionError):
            measures.scorecard(lambda positions, d_model: 1 // 0)
        with pytest.raises(ValueError, match="d_model must be at least 1"):
            measures.scorecard(self.sinusoidal, d_model=0)

    def test_eight_digits_are_those_of_bfloat16(self):
        torch = pytest.importorskip("torch")
        numbers = torch.randn(10_000, generator=torch.Generator().manual_seed(0)) * 300
        kept = measures._eight_digits(numbers.double().numpy())
        np.testing.assert_array_equal(kept, numbers.bfloat16().double().numpy())
