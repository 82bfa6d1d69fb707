# SPDX-License-Identifier: Apache-2.0
"""Functions of one element of each array."""
import math

from .. import _C
from .._C import Tensor
from .._create import tensor
from ._core import (BOOL, INTEGRAL, UNSIGNED, aten, cast, computed, from_ordered,
                    is_floating, ordered, to_common)

__all__ = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "ceil", "clip", "conj", "copysign", "cos", "cosh", "divide", "equal", "exp", "expm1",
    "floor", "floor_divide", "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf",
    "isnan", "less", "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative",
    "not_equal", "positive", "pow", "real", "remainder", "round", "sign", "signbit", "sin",
    "sinh", "sqrt", "square", "subtract", "tan", "tanh", "trunc",
]


def _named(function, name, what):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = what
    return function


def _unary(name, op=None):
    """The operator; integers keep their dtype where the operator does."""
    def function(x, /):
        result = getattr(aten, op or name)(computed(x))
        return cast(result, x.dtype) if x.dtype in UNSIGNED and result.dtype in INTEGRAL \
            else result

    return _named(function, name, f"{name} of each element.")


def _binary(name, op=None):
    """In the dtype of both; right modulo 2**64 for uint64."""
    def function(x1, x2, /):
        (x1, x2), dtype = to_common(x1, x2)
        result = getattr(aten, op or name)(computed(x1), computed(x2))
        return cast(result, dtype)

    return _named(function, name, f"{name} of each two elements.")


def _comparison(name, op):
    def function(x1, x2, /):
        (x1, x2), _ = to_common(x1, x2)
        return getattr(aten, op)(ordered(x1), ordered(x2))

    return _named(function, name, f"Whether x1 is {name.replace('_', ' or ')} x2.")


def _larger(name):
    def function(x1, x2, /):
        (x1, x2), dtype = to_common(x1, x2)
        return from_ordered(getattr(aten, name)(ordered(x1), ordered(x2)), dtype)

    return _named(function, name, f"The {name} of each two elements.")


def _whole(name):
    """Integers are whole already."""
    def function(x, /):
        if x.dtype in INTEGRAL:
            return positive(x)
        if x.dtype.is_complex:
            op = getattr(aten, name)
            return aten.complex(op(aten.real(x)), op(aten.imag(x)))
        return getattr(aten, name)(x)

    return _named(function, name, f"{name} of each element.")


def _logical(name):
    def function(x1, x2, /):
        return getattr(aten, name)(computed(x1), computed(x2))

    return _named(function, name, f"{name} of each two elements.")


acos, acosh, asin, asinh = _unary("acos"), _unary("acosh"), _unary("asin"), _unary("asinh")
atan, atanh, cos, cosh = _unary("atan"), _unary("atanh"), _unary("cos"), _unary("cosh")
exp, log, log2, log10 = _unary("exp"), _unary("log"), _unary("log2"), _unary("log10")
sin, sinh, tan, tanh = _unary("sin"), _unary("sinh"), _unary("tan"), _unary("tanh")
sqrt, square, negative = _unary("sqrt"), _unary("square"), _unary("negative", "neg")
bitwise_invert = _unary("bitwise_invert", "bitwise_not")
add, multiply, subtract = _binary("add"), _binary("multiply", "mul"), _binary("subtract", "sub")
bitwise_and, bitwise_or = _binary("bitwise_and"), _binary("bitwise_or")
bitwise_xor, atan2, copysign = _binary("bitwise_xor"), _binary("atan2"), _binary("copysign")
divide, hypot, logaddexp = _binary("divide", "div"), _binary("hypot"), _binary("logaddexp")
equal, not_equal = _comparison("equal", "eq"), _comparison("not_equal", "ne")
less, less_equal = _comparison("less", "lt"), _comparison("less_equal", "le")
greater, greater_equal = _comparison("greater", "gt"), _comparison("greater_equal", "ge")
maximum, minimum = _larger("maximum"), _larger("minimum")
ceil, floor, round, trunc = _whole("ceil"), _whole("floor"), _whole("round"), _whole("trunc")
logical_and, logical_or = _logical("logical_and"), _logical("logical_or")
logical_xor = _logical("logical_xor")


