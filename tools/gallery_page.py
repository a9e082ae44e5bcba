"""Writes the page of the gallery for the site: a wall of cards, and every config of the gallery, read.

build_site.py calls it; the page and its pictures are made again every time and kept nowhere else.
"""

import html
import itertools
import json
import math
import re
import tomllib

import matplotlib

matplotlib.use("agg")  # before pyplot, for a machine without a screen

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LogNorm
from reexecute import ROOT

from pe_lessons import models, plots
from pe_lessons.models import in_browser

WALL = """## {year}

```{{raw}} html
<ul class="wall">{cards}</ul>
```
"""
WORDS = tomllib.loads((ROOT / "docs/gallery.toml").read_text(encoding="utf-8"))
FILTERS, SOURCES, CAPTION = WORDS["filters"], WORDS["sources"], WORDS["caption"]
TOP, ONE_BY_ONE, DEFAULT = WORDS["page"]["top"], WORDS["page"]["sources"], "class default"


def turns(layer, length):
    """(n_pairs,) how often each pair turns between the tokens that are farthest apart."""
    reach = min(layer.window or length, length)
    return np.array(layer.frequencies) * reach / (2 * math.pi)


@plt.rc_context(plots.STYLE | {"image.interpolation": "none"})
def picture(exhibit):
    """(figure, a sentence of what it shows), or two of None where nothing turns."""
    plan = models.layers(exhibit["config"])
    if all(layer.kind != "rotary" for layer in plan):
        return None, None
    length = models.length(exhibit["config"]) or 8192
    widest = max(len(layer.frequencies) for layer in plan)
    grid = np.zeros((len(plan), widest))
    for number, layer in enumerate(plan):
        grid[number, : len(layer.frequencies)] = turns(layer, length)
    fig, ax = plt.subplots()
    ax.set(xlim=(-0.5, widest - 0.5), ylim=(-0.5, len(plan) - 0.5), xlabel="pair", ylabel="layer")
    grid = np.ma.masked_less(grid, 1)
    image = ax.imshow(grid, aspect="auto", origin="lower", norm=LogNorm(0.03, 1e5), cmap=plots.WEIGHTS)
    bar = fig.colorbar(image, ax=ax, label="turns", ticks=(1, 100, 10_000), format="{x:,.0f}")
    bar.ax.set_ylim(1, 1e5)  # the palest colours are too near to the ground
    bar.outline.set_visible(False)
    bar.minorticks_off()
    whole = sorted({int((turns(layer, length) >= 1).sum()) for layer in plan})
    text = f"a text of {length:,} tokens{' (the length of the library)' * (DEFAULT in exhibit['published'])}"
    text = text if models.length(exhibit["config"]) else CAPTION["without"]
    return fig, CAPTION["all"].format(widest=widest, whole=" or ".join(map(str, whole)), text=text)


def save(fig, path, **options):
    """A picture whose bytes are the same every time."""
    with plt.rc_context(plots.STYLE | {"svg.hashsalt": path.stem}):
        fig.savefig(path, metadata={"Date": None}, **options)
    plt.close(fig)


def filters():
    """Buttons that a script shows, with what they mean; each is the key to a colour as well."""
    return "".join(
        f'<button type="button" data-tag="{tag}" aria-pressed="false" title="{means}"><i class="{tag}"></i>'
        f"{words}</button>"
        for tag, (words, means) in FILTERS.items()
    )


def card(name, exhibit):
    """A model on the wall: when, a strip of its layers, what they do, and a box to compare it."""
    plan = models.layers(exhibit["config"])
    found = in_browser.mechanisms(plan)
    said = ", ".join(
        f"{'all' if count == len(plan) else count} {in_browser.IN_WORDS[kind]}"
        for kind, count in found.items()
    )
    length = models.length(exhibit["config"])
    until = f"Up to {length:,} tokens" if length else "No length given"
    until = "Length not known here" if DEFAULT in exhibit["published"] else until
    turned = [layer for layer in plan if layer.kind == "rotary"]
    bases = " and ".join(dict.fromkeys(f"{layer.base:,.10g}" for layer in turned))
    rules = "".join(dict.fromkeys(f", rule {layer.rule}" for layer in turned if layer.rule != "default"))
    model = html.escape(exhibit["model"])
    anchor = re.sub("[^a-z0-9]+", "-", name)  # as Sphinx makes it of the heading
    return (
        f'<li data-tags="{" ".join(found)}"><a href="#{anchor}">{model}</a> '
        f"<small>{exhibit['date']} · {SOURCES[exhibit['published']]}</small>{in_browser.strip(plan)}"
        f"<p>{len(plan)} layers: {said}. {f'Base {bases}{rules}. ' * bool(turned)}{until}.</p>"
        f'<label hidden><input type="checkbox" value="{name}" data-model="{model}"> compare</label></li>'
    )


def section(name, exhibit, drawn):
    """What is known of a model, with its picture if it has one."""
    repository = exhibit["source"].removeprefix("https://github.com/").split("/blob/")[0]
    yield f"({name})=\n### {exhibit['model']}, {exhibit['date']}\n"
    yield f"{exhibit['published'].capitalize()}: [{repository}]({exhibit['source']}). {exhibit['note']}\n"
    if drawn:
        for kind, one in (("desks", name), ("phones", f"{name}-phone")):
            yield f"![How often pairs turn.](gallery/{one}.svg){{.turns-dark .of-{kind} loading=lazy}}"
        yield f"\n*{drawn}*\n"
    yield f"```text\n{models.explain(exhibit['config'])}\n```\n"


def write(folder):
    """gallery.md, gallery/*.svg, _static/gallery.json in a folder, the models in its read_a_config.md."""
    (folder / "gallery").mkdir(exist_ok=True)
    (folder / "_static").mkdir(exist_ok=True)
    shown = dict(sorted(models.gallery().items(), key=lambda one: one[1]["date"], reverse=True))
    defaults = {name: " (library default)" for name in shown if DEFAULT in shown[name]["published"]}
    options = "".join(
        f'<option value="{name}">{html.escape(one["model"])}{defaults.get(name, "")}</option>'
        for name, one in shown.items()
    )
    page = [TOP.format(count=len(shown), defaults=len(defaults), filters=filters(), options=options)]
    for year, names in itertools.groupby(shown, lambda name: shown[name]["date"][:4]):
        page.append(WALL.format(year=year, cards="".join(card(name, shown[name]) for name in names)))
    page.append(ONE_BY_ONE)
    for name, exhibit in shown.items():
        fig, words = picture(exhibit)
        if fig:
            for kind, wide in (("", 7), ("-phone", 3.3)):
                fig.set_size_inches(wide, 2)
                save(fig, folder / "gallery" / f"{name}{kind}.svg")
        page += section(name, exhibit, words)
    (folder / "gallery.md").write_text("\n".join(page), encoding="utf-8")
    texts = {name: in_browser.example(name) for name in shown}
    said = {name: {"text": text, **json.loads(in_browser.read(text))} for name, text in texts.items()}
    for name in defaults:
        facts = said[name]["facts"]
        facts[2] = facts[2] and f"not known here (the library takes {facts[2]})"
        said[name]["mark"] = "library default"
    (folder / "_static/gallery.json").write_text(json.dumps(said), encoding="utf-8")
    text = (folder / "read_a_config.md").read_text(encoding="utf-8").replace("MODELS OF THE GALLERY", options)
    (folder / "read_a_config.md").write_text(text, encoding="utf-8")
