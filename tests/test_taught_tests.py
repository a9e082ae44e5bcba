"""A test that a lesson teaches, tried on what it was not written for: right programs and wrong ones.

A learner takes it to other people's code. So it must let a right program pass in float32, at other widths and
from other hands, and see faults that the lesson does not show.
"""

import numpy as np
import pytest
import torch

from evidence.claims.train_on_another_seed import of_lesson
from pe_lessons import arrays, tensors
from pe_lessons.lessons.attention_without_the_matrix import unknown
from pe_lessons.lessons.layers_that_differ import programs


def by_cosines(dtype, x, positions):
    """RoPE in PyTorch with cosines and sines in this format, as libraries prepare them."""
    x = torch.tensor(x)
    exponents = torch.arange(0, x.shape[1], 2).float() / x.shape[1]
    angles = torch.tensor(positions).float()[:, None] * 10_000.0**-exponents
    cosine, sine = angles.cos().to(dtype), angles.sin().to(dtype)
    a, b = x[:, 0::2], x[:, 1::2]
    return torch.stack([a * cosine - b * sine, a * sine + b * cosine], dim=-1).flatten(-2).numpy()


def in_halves(x, positions):
    return arrays.rotary(x, positions, layout="half")


RIGHT_ROPES = {
    "the package": (arrays.rotary, {}),
    "the package's tensors": (lambda x, p: tensors.rotary(torch.tensor(x), torch.tensor(p)).numpy(), {}),
    "float32": (lambda x, p: by_cosines(torch.float32, x.astype(np.float32), p), {}),
    "in halves": (in_halves, {"layout": "half"}),
    "in halves, other widths": (in_halves, {"layout": "half", "widths": (2, 80, 128)}),
    "other widths": (arrays.rotary, {"widths": (2, 80, 128)}),
    "a table of 8,192 rows, none for -1": (lambda x, p: arrays.rotary(x, p % 8192), {}),
    "base 500,000": (lambda x, p: arrays.rotary(x, p, base=500_000), {"base": 500_000}),
    "bfloat16, with more allowed": (lambda x, p: by_cosines(torch.bfloat16, x, p), {"allowed": 0.1}),
}
WRONG_ROPES = {
    "in halves, taken for neighbours": in_halves,
    "a table of 1,500 rows": lambda x, p: arrays.rotary(x, p.clip(max=1499)),
    "positions in float16": lambda x, p: arrays.rotary(x, p.astype(np.float16)),
    "the slowest pair stands": lambda x, p: np.hstack([arrays.rotary(x, p)[:, :-2], x[:, -2:]]),
    "halves at one width, neighbours at the other": lambda x, p: arrays.rotary(
        x, p, layout="half" if x.shape[1] > 6 else "interleaved"
    ),
    "a wrong base above width 6": lambda x, p: arrays.rotary(
        x, p, base=10_000 if x.shape[1] < 7 else 500_000
    ),
    "base 10,500": lambda x, p: arrays.rotary(x, p, base=10_500),
}


@pytest.fixture(scope="module")
def test_rope():
    return of_lesson("rotary").test_rope


@pytest.mark.parametrize("name", RIGHT_ROPES)
def test_the_rope_test_accuses_no_innocent(test_rope, name):
    rotary, options = RIGHT_ROPES[name]
    test_rope(rotary, **options)


@pytest.mark.parametrize("name", WRONG_ROPES)
def test_the_rope_test_sees(test_rope, name):
    with pytest.raises(AssertionError):
        test_rope(WRONG_ROPES[name])


YES, NO = (True, True), (False, False)
UNKNOWN = {"A": ((True, False), (True, False)), "B": (YES, NO), "C": (NO, NO)}


@pytest.mark.parametrize("name", UNKNOWN)
def test_the_test_of_a_fast_rope_finds_what_each_unknown_kernel_does(name):
    """Whether outputs and gradients agree, up to position 4,095 and up to 32,767."""
    disagreement = of_lesson("attention_without_the_matrix").disagreement
    for last, agree in zip((4095, 32_767), UNKNOWN[name], strict=True):
        found = disagreement(unknown.kernels[name], unknown.ours, width=128, last=last)
        assert tuple(each < 0.1 for each in found) == agree
        assert disagreement(unknown.ours, unknown.ours, width=128, last=last) == [0, 0]


def test_each_of_the_taught_tests_convicts_its_own_of_the_four_programs():
    q, k, v = np.random.default_rng(seed=0).normal(size=(3, 8, 16))
    still, ones, places = np.zeros_like(q), np.ones_like(v), np.arange(8)[:, None]
    found = {}
    for name, program in {"right": programs.reference, **programs.four()}.items():
        total = program(still, k, ones)[7, 0]
        sees = [program(still, k, ones + 1000 * (places == key))[7, 0] - total > 1 for key in (3, 4)]
        weights = [program(q, k, 1.0 * (places == key))[7, 0] for key in (6, 7)]
        found[name] = round(total, 2), *sees, round(weights[0] / weights[1], 2)
    assert found.pop("right") == found.pop("B") == (0.35, False, True, 1.56)
    assert found.pop("A") == (0.4, True, True, 1.56)
    assert found == {"C": (1.0, False, True, 1.56), "D": (0.35, False, True, 1.4)}
