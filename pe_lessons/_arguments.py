"""Arguments of the three versions: every function here checks, and returns what the caller goes on with.

What is wrong is a TypeError or a ValueError that names the argument, the value and what would work, and the
same in every version. A version makes its numbers ready (`numbers`, `_array`, `_tensor`); after that we ask
lists, arrays and Tensors for their shapes alike. What Python, NumPy and PyTorch refuse in clear words is left
to them.
"""

import math
import operator
from collections.abc import Sequence
from numbers import Integral, Real

REAL, WHOLE = "real numbers (floats such as 0.5)", "whole numbers (ints such as 8)"
BOOLEAN = "booleans (True: may look there; compare, as in mask > 0)"
HEAD_DIM = "head_dim, the last axis of x,"
_KINDS = {REAL: (Real, float), WHOLE: (Integral, int), BOOLEAN: (bool, bool)}


def need(holds, sentence, error=ValueError):
    """An error with this sentence, if something does not hold."""
    if not holds:
        raise error(sentence)


# --- one number, one word ---


def whole_number(name, value, *, minimum=None):
    """`value` as an int of at least `minimum`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be a whole number, got {value!r} ({type(value).__name__}): pass an int such as 8"
        ) from None
    need(minimum is None or number >= minimum, f"{name} must be at least {minimum}, got {number}")
    return number


def even_width(d_model, name="d_model"):
    """`d_model` as an even int of at least 2."""
    d_model = whole_number(name, d_model, minimum=1)
    why = "the last sine has no cosine to turn with"
    need(d_model % 2 == 0, f"{name} must be even, got {d_model}: {why}, take {d_model + 1}")
    return d_model


def multiple_of_four(name, width):
    """`width` as an int that two axes can share in pairs."""
    width = whole_number(name, width, minimum=1)
    why = f"a half for each axis, in pairs; take {width + 4 - width % 4}"
    need(width % 4 == 0, f"{name} must be a multiple of 4, got {width}: {why}")
    return width


def real_number(name, value, *, above=None, hint=""):
    """`value` as a float that is finite and above `above`, or at least 0."""
    said = f"{name} must be a real number, got {value!r} ({type(value).__name__}){hint}"
    need(isinstance(value, Real), said, TypeError)
    bound, holds = ("at least 0", value >= 0) if above is None else (f"above {above}", value > above)
    need(holds and value < math.inf, f"{name} must be finite and {bound}, got {value!r}{hint}")
    return float(value)


def above_zero(name, value):
    """`value` as a float that is finite and above 0."""
    return real_number(name, value, above=0)


def base_of_angles(base):
    """`base` as a float above 1."""
    return real_number("base", base, above=1, hint=": Vaswani et al. and Su et al. take 10_000.0")


def true_or_false(name, value):
    """`value` as a bool."""
    is_bool = type(value).__name__ in ("bool", "bool_")  # NumPy's, too
    need(is_bool, f"{name} must be True or False, got {value!r}", TypeError)
    return bool(value)


def _one_of(name, word, *words):
    *first, last = (f'"{one}"' for one in words)
    known = isinstance(word, str) and word in words
    need(known, f"{name} must be {', '.join(first)} or {last}, got {word!r}")


# --- many numbers, and their axes ---


def numbers(name, value, kind=REAL):
    """`value`, a number or (nested) rows of them, in (nested) lists; NaN and inf may be there."""
    if hasattr(value, "tolist"):  # an array, or one of its numbers
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        rows = [numbers(name, row, kind) for row in value]
        shapes = sorted({shape_of(row) for row in rows})
        need(len(shapes) < 2, f"{name} must have rows of one length, got rows of the shapes {shapes}")
        return rows
    expected, make = _KINDS[kind]
    if not isinstance(value, expected) or isinstance(value, bool) != (expected is bool):
        raise TypeError(f"{name} must hold {kind}, got {value!r} ({type(value).__name__})")
    return make(value)


def finite(name, value):
    """Numbers that are ready, none of which is NaN or inf."""
    for number in _flat(value):
        if not math.isfinite(number):
            raise ValueError(f"{name} must be finite, got {number} among them")
    return value


def matrix(name, rows):
    """`rows` as a list of rows of floats: the loops take one head, without axes before its rows."""
    rows = numbers(name, rows)
    axes(**{name: (rows, "seq_len head_dim")})
    return rows


def shape_of(value):
    """The shape of an array, a Tensor, or what `numbers` returns."""
    if not isinstance(value, list):
        return tuple(getattr(value, "shape", ()))
    return (len(value), *shape_of(value[0])) if value else (0,)


def _flat(value):
    """One after the other the numbers that are ready. On a page there is no NumPy."""
    value = value.reshape(-1).tolist() if hasattr(value, "tolist") else value
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, list):
            yield from _flat(one)
        else:
            yield one


def axes(known=(), **arguments):
    """The sizes of axes by their names, where axes of one name must have one size.

    Each argument is (value, names of its axes), and None as a value is left out. Names that begin with "..."
    allow axes before them, the same for all arguments. No last axis may be empty.

    >>> axes(q=([[0.1, 0.2]], "... n_q head_dim"), k=([[0.3, 0.4]] * 3, "... n_k head_dim"))
    {'...': (), 'n_q': 1, 'head_dim': 2, 'n_k': 3}
    """
    sizes, given_by = dict(known), {}
    for argument, (value, names) in arguments.items():
        if value is None:
            continue
        shape, names = shape_of(value), names.split()
        count = len(names) - (names[0] == "...")  # of the axes that have a name
        said = f"{argument} must have the axes ({', '.join(names)})"
        fits = len(shape) == count or (len(shape) > count and names[0] == "...")
        need(fits and shape[-1], f"{said} and an entry, got shape {shape}")
        split = len(shape) - count
        found = [shape[:split]] * (names[0] == "...") + [*shape[split:]]
        for name, size in zip(names, found, strict=True):
            wanted = sizes.setdefault(name, size)
            whose = f", as {given_by[name]} has" if given_by.get(name) else ""
            need(size == wanted, f"{said} with {name} = {wanted}{whose}, got shape {shape}")
            given_by.setdefault(name, argument if name not in dict(known) else "")
    return sizes


# --- the arguments of one function; the numbers among them are ready ---


def table_arguments(seq_len, d_model, base, start):
    """The four arguments that every table of positions takes."""
    seq_len = whole_number("seq_len", seq_len, minimum=1)
    d_model = whole_number("d_model", d_model, minimum=1)
    return seq_len, d_model, base_of_angles(base), whole_number("start", start)


def grid_arguments(height, width, d_model):
    """Height and width of a grid, and how much of `d_model` each of its axes gets."""
    half = multiple_of_four("d_model", d_model) // 2
    return whole_number("height", height, minimum=1), whole_number("width", width, minimum=1), half


def sees_a_key(name, row, query=None):
    """A row of booleans, of which one is True, or of scores or biases, of which one is above -inf."""
    hides_all = not any(one is True or (one is not False and one != -math.inf) for one in _flat(row))
    which = "a row" if query is None else f"query {query}"
    why = "the softmax of nothing is not defined (in a mask, True means: may look there)"
    need(not hides_all, f"{name} must leave every query at least one key, but {which} has none: {why}")
    return row


def attention_sizes(q, k, v, mask=None):
    """The sizes of the axes of queries, keys and values; the mask may be one for all leading axes."""
    of_mask = "n_q n_k" if len(shape_of(mask)) < 3 else "... n_q n_k"
    of_keys = {"k": (k, "... n_k head_dim"), "v": (v, "... n_k v_dim")}
    return axes(q=(q, "... n_q head_dim"), **of_keys, mask=(mask, of_mask))


def state_sizes(q, k, v, state, **rates):
    """The sizes of the axes of a layer whose state every token updates, by rates, one for each token."""
    for name, rate in rates.items():
        rate_of_each_token(name, rate)
    rows = {"q": (q, "... seq_len head_dim"), "k": (k, "... seq_len head_dim"), "v": (v, "... seq_len v_dim")}
    of_rates = {name: (rate, "... seq_len") for name, rate in rates.items()}
    return axes(**rows, **of_rates, state=(state, "... head_dim v_dim"))


def rate_of_each_token(name, rate):
    """`gates` lie above 0 and at most at 1, `beta` from 0 to 2."""
    axes(**{name: (rate, "... seq_len")})
    most, allowed = {"gates": (1, "above 0 and at most 1"), "beta": (2, "from 0 to 2")}[name]
    for number in _flat(rate):
        if not 0 <= number <= most or (name == "gates" and not number):
            raise ValueError(f"{name} must be {allowed}, got {number} among them")
    return rate


def convolution_sizes(x, weights, before):
    """seq_len, d_model and width for x ``(..., seq_len, d_model)`` and weights ``(d_model, width)``."""
    sizes = axes(x=(x, "... seq_len d_model"), weights=(weights, "d_model width"))
    known = {"...": sizes["..."], "d_model": sizes["d_model"], "width-1": sizes["width"] - 1}
    axes(known, before=(before, "... width-1 d_model"))
    return sizes["seq_len"], sizes["d_model"], sizes["width"]


def rotary_columns(x, positions, layout, rotary_dim=None, *, by_text=False):
    """How many columns of x ``(..., seq_len, head_dim)`` turn: `rotary_dim`, or all. seq_len may be 0.

    With `by_text`, each text of x ``(batch, ..., seq_len, head_dim)`` may have positions of its own.
    """
    _one_of("layout", layout, "interleaved", "half")
    if by_text and len(shape_of(positions)) == 2:
        sizes = axes(x=(x, "batch ... seq_len head_dim"))
        axes({"batch": sizes["batch"], "seq_len": sizes["seq_len"]}, positions=(positions, "batch seq_len"))
        head_dim = sizes["head_dim"]
    else:
        head_dim = _rows_with_positions(x, positions=positions)
    if rotary_dim is None:
        return even_width(head_dim, HEAD_DIM)
    rotary_dim = even_width(rotary_dim, "rotary_dim")
    said = f"rotary_dim must be at most the head_dim of x, {head_dim}, got {rotary_dim}"
    need(rotary_dim <= head_dim, said)
    return rotary_dim


def _rows_with_positions(x, **positions):
    """The width of x ``(..., seq_len, head_dim)``, with one position for each of its rows."""
    sizes = axes(x=(x, "... seq_len head_dim"))
    for name, value in positions.items():
        shape, said = shape_of(value), f"one number for each of the {sizes['seq_len']} rows of x"
        need(shape == (sizes["seq_len"],), f"{name} must be {said}, got shape {shape}")
    return sizes["head_dim"]


def scale_arguments(positions, length, strength):
    """`length` as an int of at least 1 and `strength` as a float; no position is below 0."""
    least = min(_flat(positions), default=0)
    need(least >= 0, f"positions must be at least 0, got {least} among them: count from the text's start")
    return whole_number("length", length, minimum=1), real_number("strength", strength, hint=": 0.1 is usual")


def axial_columns(x, rows, columns, layout):
    """The head_dim of x ``(..., n_patches, head_dim)``."""
    _one_of("layout", layout, "interleaved", "half")
    head_dim = _rows_with_positions(x, rows=rows, columns=columns)
    return multiple_of_four(HEAD_DIM, head_dim)


def prompt_parts(parts):
    """`parts` of a prompt: ints for text, tuples (frames, height, width) for images and videos."""
    is_sequence = isinstance(parts, list | tuple) and len(parts)
    need(is_sequence, f"parts must be a sequence such as (2, (1, 3, 4), 5), got {parts!r}")
    return [_part(part) for part in parts]


def _part(part):
    if not isinstance(part, list | tuple):
        return whole_number("text in parts", part, minimum=1)
    name = "an image or a video in parts"
    why = f"got {part!r}: an image has one frame, (1, height, width)"
    need(len(part) == 3, f"{name} must be (frames, height, width), {why}")
    return tuple(whole_number(name, size, minimum=1) for size in part)


def mrope_sections(x, positions, sections, layout, order):
    """`sections` as a tuple of ints: the pairs of each axis, for x ``(..., seq_len, head_dim)``."""
    _one_of("layout", layout, "interleaved", "half")
    _one_of("order", order, "blocks", "interleaved", "axial")
    sections = tuple(whole_number("sections", section, minimum=1) for section in sections)
    sizes = axes(
        {"axes": len(sections)}, x=(x, "... seq_len head_dim"), positions=(positions, "axes seq_len")
    )
    pairs = even_width(sizes["head_dim"], HEAD_DIM) // 2
    each = f"a number of pairs for each axis, {pairs} in all"
    need(sum(sections) == pairs, f"sections must be {each}, got {sections}")
    for axis, section in enumerate(sections[1:] if order == "interleaved" else (), start=1):
        why = f"from pair {axis} on there are not {section}, {len(sections)} apart"
        has_turns = (section - 1) * len(sections) + axis < pairs
        need(has_turns, f"sections must leave each axis its turns among {pairs} pairs, got {sections}: {why}")
    return sections


def shaw_distance(q, table):
    """The largest distance of Shaw's table, for queries ``(..., seq_len, head_dim)``."""
    count = axes(q=(q, "... seq_len head_dim"), table=(table, "distances head_dim"))["distances"]
    need(count % 2, f"table must have 2 * max_distance + 1 rows, an odd number, got {count}")
    return count // 2


