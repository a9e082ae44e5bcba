"""Exercises of lesson 07, the shift as a rotation."""

from types import SimpleNamespace

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises import _sinusoidal_slips as slips
from pe_lessons.exercises.engine import Exercise, Question, Slip


def blocks_of_a_step(offset, d_model):
    first = np.arange(0, d_model, 2)  # (n_pairs,) the sine columns
    angles = offset * 10_000.0 ** (-first / d_model)
    matrix = np.zeros((d_model, d_model))
    matrix[first, first] = matrix[first + 1, first + 1] = np.cos(angles)
    matrix[first, first + 1] = np.sin(angles)
    matrix[first + 1, first] = -np.sin(angles)
    return matrix


def _angles(pieces, offsets, d_model):
    """Angles (..., n_pairs) that the pairs turn by in `offsets` tokens, with the slips among `pieces`."""
    of_a_token = slips.angle_with(**pieces)
    frequencies = [of_a_token(1, pair, d_model) for pair in range(d_model // 2)]
    return np.asarray(offsets)[..., None] * np.array(frequencies, dtype=float)


def _split(pieces, own):
    """The pieces for this exercise's own parts, as a namespace, and the rest."""
    mine = {name: pieces.get(name, right) for name, right in own.items()}
    return SimpleNamespace(**mine), {name: piece for name, piece in pieces.items() if name not in own}


def _interleaved(blocks):
    """Blocks (n_pairs, 2, 2) along the diagonal, zeros elsewhere."""
    n_pairs = len(blocks)
    matrix = np.zeros((n_pairs, 2, n_pairs, 2))
    matrix[range(n_pairs), :, range(n_pairs), :] = blocks
    return matrix.reshape(2 * n_pairs, 2 * n_pairs)


def _in_halves(blocks):
    return np.block([[np.diag(blocks[:, row, column]) for column in (0, 1)] for row in (0, 1)])


def _everywhere(blocks):
    """The block of each pair of rows, repeated over all columns."""
    return np.concatenate([np.tile(block, len(blocks)) for block in blocks])


def _last_pair_first(blocks):
    return _interleaved(blocks[::-1])


def _shift_with(**pieces):
    own = {
        "sign": 1,
        "corners": lambda sine, cosine: [[cosine, sine], [-sine, cosine]],
        "layout": _interleaved,
    }
    part, rest = _split(pieces, own)

    def shift_matrix(offset, d_model):
        angles = part.sign * _angles(rest, offset, d_model)  # (n_pairs,)
        corners = [part.corners(np.sin(angle), np.cos(angle)) for angle in angles]
        return part.layout(np.array(corners))

    return shift_matrix


shift_matrix = Exercise(
    name="shift_matrix",
    reference=blocks_of_a_step,
    probes=((3, 4), (5, 6), (-2, 10)),
    edge_probes=((0, 4), (5, 2), (100, 16)),
    slips=(
        *slips.FREQUENCY,
        Slip(
            "wrong sign",
            "Every hand rotates the wrong way: this matrix moves back by the offset instead of on. Is each "
            "of the two sines in the other's place? The transpose does the same.",
            "sign",
            -1,
        ),
        Slip(
            "sine alone",
            "Each column is made from itself alone, its cosine left out. The height of a hand does not say "
            "whether it rises or falls: what must the partner contribute?",
            "corners",
            lambda sine, cosine: [[cosine, 0 * sine], [0 * sine, cosine]],
        ),
        Slip(
            "both sines positive",
            "Both sines of a 2 x 2 part have the same sign, so it stretches the hand instead of rotating it. "
            "One of the two formulas has a minus.",
            "corners",
            lambda sine, cosine: [[cosine, sine], [sine, cosine]],
        ),
        Slip(
            "cosine first",
            "Each 2 x 2 part expects the cosine in the first column of a pair. In this course the sine comes "
            "first: which entries change places?",
            "corners",
            lambda sine, cosine: [[sine, cosine], [cosine, -sine]],
        ),
        Slip(
            "ones on the diagonal",
            "There are ones on the diagonal, with the sines beside them. A rotation changes both: where do "
            "the cosines go?",
            "corners",
            lambda sine, cosine: [[1 + 0 * sine, sine], [-sine, 1 + 0 * sine]],
        ),
        Slip(
            "halves instead of interleaved",
            "The entries are right, their places are not: this matrix expects all sines first, then all "
            "cosines. In our table each cosine is beside its sine.",
            "layout",
            _in_halves,
        ),
        Slip(
            "full matrix instead of blocks",
            "The 2 x 2 parts fill the whole matrix, so every pair takes from all the others. Each hand "
            "rotates by itself: 2 x 2 parts along the diagonal, zeros elsewhere.",
            "layout",
            _everywhere,
        ),
        Slip(
            "blocks in reverse order",
            "The 2 x 2 parts are in reverse order: the slow hands rotate fast and the fast ones slowly. "
            "Which pair do columns 0 and 1 belong to?",
            "layout",
            _last_pair_first,
        ),
    ),
    build=_shift_with,
    hints=(
        "Begin with d_model = 2, one hand: which four numbers take sin p and cos p to sin(p + offset) and "
        "cos(p + offset)?",
        "The rotation matrix of a pair is [[cos a, sin a], [-sin a, cos a]], with a the offset times the "
        "frequency of the pair.",
        "Start from zeros. Pair k owns rows and columns 2k and 2k + 1; write its rotation matrix there.",
    ),
)


def similarity_by_offset(offsets, d_model):
    frequencies = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.array(offsets)[:, None] * frequencies  # (n_offsets, n_pairs)
    return np.cos(angles).sum(axis=1)


def _kernel_with(**pieces):
    own = {
        "wave": np.cos,
        "gather": lambda waves: waves.sum(axis=1),
        "finish": lambda kernel, d_model: kernel,
    }
    part, rest = _split(pieces, own)

    def kernel(offsets, d_model):
        return part.finish(part.gather(part.wave(_angles(rest, offsets, d_model))), d_model)

    return kernel


kernel = Exercise(
    name="kernel",
    reference=similarity_by_offset,
    probes=(([0, 1, 3, 6], 4), ([-2, 5, 7], 6), ([3, -3], 8)),
    edge_probes=(([2], 2), ([63, 1000], 64)),
    slips=(
        *slips.FREQUENCY,
        Slip(
            "sine for cosine",
            "Sines are added, so the similarity of a position with itself is 0. sin a sin b + cos a cos b is "
            "which function of b - a?",
            "wave",
            np.sin,
        ),
        Slip(
            "cosine of the sum",
            "The angles are added first and the cosine taken of their sum. Each hand contributes a cosine of "
            "its own: take the cosines, then add.",
            "wave",
            lambda angles: np.cos(angles.sum(axis=1, keepdims=True)),
        ),
        Slip(
            "mean for sum",
            "This is the mean over the pairs: it begins with 1. The products of two rows are added up, not "
            "averaged.",
            "gather",
            lambda waves: waves.mean(axis=1),
        ),
        Slip(
            "once per column",
            "Everything is twice too large: each cosine is counted once per column. A sine column and a "
            "cosine column together give *one* cosine of the difference.",
            "gather",
            lambda waves: 2 * waves.sum(axis=1),
        ),
        Slip(
            "multiplied instead of added",
            "The cosines of the pairs are multiplied with each other. A sum of products is asked for, one "
            "cosine per pair.",
            "gather",
            lambda waves: waves.prod(axis=1),
        ),
        Slip(
            "one number for all offsets",
            "There is one number for all offsets together. Add over the pairs only; the offsets stay apart.",
            "gather",
            lambda waves: waves.sum(),
        ),
        Slip(
            "summed over the offsets",
            "There is one number per pair: the sum ran over the offsets. Add over the pairs, the other axis.",
            "gather",
            lambda waves: waves.sum(axis=0),
        ),
        Slip(
            "distance instead of similarity",
            "This is the Euclidean distance of the two rows: 0 for a position and itself. The similarity is "
            "largest there.",
            "finish",
            lambda kernel, d_model: np.sqrt(np.maximum(d_model - 2 * kernel, 0)),
        ),
        Slip(
            "scaled as in attention",
            "The similarities are divided by the root of d_model. That belongs to the scores of attention; "
            "here the bare sum of products is asked for.",
            "finish",
            lambda kernel, d_model: kernel / np.sqrt(d_model),
        ),
    ),
    build=_kernel_with,
    hints=(
        "What does a single pair contribute to the product of two rows? Use cos(b - a).",
        "One cosine per pair: of the offset times the frequency of the pair. Then add over the pairs.",
        "With offsets as a column and frequencies as a row, broadcasting makes all angles at once; np.cos, "
        "then .sum(axis=1).",
    ),
)


def weights_of_a_head(seq_len, d_model, back, sharpness):
    table = arrays.sinusoidal(seq_len, d_model)
    queries = table @ arrays.shift_matrix(-back, d_model).T  # row m becomes row m - back
    scores = sharpness * queries @ table.T / np.sqrt(d_model)  # (seq_len, seq_len)
    return arrays.softmax(scores)


def _causal(scores):
    return np.where(np.tri(*scores.shape, dtype=bool), scores, -np.inf)


def _head_with(**pieces):
    own = {
        "move": lambda back: -back,
        "sharpen": (lambda sharpness: sharpness, lambda sharpness: 1),
        "scale": np.sqrt,
        "mask": lambda scores: scores,
        "weigh": arrays.softmax,
    }
    part, _ = _split(pieces, own)

    def head(seq_len, d_model, back, sharpness):
        table = arrays.sinusoidal(seq_len, d_model)
        before, after = part.sharpen
        queries = table @ arrays.shift_matrix(part.move(back), d_model).T
        scores = before(sharpness) * queries @ table.T / part.scale(d_model)
        return after(sharpness) * part.weigh(part.mask(scores))

    return head


def _one(value):
    return 1


back_head = Exercise(
    name="back_head",
    reference=weights_of_a_head,
    probes=((6, 8, 2, 4.0), (5, 4, 1, 16.0), (7, 6, 3, 0.5)),
    edge_probes=((4, 8, 0, 2.0), (3, 2, 1, 1.0)),
    slips=(
        Slip(
            "forward instead of back",
            "The head looks as far ahead as it should look back. The rotation has the wrong sign, or its "
            "transpose is missing (table @ matrix moves the other way), or the keys were rotated.",
            "move",
            lambda back: back,
        ),
        Slip(
            "looks at itself",
            "Every position looks at itself. Either nothing is rotated, or queries and keys are rotated "
            "alike, and then the two rotations cancel. Rotate the queries alone.",
            "move",
            lambda back: 0,
        ),
        Slip(
            "one token only",
            "The head looks one token back whatever is asked for. Is `back` handed on to the rotation?",
            "move",
            lambda back: -1,
        ),
        Slip(
            "sharpness forgotten",
            "The head looks to the right place, but its weights do not depend on the sharpness. Multiply the "
            "scores by it, before the softmax.",
            "sharpen",
            (_one, _one),
        ),
        Slip(
            "divided by the sharpness",
            "The scores are divided by the sharpness: the sharper it should be, the blurrier it gets. What "
            "one divides by is called the temperature.",
            "sharpen",
            (lambda sharpness: 1 / sharpness, _one),
        ),
        Slip(
            "sharpness after the softmax",
            "The sharpness multiplies the finished weights, so that a row no longer sums to 1. It belongs to "
            "the scores: before the softmax.",
            "sharpen",
            (_one, lambda sharpness: sharpness),
        ),
        Slip(
            "not scaled by the root of d_model",
            "The weights are sharper than asked for: the scores are not divided by the root of d_model.",
            "scale",
            _one,
        ),
        Slip(
            "scaled by d_model",
            "The weights are blurrier than asked for: the scores are divided by d_model itself. Attention "
            "divides by its root.",
            "scale",
            lambda d_model: d_model,
        ),
        Slip(
            "causal mask added",
            "Positions ahead get no weight: a causal mask is at work. Here no mask is wanted; every position "
            "may look anywhere.",
            "mask",
            _causal,
        ),
        Slip(
            "scores returned",
            "These are the scores. The softmax turns them into weights that sum to 1 in every row.",
            "weigh",
            lambda scores: scores,
        ),
        Slip(
            "columns sum to 1",
            "The weights of a column sum to 1, those of a row do not. Row m holds what position m gives "
            "away: the softmax runs along the rows.",
            "weigh",
            lambda scores: arrays.softmax(scores.T).T,
        ),
    ),
    build=_head_with,
    hints=(
        "Which row should the query of position m look like? And which matrix makes it out of row m?",
        "queries = table @ arrays.shift_matrix(-back, d_model).T; the keys are the table itself.",
        "scores = sharpness * queries @ table.T / np.sqrt(d_model), then arrays.softmax.",
    ),
)

rotation_question = Question(
    name="rotation_question",
    prompt="R(n) is the matrix that moves the row of a position to that of the position n tokens further on. "
    "What is true?",
    choices={
        "a": (
            "R(n) is the same matrix at every position",
            True,
            "Its entries are sines and cosines of n times the frequencies; the position does not occur in "
            "them.",
        ),
        "b": (
            "the further it moves, the larger the norm of the row becomes",
            False,
            "A rotation changes no norm: every row has the norm sqrt(d_model / 2), before and after.",
        ),
        "c": (
            "R(2) R(3) = R(5)",
            True,
            "Two rotations one after the other are one rotation by the sum of the angles.",
        ),
        "d": (
            "a single sine column can be moved by multiplying it with one number",
            False,
            "The best number explained 30 % of the column ten tokens later: without the cosine, rising and "
            "falling look alike.",
        ),
        "e": (
            "rotating the queries and the keys by the same R(n) leaves all scores as they were",
            True,
            "The two rotations cancel in the product; only the difference of the two angles is left.",
        ),
    },
    hints=(
        "Think of one clock hand: what does a rotation change, what not, and does it matter where the hand "
        "was?",
        "Two rotations follow each other; two hands rotate together; a hand seen from the side only. Which "
        "sentence is which?",
    ),
)
