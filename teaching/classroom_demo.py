"""A class in a temporary folder: right, wrong, unlucky and hostile submissions, graded and reviewed.

    python course.py classroom-demo [--keep FOLDER]

The work is done by what the teacher's guide names: `classroom`, `grade` and `review`. The table at the end
shows for each submission the points expected and given; the exit code is 1 if any of them differ, if a
feedback page does not say what it should, or if `review` names whom it should not, or does not name whom it
should. The class stands in classroom_demo.toml.
"""

import argparse
import html
import os
import re
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from types import SimpleNamespace

import grade
import make_class_folder
import nbformat
import review
import sandbox
from class_folder import nbgrader

from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.progress import grade_id

LESSON = "03_the_naive_loop"
SECONDS_PER_CELL = 20  # of computing; 60 in the settings for a real class: an endless loop takes all of them

DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
RIGHT, GROUPS = DATA["right"], ("class", "accidents", "attacks")


def changed(right, change):
    """An answer: the change itself, or the right one with pairs of texts exchanged."""
    if isinstance(change, str):
        return change
    for old, new in change:
        right = right.replace(old, new)
    return right


def submissions():
    """What each learner hands in, and what should come of it."""
    diagnoses = {
        (name, one.name): one.say for name in RIGHT for one in getattr(REGISTRY[name], "mistakes", ())
    }
    for group in GROUPS:
        for student, case in DATA[group].items():
            given = {name: changed(right, case.get(name, right)) for name, right in RIGHT.items()}
            leave, wrong = case.get("leave", ()), case.get("wrong", ())
            if group == "attacks":
                leave = case.get("leave", RIGHT.keys() - case.keys())
                wrong = RIGHT.keys() - case.get("gains", ())
            yield SimpleNamespace(
                student=student,
                answers={name: answer for name, answer in given.items() if name not in leave},
                points={name: int(name not in wrong) for name in RIGHT},
                says=[*case.get("says", ()), *(diagnoses[tuple(one)] for one in case.get("mistakes", ()))],
                never=case.get("never", ()),
                cells=[case[one] for one in ("cell",) if one in case] + case.get("cells", []),
                first="first" in case,
                file=case.get("file", ""),
                flagged="flagged" in case,
            )


def cell_of(notebook, name):
    [cell] = [cell for cell in notebook.cells if name in (grade_id(cell), cell.get("id"))]
    return cell


def filled(notebook, answers):
    """The notebook with these answers in their cells."""
    for cell in notebook.cells:
        cell.source = answers.get(grade_id(cell), cell.source).strip("\n")
    return notebook


def spoil(notebook, how):
    """What happens to the cells of a notebook before it is handed in."""
    cells = notebook.cells
    check, answer = cell_of(notebook, "sinusoidal_loop-check"), cell_of(notebook, "sinusoidal_loop")
    checks = [cell for cell in cells if grade_id(cell).endswith("-check")]
    imports = cell_of(notebook, "imports")
    deleted = {"check deleted": [check], "all checks deleted": checks, "answer deleted": [answer]}
    deleted |= {"answer and check deleted": [answer, check], "imports deleted": [imports]}
    for cell in deleted.get(how, ()):
        cells.remove(cell)
    match how:
        case "older imports":
            imports.source = "import math\n\nimport numpy as np\n\nfrom pe_lessons import loops"
        case "check copied":
            cells.insert(cells.index(check), nbformat.from_dict(check | {"id": "copied"}))
        case "check changed":
            check.source = "print('sinusoidal_loop: Correct.')"
        case "answer as prose" | "check as prose":
            cell = answer if how.startswith("answer") else check
            prose = nbformat.v4.new_markdown_cell(cell.source, id=cell.id, metadata=cell.metadata)
            cells[cells.index(cell)] = prose
        case "checks first":
            notebook.cells = [*checks, *(cell for cell in cells if cell not in checks)]
        case "checks tagged":
            for cell in checks:
                cell.metadata.tags = ["skip-execution"]
        case "passed off as released":
            for cell in cells:
                cell.metadata.as_released = True
        case "ids exchanged":
            pairs = cell_of(notebook, "right_pairs")
            answer.id, pairs.id = pairs.id, answer.id
            answer.metadata, pairs.metadata = pairs.metadata, answer.metadata
        case "one id twice":
            answer.id, answer.metadata = check.id, check.metadata
        case "metadata lost":
            for cell in cells:
                cell.metadata = nbformat.from_dict({})
        case "colab":
            for cell in cells:
                cell.metadata["id"] = cell.pop("id")
            notebook.nbformat_minor = 0  # which knows no ids
            notebook.metadata = nbformat.from_dict({"colab": {"provenance": []}})


