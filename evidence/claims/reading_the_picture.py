"""The claims of lesson 06 that depend on chance: where t-SNE puts the rows of a table on a map."""

import numpy as np

from evidence.claims.run_claims import above, each_seed
from pe_lessons import arrays


@each_seed
def maps(seed):
    """A map of the 128 x 8 table: how much further from position 5 is 6 than 68"""
    from sklearn.manifold import TSNE  # it takes seconds, and tests load this file

    for name, init, bound in (
        ("from PCA", "pca", above(10)),
        ("from a random start", "random", above(5)),
    ):
        tsne = TSNE(n_components=2, perplexity=4, random_state=seed, init=init)
        points = tsne.fit_transform(arrays.sinusoidal(128, 8))
        yield name, np.linalg.norm(points[5] - points[6]) / np.linalg.norm(points[5] - points[68]), bound
