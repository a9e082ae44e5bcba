"""Figures by their artists (arrays, lines, labels, colour maps), tables by their text."""

import io

import ipywidgets
import matplotlib
import numpy as np
import pytest
from PIL import Image

matplotlib.use("agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba

from pe_lessons import arrays, plots

TABLE = arrays.sinusoidal(5, 4)


@pytest.fixture
def displayed(monkeypatch):
    outputs = []

    def display(data, raw=False, metadata=None):
        outputs.append((data, metadata))

    monkeypatch.setattr(plots, "_display", display)
    return outputs


def test_show_publishes_picture_alt_text_and_caption(displayed):
    fig = plots.curves({"one": [0, 1]})
    plots.show(fig, alt="A line that rises from 0 to 1.", caption="A line.")
    (picture, metadata), (caption, _) = displayed
    assert picture["image/png"].startswith(b"\x89PNG")
    assert picture["text/plain"] == metadata["image/png"]["alt"] == "A line that rises from 0 to 1."
    told = metadata["image/png"]
    assert Image.open(io.BytesIO(picture["image/png"])).size == (2 * told["width"], 2 * told["height"])
    assert caption["text/markdown"] == "*A line.*"
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("signed", "colours", "limits"), [(True, "RdBu_r", (-1, 1)), (False, "viridis", (0, 1))]
)
def test_a_heatmap_shows_row_0_on_top_and_zero_in_the_middle_or_below(signed, colours, limits):
    image = plots.heatmap(TABLE, signed=signed).axes[0].images[0]
    np.testing.assert_array_equal(image.get_array(), TABLE)
    assert (image.origin, image.get_cmap().name, image.get_clim()) == ("upper", colours, limits)


def test_a_row_of_a_heatmap_may_be_framed_and_its_ends_named():
    ax = plots.heatmap(TABLE, framed=(2, "row 2"), ends=("fast", "slow")).axes[0]
    assert ax.patches[0].get_bbox().bounds == (-0.5, 1.5, 4, 1) and ax.texts[0].get_text() == "row 2"
    assert (ax.get_title(loc="left"), ax.get_title(loc="right")) == ("fast", "slow")


def test_numbers_stand_in_their_cells_and_are_never_minus_zero():
    texts = plots.heatmap([[-0.001, 0.25], [1, -1]], numbers=True, digits=1).axes[0].texts
    said = {text.get_position(): text.get_text() for text in texts}
    assert said == {(0, 0): "0.0", (1, 0): "0.2", (0, 1): "1.0", (1, 1): "-1.0"}


@pytest.mark.parametrize(("signed", "lowest"), [(True, -3), (False, 0)])
def test_panels_share_one_scale(signed, lowest):
    fig = plots.heatmaps({"small": TABLE, "large": 3 * TABLE}, signed=signed)
    assert [ax.images[0].get_clim() for ax in fig.axes[:2]] == [(lowest, 3)] * 2
    assert [ax.get_title() for ax in fig.axes[:2]] == ["small", "large"]
    fig = plots.heatmaps({"small": TABLE, "large": 3 * TABLE}, signed=signed, top=0.5)
    assert fig.axes[0].images[0].get_clim() == (-0.5 if signed else 0, 0.5)
    assert fig.axes[1].images[0].colorbar.extend == ("both" if signed else "max")


def test_grids_have_square_cells_and_frame_the_marked_one():
    fig = plots.grids({"one": np.eye(3), "other": 2 * np.eye(3)}, marked=(0, 2))
    for ax in fig.axes[:2]:
        assert (ax.get_aspect(), ax.get_xlabel()) == (1, "patch column")
        assert ax.patches[0].get_bbox().bounds == (1.5, -0.5, 1, 1)
        assert ax.images[0].get_clim() == (0, 2)
    single = plots.grids({"one": np.eye(3)})
    assert not single.axes[0].patches
    framed = plots.grids({"one": np.eye(3)}, marked=[(0, 2), (1, 1)]).axes[0].patches
    assert [box.get_xy() for box in framed] == [(1.5, -0.5), (0.5, 0.5)]
    assert single.get_size_inches()[1] > fig.get_size_inches()[1] > 4  # inches, large enough to read


@pytest.mark.parametrize(("side", "beside"), [(3, 0), (20, 1)])
def test_framed_cells_say_what_they_hold_or_it_stands_beside_them(side, beside):
    values = np.full((side, side), 0.25)
    texts = plots.grids({"one": values}, marked=[(0, 2), (1, 1)], numbers=True).axes[0].texts
    assert [text.get_text() for text in texts] == ["here", "0.25"][beside:]
    assert (texts[-1].get_position() == (1, 1)) == (not beside)
    assert not plots.grids({"one": values}, marked=(0, 2)).axes[0].texts


def test_an_outline_says_its_number():
    values = np.hypot(*(np.indices((9, 9)) - 4))
    ax = plots.grids({"one": values}, outline=2.5).axes[0]
    assert [text.get_text() for text in ax.texts] == ["2.5"]


