"""Grade what a class handed in: every kernel in a sandbox, several at once.

    python course.py grade FOLDER LESSON [--student NAME | --again] [--jobs 2]

LESSON is a number such as 03, or a name. Files lie in FOLDER/downloaded/LESSON (zips of a learning platform,
or notebooks). Called again, it goes on: it grades what is new and what was not finished; --student grades
one learner again, --again everybody. Points given by hand stay.
The exit status is 1 where it stopped or nbgrader failed. A file that is no notebook is no failure: it is
listed, and its learner told.
"""

import argparse
import contextlib
import csv
import ctypes
import functools
import html
import io
import itertools
import json
import multiprocessing.connection
import os
import re
import signal
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import intake
import nbformat
import psutil
import sandbox
from class_folder import class_folder, handed_out, lesson_named, nbgrader, version
from nbgrader.api import Gradebook
from nbgrader.utils import parse_utc
from sqlalchemy.exc import DatabaseError

MEMORY = 10 << 30  # bytes of addresses that grading one notebook may ask for, outside its sandbox
AFTER = 300  # seconds on the clock for all that is done before and after a notebook is in its sandbox
WITHOUT_POINTS = re.compile(  # 0.0 of 0.0, in the list at the top and above a check, looks like a lost mark
    r'<li><a href="#[^>]*>[^<]*</a> \(Score: 0\.0 / 0\.0\)</li>|Score: 0\.0 / 0\.0 (?=<a href="#top">)'
)
FROM_MOODLE = re.compile(r".+?_[0-9]+_assignsubmission_(?:file|onlinetext)(?:_?/|_)")
csv.field_size_limit(10**9)  # Moodle's worksheet holds what learners typed into a box
OURS = ("id", "numbers")  # what `read_roster` adds
WHICH_LIST = (
    "roster.csv lacks the numbers of some files from a platform. Save Moodle's grading worksheet of this "
    "assignment (in English) or Canvas's export of the gradebook as roster.csv, or give these learners an id"
)
STOPPED = "grading did not come to it, or was stopped: call grade again"
FAILED = "nbgrader could not grade it: look at nbgrader.log. A new file, or --student, tries again"
NOT_GRADED = (
    "The program that grades could not work with this notebook. Your teacher knows. You can save it in "
    "JupyterLab and hand it in again; if that is no help, copy your answers into the lesson as you got it."
)


def serve(mine, place):
    """Grade what is asked for through a pipe, in a process of its own, whose files lie in `place`."""
    tempfile.tempdir = place
    signal.signal(signal.SIGINT, lambda *_: None)  # the terminal tells all, and the first one ends the others
    import resource  # Windows, where nobody grades, has none

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # when the one that started it ends
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    while True:
        words = mine.recv()
        try:
            problem = grade_one(*words)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        mine.send(problem and problem[-10_000:])


class Worker:
    """A process that grades, bounded from outside: whatever library hangs in it, the others go on."""

    def __init__(self, place):
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, place), daemon=True)
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # for the other, while it starts
        self.process.start()
        signal.signal(signal.SIGINT, interrupt)
        theirs.close()

    def begin(self, folder, lesson, student):
        self.student, self.began = student, time.monotonic()
        self.seen = self.began
        with contextlib.suppress(OSError):  # it has ended, as will be seen
            self.pipe.send((folder, lesson, student))

    def hangs(self):
        """Whether its sandbox ended long ago, or should have."""
        now = time.monotonic()
        with contextlib.suppress(psutil.Error):
            if any(one.status() != "zombie" for one in psutil.Process(self.process.pid).children()):
                self.seen = now
        whole = sandbox.PATIENCE * sandbox.SECONDS + 2 * AFTER
        return now - self.seen > AFTER or now - self.began > whole


