"""environment.yml, constraints.txt and the installed versions agree with the bounds of pyproject.toml.

Also: tests run in the surroundings that they ask for, and a failed run tells of them.
"""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import hypothesis
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

REQUIREMENTS = {
    requirement.name: requirement.specifier
    for requirement in map(Requirement, PROJECT["dependencies"] + EXTRAS["lab"] + EXTRAS["test"])
    if requirement.name != PROJECT["name"]
}


ALL = {
    requirement.name: requirement.specifier
    for lines in EXTRAS.values()
    for requirement in map(Requirement, lines)
    if requirement.name != PROJECT["name"]
} | REQUIREMENTS


def without_lower_bound(requirements):
    """With --resolution lowest-direct, uv takes the first release ever made of these."""
    return [
        name
        for name, bounds in requirements.items()
        if not any(bound.operator in (">=", "==") for bound in bounds)
    ]


def test_every_requirement_of_every_extra_has_a_lower_bound():
    assert {"numpy", "pyyaml", "nbgrader", "sphinx", "playwright"} <= set(ALL)
    assert without_lower_bound(ALL) == []
    planted = {name: SpecifierSet(bounds) for name, bounds in {"a": "<2", "b": "", "c": ">=1,<2"}.items()}
    assert without_lower_bound(planted) == ["a", "b"]


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


def constraints():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_tested_and_installed_versions_are_within_the_bounds(name):
    tested = {canonicalize_name(line.name): line.specifier for line in constraints()}
    (pin,) = tested[canonicalize_name(name)]
    assert REQUIREMENTS[name].contains(pin.version)
    assert REQUIREMENTS[name].contains(version(name))


def test_what_is_tested_of_the_extras_is_within_their_bounds():
    tested = {canonicalize_name(line.name): line.specifier for line in constraints()}
    for name in ALL:
        for pin in tested.get(canonicalize_name(name), ()):
            assert ALL[name].contains(pin.version), name


def test_no_example_fails_by_the_clock():
    assert hypothesis.settings().deadline is None
    assert hypothesis.HealthCheck.too_slow in hypothesis.settings().suppress_health_check


def test_a_report_tells_of_the_machine_and_no_secret(monkeypatch):
    for name in ("CI_JOB_TOKEN", "LANGCHAIN_API_KEY", "PYTHONANYWHERE_TOKEN", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "geheim")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("LAST_BITS", "123")
    report = "\n".join(machine_report.describe(shuffle=5))
    assert "geheim" not in report
    for told in (f"numpy {np.__version__}", "OMP_NUM_THREADS=7", "LAST_BITS=123", "shuffle: 5", " cores"):
        assert told in report


def test_constraints_are_plain_pins_in_order():
    names = [line.name.lower() for line in constraints()]
    assert names == sorted(set(names))
    for line in constraints():
        (pin,) = line.specifier
        assert pin.operator == "==" and not line.marker
        assert "+" not in pin.version, "a local part such as +cpu would exclude the other build"
