# SPDX-License-Identifier: Apache-2.0
"""Functions that make arrays."""
import builtins
import math

from .. import _C
from .._C import Tensor
from .._create import tensor
from ..exchange import from_dlpack
from ._core import (DEFAULT_COMPLEX, DEFAULT_INTEGRAL, DEFAULT_REAL, aten, cast, computed,
                    result_type)

__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
    "linspace", "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
]


def _sizes(shape):
    return list(shape) if isinstance(shape, (tuple, list)) else [int(shape)]


def _default_dtype(*values):
    if all(isinstance(value, builtins.bool) for value in values):
        return _C.bool
    if any(isinstance(value, complex) for value in values):
        return DEFAULT_COMPLEX
    return DEFAULT_REAL if any(isinstance(v, float) for v in values) else DEFAULT_INTEGRAL


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """start, start + step, ... below stop; arange(stop) starts at 0."""
    if stop is None:
        start, stop = 0, start
    wanted = dtype or _default_dtype(start, stop, step)
    count = max(math.ceil((stop - start) / step), 0)
    if count == 0:
        return empty(0, dtype=wanted, device=device)
    whole = all(isinstance(value, int) for value in (start, stop, step))
    made = aten.arange(start, stop, step, dtype=_C.int64 if whole else _C.float64)
    return _placed(cast(made, wanted), device)


def _placed(x, device):
    return x if device is None or x.device == device else aten._to_copy(x, device=device)


def _to_tensor(obj, dtype):
    """Numbers and nested sequences, in which there may be arrays without dimensions."""
    if isinstance(obj, (builtins.bool, int, float, complex, list, tuple)):
        return tensor(_plain(obj), dtype=dtype)
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    return _C.from_buffer(obj)


def _plain(obj):
    if isinstance(obj, (list, tuple)):
        return [_plain(item) for item in obj]
    return obj.item() if isinstance(obj, Tensor) else obj


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of numbers, sequences or another array, on the same memory if it can be and
    copy does not say otherwise."""
    if isinstance(obj, Tensor):
        made, is_new = obj, False
    else:
        is_new = isinstance(obj, (builtins.bool, int, float, complex, list, tuple))
        if is_new and copy is False:
            raise ValueError("asarray() of numbers and sequences needs a copy")
        made = _to_tensor(obj, dtype)
    wanted = dtype or made.dtype
    moved = device is not None and made.device != device
    if copy is False and (wanted is not made.dtype or moved):
        raise ValueError(f"asarray() needs a copy to give {wanted} of {made.dtype}")
    result = _placed(cast(made, wanted), device)
    return aten.clone(result) if copy and not is_new and result is made else result


def empty(shape, *, dtype=None, device=None):
    return aten.empty(_sizes(shape), dtype=dtype or DEFAULT_REAL, device=device)


def zeros(shape, *, dtype=None, device=None):
    return aten.zeros(_sizes(shape), dtype=dtype or DEFAULT_REAL, device=device)


def ones(shape, *, dtype=None, device=None):
    return aten.ones(_sizes(shape), dtype=dtype or DEFAULT_REAL, device=device)


def full(shape, fill_value, *, dtype=None, device=None):
    wanted = dtype or _default_dtype(fill_value)
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    one = _placed(asarray(fill_value, dtype=wanted), device)
    return aten.clone(aten.expand(one, _sizes(shape)), memory_format=_C.contiguous_format)


def empty_like(x, /, *, dtype=None, device=None):
    return empty(tuple(x.shape), dtype=dtype or x.dtype, device=device or x.device)


def zeros_like(x, /, *, dtype=None, device=None):
    return zeros(tuple(x.shape), dtype=dtype or x.dtype, device=device or x.device)


def ones_like(x, /, *, dtype=None, device=None):
    return ones(tuple(x.shape), dtype=dtype or x.dtype, device=device or x.device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return full(tuple(x.shape), fill_value, dtype=dtype or x.dtype, device=device or x.device)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on the k-th diagonal."""
    columns = n_rows if n_cols is None else n_cols
    made = aten.zeros([n_rows, columns], dtype=dtype or DEFAULT_REAL, device=device)
    if -n_rows < k < columns:
        aten.fill_(aten.diagonal(made, k), 1)
    return made


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """num numbers from start to stop, with it or, without endpoint, up to before it."""
    wanted = dtype or (DEFAULT_COMPLEX if complex in (type(start), type(stop))
                       else DEFAULT_REAL)
    if not endpoint:
        stop = start + (stop - start) * (num - 1) / num if num > 0 else stop
    computed_in = _C.complex128 if wanted.is_complex else _C.float64
    if wanted.is_complex:
        start, stop = complex(start), complex(stop)
        parts = [aten.linspace(a, b, num, dtype=_C.float64)
                 for a, b in ((start.real, stop.real), (start.imag, stop.imag))]
        made = aten.complex(*parts)
    else:
        made = aten.linspace(start, stop, num, dtype=computed_in)
    return _placed(cast(made, wanted), device)


def meshgrid(*arrays, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}")
    if not arrays:
        return []
    dtype = result_type(*arrays)
    return list(aten.meshgrid([cast(x, dtype) for x in arrays], indexing=indexing))


def _check_matrix(x, name):
    if x.ndim < 2:
        raise ValueError(f"{name}() expects an array of at least 2 dimensions, got {x.ndim}")


def tril(x, /, *, k=0):
    """What is on and below the k-th diagonal, and zeros."""
    _check_matrix(x, "tril")
    return cast(aten.tril(computed(x), k), x.dtype)


def triu(x, /, *, k=0):
    """What is on and above the k-th diagonal, and zeros."""
    _check_matrix(x, "triu")
    return cast(aten.triu(computed(x), k), x.dtype)
