"""Holds the reader of configs and the doctor to the transformers library, and writes what came out.

    python course.py peer-models   # writes evidence/results/reader_and_doctor.md, in about five minutes

Four tables: how the reader's frequencies compare with those of the library's own classes, for the gallery
and for every config that the library builds without a download; whether every layer does what the reader
says of it; what the doctor finds in small models of many architectures with random weights, all of them
healthy; and what it finds in a small Llama with one fault planted. `python course.py test-peers` asks for
the same and prints it in short.
"""

import collections
import importlib
import inspect
import json
import sys
import time
import warnings
from pathlib import Path

import torch

from pe_lessons import doctor, models

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "evidence" / "results" / "reader_and_doctor.md"
ENOUGH = 1e-5  # relative; the library's frequencies are float32

# A state runs on from one packed text to the next in these, and the doctor may say so.
HYBRIDS = "falcon_h1 jamba lfm2 minimax nemotron_h olmo_hybrid qwen3_5_text qwen3_next".split()
ARCHITECTURES = sorted("""
apertus arcee biogpt bitnet bloom codegen cohere cohere2 cwm diffllama doge ernie4_5 exaone4 flint gemma
gemma2 gemma3_text glm glm4 gpt2 gpt_bigcode gpt_neox gpt_oss gptj gpt-sw3 granite granite_swa helium
hunyuan_v1_dense jais2 jetmoe llama llama4_text mimo_v2_flash ministral ministral3 mistral
modernbert-decoder mpt nanochat nemotron olmo olmo2 olmo3 openai-gpt opt persimmon phi phi3 qwen2 qwen3
seed_oss smollm3 stablelm starcoder2 vaultgemma
""".split() + HYBRIDS)  # fmt: skip
VOCAB_SIZE = 61
SMALL = {
    **dict.fromkeys(("hidden_size", "n_embd", "d_model", "word_embed_proj_dim"), 64),
    **dict.fromkeys(("intermediate_size", "n_inner", "ffn_dim", "decoder_ffn_dim"), 96),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), 32),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "num_layers", "n_layers", "decoder_layers"), 4),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads"), 4),
    **dict.fromkeys(("num_experts", "n_routed_experts", "num_local_experts"), 4),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx"), 256),
    **dict.fromkeys(("num_key_value_heads", "num_experts_per_tok", "moe_topk"), 2),
    "head_dim": 16, "rotary_dim": 8, "vocab_size": VOCAB_SIZE, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2,
}  # fmt: skip


def library():
    """transformers, quiet; an ImportError where it is not installed."""
    warnings.simplefilter("ignore")
    found = importlib.import_module("transformers")
    found.logging.set_verbosity_error()
    return found


def types():
    """The model types for which the library has a class."""
    return sorted(library().models.auto.configuration_auto.CONFIG_MAPPING)


def default_configs(names):
    """(model type, config object) for every class of these that the library builds without a download."""
    mapping = library().models.auto.configuration_auto.CONFIG_MAPPING
    for name in names:
        try:
            yield name, mapping[name]()
        except Exception:  # wants an argument, another package, or the network
            continue


def plain(config):
    """A config object as `config.json` would hold it."""
    return json.loads(json.dumps(config.to_dict(), default=str))


def their_frequencies(config):
    """What the library's own class makes of a config: lists of frequencies, and factors of cosine and sine.

    Both empty where it has no class of its own.
    """
    name = type(config).__module__.replace("configuration_", "modeling_")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError:  # a type that is modelled by another type's code
        return [], []
    for cls_name, cls in inspect.getmembers(module, inspect.isclass):
        if "RotaryEmbedding" in cls_name and "Vision" not in cls_name and cls.__module__ == name:
            try:
                made = cls(config)
            except Exception:  # a class for another of the model's parts
                continue
            buffers = {key: value.double() for key, value in made.named_buffers() if "original" not in key}
            found = [value for key, value in buffers.items() if key.endswith("inv_freq")]
            if found:
                return found, [value for key, value in vars(made).items() if key.endswith("_scaling")]
    return [], []


