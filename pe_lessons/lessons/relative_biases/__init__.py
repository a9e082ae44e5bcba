"""Exercises of lesson 10, relative biases."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

slopes = lesson.exercise(
    "slopes",
    probes=((8,), (4,), (6,)),
    edge_probes=((12,), (1,), (16,), (7,), (3,), (9,), (15,), (24,), (44,)),
)


def _scores(seed, num_queries, num_keys):
    return np.random.default_rng(seed).normal(size=(num_queries, num_keys))


newest_weights = lesson.exercise(
    "newest_weights",
    probes=((_scores(0, 2, 5), 0.5), (_scores(1, 4, 4), 0.25), (_scores(2, 3, 7), 0.125)),
    edge_probes=((_scores(3, 1, 6), 0.5), (_scores(4, 1, 1), 0.5), (_scores(5, 8, 40), 0.5)),
)

_FEW = [0, 3, -3], [-8, 8], [-20, 20], [-90, 90], [-1000, 1000]  # so few that a reply can show them
# At distances of 16, 32 and 64 the logarithm comes out whole, or a last digit below: both answers are right.
_MANY = np.array([n for n in range(-200, 201) if abs(n) not in (16, 32, 64)])


def _call_buckets(name, offsets, bidirectional):
    shown = (
        offsets.tolist()
        if offsets.size < 5
        else "[n for n in range(-200, 201) if abs(n) not in (16, 32, 64)]"
    )
    return f"{name}(np.array({shown}), {bidirectional})"


buckets = lesson.exercise(
    "buckets",
    probes=(
        *((np.array(few), mode) for mode in (True, False) for few in _FEW),
        (_MANY, True),
        (_MANY, False),
    ),
    edge_probes=((np.array([[0, 3], [-3, 0]]), True), (np.array([-100_000, 100_000]), True)),
    call=_call_buckets,
)

bias_question = lesson.question("bias_question")
quiz_relative_biases = lesson.quiz("quiz_relative_biases")
