"""Exercises of lesson 05, PyTorch."""

import math

import torch
from torch import nn

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)


def _look_at_table(function, seq_len, d_model, look_at="values"):
    if look_at == "dtype follows the default":
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            return getattr(function(seq_len, d_model), "dtype", None) == torch.float64
        finally:
            torch.set_default_dtype(before)
    table = function(seq_len, d_model)
    if look_at == "is a tensor":
        return isinstance(table, torch.Tensor)
    if look_at == "dtype is the default":
        return getattr(table, "dtype", None) == torch.get_default_dtype()
    if look_at == "needs a gradient":
        return getattr(table, "requires_grad", False)
    return table


sinusoidal_torch = lesson.exercise(
    "sinusoidal_torch",
    mine="my_sinusoidal",
    probes=((5, 4), (3, 6), (4, 4), (3, 10)),
    edge_probes=(
        (4, 5),
        (2, 3),
        (1, 4),
        (260, 12),
        (2060, 2),  # positions in float16 are whole up to 2048
        (3, 4, "is a tensor"),
        (3, 4, "dtype is the default"),
        (3, 4, "dtype follows the default"),
        (3, 4, "needs a gradient"),
    ),
    use=_look_at_table,
    says={
        "is a tensor": "Your function does not return a torch.Tensor.",
        "dtype is the default": "Your table does not have the dtype of torch.get_default_dtype().",
        "dtype follows the default": (
            "With float64 as the default dtype, your table should be float64 as well. "
            "Does your function call torch.get_default_dtype()?"
        ),
        "needs a gradient": "Your table requires a gradient, but there is nothing to learn in it.",
    },
    # of every second trial, an odd width that is in none
    redraw=lambda draw, seq_len, d_model: (draw.randint(2, 24), 2 * draw.randint(3, 180) + (seq_len == 3)),
)


def _look_at_module(module_class, look_at, x, max_len):
    module = module_class(x.shape[2], max_len=max_len).eval()
    if getattr(module.forward, "__func__", None) is nn.Module.forward:
        raise AttributeError("`forward` is not defined in the class: is it indented under `__init__`?")
    if look_at == "output":
        out = module(x)
        if not isinstance(out, torch.Tensor):
            return out
        # a module that returns the table alone may do so with or without a batch axis
        return out.expand(x.shape) if out.ndim < 3 or len(out) == 1 else out
    if look_at == "the same in training":
        return torch.equal(module.train()(x.clone()), module.eval()(x.clone()))
    if look_at == "shape":
        return list(module(x).shape)
    if look_at == "dtype":
        return module(x).dtype == x.dtype
    if look_at == "gradient":
        x.requires_grad_()
        out = module(x)
        if out.requires_grad:
            out.sum().backward()
        return x.grad is not None
    if look_at == "trainable numbers":
        return sum(parameter.numel() for parameter in module.parameters() if parameter.requires_grad)
    if look_at == "parameters":
        return len(list(module.parameters()))
    if look_at == "entries of the checkpoint":
        return len(module.state_dict())
    if look_at == "float16 after .half()":
        return module.half()(x.half()).dtype == torch.float16
    if look_at == "moves to another device":
        module.to("meta")  # a device without memory; calling the module there costs seconds of imports
        held = [*module.buffers(), *module.parameters()]
        for value in vars(module).values():
            held += value if isinstance(value, list | tuple) else [value]
        return all(value.is_meta for value in held if isinstance(value, torch.Tensor))
    # 0 for the ValueError asked for, 1 for an error from deep inside, 2 for silence
    try:
        module(x)
    except ValueError:
        return 0
    except Exception:
        return 1
    return 2


def _ramp(*shape):
    return torch.linspace(-1.0, 2.0, math.prod(shape)).reshape(shape)


encoding_module = lesson.exercise(
    "encoding_module",
    mine="MyEncoding",
    probes=(("output", _ramp(2, 3, 4), 8), ("output", _ramp(3, 5, 6), 5), ("output", _ramp(4, 4, 10), 9)),
    edge_probes=(
        ("output", _ramp(2, 6, 4), 8),
        ("shape", _ramp(1, 3, 4), 8),
        ("dtype", _ramp(2, 3, 4), 8),
        ("gradient", _ramp(2, 3, 4), 8),
        ("trainable numbers", _ramp(2, 3, 4), 8),
        ("parameters", _ramp(2, 3, 4), 8),
        ("entries of the checkpoint", _ramp(2, 3, 4), 8),
        ("float16 after .half()", _ramp(2, 3, 4), 8),
        ("moves to another device", _ramp(2, 3, 4), 8),
        ("longer than max_len", _ramp(2, 9, 4), 8),
        ("longer than max_len", _ramp(2, 5, 4), 4),
        ("output", _ramp(2, 12, 4), 12),
        ("the same in training", _ramp(2, 6, 4), 8),
        ("output", _ramp(6, 2, 4), 4),  # more sentences than max_len
        ("output", _ramp(2, 6, 1), 16),  # a single column: an axis of length 1 that has to stay
    ),
    use=_look_at_module,
    call=lambda name, look_at, x, max_len: (
        f"{name}({x.size(2)}, max_len={max_len}).forward(<{' x '.join(map(str, x.shape))} numbers>)"
    ),
    says={
        "the same in training": "Your module gives a different output in training. Is there dropout in it?",
        "shape": "With a batch of 1 your output does not have the shape of the input.",
        "dtype": "Your output does not have the dtype of the input.",
        "gradient": "The gradient of your output does not reach the input, so no layer before it can learn.",
        "trainable numbers": "Your module has trainable parameters, but the encoding is fixed.",
        "parameters": "Your module has parameters, trainable or frozen. A fixed table should not be one.",
        "entries of the checkpoint": "Your state_dict() is not empty. Nothing here belongs in a checkpoint.",
        "moves to another device": (
            "After .to(device) your table is still where it was, and has to be copied in every call. "
            "Which method of nn.Module tells it that a tensor belongs to it?"
        ),
        "float16 after .half()": "After .half() your output for a float16 input is not float16.",
        "longer than max_len": "Your module does not raise a ValueError for an input longer than max_len.",
    },
)

buffer_question = lesson.question("buffer_question")
quiz_pytorch = lesson.quiz("quiz_pytorch")
