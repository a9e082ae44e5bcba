"""Arrays in, figures and tables out; no mathematics. The figures are published by `show`."""

import io

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import QuadMesh
from matplotlib.image import AxesImage
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox
from PIL import Image

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")  # told apart by the colour-blind too
# One encoding, one colour, in every lesson; other curves take the colours that are left.
OF_ENCODING = dict(zip(("sinusoidal", "learned", "RoPE", "ALiBi", "T5"), COLOURS)) | {"no positions": "0.4"}
OF_AXIS = {"time": "#f0e442", "height": "#c9b8e8", "width": "#d9b48f"}
SIGNED, WEIGHTS = "RdBu_r", "viridis"  # the colour maps of tables, and of weights
RED = "#cc0000"  # for what is to be found in a crowd
KEEPS = "keeps its colours"  # the gid of artists, besides images, whose colours stand for numbers or names
STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))  # and in black and white
STYLE = {
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "image.interpolation": "nearest",
}


def _display(*shown, **options):
    """Show it in a notebook; who only draws needs no IPython."""
    from IPython.display import display

    display(*shown, **options)


def show(fig, *, alt, caption):
    """Publish `fig` as a PNG that carries its alt text, the caption below it, and close it.

    The PNG has two dots for each that the page gives it: for fine screens, for paper, and for a closer look.
    Its metadata say where colours stand for numbers or names: a dark page turns all but these.

    Parameters
    ----------
    fig : matplotlib Figure
    alt : str
        What a reader who cannot see the figure needs to know.
    caption : str
        One line of Markdown.
    """
    png = io.BytesIO()
    width, height = (round(length) for length in fig.get_size_inches() * fig.dpi)
    fig.dpi = 2 * fig.dpi  # here, and not in savefig alone, so that it is known afterwards where things are
    fig.savefig(png, format="png", dpi=fig.dpi, metadata={"Software": None})
    told = {"alt": alt, "width": width, "height": height}
    coloured = _coloured(fig)
    if coloured:
        told["coloured"] = coloured
    plt.close(fig)
    _display({"image/png": _with_palette(png), "text/plain": alt}, raw=True, metadata={"image/png": told})
    _display({"text/markdown": f"*{caption}*", "text/plain": caption}, raw=True)


def show_sliders(draw, *, alt="Sliders: run this cell to get them.", **sliders):
    """Publish sliders that call `draw` with their values whenever one is moved.

    Parameters
    ----------
    draw : callable
        Called with one keyword per slider; what it shows appears under the sliders.
    alt : str
        What stands there where sliders do not work, on a web page for instance.
    **sliders : ipywidgets.Widget
        One for each argument of `draw`.
    """
    import ipywidgets

    box = ipywidgets.interactive(draw, **sliders)
    if not hasattr(box, "_repr_mimebundle_"):  # ipywidgets 7, which Colab has
        _display(box)
        return
    _display({**box._repr_mimebundle_(), "text/plain": alt}, raw=True)


