"""What can be measured of an encoding: of a table (seq_len, d_model), one row per position."""

import numpy as np

from pe_lessons import arguments

AT_LEAST = {"unique": 0.1, "local": 0.95, "precise": 4096, "distinct far out": 0.1}
AT_MOST = {"bounded": 5.0, "length-free": 1e-9, "smooth": 1.5, "shift-consistent": 0.01}


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


def linear_readout(inputs, labels, rows, *, fitted=None):
    """Share of the inputs whose label a single matrix can read out of them.

    The matrix is the best one, by least squares, that takes every input to the row of its label; the
    label read out is that of the nearest row. 1 means that all are read right.

    Parameters
    ----------
    inputs : array_like, shape (n, d_model)
    labels : array_like of int, shape (n,)
        ``labels[j]`` is the number of the row that input j carries.
    rows : array_like, shape (n_labels, d_row)
        The table of the encoding, for instance, or that of the words.
    fitted : array_like of bool, shape (n,), optional
        The inputs that the matrix is fitted to; then the share is that of the others.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> words, positions = np.array([[5.0, 0.0], [7.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 2.0]])
    >>> both = [word + position for word in words for position in positions]
    >>> linear_readout(both, [0, 1, 0, 1], positions)
    1.0
    """
    inputs, rows, labels = _table(inputs), _table(rows), np.asarray(labels)
    if labels.shape != (len(inputs),) or labels.dtype.kind not in "iu":
        raise ValueError(
            f"labels must be one whole number for each of the {len(inputs)} inputs, "
            f"got shape {labels.shape}, dtype {labels.dtype}"
        )
    if labels.min() < 0 or labels.max() >= len(rows):
        raise ValueError(
            f"labels must lie between 0 and {len(rows) - 1}, got {labels.min()} to {labels.max()}"
        )
    of_fit = slice(None)
    if fitted is not None:
        of_fit = np.asarray(fitted)
        if of_fit.shape != labels.shape or of_fit.dtype != bool or of_fit.all() or not of_fit.any():
            raise ValueError(
                f"fitted must say True or False of each of the {len(inputs)} inputs, and both of some, "
                f"got shape {of_fit.shape}, dtype {of_fit.dtype}, {np.count_nonzero(of_fit)} true"
            )
    best_map, *_ = np.linalg.lstsq(inputs[of_fit], rows[labels[of_fit]])
    if fitted is not None:
        inputs, labels = inputs[~of_fit], labels[~of_fit]
    read = inputs @ best_map  # (n, d_row)
    # |read - row|^2 = |read|^2 - 2 read.row + |row|^2, and the first term is the same for every row
    guesses = ((rows**2).sum(axis=1) - 2 * read @ rows.T).argmin(axis=1)  # (n,)
    return float((guesses == labels).mean())


def scorecard(encode, d_model=32):
    """Eight numbers that tell how far an encoding meets eight criteria; `passes` judges them.

    ``unique``
        Distance between the two closest of rows 0 to 499.
    ``bounded``
        Largest of their entries.
    ``length-free``
        Largest change of the first 5 rows when the sequence grows from 5 tokens to 50.
    ``smooth``
        Largest step between neighbouring rows over the smallest.
    ``local``
        Share of the rows that lie closest to a row next door.
    ``shift-consistent``
        What the best linear map (a matrix and a constant) misses of the row three tokens on, at most;
        for rows 0 to 499 and, where there are rows, for 500 rows from position 1 000 000 on.
    ``precise``
        How many of rows 0 to 4095 are still different when stored with 8 binary digits (bfloat16).
    ``distinct far out``
        Distance between the two closest of the 500 rows from position 1 000 000 on; 0 if there are none,
        or an entry is larger than ``AT_MOST["bounded"]``.

    Parameters
    ----------
    encode : callable
        ``encode(positions, d_model)`` returns one row for each entry of `positions`, a floating-point
        array (seq_len,) of whole numbers. It may raise an IndexError or a ValueError far out, or return
        entries that are not finite there: then there are no rows.
    d_model : int
        At least 1; handed on to `encode`.

    Returns
    -------
    dict of str to float

    Raises
    ------
    ValueError
        If a row of positions 0 to 4095 has an entry that is infinite or not a number.

    Examples
    --------
    >>> scores = scorecard(lambda positions, d_model: positions[:, None] * np.ones(d_model))
    >>> scores["bounded"], scores["smooth"], scores["distinct far out"]
    (499.0, 1.0, 0.0)
    """
    d_model = arguments.whole_number("d_model", d_model, minimum=1)
    positions = np.arange(500.0)
    near, many = _rows(encode, positions, d_model), _rows(encode, np.arange(4096.0), d_model)
    misses = [shift_residual(near, offset=3)]
    try:
        far = _rows(encode, 1_000_000 + positions, d_model)
    except (IndexError, ValueError):
        far = np.zeros_like(near)
    else:
        misses.append(shift_residual(far, offset=3))
    return {
        "unique": round(smallest_gap(near), 9),
        "bounded": largest_value(near),
        "length-free": length_drift(lambda seq_len: encode(np.arange(float(seq_len)), d_model), 5, 50),
        "smooth": jump_ratio(near),
        "local": float(np.mean(np.abs(nearest_neighbours(near) - positions) == 1)),
        "shift-consistent": max(misses),
        "precise": len(np.unique(_eight_digits(many), axis=0)),
        "distinct far out": smallest_gap(far) if largest_value(far) <= AT_MOST["bounded"] else 0.0,
    }


def passes(scores):
    """Which criteria the scores of `scorecard` meet: every number against `AT_LEAST` or `AT_MOST`.

    ``unique``, ``distinct far out`` (at least 0.1) and ``bounded`` (at most 5) are meant for rows that meet
    words drawn with deviation 1: the norm of such words is far above 0.1, and hardly an entry above 5.
    ``smooth`` allows steps that differ by a half, ``local`` one row in twenty with another nearest row,
    ``shift-consistent`` a miss of a hundredth.

    Parameters
    ----------
    scores : dict of str to float

    Returns
    -------
    dict of str to bool

    Examples
    --------
    >>> passes({"unique": 0.5, "bounded": 999.0})
    {'unique': True, 'bounded': False}
    """
    return {
        name: bool(value >= AT_LEAST[name] if name in AT_LEAST else value <= AT_MOST[name])
        for name, value in scores.items()
    }


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
