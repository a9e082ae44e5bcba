"""Lesson 08 for test_styles.py: its mistakes made in plain Python, and in PyTorch."""

import math

import torch
from torch.nn import functional as F

# readout: normal equations solved by elimination, and the pseudoinverse in PyTorch.


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def eliminated(inputs, wanted):
    """The best matrix; what the inputs leave open is 0."""
    columns, targets = list(zip(*inputs)), list(zip(*wanted))
    system = [[dot(column, other) for other in (*columns, *targets)] for column in columns]
    for n in range(len(system)):
        pivot = system[n][n]
        system[n] = [entry / pivot if pivot > 1e-9 else 0.0 for entry in system[n]]
        for m, row in enumerate(system):
            if m != n:
                system[m] = [entry - row[n] * other for entry, other in zip(row, system[n])]
    return [row[len(columns) :] for row in system]


def taken_through(inputs, matrix):
    columns = list(zip(*matrix))
    return [[dot(row, column) for column in columns] for row in inputs]


def loop_read(sums, labels, rows):
    return taken_through(sums, eliminated(sums, [rows[label] for label in labels]))


def loop_constant(sums, labels, rows):
    return loop_read([[*one, 1.0] for one in sums], labels, rows)


def loop_exchanged(sums, labels, rows):
    return taken_through(sums, eliminated([rows[label] for label in labels], sums))


def loop_numbers(sums, labels, rows):
    return taken_through(sums, eliminated(sums, [[label] for label in labels]))


def loop_columns(sums, labels, rows):
    wanted = [[1.0 if label == other else 0.0 for other in range(len(rows))] for label in labels]
    return taken_through(sums, eliminated(sums, wanted))


def loop_nearest(one, rows):
    gaps = [math.dist(one, row) for row in rows]
    return gaps.index(min(gaps))


def loop_farthest(one, rows):
    return max(range(len(rows)), key=lambda label: math.dist(one, rows[label]))


def loop_product(one, rows):
    return max(range(len(rows)), key=lambda label: dot(one, rows[label]))


def loop_share(read, guesses, labels, rows):
    right = 0
    for guess, label in zip(guesses, labels):
        if guess == label:
            right += 1
    return right / len(labels)


def loop_wrong(read, guesses, labels, rows):
    return sum(1 for guess, label in zip(guesses, labels) if guess != label) / len(labels)


def loop_count(read, guesses, labels, rows):
    return sum(guess == label for guess, label in zip(guesses, labels))


def loop_miss(read, guesses, labels, rows):
    return max(abs(x - y) for one, label in zip(read, labels) for x, y in zip(one, rows[label]))


def loop_readout(read=loop_read, choose=loop_nearest, finish=loop_share):
    def readout(sums, labels, rows):
        sums, labels, rows = sums.tolist(), labels.tolist(), rows.tolist()
        found = read(sums, labels, rows)
        return finish(found, [choose(one, rows) for one in found], labels, rows)

    return readout


def torch_read(sums, labels, rows):
    return sums @ torch.linalg.pinv(sums) @ rows[labels]


def torch_constant(sums, labels, rows):
    """A constant is what is left over when both sides are measured from their means."""
    wanted = rows[labels]
    centred = sums - sums.mean(dim=0)
    return centred @ torch.linalg.pinv(centred) @ (wanted - wanted.mean(dim=0)) + wanted.mean(dim=0)


def torch_exchanged(sums, labels, rows):
    return sums @ torch.linalg.lstsq(rows[labels], sums, driver="gelsd").solution


def torch_numbers(sums, labels, rows):
    return sums @ (torch.linalg.pinv(sums) @ labels.double())


def torch_columns(sums, labels, rows):
    return sums @ torch.linalg.pinv(sums) @ F.one_hot(labels, len(rows)).double()


def torch_nearest(read, rows):
    return (rows.square().sum(dim=1) - 2 * read @ rows.T).argmin(dim=1)


def nearest_number(read, rows):
    return (read[:, None] - torch.arange(len(rows))).abs().argmin(dim=1)


def torch_readout(
    read=torch_read,
    choose=torch_nearest,
    finish=lambda read, guesses, labels, rows: guesses.eq(labels).double().mean(),
):
    def readout(sums, labels, rows):
        sums, labels, rows = (torch.tensor(each) for each in (sums, labels, rows))
        found = read(sums, labels, rows)
        return finish(found, choose(found, rows), labels, rows)

    return readout


