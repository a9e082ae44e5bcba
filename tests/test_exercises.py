"""Every exercise of the registry: a new one is tested by being registered."""

import dataclasses
import inspect
import itertools
import math
import random
import time
from pathlib import Path

import mistakes_biases
import mistakes_design
import mistakes_learned
import mistakes_plane
import mistakes_precision
import mistakes_rotary
import mistakes_scaling
import mistakes_speed
import mpmath
import numpy as np
import pytest
import torch
from pe_lessons.exercises.engine import Exercise, Numbers, Question, Quiz, _constant
from torch import nn
from torch.nn import functional as F

from pe_lessons import arrays
from pe_lessons.exercises import REGISTRY, _behaviour

EXERCISES = [exercise for exercise in REGISTRY.values() if isinstance(exercise, Exercise)]
QUESTIONS = [exercise for exercise in REGISTRY.values() if isinstance(exercise, Question)]
QUIZZES = [exercise for exercise in REGISTRY.values() if isinstance(exercise, Quiz)]
NAMED = [(exercise, known) for exercise in EXERCISES for known in exercise.named]
# The mistakes an exercise must know, by their names.
CATALOGUE = {
    "sinusoidal_loop": (
        "doubled exponent", "cosine with its own exponent", "base 1000", "precedence of //",
        "base and exponent exchanged", "multiplied instead of divided", "sine and cosine exchanged",
        "halves instead of interleaved", "positions from 1", "T2T denominator", "all frequencies 1",
        "row 0 zeroed", "degrees", "float32 angles", "float16 angles", "transposed", "log2 for ln",
        "log10 for ln", "crash on odd d_model", "whole numbers",
    ),
    "attention_loop": (
        "scaled by head_dim", "softmax over the wrong axis", "mask after softmax", "queries and keys "
        "exchanged",
    ),
    "shift_matrix": (
        "wrong sign", "sine alone", "full matrix instead of blocks", "halves instead of interleaved",
    ),
    "back_head": ("forward instead of back", "sharpness forgotten"),
    "encoding_module": (
        "added along the batch axis", "added twice", "not a buffer", "persistent buffer",
        "silent beyond max_len", "input modified in place",
    ),
}  # fmt: skip
CATALOGUE |= mistakes_plane.CATALOGUE
CATALOGUE |= mistakes_rotary.CATALOGUE
CATALOGUE |= mistakes_learned.CATALOGUE | mistakes_biases.CATALOGUE
CATALOGUE |= mistakes_scaling.CATALOGUE
CATALOGUE |= mistakes_precision.CATALOGUE
CATALOGUE |= mistakes_design.CATALOGUE
CATALOGUE |= mistakes_speed.CATALOGUE
CATALOGUE["sinusoidal_numpy"] = CATALOGUE["sinusoidal_torch"] = CATALOGUE["sinusoidal_loop"]


def diagnose(exercise, function):
    """Diagnose a function; an exercise on numbers wants what it returns."""
    return exercise.diagnose(function() if isinstance(exercise, Numbers) else function)


def by_name(exercise):
    return getattr(exercise, "name", str(exercise))


# Oracles share no code with the references: multiple precision, another library, closed values.


def precise_angle(position, pair, d_model):
    return position * mpmath.mpf(10_000) ** (mpmath.mpf(-2 * pair) / d_model)


