"""How fast, how exact, how large: tables and biases compared with the libraries and with the memory itself.

    python course.py bench             a few minutes; writes evidence/results/speed.md and speed.png

Times are CPU time of one thread, medians of rounds in which every contender runs once (so a busy
machine is shared fairly), and are printed as ratios. Fresh memory is slow to touch the first time, on a
virtual machine ten times as slow as afterwards, and whichever function runs first pays for it; so the times
are taken in a process that keeps the memory it frees (on Linux). Memory is the peak of a process of its
own that makes one table, less the table (Linux only). Errors are against mpmath.
"""

import json
import math
import multiprocessing
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
import mpmath
import numpy as np
import torch

from evidence import contenders

RESULTS = Path(__file__).parent / "results"
KEEP_FREED_MEMORY = (
    "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=68719476736:glibc.malloc.top_pad=268435456"
)

PLAN = {
    "tables": [(50, 128), (512, 512), (4096, 1024), (65_536, 1024), (1_000_000, 128)],
    "biases": 4096,
    "memory": (65_536, 1024),
    "positions": [10**2, 10**3, 10**4, 10**5, 10**6, 10**7],
    "seconds": 8,  # for each shape, and at least three rounds
}
SLOW_UP_TO = 512 * 512  # entries of the largest table that a Python loop is asked for


def median_times(calls, seconds):
    """Median CPU seconds of each call; all of them run once in every round, in turning order."""
    names, times = list(calls), {name: [] for name in calls}
    clock = time.perf_counter if sys.platform == "win32" else time.process_time  # there in steps of 16 ms
    for call in calls.values():
        call()
    end = time.process_time() + seconds
    for n in range(300 if seconds else 1):
        if n >= 3 and time.process_time() >= end:
            break
        turn = n % len(names)
        for name in names[turn:] + names[:turn]:
            start = clock()
            result = calls[name]()
            times[name].append(clock() - start)
            del result
    return {name: statistics.median(values) for name, values in times.items()}


def table_calls(shape):
    return {
        name: (lambda make=table.make: make(*shape))
        for name, table in contenders.TABLES.items()
        if not table.slow or math.prod(shape) <= SLOW_UP_TO
    }


def measure_times(plan):
    tables = map(table_calls, plan["tables"])
    return {
        "tables": [median_times(calls, plan["seconds"]) for calls in tables],
        "biases": median_times(contenders.bias_contenders(plan["biases"]), plan["seconds"]),
    }


def calls_of(kind, size):
    return table_calls(size) if kind == "tables" else contenders.bias_contenders(size)


def peak_beyond_result(kind, size, small, name):
    """Bytes that this process, made for it, takes at most during a call, beyond what the call returns.

    The same call of a small size goes first, so that what a first call loads is not counted.
    """
    import resource  # Windows has none

    call = calls_of(kind, size)[name]
    calls_of(kind, small)[name]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = call()
    return max(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) - result.nbytes, 0)


def measure_memory(plan):
    if sys.platform != "linux":
        return {"tables": {}, "biases": {}}
    sizes = {"tables": (plan["memory"], (64, 8)), "biases": (plan["biases"], 8)}
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        return {
            kind: {
                name: pool.apply(peak_beyond_result, (kind, size, small, name))
                for name in calls_of(kind, size)
            }
            for kind, (size, small) in sizes.items()
        }


def largest_error(table, rows, first):
    """Largest distance of these rows, the first of them at position `first`, from the exact ones."""
    worst = 0.0
    sines, cosines = contenders.sines_and_cosines(table, rows)
    n_pairs = sines.shape[1]
    with mpmath.workdps(40):
        for pair in range(n_pairs):
            frequency = contenders.frequency_of(table, pair, 2 * n_pairs, mpmath)
            for position, (sine, cosine) in enumerate(zip(sines[:, pair], cosines[:, pair]), start=first):
                angle = position * frequency
                errors = (abs(sine - mpmath.sin(angle)), abs(cosine - mpmath.cos(angle)))
                worst = max(worst, *map(float, errors))
    return worst


def measure_errors(plan, d_model=8, n_rows=100):
    """{name: largest error in the 100 rows that end at each position}, None where it takes too long."""

    def error(table, first):
        rows = table.rows(first, n_rows, d_model)
        return None if rows is None else largest_error(table, rows, first)

    return {
        name: [error(table, position + 1 - n_rows) for position in plan["positions"]]
        for name, table in contenders.TABLES.items()
        if name != contenders.FLOOR
    }


def measure_compiled(plan):
    """Two races with `torch.compile`; none where there is no C++ compiler."""
    if not (shutil.which("c++") or shutil.which("cl")):
        return {}
    races = contenders.compiled_contenders(plan["memory"], plan["biases"])
    return dict(zip(("table", "attention"), (median_times(calls, plan["seconds"]) for calls in races)))


PARTS = {
    "times": measure_times,
    "memory": measure_memory,
    "errors": measure_errors,
    "compiled": measure_compiled,
}


