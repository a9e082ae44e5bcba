"""A hub on this machine only, with a few users: does what a learner wrote survive a newer course?

    python course.py hub-demo [--users 4]

Every user pulls the course as a nbgitpuller link would, changes a cell, pulls a newer version of the course,
and must find both the change and what is new; and a kernel of theirs must take the package from their own
copy. Everything that was started is stopped at the end. The exit code is 1 if anything was not so.
"""

import argparse
import asyncio
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
from pathlib import Path
from urllib.parse import urlencode

import psutil
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

ROOT = Path(__file__).resolve().parents[1]
PROXY = ROOT / ".venv" / "node_modules" / ".bin" / "configurable-http-proxy"
PROXY_VERSION = "5.3.0"
EDITED = "04_vectorized_numpy"
MY_LINE = "# my own note"
NEW_LINE = "A sentence that the second version of the course added."
COURSE = "pe_lessons"

HUB_SETTINGS = """
import os, sys
load_subconfig({config!r})
c = get_config()
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.Spawner.args += ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
c.JupyterHub.services = [{{"name": "demo", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [{{
    "name": "demo", "services": ["demo"],
    "scopes": ["admin:users", "admin:servers", "access:servers"],
}}]
c.JupyterHub.log_level = "INFO"
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
    """A repository to pull from, with what stands in this checkout."""
    source = folder / "origin" / COURSE
    source.mkdir(parents=True)
    for name in filter(None, git(ROOT, "ls-files", "-z").split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    git(source, "init", "-q", "-b", "main")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "the course")
    return source


def publish_update(source):
    """A second version: another lesson changes, and the text of the lesson that the learners changed too."""
    for stem in ("00_start_here", EDITED):
        path = source / "notebooks" / f"{stem}.ipynb"
        notebook = json.loads(path.read_text(encoding="utf-8"))
        last = notebook["cells"][-1]
        last["source"] = "".join(last["source"]) + f"\n\n{NEW_LINE}"
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    git(source, "commit", "-q", "-a", "-m", "a second version")


class Hub:
    """The hub as a process of its own, and requests to it and to the users' servers."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.token = secrets.token_hex(16)
        self.homes = folder / "homes"
        self.log = folder / "hub.log"
        self.process = None

    def start(self):
        settings = self.folder / "hub_demo_config.py"
        text = HUB_SETTINGS.format(
            config=str(ROOT / "teaching" / "jupyterhub" / "jupyterhub_config.py"),
            port=self.port,
            hub_port=free_port(),
            proxy_port=free_port(),
            proxy=find_proxy(),
            homes=str(self.homes),
            token=self.token,
        )
        settings.write_text(text)
        set_here = ("PYTHONPATH", "JUPYTERHUB_API_TOKEN")
        environment = {name: value for name, value in os.environ.items() if name not in set_here}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment["CONFIGPROXY_AUTH_TOKEN"] = secrets.token_hex(16)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "-f", str(settings)],
            cwd=self.folder,
            env=environment,
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
        )

    def stop(self):
        """End the hub (which ends its proxy and the users' servers) and whatever of them is left."""
        with contextlib.suppress(psutil.NoSuchProcess):
            started = psutil.Process(self.process.pid).children(recursive=True)
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=20)
            _, left = psutil.wait_procs(started, timeout=10)
            for one in left:
                one.kill()
            self.process.kill()

    def last_words(self):
        return self.log.read_text()[-3000:]

    async def request(self, path, method="GET", body=None, timeout=120):
        return await AsyncHTTPClient().fetch(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
            body=None if method == "GET" else json.dumps(body or {}),
            request_timeout=timeout,
            allow_nonstandard_methods=True,
        )

    async def ready(self, seconds=60):
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Exception):
                return await self.request("/hub/api/", timeout=2)
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the hub did not start:\n{self.last_words()}")
            await asyncio.sleep(0.5)


