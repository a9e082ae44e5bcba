"""A hub that only this machine can reach, for a look: any name gets in, without a password.

    python course.py hub-demo

All servers run under your own account, so never use it with real learners. Homes are kept in .venv/hub.
"""

import os
import subprocess
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
HOMES = ROOT / ".venv" / "hub"
HOMES.mkdir(parents=True, exist_ok=True)
BRANCH = subprocess.run(
    ["git", "branch", "--show-current"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.strip()
PROXY = ROOT / ".venv" / "node_modules" / ".bin" / "configurable-http-proxy"
if not PROXY.exists():
    install = ["npm", "install", "--silent", "--prefix", str(ROOT / ".venv"), "configurable-http-proxy@5.3.0"]
    subprocess.run(install, check=True)
LESSON = "lab/tree/pe_lessons/notebooks/00_start_here.ipynb"

load_subconfig(str(Path(__file__).with_name("jupyterhub_config.py")))  # noqa: F821 (JupyterHub defines it)
c = get_config()  # noqa: F821

c.JupyterHub.db_url = "sqlite://"  # nothing is remembered but the homes
c.JupyterHub.cookie_secret_file = str(HOMES / "cookie_secret")
c.JupyterHub.pid_file = ""
c.ConfigurableHTTPProxy.command = [str(PROXY)]  # not by npx, which would leave it running
c.ConfigurableHTTPProxy.pid_file = str(HOMES / "proxy.pid")
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(HOMES / "{username}")
c.Spawner.args += ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
if token := os.environ.get("HUB_DEMO_TOKEN"):  # .ci/hub clicks in a learner's place
    c.JupyterHub.services = [{"name": "demo", "api_token": token}]
    scopes = ["admin:users", "admin:servers", "access:servers"]
    c.JupyterHub.load_roles = [{"name": "demo", "services": ["demo"], "scopes": scopes}]

link = urlencode({"repo": ROOT, "branch": BRANCH, "targetpath": "pe_lessons", "urlpath": LESSON})
print(f"The link for learners (any name gets in):\nhttp://127.0.0.1:8000/hub/user-redirect/git-pull?{link}")
