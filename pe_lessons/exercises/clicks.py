"""Buttons under a question and under a verdict, for those who sit in front of JupyterLab.

A kernel that a Jupyter server started for a person finds JPY_SESSION_NAME in its environment. A program that
runs notebooks doesn't set it, so what the notebooks store is text. Marks count what is typed in a cell.
"""

import itertools
import os


def possible():
    """Whether somebody can click."""
    return "JPY_SESSION_NAME" in os.environ and "NBGRADER_EXECUTION" not in os.environ


def under_quiz(quiz, numbers):
    """A row of letters for each question; a click goes into `my_letters` and shows what the check says."""
    from ipywidgets import ToggleButtons, VBox

    rows = {}
    for number in numbers:
        letters = list(quiz.questions[number - 1].choices)
        rows[number] = ToggleButtons(options=letters, value=None, description=f"{number}.")
        rows[number].style.button_width = "3em"

    def chosen():
        every = range(1, len(quiz.questions) + 1)
        return [rows[number].value or ... if number in rows else ... for number in every]

    _show(VBox(list(rows.values())), chosen, "my_letters", quiz)


def under_question(question):
    """A button for each choice; a click goes into `my_answer` and shows what the check says."""
    from ipywidgets import HBox, Layout, ToggleButton

    buttons = [ToggleButton(description=one, layout=Layout(width="3em")) for one in question.choices]

    def chosen():
        return [button.description for button in buttons if button.value]

    _show(HBox(buttons), chosen, "my_answer", question)


def _show(box, chosen, name, asked):
    """Show the buttons of a box; after a click, the variable of this name holds what is chosen."""
    from IPython import display, get_ipython
    from ipywidgets import HTML, VBox

    reply = HTML()

    def clicked(_):
        answer = get_ipython().user_ns[name] = chosen()
        typed = ", ".join("..." if one is ... else f'"{one}"' for one in answer)
        keep = f"<p>To keep your answer, type <code>{name} = [{typed}]</code>.</p>"
        reply.value = asked.diagnose(answer)._repr_html_() + keep

    for button in box.children:
        button.observe(clicked, "value")
    display.display(VBox([box, reply]))


def with_buttons(result, exercise):
    """The result, which JupyterLab shows with a button for the next hint and one for the solution."""
    if result.status != "correct":
        vars(result)["_ipython_display_"] = lambda: _verdict(result, exercise)
    return result


def _verdict(result, exercise):
    from IPython import display
    from ipywidgets import Button, HBox, Output, VBox

    numbers, out = itertools.count(1), Output()
    told = {"Hint": lambda: exercise.hint(next(numbers)), "Solution": exercise.solution}

    def clicked(button):
        out.clear_output()
        with out:
            told[button.description]()

    buttons = [Button(description=name) for name in told]
    for button in buttons:
        button.on_click(clicked)
    display.display(display.HTML(result._repr_html_()))
    display.display(VBox([HBox(buttons), out]))