def grade_one(folder, lesson, student):
    """Grade one submission and write its feedback page; what nbgrader said, if that failed."""
    mark_graded(folder, lesson, student, "stopped")  # until it is done
    api, page = nbgrader(folder), folder / "feedback" / student / lesson / f"{lesson}.html"
    done = api.autograde(lesson, student, force=True)
    if done["success"]:
        done = api.generate_feedback(lesson, student, force=True)
    if not (done["success"] and page.exists()):
        return f"{done.get('log', '')}\n{done.get('error', 'no page')}"
    text = page.read_text(encoding="utf-8").replace("<html>", '<html lang="en">')
    text = re.sub(r'(<a href="#(\w+)-check">)Test cell', r"\1\2", text)  # exercises by their names
    page.write_text(WITHOUT_POINTS.sub("", text), encoding="utf-8")
    mark_graded(folder, lesson, student)
    return None


def graded_in_turn(folder, lesson, todo, jobs):
    """Grade everybody, several at once; give each with what went wrong."""
    left, busy, idle = list(todo), [], []
    with tempfile.TemporaryDirectory(prefix="grade_", ignore_cleanup_errors=True) as place:
        try:
            while left or busy:
                while left and len(busy) < max(1, jobs):
                    busy.append(idle.pop() if idle else Worker(place))
                    busy[-1].begin(folder, lesson, left.pop(0))
                multiprocessing.connection.wait([one.pipe for one in busy], 1)
                for one in [one for one in busy if one.pipe.poll() or one.hangs()]:
                    busy.remove(one)
                    problem = "the process that graded it ended, or hung and was ended"
                    with contextlib.suppress(EOFError, OSError):
                        if one.pipe.poll():
                            problem = one.pipe.recv()
                            idle.append(one)
                    if one not in idle:
                        end(one.process)
                    yield one.student, problem
        finally:  # also where somebody stops us
            for process in multiprocessing.active_children():
                end(process)


def end(process):
    """Kill a process of ours with all that it started."""
    for one in sandbox.family_of(process.pid) if process.is_alive() else ():
        with contextlib.suppress(psutil.Error):
            one.kill()
    process.join(10)


def mark_graded(folder, lesson, student, *how):
    """Note which submission was graded, with which version; or how it was not, "failed" or "stopped"."""
    words = handed_in(folder, lesson, student), version(), *how
    file = folder / "feedback" / student / lesson / "graded.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(words) + "\n")


def last_graded(folder, lesson, student):
    """What `mark_graded` noted, or nothing."""
    file = folder / "feedback" / student / lesson / "graded.txt"
    return file.read_text().split() if file.exists() else []


def handed_in(folder, lesson, student):
    """What tells one version of a submission from another, and whether a newer file was broken."""
    text = (folder / "submitted" / student / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8")
    about = json.loads(text)["metadata"]
    return about["handed_in"] + "+newest" * (intake.NEWEST in str(about["course_notes"]))


def is_done(folder, lesson, student):
    """Also where nbgrader failed, as it would fail again."""
    words = last_graded(folder, lesson, student)
    return words[:1] == [handed_in(folder, lesson, student)] and "stopped" not in words


def take_back_points_by_hand(folder, lesson, student):
    """Take away points that were typed for an older file, and say what they were: {exercise: points}."""
    before, taken = last_graded(folder, lesson, student), {}
    same = handed_in(folder, lesson, student).removesuffix("+newest")
    if not before or before[0].removesuffix("+newest") == same:
        return taken
    with grades(folder, lesson) as all_grades:
        for who, name, grade in all_grades:
            if who == student and (grade.manual_score is not None or grade.extra_credit):
                taken[name] = (grade.manual_score or 0) + (grade.extra_credit or 0)
                grade.manual_score, grade.extra_credit = None, None
    return taken


def write_times(folder, lesson):
    """Tell the grade book when files were handed in: a teacher may have set the time after grading."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        for submission in gradebook.assignment_submissions(lesson):
            stamp = folder / "submitted" / submission.student.id / lesson / "timestamp.txt"
            with contextlib.suppress(OSError, ValueError):  # not there, or of a year that cannot be
                submission.timestamp = parse_utc(stamp.read_text())
        gradebook.db.commit()


def graded_with(folder, lesson, student):
    return [*last_graded(folder, lesson, student)[1:2], version()][0]


@contextlib.contextmanager
def grades(folder, lesson):
    """Every grade of a lesson that is in the grade book, as (student, exercise, grade); changes are kept."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        yield [
            (submission.student.id, grade.name.removesuffix("-check"), grade)
            for submission in gradebook.assignment_submissions(lesson)
            for notebook in submission.notebooks
            for grade in notebook.grades
        ]
        gradebook.db.commit()


