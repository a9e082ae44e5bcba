"""Reads a model's `config.json` and says what its positions do, layer by layer.

    python -m pe_lessons.models config.json

The file may be in the old spelling (`rope_theta`, `rope_scaling`) or the new one (`rope_parameters`, nested
by the type of layer). What it leaves to the code of the model is looked up in the tables below, each line of
which was read in transformers 5.23.0; what they do not know is named, and nothing is guessed. A type that
is neither in the tables nor in the museum is read by its keys alone, and a warning says so.

A file of the museum can be given, too. The exit status is 1 if a file cannot be read, and 2 if it can be but
something in it is not understood.
"""

import argparse
import dataclasses
import functools
import json
import math
import re
import sys
from numbers import Real
from pathlib import Path

import numpy as np

from pe_lessons import _arguments as arguments
from pe_lessons import arrays

BASE = 10_000.0  # what models of most types take where the file gives no base
# What these take instead: one number, or one for full layers and one for those with a window.
BASES = {
    "apertus": 12e6, "bitnet": 5e5, "cohere": 5e5, "cwm": 1e6, "ernie4_5": 5e5, "ernie4_5_moe": 5e5,
    "flex_olmo": 5e5, "gpt_oss": 1.5e5, "helium": 1e5, "lfm2": 1e6, "lfm2_moe": 1e6, "lfm3": 1e6,
    "llama4_text": 5e5, "minimax": 1e6, "minimax_m2": 5e6, "mixtral": 1e6, "mllama_text_model": 5e5,
    "olmo3": 5e5, "phimoe": 1e6, "qwen2_vl_text": 1e6, "qwen2_5_vl_text": 1e6, "qwen3_vl_text": 5e5,
    "qwen3_vl_moe_text": 5e5, "smollm3": 2e6, "solar_open": 1e6, "gemma3_text": (1e6, 1e4),
    "gemma3n_text": (1e6, 1e4), "modernbert": (1.6e5, 1e4), "modernbert-decoder": (1.6e5, 1e4),
}  # fmt: skip
# What the classes of these take for a name that the file leaves out. Authors leave out what is the default.
DEFAULTS = {
    "llama": {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
              "max_position_embeddings": 2048},
    "gemma3_text": {"hidden_size": 2304, "num_hidden_layers": 26, "num_attention_heads": 8, "head_dim": 256,
                    "max_position_embeddings": 131_072, "sliding_window": 4096},
    "llama4_text": {"hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40, "head_dim": 128,
                    "max_position_embeddings": 131_072, "attention_chunk_size": 8192,
                    "no_rope_layer_interval": 4, "use_qk_norm": True, "attn_temperature_tuning": True},
    "smollm3": {"no_rope_layer_interval": 4},
    "kolibri1": {"hidden_size": 2560, "num_hidden_layers": 50, "num_attention_heads": 48, "head_dim": 128,
                 "max_position_embeddings": 262_144, "sliding_window": 513},
    "flint": {"hidden_size": 2048, "num_hidden_layers": 49, "num_attention_heads": 32, "head_dim": 128,
              "max_position_embeddings": 262_144, "sliding_window": 513},
    "bamba": {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
              "max_position_embeddings": 262_144, "partial_rotary_factor": 0.5},
    "lfm2": {"hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32,
             "max_position_embeddings": 128_000, "conv_L_cache": 3},
    "jamba": {"attn_layer_period": 8, "attn_layer_offset": 4},
    "deepseek_v4": {"qk_rope_head_dim": 64, "sliding_window": 128, "compress_rope_theta": 160_000.0},
}  # fmt: skip
ROTARY_BY_CODE = {"kolibri1", "flint", "bamba", "deepseek_v4"}
ROTARY_WITHOUT_A_BASE = {
    "llama", "mistral", "gpt_neox", "gpt_neox_japanese", "gptj", "codegen", "falcon", "phi", "stablelm",
    "persimmon",
}  # fmt: skip
OTHER_KINDS = {
    "learned": {"gpt2", "gpt_bigcode", "gpt_neo", "openai-gpt", "opt", "bert", "roberta", "xlm-roberta",
                "distilbert", "electra", "albert", "bart", "mbart", "biogpt", "clip_text_model"},
    "sinusoidal": {"marian", "m2m_100", "nllb-moe", "pegasus", "pegasus_x", "xglm", "speech_to_text", "fsmt"},
    "alibi": {"bloom"},
    "none": {"jamba", "nemotron_h", "kimi_linear"},
    "recurrent": {"mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"},
}  # fmt: skip
BASE_NAMES = ("rope_theta", "rotary_emb_base", "global_rope_theta", "local_rope_theta",
              "rope_local_base_freq", "layer_rope_theta", "compress_rope_theta")  # fmt: skip
# A model whose file gives one of these turns queries and keys, unless something above says otherwise.
ROTATIONS = ("rope_parameters", "rope_scaling", "rope_theta", "rotary_emb_base", "rotary_pct", "rotary_dim",
             "global_rope_theta", "layer_rope_theta")  # fmt: skip
