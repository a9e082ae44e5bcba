"""Four programs for one layer. Learners find out which three break one of its rules, and which rule."""

import numpy as np

from pe_lessons import arrays

PARTIAL = {"rotary_dim": 4}
PROPORTIONAL = {"scaling": {"rope_type": "proportional", "partial_rotary_factor": 0.25}}


def reference(x, rule=PARTIAL, seen=4, sink=2.0):
    """The outputs of the tokens x (seq_len, 16), which are queries, keys and values at once."""
    places = np.arange(len(x))
    rows = arrays.rotary(x, places, layout="half", **rule)
    distances = places[:, None] - places  # (n_q, n_k)
    weights = np.exp(rows @ rows.T / 4) * ((distances >= 0) & (distances < seen))
    return weights @ x / (weights.sum(axis=-1, keepdims=True) + np.exp(sink))


def too_far(x):
    return reference(x, seen=5)


def no_sink(x):
    return reference(x, sink=-np.inf)


def wrong_pairs(x):
    return reference(x, rule=PROPORTIONAL)


def four():
    return {"A": too_far, "B": reference, "C": no_sink, "D": wrong_pairs}
