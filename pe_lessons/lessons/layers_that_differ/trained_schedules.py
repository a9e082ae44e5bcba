"""What four layers were measured to get right, by schedule and words of the text, over ten seeds."""

import csv
from pathlib import Path


def measured():
    """Lowest and highest accuracy in %: ``measured()[schedule][words]``, as in `trained_schedules.csv`.

    F rotates and sees all, w rotates and sees 8 words, - sees all and does not rotate. Trained on 48 words;
    measured by `evidence/claims/layers_that_differ.py`.

    >>> measured()["FFFF"][384]
    (9, 18)
    """
    found = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    for schedule, words, lowest, highest in rows:
        found.setdefault(schedule, {})[int(words)] = int(lowest), int(highest)
    return found
