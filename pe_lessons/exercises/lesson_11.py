"""Exercises of lesson 11, rotary positions."""

import dataclasses
from types import SimpleNamespace

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises import _sinusoidal_slips as slips
from pe_lessons.exercises.engine import Exercise, Question, Slip


def turned_interleaved(x, positions):
    frequencies = 10_000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])  # (n_pairs,)
    angles = positions[:, None] * frequencies  # (seq_len, n_pairs)
    a, b = x[:, 0::2], x[:, 1::2]
    turned = np.empty(x.shape)
    turned[:, 0::2] = a * np.cos(angles) - b * np.sin(angles)
    turned[:, 1::2] = a * np.sin(angles) + b * np.cos(angles)
    return turned


def turned_in_halves(x, positions):
    frequencies = 10_000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])  # (n_pairs,)
    angles = positions[:, None] * frequencies  # (seq_len, n_pairs)
    a, b = np.split(x, 2, axis=-1)  # (seq_len, n_pairs) each
    first = a * np.cos(angles) - b * np.sin(angles)
    second = a * np.sin(angles) + b * np.cos(angles)
    return np.concatenate([first, second], axis=-1)


def _interleaved_pairs(columns):
    return columns[:, 0::2], columns[:, 1::2]


def _halves(columns):
    return np.split(columns, 2, axis=1)


def _interleave(a, b):
    return np.stack([a, b], axis=-1).reshape(len(a), -1)


def _put_behind(a, b):
    return np.concatenate([a, b], axis=1)


INTERLEAVED = (_interleaved_pairs, _interleave, _interleave)  # read, lay out the angles, write
IN_HALVES = (_halves, _put_behind, _put_behind)


def _rotary_with(own_layout):
    own = {
        "count": lambda positions: positions,
        "sign": 1,
        "unit": lambda angles: angles,
        "turn": lambda a, b, sin, cos: (a * cos[0] - b * sin[0], a * sin[1] + b * cos[1]),
        "layout": own_layout,
    }

    def build(**pieces):
        part = SimpleNamespace(**{name: pieces.get(name, right) for name, right in own.items()})
        frequencies = slips.frequencies_with(
            **{name: piece for name, piece in pieces.items() if name not in own}
        )

        def rotary(x, positions):
            read, lay_out, write = part.layout
            angles = part.count(positions)[:, None] * frequencies(x.shape[1])  # (seq_len, n_pairs)
            angles = part.unit(part.sign * angles)
            of_pairs = read(lay_out(angles, angles))  # those of the first and of the second numbers
            sin, cos = [np.sin(one) for one in of_pairs], [np.cos(one) for one in of_pairs]
            return write(*part.turn(*read(x), sin, cos))

        return rotary

    return build


def _first_pair_only(base, exponent):
    return np.where(exponent == 0, 1.0, 0.0)


def _overwritten(a, b, sin, cos):
    a = a * cos[0] - b * sin[0]
    return a, a * sin[1] + b * cos[1]


def _in_a_table(positions):
    """What ``table[positions]`` finds, its rows standing for 0, 1, 2, ... up to the largest position."""
    return np.arange(positions.max() + 1)[positions]


