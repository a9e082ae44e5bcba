"""The built site as a reader has it: in light and in dark, on a phone, and with no other host in reach."""

import gzip
import itertools
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from html import unescape
from urllib.parse import urlsplit

import pytest
from reexecute import ROOT, find_notebooks

pytestmark = pytest.mark.browser
HTML = ROOT / "docs/_build/html"
FOLDER = "/pe_lessons"
AXE = ROOT / "docs/_build/npm/node_modules/axe-core/axe.min.js"
LESSONS = [path.stem for path in find_notebooks()]
PAGES = ["index", "404", "launch", "placement", "progress", "glossary", "bibliography", "clinic", "gallery"]
PAGES += ["read_a_config"]
PAGES += ["api", "api/arrays", "_modules/pe_lessons/arrays", "genindex", "search"]
PAGES += ["TUTOR", "AT_WORK", "EVIDENCE", "README", "CONTRIBUTING", "pe_lessons/small_models/card"]
PAGES += [f"notebooks/{name}" for name in LESSONS]
PAGES += [f"teaching/{path.stem}" for path in sorted((ROOT / "teaching").glob("*.md"))]
COMPRESSED = {".html", ".css", ".js", ".svg"}  # what web servers send with gzip
WEIGHT = 350e3  # bytes that travel for a page without its figures, 50 kB of them its letters
FRONT = 300e3  # and for the first page
SETTLED = """() => [...document.querySelectorAll(".pst-scrollable-table-container, pre")]
    .every(one => one.tabIndex === 0 || one.scrollWidth <= one.clientWidth || one.querySelector("a"))
    && !document.getAnimations().some(one =>
        one instanceof CSSTransition && one.effect.target.closest("button"))"""
CUT_OFF = """width => [...document.querySelectorAll("article mjx-container:not([display])")]
    .filter(one => !one.closest("table") && one.getBoundingClientRect().right > width)
    .map(one => one.textContent)"""


def notebook(name):
    return json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))


