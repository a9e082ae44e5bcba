"""environment.yml, constraints.txt and the installed versions agree with the bounds of pyproject.toml."""

import re
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
