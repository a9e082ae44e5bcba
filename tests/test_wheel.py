"""A built wheel holds all that the package reads: Colab and hubs install it by pip."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


def files(folder):
    return {path.relative_to(folder).as_posix() for path in (folder / "pe_lessons").rglob("*.*")}


def test_a_wheel_holds_every_file_of_the_package(tmp_path):
    """Built from a copy, without what earlier builds left."""
    tree, unpacked = tmp_path / "tree", tmp_path / "unpacked"
    shutil.copytree(ROOT / "pe_lessons", tree / "pe_lessons", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE", "LICENSE-text"):
        shutil.copy(ROOT / name, tree)
    subprocess.run([sys.executable, "-c", BUILD, str(tmp_path)], cwd=tree, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(unpacked)
    wanted = {name for name in files(ROOT) if "__pycache__" not in name}
    assert any(name.endswith(".toml") for name in wanted) and any(name.endswith(".md") for name in wanted)
    assert files(unpacked) == wanted


def test_the_wheel_of_wherepos_reads_every_known_config_with_python_alone(tmp_path, monkeypatch):
    """Without site-packages, so without NumPy and PyTorch."""
    monkeypatch.delenv("PE_LESSONS_REPOSITORY", raising=False)
    tree, unpacked = tmp_path / "tree", tmp_path / "unpacked"
    for name in ("doctor", "models"):
        shutil.copytree(ROOT / "pe_lessons" / name, tree / "pe_lessons" / name)
    left = shutil.ignore_patterns("src", "build", "*.egg-info")
    shutil.copytree(ROOT / "package", tree / "package", ignore=left)
    for name in ("pe_lessons/_arguments.py", "pe_lessons/loops.py", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    (tree / "notebooks").mkdir()
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):  # their names are in the findings
        (tree / "notebooks" / notebook.name).touch()
    build = [sys.executable, "-c", BUILD, str(tmp_path)]
    subprocess.run(build, cwd=tree / "package", check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(unpacked)
    names = [path.stem for path in (unpacked / "wherepos/models/gallery").glob("*.json")]
    command = [sys.executable, "-S", "-m", "wherepos", *names]
    said = subprocess.run(command, cwd=unpacked, capture_output=True, text=True)
    assert said.returncode == 0 and len(names) > 40, said.stderr
    assert "layers 0-31: rotary with base 500,000 on all 128 columns of a head" in said.stdout
    lesson = '"lesson 05 of pe_lessons, notebooks/05_pytorch.ipynb"'
    assert lesson in (unpacked / "wherepos/doctor/examined_model.py").read_text("utf-8")
