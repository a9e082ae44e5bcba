"""Puts the package together in `src`: its own files, and those of the course that it takes, under its name.

An sdist has a `src` and no course next to it.
"""

import os
import re
import shutil
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
COURSE, INTO = HERE.parent / "pe_lessons", HERE / "src" / "wherepos"


def put_together():
    shutil.rmtree(INTO.parent, ignore_errors=True)
    parts = {HERE / "wherepos": INTO, COURSE / "doctor": INTO / "doctor", COURSE / "models": INTO / "models"}
    for folder, into in parts.items():
        shutil.copytree(folder, into, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (COURSE / "_arguments.py", COURSE / "loops.py"):
        shutil.copy(file, INTO)
    shutil.copy(HERE.parent / "LICENSE", INTO.parent)
    lessons = {path.name[:2]: path.name for path in (HERE.parent / "notebooks").glob("*.ipynb")}
    site = os.environ.get("PE_LESSONS_REPOSITORY")
    before = f"{site}/blob/main/" if site else ""

    def known(found):  # who has the package alone needs to be told where a lesson is
        return f'"lesson {found[1]} of pe_lessons, {before}notebooks/{lessons[found[1]]}"'

    for path in INTO.rglob("*.py"):
        text = path.read_text("utf-8")
        text = re.sub(r"python -m pe_lessons\.(doctor|models)|pe_lessons", "wherepos", text)
        text = re.sub(r'"lesson (\d\d)"', known, text)
        path.write_text(text, encoding="utf-8")


if COURSE.is_dir():
    put_together()
setup()
