"""The drawings of this lesson."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots

CELL = 0.75
LIT = "#ffe08a"  # the numbers that are multiplied
LIGHT_GREEN = "#7fcfb4"  # RoPE's green, light enough for black letters


@plots.drawn
def absorbed(latent, key, row, query):
    """Two ways from a latent row and a query to one score."""
    score = sum(one * other for one, other in zip(key, query))
    ways = {
        "A key is made from the latent row.": (key, 4.5, "$W_K$", (1.8, 2.9)),
        "No key is made. The query is multiplied instead.": (row, 3.5, r"$W_K^{\top}$", (6.6, 4.4)),
    }
    fig, axes = plt.subplots(2, 1, figsize=(4.7, 2.7))
    for ax, (title, (made, middle, matrix, (start, end))) in zip(axes, ways.items()):
        is_key = made is key
        _cells(ax, 0.95, "latent row c", latent, lit=not is_key)
        _cells(ax, middle, "key" if is_key else "query's row", made, lit=True)
        _cells(ax, 8.25, "query", query, lit=is_key)
        _arrow(ax, start, end, matrix)
        ax.text(6.4 if is_key else 2.2, 0, "·", ha="center", va="center", weight="bold", fontsize=16)
        ax.set_title(f"{title} Score: {score}", loc="left")
        ax.set(xlim=(-0.2, 9.9), ylim=(-0.45, 1.0), aspect="equal")
        ax.set_axis_off()
    return fig


@plots.drawn
def rotated(latent, rows, query):
    """The lower way once more, with the rotation in a dashed box, a line for each key."""
    fig, axes = plt.subplots(len(rows), 1, figsize=(4.7, 1.2 * len(rows)))
    for back, (ax, row) in enumerate(zip(axes, rows)):
        _cells(ax, 0.95, "latent row c", latent, lit=True)
        _cells(ax, 3.5, "query's row", [f"{number:.2f}" for number in row], lit=True, cell=0.95)
        _cells(ax, 8.25, "query", query, lit=False)
        _arrow(ax, 6.7, 6.4, "")
        _arrow(ax, 5.4, 4.55, r"$W_K^{\top}$")
        ax.text(2.2, 0, "·", ha="center", va="center", weight="bold", fontsize=16)
        edge = {"edgecolor": plots.OF_ENCODING["RoPE"], "linestyle": "--", "linewidth": 1.5}
        ax.add_patch(plt.Rectangle((5.45, -0.35), 0.9, 0.7, fill=False, **edge))
        ax.text(5.9, 0, f"$R_{back}$", ha="center", va="center")
        score = sum(one * other for one, other in zip(latent, row))
        said = f"Tokens back: {back}. Score: {score:.1f}".replace("-", "\u2212")
        ax.set_title(said, loc="left")
        ax.set(xlim=(-0.2, 9.9), ylim=(-0.45, 1.0), aspect="equal")
        ax.set_axis_off()
    return fig


def _arrow(ax, start, end, matrix, y=0):
    arrow = {"arrowstyle": "-|>", "color": "0.4", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (end, y), (start, y), arrowprops=arrow)
    ax.text((start + end) / 2, 0.2, matrix, ha="center")


def _cells(ax, middle, name, numbers, *, lit, cell=CELL):
    _boxes(ax, middle - cell * len(numbers) / 2, 0, numbers, cell=cell, paper=LIT if lit else "0.95")
    ax.text(middle, 0.5, name, ha="center")


def _boxes(ax, left, y, numbers, *, cell=CELL, paper="0.95"):
    for place, number in enumerate(numbers):
        corner = left + cell * place, y - 0.35
        ax.add_patch(plt.Rectangle(corner, cell, 0.7, facecolor=paper, edgecolor="0.5", gid=plots.KEEPS))
        said = f"{number}".replace("-", "\u2212")
        ax.text(corner[0] + cell / 2, y, said, ha="center", va="center", color="black")


@plots.drawn
def decoupled():
    """What a head multiplies with what, in the columns of the cache."""
    query = [(r"query's row $W_K^\top\,q$", 512, ""), ("$R_m q'$", 64, LIGHT_GREEN)]
    cache = [("latent row $c$", 512, ""), ("$R_n k'$", 64, LIGHT_GREEN)]
    rows = {"a head's query": query, "in the cache": cache}
    return plots.strips(rows, xlabel="column", xticks=[0, 512, 576])


@plots.drawn
def whole_head(latent, weights, value):
    """What a head does with the cached rows: all columns give the weights, and the grey ones the sum."""
    fig, ax = plt.subplots(figsize=(4.7, 3.6))
    ax.text(0.95, 3.52, "latent row", ha="center")
    ax.text(2.4, 3.52, "rotated key", ha="center")
    ax.text(4.75, 3.52, "weight", ha="center")
    for place, (row, weight) in enumerate(zip(latent, weights)):
        y = 3 - 0.9 * place
        _boxes(ax, 0.2, y, row)
        _boxes(ax, 1.8, y, [f"$R_{place}\\, k'_{place}$"], cell=1.15, paper=LIGHT_GREEN)
        # A frame, because the arrow starts at both parts.
        ax.add_patch(plt.Rectangle((0.13, y - 0.41), 2.89, 0.82, fill=False, edgecolor="0.4", linewidth=1))
        _arrow(ax, 3.02, 4.2, "", y=y)
        ax.text(4.75, y, f"{weight:.2f}", ha="center", va="center")
    ax.text(3.6, 1.32, "dot product with the query,\nthen softmax", ha="center", va="center", color="0.3")
    _boxes(ax, 0.2, 0, [f"{number:g}" for number in weights @ latent], paper=LIT)
    ax.text(1.0, 0.5, "weighted sum", ha="center")
    _arrow(ax, 1.9, 3.2, "$W_V$")
    _boxes(ax, 3.3, 0, [f"{number:g}" for number in value], paper=LIT)
    ax.text(4.1, 0.5, "output of the head", ha="center")
    ax.set(xlim=(0, 5.6), ylim=(-0.45, 3.8), aspect="equal")
    ax.set_axis_off()
    return fig


@plots.drawn
def turned_back():
    """Two rotated values, their sum, and the sum rotated back, for a text at two places."""
    values, turn = np.exp(1j * np.deg2rad([85, -30])), np.deg2rad(50)
    fig, axes = plt.subplots(2, 1, figsize=(4.7, 4.6))
    for ax, first in zip(axes, (0, 2)):
        positions = first + np.arange(2)
        rotated = values * np.exp(1j * turn * positions)
        total, m = rotated.sum(), positions[-1]
        for name, n, one in zip("ab", positions, rotated):
            _from_origin(ax, one, rf"$R_{n}\, {name}$", colour="0.5", lw=1.5)
            ax.plot((one.real, total.real), (one.imag, total.imag), color="0.7", ls="--", lw=1)
        _from_origin(ax, total, "sum", colour="0.1", lw=2)
        back = total * np.exp(-1j * turn * m)
        _from_origin(ax, back, "sum rotated\nback", colour=plots.OF_ENCODING["RoPE"], lw=2.5)
        ax.set_title(f"tokens at {positions[0]} and {m}", loc="left")
        ax.set(xlim=(-2.0, 2.4), ylim=(-0.3, 1.65), aspect="equal")
        ax.set_axis_off()
    return fig


def _from_origin(ax, end, name, *, colour, lw):
    arrow = {"arrowstyle": "-|>", "color": colour, "lw": lw, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (end.real, end.imag), (0, 0), arrowprops=arrow)
    spot = end * (1 + (0.14 + 0.28 * abs(end.real / abs(end))) / abs(end))
    ax.text(spot.real, spot.imag, name, ha="center", va="center", color=colour)
