"""What a teacher should know before marks and feedback go out.

    python course.py review FOLDER LESSON

First which mistakes the class made, by their names, exercise by exercise: begin the next lecture with them.
Then, with learners' names, who made which, and which submissions to look at: not graded, an answer missing,
more points than there are, the course's own solution, answers alike. A mark here is no verdict: it says what
to read. What else stands in a notebook cannot change its marks, which are made outside the learner's process.
The two pages are kept apart in FOLDER/review; the first may be projected.
"""

import argparse
import ast
import builtins
import functools
import importlib
import re
import symtable
import sys
import textwrap
from collections import defaultdict

import grade
import nbformat
import running
from class_folder import class_folder, lesson_named

from pe_lessons.exercises import run_answer
from pe_lessons.exercises.exercise import Exercise, Numbers
from pe_lessons.exercises.question import Question
from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.progress import grade_id

ALIKE = 900  # characters of a syntax tree; shorter answers are alike anyway
STOPPED = {  # the errors that running.py writes
    "NotRun": "stopped before its end",
    "ComputedTooLong": "a cell computed too long",
    "WaitedTooLong": "a cell waited too long: grade again",
}
SILENT = {  # why a check said nothing, by what stands in its place
    "NotRun": "not run: the notebook stopped before",
    "NoVerdict": "the check was not heard",
    "NameError": "the answer's name was never made",
}
# What the checks say of answers whose mistake has no name, and what the table says then.
UNNAMED = {
    "This hands on what": "hands on a result of the course",
    "does not come to an end": "does not come to an end",
    "is never written": "some entries are never written",
    "it is given. Work on a copy": "changes what it is given",
    "gives back one and the same list": "all rows are one list",
    "two different results": "another result each time",
    "was changed for the whole notebook": "changes something for the whole notebook",
    "with parentheses": "gives a function back",
    "gives None back": "gives None back",
    "raises NotImplementedError": "a part is not written",
    "raise an error, but": "no error where there should be one",
    "should give the shape": "another shape",
    "should give one": "another shape",
}
MISSING = "the answer's cell was missing"
RIGHT = "right"
ANSWERING = {"arrays", "loops", "tensors", "toys"}  # modules whose functions can stand for an answer


def notebook_of(folder, student, lesson):
    file = folder / "autograded" / student / lesson / f"{lesson}.ipynb"
    return nbformat.read(file, 4) if file.exists() else None


def own_code(notebook, release):
    """The code cells that the learner wrote or changed."""
    given = {cell.source.strip() for cell in release.cells}
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip() not in given]


def shape(source):
    """What is left of an answer without comments, docstrings and white space."""
    try:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
        return ast.dump(tree)
    except Exception:  # no Python, or too deep
        return ""


def mistakes_in(name, said):
    """The names of the mistakes of which a check spoke."""
    exercise = REGISTRY.get(name)
    status = re.search(rf"^{name}: (.+?)\.$", said, re.MULTILINE)
    if status is None:
        return [next((words for sign, words in SILENT.items() if sign in said), "no verdict")]
    if status[1] in ("Correct", "Not attempted yet"):
        return [] if status[1] == "Correct" else ["not attempted"]
    if isinstance(exercise, Question):
        letters = re.findall(r"(?m)^(\w) \(chosen\):", said)
        return [chose(exercise, letter) for letter in letters] or ["a right choice missing"]
    flat = " ".join(said.split())
    found = [one.name for one in getattr(exercise, "mistakes", ()) if " ".join(one.fault.split()) in flat]
    known = [words for sign, words in UNNAMED.items() if sign in flat]
    return found or known[:1] or ["an error" if status[1] == "Error in your code" else "another mistake"]


def chose(question, letter):
    """A choice as a teacher can read it who does not have the question at hand."""
    text = textwrap.shorten(question.choices.get(letter, [""])[0], 60, placeholder=" ...")
    return f"chose {letter}: {text}"


def said_in(cell):
    text = ("\n".join(output.get("traceback", [output.get("text", "")])) for output in cell.outputs)
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(text))


