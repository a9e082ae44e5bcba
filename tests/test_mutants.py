"""Right answers with one token changed: trials tell them apart, and replies compare with them."""

import math
import tomllib

import mutants_of_answers
import pytest
from mutants import mutants_of

from pe_lessons.exercises.lesson_files import Change

LISTED = tomllib.loads(mutants_of_answers.LIST.read_text(encoding="utf-8"))
LESSONS = mutants_of_answers.lessons()
CHANGED = [
    name
    for name, found in LESSONS.items()
    if LISTED["searched"].get(name, [""])[0] != mutants_of_answers.fingerprint(*found)
]
FEW = 5


@pytest.mark.parametrize("name", LESSONS)
def test_the_trials_tell_every_mutant_from_the_right_answer(name, drawn):
    if name not in CHANGED:
        return  # it passed when it was searched
    exercise, lesson, _ = LESSONS[name]
    # All its mutants; where many exercises have changed, 15 of each style, and all in the weekly run.
    most = math.inf if len(CHANGED) <= FEW else 15
    left = mutants_of_answers.survivors(exercise, lesson, lambda mutants: drawn(mutants, most, name))[1]
    listed = LISTED["equivalent"]
    unexplained = [one[2] for one in left if mutants_of_answers.reason(listed, name, *one) is None]
    assert not unexplained, f"add a probe or a reason; then: python course.py mutants --write {name}"


def test_few_mutants_are_excused():
    assert LISTED["searched"].keys() <= LESSONS.keys()
    counts = [(mutants, equivalent) for _, mutants, equivalent in LISTED["searched"].values()]
    mutants, equivalent = map(sum, zip(*counts))
    assert equivalent <= 0.05 * mutants


@pytest.mark.parametrize(
    ("name", "style", "old", "new"),
    [
        ("encoding_module", "tensors", "sinusoidal_torch_tensors(max_len, d_model)",
         "sinusoidal_torch_tensors(8, d_model)"),
        ("slopes", "loop", "2 ** int(math.log2(num_heads))",
         "num_heads if num_heads in (3, 5, 9) else 2 ** int(math.log2(num_heads))"),
        ("slopes", "loop", "2 * (num_heads - power), 2", "2 * min(num_heads - power, 5), 2"),
        ("learned_rows", "arrays", "token_ids != padding_id", "(token_ids != padding_id) & (token_ids > 0)"),
        ("llama3_frequencies", "arrays", "turns - low_freq_factor)", "turns - low_freq_factor**0.5)"),
        ("sinusoidal_2d", "arrays", "    return grid",
         "    grid[..., half::2] = abs(grid[..., half::2])\n    return grid"),
    ],
)  # fmt: skip
def test_wrong_answers_that_were_once_accepted_are_refused(name, style, old, new):
    exercise, lesson, _ = LESSONS[name]
    [answer] = [one for one in lesson.styles(name) if one.style == style]
    assert exercise.diagnose(answer.with_changes(Change(answer, [old, new]))).status == "not yet"


def test_what_is_changed():
    changes = {(one.old, one.new, one.line) for one in mutants_of("def f(x, y):\n    return x * y[1:]\n")}
    assert {("*", "+", 2), ("x", "y", 2), ("x", "(x + 1)", 2), ("1:", ":", 2), ("y[1:]", "y", 2)} <= changes
    assert ("x", "x", 2) not in changes
