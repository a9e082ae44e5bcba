"""The last task of lesson 23: a good sheet passes, and each gap in one hears about that gap."""

from numbers import Real

import numpy as np
import pytest

from pe_lessons.lessons.decide import phone

FULL, WINDOW = 65_536, 1024
EVERY_SECOND, OPEN = [WINDOW, FULL] * 12, [..., ..., ...]
GOOD = ["it fits", "size computed, speed unknown", "the phone writes too slowly"]
NUMBERS = {  # by base: the copy at its worst, and the best random word
    10_000: [-0.30, 0.93],
    1_000_000: [0.64, 0.93],
    7_000_000: [0.98, 0.93],
    10_000_000: [0.99, 0.93],
    100_000_000: [1.0, 0.93],
}
OURS = {"layers": EVERY_SECOND, "words_on_layers": GOOD, "base": 10_000_000, "words_on_base": GOOD}


def said(**changes):
    sheet = OURS | changes
    base = sheet["base"]
    return phone.sheet(**{"numbers": NUMBERS.get(base) if isinstance(base, Real) else OPEN[:2]} | sheet)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"layers": np.array(EVERY_SECOND)},
        {"layers": ([WINDOW] * 5 + [FULL]) * 4},
        {"layers": [WINDOW, WINDOW, WINDOW, WINDOW, FULL] * 4 + [WINDOW] * 4},
        {"base": 1e7},
        {"base": 7_000_000},
        {"numbers": np.array([0.98674, 0.93438])},
    ],
)
def test_a_good_sheet_is_printed(changes):
    result = said(**changes)
    assert result.status == "correct"
    assert "random word" in result.message and "GB" in result.message
    assert "Grade: size computed, speed unknown." in result.message


def test_our_own_sheet_has_the_numbers_of_the_lesson():
    message = said().message
    assert "12 of 24" in message and "0.8 GB" in message and "writes 22 tokens" in message
    assert "Your users want 25 tokens" in message
    quick = said(layers=[WINDOW, WINDOW, FULL] * 8).message
    assert "writes 26 tokens" in quick and "the needles that they lose" in quick
    assert "the copy at its worst 0.99, and the best random word 0.93" in message
    assert "Which paper" in said(words_on_layers=["it fits", "reported by several", "too slow"]).message
    assert (
        "Who has shown"
        in said(**{f"words_on_{line}": ["a", "computed", "b"] for line in ("layers", "base")}).message
    )


def test_an_untouched_sheet_is_not_attempted_and_hears_what_is_wrong():
    result = phone.sheet([FULL] * 24, OPEN, 10_000, OPEN[:2], OPEN)
    assert result.status == "not attempted"
    assert "1.6 GB" in result.message and "still lacks its two numbers" in result.message
    assert "-0.3" not in result.message, "the learner computes it"


@pytest.mark.parametrize(
    ("changes", "reply"),
    [
        ({"layers": [FULL] * 24}, "takes 1.6 GB. It may take 1 GB"),
        ({"layers": [WINDOW, FULL, FULL] * 8}, "takes 1.1 GB"),
        ({"layers": [WINDOW] * 24}, "24 × 1,023 = 24,552 tokens"),
        ({"layers": [WINDOW] * 12 + [FULL] * 12}, "doesn't repeat"),
        ({"layers": [WINDOW, FULL]}, "has 2 layers"),
        ({"layers": None}, "no layers"),
        ({"layers": [512, FULL] * 12}, "layer 0 sees 512"),
        (
            {"base": 1_000_000},
            "1,000,000 lets the copy fall to a similarity of 0.64, but the best random word has 0.93",
        ),
        ({"base": 100_000_000}, "100,000,000 passes, but so does 10,000,000"),
        ({"base": 1}, "a number above 1"),
        ({"numbers": OPEN[:2]}, "10,000,000 still lacks its two numbers"),
        ({"numbers": [0.99]}, "a list of two numbers"),
        ({"numbers": ["99 %", 0.93]}, "Both should be numbers"),
        ({"numbers": [np.array([1.0, 0.99]), 0.93]}, "Take the smallest of these: `copy.min()`"),
        ({"numbers": [0.93, 0.99]}, "Your two numbers are swapped"),
        ({"numbers": [0.96, 0.68]}, "the large model, with 64 pairs and 131,072 tokens"),
        ({"numbers": [0.99, 0.68]}, "heads with 64 pairs. The phone's heads have 64 columns, so 32 pairs"),
        ({"numbers": [0.95, 0.93]}, "distances up to 131,072"),
        ({"base": 1_000_000, "numbers": [0.2, 0.93]}, "Your first number for base 1,000,000 is 0.2"),
        ({"numbers": [0.99, 0.27]}, "Your second number for base 10,000,000 is 0.27"),
        ({"base": "10 million"}, "a number above 1"),
        ({"words_on_base": OPEN}, "on the base still lack your reason and a grade and what would"),
        ({"words_on_layers": ["it fits", "sure", "slow"]}, "grade for the layers is 'sure'"),
        ({"words_on_layers": "it fits"}, "list of three texts"),
        ({"words_on_base": ["it passes", "computed", "Nothing."]}, "leave nothing that would change"),
    ],
)
def test_a_gap_hears_its_reply(changes, reply):
    result = said(**changes)
    assert result.status == "not yet"
    assert reply in result.message
    assert all(line.startswith(("Your", "In your")) for line in result.message.splitlines())
