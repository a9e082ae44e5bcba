"""Right answers with one token changed: trials tell them apart, and replies compare with them."""

import math
import tomllib

import mutants_of_answers
import pytest

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
