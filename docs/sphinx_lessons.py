"""What Sphinx is to know of the lessons: questions, glossary, folded cells, alt texts, copies for Colab."""

import base64
import hashlib
import html
import io
import json
import re
from pathlib import Path

import nbformat
import numpy as np
from docutils import nodes
from docutils.parsers.rst import Directive
from myst_nb.core.render import NbElementRenderer
from myst_nb.sphinx_ import HideCodeCellNode
from PIL import Image, ImageFilter
from reexecute import ASKED
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

from pe_lessons import plots

COLAB_CELL = """\
import sys

if "google.colab" in sys.modules:  # elsewhere the course is installed already
    %pip install --quiet --no-deps "pe_lessons @ git+{repository}"
"""

SHOW = {
    "imports": "Show the imports",
    "code": "Show the code of this picture",
    "output": "Show the answer",
    "picture": "Show the picture",
}
THUMB = 208  # dots of the page
LONG = 8  # lines of code above a figure that are in its way
ONLY_DRAWS = re.compile(r"(#.*\n)*figures\.\w+\((.|\n[ )])*\)\s*$")  # one call


def number(docname):
    """The number of a lesson; None for any other page."""
    match = re.match(r"notebooks/(\d\d)_", docname or "")
    return match and int(match[1])


def is_lesson(docname):
    return number(docname) is not None


def paragraph(doctree, start):
    """The first paragraph that begins so; None if there is none."""
    found = (node for node in doctree.findall(nodes.paragraph) if node.astext().startswith(start))
    return next(found, None)


def is_caption(paragraph):
    """Whether a paragraph stands below a figure: such are all in italics."""
    return len(paragraph) == 1 and isinstance(paragraph[0], nodes.emphasis)


def reference(env, shown, kind, target):
    """A link to a page or to an entry of the glossary."""
    return addnodes.pending_xref(
        "", shown, refdomain="std", reftype=kind, reftarget=target, refexplicit=True,
        refdoc=env.docname, refwarn=True,
    )  # fmt: skip


def without_label(found):
    """A copy without the bold words at its beginning, and without links, so that any page can show it."""
    found = found.deepcopy()
    for link in list(found.findall(addnodes.pending_xref)):
        link.replace_self(link.children)
    del found[: found.index(next(found.findall(nodes.strong))) + 1]
    if isinstance(found[0], nodes.Text):
        text = found[0].lstrip()
        found[0] = nodes.Text(text[:1].upper() + text[1:])
    return found


def question(env, docname):
    """The question of a lesson as a paragraph: the lesson before it ends with it."""
    lesson = number(docname)
    before = [name for name in env.found_docs if lesson and number(name) == lesson - 1]
    asked = before and paragraph(env.get_doctree(before[0]), f"The question for lesson {lesson:02d}:")
    if not asked:
        return None
    asked = without_label(asked)
    asked["classes"].append("question")
    for maths in list(asked.findall(nodes.math)):  # a single letter needs no MathJax
        maths.replace_self(nodes.emphasis("", maths.astext()))
    return asked


class NameHeadings(SphinxTransform):
    """Lessons link to headings by the names that Jupyter gives them; here they have the names of GitHub."""

    default_priority = 870  # before MyST looks for the headings

    def apply(self):
        for link in self.document.findall(addnodes.pending_xref):
            if link.get("reftargetid"):
                link["reftargetid"] = self.name(link["reftargetid"])
        for link in self.document.findall(nodes.reference):
            if link.get("id_link"):
                link["refuri"] = f"#{self.name(link['refuri'][1:])}"

    def name(self, anchor):
        return re.sub(r"\$.*?\$|[^\w-]", "", anchor.lower())  # without the formulas of a heading


