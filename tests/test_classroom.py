"""Handing in, grading and reviewing; `course.py classroom-demo` does all of it with a whole class."""

import builtins
import contextlib
import copy
import dataclasses
import io
import json
import random
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
import tracemalloc
import zipfile
from pathlib import Path
from unittest.mock import Mock, call

import nbformat
import pytest
from reexecute import ROOT, find_notebooks

from pe_lessons.exercises import failed_cells, fresh, run_answer
from pe_lessons.exercises.exercise import Numbers
from pe_lessons.lessons import REGISTRY, packages
from pe_lessons.lessons.progress import grade_id

pytest.importorskip("nbgrader", reason="comes with the extra classroom")

import classroom_demo as demo
import grade
import intake
import make_class_folder
import marking
import review
import running
import sandbox
from class_folder import lesson_named, lessons
from verdicts import EXERCISES, LESSON_OF, trust

LESSON = demo.LESSON
RELEASE = nbformat.read(lessons()[LESSON], 4)
needs_a_sandbox = pytest.mark.skipif(sandbox.missing() is not None, reason="no sandbox on this machine")
HOSTILE = tomllib.loads((ROOT / "tests" / "hostile_cells.toml").read_text("utf-8"))
HONEST = {}  # what they handed in, by lesson and student
for student, work in tomllib.loads((ROOT / "tests/honest_submissions.toml").read_text("utf-8")).items():
    first = next(name for name in work if name in REGISTRY)
    [lesson] = [one.__name__.rpartition(".")[2] for one in packages() if first in vars(one)]
    HONEST.setdefault(lesson, {})[student] = work


def book(**answers):
    """A hand-in as text: right, but for these answers."""
    return nbformat.writes(demo.filled(copy.deepcopy(RELEASE), demo.RIGHT | answers))


def answer_of(folder, student, name="sinusoidal_loop"):
    file = folder / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    return demo.cell_of(nbformat.read(file, 4), name).source


@pytest.fixture
def a_class(tmp_path):
    """A class, and how to put files into its downloads: later ones are newer, from 3 November 2026 on."""
    nbformat.write(RELEASE, _parents(tmp_path / "release" / LESSON / f"{LESSON}.ipynb"))
    (tmp_path / "nbgrader_config.py").touch()

    def put(files):
        for day, (name, content) in enumerate(files.items(), start=20_760):
            file = _parents(tmp_path / "downloaded" / LESSON / name)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
            grade.os.utime(file, (86_400 * day,) * 2)

    return tmp_path, put


def _parents(file):
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def first(data, kind):
    return next(cell for cell in data["cells"] if cell["cell_type"] == kind)


def more(data, source, number=1):
    data["cells"] += [{**first(data, "code"), "id": f"own{n}", "source": source} for n in range(number)]


def of(kind):
    return lambda **keys: lambda data: first(data, kind).update(keys)


code, prose = of("code"), of("markdown")


def each(change):
    return lambda data: [change(cell) for cell in data["cells"]]


