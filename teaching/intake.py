"""Bring what learners handed in into the form that nbgrader wants, and tell each of them what was put right.

What a learning platform gave, zips or files, lies in `downloaded/LESSON`, which is only read. Notebooks are
known by the ids of their cells, not by their names. `submitted` is made of them, and is nobody's only copy.
"""

import hashlib
import json
import os
import re
import time
import unicodedata
import warnings
import zipfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import nbformat
from class_folder import lessons

from pe_lessons.lessons.progress import grade_id

NO_DATE = r"(?!20\d\d_\d\d?_\d\d?\D|\d\d?_\d\d?_(?:19|20)\d\d\D|(?:20\d{4}|\d{4}20)\d\d_\d{4}(?:\d\d)?\D)"
STUDENT = [  # platforms' at the beginning only: learners choose how their files' names go on
    r"(?P<student>[^/_]+)_(?:LATE_)?" + NO_DATE + r"(?P<number>[0-9]{1,20})_[0-9]+_[^/]*",
    r"(?P<student>[^/_]+)_(?P<number>[0-9]{1,20})_assignsubmission_(?:file|onlinetext)(?:_?/|_).*",
    r"(?:.*/)?(?P<student>[^/]+)/[^/]+",  # a folder for each learner
    r"(?P<student>.+?)(?:[ _-]+(?:" + "|".join(lessons()) + r")[a-z0-9_]*(?:-\d+)?)?"  # ada_03_the_naive_loop
    r"(?: ?\(\d\d?\))?(?i:\.ipynb(?:\.txt)?)",
]
LEFT_BEHIND = re.compile(r"(^|/)(__MACOSX/|\.ipynb_checkpoints/|\._)")  # by a Mac, by Jupyter
NO_WORK = re.compile(r"(?i)(^|/)(\.[^/]*|[^/]*\.(csv|ini|db))$")  # lists, and what systems leave in folders
DEEPER = re.compile(r"/[^/]+_\d+_(?:assignsubmission_|\d+_)")  # a platform's name in a folder
LONGEST_NAME = 120  # bytes of a learner's name
UNSEEN = "\u115f\u1160\u3164\uffa0" + "".join(map(chr, range(0xFE00, 0xFE10)))  # letters without ink
IMPORT = re.compile(r"(?m)^(from|import) ")
NOT_WHOLE = (
    "The file can't be read from line {0} on ({1}). That happens when a download or an upload breaks off, "
    "when somebody edits the file as text, or when git leaves two versions in it. Open your lesson in "
    "JupyterLab, see that all is there, save it, and hand the file in again."
)
NO_NOTEBOOK = (
    "This isn't a notebook (.ipynb). Hand in the file that ends in .ipynb, as JupyterLab saved it. A "
    "print-out, a zip, a link or a text typed into a box can't be graded."
)
NOT_VALID = (
    "This notebook is not as JupyterLab writes it ({0}). Open it in JupyterLab, see that all is there, save "
    "it, and hand it in again."
)
TOO_LARGE = (
    "This file has more than {0}. In JupyterLab choose *Edit*, *Clear Outputs of All Cells*, save it, and "
    "hand it in again. If you have added much code, put your answers into the lesson as you got it."
)
NOT_UNPACKED = "This file could not be taken out of the zip ({0}). Hand in your notebook again."
NEWEST = "Your newest file could not be read, so the one before it was graded. About the newest: "
LARGEST, MOST_PARTS = 25_000_000, 2_000_000  # bytes of a notebook; brackets and commas: values take memory
MOST_CELLS, MOST_CODE = 2_000, 500_000  # bytes in UTF-8, with what is kept of prose
MOST_NAMES = 4 * 10**8  # the sum of the squares of their lengths, in a zip: so long takes reading them
MUCH = f"{MOST_CELLS:,} cells, or {MOST_CODE:,} bytes of code"
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
    newest_broken: dict = field(default_factory=dict)  # an older file of these is graded
    platform: dict = field(default_factory=dict)  # of those who came from one: "canvas" or "moodle"
    files: dict = field(default_factory=dict)  # what was downloaded of each, once: the last one counts
    unread: dict = field(default_factory=dict)  # files of which it is not known whose they are, and why


class Unreadable(Exception):
    """A file that is no notebook of the lesson; the message is for the learner."""


