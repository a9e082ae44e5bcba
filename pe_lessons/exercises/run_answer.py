"""Run a stranger's function and say what it did: the value, or what happened instead.

Nothing here knows what the function is for. It may print, fail, loop for ever, change its arguments or
replace parts of NumPy; the kernel survives and the caller gets a `Behaviour`. So it does if the function asks
for too much memory, on Linux and without CUDA; elsewhere memory cannot be limited.
"""

import builtins
import contextlib
import copy
import dataclasses
import dis
import functools
import importlib.machinery
import inspect
import io
import json
import logging
import math
import os
import site
import sys
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Complex, Real
from operator import is_
from pathlib import Path

STEPS = 2_000_000  # lines and bytecodes of the learner's own code in one call; a right answer takes a fifth
CPU_SECONDS = 2.5
WALL_SECONDS = 4.0  # for loops that sleep: of this time they compute less than the share below
SLEEPER = 1 / 100  # a machine under load may leave a twentieth to a loop that does compute
LONGEST_STEP = 0.25  # of a second; what one step takes longer, the process may have waited for its machine
MEMORY = 2 << 30  # bytes that one call may ask for; where a hub limits the whole kernel, half of its limit
SIZE = Path("/proc/self/statm")  # of this process, in pages; Linux has it
ENTRIES = 1_000_000
PRINTED = 2_000  # characters kept of what one call prints

_STDLIB = str(Path(contextlib.__file__).parent)  # in a browser a zip file, of which sysconfig knows nothing
_PACKAGES = (*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else []))
_OURS = str(Path(__file__).parents[1])
_ENGINE = str(Path(__file__).parent)
_LESSONS = str(Path(__file__).parents[1] / "lessons")
# The types of the functions that are put back where an answer assigns to them. Not those that PyTorch wrote
# in Python: it exchanges some of them itself. Nor `input`, which IPython exchanges for every cell.
_KEPT = {
    "builtins": (types.BuiltinFunctionType, type),
    "math": types.BuiltinFunctionType,
    "numpy": Callable,
    "torch": types.BuiltinFunctionType,
}
_PRISTINE = {}  # name of a module: (its namespace, {name: function}, {name: the function with UNWRITTEN})
# During a call `np.empty`, `torch.empty` and similar functions hold this number, which fits every type of
# float: what lay in memory would be another mistake each time, and often none.
UNWRITTEN = -60_416.0

# Standard output, `input`, the modules and the limit of memory belong to the whole process: one check at a
# time. The function that is checked may itself call a check.
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
    things: int = 0  # how many stand in the tuple that the value is
    same_rows: int = 0  # how often one and the same list stands in the list that the value is
    steps: int = 0  # lines and bytecodes of the learner's own code
    replaced: tuple = ()  # what the call changed for the whole kernel
    late: bool = False  # whether a clock ended the call, and not the number of its steps
    called: tuple = ()  # functions of the course that the learner's code called
    lent: tuple = ()  # those of them that gave back the same result

    def same_as(self, other, atol):
        """Whether both did the same; equal infinities are the same, NaN is like nothing."""
        return (
            (self.kind, self.shape, self.changed) == (other.kind, other.shape, other.changed)
            and self.kind != "unusable"
            and all(close(mine, theirs, atol) for mine, theirs in zip(self.entries, other.entries))
        )

    def distance(self, other):
        """The largest difference between two values of one shape; NaN if there is no such thing."""
        if not (self.kind == other.kind == "value" and self.shape == other.shape and self.entries):
            return math.nan
        return max(abs(mine - theirs) for mine, theirs in zip(self.entries, other.entries))


