"""What can be made wrong about a causal model of the transformers library, and undone again.

The doctor holds a model of the same weights to each. `inside` names what shows in queries and keys.
"""

import torch


def stories(model, rows):
    """(culprit, look_at, lesson, explains) of each; `explains()` is what `rows()` gives with the mistake."""

    def explains(tensors, change):
        before = [one.detach().clone() for one in tensors]
        try:
            for one, old in zip(tensors, before):
                one.data.copy_(change(old))
            return rows()
        finally:
            for one, old in zip(tensors, before):
                one.data.copy_(old)

    for *story, tensors, change in mistakes(model):
        yield *story, lambda tensors=tensors, change=change: explains(tensors, change)


def mistakes(model):
    """(culprit, look_at, lesson, tensors, change) of each."""
    frequencies = [one for name, one in model.named_buffers() if name.endswith("inv_freq") and one.ndim == 1]
    name = "frequencies-bfloat16 | frequencies are rounded to bfloat16"
    yield name, "the dtype of the frequencies", "lesson 21", frequencies, lambda f: f.bfloat16().to(f)
    rope = getattr(model.config, "rope_parameters", None) or {}
    rule, base = rope.get("rope_type", "default"), rope.get("rope_theta")
    if rule != "default" and base:
        name, where = f"rule | the rule {rule!r} is not applied", "the rule for long texts"
        yield (name, where, "lesson 13", frequencies,
               lambda f: (base ** (-torch.arange(len(f), dtype=torch.float64) / len(f))).to(f))  # fmt: skip
    if sinks := [one for name, one in model.named_parameters() if name.endswith("sinks")]:
        name, where = "sinks | the learned sinks are left out", "the softmax: has its sum the sink's part?"
        yield name, where, "lesson 20", sinks, lambda old: old * 0 - 1e4
