"""How lessons and replies are written: few colons, somebody who speaks, no worn-out words, true minutes.

This is a smoke alarm. A page that passes may still be hard to read; one that fails is.
"""

import re
import tomllib
from pathlib import Path

import nbformat
import pytest
import teaching_tables
from reexecute import find_notebooks

from pe_lessons import lessons

NOTEBOOKS = find_notebooks()
OPEN_END = {"design_your_own"}  # a workshop, for as long as one likes
LONGEST, ALTOGETHER = 60, 1300
RATES = {  # per 1,000 words of prose: the pattern, the least and the most
    "colons": (r":(?=\s)", 0, 12),
    "semicolons": (r";", 0, 3),
    "we or you": (r"\b([Ww]e|[Oo]ur|[Yy]ou|[Yy]our|[Ll]et's)\b", 8, 1000),
}
WORN_OUT = re.compile(
    r"(?i)\b(mend(s|ed|ing)?|anew|afresh|whoever|rightly|dearer|wanted is|asked for is|is to be had|the like"
    r"|which share|upright)\b"
)
NOT_PROSE = re.compile(r"<!--.*?-->|```.*?```|\$\$.*?\$\$|`[^`]*`|\]\([^)]*\)", re.DOTALL)
IN_A_REPLY = re.compile(
    WORN_OUT.pattern
    + r"|\b(whom|exchanged?|dear|(is|are) (wanted|asked for|to be)|stands?|stood|lies|behind(?= \w)|beside)\b"
)
FIRST_SENTENCE = re.compile(r".*?[.?!:](?=\s|$)", re.DOTALL)
FOLDER = Path(lessons.__file__).parent


def complaints(text):
    """What is wrong with the language of a text in Markdown."""
    plain = NOT_PROSE.sub(" ", text)
    thousands = len(re.findall(r"[A-Za-z]+", plain)) / 1000
    for name, (pattern, least, most) in RATES.items():
        found = len(re.findall(pattern, plain)) / thousands
        if not least <= found <= most:
            yield f"{found:.1f} {name} in 1,000 words, should be {least} to {most}"
    yield from worn_out(plain, WORN_OUT)


def worn_out(plain, words):
    for match in words.finditer(plain):
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
    text = teaching_tables.WITH_PATHS.read_text(encoding="utf-8")
    path = sorted(teaching_tables.reading_paths(text)["to build language models"][0])
    before = [one.stem[3:] for one in NOTEBOOKS if one.name[:2] in path]
    assert sum(minutes[name] for name in before[: before.index("rotary")]) <= 180


ROOT = Path(__file__).resolve().parents[1]
PAGES = ("*.md", "docs/[a-z]*.md", "teaching/G*.md", "teaching/jupyterhub/README.md",
         "pe_lessons/small_models/card.md", "package/README.md")  # fmt: skip
DOCUMENTS = [path for pages in PAGES for path in ROOT.glob(pages)]
DEFINITIONS = {"api", "bibliography", "glossary"}  # nobody speaks there
# Code, tables, settings, the reading paths, and labels such as **To teach:** or `a mistake`:
NO_SENTENCES = re.compile(
    r"(?m)^---$[^\0]*?^---$|^( {4}|\||:|\w+: |[IV]+ · |\S.*(\.ipynb.*){3}|  \S).*?$|:\*\*|`[^`]*`:"
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_is_in_plain_english(path):
    text = NO_SENTENCES.sub("", path.read_text(encoding="utf-8"))
    if path.stem in DEFINITIONS or len(text.split()) < 100:
        assert list(worn_out(NOT_PROSE.sub(" ", text), WORN_OUT)) == []
    else:
        assert list(complaints(text)) == []


WORDS = sorted([*FOLDER.glob("*/*.md"), FOLDER / "placement.md"])  # hints, quizzes, what is said of figures


@pytest.mark.parametrize("path", WORDS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_hints_quizzes_and_captions_have_no_worn_out_words(path):
    words = WORN_OUT if path.stem == "figures" else IN_A_REPLY
    assert list(worn_out(NOT_PROSE.sub(" ", path.read_text(encoding="utf-8")), words)) == []


def says_in(path):
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    entries = [tables, *tables.values()]
    entries += [entry for table in tables.values() for entry in table.values() if isinstance(entry, dict)]
    return [" ".join(entry["say"].split()) for entry in entries if "say" in entry]


def test_replies_begin_with_your_code_and_have_no_worn_out_words():
    says = [say for path in FOLDER.rglob("mistakes*.toml") for say in says_in(path)]
    says += [say for one in lessons.REGISTRY.values() for say in (getattr(one, "says", None) or {}).values()]
    assert len(says) > 900
    assert [say for say in says if not re.search(r"\b[Yy]ou", FIRST_SENTENCE.match(say)[0])] == []
    assert [found for say in says for found in worn_out(NOT_PROSE.sub(" ", say), IN_A_REPLY)] == []
