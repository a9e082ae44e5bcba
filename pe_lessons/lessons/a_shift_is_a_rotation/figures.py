"""The drawings of the lesson on the shift."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.plots import COLOURS


@plots.drawn
def steps():
    """The same step from two positions: two circles, two equal arcs."""
    titles = ["positions 1 and 4", "positions 2 and 5"]
    return plots.clock_hands([[1, 2], [4, 5]], titles, ["p", "p + 3"])


@plots.drawn
def rectangle(angle=0.5, by=0.6):
    """A hand as the diagonal of a rectangle, and the same rectangle rotated."""
    sine, cosine = np.sin(angle), np.cos(angle)
    fig, axes = plt.subplots(1, 2, figsize=(7.4, 3.0))
    for ax, turned, title in zip(axes, (0, by), ("a hand at angle p", "rotated by s")):
        right = np.array([np.cos(turned), np.sin(turned)])
        up = np.array([-np.sin(turned), np.cos(turned)])
        corner, tip = cosine * right, cosine * right + sine * up
        ax.fill(*np.transpose([(0, 0), corner, tip, sine * up]), color="0.93", zorder=0)
        ax.plot(*np.transpose([(0, 0), corner]), color=COLOURS[0], linewidth=2)
        ax.plot(*np.transpose([corner, tip]), color=COLOURS[1], linewidth=2)
        ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": "black"})
        _beside(ax, 0.6 * corner - 0.11 * up, "cos p", COLOURS[0])
        _beside(ax, (corner + tip) / 2 + 0.13 * right, "sin p", COLOURS[1])
        plots.arc(ax, turned, turned + angle, "p", radius=0.26)
        if turned:
            plots.arc(ax, 0, by, "s", radius=0.26)
            foot = corner * (1, 0)
            ax.plot(*np.transpose([foot, corner]), "--", color=COLOURS[0])
            _beside(ax, (foot + corner) / 2 + (0.22, 0), "cos p · sin s", COLOURS[0])
            level = np.array([tip[0], corner[1]])
            ax.plot(*np.transpose([level, tip]), "--", color=COLOURS[1])
            _leader(ax, "sin p · cos s", tip - (0, 0.07), (tip[0] + 0.36, tip[1] + 0.05))
            ax.plot(*np.transpose([level, corner]), ":", color=COLOURS[1])
            _leader(ax, "sin p · sin s", (level + corner) / 2, (corner[0] + 0.09, corner[1] + 0.13))
            ax.plot(*np.transpose([(0, 0), foot]), "--", color=COLOURS[0])
            _beside(ax, foot / 2 - (0, 0.07), "cos p · cos s", COLOURS[0])
        ax.axhline(0, color="0.8", linewidth=1, zorder=0)
        ax.set(title=title, aspect="equal", xlim=(-0.32, 1.3), ylim=(-0.12, 1.0), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
    return fig


@plots.drawn
def shift(matrix):
    """The shift matrix of eight columns, with the angle of each of its four parts."""
    fig = plots.heatmap(matrix, numbers=True, digits=2, xlabel="old column", ylabel="new column")
    ax = fig.axes[0]
    for text in list(ax.texts):
        column, row = text.get_position()
        if column // 2 != row // 2:
            text.remove()  # zeros: the angles stand there
    pairs = np.arange(len(matrix)) // 2
    ax.images[0].set_data(np.ma.masked_where(pairs[:, None] != pairs, matrix))
    for pair in range(4):
        ax.add_patch(plt.Rectangle((2 * pair - 0.5, 2 * pair - 0.5), 2, 2, fill=False, linewidth=1))
        across, edge = (2 * pair + 1.65, "left") if pair < 2 else (2 * pair - 0.65, "right")
        ax.text(across, 2 * pair + 0.5, f"rotates by {3 / 10**pair:g} radians", va="center", ha=edge)
    return fig


@plots.drawn
def same_height(angle=0.5, by=1.0):
    """Two hands of the same height, and both a radian later."""
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.0))
    for ax, later, title in zip(axes, (0, by), ("now: the same sine", "1 radian later: two sines")):
        plots.dial(ax)
        for start, colour, side in zip((angle, np.pi - angle), COLOURS, (1, -1)):
            tip = np.array([np.cos(start + later), np.sin(start + later)])
            ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour})
            ax.plot([tip[0], 1.25 * side], [tip[1]] * 2, ":", color=colour)
            look = {"color": colour, "va": "center", "ha": "left" if side == 1 else "right"}
            ax.text(1.3 * side, tip[1], f"{tip[1]:.2f}".replace("-", "−"), **look)
        ax.set(title=title, xlim=(-1.75, 1.75), ylim=(-1.1, 1.15), xticks=[], yticks=[])
    return fig


@plots.drawn
def kernel(offsets, fast_hand, all_hands):
    """The similarity of two positions by their offset, of one hand and of all, with two dots."""
    names = {"the fast\nhand alone": fast_hand, "all 32 hands": all_hands}
    beside = {"the fast\nhand alone": (17, -0.9), "all 32 hands": (17, 0.6)}
    fig = plots.curves(names, x=offsets, xlabel="offset", ylabel="similarity", beside=beside)
    ax = fig.axes[0]
    ax.axvline(0, color="0.8", linewidth=1, zorder=0)
    ax.set(ylim=(-1.15, 1.6), xticks=range(-15, 16, 5), yticks=[-1, 0, 1])
    for step in (-3, 3):
        ax.plot(step, np.interp(step, offsets, all_hands), "o", color=COLOURS[1])
    for across, text in ((-8, "key before the query"), (8, "key after the query")):
        ax.text(across, 1.35, text, ha="center", color="0.35")
    return fig


@plots.drawn
def head(panels):
    """Maps of weights, with row 8 framed."""
    fig, axes = plt.subplots(1, len(panels), figsize=(2.5 * len(panels), 2.9))
    for ax, (title, weights) in zip(axes, panels.items()):
        ax.set_ylabel("looking")
        image = ax.imshow(np.sqrt(weights), cmap=plots.WEIGHTS, vmin=0, vmax=1)
        ax.add_patch(plt.Rectangle((-0.5, 7.5), 12, 1, fill=False, edgecolor=plots.RED, linewidth=1.5))
        said = f"row 8 gives {weights[8, 5]:.2f}\nto position 5"
        ax.text(11.3, -0.2, said, ha="right", va="top", color="0.15")
        ax.set(title=title, xticks=[0, 5, 10], yticks=[0, 5, 10], xlabel="looked at")
    marks = [0, 0.05, 0.25, 0.5, 1]
    bar = plots.colour_bar(fig, image, axes, "weight", ticks=np.sqrt(marks))
    bar.set_ticklabels([f"{mark:g}" for mark in marks])
    return fig


@plots.drawn
def two_heads(broken, repaired, rows=24):
    """The weights of the first rows, before and after the words are taken out."""
    fig, axes = plt.subplots(1, 2, figsize=(5.2, 2.9))
    for ax, title, weights in zip(axes, ("with letters", "letters taken out"), (broken, repaired)):
        image = ax.imshow(np.sqrt(weights[:rows, :rows]), cmap=plots.WEIGHTS, vmin=0, vmax=1)
        ax.set(title=title, xlabel="looked at", ylabel="looking", xticks=[0, 10, 20], yticks=[0, 10, 20])
    marks = [0, 0.05, 0.25, 0.5, 1]
    bar = plots.colour_bar(fig, image, axes, "weight", ticks=np.sqrt(marks))
    bar.set_ticklabels([f"{mark:g}" for mark in marks])
    return fig


def _beside(ax, point, text, colour):
    ax.text(*point, text, color=colour, ha="center", va="center")


def _leader(ax, text, point, where):
    line = {"arrowstyle": "-", "color": COLOURS[1], "linewidth": 0.8}
    ax.annotate(text, point, where, color=COLOURS[1], arrowprops=line, ha="left", va="center")
