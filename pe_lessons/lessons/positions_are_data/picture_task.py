"""The task "what colour is below" on small pictures, and the encodings that lesson 18 trains on it."""

import numpy as np
import torch

from pe_lessons import arrays, tensors, toys


def pictures(width, *, seed):
    """Random pictures of three rows, and the task "what colour is below", for ever.

    The patches are in raster order. Each is asked for the one below it, those of the last row for nothing.

    Yields
    ------
    colours, below : Tensors of int64, shape (32, 3 * width)

    Examples
    --------
    >>> colours, below = next(pictures(2, seed=0))
    >>> colours[0], below[0]
    (tensor([4, 9, 3, 0, 3, 9]), tensor([   3,    0,    3,    9, -100, -100]))
    """

    def task(colours):
        nothing = torch.full_like(colours[:, :width], toys.IGNORE_INDEX)
        return torch.cat([colours[:, width:], nothing], dim=1)

    return toys.batches(task, seed=seed, seq_len=3 * width)


def answers_places_on(model, colours, places):
    """How often a model names the colour that comes so many places later, of the patches that have one."""
    answers = model(colours).argmax(-1)
    return (answers[:, :-places] == colours[:, places:]).double().mean().item()


def weight_on_first(rule, width):
    """How much weight each patch of a new picture gives to its own place in the first of two references.

    All vectors are ones, so only positions count. The head was built for pictures of six patches a row: it
    rotates a query as if it were in the first reference of such a picture. `rule` gives, for a width, the
    offset in time, height and width from each picture to the next. `width` counts the patches in a row.
    """

    def rotated(shift):
        places = arrays.mrope_positions([(1, 3, width)]) + np.c_[shift]  # (3, patches)
        return arrays.mrope(np.ones((3 * width, 32)), places, (6, 5, 5), base=100, order="interleaved")

    keys = [rotated(k * np.array(rule(width))) for k in range(3)]  # of the new picture and two references
    weights = arrays.softmax(8 * rotated(rule(6)) @ np.concatenate(keys).T)
    return weights[:, 3 * width : 6 * width].trace() / (3 * width)


class PictureRotary(toys.Encoding):
    """Queries and keys of a picture of three rows are turned, by the patches' place in the line or by M-RoPE.

    `order` is "line", or an order of `tensors.mrope`: then 6 pairs read the time, 5 the height, 5 the width.
    """

    def __init__(self, order):
        super().__init__()
        self.order = order

    def turn(self, rows, positions):
        if self.order == "line":
            return tensors.rotary(rows, positions, base=100)
        places = tensors.mrope_positions([(1, 3, len(positions) // 3)])  # (3, seq_len)
        return tensors.mrope(rows, places, (6, 5, 5), base=100, order=self.order)
