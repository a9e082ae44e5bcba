"""Trials that nobody can write down beforehand: the arguments of a trial with other numbers in them.

Where marks are given, `seeds_for` draws the numbers in the process that has the right answers,
and keeps what these agree on. The learner's process makes the same arguments from the same seeds.
"""

import copy
import math
import random

from pe_lessons.exercises import run_answer

DRAWS = 100  # for each trial, until one is good


def seeds_for(exercise, draw):
    """A seed for the `twin` of each main trial, or None where no twin is good.

    All right answers agree on a good twin. The first good one is taken, whatever they do there: a choice by
    that would tell beforehand which of two replies is right.
    """
    drawn = ([draw.getrandbits(32) for _ in range(DRAWS)] for _ in exercise.probes)
    return [
        next((seed for seed in seeds if _is_good(exercise, twin(exercise, trial, seed))), None)
        for trial, seeds in zip(exercise.probes, drawn)
    ]


def _is_good(exercise, arguments):
    first, *others = (exercise._observe(one, arguments, run_answer.observe_ours) for one in exercise.rights)
    usable = first.kind == "value" and not any(map(math.isnan, first.entries))
    return usable and all(first.same_as(other, exercise.atol / 10) for other in others)


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
