"""Checks and hints in a real kernel: what IPython shows, and what it keeps of cells that failed."""

import os
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from course import KERNEL
from pe_lessons.exercises.failed_cells import Cells

SETUP = """
from pe_lessons.exercises.exercise import Exercise
from pe_lessons.lessons.start_here import cell_question, count_positions
from pe_lessons.lessons.by_hand import row_by_hand
from pe_lessons.lessons.start_here import quiz_start_here

class Adder:
    def __init__(self, number):
        self.number = number

adder = Exercise("adder", Adder, probes=((1,), (2,)), use=lambda answer, number: answer(number).number)
"""
POSITIONS = "def my_positions(sentence):\n    return list(range(len(sentence.split())))"
ADDER = "class MyAdder:\n    def __init__(self, number):\n        self.number = number"
OLDER = "stopped with an error, so this would be a reply to an older version."


@contextmanager
def started(**environment):
    """A function that runs a cell and returns the texts that it shows, an error last."""
    manager = KernelManager(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))  # of this Python
    kept = {key: value for key, value in os.environ.items() if key != "NBGRADER_EXECUTION"}
    manager.start_kernel(
        env=kept | environment,
        extra_arguments=["--log-level=ERROR"],  # else it warns of its local sockets
    )
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=120)

    def run(source, *, told=False, **options):
        shown = []

        def take(message):
            content = message["content"]
            if message["msg_type"] == "stream":
                shown.append(content["text"])
            elif message["msg_type"] == "error":
                shown.append("\n".join(content["traceback"]) if told else content["ename"])
            elif "data" in content:
                shown.append(content["data"]["text/plain"])

        client.execute_interactive(
            source, timeout=120, output_hook=take, allow_stdin=False, stop_on_error=False, **options
        )
        return shown

    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel():
    with started() as run:
        assert run(SETUP) == []
        yield run


