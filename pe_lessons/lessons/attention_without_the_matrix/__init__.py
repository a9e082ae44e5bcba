"""Exercises of lesson 22, attention without the matrix."""

import functools

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


view_numbers = lesson.exercise(
    "view_numbers",
    probes=((3, 8, 0.5, 4), (5, 7, 0.25, 2)),
    edge_probes=(
        (1, 5, 0.5, 2),
        (3, 3, 0.5, 2),
        (2, 4, 0.5, 9),
        (1, 1, 2.0, 1),
        (2, 4, 0.5, 1),
        (3, 6, 0.5, 6),
    ),
    redraw=lambda draw, n_queries, n_keys, slope, window: (
        n := draw.randint(1, 6),
        n + draw.randint(0, 6),
        draw.uniform(0.1, 2),
        draw.randint(1, 9),
    ),
)


def _not_known(tensor, *_args, **_kwargs):
    raise TypeError(
        "FlexAttention traces a score_mod once, for all pairs together: a tensor in it has no value yet for "
        "Python's `if`, `and`, `int` or `float`. Choose with torch.where"
    )


@functools.cache
def _traced():
    """The type of what FlexAttention hands over: tensors without axes whose values nobody may ask for."""
    import torch

    asks = "__bool__", "__int__", "__float__", "__index__", "__array__", "item", "tolist", "numpy"
    return type(
        "Traced", (torch.Tensor,), {"__repr__": lambda _: "a tensor", **dict.fromkeys(asks, _not_known)}
    )


def _scores_after(score_mod, scores, batch, head, queries, keys):
    """What becomes of every score."""
    import torch

    def new_score(*numbers):
        new = score_mod(*(torch.tensor(number).as_subclass(_traced()) for number in numbers))
        return new.as_subclass(torch.Tensor).item() if isinstance(new, torch.Tensor) else new

    return [
        [new_score(score, batch, head, query, key) for key, score in zip(keys, row)]
        for query, row in zip(queries, scores)
    ]


def _call(name, scores, batch, head, queries, keys):
    return f"{name}(score, {batch}, {head}, query, key) for scores {scores}, queries {queries}, keys {keys}"


causal_alibi = lesson.exercise(
    "causal_alibi",
    mine="my_score_mod",
    probes=(
        ([[4.0, 8.0, -2.0], [1.0, 3.0, 5.0], [-6.0, 2.0, 7.0]], 1, 0, [0, 1, 2], [0, 1, 2]),
        ([[3.0, 1.0, 9.0, 2.0], [5.0, -4.0, 6.0, 1.0]], 0, 2, [5, 6], [3, 4, 5, 6]),
    ),
    edge_probes=(
        ([[5.0]], 2, 7, [0], [0]),
        ([[2.0, 3.0], [4.0, -8.0], [6.0, 1.0]], 3, 5, [0, 1, 9], [0, 1]),
        *(([[2.0, -3.0]], 0, head, [3], [0, 2]) for head in (1, 3, 4, 6)),  # each slope of a list
    ),
    use=_scores_after,
    call=_call,
)

kernels_question = lesson.question("kernels_question")
quiz_attention_without_the_matrix = lesson.quiz("quiz_attention_without_the_matrix")
