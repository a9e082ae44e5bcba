"""The scorecard: what an encoding will let a head do, and which wishes it meets, before any training.

An encoding is a table, ``encode(positions, d_model)``, which returns a row for each entry of `positions`,
a floating-point array (seq_len,) of whole numbers. Far out it may raise an IndexError or a ValueError, or
return entries that are not finite: then there are no rows. Or it is a score, ``score(q, k, m, n)``: it takes
Tensors that broadcast, q and k (..., d_model), m and n (...), and returns the scores (...).
"""

import inspect

import numpy as np

from pe_lessons import _arguments as arguments
from pe_lessons import measures

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


def mixed_attention(encoding, back, *, d_model=32, start=3 * SEQ_LEN):
    """What a mixture of random heads looks at that should look `back` places before; see `pointing`.

    Returns
    -------
    near, far : arrays (16, 16) and (16, start + 16)
        Attention weights of the first 16 places, and of 16 places from `start` on; rows are queries.
    words : float
        The share of the variance that is left to the words.
    """
    if not 0 <= back <= SEQ_LEN - 2:
        raise ValueError(f"back must be from 0 to {SEQ_LEN - 2}, got {back}")
    (m, n), there = _pairs(0), _pairs(start)
    heads, words = random_heads(encoding, m, n, d_model)  # (n_heads, n_pairs)
    heads_there, _ = random_heads(encoding, *there, d_model)
    asked = m >= back  # the queries before have no such key
    own = (heads - heads.mean(axis=0))[:, asked]
    wanted = _within_queries((m - n == back).astype(float), m)[asked]
    similarity = own.T @ own / N_HEADS + SOFTNESS * np.eye(len(wanted))
    mixture = own @ np.linalg.solve(similarity, wanted) / N_HEADS  # (n_heads,)
    return _attention(heads, mixture, m, n), _attention(heads_there, mixture, *there), words


def random_heads(encoding, m, n, d_model=32):
    """What 1000 random heads say of the pairs of positions m and n (n_pairs,); see `pointing`.

    Returns
    -------
    scores : array (1000, n_pairs)
        Those of each m without their mean, which the softmax does not see. The second half of the heads has
        the opposite sign of q, so that the mean of all heads is what they share.
    words : float
        The share of the variance that is left to the words.
    """
    rng = np.random.default_rng(seed=1)
    if is_score(encoding):
        q, k = rng.normal(size=(2, N_HEADS // 2, d_model))
        return _within_queries(_scores(encoding, q, k, m, n), m), 1.0
    # all positions at once, for a table may depend on how many there are
    table = _rows(encoding, np.arange(m.max() + 1.0), d_model)
    d_model = table.shape[1]
    q, k = rng.normal(size=(2, N_HEADS // 2, d_model))
    rows, words = _seen(table, rng)
    scores = _within_queries((q @ rows.T)[:, m] * (k @ rows.T)[:, n] / d_model, m)
    return np.concatenate([scores, -scores]), words


def pointing(encoding, backs=(1, 5), *, d_model=32, start=3 * SEQ_LEN):
    """How much of its attention a head can put on the word so many places back, before any training.

    Random heads are mixed, as well as small weights can do it (ridge regression), into a picture that is 1
    at the word `back` places before each of the first 16 and 0 elsewhere. The picture, made sharper, and
    what the encoding adds to every head, a fixed bias for instance, go through a softmax. The number is the
    mean weight on the wanted word. The same mixture is tried again from `start` on, where every word from the
    first on is in sight.

    What a random head sees of a table are rows added to 200 random words, after LayerNorm, averaged over the
    words; the weight is then multiplied by the share of the variance that is left to the words. A score is
    given random q and k, the same at every place, and its numbers that are to be learned are drawn as well.

    Returns
    -------
    dict of int to (float, float)
        For each of `backs` (0 to 14), the weight among the first 16 places and from `start` on.

    Examples
    --------
    >>> pointing(lambda positions, d_model: 0 * positions[:, None] * np.ones(d_model), [15 - 1])
    {14: (0.0643, 0.0177)}
    """
    found = {}
    for back in backs:
        near, far, words = mixed_attention(encoding, back, d_model=d_model, start=start)
        weights = np.diagonal(near, -back), np.diagonal(far, start - back)
        found[back] = tuple(round(float(words * weight.mean()), 4) for weight in weights)
    return found


def scorecard(encoding, d_model=32):
    """Eight numbers of a table, four of a score: how far it meets each wish; `passes` judges them.

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
    next_door = [np.abs(measures.nearest_neighbours(table) - np.arange(len(table))) == 1 for table in windows]
    many = _rows(encoding, np.arange(4096.0), d_model)
    return scores | {
        "shift-consistent": max(measures.shift_residual(table, offset=3) for table in windows),
        "unique": round(min(map(measures.smallest_gap, windows)), 6) if len(windows) == len(WINDOWS) else 0.0,
        "neighbours": min(float(near.mean()) for near in next_door),
        "length-free": measures.length_drift(
            lambda seq_len: encoding(np.arange(float(seq_len)), d_model), 5, 50
        ),
        "precise": len(np.unique(_eight_digits(many), axis=0)),
    }


def passes(scores):
    """Which wishes the scores of `scorecard` meet: every number against `AT_LEAST` or `AT_MOST`.

    >>> passes({"unique": 0.5, "length-free": 0.2})
    {'unique': True, 'length-free': False}
    """
    return {
        name: bool(value >= AT_LEAST[name] if name in AT_LEAST else value <= AT_MOST[name])
        for name, value in scores.items()
    }


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


def _pairs(start):
    """16 queries from `start` on, each with all keys that it may see: m and n, (n_pairs,)."""
    m, n = np.tril_indices(start + SEQ_LEN)
    return m[m >= start], n[m >= start]


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
        table = measures.table_of(encode(positions, d_model))
    except (IndexError, ValueError):
        return None
    return table if np.isfinite(table).all() else None


def _rows(encode, positions, d_model):
    table = measures.table_of(encode(positions, d_model))
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
