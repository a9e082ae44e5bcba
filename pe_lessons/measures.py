"""What can be measured of an encoding: of a table (seq_len, d_model), one row per position, or of a score."""

import inspect

import numpy as np

from pe_lessons import _arguments as arguments

SEQ_LEN, N_HEADS, SOFTNESS, SHARPNESS = 16, 1000, 0.3, 40.0  # of `pointing`
WINDOWS = (0, 4_750, 15_750, 65_300, 261_900, 999_750)  # the seams of many repetitions lie inside
AT_LEAST = {
    "one back": 0.2,
    "five back": 0.2,
    "four times": 0.3,
    "unique": 0.1,
    "neighbours": 0.95,
    "precise": 4096,
}
AT_MOST = {"length-free": 1e-9, "shift-consistent": 0.01}


def distances(table):
    """Distance of every row from every other, a matrix (seq_len, seq_len).

    >>> distances([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]).round(3)
    array([[0.   , 5.   , 1.   ],
           [5.   , 0.   , 4.243],
           [1.   , 4.243, 0.   ]])
    """
    table = _table(table)
    # row by row: all differences at once are d_model times as large as what is returned
    return np.array([np.linalg.norm(table - row, axis=-1) for row in table])  # (seq_len, seq_len)


def nearest_neighbours(table):
    """For every row, the number of the other row that is closest to it, an array (seq_len,).

    Rows that are equally close, to nine decimals, leave the choice to the earlier one.

    >>> nearest_neighbours([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    array([2, 2, 0])
    """
    gaps = distances(table).round(9)  # (seq_len, seq_len)
    np.fill_diagonal(gaps, np.inf)
    return gaps.argmin(axis=1)


def smallest_gap(table):
    """Distance between the two rows that are closest; 0 means that two positions look the same.

    >>> smallest_gap([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    1.0
    """
    gaps = distances(table)
    return float(gaps[np.triu_indices(len(gaps), 1)].min())


def largest_value(table):
    """Largest entry, whatever its sign.

    >>> largest_value([[1.0, -3.0], [2.0, 0.0]])
    3.0
    """
    return float(np.abs(_table(table)).max())


def length_drift(encode, short, long):
    """Largest change of the first `short` rows when the sequence grows to `long`; 0 means length-free.

    `encode(seq_len)` returns the table for that length.

    >>> length_drift(lambda seq_len: np.arange(seq_len)[:, None] / seq_len, short=2, long=4)
    0.25
    """
    return float(np.abs(_table(encode(long))[:short] - _table(encode(short))).max())


def jump_ratio(table):
    """Largest step between neighbouring rows over the smallest; 1 means that every step is alike.

    Infinite where two neighbours share a row: no step is as short as none.

    >>> jump_ratio([[0.0], [1.0], [5.0]])
    4.0
    >>> jump_ratio([[0.0], [0.0], [5.0]])
    inf
    """
    steps = np.linalg.norm(np.diff(_table(table), axis=0), axis=-1)  # (seq_len - 1,)
    return float(steps.max() / steps.min()) if steps.min() > 0 else np.inf


def shift_residual(table, offset):
    """How far the best single affine map from rows p to rows p + offset misses, at worst.

    0 means that moving by `offset` tokens is the same map (a matrix and a constant) at every position.

    >>> round(shift_residual([[0.0], [1.0], [2.0], [3.0]], offset=1), 9)
    0.0
    """
    table = _table(table)
    offset = arguments.whole_number("offset", offset, minimum=1)
    if offset > len(table) - 2:
        raise ValueError(f"offset must leave at least two pairs of rows, got {offset} for {len(table)} rows")
    before = np.column_stack([table[:-offset], np.ones(len(table) - offset)])  # (n, d_model + 1)
    best_map, *_ = np.linalg.lstsq(before, table[offset:])
    return float(np.abs(before @ best_map - table[offset:]).max())


def toeplitz_residual(matrix):
    """Largest difference between two entries of a diagonal; 0 means that only the offset n - m counts.

    Such a matrix is called Toeplitz: entry (m, n) is the same wherever n - m is the same.

    >>> toeplitz_residual([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0]])
    0.0
    >>> toeplitz_residual([[0.0, 1.0, 2.0], [3.0, 0.5, 1.0]])
    0.5
    """
    matrix = np.asarray(matrix, dtype=float)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"matrix must have two axes and an entry, got shape {matrix.shape}")
    diagonals = (np.diagonal(matrix, offset) for offset in range(1 - len(matrix), matrix.shape[1]))
    return float(max(np.ptp(diagonal) for diagonal in diagonals))


