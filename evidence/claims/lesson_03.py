"""What lesson 03 says of training with a wrong exponent."""

import functools

from evidence.claims.runner import at_least, between, each_seed
from evidence.claims.training import of_lesson, share_right
from pe_lessons import toys

lesson = of_lesson("03")
TABLES = {
    "right": lesson.sinusoidal,
    "doubled": lesson.colleague,
    "every column for itself": lesson.column_by_column,
}
BOUNDS = {
    ("right", 200): at_least(0.99),
    ("doubled", 200): at_least(0.99),
    ("every column for itself", 200): between(0.4, 0.65),
    ("every column for itself", 800): at_least(0.9),
}


@each_seed
def wrong_exponents(seed):
    """Two wrong exponents, two tasks: share right"""
    for (name, steps), bound in BOUNDS.items():
        encoding = functools.partial(toys.Table, TABLES[name](16, 32))
        for task in (toys.k_back, toys.reverse):
            share = share_right(encoding, task, seed, steps=steps)
            yield f"{task.__name__} after {steps} steps, exponents {name}", share, bound
