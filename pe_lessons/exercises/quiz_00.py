"""Quiz of lesson 00: how the course works."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_00 = Quiz(
    "quiz_00",
    (
        Question(
            "counting",
            'What is the position of `mouse` in "the cat chased the mouse", as this course counts?',
            {
                "a": (
                    "5",
                    False,
                    "You counted from 1. In this course, as in Python, the first word has position 0.",
                ),
                "b": (
                    "3",
                    False,
                    "Count once more: position 3 is the second `the`.",
                ),
                "c": (
                    "4",
                    True,
                    "Five words have the positions 0 to 4, and `mouse` is the last of them.",
                ),
                "d": (
                    "it has none, since it is the last word",
                    False,
                    "Every word has a position, the last one too; here it is the number of words minus one.",
                ),
            },
        ),
        Question(
            "naming",
            'A check says "Not yet" and names a mistake. How did it find out?',
            {
                "a": (
                    "it searched your text for known wrong lines",
                    False,
                    "It never reads your text. Two programs that look quite different may make the "
                    "same mistake.",
                ),
                "b": (
                    "it compared what your function returns",
                    True,
                    "Behaviour is what is compared: the same inputs, the same wrong results, hence "
                    "the same mistake.",
                ),
                "c": (
                    "it asked a language model",
                    False,
                    "Nothing is sent anywhere, and no model is asked. The wrong variants are in the package.",
                ),
                "d": (
                    "it picked the most common mistake",
                    False,
                    "It would be wrong most of the time. A mistake nobody foresaw gets the first "
                    "number that differs instead.",
                ),
            },
        ),
        Question(
            "progress",
            "You get an exercise right, close the notebook without saving, and print the progress "
            "table. What does it say of the exercise?",
            {
                "a": (
                    "what it said before",
                    True,
                    "The table reads the saved notebooks. What was not saved has not happened.",
                ),
                "b": (
                    "Correct, for the check has said so",
                    False,
                    "The check keeps nothing. The saved notebook is the only record.",
                ),
                "c": (
                    "an error, for the notebook is closed",
                    False,
                    "It reads files; whether a notebook is open does not matter to it.",
                ),
            },
        ),
    ),
)