FREQUENCY = tuple(
    dataclasses.replace(slip, diagnosis=slip.diagnosis.replace("d_model", "head_dim"))
    for slip in slips.FREQUENCY
)
TURN = (
    *FREQUENCY,
    Slip(
        "wrong sign",
        "Every pair rotates the wrong way, clockwise. Which of the two sines has the minus? (1, 0) should "
        "become (cos, sin).",
        "sign",
        -1,
    ),
    Slip(
        "both sines positive",
        "Both sines have a plus, so pairs are stretched instead of rotated. One of the two formulas has a "
        "minus.",
        "turn",
        lambda a, b, sin, cos: (a * cos[0] + b * sin[0], a * sin[1] + b * cos[1]),
    ),
    Slip(
        "sine and cosine exchanged",
        "Sine and cosine have changed places: at position 0, where nothing should rotate, every pair makes "
        "a quarter of a turn.",
        "turn",
        lambda a, b, sin, cos: (a * sin[0] - b * cos[0], a * cos[1] + b * sin[1]),
    ),
    Slip(
        "cosine alone",
        "Each number is only multiplied by a cosine, its partner left out. A rotation combines the two "
        "numbers of a pair: where are the sines?",
        "turn",
        lambda a, b, sin, cos: (a * cos[0], b * cos[1]),
    ),
    Slip(
        "nothing turned",
        "Nothing is rotated: the rows come back as they were given.",
        "turn",
        lambda a, b, sin, cos: (a, b),
    ),
    Slip(
        "partner not fetched",
        "Each number is combined with itself, times cosine plus times sine. The sine belongs to its "
        "*partner*: the other number of the pair, for one of the two with a minus.",
        "turn",
        lambda a, b, sin, cos: (a * cos[0] + a * sin[0], b * cos[1] + b * sin[1]),
    ),
    Slip(
        "first number overwritten",
        "The first number of each pair is right, the second is made from the *new* first number. It needs "
        "the old one: compute both before you write either.",
        "turn",
        _overwritten,
    ),
    Slip(
        "added instead of turned",
        "Sines and cosines are added to the numbers, as with a table. Here every pair is to be rotated: "
        "multiplied, and combined with its partner.",
        "turn",
        lambda a, b, sin, cos: (a + sin[0], b + cos[1]),
    ),
    Slip(
        "multiplied by the table",
        "The first numbers are multiplied by sines and the second ones by cosines, each for itself. "
        "Rotating a pair takes four products.",
        "turn",
        lambda a, b, sin, cos: (a * sin[0], b * cos[1]),
    ),
    Slip(
        "positions not used",
        "The rows are rotated by 0, 1, 2, ..., whatever the positions are. Row n has the position "
        "`positions[n]`.",
        "count",
        lambda positions: np.arange(len(positions)),
    ),
    Slip(
        "positions from 1",
        "Every row is rotated by one token too many. The positions are given: take them as they are.",
        "count",
        lambda positions: positions + 1,
    ),
    Slip(
        "looked up in a table",
        "Right for positions from 0 on, but a negative one is looked up from the end of a table. Compute the "
        "angle from the position itself.",
        "count",
        _in_a_table,
    ),
    Slip(
        "first pair only",
        "Only the first pair is rotated. Every pair rotates, each at a frequency of its own.",
        "power",
        _first_pair_only,
    ),
    Slip(
        "degrees",
        "The angle is made into degrees before use. Sine and cosine in Python work in radians: leave the "
        "angle as it is.",
        "unit",
        np.degrees,
    ),
)

_rows = np.random.default_rng(seed=11)
ROTARY_PROBES = (
    (_rows.normal(size=(5, 4)), np.array([0, 3, 7, 8, 20])),
    (_rows.normal(size=(3, 6)), np.array([5, 1, 2])),
    (_rows.normal(size=(2, 10)), np.array([4, 9])),
)
ROTARY_EDGES = ((_rows.normal(size=(2, 2)), np.array([3, 1])), (_rows.normal(size=(2, 4)), np.array([-3, 2])))

rotary_interleaved = Exercise(
    name="rotary_interleaved",
    reference=turned_interleaved,
    probes=ROTARY_PROBES,
    edge_probes=ROTARY_EDGES,
    slips=(
        *TURN,
        Slip(
            "halves instead of interleaved",
            "The pairs are made in halves: column k with column k + head_dim / 2. Here neighbours are asked "
            "for, columns 2k and 2k + 1.",
            "layout",
            IN_HALVES,
        ),
        Slip(
            "layouts mixed",
            "Neighbours are rotated with the angles of the other layout: the angles stand twice in a row, "
            "one set after the other. Both numbers of a pair need *one* angle.",
            "layout",
            (_interleaved_pairs, _put_behind, _interleave),
        ),
        Slip(
            "layouts mixed, partners from the halves",
            "The angles are laid out for neighbours, but each number is combined with a partner from the "
            "other half of the row. Column 2k belongs to column 2k + 1.",
            "layout",
            (_halves, _interleave, _put_behind),
        ),
        Slip(
            "halves, written interleaved",
            "The pairs are made in halves and then written side by side. Make them of neighbours, columns 2k "
            "and 2k + 1; that is where they are written, too.",
            "layout",
            (_halves, _put_behind, _interleave),
        ),
        Slip(
            "written in halves",
            "The pairs are rotated rightly but written to other columns: all first numbers, then all second "
            "ones. Each goes back to the column it came from.",
            "layout",
            (_interleaved_pairs, _interleave, _put_behind),
        ),
    ),
    build=_rotary_with(INTERLEAVED),
    hints=(
        "Begin with one pair (a, b) and one angle: it becomes (a cos - b sin, a sin + b cos).",
        "x[:, 0::2] holds the first numbers of all pairs, x[:, 1::2] the second ones; the angles are "
        "positions[:, None] * frequencies.",
        "Make an empty array of the shape of x and write into its even and its odd columns.",
    ),
    atol=1e-5,
)

