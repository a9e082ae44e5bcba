"""The hunt: `server.py` has one fault, and the check takes the function that a reader repaired.

A function is put into a fresh copy of the program, which then has to keep the laws below. So the check can
tell the cause from the symptom: a program may be right again although the guilty function is as it was.
"""

import ast
import dataclasses
import inspect
import operator
import textwrap
import types
from pathlib import Path

import torch

from pe_lessons.exercises import failed_cells
from pe_lessons.exercises.result import HEADINGS, Checked, shown
from pe_lessons.lessons.the_clinic import server

GUILTY = "Cache.cut"
FAULT = """
        for layer in self.layers:
            layer.k, layer.v = layer.k[:, :, spare:], layer.v[:, :, spare:]
"""
REPAIR = """
        for layer in self.layers:
            first = max(0, layer.k.shape[2] - self.columns)  # it may have forgotten these columns itself
            layer.k, layer.v = layer.k[:, :, first:], layer.v[:, :, first:]
"""
TEXT = Path(__file__).with_name("server.py").read_text(encoding="utf-8")


def program(repaired=False, **replaced):
    """A copy of server.py, as a module: as it is or without its fault, and with other functions in it."""
    copy = types.ModuleType("server_copy")
    text = TEXT.replace(FAULT, REPAIR) if repaired else TEXT
    exec(compile(text, "server.py", "exec"), vars(copy))
    for name, function in replaced.items():
        *owner, last = name.split(".")
        if isinstance(function, types.FunctionType):  # it should find the names of this copy
            scope = {**function.__globals__, **vars(copy)}
            known = function.__code__, scope, last, function.__defaults__, function.__closure__
            function = types.FunctionType(*known)
        setattr(getattr(copy, owner[0]) if owner else copy, last, function)
    return copy


def functions():
    """The names of all functions of the program, those of a class with its name and a dot."""
    names = []
    for one in ast.parse(TEXT).body:
        if isinstance(one, ast.FunctionDef):
            names.append(one.name)
        elif isinstance(one, ast.ClassDef):
            names += [f"{one.name}.{inner.name}" for inner in one.body if isinstance(inner, ast.FunctionDef)]
    return names


def _gaps(program, wishes, **options):
    """For each request, (letters,) the largest error of its scores; its text is read alone and at once."""
    model = program.random_model(**options)
    requests = [program.Request(*wish) for wish in wishes]
    program.Server(model).answer(requests)
    for request in requests:
        text = program.encode(request.prompt + request.answer[:-1])[None]
        alone = model(text)[0][0, len(request.prompt) - 1 :]
        yield (torch.stack(request.scores) - alone).abs().amax(dim=1)


def first_wrong(wishes, **options):
    """Print for each request the first letter whose scores are not those of its text, read alone and at once.

    wishes: pairs of a prompt and how many letters to write. options: those of `server.Config`.
    """
    for (prompt, letters), first in zip(wishes, _first_wrong(wishes, **options)):
        print(f"{prompt:>21} {letters}: {f'wrong from letter {first} on' if first else 'right'}")


def leave_one_out(wishes, show):
    """Print, without each request in turn, the first wrong letter of those that are shown."""
    for one in wishes:
        others = [wish for wish in wishes if wish != one]
        firsts = {prompt: first for (prompt, _), first in zip(others, _first_wrong(others)) if prompt in show}
        said = ", ".join(f"{prompt} wrong from letter {first}" for prompt, first in firsts.items() if first)
        print(f"{'without ' + one[0]:>29}: {said or 'right'}")


def _first_wrong(wishes, **options):
    """For each request, the first letter that `first_wrong` names, or None."""
    for gaps in _gaps(server, wishes, **options):
        wrong = (gaps > 1e-6).tolist()
        yield wrong.index(True) + 1 if any(wrong) else None


def show_events(wishes):
    """Print in which steps columns are dropped, answers go wrong, windows begin to forget and requests leave.

    Step n writes letter n. wishes: as in `first_wrong`.
    """
    names = " and ".join(f"{prompt} {letters}" for prompt, letters in wishes)
    print(f"{names}\nstep  event")
    for step, event in _events(wishes):
        print(f"{step:>4}  {event}")
    print()


