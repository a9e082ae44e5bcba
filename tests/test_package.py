"""What importing costs."""

import subprocess
import sys


def test_the_package_alone_loads_neither_torch_nor_matplotlib():
    code = "import sys; from pe_lessons import loops, arrays, measures; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "numpy" in modules
    assert not {"torch", "matplotlib", "IPython"} & set(modules)
