"""The model "rope" as a checkpoint of transformers, and a look at any checkpoint of that library."""

import json
import math
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from pe_lessons import models, small_models

# Ours, and where StarCoder2 has it: LayerNorm, biases, two matrices in the MLP, no gates.
NAMES = {"norm_attention": "input_layernorm", "norm_mlp": "post_attention_layernorm",
         "to_out": "self_attn.o_proj", "mlp.0": "mlp.c_fc", "mlp.2": "mlp.c_proj"}  # fmt: skip


def export(folder):
    """Write the model "rope" into `folder`, which is made, as transformers loads a StarCoder2.

    Weights that lie there already are kept, with a FileExistsError.

    Two things differ. The library pairs the columns of a head by halves, so the rows that make queries and
    keys move. And its head has no bias, so the last norm gets a bias that the head turns into ours.
    """
    model, weights = small_models.load("rope"), {}
    sizes, vocab = small_models.SIZES, small_models.CHARACTERS
    weights["model.embed_tokens.weight"] = model.embedding.weight
    for number, block in enumerate(model.blocks):
        parts = dict(block.named_parameters())
        for kind in ("weight", "bias"):
            place = f"model.layers.{number}."
            for ours, theirs in NAMES.items():
                weights[f"{place}{theirs}.{kind}"] = parts[f"{ours}.{kind}"]
            for letter, rows in zip("qkv", parts[f"to_qkv.{kind}"].chunk(3)):
                if letter != "v":  # a0 b0 a1 b1 ... to a0 a1 ... b0 b1 ...
                    heads = rows.unflatten(0, (sizes["num_heads"], -1, 2))  # (heads, pairs, 2, ...)
                    rows = heads.transpose(1, 2).flatten(0, 2)
                weights[f"{place}self_attn.{letter}_proj.{kind}"] = rows
    to_bias = torch.linalg.pinv(model.head.weight.double())  # (d_model, 97): exact, as the head has rank 97
    weights["model.norm.weight"] = model.norm.weight
    weights["model.norm.bias"] = (model.norm.bias + to_bias @ model.head.bias.double()).float()
    weights["lm_head.weight"] = model.head.weight

    config = {
        "architectures": ["Starcoder2ForCausalLM"], "model_type": "starcoder2", "vocab_size": len(vocab),
        "hidden_size": sizes["d_model"], "intermediate_size": 2 * sizes["d_model"],
        "num_hidden_layers": sizes["num_layers"], "num_attention_heads": sizes["num_heads"],
        "num_key_value_heads": sizes["num_heads"], "hidden_act": "gelu", "norm_epsilon": model.norm.eps,
        "use_bias": True, "tie_word_embeddings": False, "bos_token_id": None, "eos_token_id": None,
        "max_position_embeddings": small_models.TRAINED_LENGTH, "dtype": "float32",
        "rope_parameters": {"rope_type": "default", "rope_theta": model.encoding.options["base"]},
    }  # fmt: skip
    words = {"type": "BPE", "vocab": {c: n for n, c in enumerate(vocab)}, "merges": [], "unk_token": vocab[0]}
    files = {
        "config": config,
        "tokenizer": {"version": "1.0", "added_tokens": [], "model": words, "decoder": {"type": "Fuse"}},
        "tokenizer_config": {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": vocab[0]},
    }
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _write_safetensors(folder / "model.safetensors", weights)
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content, indent=1), encoding="utf-8")


