"""A broken notebook can pass nbval in many ways. Every guard here closes one of them, in every lesson.

A guard takes a notebook and yields its complaints. The last test holds conftest.py, which makes nbval compare
figures.
"""

import base64
import io
import os
import re
import shutil
import subprocess
import sys
from itertools import zip_longest

import pytest
from nbformat import v4
from PIL import Image
from reexecute import ROOT, UNCHECKED, find_notebooks, normal_text, pngs

RAISES = "raises-exception"
TOLD = "told-after"  # the site folds it with the answer above it
MAX_UNCHECKED_CELLS = 3
MAX_NOTEBOOK_KB = 430
RAW_ELSEWHERE = (  # a MyST directive or role, a picture without alt text, mathematics that is not $...$
    r"^\s*:::|```\{|\{[a-z:]+\}`|!\[\s*\]\(|<img(?![^>]*\balt=.\S)|\\[(\[]|\\begin\{"
)
OF_ONE_MACHINE = (
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


def text_of(output):
    """What an output says in words, without terminal colours."""
    texts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", ())]
    texts += [str(value) for kind, value in output.get("data", {}).items() if not kind.startswith("image/")]
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(texts))


def execution_counts(notebook):
    """nbval does not compare the output of a cell that was never run."""
    counts = [cell.execution_count for cell in notebook.code if cell.source.strip()]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}: the notebook was not run once from top to bottom"


def what_nbval_skips(notebook):
    """Tags and comments switch nbval off; few cells may go unchecked."""
    for cell in notebook.cells:
        if tags(cell) - {UNCHECKED, RAISES, TOLD} or re.search(
            r"^\s*#+\s*(NBVAL_|PYTEST_VALIDATE)", cell.source, re.M
        ):
            yield f"{cell.id}: a tag or a comment that is not among those in use"
    if sum(UNCHECKED in tags(cell) for cell in notebook.code) > MAX_UNCHECKED_CELLS:
        yield f"more than {MAX_UNCHECKED_CELLS} cells have an unchecked output"


def errors_where_tagged(notebook):
    """nbval is content when a cell tagged raises-exception raises nothing."""
    for cell in notebook.code:
        stored = any(output.output_type == "error" for output in cell.outputs)
        if stored != (RAISES in tags(cell)) or {RAISES, UNCHECKED} <= tags(cell):
            yield f"{cell.id}: an error is stored exactly where the cell is tagged {RAISES}, and checked"


def outputs_stored(notebook):
    """Outputs that nbval does not miss where none is stored, and pictures that nobody compares."""
    for cell in notebook.code:
        if re.search(r"^(plots\.)?show\(", cell.source, re.M) and not pngs(cell.outputs):
            yield f"{cell.id}: shows a figure, but none is stored"
        printed = any(output.get("name") == "stdout" for output in cell.outputs)
        if re.search(r"^print\(", cell.source, re.M) and not printed and RAISES not in tags(cell):
            yield f"{cell.id}: prints, but no printed output is stored"
        for kind in {kind for output in cell.outputs for kind in output.get("data", ())}:
            if kind.startswith("image/") and kind != "image/png":
                yield f"{cell.id}: a picture of type {kind}; only PNG is compared"


def nothing_of_one_machine(notebook):
    """A warning, which nbval leaves out, and a path or address that is another one for everybody else."""
    for cell in notebook.code:
        for output in cell.outputs:
            found = re.search(rf"\b\w*Warning: |{OF_ONE_MACHINE}", text_of(output))
            if found or output.get("name") == "stderr":
                yield f"{cell.id}: a warning, a path or an address in the output: {text_of(output)[:80]!r}"


def figures_described(notebook):
    """What pe_lessons.plots.show stores: the picture with its alt text twice, then the caption."""
    for cell in notebook.code:
        for output, after in zip_longest(cell.outputs, cell.outputs[1:], fillvalue={}):
            if "image/png" in output.get("data", ()):
                alt = output.metadata.get("image/png", {}).get("alt", "")
                caption = after.get("data", {}).get("text/markdown", "")
                described = len(alt) > 20 and output.data.get("text/plain") == alt
                if not described or not re.fullmatch(r"\*.+\*", caption.strip(), re.DOTALL):
                    yield f"{cell.id}: a figure without alt text or caption; use plots.show"


