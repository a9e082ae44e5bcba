"""Bring what learners handed in into the form that nbgrader wants, and tell each of them what was put right.

What a learning platform gave, zips or files, lies in `downloaded/LESSON`; or notebooks were put by hand into
`submitted/STUDENT/LESSON`, under any name. Notebooks are known by the ids of their cells, not by their names.
"""

import io
import json
import os
import re
import shutil
import time
import zipfile
from collections import Counter
from dataclasses import dataclass, field

import nbformat

STUDENT = [  # how files and their folders tell whose they are
    r"(?:.*/)?(?P<student>[^/]+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?/.*",  # Moodle
    r"(?:.*/)?(?P<student>[^/_]+)_(?:LATE_)?(?P<number>\d+)_\d+_[^/]*",  # Canvas
    r"(?:.*/)?(?P<student>[^/]+)/[^/]+",  # a folder for each learner
    r"(?P<student>.+?)(?:[ _-]+\d\d_[a-z0-9_]+(?:-\d+)?)?(?: ?\(\d+\))?\.ipynb(?:\.txt)?",  # ada_03_a (1)
]
IMPORT = re.compile(r"(?m)^(from|import) ")
STOPS_EARLY = (
    "The file stops in the middle, as when a download or an upload breaks off. Open your lesson in "
    "JupyterLab, see that all is there, save it, and hand the file in again."
)
CONFLICT = (
    "The file holds marks of git, such as <<<<<<< and >>>>>>>: two versions of your work were not put "
    "together. Choose one of the two (git checkout --ours FILE, or --theirs), look at it in JupyterLab, and "
    "hand it in again."
)
NO_NOTEBOOK = (
    "This is no notebook (.ipynb). Hand in the file that ends in .ipynb, as JupyterLab saved it: no "
    "print-out, no zip, no link or text typed into a box."
)
OTHER_LESSON = "This is lesson {0}, not lesson {1}. Hand in your notebook of lesson {1}."
FEW_CELLS = (
    "Of lesson {1} too few cells are left in this notebook. Hand in the lesson's own file, with your answers "
    "in its cells."
)


@dataclass
class Intake:
    """What came of the files: by student, what was put right, or why nothing can be graded."""

    ready: dict = field(default_factory=dict)
    broken: dict = field(default_factory=dict)
    namesakes: dict = field(default_factory=dict)  # by the name that the platform gave them
    files: dict = field(default_factory=dict)  # what was downloaded of each: the last one counts


class Unreadable(Exception):
    """A file that is no notebook of the lesson; the message is for the learner."""


