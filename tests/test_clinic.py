"""The clinic: every case fails and passes as it says, its threads are sources, its lesson is there."""

import itertools
import re

import nbformat
import numpy as np
import pytest
import teaching_tables
import write_sources
from reexecute import ROOT

from pe_lessons.exercises import run_answer
from pe_lessons.lessons.progress import notebook
from pe_lessons.lessons.the_clinic import clinic

CASES = clinic.cases()
SOURCES = {source.link: source for source in write_sources.read()}
in_every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.number:02d}")


def own_test(case):
    scope = {"np": np}
    exec(case.data["test"], scope)
    return scope["test"]


NUMBER = r"(?<![\w.])\d[\w.]*"


def only_numbers_differ(change):
    """Whether new texts are the old ones with other numbers. Of the culprit's change there is then nothing in
    them: it is made besides, as it stands, so that the fault is the same."""
    places = [change] if change and isinstance(change[0], str) else change
    return all(old != new and re.sub(NUMBER, "", old) == re.sub(NUMBER, "", new) for old, new in places)


def factor_once(program):
    """Whether `yarn` has its factor once, whatever number is in it: a number times ln(stretch), plus 1."""
    small, large = (np.linalg.norm(program(np.ones(8), 0, stretch)) / 8**0.5 - 1 for stretch in (4, 16))
    return bool(small > 0 and np.isclose(large, 2 * small))


def knows_other_numbers(case):
    """A test that fails for the fault, and that a right program passes with the other numbers, too. It is
    the case's own, but where that has the number in it which is another one in the second patient."""
    return factor_once if case.number == 17 else own_test(case)


def tries(case):
    scope = {"np": np, "normal": lambda *shape: np.random.default_rng(21).normal(size=shape)}
    return [eval(f"({arguments},)", scope) for arguments in case.data["tries"]]


def complaints(case):
    """What does not hold of a case: the right program and two suspects pass its test, the culprit fails it,
    and what the programs answer tells them apart."""
    test = own_test(case)
    if not clinic._passes(test, case.right):
        yield "the right program fails the test"
    for one in case.suspects:
        if clinic._passes(test, one.program) == (one.letter == case.data["culprit"]):
            yield f"{one.letter} {'passes' if one.letter == case.data['culprit'] else 'fails'} the test"
    if clinic._passes(test, case.second):
        yield "the second patient passes the test"
    if not clinic._passes(knows_other_numbers(case), case.second_healthy):
        yield "the second patient fails the test for its other numbers alone"
    if not only_numbers_differ(case.data.get("again", [])):
        yield "the second patient has more than other numbers"
    programs = {"right": case.right} | {one.letter: one.program for one in case.suspects}
    answers = {
        name: [run_answer.observe_ours(program, arguments) for arguments in tries(case)]
        for name, program in programs.items()
    }
    for (one, mine), (other, its) in itertools.combinations_with_replacement(answers.items(), 2):
        alike = all(first.same_as(second, 1e-9) for first, second in zip(mine, its))
        if alike != (one == other):  # what isn't a number is not even like itself
            yield f"the tries don't tell {one} from {other}"


@in_every_case
def test_a_case_fails_and_passes_as_it_says(case):
    assert list(complaints(case)) == []
    assert case.diagnose(own_test(case), case.data["culprit"]).status == "correct"


YES_OR_NO = (21,)  # where "not what the patient said" can only be what is right


@in_every_case
def test_a_test_that_knows_the_patient_only_is_no_solution(case):
    culprit = case.data["culprit"]
    assert case.diagnose(lambda program: program is not case.patient, culprit).status == "not yet"
    assert ("again" in case.data) == (case.number not in YES_OR_NO)
    if case.number in YES_OR_NO:
        return
    asked = 0
    for arguments in tries(case):
        right, patient, second = (
            run_answer.observe(program, arguments) for program in (case.right, case.patient, case.second)
        )
        if second == patient != right:  # there the answer names the fault: cosines of 0 where sines should be
            continue
        asked += patient != right

        def not_that(program, arguments=arguments):
            return run_answer.observe(program, arguments) != run_answer.observe(case.patient, arguments)

        assert case.diagnose(not_that, culprit).status == "not yet"
    assert asked


@pytest.mark.parametrize(
    ("number", "test"),
    [
        (1, lambda program: len(set(program(4095, 3, 4096))) == 1),
        (1, lambda program: program(4090, 10, 4096)[0] == program(4090, 10, 4096)[-1]),
        (5, lambda program: program(9, 1)[0] >= 9),
        (5, lambda program: program(9, 1) != program(5, 1)),
        (10, lambda program: np.diff(program([3, 9], 2)[0]).max() <= 1),
        (13, lambda program: program(np.eye(4)[0], 1)[2] != 0),
        (13, lambda program: program(np.eye(8)[1], 1)[0] == 0),
        (17, lambda program: round(np.linalg.norm(program(np.ones(8), 0, 128)) / 8**0.5, 4) == 1.4852),
        (17, lambda program: np.linalg.norm(program(np.ones(8), 0, 128)) < 2 * 8**0.5),
        (17, factor_once),
    ],
)
def test_a_test_that_names_the_cause_is_right(number, test):
    case = clinic.case(number)
    assert case.diagnose(test, case.data["culprit"]).status == "correct"


@in_every_case
def test_the_example_call_accuses_nobody_whom_the_case_accuses(case):
    right, patient = (
        str(eval(case.data["example"], {"np": np, "program": program}))
        for program in (case.right, case.patient)
    )
    assert right == patient and f"is {right}." in " ".join(case.signature.split())


