"""The drawings of the lesson on the shift."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.plots import COLOURS, STYLE


def steps():
    """The same step from two positions: two circles, two equal arcs."""
    titles = ["positions 1 and 4", "positions 2 and 5"]
    fig = plots.clock_hands([[1, 2], [4, 5]], titles, names=["p", "p + 3"], arcs=True)
    plots.show(
        fig,
        alt="Two circles with two hands each and an arc of 3 radians from the first to the "
        "second. The right pair is the left pair, rotated by one radian.",
        caption="The fast hand at a position and three tokens later.",
    )


def rectangle(angle=0.5, by=0.6):
    """A hand as the diagonal of a rectangle, and the same rectangle rotated."""
    sine, cosine = np.sin(angle), np.cos(angle)
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, 2, figsize=(7.4, 3.0))
        for ax, turned, title in zip(axes, (0, by), ("a hand at angle p", "rotated by s")):
            right = np.array([np.cos(turned), np.sin(turned)])
            up = np.array([-np.sin(turned), np.cos(turned)])
            corner, tip = cosine * right, cosine * right + sine * up
            ax.fill(*np.transpose([(0, 0), corner, tip, sine * up]), color="0.93", zorder=0)
            ax.plot(*np.transpose([(0, 0), corner]), color=COLOURS[0], linewidth=2)
            ax.plot(*np.transpose([corner, tip]), color=COLOURS[1], linewidth=2)
            ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": "black"})
            _beside(ax, 0.6 * corner - 0.11 * up, "cos p", COLOURS[0])
            _beside(ax, (corner + tip) / 2 + 0.13 * right, "sin p", COLOURS[1])
            plots.arc(ax, turned, turned + angle, "p", radius=0.26)
            if turned:
                plots.arc(ax, 0, by, "s", radius=0.26)
                foot = corner * (1, 0)
                ax.plot(*np.transpose([foot, corner]), "--", color=COLOURS[0])
                _beside(ax, (foot + corner) / 2 + (0.22, 0), "cos p · sin s", COLOURS[0])
                level = np.array([tip[0], corner[1]])
                ax.plot(*np.transpose([level, tip]), "--", color=COLOURS[1])
                _leader(ax, "sin p · cos s", tip - (0, 0.07), (tip[0] + 0.36, tip[1] + 0.05))
                ax.plot(*np.transpose([level, corner]), ":", color=COLOURS[1])
                _leader(ax, "sin p · sin s", (level + corner) / 2, (corner[0] + 0.09, corner[1] + 0.13))
                ax.plot(*np.transpose([(0, 0), foot]), "--", color=COLOURS[0])
                _beside(ax, foot / 2 - (0, 0.07), "cos p · cos s", COLOURS[0])
            ax.axhline(0, color="0.8", linewidth=1, zorder=0)
            ax.set(title=title, aspect="equal", xlim=(-0.32, 1.3), ylim=(-0.12, 1.0), xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
    plots.show(
        fig,
        alt="Left a hand as the diagonal of a rectangle with the sides cos p and sin p. Right "
        "the same rectangle rotated by s: along the side cos p we climb by cos p times "
        "sin s, along the side sin p by sin p times cos s. Below, the walk to the right: cos p "
        "times cos s forward, sin p times sin s back.",
        caption="The sides keep their lengths. After the rotation, each side contributes to the height.",
    )


def shift(matrix):
    """The shift matrix of eight columns, with the angle of each of its four parts."""
    fig = plots.heatmap(matrix, numbers=True, digits=2, xlabel="old column", ylabel="new column")
    ax = fig.axes[0]
    for text in list(ax.texts):
        column, row = text.get_position()
        if column // 2 != row // 2:
            text.remove()  # zeros: the angles stand there
    for pair in range(4):
        ax.add_patch(plt.Rectangle((2 * pair - 0.5, 2 * pair - 0.5), 2, 2, fill=False, linewidth=1.5))
        across, edge = (2 * pair + 1.65, "left") if pair < 2 else (2 * pair - 0.65, "right")
        ax.text(across, 2 * pair + 0.5, f"rotates by {3 / 10**pair:g} radians", va="center", ha=edge)
    plots.show(
        fig,
        alt="An 8 by 8 matrix with four framed 2 by 2 parts along its diagonal. The first, rotating by "
        "3 radians, is -0.99, 0.14, -0.14, -0.99, the second, by 0.3, is 0.96, 0.30, -0.30, 0.96. The "
        "others, by 0.03 and 0.003, are near 1 and 0. All else is 0.",
        caption="The matrix that moves every row by three tokens, d_model = 8. All else is zero.",
    )


def same_height(angle=0.5, by=1.0):
    """Two hands of the same height, and both a radian later."""
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, 2, figsize=(7.2, 3.0))
        turn = np.linspace(0, 2 * np.pi, 200)
        for ax, later, title in zip(axes, (0, by), ("now: the same sine", "1 radian later: two sines")):
            ax.plot(np.cos(turn), np.sin(turn), color="0.8", linewidth=1)
            ax.axhline(0, color="0.9", linewidth=1, zorder=0)
            for start, colour, side in zip((angle, np.pi - angle), COLOURS, (1, -1)):
                tip = np.array([np.cos(start + later), np.sin(start + later)])
                ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.8})
                ax.plot([tip[0], 1.25 * side], [tip[1]] * 2, ":", color=colour)
                look = {"color": colour, "va": "center", "ha": "left" if side == 1 else "right"}
                ax.text(1.3 * side, tip[1], f"{tip[1]:.2f}".replace("-", "−"), **look)
            ax.set(title=title, aspect="equal", xlim=(-1.75, 1.75), ylim=(-1.1, 1.15), xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
    plots.show(
        fig,
        alt="Two circles with two hands. On the left both hands have the height 0.48, one to the right, one "
        "to the left. On the right both have rotated by one radian: one has the height 1.00, the "
        "other -0.48.",
        caption="Two hands with the same sine. One radian later their sines differ.",
    )


def kernel(offsets, similarities):
    """The similarity of two positions by their offset, its two halves named."""
    places = {"64 columns": (58, 0.31), "512 columns": (58, 0.66)}
    fig = plots.curves(similarities, x=offsets, beside=places, xlabel="offset", ylabel="similarity")
    ax = fig.axes[0]
    ax.axvline(0, color="0.8", linewidth=1, zorder=0)
    ax.set_ylim(0.2, 1.08)
    for across, text in ((-50, "key before the query"), (50, "key after the query")):
        ax.text(across, 0.95, text, ha="center", color="0.35")
    plots.show(
        fig,
        alt="Two curves, each its own mirror image about offset 0, where both are 1. Both fall "
        "steeply to 0.75, then slowly; with 64 columns in ripples, with 512 smoothly.",
        caption="The kernel: the similarity of two positions by their offset. The dot product is divided by "
        "the number of pairs, so that it is 1 at offset 0.",
    )


def head(panels):
    """Maps of weights, with row 8 framed."""
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, len(panels), figsize=(2.5 * len(panels), 2.9), sharey=True)
        for ax, (title, weights) in zip(axes, panels.items()):
            image = ax.imshow(np.sqrt(weights), cmap=plots.WEIGHTS, vmin=0, vmax=1)
            ax.add_patch(plt.Rectangle((-0.5, 7.5), 12, 1, fill=False, edgecolor=plots.RED, linewidth=1.5))
            said = f"row 8 gives {weights[8, 5]:.2f}\nto position 5"
            ax.text(11.3, 0, said, ha="right", va="top", color="white", fontsize=9)
            ax.set(title=title, xticks=[0, 5, 10], yticks=[0, 5, 10], xlabel="looked at")
        axes[0].set_ylabel("looking")
        fig.colorbar(image, ax=axes, label="√weight", shrink=0.7)
    plots.show(
        fig,
        alt="Three 12 by 12 maps of weights, empty above the diagonal, row 8 framed. At sharpness 1 a blur, "
        "at 4 a band around the line three to the left of the diagonal, at 64 the line. In row 8, position 5 "
        "gets 0.18, 0.39 and 1.00 of the weight.",
        caption="The head that looks three back, at three sharpnesses. Yellow means a weight of 1. We plot the "
        "square root of each weight, so that small weights are visible.",
    )


def _beside(ax, point, text, colour):
    ax.text(*point, text, color=colour, ha="center", va="center")


def _leader(ax, text, point, where):
    line = {"arrowstyle": "-", "color": COLOURS[1], "linewidth": 0.8}
    ax.annotate(text, point, where, color=COLOURS[1], arrowprops=line, ha="left", va="center")
