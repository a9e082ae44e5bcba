"""Exercises of lesson 16, design your own."""

import numpy as np

from pe_lessons.exercises.engine import Exercise, Misconception, Question, Slip


def closest_rows(table):
    gaps = np.linalg.norm(table[:, None] - table, axis=-1)  # (seq_len, seq_len)
    np.fill_diagonal(gaps, np.inf)  # a row and itself do not count
    return gaps.min()


def _all_pairs(table):
    first, second = np.triu_indices(len(table), 1)
    return table[first], table[second]


def _with_itself(table):
    first, second = np.triu_indices(len(table))
    return table[first], table[second]


def _closest_pair(gaps, table):
    first, second = np.triu_indices(len(table), 1)
    best = gaps.argmin() if len(gaps) == len(first) else 0
    return np.array([first[best], second[best]])


def _gap_with(
    pairs=_all_pairs,
    measure=lambda one, other: np.linalg.norm(one - other, axis=1),
    choose=lambda gaps, table: gaps.min(),
):
    def smallest_gap(table):
        return choose(measure(*pairs(table)), table)

    return smallest_gap


def _smallest_above_0(gaps, table):
    return gaps[gaps > 0].min()


def _random_table(seed, seq_len, d_model):
    return np.random.default_rng(seed).normal(size=(seq_len, d_model))


smallest_gap = Exercise(
    name="smallest_gap",
    reference=closest_rows,
    probes=((_random_table(1, 6, 3),), (_random_table(4, 9, 4),), (_random_table(6, 7, 5),)),
    edge_probes=(
        (np.array([[1.0, 2.0], [5.0, 5.0], [1.0, 2.0]]),),
        (np.array([[0.0, 0.0], [3.0, 4.0]]),),
        (1000 + _random_table(8, 5, 1),),
    ),
    slips=(
        Slip(
            "neighbours only",
            "Only neighbouring rows are compared. Two rows far apart in the table may be the closest of all: "
            "compare every row with every other.",
            "pairs",
            lambda table: (table[:-1], table[1:]),
        ),
        Slip(
            "first row only",
            "All rows are compared with the first one only. Any two of them may be the closest.",
            "pairs",
            lambda table: (table[:1], table[1:]),
        ),
        Slip(
            "rows with themselves",
            "The answer is 0. Is each row compared with itself too? Take the diagonal out, or compare with "
            "later rows only. Or does your smallest number begin at 0?",
            "pairs",
            _with_itself,
        ),
        Slip(
            "columns for rows",
            "The two closest *columns* are found. A position is a row: along which axis do you compare?",
            "pairs",
            lambda table: _all_pairs(table.T),
        ),
        Slip(
            "root forgotten",
            "This is the square of the distance. Take the root of the sum.",
            "measure",
            lambda one, other: ((one - other) ** 2).sum(axis=1),
        ),
        Slip(
            "differences added up",
            "The differences are added up without their signs. Square them, add up, and take the root.",
            "measure",
            lambda one, other: np.abs(one - other).sum(axis=1),
        ),
        Slip(
            "largest difference",
            "Only the column in which two rows differ most counts. All columns belong to the distance.",
            "measure",
            lambda one, other: np.abs(one - other).max(axis=1),
        ),
        Slip(
            "mean over the columns",
            "The squares are averaged over the columns instead of added up.",
            "measure",
            lambda one, other: np.sqrt(((one - other) ** 2).mean(axis=1)),
        ),
        Slip(
            "differences of lengths",
            "The norms of the rows are compared. Two rows of one norm can point to different sides: subtract "
            "the rows, then take the norm.",
            "measure",
            lambda one, other: np.abs(np.linalg.norm(one, axis=1) - np.linalg.norm(other, axis=1)),
        ),
        Slip(
            "product for distance",
            "Rows are multiplied, not subtracted. A product is large where rows are alike; a Euclidean "
            "distance is small there.",
            "measure",
            lambda one, other: (one * other).sum(axis=1),
        ),
        Slip(
            "largest for smallest",
            "This is the distance of the two rows that are farthest apart. Unique asks for the closest.",
            "choose",
            lambda gaps, table: gaps.max(),
        ),
        Slip(
            "mean distance",
            "This is the mean of the distances. A single pair of equal rows must show: take the smallest.",
            "choose",
            lambda gaps, table: gaps.mean(),
        ),
        Slip(
            "all the distances",
            "These are all the distances. One number is asked for, the smallest of them.",
            "choose",
            lambda gaps, table: gaps,
        ),
        Slip(
            "which rows",
            "These are the numbers of the two closest rows. The distance between them is asked for.",
            "choose",
            _closest_pair,
        ),
    ),
    misconceptions=(
        Misconception(
            "equal rows left out",
            "Distances of 0 are left out, and with them rows that are equal. Two equal rows have distance "
            "0, and that is just what *unique* must find: leave out the diagonal only.",
            _gap_with(choose=_smallest_above_0),
        ),
    ),
    build=_gap_with,
    hints=(
        "Two loops over the rows, the second over the rows after the first, visit every pair once.",
        "table[:, None] - table holds every difference, (seq_len, seq_len, d_model); np.linalg.norm(..., "
        "axis=-1) makes distances of them.",
        "The distances of rows from themselves are 0 and are on the diagonal: use "
        "np.fill_diagonal(gaps, np.inf) before gaps.min().",
    ),
)

