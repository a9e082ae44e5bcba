"""Finds out what a causal language model does with positions, from outside, and names what is wrong.

    python -m pe_lessons.doctor ask_mine.py            # a file with a function `logits`, or a `model`
    python -m pe_lessons.doctor --json ask_mine.py     # for CI

A model of the transformers library can be given as it is. Of any other, say in the file how it is asked:

    def logits(tokens, position_ids=None, mask=None, cache=None):
        ...
        return scores, cache

- tokens: (batch, n_q), whole numbers.
- position_ids: (batch, n_q) likewise; without them the model counts by itself.
- mask: True where a key may be seen. (batch, n_k), on top of the causal mask, or (batch, n_q, n_k), with it
  inside. A window goes on top of both. Raise an error for a form that your model does not take.
- cache: whatever the call before returned for this text; then n_k counts the tokens in it, too.
- scores: (batch, n_q, vocab_size); where there is no cache, they may come alone.

Use these names, and leave out what your model does not take: what needs it is not tried, and the report says
so. Ask in float32 or float64, without autocast, and with dropout off (`model.eval()`). Scores that were
rounded to 16 bits stay so after `.float()`: then nothing is tried. The file may also say

- `relative = True`: moving all positions must change nothing, as with a rotation. This needs position_ids.
- `window = 1024`: texts are then longer than this. A window of fewer than 150 tokens need not be said.
- `reference = ...`: the same weights in a model that is right.
- `tolerance = 0.05`: the share of what order does that a cache in bfloat16 or int8, or other rounding,
  may change; at least 0.01.
- `require = [...]`: checks that must be tried; with `--strict`, all. Their names: order, equal-tokens,
  future, longer-text, first-position, shift, far-positions, batch, left-padding, step-by-step,
  several-new-tokens, padded-step-by-step, packing. Reports have spaces in them, which will do, too.
- `vocab_size = ...`: tokens from its upper half are asked.

The exit status is 1 if something is wrong, 2 if nothing can be told, and 3 if the model ends in an error
where it should not or a required check was not tried.

Each check compares two ways to the same answer. Where they differ, the doctor asks the model what it would
have said *had it made a certain mistake*, or changes a token that should matter, or should not, and names it.
"""

import dataclasses
import itertools
import traceback

import torch

from pe_lessons import _arguments as arguments
from pe_lessons.doctor.checks import CHECKS, WITHOUT_IDS, against, idle_positions
from pe_lessons.doctor.examined_model import (
    LENGTH,
    Crash,
    Finding,
    NoScores,
    Patient,
    adapted,
    hyphened,
    of_transformers,
    unfilled,
    window_of,
)

__all__ = ["CHECKS", "Finding", "Report", "assert_healthy", "examine", "of_transformers"]


class Report(list):
    """A list of `Finding`. `tried` says what was asked, and what was left out and why."""

    tried = ""

    def __str__(self):
        return "\n".join([self.tried, *map(str, self)])


