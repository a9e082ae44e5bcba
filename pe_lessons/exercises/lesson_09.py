"""Exercises of lesson 09, learned positions."""

import numpy as np

from pe_lessons.exercises.engine import Exercise, Misconception, Question, Slip


def _random_table(seed, max_len, d_model):
    return np.random.default_rng(seed).normal(size=(max_len, d_model))


def _curve(seed, seq_len, d_model):
    """Rows that lie on a rough curve, far from 0 and of different lengths."""
    rng = np.random.default_rng(seed)
    curve = rng.normal(size=(seq_len, d_model)).cumsum(axis=0)
    return curve + rng.normal(size=d_model) * 3 + 0.8 * rng.normal(size=(seq_len, d_model))


def _neighbour_share(table):
    centred = table - table.mean(axis=0)
    centred = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    alike = centred @ centred.T  # (seq_len, seq_len)
    np.fill_diagonal(alike, -np.inf)  # a row itself does not count
    steps = np.abs(alike.argmax(axis=1) - np.arange(len(table)))
    return np.mean(steps == 1)


def _share_with(
    centre=lambda table: table - table.mean(axis=0),
    compare=lambda rows: (rows @ rows.T) / np.outer(*2 * [np.linalg.norm(rows, axis=1)]),
    choose=lambda alike: np.where(np.eye(len(alike)), -np.inf, alike).argmax(axis=1),
    near=lambda steps: np.abs(steps) == 1,
    finish=np.mean,
):
    def neighbour_share(table):
        chosen = choose(compare(centre(table)))
        return finish(near(chosen - np.arange(len(table))))

    return neighbour_share


def _ring(seed, seq_len, d_model):
    """Rows that lie on a rough ring: the first and the last are neighbours on it."""
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(seq_len) / seq_len
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ rng.normal(size=(2, d_model))
    return ring + rng.normal(size=d_model) + 0.1 * rng.normal(size=(seq_len, d_model))


def _mean_cosine(table):
    centred = table - table.mean(axis=0)
    centred = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    return np.mean(np.sum(centred[:-1] * centred[1:], axis=1))


def _share_round_the_end(table):
    steps = _share_with(finish=lambda near: near, near=lambda steps: steps)(table)
    return np.mean(np.isin(steps % len(table), (1, len(table) - 1)))


def _by_distance(rows):
    return -np.linalg.norm(rows[:, None] - rows, axis=-1)


