"""What each layer of a model does about positions, from its `config.json`: `layers`."""

import dataclasses
import functools
import json
import math
import re
from pathlib import Path

from pe_lessons import _arguments as arguments
from pe_lessons import loops
from pe_lessons.models import known_config_keys as tables


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


def length(config):
    """The longest text that the file speaks of, in tokens, or None."""
    return _length(_read(config))


def gallery():
    """Models of 2017 to today by a short name: what they are, when, where it stands, and the config.

    Examples
    --------
    >>> gallery()["gpt-2"]["config"]["n_positions"]
    1024
    """
    found = [
        (path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in tables.GALLERY.glob("*.json")
    ]
    return dict(sorted(found, key=lambda exhibit: (exhibit[1]["date"], exhibit[0])))


def layers(config):
    """One `Layer` for each layer of the model, in their order."""
    config = _read(config)
    count = _count(config)
    if count is None:
        raise ValueError("config must say how many layers there are, and has no num_hidden_layers")
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 10_000:
        name = _name(config, *tables.COUNTS) or "the number of layers"
        raise ValueError(f"{name} must be a whole number between 1 and 10,000, got {count!r}")
    types = _layer_types(config, count)
    named = config.get("per_layer_config") or {}
    own = {int(number): values for number, values in named.items() if str(number).isdecimal()}
    return [_layer(config | own.get(number, {}), number, kind) for number, kind in enumerate(types)]


def _layer(config, number, layer_type):
    if layer_type == "not named":
        return Layer("unknown", why="the file does not say of which type this layer is")
    if layer_type in tables.WITHOUT_ATTENTION:
        kind = tables.WITHOUT_ATTENTION[layer_type]
        return Layer(kind, window=_get(config, "conv_L_cache") if kind == "convolution" else None)
    if layer_type not in tables.WITH_ATTENTION:
        return Layer("unknown", why=f"{layer_type!r} is a type of layer that this reader does not know")
    window, base = _window(config, layer_type), _at(config.get("layer_rope_theta"), number)
    if not (base is None or _is_number(base)):
        raise ValueError(f"layer_rope_theta must hold a number for each layer, got {base!r}")
    by_code = config.get("model_type") in tables.UNTURNED_FULL_LAYERS and config.get("sliding_window")
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
    if model_type in tables.OTHER_ORDER:
        return "unknown"
    told = config.get("position_embedding_type", "")
    if told in tables.POSITION_EMBEDDING_TYPES:
        return tables.POSITION_EMBEDDING_TYPES[told]
    if config.get("patch_size") and not config.get("vocab_size"):
        return "unknown"
    if config.get("relative_attention_num_buckets"):
        return "t5"
    for kind, types in tables.OTHER_KINDS.items():
        if model_type in types:
            return kind
    bases = [rope["rope_theta"] for rope in (config, *_all_rotations(config)) if "rope_theta" in rope]
    if model_type in tables.UNTURNED_WITH_A_NULL_BASE and bases and set(bases) == {None}:
        return "none"
    told = any(_get(config, key) not in (None, {}, []) for key in tables.ROTATIONS)
    turns = told or model_type in tables.BASES or model_type in tables.ROTARY
    return "rotary" if turns else "unknown"


def _why_unknown(config):
    if config.get("model_type") in tables.OTHER_ORDER:
        return tables.OTHER_ORDER[config["model_type"]]
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
        layer_type = tables.LABELS.get(config.get("model_type"), {}).get(layer_type, layer_type)
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
        local = _get(config, "rope_local_base_freq", "swa_rope_theta") if sliding else None
        own = tables.BASES.get(config.get("model_type"))
        if sliding and (isinstance(own, tuple) or local is not None):  # Gemma 3: no rule in windows
            chosen = {"rope_theta": own[1] if local is None else local}
        base = _get(config, "global_rope_theta" if layer_type == "full_attention" else "local_rope_theta")
        if base is not None:  # ModernBERT, old spelling
            chosen = {"rope_theta": base}
        if config.get("model_type") == "deepseek_v4":
            chosen = _compressed(config, chosen, tables.LABELS["deepseek_v4"].get(layer_type))
    share = _get(config, "partial_rotary_factor", "rotary_pct", "rope_pct")
    if share is not None:
        chosen.setdefault("partial_rotary_factor", share)
    if _get(chosen, "rope_theta") is None:
        chosen["rope_theta"] = _outer_base(config)
    if chosen["rope_theta"] is None:
        return chosen, "the file gives no base, and that of the type is not in this reader's tables"
    kind = str(chosen.get("rope_type") or chosen.get("type") or "default")
    chosen["rope_type"] = {"su": "longrope", "mrope": "default"}.get(kind, kind)
    if chosen["rope_type"] not in tables.RULES:
        return chosen, f"the rule {chosen['rope_type']!r} is not one of {', '.join(tables.RULES)}"
    if chosen["rope_type"] in ("llama3", "yarn", "longrope"):
        outside = _get(config, "original_max_position_embeddings", *tables.LENGTHS)
        chosen.setdefault("original_max_position_embeddings", outside)
    words = [f"{name} = {chosen[name]!r} is no number" for name in sorted(tables.NUMBERS & chosen.keys())
             if chosen[name] is not None and not _is_number(chosen[name])]  # fmt: skip
    missing = [name for name in tables.RULES[chosen["rope_type"]] if chosen.get(name) is None]
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
        base = tables.BASES.get(model_type, tables.BASE)
    return base[0] if isinstance(base, tuple) else base


def _rotary(config, layer_type, rope, window):
    def unknown(why):
        return Layer("unknown", window=window, why=why)

    head_dim = _head_dim(config, layer_type)
    if not head_dim:
        zeros = [
            f"{name} 0"
            for name in ("global_head_dim", *tables.HEAD_DIMS, *tables.WIDTHS, *tables.HEADS)
            if config.get(name) == 0
        ]
        why = "the file gives neither head_dim nor a width and a number of heads"
        return unknown(f"the file gives {', '.join(zeros)}" if zeros else why)
    # qk_rope_head_dim: a part of the head of its own, all of which turns
    share = 1.0 if config.get("qk_rope_head_dim") else rope.get("partial_rotary_factor")
    share = 1.0 if share is None else share
    read = config.get("model_type") not in tables.ROTARY_DIM_NOT_READ
    rotary_dim = config.get("rotary_dim") if read else None
    rotary_dim = int(head_dim * share) if rotary_dim is None else rotary_dim
    if rotary_dim == 0 and 0 in (share, config.get("rotary_dim")):
        return Layer("none", window=window)
    if rotary_dim < 2:
        return unknown(f"of {head_dim} columns of a head no pair would turn")
    if rotary_dim + rotary_dim % 2 > head_dim:
        return unknown(f"{rotary_dim} columns of {head_dim} would turn, and they turn in pairs")
    rule, base = rope["rope_type"], float(rope["rope_theta"])
    knobs = {key: rope[key] for key in sorted(tables.KNOBS & rope.keys()) if rope[key] is not None}
    kept = tuple((key, tuple(knob) if isinstance(knob, list) else knob) for key, knob in knobs.items())
    try:
        frequencies, factor = _frequencies(rule, head_dim, rotary_dim, base, share, kept, _length(config))
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
        tuple(frequencies), factor, sees,
    )  # fmt: skip


