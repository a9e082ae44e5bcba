"""What starts the course elsewhere: Binder, the dev container, the workflows; only their form is checked."""

import json
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def test_binder_takes_the_tested_versions():
    lines = (ROOT / "binder/requirements.txt").read_text().splitlines()
    torch = re.search(r"(?m)^torch==.+$", (ROOT / "constraints.txt").read_text())[0]
    assert {"-c ../constraints.txt", "-e .", f"{torch}+cpu"} <= set(lines)
    assert re.fullmatch(r"python-3\.1[1-4]\n", (ROOT / "binder/runtime.txt").read_text())


def test_the_dev_container_sets_the_course_up():
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    assert container["postCreateCommand"].startswith("python course.py lab")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_tasks_that_exist(path):
    tasks = re.findall(r"python course\.py ([\w-]+)", path.read_text())
    course = (ROOT / "course.py").read_text()
    assert tasks and all(f'    "{task}": (' in course for task in tasks)
    for job in yaml.safe_load(path.read_text())["jobs"].values():
        assert job["timeout-minutes"] <= 30 and all("run" in step or "uses" in step for step in job["steps"])
