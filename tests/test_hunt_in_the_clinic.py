"""The hunt: its program breaks one law and no other, and the check tells causes, symptoms and innocents."""

import inspect
import textwrap

import pytest
import torch
from reexecute import ROOT

from pe_lessons import doctor
from pe_lessons.lessons.the_clinic import hunt, server

RELEASE = textwrap.dedent(inspect.getsource(server.Server.release))
ADD = textwrap.dedent(inspect.getsource(server.Layer.add))
STUB = "def repaired(*arguments):\n    raise NotImplementedError\n"
LAST_LINE = "    layer.k, layer.v = layer.k[stay, :, spare:], layer.v[stay, :, spare:]\n"


def written(text, *changes):
    """The function of a text, as a learner who has only imported torch would write it."""
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    scope = {"torch": torch}
    exec(text, scope)
    return scope[text.split("def ")[1].split("(")[0]]


def by_kind(cut):
    return LAST_LINE, LAST_LINE.replace("spare:", "cut:").replace("    ", f"    cut = {cut}\n        ", 1)


def test_the_program_keeps_all_laws_but_one_and_without_its_fault_all():
    assert [*hunt.broken(hunt.program())] == [hunt.SYMPTOM]
    assert hunt.broken(hunt.program())[hunt.SYMPTOM] > 0.1
    assert hunt.broken(hunt.program(repaired=True)) == {}
    assert hunt.spare_columns(hunt.program()) == hunt.spare_columns(hunt.program(repaired=True)) == 0


def test_letters_do_not_hang_on_the_last_bit():
    for program in (hunt.program(), hunt.program(repaired=True)):
        requests = [program.Request(*wish) for wish in program.WISHES]
        program.Server(program.random_model()).answer(requests)
        best = torch.stack([row.topk(2).values for one in requests for row in one.scores])
        assert (best[:, 0] - best[:, 1]).min() > 1e-3


def test_the_doctor_finds_nothing_because_it_asks_the_model_only():
    for program in (hunt.program(), hunt.program(repaired=True)):
        findings = doctor.examine(program.random_model().forward, relative=True)
        assert {one.status for one in findings} == {"right", "note"}


def test_each_function_has_a_name_and_the_fault_is_not_on_the_first_screen():
    assert hunt.GUILTY in hunt.functions() and "Layer.add" in hunt.functions()
    text = (ROOT / "pe_lessons/lessons/the_clinic/server.py").read_text(encoding="utf-8")
    assert text.count(hunt.FAULT) == 1 and text[: text.index(hunt.FAULT)].count("\n") > 200
    assert 240 < text.count("\n") < 300


COUNTED = "max(0, spare - (self.cache.columns + spare - layer.k.shape[2]))"
EVERYTHING = ADD.replace("k.shape[2] if self.window is None else self.window - 1", "k.shape[2]")


@pytest.mark.parametrize(
    ("function", "accused", "cause"),
    [
        (written(RELEASE, by_kind(COUNTED)), "Server.release", "the cause"),
        (written(RELEASE, by_kind(COUNTED)), "release", "the cause"),
        (written(RELEASE, (" if self.waiting else 0", " * 0")), "release", "keeps padding"),
        (written(RELEASE, by_kind("spare if layer.window is None else 0")), "release", "breaks"),
        (written(RELEASE, by_kind("spare // 2 if layer.window else spare")), "release", "breaks"),
        (written(RELEASE), "release", "still wrong"),
        (written(EVERYTHING), "Layer.add", "the symptom"),
        (written(ADD, ("self.window - 1", "self.window")), "Layer.add", "an innocent"),
        (lambda real: real.cumsum(dim=1) - 1, "count_real", "an innocent"),
        (lambda *anything: 1 / 0, "rotated", "stops"),
        (lambda self, k, v: (k, v), "Layer.add", "stops"),
        (lambda real: 2 * real.cumsum(dim=1), "count_real", "breaks"),
    ],
)
def test_what_the_check_says(function, accused, cause):
    said = hunt.the_hunt.diagnose(function, accused)
    assert said.cause == cause and said.status == ("correct" if cause == "the cause" else "not yet")
    assert "your" in said.message.lower() or cause == "the cause"
    assert "{" not in said.message


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), "not attempted", "hint"),
        ((written(RELEASE),), "not attempted", "name it"),
        ((written(STUB), "release"), "not attempted", "hint"),
        ((written(RELEASE), "forward"), "error", "Attention.forward, Block.forward, Decoder.forward"),
        ((written(RELEASE), 3), "error", "no function of the program"),
        ((3, "release"), "error", "without parentheses"),
    ],
)  # fmt: skip
def test_what_is_no_answer(arguments, status, words):
    said = hunt.the_hunt.diagnose(*arguments)
    assert said.status == status and words in said.message


def test_the_first_wrong_letter_is_that_after_the_longest_prompt_has_left(capsys):
    hunt.first_wrong(server.WISHES)
    assert capsys.readouterr().out.count("wrong from letter 5 on") == 2
    hunt.first_wrong([("a cat", 12), ("so be it", 12)])
    assert capsys.readouterr().out.count("right") == 2
