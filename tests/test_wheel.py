"""A built wheel holds all that the package reads: Colab and hubs install it by pip."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
CHECK = """
import importlib, sys
import pe_lessons
from pe_lessons.exercises.exercise import Exercise
from pe_lessons.exercises.question import Question, Quiz

assert pe_lessons.__file__.startswith(sys.argv[1]), pe_lessons.__file__
kinds = set()
for lesson in ("the_naive_loop", "relative_biases", "attention_without_the_matrix"):
    found = vars(importlib.import_module(f"pe_lessons.lessons.{lesson}")).values()
    exercises = [one for one in found if isinstance(one, Exercise)]
    assert exercises
    kinds |= set(map(type, found))
    for exercise in exercises:
        assert exercise.hints and "use what you wrote" in exercise.diagnose(exercise.reference).message
        mistake = next(iter(exercise.mistakes))
        assert exercise.diagnose(mistake.wrong).cause == mistake.name
assert {Question, Quiz} <= kinds
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """An empty folder with the wheel in it, built from a copy without what earlier builds left."""
    tree, wheel, folder = (tmp_path_factory.mktemp(name) for name in ("tree", "wheel", "unpacked"))
    for name in ("pyproject.toml", "LICENSE", "LICENSE-text"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "pe_lessons", tree / "pe_lessons", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-c", BUILD, str(wheel)], cwd=tree, check=True, capture_output=True)
    (built,) = wheel.glob("*.whl")
    zipfile.ZipFile(built).extractall(folder)
    return folder


def files(folder):
    return {path.relative_to(folder).as_posix() for path in (folder / "pe_lessons").rglob("*.*")}


def test_a_wheel_holds_every_file_of_the_package(unpacked):
    wanted = {name for name in files(ROOT) if "__pycache__" not in name}
    assert any(name.endswith(".toml") for name in wanted) and any(name.endswith(".md") for name in wanted)
    assert files(unpacked) == wanted


def test_installed_lessons_check_answers(unpacked):
    environment = os.environ | {"PYTHONPATH": str(unpacked)}
    command = [sys.executable, "-c", CHECK, str(unpacked)]
    subprocess.run(command, cwd=unpacked, env=environment, check=True)
