"""What a model's configuration says of positions, layer by layer."""

from typing import NamedTuple

from pe_lessons import arguments


class Layer(NamedTuple):
    """Of one layer: its rule of rotation, or None where nothing turns, and how far it looks."""

    rope: dict | None
    window: int | None = None
    chunk: int | None = None


def layer_plan(config):
    """How each layer of a model treats positions: a list of `Layer`, the first layer first.

    Parameters
    ----------
    config : dict
        A ``config.json``, or the ``to_dict()`` of a configuration of the library transformers 5. Read are

        - ``num_hidden_layers``;
        - ``layer_types``: "full_attention", "sliding_attention" or "chunked_attention" for each layer; or,
          as older files have it, ``sliding_window_pattern``: every so many layers one that looks at all;
        - ``no_rope_layers``: in spite of its name 1 for a layer that *does* rotate, and 0 for one without
          positions; or ``no_rope_layer_interval``: the last of so many layers is one without;
        - ``rope_parameters``, a rule for all layers or one for each type; in older files ``rope_theta``,
          ``rope_local_base_freq`` for the layers with a window, and ``rope_scaling`` for the others;
        - ``sliding_window`` and ``attention_chunk_size``, in tokens.

        What only a model's code knows is not here: Cohere 2 rotates in the layers with a window alone.

    Returns
    -------
    list of Layer
        ``window``: a token sees itself and the window - 1 before it. ``chunk``: it sees its own chunk.

    Examples
    --------
    >>> for layer in layer_plan({"num_hidden_layers": 3, "sliding_window_pattern": 3, "sliding_window": 512,
    ...                          "rope_theta": 1e6, "rope_local_base_freq": 1e4}):
    ...     print(layer.rope["rope_theta"], layer.window)
    10000.0 512
    10000.0 512
    1000000.0 None
    """
    if not isinstance(config, dict):
        raise TypeError(f"config must be a dict, as json.load gives it, got {type(config).__name__}")
    n_layers = arguments.whole_number("num_hidden_layers", config.get("num_hidden_layers"), minimum=1)
    types, rotates = _layer_types(config, n_layers), _rotates(config, n_layers)
    rules = {layer_type: _rule(config, layer_type) for layer_type in set(types)}
    window = {"sliding_attention": config.get("sliding_window")}
    chunk = {"chunked_attention": config.get("attention_chunk_size")}
    return [
        Layer(rules[layer_type] if turns else None, window.get(layer_type), chunk.get(layer_type))
        for layer_type, turns in zip(types, rotates)
    ]


def _layer_types(config, n_layers):
    if config.get("layer_types"):
        return _one_for_each_layer("layer_types", config["layer_types"], n_layers)
    pattern = config.get("sliding_window_pattern")
    if pattern is None:
        return ["full_attention"] * n_layers
    pattern = arguments.whole_number("sliding_window_pattern", pattern, minimum=1)
    return ["sliding_attention" if (layer + 1) % pattern else "full_attention" for layer in range(n_layers)]


def _rotates(config, n_layers):
    """For each layer whether it rotates."""
    if config.get("no_rope_layers"):
        return list(map(bool, _one_for_each_layer("no_rope_layers", config["no_rope_layers"], n_layers)))
    interval = config.get("no_rope_layer_interval")
    if interval is None:
        return [True] * n_layers
    interval = arguments.whole_number("no_rope_layer_interval", interval, minimum=1)
    return [(layer + 1) % interval != 0 for layer in range(n_layers)]


def _rule(config, layer_type):
    """The rule of rotation of all layers of a type, as a dict with its base, ``rope_theta``."""
    rules = config.get("rope_parameters")
    if rules:
        return rules[layer_type] if layer_type in rules else rules
    if layer_type == "sliding_attention" and "rope_local_base_freq" in config:
        return {"rope_type": "default", "rope_theta": config["rope_local_base_freq"]}
    scaling = config.get("rope_scaling") or {}
    return {"rope_type": "default", **scaling, "rope_theta": config.get("rope_theta", 10_000.0)}


def _one_for_each_layer(name, values, n_layers):
    if not isinstance(values, list) or len(values) != n_layers:
        raise ValueError(
            f"{name} must be a list with an entry for each of the {n_layers} layers, got {values!r}"
        )
    return values