rotary_half = Exercise(
    name="rotary_half",
    reference=turned_in_halves,
    probes=ROTARY_PROBES,
    edge_probes=ROTARY_EDGES,
    slips=(
        *TURN,
        Slip(
            "interleaved instead of halves",
            "Neighbouring columns are paired. Here the row is cut in two halves, and column k belongs to "
            "column k + head_dim / 2.",
            "layout",
            INTERLEAVED,
        ),
        Slip(
            "layouts mixed",
            "The halves are rotated with the angles of the other layout, each angle standing twice side by "
            "side. Both numbers of a pair need *one* angle.",
            "layout",
            (_halves, _interleave, _put_behind),
        ),
        Slip(
            "layouts mixed, partners from the neighbours",
            "The angles are laid out for halves, but each number is combined with its neighbour. Column k "
            "belongs to column k + head_dim / 2.",
            "layout",
            (_interleaved_pairs, _put_behind, _interleave),
        ),
        Slip(
            "interleaved, written in halves",
            "Neighbours are paired, and their rotated numbers written in halves. Make the pairs in halves "
            "as well: column k and column k + head_dim / 2.",
            "layout",
            (_interleaved_pairs, _interleave, _put_behind),
        ),
        Slip(
            "written interleaved",
            "The pairs are rotated rightly but written to other columns, side by side. The first numbers go "
            "back to the first half, the second ones to the second.",
            "layout",
            (_halves, _put_behind, _interleave),
        ),
    ),
    build=_rotary_with(IN_HALVES),
    hints=(
        "Everything is as in the interleaved layout, except where the two numbers of a pair are.",
        "a, b = np.split(x, 2, axis=-1); the angles are positions[:, None] * frequencies.",
        "np.concatenate puts the rotated first numbers before the rotated second ones.",
    ),
    atol=1e-5,
)


def scores_of_all_heads(x, W_Q, W_K, num_heads):
    seq_len, head_dim = len(x), W_Q.shape[1] // num_heads
    q = (x @ W_Q).reshape(seq_len, num_heads, head_dim).swapaxes(0, 1)
    k = (x @ W_K).reshape(seq_len, num_heads, head_dim).swapaxes(0, 1)
    q = arrays.rotary(q, np.arange(seq_len))  # (num_heads, seq_len, head_dim)
    k = arrays.rotary(k, np.arange(seq_len))
    return q @ k.swapaxes(1, 2) / np.sqrt(head_dim)


def _split(rows, num_heads):
    return rows.reshape(len(rows), num_heads, -1).swapaxes(0, 1)


def _split_without_moving(rows, num_heads):
    return rows.reshape(num_heads, len(rows), -1)


def _split_by_turns(rows, num_heads):
    return rows.reshape(len(rows), -1, num_heads).transpose(2, 0, 1)


def _earlier_only(scores):
    return np.where(np.tri(scores.shape[1], dtype=bool), scores, -np.inf)


def _per_head(rows, num_heads, split, sign):
    heads = split(rows, num_heads)
    return arrays.rotary(heads, sign * np.arange(heads.shape[1]))


def _before_splitting(rows, num_heads, split, sign):
    return split(arrays.rotary(rows, sign * np.arange(len(rows))), num_heads)


def _frequencies_of_d_model(rows, num_heads, split, sign):
    heads = split(rows, num_heads)
    base = 10_000.0 ** (1 / num_heads)  # the frequencies of a head_dim that is num_heads times as large
    return arrays.rotary(heads, sign * np.arange(heads.shape[1]), base=base)


