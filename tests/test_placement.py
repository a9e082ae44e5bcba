"""The placement test: its questions, and where it sends five newcomers."""

import pytest

from pe_lessons.lessons.placement import UNKNOWN, placement

RIGHT = "".join(placement.right)
E_ = "e"  # I do not know yet
NEWCOMERS = {  # what each answers, and where to begin
    "programs, and has never seen attention": (E_ * 10, 0),
    "knows attention, and no encoding": (RIGHT[0] + E_ * 9, 2),
    "has written the table in NumPy, and no module": (RIGHT[:3] + E_ * 7, 5),
    "trains models with the sinusoidal table": (RIGHT[:5] + E_ * 5, 9),
    "uses RoPE every day, and never stretched it": (RIGHT[:7] + E_ + RIGHT[8] + E_, 13),
    "has built serving code": (RIGHT[:9] + E_, 21),
    "knows it all": (RIGHT, 23),
}


@pytest.mark.parametrize(("letters", "lesson"), NEWCOMERS.values(), ids=NEWCOMERS)
def test_a_newcomer_is_sent_to_the_right_lesson(letters, lesson):
    assert placement.place(letters)[0] == lesson
    assert f"Begin at lesson {lesson:02d}." in placement.check(letters).message


@pytest.mark.parametrize("written", [RIGHT.upper(), ", ".join(RIGHT), [f" {one} " for one in RIGHT]])
def test_right_letters_in_another_form_are_right(written):
    assert placement.check(written).status == "correct"
    assert "Begin at lesson 23." in placement.check(written).message


def test_ten_questions_in_the_order_of_the_course():
    assert len(placement.questions) == 10
    assert placement.lessons == sorted(set(placement.lessons))
    for question in placement.questions:
        assert len(question.right) == 1 and question.choices["e"] == UNKNOWN


def test_unfinished_answers_get_no_place():
    assert placement.check().status == "not attempted"
    assert placement.check("abc").status == "error"
