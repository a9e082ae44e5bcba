"""Set the formulas of built pages with MathJax: as HTML, with MathML for those who listen."""

import html
import json
import re
import subprocess
import unicodedata

import npm_packages

MATHJAX = npm_packages.NPM / "node_modules/mathjax/es5"
FONTS = MATHJAX / "output/chtml/fonts/woff-v2"
RENDER = """
const formulas = JSON.parse(require("fs").readFileSync(0));
const load = ["input/tex-base", "[tex]/ams", "output/chtml", "a11y/assistive-mml"];
const config = { loader: { load }, tex: { packages: { "[+]": ["ams"] } }, chtml: { fontURL: "mathjax" } };
require(process.argv[1]).init(config).then((MathJax) => {
  const { adaptor } = MathJax.startup;
  const set = formulas.map(([tex, display]) => adaptor.outerHTML(MathJax.tex2chtml(tex, { display })));
  console.log(JSON.stringify([set, adaptor.textContent(MathJax.chtmlStylesheet())]));
});
"""
FORMULA = re.compile(r'(<(span|div) class="math\b[^>]*>)\s*\\([(\[])(.*?)\\[)\]]\s*</\2>', re.DOTALL)
SIGNS = dict(cdot="·", times="×", top="ᵀ", sqrt="√", infty="∞", ldots="…", dots="…", sum="∑", le="≤", to="→")
SIGNS |= dict(approx="≈", lfloor="⌊", rfloor="⌋", quad=" ", qquad=" ")
SCRIPT = re.compile(r'<script [^>]*src="([^"]*)mathjax\.js[^>]*></script>')


def in_words(page):
    """A page with its formulas as plain text, for excerpts: ω_k for \\(\\omega_k\\)."""

    def sign(command):
        letter = f"GREEK SMALL LETTER {command[1].replace('lambda', 'lamda')}"  # as Unicode spells it
        try:
            return unicodedata.lookup(letter)
        except KeyError:
            return SIGNS.get(command[1], command[1])

    def formula(match):
        *_, opening, tex = match.groups()
        if opening == "[" or "&amp;" in tex:
            return "…"
        tex = re.sub(r"\\(?:math\w+|text|left|right|[bB]ig[lr]|tilde|bar)\b|\\[,;! ]", " ", tex)
        tex = re.sub(r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1 / \2", tex)
        tex = re.sub(r"\\([a-zA-Z]+)", sign, tex)
        tex = re.sub(r"\{(.)\}", r"\1", tex).translate({ord("{"): "(", ord("}"): ")", ord("\\"): ""})
        return " ".join(tex.split())

    return FORMULA.sub(formula, page)


def render(pages):
    """The texts of pages with their formulas set, and the style sheet, formulas.css, that they link to."""
    formulas = (one for text in pages.values() for one in FORMULA.findall(text))
    found = {(html.unescape(tex), opening == "[") for *_, opening, tex in formulas}
    command = ["node", "-e", RENDER, str(MATHJAX / "node-main.js")]
    asked = json.dumps(sorted(found))
    done = subprocess.run(command, input=asked, stdout=subprocess.PIPE, check=True, encoding="utf-8")
    rendered, styles = json.loads(done.stdout)
    known = dict(zip(sorted(found), rendered, strict=True))

    def formula(match):
        start, kind, opening, tex = match.groups()
        return f"{start}{known[html.unescape(tex), opening == '[']}</{kind}>"

    link = r'<link rel="stylesheet" href="\1formulas.css" />'
    return {path: SCRIPT.sub(link, FORMULA.sub(formula, text)) for path, text in pages.items()}, styles
