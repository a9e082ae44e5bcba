"""Give lessons other numbers: names of files and folders, and every mention in prose, links, code and data.

    python course.py renumber move 17 09    lesson 17 becomes 09, and those between make room

Write a new lesson as the last one and move it; move one that goes to the end, and take it out there: then no
number is ever without its lesson. It wants a clean tree, and ends with what only a person can mend.

Lessons are numbers of two digits, in these forms only: `lesson 09`, `lessons 03 and 09`, `lessons 10-12`,
`lesson_09`, `quiz_09`, `09_learned_positions.ipynb`, [09](...) where the link leads to a lesson, and the
places in FORMS. What is written in another way stays as it is: tests/test_renumber.py looks for such.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# A number of a lesson; not the 16 of 16 %, 16.5, 16:30, 16,384 or 16 384.
NUMBER = r"\d\d(?![\w%]|[.,:]\d|[ \xa0](?:%|\d{3}\b))"
ITEM = re.compile(rf"\[(?={NUMBER}\]\()|(?={NUMBER})")
LINK = re.compile(r"\]\([^)\s]*\)")
LIST = re.compile(r"(?i)\blessons[\s#]+|\*\*Needs:\*\* ")
COMMANDS = re.compile(
    r"(?:course\.py |\bor )"
    r"(?:claims|reset|slides|(?:classroom|grade|review) \S+|renumber move) +"
)
BETWEEN = re.compile(r",[\s#]+(?:(?:and|or)[\s#]+)?|[\s#]+(?:and|or|to)[\s#]+|[-–]")
BETWEEN_WORDS = re.compile(r" \[?")

ANYWHERE = [
    rf"(?i:\blesson[\s#]+)({NUMBER})",
    r"(?i:(?<![a-z])(?:lesson|quiz)_|\blesson-)(\d\d)(?!\d)",
    r"(?<!\d)(\d\d)_(?:STEMS)\b",
    r"\[(\d\d)(?: [^\]\n]*)?\]\([\w./]*\d\d_(?:STEMS)\.ipynb",
    r"(?m)^# (\d\d) ·",
    r"\bof_lesson\(\"(\d\d)\"\)",
]
FORMS = {  # in these files also
    "docs/index.md": [r"(?m)^notebooks/(\d\d)_\*"],
    "teaching/GUIDE.md": [r"(?m)^### (\d\d) "],
    "teaching/LESSON_TIMES.md": [r"(?m)^\| (\d\d) "],
    "teaching/MISTAKES.md": [r"(?m)^## (\d\d) "],
    "tests/test_classroom.py": [r"\"(\d\d)\""],
    "tests/test_teaching.py": [r"\"(\d\d)[\"/]"],
    "tests/test_exact_comparisons.py": [r"\"(\d\d) [a-z][a-z\d-]*\""],
}
SECTIONS = {"teaching/GUIDE.md": "### ", "teaching/MISTAKES.md": "## "}
ROWS = re.compile(
    r"(?m)(?:^(?:\| \[\d\d |\| \d\d [A-Z]|\"\d\d\" = |   - lesson \d\d:|notebooks/\d\d_).*\n){2,}"
)

# Their lessons are made up, and stay as they are; so does a text that was frozen.
MADE_UP = {
    "pe_lessons/small/held_out.txt", "tools/renumber.py", "tests/test_renumber.py",
    "tests/test_claims_runner.py", "tests/test_progress.py", "tests/test_reset_and_update.py",
}  # fmt: skip


class Refused(Exception):
    pass


def stems(paths):
    """The names of the lessons without their numbers; `name` is the one in CONTRIBUTING.md."""
    found = (re.fullmatch(r"notebooks/\d\d_(\w+)\.ipynb", path) for path in paths)
    return sorted({match[1] for match in found if match} | {"name"})


def lessons(paths):
    return sorted({int(match[1]) for path in paths if (match := re.match(r"notebooks/(\d\d)_", path))})


def listed(text, start, between):
    """The places of the numbers of a list that begins at `start`."""
    while item := ITEM.match(text, start):
        yield item.end()
        link = LINK.match(text, item.end() + 2)
        rest = between.match(text, link.end() if link else item.end() + 2)
        if not rest:
            return
        start = rest.end()


def mentions(text, path, names):
    """The places of all numbers of lessons in a text, in order."""
    found = set()
    for pattern in [*ANYWHERE, *FORMS.get(path, [])]:
        pattern = pattern.replace("STEMS", "|".join(names))
        found.update(match.start(1) for match in re.finditer(pattern, text))
    for lead, between in ((LIST, BETWEEN), (COMMANDS, BETWEEN_WORDS)):
        for match in lead.finditer(text):
            found.update(listed(text, match.end(), between))
    return sorted(found)


def rewritten(text, path, names, new):
    """The text with new numbers; `new` says which number becomes which."""
    for place in reversed(mentions(text, path, names)):
        number = int(text[place : place + 2])
        text = f"{text[:place]}{new.get(number, number):02d}{text[place + 2 :]}"
    return text


def strings(value, change):
    """A part of a notebook with every text in it changed; pictures are none."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        text = "".join(value)
        changed = change(text)
        return value if changed == text else re.findall(r".*\n|.+", changed)
    if isinstance(value, list):
        return [strings(one, change) for one in value]
    if isinstance(value, dict):
        return {key: one if key.startswith("image/") else strings(one, change) for key, one in value.items()}
    return value


