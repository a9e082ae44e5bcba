"""Right answers of the lesson on rows of a cache that are dropped, moved and shared."""

import numpy as np


def tree_positions_loop(parents, cached):
    positions, mask = [], []
    for guess, parent in enumerate(parents):
        if parent < 0:
            position = cached
            row = [True] * cached + [False] * len(parents)
        else:
            position = positions[parent] + 1
            row = list(mask[parent])
        row[cached + guess] = True
        positions.append(position)
        mask.append(row)
    return positions, mask


def tree_positions_arrays(parents, cached):
    guesses = len(parents)
    depth, seen = np.zeros(guesses, dtype=int), np.eye(guesses, dtype=bool)
    for guess, parent in enumerate(parents):
        if parent >= 0:
            depth[guess] = depth[parent] + 1
            seen[guess] |= seen[parent]
    positions = cached + depth
    mask = np.hstack([np.ones((guesses, cached), dtype=bool), seen])
    return positions, mask


def only_the_parent(parents, cached):
    positions, mask = tree_positions_arrays(parents, cached)
    for guess, parent in enumerate(parents):
        mask[guess, cached:] = False
        mask[guess, [cached + guess] + [cached + parent] * (parent >= 0)] = True
    return positions, mask


def siblings_in_a_row(parents, cached):
    positions, mask = tree_positions_arrays(parents, cached)
    for guess, parent in enumerate(parents):
        before = positions[parent] if parent >= 0 else cached - 1
        positions[guess] = before + 1 + parents[:guess].count(parent)
    return positions, mask


def smaller_positions_seen(parents, cached):
    positions, mask = tree_positions_arrays(parents, cached)
    return positions, mask | (np.concatenate([np.arange(cached), positions]) < positions[:, None])


def equal_positions_seen(parents, cached):
    positions, _ = tree_positions_arrays(parents, cached)
    return positions, np.concatenate([np.arange(cached), positions]) <= positions[:, None]


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


def _held_as(places, card):
    mine = np.array(places[card])
    return mine, np.concatenate(places) <= mine[:, None]


def one_piece_each(seq_len, cards, card):
    return _held_as(np.arange(seq_len).reshape(cards, -1), card)


def pieces_twice_as_long(seq_len, cards, card):
    pieces = np.arange(seq_len).reshape(cards, -1)
    return _held_as(np.hstack([pieces, pieces[::-1]]), card)


def dealt_forth_and_back(seq_len, cards, card):
    rounds = np.arange(seq_len).reshape(-1, 2, cards)
    return _held_as(np.dstack([rounds[:, 0], rounds[:, 1, ::-1]]).swapaxes(0, 1).reshape(cards, -1), card)


def dealt_in_turn(seq_len, cards, card):
    return _held_as(np.arange(seq_len).reshape(-1, cards).T, card)


def not_mirrored(seq_len, cards, card):
    pieces = np.arange(seq_len).reshape(2 * cards, -1)
    return _held_as(np.hstack([pieces[:cards], pieces[cards:]]), card)


def second_piece_backwards(seq_len, cards, card):
    places = np.arange(seq_len)
    half = seq_len // 2
    return _held_as(
        np.hstack([places[:half].reshape(cards, -1), places[half:][::-1].reshape(cards, -1)]), card
    )


def counted_on_the_card(seq_len, cards, card):
    held, mask = zigzag_positions_arrays(seq_len, cards, card)
    return np.arange(len(held)), mask
