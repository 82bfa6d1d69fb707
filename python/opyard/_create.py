# SPDX-License-Identifier: Apache-2.0
"""Making tensors of what is none: numbers, lists, arrays; and factories with more ways to
be called than their operators have."""
from . import _C
from ._C import Tensor
from ._ops import ops

aten = ops.aten
_NUMBERS = (bool, int, float, complex)


def _literal(data):
    """Nested lists and numbers, in the default dtype where they have a point."""
    made = _C.literal(data)
    if made.dtype is _C.float64:
        return made if _C.get_default_dtype() is _C.float64 else _cast(
            made, _C.get_default_dtype())
    if made.dtype is _C.complex128 and _C.get_default_dtype() is not _C.float64:
        return _cast(made, _C.complex64)
    return made


def _cast(made, dtype=None, device=None):
    return aten._to_copy(made, dtype=dtype, device=device)


def _numbers_of(data):
    """Lists with tensors or numbers of other libraries in them, as plain lists."""
    if isinstance(data, (list, tuple)):
        return [_numbers_of(item) for item in data]
    if isinstance(data, (Tensor,)) or hasattr(data, "tolist"):
        return data.tolist()
    if hasattr(data, "item"):
        return data.item()
    return data


def _is_array(data):
    return not isinstance(data, _NUMBERS) and (
        hasattr(data, "__array_interface__") or hasattr(data, "__array__")
        or hasattr(data, "__buffer__") or isinstance(data, memoryview)
        or _has_buffer(data))


def _has_buffer(data):
    try:
        memoryview(data).release()
    except TypeError:
        return False
    return True


def _array_as_tensor(data):
    """Over the same memory where that is possible, a copy where it is not."""
    try:
        return _C.from_buffer(data)
    except (TypeError, ValueError, BufferError):
        if hasattr(data, "__array__") and not hasattr(data, "__array_interface__"):
            return _array_as_tensor(data.__array__())
        if not hasattr(data, "copy"):
            raise
    if getattr(data, "dtype", None) is not None and data.dtype.byteorder in "<>" and (
            not data.dtype.isnative):
        raise ValueError(
            "given numpy array has byte order different from the native byte order. "
            "Conversion between byte orders is currently not supported.")
    return _C.from_buffer(data.copy(order="C"))


def _made_of(data):
    """A tensor of anything, and whether it shares memory with it."""
    if isinstance(data, Tensor):
        return data, True
    if isinstance(data, (list, tuple)):
        return _made_of_list(data), False
    if hasattr(data, "dtype") and getattr(data, "shape", None) == () and hasattr(data, "item"):
        made = _C.literal(data.item())
        return _cast(made, getattr(_C, data.dtype.name, None)), False
    if isinstance(data, _NUMBERS):
        return _literal(data), False
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    if _is_array(data):
        return _array_as_tensor(data), True
    if hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, dict):
        return _made_of_list(list(data)), False
    if not hasattr(data, "__index__") and not hasattr(data, "__float__"):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    return _literal(data), False


def _made_of_list(data):
    first = _first_within(data)
    name = getattr(getattr(first, "dtype", None), "name", None)
    if name is not None:  # of tensors or of NumPy's numbers
        return _cast(_C.literal(_numbers_of(data)), getattr(_C, name, None))
    if isinstance(first, str):
        raise ValueError("too many dimensions 'str'")
    if first is None:
        raise RuntimeError("Could not infer dtype of NoneType")
    try:
        return _literal(data)
    except TypeError:
        plain = _numbers_of(data)
        if plain == data:
            raise
        return _literal(plain)


