"""What can be measured of an encoding: of a table (seq_len, d_model), one row per position."""

import numpy as np

from pe_lessons import _checks


def smallest_gap(table):
    """Distance between the two rows that are closest; 0 means that two positions look the same.

    Examples
    --------
    >>> smallest_gap([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    1.0
    """
    table = _table(table)
    gaps = np.linalg.norm(table[:, None] - table[None], axis=-1)  # (seq_len, seq_len)
    return float(gaps[np.triu_indices(len(table), 1)].min())


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


def _table(table):
    table = np.asarray(table, dtype=float)
    if table.ndim != 2 or len(table) < 2:
        raise ValueError(f"table must have the axes (seq_len, d_model) and two rows, got shape {table.shape}")
    return table
