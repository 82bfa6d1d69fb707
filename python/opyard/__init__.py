# SPDX-License-Identifier: Apache-2.0
"""opyard from Python: tensors, and every operator of the registry by its name.

    import opyard
    x = opyard.tensor([[1., 2.], [3., 4.]])
    opyard.add(x, 1)                        # the overload that takes the arguments
    opyard.ops.aten.add.Tensor(x, x)        # that one
    x.sum(0), x @ x, x[0]                   # the same operators as methods
"""
from . import _C
from ._C import *  # noqa: F401,F403  dtypes, layouts, memory formats, the types
from ._C import ArgumentError, Tensor, device, dtype, from_buffer
from ._ops import ops
from ._tensor import enable_grad, no_grad, tensor
from .interop import from_numpy, from_torch, to_torch

__version__ = _C.__version__
half, float, double = _C.float16, _C.float32, _C.float64
short, int, long = _C.int16, _C.int32, _C.int64


def __getattr__(name):
    """Operators of the namespace aten as functions: opyard.add."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(ops.aten, name)
