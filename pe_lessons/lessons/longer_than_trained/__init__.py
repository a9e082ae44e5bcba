"""Exercises of lesson 13, longer than trained."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

ntk_frequencies = lesson.exercise(
    "ntk_frequencies",
    probes=((8, 4.0), (6, 2.0), (4, 8.0)),
    edge_probes=((4, 1.0), (16, 4.0), (10, 1.5)),
)

llama3_frequencies = lesson.exercise(
    "llama3_frequencies",
    probes=(
        (16, 10_000.0, 4.0, 64, 1.0, 4.0),
        (12, 500.0, 8.0, 100, 0.5, 2.0),
        (10, 2_000.0, 2.0, 300, 1.0, 32.0),
    ),
    edge_probes=(
        (2, 10_000.0, 4.0, 10, 1.0, 4.0),
        (128, 500_000.0, 8.0, 8192, 1.0, 4.0),
        (16, 10_000.0, 1.5, 64, 1.0, 4.0),
    ),
)

quiz_longer_than_trained = lesson.quiz("quiz_longer_than_trained")
