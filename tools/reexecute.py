"""Run notebooks from top to bottom and store what they give, in one normal form.

    python tools/reexecute.py [--unlock] [notebook ...]

A second run changes nothing: a figure that looks as before keeps its bytes, and a cell whose
output is not checked (timings, widgets) keeps its output while only numbers in it have changed.

In normal form prose and checks are locked, so that no learner edits them by accident. To write in
JupyterLab, take the locks off with --unlock, which runs nothing; the next run puts them on again.
"""

import argparse
import base64
import contextlib
import copy
import io
import itertools
import os
import re
import sys
import time
from pathlib import Path

import nbformat
import numpy as np
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from PIL import Image
from traitlets import default

sys.path.append(str(Path(__file__).resolve().parents[1]))
from course import ROOT, surroundings
from pe_lessons.lessons.progress import notebooks

UNCHECKED = "nbval-ignore-output"
# A question to answer before the next cell is run, in bold words.
ASKED = re.compile(r"\*\*(Predict|Before you (look|move)|Look hard|Stop and find)\b")
SECONDS_PER_CELL = 600  # of wall time, on a machine that may be busy
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

# Every kernel that runs a notebook gets this, here and in conftest.py. A start-up file of IPython,
# which a user may have at home, must not speak in it.
KERNEL_ENVIRONMENT = surroundings(sys.prefix)
if "MPLCONFIGDIR" in KERNEL_ENVIRONMENT:
    KERNEL_ENVIRONMENT["IPYTHONDIR"] = str(Path(sys.prefix, "ipython"))
    with contextlib.suppress(OSError):  # no answer is to stay in its history
        (profile := Path(sys.prefix, "ipython", "profile_default")).mkdir(parents=True, exist_ok=True)
        (profile / "ipython_config.py").write_text("get_config().HistoryManager.enabled = False\n")


def find_notebooks() -> list[Path]:
    return notebooks(ROOT / "notebooks")


def pngs(outputs) -> list[str]:
    """The figures among a cell's outputs, as base64 text."""
    return [output.data["image/png"] for output in outputs if "image/png" in output.get("data", ())]


def pixels(png: str, size: tuple[int, int] | None = None) -> np.ndarray:
    """A figure on white as an array (height, width, 3) of 0..255, shrunk to `size` if given."""
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA")
    image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    if size:
        image = image.resize(size, Image.Resampling.BOX)
    return np.asarray(image, dtype=float)


def rms(a: np.ndarray, b: np.ndarray | float) -> float:
    return float(np.sqrt(np.mean((a - b) ** 2)))


def readable_id(cell, taken: set[str]) -> str:
    """The cell's own id; a new one, from its first words, where a program made it up."""
    current = cell.get("id", "")
    made_up = re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}", current)
    if re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", current) and not made_up:
        words = current
    else:
        words = "-".join(re.findall(r"[a-z0-9]+", cell.source.lower())[:5])[:40] or cell.cell_type
    name, number = words, 2
    while name in taken:
        name, number = f"{words}-{number}", number + 1
    return name


def normal_output(output, execution_count):
    if output.output_type == "execute_result":
        output.execution_count = execution_count
    if "data" in output:
        output.data.pop("application/vnd.jupyter.widget-view+json", None)
        told = output.metadata.get("image/png", {})
        told = {key: told[key] for key in ("alt", "width", "height", "coloured") if key in told}
        output.metadata = {"image/png": told} if told else {}
    return output


def locks(cell) -> dict:
    """What JupyterLab is to refuse: typing into prose and checks, deleting checks and answers."""
    nbgrader = cell.metadata.get("nbgrader", {})
    check, answer = nbgrader.get("grade", False), nbgrader.get("solution", False)
    editable = {"editable": False} if check or cell.cell_type == "markdown" else {}
    return editable | ({"deletable": False} if check or answer else {})


def answers_to_predictions(cells):
    """The code cells that answer a question in the last paragraph above them."""
    for above, cell in itertools.pairwise(cells):
        asked = above.cell_type == "markdown" and ASKED.search(above.source.strip().split("\n\n")[-1])
        if asked and cell.cell_type == "code" and "nbgrader" not in cell.metadata:
            yield cell


def normal_form(nb):
    """A copy of the notebook with all that depends on who saved it, when and where removed."""
    nb = copy.deepcopy(nb)
    nb.nbformat, nb.nbformat_minor = 4, 5
    nb.metadata = METADATA
    taken = set()
    for cell in nb.cells:
        cell.id = readable_id(cell, taken)
        taken.add(cell.id)
        kept = ("tags", "nbgrader", "slideshow")
        cell.metadata = {key: cell.metadata[key] for key in kept if cell.metadata.get(key)} | locks(cell)
        if cell.cell_type == "code":
            cell.outputs = [normal_output(out, cell.execution_count) for out in cell.outputs]
    for cell in answers_to_predictions(nb.cells):
        if cell.outputs:  # JupyterLab shows them when the cell is run
            cell.metadata["jupyter"] = {"outputs_hidden": True}
    return nbformat.from_dict(nb)


