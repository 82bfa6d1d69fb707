# SPDX-License-Identifier: Apache-2.0
"""Handlers that see operator calls below autograd.

    class Log(DispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            print(func)
            return func(*args, **(kwargs or {}))

    with Log():
        x + y
"""
import contextlib
import threading

from . import _C
from .dispatch import without_handlers
from .fake import FakeTensorMode, is_fake  # noqa: F401

__all__ = ["DispatchMode", "FakeTensorMode", "TensorHandler", "TorchDispatchMode",
           "current_mode", "entry_state", "is_fake", "without_handlers"]


class DispatchMode:
    """A mode of the thread that enters it: `with mode:`; inner modes see calls first.

    func is the operator, an overload; types are the classes of handlers of tensors among
    the arguments. Within the handler the mode is off, and so is everything above it, autograd
    among them. NotImplemented leaves the call to the handlers of the tensors.
    """

    def __init__(self):
        pass

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return self.__dispatch__(func, types, args, kwargs)

    def __dispatch__(self, func, types, args, kwargs):
        raise NotImplementedError(
            f"{type(self).__name__} needs a method __torch_dispatch__")

    def _tokens(self):
        """What mode_push gave, by thread: one object may be entered by several."""
        local = self.__dict__.setdefault("_entered", threading.local())
        if not hasattr(local, "tokens"):
            local.tokens = []
        return local.tokens

    def __enter__(self):
        self._tokens().append(_C.mode_push(self))
        return self

    def __exit__(self, *exception):
        _C.mode_pop(self._tokens()[-1])
        self._tokens().pop()


# PyTorch's name.
TorchDispatchMode = DispatchMode


class TensorHandler:
    """What hangs on tensors and gets the calls that they take part in.

    handler.attach(tensor) gives the tensor; TensorHandler.of(tensor) the handler. Classes
    that extend others are asked before these, else the order is that of the arguments.
    """

    def attach(self, tensor):
        _C.handler_set(tensor, self)
        return tensor

    @staticmethod
    def of(tensor):
        return _C.handler_get(tensor)


def current_mode():
    """The innermost mode of this thread; None if there is none."""
    return _C.mode_innermost()


@contextlib.contextmanager
def entry_state():
    """Within a handler: the thread's sets as they were when the call was made, so that
    layers above, autograd among them, take part in what is called."""
    guard = _C.entry_begin()
    try:
        yield
    finally:
        _C.entry_end(guard)
