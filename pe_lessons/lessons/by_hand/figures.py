"""The figures of lesson 02: arrays in, pictures out."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


def digits_and_hands(positions=(6, 7, 8, 9)):
    """A binary counter, and beside each of its digits a hand that goes round at the same rate."""
    weights = (8, 4, 2, 1)
    arc = np.linspace(0, np.pi, 60)
    with plt.rc_context(plots.STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 4.6))
        places = [-2.5 * row - 0.9 * (position > 7) for row, position in enumerate(positions)]
        for place, position in zip(places, positions):
            ax.text(-1.1, place, f"position {position}", va="center", ha="right")
            for column, weight in enumerate(weights):
                digit = position // weight % 2
                ink = {"color": plots.RED if digit else "0.5", "fontsize": 15, "family": "monospace"}
                ax.text(0.6 * column, place, digit, ha="center", va="center", **ink)
                # a quarter of a step further, so that no hand points exactly left or right
                angle = np.pi * (position + 0.25) / weight
                middle = np.array([4.3 + 2.4 * column, place])
                ax.plot(*(middle[:, None] + [np.cos(arc), np.sin(arc)]), color="0.8", linewidth=1)
                lower = middle[:, None] + np.array([np.cos(arc), -np.sin(arc)])
                ax.fill(*lower, color=plots.RED, alpha=0.12, linewidth=0)
                tip = middle + 0.95 * np.array([np.cos(angle), np.sin(angle)])
                look = {"arrowstyle": "-|>", "color": plots.RED if digit else "0.4", "linewidth": 1.6}
                ax.annotate("", tip, middle, arrowprops={**look, "shrinkA": 0, "shrinkB": 0})
        ax.text(0.9, 1.6, "digits", ha="center")
        ax.text(7.9, 1.6, "hands: in the red half, the digit is 1", ha="center")
        between = (places[positions.index(7)] + places[positions.index(8)]) / 2
        ax.text(0.9, between, "all four flip", ha="center", va="center", fontweight="bold")
        ax.text(7.9, between, "every hand takes its usual step", ha="center", va="center", fontweight="bold")
        ax.set(xlim=(-4.0, 12.6), ylim=(places[-1] - 1.1, 2.0), aspect="equal")
        ax.set_axis_off()
    plots.show(
        fig,
        alt="Positions 6 to 9. On the left their binary digits: from 7 to 8 all four flip. On the right four"
        " hands for each position. A hand in the lower half of its circle means the digit 1. The fast "
        "hand makes half a turn from row to row, each slower hand half as much as the one before, and no"
        " hand jumps.",
        caption="A binary counter, and four hands that count in the same way.",
    )


def two_clocks(angles):
    """The hands of both pairs at some positions, one circle below the other; angles (positions, 2)."""
    angles = np.asarray(angles)
    circle = np.linspace(0, 2 * np.pi, 200)
    with plt.rc_context(plots.STYLE):
        fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.3))
        for ax, column, title in zip(axes, angles.T, ("pair 0: the fast hand", "pair 1: the slow hand")):
            ax.plot(np.cos(circle), np.sin(circle), color="0.8", linewidth=1)
            for angle in column:
                tip = np.cos(angle), np.sin(angle)
                look = {"arrowstyle": "-|>", "color": plots.COLOURS[0], "shrinkA": 0, "shrinkB": 0}
                ax.annotate("", tip, (0, 0), arrowprops=look)
            ax.set(title=title, aspect="equal", xlim=(-1.6, 1.75), ylim=(-1.45, 1.75))
            ax.set(xlabel="cosine", ylabel="sine", xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        fast, slow = axes
        for position, angle in enumerate(angles[:, 0]):
            fast.text(1.22 * np.cos(angle), 1.22 * np.sin(angle), position, ha="center", va="center")
        heights = np.sin(angles[1:3, 0])
        fast.plot([-1.35, 1.2], [heights.mean()] * 2, ":", color=plots.RED)
        fast.text(-1.5, 1.5, "1 and 2: nearly one height", color=plots.RED, fontsize=9)
        slow.text(1.08, 0.02, f"0 to {len(angles) - 1}", va="center")
    plots.show(
        fig,
        alt="Two circles with five hands each. On the left the hands of positions 0 to 4 are one radian "
        "apart and spread over two thirds of the circle; the tips of 1 and 2 are at nearly the same "
        "height. On the right all five hands point almost exactly to the right.",
        caption="The two clocks of `d_model = 4` at positions 0 to 4. The height of a tip is the sine, and "
        "how far it is to the right is the cosine.",
    )


def table(values):
    """The 5 x 4 table, with its numbers in coloured cells."""
    fig = plots.heatmap(values, numbers=True)
    [ax] = fig.axes
    ax.set_title("pair 0: the fast hand swings", loc="left")
    ax.set_title("pair 1: the slow hand creeps", loc="right")
    plots.show(
        fig,
        alt="The 5 by 4 table in coloured cells. 0: 0.0000, 1.0000, 0.0000, 1.0000. 1: 0.8415, 0.5403, "
        "0.0100, 1.0000. 2: 0.9093, -0.4161, 0.0200, 0.9998. 3: 0.1411, -0.9900, 0.0300, 0.9996. 4: "
        "-0.7568, -0.6536, 0.0400, 0.9992.",
        caption="The table for five positions and `d_model = 4`. We will meet it again in later lessons.",
    )
