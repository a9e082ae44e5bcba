"""What holds for every exercise, question and quiz of the registry: a new one is tested by being there."""

import dataclasses
import functools
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from verdicts import EXERCISES

from pe_lessons.exercises import place, run_answer
from pe_lessons.exercises.exercise import TRIALS, Exercise, Numbers
from pe_lessons.exercises.lesson_files import Answer, Lazy
from pe_lessons.exercises.question import Question, Quiz
from pe_lessons.lessons import REGISTRY

QUESTIONS = [exercise for exercise in REGISTRY.values() if isinstance(exercise, Question)]
QUIZZES = [exercise for exercise in REGISTRY.values() if isinstance(exercise, Quiz)]


def by_name(exercise):
    return exercise.name


# What a reply may cost: calls under guards take most of its time, then those of the course's own functions,
# then making mistakes. A second on a slow laptop is a tenth of a second here, on a quiet machine; clocks
# differ, so we count. No mistake is made for a right answer, and none a second time after a hint.
MISTAKES_TRIED, MISTAKES_MADE = 2_000, 1_200


@pytest.fixture
def work(monkeypatch):
    """How often a check calls something under guards, calls something at all, and makes a mistake."""
    count = dict.fromkeys(("_loop_guard", "_outcome", "with_changes"), 0)

    def counted(owner, name):
        function = getattr(owner, name)

        def call(*args, **kwargs):
            count[name] += 1
            return function(*args, **kwargs)

        monkeypatch.setattr(owner, name, call)

    counted(run_answer, "_loop_guard")
    counted(run_answer, "_outcome")
    counted(Answer, "with_changes")
    return count


@pytest.mark.usefixtures("the_course_may_answer")
@pytest.mark.parametrize("dtype, grad", [(torch.float64, True), (torch.float32, False)])
def test_what_was_set_for_all_of_pytorch_changes_no_verdict(dtype, grad):
    exercise = REGISTRY["encoding_module"]
    torch.set_default_dtype(dtype)
    torch.set_grad_enabled(grad)
    try:
        look = exercise.look(exercise.reference)  # in the learner's process, and judged in another
        assert (torch.get_default_dtype(), torch.is_grad_enabled()) == (dtype, grad)
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
    assert exercise.judge(look).status == "correct"


@pytest.mark.usefixtures("the_course_may_answer")
def test_a_reply_takes_little_work(drawn, work):
    for exercise in drawn(EXERCISES, 15, "work"):
        work.update(dict.fromkeys(work, 0))
        lazy = {name: Lazy(getattr(exercise, name).make.__wrapped__) for name in ("mistakes", "pairs")}
        exercise = dataclasses.replace(exercise, **lazy)  # as in a fresh kernel
        right = exercise.look(exercise.reference() if isinstance(exercise, Numbers) else exercise.reference)
        assert exercise.judge(right).status == "correct"
        trials = len(exercise._all_probes)
        expected = {"_loop_guard": trials, "_outcome": 2 * trials, "with_changes": 0}
        assert work == expected, exercise.name
        # Wrong in every trial, and in the last alone: nothing that we know does that.
        for first in (0, trials - 1):
            seen = [*right.seen[:first], *map(off, right.seen[first:])]
            unknown = dataclasses.replace(right, seen=tuple(seen))
            for most in (MISTAKES_TRIED, 0):
                work.update(dict.fromkeys(work, 0))
                assert exercise.judge(unknown).status == "not yet", exercise.name
                assert work["_loop_guard"] == 0, exercise.name
                assert work["_outcome"] <= most, exercise.name
                assert work["with_changes"] <= (MISTAKES_MADE if most and not first else 0), exercise.name
                exercise.hint(1), exercise.hint(2)


def off(done):
    """A behaviour with other numbers, or with another error."""
    return dataclasses.replace(done, entries=tuple(1.1 * entry + 0.013 for entry in done.entries))


@pytest.mark.parametrize("exercise", EXERCISES, ids=by_name)
def test_a_copy_that_records_does_what_the_right_answer_does(exercise):
    if isinstance(exercise, Numbers):
        return
    copies = place._Recording()
    for right in map(copies.start, exercise.rights):
        used = functools.partial(exercise.use, right) if exercise.use else right
        assert all(copies.trial(used, arguments) for arguments in exercise.probes[:TRIALS])


@pytest.mark.parametrize("question", QUESTIONS, ids=by_name)
def test_questions_have_right_and_wrong_choices_with_reasons(question):
    assert question.diagnose(*question.right).status == "correct"
    assert question.diagnose(...).status == question.diagnose().status == "not attempted"
    assert 0 < len(question.right) < len(question.choices)
    for letter, (_, is_right, reason) in question.choices.items():
        result = question.diagnose(letter)
        assert result.status == ("correct" if question.right == (letter,) else "not yet")
        if not is_right:
            assert reason in result.message
            assert f"{letter} chosen" in result.cause


