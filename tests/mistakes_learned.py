"""Lesson 09 for the tests of exercises: oracles, the mistakes it must know, and each in two other styles."""

import itertools
import math

import numpy as np
import torch
from torch.nn import functional as F


def rows_one_by_one(token_ids, table, offset, padding_id):
    result = []
    for sentence in token_ids.tolist():
        rows = []
        for place, token in enumerate(sentence):
            before = sum(other != padding_id for other in sentence[:place])
            rows.append([0.0] * table.shape[1] if token == padding_id else list(table[offset + before]))
        result.append(rows)
    return result


def share_by_correlation(table):
    centred = torch.tensor(table - np.mean(table, axis=0))
    alike = F.cosine_similarity(centred[:, None], centred[None], dim=-1).fill_diagonal_(-2)
    chosen = alike.argmax(dim=1).tolist()
    return sum(abs(row - other) == 1 for row, other in enumerate(chosen)) / len(chosen)


ORACLES = {"learned_rows": rows_one_by_one, "neighbour_share": share_by_correlation}

CATALOGUE = {
    "learned_rows": (
        "offset by one", "padding not ignored", "indexed by token id", "padding row not zero",
        "offset forgotten", "looked up by the ids", "places of one sentence", "padding id written in",
        "only padding on the left ignored",
    ),
    "neighbour_share": (
        "mean row not subtracted", "row itself counts", "own cosine set to 0",
        "first and last row as neighbours", "mean cosine of neighbours", "percent instead of share",
    ),
}  # fmt: skip


# learned_rows: one token at a time, and whole tensors.


def loop_learned(
    number=lambda sentence, place, pad, batch, row: len([t for t in sentence[:place] if t != pad]),
    start=lambda offset, pad: offset,
    row=lambda table, n, is_padding, pad: [0.0] * len(table[0]) if is_padding else table[n],
    padding=lambda pad: pad,
):
    def learned(token_ids, table, offset, padding_id):
        batch, table, padding_id = token_ids.tolist(), table.tolist(), padding(padding_id)
        return [
            [
                row(
                    table,
                    start(offset, padding_id) + number(sentence, place, padding_id, batch, line),
                    token == padding_id,
                    padding_id,
                )
                for place, token in enumerate(sentence)
            ]
            for line, sentence in enumerate(batch)
        ]

    return learned


def real_in(tokens, pad):
    return sum(1 for token in tokens if token != pad)


def torch_learned(
    number=lambda ids, real: torch.cumsum(real, 1) - real,
    start=lambda offset, pad: offset,
    finish=lambda rows, real, table, pad: rows * real[..., None],
    padding=lambda pad: pad,
):
    def learned(token_ids, table, offset, padding_id):
        padding_id = padding(padding_id)
        ids, table = torch.tensor(token_ids), torch.tensor(table)
        real = ids.ne(padding_id).long()
        rows = table[start(offset, padding_id) + number(ids, real)]
        return finish(rows, real, table, padding_id)

    return learned


def words_before(sentence, place, pad):
    first = next((n for n, token in enumerate(sentence) if token != pad), 0)
    return max(place - first, 0)


