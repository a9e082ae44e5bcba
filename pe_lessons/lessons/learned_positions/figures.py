"""The drawings of the lesson on learned positions."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots


def similarities(before, after):
    """Two maps of the cosine similarities of all rows of a table."""
    panels = {"before training": before, "after training": after}
    fig = plots.heatmaps(panels, xlabel="position", label="cosine similarity")
    paper = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "black", "gid": plots.KEEPS}
    fig.axes[1].annotate(
        "near rows have\nbecome similar", (16, 14), (22, 4), arrowprops={"arrowstyle": "-|>"}, bbox=paper,
        ha="center", va="center", fontsize=9,
    )  # fmt: skip
    plots.show(
        fig,
        alt="Two 32 by 32 maps of similarities. Before training: a red diagonal in a field of pale random "
        "colours. After training: a broad red band along the diagonal, marked with the words near rows have "
        "become similar, and blue bands on both sides of it.",
        caption="How similar the rows of the learned table are, for all pairs of positions.",
    )


def four_similarities(maps):
    """Four maps of the cosine similarities of all rows, for four starts."""
    shows = ("a band", "only the diagonal", "the middle and the ends", "only the diagonal")
    with plt.rc_context(plots.STYLE):
        fig, axes = plt.subplots(2, 2, figsize=(5.6, 5.4), sharex=True, sharey=True, layout="constrained")
        for ax, (start, values), what in zip(axes.flat, maps.items(), shows, strict=True):
            image = ax.imshow(values, cmap=plots.SIGNED, vmin=-1, vmax=1)
            ax.set_title(f"{start}\n{what}", fontsize=9)
            ax.set(xticks=range(0, 32, 8), yticks=range(0, 32, 8))
        fig.supxlabel("position", fontsize=9)
        fig.supylabel("position", fontsize=9)
        fig.colorbar(image, ax=axes, label="cosine similarity", shrink=0.6)
    plots.show(
        fig,
        alt="Four 32 by 32 maps of similarities after training. Words 0.3, table 0.02: a "
        "red band along the diagonal. The two tables that began at 1.0: only the diagonal itself is red. Words "
        "1.0, table 0.02: a red block in the middle and red corners, with blue between them.",
        caption="Only one of the four starts led to a band. How similar the rows are after training, for the four starts.",
    )


def two_rates(slow, fast):
    """Two maps of the cosine similarities of all rows of the third start, at two learning rates."""
    panels = {"learning rate 0.005": slow, "learning rate 0.01": fast}
    plots.show(
        plots.heatmaps(panels, xlabel="position", label="cosine similarity"),
        alt="Two 32 by 32 maps of similarities of the third start. At the learning rate 0.005: a red block in "
        "the middle and red corners, with blue between them. At 0.01: a red band along the diagonal.",
        caption="At twice the learning rate, the third start gets its band too.",
    )


def horseshoe(before, after):
    """The rows of a table as points of the plane in which they spread most."""
    panels = {"before training": _flat(before), "after training": _flat(after)}
    plots.show(
        _numbers_in_a_plane(panels),
        alt="Two maps of the numbers 0 to 31, joined in order. Before training: a scribble. After training: "
        "a horseshoe on which the numbers follow each other from 0 to 31.",
        caption="The 32 rows of the learned table in a plane, each drawn as its position. It is the plane in which they spread most.",
    )


def _numbers_in_a_plane(panels):
    """Maps {title: (seq_len, 2)} side by side, each point the number of its position, joined in order."""
    with plt.rc_context(plots.STYLE):
        fig, axes = plt.subplots(1, len(panels), figsize=(4.2 * len(panels), 4.4), squeeze=False)
        for ax, (title, points) in zip(axes.flat, panels.items(), strict=True):
            ax.plot(*points.T, color="0.85", linewidth=0.6, zorder=1)
            colours = plt.get_cmap(plots.WEIGHTS)(np.linspace(0, 0.85, len(points)))
            ax.set_gid(plots.KEEPS)
            for position, (point, colour) in enumerate(zip(points, colours)):
                ax.text(*point, position, ha="center", va="center", color=colour, fontsize=6.5)
            ax.set(title=title, xticks=[], yticks=[])
            ax.set_aspect("equal", adjustable="datalim")
            ax.spines[:].set_visible(True)
    return fig


def _flat(table):
    centred = table - table.mean(axis=0)
    directions = np.linalg.svd(centred)[2][:2]  # the widest spread first
    directions = directions * np.sign(directions[:, :1])  # svd leaves the sign open
    return centred @ directions.T  # (seq_len, 2)
