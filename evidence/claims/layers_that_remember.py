"""The claims of the lesson on layers that remember. The lesson itself trains with seed 0."""

from evidence.claims.run_claims import above, at_least, below, between, each_seed, who_learns
from pe_lessons.lessons.layers_that_remember import toy

FADES, OVERWRITES = {"fades": True}, {"fades": True, "overwrites": True}
TASKS = {"the last one wins": toy.last_wins, "three back": toy.back(3)}


@who_learns
@each_seed
def two_tasks(seed):
    """Two tasks: accuracy ('solves' is more than 0.9)"""
    for name, how, *bounds in (
        ("plain sum", {}, between(0.6, 0.8), below(0.4)),
        ("fading sum", FADES, at_least(0.9), below(0.5)),
        ("delta rule", OVERWRITES, at_least(0.9), below(0.5)),
    ):
        for (what, task), bound in zip(TASKS.items(), bounds):
            yield f"{name}, {what}", toy.accuracy(task, seed=seed, **how), bound
    for name, how, bound in (
        ("fading sum, 240 steps", {"steps": 240, **FADES}, above(0.35)),
        ("plain sum and convolution", {"width": 4}, at_least(0.9)),
    ):
        yield f"{name}, three back", toy.accuracy(TASKS["three back"], seed=seed, **how), bound


@each_seed
def a_slow_learner(seed):
    """Three back, with the gated delta rule after 720 steps"""
    yield "accuracy", toy.accuracy(TASKS["three back"], seed=seed, steps=720, **OVERWRITES), above(0.7)


def with_the_seed_of_the_lesson():
    """Three back after more steps, with seed 0"""
    for name, steps, how, bound in (
        ("fading sum", 240, FADES, between(0.805, 0.815)),
        ("gated delta rule", 720, OVERWRITES, between(0.825, 0.835)),
    ):
        yield f"{name}, {steps} steps", [toy.accuracy(TASKS["three back"], seed=0, steps=steps, **how)], bound


@each_seed
def gates_of_the_fading_sum(seed):
    """The last one wins, with a fading sum"""
    model, accuracy = toy.trained(toy.last_wins, seed=seed, steps=80, **FADES)
    yield "accuracy", accuracy, between(0.94, 0.98)
    yield "mean gate of the nine words that write", model.gates()[:9].mean().item(), between(0.6, 0.7)


@each_seed
def guesses(seed):
    """Answers with what has occurred most often so far"""
    for (what, task), bound in zip(TASKS.items(), (between(0.72, 0.76), between(0.27, 0.31)), strict=True):
        yield f"guess, {what}", toy.guess(task, seed=seed), bound