LEARNED_STYLES = {
    name: (loop_learned(**loop), torch_learned(**tensor))
    for name, loop, tensor in [
        (
            "offset by one",
            {"number": lambda s, p, pad, batch, row: real_in(s[: p + 1], pad)},
            {"number": lambda ids, real: torch.cumsum(real, 1)},
        ),
        (
            "padding not ignored",
            {"number": lambda s, p, pad, batch, row: p},
            {"number": lambda ids, real: torch.arange(ids.shape[1]).expand(ids.shape)},
        ),
        (
            "indexed by token id",
            {"number": lambda s, p, pad, batch, row: s[p]},
            {"number": lambda ids, real: ids},
        ),
        (
            "counted across sentences",
            {
                "number": lambda s, p, pad, batch, row: (
                    sum(real_in(earlier, pad) for earlier in batch[:row]) + real_in(s[:p], pad)
                )
            },
            {"number": lambda ids, real: real.flatten().cumsum(0).view_as(real) - real},
        ),
        (
            "counted down the batch",
            {"number": lambda s, p, pad, batch, row: real_in([other[p] for other in batch[:row]], pad)},
            {"number": lambda ids, real: real.cumsum(dim=0) - real},
        ),
        (
            "counted from the end",
            {"number": lambda s, p, pad, batch, row: real_in(s[p + 1 :], pad)},
            {"number": lambda ids, real: real.flip(1).cumsum(dim=1).flip(1) - real},
        ),
        (
            "padding counted instead of words",
            {"number": lambda s, p, pad, batch, row: s[:p].count(pad)},
            {"number": lambda ids, real: (1 - real).cumsum(1) - (1 - real)},
        ),
        (
            "padding id written in",
            {"padding": lambda pad: 1},
            {"padding": lambda pad: 1},
        ),
        (
            "only padding on the left ignored",
            {"number": lambda s, p, pad, batch, row: words_before(s, p, pad)},
            {
                "number": lambda ids, real: (
                    torch.arange(ids.shape[1])
                    - (real.cumsum(1) == 0).sum(1, keepdim=True) * real.any(1)[:, None]
                ).clamp(min=0)
            },
        ),
        ("offset written in", {"start": lambda offset, pad: 2}, {"start": lambda offset, pad: 2}),
        ("offset forgotten", {"start": lambda offset, pad: 0}, {"start": lambda offset, pad: 0}),
        ("offset subtracted", {"start": lambda offset, pad: -offset}, {"start": lambda offset, pad: -offset}),
        (
            "offset from the padding id",
            {"start": lambda offset, pad: pad + 1},
            {"start": lambda offset, pad: 1 + pad},
        ),
        (
            "padding row not zero",
            {"row": lambda table, n, is_padding, pad: table[n]},
            {"finish": lambda rows, real, table, pad: rows},
        ),
        (
            "row of the padding id",
            {"row": lambda table, n, is_padding, pad: table[pad if is_padding else n]},
            {"finish": lambda rows, real, table, pad: rows.where(real[..., None] == 1, table[pad])},
        ),
        (
            "row 0 for padding",
            {"row": lambda table, n, is_padding, pad: table[0] if is_padding else table[n]},
            {"finish": lambda rows, real, table, pad: torch.where(real[..., None] > 0, rows, table[0])},
        ),
        (
            "words zeroed instead of padding",
            {"row": lambda table, n, is_padding, pad: table[n] if is_padding else [0.0] * len(table[0])},
            {"finish": lambda rows, real, table, pad: rows.masked_fill(real[..., None] == 1, 0)},
        ),
    ]
}

LEARNED_STYLES |= {
    "looked up by the ids": (
        lambda ids, table, offset, pad: [[list(table[token]) for token in sentence] for sentence in ids],
        lambda ids, table, offset, pad: F.embedding(torch.tensor(ids), torch.tensor(table)),
    ),
    "places only": (
        lambda ids, table, offset, pad: [[table[p] for p, _ in enumerate(sentence)] for sentence in ids],
        lambda ids, table, offset, pad: torch.tensor(table)[: ids.shape[1]].expand(len(ids), -1, -1),
    ),
    "places of one sentence": (
        lambda ids, table, offset, pad: [list(table[place]) for place in range(len(ids[0]))],
        lambda ids, table, offset, pad: F.embedding(torch.arange(ids.shape[1]), torch.tensor(table)),
    ),
    "places of one sentence, with offset": (
        lambda ids, table, offset, pad: [list(table[offset + place]) for place in range(len(ids[0]))],
        lambda ids, table, offset, pad: F.embedding(offset + torch.arange(ids.shape[1]), torch.tensor(table)),
    ),
}


# neighbour_share: row by row, and whole tensors.


def loop_mean_row(table):
    means = [sum(column) / len(table) for column in zip(*table)]
    return [[entry - mean for entry, mean in zip(row, means)] for row in table]


def loop_row_means(table):
    return [[entry - sum(row) / len(row) for entry in row] for row in table]


def loop_product(a, b):
    return sum(x * y for x, y in zip(a, b))


def loop_cosine(a, b):
    return loop_product(a, b) / math.sqrt(loop_product(a, a) * loop_product(b, b))


def loop_best(alike, own):
    return max((other for other in range(len(alike)) if other != own), key=lambda other: alike[other])


def loop_share(
    centre=loop_mean_row,
    compare=loop_cosine,
    choose=loop_best,
    near=lambda own, other: abs(own - other) == 1,
    finish=lambda flags: sum(flags) / len(flags),
):
    def share(table):
        rows = centre(table.tolist())
        flags = []
        for own, row in enumerate(rows):
            alike = [compare(row, other) for other in rows]
            flags.append(near(own, choose(alike, own)))
        return finish(flags)

    return share


