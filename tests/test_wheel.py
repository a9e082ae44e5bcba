"""A built wheel holds all that the package reads: Colab and hubs install it by pip."""

import json
import os
import shutil
import subprocess
import sys
import venv
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


# The package of the reader and the doctor


@pytest.fixture(scope="module")
def wherepos(tmp_path_factory):
    """The folder of commands of an empty environment with the package in it, built as a stranger would."""
    tree, wheel, clean = (tmp_path_factory.mktemp(name) for name in ("source", "built", "clean"))
    for name in ("package", "pe_lessons", "notebooks"):
        unwanted = "__pycache__", "src", "build", "*.egg-info", "lessons", "small_models"
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns(*unwanted))
    shutil.copy(ROOT / "LICENSE", tree)
    build = [sys.executable, "-c", BUILD, str(wheel)]
    subprocess.run(build, cwd=tree / "package", check=True, capture_output=True)
    venv.create(clean)
    commands = clean / ("Scripts" if os.name == "nt" else "bin")
    (built,) = wheel.glob("*.whl")
    install = ["--python", str(commands / "python"), "install", "--no-index", "--no-deps", str(built)]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    return commands


CONFIG = {"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4, "num_hidden_layers": 2,
          "max_position_embeddings": 8192}  # fmt: skip
ASK = "def logits(tokens, cache=None):\n    return tokens\n"


def test_the_package_alone(wherepos, tmp_path):
    """In an environment of its own, with neither NumPy nor PyTorch."""

    def said(*words):
        command = [str(wherepos / words[0]), *words[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    find = "import importlib.util as i; print([i.find_spec(n) for n in ('numpy', 'torch', 'pe_lessons')])"
    assert said("python", "-c", find) == (0, "[None, None, None]\n")
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | {"rope_theta": 5e5}))
    (tmp_path / "ask_mine.py").write_text(ASK)
    status, shown = said("wherepos", "config.json")
    assert status == 0 and "layers 0-1: rotary with base 500,000 on all 128 columns" in shown
    assert said("wherepos", str(tmp_path)) == (status, shown)
    assert said("wherepos", "diff", "llama-3-8b", "llama-3.1-8b")[1].startswith("- llama: 32 layers")
    assert said("wherepos", "ask_mine.py") == (
        2, 'wherepos needs PyTorch to examine a model: pip install "wherepos[torch]"\n'
    )  # fmt: skip
    assert said("wherepos", "http://127.0.0.1:9", "http://127.0.0.1:9")[0] == 3
    assert said("wherepos", "--help")[1].startswith("What a language model does with positions")
    assert "pe_lessons" not in said("wherepos", "--help", "config.json")[1]
    assert said("wherepos")[0] == 2


def test_the_package_examines_a_model(wherepos, tmp_path):
    """With this environment's PyTorch: its findings say where the lessons are."""
    (site,) = wherepos.parent.glob("[Ll]ib/**/site-packages")
    (tmp_path / "ask_mine.py").write_text(
        "import torch\ndef logits(tokens):\n    from_end = torch.arange(tokens.shape[1], 0, -1.0)[:, None]\n"
        "    return (torch.nn.functional.one_hot(tokens, 20) * from_end).cumsum(dim=1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "wherepos", "ask_mine.py"], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(site)},
    )  # fmt: skip
    assert done.returncode == 1 and "read: pe_lessons, notebooks/05_pytorch.ipynb" in done.stdout