neighbour_share = Exercise(
    name="neighbour_share",
    reference=_neighbour_share,
    probes=(
        (_curve(0, 24, 5),),
        (_curve(1, 31, 4),),
        (_random_table(5, 9, 3),),
        (_ring(2, 11, 4),),
        (_random_table(9, 7, 60),),  # nearly perpendicular rows: most cosines are negative
    ),
    edge_probes=((_curve(3, 3, 4),),),
    misconceptions=(
        Misconception(
            "mean row not subtracted",
            "The mean row was not subtracted. What all rows have in common makes them all alike, and hides "
            "which are more alike than others.",
            _share_with(centre=lambda table: table),
        ),
        Misconception(
            "mean of each row subtracted",
            "The mean of each row's own numbers is subtracted. Wanted is the mean row: the mean of each "
            "column, over the positions, axis=0.",
            _share_with(centre=lambda table: table - table.mean(axis=1, keepdims=True)),
        ),
        Misconception(
            "products instead of cosines",
            "The rows are compared by their product, and that favours rows with a large norm. For the cosine "
            "divide by both norms.",
            _share_with(compare=lambda rows: rows @ rows.T),
        ),
        Misconception(
            "distance instead of cosine",
            "The nearest row by Euclidean distance is taken. Here alike means: the largest cosine.",
            _share_with(compare=_by_distance),
        ),
        Misconception(
            "row itself counts",
            "Every row is most alike to itself, so no neighbour ever wins. Take the row itself out before "
            "looking for the largest.",
            _share_with(choose=lambda alike: alike.argmax(axis=1)),
        ),
        Misconception(
            "own cosine set to 0",
            "The cosine of a row with itself was set to 0. Where all others are negative, 0 is still the "
            "largest: set it to -np.inf.",
            _share_with(choose=lambda alike: np.where(np.eye(len(alike)), 0, alike).argmax(axis=1)),
        ),
        Misconception(
            "least alike row",
            "The row that is least alike is chosen. Look for the largest cosine: argmax.",
            _share_with(choose=lambda alike: alike.argmin(axis=1)),
        ),
        Misconception(
            "sign of the cosine lost",
            "The size of the cosine decides, without its sign, so that the opposite row counts as alike. "
            "Leave the sign.",
            _share_with(choose=lambda alike: (np.abs(alike) - 2 * np.eye(len(alike))).argmax(axis=1)),
        ),
        Misconception(
            "only the row before",
            "Only the row before counts as a neighbour. The row after is one too.",
            _share_with(near=lambda steps: steps == -1),
        ),
        Misconception(
            "only the row after",
            "Only the row after counts as a neighbour. The row before is one too.",
            _share_with(near=lambda steps: steps == 1),
        ),
        Misconception(
            "two tokens count as near",
            "Rows two tokens away are counted too. A neighbour is the row directly before or after.",
            _share_with(near=lambda steps: np.abs(steps) <= 2),
        ),
        Misconception(
            "count for share",
            "This is how many rows have a neighbour as the most alike one. Divide by the number of rows, or "
            "take the mean.",
            _share_with(finish=np.sum),
        ),
        Misconception(
            "divided by the pairs",
            "The number of rows is divided by the number of pairs, one less. It is a share of the rows.",
            _share_with(finish=lambda near: np.sum(near) / (len(near) - 1)),
        ),
        Misconception(
            "percent instead of share",
            "This is the share in percent. Leave out the factor 100: wanted is a number between 0 and 1.",
            _share_with(finish=lambda near: 100 * np.mean(near)),
        ),
        Misconception(
            "mean cosine of neighbours",
            "This is the mean cosine of neighbouring rows: how alike they are. Asked is how often one of "
            "them is *the most* alike of all rows.",
            _mean_cosine,
        ),
        Misconception(
            "first and last row as neighbours",
            "The first and the last row count as neighbours. A text does not close to a ring: each of them "
            "has only one neighbour. Mind that index -1 is the last row.",
            _share_round_the_end,
        ),
        Misconception(
            "share of the others",
            "This is the share for which a neighbour is not the most alike. Turn the comparison round.",
            _share_with(finish=lambda near: 1 - np.mean(near)),
        ),
        Misconception(
            "one value per row",
            "There is one value per row. One step is left: the share of the rows for which it is true.",
            _share_with(finish=lambda near: near),
        ),
    ),
    hints=(
        "Four steps: subtract the mean row, all cosines, for every row the largest one except its own, and "
        "how often that is one step away.",
        "table - table.mean(axis=0); divide every row by its norm, np.linalg.norm(..., axis=1, "
        "keepdims=True); then rows @ rows.T holds all cosines.",
        "np.fill_diagonal(alike, -np.inf) keeps a row from choosing itself; argmax(axis=1) minus "
        "np.arange(len(table)) is the step, and np.mean of where its size is 1 the share.",
    ),
)


def _learned_rows(token_ids, table, offset, padding_id):
    real = token_ids != padding_id  # (batch, seq_len)
    before = (real.cumsum(axis=1) - real) * real  # real tokens before each; padding asks for no row
    return np.where(real[:, :, None], table[offset + before], 0.0)


def _places(ids, real):
    return np.broadcast_to(np.arange(ids.shape[1]), ids.shape)


def _after_left_padding(ids, real):
    return (_places(ids, real) - real.argmax(axis=1)[:, None]).clip(0)


def _learned_with(
    find_real=lambda ids, padding_id: ids != padding_id,
    count=lambda ids, real: real.cumsum(axis=1) - real,
    start=lambda offset, padding_id: offset,
    padding=lambda rows, real, table, padding_id: np.where(real[:, :, None], rows, 0.0),
):
    def learned_rows(token_ids, table, offset, padding_id):
        real = find_real(token_ids, padding_id)
        rows = table[start(offset, padding_id) + count(token_ids, real)]
        return padding(rows, real, table, padding_id)

    return learned_rows