def test_patches_are_numbered_line_by_line():
    ax = plots.patches(np.arange(24).reshape(4, 6), 2).axes[0]
    said = {text.get_text(): text.get_position() for text in ax.texts[24:]}
    assert said == {"0": (1, 1), "1": (3, 1), "2": (5, 1), "3": (1, 3), "4": (3, 3), "5": (5, 3)}
    assert ax.lines[0].get_xydata().tolist() == [list(place) for place in said.values()]
    assert (ax.texts[7].get_text(), ax.texts[7].get_position()) == ("7", (1.5, 1.5))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2"]


def test_sums_of_stripes_show_directions_some_pairs_and_the_whole():
    pairs = np.stack([np.eye(20), 1 - np.eye(20), np.zeros((20, 20))], axis=-1)
    rows = {"one": ([0, np.pi / 2, 0], pairs, np.eye(20)), "other": ([0, 1, 2], -pairs, np.eye(20))}
    fig = plots.sums_of_stripes(rows, drawn=[0, 1], marked=[(0, 0), (2, 2)])
    axes = np.reshape(fig.axes, (2, 5))
    np.testing.assert_allclose(axes[0, 0].lines[1].get_xydata(), [[0, -1], [0, 1]], atol=1e-12)
    assert [len(ax.lines) for ax in axes[:, 0]] == [3, 3]
    for line, sign in zip(axes, (1, -1), strict=True):
        np.testing.assert_array_equal(line[1].images[0].get_array(), sign * pairs[..., 0])
        np.testing.assert_array_equal(line[2].images[0].get_array(), sign * pairs[..., 1])
        assert [text.get_text() for text in line[4].texts] == ["1.00"]
    assert [text.get_text() for text in fig.texts] == ["one", "other"]


def test_attention_fans_are_as_thick_as_the_weights_and_start_at_the_word_that_asks():
    sentences, home = [["cat", "ran"], ["ran", "cat"]], [[0.1, -2.0], [1.0, 0.0]]
    fig = plots.attention_fans([[0.25, 0.75], [1, 0]], sentences, [1, 0], home=home, between="=")
    for ax, asker, weights in zip(fig.axes, (1, 0), ([0.25, 0.75], [1, 0]), strict=True):
        out, back = ax.lines[::2], ax.lines[1::2]
        assert [line.get_xdata().tolist() for line in out] == [[asker, 0], [asker, 1]]
        assert [line.get_xdata().tolist() for line in back] == [[0, 0.5], [1, 0.5]]
        widths = np.array([line.get_linewidth() for line in out])
        np.testing.assert_allclose(widths / widths.sum(), weights)
        assert [line.get_linewidth() for line in back] == list(widths)
    one, other = ([text.get_text() for text in ax.texts] for ax in fig.axes)
    assert one[:4] == ["cat", "cat\n0.25", "ran", "ran\n0.75"] and other[3] == "cat\nhidden"
    assert one[4:] == ["0.100", "-2.000", "what ran takes home"] and fig.texts[0].get_text() == "="
    named = plots.attention_fans([[1]], [["cat"]], [0], home=[[1.0, 0.0]], columns=["animal", "size"])
    assert [text.get_text() for text in named.axes[0].texts][3::2] == ["animal", "size"]


def test_one_number_has_one_colour_in_all_fans():
    figs = [plots.attention_fans([[1]], [["cat"]], [0], home=[row]) for row in ([0.5, 0.1], [0.5, 1.9])]
    small, large = (fig.axes[0].patches for fig in figs)
    assert small[0].get_facecolor() == large[0].get_facecolor() != large[1].get_facecolor()


def test_a_word_has_one_colour_in_both_sentences():
    sentences, home = [["cat", "ran"], ["ran", "cat"]], [[1.0], [1.0]]
    one, other = plots.attention_fans([[0.5, 0.5]] * 2, sentences, [0, 1], home=home).axes
    colours = [[line.get_color() for line in ax.lines[::2]] for ax in (one, other)]
    assert colours[0] == colours[1][::-1] and len(set(colours[0])) == 2


def test_numberings_mark_the_place_that_two_lengths_share_and_the_worst_step():
    digits = np.arange(8)[:, None] // 2 ** np.arange(3) % 2
    shares = {"5 words": np.arange(5) / 5, "50 words": np.arange(50) / 50}
    tables = {"digits": digits, "angles": arrays.sinusoidal(8, 4)}
    one, two, three, four = plots.numberings(np.arange(100), shares, tables).axes
    assert one.lines[0].get_ydata().max() == 99
    assert [text.get_text() for text in two.texts] == [
        "in 5 words",
        "in 50 words",
        "position 3",
        "position 30",
    ]
    bars = three.patches
    np.testing.assert_allclose(
        [(bar.get_width() / bars[0].get_width()) ** 2 for bar in bars], [1, 2, 1, 3, 1, 2, 1]
    )
    assert [bar.get_facecolor() == to_rgba(plots.RED) for bar in bars] == [n == 3 for n in range(7)]
    assert [text.get_text() for text in three.texts][-3:-1] == ["1.0", "1.7"]
    assert np.ptp([bar.get_width() for bar in four.patches]) < 1e-12
    assert to_rgba(plots.RED) not in [bar.get_facecolor() for bar in four.patches]


def test_the_sketch_of_jupyterlab_has_the_cell_that_it_is_given():
    [ax] = plots.jupyterlab("[4]:", ["words", "len(words)"], "5").axes
    said = [text.get_text() for text in ax.texts]
    for text in ("words", "len(words)", "5", "run number 4", "save: Ctrl + S"):
        assert said.count(text) == 1
    assert said.count("[4]:") == 3


