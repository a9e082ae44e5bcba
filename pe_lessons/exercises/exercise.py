"""Exercises that name a mistake by what the learner's function does.

An exercise holds a right function, the arguments to try it with (probes), the mistakes that people make in it
and what comes of two of them at once. The learner's function is called with the same arguments; if it behaves
like a mistake, the check says which one that is.

Nothing here knows what an exercise is about, nor where its mistakes are written down.
"""

import contextlib
import copy
import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from pe_lessons.exercises import fresh, place, run_answer
from pe_lessons.exercises.first_difference import first_difference, so_many_right
from pe_lessons.exercises.result import Checked, shown
from pe_lessons.exercises.run_answer import Look

LOOP = 2_500  # lines and bytecodes; 500 rows in a loop take more, and all at once take a hundred
A_LOOP = (
    "Your numbers are right, but Python still goes through the rows one by one. The task asks for an answer "
    "without a loop. Give NumPy all rows at once: which shapes must meet?"
)
HANDED_ON = (
    "You return what {0} of the course returns. The result is right, but the exercise is to write this "
    "yourself, so use what you wrote. (If you call {0} only to compare, do that outside your function.)"
)
FEWEST = 8  # lines and bytecodes: who takes no more has not looked at the arguments
SPREAD = 16  # how much larger or smaller an error may be that is of the same kind
SMALL = 1e-2
SHORT = 60  # characters of an argument that is shown in full
ROUNDED = 1e-7  # where numbers must be nearer than that, rounding to float32 is the mistake,
EXACT = 1e-12  # and on the way to the result they must be as near as in float64
TRIALS = 3  # in which the numbers of an unnamed wrong answer are looked at


@dataclass(frozen=True)
class Mistake:
    """A mistake worth recognising.

    `say` is what a kind teacher would say. `wrong` makes the mistake, with the arguments of the right
    function. A loss of precision gives other digits in every program that suffers it: with `exact`, the same
    function without the loss, only the size of the largest error is compared, and may be `SPREAD` times
    larger or smaller. `say` may begin with `praise` of the rest, which is left out where that is wrong too.
    With `whole`, such as for a draft sent as it was, every trial must agree, those of the edge cases too.
    """

    name: str
    say: str
    wrong: Callable
    exact: Callable | None = None
    praise: str = ""
    whole: bool = False

    @property
    def fault(self):
        return self.say.removeprefix(self.praise).lstrip()


