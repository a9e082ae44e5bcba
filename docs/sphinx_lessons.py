"""What Sphinx is to know of the lessons: questions, glossary, the figures' alt texts, copies for Colab."""

import json
import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from myst_nb.core.render import NbElementRenderer
from sphinx import addnodes
from sphinx.directives.other import TocTree
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.matching import patfilter

COLAB_CELL = """\
import sys

if "google.colab" in sys.modules:  # elsewhere the course is installed already
    %pip install --quiet --no-deps "pe_lessons @ git+{repository}"
"""


def number(docname):
    """The number of a lesson; None for any other page."""
    match = re.match(r"notebooks/(\d\d)_", docname or "")
    return match and int(match[1])


def is_lesson(docname):
    return number(docname) is not None


def lessons(env):
    return sorted(filter(is_lesson, env.found_docs))


def paragraph(doctree, start):
    """The first paragraph that begins so; None if there is none."""
    found = (node for node in doctree.findall(nodes.paragraph) if node.astext().startswith(start))
    return next(found, None)


def without_links(found):
    """A copy that can be shown on any page."""
    found = found.deepcopy()
    for link in list(found.findall(addnodes.pending_xref)):
        link.replace_self(link.children)
    return found


def without_label(found):
    """A copy without the bold words at its beginning."""
    found = without_links(found)
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


def opening(env, docname):
    """The first paragraph of a lesson, for the one that begins without a question."""
    first = without_links(paragraph(env.get_doctree(docname), ""))
    first["classes"].append("question")
    return first


class LinkGlossary(SphinxTransform):
    """In a lesson, the first use of each word of the glossary leads to its entry."""

    default_priority = 880  # when paragraphs are whole, before the glossary's entries are looked up

    def apply(self):
        if not is_lesson(self.env.docname):
            return
        words = sorted(glossary_words(Path(self.env.srcdir, "glossary.md")), key=len, reverse=True)
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, words))})s?\b", re.IGNORECASE)
        linked = set()
        for paragraph in self.document.findall(nodes.paragraph):
            for text in list(paragraph.findall(nodes.Text)):
                if isinstance(text.parent, nodes.paragraph | nodes.emphasis | nodes.strong):
                    self.link(text, pattern, linked)

    def link(self, text, pattern, linked):
        said, end, parts = text.astext(), 0, []
        for found in pattern.finditer(said):
            word = found[1].lower()
            if word not in linked:
                linked.add(word)
                reference = addnodes.pending_xref(
                    "", nodes.inline("", found[0]), refdomain="std", reftype="term", reftarget=word,
                    refexplicit=True, refdoc=self.env.docname, refwarn=True,
                )  # fmt: skip
                parts += [nodes.Text(said[end : found.start()]), reference]
                end = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(said[end:])])


def glossary_words(page):
    """The words that have an entry, as it spells them."""
    entries = page.read_text(encoding="utf-8").split("```{glossary}")[1]
    return re.findall(r"^([^\s`].*)$", entries, re.MULTILINE)


class TocTreeOfExisting(TocTree):
    """A table of contents that passes over patterns nothing matches: lessons that are not written yet."""

    def run(self):
        missing = [line for line in self.content if "*" in line and not patfilter(self.env.found_docs, line)]
        for line in missing:
            self.content.remove(line)
        return super().run() if self.content else []


class Placeholder(nodes.General, nodes.Element):
    """Filled when all lessons have been read."""


class Fill(Directive):
    """`{lesson-map}`."""

    def run(self):
        return [Placeholder()]


class FillPlaceholders(SphinxPostTransform):
    default_priority = 4  # before references are resolved

    def run(self):
        for node in list(self.document.findall(Placeholder)):
            node.replace_self(self.lesson_map())

    def link(self, docname):
        text = nodes.inline("", self.env.titles[docname].astext())
        return addnodes.pending_xref(
            "", text, refdomain="std", reftype="doc", reftarget=f"/{docname}", refexplicit=True,
            refdoc=self.env.docname, refwarn=True,
        )  # fmt: skip

    def lesson_map(self):
        """The lessons of this page's tables of contents, part by part, each with its question."""
        parts = []
        for toctree in self.document.findall(addnodes.toctree):
            names = [name for _, name in toctree["entries"] if is_lesson(name)]
            if names:
                items = []
                for name in names:
                    title = nodes.paragraph("", "", self.link(name))
                    asked = question(self.env, name) or opening(self.env, name)
                    items.append(nodes.list_item("", title, asked))
                parts.append(nodes.rubric("", toctree["caption"]))
                parts.append(nodes.bullet_list("", *items, classes=["lesson-map"]))
        return parts


