"""The claims of the lesson on layers that remember. The lesson itself trains with seed 0."""

import torch
from torch.nn import functional

from evidence.claims.run_claims import above, at_least, below, between, each_seed, who_learns
from pe_lessons import toys
from pe_lessons.lessons.layers_that_remember import toy

FADES, OVERWRITES = {"fades": True}, {"fades": True, "overwrites": True}
BOTH = {"width": 4, **OVERWRITES}
TASKS = {"the last one wins": toy.last_wins, "three back": toy.back(3), "five back": toy.back(5)}


@who_learns
@each_seed
def two_tasks(seed):
    """Two tasks: accuracy ('solves' is more than 0.9)"""
    for name, how, *bounds in (
        ("plain sum", {}, between(0.6, 0.8), below(0.4), below(0.4)),
        ("fading sum", FADES, at_least(0.9), below(0.5), below(0.4)),
        ("delta rule", OVERWRITES, at_least(0.9), below(0.5), below(0.4)),
        ("plain sum and convolution", {"width": 4}, below(0.85), at_least(0.9), below(0.4)),
        ("delta rule and convolution", BOTH, at_least(0.95), at_least(0.95), below(0.4)),
    ):
        for (what, task), bound in zip(TASKS.items(), bounds):
            yield f"{name}, {what}", toy.accuracy(task, seed=seed, **how), bound
    for name, how, what, bound in (
        ("fading sum", FADES, "three back", above(0.35)),
        ("fading sum", FADES, "five back", below(0.4)),
        ("delta rule", OVERWRITES, "three back", below(0.5)),
    ):
        longer = toy.accuracy(TASKS[what], seed=seed, steps=240, **how)
        yield f"{name}, {what}, 240 steps", longer, bound


@who_learns
@each_seed
def trained_for_longer(seed):
    """After 720 steps instead of 80"""
    for name, how in (("plain sum", {}), ("plain sum and convolution", {"width": 4})):
        bound = at_least(0.9) if how else below(0.8)
        yield f"{name}, the last one wins", toy.accuracy(toy.last_wins, seed=seed, steps=720, **how), bound
    slower = toy.accuracy(toy.back(3), seed=seed, steps=720, **OVERWRITES)
    yield "delta rule, three back", slower, above(0.4).at(1, 0.5)


@each_seed
def fading_for_longer(seed):
    """The last one wins, with a fading sum"""
    for steps, bound in (80, between(0.94, 0.98)), (720, at_least(0.98)):
        accuracy = toy.accuracy(toy.last_wins, seed=seed, steps=steps, **FADES)
        yield f"accuracy after {steps} steps", accuracy, bound


@each_seed
def guesses(seed):
    """Answers with what has occurred most often so far"""
    tokens, targets = next(toys.batches(toy.last_wins, seed=seed, vocab_size=12, batch_size=5000))
    asked = targets != toys.IGNORE_INDEX
    writes = functional.one_hot(tokens)[..., : toy.KEYS * toy.VALUES].cumsum(dim=-2)[asked]
    keys = tokens[asked] - toy.KEYS * toy.VALUES
    of_key = writes.unflatten(-1, (toy.KEYS, toy.VALUES))[torch.arange(len(keys)), keys]  # (asked, values)
    most = of_key == of_key.amax(dim=-1, keepdim=True)
    right = most[torch.arange(len(keys)), targets[asked]] / most.sum(dim=-1)  # a tie is decided by lot
    yield "guess, the last one wins", right.mean().item(), between(0.72, 0.76)
    for task, what, low, high in ((3, "three back", 0.27, 0.31), (5, "five back", 0.25, 0.29)):
        tokens, targets = next(toys.batches(toy.back(task), seed=seed, batch_size=5000))
        counts = functional.one_hot(tokens).cumsum(dim=-2)  # (batch, seq_len, words)
        asked = targets != toys.IGNORE_INDEX
        right = counts.argmax(dim=-1) == targets
        yield f"guess, {what}", right[asked].double().mean().item(), between(low, high)
