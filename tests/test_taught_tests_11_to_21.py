"""The tests that lessons teach, tried on what they were not written for: right programs and wrong ones.

A learner takes these tests to other people's code. So each one must let a right program pass in float32, at
other widths and from other hands, and must see faults that the lesson does not show. What a test cannot see
stands here as well, since the lesson says so.
"""

import math

import nbformat
import numpy as np
import pytest
import torch
from reexecute import find_notebooks

from pe_lessons import arrays, tensors

NOTEBOOKS = {path.name[:2]: path for path in find_notebooks()}


def lesson(number, *cells):
    """The names that these cells of a lesson define."""
    sources = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS[number], 4).cells}
    names = {"math": math, "np": np, "torch": torch, "arrays": arrays}
    for cell in cells:
        exec(compile(sources[cell], f"lesson {number}, {cell}", "exec"), names)
    return names


def said(test, *arguments, **options):
    """Nothing if the test is content, otherwise what it says."""
    try:
        test(*arguments, **options)
    except AssertionError as fault:
        return str(fault)
    return ""


# Lesson 12: test_rope


def by_cosines(dtype, x, positions):
    """RoPE in PyTorch with cosines and sines in this format, as libraries prepare them."""
    x = torch.tensor(x)
    exponents = torch.arange(0, x.shape[1], 2).float() / x.shape[1]
    angles = torch.tensor(positions).float()[:, None] * 10_000.0**-exponents
    cosine, sine = angles.cos().to(dtype), angles.sin().to(dtype)
    a, b = x[:, 0::2], x[:, 1::2]
    return torch.stack([a * cosine - b * sine, a * sine + b * cosine], dim=-1).flatten(-2).numpy()


def in_place(x, positions):
    x[:] = arrays.rotary(x, positions)
    return x


RIGHT_ROPES = {
    "the package": (arrays.rotary, {}),
    "the package's tensors": (lambda x, p: tensors.rotary(torch.tensor(x), torch.tensor(p)).numpy(), {}),
    "float32": (lambda x, p: by_cosines(torch.float32, x.astype(np.float32), p), {}),
    "float16 at the end": (lambda x, p: arrays.rotary(x, p).astype(np.float16), {}),
    "in place": (in_place, {}),
    "other widths": (arrays.rotary, {"widths": (2, 80, 128)}),
    "other positions": (arrays.rotary, {"positions": (0, 12_345)}),
    "bfloat16, with more allowed": (lambda x, p: by_cosines(torch.bfloat16, x, p), {"allowed": 0.1}),
}
WRONG_ROPES = {
    "right at width 6 only": lambda x, p: arrays.rotary(x, p, base=10 ** (24 / x.shape[1])),
    "a table of 1,500 rows": lambda x, p: arrays.rotary(x, p.clip(max=1499)),
    "positions begin again at 2,048": lambda x, p: arrays.rotary(x, np.sign(p) * (abs(p) % 2048)),
    "positions in float16": lambda x, p: arrays.rotary(x, p.astype(np.float16)),
    "frequencies in bfloat16": lambda x, p: by_frequencies(torch.bfloat16, x, p),
    "negative positions lose their sign": lambda x, p: arrays.rotary(x, abs(p)),
    "a factor": lambda x, p: 1.1 * arrays.rotary(x, p),
    "the slowest pair stands": lambda x, p: np.hstack([arrays.rotary(x, p)[:, :-2], x[:, -2:]]),
    "base 10,500": lambda x, p: arrays.rotary(x, p, base=10_500),
    "not a number at -1": lambda x, p: np.where(p[:, None] < 0, np.nan, arrays.rotary(x, p)),
}


def by_frequencies(dtype, x, positions):
    frequencies = tensors.frequencies(x.shape[1]).to(dtype).double().numpy()
    arrows = np.ascontiguousarray(x).view(complex) * np.exp(1j * np.outer(positions, frequencies))
    return arrows.view(float)


@pytest.fixture(scope="module")
def test_rope():
    return lesson("12", "turn", "three-tests")["test_rope"]


@pytest.mark.parametrize("name", RIGHT_ROPES)
def test_the_rope_test_accuses_no_innocent(test_rope, name):
    rotary, options = RIGHT_ROPES[name]
    assert said(test_rope, rotary, **options) == ""


@pytest.mark.parametrize("name", WRONG_ROPES)
def test_the_rope_test_sees(test_rope, name):
    assert said(test_rope, WRONG_ROPES[name])


def test_what_the_rope_test_cannot_see_is_what_it_is_not_asked(test_rope):
    def wide(x, p):
        return arrays.rotary(x, p, base=10_000 if x.shape[1] < 128 else 500_000)

    def short(x, p):
        return arrays.rotary(x, p.clip(max=4999))

    assert said(test_rope, wide) == said(test_rope, short) == ""
    assert said(test_rope, wide, widths=[128]) and said(test_rope, short, positions=[5000])