READOUT_STYLES = {
    name: (loop_readout(**loop), torch_readout(**tensor))
    for name, loop, tensor in [
        (
            "no matrix",
            {"read": lambda sums, labels, rows: sums},
            {"read": lambda sums, labels, rows: sums},
        ),
        ("fitted the wrong way round", {"read": loop_exchanged}, {"read": torch_exchanged}),
        (
            "largest product for nearest row",
            {"choose": loop_product},
            {"choose": lambda read, rows: F.linear(read, rows).max(dim=1).indices},
        ),
        (
            "farthest row",
            {"choose": loop_farthest},
            {"choose": lambda read, rows: torch.cdist(read, rows).argmax(dim=1)},
        ),
        (
            "label numbers fitted",
            {"read": loop_numbers, "choose": lambda one, rows: round(one[0])},
            {"read": torch_numbers, "choose": nearest_number},
        ),
        (
            "one column per label",
            {"read": loop_columns, "choose": lambda one, rows: one.index(max(one))},
            {"read": torch_columns, "choose": lambda read, rows: read.topk(1).indices[:, 0]},
        ),
        ("with a constant", {"read": loop_constant}, {"read": torch_constant}),
        (
            "count for share",
            {"finish": loop_count},
            {"finish": lambda read, guesses, labels, rows: (guesses == labels).count_nonzero()},
        ),
        (
            "share read wrong",
            {"finish": loop_wrong},
            {"finish": lambda read, guesses, labels, rows: 1 - (guesses == labels).sum() / len(labels)},
        ),
        (
            "labels returned",
            {"finish": lambda read, guesses, labels, rows: guesses},
            {"finish": lambda read, guesses, labels, rows: guesses},
        ),
        (
            "miss returned",
            {"finish": loop_miss},
            {
                "finish": lambda read, guesses, labels, rows: F.l1_loss(
                    read, rows[labels], reduction="none"
                ).max()
            },
        ),
    ]
}


# paper_input: entry by entry, and whole tensors in PyTorch.


def loop_input(
    factor=lambda embedded: math.sqrt(len(embedded[0])),
    row=lambda table, position, seq_len: table[position],
    entry=lambda word, place, factor: factor * word + place,
    positions=lambda embedded, table: range(len(embedded)),
):
    def paper_input(embedded, table):
        embedded, table = embedded.tolist(), table.tolist()
        result = []
        for position in positions(embedded, table):
            places = row(table, position, len(embedded))
            result.append([entry(w, p, factor(embedded)) for w, p in zip(embedded[position], places)])
        return result

    return paper_input


def torch_input(
    factor=lambda embedded: embedded.size(-1) ** 0.5,
    rows=lambda table, seq_len: table.narrow(0, 0, seq_len),
    combine=lambda words, places, factor: torch.add(places, words, alpha=factor),
):
    def paper_input(embedded, table):
        embedded, table = torch.tensor(embedded), torch.tensor(table)
        return combine(embedded, rows(table, len(embedded)), factor(embedded))

    return paper_input


PAPER_STYLES = {
    name: (loop_input(**loop), torch_input(**tensor))
    for name, loop, tensor in [
        ("not scaled", {"entry": lambda w, p, f: w + p}, {"combine": lambda w, p, f: w + p}),
        ("divided by the root", {"entry": lambda w, p, f: w / f + p}, {"combine": lambda w, p, f: w / f + p}),
        (
            "scaled by d_model",
            {"factor": lambda embedded: len(embedded[0])},
            {"factor": lambda embedded: embedded.shape[1]},
        ),
        (
            "root of seq_len",
            {"factor": lambda embedded: math.sqrt(len(embedded))},
            {"factor": lambda embedded: embedded.size(0) ** 0.5},
        ),
        (
            "root of half of d_model",
            {"factor": lambda embedded: math.sqrt(len(embedded[0]) // 2)},
            {"factor": lambda embedded: embedded[:, 0::2].size(1) ** 0.5},
        ),
        ("sum scaled", {"entry": lambda w, p, f: w * f + p * f}, {"combine": lambda w, p, f: (p + w).mul(f)}),
        (
            "positions scaled",
            {"entry": lambda w, p, f: w + f * p},
            {"combine": lambda w, p, f: torch.add(w, p, alpha=f)},
        ),
        ("positions left out", {"entry": lambda w, p, f: w * f}, {"combine": lambda w, p, f: w.mul(f)}),
        (
            "multiplied instead of added",
            {"entry": lambda w, p, f: w * p * f},
            {"combine": lambda w, p, f: torch.mul(w * f, p)},
        ),
        (
            "added twice",
            {"entry": lambda w, p, f: w * f + p + p},
            {"combine": lambda w, p, f: (w * f).add(p, alpha=2)},
        ),
        (
            "whole table",
            {"positions": lambda embedded, table: range(len(table))},
            {"rows": lambda table, seq_len: table},
        ),
        (
            "positions from 1",
            {"row": lambda table, position, seq_len: table[position + 1]},
            {"rows": lambda table, seq_len: F.embedding(torch.arange(1, seq_len + 1), table)},
        ),
        (
            "last rows of the table",
            {"row": lambda table, position, seq_len: table[position - seq_len]},
            {"rows": lambda table, seq_len: table.flip(0)[:seq_len].flip(0)},
        ),
        (
            "row 0 for all",
            {"row": lambda table, position, seq_len: table[0]},
            {"rows": lambda table, seq_len: table[torch.zeros(seq_len).long()]},
        ),
    ]
}

INSIDE_STYLES = {"readout": READOUT_STYLES, "paper_input": PAPER_STYLES}
