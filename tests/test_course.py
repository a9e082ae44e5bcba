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

    def step(title, command):
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
    return ["venv" if "venv" in words else "torch" if "--no-deps" in words else "rest" for words in steps]


@pytest.mark.parametrize("words, code", [([], 2), (["lob"], 2), (["--help"], 0)])
def test_unknown_words_list_the_tasks(course, steps, capsys, words, code):
    assert course.main(words) == code
    shown = capsys.readouterr().out
    assert all(task in shown for task in course.TASKS)
    assert "--force-reinstall" in shown, "the line for a GPU"
    assert not steps


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 15), (3, 10, 13)])
def test_old_pythons_get_a_message(monkeypatch, version):
    source = (ROOT / "course.py").read_text(encoding="ascii")
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 .* is Python {}\.{}\.".format(*version)):
        exec(compile(source, "course.py", "exec"), {"__name__": "__main__"})


def test_every_task_finds_its_files_and_extras(course):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for _, needed, commands in course.TASKS.values():
        assert set(needed) <= set(extras)
        files = [word for command in commands for word in command.split() if word.endswith((".py", ".ipynb"))]
        assert all((ROOT / file).exists() for file in files), files


def test_first_call_then_nothing_to_do(course, steps):
    course.set_up(["test"])
    assert kinds(steps) == ["venv", "torch", "rest"]
    assert steps[2][-4:] == ["-c", "constraints.txt", "-e", ".[test]"]
    course.set_up(["test"])
    assert len(steps) == 3


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_requirements_install_again_into_the_same_venv(course, steps, name):
    course.set_up(["test"])
    with (course.ROOT / name).open("a") as file:
        file.write("\n# changed\n")
    course.set_up(["test"])
    assert kinds(steps[3:]) == ["torch", "rest"]


def test_extras_add_up(course, steps):
    for extras in (["test"], ["site"], ["test"], ["site"]):
        course.set_up(extras)
    assert [words[-1] for words in steps if kinds([words]) == ["rest"]] == [".[test]", ".[site,test]"]


@pytest.mark.parametrize("cut_off_at", ["venv", "--no-deps", "-e"])
def test_a_failed_install_is_taken_up_again(course, steps, cut_off_at):
    steps.fail_at = cut_off_at
    with pytest.raises(SystemExit):
        course.set_up(["test"])
    steps.fail_at = None
    done = len(steps)
    course.set_up(["test"])
    assert kinds(steps[done:]) == (["venv", "torch", "rest"] if cut_off_at == "venv" else ["torch", "rest"])
    course.set_up(["test"])
    assert kinds(steps).count("rest") == 1 + (cut_off_at == "-e"), "finished, so the stamp holds"


def test_an_interrupted_update_does_not_pass_for_the_state_before_it(course, steps):
    course.set_up(["test"])
    constraints = course.ROOT / "constraints.txt"
    text = constraints.read_text()
    constraints.write_text(text + "# changed\n")
    steps.fail_at = "-e"
    with pytest.raises(SystemExit):
        course.set_up(["test"])
    constraints.write_text(text)
    steps.fail_at = None
    course.set_up(["test"])
    assert kinds(steps)[-2:] == ["torch", "rest"]


def test_half_a_package_is_installed_again(course, steps):
    course.set_up(["test"])
    whole, half = install(course, "whole-1.0"), install(course, "half-1.0")
    (half / "INSTALLER").unlink()
    course.set_up(["more"])
    assert whole.exists() and not half.exists()


@pytest.mark.parametrize("harm", ["no python", "no stamp", "no json", "other python", "moved"])
def test_a_broken_or_foreign_venv_is_made_anew(course, steps, harm):
    course.set_up(["test"])
    stamp = course.STAMP.read_text()
    here = "Python {}.{}".format(*sys.version_info)
    match harm:
        case "no python":
            course.PYTHON.unlink()
        case "no stamp":
            course.STAMP.unlink()
        case "no json":
            course.STAMP.write_text(stamp[:-1])
        case "other python":
            course.STAMP.write_text(stamp.replace(here, "Python 3.2"))
        case "moved":
            course.STAMP.write_text(stamp.replace(f"{here} in ", f"{here} in /elsewhere"))
    course.set_up(["test"])
    assert kinds(steps) == ["venv", "torch", "rest"] * 2


