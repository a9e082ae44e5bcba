"""benchmarks/bench.py runs, and every contender makes the table that it says; nothing here asserts a time."""

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.fixture(scope="module")
def modules():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import bench
        import contenders
    finally:
        sys.path.remove(str(BENCHMARKS))
    return bench, contenders


def test_every_contender_makes_the_table(modules):
    bench, contenders = modules
    for name, table in contenders.TABLES.items():
        if name != contenders.FLOOR:
            rows = table.rows(0, 40, 8) if table.rows else table.make(40, 8)
            assert bench.largest_error(table, rows, 0) < 1e-5, name


def test_an_error_is_seen(modules):
    bench, contenders = modules
    table = contenders.TABLES[contenders.ARRAYS]
    rows = np.array(table.make(40, 8))
    rows[7, 3] += 1e-3
    assert bench.largest_error(table, rows, 0) == pytest.approx(1e-3, rel=1e-3)
    assert bench.largest_error(table, rows, 1) > 0.5


def test_all_rotary_contenders_turn_alike(modules):
    _, contenders = modules
    calls = contenders.rotary_contenders((1, 2, 8, 4))
    turned = {name: [x.numpy() for x in call()] for name, call in calls.items()}
    x = turned[contenders.COPY][0]
    lengths = np.linalg.norm(x, axis=-1)
    for name, (queries, _) in turned.items():
        if name != contenders.COPY:
            queries = queries.transpose(0, 2, 1, 3) if "torchtune" in name else queries
            np.testing.assert_allclose(np.linalg.norm(queries, axis=-1), lengths, rtol=1e-5)
            np.testing.assert_allclose(queries[..., 0, :], x[..., 0, :], atol=1e-6)
    np.testing.assert_allclose(turned[contenders.GIVEN][0], turned[contenders.WHOLE][0], atol=1e-6)


def test_a_quick_run_writes_its_table_and_its_figure(modules, tmp_path, capsys):
    bench, contenders = modules
    bench.main(["--quick", "--out", str(tmp_path)])
    text = (tmp_path / "speed.md").read_text(encoding="utf-8")
    assert all(name in text for name in contenders.TABLES)
    for library in contenders.ABSENT:
        assert library in text.splitlines()[-1]
    assert "| met |" in text and text in capsys.readouterr().out
    assert (tmp_path / "speed.png").stat().st_size > 10_000


def test_a_missed_goal_is_called_missed(modules):
    bench, contenders = modules
    times = {name: 1.0 for name in contenders.TABLES}
    plan = bench.FULL
    found = {
        "times": {
            "tables": [times] * len(plan["tables"]),
            "rotary": [dict.fromkeys(contenders.rotary_contenders((1, 1, 2, 2)), 1.0)] * 2,
            "biases": dict.fromkeys(contenders.bias_contenders(2), 1.0),
        },
        "memory": {"tables": dict.fromkeys(times, 11e6), "biases": {contenders.VIEW: 1.0}},
        "errors": {name: [1e-8] for name in times},
    }
    by_what = {what: met for what, _, _, met in bench.goals(plan, found)}
    for what, met in by_what.items():
        assert met != ("times as fast" in what or "1 024: extra memory" in what), what
