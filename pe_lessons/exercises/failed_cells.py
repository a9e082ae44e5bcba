"""What a running IPython tells of its cells: which of them failed, and whether there is one at all.

When the cell of an answer fails, the kernel keeps what an earlier run of it made. A check would then praise
the older answer under the error of the newer one.
"""

import os
import re
import sys

from pe_lessons.exercises import run_answer

# `def name`, `class name`, `name =` and `name: type =`; a pattern, since a cell with a typing error has no
# syntax tree.
BINDS = re.compile(
    r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE
)
MISSING = object()


class Cells:
    """Remembers the names that failed cells should have bound, until a later cell binds them.

    A cell that failed further down, below the function, has made the new function all the same: the name
    then holds another object than before, and that one is worth judging.
    """

    def __init__(self, namespace):
        self.namespace = namespace
        self.text = ""  # of the running cell
        self.before = {}  # the names that it binds, with what they held
        self.failed = {}  # name: (what it holds still, the error in words)

    def begin(self, info):
        self.text = info.raw_cell
        names = {name for groups in BINDS.findall(self.text) for name in groups if name}
        self.before = {name: self.namespace.get(name, MISSING) for name in names}

    def end(self, result):
        error = None if result is None else result.error_before_exec or result.error_in_exec
        if remark := self.remark(error):
            print(remark)
        for name, held in self.before.items():
            self.failed.pop(name, None)
            if error is not None and self.namespace.get(name, MISSING) is held:
                self.failed[name] = held, in_words(error)
        self.before = {}

    def remark(self, error):
        """What an error of the running cell means here, where its own words do not say so, or None."""
        name = getattr(error, "name", None)
        if isinstance(error, ModuleNotFoundError):
            return f"`{name}` is not one of the course's packages, and your answer is graded without others."
        if type(error).__name__ == "StdinNotImplementedError":
            return "Nobody is at the keyboard when your answer is graded, so take `input()` out."
        if isinstance(error, ImportError) and "backend" in str(error):
            return "There is no screen when your answer is graded, so take out the line that asks for one."
        if isinstance(error, NameError) and name in self.failed:
            because = "because the cell that should define it stopped with an error"
            return f"There is no `{name}`, {because}. {self.failed[name][1]}"
        if isinstance(error, NameError) and re.search(rf"\.check\(\s*{name}\b", self.text):
            return f"There is no `{name}`. Give your answer this name, and run its cell first."
        taken = re.search(r"\b(\w+)\.(?:check|hint|solution)\(", self.text)
        if isinstance(error, AttributeError) and taken and name in ("check", "hint", "solution"):
            return (
                f"`{taken[1]}` is the name of the exercise, and your code has given it to something else. "
                "Give your answer the name in the parentheses of the check, then choose *Restart Kernel and "
                "Run All Cells*."
            )
        return None

    def complaint(self):
        """What to say of a name in the running cell that holds an older answer, or None."""
        for name, (held, error) in self.failed.items():
            used = re.search(rf"\b{name}\b", self.text) and name not in self.before
            if used and self.namespace.get(name, MISSING) is held:
                return (
                    "The cell with your answer stopped with an error, so this would be a reply to an older "
                    f"version. {error}. Once that cell runs without an error, run this one again."
                )
        return None


def in_words(error):
    if isinstance(error, SyntaxError):
        kind = type(error).__name__
        kind = "SyntaxError" if kind.startswith("_") else kind  # Python 3.13: _IncompleteInputError
        said = f"{kind} in line {error.lineno}: {error.msg}"
        # The learner's Python may be newer, and read what this one can't.
        python = f" (in Python {sys.version_info[0]}.{sys.version_info[1]})"
        return said + python * ("NBGRADER_EXECUTION" in os.environ)
    return run_answer.in_one_line(error)


def _watch():
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if not shell:
        return None
    cells = Cells(shell.user_ns)
    shell.events.register("pre_run_cell", cells.begin)
    shell.events.register("post_run_cell", cells.end)
    return cells


CELLS = _watch()  # None outside IPython