def show_table(values, *, rows=None, columns=None, corner="", digits=3, left=False):
    """Publish a small array as a table whose rows and columns carry names.

    Parameters
    ----------
    values : array_like, shape (n_rows, n_columns)
    rows, columns : iterable, optional
        Names; 0, 1, 2, ... if left out.
    corner : str
        What the row names are.
    digits : int
        Decimals of floating-point numbers; anything else is shown as it is.
    left : bool
        True aligns all columns to the left, for words.
    """
    values = np.asarray(values)
    if values.dtype.kind == "f":
        values = values.round(digits) + 0.0  # no "-0.000"
        texts = [[f"{value:.{digits}f}" for value in row] for row in values]
    else:
        texts = [[str(value) for value in row] for row in values]
    rows = range(len(texts)) if rows is None else rows
    columns = range(values.shape[1]) if columns is None else columns
    lines = [[corner, *map(str, columns)]]
    lines += [[str(name), *row] for name, row in zip(rows, texts, strict=True)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    align = str.ljust if left else str.rjust
    plain = ["  ".join(map(align, line, widths)) for line in lines]
    marked = ["| " + " | ".join(part.replace("|", "\\|") for part in line) + " |" for line in lines]
    marked.insert(1, "| --- |" + (" --- |" if left else " ---: |") * values.shape[1])
    _display({"text/plain": "\n".join(plain), "text/markdown": "\n".join(marked)}, raw=True)


def heatmap(
    values,
    *,
    xlabel="column",
    ylabel="position",
    signed=True,
    label="value",
    numbers=False,
    digits=4,
    framed=None,
    ends=None,
):
    """A table as coloured cells: row 0 on top, red above zero and blue below it.

    Parameters
    ----------
    values : array_like, shape (n_rows, n_columns)
    xlabel, ylabel, label : str
        Names of the axes and of the colour bar.
    signed : bool
        True centres the colours at 0; False runs from 0 to the largest value.
    numbers : bool
        Write each number into its cell instead of drawing a colour bar; for small tables.
    digits : int
        Decimals of floating-point numbers.
    framed : tuple of int and str, optional
        A row to frame, and what is written on it.
    ends : tuple of two str, optional
        What is written above the left end and above the right end.
    """
    values = np.asarray(values)
    with plt.rc_context(STYLE):
        width = 6.4 if values.shape[1] <= 200 else 8.4  # at least a pixel for each column
        fig, ax = plt.subplots(figsize=(width, 3.4))
        image = _image(ax, values, signed, np.abs(values).max())
        ax.set(xlabel=xlabel, ylabel=ylabel)
        if not numbers:
            fig.colorbar(image, ax=ax, label=label)
        else:
            _write_numbers(ax, image, values, digits)
        if framed is not None:
            row, text = framed
            box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": "black"}
            frame = plt.Rectangle((-0.5, row - 0.5), values.shape[1], 1, fill=False, linewidth=1.5)
            ax.add_patch(frame)
            ax.text(0.98 * values.shape[1], row, text, ha="right", va="center", bbox=box)
        for where, text in zip(("left", "right"), ends or ()):
            ax.set_title(text, loc=where, fontweight="bold")
    return fig


def heatmaps(
    panels,
    *,
    xlabel="column",
    ylabel="position",
    signed=True,
    label="value",
    numbers=False,
    digits=4,
    top=None,
):
    """Several tables side by side on one colour scale.

    Parameters
    ----------
    panels : dict of str to array_like
        Title and values of each panel.
    xlabel, ylabel, signed, label, numbers, digits
        As for `heatmap`.
    top : float, optional
        From here on all values have the last colour, so that small ones can be told apart; the largest if
        left out.
    """
    panels = {title: np.asarray(values) for title, values in panels.items()}
    scale = top or max(np.abs(values).max() for values in panels.values())
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, len(panels), figsize=(3.5 * len(panels), 3.3), squeeze=False)
        for ax, (title, values) in zip(axes[0], panels.items(), strict=True):
            image = _image(ax, values, signed, scale)
            ax.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
            if values.shape[0] == values.shape[1]:  # the same ticks on both axes
                ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
            ax.set(xlabel=xlabel, title=title)
            if numbers:
                _write_numbers(ax, image, values, digits)
        axes[0, 0].set_ylabel(ylabel)
        if not numbers:
            extend = "neither" if top is None else "both" if signed else "max"
            fig.colorbar(image, ax=axes, label=label, shrink=0.8, extend=extend)
    return fig


def grids(panels, *, marked=None, numbers=False, outline=None, signed=False, label="cosine"):
    """Numbers of image patches side by side, each panel a grid of square cells.

    Parameters
    ----------
    panels : dict of str to array_like, each (height, width)
        Title and values of each panel.
    marked : tuple of two int, or list of such tuples, optional
        Patch row and patch column of each cell to be framed.
    numbers : bool
        Write what each framed cell holds into it, or beside it where it is small; but the first is *here*.
    outline : float, optional
        Draw a black line where the values pass this number.
    signed, label
        As for `heatmap`.
    """
    fig = heatmaps(panels, xlabel="patch column", ylabel="patch row", signed=signed, label=label)
    side = (4.2, 3.8, 3.0)[min(len(panels), 3) - 1]
    fig.set_size_inches(1.0 + side * len(panels), 0.4 + side)
    marked = [marked] if isinstance(marked, tuple) else marked or []
    for ax in fig.axes[: len(panels)]:
        ax.set_aspect("equal")
        ax.images[0].set_cmap(ax.images[0].cmap.resampled(20))  # steps that can be told apart and followed
        _frame(ax, marked, numbers)
        if outline is not None:
            ax.clabel(ax.contour(ax.images[0].get_array(), levels=[outline], colors="black"), fmt="%g")
    return fig


