"""The last task of lesson 23: a good sheet passes, and each gap in one hears about that gap."""

import numpy as np
import pytest

from pe_lessons.lessons.decide import phone

FULL, WINDOW = 65_536, 1024
EVERY_SECOND, OPEN = [WINDOW, FULL] * 12, [..., ..., ...]
GOOD = ["it fits", "size computed, needles measured here", "the phone writes too slowly"]


def said(layers=EVERY_SECOND, words=GOOD):
    return phone.sheet(layers, words)


@pytest.mark.parametrize(
    "layers",
    [
        EVERY_SECOND,
        np.array(EVERY_SECOND),
        ([WINDOW] * 5 + [FULL]) * 4,
        [WINDOW, WINDOW, WINDOW, WINDOW, FULL] * 4 + [WINDOW] * 4,
    ],
)
def test_a_good_sheet_is_printed(layers):
    result = said(layers)
    assert result.status == "correct"
    assert "GB" in result.message and "Grade: size computed, needles measured here." in result.message


def test_our_own_sheet_has_the_numbers_of_the_lesson():
    message = said().message
    assert "12 of 24" in message and "0.8 GB" in message and "writes 22 tokens" in message
    assert "Your users want 25 tokens" in message and "leaves out" not in message
    quick = said([WINDOW, WINDOW, FULL] * 8).message
    assert "writes 26 tokens" in quick and "the needles that they lose" in quick
    assert "the needles were measured" in said(words=["it fits", "computed", "too slow"]).message


def test_an_untouched_sheet_is_not_attempted_and_hears_what_is_wrong():
    result = phone.sheet([FULL] * 24, OPEN)
    assert result.status == "not attempted" and "1.6 GB" in result.message


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
        ({"words": OPEN}, "still lack your reason and a grade and what would"),
        ({"words": ["it fits", "sure", "slow"]}, "Your grade is 'sure'"),
        ({"words": ["it fits", "Used", "slow"]}, "Which published model"),
        ({"words": ["it fits", "reported once", "slow"]}, "Which paper compared"),
        ({"words": "it fits"}, "list of three texts"),
        ({"words": ["it passes", "computed", "Nothing."]}, "leave nothing that would change"),
    ],
)
def test_a_gap_hears_its_reply(changes, reply):
    result = said(**changes)
    assert result.status == "not yet"
    assert reply in result.message
    assert all(line.startswith(("Your", "In your")) for line in result.message.splitlines())
