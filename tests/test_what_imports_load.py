"""What importing costs."""

import os
import pkgutil
import subprocess
import sys

import pe_lessons


def test_the_modules_need_nothing_but_their_dependencies_and_the_loop_and_numpy_versions_not_even_those():
    modules = sorted(found.name for found in pkgutil.iter_modules(pe_lessons.__path__))
    code = f"""
import importlib, sys
for name in ("IPython", "ipywidgets", "ipykernel", "jupyterlab", "sklearn"):
    sys.modules[name] = None  # as if it were not installed
from pe_lessons import models
assert "numpy" not in sys.modules, "the reader of configs needs Python alone"
from pe_lessons import loops, arrays, measures
from pe_lessons.lessons import start_here, why_order_matters, by_hand, the_naive_loop, vectorized_numpy
assert "numpy" in sys.modules and not {{"torch", "matplotlib"}} & set(sys.modules)
for name in {modules}:
    importlib.import_module("pe_lessons." + name)
from pe_lessons import plots
plots.heatmap([[1, 2], [3, 4]])
"""
    assert {"loops", "arrays", "tensors", "plots", "toys", "exercises", "lessons"} <= set(modules)
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"MPLBACKEND": "agg"})
