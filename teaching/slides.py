"""Show a lesson as slides: python course.py slides 03 [--no-browser] [--port 8000]

A slide holds headings, first sentences, formulas, tables, lists, code, results, what is said of them, and the
questions for predictions; all other prose becomes the speaker's notes (key S), unless it has the slide to
itself. A heading begins a slide, and so does what no longer fits: then the section's name goes along, and the
question that is still open. Each question of the quiz is a slide, with the answer on the next key.
reveal.js and MathJax come from npm and lie beside the page, in docs/_build/slides: nothing is fetched while
you talk.
"""

import argparse
import functools
import http.server
import re
import shutil
import sys
import webbrowser
from pathlib import Path

import classroom
import nbformat
from nbconvert import SlidesExporter
from traitlets.config import PyFileConfigLoader

from pe_lessons.exercises import REGISTRY
from pe_lessons.exercises.question import Quiz

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tools"))  # for npm_packages, which the site uses too
TARGET = ROOT / "docs" / "_build" / "slides"
FROM_NPM = {
    "reveal.js/dist": "reveal.js/dist",
    "reveal.js/plugin/notes": "reveal.js/plugin/notes",
    "mathjax/es5": "mathjax",
}
ASKED = r"\*\*(?:Predict|Before you (?:look|move)|Look hard|Stop and find)"
SHOWN = re.compile(r"[#|>$]|- |\d+\. |!\[|```|    |<|" + ASKED)
# "It is." says nothing alone, and "et al." ends nothing.
SENTENCE = re.compile(r"(?s).{12,}?(?<!\bal)[.?!](?=\s|$)|.+")
READ_ALOUD = 330  # characters of a paragraph that says what a result means; a longer one is cut
EMPHASIS = re.compile(r"(?<![*\w])\*[^*]+\*(?!\*)")
GOALS = re.compile(r"\*\*(You will be able to)\*\*\n(?=- )")
NEXT = re.compile(r"\*\*(The question for lesson \d\d):\*\* ")
HERE = re.compile(r'(?s)<a\b[^>]*\bhref="(?!https?:)[^"]*"[^>]*>(.*?)</a>')  # what is not beside the page
FULL = 27  # lines of code, on a slide; where it is a little too much, the page makes it smaller


def blocks_of(text):
    """The paragraphs of a text; code between fences and formulas between $$ stay whole."""
    block, closing = [], ""
    for line in text.splitlines():
        mark = (
            line.strip()[:3] if line.strip()[:3] == "```" else "$$" if line.strip().startswith("$$") else ""
        )
        if mark and not (mark == "$$" and line.count("$$") > 1):
            closing = "" if closing else mark
        if line.strip() or closing:
            block.append(line)
        elif block:
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def split(text, of_a_result=False):
    """What of a cell's prose is shown, and what is told: beside headings, formulas and lists one sentence.

    Below a result the whole paragraph, or of a long one what is emphasised too: its point seldom comes first.
    """
    shown, told, said = [], [], False
    blocks = list(blocks_of(text))
    for block, after in zip(blocks, [*blocks[1:], ""]):
        of_a_list = block.endswith(":") and re.match(r"- |\d+\. ", after)
        if SHOWN.match(block) or of_a_list:
            shown.append(block)
            continue
        first = "" if said else SENTENCE.match(block)[0]
        if first and of_a_result and len(re.sub(r"\]\([^)]*\)|<!--.*?-->", "", block)) <= READ_ALOUD:
            first = block
        elif first and of_a_result and not re.search(ASKED, block):
            sentences = re.split(r"(?<=[.?!]) (?=[A-Z*`])", block)
            points = [one for one in sentences if one == sentences[0] or EMPHASIS.search(one)]
            shown.append(" ".join(points))
            told += [" ".join(one for one in sentences if one not in points)] * (points != sentences)
            said = True
            continue
        asked = re.search(f"{ASKED}.*", block[len(first) :], re.S)
        end = len(first) + asked.start() if asked else len(block)
        sentences = f"{first} {block[end:]}".strip()
        rest = block[len(first) : end].strip()
        shown += [sentences] * bool(sentences)
        told += [rest] * bool(rest)
        said = True
    return "\n\n".join(shown), "\n\n".join(told)


