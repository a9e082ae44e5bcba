"""The hunt: its program breaks one law and no other, and the check tells causes, symptoms and innocents."""

import inspect
import textwrap

import pytest
import torch
from reexecute import ROOT

from pe_lessons.lessons.the_clinic import hunt, server

CUT = textwrap.dedent(inspect.getsource(server.Cache.cut))
ADD = textwrap.dedent(inspect.getsource(server.Layer.add))
STUB = "def repaired(*arguments):\n    raise NotImplementedError\n"
LAST_LINE = "    layer.k, layer.v = layer.k[:, :, spare:], layer.v[:, :, spare:]\n"


def written(text, *changes):
    """The function of a text, as a learner who has only imported torch would write it."""
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    scope = {"torch": torch}
    exec(text, scope)
    return scope[text.split("def ")[1].split("(")[0]]


def by_kind(first):
    new = LAST_LINE.replace("spare:", "first:").replace("    ", f"    first = {first}\n        ", 1)
    return written(CUT, (LAST_LINE, new))


def test_the_program_keeps_all_laws_but_one_and_without_its_fault_all():
    [(law, size)] = hunt.broken(hunt.program()).items()
    assert law == hunt.SYMPTOM and size > 0.1
    assert hunt.broken(hunt.program(repaired=True)) == {}


def test_letters_do_not_hang_on_the_last_bit():
    for program in (hunt.program(), hunt.program(repaired=True)):
        requests = [program.Request(*wish) for wish in program.WISHES]
        program.Server(program.random_model()).answer(requests)
        best = torch.stack([row.topk(2).values for one in requests for row in one.scores])
        assert (best[:, 0] - best[:, 1]).min() > 1e-3


def test_each_function_has_a_name_and_the_fault_is_not_on_the_first_screen():
    assert {hunt.GUILTY, "Cache.pick", "Layer.add", "Server.tidy"} <= {*hunt.functions()}
    text = (ROOT / "pe_lessons/lessons/the_clinic/server.py").read_text(encoding="utf-8")
    assert text.count(hunt.FAULT) == 1 and text[: text.index(hunt.FAULT)].count("\n") > 100
    assert 240 < text.count("\n") < 310


EVERYTHING = ADD.replace("k.shape[2] if self.window is None else self.window - 1", "k.shape[2]")
RIGHT = "max(0, layer.k.shape[2] - self.columns)"
LATE = (
    textwrap.dedent(CUT)
    .replace("    self.columns -= spare\n", "")
    .replace(LAST_LINE, f"    first = {RIGHT}\n        {LAST_LINE.strip().replace('spare:', 'first:')}\n")
    + "    self.columns -= spare\n"
)
BY_THE_OLD = "max(0, spare - (self.columns - layer.k.shape[2]))"
OVERWRITTEN = LATE.replace(f"first = {RIGHT}", f"spare = {BY_THE_OLD}").replace("first:", "spare:")
IN_THE_LOOP = LATE.replace("    self.columns -= spare\n", "        self.columns -= spare\n").replace(
    f"first = {RIGHT}", f"first = {BY_THE_OLD}"
)


def unlike(keys, values):
    slices = LAST_LINE.replace("spare:", keys, 1).replace("spare:", values, 1)
    return written(CUT, (LAST_LINE, f"    first = {RIGHT}\n    {slices}"))


FORGOT_NOTHING = "spare if layer.k.shape[2] == self.columns + spare else 0"


