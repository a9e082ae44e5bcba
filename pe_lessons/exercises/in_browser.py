"""What a page of the site asks of Python: run this answer, check it, and say what came of it."""

import ast
import contextlib
import importlib
import io
import json
import linecache

from pe_lessons.exercises.behaviour import in_one_line
from pe_lessons.exercises.failed_cells import in_words

FILE = "<answer>"


def reply(lesson, name, answer, check, imports):
    """The reply to an answer, as JSON: status, title, message, and what was printed.

    `check` is the text of the check's cell; `imports` are the lines with which the notebook imports, by the
    name that each of them makes: those are run whose name the answer uses.
    """
    output = io.StringIO()
    exercise = getattr(importlib.import_module(f"pe_lessons.exercises.{lesson}"), name)
    space = {"__name__": "__main__", name: exercise}
    linecache.cache[FILE] = len(answer), None, answer.splitlines(keepends=True), FILE
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            tree = ast.parse(answer, FILE)
            for used in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & imports.keys():
                exec(imports[used], space)
            exec(compile(tree, FILE, "exec"), space)
            result = eval(check, space)
        except SyntaxError as error:
            result = exercise.result("error", f"{in_words(error)}.")
        except ModuleNotFoundError as error:
            library = str(error.name).partition(".")[0]
            result = exercise.result("error", f"There is no `{library}` on this page. Does it go without?")
        except BaseException as error:  # exit() too
            result = exercise.result("error", f"Your code stops with an error. {in_one_line(error)}")
    said = {"status": result.status, "title": result.title, "message": result.message}
    return json.dumps(said | {"printed": output.getvalue()})
