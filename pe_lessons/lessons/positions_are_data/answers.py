"""Right answers of lesson 18."""

import numpy as np

from pe_lessons import arrays


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
    places = np.empty((3, 0), dtype=int)
    start = 0
    for part in parts:
        if isinstance(part, int):
            local = np.tile(np.arange(part), (3, 1))  # (3, part)
        else:
            local = np.indices(part).reshape(3, -1)  # (3, frames * height * width)
        places = np.concatenate([places, start + local], axis=1)
        start = places.max() + 1
    return places


def each_axis_by_itself(parts):
    places = np.empty((3, 0), dtype=int)
    starts = np.zeros((3, 1), dtype=int)  # where the next part begins on each axis
    for part in parts:
        if isinstance(part, int):
            local = np.tile(np.arange(part), (3, 1))
        else:
            local = np.indices(part).reshape(3, -1)
        places = np.concatenate([places, starts + local], axis=1)
        starts = places.max(axis=1, keepdims=True) + 1
    return places


def decoded_positions_arrays(prompts, steps):
    answers = []
    for parts in prompts:
        places = arrays.mrope_positions(parts)  # (3, tokens)
        delta = places.max() + 1 - places.shape[1]
        cached = places.shape[1]
        answers.append(cached + delta + np.arange(steps))
    return answers


def decoded_positions_loop(prompts, steps):
    answers = []
    for parts in prompts:
        after = 0  # one more than the largest number so far
        for part in parts:
            after += part if isinstance(part, int) else max(part)
        answers.append([after + step for step in range(steps)])
    return answers


def decoded_with_the_last_delta(prompts, steps):
    last = arrays.mrope_positions(prompts[-1])
    delta = last.max() + 1 - last.shape[1]
    cached = [arrays.mrope_positions(parts).shape[1] for parts in prompts]
    return [tokens + delta + np.arange(steps) for tokens in cached]


def decoded_with_the_first_delta(prompts, steps):
    first = arrays.mrope_positions(prompts[0])
    delta = first.max() + 1 - first.shape[1]
    cached = [arrays.mrope_positions(parts).shape[1] for parts in prompts]
    return [tokens + delta + np.arange(steps) for tokens in cached]


def decoded_with_the_delta_of_the_longest(prompts, steps):
    places = [arrays.mrope_positions(parts) for parts in prompts]
    tokens, largest = max((one.shape[1], one.max()) for one in places)
    return [one.shape[1] + largest + 1 - tokens + np.arange(steps) for one in places]


def decoded_from_the_longest_prompt(prompts, steps):
    places = [arrays.mrope_positions(parts) for parts in prompts]
    longest = max(one.shape[1] for one in places)
    return [longest + one.max() + 1 - one.shape[1] + np.arange(steps) for one in places]


def decoded_from_the_longest_prompt_alone(prompts, steps):
    longest = max(arrays.mrope_positions(parts).shape[1] for parts in prompts)
    return [longest + np.arange(steps) for _ in prompts]


def decoded_minus_the_delta(prompts, steps):
    answers = []
    for parts in prompts:
        places = arrays.mrope_positions(parts)
        delta = places.max() + 1 - places.shape[1]
        answers.append(places.shape[1] - delta + np.arange(steps))
    return answers


def decoded_from_the_delta(prompts, steps):
    answers = []
    for parts in prompts:
        places = arrays.mrope_positions(parts)
        delta = places.max() + 1 - places.shape[1]
        answers.append(delta + np.arange(steps))
    return answers


def decoded_after_the_last_time(prompts, steps):
    return _decoded_after_one_axis(0, prompts, steps)


def decoded_after_the_last_row(prompts, steps):
    return _decoded_after_one_axis(1, prompts, steps)


def decoded_after_the_last_column(prompts, steps):
    return _decoded_after_one_axis(2, prompts, steps)


def _decoded_after_one_axis(axis, prompts, steps):
    return [arrays.mrope_positions(parts)[axis].max() + 1 + np.arange(steps) for parts in prompts]


def decoded_behind_the_longest_prompt(prompts, steps):
    largest = max(arrays.mrope_positions(parts).max() for parts in prompts)
    return [largest + 1 + np.arange(steps) for _ in prompts]


def decoded_as_found(prompts, steps):
    cached, answers = [], []
    for parts in prompts:
        places = arrays.mrope_positions(parts)  # (3, tokens)
        cached.append(places.shape[1])
        delta = places[0].max() + 1 - places.shape[1]
    for tokens in cached:
        answers.append(tokens + delta + np.arange(steps))
    return answers
