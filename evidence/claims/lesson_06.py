"""The claims of lesson 06 that depend on chance: where t-SNE puts the rows of a table on a map."""

import numpy as np
from sklearn.manifold import TSNE

from evidence.claims.runner import SEEDS, above, between
from pe_lessons import arrays


def map_ratio(seed, init, perplexity=4):
    """On a t-SNE map of the 128 x 8 table, how much further from 5 is 6 than 68?"""
    rows = arrays.sinusoidal(128, 8)
    points = TSNE(n_components=2, perplexity=perplexity, random_state=seed, init=init).fit_transform(rows)
    return np.linalg.norm(points[5] - points[6]) / np.linalg.norm(points[5] - points[68])


def maps():
    """A map of the 128 x 8 table: how much further from position 5 is 6 than 68"""
    yield "from PCA", [map_ratio(seed, "pca") for seed in SEEDS], above(10)
    yield "from a random start", [map_ratio(seed, "random") for seed in SEEDS], above(10)
    yield "from PCA, perplexity 30", [map_ratio(seed, "pca", perplexity=30) for seed in SEEDS], between(2, 4)


CLAIMS = [maps]
