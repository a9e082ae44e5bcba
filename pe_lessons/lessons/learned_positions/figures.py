"""The drawings of the lesson on learned positions."""

from pe_lessons import plots


@plots.drawn
def similarities(before, after):
    """Two maps of the cosine similarities of all rows of a table."""
    panels = {"before training": before, "after training": after}
    fig = plots.heatmaps(panels, xlabel="position", label="cosine similarity")
    fig.axes[1].set_title("after training: near rows are alike")
    return fig


@plots.drawn
def two_starts(loud_table, loud_words):
    """Two maps of the cosine similarities of all rows, for two starts."""
    panels = {"loud table: only the diagonal": loud_table, "loud words: middle and ends": loud_words}
    return plots.heatmaps(panels, xlabel="position", label="cosine similarity")


@plots.drawn
def two_attentions(loud_table, loud_words):
    """Where the tokens look, on average, with the loud table and with loud words."""
    panels = {"loud table: a band": loud_table, "loud words: even": loud_words}
    looks = {"xlabel": "looks at", "ylabel": "position", "label": "mean weight"}
    return plots.heatmaps(panels, signed=False, top=0.5, **looks)


@plots.drawn
def two_rates(slow, fast):
    """Two maps of the cosine similarities of all rows with loud words, at two learning rates."""
    panels = {"learning rate 0.005": slow, "learning rate 0.01": fast}
    return plots.heatmaps(panels, xlabel="position", label="cosine similarity")
