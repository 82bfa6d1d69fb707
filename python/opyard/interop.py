# SPDX-License-Identifier: Apache-2.0
"""NumPy and PyTorch over the same memory. Neither is imported before it is needed."""
import ctypes

from . import _C
from .exchange import from_dlpack  # noqa: F401


def from_numpy(array):
    """A tensor over the array's memory; changes of one are seen in the other."""
    return _C.from_buffer(array)


def dtype_of(torch_dtype):
    """opyard's dtype for PyTorch's: they have the same names."""
    return getattr(_C, str(torch_dtype).rpartition(".")[2])


def from_torch(tensor):
    """A tensor over the whole storage of PyTorch's, with its sizes, strides and offset."""
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    itemsize, offset = tensor.element_size(), tensor.storage_offset()
    return _C.from_pointer(
        tensor.data_ptr() - offset * itemsize if tensor.numel() else 0,
        tensor.storage().nbytes() if tensor.numel() else 0,
        dtype_of(tensor.dtype), tuple(tensor.shape), tensor.stride(),
        offset if tensor.numel() else 0, tensor)


def to_torch(tensor):
    """PyTorch's tensor over the same memory, which it keeps."""
    import torch

    dtype = getattr(torch, tensor.dtype.name)
    sizes, strides = tensor.shape, tensor.stride()
    if tensor.numel() == 0:
        return torch.empty_strided(sizes, strides, dtype=dtype)
    if tensor.data_ptr() == 0:
        raise RuntimeError("expected a tensor with memory; use clone() first")
    count = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))
    memory = (ctypes.c_char * (count * tensor.dtype.itemsize)).from_address(tensor.data_ptr())
    memory.owner = tensor
    made = torch.frombuffer(memory, dtype=dtype, count=count).as_strided(sizes, strides)
    if tensor.is_neg():
        made = torch._neg_view(made)
    return made.conj() if tensor.is_conj() else made