def precise_table(seq_len, d_model):
    with mpmath.workdps(40):
        return [
            [
                float(
                    (mpmath.cos if column % 2 else mpmath.sin)(precise_angle(position, column // 2, d_model))
                )
                for column in range(d_model)
            ]
            for position in range(seq_len)
        ]


def torch_attention(q, k, v, mask=None):
    q, k, v = (torch.tensor(rows, dtype=torch.float64) for rows in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, None if mask is None else torch.tensor(mask))


def precise_wavelengths(d_model, base):
    pairs = range((d_model + 1) // 2)
    return [float(2 * mpmath.pi * mpmath.mpf(base) ** (mpmath.mpf(2 * k) / d_model)) for k in pairs]


def nearest_by_torch(table, position):
    table = torch.tensor(table)
    [gaps] = torch.cdist(table[[position]], table)
    return next(int(other) for other in gaps.argsort(stable=True) if other != position)


def precise_shift(offset, d_model):
    """The map that the exact table itself asks for: solved from d_model of its rows, far apart."""
    with mpmath.workdps(60):

        def row(position):
            angles = [precise_angle(position, column // 2, d_model) for column in range(d_model)]
            return [(mpmath.cos if column % 2 else mpmath.sin)(angle) for column, angle in enumerate(angles)]

        positions = [37 * n * n + n for n in range(d_model)]
        before = mpmath.matrix([row(position) for position in positions])
        after = mpmath.matrix([row(position + offset) for position in positions])
        solved = (before**-1 * after).T
        return [[float(solved[m, n]) for n in range(d_model)] for m in range(d_model)]


def precise_kernel(offsets, d_model):
    with mpmath.workdps(40):
        return [
            float(mpmath.fsum(mpmath.cos(precise_angle(offset, k, d_model)) for k in range(d_model // 2)))
            for offset in offsets
        ]


def readout_one_by_one(sums, labels, rows):
    matrix = np.linalg.pinv(sums) @ rows[labels]
    right = 0
    for one, label in zip(sums, labels):
        distances = [np.sum((one @ matrix - row) ** 2) for row in rows]
        right += distances.index(min(distances)) == label
    return right / len(sums)


def paper_input_one_by_one(embedded, table):
    root = len(embedded[0]) ** 0.5
    return [
        [root * entry + table[position][column] for column, entry in enumerate(row)]
        for position, row in enumerate(embedded)
    ]


def head_by_rotated_positions(seq_len, d_model, back, sharpness):
    rows = torch.tensor(precise_table(seq_len + back, d_model), dtype=torch.float64)
    keys, values = rows[back:], torch.eye(seq_len, dtype=torch.float64)  # the first key is position `back`
    return F.scaled_dot_product_attention(sharpness * rows[:seq_len], keys, values)


def truth_of_permutation(model, rows, order):
    return model.__name__ in ("attention_without_mask", "doubling", "mean_everywhere", "sum_everywhere")


class PlainModule(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.max_len = max_len
        self.register_buffer("rows", torch.tensor(precise_table(max_len, d_model)).float(), persistent=False)

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError(f"{x.size(1)} positions, but max_len is {self.max_len}")
        return torch.stack([sample + self.rows[: len(sample)] for sample in x])


ORACLES = {
    "count_positions": {"the cat chased the mouse": [0, 1, 2, 3, 4], "to be or not to be": [0, 1, 2, 3, 4, 5],
                        "two  spaces": [0, 1], "": []}.__getitem__,
    "attention_loop": torch_attention,
    "permutation_test": truth_of_permutation,
    "one_angle": lambda position, pair, d_model: float(precise_angle(position, pair, d_model)),
    "row_by_hand": lambda: [-0.2794, 0.9602, 0.0600, 0.9982],
    "sinusoidal_loop": precise_table,
    "wavelength": lambda pair, d_model: float(2 * mpmath.pi / precise_angle(1, pair, d_model)),
    "frequencies_numpy": lambda d_model: [
        float(precise_angle(1, pair, d_model)) for pair in range((d_model + 1) // 2)
    ],
    "sinusoidal_numpy": precise_table,
    "sinusoidal_torch": lambda seq_len, d_model: torch.tensor(precise_table(seq_len, d_model)).float(),
    "encoding_module": PlainModule,
    "all_wavelengths": precise_wavelengths,
    "nearest_neighbour": nearest_by_torch,
    "shift_matrix": precise_shift,
    "kernel": precise_kernel,
    "back_head": head_by_rotated_positions,
    "readout": readout_one_by_one,
    "paper_input": paper_input_one_by_one,
}  # fmt: skip
ORACLES |= mistakes_learned.ORACLES | mistakes_biases.ORACLES
ORACLES |= mistakes_plane.ORACLES
ORACLES |= mistakes_rotary.ORACLES
ORACLES |= mistakes_scaling.ORACLES
ORACLES |= mistakes_precision.ORACLES
ORACLES |= mistakes_design.ORACLES
ORACLES |= mistakes_speed.ORACLES


def by_loops(seq_len, d_model):
    """As a learner writes it; unlike the package's own code it is counted step by step."""
    table = []
    for position in range(seq_len):
        row = []
        for column in range(d_model):
            angle = position / 10_000 ** (2 * (column // 2) / d_model)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        table.append(row)
    return table


def test_every_exercise_has_an_oracle():
    assert sorted(ORACLES) == sorted(exercise.name for exercise in EXERCISES)


@pytest.mark.parametrize("exercise", EXERCISES, ids=by_name)
def test_the_reference_and_the_oracle_are_correct(exercise, monkeypatch):
    monkeypatch.setattr(_behaviour, "CPU_SECONDS", 60)  # an oracle in multiple precision may take its time
    for right in (exercise.reference, ORACLES[exercise.name]):
        result = diagnose(exercise, right)
        assert (result.status, result.cause) == ("correct", None), result


@pytest.mark.parametrize("exercise", EXERCISES, ids=by_name)
def test_a_correct_answer_is_checked_quickly(exercise, capsys):
    answer = by_loops if exercise.name == "sinusoidal_loop" else exercise.reference

    def check():
        start = time.process_time()
        assert diagnose(exercise, answer).status == "correct"
        return time.process_time() - start

    check()
    seconds = min(check() for _ in range(3))
    assert seconds < 1
    with capsys.disabled():
        print(f"\n{exercise.name}: a correct answer is checked in {1000 * seconds:.0f} ms", end="")


@pytest.mark.parametrize(("exercise", "known"), NAMED, ids=by_name)
def test_each_wrong_variant_gets_its_own_diagnosis_and_no_others(exercise, known, capfd):
    result = diagnose(exercise, known.wrong)
    assert (result.status, result.cause, result.message) == ("not yet", known.name, known.diagnosis)
    without = dataclasses.replace(
        exercise,
        misconceptions=tuple(other for other in exercise.misconceptions if other.name != known.name),
        slips=tuple(slip for slip in exercise.slips if slip.name != known.name),
    )
    assert len(without.named) == len(exercise.named) - 1
    assert diagnose(without, known.wrong).cause is None
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def is_constant(exercise, function):
    return _constant([exercise._observe(function, probe) for probe in exercise.probes])


@pytest.mark.parametrize("exercise", [exercise for exercise in EXERCISES if exercise.pairs], ids=by_name)
def test_two_mistakes_at_once_are_named(exercise, capsys):
    full, partly, slowest = 0, [], 0.0
    for pair in exercise.pairs:
        start = time.process_time()
        result = diagnose(exercise, pair.wrong)
        if result.cause is None and is_constant(exercise, pair.wrong):
            continue  # too little to go by
        slowest = max(slowest, time.process_time() - start)
        if result.status == "correct":  # two slips that undo each other
            pytest.fail(f"{pair.name} is taken for a right answer")
        assert result.cause is not None, pair.name
        named, made = set(result.cause.split(" + ")), set(pair.name.split(" + "))
        assert named <= made, f"{pair.name} is taken for {result.cause}"
        full += named == made
        partly += [pair.name] if named < made else []
    with capsys.disabled():
        print(
            f"\n{exercise.name}: {full} of {len(exercise.pairs)} pairs of slips named in full "
            f"({full / len(exercise.pairs):.1%}), the others in part; slowest {1000 * slowest:.0f} ms",
            end="",
        )
    assert slowest < 2
    if exercise.name.startswith("sinusoidal_"):
        assert full >= 0.9 * len(exercise.pairs), partly


def test_a_pair_that_is_named_in_part_does_what_fewer_slips_do():
    """The pairs that are not named in full are those that cannot be told from something smaller or equal."""
    exercise = REGISTRY["sinusoidal_numpy"]
    table = {
        one.name: [one.wrong(*probe) for probe in exercise.probes]
        for one in (*exercise.named, *exercise.pairs)
    }
    for pair in exercise.pairs:
        cause = exercise.diagnose(pair.wrong).cause
        if cause != pair.name and not is_constant(exercise, pair.wrong):
            twins = [
                name
                for name, values in table.items()
                if name != pair.name
                and all(
                    a.shape == b.shape and np.allclose(a, b, 0, 1e-6)
                    for a, b in zip(values, table[pair.name])
                )
            ]
            assert twins, pair.name


@pytest.mark.parametrize("name", ["sinusoidal_numpy", "attention_loop", "encoding_module"])
def test_of_three_mistakes_at_once_none_is_named_that_was_not_made(name):
    exercise = REGISTRY[name]
    triples = [
        slips
        for slips in itertools.combinations(exercise.slips, 3)
        if len({slip.part for slip in slips}) == 3
        # almost all frequencies 1: what else goes wrong is as small as a rounding error
        and "base and exponent exchanged" not in {slip.name for slip in slips}
    ]
    for slips in random.Random(0).sample(triples, 80):
        result = exercise.diagnose(exercise.build(**{slip.part: slip.piece for slip in slips}))
        made = {slip.name for slip in slips}
        assert result.status == "not yet"
        assert result.cause is None or set(result.cause.split(" + ")) <= made, (made, result.cause)


def wrong_in_unknown_ways():
    right = arrays.sinusoidal
    for number in (0.5, 1.0, -1.0, 2.0):
        yield f"constant {number}", lambda n, d, number=number: np.full((n, d), number)
    for size in (2e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0):
        yield (
            f"noise {size}",
            lambda n, d, size=size: right(n, d) + size * np.random.default_rng(n * d).uniform(-1, 1, (n, d)),
        )
    yield "rows reversed", lambda n, d: right(n, d)[::-1]
    yield "columns reversed", lambda n, d: right(n, d)[:, ::-1]
    yield "negative", lambda n, d: -right(n, d)
    yield "positions from 2", lambda n, d: right(n, d, start=2)
    yield "positions backwards", lambda n, d: right(n, d, start=1 - n)
    yield "base 100 000", lambda n, d: right(n, d, base=1e5)
    yield "base 9999", lambda n, d: right(n, d, base=9999.0)
    yield "rounded to 2 decimals", lambda n, d: right(n, d).round(2)
    yield "rounded to 5 decimals", lambda n, d: right(n, d).round(5)
    yield "stored in float16", lambda n, d: right(n, d).astype(np.float16)
    yield "doubled", lambda n, d: 2 * right(n, d)
    yield "cut at 0", lambda n, d: right(n, d).clip(0)


UNKNOWN = dict(wrong_in_unknown_ways())


@pytest.mark.parametrize("kind", UNKNOWN)
def test_an_unknown_mistake_gets_no_name(kind):
    result = REGISTRY["sinusoidal_numpy"].diagnose(UNKNOWN[kind])
    assert (result.status, result.cause) == ("not yet", None), result


def stubs(parameters):
    """Functions as a notebook offers them before anything is written."""
    for body in (
        "...",
        "pass",
        '"""What to do."""',
        "raise NotImplementedError",
        '"""Words."""\n    raise NotImplementedError',
    ):
        scope = {}
        exec(f"def mine({', '.join(parameters)}):\n    {body}", scope)
        yield scope["mine"]


class StubModule(nn.Module):
    """What a notebook offers for the module."""

    def __init__(self, d_model, max_len):
        super().__init__()
        raise NotImplementedError

    def forward(self, x):
        raise NotImplementedError


class StubForward(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()

    def forward(self, x):
        raise NotImplementedError


@pytest.mark.parametrize("exercise", EXERCISES, ids=by_name)
def test_a_stub_is_not_attempted(exercise):
    if isinstance(exercise, Numbers):
        answers = [..., [...], [..., ..., ..., ...]]
    elif isinstance(exercise.reference, type):
        answers = [StubModule, StubForward]
    else:
        answers = list(
            stubs(list(inspect.signature(exercise.reference).parameters)[: len(exercise.probes[0])])
        )
    for answer in [*answers, ...]:
        assert exercise.diagnose(answer).status == "not attempted"


@pytest.mark.parametrize("question", QUESTIONS, ids=by_name)
def test_questions_have_right_and_wrong_choices_with_reasons(question):
    assert question.diagnose(*question.right).status == "correct"
    assert question.diagnose(...).status == question.diagnose().status == "not attempted"
    assert 0 < len(question.right) < len(question.choices)
    assert list(question.choices) == list("abcdefgh"[: len(question.choices)])
    for letter, (_, is_right, reason) in question.choices.items():
        result = question.diagnose(letter)
        assert result.status == ("correct" if question.right == (letter,) else "not yet")
        if not is_right:
            assert reason in result.message
            assert f"{letter} chosen" in result.cause


@pytest.mark.parametrize("quiz", QUIZZES, ids=by_name)
def test_quizzes_have_one_right_choice_and_a_reason_for_each(quiz):
    assert len(quiz.questions) == 3
    assert quiz.diagnose(list(quiz.right)).status == quiz.diagnose("".join(quiz.right)).status == "correct"
    assert quiz.diagnose([...] * 3).status == quiz.diagnose().status == "not attempted"
    for number, question in enumerate(quiz.questions):
        assert len(question.right) == 1 and len(question.choices) >= 3
        assert list(question.choices) == list("abcdefgh"[: len(question.choices)])
        for letter, (_, is_right, reason) in question.choices.items():
            result = quiz.diagnose([letter if number == place else ... for place in range(3)])
            assert result.status == "not yet" and reason in result.message
            assert result.cause == (None if is_right else f"{number + 1}{letter}")
            assert reason.endswith((".", "?"))


def test_the_texts_of_the_quizzes_are_unique():
    questions = [question for quiz in QUIZZES for question in quiz.questions]
    reasons = [reason for question in questions for _, _, reason in question.choices.values()]
    for texts in ([question.prompt for question in questions], reasons):
        assert len(set(texts)) == len(texts)
    for question in questions:
        assert len({text for text, _, _ in question.choices.values()}) == len(question.choices)


def test_the_right_choice_of_a_quiz_cannot_be_guessed_from_its_place_or_length():
    questions = [question for quiz in QUIZZES for question in quiz.questions]
    places = [question.right[0] for question in questions]
    longest = [
        max(question.choices, key=lambda letter: len(question.choices[letter][0])) == question.right[0]
        for question in questions
    ]
    assert max(places.count(letter) for letter in places) <= 0.4 * len(places)
    assert sum(longest) <= 0.4 * len(longest)
    for quiz in QUIZZES:
        assert len(set(quiz.right)) > 1, quiz.name


def test_names_agree_with_the_modules_and_are_found_by_name():
    for name, exercise in REGISTRY.items():
        assert exercise.name == name
        assert name.isidentifier()
    assert REGISTRY is __import__("pe_lessons.exercises", fromlist=["REGISTRY"]).REGISTRY
    assert all(len({known.name for known in exercise.named}) == len(exercise.named) for exercise in EXERCISES)


def test_the_public_catalogue_is_covered():
    for name, mistakes in CATALOGUE.items():
        missing = set(mistakes) - {known.name for known in REGISTRY[name].named}
        assert not missing, f"{name} does not name {missing}"


def test_texts_are_unique_short_and_give_nothing_away():
    for exercise in EXERCISES:
        texts = [known.diagnosis for known in exercise.named]
        assert len(set(texts)) == len(texts)
        for text in texts:
            assert 20 < len(text) < 260, text
            assert text.rstrip().endswith((".", "?")), text
            assert "return " not in text
    shared = {}
    for exercise in EXERCISES:
        for known in exercise.named:
            assert shared.setdefault(known.diagnosis, known.name) == known.name


@pytest.mark.parametrize("exercise", [*EXERCISES, *QUESTIONS], ids=by_name)
def test_there_are_two_or_three_hints_and_a_solution(exercise):
    assert 2 <= len(exercise.hints) <= 3
    assert len(set(exercise.hints)) == len(exercise.hints)
    assert exercise.hint(1) != exercise.hint(2)
    assert len(exercise.solution()) > 3


@pytest.mark.parametrize("exercise", EXERCISES, ids=by_name)
def test_the_solution_is_code_without_its_docstring(exercise):
    if not isinstance(exercise, Numbers):
        compile(exercise.solution(), exercise.name, "exec")
        assert '"""' not in exercise.solution()


def test_results_do_not_depend_on_what_was_checked_before():
    exercise = REGISTRY["sinusoidal_loop"]
    fresh = dataclasses.replace(exercise)
    for known in exercise.named[::5]:
        exercise.diagnose(known.wrong)
    assert fresh.diagnose(exercise.named[0].wrong) == exercise.diagnose(exercise.named[0].wrong)
    assert exercise.diagnose(exercise.reference) == fresh.diagnose(exercise.reference)


def test_the_default_dtype_of_torch_does_not_change_a_verdict():
    exercise = dataclasses.replace(REGISTRY["sinusoidal_torch"])
    torch.set_default_dtype(torch.float64)
    try:
        assert exercise.diagnose(exercise.reference).status == "correct"
    finally:
        torch.set_default_dtype(torch.float32)
    assert exercise.diagnose(exercise.reference).status == "correct"


def test_bfloat16_and_gradients_can_be_read():
    exercise = REGISTRY["sinusoidal_torch"]
    result = exercise.diagnose(lambda seq_len, d_model: exercise.reference(seq_len, d_model).bfloat16())
    assert result.status == "not yet"
    result = exercise.diagnose(lambda seq_len, d_model: exercise.reference(seq_len, d_model).requires_grad_())
    assert result.status == "correct"


def test_the_number_of_named_mistakes_is_counted(capsys):
    different = len({known.diagnosis for _, known in NAMED})
    with capsys.disabled():
        print(
            f"\n{len(NAMED)} named mistakes in {len(EXERCISES)} exercises, {different} different ones", end=""
        )
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"{different} different mistakes" in readme and f"{len(NAMED)} in all" in readme


@pytest.mark.parametrize(
    ("name", "answer", "cause"),
    [
        ("one_angle", lambda p, k, d: p / 10_000**2 * k / d, "brackets missing"),
        ("one_angle", lambda p, k, d: p // 10_000 ** (2 * k / d), "whole-number division"),
        ("one_angle", lambda p, k, d: 0, None),
        ("frequencies_numpy", lambda d: 1 / 10_000**2 * np.arange((d + 1) // 2) / d, "brackets missing"),
        (
            "sinusoidal_loop",
            lambda n, d: [
                [(math.cos if c % 2 else math.sin)(p / 10_000**2 * (c // 2) / d) for c in range(d)]
                for p in range(n)
            ],
            "brackets missing",
        ),
        ("sinusoidal_loop", lambda n, d: np.zeros((n, d)), None),
        ("sinusoidal_torch", lambda n, d: torch.zeros(n, d), None),
        ("kernel", lambda offsets, d: np.zeros(len(offsets)), None),
    ],
)
def test_numbers_near_0_are_not_explained_by_two_mistakes_that_make_0_together(name, answer, cause):
    assert REGISTRY[name].diagnose(answer).cause == cause


class WithAParameter(PlainModule):
    """Right, but for a parameter that has nothing to do with the table."""

    def __init__(self, d_model, max_len):
        super().__init__(d_model, max_len)
        self.scale = nn.Parameter(torch.ones(3))


class LosesABatchOf1(PlainModule):
    def forward(self, x):
        return torch.cat([super().forward(x), x[:0]]) if len(x) > 1 else x.flatten()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (WithAParameter, "trainable parameters"),
        (LosesABatchOf1, "With a batch of 1"),
    ],
)
def test_an_unknown_mistake_of_a_module_is_told_in_words(answer, words):
    result = REGISTRY["encoding_module"].diagnose(answer)
    assert (result.status, result.cause) == ("not yet", None)
    assert words in result.message and "look_at" not in result.message


def test_every_look_at_a_module_or_table_has_its_sentence():
    for name in ("encoding_module", "sinusoidal_torch"):
        exercise = REGISTRY[name]
        looks = {part for probe in exercise._all_probes for part in probe if isinstance(part, str)}
        assert looks - {"output"} == set(exercise.says)
