"""What lessons 00 to 10 teach as a test, tried on innocents and on faults that it was not written for.

Where a lesson says that its test does not see something, that is held here too.
"""

import functools
import json
from pathlib import Path

import numpy as np
import pytest

from pe_lessons.exercises import REGISTRY

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@functools.cache
def sources(lesson):
    (path,) = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}


def names_after(lesson, *cells):
    """What is defined when the first cell of a lesson and these have run."""
    scope = {}
    for cell in ("imports", *cells):
        exec(compile(sources(lesson)[cell], f"<{lesson}:{cell}>", "exec"), scope)
    return scope


# Lesson 07: the profile of a head. "One large number, far above all others, shows a fixed step."

N = 64
PLACES = np.arange(N)
BACK = np.subtract.outer(PLACES, PLACES)
THREE_BACK = np.maximum(PLACES - 3, 0)
EVENLY = np.tri(N) / np.tri(N).sum(axis=1, keepdims=True)


def looks_at(keys, share=1.0):
    """A causal head that gives this share to these keys, and the rest to all it sees."""
    return share * np.eye(N)[keys] + (1 - share) * EVENLY


def of_scores(scores):
    powers = np.exp(scores) * np.tri(N)
    return powers / powers.sum(axis=1, keepdims=True)


def step_found(weights):
    profile = np.asarray(REGISTRY["mean_by_step"].reference(weights))
    first, second = np.argsort(profile)[:-3:-1]
    return int(first) if profile[first] > max(0.2, 1.5 * profile[second]) else None


@pytest.mark.parametrize(
    ("weights", "step"),
    [
        pytest.param(looks_at(THREE_BACK, 0.8), 3, id="three back"),
        pytest.param(looks_at(THREE_BACK, 0.8).astype(np.float32), 3, id="three back, float32"),
        pytest.param(
            0.8 * np.eye(N)[np.maximum(PLACES - 10, 0)] + 0.2 / N, 10, id="ten back, without a mask"
        ),
        pytest.param(0.6 * looks_at(THREE_BACK) + 0.4 * looks_at(0 * PLACES), 3, id="and a sink"),
        pytest.param(looks_at(PLACES), 0, id="itself"),
        # Not a fixed step, and the mean of each diagonal would have its peak at 63, 63, 63, 60 and 1:
        pytest.param(looks_at(0 * PLACES, 0.9), None, id="the first token"),
        pytest.param(looks_at(0 * PLACES, 0.7), None, id="the first token, mostly"),
        pytest.param(np.eye(N)[::-1], None, id="the mirror place"),
        pytest.param(of_scores(np.where(PLACES < 4, 9.0, 0.0)), None, id="the first four tokens"),
        pytest.param(looks_at(PLACES // 2 * 2), None, id="the last even place"),
        pytest.param(EVENLY, None, id="everything"),
        pytest.param(of_scores(-0.1 * BACK), None, id="what is near"),
        pytest.param(of_scores(2 * np.random.default_rng(0).normal(size=(N, N))), None, id="anything"),
    ],
)
def test_the_profile_shows_a_fixed_step_and_no_other_habit(weights, step):
    assert step_found(weights) == step