def points(folder, lesson):
    """The points of every graded submission: {student: {exercise: (given, maximum)}}; quizzes give none."""
    found = {}
    with grades(folder, lesson) as all_grades:
        for student, name, grade in all_grades:
            theirs = found.setdefault(student, {})
            if grade.max_score:
                theirs[name] = (grade.score, grade.max_score)
    return found


def points_by_hand(folder, lesson):
    """In which exercises somebody typed points or extra points into Formgrader: {student: {exercise}}."""
    found = {}
    with grades(folder, lesson) as all_grades:
        for student, name, grade in all_grades:
            if grade.manual_score is not None or grade.extra_credit:
                found.setdefault(student, set()).add(name)
    return found


def check_grade_book(folder, lesson, again=False):
    """Stop where it lost what was graded (not where grading was stopped): marks from it would be empty."""
    try:
        known = points(folder, lesson) if (folder / "gradebook.db").exists() else {}
    except DatabaseError as problem:
        lost = f"gradebook.db cannot be read ({problem.orig})"
    else:
        found = {place.parent.name for place in folder.glob(f"autograded/*/{lesson}")} - known.keys()
        unknown = {one for one in found if "stopped" not in last_graded(folder, lesson, one)}
        if again or not unknown:
            return
        lost = f"gradebook.db does not know whose work was graded: {', '.join(sorted(unknown))}"
    sys.exit(
        f"{lost}.\nPut the whole folder back from your backup. Without one, delete gradebook.db, then\n"
        f'    python3 course.py classroom "{folder}" {lesson[:2]}\n'
        f'    python3 course.py grade "{folder}" {lesson[:2]} --again\n'
        "Points given by hand are gone then. Nothing was graded or written now."
    )


def explain(folder, lesson, student, why):
    """A feedback page for a submission that could not be graded."""
    page = folder / "feedback" / student / lesson / f"{lesson}.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{lesson}</title>'
        f"<h1>{lesson}: not graded</h1><p>{html.escape(why)} If you can't, ask your teacher.</p></html>",
        encoding="utf-8",
    )


def table_in(file):
    """The rows of a CSV file, as a platform or a spreadsheet saved it."""
    content = file.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:  # as Excel saves it where a Windows of the West runs
        text = content.decode("cp1252", "replace")
    return csv.DictReader(io.StringIO(text, newline=""))


def read_roster(folder):
    """The lines of roster.csv, each with the `id` and the platforms' `numbers` of its learner.

    An `id` is what a learner is called here. Where the list has none, it is made of name and number, and who
    has no number either is left out. Moodle has other numbers in each assignment, and groups have their own.
    """
    file, roster = folder / "roster.csv", []
    for row in table_in(file) if file.exists() else ():
        identifier = row.get("Identifier") or "" if "Group" not in row else ""
        moodle = re.findall(r"[0-9]{1,20}\Z", identifier.strip())
        canvas = re.findall(r"\A[0-9]{1,20}\Z", row.get("ID") or "") if "Student" in row else []
        row["numbers"] = [*(("moodle", one) for one in moodle), *(("canvas", one) for one in canvas)]
        in_canvas = re.sub(r"[\s,.'’()-]", "", row.get("Student") or "").lower()  # nearly as in a file's name
        name = (row.get("Full name") or identifier.strip("0123456789 ")).strip() if moodle else in_canvas
        made = [f"{intake.cleaned(name)} {number}" for _, number in row["numbers"]]
        row["id"] = row.get("id") or "".join(made[:1])
        roster += [row] * bool(row["id"])
    if paths := [intake.readable(row["id"]) for row in roster if re.search(r"\A\.|[/\\]", row["id"])]:
        sys.exit(f"grade: an id in roster.csv is the name of one folder, and no path: {', '.join(paths)}")
    return [row | {"id": intake.cleaned(row["id"])} for row in roster]  # as in a file's name


