"""The drawings of the lesson *Serve it*."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots

A, B, PAD = "#f2cf9b", "#9ecae8", ("pad", 1, "white")


def boxes(padding, positions, colour="RoPE"):
    """Boxes of padding, then one box for each position."""
    return [PAD] * padding + [(str(position), 1, colour) for position in positions]


@plots.drawn
def bits(by_way, prompt=64):
    """Bits per character for each way of counting, with the end of the prompt marked."""
    fig, ax = plt.subplots(figsize=(4.7, 3.4))
    places = np.arange(2, 2 + 4 * len(by_way["right"]), 4)
    half = np.searchsorted(places, prompt)
    colours, strokes = ("black", plots.RED, plots.COLOURS[0]), ("-", "-", "--")
    for values, colour, stroke in zip(by_way.values(), colours, strokes, strict=True):
        ax.plot(places[half:], values[half:], color=colour, linestyle=stroke)
    ax.plot(places[:half], by_way["right"][:half], color="black")
    ax.axvline(prompt, color="0.6", linewidth=1)
    ax.text(prompt - 2, 6.35, "prompt", ha="right", color="0.4")
    ax.text(prompt + 2, 6.35, "new characters", color="0.4")
    ax.text(96, 4.6, "always 0: never recovers", ha="center", color=colours[1])
    said, arrow = "six too many: hurts\nfor ten characters", {"arrowstyle": "-", "color": colours[2]}
    ax.annotate(said, (67, 2.7), (72, 3.0), color=colours[2], arrowprops=arrow)
    ax.text(126, 1.6, "right", ha="right", va="top")
    ax.set(xlabel="character", ylabel="bits per character", ylim=(0, 6.8), xticks=[0, 32, 64, 96, 128])
    return fig


@plots.drawn
def five_rows():
    """Two texts alone, step by step, in a batch and packed, with their positions."""
    a, b = boxes(0, range(3), A), boxes(0, range(5), B)
    rows = {"A alone": a, "B alone": b, "B, step by step": boxes(0, range(4), "") + b[4:]}
    rows |= {"A, in a batch": [PAD, PAD, *a], "A and B, packed": a + b}
    return plots.strips(rows, xlabel="place in the row", xticks=[0, 3, 5, 8])


def gaps(table, rows, columns, corner=""):
    """Where the law holds, and the gap where it doesn't; nothing lies in between."""
    table = np.array(table)
    assert ((table < 1e-9) | (table > 0.1)).all()
    said = np.where(table < 1e-9, "holds", [[f"gap {gap:.1f}" for gap in row] for row in table])
    plots.show_table(said, rows=rows, columns=columns, corner=corner)


@plots.drawn
def two_counts():
    """A padded prompt and its new tokens, each counted by the text's own tokens or from the left edge."""
    prompts, new = {"own": range(3), "edge": range(6, 9)}, {"own": range(3, 6), "edge": range(9, 12)}
    rows = {
        f"{first}, {second}": boxes(6, prompts[first], "") + boxes(0, new[second])
        for first, second in [("own", "own"), ("edge", "edge"), ("own", "edge"), ("edge", "own")]
    }
    return plots.strips(rows, xlabel="place in the batch", xticks=[0, 6, 9, 12])


@plots.drawn
def packed_rows(names, ways):
    """Texts that share a row: for each query the keys that it may look at, and how many places back they are.

    Rows are queries, columns keys, each with its text and position. A key that is ahead is red, and a hidden
    one empty. `ways` has the title of each panel, and whether the other text is `counted` and `seen`.
    """
    owner, places = np.array(list(names)), np.arange(len(names))
    same = owner[:, None] == owner
    fig, axes = plt.subplots(2, 2, figsize=(4.7, 5.6))
    for ax, (title, how) in zip(axes.flat, ways.items(), strict=True):
        positions = places if how.get("counted") else places - same.argmax(axis=1)
        seen = (places <= places[:, None]) & (how.get("seen", False) | same)
        for (query, key), shown in np.ndenumerate(seen):
            back = positions[query] - positions[key]
            ahead = shown and back < 0
            paper = plots.RED if ahead else "0.87" if shown else "0.96"
            corner = key - 0.5, query - 0.5
            ax.add_patch(plt.Rectangle(corner, 1, 1, facecolor=paper, edgecolor="white"))
            said = f"{back}".replace("-", "\u2212") if shown else ""
            ax.text(key, query, said, ha="center", va="center", color="white" if ahead else "black")
        ax.set_xticks(places, [f"{name}\n{position}" for name, position in zip(names, positions)])
        ax.set_yticks(places, [f"{name} {position}" for name, position in zip(names, positions)])
        ends = -0.5, len(names) - 0.5
        ax.set(title=title, ylabel="query", xlim=ends, ylim=ends[::-1], aspect="equal")
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    for ax in axes[1]:
        ax.set_xlabel("key")
    axes[1, 0].text(3, 0.5, "red: the key\nis ahead", ha="center", va="center", color=plots.RED)
    return fig


@plots.drawn
def new_tokens():
    """What two new tokens of a padded text may look at."""
    seen = [PAD] * 2 + boxes(0, range(3), "")
    first, second = ("3", 1, "RoPE"), ("4", 1, "RoPE")
    rows = {"new token 3 sees": [*seen, first, ("4", 1, "white")], "new token 4 sees": [*seen, first, second]}
    return plots.strips(rows, xlabel="place of the key", xticks=[0, 2, 5, 7])


@plots.drawn
def moved():
    """Six of the twelve keys in a cache stay, and move up."""
    stay = (0, 1, 8, 9, 10, 11)
    old = [(str(place), 1, "" if place in stay else "white") for place in range(12)]
    return plots.strips(
        {"was at": old, "is now at": boxes(0, range(6), "")}, xlabel="place", xticks=[0, 2, 6, 8, 12]
    )


@plots.drawn
def two_lists():
    """Nine keys of a text that has just grown past 8 tokens, by the two lists that rotate them."""
    rows = {"read at once": boxes(0, range(9), B), "step by step": boxes(0, range(8), "") + boxes(0, [8], B)}
    return plots.strips(rows, xlabel="place of the key", xticks=[0, 8, 9])
