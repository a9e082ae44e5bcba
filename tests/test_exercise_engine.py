"""What a check finds and says, on toy exercises that have nothing to do with encodings."""

import dataclasses
import inspect
import math
import types

import numpy as np
import pytest

from pe_lessons.exercises import collect, place
from pe_lessons.exercises import result as results
from pe_lessons.exercises.exercise import Exercise, Mistake, Numbers
from pe_lessons.exercises.question import Question, Quiz
from pe_lessons.exercises.result import CheckFailed
from pe_lessons.lessons.decide import needles_needed
from pe_lessons.lessons.vectorized_numpy import batch_angles
from pe_lessons.lessons.why_order_matters import permutation_test


def scaled(numbers, factor):
    """The numbers times the factor."""
    return [factor * number for number in numbers]


def plus(size):
    return lambda numbers, factor: [factor * number + size for number in numbers]


def squares(numbers, factor, nothing=()):
    return [factor**2 * number for number in numbers] or list(nothing)


SQUARED = Mistake("squared", "It is right. The factor is squared.", squares, praise="It is right.")
NEARLY = Mistake("nearly", "There is a little too much.", plus(1e-3), exact=scaled)
EXERCISE = Exercise(
    name="scaled",
    reference=scaled,
    probes=(([1, 2, 4], 3), ([5.0], 2)),
    edge_probes=(([], 2), ([2, math.inf], 7)),
    mistakes=[SQUARED, NEARLY],
    hints=("First.", "Second."),
)


def test_what_a_mistake_does_not_explain_is_said_beside_it_in_place_of_praise():
    def squared_and_fails_on_empty(numbers, factor):
        return squares(numbers, factor, [0.0])

    assert EXERCISE.diagnose(squares).message == "It is right. The factor is squared."
    result = EXERCISE.diagnose(squared_and_fails_on_empty)
    assert result.cause == "squared"
    assert result.message == (
        "The factor is squared.\nThat may not be all: "
        "`squared_and_fails_on_empty(numbers=[], factor=2)` should have length 0, but has length 1."
    )
    assert EXERCISE.failing() == ([], 2), "what the message shows"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (lambda n: np.arange(n) ** 2, "correct"),
        (lambda n: [number**2 for number in range(n)], "not yet"),
        (lambda n: np.array(list(map(lambda number: number**2, range(n)))), "not yet"),
    ],
)
def test_an_answer_with_a_loop_is_not_done_where_the_task_asks_for_none(answer, status):
    squares = Exercise("squares", lambda n: np.arange(n) ** 2, probes=((3,), (700,)), no_loop=True)
    result = squares.diagnose(answer)
    assert (result.status, "without a loop" in result.message) == (status, status != "correct")
    assert dataclasses.replace(squares, no_loop=False).diagnose(answer).status == "correct"


def test_of_a_loss_of_precision_only_the_size_is_compared():
    for size in (2e-3, -5e-4, 1e-2):
        assert EXERCISE.diagnose(plus(size)).cause == "nearly"
    for size in (5e-2, 2e-6):
        assert EXERCISE.diagnose(plus(size)).cause is None
    assert EXERCISE.diagnose(plus(1e-9)).status == "correct"


def test_infinities_match_and_nan_never_does():
    infinite = Exercise("infinite", lambda x: [math.inf, -math.inf], probes=((1,),))
    assert infinite.diagnose(lambda x: np.array([np.inf, -np.inf])).status == "correct"
    assert infinite.diagnose(lambda x: [math.inf, math.inf]).status == "not yet"
    assert infinite.diagnose(lambda x: [math.inf, -1e308]).status == "not yet"
    nan = Exercise(
        "nan",
        lambda x: math.nan,
        probes=((1,),),
        mistakes=[Mistake("m", "d", lambda x: math.nan)],
    )
    assert nan.diagnose(lambda x: math.nan).cause is None


