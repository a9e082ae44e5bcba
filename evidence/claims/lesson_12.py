"""The claims of lesson 12 that depend on chance. The lesson itself trains with seed 0."""

import copy
import functools

import numpy as np
import torch

from evidence.claims.runner import SEEDS, at_least, below, between
from pe_lessons import arrays, toys

LENGTHS = (32, 64, 128, 256)


KINDS = {
    "ALiBi": lambda: toys.ALiBi([2, 1, 0.5, 0.25]),
    "T5": lambda: toys.T5(4, num_buckets=16, max_distance=32, bidirectional=False),
    "none": toys.Encoding,
    "RoPE": toys.Rotary,
    "sinusoidal": lambda: toys.Table(arrays.sinusoidal(256, 32)),
    "learned": lambda: toys.Table(torch.randn(256, 32), learned=True),
    "T5, max_distance 64": lambda: toys.T5(4, num_buckets=16, max_distance=64, bidirectional=False),
}
HOLD, FALL = ("ALiBi", "T5"), ("RoPE", "sinusoidal", "learned")


@functools.cache
def trained(name, seed):
    torch.manual_seed(seed)
    model = toys.TinyTransformer(8, 8, num_heads=4, num_layers=2, causal=True, encoding=KINDS[name]())
    tokens, _ = toys.markov(300 * 12, 32, seed=1000 + seed)
    texts = ((batch, toys.next_token(batch)) for batch in tokens.split(12))
    toys.train(model, texts, steps=300, print_every=None)
    return model


