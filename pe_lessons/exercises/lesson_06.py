"""Exercises of lesson 06, reading the picture."""

from types import SimpleNamespace

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.engine import Exercise, Misconception, Question, Slip


def tokens_per_turn(d_model, base):
    frequencies = base ** (-np.arange(0, d_model, 2) / d_model)
    return 2 * np.pi / frequencies


def _wavelengths_with(**pieces):
    right = {
        "exponents": lambda d_model: np.arange(0, d_model, 2) / d_model,
        "base": lambda base: base,
        "turn": lambda wavelength_over_2_pi: 2 * np.pi * wavelength_over_2_pi,
        "order": lambda wavelengths: wavelengths,
        "width": lambda wavelengths, d_model: wavelengths,
    }
    part = SimpleNamespace(**right | pieces)

    def wavelengths(d_model, base):
        per_radian = part.base(base) ** part.exponents(d_model)  # (n_pairs,) tokens
        return part.order(part.width(part.turn(per_radian), d_model))

    return wavelengths


all_wavelengths = Exercise(
    name="all_wavelengths",
    reference=tokens_per_turn,
    probes=((8, 10_000), (6, 100), (10, 500)),
    edge_probes=((5, 10_000), (2, 10_000)),
    slips=(
        Slip(
            "2 pi forgotten",
            "These are the tokens it takes to turn by 1 radian; the first is 1 instead of 6.28. How many "
            "radians are a full turn?",
            "turn",
            lambda per_radian: per_radian,
        ),
        Slip(
            "half a turn",
            "These are half wavelengths. After pi radians a sine is back at 0, but on its way down; a full "
            "turn is 2 pi.",
            "turn",
            lambda per_radian: np.pi * per_radian,
        ),
        Slip(
            "frequencies instead of wavelengths",
            "These are frequencies, in radians per token. A wavelength is the number of tokens that one "
            "full turn takes.",
            "turn",
            lambda per_radian: 1 / per_radian,
        ),
        Slip(
            "2 pi times the frequency",
            "The full turn is multiplied by the frequency, so the slowest pair gets the shortest wave. "
            "Which of the two has to be divided by which?",
            "turn",
            lambda per_radian: 2 * np.pi / per_radian,
        ),
        Slip(
            "longest at 2 pi times the base",
            "The last wavelength is made exactly 2 pi times the base, as in the library Tensor2Tensor. By "
            "the formula the last exponent stays below 1: it is (d_model - 2) / d_model for an even width.",
            "exponents",
            lambda d_model: np.linspace(0, 1, (d_model + 1) // 2),
        ),
        Slip(
            "doubled exponent",
            "The exponents are twice what they should be: all but the first wavelength are far too long. "
            "Does your index already step by two?",
            "exponents",
            lambda d_model: 2 * np.arange(0, d_model, 2) / d_model,
        ),
        Slip(
            "exponent without the 2",
            "The exponents are half of what they should be. The formula has 2k / d_model; is your k the "
            "pair, and where is the 2?",
            "exponents",
            lambda d_model: np.arange((d_model + 1) // 2) / d_model,
        ),
        Slip(
            "pairs counted from 1",
            "The pairs are counted from 1, so the first wavelength is missing. Pair 0 has the exponent 0 "
            "and the wavelength 2 pi.",
            "exponents",
            lambda d_model: np.arange(2, d_model + 2, 2) / d_model,
        ),
        Slip(
            "one per column",
            "Every wavelength is there twice, once for each column. A sine and its cosine belong to "
            "one hand: give one number per pair.",
            "exponents",
            lambda d_model: 2 * (np.arange(d_model) // 2) / d_model,
        ),
        Slip(
            "base fixed",
            "With base 10,000 all is right, with another base nothing changes. The base is an argument of "
            "your function: is it used?",
            "base",
            lambda base: 10_000,
        ),
        Slip(
            "longest first",
            "The wavelengths are right, but the longest comes first. Pair 0 is the fastest hand and has "
            "the shortest wave.",
            "order",
            lambda wavelengths: wavelengths[::-1],
        ),
        Slip(
            "last sine forgotten",
            "Even widths are right; for an odd one the last wavelength is missing. The last sine has no "
            "cosine, but it has a wavelength.",
            "width",
            lambda wavelengths, d_model: wavelengths[: max(1, d_model // 2)],
        ),
    ),
    build=_wavelengths_with,
    hints=(
        "You know the frequency of every pair from lesson 04. What turns a frequency into a wavelength?",
        "The frequencies are base ** (-np.arange(0, d_model, 2) / d_model), one per pair, also where d_model "
        "is odd.",
        "Divide 2 * np.pi by all frequencies at once.",
    ),
)


def closest_other_row(table, position):
    gaps = np.linalg.norm(table - table[position], axis=1)
    gaps[position] = np.inf
    return int(gaps.argmin())


def _best_of_the_others(score):
    """The other row with the smallest score; `score(table, row)` gives one number per row."""

    def nearest(table, position):
        scores = np.array(score(table, table[position]), dtype=float)
        scores[position] = np.inf
        return int(scores.argmin())

    return nearest


def _gaps(table, row):
    return np.linalg.norm(table - row, axis=1)


def _among(candidates):
    def nearest(table, position):
        chosen = [other for other in candidates(position, len(table)) if 0 <= other < len(table)]
        return min(chosen, key=_gaps(table, table[position]).__getitem__, default=position)

    return nearest


def _number_after_deleting(table, position):
    return int(_gaps(np.delete(table, position, axis=0), table[position]).argmin())


def _later_on_a_tie(table, position):
    gaps = _gaps(table, table[position])
    gaps[position] = np.inf
    return len(gaps) - 1 - int(gaps[::-1].argmin())


# Chosen so that any two of the mistakes below disagree at three positions or more, and that what they compare
# differs by a half or more: a tie is decided by the last digit, which is not the same on every machine.
SCATTERED = np.array(
    [
        [-3.0, 1.0, 0.5],
        [3.0, 5.5, -5.0],
        [2.0, -2.0, 2.0],
        [0.5, 2.0, -1.0],
        [5.0, -6.0, -6.0],
        [2.0, 5.0, 3.0],
    ]
)
GRID = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0], [5.0, 5.0]])

# The last position: any other has two neighbours, equally far away.
LAST = (arrays.sinusoidal(128, 8), 127)

nearest_neighbour = Exercise(
    name="nearest_neighbour",
    reference=closest_other_row,
    probes=(*((SCATTERED, position) for position in range(6)), LAST),
    edge_probes=((GRID, 0), (GRID, 3), (GRID[:2], 1)),
    misconceptions=(
        Misconception(
            "its own neighbour",
            "Every position comes out as its own nearest neighbour: its Euclidean distance from itself is 0. "
            "Take it out of the race, for instance by making that distance infinite.",
            lambda table, position: int(_gaps(table, table[position]).argmin()),
        ),
        Misconception(
            "the farthest",
            "This is the row that is farthest away. The nearest has the *smallest* Euclidean distance.",
            lambda table, position: int(_gaps(table, table[position]).argmax()),
        ),
        Misconception(
            "next door only",
            "Only the rows next door are compared. The whole point is that the nearest row may be far away "
            "in the text: compare all of them.",
            _among(lambda position, seq_len: (position - 1, position + 1)),
        ),
        Misconception(
            "later rows only",
            "Only rows further down the table are compared. The nearest may also be above.",
            _among(lambda position, seq_len: range(position + 1, seq_len)),
        ),
        Misconception(
            "number not corrected",
            "The own row is taken out of the table, which is fine, but then all rows after it have moved "
            "up by one. Their numbers come out one too small.",
            _number_after_deleting,
        ),
        Misconception(
            "differences not squared",
            "The differences are added with their signs, and cancel. Square them before you add.",
            _best_of_the_others(lambda table, row: np.abs((table - row).sum(axis=1))),
        ),
        Misconception(
            "absolute differences",
            "The absolute differences are added up. That measures nearness too, but it is not the Euclidean "
            "distance, which squares them first; the two can disagree about who is nearest.",
            _best_of_the_others(lambda table, row: np.abs(table - row).sum(axis=1)),
        ),
        Misconception(
            "largest product",
            "The largest product of two rows is searched. Where all rows have the same norm that is the same "
            "thing; in this table they have not. Compare Euclidean distances.",
            _best_of_the_others(lambda table, row: -(table @ row)),
        ),
        Misconception(
            "distance returned",
            "This is the smallest Euclidean distance itself. Which row has it? The function argmin tells.",
            lambda table, position: float(np.delete(_gaps(table, table[position]), position).min()),
        ),
        Misconception(
            "offset returned",
            "This is how many tokens away the nearest row is. Asked for is its position.",
            lambda table, position: abs(closest_other_row(table, position) - position),
        ),
        Misconception(
            "later on a tie",
            "Where two rows are equally close the later one comes out; the earlier one should. Is there a "
            "<= that wants to be a <?",
            _later_on_a_tie,
        ),
    ),
    hints=(
        "One Euclidean distance for each row of the table. Which row must not take part?",
        "table - table[position] subtracts the row from all rows at once; np.linalg.norm(..., axis=1) gives "
        "a norm per row.",
        "Set the distance of `position` to np.inf, then argmin tells where the smallest one is, the earlier "
        "one if there are two.",
    ),
)

map_question = Question(
    name="map_question",
    prompt="The t-SNE map of the 128 x 8 table shows six strands, with 68 right beside 5 and with 6 far away "
    "on another strand. What follows?",
    choices={
        "a": (
            "rows 5 and 68 are probably close to each other",
            True,
            "Who is near whom is what t-SNE tries to keep, and the Euclidean distances confirm it: 0.645.",
        ),
        "b": (
            "row 6 is about thirty times as far from row 5 as row 68 is",
            False,
            "Far on the map means nothing in particular. Measured, it is one and a half times.",
        ),
        "c": (
            "the positions form six separate groups",
            False,
            "Even random numbers fall into groups on such a map. The rows follow one smooth curve.",
        ),
        "d": (
            "models confuse positions 63 tokens apart, so the encoding has to be replaced",
            False,
            "From 12 columns on a neighbour's row is the nearest, for all of these 128 positions. What the "
            "map shows belongs to so few columns.",
        ),
        "e": (
            "nothing about the encoding of a model with 512 columns",
            True,
            "Another width is another table. With 64 columns already, the map shows a single curve.",
        ),
    },
    hints=(
        "Which of these did the lesson check on the rows themselves, and which did the two known tables put "
        "in doubt?",
        "What is t-SNE built to keep? And how many columns does this table have?",
    ),
)
