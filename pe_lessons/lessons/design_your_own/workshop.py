"""The workshop: an encoding of your own, by measures that the course already has, and a small training.

An encoding is a table, ``encode(positions, d_model)``, which returns a row for each entry of `positions`, a
floating-point array (seq_len,) of whole numbers. Or it is a `toys.Encoding`, such as ``toys.Rotary()``, which
turns queries and keys, or adds to the scores. Such an encoding has no rows to measure.
"""

import copy

import numpy as np
import torch

from pe_lessons import measures, plots, toys

SEQ_LEN, LONGER, WIDTH, BACK, STEPS = 16, 64, 32, 5, 120


def rows_of(encoding, count=LONGER):
    """The table that an encoding makes for positions 0 to count - 1, shape (count, 32).

    >>> rows_of(lambda positions, d_model: None)
    Traceback (most recent call last):
    ...
    ValueError: <lambda> must return 64 rows of 32 finite numbers, got nothing: is `return` missing?
    """
    asked = f"{encoding.__name__} must return {count} rows of {WIDTH} finite numbers"
    made = encoding(np.arange(float(count)), WIDTH)
    if made is None:
        raise ValueError(f"{asked}, got nothing: is `return` missing?")
    table = np.asarray(made, dtype=float)
    if table.shape != (count, WIDTH):
        raise ValueError(f"{asked}, got the shape {table.shape}: a sine and a cosine are two columns")
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"{asked}, but the row of position {row} has {table[row, column]}")
    return table


def measured(encoding):
    """What the rows of 64 positions say, by name; nothing for an encoding without rows.

    ``next door`` is the share of rows whose nearest row is next door, ``smallest distance`` is between the
    two closest rows, ``shift`` is what the best matrix misses of the row three tokens on, ``length`` how far
    the first 5 rows change when 5 tokens become 50, and ``with words`` is `distance_with_words`.
    """
    if isinstance(encoding, toys.Encoding):
        return {}
    table = rows_of(encoding)
    near = np.abs(measures.nearest_neighbours(table) - np.arange(LONGER)) == 1
    return {
        "next door": float(near.mean()),
        "smallest distance": measures.smallest_gap(table),
        "shift": measures.shift_residual(table, offset=3),
        "length": measures.length_drift(lambda count: rows_of(encoding, count), 5, 50),
        "with words": distance_with_words(encoding),
    }


def distance_with_words(encoding, seed=0):
    """The distance of the two closest of 16 rows, added to 200 random words, after LayerNorm, averaged."""
    words = np.random.default_rng(seed).normal(size=(200, 1, WIDTH))
    both = words + rows_of(encoding, SEQ_LEN)  # (200, 16, 32)
    both = both - both.mean(axis=-1, keepdims=True)
    return measures.smallest_gap((both / both.std(axis=-1, keepdims=True)).mean(axis=0))


def five_back(num_texts, seq_len, *, seed):
    """Texts of eight words drawn at random, and for each word the word five places before it."""
    texts = toys.batches(_back, seed=seed, seq_len=seq_len, vocab_size=8, batch_size=num_texts)
    return next(texts)


def _back(tokens):
    return toys.k_back(tokens, k=BACK)


def trained(encoding, seed=0, steps=STEPS):
    """One causal block with one head, after 120 steps on five back with texts of 16 words."""
    own = isinstance(encoding, toys.Encoding)
    torch.manual_seed(seed)
    model = toys.TinyTransformer(
        8, 8, encoding=copy.deepcopy(encoding) if own else toys.Table(rows_of(encoding)), causal=True
    )
    texts = toys.batches(_back, seed=1000 + seed, seq_len=SEQ_LEN, vocab_size=8)
    toys.train(model, texts, steps=steps, print_every=None)
    return model


def share_right(model, seq_len, seed=0):
    """What a trained model gets right in the second half of new texts of so many words."""
    tokens, targets = five_back(2048 // seq_len, seq_len, seed=2000 + seed)
    targets[:, : seq_len // 2] = toys.IGNORE_INDEX
    return toys.accuracy(model, tokens, targets)


def right_by_word(model, seq_len, seed=0):
    """What a trained model gets right at each place of 1,000 new texts; NaN where no word is five back."""
    tokens, targets = five_back(1000, seq_len, seed=2000 + seed)
    with torch.no_grad():
        right = (model(tokens).argmax(dim=-1) == targets).float().mean(dim=0).numpy()
    right[:BACK] = np.nan
    return right


def looks_at(model, seed=0):
    """Where the head of a trained model looks: the mean of 128 texts, (16, 16), rows are queries."""
    tokens, _ = five_back(128, SEQ_LEN, seed=2000 + seed)
    return toys.attention_weights(model, tokens).mean(dim=(0, 1)).numpy()


def weight_back(attention, back, first=0):
    """Mean weight on the word `back` places back, over the words from `first` on that have such a word."""
    return float(np.diagonal(attention, -back)[max(0, first - back) :].mean())


def compare(encodings, models=None, rows=None):
    """Show all measures of several encodings {name: encoding} as a table, and return the trained models.

    `models`, from an earlier call, are not trained again. `rows` names the measures to show, instead of all.
    The row ``length`` is shown only where rows change with the length of the text.
    """
    models = {name: (models or {}).get(name) or trained(one) for name, one in encodings.items()}
    columns = []
    for name, one in encodings.items():
        right = {f"right at {size}": share_right(models[name], size) for size in (SEQ_LEN, LONGER)}
        columns.append(measured(one) | right)
    known = dict.fromkeys(name for column in columns for name in column)
    if unknown := [name for name in rows or () if name not in known]:
        raise ValueError(f"rows may name {', '.join(known)}, got {unknown[0]!r}")
    names = list(rows or max(columns, key=len))
    if "length" in names and all(column.get("length", 0) < 0.005 for column in columns):
        names.remove("length")
    cells = [[f"{column[row]:.2f}" if row in column else "" for column in columns] for row in names]
    plots.show_table(cells, rows=names, columns=encodings, corner="measure")
    return models
