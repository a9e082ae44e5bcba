"""Exercises of lesson 09, rotary positions."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

_rows = np.random.default_rng(seed=11)
ROTARY_PROBES = (
    (_rows.normal(size=(5, 4)), np.array([0, 3, 7, 8, 20])),
    (_rows.normal(size=(3, 6)), np.array([5, 1, 2])),
    (_rows.normal(size=(2, 10)), np.array([4, 9])),
)
ROTARY_EDGES = ((_rows.normal(size=(2, 2)), np.array([3, 1])), (_rows.normal(size=(2, 4)), np.array([-3, 2])))

rotary_interleaved = lesson.exercise(
    "rotary_interleaved",
    mine="my_rotary",
    probes=ROTARY_PROBES,
    edge_probes=ROTARY_EDGES,
    atol=1e-5,
)

rotary_half = lesson.exercise(
    "rotary_half",
    mine="my_rotary_in_halves",
    probes=ROTARY_PROBES,
    edge_probes=ROTARY_EDGES,
    atol=1e-5,
)

rotary_question = lesson.question("rotary_question")
quiz_rotary = lesson.quiz("quiz_rotary")
