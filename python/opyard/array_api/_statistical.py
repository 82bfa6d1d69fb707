# SPDX-License-Identifier: Apache-2.0
"""Functions of many elements that give one: statistics, all() and any()."""
from .. import _C
from ._core import (SIGNED, UNSIGNED, aten, cast, computed, from_ordered,
                    is_floating, normal_axes, ordered)

__all__ = ["all", "any", "cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std",
           "sum", "var"]


def _sum_dtype(x, dtype):
    """Sums of integers are at least 64 bits wide."""
    if dtype is not None:
        return dtype
    if x.dtype in UNSIGNED:
        return _C.uint64
    return _C.int64 if x.dtype in SIGNED or x.dtype is _C.bool else x.dtype


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    wanted, axes = _sum_dtype(x, dtype), normal_axes(axis, x.ndim)
    x = computed(cast(x, wanted))
    result = aten.sum(x, list(axes), keepdims) if axes else aten.clone(x)
    return cast(result, wanted)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    wanted = _sum_dtype(x, dtype)
    result = computed(cast(x, wanted))
    for a in sorted(normal_axes(axis, x.ndim), reverse=True):
        result = aten.prod(result, a, keepdims)
    return cast(result, wanted)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return _cumulative(x, axis, dtype, include_initial, "cumsum", aten.zeros)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return _cumulative(x, axis, dtype, include_initial, "cumprod", aten.ones)


def _cumulative(x, axis, dtype, include_initial, name, start):
    """|include_initial|: with what none of the elements give, first."""
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"cumulative functions need an axis for {x.ndim} dimensions")
        axis = 0
    wanted, axis = _sum_dtype(x, dtype), normal_axes(axis, x.ndim)[0]
    result = getattr(aten, name)(computed(cast(x, wanted)), axis)
    if include_initial:
        size = list(x.shape)
        size[axis] = 1
        first = start(size, dtype=result.dtype, device=x.device)
        result = aten.cat([first, result], axis)
    return cast(result, wanted)


def _extreme(name, op):
    def function(x, /, *, axis=None, keepdims=False):
        axes = normal_axes(axis, x.ndim)
        result = ordered(x)
        result = getattr(aten, op)(result, list(axes), keepdims) if axes else aten.clone(result)
        return from_ordered(result, x.dtype)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {name}imum along axes, or of all."
    return function


max, min = _extreme("max", "amax"), _extreme("min", "amin")


def _check_floating(x, name):
    if not is_floating(x.dtype):
        raise TypeError(f"{name}() expects a floating dtype, got {x.dtype}")


def mean(x, /, *, axis=None, keepdims=False):
    _check_floating(x, "mean")
    axes = normal_axes(axis, x.ndim)
    return aten.mean(x, list(axes), keepdims) if axes else aten.clone(x)


def _count(x, axes):
    count = 1
    for a in axes:
        count *= x.shape[a]
    return count


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The mean of squares about the mean, divided by the count less the correction."""
    _check_floating(x, "var")
    axes = normal_axes(axis, x.ndim)
    middle = aten.mean(x, list(axes), True) if axes else x
    squares = aten.square(aten.sub(x, middle))
    total = aten.sum(squares, list(axes), keepdims) if axes else squares
    return aten.div(total, float(_count(x, axes) - correction))


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return aten.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def _truth(name):
    def function(x, /, *, axis=None, keepdims=False):
        result = aten.ne(computed(x), 0)
        for a in sorted(normal_axes(axis, x.ndim), reverse=True):
            result = getattr(aten, name)(result, a, keepdims)
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Whether {name} elements along axes, or of all, are true."
    return function


all, any = _truth("all"), _truth("any")
