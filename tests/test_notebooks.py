"""A broken notebook can pass nbval in many ways; every guard here closes one of them.

A guard takes a notebook and yields its complaints. So that no guard is blind, each is also given
a small good notebook with one fault planted, and must be the only one to complain.
"""

import ast
import base64
import functools
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pytest
import reexecute
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import v4
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from reexecute import ROOT, UNCHECKED, find_notebooks, normal_text

RAISES = "raises-exception"
MAX_UNCHECKED_CELLS = 3
MAX_FIGURE_KB = 90
MAX_NOTEBOOK_KB = 400
SHORT_CELL_LINES = 12
LONGEST_CELL_LINES = 30
MIN_ALT_TEXT = 20

MARKDOWN_FAULTS = {
    "a MyST directive or role shows as raw text elsewhere": r"^\s*:::|```\{|\{[a-z:]+\}`",
    "a picture from another host": r"!\[[^\]]*\]\(\s*<?(https?:)?//|<img[^>]*src=.?(https?:)?//",
    "a picture without alt text": r"!\[\s*\]\(|<img(?![^>]*\balt=.\S)",
}
CODE_OR_DOLLAR = re.compile(r"```.*?```|`[^`\n]*`(?!\$)|\\\$", re.DOTALL)
PLAIN_MATHS = r"\$\$[^$]+\$\$|\$(?![\s`])[^$]+(?<![\s`])\$"
OTHER_MATHS = r"\$|\\[(\[]|\\begin\{"
MATHS_MACROS = r"\\(newcommand|def|require|label|eqref|ref)\b"
MACHINE_TRACES = (
    r"(?<![\w.:/])/(home|Users|root|tmp|var|usr|opt|work|private|mnt)/|\b[A-Z]:\\|~/|site-packages"
    r"|ipykernel_\d|\bat 0x[0-9a-fA-F]{6,}"
)
OUTSIDE_THE_CELL = {
    "asyncio", "concurrent", "multiprocessing", "subprocess", "threading",
    "ftplib", "http", "httpx", "requests", "socket", "urllib",
}  # fmt: skip


class Notebook:
    """The text of a notebook's file and what stands in it, read without any repair."""

    def __init__(self, text):
        self.text = text
        self.cells = v4.reads(text).cells
        self.code = [cell for cell in self.cells if cell.cell_type == "code"]


def tags(cell):
    return set(cell.metadata.get("tags", ()))


def where(cell):
    place = f"In [{cell.execution_count}]" if cell.cell_type == "code" else "Text"
    return f"{place} (id {cell.get('id')})"


@functools.cache
def syntax_tree(source):
    """The cell as Python, magics and shell lines as calls; empty where it is not Python at all."""
    try:
        return ast.parse(TransformerManager().transform_cell(source))
    except SyntaxError:
        return ast.Module([], [])


def always_calls(cell, name):
    """Whether every run of the cell calls `name(...)` or `something.name(...)`."""
    not_always = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.If, ast.IfExp, ast.Try)

    def calls(node):
        if isinstance(node, ast.Call) and name in (
            getattr(node.func, "id", None),
            getattr(node.func, "attr", None),
        ):
            return True
        children = ast.iter_child_nodes(node)
        return any(calls(child) for child in children if not isinstance(child, not_always))

    return RAISES not in tags(cell) and calls(syntax_tree(cell.source))


def text_of(output):
    """What an output says in words, without terminal colours."""
    texts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", ())]
    data = output.get("data", {})
    texts += [str(value) for kind, value in data.items() if not kind.startswith("image/")]
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(texts))


def execution_counts(notebook):
    """nbval does not compare the output of a cell that was never run."""
    counts = [cell.execution_count for cell in notebook.code if cell.source.strip()]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}: the notebook was not run once from top to bottom"


def nbval_comments(notebook):
    """Comments that silence nbval escape the budget of tags."""
    for cell in notebook.code:
        if re.search(r"^\s*#+\s*(NBVAL_|PYTEST_VALIDATE)", cell.source, re.MULTILINE):
            yield f"{where(cell)}: a comment for nbval; use a tag"


def tags_and_budget(notebook):
    """Any other tag may switch nbval off, and few cells may go unchecked."""
    for cell in notebook.cells:
        unknown = tags(cell) - {UNCHECKED, RAISES}
        if unknown:
            yield f"{where(cell)}: tags {sorted(unknown)} are not among those in use"
    unchecked = sum(UNCHECKED in tags(cell) for cell in notebook.code)
    if unchecked > MAX_UNCHECKED_CELLS:
        yield f"{unchecked} cells have an unchecked output, allowed are {MAX_UNCHECKED_CELLS}"


