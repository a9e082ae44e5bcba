"""Figures by their artists (arrays, lines, labels, colour maps), tables by their text."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")

from matplotlib import pyplot as plt

from pe_lessons import arrays, plots

TABLE = arrays.sinusoidal(5, 4)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def displayed(monkeypatch):
    outputs = []
    monkeypatch.setattr(plots, "display", lambda data, raw, metadata=None: outputs.append((data, metadata)))
    return outputs


def test_show_publishes_picture_alt_text_and_caption(displayed):
    fig = plots.curves({"one": [0, 1]})
    plots.show(fig, alt="A line that rises from 0 to 1.", caption="A line.")
    (picture, metadata), (caption, _) = displayed
    assert picture["image/png"].startswith(b"\x89PNG")
    assert picture["text/plain"] == metadata["image/png"]["alt"] == "A line that rises from 0 to 1."
    assert caption["text/markdown"] == "*A line.*"
    assert plt.get_fignums() == []


def test_a_heatmap_shows_row_0_on_top_and_zero_in_the_middle():
    image = plots.heatmap(TABLE).axes[0].images[0]
    np.testing.assert_array_equal(image.get_array(), TABLE)
    assert image.origin == "upper"
    assert image.get_cmap().name == "RdBu_r"
    assert image.get_clim() == (-1, 1)


def test_a_heatmap_of_unsigned_values():
    image = plots.heatmap(np.abs(TABLE), signed=False).axes[0].images[0]
    assert image.get_cmap().name == "viridis"
    assert image.get_clim() == (0, 1)


def test_numbers_stand_in_their_cells():
    texts = plots.heatmap(TABLE, numbers=True).axes[0].texts
    assert {(text.get_position(), text.get_text()) for text in texts} == {
        ((column, row), f"{value:.4f}") for (row, column), value in np.ndenumerate(TABLE)
    }


@pytest.mark.parametrize("signed", [True, False])
def test_panels_share_one_scale(signed):
    fig = plots.heatmaps({"small": TABLE, "large": 3 * TABLE}, signed=signed)
    limits = {ax.images[0].get_clim() for ax in fig.axes[:2]}
    assert limits == {(-3, 3) if signed else (0, 3)}
    assert [ax.get_title() for ax in fig.axes[:2]] == ["small", "large"]


def test_attention_maps_name_rows_and_columns():
    fig = plots.attention_maps([np.eye(2), np.eye(2)], [["cat", "ran"], ["ran", "cat"]])
    for ax, words in zip(fig.axes, (["cat", "ran"], ["ran", "cat"])):
        assert [label.get_text() for label in ax.get_xticklabels()] == words
        assert [label.get_text() for label in ax.get_yticklabels()] == words


def test_curves_differ_in_colour_and_in_stroke():
    fig = plots.curves({"a": [1, 2, 3], "b": [3, 2, 1]}, x=[10, 20, 30], xlabel="tokens")
    one, other = fig.axes[0].lines
    np.testing.assert_array_equal(one.get_xydata(), [[10, 1], [20, 2], [30, 3]])
    assert one.get_color() != other.get_color()
    assert one.get_linestyle() != other.get_linestyle()
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["a", "b"]
    assert fig.axes[0].get_xlabel() == "tokens"


def test_at_most_four_curves():
    with pytest.raises(ValueError, match="lines must hold at most 4 curves, got 5"):
        plots.curves({str(n): [0, 1] for n in range(5)})


def test_log_axes_have_a_tick_at_each_value():
    ax = plots.curves({"a": [1, 10, 100]}, x=[64, 128, 1024], log=True).axes[0]
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["64", "128", "1,024"]


def test_clock_hands_end_at_cosine_and_sine():
    angles = np.array([[0.0, 0.0], [np.pi / 2, 0.01]])
    fast, slow = plots.clock_hands(angles, ["fast", "slow"]).axes
    tips = [text.xy for text in fast.texts if not text.get_text()]
    np.testing.assert_allclose(tips, [(1, 0), (0, 1)], atol=1e-12)
    assert [text.get_text() for text in fast.texts if text.get_text()] == ["0", "1"]
    assert [text.get_text() for text in slow.texts if text.get_text()] == ["0 to 1"]


def test_words_plus_positions_shows_both_summands_and_their_sum():
    words, embedding = ["a", "b", "c", "d", "e"], np.ones((5, 4))
    fig = plots.words_plus_positions(words, embedding, TABLE)
    cells = [np.asarray(ax.collections[0].get_array()).reshape(5, 4) for ax in fig.axes[:3]]
    np.testing.assert_array_equal(cells, [embedding, TABLE, embedding + TABLE])
    assert [label.get_text() for label in fig.axes[0].get_yticklabels()] == [
        f"{word}, position {position}" for position, word in enumerate(words)
    ]


def test_a_table_rounds_without_minus_zero(displayed):
    plots.show_table([[-0.00001, 2.0]], rows=["row"], columns=["a", "b"], corner="name", digits=2)
    data, _ = displayed[0]
    assert data["text/plain"] == "name     a     b\n row  0.00  2.00"
    assert data["text/markdown"] == "| name | a | b |\n| --- | ---: | ---: |\n| row | 0.00 | 2.00 |"


def test_a_table_shows_other_values_as_they_are(displayed):
    plots.show_table([[True, False]])
    assert displayed[0][0]["text/plain"] == "      0      1\n0  True  False"
