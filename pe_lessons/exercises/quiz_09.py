"""Quiz of lesson 09: learned positions."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_09 = Quiz(
    "quiz_09",
    (
        Question(
            "rows",
            "A table of 128 learned rows is trained on texts of 16 tokens. What do rows 16 to 127 "
            "hold afterwards?",
            {
                "a": (
                    "what rows 0 to 15 hold, repeated",
                    False,
                    "Nothing copies one row to another; each row changes only when it is used.",
                ),
                "b": (
                    "the random numbers they began with",
                    True,
                    "A row that was never looked up gets no gradient, so training leaves it alone.",
                ),
                "c": (
                    "zeros",
                    False,
                    "They began as random numbers, and nothing has set them to zero.",
                ),
                "d": (
                    "a smooth continuation of rows 0 to 15",
                    False,
                    "That would take a formula. A look-up table knows nothing of its neighbours.",
                ),
            },
        ),
        Question(
            "band",
            "A trained table shows no band of similar neighbours, yet the model answers well. What is "
            "the likely reason?",
            {
                "a": (
                    "the texts were too short to have neighbours in them",
                    False,
                    "The tables of the lesson, with a band and without, were trained on texts of one length.",
                ),
                "b": (
                    "it was trained for too few steps",
                    False,
                    "Its answers are good, so it has learned; it just did not need quiet rows.",
                ),
                "c": (
                    "the plot is wrong",
                    False,
                    "It may be right. In the lesson a table without a band filled as many gaps.",
                ),
                "d": (
                    "its random numbers were large from the start",
                    True,
                    "Loud random rows are told apart as they are, and training moves them only a little.",
                ),
            },
        ),
        Question(
            "padding",
            "A batch is padded on the left. Which row does the first real token of each text get, if "
            "the look-up is right?",
            {
                "a": (
                    "that of position 0, whatever is before it",
                    True,
                    "Padding does not count: positions number the real tokens only.",
                ),
                "b": (
                    "the one whose number is its place in the padded batch",
                    False,
                    "Then a text would get other positions, and other answers, as soon as its "
                    "neighbours are longer.",
                ),
                "c": (
                    "the row of the padding token",
                    False,
                    "That one is for the padding itself, if there is such a row at all.",
                ),
                "d": (
                    "the last row, since it comes last to the left",
                    False,
                    "Direction does not matter: what is counted is how many real tokens came before.",
                ),
            },
        ),
    ),
)
