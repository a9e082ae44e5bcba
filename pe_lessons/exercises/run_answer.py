"""Run a stranger's function and say what it did: the value, or what happened instead.

Nothing here knows what the function is for. It may print, fail, compute for ever or change its arguments;
the kernel survives and the caller gets a `Behaviour`. A function that waits for ever is ended by the kernel's
stop button; one that fills the memory, or assigns to `np.sin`, has done so.
"""

import builtins
import contextlib
import copy
import dis
import functools
import inspect
import io
import itertools
import json
import math
import site
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Complex, Real
from pathlib import Path

STEPS = 400_000  # of the learner's own code in one call; a right answer takes a fifth
PATIENCE = 15  # times as many in fresh trials, which may be larger: nobody was told of their size
BYTECODES = 3_000  # so many steps are lines and bytecodes; all later ones are lines
CPU_SECONDS = 5.0  # a first call may import something, which takes two
ENTRIES = 1_000_000
PRINTED = 2_000  # characters kept of what one call prints

_STDLIB = str(Path(contextlib.__file__).parent)  # in a browser a zip file, of which sysconfig knows nothing
_PACKAGES = (*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else []))
_OURS = str(Path(__file__).parents[1])
_ENGINE = str(Path(__file__).parent)
# During a call `np.empty`, `torch.empty` and similar functions hold this number, which fits every type of
# float: what lay in memory would be another mistake each time, and often none.
UNWRITTEN = -60_416.0

# Standard output and `input` belong to the whole process: one check at a time. The function that is checked
# may itself call a check.
LOCK = threading.RLock()
_our_own = False  # whether functions of the course are being called one after the other


@dataclass(frozen=True)
class Behaviour:
    """What one call did.

    `kind` is ``"value"``, ``"none"``, ``"hole"`` (None in a list of numbers; `shape` is its place),
    ``"unusable"`` (a value that is not made of numbers), ``"raised"``, ``"stub"`` (not written yet) or
    ``"stopped"`` (no use to go on). A value is kept as its shape and its entries, row by row. `text` says in
    words what the other kinds mean.
    """

    kind: str
    shape: tuple = ()
    entries: tuple = ()
    text: str = ""
    changed: int | None = None  # which argument the call changed
    printed: str = ""  # what it printed, or the beginning of that
    truth: bool = False  # whether the value is True or False
    steps: int = 0  # lines of the learner's own code, and bytecodes of its beginning
    called: tuple = ()  # what the learner's code called of the course, alone and with each that this called
    lent: tuple = ()  # the first of these, where they or what they called made the same result

    def same_as(self, other, atol):
        """Whether both did the same; equal infinities are the same, NaN is like nothing."""
        return (
            (self.kind, self.shape, self.changed) == (other.kind, other.shape, other.changed)
            and self.kind != "unusable"
            and all(map(close, self.entries, other.entries, itertools.repeat(atol)))
        )

    def distance(self, other):
        """The largest difference between two values of one shape; NaN if there is no such thing."""
        if not (self.kind == other.kind == "value" and self.shape == other.shape and self.entries):
            return math.nan
        return max(abs(mine - theirs) for mine, theirs in zip(self.entries, other.entries))


@dataclass(frozen=True)
class Look:
    """What a check sees of an answer before anything is compared with a right one: plain data.

    `kind` is ``"nothing"``, ``"unwritten"``, ``"refused"`` (`text` says why), ``"letters"`` or ``"called"``.
    Where marks are given, the learner's process makes the look and another process judges it.
    """

    kind: str
    text: str = ""
    name: str = "<>"
    early: bool = False  # whether code stands below `raise NotImplementedError`
    course: str | None = None  # the function or class of the course that the answer itself is
    letters: tuple = ()
    seen: tuple = ()
    answer: Callable | None = None  # itself, where it runs in the process that judges

    def as_text(self):
        data = vars(self) | {"seen": [vars(one) for one in self.seen], "answer": None}
        return json.dumps(data, default=str)

    @classmethod
    def from_text(cls, text):
        """Read what a stranger wrote; what is no look raises some error."""
        return _read(cls, json.loads(text))


