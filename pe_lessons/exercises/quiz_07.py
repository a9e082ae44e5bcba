"""Quiz of lesson 07: a shift is a rotation."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_07 = Quiz(
    "quiz_07",
    (
        Question(
            "offset",
            "Row 5 times row 2 gives exactly the same as row 105 times row 102. Why?",
            {
                "a": (
                    "all rows have the same norm",
                    False,
                    "They have, but a product also depends on the angle between the rows.",
                ),
                "b": (
                    "in each pair only the difference of the two angles is left",
                    True,
                    "sin a sin b + cos a cos b is cos(b - a), and 2 - 5 is 102 - 105.",
                ),
                "c": (
                    "100 is a multiple of every wavelength, so all hands come home",
                    False,
                    "It is a multiple of none of them; any other number would do as well.",
                ),
                "d": (
                    "the words at these positions are the same",
                    False,
                    "There are no words in these rows, only positions.",
                ),
            },
        ),
        Question(
            "identity",
            "The head that looks three back has a rotation in W_Q. What does it look at if W_Q is the "
            "identity instead?",
            {
                "a": (
                    "still three back, for the keys know their positions",
                    False,
                    "Nothing in it says three any more: the query is now the row of the position itself.",
                ),
                "b": (
                    "three ahead",
                    False,
                    "That would be the rotation the other way round.",
                ),
                "c": (
                    "its own position scores highest, and, without a mask, both sides alike",
                    True,
                    "Every row is most like itself, and similarity cannot tell left from right.",
                ),
                "d": (
                    "at every position alike",
                    False,
                    "Only if all scores were equal; but the kernel has its peak at offset 0.",
                ),
            },
        ),
        Question(
            "sharp",
            "The sharpness goes from 1 to 64. What changes?",
            {
                "a": (
                    "which position is the strongest",
                    False,
                    "All scores are multiplied by the same number: the largest stays the largest.",
                ),
                "b": (
                    "how far back the head looks",
                    False,
                    "That is in the angle of the rotation, not in its factor.",
                ),
                "c": (
                    "the width of the kernel, so that fewer positions count",
                    False,
                    "The kernel belongs to the table. What becomes narrower is the softmax of its multiples.",
                ),
                "d": (
                    "how much of the weight the strongest one gets",
                    True,
                    "Softmax turns larger differences of scores into a firmer decision.",
                ),
            },
        ),
    ),
)
