"""Quiz of lesson 04: the table in NumPy."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_04 = Quiz(
    "quiz_04",
    (
        Question(
            "product",
            "`positions` has the shape (50, 1), `frequencies` the shape (256,). What is in row 7, "
            "column 3 of their product?",
            {
                "a": (
                    "3 times the frequency of pair 7",
                    False,
                    "Rows are positions and columns are pairs; you exchanged them.",
                ),
                "b": (
                    "the sine of 7 times the frequency of pair 3",
                    False,
                    "The product holds angles. Their sines are taken afterwards.",
                ),
                "c": (
                    "7 times the frequency of pair 3",
                    True,
                    "Every position with every frequency: a multiplication table of angles.",
                ),
                "d": (
                    "nothing, for the shapes do not fit",
                    False,
                    "(50, 1) against (256,): the axis of length 1 is stretched, so they do.",
                ),
            },
        ),
        Question(
            "still",
            "In the picture of 50 positions, 339 of 512 columns never change their sign. Why?",
            {
                "a": (
                    "these columns are the same for all positions, so they are of no use",
                    False,
                    "They move, slowly. They tell apart positions that are hundreds or thousands of "
                    "tokens apart.",
                ),
                "b": (
                    "the table was rounded",
                    False,
                    "Nothing is rounded; a slow hand simply has not moved far after 49 steps.",
                ),
                "c": (
                    "training has not reached them yet",
                    False,
                    "There is nothing to train: the frequencies follow from the width alone.",
                ),
                "d": (
                    "their hands are so slow that 49 steps bring no change of sign",
                    True,
                    "Fewer than a quarter of the pairs make even one turn within this picture.",
                ),
            },
        ),
        Question(
            "explog",
            "Some programs write exp(-log(10000) * 2k / d) for the frequency. What does it change?",
            {
                "a": (
                    "nothing but the spelling; in float32 it is even a little less exact",
                    True,
                    "The two are the same number; at nearly every width the rounded logarithm costs a "
                    "little more.",
                ),
                "b": (
                    "it is numerically stable, where the power overflows",
                    False,
                    "The powers lie between 0.0001 and 1: there is nothing to overflow.",
                ),
                "c": (
                    "it makes the frequencies learnable",
                    False,
                    "No spelling does that; something is learned only where it is a parameter.",
                ),
                "d": (
                    "it gives slower frequencies",
                    False,
                    "Take the logarithm of both: they are the same.",
                ),
            },
        ),
    ),
)