def _write_safetensors(path, weights):
    """The length of a JSON header in eight bytes, the header, then the numbers of all tensors."""
    header, begin = {"__metadata__": {"format": "pt"}}, 0
    for name, rows in weights.items():
        end = begin + 4 * rows.numel()
        header[name] = {"dtype": "F32", "shape": list(rows.shape), "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    numbers = (rows.numpy().astype("<f4").tobytes() for rows in weights.values())
    with path.open("xb") as file:
        file.writelines([len(text).to_bytes(8, "little"), text, *numbers])


def look_at(folder, *, length=256, windows=8, distances=(100, 200, 400), needles=32):
    """Print what the positions of a checkpoint do: its config, its layout, and what it makes of a text.

    `folder` is what transformers' `from_pretrained` takes: config.json, weights and a tokenizer. The loss is
    measured on so many `windows` of the course's code, of `length` tokens each; `distances` are how many
    characters lie between a definition and its call, and there are so many `needles`, texts, for each.
    Returns what was printed, as numbers in a dict, or None where transformers is not installed.
    """
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer, logging
    except ImportError:
        print("look_at needs a library that isn't here: python -m pip install transformers")
        return None
    logging.disable_progress_bar()
    print(models.explain(Path(folder) / "config.json"), end="\n\n")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    model.eval().requires_grad_(False)

    def encode(text):
        return torch.tensor(tokenizer(text, verbose=False)["input_ids"])[None]

    text = encode(small_models.held_out())[0]
    text = text[: len(text) // length * length].view(-1, length)[:windows]
    found = _layout(model, text[:1])
    print(f"if the text moves on by one position, the caches of {len(found['rotating'])} in "
          f"{found['layers']} layers change")  # fmt: skip
    if found["partner"] is not None:
        width = found["partner"] - found["column"]
        name = "interleaved" if width == 1 else f"halves of {2 * width} columns"
        print(f"columns {found['column']} and {found['partner']} are a pair: {name}")
    print()

    costs = torch.cat([_bits(model, window[None]) for window in text]).mean(dim=0)  # (length - 1,)
    ends = [length * share // 8 - 1 for share in (1, 2, 4, 8)]
    found["loss"] = [costs[begin:end].mean().item() for begin, end in zip([0, *ends], ends)]
    for begin, end, loss in zip([0, *ends], ends, found["loss"]):
        print(f"tokens {begin + 1:4d} to {end:4d}: {loss:.2f} bits per token")

    found["saved"] = {}
    for distance in distances:
        texts = zip(*small_models.needles(distance, needles))
        saved = torch.stack([_bits(model, encode(other)).sum() - _bits(model, encode(own)).sum()
                             for own, other in texts])  # fmt: skip
        mean, error = saved.mean().item(), 2 * saved.std().item() / math.sqrt(needles)
        found["saved"][distance] = mean, error
        print(f"a definition {distance} characters ago saves {mean:.1f} ± {error:.1f} bits of a name")

    weights = model(text[:1], output_attentions=True).attentions  # each (1, heads, length, length)
    found["first"] = [layer[0, :, length // 2 :, 0].mean().item() for layer in weights if layer is not None]
    shares = " ".join(f"{share:.1%}" for share in found["first"])
    print(f"attention on the first of {length} tokens, layer by layer: {shares}")
    return found


def _bits(model, tokens):
    scores = model(tokens).logits.float()
    return F.cross_entropy(scores[:, :-1].mT, tokens[:, 1:], reduction="none") / math.log(2)


def _layout(model, tokens):
    """Which cached columns change at the next position, and which other column explains the first of them."""
    places = torch.arange(tokens.shape[1])[None]
    caches = [model(tokens, position_ids=places + by, use_cache=True).past_key_values for by in (0, 1)]
    pairs = [
        [  # keys and values: what MLA rotates lies beside its latent rows; (heads * tokens, columns) each
            torch.cat([one.keys, one.values], dim=-1)[0].flatten(0, 1).double().numpy() for one in both
        ]
        for both in zip(*(cache.layers for cache in caches))
        if getattr(both[0], "keys", None) is not None
    ]
    changes = [abs(later - keys).max(axis=0) > 1e-3 * abs(keys).max() for keys, later in pairs]
    rotating = [number for number, columns in enumerate(changes) if columns.any()]
    found = {"layers": len(pairs), "rotating": rotating, "column": None, "partner": None}
    if not rotating:
        return found
    keys, later = pairs[rotating[0]]
    found["column"] = column = int(changes[rotating[0]].argmax())
    for other in range(column + 1, keys.shape[1]):
        both, after = keys[:, [column, other]], later[:, column]
        if abs(both @ np.linalg.lstsq(both, after, rcond=None)[0] - after).max() < 1e-3 * abs(after).max():
            return found | {"partner": other}
    return found
