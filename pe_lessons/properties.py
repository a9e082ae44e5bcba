"""What can be measured of an encoding: of a table (seq_len, d_model), one row per position."""

import numpy as np

from pe_lessons import _checks


def distances(table):
    """Distance of every row from every other, a matrix (seq_len, seq_len).

    Examples
    --------
    >>> distances([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]).round(3)
    array([[0.   , 5.   , 1.   ],
           [5.   , 0.   , 4.243],
           [1.   , 4.243, 0.   ]])
    """
    table = _table(table)
    return np.linalg.norm(table[:, None] - table[None], axis=-1)  # (seq_len, seq_len)


def nearest_neighbours(table):
    """For every row, the number of the other row that is closest to it, an array (seq_len,).

    Rows that are equally close, to nine decimals, leave the choice to the earlier one.

    Examples
    --------
    >>> nearest_neighbours([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    array([2, 2, 0])
    """
    gaps = distances(table).round(9)  # (seq_len, seq_len)
    np.fill_diagonal(gaps, np.inf)
    return gaps.argmin(axis=1)


def smallest_gap(table):
    """Distance between the two rows that are closest; 0 means that two positions look the same.

    Examples
    --------
    >>> smallest_gap([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    1.0
    """
    gaps = distances(table)
    return float(gaps[np.triu_indices(len(gaps), 1)].min())


def largest_value(table):
    """Largest entry, whatever its sign.

    Examples
    --------
    >>> largest_value([[1.0, -3.0], [2.0, 0.0]])
    3.0
    """
    return float(np.abs(_table(table)).max())


def length_drift(encode, short, long):
    """Largest change of the first `short` rows when the sequence grows to `long`; 0 means length-free.

    `encode(seq_len)` returns the table for that length.

    Examples
    --------
    >>> length_drift(lambda seq_len: np.arange(seq_len)[:, None] / seq_len, short=2, long=4)
    0.25
    """
    return float(np.abs(_table(encode(long))[:short] - _table(encode(short))).max())


def jump_ratio(table):
    """Largest step between neighbouring rows over the smallest; 1 means that every step is alike.

    Examples
    --------
    >>> jump_ratio([[0.0], [1.0], [5.0]])
    4.0
    """
    steps = np.linalg.norm(np.diff(_table(table), axis=0), axis=-1)  # (seq_len - 1,)
    return float(steps.max() / steps.min())


def shift_residual(table, offset):
    """How far the best single affine map from rows p to rows p + offset misses, at worst.

    0 means that moving by `offset` tokens is the same map (a matrix and a constant) at every position.

    Examples
    --------
    >>> round(shift_residual([[0.0], [1.0], [2.0], [3.0]], offset=1), 9)
    0.0
    """
    table = _table(table)
    offset = _checks.whole_number("offset", offset, minimum=1)
    if offset > len(table) - 2:
        raise ValueError(f"offset must leave at least two pairs of rows, got {offset} for {len(table)} rows")
    before = np.column_stack([table[:-offset], np.ones(len(table) - offset)])  # (n, d_model + 1)
    best_map, *_ = np.linalg.lstsq(before, table[offset:])
    return float(np.abs(before @ best_map - table[offset:]).max())


def toeplitz_residual(matrix):
    """Largest difference between two entries of a diagonal; 0 means that only the offset n - m counts.

    Such a matrix is called Toeplitz: entry (m, n) is the same wherever n - m is the same.

    Examples
    --------
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


def linear_readout(inputs, labels, rows):
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
    best_map, *_ = np.linalg.lstsq(inputs, rows[labels])
    read = inputs @ best_map  # (n, d_row)
    # |read - row|^2 = |read|^2 - 2 read.row + |row|^2, and the first term is the same for every row
    guesses = ((rows**2).sum(axis=1) - 2 * read @ rows.T).argmin(axis=1)  # (n,)
    return float((guesses == labels).mean())


def _table(table):
    table = np.asarray(table, dtype=float)
    if table.ndim != 2 or len(table) < 2:
        raise ValueError(f"table must have the axes (seq_len, d_model) and two rows, got shape {table.shape}")
    return table
