"""Write the sources of docs/sources.toml where they are read: lessons' ends, and docs/bibliography.md.

    python course.py tables

A source has a key, a `kind`, a `title`, a `link`, and a table `cited`, which maps the name of a lesson to
what exactly that lesson cites it for. Papers also have `authors` and `year`, the year of the first public
version. `opened` is the day on which somebody opened the link and found there what it is cited for.
"""

import tomllib
from dataclasses import dataclass, field
from datetime import date

import nbformat
from reexecute import ROOT, find_notebooks

DATA = ROOT / "docs" / "sources.toml"
PAGE = ROOT / "docs" / "bibliography.md"
NAMES_OF_KINDS = {
    "paper": "Papers and books",
    "config": "Configurations of models",
    "code": "Code",
    "thread": "Threads in which people met a mistake",
    "page": "Pages",
}
LABEL = "**Sources.**"
# lesson -> what is seen of its sources
FOLDED = {"the_clinic": "The threads, which name the culprits, for later"}
# lesson -> the sources that its end lists; the replies to solved cases link to the others
LISTED = {
    "the_clinic": {
        "blaizzy-mlx-vlm-1715",
        "ml-gsai-llada-120",
        "sgl-project-sglang-33558",
        "nvidia-nemo-megatron-bridge-4760",
    }
}

ABOUT = """# Bibliography

Written by `tools/write_sources.py` from `docs/sources.toml`, where each source is said once: what exactly
it is cited for, lesson by lesson, and the day on which it was opened for that. The year is that of the
first public version. Links to code and configurations name a commit where there is one, since files change.
A paper that is not marked as opened is cited for no more than its abstract or its best-known formula.
"""


@dataclass(frozen=True)
class Source:
    key: str
    kind: str
    title: str
    link: str
    cited: dict = field(default_factory=dict)
    authors: str = ""
    year: int | None = None
    opened: date | None = None

    @property
    def label(self):
        """The name by which a lesson calls it: `Vaswani et al. (2017)`, or its title."""
        return f"{self.authors} ({self.year})" if self.authors else self.title

    @property
    def name(self):
        """The label as a link, and for papers the whole title."""
        return f"[{self.label}]({self.link})" + (f", *{self.title}*" if self.authors else "")


def read(path=DATA):
    """All sources, papers by year, the rest by name."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    sources = [Source(key, **entry) for key, entry in data.items()]
    order = list(NAMES_OF_KINDS)
    return sorted(sources, key=lambda one: (order.index(one.kind), one.year or 0, one.label.lower()))


def cell_text(lesson, sources):
    """What the cell `sources` of a lesson says; `lesson` is its name, as in "the_naive_loop"."""
    names = {}  # by what they are cited for: several that say the same share a line
    for source in sources:
        if lesson in source.cited and source.key in LISTED.get(lesson, {source.key}):
            names.setdefault(source.cited[lesson], []).append(source.name)
    lines = []
    for text, those in names.items():
        many = f"{text[0].upper()}{text[1:]}: {'; '.join(those)}"
        lines.append(f"- {f'{those[0]}: {text}' if len(those) == 1 else many}.")
    if lesson in FOLDED:
        lines = [f"<details><summary>{FOLDED[lesson]}</summary>", "", *lines, "", "</details>"]
    return "\n".join([LABEL, "", *lines]) if lines else LABEL


def page_text(sources):
    """What docs/bibliography.md says."""
    parts, numbers = [ABOUT], {path.stem[3:]: path.name[:2] for path in find_notebooks()}
    for kind, heading in NAMES_OF_KINDS.items():
        parts.append(f"\n## {heading}\n\n")
        for source in sources:
            if source.kind == kind:
                opened = f" Opened {source.opened}." if source.opened else ""
                parts.append(f"- {source.name}.{opened}\n")
                cited = sorted((numbers[lesson], text) for lesson, text in source.cited.items())
                parts += [f"  - lesson {number}: {text}\n" for number, text in cited]
    return "".join(parts)


def main():
    sources = read()
    PAGE.write_text(page_text(sources), encoding="utf-8", newline="\n")
    for path in find_notebooks():
        notebook = nbformat.v4.reads(path.read_text(encoding="utf-8"))
        for cell in notebook.cells:
            if cell.get("id") == "sources":
                cell.source = cell_text(path.stem[3:], sources)
        path.write_text(nbformat.v4.writes(notebook) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
