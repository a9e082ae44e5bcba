"""The small language models: as stored they do what is said of them, and what spoils them is seen."""

import numpy as np
import pytest

from evidence import measure_small_models as measure_small
from evidence import train_small_models as train_small
from pe_lessons import small_models, toys

NAMES = list(small_models.ENCODINGS)
TEXT = small_models.encode(small_models.held_out())
START = TEXT[: train_small.START]


def mean_bits(model, text=START):
    return small_models.bits(model, text).mean().item()


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_loss_is_met(name):
    figures = small_models.figures()["models"][name]
    assert mean_bits(small_models.load(name)) == pytest.approx(figures["bits_of_start"], abs=0.01)
    assert figures["bits_of_start"] == pytest.approx(figures["bits_by_seed"]["0"], abs=0.4)


def test_a_changed_weight_a_wrong_layout_and_one_character_off_are_seen():
    letter, text = small_models.CHARACTERS.index("e"), START[:4096]
    right = mean_bits(small_models.load("rope"), text)
    model = small_models.load("rope")
    model.head.bias[letter] += 2.0
    assert abs(mean_bits(model, text) - right) > 0.05
    model = small_models.load("rope")
    model.embedding.weight[letter] *= -1
    assert abs(mean_bits(model, text) - right) > 0.3
    model = small_models.load("rope")
    model.encoding = toys.Rotary(layout="half")
    assert mean_bits(model, text) > right + 0.5
    assert mean_bits(measure_small.repaired(model), text) == pytest.approx(right, abs=0.01)
    model = small_models.load("rope")
    read, asked = small_models.windows(text, 256)
    for wrong in (read, asked.roll(-1, dims=1)):
        assert small_models.costs(model, read, wrong).mean() > right + 1


def test_the_held_out_text_is_the_one_that_was_frozen(tmp_path, monkeypatch):
    assert len(TEXT) == 65_536 and (TEXT > 0).all()
    path = small_models.FOLDER / "held_out.txt"
    damaged = tmp_path / "held_out.txt"
    monkeypatch.setattr(small_models, "FOLDER", tmp_path)
    for content in (None, path.read_bytes()[:-1], path.read_bytes().replace(b"def", b"fed", 1), b"\xff"):
        if content is not None:
            damaged.write_bytes(content)
        with pytest.raises(OSError, match=r"held_out\.txt is missing or damaged; `git checkout"):
            small_models.held_out()
    damaged.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # as git may leave it on Windows
    assert small_models.held_out()


def test_a_missing_or_damaged_model_says_how_to_train_it(tmp_path, monkeypatch):
    right = (small_models.FOLDER / "rope.npz").read_bytes()
    monkeypatch.setattr(small_models, "FOLDER", tmp_path)
    path = tmp_path / "rope.npz"
    flipped = bytearray(right)
    flipped[len(right) // 2] ^= 1
    with np.load(small_models.Path(small_models.__file__).with_name("rope.npz")) as found:
        arrays = dict(found)
    spoiled = [None, b"", b"no weights", right[:1000], right[:-1000], bytes(flipped)]
    for change in ({"head.bias": None}, {"head.bias": np.zeros(5, np.float16)}, {"more": np.zeros(5)}):
        kept = {name: value for name, value in {**arrays, **change}.items() if value is not None}
        np.savez(tmp_path / "other.npz", **kept)
        spoiled.append((tmp_path / "other.npz").read_bytes())
    for content in spoiled:
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(OSError) as caught:
            small_models.load("rope")
        sentence = str(caught.value)
        assert "`python course.py train-small --model rope --store`" in sentence and "\n" not in sentence
    path.write_bytes(right)
    small_models.load("rope")
    with pytest.raises(ValueError, match=r"name must be one of rope, .*; got 'rotary'"):
        small_models.load("rotary")
