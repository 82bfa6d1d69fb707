# SPDX-License-Identifier: Apache-2.0
"""op_db, and inputs that its samples leave out: layouts, edges of the value range."""
import functools
import sys
import types
import unittest

# torch.testing._internal wants this module for tests of its own alone.
_stand_in = types.ModuleType("expecttest")
_stand_in.TestCase, _stand_in.ACCEPT = unittest.TestCase, False
sys.modules.setdefault("expecttest", _stand_in)

import torch
from torch.testing._internal import common_methods_invocations as invocations
from torch.testing._internal.common_device_type import tol, toleranceOverride
from torch.testing._internal.opinfo import core

op_db = invocations.op_db
# Debian's PyTorch 1.13 gives 0 for these in complex numbers: it calls its BLAS by another
# convention than that has.
WRONG_IN_COMPLEX = ("dot", "vdot")


def entry_name(op):
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def dtypes(op):
    """float32 first: the others are read against it."""
    found = sorted(op.supported_dtypes("cpu"), key=str)
    return sorted(found, key=lambda dtype: dtype is not torch.float32)


def tolerance(op, dtype):
    """(rtol, atol) that PyTorch's own tests of the operator allow."""
    rtol = atol = 0.0
    for decorator in op.decorators or ():
        for inner in getattr(decorator, "decorators", ()):
            if isinstance(inner, toleranceOverride) and dtype in inner.d:
                allowed = inner.d[dtype]
                rtol, atol = max(rtol, allowed.rtol), max(atol, allowed.atol)
    return rtol, atol


def _detached(value):
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, (list, tuple)):
        return type(value)(_detached(v) for v in value) if type(value) in (list, tuple) \
            else value
    return value


def samples(op, dtype):
    """(input, args, kwargs) of op_db."""
    for s in op.sample_inputs("cpu", dtype, requires_grad=False):
        yield (_detached(s.input), tuple(_detached(a) for a in s.args),
               {k: _detached(a) for k, a in s.kwargs.items()}, s.broadcasts_input)


def errors(op):
    if op.error_inputs_func is None:
        return
    for e in op.error_inputs("cpu"):
        s = e.sample_input
        yield s.input, s.args, s.kwargs, e.error_regex


# ------------------------------------------------------------------ extra inputs

def edges(dtype):
    """Values where kernels go wrong."""
    if dtype is torch.bool:
        return torch.tensor([True, False, True, True])
    if dtype.is_complex:
        part = [0.0, -0.0, 1.0, -2.5, float("inf"), float("nan")]
        return torch.tensor([complex(a, b) for a in part for b in part], dtype=dtype)
    if dtype.is_floating_point:
        info = torch.finfo(dtype)
        values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, info.max, info.min, info.tiny,
                  info.tiny / 4, -info.tiny / 4, info.eps, float("inf"), float("-inf"),
                  float("nan")]
        return torch.tensor(values, dtype=torch.float64).to(dtype)
    info = torch.iinfo(dtype)
    return torch.tensor([0, 1, 2, 7, info.max, info.min, info.max - 1], dtype=dtype)


def _base(dtype, count):
    generator = torch.Generator().manual_seed(count)
    if dtype is torch.bool:
        return torch.randint(0, 2, (count,), generator=generator).bool()
    if dtype.is_complex or dtype.is_floating_point:
        wide = torch.complex128 if dtype.is_complex else torch.float64
        return (torch.randn(count, dtype=wide, generator=generator) * 2).to(dtype)
    return torch.randint(0 if dtype is torch.uint8 else -9, 10, (count,),
                         generator=generator).to(dtype)


def layouts(dtype):
    """The same few numbers in every layout."""
    x = _base(dtype, 60)
    return {
        "contiguous": x[:12].view(3, 4),
        "transposed": x[:12].view(4, 3).t(),
        "strided": x[:48].view(6, 8)[::2, ::2],
        "offset": x[5:17].view(3, 4),
        "expanded": x[:4].view(1, 4).expand(3, 4),
        "expanded column": x[:3].view(3, 1).expand(3, 4),
        "permuted": x[:24].view(2, 3, 4).permute(2, 0, 1),
        "channels last": x[:48].view(2, 2, 3, 4).to(memory_format=torch.channels_last),
        "no rows": x[:0].view(0, 4),
        "no columns": x[:0].view(3, 0),
        "rank 0": x[7].clone(),
        "one element": x[3:4],
        "overlap": x.as_strided((3, 4), (1, 1)),
        "long row": _base(dtype, 1031),
    }


def _unary(op, dtype):
    kwargs = op.sample_kwargs("cpu", dtype, None)[0] if op.sample_kwargs else {}
    yield edges(dtype), (), kwargs
    for x in layouts(dtype).values():
        yield x, (), kwargs


def _binary(op, dtype):
    edge, shapes = edges(dtype), layouts(dtype)
    # PyTorch's do not come back from the smallest number, or count up to the greatest.
    if op.name in ("gcd", "lcm") or "polynomial" in op.name:
        edge = edge[(edge >= 0) & (edge < 100)]
    yield edge.view(-1, 1), (edge,), {}
    full = ("contiguous", "transposed", "strided", "expanded", "overlap")
    for first in full:
        for second in full + ("rank 0", "one element", "expanded column"):
            yield shapes[first], (shapes[second],), {}
    for name in ("no rows", "rank 0", "permuted", "channels last", "long row"):
        yield shapes[name], (shapes[name],), {}
        yield shapes[name], (shapes["rank 0"],), {}
        yield shapes["rank 0"], (shapes[name],), {}
    # Promotion between the dtypes of two tensors.
    for other in (torch.bool, torch.uint8, torch.int32, torch.int64, torch.float16,
                  torch.bfloat16, torch.float32, torch.float64, torch.complex64):
        yield shapes["contiguous"], (layouts(other)["transposed"],), {}
        yield shapes["contiguous"], (layouts(other)["rank 0"],), {}


def _reduction(op, dtype):
    yield edges(dtype), (), {}
    for x in layouts(dtype).values():
        yield x, (), {}
        for dim in range(-1, x.dim()):
            yield x, (), {"dim": dim}
            yield x, (), {"dim": dim, "keepdim": True}
        if op.supports_multiple_dims and x.dim() > 1:
            yield x, (), {"dim": (0, -1)}
            yield x, (), {"dim": tuple(range(x.dim())), "keepdim": True}


def extra(op, dtype):
    """Inputs of our own; those that PyTorch refuses are left out by the caller."""
    kinds = ((core.UnaryUfuncInfo, _unary), (core.BinaryUfuncInfo, _binary),
             (core.ReductionOpInfo, _reduction))
    for kind, make in kinds:
        if isinstance(op, kind):
            yield from make(op, dtype)
            return
