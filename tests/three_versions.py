"""The versions of a function (loop, NumPy, PyTorch), each given numbers in its own form."""

import numpy as np
import pytest
import torch

from pe_lessons import arrays, loops, tensors

TAKES = {loops: lambda value: np.asarray(value).tolist(), arrays: np.asarray, tensors: torch.tensor}
each_version = pytest.mark.parametrize("version", TAKES, ids=lambda version: version.__name__.split(".")[-1])


def made_for(version, value):
    """An array or a list as the version takes it; anything else as it is."""
    return TAKES[version](value) if isinstance(value, np.ndarray | list) else value


def answer(version, name, *args, **kwargs):
    """What a function of the version answers, as one array."""
    torch.set_default_dtype(torch.float64)
    try:
        args = [made_for(version, value) for value in args]
        kwargs = {key: made_for(version, value) for key, value in kwargs.items()}
        value = getattr(version, name)(*args, **kwargs)
    finally:
        torch.set_default_dtype(torch.float32)
    return (
        np.concatenate([np.ravel(part) for part in value]) if isinstance(value, tuple) else np.asarray(value)
    )
