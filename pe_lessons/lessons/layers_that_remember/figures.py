"""The drawings of the lesson *Layers that remember*."""

import itertools

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def fading(weights):
    """What each of eight tokens still weighs, for a head with ALiBi whose scores are all equal."""
    fig, ax = plt.subplots(figsize=(4.7, 2.8))
    places = np.arange(len(weights))
    ax.bar(places, weights, color=plots.OF_ENCODING["ALiBi"])
    for place, weight in zip(places[-4:], weights[-4:]):
        ax.text(place, weight + 0.01, f"{weight:.2f}", ha="center")
    ax.text(2.2, 0.2, "each weight is half\nof the next one", ha="center", color="0.3")
    ax.set(xlabel="token", ylabel="weight", ylim=(0, 0.6), xticks=places)
    return fig


@plots.drawn
def states(after):
    """A state as it looks after each of four tokens."""
    titles = [f"after {word}" for word in after]
    fig, axes = plt.subplots(1, len(after), figsize=(6.6, 2.4))
    for ax, title, state in zip(axes, titles, after.values()):
        image = ax.imshow(state, cmap=plots.WEIGHTS, vmin=0, vmax=9)
        for (row, column), number in np.ndenumerate(state):
            ink = plots.ink_on(image, number)
            ax.text(column, row, f"{number:g}", ha="center", va="center", color=ink)
        ax.set_xticks([])
        ax.set_yticks([0, 1], ["A", "B"])  # in each: on a phone they stand below each other
        ax.spines[:].set_visible(False)
        ax.set_title(title, fontsize=10)
    return fig


