# SPDX-License-Identifier: Apache-2.0
"""Dtypes as the array API standard promotes them, and unsigned integers in dtypes that the
operators compute in.

The operators know uint16, uint32 and uint64 as storage alone, as PyTorch's do. The first two
fit into a wider signed dtype; uint64 is computed in the bits of int64, which is right modulo
2**64, and is compared with its sign bit turned over, which keeps the order.
"""
from .. import _C
from .._ops import ops

aten = ops.aten

BOOL = _C.bool
SIGNED = (_C.int8, _C.int16, _C.int32, _C.int64)
UNSIGNED = (_C.uint8, _C.uint16, _C.uint32, _C.uint64)
REAL = (_C.float32, _C.float64)
COMPLEX = (_C.complex64, _C.complex128)
INTEGRAL = SIGNED + UNSIGNED
ALL = (BOOL,) + SIGNED + UNSIGNED + REAL + COMPLEX

DEFAULT_REAL, DEFAULT_COMPLEX, DEFAULT_INTEGRAL = _C.float32, _C.complex64, _C.int64

_COMPUTED = {_C.uint16: _C.int32, _C.uint32: _C.int64, _C.uint64: _C.int64}
_LEAST = -(2**63)


def is_floating(dtype):
    return dtype.is_floating_point or dtype.is_complex


def cast(x, dtype):
    return x if x.dtype is dtype else aten._to_copy(x, dtype=dtype)


# ---------------------------------------------------------------- promotion



def _promote_integers(a, b):
    if (a in SIGNED) == (b in SIGNED):
        return a if a.itemsize >= b.itemsize else b
    signed, unsigned = (a, b) if a in SIGNED else (b, a)
    if unsigned is _C.uint64:
        raise TypeError(f"no type that holds both {a} and {b}")
    if signed.itemsize > unsigned.itemsize:
        return signed
    return SIGNED[UNSIGNED.index(unsigned) + 1]


def _promote_floating(a, b):
    """Where one is an integer or bool, the other's dtype."""
    if not is_floating(a) or not is_floating(b):
        return a if is_floating(a) else b
    if a.is_complex == b.is_complex:
        return a if a.itemsize >= b.itemsize else b
    made, real = (a, b) if a.is_complex else (b, a)
    return _C.complex128 if real is _C.float64 else made


def promote(a, b):
    if a is b:
        return a
    if is_floating(a) or is_floating(b):
        return _promote_floating(a, b)
    if BOOL in (a, b):
        return b if a is BOOL else a
    return _promote_integers(a, b)


def _promote_number(dtype, number):
    """What a number of Python makes of the dtype of the arrays beside it."""
    if isinstance(number, complex) and not dtype.is_complex:
        return _C.complex128 if dtype is _C.float64 else DEFAULT_COMPLEX
    if isinstance(number, float) and not is_floating(dtype):
        return DEFAULT_REAL
    return DEFAULT_INTEGRAL if dtype is BOOL and not isinstance(number, bool) else dtype


def result_type(*arrays_and_dtypes):
    """The dtype that an operation on all of these has. Arrays without dimensions count like
    all others; numbers count by their kind."""
    result, numbers = None, []
    for item in arrays_and_dtypes:
        if isinstance(item, (bool, int, float, complex)):
            numbers.append(item)
            continue
        dtype = item if isinstance(item, _C.dtype) else item.dtype
        result = dtype if result is None else promote(result, dtype)
    if result is None:
        raise ValueError("result_type() expects at least one array or dtype")
    for number in numbers:
        result = _promote_number(result, number)
    return result


def to_common(*arrays):
    dtype = result_type(*arrays)
    return [cast(x, dtype) for x in arrays], dtype


# ------------------------------------------------------- unsigned integers


def computed(x):
    """x in a dtype that operators have."""
    return cast(x, _COMPUTED.get(x.dtype, x.dtype))


def ordered(x):
    """x in a dtype that operators compare, in the same order."""
    if x.dtype is _C.uint64:
        return aten.bitwise_xor(cast(x, _C.int64), _LEAST)
    return computed(x)


def from_ordered(x, dtype):
    return cast(aten.bitwise_xor(x, _LEAST) if dtype is _C.uint64 else x, dtype)


# -------------------------------------------------------------------- axes


def normal_axes(axis, ndim):
    """A tuple of axes from 0 on; None: all."""
    if axis is None:
        return tuple(range(ndim))
    axes = []
    for a in axis if isinstance(axis, (tuple, list)) else (axis,):
        if not -ndim <= a < ndim:
            raise IndexError(f"axis {a} is out of bounds for an array of {ndim} dimensions")
        axes.append(a % ndim)
    if len(set(axes)) != len(axes):
        raise ValueError(f"an axis is given twice in {axis}")
    return tuple(axes)
