"""The drawings of the lesson on learned positions."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


@plots.drawn
def similarities(before, after):
    """Two maps of the cosine similarities of all rows of a table."""
    panels = {"before training": before, "after training": after}
    fig = plots.heatmaps(panels, xlabel="position", label="cosine similarity")
    paper = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "black", "gid": plots.KEEPS}
    fig.axes[1].annotate(
        "near rows have\nbecome similar", (18, 14), (22, 4), bbox=paper,
        arrowprops={"arrowstyle": "-|>", "facecolor": "black", "mutation_scale": 16},
        ha="center", va="center",
    )  # fmt: skip
    return fig


@plots.drawn
def four_similarities(maps):
    """Four maps of the cosine similarities of all rows, for four starts."""
    shows = ("a band", "only the diagonal", "the middle and the ends", "only the diagonal")
    fig, axes = plt.subplots(2, 2, figsize=(4.7, 4.6), sharex=True, sharey=True, layout="constrained")
    for ax, (start, values), what in zip(axes.flat, maps.items(), shows, strict=True):
        image = ax.imshow(values, cmap=plots.SIGNED, vmin=-1, vmax=1)
        ax.set_title(f"{start}\n{what}")
        ax.set(xticks=range(0, 32, 8), yticks=range(0, 32, 8))
    fig.supxlabel("position", fontsize=10)
    fig.supylabel("position", fontsize=10)
    fig.colorbar(image, ax=axes, label="cosine similarity", shrink=0.6)
    return fig


@plots.drawn
def two_rates(slow, fast):
    """Two maps of the cosine similarities of all rows of the third start, at two learning rates."""
    panels = {"learning rate 0.005": slow, "learning rate 0.01": fast}
    return plots.heatmaps(panels, xlabel="position", label="cosine similarity")


@plots.drawn
def horseshoe(before, after):
    """The rows of a table as points of the plane in which they spread most."""
    panels = {"before training": _flat(before), "after training": _flat(after)}
    return _numbers_in_a_plane(panels)


def _numbers_in_a_plane(panels):
    """Maps {title: (seq_len, 2)} side by side, each point the number of its position, joined in order."""
    fig, axes = plt.subplots(1, len(panels), figsize=(3.7 * len(panels), 4.2), squeeze=False)
    for ax, (title, points) in zip(axes.flat, panels.items(), strict=True):
        ax.plot(*points.T, color="0.85", linewidth=0.6, zorder=1)
        colours = plt.get_cmap(plots.WEIGHTS)(np.linspace(0, 0.85, len(points)))
        ax.set_gid(plots.KEEPS)
        for position, (point, colour) in enumerate(zip(points, colours)):
            ax.text(*point, position, ha="center", va="center", color=colour, fontsize=8)
        ax.set(title=title, xticks=[], yticks=[])
        ax.set_aspect("equal", adjustable="datalim")
        ax.spines[:].set_visible(True)
    return fig


def _flat(table):
    centred = table - table.mean(axis=0)
    directions = np.linalg.svd(centred)[2][:2]  # the widest spread first
    directions = directions * np.sign(directions[:, :1])  # svd leaves the sign open
    return centred @ directions.T  # (seq_len, 2)
