"""Every notebook pleases every guard of tools/notebook_guards.py, and no guard is blind.

Each is given a small good notebook with one fault planted, and must be the only one to complain.
"""

import base64
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import notebook_guards as guards
import numpy as np
import pytest
import reexecute
from nbformat import from_dict, v4
from notebook_guards import GUARDS, RAISES, Notebook, configuration, contents
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from reexecute import ROOT, UNCHECKED, find_notebooks, normal_text


@pytest.mark.parametrize("path", find_notebooks(), ids=lambda path: path.stem)
def test_notebook(path):
    notebook = Notebook(path.read_text(encoding="utf-8"))
    complaints = [complaint for guard in GUARDS for complaint in guard(notebook)]
    if complaints:
        pytest.fail("\n".join([path.name, *complaints]), pytrace=False)


def test_table_of_contents():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert list(contents(readme, [path.name for path in find_notebooks()])) == []


def test_configuration():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert list(configuration(pyproject, ROOT)) == []


# The guards themselves, each with a fault planted into a small good notebook.

ALT = "A grey square, the same everywhere"
ANSWER, CHECK = {"nbgrader": {"solution": True}}, {"nbgrader": {"grade": True}}


def png_of(image, **options):
    file = io.BytesIO()
    image.save(file, format="PNG", **options)
    return base64.b64encode(file.getvalue()).decode("ascii")


def picture(colour, **options):
    return png_of(Image.new("RGB", (64, 64), colour), **options)


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


def change(cell="set", prints=None, **fields):
    """A fault: fields of the cell are other ones, or it has printed something."""
    if prints:
        fields["outputs"] = [printed(prints)]
    return lambda nb: next(one for one in nb.cells if one.id == cell).update(from_dict(fields))


def figure_fault(**fields):
    """A fault: these fields of the figure's output are other ones."""
    return lambda nb: next(cell for cell in nb.cells if cell.id == "figure").outputs[0].update(fields)


def more(*cells):
    """A fault: there are these cells too."""
    return lambda nb: nb.cells.extend(cells)


def unchecked(number):
    metadata = {"tags": [UNCHECKED]}
    return v4.new_code_cell("x", id=f"more-{number}", metadata=metadata, execution_count=number)


NOISE = png_of(Image.fromarray(np.random.default_rng(0).integers(0, 256, (200, 200, 3), np.uint8)))
WIDGET = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "interactive()"}
INFO = PngInfo()
INFO.add_text("Software", "Matplotlib version 3.11.2")
WITH_VERSION = picture("grey", pnginfo=INFO)

FAULTS = [
    (guards.execution_counts, change("set", execution_count=None)),
    (guards.execution_counts, change("set", execution_count=7)),
    (guards.tags_and_budget, more(*map(unchecked, (8, 9, 10)))),
    (guards.empty_cells, more(v4.new_code_cell(id="empty"))),
    (guards.empty_cells, more(v4.new_markdown_cell("\n", id="empty", metadata={"editable": False}))),
    (guards.figures_described, figure_fault(metadata={})),
    (guards.figures_described, figure_fault(metadata={"image/png": {"alt": "A figure"}})),
    (guards.figures_described, figure_fault(metadata={"image/png": {"alt": f"<Figure {ALT}>"}})),
    (guards.figures_described, figure_fault(metadata={"image/png": {"alt": "Another " * 5}})),
    (guards.figures_described, lambda nb: nb.cells[3].outputs.pop()),
    (guards.sizes_and_kinds, figure_fault(data={"image/png": NOISE, "text/plain": ALT})),
    (guards.sizes_and_kinds, change("set", outputs=[shown(image_jpeg="AAAA", text_plain=ALT)])),
    (guards.sizes_and_kinds, change("title", source="word" * 110_000)),
    (guards.rhythm, change("set", source="\n".join(["x = 2"] * 17))),
    (guards.rhythm, change("set", source="\n".join(["x = 2"] * 10))),
    (
        guards.rhythm,
        lambda nb: [cell.update(source="x = 2\n" * 5) for cell in nb.cells[1:] if "source" in cell],
    ),
    (guards.rhythm, change("title", source="word " * 2801)),
    (guards.in_normal_form, lambda nb: nb.metadata.kernelspec.update(name="conda-env")),
    (guards.in_normal_form, lambda nb: nb.metadata.update(widgets={})),
    (guards.in_normal_form, lambda nb: nb.update(nbformat_minor=4)),
    (guards.in_normal_form, change("time", outputs=[v4.new_output("display_data", data=WIDGET)])),
    (guards.in_normal_form, figure_fault(data={"image/png": WITH_VERSION, "text/plain": ALT})),
]
MORE = tomllib.loads((Path(__file__).parent / "planted_faults.toml").read_text(encoding="utf-8"))
PLANTED = [(guard, fields) for guard in MORE for fields in MORE[guard]]
IDS = [guard.__name__ for guard, _ in FAULTS] + [f"{guard} {fields}" for guard, fields in PLANTED]
FAULTS += [(getattr(guards, guard), change(**fields)) for guard, fields in PLANTED]


