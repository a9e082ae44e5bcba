#!/usr/bin/env python3
"""Set up and run the course: python course.py TASK [more words]. It needs only Python's own library."""

import sys

# Old Pythons have to read this file as far as this message, so it keeps to the syntax that they know.
if sys.version_info < (3, 11):
    sys.exit(
        "The course needs Python 3.11 or newer, and this is Python %d.%d.\n"
        "If a newer one is installed, call it by its name, as in: python3.11 course.py lab"
        % sys.version_info[:2]
    )

import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sysconfig
import time
from pathlib import Path
from urllib.parse import quote

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK = ROOT / ".venv.lock"
LOG = VENV / "install.log"
STAMP = VENV / "course.json"
SCRIPTS = Path(sysconfig.get_path("scripts", "venv", {"base": VENV}))
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
PACKAGES = Path(sysconfig.get_path("purelib", "venv", {"base": VENV}))

# In the place of JupyterLab's own defaults: no question about news, no editor for prose that is locked.
OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
    "@jupyterlab/notebook-extension:tracker": {"showEditorForReadOnlyMarkdown": False},
}
# Every kernel says what a missing name means when it has just been started.
KERNEL = 'get_config().InteractiveShellApp.extensions.append("pe_lessons.exercises.fresh_kernel")\n'

# task: what it does, the extras of pyproject.toml it needs, and what .venv's Python runs for it
# (words after the task go on to the last of these; where the extras are None, it does without .venv)
# fmt: off
TASKS = {
    "lab": ("open the course in JupyterLab", ["lab"],
            ["-m jupyterlab --ServerApp.root_dir=. notebooks/00_start_here.ipynb"]),
    "test": ("check everything: style, unit tests, doctests and every notebook", ["test"],
             ["-m ruff check course.py conftest.py pe_lessons teaching tests notebooks docs tools evidence",
              "-m pytest -n 2 --dist loadfile --durations=10"]),
    "reset": ("take a fresh copy of a lesson and keep yours: python course.py reset 03", None,
              ["tools/reset_and_update.py reset"]),
    "update": ("get what is new in the course, and keep what you wrote", None,
               ["tools/reset_and_update.py update"]),
    "test-peers": ("compare our functions with three libraries that people use", ["test", "peers"],
                   ["-m pytest -q -n 0 --thorough tests/test_against_libraries.py"]),
    "peer-models": ("try the config reader and the doctor on the models of transformers",
                    ["test", "peers"], ["-m evidence.reader_and_doctor"]),
    "mutants": ("change one token in each right answer, and see that the trials notice", ["test"],
                ["tools/mutants_of_answers.py"]),
    "bench": ("compare speed, memory and precision with the libraries", ["test", "peers"],
              ["-m evidence.measure_speed"]),
    "claims": ("try what lessons say about training on other seeds: all, or claims 06 14",
               ["lab"], ["-m evidence.claims.run_claims"]),
    "train-small": ("train a small language model of the lessons: train-small --model rope", ["lab"],
                    ["evidence/train_small_models.py"]),
    "measure-small": ("measure what the small models do: all, or measure-small needle", ["lab"],
                      ["-m evidence.measure_small_models"]),
    "notebooks": ("run every notebook again and keep its outputs", ["test"], ["tools/reexecute.py"]),
    "tables": ("write the tables made from data: numbers of lessons, sources, mistakes, times",
               ["test"], ["tools/renumber_lessons.py", "tools/write_sources.py", "tools/teaching_tables.py"]),
    "slides": ("show a lesson as slides, without the web: python course.py slides 03", ["lab"],
               ["teaching/slides.py"]),
    "classroom": ("make a folder for a class, with the lesson to hand out: classroom FOLDER 03",
                  ["classroom"], ["teaching/make_class_folder.py"]),
    "grade": ("grade what a class handed in, in a sandbox: grade FOLDER 03", ["classroom"],
              ["teaching/grade.py"]),
    "review": ("say what the class got wrong, and whom to look at: review FOLDER 03", ["classroom"],
               ["teaching/review.py"]),
    "classroom-demo": ("grade a simulated class in a temporary folder", ["classroom"],
                       ["teaching/classroom_demo.py"]),
    "hub-demo": ("start a JupyterHub that only this machine can reach, for a look", ["hub"],
                 ["-m jupyterhub -f teaching/jupyterhub/demo_config.py"]),
    "site": ("build the reading site into docs/_build/html (needs npm)", ["docs"], ["tools/build_site.py"]),
    "test-browser": ("build the site, then test it and JupyterLab in a browser (needs Chromium)",
                     ["browser", "docs", "test"],
                     ["tools/build_site.py", "-m pytest -m browser tests/browser"]),
}
# fmt: on

# These list their own options with --help.
WITH_OPTIONS = "lab claims train-small notebooks slides classroom grade review classroom-demo hub-demo"