def collect(folder, lesson, numbers=None):
    """Put everybody's notebook into `submitted`, repaired; return the `Intake`.

    `numbers` has the learners of the class by platform and number. A platform's file is theirs by this number
    only: learners choose their names, and may take another's. A number that is not there is a learner too.
    """
    release = nbformat.read(folder / "release" / lesson / f"{lesson}.ipynb", 4)
    intake, chosen, same, called = Intake(), {}, {}, dict(numbers or {})
    handed_over = sorted(found(folder / "downloaded" / lesson, intake.unread), key=lambda one: one[-1])
    for student, name, file, content, handed_in in handed_over:
        read_as = readings(name)
        known = [one for one in read_as if one in (numbers or {})]
        if len({called[one] for one in known}) > 1:
            intake.unread[readable(file.name)] = (
                "its name has the numbers of several learners. Find out whose it is, and save it as "
                + " or ".join(f"{called[one]}.ipynb" for one in known)
            )
            continue
        if whose := known[:1] or read_as[:1] * of_platform(name):  # called as in the list, or when first seen
            student = called.setdefault(whose[0], f"{student} {whose[0][1]}")
            intake.platform[student] = whose[0][0]
        content = content()  # of one file at a time: they may be many, and large
        mark = content if isinstance(content, Unreadable) else hashlib.sha256(content).hexdigest()
        theirs = intake.files.setdefault(student, [])
        theirs[:] = [one for one in theirs if same.get(one) != mark]
        same[file] = mark
        try:
            notebook = put_right(read(content), release)
            notebook.metadata["handed_in"] = mark
            theirs.append(file)
        except Exception as problem:  # whatever a stranger wrote stops nobody else
            theirs.insert(0, file)
            why = str(problem) if isinstance(problem, Unreadable) else NOT_VALID.format(in_a_line(problem))
            (intake.newest_broken if student in chosen else intake.broken)[student] = why
            continue
        intake.broken.pop(student, None)
        intake.newest_broken.pop(student, None)
        chosen[student] = notebook, handed_in
    for student, (notebook, handed_in) in chosen.items():
        if student in intake.newest_broken:
            notebook.metadata["course_notes"].insert(0, NEWEST + intake.newest_broken[student])
        files = intake.files[student]  # where learners choose their names, another may have chosen this one
        notebook.metadata["files"] = len(files) * any(one.is_file() for one in files)
        place = folder / "submitted" / student / lesson
        try:
            place.mkdir(parents=True, exist_ok=True)
            text = nbformat.writes(notebook)
            (place / f"{lesson}.ipynb").write_text(text, encoding="utf-8", newline="")
            stamp = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(handed_in // 10**9))
            (place / "timestamp.txt").write_text(stamp)
            intake.ready[student] = notebook.metadata["course_notes"]
        except (OSError, MemoryError) as problem:
            intake.broken[student] = f"it cannot be stored: {in_a_line(problem)}"
    return intake


def found(downloads, unread):
    """Every file that may be a notebook: student, name as given, path, content, nanoseconds since 1970.

    Content is read when it is called: bytes, or an `Unreadable`. What tells of no learner goes into `unread`.
    """
    lesson = downloads.name
    names, paths = {}, []
    for top in sorted(downloads.glob("*")):
        try:
            paths += [top, *sorted(() if top.is_symlink() else top.rglob("*"))]
        except (RecursionError, OSError) as problem:
            unread[readable(top.name)] = f"put the notebook itself here ({in_a_line(problem)})"
    for path in paths:
        name = path.relative_to(downloads).as_posix()
        if path.is_file() and not path.is_symlink():  # which might lead to another learner's work
            names[path] = name
        elif not LEFT_BEHIND.search(f"{name}/") and (path.is_symlink() or not any(path.glob("*"))):
            unread[readable(name)] = "a link, an empty folder, or no file: put the notebook itself here"
    packed = [file for file in names if file.suffix.lower() == ".zip"]
    # In a learner's own folder a zip is that learner's, whatever names it holds.
    zips = {file: opened(file, unread) for file in packed if file.parent == downloads}
    singles, called = {}, {}
    for file, name in names.items():
        if handed_over(name) and not (own := student_of(file.name)).startswith(lesson):
            called.setdefault(file.parent, set()).add(own)
    for file, name in names.items():
        if DEEPER.search(name) and not of_platform(name):
            unread[readable(name)] = (
                f"move it out of its folder: a platform's files belong directly into downloaded/{lesson}"
            )
        elif file in zips or LEFT_BEHIND.search(name):
            continue
        elif file not in packed and not handed_over(name):
            if not NO_WORK.search(name):
                unread[readable(name)] = "no notebook (.ipynb): ask for it, or save it out of the mail"
        elif "/" in name and not of_platform(name) and len(called.get(file.parent, ())) > 1:
            unread[readable(name)] = (
                "its folder is taken for one learner, and holds files of several names: move them out of it, "
                f"directly into downloaded/{lesson}, or leave in it the file that counts"
            )
        elif student_of(name).lstrip("_").startswith(lesson):  # as all files are called that come by mail
            unread[readable(name)] = "whose is it? Name it after the learner, such as Ada Lovelace.ipynb"
        else:
            singles[file] = student_of(name)
    held = {file: [one for one in archive.infolist() if handed_over(one.filename)]
            for file, archive in zips.items() if archive}  # fmt: skip
    whose = {}  # in which zips a learner is named; each is read once: they may be many, of many names
    for file, one in ((file, one) for file, entries in held.items() for one in entries):
        whose.setdefault(student_of(one.filename), set()).add(file)
    for file, entries in held.items():
        owner = student_of(names[file].removesuffix(file.suffix) + ".ipynb")
        called_so = whose.get(owner, set()) - {file} or owner in singles.values()
        packs = any(of_platform(one.filename) for one in entries)
        if packs and "_assignsubmission_" not in file.name and (of_platform(names[file]) or called_so):
            unread[readable(file.name)] = "give it a different name if a platform packed it, or delete it"
        elif of_platform(names[file]) or called_so:
            singles[file] = student_of(names[file]) if of_platform(names[file]) else owner
        elif not packs:
            unread[readable(file.name)] = (
                "no zip of a learning platform: ask for the notebook itself, or unpack it and see whose it is"
            )
        else:
            yield from unpacked(file, zips[file], entries, unread)
    for file, student in singles.items():
        content = partial(Unreadable, NO_NOTEBOOK) if file in packed else partial(content_of, file)
        about = file.stat()
        possible = 315_532_800 < about.st_mtime < 4_102_444_800  # from 1980 to 2100
        when = about.st_mtime_ns if possible else about.st_ctime_ns  # when it came here
        yield student, names[file], file, content, when


def content_of(file):
    if file.stat().st_size > LARGEST:
        return Unreadable(TOO_LARGE.format(f"{LARGEST // 10**6} MB"))
    try:
        return file.read_bytes()
    except (OSError, MemoryError) as problem:
        return Unreadable(NOT_VALID.format(in_a_line(problem)))


def opened(file, unread):
    try:
        archive = zipfile.ZipFile(file)
        if sum(len(one.filename) ** 2 for one in archive.infolist()) > MOST_NAMES:
            raise ValueError("it holds too many files, or too long names")
        return archive
    except Exception as problem:  # a download that broke off
        unread[readable(file.name)] = f"the zip cannot be opened ({in_a_line(problem)}): download it again"


def readable(name):
    """A name that a terminal doesn't obey, and that can be stored; what is no UTF-8 is taken for Latin."""
    try:
        name.encode()
    except UnicodeEncodeError:
        name = os.fsencode(name).decode("latin-1")
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]", "-", name)


