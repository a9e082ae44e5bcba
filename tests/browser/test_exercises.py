"""Exercises, questions and quizzes answered on the page, in a real browser with no other host in reach."""

import re

import pytest
from reexecute import ROOT, find_notebooks

from pe_lessons.exercises.exercise import Numbers
from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.placement import placement
from pe_lessons.lessons.progress import progress

pytestmark = pytest.mark.browser
HTML = ROOT / "docs/_build/html"
LESSON = "notebooks/03_the_naive_loop"
RIGHT_LETTERS = "".join(placement.right)
TORCH = ("05", "14", "21", "22")  # their exercises need PyTorch
LOADED = 120_000  # milliseconds: also on a busy machine
DOUBLED = """
def my_sinusoidal(seq_len, d_model):
    table = []
    for position in range(seq_len):
        row = []
        for column in range(d_model):
            pair = column // 2
            angle = position / 10_000 ** (2 * (2 * pair) / d_model)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        table.append(row)
    return table
"""
RIGHT = DOUBLED.replace("2 * (2 * pair)", "2 * pair")
ENDLESS = "def my_sinusoidal(seq_len, d_model):\n    while True:\n        pass"
BUSY = "sum(range(10**12))"  # one step that does not come back
POSITIONS = str(REGISTRY["count_positions"].solution())
# What the clipboard does, without one: newlines that are typed would be indented.
PASTE = """(content, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


class Editor:
    """An exercise's editor: `keys` as they are pressed, or text as it is pasted over all that was there."""

    def __init__(self, page, name):
        self.page, self.box = page, page.locator(f"#answer-{name}")
        self.content, self.reply = self.box.locator(".cm-content"), self.box.locator(".reply").last

    @property
    def text(self):
        self.box.scroll_into_view_if_needed()
        self.content.wait_for()
        return "\n".join(self.content.locator(".cm-line").evaluate_all("all => all.map(x => x.textContent)"))

    def press(self, *keys):
        self.box.scroll_into_view_if_needed()
        self.content.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def fill(self, text):
        self.press("Control+a")
        if text:
            self.content.evaluate(PASTE, text)
        else:
            self.press("Delete")
        assert self.text == text

    def click(self, name):
        self.box.get_by_role("button", name=name, exact=True).click()

    def wait(self, said):
        self.box.locator(".reply", has_text=said).last.wait_for(timeout=LOADED)


def answer(page, name, text, said):
    """Paste an answer, check it, and give the seconds that the reply took."""
    editor = Editor(page, name)
    editor.fill(text)
    editor.press("Control+Enter")
    editor.wait(said)
    return float(editor.box.get_attribute("data-seconds"))


def test_an_exercise_is_answered_wrongly_rightly_and_without_end(open_page, tmp_path):
    page = open_page(LESSON)
    assert Editor(page, "sinusoidal_loop").text and not page.workers  # who only reads fetches no Python
    first = answer(page, "sinusoidal_loop", DOUBLED, "twice as large as it should be")
    after = min(answer(page, "sinusoidal_loop", DOUBLED + "# again" * n, "twice as large") for n in range(3))
    print(f"first check after {first} s, then {after} s")
    answer(page, "sinusoidal_loop", ENDLESS, "does not end")
    answer(page, "sinusoidal_loop", "def my_sinusoidal(seq_len", "SyntaxError in line 1")
    assert page.locator(".cm-line.wrong").all_inner_texts() == ["def my_sinusoidal(seq_len"]
    answer(page, "sinusoidal_loop", RIGHT.replace("math.", ""), "Write math.sin.")
    answer(page, "sinusoidal_loop", RIGHT, "Correct")

    with page.expect_worker():  # now it starts before the box is touched
        page.reload(wait_until="networkidle")
    editor = Editor(page, "sinusoidal_loop")
    assert editor.text == RIGHT
    assert "Correct" in editor.reply.inner_text() and "older" not in editor.reply.inner_text()
    assert "Next on this page" in editor.reply.inner_text()

    page.goto(page.url.replace(f"{LESSON}.html", "progress.html"))
    assert page.locator(".bd-links a[href*='/03_'] .done").text_content().strip() == "1 of 2 exercises"
    row = page.locator("tr[data-name=sinusoidal_loop]")
    assert row.locator(".outcome").inner_text() == "Correct"
    assert page.locator("#progress-count").inner_text().startswith("1 of ")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export").click()
    saved.value.save_as(tmp_path / "my_answers.ipynb")
    assert ("my_answers", "sinusoidal_loop", "Correct") in progress(tmp_path / "my_answers.ipynb")
    kept = page.evaluate("localStorage.getItem('pe_lessons/03_the_naive_loop')")
    (tmp_path / "kept.ipynb").write_text(kept)
    assert progress(tmp_path / "kept.ipynb") == [("kept", "sinusoidal_loop", "Correct")]
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget").click()
    assert page.locator("#progress-count").inner_text().startswith("0 of ")
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('pe_lessons/')).length") == 0