def new_bytes(path, old, names, new):
    """What is in a file afterwards; `old` are its bytes."""
    try:
        text = old.decode()
    except UnicodeDecodeError:
        return old
    if path.endswith(".ipynb"):
        changed = strings(json.loads(text), lambda one: rewritten(one, path, names, new))
        return (json.dumps(changed, indent=1, ensure_ascii=False) + "\n").encode()
    return in_order(path, rewritten(text, path, names, new)).encode()


def new_path(path, names, new):
    parts = path.split("/")
    return "/".join(rewritten(part, "", names, new) for part in parts)


def in_order(path, text):
    """Rows of tables that begin with a lesson, and the guide's sections, in the order of their numbers."""

    def number(piece):
        return int(re.search(r"\d\d", piece)[0])

    text = ROWS.sub(lambda rows: "".join(sorted(rows[0].splitlines(keepends=True), key=number)), text)
    if path in SECTIONS:
        mark = SECTIONS[path]
        section = rf"^{mark}\d\d .*?(?=^#{{1,{len(mark) - 1}}} |\Z)"
        for run in re.findall(rf"(?ms)(?:{section})+", text):
            pieces = sorted((one.rstrip() for one in re.findall(rf"(?ms){section}", run)), key=number)
            text = text.replace(run, "\n\n".join(pieces) + run[len(run.rstrip()) :])
    return text


def renumbered(files, new):
    """{path: bytes} of the whole tree, in new numbers."""
    names = stems(files)
    return {
        path if path in MADE_UP else new_path(path, names, new):
        data if path in MADE_UP else new_bytes(path, data, names, new)
        for path, data in files.items()
    }  # fmt: skip


def plan(first, last, present):
    """Which number becomes which, when lesson `first` goes to the place of `last`."""
    for number in (first, last):
        if number not in present or number == 0:
            raise Refused(f"There is no lesson {number:02d} that could be moved.")
    step = 1 if last < first else -1
    return {first: last, **{number: number + step for number in range(last, first, step)}}


def left_to_do(files):
    """What only a person can mend, in a tree {path: bytes}."""
    for path, data in sorted(files.items()):
        if match := re.match(r"notebooks/(\d\d)_.*\.ipynb$", path):
            for cell in json.loads(data)["cells"]:
                source = "".join(cell["source"])
                asked = re.search(r"The question for lesson (\d\d)", source)
                if cell.get("id") == "next" and asked and int(asked[1]) != int(match[1]) + 1:
                    yield f"{path} ends with the question for lesson {asked[1]}."
    parts = re.findall(r"(?m)^notebooks/(\d\d)_\*$", readable(files.get("docs/index.md", b"")))
    if parts != sorted(parts):
        yield f"docs/index.md has the lessons in the order {' '.join(parts)}."


def to_run_again(files, names):
    """The notebooks whose code says another lesson's number, perhaps in a figure."""
    for path, data in sorted(files.items()):
        if path.endswith(".ipynb"):
            code = "\n".join(
                "".join(cell["source"]) for cell in json.loads(data)["cells"] if cell["cell_type"] == "code"
            )
            if any(code[place - 1] != "_" for place in mentions(code, path, names)):
                yield path


def readable(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def read(paths):
    return {path: (ROOT / path).read_bytes() for path in paths}


def write(before, after, new):
    """Write what changed, rename what moved, and take away the folders that are empty then."""
    names = stems(before)
    for path in before.keys() - after.keys():
        (ROOT / path).unlink()
    for path, data in after.items():
        if before.get(path) != data:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_bytes(data)
    for folder in {(ROOT / path).parent for path in before if new_path(path, names, new) != path}:
        kept = {"__pycache__", ".ipynb_checkpoints"}
        if folder.exists() and {one.name for one in folder.iterdir()} <= kept:
            for left in sorted(folder.rglob("*"), reverse=True):
                left.rmdir() if left.is_dir() else left.unlink()
            folder.rmdir()


def changed(before, after, names, new):
    """A line for each file that moved, or whose text changed."""
    for path, data in sorted(before.items()):
        now = path if path in MADE_UP else new_path(path, names, new)
        count = sum(map(bytes.__ne__, data.split(b"\n"), after[now].split(b"\n")))
        if now != path or count:
            yield f"{path}{f' -> {now}' if now != path else ''}: {count} line{'s' if count != 1 else ''}"


def main(words):
    parser = argparse.ArgumentParser(prog="course.py renumber", description="Give lessons other numbers.")
    parser.add_argument("task", choices=["move"])
    parser.add_argument("numbers", nargs=2, type=int, help="of the lesson, and the one that it gets")
    try:
        run(*parser.parse_args(words).numbers)
    except Refused as why:
        print(why)
        return 1
    return 0


def run(first, last):
    paths = [path for path in git("ls-files").splitlines() if (ROOT / path).is_file()]
    names, present = stems(paths), lessons(paths)
    if git("status", "--porcelain"):
        raise Refused(
            "There are changes that are not committed: commit them first, so that this can be undone."
        )
    before = read(paths)
    new = plan(first, last, present)
    after = renumbered(before, new)
    write(before, after, new)
    print("\n".join(changed(before, after, names, new)))
    moved = {path: data for path, data in after.items() if before.get(path) != data}
    print("", "Now: python course.py tables", sep="\n")
    print(*(f"python course.py notebooks {path}" for path in to_run_again(moved, names)), sep="\n")
    print(*left_to_do(after), sep="\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
