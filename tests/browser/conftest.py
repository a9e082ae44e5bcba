"""What the browser tests share: a browser, the built site on a port, JupyterLab on another.

Playwright is imported where it is used, so that the other tests need not have it.
"""

import functools
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from course import KERNEL

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "docs/_build/html"
FOLDER = "/pe_lessons"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CALM = (
    "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.fail("There is no Chromium or Chrome here (Debian: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CALM)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def site():
    """The address of the built site: in a folder, and with a page for what is not there, as GitHub has it."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def translate_path(self, path):
            return super().translate_path(path.removeprefix(FOLDER))

        def send_error(self, code, *arguments):
            self.send_response(code)
            self.end_headers()
            self.wfile.write((HTML / "404.html").read_bytes())

    if not (HTML / "index.html").exists():
        pytest.fail("The site is not built: python course.py site")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=HTML))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{FOLDER}"
    server.shutdown()


@pytest.fixture
def open_page(browser, site):
    """A function that opens a page of the site; what it asks of another host fails, and fails the test."""
    contexts, elsewhere, broken = [], [], []

    def open_page(name, *, width=1280, theme="light"):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        contexts.append(context)

        def local_only(route):
            if route.request.url.startswith(site):
                route.continue_()
            else:
                elsewhere.append(route.request.url)
                route.abort()

        context.route(re.compile("^(?!data:)"), local_only)
        page = context.new_page()
        page.on("response", lambda response: broken.append(response.url) if response.status >= 400 else None)
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.goto(f"{site}/{name}.html", wait_until="networkidle")
        page.locator(f"html[data-theme={theme}]").wait_for(state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not elsewhere and not broken


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The address of a JupyterLab over copies of the notebooks, with settings of its own."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", home / "notebooks", ignore=shutil.ignore_patterns(".*"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    folders |= {"JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "IPYTHONDIR": str(home / "ipython")}
    profile = home / "ipython/profile_default/ipython_kernel_config.py"  # as course.py writes into .venv
    profile.parent.mkdir(parents=True)
    profile.write_text(KERNEL)
    all_cells = home / "settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
    all_cells.parent.mkdir(parents=True)
    all_cells.write_text('{"windowingMode": "none"}')  # cells out of sight are on the page too
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
        "--ip=127.0.0.1", f"--ServerApp.root_dir={home}", "--IdentityProvider.token=",
        "--ServerApp.port_retries=0",
        "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
    ]  # fmt: skip
    environment = {**os.environ, **folders, "OMP_NUM_THREADS": "1"}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment, cwd=home, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while server.poll() is None and time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{address}/api", timeout=5).close()
                break
            except OSError:
                time.sleep(0.5)
        else:
            pytest.fail("JupyterLab did not start:\n" + (home / "log").read_text()[-2000:])
        yield address
    finally:
        server.terminate()
        server.wait(timeout=30)
