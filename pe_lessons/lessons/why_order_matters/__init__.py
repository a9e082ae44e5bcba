"""Exercises of lesson 01, why order matters."""

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

Q = [[1.0, 0.5, -1.0, 2.0], [0.0, 1.5, 0.5, -0.5], [-1.0, 1.0, 1.0, 0.5]]
K = [[0.5, -0.8, 0.2, 1.0], [2.0, 0.6, 1.0, -0.9], [1.1, 1.0, -0.5, 0.3]]
V = [[1.2, 2.0, -3.0, 0.4], [4.0, -1.0, 2.0, 1.5], [-2.0, 0.0, 1.0, 3.0]]
# every row has both: a mask read the wrong way round then leaves no row empty
WINDOW = [[True, False, False], [True, True, False], [False, True, True]]
HOLES = [[True, True, False], [False, True, True], [True, False, True]]

attention_loop = lesson.exercise(
    "attention_loop",
    mine="my_attention",
    probes=(
        (Q, K, V, None),
        (Q[1:], K[1:], V[:2], None),
        ([row[:2] for row in Q], [row[1:3] for row in K], [row[2:] for row in V], None),
    ),
    edge_probes=(
        (Q, K, V, WINDOW),
        (Q, K, V, HOLES),
        (Q[:2], K, [row[:2] for row in V], HOLES[1:]),
        (Q, K, V, np.array(WINDOW)),
        # scores so low that a key hidden by -100 is seen
        (
            [[-24.0, -2.0], [0.0, -25.0], [-20.0, -9.0]],
            [[10.0, 9.0], [12.0, 10.0], [9.0, 11.0]],
            [row[:2] for row in V],
            HOLES,
        ),
    ),
)


def attention_without_mask(rows):
    # the last digits depend on the machine, and so would what == makes of them: they are rounded away
    return arrays.attention(rows, rows, rows).round(9)


def attention_with_causal_mask(rows):
    return arrays.attention(rows, rows, rows, np.tri(len(rows), dtype=bool))


def doubling(rows):
    return 2 * np.asarray(rows)


def leaving_alone(rows):
    return np.array(rows)


def mean_everywhere(rows):
    return np.broadcast_to(np.mean(rows, axis=0), np.shape(rows))


def sum_everywhere(rows):
    return np.broadcast_to(sum(rows[1:], start=rows[0]), np.shape(rows))  # one row after the other


def first_everywhere(rows):
    """The first row, at every position."""
    rows = np.asarray(rows)
    return np.broadcast_to(rows[0], rows.shape)


def adding_positions(rows, step=1.0):
    """Every row with its position added, as often as the number of the column."""
    return rows + step * np.multiply.outer(np.arange(len(rows)), np.arange(len(rows[0])))


def adding_tiny_positions(rows):
    return adding_positions(rows, step=1e-4)


def adding_the_next_row_to_the_first(rows):
    """Blind to the order but in row 0, which may stay where it is."""
    rows = np.array(rows)
    rows[0] += rows[1]
    return rows


def adding_to_column(column):
    """Adds the number of its place to one number of every row."""

    def adding_positions_to_a_column(rows):
        return rows + np.multiply.outer(np.arange(len(rows)), np.arange(len(rows[0])) == column)

    return adding_positions_to_a_column


def adding_the_row_before_to_the_last(rows):
    rows = np.array(rows)
    rows[-1] += rows[-2]
    return rows


def positions_only(rows):
    return np.broadcast_to(np.arange(len(rows))[:, None], np.shape(rows))


ROWS = np.array([[0.1, 0.7, -0.3, 1.1], [0.9, -0.2, 0.4, 0.3], [-0.6, 0.5, 0.8, -0.1], [0.2, 0.3, -0.7, 0.6]])
# Added one after the other, the tiny numbers are lost where the large one comes first, on every machine.
UNEVEN = np.array([[1.0, 2.0, 3.0, 4.0], *[[1e-16] * 4] * 3])
CYCLE, SWAP, FIRST_STAYS = [1, 2, 3, 0], [1, 0, 2, 3], [0, 2, 3, 1]
ALL_STAY = [0, 1, 2, 3]  # in which a model that minds the order passes: another order than this was used


def another_model(draw, model, rows, order):
    """Rows of another size, and a model whose name tells nothing."""
    shape = n_rows, width = draw.randint(3, 6), draw.randint(2, 6)
    blind = attention_without_mask, doubling, mean_everywhere
    not_blind = attention_with_causal_mask, adding_to_column(draw.randrange(width)), first_everywhere
    chosen = draw.choice(blind + not_blind)
    rows = np.reshape([draw.uniform(-1, 1) for _ in range(n_rows * width)], shape)
    return (lambda rows: chosen(rows)), rows, draw.sample(range(n_rows), n_rows)


permutation_test = lesson.exercise(
    "permutation_test",
    probes=(
        (attention_without_mask, ROWS, CYCLE),
        (attention_without_mask, ROWS, SWAP),
        (attention_with_causal_mask, ROWS, CYCLE),
        (attention_with_causal_mask, ROWS, SWAP),
        (attention_with_causal_mask, ROWS, FIRST_STAYS),
        (doubling, ROWS, CYCLE),
        (leaving_alone, ROWS, CYCLE),
        (mean_everywhere, ROWS, CYCLE),
        (sum_everywhere, UNEVEN, CYCLE),
        # every number becomes larger, or every number smaller
        (first_everywhere, np.sort(ROWS, axis=0), CYCLE),
        (first_everywhere, -np.sort(ROWS, axis=0), CYCLE),
        (adding_positions, ROWS, CYCLE),
        (adding_tiny_positions, ROWS, CYCLE),
        (positions_only, ROWS, CYCLE),
        (adding_positions, ROWS, ALL_STAY),
        (attention_with_causal_mask, ROWS, ALL_STAY),
        (adding_the_next_row_to_the_first, ROWS, FIRST_STAYS),
    ),
    edge_probes=(
        (adding_to_column(0), ROWS, SWAP),
        (adding_to_column(3), ROWS, SWAP),
        (adding_the_row_before_to_the_last, ROWS, [1, 2, 0, 3]),
    ),
    redraw=another_model,
)

order_question = lesson.question("order_question")
quiz_why_order_matters = lesson.quiz("quiz_why_order_matters")
