"""The clinic: real faults of positions as riddles, to be solved by a test that tells three suspects apart.

The cases are in `lessons/the_clinic/cases.toml`, the right programs beside it in `answers.py`. Every suspect
is such a program with a change, made as those of the exercises are (`exercises/lesson_files.py`). An entry::

    ["What somebody notices"]     the title
    number = 5                    its own for good; those of retired cases stay free
    group = "..."                 symptoms of one kind
    minutes = 5                   how long it takes, about; up to 5 is easy, from 8 on hard
    first = true                  one of those that the lesson asks first; or left out
    later = true                  its suspects are not shown before somebody asks for them; or left out
    story = "..."                 what was seen, in a few sentences
    program = "next_places"       a function of answers.py; its docstring is part of the riddle
    example = "program(0, 2)"     a call of the right program, shown with its result: one that accuses nobody
    session = ["program(5, 1)"]   what is shown of the guilty one: calls with their results, and the names
    given = "x = np.ones(4)"      that they need; or
    code = true                   its text; or a table `plot`: `lines` is Python for `plots.curves`
    tries = ["5, 1", "0, 3"]      arguments that tell the suspects from each other and from the right program
    culprit = "B"                 of three tables `suspects`: who (in words), change, say (what speaks for or
                                  against it)
    again = [...]                 numbers of the right program that are other ones in the second patient, and
                                  the culprit's `change` is made besides; where there are none, left out
    numbers = "base 500,000"      what they are, in words
    alarms = {"A + B" = "..."}    said of a test that fails for these, in place of the usual; or left out
    test = "def test(program)"    one that fails for the culprit only, in both patients
    hints, thread, told, lesson   links to the threads, what was found there, and the lesson that explains it
"""

import copy
import functools
import inspect
import textwrap
import tomllib
from dataclasses import dataclass

import numpy as np

from pe_lessons import plots
from pe_lessons.exercises import failed_cells, run_answer
from pe_lessons.exercises.lesson_files import Answer, Change
from pe_lessons.exercises.result import Checked, shown
from pe_lessons.lessons.the_clinic import CASES, answers

WIDTH = 74  # of the site's cells
TASK = (
    "Name one. To prove it, write test(program): False for that suspect, True for the right program and for "
    "the other two suspects."
)
OWN = (
    "What could it be? Write down three suspects of your own, each with what speaks for or against it. Then "
    "clinic.case({}).show_suspects() shows ours."
)


@dataclass(frozen=True)
class Suspect:
    """A fault that would explain something like the symptom, and a program that has it."""

    letter: str
    who: str
    say: str
    program: object


