"""The drawings of the workshop at the end."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.plots import COLOURS


@plots.drawn
def four_tables(tables, accuracies):
    """Four tables {name: (16, n_columns)}, and the accuracy that a small model reached with each."""
    fig, axes = plt.subplots(2, 2, figsize=(4.7, 5.2))
    for ax, (name, table) in zip(axes.flat, tables.items(), strict=True):
        top = np.abs(table).max()
        ax.imshow(table, cmap=plots.SIGNED, vmin=-top, vmax=top, aspect="auto")
        ax.set(xticks=[], yticks=[])
        good = accuracies[name] > 0.9
        ax.set_title(f"{name}\n{accuracies[name]:.0%}", color=COLOURS[2] if good else COLOURS[1])
        ax.set(ylabel="position", xlabel="column" if ax in axes[1] else "")
    return fig


@plots.drawn
def maps(heads):
    """How much each word looks at each word, {name: (16, 16)}, in heads that were trained on five back."""
    return plots.heatmaps(heads, xlabel="looks at", ylabel="word", signed=False, label="weight")
