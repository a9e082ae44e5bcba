"""The claims of lesson 07 that depend on chance: a head built by hand, and random words."""

import numpy as np

from evidence.claims.run_claims import at_least, below, each_seed, equal_to
from pe_lessons import arrays

BACK, SEQ_LEN, D_MODEL, LETTERS = 3, 256, 64, 26


@each_seed
def with_words(seed):
    """A head that looks three back, built by hand, on words: as it is, and repaired by least squares"""
    rng = np.random.default_rng(seed)
    letters = rng.normal(size=(LETTERS, D_MODEL))
    text = rng.integers(LETTERS, size=SEQ_LEN)
    table = arrays.sinusoidal(SEQ_LEN, D_MODEL)
    x = letters[text] + table
    causal = np.tri(SEQ_LEN, dtype=bool)
    both, rotation = np.concatenate([letters, table]), arrays.shift_matrix(-BACK, D_MODEL).T

    def strongest(W_Q, W_K):
        return np.where(causal, (x @ W_Q) @ (x @ W_K).T, -np.inf).argmax(axis=1)

    def rows_on_target(W_Q, W_K):
        return (strongest(W_Q, W_K)[BACK:] == np.arange(SEQ_LEN - BACK)).mean()

    naive = rotation, np.eye(D_MODEL)
    yield "naive head on target", rows_on_target(*naive), below(0.1)
    yield "naive head on its own letter", (text[strongest(*naive)] == text).mean(), at_least(0.98)
    wanted = np.concatenate([np.zeros((LETTERS, D_MODEL)), table])
    P, *_ = np.linalg.lstsq(both, wanted)
    yield "demand missed by", np.abs(both @ P - wanted).max(), below(1e-9)
    yield "repaired head on target", rows_on_target(P @ rotation, P), equal_to(1)
    far = letters[rng.integers(LETTERS, size=900)] + arrays.sinusoidal(900, D_MODEL)
    scores = np.where(np.tri(900, dtype=bool), (far @ P @ rotation) @ (far @ P).T, -np.inf)
    found = scores.argmax(axis=1)[BACK:] == np.arange(900 - BACK)
    yield "repaired head at positions 300 to 499", found[300 - BACK : 500 - BACK].mean(), at_least(0.95)
    yield "repaired head at positions 700 to 899", found[700 - BACK :].mean(), below(0.9)