def test_curves_differ_in_colour_and_in_stroke():
    fig = plots.curves({"a": [1, 2, 3], "b": [3, 2, 1]}, x=[10, 20, 30], xlabel="tokens")
    one, other = fig.axes[0].lines
    np.testing.assert_array_equal(one.get_xydata(), [[10, 1], [20, 2], [30, 3]])
    assert one.get_color() != other.get_color()
    assert one.get_linestyle() != other.get_linestyle()
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["a", "b"]
    assert fig.axes[0].get_xlabel() == "tokens"


def test_names_of_curves_may_stand_beside_them():
    fig = plots.curves({"a": [1, 2, 3], "b": [3, 2, 1]}, beside={"a": (0, 1), "b": (0, 3)}, grey=1)
    [ax] = fig.axes
    assert not fig.legends
    assert [text.get_text() for text in ax.texts] == ["a", "b"]
    assert [text.get_color() for text in ax.texts] == [line.get_color() for line in ax.lines[:2]]
    assert [text.get_position() for text in ax.texts] == [(0, 1), (0, 3)]


def test_verdicts_have_a_box_wherever_a_test_was_asked():
    rows = {"alarm": ([False, True, None], "an alarm"), "wanted": ([False, True, True], "a diagnosis")}
    [ax] = plots.verdicts(rows, ["right", "A", "B"], apart=(1,), outlined="wanted").axes
    assert len(ax.patches) == 5
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("fails") == 3 and texts.count("passes") == 2
    assert {"alarm", "wanted", "an alarm", "a diagnosis", "right", "A", "B"} <= set(texts)
    filled, dashed = ax.patches[1], ax.patches[3]
    assert filled.get_facecolor() == dashed.get_edgecolor() == to_rgba(plots.RED)
    assert (filled.get_linestyle(), dashed.get_linestyle()) == ("solid", "--")
    assert ax.patches[1].get_x() - ax.patches[0].get_x() > 1.2 > ax.patches[4].get_x() - ax.patches[3].get_x()


def test_fingerprints_give_each_power_of_two_the_same_room():
    panels = {"level": [([1, 1, 1], "a factor")], "late": [([0, 1, 1], "a base"), ([0, 0, 1], "a rule")]}
    xticks = {"level": [0, 4], "late": [0, 1]}
    one, other = plots.fingerprints(panels, positions=[0, 1, 4], xticks=xticks, ncols=2).axes
    np.testing.assert_array_equal(one.lines[0].get_xdata(), [0, 1, 3])
    assert [list(line.get_ydata()) for line in other.lines] == [[0.0001, 1, 1], [0.0001, 0.0001, 1]]
    ticks = [[tick.get_text() for tick in ax.get_xticklabels()] for ax in (one, other)]
    assert ticks == [["0", "4"], ["0", "1"]]
    upper, lower = other.texts
    assert upper.get_text() == "a base" and lower.get_text() == "a rule"
    assert upper.get_position()[1] > 0.5 > lower.get_position()[1]
    assert (one.get_title("left"), one.texts[0].get_text(), one.get_yscale()) == ("level", "a factor", "log")


def test_an_encoding_has_its_colour_wherever_it_is_drawn():
    alone, *both = (
        [line.get_color() for line in plots.curves({name: [0, 1] for name in names}).axes[0].lines]
        for names in (["RoPE"], ["x", "RoPE"], ["RoPE", "sinusoidal", "x"])
    )
    assert both[0][1] == both[1][0] == alone[0]
    assert all(len(set(colours)) == len(colours) for colours in both)


def test_curves_may_be_dots_alone_with_a_grey_line_and_ticks_of_their_own():
    fig = plots.curves({"a": [1, 2, 3]}, markers=True, strokes=False, grey=1.5, xticks=[0, 2])
    dots, line = fig.axes[0].lines
    assert (dots.get_linestyle(), dots.get_marker(), line.get_linestyle()) == ("None", "o", "-")
    assert list(line.get_xdata()) == [1.5, 1.5] and list(fig.axes[0].get_xticks()) == [0, 2]


def test_a_level_is_a_grey_line_across_over_an_axis_from_0():
    ax = plots.curves({"a": [80, 90]}, level=6).axes[0]
    assert list(ax.lines[1].get_ydata()) == [6, 6] and ax.get_ylim()[0] == 0


def test_at_most_five_curves():
    drawn = plots.curves({str(n): [0, 1] for n in range(5)}).axes[0].lines
    assert len({line.get_color() for line in drawn}) == 5
    with pytest.raises(ValueError, match="lines must hold at most 5 curves, got 6"):
        plots.curves({str(n): [0, 1] for n in range(6)})


def test_dots_of_groups_differ_in_colour_and_in_shape():
    groups = {"one": [(1, 2), (3, 4)], "two": [(5, 6)]}
    fig = plots.scatter(groups, xlabel="card", named={"a": (1, 2), "c": (5, 6)})
    one, two = fig.axes[0].lines
    assert [*one.get_xdata(), *one.get_ydata()] == [1, 3, 2, 4]
    assert (one.get_label(), two.get_label(), fig.axes[0].get_xlabel()) == ("one", "two", "card")
    assert one.get_marker() != two.get_marker() and one.get_color() != two.get_color()
    assert [(text.get_text(), text.xy, text.get_ha()) for text in fig.axes[0].texts] == [
        ("a", (1, 2), "left"),
        ("c", (5, 6), "right"),  # to the left of its dot: there is the room
    ]


