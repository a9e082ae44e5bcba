"""Writes the page of the clinic for the site: every riddle of lesson `the_clinic`, sorted by symptom.

build_site.py calls it; the page and its pictures are made every time and kept nowhere else.
"""

import html
import tomllib

from gallery_page import save
from reexecute import ROOT

from pe_lessons import plots
from pe_lessons.lessons.progress import notebook
from pe_lessons.lessons.the_clinic import clinic, figures

TOP = """---
html_theme.sidebar_secondary.remove: true
---

# The clinic, by symptom

Something is wrong with your model. What do you see? Choose it, or choose the curve that looks like your
error. Each case that is left is a riddle with three suspects. Its number names it in [the lesson]({lesson}).

```{{raw}} html
<link rel="stylesheet" href="_static/wall.css"><script type="module" src="_static/wall.js"></script>
<p class="filters" data-single>{buttons}</p>
<h2 class="or">Or choose a curve</h2>
{curves}
<p class="wall-count" role="status" tabindex="-1"></p>
```
"""
WORDS = tomllib.loads((ROOT / "docs/clinic.toml").read_text(encoding="utf-8"))
SHAPES = WORDS["shapes"]
SEEN, ALSO, TOKENS, FIX = ({int(n): x for n, x in WORDS[k].items()} for k in "seen also tokens fix".split())
TOKENS = {n: one.replace("x", "<i>■</i>").replace(" ", "<br>") for n, one in TOKENS.items()}
SECTION = "with-8-digits-positions-merge"  # where lesson 21 has the curve without cases
BESIDE = '<div class="told">\n<div>\n\n{}\n\n</div>\n<div>\n\n{}\n\n</div>\n</div>'
ASKED = "Which of the three is it?"
OURS = f"What would you suspect? Here are three. {ASKED}"
ANSWER = "Cause and fix"
GUILTY = f'Yes, it is this one. <button type="button" class="to-cause">{ANSWER}</button> says why.'


def section(case):
    """One riddle, with its answer folded away."""
    threads = "\n".join(f"- [{one.partition('.com/')[2]}]({one})" for one in case.data["thread"])
    yield f"(case-{case.number})=\n### {case.title}\n\n*Case {case.number}*\n"
    story = " ".join(case.data["story"].split())
    if "plot" in case.data:  # beside the story
        plot = case.data["plot"]
        drawn = f"![{plot['alt']}](clinic/case_{case.number:02d}.svg){{.turns-dark}}\n\n*{plot['caption']}*"
        story = BESIDE.format(story, drawn)
    elif shapes := [(n, shape) for n, (shape, found) in enumerate(SHAPES.items()) if case.number in found]:
        [(n, shape), *_] = shapes
        said = "{} ({})".format(*WORDS["called"][shape])
        drawn = f'<img class="turns-dark" src="_static/clinic/shape_{n}.svg" alt="The error: {said}.">'
        story = BESIDE.format(story, f"{drawn}\n\n*The shape of its error: {said}. {WORDS['error']}*")
    else:
        drawn = f'<div class="tokens" aria-hidden="true">{TOKENS[case.number]}</div>'
        story = BESIDE.format(story, f"{drawn}\n\n*{WORDS['key']}*")
    yield f"{story}\n"
    call, *said = case.signature.splitlines()
    said, example = " ".join(" ".join(said).split()).rsplit(" For example, ", 1)
    example, result = example.removesuffix(".").split(" is ", 1)
    meant = f"Here `{call}` is the code in question: {said} For example, `{example}` is `{result}`.\n"
    if case.evidence:
        yield f"{meant}\n```{'python' if 'code' in case.data else 'pycon'}\n{case.evidence}\n```\n"
    suspects = "\n".join(
        f'<details class="suspect{" guilty" * (one == case.culprit)}">'
        f"<summary><b>{one.letter}</b> {html.escape(one.who)}</summary>\n\n"
        f"{GUILTY if one == case.culprit else f'Innocent. {one.say}'}\n\n</details>"
        for one in case.suspects
    )
    yield f"**{OURS if case.later else ASKED}** Choose one.\n\n{suspects}\n"
    yield f'<details class="cause"><summary>{ANSWER}</summary>\n'
    yield f"**It is {case.culprit.letter}:** {case.culprit.who}.\n\n{case.culprit.say}\n"
    yield f"**Fix.** {FIX[case.number]}\n"
    yield f"**A test that tells it from the others:**\n\n{'' if case.evidence else meant}"
    yield f"```python\n{case.data['test'].strip()}\n```\n"
    lesson = f"[lesson {case.lesson[:2]}, {case.lesson[3:]}](notebooks/{case.data['lesson']}.ipynb)"
    yield f"**What was reported.** {' '.join(case.data['told'].split())}\n\n{threads}\n"
    yield f"Explained in {lesson}.\n\n</details>\n"


