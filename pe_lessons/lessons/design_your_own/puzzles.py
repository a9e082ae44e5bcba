"""Twelve pictures of 16 x 16 cells, each to be drawn by one line of NumPy.

A line is a function of p, the number of the row (16, 1), and k, the number of the column (16,): what stands
in every cell. Rows are queries and columns are keys, unless the title says otherwise.
"""

import numpy as np

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
        return np.asarray(line(p, k), dtype=float)
    except ValueError as error:
        raise ValueError(
            f"line ends in {error}. p and k are all numbers at once, so write (0 < p) & (p < 4), not `and`, "
            "`or`, `if` or 0 < p < 4; | is or, ~ is not, and np.where is if"
        ) from None


def goals():
    """The pictures, by number and title: a dictionary of arrays (16, 16)."""
    return {f"{number} {title}": _cells(line) for number, (title, line) in enumerate(GOALS.items(), 1)}


def draw(number, line):
    """Your picture beside the goal of puzzle 1 to 12, as a figure, and what is to be said of it.

    The line is ``lambda p, k: ...``, made of p, k, numbers, signs and `TOOLS`.
    """
    if others := sorted({*line.__code__.co_names, *line.__code__.co_freevars} - TOOLS):
        raise ValueError(f"line may use p, k, numbers, signs and {', '.join(sorted(TOOLS))}; not {others[0]}")
    title, goal = list(goals().items())[number - 1]
    mine = np.broadcast_to(_cells(line), goal.shape)
    wrong = ~np.isclose(mine, goal, rtol=0, atol=1e-9)
    panels = {"the goal": goal, "yours": mine, "cells that differ": wrong.astype(float)}
    fig = plots.heatmaps(panels, xlabel="k", ylabel="p", signed=bool(min(goal.min(), mine.min()) < 0))
    if not wrong.any():
        return fig, f"Puzzle {title}: solved."
    row, column = np.argwhere(wrong)[0]
    where = f"p = {row}, k = {column}: {mine[row, column]:.3g} instead of {goal[row, column]:.3g}"
    return fig, f"Puzzle {title}: {wrong.sum()} of {wrong.size} cells differ, the first at {where}."
