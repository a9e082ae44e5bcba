"""The drawings of this lesson."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def loss_by_position(longer):
    """Bits per character along long texts, a curve for each kind of model, means of 64 positions."""
    middles = np.arange(32, 2048, 64)
    names = {"sinusoidal": (330, 6.2), "RoPE": (700, 4.55), "ALiBi": (1650, 1.6)}
    colours = plots.OF_ENCODING
    fig, ax = plt.subplots(figsize=(4.7, 3.6))
    for name, style in zip(("RoPE", "ALiBi", "sinusoidal"), plots.STYLES):
        ax.plot(middles, longer[name.lower()]["by 64"], color=colours[name], linestyle=style)
        ax.text(*names[name], name, color=colours[name])
    ax.axvline(256, color="0.6", linewidth=1)
    ax.text(244, 0.25, "trained\nlength", ha="right", color="0.35")
    ax.axhline(np.log2(97), color="0.6", linewidth=1)
    ax.text(2040, 6.72, "guessing blindly", ha="right", color="0.35")
    ax.set(xlabel="position", ylabel="bits per character", xticks=[256, 512, 1024, 2048], ylim=(0, 7.3))
    return fig


@plots.drawn
def arcs(frequencies, *, pairs, farthest):
    """The angles of some pairs up to the first distance, and those that come up to the second."""
    trained, longer = farthest
    fig, axes = plt.subplots(2, 2, figsize=(4.7, 5.0))
    orange = plots.COLOURS[1]
    for ax, pair in zip(axes.flat, pairs):
        seen, reached = (min(far * frequencies[pair], 2 * np.pi) for far in farthest)
        ax.add_patch(plt.Circle((0, 0), 1, fill=False, edgecolor="0.93", linewidth=7))
        for start, end, colour in ((0, seen, "0.65"), (seen, reached, orange)):
            angles = np.linspace(start, end, 200)
            if end > start:
                look = {"linewidth": 7, "solid_capstyle": "butt"}
                ax.plot(np.cos(angles), np.sin(angles), color=colour, **look)
        new = np.degrees(reached - seen)
        none = new < 0.5
        ax.text(0, 0.08, f"{new:.0f}°", ha="center", color="0.4" if none else orange, fontsize=20)
        ax.text(0, -0.1, "nothing new" if none else "are new", ha="center", va="top", color="0.35")
        ax.set(title=f"Pair {pair}", aspect="equal", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
        ax.set_axis_off()
    axes[0, 0].text(-1.1, -1.45, f"grey: met up to {trained}, in training", color="0.35")
    axes[0, 1].text(-1.1, -1.45, f"orange: new up to {longer}", color=orange)
    return fig


@plots.drawn
def slowed(losses):
    """The loss if all pairs from a number on are slowed down by 4, at two lengths."""
    fig, ax = plt.subplots(figsize=(4.7, 3.6))
    for length, colour, style in (("1024", plots.COLOURS[0], "-"), ("256", plots.COLOURS[1], "--")):
        ax.plot(losses[length], color=colour, linestyle=style, marker="o", markersize=4)
    ax.text(13, 4.4, "texts of 1024", color=plots.COLOURS[0])
    ax.text(13, 1.35, "texts of 256", color=plots.COLOURS[1])
    ax.plot([9, 9], [0, 5.75], color="0.6", linewidth=1, zorder=0)
    ax.text(9.25, 5.5, "critical pair", color="0.35")
    grey = {"va": "center", "color": "0.35"}
    ax.text(2.2, 4.95, "fast pairs too:\nperhaps neighbours\ndiffer too little", ha="left", **grey)
    ax.text(15, 3.2, "too few slowed:\nnew angles\nremain", ha="center", **grey)
    labels = {"xlabel": "k, the first pair that is slowed down", "ylabel": "bits per character"}
    ax.set(xticks=range(0, 21, 3), ylim=(0, 5.9), **labels)
    return fig


@plots.drawn
def two_rules(frequencies, trained=256, factor=4, limit=128):
    """What each rule changes: the frequency of every pair, or the distance of every key."""
    turns = trained * frequencies / (2 * np.pi)
    kept = np.clip((turns - 1) / 3, 0, 1)  # 1: left alone
    fig, (by_parts, clipped) = plt.subplots(1, 2, figsize=(5.2, 2.9))
    by_parts.plot(kept + (1 - kept) / factor, "o", color=plots.COLOURS[0], markersize=4)
    by_parts.set(title="1. by parts", xlabel="pair", ylabel="frequency, new / old")
    by_parts.set(xticks=range(0, 20, 4), ylim=(0, 1.1))
    by_parts.set_yticks([0, 1 / factor, 1], ["0", "1/4", "1"])
    distance = np.arange(2 * trained)
    clipped.plot(distance, color="0.7", linestyle="--")
    clipped.plot(np.minimum(distance, limit), color=plots.COLOURS[1])
    clipped.text(290, 390, "as trained", color="0.45", ha="right")
    clipped.set(title="2. clipped", xlabel="distance", ylabel="rotates as at")
    clipped.set(xticks=[0, limit, trained, 500], yticks=[0, limit, trained, 500])
    return fig


def rules(stretched):
    """The loss under each rule that stretches, at once, in short and in long texts."""
    names = {"as trained": "as trained", "sliding window": "sliding window"}
    names["slowed down from pair 9 on"] = "from pair 9 on"
    names |= {"1. by parts": "by parts, 1 to 4 turns", "2. clipped at 128": "clipped at 128"}
    found = [stretched[name] for name in names.values()]
    losses = [[one[length]["second half"] for length in ("256", "1024")] for one in found]
    plots.show_table(losses, rows=names, columns=[256, 1024], corner="bits per character", digits=2)


@plots.drawn
def needles(stored):
    """For each model its loss, and what a definition saves if it is 100 and 600 characters back."""
    models = {"as trained": "rope, as trained", "sliding window": "rope, sliding window"}
    models |= {"200 more steps": "rope, as trained, 200 steps", "by parts": "rope, by parts, 1 to 4 turns"}
    models |= {"clipped at 128": "rope, clipped at 128", "ALiBi": "alibi"}
    loss = {f"rope, {rule}": found["1024"] for rule, found in stored["stretched"].items()}
    loss["rope, as trained, 200 steps"] = stored["stretched_200_steps"]["as trained"]["1024"]
    loss["alibi"] = stored["longer"]["alibi"]["1024"]
    fig, ax = plt.subplots(figsize=(4.7, 4.6))
    look = {"height": 0.34, "error_kw": {"ecolor": "0.3", "capsize": 2}}
    for place, name in enumerate(models.values()):
        for up, distance in ((-0.19, "100"), (0.19, "600")):
            cost = stored["needle"][name][distance]
            saved, error = cost["undefined"] - cost["defined"], cost["error"]
            uses = plots.COLOURS[2] if saved > 2 * error else "0.5"
            ax.barh(place + up, saved, color="0.85" if distance == "100" else uses, xerr=error, **look)
            told = f"{saved:.1f}".replace("-", "\N{MINUS SIGN}")
            ax.text(max(saved, 0) + error + 0.1, place + up, told, va="center", color="0.35")
        ax.text(6.1, place, f"{loss[name]['second half']:.1f}", va="center", ha="center")
    ax.text(0.15, -0.19, "100 back", va="center", color="0.25")
    ax.text(1.2, 0.19, "600 back", va="center", color="0.35")
    ax.text(6.3, -0.75, "loss at 1024", ha="right", color="0.35")
    ax.axvline(0, color="0.4", linewidth=1)
    ax.set(yticks=range(len(models)), ylim=(len(models) - 0.4, -1.2), xlim=(-0.7, 6.4))
    ax.set_yticklabels(models)
    ax.set(xlabel="bits per letter that the definition saves", xticks=range(5))
    return fig