def _read(kind, data):
    """A `Look` or a `Behaviour` from JSON."""
    read = kind(**{name: _FIELDS[name](value) for name, value in data.items()})
    if kind is Behaviour:
        wanted = math.prod(read.shape) if read.kind == "value" else 0
        if len(read.shape) > 64 or len(read.entries) != wanted:
            raise ValueError("a behaviour has other numbers than its shape says")
    return read


def _line(text):
    return " ".join(str(text).split())[:2_000]


def _each(read):
    return lambda values: tuple(map(read, values))


_FIELDS = {
    **dict.fromkeys(("kind", "text", "name"), _line),
    **dict.fromkeys(("letters", "called", "lent"), _each(_line)),
    **dict.fromkeys(("early", "truth"), bool),
    "course": lambda name: name and _line(name),
    "seen": _each(lambda data: _read(Behaviour, data)),
    "answer": lambda _: None,
    "shape": _each(lambda size: min(int(size), 2 * ENTRIES)),
    "entries": _each(float),
    "changed": lambda number: None if number is None else int(number),
    "printed": lambda text: cut(str(text), 2 * PRINTED),
    "steps": int,
}


class Unusable(Exception):
    """A value that cannot be compared with numbers. It holds why, and the place of a None in a list."""


def close(one, other, atol):
    return one == other or math.isclose(one, other, rel_tol=atol, abs_tol=atol)


def observe(call, arguments, patience=1):
    """Call with copies of the arguments, everything captured, and return the `Behaviour`."""
    given, output = copy.deepcopy(arguments), io.StringIO()
    with LOCK, _captured(output), _loop_guard(patience * STEPS, _use_of(call)) as steps:
        done = _outcome(call, given)
    changed, printed = _first_changed(arguments, given), cut(output.getvalue(), PRINTED)
    made, given_back, direct = steps()
    owns = [own for one in given_back.pop("", ()) if (own := _contents(one))]
    lent = {
        names[0]
        for names, made in given_back.items()
        for own in owns
        if any(_gave(own, *one) for one in made)
    }
    lent |= direct  # what the course did where no code of the learner's had called it
    called = *(" ".join(dict.fromkeys(names)) for names in given_back), *sorted(direct)
    return Behaviour(
        **done, changed=changed, printed=printed, steps=made, called=called, lent=tuple(sorted(lent))
    )


@contextlib.contextmanager
def our_own():
    """One capture for hundreds of calls of `observe_ours`."""
    global _our_own
    if _our_own:
        yield
        return
    with LOCK, _captured(io.StringIO()):
        _our_own = True
        try:
            yield
        finally:
            _our_own = False


def observe_ours(call, arguments):
    """The `Behaviour` of a function that the course wrote: it needs no guards, which take long."""
    given = copy.deepcopy(arguments)
    with our_own():
        done = _outcome(call, given)
    return Behaviour(**done, changed=_first_changed(arguments, given))


def _outcome(call, given):
    """What a call gives back, or what happened instead, as fields of a `Behaviour`."""
    done = {"kind": "value"}
    try:
        value = call(*given)
        done["shape"], done["entries"] = numbers(value)
        done["truth"] = type(value).__name__ == "bool"  # of Python or of NumPy, which may not be there
    except Unusable as problem:
        why, *place = problem.args
        kind = "hole" if place else "none" if value is None else "unusable"
        done |= {"kind": kind, "shape": tuple(place), "text": why}
    except BaseException as error:
        done["kind"], done["text"] = _ended(error)
    return done


def _ended(error):
    """The kind and the text of a `Behaviour` that ended with an error."""
    if isinstance(error, NotImplementedError):
        return "stub", "raises NotImplementedError. Your function does not handle this case yet."
    if isinstance(error, _TooLong):
        return "stopped", "does not end. What should stop its loops, or its calls of itself?"
    if isinstance(error, SystemExit):
        return "stopped", "calls exit() or quit(), which would end the notebook. Use `return` instead."
    if isinstance(error, KeyboardInterrupt):
        return "stopped", "was interrupted before it finished."
    if isinstance(error, MemoryError):
        return "raised", "asks for more memory than there is. How large are the arrays that it creates?"
    return "raised", f"stops with an error. {in_one_line(error)}"


def cut(text, longest):
    """The text without blanks at its end, or its beginning and how much was left out."""
    text = text.rstrip()
    return text if len(text) <= longest else f"{text[:longest]} ...\n({len(text) - longest} characters more)"


