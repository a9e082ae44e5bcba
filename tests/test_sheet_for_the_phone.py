"""The last task of lesson 23: a good sheet passes, and each gap in one hears about that gap."""

import numpy as np
import pytest

from pe_lessons.lessons.decide import phone

FULL, WINDOW = 65_536, 1024
EVERY_SECOND, OPEN = [WINDOW, FULL] * 12, [..., ..., ...]
GOOD = ["it fits", "size proved, speed unknown", "the phone writes too slowly"]
OURS = {"layers": EVERY_SECOND, "words_on_layers": GOOD, "base": 10_000_000, "words_on_base": GOOD}


def said(**changes):
    return phone.sheet(**{**OURS, **changes})


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
    result = phone.sheet([FULL] * 24, OPEN, 10_000, OPEN)
    assert result.status == "not attempted"
    assert "1.6 GB" in result.message and "50.46 %" in result.message


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
