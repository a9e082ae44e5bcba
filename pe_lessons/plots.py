"""Arrays in, figures and tables out; no mathematics. The figures are published by `show`."""

import functools
import inspect
import io
import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.font_manager import fontManager
from matplotlib.image import AxesImage
from matplotlib.text import Text
from matplotlib.ticker import AutoLocator, MaxNLocator
from matplotlib.transforms import Bbox
from PIL import Image

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")  # told apart by the colour-blind too
# One encoding, one colour, in every lesson; other curves take the colours that are left.
OF_ENCODING = dict(zip(("sinusoidal", "learned", "RoPE", "ALiBi", "T5"), COLOURS)) | {"no positions": "0.4"}
OF_AXIS = {"time": "#f0e442", "height": "#d6acea", "width": "#d9b48f"}
SIGNED, WEIGHTS = "signed", "weights"  # the colour maps of tables, and of what is never below zero
# By day and in the dark, and live pictures have the first as well, in shared.js. In the dark they jump where
# `ink_on` changes, so that a number can be read on both sides.
MAPS = {
    SIGNED: (
        ("#2166ac", "#f7f7f7", "#b2182b"),
        [(0, "#74b8ff"), (0.062, "#4b8fd6"), (0.067, "#3a72b6"), (0.5, "#222832"),
         (0.874, "#bd4641"), (0.879, "#de5f58"), (1, "#ff857d")],
    ),
    WEIGHTS: (
        ("#f1edf9", "#9d86d6", "#2e1a66"),
        [(0, "#272c3c"), (0.636, "#7160ba"), (0.639, "#8b79d2"), (1, "#e0d4ff")],
    ),
}  # fmt: skip
MAPS = {name: [LinearSegmentedColormap.from_list(name, one) for one in two] for name, two in MAPS.items()}
for _by_day, _ in MAPS.values():
    mpl.colormaps.register(_by_day, force=True)
SERIF = "Lessons Serif"  # the letters of the site's text
for _font in Path(__file__).with_name("fonts").glob("*.ttf"):
    fontManager.addfont(_font)
RED = "#cc0000"  # for what is to be found in a crowd
KEEPS = "keeps its colours"  # the gid of artists, besides images, whose colours stand for numbers or names
STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))  # and in black and white
STYLE = {
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.w_pad": 0.06,
    "font.family": [SERIF, "DejaVu Sans"],  # the second has the signs that the first lacks
    "font.size": 10,
    "mathtext.fontset": "custom",
    "mathtext.rm": SERIF,
    "mathtext.it": f"{SERIF}:italic",
    "mathtext.bf": f"{SERIF}:bold",
    "mathtext.cal": f"{SERIF}:italic",  # else matplotlib looks for a cursive font, and says so
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "axes.linewidth": 0.8,
    "axes.edgecolor": "0.7",
    "axes.labelcolor": "0.35",
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "grid.color": "0.91",
    "xtick.color": "0.7",
    "ytick.color": "0.7",
    "xtick.labelcolor": "0.35",
    "ytick.labelcolor": "0.35",
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "image.interpolation": "nearest",
}
# A note on a picture, and the thin line from it to what it speaks of.
NOTE = {"color": "0.15", "ha": "center", "va": "center"}
LINE = {"arrowstyle": "-|>,head_length=0.3,head_width=0.12", "color": "0.15", "linewidth": 0.9, "shrinkB": 3}
LINE |= {"connectionstyle": "arc3,rad=0.2"}
LIGHT = 0.21, 0.72, 0.07  # how much of it red, green and blue give
FEW = 16  # so many cells have white between them
COLUMN, WIDE = 6.9, 9.2  # inches of a page's two widths for figures
OUT = 7.2  # a figure that was drawn wider gets the second


def display(*shown, **options):
    """Show it in a notebook; who only draws needs no IPython."""
    from IPython import display as notebook

    notebook.display(*shown, **options)


def show(fig, *, alt, caption):
    """Publish `fig` as a PNG that carries its alt text, the caption below it, and close it.

    The PNG has two dots for each that the page gives it: for fine screens, for paper, and for a closer look.
    Its metadata say where colours stand for numbers or names: a dark page turns all but these. `alt` is what
    a reader who cannot see the figure needs to know, and `caption` is one line of Markdown.
    """
    fig.set_figwidth(max(fig.get_figwidth(), 4.7))  # else its words are larger than in other figures
    page = COLUMN if fig.get_figwidth() <= OUT else WIDE
    larger = np.clip(fig.get_figwidth() / page / 0.8, 1, 1.25)
    for text in fig.findobj(Text):
        text.set_fontsize(larger * text.get_fontsize())
        text.set_linespacing(1.05)
        text.set_color(_readable(text.get_color()))
    with plt.rc_context(STYLE | {"font.size": larger * STYLE["font.size"]}):  # some ticks come only now
        quiet(fig, larger)
        png, told = _drawn_out(fig, alt)
    plt.close(fig)
    display({"image/png": _with_palette(png), "text/plain": alt}, raw=True, metadata={"image/png": told})
    display({"text/markdown": f"*{caption}*", "text/plain": caption}, raw=True)