def errors_where_tagged(notebook):
    """nbval is content when a cell tagged raises-exception raises nothing."""
    for cell in notebook.code:
        stored = any(output.output_type == "error" for output in cell.outputs)
        if stored and RAISES not in tags(cell):
            yield f"{where(cell)}: an error is stored; if it is meant, tag the cell {RAISES}"
        if RAISES in tags(cell) and not stored:
            yield f"{where(cell)}: tagged {RAISES}, but no error is stored"
        if {RAISES, UNCHECKED} <= tags(cell):
            yield f"{where(cell)}: {RAISES} and {UNCHECKED} together check nothing"


def figures_stored(notebook):
    """nbval does not look at figures, not even at whether there is one."""
    for cell in notebook.code:
        if always_calls(cell, "show") and not reexecute.pngs(cell.outputs):
            yield f"{where(cell)}: shows a figure, but none is stored"


def prints_stored(notebook):
    for cell in notebook.code:
        printed = any(output.get("name") == "stdout" for output in cell.outputs)
        if always_calls(cell, "print") and not printed:
            yield f"{where(cell)}: prints, but no printed output is stored"


def forbidden(node, unchecked):
    """Why this piece of code may not stand in a notebook; None if it may."""
    match node:
        case ast.Name("exit" | "quit") | ast.Attribute(ast.Name("sys"), "exit"):
            return "ends the kernel"
        case ast.Attribute(_, "_exit" | "abort"):
            return "ends the kernel"
        case ast.Attribute(
            ast.Call(ast.Name("get_ipython")) | ast.Name("os"), "system" | "getoutput" | "popen"
        ):
            return "a shell command may fail unseen"
        case ast.Import(names) if OUTSIDE_THE_CELL & {name.name.split(".")[0] for name in names}:
            return "works outside the cell or the machine, where no test sees it fail"
        case ast.ImportFrom(str(module)) if module.split(".")[0] in OUTSIDE_THE_CELL:
            return "works outside the cell or the machine, where no test sees it fail"
        case ast.Await() | ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith():
            return "errors in tasks are not seen"
        case ast.ExceptHandler(type=None) | ast.ExceptHandler(body=[ast.Pass()]):
            return "hides errors"
        case ast.Name("suppress") | ast.Attribute(_, "suppress"):
            return "hides errors"
        case ast.Call(ast.Attribute(_, "run_line_magic" | "run_cell_magic"), [ast.Constant(magic), *_]):
            if magic in ("time", "timeit") and not unchecked:
                return f"%{magic} gives another output in every run: tag it {UNCHECKED}"
            if magic not in ("time", "timeit", "xmode"):
                return f"%{magic} may fail or act unseen; in use are %time, %timeit and %xmode"
        case ast.Constant(str(text)) if re.match(r"(https?|ftp)://", text):
            return "no network while a notebook runs"
    return None


def forbidden_code(notebook):
    for cell in notebook.code:
        for node in ast.walk(syntax_tree(cell.source)):
            reason = forbidden(node, UNCHECKED in tags(cell))
            if reason:
                yield f"{where(cell)}, line {getattr(node, 'lineno', '?')}: {reason}"
        if re.search(r";\s*(#.*)?$", cell.source.rstrip()):
            yield f"{where(cell)}: nbval does not honour a semicolon at the end; end with show(...)"


def empty_cells(notebook):
    for cell in notebook.cells:
        if not cell.source.strip():
            yield f"{where(cell)}: an empty cell"


def warnings_in_outputs(notebook):
    for cell in notebook.code:
        for output in cell.outputs:
            if output.get("name") == "stderr" or re.search(r"\b\w*Warning: ", text_of(output)):
                yield f"{where(cell)}: a warning in the output: {text_of(output)[:80]!r}"


def machine_traces(notebook):
    for cell in notebook.code:
        for output in cell.outputs:
            trace = re.search(MACHINE_TRACES, text_of(output))
            if trace:
                yield f"{where(cell)}: a path or address of one machine: {trace[0]!r}"


def figures_described(notebook):
    """The convention of pe_lessons.plots.show: alt text twice, then the caption."""
    for cell in notebook.code:
        for number, output in enumerate(cell.outputs):
            if "image/png" not in output.get("data", ()):
                continue
            alt = output.metadata.get("image/png", {}).get("alt", "")
            if len(alt.strip()) < MIN_ALT_TEXT or "<Figure" in alt:
                yield f"{where(cell)}: a figure without alt text (have {alt!r}); use plots.show"
            elif output.data.get("text/plain") != alt:
                yield f"{where(cell)}: the figure's text/plain is not its alt text; use plots.show"
            following = cell.outputs[number + 1 : number + 2]
            caption = following[0].get("data", {}).get("text/markdown", "") if following else ""
            if not re.fullmatch(r"\*.+\*", caption.strip(), re.DOTALL):
                yield f"{where(cell)}: a figure without a caption; use plots.show"