class LinkWords(SphinxTransform):
    """In a lesson, the first use of each word of the glossary, and every *lesson 07*, lead to their places.

    Lessons are linked in the glossary too. Words such as "half" often mean no term, so they lead nowhere.
    """

    default_priority = 880  # when paragraphs are whole, before the glossary's entries are looked up

    def apply(self):
        own, docs = number(self.env.docname), self.env.found_docs
        if own is None and self.env.docname != "glossary":
            return
        entries = Path(self.env.srcdir, "glossary.md").read_text(encoding="utf-8").split("```{glossary}")[1]
        words = sorted(re.findall(r"^([^\s`].*)$", entries, re.MULTILINE), key=len, reverse=True)
        word = re.compile(rf"\b({'|'.join(map(re.escape, words))})s?\b", re.IGNORECASE)
        linked = {"correction", "gain", "gap", "half", "kernel", "turn"}
        pages = {number(n): f"/{n}" for n in docs if number(n) not in (None, own)}

        def entry(found):
            target = found[1].lower()
            new = own is not None and target not in linked  # the glossary links its own words itself
            linked.add(target)
            return ("term", target) if new else None

        def page(found):
            return ("doc", pages[int(found[1])]) if int(found[1]) in pages else None

        plain = (nodes.paragraph, nodes.emphasis)
        self.link(word, entry, (*plain, nodes.strong))
        self.link(re.compile(r"\b[Ll]esson (\d\d)\b"), page, plain)

    def link(self, pattern, target_of, parents):
        texts = [text for one in self.document.findall(nodes.paragraph) if not is_caption(one)
                 for text in one.findall(nodes.Text) if isinstance(text.parent, parents)]  # fmt: skip
        for text in texts:
            said, end, parts = text.astext(), 0, []
            for found in pattern.finditer(said):
                if target := target_of(found):
                    link = reference(self.env, nodes.inline("", found[0]), *target)
                    parts += [nodes.Text(said[end : found.start()]), link]
                    end = found.end()
            if parts:
                text.parent.replace(text, [*parts, nodes.Text(said[end:])])


class MarkQuestions(SphinxTransform):
    """Paragraphs that ask for a prediction are told from the others."""

    default_priority = 883

    def apply(self):
        for strong in self.document.findall(nodes.strong):
            if ASKED.match(f"**{strong.astext()}") and isinstance(strong.parent, nodes.paragraph):
                strong.parent["classes"].append("prediction")


# The sentences of the first paragraph, up to the one that explains a word, and the rest.
ANSWER = r"((?:(?!\*\*|\n\n).)*[.?!][*)]?(?=\s+[A-Z*]|\n\n|$))\s*(.*)"


def fold_cells(app, docname, source):
    """Code that draws or imports is folded, and long code whose one output is a figure; so is what a cell
    gives out after a question for a prediction. With it goes what reads it, where no word is explained,
    or in a cell that is tagged so its first sentences."""
    if not is_lesson(docname):
        return
    notebook, told = json.loads(source[0]), False
    for cell in notebook["cells"]:
        after, told = told, False  # whether what stands above is told after a question
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if after and "told-after" in cell["metadata"].get("tags", ()):
                answer, rest = re.fullmatch(ANSWER, text, re.DOTALL).groups()
                cell["source"] = f'<div class="told-after">\n\n{answer}\n\n</div>\n\n{rest}'
            elif after and cell["id"].endswith("-read") and not re.search(r"\*\*|^#", text, re.M):
                cell["source"] = f'<div class="told-after">\n\n{text}\n\n</div>'
        elif "nbgrader" not in cell["metadata"]:
            tags = cell["metadata"].setdefault("tags", [])
            draws = any("image/png" in output.get("data", ()) for output in cell["outputs"])
            hidden = bool(cell["metadata"].get("jupyter", {}).get("outputs_hidden"))
            told = hidden or (after and draws)
            tags += ["told-after"] * (told and not hidden)
            long = draws and text.count("\n") + 1 >= LONG and "print(" not in text
            if "plots.show(" in text or cell["id"] == "imports" or long or (draws and ONLY_DRAWS.match(text)):
                tags.append("hide-input")
            if hidden:
                tags.append("hide-output")
    source[0] = json.dumps(notebook)


