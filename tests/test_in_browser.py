"""Answers as a page of the site hands them over, and exercises where there is no NumPy."""

import json
import re
import subprocess
import sys
import tomllib

import pytest
from reexecute import ROOT

from pe_lessons.exercises import in_browser
from pe_lessons.exercises.in_browser import ON_A_PAGE, reply, run

RIGHT = "def my_positions(sentence):\n    return list(range(len(sentence.split())))"


def asked(answer, lesson="start_here", name="count_positions", check="count_positions.check(my_positions)"):
    imports = {"np": "import numpy as np", "gone": "import gone.by as gone"}
    return json.loads(reply(lesson, name, answer, check, imports))


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (RIGHT, "correct", "all 6 trials"),
        (RIGHT.replace("list(range(", "list(range(1, 1 + "), "not yet", "begin at 1"),
        ("def my_positions(sentence):\n    raise NotImplementedError", "not attempted", ""),
        ("def my_positions(sentence)\n    return 1", "error", "SyntaxError in line 1: expected ':'."),
        (f"{RIGHT}\nprint(oops)", "error", "name 'oops' is not defined (line 3: `print(oops)`)"),
        ("def my_positions(sentence):\n    return oops", "error", "line 2: `return oops`"),
        ("x = 1", "error", "Your answer has no `my_positions`, but it has `x`. Did you rename it?"),
        (RIGHT.replace("my_", "count_"), "error", "it has `count_positions`. Did you rename it?"),
        ("input()", "error", "input() waits for the keyboard"),
        (f"{RIGHT}\ngone", "error", "There is no `gone` on this page."),
        ("def my_positions(sentence):\n    return np.arange(len(sentence.split()))", "correct", "trials"),
        ("def my_positions(sentence):\n    while True:\n        pass", "error", "does not end"),
    ],
)  # fmt: skip
def test_an_answer_gets_its_reply(answer, status, said):
    got = asked(answer)
    assert got["status"] == status and said in got["message"], got


def test_what_is_printed_is_shown_and_of_the_trials_the_first():
    got = asked(f"{RIGHT.replace('return', 'print([sentence]); return')}\nprint(my_positions('a b'))")
    assert got["printed"] == "['a b']\n[0, 1]"
    assert re.fullmatch(r"\['[\w ]+'\]", got["trial"]), got


@pytest.mark.parametrize(
    ("answer", "status", "printed", "value", "said"),
    [
        (f"{RIGHT}\nprint('here')\nmy_positions('a b')", "ran", "here", "[0, 1]", ""),
        (RIGHT, "ran", "", "", "Your code ran without an error."),
        ("'two words'", "ran", "", "'two words'", ""),
        ("print('before')\noops", "error", "before", "", "'oops' is not defined (line 2: `oops`)"),
        ("print('a' * 12_000)", "ran", "a" * 10_000 + " ...\n(2000 characters more)", "", ""),
        ("if", "error", "", "", "SyntaxError in line 1"),
        ("np.arange(3).tolist()", "ran", "", "[0, 1, 2]", ""),
    ],
)  # fmt: skip
def test_an_answer_that_is_run_shows_what_it_prints_and_its_last_value(answer, status, printed, value, said):
    got = json.loads(run("start_here", "count_positions", answer, {"np": "import numpy as np"}))
    assert (got["status"], got["printed"], got["value"]) == (status, printed, value)
    assert said in got["message"]


def test_replies_have_the_words_of_a_page(monkeypatch):
    answers = [
        "def my_positions(sentence):\n    raise NotImplementedError\n    return []",
        "def my_positions(sentence): ...",
        "my_positions = [0]",
        RIGHT.replace("return", "exit(); return"),
    ]
    said = "\n".join(asked(answer)["message"] for answer in answers)
    assert not re.search(r"\b(cell|notebook)\b|\.(hint|check)\(", said), said
    monkeypatch.setattr(in_browser, "ON_A_PAGE", {})
    said = "\n".join(asked(answer)["message"] for answer in answers)
    assert [old for old in ON_A_PAGE if not re.search(old, said)] == []


def test_what_a_page_says_instead_stands_once_in_its_cell():
    words = tomllib.loads((ROOT / "docs/notebook_sentences_on_pages.toml").read_text(encoding="utf-8"))
    for lesson, cells in words.items():
        notebook = json.loads((ROOT / f"notebooks/{lesson}.ipynb").read_text(encoding="utf-8"))
        sources = {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}
        for cell, changes in cells.items():
            for old in changes:
                assert sources[cell].count(old) == 1, f"{lesson}, {cell}: {old}"


def test_the_first_lessons_need_no_numpy():
    code = """
import importlib.util, math, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "numpy" else find(name, *more)
sys.modules["numpy"] = sys.modules["torch"] = None
from pe_lessons.lessons import by_hand, start_here, the_naive_loop
named = 0
functions = [start_here.count_positions, by_hand.one_angle]
functions += [the_naive_loop.sinusoidal_loop, the_naive_loop.right_pairs]
for exercise in functions:
    scope = {"math": math}
    exec(exercise.text, scope)
    assert exercise.diagnose(list(scope.values())[-1]).status == "correct"
    for mistake in exercise.mistakes:
        if "float" not in mistake.name:  # there are none but Python's own
            assert exercise.diagnose(mistake.wrong).cause == mistake.name, mistake.name
            named += 1
row = by_hand.row_by_hand
assert row.diagnose(row.reference()).status == "correct"
exercise.hint()
assert exercise.diagnose(lambda table: len(table)).status == "not yet"
from pe_lessons.exercises import in_browser
answer = "def mine(position, pair, d_model):\\n    step = 2 * pair / d_model\\n    return position * step / 3"
reply = in_browser.reply("by_hand", "one_angle", answer, "one_angle.check(mine)", {})
assert "Your `step` in line 2 has the numbers" in reply and "`position * step` in line 3" in reply, reply
print(named)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not done.stderr and int(done.stdout) > 100, done.stderr
