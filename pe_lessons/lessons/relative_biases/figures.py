"""The drawings of the lesson on relative biases."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from pe_lessons import plots
from pe_lessons.plots import COLOURS, OF_ENCODING, STYLE

BLUE, ORANGE, GREEN = COLOURS[:3]


def learned_list(offsets, numbers):
    """The number that T5 learned for each offset, as bars from their median."""
    middle = np.median(numbers)
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3.0))
        colours = [ORANGE if offset == -3 else BLUE for offset in offsets]
        ax.bar(offsets, numbers - middle, color=colours, width=0.8)
        ax.axhline(0, color="0.6", linewidth=1)
        peak = (numbers - middle).max()
        ax.text(-2.3, peak, f"three back: {peak:.1f}", color=ORANGE, va="top", fontweight="bold")
        ax.text(
            15.4,
            0.9,
            "12 to 15 share one number,\nwhich got little training",
            color="0.4",
            ha="right",
            va="bottom",
        )
        ax.set(xlabel="offset of the key, seen from the query", ylabel="bias minus median")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xticks([-15, -10, -5, -3, 0, 5, 10, 15])
    plots.show(
        fig,
        alt="A bar for each offset from -15 to 15. Nearly all bars are close to 0, those at 12 to 15 a "
        "little above it. One bar, at offset -3, is far higher than all others: 5.4.",
        caption="One bar tells you what the head looks for. The bias that T5 learned for three back, minus the "
        "median of all its numbers.",
    )


def fading(slopes, distances=200):
    """What ALiBi leaves of a key's weight, by its distance, for three of the heads."""
    across = np.arange(distances + 1)
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3.3))
        ax.axhline(0.5, color="0.6", linewidth=1)
        ax.text(110, 0.51, "one half", color="0.4", ha="right", va="bottom")
        for head, colour, place in ((0, BLUE, (8, 0.02)), (3, ORANGE, (27, 0.24)), (7, GREEN, (72, 0.79))):
            between = "\n" if head == 0 else " "  # the label of head 0 has little room
            ax.plot(across, np.exp(-slopes[head] * across), color=colour)
            ax.text(*place, f"head {head},{between}slope 1/{round(1 / slopes[head])}", color=colour)
            half = np.log(2) / slopes[head]
            if half < distances:
                ax.plot(half, 0.5, "o", color=colour)
                label, side, shift = (
                    (f"{half:.1f}", "right", -2) if head == 0 else (f"{half:.0f}", "left", 2.4)
                )
                ax.text(half + shift, 0.51, label, color=colour, ha=side, va="bottom")
        ax.set(xlabel="distance from query to key", ylabel="factor on the weight", ylim=(0, 1.05))
    plots.show(
        fig,
        alt="Three falling curves of the factor on a weight against the distance, 0 to 200. Head 0 falls to "
        "nearly nothing within ten tokens, head 3 to one half at 11, head 7 to one half at 177.",
        caption="Some heads look near, and some look far back. Three of the eight heads of ALiBi. Dots: the distance at which a weight is halved.",
    )


def buckets(offsets, found):
    """T5's bucket of each offset, both ways."""
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3.6))
        ax.plot(offsets, found, ".", color=OF_ENCODING["T5"], markersize=4)
        arrow = {"arrowstyle": "-|>", "color": "0.3", "shrinkB": 4}
        look = {"color": "0.25", "va": "center", "linespacing": 1.3, "arrowprops": arrow}
        ax.annotate("0 to 7 back:\na bucket for each distance", (-5, 4.6), (-125, 2.5), **look)
        ax.annotate("further back:\nwider and wider steps", (-38, 12.2), (-125, 20), **look)
        ax.annotate("ahead: the same steps,\n16 higher", (38, 28.0), (28, 8), **look)
        ax.set(xlabel="offset of the key, seen from the query", ylabel="number of the bucket", ylim=(-1, 33))
    plots.show(
        fig,
        alt="A dot for the bucket of each offset, -130 to 130. From offset 0 to the left: 0 to 7 one by one, "
        "then ever wider steps up to 15. To the right the same steps, 16 higher, from 17 up to 31.",
        caption="T5's 32 buckets. The offsets of a step share one learned number. (Bucket 16 stays unused.)",
    )