@functools.cache
def new_positions(seq_len, seed):
    tokens, by_rule = toys.markov(3072 // seq_len, seq_len, seed=2000 + seed)
    by_rule[:, : seq_len // 2] = toys.IGNORE_INDEX
    return tokens, by_rule


def share(model, seq_len, seed):
    return toys.accuracy(model, *new_positions(seq_len, seed))


def with_encoding(model, encoding):
    model = copy.deepcopy(model)
    model.encoding = encoding
    return model


def rotary(seed, scaling):
    return with_encoding(trained("RoPE", seed), toys.Rotary(scaling=scaling))


def tuned(model, seed):
    model = copy.deepcopy(model)
    tokens, _ = toys.markov(20 * 8, 128, seed=3000 + seed)
    texts = ((batch, toys.next_token(batch)) for batch in tokens.split(8))
    toys.train(model, texts, steps=20, lr=2e-3, print_every=None)
    return model


def language():
    """The language: the word that is due, guessed without looking properly"""
    frequent, last = [], []
    for seed in SEEDS:
        tokens, by_rule = toys.markov(200, 256, seed=3000 + seed)
        counts = torch.zeros(8, 8)
        places = tokens[:, 1:].flatten(), by_rule[:, 1:].flatten()
        counts.index_put_(places, torch.tensor(1.0), accumulate=True)
        frequent.append((counts.sum(dim=0).max() / counts.sum()).item())
        last.append((counts.max(dim=1).values.sum() / counts.sum()).item())
    yield "the most frequent word", frequent, between(0.2, 0.25)
    yield "from the last word", last, between(0.48, 0.52)


def six_encodings():
    """Six encodings, trained on 32 words: share right at new positions"""
    shares = {}
    for name in (*HOLD, "none", *FALL):
        for seq_len in LENGTHS:
            shares[name, seq_len] = [share(trained(name, seed), seq_len, seed) for seed in SEEDS]
            good = name in HOLD or (name in FALL and seq_len == 32)
            yield f"{name}, {seq_len}", shares[name, seq_len], (at_least(0.8) if good else below(0.7))
    for name in FALL:
        yield f"{name}, at most, 128 and 256", np.maximum(shares[name, 128], shares[name, 256]), below(0.5)
    yield "none at 256 is what the last word gives", shares["none", 256], between(0.4, 0.6)
    yield "none, 32 minus 256", np.subtract(shares["none", 32], shares["none", 256]), at_least(0.05)
    orders = {tuple(sorted(FALL, key=lambda name: shares[name, 256][n])) for n in range(len(SEEDS))}
    yield "orders of the three that fall, at 256", [len(orders)], at_least(2)
    lost = []
    for seed in SEEDS:
        lost.append(
            share(trained("T5", seed), 256, seed) - share(trained("T5, max_distance 64", seed), 256, seed)
        )
    yield "T5 at 256: max_distance 32 minus 64", lost, at_least(0.1)


class Window(toys.Rotary):
    def bias(self, queries, positions):
        distances = positions[:, None] - positions
        return torch.where(distances < 32, 0.0, -torch.inf)


def where_it_breaks():
    """Where the rotary model breaks, and on what"""
    for name, early, late in (
        ("RoPE", at_least(0.95), below(0.5)),
        ("ALiBi", at_least(0.95), at_least(0.95)),
    ):
        seen, unseen = [], []
        for seed in SEEDS:
            model = trained(name, seed)
            tokens, by_rule = toys.markov(200, 64, seed=4000 + seed)
            with torch.no_grad():
                hits = (model(tokens).argmax(dim=-1) == by_rule).double().mean(dim=0)
            seen.append(hits[1:32].mean().item())
            unseen.append(hits[48:].mean().item())
        yield f"{name}, positions 1 to 31", seen, early
        yield f"{name}, positions 48 to 63", unseen, late
    for name, claim in (("RoPE", at_least(0.75)), ("ALiBi", below(0.75))):
        far = []
        for seed in SEEDS:
            weights = toys.attention_weights(trained(name, seed), new_positions(128, seed)[0])
            far.append(weights[:, :, -1, : 128 - 32].sum(dim=-1).mean().item())
        yield f"{name}, attention on words over 31 back", far, claim
    least = []
    for seed in SEEDS:
        model = with_encoding(trained("RoPE", seed), Window())
        least.append(min(share(model, seq_len, seed) for seq_len in LENGTHS))
    yield "RoPE with a sliding window of 32, the least of four lengths", least, at_least(0.95)


class Rotated(toys.Encoding):
    def __init__(self, frequencies):
        super().__init__()
        self.frequencies = torch.as_tensor(frequencies)

    def turn(self, rows, positions):
        angles = positions[:, None] * self.frequencies
        sine, cosine = angles.sin(), angles.cos()
        a, b = rows[..., 0::2], rows[..., 1::2]
        return torch.stack([a * cosine - b * sine, a * sine + b * cosine], dim=-1).flatten(-2)


def by_parts(factor):
    window = {"original_max_position_embeddings": 32}
    return {"rope_type": "ntk_by_parts", "factor": factor, "alpha": 0.5, "beta": 1.5} | window


def yarn(truncate):
    turns = {"beta_fast": 1.5, "beta_slow": 0.5, "truncate": truncate}
    return {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 32} | turns


RULES = {
    "as it was": (None, below(0.4), below(0.5)),
    "position interpolation": ({"rope_type": "linear", "factor": 4}, between(0.4, 0.65), between(0.5, 0.85)),
    "NTK-aware": ({"rope_type": "ntk", "factor": 4}, below(0.4), below(0.5)),
    "by parts": (by_parts(4), at_least(0.65), at_least(0.85)),
}


def one_pair_slowed():
    """One pair slowed down by 4, at 128 words"""
    for pair in range(4):
        frequencies = arrays.rotary_frequencies(8)[0]
        frequencies[pair] /= 4
        shares = [
            share(with_encoding(trained("RoPE", seed), Rotated(frequencies)), 128, seed) for seed in SEEDS
        ]
        yield f"pair {pair}", shares, (at_least(0.65) if pair == 1 else below(0.45))
        none = [share(trained("RoPE", seed), 128, seed) for seed in SEEDS]
        gained = np.subtract(shares, none)
        yield f"pair {pair}, gained", gained, (at_least(0.05) if pair == 1 else below(0.05))
    frequencies = arrays.rotary_frequencies(8)[0]
    frequencies[1] /= 4
    alone = [share(with_encoding(trained("RoPE", seed), Rotated(frequencies)), 128, seed) for seed in SEEDS]
    frequencies[2:] /= 4
    three = [share(with_encoding(trained("RoPE", seed), Rotated(frequencies)), 128, seed) for seed in SEEDS]
    yield "pairs 1, 2 and 3 minus pair 1", np.subtract(three, alone), between(-0.05, 0.05)


def stretched():
    """The rules, at 128 words: at once, and after 20 steps"""
    first = {}
    for name, (rule, at_once, after) in RULES.items():
        first[name] = [share(rotary(seed, rule), 128, seed) for seed in SEEDS]
        yield f"{name}, at once", first[name], at_once
        shares = [share(tuned(rotary(seed, rule), seed), 128, seed) for seed in SEEDS]
        yield f"{name}, after 20 steps", shares, after
        mended = np.subtract(shares, first[name]) / np.subtract(1, first[name])
        if name == "by parts":
            yield "by parts: of what is missing, mended by 20 steps", mended, at_least(0.4)
    gained = {name: np.subtract(first[name], first["as it was"]) for name in first}
    yield "position interpolation helps, at once", gained["position interpolation"], at_least(0.1)
    yield "NTK-aware does not help at 128 words, at once", gained["NTK-aware"], below(0.05)


def other_lengths():
    """The rules at 64 and 256 words, with the factor that the length asks for"""
    for seq_len in (64, 256):
        shares = {}
        for name, (rule, *_) in RULES.items():
            scaling = rule and rule | {"factor": seq_len // 32}
            shares[name] = [share(rotary(seed, scaling), seq_len, seed) for seed in SEEDS]
            yield f"{name}, {seq_len}", shares[name]
        if seq_len == 64:
            short = [share(trained("RoPE", seed), 32, seed) for seed in SEEDS]
            loss = np.subtract(short, shares["as it was"])
            made_good = np.subtract(shares["NTK-aware"], shares["as it was"]) / loss
            yield "NTK-aware, 64: part of the loss made good", made_good, between(0.3, 0.5)
        best = np.max([shares[name] for name in RULES if name != "by parts"], axis=0)
        ahead = np.subtract(shares["by parts"], best)
        yield f"by parts minus the next best, {seq_len}", ahead, at_least(0.05)
    yield "by parts, 256", shares["by parts"], between(0.5, 0.85)


def other_settings():
    """Other settings"""
    parts = [share(rotary(seed, by_parts(4)), 128, seed) for seed in SEEDS]
    short = [share(rotary(seed, by_parts(4)), 32, seed) for seed in SEEDS]
    yield "by parts with factor 4, at 32", short, between(0.7, 0.9)
    whole = [share(rotary(seed, yarn(truncate=False)), 128, seed) for seed in SEEDS]
    yield "YaRN minus by parts", np.subtract(whole, parts), between(-0.05, 0.05)
    rounded = [share(rotary(seed, yarn(truncate=True)), 128, seed) for seed in SEEDS]
    yield "YaRN, rounded", rounded, below(0.45)
    bounds = {"beta_fast": 4.0, "beta_slow": 1.0}
    wide = [share(rotary(seed, yarn(truncate=True) | bounds), 128, seed) for seed in SEEDS]
    yield "YaRN, rounded, bounds 1 and 4, minus by parts", np.subtract(wide, parts), between(-0.05, 0.05)
    strong = arrays.frequencies(8, base=10_000 * 4.0**4)
    shares = [share(with_encoding(trained("RoPE", seed), Rotated(strong)), 128, seed) for seed in SEEDS]
    yield "base times s^4 minus by parts", np.subtract(shares, parts), between(-0.05, 0.05)


def counting(seed, num_texts, mark=True):
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(1, 8, (num_texts, 16), generator=generator)
    if mark:
        tokens[:, 0] = 0
    positions = torch.arange(16).repeat(num_texts, 1)
    positions[:, 0] = toys.IGNORE_INDEX
    return tokens, positions


def counters():
    """No encoding: each word is asked for its position"""
    for name, causal, mark, claim in (
        ("causal", True, True, at_least(0.98)),
        ("no mask", False, True, below(0.1)),
        ("causal, no mark", True, False, below(0.25)),
    ):
        shares, hits = [], []
        for seed in SEEDS:
            torch.manual_seed(seed)
            model = toys.TinyTransformer(8, 16, num_heads=2, causal=causal)
            batches = zip(*(part.split(32) for part in counting(1000 + seed, 200 * 32, mark)))
            toys.train(model, batches, steps=200, print_every=None)
            shares.append(toys.accuracy(model, *counting(2000 + seed, 512, mark)))
            tokens, positions = counting(3000 + seed, 64)
            rolled = [torch.cat([tokens[:, :1], tokens[:, 1:].roll(n, 1)], 1) for n in range(15)]
            with torch.no_grad():
                answers = model(torch.cat(rolled)).argmax(dim=-1)
            hits.append((answers == positions.repeat(15, 1))[:, 1:].sum().item())
        yield name, shares, claim
        if not causal:
            yield "no mask: hits of 14,400", hits, between(960, 961)


CLAIMS = [
    language,
    six_encodings,
    where_it_breaks,
    one_pair_slowed,
    stretched,
    other_lengths,
    other_settings,
    counters,
]
