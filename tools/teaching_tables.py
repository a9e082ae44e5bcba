"""Write the tables of the teacher's guide that follow from the course, LESSON_TIMES.md and MISTAKES.md, and
the minutes of the reading paths.

    python course.py tables

Both tables list whatever lessons there are.
"""

import functools
import itertools
import re

import nbformat
from reexecute import ROOT, find_notebooks

from pe_lessons.exercises.exercise import Exercise
from pe_lessons.exercises.question import Quiz
from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.progress import grade_id

LESSON_TIMES = ROOT / "teaching" / "LESSON_TIMES.md"
MISTAKES = ROOT / "teaching" / "MISTAKES.md"
# where the reading paths are: a line for each, with links to its lessons and their minutes at its end
WITH_PATHS = find_notebooks()[0]
WITH_MINUTES = [WITH_PATHS, ROOT / "README.md"]
PATHS = (
    "everything",
    "to build language models",
    "to understand RoPE",
    "vision and video",
    "a first impression, in two hours",
    "to teach this course",
)
PATH = re.compile(rf"^(.*(?:[|*] ?)({'|'.join(PATHS)})\b.* )(\d+)(?= \|| minutes)", re.MULTILINE)
ROW = re.compile(r"^(\| \[(\d\d) .* \| )\d+(?= \|$)", re.MULTILINE)  # of a table with a lesson a line

# Minutes, fitted to what 21 readers took: prose, code, exercises, and questions with a choice of answers.
A_WORD, A_LINE, AN_EXERCISE, A_QUESTION = 1 / 90, 1 / 5, 9.5, 2
OTHER_TASKS = {  # cases of the clinic, with a test to write and without; its hunt; a sheet for a phone
    r"^clinic\.case\(\d+\)\.check\(test, accused=\.\.\.\)": 5,
    r"^clinic\.case\(\d+\)\.accuse\(\.\.\.\)": 3,
    r"^the_hunt\.check\(": 25,
    r"^phone\.sheet\(": 5,
}

ABOUT_TIMES = """# How long the lessons take

`tools/teaching_tables.py` writes this page. The minutes are those at the top of each lesson. They differ by
at most 5 from a sum: 1 minute for 90 words or 5 lines of code, 9.5 minutes for each exercise and 2 for each
question or quiz. In the clinic, a case takes 5 minutes with a test to write and 3 without, and the hunt takes
25. In lesson 23, the sheet for a phone takes 5. We chose these numbers to match the times that 21 readers
took. A class that discusses every prediction takes about one and a half times as long.

The table leaves out *Further* and what comes after it, except in the last two columns. *Points* are all the
points that `course.py grade` can give, and the last column says how many of them are in *Further*. If your
class skips *Further*, [set them to 0](GRADING.md#an-exercise-should-not-count-or-count-twice).

| lesson | minutes | words | code lines | exercises | points | of these in Further |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""

ABOUT_MISTAKES = """# What learners get wrong, and what to say

`tools/teaching_tables.py` writes this page from the exercises. It lists every mistake that a check knows by
name, with its reply. A check compares results, so it finds a mistake in any style of code. It names two
mistakes together. For others, it shows the first number that differs.
"""


def title(notebook):
    return re.match(r"# (.+)", nbformat.read(notebook, 4).cells[0].source)[1].replace(" · ", " ")


def before_further(cells):
    """The cells that the clock counts: those before the heading *Further*, without the list of sources."""
    counted = itertools.takewhile(lambda cell: not re.match(r"#+ Further\b", cell.source), cells)
    return [cell for cell in counted if cell.id != "sources"]


@functools.cache
def reckon(notebook):
    """Words, code lines, exercises, points, points in Further, minutes by the clock, minutes as stated."""
    cells = nbformat.read(notebook, 4).cells
    counted = before_further(cells)
    words = sum(len(cell.source.split()) for cell in counted if cell.cell_type == "markdown")
    code = [cell for cell in counted if cell.cell_type == "code"]
    lines = sum(1 for cell in code for line in cell.source.splitlines() if line.strip())
    here, everywhere = kinds(code), kinds(cells)
    exercises = sum(issubclass(kind, Exercise) for kind in here)
    minutes = words * A_WORD + lines * A_LINE + exercises * AN_EXERCISE + (len(here) - exercises) * A_QUESTION
    for asked, each in OTHER_TASKS.items():
        minutes += each * sum(bool(re.search(asked, cell.source, re.MULTILINE)) for cell in code)
    points, before = (sum(not issubclass(kind, Quiz) for kind in some) for some in (everywhere, here))
    stated = re.search(r"[Aa]bout (\d+) minutes", cells[0].source)
    return words, lines, exercises, points, points - before, minutes, int(stated[1]) if stated else None


def kinds(cells):
    """Exercise, question or quiz: the class of each one that these cells check."""
    names = [grade_id(cell) for cell in cells]
    return [type(REGISTRY[name]) for name in names if name in REGISTRY]


def reading_paths(text):
    """Name of each reading path: the numbers of its lessons, and the minutes that are given."""
    lessons = {notebook.name[:2] for notebook in find_notebooks()}
    linked = {match[2]: set(re.findall(r"(\d\d)_\w+\.ipynb", match[1])) for match in PATH.finditer(text)}
    given = {match[2]: int(match[3]) for match in PATH.finditer(text)}
    return {name: (linked[name] or lessons, given[name]) for name in linked}


def with_minutes(text):
    """The text with the minutes of each lesson and each reading path: those that the lessons state."""
    stated = {notebook.name[:2]: reckon(notebook)[-1] for notebook in find_notebooks()}
    text = ROW.sub(lambda match: match[1] + str(stated[match[2]]), text)
    paths = reading_paths(text)
    return PATH.sub(lambda match: match[1] + str(sum(stated[one] for one in paths[match[2]][0])), text)


def times_table():
    text = ABOUT_TIMES
    for notebook in find_notebooks():
        words, lines, exercises, points, further, _, stated = reckon(notebook)
        numbers = stated, words, lines, exercises, points, further
        text += f"| {title(notebook)} | {' | '.join(map(str, numbers))} |\n"
    return text


def mistakes_table():
    text = ABOUT_MISTAKES
    for notebook in find_notebooks():
        cells = nbformat.read(notebook, 4).cells
        names = [grade_id(cell) for cell in cells]
        here = [name for name in names if isinstance(REGISTRY.get(name), Exercise)]
        if here:
            text += f"\n## {title(notebook)}\n"
        for name in here:
            text += f"\n### {name}\n\n| mistake | what to say |\n| --- | --- |\n"
            for known in REGISTRY[name].mistakes:
                said = known.say.replace("|", r"\|")
                said = re.sub(r"`.*?`|([*_])", lambda it: "\\" + it[0] if it[1] else it[0], said)
                text += f"| {known.name.replace('*', chr(92) + '*')} | {said} |\n"
    return text


def main():
    MISTAKES.write_text(mistakes_table(), encoding="utf-8")
    LESSON_TIMES.write_text(times_table(), encoding="utf-8")
    for file in WITH_MINUTES:
        file.write_text(with_minutes(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    print(f"{LESSON_TIMES.name} and {MISTAKES.name}: {len(find_notebooks())} lessons")


if __name__ == "__main__":
    main()
