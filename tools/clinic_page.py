"""Writes the page of the clinic for the site: every riddle of lesson `the_clinic`, sorted by symptom.

build_site.py calls it; the page and its pictures are made every time and kept nowhere else.
"""

import html

from gallery_page import save
from reexecute import ROOT

from pe_lessons import plots
from pe_lessons.lessons.progress import notebook
from pe_lessons.lessons.the_clinic import clinic, figures

TOP = """---
html_theme.sidebar_secondary.remove: true
---

# The clinic, by symptom

What do you see? Choose it here, and you see the cases that it leads to.

```{{raw}} html
<link rel="stylesheet" href="_static/wall.css"><script type="module" src="_static/wall.js"></script>
<p class="filters" data-single>{buttons}</p>{wall}
```

Or draw your error position by position: the largest error so far. Then choose the shape that looks like
yours.

```{{raw}} html
{curves}
```

<details class="how"><summary>How the curves are drawn</summary>

{caption}

</details>

These are real faults of positional encodings, from people's projects. You can also take them as riddles:
which of the three suspects is it, and which test tells it from the others? In [the lesson]({lesson}) you
write such tests. The stories are shortened, and each answer links to what was really reported.
"""
# The cases that the six curves of `figures.fingerprints` lead to.
SHAPES = {
    "wrong at 0 already": (14, 17, 18, 31, 32),
    "wrong from 1 on, at once": (13, 19),
    "grows from the start": (4, 16),
    "wrong from 257 on": (),
    "a jump at trained length": (1, 25, 30),
    "a jump when it writes": (5, 10, 12, 29),
}
# What somebody sees, in the words in which one would look for it.
SEEN = {
    1: "After 4,096 tokens a good answer turns into noise.",
    4: "The first token is exact. The longer the prompt, the worse the output, and it ends in loops.",
    25: "Outputs are slightly off as soon as the prompt is longer than the attention window.",
    30: "Perplexity explodes when the cache is full and the oldest keys are removed.",
    5: "The prompt is read correctly, but generated tokens stutter from the second one on.",
    29: "With speculative decoding, the output changes whenever drafts are rejected.",
    10: "The answer to a short prompt changes when a longer prompt is in its batch.",
    12: "One user's answer goes wrong when another user sends a picture.",
    27: "A padded prompt gets another answer alone than in a batch.",
    28: "With packed sequences, the first token of each text gets another output than alone.",
    13: "After conversion, a checkpoint writes one or two words and then garbage. All weights are equal.",
    14: "A ported video model draws sharp frames that don't fit the prompt.",
    16: "The model is worse since a library was upgraded, without any message.",
    26: "A freshly loaded model has a high loss and ignores the word order. All weights are equal.",
    17: "A model with YaRN scores 20 points less in one engine than in others, on short problems.",
    18: "Sentence embeddings are a little worse on the fast path that packs texts.",
    19: "Queries are off by about 0.1 percent, from position 1 on.",
    31: "Answers are a little worse than elsewhere, in a model with attention sinks.",
    21: "Training on text crashes with an illegal memory access, in a model that also reads pictures.",
    23: "A generated video jumps back to its beginning at frame 201.",
    24: "Answers get worse when the model is divided between several cards.",
    32: "With a fused kernel, queries and keys come out wrong, at position 0 already.",
    33: "Most picture sizes are right, but with a square picture the model mixes up where things are.",
}
# Other words for it, for the search.
ALSO = dict.fromkeys((1, 13, 26), "It outputs garbage, gibberish, nonsense.")
ALSO[1] += " It does so after a long context."
ALSO |= dict.fromkeys((10, 27), "Left padding in a batch.")
OURS = "Three suspects, for when you have three of your own"
ANSWER = "Cause and fix"
GUILTY = f"Yes, it is this one. *{ANSWER}* says why."


