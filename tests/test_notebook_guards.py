"""Every notebook pleases every guard of tools/notebook_guards.py, and no guard is blind.

Each is given a small good notebook with one fault planted, and must be the only one to complain.
"""

import base64
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import reexecute
from nbformat import v4
from notebook_guards import (
    GUARDS,
    RAISES,
    Notebook,
    configuration,
    contents,
    empty_cells,
    errors_where_tagged,
    execution_counts,
    figure_files,
    figures_described,
    figures_stored,
    forbidden_code,
    in_normal_form,
    machine_traces,
    nbval_comments,
    notebook_size,
    plain_markdown,
    prints_stored,
    rhythm,
    tags_and_budget,
    warnings_in_outputs,
)
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from reexecute import ROOT, UNCHECKED, find_notebooks, normal_text


@functools.cache
def read(path):
    return Notebook(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
@pytest.mark.parametrize("path", find_notebooks(), ids=lambda path: path.stem)
def test_notebook(path, guard):
    complaints = list(guard(read(path)))
    if complaints:
        pytest.fail("\n".join([path.name, *complaints]), pytrace=False)


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
    for name in ("conftest.py", "course.py", "tools/machine_report.py", "tools/reexecute.py", *settings):
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
    return python_at(ROOT, "tools/reexecute.py", *options, str(path))


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
