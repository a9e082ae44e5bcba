"""What pages of the site ask of the reader: what it says of a config's text, and a strip of its layers."""

import collections
import json
import math

from pe_lessons.models import consistency, known_config_keys, reader, words

MECHANISMS = {
    "rotary": "rotation", "learned": "added", "sinusoidal": "added", "alibi": "bias", "t5": "bias",
    "none": "none", "recurrent": "state", "convolution": "convolution", "feedforward": "alone",
    "unknown": "unknown",
}  # fmt: skip
IN_WORDS = {
    "rotation": "with a rotation", "added": "after an added table", "bias": "with a bias",
    "state": "with a state", "none": "without positions", "convolution": "with a convolution",
    "alone": "without attention", "unknown": "not understood", "window": "with a window",
}  # fmt: skip


def has_window(layer):
    """Whether a layer sees a part of the text only; a convolution is always that short."""
    return layer.window is not None and layer.kind != "convolution"


def mechanisms(plan):
    """{a key of IN_WORDS: number of layers} of what a model does about order; windows are counted besides."""
    found = collections.Counter(MECHANISMS[layer.kind] for layer in plan)
    found["window"] = sum(map(has_window, plan))
    return {name: found[name] for name in IN_WORDS if found[name]}


def in_words(plan):
    """What the layers of a model do about order, and how many do it."""
    return ", ".join(f"{count} {IN_WORDS[name]}" for name, count in mechanisms(plan).items())


def strip(plan):
    """The layers as SVG, the first on the left: the mechanism is the class, and a window is half as high.
    Where layers are too thin for gaps, one follows every tenth."""
    paths = collections.defaultdict(str)
    few = len(plan) <= 48
    for number, layer in enumerate(plan):
        high = 1 if layer.kind == "feedforward" else 5 if has_window(layer) else 10
        wide = 0.8 if few else 0.5 if number % 10 == 9 else 1
        paths[MECHANISMS[layer.kind]] += f"M{number} {10 - high}h{wide}v{high}h-{wide}z"
    said = in_words(plan)
    drawn = "".join(f'<path class="{name}" d="{path}"/>' for name, path in paths.items())
    box = f'viewBox="0 0 {len(plan)} 10" preserveAspectRatio="none"'
    return f'<svg class="strip" {box} role="img" aria-label="{len(plan)} layers: {said}">{drawn}</svg>'


def example(name):
    """The text of a config of the gallery."""
    return json.dumps(reader.gallery()[name]["config"], indent=2)


def table(config):
    """A row for each kind of layer: which ones, what they do, base, tokens seen, pairs that never turn."""
    plan, length = reader.layers(config), reader.length(config)
    for layer in dict.fromkeys(plan):
        numbers = [number for number, other in enumerate(plan) if other == layer]
        row = [words._spans(numbers), IN_WORDS[MECHANISMS[layer.kind]], "", "", ""]
        reach = words._reach(layer, length) if length else layer.window
        if layer.kind == "rotary":
            factor = dict(layer.knobs).get("factor", 1)
            row[1] = layer.rule if layer.rule != "default" else "rotary"
            if layer.rotary_dim < layer.head_dim:
                row[1] += f" on {layer.rotary_dim} of {layer.head_dim} columns"
            row[1] += f", factor {factor:g}" * (factor != 1)
            row[2] = f"{layer.base:,.10g}"
            if reach:
                never = sum(frequency * reach < 2 * math.pi for frequency in layer.frequencies)
                row[4] = f"{never} of {len(layer.frequencies)}"
        if reach and layer.kind not in ("recurrent", "feedforward"):
            row[3] = f"{reach:,}"
        yield row


def _alone(plan, rows, column):
    """A column of the table in words; where its numbers differ, each says for which layers it is."""
    said = [(row[column], "window" if has_window(layer) else "global", row[0])
            for layer, row in zip(dict.fromkeys(plan), rows, strict=True) if row[column]]  # fmt: skip
    numbers = dict.fromkeys(number for number, _, _ in said)
    if len(numbers) < 2 and len(said) == sum(bool(row[2]) for row in rows):
        return "".join(numbers)
    kinds = {(number, kind) for number, kind, _ in said}
    if len(kinds) == len({kind for _, kind in kinds}):
        return ", ".join(dict.fromkeys(f"{number} in {kind} layers" for number, kind, _ in said))
    return "; ".join(f"{number} in layers {layers}" for number, _, layers in said)


def facts(config):
    """What the page puts side by side of two models, in words: as many as COMPARED of read_a_config.js."""
    plan, length, rows = reader.layers(config), reader.length(config), list(table(config))
    bases, never = (_alone(plan, rows, column) for column in (2, 4))
    return [str(len(plan)), in_words(plan), f"{length:,}" if length else "", bases, never]


def read(text):
    """As JSON: what the reader prints and what it did not read, a strip of the layers, and facts to compare.

    If the text cannot be read, there is one sentence instead, under ``error``.
    """
    try:
        config = json.loads(text)
        if not isinstance(config, dict):
            raise TypeError('a config.json holds names and values between { and }, such as "model_type"')
        names = reader._read(config).keys() | config.keys()
        said = {
            "told": words.explain(config),
            "warnings": consistency.warnings(config),
            "table": list(table(config)),
            "facts": facts(config),
            "strip": strip(reader.layers(config)),
            "understood": consistency.understood(config),
            "unread": sorted(names - known_config_keys.NAMES - {*reader.TEXT_PARTS}),
        }
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        said = {"error": f"This is not JSON: in {where} Python says “{error.msg}”."}
    except (TypeError, ValueError, RecursionError) as error:
        said = {"error": f"This config can't be read: {error}."}
    return json.dumps(said)