def test_what_begins_at_a_level_is_written_at_the_top():
    fig = plots.scatter({"one": [(0, 0), (1, 1)]}, levels={"tick": 0.2})
    [text] = fig.axes[0].texts
    assert (text.get_text(), text.xy) == ("tick", (0.2, 1))
    assert list(fig.axes[0].lines[-1].get_xdata()) == [0.2, 0.2]


def test_maps_before_and_after_have_one_scale_rings_and_a_word_in_the_corner():
    maps = (np.eye(4), "0.1"), (2 * np.eye(4), "all")
    fig = plots.before_after({"one": maps, "two": maps}, ("before", "after"), back=3)
    assert [ax.get_title() for ax in fig.axes] == ["one", "two", "", ""]
    assert [ax.get_ylabel() for ax in fig.axes] == ["before", "", "after", ""]
    assert [ax.texts[0].get_text() for ax in fig.axes] == ["0.1", "0.1", "all", "all"]
    assert {ax.images[0].get_clim() for ax in fig.axes} == {(0, 1)}
    [rings] = fig.axes[0].lines
    assert (list(rings.get_xdata()), list(rings.get_ydata())) == ([0], [3])


def test_small_maps_have_their_own_scales_and_titles():
    fig = plots.small_maps({"one": np.eye(2), "two": 5 * np.eye(2), "three": np.eye(3)}, ncols=2)
    assert [ax.get_title() for ax in fig.axes] == ["one", "two", "three", ""]
    assert [ax.images[0].get_clim() for ax in fig.axes[:2]] == [(0, 1), (0, 5)]


def test_a_grid_has_a_plot_for_each_panel_and_one_legend():
    panels = {name: {"one": [0, n], "two": [n, 0]} for n, name in enumerate("abcde")}
    fig = plots.curve_grid(panels, xlabel="step", ylim=(0, 5))
    used, unused = fig.axes[:5], fig.axes[5:]
    assert [ax.get_title() for ax in used] == list("abcde") and len(unused) == 1
    assert not unused[0].axison
    for n, ax in enumerate(used):
        np.testing.assert_array_equal(ax.lines[1].get_ydata(), [n, 0])
        assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
        assert ax.get_ylim() == (0, 5)
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["one", "two"]
    assert fig.get_supxlabel() == "step"


@pytest.mark.parametrize(
    ("x", "ticks"),
    [
        ([64, 128, 1024], ["64", "128", "1,024"]),
        ({"a": [1, 4, 8], "b": [2, 4, 1024]}, ["1", "2", "4", "8", "1,024"]),
    ],
)
def test_log_axes_have_a_tick_at_each_value_of_any_curve(x, ticks):
    ax = plots.curves({"a": [1, 3, 10], "b": [1, 10, 100]}, x=x, log=True).axes[0]
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ticks


def test_log_axes_have_ticks_where_they_are_asked_for():
    ax = plots.curves({"a": [1, 3, 10]}, x=[1, 40, 2000], log=True, xticks=[1, 1000]).axes[0]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "1,000"]
    assert ax.get_xticks().tolist() == [1, 1000]


def test_log_axes_need_horizontal_values():
    with pytest.raises(ValueError, match="x must be given where log is True, got None"):
        plots.curves({"a": [1, 10]}, log=True)
    assert plots.curves({"a": [1, 10]}, log="y").axes[0].get_yscale() == "log"


def test_each_curve_may_have_horizontal_values_of_its_own():
    x = {"a": [0, 1], "b": [0, 0.5, 1]}
    ax = plots.curves({"a": [1, 10], "b": [1, 3, 10]}, x=x, log="y").axes[0]
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    assert [line.get_xdata().tolist() for line in ax.lines] == [[0, 1], [0, 0.5, 1]]


def test_stairs_keep_a_value_until_the_next_and_count_in_powers_of_two():
    lines = {"one": [0.5, 1, 2], "other": [4, np.nan, np.nan]}
    labels = {"xlabel": "number", "ylabel": "step"}
    [ax] = plots.stairs(lines, x=[1, 2, 4], line=1, xticks=[1, 4], yticks=[1, 2], **labels).axes
    one, other, grey = ax.lines
    assert [line.get_drawstyle() for line in (one, other)] == ["steps-post"] * 2
    assert list(one.get_ydata()) == [0.5, 1, 2] and list(grey.get_ydata()) == [1, 1]
    assert (list(ax.get_xticks()), list(ax.get_yticks())) == ([1, 4], [1, 2])
    for axis in (ax.xaxis, ax.yaxis):
        assert (axis.get_scale(), axis.get_transform().base) == ("log", 2)


def test_dots_of_curves_that_share_some_may_differ_in_size():
    ax = plots.curves({"a": [1, 2], "b": [1, 3]}, markers=[9, 5]).axes[0]
    assert [line.get_markersize() for line in ax.lines] == [9, 5]


