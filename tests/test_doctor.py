"""The doctor finds nothing in a healthy model, and names every fault that is planted."""

import functools
import inspect
import itertools
import json
import sys
from types import SimpleNamespace

import pytest
import torch
from small_llama import FAULTS, VOCAB_SIZE, SmallLlama, case

from pe_lessons import doctor
from pe_lessons.doctor import examined_model, inside
from pe_lessons.doctor.__main__ import main

pytest_plugins = "pytester"

LLAMA = SmallLlama()
HEALTHY_MODEL, TABLE = doctor.adapted(LLAMA), doctor.adapted(SmallLlama(table=True))
NOTHING_TURNS = SmallLlama()
NOTHING_TURNS.rotary_emb.inv_freq.zero_()
STILL, FOUR_LAYERS = doctor.adapted(NOTHING_TURNS), doctor.adapted(SmallLlama(layers=4))


def taking(model, *names):
    """The same model, which takes these alone of position_ids, mask and cache."""

    def logits(tokens, **given):
        return model(tokens, **given)

    signature = inspect.signature(lambda tokens, position_ids=None, mask=None, cache=None: 0)
    left = [one for name, one in signature.parameters.items() if name in ("tokens", *names)]
    logits.__signature__ = signature.replace(parameters=left)
    return logits


def without_ids(model):
    return taking(model, "mask", "cache")


def attend(q, k, v, seen, change=lambda scores: scores):
    """The attention of the small Llama, whose scores may be changed."""
    scores = change(q @ k.mT / q.shape[-1] ** 0.5)
    return scores.masked_fill(~seen, -1e9).softmax(dim=-1) @ v


def one_hot(tokens, size=VOCAB_SIZE):
    return torch.nn.functional.one_hot(tokens, size).double()


def a_state(x, decay, state=0.0, goes_on=None):
    """The rows (batch, n, d) of a state that fades, and begins anew where `goes_on` is 0."""
    rows, goes_on = [], itertools.repeat(1.0) if goes_on is None else goes_on
    for one, on in zip(x.unbind(dim=1), goes_on):
        state = decay * state * on + one
        rows.append(state)
    return torch.stack(rows, dim=1)


def wrong(findings):
    return [finding for finding in findings if finding.status == "wrong"]


def examined(patient, until, without=("shift", "far positions", "left padding"), **told):
    """The findings of the checks up to this one and, to save time, without some others."""
    kept = dict(itertools.takewhile(lambda one: one[0] != until, doctor.CHECKS.items()))
    kept = {name: check for name, check in kept.items() if name not in without}
    kept[until] = doctor.CHECKS[until]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(doctor, "CHECKS", kept)
        return doctor.examine(patient, VOCAB_SIZE, **told)


# All checks of a model that is right where it gets neither a mask nor a cache.
without_far = functools.partial(examined, until="packing", without=("shift", "far positions"), relative=True)


def beside(patient, reference):
    return examined(patient, "equal tokens", reference=reference)[-1]


def test_a_healthy_model_is_healthy():
    findings = doctor.examine(SmallLlama(), VOCAB_SIZE, reference=SmallLlama(), relative=True)
    assert not wrong(findings), "\n".join(map(str, findings))
    assert not [finding for finding in findings if finding.status == "not tried"]
    assert {finding.check for finding in findings} == {"order", *doctor.CHECKS, "reference"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named_and_nothing_else_is_blamed(fault):
    patient, told = case(fault)
    found = wrong(doctor.examine(patient, **told))
    named = [finding.culprit for finding in found if finding.culprit]
    words = FAULTS[fault] if isinstance(FAULTS[fault], tuple) else (FAULTS[fault],)
    assert named, "\n".join(map(str, found))
    assert all(any(word in culprit for word in words) for culprit in named), named


def asked_with(change, model=HEALTHY_MODEL):
    """The small Llama, asked at other positions where it is given some."""

    def logits(tokens, position_ids=None, mask=None, cache=None):
        return model(tokens, None if position_ids is None else change(position_ids), mask, cache)

    return logits


def in_a_table(rows, change=lambda ids: ids):
    return lambda ids: torch.arange(rows)[change(ids)]  # an IndexError beyond its end


CUT_OFF = "positions beyond a largest one are all taken for that one"
AGAIN = "positions begin again after every "
IN_8_BITS = AGAIN + "256, as in int8 or uint8"


@pytest.mark.parametrize(
    ("change", "table", "culprit"),
    [
        (lambda ids: ids.clamp(max=255), False, CUT_OFF),
        (lambda ids: ids.clamp(max=5_000), False, CUT_OFF),
        (lambda ids: ids.clamp(max=30), True, CUT_OFF),
        (lambda ids: ids.to(torch.int8).long(), False, IN_8_BITS),
        (lambda ids: ids.to(torch.uint8).long(), False, IN_8_BITS),
        (lambda ids: ids.to(torch.int16).long(), False, AGAIN + "65,536, as in int16"),
        (lambda ids: ids % 32, False, AGAIN + "32"),
        (lambda ids: ids % 100, False, AGAIN + "100"),
        (lambda ids: ids % 128, False, AGAIN + "128"),
        (lambda ids: ids % 1_000, False, AGAIN + "1,000"),
        (lambda ids: ids % 4_096, False, AGAIN + "4,096"),
        (lambda ids: ids % 64, True, "position 64 is taken for position 0"),
        (in_a_table(4_096, lambda ids: ids.clamp(max=95)), False, CUT_OFF),
        (
            in_a_table(512, lambda ids: ids.bfloat16().long()),
            False,
            "positions or angles in a small format (bfloat16 or float16)",
        ),
    ],
)
def test_what_becomes_of_positions_far_out(change, table, culprit):
    model = TABLE if table else HEALTHY_MODEL
    told = {"reference": model, "relative": not table}
    found = wrong(doctor.examine(asked_with(change, model), VOCAB_SIZE, **told))
    assert {one.culprit for one in found if one.culprit} == {culprit}


def with_a_sink(q, k, v, attn_mask):
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~attn_mask, -1e9)
    return torch.cat([scores, 0 * scores[..., :1]], dim=-1).softmax(dim=-1)[..., :-1] @ v


def without_a_softmax(q, k, v, attn_mask):
    return (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~attn_mask, -1e9).sigmoid() @ v


@pytest.mark.parametrize("attention", [with_a_sink, without_a_softmax])
def test_attention_that_notices_how_many_keys_there_are_is_healthy(monkeypatch, attention):
    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", attention)
    findings = doctor.examine(SmallLlama().float(), VOCAB_SIZE, relative=True)
    assert {one.status for one in findings} == {"right", "note"}, "\n".join(map(str, findings))
    assert "a token alone the same rows anywhere" in findings[1].says


def test_the_library_s_gpt_oss_with_its_sinks_is_healthy():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.GptOssConfig(
        vocab_size=61, hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=8, num_local_experts=2, num_experts_per_tok=2, sliding_window=8,
        max_position_embeddings=512, rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
    )  # fmt: skip
    findings = doctor.examine(transformers.GptOssForCausalLM(config).eval().float(), relative=True)
    assert not wrong(findings), "\n".join(map(str, findings))
    assert "a token alone the same rows anywhere" in findings[1].says


@pytest.mark.parametrize(
    ("rule", "own", "of_reference", "culprit", "look_at"),
    [
        ("linear", 1.0, 0.25, "the rule 'linear' is not applied", "the rule"),
        ("default", 0.3, 1.0, "positions are divided by 3.33", "the rule for long texts"),
        ("default", 1.0, 0.25, "positions are multiplied by 4 against the reference's", "for long texts"),
    ],
)
def test_beside_a_reference(rule, own, of_reference, culprit, look_at):
    patient, reference = SmallLlama(), SmallLlama()
    reference.config.rope_parameters = {"rope_type": rule, "rope_theta": 10_000.0}
    patient.rotary_emb.inv_freq *= own
    reference.rotary_emb.inv_freq *= of_reference
    finding = beside(patient, reference)
    assert finding.culprit.startswith(culprit) and look_at in finding.look_at


