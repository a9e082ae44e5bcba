"""No verdict hangs on the last digit of a number, which is not the same on every machine.

Every answer is tried with arguments that are off by 1e-13, and gives results that are off by as much; the
check has to say of it what it says of the exact one.
"""

import dataclasses

import numpy as np
import torch
from verdicts import EXERCISES, verdict_on

from pe_lessons.exercises import run_answer
from pe_lessons.lessons import REGISTRY

SIZE = 1e-13
WAYS = 1, -1  # shaken one way and then the other, two numbers that are equal differ once in either direction


def shaken(value, random, way=1):
    """Every float in the value a little larger or smaller; the value itself where there is none in it."""
    if isinstance(value, list | tuple):
        parts = [shaken(part, random, way) for part in value]
        return value if all(new is old for new, old in zip(parts, value)) else type(value)(parts)
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        steps = way * torch.tensor(random.choice([-2.0, -1.0, 1.0, 2.0], tuple(value.shape)))
        return value * (1 + max(SIZE, torch.finfo(value.dtype).eps) * steps).to(value.dtype)
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype == float):
        return value * (1 + way * SIZE * random.uniform(-1, 1, np.shape(value)))
    return value


def shaken_trial(exercise, answer, number, way):
    """What the answer does in the trial of this number. Whole numbers that it gives stay as they are."""
    random, probe = np.random.default_rng(number), exercise._all_probes[number]
    arguments = shaken(probe, random, way)
    same = arguments is probe
    if same:
        seen = exercise._behaviour_of(answer, number)
    else:
        seen = exercise._observe(answer, arguments, run_answer.observe_ours)
    entries = np.array(seen.entries)
    with np.errstate(invalid="ignore"):
        entries = np.where(entries % 1 == 0, entries, shaken(entries, random, way))
    return dataclasses.replace(seen, entries=tuple(entries.tolist()))


@run_answer.our_own()
def jumps(exercise, way):
    """The answers that get another verdict when they are shaken: (what it is, what it is taken for)."""
    answers = [("correct", exercise.reference), *((known.name, known.wrong) for known in exercise.mistakes)]
    found = []
    for name, answer in answers:
        trials = range(len(exercise._all_probes))
        said = verdict_on(exercise, [shaken_trial(exercise, answer, n, way) for n in trials])
        found += [(name, said)] if said != name else []
    return found


def test_the_verdict_is_the_same_when_everything_is_shaken(drawn):
    tried = drawn(EXERCISES, 5, "shaken")
    found = {(one.name, way): hanging for one in tried for way in WAYS if (hanging := jumps(one, way))}
    assert not found, (
        f"exercise: (answer, what it is taken for when last digits change): {found}. A probe stands at a tie "
        "or a jump: move it, or give it whole numbers, which are exact everywhere."
    )


def test_an_answer_that_hangs_on_a_last_digit_is_noticed():
    strict = dataclasses.replace(REGISTRY["read_wavelengths"], reference=lambda table: table[0][1] == 1.0)
    assert any("correct" in dict(jumps(strict, way)) for way in WAYS)