@dataclass(frozen=True, eq=False, repr=False)
class Exercise(Checked):
    """A function, class or list of numbers to be written by the learner.

    Examples
    --------
    >>> squared = Mistake("squared", "This is the square of the number.", lambda number: number**2)
    >>> twice = Exercise("twice", lambda number: 2 * number, probes=((1,), (3,)), mistakes=(squared,))
    >>> twice.check(lambda number: number * number)
    twice: Not yet.
    This is the square of the number.
    >>> twice.check(lambda number: number + 1)
    twice: Not yet.
    `your_function(number=3)` should be 6, but is 4.
    >>> twice.diagnose(lambda number: number + number).status
    'correct'
    """

    name: str  # in the registry
    reference: Callable  # the right function or class
    probes: tuple  # arguments to try
    edge_probes: tuple = ()  # these count once all of `probes` are right
    mistakes: Iterable = ()  # of `Mistake`: one each,
    pairs: Iterable = ()  # and two at once, named "one + other"
    hints: tuple = ()
    text: str = ""  # what `solution` shows: a right answer that uses no names but those the notebook imports
    atol: float = 1e-6  # numbers that differ by less are equal; relative to the number where it is above 1
    use: Callable | None = None  # use(answer, *probe) observes what is not simply called, such as a class
    exact: Callable | None = None  # exact(*probe): numbers; those that are nearer than `atol` count as these
    call: Callable | None = None  # call(name, *probe): the call in words, if not usual arguments in brackets
    says: dict | None = None  # {look: sentence}, for an unknown mistake that shows in a probe with this text
    may_call: frozenset = frozenset()  # functions of the course that may give the answer's result: "rotary"
    no_loop: bool = False  # whether the task asks for no loop; a right answer with one is not done yet
    rights: tuple = ()  # right answers in several styles, to find where the numbers of a wrong one depart
    # redraw(draw, *probe): arguments like the probe's, with numbers from `draw`, a `random.Random`; for
    # exercises whose arguments hang together (see `fresh`)
    redraw: Callable | None = None
    fresh_probes: tuple = ()  # of `renewed`: no loop is looked for in them, as a notebook can't know of it
    _known: dict = field(default_factory=dict, init=False)  # what functions of the course do in the probes
    _failed: dict = field(default_factory=dict, init=False)

    def look(self, answer=None, *more):
        """Call the answer with all arguments, and say what it does, as a `Look`."""
        if answer is ... and not more:
            return Look("nothing")
        objection = self._objection(answer, more)
        if objection:
            return Look("refused", objection)
        unwritten, seen = run_answer.is_unwritten(answer), []
        patient = functools.partial(run_answer.observe, patience=run_answer.PATIENCE)
        known = len(self._all_probes) - len(self.fresh_probes)
        for n, arguments in enumerate(() if unwritten else self._all_probes):
            seen.append(self._observe(answer, arguments, run_answer.observe if n < known else patient))
            unwritten = seen[0].kind == "stub"
            if unwritten or seen[-1].kind == "stopped":
                break
        if unwritten:
            return Look("unwritten", early=_ends_too_early(answer), seen=tuple(seen))
        family = getattr(answer, "__mro__", [run_answer.unwrapped(answer)])
        course = next((one.__name__ for one in family if run_answer.is_of_the_course(one)), None)
        name = str(getattr(answer, "__name__", "<>"))
        return Look("called", name=name, course=course, seen=tuple(seen), answer=answer)

    def renewed(self, seeds):
        """The same exercise with the `fresh.twin` of each main trial that has a seed."""
        pairs = zip(self.probes, seeds)
        more = (fresh.twin(self, trial, seed) for trial, seed in pairs if seed is not None)
        return replace(self, fresh_probes=tuple(more))

    def judged(self, answer):
        if answer.kind in ("nothing", "unwritten"):
            return self._not_attempted(answer)
        seen = tuple(map(self._as_exact, answer.seen, range(len(answer.seen))))
        stopped = bool(seen) and seen[-1].kind == "stopped"
        if answer.kind != "called" or not (stopped or len(seen) == len(self._all_probes)):
            raise ValueError(f"{self.name} is not judged by {len(seen)} trials ({answer.kind})")
        if stopped:
            call = self._called(answer, self._all_probes[len(seen) - 1])
            return self.result("error", f"{call} {seen[-1].text}")
        wrong = self._wrong(seen)
        self._failed.clear()
        if not wrong:
            lender = self._lender(answer, seen)
            if lender:
                return self.result("not yet", HANDED_ON.format(lender))
            known = seen[: len(seen) - len(self.fresh_probes)]
            if self.no_loop and max(done.steps for done in known) > LOOP:
                return self.result("not yet", A_LOOP)
            return self.result("correct", self._praise(seen))
        self._failed["arguments"] = self._all_probes[wrong[0]]
        with run_answer.our_own():
            found = self._recognise(seen, wrong)
        if found:
            return self.result("not yet", self._told(found, answer, seen), found.name)
        return self._describe(answer, seen, wrong[0])

    def solution(self):
        """A right answer."""
        return shown(self.text)

    def failing(self):
        """The arguments of the trial that the last check showed: ``my_answer(*NAME.failing())``.

        Where it showed none, because it named the mistake, these are of the first trial that failed.
        """
        if "arguments" not in self._failed:
            raise LookupError(f"no trial of {self.name} has failed: check an answer first")
        return copy.deepcopy(self._failed["arguments"])

    def _lender(self, answer, seen):
        """The function or class of the course that did the work in the answer's place; None if none did."""
        if answer.course:
            return f"`{answer.course}`"
        lent = [
            [name for name in done.lent if name.rpartition(".")[2] not in self.may_call]
            for done in seen[: len(self.probes)]
        ]
        if all(lent):  # in each trial, perhaps by another one
            names = lent[0]
            return "the answer" if ".answers." in names[0] else f"`{names[0].removeprefix('pe_lessons.')}`"
        return None

    def _wrong(self, seen):
        """The numbers of the probes in which something else was seen than the right answer does."""
        return [n for n, right in enumerate(self._expected) if not right.same_as(seen[n], self.atol)]

    def _recognise(self, seen, wrong):
        """The smallest explanation of all that was seen; failing that, one of the main probes."""
        main = len(self.probes)
        pairs = () if _constant(seen[:main]) else self.pairs  # many a pair comes out as nearly 0
        if all(one.kind == "raised" for one in seen[:main]):
            return None  # any typing error would do that
        if _constant(seen[:main]) and all(0 < one.steps <= FEWEST for one in seen[:main]):
            return None  # `return 0` makes no mistake that also comes out as 0

        def like(scope):
            return lambda one: all(self._fits(one, n, seen[n]) for n in scope)

        everything = like(range(len(seen)))
        as_much = functools.partial(self._loses_as_much, seen=seen)
        attempts = [(self.mistakes, everything), (self.mistakes, as_much), (pairs, everything)]
        if wrong[0] < main:
            attempts += [([one for one in self.mistakes if not one.whole], like(range(main)))]
        for candidates, matches in attempts:
            found = [one for one in candidates if matches(one)]
            if found and (len(found) == 1 or candidates is not pairs):  # of several pairs none can be told
                return found[0]
        return None

    def _fits(self, mistake, n, done):
        """Whether the mistake does this in the n-th probe.

        NaN may stand for NaN in an edge case, and where every trial must agree.
        """
        theirs = self._behaviour_of(mistake.wrong, n)
        blind = (mistake.whole or n >= len(self.probes)) and all(
            one.kind == "unusable" or any(map(math.isnan, one.entries)) for one in (theirs, done)
        )
        return blind or theirs.same_as(done, self.atol)

    def _told(self, found, answer, seen):
        """What is said of a mistake, and where it is not all that was seen."""
        for n, done in enumerate(seen):
            right = done.same_as(self._expected[n], self.atol)
            spared = right or self._behaviour_of(found.wrong, n).kind == "raised"  # by a guard
            if not (spared or found.exact or self._fits(found, n, done)):
                return f"{found.fault}\nThat may not be all: {self._describe(answer, seen, n).message}"
        return found.say

    def _loses_as_much(self, candidate, seen):
        """Whether the errors are as large as the candidate's; in the main probes these must be small."""
        if candidate.exact is None:
            return False
        largest = [0.0, 0.0]
        for n, done in enumerate(seen):
            exact, wrong = (self._behaviour_of(one, n) for one in (candidate.exact, candidate.wrong))
            own, theirs = exact.distance(wrong), exact.distance(done)
            if math.isnan(own + theirs):
                if not wrong.same_as(done, self.atol):
                    return False
            elif theirs > max(self.atol, SPREAD * own) or (n < len(self.probes) and own > SMALL):
                return False
            else:
                largest = [max(largest[0], own), max(largest[1], theirs)]
        return largest[1] > max(self.atol, largest[0] / SPREAD)

    def _behaviour_of(self, variant, n):
        """What a function of the course does in the n-th probe."""
        if (variant, n) not in self._known:
            done = self._observe(variant, self._all_probes[n], run_answer.observe_ours)
            self._known[variant, n] = self._as_exact(done, n)
        return self._known[variant, n]

    def _as_exact(self, done, n):
        """What was seen in the n-th probe, with exact numbers in the place of those near them."""
        if not self.exact:
            return done
        shape, exact = self._exact[n]
        if done.shape != shape:
            return done
        pairs = zip(done.entries, exact)
        return replace(done, entries=tuple(b if abs(a - b) < self.atol else a for a, b in pairs))

    @cached_property
    def _exact(self):
        return [run_answer.numbers(self.exact(*arguments)) for arguments in self._all_probes]

    @cached_property
    def _all_probes(self):
        return *self.probes, *self.edge_probes, *self.fresh_probes

    @cached_property
    def _expected(self):
        with run_answer.our_own():
            return [self._behaviour_of(self.reference, n) for n in range(len(self._all_probes))]

    def _observe(self, answer, arguments, observe=run_answer.observe):
        return observe(functools.partial(self.use, answer) if self.use else answer, arguments)

    def _objection(self, answer, more):
        """Why this cannot be the answer at all, or None."""
        if more:
            wanted = "a function, or a list in square brackets"
            return f"The check takes one thing, {wanted}, but got {1 + len(more)}."
        wants_class = isinstance(self.reference, type)
        wanted = "class" if wants_class else "function"
        if not callable(answer) or wants_class != isinstance(answer, type):
            got = "None" if answer is None else f"something else ({type(answer).__name__})"
            return (
                f"The check wants your {wanted} itself, but got {got}. Write its name without parentheses: "
                f"`{self.name}.check(your_{wanted})`."
            )
        return None

    def _describe(self, answer, seen, n):
        """What is wrong with the n-th call, in general terms."""
        self._failed["arguments"] = self._all_probes[n]
        call, looks = self._called(answer, self._all_probes[n]), self.says or {}
        said = next((looks[one] for one in self._all_probes[n] if isinstance(one, str) and one in looks), "")
        if seen[n].kind in ("raised", "stub"):
            return self.result("error", f"{said} {call} {seen[n].text}".lstrip())
        return self.result("not yet", said or self._symptom(answer, seen, n, call))

    def _symptom(self, answer, seen, n, call):
        got, right = seen[n], self._expected[n]
        if right.kind == "raised":
            return f"{call} should raise an error, but returns a value."
        if got.kind == "none":
            why = "Does your function end with `return`, not with `print`, at the right level of indentation?"
            return f"{call} returns None. {why}"
        if got.kind in ("unusable", "hole"):
            return f"The result of {call} {got.text}."
        if got.changed is not None:
            return f"{call} changes its argument `{self._parameters[got.changed]}`. Work on a copy."
        place = self._place(answer, seen, n)
        message = "\n".join(filter(None, (place, self._first_difference(call, got, right))))
        if " numbers>" in call:
            message += f" `{self.name}.failing()` gives you the arguments of this call."
        return message

    def _first_difference(self, call, got, right):
        return first_difference(call, got, right, self.atol)

    def _place(self, answer, seen, n):
        """Where the numbers of the answer depart, in the n-th trial and others that fail."""
        trials = [one for one in self._wrong(seen) if n <= one and seen[one].kind == "value"]
        if n < len(self.probes):
            trials = [one for one in trials if one < len(self.probes)]
        called = functools.partial(functools.partial, self.use) if self.use else lambda function: function
        with run_answer.our_own(), contextlib.suppress(Exception):
            trials = [self._all_probes[one] for one in trials[:TRIALS]]
            near = self.atol if self.atol >= ROUNDED else EXACT
            return place.place(answer.answer, self.rights, called, trials, near)

    def _called(self, answer, arguments):
        # A learner can set `__name__`, and a teacher reads it, so it has to be a name.
        name = answer.name if answer.name.isidentifier() and len(answer.name) < 60 else "your_function"
        if self.call:
            return f"`{self.call(name, *arguments)}`"
        given = (f"{parameter}={_short(value)}" for parameter, value in zip(self._parameters, arguments))
        return f"`{name}({', '.join(given)})`"

    @cached_property
    def _parameters(self):
        names = list(inspect.signature(self.use or self.reference).parameters)
        return names[1:] if self.use else names

    def _praise(self, seen):
        return f"Your answer does what it should in all {len(self._all_probes)} trials."

    def _not_attempted(self, answer):
        todo = (
            "The line `raise NotImplementedError` ends the function before the code below it. Take that "
            "line out, run the cell above"
            if answer.early
            else "Write your answer in the cell above, run it"
        )
        return self.result("not attempted", f"{todo}, then run this cell. `{self.name}.hint()` helps.")


