"""How fast, how exact, how large: tables, rotary and biases beside the libraries and the memory itself.

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
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import contenders
import matplotlib.pyplot as plt
import mpmath
import numpy as np
import torch

RESULTS = Path(__file__).parent / "results"
KEEP_FREED_MEMORY = (
    "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=68719476736:glibc.malloc.top_pad=268435456"
)

FULL = {
    "tables": [(50, 128), (512, 512), (4096, 1024), (65_536, 1024), (1_000_000, 128)],
    "rotary": [(2, 8, 512, 64), (1, 32, 2048, 128)],
    "biases": 4096,
    "memory": (65_536, 1024),
    "positions": [10**2, 10**3, 10**4, 10**5, 10**6, 10**7],
    "seconds": 8,  # for each shape, and at least three rounds
}
QUICK = {
    "tables": [(50, 128), (300, 64)],
    "rotary": [(1, 2, 16, 8)],
    "biases": 32,
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
    rounds = 0
    while not rounds or (seconds and (rounds < 3 or (time.process_time() < end and rounds < 300))):
        turn = rounds % len(names)
        for name in names[turn:] + names[:turn]:
            start = clock()
            result = calls[name]()
            times[name].append(clock() - start)
            del result
        rounds += 1
    return {name: statistics.median(values) for name, values in times.items()}


def table_calls(seq_len, d_model):
    return {
        name: (lambda make=table.make: make(seq_len, d_model))
        for name, table in contenders.TABLES.items()
        if not table.slow or seq_len * d_model <= SLOW_UP_TO
    }


def measure_times(plan):
    with torch.no_grad():
        return {
            "tables": [median_times(table_calls(*shape), plan["seconds"]) for shape in plan["tables"]],
            "rotary": [
                median_times(contenders.rotary_contenders(shape), plan["seconds"] / 2)
                for shape in plan["rotary"]
            ],
            "biases": median_times(contenders.bias_contenders(plan["biases"]), plan["seconds"]),
        }


def fastest_candidates():
    return [name for name, table in contenders.TABLES.items() if not table.ours and not table.slow]


def kilobytes(key):
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key))
    return int(line.split()[1])


def peak_beyond_result(call, small):
    """Bytes that a forked process takes at most during the call, beyond what it returns.

    The same call of a small size goes first, so that what a first call loads is not counted.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        small()
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = kilobytes("VmRSS")
        result = call()
        size = result.numel() * result.element_size() if isinstance(result, torch.Tensor) else result.nbytes
        os.write(writer, str(1024 * (kilobytes("VmHWM") - before) - size).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return max(int(said), 0) if said else None


def measure_memory(plan):
    if not Path("/proc/self/clear_refs").exists():
        return {"tables": {}, "biases": {}}
    pairs = {
        "tables": (table_calls(*plan["memory"]), table_calls(64, 8)),
        "biases": (contenders.bias_contenders(plan["biases"]), contenders.bias_contenders(8)),
    }
    with torch.no_grad():
        return {
            kind: {name: peak_beyond_result(calls[name], small[name]) for name in calls}
            for kind, (calls, small) in pairs.items()
        }


def largest_error(table, rows, first):
    """Largest distance of these rows, the first of them at position `first`, from the exact ones."""
    worst = 0.0
    found = contenders.sines_and_cosines(table, rows)
    d_model = 2 * found[0].shape[1]
    with mpmath.workdps(40):
        for pair in range(d_model // 2):
            frequency = contenders.frequency_of(table, pair, d_model, mpmath)
            for row, (sine, cosine) in enumerate(zip(found[0][:, pair], found[1][:, pair])):
                angle = (first + row) * frequency
                errors = (abs(sine - mpmath.sin(angle)), abs(cosine - mpmath.cos(angle)))
                worst = max(worst, *map(float, errors))
    return worst


def measure_errors(plan, d_model=8, n_rows=100):
    """{name: largest error in the 100 rows that end at each position}, None where it takes too long."""
    errors = {}
    for name, table in contenders.TABLES.items():
        if name == contenders.FLOOR:
            continue
        errors[name] = []
        for position in plan["positions"]:
            first = position + 1 - n_rows
            if table.rows:
                rows = table.rows(first, n_rows, d_model)
            elif table.slow and position > 10_000:
                errors[name].append(None)
                continue
            else:
                with torch.no_grad():
                    rows = table.make(position + 1, d_model)[first:]
            errors[name].append(largest_error(table, rows, first))
            del rows
    return errors


PARTS = {
    "times": (measure_times, True),
    "memory": (measure_memory, False),
    "errors": (measure_errors, True),
}


def run_part(part, quick):
    """One part in a process of its own, so that each begins with fresh memory and the right allocator."""
    if quick:
        return json.loads(json.dumps(PARTS[part][0](QUICK)))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    if PARTS[part][1]:
        environment["GLIBC_TUNABLES"] = KEEP_FREED_MEMORY
    command = [sys.executable, __file__, "--part", part]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def by(shape):
    return " × ".join(f"{size:,}".replace(",", " ") for size in shape)


def ratio(value):
    if value is None:
        return ""
    return f"{value:.2f}" if value < 9.95 else f"{value:.0f}"


def markdown_table(head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, align, *rows])


def as_bytes(value):
    if value is None:
        return ""
    return f"{value / 1e6:.1f} MB" if value < 99.5e6 else f"{value / 1e6:.0f} MB"


def goals(plan, found):
    """(what, goal, measured, met) for every goal, whether met or missed."""
    times, memory = found["times"], found["memory"]
    table_times = {shape: t for shape, t in zip(plan["tables"], times["tables"])}
    ours, full = contenders.ARRAYS, contenders.FLOOR

    def at_least(what, goal, value):
        return what, f"at least {goal}", ratio(value), value >= goal

    def at_most(what, goal, value, text):
        return what, f"at most {text(goal)}", text(value), value <= goal

    out = []
    for shape, goal in (((65_536, 1024), 1.7), ((1_000_000, 128), 2.2)):
        if shape in table_times and fastest_candidates():
            t = table_times[shape]
            libraries = {
                name: t[name]
                for name in fastest_candidates()
                if name in t and name != contenders.COMMON_NUMPY
            }
            fastest = min(libraries, key=libraries.get)
            out.append(
                at_least(
                    f"{by(shape)}: times as fast as the fastest other ({fastest})", goal, t[fastest] / t[ours]
                )
            )
    shape = (65_536, 1024)
    if shape in table_times:
        t = table_times[shape]
        out.append(
            at_least(
                f"{by(shape)}: times as fast as NumPy as commonly written",
                12,
                t[contenders.COMMON_NUMPY] / t[ours],
            )
        )
        out.append(at_least(f"{by(shape)}: share of the speed of np.full", 0.5, t[full] / t[ours]))
        if memory["tables"].get(ours) is not None:
            out.append(at_most(f"{by(shape)}: extra memory", 10e6, memory["tables"][ours], as_bytes))
            out.append(
                at_most(
                    f"{by(shape)}: extra memory by block", 1e6, memory["tables"][contenders.BLOCKS], as_bytes
                )
            )
    for name in (ours, contenders.TENSORS, contenders.BLOCKS):
        worst = max(found["errors"][name])
        out.append(at_most(f"{name}: error in float32, all positions", 3.0e-8, worst, lambda v: f"{v:.2e}"))
    if (1, 32, 2048, 128) in plan["rotary"]:
        t = times["rotary"][plan["rotary"].index((1, 32, 2048, 128))]
        for name in (contenders.GIVEN, contenders.WHOLE):
            out.append(at_most(f"rotary ({name}) over a copy", 1.15, t[name] / t[contenders.COPY], ratio))
        if contenders.TRANSFORMERS_ROTARY in t:
            out.append(
                at_least(
                    "rotary (angles given): times as fast as transformers",
                    4.5,
                    t[contenders.TRANSFORMERS_ROTARY] / t[contenders.GIVEN],
                )
            )
    t = times["biases"]
    out.append(
        at_most("biases: time over plain attention", 1.35, t[contenders.VIEW] / t[contenders.NO_BIAS], ratio)
    )
    if memory["biases"].get(contenders.VIEW) is not None:
        out.append(at_most("biases: extra memory", 25e6, memory["biases"][contenders.VIEW], as_bytes))
    return out


def report(plan, found):
    """The whole report in Markdown."""
    times, memory, errors = found["times"], found["memory"], found["errors"]
    names = list(times["tables"][0])
    table_rows = []
    for name in names:
        cells = [ratio(t[name] / t[contenders.FLOOR]) if name in t else "" for t in times["tables"]]
        table_rows.append([name, *cells, as_bytes(memory["tables"].get(name))])
    lines = [
        "# Speed, memory, precision",
        "",
        "Written by `python course.py bench`. Times are CPU time of one thread, medians of interleaved",
        "rounds, printed as ratios: those of one run can be compared, those of two machines cannot.",
        "",
        f"Machine: {found['machine']}.",
        "",
        "## Tables",
        "",
        "Time over that of filling the same memory with ones (`np.full`, float32), and memory taken at most",
        f"beyond the table itself at {by(plan['memory'])}. Rows that say float64 fill twice the memory.",
        "",
        markdown_table(["", *map(by, plan["tables"]), "extra memory"], table_rows),
        "",
        "## Largest error, against mpmath",
        "",
        "In the 100 rows that end at each position, 8 columns.",
        "",
        markdown_table(
            ["position", *(f"1e{len(str(position)) - 1}" for position in plan["positions"])],
            [[name, *("" if e is None else f"{e:.1e}" for e in row)] for name, row in errors.items()],
        ),
        "",
        "## Rotary, queries and keys",
        "",
        "Time over that of copying both. *Angles given*: cosines and sines are ready, as they are for",
        "the functions of the libraries; the others begin with the positions.",
        "",
        markdown_table(
            ["", *map(by, plan["rotary"])],
            [
                [name, *(ratio(t[name] / t[contenders.COPY]) for t in times["rotary"])]
                for name in times["rotary"][0]
            ],
        ),
        "",
        "## Biases that depend on the offset",
        "",
        f"Attention of {plan['biases']} tokens, 8 heads: time over attention without a bias, and",
        "memory taken at most beyond the result.",
        "",
        markdown_table(
            ["", "time", "extra memory"],
            [
                [name, ratio(t / times["biases"][contenders.NO_BIAS]), as_bytes(memory["biases"].get(name))]
                for name, t in times["biases"].items()
            ],
        ),
        "",
        "## Goals",
        "",
        markdown_table(
            ["", "goal", "measured", ""],
            [
                [what, goal, value, "met" if met else "**missed**"]
                for what, goal, value, met in goals(plan, found)
            ],
        ),
        "",
    ]
    if found["absent"]:
        lines += ["Not installed, so not measured: " + ", ".join(sorted(found["absent"])) + ".", ""]
    return "\n".join(lines)


def figure(plan, found):
    """Three panels over one list of contenders: time, memory, error."""
    shape_index = len(plan["tables"]) - 2
    times = found["times"]["tables"][shape_index]
    names = [name for name in times if name in found["errors"] and not contenders.TABLES[name].slow]
    names.sort(key=times.get, reverse=True)
    last = max(n for n, position in enumerate(plan["positions"]) if position <= 10**6)
    floor = times[contenders.FLOOR]
    panels = [
        (f"time, in np.full's\n{by(plan['tables'][shape_index])}", [times[name] / floor for name in names]),
        (
            f"extra memory, MB\n{by(plan['memory'])}",
            [(found["memory"]["tables"].get(name) or 0) / 1e6 for name in names],
        ),
        (
            f"largest error at position {by([plan['positions'][last]])}",
            [found["errors"][name][last] for name in names],
        ),
    ]
    colours = ["tab:blue" if contenders.TABLES[name].ours else "tab:gray" for name in names]
    fig, axes = plt.subplots(1, 3, figsize=(11, 0.34 * len(names) + 1.3), sharey=True, layout="constrained")
    for ax, (title, values) in zip(axes, panels):
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
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.split(":")[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    parts = [
        f"{model}, {os.cpu_count()} cores seen",
        f"Python {platform.python_version()}, NumPy {np.__version__}, PyTorch {torch.__version__}",
        *(f"{name} {version}" for name, version in sorted(contenders.VERSIONS.items())),
    ]
    return "; ".join(parts)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small shapes, one round")
    parser.add_argument("--out", type=Path, help="folder for speed.md and speed.png")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    plan = QUICK if options.quick else FULL
    torch.set_num_threads(1)
    if options.part:
        print(json.dumps(PARTS[options.part][0](plan)))
        return
    found = {"machine": machine(), "absent": contenders.ABSENT}
    for part in PARTS:
        start = time.monotonic()
        print(f"{part} ... ", end="", flush=True)
        found[part] = run_part(part, options.quick)
        print(f"{time.monotonic() - start:.0f} s")
    # What was measured quickly is no evidence.
    out = options.out or (Path(tempfile.mkdtemp(prefix="speed_")) if options.quick else RESULTS)
    out.mkdir(parents=True, exist_ok=True)
    (out / "speed.md").write_text(report(plan, found), encoding="utf-8")
    fig = figure(plan, found)
    fig.savefig(out / "speed.png", dpi=110, metadata={"Software": None})
    plt.close(fig)
    print(f"\n{report(plan, found)}\n{out / 'speed.md'}")


if __name__ == "__main__":
    main()
