"""What a teacher should know before marks and feedback go out.

    python course.py review FOLDER LESSON

First which mistakes the class made, by their names, exercise by exercise: begin the next lecture with them.
Then which submissions to look at: not graded, more points than there are, code that does more than the lesson
asks for, answers alike. A mark here is no verdict: it says what to read. The page is kept in FOLDER/review.
"""

import argparse
import ast
import re
import symtable
import sys
from collections import Counter, defaultdict

import grade
import nbformat

from pe_lessons.exercises import REGISTRY
from pe_lessons.exercises.question import Question

# What lessons need. Whoever needs more has a good reason or another aim: worth a look.
MODULES = set(
    "bisect cmath collections copy dataclasses decimal enum fractions functools heapq itertools "
    "matplotlib math numbers numpy operator pe_lessons random statistics string time torch typing".split()
)
RUNGS = {
    "arrays",
    "capstone",
    "configs",
    "doctor",
    "loops",
    "measures",
    "models",
    "plots",
    "puzzles",
    "tensors",
    "toys",
}
WORDS = set(
    "breakpoint compile delattr eval exec get_ipython getattr globals locals memoryview open setattr "
    "vars builtins ctypeslib load save tofile fromfile memmap loadtxt savetxt hub jit".split()
)
ALIKE = 900  # characters of a syntax tree; shorter answers are alike anyway
STRANGE = re.compile(r"(?m)^\s*[%!].*$")
DUNDER = re.compile(r"__\w+__")
LESSON = re.compile(r"pe_lessons\.exercises\.lesson_\d\d")
PLAIN = {"__init__", "__len__", "__name__"}
TELLING = {"reference", "right", "solution", "diagnose", "probes"}


def notebook_of(folder, student, lesson):
    file = folder / "autograded" / student / lesson / f"{lesson}.ipynb"
    return nbformat.read(file, 4) if file.exists() else None


def grade_id(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def own_code(notebook, release):
    """The code cells that the learner wrote or changed."""
    given = {cell.source.strip() for cell in release.cells}
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip() not in given]


def strange(source, exercises):
    """What in a cell a lesson seldom asks for; what its own cells do is left out later."""
    if STRANGE.search(source):
        yield "a command of IPython or of the system"
        source = STRANGE.sub("", source)
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for symbol in symtable.symtable(source, "cell", "exec").get_symbols():
        if symbol.get_name() in exercises and symbol.is_assigned() and not symbol.is_imported():
            yield f"gives the name {symbol.get_name()} to something else"
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] not in MODULES - {"pe_lessons"}:
                    yield f"imports {alias.name}"
        elif isinstance(node, ast.ImportFrom):
            module, names = node.module or "", {alias.name for alias in node.names if not alias.asname}
            allowed = RUNGS if module == "pe_lessons" else exercises if LESSON.fullmatch(module) else names
            known = module.split(".")[0] in MODULES and (
                not module.startswith("pe_lessons.e") or LESSON.fullmatch(module)
            )
            if not known or not names <= allowed or len(names) < len(node.names):
                yield f"imports from {module}"
        elif isinstance(node, ast.Attribute):
            name, owner = node.attr, getattr(node.value, "id", None)
            if name in WORDS or (name.startswith("_") and name not in PLAIN):
                yield f"uses .{name}"
            elif name in TELLING and owner in exercises:
                yield f"uses {owner}.{name}"
            elif isinstance(node.ctx, ast.Store) and owner not in ("self", "cls"):
                yield f"writes into {owner or 'something'}.{name}"
        elif isinstance(node, ast.Name) and (node.id in WORDS or DUNDER.fullmatch(node.id)):
            yield f"uses {node.id}"
        elif isinstance(node, ast.FunctionDef) and DUNDER.fullmatch(node.name) and node.name not in PLAIN:
            yield f"defines {node.name}"


