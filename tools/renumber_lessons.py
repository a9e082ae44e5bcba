"""Let the numbers of lessons follow the names of their notebooks, everywhere in the course.

    git mv notebooks/12_rotary.ipynb notebooks/09_rotary.ipynb    (and those that make room)
    python course.py tables

A lesson's number stands in the name of its notebook. `12_rotary`, and the label of a link to it, get the
number that `rotary` has now. Where only a number stands ("lesson 12", "lessons 08 and 12", "reset 12"), the
title of each notebook says which number its lesson had before. Links are safer, so prefer them.
"""

import json
import re
import subprocess
from pathlib import Path

from pe_lessons.lessons import progress

ROOT = Path(__file__).resolve().parents[1]
# Its text was frozen, or its lessons are made up.
FROZEN = ("pe_lessons/small_models/", "tools/renumber_lessons.py")

# The number of a lesson; not the 16 of 16 %, 16.5, 16:30, 16,384 or 16 384.
NUMBER = r"\d\d(?![\w%]|[.,:]\d|[ \xa0](?:%|\d{3}\b))"
LISTED = rf"{NUMBER}(?:(?:,?[ \n#]+(?:and|or|to)[ \n#]+|,[ \n#]+|[-–]){NUMBER})*"
COMMAND = r"course\.py (?:claims|reset|slides|(?:classroom|grade|review) \S+) "
TITLE = re.compile(r"^# (\d\d) · (.+)")
NEXT = re.compile(r"question for \[lesson \d\d\]\([^)]*\)")
ROWS = re.compile(r"(?m)(?:^\| \[\d\d .*\n)+")
SECTIONS = re.compile(r"(?ms)(?:^### \d\d .*?(?=^#|\Z))+")


def patterns(stems):
    file = rf"(?<!\d)\d\d_(?P<stem>{'|'.join(stems)})\b"
    return re.compile(
        rf"\[(?P<label>[^\]\n]*)\](?P<path>\([\w./]*){file}"
        rf"|{file.replace('stem', 'name')}"
        rf"|(?P<single>(?i:(?<![a-z])lesson[ \n#-]+){NUMBER}|^### \d\d (?=[A-Z])|^notebooks/\d\d(?=_\*))"
        rf"|(?P<many>(?i:\blessons[ \n#]+){LISTED}|\*\*Needs:\*\*.*|{COMMAND}{NUMBER}(?: {NUMBER})*)",
        re.MULTILINE,
    )


def renumbered(text, numbers, moved):
    """The text with the present numbers: `numbers` by the lessons' names, `moved` from the old to the new."""

    def new(match):
        if match["stem"]:
            number = numbers[match["stem"]]
            label = re.sub(r"^\d\d\b|(?<=esson )\d\d\b", number, match["label"])
            return f"[{label}]{match['path']}{number}_{match['stem']}"
        if match["name"]:
            return f"{numbers[match['name']]}_{match['name']}"
        return re.sub(rf"(?<!\d){NUMBER}", lambda old: moved.get(old[0], old[0]), match[0])

    text = patterns(numbers).sub(new, text)
    text = ROWS.sub(lambda rows: "".join(sorted(rows[0].splitlines(keepends=True))), text)
    return SECTIONS.sub(in_order, text)


def in_order(sections):
    parts = sorted(part.strip() for part in re.split(r"(?m)^(?=### )", sections[0]) if part)
    return "\n\n".join(parts) + sections[0][len(sections[0].rstrip()) :]


def main(root=ROOT):
    """Rewrite the files below `root`; says which lessons end with another lesson's question now."""
    notebooks = progress.notebooks(root / "notebooks")
    contents = {path: json.loads(path.read_text(encoding="utf-8")) for path in notebooks}
    numbers = {path.stem[3:]: path.name[:2] for path in notebooks}
    titles = {path: TITLE.match("".join(contents[path]["cells"][0]["source"])) for path in notebooks}
    moved = {title[1]: path.name[:2] for path, title in titles.items() if title and title[1] != path.name[:2]}
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        path = root / name
        if path in contents or name.startswith(FROZEN) or not path.is_file():
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue  # a picture, or a model's weights
        if (new := renumbered(text, numbers, moved)) != text:
            path.write_bytes(new.encode())
    for path, after in zip(notebooks, [*notebooks[1:], None]):
        number, following = path.name[:2], after and after.name[:2]
        for cell in contents[path]["cells"]:
            text = renumbered("".join(cell["source"]), numbers, moved)
            link = f"question for [lesson {following}]({after and after.name})"
            if after and cell.get("id") == "next" and link not in text:
                print(f"{path.name}: is its last question the one for lesson {following}?")
                text = NEXT.sub(link, text)
            cell["source"] = TITLE.sub(rf"# {number} · \2", text).splitlines(keepends=True)
        text = json.dumps(contents[path], indent=1, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