KINDS = {  # a right answer, the same with a fault, the check, the error as the check tells it
    "missing colon": (
        POSITIONS, POSITIONS.replace("):", ")", 1), "count_positions.check(my_positions)",
        "SyntaxError in line 1: expected ':'",
    ),
    "among others": (
        POSITIONS, f"def other():\n    pass\n1 / 0\n{POSITIONS}", "count_positions.check(my_positions)",
        "ZeroDivisionError: division by zero (line 3: `1 / 0`)",
    ),
    "class": (
        ADDER, ADDER.replace("    def", "    number = zero\n    def"), "adder.check(MyAdder)",
        "NameError: name 'zero' is not defined (line 2: `number = zero`)",
    ),
    "letters of a quiz": (
        'my_letters = ["c", "b", "a"]', 'my_letters = ["c", "b", "a]', "quiz_start_here.check(my_letters)",
        "SyntaxError in line 1: unterminated string literal",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_no_verdict_on_an_answer_whose_cell_failed(kernel, kind):
    right, broken, check, error = KINDS[kind]
    kernel(right)
    [verdict] = kernel(check)
    assert ": Correct.\n" in verdict
    [raised] = kernel(broken)
    assert raised.replace("_IncompleteInput", "Syntax") == error.split()[0].rstrip(":")
    for _ in range(2):
        [complaint] = kernel(check)
        name = check.split(".")[0]
        assert complaint.startswith(f"{name}: Error in your code.\nThe cell with your answer {OLDER} {error}")
        assert kernel("1 + 1") == ["2"]  # a cell that succeeds changes nothing
        kernel("None", silent=True)
        kernel("None", store_history=False)
    kernel(right)
    assert kernel(check) == [verdict]


def test_an_error_says_what_it_means_in_the_course(kernel):
    kernel("def my_first(x)\n    return x")
    assert "There is no `my_first`, because the cell" in "".join(kernel("count_positions.check(my_first)"))
    assert "Give your answer this name" in "".join(kernel("count_positions.check(my_second)"))
    assert "not one of the course's packages" in "".join(kernel("import no_such_package"))
    kernel("row_by_hand = lambda: 0")
    assert "`row_by_hand` is the name of the exercise" in "".join(kernel("row_by_hand.check([1])"))
    kernel("from pe_lessons.lessons.by_hand import row_by_hand")


def test_before_the_first_cell_a_missing_name_says_what_to_run(tmp_path):
    (tmp_path / "profile_default").mkdir()
    (tmp_path / "profile_default/ipython_kernel_config.py").write_text(KERNEL)
    again, check = "Run the first cell of this lesson again", "row_by_hand.check(my_row)"
    names = {"IPYTHONDIR": str(tmp_path), "JPY_SESSION_NAME": "course/notebooks/02_by_hand.ipynb"}
    with started(**names) as run:
        for cell in (check, "table = arrays.sinusoidal(5, 4)"):
            [said] = run(cell, told=True)
            assert again in said and "Traceback" not in said
        run("import os; os.environ['JPY_SESSION_NAME'] = 'my_own.ipynb'")
        assert again in run(check, told=True)[0]
        assert "Traceback" in run("unknown", told=True)[0]
        run(f"os.environ['JPY_SESSION_NAME'] = '02_by_hand.ipynb'{SETUP}")
        assert "Traceback" in run("unknown", told=True)[0]


def test_a_cell_that_fails_below_the_definition_has_made_a_new_answer(kernel):
    """It is judged: the verdict is about what the learner sees, and the error is about another line."""
    kernel(POSITIONS)
    [raised] = kernel(f"{POSITIONS.replace('list', 'sum')}\nmy_positions(3)")
    assert raised == "AttributeError"
    [verdict] = kernel("count_positions.check(my_positions)")
    assert verdict.startswith("count_positions: Not yet.")
    kernel(f"{POSITIONS}\nmy_positions(3)")
    assert kernel("count_positions.check(my_positions)")[0].startswith("count_positions: Correct.")


def cell(cells, text, error=None):
    """Run a cell that does nothing but fail, or succeed."""
    cells.begin(SimpleNamespace(raw_cell=text))
    cells.end(SimpleNamespace(error_before_exec=None, error_in_exec=error))


def test_a_cell_that_is_interrupted_or_empty_is_survived():
    cells = Cells({})
    cells.begin(SimpleNamespace(raw_cell="f = 3"))
    cells.end(None)
    cells.end(SimpleNamespace(error_before_exec=None, error_in_exec=None))
    assert cells.complaint() is None


def test_hints_and_solutions_are_shown_wherever_they_stand_in_a_cell_and_once(kernel):
    hint = "Hint 1 of"
    [shown] = kernel("count_positions.hint()\ncount_positions.solution()")
    assert shown.count(hint) == 1 and shown.count("def ") == 1
    [shown] = kernel("count_positions.hint()")
    assert shown.count(hint) == 1 and shown.endswith("\n")
    [shown] = kernel("cell_question.hint(); cell_question.solution(); 3")[:1]
    assert shown.count("Hint 1") == 1 and "b: " in shown
    [shown] = kernel("quiz_start_here.hint()\nquiz_start_here.explain(1)\nquiz_start_here.explain(2)")
    assert "no hints" in shown and shown.count("YES") == 2
    [shown] = kernel("row_by_hand.solution()\nNone")
    assert shown == "-0.2794, 0.9602, 0.0600, 0.9982\n"
    [shown] = kernel("text = count_positions.hint(2)\nassert text.startswith('Hint 2')")
    assert shown.startswith("Hint 2")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def f(x):", "f"), ("async def f(x):", "f"), ("class f:", "f"), ("f = 3", "f"), ("f=3", "f"),
        ("%%time\ndef f(x):", "f"), ("    def f(x):", "f"), ("f: float = 3", "f"),
        ("f == 3", ""), ("f[0] = 3", ""), ("f(x=3)", ""), ("print(f)", ""), ("# f = 3", ""),
        ("    f = 3", ""),
    ],
)  # fmt: skip
def test_the_names_that_a_cell_binds_are_read_from_its_text(text, name):
    cells = Cells({})
    cell(cells, text, ValueError())
    assert "".join(cells.failed) == name
