# SPDX-License-Identifier: Apache-2.0
"""Batching rules in Python: kernels at FuncTorchBatched."""
from typing import NamedTuple

from . import _C
from ._key import DispatchKeySet


class VmapInfo(NamedTuple):
    batch_size: int
    randomness: str


def _unwrapped(value, level):
    """(value, dim): what |level| has batched without its wrapper, lists as lists."""
    if isinstance(value, _C.Tensor):
        return _C.layer_unwrap(value, level)
    if isinstance(value, (list, tuple)):
        parts = [_unwrapped(item, level) for item in value]
        return [part[0] for part in parts], [part[1] for part in parts]
    return value, None


def _any(dims):
    if isinstance(dims, (list, tuple)):
        return any(_any(dim) for dim in dims)
    return dims is not None


def _wrapped(output, dims, level):
    if isinstance(output, (list, tuple)):
        if not isinstance(dims, (list, tuple)):
            dims = [dims] * len(output)
        if len(dims) != len(output):
            raise RuntimeError(f"expected as many out_dims as outputs, {len(output)}, got "
                               f"{len(dims)}")
        return type(output)(_wrapped(*pair, level) for pair in zip(output, dims))
    return output if dims is None else _C.layer_wrap(output, dims, level)


def _checked(result):
    base = ("Expected the vmap staticmethod to have two returns, an output and out_dims with "
            "pytree structure compatible with the output. ")
    if not isinstance(result, tuple):
        raise RuntimeError(base + f"Got a {type(result)} instead")
    if len(result) != 2:
        raise RuntimeError(base + f"Got {len(result)} returns instead")
    return result


class _Below:
    """Calls go to the layers below the innermost."""

    def __enter__(self):
        words = DispatchKeySet("FuncTorchBatched")._words
        self._guard = _C.guard_begin("exclude", 0, 0, *words)

    def __exit__(self, *exception):
        _C.guard_end(self._guard)


def vmap_kernel(name, rule):
    """The kernel of |name| at FuncTorchBatched, made of rule(info, in_dims, *args)."""
    def kernel(keys, *args, **kwargs):
        del keys
        level, batch_size, randomness = _C.layer_facts()
        args, in_dims = _unwrapped(args, level)
        if not _any(in_dims):
            with _Below():
                return _C.call_boxed(name, None, tuple(args), kwargs)
        info = VmapInfo(batch_size, randomness)
        with _Below():
            output, out_dims = _checked(rule(info, tuple(in_dims), *args, **kwargs))
        return _wrapped(output, out_dims, level)

    return kernel