def test_an_error_asked_for_has_to_come():
    strict = Exercise("strict", lambda x: math.sqrt(x), probes=((4,), (-1,)))
    assert strict.diagnose(lambda x: np.sqrt(x) if x >= 0 else [][0]).status == "correct"
    assert "should raise an error" in strict.diagnose(lambda x: abs(x) ** 0.5).message


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda numbers, factor: ..., "ellipsis"),
        (lambda numbers, factor: (numbers, numbers), "returns the shape (2, 3)"),
        (lambda numbers, factor: [1.0], "should have length 3, but has length 1."),
        (lambda numbers, factor: [3, 6, 13], "2 of 3 entries are right"),
        (lambda numbers, factor: [3, 7, 13], "1 of 3 entries is right"),
        (lambda numbers, factor: [numbers.append(1), 6, 12], "contains None at [0], where a number"),
        (lambda numbers, factor: [[3, 6], [12, None]], "contains None at [1][1], where a number"),
        (lambda numbers, factor: np.array([1, 2], dtype="datetime64[s]"), "datetime"),
    ],
)
def test_an_unknown_mistake_gets_a_sentence_that_helps(answer, words):
    result = EXERCISE.diagnose(answer)
    assert result.status == "not yet"
    assert result.cause is None
    assert words in result.message


@pytest.mark.parametrize(
    "change",
    [
        lambda config: config.pop("rows"),
        lambda config: config.update(more=1),
        lambda config: config["rows"].append(0),
        lambda config: config["rows"].append(config["rows"]),
        lambda config: config["rows"][1].clear(),
        lambda config: config["names"].add("c"),
        lambda config: config.update(mode="b"),
        lambda config: config["grid"].fill(0),
    ],
)
def test_a_changed_argument_of_any_kind_is_noticed_and_never_reaches_the_probes(change):
    config = {"rows": [1, [2, 3], None], "names": {"a"}, "mode": "a", "grid": np.ones((2, 2))}
    exercise = Exercise("size", lambda config: len(config), probes=((config,),))

    def changing(config):
        size = len(config)
        change(config)
        return size

    for _ in range(2):
        assert "changes its argument `config`" in exercise.diagnose(changing).message
    assert exercise.diagnose(lambda config: len(config)).status == "correct"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([0.5, 4.5, 5.0], "1 of 3 numbers is right. Your number at index 1, 4.5, is not."),
        ([0.5, 4.0, 5.0], "Your number at index 1, 4, has the wrong sign."),
        ([0.5, -40.0, 5.0], "Your number at index 1, -40, has its point in the wrong place."),
        ([0.5, -4.0, 3.142], "2 of 3 numbers are right. Your number at index 2, 3.142, is close"),
        ([0.5, ..., 3], "Your answer contains `...` at [1], where a number should be."),
        ([0.5, -4.0], "Your answer should have length 3, but has length 2."),
    ],
)
def test_numbers_typed_by_hand_are_compared_without_a_word_of_the_right_ones(answer, words):
    result = Numbers("three", lambda: [0.5, -4.0, math.pi], atol=6e-5).diagnose(answer)
    assert result.status == "not yet"
    assert words in result.message
    assert "3.1416" not in result.message and "-4," not in result.message


@pytest.mark.parametrize(
    ("answers", "status", "words"),
    [
        ((2.5, 4.0), "error", "or a list in square brackets, but got 2."),
        ((..., 4.0, 3.0), "error", "or a list in square brackets, but got 3."),
        ((), "not attempted", "Write your answer in the cell above"),
        (([..., ...],), "not attempted", "Write your answer in the cell above"),
        ((lambda: 1,), "not yet", "Your answer is a function. Perhaps you forgot"),
        ((None,), "not yet", "Your answer is None, where numbers should be."),
        (("2.5, 4",), "not yet", "Your answer is a string, not a number."),
        ((["2.5", "4"],), "not yet", "Your answer is a list that contains strings"),
        (({2.5: 4},), "not yet", "Your answer contains a dict"),
        ((2.5,), "not yet", "Your answer should return the shape (2,), but returns a single value."),
    ],
)
def test_what_is_no_list_of_numbers_gets_words_for_numbers(answers, status, words):
    result = Numbers("pair", lambda: [2.5, 4.0]).diagnose(*answers)
    assert result.status == status
    assert words in result.message
    assert "gives back" not in result.message and "your_function" not in result.message


QUESTION = Question(
    "colours",
    "Which are warm?",
    {
        "a": ("red", True, "Fire is red."),
        "b": ("blue", False, "Ice is blue."),
        "c": ("orange", True, "So is it."),
    },
    hints=("Think of fire.",),
)


@pytest.mark.parametrize(
    "answer", [("a", "c"), ("c", "a"), ("a, c",), (["a", "c"],), ({"A", "C"},), ("a c",), ("ac",), ("CA",)]
)
def test_a_question_takes_letters_in_any_form(answer):
    assert QUESTION.diagnose(*answer).status == "correct"


