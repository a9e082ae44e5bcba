"""The right answer of every exercise once more: by the first rung of the ladder, or by other means.

The answers do without that code, and `test_independent_values.py` holds it to multiple precision, to PyTorch
and to published numbers.
"""

import math
from fractions import Fraction

import numpy as np
import torch
from torch import nn

from pe_lessons import arrays, loops, models


def permutation_holds(model, rows, order):
    every_order = "attention_without_mask", "doubling", "leaving_alone", "mean_everywhere", "sum_everywhere"
    return model.__name__ in every_order or order == sorted(order)


class Module(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.max_len = max_len
        rows = torch.tensor(loops.sinusoidal(max_len, d_model))
        self.register_buffer("rows", rows.float(), persistent=False)

    def forward(self, x):
        if x.size(1) > self.max_len:
            raise ValueError(f"{x.size(1)} positions, but max_len is {self.max_len}")
        return torch.stack([sample + self.rows[: len(sample)] for sample in x])


def right_pairs_by_speed(table):
    """Each pair as one complex number, which turns by the same factor from row to row."""
    table = np.asarray(table, dtype=float)
    hands = table[:, 1::2] + 1j * table[:, 0::2]  # (seq_len, n_pairs)
    frequencies = loops.frequencies(table.shape[1])
    for pair, frequency in enumerate(frequencies):
        right = np.exp(1j * frequency) ** np.arange(len(table))
        gaps = hands[:, pair] - right
        if max(np.abs(gaps.real).max(), np.abs(gaps.imag).max()) > 1e-4:
            return pair
    return len(frequencies)


def shift_with_columns_moved(offset, d_model):
    order = [*range(0, d_model, 2), *range(1, d_model, 2)]
    return np.array(loops.shift_matrix(offset, d_model))[np.ix_(order, order)]


def weight_so_far_below_the_diagonal(attention, back):
    words = range(len(attention))
    return attention[np.subtract.outer(words, words) == back].mean()


def means_of_shifted_rows(weights):
    """Each row is read backwards from its diagonal; where the row is at its end it gives 0."""
    backwards = [[*row[: m + 1][::-1], *[0.0] * (len(weights) - 1 - m)] for m, row in enumerate(weights)]
    return np.mean(backwards, axis=0)


def scores_by_offset(q, k, positions, slope):
    """The key is rotated by the offset alone; then only differences of positions are left."""
    scores = []
    for query, m in zip(q, positions):
        keys = [loops.rotary([key], [n - m])[0] for key, n in zip(k, positions)]
        products = [query @ key / math.sqrt(len(query)) for key in keys]
        scores.append([product - slope * abs(n - m) for product, n in zip(products, positions)])
    return scores


def base_of_the_last_pair(row):
    """From the last pair and its logarithm, where the answers take pair 1."""
    n_pairs = len(row) // 2
    slowest = math.atan(row[-1] / row[-2])
    return math.exp(-math.log(slowest) * n_pairs / (n_pairs - 1))


def rows_by_their_numbers(weight, num_heads):
    """Each row looks up where it comes from."""
    head_dim = len(weight) // num_heads
    found = []
    for number in range(len(weight)):
        head, column = divmod(number, head_dim)
        pair, second = divmod(column, 2)
        found.append(weight[head * head_dim + second * (head_dim // 2) + pair])
    return np.array(found)


def wavelengths_by_complex_numbers(table):
    """From the angle between two complex numbers, one token apart: the last two rows."""
    before, after = table[-2:, 1::2] + 1j * table[-2:, 0::2]
    return 2 * np.pi / np.angle(after / before)


def scaled_and_numbered(embedded, table):
    embedded = torch.tensor(embedded)
    return embedded * embedded.shape[1] ** 0.5 + torch.tensor(table)[: len(embedded)]


def weights_one_by_one(scores, slope):
    """Each row is cut behind its own token, and has one number for each key."""
    num_hidden = range(len(scores) - 1, -1, -1)
    return [
        [
            *loops.softmax([score + slope * n for n, score in enumerate(row[: len(row) - hidden])]),
            *[0] * hidden,
        ]
        for row, hidden in zip(scores.tolist(), num_hidden)
    ]


def one_token_at_a_time(q, k, v, cached_k, cached_v):
    outputs = []
    for queries, new_keys, new_values, keys, values in zip(q, k, v, cached_k, cached_v):
        keys, values, rows = [*keys], [*values], []
        for query, key, value in zip(queries, new_keys, new_values):
            position = [len(keys)]
            keys += loops.rotary([key], position)
            values.append(value)
            rows += loops.attention(loops.rotary([query], position), keys, values)
        outputs.append(rows)
    return outputs


def digits_that_keep_apart(seq_len):
    def kept(number, digits):
        fraction, point = math.frexp(number)
        return math.ldexp(round(fraction * 2**digits), point - digits)

    return next(n for n in range(2, 60) if len({kept(p, n) for p in range(seq_len)}) == seq_len)


def first_without_a_turn(head_dim, base, trained_len):
    frequencies = loops.rotary_frequencies(head_dim, base=base)[0]
    return sum(trained_len * frequency >= 2 * math.pi for frequency in frequencies)


def ntk(head_dim, factor):
    return loops.rotary_frequencies(head_dim, scaling={"rope_type": "ntk", "factor": factor})[0]


def llama3(head_dim, rope_theta, factor, original_len, low, high):
    scaling = {"rope_type": "llama3", "factor": factor, "original_max_position_embeddings": original_len}
    scaling |= {"low_freq_factor": low, "high_freq_factor": high}
    return loops.rotary_frequencies(head_dim, base=rope_theta, scaling=scaling)[0]


def numbers_that_the_written_out_bias_holds(n_queries, n_keys, slope, window):
    numbers = {}
    for query in range(n_keys - n_queries, n_keys):
        for key in range(n_keys):
            seen = query - window < key <= query
            numbers[key - query] = slope * (key - query) if seen else -math.inf
    return [numbers[offset] for offset in sorted(numbers)]


def causal_alibi(score, batch, head, query, key):
    biased = score + torch.tensor(loops.alibi(10, 8))[head, query, key]
    return biased.masked_fill(key > query, -math.inf)


def stretched_by_hand(table, old, new):
    """Every new row as a sum of 4 x 4 old ones, by the cubic of Keys with a = -0.75."""

    def neighbours(place, old, new):
        middle = (place + 0.5) * old / new - 0.5
        first = math.floor(middle) - 1
        for one in range(first, first + 4):
            away = abs(middle - one)
            near, far = (1.25 * away - 2.25) * away**2 + 1, ((3.75 - 0.75 * away) * away - 6) * away + 3
            yield min(max(one, 0), old - 1), near if away <= 1 else far

    def row_at(row, column):
        return sum(
            weight_down * weight_across * table[1 + near_row * old[1] + near_column]
            for near_row, weight_down in neighbours(row, old[0], new[0])
            for near_column, weight_across in neighbours(column, old[1], new[1])
        )

    return torch.stack(
        [table[0], *(row_at(row, column) for row in range(new[0]) for column in range(new[1]))]
    )


def share(x, positions, share, proportional):
    """By the package's own rules, each with the number of columns that rotate."""
    x, columns = np.asarray(x), int(share * len(x[0])) // 2 * 2
    if not proportional:
        return loops.rotary(x, positions, layout="half", rotary_dim=columns)
    rule = {"rope_type": "proportional", "partial_rotary_factor": columns / len(x[0])}
    return loops.rotary(x, positions, layout="half", scaling=rule)


def bases(config):
    """By the plan of a configuration, in the words of the library transformers."""
    kinds = ["sliding_attention"] * config["num_layers"]
    kinds[config["pattern"] - 1 :: config["pattern"]] = ["full_attention"] * (len(kinds) // config["pattern"])
    kinds[-1] = "full_attention"
    rules = {"full_attention": config["base"], "sliding_attention": config["local_base"]}
    plan = models.layers({
        "num_hidden_layers": len(kinds), "layer_types": kinds, "head_dim": 8,
        "no_rope_layers": config["no_rope_layers"],
        "rope_parameters": {kind: {"rope_theta": base} for kind, base in rules.items()},
    })  # fmt: skip
    return [layer.base for layer in plan]


def values_by_offset(q, kv, q_positions, positions):
    """Each value is rotated by its own offset, and only then added up."""
    output = []
    for row, position in zip(q, q_positions):
        keys = loops.rotary(kv, [one - position for one in positions])
        output += loops.attention([row], keys, keys)
    return output


def packed_one_by_one(tokens, end):
    """Every text by itself, put on the diagonal."""
    texts, text = [], []
    for token in tokens:
        text.append(token)
        if token == end:
            texts, text = [*texts, text], []
    sizes = [len(text) for text in [*texts, text] if text]
    mask = torch.block_diag(*(torch.ones(size, size).tril() for size in sizes)).bool()
    return [place for size in sizes for place in range(size)], mask


def moved_by_turning_anew(cached_k, sinks, recent, turned):
    """Turned back to position 0, and then to where they go."""
    cached_k = np.array(cached_k)
    head, rest = cached_k[..., :turned], cached_k[..., turned:]
    keep = [*range(sinks), *range(cached_k.shape[1] - recent, cached_k.shape[1])]
    bare = arrays.rotary(head, -np.arange(cached_k.shape[1]))[:, keep]
    return np.concatenate([arrays.rotary(bare, np.arange(len(keep))), rest[:, keep]], axis=-1)


def served_alone(q, k, v, cached_k, cached_v, mask):
    """Each text without its padding, one token after the other."""
    outputs = []
    for row, real in enumerate(np.array(mask, dtype=bool)):
        one = [rows[row][None] for rows in (q, k, v)]
        outputs.append(one_token_at_a_time(*one, cached_k[row][real][None], cached_v[row][real][None])[0])
    return outputs


def conv_of_each_text(x, weights, texts):
    """The first version's convolution of one text after the other."""
    ends = [t for t in range(1, len(texts)) if texts[t] != texts[t - 1]]
    parts = [x[start:end].tolist() for start, end in zip([0, *ends], [*ends, len(texts)])]
    return [row for part in parts for row in loops.short_convolution(part, weights.tolist())[0]]


def state_after(state, key, value, gate, beta):
    """The state that the first version's delta rule returns after one token."""
    key, value = [key.tolist()], [value.tolist()]
    return loops.delta_rule(key, key, value, [beta], gates=[gate], state=state.tolist())[1]


def margin_by_search(num_keys, weight):
    """The margin at which a softmax gives the weight, found by halving an interval."""
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        power = math.exp(middle)
        low, high = (middle, high) if power / (power + num_keys - 1) < weight else (low, middle)
    return middle


def texts_for_a_difference(accuracy, difference):
    """The smallest whole number of at least 8 p (1 - p) / d ** 2, in fractions."""
    p, d = Fraction(str(accuracy)), Fraction(str(difference))
    return math.ceil(8 * p * (1 - p) / d**2)


ORACLES = {
    "margin_needed": margin_by_search,
    "needles_needed": texts_for_a_difference,
    "delta_step": state_after,
    "conv_packed": conv_of_each_text,
    "count_positions": {"the cat chased the mouse": [0, 1, 2, 3, 4], "to be or not to be": [0, 1, 2, 3, 4, 5],
                        "two  spaces": [0, 1], "": [], "three   blanks": [0, 1]}.__getitem__,
    "attention_loop": loops.attention,
    "permutation_test": permutation_holds,
    "one_angle": lambda position, pair, d_model: position * loops.frequencies(d_model)[pair],
    "row_by_hand": lambda: [-0.2794, 0.9602, 0.0600, 0.9982],
    "sinusoidal_loop": loops.sinusoidal,
    "right_pairs": right_pairs_by_speed,
    "batch_angles": lambda positions, d_model: np.einsum("bn,k->bnk", positions, loops.frequencies(d_model)),
    "sinusoidal_numpy": loops.sinusoidal,
    "sinusoidal_torch": lambda seq_len, d_model: torch.tensor(loops.sinusoidal(seq_len, d_model)),
    "encoding_module": Module,
    "read_wavelengths": wavelengths_by_complex_numbers,
    "split_shift": shift_with_columns_moved,
    "told_scores": scores_by_offset,
    "mean_by_step": means_of_shifted_rows,
    "paper_input": scaled_and_numbered,
    "learned_rows": lambda ids, table, offset, pad: loops.learned(ids, table, offset=offset, padding_id=pad),
    "slopes": loops.alibi_slopes,
    "newest_weights": weights_one_by_one,
    "rotary_interleaved": loops.rotary,
    "read_base": base_of_the_last_pair,
    "to_neighbours": rows_by_their_numbers,
    "rotary_half": lambda x, positions: loops.rotary(x, positions, layout="half"),
    "critical_pair": first_without_a_turn,
    "ntk_frequencies": ntk,
    "llama3_frequencies": llama3,
    "sinusoidal_2d": lambda height, width, d_model: loops.sinusoidal_2d(height, width, d_model, base=100),
    "axial_rotary": lambda x, rows, columns: loops.axial_rotary(x, rows, columns, base=100),
    "share_rotary": share,
    "layer_bases": bases,
    "values_turned_back": values_by_offset,
    "resized_table": stretched_by_hand,
    "digits_needed": digits_that_keep_apart,
    "far_table": lambda positions, d_model: [loops.sinusoidal(1, d_model, start=p)[0] for p in positions],
    "mrope_positions": loops.mrope_positions,
    "decoded_positions": lambda prompts, steps: [
        loops.mrope_positions([*parts, steps])[1][-steps:] for parts in prompts
    ],
    "packed_positions": packed_one_by_one,
    "move_keys": moved_by_turning_anew,
    "serve_step": served_alone,
    "view_numbers": numbers_that_the_written_out_bias_holds,
    "causal_alibi": causal_alibi,
    "weight_back": weight_so_far_below_the_diagonal,
}  # fmt: skip