def key_positions(positions, n_queries):
    """`positions`, one for each key, the last of which are those of the queries."""
    shape, why = shape_of(positions), f"as the last {n_queries} are those of the queries"
    said = f"a row of numbers, one for each key and at least {n_queries}, {why}"
    need(len(shape) == 1 and shape[0] >= n_queries, f"positions must be {said}, got shape {shape}")
    return positions


def bucket_arguments(num_buckets, max_distance, bidirectional, *, name="num_buckets"):
    """The buckets of one direction, those for one distance, and the largest distance, all as ints."""
    bidirectional = true_or_false("bidirectional", bidirectional)
    num_buckets = whole_number(name, num_buckets, minimum=4 if bidirectional else 2)
    even = not bidirectional or num_buckets % 2 == 0
    need(even, f"{name} must be even, half of them for each direction, got {num_buckets}")
    one_way = num_buckets // 2 if bidirectional else num_buckets
    exact, max_distance = one_way // 2, whole_number("max_distance", max_distance)
    why = f"above {exact}, where buckets begin to be shared"
    need(max_distance > exact, f"max_distance must be {why}, got {max_distance}")
    return one_way, exact, max_distance


def bucket_table(table, max_distance, bidirectional):
    """num_buckets and num_heads of T5's table."""
    sizes = axes(table=(table, "num_buckets num_heads"))
    name = "num_buckets, the rows of table,"
    bucket_arguments(sizes["num_buckets"], max_distance, bidirectional, name=name)
    return sizes["num_buckets"], sizes["num_heads"]


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
_MAY_BE_NONE = "attention_factor", "mscale", "mscale_all_dim"
_NO_NUMBERS = "rope_type", "truncate", "short_factor", "long_factor"
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
    rule = _checked_rule({"rope_type": "default"} if scaling is None else scaling, head_dim)
    rule["turning_pairs"] = head_dim
    rope_type, trained_len = rule["rope_type"], rule.get("original_max_position_embeddings")
    said = f"text_len must be given for scaling of the type {rope_type!r}, got None"
    need(text_len or rope_type not in ("dynamic", "longrope"), f"{said}: count cached tokens, too")
    if rope_type == "proportional":
        rule["turning_pairs"] = int(rule["partial_rotary_factor"] * head_dim // 2)
    if rope_type == "llama3":
        rule |= {"alpha": rule["low_freq_factor"], "beta": rule["high_freq_factor"]}
        rule["rope_type"] = "ntk_by_parts"
    if rope_type == "yarn" and rule["attention_factor"] is None:
        both = rule["mscale"] is not None and rule["mscale_all_dim"] is not None
        above, below = (rule["mscale"], rule["mscale_all_dim"]) if both else (1.0, 0.0)
        log = 0.1 * math.log(rule["factor"])
        rule["attention_factor"] = (above * log + 1.0) / (below * log + 1.0)
    if rope_type == "dynamic":
        longer = max(text_len / trained_len, 1.0)
        rule |= {"rope_type": "ntk", "factor": rule["factor"] * longer - (rule["factor"] - 1.0)}
    if rope_type == "longrope":
        rule["divisors"] = rule["long_factor" if text_len > trained_len else "short_factor"]
        if rule["attention_factor"] is None:
            rule["attention_factor"] = math.sqrt(1.0 + math.log(rule["factor"]) / math.log(trained_len))
    return rule


def _checked_rule(scaling, head_dim):
    """A copy of `scaling` with the keys of its type, as numbers that make sense."""
    said = f'scaling must be a dict such as {{"rope_type": "linear", "factor": 4.0}}, got {scaling!r}'
    need(isinstance(scaling, dict), said, TypeError)
    rope_type = scaling.get("rope_type")
    known = rope_type in list(SCALING_RULES)
    need(known, f'scaling["rope_type"] must be one of {list(SCALING_RULES)}, got {rope_type!r}')
    needed, optional = SCALING_RULES[rope_type]
    keys = scaling.keys() - {"rope_type"}
    said = f"must have the keys {list(needed)} and may have {list(optional)}, got {sorted(keys, key=str)}"
    need(set(needed) <= keys <= {*needed, *optional}, f"scaling of the type {rope_type!r} {said}")
    rule = {"factor": 1.0, "attention_factor": 1.0, **optional, **scaling}
    for key, value in rule.items():
        if key in ("short_factor", "long_factor"):
            each = f"a list with a number for each of the {head_dim // 2} pairs of head_dim"
            fits = isinstance(value, list | tuple) and len(value) == head_dim // 2
            need(fits, f'scaling["{key}"] must be {each}, got {value!r}')
            rule[key] = [above_zero(f'scaling["{key}"]', number) for number in value]
        elif key not in _NO_NUMBERS and not (key in _MAY_BE_NONE and value is None):
            rule[key] = above_zero(f'scaling["{key}"]', value)
    factor, share = rule["factor"], rule.get("partial_rotary_factor", 1)
    why = "at least 1, the new length over the trained one"
    need(factor >= 1, f'scaling["factor"] must be {why}, got {factor}')
    why = "at most 1, the share of the columns"
    need(share <= 1, f'scaling["partial_rotary_factor"] must be {why}, got {share}')
    many, few = _MANY_AND_FEW_TURNS.get(rope_type, ("factor", None))
    said = f'scaling["{many}"] must be above scaling["{few}"], got {rule[many]} and {rule.get(few)}'
    need(few is None or rule[many] > rule[few], f"{said}: turns within the trained length, many and few")
    return rule
