"""The drawings of the lesson on RoPE in a model."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots

INK = "white", "black", "black", "black"  # on the colours of the pairs


@plots.drawn
def layouts():
    """The columns of a head of 8 in both layouts, the two of each pair joined by an arc."""
    pairs = {
        "interleaved: neighbours make a pair": [0, 0, 1, 1, 2, 2, 3, 3],
        "half: column k and column k + 4": [0, 1, 2, 3, 0, 1, 2, 3],
    }
    fig, axes = plt.subplots(2, 1, figsize=(4.7, 4.4))
    for ax, (title, pair_of) in zip(axes, pairs.items()):
        for column, pair in enumerate(pair_of):
            look = {"facecolor": plots.COLOURS[pair], "edgecolor": "white", "gid": plots.KEEPS}
            ax.add_patch(plt.Rectangle((column - 0.48, 0), 0.96, 0.8, **look))
            letter = "ab"[pair_of[:column].count(pair)]
            name = {"ha": "center", "va": "center", "color": INK[pair], "fontweight": "bold"}
            ax.text(column, 0.4, f"{letter}{pair}", **name)
        for pair in range(4):
            first, second = (column for column, one in enumerate(pair_of) if one == pair)
            way = np.linspace(0, np.pi, 50)
            middle, radius = (first + second) / 2, (second - first) / 2
            height = 0.28 + 0.27 * radius
            ax.plot(middle - radius * np.cos(way), 0.84 + height * np.sin(way), color=plots.COLOURS[pair])
        ax.set(title=title, xlim=(-0.6, 7.6), ylim=(-0.02, 1.75), xticks=range(8), yticks=[])
        ax.spines["bottom"].set_visible(False)
        ax.tick_params(length=0)
    axes[1].set_xlabel("column of the head")
    return fig


@plots.drawn
def moved():
    """One pair of a query, a key and a value, before and after a move that rotates it by 1 radian."""
    panels = {
        "the angle between them stays": {"query": 0.0, "key": -0.5},
        "it points elsewhere": {"value": -0.25},
    }
    colours = dict(zip(("query", "key", "value"), plots.COLOURS))
    fig, axes = plt.subplots(1, 2, figsize=(4.7, 2.6))
    for ax, (title, angles) in zip(axes, panels.items()):
        for turn, width in ((0, 0.8), (1, 2.4)):  # before and after
            for name, angle in angles.items():
                tip = np.array([np.cos(angle + turn), np.sin(angle + turn)])
                look = {"arrowstyle": "-|>", "color": colours[name], "linewidth": width}
                ax.annotate("", tip, (0, 0), arrowprops=look)
                if turn:
                    ax.text(*1.2 * tip, name, color=colours[name], ha="center", va="center")
            way = np.linspace(min(angles.values()), max(angles.values()), 30) + turn
            ax.plot(0.4 * np.cos(way), 0.4 * np.sin(way), color="0.35", linewidth=width)
        ax.set(title=title, xlim=(-0.35, 1.45), ylim=(-0.6, 1.2), aspect="equal")
        ax.set_axis_off()
    return fig


@plots.drawn
def shared():
    """Which key head each of 8 query heads gets, in the right order of repetition and in the wrong one."""
    orders = {
        "right: NumPy's repeat, PyTorch's repeat_interleave": np.arange(8) // 4,
        "wrong: PyTorch's repeat": np.arange(8) % 2,
    }
    fig, ax = plt.subplots(figsize=(4.7, 2.5))
    for line, (title, keys) in enumerate(orders.items()):
        ax.text(-0.48, 0.98 - 1.7 * line, title, fontweight="bold", va="bottom")
        for head, key in enumerate(keys):
            wrong = key != head // 4
            look = {"facecolor": plots.COLOURS[4 - 3 * key], "edgecolor": "white", "gid": plots.KEEPS}
            ax.add_patch(plt.Rectangle((head - 0.48, -1.7 * line), 0.96, 0.86, **look))
            name = {"ha": "center", "va": "center", "color": "black"}
            ax.text(head, 0.43 - 1.7 * line, f"{key}", fontweight="bold", **name)
            if wrong:
                ax.text(head, -0.32 - 1.7 * line, "wrong", color=plots.RED, ha="center", va="center")
    ax.set(xlim=(-0.6, 7.6), ylim=(-2.25, 1.5), xticks=range(8), yticks=[], xlabel="query head")
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(length=0)
    return fig


@plots.drawn
def cache():
    """Six cached keys and a new one, and their offsets from a new query at its own position and at 0."""
    fig, ax = plt.subplots(figsize=(4.7, 3.1))
    titles = {"right: the new token is rotated by 6": 6, "mistake: the new token is rotated by 0": 0}
    for line, (title, new) in enumerate(titles.items()):
        low = -2.4 * line
        ax.text(-0.48, low + 1.0, title, fontweight="bold", va="bottom")
        for token, key in enumerate([*range(6), new]):
            colour = plots.COLOURS[4] if token < 6 else plots.COLOURS[1]
            look = {"facecolor": colour, "edgecolor": "white", "gid": plots.KEEPS}
            ax.add_patch(plt.Rectangle((token - 0.48, low), 0.96, 0.86, **look))
            middle = {"ha": "center", "va": "center"}
            ax.text(token, low + 0.43, f"{key}", color="black", fontweight="bold", **middle)
            offset = f"{key - new:+d}".replace("-", "−") if key != new else "0"
            ax.text(token, low - 0.35, offset, color=plots.RED if line and token < 6 else "0.35", **middle)
        for height, name in ((0.43, "key at"), (-0.35, "offset")):
            ax.text(-0.7, low + height, name, color="0.35", ha="right", va="center")
    names = [*map(str, range(6)), "new"]
    ax.set(xlim=(-1.9, 6.6), ylim=(-3.1, 1.6), yticks=[], xlabel="token")
    ax.set_xticks(range(7), names)
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(length=0)
    return fig
