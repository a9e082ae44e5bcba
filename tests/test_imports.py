"""What importing costs."""

import os
import pkgutil
import subprocess
import sys

import pe_lessons


def test_the_modules_need_nothing_but_their_dependencies():
    modules = sorted(found.name for found in pkgutil.iter_modules(pe_lessons.__path__))
    code = f"""
import importlib, sys
for name in ("IPython", "ipywidgets", "ipykernel", "jupyterlab", "sklearn"):
    sys.modules[name] = None  # as if it were not installed
for name in {modules}:
    importlib.import_module("pe_lessons." + name)
from pe_lessons import plots
plots.heatmap([[1, 2], [3, 4]])
"""
    assert {"loops", "arrays", "tensors", "plots", "toys", "exercises", "progress"} <= set(modules)
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"MPLBACKEND": "agg"})


def test_the_package_alone_loads_neither_torch_nor_matplotlib():
    code = "import sys; from pe_lessons import loops, arrays, measures; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "numpy" in modules
    assert not {"torch", "matplotlib", "IPython"} & set(modules)