def figure_files(notebook):
    """Pictures other than PNG are compared by nobody, and large ones make slow pages."""
    for cell in notebook.code:
        for output in cell.outputs:
            for kind, data in output.get("data", {}).items():
                if kind.startswith("image/") and kind != "image/png":
                    yield f"{where(cell)}: a picture of type {kind}; only PNG is compared"
                elif kind == "image/png" and len(data) * 3 / 4 > MAX_FIGURE_KB * 1000:
                    yield f"{where(cell)}: a figure over {MAX_FIGURE_KB} kB"


def notebook_size(notebook):
    if len(notebook.text.encode()) > MAX_NOTEBOOK_KB * 1000:
        yield f"the notebook is over {MAX_NOTEBOOK_KB} kB"


def code_lines(cell):
    """How many lines of a cell are code: not blank, not a comment, not a docstring."""
    lines = enumerate(cell.source.splitlines(), start=1)
    code = {number for number, line in lines if not re.fullmatch(r"\s*(#.*)?", line)}
    for node in ast.walk(syntax_tree(cell.source)):
        if isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str):
            code -= set(range(node.lineno, node.end_lineno + 1))
    return len(code)


def rhythm(notebook):
    lengths = {where(cell): code_lines(cell) for cell in notebook.code}
    for place, lines in lengths.items():
        if lines > LONGEST_CELL_LINES:
            yield f"{place}: {lines} lines of code, allowed are {LONGEST_CELL_LINES}"
    longer = [place for place, lines in lengths.items() if lines > SHORT_CELL_LINES]
    if 10 * len(longer) > len(lengths):
        yield f"more than one cell in ten has over {SHORT_CELL_LINES} lines of code: {longer}"


def plain_markdown(notebook):
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        for fault, pattern in MARKDOWN_FAULTS.items():
            if re.search(pattern, cell.source, re.MULTILINE):
                yield f"{where(cell)}: {fault}"
        prose = CODE_OR_DOLLAR.sub("", cell.source)
        without_maths = re.sub(PLAIN_MATHS, "", prose)
        fault = re.search(MATHS_MACROS, prose) or re.search(OTHER_MATHS, without_maths)
        if fault:
            yield f"{where(cell)}: {fault[0]!r} is not plain $...$ or $$...$$ mathematics"


def in_normal_form(notebook):
    """Timings, widget state, repaired ids, another kernel, no locks: all that reexecute.py would mend."""
    normal = normal_text(v4.reads(notebook.text))
    if notebook.text != normal:
        stored, wanted = notebook.text.splitlines(True), normal.splitlines(True)
        pairs = zip_longest(stored, wanted, fillvalue="")
        number, (is_now, should_be) = next(
            (number, pair) for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1]
        )
        yield (
            "not in normal form, run `python course.py notebooks`; the first difference: "
            f"line {number} is {is_now[:60]!r} and should be {should_be[:60]!r}"
        )


GUARDS = [
    execution_counts,
    nbval_comments,
    tags_and_budget,
    errors_where_tagged,
    figures_stored,
    prints_stored,
    forbidden_code,
    empty_cells,
    warnings_in_outputs,
    machine_traces,
    figures_described,
    figure_files,
    notebook_size,
    rhythm,
    plain_markdown,
    in_normal_form,
]


