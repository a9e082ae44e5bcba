"""The drawings of the lesson *Treat positions as data*."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.plots import COLOURS, KEEPS, OF_AXIS, RED


@plots.drawn
def loop(frequencies, trained=32, asked=50):
    """Six pairs as circles: the angles of training, and those up to a larger difference of positions."""
    fig, axes = plt.subplots(3, 2, figsize=(4.9, 6.0))
    words = ["came round\nbefore"] * 3 + ["back for the\nfirst time"] + ["new angles"] * 2
    for pair, (ax, frequency, word) in enumerate(zip(axes.flat, frequencies, words)):
        look = {"color": "0.7", "linewidth": 4, "solid_capstyle": "butt", "label": "in training, both ways"}
        seen = np.linspace(0, 1, 200) * min(trained * frequency, 2 * np.pi)
        ax.plot(1.09 * np.cos(seen), 1.09 * np.sin(seen), **look)  # one ring for each way
        ax.plot(0.96 * np.cos(seen), -0.96 * np.sin(seen), **look | {"label": None})
        way = np.linspace(0, asked * frequency, 2000)
        x, y = 1.25 * np.cos(way), 1.25 * np.sin(way)
        ax.plot(x, y, color=COLOURS[0], linewidth=1.5, label="from frame 1 to 201")
        ax.plot(x[-1:], y[-1:], "o", color=RED, label="at frame 201")
        ax.plot([0.9, 1.35], [0, 0], color="black", linewidth=1)
        ax.text(1.42, 0, "start", ha="left", va="center")
        ax.text(0, 0, word, ha="center", va="center", color=RED if pair == 3 else "black")
        turns = asked * frequency / (2 * np.pi)
        title = f"pair {pair}: {turns:.2f} turns"
        ax.set(title=title, aspect="equal", xlim=(-1.45, 1.45), ylim=(-1.4, 1.4))
        ax.set_axis_off()
    handles, names = ax.get_legend_handles_labels()
    fig.legend(handles, names, loc="outside lower center", ncols=2, frameon=False)
    return fig


@plots.drawn
def prompt(names, places):
    """Tokens as boxes in the plane of width and height, each with its three positions."""
    places = np.asarray(places)
    _, height, width = places.max(axis=1)
    fig, ax = plt.subplots(figsize=(0.57 * width + 1.28, 0.62 * height + 1.7))
    for name, place in zip(names, places.T, strict=True):
        _, y, x = place
        ax.add_patch(plt.Rectangle((x - 0.46, y - 0.45), 0.92, 0.9, facecolor="0.95", edgecolor="0.5"))
        ax.text(x, y - 0.2, name, ha="center", va="center")
        for colour, number, aside in zip(OF_AXIS.values(), place, (-0.29, 0, 0.29), strict=True):
            paper = {"boxstyle": "square,pad=0.25", "facecolor": colour, "edgecolor": "none"}
            look = {"ha": "center", "va": "center", "bbox": paper, "gid": KEEPS}
            ax.text(x + aside, y + 0.2, number, **look)
    ax.text(3, 1.4, "the picture", ha="center", va="bottom", color="0.4")
    ax.text(4.4, 5, "largest so far: 4,\nso this is 5", ha="right", va="center", color="0.4")
    ax.set(xlabel="width", ylabel="height", xticks=range(width + 1), yticks=range(height + 1))
    ax.set(xlim=(-0.6, width + 0.6), ylim=(height + 0.6, -0.6))
    plots.name_colours(fig, OF_AXIS)
    return fig


@plots.drawn
def assignments(blocks, take_turns):
    """Sixteen pairs as boxes, coloured by the axis that each pair reads."""
    rows = {"blocks": blocks, "take turns": take_turns}
    return plots.strips(
        {name: [(k, 1, axis) for k, axis in enumerate(reads)] for name, reads in rows.items()},
        xlabel="number of the pair (0 rotates fastest, 15 slowest)",
        xticks=[],
    )


@plots.drawn
def rings(programs):
    """Six atoms, each at the two numbers that a program computed for it, joined by their bonds."""
    fig, axes = plt.subplots(1, len(programs), figsize=(2.9 * len(programs), 3.0))
    for ax, (title, waves) in zip(axes, programs.items(), strict=True):
        ax.fill(*waves, fill=False, edgecolor="0.5", linewidth=1.5)
        ax.scatter(*waves, s=380, facecolor="white", edgecolors="0.4", zorder=2)
        for atom, (x, y) in enumerate(waves.T):
            ax.text(x, y, atom, ha="center", va="center", color=RED if atom == 0 else "black")
        ax.set(title=title, aspect="equal", xlabel="wave 1", xlim=(-1.35, 1.35), ylim=(-1.35, 1.35))
        ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], ylabel="wave 2")
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    return fig
