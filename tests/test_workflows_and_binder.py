"""What starts the course elsewhere: Binder and the workflows; only their form is checked."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent


def test_binder_takes_the_tested_versions():
    lines = (ROOT / "binder/requirements.txt").read_text().splitlines()
    torch = re.search(r"(?m)^torch==.+$", (ROOT / "constraints.txt").read_text())[0]
    assert {"-c ../constraints.txt", "-e .[classroom]", "nbgitpuller", f"{torch}+cpu"} <= set(lines)
    assert (ROOT / "binder/apt.txt").read_text() == "bubblewrap\n"  # sandboxes for grading
    assert re.fullmatch(r"python-3\.1[1-4]\n", (ROOT / "binder/runtime.txt").read_text())


def jobs(workflow):
    return yaml.safe_load((ROOT / f".github/workflows/{workflow}.yml").read_text())["jobs"]


def test_every_supported_python_is_tested_on_every_system():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lowest = int(pyproject["project"]["requires-python"].removeprefix(">=3."))
    promised = re.search(r"Python 3\.(\d+) to 3\.(\d+)", (ROOT / "README.md").read_text())
    assert int(promised[1]) == lowest
    matrix = jobs("weekly")["everywhere"]["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in range(lowest, int(promised[2]) + 1)]
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
