"""Lesson 24: what was trained, the tasks, the goals and the board."""

import functools
import re
from pathlib import Path

import numpy as np
import pytest
import torch
import write_sources

from evidence import train_encodings
from pe_lessons import arrays, measures, toys
from pe_lessons.lessons.design_your_own import capstone, puzzles
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
    card = measures.scorecard(train_encodings.encoding_of(name))
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
    assert measures.rank_correlation(card, right) >= at_least


def test_what_the_lesson_says_of_chance_in_the_rank_correlations():
    rng = np.random.default_rng(seed=0)
    halves = [[one for one in TRAINED.values() if one["held back"] == back] for back in (True, False)]
    said = {  # lowest, highest
        ("five back", "five back"): (0.85, 0.98),
        ("one back", "five back"): (0.59, 0.92),
        ("one back", "local"): (0.22, 0.88),
    }
    for (wish, right), interval in said.items():
        held_back, fitted = (
            np.array([(one[wish], one[f"{right} training"]) for one in half]).T for half in halves
        )
        drawn = [measures.rank_correlation(*held_back[:, rng.integers(25, size=25)]) for _ in range(2000)]
        assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx(interval, abs=0.02)
    assert round(measures.rank_correlation(*fitted), 2) == 0.9  # one back, local


def test_halves_drawn_at_random_differ_as_much_as_those_of_the_lesson():
    rng = np.random.default_rng(seed=0)
    for wish, right, gap in (("one back", "local", 0.28), ("five back", "five back", 0.03)):
        card, shares = np.array([(one[wish], one[f"{right} training"]) for one in TRAINED.values()]).T
        larger = 0
        for _ in range(500):
            halves = rng.permutation(50).reshape(2, 25)
            one, other = (measures.rank_correlation(card[half], shares[half]) for half in halves)
            larger += abs(one - other) >= gap
        assert larger >= 0.05 * 500


def test_what_the_lesson_says_of_the_table_and_of_larger_factors():
    near, _, words = measures.mixed_attention(sinusoidal, 5)
    in_rings = np.diagonal(near, -5).mean()
    assert [round(float(one), 2) for one in (in_rings, words, in_rings * words)] == [0.28, 0.77, 0.22]
    found = []
    for name in ("doubled_exponent", "ten_times_as_slow"):
        encoding = train_encodings.encoding_of(name)
        found += [measures.pointing(encoding, [5], softness=by)[5][0] for by in (0.3, 0.03)]
    assert found == pytest.approx([0.13, 0.48, 0.08, 0.09], abs=0.006)


def test_a_score_and_the_module_that_does_the_same_train_alike():
    shares = []
    for encoding in (toys.Scored(capstone.rope), toys.Rotary()):
        torch.manual_seed(0)
        model = toys.TinyTransformer(8, 8, encoding=encoding, causal=True)
        tokens, asked, _ = capstone.texts("five back", 8, 16, seed=1)
        toys.train(model, [(tokens, asked)] * 3, steps=3, print_every=None)
        shares.append(model(tokens).detach())
    torch.testing.assert_close(*shares)


def test_training_does_not_change_your_module():
    shaw = train_encodings.Shaw(16)
    for one in capstone.as_encoding(shaw).parameters():
        one.data += 1
    assert not shaw.rows.any()


def test_a_table_of_another_width_is_refused_before_it_is_trained():
    with pytest.raises(ValueError, match=r"64 rows of 32 columns .* got the shape \(64, 8\)"):
        capstone.trained(lambda positions, d_model: arrays.sinusoidal(len(positions), 8), "five back")


def forgets(positions, d_model):
    sinusoidal(positions, d_model)


