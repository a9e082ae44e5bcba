"""What `speed.py` runs side by side: this course's functions, and those of the libraries people use.

A library that is not installed is left out; `ABSENT` says which, and why.
"""

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version

import numpy as np
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from pe_lessons import arrays, loops, tensors

ABSENT = {}
VERSIONS = {}


def library(distribution, *modules):
    """The modules of an installed library, None for each of one that is absent."""
    try:
        found = [importlib.import_module(module) for module in modules]
    except Exception as problem:
        # A broken library fails in many ways; here each of them means that it cannot be measured.
        ABSENT[distribution] = f"{type(problem).__name__}: {problem}".splitlines()[0]
        return [None] * len(modules)
    VERSIONS[distribution] = version(distribution)
    return found


whisper, gptj, m2m, marian = library(
    "transformers",
    *(f"transformers.models.{name}.modeling_{name}" for name in ("whisper", "gptj", "m2m_100", "marian")),
)
(x_transformers,) = library("x-transformers", "x_transformers.x_transformers")
(positional_encodings,) = library("positional-encodings", "positional_encodings.torch_encodings")


@dataclass(frozen=True)
class Table:
    """A way to make the table; its layout and its frequencies, for the comparison with exact values."""

    make: Callable  # (seq_len, d_model) -> table, or from the row `start` on if it is ours
    ours: bool = False
    slow: bool = False  # a Python loop over the entries: small shapes only
    layout: str = "interleaved"  # or "halves": all sines first
    pairs_less_one: bool = False  # tensor2tensor's frequencies: the last pair's is exactly 1 / base

    def rows(self, start, seq_len, d_model):
        """Rows from `start` on; None where a Python loop would have to make too many before them."""
        if self.ours:
            return self.make(seq_len, d_model, start=start)
        return None if self.slow and start > 10_000 else self.make(start + seq_len, d_model)[start:]


def commonly_in_torch(seq_len, d_model):
    """As in most tutorials: float32 from the start, the frequencies by way of a logarithm."""
    positions = torch.arange(seq_len).unsqueeze(1)
    frequencies = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    table = torch.zeros(seq_len, d_model)
    table[:, 0::2] = torch.sin(positions * frequencies)
    table[:, 1::2] = torch.cos(positions * frequencies)
    return table


