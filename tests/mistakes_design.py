"""Lesson 16 for test_exercises.py and test_styles.py: an oracle, and its mistakes made in other styles."""

import itertools
import math

import torch

CATALOGUE = {
    "smallest_gap": ("neighbours only", "first row only", "rows with themselves", "largest for smallest"),
}


def sorted_distances(table):
    rows = torch.tensor(table)
    return torch.pdist(rows).sort().values[0]


ORACLES = {"smallest_gap": sorted_distances}


def loop_gap(
    pairs=lambda rows: [(one, other) for m, one in enumerate(rows) for other in rows[:m]],
    measure=math.dist,
    choose=min,
):
    def gap(table):
        return choose([measure(one, other) for one, other in pairs(table.tolist())])

    return gap


def every_pair(rows):
    first, second = torch.combinations(torch.arange(len(rows))).T
    return rows[first] - rows[second]


def torch_gap(
    differences=every_pair,
    measure=lambda differences: differences.norm(dim=1),
    choose=lambda gaps: gaps.min(),
):
    return lambda table: choose(measure(differences(torch.tensor(table))))


def torch_of_two(measure):
    def gap(table):
        rows = torch.tensor(table)
        first, second = torch.combinations(torch.arange(len(rows))).T
        return measure(rows[first], rows[second]).min()

    return gap


def loop_which(table):
    rows = table.tolist()
    gaps = {(m, n): math.dist(one, rows[n]) for m, one in enumerate(rows) for n in range(m + 1, len(rows))}
    return min(gaps, key=gaps.get)


def torch_which(table):
    rows = torch.tensor(table)
    pairs = torch.combinations(torch.arange(len(rows)))
    return pairs[torch.pdist(rows).argmin()]


def loop_all(table):
    rows = table.tolist()
    return [math.dist(one, other) for m, one in enumerate(rows) for other in rows[m + 1 :]]


GAP_STYLES = {
    name: (
        loop if callable(loop) else loop_gap(**loop),
        tensor if callable(tensor) else torch_gap(**tensor),
    )
    for name, loop, tensor in [
        (
            "neighbours only",
            {"pairs": lambda rows: itertools.pairwise(rows)},
            {"differences": lambda rows: rows.diff(dim=0)},
        ),
        (
            "first row only",
            {"pairs": lambda rows: [(rows[0], other) for other in rows[1:]]},
            {"differences": lambda rows: rows[1:] - rows[0]},
        ),
        (
            "rows with themselves",
            {"pairs": lambda rows: [(one, other) for one in rows for other in rows]},
            lambda table: torch.cdist(torch.tensor(table), torch.tensor(table)).min(),
        ),
        (
            "columns for rows",
            lambda table: loop_gap()(table.T),
            {"differences": lambda rows: every_pair(rows.mT)},
        ),
        (
            "root forgotten",
            {"measure": lambda one, other: sum((a - b) ** 2 for a, b in zip(one, other))},
            {"measure": lambda differences: differences.square().sum(dim=1)},
        ),
        (
            "differences added up",
            {"measure": lambda one, other: sum(abs(a - b) for a, b in zip(one, other))},
            {"measure": lambda differences: differences.norm(p=1, dim=1)},
        ),
        (
            "largest difference",
            {"measure": lambda one, other: max(abs(a - b) for a, b in zip(one, other))},
            {"measure": lambda differences: differences.norm(p=math.inf, dim=1)},
        ),
        (
            "mean over the columns",
            {"measure": lambda one, other: math.dist(one, other) / math.sqrt(len(one))},
            {"measure": lambda differences: differences.square().mean(dim=1).sqrt()},
        ),
        (
            "differences of lengths",
            {"measure": lambda one, other: abs(math.hypot(*one) - math.hypot(*other))},
            torch_of_two(lambda one, other: (one.norm(dim=1) - other.norm(dim=1)).abs()),
        ),
        (
            "product for distance",
            {"measure": lambda one, other: sum(a * b for a, b in zip(one, other))},
            torch_of_two(lambda one, other: torch.einsum("nd,nd->n", one, other)),
        ),
        ("largest for smallest", {"choose": max}, {"choose": lambda gaps: gaps.max()}),
        (
            "mean distance",
            {"choose": lambda gaps: sum(gaps) / len(gaps)},
            {"choose": lambda gaps: gaps.mean()},
        ),
        (
            "equal rows left out",
            {"choose": lambda gaps: min(gap for gap in gaps if gap)},
            lambda table: min(d for d in torch.cdist(*[torch.tensor(table)] * 2).flatten().tolist() if d > 0),
        ),
        ("all the distances", loop_all, {"choose": lambda gaps: gaps}),
        ("which rows", loop_which, torch_which),
    ]
}

STYLES = {"smallest_gap": GAP_STYLES}
