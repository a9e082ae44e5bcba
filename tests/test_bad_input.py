"""Bad input: one error in one sentence on every rung; it names the argument, the value, what would do."""

import ast
import inspect
import math
import re
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from pe_lessons import arguments, arrays, loops, tensors
from pe_lessons.tensors import SinusoidalEncoding

RUNGS = {loops: lambda value: value, arrays: np.array, tensors: torch.tensor}
T, V = TypeError, ValueError
nan, inf = math.nan, math.inf


@dataclass
class N:
    """Numbers that each rung gets in its own form: (nested) lists, an array, a Tensor."""

    value: object


# fmt: off
ROWS = [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.9, 1.0, 1.1, 1.2]]  # (seq_len, head_dim)
MASK = [[True, False, False], [True, True, False], [True, True, True]]
LINEAR = {"rope_type": "linear", "factor": 4.0}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
PARTS = {**YARN, "rope_type": "ntk_by_parts"}
SHARE = {"rope_type": "proportional", "partial_rotary_factor": 0.5}
DYNAMIC = {**YARN, "rope_type": "dynamic"}
LONG = {**YARN, "rope_type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [1.0, 9.0]}
LLAMA_3 = {**YARN, "rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
TABLE = {"seq_len": 3, "d_model": 4, "base": 10_000.0, "start": 0}
HEADS = {"q": N(ROWS), "k": N(ROWS), "v": N(ROWS)}
TURN = {"x": N(ROWS), "base": 10_000.0, "layout": "half"}
BUCKETS = {"max_distance": 16, "bidirectional": True}
KEYS = {"positions": N([4, 5, 9])}

RIGHT = {  # function: all of its arguments, as they should be
    "frequencies": {"d_model": 4, "base": 10_000.0},
    "sinusoidal": TABLE,
    "sinusoidal_by_rotation": {**TABLE, "dtype": None},
    "sinusoidal_blocks": {**TABLE, "dtype": None, "block_len": None},
    "sinusoidal_2d": {"height": 2, "width": 3, "d_model": 4, "base": 10_000.0},
    "learned": {"token_ids": N([[7, 5, 9], [0, 5, 7]]), "table": N(ROWS), "offset": 0, "padding_id": 0},
    "shift_matrix": {"offset": 3, "d_model": 4, "base": 10_000.0},
    "kernel": {"offsets": N([0.0, 1.0, 2.5]), "d_model": 4, "base": 10_000.0},
    "softmax": {"scores": N([0.5, 1.0, 2.0])},
    "attention": {**HEADS, "mask": N(MASK)},
    "attention_with_bias": {**HEADS, "bias_of_offsets": N([0.1, 0.2, 0.3, 0.4, 0.5]), "causal": True},
    "rotary_frequencies": {"head_dim": 4, "base": 10_000.0, "scaling": LINEAR, "text_len": 9},
    "rotary": {
        **TURN, "positions": N([0.0, 1.0, 2.5]), "scaling": LINEAR, "rotary_dim": 4, "text_len": 9},
    "query_scale": {"positions": N([0.0, 1.0, 2.5]), "length": 8, "strength": 0.1},
    "axial_rotary": {**TURN, "rows": N([0.0, 0.0, 1.0]), "columns": N([0.0, 1.0, 0.5])},
    "mrope_positions": {"parts": (2, (1, 2, 3), 4)},
    "mrope": {**TURN, "positions": N([[0.0, 1.0, 2.5], [0.0, 1.0, 3.0]]), "sections": (1, 1),
              "order": "blocks"},
    "laplacian_eigenvectors": {"adjacency": N([[0.0, 1.0, 0.5], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]),
                               "num_vectors": 2},
    "shaw_bias": {"q": N(ROWS), "table": N(ROWS), **KEYS},
    "alibi_slopes": {"num_heads": 4},
    "alibi": {"seq_len": 3, "num_heads": 4, **KEYS},
    "t5_buckets": {"relative_positions": N([-20, 0, 3]), "num_buckets": 8, **BUCKETS},
    "t5_bias": {"seq_len": 3, "table": N([[0.5, 1.5]] * 8), **BUCKETS, **KEYS},
}


# Rows of the table below: what is given instead of right arguments, the error, how its sentence begins.


def each(name, error, begins, *values_and_ends):
    """A row for each wrong value of one argument, the sentence in two pieces."""
    return [({name: value}, error, begins + end) for value, end in values_and_ends]


def kinds(values):
    """Each value and how a sentence names it."""
    return [(value, f"{value!r} ({type(value).__name__})") for value in values]


def whole(name, minimum=None, *, optional=False):
    values = [4.0, "4", True, np.True_, [4], nan, 1j] + [None] * (not optional)
    rows = each(name, T, f"{name} must be a whole number, got ", *kinds(values))
    rows += each(name, V, f"{name} must lie within 64 bits, got ", (2**63, "9223372036854775808"))
    if minimum is not None:
        less = minimum - 1
        rows += each(name, V, f"{name} must be at least {minimum}, got ", (less, str(less)), (-7, "-7"))
    return rows


def reals(name, with_one):
    """`with_one(entry)` holds real numbers, and the entry."""
    said = f"{name} must hold real numbers, got "
    rows = each(name, T, said, *((with_one(entry), end) for entry, end in kinds([None, "a", 1j, True])))
    rows += each(name, T, said, (N([[True, False]]), "True (bool)"), (N([[1j, 0.0]]), "1j (complex)"))
    rows += each(name, T, said, (["1", "2"], "'1' (str): pass floats"), *kinds(["abc", None, {}]))
    said = f"{name} must have rows of one length, got rows of the shapes "
    ragged = ([[0.1, 0.2], [0.3]], "[(1,), (2,)]"), ([[0.1, 0.2], 0.3], "[(), (2,)]")
    return rows + each(name, V, said, *ragged)


def wholes(name):
    """For many whole numbers."""
    said = f"{name} must hold whole numbers, got "
    wrong = (N([[0.5, 1.0]]), "0.5 (float): pass ints such as 8"), (N([[True]]), "True (bool)")
    wrong += (N([nan]), "nan (float)"), (N([1j]), "1j (complex)")
    wrong += ([7, True], "True (bool)"), ([[7, 5.5]], "5.5 (float)"), ([[1, "2"]], "'2' (str)")
    rows = each(name, T, said, *wrong, *kinds(["abc"]))
    said = f"{name} must lie within 64 bits, got "
    rows += each(name, V, said, ([2**63], "9223372036854775808"), (N([-(2**63)]), "-9223372036854775808"))
    said = f"{name} must have rows of one length, got rows of the shapes "
    return rows + each(name, V, said, ([[0, 1], [2]], "[(1,), (2,)]"))


def finite(name):
    """For an argument that holds the places of three tokens."""
    rows = reals(name, lambda entry: [0.0, 1.0, entry])
    wrong = [(N([0.0, 1.0, entry]), f"{entry} among them") for entry in (nan, inf, -inf)]
    wrong += [([0.0, 1.0, 10**400], "inf among them")]
    return rows + each(name, V, f"{name} must be finite, got ", *wrong)


def vectors(name):
    """For queries, keys or values."""
    said = f"{name} must have the axes (seq_len, head_dim) and an entry, got shape "
    shapes = (N(0.5), "()"), (N([0.1, 0.2]), "(2,)"), (N([]), "(0,)"), (N([[]]), "(1, 0)")
    return reals(name, lambda entry: [[0.1, 0.2, 0.3, entry]] * 3) + each(name, V, said, *shapes)


def places(name):
    """For one place for each of the three rows of x."""
    said = f"{name} must be one number for each of the 3 rows of x, got shape "
    shapes = (N(0), "()"), (N([0, 1]), "(2,)"), (N([[0, 1, 2]]), "(1, 3)"), (N([]), "(0,)")
    return finite(name) + each(name, V, said, *shapes)


def flag(name):
    return each(name, T, f"{name} must be True or False, got ", (1, "1"), (None, "None"), ("yes", "'yes'"))


def scaled(error, said, *wrong):
    return [({"scaling": scaling}, error, said) for scaling in wrong]


BASE = "base must be finite and above 1, got "
BASES = [
    *each("base", V, BASE, *((base, f"{base}: the paper's is") for base in (1, 0, -3, nan, inf, -inf))),
    *each("base", V, BASE, (10**400, "1000000000")),
    *each("base", T, "base must be a real number, got ", *kinds(["10000", None, True, 1j, [10_000.0]])),
]
DTYPES = each("dtype", T, "dtype must be a floating-point one such as float32, got ",
              ("abc", "'abc'"), (3, "3"))
LAYOUTS = each("layout", V, 'layout must be "interleaved" or "half", got ',
               ("halves", "'halves'"), (2, "2"), (None, "None"), (["half"], "['half']"))
WIDTHS = each("d_model", V, "d_model must be even, got ",
              *((d, f"{d}: the last sine has no cosine to turn with, take {d + 1}") for d in (1, 5, 127)))
BY_FOUR = "must be a multiple of 4, got 6: a half for each axis, in pairs; take 8"
TYPES = "scaling[\"rope_type\"] must be one of "
TYPES += "['default', 'linear', 'ntk', 'ntk_by_parts', 'llama3', 'yarn', "
TYPES += "'proportional', 'dynamic', 'longrope'], "
FACTOR_ONLY = "scaling of the type 'linear' must have the keys ['factor'] and may have [], got "
FACTOR, ABOVE = 'scaling["factor"] must be ', 'must be above scaling["'
SCALINGS = [
    *each("scaling", T, 'scaling must be a dict such as {"rope_type": "linear", "factor": 4.0}, got ',
          ("linear", "'linear'"), (4.0, "4.0")),
    *scaled(V, TYPES + "got None", {}, {"factor": 4.0}),
    *scaled(V, TYPES + "got 'dynamical'", {**LINEAR, "rope_type": "dynamical"}),
    *scaled(V, TYPES + "got ['linear']", {**LINEAR, "rope_type": ["linear"]}),
    *scaled(V, FACTOR_ONLY + "[]", {"rope_type": "linear"}),
    *scaled(V, FACTOR_ONLY + "[3, 'factor']", {**LINEAR, 3: 1.0}),
    *scaled(V, FACTOR_ONLY + "['factor', 'rope_theta']", {**LINEAR, "rope_theta": 1e4}),
    *scaled(V, FACTOR + "at least 1, the new length over the trained", {**LINEAR, "factor": 0.5}),
    *scaled(T, FACTOR + "a real number, got '4'", {**LINEAR, "factor": "4"}),
    *scaled(T, FACTOR + "a real number, got [4.0]", {**LINEAR, "factor": [4.0]}),
    *scaled(T, FACTOR + "a real number, got True", {**LINEAR, "factor": True}),
    *scaled(V, FACTOR + "finite and above 0, got nan", {**LINEAR, "factor": nan}),
    *scaled(V, FACTOR + "finite and above 0, got inf", {**LINEAR, "factor": inf}),
    *scaled(V, FACTOR + "finite and above 0, got 1000000000", {**LINEAR, "factor": 10**400}),
    *scaled(T, 'scaling["truncate"] must be True or False, got 1', {**YARN, "truncate": 1}),
    *scaled(V, 'scaling["attention_factor"] must be finite and above 0', {**YARN, "attention_factor": 0}),
    *scaled(V, 'scaling["partial_rotary_factor"] must be at most 1, the share of the columns, got 64',
            {**SHARE, "partial_rotary_factor": 64}),
    *scaled(V, 'scaling["partial_rotary_factor"] must be finite and above 0, got 0',
            {**SHARE, "partial_rotary_factor": 0}),
    *scaled(V, f'scaling["beta_fast"] {ABOVE}beta_slow"], got 1 and 1.0', {**YARN, "beta_fast": 1}),
    *scaled(V, f'scaling["beta"] {ABOVE}alpha"], got 32.0 and 32', {**PARTS, "alpha": 32}),
    *scaled(V, 'scaling["mscale"] must be finite and above 0, got 0', {**YARN, "mscale": 0}),
    *scaled(T, 'scaling["mscale_all_dim"] must be a real number, got True', {**YARN, "mscale_all_dim": True}),
    *scaled(T, 'scaling["long_factor"] must be a list of numbers, one for each pair, got 2.0',
            {**LONG, "long_factor": 2.0}),
    *scaled(V, 'scaling["short_factor"] must have a number for each of the 2 pairs of head_dim, got 3',
            {**LONG, "short_factor": [1.0, 2.0, 3.0]}),
    *scaled(V, 'scaling["long_factor"] must be finite and above 0, got 0.0',
            {**LONG, "long_factor": [1, 0.0]}),
    *scaled(V, 'scaling["original_max_position_embeddings"] must be above 1 for scaling of the type ',
            {**LONG, "original_max_position_embeddings": 1}),
    *(({"scaling": rule, "text_len": None}, V,
       f"text_len must be given for scaling of the type '{rule['rope_type']}', got None: the rule is another")
      for rule in (DYNAMIC, LONG)),
    *scaled(V, f'scaling["high_freq_factor"] {ABOVE}low_freq_factor"]', {**LLAMA_3, "low_freq_factor": 4}),
]
TOO_NEAR = each("max_distance", V, "max_distance must be above 2, where buckets begin to be shared, ",
                (2, "got 2"))
SAID = "positions must be a row of numbers, one for each key and at least 3, as the last 3 are those of the "
POSITIONS = [  # of the keys
    *wholes("positions"),
    *each("positions", V, SAID, *((N(wrong), f"queries, got shape {shape}") for wrong, shape in
          ((3, "()"), ([0, 1], "(2,)"), ([[0, 1, 2]], "(1, 3)"), ([], "(0,)")))),
    *each("positions", V, "positions must lie within 63 bits of each other, got ",
          (N([2**62, 0, -(2**62)]), "-4611686018427387904 and 4611686018427387904")),
]

BY_ARGUMENT = {  # what is refused in every function that has the argument
    **{name: whole(name, 1) for name in ("seq_len", "d_model", "head_dim", "num_heads", "height", "width")},
    **{name: whole(name) for name in ("start", "offset", "max_distance")},
    **{name: flag(name) for name in ("bidirectional", "causal")},
    **{name: vectors(name) for name in ("q", "k", "v", "x")},
    **{name: places(name) for name in ("rows", "columns")},
    "base": BASES, "layout": LAYOUTS, "scaling": SCALINGS, "dtype": DTYPES,
    **{name: whole(name, 1, optional=True) for name in ("block_len", "text_len")},
}
BY_FUNCTION = {  # and what is besides
    "sinusoidal_2d": each("d_model", V, "d_model ", (6, BY_FOUR)),
    "learned": [
        *reals("table", lambda entry: [[0.1, 0.2], [0.3, entry]]), *whole("padding_id", optional=True),
        *each("offset", V, "offset must be at least 0, got ", (-1, "-1"), (-7, "-7")),
        *wholes("token_ids"), ({"token_ids": None}, T, "token_ids must hold whole numbers, got None"),
        *each("token_ids", V, "token_ids must have the axes (batch, seq_len) and an entry, got shape ",
              (N(7), "()"), (N([0, 0, 0]), "(3,)"), (N([[[7]]]), "(1, 1, 1)"), (N([]), "(0,)")),
        *each("table", V, "table must have the axes (max_len, d_model) and an entry, got shape ",
              (N(0.5), "()"), (N([0.1, 0.2]), "(2,)"), (N([[[0.1]]]), "(1, 1, 1)"), (N([[]]), "(1, 0)")),
        *each("table", V, "token_ids must fit the table: 3 tokens from row 0 on need 3 rows, got ",
              (N(ROWS[:2]), "2; cut the text or train a longer table")),
        *each("offset", V, "token_ids must fit the table: 3 tokens", (1, " from row 1 on need 4 rows, got")),
    ],
    "shift_matrix": WIDTHS,
    "kernel": [
        *finite("offsets"), *WIDTHS,
        *each("offsets", V, "offsets must be finite, got ", (N(nan), "nan among them")),
        ({"offsets": N([]), "base": 1}, V, BASE + "1"),
    ],
    "softmax": [
        *reals("scores", lambda entry: [0.1, entry]),
        *each("scores", T, "scores must hold real numbers, got ", (N([True, False]), "True (bool)")),
        *each("scores", V, "scores must be a row of numbers, got ", (N(0.5), "0.5 alone: put it in a list")),
        *each("scores", V, "scores must hold at least one number in each row, got shape ",
              (N([]), "(0,)"), (N([[], []]), "(2, 0)")),
        *each("scores", V, "scores must hold a number above -inf in every row, got ",
              (N([-inf]), "-inf throughout"), (N([[0.0, 1.0], [-inf, -inf]]), "-inf throughout"),
              (N([[nan, 0.0], [-inf, -inf]]), "-inf throughout")),
    ],
    "attention": [
        *each("k", V, "q and k must have the same head_dim (last axis), got shapes ",
              (N([[0.1] * 3] * 3), "(3, 4) and (3, 3)")),
        *each("v", V, "k and v must have the same seq_len (last axis but one), got shapes ",
              (N(ROWS[:2]), "(3, 4) and (2, 4)")),
        *each("mask", V, "mask must have the shape (n_q, n_k) = (3, 3), one entry per query and key, got ",
              (N([[True, False, True]]), "(1, 3) for q (3, 4) and k (3, 4)"), (N([[True] * 2] * 3), "(3, 2)"),
              (N([[True] * 3] * 4), "(4, 3)"), (N([[[True] * 3] * 3] * 2), "(2, 3, 3)"), (N(True), "()")),
        *each("mask", T, "mask must hold booleans (True: may look there), got ",
              (N([[1] * 3] * 3), "1 (int): compare, as in mask > 0"), (N([[0.0] * 3] * 3), "0.0 (float)"),
              (N([[nan] * 3] * 3), "nan (float)"), ([[True, 1, 0]] * 3, "1 (int)"), ("abc", "'abc' (str)")),
        *each("mask", V, "mask must leave every query at least one key, but its row ",
              (N([[True] * 3, [False] * 3, [True] * 3]), "1 is all False")),
    ],
    "attention_with_bias": [
        *reals("bias_of_offsets", lambda entry: [0.1, 0.2, 0.3, 0.4, entry]),
        *each("bias_of_offsets", V, "bias_of_offsets must hold 2 * 3 - 1 = 5 numbers for the offsets -2 to 2"
              ", behind axes that fit (), got shape ",
              (N(0.5), "()"), (N([0.5] * 4), "(4,)"), (N([[0.5] * 5]), "(1, 5)")),
        ({"bias_of_offsets": N([0.1, 0.2, -inf, 0.4, 0.5])}, V,
         "bias_of_offsets must leave every query a key above -inf, but query 0 has none"),
        ({"bias_of_offsets": N([0.1, -inf, -inf, -inf, 0.5]), "causal": False}, V,
         "bias_of_offsets must leave every query a key above -inf, but query 1 has none"),
        ({"k": N(ROWS[:2]), "v": N(ROWS[:2])}, V, "q and k must have the same seq_len (last axis but one)"),
    ],
    "rotary_frequencies": [
        *each("head_dim", V, "head_dim must be even, got ", (5, "5: the last sine has no cosine to turn")),
        ({"head_dim": 2, "scaling": {"rope_type": "ntk", "factor": 2.0}}, V,
         "head_dim must be at least 4 for scaling of the type 'ntk', got 2"),
        ({"head_dim": 2, "scaling": DYNAMIC}, V,
         "head_dim must be at least 4 for scaling of the type 'dynamic', got 2"),
    ],
    "rotary": [
        *places("positions"),
        ({"x": N([[0.1] * 3] * 3), "rotary_dim": None}, V,
         "x must have an even head_dim (last axis), got shape (3, 3)"),
        *whole("rotary_dim", 1, optional=True),
        *each("rotary_dim", V, "rotary_dim must be ", (3, "even, got 3"),
              (6, "at most the head_dim of x, 4, got 6")),
    ],
    "query_scale": [
        *finite("positions"),
        *each("positions", V, "positions must be at least 0, got ", (N([0.0, -1.0, 3.0]), "-1.0 among them"),
              (N([[5.0], [-0.5]]), "-0.5 among them")),
        *whole("length", 1),
        *each("strength", T, "strength must be a real number, got ", *kinds(["0.1", None, True, 1j, [0.1]])),
        *each("strength", V, "strength must be finite and at least 0, got ", (-0.1, "-0.1: 0.1 is usual"),
              (nan, "nan"), (inf, "inf"), (10**400, "inf")),
    ],
    "axial_rotary": each("x", V, "head_dim, the last axis of x, ", (N([[0.1] * 6] * 3), BY_FOUR)),
    "mrope_positions": [
        *each("parts", T, "parts must be a sequence such as (2, (1, 3, 4), 5), got ", (5, "5"),
              ("ab", "'ab'"), (None, "None")),
        *each("parts", V, "parts must hold at least one part, got ", ((), "()"), ([], "[]")),
        *each("parts", T, "text in parts must be a whole number, got ", ((2.5,), "2.5 (float)"),
              ((True,), "True (bool)"), (("ab",), "'ab' (str)")),
        *each("parts", V, "text in parts must be at least 1, got ", ((3, 0), "0"), ([-1], "-1")),
        *each("parts", V, "an image or a video in parts must be (frames, height, width), got ",
              (((2, 3),), "(2, 3): an image has one frame, (1, height, width)"), (((),), "()")),
        *each("parts", V, "height in parts must be at least 1, got ", (((1, 0, 3),), "0")),
        *each("parts", T, "frames in parts must be a whole number, got ", (((1.0, 2, 3),), "1.0 (float)")),
    ],
    "mrope": [
        *reals("positions", lambda entry: [[0.0, 1.0, 2.0], [0.0, 1.0, entry]]),
        *each("positions", V, "positions must be finite, got ", (N([[0.0, 1.0, nan]] * 2), "nan among them")),
        *each("positions", V, "positions must have the shape (axes, seq_len) = (2, 3), a row for each of the "
              "sections, got ", (N([0, 1, 2]), "(3,)"), (N([[0, 1, 2]]), "(1, 3)"),
              (N([[0, 1]] * 2), "(2, 2)"), (N(1.0), "()")),
        *each("x", V, "x must have an even head_dim (last axis), ", (N([[0.1] * 3] * 3), "got shape (3, 3)")),
        *wholes("sections"), *each("sections", T, "sections must hold whole numbers, got ", (None, "None")),
        *each("sections", V, "sections must be a row of numbers of pairs, one for each axis, got ", (2, "2"),
              ((), "[]"), ([[1, 1]], "[[1, 1]]")),
        *each("sections", V, "sections must be at least 1 each and add up to head_dim / 2 = 2 pairs, got ",
              ((1, 2), "[1, 2]"), ((2, 0), "[2, 0]"), ((-1, 3), "[-1, 3]")),
        *each("order", V, 'order must be "blocks", "interleaved" or "axial", got ',
              ("thw", "'thw'"), (3, "3"), (None, "None"), (["blocks"], "['blocks']")),
        ({"x": N([[0.1] * 8] * 3), "sections": (1, 3), "order": "interleaved"}, V,
         "sections must leave every axis but the first its turns among 4 pairs in the order 'interleaved', "
         "got [1, 3]: from pair 1 on there are not 3, 2 apart"),
    ],
    "laplacian_eigenvectors": [
        *reals("adjacency", lambda entry: [[0.0, entry], [1.0, 0.0]]),
        *each("adjacency", V, "adjacency must be finite, got ",
              (N([[0.0, nan], [nan, 0.0]]), "nan among them")),
        *each("adjacency", V, "adjacency must have the axes (num_vertices, num_vertices) and an entry, "
              "got shape ", (N(0.5), "()"), (N([0.1, 0.2]), "(2,)"), (N([]), "(0,)"),
              (N([[[0.0]]]), "(1, 1, 1)")),
        *each("adjacency", V, "adjacency must be square, a row and a column for each vertex, got shape ",
              (N([[0.0, 1.0]]), "(1, 2)")),
        *each("adjacency", V, "adjacency must be symmetric, got ",
              (N([[0.0, 1.0], [0.5, 0.0]]), "1.0 at [0, 1] and 0.5 at [1, 0]")),
        *each("adjacency", V, "adjacency must hold weights of at least 0, and 0 on its diagonal, got ",
              (N([[0.0, -1.0], [-1.0, 0.0]]), "-1.0 at [0, 1]"),
              (N([[1.0, 1.0], [1.0, 0.0]]), "1.0 at [0, 0]")),
        *each("adjacency", V, "adjacency must be of a graph in one piece, but from vertex 0 only ",
              (N([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), "2 of 3 vertices can be reached")),
        *whole("num_vectors", 1),
        *each("num_vectors", V, "num_vectors must be below the number of vertices, 3, got ",
              (3, "3"), (9, "9")),
    ],
    "shaw_bias": [
        *reals("table", lambda entry: [[0.1, 0.2, 0.3, entry]] * 3), *POSITIONS,
        *each("table", V, "table must have the axes (2 * max_distance + 1, head_dim = 4), got shape ",
              (N(0.5), "()"), (N([0.1] * 4), "(4,)"), (N(ROWS[:2]), "(2, 4)"), (N([[0.1]] * 3), "(3, 1)"),
              (N([ROWS]), "(1, 3, 4)"), (N([]), "(0,)")),
    ],
    "alibi": POSITIONS,
    "t5_buckets": [
        *whole("num_buckets", 4), *TOO_NEAR,
        *wholes("relative_positions"), *each("relative_positions", T, "relative_positions must hold whole ",
                                             (N(0.5), "numbers, got 0.5"), (None, "numbers, got None")),
        *each("num_buckets", V, "num_buckets must be even, half of them for each direction, got ", (7, "7")),
        ({"num_buckets": 1, "bidirectional": False}, V, "num_buckets must be at least 2, got 1"),
        ({"relative_positions": N([]), "num_buckets": 7}, V, "num_buckets must be even"),
    ],
    "t5_bias": [
        *reals("table", lambda entry: [[0.1, entry]] * 8), *TOO_NEAR, *POSITIONS,
        *each("table", V, "table must have the axes (num_buckets, num_heads) and an entry, got shape ",
              (N(0.5), "()"), (N([0.1] * 4), "(4,)"), (N([[[0.1]] * 4]), "(1, 4, 1)"), (N([[]]), "(1, 0)")),
        *each("table", V, "num_buckets, the rows of table, must be ",
              (N([[0.1]] * 5), "even, half of them for each direction, got 5"),
              (N([[0.1]]), "at least 4, got 1")),
    ],
}
REFUSED = {
    function: [row for name in right for row in BY_ARGUMENT.get(name, [])] + BY_FUNCTION.get(function, [])
    for function, right in RIGHT.items()
}
# fmt: on


def on(function):
    """The rungs that have the function."""
    return [rung for rung in RUNGS if hasattr(rung, function)]


def call(rung, function, replaced):
    """The function, with the right arguments but for those replaced."""
    given = {**RIGHT[function], **replaced}
    for name, value in given.items():
        if isinstance(value, N):
            given[name] = RUNGS[rung](value.value)
    return getattr(rung, function)(**given)


def refusal(rung, function, replaced):
    """The type of the error and its sentence; None where there is none."""
    try:
        call(rung, function, replaced)
    except Exception as error:
        return type(error), str(error)
    return None


def test_every_argument_of_every_function_has_a_row():
    for rung in RUNGS:
        for name, function in inspect.getmembers(rung, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == rung.__name__:
                assert name in RIGHT and name in REFUSED, f"{name} needs an entry in RIGHT and in REFUSED"
                refused = {argument for replaced, *_ in REFUSED[name] for argument in replaced}
                assert set(inspect.signature(function).parameters) == set(RIGHT[name]) == refused, name


@pytest.mark.parametrize("function", REFUSED)
def test_all_rungs_refuse_it_in_the_same_words(function):
    for replaced, error, start in REFUSED[function]:
        refusals = {rung.__name__: refusal(rung, function, replaced) for rung in on(function)}
        assert len(set(refusals.values())) == 1, (replaced, refusals)
        found, sentence = refusals["pe_lessons.arrays"]
        assert found is error and sentence.startswith(start), (replaced, sentence)


# Not bad input: nothing at all, no axis, numbers of NumPy, and NaN, of which NaN is made.
ANSWERED = [
    *((function, {}) for function in RIGHT),
    ("attention", {"mask": None}),
    ("learned", {"padding_id": None}),
    ("rotary_frequencies", {"scaling": None}),
    ("rotary_frequencies", {"scaling": {**LINEAR, "factor": 10**30}}),
    ("rotary_frequencies", {"scaling": {**YARN, "beta_fast": 10**30}}),
    ("sinusoidal", {"seq_len": np.int64(4), "d_model": np.uint8(5), "start": np.array(-7)}),
    ("sinusoidal", {"base": np.float32(2)}),
    ("t5_buckets", {"relative_positions": N([])}),
    ("t5_buckets", {"relative_positions": N([[], []])}),
    ("t5_buckets", {"relative_positions": N(np.array(3))}),
    ("t5_buckets", {"relative_positions": N(-3)}),
    ("t5_buckets", {"relative_positions": N([2**63 - 1, 1 - 2**63]), "bidirectional": np.True_}),
    ("kernel", {"offsets": N([])}),
    ("kernel", {"offsets": N(3)}),
    ("kernel", {"offsets": N([[1, 2]])}),
    ("softmax", {"scores": N([[-inf, 0.0], [1.0, -inf]])}),
    ("softmax", {"scores": N([[nan, 0.0], [0.0, nan]])}),
    ("softmax", {"scores": N([[nan, -inf], [-inf, nan]])}),
    ("attention", {"q": N([[nan] * 4, *ROWS[1:]])}),
    ("rotary", {"x": N([*ROWS[:2], [nan] * 4])}),
    ("shaw_bias", {"table": N([*ROWS[:2], [nan] * 4])}),
    *((function, {"positions": None}) for function in ("shaw_bias", "alibi", "t5_bias")),
]


@pytest.mark.parametrize(("function", "replaced"), ANSWERED)
def test_all_rungs_answer_alike(function, replaced):
    answers = [call(rung, function, replaced) for rung in on(function)]
    if function == "sinusoidal_blocks":
        answers = [np.concatenate(list(blocks)) for blocks in answers]
    if function == "rotary_frequencies":
        answers = [np.hstack(answer) for answer in answers]
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0], rtol=0, atol=1e-6)
        assert np.shape(answer) == np.shape(answers[0])


def test_every_check_ends_by_returning_what_its_caller_goes_on_with():
    for name, function in inspect.getmembers(arguments, inspect.isfunction):
        if not name.startswith("_"):
            [definition] = ast.parse(inspect.getsource(function)).body
            last = definition.body[-1]
            assert isinstance(last, ast.Return) and last.value and "Error" not in ast.unparse(last), name


def test_leading_axes_that_differ():
    for rung, make in ((arrays, np.zeros), (tensors, torch.zeros)):
        with pytest.raises(ValueError, match=r"same leading axes, got shapes \(2, 3, 4\), \(5, 3, 4\)"):
            rung.attention(make((2, 3, 4)), make((5, 3, 4)), make((5, 3, 4)))


def test_a_loop_has_no_leading_axes():
    for function, name in (("attention", "q"), ("rotary", "x"), ("axial_rotary", "x"), ("shaw_bias", "q")):
        error, sentence = refusal(loops, function, {name: N([ROWS])})
        start = f"{name} must have the axes (seq_len, head_dim) and an entry, got shape (1, 3, 4)"
        assert error is ValueError and sentence.startswith(start)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("shape", [(0, 4), (2, 0, 4), (2, 3, 0, 2)])
def test_rotary_of_no_rows(shape, layout):
    array = arrays.rotary(np.empty(shape), np.arange(0), layout=layout, scaling=LINEAR)
    tensor = tensors.rotary(torch.empty(shape), torch.arange(0), layout=layout, scaling=LINEAR)
    assert array.shape == tensor.shape == shape
    assert (array.dtype, tensor.dtype) == (np.float64, torch.float32)


@pytest.mark.parametrize(
    ("shape", "n", "says"),
    [
        ((2, 0, 4), 1, "positions must be one number for each of the 0 rows of x, got shape (1,)"),
        ((0, 3), 0, "x must have an even head_dim (last axis), got shape (0, 3)"),
        ((2, 0, 0), 0, "x must have the axes (seq_len, head_dim) and an entry, got shape (2, 0, 0)"),
        ((0, 2, 4), 2, "x must have the axes (seq_len, head_dim) and an entry, got shape (0, 2, 4)"),
    ],
)
def test_rotary_of_no_rows_is_checked_all_the_same(shape, n, says):
    for rung, make, count in ((arrays, np.empty, np.arange), (tensors, torch.empty, torch.arange)):
        with pytest.raises(ValueError, match=f"^{re.escape(says)}"):
            rung.rotary(make(shape), count(n))


class TestTensors:
    """What only a Tensor can be: absent, or of integers."""

    @pytest.mark.parametrize("function", RIGHT)
    def test_anything_else_than_a_tensor(self, function):
        for name, value in RIGHT[function].items():
            if isinstance(value, N):
                says = f"{name} must be a torch.Tensor, got list: torch.tensor({name}) makes one"
                assert refusal(tensors, function, {name: value.value}) == (TypeError, says)

    def test_integers_where_floating_point_numbers_should_be(self):
        x = torch.zeros(3, 2)
        with pytest.raises(TypeError, match=r"q must hold floating-point numbers, got torch\.int64: q\.fl"):
            tensors.attention(x.long(), x, x)


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"d_model": 0}, ValueError, "d_model must be at least 1"),
        ({"max_len": 0}, ValueError, "max_len must be at least 1"),
        ({"max_len": 2.5}, TypeError, "max_len must be a whole number"),
        ({"base": 1.0}, ValueError, "base must be finite and above 1"),
        ({"dropout": 1.5}, ValueError, r"dropout must lie between 0 and 1, got 1\.5"),
        ({"dropout": math.nan}, ValueError, "dropout must lie between 0 and 1, got nan"),
        ({"dropout": "0.1"}, TypeError, r"dropout must be a real number, got '0\.1' \(str\)"),
        ({"batch_first": 1}, TypeError, "batch_first must be True or False"),
    ],
)
def test_arguments_of_the_module(kwargs, error, message):
    with pytest.raises(error, match=message):
        SinusoidalEncoding(**{"d_model": 4} | kwargs)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (torch.zeros(1, 6, 4), ValueError, r"max_len = 5 positions, got seq_len = 6 .*larger max_len"),
        (torch.zeros(2, 3, 5), ValueError, r"d_model = 4 in its last axis, got shape \(2, 3, 5\)"),
        *(
            (torch.zeros(shape), ValueError, r"axes \(batch, seq_len, d_model\), got shape")
            for shape in ((4,), (3, 4), (1, 2, 3, 4))
        ),
        ([[0.0] * 4], TypeError, r"x must be a torch\.Tensor, got list"),
        (torch.zeros(1, 2, 4).long(), TypeError, r"x must hold floating-point numbers, got torch\.int64"),
    ],
)
def test_input_of_the_module(x, error, message):
    with pytest.raises(error, match=message):
        SinusoidalEncoding(4, max_len=5)(x)
    if "max_len" in message:
        with pytest.raises(error, match=message):
            SinusoidalEncoding(4, max_len=5, batch_first=False)(x.transpose(0, 1))
