"""The task "what colour is below" on small pictures, and the encodings that lesson 18 trains on it."""

import torch

from pe_lessons import tensors, toys


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


class PictureRotary(toys.Encoding):
    """Queries and keys of a picture of three rows are turned, by the patches' place in the line or by M-RoPE.

    Parameters
    ----------
    order : str
        "line", or an order of `tensors.mrope`: then 6 pairs read the time, 5 the height, 5 the width.
        "width first" is "blocks" from the other end: 6 for the width, 5 for the height, 5 for the time.
    """

    def __init__(self, order):
        super().__init__()
        self.order = order

    def turn(self, rows, positions):
        if self.order == "line":
            return tensors.rotary(rows, positions, base=100)
        order, places = self.order, tensors.mrope_positions([(1, 3, len(positions) // 3)])  # (3, seq_len)
        if order == "width first":
            order, places = "blocks", places.flip(0)
        return tensors.mrope(rows, places, (6, 5, 5), base=100, order=order)
