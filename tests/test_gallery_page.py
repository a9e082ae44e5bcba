"""The page of the gallery: what its pictures show, and that nothing is left out."""

import re

import gallery_page
from matplotlib import pyplot as plt

from pe_lessons import models

GALLERY = models.gallery()
SHOWN = ("gpt-2", "gemma-3-12b", "kimi-linear")


def test_a_picture_has_a_row_for_each_layer_and_a_column_for_each_pair():
    fig, words = gallery_page.picture(GALLERY["gemma-3-12b"])
    shown = fig.axes[0].images[0].get_array()
    assert shown.shape == (48, 128) and shown.min() >= 1
    assert words == "Of 128 pairs, 71 or 73 turn at least once in a layer."
    plt.close(fig)


def test_the_page_shows_every_exhibit(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "gallery", lambda: {name: GALLERY[name] for name in SHOWN})
    gallery_page.write(tmp_path)
    page = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    pictures = dict(re.findall(r"!\[.+\]\((gallery/.+\.svg)\)(.*)", page))
    light, dark = "gallery/gemma-3-12b.svg", "gallery/gemma-3-12b_dark.svg"
    assert pictures == {light: "{.in-light}", dark: "{.in-dark .dark-light}"}
    drawn, turned = ((tmp_path / name).read_text(encoding="utf-8") for name in (light, dark))
    images = re.compile(r'xlink:href="data:image/png;base64,([^"]+)"')
    assert images.findall(drawn) == images.findall(turned) != [], "the colour maps are the same"
    assert re.search(r"<text [^>]*fill: #e6e6e6", turned) and "fill: #e6e6e6" not in drawn
    for name in SHOWN:
        assert GALLERY[name]["source"] in page and models.explain(GALLERY[name]["config"]) in page
    gallery_page.write(tmp_path)
    assert (tmp_path / light).read_text(encoding="utf-8") == drawn
