"""The claims of lesson 13 that depend on chance. The lesson itself trains with seed 0."""

import torch

from evidence.claims.run_claims import at_least, below, between, each_seed
from evidence.claims.train_on_another_seed import train
from evidence.measure_small_models import Sharper, Slowed, rope_with, rules
from pe_lessons import small_models, toys


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


def far_bits(model, length):
    """Of the second half of windows of the held-out text's beginning, for a small model."""
    text = small_models.encode(small_models.held_out())[:6144]
    return small_models.bits(model, text, length)[:, length // 2 :].mean().item()


def small_model_slowed():
    """The small rotary model at 1024, its pairs from a number on slowed down by 4: bits won"""
    plain = far_bits(small_models.load("rope"), 1024)
    expected = {(0, 20): below(1.0), (4, 20): at_least(2.0), (9, 20): at_least(2.0), (14, 20): below(0.5)}
    expected |= {(9, 10): between(0.8, 1.4), (9, 12): at_least(2.5), (12, 20): below(0.5)}
    for (first, end), claim in expected.items():
        won = plain - far_bits(rope_with(Slowed(first, 4, end)), 1024)
        yield f"pairs {first} to {end - 1}", [won], claim


def small_models_sharper():
    """Scores 1.3 times as large: bits won"""

    def won(name, encoding, length):
        model = small_models.load(name)
        model.encoding, turn = encoding, encoding.turn
        plain = far_bits(model, length)
        encoding.turn = lambda rows, positions: turn(rows, positions) * 1.3**0.5
        return [plain - far_bits(model, length)]

    yield "no encoding, 256", won("none", toys.Encoding(), 256), below(0.0)
    yield "no encoding, 1024", won("none", toys.Encoding(), 1024), between(0.2, 0.25)
    yield "pairs 9 to 11 slowed down by 4, 1024", won("rope", Slowed(9, 4, 12), 1024), between(0.0, 0.1)


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
