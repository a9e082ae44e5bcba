"""The scorecard of the workshop, of encodings whose answer is known."""

import functools

import numpy as np
import pytest
import torch

from pe_lessons import arrays
from pe_lessons.lessons.design_your_own import capstone, scorecard

CARD = functools.cache(scorecard.scorecard)  # takes a second


def waves(positions, frequencies):
    angles = positions[:, None] * frequencies
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def sinusoidal(positions, d_model):
    return waves(positions, arrays.frequencies(d_model))


def ending(error):
    def encode(positions, d_model):
        if positions.max() > 5000:
            raise error("no such row")
        return sinusoidal(positions, d_model)

    return encode


def not_finite_far_out(positions, d_model):
    return np.where(positions[:, None] > 5000, np.nan, sinusoidal(positions, d_model))


def rounded(positions, d_model):
    angles = (positions[:, None] * arrays.frequencies(d_model)).astype(np.float32).astype(float)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def turned_against(q, k, m, n):
    return capstone.rope(q, k, m, -n)


class NumberForEachOffset(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.numbers = torch.nn.Parameter(torch.arange(64.0).double())

    def forward(self, q, k, m, n):
        return (q * k).sum(-1) + self.numbers[(m - n).clamp(0, 63)]


class TestPointing:
    def test_without_positions_the_weight_is_even(self):
        even = np.mean([1 / (m + 1) for m in range(5, 16)])
        for nothing in (
            lambda q, k, m, n: (q * k).sum(-1),
            lambda positions, d_model: np.zeros((len(positions), d_model)),
        ):
            assert scorecard.pointing(nothing, [5], start=16)[5][0] == pytest.approx(even, abs=1e-3)

    def test_weights_are_those_of_a_causal_softmax(self):
        for weights in scorecard.mixed_attention(sinusoidal, 5, start=8)[:2]:
            np.testing.assert_allclose(weights.sum(axis=1), 1)
            assert not np.triu(weights, weights.shape[1] - 15).any()

    def test_learned_numbers_are_drawn_and_put_back(self):
        module = NumberForEachOffset()
        assert scorecard.pointing(module, [5], start=16)[5] == (1.0, 1.0)
        assert module.numbers.tolist() == list(range(64))

    @pytest.mark.parametrize("back", [-1, 15])
    def test_back_out_of_range(self, back):
        with pytest.raises(ValueError, match="back must be"):
            scorecard.mixed_attention(sinusoidal, back)


class TestScorecard:
    @pytest.mark.parametrize(
        ("encode", "failed"),
        [
            (sinusoidal, set()),
            (lambda positions, d_model: sinusoidal(positions / 10, d_model), {"one back", "five back"}),
            (lambda positions, d_model: sinusoidal(positions % 5000, d_model), {"shift-consistent"}),
            (
                lambda positions, d_model: sinusoidal(positions + (len(positions) > 20), d_model),
                {"length-free"},
            ),
            (lambda positions, d_model: sinusoidal(positions, 8), {"neighbours"}),  # 63 tokens are ten turns
            (ending(IndexError), {"unique"}),
            (not_finite_far_out, {"unique"}),
            (rounded, {"shift-consistent"}),
        ],
    )
    def test_which_criteria_a_table_misses(self, encode, failed):
        scores = CARD(encode)
        assert sorted(scores) == sorted([*scorecard.AT_LEAST, *scorecard.AT_MOST])
        assert {name for name, good in scorecard.passes(scores).items() if not good} == failed | {
            "four times"
        }

    @pytest.mark.parametrize(
        ("score", "failed"),
        [
            (capstone.rope, set()),
            (capstone.alibi, {"five back", "four times"}),
            (turned_against, {"five back", "four times", "shift-consistent"}),
        ],
    )
    def test_which_criteria_a_score_misses(self, score, failed):
        scores = CARD(score)
        assert list(scores) == ["one back", "five back", "four times", "shift-consistent"]
        assert {name for name, good in scorecard.passes(scores).items() if not good} == failed

    @pytest.mark.parametrize(
        ("function", "message"),
        [
            (np.log, "encode must return finite numbers, but the row of position 0 holds -inf"),
            (np.exp, "encode must return finite numbers, but the row of position 710 holds inf"),
        ],
    )
    def test_rows_that_are_not_finite_are_named(self, function, message):
        with np.errstate(divide="ignore", over="ignore"), pytest.raises(ValueError, match=message):
            scorecard.scorecard(lambda positions, d_model: function(positions)[:, None] * np.ones(d_model))

    def test_eight_digits_are_those_of_bfloat16(self):
        numbers = torch.randn(10_000, generator=torch.Generator().manual_seed(0)) * 300
        kept = scorecard._eight_digits(numbers.double().numpy())
        np.testing.assert_array_equal(kept, numbers.bfloat16().double().numpy())