@pytest.mark.parametrize(
    ("change", "id"),
    [
        (lambda f: f**0.5, "exponent-half"),
        (lambda f: f * f[1], "exponent-from-1"),
        (lambda f: f ** (4 / 3), "exponent-to-1"),
        (lambda f: f ** (8 / 32), "exponent-part"),
        (lambda f: 1 / f, "exponent-sign"),
        (lambda f: torch.where(f < 0.05, f / 4, f), "rule"),
        (lambda f: f[torch.arange(4) // 2], "rotation"),  # repeat_interleave, where halves turn
        (lambda f: f * torch.tensor([1, 1.0005, 1.0005, 1]), "wide"),
        (lambda f: f.half().double(), "frequencies-float16"),
        (lambda f: f.bfloat16().double(), "frequencies-bfloat16"),
    ],
)
def test_another_exponent(change, id):
    patient, reference = SmallLlama(), SmallLlama()
    patient.rotary_emb.inv_freq.copy_(change(reference.rotary_emb.inv_freq))
    models = [doctor.adapted(model) for model in (patient, reference)]
    found = beside(*models)
    assert found.id == f"reference/{id}"
    assert id != "exponent-half" or found.culprit.startswith("speeds are those of base 100, and of 10,000 in")
    assert id in ("rotation", "wide") or beside(*map(without_ids, models)).id == found.id


@pytest.mark.parametrize(("part", "by"), [("k", 1), ("q", 1), ("k", -1)])
def test_queries_and_keys_that_are_apart(part, by):
    patient = SmallLlama()
    for layer in patient.model.layers:
        weights = getattr(layer.self_attn, f"{part}_proj").weight  # turned by one position
        heads, how = weights.data.unflatten(0, (-1, 8)).mT, (0, 8, True, patient.rotary_emb.inv_freq)
        weights.data.copy_(inside.turn(heads, how, by + torch.zeros(32)).mT.flatten(0, 1))
    words = "queries turn as at 1, 2, ..., and keys as at 0, 1, ..."
    if (part, by) == ("k", 1):
        words = "queries turn as at 0, 1, ..., and keys as at 1, 2, ..."
    models = doctor.adapted(patient), HEALTHY_MODEL
    for found in (beside(*models), beside(*map(without_ids, models))):
        assert (found.id, found.culprit) == ("reference/apart", words)


def with_bias(bias, *takes, sink=0.0, embedding=1.0, scale=1.0, fused=False):
    """The small Llama, where nothing turns and `bias(distances)` is added to the scores, as BLOOM does it."""
    model = SmallLlama()
    model.rotary_emb.inv_freq.zero_()
    model.embed.weight.data.mul_(torch.linspace(embedding, 1, 32))

    def attention(q, k, v, attn_mask):
        far = (places[-1][:, None, :, None] - places[-1][:, None, None]).double()
        if fused:
            added = bias(far).expand(-1, q.shape[1], -1, -1).flatten(0, 1)
            scores = added.baddbmm(q.flatten(0, 1), k.flatten(0, 1).mT, alpha=q.shape[-1] ** -0.5)
            scores = scores.view(*q.shape[:3], -1)
        else:
            scores = scale * q @ k.mT / q.shape[-1] ** 0.5 + bias(far)
        weights = scores.masked_fill(~attn_mask, -1e9).exp()
        return weights / (weights.sum(dim=-1, keepdim=True) + sink) @ v

    places, asked = [], doctor.adapted(model)

    def logits(tokens, position_ids=None, mask=None):
        places[:] = [torch.arange(tokens.shape[1])[None] if position_ids is None else position_ids]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.nn.functional, "scaled_dot_product_attention", attention)
            return asked(tokens, None, mask)[0]

    return taking(logits, *(takes or ["mask"]))


LAYERS = itertools.cycle(range(2))


def sines(base=10_000, halves=False):
    """A table of sines and cosines, in turn or in halves."""
    model = SmallLlama(table=True)
    rows, width = model.table.weight.shape
    angles = torch.arange(rows)[:, None] * base ** (-torch.arange(0, width, 2) / width)
    both = angles.sin(), angles.cos()
    model.table.weight.data.copy_(torch.cat(both, dim=1) if halves else torch.stack(both, dim=2).flatten(1))
    return taking(doctor.adapted(model), "position_ids")


def in_rows(change, *takes):
    """A learned table, whose rows are changed."""
    model = SmallLlama(table=True)
    model.table.weight.data.copy_(change(model.table.weight.data))
    return taking(doctor.adapted(model), *takes)


def by_place(q, k, v, attn_mask):
    """A scale that grows with the place of the query."""
    places = torch.arange(q.shape[2])[:, None]
    return attend(q, k, v, attn_mask, lambda scores: scores * (1 + places / 99))


def with_state(decay):
    def logits(tokens, position_ids=None):
        return HEALTHY_MODEL(tokens, position_ids)[0] + a_state(4 * one_hot(tokens), decay)

    return logits


def mixed(*taps):
    """A convolution."""

    def logits(tokens):
        x = one_hot(tokens)
        return sum(tap * torch.nn.functional.pad(x, (0, 0, by, 0))[:, : x.shape[1]]
                   for by, tap in enumerate(taps))  # fmt: skip

    return logits


def test_order_that_only_the_reference_sees():
    still, right = SmallLlama(), SmallLlama()
    still.rotary_emb.inv_freq.zero_()
    models = [taking(doctor.adapted(one), "mask") for one in (still, right)]
    assert beside(models[0], models[1]).id == "reference/unturned"
    for layer in still.model.layers:
        layer.self_attn.turned = lambda rows, *_, layer=layer.self_attn: type(layer).turned(
            layer, rows.transpose(1, 2), *right.rotary_emb(rows, torch.arange(rows.shape[1])[None])
        ).transpose(1, 2)  # fmt: skip
    assert "queries turn as at 0, 1, 2, 3" in beside(models[0], models[1]).culprit
    models[0] = without_ids(asked(HEALTHY_MODEL, lambda ids, band, old: (ids.to(torch.int8).long(), band)))
    assert beside(models[0], without_ids(HEALTHY_MODEL)).id == "reference/from-place"
    models = [counted_from(lambda mask, ids, new, most=most: last_ones(mask, ids, new).clamp(max=most)
                           if mask.ndim == 2 else None, HEALTHY_MODEL) for most in (63, 999)]  # fmt: skip
    models = [lambda tokens, mask=None, ask=ask: ask(tokens, tokens * 0 + 1 if mask is None else mask)
              for ask in models]  # fmt: skip
    assert "positions that are cut off" in beside(*models).culprit


def test_scores_that_differ_where_all_turns_alike():
    def capped(q, k, v, attn_mask):
        return attend(q, k, v, attn_mask, lambda scores: 2 * torch.tanh(scores / 2))

    found = beside(without_ids(attending(capped)), without_ids(HEALTHY_MODEL))
    assert "the scale of the scores or a softcap" in found.culprit and "speeds" not in found.culprit

    def scaled(q, k, v, attn_mask):
        return sdpa(q, k, v, attn_mask, scale=(1 if q.shape == k.shape else 2) * q.shape[-1] ** -0.5)

    sdpa = torch.nn.functional.scaled_dot_product_attention
    (found,) = wrong(examined(attending(scaled), "step by step"))
    assert found.culprit == "with a cache, scores are 2 times those at once"


def test_the_factor_of_a_rule_that_is_left_out():
    transformers = pytest.importorskip("transformers")
    rule = {"rope_type": "yarn", "rope_theta": 10_000.0, "factor": 4.0}

    def llama(rule):
        torch.manual_seed(0)
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(
            vocab_size=VOCAB_SIZE, initializer_range=0.3, hidden_size=32, intermediate_size=32,
            num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, rope_parameters=rule,
            max_position_embeddings=512)).eval()  # fmt: skip

    found = beside(llama({**rule, "attention_factor": 1.0}), llama(rule))
    assert found.id == "reference/scale" and "the factor of a rule" in found.look_at


def biased(bias):
    return with_bias(bias, "position_ids")


def in_buckets(far, borders=(2, 4, 8, 16, 32, 64)):
    return -torch.bucketize(far, torch.tensor(borders).double()).double()


def windows_by_layer(*widths, room=0):
    """The small Llama, where layers see so many tokens in turn; None is all of them, -20 a chunk of 20.

    `room` slots before the keys are empty, and masked."""
    turns = itertools.count()

    def attention(q, k, v, attn_mask):
        width = widths[next(turns) % len(widths)]
        places = torch.arange(k.shape[2])
        if width and width < 0:
            near = attn_mask & (places[-q.shape[2] :, None] // -width == places // -width)
        else:
            near = attn_mask & (places[-q.shape[2] :, None] - places < (width or k.shape[2]))
        k, v, near = (torch.nn.functional.pad(x, size) for x, size in
                      ((k, (0, 0, room, 0)), (v, (0, 0, room, 0)), (near, (room, 0))))  # fmt: skip
        return attend(q, k, v, near)

    return attending(attention)


def test_heads_and_columns_beside_the_library_s_models(monkeypatch):
    transformers = pytest.importorskip("transformers")
    from transformers.models.llama import modeling_llama

    small = {"vocab_size": VOCAB_SIZE, "initializer_range": 0.3}
    torch.manual_seed(0)
    llama = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, attn_implementation="eager", **small)).eval()  # fmt: skip

    def repeated(tokens, position_ids=None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(modeling_llama, "repeat_kv", lambda rows, count: rows.repeat(1, count, 1, 1))
            return llama(tokens, position_ids=position_ids).logits

    assert beside(repeated, llama).id == "reference/heads-order"
    torch.manual_seed(0)
    config = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512, **small}
    partly, wholly, other, slow = (
        transformers.GPTJForCausalLM(transformers.GPTJConfig(rotary_dim=dim, **config)).eval()
        for dim in (6, 8, 6, 8))  # fmt: skip
    for model in (wholly, other, slow):
        model.load_state_dict(partly.state_dict())
    attention = other.transformer.h[1].attn
    attention.embed_positions = torch.cat(
        [0 * attention.embed_positions[:, :3], 1 + 0 * attention.embed_positions[:, 3:]], dim=1
    )
    assert "in layer 1 (counted from 0), and no other: nothing turns" in beside(other, partly).culprit
    attention.embed_positions = other.transformer.h[0].attn.embed_positions
    assert beside(wholly, partly).id == "reference/columns"
    angles = torch.arange(512)[:, None] * 5e7 ** (-torch.arange(0, 8, 2) / 8)  # pairs that hardly turn
    for layer in slow.transformer.h:
        layer.attn.embed_positions = torch.cat([angles.sin(), angles.cos()], dim=1)
    assert "the base is 50,000,000, and 10,000 in the reference" == beside(slow, wholly).culprit
    orders = {"columns-last": [2, 3, 4, 5, 6, 7, 0, 1], "layout-halves": [0, 3, 1, 4, 2, 5, 6, 7]}
    for id, order in orders.items():  # the columns of each head as the code would see them
        weights = {
            name: rows.unflatten(0, (4, 8))[:, order].flatten(0, 1) if "q_proj" in name or "k_proj" in name
            else rows for name, rows in partly.state_dict().items()
        }  # fmt: skip
        other.load_state_dict(weights)
        assert beside(other, partly).id == f"reference/{id}"


def test_weights_are_told_from_positions():
    reference = SmallLlama()
    with torch.no_grad():
        reference.model.layers[0].self_attn.q_proj.weight.mul_(1.2)
    finding = beside(HEALTHY_MODEL, reference)
    assert "they differ, too, and a token alone does not. Look first at the scale" in finding.culprit


@pytest.mark.parametrize("rows", [12, 256])
def test_a_short_table_with_a_reference(rows):
    def cut(model):
        model.table = torch.nn.Embedding.from_pretrained(model.table.weight[:rows])
        return model

    healthy, other = cut(SmallLlama(table=True)), cut(SmallLlama("number of the text", table=True))
    assert beside(healthy, healthy).status == "right"
    assert beside(healthy, other).status == "wrong"


class Hybrid(torch.nn.Module):
    """A state that fades, in the shape of the transformers library. It has no use for its position_ids."""

    def __init__(self):
        super().__init__()
        self.config, self.dtype = None, torch.float64
        self.embed = torch.nn.Embedding(VOCAB_SIZE, 8).double()

    def generate(self):
        """The doctor knows a model of transformers by it."""

    def forward(
        self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=True
    ):
        rows = a_state(self.embed(input_ids), 0.5, 0.0 if past_key_values is None else past_key_values)
        return SimpleNamespace(logits=rows, past_key_values=rows[:, -1])


def test_a_model_without_positions_is_not_blamed_for_taking_position_ids():
    findings = doctor.examine(Hybrid(), VOCAB_SIZE)
    tried = {finding.check for finding in findings if finding.status == "right"}
    assert {"future", "batch", "step by step", "several new tokens"} <= tried
    assert [finding.check for finding in wrong(findings)] == ["left padding"]  # its state ignores the mask


def test_position_ids_that_a_state_has_no_use_for_are_a_note():
    weights = Hybrid().embed.weight.detach()

    def logits(tokens, position_ids=None, mask=None):
        if mask is None:
            return a_state(weights[tokens], 0.5)
        assert mask.ndim == 3, "packing only"
        x = weights[tokens] * mask.diagonal(0, -2, -1)[..., None]
        return a_state(x, 0.5, goes_on=[1.0, *mask.diagonal(-1, -2, -1).T[..., None]])

    def ignores_the_mask(tokens, position_ids=None, mask=None):
        return logits(tokens)

    def with_attention(tokens, position_ids=None, cache=None, turns=0.0):
        rows = a_state(weights[tokens], 0.5, 0.0 if cache is None else cache[1])
        wide = 3 * rows @ torch.eye(8, model.embed.weight.shape[1]).double()
        model.embed.forward, model.rotary_emb.inv_freq = (
            lambda tokens: wide, turns * LLAMA.rotary_emb.inv_freq)  # fmt: skip
        scores, cache = doctor.adapted(model)(tokens, None, None, None if cache is None else cache[0])
        return scores, (cache, rows[:, -1])

    model = SmallLlama()
    for patient in (logits, ignores_the_mask, with_attention):
        found = examined(patient, "equal tokens")
        assert [(one.check, one.status) for one in found[1:2]] == [("position_ids", "note")]
        assert not wrong(found)
    (found,) = wrong(examined(functools.partial(with_attention, turns=1.0), "equal tokens"))
    assert found.check == "position_ids"


def test_a_state_that_runs_on_from_one_text_to_the_next_is_named():
    def logits(tokens, position_ids=None, mask=None, cache=None):
        scores, cache = HEALTHY_MODEL(tokens, position_ids, mask, cache)
        x = torch.nn.functional.one_hot(tokens, VOCAB_SIZE)
        if mask is not None and mask.ndim == 2:
            x = x * mask[:, -tokens.shape[1] :, None]
        return scores + 5 * x.cumsum(dim=1), cache

    assert "runs on from one text to the next" in examined(logits, "packing")[-1].culprit

    def begins_anew(tokens, position_ids=None, mask=None, turns=False):
        shown = 1 if mask is None or mask.ndim == 3 else mask[..., None]
        ids = tokens * 0 + torch.arange(tokens.shape[1]) if position_ids is None else position_ids
        goes_on = torch.ones_like(ids) if mask is None or mask.ndim == 2 else ids > 0
        rows = a_state(4 * one_hot(tokens, 32) * shown, 0.7, goes_on=goes_on.T[..., None])
        models[turns].embed.forward = lambda tokens: rows
        return doctor.adapted(models[turns])(tokens, position_ids, mask)[0]

    models = SmallLlama(), SmallLlama()
    models[False].rotary_emb.inv_freq.zero_()
    found = doctor.examine(begins_anew, 32, reference=functools.partial(begins_anew, turns=True))
    assert (found[-2].check, found[-2].status, found[-1].id) == ("packing", "right", "reference/nowhere")