def without_markup(name):
    """A learner's name without the signs of HTML, JavaScript and formulas: pages show it as it is."""
    return re.sub(r"[\"`=&<>$~!]", "-", readable(name).replace("'", "’"))


def in_a_line(problem):
    """What is quoted of a stranger's file: words that mean no more to a terminal, markdown or a browser."""
    text = ""
    with suppress(RecursionError):  # it may quote what is nested deep
        text = " ".join(str(problem).split())[:120]
    return re.sub(r"[^\w .,:'()=+%-]", "-", f"{type(problem).__name__}: {text}".rstrip(": "))


def handed_over(name):
    """Notebooks, and what a platform says is a learner's, a PDF or a zip: its learner is to be told."""
    return (
        (len(name) <= 300 or of_platform(name))  # the patterns take long with more
        and not LEFT_BEHIND.search(name)
        and not name.endswith("/")
        and (of_platform(name) or name.lower().endswith((".ipynb", ".ipynb.txt")))
    )


def of_platform(name):
    """Whether a platform gave a file this name."""
    return any(re.fullmatch(pattern, name[:300], re.DOTALL) for pattern in STUDENT[:2])


def unpacked(file, archive, entries, unread):
    """The entries of a platform's zip, but for those that no platform makes."""
    names = set()
    for one in entries:
        if one.filename in names or re.match(r"[/\\]|\w:", one.filename):
            twice = "there are two, and the first one was taken" if one.filename in names else "a whole path"
            unread[readable(f"{file.name}: {one.filename}")] = f"no platform packs a file like this: {twice}"
            continue
        names.add(one.filename)
        handed_in = int(time.mktime((*one.date_time, 0, 0, -1))) * 10**9
        content = partial(content_in, archive, one)
        yield student_of(one.filename), one.filename, file / one.filename, content, handed_in


