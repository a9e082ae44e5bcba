"""Every notebook pleases every guard of tools/what_nbval_misses.py, and no guard is blind.

Each is given a small good notebook with one fault planted, and must be the only one to complain. Then
conftest.py, which makes nbval strict, and tools/reexecute.py.
"""

import base64
import io
import os
import re
import shutil
import subprocess
import sys

import pytest
import reexecute
import what_nbval_misses as guards
from nbformat import from_dict, v4
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from reexecute import ROOT, UNCHECKED, find_notebooks, normal_text
from what_nbval_misses import GUARDS, RAISES, Notebook


@pytest.mark.parametrize("path", find_notebooks(), ids=lambda path: path.stem)
def test_notebook(path):
    notebook = Notebook(path.read_text(encoding="utf-8"))
    complaints = [complaint for guard in GUARDS for complaint in guard(notebook)]
    if complaints:
        pytest.fail("\n".join([path.name, *complaints]), pytrace=False)


def test_table_of_contents():
    names = [path.name for path in find_notebooks()]
    rows = re.findall(r"^ *\|.*", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(re.findall(r"\(notebooks/([^)#]+\.ipynb)\)", "\n".join(rows))) == names
    assert [name[:3] for name in names] == [f"{number:02d}_" for number in range(len(names))] != []


# The guards themselves, each with a fault planted into a small good notebook.

ALT = "A grey square, the same everywhere"
ANSWER, CHECK = {"nbgrader": {"solution": True}}, {"nbgrader": {"grade": True}}


def picture(colour, **options):
    file = io.BytesIO()
    Image.new("RGB", (64, 64), colour).save(file, format="PNG", **options)
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
        v4.new_code_cell("answer = ...", id="answer", metadata=ANSWER | {"deletable": False}),
        v4.new_code_cell("exercise.check(answer)", id="check", metadata=CHECK),
    ]
    cells[0].metadata.update(editable=False)
    cells[-1].metadata.update(deletable=False, editable=False)
    for number, cell in enumerate(cells[1:], start=1):
        cell.execution_count = number
    return v4.new_notebook(cells=cells, metadata=reexecute.METADATA)


def change(cell="set", **fields):
    """A fault: these fields of the cell are other ones."""
    return lambda nb: next(one for one in nb.cells if one.id == cell).update(from_dict(fields))


def says(text):
    return change(outputs=[printed(text)])


def figure_fault(**fields):
    """A fault: these fields of the figure's output are other ones."""
    return lambda nb: nb.cells[3].outputs[0].update(fields)


def unchecked(number):
    metadata = {"tags": [UNCHECKED]}
    return v4.new_code_cell("x", id=f"more-{number}", metadata=metadata, execution_count=number)


INFO = PngInfo()
INFO.add_text("Software", "Matplotlib version 3.11.2")

FAULTS = {
    guards.execution_counts: [change(execution_count=None), change(execution_count=7)],
    guards.what_nbval_skips: [
        lambda nb: nb.cells.extend(map(unchecked, (8, 9, 10))),
        change(metadata={"tags": ["nbval-skip"]}),
        change(source="x = 2\n  # PYTEST_VALIDATE_IGNORE_OUTPUT"),
    ],
    guards.errors_where_tagged: [
        change("error", metadata={}),
        change(metadata={"tags": [RAISES]}),
        change("error", metadata={"tags": [RAISES, UNCHECKED]}),
    ],
    guards.outputs_stored: [
        change("figure", outputs=[]),
        change("print", outputs=[]),
        change(outputs=[shown(image_jpeg="AAAA", text_plain=ALT)]),
    ],
    guards.warnings_in_outputs: [
        change(outputs=[v4.new_output("stream", name="stderr", text="hm")]),
        says("a.py:3: UserWarning: hm"),
    ],
    guards.machine_traces: [says("saved in /home/ada/table.txt"), says("<object at 0x7f3a5c2d1e50>")],
    guards.figures_described: [figure_fault(metadata={}), lambda nb: nb.cells[3].outputs.pop()],
    guards.plain_markdown: [
        change("title", source=text) for text in (":::{note}", "![](a.png)", "it costs $5", r"the \(p\)")
    ],
    guards.in_normal_form: [
        lambda nb: nb.metadata.kernelspec.update(name="conda-env"),
        figure_fault(data={"image/png": picture("grey", pnginfo=INFO), "text/plain": ALT}),
        change(id="3f9a01bc"),
        change("title", metadata={}),
        change("check", metadata=CHECK | {"deletable": False}),
        change("answer", metadata=ANSWER),
    ],
}
PLANTED = [(guard, fault) for guard, faults in FAULTS.items() for fault in faults]


def complaining(text):
    return [guard for guard in GUARDS if list(guard(Notebook(text)))]


def file_text(nb):
    """The file as the fault left it, not normalised."""
    return v4.writes(nb) + "\n"