def _in_halves_per_head(rows, num_heads, split, sign):
    heads = split(rows, num_heads)
    return arrays.rotary(heads, sign * np.arange(heads.shape[1]), layout="half")


def _unturned(rows, num_heads, split, sign):
    return split(rows, num_heads)


def _scores_with(**pieces):
    own = {
        "sign": 1,
        "split": _split,
        "how": _per_head,
        "turned": lambda how: (how, how),
        "place": "after",
        "finish": lambda scores: scores,
        "scale": lambda head_dim, d_model, d_in: np.sqrt(head_dim),
    }
    part = SimpleNamespace(**own | pieces)

    def scores(x, W_Q, W_K, num_heads):
        if part.place == "before":
            x = arrays.rotary(x, part.sign * np.arange(len(x)))
            turns = (_unturned, _unturned)
        else:
            turns = part.turned(part.how)
        q, k = (
            turn(x @ weights, num_heads, part.split, part.sign) for turn, weights in zip(turns, (W_Q, W_K))
        )
        return part.finish(q @ k.swapaxes(1, 2) / part.scale(q.shape[2], *W_Q.shape[::-1]))

    return scores


def _weights(rng, seq_len, d_in, d_model):
    return rng.normal(size=(seq_len, d_in)), *rng.normal(size=(2, d_in, d_model))


rotary_scores = Exercise(
    name="rotary_scores",
    reference=scores_of_all_heads,
    probes=(
        (*_weights(_rows, 5, 8, 8), 2),
        (*_weights(_rows, 4, 6, 12), 3),
        (*_weights(_rows, 3, 12, 12), 3),
    ),
    edge_probes=((*_weights(_rows, 3, 4, 4), 1), (*_weights(_rows, 1, 4, 8), 2)),
    slips=(
        Slip(
            "rotated before the projection",
            "The rows of x are rotated, and then projected. W_Q and W_K combine columns of different pairs, "
            "and the offset is lost: project first, rotate the result.",
            "place",
            "before",
        ),
        Slip(
            "only queries rotated",
            "Only the queries are rotated, so the score knows where the query is but not the key. Rotate "
            "both.",
            "turned",
            lambda how: (how, _unturned),
        ),
        Slip(
            "only keys rotated",
            "Only the keys are rotated, so the score knows where the key is but not the query. Rotate both.",
            "turned",
            lambda how: (_unturned, how),
        ),
        Slip(
            "head axis taken for time",
            "These scores do not see the order. Is nothing rotated, or each head as a whole, along the axis "
            "of the heads? Then the angles cancel: which axis counts tokens?",
            "turned",
            lambda how: (_unturned, _unturned),
        ),
        Slip(
            "frequencies over d_model instead of head_dim",
            "The frequencies fall too slowly: they are those of a row as wide as all heads together. Each "
            "head has its own row of head_dim numbers, from fast to slow.",
            "how",
            _frequencies_of_d_model,
        ),
        Slip(
            "rotated before the heads were split",
            "The whole row is rotated before it is cut into heads, so the first head gets the fast pairs "
            "and the last the slow ones. Cut first: every head has all frequencies.",
            "how",
            _before_splitting,
        ),
        Slip(
            "halves instead of interleaved",
            "The pairs are made in halves. Here the interleaved layout is asked for, which is the usual one "
            "of `arrays.rotary`.",
            "how",
            _in_halves_per_head,
        ),
        Slip(
            "wrong sign",
            "Everything rotates the wrong way, so a key three back is treated as one three ahead. The angle "
            "is plus the position times the frequency.",
            "sign",
            -1,
        ),
        Slip(
            "heads cut out of the wrong axis",
            "A head has got whole tokens instead of a part of each: `reshape(num_heads, seq_len, head_dim)` "
            "cuts between rows. Reshape to (seq_len, num_heads, head_dim), then swap axes.",
            "split",
            _split_without_moving,
        ),
        Slip(
            "columns dealt out to the heads",
            "The columns are dealt out to the heads one by one: `reshape(seq_len, head_dim, num_heads)`. A "
            "head has head_dim columns *next to each other*.",
            "split",
            _split_by_turns,
        ),
        Slip(
            "scaled by the root of d_in",
            "The scores are divided by the root of d_in, the width of x. What counts is the number of "
            "products in a score: head_dim.",
            "scale",
            lambda head_dim, d_model, d_in: np.sqrt(d_in),
        ),
        Slip(
            "weights instead of scores",
            "These are weights, after a softmax. The scores before it are asked for.",
            "finish",
            lambda scores: arrays.softmax(scores),
        ),
        Slip(
            "causal mask applied",
            "The scores of the keys ahead are hidden by a causal mask. All the scores are asked for.",
            "finish",
            _earlier_only,
        ),
        Slip(
            "scaled by the root of d_model",
            "The scores are too small: they are divided by the root of d_model. A head has only head_dim "
            "numbers.",
            "scale",
            lambda head_dim, d_model, d_in: np.sqrt(d_model),
        ),
        Slip(
            "not scaled",
            "The scores are too large: they are not divided by the root of head_dim.",
            "scale",
            lambda head_dim, d_model, d_in: 1,
        ),
        Slip(
            "scaled by head_dim",
            "The scores are too small: they are divided by head_dim itself. Attention divides by its root.",
            "scale",
            lambda head_dim, d_model, d_in: head_dim,
        ),
        Slip(
            "queries and keys exchanged",
            "Rows and columns are exchanged: entry (m, n) should be that of query m and key n.",
            "finish",
            lambda scores: scores.swapaxes(1, 2),
        ),
    ),
    build=_scores_with,
    hints=(
        "Four steps in this order: project, cut into heads, rotate, multiply queries with keys.",
        "(x @ W_Q).reshape(seq_len, num_heads, head_dim).swapaxes(0, 1) has the shape (num_heads, seq_len, "
        "head_dim), and arrays.rotary rotates it.",
        "q @ k.swapaxes(1, 2) makes the scores of all heads at once; divide by the root of head_dim.",
    ),
)