def describe_figures(app):
    """plots.show keeps the alt text in the output's metadata, where MyST-NB does not look for it."""
    render_image = NbElementRenderer.render_image

    def render_with_alt(self, data):
        images = render_image(self, data)
        images[0]["alt"] = data.output_metadata.get(data.mime_type, {}).get("alt", "")
        return images

    NbElementRenderer.render_image = render_with_alt


def finish_page(app, doctree, docname):
    """Pictures and captions become figures, links to modules lead to their page, and a question that the
    next link carries is shown in print only."""
    for number_on_page, image in enumerate(list(doctree.findall(nodes.image)), start=1):
        caption = image.next_node(siblings=True, descend=False)
        if isinstance(caption, nodes.paragraph) and isinstance(caption[0], nodes.emphasis):
            caption.parent.remove(caption)
            caption = nodes.caption("", "", *caption[0].children)
            name = f"figure-{number_on_page}"
            image.replace_self(nodes.figure("", image.deepcopy(), caption, ids=[name]))
    for link in list(doctree.findall(addnodes.download_reference)):
        module = re.search(r"(pe_lessons/\w+)\.py$", link["reftarget"])
        if module and module[1].replace("/", ".") in getattr(app.env, "_viewcode_modules", ()):
            uri = app.builder.get_relative_uri(docname, f"_modules/{module[1]}")
            link.replace_self(nodes.reference("", "", *link.children, refuri=uri, internal=True))
    asked = paragraph(doctree, "The question for lesson") if is_lesson(docname) else None
    if asked and any(number(name) == number(docname) + 1 for name in app.env.found_docs):
        asked["classes"] += ["d-none", "d-print-block"]


def page_context(app, pagename, templatename, context, doctree):
    """The questions beside the links to the neighbours, and the button for Colab."""
    for side in ("prev", "next"):
        neighbour = context.get(side) and app.builder.relations[pagename][1 if side == "prev" else 2]
        asked = question(app.env, neighbour) if neighbour else None
        context[f"{side}_question"] = asked and app.builder.render_partial(asked)["fragment"]
    sidebar = context["generate_toctree_html"]
    named = '<summary aria-label="Pages below">'  # the theme leaves these without a name
    context["generate_toctree_html"] = lambda *words, **options: str(sidebar(*words, **options)).replace(
        "<summary>", named
    )
    for group in context.get("header_buttons", ()):
        if group["label"] == "launch-buttons":
            repository = app.config.html_theme_options["repository_url"].removeprefix("https://github.com")
            group["buttons"].append({
                "type": "link", "text": "Colab", "tooltip": "Launch on Colab",
                "icon": "_static/images/logo_colab.png",
                "url": f"https://colab.research.google.com/github{repository}/blob/gh-pages/colab/"
                       f"{Path(pagename).name}.ipynb",
            })  # fmt: skip


def write_colab_copies(app, exception):
    """Notebooks whose first cell installs the course, on Colab only; the lessons themselves stay clean."""
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, "colab")
    folder.mkdir(exist_ok=True)
    source = COLAB_CELL.format(repository=app.config.html_theme_options["repository_url"])
    cell = {
        "cell_type": "code",
        "id": "colab",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": source,
    }
    for name in lessons(app.env):
        notebook = json.loads(Path(app.srcdir, f"{name}.ipynb").read_text(encoding="utf-8"))
        notebook["cells"].insert(0, cell)
        copy = json.dumps(notebook, indent=1, ensure_ascii=False)
        (folder / f"{Path(name).name}.ipynb").write_text(copy, encoding="utf-8")


def setup(app):
    app.add_node(Placeholder)
    app.add_directive("toctree", TocTreeOfExisting, override=True)
    app.add_directive("lesson-map", Fill)
    app.add_transform(LinkGlossary)
    app.add_post_transform(FillPlaceholders)
    app.connect("builder-inited", describe_figures)
    app.connect("doctree-resolved", finish_page)
    app.connect("html-page-context", page_context, priority=900)
    app.connect("build-finished", write_colab_copies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
