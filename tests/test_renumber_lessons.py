"""A lesson is moved by renaming its notebook: all numbers follow, and nothing else changes."""

import renumber_lessons

NUMBERS = {"by_hand": "08", "rotary": "09", "learned": "10"}  # rotary was the tenth, and learned the ninth
MOVED = {"10": "09", "09": "10"}


def test_numbers_follow_the_names_and_other_numbers_stay():
    before = """As lesson 09 shows, in lessons 08, 09 and 10, with 10,000 tokens and 10 % of all, see
[09](09_learned.ipynb#A-9), `10_rotary.mine.ipynb` and course.py claims 08 09.

### 09 Learned

one

### 10 Rotary

two
"""
    after = """As lesson 10 shows, in lessons 08, 10 and 09, with 10,000 tokens and 10 % of all, see
[10](10_learned.ipynb#A-9), `09_rotary.mine.ipynb` and course.py claims 08 10.

### 09 Rotary

two

### 10 Learned

one
"""
    assert renumber_lessons.renumbered(before, NUMBERS, MOVED) == after
    assert renumber_lessons.renumbered(after, NUMBERS, {}) == after, "a second call changes nothing"