def shape(source):
    """What is left of an answer without its names for things, comments and white space."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def mistakes_in(name, said):
    """The names of the mistakes of which a check spoke."""
    exercise = REGISTRY.get(name)
    status = re.search(rf"^{name}: (.+?)\.$", said, re.MULTILINE)
    if status is None:
        return ["the check was not reached" if said else "no verdict"]
    if status[1] in ("Correct", "Not attempted yet"):
        return [] if status[1] == "Correct" else ["not attempted"]
    if isinstance(exercise, Question):
        return [f"{letter} chosen" for letter in re.findall(r"(?m)^(\w) \(chosen\):", said)] or [
            "choices missing"
        ]
    flat = " ".join(said.split())
    found = [one.name for one in getattr(exercise, "mistakes", ()) if " ".join(one.fault.split()) in flat]
    return found or ["an error" if status[1] == "Error in your code" else "another mistake"]


def said_in(cell):
    text = ("\n".join(output.get("traceback", [output.get("text", "")])) for output in cell.outputs)
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(text))


def look(folder, lesson):
    """The mistakes of the class, and what to look at, by student."""
    release = nbformat.read(folder / "release" / lesson / f"{lesson}.ipynb", 4)
    exercises = {
        grade_id(cell) for cell in release.cells if cell.metadata.get("nbgrader", {}).get("solution")
    }
    mistakes, remarks, alike = defaultdict(Counter), defaultdict(list), defaultdict(list)
    given = grade.points(folder, lesson)
    usual = {remark for cell in release.cells for remark in strange(cell.source, exercises)}
    for place in sorted((folder / "submitted").glob(f"*/{lesson}")):
        student = place.parent.name
        notebook = notebook_of(folder, student, lesson)
        if notebook is None or student not in given:
            remarks[student].append("not graded")
            continue
        for cell in own_code(notebook, release):
            remarks[student] += [one for one in strange(cell.source, exercises) if one not in usual]
            if len(tree := shape(cell.source)) > ALIKE:
                alike[grade_id(cell) or "a cell", tree].append(student)
        for cell in notebook.cells:
            name = grade_id(cell).removesuffix("-check")
            if cell.metadata.get("nbgrader", {}).get("grade") and given[student].get(name):
                said, (points, most) = said_in(cell), given[student][name]
                mistakes[name].update(mistakes_in(name, said))
                if "NoVerdict" in said:
                    remarks[student].append(f"{name}: the check was not heard")
                if points > most or (points and f"{name}: Correct." not in said):
                    remarks[student].append(f"{name}: {points:g} of {most:g} points, and no Correct")
    remarks = {one: list(dict.fromkeys(found)) for one, found in remarks.items() if found}
    groups = [
        (name, sorted(set(students))) for (name, _), students in alike.items() if len(set(students)) > 1
    ]
    return mistakes, remarks, groups, given


def page(folder, lesson):
    mistakes, remarks, groups, given = look(folder, lesson)
    lines = [f"# {lesson}: {len(given)} submissions", "", "## What the class got wrong", ""]
    for name, counted in mistakes.items():
        right = len(given) - sum(1 for grades in given.values() if not grades.get(name, (0, 0))[0])
        lines += [f"- **{name}**: {right} of {len(given)} right"]
        lines += [f"  - {count} × {mistake}" for mistake, count in counted.most_common()]
    lines += ["", "## To be looked at", ""]
    lines += [f"- **{one}**: {'; '.join(found)}" for one, found in sorted(remarks.items())] or ["Nothing."]
    lines += ["", f"## Answers alike, of those longer than {ALIKE} characters as a syntax tree", ""]
    lines += [f"- {name}: {', '.join(students)}" for name, students in groups] or ["None."]
    return "\n".join(lines) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(
        description="what to look at before marks go out", prog="course.py review"
    )
    parser.add_argument("folder", type=grade.class_folder)
    parser.add_argument("lesson", type=grade.classroom.lesson_named)
    options = parser.parse_args(arguments)
    text = page(options.folder, options.lesson)
    (options.folder / "review").mkdir(exist_ok=True)
    (options.folder / "review" / f"{options.lesson}.md").write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