def _ends_too_early(answer):
    """Is there code below `raise NotImplementedError`? A draft to repair, or an answer that was put there."""
    with contextlib.suppress(Exception):  # no source, or no function
        return bool(re.search(r"\braise NotImplementedError.*\n\s+[^#\s]", inspect.getsource(answer)))
    return False


@dataclass(frozen=True, eq=False, repr=False)
class Numbers(Exercise):
    """Numbers worked out by hand and typed as a list. `reference` and every `wrong` take no arguments."""

    probes: tuple = ((),)

    def look(self, answer=..., *more):
        if isinstance(answer, list | tuple) and {*map(type, answer)} == {type(...)}:
            answer = ...
        return super().look(answer if answer is ... else lambda: answer, *more)

    def solution(self):
        return shown(", ".join(f"{number:.4f}" for number in self._expected[0].entries))

    def _symptom(self, answer, seen, n, call):
        if seen[n].kind in ("unusable", "hole", "none"):
            return f"Your answer {seen[n].text}."
        return super()._symptom(answer, seen, n, call)

    def _first_difference(self, call, got, right):
        """Which number is wrong; the right one is not told."""
        if got.shape != right.shape:
            return super()._first_difference(call, got, right)
        numbers = list(zip(got.entries, right.entries))
        wrong = [n for n, pair in enumerate(numbers) if not run_answer.close(*pair, self.atol)]
        mine, theirs = numbers[wrong[0]]
        remark = "is not"
        if abs(mine - theirs) < SMALL:
            remark = "is close, as if you rounded on the way or mistyped a digit"
        elif run_answer.close(mine, -theirs, self.atol):
            remark = "has the wrong sign"
        elif any(run_answer.close(mine, theirs * 10.0**places, self.atol) for places in (-2, -1, 1, 2)):
            remark = "has its point in the wrong place"
        count = so_many_right(len(numbers) - len(wrong), len(numbers), "numbers")
        return f"{count}. Your number at index {wrong[0]}, {mine:.6g}, {remark}."

    def _called(self, answer, arguments):
        return "Your answer"

    def _praise(self, seen):
        return "Every number is right. Our own program computes the same ones."


def _short(value):
    """An argument in a few characters."""
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    try:
        shape = tuple(getattr(value, "shape", ())) or run_answer.numbers(value)[0]
    except run_answer.Unusable:
        longest = 120 if isinstance(value, dict) else 60 if isinstance(value, list | tuple) else 0
        text = repr(value) if longest else ""
        return text if 0 < len(text) <= longest else f"<{type(value).__name__}>"
    listed = value.tolist() if hasattr(value, "tolist") else value
    if (isinstance(value, list | tuple) and len(shape) == 1) or (all(shape) and len(repr(listed)) <= SHORT):
        return repr(listed)
    return f"<{' x '.join(map(str, shape))} numbers>" if all(shape) else f"<an empty array {shape}>"


def _constant(behaviours):
    """Whether all the numbers are nearly the same."""
    entries = [entry for done in behaviours for entry in done.entries]
    return len(entries) > 1 and max(entries) - min(entries) < 1e-4
