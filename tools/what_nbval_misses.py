"""What a notebook must be so that nbval cannot be fooled and no learner is misled.

A broken notebook can pass nbval in many ways; every guard here closes one of them. A guard takes a notebook
and yields its complaints. tests/test_what_nbval_misses.py holds every lesson to them, and plants faults.
"""

import ast
import functools
import re
from itertools import zip_longest

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import v4
from reexecute import UNCHECKED, normal_text, pngs

RAISES = "raises-exception"
MAX_UNCHECKED_CELLS = 3
MAX_NOTEBOOK_KB = 430
MIN_ALT_TEXT = 20

MARKDOWN_FAULTS = {
    "a MyST directive or role shows as raw text elsewhere": r"^\s*:::|```\{|\{[a-z:]+\}`",
    "a picture without alt text": r"!\[\s*\]\(|<img(?![^>]*\balt=.\S)",
}
CODE_OR_DOLLAR = re.compile(r"```.*?```|`[^`\n]*`(?!\$)|\\\$", re.DOTALL)
PLAIN_MATHS = r"\$\$[^$]+\$\$|\$(?![\s`])[^$]+(?<![\s`])\$"
OTHER_MATHS = r"\$|\\[(\[]|\\begin\{"
MACHINE_TRACES = (
    r"(?<![\w.:/])/(home|Users|root|tmp|var|usr|opt|work|private|mnt)/|\b[A-Z]:\\|~/|site-packages"
    r"|ipykernel_\d|\bat 0x[0-9a-fA-F]{6,}"
)


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


def what_nbval_skips(notebook):
    """Tags and comments switch nbval off; few cells may go unchecked."""
    for cell in notebook.cells:
        unknown = tags(cell) - {UNCHECKED, RAISES}
        if unknown:
            yield f"{where(cell)}: tags {sorted(unknown)} are not among those in use"
    for cell in notebook.code:
        if re.search(r"^\s*#+\s*(NBVAL_|PYTEST_VALIDATE)", cell.source, re.MULTILINE):
            yield f"{where(cell)}: a comment for nbval; use a tag"
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
    """Outputs that nbval does not miss where none is stored, and pictures that nobody compares."""
    for cell in notebook.code:
        if always_calls(cell, "show") and not pngs(cell.outputs):
            yield f"{where(cell)}: shows a figure, but none is stored"
        printed = any(output.get("name") == "stdout" for output in cell.outputs)
        if always_calls(cell, "print") and not printed:
            yield f"{where(cell)}: prints, but no printed output is stored"
        for kind in {kind for output in cell.outputs for kind in output.get("data", ())}:
            if kind.startswith("image/") and kind != "image/png":
                yield f"{where(cell)}: a picture of type {kind}; only PNG is compared"


def warnings_in_outputs(notebook):
    """nbval leaves out what went to stderr."""
    for cell in notebook.code:
        for output in cell.outputs:
            if output.get("name") == "stderr" or re.search(r"\b\w*Warning: ", text_of(output)):
                yield f"{where(cell)}: a warning in the output: {text_of(output)[:80]!r}"


def machine_traces(notebook):
    """A path or address of the author's machine is another one for everybody else."""
    for cell in notebook.code:
        for output in cell.outputs:
            trace = re.search(MACHINE_TRACES, text_of(output))
            if trace:
                yield f"{where(cell)}: a path or address of one machine: {trace[0]!r}"


def figures_described(notebook):
    """What pe_lessons.plots.show stores: the picture with its alt text twice, then the caption."""
    for cell in notebook.code:
        for output, after in zip_longest(cell.outputs, cell.outputs[1:], fillvalue={}):
            if "image/png" not in output.get("data", ()):
                continue
            alt = output.metadata.get("image/png", {}).get("alt", "")
            if len(alt.strip()) < MIN_ALT_TEXT or "<Figure" in alt or output.data.get("text/plain") != alt:
                yield f"{where(cell)}: a figure without alt text (have {alt!r}); use plots.show"
            caption = after.get("data", {}).get("text/markdown", "")
            if not re.fullmatch(r"\*.+\*", caption.strip(), re.DOTALL):
                yield f"{where(cell)}: a figure without a caption; use plots.show"


def plain_markdown(notebook):
    """Text that one of JupyterLab, VS Code, GitHub and the site would show raw."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for fault, pattern in MARKDOWN_FAULTS.items():
                if re.search(pattern, cell.source, re.MULTILINE):
                    yield f"{where(cell)}: {fault}"
            without_maths = re.sub(PLAIN_MATHS, "", CODE_OR_DOLLAR.sub("", cell.source))
            fault = re.search(OTHER_MATHS, without_maths)
            if fault:
                yield f"{where(cell)}: {fault[0]!r} is not plain $...$ or $$...$$ mathematics"


def in_normal_form(notebook):
    """Timings, widget state, repaired ids, another kernel, no locks: all that reexecute.py would repair."""
    if len(notebook.text.encode()) > MAX_NOTEBOOK_KB * 1000:
        yield f"the notebook is over {MAX_NOTEBOOK_KB} kB"
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
    what_nbval_skips,
    errors_where_tagged,
    outputs_stored,
    warnings_in_outputs,
    machine_traces,
    figures_described,
    plain_markdown,
    in_normal_form,
]
