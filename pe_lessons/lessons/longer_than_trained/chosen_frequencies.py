"""RoPE with frequencies of our choice, to put into the small model."""

import torch

from pe_lessons import toys


class WithFrequencies(toys.Rotary):
    """RoPE that rotates its pairs of neighbouring columns at these `frequencies`, in radians per token."""

    def __init__(self, frequencies):
        super().__init__()
        self.frequencies = torch.as_tensor(frequencies)

    def turn(self, rows, positions):
        angles = positions[:, None] * self.frequencies  # (seq_len, n_pairs)
        cosine, sine = angles.cos().to(rows), angles.sin().to(rows)
        a, b = rows[..., ::2], rows[..., 1::2]
        return torch.stack([a * cosine - b * sine, a * sine + b * cosine], dim=-1).flatten(-2)
