"""Lessons 06 and 07 for test_styles.py: their mistakes made in plain Python, and in PyTorch."""

import math

import torch

from pe_lessons import loops, tensors

TURN = 2 * math.pi


# all_wavelengths: one number at a time from the wavelength, and a tensor from the frequencies.


def loop_wavelengths(
    exponent=lambda pair, d: 2 * pair / d,
    base=float,
    turn=lambda time: TURN * time,
    numbers=range,
    finish=list,
):
    def wavelengths(d_model, given):
        pairs = numbers((d_model + 1) // 2)
        return finish([turn(math.exp(math.log(base(given)) * exponent(pair, d_model))) for pair in pairs])

    return wavelengths


def torch_wavelengths(
    columns=lambda d: torch.arange(0, d, 2), base=float, turn=lambda frequency: TURN / frequency, cut=None
):
    def wavelengths(d_model, given):
        frequencies = torch.exp(-columns(d_model).double() * (math.log(base(given)) / d_model))
        found = turn(frequencies)
        return found if cut is None else cut(found, d_model)

    return wavelengths


def even_count_only(d_model, base):
    return [TURN * base ** (2 * pair / d_model) for pair in range(max(1, d_model // 2))]


WAVELENGTH_STYLES = {
    "2 pi forgotten": (
        loop_wavelengths(turn=lambda time: time),
        torch_wavelengths(turn=torch.reciprocal),
    ),
    "half a turn": (
        loop_wavelengths(turn=lambda time: 3.141592653589793 * time),
        torch_wavelengths(turn=lambda frequency: math.pi / frequency),
    ),
    "frequencies instead of wavelengths": (
        loop_wavelengths(turn=lambda time: time**-1),
        torch_wavelengths(turn=lambda frequency: frequency),
    ),
    "2 pi times the frequency": (
        loop_wavelengths(turn=lambda time: TURN / time),
        torch_wavelengths(turn=lambda frequency: frequency * TURN),
    ),
    "longest at 2 pi times the base": (
        loop_wavelengths(exponent=lambda pair, d: pair / max((d + 1) // 2 - 1, 1)),
        lambda d_model, base: (
            TURN * torch.logspace(0, math.log10(base), (d_model + 1) // 2, dtype=torch.float64)
        ),
    ),
    "doubled exponent": (
        loop_wavelengths(exponent=lambda pair, d: 4 * pair / d),
        torch_wavelengths(columns=lambda d: torch.arange(0, 2 * d, 4)),
    ),
    "exponent without the 2": (
        loop_wavelengths(exponent=lambda pair, d: pair / d),
        torch_wavelengths(columns=lambda d: torch.arange((d + 1) // 2)),
    ),
    "pairs counted from 1": (
        loop_wavelengths(numbers=lambda count: range(1, count + 1)),
        torch_wavelengths(columns=lambda d: torch.arange(0, d, 2) + 2),
    ),
    "one per column": (
        lambda d_model, base: [TURN * base ** (2 * (column // 2) / d_model) for column in range(d_model)],
        torch_wavelengths(columns=lambda d: torch.arange(0, d, 2).repeat_interleave(2)[:d]),
    ),
    "base fixed": (
        loop_wavelengths(base=lambda given: 10_000),
        torch_wavelengths(base=lambda given: 1e4),
    ),
    "longest first": (
        loop_wavelengths(finish=lambda found: sorted(found, reverse=True)),
        torch_wavelengths(cut=lambda found, d_model: found.flip(0)),
    ),
    "last sine forgotten": (
        even_count_only,
        torch_wavelengths(cut=lambda found, d_model: found[: max(1, d_model // 2)]),
    ),
}


# nearest_neighbour: a search by hand, and torch.cdist.


def gap(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)))


def loop_search(
    score=gap,
    better=lambda new, best: new < best,
    allowed=lambda other, own: other != own,
    answer=lambda at, score, own: at,
):
    def nearest(table, position):
        best, at = None, position
        for other in range(len(table)):
            if allowed(other, position):
                found = score(table[other], table[position])
                if best is None or better(found, best):
                    best, at = found, other
        return answer(at, best, position)

    return nearest


def torch_search(score, answer=lambda scores, own: scores.argmin(), own_score=math.inf):
    def nearest(table, position):
        table = torch.tensor(table)
        scores = score(table, table[position]).clone()
        if own_score is not None:
            scores[position] = own_score
        return int(answer(scores, position))

    return nearest


def cdist(table, row):
    return torch.cdist(row[None], table)[0]


def step_only(scores, own):
    window = [other for other in (own - 1, own + 1) if 0 <= other < len(scores)]
    return min(window, key=lambda other: float(scores[other]))


def after_only(scores, own):
    return own + 1 + int(scores[own + 1 :].argmin()) if own + 1 < len(scores) else own


def popped(table, position):
    rows = table.tolist()
    own = rows.pop(position)
    gaps = [gap(row, own) for row in rows]
    return gaps.index(min(gaps))


def masked_out(table, position):
    keep = torch.arange(len(table)) != position
    return int(cdist(torch.tensor(table)[keep], torch.tensor(table[position])).argmin())


def last_minimum(scores, own):
    return (scores == scores.min()).nonzero()[-1]


def smallest_gap(table, position):
    table = torch.tensor(table)
    return cdist(table, table[position]).sort().values[1].item()


NEAREST_STYLES = {
    "its own neighbour": (loop_search(allowed=lambda other, own: True), torch_search(cdist, own_score=None)),
    "the farthest": (
        loop_search(better=lambda new, best: new > best),
        torch_search(cdist, lambda scores, own: scores.argmax(), own_score=None),
    ),
    "next door only": (
        loop_search(allowed=lambda other, own: abs(other - own) == 1),
        torch_search(cdist, step_only),
    ),
    "later rows only": (
        loop_search(allowed=lambda other, own: other > own),
        torch_search(cdist, after_only),
    ),
    "number not corrected": (popped, masked_out),
    "differences not squared": (
        loop_search(lambda a, b: abs(sum(x - y for x, y in zip(a, b)))),
        torch_search(lambda table, row: (table.sum(1) - row.sum()).abs()),
    ),
    "absolute differences": (
        loop_search(lambda a, b: sum(abs(x - y) for x, y in zip(a, b))),
        torch_search(lambda table, row: torch.cdist(row[None], table, p=1)[0]),
    ),
    "largest product": (
        loop_search(lambda a, b: sum(x * y for x, y in zip(a, b)), better=lambda new, best: new > best),
        torch_search(torch.mv, lambda scores, own: scores.argmax(), own_score=-math.inf),
    ),
    "distance returned": (loop_search(answer=lambda at, score, own: score), smallest_gap),
    "offset returned": (
        loop_search(answer=lambda at, score, own: abs(own - at)),
        torch_search(cdist, lambda scores, own: (scores.argmin() - own).abs()),
    ),
    "later on a tie": (
        loop_search(better=lambda new, best: new <= best),
        torch_search(cdist, last_minimum),
    ),
}


# shift_matrix: entry by entry, and blocks of complex numbers' real form in PyTorch.


def formula(column, d_model):
    return 10_000 ** (-column / d_model)


def loop_shift(
    frequency=formula,
    sign=1,
    entry=lambda row, column, a: [[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]][row][column],
    place=lambda pair, half, n_pairs: 2 * pair + half,
    same=lambda pair, other: pair == other,
    of=lambda pair, n_pairs: pair,
):
    def shift(offset, d_model):
        n_pairs = d_model // 2
        matrix = [[0.0] * d_model for _ in range(d_model)]
        for pair in range(n_pairs):
            angle = sign * offset * frequency(2 * of(pair, n_pairs), d_model)
            for other in range(n_pairs):
                if same(pair, other):
                    for row in (0, 1):
                        for column in (0, 1):
                            matrix[place(pair, row, n_pairs)][place(other, column, n_pairs)] = entry(
                                row, column, angle
                            )
        return matrix

    return shift


def torch_shift(
    frequency=lambda columns, d: torch.exp(-columns * (math.log(10_000) / d)),
    corners=lambda sine, cosine: (cosine, sine, -sine, cosine),
    finish=lambda blocks: torch.block_diag(*blocks),
):
    def shift(offset, d_model):
        angles = offset * frequency(torch.arange(0, d_model, 2).double(), d_model)
        blocks = torch.stack(corners(angles.sin(), angles.cos()), dim=1).reshape(-1, 2, 2)
        return finish(blocks)

    return shift


def halves(blocks):
    matrix = torch.block_diag(*blocks)
    order = torch.cat([torch.arange(0, len(matrix), 2), torch.arange(1, len(matrix), 2)])
    return matrix[order][:, order]


def shift_styles(loop_frequency, torch_frequency):
    styles = {
        name: (loop_shift(loop_frequency[name]), torch_shift(torch_frequency[name]))
        for name in loop_frequency
    }
    return styles | {
        "wrong sign": (
            loop_shift(sign=-1),
            lambda offset, d_model: tensors.shift_matrix(offset, d_model).double().T,
        ),
        "sine alone": (
            loop_shift(entry=lambda row, column, a: math.cos(a) if row == column else 0.0),
            torch_shift(finish=lambda blocks: torch.diag(torch.block_diag(*blocks).diagonal())),
        ),
        "both sines positive": (
            loop_shift(entry=lambda row, column, a: math.cos(a) if row == column else math.sin(a)),
            torch_shift(lambda columns, d: formula(columns, d), lambda s, c: (c, s, s, c)),
        ),
        "cosine first": (
            loop_shift(entry=lambda row, column, a: [math.sin(a), math.cos(a), -math.sin(a)][row + column]),
            torch_shift(corners=lambda sine, cosine: (sine, cosine, cosine, -sine)),
        ),
        "ones on the diagonal": (
            loop_shift(entry=lambda row, column, a: 1.0 if row == column else (column - row) * math.sin(a)),
            torch_shift(corners=lambda s, c: (torch.ones_like(s), s, -s, torch.ones_like(s))),
        ),
        "halves instead of interleaved": (
            loop_shift(place=lambda pair, half, n_pairs: pair + half * n_pairs),
            torch_shift(finish=halves),
        ),
        "full matrix instead of blocks": (
            loop_shift(same=lambda pair, other: True),
            torch_shift(finish=lambda blocks: blocks.reshape(-1, 2).repeat(1, len(blocks))),
        ),
        "blocks in reverse order": (
            loop_shift(of=lambda pair, n_pairs: n_pairs - 1 - pair),
            torch_shift(finish=lambda blocks: torch.block_diag(*blocks.flip(0))),
        ),
    }


# kernel: sums of cosines, and products of rows.


def loop_kernel(frequency=formula, wave=math.cos, gather=sum, finish=lambda number, d_model: number):
    def kernel(offsets, d_model):
        rows = [
            [wave(offset * frequency(column, d_model)) for column in range(0, d_model, 2)]
            for offset in offsets
        ]
        return [finish(gather(row), d_model) for row in rows]

    return kernel


def torch_kernel(
    frequency=lambda columns, d: torch.exp(-columns * (math.log(10_000) / d)),
    gather=lambda angles: angles.cos().sum(dim=1),
    finish=lambda found, d_model: found,
):
    def kernel(offsets, d_model):
        frequencies = frequency(torch.arange(0, d_model, 2).double(), d_model)
        return finish(gather(torch.outer(torch.tensor(offsets).double(), frequencies)), d_model)

    return kernel


def cosine_of_all(offsets, d_model):
    return [
        math.cos(sum(offset * formula(column, d_model) for column in range(0, d_model, 2)))
        for offset in offsets
    ]


def row_distance(offsets, d_model):
    rows = [loops.sinusoidal(1, d_model, start=offset)[0] for offset in (0, *offsets)]
    return [gap(rows[0], row) for row in rows[1:]]


def one_by_pair(offsets, d_model):
    return [
        sum(math.cos(offset * formula(column, d_model)) for offset in offsets)
        for column in range(0, d_model, 2)
    ]


def kernel_styles(loop_frequency, torch_frequency):
    styles = {
        name: (loop_kernel(loop_frequency[name]), torch_kernel(torch_frequency[name]))
        for name in loop_frequency
    }
    return styles | {
        "sine for cosine": (
            loop_kernel(wave=math.sin),
            torch_kernel(gather=lambda angles: angles.sin().sum(dim=1)),
        ),
        "cosine of the sum": (cosine_of_all, torch_kernel(gather=lambda angles: angles.sum(dim=1).cos())),
        "mean for sum": (
            loop_kernel(gather=lambda row: sum(row) / len(row)),
            torch_kernel(gather=lambda angles: angles.cos().mean(dim=1)),
        ),
        "once per column": (
            loop_kernel(gather=lambda row: sum(row + row)),
            torch_kernel(gather=lambda angles: angles.repeat(1, 2).cos().sum(dim=1)),
        ),
        "multiplied instead of added": (
            loop_kernel(gather=math.prod),
            torch_kernel(gather=lambda angles: angles.cos().prod(dim=1)),
        ),
        "one number for all offsets": (
            lambda offsets, d_model: sum(loops.kernel(offsets, d_model)),
            torch_kernel(gather=lambda angles: angles.cos().sum()),
        ),
        "summed over the offsets": (one_by_pair, torch_kernel(gather=lambda angles: angles.cos().sum(dim=0))),
        "distance instead of similarity": (
            row_distance,
            torch_kernel(finish=lambda found, d_model: (d_model - 2 * found).clamp(min=0).sqrt()),
        ),
        "scaled as in attention": (
            loop_kernel(finish=lambda number, d_model: number / math.sqrt(d_model)),
            torch_kernel(finish=lambda found, d_model: found * d_model**-0.5),
        ),
    }


# back_head: the queries are the rows of other positions, and a rotation in PyTorch.


def loop_head(
    shift=lambda back: -back,
    before=lambda sharpness: sharpness,
    after=lambda sharpness: 1,
    scale=math.sqrt,
    may_look=lambda m, n: True,
    weigh=loops.softmax,
):
    def head(seq_len, d_model, back, sharpness):
        keys = loops.sinusoidal(seq_len, d_model)
        queries = loops.sinusoidal(seq_len, d_model, start=shift(back))
        scores = [
            [
                before(sharpness) * sum(a * b for a, b in zip(query, key)) / scale(d_model)
                if may_look(m, n)
                else -math.inf
                for n, key in enumerate(keys)
            ]
            for m, query in enumerate(queries)
        ]
        return [[after(sharpness) * weight for weight in row] for row in weigh(scores)]

    return head


def torch_head(
    rotate=lambda table, back: (table @ rotation(-back, table).T, table),
    sharpen=lambda scores, sharpness: scores * sharpness,
    scale=lambda d_model: d_model**0.5,
    weigh=lambda scores, sharpness: scores.softmax(dim=1),
):
    def head(seq_len, d_model, back, sharpness):
        table = torch.tensor(loops.sinusoidal(seq_len, d_model), dtype=torch.float64)
        queries, keys = rotate(table, back)
        return weigh(sharpen(queries @ keys.T / scale(d_model), sharpness), sharpness)

    return head


def rotation(offset, table):
    return torch.tensor(loops.shift_matrix(offset, table.shape[1]), dtype=torch.float64)


def along_columns(scores):
    columns = [loops.softmax(list(column)) for column in zip(*scores)]
    return [list(row) for row in zip(*columns)]


def look_back_only(scores, sharpness):
    hidden = torch.ones_like(scores).triu(1).bool()
    return scores.masked_fill(hidden, -math.inf).softmax(dim=1)


HEAD_STYLES = {
    "forward instead of back": (
        loop_head(shift=lambda back: back),
        torch_head(lambda table, back: (table, table @ rotation(-back, table).T)),
    ),
    "looks at itself": (
        loop_head(shift=lambda back: 0),
        torch_head(lambda table, back: (table @ rotation(-back, table).T, table @ rotation(-back, table).T)),
    ),
    "one token only": (
        loop_head(shift=lambda back: -1),
        torch_head(lambda table, back: (table @ rotation(-1, table).T, table)),
    ),
    "sharpness forgotten": (
        loop_head(before=lambda sharpness: 1),
        torch_head(sharpen=lambda scores, sharpness: scores),
    ),
    "divided by the sharpness": (
        loop_head(before=lambda sharpness: 1 / sharpness),
        torch_head(sharpen=lambda scores, sharpness: scores / sharpness),
    ),
    "sharpness after the softmax": (
        loop_head(before=lambda sharpness: 1, after=lambda sharpness: sharpness),
        torch_head(
            sharpen=lambda scores, sharpness: scores,
            weigh=lambda scores, sharpness: sharpness * scores.softmax(dim=1),
        ),
    ),
    "not scaled by the root of d_model": (
        loop_head(scale=lambda d_model: 1),
        torch_head(scale=lambda d_model: 1.0),
    ),
    "scaled by d_model": (loop_head(scale=float), torch_head(scale=lambda d_model: d_model)),
    "causal mask added": (loop_head(may_look=lambda m, n: n <= m), torch_head(weigh=look_back_only)),
    "scores returned": (
        loop_head(weigh=lambda scores: scores),
        torch_head(weigh=lambda scores, sharpness: scores),
    ),
    "columns sum to 1": (
        loop_head(weigh=along_columns),
        torch_head(weigh=lambda scores, sharpness: scores.softmax(dim=0)),
    ),
}


def geometry_styles(loop_frequency, torch_frequency):
    """Exercise name -> mistake -> the two answers; both arguments: mistake -> frequency of a column."""
    return {
        "all_wavelengths": WAVELENGTH_STYLES,
        "nearest_neighbour": NEAREST_STYLES,
        "shift_matrix": shift_styles(loop_frequency, torch_frequency),
        "kernel": kernel_styles(loop_frequency, torch_frequency),
        "back_head": HEAD_STYLES,
    }
