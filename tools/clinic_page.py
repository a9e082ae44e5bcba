"""Writes the page of the clinic for the site: every riddle of lesson `the_clinic`, sorted by symptom.

build_site.py calls it; the page and its pictures are made every time and kept nowhere else.
"""

import html

import matplotlib

matplotlib.use("agg")  # before pyplot, for a machine without a screen

from matplotlib import pyplot as plt
from reexecute import ROOT

from pe_lessons.lessons.progress import notebook
from pe_lessons.lessons.the_clinic import clinic, figures

TOP = """# The clinic, by symptom

Real faults of positional encodings, from people's projects. Look for what you see in your own model, or take
them as riddles. Which of the three suspects is it, and which test tells it from the others? In
[the lesson]({lesson}) you write such tests, and a check says which suspects they catch. There you also hunt
one fault through a whole program. The stories are shortened. The answers have what was really reported, with
links.

First draw your error position by position. Its shape names suspects:

![{alt}](clinic/fingerprints.svg){{.turns-dark}}

*{caption}*
"""
OURS = "Three suspects, for when you have three of your own"
ANSWER = "Who it is, and a test that shows it"


def link_to(case):
    """The lesson that explains a case, as a link."""
    path = notebook(ROOT / "notebooks", case.data["lesson"])
    return f"[lesson {path.name[:2]}, {case.lesson}](notebooks/{path.name})"


def section(case):
    """One riddle, with its answer folded away."""
    told = " ".join(case.data["told"].split())
    threads = ", ".join(
        f"[{thread.removeprefix('https://github.com/')}]({thread})" for thread in case.data["thread"]
    )
    yield f"### {case.number} · {case.title}\n"
    yield " ".join(case.data["story"].split()) + "\n"
    if "plot" in case.data:
        plot = case.data["plot"]
        yield f"![{plot['alt']}](clinic/case_{case.number:02d}.svg){{.turns-dark}}\n\n*{plot['caption']}*\n"
    yield f"```text\n{case.signature}\n```\n"
    if case.evidence:
        yield f"```{'python' if 'code' in case.data else 'pycon'}\n{case.evidence}\n```\n"
    suspects = "\n".join(f"- **{one.letter}** {one.who}" for one in case.suspects) + "\n"
    if case.later:
        suspects = f"<details><summary>{OURS}</summary>\n\n{suspects}\n</details>\n"
    yield suspects
    yield f"<details><summary>{html.escape(ANSWER)}</summary>\n"
    yield f"**{case.culprit.letter}**, {case.culprit.who}. {case.culprit.say}\n"
    yield f"```python\n{case.data['test'].strip()}\n```\n"
    yield f"{told}\n\nExplained in {link_to(case)}. {threads}.\n"
    yield "</details>\n"


def save(fig, path):
    """A picture whose bytes are the same every time."""
    with plt.rc_context({"svg.hashsalt": path.stem}):  # names inside
        fig.savefig(path, metadata={"Date": None})
    plt.close(fig)


def write(folder):
    """clinic.md and clinic/*.svg in a folder."""
    (folder / "clinic").mkdir(exist_ok=True)
    lesson = notebook(ROOT / "notebooks", "the_clinic")
    first = figures.drawn()
    save(first.pop("fig"), folder / "clinic" / "fingerprints.svg")
    page = [TOP.format(lesson=f"notebooks/{lesson.name}", **first)]
    for group, cases in clinic.groups().items():
        page.append(f"## {group}\n")
        for case in cases:
            page += section(case)
            if "plot" in case.data:
                save(case.figure(), folder / "clinic" / f"case_{case.number:02d}.svg")
    (folder / "clinic.md").write_text("\n".join(page), encoding="utf-8")
