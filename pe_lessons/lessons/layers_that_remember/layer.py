"""A layer with a gated delta rule and a short convolution, as a server runs it; its weights are random."""

import numpy as np

from pe_lessons import arrays

_rng = np.random.default_rng(seed=8)
to_qkv, to_rates, mix = (_rng.normal(size=size) / 2 for size in ((8, 24), (8, 2), (24, 4)))


def layer(x, state=None, before=None, masked=False, fades=True, overwrites=True, mixes=True):
    """The outputs of the tokens x (seq_len, 8), and the two memories that the next tokens need.

    `state` and `before` are the memories that the tokens before left: the state, and the last three inputs of
    the convolution. `masked` tokens, which are padding, neither fade the state nor write into it.
    `fades`, `overwrites` and `mixes` (the convolution) can be switched off. With all three off, this is a
    plain sum, into which each token writes beta times its value.
    """
    qkv = x @ to_qkv
    if mixes:
        qkv, before = arrays.short_convolution(qkv, mix, before=before)
    q, k, v = np.split(qkv, 3, axis=-1)
    q, k = (rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-6) for rows in (q, k))
    gates, beta = 1 / (1 + np.exp(-to_rates.T @ x.T))  # both between 0 and 1
    gates = gates if fades and not masked else np.ones(len(x))
    beta = np.zeros(len(x)) if masked else beta
    if overwrites:
        outputs, state = arrays.delta_rule(q, k, v, beta, gates=gates, state=state)
    else:
        outputs, state = arrays.linear_attention(q, k, beta[:, None] * v, gates=gates, state=state)
    return outputs, {"state": state, "before": before}


def difference(outputs, right):
    """For each token, the length of the difference of two outputs, over the length of the right one."""
    return np.linalg.norm(outputs - right, axis=-1) / np.linalg.norm(right, axis=-1)


def change(texts, order, how):
    """How much this order of the tokens changes the last output: the median over the texts."""
    return np.median([difference(layer(text[order], **how)[0], layer(text, **how)[0])[-1] for text in texts])


def errors(texts, memories, start=6):
    """How wrong the outputs from token `start` on are if the layer goes on from these memories (medians)."""
    of_texts = [
        difference(layer(text[start:], **kept)[0], layer(text)[0][start:])
        for text, kept in zip(texts, memories, strict=True)
    ]
    return np.median(of_texts, axis=0)
