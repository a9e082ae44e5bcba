"""Exercises of lesson 01, why order matters."""

import math
from types import SimpleNamespace

import numpy as np

from pe_lessons import arrays, loops
from pe_lessons.exercises.engine import Exercise, Misconception, Question, Slip

Q = [[1.0, 0.5, -1.0, 2.0], [0.0, 1.5, 0.5, -0.5], [-1.0, 1.0, 1.0, 0.5]]
K = [[0.5, -0.8, 0.2, 1.0], [2.0, 0.6, 1.0, -0.9], [1.1, 1.0, -0.5, 0.3]]
V = [[1.2, 2.0, -3.0, 0.4], [4.0, -1.0, 2.0, 1.5], [-2.0, 0.0, 1.0, 3.0]]
# every row has both: a mask read the wrong way round then leaves no row empty
WINDOW = [[True, False, False], [True, True, False], [False, True, True]]
HOLES = [[True, True, False], [False, True, True], [True, False, True]]


def _attention_with(**pieces):
    right = {
        "scale": lambda head_dim, n_k: math.sqrt(head_dim),
        "roles": lambda q, k, v: (q, k, v),
        "mask_scores": lambda scores, mask: np.where(mask, scores, -np.inf),
        "weigh": arrays.softmax,
        "mask_weights": lambda weights, mask: weights,
        "gather": lambda weights, v: weights @ v,
    }
    pieces = dict(pieces)
    pieces |= pieces.pop("mask", {})
    part = SimpleNamespace(**right | pieces)

    def attention(q, k, v, mask):
        q, k, v = part.roles(*(np.array(rows) for rows in (q, k, v)))
        scores = q @ k.T / part.scale(q.shape[1], len(k))  # (n_q, n_k)
        mask = np.full(scores.shape, True) if mask is None else np.array(mask)
        weights = part.mask_weights(part.weigh(part.mask_scores(scores, mask)), mask)
        return part.gather(weights, v)

    return attention


def attention(q, k, v, mask=None):
    out = []
    for m, query in enumerate(q):
        scores = []
        for n, key in enumerate(k):
            score = sum(a * b for a, b in zip(query, key)) / np.sqrt(len(query))
            scores.append(score if mask is None or mask[m][n] else -np.inf)
        # less the largest score: the same shares, and exp cannot overflow
        exponentials = [np.exp(score - max(scores)) for score in scores]
        weights = [number / sum(exponentials) for number in exponentials]
        out.append([sum(w * row[column] for w, row in zip(weights, v)) for column in range(len(v[0]))])
    return out


def _unmasked(scores, mask):
    return scores


