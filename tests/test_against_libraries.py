"""The course against the libraries that people use: `python course.py test-peers` installs them.

Each comparison prints its largest difference, for the table in EVIDENCE.md. A library that is absent is a
skip with its name. Of the models that are tried layer by layer the task takes all, and an ordinary run some.
"""

import collections
import functools
import importlib
import json
import math
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from evidence import reader_and_doctor
from pe_lessons import arrays, models, small_models, tensors
from pe_lessons.small_models import checkpoint

EVIDENCE = Path(__file__).resolve().parents[1] / "EVIDENCE.md"
PUBLISHED_FILES = json.loads((Path(__file__).parent / "published_configs.json").read_text("utf-8"))
ROWS = np.random.default_rng(0).normal(size=(2, 3, 12, 16))  # (batch, num_heads, seq_len, head_dim)
POSITIONS = np.arange(12)

# (what is ours, the library that has it as well) -> the comparison
PEERS = {}


def peer(ours, library):
    def register(compare):
        PEERS[ours, library] = compare
        return compare

    return register


def get(path):
    """An object of a library by its path, or a skip that names the library."""
    module, name = path.rsplit(".", 1)
    library = module.split(".")[0]
    pytest.importorskip(library, reason=f"{library} is not installed: python course.py test-peers does it")
    return getattr(importlib.import_module(module), name)


def gap(ours, theirs):
    """The largest difference of two arrays of one shape."""
    ours, theirs = (np.asarray(torch.as_tensor(value).detach(), dtype=np.float64) for value in (ours, theirs))
    assert ours.shape == theirs.shape
    return np.abs(ours - theirs).max()


def config(base=10_000.0, head_dim=16, max_len=64, **rule):
    return get("transformers.LlamaConfig")(
        hidden_size=2 * head_dim,
        num_attention_heads=2,
        max_position_embeddings=max_len,
        rope_parameters={"rope_type": "default", "rope_theta": base, **rule},
    )


def their_frequencies(rope_type, *args, **kwargs):
    rules = get("transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS")
    return rules[rope_type](config(*args, rope_type=rope_type, **kwargs), "cpu")


@peer("rotary, halves", "transformers")
def llama():
    """The module, whose angles are float32, and the turning itself, in float64."""
    turn = get("transformers.models.llama.modeling_llama.apply_rotary_pos_emb")
    module = get("transformers.models.llama.modeling_llama.LlamaRotaryEmbedding")(config())
    x, positions = torch.tensor(ROWS), torch.tensor(POSITIONS)
    cosine, sine = module(x, positions[None])
    angles = torch.tensor(np.outer(POSITIONS, arrays.frequencies(16))).repeat(1, 2)[None]
    ours = tensors.rotary(x, positions, layout="half")
    exactly = gap(ours, turn(x, x, angles.cos(), angles.sin())[0])
    assert exactly < 1e-14
    return max(exactly, gap(ours, turn(x, x, cosine, sine)[1]))


@peer("rotary, interleaved", "transformers")
def gpt_j():
    turn = get("transformers.models.gptj.modeling_gptj.apply_rotary_pos_emb")
    table = get("transformers.models.gptj.modeling_gptj.create_sinusoidal_positions")(12, 16)
    sine, cosine = table.chunk(2, 1)
    theirs = turn(torch.tensor(ROWS).transpose(1, 2), sine[None], cosine[None]).transpose(1, 2)
    return gap(tensors.rotary(torch.tensor(ROWS), torch.tensor(POSITIONS)), theirs)


@peer("rotary, interleaved", "rotary_embedding_torch")
def lucidrains():
    module = get("rotary_embedding_torch.RotaryEmbedding")(16)
    return gap(arrays.rotary(ROWS, POSITIONS), module.rotate_queries_or_keys(torch.tensor(ROWS)))


