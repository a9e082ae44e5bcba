"""The drawings of the lesson *Decide*."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def diluted(margin):
    """What a key with this margin gets of the weight, for longer and longer texts."""
    lengths = np.logspace(3, 6.1, 50)
    weights = np.exp(margin) / (np.exp(margin) + lengths - 1)
    fig, ax = plt.subplots(figsize=(4.7, 3.2))
    ax.plot(lengths, weights, color=plots.COLOURS[0])
    for length, word in ((8192, "8k"), (131_072, "128k"), (1_048_576, "1M")):
        weight = np.exp(margin) / (np.exp(margin) + length - 1)
        ax.plot(length, weight, "o", color=plots.RED, clip_on=False, zorder=3)
        said = f"{word}: {100 * weight:.1f} %"
        ax.annotate(said, (length, weight), (0, 8), textcoords="offset points")
    ax.text(
        9000,
        0.7,
        f"the same key, {margin} above all others,\nbut there are more and more others",
        color="0.3",
        va="center",
    )
    ax.set(xscale="log", xlabel="keys", ylabel="weight of the right key", ylim=(0, 1))
    ax.set_xlim(right=4e6)
    return fig, {"margin": margin}


@plots.drawn
def bases(of_bases):
    """How similar a copy is at every distance, {base: (copy, best random word)}, and where it loses."""
    fig, ax = plt.subplots(figsize=(4.7, 3.8))
    best = max(best for _, best in of_bases.values())
    for colour, (base, (copy, _)) in zip(plots.COLOURS, of_bases.items()):
        places = np.unique(np.logspace(0, np.log10(len(copy) - 1), 1000).astype(int))
        ax.plot(places, copy[places], color=colour, linewidth=1.4)
        end = f" {base:,}" if base < 1e6 else f" {base // 10**6} million"
        ax.text(len(copy), copy[-5000:].mean(), end, color=colour, va="center")
    lowest = f"{copy.min():.2f}"
    ax.text(len(copy), 0.82, f" lowest:\n {lowest}", color=colour, va="center")
    ax.text(len(copy), 1.08, " base", color="0.3", va="center")
    ax.axhline(best, color="0.3", linestyle="--", linewidth=1)
    ax.text(1.3, best - 0.03, f"best random word: {best:.2f}", color="0.3", va="top")
    ax.axvline(1023, color="0.5", linestyle=":", linewidth=1.2)
    ax.text(900, -0.3, "a window\nends here", color="0.3", ha="right", va="center")
    ax.set(xscale="log", xlabel="distance of the copy", ylabel="similarity", ylim=(-0.45, 1.05))
    ax.set_xlim(1, len(copy))
    return fig, {"lowest": lowest, "best": f"{best:.2f}"}


@plots.drawn
def promise(found):
    """What a model finds at each depth, in per cent, {length: five numbers}, and which lengths pass."""
    fig, ax = plt.subplots(figsize=(4.7, 3.8))
    (short, before), *lengths = found.items()
    depths, passed = range(1, len(before) + 1), True
    ax.plot(depths, before, "o-", color=plots.COLOURS[0])
    ax.text(5.15, before[-1], f"{short}: to compare", color=plots.COLOURS[0], va="center")
    for length, here in lengths:
        gap = np.ptp(here)
        enough = all(now >= 0.85 * then for now, then in zip(here, before))
        good = gap <= 5 and enough
        colour = plots.COLOURS[2] if good and passed else "0.5" if good else plots.RED
        why = "passes" if passed else "passes,\nbut 64k failed"
        said = why if good else f"{gap:.0f} points apart,\nrule 1 allows 5"
        ax.plot(depths, here, "o-", color=colour)
        ax.text(5.15, here[-1], f"{length}: {said}", color=colour, va="center")
        passed &= good
    ax.axhline(0.85 * before[0], color="0.5", linestyle="--", linewidth=1)
    ax.text(1, 0.85 * before[0] - 0.25, "rule 2: 85 % of 4k", color="0.3", va="top")
    ax.set(xlabel="depth", ylabel="needles found, in %", xlim=(0.8, 8.2), ylim=(66, 82), xticks=depths)
    return fig