def complaining(text):
    notebook = Notebook(text)
    return [guard for guard in GUARDS if list(guard(notebook))]


def file_text(nb):
    """The file as the fault left it, not normalised."""
    return v4.writes(nb) + "\n"


def test_good_notebook_pleases_every_guard():
    assert complaining(file_text(good_notebook())) == []


@pytest.mark.parametrize("guard, plant", FAULTS, ids=IDS)
def test_guard_sees(guard, plant):
    nb = good_notebook()
    plant(nb)
    assert complaining(file_text(nb)) == [guard]


@pytest.mark.parametrize("respell", [str.rstrip, lambda text: json.dumps(json.loads(text))])
def test_guard_sees_other_bytes(respell):
    assert complaining(respell(file_text(good_notebook()))) == [guards.in_normal_form]


def test_every_guard_has_a_fault():
    assert {guard for guard, _ in FAULTS} == set(GUARDS)


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


def configuration_complaints(root, testpaths=TESTPATHS, addopts=ADDOPTS, notebook="notebooks/00_a.ipynb"):
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
        {"testpaths": ["pe_lessons", "tests"]},
        {"testpaths": ["tests", "notebooks"]},
        {"notebook": "teaching/extra.ipynb"},
        {"notebook": "notebooks/build/extra.ipynb"},  # pytest skips such a folder
        {"notebook": "extra.ipynb"},
        {"addopts": ADDOPTS[1:]},
        {"addopts": [*ADDOPTS, "--nbval-lax"]},
        {"addopts": [*ADDOPTS, "--ignore=notebooks"]},
    ],
    ids=str,
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
    """A notebook of these cells; the last has the outputs."""
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


CELLS = [  # in one notebook: a cell, what is stored, and what pytest is to say of it
    (DRAW, [], None),
    ('show("grey")', [square("grey")], None),
    ('show("#828282")', [square("#808080")], None),
    ('show("white")', [square("grey")], "another picture"),
    ('show("white")', [thin_curve()], "another picture"),
    ('show("#904040")', [square("#409040")], "another picture"),
    (
        'print("a")',
        [printed("a\n"), shown(image_png=picture("grey"))],
        "Figures stored: 1, figures the cell gives now: 0",
    ),
    ("print(0.25)", [printed("0.26\n")], "+ is the output stored"),
    ("exit()", [], "calls exit()"),
]


@pytest.fixture
def course(tmp_path):
    """A course of its own with this one's settings, to plant faults in."""
    settings = ("pyproject.toml", "tests/nbval_sanitize.cfg")
    for name in ("conftest.py", "course.py", "tools/machine_report.py", "tools/reexecute.py", *settings):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, target)
    for folder in TESTPATHS:
        (tmp_path / folder).mkdir(exist_ok=True)
    return tmp_path


