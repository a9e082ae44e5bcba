"""The sentence that a reply ends with where a mistake has no name: what differs first, and how."""

import math

from pe_lessons.exercises import run_answer


def first_difference(call, got, right, atol):
    """Another shape than the right one, or the first number that differs."""
    if len(got.shape) == len(right.shape) == 1 and got.shape != right.shape:
        return f"{call} should have length {right.shape[0]}, but has length {got.shape[0]}."
    if got.shape != right.shape:
        return f"{call} should return {of_shape(right.shape)}, but returns {of_shape(got.shape)}."
    pairs = list(zip(got.entries, right.entries))
    differing = [n for n, pair in enumerate(pairs) if not run_answer.close(*pair, atol)]
    unwritten = [n for n in differing if math.isclose(pairs[n][0], run_answer.UNWRITTEN, rel_tol=0.01)]
    first = (unwritten or differing)[0]
    place, left = "", first
    for length in reversed(right.shape):
        place, left = f"[{left % length}]{place}", left // length
    if unwritten:
        return (
            f"Your code never writes {call}{place}, so it contains what was in memory before (`empty` "
            f"does not clear it). Entries like that: {len(unwritten)} of {len(pairs)}."
        )
    mine, theirs = pairs[first]
    shown = (f"{mine:.6g}", f"{theirs:.6g}")
    if right.truth:
        shown = (str(bool(mine)) if mine in (0, 1) else shown[0], str(bool(theirs)))
    elif shown[0] == shown[1]:
        shown = (repr(mine), repr(theirs))
    message = f"{call}{place} should be {shown[1]}, but is {shown[0]}."
    if len(pairs) > 1:
        equal = len(pairs) - len(differing)
        message += f" {so_many_right(equal, len(pairs), 'entries')}, and this is the first wrong one."
    if mine != mine:
        message += ' NaN means "not a number". It comes from something like 0/0 or infinity minus infinity.'
    return message


def so_many_right(right, count, what):
    return f"{right} of {count} {what} {'is' if right == 1 else 'are'} right"


def of_shape(shape):
    return f"the shape {shape}" if shape else "a single value"
