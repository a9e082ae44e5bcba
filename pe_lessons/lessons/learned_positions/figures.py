"""The drawings of the lesson on learned positions."""

import matplotlib.pyplot as plt

from pe_lessons import plots


@plots.drawn
def similarities(before, after):
    """Two maps of the cosine similarities of all rows of a table."""
    panels = {"before training": before, "after training": after}
    fig = plots.heatmaps(panels, xlabel="position", label="cosine similarity")
    fig.axes[1].set_title("after training: near rows are alike")
    return fig


@plots.drawn
def four_similarities(maps):
    """Four maps of the cosine similarities of all rows, for four starts."""
    shows = ("a band", "only the diagonal", "middle and ends", "only the diagonal")
    fig, axes = plt.subplots(2, 2, figsize=(4.7, 5.8), sharex=True, sharey=True)
    for ax, (start, values), what in zip(axes.flat, maps.items(), shows, strict=True):
        image = ax.imshow(values, cmap=plots.SIGNED, vmin=-1, vmax=1)
        ax.set_title(f"{start}\n{what}")
        ax.set(ylabel="position", xticks=range(0, 32, 8), yticks=range(0, 32, 8))
    for ax in axes[1]:
        ax.set_xlabel("position")
    plots.colour_bar(fig, image, axes, "cosine similarity", location="bottom", shrink=0.5)
    return fig


@plots.drawn
def two_attentions(second, third):
    """Where the tokens look, on average, in the second and the third of four models."""
    panels = {"words 0.3, table 1.0: a band": second, "words 1.0, table 0.02: even": third}
    looks = {"xlabel": "looks at", "ylabel": "position", "label": "mean weight"}
    return plots.heatmaps(panels, signed=False, top=0.5, **looks)


@plots.drawn
def two_rates(slow, fast):
    """Two maps of the cosine similarities of all rows of the third start, at two learning rates."""
    panels = {"learning rate 0.005": slow, "learning rate 0.01": fast}
    return plots.heatmaps(panels, xlabel="position", label="cosine similarity")