@functools.cache
def read(path):
    return Notebook(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
@pytest.mark.parametrize("path", find_notebooks(), ids=lambda path: path.stem)
def test_notebook(path, guard):
    complaints = list(guard(read(path)))
    if complaints:
        pytest.fail("\n".join([path.name, *complaints]), pytrace=False)


# The guards of the repository: what no look into a single notebook can see.


def contents(readme, names):
    """Complaints about the README's table of lessons; `names` are the notebooks that exist."""
    rows = [line for line in readme.splitlines() if line.lstrip().startswith("|")]
    listed = re.findall(r"\(notebooks/([^)#]+\.ipynb)\)", "\n".join(rows))
    for name in sorted(set(listed) | set(names)):
        if name not in names:
            yield f"the README lists {name}, which does not exist"
        elif listed.count(name) != 1:
            yield f"the README's table links {name} {listed.count(name)} times, not once"
    numbers = sorted(name[:3] for name in names)
    wanted = [f"{number:02d}_" for number in range(len(names))]
    if not names or numbers != wanted:
        yield f"the notebooks' numbers are not consecutive from 00: {numbers}"


def configuration(pyproject, root):
    """Complaints about pytest's settings: every notebook under `root` must be run, and strictly."""
    settings = pyproject["tool"]["pytest"]["ini_options"]
    testpaths = settings.get("testpaths", [])
    for path in testpaths:
        if not (root / path).exists():
            yield f"testpaths names {path}, which does not exist"
    for path in ("pe_lessons", "tests"):
        if path not in testpaths:
            yield f"testpaths lacks {path}"
    for path in all_notebooks(root):
        if path.parts[0] not in testpaths or {"build", "dist", "venv"} & set(path.parts):
            yield f"pytest would not run {path.as_posix()}"
    options = settings.get("addopts", "")
    options = shlex.split(options) if isinstance(options, str) else options
    for option in ("--nbval", "--nbval-current-env", "--strict-markers"):
        if option not in options:
            yield f"addopts lacks {option}"
    for option in options:
        if option.startswith(("--nbval-lax", "--nbdime", "--ignore", "--deselect", "-k")):
            yield f"addopts has {option}, which lets notebooks go unchecked"


def all_notebooks(root):
    """Every notebook of the repository, relative to its root; hidden and built ones aside."""
    for top in sorted(root.iterdir()):
        if top.name.startswith((".", "_")) or (top / "pyvenv.cfg").exists():
            continue
        for path in [top] if top.suffix == ".ipynb" else sorted(top.rglob("*.ipynb")):
            path = path.relative_to(root)
            if not any(part.startswith((".", "_")) for part in path.parts):
                yield path


def test_table_of_contents():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    folder = ROOT / "notebooks"
    names = [path.relative_to(folder).as_posix() for path in find_notebooks()]
    assert list(contents(readme, names)) == []


def test_configuration():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert list(configuration(pyproject, ROOT)) == []


# The guards themselves, each with a fault planted into a small good notebook.

ALT = "A grey square, the same everywhere"


def picture(colour, size=(64, 64)):
    return png_of(Image.new("RGB", size, colour))


def png_of(image, **options):
    file = io.BytesIO()
    image.save(file, format="PNG", **options)
    return base64.b64encode(file.getvalue()).decode("ascii")


def printed(text):
    return v4.new_output("stream", name="stdout", text=text)


def shown(**data):
    """What display() stores: `text_plain="a"` stands for the MIME type text/plain."""
    data = {kind.replace("_", "/", 1): value for kind, value in data.items()}
    return v4.new_output("display_data", data=data)


def good_notebook():
    figure = shown(image_png=picture("grey"), text_plain=ALT)
    figure.metadata = {"image/png": {"alt": ALT}}
    error = v4.new_output("error", ename="ValueError", evalue="no", traceback=["ValueError: no"])
    cells = [
        v4.new_markdown_cell("# A title\n\nThe angle is $p \\omega_k$; this costs \\$5.", id="title"),
        v4.new_code_cell("x = 2", id="set"),
        v4.new_code_cell("print(x)", id="print", outputs=[printed("2\n")]),
        v4.new_code_cell("show(fig)", id="figure", outputs=[figure, shown(text_markdown="*A caption.*")]),
        v4.new_code_cell('raise ValueError("no")', id="error", metadata={"tags": [RAISES]}, outputs=[error]),
        v4.new_code_cell("%timeit x", id="time", metadata={"tags": [UNCHECKED]}, outputs=[printed("3 ns\n")]),
    ]
    cells += [
        v4.new_code_cell("answer = ...", id="answer", metadata={"nbgrader": {"solution": True}}),
        v4.new_code_cell("exercise.check(answer)", id="check", metadata={"nbgrader": {"grade": True}}),
    ]
    cells[0].metadata.update(editable=False)
    cells[-2].metadata.update(deletable=False)
    cells[-1].metadata.update(deletable=False, editable=False)
    for number, cell in enumerate(cells[1:], start=1):
        cell.execution_count = number
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return v4.new_notebook(cells=cells, metadata=metadata)


def cell_of(nb, name):
    return next(cell for cell in nb.cells if cell.id == name)


def source(text, name="set"):
    """A fault: the cell `name` has this source."""

    def plant(nb):
        cell_of(nb, name).source = text

    return plant


def output(*outputs, name="set"):
    """A fault: the cell `name` has these outputs stored."""

    def plant(nb):
        cell_of(nb, name).outputs = list(outputs)

    return plant


def change(name, **fields):
    """A fault: fields of the cell `name` are other ones."""

    def plant(nb):
        cell_of(nb, name).update(fields)

    return plant


def tagged(name, *names):
    return change(name, metadata={"tags": list(names)})


def one_more(cell):
    def plant(nb):
        nb.cells.append(cell)

    return plant


def figure_fault(**fields):
    """A fault: these fields of the figure's output are other ones."""

    def plant(nb):
        cell_of(nb, "figure").outputs[0].update(fields)

    return plant


def lock(name, **changes):
    """A fault: the cell's locks are other ones; None takes one off."""

    def plant(nb):
        metadata = cell_of(nb, name).metadata
        metadata.update(changes)
        for key in [key for key, value in changes.items() if value is None]:
            del metadata[key]

    return plant


def too_many_unchecked(nb):
    for number in range(8, 11):
        metadata = {"tags": [UNCHECKED]}
        nb.cells.append(v4.new_code_cell("x", id=f"more-{number}", metadata=metadata, execution_count=number))


def software_named(nb):
    info = PngInfo()
    info.add_text("Software", "Matplotlib version 3.11.2")
    png = png_of(Image.new("RGB", (64, 64), "grey"), pnginfo=info)
    cell_of(nb, "figure").outputs[0].data["image/png"] = png


NOISE = png_of(Image.fromarray(np.random.default_rng(0).integers(0, 256, (200, 200, 3), np.uint8)))
WIDGET = {
    "application/vnd.jupyter.widget-view+json": {"model_id": "1"},
    "text/plain": "interactive()",
}

FAULTS = [
    (execution_counts, "never run", change("set", execution_count=None)),
    (execution_counts, "run twice", change("set", execution_count=7)),
    (nbval_comments, "ignore", source("# NBVAL_IGNORE_OUTPUT\nx = 2")),
    (nbval_comments, "old name", source("x = 2\n  # PYTEST_VALIDATE_IGNORE_OUTPUT")),
    (tags_and_budget, "skip", tagged("set", "nbval-skip")),
    (tags_and_budget, "budget", too_many_unchecked),
    (errors_where_tagged, "not tagged", change("error", metadata={})),
    (errors_where_tagged, "does not raise", tagged("set", RAISES)),
    (errors_where_tagged, "both tags", tagged("error", RAISES, UNCHECKED)),
    (figures_stored, "lost", output(name="figure")),
    (figures_stored, "method", source("for p in range(2):\n    plt.show()")),
    (prints_stored, "lost", output(name="print")),
    (forbidden_code, "exit()", source("exit()")),
    (forbidden_code, "quit", source("quit")),
    (forbidden_code, "sys.exit", source("import sys\nsys.exit(0)")),
    (forbidden_code, "os._exit", source("import os\nos._exit(0)")),
    (forbidden_code, "shell", source("!false")),
    (forbidden_code, "shell value", source("files = !ls")),
    (forbidden_code, "cell magic", source("%%bash\nfalse")),
    (forbidden_code, "pip magic", source("%pip install numpy")),
    (forbidden_code, "pip shell", source("!pip install numpy")),
    (forbidden_code, "task", source("import asyncio\nasyncio.ensure_future(work())")),
    (forbidden_code, "await", source("await work()")),
    (forbidden_code, "thread", source("from threading import Thread")),
    (forbidden_code, "bare except", source("try:\n    x\nexcept:\n    print(1)")),
    (forbidden_code, "except pass", source("try:\n    x\nexcept ValueError:\n    pass")),
    (forbidden_code, "suppress", source("with contextlib.suppress(ValueError):\n    x")),
    (forbidden_code, "time without tag", source("%timeit x")),
    (forbidden_code, "cell time without tag", source("%%time\nx = 2")),
    (forbidden_code, "network module", source("from urllib.request import urlopen")),
    (forbidden_code, "address", source('data = load("https://example.org/a.csv")')),
    (forbidden_code, "semicolon", source("plot(x);  # no text, please")),
    (empty_cells, "code", one_more(v4.new_code_cell(id="empty"))),
    (empty_cells, "markdown", one_more(v4.new_markdown_cell("\n", id="empty", metadata={"editable": False}))),
    (warnings_in_outputs, "stderr", output(v4.new_output("stream", name="stderr", text="hm"))),
    (warnings_in_outputs, "text", output(printed("a.py:3: UserWarning: hm"))),
    (machine_traces, "path", output(printed("saved in /home/ada/pe/table.txt"))),
    (machine_traces, "windows path", output(printed("saved in C:\\Users\\ada"))),
    (machine_traces, "address", output(shown(text_plain="<object at 0x7f3a5c2d1e50>"))),
    (
        machine_traces,
        "traceback",
        output(
            v4.new_output("error", traceback=["\x1b[32m/tmp/ipykernel_12/3.py\x1b[0m"]),
            name="error",
        ),
    ),
    (figures_described, "no alt text", figure_fault(metadata={})),
    (figures_described, "short", figure_fault(metadata={"image/png": {"alt": "A figure"}})),
    (
        figures_described,
        "default text",
        figure_fault(metadata={"image/png": {"alt": "<Figure size 640x480 with 1 Axes>"}}),
    ),
    (
        figures_described,
        "other text",
        figure_fault(metadata={"image/png": {"alt": "Another " * 5}}),
    ),
    (figures_described, "no caption", lambda nb: cell_of(nb, "figure").outputs.pop()),
    (figure_files, "large", figure_fault(data={"image/png": NOISE, "text/plain": ALT})),
    (figure_files, "jpeg", output(shown(image_jpeg="AAAA", text_plain=ALT))),
    (notebook_size, "large", source("word " * 90_000, "title")),
    (rhythm, "too long", source("\n".join(["x = 2"] * 31))),
    (rhythm, "long too often", source("\n".join(["x = 2"] * 13))),
    (plain_markdown, "directive", source(":::{note}\nhm\n:::", "title")),
    (plain_markdown, "fence", source("```{note}\nhm\n```", "title")),
    (plain_markdown, "role", source("see {ref}`here`", "title")),
    (plain_markdown, "remote picture", source("![a table](https://example.org/a.png)", "title")),
    (plain_markdown, "remote tag", source('<img alt="a" src="//example.org/a.png">', "title")),
    (plain_markdown, "picture without alt", source("![](a.png)", "title")),
    (plain_markdown, "lone dollar", source("it costs $5", "title")),
    (plain_markdown, "spaces", source("the angle $ p $ here", "title")),
    (plain_markdown, "github maths", source("the angle $`p`$ here", "title")),
    (plain_markdown, "brackets", source(r"the angle \(p\)", "title")),
    (plain_markdown, "environment", source(r"\begin{align} p \end{align}", "title")),
    (plain_markdown, "macro", source(r"$\newcommand{\PE}{P}$", "title")),
    (in_normal_form, "kernelspec", lambda nb: nb.metadata.kernelspec.update(name="conda-env")),
    (in_normal_form, "timing", change("set", metadata={"execution": {"iopub.status.busy": "1"}})),
    (in_normal_form, "equal ids", change("set", id="title")),
    (in_normal_form, "id by machine", change("set", id="3f9a01bc")),
    (
        in_normal_form,
        "widget view",
        output(v4.new_output("display_data", data=WIDGET), name="time"),
    ),
    (in_normal_form, "widget state", lambda nb: nb.metadata.update(widgets={})),
    (in_normal_form, "version in a PNG", software_named),
    (in_normal_form, "prose can be edited", lock("title", editable=None)),
    (in_normal_form, "check can be edited", lock("check", editable=None)),
    (in_normal_form, "check can be deleted", lock("check", deletable=None)),
    (in_normal_form, "answer can be deleted", lock("answer", deletable=True)),
    (in_normal_form, "answer cannot be edited", lock("answer", editable=False)),
    (in_normal_form, "code cannot be edited", lock("set", editable=False)),
    (in_normal_form, "older format", lambda nb: nb.update(nbformat_minor=4)),
]


def complaining(text):
    notebook = Notebook(text)
    return [guard for guard in GUARDS if list(guard(notebook))]


def file_text(nb):
    """The file as the fault left it, not normalised."""
    return v4.writes(nb) + "\n"


def test_good_notebook_pleases_every_guard():
    text = file_text(good_notebook())
    assert [list(guard(Notebook(text))) for guard in GUARDS] == [[]] * len(GUARDS)


@pytest.mark.parametrize(
    "guard, plant",
    [
        pytest.param(guard, plant, id=f"{guard.__name__}-{name}".replace(" ", "_"))
        for guard, name, plant in FAULTS
    ],
)
def test_guard_sees(guard, plant):
    nb = good_notebook()
    plant(nb)
    assert complaining(file_text(nb)) == [guard]


@pytest.mark.parametrize("respell", [str.rstrip, lambda text: json.dumps(json.loads(text))])
def test_guard_sees_other_bytes(respell):
    assert complaining(respell(file_text(good_notebook()))) == [in_normal_form]


def test_every_guard_has_a_fault():
    assert {guard for guard, _, _ in FAULTS} == set(GUARDS)


TABLE = "| [00](notebooks/00_a.ipynb) | A |\n| [01](notebooks/01_b.ipynb) | B |"


def test_contents_are_complete():
    readme = "Open [the first](notebooks/00_a.ipynb)\n\n" + TABLE
    assert list(contents(readme, ["00_a.ipynb", "01_b.ipynb"])) == []


@pytest.mark.parametrize(
    "readme, names",
    [
        pytest.param(TABLE, ["00_a.ipynb"], id="deleted"),
        pytest.param(TABLE, ["00_a.ipynb", "01_b.ipynb", "02_c.ipynb"], id="not listed"),
        pytest.param(TABLE + "\n" + TABLE, ["00_a.ipynb", "01_b.ipynb"], id="listed twice"),
        pytest.param(TABLE.replace("01_", "02_"), ["00_a.ipynb", "02_b.ipynb"], id="gap"),
        pytest.param("", [], id="nothing at all"),
    ],
)
def test_contents_see(readme, names):
    assert list(contents(readme, names))


ADDOPTS = ["--nbval", "--nbval-current-env", "--strict-markers"]
TESTPATHS = ["pe_lessons", "tests", "notebooks"]
FIRST = "notebooks/00_a.ipynb"


def configuration_complaints(root, testpaths=TESTPATHS, addopts=ADDOPTS, notebook=FIRST):
    for folder in (*TESTPATHS, Path(notebook).parent):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / notebook).touch()
    settings = {"testpaths": testpaths, "addopts": addopts}
    return list(configuration({"tool": {"pytest": {"ini_options": settings}}}, root))