def weight(page):
    """The bytes that travelled for a page, without its figures: compressed, and unpacked."""
    asked = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    paths = {
        HTML / urlsplit(url).path.removeprefix(f"{FOLDER}/")
        for url in [*asked, page.url]
        if "/_images/" not in url
    }
    sent = [path.read_bytes() for path in paths if path.suffix in COMPRESSED]
    fonts = sum(path.stat().st_size for path in paths if path.suffix not in COMPRESSED)
    return tuple(fonts + sum(map(len, data)) for data in (map(gzip.compress, sent), sent))


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_light_fits_and_has_no_complaint_of_axe(open_page, name):
    page = open_page(name)
    compressed, unpacked = weight(page)
    print(f"{name}: {compressed / 1e3:.0f} kB on the way, {unpacked / 1e3:.0f} kB unpacked")
    assert compressed < (FRONT if name == "index" else WEIGHT)
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    assert not page.locator("a a").count()
    page.add_script_tag(path=AXE)
    complaints = []
    for theme, width in itertools.product(("light", "dark"), (1280, 390)):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        page.locator(f"html[data-theme={theme}]").wait_for()
        page.wait_for_function(SETTLED)  # which tables and code scroll is found later, and colours glide
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not page.evaluate(CUT_OFF, width), "formulas in a line of words"
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        complaints += [
            f"{theme}, {width}: {rule['id']}: {node['html'][:200]} {node['failureSummary']}"
            for rule in found
            for node in rule["nodes"][:3]
        ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("name", LESSONS)
def test_figures_have_their_alt_text_and_the_next_link_carries_the_question(open_page, name):
    cells = notebook(name)["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    figures = [output for output in outputs if "image/png" in output.get("data", ())]
    alts = [figure["metadata"]["image/png"]["alt"] for figure in figures]
    page = open_page(f"notebooks/{name}")
    images = page.locator("article figure img:not(.in-dark)").all()
    assert [image.get_attribute("alt") for image in images] == alts
    assert all(image.evaluate("image => image.naturalWidth") for image in images)
    assert page.locator("article img:not(.in-dark)").count() == len(alts)
    assert page.locator("article figcaption").count() == len(alts)
    asked = re.search(
        r"\*\*The question for \[lesson (\d\d)\]", "".join("".join(one["source"]) for one in cells)
    )
    if asked and any(lesson.startswith(asked[1]) for lesson in LESSONS):
        following = page.locator("a.right-next")
        assert f"notebooks/{asked[1]}_" in following.evaluate("link => link.href")
        assert following.locator(".question").inner_text().count("?") >= 1
        assert not page.get_by_text(f"The question for lesson {asked[1]}:").is_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_figure_opens_over_the_lesson(open_page, width):
    page = open_page("notebooks/03_the_naive_loop", width=width)
    page.get_by_role("button", name="Show all answers").click()
    figure = page.locator("article figure img:visible").last
    dialog = page.get_by_role("dialog", name="Enlarged picture")
    figure.click()
    large = dialog.locator("img")
    assert large.get_attribute("alt") == figure.get_attribute("alt")
    natural = large.evaluate("one => one.naturalWidth")
    assert natural > 900 and large.bounding_box()["width"] == (
        dialog.bounding_box()["width"] if width == 390 else natural
    )
    large.click()  # all of it, in what the screen has, or a part of it
    assert (
        large.bounding_box()["width"]
        == (natural if width == 390 else min(natural, dialog.bounding_box()["width"]))
        or width == 1280
    )
    dialog.get_by_role("button", name="Close").click()
    assert not dialog.is_visible() and page.url.endswith("03_the_naive_loop.html")
    figure.click()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_on_a_phone_panels_stand_below_each_other(open_page):
    page = open_page("notebooks/08_inside_a_transformer", width=390)
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    stacked = page.locator("article figure:has(.piece)")
    assert stacked.count() == 2
    for figure in stacked.all():
        pieces = figure.locator(".piece:visible").all()
        boxes = [one.bounding_box() for one in pieces]
        first, bar, second, again = boxes  # the bar of colours stands beside both
        assert second["y"] >= first["y"] + first["height"]
        for panel, beside in ((first, bar), (second, again)):
            assert beside["y"] == panel["y"]
            assert beside["x"] == pytest.approx(panel["x"] + panel["width"], abs=2)
        assert all(box["width"] > 280 for box in (first, second))
        begins = [one.locator("img").bounding_box()["x"] for one in pieces]  # each shows a part of its own
        assert begins[2] == pytest.approx(second["x"] - first["width"], abs=2)
        assert [bool(one.locator("img").get_attribute("alt")) for one in pieces] == [
            True,
            False,
            False,
            False,
        ]
        assert figure.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_on_a_phone_panels_have_one_scale(open_page):
    page = open_page("notebooks/01_why_order_matters", width=390)
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    figure = page.locator("article figure:has(.piece)").first
    wide = [one.bounding_box()["width"] for one in figure.locator(".piece img:visible").all()]
    assert len(wide) == 2 and wide[0] == pytest.approx(wide[1], rel=0.01)


@pytest.mark.parametrize("name", ["09_rotary", "16_layers_that_remember"])
def test_on_a_phone_code_is_broken_and_what_it_prints_scrolls_and_says_so(open_page, name):
    page = open_page(f"notebooks/{name}", width=390)
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    told = page.locator(".highlight:not(.cm-content) > pre:visible").evaluate_all(
        """all => all.map(one => [
            getComputedStyle(one).whiteSpace, one.scrollWidth > one.clientWidth,
            getComputedStyle(one, "::after").content.includes("scroll")])"""
    )
    assert any(scrolls for _, scrolls, _ in told)
    assert all(says for _, scrolls, says in told if scrolls)
    code = page.locator(".cell_input pre:visible")
    assert code.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")
    source = code.first.evaluate("one => one.textContent")
    assert source.strip() in ["".join(one["source"]).strip() for one in notebook(name)["cells"]]
    assert sum(space == "pre" for space, _, _ in told) > 0.8 * len(told)  # the others are sentences


def test_on_a_phone_a_table_of_words_has_a_block_per_row(open_page):
    page = open_page("notebooks/00_start_here", width=390)
    row = page.locator("table.stacks tbody tr").first
    cells = [one.bounding_box() for one in row.locator("td:visible").all()]
    assert len(cells) >= 2 and cells[1]["y"] >= cells[0]["y"] + cells[0]["height"]
    assert row.locator(".cell-head:visible").count() == len(cells) - 1
    page = open_page("notebooks/13_longer_than_trained", width=390)
    assert page.locator("table.numbers").count()  # one of numbers stays a table
    assert not page.locator("table.numbers.stacks").count()


def test_the_list_of_contents_marks_what_is_read(open_page):
    page = open_page("notebooks/13_longer_than_trained", width=1440)
    page.evaluate("scrollTo({top: document.body.scrollHeight / 2, behavior: 'instant'})")
    page.wait_for_function(
        """() => {
            const above = one => one.offsetParent && one.getBoundingClientRect().top < 0.3 * innerHeight;
            const head = [...document.querySelectorAll("article :is(h2, h3)")].filter(above).pop();
            const marked = document.querySelector("#pst-page-toc-nav a[aria-current]");
            return marked && head.parentElement.id === marked.hash.slice(1);
        }"""
    )


def test_on_a_phone_a_figure_is_whole_and_as_wide_as_the_window(open_page):
    page = open_page("notebooks/06_reading_the_picture", width=390)
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    figures = page.locator("article figure > a:visible")
    assert figures.count() == 6
    for figure in figures.all():
        assert figure.evaluate("one => one.scrollWidth <= one.clientWidth")
        assert figure.bounding_box()["width"] > 360


@pytest.mark.parametrize("width", [1280, 390])
def test_the_menu_shows_this_page_and_searches(open_page, width):
    page = open_page("notebooks/00_start_here", width=width)
    page.goto(page.url.replace("00_start_here", "20_reuse_evict_share_out"))
    if width == 390:
        page.locator(".primary-toggle").click()
    place, menu = page.locator(".bd-docs-nav a.current"), page.locator(".bd-sidebar-primary:visible")
    search = menu.get_by_role("button", name="Search")
    page.wait_for_timeout(300)
    assert search.bounding_box()["y"] + 40 < place.bounding_box()["y"] < 850
    search.click()
    page.locator("dialog input").fill("rope")
    page.locator("dialog .search-answers a[href*='09_rotary']").first.wait_for()


def test_mathematics_is_rendered(open_page):
    page = open_page("notebooks/02_by_hand")
    assert page.locator("mjx-container mjx-assistive-mml").count() > 20
    assert "\\omega" not in page.locator("article").inner_text()
    assert page.locator("span.whole > span.math").count() > 5  # with the comma after it
    assert not page.evaluate(
        "performance.getEntriesByType('resource').filter(one => /mathjax.*js/.test(one.name))"
    )
    letter = page.locator("mjx-c").first.evaluate("one => getComputedStyle(one, '::before').fontFamily")
    assert page.evaluate(f"document.fonts.check('16px {letter.split(',')[-1].strip()}')"), letter


def test_a_picture_walks_when_it_is_asked_and_stops_where_it_is_touched(open_page):
    page = open_page("index")
    box = page.locator(".live[data-picture=turn_the_hands]")
    box.scroll_into_view_if_needed()
    words, slider = box.get_by_role("status"), box.get_by_role("slider", name="position")
    slider.press("ArrowRight")
    assert "Row 8 begins 0.989, −0.146" in words.inner_text()
    box.get_by_role("button", name="Walk along").click()
    page.wait_for_function("document.querySelector('[data-picture=turn_the_hands] input').value > 9")
    box.get_by_role("button", name="Stop").click()
    still = words.inner_text()
    page.wait_for_timeout(700)
    assert words.inner_text() == still and still.startswith(f"Row {slider.input_value()} begins")
    box.get_by_role("button", name="Walk along").click()
    slider.press("ArrowLeft")
    box.get_by_role("button", name="Walk along").wait_for()
    box.get_by_role("slider", name="d_model").press("Home")
    assert "The only hand turns once in 6.28 tokens" in words.inner_text()
    assert box.locator("circle:not(.grip)").count() == 1


def test_a_page_that_is_not_there_leads_on(browser, site):
    context = browser.new_context()
    page = context.new_page()
    broken = []
    page.on("response", lambda response: broken.append(response.url) if response.status >= 400 else None)
    page.goto(f"{site}/notebooks/renamed/long_ago.html", wait_until="networkidle")
    assert len(broken) == 1 and page.locator("article h1").inner_text().startswith("This page is not here")
    page.locator("ul.lesson-map a").first.click()
    assert page.locator("article h1").inner_text().startswith("00 ")
    context.close()


def test_a_published_copy_links_its_repository_and_launches_its_lessons(tmp_path):
    for name in ("glossary.md", "notebook_sentences_on_pages.toml"):
        shutil.copy(ROOT / "docs" / name, tmp_path)
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks/02_by_hand.ipynb", tmp_path / "notebooks")
    toctree = "# Lessons\n\n```{toctree}\nglossary\nnotebooks/02_by_hand\n```\n"
    (tmp_path / "index.md").write_text(toctree, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-Q", "-c", ROOT / "docs", tmp_path, tmp_path / "html"]
    fork = {"PE_LESSONS_REPOSITORY": "https://github.com/somebody/a-fork"}
    subprocess.run(command, check=True, env=os.environ | fork)
    page = (tmp_path / "html/notebooks/02_by_hand.html").read_text(encoding="utf-8")
    links = {unescape(link) for link in re.findall(r'<a href="(https://[^"]+)"', page)}
    assert fork["PE_LESSONS_REPOSITORY"] in links
    binder = "https://mybinder.org/v2/gh/somebody/a-fork/main?urlpath=lab/tree/notebooks/02_by_hand.ipynb"
    colab = "https://colab.research.google.com/github/somebody/a-fork/blob/gh-pages/colab/02_by_hand.ipynb"
    assert {binder, colab} <= links
    copy = json.loads((tmp_path / "html/colab/02_by_hand.ipynb").read_text(encoding="utf-8"))
    assert "git+https://github.com/somebody/a-fork" in "".join(copy["cells"][0]["source"])
    assert copy["cells"][1:] == notebook("02_by_hand")["cells"]


def test_no_link_leads_to_a_repository_that_nobody_named():
    for path in HTML.rglob("*.html"):
        assert not re.search(r'<a [^>]*href="[^"]*\bOWNER\b', path.read_text(encoding="utf-8")), path.name
    assert not [*HTML.glob("colab/*.ipynb")]


def searched(open_page, words):
    page = open_page("search")
    page.goto(page.url + f"?q={words.replace(' ', '+')}")
    return page


# Where the first answer leads; None where there is none.
FIRST = {
    "rope": "glossary.html#term-RoPE",
    "What is RoPE?": "glossary.html#term-RoPE",
    "alibi": "glossary.html#term-ALiBi",
    "yarn": "glossary.html#term-YaRN",
    "kv cache": "glossary.html#term-KV-cache",
    "attention": "glossary.html#term-attention",
    "self-attention": "glossary.html#term-attention",
    "sliding windows": "glossary.html#term-sliding-window",
    "extrapolation": "glossary.html#term-extrapolation",
    "speculative decoding": "glossary.html#term-speculative-decoding",
    "rotary embeddings": "glossary.html#term-RoPE",
    "apply_rotary_pos_emb": "notebooks/09_rotary.html",
    "long context": "notebooks/13_longer_than_trained.html#",
    "rope theta": "notebooks/15_layers_that_differ.html#",
    "why does my model break on long text": "notebooks/13_longer_than_trained.html",
    "why does my model fail on long context": "clinic.html#case-",
    "how do I extend the context length": "notebooks/13_longer_than_trained.html",
    "left padding": "notebooks/19_serve_it.html",
    "my model outputs garbage after long context": "clinic.html#case-1",
    "output degrades after 8k tokens": "clinic.html#case-",
    "generated tokens stutter": "clinic.html#case-5",
    "how does RoPE work?": "glossary.html#term-RoPE",
    "rotate_half": "notebooks/10_rotary_in_a_model.html",
    "rope_theta": "notebooks/15_layers_that_differ.html",
    "vision transformer": "notebooks/14_image_patches.html",
    "mamba": "notebooks/16_layers_that_remember.html",
    "bf16": "notebooks/21_when_numbers_break.html",
    "flash attention": "notebooks/22_attention_without_the_matrix.html",
    "which positional encoding should I use": "notebooks/23_decide.html",
    "Qwen3": "gallery.html#qwen3-8b",
    "attention is all you need": "bibliography.html",
    "my model is bad on long texts": "clinic.html#case-",
    "t-SNE": "glossary.html#term-t-SNE",
    "xyzzyq": None,
    "blargh": None,
    "qwrtzp vbnmk": None,
}


@pytest.mark.parametrize("asked", FIRST)
def test_the_first_answer_is_the_page_that_answers(open_page, asked):
    page = searched(open_page, asked)
    status = page.locator("main [role=status], article [role=status]").first
    if not FIRST[asked]:
        status.get_by_text("Nothing found").wait_for()
        assert not page.locator(".search-answers li").count()
        return
    page.locator(".search-answers a").first.wait_for()
    places = page.locator(".search-answers li > a").evaluate_all("all => all.map(x => x.pathname + x.hash)")
    assert places[0].startswith(f"{FOLDER}/{FIRST[asked]}"), places
    assert page.locator(".search-answers li").count() == page.locator(".search-answers a").count()
    if "glossary" in places[0]:  # and then the lesson that needs the word
        assert "/notebooks/" in places[1]


@pytest.mark.parametrize("width", [1280, 390])
def test_what_was_found_before_is_no_answer_to_what_is_typed_now(open_page, width):
    page = open_page("search", width=width)
    field = page.locator("article form input, main form input").last
    field.focus()
    page.get_by_role("button", name="left padding").click()
    page.locator(".search-answers li").first.get_by_text("Padding and packing").wait_for()
    field.fill("my model outputs garbage after long context")
    assert page.locator(".search-answers").last.evaluate("one => one.inert")
    first = page.locator(".search-answers li").first
    first.get_by_text("Fluent up to token 4,096, then noise").wait_for()
    assert first.get_attribute("data-kind") == "Clinic"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("yran", "Did you mean yarn?"),
        ("relitive", "Did you mean relative?"),
        ("wavelenght of a pair", "Did you mean wavelength?"),
        ("partial_rotary_factor", "Read a config"),
        ("output degrades after 8k tokens", "The clinic"),
        ("xyzzyq", "Look among the words of the glossary"),
        ("xyzzyq token", "No page has “xyzzyq”."),
    ],
)
def test_the_search_offers_what_was_meant(open_page, words, said):
    page = searched(open_page, words)
    page.locator("article, main").first.locator("[role=status]", has_text=said).first.wait_for()
    if "Did you mean" in said:
        page.get_by_role("button", name=said.split()[-1][:-1]).click()
        page.locator(".search-answers a[href*='notebooks/']").first.wait_for()


def test_enter_takes_what_was_meant_and_shows_what_it_finds(open_page):
    page = searched(open_page, "rope")
    field = page.locator("article form input, main form input").last
    field.fill("positonal encodng")
    field.press("Enter")
    page.locator(".search-answers li > a[href*='glossary.html#term-positional-encoding']").first.wait_for()
    assert field.input_value() == "positional encoding"


def test_a_phrase_is_found_though_one_of_its_words_is_nowhere_and_learners_come_first(open_page):
    page = searched(open_page, "rotary zzyzx frequencies")
    page.locator(".search-answers a").first.wait_for()
    page.goto(page.url.split("?")[0] + "?q=learners")
    page.locator(".search-answers a").first.wait_for()
    found = page.locator(".search-answers li > a").evaluate_all("all => all.map(one => one.pathname)")
    last = [bool(re.search("/(teaching|api)/|(TUTOR|README|CONTRIBUTING).html", one)) for one in found]
    assert any(last) and last == sorted(last)


def test_the_search_answers_while_it_is_typed_and_puts_functions_last(open_page):
    page = open_page("notebooks/02_by_hand")
    page.keyboard.press("Control+k")
    page.locator("dialog input").fill("t-SNE")
    answers = page.locator("dialog .search-answers")
    answers.locator("a[href*='06_reading_the_picture']").first.wait_for()
    assert answers.locator("mark").count() and "Download" not in answers.inner_text()
    shown = answers.locator("li p").all_inner_texts()
    assert all(re.search(r"[.?!…][”)]?$", one) for one in shown if one), shown  # whole sentences
    page.locator("dialog input").fill("frequency formula")
    answers.get_by_text("10000^(2k/d_(model))").first.wait_for()  # formulas are there, as words
    assert not [one for one in answers.locator("mark").all_inner_texts() if one[-1] in ".,:;?!"]
    page.locator("dialog input").fill("sinusoidal table")
    answers.locator("mark", has_text=re.compile("sinusoidal", re.I)).first.wait_for()
    back = answers.locator("li").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
    assert back[0] != back[1]  # Enter opens it
    found = answers.locator("li > a").evaluate_all("all => all.map(one => one.href)")
    assert sum("/notebooks/" in one for one in found[:6]) >= 5 and not any(
        "/api/" in one for one in found[:6]
    )
    page.keyboard.press("ArrowDown")  # the first is marked already
    assert page.evaluate("document.activeElement.href") == found[1]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    best = answers.locator("li").first.locator("a").last.evaluate("one => one.href")  # its best part
    page.keyboard.press("Enter")
    page.wait_for_url(best)


def test_enter_while_it_searches_opens_the_best_answer_when_it_comes(open_page):
    page = open_page("notebooks/02_by_hand")
    page.keyboard.press("Control+k")
    page.locator("dialog input").fill("rope")
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url("**/glossary.html#term-RoPE")


def test_the_filter_of_the_glossary_puts_the_term_first(open_page):
    page = open_page("glossary")
    page.get_by_label("Filter the terms").fill("rope")
    words = page.locator("dl.glossary > dt:visible").all_inner_texts()
    assert words[0].startswith("RoPE") and len(words) > 3
    assert page.locator(".in-glossary").get_by_role("status").inner_text().startswith(f"{len(words)} of ")


def test_a_dotted_word_says_what_it_means(open_page):
    page = open_page("notebooks/09_rotary")
    word = page.locator(".bd-article a[href*='glossary.html#term-']").first
    word.hover()
    page.get_by_role("tooltip").get_by_role("link", name="Glossary").wait_for()
    page.keyboard.press("Escape")
    assert not page.get_by_role("tooltip").is_visible()


def test_an_answer_is_folded_until_it_is_asked_for(open_page):
    page = open_page("notebooks/03_the_naive_loop")
    code = page.locator("details.above-input", has_text="learning_curve")
    assert code.count() and not code.first.get_attribute("open")
    alone = page.locator(
        "details.above-input", has_text="figures.first_columns("
    )  # one call, and nothing else
    assert alone.locator("summary").inner_text() == "Show the code of this picture"
    page.goto(page.url.replace("03_the_naive_loop", "07_a_shift_is_a_rotation"))  # there, too, it holds code
    assert (
        page.get_by_text("Show the code of this picture").count()
        == page.locator("details.above-input pre").count() - 1
    )
    page.go_back()
    folded = page.locator("details.below-input")
    assert folded.count() >= 4 and not page.locator("details.below-input[open]").count()
    assert page.locator("p.prediction").count() >= folded.count()
    one = folded.first.locator("summary")
    for said, then in (("Show the picture", "Hide the picture"), ("Hide the picture", "Show the picture")):
        assert one.inner_text() == said
        one.click()
        one.get_by_text(then).wait_for()
    page.get_by_role("button", name="Show all answers").click()
    assert page.locator("details.below-input[open]").count() == folded.count()


def test_a_figure_and_the_prose_that_tell_the_answer_open_with_it(open_page):
    page = open_page("notebooks/09_rotary")
    figure, prose = page.locator("#figure-1"), page.get_by_text("The first two scores are the same")
    assert not figure.is_visible() and not prose.is_visible()
    page.get_by_text("Show the answer").first.click()
    assert figure.is_visible() and prose.is_visible()
    page.goto(page.url.replace("09_rotary", "16_layers_that_remember"))  # a word is explained there
    assert not page.get_by_text("It answers 12").is_visible()
    assert page.get_by_text("doesn’t add the new value").is_visible()


def test_the_menu_has_the_part_of_this_page_open(open_page):
    page = open_page("notebooks/09_rotary")
    opened = page.locator(".bd-sidebar-primary details.menu-part[open]")
    assert opened.count() == 1 and opened.locator("> summary").inner_text().startswith("III")
    page.locator("details.menu-part", has_text="For teachers").locator("summary").click()
    assert page.locator("details.menu-part[open] a[href*='teaching/GUIDE']").is_visible()


@pytest.mark.parametrize(
    ("repository", "site_at", "folder"),
    [
        ("https://github.com/OWNER/pe_lessons", None, "/pe_lessons/"),
        ("https://github.com/somebody/a-fork/", None, "/a-fork/"),
        ("https://github.com/somebody/somebody.github.io", None, "/"),
        ("https://github.com/OWNER/pe_lessons", "https://lessons.example", "/"),
        ("https://github.com/OWNER/pe_lessons", "https://example.org/a/b", "/a/b/"),
    ],
)
def test_the_page_for_what_is_not_there_finds_its_styles(monkeypatch, repository, site_at, folder):
    monkeypatch.setenv("PE_LESSONS_REPOSITORY", repository)
    monkeypatch.setenv("PE_LESSONS_SITE", site_at or "")
    assert urlsplit(runpy.run_path(ROOT / "docs/conf.py")["html_baseurl"]).path == folder


@pytest.mark.parametrize("name", ["06_reading_the_picture", "19_serve_it"])
def test_in_the_dark_every_figure_has_a_twin_that_no_filter_turns(open_page, name):
    page = open_page(f"notebooks/{name}", theme="dark")
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    for figure in page.locator("article figure").all():
        twin = figure.locator("img:visible")
        assert twin.evaluate("one => getComputedStyle(one).filter") == "none"
        assert "in-dark" in twin.get_attribute("class").split()


@pytest.mark.parametrize("name", ["index", "clinic", "notebooks/03_the_naive_loop"])
def test_a_link_to_a_page_has_a_preview(open_page, name):
    page = open_page(name)
    told = {
        one.get_attribute("property"): one.get_attribute("content")
        for one in page.locator("meta[property^='og:']").all()
    }
    assert told["og:title"] and told["og:description"] and told["og:url"].endswith(f"/{name}.html")
    picture = HTML / "_images" / told["og:image"].rpartition("/")[2]
    assert told["og:image"].startswith("https://") and picture.read_bytes().startswith(b"\x89PNG")


def test_an_assistant_finds_every_lesson_without_its_outputs():
    told = (HTML / "llms.txt").read_text(encoding="utf-8")
    assert re.findall(r"/notebooks/(\w+)\.md\)", told) == LESSONS
    assert "TUTOR.html" in told
    for name in LESSONS:
        text = (HTML / f"notebooks/{name}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {name[:2]}") and "image/png" not in text


def test_on_a_phone_the_search_opens_ready_to_type(open_page):
    page = open_page("index", width=390)
    page.locator(".search-button__button:visible, button.search-button:visible").first.click()
    page.keyboard.type("rope theta")
    assert page.get_by_role("searchbox").last.input_value() == "rope theta"
