"""What lesson 25 says of training, with other random numbers than those of its table."""

from evidence.claims.runner import above, below, each_seed, who_learns
from evidence.train_encodings import encoding_of
from pe_lessons.lessons.design_your_own import capstone


@who_learns
@each_seed
def five_back(seed):
    """The word five back, after 120 steps"""
    for name, bound in (
        ("sinusoidal", above(0.8).at(1, 2)),
        ("squared_positions", above(0.9)),
        ("ten_times_as_slow", below(0.5)),
        ("stripes_of_four", below(0.5)),
    ):
        seed_of_its_own = seed + 100  # the table is of seeds 900 to 902
        yield name, capstone.trained(encoding_of(name), "five back", seed_of_its_own)[1], bound


@who_learns
@each_seed
def goals(seed):
    """RoPE with ALiBi at 64 words, which on average meets a goal of the capstone, and RoPE"""
    for task in capstone.TASKS:
        for name, bound in (("rope_and_alibi", [above(0.6)]), ("rope", [])):
            yield f"{task}, {name}", capstone.trained(encoding_of(name), task, seed + 100)[2], *bound
