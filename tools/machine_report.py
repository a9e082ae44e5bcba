"""What a failed test run says of the machine, so that the failure can be reproduced elsewhere."""

import os
import platform
from importlib.metadata import distributions
from pathlib import Path

import numpy as np
import torch

from pe_lessons.exercises.run_answer import memory_guard

PACKAGES = ("numpy", "torch", "matplotlib", "ipykernel", "jupyterlab", "pytest", "nbval", "hypothesis")


def processor():
    """The processor's name where the system tells it, and the number of its cores."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        name = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), name)
    return f"{name} ({platform.machine()}), {os.cpu_count()} cores"


def describe(**more):
    """Lines of "name: value"; `more` are those of this run, such as its seed."""
    build = np.show_config(mode="dicts")
    blas = build.get("Build Dependencies", {}).get("blas", {})
    simd = build.get("SIMD Extensions", {})
    installed = {package.name: package.version for package in distributions()}
    facts = {
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "packages": ", ".join(f"{name} {installed.get(name, 'none')}" for name in PACKAGES),
        "system": platform.platform(),
        "processor": processor(),
        "NumPy's BLAS": " ".join([blas.get("name", "?"), blas.get("openblas configuration", "")]),
        "NumPy's instruction sets": " ".join([*simd.get("baseline", ()), *simd.get("found", ())]),
        "PyTorch's": f"{torch.backends.cpu.get_cpu_capability()}, {torch.get_num_threads()} threads",
        "memory": memory_guard(),
        **more,
    }
    return [f"{name}: {value}" for name, value in facts.items()]