def attention_with_cache(q, k, v, cached_k, cached_v):
    cached, new = cached_k.shape[1], q.shape[1]
    positions = cached + np.arange(new)
    q, k = arrays.rotary(q, positions), arrays.rotary(k, positions)
    keys = np.concatenate([cached_k, k], axis=1)  # (num_heads, cached + new, head_dim)
    values = np.concatenate([cached_v, v], axis=1)
    mask = np.arange(cached + new) <= positions[:, None]  # (new, cached + new)
    return arrays.attention(q, keys, values, mask)


def _turn(rows, positions):
    return arrays.rotary(rows, positions)


def _turn_in_halves(rows, positions):
    return arrays.rotary(rows, positions, layout="half")


def _turn_across_heads(rows, positions):
    along = positions[0] + np.arange(len(rows))  # one position for each head
    return arrays.rotary(rows.swapaxes(0, 1), along).swapaxes(0, 1)


def _turn_with_frequencies_of_d_model(rows, positions):
    return arrays.rotary(rows, positions, base=10_000.0 ** (1 / len(rows)))


def _cache_first(cached, new):
    return np.concatenate([cached, new], axis=1)


def _up_to_itself(cached, new):
    return np.arange(cached + new) <= cached + np.arange(new)[:, None]


def _cached_with(**pieces):
    own = {
        "offset": lambda cached, new, num_heads: cached,
        "counted": "qkv",
        "sign": 1,
        "turn": _turn,
        "turned": "qk",
        "cached_keys": lambda keys: keys,
        "view": (_cache_first, _up_to_itself),
    }
    part = SimpleNamespace(**own | pieces)

    def attend(q, k, v, cached_k, cached_v):
        cached, new = cached_k.shape[1], q.shape[1]
        turned = {"q": q, "k": k, "v": v}
        for name in part.turned:
            offset = part.offset(cached, new, len(q)) if name in part.counted else 0
            turned[name] = part.turn(turned[name], part.sign * (offset + np.arange(new)))
        join, mask = part.view
        keys = join(part.cached_keys(cached_k), turned["k"])
        values = join(cached_v, turned["v"])
        mask = mask(cached, new)[:, -keys.shape[1] :]
        return arrays.attention(turned["q"], keys, values, mask)

    return attend


