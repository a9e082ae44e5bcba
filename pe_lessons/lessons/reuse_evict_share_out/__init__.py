"""Exercises of the lesson on rows of a cache that are dropped, moved and shared."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def _look_at_one(function, *arguments):
    *arguments, look_at = arguments
    returned = function(*arguments)
    if returned is None:
        return None
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        raise ValueError("Return two things: positions, mask")
    positions, mask = returned
    return positions if look_at == "positions" else mask


def _both(*cases):
    return tuple((*case, look_at) for case in cases for look_at in ("positions", "mask"))


tree_positions = lesson.exercise(
    "tree_positions",
    probes=_both(
        ([-1, -1, 0, 0, 1, 2], 3),
        ([-1, 0, 0, 1, 2, 3, 3], 2),
        ([-1, 0, -1, 1, 2, 2], 4),
    ),
    edge_probes=_both(
        ([-1], 2), ([-1, 0, 1], 1), ([-1, -1, -1], 3), ([-1, 0, 0], 0), ([-1, 0, 1, 2, 3, 4, 5], 1)
    ),
    use=_look_at_one,
    call=lambda name, parents, cached, look_at: (
        f"the {look_at} of {name}(parents={parents}, cached={cached})"
    ),
)

zigzag_positions = lesson.exercise(
    "zigzag_positions",
    probes=_both((16, 2, 1), (12, 3, 0), (24, 4, 2)),
    edge_probes=_both((4, 1, 0), (8, 4, 3), (6, 1, 0), (8, 2, 0)),
    use=_look_at_one,
    call=lambda name, seq_len, cards, card, look_at: f"the {look_at} of {name}({seq_len}, {cards}, {card})",
    redraw=lambda draw, seq_len, cards, card, look_at: (
        2 * cards * draw.randint(2, 9),
        cards,
        draw.randrange(cards),
        look_at,
    ),
)

quiz_reuse_evict_share_out = lesson.quiz("quiz_reuse_evict_share_out")
