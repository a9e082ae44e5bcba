"""Exercises of lesson 15, tables by rotation."""

import numpy as np

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def _probe(position, frequencies, seq_len):
    row = [float(wave(position * frequency)) for frequency in frequencies for wave in (np.sin, np.cos)]
    return row, frequencies, seq_len


turned_rows = lesson.exercise(
    "turned_rows",
    mine="my_rows",
    probes=(_probe(2, [1.0, 0.01], 5), _probe(7, [1.0, 0.3, 0.05], 4)),
    edge_probes=(_probe(5, [1.0, 0.1], 1), _probe(1, [0.9], 1200)),
)


def _look_at_stream(stream, seq_len, d_model, block_len, look):
    blocks = stream(seq_len, d_model, block_len)
    blocks = [] if blocks is None else list(blocks)
    if look == "lengths":
        return [len(block) for block in blocks]
    return [row.tolist() for block in blocks for row in np.asarray(block)]


def _call(name, seq_len, d_model, block_len, look):
    call = f"{name}({seq_len}, {d_model}, {block_len})"
    return f"[len(block) for block in {call}]" if look == "lengths" else call


def _both(*sizes):
    return tuple((*size, look) for size in sizes for look in ("lengths", "rows"))


stream_blocks = lesson.exercise(
    "stream_blocks",
    mine="my_stream",
    probes=_both((10, 4, 4), (7, 6, 3), (9, 2, 5)),
    edge_probes=_both((6, 4, 3), (3, 4, 8), (4, 2, 1), (600, 2, 2)),
    use=_look_at_stream,
    call=_call,
)

speed_question = lesson.question("speed_question")
quiz_15 = lesson.quiz("quiz_15")