@pytest.mark.parametrize(
    ("design", "says"),
    [
        (7, "a design is a function or a module, got 7"),
        (forgets, "forgets returns nothing: is `return` missing?"),
        (lambda positions, d_model: sinusoidal(positions[:3], d_model), r"\(3, 32\): is there one row"),
        (lambda q, k: (q * k).sum(-1), "a score takes q, k, m and n"),
        (lambda q, k, m, n: None, "returns nothing: is `return` missing?"),
        (lambda q, k, m, n: q * k / 6 - abs(m - n), r"one number per pair, .* is `\.sum\(-1\)` missing"),
        (lambda q, k, m, n: q @ k, r"one number per pair, .* is `\.sum\(-1\)` missing"),
        (lambda q, k, m, n: (q * k).sum(), r"got the shape \(\): does the sum go over all axes"),
        (lambda q, k, m, n: (q * k).sum(0), r"got the shape \(1, 32, 32, 32\): which axis is summed"),
        (lambda q, k, m, n: -abs(m - n), r"must return float64, .* got int64: is `\.to\(q\.dtype\)` missing"),
        (lambda q, k, m, n: (q * k).sum(-1).float(), "must return float64, .* got float32"),
        (lambda q, k, m, n: (q * k).sum(-1).numpy(), "must return a tensor, got ndarray"),
        (lambda q, k, m, n: (q * k).sum(-1) + 0 * torch.log(1.0 * (m - n)), "returns NaN: a logarithm of 0"),
    ],
)
def test_a_design_that_is_none_is_told_why_before_anything_is_measured(design, says, monkeypatch, capsys):
    monkeypatch.setattr(measures, "scorecard", lambda *_, **__: pytest.fail("it was measured"))
    for use in (capstone.show_cards, capstone.Board().add):
        with pytest.raises((TypeError, ValueError), match=says):
            use(design)


def test_eight_columns_are_asked_for_where_the_goal_asks(quick):
    board = capstone.Board()
    board.add(lambda positions, d_model: sinusoidal(positions, 32), "always 32")
    assert not board.tries["always 32"]["card of 8"]


def test_a_task_that_is_none():
    with pytest.raises(ValueError, match="task must be 'local' or 'five back', got 'far'"):
        capstone.texts("far", 1, 16, seed=0)


CARDS = functools.cache(measures.scorecard)  # a second each, and many tests ask for the same


@pytest.fixture(autouse=True)
def each_card_once(monkeypatch):
    monkeypatch.setattr(measures, "scorecard", CARDS)


@pytest.fixture
def quick(monkeypatch):
    """Training costs nothing and gets everything right."""
    monkeypatch.setattr(capstone, "trained", lambda encoding, task, seed=0: (0.5, 1.0, 0.9))


def goals_met(board, encoding):
    return [good for good in board.add(encoding).values()]


def equal_steps(positions, d_model):
    angles = positions[:, None] * np.linspace(1, 1 / d_model, d_model // 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)


def four_frequencies(positions, d_model):
    angles = positions[:, None] * np.array([0.734, 0.148, 0.057, 0.026])
    rows = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)
    return np.pad(rows, [(0, 0), (0, d_model - 8)])


def test_the_goals_of_the_board(quick):
    board = capstone.Board()
    assert goals_met(board, equal_steps) == [True, False, True, False, False]
    assert goals_met(board, four_frequencies)[1]
    assert goals_met(board, capstone.alibi) == [False, False, True, False, False]
    assert goals_met(board, one_and_five_back) == [False, False, True, True, False]
    assert goals_met(board, five_back) == [False, False, True, False, False]  # it has no *one back*
    assert goals_met(board, capstone.rope) == [False, False, True, False, False]
    assert not goals_met(board, train_encodings.Shaw(16))[3]  # learned, and nothing but a bias before that