USAGE = """python course.py TASK [more words]

%s

Words after the task go on to its program: python course.py lab --no-browser --port 8890
(a task with options of its own lists them with --help).
The first call makes .venv and installs into it. If something in there breaks, delete it and call again.

On Linux we install the CPU build of PyTorch, from download.pytorch.org. For the CUDA build,
or if you can't reach that address, call any task once, and then
    .venv/bin/python -m pip install --force-reinstall -c constraints.txt torch
It takes about 6 GB instead of 1.3 GB, and later calls keep it."""


def surroundings(prefix):
    """What lessons and tests are to find on every machine. `prefix` is the folder of their Python.

    Two threads cost many times the CPU on a busy pair of cores; the order of a set or of a parallel sum
    must not matter; and what people set for plots and programs of their own stays out.
    """
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    found = dict.fromkeys(threads, "1")
    found.update(dict.fromkeys(("PYTHONOPTIMIZE", "PYTHONWARNINGS", "MATPLOTLIBRC"), ""))
    found.update(PYTHONHASHSEED="0", MPLBACKEND="module://matplotlib_inline.backend_inline")
    scripts = os.path.join(prefix, "Scripts" if os.name == "nt" else "bin")
    found["PATH"] = os.pathsep.join([scripts, os.environ.get("PATH", "")])  # for JupyterLab's terminals
    if os.access(prefix, os.W_OK):
        found["MPLCONFIGDIR"] = os.path.join(prefix, "matplotlib")
        if not os.access(os.path.expanduser("~"), os.W_OK):  # Jupyter, IPython and others write there
            found["HOME"] = found["USERPROFILE"] = os.path.join(prefix, "home")
    return found


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def read_stamp():
    """What the last set-up says of .venv: nothing where it did not get as far as a Python with pip."""
    try:
        return json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}


def works():
    with contextlib.suppress(OSError):
        return subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True).returncode == 0
    return False


def try_lock():
    """The lock file, open; None while another process has it.

    The system frees it when the last process that has it open ends, however it ends. The steps of the set-up
    have it as their input: so the next call also waits for the pip of a call that was killed.
    """
    if fcntl is None:
        try:
            with contextlib.suppress(FileNotFoundError):
                LOCK.unlink()  # Windows removes no file that some process has open
            return LOCK.open("x+")
        except OSError:
            if LOCK.exists():
                return None
            raise
    lock = LOCK.open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    except OSError:
        pass  # some network drives know no locks
    return lock


CAUSES = """
Most often there is no network, or Python may not use it (a proxy); or a disk is full (the set-up needs 3 GB,
also in the folder for temporary files, which the variable TMPDIR names); or the folder of the course cannot
be written to; or a program uses .venv (JupyterLab, an editor). Where PyTorch cannot be fetched: python
course.py --help
When the cause is gone, call again: it goes on from here."""


def step(title, command, lock, environ=None):
    """Run one command of the set-up: a line with its seconds on the screen, all that it says in the log."""
    start = time.monotonic()
    say("  %s ... " % title)
    with LOG.open("ab") as log:
        code = subprocess.call(command, cwd=ROOT, env=environ, stdin=lock, stdout=log, stderr=log)
    say("%d s\n" % (time.monotonic() - start))
    if code:
        tail = "\n".join(LOG.read_text(errors="replace").splitlines()[-15:])
        sys.exit("%s\n\nAbove is the end of %s.\nThe set-up failed at: %s.%s" % (tail, LOG, title, CAUSES))


