"""The live pictures of pictures.toml, in the lessons and where a page asks for one: ```{picture} name```.

And the figures of panels.toml, whose images get the class ``panels`` for build_site.py.
"""

import json
import re
import tomllib
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform

PICTURES, PANELS = (
    tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    for name in ("pictures.toml", "panels.toml")
)

WITHOUT_SCRIPT = "This picture moves where JavaScript is allowed; the figure above holds still."
STILL = '<img src="_images/readme.png" alt="Two heat maps, one of them with the exponent doubled.">'


def html_of(name, story=None, wide=False):
    """A picture as nodes. With a story, which is told when it is solved, it opens a page."""
    title, asked = PICTURES[name]["title"], re.sub(r"\*(.+?)\*", r"<em>\1</em>", PICTURES[name]["ask"])
    kind = "live" + " wide" * wide + " hero" * bool(story)
    opening = (
        f'<section class="{kind}" data-picture="{name}" aria-label="{title}">'
        f"<p><strong>{title}{'' if title.endswith('?') else '.'}</strong> {asked}</p>"
        f"<noscript>{STILL if story else WITHOUT_SCRIPT}</noscript>"
    )
    raw = [nodes.raw("", part, format="html") for part in (opening, "</section>")]
    return [raw[0], *filter(None, [story]), raw[1]]


class Picture(Directive):
    """What stands below the name is the story, told when the picture is solved."""

    required_arguments = 1
    has_content = True

    def run(self):
        story = nodes.container(classes=["story"])
        self.state.nested_parse(self.content, self.content_offset, story)
        return html_of(self.arguments[0], story if self.content else None, wide=True)


def find_cells(app, docname, source):
    """Note in the notebook's cells which picture stands below each, and whose figures have panels."""
    lesson = Path(docname).name
    wanted = {one["after"]: name for name, one in PICTURES.items() if one.get("lesson") == lesson[3:]}
    panelled = {*PANELS.get(lesson, ())}
    if not (wanted or panelled) or not docname.startswith("notebooks/"):
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        if cell["id"] in wanted and cell["cell_type"] == "code":
            name = cell["metadata"]["picture"] = wanted.pop(cell["id"])
            if PICTURES[name].get("instead"):
                cell["outputs"] = []
        if cell["id"] in panelled:
            panelled.remove(cell["id"])
            cell["metadata"]["mystnb"] = {"image": {"classes": "panels"}}
    if missing := [*wanted, *panelled]:
        raise ExtensionError(f"pictures.toml or panels.toml: {docname} has no code cell {', '.join(missing)}")
    source[0] = json.dumps(notebook)


class PlacePictures(SphinxTransform):
    default_priority = 861

    def apply(self):
        for cell in list(self.document.findall(nodes.container)):
            name = cell.get("cell_metadata", {}).get("picture")
            if name:
                at = cell.parent.index(cell) + 1
                cell.parent[at:at] = html_of(name)


def setup(app):
    app.add_directive("picture", Picture)
    app.add_transform(PlacePictures)
    app.connect("source-read", find_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