def in_halves_in_torch(seq_len, d_model):
    """The same numbers, all sines before all cosines, so that neighbours are written together."""
    frequencies = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    angles = torch.arange(seq_len).unsqueeze(1) * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def commonly_in_numpy(seq_len, d_model):
    """As in most tutorials: an angle for every entry in float64, sines and cosines in place, then a cast."""
    columns = np.arange(d_model)[np.newaxis, :]
    angles = np.arange(seq_len)[:, np.newaxis] / np.power(10_000, 2 * (columns // 2) / np.float64(d_model))
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return angles.astype(np.float32)


def marian_table(seq_len, d_model):
    return marian.MarianSinusoidalPositionalEmbedding(seq_len, d_model).create_weight()


def x_transformers_table(seq_len, d_model):
    encoding = x_transformers.ScaledSinusoidalEmbedding(d_model)
    with torch.no_grad():
        encoding.scale.fill_(1.0)
        return encoding(torch.empty(1, seq_len, 0))


def positional_encodings_table(seq_len, d_model):
    return positional_encodings.PositionalEncoding1D(d_model)(torch.empty(1, seq_len, d_model))[0]


FLOOR = "np.full (the memory)"
TENSORS = "tensors.sinusoidal_by_rotation"

TABLES = {
    FLOOR: Table(lambda n, d: np.full((n, d), 1.0, np.float32), ours=True),
    TENSORS: Table(tensors.sinusoidal_by_rotation, ours=True),
    "tensors.sinusoidal": Table(tensors.sinusoidal, ours=True),
    "arrays.sinusoidal, float64": Table(arrays.sinusoidal, ours=True),
    "loops.sinusoidal, float64": Table(loops.sinusoidal, ours=True, slow=True),
    "PyTorch as commonly written": Table(commonly_in_torch),
    "NumPy as commonly written, float64": Table(commonly_in_numpy),
}
if whisper:
    TABLES |= {
        "transformers, Whisper": Table(whisper.sinusoids, layout="halves", pairs_less_one=True),
        "transformers, GPT-J": Table(gptj.create_sinusoidal_positions, layout="halves"),
        "transformers, M2M100": Table(
            m2m.M2M100SinusoidalPositionalEmbedding.get_embedding, layout="halves", pairs_less_one=True
        ),
        "transformers, Marian": Table(marian_table, layout="halves", slow=True),
    }
if x_transformers:
    TABLES["x-transformers"] = Table(x_transformers_table, layout="halves")
if positional_encodings:
    TABLES["positional-encodings"] = Table(positional_encodings_table)


def frequency_of(table, pair, d_model, mp):
    """The frequency that the library means, with all the digits of `mp`."""
    exponent = mp.mpf(pair) / (d_model // 2 - 1) if table.pairs_less_one else mp.mpf(2 * pair) / d_model
    return mp.mpf(10_000) ** -exponent


def sines_and_cosines(table, rows):
    """The rows of a table as two arrays (n_rows, n_pairs), in float64."""
    rows = np.asarray(rows, dtype=np.float64)
    if table.layout == "halves":
        return np.split(rows, 2, axis=1)
    return rows[:, 0::2], rows[:, 1::2]


FILL, NO_BIAS, VIEW = "fill (the memory)", "no bias", "a view of one number for each offset"
attend = torch.nn.functional.scaled_dot_product_attention


def attend_by_view(q, k, v, by_offset):
    """Attention (1, num_heads, n, head_dim) with a bias (num_heads, 2 n - 1): a number for each offset.

    The n x n biases are a view of these numbers, as in lesson 22, with the queries in reverse.
    """
    bias = by_offset.contiguous().unfold(-1, q.shape[-2], 1)  # (num_heads, n, n)
    return attend(q.flip(-2), k, v, attn_mask=bias[None]).flip(-2)


def bias_contenders(seq_len, num_heads=8, head_dim=64):
    """{name: attention call with biases made again each time, as a model makes them}."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, num_heads, seq_len, head_dim, generator=generator)
    table = torch.randn(32, num_heads, generator=generator)
    offsets = torch.arange(1 - seq_len, seq_len)
    return {
        NO_BIAS: lambda: attend(q, k, v),
        VIEW: lambda: attend_by_view(q, k, v, table[tensors.t5_buckets(offsets)].T),
        "ALiBi written out": lambda: attend(q, k, v, attn_mask=tensors.alibi(seq_len, num_heads)[None]),
        "T5 written out": lambda: attend(q, k, v, attn_mask=tensors.t5_bias(seq_len, table)[None]),
    }


def blocks_in_complex64(table, block_len=256):
    """Blocks with both factors rounded to complex64, written into a table that is there."""
    frequencies = tensors.frequencies(table.shape[1])
    starts = torch.arange(0, len(table), block_len)[:, None] * frequencies
    within = torch.arange(block_len)[:, None] * frequencies
    first_rows = torch.complex(starts.sin(), starts.cos())[:, None].cfloat()
    rotations = torch.polar(torch.ones_like(within), -within).cfloat()
    pairs = torch.view_as_complex(table.view(len(starts), block_len, -1, 2))
    torch.mul(first_rows, rotations, out=pairs)
    return table


def compiled_contenders(shape, seq_len, num_heads=8, head_dim=64):
    """Two races in which `torch.compile` takes part: {name: call}, the floor of each first.

    The table as it is commonly written; and causal ALiBi, by its numbers for each offset.
    """
    table = torch.empty(shape)
    tables = {
        FILL: lambda: table.fill_(1.0),
        "blocks, complex64": lambda: blocks_in_complex64(table, block_len=min(256, shape[0])),
        TENSORS: lambda: tensors.sinusoidal_by_rotation(*shape),
        "PyTorch as commonly written": lambda: commonly_in_torch(*shape),
        "the same, compiled": partial(torch.compile(commonly_in_torch), *shape),
        "PyTorch, sines before cosines": lambda: in_halves_in_torch(*shape),
        "sines before cosines, compiled": partial(torch.compile(in_halves_in_torch), *shape),
    }

    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, num_heads, seq_len, head_dim, generator=generator)
    offsets = torch.arange(1 - seq_len, seq_len)
    numbers = -tensors.alibi_slopes(num_heads)[:, None] * offsets.abs()
    numbers = numbers.masked_fill(offsets > 0, -math.inf)

    def by_offset(score, batch, head, query, key):
        return score + numbers[head, key - query + seq_len - 1]

    def seen(batch, head, query, key):
        return key <= query

    mask = create_block_mask(seen, None, None, seq_len, seq_len, device="cpu")
    flexible = torch.compile(flex_attention)
    biases = {
        NO_BIAS: lambda: attend(q, k, v),
        "no bias, causal": lambda: attend(q, k, v, is_causal=True),
        VIEW: lambda: attend_by_view(q, k, v, numbers),
        "flex_attention, compiled": lambda: flexible(q, k, v, score_mod=by_offset),
        "the same with a block_mask": lambda: flexible(q, k, v, score_mod=by_offset, block_mask=mask),
    }
    return tables, biases