def hand_in(submission, folder):
    release = nbformat.read(folder / "release" / LESSON / f"{LESSON}.ipynb", 4)
    notebook = filled(release, submission.answers)
    place = notebook.cells.index(cell_of(notebook, "imports")) + (not submission.first)
    for cell in reversed(submission.cells):
        source = cell.strip("\n").replace("{folder}", str(folder))
        notebook.cells.insert(place, nbformat.v4.new_code_cell(source))
    spoil(notebook, submission.file)
    place = folder / "downloaded" / LESSON / submission.student
    place.mkdir(parents=True)
    (place / f"{LESSON}.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")


def judge(submission, given, page, flagged):
    """Complaints about how one submission was graded and answered, and about what review said of it."""
    for name, points in submission.points.items():
        if given.get(name) != points:
            yield f"{name}: {given.get(name)} points, expected {points}"
    said = re.sub(r"(?s)<(script|style).*?</\1>", "", page.read_text(encoding="utf-8"))
    said = " ".join(html.unescape(re.sub(r"<[^>]+>", "", said)).split()).replace("`", "")
    for sentence in submission.says:
        plain = " ".join(sentence.replace("`", "").split())
        if plain not in said:
            yield f"the feedback does not say: {plain[:70]}"
    for word in submission.never:
        if re.search(rf"(?<![\"'(]){word}", said):
            yield f"the feedback says {word}"
    if bool(flagged) != submission.flagged:
        yield f"review says: {'; '.join(flagged)}" if flagged else "review says nothing"


def main(arguments):
    parser = argparse.ArgumentParser(description="grade a simulated class", prog="classroom-demo")
    parser.add_argument("--keep", metavar="FOLDER", help="make the class here, and leave it to be looked at")
    options = parser.parse_args(arguments)
    if problem := sandbox.missing():
        sys.exit(f"classroom-demo: it tries attacks, and needs a sandbox for them: {problem}")
    with tempfile.TemporaryDirectory(prefix="class_") as temporary:
        return run_class(Path(options.keep or temporary).resolve())


def run_class(folder):
    start, handed_in = time.monotonic(), list(submissions())
    folder = make_class_folder.make(folder, [LESSON])
    with (folder / "nbgrader_config.py").open("a") as settings:
        settings.write(f"\nc.Execute.timeout = {SECONDS_PER_CELL}\n")
    nbgrader(folder).generate_assignment(LESSON)
    print(f"A class of {len(handed_in)} in {folder}")
    os.environ["TEACHERS_TOKEN"] = "secret"
    for submission in handed_in:
        hand_in(submission, folder)
    given, _ = grade.grade(folder, LESSON, jobs=os.cpu_count() or 2)
    _, remarks, *_ = review.look(folder, LESSON)

    failed = 0
    print(f"\n{'submission':24}{'expected':>10}{'given':>10}   as it should be?\n{'-' * 78}")
    for submission in handed_in:
        grades = {name: points for name, (points, _) in given.get(submission.student, {}).items()}
        page = folder / "feedback" / submission.student / LESSON / f"{LESSON}.html"
        complaints = list(judge(submission, grades, page, remarks.get(submission.student, [])))
        wanted, got = sum(submission.points.values()), f"{sum(grades.values()):g}"
        print(f"{submission.student:24}{wanted:>10}{got:>10}   {'; '.join(complaints) or 'yes'}")
        failed += bool(complaints)
    print(f"{len(handed_in) - failed} of {len(handed_in)} as expected, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
