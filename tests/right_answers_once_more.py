"""Right answers once more: by the loop version, which the answers do without, or by other means.

`test_independent_values.py` holds the loop version to multiple precision, PyTorch and published numbers.
An exercise that is not here has right answers by strangers, who wrote them without seeing ours.
"""

import math
from fractions import Fraction

import numpy as np
import torch

from pe_lessons import loops


def base_of_the_last_pair(row):
    """From the last pair and its logarithm, where the answers take pair 1."""
    n_pairs = len(row) // 2
    slowest = math.atan(row[-1] / row[-2])
    return math.exp(-math.log(slowest) * n_pairs / (n_pairs - 1))


def rows_by_their_numbers(weight, num_heads):
    """Each row looks up where it comes from."""
    head_dim = len(weight) // num_heads
    found = []
    for number in range(len(weight)):
        head, column = divmod(number, head_dim)
        pair, second = divmod(column, 2)
        found.append(weight[head * head_dim + second * (head_dim // 2) + pair])
    return np.array(found)


def weights_one_by_one(scores, slope):
    """Each row is cut behind its own token, and has one number for each key."""
    num_hidden = range(len(scores) - 1, -1, -1)
    return [
        [
            *loops.softmax([score + slope * n for n, score in enumerate(row[: len(row) - hidden])]),
            *[0] * hidden,
        ]
        for row, hidden in zip(scores.tolist(), num_hidden)
    ]


def conv_of_each_text(x, weights, texts):
    """The first version's convolution of one text after the other."""
    ends = [t for t in range(1, len(texts)) if texts[t] != texts[t - 1]]
    parts = [x[start:end].tolist() for start, end in zip([0, *ends], [*ends, len(texts)])]
    return [row for part in parts for row in loops.short_convolution(part, weights.tolist())[0]]


def state_after(state, key, value, gate, beta):
    """The state that the first version's delta rule returns after one token."""
    key, value = [key.tolist()], [value.tolist()]
    return loops.delta_rule(key, key, value, [beta], gates=[gate], state=state.tolist())[1]


def margin_by_search(num_keys, weight):
    """The margin at which a softmax gives the weight, found by halving an interval."""
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        power = math.exp(middle)
        low, high = (middle, high) if power / (power + num_keys - 1) < weight else (low, middle)
    return middle


def texts_for_a_difference(accuracy, difference):
    """The smallest whole number of at least 8 p (1 - p) / d ** 2, in fractions."""
    p, d = Fraction(str(accuracy)), Fraction(str(difference))
    return math.ceil(8 * p * (1 - p) / d**2)


def paths_of_guesses(parents, cached):
    """The path of each guess, walked up from the guess to the text."""
    positions, mask = [], np.zeros((len(parents), cached + len(parents)), dtype=bool)
    mask[:, :cached] = True
    for guess in range(len(parents)):
        path, one = [], guess
        while one >= 0:
            path.append(one)
            one = parents[one]
        positions.append(cached + len(path) - 1)
        mask[guess, cached + np.array(path)] = True
    return positions, mask


def zigzag_by_owner(seq_len, cards, card):
    """Each position is asked which card it lies on; keys in the order of cards, then of the text."""
    size = seq_len // (2 * cards)
    owner = [min(p // size, 2 * cards - 1 - p // size) for p in range(seq_len)]
    keys = sorted(range(seq_len), key=lambda p: (owner[p], p))
    own = [p for p in range(seq_len) if owner[p] == card]
    return own, [[not key > query for key in keys] for query in own]


ORACLES = {
    "margin_needed": margin_by_search,
    "needles_needed": texts_for_a_difference,
    "delta_step": state_after,
    "conv_packed": conv_of_each_text,
    "sinusoidal_torch": lambda seq_len, d_model: torch.tensor(loops.sinusoidal(seq_len, d_model)),
    "newest_weights": weights_one_by_one,
    "read_base": base_of_the_last_pair,
    "to_neighbours": rows_by_their_numbers,
    "tree_positions": paths_of_guesses,
    "zigzag_positions": zigzag_by_owner,
}  # fmt: skip
