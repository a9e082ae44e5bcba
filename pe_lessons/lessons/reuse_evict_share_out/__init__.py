"""Exercises of the lesson on rows of a cache that are dropped, moved and shared."""

from pe_lessons.exercises.lesson_files import Lesson
from pe_lessons.lessons.serve_it import both, look_at_one

lesson = Lesson(__name__)


def _one_repair(function, old_positions, look_at):
    """Of the two lists that a function returns, the one that is looked at."""
    returned = function(old_positions)
    if returned is None:
        return None
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        raise ValueError("Return two lists, steps and recompute")
    return returned[look_at == "recompute"]


def _both_repairs(*texts):
    return tuple((text, look_at) for text in texts for look_at in ("steps", "recompute"))


def _other_text(draw, old_positions, look_at):
    """It begins as the old text does, and goes on with any of its later tokens."""
    same = draw.randint(0, 3)
    return [*range(same), *draw.sample(range(same, same + 10), draw.randint(3, 7))], look_at


row_repairs = lesson.exercise(
    "row_repairs",
    probes=_both_repairs(
        [0, 1, 8, 9, 10, 11],
        [4, 5, 2, 3, 0, 1],
        [0, 2, 1, 3, 4],
    ),
    edge_probes=_both_repairs([0, 1, 2], [3], [1, 0, 2], [0]),
    use=_one_repair,
    call=lambda name, old_positions, look_at: f"the list {look_at} of {name}({old_positions})",
    redraw=_other_text,
)


def _other_cache(draw, parents, cached, next_position, look_at):
    """Another tree, more rows, and more that were evicted: a cache never has more rows than positions."""
    more, parents = draw.randint(0, 9), [draw.randint(-1, guess - 1) for guess in range(draw.randint(3, 8))]
    return parents, cached + more, next_position + more + draw.randint(0, 9), look_at


tree_positions = lesson.exercise(
    "tree_positions",
    probes=both(
        ([-1, -1, 0, 0, 1, 2], 3, 9),
        ([-1, 0, 0, 1, 2, 3, 3], 2, 5),
        ([-1, 0, -1, 1, 2, 2], 4, 11),
    ),
    edge_probes=both(
        ([-1], 2, 2),
        ([-1, 0, 1], 1, 6),
        ([-1, -1, -1], 3, 3),
        ([-1, 0, 0], 0, 0),
        ([-1, 0, 1, 2, 3, 4, 5], 1, 1),
    ),
    use=look_at_one,
    call=lambda name, parents, cached, next_position, look_at: (
        f"the {look_at} of {name}(parents={parents}, cached={cached}, next_position={next_position})"
    ),
    redraw=_other_cache,
)

zigzag_positions = lesson.exercise(
    "zigzag_positions",
    probes=both((16, 2, 1), (12, 3, 0), (24, 4, 2)),
    edge_probes=both((4, 1, 0), (8, 4, 3), (6, 1, 0), (8, 2, 0)),
    use=look_at_one,
    call=lambda name, seq_len, cards, card, look_at: f"the {look_at} of {name}({seq_len}, {cards}, {card})",
    redraw=lambda draw, seq_len, cards, card, look_at: (
        2 * cards * draw.randint(2, 9),
        cards,
        draw.randrange(cards),
        look_at,
    ),
)

quiz_reuse_evict_share_out = lesson.quiz("quiz_reuse_evict_share_out")
