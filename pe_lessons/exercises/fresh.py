"""Trials that nobody can write down beforehand: the arguments of a trial with other numbers in them.

Where marks are given, `seeds_for` draws the numbers in the process that has the right answers,
and keeps what these agree on. The learner's process makes the same arguments from the same seeds.
"""

import copy
import math
import random

from pe_lessons.exercises import run_answer

DRAWS = 40  # for each trial, until one is good


def seeds_for(exercise, draw):
    """A seed for the `twin` of each main trial, or None where no twin is good.

    All right answers agree on a good twin. If possible they do something else there than in the trial itself,
    so that what is right in the one is wrong in the other.
    """
    found = []
    for trial, known in zip(exercise.probes, exercise._expected):
        good = []
        for seed in (draw.getrandbits(32) for _ in range(DRAWS)):
            arguments = twin(exercise, trial, seed)
            done = [exercise._observe(one, arguments, run_answer.observe_ours) for one in exercise.rights]
            usable = done[0].kind == "value" and not any(map(math.isnan, done[0].entries))
            if usable and all(done[0].same_as(other, exercise.atol / 10) for other in done[1:]):
                good.append(seed)
                if not done[0].same_as(known, exercise.atol):
                    break
        found.append(good[-1] if good else None)
    return found


def twin(exercise, arguments, seed):
    """The arguments with other numbers, drawn by this seed.

    Floats are redrawn. Whole numbers may stand for sizes and places, so they stay where there are floats.
    """
    draw, arguments = random.Random(seed), copy.deepcopy(arguments)
    if exercise.redraw:
        return exercise.redraw(draw, *arguments)
    kind = float if float in _types(arguments) else int
    return tuple(_redrawn(one, kind, draw) for one in arguments)


def _types(value):
    if hasattr(value, "reshape"):
        value = value.reshape(-1).tolist()
    if isinstance(value, dict):
        value = list(value.values())
    return set().union(*map(_types, value)) if isinstance(value, list | tuple) else {type(value)}


def _redrawn(value, kind, draw):
    if hasattr(value, "reshape"):  # an array or a tensor, already a copy
        flat = value.reshape(-1)
        for place, number in enumerate(_redrawn(flat.tolist(), kind, draw)):
            flat[place] = number
    elif isinstance(value, dict):
        return {key: _redrawn(one, kind, draw) for key, one in value.items()}
    elif isinstance(value, list | tuple) and set(map(type, value)) == {int}:
        whole = kind is int and min(value) >= 0 and max(value) > 1  # no parents of a tree, and no mask
        more = 2 * draw.randint(1, 4) if whole else 0
        return type(value)(one + more for one in value)
    elif isinstance(value, list | tuple):
        return type(value)(_redrawn(one, kind, draw) for one in value)
    elif isinstance(value, str) and " " in value:
        return " ".join(draw.choices(value.split(" "), k=draw.randint(5, 25)))
    elif type(value) is kind is int and value > 0:
        return value + 2 * draw.randint(0, max(6, value // 4))
    elif type(value) is kind is float and math.isfinite(value):
        one = math.copysign(1, value) if abs(value) > 1 else 0  # what is between 0 and 1 stays there
        return one + (value - one) * draw.uniform(0.6, 0.99)
    return value
