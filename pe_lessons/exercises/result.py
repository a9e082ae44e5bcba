"""What a check says, and what is common to all that can be checked: functions, numbers and questions."""

import html
import json
import os
import re
from dataclasses import dataclass, replace
from numbers import Integral

from pe_lessons.exercises import clicks, failed_cells, run_answer

# Whether nbgrader runs the notebook. Asked once, when the first cell imports its exercises: an answer cannot
# change it afterwards.
GRADING = bool(os.environ.get("NBGRADER_EXECUTION"))
# Where another process gives the marks, a check only says what the answer does, and this package has no right
# answers. teaching/sandbox.py sets the variable. Right before a check, that process writes in here the seeds
# of the exercise's fresh trials (see `fresh`), which an answer cannot know.
LOOK_ONLY = json.loads(os.environ.get("PE_LESSONS_LOOK_ONLY", "null"))
LOOK_TYPE = "application/x-pe-lessons-look"
HEADINGS = {
    "correct": "Correct",
    "not yet": "Not yet",
    "not attempted": "Not attempted yet",
    "error": "Error in your code",
}
PRINTED = "Your code printed in the first trial:"
COLOURS = {"correct": "#2e9e4f", "not yet": "#b86e00", "not attempted": "#808080", "error": "#d0453a"}


@dataclass(frozen=True, repr=False)
class Result:
    """What a check says."""

    status: str  # "correct", "not yet", "not attempted" or "error"
    title: str  # the first line of the plain text, such as "sinusoidal_loop: Not yet."
    message: str
    cause: str | None = None  # the name of the misconception; the names of two are joined by " + "
    printed: str = ""  # what the learner's function printed in the first trial

    def __repr__(self):
        return f"{self.title}\n{self.message}" + f"\n{PRINTED}\n{self.printed}" * bool(self.printed)

    def _repr_html_(self):
        lines = [*self.message.splitlines(), *[PRINTED] * bool(self.printed)]
        paragraphs = "".join(f'<p style="margin: 0.3em 0">{_in_html(line)}</p>' for line in lines)
        if self.printed:
            paragraphs += f"<pre>{html.escape(self.printed)}</pre>"
        return (
            f'<div style="border-left: 0.4em solid {COLOURS[self.status]}; padding: 0.2em 0.8em">'
            f"<strong>{html.escape(self.title)}</strong>{paragraphs}</div>"
        )


class Text(str):
    """Text without quotation marks; `shown` has shown it in IPython, which need not do so again."""

    __repr__ = str.__str__

    def _ipython_display_(self):
        pass


def shown(text):
    """Show the text in IPython at once, since only the last value of a cell is shown; and return it."""
    if failed_cells.CELLS:
        print(text)
    return Text(text)


class CheckFailed(AssertionError):
    """Raised by a check while a grading tool runs; notebooks show its message without a traceback."""

    def _render_traceback_(self):
        return str(self).splitlines()


class Checked:
    """What exercises and questions have in common; they add `name`, `hints`, `look` and `judged`."""

    def diagnose(self, *answer):
        """Return the `Result` for an answer; never raises."""
        if LOOK_ONLY is not None:  # a line of the learner's own, such as `assert ... == "correct"`, may go on
            return Result("correct", f"{self.name}: no reply while this is graded.", "")
        with run_answer.LOCK:
            return self.judge(self.look(*answer))

    def judge(self, look):
        """The `Result` for a `Look`, or a ValueError if no check of this exercise makes such a look."""
        if look.kind == "refused":
            return self.result("error", look.text)
        result = self.judged(look)
        return replace(result, printed=look.seen[0].printed) if look.seen else result

    def check(self, *answer):
        """Show what `diagnose` says of the answer; while a grading tool runs, raise unless it is correct.

        Nothing is said of an answer whose cell has failed: what it holds still is an older one.
        """
        complaint = failed_cells.CELLS and failed_cells.CELLS.complaint()
        refused = complaint and run_answer.Look("refused", complaint)
        if LOOK_ONLY is not None:
            from IPython.display import publish_display_data

            look = refused or self.renewed(LOOK_ONLY.get(self.name, ())).look(*answer)
            where = f"{self.name}: the reply is below the lesson's own check."
            publish_display_data({LOOK_TYPE: look.as_text(), "text/plain": where}, {"exercise": self.name})
            return self.diagnose()
        result = self.judge(refused) if refused else self.diagnose(*answer)
        if not GRADING:
            return clicks.with_buttons(result, self) if clicks.possible() else result
        if result.status != "correct":
            raise CheckFailed(repr(result))
        print(result)  # a value would be taken for partial credit

    def renewed(self, seeds):
        """The same with fresh trials, where there are trials."""
        return self

    def hint(self, n=1):
        """The n-th hint, from gentle to concrete."""
        if not isinstance(n, Integral):
            raise TypeError(f"n must be an integer such as 1 or 2, not {n!r}")
        n = max(1, min(n, len(self.hints)))
        more = f" (`.hint({n + 1})` for the next one.)" if n < len(self.hints) else ""
        return shown(f"Hint {n} of {len(self.hints)}: {self.hints[n - 1]}{more}")

    def __repr__(self):
        return f"exercise {self.name}: .check(...), .hint(), .solution()"

    def result(self, status, message, cause=None):
        return Result(status, f"{self.name}: {HEADINGS[status]}.", message, cause)


def _in_html(text):
    """A line with its `code`, its *emphasis* and its links.

    >>> _in_html("`k` is *ahead*, and 2 * 3 * 4 is a product")
    '<code>k</code> is <em>ahead</em>, and 2 * 3 * 4 is a product'
    """
    text = re.sub(r"(?<![\w*`])\*(\w[^*`]*)\*(?![\w*])", r"<em>\1</em>", html.escape(text))
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"https://[\w./#-]+[\w/]", r'<a href="\g<0>">\g<0></a>', text)
