"""Imitate another computer: give other last bits to what no standard fixes.

IEEE 754 says how + - * / and square roots are rounded. Nothing says it of sines, exponentials and powers, nor
in which order sums and matrix products are added up: that depends on the processor, the C library, the BLAS
and the versions of Python, NumPy and PyTorch. Where this file is Python's sitecustomize.py and LAST_BITS is
the seed, each such result is moved by -1, 0 or 1 times

    one unit in its last place          sin, exp, log, x**y, softmax ...
    eps * root of the sum of squares    of the terms of a sum, a matrix product, an attention
    eps * the largest of the results    of a decomposition, a solution of equations ...

Which of the three is drawn from the seed, the operation and the result itself (in a product also from its
place and the shape), so the imitated machine is as deterministic as a real one: the same sine is the same
number. What is exact everywhere stays so: a result of few binary digits (sin(0), 2**3, sums of small whole
numbers), a sum of one term and zeros, the mean of an exact sum, the softmax of equal scores.

Half precision, cumulative sums and what others have compiled (scikit-learn) are left alone.
"""

import ast
import builtins
import cmath
import functools
import importlib.abc
import importlib.util
import math
import os
import random
import struct
import sys
import sysconfig

PYTHON = {
    "value": """sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow erf
        rect""",
    "length": "hypot dist",
}
NUMPY = {
    "value": """sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p
        power pow float_power logaddexp prod""",
    "length": "hypot linalg.norm",
    "sum": "sum",
    "product": "matmul dot vdot inner einsum convolve",
    "solution": """linalg.solve linalg.lstsq linalg.inv linalg.pinv linalg.svd linalg.eig linalg.eigh
        linalg.det linalg.qr polyfit""",
}
TORCH = {  # below autograd, where linear, einsum and the like arrive as few operations
    "value": """sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow
        sigmoid gelu silu erf softplus polar lerp randn normal _log_softmax logsumexp var std prod""",
    "length": "linalg_vector_norm _cdist_forward _pdist_forward hypot",
    "softmax": "_softmax",
    "sum": "sum mean",
    "product": "mm bmm addmm baddbmm mv addmv dot vdot _scaled_dot_product_flash_attention_for_cpu",
    "solution": """native_layer_norm linalg_lstsq linalg_inv_ex linalg_matrix_exp _linalg_svd _linalg_eigh
        convolution""",
}
# Exponents for which a library multiplies, divides or takes a root.
NUMPY_PLAIN = (-1, 0, 0.5, 1, 2)
TORCH_PLAIN = (-2, -1, -0.5, 0, 0.5, 1, 2, 3)

# By the bytes of a float: its last bits, all 0 in a number of few digits; by how many units a square or a
# reciprocal may miss such a number; and a factor that mixes the bits.
TAIL = {4: 2**8 - 1, 8: 2**29 - 1}
SLACK = {4: 1, 8: 4}
MIX = {4: 0x9E3779B9, 8: 0x9E3779B97F4A7C15}


def key(*words):
    return random.Random(f"{os.environ['LAST_BITS']} {words}").getrandbits(63)


def kinds(table):
    return {name: kind for kind, names in table.items() for name in names.split()}


def draw(bits, key, width=8):
    """0, 1 or 2 for the bits of a float, or for an array of them."""
    half = 4 * width
    return (((bits ^ key) * MIX[width] & 2 ** (2 * half) - 1) >> half) * 3 >> half


# ---------------------------------------------------------------- plain Python


def direction(number, key, judged=None):
    """-1, 0 or 1, of opposite numbers the opposite; 0 if the number, or nearly `judged`, has few digits."""
    bits, shown = (struct.unpack("<Q", struct.pack("<d", abs(x)))[0] for x in (number, judged or number))
    slack = SLACK[8] if judged else 0
    if (shown + slack) & TAIL[8] <= 2 * slack:
        return 0
    return (draw(bits, key) - 1) * math.copysign(1, number)


def moved(number, key, judged=None):
    if isinstance(number, complex):
        return complex(moved(number.real, key), moved(number.imag, key))
    return number + direction(number, key, judged) * math.ulp(number)


def patch_python():
    def patched(function, kind, key):
        @functools.wraps(function)
        def call(*arguments):
            result = function(*arguments)
            return moved(result, key, result * result if kind == "length" else None)

        return call

    hypot, plain, own = math.hypot, builtins.sum, key("sum")
    for module in (math, cmath):
        for name, kind in kinds(PYTHON).items():
            if hasattr(module, name):
                setattr(module, name, patched(getattr(module, name), kind, key(module.__name__, name)))

    @functools.wraps(plain)
    def sum(iterable, /, start=0):
        """Python 3.12 makes up for the rounding errors of floats, older ones do not."""
        terms = list(iterable)
        total = plain(terms, start)
        if type(total) is not float or not math.isfinite(total):
            return total
        step = hypot(start, *terms) * math.ulp(1)
        alone = abs(step - abs(total) * math.ulp(1)) <= 8 * math.ulp(step)
        return total if alone else total + direction(total, own) * step

    builtins.sum = sum


