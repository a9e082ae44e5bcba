"""The built site as a reader has it: in light and in dark, on a phone, and with no other host in reach."""

import gzip
import json
import re
from urllib.parse import urlsplit

import pytest
from reexecute import ROOT, find_notebooks

pytestmark = pytest.mark.browser
HTML = ROOT / "docs/_build/html"
AXE = ROOT / "docs/_build/npm/node_modules/axe-core/axe.min.js"
LESSONS = [path.stem for path in find_notebooks()]
PAGES = [
    "index",
    "launch",
    "placement",
    "progress",
    "TUTOR",
    "glossary",
    "bibliography",
    "api/arrays",
    "search",
]
PAGES += [f"notebooks/{name}" for name in LESSONS]
PAGES += [f"teaching/{path.stem}" for path in sorted((ROOT / "teaching").glob("*.md"))]
COMPRESSED = {".html", ".css", ".js", ".svg"}  # what web servers send with gzip
WEIGHT = 1.5e6  # bytes that travel for a page without its figures


def notebook(name):
    return json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
@pytest.mark.parametrize("name", PAGES)
def test_axe_has_no_complaint(open_page, name, theme, width):
    page = open_page(name, theme=theme, width=width)
    assert page.locator("html").get_attribute("data-theme") == theme
    page.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    complaints = [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"][:3]
    ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_needs_no_sideways_scrolling(open_page, name):
    page = open_page(name, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", LESSONS)
def test_figures_have_their_alt_text_and_one_caption(open_page, name):
    outputs = [output for cell in notebook(name)["cells"] for output in cell.get("outputs", ())]
    figures = [output for output in outputs if "image/png" in output.get("data", ())]
    alts = [figure["metadata"]["image/png"]["alt"] for figure in figures]
    page = open_page(f"notebooks/{name}")
    images = page.locator("article figure img").all()
    assert [image.get_attribute("alt") for image in images] == alts
    assert all(image.evaluate("image => image.naturalWidth") for image in images)
    assert page.locator("article img").count() == len(alts)
    assert page.locator("article figcaption").count() == len(alts)


def test_mathematics_is_rendered(open_page):
    page = open_page("notebooks/02_by_hand")
    assert page.locator("mjx-container mjx-assistive-mml").count() > 20
    assert page.locator("mjx-merror").count() == 0
    assert "\\omega" not in page.locator("article").inner_text()


@pytest.mark.parametrize("name", LESSONS)
def test_the_next_link_carries_the_question(open_page, name):
    text = "".join("".join(cell["source"]) for cell in notebook(name)["cells"])
    asked = re.search(r"\*\*The question for lesson (\d\d):\*\*", text)
    page = open_page(f"notebooks/{name}")
    following = page.locator("a.right-next")
    if asked and any(lesson.startswith(asked[1]) for lesson in LESSONS):
        assert f"notebooks/{asked[1]}_" in following.evaluate("link => link.href")
        assert following.locator(".question").inner_text().count("?") >= 1
        assert not page.get_by_text(f"The question for lesson {asked[1]}:").is_visible()


def test_search_finds_a_word(open_page):
    page = open_page("index")
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input[type=search]").fill("wavelength")
    page.keyboard.press("Enter")
    results = page.locator("ul.search li a")
    results.first.wait_for()
    assert any("02_by_hand" in link.get_attribute("href") for link in results.all())


def test_the_picture_is_turned_with_the_keyboard(open_page):
    page = open_page("index")
    words = page.locator("#encoding-words")
    assert "Row 7 begins 0.657, 0.754" in words.inner_text()
    page.get_by_role("slider", name="position").focus()
    page.keyboard.press("ArrowRight")
    assert "Row 8 begins 0.989, −0.146" in words.inner_text()
    page.get_by_role("slider", name="d_model").press("Home")
    assert "The only hand turns once in 6.28 tokens" in words.inner_text()
    assert page.locator("#encoding-dials svg").count() == 1
    page.get_by_role("button", name="Walk along").click()
    page.wait_for_function("document.getElementById('encoding-words').innerText.includes('Row 10 ')")


def test_the_map_leads_to_every_lesson(open_page):
    page = open_page("index")
    links = page.locator("ul.lesson-map a").evaluate_all("links => links.map(link => link.pathname)")
    assert links == [f"/notebooks/{name}.html" for name in LESSONS]


def test_launch_buttons_and_colab_copies(open_page):
    page = open_page("notebooks/02_by_hand")
    links = page.locator(".dropdown-launch-buttons a").evaluate_all("links => links.map(link => link.href)")
    binder, colab = map(urlsplit, links)
    assert binder.netloc == "mybinder.org" and binder.query == "urlpath=lab/tree/notebooks/02_by_hand.ipynb"
    assert colab.netloc == "colab.research.google.com" and colab.path.endswith("/colab/02_by_hand.ipynb")
    for name in LESSONS:
        copy = json.loads((HTML / f"colab/{name}.ipynb").read_text(encoding="utf-8"))
        assert "google.colab" in "".join(copy["cells"][0]["source"])
        assert copy["cells"][1:] == notebook(name)["cells"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_without_its_figures_is_light(open_page, site, name):
    page = open_page(name)
    asked = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    paths = {HTML / urlsplit(url).path.lstrip("/") for url in [*asked, page.url] if "/_images/" not in url}
    sent = [path.read_bytes() for path in paths if path.suffix in COMPRESSED]
    fonts = sum(path.stat().st_size for path in paths if path.suffix not in COMPRESSED)
    stored, compressed = (fonts + sum(map(len, data)) for data in (sent, map(gzip.compress, sent)))
    print(f"{name}: {compressed / 1e6:.2f} MB on the way, {stored / 1e6:.2f} MB unpacked")
    assert compressed < WEIGHT


@pytest.mark.parametrize(
    ("word", "lesson"),
    [
        ("rope", "12_rotary"),
        ("alibi", "11_relative_biases"),
        ("yarn", "13_longer_than_trained"),
        ("kv cache", "12_rotary"),
    ],
)
def test_search_finds_first_the_lesson_of_a_word(open_page, word, lesson):
    page = open_page("search")
    page.goto(page.url + f"?q={word.replace(' ', '+')}")
    first = page.locator("ul.search li a").first
    first.wait_for()
    assert f"notebooks/{lesson}.html" in first.get_attribute("href")


def test_an_answer_is_folded_until_it_is_asked_for(open_page):
    page = open_page("notebooks/03_the_naive_loop")
    folded = page.locator("details.below-input")
    assert folded.count() >= 4 and not page.locator("details.below-input[open]").count()
    assert page.locator("p.prediction").count() >= folded.count()
    page.get_by_role("button", name="Show all answers").click()
    assert page.locator("details.below-input[open]").count() == folded.count()


def test_in_the_dark_a_figure_has_no_frame(open_page):
    page = open_page("notebooks/03_the_naive_loop", theme="dark")
    image = page.locator("article figure img").first
    styles = "image => [getComputedStyle(image).padding, getComputedStyle(image).backgroundColor]"
    assert image.evaluate(styles) == ["0px", "rgba(0, 0, 0, 0)"]
