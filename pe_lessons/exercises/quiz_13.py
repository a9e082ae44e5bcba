"""Quiz of lesson 13: beyond the line."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_13 = Quiz(
    "quiz_13",
    (
        Question(
            "raster",
            "The patches of an image are numbered line by line. Which patch does a 1-D encoding take "
            "for a close neighbour, wrongly?",
            {
                "a": (
                    "the one to the right",
                    False,
                    "That one is rightly close: its number is one more, and so is its patch column.",
                ),
                "b": (
                    "the first of the next line, seen from the last of this one",
                    True,
                    "Their numbers differ by one, and they lie at opposite edges of the image.",
                ),
                "c": (
                    "the one below",
                    False,
                    "It is the other way round: it lies next to us, and its number is a whole line away.",
                ),
                "d": (
                    "the one in the opposite corner",
                    False,
                    "Their numbers are as far apart as they can be.",
                ),
            },
        ),
        Question(
            "axes",
            "Rows and columns are exchanged in a 2-D encoding. Which test finds it?",
            {
                "a": (
                    "the norm of every row",
                    False,
                    "Exchanging axes changes no norm.",
                ),
                "b": (
                    "training on square images",
                    False,
                    "The model learns with exchanged axes just as well, until its weights meet code that "
                    "does not exchange them.",
                ),
                "c": (
                    "the shape of the table for an 8 x 8 grid, with all its columns",
                    False,
                    "On a square grid both shapes are equal: that is what hides it.",
                ),
                "d": (
                    "the table of a 2 x 3 grid against numbers worked out by hand",
                    True,
                    "Where height and width differ, an exchange cannot hide.",
                ),
            },
        ),
        Question(
            "scale",
            "A coordinate between 0 and 1 is fed to the sines of lesson 02. What is the matter?",
            {
                "a": (
                    "hardly a column moves from 0 to 1",
                    True,
                    "The fastest hand turns by 1 radian in all: these frequencies were made for whole "
                    "tokens. Multiply the coordinate, or choose others.",
                ),
                "b": (
                    "sines need whole numbers",
                    False,
                    "They take any number; a moment in time is as good as a token.",
                ),
                "c": (
                    "the values leave the range from -1 to 1",
                    False,
                    "No sine does.",
                ),
                "d": (
                    "the slowest hands turn too fast to be read",
                    False,
                    "They turn even less than the others: by a ten-thousandth.",
                ),
            },
        ),
    ),
)
