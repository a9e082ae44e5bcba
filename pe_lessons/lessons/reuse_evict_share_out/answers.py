"""Right answers of the lesson on rows of a cache that are dropped, moved and shared."""

import numpy as np


def row_repairs_loop(old_positions):
    steps, recompute = [], []
    for new, old in enumerate(old_positions):
        has_read = list(range(old + 1))
        should_have_read = list(old_positions[: new + 1])
        steps.append(new - old)
        recompute.append(has_read != should_have_read)
    return steps, recompute


def row_repairs_arrays(old_positions):
    old_positions = np.array(old_positions, dtype=int)
    places = np.arange(len(old_positions))
    steps = places - old_positions
    recompute = np.cumsum(places != old_positions) > 0  # from the first changed token on
    return steps, recompute


def tree_positions_loop(parents, cached, next_position):
    positions, mask = [], []
    for guess, parent in enumerate(parents):
        if parent < 0:
            position = next_position
            row = [True] * cached + [False] * len(parents)
        else:
            position = positions[parent] + 1
            row = list(mask[parent])
        row[cached + guess] = True
        positions.append(position)
        mask.append(row)
    return positions, mask


def tree_positions_arrays(parents, cached, next_position):
    guesses = len(parents)
    depth, seen = np.zeros(guesses, dtype=int), np.eye(guesses, dtype=bool)
    for guess, parent in enumerate(parents):
        if parent >= 0:
            depth[guess] = depth[parent] + 1
            seen[guess] |= seen[parent]
    positions = next_position + depth
    mask = np.hstack([np.ones((guesses, cached), dtype=bool), seen])
    return positions, mask


def zigzag_positions_loop(seq_len, cards, card):
    size = seq_len // (2 * cards)
    held = []
    for owner in range(cards):
        places = []
        for piece in (owner, 2 * cards - 1 - owner):
            for place in range(size):
                places.append(piece * size + place)
        held.append(places)
    keys = [place for places in held for place in places]
    mask = [[key <= query for key in keys] for query in held[card]]
    return held[card], mask


def zigzag_positions_arrays(seq_len, cards, card):
    pieces = np.arange(seq_len).reshape(2 * cards, -1)
    held = np.hstack([pieces[:cards], pieces[cards:][::-1]])  # (cards, seq_len // cards)
    keys = held.ravel()
    mask = keys <= held[card][:, None]
    return held[card], mask