def _pair(real, imag):
    return aten.complex(real, imag)


def expm1(x, /):
    """exp(x) - 1, also where x is small."""
    if not x.dtype.is_complex:
        return aten.expm1(computed(x))
    re, im = aten.real(x), aten.imag(x)
    # e^re cos(im) - 1 = (e^re - 1) cos(im) - 2 sin(im / 2)^2
    half = aten.square(aten.sin(aten.mul(im, 0.5)))
    real_part = aten.sub(aten.mul(aten.expm1(re), aten.cos(im)), aten.mul(half, 2))
    return _pair(real_part, aten.mul(aten.exp(re), aten.sin(im)))


def log1p(x, /):
    """log(1 + x), also where x is small."""
    if not x.dtype.is_complex:
        return aten.log1p(computed(x))
    re, im = aten.real(x), aten.imag(x)
    # |1 + x|^2 = 1 + re (2 + re) + im^2
    more = aten.add(aten.mul(re, aten.add(re, 2)), aten.square(im))
    near = aten.lt(aten.abs(x), 0.5)
    real_part = aten.where(near, aten.mul(aten.log1p(more), 0.5),
                           aten.log(aten.hypot(aten.add(re, 1), im)))
    return _pair(real_part, aten.atan2(im, aten.add(re, 1)))


def abs(x, /):
    """The absolute value; real for complex numbers."""
    return positive(x) if x.dtype in UNSIGNED or x.dtype is BOOL else aten.abs(x)


def sign(x, /):
    """-1, 0 or 1; of complex numbers, the number on the unit circle."""
    if x.dtype in UNSIGNED:
        return cast(aten.ne(computed(x), 0), x.dtype)
    result = aten.sgn(x)
    return aten.where(aten.isnan(x), x, result) if is_floating(x.dtype) else result


def signbit(x, /):
    """Whether the sign bit is set, as it is in -0.0."""
    return aten.signbit(x)


def positive(x, /):
    """x"""
    return aten.clone(x)


def conj(x, /):
    return aten.conj_physical(x) if x.dtype.is_complex else positive(x)


def real(x, /):
    return aten.real(x) if x.dtype.is_complex else positive(x)


def imag(x, /):
    return aten.imag(x) if x.dtype.is_complex else aten.zeros_like(x)


def isfinite(x, /):
    return aten.isfinite(x) if is_floating(x.dtype) \
        else aten.ones(list(x.shape), dtype=BOOL, device=x.device)


def isinf(x, /):
    return aten.isinf(x) if is_floating(x.dtype) \
        else aten.zeros(list(x.shape), dtype=BOOL, device=x.device)


def isnan(x, /):
    return aten.isnan(x) if is_floating(x.dtype) \
        else aten.zeros(list(x.shape), dtype=BOOL, device=x.device)


def logical_not(x, /):
    return aten.logical_not(computed(x))


# ------------------------------------------- where uint64 is not like int64


def _divmod_u64(x1, x2):
    """Quotient and remainder of the bits of unsigned numbers: by long division of the upper
    63 bits, mended by at most one; a divisor above 2**63 goes in once or not at all."""
    half = _shifted_u64(x1, aten.ones_like(x1))
    large = aten.lt(x2, 0)
    divisor = aten.where(large, aten.ones_like(x2), x2)
    quotient = aten.mul(aten.floor_divide(half, divisor), 2)
    rest = aten.sub(x1, aten.mul(quotient, divisor))
    more = _not_below(rest, divisor)
    quotient = aten.add(quotient, cast(more, _C.int64))
    once = cast(_not_below(x1, x2), _C.int64)
    quotient = aten.where(large, once, quotient)
    return quotient, aten.sub(x1, aten.mul(quotient, x2))


