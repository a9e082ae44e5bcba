"""Four programs for one layer. Learners find out which three break one of its rules, and which rule."""

import numpy as np

from pe_lessons import arrays

PARTIAL = {"rotary_dim": 4}
PROPORTIONAL = {"scaling": {"rope_type": "proportional", "partial_rotary_factor": 0.25}}


def reference(q, k, v, rule=PARTIAL, seen=4, sink=2.0):
    """The outputs (seq_len, 16) of queries, keys and values of the same shape."""
    places = np.arange(len(q))
    q, k = (arrays.rotary(rows, places, layout="half", **rule) for rows in (q, k))
    distances = places[:, None] - places  # (n_q, n_k)
    weights = np.exp(q @ k.T / 4) * ((distances >= 0) & (distances < seen))
    return weights @ v / (weights.sum(axis=-1, keepdims=True) + np.exp(sink))


def too_far(q, k, v):
    return reference(q, k, v, seen=5)


def no_sink(q, k, v):
    return reference(q, k, v, sink=-np.inf)


def wrong_pairs(q, k, v):
    return reference(q, k, v, rule=PROPORTIONAL)


def four():
    return {"A": too_far, "B": reference, "C": no_sink, "D": wrong_pairs}
