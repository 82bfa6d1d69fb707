# SPDX-License-Identifier: Apache-2.0
"""What Tensor has besides its C part: operators as methods, signs, indexing."""
from . import _C
from ._C import Tensor
from ._ops import ops


def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """A new tensor of numbers, nested lists of them, or of a buffer, which is copied."""
    if isinstance(data, (list, tuple, bool, int, float, complex)):
        made = _C.literal(data)
        if dtype is None:
            defaults = {_C.float64: _C.float32, _C.complex128: _C.complex64}
            dtype = defaults.get(made.dtype, made.dtype)
    else:
        made = data if isinstance(data, Tensor) else _C.from_buffer(data)
        made = ops.aten.clone(made)
    if dtype is not None and dtype is not made.dtype or device is not None:
        made = ops.aten._to_copy(made, dtype=dtype, device=device)
    if requires_grad:
        made.requires_grad = True
    return made


class _GradMode:
    def __init__(self, on):
        self._on = on

    def __enter__(self):
        self._before = _C.grad_mode(self._on)

    def __exit__(self, *exception):
        _C.grad_mode(self._before)


def no_grad():
    """with opyard.no_grad(): nothing is recorded for backward."""
    return _GradMode(False)


def enable_grad():
    return _GradMode(True)


class _Method:
    """An operator as a method: found when it is asked for."""

    def __init__(self, packet, self_):
        self._packet, self._self = packet, self_

    def __call__(self, *args, **kwargs):
        return self._packet(self._self, *args, **kwargs)


def _getattr(self, name):
    if name.startswith("__") or name not in ops.aten:
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")
    return _Method(getattr(ops.aten, name), self)


def _binary(name, swapped=False):
    def method(self, other):
        if not isinstance(other, (Tensor, bool, int, float, complex)):
            return NotImplemented
        packet = getattr(ops.aten, name)
        return packet(other, self) if swapped else packet(self, other)

    return method


def _index(self, key):
    """x[i], x[i:j:k], x[..., None]: views, one step a dimension."""
    keys = list(key) if isinstance(key, tuple) else [key]
    used = sum(1 for k in keys if k is not None and k is not Ellipsis)
    if used > self.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self.ndim}")
    if Ellipsis in [k for k in keys if not isinstance(k, Tensor)]:
        at = [k is Ellipsis for k in keys].index(True)
        keys[at : at + 1] = [slice(None)] * (self.ndim - used)
    result, dim = self, 0
    for k in keys:
        if k is None:
            result, dim = ops.aten.unsqueeze(result, dim), dim + 1
        elif isinstance(k, slice):
            if k != slice(None):
                step = 1 if k.step is None else k.step
                result = ops.aten.slice(result, dim, k.start, k.stop, step)
            dim += 1
        elif isinstance(k, Tensor):
            before = [None] * dim
            result, dim = ops.aten.index(result, before + [k]), dim + 1
        else:
            result = ops.aten.select(result, dim, k)
    return result


def _len(self):
    if self.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self.shape[0]


def _size(self, dim=None):
    return self.shape if dim is None else self.shape[dim]


_BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "matmul": "matmul",
    "pow": "pow", "mod": "remainder", "floordiv": "floor_divide", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "eq": "eq", "ne": "ne", "lt": "lt",
    "le": "le", "gt": "gt", "ge": "ge",
}

for _sign, _name in _BINARY.items():
    setattr(Tensor, f"__{_sign}__", _binary(_name))
for _sign in ("add", "sub", "mul", "truediv", "pow", "mod", "floordiv"):
    setattr(Tensor, f"__r{_sign}__", _binary(_BINARY[_sign], swapped=True))
for _sign in ("add", "sub", "mul", "truediv"):
    setattr(Tensor, f"__i{_sign}__", _binary(_BINARY[_sign] + "_"))

Tensor.__hash__ = object.__hash__
Tensor.__getattr__ = _getattr
Tensor.__getitem__ = _index
Tensor.__len__ = _len
Tensor.__iter__ = lambda self: (self[i] for i in range(len(self)))
Tensor.__neg__ = lambda self: ops.aten.neg(self)
Tensor.__abs__ = lambda self: ops.aten.abs(self)
Tensor.__invert__ = lambda self: ops.aten.bitwise_not(self)
Tensor.__bool__ = lambda self: bool(self.item())
Tensor.__int__ = lambda self: int(self.item())
Tensor.__float__ = lambda self: float(self.item())
Tensor.size = _size
Tensor.dim = lambda self: self.ndim