# ---------------------------------------------------------------- arrays of NumPy, tensors seen as arrays


def movable(value):
    dtype = str(value.dtype).removeprefix("torch.")
    return dtype in ("float32", "float64", "complex64", "complex128") and math.prod(value.shape)


def nudge(array, key, size=None, judged=None, place=False):
    """Move the floats of an array in place, by units in the last place or by eps * `size`."""
    if array.dtype.kind == "c":
        for part in (array.real, array.imag):
            nudge(part, key)
        return
    np, width = sys.modules["numpy"], array.dtype.itemsize
    whole, unsigned = (np.int32, np.uint32) if width == 4 else (np.int64, np.uint64)
    bits = np.abs(array).view(unsigned)
    if judged is None:
        moves = bits & TAIL[width] != 0
    else:
        moves = (np.abs(judged).view(unsigned) + SLACK[width]) & TAIL[width] > 2 * SLACK[width]
    if place:
        key ^= hash(array.shape)
        bits += np.arange(array.size, dtype=unsigned).reshape(array.shape) * unsigned(MIX[width])
    units = (draw(bits, key & 2 ** (8 * width) - 1, width).astype(whole) - 1) * moves
    if size is None:
        array.view(whole)[...] += units  # the next float away from 0, or towards it
    else:
        step = np.finfo(array.dtype).eps * size
        alone = np.abs(np.abs(array) - size) <= 8 * step  # all terms but one are 0
        array += np.where(alone | ~np.isfinite(step), 0, units * np.copysign(step, array)).astype(array.dtype)


def disturb(array, kind, key, squares, count=1):
    """Nudge a result in place; `squares` gives the same sum of the squared terms, of which it is 1/count."""
    np = sys.modules["numpy"]
    with np.errstate(all="ignore"):
        if kind == "value" or array.dtype.kind == "c":
            nudge(array, key)
        elif kind == "length":
            nudge(array, key, judged=array * array)
        elif kind == "softmax":
            nudge(array, key, judged=1 / array)
        elif kind == "solution":
            nudge(array, key, size=np.max(np.abs(array)), place=True)
        else:
            judged = array * count if count > 1 else None
            nudge(array, key, np.sqrt(squares() / count), judged, place=kind == "product")


def patch_numpy(np):
    def squared(value):
        if isinstance(value, str):
            return value
        value = np.asarray(value)
        return np.square(value, dtype=value.dtype if value.dtype.kind == "f" else float)

    def patched(function, kind):
        name = function.__name__
        own = key("numpy", name)

        @functools.wraps(function)
        def call(*arguments, **keywords):
            result = function(*arguments, **keywords)
            out = keywords.pop("out", None)
            if name == "power" and plain_power(arguments[1], NUMPY_PLAIN):
                return result

            def squares():
                terms = 1 if kind == "sum" else len(arguments)
                return function(*map(squared, arguments[:terms]), *arguments[terms:], **keywords)

            def disturbed(result):
                if not (type(result) is np.ndarray or isinstance(result, np.generic)) or not movable(result):
                    return result
                array = result if result is out else np.array(result)
                disturb(array, kind, own, squares)
                return array[()] if isinstance(result, np.generic) else array

            if not isinstance(result, tuple):
                return disturbed(result)
            parts = map(disturbed, result)
            return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)

        vars(call).update({name: getattr(function, name) for name in dir(function) if name[0] != "_"})
        return call

    for name, kind in kinds(NUMPY).items():
        module = np.linalg if name.startswith("linalg.") else np
        name = name.removeprefix("linalg.")
        if hasattr(module, name):
            setattr(module, name, patched(getattr(module, name), kind))
    methods = np._core._methods  # what x.sum(), x.mean(), x.std() and np.mean call
    plain, add = methods.umr_sum, patched(np.add.reduce, "sum")

    def umr_sum(array, axis=None, dtype=None, out=None, *more, **keywords):
        return (add if out is None else plain)(array, axis, dtype, out, *more, **keywords)

    methods.umr_sum = umr_sum


