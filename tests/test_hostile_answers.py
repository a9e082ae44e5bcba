"""Hostile and clumsy learner code: each kind gets a sentence that helps, quickly, and the kernel lives on."""

import asyncio
import builtins
import functools
import itertools
import math
import os
import subprocess
import sys
import threading
import time
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from pe_lessons import loops
from pe_lessons.exercises import REGISTRY, behaviour
from pe_lessons.exercises.exercise import Exercise

EXERCISE = REGISTRY["sinusoidal_loop"]


def rows_of(value):
    return lambda seq_len, d_model: [[value] * d_model for _ in range(seq_len)]


def endless(seq_len, d_model):
    while True:
        pass


def endless_without_end_in_sight(seq_len, d_model):
    rows = 0
    while len(range(rows)) < math.inf:
        rows += 1


def endless_in_a_helper(seq_len, d_model):
    def helper():
        return endless(seq_len, d_model)

    return [helper()]


def endless_under_except(seq_len, d_model):
    while True:
        try:
            math.sin(1 / 0)
        except:  # noqa: E722
            continue


def endless_around_except(seq_len, d_model):
    while True:
        try:
            endless(seq_len, d_model)
        except BaseException as error:
            str(error)


def endless_under_finally(seq_len, d_model):
    while True:
        try:
            seq_len += 1
        finally:
            continue  # noqa: B012


def endless_retry(seq_len, d_model):
    try:
        return endless(seq_len, d_model)
    except:  # noqa: E722
        return endless_retry(seq_len, d_model)


def endless_comprehension(seq_len, d_model):
    return [number for number in itertools.count() if number < 0]


def endless_generator(seq_len, d_model):
    return sum(0 for _ in itertools.count())


def endless_and_slow(seq_len, d_model):
    while True:
        time.sleep(0.05)


def endless_list(seq_len, d_model):
    rows = []
    while True:
        rows.append([0.0] * d_model)


def growing(seq_len, d_model):
    table, row = [], []
    for _ in range(seq_len):
        row.extend([0.0] * d_model)
        table.append(row)
    return table


def recursion(seq_len, d_model):
    return recursion(seq_len, d_model)


def leaves(seq_len, d_model):
    sys.exit(3)


def leaves_by_builtin(seq_len, d_model):
    raise SystemExit


def interrupts(seq_len, d_model):
    raise KeyboardInterrupt


def prints_instead(seq_len, d_model):
    print(loops.sinusoidal(seq_len, d_model))


def asks(seq_len, d_model):
    return float(input("base? "))


def huge(seq_len, d_model):
    return np.ones((200_000, 200_000))


def large(seq_len, d_model):
    return np.zeros((3_000, 3_000))


def huge_text(seq_len, d_model):
    return "0" * 10**12


def huge_view(seq_len, d_model):
    return np.broadcast_to(0.0, (10**9, 10**9))


def huge_range(seq_len, d_model):
    return range(10**12)


def self_containing(seq_len, d_model):
    rows = []
    rows.append(rows)
    return rows


def changes_numpy(seq_len, d_model):
    np.sin = np.cos
    return loops.sinusoidal(seq_len, d_model)


def changes_math(seq_len, d_model):
    math.sin = lambda angle: 0.0
    return loops.sinusoidal(seq_len, d_model)


def changes_torch(seq_len, d_model):
    torch.sin = torch.cos
    return loops.sinusoidal(seq_len, d_model)


def changes_a_builtin(seq_len, d_model):
    builtins.sum = lambda numbers: 0
    return loops.sinusoidal(seq_len, d_model)


def changes_every_builtin(seq_len, d_model):
    for name in ("len", "isinstance", "type", "any", "all", "next", "hasattr", "setattr", "max", "zip"):
        setattr(builtins, name, None)
    return loops.sinusoidal(seq_len, d_model)


def deletes(seq_len, d_model):
    del np.cos, np.empty, builtins.sorted
    return loops.sinusoidal(seq_len, d_model)


def changes_and_fails(seq_len, d_model):
    builtins.max = min
    os.chdir("/")
    return 1 / 0