@pytest.mark.parametrize("quiz", QUIZZES, ids=by_name)
def test_quizzes_have_one_right_choice_and_a_reason_for_each(quiz):
    assert len(quiz.questions) == 3, f"{quiz.name} has {len(quiz.questions)} questions, not three"
    assert quiz.diagnose(list(quiz.right)).status == quiz.diagnose("".join(quiz.right)).status == "correct"
    assert quiz.diagnose([...] * 3).status == quiz.diagnose().status == "not attempted"
    result = quiz.diagnose(["$1$" * 99, ..., ...])
    assert result.cause == "1: no choice" and len(result.message) < 150  # not what a stranger typed
    for number, question in enumerate(quiz.questions):
        assert len(question.right) == 1 and len(question.choices) >= 3
        for letter, (_, is_right, reason) in question.choices.items():
            result = quiz.diagnose([letter if number == place else ... for place in range(3)])
            assert result.status == "not yet" and reason in result.message
            assert result.cause == (None if is_right else f"{number + 1}{letter}")
            assert reason.endswith((".", "?"))


def test_the_right_choice_of_a_quiz_cannot_be_guessed_from_its_place_or_length():
    questions = [question for quiz in QUIZZES for question in quiz.questions]
    places = [question.right[0] for question in questions]
    assert max(places.count(letter) for letter in places) <= 0.4 * len(places)
    lengths = [{letter: len(text) for letter, (text, *_) in one.choices.items()} for one in questions]
    longest = [max(length, key=length.get) for length in lengths]
    assert sum(map(str.__eq__, longest, places)) <= 0.4 * len(places)
    for quiz in QUIZZES:
        assert len(set(quiz.right)) > 1, quiz.name


@pytest.mark.parametrize("exercise", [*EXERCISES, *QUESTIONS], ids=by_name)
def test_there_are_two_or_three_hints_and_a_solution(exercise):
    assert 2 <= len(exercise.hints) <= 3
    assert len(set(exercise.hints)) == len(exercise.hints)
    assert exercise.hint(1) != exercise.hint(2)
    assert len(exercise.solution()) > 3
    if isinstance(exercise, Exercise) and not isinstance(exercise, Numbers):
        compile(exercise.solution(), exercise.name, "exec")
        assert '"""' not in exercise.solution()


@pytest.mark.usefixtures("the_course_may_answer")
def test_the_default_dtype_of_torch_does_not_change_a_verdict():
    exercise = dataclasses.replace(REGISTRY["sinusoidal_torch"])
    torch.set_default_dtype(torch.float64)
    try:
        assert exercise.diagnose(exercise.reference).status == "correct"
    finally:
        torch.set_default_dtype(torch.float32)
    assert exercise.diagnose(exercise.reference).status == "correct"


def test_the_number_of_named_mistakes_is_counted(capsys):
    said = [known.say for exercise in EXERCISES for known in exercise.mistakes]
    different = len({*said})
    with capsys.disabled():
        print(f"\n{len(said)} named mistakes in {len(EXERCISES)} exercises, {different} different", end="")
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    promised = int(re.search(r"more than (\d+) different mistakes", readme)[1])
    assert promised < different, f"README.md should say: more than {different // 100 * 100}"


def without_brackets(seq_len, d_model):
    wave = {0: math.sin, 1: math.cos}
    columns = range(d_model)
    return [[wave[c % 2](p / 10_000**2 * (c // 2) / d_model) for c in columns] for p in range(seq_len)]


@pytest.mark.parametrize(
    ("name", "answer", "cause"),
    [
        ("one_angle", lambda p, k, d: p / 10_000**2 * k / d, "brackets missing"),
        ("one_angle", lambda p, k, d: p // 10_000 ** (2 * k / d), "whole-number division"),
        ("count_positions", lambda sentence: 0, None),
        ("batch_angles", lambda p, d: p[..., None] / 10_000**2 * np.arange(d // 2) / d, "brackets missing"),
        ("sinusoidal_loop", without_brackets, "brackets missing"),
        ("sinusoidal_loop", lambda n, d: np.zeros((n, d)), None),
        ("sinusoidal_torch", lambda n, d: torch.zeros(n, d), None),
    ],
)
def test_numbers_near_0_are_not_explained_by_two_mistakes_that_make_0_together(name, answer, cause):
    assert REGISTRY[name].diagnose(answer).cause == cause
