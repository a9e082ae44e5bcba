"""evidence/speed.py runs, and every contender makes the table that it says; nothing here asserts a time."""

import os
import tempfile
from functools import partial

import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt


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


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="reads Linux's own counts")
def test_a_call_that_fails_in_its_own_process_fails_here_too(speed, capfd, tmp_path):
    me, gone_on = os.getpid(), tmp_path / "gone on"

    def fails():
        raise ValueError("no such size")

    try:
        with pytest.raises(RuntimeError, match="failed in its own process"):
            speed.peak_beyond_result(fails, lambda: None)
    finally:
        if os.getpid() != me:  # a child that goes on would run all tests after this one
            gone_on.touch()
            os._exit(1)
    assert not gone_on.exists()
    assert "no such size" in capfd.readouterr().err


def test_an_error_is_seen(speed, contenders):
    table = contenders.TABLES[contenders.ARRAYS]
    rows = np.array(table.make(40, 8))
    rows[7, 3] += 1e-3
    assert speed.largest_error(table, rows, 0) == pytest.approx(1e-3, rel=1e-3)
    assert speed.largest_error(table, rows, 1) > 0.5


def test_all_rotary_contenders_turn_alike(contenders):
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


@pytest.mark.filterwarnings("ignore:flex_attention called without")
def test_what_is_compiled_makes_the_same(contenders, monkeypatch):
    eagerly = partial(torch.compile, backend="eager")  # a C++ compiler is not everywhere
    monkeypatch.setattr(torch, "compile", eagerly)
    tables, biases = contenders.compiled_contenders((40, 8), 32)
    filled, *made = [call().numpy().copy() for call in tables.values()]  # two share a table
    assert (filled == 1).all() and len(made) == 6
    made[4:] = [np.stack(np.split(table, 2, axis=1), axis=-1).reshape(40, 8) for table in made[4:]]
    unbiased, causal, *biased = [call().numpy() for call in biases.values()]
    assert abs(unbiased - biased[0]).max() > 0.1 and len(biased) == 3
    assert abs(causal - biased[0]).max() > 0.1 and abs(causal - unbiased).max() > 0.1
    np.testing.assert_allclose(causal[:, :, 0], biased[0][:, :, 0], atol=1e-5)  # one key: no bias to see
    for first, *others in (made, biased):
        for other in others:
            np.testing.assert_allclose(other, first, atol=1e-5)


def test_a_quick_run_writes_its_table_and_its_figure_beside_the_kept_ones(
    speed, contenders, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(speed, "RESULTS", tmp_path / "kept")
    figures = plt.get_fignums()
    speed.main(["--quick"])
    assert plt.get_fignums() == figures  # none of its own stays open
    assert not speed.RESULTS.exists()
    [folder] = tmp_path.glob("speed_*")
    text = (folder / "speed.md").read_text(encoding="utf-8")
    assert all(name in text for name in contenders.TABLES)
    for library in contenders.ABSENT:
        assert library in text.splitlines()[-1]
    assert text in capsys.readouterr().out
    assert (folder / "speed.png").stat().st_size > 10_000
