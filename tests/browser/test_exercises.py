"""Exercises, questions and quizzes answered on the page, in a real browser with no other host in reach."""

import io
import json
import re
import zipfile

import pytest

from pe_lessons.exercises import REGISTRY
from pe_lessons.placement import placement
from pe_lessons.progress import progress

pytestmark = pytest.mark.browser
LESSON = "notebooks/03_the_naive_loop"
RIGHT_LETTERS = "".join(placement.right)
LOADED = 60_000  # milliseconds: also on a busy machine
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


def answer(page, name, text, said):
    """Type an answer, check it, and give the seconds that the reply took."""
    box = page.locator(f"#answer-{name}")
    box.locator("textarea").fill(text)
    box.locator("textarea").press("Control+Enter")
    box.locator(".reply", has_text=said).wait_for(timeout=LOADED)
    return float(box.get_attribute("data-seconds"))


def test_an_exercise_is_answered_wrongly_rightly_and_without_end(open_page, tmp_path):
    page = open_page(LESSON)
    first = answer(page, "sinusoidal_loop", DOUBLED, "The exponent is doubled")
    after = min(answer(page, "sinusoidal_loop", DOUBLED + "# again" * n, "is doubled") for n in range(3))
    print(f"first check after {first} s, then {after} s")
    answer(page, "sinusoidal_loop", ENDLESS, "does not come to an end")
    answer(page, "sinusoidal_loop", "def my_sinusoidal(seq_len", "SyntaxError in line 1")
    answer(page, "sinusoidal_loop", RIGHT, "Correct")

    page.reload(wait_until="networkidle")
    box = page.locator("#answer-sinusoidal_loop")
    assert box.locator("textarea").input_value() == RIGHT
    assert "Correct" in box.locator(".reply").inner_text()

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
    box = page.locator("#answer-sinusoidal_loop")
    box.locator("textarea").fill(BUSY)
    box.get_by_role("button", name="Check").click()
    box.get_by_text("Checking").wait_for(timeout=LOADED)
    box.get_by_role("button", name="Stop").click()
    box.get_by_text("Stopped. The next check starts Python anew.").wait_for()
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
        assert page.locator(".exercise textarea").count() == 0


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
    assert "Correct" in page.locator("#answer-sinusoidal_loop .reply").inner_text()


def test_the_editor_indents_and_lets_the_keyboard_go(open_page):
    page = open_page(LESSON)
    editor = page.locator("#answer-sinusoidal_loop textarea")
    editor.fill("")
    editor.press_sequentially("if x:\ny")
    editor.press("Enter")
    editor.press("Tab")
    assert editor.input_value() == "if x:\n    y\n        "
    editor.press("Escape")
    editor.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"


def test_a_quiz_by_keyboard(open_page):
    page = open_page(LESSON)
    quiz = REGISTRY["quiz_03"]
    for question, group in zip(quiz.questions, page.locator("#answer-quiz_03 .choices").all()):
        for letter, (_, right, reason) in question.choices.items():
            group.get_by_role("button").nth("abcdefgh".index(letter)).focus()
            page.keyboard.press("Enter")
            said = group.get_by_role("status").inner_text()
            assert said.startswith("Yes." if right else "No."), said
            assert reason.replace("`", "").split("*")[0].split("_")[0][:20] in said
        group.get_by_role("button").nth("abcdefgh".index(question.right[0])).press("Space")
    page.reload(wait_until="networkidle")
    assert page.locator("#answer-quiz_03 [aria-pressed=true]").count() == len(quiz.questions)
    page.goto(page.url.replace(f"{LESSON}.html", "progress.html"))
    assert page.locator("tr[data-name=quiz_03] .outcome").inner_text() == "Correct"


def test_a_question_with_several_right_choices(open_page):
    page = open_page("notebooks/00_start_here")
    box = page.locator("#answer-cell_question")
    box.locator(".choice").nth(0).press("Space")
    box.get_by_role("button", name="Check").press("Enter")
    assert "One right choice is missing." in box.locator(".reply").inner_text()
    box.locator(".choice").nth(2).press("Space")
    box.get_by_role("button", name="Check").press("Enter")
    assert "Correct" in box.locator(".reply").inner_text()


@pytest.mark.parametrize("name", ["cell_question", "bug_question", "quiz_00", "quiz_03"])
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
    page.locator("#answer-quiz_03 summary").first.click()
    assert "Yes:" in page.locator("#answer-quiz_03").inner_text()
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
