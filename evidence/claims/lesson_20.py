"""What lesson 20 says of training, with other random numbers than those of its table."""

from evidence.claims.runner import above, below, each_seed
from evidence.train_encodings import encoding_of
from pe_lessons import capstone


@each_seed
def needle(seed):
    """The word five back, after 120 steps"""
    for name, bound in (
        ("sinusoidal", above(0.8)),
        ("squared_positions", above(0.9)),
        ("ten_times_as_slow", below(0.5)),
        ("stripes_of_four", below(0.5)),
    ):
        seed_of_its_own = seed + 100  # the table is of seeds 900 to 902
        yield name, capstone.trained(encoding_of(name), "needle", seed_of_its_own)[1], bound


@each_seed
def six_times_the_steps(seed):
    """The word five back, after 720 steps: the stripes learn it late"""
    shares = capstone.trained(encoding_of("stripes_of_four"), "needle", seed + 100, steps=720)
    yield "stripes_of_four", shares[1], above(0.9)


@each_seed
def goals(seed):
    """RoPE with ALiBi at 64 words, which meets a goal of the capstone, and RoPE, which does not"""
    for task in capstone.TASKS:
        for name, bound in (("rope_and_alibi", [above(0.7)]), ("rope", [])):
            yield f"{task}, {name}", capstone.trained(encoding_of(name), task, seed + 100)[2], *bound


@each_seed
def at_64_words(seed):
    """RoPE with base 100, which has no tick for four times, and RoPE, which has: the word five back"""
    for name, bound in (("rope_base_100", [above(0.8)]), ("rope", [above(0.55)])):
        yield name, capstone.trained(encoding_of(name), "needle", seed + 100)[2], *bound
