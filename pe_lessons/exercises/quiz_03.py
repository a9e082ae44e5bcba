"""Quiz of lesson 03: the naive loop and its bug."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_03 = Quiz(
    "quiz_03",
    (
        Question(
            "reveal",
            "Which test would have found the doubled exponent?",
            {
                "a": (
                    "a plot of columns 0 and 1",
                    False,
                    "They belong to pair 0, where the exponent is 0, doubled or not.",
                ),
                "b": (
                    "the whole table at d_model = 2",
                    False,
                    "There is only pair 0 in it, and pair 0 is right.",
                ),
                "c": (
                    "that all entries lie between -1 and 1",
                    False,
                    "Sines and cosines always do, of whatever angle.",
                ),
                "d": (
                    "the longest wavelength, printed",
                    True,
                    "At width 128 it comes out at hundreds of millions of tokens instead of some 54,000.",
                ),
            },
        ),
        Question(
            "odd",
            "How is a table of width 5 filled?",
            {
                "a": (
                    "two sines, two cosines and a zero",
                    False,
                    "Nothing is padded: the formula has an entry for column 4, too.",
                ),
                "b": (
                    "three sines and two cosines",
                    True,
                    "Columns 0, 2, 4 are sines, 1 and 3 cosines; the last sine has no partner.",
                ),
                "c": (
                    "three sines and three cosines, and one is cut off",
                    False,
                    "That is how a program crashes or gets the wrong width; count the columns from 0 to 4.",
                ),
                "d": (
                    "not at all, since the width must be even",
                    False,
                    "A table needs no even width: column by column there is no difficulty, and the last "
                    "sine stays alone.",
                ),
            },
        ),
        Question(
            "cost",
            "The loop fills 1000 x 512 entries in one second. How long does it take for 2000 x 1024?",
            {
                "a": (
                    "about 4 seconds",
                    True,
                    "Twice the rows and twice the columns are four times the entries.",
                ),
                "b": (
                    "about 2 seconds",
                    False,
                    "That is for twice the rows alone. The columns doubled as well.",
                ),
                "c": (
                    "about 8 seconds",
                    False,
                    "That would be so if the cost grew with the cube of the size; it grows with the "
                    "number of entries.",
                ),
                "d": (
                    "as long as before",
                    False,
                    "Every entry is written once, so more entries take more time.",
                ),
            },
        ),
    ),
)
