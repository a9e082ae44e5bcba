"""The page that reads a config, and the walls that lead to it and to the clinic's cases."""

import json
import re

import pytest

from pe_lessons import models
from pe_lessons.lessons.the_clinic import clinic

pytestmark = pytest.mark.browser
GALLERY = models.gallery()
LLAMA = GALLERY["llama-3-8b"]["config"]
QWEN = {"model_type": "qwen3_5_moe", "text_config": GALLERY["qwen3.5-397b"]["config"]}
NEW = LLAMA | {"model_type": "unheard_of", "rope_spiral": 3}
BROKEN = '{"model_type": "llama",\n "num_hidden_layers": 4,,}'
TYPE = "(box, text) => { box.value = text; box.dispatchEvent(new InputEvent('input')); }"
DROP = """(area, text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "config.json", {type: "application/json"}));
    area.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}"""
BELOW = """kinds => kinds.map(kind => document.querySelector(kind).getBoundingClientRect().top)
    .every((top, n, all) => !n || top > all[n - 1])"""


def told(page):
    return page.locator("#said pre.told")


def all_told(page, *configs):
    """Each column has every line that the reader says of its model, and what differs is in bold."""

    def bare(line):
        return re.sub(r"[\s,;]", "", line)  # a fact of a kind of layers has a line, and numbers have commas

    rows = page.locator(".compared tbody tr")
    shown = [[bare(cell.inner_text()) for cell in row.locator("td").all()] for row in rows.all()]
    for column, config in enumerate(configs, start=1):
        said = "\n".join(row[column] for row in shown)
        assert all(bare(line) in said for line in models.explain(config).split("\n")[1:])
    tinted = [row.get_attribute("class") == "changed" for row in rows.all()]
    assert tinted == [any(one != first for one in others) for _, first, *others in shown] and any(tinted)


@pytest.mark.parametrize("width", [1280, 390])
def test_three_configs_and_a_broken_one(open_page, tmp_path, width):
    page = open_page("read_a_config", width=width)
    assert "sends it nowhere" in page.locator("article").inner_text()
    asked = []
    page.on("request", lambda request: asked.append((request.method, request.url)))
    page.get_by_label("Paste a config.json").fill(json.dumps(LLAMA))
    told(page).wait_for(state="attached", timeout=60_000)
    assert told(page).text_content() == models.explain(LLAMA)
    cold = float(page.locator("#said").get_attribute("data-seconds"))

    page.get_by_label("Compare it with").select_option("gemma-2-9b")
    page.get_by_role("heading", name="Compared with Gemma 2 9B").wait_for()
    page.wait_for_function("document.getElementById('said').getBoundingClientRect().top < 0.6 * innerHeight")
    all_told(page, LLAMA, GALLERY["gemma-2-9b"]["config"])
    assert page.locator("#said svg").count() == 2

    file = tmp_path / "config.json"
    file.write_text(json.dumps(QWEN))
    page.get_by_label("Choose a file").set_input_files(file)
    page.get_by_text("qwen3_5_moe_text: 60 layers").first.wait_for(state="attached")
    assert told(page).text_content() == models.explain(QWEN)
    assert not page.get_by_text("This page doesn't know the type").count()

    page.get_by_label("Paste a config.json").evaluate(DROP, json.dumps(NEW))
    page.get_by_text("This page doesn't know the type unheard_of.").wait_for()
    assert told(page).text_content() == models.explain(NEW)
    assert page.locator("#said .unread").inner_text().startswith("Skipped: rope_spiral.")
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.get_by_label("Paste a config.json").fill(BROKEN)
    page.get_by_text("This is not JSON: in line 2, column").wait_for()
    assert not page.locator("#said > *").count() and "This is not JSON" in page.locator("#fault").inner_text()
    assert all(method == "GET" and "llama" not in url for method, url in asked)
    warm = page.locator("#said").get_attribute("data-seconds")
    print(f"{width}: {cold:.1f} s from the paste to the words, {warm} s warm")


