"""The right answer of every exercise by other means: multiple precision, another library, closed values.

Nothing here uses the course's own code.
"""

import functools
import math
from fractions import Fraction

import mpmath
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

mp = mpmath.MPContext()
mp.dps = 40


def angle(position, pair, d_model):
    return position * mp.mpf(10_000) ** (mp.mpf(-2 * pair) / d_model)


def row(position, d_model):
    """A row of the sinusoidal table."""
    return [float((mp.cos if c % 2 else mp.sin)(angle(position, c // 2, d_model))) for c in range(d_model)]


def table(seq_len, d_model):
    return [row(position, d_model) for position in range(seq_len)]


# Lessons 01 to 05


def attention(q, k, v, mask=None):
    q, k, v = (torch.tensor(rows, dtype=torch.float64) for rows in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, None if mask is None else torch.tensor(mask))


def permutation_holds(model, rows, order):
    every_order = "attention_without_mask", "doubling", "leaving_alone", "mean_everywhere", "sum_everywhere"
    return model.__name__ in every_order or order == sorted(order)


class Module(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.max_len = max_len
        self.register_buffer("rows", torch.tensor(table(max_len, d_model)).float(), persistent=False)

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError(f"{x.size(1)} positions, but max_len is {self.max_len}")
        return torch.stack([sample + self.rows[: len(sample)] for sample in x])


# Lessons 06 and 07


def wavelengths(d_model, base):
    pairs = range((d_model + 1) // 2)
    return [float(2 * mp.pi * mp.mpf(base) ** (mp.mpf(2 * k) / d_model)) for k in pairs]


def nearest(rows, position):
    rows = torch.tensor(rows)
    [gaps] = torch.cdist(rows[[position]], rows)
    return next(int(other) for other in gaps.argsort(stable=True) if other != position)


def shift(offset, d_model):
    """The map that the exact table itself asks for: solved from d_model of its rows, far apart."""
    with mpmath.workdps(60):

        def precise(position):
            angles = [mpmath.mpf(10_000) ** (mpmath.mpf(-2 * (c // 2)) / d_model) for c in range(d_model)]
            return [(mpmath.cos if c % 2 else mpmath.sin)(position * w) for c, w in enumerate(angles)]

        positions = [37 * n * n + n for n in range(d_model)]
        before = mpmath.matrix([precise(position) for position in positions])
        after = mpmath.matrix([precise(position + offset) for position in positions])
        solved = (before**-1 * after).T
        return [[float(solved[m, n]) for n in range(d_model)] for m in range(d_model)]


def kernel(offsets, d_model):
    return [
        float(mp.fsum(mp.cos(angle(offset, k, d_model)) for k in range(d_model // 2))) for offset in offsets
    ]


def head_by_rotated_positions(seq_len, d_model, back, sharpness):
    rows = torch.tensor(table(seq_len + back, d_model), dtype=torch.float64)
    keys, values = rows[back:], torch.eye(seq_len, dtype=torch.float64)  # the first key is position `back`
    return F.scaled_dot_product_attention(sharpness * rows[:seq_len], keys, values)


# Lessons 08 and 09


def readout_one_by_one(sums, labels, rows):
    matrix = np.linalg.pinv(sums) @ rows[labels]
    right = 0
    for one, label in zip(sums, labels):
        distances = [np.sum((one @ matrix - row) ** 2) for row in rows]
        right += distances.index(min(distances)) == label
    return right / len(sums)


def paper_input_one_by_one(embedded, table):
    root = len(embedded[0]) ** 0.5
    return [
        [root * entry + table[position][column] for column, entry in enumerate(row)]
        for position, row in enumerate(embedded)
    ]


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


# Lessons 10 to 12


# The closed values of the published code for some numbers of heads, as powers of two.
EXPONENTS = {
    1: [-8], 3: [-4, -8, -2], 4: [-2, -4, -6, -8], 6: [-2, -4, -6, -8, -1, -3],
    7: [-2, -4, -6, -8, -1, -3, -5],
    8: [-1, -2, -3, -4, -5, -6, -7, -8],
    9: [-1, -2, -3, -4, -5, -6, -7, -8, -0.5],
    12: [-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5],
    15: [-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5, -4.5, -5.5, -6.5],
    16: [-0.5, -1, -1.5, -2, -2.5, -3, -3.5, -4, -4.5, -5, -5.5, -6, -6.5, -7, -7.5, -8],
}  # fmt: skip


def weights_one_by_one(scores, slope):
    rows = []
    for m, row in enumerate(scores.tolist()):
        powers = [mpmath.exp(score - slope * abs(n - m)) for n, score in enumerate(row)]
        rows.append([float(power / mpmath.fsum(powers)) for power in powers])
    return rows


@functools.cache
def first_distances(one_way):
    """Where each shared bucket begins: the distances whose power exceeds that of the edge, exactly."""
    exact = one_way // 2
    shared = one_way - exact
    ratio = Fraction(128, exact)
    return [
        next(d for d in range(exact, 129) if Fraction(d, exact) ** shared >= ratio**step)
        for step in range(shared)
    ]


def bucket_by_counting(offset, bidirectional):
    one_way = 16 if bidirectional else 32
    distance = abs(offset) if bidirectional else max(0, -offset)
    if distance < one_way // 2:
        bucket = distance
    else:
        bucket = one_way // 2 - 1 + sum(distance >= first for first in first_distances(one_way))
    return bucket + (16 if bidirectional and offset > 0 else 0)


def buckets_by_counting(relative_positions, bidirectional):
    offsets = relative_positions.ravel().tolist()
    found = [bucket_by_counting(offset, bidirectional) for offset in offsets]
    return np.reshape(found, relative_positions.shape)


def rotated(numbers, position, columns, width):
    """Each pair of `columns` as a complex number, times e to the power of i times its angle."""
    result = list(numbers)
    for pair, (first, second) in enumerate(columns):
        turn = mp.expj(angle(float(position), pair, width))
        number = mp.mpc(float(numbers[first]), float(numbers[second])) * turn
        result[first], result[second] = float(number.real), float(number.imag)
    return result


def neighbours(width):
    return [(2 * pair, 2 * pair + 1) for pair in range(width // 2)]


def across(width):
    return [(pair, pair + width // 2) for pair in range(width // 2)]


def rotary(x, positions, pairs):
    width = x.shape[-1]
    return [rotated(numbers, position, pairs(width), width) for numbers, position in zip(x, positions)]


def scores_by_distance(x, W_Q, W_K, num_heads):
    """The key is turned by the distance alone, and the query not at all."""
    width = W_Q.shape[1] // num_heads
    scores = []
    for head in range(num_heads):
        columns = slice(head * width, (head + 1) * width)
        q, k = (x @ W_Q)[:, columns], (x @ W_K)[:, columns]
        scores.append(
            [
                [
                    sum(a * b for a, b in zip(query, rotated(key, n - m, neighbours(width), width)))
                    / math.sqrt(width)
                    for n, key in enumerate(k)
                ]
                for m, query in enumerate(q)
            ]
        )
    return scores


def one_token_at_a_time(q, k, v, cached_k, cached_v):
    outputs = []
    for head in range(len(q)):
        keys, values = [list(row) for row in cached_k[head]], [list(row) for row in cached_v[head]]
        outputs.append([])
        for query, key, value in zip(q[head], k[head], v[head]):
            position, width = len(keys), len(query)
            pairs = neighbours(width)
            keys.append(rotated(key, position, pairs, width))
            values.append(list(value))
            query = torch.tensor([rotated(query, position, pairs, width)], dtype=torch.float64)
            out = F.scaled_dot_product_attention(
                query, torch.tensor(keys).to(query), torch.tensor(values).to(query)
            )
            outputs[-1].append(out[0].tolist())
    return outputs


def ntk(head_dim, factor):
    """The slowest pair is divided by the factor, the others in even steps from pair 0."""
    last = head_dim // 2 - 1
    return [float(angle(1, k, head_dim) * mp.root(factor, last) ** -k) for k in range(last + 1)]


def llama3_by_wavelengths(head_dim, rope_theta, factor, original_len, low, high):
    changed = []
    for column in range(0, head_dim, 2):
        frequency = rope_theta ** (-column / head_dim)
        wavelength = 2 * math.pi / frequency
        if wavelength < original_len / high:
            changed.append(frequency)
        elif wavelength > original_len / low:
            changed.append(frequency / factor)
        else:
            smooth = (original_len / wavelength - low) / (high - low)
            changed.append((1 - smooth) * frequency / factor + smooth * frequency)
    return changed


# Lessons 13 to 16


def grid(height, width, d_model):
    return [[row(m, d_model // 2) + row(n, d_model // 2) for n in range(width)] for m in range(height)]


def rotated_by_axes(x, rows, columns):
    half = x.shape[-1] // 2
    pairs = neighbours(half)
    return [
        rotated(numbers[:half], m, pairs, half) + rotated(numbers[half:], n, pairs, half)
        for numbers, m, n in zip(x.tolist(), rows, columns)
    ]


def count_before(mask):
    return [[sum(row[:column]) for column in range(len(row))] for row in mask]


def count_before_new(mask, new):
    return [[sum(row[:column]) for column in range(len(row) - new, len(row))] for row in mask]


def rows_by_the_addition_formulas(first_row, frequencies, seq_len):
    rows = []
    for q in range(seq_len):
        row = []
        for pair, frequency in enumerate(frequencies):
            sine, cosine = first_row[2 * pair], first_row[2 * pair + 1]
            c, s = math.cos(q * frequency), math.sin(q * frequency)
            row += [sine * c + cosine * s, cosine * c - sine * s]
        rows.append(row)
    return rows


def stream(seq_len, d_model, block_len):
    rows = table(seq_len, d_model)
    return [rows[first : first + block_len] for first in range(0, seq_len, block_len)]


ORACLES = {
    "count_positions": {"the cat chased the mouse": [0, 1, 2, 3, 4], "to be or not to be": [0, 1, 2, 3, 4, 5],
                        "two  spaces": [0, 1], "": []}.__getitem__,
    "attention_loop": attention,
    "permutation_test": permutation_holds,
    "one_angle": lambda position, pair, d_model: float(angle(position, pair, d_model)),
    "row_by_hand": lambda: [-0.2794, 0.9602, 0.0600, 0.9982],
    "sinusoidal_loop": table,
    "wavelength": lambda pair, d_model: float(2 * mp.pi / angle(1, pair, d_model)),
    "frequencies_numpy": lambda d_model: [float(angle(1, k, d_model)) for k in range((d_model + 1) // 2)],
    "sinusoidal_numpy": table,
    "sinusoidal_torch": lambda seq_len, d_model: torch.tensor(table(seq_len, d_model)).float(),
    "encoding_module": Module,
    "all_wavelengths": wavelengths,
    "nearest_neighbour": nearest,
    "shift_matrix": shift,
    "kernel": kernel,
    "back_head": head_by_rotated_positions,
    "readout": readout_one_by_one,
    "paper_input": paper_input_one_by_one,
    "learned_rows": rows_one_by_one,
    "neighbour_share": share_by_correlation,
    "slopes": lambda num_heads: [2.0**exponent for exponent in EXPONENTS[num_heads]],
    "alibi_weights": weights_one_by_one,
    "buckets": buckets_by_counting,
    "rotary_interleaved": functools.partial(rotary, pairs=neighbours),
    "rotary_half": functools.partial(rotary, pairs=across),
    "rotary_scores": scores_by_distance,
    "cached_attention": one_token_at_a_time,
    "ntk_frequencies": ntk,
    "llama3_frequencies": llama3_by_wavelengths,
    "sinusoidal_2d": grid,
    "axial_rotary": rotated_by_axes,
    "far_table": lambda positions, d_model: [row(position, d_model) for position in positions],
    "padded_positions": count_before,
    "next_positions": count_before_new,
    "turned_rows": rows_by_the_addition_formulas,
    "stream_blocks": stream,
    "smallest_gap": lambda rows: torch.pdist(torch.tensor(rows)).sort().values[0],
}  # fmt: skip