def test_maps_put_the_number_of_each_position_at_its_point():
    points = [[0, 1], [2, 3], [5, 4]]
    fig = plots.maps({"one": points, "other": points})
    assert [ax.get_title() for ax in fig.axes] == ["one", "other"]
    for ax in fig.axes:
        assert {text.get_text(): list(text.get_position()) for text in ax.texts} == dict(zip("012", points))
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), points)


def test_strips_lie_end_to_end_in_the_colours_of_their_encodings():
    rows = {"one": [("key", 3, "RoPE"), ("value", 2, "")], "other": [("row", 4, "time")]}
    [ax] = plots.strips(rows, xlabel="numbers", xticks=[0, 3]).axes
    assert [box.get_bbox().intervalx.tolist() for box in ax.patches] == [[0, 3], [3, 5], [0, 4]]
    colours = [to_rgba(ink) for ink in (plots.OF_ENCODING["RoPE"], "0.92", plots.OF_AXIS["time"])]
    assert [box.get_facecolor() for box in ax.patches] == colours
    said = [(text.get_text(), text.get_position()) for text in ax.texts]
    assert said == [("key", (1.5, 0)), ("value", (4, 0)), ("row", (2, 1))]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "other"]
    assert ax.yaxis_inverted()
    assert ax.get_xlim() == (0, 5)


def test_a_race_is_in_units_of_one_program_and_divides_those_whose_parts_are_known():
    times = {"slow": 80.0, "fill": 2.0, "quick": 5.0, "slower": 100.0}
    parts = {"slower": {"sines": 20.0, "new memory": 48.0}, "slow": {"sines": 20.0}}
    fig = plots.race(times, unit="fill", parts=parts, floor="the speed of memory")
    [ax] = fig.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["fill", "quick", "slow", "slower"]
    bars = [(round(box.get_y() + 0.33), *box.get_bbox().intervalx) for box in ax.patches]
    slow, slower = [(2, 0, 30), (2, 30, 40)], [(3, 0, 16), (3, 16, 26), (3, 26, 50)]
    assert bars == [(0, 0, 1), (1, 0, 2.5), *slow, *slower]
    said = [text.get_text() for text in ax.texts]
    divided = ["the rest", "sines", "40", "the rest", "sines", "new memory", "50"]
    assert said == ["1.0", "2.5", *divided, "the speed of memory"]
    colours = [box.get_facecolor() for box in ax.patches]
    assert colours[3] == colours[5] and len(set(colours)) == 3  # the rest has the colour of whole bars
    assert ax.lines[0].get_xdata() == [1, 1] and ax.get_xlabel() == "time, over that of fill"


def test_a_part_that_was_measured_longer_than_the_whole_draws_no_bar_backwards():
    fig = plots.race({"a": 1.0, "b": 3.0}, unit="a", parts={"b": {"sines": 4.0, "other": -1.0}}, floor="")
    assert [box.get_width() for box in fig.axes[0].patches] == [1, 0, 4, 0]


def test_a_times_table_turns_each_start_by_each_rotation():
    starts, rotations = {"0": 0.0, "2": np.pi}, {"+0": 0.0, "+1": np.pi / 2}
    fig = plots.times_table(starts, rotations, titles=("starts", "rotations"), marked=(1, 1))
    [ax] = fig.axes
    named = {text.get_text(): text for text in ax.texts if text.get_text()}
    assert set(named) == {"0", "1", "2", "3", "+0", "+1", "starts", "rotations", "\u00d7"}
    ways = {
        tuple(np.round(text.get_position()).astype(int)): np.round(
            np.subtract(text.xy, text.get_position()), 2
        )
        for text in ax.texts
        if text.get_text() == "" and hasattr(text, "xy")
    }
    up, right = [0, -0.39], [0.39, 0]  # the vertical axis points downwards
    hands = {(0, 1): (up, 1), (0, 2): (up, -1), (1, 1): (up, 1), (2, 1): (right, 1), (2, 2): (right, -1)}
    for place, (way, sign) in hands.items():
        np.testing.assert_allclose(ways[place], sign * np.array(way), atol=1e-9)
    frames = [box for box in ax.patches if box.get_edgecolor() == to_rgba(plots.RED)]
    assert [np.round(box.get_center()).tolist() for box in frames] == [[2, 0], [0, 2], [2, 2]]


def test_windows_are_cut_from_one_strip_each_a_number_later():
    fig = plots.windows([-1, 0, -np.inf], ["query 1", "query 0"], above=["-1", "0", "1"], xlabel="offset")
    [ax] = fig.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["in memory", "query 1", "query 0"]
    places = [(box.get_center()[0], box.get_center()[1]) for box in ax.patches]
    assert places == [(0, 0), (1, 0), (2, 0), (0, 1.5), (1, 1.5), (1, 2.5), (2, 2.5)]
    cells = {text.get_position(): text.get_text() for text in ax.texts}
    assert [cells[place] for place in places] == [
        "\u22121", "0", "\u2212\u221e", "\u22121", "0", "0", "\u2212\u221e"
    ]  # fmt: skip
    assert ax.patches[2].get_facecolor() == to_rgba("0.85")


def test_curves_may_have_their_names_at_their_ends():
    fig = plots.curves({"one": [1, 2], "other": [3, 4]}, beside=True)
    [ax] = fig.axes
    assert [(text.get_text(), text.xy) for text in ax.texts] == [("one", (1, 2)), ("other", (1, 4))]
    assert not fig.legends


