"""The drawings of the lesson *Reuse, evict, share out*."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.lessons.reuse_evict_share_out import events

OLD, NEW, GONE = "#9ecae8", "#a6dccb", ("", 1, "white")
PAPERS = {
    "nothing": "#a6dccb",
    "rotate": "#9ecae8",
    "recompute": "#f2b48a",
    "copy": "#e3e3e3",
    "hand on": "#e3e3e3",
}
RIGHT = 1e-9  # gaps of right rows are rounding errors of float64


def evicted():
    """Twelve rows of which six stay, and two positions for the next token."""
    kept = [(str(place), 1, OLD) if place in (0, 1, 8, 9, 10, 11) else GONE for place in range(12)]
    rows = {
        "rows that stay": kept,
        "count on": [*kept, ("12", 1, NEW)],
        "count the rows": [*kept, ("6", 1, "red")],
    }
    plots.show(
        plots.strips(rows, xlabel="place in the text", xticks=[0, 2, 8, 12]),
        alt="Three rows of boxes. The rows 0, 1 and 8 to 11 of a cache stay, 2 to 7 are gone. The next token: "
        "position 12 if we count on, position 6, in red, if we count the rows.",
        caption="Blue: the rows in the cache, with their positions. Green: the right position of the next token. Red: what the number of rows says.",
    )


def bits(ways, everything):
    """Bits per character after an eviction, for each way to go on, in steps of eight characters."""
    with plt.rc_context(plots.STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3.4))
        places = 192 + np.arange(4, 68, 8)
        colours, strokes = ("black", plots.RED, plots.COLOURS[0]), ("-", "-", "--")
        for values, colour, stroke in zip(ways, colours, strokes, strict=True):
            ax.plot(places, values.view(-1, 8).mean(dim=1), color=colour, linestyle=stroke)
        ax.plot(places, everything.view(-1, 8).mean(dim=1), color="0.65")
        ax.text(
            224,
            4.75,
            "the mistake: 64, and the keys still say 0 to 3 and 132 to 191",
            ha="center",
            color=plots.RED,
        )
        ax.text(224, 2.2, "keep (192), move (64): the same", ha="center")
        ax.text(224, 1.45, "nothing evicted", ha="center", color="0.45")
        ax.set(
            xlabel="character", ylabel="bits per character", ylim=(0, 5.4), xticks=[192, 208, 224, 240, 256]
        )
    plots.show(
        fig,
        alt="Bits per character for characters 192 to 255. With nothing evicted: between 1.7 and 2.0. Going on "
        "with 192, and with 64 and moved keys: two curves on top of each other, a tenth higher at first. "
        "The library's mistake: between 3.6 and 4.9.",
        caption="What the next 64 characters cost after 128 of 192 rows were evicted, in three ways to go on. Each point is the mean of eight characters.",
    )


def gaps(table, rows, columns, corner=""):
    """The gaps as a table; each is either rounding or a mistake, and nothing in between."""
    table = np.array(table)
    assert ((table < RIGHT) | (table > 0.05)).all(), table
    plots.show_table(table, rows=rows, columns=columns, corner=corner, digits=1)


def tree(words, parents, first):
    """Guesses as a tree; a column for each position."""
    depth, height, leaves = [], {}, 0
    for parent in parents:
        depth.append(0 if parent < 0 else depth[parent] + 1)

    def lay_out(guess):
        nonlocal leaves
        children = [child for child, parent in enumerate(parents) if parent == guess]
        for child in children:
            lay_out(child)
        if children:
            height[guess] = np.mean([height[child] for child in children])
        else:
            height[guess] = leaves
            leaves += 1

    lay_out(-1)
    root = height[-1]
    with plt.rc_context(plots.STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 2.9))
        for guess, parent in enumerate(parents):
            start = (0, root) if parent < 0 else (depth[parent] + 1, height[parent])
            ax.plot([start[0], depth[guess] + 1], [start[1], height[guess]], color="0.7", zorder=1)
        boxes = [(0, root, "... the cat sat", OLD)]
        boxes += [(depth[g] + 1, height[g], f"{g}: {words[g]}", NEW) for g in range(len(parents))]
        for x, y, text, paper in boxes:
            look = {"boxstyle": "round,pad=0.35", "facecolor": paper, "edgecolor": "white"}
            ax.text(x, y, text, ha="center", va="center", bbox=look, gid=plots.KEEPS)
        ax.text(2, -0.45, "one depth, one position", ha="center", color="0.4")
        ax.set(xlim=(-0.5, max(depth) + 1.5), ylim=(leaves - 0.2, -0.6), yticks=[], xlabel="position")
        ax.set_xticks(range(max(depth) + 2), [f"up to {first - 1}", *range(first, first + max(depth) + 1)])
        ax.spines["left"].set_visible(False)
    plots.show(
        fig,
        alt=f"A tree. The text ends at position {first - 1}. Guesses {words[0]} and {words[1]} follow the text, at "
        f"position {first}. Guesses {words[2]} and {words[3]} follow {words[0]}, and {words[4]} follows {words[1]}, "
        f"at position {first + 1}. Guess {words[5]} follows {words[2]}, at position {first + 2}.",
        caption="Six guesses of what comes after the text. Their numbers are their order in the input.",
    )


def on_cards(seq_len, cards):
    """Which positions a card holds, in long pieces and in zigzag, and how many keys its queries see."""
    size = seq_len // (2 * cards)
    pieces = np.arange(seq_len).reshape(2 * cards, size)
    ways = {
        "long pieces": pieces.reshape(cards, -1),
        "zigzag": np.hstack([pieces[:cards], pieces[cards:][::-1]]),
    }
    papers = ("#a6dccb", "#9ecae8", "#f2d48a", "#e0b3d0")
    with plt.rc_context(plots.STYLE):
        fig, axes = plt.subplots(2, 1, figsize=(6.4, 4.4))
        for ax, (name, held) in zip(axes, ways.items(), strict=True):
            for card, places in enumerate(held):
                for place in places:
                    look = {"color": papers[card], "edgecolor": "white", "linewidth": 2, "gid": plots.KEEPS}
                    ax.barh(card, 1, left=place, height=0.7, **look)
                    ax.text(place + 0.5, card, str(place), ha="center", va="center", fontsize=9)
                ax.text(seq_len + 0.4, card, f"{(places + 1).sum()} scores", va="center")
            ax.set(xlim=(0, seq_len + 3.4), xticks=[], yticks=range(cards))
            ax.set_title(name, loc="left")
            ax.set_yticklabels([f"card {card}" for card in range(cards)])
            ax.invert_yaxis()
            ax.spines[:].set_visible(False)
            ax.tick_params(length=0)
    plots.show(
        fig,
        alt="Two pictures with four cards. Long pieces: card 0 holds positions 0 to 3 and computes 10 scores, "
        "then 26, 42 and 58. Zigzag: card 0 holds 0, 1, 14 and 15, card 1 2, 3, 12 and 13, card 2 4, 5, 10 "
        "and 11, card 3 6 to 9, and each computes 34 scores.",
        caption="Sixteen tokens on four cards. A query has a score with itself and with each key before it.",
    )


def what_to_do(columns):
    """The table of families by events: does it work as it is, with rotated keys, or not at all?

    `columns` has a function ``event(model, rotate)`` for each column, and the number of layers of its model.
    The row of a state is written by hand.
    """
    words = {}
    for family in events.FAMILIES:
        words[family] = []
        for event, layers in columns.values():
            gaps = [event(events.untrained(family, layers), rotate) for rotate in (False, True)]
            assert all(gap < RIGHT or gap > 0.05 for gap in gaps), (family, gaps)
            right = [gap < RIGHT for gap in gaps]
            words[family].append("nothing" if right[0] else "rotate" if right[1] else "recompute")
    words["state"] = ["nothing", *["recompute"] * 5, "copy", "hand on"]
    with plt.rc_context(plots.STYLE):
        fig, ax = plt.subplots(figsize=(9.4, 0.9 + 0.42 * len(words)))
        for row, cells in enumerate(words.values()):
            for column, word in enumerate(cells):
                corner = column - 0.47, row - 0.44
                ax.add_patch(plt.Rectangle(corner, 0.94, 0.88, facecolor=PAPERS[word], gid=plots.KEEPS))
                ax.text(column, row, word, ha="center", va="center", fontsize=9, color="black")
        ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(words) - 0.5, -0.5), yticks=range(len(words)))
        ax.set_xticks(range(len(columns)), list(columns))
        ax.set_yticklabels(words)
        ax.xaxis.tick_top()
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    names = [name.replace("\n", " ") for name in columns]
    rows = (f"{family}: " + ", ".join(map(" ".join, zip(names, cells))) for family, cells in words.items())
    plots.show(
        fig,
        alt=". ".join(rows) + ".",
        caption="What has to be done with the rows that are in the cache, for each family and event.",
    )