def test_position_ids_that_are_not_used_do_not_end_the_examination():
    findings = doctor.examine(SmallLlama("position_ids ignored"), VOCAB_SIZE)
    assert [finding.check for finding in wrong(findings)] == ["position_ids"]
    assert findings[0].status == "right" and len({finding.check for finding in findings}) == 14
    assert "first position: position_ids are not used" in "\n".join(map(str, findings))


# What a newcomer gives


def counted(tokens, position_ids):
    """Rows that know their tokens and where they stand: tokens after them are not seen."""
    positions = torch.arange(tokens.shape[1])[None] if position_ids is None else position_ids
    rows = torch.nn.functional.one_hot(tokens, 20).double()
    return (rows * (1 + positions[..., None])).cumsum(dim=1)


def bare(tokens):
    return counted(tokens, None)


def test_what_is_not_taken_is_not_tried():
    findings = doctor.examine(bare)
    assert not wrong(findings)
    assert {finding.check for finding in findings if finding.status == "not tried"} == {
        "first position", "shift", "far positions", "left padding", "step by step", "several new tokens",
        "padded, step by step", "packing",
    }  # fmt: skip
    assert "no argument is called cache, only tokens" in "\n".join(map(str, findings))


def test_a_test_of_your_own_fails():
    def logits(tokens, position_ids=None):
        from_one = torch.arange(1, tokens.shape[1] + 1)[None]
        return counted(tokens, from_one if position_ids is None else position_ids)

    with pytest.raises(AssertionError, match="positions begin at 1") as error:
        doctor.assert_healthy(logits)
    assert str(error.value).startswith("the doctor finds:\n") and "% of what order does)" in str(error.value)


def test_without_positions_the_culprit_is_not_guessed():
    def logits(tokens, cache=None):
        past = 0 if cache is None else cache.shape[1]
        whole = tokens if cache is None else torch.cat([cache, tokens], dim=1)
        positions = torch.arange(whole.shape[1])[None] - int(past > 0)
        return counted(whole, positions)[:, past:], whole

    found = wrong(doctor.examine(logits))
    assert [finding.check for finding in found] == ["step by step", "several new tokens"]
    assert all("positions of new tokens" in one.culprit for one in found)


def test_a_reference_may_be_a_function_or_any_module():
    class Own(torch.nn.Module):
        def forward(self, tokens, position_ids=None):
            return counted(tokens, position_ids)

    assert not wrong(doctor.examine(bare, reference=bare))
    assert not wrong(doctor.examine(Own(), reference=Own()))
    (finding,) = wrong(doctor.examine(Own(), reference=lambda tokens: 2 * bare(tokens)))
    assert finding.check == "reference" and "of the transformers library" not in finding.look_at
    finding = beside(HEALTHY_MODEL, asked_with(lambda ids: 3 * ids))
    assert finding.culprit == "positions are divided by 3 against the reference's"


def test_names_of_ones_own_are_said():
    class Own(torch.nn.Module):
        def forward(self, ids, attention_mask=None, position_ids=None):
            return counted(ids, position_ids)

    shown = "\n".join(map(str, doctor.examine(Own())))
    assert "no argument is called mask, only ids, attention_mask, position_ids" in shown
    assert "if attention_mask is what is meant, call it mask" in shown
    with pytest.raises(AssertionError, match="call it mask"):
        doctor.assert_healthy(Own())


@pytest.mark.parametrize(
    ("fault", "check", "words"),
    [
        ("slip", "step by step", "the model ends in NameError: name 'pasts' is not defined"),
        ("index", "step by step", "the model ends in IndexError: list index out of range"),
        ("forgotten", "several new tokens", "logits takes a cache, and none comes back"),
        ("shape", "first position", "the model ends in AssertionError: one axis"),
        ("shape", "far positions", "the model ends in AssertionError: one axis"),
    ],
)
def test_what_ends_in_an_error_is_not_green(fault, check, words):
    def logits(tokens, position_ids=None, cache=None):
        if cache is not None and fault == "slip":
            cache = pasts  # noqa: F821
        if cache is not None and fault == "index":
            [][0]
        assert fault != "shape" or position_ids is None or position_ids.ndim == 1, "one axis"
        scores, cache = HEALTHY_MODEL(tokens, position_ids, None, cache)
        return scores if fault == "forgotten" else (scores, cache)

    findings = doctor.examine(logits, VOCAB_SIZE)
    assert [one.status for one in findings if one.check == check and words in one.says] == ["failed"]
    assert not wrong(findings)


def test_what_is_no_rotation_is_a_note_until_relative_is_said():
    lost = SmallLlama("sign lost")
    found = examined(lost, "shift", ())
    assert not wrong(found) and not found[-1].culprit
    assert "and not as a table does; if it should not, say relative = True" in found[-1].says
    assert examined(asked_with(lambda ids: ids // 8), "shift", ())[-1].status == "note"  # rows of a grid
    (finding,) = wrong(examined(lost, "shift", (), relative=True))
    assert "turns queries and keys alike" in finding.culprit
    (finding,) = wrong(examined(TABLE, "shift", (), relative=True))
    assert "absolute positions" in finding.says and "added, values that are rotated" in finding.culprit


def keeps_the_text_before():
    kept = torch.zeros(20)

    def logits(tokens):
        before = kept.clone()
        kept.copy_(torch.nn.functional.one_hot(tokens[:1], 20).sum(dim=1)[0])
        return bare(tokens) + before

    return logits


def test_two_answers_to_one_text_come_from_dropout_or_from_what_is_kept():
    (finding,) = doctor.examine(lambda tokens: torch.nn.functional.dropout(bare(tokens)))
    assert (finding.status, finding.look_at) == ("wrong", "model.eval()")
    assert "of what positions do" not in str(finding)
    (finding,) = doctor.examine(keeps_the_text_before(), 20)
    assert finding.id == "answers/kept"


def test_small_weights_are_not_blamed():
    """Down to where rounding hides what positions do, all is right; below it, nothing is said."""
    said = []
    for size in (1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001):
        model = SmallLlama().float()
        with torch.no_grad():
            for weights in model.model.parameters():
                weights.mul_(size if weights.ndim == 2 else 1)
        model.dtype = torch.float32
        findings = doctor.examine(model, VOCAB_SIZE, relative=True)
        assert not wrong(findings), "\n".join(map(str, findings))
        said.append(findings[0].status)
    assert said[0] == "right" and said[-1] == "not tried" and sorted(said, reverse=True) == said


@pytest.mark.parametrize(
    ("logits", "words"),
    [
        (lambda tokens: bare(tokens).bfloat16(), "from the rounding of bfloat16"),
        (lambda tokens: (bare(tokens) / 7).bfloat16().float(), "from the rounding of bfloat16"),
        (lambda tokens: (bare(tokens) / 7).half().double(), "from the rounding of float16"),
        (lambda tokens: bare(tokens).float() + 1e6, "from the rounding of float32"),
        (lambda tokens: torch.nn.functional.one_hot(tokens, 20).cumsum(1), "exchanging two tokens moves the"),
        (lambda tokens: bare(tokens) / 0, "not all scores of a plain text are finite"),
    ],
)
def test_where_nothing_can_be_told_nothing_is(logits, words):
    (finding,) = doctor.examine(logits)
    assert finding.status == "not tried" and words in finding.says
    with pytest.raises(AssertionError, match="the doctor finds:\n"):
        doctor.assert_healthy(logits)


class EncoderDecoder(Hybrid):
    def __init__(self):
        super().__init__()
        self.config = SimpleNamespace(is_encoder_decoder=True)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (3, "logits must be a function or a model, got 3"),
        (lambda: 3, "must take tokens and, if it can, position_ids, mask, cache; this one takes nothing"),
        (lambda tokens, targets: 3, "this one takes tokens, targets"),
        (lambda tokens: torch.zeros(1, 20), r"must return \(batch, n_q, vocab_size\), .* got \(1, 20\)"),
        (lambda tokens: [bare(tokens), None], r"or a tuple \(scores, cache\), got a list\."),
        (lambda tokens: {"logits": 1}, r"or a tuple \(scores, cache\), got a dict\."),
        (lambda tokens: SimpleNamespace(logits=1), r"got a SimpleNamespace\. .* probably in \.logits"),
        (EncoderDecoder(), "logits must be a causal model, and this one has an encoder and a decoder"),
    ],
)
def test_what_cannot_be_asked(model, words):
    with pytest.raises((TypeError, ValueError), match=words):
        doctor.examine(model)


CRASHES = "def logits(tokens):\n    raise RuntimeError('no such device')\n"
AS_A_FILE = """from __future__ import annotations
import dataclasses
import torch
@dataclasses.dataclass
class Options:
    width: int = 20
def logits(tokens):
    from what_lies_beside import SCALE
    places = SCALE * torch.arange(1.0, tokens.shape[1] + 1)[:, None]
    return (torch.nn.functional.one_hot(tokens, Options().width) * places).cumsum(dim=1)
"""
NOT_A_NUMBER = """import torch
def logits(tokens, mask=None):
    places = torch.arange(1.0, tokens.shape[1] + 1)[:, None]
    scores = (torch.nn.functional.one_hot(tokens, 20) * places).cumsum(dim=1)
    return scores if mask is None else scores + float("nan")
"""
HEALTHY = """import torch
def logits(tokens):
    places = torch.arange(1.0, tokens.shape[1] + 1)[:, None]
    return (torch.nn.functional.one_hot(tokens, 20) * places).cumsum(dim=1)
"""
ORDERLESS = """import torch
def logits(tokens):
    return torch.nn.functional.one_hot(tokens, 20).cumsum(dim=1)
"""
COUNTS_FROM_ONE = """import torch
def logits(tokens, position_ids=None):
    if position_ids is None:
        position_ids = 1 + torch.arange(tokens.shape[1])[None]
    return (torch.nn.functional.one_hot(tokens, 20) * (1.0 + position_ids[..., None])).cumsum(dim=1)
"""