def _events(wishes):
    """What happens in each step, in this order: the step and the event."""
    requests = [server.Request(*wish) for wish in wishes]
    firsts = {prompt: first for (prompt, _), first in zip(wishes, _first_wrong(wishes))}
    at_work = server.Server(server.random_model())
    at_work.start(requests)
    forgot = False
    for step in range(1, max(letters for _, letters in wishes) + 1):
        if step > 1:
            columns = at_work.cache.columns
            at_work.step()
            if dropped := columns + 1 - at_work.cache.columns:
                yield step, f"{dropped} of {columns} columns dropped"
        yield from ((step, f"{name} goes wrong") for name in firsts if firsts[name] == step)
        if not forgot and any(layer.k.shape[2] < at_work.cache.columns for layer in at_work.cache.layers):
            forgot = True
            yield step, "windows begin to forget"
        before = at_work.waiting
        at_work.release()
        if at_work.waiting:
            left = [one.prompt for one in before if one not in at_work.waiting]
            yield from ((step, f"{prompt} leaves") for prompt in left)


def _is_wish(wish):
    """Whether it is a prompt in the model's letters, and how many letters to write."""
    if not (isinstance(wish, tuple | list) and len(wish) == 2):
        return False
    prompt, letters = wish
    known = isinstance(prompt, str) and prompt and {*prompt} <= {*server.LETTERS}
    return bool(known) and type(letters) is int and 1 <= letters <= 40


def other_layout():
    """The same model, run with the other layout: columns side by side are a pair."""

    def rotated(x, positions, base):
        pairs = x.unflatten(-1, (-1, 2)).transpose(-1, -2).flatten(-2)
        turned = server.rotated(pairs, positions, base)
        return turned.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2)

    return program(rotated=rotated).random_model()


def show_source(name):
    """Print a function or a class of server.py, as in show_source("Layer.add")."""
    if name is ...:
        print("Put the name of a function in the place of the dots, in quotation marks.")
        return
    try:
        found = operator.attrgetter(name)(server)
    except AttributeError:
        there = [one for one, it in vars(server).items() if getattr(it, "__module__", "") == server.__name__]
        says = f"{name!r} isn't in server.py. It has {', '.join(there)}, and parts such as 'Layer.add'."
        raise ValueError(says) from None
    print(textwrap.dedent(inspect.getsource(found)), end="")


def gap(program, wishes, **options):
    """The largest error of any score in service."""
    return max(one.max().item() for one in _gaps(program, wishes, **options))


def _pieces(program):
    model, text = program.random_model(), program.encode("the dog chases the cat")[None]
    cache, served = None, []
    for piece in text.split(3, dim=1):
        scores, cache = model(piece, cache=cache)
        served.append(scores)
    return (torch.cat(served, dim=1) - model(text)[0]).abs().max().item()


def _packed(program):
    model, texts = (
        program.random_model(),
        [program.encode(text) for text in ("so be it", "who chases the dog")],
    )
    tokens, positions, mask = program.pack(texts)
    alone = torch.cat([model(text[None])[0][0] for text in texts])
    return (model(tokens, positions, mask)[0][0] - alone).abs().max().item()


SYMPTOM = "the longest prompt leaves first"
LONGEST_FIRST = [("so be it", 5), ("the dog chases", 2)]
SHORT_STAYS = [("who", 6), ("the dog chases", 2)]  # a text that fills no window
LAWS = {
    "a text is read three tokens at a time": _pieces,
    "two texts are packed into one row": _packed,
    "a request is alone": lambda program: gap(program, [("a cat", 10)]),
    "all requests leave together": lambda program: gap(program, [("a cat", 5), ("the dog chases", 5)]),
    "the shorter prompt leaves first": lambda program: gap(program, [("who", 2), ("the dog chases", 6)]),
    "the longest prompt leaves first, all shorter than a window": lambda program: gap(
        program, [("a", 3), ("who", 2)]
    ),
    "no layer has a window": lambda program: gap(program, LONGEST_FIRST, windows=(None,) * 4),
    SYMPTOM: lambda program: max(gap(program, LONGEST_FIRST), gap(program, SHORT_STAYS)),
}  # fmt: skip


