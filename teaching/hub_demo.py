"""A hub on this machine only, with a few users: does what a learner wrote survive a newer course?

    python course.py hub-demo [--users 4]

Every user pulls the course as a nbgitpuller link would, changes a cell, pulls a newer version of the course,
and must find both the change and what is new, but nothing that the teacher has not given out; and a kernel of
theirs must take the package from their own copy. Everything that was started is stopped at the end. The exit
code is 1 if anything was not so.
"""

import argparse
import contextlib
import json
import os
import secrets
import shutil
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

from pe_lessons.lessons.progress import grade_id

PROXY = ROOT / ".venv" / "node_modules" / ".bin" / "configurable-http-proxy"
PROXY_VERSION = "5.3.0"
EDITED, OTHER = "04_vectorized_numpy", "00_start_here"
MY_LINE = "# my own note"
NEW_LINE = "A sentence that the second version of the course added."
NOT_YET = "A sentence that the teacher has not given out."
COURSE, BRANCH = "pe_lessons", "term-2026w"
PATIENCE = 240  # seconds for a server or a kernel to start: a small machine starts them one after the other
STARTED = "import pathlib, pe_lessons, torch\n(pathlib.Path.home() / 'where').write_text(pe_lessons.__file__)"

HUB_SETTINGS = """
import os, sys
load_subconfig({config!r})
c = get_config()
c.JupyterHub.bind_url = "http://127.0.0.1:{ports[0]}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{ports[1]}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{ports[2]}"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.Spawner.start_timeout = c.Spawner.http_timeout = {patience}
c.Spawner.args += ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
c.JupyterHub.services = [{{"name": "demo", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [{{
    "name": "demo", "services": ["demo"],
    "scopes": ["admin:users", "admin:servers", "access:servers"],
}}]
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def find_proxy():
    """JupyterHub's proxy, which comes from npm, in .venv; it is fetched where it is missing."""
    if not PROXY.exists():
        npm = shutil.which("npm")
        if not npm:
            sys.exit("The hub needs its proxy from npm: install Node.js 20 or newer, then call again.")
        print(f"Installing configurable-http-proxy {PROXY_VERSION} into .venv")
        install = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(PROXY.parents[2])]
        subprocess.run([*install, f"configurable-http-proxy@{PROXY_VERSION}"], check=True)
    return str(PROXY)


def git(folder, *words):
    """What git prints."""
    identity = ["-c", "user.name=demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def publish_course(folder):
    """A repository to pull from, with what stands in this checkout, and a branch for the term."""
    source = folder / "origin" / COURSE
    for name in filter(None, git(ROOT, "ls-files", "-z").split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    git(source, "init", "-q", "-b", "main")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "the course")
    git(source, "branch", BRANCH)
    return source


def publish(source, line):
    """A newer version: another lesson changes, and the text of the lesson that the learners changed too."""
    for stem in (OTHER, EDITED):
        path = source / "notebooks" / f"{stem}.ipynb"
        notebook = nbformat.read(path, 4)
        notebook.cells[-1].source += f"\n\n{line}"
        nbformat.write(notebook, path)
    git(source, "commit", "-q", "-a", "-m", "a newer version")


@contextlib.contextmanager
def hub(folder):
    """A hub as a process of its own; gives a function that sends requests to it and to the users' servers."""
    ports, token, log = [free_port() for _ in "abc"], secrets.token_hex(16), folder / "hub.log"
    settings = folder / "hub_demo_config.py"
    config = str(ROOT / "teaching" / "jupyterhub" / "jupyterhub_config.py")
    homes, proxy = str(folder / "homes"), find_proxy()
    settings.write_text(HUB_SETTINGS.format(**locals(), patience=PATIENCE))
    set_here = ("PYTHONPATH", "JUPYTERHUB_API_TOKEN")
    environment = {name: value for name, value in os.environ.items() if name not in set_here}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment["CONFIGPROXY_AUTH_TOKEN"] = secrets.token_hex(16)
    words = [sys.executable, "-m", "jupyterhub", "-f", str(settings)]
    with log.open("w") as written:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=written, stderr=written)

    def ask(path, method="GET", **options):
        options |= {"headers": {"Authorization": f"token {token}"}, "timeout": PATIENCE}
        reply = requests.request(method, f"http://127.0.0.1:{ports[0]}{path}", **options)
        reply.raise_for_status()
        return reply

    def answers():
        with contextlib.suppress(requests.RequestException):
            return ask("/hub/api/")

    try:
        wait_for(answers, "the hub did not start")
        yield ask
    except Exception:
        print(log.read_text()[-3000:], file=sys.stderr)
        raise
    finally:  # the hub ends its proxy and the users' servers; and whatever of them is left
        with contextlib.suppress(psutil.NoSuchProcess):
            started = psutil.Process(process.pid).children(recursive=True)
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
            for one in psutil.wait_procs(started, timeout=10)[1]:
                one.kill()
            process.kill()


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
    reply = ask(f"/user/{name}/git-pull/api", params=query)
    *_, last = (line for line in reply.text.splitlines() if line.startswith("data: "))
    if json.loads(last[6:]).get("phase") != "finished":
        raise RuntimeError(f"{name} could not pull the course: {last}")