def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text(HEALTHY)
    assert main([str(path)]) == 0
    shown = capsys.readouterr().out
    assert "right  future: no token sees a later one" in shown
    assert shown.startswith(
        "tried: 5 of 13 checks; texts of 1 to 160 tokens\nleft out: first-position, shift, ")  # fmt: skip
    assert "packing (no argument is called mask, only tokens)" in shown and main([str(path), "--strict"]) == 3
    assert "failed  packing: no argument is called mask, only tokens, and it is required" in (
        capsys.readouterr().out
    )
    path.write_text(COUNTS_FROM_ONE)
    assert main([str(path), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)["findings"]
    assert [one["culprit"] for one in told if one["status"] == "wrong"] == ["positions begin at 1"]
    assert list(told[0]) == ["check", "status", "says", "size", "culprit", "look_at", "lesson", "id"]
    assert [one["id"] for one in told if one["status"] == "wrong"] == ["first-position/begin-at-1"]


def test_an_error_of_the_doctor_is_no_fault_of_the_model(tmp_path, capsys, monkeypatch):
    def broken(patient, check):
        yield None - patient.text

    monkeypatch.setitem(doctor.CHECKS, "batch", (broken, (), ()))
    (tmp_path / "mine.py").write_text(HEALTHY)
    assert main([str(tmp_path / "mine.py")]) == 3
    shown = capsys.readouterr().out
    assert "failed  batch: the doctor's own error, not your model's: TypeError" in shown
    assert "test_doctor.py, line" in shown and "right  future" in shown


def no_json(word):
    raise AssertionError(f"{word} is not JSON")


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        (CRASHES, 3, "the model ends in RuntimeError: no such device"),
        (AS_A_FILE, 0, "no token sees a later one"),
        (NOT_A_NUMBER, 1, "the softmax of nothing is 0 / 0"),
    ],
)
def test_a_crash_is_no_finding_and_json_is_json(tmp_path, capsys, text, status, words):
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "what_lies_beside.py").write_text("SCALE = 2.0")
    for options in ([], ["--json"]):
        assert main([str(tmp_path / "mine.py"), *options]) == status
        shown = capsys.readouterr().out
        assert words in shown and "Traceback" not in shown
    json.loads(shown, parse_constant=no_json)
    sys.modules.pop("what_lies_beside", None)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("mine.py", None, "module must be a Python file, and there is no file"),
        ("mine.txt", HEALTHY, "module must be a Python file"),
        ("mine.py", "x = 1", "must define a function `logits` or a `model`"),
        ("mine.py", "import no_such_thing", "ends in ModuleNotFoundError: No module named 'no_such_thing'"),
    ],
)
def test_a_module_that_will_not_do(tmp_path, capsys, name, text, words):
    if text is not None:
        (tmp_path / name).write_text(text)
    assert main([str(tmp_path / name)]) == 2
    shown = capsys.readouterr().err
    assert words in shown and shown.count("\n") == 1


def test_a_small_cache_may_be_tolerated():
    def logits(tokens, position_ids=None, mask=None, cache=None):
        scores, new = HEALTHY_MODEL(tokens, position_ids, mask, cache)
        return scores * (1.0 if cache is None else 1.02), new

    assert wrong(examined(logits, "step by step"))
    assert not wrong(examined(logits, "step by step", tolerance=0.2))
    with pytest.raises(ValueError, match="tolerance must be a number between 0 and 1"):
        doctor.examine(logits, tolerance=5)


# What only a long text shows, and what a name has to be true of


def keeps(places):
    def logits(tokens, position_ids=None, mask=None, cache=None):
        seen, kept = cache or (0, None)
        if position_ids is None:
            position_ids = seen + torch.arange(tokens.shape[1])[None]
        if kept:
            kept = [tuple(rows[:, :, places] for rows in layer) for layer in kept]
        scores, kept = HEALTHY_MODEL(tokens, position_ids, mask, kept)
        return scores, (seen + tokens.shape[1], kept)

    return logits


def test_what_is_required_and_not_tried_is_not_green():
    doctor.assert_healthy(bare)
    with pytest.raises(AssertionError, match=r"no argument is called cache, .* and it is required"):
        doctor.assert_healthy(bare, require=["step by step"])
    with pytest.raises(AssertionError, match="failed  padded, step by step"):
        doctor.assert_healthy(bare, require=["padded-step-by-step"])
    with pytest.raises(ValueError, match=r"some of \['order', 'equal-tokens', .* 'packing'\]"):
        doctor.examine(bare, require=["cache"])


def test_a_table_is_healthy_too_and_a_report_says_what_was_tried():
    report = doctor.examine(TABLE, VOCAB_SIZE)
    assert not wrong(report), "\n".join(map(str, report))
    assert "give them, counted from the first real token" in str(report)
    tried, padded = report.tried.split("\n")
    says = "texts of 1 to 160 tokens; positions 0 to 399, and no farther (IndexError)"
    assert tried == f"tried: 13 of 13 checks; {says}"
    assert padded == "padding on the left changes nothing only if position_ids are given"
    assert str(report).startswith(report.tried)
    short = SmallLlama(table=True)
    short.table = torch.nn.Embedding.from_pretrained(short.table.weight[:40])
    assert "; 50 are more than it takes (IndexError)" in examined(short, "equal tokens").tried


def test_an_encoder_gets_a_clear_word():
    class Encoder(torch.nn.Module):
        config, base_model_prefix = None, "bert"

    with pytest.raises(TypeError, match="causal language model, and a Encoder generates no text: an encoder"):
        doctor.examine(Encoder())


ITEMS = """
from pe_lessons.doctor.pytest_checks import checks
test_positions = checks(logits, require={require})
"""


def test_one_item_for_each_check(pytester):
    """A check that was left out is a skip with its reason, a finding a failure with its id and its lesson."""
    pytester.makepyfile(test_healthy=HEALTHY + ITEMS.format(require=()))
    pytester.makepyfile(test_sick=COUNTS_FROM_ONE + ITEMS.format(require=["packing"]))
    pytester.makepyfile(test_orderless=ORDERLESS + ITEMS.format(require=()))
    healthy, sick, orderless = (
        pytester.runpytest("-rsf", "-p", "no:nbval", f"test_{name}.py")
        for name in ("healthy", "sick", "orderless")
    )
    healthy.assert_outcomes(passed=5, skipped=8)
    healthy.stdout.fnmatch_lines(["SKIPPED*no argument is called cache, only tokens"])
    sick.assert_outcomes(passed=7, failed=2, skipped=4)
    sick.stdout.fnmatch_lines(["*culprit: positions begin at 1", "*read: lesson 05", "*id: first-position/*"])
    sick.stdout.fnmatch_lines(["FAILED test_sick.py::test_positions[[]packing[]]*"])
    orderless.assert_outcomes(failed=1, skipped=12)


def test_a_window_and_sinks_beside_a_reference():
    class Windowed(SmallLlama):
        def __init__(self, window, sinks=0.0):
            super().__init__()
            self.config.sliding_window, self.sinks = window, torch.nn.Parameter(torch.full((1,), sinks))

        def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, **kwargs):
            n = input_ids.shape[1]
            if attention_mask is None and past_key_values is None:
                near = torch.ones(1, 1, n, n).tril().triu(1 - self.config.sliding_window)
                attention_mask = (near - 1) * 1e9
            answer = super().forward(input_ids, attention_mask, position_ids, past_key_values)
            answer.logits = answer.logits * (1 + self.sinks.clamp(min=0))
            return answer

    assert beside(Windowed(20), Windowed(20)).status == "right"
    wider = "wider than that of the reference: 21 tokens, and 20 there"
    assert wider in beside(Windowed(21), Windowed(20)).culprit
    assert "19 tokens, and 20 there" in beside(Windowed(19), Windowed(20)).culprit
    assert beside(Windowed(20), Windowed(20, sinks=0.5)).id == "reference/sinks"


def asked(model, change):
    """The small Llama, asked with other position_ids and another mask: `change(ids, band, n_old)`."""

    def logits(tokens, position_ids=None, mask=None, cache=None):
        old, n = 0 if cache is None else cache[0][0].shape[2], tokens.shape[1]
        if mask is not None and mask.ndim == 2:
            mask = mask[:, None] | torch.eye(old + n)[-n:].bool()
        band = torch.ones(1, n, old + n).tril(old).bool()
        ids = old + torch.arange(n)[None] if position_ids is None else position_ids
        ids, band = change(ids, band, old)
        return model(tokens, ids, band if mask is None else band & mask, cache)

    return logits


def while_cached(part, change):
    """Another `part` of the small Llama once there is a cache."""
    small = SmallLlama()
    model, weights = doctor.adapted(small), part(small)
    right = weights.clone()

    def logits(tokens, position_ids=None, mask=None, cache=None):
        weights.data.copy_(right if cache is None else change(right))
        return model(tokens, position_ids, mask, cache)

    return logits


def by_length(change):
    small = SmallLlama()
    model, right = doctor.adapted(small), small.rotary_emb.inv_freq.clone()

    def logits(tokens, position_ids=None):
        small.rotary_emb.inv_freq.copy_(change(right, max(1.0, tokens.shape[1] / 100)))
        return model(tokens, position_ids)[0]

    return logits


def in_a_batch(change):
    return lambda tokens, position_ids=None: change(HEALTHY_MODEL(tokens, position_ids)[0])


def hidden(place):
    def change(ids, band, old):
        band = band.clone()
        band[:, :, place(old) if old else 0] &= not old
        return ids, band

    return asked(HEALTHY_MODEL, change)


def first_ones(mask, ids, new):
    """Positions from the wrong end of the sums over the mask."""
    return (mask.cumsum(dim=1) - 1).clamp(min=0)[:, :new] if ids is None else ids


def last_ones(mask, ids, new):
    return (mask.cumsum(dim=1) - 1).clamp(min=0)[:, -new:] if mask.ndim == 2 else None


def counted_from(change, model=TABLE):
    """A table, where positions come from a mask of padding and nothing else."""

    def logits(tokens, mask=None, cache=None):
        ids = None if mask is None else change(mask, None, tokens.shape[1])
        return model(tokens, ids, mask, cache)

    return logits


def with_cache(change, model=HEALTHY_MODEL):
    def logits(tokens, position_ids=None, mask=None, cache=None):
        return model(tokens, position_ids, mask, None if cache is None else change(cache))

    return logits


def of_the_first_layer(*parts):
    """The last layer gets these parts, keys (0) and values (1), of the first one."""
    return lambda cache: [*cache[:-1], [cache[0 if part in parts else -1][part] for part in (0, 1)]]


def several_kept(which):
    """A cache that keeps other things once several tokens have come after it."""

    def logits(tokens, position_ids=None, mask=None, cache=None):
        scores, new = HEALTHY_MODEL(tokens, position_ids, mask, cache)
        if cache is not None and tokens.shape[1] > 1:
            old = cache[0][0].shape[2]
            new = [tuple(rows[:, :, which(old)] for rows in layer) for layer in new]
        return scores, new

    return logits


def scaled_by_index(tokens, position_ids=None, cache=None):
    """Scores grow with the index of a token in its call, which is its position where there is no cache."""

    def attention(q, k, v, attn_mask):
        by_index = torch.log(2.0 + torch.arange(q.shape[2]))[:, None]
        return attend(q, k, v, attn_mask, lambda scores: scores * by_index)

    return attending(attention)(tokens, position_ids, None, cache)


def dropped_before_attention(q, k, v, attn_mask):
    """A window of 8, and with a cache no more than the last 8 keys for all new tokens."""
    places, old = torch.arange(k.shape[2]), k.shape[2] - q.shape[2]
    seen = attn_mask & (places[old:, None] - places < 8) & ((places >= len(places) - 8) | (old == 0))
    return attend(q, k, v, seen)


def with_mask(change, model=HEALTHY_MODEL):
    """The small Llama with `change(mask, ids, n_old)` for a mask of padding and its positions."""

    def logits(tokens, position_ids=None, mask=None, cache=None):
        n = tokens.shape[1]
        if mask is not None and mask.ndim == 2:
            mask, position_ids = change(mask, position_ids, mask.shape[1] - n)
        return model(tokens, None if position_ids is None else position_ids[:, -n:], mask, cache)

    return logits


def attending(change, model=HEALTHY_MODEL):
    """The small Llama with another attention."""

    def logits(tokens, position_ids=None, mask=None, cache=None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.nn.functional, "scaled_dot_product_attention", change)
            return model(tokens, position_ids, mask, cache)

    return logits


def one_too_far_in_a_batch(tokens, position_ids=None, cache=None):
    old = 0 if cache is None else cache[0][0].shape[2]
    ids = torch.arange(old, old + tokens.shape[1])[None] if position_ids is None else position_ids
    return HEALTHY_MODEL(tokens, ids + (old > 0 and len(tokens) > 1), None, cache)