def test_packed_rows_say_how_far_back_each_key_is_that_may_be_seen():
    both = {"reset": True, "block": True}
    ways = {"both": both, "reset": both | {"block": False}, "block": both | {"reset": False}}
    panels = dict(zip(ways, plots.packed_rows("AAB", ways).axes, strict=True))
    said = {
        title: {text.get_position(): text.get_text() for text in ax.texts} for title, ax in panels.items()
    }
    assert said["both"] == {(0, 0): "0", (0, 1): "1", (1, 1): "0", (2, 2): "0"}
    assert said["both"] == said["block"]
    assert said["reset"] == said["both"] | {(0, 2): "0", (1, 2): "\N{MINUS SIGN}1"}
    red = [box.get_facecolor() == to_rgba(plots.RED) for box in panels["reset"].patches]
    assert sum(red) == 1
    named = {title: [label.get_text() for label in ax.get_yticklabels()] for title, ax in panels.items()}
    assert named == {
        "both": ["A 0", "A 1", "B 0"],
        "reset": ["A 0", "A 1", "B 0"],
        "block": ["A 0", "A 1", "B 2"],
    }


def test_tokens_stand_where_their_height_and_width_say_with_all_three_numbers():
    fig = plots.tokens(["see", "▢", "▢"], [[0, 5, 5], [0, 1, 1], [0, 2, 3]])
    [ax] = fig.axes
    assert [box.get_bbox().get_points().mean(axis=0).round(9).tolist() for box in ax.patches] == [
        [0, 0],
        [2, 1],
        [3, 1],
    ]
    said = [text.get_text() for text in ax.texts]
    assert said == ["see", "0", "0", "0", "▢", "5", "1", "2", "▢", "5", "1", "3"]
    colours = [to_rgba(plots.OF_AXIS[axis]) for axis in ("time", "height", "width")]
    assert [text.get_bbox_patch().get_facecolor() for text in ax.texts[5:8]] == colours
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.yaxis_inverted()) == ("width", "height", True)
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["time", "height", "width"]


def test_strips_name_the_axes_that_they_show_and_nothing_else():
    fig = plots.strips({"one": [("0", 1, "width"), ("1", 1, "time")]}, xlabel="pair", xticks=[0])
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["time", "width"]
    assert plots.strips({"one": [("0", 1, "RoPE")]}, xlabel="column", xticks=[0]).legends == []


def test_ways_stand_above_each_other_with_arrows_to_where_they_lead():
    rows = {
        "one": [("c", [3, -2]), ("W", "->"), ("key", [3, 8, 2]), ("R", "box")],
        "other": [("c", [3, -2]), ("meets", ""), ("row", [4]), ("W", "<-")],
    }
    one, other = plots.ways(rows).axes
    assert (one.get_title("left"), other.get_title("left")) == ("one", "other")
    assert one.get_xlim() == other.get_xlim()

    def middles(ax, names):
        return [text.get_position()[0] for name in names for text in ax.texts if text.get_text() == name]

    middle = middles(one, ["c", "W", "key", "R"])
    assert middle == sorted(middle)
    assert middles(other, ["c", "meets", "row", "W"]) == middle

    cells = [box.get_bbox() for box in one.patches if box.get_linestyle() == "solid"]
    numbers = [text for text in one.texts if text.get_text().strip("\N{MINUS SIGN}").isdigit()]
    assert [text.get_text() for text in numbers] == ["3", "\N{MINUS SIGN}2", "3", "8", "2"]
    for cell, text in zip(cells, numbers, strict=True):
        assert cell.contains(*text.get_position())
    for left, right in ((0, 1), (2, 3), (3, 4)):
        assert cells[left].x1 == pytest.approx(cells[right].x0)
    [dashed] = [box.get_bbox() for box in one.patches if box.get_linestyle() == "--"]
    assert dashed.contains(middle[3], 0)
    [arrow] = [text for text in one.texts if getattr(text, "arrow_patch", None)]
    assert cells[1].x1 < arrow.xyann[0] < arrow.xy[0] < cells[2].x0
    assert cells[4].x1 < dashed.x0

    for ax, place, leads_right in ((one, 1, True), (other, 3, False)):
        [arrow] = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
        start, end = arrow.xyann[0], arrow.xy[0]
        assert (start < end) == leads_right
        assert min(start, end) < middle[place] < max(start, end)


def test_rings_begin_on_top_go_clockwise_and_share_one_scale():
    fig = plots.rings({"one": [0.004, 1, 0, -1], "other": [2, 0, -2, 0]})
    for ax, title in zip(fig.axes, ("one", "other"), strict=True):
        assert (ax.get_title(), ax.get_aspect()) == (title, 1)
        [vertices] = ax.collections
        np.testing.assert_allclose(vertices.get_offsets(), [(0, 1), (1, 0), (0, -1), (-1, 0)], atol=1e-12)
        assert (vertices.get_cmap().name, vertices.get_clim()) == ("RdBu_r", (-2, 2))
        assert ax.patches[0].get_closed()
    assert [text.get_text() for text in fig.axes[0].texts] == ["0.00", "1.00", "0.00", "-1.00"]
    assert [text.get_color() for text in fig.axes[1].texts] == ["white", "black", "white", "black"]