def _everything(cached, new):
    return np.ones((new, cached + new), dtype=bool)


def _only_before_itself(cached, new):
    return np.arange(cached + new) < cached + np.arange(new)[:, None]


def _one_ahead(cached, new):
    return np.arange(cached + new) <= cached + 1 + np.arange(new)[:, None]


def _the_cache(cached, new):
    return np.ones((new, cached), dtype=bool)


def _not_shifted(cached, new):
    return np.tri(new, cached + new, dtype=bool)


def _step(rng, num_heads, cached, new, head_dim):
    return *rng.normal(size=(3, num_heads, new, head_dim)), *rng.normal(size=(2, num_heads, cached, head_dim))


cached_attention = Exercise(
    name="cached_attention",
    reference=attention_with_cache,
    probes=(_step(_rows, 2, 5, 3, 4), _step(_rows, 3, 2, 2, 6), _step(_rows, 2, 4, 1, 8)),
    edge_probes=(_step(_rows, 2, 0, 3, 4), _step(_rows, 1, 9, 1, 2)),
    slips=(
        Slip(
            "offset ignored",
            "The new tokens are counted from 0 again. The cache holds the tokens before them: how many are "
            "these?",
            "offset",
            lambda cached, new, num_heads: 0,
        ),
        Slip(
            "keys counted from 0",
            "The queries go on where the cache ends, but the new keys are counted from 0 again. A token has "
            "one position, for its query and for its key.",
            "counted",
            "qv",
        ),
        Slip(
            "queries counted from 0",
            "The new keys go on where the cache ends, but the queries are counted from 0 again. A token has "
            "one position, for its query and for its key.",
            "counted",
            "kv",
        ),
        Slip(
            "all new tokens at one position",
            "All new tokens are rotated by the position of the first. Each has its own: they go on one by "
            "one where the cache ends.",
            "offset",
            lambda cached, new, num_heads: cached - np.arange(new),
        ),
        Slip(
            "one position too late",
            "There is a gap of one position between the cache and the new tokens. With positions 0 to 4 in "
            "the cache, which is the next?",
            "offset",
            lambda cached, new, num_heads: cached + 1,
        ),
        Slip(
            "offset counted twice",
            "The new tokens are rotated by twice the number of cached tokens. It is counted twice "
            "somewhere; their positions go on where the cache ends.",
            "offset",
            lambda cached, new, num_heads: 2 * cached,
        ),
        Slip(
            "new tokens counted in the offset",
            "The new tokens come too late: they are counted among the cached ones. Before the first new "
            "token there is only what was in the cache.",
            "offset",
            lambda cached, new, num_heads: cached + new,
        ),
        Slip(
            "one position too early",
            "The new tokens begin at the position of the last one in the cache. With positions 0 to 4 in it, "
            "the next one is 5.",
            "offset",
            lambda cached, new, num_heads: cached - 1,
        ),
        Slip(
            "heads counted for tokens",
            "The new tokens begin at the number of heads. len() counts along the first axis; the tokens of "
            "the cache lie along the second.",
            "offset",
            lambda cached, new, num_heads: num_heads,
        ),
        Slip(
            "wrong sign",
            "The new tokens rotate the wrong way, the keys in the cache the right one. The angle is plus "
            "the position times the frequency.",
            "sign",
            -1,
        ),
        Slip(
            "values rotated too",
            "The new values are rotated as well. What a token hands over should not depend on where it is: "
            "rotate queries and keys only.",
            "turned",
            "qkv",
        ),
        Slip(
            "only queries rotated",
            "Only the queries are rotated; the new keys join the rotated keys of the cache unrotated.",
            "turned",
            "q",
        ),
        Slip(
            "only keys rotated",
            "Only the keys are rotated. The query needs its position too: the score compares the two.",
            "turned",
            "k",
        ),
        Slip(
            "nothing rotated",
            "Neither the queries nor the new keys are rotated, or all of them by position 0, which comes to "
            "the same. Where are the new tokens?",
            "turned",
            "",
        ),
        Slip(
            "cached keys turned again",
            "The keys in the cache are rotated a second time. They were rotated when they came in, and "
            "their positions have not changed since: rotate the new keys only.",
            "cached_keys",
            lambda keys: arrays.rotary(keys, np.arange(keys.shape[1])) if keys.shape[1] else keys,
        ),
        Slip(
            "layouts mixed",
            "The new queries and keys are rotated in halves, those in the cache interleaved. One model, one "
            "layout: the usual one of `arrays.rotary`.",
            "turn",
            _turn_in_halves,
        ),
        Slip(
            "head axis taken for time",
            "Each head is rotated by a position of its own: the axis of the heads was taken for the axis of "
            "the tokens. Of q's three axes, which one counts tokens?",
            "turn",
            _turn_across_heads,
        ),
        Slip(
            "frequencies over d_model instead of head_dim",
            "The frequencies fall too slowly, as for a row as wide as all heads together. They are shared "
            "out over head_dim.",
            "turn",
            _turn_with_frequencies_of_d_model,
        ),
        Slip(
            "no mask",
            "The first of the new tokens sees those after it. Each may look at the cache, at itself, and at "
            "the new tokens before it.",
            "view",
            (_cache_first, _everything),
        ),
        Slip(
            "mask not moved by the cache",
            "The mask starts counting at the first new token, so that it hides most of the cache. New token "
            "m is at position cached + m, and sees everything up to there.",
            "view",
            (_cache_first, _not_shifted),
        ),
        Slip(
            "itself not seen",
            "A new token sees everything before it, but not itself. Its own key and value belong to the text "
            "as well: position n may be seen if n <= p.",
            "view",
            (_cache_first, _only_before_itself),
        ),
        Slip(
            "one token ahead seen",
            "Each new token sees one token too many, the one after it. Key n may be seen from position p if "
            "n <= p, itself included and no more.",
            "view",
            (_cache_first, _one_ahead),
        ),
        Slip(
            "new tokens not put into the cache",
            "The new tokens look at the cache only. Their own keys and values belong after it before they "
            "look: each sees itself and the new ones before it.",
            "view",
            (lambda cached, new: cached, _the_cache),
        ),
        Slip(
            "cache not looked at",
            "The new tokens see only each other. Put the cached keys and values in front of the new ones.",
            "view",
            (lambda cached, new: new, _up_to_itself),
        ),
        Slip(
            "cache put behind",
            "The cache comes after the new tokens, and so the mask hides the wrong ones. In time, it comes "
            "first.",
            "view",
            (lambda cached, new: np.concatenate([new, cached], axis=1), _up_to_itself),
        ),
    ),
    build=_cached_with,
    hints=(
        "How many tokens are in the cache? That is the position of the first new token.",
        "Rotate q and k by positions = cached + np.arange(new), then put the cached keys in front of k with "
        "np.concatenate(..., axis=1), and the cached values in front of v.",
        "The mask: key n may be seen by the new token at position p if n <= p. arrays.attention(q, keys, "
        "values, mask) does the rest.",
    ),
)

