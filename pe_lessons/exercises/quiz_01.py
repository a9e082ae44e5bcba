"""Quiz of lesson 01: why order matters."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_01 = Quiz(
    "quiz_01",
    (
        Question(
            "mask",
            '"A Transformer without positions cannot see order." When is this sentence wrong?',
            {
                "a": (
                    "when the model is large enough",
                    False,
                    "Attention without positions gives permuted outputs for permuted inputs at any size.",
                ),
                "b": (
                    "when it was trained on enough text",
                    False,
                    "No training changes it: for every choice of the weights, both orders give the "
                    "same rows.",
                ),
                "c": (
                    "when a causal mask lets each token see only what came before",
                    True,
                    "Then a token sees another set of words at each place, and so order leaks in.",
                ),
                "d": (
                    "never",
                    False,
                    "The lesson found a counter-example: with a causal mask `cat` got two different rows.",
                ),
            },
        ),
        Question(
            "half",
            "Without positions the model of *who chased whom* gets exactly half of the sentences "
            "right. Why can more training not help?",
            {
                "a": (
                    "224 sentences of six tokens are far too few to learn from",
                    False,
                    "It is trained and tested on the very same sentences, and still half of them stay wrong.",
                ),
                "b": (
                    "it answers both of a couple alike, so one is wrong",
                    True,
                    "The answer depends on the set of words only; so of every couple at most one "
                    "sentence can be right.",
                ),
                "c": (
                    "the loss is stuck in a local minimum",
                    False,
                    "It is not stuck: 0.69, a fair coin, is the best that can be reached without order.",
                ),
                "d": (
                    "`cat` and `mouse` have the same embedding",
                    False,
                    "Every animal has a row of its own. It is the order that is missing, not the words.",
                ),
            },
        ),
        Question(
            "binary",
            "Binary digits as positions are bounded, unique and the same for every length. Which wish "
            "do they fail?",
            {
                "a": (
                    "smooth: from 7 to 8 all four digits flip, from 8 to 9 only one",
                    True,
                    "Neighbours are sometimes near and sometimes far apart, so a step is not alike "
                    "everywhere.",
                ),
                "b": (
                    "bounded: a longer text needs more digits",
                    False,
                    "More digits are more columns; every entry is still 0 or 1.",
                ),
                "c": (
                    "unique: two positions may share their digits",
                    False,
                    "Every number has its own digits, as long as there are enough of them.",
                ),
                "d": (
                    "length-free: position 5 is written differently in a longer text",
                    False,
                    "It is 101 with zeros beside it, whatever the length.",
                ),
            },
        ),
    ),
)