choose_question = Question(
    name="choose_question",
    prompt="Which of these are sound choices?",
    choices={
        "a": (
            "for a bag of measurements that come in no order: the sinusoidal table, by row number",
            False,
            "Where order has no meaning, a model that is blind to it is right, and one that sees it can be "
            "misled.",
        ),
        "b": (
            "for a model that will be stretched to longer texts with a little more training: RoPE",
            True,
            "Its frequencies can be scaled by parts; in lesson 12 twenty steps were enough for four times "
            "the length.",
        ),
        "c": (
            "for image patches on a fixed grid: 2-D sinusoidal",
            True,
            "A patch is then as like the one below it as the one beside it.",
        ),
        "d": (
            "for a model that reads in both directions and must know who chased whom: no encoding",
            False,
            "Only a causal mask gives the order away. Without one, the two sentences are one bag of words.",
        ),
        "e": (
            "for predicting the next token from near ones, in texts far longer than in training: ALiBi",
            True,
            "It held at every length of lesson 12: what is near stays near.",
        ),
        "f": (
            "for texts longer than in training: a learned table as long as the longest text to come",
            False,
            "The rows beyond the training length were never trained: they are as random as on the first day.",
        ),
    },
    hints=(
        "Go through the eight questions: does order matter, how many axes, how long?",
        "Lesson 01 for a and d, 09 for f, 12 for b and e, 13 for c.",
    ),
)

card_question = Question(
    name="card_question",
    prompt="Your encoding fulfils all eight wishes of the card. What follows?",
    choices={
        "a": (
            "no two of the first 500 rows are equal",
            True,
            "That is what *unique* measures: the two closest rows have a Euclidean distance of at least 0.1.",
        ),
        "b": (
            "it is the formula you meant to write",
            False,
            "The doubled exponent fulfils all eight. Only a comparison with the formula tells.",
        ),
        "c": (
            "a model with it reads texts longer than it was trained on",
            False,
            "Rows are *distinct far out*, but a model need not understand them: lesson 12 measured it.",
        ),
        "d": (
            "the row three tokens on can be had by one matrix and a constant, at every position tried",
            True,
            "That is *shift-consistent*, near 0 and near 1,000,000.",
        ),
        "e": (
            "a table of 4096 rows may be stored in bfloat16 without making two positions one",
            True,
            "That is *precise*: 4096 different rows are left.",
        ),
        "f": (
            "it solves a task better than random rows do",
            False,
            "Random rows solved both tasks of this lesson, with four wishes unfulfilled.",
        ),
    },
    hints=(
        "The card looks at rows. What can rows alone not tell?",
        "Three of the six are what a number of the card measures, in other words.",
    ),
)