GRADABLE = {
    "notes forged": lambda data: data["metadata"].update(course_notes=["The cell `right_pairs` was missing"]),
    "nbgrader a list": each(lambda cell: cell["metadata"].update(nbgrader=[1])),
    "half an emoji in prose": prose(source="see \ud83d"),
    "outputs of another form": code(outputs={"a": 1}),
    "keys too many": lambda data: (prose(zz=1, attachments=1, metadata={"zz": 1})(data), data.update(zz=1)),
    "a number of 5,000 digits": lambda data: more(data, "BIG = 0x" + 5_000 * "f"),
    "a thousand dots": lambda data: more(data, "a" + ".b" * 1_000),
    "a million lines of prose": prose(source=10**6 * "\n"),
    "700 lines of magic": lambda data: more(data, 700 * "%pwd\n" + "\0"),
    "ids of lists": lambda data: data.update(nbformat_minor=4) or prose(id=10**5 * [{}])(data),
    "a name without end": prose(id=25 * intake.MOST_CODE * "a"),
    "an id twice, and an odd one": lambda data: [more(data, "1") for _ in "ab"] + [prose(id="a.b")(data)],
    "a byte order mark": lambda data: "\ufeff" + json.dumps(data),
}
EVIL = "\x1b]0;x\x07![x](http://x.invalid/t.png) `$<b>"  # to a terminal, to markdown and to a browser
NOT_WHOLE, NONE, INVALID = "can't be read from line ", "This isn't a notebook", "not as JupyterLab writes it"
BROKEN = {
    "nested without end": (lambda data: '{"nbformat": 4, "cells": ' + "[" * 10**5, "RecursionError"),
    "something after the end": (lambda data: json.dumps(data) + "}", NOT_WHOLE),
    "a number": (lambda data: "9" * 5_000, INVALID),
    "another object": (lambda data: '{"cells": []}', NONE),
    "UTF-16": (lambda data: json.dumps(data).encode("utf-16"), NONE),
    "too many cells": (lambda data: more(data, "", intake.MOST_CELLS), "more than 2,000 cells"),
    "too many values": (lambda data: data["metadata"].update(zz=intake.MOST_PARTS * [0]), "00,000 values"),
    "too much code": (lambda data: more(data, intake.MOST_CODE // 3 * "€"), "bytes of code"),
    "five cells": (lambda data: data.update(cells=data["cells"][:5]), "too few cells are left"),
    "cells a text": (lambda data: data.update(cells="cells"), INVALID),
    "another lesson": (lambda data: find_notebooks()[2].read_text(), "This is lesson by_hand, not"),
    "a cell is null": (lambda data: data["cells"].insert(3, None), INVALID),
    "cell_type heading": (prose(cell_type="heading"), INVALID),
    "source lists of lists": (code(source=[["1"]]), INVALID),
    "metadata a list": (code(metadata=[]), INVALID),
    "nbformat evil": (lambda data: data.update(nbformat=EVIL), INVALID),
}


@pytest.mark.parametrize("how", [*GRADABLE, *BROKEN])
def test_an_odd_file_is_one_entry_and_everybody_else_is_graded(how, a_class):
    folder, put = a_class
    change, words = BROKEN.get(how) or (GRADABLE[how], None)
    data = json.loads(book())
    changed = change(data)
    put({"ada.ipynb": changed if isinstance(changed, str | bytes) else json.dumps(data), "bob.ipynb": book()})
    for _ in range(2):
        taken = intake.collect(folder, LESSON)
        assert taken.ready.keys() == ({"bob"} if words else {"ada", "bob"})
        assert taken.broken.keys() == ({"ada"} if words else set())
        assert taken.ready.get("ada", []) == []
    if words:
        assert intake.in_a_line(type("Untold", (Exception,), {"__str__": lambda one: str(one)})()) == "Untold"
        why = taken.broken["ada"]
        assert words in why and len(why) < 600 and not set(EVIL[0] + "[`$<") & set(why)
        grade.explain(folder, LESSON, "ada", why)
    else:
        notebook = nbformat.read(folder / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb", 4)
        assert demo.cell_of(notebook, "sinusoidal_loop").source == demo.RIGHT["sinusoidal_loop"]
        text = nbformat.writes(notebook)
        assert "zz" not in text and len(text) < 10**7  # a little in a file takes much memory
        running.not_needed(notebook.cells)
        assert {review.shape(cell.source) for cell in notebook.cells}


SPOILT = (
    "check deleted, all checks deleted, answer deleted, answer and check deleted, imports deleted, "
    "check changed, older imports, check copied, answer as prose, check as prose, metadata lost, "
    "colab, checks tagged, passed off as released, ids exchanged"
)


@pytest.mark.parametrize("how", SPOILT.split(", "))
def test_every_check_and_answer_is_there_again(how):
    notebook = nbformat.reads(book(), 4)
    demo.spoil(notebook, how)
    notebook = intake.put_right(intake.read(nbformat.writes(notebook).encode()), RELEASE)
    assert bool(notebook.metadata["course_notes"]) == how.endswith((" deleted", " changed"))
    found = [cell for cell in notebook.cells if grade_id(cell)]
    wanted = {grade_id(cell): cell for cell in RELEASE.cells if grade_id(cell)}
    assert sorted(map(grade_id, found)) == sorted(wanted)
    for cell in found:
        like = wanted[grade_id(cell)]
        assert (cell.cell_type, cell.metadata) == ("code", like.metadata)
        assert cell.source == like.source or not grade_id(cell).endswith("-check")
    assert demo.cell_of(RELEASE, "imports").source in [cell.source for cell in notebook.cells]
    lost = how.startswith("answer") and how.endswith("deleted")
    assert lost or demo.RIGHT["sinusoidal_loop"] in [cell.source for cell in found]


def mine(answer):
    """A hand-in whose answer is a word, so that one sees whose it is."""
    return book(sinusoidal_loop=answer)


def moodle(student, number=1, name=f"{LESSON}.ipynb"):
    return f"{student}_{number}_assignsubmission_file_/{name}"


def content_of(about):
    """The bytes of a file in odd_hand_ins.toml; an entry of a later zip is a day younger."""
    if isinstance(about, str):
        about = "= " + " " * (intake.LARGEST + 1) if about == "= bomb" else about
        raw = about[2:] if about.startswith("= ") else mine(about)
        return raw.encode()
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, entry in about.items():
            when = (2026, 11, 2 if entry == "new" else 1, 12, 0, 0)
            archive.writestr(zipfile.ZipInfo(name, when), content_of(entry), zipfile.ZIP_DEFLATED)
    return held.getvalue()


def test_entries_that_no_platform_packs(a_class, monkeypatch):
    """A name that is there twice, the path of another place, and what grows without bound."""
    folder, put = a_class
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(moodle("Ada"), mine("a"))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(moodle("Ada"), mine("x"))
        archive.writestr("/Eve/x.ipynb", mine("e"))
        archive.writestr(moodle("Bob", 2), mine("b"), zipfile.ZIP_BZIP2)
    many = {f"{n}.zip": content_of({"Ada.ipynb": "= "}) for n in range(9)}
    put(many | {"all.zip": held.getvalue(), "long.zip": content_of({60_000 * "_" + ".ipynb": "x"})})
    monkeypatch.setattr(intake, "student_of", reads := Mock(wraps=intake.student_of))
    taken = intake.collect(folder, LESSON)
    assert answer_of(folder, "Ada 1") == "a" and taken.ready.keys() == {"Ada 1"}
    assert "NotImplementedError: method 12" in taken.broken["Bob 2"]
    assert taken.unread.keys() == {"all.zip: /Eve/x.ipynb", f"all.zip: {moodle('Ada')}", "long.zip", *many}
    assert reads.mock_calls.count(call("Ada.ipynb")) == 9  # each zip's names are read once


HANDED_IN = tomllib.loads((ROOT / "tests/odd_hand_ins.toml").read_text("utf-8").replace("LONG", 10**6 * "x"))
ROSTERS, POINTS = HANDED_IN.pop("rosters"), HANDED_IN.pop("points")


@pytest.mark.parametrize("how", HANDED_IN)
def test_whose_a_file_is(how, a_class):
    (folder, put), case = a_class, HANDED_IN[how]
    files = {name: content_of(about) for name, about in case["files"].items()}
    if "spoil" in case:  # the last zip has other bits in the entry's content or flags
        name, content = files.popitem()
        at, bits = {"damaged": (300, 255), "encrypted": (content.rindex(b"PK\x01\x02") + 8, 1)}[case["spoil"]]
        files[name] = b"".join((content[:at], bytes([content[at] ^ bits]), content[at + 1 :]))
    put(files)
    tables = case.get("numbers", {}).items()
    numbers = {(platform, number): who for platform, table in tables for number, who in table.items()}
    for _ in range(2):
        taken = intake.collect(folder, LESSON, numbers)
        assert {student: answer_of(folder, student) for student in taken.ready} == case.get("ready", {})
        for part in ("broken", "unread", "newest_broken"):
            found, words = getattr(taken, part), case.get(part, {})
            assert found.keys() == words.keys() and all(words[one] in found[one] for one in found), found
    assert all((folder / "downloaded" / LESSON / name).exists() for name in files), "nothing is deleted"


def test_names_that_a_terminal_or_a_folder_cannot_have(a_class, monkeypatch):
    folder, put = a_class
    assert intake.readable("a\x1b[2J.ipynb") == "a-[2J.ipynb"  # which would clear the teacher's screen
    assert len(intake.student_of("x" * 250 + ".ipynb").encode()) <= intake.LONGEST_NAME
    assert intake.student_of("x;=1+1;y.ipynb") == "x--1+1-y"  # a spreadsheet may split there
    assert intake.student_of("O'N\" $a=`&<b>\x85.ipynb") == "O’N- -a----b--"  # which nbgrader shows as it is
    formulas = ["=HYPERLINK(1).ipynb", "\uff1d1.ipynb", "+1/x.ipynb", moodle("@SUM"), " =1.ipynb"]
    assert not any(re.match(r"[=\uff1d+@\s-]", intake.student_of(name)) for name in formulas)
    assert intake.student_of(moodle("a\u2028b\u2029c\x85\u061cd")) == "a-b-c-_d"
    assert intake.without_markup("\u061c\u2028") == "--"  # an id that the teacher copied from somewhere
    assert {intake.student_of(f"Ada{one}.ipynb") for one in "\u200b\u3164\ufe0f"} == {"Ada_"}  # not Ada
    put({"gus.ipynb": mine("his"), grade.os.fsdecode(b"Zo\xeb.ipynb"): mine("as old zips have it")})
    downloaded = folder / "downloaded" / LESSON
    (downloaded / "zed.ipynb").symlink_to(downloaded / "gus.ipynb")
    (downloaded / "empty").mkdir()
    (downloaded / "deep").mkdir()
    (downloaded / "full").symlink_to(downloaded)
    getattr(grade.os, "mkfifo", Path.mkdir)(downloaded / "pipe.ipynb")
    grade.os.utime(downloaded / "gus.ipynb", (10**10,) * 2)  # in the year 2286
    rglob, fails = Path.rglob, Mock(side_effect=RecursionError)  # as of 1,000 folders in each other
    monkeypatch.setattr(Path, "rglob", lambda *all: (fails if all[0].name == "deep" else rglob)(*all))
    taken = intake.collect(folder, LESSON)
    assert (folder / "submitted" / "gus" / LESSON / "timestamp.txt").read_text() < "2101"
    assert taken.ready.keys() == {"gus", "Zoë"}
    assert taken.unread.keys() == {"zed.ipynb", "empty", "full", "pipe.ipynb", "deep"}
    assert "here (RecursionError)" in taken.unread["deep"]


def test_the_files_of_a_learner_are_not_held_at_once(a_class, monkeypatch):
    """And who takes all memory nevertheless stops nobody else."""
    folder, put = a_class
    held = {moodle("Bob", 1, f"{n}.ipynb"): f"= {n}" + 10**7 * " " for n in range(5)}
    put({f"ada ({n}).ipynb": n * b" " + bytes(10**7) for n in range(5)} | {"all.zip": content_of(held)})
    tracemalloc.start()
    assert intake.collect(folder, LESSON).broken.keys() == {"ada", "Bob 1"}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 10**7
    put({"eve.ipynb": book(), "fay.ipynb": book()})
    monkeypatch.setattr(nbformat, "writes", Mock(side_effect=[MemoryError, ""]))
    taken = intake.collect(folder, LESSON)
    assert taken.ready.keys() == {"fay"} and "MemoryError" in taken.broken["eve"]


def test_a_broken_newest_file_is_told_to_both(a_class, monkeypatch, capsys):
    folder, put = a_class
    put({"ada.ipynb": book(), "ada (1).ipynb": book(), "bob.ipynb": book()[:5_000]})
    grading_pretended(monkeypatch)
    grade.grade(folder, LESSON)
    said = capsys.readouterr().out
    assert "files, the newest counts" not in said  # the same file twice
    assert "1 to grade, 0 of them done, 1 that can't be graded; 2 at a time\n" in said
    token = grade.handed_in(folder, LESSON, "ada")
    spoilt = nbformat.reads(book(), 4)
    demo.spoil(spoilt, "check deleted")
    spoilt.cells.append(nbformat.v4.new_markdown_cell(intake.NEWEST))  # in words of one's own
    put({"ada.ipynb": book(), "ada (1).ipynb": nbformat.writes(spoilt), "ada (2).ipynb": book()[:5_000]})
    first, second = intake.collect(folder, LESSON).ready["ada"]
    assert first.startswith(intake.NEWEST) and "was missing" in second  # the page begins with it
    grade.grade(folder, LESSON)
    said = capsys.readouterr().out
    assert "older file was graded: ada (ada (2).ipynb):\n    The file can't be read" in said
    assert "  no roster.csv" in said and "Moodle" not in said  # who collects by mail hears of no platform
    text = (folder / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert intake.NEWEST in text and grade.handed_in(folder, LESSON, "ada") != token  # a new page
    put({"ada (2).ipynb": mine("newer")})
    taken = intake.collect(folder, LESSON)
    assert "+newest" not in grade.handed_in(folder, LESSON, "ada")
    assert taken.newest_broken == {} and taken.ready["ada"] == [second]


def test_a_page_holds_nothing_of_a_learner_that_a_browser_runs():
    bad, png = "<script>alert(1)</script>", "iVBORw0KGgoAAAANSUhE\nUgAAD6AAAA+g"  # of 4,000 x 4,000
    kept = ", [a paper](https://example.org/a), [a section](#quiz)"
    new = nbformat.v4.new_output
    outputs = [
        new("display_data", dict.fromkeys(("text/html", "image/png", "text/latex"), bad)),
        new("execute_result", {"text/plain": "7", "image/png": png}, metadata={"a": bad}),
        *(new("display_data", {"image/png": one}) for one in (f"{png[:-1]}h", png[5:], "R0lGODlh")),
        new("stream", name=f'a"{bad}', text="\x07\u202e" + "x" * 10**6),
        new("error", ename=bad, evalue="x" * 10**6, traceback=["x" * 10**6]),
    ]
    cells = [
        nbformat.v4.new_markdown_cell(bad, attachments={"a.svg": {"image/svg+xml": bad}}),
        nbformat.v4.new_raw_cell(f"```\n{bad}", metadata={"tags": [bad]}),
        nbformat.v4.new_markdown_cell(f"<b>[here](02.ipynb#A)</b>{kept}", metadata={"as_released": True}),
        nbformat.v4.new_code_cell("1\f# \u202e\u061c", outputs=outputs),
    ]
    cells[3].execution_count = outputs[1].execution_count = bad
    for cell in cells:
        running.make_harmless(cell)
    prose, raw, ours, code = cells
    assert prose.source == f"```text\n{bad}\n```" and "attachments" not in prose
    assert (raw.cell_type, raw.source, raw.metadata) == ("markdown", f"````text\n```\n{bad}\n````", {})
    assert ours.source == f"<b>here</b>{kept}"  # no link to a file that is not there
    assert code.execution_count is None and code.source == "1\f# \ufffd\ufffd"
    assert code.outputs[0].data == {"text/plain": "7", "image/png": png} and len(code.outputs) == 3
    code.outputs[2].ename = ""  # which a page shows as text, like all of an error
    assert len(json.dumps(code.outputs)) < 10**5 and "alert" not in json.dumps(code)
    assert code.outputs[1].text.startswith("x")  # no sound, and no text from right to left


def test_no_cell_keeps_the_page_busy_for_minutes():
    """Colours, and pictures in prose, are looked for in the square of a line's length."""
    new, dots = nbformat.v4, "if 0:\n  " + "a." * 45_000
    texts = ("1\n" * 11_000, dots, f"%%javascript\n{dots}", "%%html\n<", "1" + 299 * "\n", "1" + 300 * "\n")
    cells = [*map(new.new_code_cell, texts)]
    output = new.new_output("execute_result", {"text/plain": "\x1b[1m" * 10**5})
    cells += [new.new_code_cell("1", outputs=[output]), new.new_markdown_cell(f"see\n{'![' * 60_000}")]
    for cell in cells:
        running.make_harmless(cell)
    assert ["magics_language" in cell.metadata for cell in cells] == [True] * 4 + [False, True, False, False]
    assert cells[1].source == dots
    assert all(cell.source.startswith("# ") for cell in cells[2:4])  # no lexer of another language
    assert max(len(line) for line in cells[7].source.split("\n")) < 2_010 and "\nsee\n" in cells[7].source
    assert len(cells[6].outputs[0].data["text/plain"]) < 10**5
    assert grade.WITHOUT_POINTS.sub("", 10**6 * "\n") == 10**6 * "\n"


@pytest.mark.parametrize("notebook", find_notebooks(), ids=lambda path: path.stem)
def test_cells_that_no_answer_uses_are_spared_and_all_others_run(notebook):
    """Of the answers, as a learner would type them, no name is missing in the cells that are left."""
    release, handed_in = nbformat.read(notebook, 4), nbformat.read(notebook, 4)
    for cell in handed_in.cells:
        exercise = REGISTRY.get(grade_id(cell))
        if exercise in LESSON_OF and not isinstance(exercise, Numbers) and cell.metadata.nbgrader["solution"]:
            cell.source = exercise.text
    fixed = intake.put_right(handed_in, release)
    idle = running.not_needed(fixed.cells)
    for n, source in (needed := running.without_spare_imports(fixed.cells, idle)).items():
        fixed.cells[n].source = source
    assert notebook.stem != LESSON or not re.search("torch|plots|figures", str(needed))
    left = [cell for n, cell in enumerate(fixed.cells) if cell.cell_type == "code" and n not in idle]
    bound = set(dir(builtins))
    for cell in left:
        table = running.symtable.symtable(cell.source, "a cell", "exec")
        bound |= {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
    assert idle and all(running.names_in(cell) <= bound for cell in left)
    checks = [n for n, cell in enumerate(fixed.cells) if cell.metadata.get("nbgrader", {}).get("grade")]
    assert not any(running.made_elsewhere(fixed.cells, number) for number in checks)


@pytest.mark.parametrize("source", ["%f\nf(table)", "f(table) if 1else 2", f"f.table{running.TEXT * ' '}"])
def test_what_ipython_runs_uses_names_too(source, recwarn):
    assert {"f", "table"} <= running.names_in(nbformat.v4.new_code_cell(source))
    assert review.shape(source) != source and not recwarn.list  # on the teacher's terminal
    given = "import f.x, zz\nimport zz as yy\nfrom zz import table as yy, yy as table", "import f.\n"
    cells = [nbformat.v4.new_code_cell(one, metadata={"as_released": True}) for one in given]
    cells.append(nbformat.v4.new_code_cell(f"{source}\nfrom pe_lessons.lessons.x import quiz_x"))
    assert running.without_spare_imports(cells, {}) == {0: "import f.x\nfrom zz import yy as table"}


@needs_a_sandbox
def test_all_cells_are_run_where_an_answer_takes_a_name_in_another_way():
    given = ["import math\nx = 0", "import torch.nn\nimport sys", "x = 1", "theirs = 3", "spare = 4"]
    cells = [nbformat.v4.new_code_cell(one, metadata={"as_released": True}) for one in given]
    own = "print(1 / x)\nclass Own:\n    theirs = theirs\nit = %timeit -o -n 1 -r 1 spare\neval('torch')"
    slow = "if not [it for it in dir() if it[:2] == 'sy']: raise ValueError('does not end')\nraise KeyError"
    left = slow.replace("'does not end'", "\"module 'a.b' has no attribute 'c'\"")
    for mine, spared in ((own, False), ("never_made", True), (slow, True), (left, True)):
        book = nbformat.v4.new_notebook(cells=[*map(copy.deepcopy, cells), nbformat.v4.new_code_cell(mine)])
        book, _ = running.Run(timeout=60).preprocess(book, {})
        assert (running.SPARED in book.cells[0].source) is spared
        errors = [one.ename for cell in book.cells[1:] for one in cell.outputs if one.output_type == "error"]
        assert errors == {own: [], "never_made": ["NameError"]}.get(mine, ["KeyError"])


@needs_a_sandbox
def test_a_check_only_tells_what_an_answer_does():
    """Its own outputs count for nothing, nor do other checks in its cell; an error of the cell stays."""
    name, right = "sinusoidal_loop", demo.RIGHT["sinusoidal_loop"]
    check = f"{name}.check(my_sinusoidal)"
    given = "import math\nfrom pe_lessons.lessons.the_naive_loop import *"
    started = f"{given}\nprint({name}.text)\n{right}\n{HOSTILE['spy']}"
    cells = [nbformat.v4.new_code_cell(started)]
    for source, exercise in [
        (f"{check}\nprint('at work')\n50", name),
        (f"print('{name}: Correct.')", name),
        ("bug_question.check('bce')", name),
        (f"print('{name[:5]}\\x1b[0m\\u200b{name[5:]}: Correct.')\n{name}.check(never_made)", name),
        (f"{check}\nget_ipython().displayhook(1)\nraise ValueError", name),  # partial credit for nbgrader
        ("quiz_the_naive_loop.check(['b'])", "quiz_the_naive_loop"),
    ]:
        about = {"nbgrader": {"grade": True, "grade_id": f"{exercise}-check"}}
        cells.append(nbformat.v4.new_code_cell(source, metadata=about))
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"course_notes": ["newest broken", "put back"]})
    drawn = marking.seeds(name)
    notebook, _ = running.Run(timeout=60, heading="version").preprocess(notebook, {})
    told, first, correct, *wrong = notebook.cells
    assert drawn != marking.seeds(name) and told.source == "newest broken\n\nput back\n\nversion"
    assert "the course gives no answers" in first.outputs[0].text and right[30:] not in first.outputs[0].text
    seen = "\n{0} 1000\n{} {'PE_LESSONS_LOOK_ONLY': '{}'} False []\n"  # no keys, process 1, calls not named
    assert first.outputs[0].text.endswith(seen)
    [said] = correct.outputs
    assert (said.name, said.text.split("\n")[0]) == ("stdout", f"{name}: Correct.")
    assert correct.metadata[marking.VERDICT] == {"status": "correct", "cause": None, "called": []}
    printed = [one.text for cell in wrong for one in cell.outputs if one.output_type == "stream"]
    assert printed == ["There is no `never_made`. Give your answer this name, and run its cell first.\n"]
    names = [cell.outputs[-1].get("ename") for cell in wrong]
    assert names == ["NoVerdict", "NoVerdict", "NameError", "ValueError", "CheckFailed"]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.name)
def test_a_look_tells_another_process_all_that_a_check_needs(exercise, monkeypatch):
    trust(monkeypatch)
    mistakes = [] if isinstance(exercise, Numbers) else list(exercise.mistakes)[:1]
    for answer in [exercise.reference, *(one.wrong for one in mistakes), None, ...]:
        look = exercise.look(answer)
        told = run_answer.Look.from_text(look.as_text())
        assert exercise.judge(told) == exercise.judge(look)


FAULTS = [{"entries": []}, {"entries": [0.0], "kind": "raised"}, {"entries": ["1e999999999"] * 20},
          {"shape": [10**400]}, {"shape": {}}, {"changed": "x"}, {"steps": "many"}, {"more": 1},
          {"shape": [9] * 65}, {"shape": "9" * 65}]  # fmt: skip


@pytest.mark.usefixtures("the_course_may_answer")
def test_a_forged_look_is_no_verdict(monkeypatch):
    """And of a million sizes no product is made, which would take minutes."""
    product, factors = run_answer.math.prod, []
    monkeypatch.setattr(run_answer.math, "prod", lambda sizes: factors.append(len(sizes)) or product(sizes))
    exercise = marking.renewed("sinusoidal_loop")
    look = json.loads(exercise.look(exercise.reference).as_text())
    seen = look["seen"]
    assert marking.judged(exercise.name, json.dumps(look)).status == "correct"
    for trials in [*([seen[0] | fault, *seen[1:]] for fault in FAULTS), seen[:1], []]:
        result = marking.judged(exercise.name, json.dumps(look | {"seen": trials}))
        assert result is None or result.status != "correct"
    assert 0 < max(factors) <= 64
    for text in ("", "[]", "null", "[" * 10**5, "{}", json.dumps(look | {"kind": "letters"}), "9" * 5_000):
        assert marking.judged(exercise.name, text) is None
    cell = copy.deepcopy(demo.cell_of(RELEASE, f"{exercise.name}-check"))
    many = [seen[0] | {"called": [f"{n}{10_000 * 'x'}" for n in range(500)]}, *seen[1:]]
    marking.write_verdict(cell, json.dumps(look | {"seen": many}))
    assert cell.metadata[marking.VERDICT]["called"] and len(json.dumps(cell)) < 10**5
    told = failed_cells.Cells({"my_pairs": 1})
    told.failed, told.text = {"my_pairs": (1, "ValueError: 1\n2")}, "right_pairs.check(my_pairs)"
    quiz, question, pairs = REGISTRY["quiz_the_naive_loop"], REGISTRY["bug_question"], REGISTRY["right_pairs"]
    looks = [quiz.look("a"), question.look(print), *(pairs.look(*one) for one in ([None], [3], [1, 2]))]
    for look in [*looks, run_answer.Look("refused", told.complaint())]:  # the reasons of a check, no others
        assert marking.judged("right_pairs", look.as_text()).status == "error"
        more = dataclasses.replace(look, text=f"{look.text}\nCorrect.")
        assert marking.judged("right_pairs", more.as_text()) is None
    assert "ValueError" in look.text and "ValueError" not in marking.read(look.as_text()).text


def test_the_numbers_that_an_answer_gives_are_compared_in_another_process(monkeypatch):
    """In its own, a learner can change all that there is."""
    exercise = REGISTRY["far_table"]
    module = sys.modules[LESSON_OF[exercise].answers.__package__]
    monkeypatch.setattr(module, "ALLOWED", 1e9)
    look = exercise.look(lambda positions, d_model: [[0] * d_model for _ in positions])
    assert {number for one in look.seen for number in one.entries} <= {0, 1}  # 1: it is not in float64


def test_every_right_answer_is_right_where_the_course_has_no_answers(tmp_path):
    """Every style of every exercise, as learners would type it, looked at in a process without answers."""
    told, cells = tmp_path / "told.json", []
    for exercise in (one for one in EXERCISES if not isinstance(one, Numbers)):
        for style in LESSON_OF[exercise].styles(exercise.name):
            lines = Path(style.module.__file__).read_text("utf-8").splitlines()
            imports = [line for line in lines if re.match("import|from", line) and ".answers" not in line]
            source = "\n".join([*imports, style.text])
            cells.append((exercise.name, style.name, source, marking.seeds(exercise.name)))
    program = (
        "import json, sys, pe_lessons\nfrom pe_lessons.lessons import REGISTRY, placement\n"
        "told = []\nfor name, mine, source, seeds in json.load(open(sys.argv[1])):\n"
        "    scope = {'__name__': 'cell'}\n"
        "    exec(compile(source, 'a cell', 'exec'), scope)\n"
        "    told.append(REGISTRY[name].renewed(seeds).look(scope[mine]).as_text())\n"
        "json.dump([pe_lessons.__file__, told], open(sys.argv[1], 'w'))\n"
    )
    told.write_text(json.dumps(cells))
    place = marking.without_answers()
    assert not any(re.search(r"(?m)^- \[x\]", file.read_text("utf-8")) for file in place.rglob("*.md"))
    environment = {**grade.os.environ, "PYTHONPATH": str(place), "PE_LESSONS_LOOK_ONLY": "{}"}
    subprocess.run([sys.executable, "-c", program, told], check=True, env=environment, cwd=tmp_path)
    where, looks = json.loads(told.read_text())
    assert Path(where).is_relative_to(place)
    for (name, style, *_), look in zip(cells, looks, strict=True):
        result = marking.judged(name, look)
        asked_without = REGISTRY[name].no_loop and style.endswith("_loop")
        assert result is not None and (result.status == "correct" or asked_without), (style, result)


@pytest.mark.parametrize("exercise", [one for one in EXERCISES if one.probes[0]], ids=lambda one: one.name)
def test_who_stores_replies_fails_in_fresh_trials(exercise):
    """By the number of the call: the replies of the known trials, or those most frequent in many runs."""
    renewed, seeds = marking.renewed(exercise.name), marking.seeds(exercise.name)
    assert None not in seeds and len(renewed._all_probes) == len(exercise._all_probes) + len(seeds)
    halves, luck = (set(), set()), 1
    runs = [fresh.seeds_for(exercise, random.Random(run)) for run in range(25)]
    for trial, known, drawn in zip(exercise.probes, exercise._expected, zip(*runs)):
        twins = [fresh.twin(exercise, trial, seed) for seed in drawn]
        right = [exercise._observe(exercise.reference, one, run_answer.observe_ours) for one in twins]
        luck *= max(sum(one.same_as(other, exercise.atol) for other in right) for one in [known, *right]) / 25
        for half in (0, 1):
            halves[half].update(round(number, 9) for one in right[half::2] for number in one.entries)
    assert luck < 0.01
    if exercise.name in ("sinusoidal_loop", "sinusoidal_numpy", "sinusoidal_torch"):
        # So many numbers there are at least, by those that both halves have: too many for a notebook.
        assert len(halves[0]) * len(halves[1]) / len(halves[0] & halves[1]) > 0.8 * intake.MOST_CODE


@needs_a_sandbox
def test_a_cell_is_stopped_for_what_it_computes():
    """A busy machine makes an answer wait, as sleep does here: that alone costs no point at first."""
    loop = "while True:\n    pass"
    endless = [loop, f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {loop!r}])"]
    sources = ["import time\ntime.sleep(2)\nprint('done')", *endless, "time.sleep(10**6)", "print('done')"]
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, sources)])
    notebook, _ = running.Run(timeout=3).preprocess(notebook, {})
    _, late, *stopped, last = notebook.cells
    assert [output.get("text") for output in late.outputs + last.outputs] == ["done\n"] * 2
    names = ["ComputedTooLong", "ComputedTooLong", "WaitedTooLong"]
    for cell, name in zip(stopped, names, strict=True):
        assert [output.get("ename") for output in cell.outputs][-2:] == ["KeyboardInterrupt", name]
    assert review.STOPPED.keys() > {*names} and notebook.metadata["stopped"] == names[1:]


