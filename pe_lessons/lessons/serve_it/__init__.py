"""Exercises of lesson 19, serve it."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def look_at_one(function, *arguments):
    """Of the two things that a function returns, that which the last argument names."""
    *arguments, look_at = arguments
    returned = function(*arguments)
    if returned is None:
        return None
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        raise ValueError("Return two things, positions and mask")
    positions, mask = returned
    return positions if look_at == "positions" else mask


def both(*cases):
    return tuple((*case, look_at) for case in cases for look_at in ("positions", "mask"))


def _other_tokens(draw, tokens, end, look_at):
    end, *others = draw.sample(range(100), 4)
    return draw.choices([end, *others], k=draw.randint(6, 12)), end, look_at


packed_positions = lesson.exercise(
    "packed_positions",
    probes=both(
        ([5, 3, 0, 7, 0, 4, 4, 6], 0),
        ([9, 2, 2, 5, 9, 9, 1], 9),
        ([1, 2, 3, 1, 3, 3], 3),
    ),
    edge_probes=both(([4], 0), ([4, 5, 6], 0), ([0, 0], 0), ([0], 0)),
    use=look_at_one,
    call=lambda name, tokens, end, look_at: f"the {look_at} of {name}(tokens={tokens}, end={end})",
    redraw=_other_tokens,
)


_rows = np.random.default_rng(seed=17)


def _cache(num_heads, cached, head_dim):
    return _rows.normal(size=(num_heads, cached, head_dim))


move_keys = lesson.exercise(
    "move_keys",
    probes=(
        (_cache(2, 9, 8), 2, 3, 4),
        (_cache(1, 12, 6), 1, 4, 6),
        (_cache(3, 8, 8), 3, 2, 6),
        (_cache(2, 5, 4), 2, 3, 2),  # all keys stay, so that heads cut instead of them raise no error
    ),
    edge_probes=((_cache(1, 7, 4), 0, 3, 4), (_cache(1, 6, 4), 1, 1, 2)),
)


def _step(batch, cached, new, head_dim, mask):
    q, k, v = _rows.normal(size=(3, batch, new, head_dim))
    return q, k, v, *_rows.normal(size=(2, batch, cached, head_dim)), np.array(mask).reshape(batch, cached)


def name_shapes(function, *arguments):
    """Say what is wrong with `look` where it doesn't fit `real` or hides every key; the error doesn't."""
    try:
        return function(*arguments)
    except ValueError as error:
        if "broadcast" in str(error):
            said = "Your `real` has columns for the cache only, but `look` also has columns for new tokens"
        elif "softmax of nothing" in str(error):
            said = "Your `look` hides every key from a new token. Its columns count the padding, too"
        else:
            raise
        raise ValueError(f"{str(error).strip()}. {said}") from error


serve_step = lesson.exercise(
    "serve_step",
    use=name_shapes,
    probes=(
        _step(3, 5, 3, 4, [[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 0, 0, 1]]),
        _step(2, 4, 2, 6, [[0, 1, 1, 1], [0, 0, 0, 1]]),
    ),
    edge_probes=(
        _step(2, 0, 3, 4, []),
        _step(1, 6, 1, 4, [[0, 0, 1, 1, 1, 1]]),
        _step(2, 3, 1, 2, [[1, 1, 1], [0, 0, 1]]),
    ),
    call=lambda name, *arrays: f"{name}(q, k, v, cached_k, cached_v, mask={arrays[-1].tolist()})",
)

quiz_serve_it = lesson.quiz("quiz_serve_it")
