"""A class in a temporary folder: submissions right, wrong and hostile, graded with nbgrader.

    python course.py classroom-demo [--keep FOLDER] [--mistake NAME]

The commands are those of the teacher's guide. The table at the end shows for each submission the points
expected and given; the exit code is 1 if any of them differ, or if a feedback page does not say what it
should. The class stands in classroom_demo.toml.
One more submission makes a mistake drawn at random among those that no other makes (--mistake chooses it).
"""

import argparse
import csv
import html
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import classroom
import nbformat

from pe_lessons.exercises import REGISTRY

LESSON = "03_the_naive_loop"
SECONDS_PER_CELL = 10  # 60 in the settings for a real class; the endless loop below waits for it

DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
RIGHT, CLASS = DATA["right"], DATA["class"]


@dataclass
class Submission:
    """What a learner hands in, and what should come of it.

    `points` maps exercises to the points expected; None where nbgrader has to refuse the whole submission.
    Each of `says` has to stand in the feedback. `check` tells what happened to a check.
    """

    student: str
    answers: dict
    points: dict | None
    says: list
    check: str = ""


def changed(right, change):
    """An answer: the change itself, or the right one with pairs of texts exchanged."""
    if isinstance(change, str):
        return change
    for old, new in change:
        right = right.replace(old, new)
    return right


def diagnosis(name, mistake):
    [found] = [known for known in REGISTRY[name].mistakes if known.name == mistake]
    return found.say


def submission(student, leave=(), check="", wrong=(), refused=False, mistakes=(), says=(), **changes):
    answers = {
        name: changed(right, changes.get(name, right)) for name, right in RIGHT.items() if name not in leave
    }
    points = None if refused else {name: int(name not in wrong) for name in RIGHT}
    return Submission(student, answers, points, [*says, *(diagnosis(*one) for one in mistakes)], check)


def submissions(drawn):
    """The class; `drawn` is the (exercise, mistake) of the last one."""
    exercise, mistake = drawn
    made_wrong = (
        f"from pe_lessons.exercises import REGISTRY\n"
        f"mistakes = REGISTRY[{exercise!r}].mistakes\n"
        f"{mine_of(exercise)} = next(one.wrong for one in mistakes if one.name == {mistake!r})"
    )
    last = submission("drawn", wrong=[exercise], mistakes=[drawn], **{exercise: made_wrong})
    return [*(submission(student, **data) for student, data in CLASS.items()), last]