def broken(program):
    """The laws that a program breaks, by name: the gap, or the error with which it stops."""
    found = {}
    for name, law in LAWS.items():
        try:
            size = law(program)
        except NotImplementedError:
            raise
        except Exception as error:
            found[name] = error
        else:
            if not size < 1e-6:
                found[name] = size
    return found


def _takes(function, like):
    """Whether a plain function can be called with as many arguments as another one has."""
    if not isinstance(function, types.FunctionType):
        return True  # the laws will tell
    try:
        inspect.signature(function).bind(*inspect.signature(like).parameters)
    except TypeError:
        return False
    return True


def _cut(program, columns, kept, spare):
    """How many columns a cache has after a cut, how many keys each layer, and whether values are cut alike.

    kept: the keys in each layer before, a number for all layers or one for each.
    """
    cache = program.Cache(program.Config())
    cache.columns = columns
    many = [kept] * len(cache.layers) if isinstance(kept, int) else kept
    for layer, n in zip(cache.layers, many, strict=True):
        layer.k = layer.v = torch.arange(n).view(1, 1, n, 1)
    cache.cut(spare)
    alike = all(torch.equal(one.k, one.v) for one in cache.layers)
    return cache.columns, [one.k.shape[2] for one in cache.layers], alike


def _slip(program):
    """A common slip in the repair of `Cache.cut`: the name of its reply, or None."""
    try:
        cuts = [
            _cut(program, columns=6, kept=6, spare=2),
            _cut(program, columns=6, kept=5, spare=0),
            _cut(program, columns=30, kept=17, spare=9),
            *(_cut(program, columns=24, kept=kept, spare=16) for kept in (7, 24, [7, 24, 7, 24])),
        ]
    except NotImplementedError:
        raise
    except Exception:  # the program stops at it, too, and says where
        return None
    (columns, *_), *_ = cuts
    full, none_to_drop, some_to_drop, *of_one_kind, mixed = [keys for _, keys, _ in cuts]
    if columns == 6:
        return "as many columns"
    if not all(alike for _, _, alike in cuts):
        return "without values"
    apart = [of_one_kind[number % 2][number] for number in range(len(mixed))]
    if mixed != apart or any(row[:2] != row[2:] for row in (full, *of_one_kind)):
        return "from layer to layer"
    if columns == 4 and {*full} == {6}:  # with a number in it, such as 7, 24 keys become 8
        return "a fixed number" if {*of_one_kind[1]} == {8} else "counted too late"
    if {*some_to_drop} == {12}:  # 17 should stay: 13 of 30 columns are forgotten, and only 9 are spare
        return "taken off twice"
    if {*full} == {4} and min(none_to_drop) < 5:
        return "a negative drop"
    if of_one_kind == [[7] * len(mixed), [8] * len(mixed)] and {*some_to_drop} == {8}:
        return "all of them or none"
    if of_one_kind == [[0] * len(mixed), [8] * len(mixed)] and {*some_to_drop} == {8}:
        return "as in the file"
    if 7 in _cut(program, columns=8, kept=7, spare=2)[1]:
        return "too many stay"
    drawn = _cut(program, columns=8, kept=[7, 8, 7, 8], spare=2)[1]
    if {*drawn} == {6} and mixed != [7, 8, 7, 8]:
        return "only the picture"
    return None


def _of_the_five(program):
    """What has become of the requests that the lesson begins with."""
    try:
        right = gap(program, program.WISHES) < 1e-6
    except Exception:  # it stops there, and another law has said where
        return ""
    return f"The five requests of the lesson are {'right now' if right else 'still wrong'}."


