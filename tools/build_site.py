"""Build the reading site into docs/_build/html: python course.py site [more words for sphinx-build]

Sphinx wants all its sources in one folder, so they are gathered in docs/_build/source: the pages of docs/,
the notebooks, the teacher's guide, and whatever else they may link to. MathJax, which sets the formulas,
Python for the exercises (Pyodide), their editor (CodeMirror) and the search (Pagefind) come from npm. NumPy
does not: Pyodide fetches its own wheel from the place of its releases. Where that is out of reach, the site
is built without the wheel, and exercises that need NumPy say where they can be done. PE_LESSONS_REPOSITORY
and PE_LESSONS_SITE are the addresses of repository and site, where GitHub has no site of that name.
"""

import hashlib
import json
import os
import pkgutil
import re
import runpy
import shutil
import string
import subprocess
import sys
import tomllib
import zipfile
from html import escape
from pathlib import Path
from urllib.parse import quote, urlsplit

import clinic_page
import formulas
import gallery_page
import npm_packages
import numpy as np
from PIL import Image
from sphinx.cmd.build import main

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BUILD = DOCS / "_build"
SOURCE = BUILD / "source"
NPM = npm_packages.NPM
NOT_LINKED = {"docs", "build", "dist"}

# What the theme writes, and what stands there instead.
REPAIRED = {
    "<html ": '<html data-theme="light" ',  # without JavaScript it stays so
    '<div id="pst-primary-sidebar" ': '<div id="pst-primary-sidebar" role="region" aria-label="Site" ',
    '<th class="head"><p></p></th>': "<td></td>",  # the corner of a table
    '<th class="head"></th>': "<td></td>",
}
SERIF = "@fontsource-variable/source-serif-4"
PYODIDE = ("pyodide.mjs", "pyodide.asm.*", "python_stdlib.zip", "pyodide-lock.json")


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        ignore = shutil.ignore_patterns("_build", "__pycache__", ".*")
        shutil.copytree(source, target, ignore=ignore, dirs_exist_ok=True)
    elif source.exists():
        shutil.copy2(source, target)


def pack_course(target):
    """The modules that exercises and the reader of configs import, as one file for Pyodide."""
    package = ROOT / "pe_lessons"
    rooms = (package.glob(f"{room}/**/*") for room in ("exercises", "lessons", "models"))
    files = [*package.glob("*.py"), *(path for room in rooms for path in room if path.is_file())]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(files):
            if "__pycache__" not in path.parts:
                packed.write(path, path.relative_to(ROOT))


BUNDLE = """
const { buildSync } = require("esbuild");
const [source, target, licence, modules] = process.argv.slice(1);
const options = { bundle: true, minify: true, format: "esm", allowOverwrite: true, nodePaths: [modules] };
buildSync({ entryPoints: [source], outfile: target, banner: { js: `/*! ${licence} */` }, ...options });
"""


def bundle_editor(target):
    """The editor of the exercises and all that it imports as one file, with the licence on top."""
    modules = NPM / "node_modules"
    licence = (modules / "@codemirror/view/LICENSE").read_text(encoding="utf-8")
    source = DOCS / "_static/editor.js"
    command = ["node", "-e", BUNDLE, str(source), str(target), f"CodeMirror, Lezer: {licence}", str(modules)]
    subprocess.run(command, check=True, env=os.environ | {"NODE_PATH": str(modules)})


def numpy_wheel(pyodide):
    """[Pyodide's wheel of NumPy], in Pyodide's folder, or [] where it cannot be had."""
    about = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]["numpy"]
    wheel = pyodide / about["file_name"]
    if not wheel.exists():
        fetch = "require(process.argv[1]).loadPyodide().then((python) => python.loadPackage('numpy'))"
        subprocess.run(["node", "-e", fetch, str(pyodide)], check=True)
    if not wheel.exists():
        print(f"Without {wheel.name} no exercise that needs NumPy runs on the site.")
        return []
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != about["sha256"]:
        raise ValueError(f"{wheel} is not the file that pyodide-lock.json names. Delete it and build again.")
    return [wheel]


