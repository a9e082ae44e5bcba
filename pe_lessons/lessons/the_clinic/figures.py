"""The figures of the clinic: a batch when the harm begins, the keys it loses, and errors by position."""

import matplotlib.pyplot as plt
import numpy as np

from pe_lessons import plots
from pe_lessons.lessons.the_clinic import server
from pe_lessons.lessons.the_clinic.answers import bfloat16, falling, rotated
from pe_lessons.plots import RED, STYLE

WISHES = [("ox", 18), ("lion", 3)]
PAPER = {"padding": "0.85", "prompt": "#a6d3f0", "answer": "#f6d5a8"}
KEY = "#d8c6ec"


def service():
    """The batch of *lion 3* after steps 1 and 3.

    Each time, for each request: (letter, kind) of each column, and its newest letter, which has none yet.
    """
    requests = [server.Request(*wish) for wish in WISHES]
    at_work, times = server.Server(server.random_model()), []
    at_work.start(requests)
    for step in range(3):
        if step:
            at_work.release()
            at_work.step()
        times.append([(_columns(one), one.answer[-1]) for one in requests])
    return times[0], times[-1]


def _columns(request):
    """What the columns of a request hold: (letter, kind) of each."""
    padding = [("", "padding")] * (max(len(prompt) for prompt, _ in WISHES) - len(request.prompt))
    read = [(letter, "prompt") for letter in request.prompt]
    return padding + read + [(letter, "answer") for letter in request.answer[:-1]]


def _draw_columns(ax, place, row, first=0):
    """The columns of a request as coloured boxes with letters, the first of them in a given column."""
    for column, (letter, kind) in enumerate(row, first):
        keeps = {} if kind == "padding" else {"gid": plots.KEEPS}
        box = {"left": column - 0.46, "height": 0.84, "color": PAPER[kind]}
        ax.barh(place, 0.92, **box, **keeps)
        ax.text(column, place, letter, ha="center", va="center", color="black")


def _draw_dotted(ax, place, column):
    corner = column - 0.46, place - 0.42
    ax.add_patch(plt.Rectangle(corner, 0.92, 0.84, fill=False, ec="black", ls=":", lw=1.5))


def _without_frame(ax):
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


@plots.drawn
def show_service():
    """Draw `service`."""
    times = service()
    fig, axes = plt.subplots(2, figsize=(4.7, 4.4), sharex=True, height_ratios=(2, 3))
    for ax, rows, when in zip(
        axes, times, ("step 1: the prompts are read", "step 3: letter 3 is written"), strict=True
    ):
        for place, (row, newest) in enumerate(rows):
            _draw_columns(ax, place, row)
            _draw_dotted(ax, place, len(row))
            ax.text(len(row), place, newest, ha="center", va="center", color="black")
        ax.set_title(when, loc="left")
        ax.set(xlim=(-0.7, 8.7), ylim=(1.5, -0.5))
        ax.set_yticks(range(2), [prompt for prompt, _ in WISHES])
        _without_frame(ax)
    last = len(times[1][1][0])
    first = sum(kind != "answer" for _, kind in times[1][1][0])
    strip = [(first - 1, "letter")] + [(column, f"{column - first + 1}") for column in range(first, last + 1)]
    for column, words in strip:
        ax.text(column, -0.66, words, ha="center", va="center", color="black")
    ax.text(last - 1.5, -1.16, "read earlier", ha="right", va="center", color="black")
    ax.text(last - 1, -1.16, "read", ha="center", va="center", color="black")
    ax.text(last - 0.46, -1.16, "written", ha="left", va="center", color="black")
    ax.set_ylim(1.5, -1.5)
    ax.text(last + 0.7, 1, "then it leaves", va="center", color="black")
    ax.set(xlabel="column")
    ax.set_xticks(range(last))
    plots.name_colours(fig, PAPER)
    told = (f"{name}{number}" for number in (1, 2) for name in ("stays", "leaves"))
    letters = (
        "".join(text for text, kind in row if kind == "answer") + new for rows in times for row, new in rows
    )
    return fig, dict(zip(told, letters, strict=True))


@plots.drawn
def show_drop():
    """Draw the keys that the server has just before it drops columns, and what is left of them."""
    stays, leaves = requests = [server.Request(*wish) for wish in WISHES]
    at_work = server.Server(server.random_model())
    at_work.start(requests)
    while leaves in at_work.waiting or at_work.cache.columns % 4:
        at_work.release()
        at_work.step()

    def held():
        near, full = (layer.k.shape[2] for layer in at_work.cache.layers[:2])
        return {"no window": full, "window of 8": near}

    row, before = _columns(stays), held()
    at_work.tidy()
    after, columns = held(), len(row)
    spare = columns - at_work.cache.columns
    fig, axes = plt.subplots(2, figsize=(4.7, 4.4), sharex=True)
    for ax, first, many in zip(axes, (0, spare), (before, after), strict=True):
        _draw_columns(ax, 0, row[first:], first)
        for place, n in enumerate(many.values(), 1):
            left = np.arange(columns - n, columns) - 0.46
            ax.barh([place] * n, 0.92, left=left, height=0.84, color=KEY, gid=plots.KEEPS)
        ax.set_yticks(range(3), [stays.prompt, *many])
        _without_frame(ax)
        ax.set(xlim=(-0.7, columns - 0.3), ylim=(2.5, -0.5))
    lost = before["window of 8"] - 1 - after["window of 8"]  # it had forgotten one of the spare columns
    for column in range(spare, spare + lost):
        _draw_dotted(axes[1], 2, column)
    axes[1].text(spare - 0.6, 2, "lost", ha="right", va="center", color="black")
    axes[0].set_title(f"before {spare} columns are dropped", loc="left")
    axes[1].set_title("after", loc="left")
    axes[1].set_xlabel("column")
    axes[1].set_xticks(range(columns))
    plots.name_colours(fig, PAPER | {"key": KEY})
    told = {"letters": "".join(letter for letter, kind in row if kind == "answer")}
    told |= {"columns": columns, "spare": spare, "near": before["window of 8"]}
    return fig, told | {"full_left": after["no window"], "near_left": after["window of 8"]}