@dataclass(frozen=True)
class Look:
    """What a check sees of an answer before anything is compared with a right one: plain data.

    `kind` is ``"nothing"``, ``"unwritten"``, ``"refused"`` (`text` says why), ``"unfilled"`` (so many numbers
    are `missing`), ``"letters"`` or ``"called"``. Where marks are given, the learner's process makes the look
    and another process judges it.
    """

    kind: str
    text: str = ""
    name: str = "<>"
    early: bool = False  # whether code stands below `raise NotImplementedError`
    course: str | None = None  # the function or class of the course that the answer itself is
    missing: int = 0
    letters: tuple = ()
    seen: tuple = ()
    replaced: tuple = ()
    again: Callable | None = None  # observes the first trial once more
    answer: Callable | None = None  # itself, where it runs in the process that judges

    def as_text(self):
        again = self.again and vars(self.again())
        data = vars(self) | {"seen": [vars(one) for one in self.seen], "again": again, "answer": None}
        return json.dumps(data, default=str)

    @classmethod
    def from_text(cls, text):
        """Read what a stranger wrote; what is no look raises some error."""
        data = _read(cls, json.loads(text))
        again = data["again"] and _read(Behaviour, data["again"])
        return cls(**data | {"again": again and (lambda: Behaviour(**again)), "answer": None})


def _line(text):
    return " ".join(str(text).split())[:2_000]


# What the tuples of a `Look` and its behaviours hold; texts in one line where nothing is said.
_PARTS = {
    "seen": lambda data: Behaviour(**_read(Behaviour, data)),
    "letters": lambda letter: letter and _line(letter),
    "shape": lambda size: min(int(size), 2 * ENTRIES),
    "entries": float,
}


def _read(kind, data):
    """The fields of a `Look` or `Behaviour` from JSON, each of the type that its default has."""
    fields = kind.__dataclass_fields__
    if not isinstance(data, dict) or data.keys() != fields.keys():
        raise ValueError(f"this is no {kind.__name__}")
    read = {}
    for name, field in fields.items():
        value, default = data[name], "" if field.default is dataclasses.MISSING else field.default
        if default is not None and type(value) is not (list if default == () else type(default)):
            raise ValueError(f"{kind.__name__}: {name} is a {type(value).__name__}")
        if default == ():
            read[name] = tuple(map(_PARTS.get(name, _line), value))
        elif isinstance(value, str):
            read[name] = cut(value, 2 * PRINTED) if name == "printed" else _line(value)
        else:
            read[name] = value
    if kind is Behaviour:
        shape, counted = read["shape"], len(read["entries"])
        if len(shape) > 64 or counted != (math.prod(shape) if read["kind"] == "value" else 0):
            raise ValueError("a behaviour has other numbers than its shape says")
        if not isinstance(read["changed"], int | None):
            raise ValueError("a behaviour changes an argument without a number")
    return read


class Unusable(Exception):
    """A value that cannot be compared with numbers; the message says why.

    In a list that holds None, `place` is where.
    """

    def __init__(self, why, place=()):
        super().__init__(why)
        self.place = place


def close(one, other, atol):
    return one == other or math.isclose(one, other, rel_tol=atol, abs_tol=atol)


def observe(call, arguments):
    """Call with copies of the arguments, everything captured, and return the `Behaviour`.

    What a clock ended is called once more: a first call may import something, or have had a busy moment.
    """
    done = _observe_once(call, arguments)
    return _observe_once(call, arguments) if done.late else done


def _observe_once(call, arguments):
    given, replaced, output = copy.deepcopy(arguments), [], io.StringIO()
    with LOCK, _captured(output), _memory_limit(), _loop_guard() as steps:
        settings = _settings()
        mark_memory()
        done = _outcome(call, given, lambda: replaced.extend(put_back() + _set_back(settings)))
    changed, printed = _first_changed(arguments, given), cut(output.getvalue(), PRINTED)
    made, late, given_back = steps()
    own = _snapshots(given_back.pop("", None))
    lent = tuple(name for name, value in given_back.items() if any(own) and _snapshots(value) == own)
    return Behaviour(
        **done,
        changed=changed,
        printed=printed,
        steps=made,
        replaced=tuple(replaced),
        late=late,
        called=tuple(given_back),
        lent=lent,
    )


