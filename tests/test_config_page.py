"""What the page that reads a config gets from Python; tests/browser/test_read_a_config.py sees the page."""

import json
import re

import pytest

from pe_lessons import models
from pe_lessons.models import in_browser

GALLERY = models.gallery()


@pytest.mark.parametrize("name", ["gpt-2", "kimi-k3", "lfm3"])
def test_the_page_says_what_the_reader_prints(name):
    said = json.loads(in_browser.read(in_browser.example(name)))
    assert said["told"] == models.explain(GALLERY[name]["config"]) and said["understood"]
    assert len(said["table"]) == len(set(models.layers(GALLERY[name]["config"])))
    assert said["warnings"] == models.warnings(GALLERY[name]["config"])


def test_the_table_has_the_numbers_of_the_words():
    said = json.loads(in_browser.read(in_browser.example("llama-3-8b")))
    assert said["table"] == [["0-31", "rotary", "500,000", "8,192", "29 of 64"]]
    stretched = json.loads(in_browser.read(in_browser.example("gemma-3-12b")))["table"]
    assert [row[1] for row in stretched] == ["rotary", "linear, factor 8"]
    assert "35 of 64 pairs turn at least once" in said["told"]


def test_two_models_are_put_side_by_side():
    names = "llama-3-8b", "gemma-3-12b", "gemma-4-31b"
    assert [json.loads(in_browser.read(in_browser.example(name)))["facts"] for name in names] == [
        ["32", "32 with a rotation", "8,192", "500,000", "29 of 64"],
        [
            "48", "48 with a rotation, 40 with a window", "131,072",
            "10,000 in window layers, 1,000,000 in global layers",
            "57 of 128 in window layers, 55 of 128 in global layers",
        ],
        [
            "60", "60 with a rotation, 50 with a window", "",
            "10,000 in window layers, 1,000,000 in global layers", "57 of 128 in window layers",
        ],
    ]  # fmt: skip


def test_a_strip_has_a_piece_for_each_layer_and_half_of_it_for_a_window():
    drawn = in_browser.strip(models.layers(GALLERY["lfm3"]["config"]))
    pieces = {kind: path.count("M") for kind, path in re.findall(r'class="(\w+)" d="([^"]+)"', drawn)}
    assert pieces == {"convolution": 13, "rotation": 11} and drawn.count(" 5h0.8v5h") == 5
    assert "24 layers: 11 with a rotation, 13 with a convolution, 5 with a window" in drawn


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"model_type": "llama",\n "x": 1,,}', "This is not JSON: in line 2, column 9 Python says"),
        ("{'model_type': 'llama'}", "This is not JSON: in line 1, column 2"),
        ("[1, 2]", "This config can't be read: a config.json holds names and values between { and }"),
        ("[" * 100_000, "This "),
        ("{}", "This config can't be read: config must say how many layers there are"),
        ('{"num_hidden_layers": 4, "rope_theta": "10"}', "rope_theta must be a finite number, got '10'"),
    ],
)
def test_what_cannot_be_read_gets_one_sentence(text, sentence):
    said = json.loads(in_browser.read(text))
    assert list(said) == ["error"] and sentence in said["error"] and "\n" not in said["error"]


def test_names_that_are_not_read_are_said():
    config = {"text_config": GALLERY["llama-3-8b"]["config"] | {"foo_theta": 3, "vocab_size": 2}}
    assert json.loads(in_browser.read(json.dumps(config)))["unread"] == ["foo_theta"]


def test_what_is_not_understood_is_said():
    config = GALLERY["llama-3-8b"]["config"] | {"model_type": "unheard_of"}
    assert not json.loads(in_browser.read(json.dumps(config)))["understood"]