@peer("rotary_frequencies, ntk", "rotary_embedding_torch")
def lucidrains_scaled():
    module = get("rotary_embedding_torch.RotaryEmbedding")
    ntk = module(16, theta_rescale_factor=4.0).freqs
    ours, _ = tensors.rotary_frequencies(16, scaling={"rope_type": "ntk", "factor": 4.0})
    return gap(ours, ntk)


@peer("rotary_frequencies, dynamic", "transformers")
def dynamic():
    rules, gaps = get("transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS"), []
    scaling = {"rope_type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 64}
    for text_len in (10, 64, 65, 160):
        theirs, _ = rules["dynamic"](config(rope_type="dynamic", factor=2.0), "cpu", seq_len=text_len)
        ours, _ = arrays.rotary_frequencies(16, scaling=scaling, text_len=text_len)
        gaps.append(gap(ours, theirs))
    return max(gaps)


@peer("rotary_frequencies, longrope", "transformers")
def longrope():
    """The lists, the attention factor, and the length at which the module switches."""
    module = get("transformers.models.llama.modeling_llama.LlamaRotaryEmbedding")
    rule = {"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 16,
            "short_factor": [1.0 + pair / 9 for pair in range(8)],
            "long_factor": [2.0**pair for pair in range(8)]}  # fmt: skip
    theirs, gaps = module(config(**rule)), []
    for text_len in (15, 16, 17, 40):
        cosine, _ = theirs(torch.ones(1), torch.arange(text_len)[None])
        ours, attention_factor = arrays.rotary_frequencies(16, scaling=rule, text_len=text_len)
        angles = np.outer(np.arange(text_len), ours)
        gaps.append(gap(attention_factor * np.cos(angles), cosine[0, :, :8]))
    return max(gaps)


IN_32768 = {"factor": 8.0, "original_max_position_embeddings": 4096}
LLAMA_3 = {"factor": 8.0, "original_max_position_embeddings": 8192}
LLAMA_3 |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
OPTIONS = [{}, {"truncate": False}, {"beta_fast": 8.0, "beta_slow": 2.0}, {"attention_factor": 1.3}]
OPTIONS += [{"mscale": 0.7, "mscale_all_dim": 1.0}]
RULES = {  # base, head_dim and length in all of a model, and what its rule has
    "linear": [(500.0, 16, 64, {"factor": 4.0})],
    "yarn": [(10_000.0, width, 32_768, IN_32768 | more) for width in (16, 64, 128) for more in OPTIONS],
    "llama3": [(500_000.0, 128, 131_072, LLAMA_3)],
    "proportional": [
        (1e6, width, 64, {"partial_rotary_factor": share})
        for width, share in ((512, 0.25), (128, 0.334), (64, 1.0), (16, 0.05))
    ],
}


def compare_rule(rope_type):
    gaps = []
    for base, head_dim, max_len, rule in RULES[rope_type]:
        theirs, their_factor = their_frequencies(rope_type, base, head_dim, max_len, **rule)
        scaling = {"rope_type": rope_type, **rule}
        ours, factor = arrays.rotary_frequencies(head_dim, base=base, scaling=scaling)
        gaps += [gap(ours, theirs), abs(factor - their_factor)]
    return max(gaps)


for rope_type in RULES:
    peer(f"rotary_frequencies, {rope_type}", "transformers")(functools.partial(compare_rule, rope_type))


@peer("rotary, part of the columns", "transformers")
def partial():
    """GLM-4 turns neighbours, Qwen3-Next the halves of a quarter of the head."""
    gaps = []
    for model, share, layout in (("glm4", 0.5, "interleaved"), ("qwen3_next", 0.25, "half")):
        turn = get(f"transformers.models.{model}.modeling_{model}.apply_rotary_pos_emb")
        width = int(share * 16)
        angles = torch.tensor(np.outer(POSITIONS, arrays.frequencies(width))).repeat(1, 2)[None]
        x = torch.tensor(ROWS)
        theirs, _ = turn(x, x, angles.cos(), angles.sin())
        gaps.append(gap(tensors.rotary(x, torch.tensor(POSITIONS), layout=layout, rotary_dim=width), theirs))
    return max(gaps)


@peer("query_scale", "transformers")
def sharper_queries():
    scale = get("transformers.models.ministral3.modeling_ministral3.get_llama_4_attn_scale")
    positions = torch.arange(0, 200_000, 7)[None]
    theirs = scale(positions.double(), 0.1, 16_384)[0, 0, :, 0]
    return gap(arrays.query_scale(positions[0].numpy(), length=16_384), theirs)


@peer("delta_rule", "transformers")
def gated_delta_rule():
    """Both of Qwen3-Next's ways, token by token and in chunks, from a state that other tokens left."""
    rng = np.random.default_rng(1)
    unit = ROWS / np.linalg.norm(ROWS, axis=-1, keepdims=True)
    q, k, v, before = unit[:, ::-1], unit, ROWS[..., :8], rng.normal(size=(2, 3, 16, 8))
    gates, beta = rng.uniform(0.05, 1, size=(2, 2, 3, 12))
    ours = arrays.delta_rule(q / 4, k, v, beta, gates=gates, state=before)  # they divide by the root of 16
    gaps = []
    for way in ("recurrent", "chunk"):
        rule = get(f"transformers.models.qwen3_next.modeling_qwen3_next.torch_{way}_gated_delta_rule")
        given = [torch.tensor(one.copy()).transpose(1, 2).float() for one in (q, k, v, np.log(gates), beta)]
        out, state = rule(*given, initial_state=torch.tensor(before).float(), output_final_state=True)
        gaps += [gap(ours[0], out.transpose(1, 2)), gap(ours[1], state)]
    return max(gaps)


@peer("short_convolution", "transformers")
def convolution_before_a_state():
    mix = get("transformers.models.qwen3_next.modeling_qwen3_next.causal_conv1d_fn")
    x, weights = torch.tensor(ROWS[0]), torch.tensor(ROWS[1, :, 0, :4].copy()).repeat(6, 1)[:16]
    return gap(arrays.short_convolution(x.numpy(), weights.numpy())[0], mix(x.mT, weights).mT)


@peer("axial_rotary", "rotary_embedding_torch")
def axial():
    module = get("rotary_embedding_torch.RotaryEmbedding")(8)
    turn = get("rotary_embedding_torch.apply_rotary_emb")
    x = torch.tensor(ROWS)[:, 0].view(2, 3, 4, 16)  # a grid of 3 x 4
    rows, columns = np.divmod(np.arange(12), 4)
    ours = arrays.axial_rotary(ROWS[:, 0], rows, columns)
    return gap(ours, turn(module.get_axial_freqs(3, 4), x, freqs_seq_dim=-2).reshape(2, 12, 16))


def their_prompt(module, parts):
    """Positions of a prompt (3, seq_len) and its delta, by a model's own function; it merges 2 x 2."""
    kinds, images, videos = [], [], []
    for part in parts:
        if isinstance(part, int):
            kinds += [0] * part
        else:
            grids, kind = (images, 1) if part[0] == 1 else (videos, 2)
            grids.append([part[0], 2 * part[1], 2 * part[2]])
            kinds += [kind] * math.prod(part)
    model = SimpleNamespace(
        config=SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=2)),
        get_vision_position_ids=lambda *args, **kwargs: module.get_vision_position_ids(None, *args, **kwargs),
    )
    kinds = torch.tensor([kinds])
    grids = {"image_grid_thw": images, "video_grid_thw": videos}
    positions, delta = module.get_rope_index(
        model, torch.zeros_like(kinds), kinds, **{name: torch.tensor(g) for name, g in grids.items() if g}
    )
    return positions[:, 0], delta.item()


