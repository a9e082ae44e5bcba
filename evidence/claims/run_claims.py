"""Hold what the lessons say of trained models, and of all else that is drawn, to seeds that no lesson uses.

    python course.py claims            all lessons, two to three hours on one core
    python course.py claims 06 14      these lessons
    python course.py claims --rate 2   what is tried at twice the learning rate, at that rate only

Each line names a quantity and gives its mean and its range over the seeds; where a lesson makes a claim of
it, the claim and whether it holds for every seed follow. The exit status is 1 if one does not.

Claims about who learns a task are tried three times: at the learning rate of the lesson, at half of it and
at twice. The rate stands above the lines that were trained at it. A claim that is made of the lesson's own
rate only says so ("at its rate"), and the lesson says so too; at the others the quantity is reported.

In a lesson's file every generator that takes nothing is a group of claims. Its docstring is the
heading, and it yields `name, values, bound`; without a bound a quantity is only reported. Most are written
for one seed, with its one value, and `each_seed` makes groups of them; `who_learns`, above it, has a group
tried at the three rates.
"""

import argparse
import functools
import importlib
import inspect
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evidence.claims.train_on_another_seed import at_rate
from pe_lessons.lessons.progress import notebooks

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
SEEDS = range(900, 910)
RATES = {1: "its learning rate", 0.5: "half its learning rate", 2: "twice its learning rate"}


class Bound(NamedTuple):
    text: str
    holds: Callable
    rates: tuple = tuple(RATES)

    def at(self, *rates):
        """The same claim, made of these learning rates only, in multiples of the lesson's own."""
        where = " and ".join(RATES[rate] for rate in rates).replace("learning ", "")
        return self._replace(text=f"{self.text} at {where}", rates=rates)


def at_least(bound):
    return Bound(f">= {bound}", lambda value: value >= bound)


def above(bound):
    return Bound(f"> {bound}", lambda value: value > bound)


def below(bound):
    return Bound(f"< {bound}", lambda value: value < bound)


def between(low, high):
    return Bound(f"{low} to {high}", lambda value: low <= value < high)


def equal_to(wanted):
    return Bound(f"= {wanted}", lambda value: value == wanted)


def each_seed(claims):
    """Makes a group of a generator that takes one seed and yields `name, value, bound`."""

    @functools.wraps(claims)
    def group():
        for of_all_seeds in zip(*map(claims, SEEDS), strict=True):
            name, _, *bound = of_all_seeds[0]
            yield name, [value for _, value, *_ in of_all_seeds], *bound

    return group


def who_learns(group):
    """Has a group tried at half and at twice its learning rate too."""
    group.rates = tuple(RATES)
    return group


def lessons():
    """The names of the lessons that have claims, in the order of the course."""
    files = {path.stem for path in Path(__file__).parent.glob("*.py")}
    return [path.stem[3:] for path in notebooks(NOTEBOOKS) if path.stem[3:] in files]


def load(lesson):
    return importlib.import_module(f"evidence.claims.{lesson}")


def groups(module):
    """The generators of a module that take nothing."""
    found = filter(inspect.isgeneratorfunction, vars(module).values())
    return [one for one in found if not inspect.signature(one, follow_wrapped=False).parameters]


def report(group, rates):
    """Print every quantity of a group, and return the names of those whose claim fails."""
    print(f"\n{inspect.getdoc(group)}", flush=True)
    failed = []
    for rate in rates:
        at = f", at {RATES[rate]}" if hasattr(group, "rates") else ""
        if at:
            print(f" at {RATES[rate]}:")
        with at_rate(rate):
            failed += [f"{name}{at}" for name in report_lines(group, rate)]
    return failed


def report_lines(group, rate):
    failed = []
    for name, values, *bounds in group():
        line = f"  {name:66} {np.mean(values):9.4f}  [{min(values):.4g}, {max(values):.4g}]"
        for bound in bounds:
            if rate in bound.rates:
                misses = sum(not bound.holds(value) for value in values)
                line += f"   {bound.text}: {f'FAILS on {misses} of {len(values)}' if misses else 'holds'}"
                if misses:
                    failed.append(name)
        print(line, flush=True)
    return failed


def main(words):
    parser = argparse.ArgumentParser(prog="course.py claims")
    parser.add_argument("lessons", nargs="*", help="their numbers; all if left out")
    parser.add_argument("--rate", type=float, choices=RATES, help="only this multiple of the learning rates")
    asked = parser.parse_args(words)
    numbers = {path.name[:2]: path.stem[3:] for path in notebooks(NOTEBOOKS)}
    wanted, known = [numbers.get(word, word) for word in asked.lessons], lessons()
    unknown = [lesson for lesson in wanted if lesson not in known]
    if unknown:
        print(f"No lesson {', '.join(unknown)} has claims; these have: {', '.join(known)}.", file=sys.stderr)
        return 2
    failed, tried = [], 0
    for lesson in wanted or known:
        start = time.monotonic()
        print(f"\nLesson {lesson}")
        for group in groups(load(lesson)):
            rates = [rate for rate in getattr(group, "rates", (1,)) if asked.rate in (None, rate)]
            if rates:
                tried += 1
                failed += [f"{lesson}, {name}" for name in report(group, rates)]
        print(f"\n  {time.monotonic() - start:.0f} s", flush=True)
    if failed:
        print("\nThese claims fail:", *failed, sep="\n  ")
        return 1
    if not tried:
        print(f"\nNothing was tried: no claim here is about who learns, so none has {RATES[asked.rate]}.")
        return 2
    print("\nEvery claim holds on every seed.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
