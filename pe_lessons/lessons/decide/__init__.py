"""Exercises of the lesson that decides."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

margin_needed = lesson.exercise(
    "margin_needed",
    probes=((8192, 0.5), (131_072, 0.9), (1_000_000, 0.25)),
    edge_probes=((2, 0.5), (2, 0.75), (17, 0.125), (1024, 0.01), (10, 0.05), (3, 0.999), (10, 1e-4)),
)

# Numbers of texts that no rounding of the last digit can move.
needles_needed = lesson.exercise(
    "needles_needed",
    probes=((0.9, 0.035), (0.5, 0.11), (0.75, 0.065)),
    edge_probes=((0.99, 0.016), (0.5, 0.9), (0.9, 0.9), (0.6, 0.021)),
)

decide_question = lesson.question("decide_question")
quiz_decide = lesson.quiz("quiz_decide")
