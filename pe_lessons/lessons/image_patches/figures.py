"""The drawings of this lesson."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


def patches(image, side):
    """The pixels of an image, cut into square patches that a line joins in raster order."""
    image = np.asarray(image)
    height, width = image.shape
    with plt.rc_context(plots.STYLE):
        fig, ax = plt.subplots(figsize=(0.75 * width + 0.7, 0.75 * height + 0.7))
        for (row, column), value in np.ndenumerate(image):
            ax.add_patch(plt.Rectangle((column, row), 1, 1, facecolor="0.96", edgecolor="0.8"))
            ax.text(column + 0.5, row + 0.5, str(value), ha="center", va="center")
        corners = [(column, row) for row in range(0, height, side) for column in range(0, width, side)]
        for corner in corners:
            ax.add_patch(plt.Rectangle(corner, side, side, fill=False, edgecolor="black", linewidth=2))
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
    plots.show(
        fig,
        alt="4 rows of 6 pixels, numbered 0 to 23. Thick lines cut them into 2 rows of 3 patches. A red "
        "line joins the middles of patches 0, 1 and 2, jumps to the left end of the next row, and joins "
        "3, 4 and 5.",
        caption="An image of 24 pixels. Red: the numbers of its patches.",
    )


def similar(panel):
    """How similar each patch of a grid of 8 by 8 is to the one at the right end of patch row 3."""
    [[name, values]] = panel.items()
    said = {
        "numbered in a line": "the other edge is a neighbour",
        "two axes": "left and below are neighbours",
    }[name]
    strangers = [(3, 7), (3, 6), (4, 7), (4, 0), (3, 0)]
    marked = {f"{name}: {said}": values}
    read = [f"{values[place]:.2f}" for place in strangers]
    plots.show(
        _grids(marked, marked=strangers, numbers=True, label="cosine similarity"),
        alt=f"A grid of 8 by 8 cells, {name}. The cell at the right end of patch row 3 says: here. To its "
        f"left is {read[1]}, below it {read[2]}, at the left end of the next patch row {read[3]}, and at "
        f"the far end of its own patch row {read[4]}.",
        caption="Cosine similarity of every patch with the one marked *here*.",
    )


def table_of_a_grid(table, *, height, width):
    """The rows of a small table of a grid, with the name of what each column holds."""
    rows = [f"row {row}, column {column}" for row in range(height) for column in range(width)]
    waves = [f"{wave} {pair}" for pair in range(table.shape[1] // 4) for wave in ("sin", "cos")]
    columns = [f"{axis}: {wave}" for axis in ("row", "col") for wave in waves]
    plots.show_table(table, rows=rows, columns=columns, digits=2)


def stripes(pairs, *, drawn, title):
    """What some pairs contribute to the scores around a query, and above all, what all pairs make "
    "together."""
    together = pairs.mean(axis=-1)
    with plt.rc_context(plots.STYLE):
        fig = plt.figure(figsize=(5.6, 6.4))
        above, below = fig.subfigures(2, 1, height_ratios=[1, 2.9])
        for ax, pair in zip(above.subplots(1, len(drawn)), drawn):
            ax.imshow(pairs[..., pair], cmap=plots.WEIGHTS, vmin=-1, vmax=1)
            ax.set_title(f"pair {pair}", fontsize=9)
            ax.set_axis_off()
        whole = below.subplots()
        image = whole.imshow(together, cmap=plots.WEIGHTS, vmin=0, vmax=1)
        below.colorbar(image, ax=whole, label="score")
        for place, (row, column) in enumerate([(20, 20), (20, 34), (26, 26)]):
            whole.add_patch(
                plt.Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor="black", linewidth=2)
            )
            said = f"{together[row, column]:.2f}" if place else "query"
            paper = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
            look = {"ha": "center", "va": "center", "fontsize": 9, "color": "black"}
            whole.text(column, row + 2.4, said, bbox=paper, **look)
        whole.set_title(f"{title}, all {pairs.shape[-1]} pairs together")
        whole.set_axis_off()
    kinds = {
        "axial": "two pairs with horizontal and two with vertical stripes. Below, a bright cross with four "
        "arms",
        "golden gate": "four pairs with stripes in four slanted directions. Below, a bright round spot "
        "without arms, and pale blotches farther out",
    }
    plots.show(
        fig,
        alt=f"Above, {kinds[title]}. The key 14 to the right of the query has {together[20, 34]:.2f}, the "
        f"one 6 right and 6 down {together[26, 26]:.2f}.",
        caption="Above: what single pairs contribute. Below: the mean of all pairs. The query is in the "
        "middle. The bar is for the large picture.",
    )


def resolutions(trained, counted, squeezed):
    """Scores around a query in the middle of one image, for 8 by 8 patches and two ways to read 12 by 12."""
    panels = {"8 × 8, as trained": trained, "12 × 12, counted on": counted, "12 × 12, squeezed": squeezed}
    fig = _grids(panels, outline=0.8, label="score")
    fig.set_size_inches(8.4, 3.1)
    plots.show(
        fig,
        alt="Three square pictures. Left, 8 by 8 cells: a bright spot in the middle and four broad arms. "
        "Middle, 12 by 12 cells counted on: a smaller spot, narrower arms, darker corners. Right, 12 by "
        "12 cells squeezed: the left picture again in finer cells. A black line marks the score 0.8.",
        caption="Scores of a query in the middle of the same image. Black line: the score 0.8.",
    )


def _grids(panels, *, marked=(), numbers=False, outline=None, label="cosine"):
    """Numbers of image patches {title: (height, width)} side by side, each panel a grid of square cells.

    `marked` are (patch row, patch column) of cells to be framed. With `numbers` each says what it holds, in it
    or beside it where it is small; but the first says *here*. A black line passes where values pass `outline`.
    """
    fig = plots.heatmaps(panels, xlabel="patch column", ylabel="patch row", signed=False, label=label)
    side = (4.2, 3.8, 3.0)[min(len(panels), 3) - 1]
    fig.set_size_inches(1.0 + side * len(panels), 0.4 + side)
    for ax in fig.axes[: len(panels)]:
        ax.set_aspect("equal")
        ax.images[0].set_cmap(ax.images[0].cmap.resampled(20))  # steps that can be told apart and followed
        _frame(ax, marked, numbers)
        if outline is not None:
            ax.clabel(ax.contour(ax.images[0].get_array(), levels=[outline], colors="black"), fmt="%g")
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
            ax.text(column, row, said, color=plots.ink_on(image, values[row, column]), **text)
        elif numbers and place:
            paper = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
            ax.text(column + 1, row + 2.6, said, bbox=paper, **text)


def nearer_scores_higher(kinds):
    """Of all pairs of keys whose distances differ by more than 3, how often the nearer one scores higher."""
    for reach, where in ((8, "up to 8 steps away"), (29, "in the whole picture")):
        shares = []
        for name, contributions in kinds.items():
            scores = contributions.mean(axis=-1)  # (41, 41)
            down, right = np.indices(scores.shape) - scores.shape[0] // 2
            away = np.hypot(down, right)
            scores, away = scores[away <= reach], away[away <= reach]
            nearer = away[:, None] < away - 3
            shares.append(f"{name} {(scores[:, None] > scores)[nearer].mean():.0%}")
        print(f"the nearer key scores higher, {where}: {', '.join(shares)}")
