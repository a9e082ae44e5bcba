"""No assertion of a lesson asks for digits that another machine may compute otherwise."""

import ast
import json
from pathlib import Path

import pytest

from pe_lessons.lessons.progress import notebooks

ROOT = Path(__file__).parents[1]
NOTEBOOKS = notebooks(ROOT / "notebooks")
EQUAL = "equal", "array_equal", "assert_array_equal", "all"
ROUNDING = 2**-25  # of a float32 below 1, the largest
ROOM = 1.03  # what a limit leaves at least for the error that was there before

# Where a lesson compares bit by bit, why both sides have the same bits everywhere. The look-ups, counts,
# buckets and cuts of the lessons 12, 11 and 14 copy or count; nothing is rounded there.
MEANT = {
    "05 three-modules-run": "a table and its copy",
    "07 sharpness-table": "indices",
    **dict.fromkeys(("12 lookup", "12 beyond", "12 learned", "12 learned-faulty"), "copies and counts"),
    "19 bias-small": "powers of two times whole numbers",
}


def exact_comparisons(code):
    """The calls that compare bit by bit; `all` only of an `==`."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EQUAL:
            of = node.func.value
            if node.func.attr != "all" or (isinstance(of, ast.Compare) and isinstance(of.ops[0], ast.Eq)):
                yield ast.unparse(node)


def tight_limits(code):
    """The limits that rounding to float32 nearly uses up."""
    for node in ast.walk(ast.parse(code)):
        limits = [node.value] if isinstance(node, ast.keyword) and node.arg == "atol" else []
        limits += node.comparators if isinstance(node, ast.Compare) else []
        for one in (part for limit in limits for part in ast.walk(limit)):
            if isinstance(one, ast.Constant) and isinstance(one.value, float):
                if ROUNDING <= one.value < ROOM * ROUNDING:
                    yield ast.unparse(node)


def cells(notebook):
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        code = "".join(cell["source"])
        if cell["cell_type"] == "code" and not code.startswith("%"):
            yield f"{notebook.name[:2]} {cell['id']}", code


def test_equal_bits_are_asked_for_only_where_they_are_meant():
    asked = {name for notebook in NOTEBOOKS for name, code in cells(notebook) if [*exact_comparisons(code)]}
    assert asked == set(MEANT)


@pytest.mark.parametrize(
    "file", [*NOTEBOOKS, *sorted((ROOT / "tests").glob("*.py"))], ids=lambda file: file.name
)
def test_limits_leave_room_beyond_rounding(file):
    codes = (
        [code for _, code in cells(file)] if file.suffix == ".ipynb" else [file.read_text(encoding="utf-8")]
    )
    assert not [limit for code in codes for limit in tight_limits(code)]


@pytest.mark.parametrize(
    ("guard", "code"),
    [
        (exact_comparisons, "print('the same bits:', torch.equal(package, with_bias(q, k, v)))"),
        (exact_comparisons, "assert (package == ours).all()"),
        (tight_limits, "assert np.abs(long_chain - exact).max() <= 3e-8"),
        (tight_limits, "np.testing.assert_allclose(table, exact, rtol=0, atol=2.99e-8)"),
    ],
)
def test_guard_sees(guard, code):
    assert [*guard(code)]