def test_only_the_cpu_build_of_pytorch_is_asked_for(course, steps):
    course.set_up(["test"])
    torch, rest = steps[1], steps[2]
    version = re.search(r"(?m)^torch==(.+)$", (ROOT / "constraints.txt").read_text()).group(1)
    assert f"torch=={version}+cpu" in torch
    assert [word for word in torch if "://" in word] == ["https://download.pytorch.org/whl/cpu"]
    assert not [word for word in rest if "torch" in word]


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_elsewhere_the_usual_wheel_is_the_cpu_build(course, steps, monkeypatch, platform):
    monkeypatch.setattr(course.sys, "platform", platform)
    course.set_up(["test"])
    assert kinds(steps) == ["venv", "rest"]


@pytest.mark.parametrize("build", ["torch-2.13.0", "torch-2.13.0+cu130"])
def test_a_pytorch_that_the_learner_chose_stays(course, steps, build):
    course.set_up(["test"])
    shutil.rmtree(next(course.PACKAGES.glob("torch-*+cpu.dist-info")))
    install(course, build)
    with (course.ROOT / "constraints.txt").open("a") as file:
        file.write("# changed\n")
    course.set_up(["test"])
    assert kinds(steps[3:]) == ["rest"]


def test_intel_macs_are_sent_to_conda(course, steps, monkeypatch):
    monkeypatch.setattr(course.sys, "platform", "darwin")
    monkeypatch.setattr(course.platform, "machine", lambda: "x86_64")
    with pytest.raises(SystemExit, match="conda"):
        course.set_up(["test"])
    assert not steps


def test_a_step_shows_one_line_and_logs_the_rest(course, capfd):
    course.VENV.mkdir()
    course.step("a title", [sys.executable, "-c", "print('much noise')"])
    shown = capfd.readouterr()
    assert "a title" in shown.out and "noise" not in shown.out + shown.err
    assert "much noise" in course.LOG.read_text()


def test_a_failed_step_says_where_why_and_what_next(course):
    course.VENV.mkdir()
    with pytest.raises(SystemExit) as stop:
        course.step("a title", [sys.executable, "-c", "print('the reason'); raise SystemExit(3)"])
    assert all(part in str(stop.value) for part in ("a title", "the reason", "install.log", "call again"))


def test_ctrl_c_ends_the_step_and_leaves_quietly(course, monkeypatch, capsys):
    commands = []

    class Pip:
        """A command that does not end by itself."""

        returncode = None
        killed = False

        def __init__(self, command, **_):
            commands.append(self)

        def wait(self, timeout):
            raise KeyboardInterrupt if timeout == 1 else course.subprocess.TimeoutExpired("pip", timeout)

        def kill(self):
            self.killed = True

    monkeypatch.setattr(course.subprocess, "Popen", Pip)
    assert course.main(["test"]) == 130
    assert [pip.killed for pip in commands] == [True]
    assert "goes on from here" in capsys.readouterr().out
    assert course.read_stamp() == {}


def test_exit_codes_and_words_are_passed_on(course, monkeypatch):
    monkeypatch.setattr(course, "set_up", lambda extras: None)
    monkeypatch.setattr(course, "PYTHON", sys.executable)
    (course.ROOT / "leave.py").write_text("import sys; sys.exit(int(sys.argv[1]))")
    monkeypatch.setattr(
        course,
        "TASKS",
        {"two": ("", [], ["leave.py 0", "leave.py"]), "first fails": ("", [], ["leave.py 5", "leave.py"])},
    )
    assert course.main(["two", "0"]) == 0
    assert course.main(["two", "7"]) == 7
    assert course.main(["first fails", "0"]) == 5


def test_a_locked_venv_gets_a_message(course, steps, monkeypatch):
    def locked(path):
        raise PermissionError(f"cannot remove {path}")

    course.VENV.mkdir()
    monkeypatch.setattr(course.shutil, "rmtree", locked)
    with pytest.raises(SystemExit, match="Close what uses"):
        course.main(["test"])
