"""Buttons in JupyterLab: a click is an answer, and nothing is shown where nobody can click."""

from types import SimpleNamespace

import IPython
import pytest
from IPython import display

from pe_lessons.lessons.start_here import cell_question, count_positions, quiz_start_here


@pytest.fixture
def in_jupyterlab(monkeypatch):
    """What was displayed, and the names of the notebook."""
    seen = SimpleNamespace(shown=[], names={})
    monkeypatch.setenv("JPY_SESSION_NAME", "notebooks/00_start_here.ipynb")
    monkeypatch.setattr(display, "display", seen.shown.append)
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(user_ns=seen.names))
    return seen


def test_clicks_answer_a_quiz(in_jupyterlab, capsys):
    quiz_start_here.ask()
    [rows, reply] = in_jupyterlab.shown[0].children
    first, second, third = rows.children
    second.value = "a"
    assert in_jupyterlab.names["my_letters"] == [..., "a", ...]
    assert "2 a, no" in reply.value
    for row, letter in zip((first, second, third), quiz_start_here.right):
        row.value = letter
    assert "Correct" in reply.value
    assert capsys.readouterr().out.startswith("1. "), "the questions are printed as well"


def test_some_questions_of_a_quiz_can_be_asked(in_jupyterlab):
    quiz_start_here.ask(2)
    [[row]] = [in_jupyterlab.shown[0].children[0].children]
    row.value = quiz_start_here.right[1]
    assert in_jupyterlab.names["my_letters"] == [..., quiz_start_here.right[1], ...]


def test_clicks_answer_a_question_and_can_be_taken_back(in_jupyterlab):
    cell_question.ask()
    [buttons, reply] = in_jupyterlab.shown[0].children
    a, b, c, _ = buttons.children
    a.value = b.value = c.value = True
    assert in_jupyterlab.names["my_answer"] == ["a", "b", "c"]
    a.value = False
    assert in_jupyterlab.names["my_answer"] == ["b", "c"]
    assert "Correct" in reply.value


def test_a_verdict_that_is_not_correct_has_buttons(in_jupyterlab):
    count_positions.check(lambda sentence: [])._ipython_display_()
    verdict, box = in_jupyterlab.shown
    assert "Not yet" in verdict.data
    assert [button.description for button in box.children[0].children] == ["Hint", "Solution"]
    right = count_positions.check(lambda sentence: list(range(len(sentence.split()))))
    assert not hasattr(right, "_ipython_display_")


def test_nothing_is_shown_where_nobody_can_click(monkeypatch, in_jupyterlab):
    monkeypatch.delenv("JPY_SESSION_NAME")
    quiz_start_here.ask()
    cell_question.ask()
    assert not in_jupyterlab.shown
    assert not hasattr(count_positions.check(lambda sentence: []), "_ipython_display_")
