"""Sphinx: the lessons as committed, with their stored outputs. Built by build_site.py."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))

# The one setting that a published copy needs; its workflow sets it. No button leads to the placeholder OWNER.
REPOSITORY = os.environ.get("PE_LESSONS_REPOSITORY", "https://github.com/OWNER/pe_lessons").rstrip("/")
_owner, _name = REPOSITORY.split("/")[-2:]
_own = f"https://{_owner}.github.io"
_site = os.environ.get("PE_LESSONS_SITE") or (_own if _own.endswith(f"/{_name}") else f"{_own}/{_name}")
html_baseurl = f"{_site.rstrip('/')}/"  # previews of a link need whole addresses

project = "pe_lessons"
author = "The pe_lessons authors"
copyright = "The pe_lessons authors. Text and figures: CC BY 4.0. Code: BSD-3-Clause"
language = "en"
extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_exercises",
    "sphinx_lessons",
    "sphinx_pictures",
]
include_patterns = ["*.md", "notebooks/*.ipynb", "api/*.md", "teaching/**.md", "evidence/**.md"]
include_patterns += ["pe_lessons/small_models/*.md"]
exclude_patterns = ["notebooks/*.mine*.ipynb"]  # copies that a learner keeps
suppress_warnings = ["toc.not_included"]  # pages that others link to need not be in the sidebar
templates_path = ["_templates"]

nb_execution_mode = "off"
nb_ipywidgets_js = {}  # the notebooks store no widgets, only what stands in their place
nb_merge_streams = True
nb_render_markdown_format = "myst"
myst_enable_extensions = ["attrs_inline", "deflist", "dollarmath"]
myst_heading_anchors = 3
add_module_names = False
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
numpydoc_show_class_members = False

mathjax_path = "mathjax.js"  # not there: build_site.py sets the formulas in its place

html_theme = "sphinx_book_theme"
html_title = "pe_lessons"
html_favicon = html_logo = "_static/dial.svg"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js", ("exercises.js", {"type": "module"})]
html_js_files += [(name, {"type": "module"}) for name in ("pictures.js", "search.js", "words.js")]
html_show_sphinx = False
html_sidebars = {
    "**": [
        "navbar-logo.html", "icon-links.html", "search-button-field.html", "at-hand.html",
        "sbt-sidebar-nav.html",
    ]
}  # fmt: skip
html_theme_options = {
    "repository_url": REPOSITORY,
    "repository_branch": "main",
    "use_repository_button": True,
    "use_fullscreen_button": False,
    "launch_buttons": {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"},
    "footer_content_items": ["copyright.html"],
    "logo": {"text": html_title},
    "navbar_persistent": [],
    "article_header_start": ["toggle-primary-sidebar.html", "home.html"],
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

linkcheck_ignore = [r"https://github\.com/OWNER/"]
linkcheck_retries = 2


def setup(app):
    if "/OWNER/" not in REPOSITORY:  # pages then name the repository, and link to it
        app.tags.add("published")
