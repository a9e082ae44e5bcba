"""Quiz of lesson 05: the table in PyTorch."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_05 = Quiz(
    "quiz_05",
    (
        Question(
            "axis",
            "A table (128, 1, 8) is added as `x + table[: x.size(0)]`, and x is (4, 6, 8), batch "
            "first. What happens?",
            {
                "a": (
                    "an error, for 4 and 6 differ",
                    False,
                    "Broadcasting stretches (4, 1, 8) to (4, 6, 8) without a word.",
                ),
                "b": (
                    "the first four tokens of each sentence get their positions",
                    False,
                    "Axis 0 holds the sentences: what is counted is sentences, not tokens.",
                ),
                "c": (
                    "all tokens of a sentence get the same row, in silence",
                    True,
                    "The shape is right and the model is as blind to order as before.",
                ),
                "d": (
                    "it is right, as long as the batch is full",
                    False,
                    "The axis is the wrong one for every batch, also where both lengths happen to be equal.",
                ),
            },
        ),
        Question(
            "float64",
            "Why are the angles computed in float64, although the finished table is float32?",
            {
                "a": (
                    "a rounded angle spoils far more digits than a rounded sine",
                    True,
                    "A sine is wrong by as much as its angle, and angles grow with the position.",
                ),
                "b": (
                    "torch.sin takes only float64",
                    False,
                    "It takes both. With float32 it answers just as readily, and less exactly.",
                ),
                "c": (
                    "so that the table becomes no parameter",
                    False,
                    "Parameters are made with nn.Parameter; the dtype has nothing to do with it.",
                ),
                "d": (
                    "float32 cannot hold whole numbers above 10,000 without an error",
                    False,
                    "It holds all whole numbers up to 16 million. It is the angles between them that suffer.",
                ),
            },
        ),
        Question(
            "trained",
            "The module has d_model = 512 and max_len = 5000. How many numbers of it does training change?",
            {
                "a": (
                    "2 560 000, all the entries of the table",
                    False,
                    "So many entries it has, but they are in a buffer, and training changes parameters only.",
                ),
                "b": (
                    "256, one frequency per pair",
                    False,
                    "The frequencies follow from d_model; the module does not even keep them.",
                ),
                "c": (
                    "512, one per column",
                    False,
                    "There is no weight per column; the table is added as it is.",
                ),
                "d": (
                    "none",
                    True,
                    "The table is a formula: `list(module.parameters())` is empty.",
                ),
            },
        ),
    ),
)
