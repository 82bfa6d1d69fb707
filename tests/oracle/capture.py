# SPDX-License-Identifier: Apache-2.0
"""What PyTorch calls when one of its functions runs, at two levels:

calls     functions of its C++ part as Python calls them: torch._C._nn.gelu, Tensor.add;
          Python functions such as F.cross_entropy are seen through
dispatch  operators below CompositeImplicitAutograd, of each call

Arguments are converted before PyTorch sees them, so that writes to them do not matter.
"""
import sys

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from convert import Converter, NotSupported

# Python functions would hand themselves to a mode instead of running.
for _module in list(sys.modules.values()):
    if getattr(_module, "__name__", "").startswith("torch") and \
            _module.__name__ not in ("torch.overrides", "torch._C"):
        for _name in ("has_torch_function", "has_torch_function_unary",
                      "has_torch_function_variadic"):
            if _name in _module.__dict__:
                setattr(_module, _name, lambda *args, **kwargs: False)


class Call:
    """A call that PyTorch made: its name, opyard's arguments, and how it ended."""

    def __init__(self, name, args, kwargs):
        self.name = name
        self.converter = Converter()
        self.result = self.error = self.unsupported = None
        self.trace = []
        self.seeded = False
        try:
            self.args, self.kwargs = self.converter.call(args, kwargs)
        except NotSupported as reason:
            self.unsupported = str(reason)

    def run(self, func, args, kwargs):
        try:
            self.result = func(*args, **kwargs)
        except Exception as error:
            self.error = error
            raise
        return self.result


class _Dispatch(TorchDispatchMode):
    def __init__(self, call, known):
        super().__init__()
        self.call, self.known = call, known

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = func._schema.name
        if func._schema.overload_name:
            name += "." + func._schema.overload_name
        if torch.Tag.nondeterministic_seeded in func.tags:
            self.call.seeded = True
        if name not in self.known:
            missing = Call(name, (), {})
            missing.unsupported = f"missing {name}"
            self.call.trace.append(missing)
            return func(*args, **kwargs)
        inner = Call(name, args, kwargs)
        inner.seeded = torch.Tag.nondeterministic_seeded in func.tags
        self.call.trace.append(inner)
        return inner.run(func, args, kwargs)


class Capture(TorchFunctionMode):
    """with Capture(known) as c: ...; c.calls. |known|: names of opyard's overloads."""

    def __init__(self, known):
        super().__init__()
        self.known, self.calls = known, []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        call = Call(getattr(func, "__name__", repr(func)), args, kwargs)
        self.calls.append(call)
        with _Dispatch(call, self.known):
            return call.run(func, args, kwargs)
