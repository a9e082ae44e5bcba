"""The drawings of the lesson on PyTorch."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def added(right, wrong):
    """What is added to column 0, for four sentences of six tokens: two tables below each other."""
    panels = {"(6, 8): a position for each token": right, "(4, 1, 8): a position for each sentence": wrong}
    fig, axes = plt.subplots(len(panels), 1, figsize=(4.7, 4.6))
    for ax, (title, sums) in zip(axes, panels.items()):
        values = np.asarray(sums)[..., 0]
        ax.imshow(values, aspect="auto", cmap=plots.SIGNED, vmin=-1, vmax=1)
        for (row, column), value in np.ndenumerate(values):
            dark = abs(value) > 0.6
            said = f"{value:.2f}".replace("-", "−")
            ax.text(column, row, said, ha="center", va="center", color="white" if dark else "black")
        ax.set_title(title, loc="left")
        ax.set(xticks=range(6), yticks=range(4), ylabel="sentence")
    axes[-1].set_xlabel("token")
    return fig