def is_score(encoding):
    """Whether this is a ``score(q, k, m, n)``; otherwise it is an ``encode(positions, d_model)``.

    >>> is_score(lambda q, k, m, n: (q * k).sum(-1)), is_score(lambda positions, d_model: positions)
    (True, False)
    """
    parameters = inspect.signature(getattr(encoding, "forward", encoding)).parameters.values()
    needed = [one.name for one in parameters if one.default is one.empty]
    if len(needed) not in (2, 4):
        raise ValueError(
            f"encoding must be encode(positions, d_model) or score(q, k, m, n), got one that takes {needed}"
        )
    return len(needed) == 4


def mixed_attention(encoding, back, *, d_model=32, start=3 * SEQ_LEN, softness=SOFTNESS):
    """What a mixture of random heads looks at that should look `back` places before; see `pointing`.

    Returns
    -------
    near, far : arrays (16, 16) and (16, start + 16)
        Attention weights of the first 16 places, and of 16 places from `start` on; rows are queries.
    words : float
        The share of the variance that is left to the words.
    """
    back = arguments.whole_number("back", back, minimum=0)
    softness = arguments.above_zero("softness", softness)
    if back > SEQ_LEN - 2:
        raise ValueError(f"back must be at most {SEQ_LEN - 2}, got {back}")
    (m, n), there = _pairs(0), _pairs(start)
    heads, words = random_heads(encoding, m, n, d_model)  # (n_heads, n_pairs)
    heads_there, _ = random_heads(encoding, *there, d_model)
    asked = m >= back  # the queries before have no such key
    own = (heads - heads.mean(axis=0))[:, asked]
    wanted = _within_queries((m - n == back).astype(float), m)[asked]
    similarity = own.T @ own / N_HEADS + softness * np.eye(len(wanted))
    mixture = own @ np.linalg.solve(similarity, wanted) / N_HEADS  # (n_heads,)
    return _attention(heads, mixture, m, n), _attention(heads_there, mixture, *there), words