def at_frequencies(frequencies, loudness=1.0):
    def table(positions, d_model):
        angles = positions[:, None] * frequencies
        return loudness * np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)

    return table


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        (sinusoidal, "Not yet: neighbours holds (). Slow pairs keep rows next door alike, and 14 of 16"),
        (
            at_frequencies(np.geomspace(1, 0.1, 17)[:-1]),
            "Not yet: neighbours holds (). Slow pairs keep rows next door alike, and 9 of 16",
        ),
        (
            at_frequencies(np.geomspace(0.5, 1, 16)),
            "Not yet: neighbours holds (). Few pairs turn less than once",
        ),
        (at_frequencies(np.arange(1, 17) * np.pi / 8), "Not yet: unique fails (). Two rows"),
        (at_frequencies(np.linspace(1, 2, 16)), "Not yet: unique fails (). Two rows"),
        (at_frequencies(np.arange(1.0, 17)), "Not yet: precise fails (). Two of 4096"),
        (at_frequencies(np.linspace(0.1, 3, 16), loudness=0.3), "Not yet: one back fails (). Places"),
        (lambda positions, d_model: sinusoidal(positions**2, d_model), "Not yet: shift-consistent fails ()."),
        (capstone.rope, "Not yet: this is a score."),
        (
            at_frequencies(np.linspace(0.1, 3, 32)),
            "Not yet: table must return 64 rows of 32 columns where it is asked for them, got the shape "
            "(64, 64): each frequency makes two columns",
        ),
        (at_frequencies(np.linspace(0.1, 3, 4)), "Not yet: table must return 64 rows of 32 columns"),
        (at_frequencies(np.linspace(0.1, 3, 16)), "Goal 1 is met"),
    ],
)
def test_the_first_goal_says_what_is_missed(encoding, said, capsys):
    capstone.first_goal(encoding)
    printed = capsys.readouterr().out
    if wish := re.match(r"Not yet: (\S+|one back) (?:holds|fails) \((.*?)\)", printed):
        assert round(float(wish[2]) - measures.scorecard(encoding)[wish[1]], 2) == 0
        printed = printed.replace(f"({wish[2]})", "()", 1)
    assert printed.startswith(said)
    if "asked for" not in said:  # the board refuses another shape
        goal = next(iter(capstone.GOALS.values()))
        assert goal({"card": measures.scorecard(encoding)}) == (said == "Goal 1 is met")


def five_back(q, k, m, n):
    return (q * k).sum(-1) / q.shape[-1] ** 0.5 + 10.0 * (m - n == 5)


def one_and_five_back(q, k, m, n):
    return (q * k).sum(-1) / q.shape[-1] ** 0.5 + 9.3 * (m - n == 1) + 10.0 * (m - n == 5)


def test_a_trained_head_looks_five_back_with_rope_and_not_with_alibi():
    found = [capstone.trained_attention(score) for score in (capstone.rope, capstone.alibi)]
    assert all(np.allclose(weights.sum(axis=1), 1) for weights in found)
    rope, alibi = (np.diagonal(weights, -5) for weights in found)
    assert rope.min() > 0.9 and alibi.max() < 0.2


def test_two_goals_at_64_words_ask_for_more_than_one_distance():
    assert capstone.is_fixed_bias(five_back) and capstone.trained(five_back, "five back")[2] >= 0.9
    assert capstone.trained(five_back, "local")[2] < 0.7
    assert capstone.trained(one_and_five_back, "five back")[2] >= 0.9


def test_below_the_tries_are_three_to_compare_with(quick, monkeypatch):
    board, shown = capstone.Board(), {}
    board.add(sinusoidal)
    monkeypatch.setattr(capstone.plots, "show_table", lambda values, rows, **_: shown.update(rows))
    board.table()
    assert list(shown) == ["sinusoidal", "RoPE", "ALiBi", "no positions"]
    assert shown["RoPE"] == ["-", "8", "10", "6", "7"]


def test_a_bias_may_forbid_and_is_one_still():
    def window(q, k, m, n):
        return torch.where(m - n < 4, capstone.alibi(q, k, m, n), -torch.inf)

    assert capstone.is_fixed_bias(window) and not capstone.is_fixed_bias(sinusoidal)


