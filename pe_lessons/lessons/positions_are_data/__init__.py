"""Exercises of lesson 18, positions that are data."""

from pe_lessons import arrays
from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

mrope_positions = lesson.exercise(
    "mrope_positions",
    mine="my_positions",
    probes=(
        ([2, (1, 2, 3), 3],),
        ([1, (3, 2, 2), 2, (1, 1, 4), 1],),
        ([(4, 1, 2), 2, (1, 3, 2), 3],),
    ),
    edge_probes=(([5],), ([(1, 1, 1)],), ([3, 2, (2, 1, 1), (1, 4, 1), 2],)),
)


def _placed(prompts, steps):
    return [arrays.mrope_positions(parts) for parts in prompts], steps


decoded_positions = lesson.exercise(
    "decoded_positions",
    probes=(
        _placed([[5], [2, (1, 3, 4), 1], [(1, 2, 2), 4]], 2),
        _placed([[1, (2, 3, 3), 2], [2, (1, 4, 2)]], 5),
        _placed([[3, (5, 1, 2)], [(1, 4, 4), 1, (1, 2, 6), 2]], 4),
    ),
    edge_probes=(
        _placed([[4]], 1),
        _placed([[(1, 3, 5)]], 2),
        _placed([[(6, 2, 2)], [(6, 2, 2)]], 1),
    ),
)

quiz_positions_are_data = lesson.quiz("quiz_positions_are_data")
