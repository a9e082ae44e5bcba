"""The reader of config.json: both spellings, layers that differ, what it warns of, what it does not know."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pe_lessons import arrays, models

LLAMA = {
    "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 4,
    "max_position_embeddings": 512, "rope_theta": 500_000.0,
}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128}
LLAMA_3 = {
    "rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 128,
}  # fmt: skip
PLAIN = arrays.frequencies(16, base=500_000.0)  # as Llama's, without a rule
GALLERY = models.gallery()

# As their authors published them, with what they left out left out; each letter of a plan is a layer.
PUBLISHED_FILES = json.loads((Path(__file__).parent / "published_configs.json").read_text("utf-8"))
PUBLISHED = (
    "by its authors", "a copy of its config.json", "the class default of transformers 5.23.0",
)  # fmt: skip


def kinds(config):
    return [layer.kind for layer in models.layers(config)]


def only(config):
    """The one thing that all layers of the model do."""
    (layer,) = set(models.layers(config))
    return layer


def without(config, *names):
    return {name: value for name, value in config.items() if name not in names}


@pytest.mark.parametrize("words", [{"rope_theta": None}, {"rope_parameters": {"rope_theta": None}}])
def test_a_null_base_means_no_rotation_where_the_code_says_so(words):
    olmo = without(LLAMA, "rope_theta") | {"model_type": "olmo_hybrid"}
    assert kinds(olmo) == ["rotary"] * 4 and kinds(olmo | words) == ["none"] * 4
    assert models.understood(olmo | words) and "10,000" not in models.explain(olmo | words)
    assert kinds(without(LLAMA, "rope_theta") | words) == ["rotary"] * 4


@pytest.mark.parametrize("rule", [{"rope_type": "linear", "factor": 4.0}, YARN, LLAMA_3])
def test_the_old_and_the_new_spelling_say_the_same(rule):
    old = LLAMA | {"rope_scaling": rule}
    new = without(LLAMA, "rope_theta") | {"rope_parameters": {"rope_theta": 500_000.0, **rule}}
    assert models.layers(old) == models.layers(new)
    expected, factor = arrays.rotary_frequencies(16, base=500_000.0, scaling=rule)
    np.testing.assert_allclose(only(old).frequencies, expected, rtol=1e-12)
    assert only(old).attention_factor == pytest.approx(factor)


@pytest.mark.parametrize(
    ("more", "rotary_dim", "frequencies"),
    [
        ({"partial_rotary_factor": 0.5}, 8, arrays.frequencies(8, base=500_000.0)),
        ({"rotary_dim": 4}, 4, arrays.frequencies(4, base=500_000.0)),
        ({"head_dim": 32}, 32, arrays.frequencies(32, base=500_000.0)),
        ({"qk_rope_head_dim": 8, "head_dim": 24}, 8, arrays.frequencies(8, base=500_000.0)),
        (
            {"rope_scaling": {"rope_type": "proportional", "factor": 4.0}, "partial_rotary_factor": 0.25},
            4,
            [*PLAIN[:2] / 4, *[0.0] * 6],
        ),
        (
            {"rope_parameters": {"rope_type": "proportional", "partial_rotary_factor": 0.25}},
            4,
            [*PLAIN[:2], *[0.0] * 6],
        ),
        # Without a ramp the pairs that turn once in the trained length stay, and the slower ones are divided.
        ({"rope_scaling": LLAMA_3 | {"high_freq_factor": 1.0}}, 16, [*PLAIN[:2], *PLAIN[2:] / 4]),
    ],
)
def test_which_pairs_turn_and_how_fast(more, rotary_dim, frequencies):
    layer = only(LLAMA | more)
    assert layer.rotary_dim == rotary_dim
    np.testing.assert_allclose(layer.frequencies, frequencies, rtol=1e-12)


def test_two_lists_of_factors():
    rule = {"type": "longrope", "short_factor": [1.0] * 8, "long_factor": [4.0] * 8}
    config = LLAMA | {"rope_scaling": rule, "original_max_position_embeddings": 128}
    layer = only(config)
    np.testing.assert_allclose(layer.frequencies, PLAIN)
    assert layer.attention_factor == pytest.approx(np.sqrt(1 + np.log(4) / np.log(128)))
    told = "the long list of factors; keys that are cached were turned by another rule"
    assert told in models.explain(config)


def test_mscale_of_yarn():
    rule = YARN | {"mscale": 1.0, "mscale_all_dim": 0.5}
    expected = (0.1 * np.log(4) + 1) / (0.05 * np.log(4) + 1)
    assert only(LLAMA | {"rope_scaling": rule}).attention_factor == pytest.approx(expected)


def test_two_rules_by_the_type_of_layer():
    config = without(LLAMA, "rope_theta") | {
        "model_type": "gemma3_text", "num_hidden_layers": 7, "sliding_window": 64, "head_dim": 16,
        "sliding_window_pattern": 6, "rope_theta": 1_000_000.0, "rope_local_base_freq": 10_000.0,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0},
    }  # fmt: skip
    plan = models.layers(config)
    assert [layer.base for layer in plan] == [10_000.0] * 5 + [1_000_000.0, 10_000.0]
    assert [layer.window for layer in plan] == [64] * 5 + [None, 64]
    assert [layer.rule for layer in plan] == ["default"] * 5 + ["linear", "default"]
    told = "layers 0-4, 6: rotary with base 10,000 on all 16 columns of a head, window of 64 tokens"
    assert told in models.explain(config)


def test_layers_without_positions():
    assert kinds(LLAMA | {"no_rope_layers": [1, 1, 1, 0]}) == ["rotary"] * 3 + ["none"]
    assert kinds(LLAMA | {"no_rope_layer_interval": 2}) == ["rotary", "none"] * 2
    assert kinds(LLAMA | {"no_rope_layer_interval": 2, "no_rope_layers": [1] * 4}) == ["rotary"] * 4
    by_layer = LLAMA | {"layer_rope_theta": [100.0, 0, 200.0, 0]}
    assert kinds(by_layer) == ["rotary", "none"] * 2
    assert [layer.base for layer in models.layers(by_layer)[::2]] == [100, 200]
    cohere = LLAMA | {"model_type": "cohere2", "sliding_window": 64}
    assert kinds(cohere) == ["rotary"] * 3 + ["none"]
    nested = {"sliding_attention": {"rope_theta": 100.0}, "full_attention": None}
    types = ["sliding_attention", "full_attention"] * 2
    assert kinds(LLAMA | {"rope_parameters": nested, "layer_types": types}) == ["rotary", "none"] * 2
    types = ["linear_attention", "full_attention"] * 2
    assert kinds(LLAMA | {"layer_types": types}) == ["recurrent", "rotary"] * 2


@pytest.mark.parametrize(
    ("config", "kind", "words"),
    [
        ({"model_type": "gpt2", "n_layer": 2, "n_positions": 1024}, "learned", "the table has no row"),
        ({"model_type": "new", "num_layers": 2, "n_positions": 9, "position_embedding_type": "sinusoidal"},
         "sinusoidal", "beyond 9 tokens: the table goes on by its rule"),
        ({"model_type": "bloom", "n_layer": 2}, "alibi", "ALiBi"),
        ({"model_type": "mpt", "n_layers": 2, "attn_config": {"alibi": True}}, "alibi", "ALiBi"),
        ({"model_type": "t5", "num_layers": 2, "relative_attention_num_buckets": 32}, "t5", "each bucket"),
        ({"model_type": "granitemoehybrid", "num_hidden_layers": 2, "position_embedding_type": "nope"},
         "none", "without positions"),
        ({"model_type": "brand_new", "num_hidden_layers": 2}, "unknown", "'brand_new' is not in its tables"),
        (LLAMA | {"rope_scaling": {"rope_type": "spiral"}}, "unknown", "the rule 'spiral' is not one of"),
        (LLAMA | {"rope_scaling": {"rope_type": "yarn"}}, "unknown", "the rule 'yarn' wants factor"),
        (LLAMA | {"rope_scaling": {"rope_type": "linear", "factor": "2"}}, "unknown",
         "factor = '2' is no number; rope_theta 500000.0"),
        (LLAMA | {"rope_scaling": {"type": "su"}, "partial_rotary_factor": 0.25}, "unknown",
         "wants short_factor, long_factor; partial_rotary_factor 0.25; rope_theta 500000.0"),
        (without(LLAMA, "hidden_size") | {"model_type": "mistral"}, "unknown",
         "neither head_dim nor a width"),
        (LLAMA | {"num_attention_heads": 0}, "unknown", "the file gives num_attention_heads 0"),
        (LLAMA | {"head_dim": 0}, "unknown", "the file gives head_dim 0"),
        (LLAMA | {"rope_theta": 0}, "unknown", "base must be"),
        (LLAMA | {"partial_rotary_factor": 2.0}, "unknown", "32 columns of 16 would turn"),
        (LLAMA | {"head_dim": 15}, "unknown", "15 columns of 15 would turn, and they turn in pairs"),
        (LLAMA | {"rope_scaling": LLAMA_3 | {"low_freq_factor": 8.0}}, "unknown",
         "high_freq_factor must be above low_freq_factor, got 4.0 and 8.0"),
        (LLAMA | {"rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [2.0]}},
         "unknown", "short_factor must"),
        (LLAMA | {"layer_types": ["banana_attention"] * 4}, "unknown", "'banana_attention' is a type of"),
        (LLAMA | {"layer_types": [], "model_type": "nemotron_h"}, "unknown", "of which type this layer is"),
        (without(LLAMA, "rope_theta") | {"model_type": "acme", "rope_scaling": YARN}, "unknown",
         "the file gives no base, and that of the type is not in this reader's tables"),
        (LLAMA | {"rotary_pct": 0.0}, "none", "warning: rotary_pct is 0: no column turns"),
        (LLAMA | {"partial_rotary_factor": 0.0}, "none", "warning: partial_rotary_factor is 0: no column"),
        (LLAMA | {"rotary_dim": 0}, "none", "warning: rotary_dim is 0: no column turns"),
        ({"model_type": "mamba2", "num_hidden_layers": 2}, "recurrent", "its state is what knows the order"),
        ({"model_type": "whisper", "encoder_layers": 4, "decoder_layers": 4}, "unknown", "'whisper' is not"),
        ({"model_type": "llava", "text_config": {"model_type": "llama", "max_position_embeddings": 4096}},
         "rotary", "leaves out hidden_size (4096), num_attention_heads (32), num_hidden_layers (32)"),
        ({"model_type": "acme", "num_hidden_layers": 2}, "unknown", "warning: the type 'acme' is not"),
        (LLAMA | {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "rotary", "had, if this is the"),
        (LLAMA | {"partial_rotary_factor": 0.1}, "unknown", "of 16 columns of a head no pair would turn"),
        (LLAMA | {"rope_scaling": {"rope_type": ["yarn"]}}, "unknown", "the rule \"['yarn']\" is not one of"),
        (LLAMA | {"rope_scaling": YARN | {"factor": np.inf}}, "unknown", "factor = inf is no number"),
        (LLAMA | {"rope_parameters": {"full_attention": {}, "hybrid": 3}, "layer_types": ["hybrid"] * 4},
         "unknown", "rope_parameters of 'hybrid' is 3"),
        (LLAMA | {"layer_types": ["chunked_attention"] * 4, "attention_chunk_size": 128}, "rotary",
         "on all 16 columns of a head, chunks of 128 tokens"),
    ],
)  # fmt: skip
def test_other_kinds_and_what_is_not_understood(config, kind, words):
    assert set(kinds(config)) == {kind}
    assert words in models.explain(config)


@pytest.mark.parametrize("name", PUBLISHED_FILES)
def test_a_file_as_its_authors_published_it(name):
    config, plan = PUBLISHED_FILES[name]["config"], PUBLISHED_FILES[name]["plan"]
    kinds = [PUBLISHED_FILES[name]["layers"][letter] for letter in plan]
    assert [[layer.kind, layer.window] for layer in models.layers(config)] == kinds
    assert models.understood(config), models.explain(config)


def test_what_authors_leave_out_is_taken_from_the_type():
    local, *_, whole = models.layers(PUBLISHED_FILES["gemma-3-12b"]["config"])[:6]
    assert (local.base, local.head_dim, local.rule) == (10_000, 256, "default")
    assert (whole.base, whole.head_dim, whole.rule) == (1_000_000, 256, "linear")
    told = models.explain(PUBLISHED_FILES["gemma-3-12b"]["config"])
    left_out = "head_dim (256), max_position_embeddings (131072), rope_theta (10,000 and 1,000,000)"
    assert f"leaves out {left_out}" in told
    turning = only(PUBLISHED_FILES["bamba"]["config"] | {"num_hidden_layers": 1, "attn_layer_indices": [0]})
    assert (turning.rotary_dim, turning.head_dim) == (64, 128)


def test_zero_null_and_left_out_are_three_things():
    """In Llama 4 a width that is null is shared among the heads, one that is left out is that of the type."""
    scout = PUBLISHED_FILES["llama-4-scout"]["config"]["text_config"]
    scout = scout | {"hidden_size": 640, "num_attention_heads": 10}
    widths = [models.layers(config)[0].head_dim for config in (
        scout | {"head_dim": None}, without(scout, "head_dim"), scout | {"head_dim": 32})]  # fmt: skip
    assert widths == [64, 128, 32]
    assert "head_dim 0" in models.layers(scout | {"head_dim": 0})[0].why


def test_deepseek_v4_in_the_old_spelling():
    old = GALLERY["deepseek-v4-flash"]["config"]
    plan = models.layers(old)
    ratios = old["compress_ratios"][: len(plan)]
    assert [layer.base for layer in plan] == [160_000 if ratio else 10_000 for ratio in ratios]
    assert [layer.rule for layer in plan] == ["yarn" if ratio else "default" for ratio in ratios]
    assert {layer.attention_factor for layer in plan} == {1.0} and plan[0].window == 128
    assert "sees 128 tokens as they are and older ones compressed" in models.explain(old)
    assert models.understood(old)


def test_the_language_model_of_a_model_with_eyes():
    seeing = {"model_type": "eyes", "text_config": LLAMA, "vision_config": {}}
    assert models.layers(seeing) == models.layers(LLAMA)
    part = without(LLAMA, "model_type")
    for outer, read_as in (("gemma3", "gemma3_text"), ("acme", "acme"), ("llava", "llava")):
        assert models.explain({"model_type": outer, "text_config": part}).startswith(f"{read_as}: 4 layers")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"rope_parameters": {"rope_theta": 100.0}}, "gives the base 100, rope_theta 500,000"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0, "rope_theta": 100.0}},
         "rope_scaling gives the base 100, rope_theta 500,000: the one in rope_scaling is taken"),
        ({"rope_scaling": LLAMA_3 | {"original_max_position_embeddings": 1024}},
         "the trained length 1,024 is longer than the 512 positions in all, factor or not"),
        ({"num_key_value_heads": 3}, "4 heads can't share the keys of num_key_value_heads = 3 evenly"),
        ({"rope_parameters": YARN, "rope_scaling": YARN | {"factor": 2.0}},
         "rope_parameters and rope_scaling disagree"),
        ({"rope_scaling": without(YARN, "original_max_position_embeddings")},
         "512 is taken for the trained length"),
        ({"rope_scaling": YARN | {"factor": 8.0}}, "factor 8 times the trained length 128 is 1,024, not 512"),
        ({"no_rope_layers": [0, 0, 0, 0]}, "0 means *without* rotation, so no layer turns"),
        ({"no_rope_layers": [0, 0, 0, 1]}, "3 zeros of 4"),
        ({"layer_types": ["full_attention"] * 3}, "layer_types has 3 entries for 4 layers"),
        ({"rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 2]}},
         "mrope_section adds up to 7, but 8 pairs turn"),
        ({"partial_rotary_factor": 0.32, "rope_parameters": {"rope_theta": 500_000.0}},
         "an odd number: no whole pairs"),
        ({"rope_scaling": YARN | {"swirl": 3}}, "swirl = 3 is not understood"),
        ({"yarn_magic": 3}, "yarn_magic = 3 is not understood"),
        ({"position_biased_input": "maybe"}, "position_biased_input = 'maybe' is not understood"),
        ({"model_type": "acme-lm"}, "the type 'acme-lm' is not in this reader's tables: it is read by"),
        ({"num_attention_heads": 6}, "6 heads do not share a width of 64 evenly: 10 columns each are taken"),
        ({"alibi": True}, "rope_theta beside another kind (ALiBi: each head takes off its slope for every "
         "token of distance): no layer is taken to turn"),
        ({"rope_theta": None}, "rope_theta is null: 10,000 is taken where a layer is rotary"),
        ({"layer_types": ["sliding_attention"] * 4, "sliding_window": None},
         "layer_types has sliding_attention, but sliding_window is null: no window is known"),
        ({"layers_block_type": ["attention"] * 3}, "layers_block_type has 3 entries for 4 layers"),
        ({"rope_scaling": without(YARN, "original_max_position_embeddings"), "max_position_embeddings": None},
         "yarn without original_max_position_embeddings: no length is known"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_said(more, words):
    assert words in " | ".join(models.warnings(LLAMA | more))
    assert f"warning: {' '.join(models.warnings(LLAMA | more)[:1])}" in models.explain(LLAMA | more)


def test_the_norm_of_queries_and_keys_is_said():
    assert "normed" not in models.explain(LLAMA | {"use_qk_norm": False})
    assert "times a factor" in models.explain(LLAMA | {"attn_temperature_tuning": True})
    assert "times a factor" not in models.explain(LLAMA | {"attn_temperature_tuning": False})
    normed = {name: models.explain(LLAMA | {"use_qk_norm": True, "model_type": name})
              for name in ("cohere", "llama4_text", "llama")}  # fmt: skip
    assert "normed before they are turned (use_qk_norm)" in normed["cohere"]
    assert "normed after they are turned, and only where they turn (use_qk_norm)" in normed["llama4_text"]
    assert "queries and keys are normed (use_qk_norm)" in normed["llama"]


def test_in_a_window_no_distance_is_new():
    """Two tokens are never farther apart than the window, however long the text."""
    windowed = models.explain(LLAMA | {"sliding_window": 64, "model_type": "mistral"})
    assert "in 64 tokens the fastest pair turns 10.2 times" in windowed
    assert "angles that no training text had" not in windowed
    wide = models.explain(LLAMA | {"sliding_window": 1024, "model_type": "mistral"})
    assert "window of 1,024 tokens (wider than the 512 positions)" in wide and "in 512 tokens" in wide
    assert "beyond 512 tokens: 5 pairs reach angles that no training text had" in models.explain(LLAMA)


@pytest.mark.parametrize("name", GALLERY)
def test_an_exhibit_of_the_gallery(name):
    exhibit = GALLERY[name]
    assert list(exhibit) == ["model", "date", "published", "source", "note", "config"]
    assert re.fullmatch(r"20(1[7-9]|2\d)(-(0[1-9]|1[0-2]))?", exhibit["date"])
    assert exhibit["published"] in PUBLISHED
    commit = "v5.23.0" if "class default" in exhibit["published"] else "[0-9a-f]{40}"
    assert re.fullmatch(rf"https://github.com/[\w.-]+/[\w.-]+/blob/{commit}/[\w./-]+", exhibit["source"])
    plan = models.layers(exhibit["config"])
    assert "unknown" not in {layer.kind for layer in plan}
    assert models.explain(exhibit["config"]).startswith(exhibit["config"]["model_type"])


EXPLAINED = (Path(__file__).parent / "explained.md").read_text(encoding="utf-8").split("\n## ")[1:]


@pytest.mark.parametrize("expected", EXPLAINED, ids=lambda expected: expected.split("\n")[0])
def test_an_exhibit_is_explained_word_for_word(expected):
    name, text = expected.strip().split("\n\n")
    assert models.explain(GALLERY[name]["config"]) == text


def test_the_gallery_is_in_order_and_shows_every_kind():
    dates = [exhibit["date"] for exhibit in GALLERY.values()]
    assert dates == sorted(dates) and len(dates) >= 25
    shown = {layer.kind for one in GALLERY.values() for layer in models.layers(one["config"])}
    assert shown == {*models.KINDS, "rotary"} - {"unknown"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"num_hidden_layers": 10**9},
            "num_hidden_layers must be a whole number between 1 and 10,000, got 1000000000",
        ),
        ({"num_hidden_layers": None}, "how many layers there are, and has no num_hidden_layers"),
        ({"no_rope_layer_interval": 0}, "no_rope_layer_interval must be 1 or more, got 0"),
        ({"layer_types": [{}] * 4}, "layer_types must be a list of words, but one of them is {}"),
        ({"rope_scaling": {"mrope_section": 5}}, "mrope_section must be a list of numbers, got 5"),
        ({"model_type": ["llama"]}, r"model_type must be a word, got \['llama'\]"),
        ({"rope_parameters": [500_000]}, r"rope_parameters must be an object, got \[500000\]"),
        ({"layer_types": 4}, "layer_types must be a list, got 4"),
        ({"rotary_dim": 4.5}, r"rotary_dim must be a whole number, got 4\.5"),
        ({"max_position_embeddings": "512"}, "max_position_embeddings must be a finite number, got '512'"),
        ({"head_dim": np.nan}, "head_dim must be a finite number, got nan"),
        ({"rope_theta": True}, "rope_theta must be a finite number, got True"),
        ({"rotary_dim": True}, "rotary_dim must be a whole number, got True"),
        ({"layer_rope_theta": ["a"] * 4}, "layer_rope_theta must hold a number for each layer, got 'a'"),
        ({"max_position_embeddings": -1}, "max_position_embeddings must be 1 or more, got -1"),
        ({"n_positions": 0}, "n_positions must be 1 or more, got 0"),
        *(({"sliding_window": window}, "1 or more tokens, or null, got") for window in (-5, 0, 1.5, True)),
        (
            {"sliding_window": 0, "model_type": "gemma3_text"},
            "sliding_window must be a whole number of 1 or more tokens, or null, got 0",
        ),
        ({"num_attention_heads": "32"}, "num_attention_heads must be a whole number, got '32'"),
        ({"sliding_window": 0, "layer_types": ["sliding_attention"] * 4}, "1 or more tokens, or null, got 0"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(more, words):
    with pytest.raises(ValueError, match=words):
        models.explain(LLAMA | more)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sliding_windw", "sliding_window"), ("slidingwindow", "sliding_window"),
        ("window_size", "sliding_window"), ("layer_typs", "layer_types"),
        ("num_hiden_layers", "num_hidden_layers"), ("max_pos_embeddings", "max_position_embeddings"),
    ],
)  # fmt: skip
def test_a_misspelled_name_is_named(name, meant):
    config = GALLERY["gpt-oss-120b"]["config"]
    assert models.understood(config)
    slip = without(config, meant if meant != "num_hidden_layers" else "") | {name: 64}
    assert f"{name} = 64 is not understood: is {meant} meant?" in models.explain(slip)
    assert not models.understood(slip)


def test_a_misspelled_knob_and_the_base_that_is_taken_instead():
    slip = without(LLAMA_3, "low_freq_factor") | {"low_frequency_factor": 1.0}
    told = models.explain(LLAMA | {"rope_scaling": slip})
    assert "low_frequency_factor = 1.0 is not understood: is low_freq_factor meant?" in told
    told = models.explain(without(LLAMA, "rope_theta") | {"rope_tehta": 5e5})
    assert "is rope_theta meant?" in told and "the file leaves out rope_theta (10,000): " in told


@pytest.mark.parametrize("name", ["qk_nope_head_dim", "num_key_value_heads", "v_head_dim", "mlp_layer_types"])
def test_a_name_that_only_looks_like_another_is_not_named(name):
    assert models.warnings(LLAMA | {name: 4}) == []


def test_a_window_that_nobody_gives_is_not_understood():
    config = LLAMA | {"layer_types": ["sliding_attention", "full_attention"] * 2}
    assert "sliding_window is left out: no window is known" in models.explain(config)
    assert not models.understood(config) and models.understood(config | {"sliding_window": 8})
    gpt_oss = without(GALLERY["gpt-oss-120b"]["config"], "sliding_window")
    assert models.layers(gpt_oss)[0].window == 128


def test_mimo_v2_flash_as_it_is_published():
    """Its class in transformers counts the token itself, which sliding_window_size leaves out."""
    flags = [int(0 < layer and (layer + 1) % 6 != 0) for layer in range(48)]
    config = {
        "model_type": "mimo_v2_flash", "hidden_size": 4096, "num_hidden_layers": 48, "head_dim": 192,
        "num_attention_heads": 64, "partial_rotary_factor": 0.334, "rope_theta": 5e6, "swa_head_dim": 192,
        "swa_rope_theta": 1e4, "sliding_window": 128, "sliding_window_size": 128,
        "max_position_embeddings": 262_144, "hybrid_layer_pattern": flags,
    }  # fmt: skip
    plan = models.layers(config)
    assert [layer.window for layer in plan] == [129 if flag else None for flag in flags]
    assert [layer.base for layer in plan] == [1e4 if flag else 5e6 for flag in flags]
    assert {layer.rotary_dim for layer in plan} == {64} and models.understood(config)
    assert "'of kind 2' is a type" in models.explain(config | {"hybrid_layer_pattern": [2] * 48})


@pytest.mark.parametrize("config", [None, 3, ["a"]])
def test_not_a_config(config):
    with pytest.raises(TypeError, match="config must be a dict or the path of a config"):
        models.explain(config)


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "a readable file"), ("{", "is not JSON"), ("[]", "hold an object"), ("{}", "how many layers")],
)
def test_a_file_that_cannot_be_read(tmp_path, capsys, text, words):
    path = tmp_path / "config.json"
    if text is not None:
        path.write_text(text)
    assert models.main([str(path)]) == 2
    shown = capsys.readouterr().err
    assert words in shown and shown.count("\n") == 1


@pytest.mark.parametrize(
    ("configs", "status"),
    [
        ([LLAMA], 0),
        ([LLAMA | {"model_type": "acme-lm"}], 2),
        ([LLAMA | {"num_key_value_heads": 3}], 2),
        ([LLAMA | {"rope_scaling": {"rope_type": "linear", "factor": "eight"}}], 2),
        ([LLAMA | {"rope_scaling": {"rope_type": "linear", "rope_theta": 100.0, "factor": 2.0}}], 0),
        ([LLAMA, "nothing", LLAMA], 2),
    ],
)
def test_the_exit_status(tmp_path, capsys, configs, status):
    paths = [tmp_path / f"{number}.json" for number in range(len(configs))]
    for path, config in zip(paths, configs):
        path.write_text(json.dumps(config))
    assert models.main([str(path) for path in paths]) == status
    assert capsys.readouterr().out.count(" layers, ") == sum(config != "nothing" for config in configs)


def test_what_single_layers_have_of_their_own():
    own = {f"{1:02d}": {"head_dim": 32}, "3": {"head_dim": 8}, "last": {"head_dim": 4}}
    widths = [layer.head_dim for layer in models.layers(LLAMA | {"per_layer_config": own})]
    assert widths == [16, 32, 16, 8]


def test_two_configs_are_compared_by_name_or_folder(tmp_path, capsys):
    (tmp_path / "config.json").write_text(json.dumps(GALLERY["llama-3-8b"]["config"]))
    assert models.main(["diff", "llama-2-7b", str(tmp_path)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "- layers 0-31: rotary with base 10,000 on all 128 columns of a head" in shown
    assert "+ layers 0-31: rotary with base 500,000 on all 128 columns of a head" in shown
    assert models.main(["diff", "llama-3-8b", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "the two configs do the same with positions\n"
    assert models.main(["diff", "llama-3-8b", "llama-3"]) == 2
    assert capsys.readouterr().out == ""


def test_what_is_missing_or_misspelled_on_the_command_line_is_said(capsys):
    with pytest.raises(SystemExit):
        models.main(["diff", "llama-2-7b"])
    assert "diff wants two configs" in capsys.readouterr().err
    for name, meant in (("llama-2-7", "llama-2-7b"), ("meta-llama/Llama-3.1-8B", "llama-3.1-8b")):
        assert models.main([name]) == 2
        assert f"a known name, got {name!r}; names like it: {meant}" in capsys.readouterr().err
    for name in ("zzz", "a/folder"):
        assert models.main([name]) == 2
        shown = capsys.readouterr().err
        assert all(name in shown for name in GALLERY)
    assert models.main(["no/such/file.json"]) == 2
    assert "config must be a readable file" in capsys.readouterr().err


def test_each_known_name_is_taken_and_listed(capsys):
    assert models.main([*GALLERY]) == 0
    assert capsys.readouterr().err == ""
    with pytest.raises(SystemExit):
        models.main(["--help"])
    shown = capsys.readouterr().out.split("known names: ")[1]
    assert shown.replace("\n", " ").strip().split(", ") == [*GALLERY]


def test_a_reader_that_closes_its_end_is_no_error():
    command = f"{sys.executable} -m pe_lessons.models --json {' '.join(GALLERY)} | head -c 1"
    said = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (said.stdout, said.stderr) == ("[", "")


def test_json_is_json(capsys):
    assert models.main(["gpt-2", "gemma-3-12b", "--json"]) == 0
    gpt, gemma = json.loads(capsys.readouterr().out)
    assert [layer["kind"] for layer in gpt["layers"]] == ["learned"] * 12
    assert (gemma["layers"][0]["window"], gemma["warnings"]) == (1024, [])
