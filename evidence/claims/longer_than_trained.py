"""The claims of lesson 13 that depend on chance. The lesson itself trains with seed 0."""

import copy

import torch

from evidence.claims.run_claims import at_least, below, between, each_seed, who_learns
from evidence.claims.train_on_another_seed import kept, train
from evidence.measure_small_models import Sharper, Slowed, rope_with, rules
from pe_lessons import small_models, toys

# What follows words a and b in the language of the toy stands in row a, column b. Random, drawn once.
FOLLOWS = torch.tensor(
    [
        [7, 4, 1, 6, 3, 3, 7, 7],
        [4, 1, 6, 7, 0, 1, 6, 2],
        [2, 0, 7, 6, 4, 0, 7, 7],
        [4, 0, 3, 7, 2, 6, 3, 4],
        [4, 7, 5, 0, 0, 7, 5, 0],
        [3, 5, 0, 2, 0, 1, 6, 6],
        [4, 6, 1, 7, 3, 3, 0, 3],
        [0, 1, 0, 0, 6, 7, 5, 4],
    ]
)


def language(num_texts, seq_len, *, seed):
    """Texts in which each word follows from the last two, but is drawn at random three times in ten.

    Returns tokens and, for each but the first, the word that should follow it by the rule.
    """
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(len(FOLLOWS), (num_texts, seq_len), generator=generator)
    as_drawn = torch.rand(num_texts, seq_len, generator=generator) < 0.3
    for p in range(2, seq_len):
        expected = FOLLOWS[tokens[:, p - 2], tokens[:, p - 1]]
        tokens[:, p] = torch.where(as_drawn[:, p], tokens[:, p], expected)
    by_rule = torch.full_like(tokens, toys.IGNORE_INDEX)
    by_rule[:, 1:] = FOLLOWS[tokens[:, :-1], tokens[:, 1:]]
    return tokens, by_rule


def next_token(tokens):
    """Token p is asked for token p + 1, the last for nothing."""
    return torch.cat([tokens[..., 1:], torch.full_like(tokens[..., :1], toys.IGNORE_INDEX)], dim=-1)


@kept
def trained(seed):
    """A toy with RoPE, trained on texts of 32 words in a language in which the last two words decide."""
    tokens, _ = language(300 * 12, 32, seed=1000 + seed)
    texts = ((batch, next_token(batch)) for batch in tokens.split(12))
    return train(seed, texts, toys.Rotary, sizes=(8, 8), num_heads=4, num_layers=2, causal=True, steps=300)


def share_right(seed, encoding, seq_len=128):
    """Of the toy's guesses in the second half of new texts, with another encoding in its place."""
    tokens, by_rule = language(3072 // seq_len, seq_len, seed=2000 + seed)
    by_rule[:, : seq_len // 2] = toys.IGNORE_INDEX
    model = copy.deepcopy(trained(seed))
    model.encoding = encoding
    return toys.accuracy(model, tokens, by_rule)


@who_learns
@each_seed
def toy_with_one_pair_slowed(seed):
    """The same toy at 128 words, one of its four pairs slowed down by 4"""
    for pair in range(4):
        found = share_right(seed, Slowed(pair, 4, end=pair + 1))
        yield f"pair {pair}", found, at_least(0.7) if pair == 1 else below(0.45)


def counting(seed, num_texts):
    """Random words behind a mark, and the position of each."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(1, 8, (num_texts, 16), generator=generator)
    tokens[:, 0] = 0  # the mark
    positions = torch.arange(16).repeat(num_texts, 1)
    positions[:, 0] = toys.IGNORE_INDEX
    return tokens, positions


@each_seed
def counters(seed):
    """No encoding: each word is asked for its position"""
    for name, causal, claim in (("causal", True, at_least(0.98)), ("no mask", False, below(0.1))):
        batches = zip(*(part.split(32) for part in counting(1000 + seed, 200 * 32)))
        model = train(seed, batches, sizes=(8, 16), num_heads=2, causal=causal)
        yield name, toys.accuracy(model, *counting(2000 + seed, 512)), claim
        if not causal:
            tokens, positions = counting(3000 + seed, 64)
            rolled = [torch.cat([tokens[:, :1], tokens[:, 1:].roll(n, 1)], 1) for n in range(15)]
            with torch.no_grad():
                answers = model(torch.cat(rolled)).argmax(dim=-1)
            hits = (answers == positions.repeat(15, 1))[:, 1:].sum().item()
            yield "no mask: hits of 14,400", hits, between(960, 961)


def far_bits(model, length):
    """Of the second half of windows of the held-out text's beginning, for a small model."""
    text = small_models.encode(small_models.held_out())[:16_384]
    return small_models.bits(model, text, length)[:, length // 2 :].mean().item()


def small_model_slowed():
    """The small rotary model at 1024, its pairs from a number on slowed down by 4: bits won"""
    plain = far_bits(small_models.load("rope"), 1024)
    expected = {(0, 20): below(1.0), (4, 20): at_least(2.0), (9, 20): at_least(2.0), (14, 20): below(0.5)}
    for (first, end), claim in (expected | {(9, 12): at_least(2.0), (12, 20): below(0.5)}).items():
        won = plain - far_bits(rope_with(Slowed(first, 4, end)), 1024)
        yield f"pairs {first} to {end - 1}", [won], claim


def saved(model, count, distance=600):
    """Bits per character, for each of so many made-up names."""
    texts = small_models.needles(distance, count=count)
    defined, undefined = (small_models.bits_of_end(model, some, small_models.NEEDLE_ASKED) for some in texts)
    return (undefined - defined).double()


def small_model_needle_sharper():
    """By parts at 600 characters, as trained at 100, 128 names: what YaRN's factor adds to the bits saved"""
    blunt = saved(rope_with(rules(4)["by parts, 1 to 4 turns"]), 128)
    sharp = saved(rope_with(Sharper(4)), 128)
    yield "by parts", [blunt.mean().item()], at_least(1.0)
    yield "sharper, minus by parts", [(sharp - blunt).mean().item()], between(0.6, 0.75)
    blunt, sharp = (saved(rope_with(one), 128, 100) for one in (toys.Rotary(), Sharper(4, "as trained")))
    yield "as trained, sharper, minus as trained", [(sharp - blunt).mean().item()], between(0.45, 0.55)