def open_folded(translator, node):
    """Instead of MyST-NB's, which has one prompt for code and output alike."""
    kind = "imports" if node.astext().startswith(("import ", "from ")) else "code"
    if "below-input" in node["classes"]:
        kind = "picture" if next(node.findall(nodes.image), None) else "output"
    classes = " ".join([*node["classes"], kind])
    translator.body.append(f'<details class="hide {classes}"><summary>{SHOW[kind]}</summary>')


def close_folded(translator, node):
    translator.body.append("</details>")


def thumbnail(app, lesson, cell_id, down=0, share=0.7):
    """A small square of the first coloured part of a figure, at its left edge: as tags, for light and dark.
    `down` says how far down it begins, and `share` how wide it is, in parts of the figure's part."""
    cells = nbformat.read(Path(app.srcdir, f"notebooks/{lesson}.ipynb"), 4).cells
    [outputs] = (one.outputs for one in cells if one.id == cell_id)
    [output] = (one for one in outputs if "image/png" in one.get("data", ()))
    told = output.metadata["image/png"]
    light = base64.b64decode(output.data["image/png"])
    Path(app.outdir, "_images").mkdir(exist_ok=True)
    for kind, png in (("light", light), ("dark", dark_twin(light, told["width"], told["coloured"]))):
        drawn = Image.open(io.BytesIO(png))
        scale = drawn.width / told["width"]
        left, top, right, bottom = (int(side) * scale for side in told["coloured"][0].split())
        side, top = float(share) * min(right - left, bottom - top), top + float(down) * (bottom - top)
        part = drawn.resize((2 * THUMB, 2 * THUMB), box=(left, top, left + side, top + side))
        part.save(Path(app.outdir, f"_images/part_{lesson}_{kind}.png"))
        shown = (
            f'<img src="_images/part_{lesson}_{kind}.png" class="in-{kind}{" dark-light" * (kind == "dark")}"'
        )
        yield f'{shown} alt="" loading="lazy" width="{THUMB}" height="{THUMB}">'


class LessonMap(nodes.General, nodes.Element):
    """Filled when all lessons have been read."""


class LessonMapDirective(Directive):
    """What stands below it says what a part lets one do, ``I · Build it: You write ...``, of which figure it
    shows a piece, ``I · Build it, picture: lesson cell`` (and more of `thumbnail`), and what a lesson asks,
    ``by_hand: Which ...?``. Without it a lesson asks what the one before it ends with."""

    has_content = True

    def run(self):
        return [LessonMap(says=dict(line.split(": ", 1) for line in self.content), classes=[self.name])]


class FillLessonMap(SphinxPostTransform):
    """The lessons of the front page's tables of contents, part by part, each with its question."""

    default_priority = 4  # before references are resolved

    def run(self):
        for node in list(self.document.findall(LessonMap)):
            toctrees = self.env.get_doctree("index").findall(addnodes.toctree)
            parts = [
                one for toctree in toctrees for one in self.part(toctree, node["says"], *node["classes"])
            ]
            node.replace_self(nodes.container("", *parts, classes=node["classes"]))

    def part(self, toctree, says, kind):
        names = [name for _, name in toctree["entries"] if is_lesson(name)]
        if not names:
            return []
        caption = toctree["caption"]
        place = nodes.make_id(caption)
        hours, half = divmod(round(sum(map(self.minutes, names)) / 30), 2)
        counted = nodes.paragraph("", f"{len(names)} lessons, {hours}{'½' * half} hours", classes=["minutes"])
        if kind == "stages":
            drawn = "".join(thumbnail(self.app, *says[f"{caption}, picture"].split()))
            link = nodes.reference("", caption, refuri=f"#{place}", internal=True)
            told = nodes.paragraph("", "", link), nodes.paragraph("", says[caption]), counted
            return [nodes.container("", nodes.raw("", drawn, format="html"), *told, classes=["stage"])]
        head = nodes.container("", nodes.rubric("", caption, ids=[place]), counted, classes=["part-head"])
        items = [self.item(name, says.get(name.partition("_")[2])) for name in names]
        lessons = nodes.bullet_list("", *items, classes=["lesson-map"])
        return [nodes.container("", head, lessons, classes=["part"])]

    def minutes(self, name):
        return int(re.search(r"[Aa]bout (\d+) minutes|$", self.env.get_doctree(name).astext())[1] or 0)

    def item(self, name, asked):
        number, _, title = self.env.titles[name].astext().partition(" · ")
        link = reference(self.env, nodes.inline("", title), "doc", f"/{name}")
        place = nodes.inline("", f"{number} ", classes=["number"])
        time = nodes.inline("", f" {self.minutes(name) or '–'} min", classes=["minutes"])
        asked = nodes.paragraph("", asked, classes=["question"]) if asked else question(self.env, name)
        return nodes.list_item("", nodes.paragraph("", "", place, link, time), *filter(None, [asked]))