class Case(Checked):
    """An entry of cases.toml: a symptom, three suspects, and their programs.

    Examples
    --------
    >>> riddle = case(5)
    >>> riddle.check(lambda program: program(5, 3) == [5, 6, 7], accused="A").cause
    'A + C'
    >>> riddle.check(lambda program: program(5, 1) == [5], accused="C").status
    'correct'
    """

    def __init__(self, title, data):
        self.title, self.data = title, data
        self.number, self.group, self.hints = data["number"], data["group"], tuple(data["hints"])
        self.name = f"case_{self.number}"
        self.lesson = data["lesson"].replace("_", " ")  # "19_serve_it" is called "19 serve it"
        self.later = data.get("later", False)  # whether it is asked without its suspects
        self.right = getattr(answers, data["program"])  # to be called and compared with
        self.culprit_change = data["suspects"]["ABC".index(data["culprit"])]["change"]

    @property
    def level(self):
        """How hard it is, by the minutes that it takes."""
        return "easy" if self.data["minutes"] <= 5 else "hard" if self.data["minutes"] >= 8 else "medium"

    def changed(self, *changes):
        """The right program with other lines, as they stand in cases.toml."""
        right = Answer(answers, self.data["program"], "arrays")
        return right.with_changes(*(Change(right, one) for one in changes))

    @functools.cached_property
    def suspects(self):
        """The three of them, as `Suspect`."""
        listed = zip("ABC", self.data["suspects"])
        return tuple(
            Suspect(letter, one["who"], one["say"], self.changed(one["change"])) for letter, one in listed
        )

    @property
    def culprit(self):
        return next(one for one in self.suspects if one.letter == self.data["culprit"])

    @property
    def patient(self):
        """The guilty program, to be called and looked at."""
        return self.culprit.program

    @functools.cached_property
    def second(self):
        """Another patient: the same change, made in a right program that has, if possible, other numbers."""
        return self.changed(*self.other_numbers, self.culprit_change)

    @functools.cached_property
    def second_healthy(self):
        """The right program with the numbers of the other patient."""
        return self.changed(*self.other_numbers)

    @property
    def other_numbers(self):
        return [self.data["again"]] if "again" in self.data else []

    def ask(self, test=True):
        """Print the riddle, and show its plot if it has one. With test=False, it asks only for a name."""
        print(self.text if test else self.text.replace(_wrapped(TASK), "Name one."))
        if "plot" in self.data:
            plot = self.data["plot"]
            plots.show(self.figure(), alt=plot["alt"], caption=plot["caption"])

    def show_suspects(self):
        """Print the suspects of a riddle that was asked without them."""
        print(self.lineup)

    @property
    def text(self):
        """The riddle in words."""
        title = f"Case {self.number}. {self.title}"
        end = _wrapped(OWN.format(self.number)) if self.later else self.lineup
        parts = [title, _wrapped(self.data["story"]), self.signature, self.evidence, end]
        return "\n\n".join(part for part in parts if part)

    @property
    def lineup(self):
        """The three suspects, and what is asked of a test."""
        suspects = "\n".join(
            textwrap.fill(f"{one.letter}  {one.who}", WIDTH, subsequent_indent="   ") for one in self.suspects
        )
        return f"{suspects}\n\n{_wrapped(TASK)}"

    @property
    def signature(self):
        """How the program is called, and what it should do."""
        paragraphs = inspect.getdoc(self.right).split("\n\n")
        call = self.data["example"]
        paragraphs.append(f"For example, {call} is {eval(call, {'np': np, 'program': self.right})}.")
        said = "\n".join(textwrap.fill(" ".join(one.split()), WIDTH - 4) for one in paragraphs)
        return f"program{inspect.signature(self.right)}\n{textwrap.indent(said, '    ')}"

    @functools.cached_property
    def evidence(self):
        """The text of the guilty program without its docstring, or calls with their results; or nothing."""
        if "code" in self.data:
            text = inspect.getsource(self.right).replace(*self.culprit_change)
            head, _, below = text.partition('    """')
            return head + below.partition('"""\n')[2].rstrip()
        scope = {"np": np, "program": self.patient}
        lines = [f">>> {self.data['given']}"] if "given" in self.data else []
        exec(self.data.get("given", ""), scope)
        for call in self.data.get("session", ()):
            lines += [f">>> {call}", str(eval(call, scope))]
        return "\n".join(lines)

    def figure(self):
        """The plot of the riddle."""
        plot = self.data["plot"]
        scope = {"np": np, "program": self.patient}
        options = {key: plot[key] for key in ("xlabel", "ylabel", "xticks", "beside") if key in plot}
        fig = plots.curves(eval(plot["lines"], scope), x=eval(plot["x"]), **options)
        if "ylim" in plot:
            fig.axes[0].set_ylim(plot["ylim"])
        return fig

    def verdict(self):
        """Who it is, what was found in the thread, and where the course explains it."""
        told = " ".join(self.data["told"].split())
        return (
            f"It is {self.culprit.letter}: {self.culprit.who}. {self.culprit.say}\n{told}\n"
            f"Lesson {self.lesson[:2]} explains it. {' '.join(self.data['thread'])}"
        )

    def solution(self):
        """A test, and what it shows."""
        said = "\n".join(map(_wrapped, self.verdict().splitlines()))
        return shown(f"{self.data['test'].strip()}\n\n{said}")

    def __repr__(self):
        return f"case {self.number}, {self.title}: .ask(), .check(test, accused), .hint(), .solution()"

    def check(self, test=..., accused=...):
        """Show what `diagnose` says of a test; riddles have no points, so it never raises."""
        complaint = failed_cells.CELLS and failed_cells.CELLS.complaint()
        return self.result("error", complaint) if complaint else self.diagnose(test, accused)

    def accuse(self, letter=...):
        """Whether the patient has the fault of this suspect; no test is asked for, and ours is shown."""
        if letter is ...:
            return self.result("not attempted", "Put the letter of a suspect in the place of `...`.")
        named = [one for one in self.suspects if one.letter == str(letter).upper()]
        if not named:
            return self.result("error", f'Your letter is {letter!r:.40}. It should be "A", "B" or "C".')
        if named[0] != self.culprit:
            return self.result("not yet", f"Your suspect {named[0].letter} is innocent. {named[0].say}")
        return self.result(
            "correct", f"This test convicts it:\n{self.data['test'].strip()}\n{self.verdict()}"
        )

    def diagnose(self, test=..., accused=...):
        """Return the `Result` for a function ``test(program)``, which should fail for the suspect `accused`.

        An ``assert`` in the test will do as well as a returned False.
        """
        if test is ... or run_answer.is_unwritten(test):
            return self._not_attempted()
        if not callable(test):
            return self.result("error", "The check wants your function test, without parentheses.")
        asked = _observe(test, self.right)
        if asked.kind == "stub":
            return self._not_attempted()
        if accused is ...:
            return self.result(
                "not attempted", 'First name a suspect: `.check(test, accused="A")`, or "B", or "C".'
            )
        if not isinstance(accused, str) or accused.upper() not in {"A", "B", "C"}:
            return self.result("error", f'accused is {accused!r:.40}. It should be "A", "B" or "C".')
        accused = accused.upper()
        if asked.kind != "value":
            return self.result("error", f"With a right program your test {asked.text}")
        if len(asked.entries) != 1:
            return self.result(
                "error", "Your test returns several truth values: use `np.array_equal`, `.all()` or `all`."
            )
        if not asked.entries[0]:
            return self.result(
                "not yet",
                "A right program fails your test, so your test would accuse any program. "
                f"`clinic.case({self.number}).right` is one: what does it return there?",
            )
        caught = [one for one in self.suspects if not _passes(test, one.program)]
        letters = [one.letter for one in caught]
        cause = " + ".join(letters) or None
        if not caught and run_answer.observe(test, (self.right,)).kind == "none":
            say = (
                "Every suspect passes your test, which returns nothing: put `return` before the comparison. "
                "If it has an `assert`, that holds for all three: ask elsewhere."
            )
        elif not caught:
            say = self._said_of_a_test_that_catches_nobody(test, accused)
        elif len(caught) > 1:
            listed = f"{', '.join(letters[:-1])} and {letters[-1]}"
            say = (
                f"Your test fails for {listed}"
                if accused in letters
                else f"{accused} passes your test. It fails for {listed}"
            ) + ", so it shows that something is wrong, but not what. "
            say += self.data.get("alarms", {}).get(cause, self._said_of_an_alarm(len(caught)))
        elif letters != [accused]:
            who = next(one.who for one in self.suspects if one.letter == accused)
            say = (
                f"Your test fails only for {letters[0]}, and you accuse {accused}. Your test doesn't notice "
                f"what is wrong with {accused}: {who}. Ask for that, or accuse {letters[0]}."
            )
        elif accused == self.culprit.letter and not _passes(test, self.second):
            return self.result("correct", self.verdict(), cause)
        elif accused == self.culprit.letter:
            say = self._said_of_a_test_that_the_other_patient_passes(test)
        else:
            say = (
                f"Your test tells {letters[0]} from the others: well built. But the patient passes it, so it "
                f"is not {letters[0]}. {caught[0].say}"
            )
        return self.result("not yet", say, cause)

    def _said_of_an_alarm(self, suspects):
        if suspects < 3:
            return "Ask for something that only one of them gets wrong."
        return (
            f"`clinic.case({self.number}).suspects[0].program` is A, and you can call it, B and C where you "
            "ask. What does only one of them get wrong?"
        )

    def _said_of_a_test_that_catches_nobody(self, test, accused):
        one = next(one for one in self.suspects if one.letter == accused)
        calls = _calls(test, one.program)
        for call in calls:
            got, wanted = _answer(one.program, call), _answer(self.right, call)
            if not got.same_as(wanted, 1e-9):
                return (
                    f"Every suspect passes your test. But {accused} answers wrongly where you ask"
                    f"{_in_brief(one.program, self.right, call)}, and your comparison does not notice it."
                )
        asked = f"where you ask, {accused} is right" if calls else "it never calls the program"
        return (
            f"Every suspect passes your test: {asked}. You accuse {accused}: {one.who}. "
            "For which call is that wrong?"
        )

    def _said_of_a_test_that_the_other_patient_passes(self, test):
        other = f"`clinic.case({self.number}).second` has the same fault"
        if numbers := self.data.get("numbers"):
            other += f" and other numbers ({numbers})"
        if self._is_right_by_chance(_calls(test, self.second)):
            return f"The right letter. But {other}, and where you ask, it is right by chance. Ask elsewhere."
        return (
            f"The right letter. But {other}, and passes: your test only knows what this patient says. "
            "Ask for what this suspect alone does wrong."
        )

    def _is_right_by_chance(self, calls):
        """Whether the second patient answers all these calls as it would without the fault."""
        return bool(calls) and all(
            _answer(self.second, call).same_as(_answer(self.second_healthy, call), 1e-9) for call in calls
        )

    def _not_attempted(self):
        return self.result(
            "not attempted",
            "Name a suspect, write `def test(program)` in this cell, then run it again. "
            f"`clinic.case({self.number}).hint()` helps.",
        )


