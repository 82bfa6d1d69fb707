# SPDX-License-Identifier: Apache-2.0
"""Tensors that a Module registers when they are assigned to it."""
import opyard

from .. import _C
from .._C import Tensor


class _ParameterMeta(type(Tensor)):
    """Tensors of classes that handle their own calls stay what they are, and are parameters."""

    def __instancecheck__(self, instance):
        return super().__instancecheck__(instance) or (
            self is Parameter and isinstance(instance, Tensor)
            and getattr(instance, "_is_param", False))


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A leaf that training changes. It shares the memory of |data|."""

    __torch_function__ = _C._disabled_torch_function_impl  # what it computes are Tensors

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _C.literal([])
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter expects a Tensor, got {type(data).__name__}")
        if type(data).__torch_dispatch__ is _C._disabled_torch_dispatch_impl:
            return Tensor._make_subclass(cls, data, bool(requires_grad))
        made = data.detach().requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires "
                f"that detach() returns an instance of the same type, but return type "
                f"{type(made).__name__} was found instead. To use the type as a Parameter, "
                "please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation.")
        made._is_param = True
        return made

    def __repr__(self):
        plain = type(self) is Parameter
        return "Parameter containing:\n" + (
            _C.tensor_text(self) if plain else Tensor.__repr__(self))

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]


class Buffer(Tensor):
    """A tensor of a module's state that no gradient changes; kept in its state_dict if it
    is persistent."""

    __torch_function__ = _C._disabled_torch_function_impl

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _C.literal([])
        made = Tensor._make_subclass(cls, data)
        made.persistent = persistent
        return made


class _Uninitialized:
    """A tensor whose shape is not known yet: it has a dtype and a device. materialize()
    makes it an ordinary one."""

    @classmethod
    def _make(cls, requires_grad, device, dtype):
        data = opyard.empty((0,), device=device, dtype=dtype)
        return Tensor._make_subclass(cls, data, bool(requires_grad))

    def materialize(self, shape, device=None, dtype=None):
        data = self.data
        self.data = opyard.empty(shape, device=device or data.device,
                                 dtype=dtype or data.dtype)
        self.__class__ = self._becomes

    @property
    def data(self):
        return _C._disabled_torch_function_impl(Tensor.detach, (), (self,), {})

    @data.setter
    def data(self, value):
        Tensor.data.__set__(self, value)

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into "
            "an initialized one. Call `forward` to initialize the parameters before accessing "
            "their attributes.")

    def __repr__(self):
        return f"<{type(self).__name__}>"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if type(func).__name__ == "method-wrapper" \
                or getattr(func, "__name__", "") == "requires_grad_":
            return super().__torch_function__(func, types, args, kwargs or {})
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you "
            "are using a `LazyModule` or explicitly manipulating "
            "`opyard.nn.parameter.UninitializedParameter` objects. When using LazyModules Call "
            "`forward` with a dummy batch to initialize the parameters before calling opyard "
            "functions")


class UninitializedParameter(_Uninitialized, Parameter):
    """A Parameter of a lazy module, before its first call."""

    _becomes = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return cls._make(requires_grad, device, dtype)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


class UninitializedBuffer(_Uninitialized, Buffer):
    """A buffer of a lazy module, before its first call; after it, a Buffer."""

    _becomes = Buffer

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        made = cls._make(requires_grad, device, dtype)
        made.persistent = persistent
        return made

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype,
                                        self.persistent)
        return memo[id(self)]


def is_lazy(tensor):
    return isinstance(tensor, _Uninitialized)