PAPER = 0.07  # the grey that white becomes on a dark page
LIFT = 0.75  # under 1: what is neither dark nor light can be read there as well
# In dots of a picture: less by 10 without the strokes of numbers, more by 50 with its words, less by 30.
SLAB = ((10, 254), (50, 0), (30, 254))
# hue-rotate(180deg) of CSS
OPPOSITE_HUE = np.array([[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]])
# The colours of both maps, by day and in the dark.
BY_DAY, IN_DARK = (np.concatenate([two[n](range(256))[:, :3] for two in plots.MAPS.values()]) for n in (0, 1))


def mapped(kept):
    """(own, level) of each pixel of a part: whether its colour is one of a map's, and which. A part whose
    colours are only near the maps' has colours of its own."""
    colours, places = np.unique(kept.reshape(-1, 3), axis=0, return_inverse=True)
    away = np.linalg.norm(colours[:, None] - BY_DAY, axis=-1)
    inked = colours.min(axis=1) < 0.99
    other = (away.min(axis=1) < 0.03)[places][inked[places]].mean() < 0.3
    found = (away.min(axis=1) < 0.18) & (not other) & inked, away.argmin(axis=1)
    return (one[places.ravel()].reshape(kept.shape[:2]) for one in found)


def dark_twin(png, width, coloured):
    """A PNG that is so wide on the page for a dark one: what is drawn in light ink on no paper, but in the
    parts "left top right bottom" colours are kept. Those of a map are turned: near 0 they are dark."""
    drawn = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    # As invert(0.93) hue-rotate(180deg) of CSS, but lighter.
    turned = (PAPER + (1 - 2 * PAPER) * (1 - drawn / 255)) @ OPPOSITE_HUE.T
    turned = PAPER + (1 - PAPER) * np.clip((turned - PAPER) / (1 - PAPER), 0, 1) ** LIFT
    ink = np.abs(turned - PAPER).max(axis=-1, keepdims=True) / (1 - PAPER)
    colour = PAPER + (turned - PAPER) / np.maximum(ink, 1e-3)
    twin = np.concatenate([np.clip(colour, 0, 1), np.clip(ink, 0, 1)], axis=-1)
    twin = (255 * twin).round().astype(np.uint8)
    scale = drawn.shape[1] / width
    for box in coloured:
        left, top, right, bottom = (round(scale * int(side)) for side in box.split())
        part = slice(top, bottom), slice(left, right)
        kept = drawn[part] / 255
        own, level = mapped(kept)
        if own.mean() > 0.6 * (kept.min(axis=-1) < 1).mean():
            colours = np.dstack([IN_DARK[level], np.ones(level.shape)])
            twin[part] = np.where(own[..., None], 255 * colours, twin[part])
            continue
        # A slab of paper among the colours, with its grey words, is turned; thinner white may be a number.
        paper = kept.min(axis=-1) == 1
        for step, limit in SLAB:
            blurred = Image.fromarray(255 * paper.astype(np.uint8)).filter(ImageFilter.BoxBlur(step))
            paper = np.asarray(blurred) > limit
        paper &= np.ptp(kept, axis=-1) < 0.01
        if (lines := kept.min(axis=(0, 2)) > 0.97).mean() < 0.4:  # between boxes, with their soft edges
            paper |= np.convolve(lines, np.ones(3), mode="same") > 0
        coloured_part = (255 * np.dstack([kept, np.ones(kept.shape[:2])])).round()
        twin[part] = np.where(paper[..., None], twin[part], coloured_part)
    file = io.BytesIO()
    Image.fromarray(twin).save(file, format="png")
    return file.getvalue()


