"""evidence/speed.py runs, and every contender makes the table that it says; nothing here asserts a time."""

import tempfile

import numpy as np
import pytest


@pytest.fixture(scope="module")
def speed():
    from evidence import speed  # here, for the libraries that it compares take seconds to load

    return speed


@pytest.fixture
def contenders(speed):
    return speed.contenders


def test_every_contender_makes_the_table(speed, contenders):
    for name, table in contenders.TABLES.items():
        if name != contenders.FLOOR:
            for start in (0, 17):
                rows = table.rows(start, 40, 8)
                assert len(rows) == 40 and speed.largest_error(table, rows, start) < 1e-5, name


def test_an_error_is_seen(speed, contenders):
    table = contenders.TABLES[contenders.ARRAYS]
    rows = np.array(table.make(40, 8))
    rows[7, 3] += 1e-3
    assert speed.largest_error(table, rows, 0) == pytest.approx(1e-3, rel=1e-3)
    assert speed.largest_error(table, rows, 1) > 0.5


def test_a_quick_run_leaves_the_kept_report_alone(speed, contenders, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(speed, "RESULTS", tmp_path / "kept")
    speed.main(["--quick"])
    [folder] = tmp_path.iterdir()
    text = (folder / "speed.md").read_text(encoding="utf-8")
    assert folder.name != "kept" and all(name in text for name in contenders.TABLES)
    assert (folder / "speed.png").stat().st_size > 10_000
