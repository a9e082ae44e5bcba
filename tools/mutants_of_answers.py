"""Hold the trials of every exercise to its mutants: right answers with one token changed.

    python course.py mutants [--write] [NAMES OF EXERCISES]

Says which mutants no trial tells from the right answer, unless `tests/equivalent_mutants.toml` says why they
are right answers too; that no mutant is left; and which reasons of the file are needed no more. With --write
the file keeps what was searched, so that the tests need not do it again before an exercise changes.
"""

import argparse
import ast
import hashlib
import re
import sys
import tomllib
from pathlib import Path

import mutants

from pe_lessons.lessons import exercises

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "equivalent_mutants.toml"
SEARCHED = """# Written by `python course.py mutants --write`: [fingerprint, mutants, of which equivalent]
[searched]
"""


def lessons():
    """{name of an exercise: (the exercise, its lesson, the file of its trials)}"""
    return {
        exercise.name: (exercise, lesson, Path(lesson.answers.__file__).with_name("__init__.py"))
        for exercise, lesson in exercises().items()
    }


def fingerprint(exercise, lesson, file):
    """Of all that the outcome of a search hangs on."""
    texts = [answer.text for answer in lesson.styles(exercise.name)]
    nothing_tried = ast.Import | ast.ImportFrom | ast.Expr
    lines = ast.parse(file.read_text(encoding="utf-8")).body
    trials = [ast.unparse(line) for line in lines if not isinstance(line, nothing_tried)]
    trials = [one for one in trials if not re.search(r"\.(question|quiz)\(", one)]
    text = "\n".join([*texts, *trials, Path(mutants.__file__).read_text(encoding="utf-8")])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def survivors(exercise, lesson, choose=list):
    """The number of mutants, and of those that no trial tells from the answer: (its line, change, both)."""
    count, left = 0, []
    for answer in lesson.styles(exercise.name):
        if not survives(exercise, mutants.runnable(answer)):
            raise ValueError(f"{answer.name} is refused, or its loops take more than {mutants.TURNS} turns")
        for mutant in choose(mutants.mutants_of(answer.text)):
            count += 1
            function = mutants.runnable(answer, mutant)
            if function is not None and survives(exercise, function):
                left.append(described(answer.text, mutant))
    return count, left


def described(text, mutant):
    """A line, its change, and the line in which the change is marked: `base ** «-exponent -> exponent»`."""
    change, end = f"{mutant.old} -> {mutant.new}", mutant.start + len(mutant.old)
    before, after = text[: mutant.start].split("\n")[-1].lstrip(), text[end:].split("\n")[0]
    return before + mutant.old + after, change, f"{before}«{change}»{after}"


def survives(exercise, function):
    """Whether the function passes. Long trials come last: few mutants get as far."""
    return all(
        expected.same_as(exercise._observe(function, arguments), exercise.atol)
        for expected, arguments in sorted(
            zip(exercise._expected, exercise._all_probes), key=lambda pair: len(pair[0].entries)
        )
    )


def reason(entries, name, line, change, marked):
    """The entry that says why this mutant is a right answer, or None."""
    for entry in entries:
        if (
            re.fullmatch(entry.get("exercise", ".*"), name)
            and any(re.search(entry.get("line", ""), one) for one in (line, marked))
            and any(re.fullmatch(one, change, re.DOTALL) for one in entry["change"])
        ):
            return entry
    return None


def main(names, write):
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))
    searched, entries, used, missing = dict(listed["searched"]), listed["equivalent"], [], 0
    known = lessons()
    for name in names or known:
        exercise, lesson, file = known[name]
        count, left = survivors(exercise, lesson)
        print(f"{name}: {count} mutants, {len(left)} of them pass")
        for survivor in left:
            entry = reason(entries, name, *survivor)
            used.append(entry)
            if entry is None:
                missing += 1
                print(f"    no trial tells it from the right answer: {survivor[2]}")
        searched[name] = [fingerprint(exercise, lesson, file), count, len(left)]
    for entry in entries:
        if not names and entry not in used:
            missing += 1
            print(f"no mutant needs this reason: {entry['why']}")
    if write and not missing:
        rows = [f'{name} = ["{mark}", {count}, {left}]\n' for name, (mark, count, left) in searched.items()]
        text = LIST.read_text(encoding="utf-8").split(SEARCHED)[0]
        LIST.write_text(text + SEARCHED + "".join(rows), encoding="utf-8", newline="\n")
    return 1 if missing else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sys.exit(main(options.names, options.write))
