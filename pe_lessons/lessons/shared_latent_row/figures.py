"""The drawings of this lesson."""

import matplotlib.pyplot as plt

from pe_lessons import plots

CELL = 0.55
LIT = "#ffe08a"  # the numbers that are multiplied
LIGHT_GREEN = "#7fcfb4"  # RoPE's green, light enough for black letters


@plots.drawn
def absorbed(latent, key, row, query):
    """Two ways from a latent row and a query to one score."""
    score = sum(one * other for one, other in zip(key, query))
    ways = {
        "A key is made from the latent row.": (key, 3.9, "$W_K$", (1.35, 2.65)),
        "No key is made. The query is multiplied instead.": (row, 2.9, r"$W_K^{\top}$", (6.75, 3.6)),
    }
    fig, axes = plt.subplots(2, 1, figsize=(7.2, 2.9))
    for ax, (title, (made, middle, matrix, (start, end))) in zip(axes, ways.items()):
        is_key = made is key
        _cells(ax, 0.65, "latent row c", latent, lit=not is_key)
        _cells(ax, middle, "key" if is_key else "the query's row", made, lit=True)
        _cells(ax, 8.0, "query", query, lit=is_key)
        _arrow(ax, start, end, matrix)
        ax.text(5.95 if is_key else 1.78, 0, "·", ha="center", va="center", weight="bold", fontsize=16)
        ax.text(9.35, 0, f"score {score}", va="center", weight="bold")
        ax.set_title(title, loc="left")
        ax.set(xlim=(0, 10.8), ylim=(-0.4, 0.8), aspect="equal")
        ax.set_axis_off()
    return fig


@plots.drawn
def rotated(latent, rows, query):
    """The lower way once more, with the rotation in a dashed box, a line for each offset."""
    fig, axes = plt.subplots(len(rows), 1, figsize=(7.2, 1.35 * len(rows)))
    for offset, (ax, row) in enumerate(zip(axes, rows)):
        _cells(ax, 0.65, "latent row c", latent, lit=True)
        _cells(ax, 2.9, "the query's row", [f"{number:.1f}" for number in row], lit=True)
        _cells(ax, 8.0, "query", query, lit=False)
        _arrow(ax, 6.75, 6.4, "")
        _arrow(ax, 5.2, 3.6, r"$W_K^{\top}$")
        ax.text(1.78, 0, "·", ha="center", va="center", weight="bold", fontsize=16)
        edge = {"edgecolor": plots.OF_ENCODING["RoPE"], "linestyle": "--", "linewidth": 1.5}
        ax.add_patch(plt.Rectangle((5.3, -0.3), 1.05, 0.6, fill=False, **edge))
        ax.text(5.825, 0, f"$R_{offset}$", ha="center", va="center")
        score = sum(one * other for one, other in zip(latent, row))
        said = f"score {score:.1f}".replace("-", "\u2212")
        ax.text(9.35, 0, said, va="center", weight="bold")
        ax.set_title(f"Offset {offset}", loc="left")
        ax.set(xlim=(0, 10.8), ylim=(-0.4, 0.8), aspect="equal")
        ax.set_axis_off()
    return fig


def _arrow(ax, start, end, matrix):
    arrow = {"arrowstyle": "-|>", "color": "0.4", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (end, 0), (start, 0), arrowprops=arrow)
    ax.text((start + end) / 2, 0.32, matrix, ha="center")


def _cells(ax, middle, name, numbers, *, lit):
    left = middle - CELL * len(numbers) / 2
    for place, number in enumerate(numbers):
        paper = LIT if lit else "0.95"
        corner = left + CELL * place, -0.3
        ax.add_patch(plt.Rectangle(corner, CELL, 0.6, facecolor=paper, edgecolor="0.5", gid=plots.KEEPS))
        said = f"{number}".replace("-", "\u2212")
        ax.text(corner[0] + CELL / 2, 0, said, ha="center", va="center", color="black")
    ax.text(middle, 0.42, name, ha="center")


@plots.drawn
def decoupled():
    """What a head multiplies with what, in the columns of the cache."""
    query = [(r"absorbed query $W_K^\top\,q$", 512, ""), ("$R_m q'$", 64, LIGHT_GREEN)]
    cache = [("latent row $c$", 512, ""), ("$R_n k'$", 64, LIGHT_GREEN)]
    rows = {"a head's query": query, "in the cache": cache}
    return plots.strips(rows, xlabel="column", xticks=[0, 512, 576])
