"""What starts the course elsewhere: Binder, the dev container, the workflows; only their form is checked."""

import json
import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent


def test_binder_takes_the_tested_versions():
    lines = (ROOT / "binder/requirements.txt").read_text().splitlines()
    torch = re.search(r"(?m)^torch==.+$", (ROOT / "constraints.txt").read_text())[0]
    assert {"-c ../constraints.txt", "-e .[classroom]", "nbgitpuller", f"{torch}+cpu"} <= set(lines)
    assert (ROOT / "binder/apt.txt").read_text() == "bubblewrap\n"  # sandboxes for grading
    assert re.fullmatch(r"python-3\.1[1-4]\n", (ROOT / "binder/runtime.txt").read_text())


def test_the_dev_container_sets_the_course_up():
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    assert container["postCreateCommand"].startswith("python course.py lab")


def test_no_job_runs_for_more_than_an_hour():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        assert all(job["timeout-minutes"] <= 60 for job in jobs(path.stem).values())


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


def test_the_extra_dev_is_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    included, new = set(), {"dev"}
    while new:
        included |= new
        lines = [line for extra in new for line in extras[extra]]
        new = {name for line in lines for name in Requirement(line).extras} - included
    assert included == set(extras)
