"""Quiz of lesson 08: inside a Transformer."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_08 = Quiz(
    "quiz_08",
    (
        Question(
            "place",
            "Where in a layer do ALiBi and T5 put the position in?",
            {
                "a": (
                    "into the row of the word, before the first layer",
                    False,
                    "That is what tables do, sinusoidal and learned ones.",
                ),
                "b": (
                    "into queries and keys, by rotating them",
                    False,
                    "That is RoPE, the second of the lesson's three places.",
                ),
                "c": (
                    "into the scores, as a bias",
                    True,
                    "So many tokens apart, so much more or less attention.",
                ),
                "d": (
                    "into the MLP",
                    False,
                    "The MLP works on each row by itself; it could not compare two positions.",
                ),
            },
        ),
        Question(
            "bag",
            "A model without positions gets 24 % of *reverse* right; guessing a digit at random gets 10 %. "
            "What does it know of the string?",
            {
                "a": (
                    "which digits occur how often, and nothing of their order",
                    True,
                    "Without positions there is nothing else to know; always answering with the most "
                    "frequent digit gets 23 %.",
                ),
                "b": (
                    "the positions of about a quarter of the tokens",
                    False,
                    "Its share is about the same at every place of the string, and it has no places to know.",
                ),
                "c": (
                    "the first and the last token",
                    False,
                    "RoPE found these two, by the keys that are missing. Without positions no place is "
                    "better known than another.",
                ),
                "d": (
                    "nothing: 24 % is chance",
                    False,
                    "Chance is 10 %. The difference is knowledge, though not of order.",
                ),
            },
        ),
        Question(
            "loud",
            "A program multiplies the rows of nn.Embedding, drawn as PyTorch draws them, by the square root "
            "of d_model, here 512, and adds the positions. What is the matter with it?",
            {
                "a": (
                    "nothing, for the paper says so",
                    False,
                    "The paper's code draws the rows with deviation 1/sqrt(d_model), nn.Embedding with 1.",
                ),
                "b": (
                    "the positions become so loud that they drown the words",
                    False,
                    "The other way round: it is the words that were multiplied.",
                ),
                "c": (
                    "the positions are lost for ever",
                    False,
                    "They are still in the sum; given long enough, training begins to find them.",
                ),
                "d": (
                    "the words are thirty times as loud as positions",
                    True,
                    "Root of 2 times the factor of 22.6. At eight times as loud, a model of the lesson "
                    "learned no order in 200 steps.",
                ),
            },
        ),
    ),
)
