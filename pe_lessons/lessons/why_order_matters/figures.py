"""The figures of lesson 01: arrays in, pictures out."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import arrays, measures, plots

WISHES = ("unique: > 0", "bounded", "length-free: 0", "smooth: 1", "shift: 0")


@plots.drawn
def training(blind, told):
    """How many of the sentences are right at each step, without a table of positions and with one."""
    fig, ax = plt.subplots(figsize=(4.7, 3.2))
    ax.axhline(50, color="0.6", linewidth=1)
    lines = {"with positions": told, "without positions": blind}
    for (name, history), colour, style in zip(lines.items(), plots.COLOURS, plots.STYLES):
        ax.plot(100 * np.array(history), color=colour, linestyle=style)
        middle, shift = len(history) // 2, 4 if name == "with positions" else -9
        ax.text(middle, 100 * history[-1] + shift, name, color=colour, ha="center")
    ax.text(len(blind), 53, "stays at one half", color="0.4", ha="right")
    ax.set(xlabel="training step", ylabel="accuracy, %", ylim=(0, 112), yticks=[0, 25, 50, 75, 100])
    return fig


@plots.drawn
def fan(weights, words, taken, columns):
    """Attention for one word: a line to every word, as thick as its weight, and the row it takes home."""
    return _fans([weights], [words], [words.index("cat")], home=[taken], columns=columns)


def two_fans(sentences, matrices, *, mask=None):
    """Attention of *cat* in two sentences; `matrices` are W_Q, W_K and W_V of the head."""
    to_query, to_key, to_value = matrices
    looks, home, asking = [], [], []
    for rows, words in sentences:
        scores = rows @ to_query @ (rows @ to_key).T / np.sqrt(to_key.shape[1])
        weights = arrays.softmax(scores if mask is None else np.where(mask, scores, -np.inf))
        asking.append(words.index("cat"))
        looks.append(weights[asking[-1]])
        home.append(looks[-1] @ rows @ to_value)
    fans = same_row if np.allclose(*home) else another_row
    fans(looks, [words for _, words in sentences], asking, home=home)


@plots.drawn
def same_row(*sentences, home):
    return _fans(*sentences, home=home, between="=")


@plots.drawn
def another_row(*sentences, home):
    return _fans(*sentences, home=home, between="≠")


@plots.drawn
def steps(digits, table):
    """Binary digits and the table of a model, with the distance from each row to the next."""
    fig, panels = plt.subplots(1, 2, figsize=(7.4, 4.6))
    panels[0].set_title("Binary digits: steps that jump", loc="left", fontweight="bold")
    panels[1].set_title("The model's table: every step alike", loc="left", fontweight="bold")
    _rows_and_steps(panels[0], digits)
    _rows_and_steps(panels[1], table)
    return fig


def wish_list(encodings):
    """Five measurements of each encoding, a function from a number of positions to a table."""
    measured = []
    for encode in encodings.values():
        table = encode(1000)
        steps = np.linalg.norm(np.diff(table, axis=0), axis=-1)
        found = [measures.smallest_gap(table), np.abs(table).max()]
        found += [measures.length_drift(encode, short=5, long=50), steps.max() / steps.min()]
        measured.append([*found, measures.shift_residual(table, offset=3)])
    plots.show_table(measured, rows=encodings, columns=WISHES, digits=3)


def _rows_and_steps(ax, table):
    """A table, a row for each position, and between its rows how far it is from one to the next."""
    width, (positions, columns) = 6, table.shape
    digits = set(np.unique(table)) <= {0, 1}
    colours = {"cmap": "Greys", "vmin": 0, "vmax": 1.35}
    colours = colours if digits else {"cmap": plots.SIGNED, "vmin": -1, "vmax": 1}
    ax.imshow(table, extent=(-0.5, width - 0.5, positions - 0.5, -0.5), aspect="auto", **colours)
    if digits:
        for (row, column), value in np.ndenumerate(table):
            place = (column + 0.5) * width / columns - 0.5
            ink = "white" if value else "0.45"
            ax.text(place, row, int(value), color=ink, ha="center", va="center")
    for row in range(1, positions):
        ax.plot([-0.5, width - 0.5], [row - 0.5] * 2, color="white", linewidth=1)
    steps = np.linalg.norm(np.diff(table, axis=0), axis=1)
    for row, step in enumerate(steps):
        ax.barh(row + 0.5, 1.7 * step, 0.55, left=width - 0.2, color=plots.COLOURS[0])
    marked = {int(steps.argmin()): plots.COLOURS[0], int(steps.argmax()): plots.RED}
    for row, colour in marked.items() if np.ptp(steps) > 0.01 else [(0, plots.COLOURS[0])]:
        ax.patches[row].set_facecolor(colour)
        end = (width + 1.7 * steps[row], row + 0.5)
        ax.text(*end, f"{steps[row]:.1f}", color=colour, va="center", fontweight="bold")
    ax.text((width - 1) / 2, positions - 0.3, f"{columns} columns", ha="center", va="top")
    ax.text(width - 0.2, -0.4, "step to the next row", va="bottom", color=plots.COLOURS[0])
    ax.set(xlim=(-0.5, width + 4.6), ylim=(positions + 0.5, -1.3), xticks=[], yticks=range(positions))
    ax.tick_params(length=0, pad=1)
    ax.spines[:].set_visible(False)
    ax.set_ylabel("position")


def _fans(weights, sentences, asking, *, home, columns=None, between=None, scale=2.0):
    """One step of attention for one word of each sentence: what it looks at, and the row it takes home."""
    ink = dict(zip(dict.fromkeys(word for words in sentences for word in words), ("0.55", *plots.COLOURS)))
    size = (1.0 + 3.5 * len(sentences), 3.5)
    fig, axes = plt.subplots(1, len(sentences), figsize=size, squeeze=False)
    for ax, row, words, asker, taken in zip(axes[0], weights, sentences, asking, home, strict=True):
        middle = (len(words) - 1) / 2
        for position, (word, weight) in enumerate(zip(words, row, strict=True)):
            look = {"color": ink[word], "linewidth": 20 * weight, "solid_capstyle": "butt"}
            faint = weight == 0
            asks = {"color": "black", "fontweight": "bold"} if position == asker else {"color": "0.45"}
            ax.text(position, 1.06, word, ha="center", va="bottom", **asks)
            ax.plot([asker, position], [1, 0], **look)
            ax.plot([position, middle], [-0.42, -0.94], **look)
            said = f"{word}\n{'hidden' if faint else format(weight, '.2f')}"
            colour = "0.45" if faint else "black"
            ax.text(position, -0.05, said, color=colour, ha="center", va="top")
        left, width = middle - 2.4, 4.8 / len(taken)
        coloured = plt.cm.ScalarMappable(plt.Normalize(-scale, scale), plots.SIGNED)
        for column, value in enumerate(taken):
            corner = left + column * width, -1.22
            box = plt.Rectangle(corner, width, 0.28, facecolor=coloured.to_rgba(value), zorder=3)
            box.set_gid(plots.KEEPS)
            ax.add_patch(box)
            place, ink_here = left + (column + 0.5) * width, plots.ink_on(coloured, value)
            number = f"{round(value, 3) + 0.0:.3f}"
            ax.text(place, -1.08, number, color=ink_here, ha="center", va="center", zorder=4)
            if columns is not None:
                ax.text(place, -1.27, columns[column], ha="center", va="top")
        if columns is None:
            ax.text(middle, -1.27, f"what {words[asker]} takes home", ha="center", va="top")
        ax.set(xlim=(middle - 2.5, middle + 2.5), ylim=(-1.45, 1.25))
        ax.set_axis_off()
    if between is not None:
        fig.get_layout_engine().set(wspace=0.22)
        sign = fig.text(0.5, 0.2, between, ha="center", va="center", fontsize=24, fontweight="bold")
        said = "same\nrow" if between == "=" else "not the\nsame"  # not wider than the gap
        under = fig.text(0.5, 0.07, said, ha="center", va="center", fontsize=12, fontweight="bold")
        for text in (sign, under):
            text.set_in_layout(False)
    return fig
