"""Hold the trials of every exercise to its mutants: right answers with one token changed.

    python course.py mutants [NAMES OF EXERCISES]

Says which mutants no trial tells from the right answer, unless `tests/equivalent_mutants.toml` says why they
are right answers too, and which reasons of the file are needed no more.
"""

import re
import sys
import tomllib
from pathlib import Path

import mutants

from pe_lessons.lessons import exercises

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "equivalent_mutants.toml"
def survivors(exercise, lesson):
    """The number of mutants, and of those that no trial tells from the answer: (its line, change, both)."""
    count, left = 0, []
    for answer in lesson.styles(exercise.name):
        if not survives(exercise, mutants.runnable(answer)):
            raise ValueError(f"{answer.name} is refused, or its loops take more than {mutants.TURNS} turns")
        for mutant in mutants.mutants_of(answer.text):
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


def main(names):
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["equivalent"]
    used, missing = [], 0
    for exercise, lesson in exercises().items():
        if names and exercise.name not in names:
            continue
        count, left = survivors(exercise, lesson)
        print(f"{exercise.name}: {count} mutants, {len(left)} of them pass")
        for survivor in left:
            entry = reason(entries, exercise.name, *survivor)
            used.append(entry)
            if entry is None:
                missing += 1
                print(f"    no trial tells it from the right answer: {survivor[2]}")
    for entry in entries:
        if not names and entry not in used:
            missing += 1
            print(f"no mutant needs this reason: {entry['why']}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
