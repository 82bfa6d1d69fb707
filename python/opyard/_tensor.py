# SPDX-License-Identifier: Apache-2.0
"""What Tensor has besides its C part: methods that are no operators."""
from . import _C, _create, _return_types
from ._C import Tensor
from ._ops import ops

aten = ops.aten
_C.set_return_types(_return_types.make)
_C.set_constructor(_create.from_constructor)
_C.set_to_index(_create.to_index)


_loaded = {}


def _module(name):
    """A module of the package that is loaded when it is used; an import statement within a
    function takes longer than most operators."""
    module = _loaded.get(name)
    if module is None:
        import importlib

        module = _loaded[name] = importlib.import_module("." + name, __package__)
    return module


# ------------------------------------------------------------------ conversions

def _to(self, *args, **kwargs):
    """to(dtype), to(device), to(other), to(device, dtype): self if it is that already."""
    if len(args) == 1 and not kwargs:
        if type(args[0]) is _C.dtype:
            return self if args[0] is self.dtype else aten._to_copy(self, dtype=args[0])
        if args[0] == "cpu" and self.is_cpu:
            return self
    elif not args and len(kwargs) == 1 and type(
            kwargs.get("memory_format")) is _C.memory_format:
        if self._suggests(kwargs["memory_format"]):
            return self
    dtype, device, rest = kwargs.pop("dtype", None), kwargs.pop("device", None), list(args)
    other = kwargs.pop("other", None)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        dtype, device = other.dtype, other.device
    if rest and (isinstance(rest[0], (str, _C.device)) or rest[0] is None):
        device = rest.pop(0)
    if rest and (isinstance(rest[0], (_C.dtype, type)) or rest[0] is None):
        dtype = rest.pop(0)
    options = dict(zip(("non_blocking", "copy"), rest), **kwargs)
    if rest and not isinstance(rest[0], bool) and isinstance(rest[0], int):
        raise RuntimeError(f"no accelerator for the device index {rest[0]}: name the device")
    unknown = set(options) - {"non_blocking", "copy", "memory_format"}
    if unknown or len(rest) > 2 or any(not isinstance(item, (bool, int)) for item in rest):
        got = ", ".join([type(item).__name__ for item in args] + [
            f"{name}={type(item).__name__}" for name, item in kwargs.items()])
        raise TypeError(
            f"to() received an invalid combination of arguments - got ({got}), but expected "
            "one of:\n * (torch.device device, torch.dtype dtype, bool non_blocking, bool copy, "
            "*, torch.memory_format memory_format)\n * (torch.dtype dtype, bool non_blocking, "
            "bool copy, *, torch.memory_format memory_format)\n * (Tensor tensor, bool "
            "non_blocking, bool copy, *, torch.memory_format memory_format)\n")
    return _convert(self, _create.as_dtype(dtype), device, **options)


def _convert(self, dtype, device, non_blocking=False, copy=False, memory_format=None):
    same = (dtype is None or dtype is self.dtype) and (
        device is None or _create._same_device(self, device))
    if same and not copy and (memory_format is None or memory_format is _C.preserve_format
                              or self._suggests(memory_format)):
        return self
    return aten._to_copy(self, dtype=dtype, device=device, memory_format=memory_format)


def _dtype_method(name):
    def method(self, memory_format=None):
        if memory_format is None:
            return self if self.dtype is dtype else aten._to_copy(self, dtype=dtype)
        return _convert(self, dtype, None, memory_format=memory_format)

    dtype = getattr(_C, name)
    return method


_CLASSES = {"float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor",
            "bfloat16": "BFloat16Tensor", "uint8": "ByteTensor", "int8": "CharTensor",
            "int16": "ShortTensor", "int32": "IntTensor", "int64": "LongTensor",
            "bool": "BoolTensor", "complex64": "ComplexFloatTensor",
            "complex128": "ComplexDoubleTensor"}


def _type(self, dtype=None, non_blocking=False):
    """"torch.FloatTensor", or the tensor as another dtype."""
    if dtype is None:
        return "torch." + _CLASSES.get(self.dtype.name, "Tensor")
    if isinstance(dtype, str):
        found = [name for name, title in _CLASSES.items() if dtype == "torch." + title]
        if not found:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = getattr(_C, found[0])
    return _convert(self, _create.as_dtype(dtype), None)


def _cpu(self, memory_format=_C.preserve_format):
    if memory_format is _C.preserve_format and self.is_cpu:
        return self
    return _convert(self, None, "cpu", memory_format=memory_format)