def test_good_notebook_pleases_every_guard():
    assert complaining(file_text(good_notebook())) == [] and list(FAULTS) == GUARDS


@pytest.mark.parametrize("guard, plant", PLANTED, ids=[guard.__name__ for guard, _ in PLANTED])
def test_guard_sees(guard, plant):
    nb = good_notebook()
    plant(nb)
    assert complaining(file_text(nb)) == [guard]


# conftest.py: what it decides, without a kernel.


@pytest.fixture
def hooks(pytestconfig):
    """The conftest.py of the course, as pytest has it."""
    plugins = pytestconfig.pluginmanager.get_plugins()
    return next(one for one in plugins if getattr(one, "__file__", None) == str(ROOT / "conftest.py"))


def thin_curve():
    file = io.BytesIO()
    image = Image.new("RGB", (640, 640), "white")
    image.paste("blue", (0, 320, 640, 322))
    image.save(file, format="PNG")
    return base64.b64encode(file.getvalue()).decode("ascii")


GREY = [picture("grey")]


@pytest.mark.parametrize(
    "stored, produced, said",
    [
        (GREY, GREY, None),
        ([picture("#808080")], [picture("#828282")], None),
        (GREY, [picture("white")], "another picture"),
        ([thin_curve()], [picture("white")], "another picture"),
        ([picture("#409040")], [picture("#904040")], "another picture"),
        (GREY, [], "Figures stored: 1, figures the cell gives now: 0"),
    ],
    ids=["same", "nearly", "nothing drawn", "curve missing", "other colour", "none"],
)
def test_figures_are_compared(hooks, stored, produced, said):
    complaint = hooks.figure_complaint(stored, produced)
    assert complaint is None if said is None else said in complaint


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


def run_of(*sources):
    """A notebook of these cells."""
    return v4.new_notebook(
        cells=[
            v4.new_code_cell(text, id=f"cell-{number}", execution_count=number)
            for number, text in enumerate(sources, start=1)
        ]
    )


def square(colour):
    return shown(image_png=picture(colour), text_plain="a square")


CELLS = [  # in one notebook: a cell, what is stored, and what pytest is to say of it
    (DRAW, [], None),
    ('show("grey")', [square("grey")], None),
    ('show("white")', [square("grey")], "another picture"),
    ("print(0.25)", [printed("0.26\n")], "+ is the output stored"),
    ("exit()", [], "calls exit()"),
]


def test_pytest_is_strict_on_notebooks(tmp_path):
    """In a course of its own with this one's settings."""
    copied = ("conftest.py", "course.py", "pyproject.toml", "tests/nbval_sanitize.cfg")
    for name in (*copied, "tools/reexecute.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for folder in ("pe_lessons", "notebooks"):
        (tmp_path / folder).mkdir()
    cells = run_of(*[source for source, _, _ in CELLS])
    for cell, (_, outputs, _) in zip(cells.cells, CELLS):
        cell.outputs = outputs
    dead, mine = run_of("import os", "os._exit(1)", "below = 1"), run_of("1 / 0")  # a learner's copy: not run
    for name, nb in {"cells": cells, "dead": dead, "dead.mine": mine}.items():
        (tmp_path / f"notebooks/{name}.ipynb").write_text(file_text(nb), encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider", "notebooks"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if "PYTEST" not in name} | {"PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,  # a busy machine may take its time
    ).stdout
    failed = set(re.findall(r"^FAILED notebooks/(\w+\.ipynb)::Cell (\d)", done, re.MULTILINE))
    wanted = {("cells.ipynb", str(number)) for number, (_, _, message) in enumerate(CELLS) if message}
    assert failed == wanted | {("dead.ipynb", "1")}, done
    for number, (_, _, message) in enumerate(CELLS, start=1):
        assert message is None or message in done
        assert (f"notebooks/cells.ipynb, In [{number}], cell id cell-{number}" in done) == bool(message)
    for said in ("The kernel died while this cell ran", "notebooks/dead.ipynb, In [2], cell id cell-2"):
        assert said in done
    assert "python course.py notebooks notebooks/cells.ipynb" in done and "mine" not in done


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
    path.write_text(file_text(nb), encoding="utf-8")

    assert reexecute.main([str(path)]) == 0
    stored = path.read_text(encoding="utf-8")
    cells = v4.reads(stored).cells
    assert stored == normal_text(v4.reads(stored))
    assert reexecute.pngs(cells[1].outputs) == reexecute.pngs(nb.cells[1].outputs)
    assert cells[3].outputs[0].ename == "ValueError"
    assert cells[4].id == "import-sys-print-1-print"
    assert [output.text for output in cells[4].outputs] == ["1\n3\n", "2\n"]

    assert reexecute.main([str(path)]) == 0
    assert path.read_text(encoding="utf-8") == stored
