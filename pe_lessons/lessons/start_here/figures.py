"""The figure of lesson 00."""

import matplotlib.pyplot as plt

from pe_lessons import arrays, plots


@plots.drawn
def first_encoding():
    """The sinusoidal table of 50 positions and 128 columns, with one row framed."""
    table = arrays.sinusoidal(50, 128)
    fig, (ax, row) = plt.subplots(2, 1, figsize=(4.7, 4.2), height_ratios=(9, 1))
    for panel, values in ((ax, table), (row, table[20:21])):
        image = panel.imshow(values, aspect="auto", cmap=plots.SIGNED, vmin=-1, vmax=1)
    ax.add_patch(plt.Rectangle((-0.5, 19.5), 128, 1, fill=False, linewidth=1.2, clip_on=False))
    ax.set(ylabel="position", yticks=[0, 10, 20, 30, 40], xticks=[])
    ax.text(29, -1.4, "fast waves", va="bottom", color="0.35")
    ax.text(127, -1.4, "slow waves", va="bottom", ha="right", color="0.35")
    row.set(title="The row of position 20, by itself", xlabel="column")
    row.set(xticks=[0, 32, 64, 96, 127], yticks=[])
    plots.colour_bar(fig, image, ax, "value")
    return fig