@contextlib.contextmanager
def our_own():
    """One capture, and one look after NumPy, for hundreds of calls of `observe_ours`."""
    global _our_own
    if _our_own:
        yield
        return
    with LOCK, _captured(io.StringIO()):
        _our_own = True
        mark_memory()
        try:
            yield
        finally:
            put_back()
            _our_own = False


def observe_ours(call, arguments):
    """The `Behaviour` of a function that the course wrote: it needs no guards, which take long."""
    given = copy.deepcopy(arguments)
    with our_own():
        done = _outcome(call, given, lambda: None)
    return Behaviour(**done, changed=_first_changed(arguments, given))


def _outcome(call, given, afterwards):
    """What a call gives back, or what happened instead, as fields of a `Behaviour`."""
    done = {"kind": "value"}
    try:
        try:
            value = call(*given)
        finally:  # at once: nothing below works without the builtins
            afterwards()
        done["things"] = len(value) if type(value) is tuple else 0
        rows = value if type(value) is list and len(value) > 1 and type(value[0]) is list else []
        done["same_rows"] = len(rows) if all(row is rows[0] for row in rows) else 0
        done["shape"], done["entries"] = numbers(value)
        done["truth"] = type(value).__name__ == "bool"  # of Python or of NumPy, which may not be there
    except Unusable as problem:
        kind = "hole" if problem.place else "unusable" if str(problem) else "none"
        done |= {"kind": kind, "shape": problem.place, "text": str(problem)}
    except BaseException as error:
        done["kind"], done["text"] = _ended(error)
    return done


def _ended(error):
    """The kind and the text of a `Behaviour` that ended with an error."""
    if isinstance(error, NotImplementedError):
        return "stub", ""
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
        if value is None and place:
            at = "".join(f"[{n}]" for n in place)
            raise Unusable(f"contains None at {at}, where a number should be", place)
        if not isinstance(value, list | tuple | range):
            raise Unusable(_why_unusable(value))
        if len(value) > left:
            raise Unusable(f"contains more than {ENTRIES:,} numbers")
        kinds = set(map(type, value))
        if isinstance(value, tuple) and kinds == {int, str}:
            raise Unusable(
                "contains pairs of a number and a string, as `enumerate` makes them. Return only the numbers"
            )
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
    except OverflowError:
        raise Unusable("contains an integer that is too large for a float") from None
    return shape, tuple(entries)


def _is_number(value):
    """Whether it is a real number: of Python, NumPy, decimal, fractions or whatever `float` takes."""
    return isinstance(value, Real) or (hasattr(type(value), "__float__") and not isinstance(value, Complex))


def is_unwritten(function):
    """Whether the body is only ``...``, ``pass`` or a docstring."""
    code = getattr(function, "__code__", None)
    if code is None or inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("RESUME", "NOP", "CACHE")]
    return all(
        step.opname in ("LOAD_CONST", "RETURN_CONST", "RETURN_VALUE") and step.argval is None
        for step in steps
    )


def keep_modules():
    """Remember the functions that an answer could replace; those of a library as soon as it is imported."""
    for module, wanted in _KEPT.items():
        if sys.modules.get(module) and module not in _PRISTINE:
            space = vars(sys.modules[module])
            names = [name for name in space if not name.startswith("_") and name != "input"]
            functions = {name: space[name] for name in names if isinstance(space[name], wanted)}
            empty = functions.keys() & {"empty", "empty_like"}
            _PRISTINE[module] = space, functions, {name: _marking(functions[name]) for name in empty}


def _marking(function):
    @functools.wraps(function)
    def marked(*args, **kwargs):
        made = function(*args, **kwargs)
        if hasattr(made, "fill_"):  # a Tensor
            if made.is_floating_point():
                made.detach().fill_(UNWRITTEN)
        elif made.dtype.kind == "f":
            made.fill(UNWRITTEN)
        return made

    return marked


