"""JupyterLab as a learner has it: run a lesson, move a slider, answer an exercise, first with a mistake."""

import json

import pytest
from reexecute import ROOT, find_notebooks

pytestmark = pytest.mark.browser
FIRST = ROOT / "notebooks/00_start_here.ipynb"
LESSONS = find_notebooks()
WITH_SLIDERS = [path for path in LESSONS if "figures.knobs(" in path.read_text(encoding="utf-8")]
MINUTE = 60_000


@pytest.fixture
def run_all(browser, lab):
    """A function that opens a notebook in JupyterLab, runs all its cells and gives the page."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})

    def run_all(path):
        page = context.new_page()
        page.goto(f"{lab}/lab/tree/notebooks/{path.name}?reset")
        page.locator(".jp-NotebookPanel .jp-Cell").first.wait_for(timeout=MINUTE)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=MINUTE)
        answers = page.locator(".jp-OutputPlaceholder")  # to predictions, which may not be seen before
        assert answers.count() == path.read_text(encoding="utf-8").count('"outputs_hidden": true')
        page.locator(".lm-MenuBar-itemLabel", has_text="Kernel").click()
        page.locator(".lm-Menu-itemLabel", has_text="Restart Kernel and Run All Cells").click()
        page.locator(".jp-Dialog .jp-mod-accept").click()
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        last = sum(cell["cell_type"] == "code" for cell in cells)
        prompts = "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(one => one.innerText)"
        # first the stored counts have to go
        page.wait_for_function(f"!{prompts}.includes('[{last}]:')", timeout=MINUTE)
        page.wait_for_function(f"{prompts}.at(-1) == '[{last}]:'", timeout=2 * MINUTE)
        assert page.evaluate(prompts) == [f"[{count}]:" for count in range(1, last + 1)]
        assert answers.count() == 0
        for trouble in ("error", "stderr"):
            kind = f"application/vnd.jupyter.{trouble}"
            assert page.locator(f".jp-OutputArea [data-mime-type='{kind}']").count() == 0
        return page

    yield run_all
    context.close()


def test_an_exercise_is_answered(run_all):
    page = run_all(FIRST)
    answer = page.locator(".jp-CodeCell", has_text="def my_positions(sentence")
    check = page.locator(".jp-CodeCell", has_text="count_positions.check(my_positions)")
    reply = check.locator(".jp-OutputArea").first  # the buttons below a verdict have one of their own
    assert "Not attempted yet" in reply.inner_text()
    wrong, right = "[n + 1 for n in range(len(sentence.split()))]", "list(range(len(sentence.split())))"

    def write(body, colon=":"):
        answer.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(f"def my_positions(sentence){colon}\n    return {body}")

    def run_check(said):
        check.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        reply.get_by_text(said).first.wait_for(timeout=MINUTE)

    for body, colon, said in [
        (wrong, ":", "begin at 1"), (right, ":", "Correct"), (right, "", "Error in your code"),
        (wrong, ":", "begin at 1"),
    ]:  # fmt: skip
        write(body, colon)
        page.keyboard.press("Control+Enter")
        run_check(said)
        assert reply.get_by_text("Correct").count() == (said == "Correct")


@pytest.mark.parametrize("path", WITH_SLIDERS, ids=lambda path: path.stem)
def test_a_slider_moves_its_figure(run_all, path):
    page = run_all(path)
    cell = page.locator(".jp-CodeCell", has_text="figures.knobs(").first
    figure = cell.locator(".jp-OutputArea img").first
    figure.wait_for(timeout=MINUTE)
    before = figure.get_attribute("src")
    cell.locator(".noUi-handle").last.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "([figure, before]) => !figure.isConnected || figure.src != before",
        arg=[figure.element_handle(), before],
    )
    cell.locator(f".jp-OutputArea img:not([src='{before}'])").first.wait_for(timeout=MINUTE)
    assert cell.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