def test_configuration_is_strict(tmp_path):
    assert configuration_complaints(tmp_path) == []
    assert configuration_complaints(tmp_path, addopts=" ".join(ADDOPTS)) == []


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param({"testpaths": ["pe_lessons", "tests", "notebook"]}, id="typo"),
        pytest.param({"testpaths": ["pe_lessons", "tests"]}, id="without notebooks"),
        pytest.param({"testpaths": ["tests", "notebooks"]}, id="without doctests"),
        pytest.param({"notebook": "teaching/extra.ipynb"}, id="another folder"),
        pytest.param({"notebook": "notebooks/build/extra.ipynb"}, id="folder pytest skips"),
        pytest.param({"notebook": "extra.ipynb"}, id="at the root"),
        pytest.param({"addopts": ADDOPTS[1:]}, id="nbval off"),
        pytest.param({"addopts": [*ADDOPTS, "--nbval-lax"]}, id="lax"),
        pytest.param({"addopts": [*ADDOPTS, "--ignore=notebooks"]}, id="ignored"),
    ],
)
def test_configuration_sees(tmp_path, fault):
    assert configuration_complaints(tmp_path, **fault)


# conftest.py and reexecute.py at work, on kernels of their own. Pictures come from Pillow here:
# starting matplotlib in every kernel would cost more than all the rest.