@pytest.mark.parametrize(
    ("function", "accused", "cause"),
    [
        (by_kind(RIGHT), "Cache.cut", "the cause: right now"),
        (by_kind(RIGHT), "cut", "the cause"),
        (by_kind("spare if layer.window is None else 0"), "cut", "too many stay: right now"),
        (by_kind("spare // 2 if layer.window else spare"), "cut", "only the picture: still wrong"),
        (by_kind("spare - 1 if layer.window else spare"), "cut", "only the picture: still wrong"),
        (by_kind(FORGOT_NOTHING), "cut", "too many stay: right now"),
        (by_kind("spare if layer.k.shape[2] > spare else 0"), "cut", "all of them or none"),
        (written(CUT), "cut", "as in the file"),
        (by_kind("min(spare, layer.k.shape[2])"), "cut", "as in the file"),
        (by_kind("max(0, min(spare, layer.k.shape[2] - 7))"), "cut", "a fixed number"),
        (lambda self: None, "tidy", "the symptom"),
        (lambda self: None, "release", "the symptom"),  # nobody leaves, and it ends all the same
        (written(EVERYTHING), "Layer.add", "the symptom"),
        (written(ADD, ("self.window - 1", "self.window")), "Layer.add", "an innocent"),
        (lambda self, rows: None, "pick", "stops"),
        (lambda self, spare: None, "cut", "as many columns"),
        (written(CUT, ("    self.columns -= spare\n", "")), "cut", "as many columns"),
        (written(LATE), "cut", "counted too late"),
        (by_kind("layer.k.shape[2] - self.columns"), "cut", "a negative drop"),
        (by_kind("spare - (self.columns - layer.k.shape[2])"), "cut", "taken off twice"),
        (by_kind("max(0, spare - (self.columns - layer.k.shape[2]))"), "cut", "taken off twice"),
        (by_kind("max(0, spare - max(0, self.columns - layer.k.shape[2]))"), "cut", "taken off twice"),
        (by_kind("max(0, layer.k.shape[2] - (self.columns - spare))"), "cut", "taken off twice"),
        (by_kind("spare if layer.k.shape[2] == self.columns else 0"), "cut", "counted too late"),
        (written(OVERWRITTEN), "cut", "from layer to layer"),
        (by_kind("spare = " + RIGHT), "cut", "the cause"),
        (by_kind("max(0, spare - (self.columns + spare - layer.k.shape[2]))"), "cut", "the cause"),
        (written(IN_THE_LOOP), "cut", "from layer to layer"),
        (written(CUT, (", layer.v =", " ="), ("], layer.v[:, :, spare:]", "]")), "cut", "without values"),
        (unlike("first:", "spare:"), "cut", "without values"),
        (unlike("spare:", "first:"), "cut", "without values"),
        (unlike("-self.columns:", ": self.columns"), "cut", "without values"),
        (written(CUT, ("spare:], layer.v", "self.nothing:], layer.v")), "cut", "stops"),
        (by_kind(RIGHT), "Layer.add", "other arguments"),
        (lambda spare: None, "cut", "other arguments"),
        (lambda real: real.cumsum(dim=1) - 1, "count_real", "an innocent"),
        (lambda *anything: 1 / 0, "rotated", "stops"),
        (lambda self, k, v: (k, v), "Layer.add", "stops"),
        (lambda real: 2 * real.cumsum(dim=1), "count_real", "breaks"),
    ],
)
def test_what_the_check_says(function, accused, cause):
    """After a colon: what is said of the lesson's five requests."""
    said, (cause, *five) = hunt.the_hunt.diagnose(function, accused), cause.split(": ")
    assert all(f"The five requests of the lesson are {words}." in said.message for words in five)
    assert said.cause == cause and said.status == ("correct" if cause == "the cause" else "not yet")
    assert "your" in said.message.lower() or cause == "the cause"
    assert "{" not in said.message


@pytest.mark.parametrize(
    ("requests", "status", "words"),
    [
        (((..., ...), ("bee", 3)), "not attempted", "place of the dots"),
        ((("a", 18),), "error", "two requests"),
        ((("A", 18), ("who", 3)), "error", "small letters"),
        ((("a", 18), ("who", "3")), "error", "small letters"),
        ((3, ("who", 3)), "error", "two requests"),
        ((("so be it", 9), ("the dog chases", 3)), "correct", "*so be it* is wrong from letter 4 on"),
        ((("i", 18), ("how", 18)), "not yet", "the longer prompt, doesn't leave before *i*"),
        ((("ant", 3), ("bee", 18)), "not yet", "*ant* and *bee* have the same length"),
        ((("ant", 5), ("horses", 4)), "not yet", "*ant* leaves before the number of columns is a multiple"),
        ((("i", 18), ("how", 1)), "not yet", "dropped before windows forget"),
        ((("i", 18), ("lion", 3)), "not yet", "a prompt of this lesson, *lion*"),
    ],
)
def test_two_requests_find_the_fault_or_they_do_not(requests, status, words):
    said = hunt.the_hunt.check_test(*requests)
    assert said.status == status and words in said.message and said.title.startswith("test: ")


@pytest.mark.parametrize(
    ("letters", "events"),
    [
        (1, ["1 lion leaves", "2 2 of 4 columns dropped", "7 windows begin to forget"]),
        (
            6,
            [
                "5 windows begin to forget",
                "6 lion leaves",
                "10 2 of 12 columns dropped",
                "10 ox goes wrong",
            ],
        ),
    ],
)
def test_events_come_in_the_order_in_which_they_happen(capsys, letters, events):
    hunt.the_hunt.show_events([("ox", 18), ("lion", letters)])
    assert [" ".join(row.split()) for row in capsys.readouterr().out.splitlines()[2:-1]] == events