def test_a_check_is_stopped_by_its_button_and_by_the_clock(open_page):
    page = open_page(LESSON)
    editor = Editor(page, "sinusoidal_loop")
    editor.fill(BUSY)
    for action, doing in (("Check", "Checking"), ("Run", "Running")):
        editor.click(action)
        editor.box.get_by_text(f"{doing} …").wait_for(timeout=LOADED)
        editor.click("Stop")
        editor.wait("Stopped. Python starts again with the next check or run.")
    answer(page, "sinusoidal_loop", BUSY, "was stopped. Look at its loops.")
    answer(page, "sinusoidal_loop", RIGHT, "Correct")
    here = list(HTML.glob("_static/python/numpy-*.whl"))  # the lesson does without NumPy
    said = "Correct" if here else "Your code imports numpy, and this page doesn't have it."
    answer(page, "sinusoidal_loop", f"import numpy as np\n{RIGHT}", said)


@pytest.mark.parametrize("notebook", find_notebooks(), ids=lambda path: path.stem)
def test_every_exercise_is_answered_or_says_where_it_can_be(open_page, notebook):
    page = open_page(f"notebooks/{notebook.stem}")
    boxes = page.locator(".to-answer.exercise").all()
    elsewhere = page.locator(".exercise .elsewhere")
    if notebook.stem[:2] in TORCH or elsewhere.count():
        assert elsewhere.count() == len(boxes)
        said = elsewhere.first.inner_text()
        library = "PyTorch" if notebook.stem[:2] in TORCH else "NumPy"
        assert said.startswith("Copy the code") and f"Runs in your notebook (it needs {library})" in said
        assert elsewhere.first.locator("a").last.get_attribute("href")
        elsewhere.first.scroll_into_view_if_needed()
        assert page.locator(".exercise .cm-content").count() == 0
        assert library == "PyTorch" or not list(HTML.glob("_static/python/numpy-*.whl"))
        return
    for box in boxes:
        name = box.get_attribute("data-name")
        [mine] = re.findall(r"\bmy_\w+", box.get_attribute("data-check"))
        numbers = isinstance(REGISTRY[name], Numbers)
        solution = REGISTRY[name].solution()
        answer(page, name, f"{mine} = [{solution}]" if numbers else str(solution), "Correct.")


def test_the_pages_promise_as_many_exercises_as_run_on_them(open_page):
    page = open_page("index")
    [said] = re.findall(r"(\d+) of the (\d+) exercises", page.locator("article").inner_text())
    told = page.evaluate(
        """async lessons => (await Promise.all(lessons.map(async one => {
            const text = await (await fetch(`notebooks/${one}.html`)).text();
            const page = new DOMParser().parseFromString(text, "text/html");
            const known = page.getElementById("lesson");
            const { needs, numpy } = known ? JSON.parse(known.textContent) : {};
            const count = page.querySelectorAll(".to-answer.exercise").length;
            return [count * (needs === "" || (needs === "numpy" && numpy)), count];
        }))).reduce(([a, b], [c, d]) => [a + c, b + d])""",
        [path.stem for path in find_notebooks()],
    )
    assert told == [int(number) for number in said]
    marks = page.locator("ul.lesson-map .here").all_inner_texts()  # the list of lessons says where
    assert sum(int(re.search(r"\d+", one)[0]) for one in marks) == told[0]


def test_start_again_can_be_taken_back_and_an_older_reply_turns_grey(open_page):
    page = open_page("notebooks/00_start_here")
    editor = Editor(page, "count_positions")
    frame = editor.text
    colour = "one => getComputedStyle(one).borderLeftColor"
    answer(page, "count_positions", POSITIONS, "Correct")
    green = editor.reply.evaluate(colour)
    assert "Next on this page: Which way?" in editor.reply.inner_text()
    older = editor.reply.get_by_text("To an older version of your answer")
    assert not older.is_visible()

    def is_older():
        assert editor.text
        said = "Correct" in editor.reply.inner_text() and older.is_visible()
        return said and editor.reply.evaluate(colour) == "rgb(128, 128, 128)" != green

    editor.press("Control+End", "#")
    assert is_older()
    page.reload(wait_until="networkidle")
    assert is_older()
    editor.press("Control+End", "Backspace")
    assert not older.is_visible() and editor.reply.evaluate(colour) == green

    editor.click("Start again")
    assert editor.text == frame and is_older()
    page.reload(wait_until="networkidle")
    assert editor.text == frame and is_older()
    editor.click("Previous answer")
    assert editor.text == POSITIONS.rstrip() and not older.is_visible()
    editor.click("Start again")
    editor.press("Control+z")
    assert editor.text == POSITIONS.rstrip()
    editor.click("Start again")
    editor.press("Control+End", "x")
    editor.click("Previous answer")
    editor.click("Previous answer")
    assert editor.text == f"{frame}x"  # nor is what was written in between lost