def _numpy(self, *, force=False):
    """An array over the same memory; with force=True of whatever there is."""
    if type(self).__torch_dispatch__ is not _C._disabled_torch_dispatch_impl:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    import numpy

    if force:
        self = aten.resolve_neg(aten.resolve_conj(self.detach().cpu()))
    elif self.requires_grad:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use "
                           "tensor.detach().numpy() instead.")
    for name, has in ("conj", self.is_conj()), ("neg", self.is_neg()):
        if has:
            bit = {"conj": "conjugate", "neg": "negative"}[name]
            raise RuntimeError(f"Can't call numpy() on Tensor that has {bit} bit set. Use "
                               f"tensor.resolve_{name}().numpy() instead.")
    if self.device.type != "cpu":
        raise TypeError(f"can't convert {self.device} device type tensor to numpy. Use "
                        "Tensor.cpu() to copy the tensor to host memory first.")
    if self.dtype is _C.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    return numpy.asarray(memoryview(self))


def _array(self, dtype=None, copy=None):
    array = _numpy(self)
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


def _array_wrap(self, array, context=None, return_scalar=False):
    return _module("interop").from_numpy(array)


# ---------------------------------------------------------------- new tensors like it

def _new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    return _create.tensor(data, dtype=dtype or self.dtype, device=device or self.device,
                          requires_grad=requires_grad)


def _varargs(name):
    """new_zeros(2, 3) as well as new_zeros([2, 3])."""
    packet = getattr(aten, name)

    def method(self, *size, **options):
        if len(size) == 1 and not isinstance(size[0], int):
            size = size[0]
        return packet(self, list(size), **options)

    method.__name__ = name
    return method


# --------------------------------------------------------------------- objects

def _deepcopy(self, memo):
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment")
    if id(self) in memo:
        return memo[id(self)]
    with _no_grad():
        made = aten.clone(self)
    if type(made) is not type(self):
        made = Tensor._make_subclass(type(self), made)
    if self.requires_grad:
        made.requires_grad_()
    memo[id(self)] = made
    if self.grad is not None:
        made.grad = _deepcopy(self.grad, memo)
    if self.__dict__:
        import copy

        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return made


class _no_grad:
    def __enter__(self):
        self._before = _C.grad_mode(False)

    def __exit__(self, *exception):
        _C.grad_mode(self._before)


def _reduce(self, protocol=None):
    """As bytes and a shape: nothing that is loaded can run."""
    if self.device.type != "cpu":
        raise TypeError(f"cannot pickle a tensor on {self.device}: take .cpu() of it")
    plain = aten.clone(self.detach(), memory_format=_C.contiguous_format)
    raw = bytes(memoryview(aten.view.dtype(plain.flatten(), _C.uint8))) if plain.numel() else b""
    return _rebuild, (raw, self.dtype.name, tuple(self.shape), self.requires_grad)


def _rebuild(raw, dtype, shape, requires_grad):
    made = aten.empty(list(shape), dtype=getattr(_C, dtype))
    if raw:
        row = _C.from_buffer(bytearray(raw))
        made = aten.view(aten.view.dtype(row, getattr(_C, dtype)), list(shape))
    return made.requires_grad_() if requires_grad else made


def _format(self, spec):
    if self.dim() == 0 and type(self) is Tensor:
        return self.item().__format__(spec)
    return object.__format__(self, spec)


def _contains(self, element):
    if isinstance(element, (Tensor, bool, int, float, complex)):
        return bool((element == self).any().item())
    raise RuntimeError(
        f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
        f"{type(element)}.")


def _reversed(self):
    return self if self.dim() == 0 else self.flip(0)


def _dir(self):
    return sorted(set(object.__dir__(self)))


def _as_number(value):
    if not any(hasattr(value, name) for name in ("__float__", "__index__", "__complex__")):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return value


def _fill(self, values):
    values = [_as_number(value) for value in values]
    with _no_grad():
        self.copy_(_create.tensor(values, dtype=self.dtype).view(self.shape))
    return self


def _apply(self, callable):
    """Replaces each element by what |callable| makes of it."""
    return _fill(self, map(callable, self.flatten().tolist()))


def _map_with(name, arguments):
    """Replaces each element by what a function makes of it and of those of other tensors,
    whose names in messages are |arguments|."""
    def method(self, *given):
        if len(given) != len(arguments) + 1:
            raise TypeError(f"{name}() takes {len(arguments) + 1} arguments ({len(given)} given)")
        others, callable = given[:-1], given[-1]
        for i, (other, argument) in enumerate(zip(others, arguments), 1):
            if not isinstance(other, Tensor):
                raise TypeError(f"{name}(): argument '{argument.split()[-1].strip(chr(39))}' "
                                f"(position {i}) must be Tensor, not {type(other).__name__}")
        if any(t.requires_grad for t in (self, *others)):
            raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use "
                               f"var.detach().{name}() instead.")
        for other, argument in zip(others, arguments):
            if other.type() != self.type():
                raise TypeError(
                    f"{name}: expected {self.type()} for {argument} (got {other.type()})")
        columns = [t.expand(self.shape).flatten().tolist() for t in (self, *others)]
        return _fill(self, map(callable, *columns))

    method.__name__ = name
    return method


# --------------------------------------------------------------------- small questions