PROMPTS = [(5,), (3, (1, 2, 3), 2), ((1, 4, 2), 1, (1, 1, 1), 7), (2, (3, 4, 2), 3)]


@peer("mrope_positions", "transformers")
def positions_of_prompts():
    """Where a video has more frames than rows and columns, Qwen2-VL's of this library goes on too early."""
    gaps = []
    for name, prompts in (("qwen2_vl.modeling_qwen2_vl.Qwen2VLModel", PROMPTS),
                          ("qwen3_vl.modeling_qwen3_vl.Qwen3VLModel", PROMPTS[:3])):  # fmt: skip
        module = get(f"transformers.models.{name}")
        for parts in prompts:
            theirs, delta = their_prompt(module, parts)
            ours = tensors.mrope_positions(parts)
            gaps += [gap(ours, theirs), abs(delta - (ours.max().item() + 1 - ours.shape[1]))]
    return max(gaps)


def their_mrope(family, sections, base):
    """The turning as that family of models does it, its angles in float64; and its module's, in float32."""
    name = {"qwen2_vl": "Qwen2VL", "qwen3_vl": "Qwen3VLText", "qwen3_5": "Qwen3_5Text"}[family]
    path = f"transformers.models.{family}.modeling_{family}"
    width = 2 * sum(sections)
    options = SimpleNamespace(
        rope_parameters={"rope_type": "default", "rope_theta": base, "mrope_section": list(sections)},
        max_position_embeddings=64, head_dim=width, hidden_size=2 * width, num_attention_heads=2,
    )  # fmt: skip
    module = get(f"{path}.{name}RotaryEmbedding")(options)
    turn = get(f"{path}.apply_rotary_pos_emb")
    positions = torch.tensor(np.random.default_rng(3).integers(0, 8, size=(3, 12)))
    x = torch.tensor(np.random.default_rng(4).normal(size=(1, 2, 12, width)))
    angles = positions[:, None, :, None] * tensors.frequencies(width, base=base)
    exact = [module.recomposition_frequencies(waves) for waves in (angles.cos(), angles.sin())]
    rough = module(x, positions[:, None])
    return x, positions, [turn(x, x, *waves)[0] for waves in (exact, rough)]