def stopped(notebook):
    """What ended early."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    return [STOPPED[one.ename] for one in outputs if one.get("ename") in STOPPED]


def was_missing(name, notes):
    return any(f"`{name}` was missing" in note for note in notes)


def look(folder, lesson):
    """Who made which mistakes, what to look at, by student, and whose answers are alike.

    Mistakes, and what is wrong, are what the checks said; points by hand change neither.
    """
    release = nbformat.read(folder / "release" / lesson / f"{lesson}.ipynb", 4)
    mistakes, remarks, alike, wrong = defaultdict(dict), defaultdict(list), defaultdict(set), set()
    given, by_hand = grade.points(folder, lesson), grade.points_by_hand(folder, lesson)
    for place in sorted((folder / "submitted").glob(f"*/{lesson}")):
        student = place.parent.name
        notebook = notebook_of(folder, student, lesson)
        if notebook is None or student not in given:
            remarks[student].append("not graded")
            continue
        notes = notebook.metadata.get("course_notes", [])
        remarks[student] += [note for note in notes if "was changed" in note]
        remarks[student] += stopped(notebook)
        for cell in own_code(notebook, release):
            if len(tree := shape(cell.source)) > ALIKE:
                alike[grade_id(cell) or "a cell", tree].add(student)
        for cell in notebook.cells:
            name = grade_id(cell).removesuffix("-check")
            if cell.metadata.get("nbgrader", {}).get("grade") and given[student].get(name):
                said, (points, most) = said_in(cell), given[student][name]
                found, typed = mistakes_in(name, said), name in by_hand.get(student, ())
                if found:
                    wrong.add((name, student))
                if was_missing(name, notes):
                    remarks[student].append(f"{name}: {MISSING}")
                    found = found and [MISSING]
                for one in found or [RIGHT]:
                    mistakes[name].setdefault(one, []).append(student)
                answer = next((one for one in notebook.cells if grade_id(one) == name), None)
                if RIGHT not in (found or [RIGHT]):
                    if made_later(name, notebook.cells):
                        remarks[student].append(f"{name}: a cell below the check makes the answer")
                elif answer is not None and points:
                    if pasted(name, answer.source):
                        remarks[student].append(f"{name}: the course's own solution")
                    elif words := borrowed(name, notebook.cells):
                        remarks[student].append(words)
                if "NoVerdict" in said:
                    remarks[student].append(f"{name}: the check was not heard")
                if not typed and (points > most or (points and f"{name}: Correct." not in said)):
                    remarks[student].append(f"{name}: {points:g} of {most:g} points, and no Correct")
    remarks = {one: list(dict.fromkeys(found)) for one, found in remarks.items() if found}
    return mistakes, remarks, alike_in(alike, wrong), given


def made_later(name, cells):
    """Whether a cell below the check makes the answer, which then came too late."""
    at = next(n for n, cell in enumerate(cells) if grade_id(cell) == f"{name}-check")
    mine = re.search(r"check\((\w+)\)", cells[at].source)
    below = [cell.source for cell in cells[at + 1 :] if cell.cell_type == "code" and not grade_id(cell)]
    return bool(mine) and any(mine[1] in assigned(source) for source in below)


def assigned(source):
    """The names that a cell gives, as far as it can be read."""
    try:
        symbols = symtable.symtable(running.transformed(source), "cell", "exec").get_symbols()
        return {one.get_name() for one in symbols if one.is_assigned()}
    except Exception:
        return set()


def pasted(name, source):
    """Whether an answer is the course's own, but for comments and white space."""
    exercise = REGISTRY.get(name)
    if not isinstance(exercise, Exercise) or isinstance(exercise, Numbers):
        return False
    tree = shape(source)
    return len(tree) > ALIKE and tree == shape(exercise.text)


def borrowed(name, cells):
    """What an answer takes from the course though it gives the whole answer: in words, or None.

    Looked at are its cell and the learner's other cells that share a name with it.
    """
    exercise = REGISTRY.get(name)
    own = [cell for cell in cells if cell.cell_type == "code" and not cell.metadata.get("as_released")]
    own = [cell for cell in own if not grade_id(cell).endswith("-check")]
    answer = next((cell for cell in own if grade_id(cell) == name), None)
    if answer is None or not isinstance(exercise, Exercise) or isinstance(exercise, Numbers):
        return None
    released = [cell for cell in cells if cell.metadata.get("as_released")]
    common = {one for cell in released for one in imported(cell.source)} | set(dir(builtins))
    used, looked = running.names_in(answer) - assigned(answer.source) - common, [answer]
    for _ in own:
        more = [
            cell
            for cell in own
            if cell not in looked and not grade_id(cell) and used & running.names_in(cell)
        ]
        if not more:
            break
        looked += more
        used |= set().union(*(assigned(cell.source) for cell in more)) - common
    for cell in looked:
        for what in taken_from_the_course(cell.source):
            module, _, function = what.rpartition(".")
            if not module or function in giving(name):
                return f"{name}: uses {what} of the course"
    return None


@functools.cache
def giving(name):
    """The course's functions that do what an exercise asks for, by their names."""
    exercise, found = REGISTRY[name], set()
    for module in ANSWERING:
        for function in vars(importlib.import_module(f"pe_lessons.{module}")).values():
            if callable(function) and getattr(function, "__module__", "") == f"pe_lessons.{module}":
                layouts = [{}, *({"layout": one} for one in ("half", "interleaved"))]
                for more in layouts:
                    done = run_answer.observe(functools.partial(function, **more), exercise.probes[0])
                    if done.same_as(exercise._expected[0], exercise.atol):
                        found.add(function.__name__)
    return found - exercise.may_call