def gather():
    shutil.rmtree(SOURCE, ignore_errors=True)
    copy(DOCS, SOURCE)
    copy(DOCS / "readme.png", SOURCE / "docs/readme.png")  # where the README looks for it
    for path in ROOT.glob("[!.]*"):
        if path.name not in NOT_LINKED and path.suffix != ".egg-info" and not (path / "pyvenv.cfg").exists():
            copy(path, SOURCE / path.name)
    # The pages of docs/ are at the top here.
    for page in (SOURCE / "README.md", *SOURCE.glob("teaching/*.md"), *SOURCE.glob("notebooks/*.ipynb")):
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(r"\]\((\.\./)?docs/(?=\w+\.md)", r"](\1", text), encoding="utf-8")
    copy(formulas.FONTS, SOURCE / "_static/mathjax")
    for font in NPM.glob(f"node_modules/{SERIF}/files/*-latin-wght-*.woff2"):
        copy(font, SOURCE / "_static" / font.name)
    pyodide = NPM / "node_modules/pyodide"
    for path in (*(path for name in PYODIDE for path in pyodide.glob(name)), *numpy_wheel(pyodide)):
        copy(path, SOURCE / "_static/python" / path.name)
    bundle_editor(SOURCE / "_static/editor.js")
    pack_course(SOURCE / "_static/python/pe_lessons.zip")
    for module in pkgutil.iter_modules([ROOT / "pe_lessons"]):
        if module.name in ("_arguments", "exercises", "lessons"):
            continue
        name = f"pe_lessons.{module.name}"
        page = f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"
        (SOURCE / "api").mkdir(exist_ok=True)
        (SOURCE / "api" / f"{module.name}.md").write_text(page)
    gallery_page.write(SOURCE)
    clinic_page.write(SOURCE)


SUBSET = """
const [subset, fs] = [require("subset-font"), require("fs")];
const [letters, ...fonts] = process.argv.slice(1);
(async () => {
  for (const font of fonts) {
    const axes = font.includes("-wght-") ? { variationAxes: { wght: { min: 400, max: 700 } } } : {};
    fs.writeFileSync(font, await subset(fs.readFileSync(font), letters, { targetFormat: "woff2", ...axes }));
  }
})();
"""


def icon_letters(html, names):
    """The letters that stand for icons of these names (``fa-sun``) in the theme's fonts."""
    found = ""
    for style in (html / "_static/styles").glob("*.css"):
        text = style.read_text(encoding="utf-8")
        for selectors, code in re.findall(r'([^{}]*)\{--fa:"\\([0-9a-f]+) ?"', text):
            if names & {one.strip().lstrip(".") for one in selectors.split(",")}:
                found += chr(int(code, 16))
    return found


WEIGHTS = {"notebooks/": 1, "glossary": 2, "read_a_config": 1, "clinic": 1, "api": 0.1, "teaching": 0.1}
ALSO = tomllib.loads((DOCS / "search_words.toml").read_text(encoding="utf-8"))
UNSEARCHED = ("_modules/", "genindex", "search", "404", "progress", "evidence/", "EVIDENCE")
UNREAD = ".headerlink, .suspect, .viewcode-link, .cell_input, .cell_output pre, .cell_output table, script"
UNREAD += ", summary, .to-answer details, .cause, .filters, .cases, .told > div:nth-child(2), "
UNREAD += ", ".join(f".highlight-{one}" for one in ("none", "python", "pycon", "bash"))
SOURCES = re.compile(r"<p><strong>Sources\.</strong></p>.*?</ul>", re.DOTALL)
SENTENCES = re.compile(r"(?<=[.?!]) (?=[A-Z(])")
CASE = re.compile(r'<section id="case-(\d+)">.*?</section>', re.DOTALL)


def searched(name, text, weight, **about):
    """Put a page where Pagefind looks. It gives back what is said `about` the page: the words that are
    explained there, or, for a part of a page, where a link to it leads."""
    body = f'data-pagefind-body data-pagefind-weight="{weight}"'
    body += f' data-pagefind-meta="{", ".join(f"{key}[data-{key}]" for key in about)}"'
    body += "".join(f' data-{key}="{escape(said)}"' for key, said in about.items())
    target = BUILD / "searched" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f'<html lang="en"><body {body}>{text}</body></html>', encoding="utf-8")


