"""A class's folder and the lessons in it: what handing out, grading and reviewing share."""

import functools
import subprocess
import sys
from pathlib import Path

from pe_lessons.lessons import progress

if hasattr(sys.stdout, "reconfigure"):  # a terminal in Latin-1 lacks a sign of many a name
    sys.stdout.reconfigure(errors="replace")
ROOT = Path(__file__).resolve().parents[1]


def lessons():
    """The course's notebooks, by their names without the ending."""
    return {path.stem: path for path in progress.notebooks(ROOT / "notebooks")}


def lesson_named(words):
    """The name of a lesson from its number or its name."""
    for name in lessons():
        if words.zfill(2) in (name, name[:2], name[3:]):
            return name
    sys.exit(f"There is no lesson {words!r}: give its number, such as 03, or its name.")


def class_folder(words):
    """The folder that is called so, if it is a class."""
    folder = Path(words).expanduser().resolve()
    if not (folder / "nbgrader_config.py").exists():
        sys.exit(f"{folder} is no class: make it with python3 course.py classroom FOLDER")
    return folder


def handed_out(folder, lesson):
    """Stop where a class doesn't have a lesson."""
    if not (folder / "release" / lesson).exists():
        first = f'python3 course.py classroom "{folder}" {lesson[:2]}'
        sys.exit(f"This class has no lesson {lesson[:2]} yet. First: {first}")


@functools.cache
def git(*words):
    """What git says of the course."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def version():
    """Which commit of the course this is; a tag would be another name for it, set before or after."""
    return git("describe", "--always", "--dirty", "--exclude=*") or "unknown"


def nbgrader(folder):
    """nbgrader with the settings of the class, and with our way to run a notebook."""
    # Slides and tables know lessons too, where nbgrader is not installed.
    from nbgrader.apps import NbGraderAPI
    from nbgrader.converters import Autograde
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.preprocessors import Execute
    from running import Run
    from traitlets.config import PyFileConfigLoader

    config = PyFileConfigLoader("nbgrader_config.py", path=str(folder)).load_config()
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.db_url = f"sqlite:///{folder / 'gradebook.db'}?timeout=120"
    steps = Autograde().autograde_preprocessors
    config.Autograde.autograde_preprocessors = [Run if step is Execute else step for step in steps]
    config.Execute.shutdown_kernel = "immediate"
    config.Execute.skip_cells_with_tag = ""  # nbgrader would give a check without outputs all its points
    config.Execute.heading = f"Graded with version {version()} of the course."
    return NbGraderAPI(CourseDirectory(config=config), config=config)
