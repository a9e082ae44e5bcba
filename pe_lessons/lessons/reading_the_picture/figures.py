"""The drawings of the lesson on pictures of the table."""

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import arrays, plots
from pe_lessons.plots import COLOURS, RED, STYLE


def heat_map(table):
    """The sines and the cosines of a table of 50 positions and 512 columns, below each other."""
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(2, 1, figsize=(6.8, 5.6), sharex=True)
        for ax, first, name in zip(axes, (0, 1), ("sines", "cosines")):
            image = ax.imshow(table[:, first::2], aspect="auto", cmap=plots.SIGNED, vmin=-1, vmax=1)
            ax.axvline(57.5, color="black", linewidth=1)
            ax.set_ylabel(f"{name}: position")
        axes[0].annotate("← at least one turn", (57, -0.8), ha="right", va="bottom", annotation_clip=False)
        axes[0].annotate("less than one turn →", (60, -0.8), ha="left", va="bottom", annotation_clip=False)
        said = ("0, and slowly rising", "1, and hardly falling")
        for ax, text, colour in zip(axes, said, ("black", "white")):
            ax.text(190, 25, text, ha="center", va="center", color=colour)
        axes[1].set_xlabel("pair")
        fig.colorbar(image, ax=axes, label="value", shrink=0.7)
    plots.show(
        fig,
        alt="Two heat maps of 50 positions by 256 pairs. On the left of each, stripes of red "
        "and blue that grow wider. On the right the sines are nearly white, near 0, the cosines dark "
        "red, near 1. A line after pair 57 parts the pairs that make a turn from those that don't.",
        caption="The sinusoidal encoding, 50 positions by 512 columns. Red is above zero.",
    )


def wavelengths(widths):
    """A ruler for each width, with a tick at each of its wavelengths."""
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(6.8, 3.2))
        for row, d_model in enumerate(widths):
            ticks = 2 * np.pi / arrays.frequencies(d_model)
            ax.plot([2 * np.pi, 20_000 * np.pi], [row, row], color="0.85", linewidth=1, zorder=0)
            ax.plot(ticks, [row] * len(ticks), "|", color=COLOURS[0], markersize=15, markeredgewidth=1.2)
            ax.plot(ticks[-1], row, "|", color=COLOURS[1], markersize=15, markeredgewidth=2.5)
            end = {"ha": "right", "color": COLOURS[1], "fontsize": 9}
            ax.text(ticks[-1], row - 0.36, f"{ticks[-1]:,.0f}", **end)
        for across, text in ((2 * np.pi, "2π"), (20_000 * np.pi, "10000 · 2π")):
            ax.axvline(across, color="0.6", linewidth=1, linestyle="--", zorder=0)
            ax.text(across, -0.75, text, ha="center", va="bottom", color="0.35")
        ax.set(xscale="log", ylim=(len(widths) - 0.5, -0.75), xlabel="tokens per turn")
        ax.set_yticks(range(len(widths)), [f"{d_model} columns" for d_model in widths])
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
    plots.show(
        fig,
        alt="Rulers below each other on a logarithmic axis, one for each width. Their ticks are evenly "
        "spaced and begin at 2 pi. The last ticks are at 628, 6,283, 47,117 and 60,611 tokens. None reaches "
        "the dashed line at 10000 times 2 pi.",
        caption="Every tick is the wavelength of a pair. The orange one is the longest.",
    )


def detector(answers):
    """What the row of position 40 answers at each position, at two widths."""
    names = dict(zip(answers, ((129, 0.12), (129, 0.45))))
    fig = plots.curves(answers, ylabel="dot product / (d_model / 2)", beside=names)
    ax = fig.axes[0]
    ax.set(xlim=(-4, 155), ylim=(-0.05, 1.35), xticks=range(0, 128, 20))
    line = {"arrowstyle": "-", "color": "0.5", "shrinkA": 0, "shrinkB": 2}
    ax.annotate("itself", (40, 1), (40, 1.22), ha="center", va="center", arrowprops=line)
    ax.annotate("fooled: position 103", (103, 0.95), (103, 1.22), ha="center", va="center", arrowprops=line)
    plots.show(
        fig,
        alt="Two curves with a peak of 1 at position 40. With 8 columns peaks every 6 "
        "tokens, and 0.95 at 103. With 64 a single peak; the rest lies below 0.75.",
        caption="The row of position 40 as a detector, held against all positions.",
    )


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


