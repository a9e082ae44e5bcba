"""Show a lesson as slides: python course.py slides 03 [--no-browser] [--port 8000]

A slide holds headings, first sentences, formulas, tables, lists, code, results and the questions for
predictions; all other prose becomes the speaker's notes (key S). A heading begins a slide, and so does what
no longer fits. Each question of the quiz is a slide of its own, with the answer on the next key. reveal.js
and MathJax come from npm and lie beside the page, in docs/_build/slides: nothing is fetched while you talk.
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
FULL = 22  # lines of code, on a slide


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


def split(text):
    """What of a cell's prose is shown, and what is told: beside headings, formulas and lists one sentence."""
    shown, told, said = [], [], False
    for block in blocks_of(text):
        if SHOWN.match(block):
            shown.append(block)
            continue
        first = "" if said else SENTENCE.match(block)[0]
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


def lines_of(cell):
    """How much of a slide a cell takes, in lines of code."""
    if cell.cell_type == "markdown":
        return sum(2.5 + 1.5 * (len(block) // 70 + block.count("\n")) for block in blocks_of(cell.source))
    has_figure = any("image/png" in output.get("data", {}) for output in cell.outputs)
    shown = [output.get("data", {}).get("text/plain", output.get("text", "")) for output in cell.outputs]
    texts = shown if has_figure else [cell.source, *shown]  # a figure's code is hidden
    return 16 * has_figure + sum(1 + len(text.splitlines()) for text in texts)


def cell_of(text, kind):
    return nbformat.v4.new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})


def quiz_slides(quiz):
    for number, question in enumerate(quiz.questions, start=1):
        choices = "\n".join(f"- **{letter}** {text}" for letter, (text, _, _) in question.choices.items())
        yield cell_of(f"## Question {number}\n\n{question.prompt}\n\n{choices}", "slide")
        [letter] = question.right
        yield cell_of(f"**{letter}**: {question.choices[letter][2]}", "fragment")


def prepared(notebook):
    """The notebook with its prose in the notes and its quiz as slides."""
    cells = []
    for cell in notebook.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "-")
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if isinstance(REGISTRY.get(name), Quiz):
            cells += quiz_slides(REGISTRY[name])
        elif cell.cell_type == "markdown" and kind not in ("skip", "notes"):
            for part in parts_of(cell.source):
                headed = part.startswith("#")
                if headed and kind not in ("slide", "subslide"):
                    kind = "slide"
                elif kind == "slide" and not headed and part != cell.source.strip():
                    kind = "fragment"  # it ends what came before; the heading comes next
                shown, told = split(part)
                cells.append(cell_of(shown, kind))
                cells += [cell_of(told, "notes")] * bool(told)
                kind = "slide"
        else:
            cells.append(cell)
    lines = 0
    for cell in cells:
        slideshow = cell.metadata.setdefault("slideshow", {"slide_type": "-"})
        kind = slideshow["slide_type"]
        if kind in ("skip", "notes"):
            continue
        lines += lines_of(cell)
        if kind == "slide" or lines > FULL:
            lines = lines_of(cell)
            slideshow["slide_type"] = "slide" if kind == "slide" else "subslide"
        elif kind == "subslide" and not cell.source.startswith("#"):
            slideshow["slide_type"] = "fragment"  # there is room for it
    return nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})


def page_of(path):
    """The slides of a notebook, as a page that looks for its scripts beside itself."""
    config = PyFileConfigLoader("slides_config.py", path=str(ROOT / "teaching")).load_config()
    resources = {"metadata": {"name": path.stem}}
    return SlidesExporter(config=config).from_notebook_node(prepared(nbformat.read(path, 4)), resources)[0]


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
