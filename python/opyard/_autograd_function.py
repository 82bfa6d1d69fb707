# SPDX-License-Identifier: Apache-2.0
"""Function: a forward in Python, and the backward that belongs to it."""
import functools

from . import _C, _forward_ad
from ._C import Tensor


class FunctionCtx:
    """What forward leaves for backward: ctx."""

    def __init__(self):
        self._to_save, self._holes = (), ()
        self._dirty, self._non_differentiable = (), ()
        self._materialize_grads = True
        self._handle = self._kept = None

    def save_for_backward(self, *tensors):
        """Inputs and outputs alone; other tensors are attributes of ctx."""
        for item in tensors:
            if item is not None and not isinstance(item, Tensor):
                raise TypeError("save_for_backward can only save variables, but argument "
                                f"is of type {type(item).__name__}")
        self._holes = tuple(item is None for item in tensors)
        self._to_save = tuple(item for item in tensors if item is not None)

    @property
    def saved_tensors(self):
        if self._handle is None:
            found = iter(self._to_save)
        else:
            found = (_C.function_saved(self._handle, i)
                     for i in range(sum(not hole for hole in self._holes)))
        return tuple(None if hole else next(found) for hole in self._holes)

    def mark_dirty(self, *tensors):
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors):
        self._non_differentiable = tensors

    def set_materialize_grads(self, value):
        self._materialize_grads = value

    def _run_backward(self, handle, grads):
        """Called by the library: a gradient for each input that is a tensor."""
        self._handle = handle
        try:
            found = type(self)._function.backward(self, *grads)
        finally:
            self._handle = None
        found = found if isinstance(found, tuple) else (found,)
        name, wanted = type(self)._function.__name__ + "Backward", self._is_tensor
        while len(found) > len(wanted) and found[-1] is None:
            found = found[:-1]
        if len(found) != len(wanted):
            raise RuntimeError(f"function {name} returned an incorrect number of gradients "
                               f"(expected {len(wanted)}, got {len(found)})")
        for i, (item, is_tensor) in enumerate(zip(found, wanted)):
            if item is not None and not is_tensor:
                raise RuntimeError(f"function {name} returned a gradient different from None "
                                   f"at position {i + 1}, but the corresponding forward input "
                                   "was not a Variable")
            if item is not None and not isinstance(item, Tensor):
                raise RuntimeError(f"function {name} returned something that is no Tensor at "
                                   f"position {i + 1}")
        return [item for item, is_tensor in zip(found, wanted) if is_tensor]


class _Meta(type):
    """Each Function has a class of contexts: attributes and mixins of ctx are its own."""

    def __init__(cls, name, bases, members):
        super().__init__(name, bases, members)
        cls._context = type(name + "Backward", (FunctionCtx,), {"_function": cls})
        cls._kinds = {}


class Function(metaclass=_Meta):
    """class Exp(Function): forward(ctx, ...) and backward(ctx, *grads) as static methods;
    Exp.apply(...). With setup_context(ctx, inputs, output), forward has no ctx."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"{type(self)} should not be instantiated. Methods on autograd "
                           "functions are all static, so you should invoke them on the class "
                           "itself.")

    @staticmethod
    def forward(*args, **kwargs):
        raise NotImplementedError("You must implement the forward function for custom "
                                  "autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD.")

    vjp = backward

    @classmethod
    def apply(cls, *args):
        _forward_ad.refuse(args)
        ctx = cls._context()
        ctx._is_tensor = tuple(isinstance(item, Tensor) for item in args)
        ctx.needs_input_grad = tuple(
            is_tensor and item.requires_grad for item, is_tensor in zip(args, ctx._is_tensor))
        before = _C.grad_mode(False)
        try:
            if cls.setup_context is not Function.setup_context:
                made = cls.forward(*args)
                cls.setup_context(ctx, args, made)
            else:
                made = cls.forward(ctx, *args)
        finally:
            _C.grad_mode(before)
        return cls._with_history(ctx, args, made, before and any(ctx.needs_input_grad))

    @classmethod
    def _with_history(cls, ctx, args, made, recorded):
        outputs = made if isinstance(made, tuple) else (made,)
        tensors = [item for item in outputs if isinstance(item, Tensor)]
        if not tensors and any(item is not None for item in outputs):
            raise TypeError(f"{cls.__name__}.forward: expected Variable or None (got "
                            f"{type(outputs[0]).__name__})")
        if recorded and tensors:
            inputs = [item for item, is_tensor in zip(args, ctx._is_tensor) if is_tensor]
            found = iter(_C.function_apply(cls._kind(len(tensors)), ctx, inputs, tensors))
            ctx._to_save = ctx._dirty = ctx._non_differentiable = ()
            outputs = tuple(next(found) if isinstance(item, Tensor) else item
                            for item in outputs)
        return outputs if isinstance(made, tuple) else outputs[0]

    @classmethod
    def _kind(cls, outputs):
        if outputs not in cls._kinds:
            once = getattr(cls.backward, "_once_differentiable", False)
            cls._kinds[outputs] = _C.function_new(cls.__name__, outputs, once)
        return cls._kinds[outputs]


def once_differentiable(fn):
    """The backward is not recorded; to differentiate what it gave is an error."""
    @functools.wraps(fn)
    def wrapper(ctx, *grads):
        before = _C.grad_mode(False)
        try:
            return fn(ctx, *grads)
        finally:
            _C.grad_mode(before)

    wrapper._once_differentiable = True
    return wrapper
