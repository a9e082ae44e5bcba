"""Make a folder in which nbgrader can hand out, grade and answer the lessons: one assignment per lesson.

    python course.py classroom FOLDER [LESSON ...]

Of each lesson that is named, such as 03, the folder `release` then holds what learners get.
Called again, it brings up to date what nobody changed there.
"""

import argparse
import json
import re
import shutil
import sys
from pathlib import Path

from class_folder import ROOT, git, lesson_named, lessons, nbgrader, version


def make(folder, names=None):
    """Copy nbgrader's settings and the lessons (all, or those of these names) into the folder."""
    folder = Path(folder).expanduser().resolve()
    if folder == ROOT or ROOT in folder.parents:
        raise ValueError(f"{folder} is part of the course: choose a folder outside it")
    if folder.exists() and any(folder.iterdir()) and not (folder / "nbgrader_config.py").exists():
        raise ValueError(f"{folder} holds other things: choose a folder that is empty or does not exist")
    theirs = kept(folder)
    for name, notebook in lessons().items():
        if (names is None or name in names) and name not in theirs:
            for place in ("source", ".course"):
                assignment = folder / place / name
                assignment.mkdir(parents=True, exist_ok=True)
                shutil.copy(notebook, assignment)
    settings = folder / "nbgrader_config.py"
    if not settings.exists():
        shutil.copy(ROOT / "teaching" / "nbgrader_config.py", settings)
    return folder


def kept(folder):
    """The lessons that are not as the course put them there: what a teacher changed is not written over."""
    source = folder / "source"
    pairs = [(one, folder / ".course" / one.relative_to(source)) for one in source.glob("*/*.ipynb")]
    return sorted(one.stem for one, ours in pairs if ours.exists() and one.read_bytes() != ours.read_bytes())


def release(folder, name):
    """Let nbgrader make what learners get."""
    done = nbgrader(folder).generate_assignment(name)
    if not done["success"]:
        raise ValueError(f"{name} could not be made ready:\n{done.get('log', '')}\n{done.get('error', '')}")
    (folder / "downloaded" / name).mkdir(parents=True, exist_ok=True)
    (folder / ".course" / name / "version.txt").write_text(version())


def main(arguments):
    parser = argparse.ArgumentParser(description="make a class and its lessons", prog="course.py classroom")
    parser.add_argument("folder")
    parser.add_argument("lessons", nargs="*", type=lesson_named, help="such as 03")
    options = parser.parse_args(arguments)
    names = options.lessons
    try:
        folder = make(options.folder)
        for name in names:
            release(folder, name)
    except (ValueError, OSError) as problem:
        print(f"classroom: {problem}", file=sys.stderr)
        return 2
    for name in (changed := kept(folder)):
        print(f"{name} was changed in source/ and stays so; to get the course's, delete source/{name}.")
    if not names:
        print(f'{folder} holds {len(lessons())} lessons. Next: python3 course.py classroom "{folder}" 03')
    for name in names:
        again = " --again" if any(folder.glob(f"autograded/*/{name}")) else ""  # its points may have changed
        file = folder / "release" / name / f"{name}.ipynb"
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        points = sum(cell["metadata"].get("nbgrader", {}).get("points", 0) for cell in cells)
        address = re.sub("//[^/]*@", "//", git("remote", "get-url", "origin")) or "ADDRESS"  # no password
        also = f"Save the file {name}.ipynb there first. " * (name in changed)
        print(
            f"{name} is ready, worth {points:g} points. For your platform, or an email to your class:\n\n"
            f"    Lesson {cells[0]['source'][0].strip('# ')}"
            f"    Get the course from {address} as its README says. {also}Answer the exercises in\n"
            f"    notebooks/{name}.ipynb, save this notebook, and hand it in.\n\n"
            f"{f'Attach {file}. ' * bool(also)}Put what they hand in into {folder}/downloaded/{name}. Then:\n"
            f'    python3 course.py grade "{folder}" {name[:2]}{again}'
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
