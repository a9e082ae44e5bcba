"""What the lessons define, and their training with other random numbers and at other learning rates."""

import ast
import contextlib
import functools
import json
from pathlib import Path
from types import SimpleNamespace

import torch
from torch import nn

from pe_lessons import toys
from pe_lessons.lessons.progress import notebook

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
DEFINITIONS = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
_times_its_rate = 1


def of_lesson(name):
    """The functions and classes of a lesson's notebook, without those that hang on what a cell computes."""
    path = notebook(NOTEBOOKS, name)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    found = {}
    for cell in cells:
        try:
            nodes = ast.parse("".join(cell["source"])).body if cell["cell_type"] == "code" else []
        except SyntaxError:  # an exercise that somebody is at
            continue
        for node in nodes:
            constant = isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            if constant or isinstance(node, DEFINITIONS):
                with contextlib.suppress(NameError):
                    exec(compile(ast.Module([node], []), path.name, "exec"), found)
    return SimpleNamespace(**found)


@contextlib.contextmanager
def at_rate(times):
    """Inside it, whatever calls `toys.train` trains at so many times the learning rate that it asks for."""
    global _times_its_rate
    as_asked, before = toys.train, _times_its_rate

    def at_this_rate(*args, lr=1e-2, **options):
        return as_asked(*args, lr=lr * times, **options)

    toys.train, _times_its_rate = at_this_rate, times
    try:
        yield
    finally:
        toys.train, _times_its_rate = as_asked, before


def kept(training):
    """Keeps what a function trained, as functools.cache does, but separately for each learning rate."""

    @functools.cache
    def at_one_rate(times, *args, **options):
        return training(*args, **options)

    @functools.wraps(training)
    def kept_or_new(*args, **options):
        return at_one_rate(_times_its_rate, *args, **options)

    return kept_or_new


def train(seed, batches, encoding=None, *, sizes=(10, 10), steps=200, lr=1e-2, word_std=None, **options):
    """A trained model; `sizes` are of its words and answers, and `encoding()` draws from the seed too."""
    torch.manual_seed(seed)
    model = toys.TinyTransformer(*sizes, encoding=encoding and encoding(), **options)
    if word_std is not None:
        nn.init.normal_(model.embedding.weight, std=word_std)
    toys.train(model, batches, steps=steps, lr=lr, print_every=None)
    return model


@kept
def trained(encoding, task, seed, **options):
    """A model that was trained for a task with strings of digits."""
    return train(seed, toys.batches(task, seed=1000 + seed), encoding, **options)


@functools.cache
def test_set(task, seed):
    """512 new strings, and what the task asks of them."""
    return next(toys.batches(task, seed=2000 + seed, batch_size=512))


def share_right(encoding, task, seed, *, positions=None, **options):
    """Of the test set's answers, by a trained model."""
    return toys.accuracy(trained(encoding, task, seed, **options), *test_set(task, seed), positions)