def sees_what_nobody_wrote(q, k, v, attn_mask):
    """One new token sees all of a cache of 300, whatever was written."""
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~attn_mask, -1e9)
    free = 300 - k.shape[2] if q.shape[2] == 1 and k.shape[2] > 1 else 0
    scores = torch.nn.functional.pad(scores, (0, free))
    return scores.softmax(dim=-1)[..., : k.shape[2]] @ v


def sees_empty_slots(q, k, v, attn_mask):
    if q.shape[2] < k.shape[2]:
        k, v = (torch.nn.functional.pad(x, (0, 0, 0, 300 - x.shape[2])) for x in (k, v))
        attn_mask = torch.nn.functional.pad(attn_mask, (0, k.shape[2] - attn_mask.shape[-1]), value=True)
    return attend(q, k, v, attn_mask)


def not_itself(tokens, position_ids=None, mask=None):
    """The first token sees nothing, so all of its scores are the same."""
    mask = torch.ones(1, *2 * tokens.shape[1:]).tril(-1).bool() if mask is None else mask
    return windows_by_layer(None)(tokens, position_ids, mask)[0]


def loses_keys_of_steps(tokens, position_ids=None, cache=None):
    """And counts by those that it has. Of a long text, two keys are little."""
    scores, new = HEALTHY_MODEL(tokens, position_ids, None, cache)
    return scores, new if cache is None or tokens.shape[1] > 1 else cache


def unlike_with_a_cache(bias, model=HEALTHY_MODEL):
    def attention(q, k, v, attn_mask):
        old = k.shape[2] - q.shape[2]
        far = torch.arange(old, k.shape[2])[:, None] - torch.arange(k.shape[2]).double()
        return attend(q, k, v, attn_mask, lambda scores: scores + bias(far, old))

    return without_ids(attending(attention, model))


def a_late_end(tokens, position_ids=None, cache=None):
    """Attention, and a convolution over two tokens whose end is kept a token late."""
    x = one_hot(tokens)
    scores, kept = HEALTHY_MODEL(tokens, position_ids, None, None if cache is None else cache[0])
    x = torch.cat([0 * x[:, :1] if cache is None else cache[1], x], dim=1)
    return scores + 5 * x[:, :-1], (kept, x[:, -2:-1])


def a_state_that_steps_leave(tokens, position_ids=None, cache=None):
    """Attention, and a state, which new tokens begin with and don't change."""
    scores, kept = HEALTHY_MODEL(tokens, position_ids, None, None if cache is None else cache[0])
    state, rows = 0 if cache is None else cache[1], []
    for x in one_hot(tokens).unbind(dim=1):
        rows.append((rows[-1] if rows else state) + x)
    return scores + 5 * torch.stack(rows, dim=1), (kept, rows[-1] if cache is None else state)


def loses_its_state(tokens, mask=None, cache=None):
    """A state that begins anew where a mask with three axes hides what is before, and is in no cache."""
    scores, cache = HEALTHY_MODEL(tokens, None, mask, cache)
    x, old = one_hot(tokens), cache[0][0].shape[2] - tokens.shape[1]
    state, rows = 0 * x[:, 0], []
    for at, one in enumerate(x.unbind(dim=1), old):
        goes_on = shown = torch.ones(len(x), 1)
        if mask is not None:
            shown = (mask[:, at] if mask.ndim == 2 else mask[:, at - old, at])[:, None].double()
        if mask is not None and mask.ndim == 3:
            goes_on = mask[:, at - old, max(0, at - 1), None].double()
        state = goes_on * state * (1 - shown / 2) + shown * one / 2
        rows.append(state / (state.norm(dim=1, keepdim=True) + 0.2))
    return scores + 20 * torch.stack(rows, dim=1), cache


def beside_attention(kept=2, ahead=0, chunks=True, texts=True, padding=True, last=True):
    """Attention; and a convolution over three tokens, of which the cache keeps two; and a state."""

    def logits(tokens, position_ids=None, mask=None, cache=None):
        attention, end, state = (None, 0, 0) if cache is None else cache
        scores, attention = HEALTHY_MODEL(tokens, position_ids, mask, attention)
        x, n = one_hot(tokens), tokens.shape[1]
        if mask is not None and mask.ndim == 2 and padding:
            x = x * mask[:, -n:, None]
        end = x.new_zeros(len(x), 2, VOCAB_SIZE) if cache is None else end
        whole = torch.cat([end, x, 0 * x[:, :2]], dim=1)
        mixed = sum(w * whole[:, i + ahead : i + ahead + n] for i, w in enumerate((1.0, 3.0, 9.0)))
        state = 0 if n > 1 and not chunks else state if texts or cache is None else state[:1]
        rows = []
        for at, one in enumerate(x.unbind(dim=1)):
            shown = 1 if mask is None or mask.ndim == 3 or not padding else mask[:, -n + at, None].double()
            rows.append((1 - shown / 2) * (rows[-1] if rows else state) + one)
        end = (torch.cat([end, x], dim=1)[:, -2:] if last or n < 3 else x[:, :2]) * (kept / 2)
        return scores + 20 * (mixed + torch.stack(rows, dim=1)), (attention, end, rows[-1])

    return logits


def numbers(tokens):
    return torch.arange(len(tokens))[:, None].expand(tokens.shape)


def numbered(tokens, mask=None, cache=None):
    """The number of the text is its position; a mask of three axes is not taken."""
    assert mask is None or mask.ndim == 2, "masks of padding only"
    return TABLE(tokens, numbers(tokens), mask, cache)


def values_turn_later(tokens, position_ids=None, mask=None, cache=None):
    """With a cache, new values hang on their positions, too."""
    old = 0 if cache is None else cache[0][0].shape[2]
    ids = torch.arange(old, old + tokens.shape[1])[None] if position_ids is None else position_ids

    def attention(q, k, v, attn_mask):
        if old:
            v = torch.cat([v[:, :, :old], v[:, :, old:] * ids[:, None, :, None].cos()], dim=2)
        return attend(q, k, v, attn_mask)

    return attending(attention)(tokens, ids, mask, cache)


def counted_by_itself(part):
    """What position_ids and a cache say reaches the others only: `part` of queries and keys counts from 0."""
    small = SmallLlama()
    for layer in small.model.layers:
        attention = layer.self_attn

        def turned(rows, cosine, sine, attention=attention):
            queries = rows.shape[1] == attention.q_proj.out_features // rows.shape[-1]
            if queries == (part == "queries"):
                cosine, sine = small.rotary_emb(rows, torch.arange(rows.shape[2])[None])
            return type(attention).turned(attention, rows, cosine, sine)

        attention.turned = turned
    return doctor.adapted(small)


def without_sinks_in_a_cache(q, k, v, attn_mask):
    """The sinks are small: what is left out is less than rounding may do."""
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~attn_mask, -1e9)
    sink = 0 * scores[..., :1] - (99 if q.shape[2] < k.shape[2] else 1)
    return torch.cat([scores, sink], dim=-1).softmax(dim=-1)[..., :-1] @ v


def blind_to_new_ones(q, k, v, attn_mask):
    old = k.shape[2] - q.shape[2]
    seen = attn_mask & (torch.arange(k.shape[2]) < (old or k.shape[2]))
    return attend(q, k, v, seen)


def padding_only(model):
    def logits(tokens, position_ids=None, mask=None, cache=None):
        assert mask is None or mask.ndim == 2, "masks of padding only"
        return model(tokens, position_ids, mask, cache)

    return logits


def mask_kept_by_its_shape(counts=False):
    kept = {}

    def logits(tokens, position_ids=None, mask=None, cache=None):
        ids = last_ones(mask, None, tokens.shape[1]) if counts and mask is not None else position_ids
        mask = None if mask is None else kept.setdefault(mask.shape, mask)
        return HEALTHY_MODEL(tokens, ids, mask, cache)

    return without_ids(logits) if counts else logits


def writes_over_the_last(q, k, v, attn_mask):
    """New keys begin one slot too early, and the last slot is empty."""
    old = k.shape[2] - q.shape[2]
    if old:
        k, v = (torch.cat([x[:, :, : old - 1], x[:, :, old:], 0 * x[:, :, :1]], dim=2) for x in (k, v))
    return attend(q, k, v, attn_mask)


def keeps_the_first(q, k, v, attn_mask):
    """A window of 8 tokens, and a cache that keeps the first seven of them and not the last."""
    places, old = torch.arange(k.shape[2]), k.shape[2] - q.shape[2]
    seen = attn_mask & (places[old:, None] - places < 8) & ((places < 7) | (places >= old))
    return attend(q, k, v, seen)


def ring(window, counts=True, room=0):
    """A ring of 8 slots, the new token in its own; or before it, and its mask takes slots for positions."""

    def attention(q, k, v, attn_mask):
        places, old = torch.arange(k.shape[2]), k.shape[2] - q.shape[2]
        seen = (attn_mask & (places[old:, None] - places < window)).expand(*q.shape[:3], -1)
        if old >= 8 and counts:
            k, v = (x[:, :, -8:].roll(k.shape[2] % 8, 2) for x in (k, v))
            seen = seen[..., -8:].roll((old + 1) % 8, 3)
        elif old >= 8:
            k, v = (torch.cat([x[:, :, old - 8 : old].roll(old % 8, 2), x[:, :, old:]], 2) for x in (k, v))
            seen = seen[..., old - 8 :]
        k, v = (torch.nn.functional.pad(x, (0, 0, 0, room)) for x in (k, v))
        seen = torch.nn.functional.pad(seen, (0, room))
        return attend(q, k, v, seen)

    return attending(attention)


def values_written_over(q, k, v, attn_mask):
    """The value of the last cached token is that of the first new one."""
    old = k.shape[2] - q.shape[2]
    v = torch.cat([v[:, :, : old - 1], v[:, :, old : old + 1], v[:, :, old:]], dim=2) if old else v
    return attend(q, k, v, attn_mask)


def slopes_of_texts(q, k, v, attn_mask):
    """They lie along the texts where they should lie along the heads."""
    slopes = torch.tensor([0.5, 0.3, 0.2, 0.1]).repeat_interleave(len(q)).view(len(q), 4, 1, 1)
    places = torch.arange(k.shape[2])
    far = places[-q.shape[2] :, None] - places
    return attend(q, k, v, attn_mask, lambda scores: scores - slopes * far)


def values_turn(tokens, position_ids=None):
    ids = torch.arange(tokens.shape[1])[None] if position_ids is None else position_ids
    how = 0, 8, True, 1 / torch.arange(1.0, 5.0)

    def attention(q, k, v, attn_mask):
        v = torch.stack([inside.turn(heads, how, at) for heads, at in zip(v, ids.expand(len(v), -1))])
        return attend(q, k, v, attn_mask)

    return attending(attention)(tokens, ids)


def puts_new_keys_by_their_number(tokens, position_ids=None, mask=None, cache=None):
    """In the slot that is the number of tokens that the mask shows: over old ones where there is padding."""
    padded = mask is not None and mask.ndim == 2 and cache is not None and tokens.shape[1] == 1

    def attention(q, k, v, attn_mask):
        if padded:
            k, v = k.clone(), v.clone()
            for text, slot in enumerate((mask.sum(dim=1) - 1).tolist()):
                k[text, :, slot], v[text, :, slot] = k[text, :, -1], v[text, :, -1]
        return attend(q, k, v, attn_mask)

    return attending(attention)(tokens, position_ids, mask, cache)


