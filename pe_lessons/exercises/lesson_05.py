"""Exercises of lesson 05, PyTorch."""

import math

import torch
from torch import nn

from pe_lessons import tensors
from pe_lessons.exercises import _sinusoidal_slips as slips
from pe_lessons.exercises.engine import Exercise, Question, Slip


def sinusoidal(seq_len, d_model):
    positions = torch.arange(seq_len, dtype=torch.float64)[:, None]  # (seq_len, 1)
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model  # (n_pairs,)
    angles = positions * 10_000**-exponents  # (seq_len, n_pairs)
    table = torch.empty(seq_len, d_model, dtype=torch.float64)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles[:, : d_model // 2])
    return table.to(torch.get_default_dtype())


class Encoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.register_buffer("table", tensors.sinusoidal(max_len, d_model), persistent=False)

    def forward(self, x):  # (batch, seq_len, d_model)
        seq_len, max_len = x.size(1), self.table.size(0)
        if seq_len > max_len:
            raise ValueError(f"seq_len is {seq_len}, but max_len is {max_len}")
        return x + self.table[:seq_len].to(x.dtype)


def _look_at_table(function, seq_len, d_model, look_at="values"):
    table = function(seq_len, d_model)
    if look_at == "is a tensor":
        return isinstance(table, torch.Tensor)
    if look_at == "dtype is the default":
        return getattr(table, "dtype", None) == torch.get_default_dtype()
    return table


def _to_tensor(table):
    return torch.tensor(table, dtype=torch.get_default_dtype())


def _torch_table_with(result=_to_tensor, **pieces):
    table = slips.table_with(**pieces)
    return lambda seq_len, d_model: result(table(seq_len, d_model))


sinusoidal_torch = Exercise(
    name="sinusoidal_torch",
    reference=tensors.sinusoidal,
    answer=sinusoidal,
    probes=slips.PROBES,
    edge_probes=(*slips.EDGE_PROBES, (3, 4, "is a tensor"), (3, 4, "dtype is the default")),
    use=_look_at_table,
    says={
        "is a tensor": "What comes back is not a torch.Tensor.",
        "dtype is the default": "The table has another dtype than torch.get_default_dtype().",
    },
    slips=(
        *slips.TABLE_SLIPS,
        Slip(
            "not a tensor",
            "The numbers are right, but they are not in a torch.Tensor, so no model can add them to its "
            "embeddings.",
            "result",
            lambda table: table.tolist(),
        ),
        Slip(
            "float64 table",
            "The numbers are right, but stay in float64. Added to float32 embeddings they make the whole "
            "sum float64, and the next layer refuses it: convert the finished table to "
            "torch.get_default_dtype().",
            "result",
            torch.tensor,
        ),
    ),
    build=_torch_table_with,
    misconceptions=(
        slips.brackets_missing(_torch_table_with),
        slips.whole_number_division(_torch_table_with),
    ),
    hints=(
        "Line by line it is the NumPy version: torch.arange, torch.sin and slices work alike.",
        "Give torch.arange the dtype torch.float64: angles are large numbers, and their digits after the "
        "point are what the sine needs.",
        "Fill an empty float64 table, and at the very end return table.to(torch.get_default_dtype()).",
    ),
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


def _keep(module, table):
    module.register_buffer("table", table, persistent=False)


def _keep_persistent(module, table):
    module.register_buffer("table", table)


def _keep_attribute(module, table):
    module.table = table


def _keep_parameter(module, table):
    module.table = nn.Parameter(table)


def _rows(table, length):
    if length > len(table):
        raise ValueError(f"x is longer than max_len = {len(table)}")
    return table[:length]


def _rows_up_to_d_model(table, length):
    if length > table.size(1):
        raise ValueError(f"x is longer than {table.size(1)}")
    return table[:length]


def _call_of_module(name, look_at, x, max_len):
    shape = " x ".join(map(str, x.shape))
    return f"{name}({x.size(2)}, max_len={max_len}).forward(<{shape} numbers>)"


def _in_place(x, rows):
    x += rows
    return x


def _module_with(
    keep=_keep,
    rows=_rows,
    select=lambda rows, table, x: rows(table, x.size(1)),
    add=lambda x, rows: x + rows,
    dtype=torch.float32,
    **pieces,
):
    make_table = slips.table_with(**pieces)

    class Encoding(nn.Module):
        def __init__(self, d_model, max_len):
            super().__init__()
            keep(self, torch.tensor(make_table(max_len, d_model), dtype=dtype))

        def forward(self, x):
            return add(x, select(rows, self.table, x).to(self.table.dtype))

    return Encoding


def _ramp(*shape):
    return torch.linspace(-1.0, 2.0, math.prod(shape)).reshape(shape)


# Slips of the table that say little inside a module, or do not show in a few rows of float32.
NOT_IN_A_MODULE = {
    "base and exponent exchanged",
    "transposed",
    "row 0 zeroed",
    "float32 angles",
    "float16 angles",
    "rounded to 4 decimals",
    "rounded to 3 decimals",
    "whole numbers",
    "crash on odd d_model",
}

encoding_module = Exercise(
    name="encoding_module",
    reference=tensors.SinusoidalEncoding,
    answer=Encoding,
    probes=(("output", _ramp(2, 3, 4), 8), ("output", _ramp(3, 5, 6), 5), ("output", _ramp(4, 4, 10), 9)),
    edge_probes=(
        ("output", _ramp(2, 6, 4), 8),
        ("shape", _ramp(1, 3, 4), 8),
        ("dtype", _ramp(2, 3, 4), 8),
        ("gradient", _ramp(2, 3, 4), 8),
        ("trainable numbers", _ramp(2, 3, 4), 8),
        ("entries of the checkpoint", _ramp(2, 3, 4), 8),
        ("moves to another device", _ramp(2, 3, 4), 8),
        ("float16 after .half()", _ramp(2, 3, 4), 8),
        ("longer than max_len", _ramp(2, 9, 4), 8),
    ),
    use=_look_at_module,
    call=_call_of_module,
    says={
        "shape": "With a batch of 1 the output does not have the shape of the input.",
        "dtype": "The output has another dtype than the input.",
        "gradient": "The gradient of the output does not reach the input, so nothing before can learn.",
        "trainable numbers": "The module has trainable parameters, but the encoding is fixed.",
        "entries of the checkpoint": "state_dict() is not empty: nothing of this belongs in a checkpoint.",
        "moves to another device": "After .to(device) the table did not come along.",
        "float16 after .half()": "After .half() the output for a float16 input is not float16.",
        "longer than max_len": "An input longer than max_len does not raise a ValueError.",
    },
    slips=(
        Slip(
            "added along the batch axis",
            "Every position of a sample gets the same vector: the rows of the table were chosen by the "
            "number of the sample. In (batch, seq_len, d_model), which axis counts the positions?",
            "select",
            lambda rows, table, x: rows(table, x.size(0))[:, None],
        ),
        Slip(
            "one row for all positions",
            "Every position gets row 0. The table has one row per position: how many of them does x need?",
            "select",
            lambda rows, table, x: rows(table, 1),
        ),
        Slip(
            "last rows of the table",
            "The rows come from the end of the table. The first token has position 0: count from the top.",
            "select",
            lambda rows, table, x: table[-x.size(1) :],
        ),
        Slip(
            "added twice",
            "The encoding is added twice. Is there a sum in forward and another where its result is used?",
            "add",
            lambda x, rows: x + rows + rows,
        ),
        Slip(
            "table alone",
            "Only the table comes back, and the embeddings are lost. What is to be added to what?",
            "add",
            lambda x, rows: rows,
        ),
        Slip(
            "multiplied instead of added",
            "The embeddings are multiplied by the encoding. Where a sine is 0, the word is wiped out: add.",
            "add",
            lambda x, rows: x * rows,
        ),
        Slip(
            "subtracted",
            "The encoding is subtracted. The paper adds it to the embeddings.",
            "add",
            lambda x, rows: x - rows,
        ),
        Slip(
            "embeddings scaled",
            "The embeddings are multiplied by the root of d_model first. The paper does this in the "
            "embedding layer; this module is to add, and nothing else.",
            "add",
            lambda x, rows: x * math.sqrt(x.size(2)) + rows,
        ),
        Slip(
            "concatenated",
            "The encoding is put beside the embeddings, so the output is twice as wide. It is to be added.",
            "add",
            lambda x, rows: torch.cat([x, rows.expand(x.shape)], dim=2),
        ),
        Slip(
            "input modified in place",
            "The module changes its own input: x += ... writes into the caller's tensor. Make a new one: x "
            "+ ...",
            "add",
            _in_place,
        ),
        Slip(
            "detached",
            "The embeddings are detached from the graph, so they can never be trained: no gradient comes "
            "through. Add to x as it is.",
            "add",
            lambda x, rows: x.detach() + rows,
        ),
        Slip(
            "squeezed",
            "A batch of 1 loses its first axis: .squeeze() takes away every axis of length 1. The output has "
            "the shape of the input.",
            "add",
            lambda x, rows: (x + rows).squeeze(0),
        ),
        Slip(
            "float64 buffer",
            "The table is kept in float64, and makes the output float64 too; the next layer refuses that. "
            "Convert the finished table, or its rows to x.dtype.",
            "dtype",
            torch.float64,
        ),
        Slip(
            "not a buffer",
            "The table is a plain attribute, so .to(device) and .half() leave it behind. Which method of "
            "nn.Module tells it that a tensor belongs to it?",
            "keep",
            _keep_attribute,
        ),
        Slip(
            "persistent buffer",
            "The table goes into every checkpoint, and max_len with it: a model saved with one length "
            "cannot be loaded with another. Look at the last argument of register_buffer.",
            "keep",
            _keep_persistent,
        ),
        Slip(
            "trainable parameter",
            "The table is a parameter, so training would change it. The sines are fixed: what else can a "
            "module keep a tensor in?",
            "keep",
            _keep_parameter,
        ),
        Slip(
            "silent beyond max_len",
            "A sentence longer than max_len raises no error. Raise a ValueError that names both lengths: "
            "`raise`, not `return` or `print`.",
            "rows",
            lambda table, length: table[torch.arange(length) % len(table)],
        ),
        Slip(
            "length compared with d_model",
            "A sentence longer than d_model is refused. Its length is to be compared with max_len, the "
            "number of rows.",
            "rows",
            _rows_up_to_d_model,
        ),
        Slip(
            "unclear error beyond max_len",
            "A sentence longer than max_len stops with another error than a ValueError. If it comes from "
            "deep inside, compare the number of tokens, axis 1 of x, with max_len first; then raise a "
            "ValueError that says what is wrong.",
            "rows",
            lambda table, length: table[:length],
        ),
        *(slip for slip in slips.TABLE_SLIPS if slip.name not in NOT_IN_A_MODULE),
    ),
    build=_module_with,
    hints=(
        "Make the table once, in __init__, for max_len positions. In forward only the first rows are "
        "needed: which axis of x says how many?",
        "self.register_buffer(name, table, persistent=False) keeps a tensor that moves with the module but "
        "is neither trained nor saved.",
        "forward: compare x.size(1) with the rows there are, raise a ValueError if it is more, and return "
        "x plus the first x.size(1) rows. The batch axis needs nothing: it broadcasts.",
    ),
)

buffer_question = Question(
    name="buffer_question",
    prompt="Three modules keep the same table: A as a plain attribute, B as a buffer, C as a buffer with "
    "`persistent=False`. What is true?",
    choices={
        "a": (
            "training changes the table of B",
            False,
            "A buffer is no parameter: training changes what is in module.parameters() and nothing else.",
        ),
        "b": (
            "`.to(device)` leaves the table of A behind",
            True,
            "A module moves its parameters and buffers; of a plain attribute it knows nothing.",
        ),
        "c": (
            "a checkpoint of C contains the table",
            False,
            "Not persistent means: not in state_dict, so not in the checkpoint.",
        ),
        "d": (
            "a checkpoint of B saved with max_len 5000 fits only a module with max_len 5000",
            True,
            "The table of B is part of the checkpoint, and load_state_dict compares shapes.",
        ),
        "e": (
            "`.half()` converts the table of C",
            True,
            "Persistent or not, a buffer follows its module to another device and to another dtype.",
        ),
    },
    hints=(
        "Ask three things of each: does it move with the module, is it saved, is it trained?",
        "Buffers move. Persistent ones are saved too. Only parameters are trained.",
    ),
)