def numbers(value):
    """The shape and the entries of a number, or of lists, arrays or tensors of numbers."""
    left = ENTRIES

    def walk(value, *place):
        nonlocal left
        shape = getattr(value, "shape", ())
        if hasattr(value, "tolist") and isinstance(shape, tuple):
            if math.prod(shape) > left:
                raise Unusable(f"has the shape {tuple(shape)}, which is far too large")
            floats = type(value).__name__ in ("ndarray", "Tensor") and "float" in str(value.dtype)
            if floats and math.prod(shape):  # at once: row by row, most of a check's time goes here
                left -= math.prod(shape)
                return tuple(shape), list(map(float, value.reshape(-1).tolist()))
            value = value.tolist()
        if _is_number(value):
            left -= 1
            return (), [float(value)]
        if place and (value is None or value is ...):
            at = "".join(f"[{n}]" for n in place)
            what = "None" if value is None else "`...`"
            raise Unusable(f"contains {what} at {at}, where a number should be", *place)
        if not isinstance(value, list | tuple | range):
            raise Unusable(_why_unusable(value))
        if len(value) > left:
            raise Unusable(f"contains more than {ENTRIES:,} numbers")
        kinds = set(map(type, value))
        if str in kinds:
            raise Unusable("is a list that contains strings, where only numbers should be")
        if kinds and kinds <= {bool, int, float}:  # most lists are; this is a hundred times as fast
            left -= len(value)
            return (len(value),), [float(part) for part in value]
        parts = [walk(part, *place, number) for number, part in enumerate(value)]
        for number, (shape, _) in enumerate(parts):
            if shape != parts[0][0]:
                raise Unusable(
                    f"is uneven: entry [0] has the shape {parts[0][0]}, and entry [{number}] has {shape}"
                )
        return (len(parts), *(parts[0][0] if parts else ())), [entry for _, part in parts for entry in part]

    try:
        shape, entries = walk(value)
    except RecursionError:
        raise Unusable("contains itself") from None
    return shape, tuple(entries)


def _is_number(value):
    """Whether it is a real number: of Python, NumPy, decimal, fractions or whatever `float` takes."""
    return isinstance(value, Real) or (hasattr(type(value), "__float__") and not isinstance(value, Complex))


def is_unwritten(function):
    """Whether the body is only ``...``, ``pass`` or a docstring."""
    code = getattr(function, "__code__", None)
    return code is not None and all(
        step.opname in ("LOAD_CONST", "RETURN_CONST", "RETURN_VALUE") and step.argval is None
        for step in dis.get_instructions(code)
        if step.opname not in ("RESUME", "NOP", "CACHE")
    )


def _marking(function):
    @functools.wraps(function)
    def marked(*args, **kwargs):
        made = function(*args, **kwargs)
        if "float" in str(made.dtype):
            (made.detach() if hasattr(made, "detach") else made)[...] = UNWRITTEN
        return made

    return marked


def in_one_line(error):
    """The error with the line of the learner's own code that led to it."""
    try:
        what = f"{type(error).__name__}: {error}"
    except Exception:
        what = type(error).__name__
    what = " ".join(what.split())[:300].rstrip(": ")
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_library(frame.filename)]
    if isinstance(error, RecursionError):
        own, what = own[:1], f"{what}: the function calls itself without end"
    if not own:
        return what
    source = f": `{own[-1].line}`" if own[-1].line else ""  # code that `eval` was given has none
    return f"{what} (line {own[-1].lineno}{source})"


def _why_unusable(value):
    kind = type(value).__name__
    if value is None:
        return "is None, where numbers should be"
    if hasattr(value, "__next__"):
        return f"is a {kind}, which can be read only once. Turn it into a list with list(...)"
    if isinstance(value, str):
        return "is a string, not a number"
    if isinstance(value, Complex):
        return "contains complex numbers, where real ones should be"
    if inspect.isroutine(value):
        return "is a function. Perhaps you forgot the parentheses of a call"
    return f"contains a {kind}, where numbers should be"


def is_library(filename):
    return filename.startswith((_STDLIB, _OURS, "<frozen", *_PACKAGES))


def _runs_in_library(frame):
    """Whether a library's code runs in this frame: `compile` takes any name of a file."""
    return is_library(frame.f_code.co_filename) and frame.f_globals.get("__name__") != "__main__"