def mark_memory():
    """Let memory that is not written be told from numbers until the next `put_back`."""
    for space, _, marking in _PRISTINE.values():
        space.update(marking)


def put_back():
    """Put back the functions that were assigned to, and return their names.

    The builtins come first, and are not needed for it.
    """
    replaced = []
    for module, (space, functions, marking) in _PRISTINE.items():
        for name, marked in marking.items():
            if space.get(name) is marked:
                space[name] = functions[name]
        if module != "builtins" and all(map(is_, functions.values(), map(space.get, functions))):
            continue  # a fifth of the time that the loop below takes
        for name, function in functions.items():
            if space.get(name) is not function:
                space[name] = function
                replaced.append(f"`{module}.{name}`")
    return replaced


def in_one_line(error):
    """The error with the line of the learner's own code that led to it."""
    try:
        what = f"{type(error).__name__}: {error}"
    except Exception:
        what = type(error).__name__
    what = " ".join(what.split())[:300].rstrip(": ")
    if "concatenation axis must match" in what or "arrays must have same number of dimensions" in what:
        what += (
            ". Concatenation does not broadcast. First give both arrays the same size along every other axis"
        )
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_library(frame.filename)]
    if isinstance(error, RecursionError):
        own, what = own[:1], f"{what}: the function calls itself without end"
    if not own:
        return what
    source = f": `{own[-1].line}`" if own[-1].line else ""  # code that `eval` was given has none
    return f"{what} (line {own[-1].lineno}{source})"


def _settings():
    """The switches of PyTorch: in words, how to read them, how to set them, how they are now."""
    torch = sys.modules.get("torch")
    if not hasattr(torch, "set_grad_enabled"):  # while it is being imported
        return []
    dtype = "the default dtype of torch", torch.get_default_dtype, torch.set_default_dtype
    gradients = "whether torch keeps gradients", torch.is_grad_enabled, torch.set_grad_enabled
    return [(*switch, switch[1]()) for switch in (dtype, gradients)]


def _set_back(settings):
    changed = [(words, write, before) for words, read, write, before in settings if read() != before]
    for _, write, before in changed:
        write(before)
    return [words for words, _, _ in changed]


def _why_unusable(value):
    kind = type(value).__name__
    if value is None:
        return ""
    if hasattr(value, "close") and (inspect.iscoroutine(value) or inspect.isgenerator(value)):
        value.close()  # or Python warns of a coroutine never awaited
    if inspect.iscoroutine(value):
        return "is a coroutine. Write def instead of async def"
    if inspect.isgenerator(value) or hasattr(value, "__next__"):
        return (
            f"is a {kind}, which can be read only once. Turn it into a list with list(...), or use return "
            "instead of yield"
        )
    if isinstance(value, str | bytes):
        return "is a string, not a number" if kind in ("str", "bytes") else f"is a string ({kind})"
    if isinstance(value, Complex):
        return "contains complex numbers, where real ones should be"
    if inspect.isroutine(value):
        return "is a function. Perhaps you forgot the parentheses of a call"
    if isinstance(value, dict | set | frozenset):
        return f"is a {kind}, which has no rows and columns. Use a list"
    return f"contains a {kind}, where numbers should be"


def is_library(filename):
    return filename.startswith((_STDLIB, _OURS, "<frozen", *_PACKAGES))


_IN_LIBRARIES = {}  # id of a code object that names a library's file: itself, and whether it is in there


def _is_library_code(code):
    """Whether it is in the library's file that it names: `compile` takes any name."""
    if not is_library(code.co_filename):
        return False
    if id(code) not in _IN_LIBRARIES:
        by_name = not os.path.isdir(_STDLIB)  # in a browser, where nobody gives marks
        _IN_LIBRARIES[id(code)] = code, by_name or _trait(code) in _traits_in(code.co_filename)
    return _IN_LIBRARIES[id(code)][1]


