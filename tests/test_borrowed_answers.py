"""The check says when an answer hands on what the course's own function gives back."""

import functools
import math
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from verdicts import EXERCISES, LESSON_OF

from pe_lessons import arrays, loops, tensors, toys
from pe_lessons.exercises.exercise import Numbers
from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.reading_the_picture import table_of

EXERCISE = REGISTRY["sinusoidal_loop"]
CALLED = [one for one in EXERCISES if not isinstance(one, Numbers)]


def wrapped(reference):
    """The course's own answer, called by a function of the learner or by a method of a class."""
    if isinstance(reference, type):
        return type("Mine", (reference,), {})
    return lambda *arguments: reference(*arguments)


@pytest.mark.parametrize("exercise", CALLED, ids=lambda one: one.name)
def test_the_own_answer_is_not_taken_from_the_course(exercise):
    result = exercise.diagnose(wrapped(exercise.reference))
    assert result.status == "not yet" and "use what you wrote" in result.message


def added_to_zeros(seq_len, d_model):
    return tensors.SinusoidalEncoding(d_model, max_len=seq_len, dropout=0.0)(torch.zeros(1, seq_len, d_model))


def not_the_last(seq_len, d_model):
    table = loops.sinusoidal(seq_len, d_model)
    return loops.sinusoidal(1, 2) and table


def emptied(table):
    return [table.pop(0) for _ in range(len(table))]


class Number:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value


def read_with_own_code(seq_len, d_model):
    return [[*map(Number, row)] for row in loops.sinusoidal(seq_len, d_model)]


def one_of_many(seq_len, d_model):
    table = loops.sinusoidal(seq_len, d_model)
    return [loops.sinusoidal(1, 2) for _ in range(21)] and table


def made_when_read(seq_len, d_model):
    made = functools.partial(loops.sinusoidal, seq_len, d_model)
    return type("Table", (), {"shape": (), "tolist": staticmethod(made)})()


class Rows(list):
    def __len__(self):
        return super().__len__()


class OfThree(torch.nn.Sequential):
    def __init__(self, d_model, max_len):
        super().__init__(tensors.SinusoidalEncoding(d_model, max_len=max_len, dropout=0.0))


class WithItsForward(torch.nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.inner = tensors.SinusoidalEncoding(d_model, max_len=max_len, dropout=0.0)
        self.forward = self.inner.forward


class InItsPlace:
    def __new__(cls, d_model, max_len):
        return tensors.SinusoidalEncoding(d_model, max_len=max_len, dropout=0.0)


@pytest.mark.parametrize("answer", [OfThree, WithItsForward, InItsPlace])
def test_a_class_around_the_course_s_own_is_not_an_answer(answer):
    assert "`tensors.SinusoidalEncoding" in REGISTRY["encoding_module"].diagnose(answer).message


def test_how_an_exercise_looks_at_an_answer_is_not_taken_for_it():
    exercise, scope = REGISTRY["zigzag_positions"], {}
    exec(exercise.text, scope)
    kept = functools.cache(scope["my_zigzag_positions"])  # the second time, no line of it runs
    assert exercise.diagnose(kept).status == exercise.diagnose(kept).status == "correct"


def test_what_the_course_only_looks_at_is_the_learner_s_own():
    def answer(seq_len, d_model):
        table = torch.tensor(right(seq_len, d_model))
        return toys.Table(table).table[:] if loops.softmax(table.flatten().tolist()) else table

    scope = dict(vars(math))
    exec(EXERCISE.text, {"math": math}, scope)
    right = scope["my_sinusoidal"]
    assert EXERCISE.diagnose(answer).status == "correct"


@pytest.mark.parametrize(
    "answer, told",
    [
        (loops.sinusoidal, "`sinusoidal`"),
        (lambda seq_len, d_model: arrays.sinusoidal(seq_len, d_model).tolist(), "`arrays.sinusoidal`"),
        (lambda seq_len, d_model: [list(row) for row in loops.sinusoidal(seq_len, d_model)], "`loops."),
        (lambda seq_len, d_model: tensors.sinusoidal(seq_len, d_model, dtype=torch.float64), "`tensors."),
        (lambda seq_len, d_model: EXERCISE.reference(seq_len, d_model), "the answer of the course"),
        (EXERCISE.reference, "`sinusoidal_loop_loop`"),
        (lambda seq_len, d_model: tensors.SinusoidalEncoding(d_model, max_len=seq_len).table, "`tensors.Sin"),
        (lambda seq_len, d_model: added_to_zeros(seq_len, d_model)[0], "`tensors.SinusoidalEncoding"),
        (lambda seq_len, d_model: not_the_last(seq_len, d_model), "`loops.sinusoidal`"),
        (lambda seq_len, d_model: table_of(arrays.frequencies(d_model), seq_len)[:, :d_model], "table_of`"),
        (functools.partial(arrays.sinusoidal), "`sinusoidal`"),  # these leave no frame
        (functools.cache(arrays.sinusoidal), "`sinusoidal`"),
        (loops.sinusoidal.__call__, "`loops.sinusoidal`"),
        (type("Mine", (), {"__call__": staticmethod(loops.sinusoidal)})(), "`loops.sinusoidal`"),
        (type("Mine", (), {"__call__": property(lambda _: loops.sinusoidal)})(), "`loops.sinusoidal`"),
        # Python of a library stands between.
        (np.vectorize(loops.sinusoidal, otypes=[object]), "`loops.sinusoidal`"),
        (functools.singledispatch(loops.sinusoidal), "`loops.sinusoidal`"),
        (torch.compiler.disable(loops.sinusoidal), "`loops.sinusoidal`"),
        (Mock(spec=[], side_effect=loops.sinusoidal), "`loops.sinusoidal`"),
        (lambda seq_len, d_model: Rows(loops.sinusoidal(seq_len, d_model)), "`loops.sinusoidal`"),
        (lambda seq_len, d_model: made_when_read(seq_len, d_model), "`loops.sinusoidal`"),
        (lambda seq_len, d_model: one_of_many(seq_len, d_model), "`loops.sinusoidal`"),
        (lambda seq_len, d_model: emptied(loops.sinusoidal(seq_len, d_model)), "`loops.sinusoidal`"),
        (lambda seq_len, d_model: arrays.sinusoidal(seq_len, d_model) * (1 + 1e-12), "`arrays.sinusoidal`"),
        (lambda seq_len, d_model: [loops, arrays][seq_len % 2].sinusoidal(seq_len, d_model), ".sinusoidal`"),
        (lambda seq_len, d_model: read_with_own_code(seq_len, d_model), "`loops.sinusoidal`"),
    ],
)
def test_the_function_that_did_the_work_is_named(answer, told):
    assert told in EXERCISE.diagnose(answer).message


def test_what_worked_without_a_call_of_the_answer_s_is_told_to_the_teacher():
    look = EXERCISE.look(lambda seq_len, d_model: made_when_read(seq_len, d_model))
    assert all("pe_lessons.loops.sinusoidal" in one.called for one in look.seen)


@pytest.mark.parametrize("file", ["<frozen os>", functools.__file__, "/home/ada/site-packages/helper.py"])
def test_a_loop_counts_whatever_file_it_says_it_stands_in(file):
    exercise = REGISTRY["sinusoidal_numpy"]
    [loop] = [one for one in LESSON_OF[exercise].styles(exercise.name) if one.style == "loop"]
    scope = vars(loop.module) | {"__name__": "__main__"}
    exec(compile(loop.text, file, "exec"), scope)
    assert "without a loop" in str(exercise.diagnose(scope[loop.name]))
