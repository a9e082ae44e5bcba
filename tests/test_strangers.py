"""Answers as people write them who have not seen the package: what the checks say of each.

The files in `strangers/` hold them, with the truth: "correct", the names of the mistakes that were made,
"unnamed" for a mistake that no name of ours is true of, or "of the course" where the course's own function
does the work. Those with a `kind` are from a blind trial, written before anything was checked: "first try" is
what people write naturally, "other" odder slips.
"""

import math
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from verdicts import trust

from pe_lessons import arrays, loops, tensors
from pe_lessons.lessons import REGISTRY

FILES = sorted((Path(__file__).parent / "strangers").glob("*.toml"))
ANSWERS = [
    pytest.param(number, answer, id=f"{answer['exercise']}-{number}-{answer['truth']}")
    for file in FILES
    for number, answer in enumerate(tomllib.loads(file.read_text(encoding="utf-8"))["answer"])
]
OF_THE_COURSE = re.compile(r"\b(loops|arrays|tensors)\.")
NAMES = {
    "math": math, "np": np, "torch": torch, "nn": nn, "F": F,
    "loops": loops, "arrays": arrays, "tensors": tensors,
}  # fmt: skip


@pytest.mark.parametrize(("number", "answer"), ANSWERS)
def test_a_stranger_is_judged_rightly(number, answer, monkeypatch, pytestconfig):
    """Guards take two thirds of the time. They tell which functions of the course are called, and that an
    answer takes too few steps for a mistake; besides, every tenth runs under them."""
    told = answer["truth"] == "unnamed" or OF_THE_COURSE.search(answer["code"])
    if not (told or number % 10 == 0 or pytestconfig.getoption("thorough")):
        trust(monkeypatch)
    scope = dict(NAMES)
    exec(compile(answer["code"], "<a stranger's cell>", "exec"), scope)
    result = REGISTRY[answer["exercise"]].diagnose(scope["mine"])
    if answer["truth"] == "correct":
        assert result.status == "correct", result
    elif answer["truth"] == "of the course":
        assert result.status == "not yet" and "use what you wrote" in result.message, result
    elif answer["truth"] == "unnamed":
        assert (result.status != "correct", result.cause) == (True, None), result
    else:
        assert result.status == "not yet", result
        assert set((result.cause or "").split(" + ")) == set(answer["truth"].split(" + ")), result


@pytest.mark.parametrize(("kinds", "share"), [({"first try", "other"}, 0.75), ({"first try"}, 0.85)])
def test_most_wrong_answers_of_the_blind_trial_hear_their_cause(kinds, share):
    """None gets a false name, no fault is accepted and nothing right refused: the test above."""
    truths = [answer.values[1]["truth"] for answer in ANSWERS if answer.values[1].get("kind") in kinds]
    assert len(truths) >= 100 and sum(truth != "unnamed" for truth in truths) >= share * len(truths)