def test_a_question_gives_the_reason_for_every_wrong_choice():
    result = QUESTION.diagnose("a", "b")
    assert (result.status, result.cause) == ("not yet", "b chosen + c missed")
    assert result.message == "a is right.\nb (chosen): Ice is blue.\nThere is more to choose."
    assert QUESTION.diagnose("b").message == "b (chosen): Ice is blue.\nNo right choice is chosen yet."
    assert QUESTION.diagnose("a").message == "a is right.\nThere is more to choose."  # and not what
    for nothing in ((), (...,), (None,), ("",), ([],)):
        assert QUESTION.diagnose(*nothing).status == "not attempted"
    assert "There is no choice z" in QUESTION.diagnose("z").message
    assert "There is no choice az" in QUESTION.diagnose("az").message
    assert QUESTION.diagnose(print).status == "error"
    assert QUESTION.solution() == QUESTION.diagnose("ac").message == "a: Fire is red.\nc: So is it."
    assert QUESTION.hint() == "Hint 1 of 1: Think of fire."


QUIZ = Quiz(
    "warmth",
    (
        Question("fire", "Fire is", {"a": ("cold", False, "It burns."), "b": ("hot", True, "So it is.")}),
        Question("ice", "Ice is", {"a": ("cold", True, "So it is, too."), "b": ("hot", False, "Touch it.")}),
    ),
)


@pytest.mark.parametrize(
    "answer", [("b", "a"), (["b", "a"],), (("B", " a"),), ("ba",), ("b, a",), (np.array(["b", "a"]),)]
)
def test_a_quiz_takes_letters_in_any_form(answer):
    assert QUIZ.diagnose(*answer).status == "correct"


def test_a_quiz_gives_the_reason_for_every_letter():
    result = QUIZ.diagnose(["a", "a"])
    assert (result.status, result.cause) == ("not yet", "1a")
    assert result.message == "1 a, no: It burns.\n2 a, yes: So it is, too."
    assert QUIZ.diagnose(["b", ...]).message == "1 b, yes: So it is.\n2: not answered yet."
    assert QUIZ.diagnose(["b", ...]).status == "not yet"
    second = "2. Ice is\n   a  cold\n      YES: So it is, too.\n   b  hot\n      no: Touch it."
    assert QUIZ.explain(2) == second
    assert QUIZ.solution() == f"{QUIZ.explain(1)}\n\n{QUIZ.explain(2)}"


@pytest.mark.parametrize("nothing", [(), (...,), (None,), ([..., ...],), (["", None],), ([" ", ...],)])
def test_a_quiz_without_letters_is_not_attempted(nothing):
    assert QUIZ.diagnose(*nothing).status == "not attempted"


@pytest.mark.parametrize(
    "answer",
    [
        ("a",), (["a"],), ("aab",), (3,), (print,), (["b", "c"],), (["b", ["a"]],), ([np.zeros(2), "a"],),
        (np.zeros((2, 2)),), (np.array("b"),), ({"b", "a"},),
    ],
)  # fmt: skip
def test_a_quiz_says_what_is_wrong_with_an_answer_that_is_none(answer):
    result = QUIZ.diagnose(*answer)
    assert result.status == ("not yet" if "no choice" in result.message else "error")
    assert "letter" in result.message or "Choose from a, b" in result.message


def test_a_quiz_is_asked_in_plain_text_and_one_by_one(capsys):
    QUIZ.ask(2)
    assert capsys.readouterr().out == "2. Ice is\n   a  cold\n   b  hot\n"
    QUIZ.ask()
    assert capsys.readouterr().out.count("\n\n") == 1
    assert repr(QUIZ) == "quiz warmth: .ask(), .check(...), .explain()"
    assert "no hints" in QUIZ.hint(2)


@pytest.mark.parametrize("look", [QUIZ.ask, QUIZ.explain])
def test_only_questions_that_a_quiz_has_are_asked_and_explained(look):
    for number in (0, 3, -1):
        with pytest.raises(ValueError, match=f"there is no question {number}. Choose from 1 to 2"):
            look(number)
    for number in ("2", 1.0, None):
        with pytest.raises(TypeError, match=f"must be an integer, not {number!r}"):
            look(1, number)
    look(np.int64(2))


def test_an_exercise_shows_what_it_can_do_and_no_diagnoses():
    assert repr(EXERCISE) == "exercise scaled: .check(...), .hint(), .solution()"
    assert repr(Numbers("pair", lambda: [2.5])) == "exercise pair: .check(...), .hint(), .solution()"
    assert repr(QUESTION) == "exercise colours: .check(...), .hint(), .solution()"