@plots.drawn
def two_orders(paths):
    """The states of two orders of writing, in the plane, with the lines on which a key says its value."""
    fig, ax = plt.subplots(figsize=(4.7, 4.4))
    across = np.array([-1.5, 14.5])
    ax.axvline(5, color="0.5", ls="--", lw=1)
    ax.plot(across, (13 - 0.6 * across) / 0.8, color="0.5", ls="--", lw=1)
    ax.text(4.8, 1.2, "A says 5", rotation=90, ha="right", color="0.3")
    ax.text(7.3, 11.3, "C says 13", rotation=-36.9, rotation_mode="anchor", color="0.3")
    for (name, states), colour in zip(paths.items(), plots.COLOURS):
        points = np.squeeze(states, axis=-1)
        for start, end in itertools.pairwise(points):
            arrow = {"arrowstyle": "-|>", "color": colour, "lw": 2, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", end, start, arrowprops=arrow)
        right = points[-1][0] > 8
        spot = points[-1] + ((-0.4, -1.8) if right else (-0.3, 0))
        ax.text(*spot, name, color=colour, ha="left" if right else "right", va="center", weight="bold")
    ax.plot(0, 0, "o", color="0.3")
    ax.text(0, -1, "empty", ha="center", color="0.3")
    ax.set(xlabel="what A says", ylabel="what B says", xlim=(-1.5, 14.5), ylim=(-1.5, 13), aspect="equal")
    ax.set(xticks=range(0, 15, 5), yticks=range(0, 15, 5))
    return fig


@plots.drawn
def forgetting(gates, words):
    """The biases that gates give to every query and key."""
    from pe_lessons import arrays

    bias = np.maximum(arrays.forget_bias(gates), -12)
    ahead = np.triu(np.ones(bias.shape, bool), 1)
    fig, ax = plt.subplots(figsize=(4.7, 4.2))
    picture = ax.imshow(np.ma.masked_where(ahead, bias), cmap=plots.WEIGHTS)
    plots.colour_bar(fig, picture, ax, "bias")
    ax.set_xticks(range(len(words)), words, rotation=60, ha="right")
    ax.set_yticks(range(len(words)), words)
    ax.set(xlabel="key", ylabel="query")
    ax.text(7.2, 0.3, "the future\nis hidden", **plots.NOTE)
    said = "the full stop forgets\nwhat came before"
    stop = words.index(".")  # the block of what it forgets: every later query, every earlier key
    corner, width, height = (-0.5, stop - 0.5), stop, len(words) - stop
    ax.add_patch(plt.Rectangle(corner, width, height, fill=False, edgecolor=plots.RED, linewidth=2))
    ax.annotate(said, (stop - 0.5, stop - 0.5), (7.2, 2.8), **plots.NOTE, arrowprops=plots.LINE)
    return fig


@plots.drawn
def steps():
    """What the layer does for token 9: mix, fade, overwrite, read."""
    fig, ax = plt.subplots(figsize=(4.7, 3.9))
    arrow = plots.LINE | {"shrinkA": 0, "shrinkB": 0, "connectionstyle": "arc3"}
    red = {**arrow, "color": plots.RED, "linewidth": 2}

    def box(x, y, text, face="0.9", ink="0.1"):
        ax.text(x, y, text, ha="center", va="center", color=ink,
                bbox={"boxstyle": "square,pad=0.4", "facecolor": face, "edgecolor": "none"})  # fmt: skip

    for place, x in zip(range(6, 10), (1.2, 3.4, 5.6, 7.8)):
        box(x, 6.6, str(place), "#2b6cb0", "white")
        ax.annotate("", (x, 5.55), (x, 6.2), arrowprops=arrow)
        box(x, 5.2, "q k v")
        ax.annotate("", (7.8, 3.65), (x, 4.85), arrowprops=red)
    box(7.8, 3.2, "q k v (q, k of length 1)")
    ax.annotate("", (9.0, 6.6), (8.2, 6.6), arrowprops=arrow)  # gate and beta are made from the token itself
    box(9.4, 6.6, r"$g$, $\beta$")
    below = "state\nafter 8", "faded\nstate", "state\nafter 9", "output\nof 9"
    for x, text in zip((0.6, 3.1, 6.4, 9.1), below):
        box(x, 0.7, text)
    for start, end, how in ((1.4, 2.4, red), (3.8, 5.6, red), (7.2, 8.3, arrow)):
        ax.annotate("", (end, 0.7), (start, 0.7), arrowprops=how)
    ax.annotate("", (4.7, 0.8), (6.9, 2.8), arrowprops=arrow)
    ax.annotate("", (7.75, 0.8), (8.3, 2.8), arrowprops=arrow)
    for x, y, text, ink in (
        (3.2, 3.9, "mix", plots.RED),
        (1.9, -0.3, "fade by $g$", plots.RED),
        (4.7, -0.3, r"overwrite by $\beta$", plots.RED),
        (7.75, -0.3, "read", "0.1"),
        (5.3, 1.9, "k, v", "0.1"),
        (8.4, 1.8, "q", "0.1"),
        (0.1, 6.6, "token", "0.1"),
    ):
        ax.text(x, y, text, ha="center", va="center", color=ink, weight="bold" if ink == plots.RED else None)
    ax.set(xlim=(-0.5, 10.1), ylim=(-0.6, 7.1))
    ax.axis("off")
    return fig


@plots.drawn
def two_memories():
    """What a layer keeps when it has read six tokens: a state of all of them, and the last three inputs."""
    fig, ax = plt.subplots(figsize=(4.7, 3.0))
    for place in range(10):
        colour = "#2b6cb0" if place < 6 else "0.85"
        ax.text(place, 2, str(place), ha="center", va="center", color="white" if place < 6 else "0.3",
                bbox={"boxstyle": "square,pad=0.5", "facecolor": colour, "edgecolor": "white"})  # fmt: skip
    for x, text in (
        (1.6, "state\n(made from tokens 0 to 5)"),
        (6.4, "last three inputs\n(tokens 3, 4, 5)"),
    ):
        ax.text(x, 0, text, ha="center", va="center", fontsize=10,
                bbox={"boxstyle": "round,pad=0.5", "facecolor": "#fae5e5", "edgecolor": "none"})  # fmt: skip
    arrow = plots.LINE | {"shrinkA": 0, "shrinkB": 0, "connectionstyle": "arc3"}
    for start, end in ([(p, 1.6) for p in range(6)]) + [(p, 6.4) for p in (3, 4, 5)]:
        ax.annotate("", (end, 0.3), (start, 1.82), arrowprops={**arrow, "color": plots.RED})
    for start, end in (((3.5, 0.3), (5.85, 1.82)), ((6.7, 0.3), (6.1, 1.82))):  # what token 6 needs
        ax.annotate("", end, start, arrowprops={**arrow, "linewidth": 2})
    ax.text(7.5, 2.7, "still to come", ha="center", color="0.3")
    ax.text(2.5, 2.7, "read", ha="center", color="0.3")
    ax.set(xlim=(-0.8, 9.8), ylim=(-0.7, 3))
    ax.axis("off")
    return fig


@plots.drawn
def strangers():
    """Four ways in which a layer reads padding that doesn't belong to the text of ten tokens."""
    masked, zeros = ["p"] * 3, ["z"] * 3
    start, rest = list(range(6)), list(range(6, 10))
    strips = (
        ("1  masked padding after token 5", start + masked + rest, (6, 7, 8)),
        ("2  as in 1, with 3, 4 and 5 put back", start + masked + rest, (3, 4, 5)),
        ("3  masked padding in front", masked + start + rest, (0, 1, 2)),
        ("4  zeros in front, not masked", zeros + start + rest, (0, 1, 2)),
    )
    fig, ax = plt.subplots(figsize=(4.7, 3.8))
    for row, (title, cells, found) in enumerate(strips):
        ax.text(-0.45, -2 * row + 0.62, title, va="bottom", color="0.2")
        for place, cell in enumerate(cells):
            stranger = isinstance(cell, str)
            face = {"p": "white", "z": "#f6c6c6"}.get(cell, "#2b6cb0")
            ax.add_patch(plt.Rectangle((place - 0.45, -2 * row - 0.4), 0.9, 0.9, facecolor=face, lw=1,
                                       edgecolor=plots.RED if stranger else face))  # fmt: skip
            ink = plots.RED if stranger else "white"
            ax.text(place, -2 * row + 0.05, cell, ha="center", va="center", color=ink)
        ax.plot((found[0] - 0.4, found[-1] + 0.4), [-2 * row - 0.58] * 2, color="0.1", lw=2.5)
    ax.text(8.6, -0.66, "in the convolution", va="center", color="0.1")
    ax.set(xlim=(-0.6, 12.6), ylim=(-6.9, 1.5))
    ax.axis("off")
    return fig
