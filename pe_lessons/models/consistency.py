"""What does not fit together in a `config.json`, and what of it is not understood."""

import difflib
import json
import reprlib

from pe_lessons.models import known_config_keys as tables
from pe_lessons.models import reader


def understood(config):
    """Whether the type of the model, every layer, every window and every name about positions is known."""
    config = reader._read(config)
    kinds = {layer.kind for layer in reader.layers(config)}
    told = any(any(check(config)) for check in (_not_read, _no_window, _shared))
    return not told and "unknown" not in kinds


def warnings(config):
    """Sentences about what does not fit together in the file."""
    config = reader._read(config)
    return [sentence for check in CHECKS for sentence in check(config)]


def _two_spellings(config):
    new, old = config.get("rope_parameters") or {}, config.get("rope_scaling") or {}
    flat = not any(isinstance(value, dict) for value in new.values())
    for name, rope in (("rope_parameters", new), ("rope_scaling", old)):
        one, other = rope.get("rope_theta"), config.get("rope_theta")
        if reader._is_number(one) and reader._is_number(other) and one != other:
            yield (f"{name} gives the base {one:,g}, rope_theta {other:,g}: the one in {name} is taken, "
                   "as in transformers 5, but programs choose differently")  # fmt: skip
    if flat and new and old and {**new, **old} != {**old, **new}:
        yield "rope_parameters and rope_scaling disagree: programs choose differently"


def _lengths(config):
    length = reader._length(config)
    for rope in reader._all_rotations(config):
        rule, factor = rope.get("rope_type") or rope.get("type"), rope.get("factor")
        old = reader._given(rope, config, "original_max_position_embeddings")
        stretched = reader._is_number(factor) and reader._is_number(old) and rule in ("yarn", "longrope")
        if rule in ("yarn", "llama3", "longrope") and old is None:
            taken = f"{length} is taken for the trained length" if length else "no length is known"
            yield f"{rule} without original_max_position_embeddings: {taken}"
        elif stretched and length and factor * old != length:
            yield f"factor {factor:g} times the trained length {old:,} is {factor * old:,.0f}, not {length:,}"
        elif reader._is_number(factor) and reader._is_number(old) and length and old > length:
            yield f"the trained length {old:,} is longer than the {length:,} positions in all, factor or not"


def _unturned(config):
    flags = config.get("no_rope_layers")
    if isinstance(flags, list) and flags and 1 not in flags:
        yield "no_rope_layers is 0 for all: 0 means *without* rotation, so no layer turns"
    elif isinstance(flags, list) and flags.count(0) > len(flags) / 2:
        zeros = f"{flags.count(0)} zeros of {len(flags)}"
        yield f"no_rope_layers has {zeros}: 0 means *without* rotation; is that meant?"


def _lists(config):
    count = reader._count(config)
    for name in ("layer_types", "layers_block_type", "hybrid_override_pattern", "hybrid_layer_pattern",
                 "no_rope_layers", "layer_rope_theta"):  # fmt: skip
        given = config.get(name)
        count = reader._get(config, "num_hidden_layers") or count
        if isinstance(given, list | str) and given and len(given) != count:
            yield f"{name} has {len(given)} entries for {count} layers"


def _widths(config):
    for layer in dict.fromkeys(reader.layers(config)):
        if layer.kind == "rotary" and layer.sections and sum(layer.sections) != layer.rotary_dim // 2:
            yield f"mrope_section adds up to {sum(layer.sections)}, but {layer.rotary_dim // 2} pairs turn"
    for rope in reader._all_rotations(config):
        share = reader._given(rope, config, "partial_rotary_factor")
        head_dim = reader._head_dim(config, "full_attention")
        whole = not (reader._is_number(share) and head_dim and int(head_dim * share) % 2)
        if not whole and rope.get("rope_type") != "proportional":
            yield f"{share:g} of {head_dim} columns is {int(head_dim * share)}, an odd number: no whole pairs"
    width, heads = reader._width(config)
    columns = reader._head_dim(config, "")
    if width and heads and width % heads and width // heads == columns:
        yield f"{heads} heads do not share a width of {width} evenly: {columns} columns each are taken"


