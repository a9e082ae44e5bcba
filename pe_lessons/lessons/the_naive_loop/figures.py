"""The figures of lesson 03: arrays in, pictures out."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def one_table(textbook):
    """The textbook's table by itself."""
    fig, ax = plt.subplots(figsize=(4.7, 2.9))
    image = ax.imshow(textbook, aspect="auto", cmap=plots.SIGNED, vmin=-1, vmax=1)
    ax.set(ylabel="position", title="the textbook's table", xlabel="column")
    plots.colour_bar(fig, image, ax, "value")
    return fig


@plots.drawn
def two_tables(textbook, formula):
    """The textbook's table above that of the formula, and where in each the waves end."""
    fig, axes = plt.subplots(2, 1, figsize=(4.7, 5.6), sharex=True)
    panels = {"the textbook's table": textbook, "the table of the formula": formula}
    for ax, (title, table) in zip(axes, panels.items()):
        image = ax.imshow(table, aspect="auto", cmap=plots.SIGNED, vmin=-1, vmax=1)
        ax.set(ylabel="position", title=title)
        end = int(np.flatnonzero(np.abs(table[-1, ::2]) > 0.3)[-1]) * 2 + 2  # of the sines in the last row
        ax.plot([end, table.shape[1] - 0.5], [-1.8, -1.8], color="0.15", linewidth=1, clip_on=False)
        ax.text((end + table.shape[1]) / 2, -3, "plain stripes", ha="center", va="bottom", color="0.15")
        ax.set_autoscale_on(False)
    axes[1].set_xlabel("column")
    plots.colour_bar(fig, image, axes, "value", shrink=0.6)
    return fig


@plots.drawn
def first_columns(textbook, formula):
    """Columns 0 and 1 of both tables: what the formula gives as a curve, what the textbook gives as dots."""
    positions, smooth = np.arange(len(formula)), np.linspace(0, len(formula) - 1, 800)
    fig, ax = plt.subplots(figsize=(4.7, 3.2))
    for column, (wave, colour) in enumerate(zip((np.sin, np.cos), plots.COLOURS)):
        assert np.allclose(wave(positions), formula[:, column])
        ax.plot(smooth, wave(smooth), color=colour, alpha=0.35, linewidth=2)
        ax.plot(positions, textbook[:, column], ".", color=colour)
    look = {"va": "center", "ha": "left"}
    ax.text(50, formula[-1, 0], "column 0", color=plots.COLOURS[0], **look)
    ax.text(50, formula[-1, 1], "column 1", color=plots.COLOURS[1], **look)
    ax.text(0, 1.3, "curves: the formula    dots: the textbook\nevery dot is on its curve")
    ax.set(xlabel="position", ylabel="value", ylim=(-1.1, 1.8), yticks=[-1, 0, 1], xlim=(-1, 64))
    ax.set_xticks(range(0, 50, 10))
    return fig


@plots.drawn
def learning(histories, guessing=10):
    """Accuracy at every step of training, with each of the tables, in percent."""
    fig, ax = plt.subplots(figsize=(4.7, 3.2))
    ax.axhline(guessing, color="0.6", linewidth=1)
    ax.text(250, guessing + 2, "guessing", color="0.4", ha="right")
    half = {}
    for (name, history), colour, style in zip(histories.items(), plots.COLOURS, plots.STYLES):
        ax.plot(history, color=colour, linestyle=style)
        half[name] = int(np.flatnonzero(np.asarray(history) > 50)[0])
    (one, early), (other, late) = half.items()
    ax.text(early - 4, 56, one, color=plots.COLOURS[0], ha="right")
    ax.text(late + 8, 44, other, color=plots.COLOURS[1])
    ax.annotate("", (late, 50), (early, 50), arrowprops={"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0})
    ax.text(late + 8, 54, "here: some twenty steps", va="center")
    ax.set(xlabel="training step", ylabel="accuracy, %", ylim=(0, 105))
    return fig


@plots.drawn
def column_one(formula, other):
    """Column 1 of two tables."""
    fig, ax = plt.subplots(figsize=(4.7, 3.0))
    ax.plot(formula[:, 1], ".-", color=plots.COLOURS[0], linewidth=1)
    ax.plot(other[:, 1], ".--", color=plots.COLOURS[1], linewidth=1)
    ax.axvline(22, color="0.6", linewidth=1)
    ax.text(22.4, 1.18, "position 22: one at the\nbottom, one at the top", va="bottom")
    ax.text(50, formula[-1, 1] + 0.05, "formula", color=plots.COLOURS[0], va="center")
    ax.text(50, other[-1, 1] - 0.05, "SamLynnEvans", color=plots.COLOURS[1], va="center")
    ax.set(xlabel="position", ylabel="value", ylim=(-1.1, 1.7), yticks=[-1, 0, 1], xlim=(-1, 72))
    ax.set_xticks(range(0, 50, 10))
    return fig