@functools.lru_cache(maxsize=256)  # most layers of a model turn alike
def _frequencies(rule, head_dim, rotary_dim, base, share, knobs, length):
    """(n_pairs,) in the trained length, and what cosines and sines are multiplied by."""
    knobs = {key: list(knob) if isinstance(knob, tuple) else knob for key, knob in knobs}
    if rule in ("default", "dynamic"):  # dynamic: the base grows with the text, from the trained length on
        return tuple(loops.frequencies(rotary_dim, base=base)), 1.0
    if rule == "llama3" and knobs["low_freq_factor"] == knobs["high_freq_factor"]:
        # Llama 4 Scout: there is no ramp between what stays and what is divided
        whole = loops.frequencies(rotary_dim, base=base)
        once = 2 * math.pi * knobs["low_freq_factor"] / knobs["original_max_position_embeddings"]
        return [one / knobs["factor"] if one < once else one for one in whole], 1.0
    knobs = knobs | {"partial_rotary_factor": share}
    if rule == "longrope":
        old = knobs["original_max_position_embeddings"]
        knobs["factor"] = max(1.0, knobs.get("factor", 1.0 if length is None else length / old))
    width = head_dim if rule == "proportional" else rotary_dim + rotary_dim % 2
    needed, optional = arguments.SCALING_RULES[rule]
    given = {name: knob for name, knob in knobs.items() if knob or "mscale" not in name}  # mscale 0 is none
    scaling = {name: given[name] for name in (*needed, *optional) if name in given}
    return loops.rotary_frequencies(width, base=base, scaling={"rope_type": rule, **scaling}, text_len=1)


