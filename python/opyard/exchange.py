# SPDX-License-Identifier: Apache-2.0
"""Tensors from and to other libraries on the same memory: DLPack, and the
array API standard's methods."""
from . import _C
from ._C import Tensor
from ._ops import ops

_CPU = (1, 0)
_DEVICE_TYPES = {"cpu": 1, "cuda": 2, "hip": 10}
_NEWEST = (1, 1)  # of DLPack, that _C speaks


def _dlpack_device(self):
    """(type, number) as DLPack counts them."""
    kind, _, index = str(self.device).partition(":")
    if kind not in _DEVICE_TYPES:
        raise ValueError(f"Unknown device type {kind} for Dlpack")
    return (_DEVICE_TYPES[kind], int(index or 0))


def _check_stream(stream, on_cpu):
    """Work on the CPU is done when a call returns; there is nothing to wait for."""
    if stream is None:
        return
    if isinstance(stream, bool) or not isinstance(stream, int):
        raise TypeError("stream must be ``int`` or ``none``")
    if on_cpu and stream != -1:
        raise ValueError(f"stream must be None or -1 on the CPU, got {stream}")
    if not on_cpu and stream == 0:
        raise ValueError("stream 0 is ambiguous: 1 is the legacy default stream, 2 the one of "
                         "the thread")


def _dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A capsule for from_dlpack() of any library, on the memory of this tensor or, where it
    has to be, on a copy. Versioned if max_version says that the other side reads it."""
    device = _dlpack_device(self)
    _check_stream(stream, device == _CPU)
    source, copied = self, False
    if dl_device is not None and tuple(int(n) for n in dl_device) != device:
        if tuple(int(n) for n in dl_device) != _CPU:
            raise BufferError(f"cannot export a tensor on {self.device} to DLPack's device "
                              f"{tuple(dl_device)}")
        if copy is False:
            raise ValueError(f"cannot export a tensor on {self.device} to the CPU without a "
                             "copy")
        source, copied = self.to("cpu"), True
    elif copy:
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        source, copied = ops.aten.clone(self), True
    versioned = max_version is not None and tuple(max_version) >= (1, 0)
    return _C.dlpack_capsule(source, versioned, copied)


def _capsule_of(x, device, copy):
    """What x exports, asked for in today's way and then, of older libraries, in theirs."""
    wanted = {"max_version": _NEWEST, "copy": copy}
    if device is not None:
        wanted["dl_device"] = device
    try:
        return x.__dlpack__(**wanted), False
    except TypeError:
        if device is not None and tuple(x.__dlpack_device__()) != device:
            raise BufferError(f"{type(x).__name__} is on another device and too old to be "
                              "asked for a copy") from None
        return x.__dlpack__(), True


def from_dlpack(x, /, *, device=None, copy=None):
    """A tensor on the memory of |x|: an array of any library, or a capsule, which can be
    taken once. copy=True: on memory of its own; False: an error where that is needed."""
    if not hasattr(x, "__dlpack__"):
        return _C.dlpack_tensor(x)
    if device is not None:
        name = str(_C.device(device) if isinstance(device, str) else device)
        kind, _, index = name.partition(":")
        device = (_DEVICE_TYPES[kind], int(index or 0))
    capsule, is_old = _capsule_of(x, device, copy)
    tensor = _C.dlpack_tensor(capsule)
    return ops.aten.clone(tensor) if copy and is_old else tensor


# -------------------------------------------------------- the array API standard


def _array_namespace(self, *, api_version=None):
    """opyard.array_api"""
    if api_version not in (None, "2021.12", "2022.12", "2023.12"):
        raise ValueError(f"the array API of {api_version!r} is not there; 2023.12 is")
    from . import array_api

    return array_api


def _to_device(self, device, /, *, stream=None):
    if stream is not None:
        raise ValueError("stream must be None")
    return ops.aten._to_copy(self, device=device) if self.device != device else self


Tensor.__dlpack__ = _dlpack
Tensor.__dlpack_device__ = _dlpack_device
Tensor.__array_namespace__ = _array_namespace
Tensor.to_device = _to_device