def curves(
    lines,
    *,
    x=None,
    xlabel="position",
    ylabel="value",
    log=False,
    markers=False,
    strokes=True,
    grey=None,
    level=None,
    xticks=None,
    beside=None,
):
    """Up to five curves, told apart by colour and by stroke, each named at the top or beside itself.

    Parameters
    ----------
    lines : dict of str to array_like
        Name and values of each curve.
    x : array_like, or dict of str to array_like, optional
        The horizontal values, common to all or by the name of the curve; 0, 1, 2, ... if left out.
    log : bool or "y"
        Logarithmic axes, with a tick at each of `xticks` or else at each `x`, which must be given; or a
        logarithmic vertical axis alone.
    markers : bool or list of float
        A dot at each value; a list gives the size of each curve's dots, for curves that share some.
    strokes : bool
        False leaves out the strokes between the dots.
    grey : float, optional
        Where a grey vertical line stands.
    level : float, optional
        The height of a grey line across, as of guessing; the vertical axis then begins at 0.
    xticks : list of float, optional
        The ticks below, if not those that matplotlib finds.
    beside : bool or dict of str to (float, float), optional
        Names each curve in its own colour, not at the top: True at its right end, else where its name begins.
    """
    if len(lines) > len(COLOURS):
        raise ValueError(f"lines must hold at most {len(COLOURS)} curves, got {len(lines)}")
    if log and log != "y" and x is None:
        raise ValueError('x must be given where log is True, got None: 0 has no logarithm; or take log="y"')
    marker = "o" if markers else None
    sizes = markers if isinstance(markers, list) else [None] * len(lines)
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3.2))
        for (name, y), size, colour, style in zip(
            lines.items(), sizes, _colours(lines), STYLES, strict=False
        ):
            style = style if strokes else "none"
            across = x[name] if isinstance(x, dict) else range(len(y)) if x is None else x
            look = {"linestyle": style, "marker": marker, "markersize": size}
            ax.plot(across, y, color=colour, label=name, **look)
        ax.set(xlabel=xlabel, ylabel=ylabel)
        if log == "y":
            ax.set_yscale("log")
        elif log:
            ax.set(xscale="log", yscale="log")
            every = sorted({tick for own in x.values() for tick in own}) if isinstance(x, dict) else x
            ticks = xticks or every
            ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
            ax.minorticks_off()
        if grey is not None:
            ax.axvline(grey, color="0.6", linewidth=1)
        if level is not None:
            ax.axhline(level, color="0.6", linewidth=1)
            ax.set_ylim(bottom=0)
        if xticks is not None:
            ax.set_xticks(xticks)
        if beside:
            for drawn in ax.lines[: len(lines)]:
                last, text = [values[-1] for values in drawn.get_data()], drawn.get_label()
                look = {"color": drawn.get_color(), "va": "center", "linespacing": 1.3}
                if beside is True:
                    ax.annotate(text, last, xytext=(9, 0), textcoords="offset points", **look)
                else:
                    ax.text(*beside[text], text, **look)
        elif len(lines) > 1:
            ncols = len(lines) if sum(map(len, lines)) < 50 else 2
            fig.legend(loc="outside upper center", ncols=ncols, frameon=False)
    return fig


