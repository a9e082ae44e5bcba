"""Quiz of lesson 11: rotary positions."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_11 = Quiz(
    "quiz_11",
    (
        Question(
            "values",
            "RoPE rotates queries and keys. Why are values left as they are?",
            {
                "a": (
                    "values have no pairs of columns",
                    False,
                    "They have as many columns as anybody. They could be rotated; the question is what for.",
                ),
                "b": (
                    "they would take too long to rotate",
                    False,
                    "They have the same size as the keys; the time is not the reason.",
                ),
                "c": (
                    "the score comes from queries and keys alone",
                    True,
                    "The offset comes out of a product of two rotated rows. Rotated values would carry "
                    "absolute positions into what is taken home, unless the output were rotated back.",
                ),
                "d": (
                    "values are rotated later, by the MLP that follows the attention",
                    False,
                    "The MLP works on each row alone and knows nothing of positions.",
                ),
            },
        ),
        Question(
            "layout",
            "Weights trained with pairs side by side are run with pairs half a head apart. What happens?",
            {
                "a": (
                    "no error, and wrong answers",
                    True,
                    "Every shape fits, but columns are rotated together that were never trained as a pair.",
                ),
                "b": (
                    "an error when the weights are loaded",
                    False,
                    "Names and shapes are the same in both layouts; only the meaning of the columns differs.",
                ),
                "c": (
                    "nothing, since every pair is still rotated",
                    False,
                    "Rotated, yes, but with the wrong partner and mostly at the wrong frequency.",
                ),
                "d": (
                    "the model is slower and just as right",
                    False,
                    "The two differ in what is computed, not only in speed.",
                ),
            },
        ),
        Question(
            "cache",
            "Text is written token by token with a cache of keys. By which position is the query of the "
            "newest token rotated?",
            {
                "a": (
                    "0, for it comes alone",
                    False,
                    "Then every new token would be at the beginning of the text: the cached tokens were not "
                    "counted.",
                ),
                "b": (
                    "its number plus the number of cached tokens",
                    False,
                    "Its number in the text already counts what is in the cache: that would count it twice.",
                ),
                "c": (
                    "none, for the keys in the cache are rotated already",
                    False,
                    "Their angle is right, but the score needs the query's angle too.",
                ),
                "d": (
                    "its number in the whole text",
                    True,
                    "As if the text had been read in one go: cached keys keep theirs, the query gets "
                    "its own.",
                ),
            },
        ),
    ),
)