def test_true_and_false_are_shown_as_such():
    even = Exercise("even", lambda n: n % 2 == 0, probes=((2,), (3,)))
    assert "should be True, but is False." in even.diagnose(lambda n: False).message
    assert "should be False, but is True." in even.diagnose(lambda n: np.bool_(True)).message
    assert "should be True, but is 0.5." in even.diagnose(lambda n: 0.5).message


def test_hints_go_from_first_to_last_and_solution_shows_the_code():
    first = "Hint 1 of 2: First. (`.hint(2)` for the next one.)"
    assert repr(EXERCISE.hint()) == repr(EXERCISE.hint(0)) == first
    assert EXERCISE.hint(2) == EXERCISE.hint(9) == EXERCISE.hint(np.int64(2)) == "Hint 2 of 2: Second."
    for n in ("2", 1.5, None):
        with pytest.raises(TypeError, match=f"n must be an integer such as 1 or 2, not {n!r}"):
            EXERCISE.hint(n)
    assert repr(dataclasses.replace(EXERCISE, text="def scaled").solution()) == "def scaled"


def test_the_rendering_is_deterministic_escaped_and_has_no_script():
    def bad(numbers, factor):
        raise ValueError("<script>alert(`1`)</script> & more")

    for _ in range(2):
        result = EXERCISE.check(bad)
        assert repr(result) == repr(EXERCISE.check(bad))
        page = result._repr_html_()
        assert "<script" not in page
        assert "&lt;script&gt;" in page
        assert "scaled: Error in your code." in page
        assert "background" not in page  # a background of its own would fight with a dark theme
        assert "; color:" not in page


def test_check_raises_only_while_a_grading_tool_runs(monkeypatch, capsys):
    assert EXERCISE.check(lambda numbers, factor: 0).status == "not yet"
    monkeypatch.setattr(results, "GRADING", True)
    assert EXERCISE.check(scaled) is None
    assert QUESTION.check("a", "c") is None
    captured = capsys.readouterr()
    assert captured.out.startswith("scaled: Correct.\n")
    assert captured.err == ""
    for failing in (lambda numbers, factor: 0, ..., 3):
        with pytest.raises(CheckFailed, match="scaled: ") as caught:
            EXERCISE.check(failing)
    assert caught.value._render_traceback_()[0] == "scaled: Error in your code."
    assert EXERCISE.diagnose(3).status == "error"


def test_a_check_takes_one_function():
    for answers in ((), (scaled, scaled), (EXERCISE,), (np,), (object(),)):
        assert EXERCISE.check(*answers).status == "error"


def test_a_case_left_out_is_not_an_untouched_stub():
    def half(numbers, factor):
        if not numbers:
            raise NotImplementedError
        return scaled(numbers, factor)

    result = EXERCISE.diagnose(half)
    assert result.status == "error"
    assert "does not handle this case yet" in result.message


def test_two_exercises_of_one_name_are_an_error():
    one, other = types.ModuleType("one"), types.ModuleType("other")
    one.exercise, other.exercise, one.again = EXERCISE, dataclasses.replace(EXERCISE), EXERCISE
    assert list(collect([one])) == ["scaled"]
    with pytest.raises(ValueError, match="two exercises are called 'scaled', one is in other"):
        collect([one, other])


def row_of_angles(position, width):
    frequencies = [10.0 ** (-pair / width) for pair in range(width)]
    return [position * frequency for frequency in frequencies]


def angles_at_once(position, width):
    return position * 10.0 ** (-np.arange(width) / width)


ANGLES = Exercise("angles", row_of_angles, probes=((3, 4), (7, 5)), rights=(row_of_angles, angles_at_once))
TABLE = Exercise("table", np.outer, probes=((np.array([2.5, 3, 9]), np.array([1.5, 4, 6])),), rights=())
KEPT = [1.5]


def departs(position, width):
    frequencies = [10.0 ** (-pair / width) for pair in range(width)]
    angles = [(position + 0.5) * frequency for frequency in frequencies]
    return angles


def another_right_way_first(position, width):
    frequencies = np.exp(-np.log(10.0) * np.arange(width) / width)
    return frequencies / position


def in_a_loop(position, width):
    angles = np.zeros(width)
    for pair in range(width):
        angle = position * 10.0 ** (-pair / width)
        angles[pair] = angle**2
    return angles


