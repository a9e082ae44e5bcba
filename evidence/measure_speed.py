"""How fast, how exact, how large: tables and biases compared with the libraries and with the memory itself.

    python course.py bench             a few minutes; writes evidence/results/speed.md

Times are CPU time of one thread, medians of rounds in which every call runs once (so a busy machine is shared
fairly), and are printed as ratios. Fresh memory is slow to touch the first time, and whichever function runs
first pays for it; so the times are taken in a process that keeps the memory it frees (on Linux). Memory is
the peak of a process of its own that makes one call, less the result (Linux only).
"""

import json
import math
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from positional_encodings.torch_encodings import PositionalEncoding1D
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.whisper.modeling_whisper import sinusoids

from pe_lessons import arrays, tensors

ROOT = Path(__file__).resolve().parents[1]
KEEP_FREED_MEMORY = (
    "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=68719476736:glibc.malloc.top_pad=268435456"
)
SHAPES, LARGE, TOKENS, SECONDS = [(512, 512), (65_536, 1024), (1_000_000, 128)], (65_536, 1024), 4096, 8
POSITIONS = (10**3, 10**4, 10**5, 10**6)
attend = torch.nn.functional.scaled_dot_product_attention


def as_tutorials(seq_len, d_model):
    """As in most tutorials: float32 from the start, the frequencies by way of a logarithm."""
    positions = torch.arange(seq_len).unsqueeze(1)
    frequencies = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    table = torch.zeros(seq_len, d_model)
    table[:, 0::2] = torch.sin(positions * frequencies)
    table[:, 1::2] = torch.cos(positions * frequencies)
    return table


TABLES = {
    "np.full (the memory)": lambda n, d: np.full((n, d), 1.0, np.float32),
    "tensors.sinusoidal_by_rotation": tensors.sinusoidal_by_rotation,
    "tensors.sinusoidal": tensors.sinusoidal,
    "arrays.sinusoidal, float64": arrays.sinusoidal,
    "PyTorch as commonly written": as_tutorials,
    "transformers, Whisper": sinusoids,
    "transformers, GPT-J": create_sinusoidal_positions,
    "positional-encodings": lambda n, d: PositionalEncoding1D(d)(torch.empty(1, n, d))[0],
}
OTHER_NUMBERS = ("np.full (the memory)", "arrays.sinusoidal, float64", "transformers, Whisper")
SAME_NUMBERS = [name for name in TABLES if name not in OTHER_NUMBERS]


def attend_by_view(q, k, v, by_offset):
    """Attention with a bias (num_heads, 2 n - 1), a number for each offset, seen as n x n (lesson 22)."""
    bias = by_offset.contiguous().unfold(-1, q.shape[-2], 1)  # (num_heads, n, n)
    return attend(q.flip(-2), k, v, attn_mask=bias[None]).flip(-2)


