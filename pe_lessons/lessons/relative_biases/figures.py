"""The drawings of the lesson on relative biases."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from pe_lessons import plots
from pe_lessons.plots import COLOURS, OF_ENCODING

BLUE, ORANGE, GREEN = COLOURS[:3]


@plots.drawn
def learned_list(offsets, numbers):
    """The number that T5 learned for each offset, as bars from their median."""
    middle = np.median(numbers)
    fig, ax = plt.subplots(figsize=(4.7, 3.0))
    colours = [ORANGE if offset == -3 else BLUE for offset in offsets]
    ax.bar(offsets, numbers - middle, color=colours, width=0.8)
    ax.axhline(0, color="0.6", linewidth=1)
    peak = (numbers - middle).max()
    ax.text(-2.3, peak, f"three back: {peak:.1f}", color=ORANGE, va="top")
    shared = "12 to 15 share one number,\nwhich hardly any answer needs"
    ax.text(15.4, 0.9, shared, color="0.4", ha="right", va="bottom")
    ax.set(xlabel="offset of the key, seen from the query", ylabel="bias minus median")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xticks([-15, -10, -5, -3, 0, 5, 10, 15])
    return fig


@plots.drawn
def three_lists():
    """Lists of biases to be read: both neighbours, all that is before, and the same number everywhere."""
    offsets = np.arange(-15, 16)
    lists = {"A": 5.0 * (np.abs(offsets) == 1), "B": 5.0 * (offsets < 0), "C": np.full(31, 4.0)}
    fig, axes = plt.subplots(3, 1, figsize=(4.7, 4.6), sharex=True)
    for ax, (name, numbers) in zip(axes, lists.items()):
        ax.bar(offsets, numbers, color=BLUE, width=0.8)
        ax.set(title=f"head {name}", ylim=(0, 5.6), yticks=[0, 5])
    axes[0].set_ylabel("bias")
    axes[2].set(xlabel="offset of the key, seen from the query", xticks=[-15, -10, -5, -1, 1, 5, 10, 15])
    return fig


@plots.drawn
def fading(slopes, distances=200):
    """What ALiBi leaves of a key's weight, by its distance, for three of the heads."""
    across = np.arange(distances + 1)
    fig, ax = plt.subplots(figsize=(4.7, 3.3))
    ax.axhline(0.5, color="0.6", linewidth=1)
    ax.text(110, 0.51, "one half", color="0.4", ha="right", va="bottom")
    for head, colour, place in ((0, BLUE, (-48, 0.3)), (3, ORANGE, (27, 0.24)), (7, GREEN, (72, 0.79))):
        between = "\n" if head == 0 else " "  # the label of head 0 has little room
        ax.plot(across, np.exp(-slopes[head] * across), color=colour)
        ax.text(*place, f"head {head},{between}slope 1/{round(1 / slopes[head])}", color=colour)
        half = np.log(2) / slopes[head]
        if half < distances:
            ax.plot(half, 0.5, "o", color=colour)
            label, side, shift = (f"{half:.1f}", "right", -2) if head == 0 else (f"{half:.0f}", "left", 2.4)
            ax.text(half + shift, 0.51, label, color=colour, ha=side, va="bottom")
    ax.set(xlabel="distance from query to key", ylabel="factor on the weight")
    ax.set(xlim=(-50, 206), xticks=range(0, 201, 25), ylim=(0, 1.05))
    return fig


@plots.drawn
def buckets(offsets, found):
    """T5's bucket of each offset, both ways."""
    fig, ax = plt.subplots(figsize=(4.7, 3.6))
    ax.plot(offsets, found, ".", color=OF_ENCODING["T5"], markersize=4)
    look = plots.NOTE | {"ha": "left", "arrowprops": plots.LINE}
    ax.annotate("0 to 7 back:\na bucket for\neach distance", (-5, 4.6), (-125, 3.5), **look)
    ax.annotate("further back:\nwider and wider steps", (-38, 12.2), (-125, 20), **look)
    ax.annotate("ahead: the same steps,\n16 higher", (38, 28.0), (28, 8), **look)
    ax.set(xlabel="offset of the key, seen from the query", ylabel="number of the bucket", ylim=(-1, 33))
    return fig


@plots.drawn
def jumps(digits):
    """A line of tokens without a 0, each joined by an arc to the token as many places back as it says."""
    fig, ax = plt.subplots(figsize=(4.7, 2.6))
    for place, digit in enumerate(digits):
        ax.text(place, 0, str(digit), ha="center", va="center", fontsize=12, zorder=3)
        if digit > place:
            continue
        half = np.linspace(0, np.pi, 60)
        height = 0.35 + 0.28 * digit
        ax.plot(place - digit / 2 + digit / 2 * np.cos(half), 0.35 + height * np.sin(half), color=BLUE)
        ax.plot(place - digit, 0.35, marker="v", color=BLUE, markersize=5)
    ax.text(0, -0.75, "no arc: the digit is larger than the number of tokens before it", color="0.4")
    ax.set(xlim=(-0.7, len(digits) - 0.3), ylim=(-1.4, 3.6))
    ax.set_axis_off()
    return fig


@plots.drawn
def two_maps(weights):
    """The attention weights of two heads, {title: (n_q, n_k)}, and what to see in them."""
    looks = {"xlabel": "token that is looked at", "ylabel": "token that looks", "label": "attention weight"}
    fig = plots.heatmaps(weights, signed=False, top=0.3, **looks)
    fig.axes[0].text(11.2, 1.4, "what is near,\non both sides", **plots.NOTE)
    fig.axes[1].annotate("three back", (7.2, 9.8), (11, 4), **plots.NOTE, arrowprops=plots.LINE)
    return fig


@plots.drawn
def told(biases):
    """What each digit's query is told about each offset, (10, n_offsets), the last one 0."""
    fig = plots.heatmap(biases, xlabel="offset", ylabel="digit of the query")
    furthest = 1 - biases.shape[1]
    labels = [offset if offset % 2 == 0 else "" for offset in range(furthest, 1)]
    labels[0] = f"{furthest}\nand\nfurther"
    fig.axes[1].set_ylabel("added to the score")
    fig.axes[0].set(xticks=range(biases.shape[1]), xticklabels=labels, yticks=range(10))
    return fig
