"""The drawings of the lesson on rotating queries and keys."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def two_arrows():
    """A query and a key, rotated by one radian a token, at two places of a text, and swapped."""
    titles = ["query at 2, key at 5:", "query at 102, key at 105:", "query at 5, key at 2:"]
    titles = [f"{title}\nscore −0.99" for title in titles]
    look = {"colours": plots.COLOURS[:2], "xlabel": "first number", "ylabel": "second number"}
    fig = plots.clock_hands([[2, 102, 5], [5, 105, 2]], titles, ["query", "key"], **look)
    began = {"arrowstyle": "-|>", "color": "0.75"}
    for ax in fig.axes:
        ax.set_yticks([-1, 1])  # the angle is written where the 0 would be
        ax.annotate("", (1, 0), (0, 0), arrowprops=began, zorder=1)
        [angle] = [text for text in ax.texts if text.get_text().endswith("radians")]
        angle.set(x=-1.15, bbox=None)  # left of the circle, which stays whole
    return fig


@plots.drawn
def six_arrows(rows):
    """Six numbers as arrows in six directions, and the sum of the arrows, row by row."""
    directions = np.radians(60 * np.arange(6))
    ends = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0}
    fig, axes = plt.subplots(1, len(rows), figsize=(3.1 * len(rows), 3.4))
    for m, (ax, row) in enumerate(zip(axes, rows)):
        tips = np.array([row * np.cos(directions), row * np.sin(directions)]).T  # (6, 2)
        for number, tip, direction in zip(row, tips, directions):
            colour = plots.COLOURS[1] if number == max(row) else "0.6"  # one number to follow
            ax.annotate("", tip, (0, 0), arrowprops=ends | {"color": colour})
            beyond = tip + 1.2 * np.array([np.cos(direction), np.sin(direction)])
            ax.text(*beyond, f"{number:.0f}", color=colour, ha="center", va="center")
        total = tips.sum(axis=0)
        bold = ends | {"color": plots.COLOURS[0], "linewidth": 3}
        ax.annotate("", total, (0, 0), arrowprops=bold)
        angle = np.degrees(np.arctan2(total[1], total[0])) % 360
        ax.set_title(f"position {m}: sum at {angle:.0f}°", color=plots.COLOURS[0])
        ax.set(aspect="equal", xlim=(-11, 11), ylim=(-11, 11), xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
    return fig


@plots.drawn
def speeds():
    """What a fast, a middling and a slow pair of a head of 64 numbers add to a score, by offset."""
    offsets = np.arange(61)
    fig, axes = plt.subplots(4, 1, figsize=(4.7, 6.0), sharex=True)
    for ax, pair, speed, colour in zip(axes, (0, 8, 24), (1, 0.1, 0.001), plots.COLOURS):
        ax.axvline(44, color="0.8", linewidth=1, zorder=0)
        ax.plot(offsets, np.cos(speed * offsets), color=colour, marker="o", markersize=3, linewidth=1)
        unit = "radian" if speed == 1 else "radians"
        ax.set_title(f"pair {pair}: {speed} {unit} per token", color=colour)
        ax.set(ylim=(-1.2, 1.2), yticks=[-1, 0, 1], xlim=(-1, 61))
    axes[0].set_ylabel("added to the score")
    added = sum(np.cos(speed * offsets) for speed in (1, 0.1, 0.001))
    axes[3].axvline(44, color="0.8", linewidth=1, zorder=0)
    axes[3].plot(offsets, added, color="0.2", marker="o", markersize=3, linewidth=1)
    axes[3].set_title("all three together", color="0.2")
    axes[3].set(yticks=[0, 1, 2, 3], xlabel="offset in tokens", xticks=[0, 10, 20, 30, 44, 60])
    return fig


@plots.drawn
def three_scores(curves):
    """Three scores against the distance of query and key."""
    beside = {"all ones": (112, 0.74), "three back": (9, 1.04), "random": (143, -0.97)}
    fig = plots.curves(curves, xlabel="distance in tokens", ylabel="score / largest |score|", beside=beside)
    fig.axes[0].axhline(0, color="0.8", linewidth=1, zorder=0)
    return fig