class User:
    """One learner: a server, and a copy of the course."""

    def __init__(self, hub, name):
        self.hub, self.name, self.complaints = hub, name, []

    async def start(self):
        await self.hub.request(f"/hub/api/users/{self.name}", "POST")
        await self.hub.request(f"/hub/api/users/{self.name}/server", "POST")
        for _ in range(240):
            reply = await self.hub.request(f"/hub/api/users/{self.name}")
            if json.loads(reply.body)["servers"].get("", {}).get("ready"):
                return
            await asyncio.sleep(0.5)
        raise RuntimeError(f"the server of {self.name} did not start:\n{self.hub.last_words()}")

    def at(self, path):
        return f"/user/{self.name}/{path}"

    async def pull(self, source):
        """What happens behind a nbgitpuller link."""
        words = urlencode({"repo": str(source), "branch": "main", "targetpath": COURSE})
        reply = await self.hub.request(self.at(f"git-pull/api?{words}"))
        *_, last = (line for line in reply.body.decode().splitlines() if line.startswith("data: "))
        if json.loads(last[6:]).get("phase") != "finished":
            raise RuntimeError(f"{self.name} could not pull the course: {last}")

    async def notebook(self, stem, *request):
        """The content of a notebook of the learner; `request` may be "PUT" and what to save."""
        reply = await self.hub.request(self.at(f"api/contents/{COURSE}/notebooks/{stem}.ipynb"), *request)
        return json.loads(reply.body)["content"]

    async def edit(self, stem):
        """Write into the first answer cell, and save, as JupyterLab does."""
        content = await self.notebook(stem)
        answer = next(
            cell for cell in content["cells"] if cell["metadata"].get("nbgrader", {}).get("solution")
        )
        answer["source"] += f"\n{MY_LINE} ({self.name})"
        await self.notebook(stem, "PUT", {"type": "notebook", "format": "json", "content": content})

    async def check_merge(self):
        """Both the learner's note and the new sentence must stand in the lesson."""
        for stem, wanted in ((EDITED, (MY_LINE, NEW_LINE)), ("00_start_here", (NEW_LINE,))):
            text = "\n".join(cell["source"] for cell in (await self.notebook(stem))["cells"])
            self.complaints += [f"{stem} lacks {line!r}" for line in wanted if line not in text]

    async def ask_kernel(self):
        """What a kernel of the learner prints; it has to speak of the learner's own copy."""
        wanted = {"name": "python3", "path": f"{COURSE}/notebooks/{EDITED}.ipynb"}
        reply = await self.hub.request(self.at("api/kernels"), "POST", wanted)
        kernel = json.loads(reply.body)["id"]
        address = f"ws://127.0.0.1:{self.hub.port}{self.at(f'api/kernels/{kernel}/channels')}"
        channels = await websocket_connect(
            HTTPRequest(address, headers={"Authorization": f"token {self.hub.token}"}, connect_timeout=120)
        )
        header = {"msg_id": "ask", "msg_type": "execute_request", "version": "5.3",
                  "username": self.name, "session": self.name, "date": ""}  # fmt: skip
        content = {"code": "import pe_lessons, torch; print(pe_lessons.__file__)", "silent": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content,
                   "channel": "shell", "buffers": []}  # fmt: skip
        await channels.write_message(json.dumps(message))
        while True:
            answer = json.loads(await asyncio.wait_for(channels.read_message(), timeout=120))
            kind, said = answer["msg_type"], answer["content"]
            if kind == "execute_reply" and said["status"] != "ok":
                return self.complaints.append(f"a kernel could not import the course: {said}")
            if kind == "stream" and said["name"] == "stdout":
                if str(self.hub.homes / self.name / COURSE) not in said["text"]:
                    self.complaints.append("the package was not taken from the learner's own copy")
                return await self.hub.request(self.at(f"api/kernels/{kernel}"), "DELETE")


async def use(hub, users, source):
    await hub.ready()
    print("the hub answers", flush=True)
    for user in users:
        await user.start()
    print(f"{len(users)} servers started", flush=True)
    await asyncio.gather(*(user.pull(source) for user in users))
    for user in users:
        await user.edit(EDITED)
    publish_update(source)
    await asyncio.gather(*(user.pull(source) for user in users))
    for user in users:
        await user.check_merge()
    print("all pulled the course, changed a cell, and pulled its second version", flush=True)
    await asyncio.gather(*(user.ask_kernel() for user in users))


def main(arguments):
    parser = argparse.ArgumentParser(description="a hub with a few users", prog="hub-demo")
    parser.add_argument("--users", type=int, default=4, help="how many learners (4)")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hub_", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve()
        (folder / "homes").mkdir()
        source = publish_course(folder)
        hub = Hub(folder)
        users = [User(hub, f"learner{number}") for number in range(1, options.users + 1)]
        print(f"A hub on 127.0.0.1:{hub.port}, {len(users)} learners, in {folder}", flush=True)
        try:
            hub.start()
            asyncio.run(use(hub, users, source))
        finally:
            hub.stop()
    for user in users:
        print(f"{user.name:10}{'; '.join(user.complaints) or 'in order'}")
    failed = any(user.complaints for user in users)
    verdict = "something is wrong" if failed else "all in order"
    print(f"stopped after {time.monotonic() - start:.0f} s; {verdict}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
