"""The drawings of the lesson on attention without the matrix."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.ticker import MaxNLocator

from pe_lessons import plots
from pe_lessons.plots import COLOURS, KEEPS, STYLE, WEIGHTS


@plots.drawn
def windows(strip, offsets):
    """A strip of numbers, and the rows that a view cuts from it, each starting one number later."""
    strip = np.asarray(strip, dtype=float)
    length = (len(strip) + 1) // 2
    names = [f"query {query}" for query in reversed(range(length))]
    finite = strip[np.isfinite(strip)]
    colours, scale = plt.get_cmap(WEIGHTS), plt.Normalize(finite.min(), finite.max())
    with plt.rc_context(STYLE | {"font.size": 11}):
        fig, ax = plt.subplots(figsize=(4.7, 0.62 * (len(names) + 2.2)))
        for row, first in [(0, 0)] + [(1.5 + row, row) for row in range(len(names))]:
            for column in range(first, first + (length if row else len(strip))):
                number = strip[column]
                known = np.isfinite(number)
                paper = colours(scale(number)) if known else to_rgba("0.9")
                look = {"facecolor": paper, "gid": KEEPS if known else None}
                ax.add_patch(plt.Rectangle((column - 0.48, row - 0.48), 0.96, 0.96, **look))
                said = f"{number + 0.0:g}".replace("-", "\u2212").replace("inf", "\u221e")
                ink = "white" if np.dot(paper[:3], (0.3, 0.59, 0.11)) < 0.5 else "black"
                ax.text(column, row + 0.15, said, ha="center", va="center", color=ink)
                if row:
                    ax.text(column - 0.44, row - 0.3, column - first, va="center", color=ink, fontsize=10)
        for column, offset in enumerate(offsets):
            ax.text(column, -0.62, f"{offset}".replace("-", "\u2212"), ha="center", va="bottom", color="0.3")
        ax.text(-0.7, -0.62, "offset", ha="right", va="bottom", color="0.3")
        orange = {"color": COLOURS[1], "va": "center"}
        ax.text(-0.4, 5.0, "each row\nstarts one\nnumber later", linespacing=1.3, **orange)
        places = [0, *(1.5 + np.arange(len(names)))]
        ax.set(xlim=(-0.5, len(strip) - 0.5), ylim=(len(names) + 1.05, -1.1), xticks=[])
        ax.set_yticks(places, ["in memory", *names])
        ax.spines[:].set_visible(False)
    return fig


@plots.drawn
def tiles(kept):
    """The tiles of scores that a causal mask keeps (1) and skips (0), (n_tiles, n_tiles)."""
    half = np.asarray(kept) - 0.5 * np.eye(len(kept))  # on the diagonal, half of a tile is hidden
    fig, ax = plt.subplots(figsize=(4.6, 4.6))
    ax.imshow(np.ma.masked_equal(half, 0), cmap=WEIGHTS, vmin=0, vmax=1)
    skipped = int((half == 0).sum())
    ax.text(25.5, 13, f"{skipped} tiles hidden:\nskipped", **plots.NOTE)
    ax.text(9, 23, "seen:\ncomputed", **plots.NOTE | {"color": "white"})
    look = plots.NOTE | {"arrowprops": plots.LINE}
    ax.annotate("half seen: computed,\nthen half is hidden", (14.2, 14.2), (22, 3), **look)
    ax.set(xlabel="tile of 128 keys", ylabel="tile of 128 queries")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    return fig, {"skipped": skipped, "all": half.size}


@plots.drawn
def partners(rows):
    """What becomes of a 1 in column 1: a dict of name to row (8,), with an arrow to the partner's column."""
    fig, ax = plt.subplots(figsize=(4.7, 3.3))
    found = []
    for top, (name, row) in enumerate(rows.items()):
        middle = 2.1 * top
        ax.text(-0.5, middle - 0.72, name, va="center", fontweight="bold")
        for column, number in enumerate(np.asarray(row)):
            paper = {1: "#9d86d6"}.get(column, "#f6c59b" if number else "0.93")
            look = {"facecolor": paper, "gid": KEEPS if number else None}
            ax.add_patch(plt.Rectangle((column - 0.48, middle - 0.38), 0.96, 0.76, **look))
            said = f"{number:.2f}".replace("-", "\u2212") if number else "0"
            ax.text(column, middle, said, ha="center", va="center", color="black" if number else "0.5")
            if number and column != 1:
                bend = 0.28 if column > 1 else -0.28
                arrow = {"arrowstyle": "-|>", "color": COLOURS[1], "connectionstyle": f"arc3,rad={bend}"}
                ax.annotate("", (column, middle + 0.4), (1, middle + 0.4), arrowprops=arrow)
                found.append(f"{name}: the partner is column {column}")
    for column in range(8):
        ax.text(column, -1.3, column, ha="center", va="center", color="0.3")
    ax.text(-0.6, -1.3, "column", ha="right", va="center", color="0.3")
    ax.set(xlim=(-2.0, 7.5), ylim=(2.1 * len(rows) - 0.9, -1.6), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return fig, {"said": ", ".join(found)}


@plots.drawn
def turned_back(pair, rotated, incoming, gradient):
    """What the forward pass makes of a pair (1, 2), and the backward pass of an incoming gradient (1, 2)."""
    fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.0))
    passes = {
        "forward: rotate by 90°": (("pair", pair), ("rotated", rotated)),
        "backward: rotate back by 90°": (("incoming", incoming), ("gradient", gradient)),
    }
    for ax, (title, arrows) in zip(axes, passes.items(), strict=True):
        ax.axhline(0, color="0.85", linewidth=0.8, zorder=0)
        ax.axvline(0, color="0.85", linewidth=0.8, zorder=0)
        tips = []
        for colour, (name, numbers) in zip(COLOURS, arrows):
            x, y = (round(float(number), 1) + 0.0 for number in numbers.detach()[0])
            tips.append((x, y))
            look = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", (x, y), (0, 0), arrowprops=look)
            said = f"{name}\n({x:g}, {y:g})".replace("-", "\u2212")
            place = (x + 0.2, y, "left", "center") if y < 0 else (x, y + 0.2, "center", "bottom")
            ax.text(*place[:2], said, color=colour, ha=place[2], va=place[3])
        (x, y), (u, v) = ([0.6 * part for part in tip] for tip in tips)
        turn = 0.4 if x * v > y * u else -0.4
        ax.annotate("", (u, v), (x, y), arrowprops={**plots.LINE, "connectionstyle": f"arc3,rad={turn}"})
        ax.set(title=title, xlim=(-2.2, 2.9), ylim=(-1.5, 3.2), xticks=[], yticks=[], aspect="equal")
        ax.spines[:].set_visible(False)
    return fig