def gap(layer, theirs):
    """The relative difference to the nearest of the library's lists; infinite where none is as long."""
    theirs, factors = theirs
    ours = torch.tensor(layer.frequencies, dtype=torch.float64)
    gaps = [
        ((ours - one).abs() / one.abs().clamp(min=1e-30 if one.all() else 1.0)).max().item()
        for one in theirs
        if one.shape == ours.shape
    ]
    of_factor = min((abs(layer.attention_factor - factor) for factor in factors), default=0.0)
    return max(min(gaps, default=float("inf")), of_factor)


def read(name, config):
    """(name, verdict, largest difference) of one config object."""
    told = plain(config)
    try:
        plan = models.layers(told)
    except ValueError:
        return name, "says nothing about layers", None
    models.explain(told)
    turned = {layer for layer in plan if layer.kind == "rotary"}
    if not turned:
        unknown = any(layer.kind == "unknown" for layer in plan)
        return name, "not understood, and said so" if unknown else "nothing turns", None
    if hasattr(config, "get_text_config"):
        config = config.get_text_config()
    theirs = their_frequencies(config)
    if not theirs[0]:
        return name, "the library has no class of its own for it", None
    largest = max(gap(layer, theirs) for layer in turned)
    return name, "equal" if largest < ENOUGH else "DIFFERENT", largest


def read_all(names):
    return [read(name, config) for name, config in default_configs(names)]


def read_gallery():
    """(name, verdict, largest difference) of every exhibit, made into a config object of the library."""
    mapping = library().models.auto.configuration_auto.CONFIG_MAPPING
    rows = []
    for name, exhibit in models.gallery().items():
        told = dict(exhibit["config"])
        plan = {layer for layer in models.layers(told) if layer.kind == "rotary"}
        if not plan:
            rows.append((name, "nothing turns", None))
            continue
        # a type that the library does not have is turned as a Llama's file of the same words would be
        own = told["model_type"] in mapping
        config = mapping[told["model_type"] if own else "llama"](**told)
        theirs = their_frequencies(config)
        if told["model_type"] == "gptj":  # its class has no module for it: a Llama with heads as wide as that
            theirs = their_frequencies(library().LlamaConfig(head_dim=told["rotary_dim"]))
        largest = max(gap(layer, theirs) for layer in plan)
        rows.append((name, "equal" if largest < ENOUGH else "DIFFERENT", largest))
    return rows


def small_model(name, dtype=torch.float32):
    """A causal model of the library, four layers thin, with random weights large enough to matter."""
    transformers = library()
    cls = transformers.models.auto.configuration_auto.CONFIG_MAPPING[name]
    words = narrow(cls)
    base = cls()
    for key in ("layer_types", "mlp_layer_types", "no_rope_layers", "layer_rope_theta"):
        if key in inspect.signature(cls).parameters and getattr(base, key, None):
            words[key] = four_of(getattr(base, key))
    # wider than a short text, narrower than a long one
    words |= dict.fromkeys([key for key in WINDOWS if getattr(base, key, None)], 24) | FITTING.get(name, {})
    torch.manual_seed(0)
    names = transformers.models.auto.modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    model = getattr(transformers, names[name])
    model = model._from_config(cls(**words), attn_implementation="eager").to(dtype).eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(6 if weights.ndim >= 2 else 1)
    return model


def narrow(cls):
    """Numbers that make a config of this class small, under the names that it has for them."""
    base, renamed = plain(cls()), getattr(cls, "attribute_map", None) or {}
    takes = base.keys() | inspect.signature(cls).parameters.keys()
    return {key: SMALL[key] for key in SMALL if key in takes and renamed.get(key) not in SMALL}