@in_every_case
def test_the_threads_are_sources_and_the_lesson_is_there(case):
    lesson = notebook(ROOT / "notebooks", "the_clinic")
    for thread in case.data["thread"]:
        source = SOURCES[thread]
        assert source.kind == "thread" and source.opened and lesson.stem[3:] in source.cited
    assert (ROOT / "notebooks" / f"{case.data['lesson']}.ipynb").is_file()


@in_every_case
def test_a_riddle_fits_on_a_screen_and_gives_nothing_away(case, capsys):
    case.ask()
    assert capsys.readouterr().out.startswith(case.text)
    lines = case.text.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 88
    assert case.title in lines[0] and case.evidence in case.text
    assert '"""' not in case.text and case.culprit.say not in case.text
    assert (case.lineup in case.text) != case.later
    assert bool(case.evidence) == bool({"session", "code"} & case.data.keys())
    assert "code" not in case.data or case.culprit_change[1] in case.evidence


def markdown_of(cell_id):
    cells = nbformat.read(notebook(ROOT / "notebooks", "the_clinic"), 4).cells
    return next(cell.source for cell in cells if cell.id == cell_id)


def test_that_a_mistake_needs_company_convicts_case_10():
    def test(program):
        alone, together = (np.diff(program(lengths, 2)[0]).max() for lengths in ([3], [3, 5]))
        return not (alone == 1 and together > 1)

    assert clinic.case(10).diagnose(test, "B").status == "correct"


def test_the_lesson_says_which_patients_need_lessons_that_the_path_for_language_models_skips():
    paths = teaching_tables.reading_paths(teaching_tables.WITH_PATHS.read_text(encoding="utf-8"))
    path = paths["to build language models"][0]
    without = [case for case in CASES if case.data["lesson"][:2] not in path and not case.data.get("first")]
    *numbers, last = map(str, sorted(case.number for case in without))
    assert f"{', '.join(numbers)} and {last} need lessons" in markdown_of("more-patients")


RIGHT = "lambda program: program(5, 1) == [5]"  # a test that only the culprit fails, C
SAID = [  # a test, whom it accuses, and what the check says
    (..., "C", "not attempted", "hint"),
    (RIGHT, ..., "not attempted", 'accused="A"'),
    (RIGHT, "d", "error", "accused is 'd'"),
    (RIGHT, np.ones(3), "error", "accused is array"),
    (RIGHT, "c", "correct", "It is C"),
    ("lambda program: [program(5, 1) == [5]]", "C", "correct", "It is C"),
    ("lambda program: np.array(program(5, 1)) == 5", "C", "correct", "It is C"),
    (
        RIGHT,
        "B",
        "not yet",
        "fails only for C, and you accuse B. Your test doesn't notice what is wrong with B",
    ),
    ("lambda program: len(program(5, 1)) == 1", "c", "not yet", "should be [5]), and your comparison"),
    (
        "lambda program: len(program(5, 1)) == 1",
        "A",
        "not yet",
        "where you ask, A is right. You accuse A:",
    ),
    ("lambda program: program(17, 3) == [17, 18, 19]", "C", "not yet", "fails for A, B and C"),
    (
        "lambda program: program(17, 1) == [17]",
        "A",
        "not yet",
        "A passes your test. It fails for B and C",
    ),
    ("lambda program: program(1, 1) == [1]", "C", "not yet", "where you ask, it is right by chance"),
    ("lambda program: program(5, 1) != [0]", "C", "not yet", "only knows what this patient says"),
    ("lambda program: ...", "C", "not yet", "it never calls the program. You accuse C: every call counts"),
    ("lambda program: program(5, 1) and None", "C", "not yet", "returns nothing: put `return`"),
    ("lambda program: program(5, 1) == [4]", "C", "not yet", "A right program fails"),
    ("lambda program: program(5)", "C", "error", "With a right program your test stops with an error"),
    ("lambda program: np.array(program(5, 3)) == 5", "C", "error", "several truth values"),
    ("lambda program: program(5, 3) == [5, 6, 7]", "C", "not yet", "fails for A and C"),
    ("lambda program: program(0, 3) == [0, 1, 2]", "A", "not yet", "not A. With one token a call"),
    ("3", "C", "error", "without parentheses"),
]


@pytest.mark.parametrize(("test", "accused", "status", "words"), SAID)
def test_what_the_check_says(test, accused, status, words):
    test = eval(test) if isinstance(test, str) else test
    said = clinic.case(5).diagnose(test, accused)
    assert said.status == status and words in said.message


@pytest.mark.parametrize("which", [0, 99, "stutters", 2.5])
def test_a_case_has_a_number(which):
    with pytest.raises(ValueError, match=r"which must be one of 1, 4, .*, got"):
        clinic.case(which)


@pytest.mark.parametrize(
    ("letter", "status", "words"),
    [
        (
            "c",
            "correct",
            "This test convicts it:\ndef test(program):\n    return program(5, 1) == [5]\nIt is C",
        ),
        ("A", "not yet", "Your suspect A is innocent. With one token"),
        (..., "not attempted", "letter"),
        ("D", "error", "Your letter is 'D'"),
    ],
)
def test_a_suspect_can_be_named_without_a_test(letter, status, words):
    said = clinic.case(5).accuse(letter)
    assert said.status == status and words in said.message


def test_an_alarm_of_case_10_hears_what_is_true_of_a_whole_list_and_of_one_position():
    for test in (lambda p: p([3, 5], 2)[0] == p([3], 2)[0], lambda p: p([3, 5], 2)[0][1] != 5):
        said = clinic.case(10).diagnose(test, "B")
        assert said.cause == "A + B" and "Company changes positions of both" in said.message
