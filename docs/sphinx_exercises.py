"""Exercises, questions and quizzes as a page has them: an editor with a check, choices to click, hints.

They are made from the notebook's cells and from what `pe_lessons.exercises` knows of them. Without JavaScript
a page shows the code, the choices, and the hints, solutions and reasons to open.
"""

import ast
import functools
import html
import itertools
import json
import re
import tomllib
from pathlib import Path

import nbformat
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.transforms import SphinxTransform

import pe_lessons
from pe_lessons.exercises.exercise import Exercise
from pe_lessons.exercises.in_browser import page_words
from pe_lessons.exercises.question import Quiz
from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.placement import LAST, placement
from pe_lessons.lessons.progress import notebooks, progress

ROOT = Path(pe_lessons.__file__).resolve().parents[1]
FIRST = "Try the first exercise"
LIBRARIES = {"numpy": "NumPy", "torch": "PyTorch"}
SENTENCES = "notebook_sentences_on_pages.toml"
ALL_RUN = "40 of the 49 exercises"  # with NumPy; a copy without it says its own number


def imports(tree):
    """{name that an import makes: (what is imported, the line)} of a module's own level."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            source = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
            for one in node.names:
                line = f"{source}import {one.name}" + (f" as {one.asname}" if one.asname else "")
                whole = f"{node.module}.{one.name}" if source else one.name
                found[one.asname or one.name.partition(".")[0]] = whole, line
    return found


@functools.cache
def libraries(module):
    """Those of LIBRARIES that a module of the course imports, itself or by way of its others."""
    path = ROOT.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not file.exists():
        return frozenset()
    wanted = {whole for whole, _ in imports(ast.parse(file.read_text(encoding="utf-8"))).values()}
    found = {whole.partition(".")[0] for whole in wanted} & LIBRARIES.keys()
    for whole in wanted:
        if whole.startswith("pe_lessons"):
            found |= libraries(whole) | libraries(whole.rpartition(".")[0])
    return frozenset(found)


def needed(lesson):
    """What the exercises of a lesson, given by its name, need besides Python: "", "numpy" or "torch"."""
    found = libraries(f"pe_lessons.lessons.{lesson}") | libraries(f"pe_lessons.lessons.{lesson}.answers")
    return "torch" if "torch" in found else "numpy" if found else ""


def words(said):
    """Plain words of an exercise as HTML: of Markdown they hold `code` and *emphasis* only."""
    said = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(said, quote=False))
    return re.sub(r"(?<![\w*])\*(\w[^*<]*?)\*(?![\w*])", r"<em>\1</em>", said)


def opened(summary, inside, kind=""):
    return f"<details{kind}><summary>{summary}</summary>{inside}</details>"


def hints(one):
    of_all = f" of {len(one.hints)}" * (len(one.hints) > 1)
    return "".join(
        opened(f"Hint {n}{of_all}", f"<p>{words(hint)}</p>", ' class="hint"')
        for n, hint in enumerate(one.hints, start=1)
    )


def below_editor(exercise):
    solution = html.escape(str(exercise.solution()), quote=False)
    some = itertools.islice(exercise.mistakes, 3)
    replies = "".join(f"<li>{words(mistake.say)}</li>" for mistake in some)
    return (
        hints(exercise)
        + opened("Three replies that people get", f"<ul>{replies}</ul>")
        + opened("Solution", f"<pre>{solution}</pre>", ' class="solution"')
    )


def choices(number, question):
    """A question: its choices as a list, and the reasons as another, which the script puts beside them."""
    asked = "".join(f"<li>{words(text)}</li>" for text, _, _ in question.choices.values())
    reasons = "".join(
        f"<li data-right={int(right)}>{'Yes' if right else 'No'}: {words(reason)}</li>"
        for _, right, reason in question.choices.values()
    )
    prompt = f"{number}. " * bool(number) + words(question.prompt)
    return (
        f'<div class="choices"><p class="prompt">{prompt}</p><ol type="a">{asked}</ol>'
        + opened("The reasons", f'<ol type="a">{reasons}</ol>')
        + "</div>"
    )


def question_box(one):
    kind = "quiz" if isinstance(one, Quiz) else "question"
    if kind == "quiz":
        inside = "".join(choices(number, question) for number, question in enumerate(one.questions, start=1))
    else:
        inside = choices("", one) + hints(one)
    return f'<div class="to-answer {kind}" id="answer-{one.name}" data-name="{one.name}">{inside}</div>'


def has_numpy(app):
    return any(Path(app.srcdir).glob("_static/python/numpy-*.whl"))


def run_here(app):
    """The lesson of each exercise that runs on the pages of this copy, and the names of all exercises."""
    found = [one[:2] for one in progress(ROOT / "notebooks") if isinstance(REGISTRY[one[1]], Exercise)]
    run = {"", "numpy"} if has_numpy(app) else {""}
    return [lesson for lesson, _ in found if needed(lesson[3:]) in run], [name for _, name in found]


def speak_of_the_page(app, docname, source):
    """Give the prose of a lesson, and replies that it shows, the words of a page: those of SENTENCES."""
    changes = tomllib.loads(Path(app.srcdir, SENTENCES).read_text(encoding="utf-8"))
    lesson = Path(docname).name
    if lesson not in changes:
        here, of_all = run_here(app)
        source[0] = source[0].replace(ALL_RUN, f"{len(here)} of the {len(of_all)} exercises")
        if docname == "launch":
            ours = app.config.html_theme_options["repository_url"]
            source[0] = source[0].replace("https://github.com/OWNER/pe_lessons", ours)
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["id"] == "paths":  # in hours
            text = re.sub(r"\| (\d+) \|\n", lambda one: f"| {round(int(one[1]) / 60)} h |\n", text + "\n")
        for old, new in changes[lesson].get(cell["id"], {}).items():
            if text.count(old) != 1:
                raise ValueError(f"{SENTENCES}, {lesson}, {cell['id']}: the cell must say once {old!r}")
            text = text.replace(old, new)
        cell["source"] = text
        for output in cell.get("outputs", ()):
            for kind, said in output.get("data", {}).items():
                if kind in ("text/plain", "text/html"):
                    output["data"][kind] = page_words("".join(said))
    source[0] = json.dumps(notebook)


class MakeExercises(SphinxTransform):
    """Puts an exercise in the place of its three cells: the answer, the check and the help."""

    default_priority = 860

    def apply(self):
        cells = [
            node
            for node in self.document.findall(nodes.container)
            if node.get("nb_element") == "cell_code" and "nbgrader" in node["cell_metadata"]
        ]
        if not cells:
            return
        checks = {}
        for cell in cells:
            name = cell["cell_metadata"]["nbgrader"]["grade_id"]
            if name.endswith("-check"):
                checks[name.removesuffix("-check")] = cell
        first = next(iter(checks.values())).parent["ids"][0]
        for cell in cells:
            name = cell["cell_metadata"]["nbgrader"]["grade_id"]
            if name in checks:
                self.replace(REGISTRY[name], cell, checks[name])
        notebook = nbformat.read(self.env.doc2path(self.env.docname), 4)
        lesson = Path(self.env.docname).name
        known = {
            "lesson": lesson,
            "needs": needed(lesson[3:]),
            "numpy": has_numpy(self.app),
            "imports": {name: line for name, (_, line) in imports(_program(notebook)).items()},
        }
        if lesson.startswith("00"):
            said = f'<p><a class="btn btn-primary" href="#{first}">{FIRST}</a></p>'
            title = next(self.document.findall(nodes.title))
            title.parent.insert(1, nodes.raw("", said, format="html"))
        data = json.dumps(known).replace("</", "<\\/")
        self.document += nodes.raw(
            "", f'<script type="application/json" id="lesson">{data}</script>', format="html"
        )

    def replace(self, one, cell, check):
        source = next(check.findall(nodes.literal_block)).astext().strip()
        check.parent.remove(check)
        for other in list(self.document.findall(nodes.container)):
            if other.astext().startswith(f"# {one.name}.hint()") and other.get("nb_element") == "cell_code":
                other.parent.remove(other)
        if isinstance(one, Exercise):
            start = (
                f'<div class="to-answer exercise" id="answer-{one.name}" data-name="{one.name}" '
                f'data-check="{html.escape(source)}">'
            )
            cell.parent.insert(cell.parent.index(cell), nodes.raw("", start, format="html"))
            end = f"{below_editor(one)}</div>"
            cell.parent.insert(cell.parent.index(cell) + 1, nodes.raw("", end, format="html"))
        else:
            cell.replace_self(nodes.raw("", question_box(one), format="html"))


def _program(notebook):
    """The imports of a notebook, as one syntax tree."""
    body = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            try:
                body += ast.parse(cell.source).body
            except SyntaxError:  # IPython's own commands
                continue
    return ast.Module(body=body, type_ignores=[])


class Placement(Directive):
    """The ten questions that end in a lesson, and the lessons' titles for the script."""

    def run(self):
        lessons = {}
        for path in notebooks(ROOT / "notebooks"):
            title = nbformat.read(path, 4).cells[0].source.splitlines()[0].removeprefix("# ")
            lessons[int(path.name[:2])] = [f"notebooks/{path.stem}.html", title]
        data = json.dumps({"asked": placement.lessons, "last": LAST, "lessons": lessons})
        script = '<script type="application/json" id="placement">' + data.replace("</", "<\\/") + "</script>"
        return [nodes.raw("", question_box(placement) + script, format="html")]


