"""Arguments of the three rungs: every function here checks, and returns what the caller goes on with.

What is wrong is a TypeError or a ValueError that names the argument, the value and what would work, and the
same on every rung. A rung makes its numbers ready (`real_numbers`, `_real_array`, `_float_tensor`); after
that we ask lists, arrays and Tensors for their shapes alike.
"""

import math
import operator
from collections.abc import Sequence
from numbers import Integral, Real

# --- one number, one word ---


def whole_number(name, value, *, minimum=None):
    """`value` as an int of at least `minimum`."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be a whole number, got {value!r} ({type(value).__name__}): pass an int such as 8"
        ) from None
    if minimum is not None and number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {number}")
    if abs(number) >= 2**63:  # -2**63 fits, but has no absolute value
        raise ValueError(f"{name} must lie within 64 bits, got {number}")
    return number


def even_width(d_model, name="d_model"):
    """`d_model` as an even int of at least 2."""
    d_model = whole_number(name, d_model, minimum=1)
    if d_model % 2:
        raise ValueError(
            f"{name} must be even, got {d_model}: the last sine has no cosine to turn with, "
            f"take {d_model + 1}"
        )
    return d_model


def multiple_of_four(name, width):
    """`width` as an int that two axes can share in pairs."""
    width = whole_number(name, width, minimum=1)
    if width % 4:
        raise ValueError(
            f"{name} must be a multiple of 4, got {width}: a half for each axis, in pairs; "
            f"take {width + 4 - width % 4}"
        )
    return width


def base_of_angles(base):
    """`base` as a float above 1."""
    return real_number("base", base, above=1, hint=": the paper's is 10_000.0")


def real_number(name, value, *, above=None, least=0, hint=""):
    """`value` as a float that is finite and above `above`, or at least `least`."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a real number, got {value!r} ({type(value).__name__}){hint}")
    number = _as_float(value)
    if not (least <= number < math.inf if above is None else above < number < math.inf):
        bound = f"at least {least}" if above is None else f"above {above}"
        raise ValueError(f"{name} must be finite and {bound}, got {value!r}{hint}")
    return number


