"""The imitated computer: other last bits where no standard fixes them, the same ones where it does."""

import json
import os
import subprocess
import sys

import nbformat
import numpy as np
import pytest
import reexecute
import run_on_other_computers

MODULE = """
import math
import numpy as np
import torch
from torch.nn import functional as F

rows = np.random.default_rng(0).normal(size=(40, 30))
square = rows[:30] + 6 * np.eye(30)
tensor = torch.tensor(rows, requires_grad=True)
(tensor.T @ tensor).exp().sum().backward()
few = np.arange(12.0).reshape(3, 4)

by_one_unit = {
    "math.sin": [math.sin(n) for n in range(1, 40)],
    "math.log": [math.log(n) for n in range(2, 40)],
    "float power": [n**0.3 for n in range(2, 40)],
    "math.dist": [math.dist((1, 2), (n / 7, 7)) for n in range(3, 40)],
    "np.exp": np.exp(rows),
    "np.cos, float32": np.cos(rows.astype(np.float32)),
    "array power": np.abs(rows) ** 1.7,
    "complex": np.exp(1j * rows).imag,
    "torch.sin": torch.sin(tensor),
    "softmax": torch.softmax(tensor, 1),
}
by_more = {
    "sum": [sum(row) for row in rows.tolist()],
    "np.sum": np.sum(rows, axis=0),
    "mean": rows.mean(axis=1),
    "norm": np.linalg.norm(rows, axis=1),
    "@": rows @ rows.T,
    "einsum": np.einsum("ij,kj->ik", rows, rows),
    "solve": np.linalg.solve(square, rows[:30]),
    "torch.matmul": tensor @ tensor.T,
    "linear": F.linear(tensor, tensor),
    "gradient": tensor.grad / tensor.grad.abs().max(),
    "attention": F.scaled_dot_product_attention(tensor[None], tensor[None], tensor[None]),
    "layer norm": F.layer_norm(tensor, (30,)),
}
exact = {
    "sums and roots": rows * rows + np.sqrt(abs(rows)) / 3,
    "special arguments": [math.sin(0), math.cos(0), math.exp(0), math.log2(8), 2**3, 2.0**-3, 9**0.5],
    "squares": rows**2 + (tensor**2).detach().numpy(),
    "odd": np.sin(-rows) + np.sin(rows),
    "whole numbers": [sum([1.0, 2.0, 3.5]), few.sum(), *few.mean(axis=0), *(few @ few.T).ravel()],
    "thirds": [few[:, :3].mean(), *torch.softmax(torch.zeros(3), 0), np.mean([1.0, 0.0, 0.0])],
    "chosen rows": np.eye(40)[::-1] @ rows + (torch.eye(40).double() @ tensor).detach().numpy(),
    "lengths": [math.hypot(3, 4), math.hypot(1, 1), *np.linalg.norm([[3, 4], [1, 1]], axis=1)],
    "attention to one": F.scaled_dot_product_attention(*3 * [tensor[None, :5]], is_causal=True)[0, 0],
    "one after the other": np.cumsum(rows),
}

results = [
    {name: torch.as_tensor(values, dtype=torch.float64).flatten().tolist() for name, values in group.items()}
    for group in (by_one_unit, by_more, exact)
]
"""
CELL = """
import math
import numpy as np
product = np.arange(40).reshape(5, 8) / 7.3 @ np.arange(8)
print(math.sin(1).hex(), (1.1**0.3).hex(), *map(float.hex, product))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "module.py").write_text(MODULE)
    return folder


def settings(seed, folder):
    there = run_on_other_computers.imitated(seed, folder)
    del there["PYTHONPYCACHEPREFIX"]  # to compile PyTorch anew takes half a minute
    return there


def python(program, seed, folder):
    """What a program prints on the imitated computer with this seed."""
    there = os.environ | settings(seed, folder)
    command = [sys.executable, "-B", "-c", program]
    return subprocess.run(command, env=there, cwd=folder, capture_output=True, check=True, text=True).stdout


@pytest.fixture(scope="module")
def results(folder):
    """For every group of MODULE, its results here and on an imitated computer."""
    here = {}
    exec(MODULE, here)
    there = json.loads(python("import json, module; print(json.dumps(module.results))", 1, folder))
    return list(zip(here["results"], there))


@pytest.mark.parametrize("group, units", [(0, 1), (1, 8)])
def test_what_no_standard_fixes_has_other_last_bits(results, group, units):
    here, there = results[group]
    for name in here:
        one, other = np.array(here[name]), np.array(there[name])
        eps = 2.0 ** (-23 if "float32" in name else -52)
        size = np.abs(one) if units == 1 else np.abs(one).max()
        assert (one != other).mean() > 0.2, name
        assert (np.abs(one - other) <= units * eps * size).all(), name


def test_what_is_exact_stays(results):
    here, there = results[2]
    assert here == there


def test_a_seed_is_a_computer(folder):
    program = "import math; print([math.sin(n) for n in range(40)])"
    assert python(program, 1, folder) == python(program, 1, folder) != python(program, 2, folder)


def test_a_kernel_is_elsewhere_too(folder, monkeypatch):
    def printed():
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
        reexecute.execute(notebook, folder)
        return notebook.cells[0].outputs[0].text.split()

    here = printed()
    for name, value in settings(1, folder).items():
        monkeypatch.setenv(name, value)
    there = printed()
    assert [one != other for one, other in zip(here[:2], there)] == [True, True]
    assert here[2:] != there[2:]
