"""A hub on this machine only, with a few users: does what a learner wrote survive a newer course?

    python course.py hub-demo [--users 4]

Every user pulls the course (its last commit) as a nbgitpuller link would, changes a cell, pulls a newer
version, and must find both the change and what is new, but nothing that the teacher has not given out; and a
kernel of theirs must take the package from their own copy. Everything that was started is stopped at the end.
The exit code is 1 if anything was not so.
"""

import argparse
import contextlib
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import psutil
import requests
from class_folder import ROOT

COURSE, BRANCH, LESSON = "pe_lessons", "term-2026w", "notebooks/04_vectorized_numpy.ipynb"
MINE, NEW, NOT_YET = "# my own note", "Added in the second version.", "Not given out yet."
PATIENCE = 240  # seconds for a server or a kernel to start: a small machine starts them one after the other
STARTED = "import pathlib, pe_lessons, torch\n(pathlib.Path.home() / 'where').write_text(pe_lessons.__file__)"

HUB_SETTINGS = """
import os
load_subconfig({config!r})
c = get_config()
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{ports[1]}"
c.ConfigurableHTTPProxy.command = ["npx", "--yes", "configurable-http-proxy@5.3.0"]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.Spawner.start_timeout = c.Spawner.http_timeout = {patience}
c.Spawner.args += ["--allow-root"] if os.geteuid() == 0 else []
c.JupyterHub.services = [{{"name": "demo", "api_token": {token!r}}}]
scopes = ["admin:users", "admin:servers", "access:servers"]
c.JupyterHub.load_roles = [{{"name": "demo", "services": ["demo"], "scopes": scopes}}]
"""


def git(folder, *words):
    identity = ["-c", "user.name=demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def add(path, cell_type, line):
    """Write a line below the last cell of this type in a notebook, and save."""
    notebook = nbformat.read(path, 4)
    next(cell for cell in reversed(notebook.cells) if cell.cell_type == cell_type).source += f"\n\n{line}"
    nbformat.write(notebook, path)


@contextlib.contextmanager
def hub(folder):
    """A hub as a process of its own; gives a function that sends requests to it and to the users' servers."""
    with contextlib.ExitStack() as held:
        free = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in "abc"]
        ports = [one.getsockname()[1] for one in free]
    token, settings = secrets.token_hex(16), folder / "hub_demo_config.py"
    config = str(ROOT / "teaching" / "jupyterhub" / "jupyterhub_config.py")
    settings.write_text(HUB_SETTINGS.format(**locals(), homes=str(folder / "homes"), patience=PATIENCE))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment["CONFIGPROXY_AUTH_TOKEN"] = secrets.token_hex(16)
    words = [sys.executable, "-m", "jupyterhub", "-f", str(settings)]
    with (folder / "hub.log").open("w") as log:
        process = psutil.Popen(words, cwd=folder, env=environment, stdout=log, stderr=log)

    def ask(path, method="GET", **options):
        options |= {"headers": {"Authorization": f"token {token}"}, "timeout": PATIENCE}
        reply = requests.request(method, f"http://127.0.0.1:{ports[0]}{path}", **options)
        reply.raise_for_status()
        return reply

    def answers():
        with contextlib.suppress(requests.RequestException):
            return ask("/hub/api/")

    try:
        wait_for(answers, "the hub did not start (it needs Node.js 20 or newer, with npm, for its proxy)")
        yield ask
    except Exception:
        print((folder / "hub.log").read_text()[-3000:], file=sys.stderr)
        raise
    finally:  # the hub ends its proxy and the users' servers; and whatever of them is left
        with contextlib.suppress(psutil.NoSuchProcess):
            started = process.children(recursive=True)
            process.terminate()
            for one in psutil.wait_procs([process, *started], timeout=20)[1]:
                one.kill()


def wait_for(happened, complaint):
    end = time.monotonic() + PATIENCE
    while not (found := happened()):
        if time.monotonic() > end:
            raise RuntimeError(complaint)
        time.sleep(0.5)
    return found


def start(ask, name):
    ask(f"/hub/api/users/{name}", "POST")
    ask(f"/hub/api/users/{name}/server", "POST")
    servers = f"/hub/api/users/{name}"
    wait_for(lambda: ask(servers).json()["servers"].get("", {}).get("ready"), f"{name} has no server")


def pull(ask, name, source):
    """What happens behind a nbgitpuller link."""
    query = {"repo": str(source), "branch": BRANCH, "targetpath": COURSE}
    said = ask(f"/user/{name}/git-pull/api", params=query).text
    if '"phase": "finished"' not in said:
        raise RuntimeError(f"{name} could not pull the course: {said[-500:]}")


def start_kernel(ask, home):
    """Start a kernel of the learner, which writes down whose package it takes."""
    place = home / ".ipython" / "profile_default" / "startup"
    place.mkdir(parents=True, exist_ok=True)
    (place / "where.py").write_text(STARTED)
    ask(f"/user/{home.name}/api/kernels", "POST", json={"name": "python3", "path": f"{COURSE}/{LESSON}"})
    wait_for((home / "where").exists, f"a kernel of {home.name} could not import the course")


def complaints(home):
    """Where the learner's note or the new sentence is missing, or what nobody gave out is there."""
    text = (home / COURSE / LESSON).read_text(encoding="utf-8")
    yield from (f"the lesson lacks {line!r}" for line in (MINE, NEW) if line not in text)
    if NOT_YET in text:
        yield f"the lesson has {NOT_YET!r}"
    if str(home / COURSE) not in (where := (home / "where").read_text()):
        yield f"the package was not taken from the learner's own copy, but from {where}"


def main(arguments):
    parser = argparse.ArgumentParser(description="a hub with a few users", prog="hub-demo")
    parser.add_argument("--users", type=int, default=4, help="how many learners (4)")
    options = parser.parse_args(arguments)
    began, failed = time.monotonic(), False
    with tempfile.TemporaryDirectory(prefix="hub_", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve()
        homes = [folder / "homes" / f"learner{number}" for number in range(1, options.users + 1)]
        source = folder / "origin" / COURSE
        git(ROOT, "clone", "-q", ".", str(source))
        git(source, "branch", BRANCH)
        print(f"A hub, {len(homes)} learners, in {folder}", flush=True)
        with hub(folder) as ask, ThreadPoolExecutor(len(homes)) as pool:
            for home in homes:
                start(ask, home.name)
            print(f"{len(homes)} servers started", flush=True)
            list(pool.map(lambda home: pull(ask, home.name, source), homes))
            for home in homes:
                add(home / COURSE / LESSON, "code", MINE)
            for line in (NEW, NOT_YET):
                add(source / LESSON, "markdown", line)
                git(source, "commit", "-q", "-a", "-m", line)
            git(source, "branch", "-f", BRANCH, "HEAD~1")  # what is not given out is on main only
            list(pool.map(lambda home: pull(ask, home.name, source), homes))
            print("all pulled the course, changed a cell, and pulled its second version", flush=True)
            list(pool.map(lambda home: start_kernel(ask, home), homes))
            for home in homes:
                found = list(complaints(home))
                failed = failed or bool(found)
                print(f"{home.name:10}{'; '.join(found) or 'in order'}")
    verdict = "something is wrong" if failed else "all in order"
    print(f"stopped after {time.monotonic() - began:.0f} s; {verdict}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
