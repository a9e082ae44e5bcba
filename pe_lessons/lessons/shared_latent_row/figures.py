"""The drawings of this lesson."""

import matplotlib.pyplot as plt

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


def _arrow(ax, start, end, matrix):
    arrow = {"arrowstyle": "-|>", "color": "0.4", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (end, 0), (start, 0), arrowprops=arrow)
    ax.text((start + end) / 2, 0.2, matrix, ha="center")


def _cells(ax, middle, name, numbers, *, lit, cell=CELL):
    left = middle - cell * len(numbers) / 2
    for place, number in enumerate(numbers):
        paper = LIT if lit else "0.95"
        corner = left + cell * place, -0.35
        ax.add_patch(plt.Rectangle(corner, cell, 0.7, facecolor=paper, edgecolor="0.5", gid=plots.KEEPS))
        said = f"{number}".replace("-", "\u2212")
        ax.text(corner[0] + cell / 2, 0, said, ha="center", va="center", color="black")
    ax.text(middle, 0.5, name, ha="center")


@plots.drawn
def decoupled():
    """What a head multiplies with what, in the columns of the cache."""
    query = [(r"query's row $W_K^\top\,q$", 512, ""), ("$R_m q'$", 64, LIGHT_GREEN)]
    cache = [("latent row $c$", 512, ""), ("$R_n k'$", 64, LIGHT_GREEN)]
    rows = {"a head's query": query, "in the cache": cache}
    return plots.strips(rows, xlabel="column", xticks=[0, 512, 576])