def _trait(code):
    return code.co_code, code.co_names, code.co_firstlineno


@functools.cache
def _traits_in(filename):
    """What the functions of a library's file are known by."""
    try:
        if filename.startswith("<frozen "):
            name = filename[len("<frozen ") : -1].replace("importlib._bootstrap", "_frozen_importlib")
            code = importlib.machinery.FrozenImporter.get_code(name)
        else:
            code = importlib.machinery.SourceFileLoader("", filename).get_code("")
    except Exception:  # there is no such file, or no Python in it
        return set()
    found = [code]
    for one in found:
        found += [part for part in one.co_consts if isinstance(part, types.CodeType)]
    return set(map(_trait, found))


def unwrapped(function):
    """What `functools.partial` or `functools.cache` calls: they are written in C and leave no frame."""
    while not hasattr(function, "__code__"):
        inner = getattr(function, "func", getattr(function, "__wrapped__", None))
        if inner is None:
            break
        function = inner
    return function


def is_of_the_course(thing):
    """Whether a function or a class was written in a file of the course."""
    if isinstance(thing, type):
        return thing.__module__.startswith("pe_lessons.")
    return getattr(getattr(thing, "__code__", None), "co_filename", "").startswith(_OURS)


def _is_lent(frame):
    """Whether a function of the course runs in this frame, called by the learner's code.

    Libraries may stand between: PyTorch calls the `forward` of a module.
    """
    file, caller = frame.f_code.co_filename, frame.f_back
    of_exercises = file.startswith(_ENGINE) or (file.startswith(_LESSONS) and file.endswith("__init__.py"))
    if not file.startswith(_OURS) or of_exercises:
        return False
    while caller and _is_library_code(caller.f_code) and not caller.f_code.co_filename.startswith(_OURS):
        caller = caller.f_back
    return caller is not None and not _is_library_code(caller.f_code)


def snapshot(value):
    """Shape and numbers of a value; None of text, a module, or a row that has not all its numbers."""
    if hasattr(value, "as_subclass"):  # an exercise may hand over tensors that tell the learner nothing
        value = value.as_subclass(sys.modules["torch"].Tensor)
    try:
        return numbers(value)
    except Exception:
        return None


def _contents(value):
    """All that an argument holds: a dictionary can be changed as well as an array."""
    found = snapshot(value)
    if found is not None:
        return found
    if isinstance(value, dict):
        return [(key, _contents(part)) for key, part in value.items()]
    if isinstance(value, list | tuple):
        return [_contents(part) for part in value]
    return value if isinstance(value, str | set) else None


def _snapshots(value):
    """Of every part of a tuple: positions and a mask have two shapes."""
    return [snapshot(part) for part in (value if isinstance(value, tuple) else [value])]


def _first_changed(before, after):
    pairs = enumerate(zip(before, after))
    return next((n for n, (a, b) in pairs if _contents(a) != _contents(b)), None)


@contextlib.contextmanager
def _captured(output):
    def no_input(*_):
        raise EOFError("input() waits for the keyboard. Your function gets all it needs as arguments")

    numpy = sys.modules.get("numpy")  # the first lessons run where there is none
    asked, builtins.input = builtins.input, no_input
    recursion = sys.getrecursionlimit()
    logged = logging.root.manager.disable
    try:
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            _closed_descriptors(),
            warnings.catch_warnings(),
            numpy.errstate() if numpy else contextlib.nullcontext(),
        ):
            warnings.simplefilter("ignore")
            logging.disable()  # a handler of log messages keeps the stream with which it was made
            yield
    finally:
        builtins.input = asked
        logging.disable(logged)
        sys.setrecursionlimit(recursion)


