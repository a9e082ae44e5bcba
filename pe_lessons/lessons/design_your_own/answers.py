"""Right answers of lesson 25."""

import numpy as np


def weight_back_arrays(attention, back):
    queries = np.arange(back, len(attention))  # the words before have none so far back
    weights = attention[queries, queries - back]
    return weights.mean()


def weight_back_loop(attention, back):
    weights = []
    for query in range(back, len(attention)):
        weights.append(attention[query, query - back])
    return sum(weights) / len(weights)