def index_search(pages, html):
    """Give Pagefind the articles, and with every lesson the words for which the glossary names it first.
    And terms.json: where a term is explained, and the sentence of its lesson that uses it first."""
    entries = (DOCS / "glossary.md").read_text(encoding="utf-8").split("```{glossary}")[1]
    texts = {path.relative_to(html).as_posix(): text for path, text in pages.items()}
    lessons = {name[10:12]: name for name in texts if name.startswith("notebooks/")}
    places = {phrase: {"in": lessons[lesson]} for lesson, found in ALSO.items() for phrase in found}
    words = {lesson: list(found) for lesson, found in ALSO.items()}
    for word, said in re.findall(r"^(\S.*)\n((?:  .*\n)+)", entries, re.MULTILINE):
        written = re.escape(word).replace("'", ".")
        anchor = re.search(rf'id="(term-[^"]+)">{written}<', texts["glossary.html"])[1]
        said = re.sub(r"\{term\}`([^`<]*)[^`]*`|[*`]", r"\1", " ".join(said.split()))
        places[word.lower()] = place = {"word": word, "at": f"glossary.html#{anchor}", "said": said}
        if lesson := re.search(r"Lessons? (\d\d)", said):
            words.setdefault(lesson[1], []).append(word)
            place["in"] = name = lessons[lesson[1]]
            before, linked, after = texts[name].partition(f'glossary.html#{anchor}"')  # its first use there
            sections = re.findall(r'<section id="([^"]+)">\s*<h[23]>(.*?)<a', before) if linked else []
            if sections:
                place |= {"in": f"{name}#{sections[-1][0]}", "under": re.sub("<.*?>", "", sections[-1][1])}
                around = f'{before.rpartition("<p")[2].partition(">")[2]}">\0{after.partition(">")[2]}'
                around = re.sub("<.*?>", "", formulas.in_words(around.partition("</p>")[0]))
                said = SENTENCES.split(" ".join(around.split()))
                at = next(n for n, one in enumerate(said) if "\0" in one)
                said = said[at - (at > 0 and len(said[at]) < 60) : at + 1]  # not too short
                place["first"] = " ".join(said).replace("\0", "")[:300]
    asks = dict(re.findall(r"^(\w+): (.*)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE))
    for place in (one for one in places.values() if "in" in one):
        place["asks"] = asks[re.search(r"\d\d_(\w+)", place["in"])[1]]
        place["title"] = re.search("<h1>(.*?)<a", texts[place["in"].partition("#")[0]])[1]
    (html / "_static/terms.json").write_text(json.dumps(places), encoding="utf-8")
    models = re.findall(r'<a href="(#[^"]+)">(.*?)</a> <small>.*?<p>(.*?)</p>', texts["gallery.html"])
    names = [("Models", name, f"gallery.html{at}", said) for at, name, said in models]
    for who, title in re.findall(r'">([^<]+)</a>, <em>(.+?)</em>', texts["bibliography.html"]):
        names.append(("Source", title, f"bibliography.html#:~:text={quote(title)}", who))
    (html / "_static/names.json").write_text(json.dumps(names).replace("&amp;", "&"), encoding="utf-8")
    shutil.rmtree(BUILD / "searched", ignore_errors=True)
    for path, text in pages.items():
        name = path.relative_to(html).as_posix()
        article = re.search("<article.*?</article>", text, re.DOTALL)
        if name.startswith(UNSEARCHED) or not article:
            continue
        weight = next((w for start, w in WEIGHTS.items() if name.startswith(start)), 0.5)
        text = formulas.in_words(re.sub(SOURCES, "", article[0]))
        text = re.sub(r"(?:</p>)?\s*</t[dh]>\s*<t[dh][^>]*>(?:<p>)?", ", ", text)  # a row is a sentence
        if name == "clinic.html":  # an answer is one case, and not all of them
            for case in CASE.finditer(text):
                told = re.sub("(</?)h3", r"\1h1", case[0])
                seen = [told_in.get(int(case[1]), "") for told_in in (clinic_page.SEEN, clinic_page.ALSO)]
                told += f"<p>{escape(' '.join(seen))}</p>"
                searched(f"clinic/{case[1]}.html", told, 0.5, to=f"{name}#case-{case[1]}")
            text = CASE.sub("", text)
        text = re.sub(r'<section( id="[^"]+")>\s*(?:<span id="[^"]*"></span>)*<h(\d)', r"<h\2\1", text)
        text = re.sub(r'<dt[^>]*( id="[^"]+")>(.*?)</dt>', r"<h3\1>\2</h3>", text, flags=re.DOTALL)
        known = [*words.get(name[10:12], ()), name[13:-5].replace("_", " ")]
        searched(name, text, weight, words=", ".join(known) if name.startswith("notebooks/") else "")
    command = [NPM / "node_modules/.bin/pagefind", "--quiet", "--exclude-selectors", UNREAD]
    subprocess.run([*command, "--site", BUILD / "searched", "--output-path", html / "pagefind"], check=True)
    for path in [one for one in html.glob("pagefind/*") if re.search("-ui|highlight|unknown", one.name)]:
        path.unlink()


def unbroken(code):
    """Inline code whose words are not broken at the end of a line; if it is short, nor is all of it."""
    said = re.sub("<.*?>", "", code[0])
    return f"{code[1]} whole{' short' * (len(said) <= SHORT)}{code[2]}"


CODE = r'(<code class="docutils literal notranslate)(">(?:<span class="pre">[^<]{1,24}</span> ?)+</code>)'
SHORT = 24  # letters


def panels(picture, width):
    """Where a figure falls into panels: 0, the middles of the white between them, and its width, in dots of
    the page. And where a last thing begins that is narrower than a panel: a bar of colours; or None."""
    inked = (np.asarray(picture.convert("L")) < 250).any(axis=0)
    edges = np.flatnonzero(np.diff(inked.astype(int))) * width / len(inked)
    cuts, bar = [0], None
    for left, right in zip(edges[1::2], edges[2::2]):  # ink ends, ink begins
        if right - left >= 6 and min(left - cuts[-1], width - right) >= 100:
            cuts.append(round((left + right) / 2))
        elif right - left >= 6 and width - right < 100:
            bar = bar or round((left + right) / 2)
    return [*cuts, width], bar


def finish(html):
    """Repair the built pages, set their formulas, pack their pictures, and leave out what they do not
    use: most icons, MathJax, Sphinx's own search."""
    # A server gives 404.html for a page in any folder, so its links begin at the top.
    place = urlsplit(runpy.run_path(DOCS / "conf.py")["html_baseurl"]).path
    pages = {path: path.read_text(encoding="utf-8") for path in html.rglob("*.html")}
    written = pages
    pages, styles = formulas.render(pages)
    (html / "_static/formulas.css").write_text(styles, encoding="utf-8")
    names = {name for text in pages.values() for name in re.findall(r"\bfa-[\w-]+", text)}
    icons = icon_letters(html, names), (html / "_static").glob("vendor/fontawesome/webfonts/*.woff2")
    letters = "".join({*string.printable, *"".join(pages.values())}), (html / "_static").glob("*.woff2")
    for kept, fonts in (icons, letters):
        command = ["node", "-e", SUBSET, kept, *map(str, fonts)]
        subprocess.run(command, check=True, env=os.environ | {"NODE_PATH": str(NPM / "node_modules")})
    index_search(written, html)
    own = "searchtools|language_data|searchindex|sphinx_highlight"
    previews = set(re.findall(r'og:image" content="[^"]*/(.+?)"', "".join(pages.values())))
    for picture in (html / "_images").glob("*.png"):
        Image.open(picture).save(picture.with_suffix(".webp"), lossless=True)
        if picture.name not in previews:  # not everybody who shows a link reads WebP
            picture.unlink()

    def cut(found):
        """The tag of an image that falls into panels, with the places of the cuts."""
        name, width = re.search(r'/([^/"]+\.webp)".* width="(\d+)"', found[0]).groups()
        places, bar = panels(Image.open(html / "_images" / name), int(width))
        cuts = f'data-cuts="{" ".join(map(str, places))}"' + f' data-bar="{bar}"' * bool(bar)
        return found[0].replace("<img ", f"<img {cuts} ")

    for path, text in pages.items():
        text = re.sub(r'((?:src|href)="[^"]*_images/[^"]+)\.png"', r'\1.webp"', text)
        if path.name == "404.html":
            text = re.sub(r'((?:href|src|data-content_root)=")(?![a-z]+:|#)(?:\./)?', rf"\1{place}", text)
        # As attributes they let a page give way for a picture, and keep its form where it is narrower.
        sized = r'style="--wide: \1px" width="\1" height="\2"'
        text = re.sub(r'style="width: (\d+)px; height: (\d+)px;"', sized, text)
        text = re.sub(r'<img [^>]*class="panels(?![^"]*in-dark).*?/>', cut, text)
        # Short code is not broken at the end of a line.
        text = re.sub(CODE, unbroken, text)
        # What ends a sentence stays with the formula before it.
        ending = r'(<span class="math[^>]*><mjx-container(?:(?!</mjx-con).)*</mjx-container></span>[.,;:?)]+)'
        text = re.sub(ending, r'<span class="whole">\1</span>', text)
        for old, new in REPAIRED.items():
            text = text.replace(old, new)
        path.write_text(re.sub(rf'<script src="[^"]*({own})\.js[^>]*></script>', "", text), encoding="utf-8")
    (html / "searchindex.js").unlink()


if __name__ == "__main__":
    npm_packages.fetch()
    gather()
    shutil.rmtree(BUILD / "html", ignore_errors=True)
    options = ["--fail-on-warning", "--keep-going", "--fresh-env", "--quiet", "-d", str(BUILD / "doctrees")]
    code = main([*options, *sys.argv[1:], str(SOURCE), str(BUILD / "html")])
    if code == 0:
        finish(BUILD / "html")
        print(f"The site is in {BUILD / 'html'}")
    sys.exit(code)
