"""The drawings of the clinic."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons.plots import RED, STYLE


def fingerprints(panels, *, positions, xticks, ncols=3):
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
        fig, axes = plt.subplots(nrows, ncols, figsize=(2.6 * ncols, 1.9 * nrows), sharey=True, squeeze=False)
        sides = {"x": 0.04, "y": 0.95, "va": "top"}, {"x": 0.98, "y": 0.04, "va": "bottom", "ha": "right"}
        x = place(positions)
        for ax, (title, curves) in zip(axes.flat, panels.items(), strict=False):
            for (values, words), side in zip(curves, sides, strict=False):
                values = np.maximum(values, 0.0001)
                ax.fill_between(x, values, color=RED, alpha=0.15, linewidth=0)
                ax.plot(x, values, color=RED, linewidth=2, clip_on=False)
                ax.text(s=words, transform=ax.transAxes, linespacing=1.3, **side)
            ax.set_title(title, loc="left", weight="bold")
            ax.set(xlim=(0, x[-1]), yscale="log", ylim=(0.0001, 300))
            ax.set_yticks([0.0001, 1], ["0.0001", "1"])
            ax.minorticks_off()
            ax.set_xticks(place(xticks[title]), [f"{tick:,}" for tick in xticks[title]])
        for ax in axes[-1]:
            ax.set_xlabel("position")
        for ax in axes[:, 0]:
            ax.set_ylabel("largest error so far")
    return fig