def test_a_quiz_by_keyboard(open_page):
    page = open_page(LESSON)
    quiz = REGISTRY["quiz_the_naive_loop"]
    for question, group in zip(quiz.questions, page.locator("#answer-quiz_the_naive_loop .choices").all()):
        for letter, (_, right, reason) in question.choices.items():
            choice = group.get_by_role("button").nth("abcdefgh".index(letter))
            choice.focus()
            page.keyboard.press("Enter")
            said = group.get_by_role("status").inner_text()
            assert said.startswith("Yes." if right else "No."), said
            shown = choice.evaluate("one => getComputedStyle(one, '::after').content")
            assert ("✓" if right else "✗") in shown, shown
            assert group.locator("[data-verdict='✓'], [data-verdict='✗']").count() == 1
            assert reason.replace("`", "").split("*")[0].split("_")[0][:20] in said
        group.get_by_role("button").nth("abcdefgh".index(question.right[0])).press("Space")
    page.reload(wait_until="networkidle")
    assert page.locator("#answer-quiz_the_naive_loop [aria-pressed=true]").count() == len(quiz.questions)
    page.goto(page.url.replace(f"{LESSON}.html", "progress.html"))
    assert page.locator("tr[data-name=quiz_the_naive_loop] .outcome").inner_text() == "Correct"


def test_without_javascript_hints_choices_and_reasons_are_there(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/{LESSON}.html")
    assert page.locator("#answer-sinusoidal_loop .cell pre").is_visible()
    page.locator("#answer-sinusoidal_loop summary").first.click()
    assert page.locator("#answer-sinusoidal_loop details p").first.is_visible()
    page.locator("#answer-quiz_the_naive_loop summary").first.click()
    assert "Yes:" in page.locator("#answer-quiz_the_naive_loop").inner_text()
    context.close()


@pytest.mark.parametrize(
    "letters", ["eeeeeeeeee", "beeeeeeeee", "bbceeeeeee", "bbcbdeeeee", "bbcbdccebe", RIGHT_LETTERS]
)
def test_a_newcomer_finds_a_place(open_page, letters):
    page = open_page("placement")
    groups = page.locator("#answer-placement .choices").all()
    for group, letter in zip(groups, letters, strict=True):
        group.locator(".choice").nth("abcdefgh".index(letter)).press("Enter")
    place = page.locator("#answer-placement .place")
    numbers = [int(link[:2]) for link in place.locator("a").all_inner_texts()]
    assert place.inner_text().startswith("Begin at ") and numbers == placement.place(letters)
    page.reload(wait_until="networkidle")
    assert page.locator("#answer-placement [aria-pressed=true]").count() == len(groups)
    assert [int(link[:2]) for link in place.locator("a").all_inner_texts()] == numbers
    page.goto(place.locator("a").first.evaluate("link => link.href"))
    assert page.locator("article h1").inner_text().startswith(f"{numbers[0]:02d} ")


def test_the_editor_indents_and_lets_the_keyboard_go(open_page):
    page = open_page(LESSON)
    editor = Editor(page, "sinusoidal_loop")
    editor.fill("")
    page.keyboard.type("if x:\ny")
    editor.press("Enter", "Tab")
    assert editor.text == "if x:\n    y\n        "
    editor.press("Shift+Tab")
    assert editor.text == "if x:\n    y\n    "
    assert editor.box.locator(".cm-lineNumbers").inner_text().split()[-3:] == ["1", "2", "3"]
    editor.press("Escape")
    page.wait_for_timeout(2500)  # as long as a slow hand needs
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")  # back in the editor it indents again
    assert editor.text == "if x:\n    y\n        "


def test_a_question_with_several_right_choices(open_page):
    page = open_page("notebooks/00_start_here")
    box = page.locator("#answer-cell_question")
    assert "Choose all that apply" in box.inner_text()
    box.locator(".choice").nth(1).press("Space")
    box.get_by_role("button", name="Check").press("Enter")
    assert "There is more to choose." in box.locator(".reply").inner_text()
    box.locator(".choice").nth(2).press("Space")
    box.get_by_role("button", name="Check").press("Enter")
    assert "Correct" in box.locator(".reply").inner_text()