def unwrapped(function):
    """What `functools.partial` or `functools.cache` calls: they are written in C and leave no frame."""
    inner = getattr(function, "func", getattr(function, "__wrapped__", None))
    return function if hasattr(function, "__code__") or inner is None else unwrapped(inner)


def is_of_the_course(thing):
    """Whether a function or a class was written in a file of the course."""
    if isinstance(thing, type):
        return thing.__module__.startswith("pe_lessons.")
    file = getattr(getattr(thing, "__code__", None), "co_filename", "")
    return file.startswith(_OURS) and not file.startswith(_ENGINE)


def _lender(frame):
    """If the course's code runs in this frame: the frame of it that the learner's code called, or None.

    Libraries may stand between: PyTorch calls the `forward` of a module.
    """
    first = None
    while frame and _runs_in_library(frame):
        file = frame.f_code.co_filename
        ours = file.startswith(_OURS)
        if file.startswith(_ENGINE) or not (ours or first):
            return None
        first, frame = frame if ours else first, frame.f_back
    return frame and first


def _use_of(call):
    """The file of an exercise's `use`, which `observe` gets as a partial with the answer, or None."""
    looks = call.func if isinstance(call, functools.partial) and call.args else None
    return getattr(getattr(looks, "__code__", None), "co_filename", None)


def _unasked(frame, use):
    """Whether the course's code in this frame works in the answer's place, uncalled by the learner's code.

    The file `use`, which only looks at the answer, does nothing in its place.
    """
    file = frame.f_code.co_filename
    if not file.startswith(_OURS) or file.startswith(_ENGINE) or file == use:
        return False
    while (frame := frame.f_back) and _runs_in_library(frame):
        file = frame.f_code.co_filename
        if file.startswith(_OURS):  # of the course's other frames, the first one tells
            return file.startswith(_ENGINE) or file == use
    return False


def _called_by_the_learner(frame):
    """Whether code of the learner's runs in this frame or stands above it: what returns here is no answer."""
    while frame and not frame.f_code.co_filename.startswith(_ENGINE):
        if not _runs_in_library(frame):
            return True
        frame = frame.f_back
    return False


def _name(frame):
    """The name of a function of the course; of what makes an object, that of its class."""
    return f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname.removesuffix('.__init__')}"


def _gave(own, value, given, inside):
    """Whether a result of the course is the learner's own.

    So is one from inside, or a part of one, but not what was handed in, nor a single number, which may be the
    same by chance.
    """
    if not inside and _same(_contents(value), own):
        return True
    several = not isinstance(own, tuple) or len(own[1]) > 1
    made = several and any(_may_be(own, one) and _same(_contents(one), own) for one in _parts(value))
    return made and not any(_same(_contents(one), own) for one in given)


def _same(one, other):
    """Whether two values have the same contents, but for the last digits of numbers."""
    if not (isinstance(one, tuple) and isinstance(other, tuple)):
        return one == other
    return one[0] == other[0] and all(map(close, one[1], other[1], itertools.repeat(1e-10)))


def _may_be(own, value):
    """Whether its contents may be these, as far as its kind and shape tell, which takes no time."""
    shape = () if isinstance(value, int | float | str | None) else getattr(value, "shape", None)
    return not isinstance(own, tuple) or not isinstance(shape, tuple) or shape == own[0]


def _parts(value, depth=4):
    """A value, and what it holds by name or as one of several results: a module its tensors, for example."""
    yield value
    held = value if isinstance(value, dict) else {}
    if is_of_the_course(type(value)):
        held = getattr(value, "__dict__", {})
    for part in [*held.values(), *(value if isinstance(value, tuple) else ())][: 50 * bool(depth)]:
        yield from _parts(part, depth - 1)


def snapshot(value):
    """Shape and numbers of a value; None of text, a module, or a row that has not all its numbers."""
    if hasattr(value, "as_subclass"):  # an exercise may hand over tensors that tell the learner nothing
        value = value.as_subclass(sys.modules["torch"].Tensor)
    try:
        return numbers(value)
    except Exception:
        return None