def curves(folder):
    """The six curves as links to their cases, each with its picture."""
    panels, positions = figures.fingerprints()
    named = figures.ticks(panels)
    items = []
    for number, (shape, drawn) in enumerate(panels.items()):
        bare = [(values, "") for values, _ in drawn]  # the page says the words, where a phone can show them
        middle = [9, 256] if 9 in named[shape] else [16, 257 if 257 in named[shape] else 256]
        ticks = [0, *middle, named[shape][-1]]
        fig = figures.panelled({"": bare}, positions=positions, xticks={"": ticks}, ncols=1)
        fig.set_size_inches(2.6, 1.65)
        fig.axes[0].set(xlabel="position (log)", ylabel="error (log)", ylim=(0.0001, 2))
        fig.axes[0].set_yticks([0.0001, 0.01, 1], ["0.0001", "0.01", "1"])
        save(fig, folder / f"curve_{number}.svg")
        fig.set_size_inches(5, 2.6)
        save(fig, folder / f"shape_{number}.svg")
        fig.set_size_inches(1, 0.4)
        fig.axes[0].set(xlabel="", ylabel="", xticks=[], yticks=[])
        [one.remove() for one in list(fig.axes[0].texts)]
        save(fig, folder / f"curve-{number}.svg")
        path = notebook(ROOT / "notebooks", "when_numbers_break")
        where, leads = f'href="notebooks/{path.stem}.html#{SECTION}"', f"→ lesson {path.name[:2]} explains it"
        if cases := SHAPES[shape]:
            where, leads = f'href="#case-{cases[0]}" data-tag="curve-{number}"', f"{len(cases)} cases"
        picture = f'<img class="turns-dark" src="_static/clinic/curve_{number}.svg" alt="">'
        shape, words = WORDS["called"].get(shape, (shape, drawn[0][1]))
        items.append(f"<li><a {where}><b>{shape}</b>{picture}<span>{words}</span>{leads}</a></li>")
    return f'<ul class="curves">{"".join(items)}</ul>'


def buttons():
    """A button for each symptom."""
    return "".join(
        f'<button type="button" data-tag="group-{number}" aria-pressed="false">{html.escape(group)}</button>'
        for number, group in enumerate(clinic.groups())
    )


def wall(number, cases):
    """A card for each case of a group. A case without a curve has its tokens."""
    cards = ""
    for case in cases:
        lines = [f"curve-{n}" for n, found in enumerate(SHAPES.values()) if case.number in found]
        drawn = TOKENS.get(case.number) or f'<img class="turns-dark" src="_static/clinic/{lines[0]}.svg" alt>'
        cards += (
            f'<li data-tags="{" ".join([f"group-{number}", *lines])}"><b>{case.number}</b>'
            f'<span class="tokens" aria-hidden="true">{drawn}</span>'
            f'<a href="#case-{case.number}">{html.escape(case.title)}</a><p>{SEEN[case.number]}</p>'
            f"<small>{case.data['minutes']} minutes, with lesson {case.lesson[:2]}</small></li>"
        )
    return f'```{{raw}} html\n<ul class="wall cases">{cards}</ul>\n```\n'


def write(folder):
    """clinic.md, clinic/*.svg and _static/clinic/*.svg in a folder."""
    (folder / "clinic").mkdir(exist_ok=True)
    (folder / "_static/clinic").mkdir(parents=True, exist_ok=True)
    lesson = f"notebooks/{notebook(ROOT / 'notebooks', 'the_clinic').name}"
    _, caption = plots.words(figures.__file__)["show_fingerprints"]
    drawn = curves(folder / "_static/clinic")
    page = [TOP.format(lesson=lesson, buttons=buttons(), curves=drawn)]
    for number, (group, cases) in enumerate(clinic.groups().items()):
        page += [f"## {group}\n", wall(number, cases)]
    page += [WORDS["how"].format(lesson=lesson, caption=caption), "## One by one\n"]
    for case in clinic.cases():
        page += section(case)
        if "plot" in case.data:
            plots.quiet(fig := case.figure())
            save(fig, folder / "clinic" / f"case_{case.number:02d}.svg")
    (folder / "clinic.md").write_text("\n".join(page), encoding="utf-8")