def describe_figures(app):
    """plots.show keeps alt text, size and coloured parts in the metadata, where MyST-NB does not look."""
    render_image = NbElementRenderer.render_image

    def render_described(self, data):
        [image] = render_image(self, data)
        told = data.output_metadata.get(data.mime_type, {})
        image["alt"] = told.get("alt", "")
        image.update_all_atts({key: f"{told[key]}px" for key in ("width", "height") if key in told})
        twin = dark_twin(base64.b64decode(data.content), told["width"], told.get("coloured", ()))
        dark = image.deepcopy()
        dark["uri"] = self.write_file([f"{hashlib.sha256(twin).hexdigest()}.png"], twin, exists_ok=True)
        dark["classes"] += ["in-dark", "dark-light"]  # the theme leaves the second as it is
        image["classes"].append("in-light")
        return [image, dark]

    NbElementRenderer.render_image = render_described


def finish_page(app, doctree, docname):
    """Pictures and captions become figures, links to modules lead to their page, and a question that the
    next link carries is shown in print only."""
    images = [image for image in doctree.findall(nodes.image) if "in-dark" not in image["classes"]]
    for number_on_page, image in enumerate(images, start=1):
        after = image.next_node(siblings=True, descend=False)
        twins = [after] if isinstance(after, nodes.image) and "in-dark" in after["classes"] else []
        caption = after.next_node(siblings=True, descend=False) if twins else after
        if isinstance(caption, nodes.paragraph) and isinstance(caption[0], nodes.emphasis):
            for moved in [*twins, caption]:
                moved.parent.remove(moved)
            caption = nodes.caption("", "", *caption[0].children)
            pictures = [one.deepcopy() for one in [image, *twins]]
            wide = ["wide"] * (int(image.get("width", "0px")[:-2]) > 100 * plots.OUT)
            figure = nodes.figure("", *pictures, caption, ids=[f"figure-{number_on_page}"], classes=wide)
            image.replace_self(figure)
    for link in list(doctree.findall(addnodes.download_reference)):
        module = re.search(r"(pe_lessons/\w+)\.py$", link["reftarget"])
        if module and module[1].replace("/", ".") in getattr(app.env, "_viewcode_modules", ()):
            uri = app.builder.get_relative_uri(docname, f"_modules/{module[1]}")
            link.replace_self(nodes.reference("", "", *link.children, refuri=uri, internal=True))
    asked = paragraph(doctree, "The question for lesson") if is_lesson(docname) else None
    if asked and any(number(name) == number(docname) + 1 for name in app.env.found_docs):
        asked["classes"] += ["d-none", "d-print-block"]


def preview(app, doctree):
    """The picture that a link to a page shows: the first of the page that is a PNG, or the README's."""
    drawn = (one["uri"].rpartition("/")[2] for one in doctree.findall(nodes.image))
    return f"_images/{next((name for name in drawn if name.endswith('.png')), 'readme.png')}"


def in_parts(menu):
    """The menu with its parts folded, except for the part of this page."""
    menu = menu.replace("<summary>", '<summary aria-label="Pages below">')  # the theme gives it no name
    first, *parts = re.split(r'<p[^>]*class="caption".*?"caption-text">(.*?)</span></p>', menu)
    folded = '<details class="menu-part"{}><summary>{}</summary>{}</details>'
    return first + "".join(
        folded.format(" open" * ('class="current' in pages), name, pages)
        for name, pages in zip(parts[::2], parts[1::2])
    )


