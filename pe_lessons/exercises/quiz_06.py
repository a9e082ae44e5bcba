"""Quiz of lesson 06: reading the picture."""

from pe_lessons.exercises.engine import Question, Quiz

quiz_06 = Quiz(
    "quiz_06",
    (
        Question(
            "longest",
            '"The wavelengths run from 2 pi to 10000 times 2 pi." Does this hold for the formula of the '
            "paper, at d = 512?",
            {
                "a": (
                    "yes, for the paper says so in just this way",
                    False,
                    "It does, and it is true of its authors' program, which divides by the number of pairs "
                    "less one. Insert the last k into the formula.",
                ),
                "b": (
                    "no: the last exponent is (d-2)/d, so the last wave is shorter",
                    True,
                    "At d = 512 the longest wave is 9647 times 2 pi, at d = 4 only 100 times.",
                ),
                "c": (
                    "no: the shortest wavelength is 1, not 2 pi",
                    False,
                    "Pair 0 turns by 1 radian per token, so a full turn takes 2 pi tokens.",
                ),
                "d": (
                    "for the sines it does, but not for the cosines",
                    False,
                    "Sine and cosine of a pair have the same frequency, hence the same wavelength.",
                ),
            },
        ),
        Question(
            "map",
            "A t-SNE map of your embeddings shows seven clear clusters. What do you do first?",
            {
                "a": (
                    "name the clusters",
                    False,
                    "First find out whether they exist: even random numbers came out in clumps.",
                ),
                "b": (
                    "run it with other seeds until the clusters are stable",
                    False,
                    "What is stable may still be made up: begun from PCA, as scikit-learn does, every seed "
                    "gave the map of the lesson.",
                ),
                "c": (
                    "increase the number of dots",
                    False,
                    "More dots of nothing give more clumps of nothing.",
                ),
                "d": (
                    "draw something whose truth you know with the same settings",
                    True,
                    "An instrument that shows groups in pure chance cannot be believed where it shows "
                    "groups.",
                ),
            },
        ),
        Question(
            "base",
            "The base is lowered from 10,000 to 100, with d_model = 64. What happens to the detector "
            "of position 40?",
            {
                "a": (
                    "its peak gets sharper, and far positions are answered more softly",
                    True,
                    "All hands but one move faster, so that few of them still say the same far away. And 32 "
                    "hands were never home together in 100,000 positions.",
                ),
                "b": (
                    "its peak gets blunter, since there are fewer hands",
                    False,
                    "The number of hands is d_model / 2, whatever the base.",
                ),
                "c": (
                    "its peak gets higher",
                    False,
                    "The peak is the norm of the row squared, d_model / 2, at any base.",
                ),
                "d": (
                    "nothing, for the base only sets the unit of the angles",
                    False,
                    "Pair 0 keeps its speed and all the others change theirs: that is more than a unit.",
                ),
            },
        ),
    ),
)
