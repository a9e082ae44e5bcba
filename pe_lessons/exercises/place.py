"""Shows where the numbers of an answer leave those of a right one, for mistakes that have no name.

Copies of the answer and of the right answers run, and hand the value of every expression to a recorder. An
expression is known if a right answer has its numbers, in the same order where both are one array. An unknown
one may be another right way, and is one if known numbers are made of it. The first of those that remain is
the place. What is said of it can be read off; that it is wrong is never said.
"""

import ast
import bisect
import copy
import functools
import inspect
import itertools
import linecache
import math
from collections import defaultdict

from pe_lessons.exercises import run_answer

SEEN = 1_000  # numbers of one expression in one trial; one that has more is passed over
ALL_SEEN = 30_000  # numbers of all expressions in one trial
QUOTED = 70  # characters of an expression
SEE = "__see__"
KINDS = ast.BinOp | ast.Call | ast.UnaryOp | ast.Subscript | ast.IfExp | ast.List | ast.ListComp
KINDS |= ast.Compare | ast.Name
BINDS = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr | ast.For | ast.comprehension
FILLS = "append", "extend", "insert"


def place(answer, rights, call, trials, atol):
    """What to say of where the numbers of a wrong answer depart, or None.

    `call(function)` takes the arguments of a trial. The answer must give wrong numbers in all `trials`.
    """
    own, theirs = _Recording(answer), _Recording()
    mine = own.start(answer)
    if mine is None:
        return None
    streams, known = defaultdict(dict), defaultdict(dict)
    runs = [(own, mine, streams), *((theirs, theirs.start(one), known) for one in rights)]
    for n, arguments in enumerate(trials):
        for recording, function, found in runs:
            for node, seen in recording.trial(call(function), arguments).items():
                found[node][n] = _Numbers(*seen, atol)
    shown = {node: seen for node, seen in streams.items() if 0 in seen}
    return _Search(own, shown, known.values()).in_words()