def people(folder):
    """Everybody in roster.csv: what the platforms know of them, and what they are called here.

    A list of one's own may have a line for each group in which a learner worked.
    """
    found = {}
    for row in read_roster(folder):
        known = tuple(str(value or "") for column, value in row.items() if column not in OURS)
        _, names = found.setdefault(known if any(known) else row["id"], (row, []))
        names.append(row["id"])
    return list(found.values())


def write_feedback(folder, lesson, taken, given, only=None):
    """Everybody's page for Moodle, the graded notebooks for Canvas, in a zip for each.

    They have the names in which the platform gave the files, because it takes them back by these.
    """
    downloads, place = folder / "downloaded" / lesson, Path("feedback", only or "")
    with contextlib.ExitStack() as opened:  # each page is written as it comes: they may be many, and large

        @functools.cache
        def archive(platform):
            target = folder / place / f"{lesson}_{platform}.zip"
            return opened.enter_context(zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED))

        for student, handed_in in sorted(taken.files.items()):
            if only not in (None, student):
                continue
            page = folder / "feedback" / student / lesson / f"{lesson}.html"
            *above, file = (intake.readable(name) for name in handed_in[-1].relative_to(downloads).parts)
            # A folder for each, or none. The first such name is the platform's; learners choose the rest.
            begin = next(filter(None, map(FROM_MOODLE.match, [*(f"{name}/" for name in above), file])), None)
            canvas = taken.platform.get(student) == "canvas" and re.search(r"_[0-9]+_[0-9]+_", file)
            if begin and not canvas and page.exists():
                archive("moodle").write(page, f"{begin[0]}{lesson}.html")
            if canvas and student in given:
                notebook = nbformat.read(folder / "autograded" / student / lesson / f"{lesson}.ipynb", 4)
                lines = [f"{one}: {score:g} of {most:g}" for one, (score, most) in given[student].items()]
                lines += ["The replies are below the checks.", *notebook.metadata.get("course_notes", [])]
                notebook.cells.insert(0, nbformat.v4.new_markdown_cell("\n\n".join(["# Graded", *lines])))
                archive("canvas").writestr(file, nbformat.writes(notebook))


