"""Quiz of lesson 10: relative biases."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_10 = Quiz(
    "quiz_10",
    (
        Question(
            "bias",
            "A number is added to every score of one row, the same for all keys. What happens to that "
            "row's weights?",
            {
                "a": (
                    "the row looks further away",
                    False,
                    "It would, if far keys got more than near ones. Here all get the same.",
                ),
                "b": (
                    "nothing at all",
                    True,
                    "Softmax compares the scores of a row with one another; what they have in common "
                    "cancels.",
                ),
                "c": (
                    "they become softer",
                    False,
                    "That is the work of a factor, not of a sum.",
                ),
                "d": (
                    "they no longer sum to 1",
                    False,
                    "Softmax always makes them sum to 1.",
                ),
            },
        ),
        Question(
            "ruler",
            "Why can symmetric ALiBi not learn to look exactly three tokens back?",
            {
                "a": (
                    "its slope is too small",
                    False,
                    "No slope does it: with every slope nearer keys get more, and both sides get the same.",
                ),
                "b": (
                    "it was not trained for long enough",
                    False,
                    "There is nothing to find: the bias has no peak at three for any slope.",
                ),
                "c": (
                    "its bias is added to the scores before the softmax",
                    False,
                    "So is that of T5, which learns three back without difficulty.",
                ),
                "d": (
                    "its bias peaks at 0, alike on both sides",
                    True,
                    "A ruler can say near or far. It cannot say three, nor to the left.",
                ),
            },
        ),
        Question(
            "buckets",
            "In T5, distances 40 and 43 share a bucket. What follows?",
            {
                "a": (
                    "the bias cannot tell the two apart",
                    True,
                    "One bucket holds one number per head, for all the distances in it.",
                ),
                "b": (
                    "tokens 40 and 43 back get the same attention",
                    False,
                    "The bias is the same, the rest of the score is not: words still count.",
                ),
                "c": (
                    "the two distances are treated as 40",
                    False,
                    "There is no distance left after the look-up, only the number of the bucket.",
                ),
                "d": (
                    "one of them is ignored",
                    False,
                    "Both are looked up, and both get the number of their bucket.",
                ),
            },
        ),
    ),
)