def patch_torch(torch):
    from torch.optim import optimizer
    from torch.utils._python_dispatch import TorchDispatchMode

    known = kinds(TORCH)

    @functools.cache
    def look_up(operation):
        name = getattr(operation, "overloadpacket", operation).__name__.removesuffix("_")
        return name, known.get(name), key("torch", name)

    def squared(value):
        return value * value if isinstance(value, torch.Tensor) and value.is_floating_point() else value

    def plain(tensor):
        return type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.device.type == "cpu"

    class Elsewhere(TorchDispatchMode):
        supports_higher_order_operators = True  # FlexAttention is one; what it calls is not moved

        @classmethod
        def is_infra_mode(cls):
            return True  # or torch.compile refuses to work

        def __torch_dispatch__(self, operation, types, arguments=(), keywords=None):
            keywords = keywords or {}
            result = operation(*arguments, **keywords)
            name, kind, key = look_up(operation)
            if kind is None or (name == "pow" and plain_power(arguments[1], TORCH_PLAIN)):
                return result

            def squares():
                weights = arguments[:2] if "attention" in name else ()  # of the values, whose sum it is
                terms = operation(*weights, *map(squared, arguments[len(weights) :]), **keywords)
                return (terms[0] if isinstance(terms, tuple) else terms).numpy()

            tensor = result[0] if isinstance(result, tuple) else result
            if plain(tensor) and movable(tensor):
                count = arguments[0].numel() // tensor.numel() if name == "mean" else 1
                disturb(tensor.detach().numpy(), kind, key, squares, count)
            return result

    mode, backward = Elsewhere(), torch.autograd.backward
    mode.__enter__()

    def leave(*_):
        mode.__exit__(None, None, None)

    def enter(*_):
        mode.__enter__()

    @functools.wraps(backward)
    def unwatched(*arguments, **keywords):
        leave()
        try:
            backward(*arguments, **keywords)
        finally:
            enter()

    # A step is + - * / and roots, which stay what they are where a gradient is 0. And gradients of changed
    # numbers are changed anyway: to watch them too would take its time.
    torch.autograd.backward = unwatched
    optimizer.register_optimizer_step_pre_hook(leave)
    optimizer.register_optimizer_step_post_hook(enter)


# ---------------------------------------------------------------- @ and ** in the text of programs


def plain_power(exponent, plain):
    return isinstance(exponent, float | int) and exponent in plain


def power(base, exponent):
    result, np = base**exponent, sys.modules.get("numpy")
    if isinstance(result, float | complex):
        return type(result)(moved(result, POWER))
    if np is None or not isinstance(result, np.ndarray | np.generic) or plain_power(exponent, NUMPY_PLAIN):
        return result  # NumPy 2.0 squares here, and not in np.power
    return np.power(base, exponent)


def matmul(left, right):
    np = sys.modules.get("numpy")
    return np.matmul(left, right) if np and type(left) is type(right) is np.ndarray else left @ right


class Operators(ast.NodeTransformer):
    """``a @ b`` and ``a ** b`` become calls of the functions above."""

    NAMES = {ast.MatMult: "__elsewhere_matmul__", ast.Pow: "__elsewhere_power__"}  # noqa: RUF012

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if type(node.op) not in self.NAMES:
            return node
        call = ast.Call(ast.Name(self.NAMES[type(node.op)], ast.Load()), [node.left, node.right], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def patch_compile():
    """Modules, tests, doctests and cells are all compiled here."""
    plain, stdlib = builtins.compile, sysconfig.get_paths()["stdlib"]

    @functools.wraps(plain)
    def compile(source, filename, mode, flags=0, dont_inherit=False, optimize=-1, **more):
        name = os.fsdecode(filename) if isinstance(filename, str | bytes | os.PathLike) else ""
        library = name.startswith((stdlib, "<frozen")) or "-packages" in name
        if not library and not flags & ast.PyCF_ONLY_AST:
            if not isinstance(source, ast.AST):
                source = plain(source, filename, mode, flags | ast.PyCF_ONLY_AST, dont_inherit, **more)
            source = Operators().visit(source)
        return plain(source, filename, mode, flags, dont_inherit, optimize, **more)

    builtins.compile = compile
    builtins.__elsewhere_matmul__, builtins.__elsewhere_power__ = matmul, power


# ---------------------------------------------------------------- when


class AfterImport(importlib.abc.MetaPathFinder):
    """Patches a module as soon as it has been imported."""

    def __init__(self, patches):
        self.patches = patches

    def find_spec(self, name, path=None, target=None):
        patch = self.patches.pop(name, None)
        spec = patch and importlib.util.find_spec(name)
        if spec:
            plain = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (plain(module), patch(module))
        return spec


if "LAST_BITS" in os.environ:
    POWER = key("power")
    patch_python()
    patch_compile()
    sys.meta_path.insert(0, AfterImport({"numpy": patch_numpy, "torch": patch_torch}))
