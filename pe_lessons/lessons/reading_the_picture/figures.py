"""The drawings of the lesson on pictures of the table."""

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import arrays, plots
from pe_lessons.plots import RED


@plots.drawn
def heat_map(table):
    """The sines and the cosines of a table of 50 positions and 512 columns, below each other."""
    fig, axes = plt.subplots(2, 1, figsize=(4.7, 5.6), sharex=True)
    for ax, first, name in zip(axes, (0, 1), ("Sines", "Cosines")):
        image = ax.imshow(table[:, first::2], aspect="auto", cmap=plots.SIGNED, vmin=-1, vmax=1)
        ax.axvline(57.5, color="black", linewidth=1)
        ax.set_title(name, loc="right")
        ax.set_ylabel("position", ha="right")
    axes[0].annotate("← at least\none turn", (50, -0.8), ha="right", va="bottom", annotation_clip=False)
    axes[0].annotate("less than\none turn →", (65, -0.8), ha="left", va="bottom", annotation_clip=False)
    said = ("0, and slowly rising", "1, and hardly falling")
    for ax, text, colour in zip(axes, said, ("black", "white")):
        ax.text(190, 25, text, ha="center", va="center", color=colour)
    axes[1].set_xlabel("pair")
    plots.colour_bar(fig, image, axes, "value", shrink=0.7)
    return fig


@plots.drawn
def detector(answers):
    """What the row of position 500 answers, near it and far away: all pairs, the fast ones, the slow ones."""
    said = {
        "fast": (plots.COLOURS[1], '58 fast pairs:\n"not here"', (0.02, -0.04)),
        "all": (plots.COLOURS[0], "all 256 pairs", (0.53, 0.26)),
        "slow": (plots.COLOURS[2], '198 slow pairs:\n"about this far"', (0.97, 0.54)),
    }
    fig, axes = plt.subplots(2, 1, figsize=(4.7, 5.2))
    for ax, (first, last) in zip(axes, ((480, 520), (0, 1000))):
        for name, (colour, words, heights) in said.items():
            shown = np.arange(first, last + 1)
            ax.plot(shown, answers[name][shown], color=colour, linewidth=1.3)
            height = heights[0 if ax is axes[0] else 1]
            place = (last + 0.03 * (last - first), height)
            ax.annotate(words, place, color=colour, va="center", linespacing=1.3, annotation_clip=False)
        ax.set(xlim=(first, last), ylim=(-0.35, 1.1), ylabel="answer")
        ax.set_xticks(np.linspace(first, last, 5))
    axes[0].set_title("near position 500", loc="left")
    axes[1].set_title("farther away", loc="left")
    axes[1].set_xlabel("position")
    return fig


@plots.drawn
def hands(answers):
    """What each hand of a table answers at each position to the row of position 40, and their mean."""
    n_pairs = answers.shape[1]
    turns = 2 * np.pi * 10.0 ** np.arange(n_pairs)
    rows = {f"hand {pair}\na turn in {turn:,.0f}": answers[:, pair] for pair, turn in enumerate(turns)}
    rows["all four,\non average"] = mean = answers.mean(axis=1)
    fig, axes = plt.subplots(n_pairs + 1, 1, figsize=(4.7, 4.9), sharex=True)
    for ax, (name, values) in zip(axes, rows.items()):
        colour = RED if values is mean else plots.COLOURS[0]
        ax.axhline(0, color="0.91", linewidth=1, zorder=0)
        ax.plot(values, color=colour, linewidth=1.5)
        for place in (40, 103):
            ax.axvline(place, color="0.6", linestyle="-" if place == 40 else ":", linewidth=1, zorder=0)
            ax.plot(place, values[place], "o", color=colour, markersize=5)
        ax.set_yticks([0], [name], color=colour)
        ax.set(xlim=(0, 127), ylim=(-1.25, 1.25), xticks=[0, 20, 40, 60, 80, 103, 127])
        ax.tick_params(axis="x", length=0)
        ax.spines["bottom"].set_visible(False)
        ax.text(134, values[103], f"{values[103]:.2f}", color=colour, va="center")
        ax.annotate("0", (128, 0), color="0.5", va="center", annotation_clip=False)
    axes[0].text(134, 1.4, "at 103", va="bottom")
    axes[0].annotate("40, the row asked for", (40, 1.25), ha="center", va="bottom", annotation_clip=False)
    axes[0].annotate("103", (103, 1.25), ha="center", va="bottom", annotation_clip=False)
    axes[-1].set_xlabel("position")
    return fig


