"""What all tests of this folder share."""

import pytest

from pe_lessons.exercises.exercise import Exercise


@pytest.fixture(autouse=True)
def the_course_may_answer(monkeypatch):
    """Let checks be tried with the course's own functions, which learners may not hand on."""
    monkeypatch.setattr(Exercise, "_lender", lambda *_: None)