def fingerprints(panels, *, positions, xticks, ncols=3):
    """Small filled curves over positions from 0, on an axis where each power of two has the same room.

    Parameters
    ----------
    panels : dict of str to list of (array_like, str)
        Title of each; one curve or two: values, up to 1, on a logarithmic axis from 0.0001, and what is
        written above the first, or below the second.
    positions : array_like
        From 0 on, common to all.
    xticks : dict of str to list of int
        The positions that are named in each panel.
    ncols : int
    """

    def place(position):
        return np.where(np.asarray(position) == 0, 0, 1 + np.log2(np.maximum(position, 1)))

    nrows = -(-len(panels) // ncols)
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(nrows, ncols, figsize=(2.6 * ncols, 1.9 * nrows), sharey=True, squeeze=False)
        sides = {"x": 0.04, "y": 0.95, "va": "top"}, {"x": 0.98, "y": 0.04, "va": "bottom", "ha": "right"}
        x = place(positions)
        for ax, (title, curves) in zip(axes.flat, panels.items(), strict=False):
            for (values, words), side in zip(curves, sides, strict=False):
                values = np.maximum(values, 0.0001)
                ax.fill_between(x, values, color=RED, alpha=0.15, linewidth=0)
                ax.plot(x, values, color=RED, linewidth=2, clip_on=False)
                ax.text(s=words, transform=ax.transAxes, linespacing=1.3, **side)
            ax.set_title(title, loc="left", weight="bold")
            ax.set(xlim=(0, x[-1]), yscale="log", ylim=(0.0001, 300))
            ax.set_yticks([0.0001, 1], ["0.0001", "1"])
            ax.minorticks_off()
            ax.set_xticks(place(xticks[title]), [f"{tick:,}" for tick in xticks[title]])
        for ax in axes[-1]:
            ax.set_xlabel("position")
        for ax in axes[:, 0]:
            ax.set_ylabel("largest error so far")
    return fig


def maps(panels, *, numbers=True, named=(), ncols=None, joined=None):
    """Points of the plane, one for each position and coloured by it; maps side by side.

    Parameters
    ----------
    panels : dict of str to array_like, each (seq_len, 2)
        Title and points of each map.
    numbers : bool
        Draw each point as the number of its position; False draws dots, on smaller maps.
    named : list of int, or dict of str to list of int
        Positions whose dots have a red ring, with their numbers where there is room for them. A list
        is for all maps, and joins each position to the next; a dict is by the title of the map.
    ncols : int, optional
        Maps in a row; all of them if left out.
    joined : list of str, optional
        Titles of the maps in which a thin line joins each position to the next, in place of the above.
    """
    of_map = named if isinstance(named, dict) else dict.fromkeys(panels, named)
    if joined is None:
        joined = panels if numbers or (named and named is not of_map) else ()
    side = 4.2 if numbers else 3.6 if joined else 2.6
    ncols = ncols or len(panels)
    nrows = -(-len(panels) // ncols)
    with plt.rc_context(STYLE):
        size = (side * ncols, (side + 0.2) * nrows)
        fig, axes = plt.subplots(nrows, ncols, figsize=size, squeeze=False)
        for ax in axes.flat[len(panels) :]:
            ax.set_axis_off()
        for ax, (title, points) in zip(axes.flat, panels.items(), strict=False):
            points, named = np.asarray(points, dtype=float), list(of_map.get(title, ()))
            if title in joined:  # a thin line from each position to the next
                ax.plot(*points.T, color="0.85", linewidth=0.6, zorder=1)
            colours = plt.get_cmap(WEIGHTS)(np.linspace(0, 0.85, len(points)))
            ax.set_gid(KEEPS)
            if numbers:
                for position, (point, colour) in enumerate(zip(points, colours)):
                    ax.text(*point, position, ha="center", va="center", color=colour, fontsize=6.5)
            else:
                ax.scatter(*points.T, s=7, color=colours, zorder=2)
            ax.set(title=title, xticks=[], yticks=[])
            ax.set_aspect("equal", adjustable="datalim")
            ax.spines[:].set_visible(True)
            if named:
                ax.margins(0.1)  # room for numbers
                # so small that the rings of close dots stay apart
                ring = {"s": 24, "facecolors": "none", "edgecolors": RED, "linewidths": 1.1}
                ax.scatter(*points[named].T, zorder=3, **ring)
        if any(of_map.values()):
            fig.draw_without_rendering()  # from here on it is known which dot lies where on the paper
        for ax, (title, points) in zip(axes.flat, panels.items(), strict=False):
            _numbers_with_room(ax, np.asarray(points), list(of_map.get(title, ())))
    return fig


def clock_hands(angles, titles, *, names=None, colours=None, arcs=False, xlabel="cosine", ylabel="sine"):
    """Angles as hands on unit circles: one circle per pair, one hand per position.

    Parameters
    ----------
    angles : array_like, shape (seq_len, n_pairs)
        In radians; drawn anticlockwise from the right, so that a tip is at (cos, sin).
    titles : list of str
        One per circle.
    names : list of str, optional
        One per hand; the positions 0, 1, 2, ... if left out.
    colours : list of str, optional
        One per hand; all alike if left out.
    arcs : bool
        Draw the way from the first hand of each circle to the last, with its angle in radians.
    xlabel, ylabel : str
    """
    angles = np.asarray(angles)
    if angles.ndim != 2 or angles.shape[1] != len(titles):
        raise ValueError(
            f"angles must have the axes (seq_len, n_pairs = {len(titles)}), a column for each of the titles, "
            f"got shape {angles.shape}"
        )
    turn = np.linspace(0, 2 * np.pi, 200)
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, len(titles), figsize=(3.1 * len(titles), 3.2), squeeze=False)
        for ax, column, title in zip(axes[0], angles.T, titles, strict=True):
            ax.plot(np.cos(turn), np.sin(turn), color="0.8", linewidth=1)
            for angle, colour in zip(column, colours or COLOURS[:1] * len(column), strict=True):
                arrow = {"arrowstyle": "-|>", "color": colour}
                ax.annotate("", (np.cos(angle), np.sin(angle)), (0, 0), arrowprops=arrow)
            if names is None and np.ptp(column) < 0.3:  # the hands lie on each other: one name for all
                angle, name = column.mean(), f"0 to {len(column) - 1}"
                ax.text(1.08 * np.cos(angle), 1.08 * np.sin(angle), name, ha="left", va="center")
            else:
                for name, angle in zip(names or range(len(column)), column):
                    tip = 1.25 * np.cos(angle), 1.25 * np.sin(angle)
                    ax.text(*tip, name, ha="center", va="center")
            if arcs:
                arc(ax, column[0], column[-1], f"{np.ptp(column[[0, -1]]):g} radians")
            ax.set(title=title, aspect="equal", xlabel=xlabel, ylabel=ylabel)
            ax.set(xlim=(-1.7, 1.7), ylim=(-1.7, 1.7), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    return fig


def arc(ax, start, end, name, radius=0.45):
    """Draws on `ax` the way from one angle to another, anticlockwise, and its name halfway."""
    way = np.linspace(start, end, 60)
    ax.plot(radius * np.cos(way), radius * np.sin(way), color="0.4", linewidth=1)
    ahead = {"arrowstyle": "-|>", "color": "0.4", "shrinkA": 0, "shrinkB": 0}
    points = [(radius * np.cos(angle), radius * np.sin(angle)) for angle in way[[-1, -2]]]
    ax.annotate("", *points, arrowprops=ahead)
    middle = (radius + 0.1) * np.array([np.cos(way[30]), np.sin(way[30])])
    paper = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    ax.text(
        *middle,
        name,
        ha="right" if middle[0] < -0.1 else "center",
        va="center",
        bbox=paper if len(name) > 1 else None,
    )


def strips(rows, *, xlabel, xticks):
    """Rows of boxes laid end to end from 0, each as wide as its number and coloured by its encoding or axis.

    Axes are named at the top.

    Parameters
    ----------
    rows : dict of str to list of (str, number, str)
        Name of each row; text, width and encoding of each box: of `OF_ENCODING` or `OF_AXIS`, "red" for what
        is wrong, another colour, or "" for grey.
    xlabel : str
    xticks : list of number
    """
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(8.4, 0.9 + 0.65 * len(rows)))
        for place, boxes in enumerate(rows.values()):
            start = 0
            for text, width, encoding in boxes:
                paper = (OF_ENCODING | OF_AXIS | {"red": RED}).get(encoding, encoding or "0.92")
                ink = "white" if paper == RED else "black"
                look = {"color": paper, "edgecolor": "white", "linewidth": 2, "gid": KEEPS}
                ax.barh(place, width, left=start, height=0.62, **look)
                ax.text(start + width / 2, place, text, ha="center", va="center", fontsize=9, color=ink)
                start += width
        ax.set(xlabel=xlabel, xticks=xticks, yticks=range(len(rows)))
        ax.set_xlim(0, max(sum(width for _, width, _ in boxes) for boxes in rows.values()))
        ax.set_yticklabels(rows)
        ax.invert_yaxis()
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="y", length=0)
        _name_axes(fig, {encoding for boxes in rows.values() for _, _, encoding in boxes})
    return fig


