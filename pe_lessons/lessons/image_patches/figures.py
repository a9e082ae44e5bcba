"""The drawings of this lesson."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots

PAPER = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}


@plots.drawn
def patches(image, side):
    """The pixels of an image, cut into square patches that a line joins in raster order."""
    image = np.asarray(image)
    height, width = image.shape
    fig, ax = plt.subplots(figsize=(0.58 * width + 0.7, 0.58 * height + 0.7))
    for (row, column), value in np.ndenumerate(image):
        ax.add_patch(plt.Rectangle((column, row), 1, 1, facecolor="0.96", edgecolor="0.8"))
        ax.text(column + 0.5, row + 0.5, str(value), ha="center", va="center")
    corners = [(column, row) for row in range(0, height, side) for column in range(0, width, side)]
    for corner in corners:
        ax.add_patch(plt.Rectangle(corner, side, side, fill=False, edgecolor="black", linewidth=1.3))
    middles = np.array(corners) + side / 2
    ax.plot(*middles.T, color=plots.RED, linewidth=1.5)
    disc = {"boxstyle": "circle,pad=0.25", "facecolor": "white", "edgecolor": plots.RED, "linewidth": 1.5}
    text = {"color": plots.RED, "fontweight": "bold", "ha": "center", "va": "center", "bbox": disc}
    for number, middle in enumerate(middles):
        ax.text(*middle, str(number), **text)
    ax.set(xlim=(-0.05, width + 0.05), ylim=(height + 0.05, -0.05), aspect="equal")
    ax.set(xticks=np.arange(side / 2, width, side), yticks=np.arange(side / 2, height, side))
    ax.set_xticklabels(range(width // side))
    ax.set_yticklabels(range(height // side))
    ax.set(xlabel="patch column", ylabel="patch row")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return fig


@plots.drawn
def similar(panel):
    """How similar each patch of a grid of 8 by 8 is to the one at the right end of patch row 3."""
    [[name, values]] = panel.items()
    said = {
        "numbered in a line": "the other edge is a neighbour",
        "two axes": "left and below are neighbours",
    }[name]
    strangers = [(3, 7), (3, 6), (4, 7), (4, 0)]
    read = [f"{values[place]:.2f}" for place in strangers]
    fig = _grids({f"{name}: {said}": values}, label="similarity", side=3.4)
    ax = fig.axes[0]
    for (row, column), number in zip(strangers, ["here", *read[1:]]):
        frame = plt.Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor="black", linewidth=1.3)
        ax.add_patch(frame)
        ax.text(column, row, number, ha="center", va="center", bbox=PAPER)
    return fig, {"name": name, "read": read}


def table_of_a_grid(table, *, height, width):
    """The rows of a small table of a grid, with the name of what each column holds."""
    rows = [f"patch at {row},{column}" for row in range(height) for column in range(width)]
    waves = [f"{wave} {pair}" for pair in range(table.shape[1] // 4) for wave in ("sin", "cos")]
    columns = [f"{axis}: {wave}" for axis in ("row", "col") for wave in waves]
    plots.show_table(table, rows=rows, columns=columns, digits=2)


@plots.drawn
def stripes(pairs, *, drawn, title):
    """What some pairs contribute to the similarity with the middle, and below them what all make together."""
    together = pairs.mean(axis=-1)
    fig = plt.figure(figsize=(4.4, 5.2))
    above, below = fig.subfigures(2, 1, height_ratios=[1, 2.9])
    for ax, pair in zip(above.subplots(1, len(drawn)), drawn):
        ax.imshow(pairs[..., pair], cmap=plots.SIGNED, vmin=-1, vmax=1)
        ax.set_title(f"pair {pair}")
        ax.set_axis_off()
    above.supxlabel("each from −1 to 1", fontsize=10)
    whole = below.subplots()
    image = whole.imshow(together, cmap=plots.SIGNED, vmin=-1, vmax=1)
    plots.colour_bar(below, image, whole, "similarity").ax.set_ylim(0, 1)
    for place, (row, column) in enumerate([(20, 20), (20, 34), (26, 26)]):
        whole.add_patch(
            plt.Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor="black", linewidth=1.3)
        )
        said = f"{together[row, column]:.2f}" if place else "query"
        whole.text(column, row + 2.4, said, ha="center", va="center", bbox=PAPER)
    whole.set_title(f"{title}, all {pairs.shape[-1]} pairs together")
    whole.set_axis_off()
    kinds = {
        "axial": "two pairs with horizontal and two with vertical stripes. Below, a red cross with four arms",
        "golden gate": "four pairs with stripes in four slanted directions. Below, a red round spot "
        "without arms, and blotches farther out",
    }
    return fig, {"pairs": kinds[title], "right": together[20, 34], "slanted": together[26, 26]}


@plots.drawn
def rulers(*, old, new):
    """One row of old patches between the new ones, extended above and squeezed below, on one axis."""
    fig, ax = plt.subplots(figsize=(4.7, 3.2))
    rows = ((2.3, new, 1, plots.RED), (1.15, old, 1, "black"), (0, new, old / new, plots.RED))
    for bottom, count, width, colour in rows:
        for patch in range(count):
            left = patch * width - 0.5
            ax.add_patch(plt.Rectangle((left, bottom), width, 0.8, facecolor="0.96", edgecolor="0.6"))
            ax.text(left + width / 2, bottom + 0.52, str(patch), ha="center", va="center", fontsize=9)
            ax.plot(left + width / 2, bottom + 0.2, "o", markersize=4, color=colour)
    middle = 1.5 * old / new - 0.5  # of squeezed patch 1
    ax.plot([middle, middle], [-0.15, 0.2], ":", color=plots.RED)
    ax.set(xlim=(-0.6, new - 0.4), ylim=(-0.15, 3.15), xlabel="position")
    ax.set(xticks=range(new), yticks=[2.7, 1.55, 0.4])
    ax.set_yticklabels([f"{new} new,\nextended", f"{old} old\npatches", f"{new} new,\nsqueezed"])
    return fig


def _grids(panels, *, label, side):
    """Numbers of image patches {title: (height, width)} side by side, each panel a grid of square cells."""
    fig = plots.heatmaps(panels, xlabel="patch column", ylabel="patch row", label=label)
    fig.set_size_inches(1.0 + side * len(panels), 0.4 + side)
    for ax in fig.axes[: len(panels)]:
        ax.set_aspect("equal")
        ax.images[0].set_cmap(ax.images[0].cmap.resampled(20))  # steps that can be told apart and followed
        ax.images[0].set_clim(-1, 1)
    fig.axes[-1].set_ylim(bottom=0)  # after the steps, which draw the bar again
    return fig
