"""The claims of lesson 10 that depend on chance. The lesson itself trains with seed 0."""

import functools

import numpy as np
import torch

from evidence.claims.runner import SEEDS, at_least, below, between, equal_to
from pe_lessons import arrays, toys


def jump(tokens):
    """The task "as far back as your own digit says"."""
    places = torch.arange(tokens.shape[1]) - tokens
    found = tokens.gather(1, places.clamp(min=0))
    return found.where(places >= 0, toys.IGNORE_INDEX)


KINDS = {
    "none": toys.Encoding,
    "RoPE": toys.Rotary,
    "ALiBi": lambda: toys.ALiBi([0.5]),
    "T5": toys.T5,
    "Shaw, K = 2": lambda: toys.Shaw(32, 2),
    "Shaw, K = 3": lambda: toys.Shaw(32, 3),
    "Shaw, K = 4": lambda: toys.Shaw(32, 4),
    "Shaw, K = 12": lambda: toys.Shaw(32, 12),
    "Shaw, K = 16": lambda: toys.Shaw(32, 16),
}


@functools.cache
def trained(name, task, seed):
    torch.manual_seed(seed)
    model = toys.TinyTransformer(10, 10, encoding=KINDS[name]())
    toys.train(model, toys.batches(task, seed=1000 + seed), steps=200, print_every=None)
    return model


def test_set(task, seed):
    return next(toys.batches(task, seed=2000 + seed, batch_size=512))


def two_tasks():
    """Two tasks: share right ('solved' is more than 0.9)"""
    solved, not_solved = at_least(0.98), below(0.6)
    for task, solvers in ((toys.k_back, ("T5", "Shaw, K = 4")), (toys.reverse, ())):
        for name in ("ALiBi", "T5", "Shaw, K = 2", "Shaw, K = 3", "Shaw, K = 4", "Shaw, K = 16"):
            shares = [toys.accuracy(trained(name, task, seed), *test_set(task, seed)) for seed in SEEDS]
            claim = solved if name in solvers else not_solved
            if name == "Shaw, K = 16":
                claim = between(0.415, 0.445) if task is toys.reverse else at_least(0)
            yield f"{task.__name__}, {name}", shares, claim


def what_they_look_at():
    """Three back: mean weight, tokens 5 to 10 of 512 strings"""
    for name in ("ALiBi", "T5", "Shaw, K = 2"):
        by_offset = []
        for seed in SEEDS:
            tokens, _ = test_set(toys.k_back, seed)
            weights = toys.attention_weights(trained(name, toys.k_back, seed), tokens)[:, 0].mean(dim=0)
            rows = [[weights[m, m + offset] for offset in range(-5, 6)] for m in range(5, 11)]
            by_offset.append(np.mean(rows, axis=0))
        by_offset = np.array(by_offset)  # (n_seeds, 11), offsets -5 to 5
        if name == "ALiBi":
            near = by_offset[:, 4:7].sum(axis=1)
            yield "ALiBi, one back to one ahead, together", near, at_least(0.4)
            yield "ALiBi, three back minus three ahead, size", abs(by_offset[:, 2] - by_offset[:, 8])
            yield "ALiBi, one back over three back", by_offset[:, 4] / by_offset[:, 2], at_least(1.5)
        else:
            claim = at_least(0.9) if name == "T5" else below(0.3)
            yield f"{name}, three back", by_offset[:, 2], claim
        if name == "Shaw, K = 2":
            yield "Shaw, K = 2, two back and further, by offset: lowest", by_offset[:, :4].min(axis=1)
            yield "Shaw, K = 2, two back and further, by offset: highest", by_offset[:, :4].max(axis=1)


def t5_list():
    """The list that T5 learned for three back"""
    offsets, at, stands_out, peaks, plain = np.arange(-15, 16), [], [], [], []
    above, ends = [], []
    for seed in SEEDS:
        numbers = trained("T5", toys.k_back, seed).encoding.per_bucket[0].detach().numpy()
        learned = numbers[arrays.t5_buckets(offsets)]
        others = np.delete(learned, learned.argmax())
        at.append(offsets[learned.argmax()])
        peaks.append(learned.max())
        stands_out.append(learned.max() - others.max())
        plain.append(np.ptp(others))
        above.append(learned.max() - np.median(others))
        ends.append(learned[-1] - np.median(others))
    yield "largest at offset", at, equal_to(-3)
    yield "the peak", peaks
    yield "stands out by", stands_out, at_least(3)
    yield "the others lie within", plain, below(2)
    yield "above the middle of the others by", above, at_least(5)
    yield "12 to 15 ahead above the middle of the others by", ends, at_least(0.05)


def as_the_digit_says():
    """As far back as the digit says"""
    for name, bounds in (("none", []), ("ALiBi", []), ("T5", [below(0.5)]), ("RoPE", [at_least(0.975)])):
        shares = [toys.accuracy(trained(name, jump, seed), *test_set(jump, seed)) for seed in SEEDS]
        yield name, shares, *bounds
    shares, hits = [], []
    for seed in SEEDS:
        model = trained("Shaw, K = 12", jump, seed)
        shares.append(toys.accuracy(model, *test_set(jump, seed)))
        with torch.no_grad():
            block = model.blocks[0]
            queries = block.to_qkv(block.norm_attention(model.embedding.weight))[:, :32]
            answers = queries @ model.encoding.table[:13].T  # (10, 13), 12 back to 0
        hits.append(int((12 - answers.argmax(dim=1) == torch.arange(10))[1:].sum()))
    yield "Shaw, K = 12", shares, at_least(0.9)
    yield "digits 1 to 9 whose largest answer is at their own distance", hits, at_least(8)


CLAIMS = [two_tasks, what_they_look_at, t5_list, as_the_digit_says]
