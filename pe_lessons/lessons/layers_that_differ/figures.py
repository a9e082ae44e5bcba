"""The drawings of this lesson."""

import matplotlib.pyplot as plt

from pe_lessons import plots

GREEN, PALE, GREY = plots.OF_ENCODING["RoPE"], "#a6dccb", "0.92"


def partners():
    """Which columns rotate, and with which partner, in a head of 16 columns of which 4 rotate."""
    rules = {"partial rotary": {0: 0, 1: 1, 2: 0, 3: 1}, "proportional": {0: 0, 1: 1, 8: 0, 9: 1}}
    rows = {
        name: [(str(pairs.get(c, "")), 1, "RoPE" if c in pairs else "") for c in range(16)]
        for name, pairs in rules.items()
    }
    plots.show(
        _numbered(plots.strips(rows, xlabel="column", xticks=[]), range(16)),
        alt="Two rows of 16 boxes. In the row of partial rotary the first four are green, with the "
        "numbers 0, 1, 0, 1. In the row of the proportional rule, green are 0 and 1 at the left end, and "
        "0 and 1 again from the middle on. All other boxes are grey and empty.",
        caption="Green columns rotate. The two columns of a pair carry the same number.",
    )


def plan(letters):
    """A box for each layer of each model, from its letter: w, F or -."""
    colour = {"w": PALE, "F": "RoPE", "-": "0.78"}
    rows = {name: [(letter, 1, colour[letter]) for letter in row] for name, row in letters.items()}
    plots.show(
        _numbered(plots.strips(rows, xlabel="layer, counted from 0", xticks=[]), [0, *range(5, 48, 6)]),
        alt="A row of boxes for each of four models. Gemma 3: five times w, then F, eight times. "
        "ModernBERT: F, w, w, again and again, and F at the end. SmolLM3: three times F, then a dash. "
        "Llama 4: three times w, then a dash.",
        caption="w: rotates and sees a window. F: rotates and sees everything. -: sees everything and "
        "does not rotate. (ModernBERT's window is on both sides. Llama 4's is a block of 8,192 tokens.)",
    )


def _numbered(fig, boxes):
    """The figure with the numbers of these boxes, each below the middle of its box."""
    fig.axes[0].set_xticks([box + 0.5 for box in boxes], boxes)
    return fig


def schedules(right):
    """Accuracy of ten seeds of each schedule, at the trained length and at eight times that."""
    halves = {("FFF-", 384): ((11, 44), (79, 83))}  # five seeds each: no one range says it
    with plt.rc_context(plots.STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3.2))
        for place, (schedule, of_length) in enumerate(right.items()):
            for words, shift, colour in ((48, -0.18, "0.65"), (384, 0.18, plots.COLOURS[0])):
                for low, high in halves.get((schedule, words), (of_length[words],)):
                    ax.barh(place + shift, max(high - low, 1), left=low, height=0.3, color=colour)
                    said = f"{low} %" if low == high else f"{low} to {high} %"
                    at = {"ha": "right", "x": low - 2} if low > 70 else {"ha": "left", "x": high + 2}
                    ax.text(y=place + shift, s=said, va="center", fontsize=9, color=colour, **at)
        ax.axvline(100 / 16, color="0.6", linewidth=1)
        ax.text(7.5, -0.72, "guessing", color="0.35", fontsize=9)
        ax.text(97, -0.72, "texts of 48 words, as in training", color="0.5", ha="right", fontsize=9)
        ax.text(
            32, 0.18, "texts of 384 words", color=plots.COLOURS[0], va="center", weight="bold", fontsize=9
        )
        ax.set(xlim=(0, 102), ylim=(4.6, -1), yticks=range(len(right)), xlabel="accuracy, in %")
        ax.set_yticklabels(right, family="monospace", fontsize=11)
        ax.spines["left"].set_visible(False)
    plots.show(
        fig,
        alt="A bar from the worst to the best of ten seeds for five schedules, at 48 and at 384 words. At "
        "48 words all but wwww are at 92 % or more. At 384 words: FFFF 9 to 18 %, FFF- five seeds from 11 "
        "to 44 % and five from 79 to 83 %, wwwF 78 to 88 %, www- 100 %, wwww 27 to 38 %.",
        caption="Each bar goes from the worst to the best of ten seeds. Those of `FFF-` fall into two groups of five.",
    )


def windows(seen):
    """What each query sees, for two meanings of a window of 4."""
    with plt.rc_context(plots.STYLE):
        fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.4))
        for ax, (title, mask) in zip(axes, seen.items()):
            for m, row in enumerate(mask):
                for n, here in enumerate(row):
                    paper = "white" if not here else GREEN if n == m else PALE
                    look = {"facecolor": paper, "edgecolor": "0.8", "gid": plots.KEEPS}
                    ax.add_patch(plt.Rectangle((n, m), 1, 1, **look))
            ticks = [place + 0.5 for place in range(len(mask))]
            ax.set(xlim=(0, len(mask)), ylim=(len(mask), 0), aspect="equal", title=title)
            ax.set_xticks(ticks, range(len(mask)))
            ax.set_yticks(ticks, range(len(mask)))
            ax.tick_params(length=0)
            ax.set(xlabel="key", ylabel="query")
    plots.show(
        fig,
        alt="Two grids of 8 queries by 8 keys. On the left, each query sees itself, dark green, and at "
        "most three keys before it, light green. On the right, each query sees itself and at most four "
        "keys before it.",
        caption="Dark: the query itself. Light: the keys before it that the query sees.",
    )