DRAW = """\
import io
from IPython.display import display
from PIL import Image

def show(colour):
    file = io.BytesIO()
    Image.new("RGB", (64, 64), colour).save(file, format="PNG")
    display({"image/png": file.getvalue(), "text/plain": "a square"}, raw=True)
"""


def run_of(*sources, outputs=()):
    cells = [
        v4.new_code_cell(text, id=f"cell-{number}", execution_count=number)
        for number, text in enumerate(sources, start=1)
    ]
    cells[-1].outputs = list(outputs)
    return v4.new_notebook(cells=cells)


def square(colour):
    return shown(image_png=picture(colour), text_plain="a square")


def thin_curve():
    image = Image.new("RGB", (640, 640), "white")
    image.paste("blue", (0, 320, 640, 322))
    return shown(image_png=png_of(image), text_plain="a square")


STRICT_RUNS = {
    "good": (run_of(DRAW, 'show("grey")', outputs=[square("grey")]), None),
    "antialiased": (run_of(DRAW, 'show("#828282")', outputs=[square("#808080")]), None),
    "blank": (run_of(DRAW, 'show("white")', outputs=[square("grey")]), "another picture"),
    "curve_gone": (run_of(DRAW, 'show("white")', outputs=[thin_curve()]), "another picture"),
    "recoloured": (run_of(DRAW, 'show("#904040")', outputs=[square("#409040")]), "another picture"),
    "not_drawn": (
        run_of('print("a")', outputs=[printed("a\n"), shown(image_png=picture("grey"))]),
        "Figures stored: 1, figures the cell gives now: 0",
    ),
    "digit": (run_of("print(0.25)", outputs=[printed("0.26\n")]), "+ is the output stored"),
    "exit": (run_of("x = 1", "exit()"), "calls exit()"),
    "dead": (run_of("import os", "os._exit(1)"), "The kernel died while this cell ran"),
}


