"""The drawings of the lesson *Reuse, evict, share out*."""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.colors import to_rgb

from pe_lessons import plots
from pe_lessons.lessons.reuse_evict_share_out import events

OLD, NEW, GONE = "#9ecae8", "#a6dccb", ("", 1, "white")
PAPERS = {
    "nothing": "#a6dccb",
    "position only": "#f2d48a",
    "rotate": "#9ecae8",
    "recompute": "#f2b48a",
}
RIGHT = 1e-9  # gaps of right rows are rounding errors of float64


@plots.drawn
def evicted():
    """Twelve rows of which six stay, and two positions for the next token."""
    kept = [(str(place), 1, OLD) if place in (0, 1, 8, 9, 10, 11) else GONE for place in range(12)]
    rows = {
        "rows that stay": kept,
        "keep counting": [*kept, ("12", 1, NEW)],
        "count the rows": [*kept[:6], ("6", 1, "red"), *kept[7:]],
    }
    return plots.strips(rows, xlabel="position", xticks=[0, 2, 6, 8, 12])


@plots.drawn
def targets():
    """Who sees whom in the targets of *keep* and *close up*; the rows are those of `evicted`."""
    evicted, old = np.arange(2, 8), 12
    papers = np.array([(1, 1, 1), *(to_rgb(paper) for paper in (OLD, NEW, PAPERS["recompute"]))])
    kinds = np.tril(np.ones((16, 16), dtype=int))
    kinds[old:] *= 2
    kinds[old:, evicted] = 0
    kinds[8:old, evicted] = 3
    kept = np.delete(np.arange(16), evicted)
    fig, axes = plt.subplots(1, 2, figsize=(4.7, 3.3), width_ratios=(16, 10))
    for ax, name, seen in zip(axes, ("keep", "close up"), (kinds, kinds[np.ix_(kept, kept)]), strict=True):
        ax.imshow(papers[seen])
        ax.set_xticks(np.arange(len(seen) + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(len(seen) + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="0.9", linewidth=0.6)
        for axis in (ax.xaxis, ax.yaxis):
            axis.remove_overlapping_locs = False  # a label must not take away a line of the grid
        ax.tick_params(which="both", length=0)
        ax.set_title(name, loc="left")
        ax.set_anchor("N")
    whose = ["0, 1", "2\N{EN DASH}7", "8\N{EN DASH}11", "new"]
    axes[0].yaxis.set_ticks([0.5, 4.5, 9.5, 13.5], whose)
    axes[1].yaxis.set_ticks([0.5, 3.5, 7.5], [whose[0], *whose[2:]])
    axes[0].xaxis.set_ticks([0, 5, 10, 15])  # below, the positions
    axes[1].xaxis.set_ticks([0, 5, 9])
    for ax in axes:
        ax.set_xlabel("position")
    axes[0].annotate("8 to 11 have\nread these", (6, 8.5), (11.5, 3), **plots.NOTE, arrowprops=plots.LINE)
    return fig


def gaps(table, rows, columns, corner=""):
    """The gaps as a table; each is either rounding or a mistake, and nothing in between."""
    table = np.array(table)
    assert ((table < RIGHT) | (table > 0.05)).all(), table
    plots.show_table(table, rows=rows, columns=columns, corner=corner, digits=1)


@plots.drawn
def tree(words, parents, first):
    """Guesses as a tree; a column for each position."""
    places = [(1, 0.5), (1, 2), (2, 0), (2, 1), (2, 2), (3, 0), (0, 1.25)]  # of `events.PARENTS` and the text
    fig, ax = plt.subplots(figsize=(4.7, 2.9))
    for place, parent in zip(places, parents):
        ax.plot(*zip(places[parent], place), color="0.7", zorder=1)
    boxes = {-1: "... the cat sat"} | {guess: f"{guess}: {word}" for guess, word in enumerate(words)}
    for guess, text in boxes.items():
        paper = OLD if guess < 0 else NEW
        look = {"boxstyle": "round,pad=0.35", "facecolor": paper, "edgecolor": "white"}
        ax.text(*places[guess], text, ha="center", va="center", bbox=look, gid=plots.KEEPS)
    ax.text(2, -0.45, "one depth, one position", ha="center", color="0.4")
    ax.set(xlim=(-0.5, 3.5), ylim=(2.8, -0.6), yticks=[], xlabel="position")
    ax.set_xticks(range(4), [f"up to {first - 1}", first, first + 1, first + 2])
    return fig, {"words": words, "end": first - 1, "first": first, "second": first + 1, "third": first + 2}


@plots.drawn
def tree_mask(words, parents, first):
    """What each guess of a tree may see: a column for each token of the text, and one for each guess."""
    guesses = len(words)
    kinds = np.zeros((guesses, first + guesses), dtype=int)
    kinds[:, :first] = 1
    depth = [0] * guesses
    for guess, parent in enumerate(parents):
        if parent >= 0:
            kinds[guess] = np.minimum(kinds[parent], 1)
            depth[guess] = depth[parent] + 1
        kinds[guess, first + guess] = 2
    papers = np.array([(1, 1, 1), to_rgb(OLD), to_rgb(NEW)])
    fig, ax = plt.subplots(figsize=(4.7, 2.1))
    ax.imshow(papers[kinds], gid=plots.KEEPS)
    ax.set_xticks(np.arange(first + guesses + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(guesses + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="0.9", linewidth=0.6)
    ax.tick_params(which="both", length=0)
    ax.set_xticks(range(first, first + guesses), range(guesses))
    ax.text((first - 1) / 2, guesses, "the text", **plots.NOTE)
    ax.set_yticks(range(guesses), [f"{guess}: {word}" for guess, word in enumerate(words)])
    for guess, steps in enumerate(depth):
        ax.text(first + guesses, guess, str(first + steps), va="center")
    ax.text(first + guesses - 0.4, -1, "position", va="center", ha="left")
    ax.text(first + guesses / 2 - 0.5, guesses + 1.2, "guesses", **plots.NOTE)
    seen = (", ".join(map(str, np.flatnonzero(row[first:]))) for row in kinds)
    rows = ". ".join(f"Guess {guess} sees guesses {which}" for guess, which in enumerate(seen))
    return fig, {"rows": rows}


@plots.drawn
def ring():
    """What a ring of eight rows holds after eleven tokens, and what a server keeps of it for six."""
    held = [8, 9, 10, 3, 4, 5, 6, 7]
    rows = {
        "the ring": [(str(token), 1, NEW if token > 7 else OLD) for token in held],
        "kept": [(str(token), 1, "red" if token > 7 else OLD) for token in held[:6]] + [GONE] * 2,
        "needed": [(str(token), 1, OLD) for token in range(6)] + [GONE] * 2,
    }
    return plots.strips(rows, xlabel="row", xticks=[0, 6, 8])


@plots.drawn
def on_cards(seq_len, cards):
    """Which positions a card holds, in long pieces and in zigzag, and how many keys its queries see."""
    size = seq_len // (2 * cards)
    pieces = np.arange(seq_len).reshape(2 * cards, size)
    ways = {
        "long pieces": pieces.reshape(cards, -1),
        "zigzag": np.hstack([pieces[:cards], pieces[cards:][::-1]]),
    }
    papers = ("#a6dccb", "#9ecae8", "#f2d48a", "#e0b3d0")
    fig, axes = plt.subplots(2, 1, figsize=(4.7, 4.4))
    for ax, (name, held) in zip(axes, ways.items(), strict=True):
        for card, places in enumerate(held):
            for place in places:
                look = {"color": papers[card], "edgecolor": "white", "linewidth": 2, "gid": plots.KEEPS}
                ax.barh(card, 1, left=place, height=0.7, **look)
                ax.text(place + 0.5, card, str(place), ha="center", va="center")
            ax.text(seq_len + 0.4, card, f"{(places + 1).sum()} scores", va="center")
        ax.set(xlim=(0, seq_len + 3.4), xticks=[], yticks=range(cards))
        ax.set_title(name, loc="left")
        ax.set_yticklabels([f"card {card}" for card in range(cards)])
        ax.invert_yaxis()
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    return fig


@plots.drawn
def seen_on_cards(held, query, cards):
    """What one token sees if the mask goes by the order in the text, and if by the place on the cards."""
    here = held.index(query)

    def strip(sees):
        papers = ["red" if token > query else OLD if token < query else NEW for token in held]
        seen = [sees(place, token) for place, token in enumerate(held)]
        return [(str(token), 1, paper if look else "") for token, paper, look in zip(held, papers, seen)]

    rows = {
        "by order": strip(lambda place, token: token <= query),
        "by place": strip(lambda place, token: place <= here),
    }
    size = len(held) // cards
    fig = plots.strips(rows, xlabel="place on the cards", xticks=range(0, len(held) + 1, size))
    [ax] = fig.axes
    for card in range(cards):
        ax.text(size * (card + 0.5), -0.55, f"card {card}", ha="center", va="bottom")
        if card:
            ax.axvline(size * card, color="0.3", linewidth=1.5)
    return fig


@plots.drawn
def words_read():
    """Which words rows of the first and the second layer have read in a chunk, and should have read."""
    words = ["we", "know", "cats", "sleep", "here"]
    fig, axes = plt.subplots(2, 1, figsize=(4.7, 3.8))
    for ax, layer, first_read in zip(axes, ("first layer", "second layer"), ((2, 3, 4), (0, 0, 0))):
        for line, row in enumerate((2, 3, 4)):
            for column in range(first_read[line], row + 1):
                missing = column < 2
                look = {"facecolor": "white" if missing else OLD, "gid": plots.KEEPS}
                look |= {"edgecolor": "0.5", "linestyle": "--"} if missing else {"edgecolor": "white"}
                ax.add_patch(plt.Rectangle((column - 0.46, line - 0.42), 0.92, 0.84, **look))
                ink = "0.5" if missing else "black"
                ax.text(column, line, words[column], ha="center", va="center", color=ink)
        ax.set(xlim=(-0.5, 4.5), ylim=(2.5, -0.5), xticks=[])
        ax.set_title(layer, loc="left")
        ax.set_yticks(range(3), words[2:])
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    return fig


def word_table(rows, columns, names):
    """A table with a word in each cell, and what a reader who cannot see it needs to know."""
    fig, ax = plt.subplots(figsize=(4.7, 0.9 + 0.42 * len(rows)))
    for row, cells in enumerate(rows.values()):
        for column, word in enumerate(cells):
            corner = column - 0.47, row - 0.44
            ax.add_patch(plt.Rectangle(corner, 0.94, 0.88, facecolor=PAPERS[word], gid=plots.KEEPS))
            ax.text(column, row, word, ha="center", va="center", color="black")
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5), yticks=range(len(rows)))
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticklabels([name.replace(" table", "\ntable") for name in rows])  # leaves more room for cells
    ax.xaxis.tick_top()
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    said = (f"{name}: " + "; ".join(map(": ".join, zip(names, cells))) for name, cells in rows.items())
    return fig, {"rows": ". ".join(said)}


def need(gaps):
    """What makes the gap zero, of the gaps as it is and with rotated keys."""
    assert all(gap < RIGHT or gap > 0.05 for gap in gaps), gaps
    as_it_is, rotated = (gap < RIGHT for gap in gaps)
    return "nothing" if as_it_is else "rotate" if rotated else "recompute"


@plots.drawn
def what_to_do(columns, layers):
    """What old rows need in each family: does it work as it is, with rotated keys, or not at all?

    columns: under the name of each, events that need the same, as functions ``event(model, rotate)``
    layers: how many layers the models of each column have
    """
    needs = {}
    for family in events.FAMILIES:
        needs[family] = []
        for alike, depth in zip(columns.values(), layers, strict=True):
            model = partial(events.untrained, family, depth)
            (same,) = {need([event(model(), rotate) for rotate in (False, True)]) for event in alike}
            if same == "nothing" and depth == 1:  # all rows of this column have moved
                uncorrected = alike[0](model(), rotate=False, positions=torch.arange(len(events.text)))
                same = "position only" if uncorrected > RIGHT else same
            needs[family].append(same)
    return word_table(needs, list(columns), [name.replace("\n", " ") for name in columns])
