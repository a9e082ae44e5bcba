"""Three fused RoPEs to examine. Each takes x (..., seq_len, 128) and positions, and one fault is in each.

The question in this lesson asks which. So look at what the kernels return, not at this file.
"""

import torch

from pe_lessons import tensors


def ours(x, positions):
    """What all three should do."""
    return tensors.rotary(x, positions, layout="half")


class _SameAngles(torch.autograd.Function):
    """The backward pass rotates by the angles of the forward pass, and not back."""

    @staticmethod
    def forward(ctx, x, positions):
        ctx.save_for_backward(positions)
        return ours(x, positions)

    @staticmethod
    def backward(ctx, incoming):
        (positions,) = ctx.saved_tensors
        return ours(incoming, positions), None


def _table_too_short(x, positions):
    """The table of sines and cosines has 16,384 rows. Later positions get its last one."""
    return ours(x, positions.clamp(max=16_383))


def _half_of_the_columns(x, positions):
    return tensors.rotary(x, positions, layout="half", rotary_dim=x.shape[-1] // 2)


kernels = {"A": _SameAngles.apply, "B": _table_too_short, "C": _half_of_the_columns}