POSITION_EMBEDDING_TYPES = {"sinusoidal": "sinusoidal", "alibi": "alibi", "nope": "none", None: "none"}
OTHER_ORDER = {"ernie4_5_vl_moe_text": "its code gives the pairs to height, width and time in its own order"}
QUERY_NORMS = ("use_qk_norm", "qk_layernorm", "qk_norm")
NORMED = {
    "before they are turned": {"cohere", "glm4_moe", "persimmon", "phi", "stablelm"},
    "after they are turned, and only where they turn": {"llama4_text"},
}
# Of these every layer of the library's own code was compared with what is said here: tests/test_peers.py.
READ_AGAINST_THE_LIBRARY = set("""
afmoe apertus arcee aria_text bamba bart bert biogpt bitnet bloom codegen cohere cohere2 cohere2_moe cwm
diffllama doge electra ernie4_5 ernie4_5_moe exaone4 exaone_moe falcon_h1 falcon_mamba flex_olmo flint
gemma gemma2 gemma3_text glm glm4 glm4_moe gpt-sw3 gpt2 gpt_bigcode gpt_neox gpt_neox_japanese gpt_oss
gptj granite granite_docling_text granite_swa granitemoe granitemoe_swa granitemoehybrid granitemoeshared
helium hunyuan_v1_dense hunyuan_v1_moe hy_v3 hyperclovax internlm3 iquestcoder jais2 jamba jetmoe kolibri1
laguna lfm2 lfm3 llama llama4_text mamba marian mbart mellum mimo_v2_flash minimax_m2 minimax_m3_vl_text
ministral ministral3 mistral mixtral modernbert-decoder molmo2_text mpt muse_glimmer_text nanochat
nemotron nemotron_h olmo olmo2 olmo3 olmo_hybrid olmoe opt pegasus persimmon phi phi3 phimoe qwen2
qwen2_moe qwen3 qwen3_5_moe_text qwen3_5_text qwen3_moe qwen3_next qwen3_vl_moe_text qwen3_vl_text roberta
rwkv seed_oss smollm3 solar_open stablelm starcoder2 vaultgemma xglm xlm-roberta xlstm
""".split())  # fmt: skip
KINDS = {
    "learned": "a learned table, added once",
    "sinusoidal": "the sinusoidal table, added once",
    "alibi": "ALiBi: each head takes off its slope for every token of distance",
    "t5": "T5: a learned bias for each bucket of distances",
    "none": "without positions",
    "recurrent": "no attention; its state is what knows the order",
    "convolution": "no attention; a convolution mixes each token with the few before it",
    "feedforward": "no attention; each token is on its own",
    "unknown": "not understood",
}
WITHOUT_ATTENTION = {
    **dict.fromkeys(("linear_attention", "mamba", "recurrent", "linear"), "recurrent"),
    **dict.fromkeys(("mlp", "moe"), "feedforward"),
    "conv": "convolution",
}
WITH_ATTENTION = {
    "full_attention", "attention", "sliding_attention", "chunked_attention", "hybrid", "hybrid_sliding",
    "indexed_attention", "deepseek_sparse_attention", "qwen_sparse_attention", "minimax_m3_sparse",
    "compressed_sparse_attention", "heavily_compressed_attention", "reference_sliding_attention",
    "global_attention",
}  # fmt: skip
LETTERS = {"M": "linear_attention", "E": "moe", "*": "full_attention", "-": "mlp"}  # of Nemotron-H
COMPRESSED = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
# Full layers of these are left unturned by their code, while other layers have a window.
UNTURNED_FULL_LAYERS = {"cohere2", "cohere2_moe", "exaone4", "exaone_moe", "afmoe", "kolibri1", "flint"}
# The names under which the rotations of these are nested, where they are not the types of the layers.
LABELS = {
    "deepseek_v4": {"sliding_attention": "main", "compressed_sparse_attention": "compress",
                    "heavily_compressed_attention": "compress"},
}  # fmt: skip
# Every so many-th layer is full and the others have a window, where the file has no list of layers.
FULL_EVERY = {"gemma2": 2, "gemma3_text": 6, "cohere2": 4, "kolibri1": 5}
RULES = {
    "default": (), "linear": ("factor",), "dynamic": ("factor",), "proportional": (),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
    "yarn": ("factor", "original_max_position_embeddings"),
    "longrope": ("short_factor", "long_factor", "original_max_position_embeddings"),
}  # fmt: skip
KNOBS = {
    "factor", "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow", "mscale",
    "mscale_all_dim", "truncate", "low_freq_factor", "high_freq_factor", "short_factor", "long_factor",
}  # fmt: skip
KNOWN = KNOBS | {
    "rope_type", "type", "rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved",
    "max_position_embeddings", "finetuned",
}  # fmt: skip
NUMBERS = KNOBS - {"short_factor", "long_factor", "truncate"} | {"rope_theta", "partial_rotary_factor"}
LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx", "seq_length",
           "model_max_length")  # fmt: skip
# Names that speak of positions, and those of them that are read or change nothing that is said here.
ABOUT_POSITIONS = re.compile("rope|rotary|yarn|alibi|ntk|position|sinusoid|relative_|(^|_)pos(_|$)")
KEYS = {
    "rope_parameters", "rope_scaling", "rope_theta", "rotary_emb_base", "rotary_pct", "rope_pct",
    "rotary_dim", "partial_rotary_factor", "global_rope_theta", "local_rope_theta", "layer_rope_theta",
    "rope_interleave", "rope_local_base_freq", "no_rope_layers", "no_rope_layer_interval", "alibi",
    "qk_rope_head_dim", "position_embedding_type", "max_position_embeddings", "n_positions",
    "original_max_position_embeddings", "relative_attention_num_buckets", "relative_attention_max_distance",
    "compress_rope_theta", "attn_rotary_emb", "use_pos_enc",
}  # fmt: skip
# What the file may hold under a name that is asked for its value; null is as good as left out.
FORMS = {
    "a word": (str, ("model_type", "position_embedding_type", "hybrid_override_pattern")),
    "an object": (dict, ("rope_parameters", "rope_scaling", "attn_config", "per_layer_config",
                         "linear_attn_config")),
    "a list": (list, ("layer_types", "layers_block_type", "attn_layer_indices", "full_attn_idxs",
                      "compress_ratios")),
    "a whole number": (int, ("rotary_dim", "no_rope_layer_interval", "global_attn_every_n_layers",
                             "attn_layer_period", "attn_layer_offset", "conv_L_cache")),
    "a finite number": (Real, (
        "qk_rope_head_dim", "attention_head_dim", "head_dim", "global_head_dim", "kv_channels", "rope_theta",
        "rotary_emb_base", "rotary_pct", "rope_pct", "partial_rotary_factor", "rope_local_base_freq",
        "global_rope_theta", "local_rope_theta", "compress_rope_theta",
        "original_max_position_embeddings", *LENGTHS)),
}  # fmt: skip
MUSEUM = Path(__file__).parent / "museum"
# From here on, two neighbouring whole numbers are one in this format.
FIRST_CONFUSED = {"bfloat16": 2**8, "float16": 2**11, "float32": 2**24}


