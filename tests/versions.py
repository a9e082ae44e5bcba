"""The three rungs, each given numbers in its own form: lists, arrays, Tensors of float64."""

import numpy as np
import pytest
import torch

from pe_lessons import arrays, loops, tensors

TAKES = {loops: lambda value: np.asarray(value).tolist(), arrays: np.asarray, tensors: torch.tensor}
rungs = pytest.mark.parametrize("rung", TAKES, ids=lambda rung: rung.__name__.split(".")[-1])


def on_rung(rung, value):
    """An array or a list as the rung takes it; anything else as it is."""
    return TAKES[rung](value) if isinstance(value, np.ndarray | list) else value


def climb(rung, name, *args, **kwargs):
    """What a function of the rung answers, as one array."""
    torch.set_default_dtype(torch.float64)
    try:
        args = [on_rung(rung, value) for value in args]
        kwargs = {key: on_rung(rung, value) for key, value in kwargs.items()}
        value = getattr(rung, name)(*args, **kwargs)
    finally:
        torch.set_default_dtype(torch.float32)
    return (
        np.concatenate([np.ravel(part) for part in value]) if isinstance(value, tuple) else np.asarray(value)
    )