def jumps(digits, found):
    """A line of tokens, each joined by an arc to the token with its largest weight."""
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 2.6))
        for place, digit in enumerate(digits):
            ax.text(place, 0, str(digit), ha="center", va="center", fontsize=12, zorder=3)
            if digit > place:
                continue
            if digit == 0 == place - found[place]:
                ax.plot(place, 0, "o", markersize=19, markerfacecolor="none", color=BLUE)
                continue
            reach = place - found[place]
            colour = BLUE if reach == digit else ORANGE
            half = np.linspace(0, np.pi, 60)
            height = 0.35 + 0.28 * reach
            ax.plot(place - reach / 2 + reach / 2 * np.cos(half), 0.35 + height * np.sin(half), color=colour)
            ax.plot(place - reach, 0.35, marker="v", color=colour, markersize=5)
        ax.text(0, -0.75, "no arc: the digit is larger than the number of tokens before it", color="0.4")
        ax.text(0, -1.15, "ring: a 0 looks at itself", color=BLUE)
        ax.set(xlim=(-0.7, len(digits) - 0.3), ylim=(-1.4, 3.6))
        ax.set_axis_off()
    plots.show(
        fig,
        alt="Sixteen digits in a line. From each digit an arc leads back to the token that it looks at, as "
        "many places to the left as the digit says. A ring means that a 0 looks at itself.",
        caption="Where each token of one string has its largest weight, in Shaw's model.",
    )


def two_maps(weights):
    """The attention weights of two heads, {title: (n_q, n_k)}, and what to see in them."""
    said = {"color": "white", "ha": "center", "va": "center", "fontweight": "bold", "linespacing": 1.3}
    point = {"arrowprops": {"arrowstyle": "-|>", "color": "white", "shrinkB": 3}}
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(2, 1, figsize=(4.8, 7.6), layout="constrained")
        for ax, (title, values) in zip(axes, weights.items(), strict=True):
            image = ax.imshow(values, cmap=plots.WEIGHTS, vmin=0, vmax=0.3)
            ax.set(title=title, xlabel="token that is looked at", ylabel="token that looks")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        axes[0].text(10.5, 3, "what is near,\non both sides", **said)
        axes[1].annotate("three back", (7.2, 9.8), (11, 4), **said, **point)
        fig.colorbar(image, ax=axes, label="attention weight", shrink=0.4, extend="max")
    plots.show(
        fig,
        alt="Two 16 by 16 maps of attention weights after training for three back. ALiBi: a blurred band on "
        "both sides of a darker diagonal. T5: a sharp line three to the left of the diagonal.",
        caption="A list can point at three back, and a ruler can't. Two heads after training. Everything from 0.3 up is yellow. Tokens 0 to 2 have nothing three back.",
    )


def told(biases):
    """What each digit's query is told about each offset, (10, n_offsets), the last one 0."""
    offsets = range(1 - biases.shape[1], 1)
    fig = plots.heatmap(biases, xlabel="offset", ylabel="digit of the query", label="bias")
    with plt.rc_context(STYLE):
        fig.axes[0].set(xticks=range(biases.shape[1]), xticklabels=offsets, yticks=range(10))
    plots.show(
        fig,
        alt="A map of 10 digits and 13 offsets. In the row of each digit from 0 to 9 the largest bias is at the "
        "offset of so many places back: a red diagonal from offset 0 for the digit 0 to offset -9 for the digit 9.",
        caption="Each row is a digit that asks. Its largest bias is at the offset that the digit names.",
    )
