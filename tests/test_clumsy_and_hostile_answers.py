"""Hostile and clumsy learner code: each kind gets a sentence that helps, quickly, and the kernel lives on."""

import builtins
import functools
import itertools
import math
import os
import sys
import threading
import time
import tomllib
import warnings
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from pe_lessons import loops
from pe_lessons.exercises import run_answer
from pe_lessons.lessons import REGISTRY

EXERCISE = REGISTRY["sinusoidal_loop"]
# What is hostile here surrounds the course's own function, which makes the right table.
pytestmark = pytest.mark.usefixtures("the_course_may_answer")


def rows_of(value):
    return lambda seq_len, d_model: [[value] * d_model for _ in range(seq_len)]


TABLE = Path(__file__).with_name("clumsy_and_hostile_answers.toml")
CASES = tomllib.loads(TABLE.read_text(encoding="utf-8"))["case"]
HOSTILE = {case["kind"]: case for case in CASES}
NAMES = {
    "builtins": builtins, "functools": functools, "itertools": itertools, "math": math, "os": os, "sys": sys,
    "time": time, "Decimal": Decimal, "Fraction": Fraction, "np": np, "torch": torch, "loops": loops,
    "EXERCISE": EXERCISE, "rows_of": rows_of,
}  # fmt: skip


def hostile(kind):
    """The answer of this kind, as a cell makes it."""
    scope = dict(NAMES)
    exec(compile(HOSTILE[kind]["code"], "<a cell>", "exec"), scope)
    return scope["mine"]


def slow(seq_len, d_model):
    """A right table whose wavelengths are made by repeated multiplication."""

    def wavelength(pair):
        result = 1
        for _ in range(2 * pair):
            result = result * 10_000 ** (1 / d_model)
        return result

    waves = [(math.cos if column % 2 else math.sin, column // 2) for column in range(d_model)]
    return [[wave(row / wavelength(pair)) for wave, pair in waves] for row in range(seq_len)]


def test_a_slow_right_answer_passes_fresh_trials_that_are_larger():
    look = replace(EXERCISE, fresh_probes=((8, 300),)).look(slow)
    assert look.seen[-1].kind == "value" and look.seen[-1].steps > run_answer.STEPS


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_code_gets_a_helpful_sentence_and_the_kernel_lives_on(kind, capfd, monkeypatch):
    if kind != "endless":  # as many steps as in a lesson once, a fifth of them for the other loops
        monkeypatch.setattr(run_answer, "STEPS", run_answer.STEPS // 5)
    answer, status, words = hostile(kind), HOSTILE[kind]["status"], HOSTILE[kind]["words"]
    before = kernel_state()
    start, waiting = time.process_time(), time.perf_counter()
    result = EXERCISE.check(answer)
    seconds, waited = time.process_time() - start, time.perf_counter() - waiting
    assert (result.status, result.cause) == (status, None), result
    assert words in result.message
    assert len(result.message) < 500
    # of the processor, which may be slow; a busy machine may take many times as long
    assert seconds < 5
    assert waited < 60
    assert kernel_state() == before
    assert EXERCISE.check(loops.sinusoidal).status == "correct"
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def kernel_state():
    """What hostile code could leave behind."""
    return (
        sys.stdout, sys.stderr, sys.stdin, sys.gettrace(), sys.getprofile(), sys.getrecursionlimit(),
        builtins.input, threading.active_count(), list(warnings.filters), np.geterr(),
        [getattr(module, name) for module in (np, torch) for name in ("empty", "empty_like")],
    )  # fmt: skip


@pytest.mark.parametrize(
    "kind", [Decimal, Fraction, np.longdouble, np.float16, np.array, torch.tensor, type("Own", (float,), {})]
)
def test_every_kind_of_number_is_one(kind):
    assert run_answer.numbers(((kind(0.5), 1), [True, kind(-3)])) == ((2, 2), (0.5, 1.0, 1.0, -3.0))


def test_printing_and_warnings_stay_inside(capfd):
    def noisy(seq_len, d_model):
        print("working ...")
        print("careful", file=sys.stderr)
        warnings.warn("deprecated", stacklevel=1)
        np.log(np.zeros(1))
        sys.stdout = None
        return loops.sinusoidal(seq_len, d_model)

    assert EXERCISE.check(noisy).status == "correct"
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_checks_in_several_threads_are_right_and_leave_the_kernel_as_it_was(capfd):
    before, results = kernel_state(), []
    unwritten, asks = hostile("NumPy empty"), hostile("input")

    def slowly(seq_len, d_model):
        print("working ...")
        time.sleep(0.002)
        return loops.sinusoidal(seq_len, d_model)

    def work():
        for answer in (slowly, unwritten, slowly, asks):
            results.append((answer, EXERCISE.check(answer).status))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 16
    assert {(answer, status) for answer, status in results} == {
        (slowly, "correct"), (unwritten, "not yet"), (asks, "error")
    }  # fmt: skip
    assert kernel_state() == before
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_what_computes_for_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(run_answer, "CPU_SECONDS", 0.05)

    def slow(seq_len, d_model):
        for _ in range(100):
            sum(range(100_000))
        return loops.sinusoidal(seq_len, d_model)

    assert "does not end" in EXERCISE.check(slow).message


def test_modules_that_misbehave_are_reported():
    class NoSuper(torch.nn.Module):
        def __init__(self, d_model, max_len):
            self.table = torch.nn.Parameter(torch.zeros(max_len, d_model))

    class ReturnsNothing(torch.nn.Module):
        def __init__(self, d_model, max_len):
            super().__init__()

        def forward(self, x):
            x + 1

    class Indented(torch.nn.Module):
        def __init__(self, d_model, max_len):
            super().__init__()

            def forward(self, x):
                return x

    class WrongArguments(torch.nn.Module):
        def __init__(self):
            super().__init__()

    exercise = REGISTRY["encoding_module"]
    for module_class, words in [
        (NoSuper, "Module.__init__()"),
        (ReturnsNothing, "`ReturnsNothing(4, max_len=8).forward(<2 x 3 x 4 numbers>)` returns None."),
        (Indented, "`forward` is not defined in the class: is it indented under `__init__`?"),
        (WrongArguments, "TypeError"),
    ]:
        result = exercise.check(module_class)
        assert result.status in ("not yet", "error")
        assert words in result.message, result
