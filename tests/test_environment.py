"""environment.yml, constraints.txt and the installed versions agree with the bounds of pyproject.toml."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONDA_NAMES = {"torch": "pytorch-cpu", "matplotlib": "matplotlib-base"}

REQUIREMENTS = {
    requirement.name: requirement.specifier
    for requirement in map(Requirement, PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"])
}


def test_environment_yml_repeats_pyproject_toml():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    *by_conda, by_pip = environment["dependencies"]
    assert by_pip == {"pip": ["-e ."]}
    # conda writes =0.11.* for pip's ==0.11.*
    by_conda = map(Requirement, (line if "==" in line else line.replace("=0", "==0") for line in by_conda))
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


def test_constraints_are_plain_pins_in_order():
    names = [line.name.lower() for line in constraints()]
    assert names == sorted(set(names))
    for line in constraints():
        (pin,) = line.specifier
        assert pin.operator == "==" and not line.marker
        assert "+" not in pin.version, "a local part such as +cpu would exclude the other build"
