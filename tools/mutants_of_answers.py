"""Hold the trials of every exercise to its mutants: right answers with one token changed.

    python course.py mutants [NAMES OF EXERCISES]

Says which mutants no trial tells from the right answer, unless `tests/equivalent_mutants.toml` says why they
are right answers too, and which reasons of the file are needed no more.
"""

import io
import itertools
import re
import sys
import token
import tokenize
import tomllib
import warnings
from pathlib import Path
from types import SimpleNamespace

from pe_lessons.lessons import exercises

LIST = Path(__file__).resolve().parents[1] / "tests" / "equivalent_mutants.toml"
TURNS = 20_000  # of all loops in all trials together; right answers need half of them
TWINS = """sin cos tan|min max|minimum maximum|argmin argmax|sum mean cumsum|floor ceil|log log2 log10
zeros ones empty|repeat tile|stack concatenate hstack vstack|int round|float16 float32 float64
< <= > >= == !=|and or|True False|in is|+= -= *=|+ - * /|// % * /"""
OTHERS = {}
for group in re.split(r"[|\n]", TWINS):
    for one in group.split():
        OTHERS.setdefault(one, set()).update(set(group.split()) - {one})
OTHERS["**"] = {"+", "*", "/"}  # not ** for another: whole numbers too large for any machine would come of it


def mutants_of(text):
    """Every change of one token in the functions and classes of a text: (start, old, new)."""
    starts = [0, *itertools.accumulate(map(len, text.splitlines(keepends=True)))]
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    names = local_names(tokens)
    in_header = True  # a text begins with def or class
    for before, one, after in zip(tokens, tokens[1:], tokens[2:]):
        in_header = one.string in ("def", "class", "raise") or (in_header and one.type != token.NEWLINE)
        if in_header:
            continue
        for new in changed(one, names):
            of_length = "(" in new and (after.string == "." or before.line[: one.start[1]].endswith("len("))
            endless = f"{new}.append(" in one.line or f"{one.string}.append(" in one.line
            if before.string not in (".", "for") and not of_length and not (one.string in names and endless):
                yield starts[one.start[0] - 1] + one.start[1], one.string, new


def local_names(tokens):
    """What is assigned to, or a parameter."""
    text = " ".join(one.string for one in tokens)
    found = re.findall(r"(?:\bfor|,) (\w+)(?= (?:,|in\b))|\b(\w+) (?:,[^=\n]*)?(?==(?!=))", text)
    found += re.findall(r"def \w+ \( (\w+)|def [^:]*?, (\w+)", text)
    return {name for pair in found for name in pair if name.isidentifier()} - {"self", "dtype", "axis", "dim"}


def changed(one, names):
    if one.type == token.NUMBER and not one.string.endswith("j"):
        value = float(one.string) if re.search("[.e]", one.string) else int(one.string, 0)
        yield from (f"{new:_}" for new in {value + 1, value - 1, 0 * value, -value} - {value})
    elif one.string in names:
        yield from (f"({one.string} + 1)", f"(-{one.string})", *sorted(names - {one.string}))
    else:
        yield from sorted(OTHERS.get(one.string, ()))


def runnable(answer, *edits):
    """The function or class with the edits; its loops end after `TURNS`. None if it cannot be compiled."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of syntax that makes no sense
            return answer.with_changes(SimpleNamespace(edits=edits), run=run_counted)
    except Exception:  # a syntax error, or a class whose body fails
        return None


class TooManyTurns(BaseException):
    pass


def run_counted(text, filename, scope):
    """Run the text, in which every loop counts its turns, and no `range` is long."""
    turns = itertools.count()

    def turn():
        if next(turns) > TURNS:
            raise TooManyTurns

    def short_range(*bounds):
        numbers = range(*bounds)
        if len(numbers) > TURNS:
            raise TooManyTurns
        return numbers

    scope.update(_turn=turn, range=short_range)
    text = re.sub(r"(?m)^( *)((for|while) .*:)(  #.*)?$", r"\1\2\n\1    _turn()", text)
    exec(compile(text, filename, "exec"), scope)


def survivors(exercise, lesson):
    """The number of mutants, and of those that no trial tells from the answer: (its line, change, both)."""
    count, left = 0, []
    for answer in lesson.styles(exercise.name):
        if not survives(exercise, runnable(answer)):
            raise ValueError(f"{answer.name} is refused, or its loops take more than {TURNS} turns")
        for start, old, new in dict.fromkeys(mutants_of(answer.text)):
            count += 1
            function = runnable(answer, (start, start + len(old), new))
            if function is not None and survives(exercise, function):
                before = answer.text[:start].split("\n")[-1].lstrip()
                after = answer.text[start + len(old) :].split("\n")[0]
                left.append((before + old + after, f"{old} -> {new}", f"{before}«{old} -> {new}»{after}"))
    return count, left


def survives(exercise, function):
    """Whether the function passes. Long trials come last: few mutants get as far."""
    trials = zip(exercise._expected, exercise._all_probes)
    return all(
        expected.same_as(exercise._observe(function, arguments), exercise.atol)
        for expected, arguments in sorted(trials, key=lambda pair: len(pair[0].entries))
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