def test_maps_of_dots_in_rows():
    fig = plots.maps({title: [[0, 1], [2, 3]] for title in "abc"}, numbers=False, ncols=2)
    assert fig.axes[0].get_gridspec().get_geometry() == (2, 2)
    for ax in fig.axes[:3]:
        np.testing.assert_array_equal(ax.collections[0].get_offsets(), [[0, 1], [2, 3]])
        assert not ax.texts


def test_numbers_of_named_dots_point_at_them_and_lie_where_there_is_room():
    points = [[0, 1], [2, 3], [2, 3], [2, 2.9], [4, 0]]
    fig = plots.maps({"dots": points}, numbers=False, named=[1, 2, 4])
    [ax] = fig.axes
    assert sorted((text.get_text(), list(text.xy)) for text in ax.texts) == [
        ("1", [2, 3]),
        ("2", [2, 3]),
        ("4", [4, 0]),
    ]
    rings = ax.collections[1]
    np.testing.assert_array_equal(rings.get_offsets(), [[2, 3], [2, 3], [4, 0]])
    np.testing.assert_array_equal(rings.get_edgecolor(), [to_rgba(plots.RED)])
    fig.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    for text, box in zip(ax.texts, boxes):
        assert ax.bbox.contains(box.x0, box.y0)
        assert ax.bbox.contains(box.x1, box.y1)
        assert not any(box.contains(*dot) for dot in ax.transData.transform(points)), text.get_text()
        assert box.count_overlaps(boxes) == 1  # itself


def test_dots_may_be_named_in_some_of_the_maps():
    points = [[0, 1], [2, 3], [5, 4]]
    fig = plots.maps({"one": points, "other": points}, numbers=False, named={"other": [1, 2]})
    assert [sorted(text.get_text() for text in ax.texts) for ax in fig.axes] == [[], ["1", "2"]]
    assert not any(ax.lines for ax in fig.axes)  # no line joins the dots


def test_dots_may_be_joined_in_some_of_the_maps():
    points = [[0, 1], [2, 3], [5, 4]]
    fig = plots.maps({"one": points, "other": points}, numbers=False, named=[1], joined=["other"])
    assert [len(ax.lines) for ax in fig.axes] == [0, 1]


def test_sliders_call_the_drawing_and_say_what_they_are(displayed):
    calls = []
    slider = ipywidgets.IntSlider(3, min=0, max=7)
    plots.show_sliders(lambda width: calls.append(width), alt="One slider.", width=slider)
    [(data, _)] = displayed
    assert data["text/plain"] == "One slider."
    assert "application/vnd.jupyter.widget-view+json" in data
    slider.value = 5
    assert calls == [3, 5]


def test_sliders_of_ipywidgets_7_show_themselves(displayed, monkeypatch):
    monkeypatch.delattr(ipywidgets.Widget, "_repr_mimebundle_")
    plots.show_sliders(lambda width: None, width=ipywidgets.IntSlider(3))
    [(box, _)] = displayed
    assert isinstance(box, ipywidgets.interactive)


def test_clock_hands_end_at_cosine_and_sine_and_have_names():
    angles = np.array([[0.0, 0.0], [np.pi / 2, 0.01]])
    of_hands = ["p", "p+3"]
    for given, names, one_name in ((None, ["0", "1"], ["0 to 1"]), (of_hands, of_hands, of_hands)):
        fast, slow = plots.clock_hands(angles, ["fast", "slow"], names=given).axes
        tips = [text.xy for text in fast.texts if not text.get_text()]
        np.testing.assert_allclose(tips, [(1, 0), (0, 1)], atol=1e-12)
        assert [text.get_text() for text in fast.texts if text.get_text()] == names
        assert [text.get_text() for text in slow.texts if text.get_text()] == one_name


def test_hands_of_a_clock_have_the_colours_they_are_given():
    for given, colours in ((None, plots.COLOURS[:1] * 2), (["red", "green"], ["red", "green"])):
        [clock] = plots.clock_hands([[0.0], [1.0]], ["clock"], colours=given).axes
        hands = [text.arrow_patch for text in clock.texts if not text.get_text()]
        assert [hand.get_edgecolor() for hand in hands] == [to_rgba(colour) for colour in colours]


@pytest.mark.parametrize("angles", [[[0.0], [1.0]], [0.0, 1.0]])
def test_a_clock_for_each_title(angles):
    with pytest.raises(ValueError, match=r"angles must have the axes \(seq_len, n_pairs = 2\).* got shape"):
        plots.clock_hands(angles, ["fast", "slow"])


def test_arcs_begin_on_the_right_and_are_at_most_whole_circles():
    fig = plots.arcs([1.0, 0.01], (31, 100), ["fast", "slow"])
    for ax, ends in zip(fig.axes, [(2 * np.pi, 2 * np.pi), (0.31, 1.0)]):
        for line, radius, end in zip(ax.lines, (1, 1.25), ends, strict=True):
            points = line.get_xydata()
            np.testing.assert_allclose(points[0], [radius, 0])
            np.testing.assert_allclose(points[-1], [radius * np.cos(end), radius * np.sin(end)], atol=1e-12)
        assert [circle.radius for circle in ax.patches] == [1, 1.25]  # faint, whole
    names = [text.get_text() for text in fig.legends[0].get_texts()]
    assert names == ["up to 31", "up to 100"]