def edit(home):
    """Write into the first answer cell, and save."""
    path = home / COURSE / "notebooks" / f"{EDITED}.ipynb"
    notebook = nbformat.read(path, 4)
    answer = next(cell for cell in notebook.cells if grade_id(cell))
    answer.source += f"\n{MY_LINE} ({home.name})"
    nbformat.write(notebook, path)


def complaints(home):
    """Where the learner's note or the new sentence is missing, or what nobody gave out is there."""
    for stem, wanted in ((EDITED, (MY_LINE, NEW_LINE)), (OTHER, (NEW_LINE,))):
        notebook = nbformat.read(home / COURSE / "notebooks" / f"{stem}.ipynb", 4)
        text = "\n".join(cell.source for cell in notebook.cells)
        yield from (f"{stem} lacks {line!r}" for line in wanted if line not in text)
        if NOT_YET in text:
            yield f"{stem} has {NOT_YET!r}"
    where = (home / "where").read_text()
    if str(home / COURSE) not in where:
        yield f"the package was not taken from the learner's own copy, but from {where}"


def start_kernel(ask, home):
    """Start a kernel of the learner, which writes down whose package it takes."""
    place = home / ".ipython" / "profile_default" / "startup"
    place.mkdir(parents=True, exist_ok=True)
    (place / "where.py").write_text(STARTED)
    wanted = {"name": "python3", "path": f"{COURSE}/notebooks/{EDITED}.ipynb"}
    ask(f"/user/{home.name}/api/kernels", "POST", json=wanted)
    wait_for((home / "where").exists, f"a kernel of {home.name} could not import the course")


def main(arguments):
    parser = argparse.ArgumentParser(description="a hub with a few users", prog="hub-demo")
    parser.add_argument("--users", type=int, default=4, help="how many learners (4)")
    options = parser.parse_args(arguments)
    began, failed = time.monotonic(), False
    with tempfile.TemporaryDirectory(prefix="hub_", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve()
        homes = [folder / "homes" / f"learner{number}" for number in range(1, options.users + 1)]
        source = publish_course(folder)
        print(f"A hub, {len(homes)} learners, in {folder}", flush=True)
        with hub(folder) as ask, ThreadPoolExecutor(len(homes)) as pool:
            print("the hub answers", flush=True)
            for home in homes:
                start(ask, home.name)
            print(f"{len(homes)} servers started", flush=True)
            list(pool.map(lambda home: pull(ask, home.name, source), homes))
            for home in homes:
                edit(home)
            publish(source, NEW_LINE)
            git(source, "branch", "-f", BRANCH)
            publish(source, NOT_YET)  # on main only
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
