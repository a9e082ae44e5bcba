"""The workshop of the last lesson: bad encodings are refused in words, and good ones are measured right."""

import numpy as np
import pytest

from pe_lessons import arrays, toys
from pe_lessons.lessons.design_your_own import workshop
from pe_lessons.lessons.design_your_own.answers import weight_back_loop


def half_loud(positions, d_model):
    """Halves that differ in the text's length, with rows that repeat after ten positions."""
    return arrays.sinusoidal(10, d_model)[positions.astype(int) % 10] * len(positions)


@pytest.mark.parametrize(
    ("encode", "says"),
    [
        (lambda positions, d_model: None, "got nothing: is `return` missing"),
        (lambda positions, d_model: np.zeros((64, 8)), r"got the shape \(64, 8\)"),
        (lambda positions, d_model: np.log(positions)[:, None] * np.ones(d_model), "position 0 has -inf"),
    ],
)
def test_a_table_that_cannot_be_trained_is_refused(encode, says):
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match=says):
        workshop.trained(encode)


def test_measures_see_rows_that_repeat_and_rows_that_change_with_the_length():
    found = workshop.measured(half_loud)
    assert found["smallest distance"] == 0 and found["length"] > 5 and found["next door"] < 0.5
    stripes = 50 * (-1) ** np.arange(32)
    drowned = workshop.measured(lambda positions, d_model: arrays.sinusoidal(len(positions), 32) + stripes)
    assert drowned["smallest distance"] > 1 and drowned["with words"] < 0.1
    assert workshop.measured(toys.Rotary()) == {}


def test_goals_can_be_met_and_training_changes_no_encoding():
    def table(positions, d_model):
        angles = positions[:, None] * np.linspace(0.4, 3, d_model // 2)
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)

    found = workshop.measured(table)
    assert found["next door"] == 0 and found["shift"] < 1e-9 and found["length"] == 0
    assert workshop.share_right(workshop.trained(table), 16) > 0.9
    learned = toys.T5()
    workshop.trained(learned, steps=2)
    assert not learned.per_bucket.any()


def test_the_weight_of_a_map_is_that_of_the_exercise_unless_words_are_left_out():
    attention = np.random.default_rng(0).random((7, 7))
    for back in range(7):
        assert workshop.weight_back(attention, back) == pytest.approx(weight_back_loop(attention, back))
    assert workshop.weight_back(attention, 2, first=6) == pytest.approx(attention[6, 4])


def test_a_comparison_shows_the_rows_that_are_asked_for(monkeypatch):
    shown = []
    monkeypatch.setattr(
        workshop.plots, "show_table", lambda cells, **names: shown.append((cells, names["rows"]))
    )
    models = {"half loud": workshop.trained(half_loud, steps=2)}
    workshop.compare({"half loud": half_loud}, models, rows=["smallest distance"])
    assert shown == [([["0.00"]], ["smallest distance"])]
    with pytest.raises(ValueError, match=r"rows may name next door, .*right at 64, got 'right at 32'"):
        workshop.compare({"half loud": half_loud}, models, rows=["right at 32"])
