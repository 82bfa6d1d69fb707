# SPDX-License-Identifier: Apache-2.0
"""Tensors that a Module registers when they are assigned to it."""
from .. import _C
from .._C import Tensor


class Parameter(Tensor):
    """A leaf that training changes. It shares the memory of |data|."""

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _C.literal([])
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter expects a Tensor, got {type(data).__name__}")
        return _C.make_subclass(cls, data, bool(requires_grad))

    def __repr__(self):
        return "Parameter containing:\n" + Tensor.__repr__(self)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]


class Buffer(Tensor):
    """A tensor of a module's state that no gradient changes; kept in its state_dict if it
    is persistent."""

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _C.literal([])
        made = _C.make_subclass(cls, data, False)
        made.persistent = persistent
        return made
