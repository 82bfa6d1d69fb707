# SPDX-License-Identifier: Apache-2.0
"""Functions about dtypes."""
from .. import _C
from ._core import (BOOL, COMPLEX, INTEGRAL, REAL, SIGNED, UNSIGNED, aten, cast,
                    is_floating, promote, result_type)

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

_KINDS = {
    "bool": (BOOL,), "signed integer": SIGNED, "unsigned integer": UNSIGNED,
    "integral": INTEGRAL, "real floating": REAL, "complex floating": COMPLEX,
    "numeric": INTEGRAL + REAL + COMPLEX,
}

# Bits of the significand, without the leading one; exponent of the largest power of two.
_FLOATS = {_C.float16: (10, 15), _C.bfloat16: (7, 127), _C.float32: (23, 127),
           _C.float64: (52, 1023)}


def astype(x, dtype, /, *, copy=True, device=None):
    if x.dtype.is_complex and dtype in INTEGRAL + REAL:
        raise TypeError(f"cannot cast {x.dtype} to {dtype}: take real() or imag() first")
    if device is not None and x.device != device:
        return aten._to_copy(x, dtype=dtype, device=device)
    result = cast(x, dtype)
    return aten.clone(x) if copy and result is x else result


def can_cast(from_, to, /):
    """Whether every value of the one, an array or dtype, has a place in the other."""
    dtype = from_ if isinstance(from_, _C.dtype) else from_.dtype
    if is_floating(to) and not is_floating(dtype) or dtype is BOOL and to is not BOOL:
        return False  # kinds that the standard does not mix
    try:
        return promote(dtype, to) is to
    except TypeError:
        return False


def isdtype(dtype, kind):
    """kind: a dtype, the name of a kind, or a tuple of those, any of which will do."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, _C.dtype):
        return dtype is kind
    if kind not in _KINDS:
        raise ValueError(f"expected a dtype or one of {', '.join(_KINDS)}, got {kind!r}")
    return dtype in _KINDS[kind]


def _dtype_of(type):
    return type if isinstance(type, _C.dtype) else type.dtype


class finfo:
    """The limits of a floating dtype, or of the parts of a complex one."""

    def __init__(self, type, /):
        self.dtype = _dtype_of(type)
        if self.dtype.is_complex:
            self.dtype = _C.float32 if self.dtype is _C.complex64 else _C.float64
        if self.dtype not in _FLOATS:
            raise TypeError(f"finfo() expects a floating dtype, got {self.dtype}")
        digits, largest = _FLOATS[self.dtype]
        self.bits = 8 * self.dtype.itemsize
        self.eps = 2.0**-digits
        self.max = (2 - self.eps) * 2.0**largest
        self.min = -self.max
        self.smallest_normal = self.tiny = 2.0 ** (1 - largest)

    def __repr__(self):
        return (f"finfo(bits={self.bits}, eps={self.eps}, max={self.max}, min={self.min}, "
                f"smallest_normal={self.smallest_normal}, dtype={self.dtype.name})")


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, type, /):
        self.dtype = _dtype_of(type)
        if self.dtype not in INTEGRAL:
            raise TypeError(f"iinfo() expects an integer dtype, got {self.dtype}")
        self.bits = 8 * self.dtype.itemsize
        signed = self.dtype in SIGNED
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -self.max - 1 if signed else 0

    def __repr__(self):
        return f"iinfo(bits={self.bits}, max={self.max}, min={self.min}, dtype={self.dtype.name})"