def moves_away(seq_len, d_model):
    os.chdir(os.path.dirname(os.getcwd()))
    return loops.sinusoidal(seq_len, d_model)


def changes_the_dtype(seq_len, d_model):
    torch.set_default_dtype(torch.float64)
    return loops.sinusoidal(seq_len, d_model)


def gives_up_gradients(seq_len, d_model):
    torch.set_grad_enabled(False)
    return loops.sinusoidal(seq_len, d_model)


def takes_the_keyboard(seq_len, d_model):
    builtins.input = lambda: "3"
    sys.stdout = sys.stderr = None
    return loops.sinusoidal(seq_len, d_model)


def checks_itself(seq_len, d_model):
    assert EXERCISE.check(loops.sinusoidal).status == "correct"
    return loops.sinusoidal(seq_len, d_model)


def yields(seq_len, d_model):
    yield [0.0] * d_model


async def awaits(seq_len, d_model):
    return loops.sinusoidal(seq_len, d_model)


def error_without_text(seq_len, d_model):
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError

    raise Odd


def misspelt(seq_len, d_model):
    return [[math.sinus(column) for column in range(d_model)] for _ in range(seq_len)]


def random_rows(seq_len, d_model):
    return np.random.default_rng().random((seq_len, d_model))


def wrong_shape(seq_len, d_model):
    return [0.0] * d_model


def ragged(seq_len, d_model):
    return [[0.0] * position for position in range(seq_len)]


class Callable:
    def __call__(self, seq_len, d_model):
        return "rows"


class HostileNumber:
    @property
    def shape(self):
        raise RuntimeError("no shape")

    def tolist(self):
        raise SystemExit


