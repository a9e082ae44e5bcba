"""The drawings of this lesson."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots

PALE = "#a6dccb"


@plots.drawn
def partners():
    """Which columns rotate, and with which partner, in a head of 16 columns of which 4 rotate."""
    rules = {
        "partial rotary,\nhalf layout": {0: 0, 1: 1, 2: 0, 3: 1},
        "partial rotary,\ninterleaved": {0: 0, 1: 0, 2: 1, 3: 1},
        "proportional,\nhalf layout": {0: 0, 1: 1, 8: 0, 9: 1},
    }
    rows = {
        name: [(str(pairs.get(c, "")), 1, "RoPE" if c in pairs else "") for c in range(16)]
        for name, pairs in rules.items()
    }
    fig = _numbered(plots.strips(rows, xlabel="column", xticks=[]), range(16))
    for place, speed in enumerate(("0.01", "0.01", "0.32")):
        fig.axes[0].text(13, place, f"pair 1: {speed} radians", **plots.NOTE)
    return fig


@plots.drawn
def plan(plans):
    """A box for each layer of each model, coloured by its letter: w, F or -."""
    colour = {"w": PALE, "F": "RoPE", "-": "0.78"}
    rows = {
        name: [("", 1, colour["-" if one.kind == "none" else "w" if one.window else "F"]) for one in layers]
        for name, layers in plans.items()
    }
    fig = plots.strips(rows, xlabel="layer, counted from 0", xticks=[])
    plots.name_colours(fig, colour | {"F": plots.OF_ENCODING["RoPE"]})
    return _numbered(fig, [0, *range(5, 48, 6)])


def _numbered(fig, boxes):
    """The figure with the numbers of these boxes, each below the middle of its box."""
    fig.axes[0].set_xticks([box + 0.5 for box in boxes], boxes)
    return fig


@plots.drawn
def schedules(right):
    """Accuracy of ten seeds of each schedule, at the trained length and at eight times that."""
    long, short = plots.COLOURS[0], "0.45"
    fig, ax = plt.subplots(figsize=(4.7, 3.0))
    for place, of_length in enumerate(right.values()):
        for words, shift, colour in ((48, -0.18, short), (384, 0.18, long)):
            low, high = of_length[words]
            width = max(high - low, 0.6)  # one value is a tick in the middle of it
            ax.barh(place + shift, width, left=(low + high - width) / 2, height=0.3, color=colour)
            said = f"{low} %" if low == high else f"{low} to {high} %"
            at = {"ha": "right", "x": low - 2} if low > 70 else {"ha": "left", "x": high + 2}  # where room is
            ax.text(y=place + shift, s=said, va="center", color=colour, **at)
    ax.text(7.5, 2.3, "guessing", color="0.35")
    ax.axvline(100 / 16, color="0.6", linewidth=1)
    bars = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in (short, long)]
    names = ["texts of 48 words, as in training", "texts of 384 words"]
    ax.legend(bars, names, loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    ax.set(xlim=(0, 107), ylim=(2.5, -0.5), yticks=range(len(right)), xlabel="accuracy, in %")
    ax.set_yticklabels(right, family="monospace", fontsize=11)
    ax.grid(axis="x")
    ax.set_axisbelow(True)
    return fig


@plots.drawn
def windows(seen):
    """The keys that the last of eight queries sees, for two meanings of a window of 4."""
    rows = {
        f"{rule}: {sum(mask)} keys": [
            (str(n), 1, "RoPE" if n == 7 else PALE if here else "") for n, here in enumerate(mask)
        ]
        for rule, mask in seen.items()
    }
    fig = plots.strips(rows, xlabel="key", xticks=[])
    note = plots.NOTE | {"arrowprops": plots.LINE}
    fig.axes[0].annotate("only this key differs", (3.5, 0.72), (1.6, 0.5), **note)
    return fig


@plots.drawn
def sink(scores, sink):
    """The weights of some keys without a sink, with one, and with one and larger scores: bars of length 1."""
    rows = {}
    bars = ("without a sink", 0, []), ("with a sink", 0, [sink]), ("with a sink,\nscores + 10", 10, [sink])
    for name, more, last in bars:
        exps = np.exp([*(scores + more), *last])
        parts = exps / exps.sum()
        boxes = [("" if part < 0.05 else f"{part:.2f}", part, PALE) for part in parts[: len(scores)]]
        for lost in parts[len(scores) :]:
            boxes.append(("" if more else f"the sink: {lost:.2f} goes nowhere", lost, ""))
        rows[name] = boxes
    fig = plots.strips(rows, xlabel="weight of keys 0, 1 and 2, from left to right", xticks=[0, 0.5, 1])
    for place, boxes in enumerate(rows.values()):
        for i, (text, part, paper) in enumerate(boxes):
            if not text:  # too narrow for its number, which stands above it
                end = sum(width for _, width, _ in boxes[: i + 1])
                said = f"{part:.2f}" if paper else f"the sink: {part:.4f}"
                at = {"x": end - part / 2, "ha": "center"} if paper else {"x": end, "ha": "right"}
                fig.axes[0].text(y=place - 0.34, s=said, va="bottom", **at)
    return fig
