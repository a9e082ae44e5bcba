"""Positional encoding in Transformers, as a loop, in NumPy and in PyTorch.

``loops``, ``arrays`` and ``tensors`` hold the same functions three times: one
number at a time, in NumPy, in PyTorch. Import the one you need; importing
the package alone loads neither PyTorch nor matplotlib.
"""

__version__ = "0.1.0"