def in_reverse(position, width):
    return row_of_angles(position, width)[::-1]


def a_helper_that_is_wrong(position, width):
    return [position * one for one in steps(width)]


def steps(width):
    return [10.0 ** (-(pair + 0.5) / width) for pair in range(width)]


def keeps(position, width):
    KEPT.append(2.5)
    print("looking")
    return [len(KEPT) * 0 + position * 10.0 ** (-pair / width) / 3 for pair in range(width)]


def defined_twice(position, width):
    return [position * 10.0 ** (-pair / width) * 1.75 for pair in range(width)]


FIRST = defined_twice


def defined_twice(position, width):
    return [position * 10.0 ** (-pair / width) + 0.75 for pair in range(width)]


class InAClass:
    def __init__(self, width):
        self.frequencies = [10.0 ** (-pair / width) for pair in range(width)]

    def angles(self, position):
        return [1.25 * position * frequency for frequency in self.frequencies]


def line_of(thing, text):
    lines, first = inspect.getsourcelines(thing)
    return next(first + n for n, line in enumerate(lines) if text in line)


@pytest.mark.parametrize(
    ("answer", "known", "unknown", "at"),
    [
        (departs, "`frequency`", "`position + 0.5`", "0.5"),
        (another_right_way_first, "`frequencies`", "`frequencies / position`", "return"),
        (in_a_loop, "`angle`", "`angle**2`", "angle**2"),
        (FIRST, None, "`position * 10.0 ** (-pair / width) * 1.75`", "1.75"),
        (defined_twice, None, "`position * 10.0 ** (-pair / width) + 0.75`", "0.75"),
    ],
)  # fmt: skip
def test_an_unnamed_mistake_is_shown_where_the_numbers_depart(answer, known, unknown, at):
    message = ANGLES.diagnose(answer).message
    assert f"I don't recognise {unknown} in line {line_of(answer, at)}, which" in message
    assert (f"Your {known} in line" in message) == bool(known)
    assert message.splitlines()[1].startswith(f"`{answer.__name__}(position=3, width=4)`[0] should be")


def test_the_place_is_looked_for_in_functions_that_the_answer_calls():
    message = ANGLES.diagnose(a_helper_that_is_wrong).message
    assert f"in line {line_of(steps, '0.5')}" in message


def test_the_right_numbers_in_another_order_are_not_the_result():
    message = ANGLES.diagnose(in_reverse).message
    at = line_of(in_reverse, "-1")
    assert message.startswith(f"Your `row_of_angles(position, width)[::-1]` in line {at} has")
    assert "but they are not yet the right result" in message


def last_row_only(model, rows, order):
    return np.allclose(model(rows[order])[-1], model(rows)[order][-1])


def test_of_true_and_false_it_is_not_said_that_a_right_answer_has_them():
    assert permutation_test.diagnose(last_row_only).message.startswith("`last_row_only(model=")


def test_an_array_may_not_be_scrambled_on_the_way():
    turned = place._Numbers(1, (2, 3), (1.5, 4, 2, 5, 3, 6), 1e-6)
    flat = place._Numbers(1, (6,), (1.5, 2, 3, 4, 5, 6), 1e-6)
    assert not turned.agree(flat)
    assert place._Numbers(6, (), (1.5, 4, 2, 5, 3, 6), 1e-6).agree(flat), "a loop takes its own order"


def test_numbers_that_were_moved_are_no_place():
    at_once = dataclasses.replace(ANGLES, rights=(angles_at_once,))
    assert "I don't recognise `position * np.flip(frequencies) + 0.5`" in at_once.diagnose(turns).message


def test_a_place_is_not_told_where_what_is_made_of_it_is_too_large_to_be_seen():
    exercise = Exercise("large", angles_of_pages, probes=((40,),), rights=(angles_of_pages,))
    assert "recognise" not in exercise.diagnose(pages_by_another_way).message
    small = dataclasses.replace(exercise, probes=((4,),))
    assert "`np.outer(np.arange(width), thrice) / 3 + 1`" in small.diagnose(pages_by_another_way).message


def turns(position, width):
    frequencies = 10.0 ** (-np.arange(width) / width)
    return position * np.flip(frequencies) + 0.5


def angles_of_pages(width):
    return np.outer(np.arange(width), np.arange(width) + 0.5)


def pages_by_another_way(width):
    thrice = 3 * (np.arange(width) + 0.5)
    return np.outer(np.arange(width), thrice) / 3 + 1


