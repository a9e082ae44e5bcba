"""What the lessons say in words, as far as a program can hold them to it.

Each guard closes one way to say something that does not hold: a source nobody can look up, a word nobody
explained, a lesson that never showed it, a number no cell computes.
"""

import re
from pathlib import Path

import nbformat
import pytest
import write_sources
from reexecute import find_notebooks

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = find_notebooks()
SOURCES = write_sources.read()
GLOSSARY = ROOT / "docs" / "glossary.md"

LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
# "Vaswani et al. (2017)", "(Vaswani et al., 2017)", "Wang and Chen (2020)", "Press, Smith and Lewis (2021)"
NAMES = r"\b((?:[A-Z][\w'’-]+, )*[A-Z][\w'’-]+(?: et al\.| and [A-Z][\w'’-]+)?)"
CITATION = re.compile(NAMES + r"(?: \(|(?<=et al\.), )(\d{4})\)")
A_NUMBER = r"[-−]?\d+(?:[, ]\d{3})*(?:\.\d+)?"
NUMBER = re.compile(rf"({A_NUMBER})(?: ?%)?<!--\s*([\w-]+)\s*-->")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
LABELS = {"Predict", "Before you look", "Look hard", "Stop and find the bug", "You need", "Shift + Enter"}
LABELS |= {"You will be able to"}


# every word with an entry, in lower case
ENTRIES = GLOSSARY.read_text(encoding="utf-8").split("```{glossary}")[1]
LINES = re.findall(r"^([^\s`].*)$", ENTRIES, re.MULTILINE)
WORDS = {part.strip().lower() for line in LINES for part in (line, *line.split(","))}


def prose(notebook):
    """(cell id, text) of every Markdown cell but the filled-in sources."""
    return [
        (cell.id, cell.source)
        for cell in notebook.cells
        if cell.cell_type == "markdown" and cell.id != "sources"
    ]