def python_at(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment | {"PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,  # a busy machine may take its time
    )


def test_pytest_is_strict_on_notebooks_and_shuffles_all_but_their_cells(course):
    pictures = run_of(*[source for source, _, _ in CELLS])
    for cell, (_, outputs, _) in zip(pictures.cells, CELLS):
        cell.outputs = outputs
    notebooks = {
        "cells": pictures,
        "dead": run_of("import os", "os._exit(1)", "below = 1"),
        "good": run_of(*["x = 1"] * 8),
        "good.mine": run_of("1 / 0"),  # a learner's copy: not run
    }
    for name, nb in notebooks.items():
        (course / "notebooks" / f"{name}.ipynb").write_text(file_text(nb), encoding="utf-8")
    eight = range(8)
    for name in "abc":
        tests = "".join(f"def test_{number}():\n    pass\n" for number in eight)
        (course / f"tests/test_{name}.py").write_text(tests)

    done = python_at(course, "-m", "pytest", "-v", "--color=no", "-p", "no:cacheprovider", "--shuffle", "7")
    failed = set(re.findall(r"^FAILED notebooks/(\w+\.ipynb)::Cell (\d)", done.stdout, re.MULTILINE))
    wanted = {("cells.ipynb", str(number)) for number, (_, _, message) in enumerate(CELLS) if message}
    assert failed == wanted | {("dead.ipynb", "1")}, done.stdout + done.stderr
    assert "mine" not in done.stdout
    assert re.search(r"to report this.*\nPython: .*\nNumPy's instruction sets: ", done.stdout, re.DOTALL)
    for number, (_, _, message) in enumerate(CELLS, start=1):
        assert message is None or message in done.stdout
        told = f"notebooks/cells.ipynb, In [{number}], cell id cell-{number}" in done.stdout
        assert told == bool(message)
    assert "The kernel died while this cell ran" in done.stdout
    assert "notebooks/dead.ipynb, In [2], cell id cell-2" in done.stdout
    assert "python course.py notebooks notebooks/cells.ipynb" in done.stdout

    shuffled = r"^(tests/test_\w\.py|notebooks/good\W+ipynb)::(?:test_|Cell )(\d) PASSED"
    order = re.findall(shuffled, done.stdout, re.MULTILINE)
    files = list(dict.fromkeys(file for file, _ in order))
    assert len(files) == 4 and [file for file, _ in order] == [file for file in files for _ in eight]
    for file in files:
        numbers = [int(number) for other, number in order if other == file]
        assert sorted(numbers) == list(eight)
        assert (numbers == sorted(numbers)) == file.startswith("notebooks/")


def hooks(config):
    """The conftest.py of the course, as pytest has it."""
    plugins = config.pluginmanager.get_plugins()
    return next(one for one in plugins if getattr(one, "__file__", None) == str(ROOT / "conftest.py"))


@pytest.mark.parametrize(
    "paths, said", [(["tests", "notebook"], "there is no notebook"), (["docs"], "name the folder tests")]
)
def test_typo_in_testpaths_stops_pytest(pytestconfig, paths, said):
    with pytest.raises(pytest.UsageError, match=said):
        hooks(pytestconfig).pytest_configure(SimpleNamespace(rootpath=ROOT, getini=lambda name: paths))


def test_nothing_is_reported_where_nothing_failed(pytestconfig):
    hooks(pytestconfig).pytest_terminal_summary(SimpleNamespace(stats={"passed": [1]}), pytestconfig)


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


def test_an_author_takes_the_locks_off_and_a_run_puts_them_on(tmp_path):
    path = tmp_path / "draft.ipynb"
    nb = v4.new_notebook(cells=[v4.new_markdown_cell("# A", id="a"), *run_of("x = 1", "x").cells])
    nb.cells[1].metadata, nb.cells[2].metadata = ANSWER, CHECK
    path.write_text(normal_text(nb), encoding="utf-8")
    locked = path.read_text(encoding="utf-8")

    assert reexecute.main(["--unlock", str(path)]) == 0
    unlocked = v4.reads(path.read_text(encoding="utf-8"))
    assert [list(cell.metadata) for cell in unlocked.cells] == [[], ["nbgrader"], ["nbgrader"]]
    assert normal_text(unlocked) == locked


@pytest.mark.parametrize(
    "last, message",
    [("1 / 0", "ZeroDivisionError: division by zero"), ("import os; os._exit(0)", "the kernel died")],
)
def test_failing_reexecution_leaves_the_file(tmp_path, capsys, last, message):
    path = tmp_path / "draft.ipynb"
    draft = file_text(run_of("x = 1", last))
    path.write_text(draft, encoding="utf-8")
    assert reexecute.main([str(path)]) == 1
    said = capsys.readouterr().out
    assert f"In [2], cell id cell-2: {message}" in said and "draft.ipynb" in said
    assert path.read_text(encoding="utf-8") == draft