def test_what_is_typed_while_python_starts_is_not_replaced(open_page):
    page = open_page("read_a_config")
    page.locator("#taken").select_option("llama-3-8b")
    page.get_by_label("Paste a config.json").evaluate(TYPE, "{mine")  # at once: a fill has two steps
    page.get_by_text("This is not JSON").wait_for(timeout=60_000)
    assert page.get_by_label("Paste a config.json").input_value() == "{mine"


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ('{"model_type": "llama",', "Copy the whole file."),
        ('{"model_type": "llama",}', "Remove the comma before the }."),
        ("{model_type: 2}", "Put double quotes around names."),
    ],
)
def test_what_is_wrong_with_json_can_be_repaired(open_page, text, help):
    page = open_page("read_a_config")
    page.get_by_label("Paste a config.json").fill(text)
    page.locator("#fault", has_text=help).wait_for()


def test_what_is_no_json_is_said_without_python_and_a_start_is_announced_at_once(open_page):
    page = open_page("read_a_config")
    page.route("**/config_worker.js", lambda route: None)  # Python never comes
    page.reload(wait_until="domcontentloaded")
    page.get_by_text("Python is starting, once on each page.").wait_for()  # before anything is pasted
    page.get_by_label("Paste a config.json").fill(BROKEN)
    page.get_by_text("This is not JSON: in line 2, column").wait_for()
    page.get_by_label("Paste a config.json").fill(
        '{"num_hidden_layers": 2, "time_step_limit": [0.0, Infinity]}'
    )
    page.get_by_text("Python is starting, once on each page.").wait_for()
    page.wait_for_timeout(600)
    assert not page.get_by_text("This is not JSON").count()
    for config in (LLAMA, {"text_config": LLAMA}):  # what is read without Python
        page.get_by_label("Paste a config.json").fill(json.dumps(config))
        page.locator(".meanwhile", has_text="layers: 32; base of the rotation: 500,000; longest").wait_for()
    page.locator("#reading[data-passed$='s so far']").wait_for()
    page.get_by_label("Paste a config.json").fill("[null]")
    page.wait_for_timeout(600)
    assert not page.locator(".meanwhile").count()


def test_a_warning_follows_the_summary_and_says_what_to_change(open_page):
    page = open_page("read_a_config")
    rope = {"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"}
    config = LLAMA | {"max_position_embeddings": 32768, "rope_scaling": rope}
    page.get_by_label("Paste a config.json").fill(json.dumps(config))
    page.locator("#said .summary").get_by_text("This model has 32 layers").wait_for(timeout=60_000)
    assert page.locator("#said > *").evaluate_all(
        "all => all.map(one => one.className.baseVal ?? one.className)"
    )[:4] == ["summary", "strip", "legend", "checks"]
    assert "Your file may be right" in page.locator("#said .checks").inner_text()
    assert "write 131072 as max_position_embeddings" in page.locator("#said .checks").inner_text()
    page.get_by_label("Paste a config.json").fill(json.dumps(config | {"max_position_embeddings": 262144}))
    page.get_by_text("Raise the factor to 8").wait_for()
    sections = {"rope_type": "default", "mrope_section": [32, 32, 32]}
    page.get_by_label("Paste a config.json").fill(json.dumps(LLAMA | {"rope_scaling": sections}))
    page.get_by_text("the numbers of mrope_section must add up to 64").wait_for()
    page.get_by_text("a head of 192 columns has 96 pairs").wait_for()
    page.get_by_label("Paste a config.json").fill(
        json.dumps(LLAMA | {"num_hidden_layers": 2, "rope_scaling": {"type": "linear", "factor": 2.0}})
    )
    page.locator("#said td", has_text="linear, factor 2.0").wait_for()
    assert (
        "doesn't say whether its length is meant before or after" in page.locator("#said .fact").inner_text()
    )
    assert page.locator("#said svg").bounding_box()["width"] < 100  # two layers


