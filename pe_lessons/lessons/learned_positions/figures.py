"""The drawings of the lesson on learned positions."""

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


def horseshoe(before, after):
    """The rows of a table as points of the plane in which they spread most."""
    panels = {"before training": _flat(before), "after training": _flat(after)}
    plots.show(
        plots.maps(panels),
        alt="Two maps of the numbers 0 to 31, joined in order. Before training: a scribble. After training: "
        "a horseshoe on which the numbers follow each other from 0 to 31.",
        caption="The 32 rows of the learned table in a plane, each drawn as its position.",
    )


def _flat(table):
    centred = table - table.mean(axis=0)
    directions = np.linalg.svd(centred)[2][:2]  # the widest spread first
    directions = directions * np.sign(directions[:, :1])  # svd leaves the sign open
    return centred @ directions.T  # (seq_len, 2)
