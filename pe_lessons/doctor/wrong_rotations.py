"""What can be made wrong about the rotation of a causal model of the transformers library, and undone again.

The doctor holds a model of the same weights to each. It keeps its frequencies in buffers whose name ends in
`inv_freq`, as the library's Llama does, or a table of sines and cosines, as its GPT-J does.
"""

import functools

import torch


def stories(model, rows):
    """(culprit, look_at, lesson, explains) of each; `explains()` is what `rows()` gives with the mistake."""

    def explains(make):
        undo = make()
        try:
            return rows()
        finally:
            undo()

    for *story, make in mistakes(model):
        yield *story, lambda make=make: explains(make)


def mistakes(model):
    """(culprit, look_at, lesson, make) of each; `make()` makes it and returns what undoes it."""
    rotation = "where sines and cosines are put together"
    powers = "the exponent of the base"
    longer = "the rule for long texts"
    frequencies = [
        ("direction | the rotation goes the other way", rotation, "lesson 09", lambda f: -f),
        ("exponent | the exponent is doubled", powers, "lesson 03", lambda f: f**2),
        ("exponent-half | the exponent is halved: i / d", powers, "lesson 03", lambda f: f**0.5),
        ("exponent-from-1 | the exponent begins at 2 / d and not at 0", powers, "lesson 03",
         lambda f: f * f[1]),
        ("exponent-to-1 | the exponent goes up to 1: i / (d / 2 - 1)", powers, "lesson 03",
         lambda f: f ** (len(f) / (len(f) - 1))),
        ("exponent-width | the exponent is divided by the width of the model, and not of a head", powers,
         "lesson 03", lambda f: f ** (2 * len(f) / model.config.hidden_size)),
        ("exponent-sign | the exponent has the other sign", powers, "lesson 03", lambda f: 1 / f),
        ("unturned | nothing turns", rotation, "lesson 09", lambda f: 0 * f),
        ("frequencies-bfloat16 | frequencies are rounded to bfloat16", "the dtype of the frequencies",
         "lesson 21", lambda f: f.bfloat16().to(f)),
    ]  # fmt: skip
    rule, own = _rule(model.config)
    if rule != "default" and own:
        frequencies.append((f"rule | the rule {rule!r} is not applied", longer, "lesson 13", _with_base(own)))
    for base in (10_000, 100_000, 500_000, 1_000_000):
        where = "the base that the configuration gives"
        frequencies.append((f"base | the base is {base:,}", where, "lesson 13", _with_base(base)))
    for by in (2, 4, 8):
        frequencies += [
            (f"divided | positions are divided by {by}", longer, "lesson 13", lambda f, by=by: f / by),
            (f"multiplied | positions are multiplied by {by}", longer, "lesson 13", lambda f, by=by: f * by),
        ]
    width, columns = _head_dim(model.config), _rotary_dim(model.config)
    if columns < width:
        culprit = "exponent-head | the exponent is divided by the width of a head, not by what of it turns"
        halved = ", which halves it" * (2 * columns == width)
        frequencies.insert(0, (culprit + halved, powers, "lesson 03", lambda f: f ** (columns / width)))
    for *story, change in frequencies:
        yield *story, functools.partial(_other_frequencies, model, change)
    for name in ("sliding_window", "attention_chunk_size"):
        window = getattr(model.config, name, None)
        for by, words in ((1, "wider"), (-1, "narrower")) if window else ():
            says = f"the window is one token {words} than that of the reference ({window:,})"
            change = functools.partial(_set, model.config, name, window + by)
            yield f"window-by-one | {says}", "is the token itself counted?", "lesson 15", change
    if sinks := [one for name, one in model.named_parameters() if name.endswith("sinks")]:
        change = functools.partial(_changed, sinks, lambda old: old * 0 - 1e4)
        where = "the softmax: does its sum have the sink's part?"
        yield "sinks | the learned sinks are left out", where, "lesson 20", change
    if scaled := [one for one in model.modules() if getattr(one, "attention_scaling", 1.0) != 1.0]:
        where = "attention_factor or mscale of the rule for long texts"
        yield ("rule-factor | the factor of the rule for long texts is left out", where, "lesson 13",
               lambda: _undoing([_set(one, "attention_scaling", 1.0) for one in scaled]))  # fmt: skip
    turned = [one for name, one in model.named_parameters() if "q_proj" in name or "k_proj" in name]

    def reordered(order):
        return _changed(turned, lambda old: torch.cat([*map(order, old.split(width))]))

    for culprit, order in (
        ("layout-halves | the weights are in halves, the code turns neighbours", _interleaved),
        ("layout-neighbours | the weights are in neighbours, the code turns halves", _halved),
    ):
        yield culprit, "the layout of the pairs", "lesson 10", lambda order=order: reordered(
            lambda rows: torch.cat([order(rows[:columns]), rows[columns:]]))  # fmt: skip
    if columns < width:
        culprit = "columns-last | the last columns of a head turn, and not the first ones"
        where = "which columns are cut off, and in which order they are joined"
        yield culprit, where, "lesson 10", lambda: reordered(lambda rows: rows.roll(columns, 0))
    where = "repeat, where repeat_interleave is meant"
    yield "heads-order | heads that share keys are repeated in another order", where, "", functools.partial(
        _other_heads, model)  # fmt: skip
    yield ("columns | all columns of a head turn, and not only the first ones", "rotary_dim", "lesson 10",
           functools.partial(_all_columns, model))  # fmt: skip
    inner = getattr(model, "model", getattr(model, "transformer", model))
    layers, plan = getattr(inner, "layers", getattr(inner, "h", ())), "the plan of the layers"
    for number in range(len(layers)):
        culprit, one = f"layer | layer {number} does not turn", layers[number : number + 1]
        yield culprit, plan, "lesson 15", functools.partial(_unturned, one)
    for every in (2, 4):
        for first, which in ((every - 1, "the last"), (0, "the first")):
            culprit = f"layers | {which} of every {every} layers does not turn"
            yield culprit, plan, "lesson 15", functools.partial(_unturned, layers[first::every])


