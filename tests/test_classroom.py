"""Handing in, grading and reviewing; `course.py classroom-demo` does all of it with a whole class."""

import ast
import builtins
import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from reexecute import ROOT, find_notebooks

from pe_lessons.exercises import run_answer
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
needs_a_sandbox = pytest.mark.skipif(sandbox.missing() is not None, reason="no sandbox on this machine")
HONEST = {}  # what they handed in, by lesson and student
for student, work in tomllib.loads((ROOT / "tests/honest_submissions.toml").read_text("utf-8")).items():
    first = next(name for name in work if name in REGISTRY)
    [lesson] = [one.__name__.rpartition(".")[2] for one in packages() if first in vars(one)]
    HONEST.setdefault(lesson, {})[student] = work


@pytest.fixture
def release():
    return nbformat.read(lessons()[LESSON], 4)


def answered(release):
    notebook = nbformat.from_dict(release)
    notebook = nbformat.reads(nbformat.writes(notebook), 4)
    for cell in notebook.cells:
        if grade_id(cell) in demo.RIGHT:
            cell.source = demo.RIGHT[grade_id(cell)]
    return notebook


def handed_out(folder, release):
    """Where downloads are put in a class that has this lesson."""
    downloads, place = folder / "downloaded" / LESSON, folder / "release" / LESSON
    for one in (downloads, place):
        one.mkdir(parents=True)
    nbformat.write(release, place / f"{LESSON}.ipynb")
    return downloads


@pytest.mark.parametrize(
    "name, student",
    [
        ("Ada Lovelace_12345_assignsubmission_file_/03_the_naive_loop.ipynb", "Ada Lovelace"),
        ("class/Ada Lovelace_12345_assignsubmission_file/mine.ipynb", "Ada Lovelace"),
        ("lovelaceada_4711_815_03_the_naive_loop.ipynb", "lovelaceada"),
        ("lovelaceada_LATE_4711_815_03_the_naive_loop-1.ipynb", "lovelaceada"),
        ("ada/whatever.ipynb", "ada"),
        ("ada_03_the_naive_loop (1).ipynb", "ada"),
        ("ada_03_the_naive_loop-1.ipynb", "ada"),
        ("ada.ipynb", "ada"),
        ("ada.ipynb.txt", "ada"),
        ("student07.ipynb", "student07"),
        ("student07 (1).ipynb", "student07"),
        ("a[d]a/x.ipynb", "a-d-a"),
    ],
)
def test_files_tell_whose_they_are(name, student):
    assert intake.student_of(name) == student


SPOILT = (
    "check deleted, all checks deleted, answer deleted, answer and check deleted, imports deleted, "
    "older imports, check copied, "
    "check changed, answer as prose, check as prose, metadata lost, colab, checks tagged, "
    "passed off as released"
)


@pytest.mark.parametrize("how", SPOILT.split(", "))
def test_every_check_and_answer_is_there_again(release, how):
    notebook = answered(release)
    notebook.cells.append(nbformat.v4.new_code_cell("mine = 1"))
    demo.spoil(notebook, how)
    notebook = intake.read(nbformat.writes(notebook).encode())
    notebook, notes = intake.put_right(notebook, release)
    names = [grade_id(cell) for cell in notebook.cells if grade_id(cell)]
    wanted = {grade_id(cell): cell for cell in release.cells if grade_id(cell)}
    assert sorted(names) == sorted(wanted)
    imports = {cell.source for cell in release.cells if intake.IMPORT.search(cell.source)}
    assert imports - {cell.source for cell in wanted.values()} <= {cell.source for cell in notebook.cells}
    for cell in notebook.cells:
        if name := grade_id(cell):
            assert (cell.cell_type, cell.metadata) == ("code", wanted[name].metadata)
            assert not name.endswith("-check") or cell.source == wanted[name].source
            lost = "answer" in how and "deleted" in how and name == "sinusoidal_loop"
            if name in demo.RIGHT and not lost:
                assert cell.source == demo.RIGHT[name]
        elif cell.metadata.get("as_released"):
            assert cell.source in {one.source for one in release.cells}
    assert bool(notes) == (how.endswith(("deleted", "changed")))
    again, same = intake.put_right(notebook, release)
    assert (nbformat.writes(again), same) == (nbformat.writes(notebook), notes)


def test_files_that_cannot_be_read_say_what_to_do(release):
    text = nbformat.writes(release)
    for content, words in [
        (text[:5000], "stops in the middle"),
        (text.replace(' "cells"', '<<<<<<< HEAD\n "cells"', 1), "two versions of your work"),
        ("%PDF-1.4", r"This is no notebook \(\.ipynb\)"),
        ("", r"This is no notebook \(\.ipynb\)"),
    ]:
        with pytest.raises(intake.Unreadable, match=words):
            intake.read(content.encode())
    for lesson, path in lessons().items():
        if lesson != LESSON:
            said = f"This is lesson {lesson[3:]}, not lesson {LESSON[3:]}"
            with pytest.raises(intake.Unreadable, match=said):
                intake.put_right(nbformat.read(path, 4), release)
    for cells in ([], release.cells[:5]):
        with pytest.raises(intake.Unreadable, match=f"Of lesson {LESSON[3:]} too few cells are left"):
            intake.put_right(nbformat.v4.new_notebook(cells=cells), release)


def odd_file(how, release):
    """The bytes of a file that somebody hands in, and whether it can be graded all the same."""
    data = json.loads(nbformat.writes(answered(release)))
    cells, about = data["cells"], data["metadata"]
    prose = next(cell for cell in cells if cell["cell_type"] == "markdown")
    code = next(cell for cell in cells if cell["cell_type"] == "code")
    gradable = True
    match how:
        case "notes a number" | "notes null" | "notes lists" | "notes forged":
            forged = ["The cell `right_pairs` was missing and has been put back."]
            notes = {"notes number": 5, "notes null": None, "notes lists": [[1]], "notes forged": forged}
            about["course_notes"] = notes.get(how, 5)
        case "nbgrader a text" | "nbgrader a list" | "nbgrader null":
            for cell in cells:
                cell["metadata"]["nbgrader"] = {"nbgrader a text": "x", "nbgrader a list": [1]}.get(how)
        case "half an emoji in prose":
            prose["source"] = "see \ud83d"
        case "half an emoji in code":
            cells.append({**code, "id": "own", "source": "print('\ud83d')"})
        case "outputs of another form":
            code["outputs"] = {"a": 1}
        case "a key too many":
            code["colour"] = data["origin"] = "an odd editor"
        case "a number of 5,000 digits":
            cells.append({**code, "id": "own", "source": "BIG = 0x" + 5_000 * "f"})
        case "700 lines of magic":
            cells.append({**code, "id": "own", "source": 700 * "%pwd\n" + "\0"})
        case "a thousand dots":
            cells.append({**code, "id": "own", "source": "a" + ".b" * 1_000})
        case _:
            gradable = False
    match how:
        case "a stray comma":
            return nbformat.writes(release).replace('"cells": [', '"cells": [,', 1).encode(), gradable
        case "cut":
            return nbformat.writes(release)[:5_000].encode(), gradable
        case "UTF-16":
            return nbformat.writes(release).encode("utf-16"), gradable
        case "nested without end":
            return b'{"nbformat": 4, "cells": ' + b"[" * 10**5, gradable
        case "a list" | "a number" | "null":
            return {"a list": b"[]", "a number": b"9" * 5_000, "null": b"null"}[how], gradable
        case "nothing":
            return b"", gradable
        case "too many cells":
            cells += [{**code, "id": f"own{n}", "source": ""} for n in range(intake.MOST_CELLS)]
        case "too much code":
            cells.append({**code, "id": "own", "source": intake.MOST_CODE * "\n"})
        case "cell_type missing":
            del code["cell_type"]
        case "cell_type heading":
            prose["cell_type"] = "heading"
        case "cells a text":
            data["cells"] = "cells"
        case "a cell is null":
            cells[3] = None
        case "source missing":
            del code["source"]
        case "source a number":
            code["source"] = 5
        case "metadata a list":
            code["metadata"] = []
        case "nbformat a text":
            data["nbformat"] = "four"
        case "ids as numbers":
            for number, cell in enumerate(cells):
                cell["id"] = number
    return json.dumps(data).encode(), gradable


