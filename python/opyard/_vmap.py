# SPDX-License-Identifier: Apache-2.0
"""vmap: a function of one sample, called once for a batch of them."""
import functools

from . import _C, _tree
from ._C import Tensor
from ._ops import ops


def _name_of(func):
    return getattr(func, "__name__", repr(func))


def _in_dims(func, args, in_dims):
    """The leaves of |args|, their structure, and the mapped dimension of each or None."""
    where = f"vmap({_name_of(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, list, tuple)):
        raise ValueError(
            f"{where}: expected `in_dims` to be int or a (potentially nested) tuple matching "
            f"the structure of inputs, got: {type(in_dims)}.")
    if not args:
        raise ValueError(f"{where}: got no inputs. Maybe you forgot to add inputs, or you are "
                         "trying to vmap over a function with no inputs. The latter is "
                         "unsupported.")
    leaves, structure = _tree.flatten(tuple(args))
    try:
        dims = _tree.spread(in_dims if isinstance(in_dims, int) else tuple(in_dims), structure,
                            where)
    except ValueError:
        raise ValueError(
            f"{where}: in_dims is not compatible with the structure of `inputs`. ") from None
    for i, (leaf, dim) in enumerate(zip(leaves, dims)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(f"{where}: Got in_dim={dim} for an input but in_dim must be either "
                             "an integer dimension or None.")
        if not isinstance(leaf, Tensor):
            raise ValueError(f"{where}: Got in_dim={dim} for an input but the input is of type "
                             f"{type(leaf)}. We cannot vmap over non-Tensor arguments, please "
                             "use None as the respective in_dim")
        if leaf.dim() == 0 or not -leaf.dim() <= dim < leaf.dim():
            raise ValueError(f"{where}: Got in_dim={dim} for some input, but that input is a "
                             f"Tensor of dimensionality {leaf.dim()} so expected in_dim to "
                             f"satisfy 0 <= in_dim < {leaf.dim()}.")
        dims[i] = dim % leaf.dim()
    return leaves, structure, dims


def _batch_size(leaves, dims):
    sizes = [leaf.shape[dim] for leaf, dim in zip(leaves, dims) if dim is not None]
    if not sizes:
        raise ValueError("vmap: at least one input must be mapped over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped "
                         f"dimension, got sizes {sizes} for the mapped dimension")
    return sizes[0]


def _run(func, leaves, structure, dims, out_dims, randomness, kwargs):
    batch_size = _batch_size(leaves, dims)
    level = _C.vmap_enter(batch_size, randomness)
    try:
        batched = [leaf if dim is None else _C.batched_make(leaf, dim, level)
                   for leaf, dim in zip(leaves, dims)]
        made = func(*_tree.unflatten(batched, structure), **kwargs)
        return _unwrap(func, made, level, batch_size, out_dims)
    finally:
        _C.vmap_leave(level)


def _unwrap(func, made, level, batch_size, out_dims):
    values, structure = _tree.flatten(made)
    where = f"vmap({_name_of(func)}, ..., out_dims={out_dims})"
    dims = _tree.spread(out_dims, structure, where)
    found = []
    for value, dim in zip(values, dims):
        if not isinstance(value, Tensor):
            raise ValueError(f"vmap({_name_of(func)}, ...): `{_name_of(func)}` must only return "
                             f"Tensors, got type {type(value)}. Did you mean to set out_dims= "
                             "to None for output?")
        if dim is None:
            if _C.batched_level(value) == level:
                raise ValueError(f"{where}: `{_name_of(func)}` can not return a BatchedTensor "
                                 "when out_dim is None")
            found.append(value)
        else:
            found.append(_C.batched_remove(value, level, batch_size, dim))
    return _tree.unflatten(found, structure)


def _chunked(func, leaves, structure, dims, out_dims, randomness, size, kwargs):
    """A few samples at a time; the outputs are joined along the mapped dimensions."""
    total = _batch_size(leaves, dims)
    parts = []
    for start in range(0, total, size):
        some = [leaf if dim is None else leaf.narrow(dim, start, min(size, total - start))
                for leaf, dim in zip(leaves, dims)]
        parts.append(_tree.flatten(
            _run(func, some, structure, dims, out_dims, randomness, kwargs)))
    shape = parts[0][1]
    joined = _tree.spread(out_dims, shape, "vmap")
    return _tree.unflatten(
        [values[0] if dim is None else ops.aten.cat(list(values), dim)
         for dim, *values in zip(joined, *[values for values, _ in parts])], shape)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """The function that maps |func| over a dimension of its tensors."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError("Only allowed values for randomness are 'error', 'different', or "
                           f"'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func, updated=())
    def wrapped(*args, **kwargs):
        leaves, structure, dims = _in_dims(func, args, in_dims)
        if chunk_size is not None:
            return _chunked(func, leaves, structure, dims, out_dims, randomness, chunk_size,
                            kwargs)
        return _run(func, leaves, structure, dims, out_dims, randomness, kwargs)

    return wrapped
