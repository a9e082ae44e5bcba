"""What can be made wrong about the rotation of a causal model of the transformers library, and undone again.

The doctor holds a model of the same weights to each. `inside` names what shows in queries and keys.
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
    longer = "the rule for long texts"
    frequencies = [
        ("frequencies-bfloat16 | frequencies are rounded to bfloat16", "the dtype of the frequencies",
         "lesson 21", lambda f: f.bfloat16().to(f)),
    ]  # fmt: skip
    rule, own = _rule(model.config)
    if rule != "default" and own:
        frequencies.append((f"rule | the rule {rule!r} is not applied", longer, "lesson 13", _with_base(own)))
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
    return _changed(
        [one for name, one in model.named_buffers() if name.endswith("inv_freq") and one.ndim == 1], change
    )


def _undoing(steps):
    return lambda: [undo() for undo in steps]


def _set(holder, name, value):
    before = getattr(holder, name)
    setattr(holder, name, value)
    return lambda: setattr(holder, name, before)