attention_loop = Exercise(
    name="attention_loop",
    reference=loops.attention,
    answer=attention,
    probes=(
        (Q, K, V, None),
        (Q[1:], K[1:], V[:2], None),
        ([row[:2] for row in Q], [row[1:3] for row in K], [row[2:] for row in V], None),
    ),
    edge_probes=(
        (Q, K, V, WINDOW),
        (Q, K, V, HOLES),
        (Q[:2], K, [row[:2] for row in V], HOLES[1:]),
    ),
    slips=(
        Slip(
            "scaled by head_dim",
            "The scores are divided by head_dim itself, which flattens the weights too much. Divide by its "
            "root.",
            "scale",
            lambda head_dim, n_k: head_dim,
        ),
        Slip(
            "not scaled",
            "The scores are not scaled, so the weights come out sharper than they should. What is "
            "below the fraction line in softmax(QK^T / ...)?",
            "scale",
            lambda head_dim, n_k: 1.0,
        ),
        Slip(
            "scaled by the root of seq_len",
            "The scores are divided by the root of the number of rows. The root belongs to head_dim, the "
            "number of entries of one query.",
            "scale",
            lambda head_dim, n_k: math.sqrt(n_k),
        ),
        Slip(
            "multiplied by the root",
            "The scores are multiplied by the root of head_dim. It is there to keep them small: divide.",
            "scale",
            lambda head_dim, n_k: 1 / math.sqrt(head_dim),
        ),
        Slip(
            "softmax over the wrong axis",
            "The weights of one key sum to 1, those of one query do not: the softmax ran over the queries. "
            "Each query shares out its attention among the keys.",
            "weigh",
            lambda scores: arrays.softmax(scores.T).T,
        ),
        Slip(
            "no softmax",
            "The bare scores are used as weights: some are negative, and they do not sum to 1. The softmax "
            "is missing.",
            "weigh",
            lambda scores: scores,
        ),
        Slip(
            "not normalised",
            "The weights are exponentials, but do not sum to 1. What does the softmax divide by?",
            "weigh",
            np.exp,
        ),
        Slip(
            "sum without exp",
            "The scores are divided by their sum, but the exponential is missing: a negative score must "
            "become a small positive weight.",
            "weigh",
            lambda scores: scores / scores.sum(axis=1, keepdims=True),
        ),
        Slip(
            "queries and keys exchanged",
            "Queries and keys have changed places: row m of the output belongs to key m. Row m of the "
            "scores is query m against every key.",
            "roles",
            lambda q, k, v: (k, q, v),
        ),
        Slip(
            "keys and values exchanged",
            "Keys and values have changed places: queries are compared with keys, and values are what is "
            "averaged.",
            "roles",
            lambda q, k, v: (q, v, k),
        ),
        Slip(
            "keys averaged",
            "The weights are right, but they average the keys. What a token has to say is in its value.",
            "roles",
            lambda q, k, v: (q, k, k),
        ),
        Slip(
            "weights returned",
            "These are the attention weights. One step is left: average the values with them.",
            "gather",
            lambda weights, v: weights,
        ),
        Slip(
            "mask after softmax",
            "The mask is applied after the softmax, so the weights of a row no longer sum to 1. A masked "
            "score must be out before the softmax shares out the attention.",
            "mask",
            {"mask_scores": _unmasked, "mask_weights": lambda weights, mask: weights * mask},
        ),
        Slip(
            "mask inverted",
            "The mask is read the wrong way round: True means that the query may look there.",
            "mask",
            {"mask_scores": lambda scores, mask: scores if mask.all() else np.where(mask, -np.inf, scores)},
        ),
        Slip(
            "mask ignored",
            "Without a mask all is right, but a mask changes nothing. Where should a False keep a query "
            "from a key?",
            "mask",
            {"mask_scores": _unmasked},
        ),
        Slip(
            "mask added to the scores",
            "The mask is added to the scores as numbers, so True counts as 1 and False as 0. A forbidden "
            "key must get the score minus infinity.",
            "mask",
            {"mask_scores": lambda scores, mask: scores if mask.all() else scores + mask},
        ),
        Slip(
            "masked scores 0",
            "A masked score is set to 0, but the softmax gives 0 a weight too: exp(0) is 1. Which score "
            "gets no weight at all?",
            "mask",
            {"mask_scores": lambda scores, mask: np.where(mask, scores, 0.0)},
        ),
    ),
    build=_attention_with,
    hints=(
        "Take one query at a time. It needs one score per key; what do you do with the scores, and what "
        "with the values then?",
        "Three steps for each query: the dot product with every key divided by np.sqrt(head_dim); the "
        "softmax of this row of scores; the sum of the values, each times its weight.",
        "Where mask[m][n] is False, let the score be -np.inf before the softmax. np.exp(-np.inf) is 0.0.",
    ),
)


def attention_without_mask(rows):
    """Self-attention in which every row sees every row.

    The last digits depend on the machine, and so would what == makes of them: they are rounded away.
    """
    return arrays.attention(rows, rows, rows).round(9)


def attention_with_causal_mask(rows):
    """Self-attention in which a row sees itself and the rows before it."""
    return arrays.attention(rows, rows, rows, np.tri(len(rows), dtype=bool))


def doubling(rows):
    """Every row by itself, doubled."""
    return 2 * np.asarray(rows)


def mean_everywhere(rows):
    """The mean row, at every position."""
    rows = np.asarray(rows)
    return np.broadcast_to(rows.mean(axis=0), rows.shape)


def sum_everywhere(rows):
    """The sum of the rows, added one after the other, at every position."""
    rows = np.asarray(rows)
    total = rows[0]
    for row in rows[1:]:
        total = total + row
    return np.broadcast_to(total, rows.shape)


def adding_positions(rows, step=1.0):
    """Every row with its position added, as often as the number of the column."""
    rows = np.asarray(rows)
    return rows + step * np.multiply.outer(np.arange(len(rows)), np.arange(rows.shape[1]))


def adding_tiny_positions(rows):
    """The same, but with a ten-thousandth of the position."""
    return adding_positions(rows, step=1e-4)


def positions_only(rows):
    """Every row replaced by its position."""
    rows = np.asarray(rows)
    return np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)


def rows_move_along(model, rows, order):
    return np.allclose(model(rows[order]), model(rows)[order], rtol=0, atol=1e-9)


def _compared_with(arrange, agree=lambda after, expected: np.allclose(after, expected, atol=1e-9)):
    """The permutation test with another rule for what is expected, or for what counts as equal."""

    def permutation_test(model, rows, order):
        before, after = model(rows), model(rows[order])
        return bool(agree(after, arrange(before, order)))

    return permutation_test


def _rows_moved(before, order):
    return before[order]


def _columns_permuted(model, rows, order):
    return np.allclose(model(rows[:, order]), model(rows)[:, order])


def _input_not_permuted(model, rows, order):
    return np.allclose(model(rows)[order], model(rows))


ROWS = np.array([[0.1, 0.7, -0.3, 1.1], [0.9, -0.2, 0.4, 0.3], [-0.6, 0.5, 0.8, -0.1], [0.2, 0.3, -0.7, 0.6]])
# Added one after the other, the tiny numbers are lost where the large one comes first, on every machine.
UNEVEN = np.array([[1.0, 2.0, 3.0, 4.0], *[[1e-16] * 4] * 3])
CYCLE, SWAP, FIRST_STAYS = [1, 2, 3, 0], [1, 0, 2, 3], [0, 2, 3, 1]

