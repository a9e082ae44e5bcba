"""The drawings of the workshop at the end."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.lessons.design_your_own import workshop
from pe_lessons.plots import COLOURS


@plots.drawn
def four_tables(tables, accuracies):
    """Four tables {name: (16, n_columns)}, and the accuracy that a small model reached with each."""
    fig, axes = plt.subplots(2, 2, figsize=(4.7, 5.2))
    for ax, (name, table) in zip(axes.flat, tables.items(), strict=True):
        top = np.abs(table).max()
        ax.imshow(table, cmap=plots.SIGNED, vmin=-top, vmax=top, aspect="auto")
        ax.set(xticks=range(0, 16, 5), yticks=range(0, 16, 5))
        good = accuracies[name] > 0.9
        ax.set_title(f"{name}\n{accuracies[name]:.0%}", color=COLOURS[2] if good else COLOURS[1])
        ax.set(ylabel="position", xlabel="column" if ax in axes[1] else "")
    places = ("first", "second", "third", "fourth")
    return fig, {place: f"{one:.0%}" for place, one in zip(places, accuracies.values(), strict=True)}


@plots.drawn
def before_and_after(two):
    """Two neighbouring rows with the same word, {name: (2, n_columns)}, before and after LayerNorm."""
    fig, axes = plt.subplots(len(two), 2, figsize=(4.7, 5), sharex=True, sharey=True)
    for pair, (name, before) in zip(axes, two.items(), strict=True):
        after = before - before.mean(axis=1, keepdims=True)
        after /= after.std(axis=1, keepdims=True)
        for ax, rows, when in zip(pair, (before, after), ("before", "after"), strict=True):
            for column, ends in enumerate(rows[:, :8].T):
                low, high = sorted(ends)
                ax.fill_between((column - 0.4, column + 0.4), low, high, color=plots.RED, linewidth=0)
                for end, colour in zip(ends, COLOURS[:2], strict=True):
                    ax.hlines(end, column - 0.4, column + 0.4, color=colour, linewidth=1.8)
            apart = np.linalg.norm(rows[1] - rows[0])
            ax.text(-0.4, 7.6, f"rows {apart:.2f} apart", color=plots.RED, va="center")
            ax.set_title(f"{name}\n{when} LayerNorm")
            ax.set(ylim=(-6, 8.5), xticks=range(0, 8, 2))
    for ax in axes[-1]:
        ax.set_xlabel("column")
    return fig


@plots.drawn
def my_rows(encode):
    """The first 16 rows of a reader's own table."""
    return plots.heatmap(workshop.rows_of(encode, workshop.SEQ_LEN))


@plots.drawn
def all_designs(designs, models):
    """*With words* and the accuracy at 16 words of designs {name: table}, with models {name: model}."""
    found = {
        name: (workshop.distance_with_words(one), workshop.share_right(models[name], workshop.SEQ_LEN))
        for name, one in designs.items()
    }
    found = dict(sorted(found.items(), key=lambda one: one[1]))
    names = list(found)
    fig, axes = plt.subplots(1, 2, figsize=(4.7, 0.9 + 0.3 * len(names)), sharey=True)
    for ax, column, title in zip(axes, range(2), ("with words", "right at 16"), strict=True):
        ax.plot([found[name][column] for name in names], range(len(names)), "o", color=COLOURS[column], ms=8)
        ax.set_title(title, color=COLOURS[column])
        ax.set(ylim=(-0.6, len(names) - 0.4))
        ax.set_xlim(left=0)
        ax.grid(axis="y", color="0.9")
    axes[1].set_xlim(0, 1.08)
    axes[0].set_yticks(range(len(names)), names)
    told = "; ".join(f"{name} {words:.2f} and {right:.2f}" for name, (words, right) in found.items())
    return fig, {"told": told}


@plots.drawn
def maps(heads):
    """How much each word looks at each word, {name: (16, 16)}, in heads that were trained on five back."""
    return plots.heatmaps(heads, xlabel="looks at", ylabel="word", signed=False, label="weight")


@plots.drawn
def word_by_word(right):
    """The accuracy on five back at each place of a text, longer than those of the training."""
    fig, ax = plt.subplots(figsize=(4.7, 2.9))
    ax.plot(right, color=COLOURS[0], marker=".")
    ax.axhline(1 / 8, color="0.5", linestyle="--")
    ax.text(len(right) - 1, 1 / 8 - 0.03, "blind guess", ha="right", va="top", color="0.4")
    ax.axvspan(0, 15, color=COLOURS[2], alpha=0.15, linewidth=0)
    ax.text(7.5, 1.05, "as in training", ha="center", color="0.3")
    ax.set(xlabel="word", ylabel="accuracy", ylim=(0, 1.14))
    ends = np.flatnonzero(np.diff(np.concatenate([[0], right > 0.8, [0]])))
    hills = [f"{first} to {end - 1}" for first, end in ends.reshape(-1, 2)]
    return fig, {"hills": " and ".join(hills)}
