"""The live pictures: every number shown is Python's number, and every knob is for the keyboard too."""

import itertools
import tomllib

import numpy as np
import pytest
import torch
from reexecute import ROOT, find_notebooks

from pe_lessons import arrays

pytestmark = pytest.mark.browser
PICTURES = tomllib.loads((ROOT / "docs/pictures.toml").read_text(encoding="utf-8"))
FOLDER = ROOT / "docs/_static/pictures"


def spot_the_bug(column):
    right, doubled = arrays.sinusoidal(50, 128), arrays.sinusoidal(50, 128, base=10_000**2)
    return {
        "one": right[:, column],
        "other": doubled[:, column],
        "difference": np.abs(right - doubled)[:, column].max(),
    }


def turn_the_hands(position, width, base):
    table = arrays.sinusoidal(100, width, base=10.0**base)
    gaps = np.linalg.norm(table - table[position], axis=1)
    gaps[position] = np.inf
    nearest = np.flatnonzero(gaps < gaps.min() + 1e-9)[0]
    return {"own": table[position], "nearest": nearest, "gap": gaps[nearest]}


def shuffle_the_words(order, mask, position):
    words = ["the", "cat", "chased", "the", "mouse"]
    rows = {"the": [1, 0, 0, 1], "cat": [0, 2, 1, 0], "chased": [1, 1, 0, 2], "mouse": [0, 1, 2, 1]}
    orders = sorted(itertools.permutations(range(5)))

    def cat(numbers):
        said = [words[number] for number in numbers]
        x = np.array([rows[word] for word in said]) + position * arrays.sinusoidal(5, 4)
        seen = np.tri(5, dtype=bool) if mask else None
        return said, arrays.attention(x, x, x, seen)[said.index("cat")]

    told = {tuple(cat(one)[1].round(9) + 0.0) for one in orders}
    return {"words": cat(orders[order])[0], "output": cat(orders[order])[1], "told": len(told)}


def detector(position, width, base):
    table = arrays.sinusoidal(128, width, base=10.0**base)
    answer = table @ table[position] / (width / 2)
    far = answer[np.abs(np.arange(128) - position) >= 5]
    return {"answer": answer, "neighbour": answer[position - 1 if position else 1], "far": far.max()}


def two_arrows(query, key, both, pairs):
    vectors = [[1, 0, 1, -0.5, 0.8, 0.3, 1, 0.2], [1, 0, 0.7, 0.6, -0.3, 1, 0.5, 0.5]]
    q, k = (
        arrays.rotary([vector], [position + both], base=100)[0][: 2 * pairs]
        for vector, position in zip(vectors, (query, key))
    )
    return {"score": q @ k}


def ruler(query, heads, head, constant):
    slope = arrays.alibi_slopes(heads)[min(head, heads) - 1]
    bias = arrays.alibi(16, heads)[min(head, heads) - 1][query, : query + 1] + constant
    return {"slope": slope, "bias": bias, "weights": arrays.softmax(bias)}


