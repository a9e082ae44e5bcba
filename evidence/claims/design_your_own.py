"""What lesson 22 says of training, with other random numbers than those of its table."""

import numpy as np

from evidence.claims.runner import SEEDS, above, below, between, each_seed, who_learns
from evidence.train_encodings import encoding_of, waves
from pe_lessons import measures
from pe_lessons.lessons.design_your_own import capstone


@who_learns
@each_seed
def needle(seed):
    """The word five back, after 120 steps"""
    for name, bound in (
        ("sinusoidal", above(0.8).at(1, 2)),
        ("squared_positions", above(0.9)),
        ("ten_times_as_slow", below(0.5)),
        ("stripes_of_four", below(0.5)),
    ):
        seed_of_its_own = seed + 100  # the table is of seeds 900 to 902
        yield name, capstone.trained(encoding_of(name), "needle", seed_of_its_own)[1], bound


def drawn_together(positions, d_model):
    """The table of the lesson: sinusoids, a tenth as far from their mean row."""
    rows = waves(positions, d_model)
    return rows.mean(axis=0) + (rows - rows.mean(axis=0)) / 10


@each_seed
def places_drawn_together(seed):
    """The word five back, after 120 steps: no better than the commonest word"""
    yield "drawn_together", capstone.trained(drawn_together, "needle", seed + 100)[1], between(0.25, 0.35)


def the_number_of_places_drawn_together():
    """Their weight on five back, before training"""
    yield "drawn_together", [measures.pointing(drawn_together, [5])[5][0]], between(0.075, 0.085)


@each_seed
def more_steps(seed):
    """The word five back, after 360, 480 and 720 steps: the stripes learn it late"""
    for steps, bound in ((360, above(0.4)), (480, above(0.9)), (720, above(0.9))):
        shares = capstone.trained(encoding_of("stripes_of_four"), "needle", seed + 100, steps=steps)
        yield f"stripes_of_four, {steps}", shares[1], bound


@who_learns
@each_seed
def goals(seed):
    """RoPE with ALiBi at 64 words, which on average meets a goal of the capstone, and RoPE"""
    for task in capstone.TASKS:
        for name, bound in (("rope_and_alibi", [above(0.6)]), ("rope", [])):
            yield f"{task}, {name}", capstone.trained(encoding_of(name), task, seed + 100)[2], *bound


def at_64_words():
    """RoPE with base 100, which has no tick for four times, and RoPE, which has: needle with forty seeds"""
    seeds = range(SEEDS[0] + 100, SEEDS[0] + 140)
    for name, bound in (("rope_base_100", above(0.85)), ("rope", above(0.8))):
        shares = [capstone.trained(encoding_of(name), "needle", seed)[2] for seed in seeds]
        yield name, shares
        yield f"{name}, mean", [np.mean(shares)], bound
