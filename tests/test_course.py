"""course.py: its tasks, and a set-up that is quick when nothing changed and recovers when something broke."""

import re
import shutil
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def course(tmp_path):
    """A course.py with a folder, and so a .venv, of its own."""
    for name in ("course.py", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    spec = spec_from_file_location("course_on_trial", tmp_path / "course.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def steps(course, monkeypatch):
    """The commands of the set-up, recorded instead of run; `steps.fail_at` names one that fails."""

    class Steps(list):
        fail_at = None

    steps = Steps()

    def step(title, command, lock, environ=None):
        assert not lock.closed
        words = [str(word) for word in command]
        steps.append(words)
        if steps.fail_at in words:
            sys.exit("the set-up failed")
        if "venv" in words:
            install(course, "pip-1.0")
            course.PYTHON.parent.mkdir(parents=True, exist_ok=True)
            course.PYTHON.touch()
        if "--no-deps" in words:
            install(course, words[words.index("--no-deps") - 1].replace("==", "-"))

    monkeypatch.setattr(course, "step", step)
    monkeypatch.setattr(course, "works", course.PYTHON.exists)
    monkeypatch.setattr(course.platform, "machine", lambda: "arm64")
    monkeypatch.setattr(course.sys, "platform", "linux")
    return steps


def install(course, name):
    info = course.PACKAGES / f"{name}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "INSTALLER").touch()
    return info


def kinds(steps):
    marks = {"venv": "venv", "--no-deps": "torch", "-e": "rest", "import matplotlib.font_manager": "fonts"}
    return [next(kind for mark, kind in marks.items() if mark in words) for words in steps]


ALL = ["venv", "torch", "rest", "fonts"]


def test_every_task_finds_its_files_and_extras(course):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for _, needed, commands in course.TASKS.values():
        assert set(needed or ()) <= set(extras)
        words = [word for command in commands for word in command.split()]
        files = [word for word in words if word.endswith((".py", ".ipynb"))]
        files += [word.replace(".", "/") + ".py" for word in words if word.startswith("evidence.")]
        assert all((ROOT / file).exists() for file in files), files


def test_pages_and_workflows_name_tasks_that_exist(course):
    patterns = ("*.md", "docs/*.md", "teaching/**/*.md", ".github/workflows/*.yml")
    for path in [path for pattern in patterns for path in ROOT.glob(pattern)]:
        named = re.findall(r"python course\.py ([a-z][\w-]*)", path.read_text(encoding="utf-8"))
        assert set(named) <= set(course.TASKS), path
        assert named or path.suffix == ".md", path


def test_first_call_then_nothing_to_do(course, steps):
    course.set_up(["test"])
    assert kinds(steps) == ALL
    _, torch, rest, _ = steps
    version = re.search(r"(?m)^torch==(.+)$", (ROOT / "constraints.txt").read_text()).group(1)
    assert f"torch=={version}+cpu" in torch
    assert [word for word in torch if "://" in word] == ["https://download.pytorch.org/whl/cpu"]
    assert rest[-4:] == ["-c", "constraints.txt", "-e", ".[test]"]
    assert not [word for word in rest if "torch" in word]
    course.set_up(["test"])
    assert len(steps) == 4


@pytest.mark.parametrize("cut_off_at", ["venv", "--no-deps", "-e", "import matplotlib.font_manager"])
def test_a_failed_install_is_taken_up_again(course, steps, cut_off_at):
    steps.fail_at = cut_off_at
    with pytest.raises(SystemExit):
        course.set_up(["test"])
    steps.fail_at = None
    done = len(steps)
    course.set_up(["test"])
    assert kinds(steps[done:]) == ALL[cut_off_at != "venv" :]
    course.set_up(["test"])
    assert kinds(steps).count("fonts") == 1 + ("matplotlib" in cut_off_at), "finished, so the stamp holds"


HERE = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
HARMS = {
    "no python": lambda course: course.PYTHON.unlink(),
    "no stamp": lambda course: course.STAMP.unlink(),
    "no json": lambda course: restamp(course, "}", ""),
    "other python": lambda course: restamp(course, HERE, "Python 3.2"),
    "moved": lambda course: restamp(course, f"{HERE} in ", f"{HERE} in /elsewhere"),
}


def restamp(course, old, new):
    course.STAMP.write_text(course.STAMP.read_text().replace(old, new))


@pytest.mark.parametrize("harm", HARMS)
def test_a_broken_or_foreign_venv_is_made_anew(course, steps, harm):
    course.set_up(["test"])
    HARMS[harm](course)
    course.set_up(["test"])
    assert kinds(steps) == ALL * 2


@pytest.mark.parametrize("build", ["torch-2.13.0", "torch-2.13.0+cu130"])
def test_a_pytorch_that_the_learner_chose_stays(course, steps, build):
    course.set_up(["test"])
    shutil.rmtree(next(course.PACKAGES.glob("torch-*+cpu.dist-info")))
    install(course, build)
    with (course.ROOT / "constraints.txt").open("a") as file:
        file.write("\n# changed\n")
    course.set_up(["test"])
    assert kinds(steps[4:]) == ["rest", "fonts"]


def test_a_folder_of_a_class_is_named_as_the_caller_sees_it(course, monkeypatch, capfd):
    file = course.ROOT / "teaching" / "where.py"
    file.parent.mkdir()
    file.write_text("import sys; from pathlib import Path; print(Path(sys.argv[1]).resolve())")
    monkeypatch.setattr(course, "TASKS", {"grade": ("", None, ["teaching/where.py"])})
    monkeypatch.chdir(file.parent)
    assert course.main(["grade", "."]) == 0
    assert Path(capfd.readouterr().out.strip()) == file.parent.resolve()


def test_a_task_passes_exit_codes_and_words_on_and_finds_its_surroundings(course, monkeypatch, capfd):
    monkeypatch.setattr(course, "set_up", lambda extras: None)
    monkeypatch.setattr(course, "PYTHON", sys.executable)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    told = "os.environ['OMP_NUM_THREADS'], os.environ['PATH'].split(os.pathsep)[0]"
    (course.ROOT / "leave.py").write_text(f"import os, sys; print({told}); sys.exit(int(sys.argv[1]))")
    tasks = {
        "two": ("", [], ["leave.py 0", "leave.py"]),
        "first fails": ("", [], ["leave.py 5", "leave.py"]),
        "without": ("", None, ["leave.py"]),
    }
    monkeypatch.setattr(course, "TASKS", tasks)
    assert course.main(["two", "7"]) == 7
    assert course.main(["first fails", "0"]) == 5
    with_venv = f"1 {course.SCRIPTS}"  # python in a terminal of JupyterLab is that of .venv
    assert capfd.readouterr().out.splitlines() == [with_venv] * 4
    assert course.main(["without", "0"]) == 0
    without = capfd.readouterr().out.strip()
    assert without.startswith("7 ") and not without.endswith(str(course.SCRIPTS))
