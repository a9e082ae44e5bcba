"""What the positions of a model do, in words: `explain`."""

import argparse
import dataclasses
import difflib
import json
import math
import os
import sys
import textwrap
from itertools import pairwise
from pathlib import Path

from pe_lessons.models import consistency, reader
from pe_lessons.models import known_config_keys as tables


def explain(config):
    """What the positions of a model do, as text; `config` is what `config.json` holds, or where it lies.

    A TypeError or a ValueError says if it is no such file, or has nothing about layers.

    >>> print(explain({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4,
    ...     "rope_theta": 500000.0, "num_hidden_layers": 2, "max_position_embeddings": 8192}))
    llama: 2 layers, 8,192 positions
    layers 0-1: rotary with base 500,000 on all 128 columns of a head
      in 8,192 tokens the fastest pair turns 1303.8 times, the slowest 0.0032 times
      35 of 64 pairs turn at least once; from pair 35 on (one turn in 8,219 tokens) none does
    beyond 8,192 tokens: 29 pairs reach angles that no training text had
    """
    file = reader._text_part(reader._loaded(config))
    config = reader._read(file)
    plan, length = reader.layers(config), reader._length(config)
    name = config.get("model_type", "a model of no named type")
    lines = [f"{name}: {len(plan)} layers, " + (f"{length:,} positions" if length else "no length given")]
    for layer in dict.fromkeys(plan):
        numbers = [number for number, other in enumerate(plan) if other == layer]
        lines += _described(layer, numbers, length, apart="qk_rope_head_dim" in config)
    where = [words for words, types in tables.NORMED.items() if config.get("model_type") in types]
    normed = f"queries and keys are normed{' ' * bool(where)}{''.join(where)}"
    lines += [f"{normed} ({key})" for key in tables.QUERY_NORMS if config.get(key) is True]
    if config.get("attn_temperature_tuning"):
        lines.append("where nothing turns, late queries times a factor (attn_temperature_tuning)")
    if length:
        lines += _beyond(plan, length)
    if taken := _left_out(file):
        lines.append(f"the file leaves out {', '.join(taken)}: the type's own values are taken")
    return "\n".join([*lines, *(f"warning: {sentence}" for sentence in consistency.warnings(config))])


def _described(layer, numbers, length, apart):
    word = "chunks" if layer.chunked else "window"
    window = f", {word} of {layer.window:,} tokens" if layer.window else ""
    if window and length and layer.window > length:
        window += f" (wider than the {length:,} positions)"
    head = f"layers {_spans(numbers)}: " if len(numbers) > 1 else f"layer {numbers[0]}: "
    if layer.kind == "convolution":
        return [head + tables.KINDS[layer.kind] + (f" ({layer.window} in all)" if layer.window else "")]
    if layer.kind != "rotary":
        return [head + tables.KINDS[layer.kind] + (f": {layer.why}" if layer.why else "") + window]
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
    return length if layer.window is None else min(layer.window, length)


def _turns(layer, length):
    turning = [frequency for frequency in layer.frequencies if frequency]
    turns = [frequency * length / (2 * math.pi) for frequency in turning]
    whole = sum(turn >= 1 for turn in turns)
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
    knobs = [{"factor": 1} | dict(layer.knobs) for layer in plan]
    stretched = any(one["factor"] != 1 and "original_max_position_embeddings" not in one for one in knobs)
    if slow - {0}:
        words = f"{' or '.join(map(str, sorted(slow)))} pairs reach angles that no training text had"
        yield beyond + words + ", if this is the length after stretching: the file does not say" * stretched
    if "learned" in kinds:
        yield beyond + "the table has no row"
    if kinds & {"alibi", "t5", "sinusoidal"}:
        yield beyond + f"the {'table' if 'sinusoidal' in kinds else 'bias'} goes on by its rule"


def _spans(numbers):
    """[0, 1, 2, 4, 6, 7] as "0-2, 4, 6-7", and of many in even steps the first and the last."""
    spans = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in spans]
    even = len({(two[0] - one[0], one[1] - one[0]) for one, two in pairwise(spans)}) == 1
    return ", ".join([*shown[:3], "...", shown[-1]] if even and len(shown) > 5 else shown)


def _left_out(file):
    """Names that the file leaves out and whose values, the type's own, say something here."""
    model_type, config, plan = file.get("model_type"), reader._read(file), reader.layers(file)

    def matters(name):
        try:
            return reader.layers(config | {name: None}) != plan
        except (TypeError, ValueError):
            return True

    absent = sorted(tables.DEFAULTS.get(model_type, {}).keys() - file.keys())
    found = [f"{name} ({config[name]})" for name in absent if matters(name) or name in tables.LENGTHS]
    told = {*tables.BASE_NAMES} & file.keys() or any(
        rope.get("rope_theta") for rope in reader._all_rotations(file)
    )
    bases = sorted({layer.base for layer in plan if layer.kind == "rotary"})
    if bases and not told:
        found.append(f"rope_theta ({' and '.join(f'{base:,.0f}' for base in bases)})")
    return found


def diff(one, other):
    """The lines of two explanations that are not in both, with - and + before them."""
    return _differing(explain(one), explain(other))


def _differing(one, other):
    return [line for line in difflib.ndiff(one.splitlines(), other.splitlines()) if line[0] in "-+"]


def found(name):
    """A file as it is, the config.json of a folder, or a gallery's config by its name."""
    path, known = Path(name), reader.gallery()
    if path.is_dir():
        return path / "config.json"
    if path.exists() or path.suffix == ".json":
        return path
    if name not in known:
        near = difflib.get_close_matches(path.name.lower(), known, 5)
        told = f"names like it: {', '.join(near)}" if near else f"known names: {', '.join(known)}"
        raise ValueError(f"config must be a file, a folder or a known name, got {name!r}; {told}")
    return known[name]


def main(words=None):
    names = textwrap.fill(f"known names: {', '.join(reader.gallery())}", 100, break_on_hyphens=False)
    parser = argparse.ArgumentParser(
        prog="python -m pe_lessons.models", description=sys.modules[__package__].__doc__, epilog=names,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("config", nargs="+", help="a config.json, a folder, a known name; or: diff A B")
    parser.add_argument("--json", action="store_true", help="print what each layer does as JSON")
    options, statuses = parser.parse_args(words), set()
    compare = options.config[0] == "diff" and not Path("diff").exists()
    if compare and len(options.config) != 3:
        parser.error(f"diff wants two configs, as in diff gemma-2-9b a/folder, got {options.config[1:]}")
    told = []
    for name in options.config[compare:]:
        try:
            config = found(name)
            if options.json:
                plan = [dataclasses.asdict(layer) for layer in reader.layers(config)]
                told.append({"layers": plan, "warnings": consistency.warnings(config)})
            else:
                told.append(explain(config))
            statuses.add(0 if consistency.understood(config) else 2)
        except (TypeError, ValueError) as error:
            print(error, file=sys.stderr)
            statuses.add(2)
    if options.json:
        told = [json.dumps(told, allow_nan=False)]
    elif compare and told[1:]:
        names = [f"{sign} only in {name}:" for sign, name in zip(("---", "+++"), options.config[1:])]
        differing = _differing(*told)
        told = [*names, *differing] if differing else ["the two configs do the same with positions"]
    elif compare:
        told = []
    if told:
        show(*told)
    return max(statuses)


def show(*lines):
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
