"""Buttons under a question and under a verdict, for those who sit in front of JupyterLab.

A kernel that a Jupyter server started for a person finds JPY_SESSION_NAME in its environment. A program that
runs notebooks doesn't set it, so what the notebooks store is text. Marks count what is typed in a cell.
"""

import os


def possible():
    """Whether somebody can click."""
    return "JPY_SESSION_NAME" in os.environ and "NBGRADER_EXECUTION" not in os.environ


def under_quiz(quiz, numbers):
    """A row of letters for each question; a click goes into `my_letters` and shows what the check says."""
    import ipywidgets

    chosen = [...] * len(quiz.questions)
    rows = []
    for number in numbers:
        letters = list(quiz.questions[number - 1].choices)
        row = ipywidgets.ToggleButtons(options=letters, value=None, description=f"{number}.")
        row.style.button_width = "3em"
        rows.append(row)

    def choose(change):
        chosen[numbers[rows.index(change["owner"])] - 1] = change["new"]
        return list(chosen)

    _show(rows, choose, "my_letters", quiz)


def under_question(question):
    """A button for each choice; a click goes into `my_answer` and shows what the check says."""
    import ipywidgets

    layout = ipywidgets.Layout(width="3em")
    buttons = [ipywidgets.ToggleButton(description=letter, layout=layout) for letter in question.choices]

    def choose(_):
        return [button.description for button in buttons if button.value]

    _show(buttons, choose, "my_answer", question, box=ipywidgets.HBox)


def _show(buttons, choose, name, asked, box=None):
    """Show the buttons; `choose` turns a click into the answer, which gets the name that the cell gave it."""
    import ipywidgets
    from IPython import display, get_ipython

    reply = ipywidgets.HTML()

    def clicked(change):
        answer = get_ipython().user_ns[name] = choose(change)
        typed = ", ".join("..." if one is ... else f'"{one}"' for one in answer)
        keep = f"<p>To keep your answer, type <code>{name} = [{typed}]</code>.</p>"
        reply.value = asked.diagnose(answer)._repr_html_() + keep

    for button in buttons:
        button.observe(clicked, "value")
    display.display(ipywidgets.VBox([(box or ipywidgets.VBox)(buttons), reply]))


def with_buttons(result, exercise):
    """The result, which JupyterLab shows with a button for the next hint and one for the solution."""
    if result.status != "correct":
        vars(result)["_ipython_display_"] = lambda: _verdict(result, exercise)
    return result


def _verdict(result, exercise):
    import ipywidgets
    from IPython import display

    told, out = [], ipywidgets.Output()
    hint, solution = (ipywidgets.Button(description=name) for name in ("Hint", "Solution"))

    def tell(button):
        out.clear_output()
        with out:
            if button is hint:
                told.append(hint)
                exercise.hint(len(told))
            else:
                exercise.solution()

    hint.on_click(tell)
    solution.on_click(tell)
    display.display(display.HTML(result._repr_html_()))
    display.display(ipywidgets.VBox([ipywidgets.HBox([hint, solution]), out]))