@functools.cache
def cases():
    """All cases, in the order of their symptoms."""
    data = tomllib.loads(CASES.read_text(encoding="utf-8"))
    return tuple(Case(title, one) for title, one in data.items())


def case(which):
    """The case with this number."""
    numbered = {one.number: one for one in cases()}
    if which not in numbered:
        raise ValueError(f"which must be one of {', '.join(map(str, numbered))}, got {which!r}")
    return numbered[which]


def contents(level=None):
    """A table of the cases that the lesson doesn't ask: all of them, or the easy, medium or hard ones."""
    chosen = [one for one in cases() if not one.data.get("first", False)]
    if level is not None:
        chosen = [one for one in chosen if one.level == level]
    chosen.sort(key=lambda one: one.data["minutes"])  # the easy ones first
    rows = []
    for one in chosen:
        rows.append([str(one.data["minutes"]), *[one.level] * (level is None), one.lesson])
    names = [f"{one.number} {one.title}" for one in chosen]
    columns = ["minutes", *["level"] * (level is None), "lesson that helps"]
    plots.show_table(rows, rows=names, columns=columns, corner="case", left=True)


def groups():
    """The cases by kind of symptom: a dict of name to list."""
    found = {}
    for one in cases():
        found.setdefault(one.group, []).append(one)
    return found


