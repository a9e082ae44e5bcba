"""What a check says, and what is common to all that can be checked: functions, numbers and questions."""

import html
import os
import re
from dataclasses import dataclass

HEADINGS = {
    "correct": "Correct",
    "not yet": "Not yet",
    "not attempted": "Not attempted yet",
    "error": "Error in your code",
}
COLOURS = {"correct": "#2e9e4f", "not yet": "#d98200", "not attempted": "#808080", "error": "#d0453a"}


@dataclass(frozen=True, repr=False)
class Result:
    """What a check says.

    Attributes
    ----------
    status : str
        ``"correct"``, ``"not yet"``, ``"not attempted"`` or ``"error"``.
    title : str
        First line of the plain text, such as ``"sinusoidal_loop: Not yet."``
    message : str
    cause : str or None
        Name of the misconception; the names of two are joined by ``" + "``.
    """

    status: str
    title: str
    message: str
    cause: str | None = None

    def __repr__(self):
        return f"{self.title}\n{self.message}"

    def _repr_html_(self):
        paragraphs = "".join(
            f'<p style="margin: 0.3em 0">{_code_in_html(line)}</p>' for line in self.message.splitlines()
        )
        return (
            f'<div style="border-left: 0.4em solid {COLOURS[self.status]}; padding: 0.2em 0.8em">'
            f"<strong>{html.escape(self.title)}</strong>{paragraphs}</div>"
        )


class Text(str):
    """Text that a notebook shows without quotation marks."""

    __repr__ = str.__str__


class CheckFailed(AssertionError):
    """Raised by a check while a grading tool runs; notebooks show its message without a traceback."""

    def _render_traceback_(self):
        return str(self).splitlines()


class Checked:
    """What exercises and questions have in common; they add `name`, `hints` and `diagnose`."""

    def check(self, *answer):
        """Show what `diagnose` says of the answer; while a grading tool runs, raise unless it is correct."""
        result = self.diagnose(*answer)
        if not os.environ.get("NBGRADER_EXECUTION"):
            return result
        if result.status != "correct":
            raise CheckFailed(repr(result))
        print(result)  # a value would be taken for partial credit

    def hint(self, n=1):
        """The n-th hint, from gentle to concrete."""
        n = max(1, min(n, len(self.hints)))
        more = f" (`.hint({n + 1})` for the next one.)" if n < len(self.hints) else ""
        return Text(f"Hint {n} of {len(self.hints)}: {self.hints[n - 1]}{more}")

    def __repr__(self):
        return f"exercise {self.name}: .check(...), .hint(), .solution()"

    def result(self, status, message, cause=None):
        return Result(status, f"{self.name}: {HEADINGS[status]}.", message, cause)


@dataclass(frozen=True, eq=False, repr=False)
class Question(Checked):
    """A question with one or several right choices.

    Parameters
    ----------
    name, prompt : str
    choices : dict
        ``{letter: (text, is_right, reason)}``; the reason is shown for a choice wrongly made or missed.
    hints : sequence of str

    Examples
    --------
    >>> choices = {"a": ("red", True, "Fire."), "b": ("blue", False, "Ice.")}
    >>> question = Question("warm", "Which are warm?", choices)
    >>> question.ask()
    Which are warm?
      a  red
      b  blue
    >>> question.check("b")
    warm: Not yet.
    a (missed): Fire.
    b (chosen): Ice.
    """

    name: str
    prompt: str
    choices: dict
    hints: tuple = ()

    @property
    def right(self):
        return tuple(letter for letter, (_, is_right, _) in self.choices.items() if is_right)

    def diagnose(self, *answer):
        """Return the `Result` for letters such as ``"a", "c"`` (also ``"ac"`` or ``["a", "c"]``)."""
        if any(callable(part) for part in answer):
            return self.result("error", 'Answer with letters in quotation marks, as in "a".')
        parts = [one for part in answer for one in (part if isinstance(part, list | tuple | set) else [part])]
        words = [
            word.lower()
            for part in parts
            if part is not None and part is not ...
            for word in re.findall(r"[^\W_]+", str(part))
        ]
        letters = {
            letter for word in words for letter in (word if set(word) <= set(self.choices) else [word])
        }
        if not letters:
            return self.result("not attempted", "Choose one letter or several, then run this cell again.")
        unknown = sorted(letters - set(self.choices))
        if unknown:
            return self.result(
                "not yet", f"There is no choice {unknown[0]}: choose from {', '.join(self.choices)}."
            )
        differing = [letter for letter in self.choices if (letter in letters) != (letter in self.right)]
        if not differing:
            return self.result("correct", " ".join(self.choices[letter][2] for letter in self.right))
        done = {letter: "chosen" if letter in letters else "missed" for letter in differing}
        message = "\n".join(f"{letter} ({done[letter]}): {self.choices[letter][2]}" for letter in differing)
        return self.result("not yet", message, " + ".join(f"{letter} {done[letter]}" for letter in differing))

    def ask(self):
        """Print the question and its choices."""
        lines = (f"  {letter}  {text}" for letter, (text, _, _) in self.choices.items())
        print("\n".join([self.prompt, *lines]))

    def solution(self):
        """The right letters, with their reasons."""
        return Text("\n".join(f"{letter}: {self.choices[letter][2]}" for letter in self.right))


def _code_in_html(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
