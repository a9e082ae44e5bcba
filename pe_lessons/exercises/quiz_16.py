"""Quiz of lesson 16: design your own."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_16 = Quiz(
    "quiz_16",
    (
        Question(
            "card",
            "Your encoding passes all eight wishes of the card. What does that say?",
            {
                "a": (
                    "it is better than the ones in use",
                    False,
                    "The card has no column for that; a doubled exponent passes as well.",
                ),
                "b": (
                    "a model with it reads texts of any length",
                    False,
                    "*Distinct far out* speaks of rows only; tables failed beyond their length in lesson 12.",
                ),
                "c": (
                    "that nothing speaks against it so far",
                    True,
                    "The card finds faults, and vouches for nothing. Compare it with its formula, and "
                    "train with it.",
                ),
                "d": (
                    "that its code is right",
                    False,
                    "A doubled exponent betrays itself in none of the eight numbers.",
                ),
            },
        ),
        Question(
            "triangle",
            "Why does a triangle wave instead of the sine fail the wish for shift-consistency?",
            {
                "a": (
                    "no single matrix moves it everywhere",
                    True,
                    "Sine and cosine of one angle are closed under shifts; a wave with corners is not.",
                ),
                "b": (
                    "it is not bounded",
                    False,
                    "It stays between -1 and 1, like the sine.",
                ),
                "c": (
                    "it repeats too early",
                    False,
                    "Repeating is a matter of another wish, uniqueness.",
                ),
                "d": (
                    "it is not smooth enough to be stored",
                    False,
                    "Storing is no matter. What is asked is how it moves.",
                ),
            },
        ),
        Question(
            "choose",
            "Which of these should be asked first, before an encoding is chosen for a new model?",
            {
                "a": (
                    "which one the newest model uses",
                    False,
                    "It may answer another need, for other texts, and you would not know.",
                ),
                "b": (
                    "whether order matters to the task at all",
                    True,
                    "For a set, leave positions out. Only then ask for axes, and whether the task needs "
                    "places or distances.",
                ),
                "c": (
                    "which one scores best on the card of eight numbers",
                    False,
                    "The card turns down faulty ones. Several remain, and they are good for different "
                    "things.",
                ),
                "d": (
                    "which one has the fewest parameters",
                    False,
                    "All of them together are a tiny part of a model.",
                ),
            },
        ),
    ),
)
