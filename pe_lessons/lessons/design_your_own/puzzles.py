"""Twelve pictures of 16 x 16 cells, each to be drawn by one line of NumPy.

A line is a function of p, the number of the row (16, 1), and k, the number of the column (16,): what stands
in every cell. Rows are queries and columns are keys, unless the title says otherwise.
"""

import numpy as np

from pe_lessons import _arguments as arguments
from pe_lessons import plots

SIZE = 16
TOOLS = {"np", "abs", "sin", "cos", "floor", "log2", "minimum", "maximum", "where"}
GOALS = {
    "each word sees itself": lambda p, k: p == k,
    "no word looks ahead": lambda p, k: k <= p,
    "three back": lambda p, k: p - k == 3,
    "read it backwards": lambda p, k: p + k == 15,
    "a window of four": lambda p, k: (k <= p) & (p - k < 4),
    "a window and a sink": lambda p, k: (k <= p) & ((p - k < 4) | (k == 0)),
    "packed: 5, 5, 5 and 1": lambda p, k: (k <= p) & (p // 5 == k // 5),
    "ALiBi, slope 1": lambda p, k: -abs(p - k),
    "steps on a 4 x 4 grid": lambda p, k: abs(p // 4 - k // 4) + abs(p % 4 - k % 4),
    "a table: binary digits": lambda p, k: p // 2**k % 2,
    "a table: slower hands": lambda p, k: np.sin(p / 2**k),
    "one rotated pair": lambda p, k: np.cos(p - k),
}


def _cells(line):
    p, k = np.arange(SIZE)[:, None], np.arange(SIZE)
    try:
        cells = line(p, k)
    except ValueError as error:
        if "truth value" not in str(error):
            raise
        raise ValueError(
            "line must not use `and`, `or`, `not`, `if` or 0 < p < 4: p and k are all numbers at once. "
            "Write (0 < p) & (p < 4), with | for or, ~ for not, and np.where for if"
        ) from None
    return np.asarray(cells, dtype=float)


def goals():
    """The pictures, by number and title: a dictionary of arrays (16, 16)."""
    return {f"{number} {title}": _cells(line) for number, (title, line) in enumerate(GOALS.items(), 1)}


def draw(number, line):
    """Your picture beside the goal, as a figure, and what is to be said of it.

    Parameters
    ----------
    number : int
        Of the puzzle, 1 to 12.
    line : callable
        ``lambda p, k: ...``, made of p, k, numbers, signs and `TOOLS`.

    Returns
    -------
    figure, verdict : Figure, str

    Raises
    ------
    TypeError, ValueError
        If the number is not one of a puzzle, the line uses another tool, or gives another shape.
    """
    number = arguments.whole_number("number", number, minimum=1)
    if number > len(GOALS):
        raise ValueError(f"number must be at most {len(GOALS)}, got {number}")
    if not hasattr(line, "__code__"):
        raise TypeError(f"line must be a function of p and k, lambda p, k: ..., got {line!r}")
    if others := sorted({*line.__code__.co_names, *line.__code__.co_freevars} - TOOLS):
        raise ValueError(f"line may use p, k, numbers, signs and {', '.join(sorted(TOOLS))}; not {others[0]}")
    title = list(goals())[number - 1]
    goal, mine = goals()[title], _cells(line)
    try:
        mine = np.broadcast_to(mine, goal.shape)
    except ValueError:
        shape = f"{goal.shape}, got shape {mine.shape}"
        raise ValueError(f"line must give a cell for each p and k, {shape}") from None
    wrong = ~np.isclose(mine, goal, rtol=0, atol=1e-9)
    panels = {"the goal": goal, "yours": mine, "cells that differ": wrong.astype(float)}
    fig = plots.heatmaps(panels, xlabel="k", ylabel="p", signed=bool(min(goal.min(), mine.min()) < 0))
    if not wrong.any():
        return fig, f"Puzzle {title}: solved."
    row, column = np.argwhere(wrong)[0]
    where = (
        f"the first at p = {row}, k = {column}: {mine[row, column]:.3g} instead of {goal[row, column]:.3g}"
    )
    return fig, f"Puzzle {title}: {wrong.sum()} of {wrong.size} cells differ, {where}."
