"""Bad input, answered in one sentence; shared by the three rungs."""

import math
import operator
from numbers import Real


def whole_number(name, value, *, minimum=None):
    """Return `value` as an int, or say what is wrong with it."""
    try:
        if isinstance(value, bool) or type(value).__name__ == "bool":  # np.bool counts as an index too
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be a whole number, got {value!r} ({type(value).__name__}): pass an int such as 8"
        ) from None
    if minimum is not None and number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {number}")
    return number


def check_base(base):
    """Return `base` as a float above 1, or say what is wrong with it."""
    if isinstance(base, bool) or not isinstance(base, Real):
        raise TypeError(
            f"base must be a real number, got {base!r} ({type(base).__name__}): the paper's is 10_000.0"
        )
    if not (math.isfinite(base) and base > 1):
        raise ValueError(f"base must be finite and above 1, got {base!r}: the paper's is 10_000.0")
    return float(base)


def table_arguments(seq_len, d_model, base, start):
    """Check the four arguments that every table of positions takes."""
    return (
        whole_number("seq_len", seq_len, minimum=1),
        whole_number("d_model", d_model, minimum=1),
        check_base(base),
        whole_number("start", start),
    )


def block_rows(block_len, d_model):
    """Return `block_len` as an int of at least 1; None becomes what stays in a processor's cache."""
    if block_len is None:
        return max(1, 2**15 // d_model)
    return whole_number("block_len", block_len, minimum=1)


def table_dtype(dtype):
    """The TypeError for a table of anything but floating-point numbers."""
    return TypeError(f"dtype must be a floating-point one such as float32, got {dtype!r}")


def even_width(d_model, name="d_model"):
    """Return `d_model` as an even int of at least 2, or say what is wrong with it."""
    d_model = whole_number(name, d_model, minimum=1)
    if d_model % 2:
        raise ValueError(
            f"{name} must be even, got {d_model}: the last sine has no cosine to turn with, "
            f"take {d_model + 1}"
        )
    return d_model


def plane_width(name, width):
    """Return `width` as an int that two axes can share in pairs, or say what is wrong with it."""
    width = whole_number(name, width, minimum=1)
    if width % 4:
        raise ValueError(
            f"{name} must be a multiple of 4, got {width}: a half for each axis, in pairs; "
            f"take {width + 4 - width % 4}"
        )
    return width


def real_number(name, value):
    """Return `value` as a finite float, or say what is wrong with it."""
    if isinstance(value, bool) or type(value).__name__ == "bool" or not isinstance(value, Real):
        raise TypeError(f"{name} must hold real numbers, got {value!r} ({type(value).__name__})")
    if not math.isfinite(value):
        raise not_finite(name)
    return float(value)


def not_finite(name):
    """The ValueError for numbers among which there is an infinity or a NaN."""
    return ValueError(f"{name} must be finite, got inf or nan among them")


def attention_shapes(q, k, v, mask=None):
    """Check the shapes of attention's arguments; each argument here is a shape.

    q ``(..., n_q, head_dim)``, k ``(..., n_k, head_dim)``, v ``(..., n_k, v_dim)``,
    mask ``(n_q, n_k)`` or ``(..., n_q, n_k)``.
    """
    q, k, v = tuple(q), tuple(k), tuple(v)
    for name, shape in (("q", q), ("k", k), ("v", v)):
        if len(shape) < 2:
            raise ValueError(f"{name} must have the axes (seq_len, head_dim), got shape {shape}")
        if 0 in shape:
            raise ValueError(f"{name} must not be empty, got shape {shape}")
    if q[-1] != k[-1]:
        raise ValueError(f"q and k must have the same head_dim (last axis), got shapes {q} and {k}")
    if k[-2] != v[-2]:
        raise ValueError(f"k and v must have the same seq_len (last axis but one), got shapes {k} and {v}")
    if not q[:-2] == k[:-2] == v[:-2]:
        raise ValueError(f"q, k and v must have the same leading axes, got shapes {q}, {k} and {v}")
    scores = (*q[:-2], q[-2], k[-2])
    if mask is not None and tuple(mask) not in {scores, scores[-2:]}:
        raise ValueError(
            f"mask must have the shape (n_q, n_k) = {scores[-2:]}, one entry per query and key, "
            f"got {tuple(mask)} for q {q} and k {k}"
        )


def bias_shape(q, k, bias):
    """Check the shapes of queries, keys and the biases by offset, bias ``(..., 2 n - 1)``."""
    q, k, bias = tuple(q), tuple(k), tuple(bias)
    if q[-2] != k[-2]:
        raise ValueError(f"q and k must have the same seq_len (last axis but one), got shapes {q} and {k}")
    leading = bias[:-1]
    fits = len(leading) <= len(q) - 2 and all(
        size in (1, wanted) for size, wanted in zip(leading[::-1], q[:-2][::-1])
    )
    if not fits or bias[-1:] != (2 * q[-2] - 1,):
        raise ValueError(
            f"bias_of_offsets must hold 2 * {q[-2]} - 1 = {2 * q[-2] - 1} numbers for the offsets "
            f"{1 - q[-2]} to {q[-2] - 1}, behind axes that fit {q[:-2]}, got shape {bias}"
        )


def mask_dtype(dtype):
    """The TypeError for a mask that is not made of booleans."""
    return TypeError(f"mask must be boolean (True: may look there), got {dtype}: compare, as in mask > 0")


def blind_query(row):
    """The ValueError for a query that may look nowhere."""
    return ValueError(
        f"mask must leave every query at least one key, but its row {row} is all False: "
        "the softmax of nothing is not defined"
    )


def rotary_arguments(x, positions, layout):
    """Check what rotary takes; `x` and `positions` are shapes, x ``(..., seq_len, head_dim)``."""
    x, positions = tuple(x), tuple(positions)
    if len(x) < 2 or 0 in x:
        raise ValueError(f"x must have the axes (seq_len, head_dim) and an entry, got shape {x}")
    if x[-1] % 2:
        raise ValueError(
            f"x must have an even head_dim (last axis), got shape {x}: a number without a partner cannot turn"
        )
    if positions != x[-2:-1]:
        raise ValueError(
            f"positions must be one number for each of the {x[-2]} rows of x, got shape {positions}"
        )
    if layout not in ("interleaved", "half"):
        raise ValueError(f'layout must be "interleaved" or "half", got {layout!r}')


def bucket_arguments(num_buckets, max_distance, bidirectional):
    """Check what t5_buckets takes; return the buckets of one direction and those for one distance."""
    if not isinstance(bidirectional, bool):
        raise TypeError(f"bidirectional must be True or False, got {bidirectional!r}")
    num_buckets = whole_number("num_buckets", num_buckets, minimum=4 if bidirectional else 2)
    if bidirectional and num_buckets % 2:
        raise ValueError(f"num_buckets must be even, half of them for each direction, got {num_buckets}")
    one_way = num_buckets // 2 if bidirectional else num_buckets
    exact = one_way // 2
    max_distance = whole_number("max_distance", max_distance)
    if max_distance <= exact:
        raise ValueError(
            f"max_distance must be above {exact}, where buckets begin to be shared, got {max_distance}"
        )
    return one_way, exact, max_distance


def not_whole(name, dtype):
    """The TypeError for numbers that must be whole ones."""
    return TypeError(f"{name} must hold whole numbers, got {dtype}: positions are counted in tokens")


def not_token_ids(dtype):
    """The TypeError for token numbers that are not whole ones."""
    return TypeError(f"token_ids must hold whole numbers, got {dtype}: they are the numbers of tokens")


def learned_arguments(token_ids, real_tokens, table, offset, padding_id):
    """Check what learned takes; `token_ids` and `table` are shapes, `real_tokens` the most in a row."""
    token_ids, table = tuple(token_ids), tuple(table)
    if len(token_ids) != 2 or 0 in token_ids:
        raise ValueError(f"token_ids must have the axes (batch, seq_len) and an entry, got shape {token_ids}")
    if len(table) != 2 or 0 in table:
        raise ValueError(f"table must have the axes (max_len, d_model) and an entry, got shape {table}")
    if padding_id is not None:
        whole_number("padding_id", padding_id)
    offset = whole_number("offset", offset, minimum=0)
    if offset + real_tokens > table[0]:
        raise ValueError(
            f"token_ids must fit the table: {real_tokens} tokens from row {offset} on need "
            f"{offset + real_tokens} rows, got {table[0]}; cut the text or train a longer table"
        )
    return offset


def shaw_arguments(q, table):
    """Check what shaw_bias takes, by shapes; return the largest distance of the table."""
    q, table = tuple(q), tuple(table)
    if len(q) < 2 or 0 in q:
        raise ValueError(f"q must have the axes (seq_len, head_dim) and an entry, got shape {q}")
    if len(table) != 2 or table[0] % 2 == 0 or table[1] != q[-1]:
        raise ValueError(
            f"table must have the axes (2 * max_distance + 1, head_dim = {q[-1]}), got shape {table}"
        )
    return table[0] // 2


def bias_table(table):
    """Check the shape of the table that t5_bias takes: (num_buckets, num_heads)."""
    table = tuple(table)
    if len(table) != 2 or 0 in table:
        raise ValueError(f"table must have the axes (num_buckets, num_heads) and an entry, got shape {table}")
    return table


def axial_arguments(x, rows, columns, layout):
    """Check what axial_rotary takes, by shapes."""
    x = tuple(x)
    if len(x) < 2 or 0 in x:
        raise ValueError(f"x must have the axes (seq_len, head_dim) and an entry, got shape {x}")
    plane_width("head_dim, the last axis of x,", x[-1])
    for name, shape in (("rows", rows), ("columns", columns)):
        if tuple(shape) != x[-2:-1]:
            raise ValueError(
                f"{name} must be one number for each of the {x[-2]} rows of x, got shape {tuple(shape)}"
            )
    rotary_arguments(x, rows, layout)


# rope_type: the keys that it needs, and those that it may have, with what they are when left out
_SCALED = ("factor", "original_max_position_embeddings")
SCALING_RULES = {
    "default": ((), {}),
    "linear": (("factor",), {}),
    "ntk": (("factor",), {}),
    "by_parts": (_SCALED, {"alpha": 1.0, "beta": 32.0}),
    "llama3": ((*_SCALED, "low_freq_factor", "high_freq_factor"), {}),
    "yarn": (_SCALED, {"beta_fast": 32.0, "beta_slow": 1.0, "truncate": True, "attention_factor": None}),
}
_MANY_AND_FEW_TURNS = {  # the first must be above the second
    "by_parts": ("beta", "alpha"),
    "llama3": ("high_freq_factor", "low_freq_factor"),
    "yarn": ("beta_fast", "beta_slow"),
}


def scaling_rule(scaling, head_dim):
    """Return `scaling` with every key filled in, llama3 written as by_parts; or say what is wrong with it."""
    if scaling is None:
        scaling = {"rope_type": "default"}
    if not isinstance(scaling, dict):
        raise TypeError(
            f'scaling must be a dict such as {{"rope_type": "linear", "factor": 4.0}}, got {scaling!r}'
        )
    rope_type = scaling.get("rope_type")
    if rope_type not in SCALING_RULES:
        raise ValueError(f'scaling["rope_type"] must be one of {list(SCALING_RULES)}, got {rope_type!r}')
    needed, optional = SCALING_RULES[rope_type]
    if not set(needed) <= scaling.keys() - {"rope_type"} <= {*needed, *optional}:
        raise ValueError(
            f"scaling of the type {rope_type!r} must have the keys {list(needed)} and may have "
            f"{list(optional)}, got {sorted(scaling.keys() - {'rope_type'})}"
        )
    rule = {"factor": 1.0, **optional, **scaling}
    for key, value in rule.items():
        if key == "truncate":
            if not isinstance(value, bool):
                raise TypeError(f'scaling["truncate"] must be True or False, got {value!r}')
        elif key != "rope_type" and not (key == "attention_factor" and value is None):
            if isinstance(value, bool) or not isinstance(value, Real):
                raise TypeError(f'scaling["{key}"] must be a real number, got {value!r}')
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f'scaling["{key}"] must be finite and above 0, got {value!r}')
    if rule["factor"] < 1:
        raise ValueError(
            f'scaling["factor"] must be at least 1, the new length over the trained one, got {rule["factor"]}'
        )
    if rope_type == "ntk" and head_dim <= 2:
        raise ValueError(f"head_dim must be at least 4 for scaling of the type 'ntk', got {head_dim}")
    if rope_type in _MANY_AND_FEW_TURNS:
        many, few = _MANY_AND_FEW_TURNS[rope_type]
        if rule[many] <= rule[few]:
            raise ValueError(
                f'scaling["{many}"] must be above scaling["{few}"], got {rule[many]} and {rule[few]}: '
                "they are turns within the trained length, many and few"
            )
    if rope_type == "llama3":
        rule |= {"rope_type": "by_parts", "alpha": rule["low_freq_factor"], "beta": rule["high_freq_factor"]}
    if rope_type == "yarn" and rule["attention_factor"] is None:
        rule["attention_factor"] = 0.1 * math.log(rule["factor"]) + 1.0
    return rule
