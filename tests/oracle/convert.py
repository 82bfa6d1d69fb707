# SPDX-License-Identifier: Apache-2.0
"""PyTorch's values as opyard's, each tensor on a copy of its storage."""
import numbers

import torch

import opyard
from opyard import _C


class NotSupported(Exception):
    """A value that opyard has no form for."""


class Converter:
    """Converts the arguments of one call: tensors that share a storage still do."""

    def __init__(self):
        self.bases = {}
        self.made = {}  # by identity: a tensor that is given twice is one tensor here, too
        self.pairs = []  # (PyTorch's tensor, opyard's, version of each before the call)

    def tensor(self, t):
        if t.layout != torch.strided or t.is_quantized or t.device.type != "cpu":
            raise NotSupported("sparse, quantized or mkldnn tensor")
        if id(t) in self.made:
            return self.made[id(t)][1]
        plain = _memory(t)
        if not hasattr(_C, str(t.dtype)[6:]):
            raise NotSupported(f"dtype {t.dtype}")
        key = (plain.storage()._cdata, t.dtype)
        if key not in self.bases:
            self.bases[key] = copy_of_storage(plain)
        made = _C.as_strided(self.bases[key], t.shape, t.stride(), t.storage_offset())
        if t.is_conj():
            made = opyard.ops.aten._conj(made)
        if t.is_neg():
            made = opyard.ops.aten._neg_view(made)
        self.made[id(t)] = (t, made)
        self.pairs.append((t, made, t._version, made._version))
        return made

    def value(self, v):
        if isinstance(v, torch.Tensor):
            return self.tensor(v)
        if v is None or isinstance(v, (bool, int, float, complex, str)):
            return v
        if isinstance(v, (list, tuple)):
            return [self.value(item) for item in v]
        if isinstance(v, (torch.dtype, torch.memory_format, torch.layout)):
            return getattr(_C, str(v)[6:], None) or _unsupported(v)
        if isinstance(v, torch.device):
            return opyard.device(str(v))
        if isinstance(v, numbers.Number) and hasattr(v, "item"):
            return v.item()
        return _unsupported(v)

    def call(self, args, kwargs):
        return [self.value(a) for a in args], {k: self.value(a) for k, a in kwargs.items()}


def _unsupported(v):
    raise NotSupported(f"an argument of type {type(v).__name__}")


def _memory(t):
    """What |t| is a view of that shows its memory as it is."""
    if t.is_conj():
        t = torch._conj(t)
    return torch._neg_view(t) if t.is_neg() else t


def copy_of_storage(t):
    """A row over a copy of all of the storage, as one opyard tensor."""
    count = t.storage().nbytes() // t.element_size()
    start = t.storage().data_ptr() if count else 0
    return _C.copy_memory(start, count, getattr(_C, str(t.dtype)[6:]))
