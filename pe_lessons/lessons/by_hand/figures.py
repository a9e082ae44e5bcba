"""The figures of lesson 02: arrays in, pictures out."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def digits_and_hands(positions=(6, 7, 8, 9)):
    """A binary counter, and beside each of its digits a hand that goes round at the same rate."""
    weights, green = (8, 4, 2, 1), plots.COLOURS[2]  # in the other pictures red means "above 0"
    arc = np.linspace(0, np.pi, 60)
    fig, ax = plt.subplots(figsize=(4.7, 3.7))
    places = [-2.5 * row - 0.9 * (position > 7) for row, position in enumerate(positions)]
    for place, position in zip(places, positions):
        ax.text(-1.1, place, f"position {position}", va="center", ha="right")
        for column, weight in enumerate(weights):
            digit = position // weight % 2
            ink = {"color": green if digit else "0.5", "fontsize": 15, "family": "monospace"}
            ax.text(0.6 * column, place, digit, ha="center", va="center", **ink)
            # a quarter of a step further, so that no hand points exactly left or right
            angle = np.pi * (position + 0.25) / weight
            middle = np.array([4.3 + 2.4 * column, place])
            ax.plot(*(middle[:, None] + [np.cos(arc), np.sin(arc)]), color="0.8", linewidth=1)
            lower = middle[:, None] + np.array([np.cos(arc), -np.sin(arc)])
            ax.fill(*lower, color=green, alpha=0.15, linewidth=0)
            tip = middle + 0.95 * np.array([np.cos(angle), np.sin(angle)])
            look = {"arrowstyle": "-|>", "color": green if digit else "0.4", "linewidth": 1.6}
            ax.annotate("", tip, middle, arrowprops={**look, "shrinkA": 0, "shrinkB": 0})
    ax.text(0.9, 1.6, "digits", ha="center")
    ax.text(7.9, 1.6, "hands: in the green half,\nthe digit is 1", ha="center")
    between = (places[positions.index(7)] + places[positions.index(8)]) / 2
    ax.text(0.9, between, "all four flip", ha="center", va="center", fontweight="bold")
    ax.text(7.9, between, "every hand takes its usual step", ha="center", va="center", fontweight="bold")
    ax.set(xlim=(-4.0, 12.6), ylim=(places[-1] - 1.1, 3.2), aspect="equal")
    ax.set_axis_off()
    return fig


@plots.drawn
def two_clocks(angles):
    """The hands of both pairs at some positions, one circle below the other; angles (positions, 2)."""
    angles = np.asarray(angles)
    fig, axes = plt.subplots(1, 2, figsize=(5.6, 3.2))
    for ax, column, title in zip(axes, angles.T, ("pair 0, the fast hand", "pair 1, the slow hand")):
        plots.dial(ax)
        for angle in column:
            tip = np.cos(angle), np.sin(angle)
            look = {"arrowstyle": "-|>", "color": plots.COLOURS[0], "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", tip, (0, 0), arrowprops=look)
        ax.set(title=title, xlim=(-1.4, 1.75), ylim=(-1.35, 1.9), xlabel="cosine", ylabel="sine")
    fast, slow = axes
    for position, angle in enumerate(angles[:, 0]):
        fast.text(1.22 * np.cos(angle), 1.22 * np.sin(angle), position, ha="center", va="center")
    heights = np.sin(angles[1:3, 0])
    fast.plot([-1.35, 1.2], [heights.mean()] * 2, ":", color=plots.RED)
    fast.text(-1.3, 1.3, "1 and 2: nearly\nthe same height", color=plots.RED)
    slow.text(1.08, 0.02, f"0 to {len(angles) - 1}", va="center")
    return fig


@plots.drawn
def table(values):
    """The 5 x 4 table, with its numbers in coloured cells."""
    fig = plots.heatmap(values, numbers=True)
    [ax] = fig.axes
    ax.set_title("pair 0:\nthe fast hand swings", loc="left")
    ax.set_title("pair 1:\nthe slow hand creeps", loc="right")
    return fig


@plots.drawn
def far_from_row_0(distances, nearest, turn):
    """How far each of the rows 1, 2, ... is from row 0; `nearest` and `turn` are two of these rows."""
    fig, ax = plt.subplots(figsize=(4.7, 3.3))
    ax.plot(np.arange(1, len(distances) + 1), distances, ".", color="0.6", markersize=3)
    notes = {nearest: ("right", -18, plots.RED), turn: ("left", 18, plots.COLOURS[0])}
    for row, (side, shift, colour) in notes.items():
        ax.plot(row, distances[row - 1], "o", color=colour, markersize=6)
        place = row + shift, -0.19
        ax.text(*place, f"row {row}", color=colour, ha=side, va="center", fontweight="bold")
    ax.set(xlabel="row", ylabel="distance from row 0", ylim=(-0.35, 3), yticks=[0, 1, 2, 3])
    return fig
