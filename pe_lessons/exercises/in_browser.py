"""What a page of the site asks of Python: run this answer, or check it, and say what came of it."""

import ast
import contextlib
import importlib
import io
import json
import linecache
import pprint
import re

from pe_lessons.exercises.failed_cells import BINDS, in_words
from pe_lessons.exercises.run_answer import cut, in_one_line, no_input

FILE = "<answer>"
SHOWN = 10_000  # characters of what was printed, or of a value
# Replies speak of cells. On a page there is an editor with buttons, and hints below it.
ON_A_PAGE = {
    r"line out, run the cell above, then run this cell\.": "line out, then press *Check*.",
    r" in the cell above, run it, then run this cell\.": ", then press *Check*.",
    r"(?:`|<code>)\w+\.hint\(\)(?:`|</code>) helps": "*Hint 1* below helps",
    r"Write its name without parentheses: .*\.": "Does another line use its name for something else?",
    r"which would end the notebook": "which would end Python",
}


def page_words(message):
    """The message with the words of a page in place of those of a notebook."""
    for notebook, page in ON_A_PAGE.items():
        message = re.sub(notebook, page, message)
    return message


def run(lesson, name, answer, imports):
    """What an answer prints and the value of its last line, as JSON; or the error with which it stops."""
    ran = _Run(lesson, name, answer, imports)
    message = page_words(ran.error)
    if not (ran.error or ran.printed or ran.value):
        message = "Your code ran without an error. To see a value, write it in the last line, or print it."
    said = {"status": "error" if ran.error else "ran", "title": "Error in your code." * bool(ran.error)}
    return json.dumps(said | {"message": message, "printed": ran.printed, "value": ran.value})


def reply(lesson, name, answer, check, imports):
    """The reply to an answer, as JSON: status, title, message, and what was printed, also in the first trial.

    `check` is the text of the check's cell; `imports` are the lines with which the notebook imports, by the
    name that each of them makes: those are run whose name the answer uses.
    """
    ran = _Run(lesson, name, answer, imports)
    wanted = {node.id for node in ast.walk(ast.parse(check)) if isinstance(node, ast.Name)} - {name}
    missing = sorted(wanted - ran.space.keys())
    if ran.error:
        result = ran.exercise.result("error", ran.error)
    elif missing:
        result = ran.exercise.result(*_without(missing[0], ran.tree))
    else:
        result = eval(check, ran.space | {name: ran.exercise})  # the answer may have taken its name
    said = {"status": result.status, "title": result.title, "message": page_words(result.message)}
    return json.dumps(said | {"printed": ran.printed, "trial": result.printed})


class _Run:
    """An answer that was run: its names, its syntax tree, its last value, what it printed, and its error."""

    def __init__(self, lesson, name, answer, imports):
        self.exercise = getattr(importlib.import_module(f"pe_lessons.lessons.{lesson}"), name)
        self.space = {"__name__": "__main__", name: self.exercise, "input": no_input}
        self.tree, self.value, self.error = None, "", ""
        linecache.cache[FILE] = len(answer), None, answer.splitlines(keepends=True), FILE
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                self.tree = ast.parse(answer, FILE)
                names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
                for used in names & imports.keys():
                    exec(imports[used], self.space)
                self.value = cut(self._last_value(), SHOWN)
            except SyntaxError as error:
                self.error = f"{in_words(error)}."
            except ModuleNotFoundError as error:
                library = str(error.name).partition(".")[0]
                self.error = f"There is no `{library}` on this page. Can you do without it?"
            except BaseException as error:  # exit() too
                self.error = f"Your code stops with an error. {in_one_line(error)}"
        self.printed = cut(output.getvalue(), SHOWN)

    def _last_value(self):
        """Run all lines; the value of the last, as text, if it has one."""
        lines = list(self.tree.body)
        last = lines.pop() if lines and isinstance(lines[-1], ast.Expr) else None
        exec(compile(ast.Module(lines, []), FILE, "exec"), self.space)
        value = last and eval(compile(ast.Expression(last.value), FILE, "eval"), self.space)
        if value is None:
            return ""
        return repr(value) if isinstance(value, str) else pprint.pformat(value, width=88, sort_dicts=False)


def _without(missing, tree):
    """Status and message where the answer does not make the name that is checked."""
    if not tree.body:
        return "not attempted", "Your answer is empty. *Start again* brings back what was here."
    made = ["".join(names) for names in BINDS.findall(ast.unparse(tree))]
    told = f"Your answer has no `{missing}`"
    if made:
        return "error", f"{told}, but it has `{made[0]}`. Did you rename it? The check looks for `{missing}`."
    return "error", f"{told}. *Start again* brings back what was here."
