"""Exercises of lesson 13, grids and positions that are not whole."""

from types import SimpleNamespace

import numpy as np

from pe_lessons import arrays
from pe_lessons.exercises.engine import Exercise, Misconception, Question, Slip


def grid_of_two_tables(height, width, d_model):
    half = d_model // 2
    grid = np.empty((height, width, d_model))
    grid[..., :half] = arrays.sinusoidal(height, half)[:, None]  # the same for every column
    grid[..., half:] = arrays.sinusoidal(width, half)  # the same for every row
    return grid


def _side_by_side(encode, first, second, d_model):
    return np.concatenate([encode(*axis, d_model // 2) for axis in (first, second)], axis=-1)


def _halves_added(encode, first, second, d_model):
    return encode(*first, d_model // 2) + encode(*second, d_model // 2)


def _full_widths_added(encode, first, second, d_model):
    return encode(*first, d_model) + encode(*second, d_model)


def _cut_from_full_width(encode, first, second, d_model):
    half = d_model // 2
    return np.concatenate(
        [encode(*first, d_model)[..., :half], encode(*second, d_model)[..., half:]], axis=-1
    )


def _in_turn(size):
    """A combination that takes `size` numbers of the one axis, `size` of the other, and so on."""

    def combine(encode, first, second, d_model):
        halves = [encode(*axis, d_model // 2) for axis in (first, second)]
        blocks = [half.reshape(*half.shape[:-1], -1, size) for half in halves]
        return np.stack(blocks, axis=-2).reshape(*halves[0].shape[:-1], d_model)

    return combine


def _one_line(encode, first, second, d_model):
    (outer, n_outer), (inner, n_inner) = first, second
    return encode(outer * n_inner + inner, n_outer * n_inner, d_model)


def _only_square(height, width):
    if height != width:
        raise ValueError("could not broadcast the columns into the rows")
    return height, width


def _listed_column_by_column(row, column):
    """Each patch's place when the places are listed column by column and folded up row by row."""
    (row, height), (column, width) = row, column
    number = row * width + column
    return (number % height, height), (number // height, width)


def _listed_for_width_rows(row, column):
    """Each patch's place in a grid of `width` rows and `height` columns, which is folded up afterwards."""
    (row, height), (column, width) = row, column
    number = row * width + column
    return (number // height, width), (number % height, height)


def _concatenated_as_they_are(height, width, d_model):
    tables = [arrays.sinusoidal(size, d_model // 2) for size in (height, width)]
    return np.concatenate(tables, axis=-1)


def _grid_with(**pieces):
    right = {
        "sizes": lambda height, width: (height, width),
        "axes": lambda row, column: (row, column),
        "position": lambda position, size: position,
        "exponent": lambda pair, width: 2 * pair / width,
        "waves": (np.sin, np.cos),
        "layout": lambda waves: np.stack(waves, axis=-1).reshape(*waves[0].shape[:-1], -1),
        "combine": _side_by_side,
        "arrange": lambda grid: grid,
    }
    part = SimpleNamespace(**right | pieces)

    def encode(positions, size, width):
        frequencies = 10_000.0 ** -part.exponent(np.arange(width // 2), width)  # (n_pairs,)
        angles = part.position(positions, size)[..., None] * frequencies
        return part.layout([wave(angles) for wave in part.waves])  # (height, width of the grid, width)

    def grid(height, width, d_model):
        height, width = part.sizes(height, width)
        row, column = np.indices((height, width))
        first, second = part.axes((row, height), (column, width))
        return part.arrange(part.combine(encode, first, second, d_model))

    return grid


sinusoidal_2d = Exercise(
    name="sinusoidal_2d",
    reference=grid_of_two_tables,
    probes=((2, 3, 12), (4, 2, 8), (3, 3, 8)),
    edge_probes=((1, 4, 4), (2, 1, 8), (30, 2, 16)),
    misconceptions=(
        Misconception(
            "tables concatenated as they are",
            "The two tables are concatenated as they come. On a square grid that gives one line of patches, "
            "on any other an error. Every patch row has to meet every patch column: assign them, as "
            "(height, 1, ...) and (1, width, ...), to the two halves of an empty grid.",
            _concatenated_as_they_are,
        ),
    ),
    slips=(
        Slip(
            "row and column exchanged",
            "Patch row and patch column have changed places: the first half of the numbers encodes the patch "
            "column. A model that is trained so works, a checkpoint breaks: here the patch row comes first.",
            "axes",
            lambda row, column: (column, row),
        ),
        Slip(
            "row used twice",
            "Both halves encode the patch row, so all patches of a patch row get the same numbers. The "
            "second half belongs to the patch column.",
            "axes",
            lambda row, column: (row, row),
        ),
        Slip(
            "column used twice",
            "Both halves encode the patch column, so all patches of a patch column get the same numbers. The "
            "first half belongs to the patch row.",
            "axes",
            lambda row, column: (column, column),
        ),
        Slip(
            "raster order",
            "This is the table of a line, folded: the patches are numbered through, and the grid is lost. "
            "Encode patch row and patch column apart.",
            "combine",
            _one_line,
        ),
        Slip(
            "halves added",
            "The two tables of d_model / 2 numbers are added, so each patch gets half as many numbers as it "
            "should, and patch row 2, patch column 5 gets the same as patch row 5, patch column 2. Put them "
            "side by side.",
            "combine",
            _halves_added,
        ),
        Slip(
            "added instead of side by side",
            "Two tables of the full width are added, and the sum is the same when patch row and patch column "
            "are exchanged. Give each axis half of the numbers, side by side.",
            "combine",
            _full_widths_added,
        ),
        Slip(
            "numbers of row and column alternate",
            "The numbers of the patch row and of the patch column alternate, one by one. All of the patch "
            "row's come first here, then all of the patch column's: concatenate, do not stack.",
            "combine",
            _in_turn(1),
        ),
        Slip(
            "pairs of row and column alternate",
            "The pairs of the patch row and of the patch column alternate. The values are right, their "
            "places are not: the whole half of the patch row comes first.",
            "combine",
            _in_turn(2),
        ),
        Slip(
            "halves of one full-width table",
            "The halves are cut from tables of the full width, so that the patch row gets the fast pairs "
            "and the patch column the slow ones. Each axis has a table of its own, d_model / 2 wide, that "
            "begins with 1 radian.",
            "combine",
            _cut_from_full_width,
        ),
        Slip(
            "frequencies over d_model",
            "Each half has only the faster of its frequencies. Is the exponent divided by d_model? Each axis "
            "has a table of its own, d_model / 2 wide: divide by that. Or did you take over the base 100 of "
            "the examples? That gives the same numbers; here it is 10,000.",
            "exponent",
            lambda pair, width: pair / width,
        ),
        Slip(
            "doubled exponent",
            "The exponent is doubled: all pairs but the first turn too slowly. Does your index already step "
            "by two before you multiply it by 2?",
            "exponent",
            lambda pair, width: 4 * pair / width,
        ),
        Slip(
            "positions from 1",
            "Patch rows and patch columns are counted from 1. The patch in the corner is in patch row 0, "
            "patch column 0.",
            "position",
            lambda position, size: position + 1,
        ),
        Slip(
            "positions over the size",
            "Patch rows and patch columns are divided by the size of the grid, so that the same place gets "
            "other numbers in a larger image. Here a position is the number of the patch row or patch column "
            "itself.",
            "position",
            lambda position, size: position / size,
        ),
        Slip(
            "sine and cosine exchanged",
            "Sine and cosine have changed places: the corner begins 1, 0 where it should begin 0, 1.",
            "waves",
            (np.cos, np.sin),
        ),
        Slip(
            "sines before cosines",
            "In each half all sines come first and all cosines after them. The numbers are right, their "
            "places are not: each cosine is right beside its sine.",
            "layout",
            lambda waves: np.concatenate(waves, axis=-1),
        ),
        Slip(
            "flattened column by column",
            "The places are listed column by column and folded up row by row, so most patches get the place "
            "of another. A square grid hides it as an exchange of the axes; look at one of 2 x 3.",
            "axes",
            _listed_column_by_column,
        ),
        Slip(
            "height and width exchanged, then folded",
            "The table is made for `width` rows and `height` columns, then folded to (height, width). "
            "On a square grid that is right; on any other the places run on in lines of `height`, where a "
            "line of the grid has `width` patches. Make it for (height, width) at once.",
            "axes",
            _listed_for_width_rows,
        ),
        Slip(
            "grid on its side",
            "The grid lies on its side: its first axis runs over the patch columns. Patch row first, then "
            "patch column: the shape is (height, width, d_model).",
            "arrange",
            lambda grid: grid.transpose(1, 0, 2),
        ),
        Slip(
            "left flat",
            "All patches are in one line. The numbers are right; fold them up to (height, width, d_model).",
            "arrange",
            lambda grid: grid.reshape(-1, grid.shape[-1]),
        ),
        Slip(
            "crash on grids that are not square",
            "Square grids are right; a grid that is not square stops with an error. Do the two halves get "
            "the shapes (height, 1, ...) and (1, width, ...) before they meet?",
            "sizes",
            _only_square,
        ),
        Slip(
            "height taken for both",
            "There are as many patch columns as patch rows, whatever the width. Which of the two sizes does "
            "the table of the patch columns ask for?",
            "sizes",
            lambda height, width: (height, height),
        ),
    ),
    build=_grid_with,
    hints=(
        "Two tables of d_model / 2 columns: one has a row for each patch row, the other a row for each patch "
        "column. Which patches share a row of the first table?",
        "arrays.sinusoidal(height, d_model // 2)[:, None] has the shape (height, 1, d_model / 2): the same "
        "for every patch column.",
        "np.concatenate does not broadcast: it wants both of shape (height, width, d_model / 2). Simpler: "
        "start from np.empty((height, width, d_model)). Assign the table of the patch rows, with [:, None], "
        "to grid[..., :half], and that of the patch columns to grid[..., half:]; broadcasting does the rest.",
    ),
)


def turn_by_two_axes(x, rows, columns):
    by_row, by_column = np.split(x, 2, axis=-1)  # each (n, head_dim / 2)
    turned = [arrays.rotary(by_row, rows), arrays.rotary(by_column, columns)]
    return np.concatenate(turned, axis=-1)


def _even_and_odd(x, rows, columns):
    turned = [arrays.rotary(x[:, 0::2], rows), arrays.rotary(x[:, 1::2], columns)]
    return np.stack(turned, axis=-1).reshape(x.shape)


def _by_raster_number(x, rows, columns):
    rows, columns = np.array(rows), np.array(columns)
    return arrays.rotary(x, rows * (columns.max() + 1) + columns)


def _table_added(x, rows, columns):
    ones = np.tile([0.0, 1.0], (len(x), x.shape[1] // 2))  # turned back by an angle: its sine and its cosine
    return x + turn_by_two_axes(ones, [-row for row in rows], [-column for column in columns])


def _first_and_second_half(n_pairs):
    return np.arange(n_pairs) < n_pairs // 2


def _turn_by_axes_with(**pieces):
    right = {
        "by_row": _first_and_second_half,
        "axes": lambda row, column: (row, column),
        "place": lambda place: place,
        "number": lambda n_pairs: np.arange(n_pairs) % (n_pairs // 2),
        "exponent": lambda pair, n_pairs: 2 * pair / n_pairs,
        "sign": 1,
        "pairs": lambda x: x.reshape(len(x), -1, 2),
        "unpair": lambda pairs: pairs.reshape(len(pairs), -1),
    }
    part = SimpleNamespace(**right | pieces)

    def axial(x, rows, columns):
        a, b = np.moveaxis(part.pairs(np.asarray(x, dtype=float)), -1, 0)  # each (n, n_pairs)
        n_pairs = a.shape[1]
        places = [part.place(np.array(places, dtype=float)) for places in (rows, columns)]
        row, column = part.axes(*places)
        positions = np.where(part.by_row(n_pairs), row[:, None], column[:, None])  # (n, n_pairs)
        angles = part.sign * positions * 10_000.0 ** -part.exponent(part.number(n_pairs), n_pairs)
        sine, cosine = np.sin(angles), np.cos(angles)
        return part.unpair(np.stack([a * cosine - b * sine, a * sine + b * cosine], axis=-1))

    return axial


def _in_each_half(x):
    """Pairs of a number and the one half a half further on, within each half of the row."""
    return np.swapaxes(x.reshape(len(x), 2, 2, -1), 2, 3).reshape(len(x), -1, 2)


def _back_into_halves(pairs):
    return np.swapaxes(pairs.reshape(len(pairs), 2, -1, 2), 2, 3).reshape(len(pairs), -1)


def _halves_in_wrong_order(pairs):
    return np.roll(pairs.reshape(len(pairs), -1), pairs.shape[1], axis=1)


axial_rotary = Exercise(
    name="axial_rotary",
    reference=turn_by_two_axes,
    probes=(
        (np.random.default_rng(20).normal(size=(4, 8)), [0, 1, 3, 2], [5, 0, 2, 7]),
        (np.random.default_rng(21).normal(size=(3, 12)), [1, 4, 2], [3, 0, 6]),
    ),
    edge_probes=(
        (np.random.default_rng(22).normal(size=(2, 4)), [2, 5], [7, 1]),
        (np.random.default_rng(23).normal(size=(3, 8)), [0.5, 2.25, -1], [3.75, 0, 100]),
    ),
    misconceptions=(
        Misconception(
            "whole row turned twice",
            "All numbers are rotated by the patch row and then by the patch column. Two rotations one after "
            "the other are one rotation by the sum, so patch row 2, patch column 5 and patch row 5, patch "
            "column 2 become the same place. Each axis gets one half.",
            lambda x, rows, columns: arrays.rotary(arrays.rotary(x, rows), columns),
        ),
        Misconception(
            "not turned",
            "Nothing is rotated: the rows come out as they went in.",
            lambda x, rows, columns: x,
        ),
        Misconception(
            "even and odd numbers",
            "The even numbers are rotated by the patch row and the odd ones by the patch column. Here the "
            "first half of the numbers belongs to the patch row, the second half to the patch column.",
            _even_and_odd,
        ),
        Misconception(
            "raster number as position",
            "All numbers are rotated by the patch's number in raster order, row * width + column. That is "
            "the line again: the last patch of a patch row and the first of the next are neighbours. Rotate "
            "one half by the patch row, the other by the patch column.",
            _by_raster_number,
        ),
        Misconception(
            "table added",
            "The sinusoidal table of the place is added. Rotary adds nothing: it rotates the pairs of x, and "
            "no row changes its norm.",
            _table_added,
        ),
    ),
    slips=(
        Slip(
            "row and column exchanged",
            "Patch row and patch column have changed places: the first half is rotated by the patch column. "
            "The patch row comes first here.",
            "axes",
            lambda row, column: (column, row),
        ),
        Slip(
            "row used twice",
            "Both halves are rotated by the patch row, so the patch column makes no difference. The second "
            "half belongs to the patch column.",
            "axes",
            lambda row, column: (row, row),
        ),
        Slip(
            "column used twice",
            "Both halves are rotated by the patch column, so the patch row makes no difference. The first "
            "half belongs to the patch row.",
            "axes",
            lambda row, column: (column, column),
        ),
        Slip(
            "second half not turned",
            "The second half comes out as it went in: it is to be rotated by the patch column.",
            "axes",
            lambda row, column: (row, 0 * column),
        ),
        Slip(
            "first half not turned",
            "The first half comes out as it went in: it is to be rotated by the patch row.",
            "axes",
            lambda row, column: (0 * row, column),
        ),
        Slip(
            "positions cut to whole numbers",
            "Positions lose what is behind the decimal point. A place may be 0.5 or 2.25; take the "
            "numbers as they are, without int().",
            "place",
            np.trunc,
        ),
        Slip(
            "frequencies over head_dim",
            "Each half has the fast pairs only. Is the exponent divided by head_dim? Each half is a row of "
            "head_dim / 2 numbers with frequencies of its own: divide by that. Or is the base the 100 of "
            "the lesson's examples? That gives the same numbers; here it is 10,000.",
            "exponent",
            lambda pair, n_pairs: pair / n_pairs,
        ),
        Slip(
            "frequencies run on",
            "The frequencies fall through both halves, so that the patch row gets the fast pairs and the "
            "patch column the slow ones. Each axis begins with 1 radian again.",
            "number",
            lambda n_pairs: np.arange(n_pairs) / 2,
        ),
        Slip(
            "pairs of row and column alternate",
            "Patch row and patch column alternate, pair by pair. Here the first half of the numbers belongs "
            "to the patch row, the second to the patch column.",
            "by_row",
            lambda n_pairs: np.arange(n_pairs) % 2 == 0,
        ),
        Slip(
            "wrong sign",
            "The pairs are rotated backwards. Are the two sines exchanged? b is subtracted in the first "
            "number of a pair, a cos - b sin.",
            "sign",
            -1,
        ),
        Slip(
            "partner half a row further on",
            "The partner of a number is taken from half a row further on, as the layout 'half' does. Here "
            "the two numbers of a pair are side by side.",
            "pairs",
            _in_each_half,
        ),
        Slip(
            "pairs apart",
            "The numbers are right, but their order is not: in each half all first numbers of the pairs come "
            "before all second ones. Put the two of a pair side by side again.",
            "unpair",
            _back_into_halves,
        ),
        Slip(
            "halves put back in the wrong order",
            "The halves are rotated rightly and have changed places: the one that was rotated by the patch "
            "column comes first. Put them back in the order in which they came.",
            "unpair",
            _halves_in_wrong_order,
        ),
    ),
    build=_turn_by_axes_with,
    hints=(
        "Two rows of head_dim / 2 numbers, each with a position of its own: what rotates them?",
        "np.split(x, 2, axis=-1) gives the two halves; arrays.rotary(half, positions) rotates one of them.",
        "Rotate the first half by the patch rows, the second by the patch columns, and put them together "
        "again with np.concatenate(..., axis=-1).",
    ),
)

plane_question = Question(
    name="plane_question",
    prompt="A grid of 10 x 20 patches, encoded by `sinusoidal_2d`, or by axial RoPE. What is true?",
    choices={
        "a": (
            "all 200 rows of the sinusoidal table are different",
            True,
            "Two patches differ in their patch row or in their patch column, and so in one of the halves.",
        ),
        "b": (
            "two patches with the same Euclidean distance are always equally alike",
            False,
            "The similarity is a kernel of one axis plus a kernel of the other: a cross. 5 to the right, "
            "or 3 to the right and 4 down, are equally far; with 64 columns the cosine is 0.87 for the one "
            "and 0.75 for the other.",
        ),
        "c": (
            "one matrix moves every row of the table by 3 down and 2 to the right",
            True,
            "Each half is moved by the shift matrix of its axis, both on one diagonal.",
        ),
        "d": (
            "with axial RoPE a score stays as it is when both patches move half a patch to the right",
            True,
            "The score depends on the two differences only, and a rotation does not ask for whole numbers.",
        ),
        "e": (
            "when all queries are equal and all keys are equal, an axial head can give all places on one "
            "diagonal through the query the same score, higher than everywhere else",
            False,
            "The score is f + g, of the differences in patch rows and in patch columns. The scores of (0, 0) "
            "and (1, 1) add up to the same as those of (0, 1) and (1, 0). If the first two are as high as "
            "any score can be, both of the others must be so too, and they are not on the diagonal.",
        ),
    },
    hints=(
        "The two halves know nothing of each other. Which sentence needs both axes at once?",
        "Write the similarity, and the score, as something of the patch rows plus something of the patch "
        "columns, and go through the sentences.",
    ),
)
