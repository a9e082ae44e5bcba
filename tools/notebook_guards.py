"""What a notebook, and the repository around it, must be so that nbval and readers can trust it.

A broken notebook can pass nbval in many ways; every guard here closes one of them. A guard takes a notebook
and yields its complaints. tests/test_notebook_guards.py holds every lesson to them, and plants a fault for
each.
"""

import ast
import functools
import re
import shlex
import statistics
from itertools import zip_longest

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import v4
from reexecute import UNCHECKED, normal_text, pngs

RAISES = "raises-exception"
MAX_UNCHECKED_CELLS = 3
MAX_FIGURE_KB = 100  # at two dots for each of the page
MAX_NOTEBOOK_KB = 430
SHORT_CELL_LINES = 9
LONGEST_CELL_LINES = 16
MEDIAN_CELL_LINES = 4
MOST_WORDS = 2800  # with the sources, which nobody reads in one go
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


def outputs_stored(notebook):
    """nbval does not look at figures, not even at whether there is one."""
    for cell in notebook.code:
        if always_calls(cell, "show") and not pngs(cell.outputs):
            yield f"{where(cell)}: shows a figure, but none is stored"
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


def sizes_and_kinds(notebook):
    """Pictures other than PNG are compared by nobody, and large ones make slow pages."""
    if len(notebook.text.encode()) > MAX_NOTEBOOK_KB * 1000:
        yield f"the notebook is over {MAX_NOTEBOOK_KB} kB"
    for cell in notebook.code:
        for output in cell.outputs:
            for kind, data in output.get("data", {}).items():
                if kind.startswith("image/") and kind != "image/png":
                    yield f"{where(cell)}: a picture of type {kind}; only PNG is compared"
                elif kind == "image/png" and len(data) * 3 / 4 > MAX_FIGURE_KB * 1000:
                    yield f"{where(cell)}: a figure over {MAX_FIGURE_KB} kB"


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
    if lengths and statistics.median(lengths.values()) > MEDIAN_CELL_LINES:
        yield f"the median of the cells' lines of code is above {MEDIAN_CELL_LINES}"
    words = len(" ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown").split())
    if words > MOST_WORDS:
        yield f"{words} words of prose are more than one sitting, allowed are {MOST_WORDS}"


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
    stored, wanted = (text.splitlines(True) for text in (notebook.text, normal_text(v4.reads(notebook.text))))
    for number, (is_now, should_be) in enumerate(zip_longest(stored, wanted, fillvalue=""), start=1):
        if is_now != should_be:
            yield (
                "not in normal form, run `python course.py notebooks`; the first difference: "
                f"line {number} is {is_now[:60]!r} and should be {should_be[:60]!r}"
            )
            return


GUARDS = [
    execution_counts,
    nbval_comments,
    tags_and_budget,
    errors_where_tagged,
    outputs_stored,
    forbidden_code,
    empty_cells,
    warnings_in_outputs,
    machine_traces,
    figures_described,
    sizes_and_kinds,
    rhythm,
    plain_markdown,
    in_normal_form,
]


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
    """Complaints about pytest's settings: every notebook under `root` must be run, and strictly.

    Without the folder tests, or with one that does not exist, conftest.py lets nothing run.
    """
    settings = pyproject["tool"]["pytest"]["ini_options"]
    testpaths = settings.get("testpaths", [])
    if "pe_lessons" not in testpaths:
        yield "testpaths lacks pe_lessons"
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