@plots.drawn
def reach(answers):
    """What position 0 answers at each distance, for two bases; each mark of the axis is ten times as far."""
    answers = dict(reversed(answers.items()))  # base 10,000 in the colour that it had before
    fig = plots.curves(answers, xlabel="distance in tokens", ylabel="answer",
                       x=range(len(next(iter(answers.values())))),
                       beside=dict(zip(answers, ((45, 0.62), (4, 0.35)), strict=True)))  # fmt: skip
    ax = fig.axes[0]
    ax.axhline(0, color="0.5", linewidth=1, zorder=0)
    for line in ax.lines:
        line.set(linewidth=0.9, linestyle="-")  # a dash would be longer than a ripple
    for answer, colour, height in zip(answers.values(), plots.COLOURS, (0.36, -0.2)):
        ends = np.flatnonzero(np.abs(answer - answer[1000]) < 0.005)[[0, -1]]  # with the answer at 1,000
        ax.plot(ends, 2 * [answer[1000]], "|-", color="black", linewidth=1.5, zorder=3)
        ax.text(2200, height, f"{ends[0]:,} to {ends[1]:,}", color=colour, ha="center", va="center")
    ax.set(xscale="log", xlim=(1, 10_000), ylim=(-0.28, 1.05))
    ax.set_xticks([1, 10, 100, 1000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    ax.minorticks_off()
    return fig


def knobs():
    """Sliders for the width, the base and the position of the detector."""

    def draw(d_model, base, position):
        table = arrays.sinusoidal(128, d_model, base=base)
        fig = plots.curves({"answer": table @ table[position] / (d_model / 2)})
        fig.axes[0].set_ylim(-1.05, 1.05)  # the same for all, so that the peak is seen to fall
        plots.show(fig, alt="The answer at every position.", caption=f"base {base:,}")

    _show_sliders(
        draw,
        d_model=ipywidgets.SelectionSlider(options=[4, 8, 12, 16, 64, 128], value=64),
        base=ipywidgets.SelectionSlider(options=[10, 100, 1000, 10_000], value=10_000),
        position=ipywidgets.IntSlider(40, min=0, max=127),
    )


def _show_sliders(draw, **sliders):
    """Sliders that call `draw` with their values whenever one is moved; what it shows appears under them."""
    box = ipywidgets.interactive(draw, **sliders)
    if not hasattr(box, "_repr_mimebundle_"):  # ipywidgets 7, which Colab has
        plots.display(box)
        return
    alt = "Sliders: run this cell to get them."
    plots.display({**box._repr_mimebundle_(), "text/plain": alt}, raw=True)


def shuffled(tables):
    """Two tables as "program A" and "program B", in an order that a reader doesn't see; always the same."""
    order = np.random.default_rng(3).permutation(2)
    return {f"program {name}": tables[k] for name, k in zip("AB", order, strict=True)}


@plots.drawn
def similarities(panels):
    """Maps of table @ table.T side by side, without the names of good and bad."""
    fig, axes = plt.subplots(1, len(panels), figsize=(3.2 * len(panels), 3.2))
    for ax, (title, values) in zip(axes, panels.items()):
        image = ax.imshow(values / values.max(), cmap=plots.SIGNED, vmin=-1, vmax=1)
        ax.set(title=title, xlabel="position", ylabel="position")
        ax.set(xticks=[0, 10, 20, 30], yticks=[0, 10, 20, 30])
    plots.colour_bar(fig, image, axes, "dot product / largest").ax.set_ylim(0, 1)
    return fig


def _dots(panels, named):
    """Maps {title: (seq_len, 2)} of dots coloured by position; those `named` get a ring."""
    fig, axes = plt.subplots(1, len(panels), figsize=(4.7, 6 / (len(panels) + 0.4)), squeeze=False)
    for ax, (title, points) in zip(axes.flat, panels.items(), strict=True):
        colours = plt.get_cmap(plots.WEIGHTS)(np.linspace(0.3, 1, len(points)))
        ax.set_gid(plots.KEEPS)
        ax.scatter(*points.T, s=7, color=colours, zorder=2)
        ax.set(title=title, xticks=[], yticks=[])
        ax.set_aspect("equal", adjustable="datalim")
        ax.spines[:].set_visible(True)
        if title in named:
            ax.margins(0.1)  # room for numbers
            # so small that the rings of close dots stay apart
            ring = {"s": 24, "facecolors": "none", "edgecolors": RED, "linewidths": 1.1}
            ax.scatter(*points[[*named[title]]].T, zorder=3, **ring)
    fig.draw_without_rendering()  # so that no line moves the dots
    return fig


@plots.drawn
def tsne(points):
    """A map of the encoding, with lines from position 5 to 6 and to 68."""
    fig = _dots({"": points}, named={"": (5, 6, 68)})
    ax = fig.axes[0]
    look = {"color": RED, "fontweight": "bold", "ha": "center", "va": "center"}
    look["arrowprops"] = {"arrowstyle": "-", "color": RED, "shrinkA": 0, "shrinkB": 4}
    look["bbox"] = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    # for each dot, how far away and in which direction there is room for its number
    for position, (far, degrees) in {5: (16, 255), 6: (16, 60), 68: (22, 105)}.items():
        there = far * np.cos(np.radians(degrees)), far * np.sin(np.radians(degrees))
        place = {"xy": points[position], "xytext": there, "textcoords": "offset points"}
        ax.annotate(str(position), **place, **look).set_in_layout(False)
    for other in (6, 68):
        ax.plot(*points[[5, other]].T, color=RED, linewidth=1, zorder=1)
    far, near = (np.linalg.norm(points[5] - points[other]) for other in (6, 68))
    ax.set_xlabel(f"on the map, 6 is {far / near:.0f} times as far from 5 as 68 is", color=RED)
    return fig