rotary_question = Question(
    name="rotary_question",
    prompt="Queries and keys are rotated by RoPE. What is true?",
    choices={
        "a": (
            "adding 100 to all positions changes no score",
            True,
            "Query and key are both rotated by 100 tokens more; look at the angle between them.",
        ),
        "b": (
            "the score of a query at 5 with a key at 2 equals that of the same query at 2 with the same key "
            "at 5",
            False,
            "The angle between them has the other sign. For a general query and key this is another score; "
            "only where the two arrows of every pair point the same way, or opposite ways, are the sides "
            "alike.",
        ),
        "c": (
            "the further apart query and key are, the smaller the score",
            False,
            "The head that looks three back has its largest score at distance three. What distance does is "
            "up to the query and the key.",
        ),
        "d": (
            "a rotated key may stay in a cache while the text grows",
            True,
            "A key is rotated by its own position; look at what becomes of that when the text grows.",
        ),
        "e": (
            "a model may use either layout, as long as its weights were trained with it",
            True,
            "The layouts differ in the order of columns, and the weights decide what is in a column.",
        ),
    },
    hints=(
        "Think of two hands on one circle: what happens to the angle between them, and what does the score "
        "see of it?",
        "One sentence is a piece of folklore that the section on distance refutes, and one mistakes RoPE for "
        "a kernel, which is the same on both sides.",
    ),
)
