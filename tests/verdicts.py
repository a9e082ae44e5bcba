"""What checks say of answers that nobody need be protected from: in a third of the time."""

import contextlib

from pe_lessons.exercises import run_answer
from pe_lessons.lessons import exercises

LESSON_OF = exercises()
EXERCISES = list(LESSON_OF)


def trust(monkeypatch):
    """Let answers run without the guard against endless loops."""
    nothing_seen = contextlib.nullcontext(lambda: (0, {}, set()))
    monkeypatch.setattr(run_answer, "_loop_guard", lambda *_: nothing_seen)


def verdict(exercise, answer):
    """The name of the mistake that a check finds in the answer, None without a name, or "correct"."""
    with run_answer.our_own():
        seen = [exercise._behaviour_of(answer, number) for number in range(len(exercise._all_probes))]
        return verdict_on(exercise, seen)


def verdict_on(exercise, seen):
    wrong = exercise._wrong(seen)
    if not wrong:
        return "correct"
    found = exercise._recognise(seen, wrong)
    return found and found.name