def _ids(*sentences):
    return np.array(sentences)


learned_rows = Exercise(
    name="learned_rows",
    reference=_learned_rows,
    probes=(
        (_ids([9, 6, 1, 7, 1], [1, 1, 5, 8, 5]), _random_table(0, 21, 4), 2, 1),
        (_ids([3, 8, 3, 5, 9], [6, 3, 3, 4, 7]), _random_table(1, 24, 3), 4, 3),
        (_ids([2, 0, 7, 4, 6], [0, 0, 0, 9, 5]), _random_table(2, 23, 5), 3, 0),
    ),
    edge_probes=(
        (_ids([4, 4, 8, 6, 7], [5, 9, 4, 8, 4]), _random_table(3, 21, 2), 0, 1),
        (_ids([1, 1, 1], [7, 1, 7]), _random_table(4, 12, 3), 5, 1),
    ),
    misconceptions=(
        Misconception(
            "looked up by the ids",
            "This is table[token_ids]: the table is asked with the token ids, as if it were that of words. A "
            "row of this table belongs to a position: where the token is, not which it is.",
            lambda token_ids, table, offset, padding_id: table[token_ids],
        ),
        Misconception(
            "places only",
            "Every token gets the row of its place in the array. Three things are still to do: count only "
            "the real tokens before it, add `offset`, and put zeros where there is padding.",
            lambda token_ids, table, offset, padding_id: table[_places(token_ids, None)],
        ),
        Misconception(
            "places of one sentence",
            "These are the rows of one sentence, table[0], table[1], ...: there is no batch axis. The "
            "sentences differ in padding, so each needs rows of its own: count its real tokens.",
            lambda token_ids, table, offset, padding_id: table[: token_ids.shape[1]],
        ),
        Misconception(
            "places of one sentence, with offset",
            "They begin at row `offset`, but these are the rows of one sentence, without a batch axis. The "
            "sentences differ in padding, so each needs rows of its own: count its real tokens.",
            lambda token_ids, table, offset, padding_id: table[offset : offset + token_ids.shape[1]],
        ),
    ),
    slips=(
        Slip(
            "padding id written in",
            "Padding is looked for as id 1, as in the batch of the lesson. It is given as `padding_id`, and "
            "may be another.",
            "find_real",
            lambda ids, padding_id: ids != 1,
        ),
        Slip(
            "offset by one",
            "Every position is one too high: the token itself is counted. cumsum includes it; only the "
            "real tokens *before* it count.",
            "count",
            lambda ids, real: real.cumsum(axis=1),
        ),
        Slip(
            "padding not ignored",
            "The place in the array is taken for the position, so padding on the left or in between pushes "
            "the words along. Count only the real tokens before.",
            "count",
            _places,
        ),
        Slip(
            "only padding on the left ignored",
            "Padding before the first word is left out, but padding between words still counts. Count the "
            "real tokens before each: it may stand anywhere.",
            "count",
            _after_left_padding,
        ),
        Slip(
            "indexed by token id",
            "The table is asked with the token ids, as if it were that of the words. A row of this table "
            "belongs to a position: where the token is, not which it is.",
            "count",
            lambda ids, real: ids,
        ),
        Slip(
            "counted across sentences",
            "The count runs on from one sentence into the next. Each begins at 0 again: cumsum along axis=1.",
            "count",
            lambda ids, real: real.cumsum().reshape(real.shape) - real,
        ),
        Slip(
            "counted down the batch",
            "The count runs from sentence to sentence, axis 0, instead of along each one, axis=1.",
            "count",
            lambda ids, real: real.cumsum(axis=0) - real,
        ),
        Slip(
            "counted from the end",
            "The real tokens *after* each token are counted. Positions begin with the first: count those "
            "before.",
            "count",
            lambda ids, real: real.sum(axis=1, keepdims=True) - real.cumsum(axis=1),
        ),
        Slip(
            "padding counted instead of words",
            "The padding before each token is counted, and the words are left out. It is the other way "
            "round: compare with !=.",
            "count",
            lambda ids, real: (~real).cumsum(axis=1) - ~real,
        ),
        Slip(
            "offset forgotten",
            "`offset` is missing: position 0 belongs to row `offset` of the table, not to row 0.",
            "start",
            lambda offset, padding_id: 0,
        ),
        Slip(
            "offset written in",
            "The first row is always 2, as in the tables of the lesson. It is given as `offset`, and may be "
            "another.",
            "start",
            lambda offset, padding_id: 2,
        ),
        Slip(
            "offset subtracted",
            "`offset` is subtracted. The rows before it are not used, so it must be added.",
            "start",
            lambda offset, padding_id: -offset,
        ),
        Slip(
            "offset from the padding id",
            "The rows begin at padding_id + 1. That was so in fairseq; here the first row is given as an "
            "argument, `offset`.",
            "start",
            lambda offset, padding_id: padding_id + 1,
        ),
        Slip(
            "padding row not zero",
            "Padding gets a row of the table too. It should get zeros, so that nothing is added to it.",
            "padding",
            lambda rows, real, table, padding_id: rows,
        ),
        Slip(
            "row of the padding id",
            "Padding gets the row with the number of the padding id. In RoBERTa that row is zero; here "
            "nothing says so: padding gets zeros.",
            "padding",
            lambda rows, real, table, padding_id: np.where(real[:, :, None], rows, table[padding_id]),
        ),
        Slip(
            "row 0 for padding",
            "Padding gets row 0 of the table. Row 0 is a row like the others: padding gets zeros.",
            "padding",
            lambda rows, real, table, padding_id: np.where(real[:, :, None], rows, table[0]),
        ),
        Slip(
            "words zeroed instead of padding",
            "The words get zeros and the padding keeps its rows. Turn the condition round.",
            "padding",
            lambda rows, real, table, padding_id: np.where(real[:, :, None], 0.0, rows),
        ),
    ),
    build=_learned_with,
    hints=(
        "Three questions: which tokens are real, how many real ones are before each, and what does padding "
        "get?",
        "real = token_ids != padding_id; real.cumsum(axis=1) counts the token itself as well, so subtract "
        "real again. real has the shape (batch, seq_len), the rows (batch, seq_len, d_model): "
        "real[:, :, None] fits them.",
        "table[offset + before * real] picks all rows at once, for padding one that exists; "
        "np.where(real[:, :, None], rows, 0.0) puts zeros where there is padding.",
    ),
)

