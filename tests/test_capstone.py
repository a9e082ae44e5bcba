"""Lesson 25: what was trained, the tasks, the goals and the board."""

import functools
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

from evidence import train_encodings
from pe_lessons import arrays
from pe_lessons.lessons.design_your_own import capstone, puzzles, scorecard
from pe_lessons.lessons.progress import notebook

ROOT = Path(__file__).parents[1]
NOTEBOOK = notebook(ROOT / "notebooks", "design_your_own")
LESSON = NOTEBOOK.stem[3:]
TRAINED = capstone.trained_encodings()


def sinusoidal(positions, d_model):
    angles = positions[:, None] * arrays.frequencies(d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)


def test_fifty_were_trained_and_every_second_one_held_back():
    assert list(TRAINED) == train_encodings.NAMES
    assert [one["held back"] for one in TRAINED.values()] == [False, True] * 25
    assert [one["kind"] for one in TRAINED.values()] == [train_encodings.kind_of(name) for name in TRAINED]


@pytest.mark.parametrize(
    "name", ["random_rows", "stripes_of_four", "rope_on_one_pair", "window_of_4", "shaw"]
)
def test_the_stored_card_is_that_of_the_encoding(name):
    card = scorecard.scorecard(train_encodings.encoding_of(name))
    for wish in ("one back", "five back", "four times"):
        assert card[wish] == pytest.approx(TRAINED[name][wish], abs=1e-3)


@pytest.mark.parametrize(("task", "at_least"), [("local", 0.6), ("five back", 0.9), ("both", 0.85)])
def test_the_card_predicts_the_order_of_training_of_those_held_back(task, at_least):
    wishes = {"local": ["one back"], "five back": ["five back"], "both": ["one back", "five back"]}[task]
    rights = {"local": ["local training"], "five back": ["five back training"]}.get(
        task, ["local training", "five back training"]
    )
    held_back = [one for one in TRAINED.values() if one["held back"]]
    card, right = ([sum(one[key] for key in keys) for one in held_back] for keys in (wishes, rights))
    assert scorecard.rank_correlation(card, right) >= at_least


def test_a_table_of_another_width_is_refused_before_it_is_trained():
    with pytest.raises(ValueError, match=r"here \(64, 32\), got the shape \(64, 8\)"):
        capstone.trained(lambda positions, d_model: arrays.sinusoidal(len(positions), 8), "five back")


@pytest.mark.parametrize(
    ("design", "says"),
    [
        (7, "a design is a function or a module, got 7"),
        (
            lambda positions, d_model: sinusoidal(positions[:3], d_model),
            r"a row for each of 64 positions, .* got the shape \(3, 32\)",
        ),
        (lambda q, k, m, n: None, "returns nothing: is `return` missing?"),
        (lambda q, k, m, n: q * k / 6 - abs(m - n), r"one number for each pair .* last axis, `\.sum\(-1\)`"),
        (lambda q, k, m, n: -abs(m - n), "must return a float64 tensor, as q and k are"),
    ],
)
def test_a_design_that_is_none_is_told_why_before_anything_is_measured(design, says, monkeypatch, capsys):
    monkeypatch.setattr(scorecard, "scorecard", lambda *_, **__: pytest.fail("it was measured"))
    for use in (capstone.show_cards, capstone.Board().add):
        with pytest.raises((TypeError, ValueError), match=says):
            use(design)


CARDS = functools.cache(scorecard.scorecard)  # a second each, and many tests ask for the same


@pytest.fixture(autouse=True)
def each_card_once(monkeypatch):
    monkeypatch.setattr(scorecard, "scorecard", CARDS)


@pytest.fixture
def quick(monkeypatch):
    """Training costs nothing and gets everything right."""
    monkeypatch.setattr(capstone, "trained", lambda encoding, task: (0.5, 1.0, 0.9))


def goals_met(board, encoding):
    return [good for good in board.add(encoding).values()]


def equal_steps(positions, d_model):
    angles = positions[:, None] * np.linspace(1, 1 / d_model, d_model // 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)


def test_the_goals_of_the_board(quick):
    board = capstone.Board()
    assert goals_met(board, equal_steps) == [True, True, False]
    assert goals_met(board, sinusoidal) == [False, True, False]
    assert goals_met(board, capstone.rope) == [False, True, False]


def remainders_of_4(positions, d_model):
    return 3 * np.eye(d_model)[positions.astype(int) % 4]


def test_a_table_fools_the_card_and_a_score_does_not(monkeypatch):
    monkeypatch.setattr(capstone, "trained", lambda encoding, task: (0.3, 0.4, 0.2))
    board = capstone.Board()
    assert goals_met(board, remainders_of_4)[2]
    assert not goals_met(board, capstone.rope)[2]


class TestPuzzles:
    def test_each_goal_is_solved_by_its_own_line_and_by_no_other(self):
        lines = list(puzzles.GOALS.values())
        for number, line in enumerate(lines, 1):
            assert puzzles.draw(number, line)[1].endswith(": solved.")
            other = lines[number % len(lines)]
            assert "cells differ" in puzzles.draw(number, other)[1]
            plt.close("all")

    @pytest.mark.parametrize("line", [lambda p, k: k <= p and p - k < 4, lambda p, k: 0 <= p - k < 4])
    def test_and_is_not_for_many_numbers(self, line):
        with pytest.raises(ValueError, match=r"write \(0 < p\) & \(p < 4\)"):
            puzzles.draw(5, line)

    def test_the_first_cell_that_differs_is_named(self):
        _, verdict = puzzles.draw(5, lambda p, k: k <= p)
        assert verdict == (
            "Puzzle 5 a window of four: 78 of 256 cells differ, the first at p = 4, k = 0: 1 instead of 0."
        )


def test_training_does_not_change_your_module():
    shaw = train_encodings.Shaw(16)
    for one in capstone.as_encoding(shaw).parameters():
        one.data += 1
    assert not shaw.rows.any()