def _readable(colour):
    """The colour, or one so much darker that words of it have a contrast of 4.5 to white; white stays."""
    colour = np.array(to_rgb(colour))
    while 0.18 < colour**2.2 @ LIGHT < 0.99:
        colour *= 0.97
    return tuple(colour)


def quiet(fig, larger=1):
    """The word of a vertical axis goes above it. Numbers are read off pale lines; a few cells stand apart."""
    axes = [ax for ax in fig.axes if not hasattr(ax, "_colorbar")]
    for ax in axes:
        pad = 20 * larger if ax.get_title("left") and ax.get_ylabel() else 6
        look = {"fontsize": STYLE["axes.titlesize"] * larger, "fontweight": STYLE["axes.titleweight"]}
        for side in ("left", "right"):
            ax.set_title(ax.get_title(side), loc=side, pad=pad, **look)
        for axis in (ax.xaxis, ax.yaxis):
            if type(axis.get_major_locator()) is AutoLocator:
                axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        for image in ax.images:
            rows, columns = image.get_size()
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
            right, bottom = columns - 0.5, rows - 0.5
            few = max(rows, columns) <= FEW and not ax.collections  # nor white lines of another meaning
            if few and [*image.get_extent()[1:3]] == [right, bottom]:
                between = {"color": "white", "linewidth": 1, "zorder": 0.5}
                ax.hlines(np.arange(rows - 1) + 0.5, -0.5, right, **between)
                ax.vlines(np.arange(columns - 1) + 0.5, -0.5, bottom, **between)
        if word := ax.get_ylabel():
            if not ax.images and ax.get_aspect() == "auto":
                ax.grid(axis="y")
                ax.set_axisbelow(True)
            label = ax.yaxis.label
            look = {"va": "bottom", "color": label.get_color(), "fontproperties": label.get_fontproperties()}
            look |= {"xycoords": "axes fraction", "textcoords": "offset points"}
            ax.annotate(word, (0, 1), (0, 4), ha=label.get_ha().replace("center", "left"), **look)
            ax.set_ylabel("")


def colour_bar(fig, image, axes, label, **options):
    """A thin bar beside `axes` that says what the colours of `image` stand for, in about three numbers."""
    options = {"ticks": MaxNLocator(3, steps=[1, 2, 5, 10]), "aspect": 32} | options
    bar = fig.colorbar(image, ax=axes, label=label, **options)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    return bar


def _drawn_out(fig, alt):
    png = io.BytesIO()
    width, height = (round(length) for length in fig.get_size_inches() * fig.dpi)
    fig.dpi = 2 * fig.dpi  # here, and not in savefig alone, so that it is known afterwards where things are
    fig.savefig(png, format="png", dpi=fig.dpi, metadata={"Software": None})
    told = {"alt": alt, "width": width, "height": height}
    coloured = _coloured(fig)
    if coloured:
        told["coloured"] = coloured
    return png, told


def drawn(draw):
    """Makes of `draw`, which returns a figure, a function that draws in our style and shows with `show`.

    Alt text and caption are the two paragraphs under the function's name in `figures.md`, in the same folder.
    What they leave open in braces, `draw` returns after the figure, as a dict.
    """

    @functools.wraps(draw)
    def drawn_and_shown(*args, **kwargs):
        with plt.rc_context(STYLE):
            fig = draw(*args, **kwargs)
        fig, known = fig if isinstance(fig, tuple) else (fig, {})
        alt, caption = (text.format(**known) for text in words(inspect.getfile(draw))[draw.__name__])
        show(fig, alt=alt, caption=caption)

    return drawn_and_shown


@functools.cache
def words(path):
    """Alt text and caption of each figure that a file draws, by the name of its function."""
    text = Path(path).with_suffix(".md").read_text(encoding="utf-8")
    sections = (section.split("\n", 1) for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:])
    return {name: [" ".join(part.split()) for part in said.split("\n\n", 1)] for name, said in sections}