def grade_id(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def mine_of(exercise):
    """The name that the lesson's stub gives to the learner's answer."""
    cells = nbformat.read(classroom.lessons()[LESSON], 4).cells
    [check] = [cell for cell in cells if grade_id(cell) == f"{exercise}-check"]
    return re.search(r"check\((\w+)\)", check.source)[1]


def spoil_check(cells, how):
    [place] = [number for number, cell in enumerate(cells) if grade_id(cell) == "sinusoidal_loop-check"]
    match how:
        case "deleted":
            del cells[place]
        case "changed":
            cells[place].source = "print('sinusoidal_loop: Correct.')"
        case "copied":
            cells.insert(place + 1, nbformat.from_dict(cells[place] | {"id": "copied"}))


def hand_in(submission, folder):
    notebook = nbformat.read(folder / "release" / LESSON / f"{LESSON}.ipynb", 4)
    for cell in notebook.cells:
        if grade_id(cell) in submission.answers:
            cell.source = submission.answers[grade_id(cell)].strip("\n")
    if submission.check:
        spoil_check(notebook.cells, submission.check)
    place = folder / "submitted" / submission.student / LESSON
    place.mkdir(parents=True)
    nbformat.write(notebook, place / f"{LESSON}.ipynb")


def nbgrader(folder, *words):
    """Run one command as the teacher would, with the environment of this Python active."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
    }
    start = time.monotonic()
    print(f"  nbgrader {' '.join(words)} ... ", end="", flush=True)
    run = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    print(f"{time.monotonic() - start:.0f} s")
    (folder / "nbgrader.log").open("a").write(f"$ nbgrader {words}\n{run.stdout}{run.stderr}\n")
    return run


def points_given(folder):
    """Points by student and exercise, from nbgrader's own database; students without a grade are missing."""
    from nbgrader.api import Gradebook, MissingEntry

    given = {}
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        for student in gradebook.students:
            try:
                submission = gradebook.find_submission(LESSON, student.id)
            except MissingEntry:
                continue
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            if grades and not submission.needs_manual_grade:
                given[student.id] = {grade.name.removesuffix("-check"): grade.score for grade in grades}
    return given


def feedback_text(folder, student):
    page = folder / "feedback" / student / LESSON / f"{LESSON}.html"
    if not page.exists():
        return None
    text = re.sub(r"(?s)<(script|style).*?</\1>", "", page.read_text(encoding="utf-8"))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


def judge(submission, given, said):
    """Complaints about how one submission was graded and answered."""
    if submission.points is None:
        if given is not None:
            yield "was graded, and should have been refused"
        return
    if given is None:
        yield "was not graded"
        return
    for name, points in submission.points.items():
        if given.get(name) != points:
            yield f"{name}: {given.get(name)} points, expected {points}"
    for sentence in submission.says:
        plain = " ".join(sentence.replace("`", "").split())
        if plain not in (said or "").replace("`", ""):
            yield f"the feedback does not say: {plain[:70]}"


def draw(mistake):
    """The exercise and name of a mistake that none of the class makes."""
    taken = {made for one in CLASS.values() for _, made in one.get("mistakes", ())}
    free = [
        (name, known.name)
        for name in ("sinusoidal_loop", "right_pairs")
        for known in REGISTRY[name].mistakes
        if known.name not in taken and (mistake is None or known.name == mistake)
    ]
    if not free:
        sys.exit(f"no exercise of {LESSON} has a mistake of the name {mistake!r} that is not in the demo")
    return random.choice(free)


def main(arguments):
    parser = argparse.ArgumentParser(description="grade a simulated class", prog="classroom-demo")
    parser.add_argument("--keep", metavar="FOLDER", help="make the class here, and leave it to be looked at")
    parser.add_argument("--mistake", metavar="NAME", help="the mistake of the last submission")
    options = parser.parse_args(arguments)
    drawn = draw(options.mistake)
    with tempfile.TemporaryDirectory(prefix="class_") as temporary:
        return run_class(Path(options.keep or temporary).resolve(), drawn)


def run_class(folder, drawn):
    start = time.monotonic()
    folder = classroom.make(folder, [LESSON])
    handed_in = submissions(drawn)
    print(f"A class of {len(handed_in)} in {folder}")
    nbgrader(folder, "generate_assignment", LESSON)
    for submission in handed_in:
        hand_in(submission, folder)
    nbgrader(folder, "autograde", LESSON, f"--Execute.timeout={SECONDS_PER_CELL}")
    nbgrader(folder, "generate_feedback", LESSON)
    nbgrader(folder, "export")
    with (folder / "grades.csv").open(newline="") as file:
        exported = {row["student_id"]: row["score"] for row in csv.DictReader(file)}

    given, failed = points_given(folder), 0
    print(f"\n{'submission':22}{'expected':>10}{'given':>10}   its feedback\n{'-' * 62}")
    for submission in handed_in:
        grades, said = given.get(submission.student), feedback_text(folder, submission.student)
        complaints = list(judge(submission, grades, said))
        if grades and float(exported[submission.student]) != sum(grades.values()):
            complaints.append(f"grades.csv says {exported[submission.student]}")
        refused = submission.points is None
        wanted = "refused" if refused else sum(submission.points.values())
        got = "refused" if grades is None else f"{sum(grades.values()):g}"
        says = "; ".join(complaints) or ("none" if refused else "as it should be")
        print(f"{submission.student:22}{wanted:>10}{got:>10}   {says}")
        failed += bool(complaints)
    exercise, mistake = drawn
    print(f"{'-' * 62}\nThe mistake that was drawn: {mistake!r} in {exercise}")
    print(f"{len(handed_in) - failed} of {len(handed_in)} as expected, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
