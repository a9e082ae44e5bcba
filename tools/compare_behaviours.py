"""Write down what every right answer and every known mistake does in every probe of its exercise.

    python tools/compare_behaviours.py write FILE
    python tools/compare_behaviours.py compare FILE    with what was written on another computer

Where the two are not the same, what a learner is told depends on the computer.
"""

import pickle
import sys
from dataclasses import replace
from pathlib import Path

from pe_lessons.exercises import REGISTRY
from pe_lessons.exercises.exercise import Exercise

NAN = sys.float_info.max  # stands for it, since NaN is like nothing


def behaviours():
    """{(exercise, answer or mistake, number of the probe): (behaviour, tolerance)}"""
    found = {}
    for exercise in (one for one in REGISTRY.values() if isinstance(one, Exercise)):
        functions = {"the right answer": exercise.reference}
        # Where precision is lost, the digits are any computer's own: the engine compares only their size.
        functions |= {known.name: known.wrong for known in exercise.mistakes if known.exact is None}
        for name, function in functions.items():
            for n, probe in enumerate(exercise._all_probes):
                seen = exercise._observe(function, probe)
                entries = tuple(NAN if entry != entry else entry for entry in seen.entries)
                found[exercise.name, name, n] = replace(seen, entries=entries, text=""), exercise.atol
    return found


def main(task, path):
    here, path = behaviours(), Path(path)
    if task == "write":
        path.write_bytes(pickle.dumps(here))
        return 0
    there = pickle.loads(path.read_bytes())
    differing = [what for what, (seen, atol) in here.items() if not seen.same_as(there[what][0], atol)]
    for exercise, name, n in differing:
        print(f"{exercise}, {name}: does something else in probe {n}")
    print(f"{len(here) - len(differing)} of {len(here)} behaviours are the same")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