NUMBER_OF_LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "decoder_layers")
WINDOWS = ("sliding_window", "attention_chunk_size")
TOKENS, WINDOW, LAYERS = 12, 5, 12
# In narrow layers these have to fit together in another way.
FITTING = {
    "gpt_neo": {"attention_types": [[["global", "local"], 6]], "window_size": 5},
    "recurrent_gemma": {"attention_window_size": 5, "lru_width": 64},
    "mamba2": {"num_heads": 8, "head_dim": 16, "n_groups": 1},
    "lfm2_moe": {"layer_types": ["conv", "conv", "full_attention"] * 4},
    "deepseek_v4": {"compress_rates": {"compressed_sparse_attention": 2, "heavily_compressed_attention": 2}},
    "bamba": {"mamba_n_heads": 8, "mamba_d_head": 16},
    "kimi_linear": {"num_key_value_heads": 4, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 16},
    "nemotron_h": {"mamba_num_heads": 8, "mamba_head_dim": 16, "n_groups": 1},
    "jamba": {"mamba_dt_rank": 4, "attn_layer_period": 4, "attn_layer_offset": 1},
    "lfm2": {"full_attn_idxs": [1, 3], "layer_types": None},
    "falcon_h1": {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_ssm": 128, "mamba_d_state": 16},
    **{name: {"num_key_value_heads": 4, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 16,
              "head_dim": 8, "n_group": 1, "topk_group": 1}
       for name in ("axk1", "axk2", "bailing_hybrid", "deepseek_v2", "deepseek_v3", "deepseek_v32",
                    "glm4_moe_lite", "glm_moe_dsa", "longcat_flash", "mistral_large4_text")},
    **{name: {"rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]}}
       for name in ("qwen2_vl_text", "qwen2_5_vl_text")},
    "gemma4_text": {"head_dim": 8, "global_head_dim": 8},
}  # fmt: skip


def narrowed(file):
    """What a file says of its text part, with as many layers and the same plan, but narrow ones."""
    file = file.get("text_config", file)
    cls = library().models.auto.configuration_auto.CONFIG_MAPPING[file["model_type"]]
    small = {key: number for key, number in narrow(cls).items() if key not in NUMBER_OF_LAYERS}
    windows = dict.fromkeys([key for key in WINDOWS if getattr(cls(), key, None)], WINDOW)
    told = file | small | windows | FITTING.get(file["model_type"], {})
    if "linear_attn_config" in file:
        told["linear_attn_config"] = file["linear_attn_config"] | {"head_dim": 16, "num_heads": 4}
    return told


def of_class(name):
    """What the library writes of a small config of this type, with windows and twelve layers."""
    cls = library().models.auto.configuration_auto.CONFIG_MAPPING[name]
    words, base = narrow(cls), cls()
    words |= dict.fromkeys([key for key in NUMBER_OF_LAYERS if key in words], LAYERS)
    words |= dict.fromkeys([key for key in WINDOWS if getattr(base, key, None)], WINDOW)
    return plain(cls(**words | FITTING.get(name, {})))


def seen(file):
    """(kind, reach) of every layer, from what a layer with random weights answers when its input changes.

    "rotary" if the answers change when positions are moved apart; "ordered" if they change when two earlier
    tokens change places, as with a state; "none" if they do neither; "feedforward" if no token matters to
    another. Reach: so many tokens notice the first one; None for all.
    """
    auto = library().models.auto
    config = auto.configuration_auto.CONFIG_MAPPING[file["model_type"]](**file)
    names = dict(auto.modeling_auto.MODEL_MAPPING_NAMES) | dict(
        auto.modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    )
    torch.manual_seed(0)
    model = (
        getattr(library(), names[file["model_type"]])._from_config(config, attn_implementation="eager").eval()
    )
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(4 if weights.ndim >= 2 else 1)
    lists = [module for name, module in model.named_modules() if isinstance(module, torch.nn.ModuleList)]
    count = len(models.layers(file))
    layers = next(found for found in lists if len(found) == count)
    tokens = torch.randint(5, VOCAB_SIZE, (1, TOKENS))
    places = torch.arange(TOKENS)[None]
    takes = "position_ids" in inspect.signature(model.forward).parameters

    def asked(positions, change=None, inputs=None):
        """What comes into and out of each layer; with `inputs` each gets these, changed."""
        came, went, handles = {}, {}, []
        for layer in layers:

            def before(module, args, kwargs):
                x = args[0] if args else kwargs["hidden_states"]
                came[module] = x.clone()
                if inputs is None:
                    return args, kwargs
                x = inputs[module].clone() if change is None else change(inputs[module].clone())
                return ((x, *args[1:]), kwargs) if args else (args, kwargs | {"hidden_states": x})

            def after(module, args, kwargs, output):
                went[module] = (output[0] if isinstance(output, tuple | list) else output).clone()

            handles.append(layer.register_forward_pre_hook(before, with_kwargs=True))
            handles.append(layer.register_forward_hook(after, with_kwargs=True))
        given = {"position_ids": positions} if takes else {}
        with torch.no_grad():
            model(input_ids=tokens, attention_mask=torch.ones_like(tokens), use_cache=False, **given)
        for handle in handles:
            handle.remove()
        return came, went

    def exchanged(x):
        x[:, [-3, -2]] = x[:, [-2, -3]]
        return x

    def other_first(x):
        x[:, 0] = x[:, 0].flip(-1)
        return x

    inputs, _ = asked(places)
    (_, base), (_, apart), (_, swapped), (_, other) = (
        asked(*how, inputs=inputs)
        for how in ((places,), (3 * places,), (places, exchanged), (places, other_first))
    )
    rows = []
    for layer in layers:
        enough = 1e-6 * base[layer].abs().max()
        noticed = [(other[layer] - base[layer])[0, row].abs().max() > enough for row in range(TOKENS)]
        reach = TOKENS - noticed[::-1].index(True) if any(noticed) else 0
        if reach < 2:
            rows.append(("feedforward", None))
            continue
        moved = takes and (apart[layer] - base[layer]).abs().max() > enough
        ordered = (swapped[layer] - base[layer])[:, -1].abs().max() > enough
        kind = "rotary" if moved else "ordered" if ordered else "none"
        rows.append((kind, None if reach == TOKENS else reach))
    return rows


ORDERED = {"recurrent", "convolution", "alibi", "t5"}
ADDED = {"learned", "sinusoidal"}  # before the first layer


def told(file):
    """(kind, reach) of every layer as the reader has it, in the words of `seen`."""
    return [
        ("ordered" if layer.kind in ORDERED else "none" if layer.kind in ADDED else layer.kind, layer.window)
        for layer in models.layers(file)
    ]


def unlike(file):
    """The numbers of the layers that do something other than the reader says. A state fades as it likes."""
    ours, theirs = told(file), seen(file)
    kept = [layer.kind == "recurrent" for layer in models.layers(file)]
    return [
        number for number, (one, other) in enumerate(zip(ours, theirs))
        if one[0] != other[0] or (one != other and not kept[number])
    ]  # fmt: skip


def four_of(entries):
    """Four of the entries, with two different ones among them where there are."""
    first = entries[:4]
    others = [entry for entry in entries if entry != entries[0]]
    return first if len(set(map(str, first))) > 1 or not others else [*entries[:3], others[0]]


def examine(name, dtype=torch.float32):
    return doctor.examine(small_model(name, dtype), VOCAB_SIZE)


def false_alarms(findings, name=""):
    true = {"packing/runs-on"} if name in HYBRIDS else set()
    if name == "jamba":  # evidence/upstream/jamba.md
        true.add("several-new-tokens/state-not-read")
    return [finding for finding in findings if finding.status == "wrong" and finding.id not in true]


def planted_faults():
    """(fault, what the doctor names) for every fault of the tests' small Llama."""
    sys.path.insert(0, str(ROOT / "tests"))
    import small_llama

    for fault in small_llama.FAULTS:
        patient, told = small_llama.case(fault)
        yield fault, not told["relative"], false_alarms(doctor.examine(patient, **told))


CHECKS = ("shift", "left padding", "step by step", "padded, step by step", "packing")
ABOUT_SHARES = """Four layers with random weights, float32, eager attention. *Shift*: what moving all
positions by 40 changes, as a share of what moving tokens apart does (of what exchanging two does, where no
position_ids are taken); *padding*: what four tokens of padding on the left change when no position_ids are
given; *padded steps*: two texts of different lengths in a batch, going on with mask and cache. A dash: the
model does not take what the check needs. In hybrids a state runs on from one packed text to the next, and
the doctor says so. It also says that Jamba's state is lost when several new tokens come after a cache, which
is true (evidence/upstream/jamba.md).
"""


def size(value):
    return "" if value is None else "none" if value == 0 else f"{value:.0e}"


def page():
    yield "# The reader and the doctor against the models of transformers\n"
    yield f"Written by `python course.py peer-models`, with transformers {library().__version__}.\n"
    yield "## The reader: the gallery\n"
    yield "Relative difference to the frequencies that the library's own class makes of the same file.\n"
    yield "| exhibit | frequencies | largest difference |\n| --- | --- | ---: |"
    for name, verdict, largest in read_gallery():
        yield f"| {name} | {verdict} | {size(largest)} |"
    rows = read_all(types())
    yield f"\n## The reader: the {len(rows)} configs that the library builds without a download\n"
    yield "| verdict | configs |\n| --- | ---: |"
    for verdict, count in collections.Counter(verdict for _, verdict, _ in rows).most_common():
        yield f"| {verdict} | {count} |"
    for said in ("DIFFERENT", "the library has no class of its own for it", "not understood, and said so"):
        names = [name for name, verdict, _ in rows if verdict == said]
        yield f"\n*{said}*: {', '.join(names) or 'none'}"
    yield "\n## The reader: what every layer does\n"
    yield "Small models with random weights: does a layer's answer change when positions are moved apart, or"
    yield "when two earlier tokens change places, and how far does it notice the first token?\n"
    names = sorted(models.READ_AGAINST_THE_LIBRARY)
    wrong = [name for name in names if unlike(of_class(name))]
    others = ", ".join(wrong) or "none"
    yield f"{len(names)} types, twelve layers each. Types with a layer that does something else: {others}."
    yield f"\n## The doctor: {len(ARCHITECTURES)} healthy architectures\n"
    yield ABOUT_SHARES
    yield "| architecture | false alarms | shift | padding, no ids | steps | padded steps | packing |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    total = 0
    for name in ARCHITECTURES:
        findings = examine(name)
        alarms = len(false_alarms(findings, name))
        total += alarms
        shares = [_share(findings, check) for check in CHECKS]
        yield f"| {name} | {alarms} | {' | '.join(shares)} |"
    yield f"\nFalse alarms in all: {total}."
    yield "\n## The doctor: planted faults\n"
    yield "A small Llama of the tests, one fault at a time; beside it the same weights without the fault."
    yield "The one without a table is said to be relative.\n"
    yield "| fault | found by | named |\n| --- | --- | --- |"
    for fault, table, findings in planted_faults():
        checks = ", ".join(finding.check for finding in findings)
        named = "; ".join(dict.fromkeys(finding.culprit for finding in findings if finding.culprit))
        yield f"| {fault}{' (a table of positions)' if table else ''} | {checks} | {named} |"


def _share(findings, check):
    """The last finding of a check: of padding, the one without position_ids."""
    found = [finding for finding in findings if finding.check == check and finding.status != "not tried"]
    if not found:
        return "–"
    return f"{found[-1].size:.0%}" if found[-1].size >= 0.01 else "none"


def main():
    torch.set_num_threads(1)  # the models are small: threads would wait for each other
    begun = time.perf_counter()
    lines = []
    for line in page():
        lines.append(line)
        print(line, flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