@pytest.fixture
def course(tmp_path):
    """A course of its own with this one's settings, to plant faults in."""
    settings = ("pyproject.toml", "tests/nbval_sanitize.cfg")
    for name in ("conftest.py", "course.py", "tests/machine.py", "tests/reexecute.py", *settings):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, target)
    for folder in TESTPATHS:
        (tmp_path / folder).mkdir(exist_ok=True)
    return tmp_path


def python_at(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    environment["PYTHONUTF8"] = "1"
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,  # a busy machine may take its time
    )


def test_pytest_is_strict_on_notebooks(course):
    for name, (nb, _) in STRICT_RUNS.items():
        (course / "notebooks" / f"{name}.ipynb").write_text(file_text(nb), encoding="utf-8")
    kept = course / "notebooks/good.mine.ipynb"  # a learner's copy: not run
    kept.write_text(file_text(run_of("1 / 0")), encoding="utf-8")
    done = python_at(course, "-m", "pytest", "--color=no", "-p", "no:cacheprovider", "notebooks")
    failed = set(re.findall(r"^FAILED notebooks/(\w+)\.ipynb::Cell", done.stdout, re.MULTILINE))
    wanted = {name for name, (_, message) in STRICT_RUNS.items() if message}
    assert failed == wanted, done.stdout + done.stderr
    assert "mine" not in done.stdout
    assert re.search(r"to report this.*\nPython: .*\nNumPy's instruction sets: ", done.stdout, re.DOTALL)
    for name, (_, message) in STRICT_RUNS.items():
        if message:
            assert message in done.stdout
            assert re.search(rf"notebooks/{name}\.ipynb, In \[\d\], cell id cell-\d", done.stdout)
    assert "python course.py notebooks notebooks/digit.ipynb" in done.stdout