def torch_arguments():
    """What pip is told to get PyTorch: nothing where its usual wheel has no CUDA, or where one was chosen."""
    chosen = any("+cpu" not in info.name for info in PACKAGES.glob("torch-*.dist-info"))
    if sys.platform != "linux" or chosen:
        return []
    # Only the CPU build answers to "+cpu": with its index out of reach, pip fails rather than fetch CUDA.
    # Alone (--no-deps), so that an index out of reach costs one look-up instead of one for every package.
    version = re.search(r"^torch==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE).group(1)
    words = "torch==%s+cpu --no-deps --retries 2 --timeout 15 --extra-index-url %s"
    return (words % (version, "https://download.pytorch.org/whl/cpu")).split()


def wanted(extras):
    """The stamp of a .venv that has these extras, and those that it has already."""
    inputs = b"".join((ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt"))
    return {
        "venv": "Python %d.%d in %s" % (sys.version_info[0], sys.version_info[1], VENV),
        "extras": sorted(set(extras).union(read_stamp().get("extras", []))),
        "inputs": hashlib.sha256(inputs).hexdigest(),
    }


def ready(extras):
    return read_stamp() == wanted(extras) and PYTHON.exists()


def set_up(extras):
    """Bring .venv to what a task needs: hardly any work while the stamp of the last set-up holds."""
    if not ready(extras):
        lock = try_lock()
        if not lock:
            say("Another call is setting up .venv: waiting for it to end\n")
            while not lock:
                time.sleep(1)
                lock = try_lock()
        with lock:
            if not ready(extras):
                install(wanted(extras), lock)
    write_settings()


def write_settings():
    """What JupyterLab and IPython find in .venv; a .venv that cannot be written to keeps what it has."""
    files = {
        "share/jupyter/lab/settings/overrides.json": json.dumps(OVERRIDES),
        "etc/ipython/ipython_kernel_config.py": KERNEL,
    }
    for name, text in files.items():
        path = VENV / name
        with contextlib.suppress(OSError):
            if not path.exists() or path.read_text() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)


def install(stamp, lock):
    """Make or repair .venv, until it is as the stamp says."""
    if sys.platform == "darwin" and platform.machine() == "x86_64":
        sys.exit(
            "pip finds no PyTorch for Intel Macs any more: please use conda, as docs/launch.md says.\n"
            "(On a Mac with an Apple processor: this Python is made for Intel, another one will do.)"
        )

    start = time.monotonic()
    say("Setting up .venv: a minute or more the first time\n")
    if read_stamp().get("venv") != stamp["venv"] or not works():
        if VENV.exists():
            say("  (from the start, since it is unfinished, broken, moved, or made by another Python)\n")
            shutil.rmtree(VENV)
        VENV.mkdir()
        # sys.executable may be the one just removed, where .venv was active.
        step("a Python environment", [sys._base_executable, "-m", "venv", VENV], lock)

    # pip can repair the rest. Without "inputs" the stamp says that it still has to.
    STAMP.write_text(json.dumps({"venv": stamp["venv"], "extras": stamp["extras"]}))
    for info in PACKAGES.glob("*.dist-info"):
        if not (info / "INSTALLER").exists():  # pip writes it last, so this package stopped half-way
            shutil.rmtree(info)
    pip = [PYTHON, "-m", "pip", "install", "--no-input", "--progress-bar=off", "--disable-pip-version-check"]
    torch = torch_arguments()
    if torch:
        step("PyTorch, CPU build (190 MB)", pip + torch, lock)
    extras = ",".join(stamp["extras"])
    step("JupyterLab and the rest", pip + ["-c", "constraints.txt", "-e", ".[%s]" % extras], lock)
    environ = dict(os.environ, **surroundings(VENV))
    step("fonts for the figures", [PYTHON, "-c", "import matplotlib.font_manager"], lock, environ)
    STAMP.write_text(json.dumps(stamp))
    say("Ready after %d s\n\n" % (time.monotonic() - start))


def run(command, environ, place):
    """How a command ends that has the terminal to itself; Ctrl-C means there what it likes."""
    child = subprocess.Popen(command, cwd=place, env=environ)
    for name in ("SIGTERM", "SIGHUP"):  # who ends this program, or closes its terminal, ends the command too
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, frame: child.send_signal(number))
    while child.returncode is None:
        with contextlib.suppress(KeyboardInterrupt):
            child.wait()
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def lab_words(words):
    """The words for JupyterLab: it opens and prints the address of the last notebook among them."""
    notebook = [word for word in words if word.endswith(".ipynb")][-1]
    found = [word for word in words if not word.endswith(".ipynb")]
    found.append("--LabApp.default_url=/lab/tree/" + quote(notebook.replace(os.sep, "/")))
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container there may be nobody else
        found.append("--allow-root")
    return found


def main(words):
    if not words or words[0] not in TASKS:
        for_help = words[:1] in (["-h"], ["--help"], ["help"])
        if words and not for_help:
            print("There is no task %r; there are these.\n" % words[0])
        print(USAGE % "\n".join("  %-16s%s" % (task, TASKS[task][0]) for task in TASKS))
        return 0 if for_help else 2
    does, extras, commands = TASKS[words[0]]
    if words[1:2] in (["-h"], ["--help"]):
        say("%s: %s\n" % (words[0], does))
        if words[0] not in WITH_OPTIONS.split():
            return 0
        say("\n")
    python, environ = sys.executable, os.environ
    if extras is not None:
        try:
            set_up(extras)
        except KeyboardInterrupt:
            say("\nStopped. The next call goes on from here.\n")
            return 130
        except OSError as problem:
            sys.exit("The set-up failed: %s.%s" % (problem, CAUSES))
        python, environ = PYTHON, dict(os.environ, **surroundings(VENV))
    arguments = [command.split() for command in commands]
    arguments[-1] += words[1:]
    if words[0] == "lab" and words[1:2] not in (["-h"], ["--help"]):
        arguments[-1] = lab_words(arguments[-1])
        say("JupyterLab is starting. Among the lines that it prints is the address of the lesson.\n")
    codes = []
    for command in arguments:
        place = ROOT
        if command[0].startswith("teaching/"):  # a class's folder is named as the caller sees it
            command[0], place = str(ROOT / command[0]), None
        codes.append(run([python] + command, environ, place))
        if codes[-1] > 128:  # ended by a signal
            break
    return next(filter(None, codes), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
