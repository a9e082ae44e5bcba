"""Exercises, questions and quizzes answered on the page, in a real browser with no other host in reach."""

import html
import io
import itertools
import json
import re
import zipfile

import pytest
from reexecute import ROOT

from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.placement import placement
from pe_lessons.lessons.progress import progress

pytestmark = pytest.mark.browser
HTML = ROOT / "docs/_build/html"
AXE = ROOT / "docs/_build/npm/node_modules/axe-core/axe.min.js"
LESSON = "notebooks/03_the_naive_loop"
RIGHT_LETTERS = "".join(placement.right)
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
NOTEBOOK = r"\brun (the|its) cell\b|\brun both cells\b|\bpress \+|\.hint\("  # not on a page
# What the clipboard does, without one: newlines that are typed would be indented.
PASTE = """(content, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def visible(path):
    """The words of a built page's article."""
    article = path.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
    article = re.sub("<script.*?</script>", "", article, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", article))


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
    first = answer(page, "sinusoidal_loop", DOUBLED, "The exponent is doubled")
    after = min(answer(page, "sinusoidal_loop", DOUBLED + "# again" * n, "is doubled") for n in range(3))
    print(f"first check after {first} s, then {after} s")
    answer(page, "sinusoidal_loop", ENDLESS, "does not come to an end")
    answer(page, "sinusoidal_loop", "def my_sinusoidal(seq_len", "SyntaxError in line 1")
    answer(page, "sinusoidal_loop", RIGHT, "Correct")

    page.reload(wait_until="networkidle")
    editor = Editor(page, "sinusoidal_loop")
    assert editor.text == RIGHT
    assert "Correct" in editor.reply.inner_text() and "older" not in editor.reply.inner_text()

    page.goto(page.url.replace(f"{LESSON}.html", "progress.html"))
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


def test_the_first_lessons_are_answered_without_numpy(open_page):
    page = open_page("notebooks/00_start_here")
    answer(page, "count_positions", str(REGISTRY["count_positions"].solution()), "Correct")
    page = open_page("notebooks/02_by_hand")
    answer(page, "one_angle", str(REGISTRY["one_angle"].solution()), "Correct")
    answer(page, "row_by_hand", f"my_row = [{REGISTRY['row_by_hand'].solution()}]", "Every number is right.")
    page = open_page(LESSON)
    answer(page, "right_pairs", str(REGISTRY["right_pairs"].solution()), "Correct")


def test_where_there_is_no_library_the_page_says_where_to_answer(open_page):
    for lesson, library in (("04_vectorized_numpy", "NumPy"), ("05_pytorch", "PyTorch")):
        page = open_page(f"notebooks/{lesson}")
        said = page.locator(".exercise .elsewhere").first.inner_text()
        assert f"needs {library}" in said and "Colab" in said and "course.py lab" in said
        page.locator(".exercise .elsewhere").first.scroll_into_view_if_needed()
        assert page.locator(".exercise .cm-content").count() == 0


def test_numpy_is_fetched_from_where_the_site_has_it(open_page):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr(
            "numpy/__init__.py", "import contextlib\nerrstate = contextlib.nullcontext\narray = list"
        )
        for name in ("METADATA", "WHEEL", "RECORD"):
            wheel.writestr(f"numpy-2.0.dist-info/{name}", "Name: numpy\nVersion: 2.0" * (name == "METADATA"))
    page = open_page(LESSON)
    changed = {"needs": "numpy", "numpy": "numpy-2.0-py3-none-any.whl"}

    def with_numpy(route):
        text = route.fetch().text()
        data = json.loads(re.search(r'id="lesson">(.*?)</script>', text)[1])
        route.fulfill(
            body=text.replace(json.dumps(data), json.dumps(data | changed)), content_type="text/html"
        )

    page.route("**/03_*.html", with_numpy)
    page.route("**/python/numpy-2.0-py3-none-any.whl", lambda route: route.fulfill(body=packed.getvalue()))
    page.reload(wait_until="networkidle")
    answer(page, "sinusoidal_loop", f"import numpy\nprint(numpy.__file__){RIGHT}", "numpy/__init__.py")
    assert "Correct" in Editor(page, "sinusoidal_loop").reply.inner_text()


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


def test_tab_with_all_selected_keeps_the_answer_and_undo_brings_each_step_back(open_page):
    page = open_page("notebooks/00_start_here")
    editor = Editor(page, "count_positions")
    frame = editor.text
    editor.press("Control+a", "Tab")
    indented = "\n".join(f"    {line}" for line in frame.splitlines())
    assert editor.text == indented
    editor.press("Control+z")
    assert editor.text == frame
    editor.press("Control+y")
    assert editor.text == indented
    page.reload(wait_until="networkidle")
    assert editor.text == indented  # a reload keeps it

    editor.press("Control+a", "Delete")
    page.keyboard.type("def f(x):")
    editor.press("Enter")
    page.keyboard.type("return x")
    assert editor.text == "def f(x):\n    return x"
    seen = []
    while editor.text != indented and len(seen) < 20:
        editor.press("Control+z")
        seen.append(editor.text)
    assert seen[-1] == indented and all("raise" not in text for text in seen[:-1]), seen
    for _ in seen:
        editor.press("Control+y")
    assert editor.text == "def f(x):\n    return x"


def test_start_again_can_be_taken_back_and_an_older_reply_turns_grey(open_page):
    page = open_page("notebooks/00_start_here")
    editor = Editor(page, "count_positions")
    frame = editor.text
    colour = "one => getComputedStyle(one).borderLeftColor"
    answer(page, "count_positions", POSITIONS, "Correct")
    green = editor.reply.evaluate(colour)
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


def test_run_shows_prints_and_the_last_value(open_page):
    page = open_page("notebooks/00_start_here")
    editor = Editor(page, "count_positions")
    printing = POSITIONS.replace("return", "print('words:', sentence)\n    return")
    scrolls = f"# {'so long that the editor scrolls, ' * 5}"
    editor.fill(f"{scrolls}\n{printing}\nmy_positions('a b')")
    editor.click("Run")
    editor.wait("Value of the last line:")
    shown = editor.box.locator(".reply").first
    assert shown.locator("pre").all_inner_texts() == ["words: a b", "[0, 1]"]
    editor.press("Control+End", "Enter")
    assert shown.get_by_text("To an older version of your answer").is_visible()
    page.add_script_tag(path=AXE)
    for theme, width in itertools.product(("light", "dark"), (1280, 390)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        page.locator(f"html[data-theme={theme}]").wait_for()
        page.wait_for_timeout(500)  # until the colours of the buttons have changed
        assert page.evaluate("axe.run('.exercise', {resultTypes: ['violations']})")["violations"] == []
    page.keyboard.type("oops")
    editor.press("Alt+Enter")
    editor.wait("name 'oops' is not defined")
    editor.press(*["Backspace"] * 4, "Shift+Enter")
    editor.wait("Correct")
    first = editor.reply.locator("p", has_text="Printed by the first trial of the check:")
    assert first.locator("+ pre").inner_text().startswith("words: ")


@pytest.mark.parametrize("keys", ["Shift+Enter", "Control+Enter", "Meta+Enter"])
def test_three_keys_check(open_page, keys):
    page = open_page("notebooks/00_start_here")
    editor = Editor(page, "count_positions")
    renamed = POSITIONS.replace("my_positions", "count")
    editor.fill(renamed)
    editor.press(keys)
    editor.wait("Your answer has no my_positions, but it has count. Did you rename it?")
    assert editor.text == renamed.rstrip()


def test_a_page_does_not_speak_of_cells_to_run():
    found = [
        f"{path.stem}: {said[0]}"
        for path in sorted((HTML / "notebooks").glob("*.html"))
        for said in re.finditer(NOTEBOOK, visible(path), re.IGNORECASE)
        if not (path.stem.endswith("the_clinic") and said[0] == ".hint(")  # the clinic's cases are cells
    ]
    assert not found, found


def test_on_a_phone_the_editor_has_large_letters_and_buttons(browser, site):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{site}/notebooks/00_start_here.html", wait_until="networkidle")
    editor = Editor(page, "count_positions")
    assert editor.text and editor.content.evaluate("one => getComputedStyle(one).fontSize") == "16px"
    assert editor.box.get_by_role("button", name="Check").bounding_box()["height"] >= 44
    context.close()


def test_a_quiz_by_keyboard(open_page):
    page = open_page(LESSON)
    quiz = REGISTRY["quiz_the_naive_loop"]
    for question, group in zip(quiz.questions, page.locator("#answer-quiz_the_naive_loop .choices").all()):
        for letter, (_, right, reason) in question.choices.items():
            group.get_by_role("button").nth("abcdefgh".index(letter)).focus()
            page.keyboard.press("Enter")
            said = group.get_by_role("status").inner_text()
            assert said.startswith("Yes." if right else "No."), said
            assert reason.replace("`", "").split("*")[0].split("_")[0][:20] in said
        group.get_by_role("button").nth("abcdefgh".index(question.right[0])).press("Space")
    page.reload(wait_until="networkidle")
    assert page.locator("#answer-quiz_the_naive_loop [aria-pressed=true]").count() == len(quiz.questions)
    page.goto(page.url.replace(f"{LESSON}.html", "progress.html"))
    assert page.locator("tr[data-name=quiz_the_naive_loop] .outcome").inner_text() == "Correct"


def test_a_question_with_several_right_choices(open_page):
    page = open_page("notebooks/00_start_here")
    box = page.locator("#answer-cell_question")
    box.locator(".choice").nth(0).press("Space")
    box.get_by_role("button", name="Check").press("Enter")
    assert "One right choice is missing." in box.locator(".reply").inner_text()
    box.locator(".choice").nth(2).press("Space")
    box.get_by_role("button", name="Check").press("Enter")
    assert "Correct" in box.locator(".reply").inner_text()


@pytest.mark.parametrize("name", ["cell_question", "bug_question", "quiz_start_here", "quiz_the_naive_loop"])
def test_choices_are_judged_as_python_judges_them(open_page, name):
    page = open_page("index")
    one = REGISTRY[name]
    questions = getattr(one, "questions", [one])
    rights = [[right for _, right, _ in question.choices.values()] for question in questions]
    reasons = [[reason for *_, reason in question.choices.values()] for question in questions]
    if name.startswith("quiz"):
        judge, answers = "judgeQuiz", [list("abc"), list("bca"), ["a", None, "b"], list(one.right)]
    else:
        judge, rights, reasons = "judgeQuestion", rights[0], reasons[0]
        answers = [["a"], ["b"], ["a", "c"], ["a", "b", "c"], list(one.right), []]
    for letters in answers:
        said = page.evaluate(
            f"async given => (await import('./_static/exercises.js')).{judge}(...given)",
            [name, rights, reasons, letters],
        )
        expected = one.diagnose(*([letters] if name.startswith("quiz") else letters))
        assert (said["status"], said["title"]) == (expected.status, expected.title)
        if letters:
            assert said["message"] == expected.message


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


def test_python_is_fetched_only_when_it_is_asked_for(open_page):
    page = open_page(LESSON)
    asked = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert not [url for url in asked if "/python" in url], json.dumps(asked)


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


def test_the_picture_keeps_its_height_under_the_finger(open_page):
    for width in (1280, 390):
        page = open_page("index", width=width)
        box = page.locator(".encoding")
        before = box.bounding_box()["height"]
        for key in ("End", "Home"):
            page.get_by_role("slider", name="d_model").press(key)
            assert abs(box.bounding_box()["height"] - before) < 2