reach_question = Question(
    name="reach_question",
    prompt="A learned table has 512 rows. No training text had more than 200 tokens, all padded on the "
    "right, and there was no weight decay. What is true?",
    choices={
        "a": (
            "rows 200 to 511 are as random as they began",
            True,
            "No loss depended on them, so their gradient was exactly 0 at every step.",
        ),
        "b": (
            "a text of 300 tokens is an error",
            False,
            "Rows 200 to 299 exist, so there is an answer. It is read from rows that were never trained, "
            "and nothing says so.",
        ),
        "c": (
            "a text of 600 tokens is an error",
            True,
            "There are no rows for tokens 512 to 599.",
        ),
        "d": (
            "row 150 was trained as often as row 0",
            False,
            "Every text has a first token, but only texts of more than 150 tokens have one in row 150. "
            "Late rows see less training.",
        ),
        "e": (
            "if neighbouring rows are not alike, the model cannot know which positions are near",
            False,
            "A table that began loud did its task as well as the quiet one, and its neighbours were hardly "
            "alike.",
        ),
        "f": (
            "padding the same texts on the left instead, with the place in the array as position, gives "
            "the same answers",
            False,
            "Then a word's row depends on how much padding stands before it. Count the real tokens instead.",
        ),
    },
    hints=(
        "Ask of each row: was there a text that used it? And of each text: is there a row for every token?",
        "Three regions: 0 to 199, 200 to 511, from 512 on. Then remember the table that began with "
        "standard deviation 1.",
    ),
)
