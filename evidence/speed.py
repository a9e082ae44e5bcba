"""How fast, how exact, how large: tables and biases compared with the libraries and with the memory itself.

    python course.py bench             a few minutes; writes evidence/results/speed.md and speed.png
    python course.py bench --quick     seconds: small shapes, one round, to see that everything runs

Times are CPU time of one thread, medians of rounds in which every contender runs once (so a busy
machine is shared fairly), and are printed as ratios. Fresh memory is slow to touch the first time, on a
virtual machine ten times as slow as afterwards, and the bill goes to whoever happens to ask; so the times
are taken in a process that keeps the memory it frees (on Linux). Memory is the peak of a process of its
own that makes one table, less the table (Linux only). Errors are against mpmath.
"""

import argparse
import gc
import json
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import matplotlib.pyplot as plt
import mpmath
import numpy as np
import torch

from evidence import contenders
from tools.machine_report import processor

RESULTS = Path(__file__).parent / "results"
KEEP_FREED_MEMORY = (
    "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=68719476736:glibc.malloc.top_pad=268435456"
)

FULL = {
    "tables": [(50, 128), (512, 512), (4096, 1024), (65_536, 1024), (1_000_000, 128)],
    "biases": 4096,
    "compiled": True,
    "memory": (65_536, 1024),
    "positions": [10**2, 10**3, 10**4, 10**5, 10**6, 10**7],
    "seconds": 8,  # for each shape, and at least three rounds
}
QUICK = {
    "tables": [(50, 128), (300, 64)],
    "biases": 32,
    "compiled": False,  # a compiler takes half a minute
    "memory": (2048, 256),
    "positions": [10**2, 10**3],
    "seconds": 0,
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


def kilobytes(key):
    return int(re.search(rf"^{key}:\s*(\d+)", Path("/proc/self/status").read_text(), re.MULTILINE)[1])


def peak_beyond_result(call, small):
    """Bytes that a forked process takes at most during the call, beyond what it returns.

    The same call of a small size goes first, so that what a first call loads is not counted.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            gc.freeze()  # what was there before need not be searched for garbage
            small()
            gc.collect()
            Path("/proc/self/clear_refs").write_text("5")  # the peak starts from here
            before = kilobytes("VmRSS")
            result = call()
            os.write(writer, str(1024 * (kilobytes("VmHWM") - before) - result.nbytes).encode())
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)  # or the child would go on in the parent's code
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    _, status = os.waitpid(child, 0)
    if status:
        raise RuntimeError(f"the call failed in its own process, status {os.waitstatus_to_exitcode(status)}")
    return max(int(said), 0)


def measure_memory(plan):
    if not Path("/proc/self/clear_refs").exists():
        return {"tables": {}, "biases": {}}
    pairs = {
        "tables": (table_calls(plan["memory"]), table_calls((64, 8))),
        "biases": (contenders.bias_contenders(plan["biases"]), contenders.bias_contenders(8)),
    }
    return {
        kind: {name: peak_beyond_result(calls[name], small[name]) for name in calls}
        for kind, (calls, small) in pairs.items()
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
    """Two races with `torch.compile`; none in a quick run, or where there is no C++ compiler."""
    if not (plan["compiled"] and (shutil.which("c++") or shutil.which("cl"))):
        return {}
    races = contenders.compiled_contenders(plan["memory"], plan["biases"])
    return dict(zip(("table", "attention"), (median_times(calls, plan["seconds"]) for calls in races)))


PARTS = {
    "times": measure_times,
    "memory": measure_memory,
    "errors": measure_errors,
    "compiled": measure_compiled,
}


def measure(part, plan):
    torch.set_num_threads(1)
    with torch.no_grad():
        return json.dumps(PARTS[part](plan))


def run_part(part, quick):
    """One part in a process of its own, so that each begins with fresh memory and the right allocator."""
    if quick:
        return json.loads(measure(part, QUICK))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    if part != "memory":
        environment["GLIBC_TUNABLES"] = KEEP_FREED_MEMORY
    command = [sys.executable, "-m", "evidence.speed", "--part", part]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def by(shape):
    return " × ".join(f"{size:,}".replace(",", " ") for size in shape)


def ratio(value, floor=1.0):
    if value is None:
        return ""
    value /= floor
    return f"{value:.2f}" if value < 9.95 else f"{value:.0f}"


def markdown_table(head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, align, *rows])


def as_bytes(value):
    if value is None:
        return ""
    return f"{value / 1e6:.1f} MB" if value < 99.5e6 else f"{value / 1e6:.0f} MB"


def compiled_section(plan, compiled):
    """The races with compiled programs, in Markdown; nothing if none was run."""
    if not compiled:
        return ""
    rows = {
        race: [[name, ratio(value, next(iter(times.values())))] for name, value in times.items()]
        for race, times in compiled.items()
    }
    return f"""
## Compiled

With `torch.compile`, on this processor; the compilation itself is not counted. A table of
{by(plan["memory"])}, time over that of filling it:

{markdown_table(["", "time"], rows["table"])}

Causal ALiBi, {plan["biases"]} tokens and 8 heads of 64 columns, by its numbers for each offset: time over
attention without a bias, in which every query sees every key.

{markdown_table(["", "time"], rows["attention"])}
"""


def report(plan, found):
    """The whole report in Markdown."""
    times, memory = found["times"], found["memory"]

    def ratios(times, floor):
        """A row for each name, a column for each shape."""
        return [[name, *(ratio(t.get(name), t[floor]) for t in times)] for name in times[0]]

    tables = [
        [*row, as_bytes(memory["tables"].get(row[0]))] for row in ratios(times["tables"], contenders.FLOOR)
    ]
    positions = [f"1e{len(str(position)) - 1}" for position in plan["positions"]]
    errors = [
        [name, *("" if error is None else f"{error:.1e}" for error in row)]
        for name, row in found["errors"].items()
    ]
    biases = [
        [*row, as_bytes(memory["biases"].get(row[0]))]
        for row in ratios([times["biases"]], contenders.NO_BIAS)
    ]
    absent = ", ".join(sorted(found["absent"]))
    return f"""\
# Speed, memory, precision

Written by `python course.py bench`. Times are CPU time of one thread, medians of interleaved
rounds, printed as ratios: those of one run can be compared, those of two machines cannot. On
Linux they are of a process that keeps the memory it frees.

Machine: {found["machine"]}.

## Tables

Time over that of filling the same memory with ones (`np.full`, float32), and memory taken at most
beyond the table itself at {by(plan["memory"])}. Rows that say float64 fill twice the memory.

{markdown_table(["", *map(by, plan["tables"]), "extra memory"], tables)}

## Largest error, against mpmath

In the 100 rows that end at each position, 8 columns.

{markdown_table(["position", *positions], errors)}

## Biases that depend on the offset

Attention of {plan["biases"]} tokens, 8 heads: time over attention without a bias, and
memory taken at most beyond the result.

{markdown_table(["", "time", "extra memory"], biases)}
{compiled_section(plan, found.get("compiled"))}""" + (
        f"\nNot installed, so not measured: {absent}.\n" if absent else ""
    )


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
    parts = [
        processor(),
        f"Python {platform.python_version()}, NumPy {np.__version__}, PyTorch {torch.__version__}",
        *(f"{name} {version}" for name, version in sorted(contenders.VERSIONS.items())),
    ]
    return "; ".join(parts)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small shapes, one round")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.part:
        print(measure(options.part, FULL))
        return
    plan = QUICK if options.quick else FULL
    found = {"machine": machine(), "absent": contenders.ABSENT}
    for part in PARTS:
        start = time.monotonic()
        print(f"{part} ... ", end="", flush=True)
        found[part] = run_part(part, options.quick)
        print(f"{time.monotonic() - start:.0f} s")
    # What was measured quickly is no evidence.
    out = Path(tempfile.mkdtemp(prefix="speed_")) if options.quick else RESULTS
    out.mkdir(parents=True, exist_ok=True)
    (out / "speed.md").write_text(report(plan, found), encoding="utf-8")
    fig = figure(plan, found)
    fig.savefig(out / "speed.png", dpi=110, metadata={"Software": None})
    plt.close(fig)
    print(f"\n{report(plan, found)}\n{out / 'speed.md'}")


if __name__ == "__main__":
    main()
