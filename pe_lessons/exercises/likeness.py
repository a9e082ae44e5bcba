"""What an answer without a name is like: a right answer with one token changed.

The last resort of a check. Every mutant of the right answers is tried once; kept of it are the first trial in
which it goes wrong and one number that stands for what it gives there. An answer is then compared, in every
trial, with the few mutants whose number it shares. Nothing is said unless all that fit change the same step
in the same way.
"""

import ast
import bisect
import collections
import copy
import functools
import io
import itertools
import math

from pe_lessons.exercises import behaviour
from pe_lessons.exercises.mutants import TooManyTurns, mutants_of, runnable

MOST = 700  # mutants of one style, so that the first search takes less than a second
PARTS = 64  # a whole number of 64ths, or of larger parts, may be a count or a share
LONGEST = 60  # characters of the two pieces of code that a reply shows
# Kinds that say the same of an answer: half of something is a changed constant or another operator.
FAMILIES = {
    "numbers": ("operator", "operand", "constant", "sign", "shift", "function", "call"),
    "places": ("index", "slice", "exchange", "argument"),
    "questions": ("comparison", "condition"),
    "names": ("name",),
    "steps": ("line",),
}
FAMILY = {kind: family for family, kinds in FAMILIES.items() for kind in kinds}


class Likeness:
    """Of the answers to one exercise, by the `lesson_files.Answer` of each style."""

    def __init__(self, answers):
        self.answers = answers

    @functools.cached_property
    def searches(self):
        return [Search(answer) for answer in self.answers]

    def sentence(self, exercise, seen, wrong):
        """The comparison, or an empty text if there is none that can be trusted."""
        if not _tells_much(seen, wrong) or not _right_shapes(seen, exercise._expected):
            return ""
        for search in self.searches:
            fitting = search.fitting(exercise, seen, wrong[0])
            if fitting:
                return compared(search.answer.text, fitting)
        return ""


class Search:
    """Of the mutants of one right answer."""

    def __init__(self, answer):
        self.answer, self.found = answer, None

    def fitting(self, exercise, seen, first):
        """The mutants that do in every trial what was seen; `first` is the first trial that is wrong."""
        if self.found is None:
            self.found = self.tried(exercise)
        number, slack = _number(seen[first].entries, exercise.atol)
        near = self.found.get((first, seen[first].shape), [])
        start = bisect.bisect_left(near, number - slack, key=_first)
        likely = itertools.takewhile(lambda pair: pair[0] <= number + slack, near[start:])
        return [mutant for _, mutant in likely if self.fits(exercise, mutant, seen)]

    def fits(self, exercise, mutant, seen):
        function = runnable(self.answer, mutant)
        return all(
            exercise._observe(function, arguments).same_as(done, exercise.atol)
            for arguments, done in zip(exercise._all_probes, seen)
        )

    def tried(self, exercise):
        """{(first wrong trial, shape of the result): [(number that stands for it, mutant)]}"""
        found = collections.defaultdict(list)
        # names are exchanged for all others: the most numerous kind, and the first to be cut
        mutants = sorted(mutants_of(self.answer.text), key=lambda mutant: mutant.kind == "name")
        with behaviour._captured(io.StringIO()), behaviour._memory_limit():
            for mutant in mutants[:MOST]:
                function = runnable(self.answer, mutant)
                for n, arguments in enumerate(exercise._all_probes):
                    done = _done(exercise.use, function, arguments)
                    if done is None:
                        break
                    if not done.same_as(exercise._expected[n], exercise.atol):
                        found[n, done.shape].append((_number(done.entries, exercise.atol)[0], mutant))
                        break
        return {key: sorted(pairs, key=_first) for key, pairs in found.items()}


def compared(text, fitting):
    """The sentence on mutants of a text that do the same, or an empty one where they disagree."""
    if len({(FAMILY[mutant.kind], mutant.line) for mutant in fitting}) > 1:
        return ""
    one = min(fitting, key=lambda mutant: (len(mutant.old) + len(mutant.new), mutant.new))
    step = _step(text, one.line)
    old, new = (piece.strip(" ,") for piece in (one.old, one.new))
    if one.kind == "line":
        return f"This is what comes out of a right answer without {step}."
    if len(old) + len(new) > LONGEST or "\n" in old + new:
        return ""
    if new.startswith("(") and not old.startswith("("):
        new = new[1:-1]
    change = f"with `{new}` in the place of `{old}`" if new else f"without `{old}`"
    return f"This is what comes out of a right answer {change} in {step}."


def _step(text, line):
    """What the statement in this line is for, without its right side: a reply must not give it away."""
    inside = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno
    ]
    node = inside[-1]  # ast.walk goes from the outside in
    match node:
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return f"the step that makes `{ast.unparse(target).strip('()')}`"
        case ast.For(target=target):
            return f"the loop over `{ast.unparse(target).strip('()')}`"
        case ast.Return() | ast.Expr(value=ast.Yield()):
            return "the step that gives the result"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"))):
            return f"the step that adds to `{name}`"
        case ast.Expr(value=ast.Call(func=function)):
            return f"the step that calls `{ast.unparse(function)}`"
    return f"the step that begins with `{type(node).__name__.lower()}`"


def _first(pair):
    return pair[0]


def _done(use, function, arguments):
    """What a mutant does, or None if it fails; our own code needs few of the guards that others need."""
    given = copy.deepcopy(arguments)
    try:
        value = use(function, *given) if use else function(*given)
        return behaviour.Behaviour("value", *behaviour.numbers(value))
    except (Exception, TooManyTurns):
        return None


def _number(entries, atol):
    """A number that stands for many, and how far off it may be."""
    numbers = [entry if math.isfinite(entry) else 1e6 for entry in entries]
    weights = [1 + n * 0.618 % 1 for n in range(len(numbers))]
    size = sum(atol * weight * max(1, abs(number)) for weight, number in zip(weights, numbers))
    return sum(weight * number for weight, number in zip(weights, numbers)), size


def _tells_much(seen, wrong):
    """Whether there are numbers that hardly come about by chance: not constant, no counts, no shares."""
    if any(done.kind != "value" or done.changed is not None for done in seen):
        return False
    entries = [entry for n in wrong for entry in seen[n].entries]
    return len(set(entries)) > 1 and not all(_is_plain(entry) for entry in entries)


def _right_shapes(seen, expected):
    """Whether nothing is missing or too much: that has a cause of its own, such as a `return` in a loop."""
    return all(done.shape == right.shape for done, right in zip(seen, expected, strict=True))


def _is_plain(number):
    parts = (number * part for part in range(1, PARTS + 1))
    return not math.isfinite(number) or any(math.isclose(part, round(part), abs_tol=1e-6) for part in parts)
