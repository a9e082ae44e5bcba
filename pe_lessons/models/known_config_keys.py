"""What the code of models decides and their `config.json` does not say: read in transformers 5.23.0."""

import re
from numbers import Real
from pathlib import Path

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
    "gpt_oss": {"sliding_window": 128},
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
ROTARY_BY_CODE = {"kolibri1", "flint", "bamba", "deepseek_v4", "olmo_hybrid"}
# A base of null is none for these: their code turns nothing. If it is left out, they turn with BASE.
UNTURNED_WITH_A_NULL_BASE = {"olmo_hybrid"}
ROTARY_DIM_NOT_READ = {"minimax_m3_vl_text"}  # partial_rotary_factor alone says what turns
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
              "rope_local_base_freq", "layer_rope_theta", "compress_rope_theta",
              "swa_rope_theta")  # fmt: skip
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
# Of these tests/test_against_libraries.py compares every layer of the library with what is said here.
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
axk1 axk2 bailing_hybrid deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v4 falcon gemma4_text glm4_moe_lite
glm_moe_dsa gpt_neo hy_v4 kimi_linear lfm2_moe longcat_flash mamba2 mistral_large4_text
muse_spark_text openai-gpt qwen2_5_vl_text qwen2_vl_text recurrent_gemma
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
    "compress_rope_theta", "attn_rotary_emb", "use_pos_enc", "swa_rope_theta",
}  # fmt: skip
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
                             "sliding_window_size")),
    "a finite number": (Real, (
        "qk_rope_head_dim", "attention_head_dim", "head_dim", "global_head_dim", "kv_channels", "rope_theta",
        "rotary_emb_base", "rotary_pct", "rope_pct", "partial_rotary_factor", "rope_local_base_freq",
        "global_rope_theta", "local_rope_theta", "compress_rope_theta", "swa_rope_theta",
        "original_max_position_embeddings", *LENGTHS)),
}  # fmt: skip
GALLERY = Path(__file__).parent / "gallery"
HEAD_DIMS = ("qk_rope_head_dim", "attention_head_dim", "head_dim", "kv_channels")
WIDTHS = ("hidden_size", "n_embd", "d_model")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
# All names that are read, whether they speak of positions or not.
NAMES = {
    *KEYS, *HEAD_DIMS, *WIDTHS, *HEADS, *BASE_NAMES, *ROTATIONS, *QUERY_NORMS,
    *(name for _, names in FORMS.values() for name in names),
    "vocab_size", "num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers",
    "num_decoder_layers", "sliding_window", "sliding_window_size", "use_sliding_window",
    "max_window_layers", "sliding_window_pattern", "_sliding_window_pattern", "attention_chunk_size",
    "local_attention", "window_size", "attention_window_size", "patch_size",
}  # fmt: skip
# Names of the library that are no misspellings of those, although they look like it.
LOOKALIKES = {
    "compress_rates", "decoder_layerdrop", "encoder_layers", "hidden_sizes", "layer_type",
    "num_encoder_layers", "num_hash", "num_labels", "patch_sizes", "qk_nope_head_dim", "seq_len",
    "sliding_windows",
}  # fmt: skip
