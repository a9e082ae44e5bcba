"""The figure of lesson 00."""

import matplotlib.pyplot as plt

from pe_lessons import arrays, plots


@plots.drawn
def first_encoding():
    """The sinusoidal table of 50 positions and 128 columns. Two of its rows stand once more below it."""
    table = arrays.sinusoidal(50, 128)
    fig, (ax, two) = plt.subplots(2, 1, figsize=(4.7, 4.6), height_ratios=(9, 2))
    for panel, values in ((ax, table), (two, table[[20, 30]])):
        image = panel.imshow(values, aspect="auto", cmap=plots.SIGNED, vmin=-1, vmax=1)
    for position in (20, 30):
        frame = plt.Rectangle((-0.5, position - 0.5), 128, 1, fill=False, linewidth=1.2, clip_on=False)
        ax.add_patch(frame)
    two.axhline(0.5, color="white", linewidth=5)
    ax.set(ylabel="position", yticks=[0, 10, 20, 30, 40], xticks=[])
    ax.text(-0.5, 50.5, "fast waves", va="top", color="0.35")
    ax.text(127.5, 50.5, "slow waves", va="top", ha="right", color="0.35")
    two.set(title="Rows 20 and 30, one below the other", xlabel="column")
    two.set(xticks=[0, 32, 64, 96, 127], yticks=[0, 1], yticklabels=["20", "30"])
    plt.setp(ax.get_yticklabels() + two.get_yticklabels(), va="center")
    plots.colour_bar(fig, image, ax, "value")
    return fig
