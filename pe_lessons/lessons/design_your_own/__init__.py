"""Exercises of lesson 25, design your own."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


# Printed in full by a reply, which can be worked out by hand; no two weights of a row are alike.
_FOUR = np.array(
    [[0.41, 0.17, 0.33, 0.09], [0.23, 0.36, 0.12, 0.29], [0.52, 0.08, 0.26, 0.14], [0.19, 0.47, 0.11, 0.23]]
)
_OTHER = np.array(
    [[0.28, 0.05, 0.21, 0.46], [0.37, 0.13, 0.34, 0.16], [0.06, 0.58, 0.15, 0.21], [0.24, 0.43, 0.31, 0.02]]
)

_WINDOW = np.array(  # each word looks at itself and at one before it, the last one two places back
    [[1.0, 0.0, 0.0, 0.0], [0.36, 0.64, 0.0, 0.0], [0.0, 0.58, 0.42, 0.0], [0.0, 0.27, 0.0, 0.73]]
)

# Larger than five places, for answers that hold for the question of the lesson only.
_SEVEN = np.tril(np.random.default_rng(3).integers(1, 100, size=(7, 7)) / 100)

weight_back = lesson.exercise(
    "weight_back",
    probes=((_FOUR, 1), (_OTHER, 1), (np.tril(_OTHER), 1)),
    edge_probes=(
        (_FOUR, 2),
        (_OTHER, 2),
        (_FOUR, 0),
        (_FOUR[:3, :3], 1),
        (_WINDOW, 1),
        (_WINDOW, 2),
        (_SEVEN, 2),
    ),
    call=lambda name, attention, back: f"{name}(np.array({attention.tolist()}), {back})",
)

quiz_design_your_own = lesson.quiz("quiz_design_your_own")
