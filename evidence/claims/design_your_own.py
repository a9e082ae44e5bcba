"""What the workshop says of training, with other random numbers than those of the lesson."""

from evidence.claims.run_claims import above, below, each_seed, who_learns
from evidence.claims.train_on_another_seed import of_lesson
from pe_lessons import arrays, toys
from pe_lessons.lessons.design_your_own import workshop


@who_learns
@each_seed
def five_back(seed):
    """The word five back, after 120 steps"""
    lesson = of_lesson("design_your_own")
    for name, bound in (
        ("sinusoidal", above(0.8).at(1, 2)),
        ("squared_positions", above(0.9)),
        ("ten_times_as_slow", below(0.5)),
        ("stripes_of_four", below(0.5)),
    ):
        yield name, workshop.share_right(workshop.trained(getattr(lesson, name), seed), 16, seed), bound
    rotary = workshop.trained(toys.Rotary(), seed)
    yield "RoPE", workshop.share_right(rotary, 16, seed), above(0.95).at(1, 2)
    yield "RoPE, 64 words", workshop.share_right(rotary, 64, seed)


def louder(times):
    return lambda positions, d_model: times * arrays.sinusoidal(len(positions), d_model)


@who_learns
@each_seed
def loudness(seed):
    """Positions that are louder than the words: five back, after 120 steps"""
    for times, bound in ((4, above(0.9).at(1, 2)), (16, below(0.5).at(0.5, 1))):
        right = workshop.share_right(workshop.trained(louder(times), seed), 16, seed)
        yield f"sinusoidal, {times} times as loud", right, bound


@each_seed
def closest_in_the_model(seed):
    """The distance of the two closest of 16 rows, added to 200 random words, after LayerNorm, averaged"""
    lesson = of_lesson("design_your_own")
    near, apart = below(0.35), above(0.8)
    for name, encode, bound in (
        ("sinusoidal", lesson.sinusoidal, apart),
        ("squared_positions", lesson.squared_positions, apart),
        ("ten_times_as_slow", lesson.ten_times_as_slow, near),
        ("stripes_of_four", lesson.stripes_of_four, near),
        ("sinusoidal, 16 times as loud", louder(16), apart),
    ):
        yield name, workshop.distance_with_words(encode, seed), bound