@functools.cache
def _known_types():
    shown = {_text_part(exhibit["config"]).get("model_type") for exhibit in gallery().values()}
    listed = tables.ROTARY, tables.UNTURNED_FULL_LAYERS, tables.FULL_EVERY, tables.DEFAULTS, tables.BASES
    return shown.union(PLANS, tables.READ_AGAINST_THE_LIBRARY, *listed, *tables.OTHER_KINDS.values())


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
    given = _get(config, "sliding_window", "local_attention")
    if given is None or config.get("use_sliding_window") is False:
        return ["full_attention"] * count
    if config.get("global_attn_every_n_layers"):  # ModernBERT begins with a full layer
        every = config["global_attn_every_n_layers"]
        return ["sliding_attention" if number % every else "full_attention" for number in range(count)]
    if config.get("use_sliding_window"):
        first = config.get("max_window_layers", count)
        return ["sliding_attention" if number >= first else "full_attention" for number in range(count)]
    every = _get(config, "sliding_window_pattern", "_sliding_window_pattern")
    every = tables.FULL_EVERY.get(config.get("model_type")) if every is None else every
    if isinstance(every, int):
        if every < 1:
            raise ValueError(f"sliding_window_pattern must be 1 or more, got {every}")
        return ["sliding_attention" if (number + 1) % every else "full_attention" for number in range(count)]
    return ["sliding_attention"] * count


def _schedule(config, count):
    """The plan of the layers where the file or the code of the type has one."""
    given, model_type = _get(config, "layer_types", "layers_block_type"), config.get("model_type")
    if given:
        return given
    if config.get("hybrid_override_pattern"):
        return [tables.LETTERS.get(letter, letter) for letter in config["hybrid_override_pattern"]]
    linear = config.get("linear_attn_config") or {}
    if "kda_layers" in linear and "full_attn_layers" in linear:  # they count from 1
        named = dict.fromkeys(linear["kda_layers"], "linear_attention")
        named |= dict.fromkeys(linear["full_attn_layers"], "full_attention")
        return [named.get(number, "not named") for number in range(1, count + 1)]
    if config.get("block_types"):  # RecurrentGemma: they come again and again
        names = {"attention": "sliding_attention"}
        given = [names.get(word, word) for word in config["block_types"]]
        return (given * count)[:count]
    if config.get("attention_layers") or config.get("attention_types"):  # GPT-Neo
        names = {"global": "full_attention", "local": "sliding_attention"}
        given = config.get("attention_layers") or [
            word for words, times in config["attention_types"] for word in words * times
        ]
        return [names.get(word, word) for word in given]
    if config.get("hybrid_layer_pattern"):  # MiMo V2
        names = {0: "full_attention", 1: "sliding_attention"}
        flags = config["hybrid_layer_pattern"]
        return [names[flag] if flag in (0, 1) else f"of kind {flag!r}" for flag in flags]
    if config.get("compress_ratios"):
        return [tables.COMPRESSED.get(ratio, f"compressed by {ratio}") for ratio in config["compress_ratios"]]
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


def _qwen3_next(config, number, count):
    every = config["full_attention_interval"]
    if every < 1:
        raise ValueError(f"full_attention_interval must be 1 or more, got {every}")
    return "linear_attention" if (number + 1) % every else "full_attention"