def fingerprints():
    """Faults of a rotated key by symptom: the largest error up to each position, the largest of all being 1.

    Returns a dict of symptom to a list of (errors, what it speaks for), and the positions.
    """
    positions = np.round(2 ** np.linspace(0, 12, 97)).astype(int)
    positions = np.union1d(positions, [0, 257, 2047])
    places, slow = positions[:, None].astype(float), falling(32)
    key = np.random.default_rng(21).normal(size=64)
    paired = np.arange(64).reshape(32, 2).T.ravel()  # columns side by side as pairs

    def turned(places, frequencies, key=key):
        return rotated(np.broadcast_to(key, (len(positions), 64)), places * frequencies)

    right = turned(places, slow)

    def share(rows):
        errors = np.maximum.accumulate(np.linalg.norm(rows - right, axis=1))
        return errors / errors[-1]

    neighbours = turned(places, slow, key[paired])[:, np.argsort(paired)]
    other_base = turned(places, 500_000.0 ** (-np.arange(32) / 32))
    longer = turned(places, np.where(places < 2048, slow, slow / 4))
    forgetful = turned(np.where(places < 9, places, 0), slow)
    return {
        "wrong at 0 already": [
            (share(1.5 * right), "a factor, a missing norm, a\ncount that doesn't begin at 0")
        ],
        "wrong from 1 on, at once": [(share(neighbours), "wrong pairs, or norm\nand rotation swapped")],
        "grows from 1 on": [
            (share(other_base), "a wrong base: fast\nat first, then slowly"),
            (share(turned(places, bfloat16(slow))), "rounded\nfrequencies"),
        ],
        "wrong from 257 on": [(share(turned(bfloat16(places), slow)), "positions rounded\nto bfloat16")],
        "a jump at trained length": [(share(longer), "a rule that changes")],
        "a jump when it writes": [(share(forgetful), "a count that forgets\nthe cache")],
    }, positions


def ticks(panels):
    """The positions that are named in each panel of `fingerprints`."""
    third = dict(zip(panels, (16, 16, 64, 16, 16, 9)))
    fourth = dict(zip(panels, (256, 256, None, 257, 256, 256)))
    last = dict.fromkeys(panels, 4096) | {"a jump at trained length": 2048}
    return {one: [0, 1, third[one], *filter(None, [fourth[one]]), last[one]] for one in panels}


@plots.drawn
def show_fingerprints():
    """Draw `fingerprints`."""
    panels, positions = fingerprints()
    told = (f"{symptom}: {' or '.join(words for _, words in curves)}" for symptom, curves in panels.items())
    fig = panelled(panels, positions=positions, xticks=ticks(panels))
    return fig, {"told": "; ".join(told).replace("\n", " ")}


def panelled(panels, *, positions, xticks, ncols=3):
    """Small filled curves over positions from 0, on an axis where each power of two has the same room.

    Parameters
    ----------
    panels : dict of str to list of (array_like, str)
        Title of each; one curve or two: values, up to 1, on a logarithmic axis from 0.0001, and what is
        written above the first, or below the second.
    positions : array_like
        From 0 on, common to all.
    xticks : dict of str to list of int
        The positions that are named in each panel.
    ncols : int
    """

    def place(position):
        return np.where(np.asarray(position) == 0, 0, 1 + np.log2(np.maximum(position, 1)))

    nrows = -(-len(panels) // ncols)
    with plt.rc_context(STYLE):
        fig, axes = plt.subplots(nrows, ncols, figsize=(2.6 * ncols, 2.4 * nrows), sharey=True, squeeze=False)
        sides = {"x": 0.04, "y": 0.95, "va": "top"}, {"x": 0.98, "y": 0.02, "va": "bottom", "ha": "right"}
        x = place(positions)
        for ax, (title, curves) in zip(axes.flat, panels.items(), strict=False):
            for (values, words), side in zip(curves, sides, strict=False):
                values = np.maximum(values, 0.0001)
                ax.fill_between(x, values, color=RED, alpha=0.15, linewidth=0)
                ax.plot(x, values, color=RED, linewidth=2, clip_on=False)
                ax.text(s=words, transform=ax.transAxes, linespacing=1.0, **side)
            ax.set_title(title, loc="left", weight="bold")
            ax.set(xlim=(0, x[-1]), yscale="log", ylim=(0.0001, 3000))
            ax.set_yticks([0.0001, 1], ["0.0001", "1"])
            ax.minorticks_off()
            ax.set_xticks(place(xticks[title]), [f"{tick:,}" for tick in xticks[title]])
        for ax in axes.flat:
            ax.set(xlabel="position")
            ax.tick_params(labelleft=True)  # on a phone each panel stands alone
    return fig
