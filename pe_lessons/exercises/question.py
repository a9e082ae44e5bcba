"""Questions with a reason for every choice, and the quiz at the end of a lesson."""

import re
from dataclasses import dataclass
from numbers import Integral

from pe_lessons.exercises import clicks
from pe_lessons.exercises.result import Checked, shown
from pe_lessons.exercises.run_answer import Look


@dataclass(frozen=True, eq=False, repr=False)
class Question(Checked):
    """A question with one or several right choices.

    >>> choices = {"a": ("red", True, "Fire."), "b": ("blue", False, "Ice.")}
    >>> question = Question("warm", "Which are warm?", choices)
    >>> question.ask()
    Which are warm?
      a  red
      b  blue
    >>> question.check("b")
    warm: Not yet.
    b (chosen): Ice.
    No right choice is chosen yet.
    """

    name: str
    prompt: str
    choices: dict  # {letter: (text, is_right, reason)}; the reason is shown for a choice wrongly made
    hints: tuple = ()

    @property
    def right(self):
        return tuple(letter for letter, (_, is_right, _) in self.choices.items() if is_right)

    def look(self, *answer):
        """The letters that were given (``"a", "c"``, ``"ac"`` or ``["a", "c"]``): a `Look`."""
        if any(callable(part) for part in answer):
            return Look("refused", 'Answer with letters in quotation marks, as in "a".')
        parts = [one for part in answer for one in (part if isinstance(part, list | tuple | set) else [part])]
        text = " ".join(str(part) for part in parts if part is not None and part is not ...)
        letters = set()
        for word in set(re.findall(r"[^\W_]+", text.lower())) - {"and"}:
            letters.update(word if set(word) <= set(self.choices) else [word])
        return Look("letters", letters=tuple(sorted(letters)))

    def judged(self, look):
        letters = set(look.letters)
        if not letters:
            return self.result("not attempted", "Choose one letter or several, then run this cell again.")
        if unknown := sorted(letters - set(self.choices)):
            return self.result("not yet", self.no_choice(unknown[0], "There"))
        differing = [letter for letter in self.choices if (letter in letters) != (letter in self.right)]
        if not differing:
            return self.result("correct", self._reasons())
        hits = [letter for letter in self.right if letter in letters]
        replies = [f"{' and '.join(hits)} {'is' if len(hits) == 1 else 'are'} right."] if hits else []
        replies += [f"{one} (chosen): {self.choices[one][2]}" for one in differing if one in letters]
        if len(hits) < len(self.right):  # neither how many nor which: the question stays one
            replies.append("There is more to choose." if hits else "No right choice is chosen yet.")
        cause = " + ".join(f"{one} {'chosen' if one in letters else 'missed'}" for one in differing)
        return self.result("not yet", "\n".join(replies), cause)

    def ask(self):
        """Print the question and its choices."""
        print("\n".join([self.prompt, *self.listed("  ")]))
        if clicks.possible():
            clicks.under_question(self)

    def no_choice(self, letter, there):
        return f"{there} is no choice {letter[:9]}. Choose from {', '.join(self.choices)}."

    def listed(self, indent, explained=False):
        """The lines of the choices, or each with its reason."""
        for letter, (text, is_right, reason) in self.choices.items():
            yield f"{indent}{letter}  {text}"
            if explained:
                yield f"{indent}   {'YES' if is_right else 'no'}: {reason}"

    def solution(self):
        """The right letters, with their reasons."""
        return shown(self._reasons())

    def _reasons(self):
        return "\n".join(f"{letter}: {self.choices[letter][2]}" for letter in self.right)


@dataclass(frozen=True, eq=False, repr=False)
class Quiz(Checked):
    """Questions with one right choice each; its `check` says of every letter why it is right or wrong.

    >>> fire = {"a": ("cold", False, "Touch it: no, better not."), "b": ("hot", True, "It burns.")}
    >>> ice = {"a": ("cold", True, "It is frozen."), "b": ("hot", False, "It would melt.")}
    >>> quiz = Quiz("quiz", (Question("fire", "Fire is ...", fire), Question("ice", "Ice is ...", ice)))
    >>> quiz.ask(2)
    2. Ice is ...
       a  cold
       b  hot
    >>> quiz.check(["a", ...])
    quiz: Not yet.
    1 a, no: Touch it: no, better not.
    2: not answered yet.
    >>> quiz.check("ba").status
    'correct'
    """

    name: str
    questions: tuple  # of `Question`

    @property
    def right(self):
        return tuple(question.right[0] for question in self.questions)

    def look(self, *answer):
        """A letter for each question, given as ``["b", "a", ...]`` or ``"ba"``; None where it is open."""
        letters, wanted = answer[0] if len(answer) == 1 else answer, len(self.questions)
        if hasattr(letters, "tolist"):
            letters = letters.tolist()
        if isinstance(letters, str):
            letters = re.findall(r"[^\W_]", letters)
        if letters is None or letters is ... or (isinstance(letters, list | tuple) and not letters):
            letters = [...] * wanted
        if not isinstance(letters, list | tuple) or len(letters) != wanted:
            return Look("refused", f"Answer with a list of {wanted} letters, one for each question.")
        made = ("" if one is None or one is ... else str(one).strip().lower() for one in letters)
        return Look("letters", letters=tuple(made))

    def judged(self, look):
        if len(look.letters) != len(self.questions):
            raise ValueError(f"{self.name} has {len(self.questions)} questions, not {len(look.letters)}")
        if not any(look.letters):
            return self.result(
                "not attempted", "Put a letter in the place of each `...`, then run both cells."
            )
        replies, wrong = [], []
        for number, (question, letter) in enumerate(zip(self.questions, look.letters), start=1):
            _, is_right, reason = question.choices.get(letter, ("", False, ""))
            if not letter:
                replies.append(f"{number}: not answered yet.")
            elif letter not in question.choices:
                replies.append(question.no_choice(letter, f"{number}: there"))
            else:
                replies.append(f"{number} {letter}, {'yes' if is_right else 'no'}: {reason}")
            if letter and not is_right:
                wrong.append(f"{number}{letter if letter in question.choices else ': no choice'}")
        status = "correct" if all(look.letters) and not wrong else "not yet"
        return self.result(status, "\n".join(replies), " + ".join(wrong) or None)

    def ask(self, *numbers):
        """Print the questions of these numbers, counted from 1; without a number, all of them."""
        print(self._listed(numbers))
        if clicks.possible():
            clicks.under_quiz(self, numbers or range(1, len(self.questions) + 1))

    def explain(self, *numbers):
        """Every choice of these questions with its reason, to be discussed once everybody has answered."""
        return shown(self._listed(numbers, explained=True))

    solution = explain

    def hint(self, n=1):
        return shown("A quiz has no hints. Its check gives the reason for every letter.")

    def __repr__(self):
        return f"quiz {self.name}: .ask(), .check(...), .explain()"

    def _listed(self, numbers, explained=False):
        parts = []
        for number in numbers or range(1, len(self.questions) + 1):
            if not isinstance(number, Integral):
                raise TypeError(f"the number of a question must be an integer, not {number!r}")
            if not 1 <= number <= len(self.questions):
                raise ValueError(f"there is no question {number}. Choose from 1 to {len(self.questions)}")
            question = self.questions[number - 1]
            parts.append("\n".join([f"{number}. {question.prompt}", *question.listed("   ", explained)]))
        return "\n\n".join(parts)
