"""Right programs of lesson 24: cases.toml makes three suspects of each, a line changed.

Their docstrings are what a riddle says of the program. Some numbers make no difference in a right program,
such as how a batch is padded; with the fault they do, so that a second patient can have other ones.
"""

import math

import numpy as np


def rotated(x, angles):
    """Rows in pairs, column i with column i + half, each pair rotated by its angle."""
    first, second = np.split(x, 2, axis=-1)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)


def falling(pairs):
    """(pairs,) 1 and then ever slower, base 10,000."""
    return 10_000.0 ** (-np.arange(pairs) / pairs)


def bfloat16(x):
    """Numbers rounded to bfloat16, the upper half of a float32."""
    bits = np.array(x, dtype=np.float32).view(np.uint32)
    return ((bits + 0x8000) & 0xFFFF0000).view(np.float32).astype(float)


def rules(prompt, new, trained):
    """Which list of frequencies each call of the model uses.

    In the right program the final length, `prompt` + `new`, decides for all calls. This length is known
    from the start. A text longer than `trained` needs the list for long texts. The first call reads
    `prompt` tokens. Then come `new` more calls, and each reads one token that was just written. All share a
    cache of rotated keys. Returns a list of 1 + new values, one for each call: True if it uses the list for
    long texts.
    """
    calls = []
    for _ in range(new + 1):
        length = prompt + new
        calls.append(length >= trained + 1)
    return calls


def partial(x, position, turned):
    """One head, x of shape (head_dim,): its first `turned` columns rotated, the others as they are.

    Base 10,000. The rotated part is like a head of its own, `turned` wide, with column i beside column
    i + turned / 2 in a pair. Returns an array (head_dim,).
    """
    out = x.astype(float)
    half = turned // 2
    pairs = np.arange(half)
    angles = position * 10_000.0 ** (-2 * pairs / turned)
    first, second = x[pairs], x[pairs + half]
    out[pairs] = first * np.cos(angles) - second * np.sin(angles)
    out[pairs + half] = first * np.sin(angles) + second * np.cos(angles)
    return out


def next_places(cached, new):
    """Positions of `new` tokens that are read in one call, after `cached` tokens in the cache.

    Returns a list of `new` integers, counted from 0 at the start of the text.
    """
    shared, piece = min(cached, 0), 1_000  # a beginning counted by itself: none; tokens read at once: all
    places = []
    for number in range(new):
        behind = cached - shared
        begin, within = number // piece * piece, number % piece
        places.append(shared + behind + begin + within)
    return places


def places(lengths, new):
    """Positions of prompts of different length in one batch, and of `new` tokens written after each.

    Padding is masked, and has no part in the result. Returns a list for each prompt: the position of its
    last token, then those of its `new` tokens.
    """
    rows = []
    first = 0
    width = first + max(lengths)  # of the batch, with its padding
    for length in lengths:
        last = first + length - 1
        padding = width - (last + 1)  # after the prompt
        after = width - padding
        rows.append([last] + [after + number for number in range(new)])
    return rows


def next_after_pictures(prompts):
    """Position of the token that is written next, after each prompt of a batch.

    A prompt is a list of parts: a whole number is so many tokens of text, a pair (h, w) a picture of h x w
    tokens. Text goes on by one a token; a picture takes as many positions as its longer side.
    Returns a whole number for each prompt.
    """
    copies = 1  # tokens for each place of a picture
    tokens = [
        sum(part if np.ndim(part) == 0 else copies * np.prod(part) for part in prompt) for prompt in prompts
    ]
    taken = [sum(np.max(part) for part in prompt) for prompt in prompts]
    deltas = [place - count for place, count in zip(taken, tokens)]
    return [int(count + delta) for count, delta in zip(tokens, deltas)]


