"""What the lessons define, and their training with other random numbers."""

import ast
import contextlib
import functools
import json
from pathlib import Path
from types import SimpleNamespace

import torch
from torch import nn

from pe_lessons import toys
from pe_lessons.progress import notebook

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
DEFINITIONS = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef


def of_lesson(number):
    """The functions and classes of a lesson's notebook, without those that hang on what a cell computes."""
    path = notebook(NOTEBOOKS, number)
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


def train(seed, batches, encoding=None, *, sizes=(10, 10), steps=200, lr=1e-2, word_std=None, **options):
    """A trained model; `sizes` are of its words and answers, and `encoding()` draws from the seed too."""
    torch.manual_seed(seed)
    model = toys.TinyTransformer(*sizes, encoding=encoding and encoding(), **options)
    if word_std is not None:
        nn.init.normal_(model.embedding.weight, std=word_std)
    toys.train(model, batches, steps=steps, lr=lr, print_every=None)
    return model


@functools.cache
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