def stretch(trained, factor, rule, base):
    length, times, base = 2**trained, 2.0**factor, float(base)
    scaling = {
        "none": None,
        "clip the distance": None,
        "position interpolation": {"rope_type": "linear", "factor": times},
        "NTK-aware": {"rope_type": "ntk", "factor": times},
        "YaRN": {"rope_type": "yarn", "factor": times, "original_max_position_embeddings": length},
        "by parts": {
            "rope_type": "llama3", "factor": times, "original_max_position_embeddings": length,
            "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        },
    }[rule]  # fmt: skip
    before = arrays.frequencies(128, base=base)
    now, _ = arrays.rotary_frequencies(128, base=base, scaling=scaling)
    open_pairs = before * length < 2 * np.pi
    unseen = open_pairs & (now * length * times > before * length * (1 + 1e-9))
    unseen &= rule != "clip the distance"
    return {"frequencies": now, "open": open_pairs.sum(), "unseen": unseen.sum(), "slowed": before / now}


def fading_state(at, gate, stop):
    gates = np.array(
        [stop if word == "." else gate for word in "the cat sat down . the dog ran after it".split()]
    )
    kept = np.exp(arrays.forget_bias(gates))[at - 1, :at]
    with np.errstate(divide="ignore"):
        half = np.log(0.5) / np.log(gate)
    return {"left": kept, "slope": -np.log(gate), "half": half}


def out_of_numbers(power, format):
    position = round(10**power)
    kind = getattr(torch, format)
    stored = torch.tensor(position, dtype=torch.float64).to(kind).item()
    first = next(n for bits in range(1, 60) if torch.tensor(n := 2**bits + 1).to(kind).item() != n)
    return {"position": position, "stored": None if np.isinf(stored) else stored, "first": first}


def video_loop(frame, trained, slower):
    periods = 4 * 2 * np.pi / arrays.frequencies(16, base=256)
    decides = np.flatnonzero(periods > trained)[0]
    loop = periods[decides]
    if slower:
        periods[decides] = 420 * 1.2
    seen, back = trained >= periods, frame >= np.floor(periods)
    angle, shown = frame / periods % 1, trained / periods  # in turns, forwards and back
    beyond = (shown < angle) & (angle < 1 - shown)
    kinds = np.where(seen, "known", np.where(back, "again", np.where(beyond, "new", "known")))
    return {"periods": periods, "kinds": kinds.tolist(), "decides": decides, "loop": loop}


def leave_the_line(row, column, grid, encoding):
    height, width = map(int, grid.split(" x "))
    table = {
        "line numbers": arrays.sinusoidal(height * width, 32),
        "two axes": arrays.sinusoidal_2d(height, width, 32).reshape(-1, 32),
        "axes exchanged": arrays.sinusoidal_2d(width, height, 32).reshape(-1, 32),
    }[encoding]
    at, across = min(row, height - 1), min(column, width - 1)
    return {"at": at, "across": across, "alike": table @ table[at * width + across] / 16}


def sum_of_stripes(pairs, directions):
    k = np.arange(pairs)
    speeds, angles = 100 ** (-k / 32), k * np.pi * (5**0.5 - 1) / 2
    if directions == "two":
        speeds, angles = 100 ** (-(k // 2) / 16), k % 2 * np.pi / 2
    down, right = np.indices((29, 29))[..., None] - 14
    scores = np.cos(speeds * (down * np.sin(angles) + right * np.cos(angles))).mean(axis=-1)
    return {"pairs": pairs, "scores": scores.ravel(), "along": scores[14, 28], "aslant": scores[20, 20]}


# Every combination of these values is tried.
CASES = {
    spot_the_bug: dict(column=[0, 5, 127]),
    turn_the_hands: dict(position=[7, 99], width=[2, 8], base=[1.5, 4]),
    video_loop: dict(frame=[90, 130, 200, 201], trained=[129, 257], slower=[False, True]),
    shuffle_the_words: dict(order=[0, 77], mask=[False, True], position=[False, True]),
    detector: dict(position=[0, 40, 127], width=[4, 64], base=[1.5, 4]),
    two_arrows: dict(query=[7], key=[4], both=[11], pairs=[1, 4]),
    ruler: dict(query=[0, 15], heads=[1, 12], head=[2, 11], constant=[0, -2.5]),
    stretch: dict(
        trained=[8, 12], factor=[0, 2],
        rule=["none", "position interpolation", "by parts", "clip the distance", "NTK-aware", "YaRN"],
        base=["10000", "500000"],
    ),
    fading_state: dict(at=[1, 4, 10], gate=[0.01, 0.9], stop=[0.01, 1]),
    out_of_numbers: dict(
        power=[0, 2.41, 3.01, 4.9, 6], format=["float64", "float32", "float16", "bfloat16"]
    ),
    leave_the_line: dict(
        row=[1, 6], column=[6, 13], grid=["14 x 14", "2 x 3"],
        encoding=["line numbers", "two axes", "axes exchanged"],
    ),
    sum_of_stripes: dict(pairs=[1, 7, 32], directions=["two", "32"]),
}  # fmt: skip


def test_every_picture_is_compared():
    names = {path.stem for path in FOLDER.glob("*.js")} - {"shared"}
    assert names == set(PICTURES) == {function.__name__ for function in CASES}


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_the_numbers_are_pythons(open_page, function):
    page = open_page("404")
    module = f"./_static/pictures/{function.__name__}.js"
    for combined in itertools.product(*CASES[function].values()):
        values = dict(zip(CASES[function], combined, strict=True))
        shown = page.evaluate(f"async (values) => (await import('{module}')).numbers(values)", values)
        for name, expected in function(**values).items():
            if expected is None or isinstance(expected, list):
                assert shown[name] == expected, (values, name)
            else:
                np.testing.assert_allclose(shown[name], expected, 1e-9, 1e-9, err_msg=f"{values} {name}")


@pytest.mark.parametrize("name", PICTURES)
def test_every_knob_is_turned_with_the_keyboard(open_page, name):
    box = open_picture(open_page, name)
    for knob in box.locator("input, select").all():
        value = "knob => knob.type == 'checkbox' ? knob.checked : knob.value"
        before = knob.evaluate(value)
        for key in ["Space"] if isinstance(before, bool) else ["ArrowDown", "ArrowUp"]:
            if knob.evaluate(value) == before:  # the first key does nothing at its end
                knob.press(key)
        assert knob.evaluate(value) != before
        assert "NaN" not in box.inner_html() and "undefined" not in box.inner_html()


def open_picture(open_page, name, **options):
    lessons = {path.stem[3:]: f"notebooks/{path.stem}" for path in find_notebooks()}
    page = lessons[PICTURES[name]["lesson"]] if "lesson" in PICTURES[name] else "index"
    box = open_page(page, **options).locator(f".live[data-picture={name}]")
    box.scroll_into_view_if_needed()
    box.get_by_role("status").wait_for()
    return box


# What is dragged in a picture, along which points in the drawing's own units, and what its knobs then say.
TURN = [(56 + 24 * np.cos(angle), 51 - 24 * np.sin(angle)) for angle in range(9)]  # more than once round
GRASPED = [
    ("detector", [(200, 80), (300, 80)], {"position": 95}),
    ("fading_state", [(104, 158), (134, 188)], {"word gate": 0.83, "stop gate": 0.15}),
    ("leave_the_line", [(250, 150), (142, 98)], {"row": 5, "column": 3}),
    ("out_of_numbers", [(300, 34), (200, 34)], {"position": 3}),
    ("ruler", [(100, 100), (308, 100)], {"query at": 12}),
    ("shuffle_the_words", [(40, 118), (390, 118)], {"order": 33}),
    ("stretch", [(217, 50), (321, 50)], {"trained on": 12, "text": 5}),
    ("sum_of_stripes", [(100, 100), (315, 100)], {"pairs": 32}),
    ("turn_the_hands", [(290, 60), (330, 18)], {"position": 0}),
    ("turn_the_hands", TURN, {"position": 15}),
    ("two_arrows", [(245, 36), (147, 49)], {"query at": 9, "key at": 4}),  # two radians of pair 0
    ("video_loop", [(100, 30), (200, 30)], {"frame": 210, "trained up to": 129}),
]


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
@pytest.mark.parametrize(("name", "points", "told"), GRASPED)
def test_what_is_drawn_is_grasped(open_page, name, points, told, touch):
    box = open_picture(open_page, name, width=390)
    drawn = box.locator("svg")
    drawn.evaluate(
        "one => scrollTo({top: one.getBoundingClientRect().y + scrollY - 200, behavior: 'instant'})"
    )
    place = drawn.bounding_box()
    points = [
        (place["x"] + x * place["width"] / 400, place["y"] + y * place["width"] / 400) for x, y in points
    ]
    if touch:
        session = box.page.context.new_cdp_session(box.page)
        kinds = ["touchStart", *["touchMove"] * (len(points) - 1), "touchEnd"]
        for kind, at in zip(kinds, [*points, None], strict=True):
            fingers = [{"x": at[0], "y": at[1]}] if at else []
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
            box.page.evaluate("new Promise(requestAnimationFrame)")  # else the browser joins the moves
    else:
        box.page.mouse.move(*points[0])
        box.page.mouse.down()
        for at in points[1:]:
            box.page.mouse.move(*at)
        box.page.mouse.up()
    shown = {label: float(box.get_by_role("slider", name=label).input_value()) for label in told}
    assert shown == pytest.approx(told, abs=0.02)


@pytest.mark.parametrize("name", sorted({name for name, _, _ in GRASPED}))
def test_on_a_phone_a_handle_is_as_large_as_a_fingertip(open_page, name):
    box = open_picture(open_page, name, width=390)
    sizes = box.locator("circle.grip.hand").evaluate_all(
        """all => all.map(one => [2 * Number.parseFloat(getComputedStyle(one).r),
            Number.parseFloat(getComputedStyle(one).strokeWidth)].map(size => size * one.getScreenCTM().a))"""
    )
    # a clock's is small, so that the legs at its tip are seen
    least = 9 if name == "turn_the_hands" else 24
    assert all(least <= drawn < least + 4 and drawn + edge >= 44 for drawn, edge in sizes)


def test_a_picture_opens_at_its_question(open_page):
    box = open_picture(open_page, "fading_state")
    gates = [box.get_by_role("slider", name=f"{name} gate").input_value() for name in ("word", "stop")]
    assert gates == ["0.95", "0.15"] and box.locator("rect.first:visible").count() > 5
    box.get_by_role("slider", name="word gate").fill("1")
    assert "it was the full stop" not in box.get_by_role("status").inner_text()
    box.get_by_role("slider", name="stop gate").fill("0.01")  # now both were turned
    assert "it was the full stop. With its gate at 1, the state would have kept 69.8 %" in (
        box.get_by_role("status").inner_text()
    )
    assert "At a word gate of 1, only the full stop" in box.get_by_role("status").inner_text()
    box.get_by_role("slider", name="words read").fill("3")
    assert box.get_by_role("status").inner_text().count("of “cat”") == 2  # once of now, once of the start
    box = open_picture(open_page, "stretch")
    assert box.locator("select").first.input_value() == "none"
    assert (
        box.locator("rect.second").evaluate_all("all => all.filter(x => x.height.baseVal.value > 0.5).length")
        > 5
    )
    slowed = box.locator("rect.solid").evaluate_all("all => all.map(x => x.height.baseVal.value)")
    assert len(slowed) == 64 and len(set(slowed)) == 1 and slowed[0] > 5  # flat: no pair is slowed down
    tall = box.bounding_box()["height"]
    box.locator("select").first.select_option("NTK-aware")
    assert box.locator("rect.solid").count() == 64 and box.bounding_box()["height"] == tall
    assert "17 of these still show angles" in box.get_by_role("status").inner_text()
    box = open_picture(open_page, "two_arrows")
    status = box.get_by_role("status")
    assert "same score" not in status.inner_text()
    dot = box.locator("circle.grip.ink")
    before = dot.get_attribute("cy")
    box.get_by_role("slider", name="move both").press("ArrowRight")
    assert dot.get_attribute("cy") == before
    box.get_by_role("slider", name="key at").fill("6")
    assert "key at 6 + 1" in box.locator("label").nth(1).inner_text()  # where the thumb is
    assert "is 1 token to the left" in status.inner_text() and dot.get_attribute("cy") != before
    assert "the query is at 7 + 1 = 8 and the key at 6 + 1 = 7: same offset" in status.inner_text()
    box = open_picture(open_page, "turn_the_hands")
    assert "You did it" not in box.get_by_role("status").inner_text()
    box.get_by_role("slider", name="d_model").fill("4")
    box.get_by_role("slider", name="base").press("End")
    assert "You did it: rows 7 and" in box.get_by_role("status").inner_text()


def column_at(box, column):
    """Where the column of table A is on the first screen."""
    drawn = box.locator("image.grip").first.bounding_box()
    assert drawn["y"] + drawn["height"] < 780
    return drawn["x"] + (column + 0.5) / 128 * drawn["width"], drawn["y"] + drawn["height"] / 2


@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_screen_asks_for_a_table_then_for_a_column_and_goes_on(open_page, width):
    page = open_page("index", width=width)
    box = page.locator(".live.hero")
    status, story, slider = box.get_by_role("status"), box.locator(".story"), box.get_by_role("slider")
    page.wait_for_function("document.querySelector('.hero input').value == 10")  # it has gone there by itself
    page.reload(wait_until="networkidle")  # and does so once
    assert slider.input_value() == "10" and box.locator(".line").first.evaluate(
        "one => getComputedStyle(one).transitionDuration"
    ) in ("0s", "")
    assert not story.is_visible() and status.inner_text().startswith("The curves show the framed")
    assert page.get_by_role("link", name="Try the first exercise").bounding_box()["y"] < 500
    tables = [one.bounding_box() for one in box.locator("image.grip").all()]
    assert (tables[0]["y"] == tables[1]["y"]) is (width == 1280) and tables[0]["width"] > 300
    assert all(one["height"] >= 90 for one in tables)
    if width == 1280:
        guess = box.get_by_role("button", name="Table B has the bug").bounding_box()
        assert guess["y"] + guess["height"] < 900
    if width == 390:  # all of it at once
        assert box.bounding_box()["height"] < 844 - 48
    page.mouse.click(*column_at(box, 6))
    assert "Column 6: the curves differ" in status.inner_text() and not story.is_visible()
    box.get_by_role("button", name="Table A has the bug").press("Enter")
    assert status.inner_text().startswith(
        "No, table A keeps to the formula here. By the formula, sin(position"
    )
    slider.fill("117")  # where nobody can see it
    box.get_by_role("button", name="Table A has the bug").press("Enter")
    assert "In column 117 both look the same, so here is column 10" in status.inner_text()
    assert slider.input_value() == "10"
    box.get_by_role("button", name="Table B has the bug").press("Enter")
    assert status.inner_text().startswith("Yes, table B has the bug. Now prove it")
    at = status.bounding_box()
    assert 0 <= at["y"] and at["y"] + at["height"] <= 900  # in view, between the curves and the buttons
    assert slider.evaluate("one => one === document.activeElement")
    page.mouse.click(*column_at(box, 10))
    assert "You guessed at column 10 itself." in status.inner_text()
    slider.press("End")
    assert "Try further left" in status.inner_text() and not story.is_visible()
    slider.fill("8")
    assert "Table B's exponent is doubled" in status.inner_text() and "43 files" in story.inner_text()
    slider.press("Home")
    assert "Column 0: A and B are equal here" in status.inner_text() and story.is_visible()
    box.get_by_role("button", name="Find another bug").click()
    assert (
        "Column 11: " in status.inner_text()
        and "it begins at 1. Which curve" in status.inner_text()
        and not story.is_visible()
    )
    box.get_by_role("button", name="Table A has the bug").click()
    slider.fill("4")
    assert "Yes, table A has the bug" in status.inner_text() and "Try further right" in status.inner_text()
    slider.fill("5")
    assert "The cosines are missing" in status.inner_text() and not story.is_visible()


def test_a_finger_chooses_and_a_finger_that_scrolls_does_not(browser, site):
    page = browser.new_page(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    page.goto(f"{site}/index.html", wait_until="networkidle")
    box = page.locator(".live.hero")
    page.wait_for_function("document.querySelector('.hero input').value == 10")
    x, y = column_at(box, 40)
    assert box.get_by_role("status").inner_text().startswith("The curves show the framed columns")
    touch = page.context.new_cdp_session(page)

    def fingers(kind, *at):
        points = [{"x": x, "y": y} for x, y in at]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def swipe(x, y):
        fingers("touchStart", (x, y))
        for step in range(1, 9):
            fingers("touchMove", (x + step, y - 20 * step))
        fingers("touchEnd")
        page.wait_for_function("scrollY > 0")

    swipe(x, y)
    assert not box.locator(".story").is_visible()
    page.goto(page.url, wait_until="networkidle")  # at the top again
    slider = box.get_by_role("slider")
    at = slider.bounding_box()
    swipe(at["x"] + 0.6 * at["width"], min(at["y"] + at["height"] / 2, 770))
    assert slider.input_value() == "10" and "framed" in box.get_by_role("status").inner_text()
    page.goto(page.url, wait_until="networkidle")
    page.touchscreen.tap(x, y)
    assert box.get_by_role("status").inner_text().startswith("Column 40:")
    page.close()
