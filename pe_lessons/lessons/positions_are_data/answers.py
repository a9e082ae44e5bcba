"""Right answers of lesson 18."""

import numpy as np


def mrope_positions_loop(parts):
    times = []
    rows = []
    columns = []
    start = 0
    for part in parts:
        if isinstance(part, int):
            for n in range(part):
                times.append(start + n)
                rows.append(start + n)
                columns.append(start + n)
        else:
            frames, height, width = part
            for frame in range(frames):
                for row in range(height):
                    for column in range(width):
                        times.append(start + frame)
                        rows.append(start + row)
                        columns.append(start + column)
        start = max(times + rows + columns) + 1
    return [times, rows, columns]


def mrope_positions_arrays(parts):
    positions = np.empty((3, 0), dtype=int)
    start = 0
    for part in parts:
        if isinstance(part, int):
            local = np.tile(np.arange(part), (3, 1))  # (3, part)
        else:
            local = np.indices(part).reshape(3, -1)  # (3, frames * height * width)
        positions = np.concatenate([positions, start + local], axis=1)
        start = positions.max() + 1
    return positions


def decoded_positions_arrays(prompts, steps):
    answers = []
    for positions in prompts:  # (3, tokens)
        delta = positions.max() + 1 - positions.shape[1]
        cached = positions.shape[1]
        answers.append(cached + delta + np.arange(steps))
    return answers


def decoded_positions_loop(prompts, steps):
    answers = []
    for positions in prompts:
        largest = max(max(axis) for axis in positions)
        after = largest + 1
        answers.append([after + step for step in range(steps)])
    return answers


def decoded_as_found(prompts, steps):
    cached, answers = [], []
    for positions in prompts:  # (3, tokens)
        cached.append(positions.shape[1])
        delta = positions[0].max() + 1 - positions.shape[1]
    for tokens in cached:
        answers.append(tokens + delta + np.arange(steps))
    return answers
