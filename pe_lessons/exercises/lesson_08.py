"""Exercises of lesson 08, inside a Transformer."""

import math

import numpy as np

from pe_lessons.exercises.engine import Exercise, Misconception, Question, Slip


def _random_rows(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def _sums(seed, n_words, n_positions, d_model, of_words):
    """All sums of two random tables, the labels of one of them, and that table."""
    words, positions = _random_rows(seed, n_words, d_model), _random_rows(seed + 1, n_positions, d_model)
    sums = (words[:, None] + positions).reshape(-1, d_model)
    if of_words:
        return sums, np.repeat(np.arange(n_words), n_positions), words
    return sums, np.tile(np.arange(n_positions), n_words), positions


def _fit(sums, wanted):
    return np.linalg.lstsq(sums, wanted, rcond=None)[0]


def _nearest(read, rows):
    return np.linalg.norm(read[:, None] - rows, axis=-1).argmin(axis=1)


def _readout(sums, labels, rows):
    best, *_ = np.linalg.lstsq(sums, rows[labels])
    distances = np.linalg.norm((sums @ best)[:, None] - rows, axis=-1)  # (n, n_labels)
    return np.mean(distances.argmin(axis=1) == labels)


def _share(guess):
    """A wrong read-out that guesses in another way."""
    return lambda sums, labels, rows: np.mean(guess(sums, labels, rows) == labels)


def _wrong_way_round(sums, labels, rows):
    return _nearest(sums @ _fit(rows[labels], sums), rows)


def _with_a_constant(sums, labels, rows):
    sums = np.column_stack([sums, np.ones(len(sums))])
    return _nearest(sums @ _fit(sums, rows[labels]), rows)


def _numbers_fitted(sums, labels, rows):
    return np.rint(sums @ _fit(sums, labels))


def _one_column_per_label(sums, labels, rows):
    return (sums @ _fit(sums, np.eye(len(rows))[labels])).argmax(axis=1)


readout = Exercise(
    name="readout",
    reference=_readout,
    probes=(_sums(0, 9, 7, 8, True), _sums(2, 8, 9, 8, False), _sums(28, 12, 5, 6, True)),
    edge_probes=(_sums(6, 4, 5, 12, True),),
    misconceptions=(
        Misconception(
            "no matrix",
            "The sums themselves are compared with the rows. First find the matrix that takes every sum as "
            "near to its row as it can.",
            _share(lambda sums, labels, rows: _nearest(sums, rows)),
        ),
        Misconception(
            "fitted the wrong way round",
            "Your matrix takes the rows to the sums. It is to take the sums to the rows: what comes in "
            "stands first in lstsq, what should come out second.",
            _share(_wrong_way_round),
        ),
        Misconception(
            "largest product for nearest row",
            "The row with the largest product is chosen, and that favours rows with a large norm. The "
            "nearest row has the smallest Euclidean distance.",
            _share(lambda sums, labels, rows: (sums @ _fit(sums, rows[labels]) @ rows.T).argmax(axis=1)),
        ),
        Misconception(
            "farthest row",
            "The row with the largest Euclidean distance is chosen. The nearest one has the smallest: "
            "argmin.",
            _share(
                lambda sums, labels, rows: np.linalg.norm(
                    (sums @ _fit(sums, rows[labels]))[:, None] - rows, axis=-1
                ).argmax(axis=1)
            ),
        ),
        Misconception(
            "label numbers fitted",
            "The matrix is fitted to the numbers of the labels. Label 4 is not twice label 2: fit it to the "
            "rows, rows[labels].",
            _share(_numbers_fitted),
        ),
        Misconception(
            "one column per label",
            "One column of 0 and 1 is fitted for each label. That is a read-out too, but here the matrix is "
            "to give the label's row, and the nearest row decides.",
            _share(_one_column_per_label),
        ),
        Misconception(
            "with a constant",
            "A column of ones is added to the sums, so a constant is fitted beside the matrix. Here the "
            "matrix is to do it alone.",
            _share(_with_a_constant),
        ),
        Misconception(
            "count for share",
            "This is how many are read right. Divide by how many there are, or take the mean.",
            lambda sums, labels, rows: _readout(sums, labels, rows) * len(labels),
        ),
        Misconception(
            "share read wrong",
            "This is the share that is read wrong. Compare with == instead of !=.",
            lambda sums, labels, rows: 1 - _readout(sums, labels, rows),
        ),
        Misconception(
            "labels returned",
            "These are the labels that were read. One step is left: the share of them that is right.",
            lambda sums, labels, rows: _nearest(sums @ _fit(sums, rows[labels]), rows),
        ),
        Misconception(
            "miss returned",
            "This is how far the fit misses. The question is how often the nearest row is the right one.",
            lambda sums, labels, rows: np.abs(sums @ _fit(sums, rows[labels]) - rows[labels]).max(),
        ),
    ),
    hints=(
        "Three steps: the best matrix, what it makes of every sum, and which row lies nearest to that.",
        "rows[labels] has one line per sum: what the matrix should make of it. np.linalg.lstsq(sums, "
        "rows[labels])[0] is the best matrix.",
        "read[:, None] - rows has the shape (n, n_labels, d_model). np.linalg.norm(..., axis=-1) gives the "
        "Euclidean distances, argmin(axis=1) the nearest row, and the mean of == labels the share.",
    ),
)


def _paper_input(embedded, table):
    seq_len, d_model = embedded.shape
    return embedded * np.sqrt(d_model) + table[:seq_len]


def _input_with(
    factor=lambda seq_len, d_model: math.sqrt(d_model),
    rows=lambda table, seq_len: table[:seq_len],
    combine=lambda embedded, rows, factor: embedded * factor + rows,
):
    def paper_input(embedded, table):
        return combine(embedded, rows(table, len(embedded)), factor(*embedded.shape))

    return paper_input


paper_input = Exercise(
    name="paper_input",
    reference=_paper_input,
    probes=(
        (_random_rows(10, 3, 6), _random_rows(11, 3, 6)),
        (_random_rows(12, 3, 4), _random_rows(13, 7, 4)),
        (_random_rows(14, 2, 10), _random_rows(15, 5, 10)),
    ),
    edge_probes=((_random_rows(16, 1, 8), _random_rows(17, 9, 8)),),
    slips=(
        Slip(
            "not scaled",
            "The factor is missing: the embeddings go in as they were drawn, and they were drawn small.",
            "factor",
            lambda seq_len, d_model: 1.0,
        ),
        Slip(
            "divided by the root",
            "The embeddings are divided by the root of d_model. They were drawn small already: the factor "
            "is to make them larger.",
            "factor",
            lambda seq_len, d_model: 1 / math.sqrt(d_model),
        ),
        Slip(
            "scaled by d_model",
            "The factor is d_model itself, and that makes the words far too loud. Take its root.",
            "factor",
            lambda seq_len, d_model: d_model,
        ),
        Slip(
            "root of seq_len",
            "The factor is the root of the number of tokens. It belongs to the width of a row, d_model: "
            "which axis is that?",
            "factor",
            lambda seq_len, d_model: math.sqrt(seq_len),
        ),
        Slip(
            "root of half of d_model",
            "The factor is the root of d_model / 2. That is the norm of a row of the table; the paper's "
            "factor is the root of d_model.",
            "factor",
            lambda seq_len, d_model: math.sqrt(d_model / 2),
        ),
        Slip(
            "sum scaled",
            "The positions are multiplied too, so nothing is gained: word and position are to each other as "
            "before. Multiply first, then add.",
            "combine",
            lambda embedded, rows, factor: (embedded + rows) * factor,
        ),
        Slip(
            "positions scaled",
            "The factor went to the positions, and now they drown the words. It belongs to the embeddings.",
            "combine",
            lambda embedded, rows, factor: embedded + rows * factor,
        ),
        Slip(
            "positions left out",
            "The embeddings are scaled, but no positions are added to them.",
            "combine",
            lambda embedded, rows, factor: embedded * factor,
        ),
        Slip(
            "multiplied instead of added",
            "The embeddings are multiplied by the rows of the table. Where a sine is 0, the word is wiped "
            "out: add.",
            "combine",
            lambda embedded, rows, factor: embedded * factor * rows,
        ),
        Slip(
            "added twice",
            "The positions are added twice. Once is enough.",
            "combine",
            lambda embedded, rows, factor: embedded * factor + 2 * rows,
        ),
        Slip(
            "whole table",
            "The whole table is added, and that fits only where it has one row per token. Take as many rows "
            "as there are tokens.",
            "rows",
            lambda table, seq_len: table,
        ),
        Slip(
            "positions from 1",
            "The first token gets row 1. Positions count from 0: take the rows from the top.",
            "rows",
            lambda table, seq_len: table[1 : seq_len + 1],
        ),
        Slip(
            "last rows of the table",
            "The rows come from the end of the table. The first token has position 0: count from the top.",
            "rows",
            lambda table, seq_len: table[-seq_len:],
        ),
        Slip(
            "row 0 for all",
            "Every token gets row 0, so the model learns nothing about the order. Take a row for each.",
            "rows",
            lambda table, seq_len: table[:1],
        ),
    ),
    build=_input_with,
    hints=(
        "Three things meet: the embeddings, a factor, the first rows of the table. What is multiplied, and "
        "what added?",
        "embedded.shape is (seq_len, d_model): one of the two is needed for the factor, the other for the "
        "table.",
        "The embeddings times np.sqrt(d_model), plus table[:seq_len]. The sum is not multiplied again.",
    ),
)

needs_question = Question(
    name="needs_question",
    prompt="A model like those of this lesson (one layer, one head, trained on positions 0 to 15) is to "
    "name at every token the digit five places to the right. Which can solve it?",
    choices={
        "a": (
            "sinusoidal",
            True,
            "A model that knows where every token is can learn any fixed step, to the left or to the right.",
        ),
        "b": (
            "RoPE",
            True,
            "Five to the right is the same step from everywhere, and a rotation has a direction.",
        ),
        "c": (
            "ALiBi",
            False,
            "ALiBi says the nearer the better, and says it equally of left and right: it cannot point at "
            "one distance.",
        ),
        "d": (
            "T5, and it still solves it when all positions are told 100 higher",
            True,
            "Five to the right has a bias of its own, and offsets do not change when all positions move.",
        ),
        "e": (
            "learned, and it still solves it when all positions are told 100 higher",
            False,
            "It can learn the task; but the rows from 100 on were never trained.",
        ),
    },
    hints=(
        "Must a token know where it is for this task, or only how far away the other one is?",
        "It is three back with another step. Look at the two tables of this lesson: who solved three back, "
        "and who did not notice a move by 100?",
    ),
)
