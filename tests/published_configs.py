"""Configs as their authors published them, and what their layers do: the kind and the window of each.

Of each file what says something of positions, or of the model's size; `source` is where it was read. What a
file leaves out its authors left out.
"""

GEMMA = {
    "model_type": "gemma3_text",
    "hidden_size": 2560,
    "intermediate_size": 10_240,
    "num_hidden_layers": 34,
}
SCOUT = {
    "model_type": "llama4_text", "attention_chunk_size": 8192, "head_dim": 128, "hidden_size": 5120,
    "intermediate_size": 8192, "intermediate_size_mlp": 16_384, "max_position_embeddings": 262_144,
    "no_rope_layers": [], "num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48,
    "num_key_value_heads": 8, "num_local_experts": 16, "rope_theta": 500_000.0, "use_qk_norm": True,
    "rope_scaling": {"factor": 16.0, "high_freq_factor": 1.0, "low_freq_factor": 1.0,
                     "original_max_position_embeddings": 8192, "rope_type": "llama3"},
}  # fmt: skip
NANO = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"
LETTERS = {"M": ("recurrent", None), "E": ("feedforward", None), "*": ("none", None)}
BAMBA = {
    "model_type": "bamba", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "attn_layer_indices": [9, 18, 27], "attn_rotary_emb": 64,
    "rope_theta": 10_000.0, "max_position_embeddings": 262_144,
}  # fmt: skip


def every(count, number, rare, common):
    """A plan in which each so many-th layer differs."""
    return [rare if (layer + 1) % number == 0 else common for layer in range(count)]


def where(count, numbers, rare, common):
    return [rare if layer in numbers else common for layer in range(count)]


# name: (source, config, plan)
FILES = {
    "gemma-3-12b": (
        "https://github.com/NVIDIA/TensorRT-Model-Connect/pull/1362",
        {"model_type": "gemma3", "text_config": GEMMA | {
            "hidden_size": 3840, "intermediate_size": 15_360, "num_attention_heads": 16,
            "num_hidden_layers": 48, "num_key_value_heads": 8,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}},
        every(48, 6, ("rotary", None), ("rotary", 1024)),
    ),
    "gemma-3-4b": (
        "https://github.com/ddalcu/mlx-serve/issues/46",
        {"model_type": "gemma3", "text_config": GEMMA | {
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}},
        every(34, 6, ("rotary", None), ("rotary", 1024)),
    ),
    "llama-4-scout": (
        "https://github.com/AMD-AGI/Primus/pull/165",
        {"model_type": "llama4", "text_config": SCOUT},
        every(48, 4, ("none", None), ("rotary", 8192)),
    ),
    "kolibri-1": (
        "the class default of transformers 5.23.0",
        {"model_type": "kolibri1", "hidden_size": 2560, "num_hidden_layers": 50, "num_attention_heads": 48},
        every(50, 5, ("none", None), ("rotary", 513)),
    ),
    "flint": (
        "the class default of transformers 5.23.0",
        {"model_type": "flint", "hidden_size": 2048, "num_hidden_layers": 49, "num_attention_heads": 32},
        where(49, {0, *range(1, 49, 4), 48}, ("none", None), ("rotary", 513)),
    ),
    "bamba": (
        "the names of its class in transformers 5.23.0", BAMBA,
        where(32, {9, 18, 27}, ("rotary", None), ("recurrent", None)),
    ),
    "lfm2-350m": (
        "https://github.com/EricLBuehler/mistral.rs/pull/2305",
        {"model_type": "lfm2", "hidden_size": 1024, "num_hidden_layers": 16, "num_attention_heads": 16,
         "num_key_value_heads": 8, "conv_L_cache": 3, "full_attn_idxs": [2, 5, 8, 10, 12, 14],
         "rope_theta": 1_000_000.0, "use_pos_enc": True},
        where(16, {2, 5, 8, 10, 12, 14}, ("rotary", None), ("convolution", 3)),
    ),
    "nemotron-3-nano": (
        "the names of its class in transformers 5.23.0",
        {"model_type": "nemotron_h", "hidden_size": 2688, "head_dim": 128, "num_attention_heads": 32,
         "num_key_value_heads": 2, "num_hidden_layers": 52, "hybrid_override_pattern": NANO,
         "n_routed_experts": 128, "moe_intermediate_size": 1856},
        [LETTERS[letter] for letter in NANO],
    ),
    "kimi-linear": (
        "https://github.com/huggingface/transformers/issues/47875",
        {"model_type": "kimi_linear", "hidden_size": 2304, "num_hidden_layers": 27, "num_attention_heads": 32,
         "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "linear_attn_config": {
             "full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "head_dim": 128, "short_conv_kernel_size": 4,
             "kda_layers": sorted({*range(1, 28)} - {4, 8, 12, 16, 20, 24, 27})}},
        where(27, {3, 7, 11, 15, 19, 23, 26}, ("none", None), ("recurrent", None)),
    ),
}  # fmt: skip
