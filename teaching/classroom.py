"""Make a folder in which nbgrader can hand out, grade and answer the lessons: one assignment per lesson.

    python course.py classroom FOLDER

Called again, it brings the lessons in the folder up to date and leaves everything else there as it is.
"""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def lessons():
    """The course's notebooks, by their names without the ending."""
    found = sorted((ROOT / "notebooks").glob("*.ipynb"))
    return {path.stem: path for path in found if ".mine" not in path.name}  # copies that a learner keeps


def make(folder, names=None):
    """Copy nbgrader's settings and the lessons (all, or those of these names) into the folder.

    Raises
    ------
    ValueError
        If the folder holds other things than a class, or lies inside the course.
    """
    folder = Path(folder).expanduser().resolve()
    if folder == ROOT or ROOT in folder.parents:
        raise ValueError(f"{folder} is part of the course: choose a folder outside it")
    if folder.exists() and any(folder.iterdir()) and not (folder / "nbgrader_config.py").exists():
        raise ValueError(f"{folder} holds other things: choose a folder that is empty or does not exist")
    for name, notebook in lessons().items():
        if names is None or name in names:
            assignment = folder / "source" / name
            assignment.mkdir(parents=True, exist_ok=True)
            shutil.copy(notebook, assignment)
    settings = folder / "nbgrader_config.py"
    if not settings.exists():
        shutil.copy(ROOT / "teaching" / "nbgrader_config.py", settings)
    return folder


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python course.py classroom FOLDER", file=sys.stderr)
        return 2
    try:
        folder = make(arguments[0])
    except (ValueError, OSError) as problem:
        print(f"classroom: {problem}", file=sys.stderr)
        return 2
    activate = r".venv\Scripts\activate" if sys.platform == "win32" else "source .venv/bin/activate"
    first = next(iter(lessons()))
    print(
        f"{folder} holds {len(lessons())} lessons. Next, for each lesson you teach (teaching/GUIDE.md):\n\n"
        f'    {activate} && cd "{folder}"\n'
        f"    nbgrader generate_assignment {first}\n"
        f"    (hand out release/{first}; put answers into submitted/STUDENT/{first})\n"
        f"    nbgrader autograde {first}\n"
        f"    nbgrader generate_feedback {first}\n"
        f"    nbgrader export"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
