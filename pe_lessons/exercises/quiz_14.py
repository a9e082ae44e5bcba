"""Quiz of lesson 14: when numbers break."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_14 = Quiz(
    "quiz_14",
    (
        Question(
            "grows",
            "The sine of a float32 angle is off by as much as 0.05 at position 1,000,000. Where does "
            "the error come from?",
            {
                "a": (
                    "the sine itself is computed with too few terms",
                    False,
                    "The sine of the angle it is given is nearly exact.",
                ),
                "b": (
                    "the base 10,000 has no exact float32",
                    False,
                    "It has: float32 holds all whole numbers up to 16 million.",
                ),
                "c": (
                    "float32 keeps only seven digits of the angle",
                    True,
                    "Six of them are before the point, so hardly one is left for the part of a turn "
                    "that the sine needs.",
                ),
                "d": (
                    "training adds noise to it",
                    False,
                    "Nothing is trained in a table.",
                ),
            },
        ),
        Question(
            "bf16",
            "In bfloat16, which pair of positions becomes one and the same first?",
            {
                "a": (
                    "16,777,216 and the next",
                    False,
                    "That is where float32 stops counting. bfloat16 has 8 binary digits, not 24.",
                ),
                "b": (
                    "65,535 and 65,536",
                    False,
                    "bfloat16 can hold numbers as large as float32 can; it is not the size that is "
                    "short, but the digits.",
                ),
                "c": (
                    "0 and 1",
                    False,
                    "Small whole numbers are all exact.",
                ),
                "d": (
                    "256 and 257",
                    True,
                    "Eight binary digits count to 256; the next number that fits is 258.",
                ),
            },
        ),
        Question(
            "repair",
            "A table of sines is to be stored in float32, float16 or bfloat16. What keeps it precise?",
            {
                "a": (
                    "angles in float64, the finished table in the model's format",
                    True,
                    "Numbers between -1 and 1 lose little; angles in the thousands lose what matters.",
                ),
                "b": (
                    "a smaller base",
                    False,
                    "It makes all angles larger, except the first pair's.",
                ),
                "c": (
                    "multiply the positions by 0.001 first",
                    False,
                    "Then neighbours differ by a thousandth of a radian, and nothing is gained in "
                    "relative precision.",
                ),
                "d": (
                    "the model in bfloat16, and its table and angles in float16 instead",
                    False,
                    "Positions above 2048 run out in float16 as well, if angles are made there.",
                ),
            },
        ),
    ),
)