def imported(source):
    """The names that a cell imports."""
    try:
        tree = ast.parse(running.transformed(source))
    except Exception:
        return set()
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return {(one.asname or one.name).split(".")[0] for node in imports for one in node.names}


def taken_from_the_course(source):
    """The course's own functions of which a cell speaks, as in loops.sinusoidal; or a module as a whole."""
    try:
        tree = ast.parse(running.transformed(source))
    except Exception:
        return
    inside = set()
    tree.body = [line for line in tree.body if not only_compares(line)]
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ANSWERING
        ):
            inside.add(node.value)
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Name) and node.id in {*ANSWERING, "pe_lessons"} and node not in inside:
            yield node.id
        elif (
            isinstance(node, ast.ImportFrom) and (node.module or "").removeprefix("pe_lessons.") in ANSWERING
        ):
            yield from (f"{node.module.removeprefix('pe_lessons.')}.{one.name}" for one in node.names)


def only_compares(line):
    """Whether a line of a cell keeps nothing of what it looks at."""
    shows = isinstance(line, ast.Expr) and ast.unparse(line).startswith("print(")
    keeps = any(isinstance(node, ast.NamedExpr) for node in ast.walk(line))
    return (shows or isinstance(line, ast.Assert)) and not keeps


def alike_in(answers, wrong=frozenset()):
    """Whose answers are alike: in which exercises they are wrong, in which at all, and who.

    First those who share most wrong answers, then those who share most. `answers` maps (exercise, answer) to
    who gave it; `wrong` holds (exercise, student).
    """
    same = {frozenset(students) for students in answers.values() if len(students) > 1}
    while more := {one & other for one in same for other in same if len(one & other) > 1} - same:
        same |= more
    found = []
    for group in same:
        names = sorted({name for (name, _), students in answers.items() if group <= students})
        missed = [name for name in names if wrong.issuperset((name, one) for one in group)]
        found.append((missed, names, sorted(group)))
    return sorted(found, key=lambda one: (-len(one[0]), -len(one[1]), len(one[2]), one))


def pages(folder, lesson):
    """What may be projected, and what holds learners' names."""
    mistakes, remarks, groups, given = look(folder, lesson)
    by_hand = grade.points_by_hand(folder, lesson)
    lines = [f"# {lesson}: {len(given)} submissions", "", "## What the class got wrong", ""]
    lines += ["Whoever made two mistakes at once counts under both.", ""]
    for name, made in mistakes.items():
        lines += [f"- **{name}**: {len(made.pop(RIGHT, []))} of {len(given)} right"]
        for mistake, students in sorted(made.items(), key=lambda one: -len(one[1])):
            typed = sum(name in by_hand.get(student, ()) for student in students)
            also = f", of these {typed} × points by hand" if typed else ""
            lines.append(f"  - {len(students)} × {mistake}{also}")
    named = [f"# {lesson}: names, not for the projector", "", "## Who made which mistake", ""]
    named += [
        f"- {name}, {mistake}: {', '.join(students)}"
        for name, made in mistakes.items()
        for mistake, students in made.items()
    ] or ["None."]
    named += ["", "## To be looked at", ""]
    named += [f"- **{one}**: {'; '.join(found)}" for one, found in sorted(remarks.items())] or ["Nothing."]
    named += ["", f"## Answers alike, of those longer than {ALIKE} characters as a syntax tree", ""]
    if groups:
        named += ["Ask first who shares a wrong one: a short exercise has few right ones.", ""]
    for missed, names, students in groups:
        where = " and ".join(f"{name} (wrong)" if name in missed else name for name in names)
        named.append(f"- {where}: {', '.join(students)}")
    named += [] if groups else ["None."]
    return "\n".join(lines) + "\n", "\n".join(named) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(
        description="what to look at before marks go out", prog="course.py review"
    )
    parser.add_argument("folder", type=class_folder)
    parser.add_argument("lesson", type=lesson_named)
    options = parser.parse_args(arguments)
    grade.check_grade_book(options.folder, options.lesson)
    place = options.folder / "review"
    place.mkdir(exist_ok=True)
    kept = [place / f"{options.lesson}.md", place / f"{options.lesson}_names.md"]
    for file, text in zip(kept, pages(options.folder, options.lesson), strict=True):
        file.write_text(text, encoding="utf-8")
        print(text)
    print(f"Without names, to be projected: {kept[0]}\nWith names: {kept[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