def plain_markdown(notebook):
    """Text that one of JupyterLab, VS Code, GitHub and the site would show raw."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (
            found := re.search(RAW_ELSEWHERE, re.sub(r"`[^`\n]+`(?!\$)|\$[^$]+\$", "", cell.source), re.M)
        ):
            yield f"{cell.id}: {found[0]!r} shows as raw text elsewhere"


def whole_tables(notebook):
    """Where a newline is lost, a paragraph gets into the last row of a table."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for table in re.findall(r"(?:^\|.*\n?)+", cell.source, re.M):
                rows = table.splitlines()
                cells = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
                if len(set(cells)) > 1 or any(not row.endswith("|") for row in rows):
                    yield f"{cell.id}: a row of a table has a cell too many, or something after its last bar"


def in_normal_form(notebook):
    """Timings, widget state, repaired ids, another kernel, no locks: all that reexecute.py would repair."""
    if len(notebook.text.encode()) > MAX_NOTEBOOK_KB * 1000:
        yield f"the notebook is over {MAX_NOTEBOOK_KB} kB"
    if notebook.text != normal_text(v4.reads(notebook.text)):
        yield "not in normal form, run `python course.py notebooks`"


GUARDS = [
    execution_counts,
    what_nbval_skips,
    errors_where_tagged,
    outputs_stored,
    nothing_of_one_machine,
    figures_described,
    plain_markdown,
    whole_tables,
    in_normal_form,
]


@pytest.mark.parametrize("path", find_notebooks(), ids=lambda path: path.stem)
def test_notebook(path):
    notebook = Notebook(path.read_text(encoding="utf-8"))
    assert [complaint for guard in GUARDS for complaint in guard(notebook)] == []


def test_table_of_contents():
    names = [path.name for path in find_notebooks()]
    rows = re.findall(r"^ *\|.*", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(re.findall(r"\(notebooks/([^)#]+\.ipynb)\)", "\n".join(rows))) == names
    assert [name[:3] for name in names] == [f"{number:02d}_" for number in range(len(names))] != []


# conftest.py: figures are compared.


def picture(colour):
    file = io.BytesIO()
    Image.new("RGB", (64, 64), colour).save(file, format="PNG")
    return base64.b64encode(file.getvalue()).decode("ascii")


DRAW = """\
import base64
from IPython.display import display

def draw(png):
    display({"image/png": base64.b64decode(png), "text/plain": "a square"}, raw=True)
"""


def test_nbval_sees_another_picture_and_another_output(tmp_path):
    """In a course of its own with this one's settings; a learner's copy is not run."""
    settings = ("conftest.py", "course.py", "pyproject.toml", "tests/nbval_sanitize.cfg")
    for name in (*settings, "tools/reexecute.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    data = {"image/png": picture("#409040"), "text/plain": "a square"}
    stored = [v4.new_output("display_data", data=data)]
    cells = {
        DRAW: [],
        f'draw("{picture("#429242")}")': stored,
        f'draw("{picture("#904040")}")': stored,
        "print(0.25)": [v4.new_output("stream", name="stdout", text="0.26\n")],
    }
    (tmp_path / "notebooks").mkdir()
    for file, some in {"a": cells, "a.mine": {"1 / 0": []}}.items():
        made = [
            v4.new_code_cell(text, id=f"cell-{n}", execution_count=n, outputs=outputs)
            for n, (text, outputs) in enumerate(some.items(), 1)
        ]
        (tmp_path / f"notebooks/{file}.ipynb").write_text(v4.writes(v4.new_notebook(cells=made)) + "\n")
    words = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider", "notebooks"]
    environ = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    environ |= {"PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=environ, capture_output=True, encoding="utf-8").stdout
    failed = re.findall(r"^FAILED notebooks/(\w+\.ipynb::Cell \d)", done, re.MULTILINE)
    assert failed == ["a.ipynb::Cell 2", "a.ipynb::Cell 3"], done
    assert "another picture" in done and "cell id cell-3" in done and "+ is the output stored" in done