def page_context(app, pagename, templatename, context, doctree):
    """The page in a sentence, the questions beside the links to the neighbours, and the button for Colab."""
    if doctree is not None:
        asked = question(app.env, pagename) if is_lesson(pagename) else paragraph(doctree, "")
        said = html.escape(" ".join(asked.astext().split())[:300] if asked else "")
        title = html.escape(re.sub(r"<.*?>", "", context.get("title", "")))
        context["metatags"] = context.get("metatags", "") + (
            f'<meta name="description" content="{said}" /><meta property="og:type" content="article" />'
            f'<meta property="og:title" content="{title}" />'
            f'<meta property="og:description" content="{said}" />'
            f'<meta property="og:url" content="{app.config.html_baseurl}{pagename}.html" />'
            f'<meta property="og:image" content="{app.config.html_baseurl}{preview(app, doctree)}" />'
            '<meta name="twitter:card" content="summary_large_image" />'
        )
    for side in ("prev", "next"):
        neighbour = context.get(side) and app.builder.relations[pagename][1 if side == "prev" else 2]
        asked = question(app.env, neighbour) if neighbour else None
        context[f"{side}_question"] = asked and app.builder.render_partial(asked)["fragment"]
    sidebar = context["generate_toctree_html"]
    context["generate_toctree_html"] = lambda *words, **options: in_parts(str(sidebar(*words, **options)))
    buttons = context.get("header_buttons", [])
    repository = app.config.html_theme_options["repository_url"].removeprefix("https://github.com")
    left_out = ["launch-buttons", "source-repository-button"] * repository.startswith("/OWNER/")
    left_out += ["download-buttons"] * (not is_lesson(pagename))
    buttons[:] = [one for one in buttons if one["label"] not in left_out]
    for group in buttons:
        if group["label"] == "launch-buttons":
            group["buttons"].append({
                "type": "link", "text": "Colab", "tooltip": "Launch on Colab",
                "icon": "_static/images/logo_colab.png",
                "url": f"https://colab.research.google.com/github{repository}/blob/gh-pages/colab/"
                       f"{Path(pagename).name}.ipynb",
            })  # fmt: skip


TOLD = """# pe_lessons: positional encoding in Transformers, as lessons with exercises

> A course for people who know Python, NumPy, sine and cosine. Each lesson below is Markdown with its code.
> It has no outputs, so that nobody is told a result before the question.

If you help somebody who learns with this course, read [these rules]({at}TUTOR.html) first. The
[glossary]({at}glossary.html), [the clinic]({at}clinic.html) (faults by symptom) and the
[bibliography]({at}bibliography.html) belong to it.

## Lessons

"""


def write_copies(app, exception):
    """Of every lesson a notebook for Colab, whose first cell installs the course, and Markdown; llms.txt."""
    if exception or app.builder.format != "html":
        return
    colab, told = Path(app.outdir, "colab"), TOLD.format(at=app.config.html_baseurl)
    colab.mkdir(exist_ok=True)
    install = COLAB_CELL.format(repository=app.config.html_theme_options["repository_url"])
    for name in sorted(filter(is_lesson, app.env.found_docs)):
        notebook = nbformat.read(Path(app.srcdir, f"{name}.ipynb"), 4)
        code = "```python\n{}\n```"
        parts = [(code if one.cell_type == "code" else "{}").format(one.source) for one in notebook.cells]
        Path(app.outdir, f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        told += f"- [{app.env.titles[name].astext()}]({app.config.html_baseurl}{name}.md)\n"
        notebook.cells.insert(0, nbformat.v4.new_code_cell(install, id="colab"))
        if "/OWNER/" not in install:
            nbformat.write(notebook, colab / f"{Path(name).name}.ipynb")
    Path(app.outdir, "llms.txt").write_text(told, encoding="utf-8")


def setup(app):
    app.add_node(LessonMap)
    app.add_directive("lesson-map", LessonMapDirective)
    app.add_directive("stages", LessonMapDirective)
    app.add_transform(NameHeadings)
    app.add_transform(LinkWords)
    app.add_transform(MarkQuestions)
    app.add_node(HideCodeCellNode, override=True, html=(open_folded, close_folded))
    app.connect("source-read", fold_cells)
    app.add_post_transform(FillLessonMap)
    app.connect("builder-inited", describe_figures)
    app.connect("doctree-resolved", finish_page)
    app.connect("html-page-context", page_context, priority=900)
    app.connect("build-finished", write_copies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
