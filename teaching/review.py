"""What a teacher should know before marks and feedback go out.

    python course.py review FOLDER LESSON

First which mistakes the class made, exercise by exercise, as a picture and as a list with what to say of
each: begin the next lecture with them. Then, with learners' names, who made which, and which submissions to
look at: not graded, the newest file broken, an answer missing, more points than there are, the course's own
solution, answers alike. The two pages are kept apart in FOLDER/review; the first may be projected.
"""

import argparse
import ast
import functools
import importlib
import re
import sys
import textwrap
import unicodedata
import warnings
from collections import defaultdict

import grade
import intake
import marking
import nbformat
from class_folder import class_folder, handed_out, lesson_named
from matplotlib.figure import Figure

from pe_lessons.exercises.exercise import Exercise, Numbers
from pe_lessons.exercises.question import Question
from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.progress import grade_id

MOST_OWN = 100  # cells of one learner that are compared, answers first
LONGEST = 50_000  # characters of an answer: a million would take half a minute
ALIKE = 900  # characters of a syntax tree; shorter answers are alike anyway
STOPPED = {  # the errors that running.py writes
    "NotRun": "stopped before its end",
    "ComputedTooLong": "a cell computed too long",
    "WaitedTooLong": "a cell waited too long: grade again",
    "Cut": "outputs too large for a page were left out",
}
SILENT = {  # why a check said nothing, by the cause in its verdict
    "NotRun": "not run: the notebook stopped before",
    "NoVerdict": "the check was not heard",
    "NameError": "the cell stopped, or defines another name",
}
MISSING = "the answer's cell was missing"
NEWEST_BROKEN = "the newest file is broken, and an older one was graded"
RIGHT = "right"
ANSWERING = {"arrays", "loops", "tensors", "toys", "lessons.design_your_own.workshop"}  # may answer


def shape(source):
    """What is left of an answer without comments, docstrings and white space."""
    source = source[:LONGEST]
    if sum(unicodedata.combining(unicodedata.normalize("NFKC", one)[-1]) > 0 for one in source) > 1000:
        return ""  # accents, which Python would sort for a minute
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
        return ast.dump(tree)
    except Exception:  # no Python, or too deep
        return ""


def mistakes_in(name, verdict):
    """The names of the mistakes that a check found, by its verdict: whoever answers can print anything."""
    exercise, (status, cause) = REGISTRY.get(name), (verdict.get("status"), verdict.get("cause") or "")
    if status is None:
        return [SILENT.get(cause, "no verdict")]
    if status in ("correct", "not attempted"):
        return [] if status == "correct" else [status]
    if isinstance(exercise, Question):
        chosen = [(one, exercise.choices[one][0]) for one in re.findall(r"(\w) chosen", cause)]
        shown = [f"chose {one}: {textwrap.shorten(text, 60, placeholder=' ...')}" for one, text in chosen]
        return shown or ["a right choice missing"]
    found = [one.name for one in getattr(exercise, "mistakes", ()) if f" + {one.name} + " in f" + {cause} + "]
    return found or [cause or ("an error" if status == "error" else "another mistake")]


