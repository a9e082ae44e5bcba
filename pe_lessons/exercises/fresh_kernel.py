"""An extension of IPython: what a missing name means in a kernel that has just been started.

`course.py` lets every kernel of the course's environment load it, so it imports nothing of the course.
"""

import os
import re
import sys

OF_AN_EXERCISE = re.compile(r"\b(\w+)\.(?:check|hint|solution|explain)\(")


def load_ipython_extension(shell):
    shell.set_custom_exc((NameError,), explain)


def explain(shell, kind, error, traceback, tb_offset=None):
    """Show the error as IPython does, or, before the first cell of a lesson, what to do."""
    if "pe_lessons.exercises.failed_cells" in sys.modules:  # it came with the first cell, and knows more
        shell.set_custom_exc((), None)
    elif _of_a_lesson(shell, error.name):
        error._render_traceback_ = lambda: [
            f"There is no `{error.name}` in this kernel: the first cell of this lesson has not run since the "
            "kernel was started.\nRun the first cell of this lesson again, then your answer, then this cell. "
            "*Run All Above Selected Cell* in the menu *Run* does the first two."
        ]
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset, running_compiled_code=True)


def _of_a_lesson(shell, name):
    """Whether the running cell checks an answer, or stands in a notebook that has the name of a lesson."""
    notebook = os.path.basename(os.environ.get("JPY_SESSION_NAME", ""))  # Jupyter's server gives it
    return name in OF_AN_EXERCISE.findall(shell.user_ns["In"][-1]) or re.match(r"\d\d_\w+\b", notebook)