class _Recording(ast.NodeTransformer):
    """Copies of a function or class, and of those that it uses, which record.

    `nodes` holds the expressions; `values` says what each was in the running trial: how often, its last shape
    and all its numbers. `made` says of what the variables are made, and `used` where they stand.
    """

    def __init__(self, answer=None):
        self.answer = answer  # of a learner; else functions of the course are looked into as well
        self.nodes, self.around, self.parents, self.texts = [], [None], {}, {}
        self.made, self.used, self.results = defaultdict(list), defaultdict(list), set()
        self.named = {}  # the variable that an expression is assigned to
        self.fills = set()  # what is put into a variable that is there
        self.filled = set()  # such variables, which are not looked at meanwhile, and names of functions
        self.scopes, self.values, self.left = {}, {}, 0
        self.large = set()  # what has too many numbers to be looked at

    def start(self, thing):
        """The copy; None where there is no text of it, or where it needs variables of another function."""
        home = thing
        if isinstance(thing, type):
            home = next(filter(inspect.isfunction, vars(thing).values()), None)
        home = run_answer.unwrapped(home)
        code = getattr(home, "__code__", None)
        if code is None or set(code.co_freevars) - {"__class__"}:
            return None
        ours = self.answer is None and run_answer.is_of_the_course(home)
        if run_answer.is_library(code.co_filename) and not ours:
            return None
        space, name = home.__globals__, thing.__name__
        scope = self.scopes.setdefault(id(space), dict(space) | {SEE: self.see})
        if ("copied", name) not in scope:
            text = "".join(linecache.getlines(code.co_filename))
            found = [one for one in _parsed(text) if getattr(one, "name", "") == name]
            if not found:
                return None
            scope["copied", name] = True
            # A name may be defined several times.
            there = (one for one in found if code.co_firstlineno <= one.end_lineno)
            definition = copy.deepcopy(next(there, found[-1]))
            for one in ast.walk(definition):
                if isinstance(one, ast.Name) and one.id in space and one.id != name:
                    scope[one.id] = self._under(space[one.id])
            self.text, self.function = text, "" if thing is self.answer else name
            definition.body = self.generic_visit(ast.Module(definition.body, [])).body
            tree = ast.fix_missing_locations(ast.Module([definition], []))
            exec(compile(tree, code.co_filename, "exec"), scope)
        return scope[name]

    def _under(self, value):
        """What stands under a name that a copy uses: a copy too, so that nothing outside is changed."""
        if inspect.isfunction(value) or isinstance(value, type):
            return self.start(value) or value
        holds = isinstance(value, list | dict | set) or hasattr(type(value), "tolist")
        return copy.deepcopy(value) if holds else value

    def visit(self, node):
        if isinstance(node, BINDS):
            value = node.iter if isinstance(node, ast.For | ast.comprehension) else node.value
            for target in reversed(getattr(node, "targets", None) or [node.target]):
                self._bind(target, value)
        loads = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if node in self.filled or (isinstance(node, ast.Subscript) and not loads):
            self.filled.add(getattr(node, "value", None))
            return self.generic_visit(node)
        if isinstance(node, ast.Return) and not self.function:
            self.results.add(node.value)
        if not (isinstance(node, KINDS) and loads) or _is_constant(node):
            return self.generic_visit(node)
        seen = self._seen(node)
        if isinstance(node, ast.Name):
            self.used[self.function, node.id].append(node)
            return seen
        function = getattr(node, "func", None)
        if isinstance(function, ast.Name):
            self.filled.add(function)
        elif getattr(function, "attr", "") in FILLS and isinstance(function.value, ast.Name):
            self.made[self.function, function.value.id] += node.args
            self.fills.update(node.args)
            self.filled.add(function.value)
        self.around.append(node)
        self.generic_visit(node)
        self.around.pop()
        return seen

    def _bind(self, target, value):
        """Note what the variables in a target are made of."""
        if isinstance(target, ast.Name):
            self.made[self.function, target.id].append(value)
            self.named.setdefault(value, target.id)
        elif isinstance(target, ast.Subscript):
            self.fills.add(value)
            self.named[value] = None
            self._bind(target.value, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self.named[value] = None
            for one in reversed(target.elts):
                self._bind(one, value)

    def _seen(self, node):
        """The call that hands over the value of a node."""
        self.parents[node], self.texts[node] = self.around[-1], self.text
        self.nodes.append(node)
        call = ast.Call(ast.Name(SEE, ast.Load()), [ast.Constant(len(self.nodes) - 1), node], [])
        return ast.copy_location(call, node)

    def see(self, number, value):
        if self.left > 0:
            node = self.nodes[number]
            count, _, found = self.values.get(node, (0, (), []))
            shape, entries = _entries(value) if found is not None else ((), ())
            self.left -= 1 + len(entries)
            if entries:
                found.extend(entries)
                self.values[node] = count + 1, shape, found if len(found) <= SEEN else None
        return value

    def trial(self, call, arguments):
        """{expression: (how often, last shape, numbers)} of one call, in the order in which they came."""
        self.values, self.left = {}, ALL_SEEN
        done = run_answer.observe_ours(call, arguments)
        self.large.update(node for node, seen in self.values.items() if seen[2] is None)
        return {node: seen for node, seen in self.values.items() if seen[2] and done.kind == "value"}

    def goes_into(self):
        """{expression: the expressions that are made of it}"""
        made = defaultdict(set, {node: {parent} for node, parent in self.parents.items() if parent})
        for variable, makers in self.made.items():
            for maker in makers:
                whole = next((one for one in ast.walk(maker) if one in self.parents), None)
                made[whole].update(self.used[variable])
        return made


@functools.lru_cache(8)
def _parsed(text):
    return ast.parse(text).body


def _is_constant(node):
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names <= {"math", "np", "torch"}


def _entries(value):
    """Shape and numbers of a value, nothing where it has none."""
    if type(value) in (int, float, bool):
        return (), (value,)
    if isinstance(value, type) or hasattr(value, "close"):  # who looks into a generator has used it up
        return (), ()
    if math.prod(getattr(value, "shape", ())) > SEEN:
        return (), (0.0,) * (SEEN + 1)
    if isinstance(value, complex) or "complex" in str(getattr(value, "dtype", "")):
        (shape, real), (_, imag) = _entries(value.real), _entries(value.imag)
        return shape, (*real, *imag)
    return run_answer.snapshot(value) or ((), ())


class _Numbers:
    """The numbers of an expression in one trial: how often it came, its shape, and all of them."""

    def __init__(self, count, shape, entries, atol):
        self.count, self.shape, self.entries, self.atol = count, shape, entries, atol
        self.distinct = []
        for one in sorted(one for one in entries if one == one):
            if not self.distinct or not run_answer.close(one, self.distinct[-1], atol):
                self.distinct.append(one)

    def agree(self, other):
        """Whether these are the numbers of the other; two arrays have them in one order."""
        if not self._near(self.distinct, other.distinct):
            return False
        two_arrays = self.count == other.count == 1 and len(self.entries) == len(other.entries)
        return not two_arrays or self._near(self.entries, other.entries)

    def are_moved(self, other):
        """Whether these are the other's numbers in another order."""
        return self._near(sorted(self.entries), sorted(other.entries))

    def are_part_of(self, other):
        """Whether these are some of the other's numbers, in whatever order."""
        near = [bisect.bisect(other.distinct, one) for one in self.distinct]
        return all(one == one for one in self.entries) and all(
            any(run_answer.close(one, two, self.atol) for two in other.distinct[max(0, n - 1) : n + 1])
            for one, n in zip(self.distinct, near)
        )

    def are_whole(self):
        return all(math.isfinite(one) and float(one).is_integer() for one in self.entries)

    def _near(self, mine, theirs):
        return len(mine) == len(theirs) and all(
            map(run_answer.close, mine, theirs, itertools.repeat(self.atol))
        )


class _Search:
    """Says of every expression of an answer whether a right one has its numbers.

    It is "known" or "unknown"; what is given back is a "result"; and "nothing" is what says nothing, such as
    whole numbers, which are everywhere.
    """

    def __init__(self, own, streams, known):
        self.own, self.streams, self.known = own, streams, known
        self.goes_into = own.goes_into()
        self.status = {node: self._status(node) for node in streams}
        for node, status in self.status.items():
            if status == "unknown" and self._is_another_way(node):
                self.status[node] = "nothing"

    def _status(self, node):
        mine = self.streams[node]
        if node in self.own.results:
            return "result"
        if isinstance(node, ast.UnaryOp) or all(map(_Numbers.are_whole, mine.values())):
            return "nothing"
        if self._is_like(node, _Numbers.agree):
            return "known"
        picked = isinstance(node, ast.Name | ast.Subscript) or not any(one.shape for one in mine.values())
        if picked and self._is_like(node, _Numbers.are_part_of):
            return "nothing"
        return "nothing" if self._is_like(node, _Numbers.are_moved) else "unknown"

    def _is_like(self, node, related, others=None):
        """Whether its numbers are related in all trials to those of one known, or other, expression."""
        mine = self.streams[node].items()
        return any(
            all(n in one and related(seen, one[n]) for n, seen in mine)
            for one in (self.known if others is None else others)
        )

    def _is_another_way(self, node):
        """Whether known numbers are made of it, or what cannot be looked at, which may be such numbers."""
        reached, todo = {node}, [node]
        while todo:
            for one in self.goes_into[todo.pop()] - reached:
                reached.add(one)
                if self.status.get(one) != "known":
                    todo.append(one)
        reached.remove(node)
        return any(self.status.get(one) == "known" or one in self.own.large for one in reached)

    def in_words(self):
        order = list(self.status)
        places = [one for one in order if self.status[one] in ("unknown", "result")]
        if not places:
            return None
        node, before = places[0], order[: order.index(places[0])]
        quoted = self._quoted(node)
        known = [one for one in map(self._quoted, filter(self._is_worth_telling, before)) if one != quoted]
        last = f"Your {known[-1]} has the numbers that a right answer has. " if known else ""
        if self.status[node] == "result" and self._is_like(node, _Numbers.are_moved):
            if all(len(one.distinct) < 3 and one.are_whole() for one in self.streams[node].values()):
                return None  # True, or a size: that says nothing
            return (
                f"Your {quoted} has the numbers that a right answer has, but they are not yet "
                "the right result. Are they in another order or shape, or is a step missing?"
            )
        first = self.streams[node][0]
        same = not first.shape and len(first.distinct) == 1  # one number, seen again and again in a loop
        entries = first.distinct if same else first.entries
        begins = ", ".join(f"{one:.4g}" for one in entries[:3])
        more = "begins" if len(entries) > 3 else "is"
        return (
            f"{last}I don't recognise {quoted}, which {more} {begins} in the trial below. "
            "Unless you chose another way, look there."
        )

    def _is_worth_telling(self, node):
        """Whether a right answer has these very numbers, and not only because it is given them.

        Rows, columns and entries of an argument are given, too: the wrong ones may stand elsewhere in a right
        answer. A variable that is replaced here is not told either: from here on its name has other numbers.
        """
        if any(one is node for maker in self._makers(node) for one in ast.walk(maker)):
            return False
        made = {None, *(name for _, name in self.own.made)}
        given = [seen for one, seen in self.streams.items() if getattr(one, "id", None) not in made]
        return self.status[node] == "known" and not self._is_like(node, _Numbers.are_part_of, given)

    def _quoted(self, node):
        """An expression and its line; of a variable that changed, where it was made."""
        *lines, last = map(str, self._lines(node))
        line = f"lines {', '.join(lines)} and {last}" if lines else f"line {last}"
        text = self.own.named.get(node) or ast.get_source_segment(self.own.texts[node], node)
        return f"`{text}` in {line}" if len(text) <= QUOTED and "\n" not in text else f"value in {line}"

    def _lines(self, node):
        """The lines that make a variable, or the line of another expression."""
        whole = self._is_like(node, _Numbers.are_moved)
        if self.status[node] == "result" and self._is_like(node, _Numbers.agree) and not whole:
            return [node.lineno]
        makers = self._makers(node)
        filled = {one.lineno for one in makers if one in self.own.fills}
        before = [one.lineno for one in makers if one.lineno <= node.lineno]
        return sorted(filled) or [max(before, default=node.lineno)]

    def _makers(self, node):
        """What a variable is made of; nothing for another expression."""
        name = getattr(node, "id", None)
        return [one for (_, made), some in self.own.made.items() if made == name for one in some]
