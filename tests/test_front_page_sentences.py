"""The front page asks the reader to do something with its picture; that has to come out as it says."""

import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
DIALS = (DOCS / "front_page_dials.html").read_text(encoding="utf-8")
KNOBS = {
    name: re.search(rf'id="knob-{name}" type="range" ([^>]+)>', DIALS)[1]
    for name in ("position", "width", "base")
}


def knob(name):
    """What a knob can be set to, and what it begins with."""
    numbers = {key: float(value) for key, value in re.findall(r'(\w+)="(-?[\d.]+)"', KNOBS[name])}
    step = numbers.get("step", 1)
    return np.arange(numbers["min"], numbers["max"] + step / 2, step), numbers["value"]


POSITIONS, _ = knob("position")
WIDTHS, WIDTH = knob("width")
POWERS, POWER = knob("base")


def nearest(width, power):
    """Euclidean distance of the two rows of the picture's table that are closest."""
    frequencies = (10.0**power) ** (-np.arange(0, width, 2) / width)  # (n_pairs,)
    offsets = np.arange(1, len(POSITIONS))[:, None]
    return np.sqrt((2 - 2 * np.cos(offsets * frequencies)).sum(axis=1)).min()


def test_taking_away_columns_makes_two_rows_alike():
    gaps = [nearest(width, POWER) for width in WIDTHS[WIDTHS <= WIDTH]]
    assert np.all(np.diff(gaps) > 0) and gaps[0] < 0.05 < 1 < gaps[-1]


def test_with_four_columns_left_raising_the_base_does_too():
    gaps = [nearest(4, power) for power in POWERS[POWERS >= POWER]]
    assert np.all(np.diff(gaps) < 0) and gaps[-1] < 0.05


@pytest.mark.parametrize("width", WIDTHS[WIDTHS >= 6])
def test_bringing_the_base_down_makes_rows_differ_more(width):
    gaps = [nearest(width, power) for power in POWERS[POWERS <= POWER]]
    assert np.all(np.diff(gaps) < 0)
