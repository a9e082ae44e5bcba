"""The claims of lesson 13 that depend on chance. The lesson itself trains with seed 0."""

import copy
import functools

import torch

from evidence.claims.runner import SEEDS, at_least, below, between, each_seed
from evidence.claims.training import of_lesson, train
from evidence.measure_small import rope_with, rules
from pe_lessons import arrays, small_models, toys

lesson = of_lesson("13")
LENGTHS = (32, 64, 128, 256)
KINDS = {
    "ALiBi": lambda: toys.ALiBi([2, 1, 0.5, 0.25]),
    "T5": lambda: toys.T5(4, num_buckets=16, max_distance=32, bidirectional=False),
    "none": None,
    "RoPE": toys.Rotary,
    "sinusoidal": lambda: toys.Table(arrays.sinusoidal(256, 32)),
    "learned": lambda: toys.Table(torch.randn(256, 32), learned=True),
}
HOLD, FALL = ("ALiBi", "T5"), ("RoPE", "sinusoidal", "learned")


def texts(seed, steps, batch_size, seq_len):
    tokens, _ = toys.markov(steps * batch_size, seq_len, seed=seed)
    return ((batch, toys.next_token(batch)) for batch in tokens.split(batch_size))


@functools.cache
def trained(name, seed):
    options = {"sizes": (8, 8), "num_heads": 4, "num_layers": 2, "causal": True, "steps": 300}
    return train(seed, texts(1000 + seed, 300, 12, 32), KINDS[name], **options)