def test_typo_in_testpaths_stops_pytest(course):
    done = python_at(course, "-m", "pytest", "-o", "testpaths=tests notebook")
    assert done.returncode != 0 and "there is no notebook" in done.stderr


def test_a_shuffled_run_has_another_order_and_the_same_tests(course):
    eight = range(8)
    for name in ("a", "b", "c"):
        tests = "".join(f"def test_{number}():\n    pass\n" for number in eight)
        (course / f"tests/test_{name}.py").write_text(tests)
    cells = file_text(run_of(*["x = 1"] * 8))
    (course / "notebooks/d.ipynb").write_text(cells, encoding="utf-8")

    done = python_at(course, "-m", "pytest", "-v", "--color=no", "--shuffle", "7")
    assert "32 passed" in done.stdout and "to report this" not in done.stdout, done.stdout
    order = re.findall(r"^(\S+)::(?:test_|Cell )(\d) PASSED", done.stdout, re.MULTILINE)
    files = list(dict.fromkeys(file for file, _ in order))
    assert len(files) == 4 and [file for file, _ in order] == [file for file in files for _ in eight]
    for file in files:
        numbers = [int(number) for other, number in order if other == file]
        assert sorted(numbers) == list(eight)
        assert (numbers == sorted(numbers)) == file.startswith("notebooks/")


def rerun(path, *options):
    return python_at(ROOT, "tests/reexecute.py", *options, str(path))


def test_reexecution_settles(tmp_path):
    path = tmp_path / "draft.ipynb"
    nb = run_of(
        DRAW,
        'show("grey")',
        "import time\nprint(time.perf_counter())",
        'raise ValueError("no")',
        "import sys\nprint(1)\nprint(2, file=sys.stderr)\nprint(3)",
    )
    nb.cells[1].outputs = [square("#808181")]
    nb.cells[2].metadata = {"tags": [UNCHECKED], "editable": True}
    nb.cells[3].metadata = {"tags": [RAISES]}
    nb.cells[4].id = "0123abcd"
    draft = file_text(nb)
    path.write_text(draft, encoding="utf-8")

    assert rerun(path, "--check").returncode == 1
    assert path.read_text(encoding="utf-8") == draft

    assert rerun(path).returncode == 0
    stored = path.read_text(encoding="utf-8")
    cells = v4.reads(stored).cells
    assert stored == normal_text(v4.reads(stored))
    assert reexecute.pngs(cells[1].outputs) == reexecute.pngs(nb.cells[1].outputs)
    assert cells[3].outputs[0].ename == "ValueError"
    assert cells[4].id == "import-sys-print-1-print"
    assert [output.text for output in cells[4].outputs] == ["1\n3\n", "2\n"]

    assert rerun(path, "--check").returncode == 0


def test_an_author_takes_the_locks_off_and_a_run_puts_them_on(tmp_path):
    path = tmp_path / "draft.ipynb"
    nb = v4.new_notebook(cells=[v4.new_markdown_cell("# A", id="a"), *run_of("x = 1", "x").cells])
    nb.cells[1].metadata.nbgrader = {"solution": True}
    nb.cells[2].metadata.nbgrader = {"grade": True}
    path.write_text(normal_text(nb), encoding="utf-8")
    locked = path.read_text(encoding="utf-8")

    assert rerun(path, "--unlock").returncode == 0
    cells = v4.reads(path.read_text(encoding="utf-8")).cells
    assert [list(cell.metadata) for cell in cells] == [[], ["nbgrader"], ["nbgrader"]]
    assert normal_text(v4.reads(path.read_text(encoding="utf-8"))) == locked


@pytest.mark.parametrize(
    "last, message",
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import os; os._exit(0)", "the kernel died"),
    ],
)
def test_failing_reexecution_leaves_the_file(tmp_path, last, message):
    path = tmp_path / "draft.ipynb"
    draft = file_text(run_of("x = 1", last))
    path.write_text(draft, encoding="utf-8")
    done = rerun(path)
    assert done.returncode == 1
    assert f"In [2], cell id cell-2: {message}" in done.stdout and "draft.ipynb" in done.stdout
    assert path.read_text(encoding="utf-8") == draft
