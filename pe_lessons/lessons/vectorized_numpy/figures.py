"""The drawings of the lesson on broadcasting."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.plots import COLOURS


@plots.drawn
def stretch(column, row):
    """A column and a row, stretched to the same rectangle, and their product."""
    shape = np.broadcast_shapes(column.shape, row.shape)
    titles = "positions (5, 1)", "frequencies (2,)", "product (5, 2)"
    tables = np.broadcast_to(column, shape), np.broadcast_to(row, shape), column * row
    fig, axes = plt.subplots(1, 3, figsize=(6.8, 2.7))
    for ax, sign, title, table in zip(axes, "×= ", titles, tables):
        for (y, x), value in np.ndenumerate(table):
            own = table is tables[2] or (x == 0 if table is tables[0] else y == 0)
            face = "white" if own else "0.93"
            ax.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=face, edgecolor="0.6"))
            ax.text(x, y, f"{value:g}", ha="center", va="center", color="black" if own else "0.5")
        ax.set(xlim=(-0.6, 1.6), ylim=(4.6, -0.6), title=title, xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        ax.text(1.12, 0.5, sign, transform=ax.transAxes, fontsize=16, ha="center", va="center")
    arrow = {"arrowstyle": "-|>", "color": COLOURS[1], "linewidth": 2}
    axes[0].annotate("", (1.4, 4.3), (0.1, 4.3), arrowprops=arrow)
    axes[1].annotate("", (1.4, 4.3), (1.4, 0.1), arrowprops=arrow)
    axes[0].set_xlabel("stretched to the right", color=COLOURS[1])
    axes[1].set_xlabel("stretched down", color=COLOURS[1])
    axes[2].set_xlabel("all the angles")
    return fig


@plots.drawn
def reshaped(n_positions, n_pairs):
    """What a reshape puts into the rows of a table, with the positions first and with the pairs first."""
    stored = {
        f"positions first, ({n_positions}, {n_pairs}, 2)": np.indices((n_positions, n_pairs, 2)),
        f"pairs first, ({n_pairs}, {n_positions}, 2)": np.indices((n_pairs, n_positions, 2))[[1, 0, 2]],
    }
    fig, axes = plt.subplots(2, 1, figsize=(5.2, 4.6))
    for ax, (title, indices) in zip(axes, stored.items()):
        table = indices.reshape(3, n_positions, 2 * n_pairs)
        for y, x in np.ndindex(table.shape[1:]):
            position, pair, odd = table[:, y, x]
            ax.add_patch(plt.Rectangle((x, y), 1, 1, facecolor=COLOURS[position], alpha=0.25))
            ax.add_patch(plt.Rectangle((x, y), 1, 1, facecolor="none", edgecolor="0.6"))
            ax.text(x + 0.5, y + 0.34, f"{'sc'[odd]}{pair}", ha="center", va="center", fontweight="bold")
            ax.text(x + 0.5, y + 0.7, f"pos. {position}", ha="center", va="center", fontsize="small")
        ax.set(xlim=(0, 2 * n_pairs), ylim=(n_positions, 0), title=title, xticks=[])
        ax.set_yticks(np.arange(n_positions) + 0.5, [f"row {row}" for row in range(n_positions)])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    return fig