def without_code(text):
    return re.sub(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", "…", text, flags=re.DOTALL)


def anchors(notebook):
    """The anchors that Jupyter gives to the headings."""
    text = "\n".join(source for _, source in prose(notebook))
    return {heading.strip().replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def cited_sources(notebook, name):
    """A source that is named, or linked, has an entry that says what this lesson cites it for."""
    lesson = Path(name).stem[3:]
    known = [source for source in SOURCES if lesson in source.cited]
    labels, links = {source.label for source in known}, {source.link for source in known}
    for cell_id, text in prose(notebook):
        for authors, year in CITATION.findall(without_code(text)):
            if not any(label.endswith(f"{authors} ({year})") for label in labels):  # Haonan Wang, Jie Wang
                yield f"{cell_id}: {authors} ({year}) is not cited for lesson {lesson} in docs/sources.toml"
        for _, link in LINK.findall(text):
            if link.startswith("http") and link not in links:
                yield f"{cell_id}: {link} is not cited for lesson {lesson} in docs/sources.toml"


def cross_references(notebook, name):
    """Another lesson is named with a link, and the link leads to a heading that is there."""
    for cell_id, text in prose(notebook):
        for label, link in LINK.findall(text):
            file, _, anchor = link.partition("#")
            if file.startswith("http") or not file.endswith((".ipynb", ".py", ".md")):
                continue
            target = ROOT / "notebooks" / file
            if not target.is_file():
                yield f"{cell_id}: there is no {file}"
            elif anchor and anchor not in anchors(nbformat.read(target, 4)):
                yield f"{cell_id}: {file} has no heading {anchor}"
            elif file.endswith(".ipynb") and (number := re.search(r"[Ll]esson (\d\d)", label)):
                if file[:2] != number[1]:
                    yield f"{cell_id}: the link {label!r} leads to {file}"
        if cell_id in ("title", "next"):
            continue
        running = re.sub(r"^#.*$", "", LINK.sub("…", without_code(COMMENT.sub("", text))), flags=re.MULTILINE)
        bare = re.findall(r"[Ll]essons? \d\d", running)
        if bare:
            yield f"{cell_id}: {bare[0]} without a link to the heading that shows it"


def explained_words(notebook, name):
    """Bold is for new words, which have an entry in the glossary, and for labels such as **Predict:**."""
    for cell_id, text in prose(notebook):
        for bold in BOLD.findall(without_code(text)):
            word = " ".join(bold.split())
            plain = word.lower()
            forms = {plain, plain.removesuffix("s"), plain.removesuffix("es")}
            if not (word in LABELS or word[-1] in ".:?" or forms & WORDS):
                yield f"{cell_id}: **{word}** has no entry in docs/glossary.md"


def measured_numbers(notebook, name):
    """A number followed by <!--cell-id--> is one that the cell prints, or what such a one rounds to."""
    outputs = {cell.id: printed(cell) for cell in notebook.cells if cell.cell_type == "code"}
    for cell_id, text in prose(notebook):
        for number, source in NUMBER.findall(text):
            if source not in outputs:
                yield f"{cell_id}: there is no code cell {source} for the number {number}"
            elif not is_printed(number, outputs[source]):
                yield f"{cell_id}: {number} is not in what the cell {source} prints"
        loose = re.findall(r"<!--\s*[\w-]+\s*-->", NUMBER.sub("", text))
        if loose:
            yield f"{cell_id}: {loose[0]} does not follow a number"


def printed(cell):
    shown = [output.get("data", {}) for output in cell.outputs]
    texts = [output.get("text", "") for output in cell.outputs] + [
        data.get("text/plain", "") for data in shown
    ]
    return " ".join(texts + [re.sub(r"<[^>]+>", " ", data.get("text/html", "")) for data in shown])


def is_printed(number, text):
    wanted, digits = value(number), len(number.partition(".")[2])
    alone = re.findall(r"[-−]?\d+(?:\.\d+)?", text)  # "1 300" may be one number or two
    found = [abs(value(one)) for one in alone + re.findall(A_NUMBER, text)]
    return any(abs(one - abs(wanted)) <= 0.5000001 * 10**-digits for one in found)


def value(number):
    return float(number.replace("−", "-").replace(",", "").replace(" ", ""))


def other_seeds(notebook, name):
    """What is said of other seeds names the file of this lesson's claims, which anybody can try."""
    file = f"../evidence/claims/{Path(name).stem[3:]}.py"
    for cell_id, text in prose(notebook):
        for paragraph in text.split("\n\n"):
            if re.search(r"\bother seeds\b", paragraph) and f"({file})" not in paragraph:
                yield f"{cell_id}: other seeds, and no link to {file}, which tries them"


GUARDS = [cited_sources, cross_references, explained_words, measured_numbers, other_seeds]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_prose(path):
    notebook = nbformat.read(path, 4)
    assert [complaint for guard in GUARDS for complaint in guard(notebook, path.name)] == []


# docs/sources.toml itself


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.key)
def test_a_source_is_complete(source):
    assert re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", source.key)
    assert source.kind in write_sources.NAMES_OF_KINDS
    assert re.fullmatch(r"https://[\w.-]+\.[a-z]{2,}(/[^\s)]*)?", source.link), source.link
    assert source.title and not source.title.endswith(("...", "…", "."))
    assert bool(source.authors) == bool(source.year) and (source.authors or source.kind != "paper")
    assert source.opened or source.kind == "paper", "only a known paper may be cited without opening it"
    assert source.cited and set(source.cited) <= {path.stem[3:] for path in NOTEBOOKS}
    assert not [text for text in source.cited.values() if not text or text.endswith(".")]


def test_no_source_stands_twice():
    assert len({source.link for source in SOURCES}) == len(SOURCES)
    assert len({source.label for source in SOURCES}) == len(SOURCES)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_sources_of_a_lesson_are_those_of_the_data(path):
    cells = [cell.source for cell in nbformat.read(path, 4).cells if cell.id == "sources"]
    cited = any(path.stem[3:] in source.cited for source in SOURCES)
    assert cells == [write_sources.cell_text(path.stem[3:], SOURCES)] * cited


def test_the_page_of_references_is_that_of_the_data():
    assert write_sources.PAGE.read_text(encoding="utf-8") == write_sources.page_text(SOURCES)


PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("teaching/**/*.md")])
# where something is had or documented: not evidence for a sentence
HANDS_ON = (
    r"https?://([\w.]*\.)?(example|jupyter|readthedocs|pytorch)\.(org|io)|https://github\.com/(OWNER|jupyter)"
)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_of_the_pages_are_sources(path):
    known = {source.link for source in SOURCES}
    links = [link for _, link in LINK.findall(path.read_text(encoding="utf-8")) if link.startswith("http")]
    assert [link for link in links if link not in known and not re.match(HANDS_ON, link)] == []