def random_heads(encoding, m, n, d_model=32):
    """What 1000 random heads say of these pairs of positions, before any training; see `pointing`.

    Parameters
    ----------
    encoding : callable
        ``encode(positions, d_model)`` or ``score(q, k, m, n)``, see `scorecard`.
    m, n : arrays of int, shape (n_pairs,)
        Positions that ask and are looked at, the pairs of one m one after the other.
    d_model : int
        Columns of the rows, or of q and k.

    Returns
    -------
    scores : array (1000, n_pairs)
        Those of each m without their mean, which the softmax does not see. The second half of the heads has
        the opposite sign of q, so that the mean of all heads is what they share.
    words : float
        The share of the variance that is left to the words.

    Examples
    --------
    >>> scores, words = random_heads(lambda q, k, m, n: (q * k).sum(-1) - abs(m - n), [1, 1], [0, 1])
    >>> scores.shape, scores[0].tolist(), words
    ((1000, 2), [-0.5, 0.5], 1.0)
    """
    m, n = np.asarray(m), np.asarray(n)
    rng = np.random.default_rng(seed=1)
    if is_score(encoding):
        q, k = rng.normal(size=(2, N_HEADS // 2, d_model))
        return _within_queries(_scores(encoding, q, k, m, n), m), 1.0
    table = _rows(
        encoding, np.arange(m.max() + 1.0), d_model
    )  # it may depend on how many positions there are
    d_model = table.shape[1]
    q, k = rng.normal(size=(2, N_HEADS // 2, d_model))
    rows, words = _seen(table, rng)
    scores = _within_queries((q @ rows.T)[:, m] * (k @ rows.T)[:, n] / d_model, m)
    return np.concatenate([scores, -scores]), words


def pointing(encoding, backs=(1, 5), *, d_model=32, start=3 * SEQ_LEN, softness=SOFTNESS):
    """How much of its attention a head can put on the word so many places back, before any training.

    Random heads are mixed, as well as small weights can do it (ridge regression), into a picture that is 1
    at the word `back` places before each of the first 16 and 0 elsewhere. The picture, made sharper, and
    what the encoding adds to every head, a fixed bias for instance, go through a softmax. The number is the
    mean weight on the wanted word. The same mixture is tried again further on, where every word from the
    first on is in sight.

    What a random head sees of a table are rows added to 200 random words, after LayerNorm, averaged over the
    words; the weight is then multiplied by the share of the variance that is left to the words. A score is
    given random q and k, the same at every place, and its numbers that are to be learned are drawn as well.

    Parameters
    ----------
    encoding : callable
        ``encode(positions, d_model)`` or ``score(q, k, m, n)``, see `scorecard`.
    backs : sequence of int
        How many places back, each from 0 to 14.
    d_model : int
        Columns of the rows, or of q and k.
    start : int
        First of the 16 places further on.
    softness : float
        How small the weights of the mixture are kept: what the ridge regression adds to its diagonal.

    Returns
    -------
    dict of int to (float, float)
        For each of `backs`, the weight among the first 16 places and from `start` on.

    Examples
    --------
    >>> pointing(lambda positions, d_model: 0 * positions[:, None] * np.ones(d_model), [15 - 1])
    {14: (0.0643, 0.0177)}
    """
    found = {}
    for back in backs:
        near, far, words = mixed_attention(encoding, back, d_model=d_model, start=start, softness=softness)
        weights = np.diagonal(near, -back), np.diagonal(far, start - back)
        found[back] = tuple(round(float(words * weight.mean()), 4) for weight in weights)
    return found


def scorecard(encoding, d_model=32):
    """Eight numbers of a table, four of a score: how far it meets each criterion; `passes` judges them.

    ``one back``, ``five back``
        The weight a head can put there, among the first 16 places, by `pointing`.
    ``four times``
        The smaller of the two at places 48 to 63.
    ``shift-consistent``
        Of a table, what the best linear map (a matrix and a constant) misses of the row three tokens on, at
        most, in any window where there are rows. Of a score, how far it changes when all positions move on
        to the windows.
    ``unique``
        Distance between the two closest rows of any window; 0 for a window without rows.
    ``neighbours``
        Smallest share, among the windows that have rows, of those that lie closest to a row next door.
    ``length-free``
        Largest change of the first 5 rows when the sequence grows from 5 tokens to 50.
    ``precise``
        How many of rows 0 to 4095 are still different when stored with 8 binary digits (bfloat16).

    The windows are 500 positions each, from 0 on and from the other starts of `WINDOWS` on, up to a million.

    Parameters
    ----------
    encoding : callable
        ``encode(positions, d_model)`` returns one row for each entry of `positions`, a floating-point array
        (seq_len,) of whole numbers. It may raise an IndexError or a ValueError far out, or return entries
        that are not finite there: then there are no rows. Or ``score(q, k, m, n)``, which takes Tensors that
        broadcast, q and k (..., d_model), m and n (...), and returns the scores (...).
    d_model : int
        At least 2; columns of the rows, or of q and k.

    Returns
    -------
    dict of str to float

    Raises
    ------
    ValueError
        If a row of positions 0 to 4095 has an entry that is infinite or not a number, or `encoding` takes
        neither two arguments nor four.

    Examples
    --------
    >>> scores = scorecard(lambda positions, d_model: positions[:, None] * np.ones(d_model))
    >>> scores["unique"], scores["precise"]
    (5.656854, 769)
    """
    d_model = arguments.whole_number("d_model", d_model, minimum=2)
    of_heads = pointing(encoding, d_model=d_model)
    scores = {"one back": of_heads[1][0], "five back": of_heads[5][0]}
    scores["four times"] = min(far for _, far in of_heads.values())
    if is_score(encoding):
        m, n = _pairs(0)
        here = random_heads(encoding, m, n, d_model)[0]
        moved = (random_heads(encoding, m + start, n + start, d_model)[0] for start in WINDOWS)
        return scores | {
            "shift-consistent": round(max(float(np.abs(here - there).max()) for there in moved), 6)
        }
    windows = [
        table for table in (_window(encoding, start, d_model) for start in WINDOWS) if table is not None
    ]
    next_door = [np.abs(nearest_neighbours(table) - np.arange(len(table))) == 1 for table in windows]
    many = _rows(encoding, np.arange(4096.0), d_model)
    return scores | {
        "shift-consistent": max(shift_residual(table, offset=3) for table in windows),
        "unique": round(min(map(smallest_gap, windows)), 6) if len(windows) == len(WINDOWS) else 0.0,
        "neighbours": min(float(near.mean()) for near in next_door),
        "length-free": length_drift(lambda seq_len: encoding(np.arange(float(seq_len)), d_model), 5, 50),
        "precise": len(np.unique(_eight_digits(many), axis=0)),
    }


def passes(scores):
    """Which criteria the scores of `scorecard` meet: every number against `AT_LEAST` or `AT_MOST`.

    Parameters
    ----------
    scores : dict of str to float

    Returns
    -------
    dict of str to bool

    Examples
    --------
    >>> passes({"unique": 0.5, "length-free": 0.2})
    {'unique': True, 'length-free': False}
    """
    return {
        name: bool(value >= AT_LEAST[name] if name in AT_LEAST else value <= AT_MOST[name])
        for name, value in scores.items()
    }


def _pairs(start):
    """16 queries from `start` on, each with all keys that it may see: m and n, (n_pairs,)."""
    m, n = np.tril_indices(start + SEQ_LEN)
    return m[m >= start], n[m >= start]


def rank_correlation(one, other):
    """Spearman's correlation: 1 if both put the same things in the same order, -1 if in the opposite one.

    Equal values share the mean of their ranks.

    >>> round(rank_correlation([1, 2, 3, 4], [10, 20, 40, 30]), 3)
    0.8
    """
    ranks = []
    for values in (np.asarray(one, dtype=float), np.asarray(other, dtype=float)):
        below = (values[:, None] > values).sum(axis=1)
        ranks.append(below + ((values[:, None] == values).sum(axis=1) - 1) / 2)
    return float(np.corrcoef(ranks)[0, 1])


def _seen(table, rng):
    """What LayerNorm leaves of rows and words: the mean row of each place, the share of the words."""
    seen = rng.normal(size=(200, 1, table.shape[1])) + table  # (words, seq_len, d_model)
    seen = seen - seen.mean(axis=-1, keepdims=True)
    seen = seen / np.sqrt((seen**2).mean(axis=-1, keepdims=True) + 1e-5)
    rows = seen.mean(axis=0)
    return rows, float(((seen - rows)[:, :SEQ_LEN] ** 2).mean())


def _within_queries(scores, m):
    """Scores (..., n_pairs) without the mean of each query, which no softmax sees."""
    queries, query, counts = np.unique(m, return_inverse=True, return_counts=True)
    of_query = (query == np.arange(len(queries))[:, None]) / counts[:, None]  # (n_queries, n_pairs)
    return scores - (scores @ of_query.T)[..., query]


def _attention(heads, mixture, m, n):
    """Weights (16, n_keys) of this mixture of heads, and of what all heads share."""
    shared = heads.mean(axis=0)
    logits = np.full((SEQ_LEN, n.max() + 1), -np.inf)
    logits[m - m.min(), n] = shared + SHARPNESS * (mixture @ (heads - shared))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _scores(score, q, k, m, n):
    """What a score says of each pair, (n_heads, n_pairs), with the q and k of each head at every place."""
    import torch  # here, so that tables can be measured without it

    q, k, m, n = (torch.as_tensor(values) for values in (q[:, None], k[:, None], m, n))
    learned = list(score.parameters()) if isinstance(score, torch.nn.Module) else []
    with torch.no_grad():
        if not learned:
            both = (torch.as_tensor(score(sign * q, k, m, n)).double() for sign in (1, -1))
            return torch.cat([torch.broadcast_to(scores, (len(q), len(m))) for scores in both]).numpy()
        kept, generator = [one.clone() for one in learned], torch.Generator().manual_seed(0)
        found = torch.empty(2, len(q), len(m), dtype=torch.float64)
        for head in range(len(q)):
            drawn = [torch.randn(one.shape, generator=generator, dtype=torch.float64) for one in learned]
            for half, sign in enumerate((1, -1)):
                for one, values in zip(learned, drawn):
                    one.copy_(sign * values)
                found[half, head] = score(sign * q[head], k[head], m, n)
        for one, before in zip(learned, kept):
            one.copy_(before)
    return found.flatten(0, 1).numpy()


def _window(encode, start, d_model):
    """The 500 rows from `start` on, None if there are none."""
    positions = np.arange(start, start + 500.0)
    if start == 0:
        return _rows(encode, positions, d_model)
    try:
        table = _table(encode(positions, d_model))
    except (IndexError, ValueError):
        return None
    return table if np.isfinite(table).all() else None


def _rows(encode, positions, d_model):
    table = _table(encode(positions, d_model))
    finite = np.isfinite(table)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        position = int(positions[row]) if len(table) == len(positions) else row
        raise ValueError(
            f"encode must return finite numbers, but the row of position {position} holds "
            f"{table[row, column]}: is there a logarithm of 0, a division by 0, a number that grows too far?"
        )
    return table


def _eight_digits(table):
    """The nearest numbers of eight binary digits, ties to even: what bfloat16 keeps."""
    fractions, points = np.frexp(table)
    return np.ldexp(np.round(fractions * 2**8), points - 8)


def _table(table):
    table = np.asarray(table, dtype=float)
    if table.ndim != 2 or len(table) < 2:
        raise ValueError(f"table must have the axes (seq_len, d_model) and two rows, got shape {table.shape}")
    return table
