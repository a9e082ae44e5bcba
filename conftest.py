"""Make nbval strict: figures are compared, and failures explained."""

import os
import platform
import random
import sys
from importlib.metadata import version
from itertools import groupby

import hypothesis
import nbval.plugin
import pytest
from reexecute import KERNEL_ENVIRONMENT, pixels, pngs, rms

os.environ.update(KERNEL_ENVIRONMENT)
# In a terminal of JupyterLab this name is set, and then exercises would draw buttons into the outputs.
os.environ.pop("JPY_SESSION_NAME", None)
if not os.path.exists(os.environ.get("MPLCONFIGDIR", ".")):
    # matplotlib lists the fonts at its first import; where that takes long, it says so, in some notebook.
    import matplotlib.font_manager  # noqa: F401
# How long an example takes depends on what else the machine does. Each run draws other ones.
too_slow = [hypothesis.HealthCheck.too_slow]
options = {"max_examples": 25, "deadline": None, "suppress_health_check": too_slow, "print_blob": True}
hypothesis.settings.register_profile("course", **options)
hypothesis.settings.load_profile("course")
collect_ignore_glob = ["*.mine*.ipynb"]

THUMBNAIL = (16, 16)
# Versions of matplotlib differ by less than 4 of 255, and by less than a tenth of what is drawn;
# a picture in another colour map by 40 and more. Thin curves taken away make 4, half of the drawn.
TOLERANCE = 6
SHARE_OF_THE_DRAWN = 1 / 4
WHITE = 255
HELP = """\
In a comparison, + is the output stored in the notebook and - what the cell gives now.
The cell needs those above it: run the whole notebook, not one cell.
If the new output is right, accept it with: python course.py notebooks {path}"""


def pytest_addoption(parser):
    order = "another order of the files, and of the tests in each; the cells of a notebook keep theirs"
    parser.addoption("--shuffle", type=int, metavar="SEED", help=order)
    weekly = "as once a week: all pairs of mistakes, all strangers' answers under guards, all models"
    parser.addoption("--thorough", action="store_true", help=weekly)


@pytest.fixture
def drawn(pytestconfig):
    """Of many things that are tried alike, a few: always the same, until what the seed says changes."""

    def draw(things, most, seed):
        things = list(things)
        if pytestconfig.getoption("thorough") or len(things) <= most:
            return things
        return random.Random(seed).sample(things, most)

    return draw


def pytest_collection_modifyitems(config, items):
    """No verdict may depend on which tests ran before."""
    seed = config.getoption("shuffle")
    if seed is None:
        return
    files = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    generator = random.Random(seed)
    generator.shuffle(files)
    for tests in files:
        if not isinstance(tests[0], nbval.plugin.IPyNbCell):
            generator.shuffle(tests)
    items[:] = [test for tests in files for test in tests]


def pytest_report_header(config):
    """What it takes, besides pytest's own line, to see a failure on another machine."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch", "matplotlib"))
    return f"{platform.platform()}, {platform.processor()}, {packages}, shuffle {config.getoption('shuffle')}"


def figure_complaint(stored, produced):
    """Why two lists of figures are not the same pictures; None where they are."""
    if len(stored) != len(produced):
        return f"Figures stored: {len(stored)}, figures the cell gives now: {len(produced)}"
    for number, pair in enumerate(zip(stored, produced, strict=True), start=1):
        old, new = (pixels(png, THUMBNAIL) for png in pair)
        difference, allowed = rms(old, new), min(TOLERANCE, SHARE_OF_THE_DRAWN * rms(old, WHITE))
        if difference > allowed:
            return (
                f"Figure {number} of the cell is another picture than the stored one: "
                f"thumbnails differ by {difference:.1f} of 255, allowed are {allowed:.1f}"
            )
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if not isinstance(item, nbval.plugin.IPyNbCell):
        return (yield)
    result = yield
    if item.options["check"]:
        complaint = figure_complaint(pngs(item.cell.outputs), pngs(item.test_outputs))
        if complaint:
            item.raise_cell_error(complaint)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed and isinstance(item, nbval.plugin.IPyNbCell):
        path = item.nodeid.split("::")[0]
        number = item.cell.execution_count or item.cell_num + 1
        where = f"{path}, In [{number}], cell id {item.cell.get('id')}"
        report.sections.append((where, HELP.format(path=path)))
    return report


@pytest.fixture
def the_course_may_answer(monkeypatch):
    """Let a check be tried with the course's own functions, which learners may not hand on."""
    from pe_lessons.exercises.exercise import Exercise

    monkeypatch.setattr(Exercise, "_lender", lambda *_: None)


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    """matplotlib keeps every figure until it is closed, and warns of the twenty-first."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
