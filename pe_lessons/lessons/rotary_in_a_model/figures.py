"""The drawings of the lesson on RoPE in a model."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def layouts():
    """The columns of a head of 8 in both layouts, the two of each pair joined by an arc."""
    pairs = {
        "interleaved: neighbours make a pair": [0, 0, 1, 1, 2, 2, 3, 3],
        "half: column k and column k + 4": [0, 1, 2, 3, 0, 1, 2, 3],
    }
    fig, axes = plt.subplots(2, 1, figsize=(6.4, 4.4))
    for ax, (title, pair_of) in zip(axes, pairs.items()):
        for column, pair in enumerate(pair_of):
            look = {"facecolor": plots.COLOURS[pair], "edgecolor": "white", "gid": plots.KEEPS}
            ax.add_patch(plt.Rectangle((column - 0.48, 0), 0.96, 0.8, **look))
            letter = "ab"[pair_of[:column].count(pair)]
            name = {"ha": "center", "va": "center", "color": "white", "fontweight": "bold"}
            ax.text(column, 0.4, f"{letter}{pair}", **name)
        for pair in range(4):
            first, second = (column for column, one in enumerate(pair_of) if one == pair)
            way = np.linspace(0, np.pi, 50)
            middle, radius = (first + second) / 2, (second - first) / 2
            height = 0.28 + 0.27 * radius
            ax.plot(middle - radius * np.cos(way), 0.84 + height * np.sin(way), color=plots.COLOURS[pair])
        ax.set(title=title, xlim=(-0.6, 7.6), ylim=(-0.02, 1.75), xticks=range(8), yticks=[])
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.tick_params(length=0)
    axes[1].set_xlabel("column of the head")
    return fig
