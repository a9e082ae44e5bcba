"""Which exercises are done, read from the saved outputs of the check cells.

``python -m pe_lessons.lessons.progress notebooks/`` prints a table of lessons and exercises. Nothing is run
and nothing is stored: a notebook that was not saved has made no progress.
"""

import itertools
import json
import re
import sys
from pathlib import Path

FIRST_LINE = re.compile(r"^(\w+): (Correct|Not yet|Not attempted yet|Error in your code)\.$", re.MULTILINE)
NOT_RUN = "Not run"
LARGEST, MOST, LONGEST = 25_000_000, 100, 200  # bytes and checks of a notebook, letters of an entry
NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")  # would rule a terminal


def notebooks(folder):
    """The lessons in a folder, in their order; not the copies that `course.py reset` keeps beside them."""
    found = (path for path in Path(folder).glob("[0-9][0-9]_*.ipynb") if ".mine" not in path.name)
    return sorted(found)


def notebook(folder, lesson):
    """The notebook of a lesson, by its number of two digits or by its name, such as "the_naive_loop".

    A ValueError says if there is none, or more than one.
    """
    found = [path for path in notebooks(folder) if lesson in (path.name[:2], path.stem[3:])]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise ValueError(f"lesson {lesson!r} should be one notebook in {folder}, found {names}")
    return found[0]


def grade_id(cell):
    """The name by which nbgrader knows a cell: an exercise, or an exercise and "-check"; "" of any other."""
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def progress(path):
    """List ``(lesson, exercise, outcome)`` for every check cell of a notebook, or of a folder of notebooks.

    A ValueError says if there is no notebook at `path`, or if the one at `path` cannot be read. In a folder,
    one that cannot be read is an entry, and the others are read.
    """
    path = Path(path)
    found = [path]
    if path.is_dir():  # a copy that `course.py reset` kept doesn't count: its lesson is there too
        found = sorted(one for one in path.glob("*.ipynb") if ".mine" not in one.name)
    if not found:
        raise ValueError(f"there are no notebooks in {path}")
    if not path.is_dir():
        return _checks(path)
    rows = []
    for one in found:
        try:
            rows += _checks(one)
        except ValueError as problem:
            rows.append((one.stem, "", str(problem)))
    return rows


def table(rows):
    """The rows as plain text, with a line that counts."""
    header = ("lesson", "exercise", "outcome")
    rows = [tuple(NO_TEXT.sub("?", entry[:LONGEST]) for entry in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *rows)]
    first, *lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in (header, *rows))
    done = sum(outcome == "Correct" for _, _, outcome in rows)
    exercises = sum(name != "" for _, name, _ in rows)
    return "\n".join([first, "-" * len(first), *lines, "", f"{done} of {exercises} exercises done."])


def main(arguments):
    """Print the table; return the exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m pe_lessons.lessons.progress FOLDER_OR_NOTEBOOK", file=sys.stderr)
        return 2
    try:
        print(table(progress(arguments[0])))
    except ValueError as problem:
        print(f"pe_lessons.lessons.progress: {NO_TEXT.sub('?', str(problem))}", file=sys.stderr)
        return 2
    return 0


def _checks(notebook):
    try:
        if notebook.stat().st_size > LARGEST or not notebook.is_file():  # a device has no end
            raise ValueError
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        return [(notebook.stem, *row) for row in itertools.islice(_check_cells(cells), MOST)]
    except OSError as error:
        raise ValueError(f"cannot open {notebook}: {error.strerror}") from None
    except Exception:  # of many kinds: a learner's file may hold anything
        raise ValueError(f"{notebook} is not a notebook") from None


def _check_cells(cells):
    for cell in cells:
        nbgrader = cell.get("metadata", {}).get("nbgrader", {})
        name = nbgrader.get("grade_id", "")
        if nbgrader.get("grade") and name.endswith("-check"):
            name = name.removesuffix("-check")
            said = [FIRST_LINE.search(_text(output)) for output in cell.get("outputs", ())]
            outcomes = [match[2] for match in said if match and match[1] == name]
            yield name, outcomes[-1] if outcomes else NOT_RUN


def _text(output):
    """Text of a result, of what was printed, or of the exception a grading tool saw."""
    text = output.get("data", {}).get("text/plain") or output.get("text") or output.get("evalue") or ""
    return text if isinstance(text, str) else "".join(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