def rotate(x, position):
    """One head, x of shape (head_dim,), rotated by RoPE, base 10,000, in the half layout.

    In that layout column i and column i + head_dim / 2 are a pair. Returns an array (head_dim,).
    """
    half = len(x) // 2
    speed = 1.0  # radians a token, of the fastest pair
    angles = position * speed * 10_000.0 ** (-np.arange(half) / half)
    first, second = x[:half], x[half:]
    cos, sin = np.cos(angles), np.sin(angles)
    turned = [first * cos - second * sin, first * sin + second * cos]
    return np.concatenate(turned)


def timestep(t, width):
    """Encoding of one time step t: first the cosines of all angles, then the sines.

    The angles are t / 10,000^(i / half), i from 0, for half = width / 2. Returns an array (width,).
    """
    half = width // 2
    angles = t / 10_000 ** (np.arange(half) / half)
    return np.concatenate([np.cos(angles), np.sin(angles)])


def base_of(config):
    """The base of RoPE in a configuration, a dict.

    It is at ["rope_parameters"]["rope_theta"] or, in older files, at ["rope_theta"]; where both are there,
    the first one counts. With neither it is 10,000. Returns a float.
    """
    older = config.get("rope_theta", 10_000)
    newer = config.get("rope_parameters", {})
    return float(newer.get("rope_theta", older))