def _as_float(value):
    """`value` as a float; an int that is too large for one is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def true_or_false(name, value):
    """`value` as a bool."""
    if type(value).__name__ not in ("bool", "bool_"):  # NumPy's, too
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def pair_layout(layout):
    """`layout`, a word for which columns make a pair."""
    return _one_of("layout", layout, "interleaved", "half")


def _one_of(name, word, *words):
    if not (isinstance(word, str) and word in words):
        *first, last = (f'"{one}"' for one in words)
        raise ValueError(f"{name} must be {', '.join(first)} or {last}, got {word!r}")
    return word


def floating_dtype(dtype, is_floating):
    """`dtype`, of which the caller knows whether it is one of floating-point numbers."""
    if not is_floating:
        raise TypeError(f"dtype must be a floating-point one such as float32, got {dtype!r}")
    return dtype


# --- many numbers ---


def real_numbers(name, value):
    """`value`, a number or (nested) rows of them, as floats in (nested) lists; NaN and inf may be there."""
    return _nested(name, value, "real numbers", Real, _as_float, "pass floats such as 0.5")


def finite_numbers(name, value):
    """As `real_numbers`, without NaN and inf."""

    def finite(value):
        number = _as_float(value)
        if not math.isfinite(number):
            raise ValueError(f"{name} must be finite, got {number} among them")
        return number

    return _nested(name, value, "real numbers", Real, finite, "pass floats such as 0.5")


def whole_numbers(name, value):
    """`value`, a number or (nested) rows of them, as ints in (nested) lists."""

    def whole(value):
        return whole_number(name, value)

    return _nested(name, value, "whole numbers", Integral, whole, "pass ints such as 8")


def booleans(name, value):
    """`value`, (nested) rows of booleans, in (nested) lists."""
    return _nested(name, value, "booleans (True: may look there)", bool, bool, "compare, as in mask > 0")


def _nested(name, value, words, kind, make, hint):
    if hasattr(value, "tolist"):  # an array, or one of its numbers
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        rows = [_nested(name, row, words, kind, make, hint) for row in value]
        shapes = sorted({shape_of(row) for row in rows})
        if len(shapes) > 1:
            raise ValueError(f"{name} must have rows of one length, got rows of the shapes {shapes}")
        return rows
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise TypeError(f"{name} must hold {words}, got {value!r} ({type(value).__name__}): {hint}")
    return make(value)


def matrix(name, rows):
    """`rows` as a list of rows of floats: the loops take one head, without axes before its rows."""
    rows = real_numbers(name, rows)
    shape_with_axes(name, rows, most=2)
    return rows


def shape_of(value):
    """The shape of an array, a Tensor, or what one of the functions above returns."""
    if not isinstance(value, list):
        return tuple(getattr(value, "shape", ()))
    return (len(value), *shape_of(value[0])) if value else (0,)


# --- the arguments of one function; the numbers among them are ready ---


def table_arguments(seq_len, d_model, base, start):
    """The four arguments that every table of positions takes."""
    return (
        whole_number("seq_len", seq_len, minimum=1),
        whole_number("d_model", d_model, minimum=1),
        base_of_angles(base),
        whole_number("start", start),
    )


def grid_arguments(height, width, d_model):
    """Height and width of a grid, and how much of `d_model` each of its axes gets."""
    return (
        whole_number("height", height, minimum=1),
        whole_number("width", width, minimum=1),
        multiple_of_four("d_model", d_model) // 2,
    )


def block_rows(block_len, d_model):
    """`block_len` as an int of at least 1; None becomes what stays in a processor's cache."""
    if block_len is None:
        return max(1, 2**15 // d_model)
    return whole_number("block_len", block_len, minimum=1)


def score_rows(scores):
    """`scores`, which have at least one row of at least one number."""
    shape = shape_of(scores)
    if not shape or 0 in shape:
        raise ValueError(f"scores must be rows of at least one number, got shape {shape}")
    return scores


def row_of_scores(row):
    """One row of scores, of which not all are -inf."""
    if all(score == -math.inf for score in row):
        raise ValueError("scores must hold a number above -inf in every row, got -inf throughout")
    return row


def row_of_mask(number, row):
    """Row `number` of a mask, which lets its query look somewhere."""
    if not any(row):
        raise ValueError(
            f"mask must leave every query at least one key, but its row {number} is all False: "
            "the softmax of nothing is not defined (True: may look there; is the mask the other way round?)"
        )
    return row


def shape_with_axes(name, value, axes="(seq_len, head_dim)", *, most=math.inf, rows=True):
    """The shape of `value`, which ends with these two axes, has at most so many, and an entry.

    Without `rows` there may be none of them: seq_len 0.
    """
    shape = shape_of(value)
    needed = shape if rows else shape[:-2] + shape[-1:]
    if not 2 <= len(shape) <= most or 0 in needed:
        raise ValueError(f"{name} must have the axes {axes} and an entry, got shape {shape}")
    return shape


def attention_shapes(q, k, v, mask=None):
    """The four sizes of q ``(..., n_q, head_dim)``, k ``(..., n_k, head_dim)`` and v ``(..., n_k, v_dim)``.

    The mask is ``(n_q, n_k)`` or ``(..., n_q, n_k)``.
    """
    q, k, v = shape_with_axes("q", q), shape_with_axes("k", k), shape_with_axes("v", v)
    if q[-1] != k[-1]:
        raise ValueError(f"q and k must have the same head_dim (last axis), got shapes {q} and {k}")
    if k[-2] != v[-2]:
        raise ValueError(f"k and v must have the same seq_len (last axis but one), got shapes {k} and {v}")
    if not q[:-2] == k[:-2] == v[:-2]:
        raise ValueError(f"q, k and v must have the same leading axes, got shapes {q}, {k} and {v}")
    scores = (*q[:-2], q[-2], k[-2])
    if mask is not None and shape_of(mask) not in {scores, scores[-2:]}:
        raise ValueError(
            f"mask must have the shape (n_q, n_k) = {scores[-2:]}, one entry per query and key, "
            f"got {shape_of(mask)} for q {q} and k {k}"
        )
    return q[-2], k[-2], q[-1], v[-1]


def bias_of_offsets(q, k, bias):
    """The biases by offset ``(..., 2 n - 1)`` for queries and keys ``(..., n, head_dim)``."""
    q, k, shape = shape_of(q), shape_of(k), shape_of(bias)
    if q[-2] != k[-2]:
        raise ValueError(f"q and k must have the same seq_len (last axis but one), got shapes {q} and {k}")
    leading = shape[:-1]
    fits = len(leading) <= len(q) - 2 and all(
        size in (1, wanted) for size, wanted in zip(leading[::-1], q[:-2][::-1])
    )
    if not fits or shape[-1:] != (2 * q[-2] - 1,):
        raise ValueError(
            f"bias_of_offsets must hold 2 * {q[-2]} - 1 = {2 * q[-2] - 1} numbers for the offsets "
            f"{1 - q[-2]} to {q[-2] - 1}, behind axes that fit {q[:-2]}, got shape {shape}"
        )
    return bias


def row_of_biases(number, row):
    """The biases that query `number` adds to its scores, of which not all are -inf."""
    if all(bias == -math.inf for bias in row):
        raise ValueError(
            f"bias_of_offsets must leave every query a key above -inf, but query {number} has none: "
            "the softmax of nothing is not defined"
        )
    return row


def state_arguments(q, k, v, state, **rates):
    """The sizes of q, k ``(..., seq_len, head_dim)`` and v ``(..., seq_len, v_dim)``, which update a state.

    The rates, one for each token, are ``(..., seq_len)``; the state is ``(..., head_dim, v_dim)`` or None.
    """
    n_q, n_k, head_dim, v_dim = attention_shapes(q, k, v)
    if n_q != n_k:
        raise ValueError(f"q and k must have the same seq_len (last axis but one), got {n_q} and {n_k}")
    leading = shape_of(k)[:-2]
    for name, rate in rates.items():
        one_rate_for_each_token(name, rate, (*leading, n_k))
    if state is not None and shape_of(state) != (*leading, head_dim, v_dim):
        raise ValueError(
            f"state must have the shape {(*leading, head_dim, v_dim)} for k {shape_of(k)} "
            f"and v {shape_of(v)}, got {shape_of(state)}"
        )
    return n_k, head_dim, v_dim


# rate: the least, whether the least itself is allowed, the most
RATES = {"gates": (0, False, 1), "beta": (0, True, 2)}


def one_rate_for_each_token(name, rate, shape=None):
    """`gates` lie above 0 and at most at 1, `beta` from 0 to 2."""
    found = shape_of(rate)
    if (found != shape) if shape is not None else (not found or 0 in found):
        wanted = "(..., seq_len)" if shape is None else shape
        raise ValueError(f"{name} must have the shape {wanted}, one for each token, got {found}")
    least, itself, most = RATES[name]
    for number in _flat(_listed(rate)):
        if not (least <= number <= most and (itself or number > least)):
            allowed = f"from {least} to {most}" if itself else f"above {least} and at most {most}"
            raise ValueError(f"{name} must be {allowed}, got {number} among them")
    return rate


def _flat(value):
    """The numbers in (nested) lists."""
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    else:
        yield value


def convolution_shapes(x, weights, before):
    """seq_len, d_model and width for x ``(..., seq_len, d_model)`` and weights ``(d_model, width)``."""
    shape, of_weights = shape_with_axes("x", x), shape_of(weights)
    if len(of_weights) != 2 or of_weights[0] != shape[-1] or not of_weights[1]:
        raise ValueError(
            f"weights must have the shape (d_model, width) with d_model = {shape[-1]}, got {of_weights}"
        )
    wanted = (*shape[:-2], of_weights[1] - 1, shape[-1])
    found = wanted if before is None else shape_of(before)
    if found != wanted and 0 not in wanted:
        raise ValueError(f"before must hold the width - 1 rows before x, shape {wanted}, got {found}")
    return shape[-2], shape[-1], of_weights[1]


def rotary_shapes(x, positions, layout, rotary_dim=None):
    """How many columns of x ``(..., seq_len, head_dim)`` turn: `rotary_dim`, or all. seq_len may be 0."""
    x, layout = shape_with_axes("x", x, rows=False), pair_layout(layout)
    if rotary_dim is not None:
        rotary_dim = even_width(rotary_dim, "rotary_dim")
        if rotary_dim > x[-1]:
            raise ValueError(f"rotary_dim must be at most the head_dim of x, {x[-1]}, got {rotary_dim}")
    else:
        _even_head_dim(x)
    _one_for_each_row("positions", positions, x)
    return x[-1] if rotary_dim is None else rotary_dim


def _even_head_dim(x):
    """The shape of an x whose columns go into pairs."""
    if x[-1] % 2:
        raise ValueError(f"x must have an even head_dim (last axis), got shape {x}: the last has no partner")
    return x


def scale_arguments(positions, length, strength):
    """`length` as an int of at least 1 and `strength` as a float; no position is below 0."""
    length = whole_number("length", length, minimum=1)
    strength = real_number("strength", strength, hint=": 0.1 is usual")
    least = _least(_listed(positions))
    if least < 0:
        raise ValueError(f"positions must be at least 0, got {least} among them: count from the text's start")
    return length, strength


def _listed(value):
    """Numbers that are ready as (nested) lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def _least(value):
    """The smallest of (nested) lists of numbers; 0 where there is none. On a page there is no NumPy."""
    return min(map(_least, value), default=0.0) if isinstance(value, list) else value


def axial_shapes(x, rows, columns, layout):
    """n_patches and head_dim of x ``(..., n_patches, head_dim)``."""
    x, layout = shape_with_axes("x", x), pair_layout(layout)
    multiple_of_four("head_dim, the last axis of x,", x[-1])
    _one_for_each_row("rows", rows, x)
    _one_for_each_row("columns", columns, x)
    return x[-2:]


def prompt_parts(parts):
    """`parts` of a prompt: ints for text, tuples (frames, height, width) for images and videos."""
    if not isinstance(parts, list | tuple) or not parts:
        raise ValueError(f"parts must be a sequence such as (2, (1, 3, 4), 5), got {parts!r}")
    return [_part(part) for part in parts]


def _part(part):
    if not isinstance(part, list | tuple):
        return whole_number("text in parts", part, minimum=1)
    if len(part) != 3:
        raise ValueError(
            f"an image or a video in parts must be (frames, height, width), got {part!r}: "
            "an image has one frame, (1, height, width)"
        )
    return tuple(whole_number("an image or a video in parts", size, minimum=1) for size in part)


def mrope_sections(x, positions, sections, layout, order):
    """`sections` as a tuple of ints: the pairs of each axis, for x ``(..., seq_len, head_dim)``."""
    x, layout = shape_with_axes("x", x), pair_layout(layout)
    _one_of("order", order, "blocks", "interleaved", "axial")
    _even_head_dim(x)
    sections = whole_numbers("sections", sections)
    if len(shape_of(sections)) != 1 or not sections or min(sections) < 1 or sum(sections) != x[-1] // 2:
        raise ValueError(
            f"sections must be positive numbers of pairs, one for each axis, with the sum {x[-1] // 2}, "
            f"got {sections}"
        )
    if shape_of(positions) != (len(sections), x[-2]):
        raise ValueError(
            f"positions must have the shape (axes, seq_len) = {(len(sections), x[-2])}, a row for each of "
            f"the sections, got {shape_of(positions)}"
        )
    for axis, section in enumerate(sections[1:], start=1):
        if order == "interleaved" and (section - 1) * len(sections) + axis >= x[-1] // 2:
            raise ValueError(
                f"sections must leave each axis its turns among {x[-1] // 2} pairs for 'interleaved', "
                f"got {sections}: from pair {axis} on there are not {section}, {len(sections)} apart"
            )
    return tuple(sections)


def graph(adjacency, num_vectors):
    """`num_vectors` as an int; the matrix `adjacency` is that of a graph in one piece, with more vertices."""
    shape = shape_with_axes("adjacency", adjacency, "(num_vertices, num_vertices)", most=2)
    if shape[0] != shape[1]:
        raise ValueError(f"adjacency must be square, a row and a column for each vertex, got shape {shape}")
    rows = _listed(adjacency)
    for m, row in enumerate(rows):
        for n, weight in enumerate(row):
            if weight != rows[n][m] or weight < 0 or (m == n and weight):
                raise ValueError(
                    "adjacency must be symmetric, with weights of at least 0 and 0 on its diagonal, "
                    f"got {weight} at [{m}, {n}] and {rows[n][m]} at [{n}, {m}]"
                )
    reached = {0}
    while more := {n for m in reached for n, weight in enumerate(rows[m]) if weight} - reached:
        reached |= more
    if len(reached) < len(rows):
        raise ValueError(
            "adjacency must be of a graph in one piece, but from vertex 0 only "
            f"{len(reached)} of {len(rows)} vertices can be reached: encode each piece for itself"
        )
    num_vectors = whole_number("num_vectors", num_vectors, minimum=1)
    if num_vectors >= len(rows):
        raise ValueError(
            f"num_vectors must be below the number of vertices, {len(rows)}, got {num_vectors}: "
            "one vector is constant and tells nothing"
        )
    return num_vectors


def _one_for_each_row(name, positions, x):
    """`positions`, one for each row of an x of this shape."""
    if shape_of(positions) != x[-2:-1]:
        raise ValueError(
            f"{name} must be one number for each of the {x[-2]} rows of x, got shape {shape_of(positions)}"
        )
    return positions


def learned_arguments(token_ids, table, offset, padding_id):
    """`offset` as an int, and `padding_id` as an int or None; the shapes of the other two are right."""
    shape_with_axes("token_ids", token_ids, "(batch, seq_len)", most=2)
    shape_with_axes("table", table, "(max_len, d_model)", most=2)
    offset = whole_number("offset", offset, minimum=0)
    return offset, None if padding_id is None else whole_number("padding_id", padding_id)


def rows_for_tokens(table, offset, tokens):
    """`table`, which has a row for each of so many tokens."""
    needed, max_len = int(offset + tokens), shape_of(table)[0]
    if needed > max_len:
        raise ValueError(
            f"token_ids must fit the table: {tokens} tokens from row {offset} on need "
            f"{needed} rows, got {max_len}; cut the text or train a longer table"
        )
    return table


def shaw_distance(q, table):
    """The largest distance of Shaw's table, for queries ``(..., seq_len, head_dim)``."""
    q, table = shape_with_axes("q", q), shape_of(table)
    if len(table) != 2 or table[0] % 2 == 0 or table[1] != q[-1]:
        raise ValueError(
            f"table must have the axes (2 * max_distance + 1, head_dim = {q[-1]}), got shape {table}"
        )
    return table[0] // 2


def key_positions(positions, n_queries):
    """`positions`, one for each key, the last of which are those of the queries."""
    shape = shape_of(positions)
    if len(shape) != 1 or shape[0] < n_queries:
        raise ValueError(
            f"positions must be a row of numbers, one for each key and at least {n_queries}, as the last "
            f"{n_queries} are those of the queries, got shape {shape}"
        )
    numbers = positions if isinstance(positions, list) else positions.tolist()
    if max(numbers) - min(numbers) >= 2**63:
        raise ValueError(
            f"positions must lie within 63 bits of each other, got {min(numbers)} and {max(numbers)}: "
            "count from the text's start"
        )
    return positions


def bucket_arguments(num_buckets, max_distance, bidirectional, *, name="num_buckets"):
    """The buckets of one direction, those for one distance, and the largest distance, all as ints."""
    bidirectional = true_or_false("bidirectional", bidirectional)
    num_buckets = whole_number(name, num_buckets, minimum=4 if bidirectional else 2)
    if bidirectional and num_buckets % 2:
        raise ValueError(f"{name} must be even, half of them for each direction, got {num_buckets}")
    one_way = num_buckets // 2 if bidirectional else num_buckets
    exact = one_way // 2
    max_distance = whole_number("max_distance", max_distance)
    if max_distance <= exact:
        raise ValueError(
            f"max_distance must be above {exact}, where buckets begin to be shared, got {max_distance}"
        )
    return one_way, exact, max_distance


def bucket_table(table, max_distance, bidirectional):
    """num_buckets and num_heads of T5's table ``(num_buckets, num_heads)``."""
    shape = shape_with_axes("table", table, "(num_buckets, num_heads)", most=2)
    bucket_arguments(shape[0], max_distance, bidirectional, name="num_buckets, the rows of table,")
    return shape


# rope_type: the keys that it needs, and those that it may have, with what they are when left out
_SCALED = ("factor", "original_max_position_embeddings")
SCALING_RULES = {
    "default": ((), {}),
    "linear": (("factor",), {}),
    "ntk": (("factor",), {}),
    "ntk_by_parts": (_SCALED, {"alpha": 1.0, "beta": 32.0}),
    "llama3": ((*_SCALED, "low_freq_factor", "high_freq_factor"), {}),
    "yarn": (
        _SCALED,
        {"beta_fast": 32.0, "beta_slow": 1.0, "truncate": True, "attention_factor": None,
         "mscale": None, "mscale_all_dim": None},
    ),
    "proportional": (("partial_rotary_factor",), {"factor": 1.0}),
    "dynamic": (_SCALED, {}),
    "longrope": ((*_SCALED, "short_factor", "long_factor"), {"attention_factor": None}),
}  # fmt: skip
_OF_THE_LENGTH = "dynamic", "longrope"  # the rules that change while a text grows
_MAY_BE_NONE = "attention_factor", "mscale", "mscale_all_dim"
_MANY_AND_FEW_TURNS = {  # the first must be above the second
    "ntk_by_parts": ("beta", "alpha"),
    "llama3": ("high_freq_factor", "low_freq_factor"),
    "yarn": ("beta_fast", "beta_slow"),
}


def scaling_rule(scaling, head_dim, text_len=None):
    """`scaling` with every key filled in: llama3 as ntk_by_parts, dynamic as the ntk of this length.

    That of longrope has besides ``divisors``, one for each pair.
    """
    if text_len is not None:
        text_len = whole_number("text_len", text_len, minimum=1)
    if scaling is None:
        scaling = {"rope_type": "default"}
    if not isinstance(scaling, dict):
        raise TypeError(
            f'scaling must be a dict such as {{"rope_type": "linear", "factor": 4.0}}, got {scaling!r}'
        )
    rope_type = scaling.get("rope_type")
    if not (isinstance(rope_type, str) and rope_type in SCALING_RULES):
        raise ValueError(f'scaling["rope_type"] must be one of {list(SCALING_RULES)}, got {rope_type!r}')
    needed, optional = SCALING_RULES[rope_type]
    if not set(needed) <= scaling.keys() - {"rope_type"} <= {*needed, *optional}:
        raise ValueError(
            f"scaling of the type {rope_type!r} must have the keys {list(needed)} and may have "
            f"{list(optional)}, got {sorted(scaling.keys() - {'rope_type'}, key=str)}"
        )
    given = {"factor": 1.0, "attention_factor": 1.0, **optional, **scaling}
    rule = {**given, "turning_pairs": head_dim}
    for key, value in given.items():
        if key == "truncate":
            rule[key] = true_or_false('scaling["truncate"]', value)
        elif key in ("short_factor", "long_factor"):
            if not isinstance(value, list | tuple) or len(value) != head_dim // 2:
                raise ValueError(
                    f'scaling["{key}"] must be a list with a number for each of the {head_dim // 2} pairs of '
                    f"head_dim, got {value!r}"
                )
            rule[key] = [above_zero(f'scaling["{key}"]', number) for number in value]
        elif key != "rope_type" and not (key in _MAY_BE_NONE and value is None):
            rule[key] = above_zero(f'scaling["{key}"]', value)
    factor = given["factor"]
    if factor < 1:
        raise ValueError(
            f'scaling["factor"] must be at least 1, the new length over the trained one, got {factor}'
        )
    if rope_type == "proportional":
        share = given["partial_rotary_factor"]
        if share > 1:
            raise ValueError(
                f'scaling["partial_rotary_factor"] must be at most 1, the share of the columns, got {share}'
            )
        rule["turning_pairs"] = int(share * head_dim // 2)
    if rope_type in ("ntk", "dynamic") and head_dim <= 2:
        raise ValueError(f"head_dim must be at least 4 for scaling of the type {rope_type!r}, got {head_dim}")
    if rope_type in _OF_THE_LENGTH and text_len is None:
        raise ValueError(
            f"text_len must be given for scaling of the type {rope_type!r}, got None: the rule is another "
            "one for a longer text; cached tokens count too"
        )
    if rope_type in _MANY_AND_FEW_TURNS:
        many, few = _MANY_AND_FEW_TURNS[rope_type]
        if rule[many] <= rule[few]:
            raise ValueError(
                f'scaling["{many}"] must be above scaling["{few}"], got {given[many]} and {given[few]}: '
                "they are turns within the trained length, many and few"
            )
    if rope_type == "llama3":
        rule |= {"alpha": rule["low_freq_factor"], "beta": rule["high_freq_factor"]}
        rule["rope_type"] = "ntk_by_parts"
    if rope_type == "yarn" and rule["attention_factor"] is None:
        both = rule["mscale"] is not None and rule["mscale_all_dim"] is not None
        above, below = (rule["mscale"], rule["mscale_all_dim"]) if both else (1.0, 0.0)
        log = 0.1 * math.log(rule["factor"])
        rule["attention_factor"] = (above * log + 1.0) / (below * log + 1.0)
    trained_len = rule.get("original_max_position_embeddings")
    if rope_type == "dynamic":
        longer = max(text_len / trained_len, 1.0)
        rule |= {"rope_type": "ntk", "factor": rule["factor"] * longer - (rule["factor"] - 1.0)}
    if rope_type == "longrope":
        rule["divisors"] = rule["long_factor" if text_len > trained_len else "short_factor"]
        if rule["attention_factor"] is None:
            if trained_len <= 1:
                raise ValueError(
                    'scaling["original_max_position_embeddings"] must be above 1 for scaling of the type '
                    f"'longrope', got {scaling['original_max_position_embeddings']}: its logarithm divides"
                )
            rule["attention_factor"] = math.sqrt(1.0 + math.log(rule["factor"]) / math.log(trained_len))
    return rule


def above_zero(name, value):
    """`value` as a float that is finite and above 0."""
    return real_number(name, value, above=0)
