"""Exercises of lesson 00: how exercises work."""

from pe_lessons.exercises.engine import Exercise, Misconception, Question


def positions_of_words(sentence):
    return list(range(len(sentence.split())))


count_positions = Exercise(
    name="count_positions",
    reference=positions_of_words,
    probes=(("the cat chased the mouse",), ("to be or not to be",)),
    edge_probes=(("two  spaces",), ("",)),
    misconceptions=(
        Misconception(
            "counts from 1",
            "The numbers begin at 1. In this course, as in Python, the first position is 0.",
            lambda sentence: [position + 1 for position in range(len(sentence.split()))],
        ),
        Misconception(
            "counts characters",
            "There is one number per character, blanks included. The sentence is one text: which method of "
            "text cuts it into words?",
            lambda sentence: list(range(len(sentence))),
        ),
        Misconception(
            "first occurrence",
            "A word that comes twice gets the same number twice: list.index finds the first one only. "
            "Count along as you go instead of searching.",
            lambda sentence: [sentence.split().index(word) for word in sentence.split()],
        ),
        Misconception(
            "how many",
            "This is how many words there are. Wanted is a list: one position for each word.",
            lambda sentence: len(sentence.split()),
        ),
        Misconception(
            "one too many",
            "The list has one number too many: n words have the positions 0 to n-1.",
            lambda sentence: list(range(len(sentence.split()) + 1)),
        ),
        Misconception(
            "empty words",
            "Two blanks in a row make an empty word, which gets a number too. What does split() do that "
            'split(" ") does not?',
            lambda sentence: list(range(len(sentence.split(" ")))),
        ),
    ),
    hints=(
        "The sentence is one text. What cuts it into a list of words?",
        "sentence.split() is the list of words. You need the numbers 0, 1, 2, ... as many as there are "
        "words.",
        "len(...) counts the words, range(...) makes the numbers, list(...) makes them a list.",
    ),
)

cell_question = Question(
    name="cell_question",
    prompt="You restart the Jupyter kernel, and then run one cell only, in the middle of a notebook. What is "
    "true?",
    choices={
        "a": (
            "names defined in the cells above are unknown to it",
            True,
            "A restart forgets all names; a cell knows only what was run since.",
        ),
        "b": (
            "the cells above run first, by themselves",
            False,
            "Only the cell you run is run. *Restart Kernel and Run All Cells* runs them all.",
        ),
        "c": (
            "the outputs on the screen may be older than the restart",
            True,
            "Outputs stay on the screen until their cell runs again; the number in brackets tells.",
        ),
        "d": (
            "your answers in the cells are lost",
            False,
            "What you typed stays in the notebook. Only the names in memory are gone.",
        ),
    },
    hints=(
        "What does the kernel remember after a restart, and what is in the notebook?",
        "The text of the cells and their outputs stay; names such as `words` have to be defined again.",
    ),
)
