"""Right answers of lesson 19."""

import math

import numpy as np

from pe_lessons import arrays, loops


def packed_positions_arrays(tokens, end):
    places = np.arange(len(tokens))
    ends = np.array(tokens) == end
    documents = np.cumsum(ends) - ends  # (seq_len,) an end belongs to the text that it ends
    first = np.searchsorted(documents, documents)  # where the text of each token begins
    positions = places - first
    mask = (documents[:, None] == documents) & (places <= places[:, None])  # (n_q, n_k)
    return positions, mask


def packed_positions_loop(tokens, end):
    positions, documents = [], []
    position, document = 0, 0
    for token in tokens:
        positions.append(position)
        documents.append(document)
        position += 1
        if token == end:
            position = 0
            document += 1
    places = range(len(tokens))
    mask = [[documents[n] == documents[m] and n <= m for n in places] for m in places]
    return positions, mask


def move_keys_arrays(cached_k, sinks, recent, rotary_dim):
    cached = cached_k.shape[1]
    keep = np.r_[0:sinks, cached - recent : cached]  # where they were
    moves = np.arange(len(keep)) - keep
    kept = cached_k[:, keep]  # (num_heads, sinks + recent, head_dim)
    kept[..., :rotary_dim] = arrays.rotary(kept[..., :rotary_dim], moves)
    return kept


def move_keys_loop(cached_k, sinks, recent, rotary_dim):
    cached = len(cached_k[0])
    keep = [*range(sinks), *range(cached - recent, cached)]  # where they were
    moved = []
    for head in cached_k:
        rows = [list(head[place]) for place in keep]
        for new, (place, row) in enumerate(zip(keep, rows)):
            move = new - place
            for pair in range(rotary_dim // 2):
                angle = move / 10_000 ** (2 * pair / rotary_dim)
                first, second = 2 * pair, 2 * pair + 1
                a, b = row[first], row[second]
                row[first] = a * math.cos(angle) - b * math.sin(angle)
                row[second] = a * math.sin(angle) + b * math.cos(angle)
        moved.append(rows)
    return moved


def serve_step_repaired(q, k, v, cached_k, cached_v, mask):
    outputs = np.empty(q.shape)
    for row, real in enumerate(mask > 0):
        cached, new = len(real), q.shape[1]
        positions = real.sum() + np.arange(new)  # repaired: padding isn't counted
        queries, new_keys = arrays.rotary(q[row], positions), arrays.rotary(k[row], positions)
        keys = np.concatenate([cached_k[row], new_keys])  # (cached + new, head_dim)
        values = np.concatenate([cached_v[row], v[row]])
        look = np.tri(new, cached + new, cached, dtype=bool)  # (new, cached + new), True: may look at
        look[:, :cached] &= real  # repaired: padding is hidden
        outputs[row] = arrays.attention(queries, keys, values, look)
    return outputs


def serve_step_arrays(q, k, v, cached_k, cached_v, mask):
    cached, new = cached_k.shape[1], q.shape[1]
    outputs = np.empty(q.shape)
    for row in range(len(q)):
        before = mask[row].sum()  # real tokens in the cache
        positions = before + np.arange(new)
        queries, new_keys = arrays.rotary(q[row], positions), arrays.rotary(k[row], positions)
        keys = np.concatenate([cached_k[row], new_keys])  # (cached + new, head_dim)
        values = np.concatenate([cached_v[row], v[row]])
        real = np.append(mask[row], np.ones(new)) > 0
        look = np.tri(new, cached + new, cached) * real > 0  # (new, cached + new)
        outputs[row] = arrays.attention(queries, keys, values, look)
    return outputs


def serve_step_loop(q, k, v, cached_k, cached_v, mask):
    outputs = []
    for row in range(len(q)):
        cached, new = len(cached_k[row]), len(q[row])
        before = sum(mask[row])  # real tokens in the cache
        positions = [before + number for number in range(new)]
        queries, new_keys = arrays.rotary(q[row], positions), arrays.rotary(k[row], positions)
        keys = [*cached_k[row], *new_keys]
        values = [*cached_v[row], *v[row]]
        real = [*mask[row], *[1] * new]
        rows = []
        for number, query in enumerate(queries):
            places = [place for place in range(cached + number + 1) if real[place]]
            seen_keys, seen_values = [keys[place] for place in places], [values[place] for place in places]
            rows += loops.attention(
                [query.tolist()], np.array(seen_keys).tolist(), np.array(seen_values).tolist()
            )
        outputs.append(rows)
    return outputs


def the_draft(q, k, v, cached_k, cached_v, mask):
    """The server as the lesson shows it, with two lines to repair."""
    cached, new = cached_k.shape[1], q.shape[1]
    outputs = np.empty(q.shape)
    for row in range(len(q)):
        positions = cached + np.arange(new)
        queries, new_keys = arrays.rotary(q[row], positions), arrays.rotary(k[row], positions)
        keys = np.concatenate([cached_k[row], new_keys])
        values = np.concatenate([cached_v[row], v[row]])
        look = np.tri(new, cached + new, cached) > 0
        outputs[row] = arrays.attention(queries, keys, values, look)
    return outputs