@functools.cache
def new_positions(seq_len, seed):
    tokens, by_rule = toys.markov(3072 // seq_len, seq_len, seed=2000 + seed)
    by_rule[:, : seq_len // 2] = toys.IGNORE_INDEX
    return tokens, by_rule


def share_right(model, seq_len, seed):
    return toys.accuracy(model, *new_positions(seq_len, seed))


@functools.cache
def share(name, seq_len, seed):
    return share_right(trained(name, seed), seq_len, seed)


def rotary_with(encoding, seed):
    """The model that was trained with RoPE, with another encoding in its place."""
    model = copy.deepcopy(trained("RoPE", seed))
    model.encoding = encoding
    return model


@each_seed
def language(seed):
    """The language: the word that is due, guessed without looking properly"""
    tokens, by_rule = toys.markov(200, 256, seed=3000 + seed)
    counts = torch.zeros(8, 8)
    places = tokens[:, 1:].flatten(), by_rule[:, 1:].flatten()
    counts.index_put_(places, torch.tensor(1.0), accumulate=True)
    from_last = (counts.max(dim=1).values.sum() / counts.sum()).item()
    yield "from the last word", from_last, between(0.48, 0.52)


@each_seed
def six_encodings(seed):
    """Six encodings, trained on 32 words: share right at new positions"""
    for name in (*HOLD, "none", *FALL):
        for seq_len in LENGTHS:
            good = name in HOLD or (name in FALL and seq_len == 32)
            yield f"{name}, {seq_len}", share(name, seq_len, seed), at_least(0.8) if good else below(0.7)
    for name in FALL:
        yield f"{name}, at most, 128 and 256", max(share(name, n, seed) for n in (128, 256)), below(0.5)
    yield "none at 256 is what the last word gives", share("none", 256, seed), between(0.4, 0.6)
    yield "none, 32 minus 256", share("none", 32, seed) - share("none", 256, seed), at_least(0.05)


def orders():
    """Orders of the three that fall"""
    found = {tuple(sorted(FALL, key=lambda name: share(name, 256, seed))) for seed in SEEDS}
    yield "orders of the three that fall, at 256", [len(found)], at_least(2)


@each_seed
def where_it_breaks(seed):
    """Where the rotary model breaks, and on what"""
    tokens, by_rule = toys.markov(200, 64, seed=4000 + seed)
    for name, late, far in (
        ("RoPE", below(0.5), at_least(0.75)),
        ("ALiBi", at_least(0.95), below(0.75)),
    ):
        model = trained(name, seed)
        with torch.no_grad():
            hits = (model(tokens).argmax(dim=-1) == by_rule).double().mean(dim=0)
        yield f"{name}, positions 1 to 31", hits[1:32].mean().item(), at_least(0.95)
        yield f"{name}, positions 48 to 63", hits[48:].mean().item(), late
        weights = toys.attention_weights(model, new_positions(128, seed)[0])
        on_far = weights[:, :, -1, : 128 - 32].sum(dim=-1).mean().item()
        yield f"{name}, attention on words over 31 back", on_far, far
    model = rotary_with(lesson.Window(), seed)
    least = min(share_right(model, seq_len, seed) for seq_len in LENGTHS)
    yield "RoPE with a sliding window of 32, the least of four lengths", least, at_least(0.95)


@each_seed
def one_pair_slowed(seed):
    """One pair slowed down by 4, at 128 words"""

    def slowed(pairs):
        frequencies = arrays.rotary_frequencies(8)[0]
        frequencies[pairs] /= 4
        return share_right(rotary_with(lesson.Rotated(frequencies), seed), 128, seed)

    for pair in range(4):
        found = slowed(pair)
        yield f"pair {pair}", found, at_least(0.65) if pair == 1 else below(0.45)
        gained = found - share("RoPE", 128, seed)
        yield f"pair {pair}, gained", gained, at_least(0.05) if pair == 1 else below(0.05)
    yield "pairs 1, 2 and 3 minus pair 1", slowed([1, 2, 3]) - slowed(1), between(-0.05, 0.05)


RULES = {  # the options of `toys.Rotary`
    "as it was": {},
    "position interpolation": {"scaling": {"rope_type": "linear", "factor": 4}},
    "NTK-aware": {"scaling": {"rope_type": "ntk", "factor": 4}},
    "256 times the base": {"base": 256 * 10_000},
    "by parts": {"scaling": lesson.by_parts(4)},
}


@each_seed
def stretched(seed):
    """The rules, at 128 words: at once, and after 20 steps"""
    at_once = {}
    for name, untrained, tuned in (
        ("as it was", below(0.4), below(0.5)),
        ("position interpolation", between(0.4, 0.65), between(0.5, 0.85)),
        ("NTK-aware", below(0.4), below(0.5)),
        ("256 times the base", at_least(0.65), at_least(0.85)),
        ("by parts", at_least(0.65), at_least(0.85)),
    ):
        model = rotary_with(toys.Rotary(**RULES[name]), seed)
        at_once[name] = first = share_right(model, 128, seed)
        yield f"{name}, at once", first, untrained
        toys.train(model, texts(3000 + seed, 20, 8, 128), steps=20, lr=2e-3, print_every=None)
        after = share_right(model, 128, seed)
        yield f"{name}, after 20 steps", after, tuned
    yield "by parts: of what is missing, mended by 20 steps", (after - first) / (1 - first), at_least(0.4)
    helps = {name: share - at_once["as it was"] for name, share in at_once.items()}
    yield "position interpolation helps, at once", helps["position interpolation"], at_least(0.1)
    yield "NTK-aware does not help at 128 words, at once", helps["NTK-aware"], below(0.05)
    price = share_right(rotary_with(toys.Rotary(**RULES["by parts"]), seed), 32, seed)
    yield "by parts with factor 4, at 32", price, between(0.7, 0.9)


@each_seed
def counters(seed):
    """No encoding: each word is asked for its position"""
    for name, causal, claim in (("causal", True, at_least(0.98)), ("no mask", False, below(0.1))):
        batches = zip(*(part.split(32) for part in lesson.counting(1000 + seed, 200 * 32)))
        model = train(seed, batches, sizes=(8, 16), num_heads=2, causal=causal)
        yield name, toys.accuracy(model, *lesson.counting(2000 + seed, 512)), claim
        if not causal:
            tokens, positions = lesson.counting(3000 + seed, 64)
            rolled = [torch.cat([tokens[:, :1], tokens[:, 1:].roll(n, 1)], 1) for n in range(15)]
            with torch.no_grad():
                answers = model(torch.cat(rolled)).argmax(dim=-1)
            hits = (answers == positions.repeat(15, 1))[:, 1:].sum().item()
            yield "no mask: hits of 14,400", hits, between(960, 961)


CLAIMS_AT_1024 = {
    "alibi": below(0.2),
    "rope": at_least(1.5),
    "sinusoidal": at_least(2.0),
    "none": between(0.3, 1.5),
}
SAVED_AT_600 = {
    "rope": below(0.3),
    "alibi": between(0.1, 1.5),
    "sliding window": below(0.3),
    "YaRN": at_least(1.0),
}
RULES_WON = {
    "sliding window": at_least(2.0),
    "position interpolation": below(1.0),
    "NTK-aware": between(0.8, 2.5),
    "by parts, 1 to 4 turns": at_least(2.0),
    "YaRN": at_least(2.0),
}


def far_bits(model, length):
    """Of the second half of windows of the held-out text's beginning, for a small model."""
    text = small_models.encode(small_models.held_out())[:16_384]
    return small_models.bits(model, text, length)[:, length // 2 :].mean().item()


def small_models_beyond_their_length():
    """The small models, as they are stored: bits per character in the second half of longer texts"""
    for name, claim in CLAIMS_AT_1024.items():
        model = small_models.load(name)
        lost = far_bits(model, 1024) - far_bits(model, 256)
        yield f"{name}, at 1024 minus at 256", [lost], claim


def small_model_stretched():
    """The small rotary model at 1024, under each rule, at once: bits won"""
    plain = far_bits(small_models.load("rope"), 1024)
    for rule, encoding in rules(4).items():
        if rule in RULES_WON:
            yield rule, [plain - far_bits(rope_with(encoding), 1024)], RULES_WON[rule]


def small_model_needle():
    """The small models, a name defined 600 characters ago: bits saved per character, of 24 names"""
    models = {"rope": small_models.load("rope"), "alibi": small_models.load("alibi")}
    models |= {rule: rope_with(encoding) for rule, encoding in rules(4).items() if rule in SAVED_AT_600}
    for name, model in models.items():
        texts = small_models.needles(600, count=24)
        costs = [small_models.bits_of_end(model, some, small_models.NEEDLE_ASKED).mean() for some in texts]
        yield name, [(costs[1] - costs[0]).item()], SAVED_AT_600[name]
