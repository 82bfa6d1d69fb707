# SPDX-License-Identifier: Apache-2.0
"""Functions that search, sort and compare as sets."""
from collections import namedtuple

from .. import _C
from ._core import (aten, cast, computed, from_ordered, normal_axes, ordered,
                    to_common)

__all__ = [
    "argmax", "argmin", "argsort", "nonzero", "searchsorted", "sort", "unique_all",
    "unique_counts", "unique_inverse", "unique_values", "where",
]

UniqueAllResult = namedtuple("UniqueAllResult", ("values", "indices", "inverse_indices",
                                                 "counts"))
UniqueCountsResult = namedtuple("UniqueCountsResult", ("values", "counts"))
UniqueInverseResult = namedtuple("UniqueInverseResult", ("values", "inverse_indices"))


def _extreme(name):
    def function(x, /, *, axis=None, keepdims=False):
        comparable = ordered(x)
        if comparable.dtype is _C.bool:
            comparable = cast(comparable, _C.uint8)
        op = getattr(aten, name)
        if axis is None:
            found = op(aten.reshape(comparable, [-1]), 0, False)
            return aten.reshape(found, [1] * x.ndim) if keepdims else found
        return op(comparable, normal_axes(axis, x.ndim)[0], keepdims)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Where the {name[3:]}imum is first, along an axis or in all."
    return function


argmax, argmin = _extreme("argmax"), _extreme("argmin")


def nonzero(x, /):
    """For each axis, where along it the elements are that are not zero."""
    if x.ndim == 0:
        raise ValueError("nonzero() expects an array of at least one dimension")
    return tuple(aten.unbind(aten.nonzero(computed(x)), 1))


def where(condition, x1, x2, /):
    (x1, x2), dtype = to_common(x1, x2)
    return cast(aten.where(condition, computed(x1), computed(x2)), dtype)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where in x1, which is sorted or is by sorter, each of x2 has its place."""
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', got {side!r}")
    (x1, x2), _ = to_common(x1, x2)
    if sorter is not None:
        x1 = aten.index_select(x1, 0, cast(sorter, _C.int64))
    return aten.searchsorted(ordered(x1), ordered(x2), right=side == "right")


def _sorted(x, axis, descending, stable):
    return aten.sort.stable(ordered(x), stable=stable, dim=axis, descending=descending)


def sort(x, /, *, axis=-1, descending=False, stable=True):
    if x.ndim == 0:
        raise ValueError("sort() expects an array of at least one dimension")
    axis = normal_axes(axis, x.ndim)[0]
    return from_ordered(_sorted(x, axis, descending, stable)[0], x.dtype)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    if x.ndim == 0:
        raise ValueError("argsort() expects an array of at least one dimension")
    return _sorted(x, normal_axes(axis, x.ndim)[0], descending, stable)[1]


# --------------------------------------------------------------------- sets


def _complex_rows(x):
    """Complex numbers are unlike as pairs: (values, inverse, counts)."""
    rows = aten.reshape(aten.view_as_real(aten.add(x, 0)), [-1, 2])
    values, inverse, counts = aten.unique_dim(rows, 0, True, True, True)
    return aten.view_as_complex(values.contiguous()), inverse, counts


def _unique(x):
    """(values, in their order; where each element is among them; how often each comes).
    NaNs are all unlike."""
    if x.dtype.is_complex:
        values, inverse, counts = _complex_rows(x)
    else:
        values, inverse, counts = aten._unique2(ordered(aten.reshape(x, [-1])), True, True,
                                                True)
        values = from_ordered(values, x.dtype)
    return values, aten.reshape(inverse, list(x.shape)), counts


def _first_places(inverse, counts):
    """Where each value comes first in the row of all elements."""
    order = aten.sort.stable(aten.reshape(inverse, [-1]), stable=True, dim=0)[1]
    starts = aten.sub(aten.cumsum(counts, 0), counts)
    return aten.index_select(order, 0, starts)


def unique_all(x, /):
    values, inverse, counts = _unique(x)
    return UniqueAllResult(values, _first_places(inverse, counts), inverse, counts)


def unique_counts(x, /):
    values, _, counts = _unique(x)
    return UniqueCountsResult(values, counts)


def unique_inverse(x, /):
    values, inverse, _ = _unique(x)
    return UniqueInverseResult(values, inverse)


def unique_values(x, /):
    return _unique(x)[0]