@dataclasses.dataclass(frozen=True)
class Layer:
    """What one layer does about positions; `kind` is "rotary" or a key of `KINDS`."""

    kind: str
    head_dim: int = 0
    base: float = 0.0
    rotary_dim: int = 0  # so many columns of a head turn
    rule: str = "default"
    knobs: tuple = ()  # of the rule, (name, value) in the order of their names
    window: int | None = None
    chunked: bool = False  # the window is a chunk: a token sees its own chunk and no other
    sections: tuple = ()  # pairs for time, height and width, where positions have three numbers
    frequencies: tuple = ()  # (n_pairs,) radians per token, in the trained length
    attention_factor: float = 1.0
    why: str = ""  # what is not understood, or what else the layer sees


def explain(config):
    """What the positions of a model do, as text.

    Parameters
    ----------
    config : dict or path
        What `config.json` holds, or where it lies.

    Raises
    ------
    TypeError, ValueError
        If it is no such file, or says nothing about layers.

    Examples
    --------
    >>> print(explain({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4,
    ...     "rope_theta": 500000.0, "num_hidden_layers": 2, "max_position_embeddings": 8192}))
    llama: 2 layers, 8,192 positions
    layers 0-1: rotary with base 500,000 on all 128 columns of a head
      in 8,192 tokens the fastest pair turns 1303.8 times, the slowest 0.0032 times
      35 of 64 pairs turn at least once; from pair 35 on (one turn in 8,219 tokens) none does
    beyond 8,192 tokens: 29 pairs reach angles that no training text had
    bfloat16 cannot tell position 257 from 256; float16 cannot tell position 2,049 from 2,048
    """
    file = _text_part(_loaded(config))
    config = _read(file)
    plan, length = layers(config), _length(config)
    name = config.get("model_type", "a model of no named type")
    lines = [f"{name}: {len(plan)} layers, " + (f"{length:,} positions" if length else "no length given")]
    for layer in dict.fromkeys(plan):
        numbers = [number for number, other in enumerate(plan) if other == layer]
        lines += _described(layer, numbers, length, apart="qk_rope_head_dim" in config)
    where = [words for words, types in NORMED.items() if config.get("model_type") in types]
    normed = f"queries and keys are normed{' ' * bool(where)}{''.join(where)}"
    lines += [f"{normed} ({key})" for key in QUERY_NORMS if config.get(key) is True]
    if config.get("attn_temperature_tuning"):
        lines.append("where nothing turns, late queries times a factor (attn_temperature_tuning)")
    if length:
        lines += [*_beyond(plan, length), *_formats(plan, length)]
    if taken := _left_out(file):
        lines.append(f"the file leaves out {', '.join(taken)}: the type's own values are taken")
    return "\n".join([*lines, *(f"warning: {sentence}" for sentence in warnings(config))])


def understood(config):
    """Whether the type of the model, every layer and every name about positions is known here."""
    config = _read(config)
    return not any(_not_read(config)) and "unknown" not in {layer.kind for layer in layers(config)}


def length(config):
    """The longest text that the file speaks of, in tokens, or None."""
    return _length(_read(config))


