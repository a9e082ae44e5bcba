"""Figures by their artists (arrays, lines, labels, colour maps), tables by their text."""

import io
import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image

matplotlib.use("agg")

from matplotlib import pyplot as plt

from pe_lessons import arrays, plots
from pe_lessons.lessons.image_patches.figures import _grids
from pe_lessons.lessons.reading_the_picture import figures

TABLE = arrays.sinusoidal(5, 4)


@pytest.fixture
def displayed(monkeypatch):
    outputs = []

    def display(data, raw=False, metadata=None):
        outputs.append((data, metadata))

    monkeypatch.setattr(plots, "display", display)
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


DRAWINGS = sorted(Path(plots.__file__).parent.glob("lessons/*/figures.md"))


@pytest.mark.parametrize("file", DRAWINGS, ids=lambda file: file.parent.name)
def test_each_drawing_has_an_alt_text_and_a_caption_and_no_words_are_left_over(file):
    code = file.with_suffix(".py")
    words = plots.words(str(code))
    drawings = re.findall(r"^@plots\.drawn\ndef (\w+)", code.read_text(encoding="utf-8"), re.MULTILINE)
    assert words.keys() == set(drawings)
    assert all(len(said) == 2 and all(said) for said in words.values())


def mesh():
    fig, ax = plt.subplots()
    ax.pcolormesh(TABLE)
    ax.invert_yaxis()
    return fig


def row():
    fig, ax = plt.subplots()
    ax.barh([0, 0], [1, 1], left=[0, 1], color="red", gid=plots.KEEPS)
    return fig


COLOURED = {  # figures in which all colours stand for numbers or names, and how many parts they have
    "a table and its bar": (lambda: plots.heatmap(np.ones((5, 4))), 2),
    "cells in a few steps of colour": (lambda: _grids({"one": np.eye(5)}, label="", side=3), 2),
    "a mesh upside down": (mesh, 1),
    "dots": (lambda: figures._dots(dict.fromkeys("ab", TABLE[:3, :2]), {"a": [1]}), 2),
    "boxes and their key": (
        lambda: plots.strips({"one": [("0", 1, "width"), ("1", 1, "time")]}, xlabel="pair", xticks=[0]), 4
    ),
    "boxes without a gap": (row, 1),
}  # fmt: skip


@pytest.mark.parametrize("kind", COLOURED)
def test_show_says_where_colours_mean_something(displayed, kind):
    draw, parts = COLOURED[kind]
    plots.show(draw(), alt="", caption="")
    picture, metadata = displayed[0]
    told = metadata["image/png"]["coloured"]
    assert len(told) == parts
    drawn = np.asarray(Image.open(io.BytesIO(picture["image/png"])).convert("RGB"), dtype=int)
    vivid = np.ptp(drawn, axis=-1) > 30
    for box in told:
        left, top, right, bottom = (2 * int(side) for side in box.split())
        assert 0 <= left < right <= drawn.shape[1] and 0 <= top < bottom <= drawn.shape[0]
        assert vivid[top:bottom, left:right].any()
        vivid[max(top - 2, 0) : bottom + 2, max(left - 2, 0) : right + 2] = False
    assert not vivid.any(), "a colour outside of all parts"


def test_a_table_rounds_floating_point_numbers_without_minus_zero_and_nothing_else(displayed):
    plots.show_table([[-0.00001, 2.0]], rows=["row"], columns=["a", "b"], corner="name", digits=2)
    plots.show_table([[True, False]])
    plots.show_table([[1]], rows=["|m-n|"], columns=["a"])
    data, other, barred = (shown for shown, _ in displayed)
    assert data["text/plain"] == "name     a     b\n row  0.00  2.00"
    assert data["text/markdown"] == "| name | a | b |\n| --- | ---: | ---: |\n| row | 0.00 | 2.00 |"
    assert other["text/plain"] == "      0      1\n0  True  False"
    assert barred["text/markdown"].endswith("\n| \\|m-n\\| | 1 |"), "a bar in a name makes no column"
    assert barred["text/plain"].endswith("\n|m-n|  1")