@contextlib.contextmanager
def _closed_descriptors():
    """Let go unseen what programs in C write past Python's own streams; without a console there are none."""
    saved = {}
    with contextlib.suppress(OSError), open(os.devnull, "w") as nowhere:
        for one in (1, 2):
            saved[one] = os.dup(one)
            os.dup2(nowhere.fileno(), one)
    try:
        yield
    finally:
        for one, copied in saved.items():
            os.dup2(copied, one)
            os.close(copied)


def _memory_of_a_call():
    given = os.environ.get("MEM_LIMIT", "")  # in bytes; JupyterHub sets it for its users' servers
    return min(MEMORY, int(given) // 2) if given.isdecimal() and int(given) else MEMORY


def _resource():
    """The module that limits memory, where the system can: on Linux without CUDA, which reserves addresses
    without measure. Windows and pages of the site have no such module, and macOS ignores the limit."""
    torch = sys.modules.get("torch")
    if not SIZE.exists() or (torch and torch.cuda.is_available()):
        return None
    return importlib.import_module("resource")


@contextlib.contextmanager
def _memory_limit():
    """Let a call ask for so many bytes more than the process has now; only where the system can."""
    resource = _resource()
    if resource is None:
        yield
        return
    pages = int(SIZE.read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + _memory_of_a_call()
    known = [bound for bound in (limit, *before) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(known), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


class _TooLong(BaseException):
    """Raised in the learner's code. A bare ``except:`` swallows it, and CPython ends the tracing that raised
    it; when that ``except`` lets go of it, tracing starts and raises again."""

    def __init__(self, start_again):
        self.start_again = start_again

    def __del__(self):
        self.start_again(sys._getframe(1))


@contextlib.contextmanager
def _loop_guard():
    """Stop the learner's code after so many lines and bytecodes; either alone misses loops on some Python.

    Also keep what it gave back, under no name, and what functions of the course gave back to it.
    """
    left, active, waited, late, given_back = STEPS, True, 0.0, False, {}
    # A browser has no clock for threads, and but one of them.
    cpu_time = time.thread_time if hasattr(time, "thread_time") else time.process_time
    start, cpu = time.perf_counter(), cpu_time()
    last = start
    before = sys.gettrace(), sys.getprofile()

    def out_of_time():
        nonlocal waited, last
        now = time.perf_counter()
        step, last = now - last, now
        waited += step if step < LONGEST_STEP else LONGEST_STEP
        if now - start < CPU_SECONDS:
            return False
        worked = cpu_time() - cpu
        return worked > CPU_SECONDS or (waited > WALL_SECONDS and worked < SLEEPER * waited)

    def count(frame, event, arg):
        nonlocal left, late
        left -= 1
        late = late or (left > 0 and left % 8 == 0 and out_of_time())
        if left < 0 or late:
            left = -1
            sys.setprofile(next_call)
            raise _TooLong(start_again)
        if event == "return" and _is_library_code(frame.f_back.f_code):
            given_back[""] = arg
        return count

    def enter(frame, event, arg):
        if _is_library_code(frame.f_code):
            return keep if _is_lent(frame) else None
        frame.f_trace_opcodes = True
        return count(frame, event, arg)

    def keep(frame, event, arg):
        if event == "return":
            given_back[f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}"] = arg
        frame.f_trace_lines = False
        return keep

    def next_call(frame, event, arg):
        sys.setprofile(None)
        start_again(frame)

    def start_again(frame):
        if active:
            sys.settrace(enter)
            while frame is not None and not _is_library_code(frame.f_code):
                frame.f_trace, frame.f_trace_opcodes = count, True
                frame = frame.f_back

    sys.settrace(enter)
    try:
        yield lambda: (STEPS - left, late, given_back)
    finally:
        active = False
        sys.settrace(before[0])
        if sys.getprofile() is not before[1]:  # that of cProfile cannot be set
            sys.setprofile(before[1])


keep_modules()