def look(folder, lesson):
    """Who made which mistakes, what to look at, by student, and whose answers are alike.

    Mistakes, and what is wrong, are what the checks said; points by hand change neither. Of the grade book,
    those count who had a file when marks were last written: no mistyped name, for example.
    """
    release = nbformat.read(folder / "release" / lesson / f"{lesson}.ipynb", 4)
    as_given = {cell.source.strip() for cell in release.cells}
    mistakes, remarks, alike, wrong = defaultdict(dict), defaultdict(list), defaultdict(set), set()
    graded, by_hand = grade.points(folder, lesson), grade.points_by_hand(folder, lesson)
    told = {row["student"]: row["remark"] for row in grade.table_in(folder / "grades" / f"{lesson}.csv")}
    given = {student: points for student, points in graded.items() if told.get(student) == ""}
    remarks |= {student: ["not graded"] for student, why in told.items() if why.startswith("not graded")}
    for student in sorted(given):
        notebook = nbformat.read(folder / "autograded" / student / lesson / f"{lesson}.ipynb", 4)
        notes = notebook.metadata.get("course_notes", [])
        remarks[student] += [note for note in notes if "was changed" in note]
        remarks[student] += [NEWEST_BROKEN] * any(note.startswith(intake.NEWEST) for note in notes)
        if (files := notebook.metadata.get("files", 0)) > 1:
            remarks[student].append(f"{files} files under this name, and the newest one counts")
        remarks[student] += [STOPPED[why] for why in notebook.metadata.get("stopped", ())]
        code = (one for one in notebook.cells if one.cell_type == "code")
        own = [one for one in code if one.source.strip() not in as_given]  # written or changed
        for cell in sorted(own, key=lambda one: not grade_id(one))[:MOST_OWN]:
            if len(tree := shape(cell.source)) > ALIKE:
                alike[grade_id(cell) or "cells that they added or changed", tree].add(student)
        for cell in notebook.cells:
            name = grade_id(cell).removesuffix("-check")
            if cell.metadata.get("nbgrader", {}).get("grade") and given[student].get(name):
                points, most = given[student][name]
                verdict, typed = cell.metadata.get(marking.VERDICT, {}), name in by_hand.get(student, ())
                if found := mistakes_in(name, verdict):
                    wrong.add((name, student))
                if any(f"`{name}` was missing" in note for note in notes):
                    remarks[student].append(f"{name}: {MISSING}")
                    found = found and [MISSING]
                for one in found or [RIGHT]:
                    mistakes[name].setdefault(one, []).append(student)
                answer = next((one for one in notebook.cells if grade_id(one) == name), None)
                remarks[student] += [f"{name}: {verdict['where']}"] if "where" in verdict else []
                if not found and answer is not None and points:
                    if pasted(name, answer.source):
                        remarks[student].append(f"{name}: the course's own solution")
                    elif used := borrowed(name, verdict):
                        remarks[student].append(f"{name}: uses {' and '.join(used)} of the course")
                if verdict.get("cause") in ("NoVerdict", "NameError"):
                    why = (f" ({one.ename})" for one in getattr(answer, "outputs", ()) if "ename" in one)
                    why = SILENT[verdict["cause"]] + re.sub("[^A-Za-z ()]", "", next(why, ""))[:30]
                    remarks[student].append(f"{name}: {why}")
                if not typed and (points > most or (points and verdict.get("status") != "correct")):
                    remarks[student].append(f"{name}: {points:g} of {most:g} points, and no Correct")
    remarks = {one: list(dict.fromkeys(found)) for one, found in remarks.items() if found}
    return mistakes, remarks, alike_in(alike, wrong), given


def pasted(name, source):
    """Whether an answer is the course's own, but for comments and white space."""
    exercise = REGISTRY.get(name)
    if not isinstance(exercise, Exercise) or isinstance(exercise, Numbers):
        return False
    tree = shape(source)
    return len(tree) > ALIKE and tree == shape(exercise.text)


def borrowed(name, verdict):
    """The course's functions that do the whole exercise and that a right answer, or what it calls, calls."""
    calls = [[word.rpartition(".")[2] for word in one.split(" ")] for one in verdict.get("called", ())]
    allowed = getattr(REGISTRY[name], "may_call", ())
    return sorted(giving(name) & {word for words in calls if words[0] not in allowed for word in words})


@functools.cache
def giving(name):
    """The course's functions that do what an exercise asks for, by their names."""
    exercise, found = REGISTRY[name], set()
    if not getattr(exercise, "probes", ((),))[0]:
        return found
    for module in ANSWERING:
        for function in [*vars(importlib.import_module(f"pe_lessons.{module}")).values()]:  # warnings add
            if callable(function) and getattr(function, "__module__", "") == f"pe_lessons.{module}":
                for more in ({}, {"layout": "half"}, {"layout": "interleaved"}):
                    done = exercise._observe(functools.partial(function, **more), exercise.probes[0])
                    if done.same_as(exercise._expected[0], exercise.atol):
                        found.add(function.__name__)
    return found - exercise.may_call


def alike_in(answers, wrong=frozenset()):
    """Whose answers are alike: in which exercises they are wrong, in which at all, and who.

    First those who share most wrong answers, then those who share most. `answers` maps (exercise, answer) to
    who gave it; `wrong` holds (exercise, student).
    """
    shared = {answer: students for answer, students in answers.items() if len(students) > 1}
    same = {frozenset(students) for students in shared.values()}
    most = min(4 * len(same), 1_000)  # of n who share each answer with all but one, there are 2^n groups
    while len(same) <= most:
        more = {one & other for one in same for other in same if len(one & other) > 1} - same
        if not more or len(same | more) > most:
            break
        same |= more
    found = []
    for group in same:
        names = sorted({name for (name, _), students in shared.items() if group <= students})
        missed = [name for name in names if wrong.issuperset((name, one) for one in group)]
        found.append((missed, names, sorted(group)))
    return sorted(found, key=lambda one: (-len(one[0]), -len(one[1]), len(one[2]), one))


def headings(release):
    """What a learner calls each exercise: the heading above its check, or what is asked under "Question"."""
    found, last = {}, []
    for cell in release.cells:
        prose = cell.source if cell.cell_type == "markdown" else ""
        last = re.findall(r"(?m)^#+ (?:Exercise: )?(.+)", prose)[-1:] or last
        name = grade_id(cell).removesuffix("-check")
        asked = textwrap.shorten(getattr(REGISTRY.get(name), "prompt", ""), 60, placeholder=" ...")
        found[name] = asked if last == ["Question"] else "".join(last)
    return found


