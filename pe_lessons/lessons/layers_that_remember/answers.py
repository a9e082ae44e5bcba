"""Right answers of the lesson on layers that remember."""

import numpy as np


def delta_step_loop(state, key, value, gate, beta):
    rows, entries = range(len(key)), range(len(value))
    faded = [[gate * old for old in row] for row in state]
    known = [sum(faded[i][j] * key[i] for i in rows) for j in entries]
    news = [value[j] - known[j] for j in entries]
    return [[faded[i][j] + beta * key[i] * news[j] for j in entries] for i in rows]


def delta_step_arrays(state, key, value, gate, beta):
    faded = gate * state
    news = value - key @ faded  # what the state doesn't know yet
    return faded + beta * np.outer(key, news)


def delta_step_short(state, key, value, gate, beta):
    faded = gate * state
    known = key @ faded
    return faded + beta * np.outer(key, value - known)


def conv_packed_loop(x, weights, texts):
    width, mixed = len(weights[0]), []
    for t in range(len(x)):
        row = []
        for column in range(len(x[0])):
            total = 0.0
            for back in range(width):
                if t - back >= 0 and texts[t - back] == texts[t]:
                    total += weights[column][width - 1 - back] * x[t - back][column]
            row.append(total)
        mixed.append(row)
    return mixed


def conv_packed_arrays(x, weights, texts):
    width, texts = weights.shape[1], np.array(texts)
    mixed = np.zeros(x.shape)
    for back in range(min(width, len(x))):
        same = texts[back:] == texts[: len(texts) - back]
        earlier = x[: len(x) - back] * same[:, None]
        mixed[back:] += weights[:, width - 1 - back] * earlier
    return mixed