HOSTILE = {  # code: (status, words of the message)
    "None": (rows_of(None), "not yet", "None"),
    "nothing returned": (lambda seq_len, d_model: [].append(seq_len), "not yet", "return"),
    "printed": (prints_instead, "not yet", "printing is not handing over"),
    "NaN": (rows_of(math.nan), "not yet", "NaN means not a number"),
    "infinity": (rows_of(math.inf), "not yet", "should be 0, but is inf"),
    "text": (rows_of("0.84"), "not yet", "text"),
    "whole text": (lambda seq_len, d_model: "0 1 0 1", "not yet", "text"),
    "complex": (rows_of(1j), "not yet", "complex"),
    "Decimal": (rows_of(Decimal("0.5")), "not yet", "should be 0, but is 0.5"),
    "Fraction": (rows_of(Fraction(1, 2)), "not yet", "should be 0, but is 0.5"),
    "complex longdouble": (rows_of(np.clongdouble(1)), "not yet", "complex"),
    "NumPy empty": (lambda *shape: np.empty_like(np.empty(shape)), "not yet", "is never written"),
    "PyTorch empty": (lambda *shape: torch.empty(shape).half() + 1, "not yet", "is never written"),
    "a list that grows": (growing, "not yet", "gives back one and the same list 5 times"),
    "ragged": (ragged, "not yet", "ragged"),
    "one row only": (wrong_shape, "not yet", "should give the shape (5, 4)"),
    "dictionary": (lambda seq_len, d_model: {0: [0.0]}, "not yet", "dict"),
    "object array": (lambda seq_len, d_model: np.array([None, 1.0], dtype=object), "not yet", "None"),
    "generator": (yields, "not yet", "return instead of yield"),
    "coroutine": (awaits, "not yet", "not async def"),
    "iterator": (lambda seq_len, d_model: zip([1], [2]), "not yet", "list(...)"),
    "function returned": (lambda seq_len, d_model: loops.sinusoidal, "not yet", "parentheses"),
    "class returned": (lambda seq_len, d_model: dict, "not yet", "type"),
    "list in itself": (self_containing, "not yet", "nested without end"),
    "random": (random_rows, "not yet", "two different results"),
    "wrong arity": (lambda seq_len: [], "error", "(seq_len, d_model)"),
    "no arguments": (lambda: [], "error", "too many positional arguments"),
    "keywords only": (lambda *, seq_len, d_model: [], "error", "positional arguments"),
    "a result": (loops.sinusoidal(5, 4), "error", "without parentheses"),
    "an array": (np.zeros((5, 4)), "error", "without parentheses"),
    "a name": ("my_sinusoidal", "error", "without parentheses"),
    "a class": (Callable, "error", "function itself"),
    "an object with __call__": (Callable(), "not yet", "text"),
    "a partial": (functools.partial(lambda a, b, c: "", 1), "not yet", "text"),
    "misspelt": (misspelt, "error", "math' has no attribute 'sinus' (line"),
    "error without text": (error_without_text, "error", "Odd (line"),
    "exit": (leaves, "error", "Use return"),
    "SystemExit": (leaves_by_builtin, "error", "Use return"),
    "interrupt": (interrupts, "error", "interrupted"),
    "input": (asks, "error", "waits for the keyboard"),
    "recursion": (recursion, "error", "calls itself without end"),
    "huge array": (huge, "error", "more memory than there is"),
    "large array": (large, "not yet", "far too large"),
    "huge text": (huge_text, "error", "more memory than there is"),
    "huge view": (huge_view, "not yet", "far too large"),
    "huge range": (huge_range, "not yet", "more than 1000000 numbers"),
    "numpy replaced": (changes_numpy, "error", "has been put back: `numpy.sin`."),
    "math replaced": (changes_math, "error", "has been put back: `math.sin`."),
    "torch replaced": (changes_torch, "error", "has been put back: `torch.sin`."),
    "builtin replaced": (changes_a_builtin, "error", "has been put back: `builtins.sum`."),
    "builtins replaced": (changes_every_builtin, "error", "`builtins.all`, `builtins.any`, "),
    "functions deleted": (
        deletes,
        "error",
        "has been put back: `builtins.sorted`, `numpy.cos`, `numpy.empty`.",
    ),
    "replaced, then an error": (changes_and_fails, "error", "`builtins.max`, the working directory."),
    "working directory": (moves_away, "error", "has been put back: the working directory."),
    "default dtype": (changes_the_dtype, "error", "has been put back: the default dtype of torch."),
    "gradients": (gives_up_gradients, "error", "has been put back: whether torch keeps gradients."),
    "keyboard and screen": (takes_the_keyboard, "correct", ""),
    "a check in a check": (checks_itself, "correct", ""),
    "hostile number": (lambda seq_len, d_model: HostileNumber(), "error", "no shape"),
    "endless": (endless, "error", "does not come to an end"),
    "endless, growing": (endless_without_end_in_sight, "error", "does not come to an end"),
    "endless, in a helper": (endless_in_a_helper, "error", "does not come to an end"),
    "endless, under except": (endless_under_except, "error", "does not come to an end"),
    "endless, around except": (endless_around_except, "error", "does not come to an end"),
    "endless, under finally": (endless_under_finally, "error", "does not come to an end"),
    "endless, retried": (endless_retry, "error", "does not come to an end"),
    "endless comprehension": (endless_comprehension, "error", "does not come to an end"),
    "endless generator": (endless_generator, "error", "does not come to an end"),
    "endless and slow": (endless_and_slow, "error", "does not come to an end"),
    "endless list": (endless_list, "error", "does not come to an end"),
}
NEEDS_A_MEMORY_LIMIT = {"huge array", "huge text"}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_code_gets_a_helpful_sentence_and_the_kernel_lives_on(kind, capfd, monkeypatch, tmp_path):
    if kind in NEEDS_A_MEMORY_LIMIT and (not sys.platform.startswith("linux") or torch.cuda.is_available()):
        pytest.skip("memory can be limited on Linux only, and not beside CUDA")
    monkeypatch.chdir(tmp_path)
    answer, status, words = HOSTILE[kind]
    before = kernel_state()
    start, waiting = time.process_time(), time.perf_counter()
    result = EXERCISE.check(answer)
    seconds, waited = time.process_time() - start, time.perf_counter() - waiting
    assert (result.status, result.cause) == (status, None), result
    assert words in result.message
    assert len(result.message) < 500
    # of its own: a busy machine may take many times as long
    assert seconds < (5 if "does not come to an end" in words else 1.5)
    assert waited < 60
    assert kernel_state() == before
    assert EXERCISE.check(loops.sinusoidal).status == "correct"
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def kernel_state():
    """What hostile code could leave behind."""
    modules = [
        (module, name) for module in (math, np, torch) for name in ("sin", "cos", "empty", "empty_like")
    ]
    modules += [(builtins, name) for name in dir(builtins) if name != "_"]
    return (
        sys.stdout, sys.stderr, sys.stdin, sys.gettrace(), sys.getprofile(), sys.getrecursionlimit(),
        builtins.input, threading.active_count(), list(warnings.filters), np.geterr(), os.getcwd(),
        torch.get_default_dtype(), torch.is_grad_enabled(),
        [getattr(module, name, None) for module, name in modules],
    )  # fmt: skip


