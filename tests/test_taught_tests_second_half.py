"""The tests that lessons teach, tried on what they were not written for: right programs and wrong ones.

A learner takes these tests to other people's code. So each one must let a right program pass in float32, at
other widths and from other hands, and must see faults that the lesson does not show. What a test cannot see
stands here as well, since the lesson says so.
"""

import functools
import math
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
import torch
from reexecute import find_notebooks

from pe_lessons import arrays, measures, plots, small_models, tensors, toys
from pe_lessons.lessons.design_your_own import capstone

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


# Lesson 09: test_rope


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


def in_halves(x, positions):
    return arrays.rotary(x, positions, layout="half")


def mixed(x, positions, angles, partners):
    """The angles laid out for one layout, the partners fetched by the other."""
    first = positions[:, None] * arrays.frequencies(x.shape[1])
    halves = np.split(x, 2, axis=1)
    angle = np.hstack([first, first]) if angles == "half" else np.repeat(first, 2, axis=1)
    partner = np.hstack([-halves[1], halves[0]])
    if partners == "interleaved":
        partner = np.stack([-x[:, 1::2], x[:, 0::2]], axis=-1).reshape(x.shape)
    return x * np.cos(angle) + partner * np.sin(angle)


RIGHT_ROPES = {
    "the package": (arrays.rotary, {}),
    "the package's tensors": (lambda x, p: tensors.rotary(torch.tensor(x), torch.tensor(p)).numpy(), {}),
    "float32": (lambda x, p: by_cosines(torch.float32, x.astype(np.float32), p), {}),
    "float16 at the end": (lambda x, p: arrays.rotary(x, p).astype(np.float16), {}),
    "in place": (in_place, {}),
    "in halves": (in_halves, {}),
    "in halves, float32": (lambda x, p: in_halves(x.astype(np.float32), p).astype(np.float32), {}),
    "in halves, other widths": (in_halves, {"widths": (2, 80, 128)}),
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
    "angles of halves, partners of neighbours": lambda x, p: mixed(x, p, "half", "interleaved"),
    "angles of neighbours, partners of halves": lambda x, p: mixed(x, p, "interleaved", "half"),
    "halves at one width, neighbours at the other": lambda x, p: arrays.rotary(
        x, p, layout="half" if x.shape[1] > 6 else "interleaved"
    ),
    "halves with a wrong base above width 6": lambda x, p: arrays.rotary(
        x, p, layout="half", base=10_000 if x.shape[1] < 7 else 500_000
    ),
    "the first position for all": lambda x, p: arrays.rotary(x, np.full(len(x), p[0])),
    "base 10,500": lambda x, p: arrays.rotary(x, p, base=10_500),
    "not a number at -1": lambda x, p: np.where(p[:, None] < 0, np.nan, arrays.rotary(x, p)),
}


def by_frequencies(dtype, x, positions):
    frequencies = tensors.frequencies(x.shape[1]).to(dtype).double().numpy()
    arrows = np.ascontiguousarray(x).view(complex) * np.exp(1j * np.outer(positions, frequencies))
    return arrows.view(float)


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


def test_the_rope_test_names_the_layout(test_rope):
    assert (test_rope(arrays.rotary), test_rope(in_halves)) == (["interleaved"], ["half"])
    assert test_rope(arrays.rotary, widths=[2]) == ["interleaved", "half"]  # the same there


def test_what_the_rope_test_cannot_see_is_what_it_is_not_asked(test_rope):
    def wide(x, p):
        return arrays.rotary(x, p, base=10_000 if x.shape[1] < 128 else 500_000)

    def short(x, p):
        return arrays.rotary(x, p.clip(max=4999))

    assert said(test_rope, wide) == said(test_rope, short) == ""
    assert said(test_rope, wide, widths=[128]) and said(test_rope, short, positions=[5000])


# Lesson 13: the window. It cures only a model whose far characters do the harm.


class Shut(toys.Rotary):
    """RoPE that sees 256 characters back, as the lesson's window does."""

    def bias(self, queries, positions):
        return torch.where(positions[:, None] - positions < 256, 0.0, -torch.inf)


