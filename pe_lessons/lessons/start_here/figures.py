"""The figure of lesson 00."""

import matplotlib.pyplot as plt

from pe_lessons import arrays, plots


@plots.drawn
def first_encoding():
    """The sinusoidal table of 50 positions and 128 columns, with one row framed."""
    fig = plots.heatmap(arrays.sinusoidal(50, 128))
    ax = fig.axes[0]
    box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": "black"}
    ax.add_patch(plt.Rectangle((-0.5, 19.5), 128, 1, fill=False, linewidth=1.5))
    ax.text(0.98 * 128, 20, "the row of position 20", ha="right", va="center", bbox=box)
    for side, speed in (("left", "fast"), ("right", "slow")):
        ax.set_title(speed, loc=side, fontsize=12, fontweight="bold")
    return fig
