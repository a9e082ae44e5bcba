"""Answers as people write them who have not seen the package: what the checks say of each.

The files in `strangers/` hold them, with the truth: "correct", the names of the mistakes that were made,
"unnamed" for a mistake that no name of ours is true of, or "of the course" where the course's own function
does the work. Those with a `kind` are from a blind trial, written before anything was checked: "first try" is
what people write naturally, "other" odder slips. `place` is the line of a mistake without a name, and
`says` is a part of the reply.
"""

import functools
import linecache
import math
import random
import re
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from verdicts import EXERCISES, trust

from pe_lessons import arrays, loops, tensors
from pe_lessons.exercises import fresh
from pe_lessons.lessons import REGISTRY

FILES = sorted((Path(__file__).parent / "strangers").glob("*.toml"))
ANSWERS = [
    (number, answer)
    for file in FILES
    for number, answer in enumerate(tomllib.loads(file.read_text(encoding="utf-8"))["answer"])
]
IDS = [f"{answer['exercise']}-{number}-{answer['truth']}" for number, answer in ANSWERS]
OF_THE_COURSE = re.compile(r"\b(loops|arrays|tensors)\.")
CELL = "<a stranger's cell>"
LINES = re.compile(r"\blines? (\d+(?:(?:, | and )\d+)*)")
NAMES = {
    "math": math, "np": np, "torch": torch, "nn": nn, "F": F,
    "loops": loops, "arrays": arrays, "tensors": tensors,
}  # fmt: skip


@functools.cache
def with_fresh_trials(name):
    """As where marks are given, so that no right answer loses its point: its own trials, and fresh ones."""
    exercise = REGISTRY[name]
    seeds = fresh.seeds_for(exercise, random.Random(name)) if hasattr(exercise, "redraw") else ()
    return exercise.renewed(seeds)


def test_every_exercise_has_right_answers_that_are_not_ours():
    theirs = Counter(answer["exercise"] for _, answer in ANSWERS if answer["truth"] == "correct")
    few = sorted(exercise.name for exercise in EXERCISES if theirs[exercise.name] < 3)
    assert not few, f"three people who have not seen ours should write it, for tests/strangers: {few}"


@pytest.mark.parametrize(("number", "answer"), ANSWERS, ids=IDS)
def test_a_stranger_is_judged_rightly(number, answer, monkeypatch, pytestconfig):
    """Guards take two thirds of the time. They tell which functions of the course are called, and that an
    answer takes too few steps for a mistake; besides, every tenth runs under them."""
    told = answer["truth"] == "unnamed" or OF_THE_COURSE.search(answer["code"])
    if not (told or number % 10 == 0 or pytestconfig.getoption("thorough")):
        trust(monkeypatch)
    scope, lines = dict(NAMES), answer["code"].splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, CELL, (1, None, lines, CELL))
    exec(compile(answer["code"], CELL, "exec"), scope)
    exercise = with_fresh_trials if answer["truth"] == "correct" else REGISTRY.get
    result = exercise(answer["exercise"]).diagnose(scope["mine"])
    if answer["truth"] == "correct":
        assert result.status == "correct", result
    elif answer["truth"] == "of the course":
        assert result.status == "not yet" and "use what you wrote" in result.message, result
    elif answer["truth"] == "unnamed":
        assert (result.status != "correct", result.cause) == (True, None), result
        said = re.search(r"I don't recognise .*|.*not yet the right result.*", result.message)
        shown = said and [number for some in LINES.findall(said[0]) for number in re.findall(r"\d+", some)]
        assert "place" not in answer or str(answer["place"]) in shown, result
    else:
        assert result.status == "not yet", result
        assert set((result.cause or "").split(" + ")) == set(answer["truth"].split(" + ")), result
    assert answer.get("says", "") in result.message, result
