"""The tests that lessons teach, tried on what they were not written for: right programs and wrong ones.

A learner takes these tests to other people's code. So each one must let a right program pass in float32, at
other widths and from other hands, and must see faults that the lesson does not show.
"""

import math
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
import torch
from reexecute import find_notebooks
from torch import nn

from pe_lessons import arrays, plots, tensors, toys

NOTEBOOKS = {path.stem[3:]: path for path in find_notebooks()}


def lesson(name, *cells, **known):
    """The names that these cells of a lesson define."""
    sources = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS[name], 4).cells}
    names = {"math": math, "np": np, "torch": torch, "arrays": arrays} | known
    for cell in cells:
        exec(compile(sources[cell], f"{name}, {cell}", "exec"), names)
    return names


def said(test, *arguments, **options):
    """Nothing if the test is content, otherwise what it says."""
    try:
        test(*arguments, **options)
    except AssertionError as fault:
        return str(fault) or "it fails"
    return ""


# Lesson 05: the test of a module


class Right(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = tensors.sinusoidal(16, 8)

    def forward(self, x):  # (batch, seq_len, d_model)
        return x + self.table[: x.size(1)]


class AlongTheBatch(Right):
    def forward(self, x):
        return x + self.table[:, None][: x.size(0)]


class Stretched(Right):
    def forward(self, x):
        return x[:1] + self.table[: x.size(1), None]


class WithoutWords(Right):
    def forward(self, x):
        return self.table[: x.size(1)].expand_as(x)


class FirstSentenceOnly(Right):
    def forward(self, x):
        return torch.cat([super().forward(x[:1]), x[1:]])


class CountsOn(Right):
    def forward(self, x):
        return x + tensors.sinusoidal(x.size(0) * x.size(1), 8).reshape(x.shape)


class LoudWords(Right):
    def forward(self, x):
        return super().forward(x * 8**0.5)


class InPlace(Right):
    def forward(self, x):
        x += self.table[: x.size(1)]
        return x


@pytest.mark.parametrize(
    ("module", "passes"),
    [
        (Right, True), (lambda: tensors.SinusoidalEncoding(8, dropout=0.0, batch_first=True), True),
        (AlongTheBatch, False), (Stretched, False), (WithoutWords, False), (FirstSentenceOnly, False),
        (CountsOn, False), (LoudWords, False), (InPlace, False),
    ],
)  # fmt: skip
def test_the_test_of_a_module_lets_the_right_ones_pass(module, passes):
    scope = lesson("pytorch", "imports")
    scope["tensors"] = SimpleNamespace(SinusoidalEncoding=lambda *_, **__: module())
    torch.manual_seed(0)
    try:
        lesson("pytorch", "module", **scope)
    except (AssertionError, RuntimeError):
        assert not passes
    else:
        assert passes


# Lesson 09: test_rope


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
    "in halves": (in_halves, {}),
    "in halves, other widths": (in_halves, {"widths": (2, 80, 128)}),
    "other widths": (arrays.rotary, {"widths": (2, 80, 128)}),
    "bfloat16, with more allowed": (lambda x, p: by_cosines(torch.bfloat16, x, p), {"allowed": 0.1}),
}
WRONG_ROPES = {
    "a table of 1,500 rows": lambda x, p: arrays.rotary(x, p.clip(max=1499)),
    "positions in float16": lambda x, p: arrays.rotary(x, p.astype(np.float16)),
    "negative positions lose their sign": lambda x, p: arrays.rotary(x, abs(p)),
    "the slowest pair stands": lambda x, p: np.hstack([arrays.rotary(x, p)[:, :-2], x[:, -2:]]),
    "halves at one width, neighbours at the other": lambda x, p: arrays.rotary(
        x, p, layout="half" if x.shape[1] > 6 else "interleaved"
    ),
    "halves with a wrong base above width 6": lambda x, p: arrays.rotary(
        x, p, layout="half", base=10_000 if x.shape[1] < 7 else 500_000
    ),
    "base 10,500": lambda x, p: arrays.rotary(x, p, base=10_500),
}


@pytest.fixture(scope="module")
def test_rope():
    return lesson("rotary", "turn", "three-known", "three-tests")["test_rope"]


@pytest.mark.parametrize("name", RIGHT_ROPES)
def test_the_rope_test_accuses_no_innocent(test_rope, name):
    rotary, options = RIGHT_ROPES[name]
    assert said(test_rope, rotary, **options) == ""


@pytest.mark.parametrize("name", WRONG_ROPES)
def test_the_rope_test_sees(test_rope, name):
    assert said(test_rope, WRONG_ROPES[name])


# Lesson 19: the law


@pytest.fixture(scope="module")
def serving():
    cells = "models", "models-texts", "law", "steps", "packing-ways", "packing", "bfloat16"
    return lesson("serve_it", "imports", *cells)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_law_accuses_no_innocent(serving, dtype, layout, monkeypatch):
    model = serving["untrained"](toys.Rotary(layout=layout)).to(dtype)
    gap = serving["law"](serving["in_steps"], model, told=lambda new: new, size=3)
    monkeypatch.setattr(plots, "show_table", lambda *table, **options: None)
    assert said(serving["figures"].gaps, [[gap]], ["right"], ["gap"]) == "" and gap < 1e-4


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        (lambda new: 2 * new, True),
        (lambda new: new % 8, True),
        (lambda new: new + (new > 10), True),
        (lambda new: new % 16, False),  # the texts have up to 12 tokens, and the lesson says so
        (lambda new: new + 100, False),  # RoPE forgives a text that is moved as a whole
    ],
)
def test_the_law_sees_faults_within_its_texts(serving, fault, seen):
    assert (serving["law"](serving["in_steps"], serving["rope"], told=fault) > 0.1) is seen


# Attention without the matrix: disagreement


def of_autograd(forward, backward):
    """A fused RoPE by its two passes."""

    class Fused(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, positions):
            ctx.positions = positions
            return forward(x, positions)

        @staticmethod
        def backward(ctx, incoming):
            return backward(incoming, ctx.positions), None

    return Fused.apply


def half(x, positions, **options):
    return tensors.rotary(x, positions, layout="half", **options)


def float32_angles(x, positions):
    exponents = torch.arange(0, x.shape[1], 2).float() / x.shape[1]
    angles = positions.float()[:, None] * 10_000.0**-exponents
    (a, b), cosine, sine = x.chunk(2, dim=-1), angles.cos(), angles.sin()
    return torch.cat([a * cosine - b * sine, a * sine + b * cosine], dim=-1)


@pytest.fixture(scope="module")
def disagreement():
    return lesson("attention_without_the_matrix", "rope-test", tensors=tensors)["disagreement"]


def test_right_fused_ropes_agree_and_wrong_ones_do_not(disagreement):
    turned_back = of_autograd(half, lambda g, p: half(g, -p))
    for right in ((turned_back, half, 64), (float32_angles, half, 6)):
        assert max(disagreement(*right)) <= 0.01
    turned_on = of_autograd(tensors.rotary, tensors.rotary)
    outputs, gradients = disagreement(turned_on, tensors.rotary, 128)
    assert outputs <= 0.01 and gradients > 0.1
    for wrong in (lambda x, p: half(x, p, base=500_000.0), lambda x, p: half(x, p.clamp(max=2047))):
        assert min(disagreement(wrong, half, 128)) > 0.1
