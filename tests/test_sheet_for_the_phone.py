"""The last task of lesson 23: a good sheet passes, and each gap in one hears about that gap."""

from numbers import Real

import numpy as np
import pytest

from pe_lessons import arrays
from pe_lessons.lessons.decide import phone

FULL, WINDOW = 65_536, 1024
EVERY_SECOND, OPEN = [WINDOW, FULL] * 12, [..., ..., ...]
GOOD = ["it fits", "size proved, speed unknown", "the phone writes too slowly"]
NUMBERS = {  # by base: the percentage of negative distances, and the fast pairs
    10_000: [50.46, 8],
    1_000_000: [3.49, 6],
    10_000_000: [0.04, 5],
    30_000_000: [0.01, 5],
    100_000_000: [0.0, 4],
}
FAR = 100 * np.mean(arrays.kernel(np.arange(2 * FULL), 64, base=1_000_000) < 0)
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
        {"base": 30_000_000},
    ],
)
def test_a_good_sheet_is_printed(changes):
    result = said(**changes)
    assert result.status == "correct"
    assert "fast pairs" in result.message and "GB" in result.message
    assert "Grade: size proved, speed unknown." in result.message


def test_our_own_sheet_has_the_numbers_of_the_lesson():
    message = said().message
    assert "12 of 24" in message and "0.8 GB" in message
    assert "negative at 0.04 % of the distances, with 5 fast pairs" in message
    assert (
        "Who has shown"
        in said(**{f"words_on_{line}": ["a", "proved", "b"] for line in ("layers", "base")}).message
    )


def test_an_untouched_sheet_is_not_attempted_and_hears_what_is_wrong():
    result = phone.sheet([FULL] * 24, OPEN, 10_000, OPEN[:2], OPEN)
    assert result.status == "not attempted"
    assert "1.6 GB" in result.message and "still lacks its two numbers" in result.message
    assert "50" not in result.message, "the learner computes it"


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
        ({"base": 1_000_000}, "1,000,000 is negative at 3.49 %"),
        ({"base": 100_000_000}, "has 4 fast pairs. But a smaller power of ten"),
        ({"base": 1}, "a number above 1"),
        ({"numbers": OPEN[:2]}, "10,000,000 still lacks its two numbers"),
        ({"numbers": [0.04]}, "a list of two numbers"),
        ({"numbers": ["0.04 %", 5]}, "Both should be numbers"),
        ({"base": 1_000_000, "numbers": [0.0349, 6]}, "is a fraction"),
        ({"numbers": [0.00035, 5]}, "is a fraction"),
        ({"numbers": [0.0, 5]}, "10,000,000 is 0, rounded. Give it with two decimals"),
        ({"numbers": [0.0, 10]}, "heads with 128 columns"),
        ({"base": 1_000_000, "numbers": [FAR, 6]}, "distances up to 131,072"),
        ({"base": 1_000_000, "numbers": [20, 6]}, "Your first number for base 1,000,000 is 20"),
        ({"numbers": [0.04, 27]}, "Your second number for base 10,000,000 is 27"),
        ({"base": "10 million"}, "a number above 1"),
        ({"words_on_base": OPEN}, "on the base still lack your reason and a grade and what would"),
        ({"words_on_layers": ["it fits", "sure", "slow"]}, "grade for the layers is 'sure'"),
        ({"words_on_layers": "it fits"}, "list of three texts"),
    ],
)
def test_a_gap_hears_its_reply(changes, reply):
    result = said(**changes)
    assert result.status == "not yet"
    assert reply in result.message
    assert all(line.startswith(("Your", "In your")) for line in result.message.splitlines())