def remainders_of_4(positions, d_model):
    return 3 * np.eye(d_model)[positions.astype(int) % 4]


def test_a_table_fools_the_card_and_a_score_does_not(monkeypatch):
    monkeypatch.setattr(capstone, "trained", lambda encoding, task, seed=0: (0.3, 0.4, 0.2))
    board = capstone.Board()
    assert goals_met(board, remainders_of_4)[4]
    assert not goals_met(board, capstone.rope)[4]


def test_the_page(quick, tmp_path):
    board = capstone.Board()
    for encoding in (equal_steps, four_frequencies, capstone.alibi):
        board.add(encoding)
    board.page(tmp_path / "mine.html")
    page = (tmp_path / "mine.html").read_text(encoding="utf-8")
    assert page.count("<h2>") == 3 and "np.linspace(1, 1 / d_model, d_model // 2)" in page
    assert "abs(m - n)" in page and "http" not in page


def test_who_uses_what_is_dated_and_has_sources():
    sources = {source.key: source for source in write_sources.read()}
    for model, line in capstone.who_uses_what().items():
        source = sources[line["source"]]
        assert str(source.opened) == line["read"], model
        assert LESSON in source.cited, model


def test_eight_questions(capsys):
    capstone.choose(longer=True, where=False)
    said = capsys.readouterr().out
    assert "Longer texts" in said and "Does order" not in said and "know where" not in said


@pytest.mark.parametrize(
    ("answers", "asked"),
    [({"weights": True, "low": True}, "weights"), ({"order": False, "low": True}, "order")],
)
def test_two_answers_end_it(answers, asked, monkeypatch):
    shown = []
    monkeypatch.setattr(capstone.plots, "show_table", lambda values, rows, **_: shown.extend(rows))
    capstone.choose(**answers)
    assert shown == [asked]


def test_an_answer_that_is_none():
    with pytest.raises(ValueError, match=r"True or False for weights, .*; got speed='yes'"):
        capstone.choose(speed="yes")


class TestPuzzles:
    def test_each_goal_is_solved_by_its_own_line_and_by_no_other(self):
        lines = list(puzzles.GOALS.values())
        for number, line in enumerate(lines, 1):
            assert puzzles.draw(number, line)[1].endswith(": solved.")
            other = lines[number % len(lines)]
            assert "cells differ" in puzzles.draw(number, other)[1]

    @pytest.mark.parametrize("line", [lambda p, k: k <= p and p - k < 4, lambda p, k: 0 <= p - k < 4])
    def test_and_is_not_for_many_numbers(self, line):
        with pytest.raises(ValueError, match=r"Write \(0 < p\) & \(p < 4\)"):
            puzzles.draw(5, line)

    def test_the_first_cell_that_differs_is_named(self):
        _, verdict = puzzles.draw(5, lambda p, k: k <= p)
        assert verdict == (
            "Puzzle 5 a window of four: 78 of 256 cells differ, the first at p = 4, k = 0: 1 instead of 0."
        )

    @pytest.mark.parametrize(
        ("number", "line", "message"),
        [
            (13, lambda p, k: p, "number must be at most 12, got 13"),
            (1, lambda p, k: np.tri(16), "line may use .*; not tri"),
            (
                1,
                lambda p, k: p[:5],
                r"line must give a cell for each p and k, \(16, 16\), got shape \(5, 1\)",
            ),
            (1, 7, "line must be a function of p and k"),
        ],
    )
    def test_what_is_no_answer(self, number, line, message):
        with pytest.raises((TypeError, ValueError), match=message):
            puzzles.draw(number, line)


def test_a_number_is_not_rounded_onto_its_limit():
    card = measures.scorecard(capstone.rope)
    assert capstone._rounded(card | {"five back": 0.1977}, "five back") == "0.198"
    assert capstone._rounded(card | {"five back": 0.2}, "five back") == "0.2"
