"""Quiz of lesson 15: as fast as memory."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_15 = Quiz(
    "quiz_15",
    (
        Question(
            "fair",
            "You time two programs by running one a hundred times, then the other a hundred times. "
            "What is the matter with that?",
            {
                "a": (
                    "nothing, as long as the mean is taken",
                    False,
                    "If the machine gets busy half-way, one program pays for it and the other does not.",
                ),
                "b": (
                    "a hundred runs are too few",
                    False,
                    "More of the same would not help: what changes with time falls on one of them.",
                ),
                "c": (
                    "whatever the machine does meanwhile hits one of them only",
                    True,
                    "Run them in turns and compare the runs side by side.",
                ),
                "d": (
                    "the first is always faster",
                    False,
                    "It may as well be the slower one, as it warms things up; in neither case is it fair.",
                ),
            },
        ),
        Question(
            "blocks",
            "A long table is built from the sines of a few block starts and of the rows of one block. "
            "Which fact makes this possible?",
            {
                "a": (
                    "a step is the same rotation everywhere",
                    True,
                    "Then one product turns a block start into any row of its block.",
                ),
                "b": (
                    "neighbouring rows are nearly equal",
                    False,
                    "Nearly would not do; the result is exact to the last digit of float32.",
                ),
                "c": (
                    "sines repeat after 2 pi, so rows can be copied",
                    False,
                    "No row ever repeats: a turn is no whole number of tokens.",
                ),
                "d": (
                    "slow columns can be left out",
                    False,
                    "They are all there; the right half of the table is made like the left.",
                ),
            },
        ),
        Question(
            "drift",
            "Rows made one from another, a step at a time, drift; rows made by blocks do not. Why?",
            {
                "a": (
                    "a step of one token is too small to be computed exactly",
                    False,
                    "The size of the step does not matter: any step is rounded, and the chain takes it again "
                    "and again.",
                ),
                "b": (
                    "blocks use more exact sines",
                    False,
                    "Both begin with sines of the same precision.",
                ),
                "c": (
                    "the processor rounds long chains differently",
                    False,
                    "Each product is rounded alike, in a chain or not.",
                ),
                "d": (
                    "in a chain every row inherits all earlier roundings",
                    True,
                    "A million steps repeat the rounding of one step a million times and add their "
                    "own; behind a row of a block there are a few roundings, some twenty at most.",
                ),
            },
        ),
    ),
)