def _rule(config):
    """The rule for long texts and the base, where there is one of each."""
    rope = getattr(config, "rope_parameters", None) or {}
    return rope.get("rope_type", "default"), rope.get("rope_theta")


def _with_base(base):
    return lambda f: (base ** (-torch.arange(len(f), dtype=torch.float64) / len(f))).to(f)


def _changed(tensors, change):
    before = [one.detach().clone() for one in tensors]
    for one, old in zip(tensors, before):
        one.data.copy_(change(old))
    return lambda: [one.data.copy_(old) for one, old in zip(tensors, before)]


def _other_frequencies(model, change):
    kept = [one for name, one in model.named_buffers() if name.endswith("inv_freq") and one.ndim == 1]
    return _undoing([_changed(kept, change), _other_tables(model, change)])


def _other_tables(model, change):
    """Tables of the sines of all positions and then of their cosines, of other frequencies."""
    undo = []
    for module in model.modules():
        if hasattr(module, "rotary_dim") and hasattr(module, "embed_positions"):
            table = module.embed_positions
            angles = torch.arange(len(table))[:, None] * change(
                _with_base(10_000)(table.new_empty(module.rotary_dim // 2)))  # fmt: skip
            undo.append(_set(module, "embed_positions", torch.cat([angles.sin(), angles.cos()], dim=1)))
    return _undoing(undo)


def _interleaved(rows):
    """(head_dim, ...) in halves, as the neighbours that a code for the other layout takes them for."""
    return torch.cat([rows[0::2], rows[1::2]])


def _halved(rows):
    return torch.stack(rows.chunk(2), dim=1).flatten(0, 1)


def _other_heads(model):
    """Queries ask the keys that they would get with repeat, where the model repeats each in turn."""
    shared = model.config.num_key_value_heads
    order = torch.arange(model.config.num_attention_heads).view(-1, shared).T.flatten()

    def reordered(old):
        return old.unflatten(0, (len(order), -1))[order].flatten(0, 1)

    undo = []
    for name, one in model.named_parameters():
        if "q_proj" in name or name.endswith("sinks"):
            undo.append(_changed([one], reordered))
        elif "o_proj.weight" in name:
            undo.append(_changed([one], lambda old: reordered(old.T).T))
    return _undoing(undo)


def _all_columns(model):
    """As Llama's frequencies or GPT-J's table would be, if rotary_dim were the width of a head."""
    width = _head_dim(model.config)
    undo = [_other_tables(model, lambda f: _with_base(10_000)(f.new_empty(width // 2)))]
    for module in model.modules():
        own = getattr(module, "inv_freq", None)
        if torch.is_tensor(own) and 1 < len(own) < width // 2:
            base = (own[0] / own[1]).item() ** len(own)
            undo.append(_set(module, "inv_freq", _with_base(base)(own.new_empty(width // 2))))
        if hasattr(module, "rotary_dim") and hasattr(module, "embed_positions"):
            undo.append(_set(module, "rotary_dim", width))
    return _undoing(undo)


def _undoing(steps):
    return lambda: [undo() for undo in steps]


def _set(holder, name, value):
    before = getattr(holder, name)
    setattr(holder, name, value)
    return lambda: setattr(holder, name, before)


def _head_dim(config):
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


def _rotary_dim(config):
    rope = getattr(config, "rope_parameters", None) or {}
    part = rope.get("partial_rotary_factor") or getattr(config, "partial_rotary_factor", None) or 1
    return getattr(config, "rotary_dim", None) or int(part * _head_dim(config))


def _unturned(layers):
    def hook(module, given, kwargs):
        if "position_embeddings" not in kwargs:  # nothing turns at position 0
            return given, kwargs | {"position_ids": 0 * kwargs["position_ids"]}
        cosine, sine = kwargs["position_embeddings"]
        return given, kwargs | {"position_embeddings": (torch.ones_like(cosine), torch.zeros_like(sine))}

    hooks = [layer.register_forward_pre_hook(hook, with_kwargs=True) for layer in layers]
    return lambda: [handle.remove() for handle in hooks]
