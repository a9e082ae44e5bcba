"""The live pictures of pictures.toml, in the lessons and where a page asks for one: ```{picture} name```."""

import json
import re
import tomllib
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform

PICTURES = tomllib.loads(Path(__file__).with_name("pictures.toml").read_text(encoding="utf-8"))


def html_of(name):
    asked = re.sub(r"\*(.+?)\*", r"<em>\1</em>", PICTURES[name]["ask"])
    return nodes.raw(
        "",
        f'<section class="live" data-picture="{name}" aria-label="{PICTURES[name]["title"]}">'
        f"<p><strong>{PICTURES[name]['title']}.</strong> {asked}</p>"
        "<noscript>This picture moves where JavaScript is allowed; the figure above holds still.</noscript>"
        "</section>",
        format="html",
    )


class Picture(Directive):
    required_arguments = 1

    def run(self):
        return [html_of(self.arguments[0])]


def find_cells(app, docname, source):
    """Note in the notebook's cells which picture stands below each."""
    lesson = Path(docname).name[3:]
    wanted = {one["after"]: name for name, one in PICTURES.items() if one["lesson"] == lesson}
    if not wanted or not docname.startswith("notebooks/"):
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        if cell["id"] in wanted:
            name = cell["metadata"]["picture"] = wanted.pop(cell["id"])
            if PICTURES[name].get("instead"):
                cell["outputs"] = []
    if wanted:
        raise ExtensionError(f"pictures.toml: {docname} has no cell {', '.join(wanted)}")
    source[0] = json.dumps(notebook)


class PlacePictures(SphinxTransform):
    default_priority = 861

    def apply(self):
        for cell in list(self.document.findall(nodes.container)):
            name = cell.get("cell_metadata", {}).get("picture")
            if name:
                cell.parent.insert(cell.parent.index(cell) + 1, html_of(name))


def setup(app):
    app.add_directive("picture", Picture)
    app.add_transform(PlacePictures)
    app.connect("source-read", find_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