@pytest.mark.parametrize(
    "kind", [Decimal, Fraction, np.longdouble, np.float16, np.array, torch.tensor, type("Own", (float,), {})]
)
def test_every_kind_of_number_is_one(kind):
    assert behaviour.numbers(((kind(0.5), 1), [True, kind(-3)])) == ((2, 2), (0.5, 1.0, 1.0, -3.0))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"), (np.zeros((0, 4)), "<an empty array (0, 4)>"), ([], "[]"),
        ([[]], "<an empty array (1, 0)>"),
        (np.zeros((2, 3)), "<2 x 3 numbers>"), ([0.5, 2], "[0.5, 2]"), (["a"], "<list>"), (len, "len"),
        (functools.partial(len), "partial"),
    ],
)  # fmt: skip
def test_an_argument_of_any_kind_is_told_in_a_few_characters(value, words):
    exercise = Exercise("half", lambda x: 0.0, probes=((value,),))
    assert exercise.diagnose(lambda x: 1.0).message.startswith(f"`your_function(x={words})` should be 0")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory can be limited on Linux only")
def test_the_memory_limit_is_lifted_after_the_call():
    code = (
        "import resource\n"
        "from pe_lessons.exercises.lesson_00 import count_positions\n"
        "before = resource.getrlimit(resource.RLIMIT_AS)\n"
        "inside = []\n"
        "count_positions.check(lambda sentence: inside.append(resource.getrlimit(resource.RLIMIT_AS)))\n"
        "print(before == resource.getrlimit(resource.RLIMIT_AS), before == inside[0])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False"]


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


def test_numpy_broken_before_the_check_is_put_back(monkeypatch):
    monkeypatch.setattr(np, "cos", lambda angle: np.zeros_like(angle))
    result = REGISTRY["sinusoidal_numpy"].check(lambda seq_len, d_model: loops.sinusoidal(seq_len, d_model))
    assert "has been put back: `numpy.cos`." in result.message
    assert np.cos(0.0) == 1.0