def in_two_parts(halves=True, raw=False, one=False):
    """Scores are a sum of two products, as in MLA, and what turns is in the second, which PyTorch hides.

    With `raw`, cached keys of that part are not turned; with `one`, they are turned by one too much.
    """

    def attention(q, k, v, attn_mask):
        places, how = torch.arange(k.shape[2]), (4, 4, halves, torch.tensor([1.0, 0.3]))
        old, where = k.shape[2] - q.shape[2], places.clone()
        where[:old] = where[:old] * (not raw) + one
        turned = [torch.stack([inside.turn(text, how, at) for text in part])
                  for part, at in ((q, places[old:]), (k, where))]  # fmt: skip
        hidden = (turned[0][..., None, 4:] * turned[1][:, :, None, :, 4:]).sum(dim=-1)
        scores = (q[..., :4] @ k[..., :4].mT + hidden) / q.shape[-1] ** 0.5
        return scores.masked_fill(~attn_mask, -1e9).softmax(dim=-1) @ v

    return without_ids(attending(attention, STILL))


def turns_cached_keys_on(q, k, v, attn_mask, seen=True):
    """By one position; to the rows this is as if new tokens stood one too low."""
    old, how = k.shape[2] - q.shape[2], (0, 8, True, FREQUENCIES(LLAMA))
    at = (torch.arange(k.shape[2]) < old).long()
    k = torch.stack([inside.turn(text, how, at) for text in k])
    scores = q @ k.mT if seen else (q[:, :, :, None] * k[:, :, None]).sum(dim=-1)
    return (scores / q.shape[-1] ** 0.5).masked_fill(~attn_mask, -1e9).softmax(dim=-1) @ v


def hides_rows(mask, ids, old):
    """The mask of padding lies on queries: these see nothing, and all others see padding."""
    n = mask.shape[1]
    return mask[:, old:, None] & torch.ones(n - old, n).tril(old).bool(), ids


def forgets_after_eight_steps(tokens, position_ids=None, cache=None):
    kept, steps = cache or (None, 0)
    if steps == 9:
        kept = [(keys, values.roll(1, 2)) for keys, values in kept]
    scores, kept = HEALTHY_MODEL(tokens, position_ids, None, kept)
    return scores, (kept, steps + 1)


EMBEDDING, FREQUENCIES, QUERIES = ((lambda m: m.embed.weight), (lambda m: m.rotary_emb.inv_freq),
    (lambda m: m.model.layers[0].self_attn.q_proj.weight))  # fmt: skip


