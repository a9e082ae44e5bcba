"""Find your place: ten questions, and the lesson at which to begin.

In a notebook: ``placement.ask()``, then ``placement.check("bbcbdceebc")``.

>>> placement.place("bbcbdceebc")  # the seventh and the eighth question were missed
[11, 13]
>>> placement.check("bbcbdceebc").message.splitlines()[0]
'Begin at lesson 11. Then 13. You may leave out the others.'
"""

import re
from pathlib import Path

from pe_lessons.exercises.lesson_files import read_words
from pe_lessons.exercises.question import Question, Quiz

TEXT = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
LAST = int(re.search(r"none, at lesson (\d\d)", TEXT)[1])
UNKNOWN = ("I don't know yet", False, "That is what the lesson is for.")


class Placement(Quiz):
    """Questions, each for a lesson, in their order. Who misses one begins at its lesson."""

    @property
    def lessons(self):
        return [int(question.name.removeprefix("lesson ")) for question in self.questions]

    def place(self, *answer):
        """The numbers of the lessons whose questions were missed; without any, LAST."""
        pairs = zip(self.lessons, self.look(*answer).letters, self.right, strict=True)
        missed = [lesson for lesson, letter, right in pairs if letter != right]
        if missed[:1] == self.lessons[:1]:
            missed.insert(0, 0)  # the lesson before it shows how the course works
        return missed or [LAST]

    def check(self, *answer):
        """Say where to begin; `answer` as for any quiz."""
        result = self.diagnose(*answer)
        if result.status in ("error", "not attempted"):
            return result
        first, *others = [f"{lesson:02d}" for lesson in self.place(*answer)]
        more = f" Then {', '.join(others)}. You may leave out the others." if others else ""
        return self.result(result.status, f"Begin at lesson {first}.{more}\n{result.message}")


def _read():
    found = []
    for name, one in read_words(TEXT)["placement"]["questions"].items():
        unknown = "abcdefgh"[len(one["choices"])]
        found.append(Question(name, one["prompt"], one["choices"] | {unknown: UNKNOWN}))
    return Placement("placement", tuple(found))


placement = _read()
