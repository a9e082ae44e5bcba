"""How the lessons are written: few colons, somebody who speaks, no worn-out words, and minutes that are true.

This is a smoke alarm. A page that passes may still be hard to read; one that fails is.
"""

import re

import nbformat
import pytest
import teaching_tables
from reexecute import find_notebooks

NOTEBOOKS = find_notebooks()
OPEN_END = {"design_your_own"}  # a workshop, for as long as one likes
LONGEST, ALTOGETHER = 60, 1300
RATES = {  # per 1,000 words of prose: the pattern, the least and the most
    "colons": (r":(?=\s)", 0, 12),
    "semicolons": (r";", 0, 3),
    "we or you": (r"\b([Ww]e|[Oo]ur|[Yy]ou|[Yy]our|[Ll]et's)\b", 8, 1000),
}
WORN_OUT = re.compile(
    r"\b(mend(s|ed|ing)?|anew|afresh|whoever|rightly|dearer|wanted is|asked for is|is to be had|the like"
    r"|which share|upright)\b"
)
NOT_PROSE = re.compile(r"<!--.*?-->|```.*?```|\$\$.*?\$\$|`[^`]*`|\]\([^)]*\)", re.DOTALL)


def complaints(text):
    """What is wrong with the language of a text in Markdown."""
    plain = NOT_PROSE.sub(" ", text)
    thousands = len(re.findall(r"[A-Za-z]+", plain)) / 1000
    for name, (pattern, least, most) in RATES.items():
        found = len(re.findall(pattern, plain)) / thousands
        if not least <= found <= most:
            yield f"{found:.1f} {name} in 1,000 words, should be {least} to {most}"
    for match in WORN_OUT.finditer(plain):
        yield f"{match[0]!r} in {plain[max(0, match.start() - 30) : match.end() + 30]!r}"


def of_lesson(path):
    cells = teaching_tables.before_further(nbformat.read(path, 4).cells)
    yield from complaints("\n".join(cell.source for cell in cells if cell.cell_type == "markdown"))
    if path.stem[3:] in OPEN_END:
        return
    *_, minutes, stated = teaching_tables.reckon(path)
    if minutes > LONGEST + 1:
        yield f"{minutes:.0f} minutes by the clock, at most {LONGEST}"
    if stated is None or abs(stated - minutes) > 5:
        yield f"{stated} minutes stated, {minutes:.0f} by the clock"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_lesson_is_in_plain_english_and_takes_as_long_as_it_says(path):
    assert list(of_lesson(path)) == []


def test_the_course_keeps_to_its_time():
    minutes = {path.stem[3:]: teaching_tables.reckon(path)[-1] for path in NOTEBOOKS}
    counted = [name for name in minutes if name not in OPEN_END]
    assert sum(minutes[name] for name in counted) <= ALTOGETHER
    assert sum(minutes[name] for name in counted[: counted.index("rotary")]) <= 420
    text = teaching_tables.WITH_PATHS[1].read_text(encoding="utf-8")
    path = sorted(teaching_tables.reading_paths(text)["to build language models"][0])
    before = [one.stem[3:] for one in NOTEBOOKS if one.name[:2] in path]
    assert sum(minutes[name] for name in before[: before.index("rotary")]) <= 180


@pytest.mark.parametrize(
    "text, word",
    [
        ("You and we: " * 100, "colons"),
        ("You and we; " * 100, "semicolons"),
        ("Tables are tables. " * 100, "we or you"),
        ("You and we mend it. " * 10, "mend"),
    ],
)
def test_the_alarm_rings(text, word):
    assert any(word in complaint for complaint in complaints(text))


def test_code_and_links_are_no_prose():
    assert list(complaints("You ask. `a: b; c` [we](https://x; y) " * 100)) == []
