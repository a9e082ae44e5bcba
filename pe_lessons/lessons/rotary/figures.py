"""The drawings of the lesson on rotating queries and keys."""

import matplotlib.pyplot as plt

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
        caption="Two arrows, each rotated by one radian for every token before it. Both have moved, but "
        "the angle between them is the same.",
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
    for offset, where, said in (
        (-3, (5, 19.5), "key 3 before the query"),
        (3, (17.5, 3), "key 3 after the query"),
    ):
        for m in range(max(0, -offset), min(24, 24 - offset)):
            ax.add_patch(plt.Rectangle((m + offset - 0.5, m - 0.5), 1, 1, fill=False, linewidth=0.8))
        m = 16 if offset < 0 else 6
        ax.annotate(
            f"{said}:\n{scores[m, m + offset]:.1f}".replace("-", "−"),
            xy=(m + offset, m),
            xytext=where,
            ha="center",
            va="center",
            fontsize=9,
            bbox=paper,
            arrowprops={"arrowstyle": "-|>", "color": "black"},
        )
    plots.show(
        fig,
        alt="A 24 by 24 map of scores. Every diagonal has one shade from end to end. Two of them are "
        "framed: key 3 before the query, dark blue, score -11.4, and key 3 after the query, nearly white, "
        "score 0.3.",
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
        caption="Three scores by distance. On the whole one falls from 0 on and one from 3 on. The third does neither.",
    )