def parts_of(text):
    """The text, cut before every heading."""
    part = []
    for block in blocks_of(text):
        if part and block.startswith("#"):
            yield "\n\n".join(part)
            part = []
        part.append(block)
    yield "\n\n".join(part)


def height_of(block):
    """How much of a slide a paragraph takes, in lines of code; so large are the letters of index.html.j2."""
    lines = block.splitlines()
    if block.startswith("#"):
        level = len(block) - len(block.lstrip("#"))
        return {1: 9, 2: 3.5, 3: 3, 5: 1.5}.get(level, 2.5)
    if block.startswith("```"):
        return len(lines)
    if block.startswith("$$"):
        return 3 + 1.5 * block.count(r"\\")
    if block.startswith("|"):
        return 1 + sum(1.4 + 1.1 * (len(line) // 100) for line in lines if not line.startswith("| ---"))
    seen = [
        re.sub(r"\]\([^)]*\)|\\\w+|[*`$\[{}]", "", line) for line in lines
    ]  # links and formulas are shorter
    return 1 + sum(1.45 * (1 + len(line) // 72) for line in seen)


def lines_of(cell):
    """How much of a slide a cell takes, in lines of code."""
    if cell.cell_type == "markdown":
        return sum(height_of(block) for block in blocks_of(cell.source))
    if has_figure(cell):  # its code is hidden
        return 17.5
    height = 1 + len(cell.source.splitlines())
    for output in cell.outputs:
        data = output.get("data", {})
        text = data.get("text/markdown") or data.get("text/plain", output.get("text", ""))
        height += 0.5 + (height_of(text) if text.startswith("|") else len(text.splitlines()))
    return height


def has_figure(cell):
    return any("image/png" in output.get("data", {}) for output in cell.get("outputs", ()))


def cell_of(text, kind):
    return nbformat.v4.new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})


def quiz_slides(quiz):
    for number, question in enumerate(quiz.questions, start=1):
        choices = "\n".join(f"- **{letter}** {text}" for letter, (text, _, _) in question.choices.items())
        yield cell_of(f"## Question {number}\n\n{question.prompt}\n\n{choices}", "slide")
        [letter] = question.right
        yield cell_of(f"**{letter}**: {question.choices[letter][2]}", "fragment")


def asked(notebook):
    """The texts that ask for an exercise or a question: those above its answer, but for the quiz."""
    for text, answer in zip(notebook.cells, notebook.cells[1:]):
        settings = answer.metadata.get("nbgrader", {})
        quiz = isinstance(REGISTRY.get(settings.get("grade_id")), Quiz)
        if settings.get("solution") and not quiz and text.cell_type == "markdown":
            yield text.id


def prepared(notebook):
    """The notebook with its prose in the notes, and its goals, quiz and last question as slides."""
    cells, whole, tasks = [], {}, set(asked(notebook))
    for cell, before in zip(notebook.cells, [None, *notebook.cells]):
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "-")
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        prose = cell.cell_type == "markdown"
        if prose and (cell.id in tasks or NEXT.match(cell.source)):
            kind = "slide"
            cell.source = NEXT.sub(r"## \1\n\n", cell.source)
        if prose and kind == "slide":
            cell.source = GOALS.sub(r"## \1\n\n", cell.source)
        if isinstance(REGISTRY.get(name), Quiz):
            cells += quiz_slides(REGISTRY[name])
        elif prose and kind not in ("skip", "notes"):
            of_a_result = before is not None and before.cell_type == "code"
            for part in parts_of(cell.source):
                headed = part.startswith("#")
                if headed and kind not in ("slide", "subslide"):
                    kind = "slide"
                elif kind == "slide" and not headed and part != cell.source.strip():
                    kind = "fragment"  # it ends what came before; the heading comes next
                shown, told = split(part, of_a_result and not headed)
                cells.append(cell_of(shown, kind))
                cells += [cell_of(told, "notes")] * bool(told)
                whole[cells[-1 - bool(told)].id] = part
                kind = "slide"
        else:
            if cell.cell_type == "code":
                cell.source = re.sub(r"\n{3,}", "\n\n", cell.source)
            if cell.metadata.get("nbgrader", {}).get("solution"):
                cell.metadata["slideshow"] = {"slide_type": "-"}  # where an exercise is asked, with its task
            cells.append(cell)
    fill_what_is_empty(cells, whole)
    return nbformat.v4.new_notebook(cells=paged(cells), metadata={"language_info": {"name": "python"}})


def kind_of(cell):
    return cell.metadata.setdefault("slideshow", {"slide_type": "-"})["slide_type"]


def fill_what_is_empty(cells, whole):
    """Show all of the prose, or its first paragraph, where nothing else stands below a heading."""
    seen = [cell for cell in cells if kind_of(cell) not in ("skip", "notes")]
    for cell, after in zip(seen, [*seen[1:], None]):
        alone = after is None or kind_of(after) == "slide"
        if alone and kind_of(cell) == "slide" and cell.id in whole:
            part = list(blocks_of(whole[cell.id]))
            for blocks in (part, part[:2]):
                full = cell_of("\n\n".join(blocks), "slide")
                if len(cell.source) < len(full.source) and lines_of(full) < FULL:
                    cell.source = full.source
                    break


def paged(cells):
    """The cells, cut into slides where one is full."""
    pages, page, section, question, own = [], [], "", "", 1
    for cell in cells:
        kind = kind_of(cell)
        if kind in ("skip", "notes"):
            pages.append(cell)
            continue
        prose = cell.cell_type == "markdown"
        heading = re.match("#+ (.*)", cell.source) if prose else None
        remark = prose and page and page[-1].cell_type == "code"  # it stays with its result
        full = sum(map(lines_of, page)) + lines_of(cell) > FULL * (1.2 if remark and not page[own:] else 1)
        if heading or not section:
            section, question, page, own = heading[1] if heading else "", "", [], 1
            cell.metadata["slideshow"]["slide_type"] = "slide"
        elif full or kind == "slide":
            first = page[-1] if remark and page[own:] and kind != "slide" else cell
            head = cell_of(f"##### {section}" + f"\n\n{question}" * bool(question), "subslide")
            pages.insert(len(pages) if first is cell else pages.index(first), head)
            cell.metadata["slideshow"]["slide_type"] = "fragment"
            first.metadata["slideshow"]["slide_type"] = "-"
            page, own = [head] if first is cell else [head, first], 2
        elif kind == "subslide":
            cell.metadata["slideshow"]["slide_type"] = "fragment"  # there is room for it
        if prose:
            asked = re.search(f"{ASKED}.*", cell.source)
            question = asked[0] if asked else question
        elif cell.outputs:
            question = ""
        page.append(cell)
        pages.append(cell)
    return pages


def page_of(path):
    """The slides of a notebook, as a page that looks for its scripts beside itself."""
    config = PyFileConfigLoader("slides_config.py", path=str(ROOT / "teaching")).load_config()
    resources = {"metadata": {"name": path.stem}}
    page, _ = SlidesExporter(config=config).from_notebook_node(prepared(nbformat.read(path, 4)), resources)
    return HERE.sub(r"\1", page)


def build(path):
    import npm_packages

    npm_packages.fetch()
    for source, target in FROM_NPM.items():
        if not (TARGET / target).exists():
            shutil.copytree(npm_packages.NPM / "node_modules" / source, TARGET / target)
    (TARGET / f"{path.stem}.html").write_text(page_of(path), encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description="show a lesson as slides", prog="course.py slides")
    parser.add_argument("lesson", type=classroom.lesson_named, help="its number, such as 03")
    parser.add_argument("--no-browser", action="store_true", help="only say where they are")
    parser.add_argument("--port", type=int, default=0, help="0 takes any that is free")
    options = parser.parse_args(arguments)
    build(classroom.lessons()[options.lesson])
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=TARGET)
    with http.server.ThreadingHTTPServer(("127.0.0.1", options.port), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}/{options.lesson}.html"
        print(f"{address}\nKeys: space and the arrows; S for the notes; Ctrl-C here to end.", flush=True)
        if not options.no_browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