@peer("mrope, blocks", "transformers")
def qwen2_vl():
    x, positions, (exact, rough) = their_mrope("qwen2_vl", (16, 24, 24), 1e6)
    ours = tensors.mrope(x, positions, (16, 24, 24), base=1e6, layout="half")
    assert gap(ours, exact) < 1e-14
    return gap(ours, rough)


@peer("mrope, interleaved", "transformers")
def qwen3_vl():
    gaps = []
    for family, sections, base in (("qwen3_vl", (24, 20, 20), 5e6), ("qwen3_5", (11, 11, 10), 1e7)):
        x, positions, (exact, rough) = their_mrope(family, sections, base)
        ours = tensors.mrope(x, positions, sections, base=base, layout="half", order="interleaved")
        assert gap(ours, exact) < 1e-14
        gaps.append(gap(ours, rough))
    return max(gaps)


@peer("t5_buckets", "transformers")
def buckets():
    attention = get("transformers.models.t5.modeling_t5.T5Attention")
    offsets, gaps = torch.arange(-1000, 1001), []
    for bidirectional in (True, False):
        for num_buckets, max_distance in ((32, 128), (16, 50), (64, 512)):
            options = {"num_buckets": num_buckets, "max_distance": max_distance}
            options["bidirectional"] = bidirectional
            theirs = attention._relative_position_bucket(offsets, **options)
            gaps.append(gap(tensors.t5_buckets(offsets, **options), theirs))
    return max(gaps)


@peer("t5_bias", "transformers")
def t5_bias():
    gaps = []
    for is_decoder in (True, False):
        options = get("transformers.T5Config")(d_model=16, num_heads=4, d_kv=4, is_decoder=is_decoder)
        module = get("transformers.models.t5.modeling_t5.T5Attention")(
            options, has_relative_attention_bias=True, layer_idx=0
        )
        [theirs] = module.compute_bias(140, 140)
        ours = tensors.t5_bias(140, module.relative_attention_bias.weight, bidirectional=not is_decoder)
        gaps.append(gap(ours, theirs))
    return max(gaps)


