"""The check says when an answer hands on what the course's own function gives back."""

import functools

import pytest
import torch
from verdicts import EXERCISES, LESSON_OF

from pe_lessons import arrays, loops, tensors
from pe_lessons.exercises.exercise import Numbers
from pe_lessons.lessons import REGISTRY

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


@pytest.mark.parametrize(
    "answer, told",
    [
        (loops.sinusoidal, "`sinusoidal`"),
        (lambda seq_len, d_model: arrays.sinusoidal(seq_len, d_model).tolist(), "`arrays.sinusoidal`"),
        (lambda seq_len, d_model: [list(row) for row in loops.sinusoidal(seq_len, d_model)], "`loops."),
        (lambda seq_len, d_model: tensors.sinusoidal(seq_len, d_model, dtype=torch.float64), "`tensors."),
        (lambda seq_len, d_model: EXERCISE.reference(seq_len, d_model), "the answer of the course"),
        (EXERCISE.reference, "`sinusoidal_loop_loop`"),
        (functools.partial(arrays.sinusoidal), "`sinusoidal`"),  # these leave no frame
        (functools.cache(arrays.sinusoidal), "`sinusoidal`"),
    ],
)
def test_the_function_that_did_the_work_is_named(answer, told):
    assert told in EXERCISE.diagnose(answer).message


@pytest.mark.parametrize("file", ["<frozen os>", functools.__file__, "/home/ada/site-packages/helper.py"])
def test_a_loop_counts_whatever_file_it_says_it_stands_in(file):
    exercise = REGISTRY["sinusoidal_numpy"]
    [loop] = [one for one in LESSON_OF[exercise].styles(exercise.name) if one.style == "loop"]
    scope = vars(loop.module) | {"__name__": "__main__"}
    exec(compile(loop.text, file, "exec"), scope)
    assert "without a loop" in str(exercise.diagnose(scope[loop.name]))