def _frame(ax, cells, numbers):
    """Frames around these cells of a picture; in them, or beside them where they are small, their numbers."""
    image = ax.images[0]
    values = image.get_array()
    text = {"ha": "center", "va": "center", "fontsize": 9}
    for place, (row, column) in enumerate(cells):
        corner = column - 0.5, row - 0.5
        ax.add_patch(plt.Rectangle(corner, 1, 1, fill=False, edgecolor="black", linewidth=2))
        said = f"{values[row, column]:.2f}" if place else "here"
        if numbers and values.shape[1] <= 12:
            ax.text(column, row, said, color=_ink(image, values[row, column]), **text)
        elif numbers and place:
            paper = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
            ax.text(column + 1, row + 2.6, said, bbox=paper, **text)


def _colours(names):
    left = iter([colour for colour in COLOURS if colour not in map(OF_ENCODING.get, names)])
    return [OF_ENCODING[name] if name in OF_ENCODING else next(left) for name in names]


def _name_axes(fig, drawn):
    """At the top the names and colours of those of the axes time, height and width that are drawn."""
    patches = [
        plt.Rectangle((0, 0), 1, 1, color=OF_AXIS[axis], label=axis) for axis in OF_AXIS if axis in drawn
    ]
    if patches:
        legend = fig.legend(handles=patches, loc="outside upper center", ncols=len(patches), frameon=False)
        for patch in legend.get_patches():
            patch.set_gid(KEEPS)


