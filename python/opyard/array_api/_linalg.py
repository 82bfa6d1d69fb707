# SPDX-License-Identifier: Apache-2.0
"""Products of arrays."""
import math

from ._core import aten, cast, computed, normal_axes, to_common

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def matmul(x1, x2, /):
    (x1, x2), dtype = to_common(x1, x2)
    return cast(aten.matmul(computed(x1), computed(x2)), dtype)


def matrix_transpose(x, /):
    if x.ndim < 2:
        raise ValueError(
            f"matrix_transpose() expects an array of at least 2 dimensions, got {x.ndim}")
    return aten.transpose(x, -2, -1)


def vecdot(x1, x2, /, *, axis=-1):
    """The sum of products along an axis of both; the first is conjugated."""
    (x1, x2), dtype = to_common(x1, x2)
    if axis >= 0 or axis < -x1.ndim or axis < -x2.ndim:
        axis = normal_axes(axis, max(x1.ndim, x2.ndim))[0] - max(x1.ndim, x2.ndim)
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot() expects axes of one size, got {x1.shape[axis]} and "
                         f"{x2.shape[axis]}")
    if dtype.is_complex:
        x1 = aten.conj_physical(x1)
    products = aten.mul(computed(x1), computed(x2))
    return cast(aten.sum(products, [axis], False, dtype=products.dtype), dtype)


def tensordot(x1, x2, /, *, axes=2):
    """Sums of products over some axes of each: the last |axes| of the one with the first of
    the other, or two lists of them."""
    (x1, x2), dtype = to_common(x1, x2)
    if isinstance(axes, int):
        axes = (range(x1.ndim - axes, x1.ndim), range(axes))
    left, right = normal_axes(tuple(axes[0]), x1.ndim), normal_axes(tuple(axes[1]), x2.ndim)
    if [x1.shape[a] for a in left] != [x2.shape[a] for a in right]:
        raise ValueError(f"tensordot() expects axes of the same sizes, got {left} and {right}")
    x1, x2 = computed(x1), computed(x2)
    kept1 = [a for a in range(x1.ndim) if a not in left]
    kept2 = [a for a in range(x2.ndim) if a not in right]
    count = math.prod(x1.shape[a] for a in left)
    outer = [x1.shape[a] for a in kept1], [x2.shape[a] for a in kept2]
    rows, columns = math.prod(outer[0]), math.prod(outer[1])
    first = aten.reshape(aten.permute(x1, kept1 + list(left)), [rows, count])
    second = aten.reshape(aten.permute(x2, list(right) + kept2), [count, columns])
    return cast(aten.reshape(aten.matmul(first, second), outer[0] + outer[1]), dtype)
