"""The figures of the clinic: a batch with its columns, and what an error looks like by position."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.lessons.the_clinic import server
from pe_lessons.lessons.the_clinic.answers import bfloat16, falling, rotated
from pe_lessons.plots import RED, STYLE

INNOCENT = [("so be it", 12), ("a cat", 12), ("who", 12)]  # nobody leaves early, so nothing goes wrong
COLUMN = 0  # one with a letter of one text and padding of the others


def batch(steps=2):
    """What the columns of a batch hold after some steps: a list of (letter, kind) for each row."""
    at_work = server.Server(server.random_model())
    at_work.start([server.Request(*wish) for wish in INNOCENT])
    for _ in range(steps):
        at_work.step()
    rows = []
    for request in at_work.waiting:
        read = [(letter, "prompt") for letter in request.prompt]
        read += [(letter, "answer") for letter in request.answer[:steps]]  # the newest isn't read yet
        rows.append([("", "padding")] * (at_work.cache.columns - len(read)) + read)
    return rows


@plots.drawn
def show_batch():
    """Draw `batch`, with a window and a column."""
    paper = {"padding": "0.85", "prompt": "#a6d3f0", "answer": "#f6d5a8"}
    rows, window = batch(), server.Config.windows[0]
    last = len(rows[0]) - 1
    fig, ax = plt.subplots(figsize=(4.7, 2.3))
    for place, row in enumerate(rows):
        for column, (letter, kind) in enumerate(row):
            keeps = {} if kind == "padding" else {"gid": plots.KEEPS}
            ax.barh(place, 0.92, left=column - 0.46, height=0.84, color=paper[kind], **keeps)
            ax.text(
                column, place, letter.replace(" ", "\N{OPEN BOX}"), ha="center", va="center", color="black"
            )
    frames = {"one column": (COLUMN, 1, "--"), f"a window of {window}": (last - window + 1, window, "-")}
    for name, (first, width, style) in frames.items():
        frame = plt.Rectangle(
            (first - 0.5, -0.56), width, len(rows) + 0.12, fill=False, ec="black", lw=2, ls=style
        )
        ax.add_patch(frame)
        ax.text(first + width / 2 - 0.5, -0.68, name, ha="center", va="bottom")
    ax.set(xlim=(-0.7, last + 0.7), ylim=(len(rows) - 0.4, -1.2), xlabel="column")
    ax.set_xticks(range(last + 1))
    ax.set_yticks(range(len(rows)), [f"row {place}" for place in range(len(rows))])
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    plots.name_colours(fig, paper)
    return fig, {"answers": ", ".join("".join(a for a, kind in row if kind == "answer") for row in rows)}


def fingerprints():
    """Faults of a rotated key by symptom: the largest error up to each position, the largest of all being 1.

    Returns a dict of symptom to a list of (errors, what it speaks for), and the positions.
    """
    positions = np.round(2 ** np.linspace(0, 12, 97)).astype(int)
    positions = np.union1d(positions, [0, 257, 2047])
    places, slow = positions[:, None].astype(float), falling(32)
    key = np.random.default_rng(21).normal(size=64)
    paired = np.arange(64).reshape(32, 2).T.ravel()  # columns side by side as pairs

    def turned(places, frequencies, key=key):
        return rotated(np.broadcast_to(key, (len(positions), 64)), places * frequencies)

    right = turned(places, slow)

    def share(rows):
        errors = np.maximum.accumulate(np.linalg.norm(rows - right, axis=1))
        return errors / errors[-1]

    neighbours = turned(places, slow, key[paired])[:, np.argsort(paired)]
    other_base = turned(places, 500_000.0 ** (-np.arange(32) / 32))
    longer = turned(places, np.where(places < 2048, slow, slow / 4))
    forgetful = turned(np.where(places < 9, places, 0), slow)
    return {
        "wrong at 0 already": [
            (share(1.5 * right), "a factor, a missing norm, a\ncount that doesn't begin at 0")
        ],
        "wrong from 1 on, at once": [(share(neighbours), "wrong pairs, or norm\nand rotation swapped")],
        "grows from 1 on": [
            (share(other_base), "a wrong base: fast\nat first, then slowly"),
            (share(turned(places, bfloat16(slow))), "frequencies\nrounded"),
        ],
        "wrong from 257 on": [(share(turned(bfloat16(places), slow)), "positions rounded\nto bfloat16")],
        "a jump at trained length": [(share(longer), "a rule that changes")],
        "a jump when it writes": [(share(forgetful), "a count that forgets\nthe cache")],
    }, positions


def ticks(panels):
    """The positions that are named in each panel of `fingerprints`."""
    third = dict(zip(panels, (16, 16, 64, 16, 16, 9)))
    fourth = dict(zip(panels, (256, 256, None, 257, 256, 256)))
    last = dict.fromkeys(panels, 4096) | {"a jump at trained length": 2048}
    return {one: [0, 1, third[one], *filter(None, [fourth[one]]), last[one]] for one in panels}


@plots.drawn
def show_fingerprints():
    """Draw `fingerprints`."""
    panels, positions = fingerprints()
    told = (f"{symptom}: {' or '.join(words for _, words in curves)}" for symptom, curves in panels.items())
    fig = panelled(panels, positions=positions, xticks=ticks(panels))
    return fig, {"told": "; ".join(told).replace("\n", " ")}


def panelled(panels, *, positions, xticks, ncols=3):
    """Small filled curves over positions from 0, on an axis where each power of two has the same room.

    Parameters
    ----------
    panels : dict of str to list of (array_like, str)
        Title of each; one curve or two: values, up to 1, on a logarithmic axis from 0.0001, and what is
        written above the first, or below the second.
    positions : array_like
        From 0 on, common to all.
    xticks : dict of str to list of int
        The positions that are named in each panel.
    ncols : int
    """

    def place(position):
        return np.where(np.asarray(position) == 0, 0, 1 + np.log2(np.maximum(position, 1)))

    nrows = -(-len(panels) // ncols)
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(nrows, ncols, figsize=(2.6 * ncols, 2.4 * nrows), sharey=True, squeeze=False)
        sides = {"x": 0.04, "y": 0.95, "va": "top"}, {"x": 0.98, "y": 0.04, "va": "bottom", "ha": "right"}
        x = place(positions)
        for ax, (title, curves) in zip(axes.flat, panels.items(), strict=False):
            for (values, words), side in zip(curves, sides, strict=False):
                values = np.maximum(values, 0.0001)
                ax.fill_between(x, values, color=RED, alpha=0.15, linewidth=0)
                ax.plot(x, values, color=RED, linewidth=2, clip_on=False)
                ax.text(s=words, transform=ax.transAxes, linespacing=1.0, **side)
            ax.set_title(title, loc="left", weight="bold")
            ax.set(xlim=(0, x[-1]), yscale="log", ylim=(0.0001, 3000))
            ax.set_yticks([0.0001, 1], ["0.0001", "1"])
            ax.minorticks_off()
            ax.set_xticks(place(xticks[title]), [f"{tick:,}" for tick in xticks[title]])
        for ax in axes.flat:
            ax.set(xlabel="position", ylabel="largest error so far")
            ax.tick_params(labelleft=True)  # on a phone each panel stands alone
    return fig
