"""Exercises of the lesson on layers that remember."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)
_rows = np.random.default_rng(seed=16)


def _step(head_dim, v_dim, gate, beta):
    return (
        _rows.normal(size=(head_dim, v_dim)),
        _rows.normal(size=head_dim),
        _rows.normal(size=v_dim),
        gate,
        beta,
    )


delta_step = lesson.exercise(
    "delta_step",
    probes=(_step(3, 2, 0.5, 1.0), _step(2, 4, 0.25, 0.5), _step(4, 4, 0.75, 0.25)),
    edge_probes=(_step(3, 2, 1.0, 1.0), _step(2, 3, 0.5, 0.0), _step(1, 1, 0.5, 2.0), _step(3, 1, 1.0, 0.5)),
)


def _packed(texts, d_model, width):
    return _rows.normal(size=(len(texts), d_model)), _rows.normal(size=(d_model, width)), texts


conv_packed = lesson.exercise(
    "conv_packed",
    probes=(
        _packed([0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2], 3, 4),
        _packed([0, 1, 1, 1, 1, 2, 3, 3], 2, 3),
        _packed([7, 7, 7, 5, 5, 6, 6, 6], 1, 3),
    ),
    edge_probes=(
        _packed([0, 0, 0, 0, 0], 2, 3),
        _packed([0], 2, 4),
        _packed([0, 0, 1], 3, 1),
        _packed([0, 1, 1, 1, 1, 1, 1, 1], 2, 6),
    ),
    call=lambda name, x, weights, texts: f"{name}(x, weights, texts={texts})",
)

draft_question = lesson.question("draft_question")
quiz_layers_that_remember = lesson.quiz("quiz_layers_that_remember")