def content_in(archive, entry):
    try:
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # some grow without bound
            raise NotImplementedError(f"method {entry.compress_type}")
        content = archive.open(entry).read(LARGEST + 1)  # what it says of its size may be wrong
    except Exception as problem:  # of many kinds: encrypted, cut, of an unknown method
        return Unreadable(NOT_UNPACKED.format(in_a_line(problem)))
    return Unreadable(TOO_LARGE.format(f"{LARGEST // 10**6} MB")) if entry.file_size > LARGEST else content


def readings(name):
    """The platforms and numbers that a file's name may be meant to tell, the likeliest first.

    A name of Canvas's has the learner's own words on both sides of the number.
    """
    moodle = re.findall(r"\A[^/_]+_([0-9]{1,20})_assignsubmission_(?:file|onlinetext)", name)
    canvas = re.findall(r"(?=_" + NO_DATE + r"([0-9]{1,20})_[0-9]+_)", name) if "/" not in name else []
    return [*(("moodle", one) for one in moodle), *(("canvas", one) for one in canvas)]


def student_of(name):
    """Whose a file is, as a name that a folder can have."""
    found = (re.fullmatch(pattern, name[:300], re.DOTALL) for pattern in STUDENT)
    return next((cleaned(match["student"]) for match in found if match), "unknown")


def cleaned(student):
    """A learner's name as a folder can have it. Different names stay different, if only by an unseen sign."""
    unseen = [sign for sign in student if unicodedata.category(sign) == "Cf" or sign in UNSEEN]
    student = unicodedata.normalize("NFC", readable(student.translate(dict.fromkeys(map(ord, unseen), "_"))))
    student = re.sub(r"[\[\]*?/\\,;]", "-", without_markup(student))
    # No hidden folder, no option of a command, no formula of a spreadsheet.
    student = re.sub(r"^[\s.=@+\uff0b\uff0d\uff1d\uff20-]+|\s+$", "_", student)
    student = re.sub(r"(?i)\.(?=(zip|txt)$)", "-", student)  # `grade` writes such files
    if len(student.encode()) > LONGEST_NAME:
        student = f"{student[: LONGEST_NAME // 4]} {hashlib.sha256(student.encode()).hexdigest()[:8]}"
    return student or "unknown"


