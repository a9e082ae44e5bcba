"""The drawings of the workshop at the end."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.lessons.design_your_own import puzzles
from pe_lessons.plots import COLOURS, STYLE


def four_tables(tables, accuracies):
    """Four tables {name: (16, n_columns)}, and the accuracy that a small model reached with each."""
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(2, 2, figsize=(5.6, 5.8))
        for ax, (name, table) in zip(axes.flat, tables.items(), strict=True):
            top = np.abs(table).max()
            ax.imshow(table, cmap=plots.SIGNED, vmin=-top, vmax=top, aspect="auto")
            ax.set(xticks=[], yticks=[])
            good = accuracies[name] > 0.9
            ax.set_title(f"{name}\n{accuracies[name]:.0%}", color=COLOURS[2] if good else COLOURS[1])
        axes[1, 0].set(xlabel="column", ylabel="position")
    plots.show(
        fig,
        alt="Four tables of 16 rows. Sinusoidal, 100 %: waves that slow down from left to right. Ten times "
        "as slow, 28 %: hardly a change from row to row. Stripes of four, 17 %: little but stripes. Squared "
        "positions, 100 %: disorder on the left, waves on the right.",
        caption="The first 16 columns of four tables, and the accuracy on five back after 120 steps.",
    )


def before_after(before, after, numbers, accuracies, back=5):
    """Attention maps {name: (16, 16)} of mixed random heads and of trained ones, with rings on the target."""
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(len(before), 2, figsize=(4.8, 2.15 * len(before)))
        for row, (name, values) in zip(axes, before.items(), strict=True):
            words = f"{numbers[name]:.2f}", f"{accuracies[name]:.0%}"
            for ax, attention, word in zip(row, (values, after[name]), words, strict=True):
                size = len(attention)
                ax.imshow(attention, cmap=plots.WEIGHTS, vmin=0, vmax=1)
                ring = {"markersize": 4.5, "color": "C3", "fillstyle": "none"}
                ax.plot(range(size - back), range(back, size), "o", **ring)
                place = {"ha": "right", "va": "top", "fontsize": 13, "fontweight": "bold"}
                ax.text(size - 1, 0, word, color="white", **place)
                ax.set(xticks=[], yticks=[])
                ax.spines[:].set_visible(False)
            row[0].set_ylabel(name, fontsize=11)
        axes[0, 0].set_title("before training:\nrandom heads, mixed")
        axes[0, 1].set_title("after 120 steps:\nthe trained head")
    plots.show(
        fig,
        alt="Eight maps of 16 by 16 attention weights: a row for each of four encodings, before training on "
        "the left and after it on the right. Rings mark five to the left of the diagonal. Sinusoidal: a "
        "broad dim band along the rings, then a bright line. Ten times as slow: an even dark triangle, both "
        "times. ALiBi: brightest on the diagonal, then dim all over. RoPE: a bright line along the rings, "
        "both times.",
        caption="Rings mark the word five back. In the corners are the number on the left and the accuracy "
        "on the right.",
    )


def predicted(kinds, named, tick):
    """Dots (number before training, accuracy during training) of the encodings held back, by their kind."""
    line = {"arrowstyle": "-", "color": "0.4", "shrinkA": 0, "shrinkB": 4}
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3.8))
        for (name, dots), colour, marker in zip(kinds.items(), COLOURS, "os^", strict=False):
            ax.plot(*np.asarray(dots, dtype=float).T, marker, color=colour, label=name)
        ax.margins(y=0.14)
        for name, dot in named.items():
            side, align = (-1, "right") if dot[0] > 0.8 else (1, "left")
            look = {"textcoords": "offset points", "arrowprops": line, "ha": align, "va": "center"}
            ax.annotate(name, dot, (20 * side, -15), **look)
        ax.axvspan(tick, 1.05, color="0.95", linewidth=0, zorder=0)
        ax.text(
            tick + 0.01, 0.98, "ticked from here", color="0.4", va="top", transform=ax.get_xaxis_transform()
        )
        ax.set(xlabel="number before training: five back", ylabel="accuracy, mean of the training")
        ax.set_xlim(-0.03, 1.05)
        ax.legend(loc="lower right", frameon=False)
    plots.show(
        fig,
        alt="A scatter of 25 dots: the number from 0 to 1 across, the accuracy in training from 0.1 to 0.9 "
        "up. The dots rise from the lower left to 0.7 at 0.3 and stay near 0.8 beyond. Named are ALiBi, low "
        "at 0.03; triangle waves, high at 0.16; T5 with few buckets, low at 0.25; a bias per remainder of 5; "
        "RoPE and ALiBi, at 0.95.",
        caption="Twenty-five encodings that had no part in making the scorecard.",
    )


def twelve_goals():
    """The pictures of the twelve puzzles."""
    goals = puzzles.goals()
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(4, 3, figsize=(5.6, 8.2))
        for ax, (title, values) in zip(axes.flat, goals.items(), strict=True):
            ax.set_axis_off()
            ax.imshow(values, cmap=plots.WEIGHTS)
            ax.set_title(title, fontsize=9)
    plots.show(
        fig,
        alt="Twelve small pictures of 16 by 16 cells: a diagonal; a lower triangle; a line three below the "
        "diagonal; the other diagonal; a band of four; the band and the first column; blocks of 5, 5, 5 and "
        "1 below the diagonal; a valley that falls away from the diagonal; a pattern of 4 by 4 tiles; binary "
        "digits; waves that slow down to the right; waves along the diagonals.",
        caption="The twelve goals. Rows are p, columns are k, both from 0.",
    )


def compared(fig):
    """Your picture beside the goal, as `puzzles.draw` gives it."""
    plots.show(
        fig,
        alt="Three maps of 16 by 16 cells: the goal, a band of four; yours, a triangle; and the cells that "
        "differ, the triangle without the band.",
        caption="Your picture beside the goal, and where they differ.",
    )