def _not_below(a, b):
    least = -(2**63)
    return aten.ge(aten.bitwise_xor(a, least), aten.bitwise_xor(b, least))


def _shifted_u64(x1, x2):
    """Zeros, and not copies of the sign, come in from the left."""
    moved = aten.bitwise_right_shift(x1, x2)
    kept = aten.sub(aten.rsub(x2, 64), 1)
    mask = aten.bitwise_or(aten.sub(aten.bitwise_left_shift(aten.ones_like(x1), kept), 1),
                           aten.bitwise_left_shift(aten.ones_like(x1), kept))
    return aten.where(aten.eq(x2, 0), x1, aten.bitwise_and(moved, mask))


def _by_bits(name, op, for_u64):
    def function(x1, x2, /):
        (x1, x2), dtype = to_common(x1, x2)
        x1, x2 = computed(x1), computed(x2)
        if dtype is _C.uint64:
            x1, x2 = aten.broadcast_tensors([x1, x2])
            return cast(for_u64(x1, x2), dtype)
        return cast(getattr(aten, op)(x1, x2), dtype)

    return _named(function, name, f"{name} of each two elements.")


floor_divide = _by_bits("floor_divide", "floor_divide", lambda a, b: _divmod_u64(a, b)[0])
_remainder = _by_bits("remainder", "remainder", lambda a, b: _divmod_u64(a, b)[1])
_shift_right = _by_bits("bitwise_right_shift", "bitwise_right_shift", _shifted_u64)


def remainder(x1, x2, /):
    """What x1 // x2 leaves, with the sign of x2, which zeros have too."""
    result = _remainder(x1, x2)
    if not result.dtype.is_floating_point:
        return result
    signed = aten.copysign(result, cast(x2, result.dtype))
    return aten.where(aten.eq(result, 0), signed, result)


def _too_far(x1, x2):
    """Where all bits are shifted out; for what computes in a wider dtype that is later."""
    return aten.ge(computed(x2), 8 * x1.dtype.itemsize)


def bitwise_left_shift(x1, x2, /):
    (x1, x2), dtype = to_common(x1, x2)
    moved = aten.bitwise_left_shift(computed(x1), computed(x2))
    return cast(aten.where(_too_far(x1, x2), aten.zeros_like(moved), moved), dtype)


def bitwise_right_shift(x1, x2, /):
    (x1, x2), dtype = to_common(x1, x2)
    moved = computed(_shift_right(x1, x2))
    beyond = aten.zeros_like(moved) if dtype in UNSIGNED \
        else cast(aten.neg(cast(aten.lt(x1, 0), dtype)), moved.dtype)
    return cast(aten.where(_too_far(x1, x2), beyond, moved), dtype)


def pow(x1, x2, /):
    """x1 to the power of x2, in the dtype of both."""
    (x1, x2), dtype = to_common(x1, x2)
    return cast(aten.pow(computed(x1), computed(x2)), dtype)


def _bound(x, bound):
    if bound is None:
        return None
    if not isinstance(bound, Tensor):
        if x.dtype in INTEGRAL and isinstance(bound, float):
            bound = math.floor(bound)
        wide = x.dtype is _C.uint64 and bound >= 2**63  # above what a scalar holds
        bound = tensor(bound, dtype=x.dtype, device=x.device) if wide else aten.full(
            [], bound, dtype=_C.int64 if x.dtype in INTEGRAL else x.dtype)
    return ordered(cast(bound, x.dtype))


def clip(x, /, min=None, max=None):
    """x between min and max, each a number, an array or None; in the dtype of x."""
    low, high, result = _bound(x, min), _bound(x, max), ordered(x)
    if low is not None:
        result = aten.maximum(result, low)
    if high is not None:
        result = aten.minimum(result, high)
    return from_ordered(result, x.dtype) if result.dtype is not x.dtype \
        or x.dtype is _C.uint64 else (positive(x) if result is x else result)
