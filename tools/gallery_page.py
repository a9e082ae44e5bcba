"""Writes the page of the gallery for the site: every config of the gallery, read, with a picture each.

build_site.py calls it; the page and its pictures are made anew every time and kept nowhere else.
"""

import math

import matplotlib

matplotlib.use("agg")  # before pyplot, for a machine without a screen

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm

from pe_lessons import models

LENGTH = 8192  # where a file gives no length
TOP = """# A gallery of positions

What well-known models say about positions in their own files, read by `pe_lessons.models`:
`python -m pe_lessons.models config.json` says the same of any other model. The numbers were typed from the
file that is linked, at the commit or release that the link names; what could not be opened is not here.

In the pictures every row is a layer, the first at the bottom, and every column a pair of columns of a head,
the fastest on the left. The darker, the oftener the pair turns between the two tokens that are farthest
apart: at the ends of the longest text, or of the window. White pairs turn less than once. A layer in which
nothing turns is white, and a model in which nothing does has no picture: the words say what is done instead.
Where a file says no length, 8,192 is taken.
"""


def turns(layer, length):
    """(n_pairs,) how often each pair turns between the tokens that are farthest apart."""
    reach = min(layer.window or length, length)
    return np.array(layer.frequencies) * reach / (2 * math.pi)


def picture(exhibit):
    """(figure, words for those who cannot see it), or None where nothing turns."""
    plan = models.layers(exhibit["config"])
    if all(layer.kind != "rotary" for layer in plan):
        return None
    length = models.length(exhibit["config"]) or LENGTH
    widest = max(len(layer.frequencies) for layer in plan)
    grid = np.full((len(plan), widest), np.nan)
    for number, layer in enumerate(plan):
        found = turns(layer, length)
        grid[number, : len(found)] = np.where(found > 0, found, np.nan)
    fig, ax = plt.subplots(figsize=(6, 1.6))
    fig.subplots_adjust(0.08, 0.28, 0.96, 0.95)
    ax.set(xlim=(-0.5, widest - 0.5), ylim=(-0.5, len(plan) - 0.5), xlabel="pair", ylabel="layer")
    grid = np.ma.masked_less(np.ma.masked_invalid(grid), 1)
    image = ax.imshow(grid, aspect="auto", origin="lower", norm=LogNorm(1, 1e5), cmap="viridis_r")
    bar = fig.colorbar(image, ax=ax, label="turns", ticks=(1, 100, 10_000), format="{x:,.0f}")
    bar.minorticks_off()
    ax.set_facecolor("white")
    whole = sorted({int((turns(layer, length) >= 1).sum()) for layer in plan})
    return fig, f"Of {widest} pairs, {' or '.join(map(str, whole))} turn at least once in a layer."


DARK = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), "0.9")


def save(fig, path, name, **options):
    """A picture whose bytes are the same every time, with letters as letters."""
    with plt.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        fig.savefig(path, metadata={"Date": None}, **options)
    plt.close(fig)


def write(folder):
    """gallery.md and gallery/*.svg in a folder."""
    (folder / "gallery").mkdir(exist_ok=True)
    page = [TOP]
    for name, exhibit in models.gallery().items():
        repository = exhibit["source"].removeprefix("https://github.com/").split("/blob/")[0]
        page += [
            f"## {exhibit['model']}, {exhibit['date']}\n",
            f"{exhibit['published'].capitalize()}: [{repository}]({exhibit['source']}). {exhibit['note']}\n",
        ]
        if drawn := picture(exhibit):
            fig, words = drawn
            save(fig, folder / "gallery" / f"{name}.svg", name)
            with plt.rc_context(DARK):  # the same colours and white, on a dark page
                save(picture(exhibit)[0], folder / "gallery" / f"{name}_dark.svg", name, facecolor="none")
            page.append(
                f"![{words}](gallery/{name}.svg){{.in-light}}\n"
                f"![{words}](gallery/{name}_dark.svg){{.in-dark .dark-light}}\n"
            )
        page.append(f"```text\n{models.explain(exhibit['config'])}\n```\n")
    (folder / "gallery.md").write_text("\n".join(page), encoding="utf-8")
