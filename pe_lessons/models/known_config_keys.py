"""What the code of models decides and their `config.json` does not say: read in transformers 5.23.0.

The tables by type and by name are in `known_types.toml`, next to this file.
"""

import re
import tomllib
from pathlib import Path

GALLERY = Path(__file__).parent / "gallery"
_READ = tomllib.loads((Path(__file__).parent / "known_types.toml").read_text(encoding="utf-8"))
_TYPES, _NAMES = ({key: words.split() for key, words in _READ[part].items()} for part in ("types", "names"))

BASE = 10_000.0  # what models of most types take where the file gives no base
BASES = {name: tuple(base) if isinstance(base, list) else base for name, base in _READ["bases"].items()}
DEFAULTS, FULL_EVERY, KINDS = _READ["defaults"], _READ["full_every"], _READ["kinds"]
ROTARY, UNTURNED_FULL_LAYERS = {*_TYPES["rotary"]}, {*_TYPES["unturned_full_layers"]}
UNTURNED_WITH_A_NULL_BASE = {*_TYPES["unturned_with_a_null_base"]}
ROTARY_DIM_NOT_READ = {*_TYPES["rotary_dim_not_read"]}
READ_AGAINST_THE_LIBRARY = {*_TYPES["read_against_the_library"]}
OTHER_KINDS = {kind: {*types.split()} for kind, types in _READ["other_kinds"].items()}
NORMED = {where: {*types.split()} for where, types in _READ["normed"].items()}
WITHOUT_ATTENTION, WITH_ATTENTION = _READ["without_attention"], {*_NAMES["with_attention"]}
BASE_NAMES, ROTATIONS, LENGTHS = _NAMES["bases"], _NAMES["rotations"], _NAMES["lengths"]
KNOBS, KEYS, LOOKALIKES = ({*_NAMES[key]} for key in ("knobs", "about_positions", "lookalikes"))
POSITION_EMBEDDING_TYPES = {"sinusoidal": "sinusoidal", "alibi": "alibi", "nope": "none", None: "none"}
OTHER_ORDER = {"ernie4_5_vl_moe_text": "its code gives the pairs to height, width and time in its own order"}
QUERY_NORMS = ("use_qk_norm", "qk_layernorm", "qk_norm")
LETTERS = {"M": "linear_attention", "E": "moe", "*": "full_attention", "-": "mlp"}  # of Nemotron-H
COMPRESSED = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
# The names under which the rotations of these are nested, where they are not the types of the layers.
LABELS = {
    "deepseek_v4": {"sliding_attention": "main", "compressed_sparse_attention": "compress",
                    "heavily_compressed_attention": "compress"},
}  # fmt: skip
RULES = {
    "default": (), "linear": ("factor",), "dynamic": ("factor",), "proportional": (),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
    "yarn": ("factor", "original_max_position_embeddings"),
    "longrope": ("short_factor", "long_factor", "original_max_position_embeddings"),
}  # fmt: skip
KNOWN = KNOBS | {
    "rope_type", "type", "rope_theta", "partial_rotary_factor", "mrope_section", "mrope_interleaved",
    "max_position_embeddings", "finetuned",
}  # fmt: skip
NUMBERS = KNOBS - {"short_factor", "long_factor", "truncate"} | {"rope_theta", "partial_rotary_factor"}
# Names that speak of positions.
ABOUT_POSITIONS = re.compile("rope|rotary|yarn|alibi|ntk|position|sinusoid|relative_|(^|_)pos(_|$)")
NUMBER = int, float
# What the file may hold under a name that is asked for its value; null is as good as left out.
FORMS = {
    "a word": (str, ("model_type", "position_embedding_type", "hybrid_override_pattern")),
    "an object": (dict, ("rope_parameters", "rope_scaling", "attn_config", "per_layer_config",
                         "linear_attn_config")),
    "a list": (list, ("layer_types", "layers_block_type", "attn_layer_indices", "full_attn_idxs",
                      "compress_ratios", "hybrid_layer_pattern", "block_types", "attention_layers",
                      "attention_types")),
    "a whole number": (int, ("rotary_dim", "no_rope_layer_interval", "global_attn_every_n_layers",
                             "attn_layer_period", "attn_layer_offset", "conv_L_cache",
                             "sliding_window_size", "full_attention_interval")),
    "a finite number": (NUMBER, (
        "qk_rope_head_dim", "attention_head_dim", "head_dim", "global_head_dim", "kv_channels", "rope_theta",
        "rotary_emb_base", "rotary_pct", "rope_pct", "partial_rotary_factor", "rope_local_base_freq",
        "global_rope_theta", "local_rope_theta", "compress_rope_theta", "swa_rope_theta",
        "original_max_position_embeddings", *LENGTHS)),
}  # fmt: skip
HEAD_DIMS = ("qk_rope_head_dim", "attention_head_dim", "head_dim", "kv_channels")
WIDTHS = ("hidden_size", "n_embd", "d_model")
COUNTS = (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers", "decoder_layers",
)  # fmt: skip
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
# All names that are read, whether they speak of positions or not.
NAMES = {
    *KEYS, *HEAD_DIMS, *WIDTHS, *HEADS, *BASE_NAMES, *ROTATIONS, *QUERY_NORMS, *_NAMES["read"],
    *(name for _, names in FORMS.values() for name in names),
}  # fmt: skip
