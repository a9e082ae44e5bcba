"""Show a lesson as slides: python course.py slides 03

nbconvert makes them: a cell's slide type says where a slide begins, and a long slide scrolls. reveal.js and
MathJax come from npm and lie beside the page, in docs/_build/slides, so nothing is fetched while you talk.
"""

import argparse
import functools
import http.server
import re
import shutil
import sys
import webbrowser

import class_folder
from nbconvert import SlidesExporter

sys.path.append(str(class_folder.ROOT / "tools"))  # for npm_packages, which the site uses too
TARGET = class_folder.ROOT / "docs" / "_build" / "slides"
FROM_NPM = {one: one for one in ("reveal.js/dist", "reveal.js/plugin/notes")} | {"mathjax/es5": "mathjax"}
HERE = re.compile(r'(?s)<a\b[^>]*\bhref="(?!https?:)[^"]*"[^>]*>(.*?)</a>')  # what is not beside the page


def page_of(path):
    """The slides of a notebook, as a page that looks for its scripts beside itself."""
    exporter = SlidesExporter(
        extra_template_basedirs=[str(class_folder.ROOT / "teaching")],
        template_name="slides",
        exclude_anchor_links=True,
        reveal_url_prefix="reveal.js",
        reveal_theme="white",  # its letters come with it
    )
    page, _ = exporter.from_filename(str(path))
    return HERE.sub(r"\1", page)


def build(path):
    import npm_packages

    npm_packages.fetch()
    for source, target in FROM_NPM.items():
        if not (TARGET / target).exists():
            shutil.copytree(npm_packages.NPM / "node_modules" / source, TARGET / target)
    (TARGET / f"{path.stem}.html").write_text(page_of(path), encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description="show a lesson as slides", prog="course.py slides")
    parser.add_argument("lesson", type=class_folder.lesson_named, help="its number, such as 03")
    options = parser.parse_args(arguments)
    build(class_folder.lessons()[options.lesson])
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=TARGET)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}/{options.lesson}.html"
        print(f"{address}\nKeys: space and the arrows; Ctrl-C here to end.", flush=True)
        webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