def read(content):
    """The notebook that a file holds, without outputs."""
    if isinstance(content, Unreadable):
        raise content
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise Unreadable(TOO_LARGE.format(f"{MOST_PARTS:,} values"))
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text)
    except json.JSONDecodeError as problem:
        if not text.lstrip().startswith("{"):
            raise Unreadable(NO_NOTEBOOK) from None
        raise Unreadable(NOT_WHOLE.format(problem.lineno, problem.msg)) from None
    except UnicodeDecodeError:
        raise Unreadable(NO_NOTEBOOK) from None
    if not isinstance(data, dict) or "nbformat" not in data:
        raise Unreadable(NO_NOTEBOOK)
    if data["nbformat"] != 4:  # in older ones, cells lie elsewhere, and nobody has counted them
        raise Unreadable(NOT_VALID.format("its nbformat is not 4"))
    cells = data["cells"] if isinstance(data.get("cells"), list) else []
    code = [one for one in cells if isinstance(one, dict) and one.get("cell_type") == "code"]
    room = MOST_CODE - sum(len(str(one.get("source")).encode(errors="replace")) for one in code)
    if len(cells) > MOST_CELLS or room < 0:
        raise Unreadable(TOO_LARGE.format(MUCH))
    kept = ("nbformat", "nbformat_minor", "cells")
    data = {key: data[key] for key in kept if isinstance(data.get(key), int | list)} | {"metadata": {}}
    cells[:] = [one if isinstance(one, dict) else None for one in cells]
    for cell in filter(None, cells):
        for key in cell.keys() - {"source", "metadata"}:
            if key not in ("id", "cell_type") or not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(cell[key])):
                del cell[key]
        graded = about.get("nbgrader") if isinstance(about := cell.get("metadata", {}), dict) else None
        name = graded.get("grade_id") if isinstance(graded, dict) else None
        known = {"nbgrader": {"grade_id": name}} if isinstance(name, str) and not name[LONGEST_NAME:] else {}
        cell["metadata"] = known if isinstance(about, dict) else None
        if cell.get("cell_type") == "code":
            cell.update(outputs=[], execution_count=None)
        elif prose := cell.get("source"):
            cell["source"] = "".join(prose)[: min(room, MOST_CODE // 10)]
            room -= len(cell["source"])
    # Half of an emoji, which an editor may leave, cannot be written to a file.
    text = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace").decode()
    with warnings.catch_warnings(action="ignore"):  # which gives ids to cells that have none
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook, relax_add_props=True)
    return notebook


def put_right(notebook, release):
    """The notebook with every cell that grading needs, as the release has it, with notes on what changed."""
    theirs = recognised(notebook, release)
    graded = {cell.id for cell in release.cells if grade_id(cell)}
    # A learner may have lost all checks, or all prose.
    if len(theirs.keys() & graded) <= len(graded) / 2 and len(theirs) <= len(release.cells) / 2:
        found, wanted = name_of(notebook), name_of(release)
        why = FEW_CELLS if found in (None, wanted) else OTHER_LESSON
        raise Unreadable(why.format(found, wanted))
    notes, last = [], None
    for cell in notebook.cells:
        _ = cell.metadata.pop("nbgrader", None), cell.metadata.pop("as_released", None)
        cell.source = cell.source.removeprefix("# (without colours)\n")  # of a graded notebook (running.py)
    for wanted in release.cells:
        cell, name = theirs.get(wanted.id), grade_id(wanted)
        if cell is None and wanted.cell_type == "code":
            cell = nbformat.from_dict(wanted)
            notebook.cells.insert(place_after(notebook, last), cell)
            if name or IMPORT.search(wanted.source):
                notes.append(f"The cell `{name or wanted.id}` was missing and has been put back.")
        elif cell is not None and name:
            if wanted.metadata.nbgrader.get("grade") and cell.source.strip() != wanted.source.strip():
                notes.append(f"The check `{name}` was changed, and has been put back as it was.")
                cell.source = wanted.source
            if cell.cell_type != "code":
                position = notebook.cells.index(cell)
                cell = nbformat.v4.new_code_cell(cell.source, id=cell.get("id") or wanted.id)
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
    notebook.metadata["course_notes"] = notes
    return notebook


def name_of(notebook):
    """The name of the lesson whose exercises a notebook imports, or None."""
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    found = Counter(re.findall(r"pe_lessons\.lessons\.(\w{1,60})", code)).most_common(1)
    return found[0][0] if found else None


def place_after(notebook, cell):
    """After a cell; cells are equal only if they are the same."""
    return next((n + 1 for n, one in enumerate(notebook.cells) if one is cell), 0)


def recognised(notebook, release):
    """The submitted cell for each cell of the release, by id: the surest likeness first."""
    theirs, used, names = {}, set(), {grade_id(cell) for cell in release.cells}
    likenesses = [
        lambda cell: (cell.get("id"), grade_id(cell)) if grade_id(cell) else None,  # not a copy of a check
        lambda cell: grade_id(cell) or None,
        lambda cell: cell.get("id") if grade_id(cell) in names else None,
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
        unmarked = grade_id(answer) and not answer.metadata.nbgrader.grade and answer.id not in theirs
        if unmarked and check.id in theirs:
            above = place_after(notebook, theirs[check.id]) - 2
            cell = notebook.cells[above] if above >= 0 else None
            if cell is not None and cell.cell_type == "code" and id(cell) not in used:
                theirs[answer.id] = cell
                used.add(id(cell))
    return theirs
