"""Answers as a page of the site hands them over, and exercises where there is no NumPy."""

import json
import subprocess
import sys

import pytest

from pe_lessons.exercises.in_browser import reply

RIGHT = "def my_positions(sentence):\n    return list(range(len(sentence.split())))"


def asked(answer, lesson="lesson_00", name="count_positions", check="count_positions.check(my_positions)"):
    imports = {"np": "import numpy as np", "gone": "import gone.by as gone"}
    return json.loads(reply(lesson, name, answer, check, imports))


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (RIGHT, "correct", "all 5 trials"),
        (RIGHT.replace("list(range(", "list(range(1, 1 + "), "not yet", "begin at 1"),
        ("def my_positions(sentence):\n    raise NotImplementedError", "not attempted", ""),
        ("def my_positions(sentence)\n    return 1", "error", "SyntaxError in line 1: expected ':'."),
        (f"{RIGHT}\nprint(oops)", "error", "name 'oops' is not defined (line 3: `print(oops)`)"),
        ("def my_positions(sentence):\n    return oops", "error", "line 2: `return oops`"),
        ("x = 1", "error", "name 'my_positions' is not defined"),
        ("exit()", "error", "SystemExit"),
        (f"{RIGHT}\ngone", "error", "There is no `gone` on this page."),
        ("def my_positions(sentence):\n    return np.arange(len(sentence.split()))", "correct", "trials"),
        ("def my_positions(sentence):\n    while True:\n        pass", "error", "does not come to an end"),
    ],
)  # fmt: skip
def test_an_answer_gets_its_reply(answer, status, said):
    got = asked(answer)
    assert got["status"] == status and said in got["message"], got


def test_nothing_is_left_of_an_earlier_answer():
    assert asked(RIGHT)["status"] == "correct"
    assert asked("")["status"] == "error"


def test_what_is_printed_is_shown():
    assert asked(f"{RIGHT}\nprint(my_positions('a b'))")["printed"] == "[0, 1]\n"


def test_numbers_typed_as_a_list():
    got = asked("my_row = [0, 1, 2, 3]", "lesson_02", "row_by_hand", "row_by_hand.check(my_row)")
    assert got["status"] == "not yet"


def test_the_first_lessons_need_no_numpy():
    code = """
import importlib.util, math, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "numpy" else find(name, *more)
sys.modules["numpy"] = sys.modules["torch"] = None
from pe_lessons.exercises import lesson_00, lesson_02, lesson_03
named = 0
functions = lesson_00.count_positions, lesson_02.one_angle, lesson_03.sinusoidal_loop, lesson_03.right_pairs
for exercise in functions:
    scope = {"math": math}
    exec(exercise.text, scope)
    assert exercise.diagnose(list(scope.values())[-1]).status == "correct"
    for mistake in exercise.mistakes:
        if "float" not in mistake.name:  # there are none but Python's own
            assert exercise.diagnose(mistake.wrong).cause == mistake.name, mistake.name
            named += 1
row = lesson_02.row_by_hand
assert row.diagnose(row.reference()).status == "correct"
exercise.hint()
assert exercise.diagnose(lambda table: len(table)).status == "not yet"
print(named)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not done.stderr and int(done.stdout) > 100, done.stderr