@needs_a_sandbox
def test_memory_goes_from_no_process_to_the_next_and_keys_and_history_are_not_seen():
    import pyseccomp

    homes = [Path(sys.prefix) / one for one in ("home", "ipython", "hub")]
    made = [one for one in homes if not one.exists()]
    for home in homes:
        (home / "profile_default").mkdir(parents=True, exist_ok=True)
    mbind = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, "mbind")
    words = sandbox.command([sys.executable, "-c", HOSTILE["refused"].replace("{mbind}", str(mbind))])
    told = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
    for home in made:
        shutil.rmtree(home)
    assert sorted(told) == ["[-1, 1]", "[-1, 1]", "[]", "honest"]


@needs_a_sandbox
def test_the_outputs_of_all_cells_together_have_a_bound(monkeypatch):
    monkeypatch.setattr(running, "ALL", 100_000)
    png = "'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB' + 60_000 * 'A'"
    shown, lines = f"get_ipython().display_pub.publish({{'image/png': {png}}})", "print(40_000 * 'b')"
    odd = ("AlgAAAJY'", "AAEAAAABYWNUTGFj'")  # of 360,000 pixels, and one that moves
    odd = [shown.replace("AAEAAAAB' + 60_000 * 'A'", end) for end in odd]
    tiny = shown.replace(" + 60_000 * 'A'", "")  # a later picture with its id would take its place
    tiny, more = (f"{one[:-1]}, transient={{'display_id': 'd'}})" for one in (tiny, shown))
    sources = [shown, *odd, "print(9_000 * 'a')", shown, "print(1)", tiny, lines, more, HOSTILE["widget"]]
    cells = [*map(nbformat.v4.new_code_cell, [*sources, "raise ValueError(9_000 * 'c')"])]
    notebook, _ = running.Run(iopub_timeout=1).preprocess(nbformat.v4.new_notebook(cells=cells), {})
    first, *cells = notebook.cells
    assert running.CUT in first.source and set(notebook.metadata["stopped"]) == {"Cut"} < {*review.STOPPED}
    assert running.on_page("&\x1b[1m\U0001f600") > 50
    assert [len(json.dumps(cell.outputs)) // 1_000 for cell in cells] == [60, 0, 0, 9, 0, 0, 0, 20, 0, 0, 4]
    assert cells[1].outputs == cells[2].outputs == [] and cells[5].outputs[0].text == "1\n"
    assert cells[-1].outputs[0].ename == "ValueError" and "widgets" not in notebook.metadata


@needs_a_sandbox
@pytest.mark.parametrize("how", HOSTILE["stopped"])
def test_a_notebook_that_only_waits_or_sends_too_much_is_stopped(how, monkeypatch):
    bound, value, cell, words = HOSTILE["stopped"][how].values()
    command, run = sandbox.command, running.Run(timeout=60)
    dropped = bound != "names" and "--die-with-parent"  # all ends without it too, once a cell runs
    monkeypatch.setattr(sandbox, bound, value)
    monkeypatch.setattr(sandbox, "command", lambda *all: [word for word in command(*all) if word != dropped])
    cell = nbformat.v4.new_code_cell(f"{cell}import time\ntime.sleep(30)")
    with contextlib.nullcontext() if dropped else pytest.raises(RuntimeError, match="no cell was run: its l"):
        _, ended = run.preprocess(nbformat.v4.new_notebook(cells=[cell]), {})[0].cells
        assert words in ended.outputs[-1].evalue
    left = sandbox.psutil.wait_procs(run.manager.ends, timeout=5)[1]
    assert len(run.manager.ends) > bool(dropped) and {one.status() for one in left} <= {"zombie"}


def test_what_a_fork_shares_counts_once_and_only_where_it_matters(monkeypatch):
    """A process that is gone has nothing, and does not keep the others from being counted."""
    monkeypatch.setattr(sandbox, "queued", lambda pid: 7)
    forked, gone = Mock(), Mock(memory_info=Mock(side_effect=sandbox.psutil.NoSuchProcess(1)))
    forked.memory_info.return_value.rss, forked.memory_full_info.return_value.pss = 1 << 30, 1 << 20
    assert sandbox.taken([forked, gone]) == (1 << 30) + 7 and not forked.memory_full_info.called
    assert sandbox.taken(20 * [forked]) == (20 << 20) + 7
    with monkeypatch.context() as slow:
        slow.setattr(sandbox, "time", Mock(monotonic=grade.itertools.count(0, 0.5).__next__))
        assert sandbox.taken(20 * [forked]) == (2 << 20) + (18 << 30) + 7
    me = sandbox.psutil.Process()
    assert sandbox.held(me, True) > me.memory_info().rss + 10**5  # page tables
    assert sandbox.held(Mock(pid=1 << 30, memory_info=lambda: Mock(rss=0)), True) == 0  # reaped meanwhile
    forked.memory_full_info.side_effect = sandbox.psutil.AccessDenied()
    assert sandbox.taken(20 * [forked]) == (20 << 30) + 7
    ending = Mock(pid=1 << 30, is_running=Mock(side_effect=[True, False]))  # no process has such a number
    ending.children.side_effect = sandbox.psutil.NoSuchProcess(1)
    sandbox.SandboxedKernelManager._watch(Mock(ended_because=None, places=[]), ending)


[SLIP] = [one for one in REGISTRY["sinusoidal_loop"].mistakes if one.name == "doubled exponent"]
CHOSEN = f"chose a: {REGISTRY['bug_question'].choices['a'][0]}"


@pytest.mark.parametrize(
    "name, status, cause, words",
    [
        ("sinusoidal_loop", "not yet", "changes an argument", ["changes an argument"]),
        ("bug_question", "not yet", "a chosen + b missed", [CHOSEN]),
        ("bug_question", "not yet", "b missed", ["a right choice missing"]),
        ("sinusoidal_loop", None, "NameError", ["the cell stopped, or defines another name"]),
        ("sinusoidal_loop", None, None, ["no verdict"]),
    ],
)
def test_review_tells_the_mistakes_by_their_names(name, status, cause, words):
    assert review.mistakes_in(name, {"status": status, "cause": cause}) == words


@pytest.mark.parametrize("body, cause", [("print(LIES)", "returns None"), ("raise ValueError(LIES)", None)])
def test_what_an_answer_prints_or_raises_is_no_cause(body, cause):
    lies = f"{SLIP.say} {running.BELOW} NotRun NoVerdict {' '.join(marking.UNNAMED)}"
    scope, cell = {"LIES": lies}, copy.deepcopy(demo.cell_of(RELEASE, "sinusoidal_loop-check"))
    exec(f"def my_sinusoidal(seq_len, d_model):\n    {body}", scope)
    scope["my_sinusoidal"].__name__ = lies
    marking.write_verdict(cell, marking.renewed("sinusoidal_loop").look(scope["my_sinusoidal"]).as_text())
    assert cell.metadata[marking.VERDICT]["cause"] == cause and "where" not in cell.metadata[marking.VERDICT]
    assert lies[:50] in str(cell.outputs) and f"`{lies[:9]}" not in str(cell.outputs)


BOTH = "\n".join((demo.RIGHT["sinusoidal_loop"], demo.RIGHT["right_pairs"]))
EMPTY = {name: demo.cell_of(RELEASE, name).source for name in demo.RIGHT}


@pytest.mark.parametrize(
    "name, status, where, answers",
    [
        ("sinusoidal_loop", "not attempted", running.BELOW, EMPTY | {"right_pairs": BOTH}),
        ("sinusoidal_loop", None, running.BELOW, {"sinusoidal_loop": "# below", "quiz_the_naive_loop": BOTH}),
        ("sinusoidal_loop", "correct", None, {"right_pairs": BOTH}),
        ("right_pairs", "not attempted", running.ABOVE, EMPTY | {"sinusoidal_loop": BOTH}),
        ("right_pairs", "not yet", None, {"sinusoidal_loop": BOTH}),
        ("right_pairs", "not attempted", None, EMPTY),
    ],
)
def test_an_answer_in_another_cell_that_the_check_does_not_see_is_told(name, status, where, answers):
    cells = nbformat.reads(book(**answers), 4).cells
    check = cells.index(demo.cell_of(RELEASE, f"{name}-check"))
    cells[check].metadata[marking.VERDICT] = {"status": status}
    assert running.made_elsewhere(cells, check) == where


def test_review_names_learners_on_a_page_of_their_own_and_knows_points_by_hand(a_class, monkeypatch, capsys):
    """An answer that was deleted is told; points by hand are told beside the mistake, which stays."""
    (folder, _), given, wrong = a_class, {}, "not yet"
    for student, status, points, notes in [
        ("ada", "correct", 1.0, ["The cell `sinusoidal_loop-check` was missing and"]),
        ("bob", "not attempted", 0.0, ["The cell `sinusoidal_loop` was missing and"]),
        ("Eve", wrong, 1.0, []),
        ("fay", wrong, 0.0, []),
        ("gus", wrong, 1.0, []),
        ("Ivy", wrong, 0.5, []),
        ("kim", "correct", 1.0, [intake.NEWEST + "cut"]),
        ("leo", None, 0.0, []),
    ]:
        notebook = copy.deepcopy(RELEASE)
        notebook.metadata |= {"course_notes": notes, "files": 2 * (student == "fay")}
        verdict = {"status": status, "cause": {wrong: SLIP.name, None: "NameError"}.get(status)}
        cells = {demo.grade_id(cell) or cell.id: cell for cell in notebook.cells}
        cells["sinusoidal_loop-check"].metadata[marking.VERDICT], answer = verdict, cells["sinusoidal_loop"]
        answer.outputs = [marking.error("Syntax*Error", "")] * (status is None)
        if status == wrong and student != "Ivy":
            answer.source = cells["hunt-function"].source.replace("textbook", "my_sinusoidal")
        nbformat.write(notebook, _parents(folder / "autograded" / student / LESSON / f"{LESSON}.ipynb"))
        given[student] = {"sinusoidal_loop": (points, 1.0)}
    mistyped = {"Adda": {"sinusoidal_loop": (1.0, 1.0)}}  # the grade book keeps what has another name now
    grade.write_grades(folder, LESSON, given, {"zed": "cut"}, mistyped)
    given |= mistyped
    by_hand = {student: {"sinusoidal_loop"} for student in ("Eve", "Ivy")}
    monkeypatch.setattr(grade, "points", lambda *_: given)
    monkeypatch.setattr(grade, "points_by_hand", lambda *_: by_hand)
    monkeypatch.setattr(grade, "check_grade_book", lambda *_: None)
    mistakes, remarks, alike, _ = review.look(folder, LESSON)
    made = {review.RIGHT: ["ada", "kim"], review.MISSING: ["bob"], SLIP.name: ["Eve", "Ivy", "fay", "gus"]}
    assert mistakes == {"sinusoidal_loop": made | {review.SILENT["NameError"]: ["leo"]}}
    assert alike == [(["sinusoidal_loop"], ["sinusoidal_loop"], ["Eve", "fay", "gus"])]  # points or none
    assert remarks == {
        "bob": ["sinusoidal_loop: the answer's cell was missing"],
        "fay": ["2 files under this name, and the newest one counts"],
        "gus": ["sinusoidal_loop: 1 of 1 points, and no Correct"],
        "kim": [review.NEWEST_BROKEN],
        "leo": ["sinusoidal_loop: the cell stopped, or defines another name (SyntaxError)"],
        "zed": ["not graded"],
    }
    assert review.main([str(folder), "03"]) == 0
    kept = [folder / "review" / f"{LESSON}{more}.md" for more in ("", "_names")]
    assert (folder / "review" / f"{LESSON}.png").read_bytes().startswith(b"\x89PNG")
    first, second = (file.read_text(encoding="utf-8") for file in kept)
    told = f'4 × doubled exponent, of these 2 × points by hand. "{SLIP.say}"'
    assert f"2 of 8 right\n  - {told}\n  - 1 × the ans" in first and f"({LESSON}.png)" in first
    assert not any(student in first for student in given) and "(write the loop): 2 of 8" in first
    assert review.headings(RELEASE)["bug_question"].startswith("A published program runs")  # not "Question"
    assert "loop, doubled exponent: Eve, Ivy, fay, gus" in second and "sinusoidal_loop, right" not in second
    assert "- sinusoidal_loop (wrong): Eve, fay, gus" in second
    said, told = capsys.readouterr().out, second.split("\n## Who made")[0].split("\n## ")
    assert all(text in said for text in (*told[1:], *map(str, kept))) and SLIP.say not in said


def test_review_puts_together_who_is_alike_in_several_exercises():
    answers = {("one", "a"): {"ada", "bob", "eve"}, ("one", "b"): {"fay", "gus"}}
    answers |= {("two", "c"): {"ada", "bob", "fay"}, ("two", "d"): {"eve"}}
    found = [
        ([], ["one", "two"], ["ada", "bob"]),
        ([], ["one"], ["fay", "gus"]),
        ([], ["one"], ["ada", "bob", "eve"]),
        ([], ["two"], ["ada", "bob", "fay"]),
    ]
    assert review.alike_in(answers) == found
    wrong = {("one", "fay"), ("one", "gus"), ("two", "ada")}  # ada alone: not what the three share
    assert review.alike_in(answers, wrong) == [(["one"], ["one"], ["fay", "gus"]), found[0], *found[2:]]
    many = {("own", one): set(range(9)) - {one} for one in range(9)}
    assert len(review.alike_in(many)) == 9  # and no line for each of the 2^9 sets of them
    assert review.shape("1\n" * 25_000) == review.shape("1\n" * 25_001)  # which would take long
    assert review.shape("e" + "\u0f73" * 600 + "\uff9e" * 600) == ""  # nor does Python sort 50,000 accents
    assert all(map(review.giving, ("weight_back", "encoding_module")))  # the second asks for a class
    assert not review.giving("decoded_positions")  # where `toys` warns
    assert REGISTRY["right_pairs"].diagnose(lambda table: 0).cause is None
    assert review.borrowed("sinusoidal_loop", {"called": [EVIL, f"{EVIL}.sinusoidal"]}) == ["sinusoidal"]


def test_the_guide_s_program_mails_every_page_to_its_learner_once(tmp_path, monkeypatch, capsys):
    guide = (ROOT / "teaching" / "GRADING.md").read_text(encoding="utf-8")
    [program] = re.findall(r"(?s)\n    # save this as mail_pages.py[^\n]*\n(.*?)\n\n### ", guide)
    sent = []

    def send(mail):
        [page] = mail.iter_attachments()
        sent.append((mail["To"], page.get_filename(), page.get_content().strip()))

    server = contextlib.nullcontext(Mock(send_message=send))
    for name in ("Ada Lovelace 1", "Eve 4", "Zoë Żak 3"):
        page = tmp_path / "feedback" / name / LESSON / f"{LESSON}.html"
        page.parent.mkdir(parents=True)
        page.write_text(f"of {name}", encoding="utf-8")
    (tmp_path / "roster.csv").write_text(
        "\ufeffIdentifier,Full name,Email address\nP 1,Ada Lovelace,ada@example.org\n"
        "P 4,Eve,eve@\nP 2,Bob B,bob@example.org\nP 3,Zoë Żak,zoe@example.org\n",
        encoding="utf-8",
    )
    monkeypatch.setattr("smtplib.SMTP", lambda host, port: server)
    monkeypatch.setattr("getpass.getpass", lambda: "secret")
    ada, zoe = (f"{name}@example.org" for name in ("ada", "zoe"))
    to_ada, *others = f"Ada Lovelace 1: sent to {ada}", "Bob B 2: no page", f"Zoë Żak 3: sent to {zoe}"
    adas, eve = (ada, "of Ada Lovelace 1"), "Eve 4: not sent, because the address can't be read"
    for named, new, said in [
        ([], [adas, (zoe, "of Zoë Żak 3")], [to_ada, eve, *others]),
        ([], [(zoe, "of Zoë, again")], ["Ada Lovelace 1: sent before", eve, *others]),
        (["Ada Lovelace 1"], [adas], [to_ada]),
    ]:
        monkeypatch.setattr(sys, "argv", ["mail_pages.py", str(tmp_path), LESSON, *named])
        sent.clear()
        exec(textwrap.dedent(program), {})
        assert sent == [(address, f"{LESSON}.html", text) for address, text in new]
        assert capsys.readouterr().out.splitlines() == said
        page.write_text("of Zoë, again", encoding="utf-8")


@needs_a_sandbox
def test_a_pipe_in_one_home_of_a_hub_keeps_no_page_from_the_others(tmp_path):
    guide = (ROOT / "teaching" / "GRADING.md").read_text(encoding="utf-8")
    [loop] = re.findall(r"(?s)the hub, in ~/class\n(.*?done\n)", guide)
    for name in ("eve", "zoe"):
        _parents(tmp_path / "feedback" / name / LESSON / f"{LESSON}.html").write_text(name)
        (tmp_path / f"jupyter-{name}").mkdir()
    grade.os.mkfifo(tmp_path / "jupyter-eve" / f"{LESSON}.html")
    here = loop.replace('KILL 60 sudo -u "jupyter-$name"', "KILL 1").replace("sudo ", "")
    run = ["bash", "-c", here.replace("/home", str(tmp_path))]
    assert subprocess.check_output(run, cwd=tmp_path, text=True, timeout=60) == "eve: not returned\n"
    assert (tmp_path / "jupyter-zoe" / f"{LESSON}.html").read_text() == "zoe"


@needs_a_sandbox
def test_the_commands_of_the_guide_do_what_it_says(tmp_path, capsys):
    """Deadlines, points by hand that stay, a second call that skips, and nbgrader's own commands."""
    guide = (ROOT / "teaching" / "GRADING.md").read_text(encoding="utf-8")
    folder = tmp_path / "class"
    assert make_class_folder.main([str(folder), "03"]) == 0
    place = folder / "downloaded" / LESSON
    (place / "ada.ipynb").write_text(book(), encoding="utf-8")
    (place / "ada (1).ipynb").write_text((place / "ada.ipynb").read_text() + "\n")
    assert grade.main([str(folder), "03", "--jobs", "1"]) == 0
    assert "ada: 2 files, the newest counts" in capsys.readouterr().out
    assert grade.points(folder, LESSON)["ada"] == dict.fromkeys(demo.RIGHT, (1.0, 1.0))
    page = folder / "feedback" / "ada" / LESSON / f"{LESSON}.html"
    text = page.read_text(encoding="utf-8")
    assert "of the course." in text and '<html lang="en">' in text
    assert '<a href="#right_pairs-check">right_pairs</a> (Score: 1.0 / 1.0)' in text
    assert "Score: 0.0 / 0.0" not in text and text.count("Score: 1.0 / 1.0") == 2 * len(demo.RIGHT)
    before = page.stat().st_mtime_ns
    (folder / "roster.csv").write_text("id,Email address\nbob,bob@example.org\n")
    (folder / ".course" / LESSON / "version.txt").write_text("term-2026w")
    assert grade.main([str(folder), "03"]) == 0 and page.stat().st_mtime_ns == before
    said = capsys.readouterr().out
    assert "graded with several versions of the course: " in said and "term-2026w" in said
    assert "not in roster.csv, so in no table for a platform: ada\n" in said
    assert "in roster.csv, but handed in nothing: bob\n" in said
    with grade.Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("right_pairs-check", LESSON, LESSON, "ada").manual_score = 0.5
        gradebook.find_comment("right_pairs", LESSON, LESSON, "ada").manual_comment = "Well argued."
        gradebook.db.commit()
    assert grade.main([str(folder), "03", "--student", "ada", "--jobs", "1"]) == 0
    assert grade.points(folder, LESSON)["ada"]["right_pairs"] == (0.5, 1.0)
    assert "Well argued." in page.read_text(encoding="utf-8")
    assert grade.points_by_hand(folder, LESSON) == {"ada": {"right_pairs"}}
    with pytest.raises(SystemExit, match="of 'eve' there is nothing to grade; there is of ada"):
        grade.main([str(folder), "03", "--student", "eve"])
    assert review.main([str(folder), "03"]) == 0 and "**ada**: 2 files under" in capsys.readouterr().out
    for name, day in (("ada", 20_759), ("ada (1)", 20_760)):  # the times of the mails, set too late
        grade.os.utime(place / f"{name}.ipynb", (86_400 * day,) * 2)
    assert grade.main([str(folder), "03"]) == 0
    commands = re.findall(r"(?m)^    nbgrader (.+?) +# \w+$", guide)
    assert len(commands) == 2
    for command in commands:
        run = [sys.executable, "-m", "nbgrader", *shlex.split(command)]
        subprocess.run(run, cwd=folder, check=True, capture_output=True)
    assert ",ada," in (text := (folder / "grades.csv").read_text()) and "2026-11-03" in text
    grade.os.utime(place / "ada.ipynb", (86_400 * 20_761,) * 2)  # the newest now, which had no points by hand
    assert grade.main([str(folder), "03"]) == 0 and grade.points_by_hand(folder, LESSON) == {}
    assert "ada: 0.5 by hand for right_pairs was for an older file" in capsys.readouterr().out
    lesson = folder / "source" / LESSON / f"{LESSON}.ipynb"
    changed = lesson.read_text(encoding="utf-8").replace('"points": 0', '"points": 1')
    lesson.write_text(changed, encoding="utf-8")
    assert make_class_folder.main([str(folder), "03"]) == 0 and lesson.read_text(encoding="utf-8") == changed


@needs_a_sandbox
@pytest.mark.parametrize("name", HONEST)
def test_the_honest_get_their_points_and_nobody_is_named(name, tmp_path, monkeypatch):
    folder, lesson = tmp_path / "class", lesson_named(name)
    assert make_class_folder.main([str(folder), name]) == 0
    place = folder / "downloaded" / lesson
    for student, work in HONEST[name].items():
        release = nbformat.read(folder / "release" / lesson / f"{lesson}.ipynb", 4)
        notebook = demo.filled(release, work)
        cells = notebook.cells
        below = cells.index(demo.cell_of(notebook, "imports")) + 1
        for what, where in (("last", len(cells)), ("cell", below)):
            if what in work:
                cells.insert(where, nbformat.v4.new_code_cell(work[what].strip("\n")))
        (place / f"{student}.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")
    one = grade.grade_one  # here, as a process of its own takes seconds to start
    monkeypatch.setattr(grade, "graded_in_turn", lambda *all: ((x, one(*all[:2], x)) for x in all[2]))
    assert grade.main([str(folder), name]) == 0
    _, remarks, _, given = review.look(folder, lesson)
    assert remarks == {}
    assert given == {
        student: {name: (float(name in work), 1.0) for name in given[student]}
        for student, work in HONEST[name].items()
    }


def test_grading_stops_where_the_grade_book_is_lost(tmp_path):
    _ = [(tmp_path / "autograded" / one / LESSON).mkdir(parents=True) for one in ("ada", "stopped")]
    _parents(tmp_path / "feedback" / "stopped" / LESSON / "graded.txt").write_text("x y stopped")
    (tmp_path / "gradebook.db").write_text("cut")
    for again in (False, True):
        with pytest.raises(SystemExit, match=r"cannot be read(.|\n)*backup(.|\n)*--again"):
            grade.grade(tmp_path, LESSON, again=again)
    (tmp_path / "gradebook.db").unlink()
    with pytest.raises(SystemExit, match=r"not know whose work was graded: ada\.(.|\n)*given by hand"):
        grade.grade(tmp_path, LESSON)
    assert not (tmp_path / "grades").exists()


@needs_a_sandbox
def test_where_answers_cannot_run_nothing_is_graded(monkeypatch, a_class):
    """Without a sandbox, or where it has no course: all would get 0 points."""
    broken = [sys.executable, "-c", "raise ImportError('no module named torch')"]
    monkeypatch.setattr(sandbox, "command", lambda words: broken)
    monkeypatch.setattr(sandbox, "missing", sandbox.missing.__wrapped__)
    with pytest.raises(SystemExit, match=r"no module named torch(.|\n)* Nothing was graded"):
        grade.main([str(a_class[0]), "03"])


def grading_pretended(monkeypatch, problem=None):
    """Let `grade` do everything but run notebooks: each call of it writes a new page."""
    calls = []

    def grade_one(folder, lesson, student):
        page = folder / "feedback" / student / lesson / f"{lesson}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        calls.append(student)
        page.write_text(f"{student}, {calls.count(student)}")
        return problem or grade.mark_graded(folder, lesson, student)

    monkeypatch.setattr(sandbox, "missing", lambda: None)
    monkeypatch.setattr(grade, "graded_in_turn", lambda *all: ((x, grade_one(*all[:2], x)) for x in all[2]))
    monkeypatch.setattr(grade, "points", lambda *_: {})
    return calls


@pytest.mark.parametrize("ends", [lambda: grade.os._exit(1), lambda: sandbox.time.sleep(10**5)])
def test_a_process_that_ends_or_hangs_costs_nobody_else_a_mark(ends, tmp_path, monkeypatch):
    fork = grade.multiprocessing.get_context("fork")
    monkeypatch.setattr(grade.multiprocessing, "get_context", lambda kind: fork)
    monkeypatch.setattr(grade, "grade_one", lambda *all: ends() if all[2] == "bob" else None)
    monkeypatch.setattr(grade, "AFTER", 3, raising=False)
    done = dict(grade.graded_in_turn(tmp_path, LESSON, ["ada", "bob", "eve", "fay"], 2))
    assert done.pop("bob") and done == dict.fromkeys(["ada", "eve", "fay"])
    assert grade.multiprocessing.active_children() == []


def test_a_notebook_whose_grading_was_stopped_has_no_mark_and_is_graded_again(a_class, monkeypatch, capsys):
    """nbgrader has a submission with 0 points by then."""
    folder, put = a_class
    put({"ada.ipynb": book(), "Ada.ipynb": book(), "bob.ipynb": book()})
    calls = grading_pretended(monkeypatch)
    nothing = {one: {"right_pairs": (0.0, 1.0)} for one in ("ada", "Ada", "bob")}
    monkeypatch.setattr(grade, "points", lambda *_: nothing)
    given, broken = grade.grade(folder, LESSON, student="ada")
    assert given.keys() == {"ada"} and broken == dict.fromkeys(("Ada", "bob"), grade.STOPPED)
    grade.grade(folder, LESSON)
    grade.mark_graded(folder, LESSON, "bob", "stopped")
    assert grade.grade(folder, LESSON, student="ada")[1] == {"bob": grade.STOPPED}
    assert f'"not graded: {grade.STOPPED}"\n' in (folder / "grades" / f"{LESSON}.csv").read_text()
    assert grade.grade(folder, LESSON)[1] == {} and calls.count("bob") == 2


@needs_a_sandbox
def test_who_stops_grading_stops_all_of_it(tmp_path):
    folder, files = tmp_path / "class", tmp_path / "files"
    assert make_class_folder.main([str(folder), "03"]) == 0
    late = f"import time\ntime.sleep(1000)\n{demo.RIGHT['sinusoidal_loop']}"
    for name in ("O'N", "O'N (1)"):
        (folder / "downloaded" / LESSON / f"{name}.ipynb").write_text(mine(name + late), encoding="utf-8")
    files.mkdir()
    words = [sys.executable, grade.__file__, folder, "03", "--jobs", "1"]
    environment = grade.os.environ | {"TMPDIR": str(files), "PYTHONIOENCODING": "latin-1"}  # which has no ’
    run = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
    while not list(files.glob("grade_*/kernel_*/kernel.json")):
        assert run.poll() is None
        sandbox.time.sleep(0.1)
    family = sandbox.psutil.Process(run.pid).children(recursive=True)
    run.terminate()
    assert "Stopped. What was graded is kept" in run.communicate()[1] and run.returncode == 1
    assert sandbox.psutil.wait_procs(family, timeout=60)[1] == [] and list(files.iterdir()) == []
    assert grade.last_graded(folder, LESSON, "O’N")[2:] == ["stopped"]


def pages_in(folder, platform="moodle", *place):
    """What a zip of feedback holds, by the names in it."""
    with zipfile.ZipFile(folder.joinpath("feedback", *place, f"{LESSON}_{platform}.zip")) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_after_an_appeal_one_page_goes_back_and_the_others_are_not_lost(monkeypatch, a_class):
    """Whoever grants an appeal before the upload would else give back this one page only."""
    folder, put = a_class
    put({moodle(student, n): book() for n, student in enumerate(("Ada", "Bob"))})
    grading_pretended(monkeypatch)
    ada, bob = (moodle(name, n, f"{LESSON}.html") for n, name in enumerate(("Ada", "Bob")))
    grade.grade(folder, LESSON)
    assert pages_in(folder) == {ada: "Ada 0, 1", bob: "Bob 1, 1"}
    grade.grade(folder, LESSON, student="Bob 1")
    assert pages_in(folder) == {ada: "Ada 0, 1", bob: "Bob 1, 2"}
    assert pages_in(folder, "moodle", "Bob 1") == {bob: "Bob 1, 2"}
    put({moodle("Ada", 0): book(right_pairs="x = 1")})
    assert grade.grade(folder, LESSON, student="Bob 1")[1] == {"Ada 0": grade.STOPPED}


@pytest.mark.parametrize("problem, status", [(None, 0), ("no memory", 1)])
def test_grading_fails_only_where_nbgrader_did(monkeypatch, a_class, capsys, problem, status):
    """A PDF is told to its learner and listed: that is no failure of grading."""
    folder, put = a_class
    put({"ada.ipynb": book(), moodle("Bob", 7, "print.pdf"): "%PDF"})
    calls, tries = grading_pretended(monkeypatch, problem), 1 + status  # once more, alone
    (folder / "roster.csv").write_text("id,Email address\nada,ada@example.org\n")
    assert grade.main([str(folder), "03"]) == status
    assert "not graded: This isn't a notebook" in (folder / "grades" / f"{LESSON}.csv").read_text()
    said = capsys.readouterr().out
    assert f"{folder}/feedback/{LESSON}_moodle.zip\n  {folder}/grades/{LESSON}_moodle.csv\n" in said
    page = (folder / "feedback" / "ada" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert ("Your teacher knows." in page) == bool(problem)
    assert "_canvas" not in said and f'review "{folder}" {LESSON[:2]}' in said
    put({"other.csv": "", "ada.ipynb": book()})  # the same once more, and younger
    assert grade.main([str(folder), "03"]) == status and calls == tries * ["ada"]
    assert ("not graded: ada (ada@example.org, ada.ipynb)" in capsys.readouterr().out) == bool(problem)
    put({"other.csv": "", "more.csv": "", "ada.ipynb": mine("another")})
    assert grade.main([str(folder), "03"]) == status and calls == 2 * tries * ["ada"]


def test_pages_and_graded_notebooks_go_back_by_the_names_that_the_platforms_gave(a_class):
    """Of several files by the name of the newest; nobody's who came otherwise or could not be graded."""
    folder, put = a_class
    names = [f"ada_7_{attempt}_{LESSON}-{attempt}.ipynb" for attempt in (1, 2)]
    flat, bobs = "Gus_5_assignsubmission_file_", moodle("Bob", 3)
    nested = {moodle(name, n, f"{to}{bobs}"): "x" for name, n, to in [("Hal", 9, ""), ("Ivy", 10, "../")]}
    put({names[0]: book(), names[1]: mine("new"), "ada_7_3_print.pdf": "%PDF", f"cut_8_3_{LESSON}.ipynb": "{",
         moodle("Bob", 3, "print.pdf"): "%PDF", moodle("Eve", 4, f"{flat}x.ipynb"): book(),
         f"{flat}x.ipynb": book(), "fay.ipynb": book(), "all.zip": content_of(nested)})  # fmt: skip
    taken = intake.collect(folder, LESSON)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    notebook.metadata["course_notes"] = ["A check was put back."]
    for student in [*taken.ready, *taken.broken]:
        grade.explain(folder, LESSON, student, 10**7 * "x")
        nbformat.write(notebook, _parents(folder / "autograded" / student / LESSON / f"{LESSON}.ipynb"))
    given = {student: {"right_pairs": (1.0, 2.0)} for student in taken.ready}
    tracemalloc.start()
    grade.write_feedback(folder, LESSON, taken, given)
    assert tracemalloc.get_traced_memory()[1] < 10**7  # no page is held
    tracemalloc.stop()
    pages = {moodle("Bob", 3, f"{LESSON}.html"), moodle("Eve", 4, f"{LESSON}.html"), f"{flat}{LESSON}.html"}
    pages |= {moodle(name, n, f"{LESSON}.html") for name, n in (("Hal", 9), ("Ivy", 10))}
    assert pages_in(folder).keys() == pages
    [(name, text)] = pages_in(folder, "canvas").items()
    head, cell = nbformat.reads(text, 4).cells
    assert name == names[1] and "right_pairs: 1 of 2" in head.source
    assert head.source.endswith("put back.") and cell.source == "1 + 1"


@pytest.mark.parametrize("how", ROSTERS)
def test_the_lists_of_the_platforms_are_rosters_as_they_are(tmp_path, how):
    case = ROSTERS[how]
    (tmp_path / "roster.csv").write_bytes(case["roster"].encode(case.get("encoding", "utf-8"), "replace"))
    if "refused" in case:
        with pytest.raises(SystemExit, match=case["refused"]):
            grade.read_roster(tmp_path)
        return
    assert [row["id"] for row in grade.read_roster(tmp_path)] == case["ids"]
    grade.write_grades(tmp_path, LESSON, POINTS, {"bob": "cut"}, {})
    for platform, first in (("moodle", 1), ("canvas", 2)):
        rows = case.get(platform)
        file = tmp_path / "grades" / f"{LESSON}_{platform}.csv"
        assert file.exists() == bool(rows)
        assert not rows or file.read_text(encoding="utf-8").splitlines()[first:] == rows
    if "canvas" in case:  # the assignment that is there, no new one
        title, most = (line.split(",") for line in file.read_text(encoding="utf-8").splitlines()[:2])
        assert title[-1] == LESSON + " (77)" * ("(77)" in case["roster"])
        assert (most[0].strip(), most[-1]) == ("Points Possible", "2")
    assert "not graded: cut" in (tmp_path / "grades" / f"{LESSON}.csv").read_text()


def test_a_mark_stays_when_the_platform_renames_a_learner(tmp_path):
    """A platform would take an empty cell for a mark that is taken back."""
    roster, old, new = 'Student,ID\n"{}, Ada",4711\n', "lovelaceada 4711", "byronada 4711"
    place, given = tmp_path / "grades", {old: {"right_pairs": (1.0, 1.0)}}
    file = place / f"{LESSON}_canvas.csv"
    (tmp_path / "roster.csv").write_text(roster.format("Lovelace"))
    assert grade.write_grades(tmp_path, LESSON, given, {}, {}) == {}
    before = file.read_text()
    (tmp_path / "roster.csv").write_text(roster.format("Byron"))
    file.write_text(before + '"\xe9","",x\n', encoding="cp1252")  # a teacher looked at it in Excel
    for _ in "ab":
        assert grade.write_grades(tmp_path, LESSON, {}, {}, given) == {file: [new]}
        assert file.read_text().replace("Byron", "Lovelace") == before
    assert f"{old},right_pairs,1,1," in (place / f"{LESSON}.csv").read_text()
    assert grade.write_grades(tmp_path, LESSON, {new: {"right_pairs": (0.0, 1.0)}}, {}, given) == {}
    assert file.read_text().endswith(",0\n")
    file.unlink()  # the teacher says that there is no mark
    assert grade.write_grades(tmp_path, LESSON, {}, {}, given) == {}


def test_who_is_not_in_the_list_by_number_gets_no_mark_by_a_name(a_class, monkeypatch, capsys):
    """Whoever has a name in the list; one sentence says which list has numbers."""
    folder, put = a_class
    put({moodle("Ada Byron", 101): mine("of 101"), moodle("Ada Byron", 102): mine("of 102")})
    grading_pretended(monkeypatch)
    for list_of_names, told, silent in [
        ("First name,Last name\nAda,Byron\nAda,Byron 101\n", "Ada Byron 101, Ada Byron 102\n", ""),
        ("Identifier,Full name\nP 102,Ada King\nP 1,Ada Byron\n", "Ada Byron 101\n", "Ada Byron 1\n"),
        ("id,Email address\nAda Byron 102,a@\nAda Byron,b@\n", "Ada Byron 101\n", "Ada Byron\n"),
        ("Identifier,id\nParticipant 102,ada\nParticipant 101,bob\n", "", ""),
    ]:
        (folder / "roster.csv").write_text(list_of_names)
        grade.grade(folder, LESSON)
        said = capsys.readouterr().out
        for words, names in [("in no table for a platform: ", told), ("handed in nothing: ", silent)]:
            assert words + names in said if names else words not in said
        assert (grade.WHICH_LIST in said) == bool(told)