# What the code of these does where the file has no list.
PLANS = {
    "bamba": _hybrid("attn_layer_indices", "linear_attention"),
    "lfm2": _hybrid("full_attn_idxs", "conv"),
    "lfm2_moe": _hybrid("full_attn_idxs", "conv"),
    "llama4_text": _llama_4,
    **dict.fromkeys(("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"), _qwen3_next),
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
        ("sliding_attention", "hybrid_sliding"),
        ("sliding_window", "local_attention", "attention_window_size", "window_size"),
    )
    window = _get(config, *names.get(layer_type, ()))
    if config.get("model_type") == "mimo_v2_flash" and layer_type == "sliding_attention":
        before = config.get("sliding_window_size")  # tokens before the one that looks
        window = window if before is None else before + 1
    if window is not None and not (_is_number(window) and isinstance(window, int) and window > 0):
        name = _name(config, *names[layer_type])
        raise ValueError(f"{name} must be a whole number of 1 or more tokens, or null, got {window!r}")
    return window


def _head_dim(config, layer_type):
    """Columns of a head; 0 where the file says so, None where it does not say."""
    given = _get(config, *["global_head_dim"] * (layer_type == "full_attention"), *tables.HEAD_DIMS)
    width, heads = _width(config)
    return given if given is not None else width // heads if width and heads else None


def _width(config):
    """The width of a token, and how many heads share it; None where there is not one number."""
    return [number if isinstance(number, int) else None
            for number in (_get(config, *tables.WIDTHS), _get(config, *tables.HEADS))]  # fmt: skip


def _length(config):
    return _get(config, *tables.LENGTHS)


def _count(config):
    plan = _get(config, "layers_block_type", "hybrid_override_pattern")
    if config.get("model_type") == "nemotron_h" and plan:  # its code takes no other number
        return len(plan)
    given = _get(config, *tables.COUNTS)
    return given if given is not None or not plan else len(plan)


def _name(config, *names):
    """The first of these with a value: 0 is one, null is none, and `_read` has filled in what is absent."""
    return next((name for name in names if config.get(name) is not None), None)


def _get(config, *names):
    return config.get(_name(config, *names))


def _given(rope, config, name):
    """What the rotation says, or else the file."""
    inside = _get(rope, name)
    return _get(config, name) if inside is None else inside


def _is_number(value):
    # To Python True is the number 1; in a config it is a slip.
    return (
        isinstance(value, tables.NUMBER)
        and not isinstance(value, bool)
        and (isinstance(value, int) or math.isfinite(value))
    )


def _at(values, number):
    return values[number] if isinstance(values, list) and number < len(values) else None


TEXT_PARTS = "text_config", "llm_config", "language_config", "thinker_config"


def _text_part(config):
    if isinstance(config.get("config"), dict) and "model_type" not in config:  # a config of the gallery
        return _text_part(config["config"])
    for name in TEXT_PARTS:
        if isinstance(config.get(name), dict):
            part, outer = _text_part(config[name]), config.get("model_type")
            if outer is None or "model_type" in part:
                return part
            known = f"{outer}_text"  # the library's name for the part
            return part | {"model_type": known if known in _known_types() else outer}
    return config


def _read(config):
    """The part of a config, or of its file, that is about text; its values are of the kinds in `FORMS`."""
    config = _text_part(_loaded(config))
    config = tables.DEFAULTS.get(str(config.get("model_type")), {}) | config
    for form, (kind, names) in tables.FORMS.items():
        for name in names:
            value = config.get(name)
            right = isinstance(value, kind) and (kind not in (int, tables.NUMBER) or _is_number(value))
            if value is not None and not right:
                raise ValueError(f"{name} must be {form}, got {value!r}")
    for name in (*tables.WIDTHS, *tables.HEADS, "num_key_value_heads"):  # a list has one for each layer
        if isinstance(config.get(name), str | float | bool | dict):
            raise ValueError(f"{name} must be a whole number, got {config[name]!r}")
    for name in tables.LENGTHS:
        if config.get(name) is not None and config[name] < 1:
            raise ValueError(f"{name} must be 1 or more, got {config[name]}")
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
