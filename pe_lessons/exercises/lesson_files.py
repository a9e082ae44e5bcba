"""Reads a lesson's folder: its right answers, the mistakes that people make in them, and its words.

`answers.py` holds the right answer of every exercise in two styles, as functions (or classes) such as
`slopes_loop` and `slopes_arrays`, or as other names of functions from another lesson; the first is the
one that `solution` shows, unless there is a `slopes_repaired`, the notebook's faulty function repaired, or a
`slopes_short`, which calls what the notebook allows. A mistake is a change of the right answer's text,
and what a kind teacher says of it, in `mistakes.toml`:

    [slopes."8 forgotten"]
    loop = ['(-8 * (head', '(-(head']
    arrays = ['-8 / n', '-1 / n']
    say = "Your exponent has no 8. It should be -8 (h + 1) / num_heads."

The old text stands exactly once in the right answer, or in a function of `answers.py` that the answer uses.
A change in several places is a list of such pairs. A mistake that is another program is the name of a
function of `answers.py`. Besides:

    precision = true              the mistake loses digits, and every program other ones
    praise = "The mask is right." said before `say`, but not where the mistake is one of two
    alone = true                  no part of two mistakes at once, where `say` would not be true; a program
                                  never is
    whole = true                  only where every trial agrees, as for a draft that is sent as it was
    include = "sinusoidal"        in the table of an exercise: of mistakes_sinusoidal.toml, which exercises
    without = ["transposed"]      share, the mistakes whose old text stands in the answer, but not these

`hints_and_quiz.md` holds hints, questions and the quiz:

    ## slopes                         ## bias_question
    1. The first hint.                A bias is added to the scores. What is true?
    2. The second hint.               - [x] the text of a right choice
                                        The reason for it.
                                      - [ ] the text of a wrong choice
                                        The reason for it.
    ## quiz_relative_biases                        1. The first hint.
    ### first
    The first question ...
"""

import ast
import functools
import importlib
import itertools
import re
import sys
import tomllib
from pathlib import Path

from pe_lessons.exercises.exercise import Exercise, Mistake
from pe_lessons.exercises.question import Question, Quiz

STYLES = "loop", "arrays", "tensors"


class Lesson:
    """The folder of a lesson; `package` is the `__name__` of its `__init__.py`."""

    def __init__(self, package):
        self.answers = importlib.import_module(f"{package}.answers")
        self.folder = folder = Path(self.answers.__file__).parent
        self.mistakes = tomllib.loads((folder / "mistakes.toml").read_text(encoding="utf-8"))
        self.words = read_words((folder / "hints_and_quiz.md").read_text(encoding="utf-8"))
        self.learners_names = {}

    def exercise(self, name, kind=Exercise, mine=None, **details):
        """The exercise of this name; `details` are what the files do not say.

        `mine` is what learners call their answer, ``my_NAME`` if nothing is said.
        """
        answer, *others = self.styles(name)
        self.learners_names[answer.name] = mine or f"my_{name}"
        texts = [one.text for one in (answer, *others)]
        better = [one for one in (f"{name}_repaired", f"{name}_short") if hasattr(self.answers, one)]
        shown = Answer(self.answers, better[0], "arrays") if better else answer
        self.learners_names[shown.name] = self.learners_names[answer.name]
        return kind(
            name=name,
            reference=answer.function,
            rights=tuple(dict.fromkeys(one.function for one in (answer, *others, shown))),
            mistakes=Lazy(lambda: [one for one, _ in self.changes(name, answer)]),
            pairs=Lazy(lambda: self.pairs(name, answer)),
            hints=self.words[name]["hints"],
            text=re.sub(r"\w+", lambda word: self.learners_names.get(word[0], word[0]), shown.text),
            may_call=frozenset(re.findall(r"\b(?:loops|arrays|tensors)\.(\w+)", "".join(texts))),
            **details,
        )

    def question(self, name):
        return Question(name, **self.words[name])

    def quiz(self, name):
        questions = self.words[name]["questions"]
        return Quiz(name, tuple(Question(one, **words) for one, words in questions.items()))

    def styles(self, name):
        """The right answers of an exercise; the first is the one that is shown."""
        names = {f"{name}_{style}": style for style in STYLES}
        return [Answer(self.answers, found, names[found]) for found in vars(self.answers) if found in names]

    def entries(self, name):
        """The table of each mistake of an exercise; of those from a shared file those that apply."""
        table = dict(self.mistakes.get(name, {}))
        shared, without = table.pop("include", None), table.pop("without", ())
        if shared is not None:
            text = (self.folder.parent / f"mistakes_{shared}.toml").read_text(encoding="utf-8")
            answers = self.styles(name)
            for mistake, entry in tomllib.loads(text).items():
                stands = all(answer.allows(entry.get(answer.style)) for answer in answers)
                if stands and mistake not in without:
                    table.setdefault(mistake, entry)
        return table

    def changes(self, name, answer):
        """Every mistake of an exercise, made in this answer, with its `Change` or None for a program."""
        for mistake, entry in self.entries(name).items():
            missing = {"say", answer.style} - entry.keys()
            if missing:
                raise ValueError(f"mistakes.toml: [{name}.{mistake!r}] has no {', '.join(sorted(missing))}")
            if isinstance(entry[answer.style], str):
                wrong, change = getattr(self.answers, entry[answer.style]), None
            else:
                change = Change(answer, entry[answer.style])
                wrong = answer.with_changes(change)
            praise, whole = entry.get("praise", ""), entry.get("whole", False)
            say = " ".join(f"{praise} {entry['say']}".split())
            exact = answer.function if entry.get("precision") else None
            made = Mistake(mistake, say, wrong, exact, praise, whole)
            yield made, None if entry.get("alone") else change

    def pairs(self, name, answer):
        """Two mistakes at once, wherever they change different places."""
        changes = [(mistake, change) for mistake, change in self.changes(name, answer) if change is not None]
        for (one, first), (other, second) in itertools.combinations(changes, 2):
            if not first.meets(second):
                yield Mistake(
                    f"{one.name} + {other.name}",
                    f"Your code makes two mistakes:\n1. {one.fault}\n2. {other.fault}",
                    answer.with_changes(first, second),
                )


