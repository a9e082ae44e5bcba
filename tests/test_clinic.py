"""The clinic: every case fails and passes as it says, its threads are sources, its lesson is there."""

import re

import clinic_page
import nbformat
import numpy as np
import pytest
import write_sources
from reexecute import ROOT

from pe_lessons import clinic
from pe_lessons.exercises import result

CASES = clinic.cases()
SOURCES = {source.link: source for source in write_sources.read()}
in_every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.number:02d}")
KEYS = {
    "group",
    "story",
    "program",
    "tries",
    "culprit",
    "hints",
    "test",
    "thread",
    "told",
    "lesson",
    "suspects",
}
SHOWN = {"session", "given", "code", "plot"}


def own_test(case):
    scope = {"np": np}
    exec(case.data["test"], scope)
    return scope["test"]


def complaints(case):
    """What does not hold of a case: the right program and two suspects pass its test, the culprit fails it,
    and the engine knows each suspect by what it does."""
    test = own_test(case)
    if not clinic._passes(test, case.right):
        yield "the right program fails the test"
    for one in case.suspects:
        if clinic._passes(test, one.program) == (one.letter == case.data["culprit"]):
            yield f"{one.letter} {'passes' if one.letter == case.data['culprit'] else 'fails'} the test"
        if case.exercise.diagnose(one.program).cause != one.letter:
            yield f"the engine does not know {one.letter}"
    if case.exercise.diagnose(case.right).status != "correct":
        yield "the engine does not like the right program"


@in_every_case
def test_a_case_fails_and_passes_as_it_says(case):
    assert list(complaints(case)) == []
    assert case.diagnose(own_test(case)).status == "correct"


@in_every_case
def test_a_case_is_complete(case):
    assert KEYS <= case.data.keys() <= KEYS | SHOWN
    assert [one.letter for one in case.suspects] == ["A", "B", "C"]
    assert len(case.hints) == 2 and case.hint(1) != case.hint(2)
    assert len(case.data["story"].split()) <= 75 and len(case.data["told"].split()) <= 75
    for one in case.suspects:
        assert one.say.endswith((".", "?")) and not one.who.endswith(".")
        assert len(one.say) < 200


@in_every_case
def test_the_threads_are_sources_and_the_lesson_has_the_heading(case):
    [lesson] = (ROOT / "notebooks").glob("*_the_clinic.ipynb")
    for thread in case.data["thread"]:
        source = SOURCES[thread]
        assert source.kind == "thread" and source.opened and lesson.name[:2] in source.cited
    number, heading = re.fullmatch(r"lesson (\d\d), (.+)", case.data["lesson"]).groups()
    [path] = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    texts = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown"]
    assert any(re.search(rf"^##+ {re.escape(heading)}$", text, re.MULTILINE) for text in texts)


@in_every_case
def test_a_riddle_fits_on_a_screen_and_gives_nothing_away(case, capsys):
    case.ask()
    assert capsys.readouterr().out.startswith(case.text)
    lines = case.text.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 110
    assert case.title in lines[0] and case.evidence in case.text
    assert '"""' not in case.text and case.culprit.say not in case.text
    assert bool(case.evidence) == bool({"session", "code"} & case.data.keys())


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"culprit": "A"}, "A passes the test"),
        ({"test": "def test(program): return True"}, "C passes the test"),
        ({"test": "def test(program): return False"}, "the right program fails the test"),
        ({"test": "def test(program): return program(5, 3) == [5, 6, 7]"}, "A fails the test"),
        ({"tries": ["0, 1"]}, "the engine does not know A"),
    ],
)
def test_a_fault_in_a_case_is_seen(changed, complaint):
    case = clinic.case(5)
    assert complaint in list(complaints(clinic.Case(5, case.title, case.data | changed)))


