"""Exercises of lesson 21, when numbers break."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

ALLOWED = 3.1e-8  # half the distance of two neighbours among the float32 numbers near 1, and a little more


def _look_at_rows(function, positions, d_model, look_at="values"):
    rows = function(positions, d_model)
    if look_at == "is not float64":  # a list of lists has no format of its own
        return "float64" not in str(getattr(rows, "dtype", ""))
    return rows


digits_needed = lesson.exercise(
    "digits_needed",
    probes=((257,), (258,), (100,), (1000,), (64,)),
    edge_probes=((2,), (3,), (5,), (6,), (513,), (2050,)),
    redraw=lambda draw, seq_len: (draw.randint(3, 2 ** draw.randint(3, 11)),),  # of 2 to 11 digits
)

far_table = lesson.exercise(
    "far_table",
    probes=(([0, 1, 2, 3], 4), ([255, 5, 301, 77], 6), ([1025, 2051, 4099], 8)),
    edge_probes=(
        ([100_003, 654_321, 1_000_000], 16),
        ([999_999], 12),
        ([123_457, 7], 2),
        ([7, 7, 3], 4),
        ([0, 1, 2], 4, "is not float64"),
    ),
    use=_look_at_rows,
    exact=lesson.answers.far_table_exact,
    says={"is not float64": "Your table is still in float64. Convert it to float32."},
    atol=ALLOWED,
)

quiz_when_numbers_break = lesson.quiz("quiz_when_numbers_break")