def wrong_in(made):
    """What was wrong in an exercise and who did it, the most frequent first."""
    wrong = ((mistake, students) for mistake, students in made.items() if mistake != RIGHT)
    return sorted(wrong, key=lambda one: -len(one[1]))


def draw(mistakes, called, file):
    """A bar for each mistake, exercise by exercise, with what it is called; whether there is any."""
    bars = {name: wrong for name, made in mistakes.items() if (wrong := wrong_in(made))}
    if not bars:
        return False
    rows = [len(wrong) + 1 for wrong in bars.values()]
    figure = Figure(figsize=(9, 0.5 + 0.35 * sum(rows)), layout="constrained")
    places = figure.subplots(len(bars), sharex=True, squeeze=False, height_ratios=rows)[:, 0]
    for axes, (name, wrong) in zip(places, bars.items()):
        names = [textwrap.shorten(mistake, 45, placeholder=" ...") for mistake, _ in wrong]
        axes.bar_label(axes.barh(range(len(names)), [len(students) for _, students in wrong]), padding=3)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.spines[:].set_visible(False)
        title = textwrap.shorten(f"{name}: {called[name]}", 50, placeholder=" ...")
        axes.set_title(title, loc="left", fontweight="bold")
        axes.tick_params(bottom=False, labelbottom=False, left=False)
    figure.savefig(file, dpi=150)
    return True


def pages(folder, lesson):
    """What may be projected, and what holds learners' names."""
    mistakes, remarks, groups, given = look(folder, lesson)
    called = headings(nbformat.read(folder / "release" / lesson / f"{lesson}.ipynb", 4))
    pictured = draw(mistakes, called, folder / "review" / f"{lesson}.png")
    by_hand = grade.points_by_hand(folder, lesson)
    count = f"{len(given)} graded submission{'s' * (len(given) != 1)}"
    lines = [f"# {lesson}: {count}", "", "## What the class got wrong", ""]
    lines += [f"![mistakes by exercise]({lesson}.png)", ""] if pictured else []
    lines += ["A learner with two mistakes counts under both. In a question, wrong choices come first.", ""]
    for name, made in mistakes.items():
        lines += [f"- **{name}** ({called[name]}): {len(made.get(RIGHT, []))} of {len(given)} right"]
        known = {one.name: f'. "{one.say}"' for one in getattr(REGISTRY.get(name), "mistakes", ())}
        for mistake, students in wrong_in(made):
            typed = sum(name in by_hand.get(student, ()) for student in students)
            also = f", of these {typed} × points by hand" if typed else ""
            lines.append(f"  - {len(students)} × {mistake}{also}{known.get(mistake, '')}")
    named = [f"# {lesson}: names, not for the projector", "", "## To be looked at", ""]
    named += [f"- **{one}**: {'; '.join(found)}" for one, found in sorted(remarks.items())] or ["Nothing."]
    alike = [], []
    for missed, names, students in groups:
        where = " and ".join(f"{name} (wrong)" if name in missed else name for name in names)
        alike[not missed].append(f"- {where}: {', '.join(students)}")
    named += ["", "## Equal wrong answers", "", *(alike[0] or ["None."]), "", "## Who made which mistake", ""]
    named += [
        f"- {name}, {mistake}: {', '.join(students)}"
        for name, made in mistakes.items()
        for mistake, students in wrong_in(made)
    ] or ["None."]
    named += ["", "## Equal right answers of about five lines or more", "", *(alike[1] or ["None."])]
    return "\n".join(lines) + "\n", "\n".join(named) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description="what to see before marks go out", prog="course.py review")
    parser.add_argument("folder", type=class_folder)
    parser.add_argument("lesson", type=lesson_named)
    options = parser.parse_args(arguments)
    handed_out(options.folder, options.lesson)
    grade.check_grade_book(options.folder, options.lesson)
    if not (options.folder / "grades" / f"{options.lesson}.csv").exists():
        sys.exit("Nothing is graded yet. Call python3 course.py grade first.")
    place = options.folder / "review"
    place.mkdir(exist_ok=True)
    kept = [place / f"{options.lesson}.md", place / f"{options.lesson}_names.md"]
    told = pages(options.folder, options.lesson)
    for file, text in zip(kept, told, strict=True):
        file.write_text(text, encoding="utf-8")
    print(told[1].partition("\n## ")[2].partition("\n## Who made")[0])
    print(f"What the class got wrong: {kept[0]}\nWith names, and who gave equal right answers: {kept[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