def write_grades(folder, lesson, given, broken, gone):
    """A table with a row for each learner and exercise, and one for each learning platform.

    `gone` are the points of those who have no file under their name any more. Returns {file: who keeps there
    the mark of an earlier run}: a platform would take an empty cell for a mark that is taken back.
    """
    place, kept = folder / "grades", {}
    place.mkdir(exist_ok=True)
    with (place / f"{lesson}.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["student", "exercise", "points", "maximum", "course", "remark"])
        for student, grades in sorted((given | gone).items()):
            for name, (score, most) in grades.items():
                course = graded_with(folder, lesson, student)
                remark = "no file under this name now" if student in gone else ""
                table.writerow([student, name, f"{score:g}", f"{most:g}", course, remark])
        for student, why in sorted(broken.items()):
            table.writerow([student, "", "", "", version(), f"not graded: {why}"])
    totals = {student: sum(score for score, _ in grades.values()) for student, grades in given.items()}
    most = max((sum(one for _, one in grades.values()) for grades in (given | gone).values()), default=0)
    canvas = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    moodle = ["Email address", "Identifier", "Last modified (grade)"]  # which its grading worksheet has
    forms = {  # by what these platforms know a learner, what else they want, and what they call the rest
        "canvas": (["ID"], canvas, ["    Points Possible"]),
        "moodle": (moodle[:2], moodle, None),  # no addresses where submissions are anonymous
    }
    for platform, (known, columns, first) in forms.items():
        target = place / f"{lesson}_{platform}.csv"
        before = {}
        if target.exists():
            table = table_in(target)
            last = (table.fieldnames or [""])[-1]  # the marks
            before = {row[one]: row[last] for row in table for one in known if row.get(one) and row.get(last)}
        rows = [(row, names) for row, names in people(folder) if any(map(row.get, columns[: len(known)]))]
        if not rows:
            target.unlink(missing_ok=True)
            continue
        with target.with_suffix(".new").open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            exported = re.compile(rf"{lesson} \(\d+\)")  # as Canvas calls it, with its number
            title = next(filter(exported.fullmatch, filter(None, rows[0][0])), lesson if first else "Grade")
            table.writerow([*columns, title])
            if first:
                table.writerow([*first, *[""] * (len(columns) - 1), f"{most:g}"])
            for row, names in rows:
                # Where two give one address, none of them lowers the mark of the other.
                score = max((totals[name] for name in names if name in totals), default="")
                score = score if score == "" else f"{score:g}"
                old = [before[row[one]] for one in known if row.get(one) in before]
                if not score and (score := "".join(old[:1])):
                    kept.setdefault(target, []).append(names[-1])
                table.writerow([*(row.get(column, "") for column in columns), score])
        target.with_suffix(".new").replace(target)  # whoever stops this loses no kept mark
    return kept


def grade(folder, lesson, again=False, student=None, jobs=2):
    """Grade a lesson of a class; return the points, and why some of it could not be graded."""
    start = time.monotonic()
    check_grade_book(folder, lesson, again)
    handed_out(folder, lesson)
    roster = people(folder)
    taken = intake.collect(folder, lesson, {one: row["id"] for row, _ in roster for one in row["numbers"]})
    if student is not None and student not in taken.ready:
        there = ", ".join(sorted(taken.ready))
        sys.exit(f"grade: of {student!r} there is nothing to grade; there is of {there}")
    todo = [one for one in sorted(taken.ready) if again or not is_done(folder, lesson, one)]
    todo = todo if student is None else [student]
    lost = f", {len(taken.broken)} that can't be graded" if taken.broken else ""
    done = len(taken.ready) - len(todo)
    print(f"{len(taken.ready)} to grade, {done} of them done{lost}; {jobs} at a time")
    for one, files in taken.files.items():
        place = folder / "downloaded" / lesson
        names = [intake.readable(str(file.relative_to(place))) for file in files]
        names = [name for name in names if ".ipynb" in name.lower()]
        if len(names) > 1 and one not in taken.newest_broken:
            print(f"  {one}: {len(names)} files, the newest counts: {names[-1]}")
    for one in todo:
        for name, score in take_back_points_by_hand(folder, lesson, one).items():
            print(f"  {one}: {score:g} by hand for {name} was for an older file, and counts no more")
    failed, number = [], itertools.count(1)
    once, again = graded_in_turn(folder, lesson, todo, jobs), graded_in_turn(folder, lesson, failed, 1)
    for one, problem in itertools.chain(once, again):
        if problem and one not in failed:  # once more, alone: the machine may have had no room for it
            failed.append(one)
            print(f"\r  {one}: not graded at the first try, so once more at the end", flush=True)
            continue
        if problem:
            explain(folder, lesson, one, NOT_GRADED)
            mark_graded(folder, lesson, one, "failed")
            with (folder / "nbgrader.log").open("a", encoding="utf-8", errors="replace") as log:
                told = map(intake.readable, str(problem)[: 10**5].splitlines())
                log.write("\n".join([f"{lesson}, {one}:", *told, ""]))
        print(f"\r  {next(number)} of {len(todo)}", end="", flush=True)
    broken = taken.broken | {one: STOPPED for one in taken.ready if not is_done(folder, lesson, one)}
    broken |= {one: FAILED for one in taken.ready if "failed" in last_graded(folder, lesson, one)}
    for one, why in taken.broken.items():
        explain(folder, lesson, one, why)
    write_times(folder, lesson)
    all_points = points(folder, lesson)
    given = {one: grades for one, grades in all_points.items() if one in taken.ready.keys() - broken}
    gone = {one: all_points[one] for one in all_points.keys() - taken.ready.keys() - broken.keys()}
    kept = write_grades(folder, lesson, given, broken, gone)
    write_feedback(folder, lesson, taken, given)
    if student in taken.files:  # after an appeal: one page, in a zip of its own
        write_feedback(folder, lesson, taken, given, student)
        for name in sorted((folder / "feedback" / student).glob(f"{lesson}_*.zip")):
            print(f"  to give back this one only: {name}")
    print(f"\r  {len(todo)} graded in {time.monotonic() - start:.0f} s")
    first = folder / ".course" / lesson / "version.txt"
    versions = {first.read_text() if first.exists() else version()}
    versions |= {graded_with(folder, lesson, one) for one in given}
    if len(versions) > 1:
        print(f"  handed out and graded with several versions of the course: {', '.join(sorted(versions))}")
    mail = {name: row.get("Email address") for row, names in roster for name in names}
    for words, reasons in (("not graded", broken), ("an older file was graded", taken.newest_broken)):
        for one, why in reasons.items():
            about = filter(None, map(intake.readable, [mail.get(one) or "", taken.files[one][0].name]))
            print(f"  {words}: {one} ({', '.join(about)}):\n    {why}")
    for name, why in taken.unread.items():
        print(f"  NOT READ: {name}: {why}")
    stored = {place.parent.name for place in folder.glob(f"submitted/*/{lesson}")}
    if lost := sorted((stored | gone.keys()) - taken.ready.keys() - broken.keys()):
        print(f"  no file in downloaded has this name (any more): {', '.join(lost)}")
    for file, names in kept.items():
        print(f"  marks kept from an earlier run (to drop them, delete {file} first): {', '.join(names)}")
    handed_in, called = taken.ready.keys() | taken.broken.keys(), {name for _, all in roster for name in all}
    strangers = handed_in - called if (folder / "roster.csv").exists() else set()
    silent = {names[-1] for _, names in roster if handed_in.isdisjoint(names)}
    if strangers:
        print(f"  not in roster.csv, so in no table for a platform: {', '.join(sorted(strangers))}")
    if silent:
        print(f"  in roster.csv, but handed in nothing: {', '.join(sorted(silent))}")
    if taken.platform.keys() & strangers:
        print(f"  {WHICH_LIST}")
    if not roster:
        print("  no roster.csv, or nobody in it has a number or an id: we can't say who handed in nothing")
    return given, broken


def main(arguments):
    parser = argparse.ArgumentParser(description="grade a lesson of a class", prog="course.py grade")
    parser.add_argument("folder", type=class_folder)
    parser.add_argument("lesson", type=lesson_named)
    parser.add_argument("--again", action="store_true", help="everybody once more")
    parser.add_argument("--student", help="this one only, once more")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="how many at a time")
    options = parser.parse_args(arguments)
    folder, lesson = options.folder, options.lesson
    if problem := sandbox.missing():
        sys.exit(f"grade: no sandbox for learners' code: {problem}. Nothing was graded.")
    if hasattr(os, "getuid") and os.getuid() == 0:
        print("You are root, whose processes the system does not bound: better grade as another user")
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # and not ignored, as under nohup
            signal.signal(number, signal.default_int_handler)
    try:
        _, broken = grade(folder, lesson, options.again, options.student, options.jobs)
    except KeyboardInterrupt:
        sys.exit("\nStopped. What was graded is kept, and no marks were written. Call it again: it goes on.")
    print(f'Next: python3 course.py review "{folder}" {lesson[:2]}\nAfter the last deadline, give back:')
    zips = sorted(folder.glob(f"feedback/{lesson}_*.zip"))  # of files that came from a platform
    tables = [table for one in zips if (table := folder / "grades" / f"{one.stem}.csv").exists()]
    own = [f"{folder}/feedback/NAME/{lesson}/{lesson}.html", folder / "grades" / f"{lesson}.csv"]
    print(*(f"  {file}" for file in [*zips, *tables] or own), sep="\n")
    return 1 if FAILED in broken.values() else 0  # files that are no notebooks were dealt with


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
