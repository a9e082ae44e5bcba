"""What the scripts claims_*.py share: the seeds, a line of the report, bounds, and the verdict at the end."""

import sys

import numpy as np

SEEDS = range(900, 910)  # no lesson uses them
FAILED = []


def report(name, values, claim=None, holds=None):
    """Print the range of `values`, one per seed, and whether the claim holds for each."""
    low, high = min(values), max(values)
    line = f"{name:66} {np.mean(values):9.4f}  [{low:.4g}, {high:.4g}]"
    if claim is not None:
        good = all(map(holds, values))
        line += f"   {claim}: {'holds' if good else 'FAILS'}"
        if not good:
            FAILED.append(name)
    print(line, flush=True)


def at_least(bound):
    return f">= {bound}", lambda value: value >= bound


def below(bound):
    return f"< {bound}", lambda value: value < bound


def between(low, high):
    return f"{low} to {high}", lambda value: low <= value < high


def verdict():
    """End the script, with an error if a claim failed."""
    if FAILED:
        sys.exit(f"failed: {FAILED}")
    print("\nEvery claim holds on every seed.")