permutation_test = Exercise(
    name="permutation_test",
    reference=rows_move_along,
    probes=(
        (attention_without_mask, ROWS, CYCLE),
        (attention_without_mask, ROWS, SWAP),
        (attention_with_causal_mask, ROWS, CYCLE),
        (attention_with_causal_mask, ROWS, SWAP),
        (attention_with_causal_mask, ROWS, FIRST_STAYS),
        (doubling, ROWS, CYCLE),
        (mean_everywhere, ROWS, CYCLE),
        (sum_everywhere, UNEVEN, CYCLE),
        (adding_positions, ROWS, CYCLE),
        (adding_tiny_positions, ROWS, CYCLE),
        (positions_only, ROWS, CYCLE),
    ),
    misconceptions=(
        Misconception(
            "invariance for equivariance",
            "This asks whether the output stays the same. Attention moves its output rows along with the "
            "input rows: before you compare, bring the rows into the same order.",
            _compared_with(lambda before, order: before),
        ),
        Misconception(
            "wrong direction",
            "The rows are put back in the wrong direction; a swap of two rows cannot show it, a cycle does. "
            "Row `place` of the shuffled input is row `order[place]` of the original.",
            _compared_with(lambda before, order: before[np.argsort(order)]),
        ),
        Misconception(
            "exact comparison",
            "The numbers are compared with ==, but sums taken in another order differ in the last digit, "
            "by about 1e-16. Allow a small tolerance.",
            _compared_with(_rows_moved, lambda after, expected: (after == expected).all()),
        ),
        Misconception(
            "tolerance too wide",
            "The tolerance is so wide that a real difference of 0.0001 passes for rounding. Rounding "
            "errors are about 1e-16 here.",
            _compared_with(_rows_moved, lambda after, expected: np.allclose(after, expected, atol=1e-2)),
        ),
        Misconception(
            "columns permuted",
            "The columns are permuted. The order of the tokens is the order of the rows.",
            _columns_permuted,
        ),
        Misconception(
            "input not permuted",
            "The model gets the same rows both times, so their order is never put to the test. It has to see "
            "them once as they are, and once shuffled.",
            _input_not_permuted,
        ),
        Misconception(
            "first row only",
            "Only the first row is compared. It can be right by chance, as with a causal mask: compare "
            "them all.",
            _compared_with(_rows_moved, lambda after, expected: np.allclose(after[0], expected[0])),
        ),
        Misconception(
            "sums compared",
            "Only sums or means are compared, and these do not notice which row is where. Compare row by "
            "row.",
            _compared_with(
                _rows_moved, lambda after, expected: np.isclose(after.sum(), expected.sum(), atol=1e-9)
            ),
        ),
        Misconception(
            "any for all",
            "One agreeing number is enough for your test. All of them must agree.",
            _compared_with(
                _rows_moved, lambda after, expected: np.isclose(after, expected, rtol=0, atol=1e-9).any()
            ),
        ),
        Misconception(
            "answer inverted",
            "True and False have changed places: True means that the output rows move along.",
            lambda model, rows, order: not rows_move_along(model, rows, order),
        ),
        Misconception(
            "always True",
            "Your test says True of every model, even of one that adds positions. Which two outputs does "
            "it compare?",
            lambda model, rows, order: True,
        ),
        Misconception(
            "always False",
            "Your test says False of every model, even of one that treats each row by itself. Which two "
            "arrays are compared, and are they compared as numbers?",
            lambda model, rows, order: False,
        ),
    ),
    hints=(
        "Run the model twice: on the rows as they are, and on the rows in the new order.",
        "The shuffled input is rows[order]. Which row of the first output should row 0 of the second "
        "output be equal to?",
        "Compare model(rows[order]) with model(rows)[order]: np.allclose does it with a small tolerance.",
    ),
)

order_question = Question(
    name="order_question",
    prompt='"The cat chased the mouse" and "The mouse chased the cat" go through one attention layer, '
    "without positional encoding. What is the same for both sentences?",
    choices={
        "a": (
            "the output vector of `cat`, without a mask",
            True,
            "Without a mask `cat` sees the same set of words in both sentences, and a set has no order.",
        ),
        "b": (
            "the mean of all output vectors, without a mask",
            True,
            "The same vectors in another order have the same mean: pooled outputs are invariant.",
        ),
        "c": (
            "the whole output, row by row, without a mask",
            False,
            "The rows move along with their words: the output is equivariant, not invariant.",
        ),
        "d": (
            "the mean of all output vectors, with a causal mask",
            False,
            "With a causal mask the first word sees itself only, the last one sees all: order leaks in.",
        ),
    },
    hints=(
        "What does the vector of `cat` depend on, if every word sees every word?",
        "Same vectors, other places: for which of the answers do places matter? And what does a causal "
        "mask change?",
    ),
)