def _write_numbers(ax, image, values, digits):
    ax.set(xticks=range(values.shape[1]), yticks=range(values.shape[0]))
    for (row, column), value in np.ndenumerate(values):
        is_float = values.dtype.kind == "f"
        text = f"{round(value, digits) + 0.0:.{digits}f}" if is_float else str(value)
        ax.text(column, row, text, ha="center", va="center", color=_ink(image, value))


def _ink(coloured, value):
    """Black or white, whichever can be read on the colour of that value."""
    red, green, blue, _ = coloured.cmap(coloured.norm(value))
    return "white" if 0.3 * red + 0.59 * green + 0.11 * blue < 0.5 else "black"


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


def _coloured(fig):
    """Where a drawn figure keeps its colours: "left top right bottom" of each part, in dots of the page."""
    boxes = []
    for artist in fig.findobj(lambda one: isinstance(one, AxesImage | QuadMesh) or one.get_gid() == KEEPS):
        box = (artist.get_bbox_patch() if isinstance(artist, Text) else artist).get_window_extent()
        if isinstance(artist, AxesImage):
            box = Bbox.intersection(box, artist.axes.bbox)
        elif hasattr(artist.axes, "_colorbar"):
            box = Bbox.union([box, *(end.get_window_extent() for end in artist.axes.patches)])
        left, right = sorted(box.intervalx)
        top, bottom = sorted(fig.bbox.height - box.intervaly)
        box = [round(side / 2) for side in (left, top, right, bottom)]  # two dots are one of the page
        last = boxes[-1] if boxes else [0] * 4
        if box[1::2] == last[1::2] and abs(box[0] - last[2]) < 3:  # the next cell of the same row
            last[2] = box[2]
        else:
            boxes.append(box)
    return [" ".join(map(str, box)) for box in boxes]


def _with_palette(png):
    """The bytes of a picture with 64 colours: it looks the same, and takes up much less."""
    picture = Image.open(png).convert("RGB").quantize(64, kmeans=1, dither=Image.Dither.NONE)
    smaller = io.BytesIO()
    picture.save(smaller, format="png", optimize=True)
    return smaller.getvalue()


def _image(ax, values, signed, scale):
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    colours = (SIGNED, -scale) if signed else (WEIGHTS, 0)
    return ax.imshow(values, aspect="auto", cmap=colours[0], vmin=colours[1], vmax=scale)
