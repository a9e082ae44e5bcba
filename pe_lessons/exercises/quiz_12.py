"""Quiz of lesson 12: longer than trained."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_12 = Quiz(
    "quiz_12",
    (
        Question(
            "window",
            "A rotary model fails at four times its length. Forbidding it to look back further than "
            "in training repairs it. What does that show?",
            {
                "a": (
                    "far words, never met in training, drown the near ones",
                    True,
                    "Nothing near was broken: with the far words gone, the answers are right again.",
                ),
                "b": (
                    "it had learned to read long texts, and only needed to be told",
                    False,
                    "It reads no more than before: what is beyond the sliding window is out of its sight.",
                ),
                "c": (
                    "its weights were damaged by the long text",
                    False,
                    "They were not touched, neither before nor by the sliding window.",
                ),
                "d": (
                    "the language has no long texts",
                    False,
                    "Long and short texts follow the same rule, with two words to decide.",
                ),
            },
        ),
        Question(
            "critical",
            "Which pairs of a rotary model does the rule *by parts* slow down by the whole factor?",
            {
                "a": (
                    "the fastest, since they rotate through the most angles",
                    False,
                    "They have been everywhere in training: no angle is new to them.",
                ),
                "b": (
                    "all of them, by the same factor",
                    False,
                    'Then fast pairs slow down too, and "the word before" is no longer where it was.',
                ),
                "c": (
                    "those that did not complete a turn within the trained length",
                    True,
                    "Only these would point where they never pointed before.",
                ),
                "d": (
                    "those in the upper half of the head",
                    False,
                    "It is a matter of wavelength against trained length, not of place.",
                ),
            },
        ),
        Question(
            "mask",
            "A causal model without any encoding told tokens their positions. How can it?",
            {
                "a": (
                    "through its embeddings, which hold the position",
                    False,
                    'There is nothing but words in them; that is what "without any encoding" means.',
                ),
                "b": (
                    "it cannot: the result is chance",
                    False,
                    "Chance would be one in fifteen. Without the mask it was exactly that.",
                ),
                "c": (
                    "it counts the words that it has already predicted itself",
                    False,
                    "Nothing is handed on from one word to the next but attention itself.",
                ),
                "d": (
                    "how many tokens it sees depends on where it is",
                    True,
                    "Spread evenly, its attention on a start mark is 1 over the number of tokens seen.",
                ),
            },
        ),
    ),
)
