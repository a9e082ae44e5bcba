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