@peer("alibi_slopes", "transformers")
def slopes():
    """BLOOM's for any number of heads: it multiplies them by the position of the key."""
    build = get("transformers.models.bloom.modeling_bloom.build_alibi_tensor")
    return max(
        gap(arrays.alibi_slopes(num_heads), build(torch.ones(1, 2), num_heads, torch.float64)[:, 0, 1])
        for num_heads in range(1, 41)
    )


@peer("alibi, under a causal mask", "transformers")
def weights_under_alibi():
    """MPT adds one row to all queries: the softmax cancels what the rows differ by."""
    row = get("transformers.models.mpt.modeling_mpt.build_mpt_alibi_tensor")(6, 12)  # (num_heads, 1, n_k)
    scores = np.random.default_rng(1).normal(size=(6, 12, 12))
    future = np.where(np.tril(np.ones((12, 12), dtype=bool)), 0.0, -math.inf)
    return gap(
        arrays.softmax(scores + arrays.alibi(12, 6) + future), arrays.softmax(scores + row.numpy() + future)
    )


@peer("sinusoidal", "positional_encodings")
def line():
    module = get("positional_encodings.torch_encodings.PositionalEncoding1D")(16)
    return gap(arrays.sinusoidal(12, 16), module(torch.zeros(1, 12, 16))[0])


@peer("sinusoidal_2d", "positional_encodings")
def plane():
    module = get("positional_encodings.torch_encodings.PositionalEncoding2D")(16)
    return gap(arrays.sinusoidal_2d(5, 7, 16), module(torch.zeros(1, 5, 7, 16))[0])


