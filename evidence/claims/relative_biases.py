"""The claims of lesson 11 that depend on chance. The lesson itself trains with seed 0."""

import numpy as np
import torch

from evidence.claims.run_claims import above, at_least, below, between, each_seed, who_learns
from evidence.claims.train_on_another_seed import of_lesson, share_right, test_set, trained
from pe_lessons import arrays, toys

lesson = of_lesson("relative_biases")
KINDS = {"ALiBi": lambda: toys.ALiBi([0.5]), "T5": toys.T5, "Shaw": lesson.shaw, "RoPE": toys.Rotary}


@who_learns
@each_seed
def two_tasks(seed):
    """Two tasks: share right ('solved' is more than 0.9)"""
    solved, nearly, not_solved = at_least(0.98).at(1, 2), at_least(0.9), below(0.6)
    for task, solvers in ((toys.k_back, ("T5", "Shaw", "RoPE")), (toys.reverse, ())):
        for name in KINDS:
            claims = (solved, nearly) if name in solvers else (not_solved,)
            yield f"{task.__name__}, {name}", share_right(KINDS[name], task, seed), *claims
    flat = share_right(lambda: toys.ALiBi([1 / 256]), toys.k_back, seed)
    yield "k_back, ALiBi with the slope 1/256", flat, between(0.22, 0.28)


@who_learns
@each_seed
def as_the_digit_says(seed):
    """As far back as the digit says"""
    yield "T5", share_right(toys.T5, lesson.jump, seed), below(0.5)
    model = trained(toys.T5, lesson.jump, seed)
    tokens, targets = test_set(lesson.jump, seed)
    with torch.no_grad():
        hits, asked = model(tokens).argmax(dim=-1) == targets, targets != toys.IGNORE_INDEX
    shares = [hits[asked & (tokens == digit)].float().mean().item() for digit in range(10)]
    yield "T5, digit 0", shares[0], at_least(0.99)
    yield "T5, digits 1 to 7, mean", np.mean(shares[1:8]), between(0.28, 0.38)
    yield "T5, digits 8 and 9, the larger", max(shares[8:]), below(0.2)
    asked &= (tokens >= 1) & (tokens <= 7)
    with torch.no_grad():
        answers = model(tokens).argmax(dim=-1)[:, 7:, None]
    counts = torch.nn.functional.one_hot(tokens.unfold(1, 7, 1)[:, :-1], 10).sum(dim=2)  # in the seven before
    asked = asked[:, 7:]
    named = counts.gather(2, answers)[..., 0] == counts.amax(dim=2)
    share = named[asked].float().mean().item()
    yield "T5, digits 1 to 7: answers that are a commonest of the last seven", share, above(0.93)
    offsets = np.arange(-15, 16)
    numbers = model.encoding.per_bucket[0].detach().numpy()[arrays.t5_buckets(offsets)]
    pointed = (-7 <= offsets) & (offsets <= -1)
    above_rest = numbers[pointed].min() - numbers[~pointed].max()
    yield "T5, its list: -1 to -7 above the rest by", above_rest, at_least(0.5)
    yield "RoPE", share_right(toys.Rotary, lesson.jump, seed), at_least(0.97)