OX = ("ox", 18)
VERDICT = """
It is `Cache.cut`. It drops as many columns of every layer as of the batch. But a layer with a window may have
forgotten these columns long ago, and then it loses real keys instead. Nothing fails, because a layer may
have few keys. In the five requests, *cow* left in step 5 and had no part in it. *hippopotamus* had left in
step 3, and 8 columns were dropped only when the batch had 16, a multiple of 4. Then each layer with a window
lost all its 7 keys. In July 2026 a cache of mlx-vlm was found cut to the length of a text, which is right for
a layer that sees everything and wrong for one with a window:
https://github.com/Blaizzy/mlx-vlm/issues/1715"""
REPLIES = {
    "the cause": "{five} " + VERDICT,
    "the symptom": """
With your `{name}` every answer is right, but you repaired the symptom and not the cause. `{name}` did what
it says before your change. Another function loses something, and yours now makes up for it, at the price of
time or memory.""",
    "an innocent": """
With your `{name}` the symptom is still there, and `{name}` is innocent. We repaired another function, left
`{name}` as it is in the file, and every answer was right. Which functions ran between the two pictures of
step 6?""",
    "still wrong": """
You have the right function, but after your `{name}` a layer still has the wrong keys. {five} Print the shapes
of the keys before and after it, in a layer with a window and in one without. How many columns does the batch
have then?""",
    "breaks": "Your `{name}` breaks what was right before. Now the outputs are wrong where {law}. {five}",
    "other arguments": """
Your function takes {mine}, but the program calls `{name}` with {asked}. If you repaired a different function,
give `accused` the name of that one.""",
    "as many columns": """
Your `{name}` leaves `self.columns` as it was, although columns are dropped. It should take `spare` from it,
because the next step counts on from `self.columns`. Look at the first line of the function in the file.""",
    "counted too late": """
Your `{name}` drops nothing from a layer that holds every column, so it keeps more keys than the batch has
columns. Do you compute with `self.columns`? It is the old number of columns before `self.columns -= spare`,
and the new one after it. Which of them does your line need?""",
    "a fixed number": """
Your `{name}` is right when the layers hold 7 and 24 keys of 24 columns, but it drops nothing when every layer
holds 6 keys of 6 columns. Is there a number from our example in it, such as 7? Take the numbers from
`layer.k` and from `self.columns`.""",
    "all of them or none": """
Your `{name}` drops `spare` keys of a layer, or none. When 9 of 30 columns are dropped, a layer with 17 keys
has forgotten all 9 already, but yours drops 9 keys more. Compare the keys of the layer with the columns that
are left.""",
    "as in the file": """
Your `{name}` does what the one in the file does. When 2 of 8 columns are dropped, it drops 2 of the 7 keys
that a layer with a window holds. How many of the 2 columns has this layer forgotten already? Drop only the
others.""",
    "taken off twice": """
Your `{name}` drops too many keys, because it takes `spare` off twice. After `self.columns -= spare`, you find
the new number of columns in `self.columns`. Compute with the old number, or compare a layer's keys with the
new number and leave `spare` out.""",
    "too many stay": """
Your `{name}` drops nothing from a layer that holds 7 keys when 2 of 8 columns are dropped. The batch has 6
columns then, so 1 key too many stays. {five} How many of the 2 columns has this layer forgotten itself? It
should drop the others.""",
    "only the picture": """
Your `{name}` is right when 2 of 8 columns are dropped, as in the picture. But when 16 of 24 are dropped, a
layer with 7 keys should keep all of them, and yours doesn't. {five} Compute how many columns the layer has
forgotten itself. In the picture it is 1, but not always.""",
    "from layer to layer": """
Your `{name}` does something different with a layer if another layer comes before it. Does it change `spare`
or `self.columns` inside the loop, or compute with one layer for all? Every layer has its own number of keys.
Give what you compute for a layer a new name, and compute it in the loop.""",
    "without values": """
Your `{name}` doesn't cut the keys and the values of a layer alike. Drop the same columns of `layer.k` and of
`layer.v`, with the same slice, and compute how many before you change one of them.""",
    "a negative drop": """
Your `{name}` loses keys where there is nothing to drop. A layer that has forgotten some holds fewer keys than
the batch has columns, so the first less the second is negative. A slice that begins at -1 keeps only the last
key. Begin at 0 then.""",
    "stops": "With your `{name}` the program stops where {law}. It raises {error}",
}