@pytest.mark.parametrize(
    ("test", "status", "words"),
    [
        (..., "not attempted", "hint"),
        (lambda program: ..., "not yet", "Every suspect passes"),
        (3, "error", "without parentheses"),
        (lambda program: program(5, 1) == [4], "not yet", "A right program fails"),
        (lambda program: program(5), "error", "With a right program your test stops with an error"),
        (lambda program: np.array(program(5, 3)) == 5, "error", "ambiguous"),
        (lambda program: program(5, 3) == [5, 6, 7], "not yet", "fails for A and C"),
        (lambda program: program(20, 1) == [20] and program(5, 3) == [5, 6, 7], "not yet", "A, B and C"),
        (lambda program: program(0, 3) == [0, 1, 2], "not yet", "not A. With one token a call"),
        (lambda program: program(5, 1)[0] // (program(5, 1)[0] > 0) == 5, "correct", "It is C"),
    ],
)
def test_what_the_check_says(test, status, words):
    said = clinic.case(5).diagnose(test)
    assert said.status == status and words in said.message


def test_the_reply_links_to_the_threads():
    case = clinic.case(9)
    shown = case.diagnose(own_test(case))._repr_html_()
    assert all(f'<a href="{thread}">{thread}</a>' in shown for thread in case.data["thread"])


def test_nothing_is_raised_while_a_grading_tool_runs(monkeypatch):
    monkeypatch.setattr(result, "GRADING", True)
    assert clinic.case(5).check(...).status == "not attempted"
    assert clinic.case(5).mend(clinic.case(5).patient).status == "not yet"


def test_a_test_may_assert():
    def test(program):
        assert program(5, 1) == [5], "not the sixth place"

    def unwritten(program):
        raise NotImplementedError

    assert clinic.case(5).diagnose(test).status == "correct"
    assert clinic.case(5).diagnose(unwritten).status == "not attempted"


def test_a_repaired_program_is_recognised():
    case = clinic.case(21)
    assert case.mend(case.right).status == "correct"
    assert case.mend(case.patient).cause == "B"
    assert case.mend(lambda ids: np.ndim(ids) == 2 and case.right(ids)).status == "not yet"


def test_cases_are_found_by_number_and_by_words():
    assert clinic.case("stutters") is clinic.case(5) is CASES[4]
    for which, error in (
        (0, ValueError),
        (99, ValueError),
        ("e", ValueError),
        (2.5, TypeError),
        (True, TypeError),
    ):
        with pytest.raises(error, match="which must be"):
            clinic.case(which)


def test_there_are_24_in_six_groups_and_the_culprit_is_no_habit():
    assert [len(group) for group in clinic.groups().values()] == [4] * 6
    culprits = [case.data["culprit"] for case in CASES]
    assert all(culprits.count(letter) in (7, 8, 9) for letter in "ABC")
    assert len({case.title for case in CASES}) == len(CASES) == 24


def test_the_notebook_asks_each_case_once_and_leaves_its_test_to_the_reader():
    [lesson] = (ROOT / "notebooks").glob("*_the_clinic.ipynb")
    code = "\n".join(cell.source for cell in nbformat.read(lesson, 4).cells if cell.cell_type == "code")
    for case in CASES:
        assert len(re.findall(rf"clinic\.case\({case.number}\)\.ask\(\)", code)) == 1
        assert f"    raise NotImplementedError\n\n\nclinic.case({case.number}).check(test)" in code


def test_the_page_shows_every_case_by_symptom(tmp_path):
    clinic_page.write(tmp_path)
    page = (tmp_path / "clinic.md").read_text(encoding="utf-8")
    assert re.findall(r"^### (\d+) ", page, re.MULTILINE) == [str(case.number) for case in CASES]
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == list(clinic.groups())
    pictures = re.findall(r"!\[.+\]\((clinic/.+\.svg)\)", page)
    assert len(pictures) == sum("plot" in case.data for case in CASES)
    assert all((tmp_path / picture).stat().st_size for picture in pictures)
    for case in CASES:
        assert all(f"]({thread})" in page for thread in case.data["thread"])
        assert case.data["test"].strip() in page
    assert page.count("<details>") == page.count("</details>") == len(CASES)