@pytest.mark.parametrize(
    ("runs", "status", "words"),
    [
        ((3, ...), "not attempted", "in the place of each"),
        ((3, 19), "error", "from 1 to 18"),
        ((3, 6, 7), "error", "two whole numbers"),
        ((3, "6"), "error", "two whole numbers"),
        ((3, 3), "not yet", "the same"),
        ((3, 1), "not yet", ": right (a delay of 3 says 4)\nlion 3: wrong from letter 6 on (a delay"),
        ((3, 7), "not yet", "and the first wrong letter moves by 4.\nSo the delay may be 3, or"),
        ((2, 6), "not yet", "the delay isn't 3. But perhaps the harm comes 4 letters after the leaving, or"),
        ((5, 3), "correct", "moves by 2, and the first wrong letter moves by 0."),
        ((5, 6), "correct", "moves by 1, and the first wrong letter moves by 4."),
    ],
)  # fmt: skip
def test_two_runs_tell_or_they_do_not(runs, status, words):
    said = hunt.the_hunt.check_runs(*runs)
    assert said.status == status and words in said.message and said.title.startswith("runs: ")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), "not attempted", "hint"),
        ((written(CUT),), "not attempted", "name it"),
        ((written(STUB), "cut"), "not attempted", "hint"),
        ((written(CUT), "forward"), "error", "Attention.forward, Block.forward, Decoder.forward"),
        ((written(CUT), 3), "error", "no function of the program"),
        ((3, "cut"), "error", "without parentheses"),
    ],
)  # fmt: skip
def test_what_is_no_answer(arguments, status, words):
    said = hunt.the_hunt.diagnose(*arguments)
    assert said.status == status and words in said.message


GOAT, LONG = ("goat", 12), "hippopotamus"
NO_WINDOW = {"windows": (None,) * 4}


@pytest.mark.parametrize(
    ("wishes", "options", "first"),
    [
        (server.WISHES, {}, "6"),
        (server.WISHES, NO_WINDOW, None),
        *((server.WISHES[:one] + server.WISHES[one + 1 :], {}, "6") for one in (1, 2, 3)),
        ([GOAT, ("frog", 12)], {}, None),
        ([GOAT, (LONG, 5)], {}, "6"),
        ([GOAT, (LONG, 6)], {}, "10"),  # it moves in steps of four
        ([GOAT, (LONG, 12)], {}, None),
        ([("goat", 2), (LONG, 12)], {}, None),
        ([("a cat", 12), (LONG, 2)], {}, "6"),  # not where the text outgrows a window
        ([("a", 14), ("who", 1)], {}, None),
        ([("a", 18), ("who", 2)], {}, None),
        ([("a", 18), ("who", 4)], {}, "7"),
        ([("so be it", 12), ("a cat", 3)], {}, None),
        ([("a", 18), ("who", 4), ("so", 2)], {}, "7"),  # the longest prompt needn't be the first to leave
    ],
)
def test_what_experiments_say_that_are_not_in_the_lesson(capsys, wishes, options, first):
    hunt.first_wrong(wishes, **options)
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[-2] for line in lines if "wrong" in line} == ({first} if first else set())


def test_neither_the_lineup_nor_a_docstring_says_which_columns_are_dropped():
    assert "padding" not in server.Server.tidy.__doc__ + server.Cache.cut.__doc__


def test_the_model_in_the_other_layout_has_the_same_weights():
    """What the doctor says of both models stands in the lesson, and nbval compares it."""
    for one, two in zip(hunt.other_layout().parameters(), server.random_model().parameters()):
        assert torch.equal(one, two)


def test_dots_in_the_place_of_a_source_ask_for_a_name(capsys):
    hunt.show_source(...)
    assert "quotation marks" in capsys.readouterr().out
    with pytest.raises(ValueError, match="'cut' isn't in"):
        hunt.show_source("cut")


@pytest.mark.parametrize("name", ["frequencies", "Layer.add", "Layer", "Server.answer"])
def test_a_source_can_be_copied_into_a_cell(capsys, name):
    hunt.show_source(name)
    said = capsys.readouterr().out
    assert said.startswith(("def ", "class ", "@dataclass")) and not said.endswith("\n\n")
    compile(said, name, "exec")