@peer("bits of the exported small model", "transformers")
def exported_bits():
    """The tokenizer as well, which has no word of more than one character."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        checkpoint.export(folder)
        model = get("transformers.AutoModelForCausalLM").from_pretrained(folder)
        tokenizer = get("transformers.AutoTokenizer").from_pretrained(folder)
    text = small_models.held_out()[:8192]
    tokens = torch.tensor(tokenizer(text + "é")["input_ids"])
    assert torch.equal(tokens[:-1], small_models.encode(text)) and tokens[-1] == 0
    assert tokenizer.decode(tokens[:-1]) == text
    read, asked = small_models.windows(tokens[:-1], small_models.TRAINED_LENGTH)
    with torch.no_grad():
        theirs = F.cross_entropy(model(read).logits.double().flatten(0, 1), asked.flatten()) / math.log(2)
    return gap(small_models.bits(small_models.load("rope"), tokens[:-1]).double().mean(), theirs)


def test_what_the_look_at_a_checkpoint_finds(tmp_path, capsys):
    get("transformers.AutoTokenizer")
    checkpoint.export(tmp_path)
    with pytest.raises(FileExistsError):
        checkpoint.export(tmp_path)
    found = checkpoint.look_at(tmp_path, windows=2, distances=(100,), needles=16)
    assert "halves of 40 columns" in capsys.readouterr().out
    assert (found["rotating"], found["column"], found["partner"]) == ([0, 1, 2, 3], 0, 20)
    (saved, error), first = found["saved"][100], found["first"]
    assert saved > 2 * error and len(found["loss"]) == 4 and max(first) < 0.02


LOOKED_AT = {  # type: what it needs besides, layers whose cache changes, a changed column, its partner
    "llama": ({}, [0, 1, 2, 3], 0, 8),
    "glm4": ({}, [0, 1, 2, 3], 0, 1),
    "smollm3": ({}, [0, 1, 2], 0, 8),
    "gpt_neox": ({"num_key_value_heads": 4}, [0, 1, 2, 3], 0, 2),
    "gpt2": ({"n_embd": 64, "n_layer": 4, "n_head": 4}, [0, 1, 2, 3], 0, None),
    "bloom": ({"n_layer": 4, "n_head": 4}, [], None, None),
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_the_layout_of_other_models_is_found_by_one_column(name):
    options, *expected = LOOKED_AT[name]
    sizes = {"vocab_size": 50, "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 4,
             "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "pad_token_id": 0,
             "attn_implementation": "eager"}  # fmt: skip
    torch.manual_seed(0)
    config = get("transformers.AutoConfig").for_model(name, **sizes | options)
    model = get("transformers.AutoModelForCausalLM").from_config(config).eval().requires_grad_(False)
    for weights in model.parameters():
        weights *= 4 if weights.ndim == 2 else 1  # or the keys are too small to see
    found = checkpoint._layout(model, torch.arange(3, 43)[None])
    assert [found["rotating"], found["column"], found["partner"]] == expected


@pytest.mark.parametrize(("ours", "library"), PEERS, ids=map(" - ".join, PEERS))
def test_equal_to(ours, library, capsys):
    torch.manual_seed(0)
    difference = PEERS[ours, library]()
    with capsys.disabled():
        print(f"\n{library}: {ours}: {difference:.0e}", end="")
    assert difference <= 1e-6


def test_the_page_names_every_comparison():
    rows = {line.split("|")[1].strip(): line for line in EVIDENCE.read_text().splitlines() if line[:1] == "|"}
    assert [(ours, library) for ours, library in PEERS if f" {ours}: " not in rows.get(library, "")] == []


# The reader of configs and the doctor; `python course.py peer-models` writes the whole tables.


def say(capsys, text):
    with capsys.disabled():
        print(f"\n{text}", end="")


def test_the_gallery_has_the_frequencies_of_the_library(capsys):
    get("transformers.LlamaConfig")
    rows = reader_and_doctor.read_gallery()
    for name, verdict, largest in rows:
        say(capsys, f"gallery: {name}: {verdict} {reader_and_doctor.size(largest)}")
    assert [name for name, _, _ in rows] == list(models.gallery())
    assert {verdict for _, verdict, _ in rows} == {"equal", "nothing turns"}


def test_configs_of_the_library_are_read(drawn, capsys):
    get("transformers.LlamaConfig")
    names = drawn(reader_and_doctor.types(), 80, "configs")
    rows = reader_and_doctor.read_all(names)
    verdicts = collections.Counter(verdict for _, verdict, _ in rows)
    say(capsys, f"reader: {dict(verdicts)}")
    assert len(rows) > len(names) / 2 and verdicts["equal"] > len(rows) / 5
    assert [name for name, verdict, _ in rows if verdict == "DIFFERENT"] == []


def test_every_layer_of_a_published_file_does_what_the_reader_says(drawn):
    get("transformers.LlamaConfig")
    for name in drawn(PUBLISHED_FILES, 1, "published"):
        narrow = reader_and_doctor.narrowed(PUBLISHED_FILES[name]["config"])
        assert reader_and_doctor.unlike(narrow) == [], name


def test_every_layer_of_a_type_does_what_the_reader_says(drawn):
    get("transformers.LlamaConfig")
    for name in drawn(sorted(models.READ_AGAINST_THE_LIBRARY), 1, "types"):
        assert reader_and_doctor.unlike(reader_and_doctor.of_class(name)) == [], name


def test_what_a_file_leaves_out_is_what_the_library_takes():
    mapping = get("transformers.models.auto.configuration_auto.CONFIG_MAPPING")
    configs = {name: mapping[name]() for name in {*models.DEFAULTS, *models.BASES}}
    for name, values in models.DEFAULTS.items():
        assert {key: getattr(configs[name], key, value) for key, value in values.items()} == values, name
    for name, base in models.BASES.items():
        nested = configs[name].default_theta
        assert base == (tuple(nested.values()) if isinstance(nested, dict) else nested), name


def test_the_doctor_finds_nothing_in_a_healthy_model(drawn, capsys):
    get("transformers.LlamaConfig")
    for name in drawn(reader_and_doctor.ARCHITECTURES, 1, "healthy"):
        findings = reader_and_doctor.examine(name)
        assert not reader_and_doctor.false_alarms(findings, name), "\n".join([name, *map(str, findings)])
        say(capsys, f"doctor: {name}: no false alarm in {len(findings)} findings")