@pytest.mark.parametrize(
    ("model", "id"),
    [
        (hidden(lambda old: 0), "step-by-step/drops"),
        (without_ids(hidden(lambda old: 0)), "step-by-step/drops"),
        (hidden(lambda old: old - 1), "several-new-tokens/hidden"),
        (hidden(lambda old: -1), "step-by-step/not-itself"),
        (while_cached(FREQUENCIES, lambda one: 3 * one), "step-by-step/new-keys"),
        (while_cached(QUERIES, lambda one: 2 * one), "step-by-step/scale"),
        (while_cached(EMBEDDING, lambda one: one / 4), "step-by-step/brought"),
        (without_ids(while_cached(EMBEDDING, lambda one: one / 4)), "step-by-step/brought"),
        (by_length(lambda one, by: one / by), "longer-text/base-grows"),
        (by_length(lambda one, by: one**by), "longer-text/base-grows"),
        (in_a_batch(lambda rows: rows + rows.mean(dim=0)), "batch/mixed"),
        (in_a_batch(lambda rows: rows + rows[:1]), "batch/first-text"),
        (asked(FOUR_LAYERS, lambda ids, band, old: (ids, torch.ones_like(band).tril(old + 2))),
         "future/no-mask"),
        (asked_with(lambda ids: ids.bfloat16().long(), TABLE), "far-positions/rounded"),
        (asked_with(in_a_table(300, lambda ids: ids.bfloat16().long()), TABLE), "far-positions/rounded"),
        (asked_with(in_a_table(4_096), doctor.adapted(SmallLlama("only queries turn"))),
         "shift/only-queries"),
        (asked_with(lambda ids: ids.half().double()), "far-positions/small-format"),
        (without_ids(asked(HEALTHY_MODEL, lambda ids, band, old: (ids - old + 20 * bool(old), band))),
         "step-by-step/new-keys"),
        (asked(HEALTHY_MODEL, lambda ids, band, old: (ids, band | (torch.arange(band.shape[2]) < 4 - old))),
         "future/block"),
        (in_a_batch(lambda rows: rows * torch.arange(1, 1 + len(rows))[:, None, None]), "batch/laid-out"),
        (counted_from(lambda mask, ids, new: mask.cumsum(dim=0)[:, -new:]), "left-padding/mask-changes"),
        (counted_from(lambda mask, ids, new: last_ones(mask[:1], ids, new)), "left-padding/first-padding"),
        (counted_from(first_ones), "step-by-step/mask-counts"),
        (counted_from(last_ones, beside_attention(padding=False)), "left-padding/state-runs-on"),
        (beside_attention(padding=False), "left-padding/state-runs-on"),
        (lambda tokens, position_ids=None, mask=None: HEALTHY_MODEL(tokens, position_ids, mask)[0]
         * (1 if mask is None or mask.ndim == 3 else 0.5), "left-padding/mask-changes"),
        (several_kept(lambda old: slice(old + 1)), "several-new-tokens/one-kept"),
        (several_kept(lambda old: slice(1, None)), "several-new-tokens/after-several"),
        (with_cache(of_the_first_layer(0, 1)), "step-by-step/other-layer"),
        (with_cache(of_the_first_layer(0), FOUR_LAYERS), "several-new-tokens/other-layer"),
        (with_cache(of_the_first_layer(1)), "step-by-step/other-layer"),
        (attending(with_a_sink, with_cache(of_the_first_layer(0, 1))), "step-by-step/other-layer"),
        (attending(sees_what_nobody_wrote), "step-by-step/unwritten"),
        (attending(sees_empty_slots), "step-by-step/room"),
        (attending(writes_over_the_last), "several-new-tokens/overwritten"),
        (attending(keeps_the_first), "step-by-step/hidden"),
        (ring(9, room=99), "step-by-step/overwritten"),
        (ring(8, counts=False), "step-by-step/hidden-slots"),
        (attending(values_written_over), "step-by-step/values"),
        (asked_with(lambda ids: ids.clamp(max=ids.shape[1] - 1)), "shift/cut-off"),
        (attending(dropped_before_attention), "several-new-tokens/dropped-early"),
        (scaled_by_index, "step-by-step/scale"),
        (with_mask(lambda mask, ids, old: (~mask if old else mask, ids)), "step-by-step/mask-inverted"),
        (with_mask(lambda mask, ids, old: (mask[:, None].repeat(1, mask.shape[1] - old, 1), ids)),
         "left-padding/causal-dropped"),
        (with_mask(lambda mask, ids, old: (
            mask, last_ones(mask, None, mask.shape[1] - old) + bool(old) if ids is None else ids)),
         "step-by-step/offset-plus-1"),
        (lambda tokens, cache=None: a_late_end(tokens, None, cache), "step-by-step/state-early"),
        (lambda tokens, cache=None: a_state_that_steps_leave(tokens, None, cache),
         "step-by-step/beside-attention"),
        (unlike_with_a_cache(lambda far, old: -0.9 * far if old else -0.3 * far), "step-by-step/scores"),
        (unlike_with_a_cache(lambda far, old: -0.3 * far * (torch.arange(far.shape[1]) >= old), STILL),
         "several-new-tokens/cached-bias"),
        (not_itself, "future/not-itself"),
        (loses_keys_of_steps, "step-by-step/after-a-step"),
        # where a token sees another goes by their positions
        (taking(asked(HEALTHY_MODEL, lambda ids, band, old: (
            ids, band & (ids[:, :, None] // 48 == ids[:, None] // 48))), "position_ids"), "shift/absolute"),
        (biased(lambda far: -0.5 * (-far).clamp(min=0)), "position_ids/sign"),
        (biased(lambda far: 0 * far), "position_ids/unused-perhaps"),
        (asked(HEALTHY_MODEL, lambda ids, band, old: (0 * ids, band)), "position_ids/nothing"),
        (unlike_with_a_cache(lambda far, old: -0.3 * far if not old else 0.3 * far),
         "step-by-step/scores"),
        (without_ids(while_cached(FREQUENCIES, lambda one: 3 * one)), "step-by-step/new-keys"),
        (without_ids(counted_by_itself("queries")), "step-by-step/queries"),
        (counted_by_itself("keys"), "step-by-step/new-keys"),
        (without_ids(padding_only(attending(blind_to_new_ones))), "step-by-step/not-itself"),
        (a_late_end, "step-by-step/state-early"),
        (asked(HEALTHY_MODEL, lambda ids, band, old: (ids, band & (torch.arange(band.shape[2]) >= old))),
         "step-by-step/unused"),
        (one_too_far_in_a_batch, "step-by-step/batch-cache"),
        (a_state_that_steps_leave, "step-by-step/beside-attention"),
        (mask_kept_by_its_shape(), "left-padding/mask-kept"),
        (mask_kept_by_its_shape(counts=True), "left-padding/order-of-texts"),
        (numbered, "batch/number-of-the-text-perhaps"),
        (lambda tokens, position_ids=None, mask=None: TABLE(tokens, numbers(tokens), mask)[0],
         "position_ids/number-of-the-text"),
        (lambda tokens, position_ids=None: TABLE(tokens, numbers(tokens) if position_ids is None
                                                 else position_ids)[0], "first-position/all-alike"),
        (values_turn_later, "step-by-step/values"),
        (values_turn, "shift/values-turned"),
        (without_ids(attending(slopes_of_texts, STILL)), "batch/bias-of-texts"),
        (beside_attention(last=False), "step-by-step/state-first"),
        (without_ids(asked(HEALTHY_MODEL, lambda ids, band, old: (ids + (0 if old else ids.shape[1] // 2),
                                                                 band))), "step-by-step/new-keys"),
        (loses_its_state, "step-by-step/beside-attention"),
        (counted_by_itself("queries"), "shift/own-queries"),
        (counted_by_itself("keys"), "shift/own-keys"),
        (beside_attention(kept=0), "step-by-step/state-empty"),
        (without_ids(beside_attention(kept=0)), "several-new-tokens/state-empty"),
        (beside_attention(ahead=1), "future/convolution-ahead"),
        (without_ids(beside_attention(chunks=False)), "several-new-tokens/state-not-read"),
        (without_ids(beside_attention(texts=False)), "step-by-step/first-cache"),
        (attending(without_sinks_in_a_cache, FOUR_LAYERS), "step-by-step/brought"),
        (unlike_with_a_cache(lambda far, old: -0.1 * far.clamp(max=12 if old else 999)),
         "step-by-step/scores"),
        (attending(turns_cached_keys_on), "several-new-tokens/keys-elsewhere"),
        (with_mask(hides_rows), "left-padding/mask-rows"),
        (forgets_after_eight_steps, "step-by-step/values"),
        (without_ids(asked(HEALTHY_MODEL, lambda ids, band, old: (ids + (0 < old and ids.shape[1] > 7),
                                                                 band))), "several-new-tokens/new-keys"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_causes_that_look_alike_are_told_apart(model, id):
    hyphened = {examined_model.hyphened(name): name for name in doctor.CHECKS}
    until = hyphened.get(id.partition("/")[0], "equal tokens")
    found = wrong(examined(model, until, relative=True))
    assert id in [one.id for one in found] and not found[0].id.endswith("/unexplained")


@pytest.mark.parametrize(
    ("model", "until", "words"),
    [
        (in_two_parts(raw=True), "step by step", "Look first at a second product in the scores"),
        (in_two_parts(one=True), "several new tokens", "Look first at a second product in the scores"),
        (attending(functools.partial(turns_cached_keys_on, seen=False)), "several new tokens",
         "or cached keys"),
        (attending(lambda q, k, v, attn_mask: (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(
            ~attn_mask, -4).softmax(dim=-1) @ v), "future", "a weak mask"),
        (with_mask(lambda mask, ids, old: (mask, (mask.cumsum(dim=1) - 1).clamp(min=0).amin(dim=0)[None])),
         "left padding", "or the smallest"),
    ],
    ids=["raw", "parts", "unseen", "weak", "smallest"],
)  # fmt: skip
def test_what_nobody_can_tell_apart_is_in_the_list(model, until, words):
    (found,) = wrong(examined(model, until, without=("shift", "step by step"), relative=True))
    assert words in found.culprit


RULER, EVERY_SECOND = with_bias(lambda far: -0.5 * far), windows_by_layer(20, None)
ONE_MORE = windows_by_layer(21, None)
OTHER_BUCKETS = functools.partial(in_buckets, borders=(2, 4, 6, 8, 12, 16))
WITH_IDS = "position_ids", "mask"


@pytest.mark.parametrize(
    ("patient", "reference", "id", "words"),
    [
        (with_bias(lambda far: 0.5 * far), RULER, "bias-sign", ""),
        (with_bias(lambda far: -0.3 * far), RULER, "bias-size", ""),
        (with_bias(lambda far: -0.3 * far, fused=True), RULER, "bias-size", ""),
        (with_bias(lambda far: -torch.linspace(0.1, 0.4, 4)[:, None, None] * far), RULER, "bias-slopes", ""),
        (with_bias(lambda far: -0.5 * far * (next(LAYERS) == 0)), RULER, "bias-left-out", ""),
        (with_bias(lambda far: -0.5 * far * (next(LAYERS) == 1)), RULER, "bias-left-out", ""),
        (with_bias(lambda far: -0.5 * far.clamp(max=6)), RULER, "buckets", ""),
        (with_bias(lambda far: -0.5 * far + 9.0 * (far == 40)), RULER, "from-distance", ""),
        (with_bias(lambda far: -0.5 * far, embedding=0.5), RULER, "alone", ""),
        (with_bias(lambda far: -0.5 * far, scale=0.5), RULER, "scale", ""),
        (with_bias(lambda far: -((far / 20) ** 2)), RULER, "distance", "the slope or the table"),
        (with_bias(lambda far: -2 * (1 + far.abs()).log()), RULER, "distance", "the slope or the table"),
        (RULER, with_bias(lambda far: -0.5 * far, sink=50.0), "sinks", ""),
        (with_bias(OTHER_BUCKETS), with_bias(in_buckets), "buckets", ""),
        # all of the past is in one bucket
        (with_bias(lambda far: in_buckets(-far)), with_bias(in_buckets), "bias-left-out", ""),
        (biased(lambda far: -0.03 * far), biased(lambda far: -0.02 * far), "bias-size", ""),
        (biased(lambda far: 0.2 * far), biased(lambda far: -0.2 * far), "bias-sign", ""),
        (biased(OTHER_BUCKETS), biased(in_buckets), "buckets", "the first that differs is 7"),
        (biased(lambda far: -0.3 * far), biased(lambda far: 0 * far), "bias-added", ""),
        (with_bias(lambda far: far.abs() / 30, *WITH_IDS), with_bias(lambda far: -far.abs() / 30, *WITH_IDS),
         "bias-sign", ""),
        (with_bias(lambda far: in_buckets(far) * (next(LAYERS) == 0), *WITH_IDS),
         with_bias(in_buckets, *WITH_IDS), "bias-left-out", ""),
        (with_bias(lambda far: -(far.clamp(max=20) / 2), *WITH_IDS),
         with_bias(lambda far: -(far.clamp(max=24) // 2 / 2), *WITH_IDS), "buckets", ""),
        (sines(1_000), sines(), "base", "the base is 1,000, and 10,000 in the reference"),
        (sines(10_000 ** (15 / 16)), sines(), "base-or-exponent", "such as i / (d / 2) for i / (d / 2 - 1)"),
        (sines(halves=True), sines(), "table-columns",
         "sines and cosines lie in halves, and in turn in the reference"),
        (in_rows(lambda rows: rows.roll(-1, 0), "position_ids"), TABLE, "row-one-later", ""),
        (in_rows(lambda rows: rows.roll(2, 0), "position_ids"), TABLE, "row-two-earlier", ""),
        (in_rows(lambda rows: 6 * rows, "position_ids"), TABLE, "table-size", ""),
        (in_rows(lambda rows: torch.cat([rows[:1], rows[1:].flip(0)])), taking(TABLE), "table", ""),
        (in_rows(lambda rows: torch.cat([rows[:1], rows[1:].flip(0)]) / 2), taking(TABLE), "first", ""),
        (HEALTHY_MODEL, attending(by_place), "scale-places", ""),
        (HEALTHY_MODEL, attending(with_a_sink), "sinks", ""),
        (with_state(0.5), with_state(0.7), "distance", "at the decay of a state"),
        (mixed(1.0, 2.0, 5.0), mixed(5.0, 2.0, 1.0), "alone-state", "taps"),
        (mixed(5.0, 1.0, 2.0), mixed(5.0, 2.0, 1.0), "distance", "taps"),
        (mixed(5.0, 2.0, 3.0), mixed(5.0, 2.0, 1.0), "from-distance", "taps"),
        # what turns in a product of its own is no bias
        (in_two_parts(halves=False), in_two_parts(), "distance", "rotation"),
        (ONE_MORE, EVERY_SECOND, "window-wider", "and no other"),
        (padding_only(ONE_MORE), padding_only(EVERY_SECOND), "window-wider", "and no other"),
        (torch.inference_mode()(ONE_MORE), torch.inference_mode()(EVERY_SECOND), "window-wider", ""),
        (windows_by_layer(21, None, room=9), EVERY_SECOND, "window-wider", "and no other"),
        (windows_by_layer(19, None), EVERY_SECOND, "window-narrower", "and no other"),
        (windows_by_layer(None, 20), EVERY_SECOND, "window-layers", "in other layers"),
        (windows_by_layer(None, 20, room=9), EVERY_SECOND, "window-layers", ""),
        (windows_by_layer(-20, None), EVERY_SECOND, "window-shape", "and no other"),
        (windows_by_layer(20, 19), EVERY_SECOND, "window-narrower", "and no other"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_not_as_in_the_reference(patient, reference, id, words):
    found = beside(patient, reference)
    assert found.id == f"reference/{id}" and words in found.culprit


def test_texts_are_longer_than_a_window_that_is_said():
    assert "texts of 1 to 210 tokens" in doctor.examine(bare, window=200).tried
    with pytest.raises(ValueError, match="window must be at least 0, got -1"):
        doctor.examine(bare, window=-1)


def test_a_rejected_draft_that_is_kept():
    class Kept(list):
        def crop(self, count):
            """Takes nothing back."""

    class Right(list):
        def crop(self, count):
            self[:] = [tuple(rows[:, :, :count] for rows in layer) for layer in self]

    for kind, words in ((Right, ""), (Kept, "a rejected draft is kept")):

        def logits(tokens, position_ids=None, cache=None, kind=kind):
            scores, new = HEALTHY_MODEL(tokens, position_ids, None, cache)
            return scores, kind(new)

        found = wrong(examined(logits, "several new tokens"))
        assert "".join(one.culprit for one in found) == words


@pytest.mark.parametrize(
    "factor",
    [
        (lambda p: 0.2 * (p // 16_384).clamp(max=9)),  # as in Ministral 3
        (lambda p: 0.1 * torch.log1p(p.double())),  # grows so slowly that far places look alike
    ],
)
def test_a_query_temperature_is_no_fault(factor):
    def logits(tokens, position_ids=None, mask=None, cache=None):
        scores, cache = HEALTHY_MODEL(tokens, position_ids, mask, cache)
        ids = torch.arange(tokens.shape[1])[None] if position_ids is None else position_ids
        return scores * (1 + factor(ids)[..., None]), cache

    assert examined(logits, "far positions")[-1].status == "note"


# What a stranger's models showed


def in_bfloat16(fault=None, last=None, size=1):
    """A model in float32 under autocast, and what is done with its scores in float32."""
    small = SmallLlama(fault).float()
    small.dtype = torch.float32
    with torch.no_grad():
        for weights in small.model.parameters():
            weights.mul_(size if weights.ndim == 2 else 1)
    model = doctor.adapted(small)

    def logits(tokens, position_ids=None, mask=None, cache=None):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores, cache = model(tokens, position_ids, mask, cache)
        return last(scores.float()), cache

    return logits


def test_rounding_to_16_bits_inside_is_no_fault():
    (finding,) = doctor.examine(in_bfloat16(last=lambda scores: scores), VOCAB_SIZE, relative=True)
    assert finding.status == "not tried" and "model.float(), and no autocast" in finding.look_at
    capped = functools.partial(in_bfloat16, last=lambda scores: 30 * torch.tanh(scores / 30))
    findings = doctor.examine(capped(), VOCAB_SIZE, relative=True)
    assert not wrong(findings), "\n".join(map(str, findings))
    assert not wrong(doctor.examine(capped(size=1.5), VOCAB_SIZE, relative=True))  # there, 18%
    (shift,) = [one for one in findings if one.check == "shift"]
    assert shift.status == "not tried" and "the rounding of bfloat16 may do" in shift.says
    found = wrong(doctor.examine(capped("only queries turn"), VOCAB_SIZE, relative=True))
    assert "shift/only-queries" in [one.id for one in found]


def test_little_that_a_shift_does_is_no_sign_of_what_is_wrong_where_nobody_sees_inside(monkeypatch):
    monkeypatch.setattr(examined_model, "PRODUCTS", ())
    capped = in_bfloat16(last=lambda scores: 30 * torch.tanh(scores / 30))
    (shift,) = [one for one in doctor.examine(capped, VOCAB_SIZE, relative=True) if one.check == "shift"]
    assert not shift.culprit and "rounded to 16 bits inside? Ask in float32" in shift.look_at
    found = wrong(doctor.examine(SmallLlama("pairs mixed up"), VOCAB_SIZE, relative=True))
    assert "shift/no-rotation" in [one.id for one in found]


def weak(q, k, v, attn_mask, after=False):
    """The causal mask is right. The other one takes only 1 from the scores, or comes after the softmax."""
    causal = torch.ones(k.shape[2], k.shape[2])[-q.shape[2] :].tril(k.shape[2] - q.shape[2]).bool()
    scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~causal, -1e9)
    if after:
        return (scores.softmax(dim=-1) * attn_mask) @ v
    return (scores - (~attn_mask).double()).softmax(dim=-1) @ v


def a_small_number(tokens, position_ids=None, mask=None):
    """The mask makes what it hides only a little less likely, and hiding everything changes nothing."""
    added = 0.0 if mask is None else mask[:, None, None] if mask.ndim == 2 else mask[:, None]

    def attention(q, k, v, attn_mask):
        causal = torch.ones(q.shape[2], k.shape[2]).tril(k.shape[2] - q.shape[2]).bool()
        return attend(q, k, v, causal, lambda scores: scores + added)

    return attending(attention)(tokens, position_ids)


def mask_of_another_text(q, k, v, attn_mask):
    batch, heads, n = q.shape[:3]
    mask = attn_mask.expand(batch, 1, n, -1).repeat(heads, 1, 1, 1)
    return attend(q, k, v, mask.view(batch, heads, n, -1))


def weak_between_texts(q, k, v, attn_mask):  # a packed row is the only text with a mask
    return (weak if len(q) == 1 else attend)(q, k, v, attn_mask)


def off_by_one(by):
    def moved(mask, ids, old):
        one = torch.ones_like(mask[:, :1])
        return torch.cat([one, mask[:, :-1]] if by > 0 else [mask[:, 1:], one], dim=1), ids

    return with_mask(moved)


def values_after_the_new_ones(q, k, v, attn_mask):  # new values first, cached keys first
    return attend(q, k, v.roll(q.shape[2] % k.shape[2], 2), attn_mask)


def test_positions_that_begin_at_1_with_a_mask():
    def from_one(mask, ids, old):
        return mask, mask.cumsum(dim=1) if ids is None else ids

    model = with_mask(from_one, TABLE)
    (finding,) = wrong(doctor.examine(model, VOCAB_SIZE))
    assert finding.culprit == "with a mask, positions begin at 1"
    (finding,) = wrong(doctor.examine(taking(model, "mask"), VOCAB_SIZE))
    assert finding.id == "left-padding/mask-changes"


def windowed(width, with_a_mask=None, with_a_cache=None, on_top=True, last=True):
    """The small Llama with a window, and another one where there is a mask of padding, or a cache.

    A mask with three axes goes on top or takes its place. With a cache the mask of padding is cut to so many
    keys, at the right end or at the other one.
    """

    def logits(tokens, position_ids=None, mask=None, cache=None):
        n, old = tokens.shape[1], 0 if cache is None else cache[0][0].shape[2]
        padded = mask is not None and mask.ndim == 2
        places = torch.arange(old + n)
        far = (places[:, None] - places)[old:]
        band = (far >= 0) & (far < ((with_a_mask if padded else with_a_cache if old else 0) or width))
        if position_ids is None:
            position_ids = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, old:] if padded else places[None, old:]
        if padded and old and not last:
            kept = min(width, old + n)
            mask = torch.cat([mask[:, : old + n - kept], mask[:, :kept]], dim=1)
        if padded:
            band = (band & mask[:, None]) | (far == 0)
        elif mask is not None:
            band = band & mask if on_top else mask
        return HEALTHY_MODEL(tokens, position_ids, band.expand(len(tokens), n, old + n), cache)

    return logits


def padded_wrongly(change):
    """The small Llama with another mask of padding, made of this one and of how many tokens are new."""
    return with_mask(
        lambda mask, ids, old: (
            change(mask, mask.shape[1] - old),
            (mask.cumsum(dim=1) - 1).clamp(min=0) if ids is None else ids,
        )
    )


def hides_the_last_cached_one(mask, new):
    """Where there is padding."""
    mask, old = mask.clone(), mask.shape[1] - new
    mask[:, old - 1 : old] &= mask[:, :1]
    return mask


def begins_anew(tokens, mask=None):
    """A state that is lost after every 64 tokens of a row."""
    assert mask is None or mask.ndim == 2, "masks of padding only"
    x = one_hot(tokens) * (1 if mask is None else mask[..., None])
    return a_state(x, 1 / 3, goes_on=(at % 64 > 0 for at in range(tokens.shape[1])))


def forgets_the_cached_part(mask, new):
    old = mask.shape[1] - new
    return torch.cat([mask[:, :old] | (new > 1), mask[:, old:]], dim=1)


@pytest.mark.parametrize(
    ("model", "id", "words"),
    [
        (windowed(24, last=False), "padded-step-by-step/long-mask", "texts of 156 tokens"),
        (padded_wrongly(lambda mask, new: mask | (mask.shape[1] >= 64)), "left-padding/long-mask",
         "a text of 156 tokens, and not"),
        (padded_wrongly(forgets_the_cached_part), "padded-step-by-step/mask-unused",
         "several tokens at once"),
        (padded_wrongly(hides_the_last_cached_one), "padded-step-by-step/hidden",
         "as each does alone"),
        (taking(windowed(24, with_a_mask=23), "position_ids", "mask"), "left-padding/long-mask",
         "a text of 156 tokens, and not"),
        (begins_anew, "left-padding/long-mask", "a text of 156 tokens, and not"),
    ],
    ids=["cut", "dropped", "several", "hides", "ones", "anew"],
)  # fmt: skip
def test_a_mask_of_padding_that_only_some_texts_lose(model, id, words):
    (finding,) = wrong(without_far(model))
    assert finding.id == id and words in finding.says


def test_padding_in_a_long_text_is_tried_where_all_is_right():
    findings = without_far(windowed(24))
    assert not wrong(findings), "\n".join(map(str, findings))
    assert [one.check for one in findings if one.says.endswith("of 10 tokens and of 156")] == [
        "left padding", "padded, step by step"]  # fmt: skip


def rows_of_the_cache(change):
    return with_cache(lambda cache: [tuple(map(change, layer)) for layer in cache])


def rounded_to(digits):
    def rounded(rows):
        size = rows.abs().amax(dim=-1, keepdim=True) / digits
        return (rows / size).round() * size

    return rows_of_the_cache(rounded)


@pytest.mark.parametrize("digits", [32, 64, 128])
def test_a_cache_that_is_rounded_gets_no_other_name(digits):
    found = wrong(without_far(rounded_to(digits)))
    assert {one.id.partition("/")[2] for one in found} == {"rounded-cache"}, found
    assert not any("batch" in one.says for one in found)


@pytest.mark.parametrize("kept", [torch.float64, torch.bfloat16])
def test_keys_that_are_rounded_after_their_turn(kept):
    model = attending(lambda q, k, v, attn_mask: attend(q, k.bfloat16().to(k), v, attn_mask))

    def logits(tokens, position_ids=None, mask=None, cache=None):
        scores, cache = model(tokens, position_ids, mask, cache)
        return scores, [[one.to(kept).to(one) for one in layer] for layer in cache]

    found = wrong(doctor.examine(logits, VOCAB_SIZE, relative=True))
    assert [one.id for one in found] == ["far-positions/rounded-cache"] * (kept != torch.bfloat16)


def test_a_cache_in_8_bits_is_among_what_may_be():
    model = rows_of_the_cache(lambda rows: rows.to(torch.float8_e4m3fn).double())
    found = wrong(without_far(model))
    assert found and all("cache is rounded, for example to 8 bits" in one.culprit for one in found), found


def test_many_new_tokens_are_not_held_to_what_a_rounded_cache_does_to_few():
    told = {"without": ("far positions", "batch", "step by step"), "tolerance": 0.05, "relative": True}
    assert not wrong(examined(rounded_to(24), "several new tokens", **told))


def test_two_conversations_in_turn():
    def kept(shown):
        last = []

        def logits(tokens, position_ids=None, cache=None):
            scores, new = HEALTHY_MODEL(tokens, position_ids, None, None if cache is None else last[0])
            last[:] = [new]
            return scores, shown(new)

        return logits

    (finding,) = wrong(examined(kept(lambda new: new), "several new tokens"))
    assert finding.id == "several-new-tokens/not-its-own"
    only = []  # what a model gives out that holds one conversation, and says so
    findings = examined(kept(lambda new: only), "several new tokens")
    assert not wrong(findings) and "this model holds one cache for all" in "\n".join(map(str, findings))


def test_a_cache_for_one_text_only():
    def refuse(rows):
        assert len(rows) == 1, "one text at a time"
        return rows

    findings = examined(taking(rows_of_the_cache(refuse), "position_ids", "cache"), "several new tokens")
    assert {"wrong", "failed"}.isdisjoint(one.status for one in findings)
    assert "several texts with a cache: the model ends in AssertionError" in "\n".join(map(str, findings))


@pytest.mark.parametrize("turns", [True, False])
def test_a_model_that_shows_no_sign_of_positions(turns):
    findings = doctor.examine(taking(HEALTHY_MODEL if turns else STILL, "mask"), VOCAB_SIZE, relative=True)
    assert not wrong(findings) and ("no sign of positions" in "\n".join(map(str, findings))) is not turns


def between_texts(change):
    """The small Llama with another mask with three axes."""

    def logits(tokens, position_ids=None, mask=None):
        mask = change(mask) if mask is not None and mask.ndim == 3 else mask
        return HEALTHY_MODEL(tokens, position_ids, mask)[0]

    return logits


def all_but_causal(mask):
    causal = torch.ones_like(mask).tril()
    return mask if torch.equal(mask, causal) else causal


@pytest.mark.parametrize("on_top", [True, False])
def test_packed_texts_that_are_longer_than_a_window(on_top):
    model = taking(windowed(20, on_top=on_top), "position_ids", "mask")
    findings = without_far(model)
    assert not wrong(findings)
    packing = [one for one in findings if one.check == "packing"]
    assert [one.status for one in packing] == (["right"] if on_top else ["right", "note"])
    assert on_top or packing[1].id == "packing/window-dropped"
    assert on_top == ("packing was tried in short texts only" not in findings.tried)


CACHED = "step-by-step/{0} several-new-tokens/{0}".format


@pytest.mark.parametrize(
    ("model", "ids"),
    [
        (attending(weak), "left-padding/mask-weak"),
        (attending(functools.partial(weak, after=True)), "left-padding/mask-late"),
        (attending(weak_between_texts), "packing/mask-weak"),
        *((without_ids(attending(functools.partial(weak, after=after), with_mask(
            lambda mask, ids, old: (mask, (mask.cumsum(dim=1) - 1).clamp(min=0)), TABLE))),
           "left-padding/state-runs-on") for after in (False, True)),
        (a_small_number, "left-padding/mask-finite"),
        (attending(mask_of_another_text), "left-padding/mask-of-another"),
        (off_by_one(1), "left-padding/mask-off-by-one"),
        (off_by_one(-1), "left-padding/mask-off-by-one"),
        (rows_of_the_cache(lambda rows: rows[:1].expand_as(rows)), CACHED("first-cache")),
        (rows_of_the_cache(lambda rows: rows.flip(0)), CACHED("batch-cache")),
        (with_cache(lambda cache: [layer[::-1] for layer in cache]), CACHED("unexplained")),
        (attending(values_after_the_new_ones), CACHED("values")),
        (windowed(8, with_a_cache=9), CACHED("wider")),
        (windowed(8, with_a_cache=999), CACHED("wider")),
        (windowed(2, with_a_cache=999), CACHED("missing")),
        (windowed(999, with_a_cache=8), CACHED("drops")),
        (windowed(8), ""),
        (without_ids(with_mask(lambda mask, ids, old: (
            mask, last_ones(mask, ids, mask.shape[1]) if old else None))), "padded-step-by-step/new-keys"),
        (without_ids(puts_new_keys_by_their_number), "padded-step-by-step/overwritten"),
        (between_texts(lambda mask: mask.mT), "packing/mask-transposed"),
        (between_texts(lambda mask: ~mask), "packing/mask-inverted"),
        (taking(between_texts(lambda mask: mask[:, -1]), "mask"), "packing/mask-last-row"),
        (taking(between_texts(all_but_causal), "mask"), "packing/mask-unused"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_wrong_is_named_and_nothing_else_is_blamed(model, ids):
    assert [one.id for one in wrong(without_far(model))] == ids.split()


def test_a_cache_that_drops_old_keys_is_seen_in_a_long_text():
    found = wrong(without_far(keeps(slice(-32, None))))
    assert found[0].check == "step by step" and "in a text of 160 tokens" in found[0].says
    assert found[0].id == "step-by-step/drops" and "keeps no more" in found[0].culprit
    found = wrong(without_far(windowed(8, with_a_cache=6)))
    assert found[0].id == "step-by-step/drops" and "at 7 does not see 0, 1" in found[0].culprit