class Progress(Directive):
    """A table of all that can be answered; the script fills in what was."""

    def run(self):
        rows = []
        for lesson, name, _ in progress(ROOT / "notebooks"):
            title = words(
                re.sub("^Exercise: (.)", lambda found: found[1].upper(), self.heading(lesson, name))
            )
            link = f'<a href="notebooks/{lesson}.html#answer-{name}">{title}</a>'
            rows.append(
                f'<tr data-lesson="{lesson}" data-name="{name}"><td>{lesson[:2]}</td><td>{link}</td>'
                '<td class="outcome"></td></tr>'
            )
        table = (
            '<p><strong id="progress-count" role="status"></strong> <span id="progress-buttons"></span></p>'
            '<table id="progress" class="table"><thead><tr><th>lesson</th><th>exercise</th><th>outcome</th>'
            f"</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        )
        return [nodes.raw("", table, format="html")]

    def heading(self, lesson, name):
        """The heading above the last check of an exercise or a quiz."""
        cells = nbformat.read(ROOT / f"notebooks/{lesson}.ipynb", 4).cells
        text = "\n".join(cell.source for cell in cells)
        return re.findall(r"^##+ (.+)$", text.rpartition(f"{name}.check(")[0], re.M)[-1]


def write_names(app, exception):
    """What can be answered in each lesson, for the ticks in the menu, and which exercises run on its page."""
    if not exception:
        names = {}
        for lesson, name, _ in progress(ROOT / "notebooks"):
            names.setdefault(lesson, []).append(name)
        names["here"], names["code"] = run_here(app)
        Path(app.outdir, "_static/lessons.json").write_text(json.dumps(names), encoding="utf-8")


def setup(app):
    app.add_directive("placement", Placement)
    app.add_directive("progress", Progress)
    app.add_transform(MakeExercises)
    app.connect("source-read", speak_of_the_page)
    app.connect("build-finished", write_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