def torch_best(alike):
    return alike.masked_fill(torch.eye(len(alike), dtype=torch.bool), -1e9).max(dim=1).indices


def torch_share(
    centre=lambda table: table - table.mean(dim=0),
    compare=lambda rows: F.normalize(rows) @ F.normalize(rows).T,
    choose=torch_best,
    near=lambda steps: steps.abs().eq(1),
    finish=lambda flags: flags.double().mean(),
):
    def share(table):
        chosen = choose(compare(centre(torch.tensor(table))))
        return finish(near(chosen - torch.arange(len(table))))

    return share


SHARE_STYLES = {
    name: (loop_share(**loop), torch_share(**tensor))
    for name, loop, tensor in [
        ("mean row not subtracted", {"centre": lambda table: table}, {"centre": lambda table: table}),
        (
            "mean of each row subtracted",
            {"centre": loop_row_means},
            {"centre": lambda table: table - table.mean(dim=1, keepdim=True)},
        ),
        ("products instead of cosines", {"compare": loop_product}, {"compare": lambda rows: rows @ rows.T}),
        (
            "distance instead of cosine",
            {"compare": lambda a, b: -math.dist(a, b)},
            {"compare": lambda rows: -torch.cdist(rows, rows)},
        ),
        (
            "row itself counts",
            {"choose": lambda alike, own: alike.index(max(alike))},
            {"choose": lambda alike: alike.argmax(dim=1)},
        ),
        (
            "own cosine set to 0",
            {"choose": lambda alike, own: max(range(len(alike)), key=lambda n: 0 if n == own else alike[n])},
            {"choose": lambda alike: alike.clone().fill_diagonal_(0).argmax(dim=1)},
        ),
        (
            "least alike row",
            {"choose": lambda alike, own: alike.index(min(alike))},
            {"choose": lambda alike: alike.min(dim=1).indices},
        ),
        (
            "sign of the cosine lost",
            {"compare": lambda a, b: abs(loop_cosine(a, b))},
            {"choose": lambda alike: torch_best(alike.square())},
        ),
        (
            "only the row before",
            {"near": lambda own, other: other == own - 1},
            {"near": lambda steps: steps.eq(-1)},
        ),
        (
            "only the row after",
            {"near": lambda own, other: other == own + 1},
            {"near": lambda steps: steps.eq(1)},
        ),
        (
            "two tokens count as near",
            {"near": lambda own, other: other in (own - 2, own - 1, own + 1, own + 2)},
            {"near": lambda steps: steps.abs() < 3},
        ),
        ("count for share", {"finish": sum}, {"finish": lambda flags: flags.sum()}),
        (
            "divided by the pairs",
            {"finish": lambda flags: sum(flags) / (len(flags) - 1)},
            {"finish": lambda flags: flags.sum() / (len(flags) - 1)},
        ),
        (
            "percent instead of share",
            {"finish": lambda flags: 100 * sum(flags) / len(flags)},
            {"finish": lambda flags: flags.double().mean() * 100},
        ),
        (
            "share of the others",
            {"finish": lambda flags: flags.count(False) / len(flags)},
            {"finish": lambda flags: (~flags).double().mean()},
        ),
        ("one value per row", {"finish": lambda flags: flags}, {"finish": lambda flags: flags}),
    ]
}


def ring_loop(table):
    n, hits = len(table), 0
    rows = loop_mean_row(table.tolist())
    for own, row in enumerate(rows):
        best = loop_best([loop_cosine(row, other) for other in rows], own)
        hits += best in ((own + 1) % n, (own - 1) % n)
    return hits / n


def ring_torch(table):
    steps = torch_share(near=lambda steps: steps.abs(), finish=lambda steps: steps)(table)
    return ((steps == 1) | (steps == len(table) - 1)).double().mean()


def cosines_of_neighbours(table):
    rows = loop_mean_row(table.tolist())
    return sum(loop_cosine(a, b) for a, b in itertools.pairwise(rows)) / (len(rows) - 1)


def torch_cosines_of_neighbours(table):
    rows = torch.tensor(table) - torch.tensor(table).mean(dim=0)
    return F.cosine_similarity(rows[1:], rows[:-1]).mean()


SHARE_STYLES |= {
    "first and last row as neighbours": (ring_loop, ring_torch),
    "mean cosine of neighbours": (cosines_of_neighbours, torch_cosines_of_neighbours),
}

STYLES = {"learned_rows": LEARNED_STYLES, "neighbour_share": SHARE_STYLES}