def biases(tokens, num_heads=8, head_dim=64):
    """{name: attention call with biases made again each time, as a model makes them}."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, num_heads, tokens, head_dim, generator=generator)
    table = torch.randn(32, num_heads, generator=generator)
    offsets = torch.arange(1 - tokens, tokens)
    return {
        "no bias": lambda: attend(q, k, v),
        "a view of one number for each offset": lambda: attend_by_view(
            q, k, v, table[tensors.t5_buckets(offsets)].T
        ),
        "ALiBi written out": lambda: attend(q, k, v, attn_mask=tensors.alibi(tokens, num_heads)[None]),
        "T5 written out": lambda: attend(q, k, v, attn_mask=tensors.t5_bias(tokens, table)[None]),
    }


def compiled_biases(num_heads=8, head_dim=64):
    """Causal ALiBi, by its numbers for each offset, or computed score by score as in the lesson."""
    q, k, v = torch.randn(3, 1, num_heads, TOKENS, head_dim, generator=torch.Generator().manual_seed(0))
    offsets = torch.arange(1 - TOKENS, TOKENS)
    numbers = -tensors.alibi_slopes(num_heads)[:, None] * offsets.abs()
    numbers = numbers.masked_fill(offsets > 0, -math.inf)

    def by_score(score, batch, head, query, key):
        return torch.where(key <= query, score - 0.5 ** (head + 1) * (query - key), -math.inf)

    mask = create_block_mask(lambda batch, head, m, n: n <= m, None, None, TOKENS, TOKENS, device="cpu")
    flexible = torch.compile(flex_attention)
    return {
        "no bias": lambda: attend(q, k, v),
        "no bias, causal": lambda: attend(q, k, v, is_causal=True),
        "a view of one number for each offset": lambda: attend_by_view(q, k, v, numbers),
        "flex_attention, compiled": lambda: flexible(q, k, v, score_mod=by_score),
        "the same with a block_mask": lambda: flexible(q, k, v, score_mod=by_score, block_mask=mask),
    }


def tables(shape):
    return {name: partial(make, *shape) for name, make in TABLES.items()}


def ratios(calls):
    """Median CPU seconds of each call over those of the first; all run once in every round, in turns."""
    names, times = list(calls), {name: [] for name in calls}
    for call in calls.values():
        call()
    end = time.process_time() + SECONDS
    for n in range(300):
        if n >= 3 and time.process_time() >= end:
            break
        turn = n % len(names)
        for name in names[turn:] + names[:turn]:
            start = time.process_time()
            result = calls[name]()
            times[name].append(time.process_time() - start)
            del result
    floor = statistics.median(times[names[0]])
    return {name: f"{statistics.median(some) / floor:.2f}" for name, some in times.items()}


def peak_beyond_result(maker, size, small, name):
    """Bytes that this process takes at most during a call, beyond what the call returns.

    The same call of a small size goes first, so that what a first call loads is not counted.
    """
    import resource  # Windows has none

    call = maker(size)[name]
    maker(small)[name]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = call()
    beyond = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) - result.nbytes
    return f"{max(beyond, 0) / 1e6:.0f} MB"


def memory(maker, size, small):
    if sys.platform != "linux":
        return {}
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        return {name: pool.apply(peak_beyond_result, (maker, size, small, name)) for name in maker(small)}


def errors(position, d_model=8, rows=100):
    """Largest error in the rows that end at a position, of the tables that mean the same numbers."""
    exact = arrays.sinusoidal(rows, d_model, start=position - rows)
    made = {name: np.asarray(TABLES[name](position, d_model))[-rows:] for name in SAME_NUMBERS}
    made["transformers, GPT-J"] = made["transformers, GPT-J"].reshape(rows, 2, -1).swapaxes(1, 2)
    return {name: f"{np.abs(table.reshape(rows, -1) - exact).max():.0e}" for name, table in made.items()}


PARTS = {
    "tables": lambda: {f"{n:,} x {d:,}": ratios(tables((n, d))) for n, d in SHAPES},
    "memory of tables": lambda: {"extra memory": memory(tables, LARGE, (64, 8))},
    "errors": lambda: {f"position {position:,}": errors(position) for position in POSITIONS},
    "biases": lambda: {"time": ratios(biases(TOKENS))},
    "memory of biases": lambda: {"extra memory": memory(biases, TOKENS, 8)},
    "compiled biases": lambda: {"time": ratios(compiled_biases())},
}


def run_part(part):
    """One part in a process of its own, so that each begins with fresh memory and the right allocator."""
    print(f"{part} ...", flush=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    if "memory" not in part:
        environment["GLIBC_TUNABLES"] = KEEP_FREED_MEMORY
    command = [sys.executable, "-m", "evidence.measure_speed", part]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def section(title, text, *parts):
    """A heading, a sentence, and a table whose columns are those of these parts."""
    columns = {name: column for part in parts for name, column in run_part(part).items()}
    names = next(iter(columns.values()))
    lines = [["", *columns], ["---", *["---:"] * len(columns)]]
    lines += [[name, *(column.get(name, "") for column in columns.values())] for name in names]
    return f"## {title}\n\n{text}\n\n" + "".join("| " + " | ".join(line) + " |\n" for line in lines)


def main(part=None):
    torch.set_num_threads(1)
    if part:
        with torch.no_grad():
            print(json.dumps(PARTS[part]()))
        return
    libraries = ("numpy", "torch", "transformers", "positional-encodings")
    found = [f"{name} {version(name)}" for name in libraries]
    report = [
        "# Speed, memory, precision\n\nWritten by `python course.py bench`. Times are CPU time of one "
        "thread, medians of interleaved rounds, and printed as ratios. Ratios of one run can be compared "
        "with each other, and ratios of two machines cannot.\n\n"
        f"Machine: {platform.processor() or platform.machine()}; {'; '.join(found)}.\n",
        section(
            "Tables",
            "Time over that of filling the same memory with ones (`np.full`, float32), and the memory taken "
            f"beyond the table itself at {LARGE[0]:,} x {LARGE[1]:,}. A float64 table fills twice as much.",
            "tables",
            "memory of tables",
        ),
        section(
            "Largest error",
            "In the 100 rows that end at each position, 8 columns, against `arrays.sinusoidal` in float64. "
            "(Whisper's last frequency is a different one, so it is not compared.)",
            "errors",
        ),
        section(
            "Biases that depend on the offset",
            f"Attention of {TOKENS:,} tokens, 8 heads: time over attention without a bias, and the memory "
            "taken beyond the result.",
            "biases",
            "memory of biases",
        ),
        section(
            "Biases, compiled",
            f"Causal ALiBi, {TOKENS:,} tokens and 8 heads of 64 columns: "
            "time over attention without a bias, in which every query sees every key. With `torch.compile`; "
            "the compilation itself is not counted.",
            "compiled biases",
        ),
    ]
    (ROOT / "evidence/results/speed.md").write_text("\n".join(report), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
