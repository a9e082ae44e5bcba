"""What lessons 00 to 12 teach as a test, tried on innocents and on faults that it was not written for.

Where a lesson says that its test does not see something, that is held here too.
"""

import functools
import json
import types
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from pe_lessons import arrays, measures, tensors
from pe_lessons.lessons import REGISTRY
from pe_lessons.lessons.progress import notebook

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


@functools.cache
def sources(lesson):
    cells = json.loads(notebook(NOTEBOOKS, lesson).read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}


def names_after(lesson, *cells, **given):
    """What is defined when the first cell of a lesson and these have run."""
    scope = dict(given)
    for cell in ("imports", *cells):
        exec(compile(sources(lesson)[cell], f"<{lesson}:{cell}>", "exec"), scope)
    return scope


# Tables of 50 positions by 128 columns, and what three tests of lessons 02 to 06 say of them


def interleaved(angles):
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(angles), -1)


FREQUENCIES, FLOAT32 = arrays.frequencies(128), np.arange(50, dtype=np.float32)[:, None]
ANGLES = np.arange(50)[:, None] * FREQUENCIES
TABLE = arrays.sinusoidal(50, 128)
OTHER_PAIR = np.where(np.arange(64) == 20, 2, 1)  # twice as fast
WAVES = 2 * np.pi / FREQUENCIES


def first_hand(table):
    """Lesson 02: row 0 reads 0, 1, 0, 1, ... and row 1 begins 0.8415, 0.5403."""
    return bool(
        np.allclose(table[0], np.arange(128) % 2) and (table[1, :2].round(4) == [0.8415, 0.5403]).all()
    )


def right_pairs(table):
    return REGISTRY["right_pairs"].reference(table.tolist())


def picture_and_waves(table):
    """Lesson 06: one clear diagonal in table @ table.T, and all the wavelengths."""
    products = table @ table.T
    others = products[~np.eye(50, dtype=bool)]
    waves = np.asarray(REGISTRY["read_wavelengths"].reference(table))
    return bool(np.diagonal(products).min() > others.max() and np.allclose(waves, WAVES, rtol=0.01))


@pytest.mark.parametrize(
    ("table", "first", "pairs", "picture"),
    [
        pytest.param(TABLE, True, 64, True, id="right"),
        pytest.param(TABLE.astype(np.float32).astype(float), True, 64, True, id="float32"),
        pytest.param(
            interleaved(FLOAT32 * FREQUENCIES.astype(np.float32)).astype(float),
            True, 64, True, id="float32 throughout",
        ),
        pytest.param(TABLE.round(4), True, 64, False, id="four decimals"),
        pytest.param(TABLE.astype(np.float16).astype(float), False, 0, True, id="half precision"),
        pytest.param(np.hstack([TABLE[:, ::2], TABLE[:, 1::2]]), False, 0, False, id="all sines first"),
        pytest.param(TABLE[:, np.arange(128) ^ 1], False, 0, False, id="cosine first"),
        pytest.param(interleaved(ANGLES + FREQUENCIES), False, 0, False, id="from 1"),
        pytest.param(interleaved(np.radians(ANGLES)), False, 0, False, id="degrees"),
        pytest.param(arrays.sinusoidal(50, 128, base=1e8), True, 1, False, id="doubled exponent"),
        pytest.param(arrays.sinusoidal(50, 128, base=1000), True, 1, False, id="base 1000"),
        pytest.param(interleaved(ANGLES * OTHER_PAIR), True, 20, False, id="one pair too fast"),
        pytest.param(interleaved(-ANGLES), False, 0, False, id="sines with a minus"),
        pytest.param(0.5 * TABLE, False, 0, True, id="a factor"),
    ],
)  # fmt: skip
def test_what_the_tests_of_a_table_see(table, first, pairs, picture):
    assert (first_hand(table), right_pairs(table), picture_and_waves(table)) == (first, pairs, picture)


def test_float32_throughout_is_as_near_to_the_loop_as_the_naive_loop_says():
    assert np.abs(interleaved(FLOAT32 * FREQUENCIES.astype(np.float32)) - TABLE).max() < 3e-6


# Lesson 01: some matrix fits any rows if there are fewer of them than columns.


def test_a_shift_of_random_rows_is_found_wrong_where_there_are_many():
    rows = np.random.default_rng(0).normal(size=(120, 120))
    assert measures.shift_residual(rows, offset=3) < 1e-6 < 1 < measures.shift_residual(rows[:, :8], offset=3)


# Lesson 04: the slow pairs keep the distance growing for thousands of tokens. Lesson 06: later is not never.


def squared_distance(frequencies, tokens):
    """Of two rows so many tokens apart; from sin a sin b + cos a cos b = cos(a - b)."""
    return sum(2 - 2 * np.cos(frequency * tokens) for frequency in frequencies)


def test_the_distance_of_the_slow_pairs_stops_growing_at_some_10_000_tokens():
    slow = arrays.frequencies(512)[2 * np.pi / arrays.frequencies(512) > 49]
    beyond = squared_distance(slow, np.arange(10_000, 100_000, 100))
    assert squared_distance(slow, 1000) < 310 < 340 < beyond.min() < beyond.max() < 460


def test_with_16_columns_a_row_far_away_is_closer_than_the_neighbour():
    gaps = squared_distance(arrays.frequencies(16), np.arange(1, 600_000))
    assert np.flatnonzero(gaps < gaps[0] - 1e-9)[0] + 1 == 596_274


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
    scope = names_after("pytorch")
    scope["tensors"] = types.SimpleNamespace(SinusoidalEncoding=lambda *_, **__: module())
    torch.manual_seed(0)
    try:
        exec(sources("pytorch")["module"], scope)
    except (AssertionError, RuntimeError):
        assert not passes
    else:
        assert passes


# Lesson 12: the mean similarity is coarse.


def test_two_rows_each_repeated_look_local_to_the_mean_similarity_only():
    table = np.repeat([[1.0, 0.0], [0.0, 1.0]], 16, axis=0)
    trained = types.SimpleNamespace(encoding=types.SimpleNamespace(table=torch.tensor(table)))
    given = {"start": torch.tensor(table), "model": trained}
    scope = names_after("learned_positions", "cosines", "local-numbers", **given)
    assert round(scope["neighbours"](table), 2) == 0.94


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