def examine(logits, vocab_size=None, *, reference=None, relative=False, tolerance=None, window=0, require=()):
    """Everything that can be found out about `logits`, as a `Report`.

    Parameters
    ----------
    logits : callable
        As the top of this module says, or a causal model of transformers.
    vocab_size : int, optional
        Tokens from its upper half are asked; without it, as many as there are scores for a token.
    reference : callable, optional
        The same weights in an implementation that is right, asked in the same way.
    relative : bool
        Whether moving all positions must change nothing, as with a rotation or ALiBi.
    tolerance : float, optional
        The share of what order does that is taken for rounding, where that is coarse; at least 0.01.
    window : int
        The largest window of the model, or the longest text of another kind that it is to be asked about. A
        long text is then longer than that; without it, and without a window in a config, it has 160 tokens.
    require : list of names, or "all"
        Checks that have failed if they are not tried: "order" and those of `CHECKS`, with spaces or hyphens.

    Raises
    ------
    TypeError, ValueError
        If `logits` cannot be asked as this module says.

    Examples
    --------
    A model that counts every token of a cache twice:

    >>> embedding = torch.nn.Embedding(20, 8).double()
    >>> def logits(tokens, position_ids=None, cache=None):
    ...     past = 0 if cache is None else cache.shape[1]
    ...     if position_ids is None:
    ...         position_ids = 2 * past + torch.arange(tokens.shape[1])[None]
    ...     x = embedding(tokens) * (1 + position_ids[..., None])
    ...     cache = x if cache is None else torch.cat([cache, x], dim=1)
    ...     return cache.cumsum(dim=1)[:, past:], cache
    >>> [finding.culprit for finding in examine(logits, 20) if finding.status == "wrong"][0]
    'the length of the cache is counted twice'
    """
    if tolerance is not None and not (isinstance(tolerance, float) and 0 < tolerance < 1):
        raise ValueError(f"tolerance must be a number between 0 and 1 such as 0.05, got {tolerance!r}")
    by_id = {hyphened(name): name for name in ("order", *CHECKS)}
    named = [*by_id] if require == "all" else require
    if isinstance(named, str) or not {*map(hyphened, named)} <= by_id.keys():
        raise ValueError(f'require must be "all" or a list of some of {[*by_id]}, got {require!r}')
    require = [by_id[hyphened(name)] for name in named]
    model, logits, patient = logits, adapted(logits), None
    try:
        if vocab_size is None:
            vocab_size = Patient(logits, 4).rows(torch.zeros(1, 1, dtype=torch.long)).shape[-1]
        vocab_size = arguments.whole_number("vocab_size", vocab_size, minimum=4)
        window = arguments.whole_number("window", window, minimum=0)
        patient = Patient(logits, vocab_size, relative, tolerance, window)
        findings = _first_findings(patient, unfilled(model))
    except Crash as crash:
        says, look_at = f"{crash} (a text of {LENGTH} tokens was asked)", ""
        if patient is not None and not patient.longest:
            look_at = f"vocab_size, if the model takes no token {vocab_size - 1}: it is {vocab_size} here"
        return _report(patient, [Finding("answers", "failed", says, look_at=look_at)])
    if findings[-1].check != "order" or findings[-1].status != "right":
        return _report(patient, findings)
    patient.shorten(window or window_of(model))
    findings, unsure, refused = [findings[-1], *findings[:-1]], set(), ""
    for name, (check, needs, before) in CHECKS.items():
        missing = " or ".join(word for word in needs if word not in patient.arguments)
        first = [one for one in before if one in unsure and (name, one) != ("packing", refused)]
        if missing:
            findings.append(_without(patient, name, missing))
            continue
        try:
            found = [Finding(name, "not tried", f"{first[0]!r} must be right first")] if first else []
            for one in () if first else check(patient, name):
                found.append(one)
        except Crash as crash:
            tolerable = _tolerable(crash.__cause__, name, needs, unsure, patient.long.shape[1])
            found.append(Finding(name, "not tried" if tolerable else "failed", str(crash)))
            refused = name if tolerable else refused  # a mask with two axes says nothing about one with three
        except NoScores:
            raise
        except Exception as error:
            found.append(_own_error(name, error))
        unsure |= {name} if any(one.status in ("wrong", "not tried", "failed") for one in found) else set()
        findings += found
    for at, (one, other) in enumerate(itertools.pairwise(findings)):
        unexplained = [each.id.endswith("/unexplained") for each in (one, other)]
        if unexplained == [True, False] and other.status == "wrong":
            findings[at : at + 2] = other, one  # the one that says more comes first
    if reference is not None:
        findings.append(against(patient, reference, any(one.status == "wrong" for one in findings)))
    for at, one in enumerate(findings):
        if one.status == "not tried" and one.check in require:
            findings[at] = dataclasses.replace(one, status="failed", says=f"{one.says}, and it is required")
    return _report(patient, findings)


