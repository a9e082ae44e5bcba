"""Right answers of lesson 00."""

from pe_lessons.lessons.numpy_when_used import numpy as np


def count_positions_loop(sentence):
    words = sentence.split()
    return list(range(len(words)))


def count_positions_arrays(sentence):
    words = np.array(sentence.split())
    return np.arange(words.size)
