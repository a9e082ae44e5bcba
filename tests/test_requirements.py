"""environment.yml, constraints.txt and the installed versions agree with the bounds of pyproject.toml.

Also: a failed run tells of the machine.
"""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import machine_report
import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
CONDA_NAMES = {"torch": "pytorch-cpu", "matplotlib": "matplotlib-base"}

CONSTRAINTS = [
    Requirement(line)
    for line in (ROOT / "constraints.txt").read_text().splitlines()
    if line and not line.startswith("#")
]
TESTED = {canonicalize_name(line.name): line.specifier for line in CONSTRAINTS}


def bounds(*groups):
    """The bounds of what these lists of requirements name, by its name."""
    lines = [Requirement(line) for group in groups for line in group]
    return {line.name: line.specifier for line in lines if line.name != PROJECT["name"]}


REQUIREMENTS = bounds(PROJECT["dependencies"], EXTRAS["lab"], EXTRAS["test"])
ALL = bounds(*EXTRAS.values()) | REQUIREMENTS


def test_every_requirement_of_every_extra_has_a_lower_bound():
    """With --resolution lowest-direct, uv takes the first release ever made of the others."""
    assert {"numpy", "pyyaml", "nbgrader", "sphinx", "playwright"} <= set(ALL)
    operators = {name: {bound.operator for bound in bounds} for name, bounds in ALL.items()}
    assert [name for name in ALL if not operators[name] & {">=", "=="}] == []


def test_environment_yml_repeats_pyproject_toml():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *by_conda, by_pip = environment["dependencies"]
    assert by_pip == {"pip": ["-e ."]}
    # conda writes =0.11.* for pip's ==0.11.*
    by_conda = [Requirement(re.sub(r"(?<=\w)=(?=\d)", "==", line)) for line in by_conda]
    expected = {CONDA_NAMES.get(name, name): bounds for name, bounds in REQUIREMENTS.items()}
    expected |= {"python": SpecifierSet(PROJECT["requires-python"]), "pip": SpecifierSet()}
    assert {requirement.name: requirement.specifier for requirement in by_conda} == expected
    assert environment["channels"] == ["conda-forge", "nodefaults"]


@pytest.mark.parametrize("name", ALL)
def test_tested_and_installed_versions_are_within_the_bounds(name):
    pins = TESTED.get(canonicalize_name(name), ())
    assert name not in REQUIREMENTS or (pins and ALL[name].contains(version(name)))
    assert all(ALL[name].contains(pin.version) for pin in pins)


def test_a_report_tells_of_the_machine_and_no_secret(monkeypatch):
    for name in ("CI_JOB_TOKEN", "LANGCHAIN_API_KEY", "PYTHONANYWHERE_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "geheim")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("LAST_BITS", "123")
    report = "\n".join(machine_report.describe(shuffle=5))
    assert "geheim" not in report
    for told in (f"numpy {np.__version__}", "OMP_NUM_THREADS=7", "LAST_BITS=123", "shuffle: 5", " cores"):
        assert told in report


def test_constraints_are_plain_pins():
    for line in CONSTRAINTS:
        (pin,) = line.specifier
        assert pin.operator == "==" and not line.marker
        assert "+" not in pin.version, "a local part such as +cpu would exclude the other build"