def test_pytorch_may_be_imported_after_the_first_exercises():
    code = (
        "from pe_lessons.exercises.lesson_03 import wavelength\n"
        "from pe_lessons.exercises.lesson_05 import sinusoidal_torch\n"
        "import torch\n"
        "sine, torch.sin = torch.sin, torch.cos\n"
        "print(sinusoidal_torch.check(lambda seq_len, d_model: 0).message, torch.sin is sine)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "has been put back: `torch.sin`." in run.stdout and run.stdout.endswith("True\n")


def test_what_pytorch_changes_of_itself_is_not_put_back():
    """It exchanges torch.manual_seed, for one, when something is compiled."""
    import torch._dynamo  # noqa: F401

    assert EXERCISE.check(loops.sinusoidal).status == "correct"
    assert behaviour.put_back() == []


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a folder that is in use")
def test_a_folder_that_is_gone_is_survived(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert EXERCISE.check(loops.sinusoidal).status == "correct"
    assert "the working directory" in EXERCISE.check(changes_and_fails).message


def test_checks_in_several_threads_are_right_and_leave_the_kernel_as_it_was(capfd):
    before, results = kernel_state(), []

    def slowly(seq_len, d_model):
        print("working ...")
        time.sleep(0.002)
        return loops.sinusoidal(seq_len, d_model)

    def work():
        for answer in (slowly, changes_math, slowly, asks):
            results.append((answer, EXERCISE.check(answer).status))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 16
    assert {(answer, status) for answer, status in results} == {
        (slowly, "correct"), (changes_math, "error"), (asks, "error")
    }  # fmt: skip
    assert kernel_state() == before
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


class Clock:
    """A clock for the loop guard: its time goes on when it is told to."""

    def __init__(self, cpu_per_second):
        self.now, self.cpu_per_second = 0.0, cpu_per_second

    def perf_counter(self):
        return self.now

    def thread_time(self):
        return self.now * self.cpu_per_second


@pytest.mark.parametrize(
    ("seconds", "cpu_per_second", "status"),
    [
        ([0.0] * 50 + [100.0] + [0.0] * 50, 0, "correct"),  # suspended, or swapped out
        ([1.0] * 15, 0, "correct"),  # again and again
        ([0.01] * 399, 0, "correct"),
        ([0.01] * 500, 0, "error"),  # a loop that sleeps
        ([1.0] * 30, 0, "error"),
        ([0.1] * 150, 0.1, "correct"),  # at work, on a machine that gives it a tenth of its time
        ([0.1] * 20, 1, "correct"),
        ([0.1] * 30, 1, "error"),  # hard at work
        ([1.0] * 4, 1, "error"),
    ],
)
def test_only_time_that_the_answer_itself_takes_is_counted(monkeypatch, seconds, cpu_per_second, status):
    clock = Clock(cpu_per_second)
    monkeypatch.setattr(behaviour, "time", clock)

    def answer(seq_len, d_model):
        if seq_len == 5:  # the first trial
            for step in seconds:
                clock.now += step
                for _ in range(9):  # the guard looks at its clock at every eighth line or bytecode
                    pass
        return loops.sinusoidal(seq_len, d_model)

    assert EXERCISE.check(answer).status == status


def test_changed_arguments_are_reported():
    def in_place(q, k, v, mask=None):
        q[0][0] = 0.0
        return loops.attention(q, k, v, mask)

    def sorts(q, k, v, mask=None):
        out = loops.attention(q, k, v, mask)
        v.sort()
        return out

    assert "`q` it is given" in REGISTRY["attention_loop"].check(in_place).message
    assert "`v` it is given" in REGISTRY["attention_loop"].check(sorts).message


def test_a_slow_but_right_answer_is_not_taken_for_an_endless_one():
    def laborious(seq_len, d_model):
        table = [[0.0] * d_model for _ in range(seq_len)]
        for position in range(seq_len):
            for column in range(d_model):
                for other in range(d_model):
                    if other == column:
                        power = 1.0
                        for _ in range(column // 2):
                            power *= 10_000 ** (2 / d_model)
                        wave = math.cos if column % 2 else math.sin
                        table[position][column] = wave(position / power)
        return table

    assert EXERCISE.check(laborious).status == "correct"


def test_library_code_is_not_counted():
    def imports_inside(seq_len, d_model):
        import torch

        torch.nn.TransformerEncoderLayer(8, 2)
        return loops.sinusoidal(seq_len, d_model)

    assert EXERCISE.check(imports_inside).status == "correct"


def test_the_tracer_of_a_debugger_is_put_back():
    def tracer(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        EXERCISE.check(loops.sinusoidal)
        EXERCISE.check(endless)
        after = sys.gettrace()
    finally:
        sys.settrace(before)
    assert after is tracer


def test_a_check_inside_a_running_event_loop():
    """Jupyter runs cells inside one."""

    async def cell():
        return EXERCISE.check(endless), EXERCISE.check(loops.sinusoidal)

    first, second = asyncio.run(cell())
    assert (first.status, second.status) == ("error", "correct")


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
        (ReturnsNothing, "`ReturnsNothing(4, max_len=8).forward(<2 x 3 x 4 numbers>)` gives back None."),
        (Indented, "`forward` is not defined in the class: is it indented under `__init__`?"),
        (WrongArguments, "TypeError"),
    ]:
        result = exercise.check(module_class)
        assert result.status in ("not yet", "error")
        assert words in result.message, result