def _own_error(name, error):
    """A model is not to blame for what goes wrong in here, and the other checks go on."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    says = f"the doctor's own error, not your model's: {type(error).__name__}: {error}"
    return Finding(name, "failed", says.splitlines()[0], look_at=f"{at.filename}, line {at.lineno}")


def _report(patient, findings):
    """The first line of a green report must say what green means."""
    report, left = Report(findings), {}
    for one in findings:
        if one.status in ("not tried", "failed"):
            left.setdefault(one.says, []).append(one.check)
    done = {one.check for one in findings} - {name for names in left.values() for name in names}
    report.tried = f"tried: {len(done)} of {len({one.check for one in findings})} checks"
    if patient is not None and patient.longest:
        report.tried += f"; texts of 1 to {patient.longest} tokens{patient.too_long}"
        report.tried += f"; positions 0 to {patient.farthest:,}{patient.too_far}" * bool(patient.farthest)
    if any(one.id == WITHOUT_IDS for one in findings):
        report.tried += "\npadding on the left changes nothing only if position_ids are given"
    if any(one.id == "packing/window-dropped" for one in findings):
        report.tried += "\npacking was tried in short texts only: such a mask takes the place of the window"
    for why, names in left.items():
        report.tried += f"\nleft out: {', '.join(map(hyphened, names))} ({why})"
    return report


def _first_findings(patient, buffers):
    """What is wrong with frequencies and with positions that are not used, and last what order does."""
    patient.unfilled, found = buffers, []
    if buffers:
        found.append(Finding("frequencies", "wrong", "a rotation has none of these", 0, *buffers))
    first = patient.measured()
    if first.check == "position_ids":  # the other checks can do without them
        found += [] if buffers else [idle_positions(patient, first)]
        patient.arguments.remove("position_ids")
        patient.unused = ("position_ids",)
        first = patient.measured()
    return [*found, first]


# What users call the arguments, as the transformers library and others do.
OTHER_NAMES = {
    "mask": {"attention_mask", "attn_mask", "padding_mask"},
    "cache": {"past_key_values", "past_key_value", "kv_cache", "past", "layer_past", "cache_params"},
    "position_ids": {"positions", "pos", "pos_ids", "input_pos", "position"},
}


def _without(patient, name, missing):
    says = f"no argument is called {missing}, only {', '.join(patient.arguments)}"
    if missing in patient.unused:
        return Finding(name, "not tried", f"{missing} are not used")
    for word in missing.split(" or "):
        for other in sorted(OTHER_NAMES[word] & {*patient.arguments}):
            return Finding(name, "failed", says, look_at=f"if {other} is what is meant, call it {word}")
    return Finding(name, "not tried", says)


NO_FARTHER = "batch", "left padding", "step by step", "several new tokens", "padded, step by step"


def _tolerable(error, name, needs, unsure, length):
    """Whether a model that is right may raise this: a table ends, or it says that it takes no such mask."""
    slip = isinstance(error, NameError | AttributeError)
    far = name in ("shift", "far positions") and "first position" not in unsure
    if isinstance(error, IndexError):  # where texts so long are answered, no table ends
        return name not in NO_FARTHER or length < 15 or ("mask" in needs and "too many" in str(error))
    return not slip and ("mask" in needs or far)


def assert_healthy(logits, vocab_size=None, **kwargs):
    """For a test of your own: an AssertionError with all that is wrong or failed, or if nothing can be told.

    Arguments as for `examine`.

    Examples
    --------
    >>> def logits(tokens):
    ...     places = torch.arange(1.0, tokens.shape[1] + 1)[:, None]
    ...     return (torch.nn.functional.one_hot(tokens, 8) * places).cumsum(dim=1)
    >>> assert_healthy(logits)
    """
    findings = examine(logits, vocab_size, **kwargs)
    blamed = [finding for finding in findings if finding.status in ("wrong", "failed")] or findings[:1]
    assert blamed[0].status == "right", "\n".join(["the doctor finds:", *map(str, blamed)])
