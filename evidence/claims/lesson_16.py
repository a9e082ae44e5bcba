"""The claims of lesson 16 that depend on chance. The lesson itself trains with seed 0."""

import functools

import torch

from evidence.claims.runner import at_least, below, each_seed
from evidence.claims.training import of_lesson, train
from pe_lessons import tensors, toys

lesson = of_lesson("16")
WIDTHS = (3, 5, 6, 8, 10)


class Blocks(lesson.Places):
    """The pairs of the lesson's model in blocks; an image needs the fewest for the time."""

    def turn(self, rows, line):
        places = tensors.mrope_positions([(1, 3, len(line) // 3)])
        return tensors.mrope(rows, places, (2, 7, 7), base=100)


def shares(encoding, seed):
    """Of the patches right, at every width, by a model that saw pictures 6 wide."""
    model = train(seed, lesson.pictures(6, seed=1000 + seed), encoding, steps=250)
    return {width: toys.accuracy(model, *next(lesson.pictures(width, 2000 + seed))) for width in WIDTHS}


@each_seed
def colour_below(seed):
    """What is the colour below? 3 rows, trained 6 wide: share of right patches"""
    line = shares(lambda: lesson.Places("line"), seed)
    yield "line, 6 wide", line[6], at_least(0.95)
    yield "line, the best other width", max(line[width] for width in WIDTHS if width != 6), below(0.35)
    axes = shares(lambda: lesson.Places("interleaved"), seed)
    yield "interleaved, the worst width", min(axes.values()), at_least(0.75)
    blocks = shares(lambda: Blocks("blocks"), seed)
    yield "blocks, 6 wide", blocks[6], below(0.75)


CLIPS = {"same": (4, 2, 3), "twice as long": (8, 2, 3), "2 x 2": (4, 2, 2), "3 x 3": (4, 3, 3)}


class Clip(toys.Encoding):
    """Patches of a clip, numbered in a line or on three axes; the size of a frame is set before each use."""

    def __init__(self, order, frame=(2, 3)):
        super().__init__()
        self.order, self.frame = order, frame

    def turn(self, rows, line):
        if self.order == "line":
            return tensors.rotary(rows, line, base=100)
        height, width = self.frame
        places = tensors.mrope_positions([(len(line) // (height * width), height, width)])
        return tensors.mrope(rows, places, (6, 5, 5), base=100, order=self.order)


def clips(size, seed):
    frames, height, width = size
    patches = height * width
    generator = torch.Generator().manual_seed(seed)
    while True:
        colours = torch.randint(10, (32, frames * patches), generator=generator)
        asked = torch.full_like(colours, toys.IGNORE_INDEX)
        asked[:, :-patches] = colours[:, patches:]
        yield colours, asked


@each_seed
def next_frame(seed):
    """What colour has this place one frame later? Trained on 4 frames of 2 x 3: share of right patches"""
    for order in ("line", "interleaved"):
        model = train(seed, clips(CLIPS["same"], 1000 + seed), functools.partial(Clip, order), steps=250)
        for name, size in CLIPS.items():
            model.encoding.frame = size[1:]
            share = toys.accuracy(model, *next(clips(size, 2000 + seed)))
            size_is_new = name in ("2 x 2", "3 x 3")
            bound = below(0.25) if order == "line" and size_is_new else at_least(0.5)
            yield f"{order}, {name}", share, bound
