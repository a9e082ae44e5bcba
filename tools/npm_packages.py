"""What docs/package.json pins, for the site and for slides: fetched once, into docs/_build/npm."""

import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
NPM = DOCS / "_build" / "npm"


def fetch():
    """Install what docs/package.json pins, unless it is there already."""
    wanted = (DOCS / "package.json").read_text()
    stamp = NPM / "installed.json"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("Site and slides take MathJax and more from npm. Install Node.js, which has it.")
    NPM.mkdir(parents=True, exist_ok=True)
    shutil.copy2(DOCS / "package.json", NPM / "package.json")
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    if subprocess.run(command, cwd=NPM).returncode:
        sys.exit("npm could not install the packages of docs/package.json.")
    stamp.write_text(wanted)
