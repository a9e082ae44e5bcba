"""Quiz of lesson 02: positions by hand."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_02 = Quiz(
    "quiz_02",
    (
        Question(
            "turn",
            "A hand moves by 0.01 radians per token. After how many tokens is it back where it was?",
            {
                "a": (
                    "100",
                    False,
                    "After 100 tokens it has moved by 1 radian; a turn has 2 pi of them.",
                ),
                "b": (
                    "628",
                    True,
                    "A turn has 2 pi radians, and 2 pi / 0.01 is 628: that is its wavelength.",
                ),
                "c": (
                    "0.0628",
                    False,
                    "You multiplied by the frequency. The slower the hand, the more tokens it needs: divide.",
                ),
                "d": (
                    "36,000",
                    False,
                    "That would be 360 degrees at a hundredth of a degree. The angles here are radians.",
                ),
            },
        ),
        Question(
            "cosine",
            "Why does every hand get two columns, its sine and its cosine?",
            {
                "a": (
                    "so that d_model is even",
                    False,
                    "It is the other way round: an even width comes from having two columns per hand.",
                ),
                "b": (
                    "the sine holds the position, the cosine the word",
                    False,
                    "Neither knows anything about the word; its row is added later.",
                ),
                "c": (
                    "so that the row sums to 1",
                    False,
                    "Their squares sum to 1, their values do not, and nothing in the method needs it.",
                ),
                "d": (
                    "one height belongs to two angles, and the cosine tells which",
                    True,
                    "Rising and falling through the same height look alike to the sine alone.",
                ),
            },
        ),
        Question(
            "width",
            "d_model grows from 4 to 8. What happens to the hands?",
            {
                "a": (
                    "pair 0 stays as it was; the slowest gets slower",
                    True,
                    "The exponent 2k/d_model still begins with 0, and now ends at 6/8 instead of 2/4.",
                ),
                "b": (
                    "every hand becomes half as fast",
                    False,
                    "Pair 0 has the exponent 0 and the frequency 1 at any width.",
                ),
                "c": (
                    "the two new hands are faster than the old pair 0",
                    False,
                    "No hand is faster than pair 0: exponents begin with 0 and grow from there.",
                ),
                "d": (
                    "the two new hands repeat the old ones",
                    False,
                    "Each pair has an exponent of its own, so no two hands are equally fast.",
                ),
            },
        ),
    ),
)
