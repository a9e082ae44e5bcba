"""evidence/speed.py runs, and every contender makes the table that it says; nothing here asserts a time."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from pe_lessons import tensors

SMALL = {
    "tables": [(50, 128), (300, 64)],
    "biases": 32,
    "memory": (2048, 256),
    "positions": [100, 1000],
    "seconds": 0,
}


@pytest.fixture(scope="module")
def speed():
    from evidence import speed  # here, for the libraries that it compares take seconds to load

    return speed


def test_every_contender_makes_the_table_and_an_error_is_seen(speed):
    tables = dict(speed.contenders.TABLES)
    del tables[speed.contenders.FLOOR]
    for name, table in tables.items():
        for start in (0, 17):
            rows = np.array(table.rows(start, 40, 8))
            assert len(rows) == 40 and speed.largest_error(table, rows, start) < 1e-5, name
        rows[7, 3] += 1e-3
        assert speed.largest_error(table, rows, 17) == pytest.approx(1e-3, rel=1e-1)


def test_the_biases_by_offset_are_those_written_out(speed):
    q, offsets = torch.randn(1, 8, 5, 4), torch.arange(-4, 5)
    by_offset = -tensors.alibi_slopes(8)[:, None] * offsets.abs()
    expected = F.scaled_dot_product_attention(q, q, q, attn_mask=tensors.alibi(5, 8)[None])
    torch.testing.assert_close(speed.contenders.attend_by_view(q, q, q, by_offset), expected)


def test_the_report_and_the_figure_name_every_contender(speed):
    measured = {part: speed.PARTS[part](SMALL) for part in ("times", "errors")}
    found = measured | {"memory": {"tables": {}, "biases": {}}, "compiled": {}, "machine": speed.machine()}
    text = speed.report(SMALL, found)
    assert all(f"| {name} |" in text for name in speed.contenders.TABLES)
    assert len(speed.figure(SMALL, found).axes) == 3
