"""Right answers with one token changed: what the probes of an exercise have to tell apart from them."""

import ast
import itertools
import re
import warnings
from dataclasses import dataclass

OPERATORS = {  # not / and ** for each other: whole numbers too large for any machine would come of it
    "+": ["-", "*", "/"],
    "-": ["+", "*", "/"],
    "*": ["+", "-", "/", "//", "**"],
    "/": ["+", "-", "*", "//", "%"],
    "//": ["+", "-", "*", "/", "%"],
    "%": ["*", "/", "//"],
    "**": ["+", "-", "*", "/"],
    "@": ["*"],
}
COMPARISONS = "<", "<=", ">", ">=", "==", "!="
TWINS = [
    {"sin", "cos", "tan"},
    {"min", "max"},
    {"minimum", "maximum"},
    {"argmin", "argmax"},
    {"sum", "mean", "cumsum"},
    {"floor", "ceil"},
    {"log", "log2", "log10"},
    {"zeros", "ones", "empty"},
    {"repeat", "tile"},
    {"stack", "concatenate", "hstack", "vstack"},
    {"int", "round"},
    {"float16", "float32", "float64"},
]
TURNS = 20_000  # of all loops in all trials together; right answers need half of them


@dataclass(frozen=True)
class Mutant:
    """One change of an answer's text: `old` at `start` becomes `new`. `line` counts from 1."""

    kind: str
    start: int
    old: str
    new: str
    line: int

    @property
    def edits(self):
        return [(self.start, self.start + len(self.old), self.new)]


def mutants_of(text):
    """Every change of one token in the functions and classes of a text."""
    return list(dict.fromkeys(_Search(text).found()))