def yarn(x, position, stretch):
    """One head, x of shape (head_dim,), rotated as in YaRN, for texts `stretch` times as long as 4096.

    Pairs that don't go round once in 4096 tokens rotate `stretch` times as slowly (without YaRN's blend), and
    then the whole vector is multiplied by the attention factor, 0.1 ln(stretch) + 1. Returns an array
    (head_dim,).
    """
    frequencies = falling(len(x) // 2)
    too_slow = frequencies * 4096 < 2 * math.pi
    frequencies = np.where(too_slow, frequencies / stretch, frequencies)
    attention_factor = 0.1 * math.log(stretch) + 1
    return attention_factor * rotated(x, position * frequencies)


def table_rows(lengths):
    """Rows of RoBERTa's table of positions, for texts that are packed one after the other.

    Rows 0 and 1 are reserved, so each text begins with row 2. Returns a list of sum(lengths) numbers.
    """
    rows = []
    for length in lengths:
        begins = 2
        start = begins
        rows += [start + number for number in range(length)]
    return rows


def query(x, gain, position):
    """One query, x of shape (head_dim,): rotated by RoPE, then normalised, then multiplied by the gain.

    Normalised: divided by its root mean square. gain: an array (head_dim,), one learned number a column.
    Returns an array (head_dim,).
    """
    angles = position * falling(len(x) // 2)
    x = rotated(x, angles)
    return gain * normalised(x)


def normalised(x):
    size = np.sqrt(np.mean(x**2))
    return x / size


def is_packed(position_ids):
    """Whether the positions are those of several texts in one row.

    position_ids: (batch, seq_len), or (3, batch, seq_len) for a model with three axes: time, and the row
    and column of a picture. Packed is a batch of one row in which a new text begins. Only there the
    first axis falls: the column falls at each new row of a picture, the row at each new frame of a film.
    Returns True or False.
    """
    ids = np.array(position_ids)
    if ids.ndim == 3:
        ids = ids[0]
    falls = np.diff(ids[0]) < 0
    return len(ids) == 1 and bool(falls.any())


def time_frequencies(frames):
    """Frequencies of the time axis of a video model: 8 pairs, radians per step of four frames.

    256^(-i / 8) for pair i from 0. The remedy: in a video of more than 200 frames pair 3 is slowed
    to one turn in the whole video. Returns an array (8,).
    """
    frequencies = 256.0 ** (-np.arange(8) / 8)
    if frames > 200:
        steps = frames / 4
        frequencies[3] = 2 * math.pi / steps
    return frequencies


def slopes(heads, part, parts):
    """ALiBi's slopes, on one of several cards between which the heads are divided.

    heads: of the whole model, a power of two. Head h, counted from 1, has the slope 2^(-8 h / heads). Card 0
    has the first share of them, card 1 the second, and so on. Returns an array (heads / parts,).
    """
    share = heads // parts
    numbers = part * share + np.arange(1, share + 1)
    return 2.0 ** (-8 * numbers / heads)


def in_sight(window, length, cached):
    """Places of the keys that the last of `length` tokens looks at, in a layer with a window.

    The window counts the token itself. With `cached`, a cache holds what this token needs of those before
    it. Otherwise all are read at once, under a mask. Returns a list of places, counted from 0.
    """
    last, keep = length - 1, window - 1
    first = 0
    if cached:
        seen = [*range(max(0, last - keep), last), last]
    else:
        seen = [place for place in range(length) if 0 <= last - place < window]
    return [first + place for place in seen]


def distances(read, budget):
    """How far back the next token finds each key, after so many were read; the cache has room for `budget`.

    Each key keeps the position at which it was read, and where room is short the oldest goes. Returns a
    list, the oldest key first.
    """
    begin = 0  # of the text
    first = max(0, read - budget)
    position = begin + read
    return [position - (begin + key) for key in range(first, read)]


def after_drafts(text, drafts, accepted):
    """State of a layer that remembers, after a text and the first `accepted` of some guesses.

    With each number half of the state stays, and the number is added. All guesses are read in one go.
    Returns a number.
    """
    fade, state = 0.5, 0.0
    for number in text:
        state = fade * state + number
    kept = [state]
    for number in drafts:
        kept.append(fade * kept[-1] + number)
    return kept[accepted]


def states(rows, lengths):
    """State after each row of a batch, in a layer that remembers.

    With each number half of the state stays, and the number is added. The last lengths[i] numbers of row i
    are real. Those before them are padding, and should leave no trace. Returns a list.
    """
    fade, found = 0.5, []
    for row, length in zip(rows, lengths):
        state = 0.0
        for place, number in enumerate(row):
            real = place >= len(row) - length
            state = fade * state + number * real
        found.append(state)
    return found


def convolved(x, lengths):
    """A short convolution over texts that are packed into one row: each number, plus half of the one before.

    The one before counts only if it is of the same text. Returns a list.
    """
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)  # where its text begins
    before, share = 1, 0.5
    out = []
    for place, number in enumerate(x):
        earlier = x[place - before] if place - before >= first[place] else 0
        out.append(number + share * earlier)
    return out


def frequencies_of(saved, head_dim):
    """The frequencies with which a model rotates after its weights were loaded, base 10,000.

    saved: the file, a dict of names and arrays. Old files have "frequencies", which then count. Newer files
    leave them out. Returns an array (head_dim / 2,).
    """
    held = np.full(head_dim // 2, 0.0)  # a place in memory, with anything in it
    held[:] = saved.get("frequencies", falling(head_dim // 2))
    return held.astype(float)


def weights(scores, sink, parts):
    """Attention weights of one query on its keys, where the head has a learned sink.

    The sink is one more score, which no value belongs to. The sum below the line is taken in so many parts.
    Returns an array, a weight for each score in the list.
    """
    powers = np.exp(1.0 * np.array(scores))
    sums = [part.sum() for part in np.array_split(powers, parts)]
    return powers / (np.exp(sink) + sum(sums))


def fused(q, k, angles):
    """A query and a key, rotated in one pass; column i and column i + half are a pair.

    angles: an array (head_dim / 2,). Returns an array (2, head_dim), the query first.
    """
    speed = 1.0
    cos, sin = np.cos(speed * angles), np.sin(speed * angles)
    q_0, q_1 = np.split(q, 2)
    k_0, k_1 = np.split(k, 2)
    new_q = [q_0 * cos - q_1 * sin, q_0 * sin + q_1 * cos]
    new_k = [k_0 * cos - k_1 * sin, k_0 * sin + k_1 * cos]
    return np.array([np.concatenate(new_q), np.concatenate(new_k)])


def stretched(table, new):
    """A table of positions for images, a number for each patch, stretched to a grid of new = (h, w) patches.

    Each patch gets the number of the nearest row and column. Returns an array (h, w).
    """
    scale, table = 1, np.array(table)
    rows, columns = (np.arange(n) * old // n for n, old in zip(new, table.shape))
    return scale * table[rows][:, columns]
