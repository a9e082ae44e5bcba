"""The claims of every lesson can be tried, and one that fails is seen; nothing is trained here."""

import inspect
from types import SimpleNamespace

import pytest

from evidence.claims import run_claims as runner
from evidence.claims import train_on_another_seed as training
from pe_lessons import toys
from pe_lessons.lessons.progress import notebook


@pytest.mark.parametrize("lesson", runner.lessons())
def test_a_file_of_claims_has_groups_and_belongs_to_a_lesson_that_names_it(lesson):
    module = runner.load(lesson)
    assert runner.groups(module)
    for function in filter(inspect.isgeneratorfunction, vars(module).values()):
        assert (function in runner.groups(module)) == bool(inspect.getdoc(function)), function.__name__
    path = notebook(runner.NOTEBOOKS, lesson)
    assert f"(../evidence/claims/{lesson}.py)" in path.read_text(encoding="utf-8")


def good():
    """A group whose claims hold"""
    yield "a share", [0.91, 0.95], runner.at_least(0.9)
    yield "only reported", [3, 4]


def bad():
    """A group of which one fails on one seed"""
    yield "holds", [1, 2], runner.below(3)
    yield "does not", [0.91, 0.89], runner.at_least(0.9)
    yield "no number", [float("nan"), 0.95], runner.at_least(0.9)


@pytest.fixture
def main(monkeypatch):
    """The runner, with a lesson whose claims hold and a one of which two fail."""
    modules = {"first": SimpleNamespace(good=good), "second": SimpleNamespace(good=good, bad=bad)}
    monkeypatch.setattr(runner, "lessons", lambda: list(modules))
    monkeypatch.setattr(runner, "load", modules.get)
    return runner.main


@pytest.mark.parametrize("wanted", [["second"], []])
def test_a_claim_that_fails_on_one_seed_fails_the_run(main, capsys, wanted):
    assert main(wanted) == 1
    shown = capsys.readouterr().out
    assert shown.count("FAILS on 1 of 2") == 2
    assert shown.endswith("These claims fail:\n  second, does not\n  second, no number\n")


def test_who_learns_is_tried_at_half_and_at_twice_the_rate(main, monkeypatch, capsys):
    def train(model, batches, *, steps, lr=0.01, print_every=None):
        model.rate = lr

    @training.kept
    def trained(**options):
        return training.train(0, [], **options).rate

    @runner.who_learns
    def group():
        """Who learns"""
        yield "as written", [trained()], runner.below(0.015)
        yield "a rate of its own", [trained(lr=0.005)], runner.equal_to(0.005).at(1)

    monkeypatch.setattr(toys, "train", train)
    monkeypatch.setattr(runner, "load", {"first": SimpleNamespace(group=group, good=good)}.get)
    assert main(["first"]) == 1
    shown = capsys.readouterr().out
    own, half, twice = (line for line in shown.splitlines() if line.startswith("  a rate of its own"))
    assert own.endswith("[0.005, 0.005]   = 0.005 at its rate: holds")
    assert half.endswith("[0.0025, 0.0025]") and twice.endswith("[0.01, 0.01]")
    assert shown.count("a share") == 1
    assert shown.endswith("These claims fail:\n  first, as written, at twice its learning rate\n")
    assert toys.train is train
    assert main(["first", "--rate", "0.5"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("as written") == shown.count("at half") == 1 and "a share" not in shown