ODD = """notes a number, notes null, notes lists, notes forged, nbgrader a text, nbgrader a list,
nbgrader null, half an emoji in prose, half an emoji in code, outputs of another form, a key too many,
a number of 5,000 digits, a thousand dots, 700 lines of magic, too many cells,
too much code, a stray comma, cut, UTF-16, nested without end, a list, a number,
null, nothing, cell_type missing, cell_type heading, cells a text, a cell is null, source missing,
source a number, metadata a list, nbformat a text, ids as numbers"""
ODD = [" ".join(how.split()) for how in re.split(r",(?!\d)", ODD)]


@pytest.mark.parametrize("how", ODD)
def test_an_odd_file_is_one_entry_and_everybody_else_is_graded(how, tmp_path, release):
    downloads = handed_out(tmp_path, release)
    nbformat.write(release, downloads / "bob.ipynb")
    content, gradable = odd_file(how, release)
    (downloads / "ada.ipynb").write_bytes(content)
    for _ in range(2):
        taken = intake.collect(tmp_path, LESSON)
        assert taken.ready.keys() == ({"ada", "bob"} if gradable else {"bob"})
        assert taken.broken.keys() == (set() if gradable else {"ada"})
        assert taken.ready.get("ada", []) == []
    if gradable:
        notebook = nbformat.read(tmp_path / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb", 4)
        assert demo.cell_of(notebook, "sinusoidal_loop").source == demo.RIGHT["sinusoidal_loop"]
        running.not_needed(notebook.cells)
        assert {review.shape(cell.source) for cell in notebook.cells}
        assert any(review.assigned(cell.source) for cell in notebook.cells)
    else:
        grade.explain(tmp_path, LESSON, "ada", taken.broken["ada"])
        assert ("stops in the middle" in taken.broken["ada"]) == (how == "cut")


@pytest.fixture
def mailed(tmp_path, release):
    """A class, and how to put a file into its downloads: contents, or a notebook by the right pairs in it."""
    downloads = handed_out(tmp_path, release)

    def notebook(answer):
        cells = answered(release)
        demo.cell_of(cells, "sinusoidal_loop").source = answer
        return nbformat.writes(cells).encode()

    def put(name, content, day=1):
        (downloads / name).parent.mkdir(parents=True, exist_ok=True)
        (downloads / name).write_bytes(content)
        grade.os.utime(downloads / name, (86_400 * (30_000 + day),) * 2)

    def answer_of(student):
        file = tmp_path / "submitted" / student / LESSON / f"{LESSON}.ipynb"
        return demo.cell_of(nbformat.read(file, 4), "sinusoidal_loop").source

    return tmp_path, put, notebook, answer_of


def zipped(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


MOODLE = "{}_{}_assignsubmission_file_/" + f"{LESSON}.ipynb"


def test_nobody_hands_in_for_somebody_else(mailed):
    """By a folder of one's own, which a platform's zip keeps; a zip; a link; a name that is a path."""
    folder, put, notebook, answer_of = mailed
    ada, eve = MOODLE.format("Ada Lovelace", 101), MOODLE.format("Eve", 102)
    inside = f"Eve_102_assignsubmission_file_/{ada}"
    put("all.zip", zipped(**{ada: notebook("mine"), eve: notebook("hers"), inside: notebook("forged")}))
    put("Eve.zip", zipped(**{ada: notebook("forged"), "Ada Lovelace.ipynb": notebook("forged")}), 2)
    put("work.zip", zipped(**{"Ada Lovelace.ipynb": notebook("forged")}), 2)
    put("Gus.ipynb", notebook("his"))
    (folder / "downloaded" / LESSON / "Zed.ipynb").symlink_to(folder / "downloaded" / LESSON / "Gus.ipynb")
    put("../Ivy/..ipynb", b"{")
    taken = intake.collect(folder, LESSON)
    assert answer_of("Ada Lovelace") == "mine" and taken.ready.keys() == {"Ada Lovelace", "Eve", "Gus"}
    assert taken.newest_broken == {"Eve": intake.OWN_ZIP} and taken.unread.keys() == {"work.zip"}
    assert intake.student_of("..ipynb") == intake.student_of("../x") == "-"
    assert len(intake.student_of("x" * 250 + ".ipynb").encode()) <= intake.LONGEST_NAME


def test_a_platform_s_zip_that_is_broken_is_named_and_the_rest_is_read(mailed):
    folder, put, notebook, answer_of = mailed
    good = zipped(**{MOODLE.format("Ada", 1): notebook("mine")})
    put("one.ZIP", good)
    put("cut.zip", good[: len(good) // 2])
    put("none.zip", b"<html>Please log in")
    at = (spoilt := bytearray(zipped(**{MOODLE.format("Bob", 2): notebook("his")}))).index(b"nbformat")
    spoilt[at : at + 4] = b"XXXX"
    put("spoilt.zip", bytes(spoilt))
    taken = intake.collect(folder, LESSON)
    assert answer_of("Ada") == "mine" and taken.ready.keys() == {"Ada"}
    assert taken.unread.keys() == {"cut.zip", "none.zip"}
    assert all("BadZipFile" in why and "download it again" in why for why in taken.unread.values())
    assert taken.broken.keys() == {"Bob"} and "taken out of the zip" in taken.broken["Bob"]


def test_a_mail_of_one_of_two_namesakes_deletes_nothing(mailed):
    folder, put, notebook, answer_of = mailed
    put("all.zip", zipped(**{MOODLE.format("Sam Same", n): notebook(f"of {n}") for n in (1, 2)}))
    put("Sam Same.ipynb", notebook("mailed"), 2)
    taken = intake.collect(folder, LESSON)
    assert "Sam Same 1.ipynb or Sam Same 2.ipynb" in taken.unread["Sam Same.ipynb"]
    downloads = folder / "downloaded" / LESSON
    (downloads / "Sam Same.ipynb").rename(downloads / "Sam Same 2.ipynb")
    assert intake.collect(folder, LESSON).unread == {}
    assert (answer_of("Sam Same 1"), answer_of("Sam Same 2")) == ("of 1", "mailed")
    assert (downloads / "all.zip").exists()


def test_a_name_that_is_no_utf_8_is_read_as_latin(mailed, capsys):
    folder, put, notebook, answer_of = mailed
    for name in (b"Zo\xeb.ipynb", b"Zo\xe9.ipynb"):
        put(grade.os.fsdecode(name), notebook(name.decode("latin-1")))
    taken = intake.collect(folder, LESSON)
    assert taken.ready.keys() == {"Zoë", "Zoé"} and answer_of("Zoë") == "Zoë.ipynb"
    print(*map(intake.readable, (file.name for files in taken.files.values() for file in files)))
    assert intake.readable("a\x1b[2J.ipynb") == "a-[2J.ipynb"  # which would clear the teacher's screen


def test_a_broken_newest_file_is_told_to_both_and_points_by_hand_follow_the_file(mailed, monkeypatch, capsys):
    folder, put, notebook, _ = mailed
    put("ada.ipynb", notebook("right"))
    put("ada (1).ipynb", notebook("right"), 2)
    grading_pretended(monkeypatch)
    monkeypatch.setattr(grade, "check_grade_book", lambda *_: None)
    grade.grade(folder, LESSON)
    assert "files, the last one counts" not in capsys.readouterr().out  # the same file twice
    token = grade.handed_in(folder, LESSON, "ada")
    put("ada (2).ipynb", notebook("right")[:5_000], 3)
    grade.grade(folder, LESSON)
    said = capsys.readouterr().out
    assert "ada: the newest file is broken, the one before it counts: The file stops in the middle" in said
    text = (folder / "submitted" / "ada" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert intake.NEWEST in text and grade.handed_in(folder, LESSON, "ada") != token  # a new page
    put("ada (2).ipynb", notebook("newer"), 3)
    taken = intake.collect(folder, LESSON)
    assert taken.newest_broken == {} and taken.ready["ada"] == []


def test_points_by_hand_follow_the_file(tmp_path):
    place = tmp_path / "submitted" / "ada" / LESSON
    place.mkdir(parents=True)
    (place / f"{LESSON}.ipynb").write_text("{}")
    with grade.Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        book.add_assignment(LESSON)
        book.add_notebook(LESSON, LESSON)
        book.add_grade_cell("right_pairs-check", LESSON, LESSON, max_score=1, cell_type="code")
        book.add_student("ada")
        book.add_submission(LESSON, "ada")
        book.find_grade("right_pairs-check", LESSON, LESSON, "ada").manual_score = 0.5
        book.db.commit()
    mark = grade.graded(tmp_path, LESSON, "ada")
    mark.parent.mkdir(parents=True)
    mark.write_text(f"{grade.handed_in(tmp_path, LESSON, 'ada')}\nterm-2026w\n")
    assert grade.take_back_points_by_hand(tmp_path, LESSON, "ada") == {}  # the same file, graded again
    mark.write_text("1\nterm-2026w\n")
    assert grade.take_back_points_by_hand(tmp_path, LESSON, "ada") == {"right_pairs": 0.5}
    assert grade.points_by_hand(tmp_path, LESSON) == {"ada": set()}


def test_a_page_holds_nothing_of_a_learner_that_a_browser_runs():
    bad = "<script>alert(1)</script>"
    outputs = [
        nbformat.v4.new_output(
            "display_data", {kind: bad for kind in ("text/html", "image/png", "text/latex")}
        ),
        nbformat.v4.new_output(
            "display_data", {"text/plain": "7", "image/png": "iVBORw0KGgo=\n"}, metadata={"a": bad}
        ),
        nbformat.v4.new_output("stream", text="x" * 10**6),
        nbformat.v4.new_output("error", ename="E", evalue="x" * 10**6, traceback=["x" * 10**6]),
    ]
    cells = [
        nbformat.v4.new_markdown_cell(bad, attachments={"a.svg": {"image/svg+xml": bad}}),
        nbformat.v4.new_raw_cell(f"```\n{bad}", metadata={"tags": [bad]}),
        nbformat.v4.new_markdown_cell("<b>ours</b>", metadata={"as_released": True}),
        nbformat.v4.new_code_cell("1", outputs=outputs),
    ]
    for cell in cells:
        running.make_harmless(cell)
    prose, raw, ours, code = cells
    assert (prose.cell_type, prose.source) == (
        "markdown",
        f"```text\n{bad}\n```",
    ) and "attachments" not in prose
    assert (raw.cell_type, raw.source) == ("markdown", f"````text\n```\n{bad}\n````") and raw.metadata == {}
    assert ours.source == "<b>ours</b>"
    assert [one.get("data") for one in code.outputs[:2]] == [
        {},
        {"text/plain": "7", "image/png": "iVBORw0KGgo=\n"},
    ]
    assert len(json.dumps(code.outputs)) < 10**5 and "alert" not in json.dumps(code.outputs)


def test_review_says_what_a_check_said_where_the_mistake_has_no_name(release):
    exercise = REGISTRY["right_pairs"]

    def constant(table):
        return 0

    assert exercise.diagnose(constant).cause is None
    for said, words in [
        ("changes its argument `x`. Work on a copy.", "changes an argument"),
        ("You return what `loops.x` of the course returns.", "returns a result of the course"),
    ]:
        assert review.mistakes_in("right_pairs", f"right_pairs: Not yet.\n{said}") == [words]
    check = demo.cell_of(release, "right_pairs-check")
    later = nbformat.v4.new_code_cell("def my_right_pairs(table):\n    return 3")
    assert review.made_later("right_pairs", [check, later])
    assert not review.made_later("right_pairs", [later, check])


@needs_a_sandbox
def test_files_in_memory_only_count_as_memory():
    held = grade.os.memfd_create("held")
    grade.os.write(held, bytes(3 << 20))
    try:
        assert sandbox.unmapped([sandbox.psutil.Process()]) >= 3 << 20
    finally:
        grade.os.close(held)


@needs_a_sandbox
def test_a_sandbox_keeps_the_teacher_s_secrets_and_bounds_what_is_held(monkeypatch):
    """The variables of bubblewrap itself; files under any link, in any folder; files in memory only."""
    monkeypatch.setenv("TEACHERS_TOKEN", "secret")
    monkeypatch.setattr(sandbox, "FILES", 20 << 20)
    monkeypatch.setattr(sandbox, "PARTS", 20_000)
    shm = "open('/dev/shm/{}', 'wb').write(bytes(15 << 20))"
    where = "import glob, os, time\nplace = glob.glob('/tmp/kernel_*')[0]\n"
    big = "open(place + '/c', 'wb').write(bytes(15 << 20))\nos.link(place + '/c', place + '/d')\n"
    wait = "os.symlink('nowhere', place + '/e')\ntime.sleep(60)"
    for source, said in [
        ("print(open('/proc/1/environ').read() + open('/proc/self/environ').read())", ""),
        (f"{shm.format('x')}\n{shm.format('y')}", "No space"),
        (f"{where}{big}{wait}", "it wrote more than"),
        (f"{where}os.mkdir(place + '/a')\n{wait}", "it wrote more than"),
        ("print(20_000 * '[],')\nimport time; time.sleep(60)", "it sent a message of more than"),
    ]:
        cells = [nbformat.v4.new_code_cell(source)]
        notebook, _ = running.Run(timeout=30).preprocess(nbformat.v4.new_notebook(cells=cells), {})
        text = json.dumps(notebook.cells[1].outputs)
        assert said in text and "TEACHERS_TOKEN" not in text


@pytest.mark.parametrize("notebook", find_notebooks(), ids=lambda path: path.stem)
def test_cells_that_no_answer_uses_are_spared_and_all_others_run(notebook):
    """Of the answers, as a learner would type them, no name is missing in the cells that are left."""
    release = nbformat.read(notebook, 4)
    handed_in = nbformat.read(notebook, 4)
    for cell in handed_in.cells:
        exercise = REGISTRY.get(grade_id(cell))
        if (
            exercise in LESSON_OF
            and not isinstance(exercise, Numbers)
            and cell.metadata.nbgrader.get("solution")
        ):
            cell.source = exercise.text
    fixed, _ = intake.put_right(handed_in, release)
    idle = running.not_needed(fixed.cells)
    left = [
        cell for number, cell in enumerate(fixed.cells) if cell.cell_type == "code" and number not in idle
    ]
    bound = set(dir(builtins))
    for cell in left:
        tree = ast.parse(re.sub(r"(?m)^ *[%!].*", "", cell.source))
        bound |= {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }
        bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        bound |= {(a.asname or a.name).split(".")[0] for node in ast.walk(tree)
                  if isinstance(node, ast.Import | ast.ImportFrom) for a in node.names}  # fmt: skip
    for cell in left:
        assert running.names_in(cell) <= bound, cell.id
    assert idle


@pytest.mark.parametrize(
    "source",
    ["%timeit f(table)", "%%time\nf(table)", "np.outer?\nf(table)", "for f in t:\n    %time f(table)"],
)
def test_what_ipython_runs_uses_names_too(source):
    assert {"f", "table"} <= running.names_in(nbformat.v4.new_code_cell(source))


@needs_a_sandbox
@pytest.mark.parametrize("run", [running.RunOpenly, running.Run])
def test_a_check_only_tells_what_an_answer_does(run):
    """Its own outputs count for nothing, nor do other checks in its cell; an error of the cell stays."""
    name, right = "sinusoidal_loop", demo.RIGHT["sinusoidal_loop"]

    def a_check(source, exercise=name):
        cell = nbformat.v4.new_code_cell(source)
        cell.metadata["nbgrader"] = {"grade": True, "grade_id": f"{exercise}-check"}
        return cell

    sources = [
        "import math\nfrom pe_lessons.lessons.the_naive_loop import *\nprint(sinusoidal_loop.text)",
        right,
    ]
    cells = [
        *map(nbformat.v4.new_code_cell, sources),
        a_check(f"{name}.check(my_sinusoidal)\nprint('at work')\n50"),
        a_check(f"print('{name}: Correct.')"),
        a_check("bug_question.check('bce')"),
        a_check(f"{name}.check(never_made)"),
        a_check(f"{name}.check(my_sinusoidal)\nget_ipython().displayhook(1)\nraise ValueError"),
        a_check("quiz_the_naive_loop.check(['b'])", "quiz_the_naive_loop"),
    ]
    notebook, _ = run(timeout=60).preprocess(nbformat.v4.new_notebook(cells=cells), {})
    _, imports, _, correct, forged, other, unmade, failed, few = notebook.cells
    assert (
        "the course gives no answers" in imports.outputs[0].text and right[30:] not in imports.outputs[0].text
    )
    [said] = correct.outputs
    assert (said.name, said.text.split("\n")[0]) == ("stdout", f"{name}: Correct.")
    assert correct.metadata[marking.VERDICT] == {"status": "correct", "cause": None, "called": []}
    wrong = (forged, other, unmade, failed, few)
    names = [next(one.ename for one in cell.outputs if "ename" in one) for cell in wrong]
    assert all(one.output_type != "execute_result" for one in failed.outputs)  # partial credit for nbgrader
    assert names == ["NoVerdict", "NoVerdict", "NameError", "ValueError", "CheckFailed"]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.name)
def test_a_look_tells_another_process_all_that_a_check_needs(exercise, monkeypatch):
    trust(monkeypatch)
    mistakes = [] if isinstance(exercise, Numbers) else list(exercise.mistakes)[:1]
    for answer in [exercise.reference, *(one.wrong for one in mistakes), None, ...]:
        look = exercise.look(answer)
        told = run_answer.Look.from_text(look.as_text())
        assert exercise.judge(told) == exercise.judge(look)


@pytest.mark.parametrize(
    "fault",
    [
        {"entries": []},
        {"entries": [0.0], "kind": "raised"},
        {"entries": ["1e999999999"] * 20},
        {"shape": [10**400]},
        {"shape": {}},
        {"changed": "x"},
        {"steps": "many"},
        {"more": 1},
    ],
    ids=str,
)
@pytest.mark.usefixtures("the_course_may_answer")
def test_a_forged_look_is_no_verdict(fault):
    exercise = marking.renewed("sinusoidal_loop")
    look = json.loads(exercise.look(exercise.reference).as_text())
    assert marking.judged(exercise.name, json.dumps(look)).status == "correct"
    for trials in ([look["seen"][0] | fault, *look["seen"][1:]], look["seen"][:1], []):
        result = marking.judged(exercise.name, json.dumps(look | {"seen": trials}))
        assert result is None or result.status != "correct"
    for text in ("", "[]", "null", "[" * 10**5, "{}", json.dumps(look | {"kind": "letters"}), "9" * 5_000):
        assert marking.judged(exercise.name, text) is None


def test_every_right_answer_is_right_where_the_course_has_no_answers(tmp_path):
    """Every style of every exercise, as learners would type it, looked at in a process without answers."""
    told, cells = tmp_path / "told.json", []
    for exercise in EXERCISES:
        if not isinstance(exercise, Numbers):
            for style in LESSON_OF[exercise].styles(exercise.name):
                imports = [line for line in Path(style.module.__file__).read_text("utf-8").splitlines()
                           if re.match("import|from", line) and ".answers" not in line]  # fmt: skip
                source = "\n".join([*imports, style.text])
                cells.append((exercise.name, style.name, source))
    program = (
        "import json, sys, pe_lessons\nfrom pe_lessons.lessons import REGISTRY\n"
        "from pe_lessons.exercises.result import LOOK_ONLY\n"
        "told = []\nfor name, mine, source in json.load(open(sys.argv[1])):\n"
        "    scope = {'__name__': 'cell'}\n"
        "    exec(compile(source, 'a cell', 'exec'), scope)\n"
        "    told.append(REGISTRY[name].renewed(LOOK_ONLY[name]).look(scope[mine]).as_text())\n"
        "json.dump([pe_lessons.__file__, told], open(sys.argv[1], 'w'))\n"
    )
    told.write_text(json.dumps(cells))
    copy = marking.without_answers()
    seeds = json.dumps({name: marking.seeds(name) for name, *_ in cells})
    environment = {**grade.os.environ, "PYTHONPATH": str(copy), "PE_LESSONS_LOOK_ONLY": seeds}
    subprocess.run([sys.executable, "-c", program, told], check=True, env=environment, cwd=tmp_path)
    where, looks = json.loads(told.read_text())
    assert Path(where).is_relative_to(copy)
    for (name, mine, _), look in zip(cells, looks, strict=True):
        result = marking.judged(name, look)
        asked_without = REGISTRY[name].no_loop and mine.endswith("_loop")
        assert result is not None and (result.status == "correct" or asked_without), (mine, result)


@pytest.mark.parametrize("exercise", [one for one in EXERCISES if one.probes[0]], ids=lambda one: one.name)
def test_what_is_right_in_the_known_trials_only_is_wrong_in_fresh_ones(exercise):
    """Literals, and forged looks of somebody who has seen the known trials at home."""
    fresh, seeds = marking.renewed(exercise.name), marking.seeds(exercise.name)
    assert None not in seeds and len(fresh._expected) == len(exercise._expected) + len(seeds)
    known = [*exercise._expected, *exercise._expected[: len(seeds)]]  # of the trial that is most like it
    assert fresh._wrong(fresh._expected) == []
    assert fresh._wrong(known) and all(n >= len(exercise._expected) for n in fresh._wrong(known))


def test_a_forged_reason_stays_one_line():
    text = run_answer.Look("refused", "no.\nright_pairs: Correct.").as_text()
    assert "right_pairs: Correct." not in str(marking.judged("right_pairs", text)).splitlines()


@pytest.mark.parametrize("run", [running.RunOpenly, pytest.param(running.Run, marks=needs_a_sandbox)])
def test_a_cell_is_stopped_for_what_it_computes(run):
    """A busy machine makes an answer wait, as sleep does here: that alone costs no point."""
    loop = "while True:\n    pass"
    sources = [
        "import subprocess, sys, time\ntime.sleep(2)\nprint('done')",
        loop,
        f"subprocess.run([sys.executable, '-c', {loop!r}])",
        "time.sleep(10**6)",
        "print('done')",
    ]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook, _ = run(timeout=1).preprocess(nbformat.v4.new_notebook(cells=cells), {})
    _, late, *endless, asleep, last = notebook.cells
    assert [output.get("text") for output in late.outputs + last.outputs] == ["done\n"] * 2
    names = ["ComputedTooLong", "ComputedTooLong", "WaitedTooLong"]
    for cell, name in zip([*endless, asleep], names, strict=True):
        assert [output.get("ename") for output in cell.outputs][-2:] == ["KeyboardInterrupt", name]
    assert review.stopped(notebook) == [review.STOPPED[name] for name in names]


def test_review_tells_the_mistakes_by_their_names():
    [known] = [one for one in REGISTRY["sinusoidal_loop"].mistakes if one.name == "doubled exponent"]
    assert review.mistakes_in("sinusoidal_loop", f"sinusoidal_loop: Not yet.\n{known.say}") == [known.name]
    assert review.mistakes_in("sinusoidal_loop", "sinusoidal_loop: Correct.\nIn all.") == []
    text = REGISTRY["bug_question"].choices["a"][0]
    [chose] = review.mistakes_in("bug_question", "bug_question: Not yet.\na (chosen): No.")
    assert chose == f"chose a: {text}"
    missing = "bug_question: Not yet.\nOne right choice is missing."
    assert review.mistakes_in("bug_question", missing) == ["a right choice missing"]
    for said, words in [
        ("NameError: name 'my_table' is not defined", "the answer's name was never made"),
        ("NotRun: A cell stopped the notebook", "not run: the notebook stopped before"),
        ("NoVerdict: The check was not heard", "the check was not heard"),
        ("50", "no verdict"),
    ]:
        assert review.mistakes_in("sinusoidal_loop", said) == [words]


def test_review_names_learners_on_a_page_of_their_own_and_knows_what_a_teacher_gave(
    tmp_path, release, monkeypatch, capsys
):
    """An answer that was deleted is told; points by hand are told beside the mistake, which stays."""
    [slip] = [one for one in REGISTRY["sinusoidal_loop"].mistakes if one.name == "doubled exponent"]
    wrong, lost = f"sinusoidal_loop: Not yet.\n{slip.say}", "The cell `sinusoidal_loop` was missing and"
    place = tmp_path / "release" / LESSON
    place.mkdir(parents=True)
    nbformat.write(release, place / f"{LESSON}.ipynb")
    given = {}
    for student, said, points, notes in [
        ("ada", "sinusoidal_loop: Correct.", 1.0, ["The cell `sinusoidal_loop-check` was missing and"]),
        ("bob", "sinusoidal_loop: Not attempted yet.", 0.0, [lost]),
        ("Eve", wrong, 1.0, []),
        ("fay", wrong, 0.0, []),
        ("gus", wrong, 1.0, []),
        ("Ivy", wrong, 0.5, []),
    ]:
        notebook = nbformat.reads(nbformat.writes(release), 4)
        notebook.metadata["course_notes"] = notes
        check = demo.cell_of(notebook, "sinusoidal_loop-check")
        check.outputs = [nbformat.v4.new_output("stream", name="stdout", text=said)]
        if said == wrong and student != "Ivy":
            copied = demo.cell_of(notebook, "hunt-function").source
            demo.cell_of(notebook, "sinusoidal_loop").source = copied.replace("textbook", "my_sinusoidal")
        for folder in ("submitted", "autograded"):
            (tmp_path / folder / student / LESSON).mkdir(parents=True)
        nbformat.write(notebook, tmp_path / "autograded" / student / LESSON / f"{LESSON}.ipynb")
        given[student] = {"sinusoidal_loop": (points, 1.0)}
    monkeypatch.setattr(grade, "points", lambda *_: given)
    by_hand = {student: {"sinusoidal_loop"} for student in ("Eve", "Ivy")}
    monkeypatch.setattr(grade, "points_by_hand", lambda *_: by_hand)
    monkeypatch.setattr(grade, "check_grade_book", lambda *_: None)
    mistakes, remarks, alike, _ = review.look(tmp_path, LESSON)
    made = {review.RIGHT: ["ada"], review.MISSING: ["bob"], slip.name: ["Eve", "Ivy", "fay", "gus"]}
    assert mistakes == {"sinusoidal_loop": made}
    assert alike == [(["sinusoidal_loop"], ["sinusoidal_loop"], ["Eve", "fay", "gus"])]  # points or none
    assert remarks == {
        "bob": ["sinusoidal_loop: the answer's cell was missing"],
        "gus": ["sinusoidal_loop: 1 of 1 points, and no Correct"],
    }
    (tmp_path / "nbgrader_config.py").write_text("")
    assert review.main([str(tmp_path), "03"]) == 0
    kept = [tmp_path / "review" / f"{LESSON}{more}.md" for more in ("", "_names")]
    assert (tmp_path / "review" / f"{LESSON}.png").read_bytes().startswith(b"\x89PNG")
    first, second = (file.read_text(encoding="utf-8") for file in kept)
    told = f'4 × doubled exponent, of these 2 × points by hand. "{slip.say}"'
    assert f"1 of 6 right\n  - {told}\n  - 1 × the ans" in first and f"({LESSON}.png)" in first
    assert not any(student in first for student in given)
    assert "- sinusoidal_loop, doubled exponent: Eve, Ivy, fay, gus" in second
    assert "sinusoidal_loop, right" not in second
    assert "- sinusoidal_loop (wrong): Eve, fay, gus" in second
    said = capsys.readouterr().out
    assert all(text in said for text in (first, second, *map(str, kept)))


def test_review_puts_together_who_is_alike_in_several_exercises():
    answers = {
        ("one", "a"): {"ada", "bob", "eve"},
        ("one", "b"): {"fay", "gus"},
        ("two", "c"): {"ada", "bob", "fay"},
        ("two", "d"): {"eve"},
    }
    found = [
        ([], ["one", "two"], ["ada", "bob"]),
        ([], ["one"], ["fay", "gus"]),
        ([], ["one"], ["ada", "bob", "eve"]),
        ([], ["two"], ["ada", "bob", "fay"]),
    ]
    assert review.alike_in(answers) == found
    wrong = {("one", "fay"), ("one", "gus"), ("two", "ada")}  # ada alone: not what the three share
    assert review.alike_in(answers, wrong) == [(["one"], ["one"], ["fay", "gus"]), found[0], *found[2:]]


def test_a_second_class_folder_keeps_what_the_teacher_changed(tmp_path, capsys):
    folder = make_class_folder.make(tmp_path / "class", [LESSON])
    lesson = folder / "source" / LESSON / f"{LESSON}.ipynb"
    changed = lesson.read_text(encoding="utf-8").replace('"points": 0', '"points": 1')
    lesson.write_text(changed, encoding="utf-8")
    assert make_class_folder.kept(folder) == [LESSON]
    make_class_folder.make(folder, [LESSON])
    assert lesson.read_text(encoding="utf-8") == changed


@needs_a_sandbox
def test_a_sandbox_shows_python_and_nothing_of_the_teacher(tmp_path):
    (tmp_path / "gradebook.db").write_text("private")
    code = (
        "import os, pe_lessons, socket\n"
        f"print(os.path.exists({str(tmp_path / 'gradebook.db')!r}), os.listdir('/home'), os.listdir('.'))\n"
        "change = lambda: open(pe_lessons.__file__, 'a')\n"
        "reach = lambda: socket.create_connection(('1.1.1.1', 53), 2)\n"
        "kernel = lambda: open('/proc/sys/kernel/core_pattern', 'a')\n"
        "for attempt in (change, reach, kernel):\n"
        "    try:\n        print('reached', attempt())\n"
        "    except OSError as problem:\n        print(type(problem).__name__)\n"
    )
    shared = tmp_path / "shared"
    shared.mkdir()
    refused = "OSError" if grade.os.getuid() == 0 else "PermissionError"
    run = subprocess.run(
        sandbox.command(str(shared), [sys.executable, "-c", code]), capture_output=True, text=True, check=True
    )
    assert run.stdout.split("\n")[:4] == ["False ['learner'] []", "OSError", "OSError", refused]


def test_the_guide_s_program_mails_every_page_to_its_learner(tmp_path, monkeypatch):
    guide = (ROOT / "teaching" / "GRADING.md").read_text(encoding="utf-8")
    [program] = re.findall(r"(?s)\n    # e, as mail_pages.py[^\n]*\n(.*?)\n\n### ", guide)
    sent = []

    class Server(contextlib.ExitStack):
        def __init__(self, host, port):
            super().__init__()

        starttls = login = lambda self, *words: None

        def send_message(self, mail):
            [page] = mail.iter_attachments()
            sent.append((mail["To"], page.get_filename(), page.get_content().strip()))

    for name in ("Ada Lovelace", "Zoë Żak"):
        page = tmp_path / "feedback" / name / LESSON / f"{LESSON}.html"
        page.parent.mkdir(parents=True)
        page.write_text(f"of {name}", encoding="utf-8")
    (tmp_path / "roster.csv").write_text(
        "\ufeffFirst name,Last name,Email address\nAda,Lovelace,ada@example.org\nBob,B,bob@example.org\n"
        "Zoë,Żak,zoe@example.org\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("smtplib.SMTP", Server)
    monkeypatch.setattr("builtins.input", lambda _: "secret")
    monkeypatch.setattr(sys, "argv", ["mail_pages.py", LESSON])
    exec(textwrap.dedent(program), {})
    assert sent == [
        ("ada@example.org", f"{LESSON}.html", "of Ada Lovelace"),
        ("zoe@example.org", f"{LESSON}.html", "of Zoë Żak"),
    ]


@needs_a_sandbox
def test_the_commands_of_the_guide_do_what_it_says(tmp_path, capsys):
    """Deadlines, points by hand that stay, a second call that skips, and nbgrader's own commands."""
    guide = (ROOT / "teaching" / "GRADING.md").read_text(encoding="utf-8")
    folder = tmp_path / "class"
    assert make_class_folder.main([str(folder), "03"]) == 0
    place = folder / "downloaded" / LESSON
    (place / "ada.ipynb").write_text(nbformat.writes(answered(nbformat.read(lessons()[LESSON], 4))))
    (place / "ada (1).ipynb").write_text((place / "ada.ipynb").read_text() + "\n")
    assert grade.main([str(folder), "03", "--jobs", "1"]) == 0
    assert "ada: 2 files, the last one counts" in capsys.readouterr().out
    assert grade.points(folder, LESSON)["ada"] == dict.fromkeys(demo.RIGHT, (1.0, 1.0))
    page = folder / "feedback" / "ada" / LESSON / f"{LESSON}.html"
    text = page.read_text(encoding="utf-8")
    assert "of the course." in text and '<html lang="en">' in text
    assert '<a href="#right_pairs-check">right_pairs</a> (Score: 1.0 / 1.0)' in text
    before = page.stat().st_mtime_ns
    (folder / "roster.csv").write_text("id,Email address\nbob,bob@example.org\n")
    (folder / ".course" / LESSON / "version.txt").write_text("term-2026w")
    assert grade.main([str(folder), "03"]) == 0 and page.stat().st_mtime_ns == before
    said = capsys.readouterr().out
    assert "graded with several versions of the course: " in said and "term-2026w" in said
    assert "not in roster.csv, so not in the files for Canvas and Moodle: ada\n" in said
    assert "in roster.csv, and nothing handed in: bob\n" in said
    book = f"sqlite:///{folder / 'gradebook.db'}"
    with grade.Gradebook(book) as gradebook:
        gradebook.find_grade("right_pairs-check", LESSON, LESSON, "ada").manual_score = 0.5
        gradebook.find_comment("right_pairs", LESSON, LESSON, "ada").manual_comment = "Well argued."
        gradebook.db.commit()
    assert grade.main([str(folder), "03", "--student", "ada", "--jobs", "1"]) == 0
    assert grade.points(folder, LESSON)["ada"]["right_pairs"] == (0.5, 1.0)
    assert "No response" not in text and "Well argued." in page.read_text(encoding="utf-8")
    assert grade.points_by_hand(folder, LESSON) == {"ada": {"right_pairs"}}
    with pytest.raises(SystemExit, match="of 'eve' there is nothing to grade; there is of ada"):
        grade.main([str(folder), "03", "--student", "eve"])
    assert review.main([str(folder), "03"]) == 0
    commands = re.findall(r"(?m)^    nbgrader (.+?) +# [a-z]$", guide)
    assert len(commands) == 2
    for command in commands:
        run = [sys.executable, "-m", "nbgrader", *shlex.split(command)]
        subprocess.run(run, cwd=folder, check=True, capture_output=True)
    assert "ada" in (folder / "grades.csv").read_text()


@needs_a_sandbox
@pytest.mark.parametrize("name", HONEST)
def test_the_honest_get_their_points_and_nobody_is_named(name, tmp_path, capsys):
    folder, lesson = tmp_path / "class", lesson_named(name)
    assert make_class_folder.main([str(folder), name]) == 0
    place = folder / "downloaded" / lesson
    for student, work in HONEST[name].items():
        notebook = nbformat.read(folder / "release" / lesson / f"{lesson}.ipynb", 4)
        cells = notebook.cells
        for cell in cells:
            cell.source = work.get(grade_id(cell), cell.source).strip("\n")
        if "cell" in work:
            below = cells.index(demo.cell_of(notebook, "imports")) + 1
            cells.insert(below, nbformat.v4.new_code_cell(work["cell"].strip("\n")))
        if "last" in work:
            cells.append(nbformat.v4.new_code_cell(work["last"].strip("\n")))
        (place / f"{student}.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")
    assert grade.main([str(folder), name, "--jobs", "2"]) == 0
    _, remarks, _, given = review.look(folder, lesson)
    assert remarks == {}
    assert given == {
        student: {name: (float(name in work), 1.0) for name in given[student]}
        for student, work in HONEST[name].items()
    }


def test_the_newest_hand_in_counts_and_is_graded_once(tmp_path, release):
    folder, (old, new) = tmp_path, (release, answered(release))
    downloads = handed_out(folder, release)

    def taken():
        files = intake.collect(folder, LESSON).files["Ada Byron"]
        target = folder / "submitted" / "Ada Byron" / LESSON / f"{LESSON}.ipynb"
        assert nbformat.read(target, 4).metadata["course_notes"] == []
        answer = demo.cell_of(nbformat.read(target, 4), "sinusoidal_loop").source
        return answer == demo.RIGHT["sinusoidal_loop"], target.stat().st_mtime_ns, files

    for name, day, notebook in (("first", 1, old), ("second", 2, new)):
        with zipfile.ZipFile(downloads / f"{name}.zip", "w") as archive:
            entry = f"Ada Byron_7_assignsubmission_file_/{LESSON}.ipynb"
            archive.writestr(zipfile.ZipInfo(entry, (2026, 11, day, 12, 0, 0)), nbformat.writes(notebook))
        right, when, files = taken()
        assert right == (notebook is new)
        assert taken()[:2] == (right, when)  # so that it is not graded once more
    page = folder / "feedback" / "Ada Byron" / LESSON / f"{LESSON}.html"
    page.parent.mkdir(parents=True)
    page.write_text("well done")
    grade.write_feedback_for_moodle(folder, LESSON, {"Ada Byron": files, "bob": [downloads / "bob.ipynb"]})
    with zipfile.ZipFile(folder / "feedback" / f"{LESSON}_moodle.zip") as archive:
        assert archive.namelist() == [f"Ada Byron_7_assignsubmission_file_/{LESSON}.html"]
    by_hand = folder / "submitted" / "Ada Byron" / LESSON / "mended.ipynb"
    originals = folder / "originals" / "Ada Byron" / LESSON
    for number, notebook in enumerate((old, new), start=1):
        nbformat.write(notebook, by_hand)
        assert taken()[0] == (notebook is new) and not by_hand.exists()
        assert len(list(originals.iterdir())) == number


def test_whoever_hands_in_no_notebook_is_told_so(tmp_path):
    downloads = tmp_path / "downloaded" / LESSON
    downloads.mkdir(parents=True)
    names = ["Ada_7_assignsubmission_file_/print.pdf", "bobeve_LATE_8_9_work.zip", f"fay_{LESSON}.ipynb"]
    names.append("gus_9_assignsubmission_onlinetext_/onlinetext.html")
    others = ["Ada_7_assignsubmission_file_/", "list.csv"]
    with zipfile.ZipFile(downloads / "all.zip", "w") as archive:
        for name in [*names, *others]:
            archive.writestr(name, b"%PDF-1.7 \xff")
    assert [student for student, *_ in intake.found(tmp_path, LESSON, {})] == ["Ada", "bobeve", "fay", "gus"]
    with pytest.raises(intake.Unreadable, match="This is no notebook"):
        intake.read(b"%PDF-1.7 \xff")


def test_the_file_that_counts_is_the_last_whatever_it_is_called(tmp_path, release):
    """Some systems add .txt, some learners take the ending away: what counts is what is inside."""
    downloads, text = handed_out(tmp_path, release), nbformat.writes(release)
    names = [f"ada_7_1_{LESSON}.ipynb.txt", "ada_7_2_print.pdf", "bob_8_3_answers", "eve.ipynb.txt"]
    for name in names:
        (downloads / name).write_text("%PDF" if name.endswith("pdf") else text)
    taken = intake.collect(tmp_path, LESSON)
    assert taken.ready.keys() == {"ada", "bob", "eve"} and taken.broken == {}
    assert [file.name for file in taken.files["ada"]] == [names[1], names[0]]
    for student in taken.ready:
        graded = tmp_path / "autograded" / student / LESSON
        graded.mkdir(parents=True)
        nbformat.write(release, graded / f"{LESSON}.ipynb")
    (tmp_path / "feedback").mkdir()
    given = {student: {"right_pairs": (1.0, 1.0)} for student in taken.ready}
    grade.write_feedback_for_canvas(tmp_path, LESSON, taken.files, given)
    with zipfile.ZipFile(tmp_path / "feedback" / f"{LESSON}_canvas.zip") as archive:
        assert archive.namelist() == [names[0], names[2]]


def test_canvas_takes_graded_notebooks_back_by_the_names_it_gave(tmp_path):
    given = {student: {"right_pairs": (1.0, 2.0)} for student in ("lovelaceada", "bob")}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    notebook.metadata["course_notes"] = ["A check was put back."]
    for student in given:
        place = tmp_path / "autograded" / student / LESSON
        place.mkdir(parents=True)
        nbformat.write(notebook, place / f"{LESSON}.ipynb")
    (tmp_path / "feedback").mkdir()
    names = [f"lovelaceada_7_{attempt}_{LESSON}-{attempt}.ipynb" for attempt in (1, 2)]
    files = {
        "lovelaceada": [tmp_path / "lovelaceada_7_3_print.pdf", *(tmp_path / name for name in names)],
        "bob": [tmp_path / "bob.ipynb"],
        "cut_short": [tmp_path / f"cut_8_3_{LESSON}.ipynb"],
    }
    grade.write_feedback_for_canvas(tmp_path, LESSON, files, given)
    with zipfile.ZipFile(tmp_path / "feedback" / f"{LESSON}_canvas.zip") as archive:
        assert archive.namelist() == names[1:]
        first, second = nbformat.reads(archive.read(names[1]), 4).cells
    assert "right_pairs: 1 of 2" in first.source and first.source.endswith("put back.")
    assert second.source == "1 + 1"


def test_grading_stops_where_the_grade_book_is_lost(tmp_path):
    (tmp_path / "autograded" / "ada" / LESSON).mkdir(parents=True)
    (tmp_path / "gradebook.db").write_text("cut")
    for again in (False, True):
        with pytest.raises(SystemExit, match=r"cannot be read(.|\n)*backup(.|\n)*--again"):
            grade.grade(tmp_path, LESSON, again=again)
    (tmp_path / "gradebook.db").unlink()
    with pytest.raises(
        SystemExit, match=r"does not know whose work was graded: ada(.|\n)*Points given by hand"
    ):
        grade.grade(tmp_path, LESSON)
    assert not (tmp_path / "grades").exists()


def test_without_a_sandbox_grading_asks(monkeypatch, capsys):
    monkeypatch.setattr(sandbox, "missing", lambda: "bubblewrap is not installed")
    monkeypatch.setattr("builtins.input", lambda _: "")
    with pytest.raises(SystemExit, match="Nothing was graded"):
        grade.sandbox_or_consent(without=False)
    assert "read and change your files" in capsys.readouterr().out
    monkeypatch.setattr("builtins.input", lambda _: "y")
    assert grade.sandbox_or_consent(without=False) is False


def test_where_the_course_cannot_be_imported_nothing_is_graded(monkeypatch, tmp_path):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    words = sandbox.command("/shared", ["python"])
    assert words[words.index("PYTHONPATH") + 1] == str(sandbox.ROOT)
    broken = [sys.executable, "-c", "raise ImportError('no module named torch')"]
    monkeypatch.setattr(sandbox, "command", lambda shared, words: broken)
    with pytest.raises(SystemExit, match="all would get 0 points"):
        grade.grade(tmp_path, LESSON)
    assert not (tmp_path / "grades").exists()


def grading_pretended(monkeypatch, problem=None):
    """Let `grade` do everything but run notebooks: each call of it writes a new page."""
    calls = []

    def grade_one(folder, lesson, student, sandboxed):
        page = folder / "feedback" / student / lesson / f"{lesson}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        calls.append(student)
        page.write_text(f"{student}, {calls.count(student)}")
        return problem

    monkeypatch.setattr(grade, "check_that_answers_can_run", lambda sandboxed: None)
    monkeypatch.setattr(grade, "sandbox_or_consent", lambda without: True)
    monkeypatch.setattr(grade, "ProcessPoolExecutor", lambda jobs, *_: ThreadPoolExecutor(jobs))
    monkeypatch.setattr(grade, "grade_one", grade_one)
    monkeypatch.setattr(grade, "points", lambda *_: {})


def test_after_an_appeal_one_page_goes_back_and_the_others_are_not_lost(monkeypatch, tmp_path, release):
    """Whoever grants an appeal before the upload would else give back this one page only."""
    downloads = handed_out(tmp_path, release)
    names = {student: f"{student}_7{n}_assignsubmission_file_" for n, student in enumerate(("Ada", "Bob"))}
    for name in names.values():
        (downloads / name).mkdir(parents=True)
        nbformat.write(release, downloads / name / f"{LESSON}.ipynb")
    grading_pretended(monkeypatch)
    canvas = []

    def write(folder, lesson, files, given, place="feedback"):
        canvas.append((sorted(files), str(place)))

    monkeypatch.setattr(grade, "write_feedback_for_canvas", write)

    def pages(*place):
        with zipfile.ZipFile(tmp_path.joinpath("feedback", *place, f"{LESSON}_moodle.zip")) as archive:
            return {name.split("/")[0]: archive.read(name).decode() for name in archive.namelist()}

    grade.grade(tmp_path, LESSON)
    assert pages() == {names["Ada"]: "Ada, 1", names["Bob"]: "Bob, 1"}
    grade.grade(tmp_path, LESSON, student="Bob")
    assert pages() == {names["Ada"]: "Ada, 1", names["Bob"]: "Bob, 2"}
    assert pages("Bob") == {names["Bob"]: "Bob, 2"}
    everybody = (["Ada", "Bob"], "feedback")
    assert canvas == [everybody, everybody, (["Bob"], "feedback/Bob")]


@pytest.mark.parametrize("problem, status", [(None, 0), ("no memory", 1)])
def test_grading_fails_only_where_nbgrader_did(monkeypatch, tmp_path, release, capsys, problem, status):
    """A PDF is told to its learner and listed: that is no failure of grading."""
    downloads = handed_out(tmp_path, release)
    (tmp_path / "nbgrader_config.py").write_text("")
    nbformat.write(release, downloads / "ada.ipynb")
    (downloads / "Bob_7_assignsubmission_file_").mkdir()
    (downloads / "Bob_7_assignsubmission_file_" / "print.pdf").write_text("%PDF")
    grading_pretended(monkeypatch, problem)
    (tmp_path / "roster.csv").write_text("id,Email address\nada,ada@example.org\n")
    assert grade.main([str(tmp_path), "03"]) == status
    assert "not graded: This is no notebook" in (tmp_path / "grades" / f"{LESSON}.csv").read_text()
    said = capsys.readouterr().out
    for file in (f"feedback/{LESSON}_moodle.zip", f"grades/{LESSON}.csv", f"grades/{LESSON}_moodle.csv"):
        assert f": {tmp_path / file}\n" in said
    page = (tmp_path / "feedback" / "ada" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert ("Your teacher knows." in page) == bool(problem)
    assert "_canvas" not in said and f'review "{tmp_path}" {LESSON[:2]}' in said


def test_grades_are_written_for_canvas_and_moodle(tmp_path):
    (tmp_path / "roster.csv").write_text(
        "id,Student,ID,SIS User ID,SIS Login ID,Section,Email address\n"
        "ada,Ada Lovelace,7,s7,ada,A,ada@example.org\nbob,Bob,8,s8,bob,A,bob@example.org\n"
        "ada,Her Partner,9,s9,eve,A,eve@example.org\n"
    )
    given = {"ada": {"sinusoidal_loop": (1.0, 1.0), "right_pairs": (0.0, 1.0)}}
    grade.write_grades(tmp_path, LESSON, given, {"bob": "cut"})
    canvas = (tmp_path / "grades" / f"{LESSON}_canvas.csv").read_text().splitlines()
    assert canvas[1].split(",")[0].strip() == "Points Possible" and canvas[1].endswith(",2")
    assert canvas[2:] == ["Ada Lovelace,7,s7,ada,A,1", "Bob,8,s8,bob,A,", "Her Partner,9,s9,eve,A,1"]
    moodle = (tmp_path / "grades" / f"{LESSON}_moodle.csv").read_text().splitlines()
    assert moodle[1:] == ["ada@example.org,1", "bob@example.org,", "eve@example.org,1"]
    assert "not graded: cut" in (tmp_path / "grades" / f"{LESSON}.csv").read_text()
    (tmp_path / "roster.csv").write_text("id,Email address\nada,ada@example.org\n")
    grade.write_grades(tmp_path, LESSON, given, {})
    assert {file.name for file in (tmp_path / "grades").iterdir()} == {
        f"{LESSON}.csv",
        f"{LESSON}_moodle.csv",
    }


def test_the_lists_of_the_platforms_are_rosters_as_they_are(tmp_path):
    given = {"Ada Lovelace": {"right_pairs": (1.0, 1.0)}, "lovelaceada": {"right_pairs": (0.0, 1.0)}}
    for last in ("Last name", "Surname"):
        (tmp_path / "roster.csv").write_text(
            f'\ufeff"First name",{last},"ID number","Email address"\nAda,Lovelace,,ada@example.org\n'
            "Bob,[Jr.],17,bob@example.org\n",
            encoding="utf-8",
        )
        assert [row["id"] for row in grade.read_roster(tmp_path)] == ["Ada Lovelace", "Bob -Jr.-"]
        grade.write_grades(tmp_path, LESSON, given, {})
        moodle = (tmp_path / "grades" / f"{LESSON}_moodle.csv").read_text().splitlines()
        assert moodle[1:] == ["ada@example.org,1", "bob@example.org,"]
    (tmp_path / "roster.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Essay (99)\n    Points Possible,,,,,10.00\n"
        '"Lovelace, Ada",4711,s1,ada,A,9\n"O\'Neil, Zoë",4712,s2,zoe,B,\n'
    )
    assert [row["id"] for row in grade.read_roster(tmp_path)] == ["lovelaceada", "oneilzoë"]
    grade.write_grades(tmp_path, LESSON, given, {})
    canvas = (tmp_path / "grades" / f"{LESSON}_canvas.csv").read_text().splitlines()
    assert canvas[2:] == ['"Lovelace, Ada",4711,s1,ada,A,0', '"O\'Neil, Zoë",4712,s2,zoe,B,']
    (tmp_path / "roster.csv").write_bytes("First name,Last name\nZoë,Żak\n".encode("cp1252", "replace"))
    assert [row["id"] for row in grade.read_roster(tmp_path)] == ["Zoë -ak"]  # as Excel saves it
    (tmp_path / "roster.csv").write_text("Vorname;Nachname\nAda;Lovelace\n")
    with pytest.raises(SystemExit, match="or have a column id"):
        grade.read_roster(tmp_path)


def test_learners_of_one_name_are_told_apart_by_moodles_number(tmp_path, release):
    downloads = handed_out(tmp_path, release)

    def hand_in(number, notebook):
        file = downloads / f"Ada Byron_{number}_assignsubmission_file_" / f"{LESSON}.ipynb"
        file.parent.mkdir(parents=True)
        nbformat.write(notebook, file)

    def right(student):
        target = tmp_path / "submitted" / student / LESSON / f"{LESSON}.ipynb"
        return (
            demo.cell_of(nbformat.read(target, 4), "sinusoidal_loop").source == demo.RIGHT["sinusoidal_loop"]
        )

    hand_in(101, answered(release))
    assert intake.collect(tmp_path, LESSON).ready.keys() == {"Ada Byron"}  # so far the only one
    hand_in(102, release)
    for _ in "ab":
        taken = intake.collect(tmp_path, LESSON)
        assert taken.namesakes == {"Ada Byron": ["Ada Byron 101", "Ada Byron 102"]}
        assert taken.ready.keys() == {"Ada Byron 101", "Ada Byron 102"} == taken.files.keys()
    assert right("Ada Byron 101") and not right("Ada Byron 102")
    assert not (tmp_path / "submitted" / "Ada Byron" / LESSON).exists()
    assert (tmp_path / "originals" / "Ada Byron" / LESSON / f"{LESSON}.ipynb").exists()
    # Moodle gives another number in each lesson; whoever hands in alone is not taken for the other.
    (tmp_path / "roster.csv").write_text(
        "id,Email address\nAda Byron 101,one@example.org\nAda Byron 102,two@example.org\n"
        "Ada Byron 77,two@example.org\n"
    )
    given = {"Ada Byron 102": {"right_pairs": (1.0, 1.0)}, "Ada Byron 101": {"right_pairs": (0.0, 1.0)}}
    grade.write_grades(tmp_path, LESSON, given, {})
    moodle = (tmp_path / "grades" / f"{LESSON}_moodle.csv").read_text().splitlines()
    assert moodle[1:] == ["one@example.org,0", "two@example.org,1"]
    (downloads / "Ada Byron_102_assignsubmission_file_" / f"{LESSON}.ipynb").unlink()
    assert "Ada Byron" not in intake.collect(tmp_path, LESSON, {"Ada Byron"}).ready
    for student in given:
        page = tmp_path / "feedback" / student / LESSON / f"{LESSON}.html"
        page.parent.mkdir(parents=True)
        page.write_text(student)
    grade.write_feedback_for_moodle(tmp_path, LESSON, taken.files)
    with zipfile.ZipFile(tmp_path / "feedback" / f"{LESSON}_moodle.zip") as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {
            f"Ada Byron_{student[-3:]}_assignsubmission_file_/{LESSON}.html": student for student in given
        }


def test_learners_of_one_name_are_told_apart_by_canvas_s_number(tmp_path, release):
    downloads = handed_out(tmp_path, release)
    nbformat.write(answered(release), downloads / f"leeana_5001_71_{LESSON}.ipynb")
    nbformat.write(release, downloads / f"leeana_LATE_5002_72_{LESSON}.ipynb")
    taken = intake.collect(tmp_path, LESSON)
    assert taken.ready.keys() == {"leeana 5001", "leeana 5002"}
    (tmp_path / "roster.csv").write_text(
        f"Student,ID,SIS User ID,SIS Login ID,Section,{LESSON} (77)\n"
        '"Lee, Ana",5001,s1,a1,A,\n"Lee, Ana",5002,s2,a2,B,\n"Lee, Bo",5003,s3,b3,B,\n'
    )
    assert [row["id"] for row in grade.read_roster(tmp_path)] == ["leeana 5001", "leeana 5002", "leebo"]
    given = {"leeana 5001": {"right_pairs": (1.0, 1.0)}, "leeana 5002": {"right_pairs": (0.0, 1.0)}}
    grade.write_grades(tmp_path, LESSON, given, {})
    canvas = (tmp_path / "grades" / f"{LESSON}_canvas.csv").read_text().splitlines()
    assert canvas[0].endswith(f",{LESSON} (77)")  # the assignment that is there, no new one
    assert [line.split(",")[-1] for line in canvas[2:]] == ["1", "0", ""]


def judged(points, given, said="It says so.", flagged=(), **more):
    return list(demo.judge(demo.Submission("ada", {}, points, ["says so"], **more), given, said, flagged))


def test_the_demo_notices_wrong_points_silent_feedback_and_false_flags():
    full = dict.fromkeys(demo.RIGHT, 1)
    assert judged(full, full) == []
    assert judged(None, None, flagged=["not graded"]) == []
    assert "0 points, expected 1" in judged(full, full | {"right_pairs": 0})[0]
    assert "1 points, expected 0" in judged(full | {"right_pairs": 0}, full)[0]
    assert "None points" in judged(full, {})[0]
    assert judged(full, None) == ["was not graded"]
    assert "should not have been" in judged(None, full, flagged=["not graded"])[0]
    assert "does not say" in judged(full, full, said="Something else.")[0]
    assert "does not say" in judged(full, full, said=None)[0]
    assert judged(full, full, flagged=["imports os"]) == ["review says: imports os"]
    assert "the feedback says REACHED" in judged(full, full, said="says so REACHED", never=["REACHED"])[0]