def _first_within(data):
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    return data


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new tensor of numbers, nested lists of them, or of an array, which is copied."""
    if dtype is None and device is None and not requires_grad:
        made = _C.numbers(data)
        if made is not None:
            return made
    dtype = as_dtype(dtype)
    if isinstance(data, (list, tuple, int, float, complex)) and dtype is not None:
        made, shared = _exact(data, dtype)
    else:
        made, shared = _made_of(data)
    if shared:
        made = made.detach()
    if dtype is not None and dtype is not made.dtype or device is not None:
        made = _cast(made, dtype, device)
    elif shared:
        made = aten.clone(made)
    if requires_grad:
        made.requires_grad = True
    return made


def _exact(data, dtype):
    """Before it is rounded to the default dtype on the way to another."""
    try:
        return _C.literal(data), False
    except (TypeError, ValueError):
        return _made_of(data)
    except OverflowError:
        if dtype is not _C.uint64:
            raise
        return aten.view.dtype(_C.literal(_as_signed(data)), dtype), False


def _as_signed(data):
    """Numbers from 2**63 to 2**64 as those of int64 with their bits."""
    if isinstance(data, (list, tuple)):
        return [_as_signed(item) for item in data]
    return data - 2**64 if isinstance(data, int) and 2**63 <= data < 2**64 else data


def as_tensor(data, dtype=None, device=None):
    """|data| itself if it is such a tensor, over its memory if it is an array."""
    if isinstance(data, (list, tuple) + _NUMBERS):
        return tensor(data, dtype=dtype, device=device)
    made, _ = _made_of(data)
    dtype = as_dtype(dtype)
    if dtype in (None, made.dtype) and (device is None or _same_device(made, device)):
        return made
    return _cast(made, dtype, device)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """As as_tensor; with copy=True always new, with copy=False never."""
    if hasattr(obj, "__dlpack__") and not isinstance(obj, Tensor) and not hasattr(
            obj, "__array_interface__"):
        from .interop import from_dlpack

        obj = from_dlpack(obj)
    if copy is False and isinstance(obj, (list, tuple) + _NUMBERS):
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    made = as_tensor(obj, dtype, device)
    shared = made is obj or not isinstance(obj, (list, tuple) + _NUMBERS)
    if copy is False and isinstance(obj, Tensor) and made is not obj:
        raise ValueError("can't alias tensor with dtype or device other than it has.")
    if copy is True and shared:
        made = aten.clone(made)
    if requires_grad:
        made = made.detach().requires_grad_()
    elif isinstance(obj, Tensor) and made.requires_grad:
        made = made.detach()
    return made


def _same_device(made, device):
    device = _C.device(device)
    return made.device.type == device.type and (
        device.index is None or device.index == made.device.index)


def as_dtype(dtype):
    """dtype, or the Python type that stands for one."""
    if dtype is None or isinstance(dtype, _C.dtype):
        return dtype
    names = {float: _C.float64, int: _C.int64, bool: _C.bool, complex: _C.complex128}
    if dtype in names:
        return names[dtype]
    raise TypeError(f"tensor(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")


def to_index(data):
    """What a list, or an array, is as an index: whole numbers or a mask."""
    made, _ = _made_of(data)
    if made.numel() == 0 and made.dtype.is_floating_point:
        made = _cast(made, _C.int64)
    return made


def from_constructor(*args, device=None):
    """Tensor(2, 3), Tensor([1, 2]): float tensors, as they have always been made."""
    if len(args) == 1 and not isinstance(args[0], int):
        if isinstance(args[0], _C.Size):
            return aten.empty(list(args[0]), device=device)
        return tensor(args[0], dtype=_C.get_default_dtype(), device=device)
    return aten.empty(list(args), device=device)


def full(size, fill_value, **options):
    """A tensor of one number; a number without dtype= decides the dtype."""
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    return aten.full(size, fill_value, **options)


def complex_(real, imag, *, out=None):
    """A complex tensor of its two parts."""
    if not isinstance(real, Tensor) or not isinstance(imag, Tensor):
        raise TypeError("complex(): expected two Tensors")
    return aten.complex(real, imag) if out is None else aten.complex(real, imag, out=out)


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A row over the memory of an object with the buffer protocol."""
    view = memoryview(buffer).cast("B")
    size = dtype.itemsize
    if offset < 0 or offset >= len(view):
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than "
                         f"buffer length ({len(view)} bytes) minus 1")
    if count < 0:
        if (len(view) - offset) % size:
            raise ValueError(f"buffer length ({len(view) - offset} bytes) after offset "
                             f"({offset} bytes) must be a multiple of element size ({size})")
        count = (len(view) - offset) // size
    if offset + count * size > len(view):
        raise ValueError(f"requested buffer length ({count} * {size} bytes) after offset "
                         f"({offset} bytes) must not be greater than actual buffer length "
                         f"({len(view)} bytes)")
    row = _C.from_buffer(view[offset:offset + count * size])
    made = aten.view.dtype(row, dtype)
    return made.requires_grad_() if requires_grad else made