class Hunt(Checked):
    """The check of a repaired function of server.py.

    Examples
    --------
    >>> Hunt().diagnose(lambda real: real.cumsum(dim=1), accused="count_real").cause
    'an innocent'
    """

    name = "the_hunt"
    hints = (
        "What does the log mean? When the longest prompt has left, some columns hold only padding. Some "
        "steps later the server drops them. That harms only layers with a window, which have "
        "forgotten some columns themselves. Which function changes the layers when columns are dropped?",
        "In the five requests, the server drops the first 8 of 16 columns (-) and keeps 8 (o). Below the "
        "columns you see the keys (k) that two layers hold before the drop.\n\n"
        f"batch       {'-' * 8}{'o' * 8}\nno window   {'k' * 16}\na window    {' ' * 9}{'k' * 7}\n\n"
        "How many of the 8 has the layer with a window forgotten already? How many should it still drop?",
        "The repair in words: after the drop, no layer should hold more keys than the batch has columns. So "
        "take from each layer only what it holds too much, its keys less the columns that are left. If it "
        "holds fewer, take nothing.",
    )

    show_events = staticmethod(show_events)

    def check_test(self, *requests):
        """Say whether two requests find the fault of the server, so that they are a regression test.

        requests: two pairs of a prompt and how many letters to write.
        """
        if any(... in request for request in requests if isinstance(request, tuple | list)):
            return self._on("test", "not attempted", ["Put a prompt and a number in the place of the dots."])
        if len(requests) != 2 or not all(map(_is_wish, requests)):
            asked = (
                "Your test needs two requests, each with a prompt of small letters and a number up to 40, "
            )
            return self._on("test", "error", [asked + "for example ('yak', 18)."])
        if ours := [prompt for prompt, _ in requests if prompt in {"ox", "lion", *dict(server.WISHES)}]:
            again = f"Your test uses a prompt of this lesson, *{ours[0]}*. Choose prompts of your own."
            return self._on("test", "not yet", [again])
        firsts = [*_first_wrong(requests)]
        events = [event for _, event in _events(requests)]
        dropped = [event for event in events if "dropped" in event]
        if any(firsts):
            (prompt, _), first = next(pair for pair in zip(requests, firsts) if pair[1])
            so = f"Your test finds the fault, because *{prompt}* is wrong from letter {first} on. With the "
            so += "repaired server both requests are right. So it is a regression test. Keep it."
            return self._on("test", "correct", [so])
        if not dropped:
            (short, goes_on), (long, leaves) = sorted(requests, key=lambda wish: len(wish[0]))
            why = "no columns are dropped, because "
            if len(short) == len(long):
                why += f"*{short}* and *{long}* have the same length. Make one prompt longer."
            elif leaves >= goes_on:
                why += f"*{long}*, the longer prompt, doesn't leave before *{short}*. Give it fewer letters."
            else:
                why += f"*{short}* leaves before the number of columns is a multiple of 4. "
                why += "Give it more letters."
        elif "forget" not in " ".join(events[: events.index(dropped[0])]):
            why = "columns are dropped before windows forget. Let the longest prompt leave later, or take "
            why += "longer prompts."
        else:
            why = "the lost keys change nothing. Try other numbers."
        return self._on("test", "not yet", [f"Your test passes in spite of the fault. Here {why}"])

    def check_runs(self, *runs):
        """Say whether two runs of *ox* and *lion* tell if the harm comes with the leaving.

        runs: after how many letters *lion* leaves, in each of the two; *ox* wants 18.
        """
        if ... in runs:
            return self._on("runs", "not attempted", ["Put a number in the place of each `...`."])
        if len(runs) != 2 or not all(type(one) is int and 1 <= one <= 18 for one in runs):
            asked = f"Your runs need two whole numbers from 1 to 18, and you gave {runs!r:.40}."
            return self._on("runs", "error", [asked])
        firsts = {one: next(_first_wrong([OX, ("lion", one)])) for one in sorted(runs)}
        said = [
            f"lion {one}: {f'wrong from letter {n} on' if n else 'right'} (a delay of 3 says {one + 3})"
            for one, n in firsts.items()
        ]
        if len(firsts) < 2:
            return self._on("runs", "not yet", [*said, "Your two runs are the same."])
        if None in firsts.values():
            alike = "In your runs, something has to go wrong twice. Try numbers from 2 to 17."
            return self._on("runs", "not yet", [*said, alike])
        by, harm_by = (last - first for first, last in (firsts, firsts.values()))
        moves = f"Between your runs the leaving moves by {by}, and the first wrong letter moves by {harm_by}."
        if by == harm_by:
            later = firsts[max(firsts)] - max(firsts)
            so = "So the delay may be 3" if later == 3 else "So the delay isn't 3"
            so += f". But perhaps the harm comes {later} letters after the leaving" * (later != 3)
            so += ", or this is chance. Try a number between the two."
            return self._on("runs", "not yet", [*said, moves, so])
        so = "So the harm doesn't come a fixed time after the leaving. It has a moment of its own."
        return self._on("runs", "correct", [*said, moves, so])

    def _on(self, task, status, said):
        """The result of a step on the way, with the name of the step in its title."""
        return dataclasses.replace(self.result(status, "\n".join(said)), title=f"{task}: {HEADINGS[status]}.")

    def check(self, repaired=..., accused=...):
        """Show what `diagnose` says; the hunt has no points, so it never raises."""
        complaint = failed_cells.CELLS and failed_cells.CELLS.complaint()
        return self.result("error", complaint) if complaint else self.diagnose(repaired, accused)

    def diagnose(self, repaired=..., accused=...):
        """Return the `Result` for a function that should take the place of the one called `accused`."""
        stub = self.result(
            "not attempted",
            "Copy the function that you suspect into this cell, repair it, and name it: "
            'the_hunt.check(repaired, accused="may_see"). `the_hunt.hint()` helps.',
        )
        if repaired is ... or accused is ...:
            return stub
        names = [name for name in functions() if accused in (name, name.split(".")[-1])]
        if len(names) != 1:
            is_not = "is in several classes" if names else "is no function of the program"
            listed = ", ".join(names or functions())
            return self.result("error", f"Your accused, {accused!r:.40}, {is_not}. Name one of {listed}.")
        if not callable(repaired):
            return self.result("error", "The check needs your function, without parentheses.")
        original = operator.attrgetter(names[0])(server)
        if not _takes(repaired, original):
            mine, asked = map(inspect.signature, (repaired, original))
            say = REPLIES["other arguments"].format(name=names[0], mine=mine, asked=asked)
            return self.result("not yet", " ".join(say.split()), "other arguments")
        patient = program(**{names[0]: repaired})
        try:
            cause, law, error = self._cause(names[0], patient)
        except NotImplementedError:
            return stub
        say = REPLIES[cause].format(
            name=names[0],
            law=law,
            error=f"{type(error).__name__}: {error!s:.200}",
            five=_of_the_five(patient) if "{five}" in REPLIES[cause] else "",
        )
        say = " ".join(say.split())
        return self.result("correct" if cause == "the cause" else "not yet", say, cause)

    def _cause(self, name, patient):
        """What becomes of the program, with a law that it breaks and an error that it raises."""
        slip = _slip(patient) if name == GUILTY else None
        if slip:
            return slip, None, None
        wrong = broken(patient)
        for law, size in wrong.items():
            if isinstance(size, Exception):
                return "stops", law, size
        for law in wrong:
            if law != SYMPTOM:
                return "breaks", law, None
        if name != GUILTY:
            return "an innocent" if wrong else "the symptom", None, None
        return "still wrong" if wrong else "the cause", None, None

    def solution(self):
        """The repaired lines, and what was wrong."""
        return shown(f"# the end of {GUILTY}{REPAIR}\n{VERDICT}")

    def __repr__(self):
        calls = ".check_runs(first, second), .check(repaired, accused), .check_test(first, second)"
        return f"the_hunt: {calls}, .hint(), .solution()"


the_hunt = Hunt()