def section(case):
    """One riddle, with its answer folded away."""
    told = " ".join(case.data["told"].split())
    threads = ", ".join(
        f"[{thread.removeprefix('https://github.com/')}]({thread})" for thread in case.data["thread"]
    )
    yield f"(case-{case.number})=\n### {case.title}\n"
    yield f"*Case {case.number}*\n"
    story = " ".join(case.data["story"].split())
    if "plot" in case.data:  # beside the story
        plot = case.data["plot"]
        drawn = f"![{plot['alt']}](clinic/case_{case.number:02d}.svg){{.turns-dark}}\n\n*{plot['caption']}*"
        story = f'<div class="told">\n<div>\n\n{story}\n\n</div>\n<div>\n\n{drawn}\n\n</div>\n</div>'
    yield f"{story}\n"
    call, *said = case.signature.splitlines()
    said, example = " ".join(" ".join(said).split()).rsplit(" For example, ", 1)
    example, result = example.removesuffix(".").split(" is ", 1)
    yield f"`{call}`: {said} For example, `{example}` is `{result}`.\n"
    if case.evidence:
        yield f"```{'python' if 'code' in case.data else 'pycon'}\n{case.evidence}\n```\n"
    suspects = "\n".join(
        f'<details class="suspect"><summary><b>{one.letter}</b> {html.escape(one.who)}</summary>\n\n'
        f"{GUILTY if one == case.culprit else f'Innocent. {one.say}'}\n\n</details>"
        for one in case.suspects
    )
    if case.later:
        suspects = f"<details><summary>{OURS}</summary>\n\n{suspects}\n</details>\n"
    yield f"{suspects}\n"
    yield f'<details class="cause"><summary>{ANSWER}</summary>\n'
    yield f"**{case.culprit.letter}**, {case.culprit.who}. {case.culprit.say}\n"
    yield f"```python\n{case.data['test'].strip()}\n```\n"
    lesson = f"[lesson {case.lesson[:2]}, {case.lesson[3:]}](notebooks/{case.data['lesson']}.ipynb)"
    yield f"{told}\n\nExplained in {lesson}. {threads}.\n"
    yield "</details>\n"


def curves(folder):
    """The six curves as links to their cases, each with its picture."""
    panels, positions = figures.fingerprints()
    named = figures.ticks(panels)
    items = []
    for number, (shape, drawn) in enumerate(panels.items()):
        bare = [(values, "") for values, _ in drawn]  # the page says the words, where a phone can show them
        ticks = named[shape][:: len(named[shape]) - 1]  # a phone has room for the first and the last
        fig = figures.panelled({"": bare}, positions=positions, xticks={"": ticks}, ncols=1)
        fig.set_size_inches(1.9, 1.1)
        fig.axes[0].set(xlabel="", ylabel="", ylim=(0.0001, 2))
        save(fig, folder / f"curve_{number}.svg")
        words = html.escape(" or ".join(said for _, said in drawn).replace("\n", " "))
        if cases := SHAPES[shape]:
            where, leads = f'href="#case-{cases[0]}" data-tag="curve-{number}"', f"{len(cases)} cases"
        else:
            path = notebook(ROOT / "notebooks", "when_numbers_break")
            where, leads = f'href="notebooks/{path.stem}.html"', f"lesson {path.name[:2]} explains it"
        picture = f'<img class="turns-dark" src="_static/clinic/curve_{number}.svg" alt="">'
        items.append(f"<li><a {where}><b>{shape}</b>{picture}<span>{words}</span>{leads}</a></li>")
    return f'<ul class="curves">{"".join(items)}</ul>'


def buttons():
    """A button for each symptom."""
    return "".join(
        f'<button type="button" data-tag="group-{number}" aria-pressed="false">{html.escape(group)}</button>'
        for number, group in enumerate(clinic.groups())
    )


def wall():
    """A card for each case."""
    groups = list(clinic.groups())
    cards = ""
    for case in clinic.cases():
        tags = [f"group-{groups.index(case.group)}"]
        tags += [f"curve-{n}" for n, cases in enumerate(SHAPES.values()) if case.number in cases]
        cards += (
            f'<li data-tags="{" ".join(tags)}"><a href="#case-{case.number}">{html.escape(case.title)}</a>'
            f"<p>{html.escape(SEEN[case.number])} <small>Case {case.number}, {case.data['minutes']} minutes, "
            f"with lesson {case.lesson[:2]}</small></p></li>"
        )
    return f'<p class="wall-count" role="status" tabindex="-1"></p><ul class="wall">{cards}</ul>'


def write(folder):
    """clinic.md, clinic/*.svg and _static/clinic/*.svg in a folder."""
    (folder / "clinic").mkdir(exist_ok=True)
    (folder / "_static/clinic").mkdir(parents=True, exist_ok=True)
    lesson = notebook(ROOT / "notebooks", "the_clinic")
    _, caption = plots.words(figures.__file__)["show_fingerprints"]
    parts = {"buttons": buttons(), "curves": curves(folder / "_static/clinic"), "wall": wall()}
    page = [TOP.format(lesson=f"notebooks/{lesson.name}", caption=caption, **parts)]
    for group, cases in clinic.groups().items():
        page.append(f"## {group}\n")
        for case in cases:
            page += section(case)
            if "plot" in case.data:
                save(case.figure(), folder / "clinic" / f"case_{case.number:02d}.svg")
    (folder / "clinic.md").write_text("\n".join(page), encoding="utf-8")
