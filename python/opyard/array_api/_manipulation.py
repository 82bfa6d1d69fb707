# SPDX-License-Identifier: Apache-2.0
"""Functions that move elements, and take()."""
from .. import _C
from .._C import Tensor
from ._core import aten, cast, normal_axes, result_type

__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis",
    "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "take", "tile", "unstack",
]


def broadcast_arrays(*arrays):
    return list(aten.broadcast_tensors(list(arrays))) if arrays else []


def broadcast_to(x, /, shape):
    return aten.broadcast_to(x, list(shape))


def _same_dtype(arrays):
    dtype = result_type(*arrays)
    return [cast(x, dtype) for x in arrays]


def concat(arrays, /, *, axis=0):
    """One after the other along an axis; None: as one row."""
    arrays = _same_dtype(arrays)
    if axis is None:
        return aten.cat([aten.reshape(x, [-1]) for x in arrays], 0)
    normal_axes(axis, arrays[0].ndim)
    return aten.cat(arrays, axis)


def stack(arrays, /, *, axis=0):
    arrays = _same_dtype(arrays)
    normal_axes(axis, arrays[0].ndim + 1)
    return aten.stack(arrays, axis)


def unstack(x, /, *, axis=0):
    """The parts along an axis, without it."""
    return tuple(aten.unbind(x, normal_axes(axis, x.ndim)[0]))


def expand_dims(x, /, *, axis=0):
    return aten.unsqueeze(x, normal_axes(axis, x.ndim + 1)[0])


def squeeze(x, /, axis):
    for a in sorted(normal_axes(axis, x.ndim), reverse=True):
        if x.shape[a] != 1:
            raise ValueError(f"cannot squeeze axis {a} of size {x.shape[a]}")
        x = aten.squeeze(x, a)
    return x


def flip(x, /, *, axis=None):
    return aten.flip(x, list(normal_axes(axis, x.ndim)))


def roll(x, /, shift, *, axis=None):
    """Elements moved along axes, or along the row that x is, coming in again behind."""
    if axis is None:
        if isinstance(shift, (tuple, list)):
            shift = sum(shift)
        row = aten.reshape(x, [-1])
        return aten.reshape(aten.roll(row, [shift], [0]), list(x.shape))
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    shifts = list(shift) if isinstance(shift, (tuple, list)) else [shift] * len(axes)
    return aten.roll(x, shifts, axes)


def permute_dims(x, /, axes):
    return aten.permute(x, list(axes))


def moveaxis(x, source, destination, /):
    def as_list(axis):
        return list(axis) if isinstance(axis, (tuple, list)) else [axis]

    return aten.movedim(x, as_list(source), as_list(destination))


def reshape(x, /, shape, *, copy=None):
    """copy=False: an error where the memory does not allow it; True: always anew."""
    shape = list(shape)
    if copy:
        return aten.reshape(aten.clone(x), shape)
    if copy is False:
        try:
            return aten.view(x, shape)
        except RuntimeError as error:
            raise ValueError(f"reshape() needs a copy: {error}") from None
    return aten.reshape(x, shape)


def repeat(x, repeats, /, *, axis=None):
    """Each element as often as repeats says, for all or for each."""
    if axis is None:
        x, axis = aten.reshape(x, [-1]), 0
    axis = normal_axes(axis, x.ndim)[0]
    if isinstance(repeats, Tensor):
        repeats = aten.reshape(repeats, [-1])
        if repeats.numel() == 1:
            repeats = int(repeats.item())
    return aten.repeat_interleave(x, repeats, axis)


def tile(x, repetitions, /):
    return aten.tile(x, list(repetitions))


def take(x, indices, /, *, axis=None):
    """Parts of x along an axis, by number."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError("take() needs an axis unless x has one dimension")
        axis = 0
    axis = normal_axes(axis, x.ndim)[0]
    indices = cast(indices, _C.int64)
    below = aten.lt(indices, 0)
    indices = aten.where(below, aten.add(indices, x.shape[axis]), indices)
    return aten.index_select(x, axis, indices)
