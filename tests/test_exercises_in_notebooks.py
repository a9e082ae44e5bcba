"""Exercises in the notebooks: stub, check and help cells, tied to the registry."""

import functools
import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from reexecute import find_notebooks

from pe_lessons.exercises.exercise import Numbers
from pe_lessons.exercises.question import Question, Quiz
from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.progress import progress

ROOT = Path(__file__).parents[1]
NOTEBOOKS = find_notebooks()
PROMISED = {"list": list, "array": np.ndarray, "Tensor": torch.Tensor, "dict": dict}
COMMON = {"schema_version": 3, "task": False}
ANSWER = COMMON | {"grade": False, "solution": True, "locked": False}
CHECK = COMMON | {"grade": True, "solution": False, "locked": True, "points": 1}
QUIZ_POINTS = 0  # its check says which letters are wrong, so that anybody could try them all


@functools.cache
def cells(notebook):
    return [
        cell | {"source": "".join(cell["source"])}
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    ]


def code_cells(notebook):
    return [cell for cell in cells(notebook) if cell["cell_type"] == "code"]


def graded(notebook):
    """Exercise name -> [answer cell, check cell, next code cell]."""
    found = {}
    for place, cell in enumerate(cells(notebook)):
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if name.endswith("-check"):
            after = [later for later in cells(notebook)[place + 1 :] if later["cell_type"] == "code"]
            found[name.removesuffix("-check")] = [cells(notebook)[place - 1], cell, *after[:1]]
    return found


def checked_as(check):
    """The name under which a check cell hands over the answer."""
    return re.search(r"\((\w+)\)", check["source"])[1]


CASES = [(notebook, name) for notebook in NOTEBOOKS for name in graded(notebook)]
IDS = [f"{notebook.stem}-{name}" for notebook, name in CASES]
in_notebooks = pytest.mark.parametrize(("notebook", "name"), CASES, ids=IDS)


def test_every_exercise_stands_in_one_notebook_and_every_stub_is_registered():
    assert NOTEBOOKS
    assert sorted(name for _, name in CASES) == sorted(REGISTRY)
    answers = [
        cell["metadata"]["nbgrader"]["grade_id"]
        for notebook in NOTEBOOKS
        for cell in cells(notebook)
        if cell["metadata"].get("nbgrader", {}).get("solution")
    ]
    assert sorted(answers) == sorted(REGISTRY)


@in_notebooks
def test_an_exercise_is_in_the_lesson_that_defines_it(notebook, name):
    lesson = f"pe_lessons.lessons.{notebook.stem[3:]}"
    imports = re.compile(rf"from {lesson} import [^\0]*?\b{name}\b")
    assert any(imports.search(cell["source"]) for cell in code_cells(notebook))


@in_notebooks
def test_the_cells_follow_the_pattern(notebook, name):
    answer, check, *after = graded(notebook)[name]
    is_quiz = isinstance(REGISTRY[name], Quiz)
    points = {"points": QUIZ_POINTS} if is_quiz else {}
    assert answer["metadata"]["nbgrader"] == ANSWER | {"grade_id": name}
    assert check["metadata"]["nbgrader"] == CHECK | {"grade_id": f"{name}-check"} | points
    assert re.fullmatch(rf"{name}\.check\(\w+\)", check["source"])
    assert is_quiz or after[0]["source"] == f"# {name}.hint()\n# {name}.solution()"


@in_notebooks
def test_as_committed_every_check_says_not_attempted(notebook, name):
    assert (notebook.stem, name, "Not attempted yet") in progress(notebook)


@in_notebooks
def test_the_trials_pass_what_the_stub_promises(notebook, name):
    """A list can do what a tuple cannot: `parts.copy()`, `parts + [0]`."""
    source = graded(notebook)[name][0]["source"]
    said = re.findall(r"([\w, ]+): +(?:an? )?(list|array|Tensor|dict)s?\b", source)
    promised = {one.strip(): PROMISED[kind] for names, kind in said for one in names.split(",")}
    for arguments in getattr(REGISTRY[name], "_all_probes", ()):
        for parameter, value in zip(REGISTRY[name]._parameters, arguments):
            assert isinstance(value, promised.get(parameter, object)), f"{parameter}: {value!r}"


@in_notebooks
def test_no_later_cell_depends_on_the_answer(notebook, name):
    _, check, *_ = graded(notebook)[name]
    mine = checked_as(check)
    defined, used = (
        [cell["id"] for cell in code_cells(notebook) if re.search(pattern, cell["source"], re.MULTILINE)]
        for pattern in (rf"^(def |class )?{mine}\b", rf"^(?!\s*#).*\b{mine}\b")
    )
    of_exercises = {cell["id"] for other in graded(notebook).values() for cell in other[:2]}
    assert defined
    assert set(used) <= of_exercises, used


@in_notebooks
def test_the_right_answer_in_place_of_the_stub_makes_the_check_correct(notebook, name, capfd):
    """With what the lesson imports and nothing else, and without a word besides."""
    exercise, (answer, check, *_) = REGISTRY[name], graded(notebook)[name]
    mine = checked_as(check)
    assert re.search(rf"^(def |class )?{mine}\b", answer["source"], re.MULTILINE)
    scope = {}
    if isinstance(exercise, Question | Quiz):
        scope[mine] = list(exercise.right)
    elif isinstance(exercise, Numbers):
        scope[mine] = eval(f"[{exercise.solution()}]")
    else:
        [imports] = [cell["source"] for cell in cells(notebook) if cell["id"] == "imports"]
        exec(imports.replace("import ipywidgets\n", ""), scope)
        exec(exercise.solution(), scope)
    assert eval(check["source"], scope | {name: exercise}).title == f"{name}: Correct."
    assert tuple(capfd.readouterr()) == ("", "")


def test_every_lesson_ends_with_its_quiz_and_what_follows_it_is_further():
    for notebook in NOTEBOOKS:
        [name] = [name for name in graded(notebook) if isinstance(REGISTRY[name], Quiz)]
        assert name == f"quiz_{notebook.stem[3:]}"
        after = list(graded(notebook))[list(graded(notebook)).index(name) + 1 :]
        ids = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells(notebook)]
        further = [re.match("## Further", cell["source"]) for cell in cells(notebook)]
        assert not after or any(further[ids.index(name) : ids.index(after[0])]), notebook.stem
