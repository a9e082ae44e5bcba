"""The drawings of the lesson on what is inside a Transformer."""

import matplotlib.pyplot as plt

from pe_lessons import plots
from pe_lessons.plots import OF_ENCODING

LOOKS = {"xlabel": "token that is looked at", "ylabel": "token that looks", "label": "attention weight"}
LOOKS |= {"signed": False, "top": 1}
POINT = {"arrowprops": plots.LINE}


@plots.drawn
def three_back(weights):
    """What the head without positions and the head with a table look at, each a map (n_q, n_k)."""
    fig = plots.heatmaps(weights, **LOOKS)
    blind, aimed = fig.axes[:2]
    blind.text(7.5, 7.5, "nothing stands out:\nit cannot point", **plots.NOTE)
    aimed.annotate("three to the left\nof the diagonal", (7.2, 9.8), (10.5, 3), **plots.NOTE, **POINT)
    return fig


@plots.drawn
def reverse(weights):
    """What a head with a table and a head with RoPE look at when they reverse a string."""
    fig = plots.heatmaps(weights, **LOOKS)
    aimed, rotated = fig.axes[:2]
    aimed.annotate("every token finds\nits mirror place", (7.4, 8.2), (10.6, 12.2), **plots.NOTE, **POINT)
    rotated.text(7.5, 7.5, "in between\nnothing stands out", **plots.NOTE)
    for text, tip, place in (
        ("found", (15, 0), (10, 1.4)),
        ("misled", (15, 1), (10, 4)),
        ("found", (0, 15), (5, 12.6)),
    ):
        rotated.annotate(text, tip, place, **plots.NOTE, **POINT)
    return fig


@plots.drawn
def beyond(weights, positions, trained=16):
    """Where a head with a table looks, a map (n_q, n_k), at positions of which training had the first few."""
    fig = plots.heatmaps({"sinusoidal": weights}, **LOOKS)
    ax, new = fig.axes[0], trained - positions[0] - 0.5
    ax.axhline(new, color="0.3", linewidth=1, linestyle="--")
    ax.axvline(new, color="0.3", linewidth=1, linestyle="--")
    shown = [8, 11, 13, 16, 19, 23]
    ax.set_xticks([place - positions[0] for place in shown], shown)
    ax.set_yticks([place - positions[0] for place in shown], shown)
    ax.set(xlabel="position that is looked at", ylabel="position that looks")
    ax.text(3, 14, "new queries", **plots.NOTE)
    ax.text(11.5, 6, "new keys", **plots.NOTE)
    return fig


@plots.drawn
def layer():
    """A Transformer layer from top to bottom, with the three places where positions can enter."""
    boxes = {
        "vectors of the tokens": 9.2,
        "LayerNorm": 7.8,
        "queries, keys, values": 6.6,
        "scores": 5.4,
        "softmax, weighted sum\nof the values, to_out": 4.2,
        "LayerNorm, MLP": 2.2,
        "vectors for the next layer": 0.6,
    }
    doors = [
        ("A", 8.5, "add a row\n(tables: once, before\nthe first layer)", OF_ENCODING["sinusoidal"]),
        ("B", 6.0, "rotate queries\nand keys (RoPE:\nin every layer)", OF_ENCODING["RoPE"]),
        ("C", 4.8, "add a bias to each\nscore (ALiBi, T5:\nin every layer)", OF_ENCODING["ALiBi"]),
    ]
    fig, ax = plt.subplots(figsize=(4.7, 5.4))
    ax.set(xlim=(-1.1, 12.2), ylim=(0, 10))
    ax.set_axis_off()
    middle, line = {"ha": "center", "va": "center"}, {"color": "0.5", "linewidth": 1, "zorder": 0}
    for text, height in boxes.items():
        grey = "0.93" if "vectors" in text else "0.97"
        box = {"boxstyle": "round,pad=0.35", "facecolor": grey, "edgecolor": "0.6"}
        ax.text(3.4, height, text, bbox=box, **middle)
    ax.plot([3.4, 3.4], [0.9, 9.2], **line)
    disc = {"boxstyle": "circle,pad=0.1", "facecolor": "white", "edgecolor": "0.5"}
    beside = {"rotation": 90, "ha": "right", "va": "center", "color": "0.35", "linespacing": 1.2}
    for top, bottom, text in (
        (8.15, 3.3, "attention:\ntokens look at\neach other"),
        (2.85, 1.4, "each vector\nby itself"),
    ):
        ax.plot([3.4, 0.5, 0.5, 3.4], [top, top, bottom, bottom], **line)
        ax.text(3.4, bottom, "+", fontsize=12, bbox=disc, **middle)
        ax.text(0.35, (top + bottom) / 2, text, **beside)
    for name, height, text, colour in doors:
        arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 2}
        ax.annotate("", (3.5, height), (6.3, height), arrowprops=arrow)
        ax.text(6.4, height, name, color=colour, fontsize=15, fontweight="bold", va="center")
        ax.text(7.2, height, text, color=colour, va="center", linespacing=1.3)
    return fig


@plots.drawn
def moved(accuracies, positions, trained=16, counting=0.24):
    """The accuracy at each token, {name: (n,)}, by the position it was given after the move.

    counting: the accuracy of a model that knows nothing about order, and only counts digits.
    """
    fig, ax = _accuracy_by_position(positions, trained, counting)
    for name, values in accuracies.items():
        ax.plot(positions, values, marker="o", color=OF_ENCODING[name], label=name)
    ax.text(11, counting - 0.02, "only counts\nthe digits", color="0.4", va="top")
    ax.text(23.4, 1.03, "RoPE", color=OF_ENCODING["RoPE"], ha="right", va="bottom")
    names = {"sinusoidal": (16.2, 0.6), "learned": (20.2, 0.035)}
    for name, place in names.items():
        ax.text(*place, name, color=OF_ENCODING[name], ha="left", va="center")
    return fig


@plots.drawn
def seeds(accuracies, positions, trained=16, counting=0.24):
    """The same for one encoding and several seeds, [(n,)]."""
    fig, ax = _accuracy_by_position(positions, trained, counting)
    for number, (values, line) in enumerate(zip(accuracies, ("-", "--", "-.", ":"), strict=True)):
        style = {"color": OF_ENCODING["sinusoidal"], "alpha": 1 - number / 6}
        ax.plot(positions, values, line, linewidth=1.6, marker="os^x"[number], **style)
    ax.text(11, counting - 0.02, "only counts\nthe digits", color="0.4", va="top")
    ax.text(15.2, 0.62, "all four\nbreak here", color="0.15", ha="right", va="center")
    return fig


def _accuracy_by_position(positions, trained, counting):
    fig, ax = plt.subplots(figsize=(4.7, 3.5))
    ax.axvspan(trained - 0.5, positions[-1] + 0.5, color="0.94", linewidth=0)
    ax.axhline(counting, color="0.4", linewidth=1, linestyle="--")
    ax.set(xlabel="position that the token was given", ylabel="accuracy", ylim=(0, 1.22))
    ax.set_xticks([11, 13, 15, 16, 18, 20, 23])
    ax.set_yticks([0, counting, 0.5, 1], ["0", f"{counting}", "0.5", "1"])
    ax.set_xlim(positions[0] - 0.5, positions[-1] + 0.5)
    ax.text(13, 1.12, "seen in training", color="0.4", ha="center")
    ax.text(18.3, 1.12, "never seen in training", color="0.4", ha="center")
    return fig, ax