def test_the_place_of_a_class():
    used = Exercise(
        "used", row_of_angles, ((3, 4), (7, 5)), rights=(InAClassRightly,),
        use=lambda one, position, width: one(width).angles(position),
    )  # fmt: skip
    exercise = dataclasses.replace(used, reference=InAClassRightly)
    message = exercise.diagnose(InAClass).message
    assert f"`1.25 * position` in line {line_of(InAClass, '1.25')}" in message
    assert "but got something else (function)" in exercise.diagnose(departs).message


class InAClassRightly:
    def __init__(self, width):
        self.frequencies = [10.0 ** (-pair / width) for pair in range(width)]

    def angles(self, position):
        return [position * frequency for frequency in self.frequencies]


def test_looking_for_the_place_leaves_the_learners_things_as_they_are(capsys):
    KEPT[:] = [1.5]
    assert "in line" in ANGLES.diagnose(keeps).message
    assert KEPT == [1.5] + len(ANGLES.probes) * [2.5], "the copy has its own list"
    assert capsys.readouterr().out == "" and keeps.__code__.co_filename == __file__


def test_a_right_or_named_answer_is_not_looked_into(monkeypatch):
    monkeypatch.setattr(place, "place", lambda *_: pytest.fail("this takes time"))
    assert ANGLES.diagnose(angles_at_once).status == "correct"
    halved = Mistake("halved", "Your angles are halved.", lambda *given: angles_at_once(*given) / 2)
    named = dataclasses.replace(ANGLES, mistakes=(halved,))
    assert named.diagnose(lambda *given: [angle / 2 for angle in row_of_angles(*given)]).cause


def test_what_goes_wrong_in_looking_for_the_place_is_not_seen(monkeypatch):
    monkeypatch.setattr(place, "place", lambda *_: 1 / 0)
    assert ANGLES.diagnose(departs).message.startswith("`departs(position=3, width=4)`[0] should be")


def test_the_failing_arguments_can_be_called_with():
    table = dataclasses.replace(TABLE)
    with pytest.raises(LookupError, match="check an answer first"):
        table.failing()
    table.diagnose(lambda a, b: np.outer(b, a))
    first, second = table.failing()
    assert np.array_equal(np.outer(first, second), np.outer(*TABLE.probes[0]))
    first[0] = 100
    assert table.failing()[0][0] == 2.5, "a copy"
    table.diagnose(np.multiply.outer)
    with pytest.raises(LookupError):
        table.failing()


def test_arguments_too_long_to_print_are_to_be_had():
    rows = np.arange(40.0).reshape(10, 4)
    summed = Exercise("summed", np.sum, probes=((rows,),))
    message = summed.diagnose(lambda a: a.sum() + 1).message
    assert "a=<10 x 4 numbers>" in message and "`summed.failing()` gives you the arguments" in message
    small = Exercise("small", np.sum, probes=((rows[:1],),))
    message = small.diagnose(lambda a: a.sum() + 1).message
    assert "a=[[0.0, 1.0, 2.0, 3.0]]" in message and "failing" not in message


def test_what_the_answer_is_given_is_not_told_as_known():
    right = times_two_and_a_half
    exercise = Exercise("scale", right, probes=((np.array([0.5, 1.5, 4]),),), rights=(right,))
    message = exercise.diagnose(times_three_and_a_half).message
    assert message.startswith("I don't recognise `same * 3.5` in line")


def times_two_and_a_half(numbers):
    return numbers * 2.5


def times_three_and_a_half(numbers):
    same = numbers + 0
    return same * 3.5


def replaces_what_it_is_given(accuracy, difference):
    difference = difference / 100
    return math.ceil(8 * accuracy * (1 - accuracy) / difference**2)


def cut_off_to_integers(positions, d_model):
    frequencies = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.repeat(positions, len(frequencies)).reshape(*positions.shape, -1) * frequencies
    angles = angles.astype(int)
    return angles


def test_a_variable_that_its_own_line_replaces_is_not_told_as_known():
    message = needles_needed.diagnose(replaces_what_it_is_given).message
    assert "recognise" in message and "Your `difference`" not in message


def test_whole_numbers_in_another_order_are_as_many_of_each():
    unnamed = dataclasses.replace(batch_angles, mistakes=(), pairs=())
    message = unnamed.diagnose(cut_off_to_integers).message
    assert "I don't recognise `angles`" in message and "not yet the right result" not in message
