"""The drawings of the lesson on rotating queries and keys."""

from pe_lessons import plots


def two_arrows():
    """A query and a key, rotated by one radian a token, at two places of a text."""
    titles = ["query at 2, key at 5", "query at 102, key at 105"]
    fig = plots.clock_hands(
        [[2, 102], [5, 105]],
        titles,
        names=["query", "key"],
        colours=plots.COLOURS[:2],
        arcs=True,
        xlabel="first number",
        ylabel="second number",
    )
    for ax in fig.axes:
        ax.text(0, -1.58, "score −0.99", ha="center", va="center", fontweight="bold")
    plots.show(
        fig,
        alt="Two circles with a blue arrow, the query, and an orange one, the key. On the right both point "
        "elsewhere. The way from the query to the key is 3 radians in both, and below each circle stands: "
        "score -0.99.",
        caption="Two arrows, each rotated by one radian for every token before it. Both have moved. The "
        "angle between them has not.",
    )


def stripes(scores):
    """The scores of one query and one key at all pairs of positions."""
    fig = plots.heatmaps(
        {"one query, one key, all positions": scores}, xlabel="key at", ylabel="query at", label="score"
    )
    fig.set_size_inches(5.2, 4.2)
    ax = fig.axes[0]
    ax.set_aspect("equal")
    paper = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "black", "gid": plots.KEEPS}
    along = {"rotation": -45, "ha": "center", "va": "center", "fontsize": 9}
    ax.plot([0, 17], [6, 23], color="black", linewidth=1)
    ax.plot([6, 23], [0, 17], color="black", linewidth=1)
    ax.text(8.5, 14.5, "key 6 before the query", bbox=paper, **along)
    ax.text(14.5, 8.5, "key 6 after the query", bbox=paper, **along)
    plots.show(
        fig,
        alt="A 24 by 24 map of scores. Every diagonal has one shade from end to end. Two of them carry a "
        "line: key 6 before the query, and key 6 after the query. Their shades differ.",
        caption="The same query in all rows and the same key in all columns. Only the positions differ.",
    )


def three_scores(curves):
    """Three scores against the distance of query and key."""
    beside = {"all ones": (112, 0.74), "three back": (9, 1.04), "random": (143, -0.97)}
    fig = plots.curves(
        curves, xlabel="distance in tokens", ylabel="score over its largest size", beside=beside
    )
    fig.axes[0].axhline(0, color="0.8", linewidth=1, zorder=0)
    plots.show(
        fig,
        alt="Three curves against the distance, 0 to 199. All ones falls from 1, with ripples, to about 0.3. "
        "Three back is the same curve with its peak at 3. Random swings between 0.7 and -1 all the way.",
        caption="Three scores by distance. One fades, one peaks at three, one does neither.",
    )