def collect(folder, lesson, namesakes=()):
    """Put everybody's notebook into `submitted`, repaired; return the `Intake`.

    Several may have one of the names in `namesakes`, also when only one of them hands in.
    """
    release = nbformat.read(folder / "release" / lesson / f"{lesson}.ipynb", 4)
    intake, chosen = Intake(), {}
    handed_over = sorted(found(folder, lesson), key=lambda one: one[3])
    intake.namesakes = names_of_several(handed_over, namesakes)
    for student, file, content, handed_in in handed_over:
        if student in intake.namesakes:
            if (number := platforms_number(file)) is None:  # from the days when one had handed in
                keep_original(folder / "originals" / student / lesson, file, content, file.name)
                shutil.rmtree(file.parent)
                continue
            student = f"{student} {number}"
        downloaded = file.relative_to(folder).parts[0] == "downloaded"
        theirs = intake.files.setdefault(student, []) if downloaded else []
        try:
            notebook, notes = put_right(read(content), release)
            theirs.append(file)
        except Unreadable as problem:
            theirs.insert(0, file)
            if student not in chosen:
                intake.broken[student] = f"{file}: {problem}"
            continue
        intake.broken.pop(student, None)
        intake.ready[student] = notes
        if not downloaded and b'"course_notes"' not in content:  # which only repaired notebooks have
            keep_original(folder / "originals" / student / lesson, file, content, f"{lesson}.ipynb")
        chosen[student] = nbformat.writes(notebook), handed_in, downloaded
    for student, (text, handed_in, downloaded) in chosen.items():
        place = folder / "submitted" / student / lesson
        place.mkdir(parents=True, exist_ok=True)
        target, stamp = place / f"{lesson}.ipynb", place / "timestamp.txt"
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
        os.utime(target, ns=(handed_in, handed_in))  # by which it is known again
        if downloaded or not stamp.exists():
            stamp.write_text(time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(handed_in // 10**9)))
    return intake


def found(folder, lesson):
    """Every file that may be a notebook: student, path, content, nanoseconds since 1970."""
    for place in sorted((folder / "submitted").glob(f"*/{lesson}")):
        files = [file for file in place.rglob("*") if file.is_file() and file.name != "timestamp.txt"]
        for file in sorted(files):
            yield place.parent.name, file, file.read_bytes(), file.stat().st_mtime_ns
    downloads = folder / "downloaded" / lesson
    for file in sorted(path for path in downloads.rglob("*") if path.is_file()):
        if file.suffix == ".zip":
            yield from unpacked(file)
        elif handed_over(name := file.relative_to(downloads).as_posix()):
            yield student_of(name), file, file.read_bytes(), file.stat().st_mtime_ns


def handed_over(name):
    """Notebooks, and what a platform says is a learner's, a PDF or a zip: its learner is to be told."""
    theirs = any(re.fullmatch(pattern, name) for pattern in STUDENT[:2])
    return (
        "__MACOSX" not in name
        and not name.endswith("/")
        and (theirs or name.endswith((".ipynb", ".ipynb.txt")))
    )


def unpacked(file):
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as archive:
        for one in archive.infolist():
            if handed_over(one.filename):
                handed_in = int(time.mktime((*one.date_time, 0, 0, -1))) * 10**9
                yield student_of(one.filename), file / one.filename, archive.read(one), handed_in


def platforms_number(file):
    """Moodle's number of the hand-in, Canvas's of the learner: by it those of one name are told apart."""
    found = (re.fullmatch(pattern, file.as_posix()) for pattern in STUDENT[:2])
    return next((match["number"] for match in found if match), None)


def names_of_several(files, known):
    """Who share a name, as far as the platform's numbers tell: {name: what they are called here}."""
    numbers = {}
    for student, file, *_ in files:
        if number := platforms_number(file):
            numbers.setdefault(student, set()).add(number)
    return {
        student: [f"{student} {number}" for number in sorted(theirs)]
        for student, theirs in numbers.items()
        if len(theirs) > 1 or student in known
    }


def student_of(name):
    for pattern in STUDENT:
        if match := re.fullmatch(pattern, name):
            return re.sub(r"[\[\]*?/\\,]", "-", match["student"]).strip() or "unknown"
    return "unknown"


def keep_original(place, file, content, name):
    """Leave in `submitted` the repaired notebook only; what was put there is kept in `originals`."""
    kept = place / file.name
    if kept.exists() and kept.read_bytes() != content:
        kept = kept.with_stem(f"{kept.stem} of {time.strftime('%Y-%m-%d %H.%M.%S')}")
    place.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(content)
    if file.name != name:
        file.unlink()


def read(content):
    try:
        text = content.decode("utf-8-sig")
        if re.search(r"^(<{7}|>{7}) ", text, re.MULTILINE):
            raise Unreadable(CONFLICT)
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validator.normalize(notebook)
        notebook.cells  # noqa: B018
    except json.JSONDecodeError:
        raise Unreadable(STOPS_EARLY if text.lstrip().startswith("{") else NO_NOTEBOOK) from None
    except Unreadable:
        raise
    except nbformat.reader.NotJSONError:
        raise Unreadable(STOPS_EARLY if text.lstrip().startswith("{") else NO_NOTEBOOK) from None
    except Exception:  # nbformat's are of many kinds
        raise Unreadable(NO_NOTEBOOK) from None
    return notebook


def grade_id(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def put_right(notebook, release):
    """The notebook with every cell that grading needs, as the release has it; what was changed, in words."""
    theirs = recognised(notebook, release)
    graded = {cell.id for cell in release.cells if grade_id(cell)}
    # A learner may have lost all checks, or all prose.
    if len(theirs.keys() & graded) <= len(graded) / 2 and len(theirs) <= len(release.cells) / 2:
        found, wanted = number_of(notebook), number_of(release)
        why = FEW_CELLS if found in (None, wanted) else OTHER_LESSON
        raise Unreadable(why.format(found, wanted))
    notes, last = list(notebook.metadata.get("course_notes", [])), None
    for cell in notebook.cells:
        cell.metadata.pop("nbgrader", None)
        cell.metadata.pop("as_released", None)
    for wanted in release.cells:
        cell, name = theirs.get(wanted.id), grade_id(wanted)
        if cell is None and wanted.cell_type == "code":
            cell = nbformat.from_dict(wanted)
            notebook.cells.insert(place_after(notebook, last), cell)
            if name or IMPORT.search(wanted.source):
                notes.append(f"The cell `{name or wanted.id}` was missing and has been put back.")
        elif cell is not None and name:
            if wanted.metadata.nbgrader.get("grade") and cell.source != wanted.source:
                notes.append(f"The check `{name}` was changed, and has been put back as it was.")
                cell.source = wanted.source
            if cell.cell_type != "code":
                position = notebook.cells.index(cell)
                cell = nbformat.v4.new_code_cell(cell.source, id=cell.id)
                notebook.cells[position] = cell
            cell.metadata = nbformat.from_dict(wanted.metadata)
        if cell is not None and not name:
            if cell.source == wanted.source:
                cell.metadata["as_released"] = True
            elif IMPORT.search(wanted.source) and all(one.source != wanted.source for one in notebook.cells):
                # What the checks need is imported first, whatever an older version or the learner imports.
                known = {"id": f"{wanted.id}-released", "metadata": {"as_released": True}}
                first = nbformat.v4.new_code_cell(wanted.source, **known)
                notebook.cells.insert(place_after(notebook, cell) - 1, first)
        last = cell if cell is not None else last
    notebook.metadata = nbformat.from_dict(release.metadata)
    notebook.metadata["course_notes"] = list(dict.fromkeys(notes))
    return notebook, notebook.metadata["course_notes"]


def number_of(notebook):
    """The number of the lesson whose exercises a notebook imports, or None."""
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    found = Counter(re.findall(r"pe_lessons\.exercises\.lesson_(\d\d)", code)).most_common(1)
    return found[0][0] if found else None


def place_after(notebook, cell):
    """After a cell; cells are equal only if they are the same."""
    return next((n + 1 for n, one in enumerate(notebook.cells) if one is cell), 0)


def recognised(notebook, release):
    """The submitted cell for each cell of the release, by id: the surest likeness first."""
    theirs, used, names = {}, set(), {grade_id(cell) for cell in release.cells}
    likenesses = [
        lambda cell: (cell.get("id"), grade_id(cell)) if grade_id(cell) else None,  # not a copy of a check
        grade_id,
        lambda cell: cell.get("id") if grade_id(cell) in (*names, None) else None,
        lambda cell: (cell.cell_type, cell.source.strip()),
    ]
    for likeness in likenesses:
        for wanted in (cell for cell in release.cells if cell.id not in theirs):
            for cell in notebook.cells:
                key = likeness(wanted)
                if key is not None and likeness(cell) == key and id(cell) not in used:
                    theirs[wanted.id] = cell
                    used.add(id(cell))
                    break
    # An answer that has lost all that marks it stands above its check.
    for answer, check in zip(release.cells, release.cells[1:]):
        if grade_id(answer) and answer.id not in theirs and check.id in theirs:
            above = place_after(notebook, theirs[check.id]) - 2
            cell = notebook.cells[above] if above >= 0 else None
            if cell is not None and cell.cell_type == "code" and id(cell) not in used:
                theirs[answer.id] = cell
                used.add(id(cell))
    return theirs