def museum():
    """Models of 2017 to today by a short name: what they are, when, where it stands, and the config.

    Examples
    --------
    >>> museum()["gpt-2"]["config"]["n_positions"]
    1024
    """
    found = [(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in MUSEUM.glob("*.json")]
    return dict(sorted(found, key=lambda exhibit: (exhibit[1]["date"], exhibit[0])))


def layers(config):
    """One `Layer` for each layer of the model, in their order."""
    config = _read(config)
    count = _count(config)
    if not isinstance(count, int) or isinstance(count, bool):
        raise ValueError(f"config must say how many layers there are (num_hidden_layers), got {count!r}")
    if not 1 <= count <= 10_000:
        raise ValueError(f"the number of layers must be between 1 and 10,000, got {count}")
    types = _layer_types(config, count)
    named = config.get("per_layer_config") or {}
    own = {int(number): values for number, values in named.items() if str(number).isdecimal()}
    return [_layer(config | own.get(number, {}), number, kind) for number, kind in enumerate(types)]


def _layer(config, number, layer_type):
    if layer_type == "not named":
        return Layer("unknown", why="the file does not say of which type this layer is")
    if layer_type in WITHOUT_ATTENTION:
        kind = WITHOUT_ATTENTION[layer_type]
        return Layer(kind, window=_get(config, "conv_L_cache") if kind == "convolution" else None)
    if layer_type not in WITH_ATTENTION:
        return Layer("unknown", why=f"{layer_type!r} is a type of layer that this reader does not know")
    window, base = _window(config, layer_type), _at(config.get("layer_rope_theta"), number)
    if not (base is None or _is_number(base)):
        raise ValueError(f"layer_rope_theta must hold a number for each layer, got {base!r}")
    by_code = config.get("model_type") in UNTURNED_FULL_LAYERS and config.get("sliding_window")
    every = config.get("no_rope_layer_interval") if not config.get("no_rope_layers") else None
    if every is not None and every < 1:
        raise ValueError(f"no_rope_layer_interval must be 1 or more, got {every}")
    unturned = 0 in (_at(config.get("no_rope_layers"), number), base, every and (number + 1) % every)
    if unturned or (by_code and layer_type == "full_attention"):
        return Layer("none", window=window)
    kind = _kind(config)
    if kind != "rotary":
        return Layer(kind, window=window, why="" if kind != "unknown" else _why_unknown(config))
    parameters, why = _rotation(config, layer_type)
    if why:
        for name in sorted({"rope_theta", "partial_rotary_factor"} & parameters.keys()):
            why += f"; {name} {parameters[name]}"
        return Layer("unknown", window=window, why=why)
    if parameters is None:
        return Layer("none", window=window)
    return _rotary(config, layer_type, parameters | ({} if base is None else {"rope_theta": base}), window)


def _kind(config):
    model_type = config.get("model_type")
    alibi = config.get("alibi", (config.get("attn_config") or {}).get("alibi"))
    if alibi:
        return "alibi"
    if model_type in OTHER_ORDER:
        return "unknown"
    told = config.get("position_embedding_type", "")
    if told in POSITION_EMBEDDING_TYPES:
        return POSITION_EMBEDDING_TYPES[told]
    if config.get("patch_size") and not config.get("vocab_size"):
        return "unknown"
    if config.get("relative_attention_num_buckets"):
        return "t5"
    for kind, types in OTHER_KINDS.items():
        if model_type in types:
            return kind
    told = any(_get(config, key) not in (None, {}, []) for key in ROTATIONS)
    turns = told or model_type in ROTARY_WITHOUT_A_BASE or model_type in BASES or model_type in ROTARY_BY_CODE
    return "rotary" if turns else "unknown"


def _why_unknown(config):
    if config.get("model_type") in OTHER_ORDER:
        return OTHER_ORDER[config["model_type"]]
    if config.get("patch_size"):
        return "the places of patches have two axes, which this reader does not read"
    return (
        "the file has no key that this reader knows for positions, and the type "
        f"{config.get('model_type')!r} is not in its tables: the code of the model decides"
    )


def _rotation(config, layer_type):
    """The parameters of a layer's rotation, newly spelled, or None for none; and what is not understood."""
    new, old = config.get("rope_parameters") or {}, config.get("rope_scaling") or {}
    if any(isinstance(value, dict) for value in new.values()):
        layer_type = LABELS.get(config.get("model_type"), {}).get(layer_type, layer_type)
        if layer_type not in new:
            return {}, f"rope_parameters is nested under {sorted(new)}, but the layer is a {layer_type!r}"
        if new[layer_type] is None:
            return None, ""
        if not isinstance(new[layer_type], dict):
            return {}, f"rope_parameters of {layer_type!r} is {new[layer_type]!r}"
        chosen = dict(new[layer_type])
    else:
        chosen = {**old, **new}
        sliding = layer_type == "sliding_attention"
        local = _get(config, "rope_local_base_freq") if sliding else None
        own = BASES.get(config.get("model_type"))
        if sliding and (isinstance(own, tuple) or local is not None):  # Gemma 3: no rule in windows
            chosen = {"rope_theta": own[1] if local is None else local}
        base = _get(config, "global_rope_theta" if layer_type == "full_attention" else "local_rope_theta")
        if base is not None:  # ModernBERT, old spelling
            chosen = {"rope_theta": base}
        if config.get("model_type") == "deepseek_v4":
            chosen = _compressed(config, chosen, LABELS["deepseek_v4"].get(layer_type))
    share = _get(config, "partial_rotary_factor", "rotary_pct", "rope_pct")
    if share is not None:
        chosen.setdefault("partial_rotary_factor", share)
    if _get(chosen, "rope_theta") is None:
        chosen["rope_theta"] = _outer_base(config)
    if chosen["rope_theta"] is None:
        return chosen, "the file gives no base, and that of the type is not in this reader's tables"
    kind = str(chosen.get("rope_type") or chosen.get("type") or "default")
    chosen["rope_type"] = {"su": "longrope", "mrope": "default"}.get(kind, kind)
    if chosen["rope_type"] not in RULES:
        return chosen, f"the rule {chosen['rope_type']!r} is not one of {', '.join(RULES)}"
    if chosen["rope_type"] in ("llama3", "yarn", "longrope"):
        outside = config.get("original_max_position_embeddings")
        chosen.setdefault("original_max_position_embeddings", outside or _length(config))
    words = [f"{name} = {chosen[name]!r} is no number" for name in sorted(NUMBERS & chosen.keys())
             if chosen[name] is not None and not _is_number(chosen[name])]  # fmt: skip
    missing = [name for name in RULES[chosen["rope_type"]] if chosen.get(name) is None]
    words += [f"the rule {chosen['rope_type']!r} wants {', '.join(missing)}"] * bool(missing)
    return chosen, "; ".join(words)


def _compressed(config, rope, label):
    """DeepSeek V4, flat spelling: the rule is for layers that compress keys, and has its own base."""
    if label == "main":
        return {"rope_theta": _get(config, "rope_theta")}
    rope = rope | {"rope_theta": config.get("compress_rope_theta")}
    return {"attention_factor": 1.0} | rope if "yarn" in (rope.get("rope_type"), rope.get("type")) else rope


def _outer_base(config):
    """The base that stands outside of a rule, or that of the type; None where neither is known."""
    base, model_type = _get(config, "rope_theta", "rotary_emb_base"), config.get("model_type")
    if base is None and (model_type in _known_types() or "rope_theta" in config):
        base = BASES.get(model_type, BASE)
    return base[0] if isinstance(base, tuple) else base


def _rotary(config, layer_type, rope, window):
    def unknown(why):
        return Layer("unknown", window=window, why=why)

    head_dim = _head_dim(config, layer_type)
    if not head_dim:
        zeros = [f"{name} 0" for name in (*HEAD_DIMS, *WIDTHS, *HEADS) if config.get(name) == 0]
        why = "the file gives neither head_dim nor a width and a number of heads"
        return unknown(f"the file gives {', '.join(zeros)}" if zeros else why)
    # qk_rope_head_dim: a part of the head of its own, all of which turns
    share = 1.0 if config.get("qk_rope_head_dim") else rope.get("partial_rotary_factor")
    share = 1.0 if share is None else share
    rotary_dim = config.get("rotary_dim")
    rotary_dim = int(head_dim * share) if rotary_dim is None else rotary_dim
    if rotary_dim == 0 and 0 in (share, config.get("rotary_dim")):
        return Layer("none", window=window)
    if rotary_dim < 2:
        return unknown(f"of {head_dim} columns of a head no pair would turn")
    if rotary_dim + rotary_dim % 2 > head_dim:
        return unknown(f"{rotary_dim} columns of {head_dim} would turn, and they turn in pairs")
    rule, base = rope["rope_type"], float(rope["rope_theta"])
    knobs = {key: rope[key] for key in sorted(KNOBS & rope.keys()) if rope[key] is not None}
    try:
        frequencies, factor = _frequencies(rule, head_dim, rotary_dim, base, share, knobs, _length(config))
    except (TypeError, ValueError) as error:
        return unknown(re.sub(r'scaling\["(\w+)"\]', r"\1", str(error)))
    if rule == "proportional":
        rotary_dim = 2 * int(share * head_dim // 2)
    lists = {key: f"{len(knob)} numbers" for key, knob in knobs.items() if isinstance(knob, list)}
    sees = ""
    if "compressed" in layer_type:
        sees = f"sees {_get(config, 'sliding_window'):,} tokens as they are and older ones compressed"
    return Layer(
        "rotary", head_dim, base, rotary_dim + rotary_dim % 2, rule, tuple((knobs | lists).items()), window,
        layer_type == "chunked_attention", tuple(rope.get("mrope_section") or ()),
        tuple(frequencies.tolist()), factor, sees,
    )  # fmt: skip


def _frequencies(rule, head_dim, rotary_dim, base, share, knobs, length):
    """(n_pairs,) in the trained length, and what cosines and sines are multiplied by."""
    if rule in ("default", "dynamic"):  # dynamic: the base grows with the text, from the trained length on
        return arrays.frequencies(rotary_dim, base=base), 1.0
    if rule == "llama3" and knobs["low_freq_factor"] == knobs["high_freq_factor"]:
        # Llama 4 Scout: there is no ramp between what stays and what is divided
        whole = arrays.frequencies(rotary_dim, base=base)
        once = 2 * math.pi * knobs["low_freq_factor"] / knobs["original_max_position_embeddings"]
        return np.where(whole < once, whole / knobs["factor"], whole), 1.0
    knobs = knobs | {"partial_rotary_factor": share}
    if rule == "longrope":
        old = knobs["original_max_position_embeddings"]
        knobs["factor"] = max(1.0, knobs.get("factor") or (length or old) / old)
    width = head_dim if rule == "proportional" else rotary_dim + rotary_dim % 2
    needed, optional = arguments.SCALING_RULES[rule]
    given = {name: knob for name, knob in knobs.items() if knob or name == "truncate"}  # mscale 0 is none
    scaling = {name: given[name] for name in (*needed, *optional) if name in given}
    return arrays.rotary_frequencies(width, base=base, scaling={"rope_type": rule, **scaling}, text_len=1)


def warnings(config):
    """Sentences about what does not fit together in the file."""
    config = _read(config)
    return [sentence for check in CHECKS for sentence in check(config)]


def _two_spellings(config):
    new, old = config.get("rope_parameters") or {}, config.get("rope_scaling") or {}
    flat = not any(isinstance(value, dict) for value in new.values())
    one, other = new.get("rope_theta") if flat else None, config.get("rope_theta")
    if one and other and one != other:
        yield f"rope_parameters gives the base {one:,g}, rope_theta {other:,g}: programs choose differently"
    if flat and new and old and {**new, **old} != {**old, **new}:
        yield "rope_parameters and rope_scaling disagree: programs choose differently"


def _lengths(config):
    length = _length(config)
    for rope in _all_rotations(config):
        rule, factor = rope.get("rope_type") or rope.get("type"), rope.get("factor")
        old = rope.get("original_max_position_embeddings") or config.get("original_max_position_embeddings")
        stretched = _is_number(factor) and _is_number(old) and rule in ("yarn", "longrope")
        if rule in ("yarn", "llama3", "longrope") and not old:
            taken = f"{length} is taken for the trained length" if length else "no length is known"
            yield f"{rule} without original_max_position_embeddings: {taken}"
        elif stretched and length and factor * old != length:
            yield f"factor {factor:g} times the trained length {old:,} is {factor * old:,.0f}, not {length:,}"


def _unturned(config):
    flags = config.get("no_rope_layers")
    if isinstance(flags, list) and flags and 1 not in flags:
        yield "no_rope_layers is 0 for all: 0 means *without* rotation, so no layer turns"
    elif isinstance(flags, list) and flags.count(0) > len(flags) / 2:
        zeros = f"{flags.count(0)} zeros of {len(flags)}"
        yield f"no_rope_layers has {zeros}: 0 means *without* rotation; is that meant?"


def _lists(config):
    count = _count(config)
    for name in ("layer_types", "layers_block_type", "hybrid_override_pattern", "no_rope_layers",
                 "layer_rope_theta"):  # fmt: skip
        given = config.get(name)
        count = _get(config, "num_hidden_layers") or count
        if isinstance(given, list | str) and given and len(given) != count:
            yield f"{name} has {len(given)} entries for {count} layers"


def _widths(config):
    for layer in dict.fromkeys(layers(config)):
        if layer.kind == "rotary" and layer.sections and sum(layer.sections) != layer.rotary_dim // 2:
            yield f"mrope_section adds up to {sum(layer.sections)}, but {layer.rotary_dim // 2} pairs turn"
    for rope in _all_rotations(config):
        share = rope.get("partial_rotary_factor") or config.get("partial_rotary_factor")
        head_dim = _head_dim(config, "full_attention")
        whole = not (_is_number(share) and head_dim and int(head_dim * share) % 2)
        if not whole and rope.get("rope_type") != "proportional":
            yield f"{share:g} of {head_dim} columns is {int(head_dim * share)}, an odd number: no whole pairs"
    width, heads = _width(config)
    columns = _head_dim(config, "")
    if width and heads and width % heads and width // heads == columns:
        yield f"{heads} heads do not share a width of {width} evenly: {columns} columns each are taken"


def _nothing(config):
    """0 where a number of columns is wanted, null for a base, no window for a layer that wants one."""
    for name in ("partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_dim"):
        if config.get(name) == 0:
            yield f"{name} is 0: no column turns"
    if "rope_theta" in config and config["rope_theta"] is None and not _base(config):
        yield f"rope_theta is null: {BASE:,.0f} is taken where a layer is rotary"
    types = set(_layer_types(config, _count(config)))
    windows = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
    for kind in sorted(types & windows.keys()):
        if not _window(config, kind):
            given = json.dumps(config[windows[kind]]) if windows[kind] in config else "left out"
            yield f"layer_types has {kind}, but {windows[kind]} is {given}: no window is known"


def _not_read(config):
    for rope in _all_rotations(config):
        for name in sorted(rope.keys() - KNOWN):
            yield f"{name} = {rope[name]!r} is not understood"
    for name in sorted(config.keys() - KEYS):
        if ABOUT_POSITIONS.search(name) and config[name] not in (None, False):
            yield f"{name} = {config[name]!r} is not understood"
    kinds = {layer.kind for layer in layers(config)}
    if config.get("model_type") not in _known_types() and kinds != {"unknown"}:
        named = f"the type {config.get('model_type')!r} is not in this reader's tables"
        yield f"{named}: it is read by its keys, whatever its code does"


def _unused(config):
    """A rotation that is given beside what the model takes instead."""
    kind = _kind(config)
    given = [name for name in ROTATIONS if config.get(name)]
    if given and kind not in ("rotary", "unknown"):
        yield f"{' and '.join(given)} beside another kind ({KINDS[kind]}): no layer is taken to turn"


CHECKS = (_unused, _two_spellings, _lengths, _unturned, _lists, _widths, _nothing, _not_read)


def _base(config):
    return next((rope["rope_theta"] for rope in _all_rotations(config) if rope.get("rope_theta")), None)


@functools.cache
def _known_types():
    shown = {_text_part(exhibit["config"]).get("model_type") for exhibit in museum().values()}
    tables = (ROTARY_WITHOUT_A_BASE, ROTARY_BY_CODE, UNTURNED_FULL_LAYERS, FULL_EVERY, DEFAULTS, BASES, PLANS)
    return shown.union(READ_AGAINST_THE_LIBRARY, *tables, *OTHER_KINDS.values())


def _all_rotations(config):
    found = [config.get("rope_parameters") or {}, config.get("rope_scaling") or {}]
    for rope in found:
        nested = [value for value in rope.values() if isinstance(value, dict)]
        yield from nested or ([rope] if rope else [])


def _layer_types(config, count):
    """A word for each layer, as layer_types has them."""
    given = _schedule(config, count)
    if given is not None:
        return [*given, *["not named"] * (count - len(given))][:count]
    windowed = config.get("sliding_window") or config.get("local_attention")
    if not windowed or config.get("use_sliding_window") is False:
        return ["full_attention"] * count
    if config.get("global_attn_every_n_layers"):  # ModernBERT begins with a full layer
        every = config["global_attn_every_n_layers"]
        return ["sliding_attention" if number % every else "full_attention" for number in range(count)]
    if config.get("use_sliding_window"):
        first = config.get("max_window_layers", count)
        return ["sliding_attention" if number >= first else "full_attention" for number in range(count)]
    every = _get(config, "sliding_window_pattern", "_sliding_window_pattern")
    every = every or FULL_EVERY.get(config.get("model_type"))
    if isinstance(every, int):
        return ["sliding_attention" if (number + 1) % every else "full_attention" for number in range(count)]
    return ["sliding_attention"] * count


def _schedule(config, count):
    """The plan of the layers where the file or the code of the type has one."""
    given, model_type = _get(config, "layer_types", "layers_block_type"), config.get("model_type")
    if given:
        return given
    if config.get("hybrid_override_pattern"):
        return [LETTERS.get(letter, letter) for letter in config["hybrid_override_pattern"]]
    linear = config.get("linear_attn_config") or {}
    if "kda_layers" in linear and "full_attn_layers" in linear:  # they count from 1
        named = dict.fromkeys(linear["kda_layers"], "linear_attention")
        named |= dict.fromkeys(linear["full_attn_layers"], "full_attention")
        return [named.get(number, "not named") for number in range(1, count + 1)]
    if config.get("compress_ratios"):
        return [COMPRESSED.get(ratio, f"compressed by {ratio}") for ratio in config["compress_ratios"]]
    code = PLANS.get(model_type)
    return [code(config, number, count) for number in range(count)] if code else None


def _hybrid(key, other):
    """Attention in the layers that `key` lists; where it is left out, None stands for all or for none."""

    def plan(config, number, count):
        listed = config.get(key)
        attends = (key == "full_attn_idxs") if listed is None else number in listed
        return "full_attention" if attends else other

    return plan


def _llama_4(config, number, count):
    flags = config.get("no_rope_layers") or []
    turns = _at(flags, number) if flags else (number + 1) % max(1, config["no_rope_layer_interval"])
    return "chunked_attention" if turns else "full_attention"


# What the code of these does where the file has no list.
PLANS = {
    "bamba": _hybrid("attn_layer_indices", "linear_attention"),
    "lfm2": _hybrid("full_attn_idxs", "conv"),
    "lfm2_moe": _hybrid("full_attn_idxs", "conv"),
    "llama4_text": _llama_4,
    "nemotron_h": lambda config, number, count: "not named",
    "kimi_linear": lambda config, number, count:
        "full_attention" if number and number % 4 == 0 else "linear_attention",
    "jamba": lambda config, number, count:
        "full_attention" if number % config["attn_layer_period"] == config["attn_layer_offset"] else "mamba",
    "flint": lambda config, number, count:
        "full_attention" if number < 2 or number % 4 == 1 or number == count - 1 else "sliding_attention",
    "deepseek_v4": lambda config, number, count:
        "compressed_sparse_attention" if number > 1 and (number - 2) % 2 else "heavily_compressed_attention",
}  # fmt: skip


def _window(config, layer_type):
    names = {"chunked_attention": ("attention_chunk_size",)}
    names |= dict.fromkeys(
        ("sliding_attention", "hybrid_sliding"), ("sliding_window", "local_attention", "window_size")
    )
    window = _get(config, *names.get(layer_type, ()))
    if not isinstance(window, int | None):
        raise ValueError(f"the window must be a whole number of tokens, got {window!r}")
    return window


HEAD_DIMS = ("qk_rope_head_dim", "attention_head_dim", "head_dim", "kv_channels")
WIDTHS = ("hidden_size", "n_embd", "d_model")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")


def _head_dim(config, layer_type):
    """Columns of a head; 0 where the file says so, None where it does not say."""
    if layer_type == "full_attention" and config.get("global_head_dim"):
        return config["global_head_dim"]
    given = _get(config, *HEAD_DIMS)
    width, heads = _width(config)
    return given if given is not None else width // heads if width and heads else None


def _width(config):
    """The width of a token, and how many heads share it; None where there is not one number."""
    return [number if isinstance(number, int) else None
            for number in (_get(config, *WIDTHS), _get(config, *HEADS))]  # fmt: skip


def _length(config):
    return _get(config, *LENGTHS)


def _count(config):
    plan = _get(config, "layers_block_type", "hybrid_override_pattern")
    if config.get("model_type") == "nemotron_h" and plan:  # its code takes no other number
        return len(plan)
    given = _get(config, "num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers",
                 "decoder_layers")  # fmt: skip
    return given if given is not None or not plan else len(plan)


def _described(layer, numbers, length, apart):
    word = "chunks" if layer.chunked else "window"
    window = f", {word} of {layer.window:,} tokens" if layer.window else ""
    head = f"layers {_spans(numbers)}: " if len(numbers) > 1 else f"layer {numbers[0]}: "
    if layer.kind == "convolution":
        return [head + KINDS[layer.kind] + (f" ({layer.window} in all)" if layer.window else "")]
    if layer.kind != "rotary":
        return [head + KINDS[layer.kind] + (f": {layer.why}" if layer.why else "") + window]
    all_turn = layer.rotary_dim == layer.head_dim
    share = f"all {layer.head_dim}" if all_turn else f"{layer.rotary_dim} of {layer.head_dim}"
    columns = f"{layer.rotary_dim} columns kept apart" if apart else f"{share} columns of a head"
    lines = [f"{head}rotary with base {layer.base:,.10g} on {columns}{window}"]
    if layer.why:
        lines.append(f"  {layer.why}")
    if layer.rule != "default":
        knobs = ", ".join(f"{name} {value}" for name, value in layer.knobs)
        lines.append(f"  rule {layer.rule}" + (f": {knobs}" if knobs else ""))
    if layer.attention_factor != 1:
        lines.append(f"  queries and keys times {layer.attention_factor:.4f}")
    if layer.sections:
        lines.append(f"  pairs for time, height, width: {', '.join(map(str, layer.sections))}")
    if length:
        lines += _turns(layer, _reach(layer, length))
    return lines


def _reach(layer, length):
    """So many tokens two tokens of a text can be apart."""
    return min(layer.window or length, length)


def _turns(layer, length):
    turning = np.array([frequency for frequency in layer.frequencies if frequency])
    turns = turning * length / (2 * math.pi)
    whole = int((turns >= 1).sum())
    fastest, slowest = f"{turns[0]:.1f}", f"{turns[-1]:.2g}"
    yield f"  in {length:,} tokens the fastest pair turns {fastest} times, the slowest {slowest} times"
    if whole < len(turns):
        period = 2 * math.pi / turning[whole]
        yield (f"  {whole} of {len(turns)} pairs turn at least once; from pair {whole} on "
               f"(one turn in {period:,.0f} tokens) none does")  # fmt: skip
    else:
        yield f"  all {whole} pairs turn at least once"


def _beyond(plan, length):
    kinds = {layer.kind for layer in plan}
    beyond = f"beyond {length:,} tokens: "
    for layer in dict.fromkeys(plan):
        if layer.kind == "rotary" and layer.rule in ("dynamic", "longrope"):
            what = "the base grows with the text" if layer.rule == "dynamic" else "the long list of factors"
            yield beyond + f"{what}; keys that are cached were turned by another rule"
    far = {layer.frequencies for layer in plan if layer.kind == "rotary" and _reach(layer, length) == length}
    slow = {sum(0 < f * length < 2 * math.pi for f in frequencies) for frequencies in far}
    if slow - {0}:
        yield beyond + f"{' or '.join(map(str, sorted(slow)))} pairs reach angles that no training text had"
    if "learned" in kinds:
        yield beyond + "the table has no row"
    if kinds & {"alibi", "t5", "sinusoidal"}:
        yield beyond + f"the {'table' if 'sinusoidal' in kinds else 'bias'} goes on by its rule"


def _formats(plan, length):
    """Where positions are multiplied; a row of a table or of a bias is found by a whole number."""
    if not {layer.kind for layer in plan} & {"rotary", "alibi"}:
        return
    small = [(name, first) for name, first in FIRST_CONFUSED.items() if length - 1 > first]
    if small:
        yield "; ".join(f"{name} cannot tell position {first + 1:,} from {first:,}" for name, first in small)


def _spans(numbers):
    """[0, 1, 2, 4, 6, 7] as "0-2, 4, 6-7", and of many the first and the last."""
    spans = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in spans]
    return ", ".join(shown if len(shown) < 6 else [*shown[:3], "...", shown[-1]])


def _get(config, *names):
    """The first of these with a value: 0 is one, null is none, and `_read` has filled in what is absent."""
    return next((config[name] for name in names if config.get(name) is not None), None)


def _is_number(value):
    # To Python True is the number 1; in a config it is a slip.
    return (
        isinstance(value, Real)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    )


def _at(values, number):
    return values[number] if isinstance(values, list) and number < len(values) else None


def _text_part(config):
    if isinstance(config.get("config"), dict) and "model_type" not in config:  # an exhibit of the museum
        return _text_part(config["config"])
    for name in ("text_config", "llm_config", "language_config", "thinker_config"):
        if isinstance(config.get(name), dict):
            return _text_part(config[name])
    return config


def _left_out(file):
    """Names that the file leaves out and whose values, the type's own, say something here."""
    model_type, config, plan = file.get("model_type"), _read(file), layers(file)

    def matters(name):
        try:
            return layers(config | {name: None}) != plan
        except (TypeError, ValueError):
            return True

    absent = sorted(DEFAULTS.get(model_type, {}).keys() - file.keys())
    found = [f"{name} ({config[name]})" for name in absent if matters(name) or name in LENGTHS]
    told = {*BASE_NAMES} & file.keys() or any(rope.get("rope_theta") for rope in _all_rotations(file))
    bases = sorted({layer.base for layer in plan if layer.kind == "rotary"})
    if model_type in BASES and bases and not told:
        found.append(f"rope_theta ({' and '.join(f'{base:,.0f}' for base in bases)})")
    return found


def _read(config):
    """The part of a config, or of its file, that is about text; its values are of the kinds in `FORMS`."""
    config = _text_part(_loaded(config))
    config = DEFAULTS.get(str(config.get("model_type")), {}) | config
    for form, (kind, names) in FORMS.items():
        for name in names:
            value = config.get(name)
            right = isinstance(value, kind) and (kind not in (int, Real) or _is_number(value))
            if value is not None and not right:
                raise ValueError(f"{name} must be {form}, got {value!r}")
    for name in ("layer_types", "layers_block_type"):
        for word in config.get(name) or []:
            if not isinstance(word, str):
                raise ValueError(f"{name} must be a list of words, but one of them is {word!r}")
    for rope in _all_rotations(config):
        sections = rope.get("mrope_section")
        if sections is not None and not (isinstance(sections, list) and all(map(_is_number, sections))):
            raise ValueError(f"mrope_section must be a list of numbers, got {sections!r}")
    return config


def _loaded(config):
    if isinstance(config, dict):
        return config
    if not isinstance(config, str | Path):
        raise TypeError(f"config must be a dict or the path of a config.json, got {config!r}")
    path = Path(config)
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"config must be a readable file, got {str(path)!r}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    if not isinstance(loaded, dict):
        raise ValueError(f"{path} must hold an object of names and values, got {type(loaded).__name__}")
    return loaded


def main(words=None):
    parser = argparse.ArgumentParser(
        prog="python -m pe_lessons.models", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("config", nargs="+", help="a config.json")
    statuses = set()
    for path in parser.parse_args(words).config:
        try:
            print(explain(path))
            statuses.add(0 if understood(path) else 2)
        except (TypeError, ValueError) as error:
            print(error, file=sys.stderr)
            statuses.add(1)
    return 1 if 1 in statuses else max(statuses)
