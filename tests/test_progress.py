"""The table of exercises done, read from saved notebooks."""

import json

import pytest

from pe_lessons.exercises import result
from pe_lessons.lessons import REGISTRY, progress

EXERCISE = REGISTRY["count_positions"]


def right(sentence):
    return list(range(len(sentence.split())))


def check_cell(name, *outputs, **metadata):
    nbgrader = {"grade": True, "grade_id": f"{name}-check", "locked": True, "points": 1, "solution": False}
    return {"cell_type": "code", "metadata": {"nbgrader": nbgrader | metadata}, "outputs": list(outputs)}


def result_of(check):
    return {"output_type": "execute_result", "data": {"text/plain": repr(check).splitlines(keepends=True)}}


def write(path, *cells):
    path.write_text(json.dumps({"cells": list(cells)}), encoding="utf-8")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(right, "Correct"), (..., "Not attempted yet"), (lambda s: 1, "Not yet"), (3, "Error in your code")],
)
def test_every_outcome_is_read_back(tmp_path, answer, outcome):
    write(tmp_path / "00_start.ipynb", check_cell(EXERCISE.name, result_of(EXERCISE.check(answer))))
    assert progress.progress(tmp_path) == [("00_start", "count_positions", outcome)]


def test_outputs_of_a_grading_tool_are_read_too(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(result, "GRADING", True)
    EXERCISE.check(right)
    stream = {"output_type": "stream", "name": "stdout", "text": capsys.readouterr().out}
    with pytest.raises(AssertionError) as caught:
        EXERCISE.check(...)
    error = {"output_type": "error", "ename": "CheckFailed", "evalue": str(caught.value), "traceback": []}
    write(tmp_path / "a.ipynb", check_cell(EXERCISE.name, stream))
    write(tmp_path / "b.ipynb", check_cell(EXERCISE.name, error))
    assert [outcome for _, _, outcome in progress.progress(tmp_path)] == ["Correct", "Not attempted yet"]


def test_a_copy_that_was_kept_counts_only_where_it_is_named(tmp_path):
    outputs = [result_of(EXERCISE.check(answer)) for answer in (..., right)]  # the last one counts
    write(tmp_path / "00_a.ipynb", check_cell(EXERCISE.name))
    for copy in ("00_a.mine.ipynb", "00_a.mine2.ipynb"):
        write(tmp_path / copy, check_cell(EXERCISE.name, *outputs))
    assert progress.progress(tmp_path) == [("00_a", "count_positions", "Not run")]
    assert progress.progress(tmp_path / "00_a.mine.ipynb") == [("00_a.mine", "count_positions", "Correct")]


def test_one_broken_file_costs_nobody_else_a_row(tmp_path, capsys):
    """Nor does a name reach the terminal's controls."""
    write(tmp_path / "00_a.ipynb", check_cell("\x1b]0;x\x07"), check_cell(EXERCISE.name))
    write(tmp_path / "00_b.ipynb", *(check_cell(10**4 * "x") for _ in range(200)))
    broken = [
        "<<<",
        '{"cells": [1]}',
        "[" * 10**5,
        json.dumps({"cells": [check_cell("x", metadata=0, grade_id=5)]}),
    ]
    for name, content in zip("bcde", broken, strict=True):
        (tmp_path / f"{name}.ipynb").write_text(content)
    (tmp_path / "f.ipynb").mkdir()  # no file, as a pipe or a device is none
    assert progress.main([str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.count("is not a notebook") == 5 and "0 of 102 exercises done" in told and "?]0;x?" in told
    assert len(told) < 10**5
    assert progress.main([str(tmp_path / "\x1b]0;x.ipynb")]) == 2
    assert "?]0;x.ipynb" in capsys.readouterr().err