def _requires_grad_(self, requires_grad=True):
    self.requires_grad = requires_grad
    return self


def _is_floating_point(self):
    return self.dtype.is_floating_point


def _is_complex(self):
    return self.dtype.is_complex


def _is_signed(self):
    return self.dtype.is_signed


def _false(self):
    return False


def _detach_(self):
    """Forgets its history, and needs no gradient."""
    _C.detach_(self)
    return self


def _nonzero(self, *, as_tuple=False):
    return _module("_functions").nonzero(self, as_tuple=as_tuple)


def _split(self, split_size, dim=0):
    return _module("_functions").split(self, split_size, dim)


def _norm(self, p="fro", dim=None, keepdim=False, dtype=None):
    return _module("_functions").norm(self, p, dim, keepdim, dtype=dtype)


def _unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
    return _module("_functions").unique(self, sorted, return_inverse, return_counts, dim)


def _unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
    return _module("_functions").unique_consecutive(self, return_inverse, return_counts, dim)


def _stft(self, *args, **kwargs):
    return _module("_functions").stft(self, *args, **kwargs)


def _unflatten(self, dim, sizes):
    return aten.unflatten(self, dim, list(sizes))


# ------------------------------------------------------------------------- DLPack

def _dlpack(self, **options):
    return _module("interop").to_dlpack(self, **options)


def _dlpack_device(self):
    return {"cpu": 1, "cuda": 2}.get(self.device.type, 0), self.device.index or 0


# --------------------------------------------------------------------- gradients

def _autograd(name):
    """What is in opyard.autograd, which is imported when it is used."""
    def method(self, *args, **kwargs):
        return getattr(_module("autograd"), name)(self, *args, **kwargs)

    method.__name__ = name
    return method


# ------------------------------------------------------------------ subclasses

def _torch_function(cls, func, types, args=(), kwargs=None):
    """What a class has that does not say otherwise: results are of the class."""
    if not all(issubclass(cls, item) for item in types):
        return NotImplemented
    result = _C._disabled_torch_function_impl(func, types, args, kwargs or {})
    return result if func == _GRAD_GET else _of_class(result, cls)


def _of_class(result, cls):
    if isinstance(result, Tensor) and not isinstance(result, cls):
        return result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        return type(result)(_of_class(item, cls) for item in result)
    return result


def _lu(self, pivot=True, get_infos=False):
    return _module("_lowrank").lu(self, pivot, get_infos)


_GRAD_GET = Tensor.grad.__get__  # a gradient is of the class that it was made of
Tensor.__torch_function__ = classmethod(_torch_function)


_METHODS = {
    "to": _to, "type": _type, "cpu": _cpu, "numpy": _numpy, "new_tensor": _new_tensor,
    "requires_grad_": _requires_grad_, "is_floating_point": _is_floating_point,
    "is_complex": _is_complex, "is_signed": _is_signed,
    "is_pinned": _false, "is_shared": _false, "nonzero": _nonzero, "split": _split,
    "norm": _norm, "lu": _lu, "unique": _unique, "unique_consecutive": _unique_consecutive,
    "unflatten": _unflatten, "stft": _stft, "apply_": _apply,
    "map_": _map_with("map_", ("'other'",)),
    "map2_": _map_with("map2_", ("argument 'x'", "argument 'y'")),
    "element_size": lambda self: self.itemsize,
    "get_device": lambda self: -1 if self.device.index is None else self.device.index,
    "is_nonzero": lambda self: bool(self),
    "new": lambda self, *size: self.new_empty(size or (0,)), "detach_": _detach_,
    "__array__": _array, "__array_wrap__": _array_wrap, "__deepcopy__": _deepcopy,
    "__reduce_ex__": _reduce, "__format__": _format, "__contains__": _contains,
    "__reversed__": _reversed, "__dlpack__": _dlpack, "__dlpack_device__": _dlpack_device,
    "__dir__": _dir,
}
for _name, _method in _METHODS.items():
    setattr(Tensor, _name, _method)
for _name, _dtype in {
        "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
        "int": "int32", "long": "int64", "short": "int16", "char": "int8", "byte": "uint8",
        "bool": "bool", "chalf": "complex32", "cfloat": "complex64",
        "cdouble": "complex128"}.items():
    setattr(Tensor, _name, _dtype_method(_dtype))
for _name in ("new_zeros", "new_ones", "new_empty"):
    setattr(Tensor, _name, _varargs(_name))
for _name in ("register_hook", "register_post_accumulate_grad_hook", "retain_grad"):
    setattr(Tensor, _name, _autograd(_name))
Tensor.backward = _autograd("_backward")
Tensor.retains_grad = property(
    lambda self: getattr(self, "_retains_grad", False),
    doc="Whether retain_grad() was called on what is no leaf.")
Tensor.__array_priority__ = 1000
Tensor.is_quantized = False
_C.add_methods()