def similarities(panels):
    """Maps of table @ table.T side by side, without the names of good and bad."""
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, len(panels), figsize=(3.2 * len(panels), 3.2), sharey=True)
        for ax, (title, values) in zip(axes, panels.items()):
            image = ax.imshow(values / values.max(), cmap=plots.WEIGHTS, vmin=0, vmax=1)
            ax.set(title=title, xlabel="position", xticks=[0, 10, 20, 30], yticks=[0, 10, 20, 30])
        axes[0].set_ylabel("position")
        fig.colorbar(image, ax=axes, label="dot product / largest", shrink=0.8)
    plots.show(
        fig,
        alt="Two 32 by 32 maps, both with one bright diagonal. Beside the diagonal the first map is darker "
        "than the second.",
        caption="table @ table.T of two programs, the first 32 positions. Yellow is the largest.",
    )


def _dots(panels, named):
    """Maps {title: (seq_len, 2)} of dots coloured by position; those `named` get a ring and their number."""
    nrows = -(-len(panels) // 2)
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(nrows, 2, figsize=(2.6 * 2, (2.6 + 0.2) * nrows), squeeze=False)
        for ax, (title, points) in zip(axes.flat, panels.items(), strict=True):
            colours = plt.get_cmap(plots.WEIGHTS)(np.linspace(0, 0.85, len(points)))
            ax.set_gid(plots.KEEPS)
            ax.scatter(*points.T, s=7, color=colours, zorder=2)
            ax.set(title=title, xticks=[], yticks=[])
            ax.set_aspect("equal", adjustable="datalim")
            ax.spines[:].set_visible(True)
            if title in named:
                ax.margins(0.1)  # room for numbers
                # so small that the rings of close dots stay apart
                ring = {"s": 24, "facecolors": "none", "edgecolors": RED, "linewidths": 1.1}
                ax.scatter(*points[named[title]].T, zorder=3, **ring)
        fig.draw_without_rendering()  # from here on it is known which dot lies where on the paper
        for ax, (title, points) in zip(axes.flat, panels.items(), strict=True):
            _numbers_with_room(ax, points, named.get(title, []))
    return fig


def _numbers_with_room(ax, points, named):
    """The numbers of these points, each where a short line leads that passes no other number or named dot."""

    def apart(places, others):
        gaps = (places[:, None] - others) / (1.5, 1)  # a number is a wide thing
        return np.hypot(*gaps.T).min(axis=0, initial=99)

    inches = ax.figure.dpi_scale_trans.inverted()
    dots = taken = 72 * inches.transform(ax.transData.transform(points))
    low, high = 72 * inches.transform(ax.bbox.get_points())
    edge = np.array([12, 8])  # half a number
    ways = np.exp(2j * np.pi * np.arange(24) / 24)
    shifts = np.concatenate([radius * np.array([ways.real, ways.imag]).T for radius in (16, 21, 26, 32, 38)])
    lengths = np.hypot(*shifts.T)
    for position in named:
        dot = dots[position]
        places = dot + shifts
        inside = np.all((places > low + edge) & (places < high - edge), axis=1)
        others = np.vstack([dots[[other for other in named if other != position]], taken[len(dots) :]])
        line = np.minimum.reduce([apart(dot + share * shifts, others) for share in (0.3, 0.5, 0.7)])
        belongs = apart(places, others) - lengths / 2  # nearer to its own dot
        room = np.minimum.reduce([apart(places, taken), 2 * line, belongs, np.full(len(places), 11)])
        best = np.argmax(np.where(inside, room, -99) - lengths / 20)
        taken = np.vstack([taken, places[best], dot + shifts[best] / 2])
        ax.annotate(
            str(position),
            points[position],
            shifts[best],
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": RED, "shrinkA": 0, "shrinkB": 4},
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"},
            color=RED,
            fontweight="bold",
            ha="center",
            va="center",
        ).set_in_layout(False)


def tsne(maps):
    """Maps of the encoding, with lines from 5 to 6 and to 68, and of random numbers, at two perplexities."""
    panels = {f"{name}, perplexity {perplexity}": points for (name, perplexity), points in maps.items()}
    ours = [title for title in panels if title.startswith("our table")]
    fig = _dots(panels, named={title: [5, 6, 68] for title in ours})
    for ax, (title, points) in zip(fig.axes, panels.items()):
        ax.set_xlabel("nothing but chance", color="0.35")
        if title in ours:
            for other in (6, 68):
                ax.plot(*points[[5, other]].T, color=RED, linewidth=1, zorder=1)
            far, near = (np.linalg.norm(points[5] - points[other]) for other in (6, 68))
            ax.set_xlabel(f"6 is {far / near:.0f} times as far\nfrom 5 as 68 is", color=RED)
    plots.show(
        fig,
        alt="Four t-SNE maps of 128 dots. Our table falls into six strands at perplexity 4, where 6 is 31 "
        "times as far from 5 as 68 is, and into a lattice at 30, where it is 3 times as far. Random numbers "
        "form little clumps with gaps at 4 and an even cloud at 30.",
        caption="Two tables at two settings of the knob. Dark is position 0, light is 127.",
    )