def runnable(answer, *changes):
    """The function or class with the changes; its loops end after `TURNS`. None if it cannot be compiled."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of syntax that makes no sense
            return answer.with_changes(*changes, run=_run_counted)
    except Exception:  # a syntax error, or a class whose body fails
        return None


class TooManyTurns(BaseException):
    pass


def _run_counted(text, filename, scope):
    """Run the text, in which every loop counts its turns, and no `range` is long."""
    turns = itertools.count()

    def turn():
        if next(turns) > TURNS:
            raise TooManyTurns

    def short_range(*bounds):
        numbers = range(*bounds)
        if len(numbers) > TURNS:
            raise TooManyTurns
        return numbers

    scope.update(_turn=turn, range=short_range)
    text = re.sub(r"(?m)^( *)((for|while) .*:)(  #.*)?$", r"\1\2\n\1    _turn()", text)
    exec(compile(text, filename, "exec"), scope)


class _Search:
    def __init__(self, text):
        self.text, self.tree = text, ast.parse(text)
        lines = text.splitlines(keepends=True)
        self.line_starts = [0, *itertools.accumulate(map(len, lines))]
        self.lines = [line.encode() for line in lines]
        self.parent = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def found(self):
        for function in ast.walk(self.tree):
            if isinstance(function, ast.FunctionDef):
                names = _names(function)
                for node in (one for part in function.body for one in ast.walk(part)):
                    if not self.inside(node, ast.Raise | ast.JoinedStr):
                        yield from self.changes(node, names)

    def changes(self, node, names):
        for base in type(node).__mro__:
            if method := getattr(self, f"of_{base.__name__}", None):
                yield from method(node)
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            yield from self.shifted(node)
            if isinstance(node, ast.Name) and node.id in names:
                for name, line in names.items():
                    if name != node.id and line <= node.lineno and not self.put_into_itself(node, name):
                        yield self.put("name", node, name)

    # --- what a change is made of

    def at(self, line, column):
        return self.line_starts[line - 1] + len(self.lines[line - 1][:column].decode())

    def span(self, node):
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def source(self, node):
        start, end = self.span(node)
        return self.text[start:end]

    def mutant(self, kind, start, end, new):
        return Mutant(kind, start, self.text[start:end], new, self.text.count("\n", 0, start) + 1)

    def put(self, kind, node, new):
        return self.mutant(kind, *self.span(node), new)

    def between(self, kind, left, right, old, new):
        """The token between two expressions becomes another one."""
        start, end = self.span(left)[1], self.span(right)[0]
        start += self.text[start:end].index(old)
        return self.mutant(kind, start, start + len(old), new)

    def left_out(self, kind, parts, part):
        """One of several parts between commas is left out, with its comma."""
        number = parts.index(part)
        start, end = self.span(part)
        if number:
            start = self.span(parts[number - 1])[1]
        elif len(parts) > 1:
            end = self.span(parts[1])[0]
        return self.mutant(kind, start, end, "")

    def exchanged(self, one, other):
        (start, a), (b, end) = self.span(one), self.span(other)
        return self.mutant("exchange", start, end, self.source(other) + self.text[a:b] + self.source(one))

    def inside(self, node, kind, name=None):
        """Whether the node is part of one of this kind; of a call, whether of the function of this name."""
        while node := self.parent.get(node):
            if isinstance(node, kind) and name in (None, getattr(getattr(node, "func", None), "id", None)):
                return True
        return False

    def put_into_itself(self, node, name):
        """Whether `name.append(name)` would come of it, a list without end."""
        call = self.parent[node]
        call = self.parent[call] if isinstance(call, ast.Attribute) else call
        return isinstance(call, ast.Call) and {"append", name} <= set(re.findall(r"\w+", self.source(call)))

    # --- what can be changed in each kind of node

    def of_BinOp(self, node):
        old = _SYMBOLS[type(node.op)]
        for new in OPERATORS.get(old, ()):
            yield self.between("operator", node.left, node.right, old, new)
        yield self.put("operand", node, self.source(node.left))
        yield self.put("operand", node, self.source(node.right))
        if old not in ("+", "*"):
            yield self.exchanged(node.left, node.right)

    def of_AugAssign(self, node):
        old = _SYMBOLS[type(node.op)] + "="
        for new in ("+=", "-=", "*=", "="):
            if new != old:
                yield self.between("operator", node.target, node.value, old, new)

    def of_Compare(self, node):
        for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators):
            old = _SYMBOLS[type(op)]
            others = COMPARISONS if old in COMPARISONS else _OPPOSITE[old]
            for new in others:
                if new != old:
                    yield self.between("comparison", left, right, old, new)

    def of_BoolOp(self, node):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in itertools.pairwise(node.values):
            yield self.between("condition", left, right, old, new)
        for part in node.values:
            yield self.put("condition", node, self.source(part))

    def of_Constant(self, node):
        value = node.value
        if isinstance(value, bool):
            yield self.put("constant", node, str(not value))
        elif isinstance(value, int | float):
            values = [value + 1, value - 1, type(value)(0), type(value)(1), -value]
            if value >= 100:
                values += [type(value)(value // 10), type(value)(value // 100), value * 10]
            for new in values:
                if new != value:
                    yield self.put("constant", node, f"{new:_}")
        elif isinstance(value, complex):
            yield self.put("constant", node, f"{value.imag:g}")

    def of_UnaryOp(self, node):
        yield self.put("sign", node, self.source(node.operand))

    def of_Slice(self, node):
        start, end = self.span(node)
        parts = {"lower": node.lower, "upper": node.upper, "step": node.step}
        texts = [part and self.source(part) for part in parts.values()]
        for number, text in enumerate(texts):
            if text is None:
                changed = [["1", "-1", "2"][number]]
            else:
                shifted = [] if text.isdigit() else [f"{text} + 1", f"{text} - 1"]
                changed = ["", *shifted]
            for new in changed:
                others = [one or "" for one in texts]
                others[number] = new
                yield self.mutant("slice", start, end, ":".join(others[: 3 if others[2] else 2]))

    def of_Subscript(self, node):
        if isinstance(node.ctx, ast.Load):
            yield self.put("index", node, self.source(node.value))

    def of_Tuple(self, node):
        for one, other in itertools.pairwise(node.elts):
            yield self.exchanged(one, other)

    of_List = of_Tuple

    def of_Call(self, node):
        for one, other in itertools.combinations(node.args, 2):
            yield self.exchanged(one, other)
        for keyword in node.keywords:
            yield self.left_out("argument", [*node.args, *node.keywords], keyword)
        if len(node.args) > 1:
            for part in node.args:
                yield self.left_out("argument", [*node.args, *node.keywords], part)
        if node.args:
            yield self.put("call", node, self.source(node.args[0]))
        if isinstance(node.func, ast.Attribute):
            yield self.put("call", node, self.source(node.func.value))

    def of_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            for name in _twins(node.id):
                yield self.put("function", node, name)

    def of_Attribute(self, node):
        end = self.span(node)[1]
        for name in _twins(node.attr):
            yield self.mutant("function", end - len(node.attr), end, name)
        if node.attr == "T":
            yield self.put("call", node, self.source(node.value))

    def of_IfExp(self, node):
        body, test, orelse = map(self.source, (node.body, node.test, node.orelse))
        yield self.put("condition", node, f"{orelse} if {test} else {body}")
        yield self.put("condition", node, body)
        yield self.put("condition", node, orelse)
        yield from self.negated(node.test)

    def of_If(self, node):
        yield from self.negated(node.test)
        yield self.put("line", node, "pass")

    def of_While(self, node):
        yield from self.negated(node.test)

    def of_comprehension(self, node):
        for test in node.ifs:
            yield from self.negated(test)
            yield self.put("condition", test, "True")

    def negated(self, test):
        yield self.put("condition", test, f"not ({self.source(test)})")

    def of_Assign(self, node):
        yield self.put("line", node, "pass")

    def of_Expr(self, node):
        yield self.put("line", node, "pass")

    def of_Continue(self, node):
        yield self.put("line", node, "break")

    def shifted(self, node):
        """A `+ 1`, a `- 1` or a minus put on a name, or on an argument."""
        above = self.parent[node]
        if isinstance(above, ast.Attribute) or (isinstance(above, ast.Call) and above.func is node):
            return
        if self.inside(node, ast.Call, "len"):  # as long as before
            return
        argument = isinstance(above, ast.Call) and not isinstance(node, ast.Constant | ast.Starred)
        if isinstance(node, ast.Name) or argument:
            tight = isinstance(above, ast.BinOp | ast.UnaryOp | ast.Subscript | ast.Compare)
            for new in ("{} + 1", "{} - 1", "-{}"):
                changed = new.format(self.source(node))
                yield self.put("shift", node, f"({changed})" if tight else changed)


def _names(function):
    """The local names of a function, each with the line where it begins."""
    names = {one.arg: one.lineno for one in ast.walk(function.args) if isinstance(one, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names[node.id] = min(node.lineno, names.get(node.id, node.lineno))
    return {name: line for name, line in names.items() if name != "self"}


def _twins(name):
    return sorted(set().union(*(group for group in TWINS if name in group)) - {name})


_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
_OPPOSITE = {"is": ["is not"], "is not": ["is"], "in": ["not in"], "not in": ["in"]}