def _verdict(test, program):
    try:
        said = test(program)
    except AssertionError:
        return False
    if isinstance(said, list | tuple) and said:  # [False] is true to `bool`
        return said if len(said) > 1 else said[0]
    if isinstance(said, np.ndarray) and said.size != 1:
        return said  # its many truth values are seen where it is observed
    return True if said is None else bool(said)


def _observe(test, program):
    return run_answer.observe(functools.partial(_verdict, test), (program,))


def _passes(test, program):
    done = _observe(test, program)
    return done.kind == "value" and len(done.entries) == 1 and bool(done.entries[0])


def _calls(test, program):
    """The arguments of the calls that a test makes of a program, of the first thousand."""
    calls = []

    def watched(*arguments, **named):
        if len(calls) < 1_000:
            calls.append(copy.deepcopy((arguments, named)))
        return program(*arguments, **named)

    _observe(test, watched)
    return calls


def _answer(program, call):
    arguments, named = call
    return run_answer.observe(functools.partial(program, **named), arguments)


def _in_brief(program, right, call):
    """A call with its result and the one wanted, or as much of that as is short."""
    arguments, named = copy.deepcopy(call)
    asked = ", ".join([*map(repr, arguments), *(f"{name}={value!r}" for name, value in named.items())])
    try:
        got, wanted = program(*arguments, **named), right(*arguments, **named)
    except Exception:
        return ""
    calls = f" (`program({asked})` is {got} and should be {wanted})", f" (`program({asked})`)"
    return next((said for said in calls if len(said) <= 90 and "\n" not in said), "")


def _wrapped(text):
    return textwrap.fill(" ".join(text.split()), WIDTH)