def run_part(part):
    """One part in a process of its own, so that each begins with fresh memory and the right allocator."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    if part != "memory":
        environment["GLIBC_TUNABLES"] = KEEP_FREED_MEMORY
    command = [sys.executable, "-m", "evidence.speed", part]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def by(shape):
    return " × ".join(f"{size:,}".replace(",", " ") for size in shape)


def cell(value):
    return "" if value is None else f"{value:.2f}" if value < 9.95 else f"{value:.0f}"


def megabytes(value):
    return "" if value is None else f"{value / 1e6:.1f} MB" if value < 99.5e6 else f"{value / 1e6:.0f} MB"


def ratios(races, memory=None):
    """A row for each name of the first race: its time over that of the first name, and what it takes."""
    floor = next(iter(races[0]))
    for name in races[0]:
        row = [name, *(cell(times[name] / times[floor] if name in times else None) for times in races)]
        yield row if memory is None else [*row, megabytes(memory.get(name))]


def section(title, text, head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in [head, align, *rows])
    return f"## {title}\n\n{text}\n\n{table}\n"


def report(plan, found):
    """The whole report in Markdown."""
    times, memory, compiled = found["times"], found["memory"], found["compiled"]
    positions = [f"1e{len(str(position)) - 1}" for position in plan["positions"]]
    errors = found["errors"].items()
    told = "With `torch.compile`, on this processor; the compilation itself is not counted."
    parts = [
        f"""# Speed, memory, precision

Written by `python course.py bench`. Times are CPU time of one thread, medians of interleaved
rounds, printed as ratios: those of one run can be compared, those of two machines cannot. On
Linux they are of a process that keeps the memory it frees.

Machine: {found["machine"]}.
""",
        section(
            "Tables",
            f"""Time over that of filling the same memory with ones (`np.full`, float32), and memory taken at
most beyond the table itself at {by(plan["memory"])}. Rows that say float64 fill twice the memory.""",
            ["", *map(by, plan["tables"]), "extra memory"],
            ratios(times["tables"], memory["tables"]),
        ),
        section(
            "Largest error, against mpmath",
            "In the 100 rows that end at each position, 8 columns.",
            ["position", *positions],
            [[name, *("" if one is None else f"{one:.1e}" for one in row)] for name, row in errors],
        ),
        section(
            "Biases that depend on the offset",
            f"""Attention of {plan["biases"]} tokens, 8 heads: time over attention without a bias, and
memory taken at most beyond the result.""",
            ["", "time", "extra memory"],
            ratios([times["biases"]], memory["biases"]),
        ),
    ]
    if compiled:
        text = f"{told} A table of\n{by(plan['memory'])}, time over that of filling it:"
        parts.append(section("A table, compiled", text, ["", "time"], ratios([compiled["table"]])))
        text = f"""Causal ALiBi, {plan["biases"]} tokens and 8 heads of 64 columns, by its numbers for each
offset: time over attention without a bias, in which every query sees every key."""
        parts.append(section("Biases, compiled", text, ["", "time"], ratios([compiled["attention"]])))
    if contenders.ABSENT:
        parts.append(f"Not installed, so not measured: {', '.join(sorted(contenders.ABSENT))}.\n")
    return "\n".join(parts)


def figure(plan, found):
    """Three panels over one list of contenders: time, memory, error."""
    times = found["times"]["tables"][-2]
    names = [name for name in times if name in found["errors"] and not contenders.TABLES[name].slow]
    names.sort(key=times.get, reverse=True)
    extra = [(found["memory"]["tables"].get(name) or 0) / 1e6 for name in names]
    position = min(10**6, plan["positions"][-1])
    errors = [found["errors"][name][plan["positions"].index(position)] for name in names]
    panels = {
        f"time, in np.full's\n{by(plan['tables'][-2])}": [times[n] / times[contenders.FLOOR] for n in names],
        f"extra memory, MB\n{by(plan['memory'])}": extra,
        f"largest error at position {by([position])}": errors,
    }
    colours = ["tab:blue" if contenders.TABLES[name].ours else "tab:gray" for name in names]
    fig, axes = plt.subplots(1, 3, figsize=(11, 0.34 * len(names) + 1.3), sharey=True, layout="constrained")
    for ax, (title, values) in zip(axes, panels.items()):
        ax.hlines(range(len(names)), min(0.5, *values), values, color=colours, linewidth=1)
        ax.scatter(values, range(len(names)), c=colours, zorder=3)
        ax.set_xscale("log" if min(values) > 0 else "symlog")
        ax.set_title(title, fontsize=10)
        ax.grid(axis="x", alpha=0.3)
    axes[0].set_yticks(range(len(names)), names)
    for label, name in zip(axes[0].get_yticklabels(), names):
        label.set_fontweight("bold" if contenders.TABLES[name].ours else "normal")
    return fig


def machine():
    versions = {"Python": platform.python_version(), "NumPy": np.__version__, "PyTorch": torch.__version__}
    versions |= contenders.VERSIONS
    return "; ".join(
        [
            platform.processor() or platform.machine(),
            *(f"{name} {version}" for name, version in versions.items()),
        ]
    )


def main(part=None):
    torch.set_num_threads(1)
    if part:
        with torch.no_grad():
            print(json.dumps(PARTS[part](PLAN)))
        return
    found = {"machine": machine()}
    for part in PARTS:
        print(f"{part} ...", flush=True)
        found[part] = run_part(part)
    text = report(PLAN, found)
    (RESULTS / "speed.md").write_text(text, encoding="utf-8")
    figure(PLAN, found).savefig(RESULTS / "speed.png", dpi=110, metadata={"Software": None})
    print(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