def test_a_file_that_is_too_long_is_not_read(open_page, tmp_path):
    page = open_page("read_a_config")
    (tmp_path / "tokenizer.json").write_text(json.dumps(["a"] * 300_000))
    page.get_by_label("Choose a file").set_input_files(tmp_path / "tokenizer.json")
    page.get_by_text("This is too long for a config.json. Is it another file?").wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_wall_is_filtered_and_a_card_opens_where_it_stands(open_page, width):
    page = open_page("gallery", width=width)
    assert page.locator(".wall > li").count() == len(GALLERY)
    page.get_by_role("button", name="state").click()
    assert page.get_by_role("button", name="bias 0").is_disabled()  # it would leave nothing
    page.get_by_role("button", name="rotation").focus()
    page.keyboard.press("Space")
    shown = page.locator(".wall > li:visible > a").all_inner_texts()
    assert "Qwen3.5 397B" in shown and not {"Kimi K3", "GPT-2, small"} & set(shown)
    assert f"{len(shown)} of {len(GALLERY)} shown" in page.locator(".wall-count").inner_text()
    assert not page.get_by_role("heading", name=re.compile("^20..$")).count()  # one grid, without years
    assert page.locator(".wall:has(> li:visible)").count() == 1
    page.get_by_role("button", name="Show all").click()
    page.get_by_label("Model or method").fill("kimi k3")
    assert page.locator(".wall > li:visible").count() == 1
    page.get_by_label("Model or method").fill("gpt2")
    assert page.locator(".wall > li:visible > a").all_inner_texts() == ["GPT-2, small"]
    page.get_by_label("Model or method").fill("bloom-z")
    page.get_by_role("button", name="BLOOM").click()
    assert page.locator(".wall > li:visible").count() == 1
    page.get_by_label("Model or method").fill("rope")  # no model, but a method
    assert page.locator(".wall > li:visible").count() > 20
    page.get_by_label("Model or method").fill("sliding")
    assert 5 < page.locator(".wall > li:visible").count() < 20
    page.get_by_label("Model or method").fill("alibi")
    assert page.locator(".wall > li:visible").count() == 1
    page.get_by_role("button", name="Show all").click()
    assert page.locator(".wall > li:visible").count() == len(GALLERY)
    page.locator(".wall > li", has_text="Kimi K3").locator("svg").click(force=True)  # the link lies over it
    page.wait_for_url("**#kimi-k3")
    assert page.locator(".folded").count() == len(GALLERY) - 1
    assert page.locator(".wall > li.open + li.opened").get_by_role("heading", name="Kimi K3").is_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_models_are_compared_where_they_stand(open_page, width):
    page = open_page("gallery", width=width)
    page.route("**/*_worker.js", lambda route: route.abort())  # the gallery needs no Python
    form, side = page.locator("form.compare"), page.locator(".side")
    chosen = [side.get_by_label(f"{place} model") for place in ("First", "Second", "Third")]
    assert not form.is_visible() and not side.is_visible()
    for name in ("llama-3-8b", "bloom", "kimi-k3", "gpt-2"):  # the fourth takes the place of the first
        page.locator(f'.wall input[value="{name}"]').check()
        assert form.evaluate("one => Math.abs(innerHeight - one.getBoundingClientRect().bottom) < 20")
    assert not side.is_visible()
    said = form.get_by_role("status").inner_text()
    form.get_by_role("button", name="Side by side").click()
    names = [one.input_value() for one in chosen]
    assert names == ["bloom", "kimi-k3", "gpt-2"]
    assert "GPT-2, small takes the place of Llama 3 8B" in said
    page.locator(".compared th", has_text="GPT-2, small").wait_for()
    all_told(page, *(GALLERY[name]["config"] for name in names))
    assert not form.is_visible()  # it would lie on the table
    assert page.url.endswith("gallery.html?compare=bloom,kimi-k3,gpt-2")
    page.reload()
    page.locator(".compared th", has_text="Kimi K3").get_by_role("link").click()  # its details
    assert page.locator("li.opened").get_by_role("heading", name="Kimi K3").is_visible()
    assert page.locator("li.opened h3").evaluate("""one => {
        const {x, y} = one.getBoundingClientRect();
        return one.contains(document.elementFromPoint(x + 9, y + 9));
    }""")
    page.locator('.wall input[value="gpt-2"]').uncheck()
    assert not chosen[2].input_value() and page.locator(".wall input:checked").count() == 2
    form.get_by_role("button", name="Clear").click()
    assert not side.is_visible() and "compare=" not in page.url
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 390])
def test_a_curve_and_a_symptom_lead_to_their_cases(open_page, width):
    page = open_page("clinic", width=width)
    page.get_by_role("button", name="wrong from 1 on, at once").click()
    assert page.locator(".wall-count").inner_text().startswith("“wrong from 1 on, at once”: 2 of 23 shown")
    assert page.locator(".wall > li:visible > a").evaluate_all("links => links.map(one => one.hash)") == [
        "#case-13", "#case-19",
    ]  # fmt: skip
    assert page.locator(".curves > li:visible").count() == 6  # the others stay, without its frame
    assert (
        page.locator(".curves a[href*='notebooks/21'][href*='#']")
        .inner_text()
        .endswith("→ lesson 21 explains it")
    )
    edges = page.locator(".curves a").evaluate_all("all => all.map(one => getComputedStyle(one).boxShadow)")
    assert [edge == "none" for edge in edges].count(False) == 1
    assert page.locator("article h3:visible").count() == 0  # the cards say it
    assert page.locator(".folded").count() == len(clinic.cases())
    group, cases = next(iter(clinic.groups().items()))
    page.evaluate("scrollTo(0, 0)")
    page.get_by_role("button", name=group).dispatch_event("click")  # from where we are, which it moves
    assert page.locator(".wall-count").evaluate("one => one === document.activeElement")
    first = page.locator(".wall > li:visible").first
    assert first.evaluate("one => one.getBoundingClientRect().bottom <= innerHeight")
    assert page.locator(".wall > li:visible").count() == len(cases)
    assert page.evaluate(BELOW, [".filters", ".wall"]) and not page.locator(".curves").is_visible()
    number, title = (first.locator(one).bounding_box() for one in ("b", "a"))
    assert title["y"] >= number["y"] + number["height"] - 1  # as in a card that isn't filtered
    assert page.get_by_role("button", name=group).evaluate("one => one.getBoundingClientRect().top >= 0")
    page.locator(".wall > li:visible > a").first.click()
    assert page.locator("article h3:visible").all_inner_texts() == [cases[0].title]
    heading = page.get_by_role("heading", name=cases[0].title)
    assert heading.locator("..").locator("p:visible").count()
    assert heading.evaluate("one => one.getBoundingClientRect().top < innerHeight")


def test_a_card_shows_its_case_and_each_suspect_says_whether_it_is_the_one(open_page):
    case = next(one for one in clinic.cases() if not one.later)
    page = open_page("clinic")
    card = page.locator(".cases > li", has=page.get_by_role("link", name=case.title))
    assert str(case.number) in card.inner_text() and card.locator(".tokens:has(img, i)").count() == 1
    section = page.locator(f"section:has(> span#case-{case.number}), section#case-{case.number}").last
    for unfolded in (True, False, True):
        card.get_by_role("link").press("Enter")
        assert section.locator(".suspect").first.is_visible() is unfolded
    drawn = section.locator(".told img")
    assert card.locator(".tokens i").count() or drawn.bounding_box()["width"] > 300
    for one in case.suspects:
        told = section.locator(".suspect", has_text=one.who)
        told.locator("summary").click()
        said = "Yes, it is this one." if one == case.culprit else f"Innocent. {one.say}"
        assert told.locator("p").inner_text().startswith(said)
        if one == case.culprit:
            told.get_by_role("button", name="Cause and fix").click()
            assert section.locator(".cause > p").first.is_visible()
