"""The figure of lesson 00."""

from pe_lessons import arrays, plots


def first_encoding():
    """The sinusoidal table of 50 positions and 128 columns, with one row framed."""
    framed = (20, "the row of position 20")
    fig = plots.heatmap(arrays.sinusoidal(50, 128), framed=framed, ends=("fast", "slow"))
    plots.show(
        fig,
        alt="Heat map of 50 positions by 128 columns. On the left there are waves of red and blue. Further "
        "to the right they get ever slower, until only still stripes remain, dark and pale in turn. Row "
        "20 is framed.",
        caption="The sinusoidal positional encoding. By lesson 05 you will have built it three times, and "
        "hunted a bug that is in published programs for it.",
    )
