# SPDX-License-Identifier: Apache-2.0
"""The operands of one library for another one, for the tables of python_operators.py."""


def same_values(library, tensor):
    """A copy of a PyTorch tensor in |library|, with its strides.

    Over DLPack, PyTorch gives dimensions of one element the stride 1, by which a kernel of
    one channel looks like one whose channels are last: so values go over flat.
    """
    import torch
    value = tensor.reshape(-1) if tensor.is_contiguous() else tensor
    if value.dtype is torch.bool:
        value = library.from_dlpack(value.to(torch.uint8)).bool()
    else:
        value = library.from_dlpack(value).clone()
    return value.reshape(tensor.shape)