def test_arcs_lead_from_the_first_hand_to_the_last_and_say_how_far():
    for ax, (first, last) in zip(plots.clock_hands([[1, 2], [4, 5]], "ab", arcs=True).axes, [(1, 4), (2, 5)]):
        _, way = ax.lines
        np.testing.assert_allclose(
            np.unwrap(np.arctan2(*way.get_data()[::-1]))[[0, -1]] % (2 * np.pi), [first, last]
        )
        assert "3 radians" in [text.get_text() for text in ax.texts]


def test_the_heights_of_a_rotated_hand_add_up_to_the_sine_of_the_sum():
    flat, rotated = plots.rotated_hand(0.5, 0.6).axes
    heights = [np.ptp(line.get_ydata()) for line in rotated.lines if line.get_linestyle() == "--"]
    heights = [height for height in heights if height]  # one of the lines is level
    np.testing.assert_allclose(heights, [np.cos(0.5) * np.sin(0.6), np.sin(0.5) * np.cos(0.6)])
    assert np.isclose(sum(heights), np.sin(1.1))
    sides = [
        [np.hypot(*np.ptp(line.get_xydata(), axis=0)) for line in ax.lines[:2]] for ax in (flat, rotated)
    ]
    np.testing.assert_allclose(sides, [[np.cos(0.5), np.sin(0.5)]] * 2)


def test_words_plus_positions_shows_both_summands_and_their_sum():
    words, embedding = ["a", "b", "c", "d", "e"], np.ones((5, 4))
    fig = plots.words_plus_positions(words, embedding, TABLE)
    cells = [np.asarray(ax.collections[0].get_array()).reshape(5, 4) for ax in fig.axes[:3]]
    np.testing.assert_array_equal(cells, [embedding, TABLE, embedding + TABLE])
    assert [label.get_text() for label in fig.axes[0].get_yticklabels()] == [
        f"{word}, position {position}" for position, word in enumerate(words)
    ]


def test_a_table_rounds_floating_point_numbers_without_minus_zero_and_nothing_else(displayed):
    plots.show_table([[-0.00001, 2.0]], rows=["row"], columns=["a", "b"], corner="name", digits=2)
    plots.show_table([[True, False]])
    data, other = (shown for shown, _ in displayed)
    assert data["text/plain"] == "name     a     b\n row  0.00  2.00"
    assert data["text/markdown"] == "| name | a | b |\n| --- | ---: | ---: |\n| row | 0.00 | 2.00 |"
    assert other["text/plain"] == "      0      1\n0  True  False"


def test_a_bar_in_a_name_makes_no_column(displayed):
    plots.show_table([[1]], rows=["|m-n|"], columns=["a"])
    [(data, _)] = displayed
    assert data["text/markdown"].splitlines()[2] == "| \\|m-n\\| | 1 |"
    assert data["text/plain"].splitlines()[1] == "|m-n|  1"


def test_words_in_a_table_are_aligned_to_the_left(displayed):
    plots.show_table([["wide"]], rows=["row"], columns=["a"], corner="name", left=True)
    [(data, _)] = displayed
    assert data["text/plain"] == "name  a   \nrow   wide"
    assert data["text/markdown"] == "| name | a |\n| --- | --- |\n| row | wide |"


def test_three_places_keep_their_distances_and_show_the_bend():
    rows = np.array([[0, 0, 0], [1, 2, 2], [6, 0, 0.0]])
    fig = plots.three_places({"one": rows, "a tenth": rows / 10})
    for ax in fig.axes:
        scale = 1 if ax in (fig.axes[0], fig.axes[2]) else 0.1
        ends, bend, dots = (line.get_xydata() for line in ax.lines)
        gaps = np.linalg.norm(dots - np.roll(dots, 1, axis=0), axis=1)
        np.testing.assert_allclose(gaps, scale * np.array([6, 3, 33**0.5]))
        np.testing.assert_allclose(np.linalg.norm(bend[1] - bend[0]), scale * 12**0.5)
        np.testing.assert_allclose(ends, dots[[0, 2]])
        assert dots[0, 0] < dots[2, 0] and bend[1, 1] > bend[0, 1]
    widths = [np.ptp(ax.get_xlim()) for ax in fig.axes]
    assert widths[0] == pytest.approx(widths[1]) and widths[2] == pytest.approx(10 * widths[3])
    assert [ax.get_xlabel() for ax in fig.axes] == ["apart 4.9", "apart 0.49", "bend 3.5", "bend 0.35"]
    assert [text.get_text() for text in fig.axes[2].texts] == ["0", "1", "2"]


def test_three_places_on_a_line_have_no_bend():
    fig = plots.three_places({"line": [[0, 0], [1, 1], [2, 2]]})
    assert np.ptp(fig.axes[1].lines[2].get_ydata()) == pytest.approx(0, abs=1e-12)


def test_weighted_sums_stand_below_their_heads_and_factors():
    fig = plots.weighted_sums({"one": ([[1, 0], [0, 1]], [2.0, -0.5])}, columns=["left", "right"])
    (ax,) = fig.axes
    assert ax.images[0].get_array().tolist() == [[1, 0], [0, 1], [2, -0.5]]
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "2.00 × head 1",
        "-0.50 × head 2",
        "the sum",
    ]