def _shared(config):
    """As many heads look at the same keys each time; programs refuse anything else."""
    heads, shared = reader._width(config)[1], config.get("num_key_value_heads")
    if heads and reader._is_number(shared) and (shared < 1 or heads % shared):
        yield f"{heads} heads can't share the keys of num_key_value_heads = {shared} evenly"


def _nothing(config):
    """0 where a number of columns is wanted, null for a base, no window for a layer that wants one."""
    for name in ("partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_dim"):
        if config.get(name) == 0:
            yield f"{name} is 0: no column turns"
    inside = any(rope.get("rope_theta") for rope in reader._all_rotations(config))
    null = "rope_theta" in config and config["rope_theta"] is None and not inside
    if null and reader._kind(config) != "none":
        yield f"rope_theta is null: {tables.BASE:,.0f} is taken where a layer is rotary"


def _no_window(config):
    types = set(reader._layer_types(config, reader._count(config)))
    windows = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
    for kind in sorted(types & windows.keys()):
        if not reader._window(config, kind):
            given = json.dumps(config[windows[kind]]) if windows[kind] in config else "left out"
            yield f"layer_types has {kind}, but {windows[kind]} is {given}: no window is known"


def _meant(name, known):
    """The known name of which this one looks like a misspelling: as many words, and each of them close."""

    def close(pair):
        short, long = sorted(pair, key=len)
        return long.startswith(short) or difflib.SequenceMatcher(None, *pair).ratio() > 0.65

    for other in difflib.get_close_matches(name, sorted(known), cutoff=0.8):
        words, others = name.split("_"), other.split("_")
        if "".join(words) == "".join(others):
            return other
        if len(words) == len(others) and all(map(close, zip(words, others))):
            return other
    return None


def _not_read(config):
    def told(name, value, known):
        meant = _meant(name, known)
        if meant in tables.BASE_NAMES and meant != "rope_theta":  # few types read that one
            meant = f"rope_theta or {meant}"
        return f"{name} = {reprlib.repr(value)} is not understood{f': is {meant} meant?' if meant else ''}"

    for rope in reader._all_rotations(config):
        for name in sorted(rope.keys() - tables.KNOWN):
            yield told(name, rope[name], tables.KNOWN)
    for name in sorted(config.keys() - tables.NAMES - tables.LOOKALIKES):
        about = tables.ABOUT_POSITIONS.search(name) and config[name] is not False
        if config[name] is not None and (about or _meant(name, tables.NAMES)):
            yield told(name, config[name], tables.NAMES)
    listed = config.get("model_type") in tables.READ_AGAINST_THE_LIBRARY
    local = "attention_layers" in config or "attention_types" in config  # GPT-Neo's own name for it
    if config.get("window_size") and not local and (listed or config.get("sliding_window")):
        yield f"window_size = {config['window_size']!r} is not understood: is sliding_window meant?"
    if config.get("model_type") not in reader._known_types():
        unknown = {layer.kind for layer in reader.layers(config)} == {"unknown"}
        what = (
            "only its code says what it does" if unknown else "it is read by its keys, whatever its code does"
        )
        yield f"the type {config.get('model_type')!r} is not in this reader's tables: {what}"


def _unused(config):
    """A rotation that is given beside what the model takes instead."""
    kind = reader._kind(config)
    given = [name for name in tables.ROTATIONS if config.get(name)]
    if given and kind not in ("rotary", "unknown"):
        yield f"{' and '.join(given)} beside another kind ({tables.KINDS[kind]}): no layer is taken to turn"


CHECKS = (
    _unused, _two_spellings, _lengths, _unturned, _lists, _widths, _shared, _nothing, _no_window, _not_read,
)  # fmt: skip
