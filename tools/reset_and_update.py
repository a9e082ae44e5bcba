"""Fresh lessons, without losing what you wrote into the old ones.

    python course.py reset 03 [05 ...]
        takes lessons as the course has them; yours stay beside them, as 03_....mine.ipynb
    python course.py update
        gets what is new in the course; where it and you changed the same lesson, yours is kept in that way

Both take the lessons from git, and so need a folder that `git clone` made.
"""

import itertools
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NO_CLONE = """\
Fresh lessons come from git, and this folder is not one that git clone made.
Get the course again, into a different folder, and copy the lessons in which you wrote into it, renamed."""


class Refused(Exception):
    """Why nothing was done."""


def git(*words):
    """What git prints."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    except FileNotFoundError:
        raise Refused("Fresh lessons come from git, and git is not installed here.") from None
    if done.returncode:
        raise Refused(done.stderr.strip())
    return done.stdout


def lessons(*words):
    """The notebooks that a command of git lists, all of them or none below this folder."""
    return git(*words, "-z", "--", "notebooks/*.ipynb").split("\0")[:-1]


def differing(*commits):
    return set(lessons("diff", "--name-only", "--no-renames", "--relative", *commits))


def keep(path):
    """Copy a notebook to the first free name of 03_loop.mine.ipynb, 03_loop.mine2.ipynb, ..."""
    content = path.read_bytes()
    for number in itertools.count(1):
        mine = path.with_suffix(f".mine{number if number > 1 else ''}.ipynb")
        try:
            with mine.open("xb") as file:
                file.write(content)
        except FileExistsError:
            continue
        except OSError:
            mine.unlink()  # the disk was full: half a copy must not pass for one
            raise
        return mine


def freshen(name):
    """Put HEAD's notebook into its place; give the path where the old one is now, None if there was none."""
    path = ROOT / name
    mine = keep(path) if path.exists() else None
    try:
        git("checkout", "HEAD", "--", name)
    except Refused:
        if mine:
            mine.unlink()
        raise
    return mine


def tell(name, mine):
    print(f"{name} is fresh." + (f" Yours is now {mine.relative_to(ROOT).as_posix()}." if mine else ""))


def of_the_course():
    """The notebooks that git knows here."""
    try:
        found = lessons("ls-files")
    except Refused as refused:
        raise Refused(f"{NO_CLONE}\n(git says: {refused})") from None
    if not found:
        raise Refused(NO_CLONE)
    return found


def reset(words, known):
    chosen = []
    for word in words:
        found = [name for name in known if Path(name).name.startswith(word.zfill(2) + "_")]
        if len(found) != 1:
            raise Refused(f"There is no lesson {word}: give a number as in 00, 01, ...")
        chosen += found
    touched = differing("HEAD")
    for name in chosen:
        if name in touched:
            tell(name, freshen(name))
        else:
            print(f"{name} is as the course has it.")


def update():
    start = git("rev-parse", "HEAD")
    git("fetch", "--quiet")
    # Only forwards, and without git's own way to keep changes: it would write its marks into the notebooks.
    merge = ["-c", "merge.autoStash=false", "merge", "--ff-only", "--quiet", "@{upstream}"]
    kept = {}
    try:
        git(*merge)
    except Refused:
        try:
            for name in sorted(differing("HEAD") & differing("HEAD...@{upstream}")):
                kept[name] = freshen(name)
            git(*merge)
        except (Refused, OSError):
            for name, mine in kept.items():
                if mine:
                    mine.replace(ROOT / name)
            print("Nothing was changed:", file=sys.stderr)
            raise
    for name, mine in kept.items():
        tell(name, mine)
    print("Nothing is new." if git("rev-parse", "HEAD") == start else "The course is up to date.")


def main(words):
    try:
        known = of_the_course()
        if words == ["update"]:
            update()
        elif words[:1] == ["reset"] and len(words) > 1:
            reset(words[1:], known)
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except (Refused, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
