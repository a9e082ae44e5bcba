"""The claims of lesson 18 that depend on chance. The lesson itself trains with seed 0."""

from functools import partial

from evidence.claims.run_claims import at_least, below, each_seed, who_learns
from evidence.claims.train_on_another_seed import train
from pe_lessons import toys
from pe_lessons.lessons.positions_are_data import picture_task

WIDTHS = (3, 5, 6, 8, 10)
ORDERS = ("interleaved", "blocks", "line")


def shares(encoding, seed):
    """Of the patches right, at every width, by a model that saw pictures 6 wide."""
    model = train(seed, picture_task.pictures(6, seed=1000 + seed), encoding, steps=250)
    tests = {width: next(picture_task.pictures(width, seed=2000 + seed)) for width in WIDTHS}
    return {width: toys.accuracy(model, *test) for width, test in tests.items()}


@who_learns
@each_seed
def colour_below(seed):
    """What is the colour below? 3 rows, trained 6 wide: share of right patches"""
    at_6 = {"interleaved": at_least(0.8).at(0.5, 1), "blocks": below(0.4), "line": at_least(0.95)}
    bounds = {
        "interleaved, the worst": at_least(0.8).at(0.5, 1),  # at twice the rate one seed has 0.63
        "blocks, the best": below(0.5),
        "line, the best": below(0.25),
    }
    for order in ORDERS:
        right = shares(partial(picture_task.PictureRotary, order), seed)
        others = [right[width] for width in WIDTHS if width != 6]
        yield f"{order}, 6 wide", right[6], at_6[order]
        for name, share in {"the worst": min(others), "the best": max(others)}.items():
            name = f"{order}, {name}"
            yield f"{name} other width", share, *([bounds[name]] if name in bounds else [])