def show_table(values, *, rows=None, columns=None, corner="", digits=3, left=False):
    """Publish a small array (n_rows, n_columns) as a table whose rows and columns carry names.

    The names are 0, 1, 2, ... if left out, and `corner` says what those of the rows are. Floating-point
    numbers have `digits` decimals, and anything else is shown as it is. With `left`, all columns are aligned
    to the left, for words.
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
    escaped = [[part.replace("|", r"\|").replace("__", r"\_\_") for part in line] for line in lines]
    marked = ["| " + " | ".join(line) + " |" for line in escaped]
    marked.insert(1, "| --- |" + (" --- |" if left else " ---: |") * values.shape[1])
    display({"text/plain": "\n".join(plain), "text/markdown": "\n".join(marked)}, raw=True)


def heatmap(values, *, xlabel="column", ylabel="position", numbers=False, digits=4):
    """A table (n_rows, n_columns) as coloured cells: row 0 on top, red above zero and blue below it.

    With `numbers`, for small tables, each cell has its number written in it instead of a colour bar beside
    the table; floating-point numbers have `digits` decimals.
    """
    values = np.asarray(values)
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(4.7, 3.4))
        image = _image(ax, values, True, np.abs(values).max())
        ax.set(xlabel=xlabel, ylabel=ylabel)
        if not numbers:
            colour_bar(fig, image, ax, "value")
        else:
            _write_numbers(ax, image, values, digits)
    return fig


def heatmaps(panels, *, xlabel="column", ylabel="position", signed=True, label="value", top=None):
    """Several tables, a dict of title to array_like, side by side on one colour scale; as `heatmap`.

    Where `signed` is False, the colours run from 0 to `top`, or to the largest value. `label` names the bar.
    """
    panels = {title: np.asarray(values) for title, values in panels.items()}
    scale = top or max(np.abs(values).max() for values in panels.values())
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, len(panels), figsize=(3.5 * len(panels), 3.3), squeeze=False)
        for ax, (title, values) in zip(axes[0], panels.items(), strict=True):
            image = _image(ax, values, signed, scale)
            ax.set(title=title, xlabel=xlabel, ylabel=ylabel)  # all, for on a phone each panel stands alone
        colour_bar(fig, image, axes, label, shrink=0.75)
        fig.draw_without_rendering()  # so that its ticks have our letters, wherever it is drawn
    return fig


def curves(lines, *, x=None, xlabel="position", ylabel="value", xticks=None, beside=None):
    """Up to five curves, name and values in a dict, told apart by colour and by stroke.

    The horizontal values `x` are 0, 1, 2, ... if left out; `xticks` are the ticks below, if not those that
    matplotlib finds. `beside` says where each curve's name begins, in the curve's colour; without it there
    are no names.
    """
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(4.7, 3.2))
        for (name, y), colour, style in zip(lines.items(), COLOURS, STYLES, strict=False):
            ax.plot(range(len(y)) if x is None else x, y, color=colour, linestyle=style)
            if beside:
                ax.text(*beside[name], name, color=colour, va="center", linespacing=1.3)
        ax.set(xlabel=xlabel, ylabel=ylabel)
        if xticks is not None:
            ax.set_xticks(xticks)
    return fig


def clock_hands(angles, titles, names, *, colours=None, xlabel="cosine", ylabel="sine"):
    """Two angles as hands on a unit circle, and the arc from the first to the second, circle by circle.

    The angles (2, n_circles) are in radians and drawn anticlockwise from the right, so that a tip is at (cos,
    sin). Each circle has a title. Each of the two hands has a name, and a colour: alike if left out.
    """
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(1, len(titles), figsize=(3.1 * len(titles), 3.2))
        for ax, hands, title in zip(axes, zip(*angles), titles, strict=True):
            dial(ax)
            for angle, name, colour in zip(hands, names, colours or 2 * COLOURS[:1], strict=True):
                tip = np.array([np.cos(angle), np.sin(angle)])
                ax.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour})
                ax.text(*1.25 * tip, name, ha="center", va="center")
            arc(ax, *hands, f"{hands[1] - hands[0]:g} radians".replace("-", "−"))
            ax.set(title=title, xlabel=xlabel, ylabel=ylabel, xlim=(-1.7, 1.7), ylim=(-1.5, 1.5))
    return fig


def dial(ax):
    """Draws on `ax` the unit circle and a cross of its two axes."""
    turn = np.linspace(0, 2 * np.pi, 200)
    ax.axhline(0, color="0.91", linewidth=1, zorder=0)
    ax.axvline(0, color="0.91", linewidth=1, zorder=0)
    ax.plot(np.cos(turn), np.sin(turn), color="0.8", linewidth=1)
    ax.set(aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def arc(ax, start, end, name, radius=0.45):
    """Draws on `ax` the way from one angle to another, anticlockwise, and its name halfway."""
    way = np.linspace(start, end, 60)
    ax.plot(radius * np.cos(way), radius * np.sin(way), color="0.4", linewidth=1)
    ahead = {"arrowstyle": "-|>", "color": "0.4", "shrinkA": 0, "shrinkB": 0}
    points = [(radius * np.cos(angle), radius * np.sin(angle)) for angle in way[[-1, -2]]]
    ax.annotate("", *points, arrowprops=ahead)
    middle = (radius + 0.1) * np.array([np.cos(way[30]), np.sin(way[30])])
    paper = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    side = "right" if middle[0] < -0.1 else "center"
    ax.text(*middle, name, ha=side, va="center", bbox=paper if len(name) > 1 else None)


def strips(rows, *, xlabel, xticks):
    """Rows of boxes laid end to end from 0, each as wide as its number and coloured by its encoding or axis.

    `rows` has, under the name of each row, text, width and encoding of each box. An encoding is one of
    `OF_ENCODING` or `OF_AXIS`, "red" for what is wrong, another colour, or "" for grey. Axes are named at the
    top.
    """
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(4.7, 0.9 + 0.55 * len(rows)))
        longest = max(sum(width for _, width, _ in boxes) for boxes in rows.values())
        gap = longest / 200
        for place, boxes in enumerate(rows.values()):
            start = 0
            for text, width, encoding in boxes:
                paper = (OF_ENCODING | OF_AXIS | {"red": RED}).get(encoding, encoding or "0.92")
                ink = "white" if paper == RED else "black"
                look = {"color": paper, "gid": KEEPS if np.ptp(to_rgb(paper)) else None}  # grey may turn
                ax.barh(place, width - gap, left=start + gap / 2, height=0.62, **look)
                upright = 1 < len(str(text)) < 4 and 44 * width < longest * len(str(text))
                at = {"ha": "center", "va": "center", "rotation": 90 if upright else 0}
                ax.text(start + width / 2, place, text, color=ink, **at)
                start += width
        ax.set(xlabel=xlabel, xticks=xticks, yticks=range(len(rows)))
        ax.set_xlim(0, longest)
        ax.set_yticklabels(rows)
        ax.invert_yaxis()
        drawn = {encoding for boxes in rows.values() for _, _, encoding in boxes}
        if axes := {axis: colour for axis, colour in OF_AXIS.items() if axis in drawn}:
            name_colours(fig, axes)
    return fig


def name_colours(fig, colours):
    """Names and colours, a dict, at the top of a figure."""
    patches = [plt.Rectangle((0, 0), 1, 1, color=colour, label=name) for name, colour in colours.items()]
    legend = fig.legend(handles=patches, loc="outside upper center", ncols=len(patches), frameon=False)
    for patch in legend.get_patches():
        patch.set_gid(KEEPS if np.ptp(to_rgb(patch.get_facecolor())) else None)  # grey may turn


def _write_numbers(ax, image, values, digits):
    ax.set(xticks=range(values.shape[1]), yticks=range(values.shape[0]))
    for (row, column), value in np.ndenumerate(values):
        is_float = values.dtype.kind == "f"
        text = f"{round(value, digits) + 0.0:.{digits}f}" if is_float else str(value)
        ax.text(column, row, text, ha="center", va="center", color=ink_on(image, value))


def ink_on(coloured, value):
    """Black or white, whichever can be read on the colour of that value."""
    return "white" if np.array(coloured.cmap(coloured.norm(value))[:3]) ** 2.2 @ LIGHT < 0.18 else "black"


def _coloured(fig):
    """Where a drawn figure keeps its colours: "left top right bottom" of each part, in dots of the page."""
    boxes = []
    for artist in fig.findobj(lambda one: isinstance(one, AxesImage | QuadMesh) or one.get_gid() == KEEPS):
        box = (artist.get_bbox_patch() if isinstance(artist, Text) else artist).get_window_extent()
        if isinstance(artist, AxesImage | QuadMesh):
            box = Bbox.intersection(box, artist.axes.bbox)
        if hasattr(artist.axes, "_colorbar"):
            box = Bbox.union([box, *(end.get_window_extent() for end in artist.axes.patches)])
        left, right = sorted(box.intervalx)
        top, bottom = sorted(fig.bbox.height - box.intervaly)
        box = [round(side / 2) for side in (left, top, right, bottom)]  # two dots are one of the page
        last = boxes[-1] if boxes else [0] * 4
        if box[1::2] == last[1::2] and abs(box[0] - last[2]) < 2:  # the next cell of the same row
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
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    colours = (SIGNED, -scale) if signed else (WEIGHTS, 0)
    return ax.imshow(values, aspect="auto", cmap=colours[0], vmin=colours[1], vmax=scale)