def normal_text(nb) -> str:
    """What stands in the file of a notebook in normal form."""
    return nbformat.writes(normal_form(nb)) + "\n"


def unlocked(text: str) -> str:
    """The text of a notebook's file, for its author: every cell can be edited and deleted."""
    nb = nbformat.v4.reads(text)
    for cell in nb.cells:
        for lock in locks(cell):
            cell.metadata.pop(lock, None)
    return nbformat.writes(nb) + "\n"


class ThisPython(AsyncKernelManager):
    """Starts kernels of the Python that runs this script, whatever is registered as python3."""

    @default("kernel_spec_manager")
    def _only_the_native_kernel(self):
        return KernelSpecManager(kernel_dirs=[])


def execute(nb, folder: Path) -> None:
    """Run every cell of `nb` in place; a RuntimeError tells which cell failed, and how."""
    client = NotebookClient(
        nb,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        kernel_manager_class=ThisPython,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--log-level=ERROR"],  # else each kernel warns of its local sockets
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        code = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
        number = client.code_cells_executed
        if isinstance(error, CellExecutionError):
            reason = f"{error.ename}: {error.evalue}"
        elif isinstance(error, CellTimeoutError):
            reason = f"not done after {SECONDS_PER_CELL} s"
        else:
            reason = "the kernel died"
        raise RuntimeError(f"In [{number}], cell id {code[number - 1].id}: {reason}") from error


def looks_alike(png: str, other: str) -> bool:
    png, other = pixels(png), pixels(other)
    return png.shape == other.shape and rms(png, other) <= 1


NUMBER = r"\s*[-+±]?\d[\d.,_]*(e[-+]?\d+)?(\s*(ns|µs|μs|us|ms|s|min)\b)?"


def outline(outputs) -> list[dict]:
    """What the outputs say, without numbers and units of time; of figures the size and the coloured parts."""
    outlines = []
    for output in outputs:
        said = {"text": output.get("text", ""), **output.get("data", {}), "image/png": None}
        said = {kind: re.sub(NUMBER, "#", str(text)) for kind, text in said.items()}
        told = output.get("metadata", {}).get("image/png", {})
        parts = len(told.get("coloured", ()))
        outlines.append(said | {"sizes": [pixels(png).shape for png in pngs([output])], "parts": parts})
    return outlines


def keep_what_is_equal(cell, stored) -> None:
    """Give a freshly run cell the stored outputs back where the difference would be noise."""
    unchecked = UNCHECKED in cell.metadata.get("tags", ())
    if unchecked and outline(cell.outputs) == outline(stored.outputs):
        cell.outputs = stored.outputs
    fresh, old = (
        [one for one in outputs if "image/png" in one.get("data", ())]
        for outputs in (cell.outputs, stored.outputs)
    )
    for figure, before in zip(fresh, old, strict=False):
        if looks_alike(figure.data["image/png"], before.data["image/png"]):
            figure.data["image/png"] = before.data["image/png"]
            new, known = (one.metadata.get("image/png", {}) for one in (figure, before))
            boxes = [np.array(" ".join(one.get("coloured", ())).split(), int) for one in (new, known)]
            if boxes[0].size == boxes[1].size > 0 and np.ptp(boxes, axis=0).max() <= 2:
                new["coloured"] = known["coloured"]  # other fonts move a box by a dot


def reexecuted(text: str, folder: Path) -> str:
    """The text of a notebook's file after running it."""
    # Read without nbformat's repairs: equal ids are to be named in an orderly way by normal_form.
    stored = normal_form(nbformat.v4.reads(text))
    fresh = copy.deepcopy(stored)
    execute(fresh, folder)
    fresh = normal_form(fresh)
    for cell, before in zip(fresh.cells, stored.cells, strict=True):
        if cell.cell_type == "code":
            keep_what_is_equal(cell, before)
    return normal_text(fresh)


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--unlock", action="store_true", help="run nothing, take the locks off the cells")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all in notebooks/")
    options = parser.parse_args(arguments)
    missing = [str(path) for path in options.notebooks if not path.is_file()]
    if missing:
        parser.error(f"no such notebook: {', '.join(missing)}")
    os.environ.update(KERNEL_ENVIRONMENT)
    # An error message may hold signs that the console of Windows cannot show.
    sys.stdout.reconfigure(errors="backslashreplace")

    trouble = False
    for path in options.notebooks or find_notebooks():
        start = time.perf_counter()
        text = path.read_text(encoding="utf-8")
        try:
            new = unlocked(text) if options.unlock else reexecuted(text, path.parent)
        except (RuntimeError, ValueError) as error:  # ValueError: the file is no notebook
            trouble, verdict = True, f"FAILED and left as it was: {error}"
        else:
            verdict = "unchanged" if new == text else "rewritten"
            path.write_text(new, encoding="utf-8", newline="\n")
        print(f"{path.name}  {time.perf_counter() - start:.1f} s  {verdict}", flush=True)
    return int(trouble)


if __name__ == "__main__":
    sys.exit(main())