_compiled = functools.lru_cache(2_000)(compile)  # `pairs` makes every mistake a second time


def _run(text, filename, scope):
    exec(_compiled(text, filename, "exec"), scope)


class Answer:
    """A right answer, and its text: with those functions of `answers.py` that it uses."""

    def __init__(self, module, name, style):
        self.function, self.style = getattr(module, name), style
        self.module, self.name = sys.modules[self.function.__module__], self.function.__name__
        parts, used = _definitions(self.module.__file__), {self.name}
        while (more := used.union(*(parts[one][1] & parts.keys() for one in used))) != used:
            used = more
        self.text = "\n\n\n".join(text for one, (text, _) in parts.items() if one in used)

    def allows(self, change):
        """Whether a shared change applies: its old texts stand here."""
        return isinstance(change, list) and all(old in self.text for old, _ in _places(change))

    def with_changes(self, *changes, run=_run):
        """The function with these changes in its text."""
        text = self.text
        for start, end, new in sorted((one for change in changes for one in change.edits), reverse=True):
            text = text[:start] + new + text[end:]
        # Under the file's name the steps of a wrong variant are not counted as the learner's.
        scope = dict(vars(self.module))
        run(text, self.module.__file__, scope)
        return scope[self.name]


class Change:
    """Where a mistake changes the text of an answer, and into what."""

    def __init__(self, answer, change):
        self.edits = []  # (start, end, new text)
        for old, new in _places(change):
            if answer.text.count(old) != 1:
                raise ValueError(f"{old!r} must stand exactly once in {answer.name}")
            start = answer.text.index(old)
            end = start + len(old)
            if new.endswith(old) and "\n" in (more := new.removesuffix(old)):  # new lines before the old ones
                self.edits.append((start, start, more))
            elif new.startswith(old) and "\n" in (more := new.removeprefix(old)):  # or after them
                self.edits.append((end, end, more))
            else:
                self.edits.append((start, end, new))

    def meets(self, other):
        """Whether both change the same place."""
        return any((a < d and c < b) or (a, b) == (c, d) for a, b, _ in self.edits for c, d, _ in other.edits)


class Lazy:
    """Made when first asked for: compiling takes time, and a right answer needs none of it."""

    def __init__(self, make):
        self.make = functools.cache(lambda: tuple(make()))

    def __iter__(self):
        return iter(self.make())


def _places(change):
    return [change] if isinstance(change[0], str) else change


@functools.cache
def _definitions(path):
    """Every function and class of a file: its text, and the names that it uses."""
    source = Path(path).read_text(encoding="utf-8")
    lines = source.splitlines()
    return {
        node.name: (
            "\n".join(lines[node.lineno - 1 : node.end_lineno]),
            {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - {node.name},
        )
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def read_words(text):
    """What stands under each heading: hints, a question with its choices, or a quiz of several."""
    found = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        (name, words), *questions = map(_question, re.split(r"^### ", section, flags=re.MULTILINE))
        found[name] = words | ({"questions": dict(questions)} if questions else {})
    return found


def _question(text):
    """The name in the first line, and what stands below it."""
    name, *lines = text.splitlines()
    parts = re.split(r"^(- \[[x ]\]|\d\.) (.*)", "\n".join(lines), flags=re.MULTILINE)
    prompt, *parts = [" ".join(part.split()) for part in parts]
    marked = list(zip(parts[::3], parts[1::3], parts[2::3]))  # mark, first line, more
    choices = [(text, mark == "- [x]", reason) for mark, text, reason in marked if "[" in mark]
    hints = tuple(f"{first} {more}".strip() for mark, first, more in marked if "[" not in mark)
    return name, {"prompt": prompt, "choices": dict(zip("abcdefgh", choices)), "hints": hints}
