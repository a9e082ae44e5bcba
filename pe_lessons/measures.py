"""What can be measured of a table (seq_len, d_model), one row per position."""

import numpy as np

from pe_lessons import _arguments as arguments


def distances(table):
    """Distance of every row from every other, a matrix (seq_len, seq_len).

    >>> distances([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]).round(3)
    array([[0.   , 5.   , 1.   ],
           [5.   , 0.   , 4.243],
           [1.   , 4.243, 0.   ]])
    """
    table = table_of(table)
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


def length_drift(encode, short, long):
    """Largest change of the first `short` rows when the sequence grows to `long`; 0 means length-free.

    `encode(seq_len)` returns the table for that length.

    >>> length_drift(lambda seq_len: np.arange(seq_len)[:, None] / seq_len, short=2, long=4)
    0.25
    """
    return float(np.abs(table_of(encode(long))[:short] - table_of(encode(short))).max())


def shift_residual(table, offset):
    """How far the best single affine map from rows p to rows p + offset misses, at worst.

    0 means that moving by `offset` tokens is the same map (a matrix and a constant) at every position.

    >>> round(shift_residual([[0.0], [1.0], [2.0], [3.0]], offset=1), 9)
    0.0
    """
    table = table_of(table)
    offset = arguments.whole_number("offset", offset, minimum=1)
    if offset > len(table) - 2:
        raise ValueError(f"offset must leave at least two pairs of rows, got {offset} for {len(table)} rows")
    before = np.column_stack([table[:-offset], np.ones(len(table) - offset)])  # (n, d_model + 1)
    best_map, *_ = np.linalg.lstsq(before, table[offset:])
    return float(np.abs(before @ best_map - table[offset:]).max())


def table_of(table):
    """`table` as an array of two axes and two rows or more."""
    table = np.asarray(table, dtype=float)
    if table.ndim != 2 or len(table) < 2:
        raise ValueError(f"table must have the axes (seq_len, d_model) and two rows, got shape {table.shape}")
    return table
