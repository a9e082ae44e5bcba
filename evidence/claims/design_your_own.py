"""What the workshop says of training, with other random numbers than those of the lesson."""

from evidence.claims.run_claims import above, below, each_seed, who_learns
from evidence.claims.train_on_another_seed import of_lesson
from pe_lessons import arrays
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


def four_times_as_loud(positions, d_model):
    return 4 * arrays.sinusoidal(len(positions), d_model)


@who_learns
@each_seed
def loudness(seed):
    """Positions that are louder than the words: five back, after 120 steps"""
    model = workshop.trained(four_times_as_loud, seed)
    yield "sinusoidal, four times as loud", workshop.share_right(model, 16, seed), above(0.9).at(1, 2)