def _contents(value, depth=9):
    """All that a value holds: a dictionary can be changed as well as an array. A list may hold itself."""
    found = snapshot(value)
    if found is not None or not depth:
        return found
    if isinstance(value, dict):
        return [(key, _contents(part, depth - 1)) for key, part in value.items()]
    if isinstance(value, list | tuple):
        return [_contents(part, depth - 1) for part in value]
    return value if isinstance(value, str | set) else None


def _first_changed(before, after):
    pairs = enumerate(zip(before, after))  # what cannot change, such as a number, is its own copy
    return next((n for n, (a, b) in pairs if a is not b and _contents(a) != _contents(b)), None)


def no_input(*_):
    raise EOFError("input() waits for the keyboard. Your function gets all it needs as arguments")


@contextlib.contextmanager
def _captured(output):
    """Nothing is printed or asked for, and memory that is not written can be told from numbers."""
    numpy = sys.modules.get("numpy")  # the first lessons run where there is none
    libraries = [one for one in (numpy, sys.modules.get("torch")) if one]
    kept = [(one, name, getattr(one, name)) for one in libraries for name in ("empty", "empty_like")]
    kept.append((builtins, "input", input))
    recursion, torch = sys.getrecursionlimit(), sys.modules.get("torch")
    dtype = torch and torch.get_default_dtype()
    for space, name, function in kept:
        setattr(space, name, no_input if space is builtins else _marking(function))
    try:
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            warnings.catch_warnings(),
            numpy.errstate() if numpy else contextlib.nullcontext(),
            torch.enable_grad() if torch else contextlib.nullcontext(),
        ):
            warnings.simplefilter("ignore")
            if torch:  # what a learner has set counts neither at home nor where marks are given
                torch.set_default_dtype(torch.float32)
            yield
    finally:
        for space, name, function in kept:
            setattr(space, name, function)
        sys.setrecursionlimit(recursion)
        if torch:
            torch.set_default_dtype(dtype)


class _TooLong(BaseException):
    """Raised in the learner's code. A bare ``except:`` swallows it, and is not traced any further."""


@contextlib.contextmanager
def _loop_guard(most, use=None):
    """Stop the learner's code after so many steps. Bytecodes take four times as long as lines, but lines
    alone miss ``while True: pass`` on Python 3.11: after `BYTECODES` steps only the stop button ends it.

    Also keep what it gave back, under no name, and what functions of the course gave back to it or, inside
    of these, to one another: by the names of both, with what the first one was given. And which of them no
    code of the learner's called.
    """
    left, given_back, given, direct = most, {}, {}, set()
    # A browser has no clock for threads, and but one of them.
    cpu_time = time.thread_time if hasattr(time, "thread_time") else time.process_time
    start = cpu_time()
    before = sys.gettrace()

    def count(frame, event, arg):
        nonlocal left
        left -= 1
        if left < 0 or (left % 8 == 0 and cpu_time() - start > CPU_SECONDS):
            raise _TooLong
        if event == "line" and most - left > BYTECODES:
            frame.f_trace_opcodes = False
        if event == "return" and not _called_by_the_learner(frame.f_back):
            given_back.setdefault("", []).append(arg)
            del given_back[""][20:]  # the answer's own result comes first; what reads it may call more
        return count

    def enter(frame, event, arg):
        if _runs_in_library(frame):
            first = _lender(frame)
            if _unasked(frame, use):
                direct.add(_name(frame))
            if first is frame:
                given[frame] = [*frame.f_locals.values()]
            return keep if first else None
        frame.f_trace_opcodes = True
        return count(frame, event, arg)

    def keep(frame, event, arg):
        if event == "return" and (first := _lender(frame)):
            code, inside = frame.f_code, first is not frame
            made = frame.f_locals[code.co_varnames[0]] if code.co_name == "__init__" else arg
            if isinstance(made, list | dict) or hasattr(type(made), "tolist"):
                with contextlib.suppress(Exception):
                    made = copy.deepcopy(made)  # the learner's code may empty it
            kept = given_back.setdefault((_name(first), _name(frame)), deque(maxlen=200))
            kept.append((made, given.get(first, ()), inside))
            if not inside:
                given.pop(frame, None)
        frame.f_trace_lines = False
        return keep

    sys.settrace(enter)
    try:
        yield lambda: (most - left, given_back, direct)
    finally:
        sys.settrace(before)
