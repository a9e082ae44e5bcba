"""The figure of the clinic: what an error looks like, position by position."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.lessons.the_clinic.answers import bfloat16, falling, rotated
from pe_lessons.plots import RED, STYLE


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
        "grows from the start": [
            (share(other_base), "a wrong base: large\nearly, then nearly flat"),
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
        for ax in axes[-1]:
            ax.set_xlabel("position")
        for ax in axes[:, 0]:
            ax.set_ylabel("largest error so far")
    return fig
