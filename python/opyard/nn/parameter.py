# SPDX-License-Identifier: Apache-2.0
"""Tensors that a Module registers when they are assigned to it."""
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
