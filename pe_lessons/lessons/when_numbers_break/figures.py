"""The drawings of the lesson *Repair positions when numbers break*."""

import matplotlib.pyplot as plt
import numpy as np
import torch

from pe_lessons import plots
from pe_lessons.plots import COLOURS

FORMATS = torch.bfloat16, torch.float16, torch.float32, torch.float64


@plots.drawn
def steps():
    """The spacing of four formats, on axes of powers of two."""
    numbers = 2.0 ** np.arange(-4, 27)
    fig, ax = plt.subplots(figsize=(4.7, 3.6))
    for dtype, colour in zip(FORMATS, COLOURS):
        name, info = str(dtype).removeprefix("torch."), torch.finfo(dtype)
        inside = numbers[numbers < info.max]
        spacing = info.eps * 2.0 ** np.floor(np.log2(inside))
        ax.plot(inside, spacing, color=colour, drawstyle="steps-post")
        below = name == "float16"
        step = 8 if below else 0
        look = {"textcoords": "offset points", "color": colour}
        ax.annotate(name, (inside[step], spacing[step]), (0, -14 if below else 13), **look)
        first = 2 / info.eps  # from here on integers are missing
        if first < numbers[-1]:
            ax.plot(first, 1, "o", color=colour)
            side = {"ha": "left", "va": "top"} if below else {"ha": "right", "va": "bottom"}
            ax.annotate(f"{first:,.0f}", (first, 1), (6, -6) if below else (-6, 6), **look, **side)
    ax.axhline(1, color="0.6", linewidth=1)
    ax.text(2**-4, 2, "a spacing of 1", va="bottom", color="0.4")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set(xlabel="number", ylabel="spacing")
    ax.set(xticks=2.0 ** np.array([-4, 0, 8, 11, 16, 24]), yticks=2.0 ** np.arange(-48, 17, 16))
    ax.minorticks_off()
    return fig


@plots.drawn
def blame(scores, exact):
    """The score of two tokens three apart by position: exact, and with one thing rounded to bfloat16."""
    colours = dict(zip(("positions", "angles", "frequencies"), COLOURS))
    words = {"positions": "a few levels", "angles": "a cloud", "frequencies": "one flat line"}
    fig, axes = plt.subplots(3, 1, figsize=(4.7, 5.4), sharex=True, sharey=True)
    for ax, kind in zip(axes, ("frequencies", "positions", "angles")):
        values = np.asarray(scores[kind])
        ax.plot(np.asarray(exact), color="0.6", linewidth=1)
        ax.plot(values, ".", markersize=1.5, color=colours[kind])
        ax.set_title(f"rounded {kind}: {words[kind]}", color=colours[kind], loc="left")
        ax.set_ylabel("score")
    axes[0].set_yticks([0.6, 0.8, 1])
    axes[1].text(len(exact), 0.79, "exact", color="0.4", ha="right", va="top")
    axes[-1].set_xlabel("position")
    return fig