def test_the_window_cures_no_wrong_layout():
    model = small_models.load("rope")
    text = small_models.encode(small_models.held_out())[:2048]
    found = {}
    for name, encoding in {"right": Shut(), "wrong layout": Shut(layout="half")}.items():
        model.encoding = encoding
        found[name] = small_models.bits(model, text, 1024)[:, 512:].mean().item()
    assert found["right"] < 2.6 and found["wrong layout"] > 5


# Lesson 15: a window, one key changed at a time; and the sum of the weights


def with_window(queries, keys, values, *, size, before=0, root=True, dtype=np.float64):
    """Causal attention whose queries see `size` keys, themselves included, and as many more as `before`."""
    queries, keys, values = (np.asarray(rows, dtype=dtype) for rows in (queries, keys, values))
    scores = queries @ keys.T / dtype(np.sqrt(queries.shape[1]) if root else 1)
    steps = np.arange(len(queries))[:, None] - np.arange(len(keys))
    scores = np.where((steps >= 0) & (steps < size + before), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ values


def window_found(program, size, width=8):
    """Whether the last output changes with the last key inside the window, and not with the first outside."""
    rows = np.random.default_rng(seed=size).normal(size=(3, 3 * size, width))
    changed = []
    for back in (size - 1, size):
        other = rows.copy()
        other[1:, -1 - back] += 1  # this key and its value
        changed.append(not np.array_equal(program(*rows)[-1], program(*other)[-1]))
    return changed == [True, False]


@pytest.mark.parametrize("size", [4, 7])
@pytest.mark.parametrize("width", [2, 8, 64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("root", [True, False])
def test_one_key_changed_accuses_no_right_window(size, width, dtype, root):
    assert window_found(functools.partial(with_window, size=size, dtype=dtype, root=root), size, width)


@pytest.mark.parametrize("before", [-1, 1, 100])  # one too short, one too long, none at all
@pytest.mark.parametrize("size", [4, 7])
def test_one_key_changed_sees_a_wrong_window(size, before):
    assert not window_found(functools.partial(with_window, size=size, before=before), size)


def by_logsumexp(scores, sink):
    scores = torch.tensor(scores, dtype=torch.float32)
    return (scores - torch.logsumexp(torch.cat([scores, torch.tensor([sink])]), dim=0)).exp().numpy()


SINKS = {
    "the lesson's": (lambda scores, sink: np.exp(scores) / (np.exp(scores).sum() + np.exp(sink)), True),
    "one more column, float32": (by_logsumexp, True),
    "dropped": (lambda scores, sink: np.exp(scores) / np.exp(scores).sum(), False),
    "subtracted": (lambda scores, sink: np.exp(scores - sink) / np.exp(scores - sink).sum(), False),
    "the score itself": (lambda scores, sink: np.exp(scores) / (np.exp(scores).sum() + sink), False),
}


@pytest.mark.parametrize(("weights", "right"), SINKS.values(), ids=SINKS)
def test_the_sum_of_the_weights_sees_a_dropped_sink(weights, right):
    scores, sink = np.array([0.5, -1.0, 0.0]), 2.0
    wanted = 1 - 1 / (1 + np.exp(scores - sink).sum())
    assert bool(abs(weights(scores, sink).sum() - wanted) < 1e-6) is right
    ratio = weights(scores, sink)[0] / weights(scores, sink)[1]
    assert abs(ratio - np.exp(1.5)) < 1e-5  # which the ratios do not see


# Lesson 17: the same text, moved


def handed_over(back, positions):
    """What attention with rotated values hands over, its output rotated by `back`."""
    q, kv = np.random.default_rng(seed=0).normal(size=(2, 5, 8))
    keys = arrays.rotary(kv, positions)
    return arrays.rotary(arrays.attention(arrays.rotary(q, positions), keys, keys), back)


@pytest.mark.parametrize(
    ("back", "passes"),
    [
        (lambda p: -p, True),
        (lambda p: 0 * p, False),
        (lambda p: p, False),
        (lambda p: -2 * p, False),
        (lambda p: np.full(len(p), -p[0]), True),  # wrong, and the lesson says that it passes
    ],
)
def test_a_moved_text_sees_that_something_depends_on_the_place(back, passes):
    here, later = np.arange(5), np.arange(5) + 100
    moved = np.abs(handed_over(back(here), here) - handed_over(back(later), later)).max()
    assert bool(moved < 1e-9) is passes


# Lesson 18: text alone must come out as before


def by_axes(dtype, scale, x, positions, sections, order):
    axis_of_pair = np.repeat([0, 1, 2], sections)
    angles = (positions * np.array(scale)[:, None])[axis_of_pair].T.astype(dtype)
    angles = angles * arrays.frequencies(128).astype(dtype)
    a, b = x[:, 0::2].astype(dtype), x[:, 1::2].astype(dtype)
    cosine, sine = np.cos(angles), np.sin(angles)
    return np.stack([a * cosine - b * sine, a * sine + b * cosine], axis=-1).reshape(x.shape)


@pytest.mark.parametrize(
    ("dtype", "scale", "unchanged"),
    [
        (np.float64, (1, 1, 1), True),
        (np.float32, (1, 1, 1), True),
        (np.float64, (2, 1, 1), False),
        (np.float64, (1, 1, 0.99), False),
    ],
)
def test_the_law_of_text_accuses_no_other_right_program(dtype, scale, unchanged, capsys):
    def mrope(x, positions, sections, order):
        return by_axes(dtype, scale, x, positions, sections, order)

    lesson("positions_are_data", "law", arrays=SimpleNamespace(rotary=arrays.rotary, mrope=mrope))
    assert f"16 24 24 blocks - text unchanged: {unchanged}" in capsys.readouterr().out


def after(how, parts):
    """The position after a picture or a video, by rules that programs had."""
    shape = parts[1]
    largest = {"right": max(shape), "time left out": max(shape[1:]), "after the width": shape[2]}
    return parts[0] + largest[how]


def test_the_three_prompts_are_needed():
    wide, tall, long = [2, (1, 2, 3), 1], [2, (1, 3, 2), 1], [2, (4, 2, 3), 1]
    for parts in (wide, tall, long):
        assert arrays.mrope_positions(parts)[0, -1] == after("right", parts)
    assert [after("after the width", p) == after("right", p) for p in (wide, tall)] == [True, False]
    assert [after("time left out", p) == after("right", p) for p in (wide, tall, long)] == [True, True, False]


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


@pytest.mark.parametrize("seed", range(5))
def test_twice_the_gap_of_reading_alone_is_a_bound_for_bfloat16(serving, seed, monkeypatch):
    monkeypatch.setattr(torch, "manual_seed", lambda _: torch.random.default_generator.manual_seed(seed))
    model, low = serving["untrained"](toys.Rotary()), serving["untrained"](toys.Rotary()).bfloat16()
    monkeypatch.undo()
    law, allowed = serving["law"], 2 * serving["law"](serving["read_alone"], low, model)
    servers = serving["in_steps"], serving["packed"]
    right = {"told": lambda new: new, "size": 3}, {"reset": False, "block": True}
    wrong = {"told": lambda new: new + (new[0] > 0)}, {"reset": True, "block": False}
    assert [law(serve, low, model, **how) < allowed for serve, how in zip(servers, right)] == [True, True]
    assert [law(serve, low, model, **how) > allowed for serve, how in zip(servers, wrong)] == [True, True]


# Lesson 20: the spread of one score, and the bits of a model far out


@pytest.mark.parametrize(
    ("angles", "spread", "costs"),
    [
        (lambda p, f: p[:, None] * f, 0, False),
        (lambda p, f: p.float()[:, None] * f.float(), 0, False),
        (lambda p, f: (p % 2048)[:, None] * f, 0.7, True),
        (lambda p, f: p.half().double()[:, None] * f, 0.1, True),
        (lambda p, f: p.bfloat16().double()[:, None] * f, 0.4, True),
        (lambda p, f: (p[:, None] * f).bfloat16(), 0.3, True),
        # wrong at every position alike: the lesson says that the spread can't see these
        (lambda p, f: p[:, None] * f**2, 0, True),
        (lambda p, f: p[:, None] * f.bfloat16().double(), 0, False),
        (lambda p, f: -p[:, None] * f, 0, True),
    ],
)
def test_two_measures_of_rounding_see_what_depends_on_the_place(angles, spread, costs):
    cells = "module", "model-bits", "blame-one", "blame-both"
    found = lesson("when_numbers_break", "imports", *cells)

    def of_width(width):
        return lambda p: angles(p, tensors.frequencies(width)).double()

    scores = found["three_apart"](of_width(64))
    assert abs(scores.max() - scores.min() - spread) < 0.08
    exact = found["bits"](found["rotary_with"](lambda p: p[:, None] * tensors.frequencies(40)), 10_000)
    far = found["bits"](found["rotary_with"](of_width(40)), 10_000)
    assert bool(far > exact + 0.1) is costs


# Lesson 24: the card


def test_four_times_is_a_matter_of_luck():
    def in_another_order(seed):
        pairs = torch.randperm(16, generator=torch.Generator().manual_seed(seed))
        columns = torch.stack([2 * pairs, 2 * pairs + 1], dim=1).flatten()
        return lambda q, k, m, n: capstone.rope(q[..., columns], k[..., columns], m, n)

    found = [measures.pointing(in_another_order(seed), [1])[1] for seed in (1, 2)]
    assert min(near for near, _ in found) > 0.9  # within the trained places all orders do
    assert found[0][1] > 0.4 and found[1][1] < 0.3


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


def rotates_in_place(x, positions):
    return x.copy_(tensors.rotary(x, positions))


AGREE = {
    "the rotation back": (
        of_autograd(tensors.rotary, lambda g, p: tensors.rotary(g, -p)),
        tensors.rotary,
        128,
    ),
    "the half layout": (of_autograd(half, lambda g, p: half(g, -p)), half, 64),
    "float32 angles": (float32_angles, half, 128),
    "in place": (rotates_in_place, tensors.rotary, 80),
    "an odd number of pairs": (float32_angles, half, 6),
}
DISAGREE = {  # the outputs too?
    "rotates on": (of_autograd(tensors.rotary, tensors.rotary), tensors.rotary, 128, False),
    "no rotation": (of_autograd(tensors.rotary, lambda g, p: g), tensors.rotary, 128, False),
    "back in the other layout": (of_autograd(half, lambda g, p: tensors.rotary(g, -p)), half, 64, False),
    "part of a gradient": (
        of_autograd(half, lambda g, p: half(g, -p, rotary_dim=g.shape[1] // 2)), half, 64, False
    ),
    "the other layout": (half, tensors.rotary, 128, True),
    "a part of the width": (lambda x, p: half(x, p, rotary_dim=64), half, 128, True),
    "another base": (lambda x, p: half(x, p, base=500_000.0), half, 128, True),
    "a table that ends": (lambda x, p: half(x, p.clamp(max=2047)), half, 128, True),
}  # fmt: skip


@pytest.fixture(scope="module")
def disagreement():
    return lesson("attention_without_the_matrix", "rope-test", tensors=tensors)["disagreement"]


@pytest.mark.parametrize("name", AGREE)
def test_right_fused_ropes_agree(disagreement, name):
    assert max(disagreement(*AGREE[name])) <= 0.01


@pytest.mark.parametrize("name", DISAGREE)
def test_wrong_fused_ropes_disagree(disagreement, name):
    *programs, outputs_too = DISAGREE[name]
    outputs, gradients = disagreement(*programs)
    assert gradients > 0.1 and (outputs > 0.1) == outputs_too and (outputs_too or outputs <= 0.01)


def test_a_fused_rope_without_a_gradient_is_an_error(disagreement):
    with pytest.raises(RuntimeError, match="does not require grad"):
        disagreement(lambda x, p: tensors.rotary(x, p).detach(), tensors.rotary, 64)
