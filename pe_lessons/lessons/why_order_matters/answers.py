"""Right answers of lesson 01."""

import numpy as np

from pe_lessons import arrays


def attention_loop_loop(q, k, v, mask=None):
    head_dim = len(q[0])
    scores = []  # n_q rows of n_k numbers
    for m, query in enumerate(q):
        row = []
        for n, key in enumerate(k):
            score = sum(query[i] * key[i] for i in range(head_dim)) / np.sqrt(head_dim)
            row.append(score if mask is None or mask[m][n] else -np.inf)
        scores.append(row)
    weights = []  # the same shape, and every row sums to 1
    for row in scores:
        # less the largest score: the same shares, and exp cannot overflow
        exponentials = [np.exp(score - max(row)) for score in row]
        weights.append([number / sum(exponentials) for number in exponentials])
    output = []  # n_q rows of v_dim numbers
    for row in weights:
        output.append([sum(row[n] * v[n][i] for n in range(len(v))) for i in range(len(v[0]))])
    return output


def attention_loop_arrays(q, k, v, mask=None):
    q, k, v = np.array(q), np.array(k), np.array(v)
    scores = q @ k.T / np.sqrt(q.shape[1])  # (n_q, n_k)
    allowed = np.full(scores.shape, True) if mask is None else np.array(mask)
    scores = np.where(allowed, scores, -np.inf)
    weights = arrays.softmax(scores)
    return weights @ v  # (n_q, v_dim)


def permutation_test_arrays(model, rows, order):
    before = model(rows)
    after = model(rows[order])
    return np.allclose(after, before[order], rtol=0, atol=1e-9)


def permutation_test_loop(model, rows, order):
    before, after = model(rows), model(rows[order])
    for place, origin in enumerate(order):
        for a, b in zip(after[place], before[origin]):
            if abs(a - b) > 1e-9:
                return False
    return True
