"""The drawings of the lesson on PyTorch."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.plots import SIGNED


@plots.drawn
def input_of_a_model(words, embedded, table):
    """Embedding + encoding = input: three small tables below each other, a line of cells per word."""
    blocks = {"the word": embedded, "+ the position": table, "= the input": embedded + table}
    scale = max(np.abs(values).max() for values in blocks.values())
    steps = plt.get_cmap(SIGNED, 21)  # few enough to keep their colours when the picture gets a palette
    fig, axes = plt.subplots(3, 1, figsize=(4.7, 5.2))
    for ax, (title, values) in zip(axes, blocks.items()):
        cells = ax.pcolormesh(values, cmap=steps, vmin=-scale, vmax=scale, edgecolors="white", linewidth=1.5)
        ax.set_title(title, loc="left", fontweight="bold")
        ax.set_yticks(np.arange(len(words)) + 0.5, words)
        ax.set_xticks([])
        ax.invert_yaxis()
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    names = [f"position {place}" for place in range(len(words))]
    axes[1].set_yticks(np.arange(len(words)) + 0.5, names)
    fig.colorbar(cells, ax=axes, label="value", shrink=0.6)
    return fig


@plots.drawn
def added(panels):
    """What is added to column 0, for four sentences of six tokens: tables below each other."""
    fig, axes = plt.subplots(len(panels), 1, figsize=(4.7, 4.6))
    for ax, (title, values) in zip(axes, panels.items()):
        values = np.asarray(values)
        ax.imshow(values, aspect="auto", cmap=plots.SIGNED, vmin=-1, vmax=1)
        for (row, column), value in np.ndenumerate(values):
            dark = abs(value) > 0.6
            said = f"{value:.2f}".replace("-", "−")
            ax.text(column, row, said, ha="center", va="center", color="white" if dark else "black")
        ax.set_title(title, loc="left")
        ax.set(xticks=range(6), yticks=range(4), ylabel="sentence")
    axes[-1].set_xlabel("token")
    return fig
