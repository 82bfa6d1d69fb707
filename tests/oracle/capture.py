# SPDX-License-Identifier: Apache-2.0
"""What PyTorch calls when one of its functions runs, at two levels:

calls     functions of its C++ part as Python calls them: torch._C._nn.gelu, Tensor.add;
          Python functions such as F.cross_entropy are seen through
dispatch  operators below CompositeImplicitAutograd, of each call

Arguments are converted before PyTorch sees them, so that writes to them do not matter.
"""
import sys
import threading

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import measured
import otherwise
import samples
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
    """A call that PyTorch makes: its name, opyard's arguments, and how it ended.

    |verdict| is what check says of it, at once: what comes next may write the result.
    |writes| is whether its schema says that it writes; None if there is no schema.
    """

    def __init__(self, name, args, kwargs, writes=None):
        self.name, self.writes = name, writes
        self.converter = Converter()
        self.result = self.error = self.unsupported = self.verdict = None
        self.trace = []
        # Its values mean nothing: random, or wrong in PyTorch itself.
        self.valueless = False
        self.wide = None  # the same call in float32
        self.again = None  # the same call, arguments in place of its own; if none is written
        try:
            self.args, self.kwargs = self.converter.call(args, kwargs)
        except NotSupported as reason:
            self.unsupported = str(reason)

    def run(self, func, args, kwargs, judge):
        plain, inputs = _without_outs(func, kwargs)
        wide = _unseen(measured.widened, (args, inputs), {})
        if wide:
            self.wide = lambda: _unseen(plain, *wide)
        kept = args
        if self.name.split(".")[0].endswith("_") and not self.name.endswith("__"):
            kept = _unseen(measured.cloned, (args,), {})

        def again(change=None):
            if change:
                return _again(plain, *_unseen(change, (kept, inputs), {}))
            return _again(func, _unseen(measured.cloned, (kept,), {}) if kept is not args
                          else args, kwargs)

        self.again = again
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self.error = error
            raise
        self.result = otherwise.returned(self.name, result, kwargs)
        self.verdict = judge(self)
        # Views of the arguments keep much memory alive.
        self.result = self.converter = self.wide = self.again = None
        return result


_UNSEEN = [False]


def _unseen(func, args, kwargs):
    """Calls without looking at what PyTorch makes it of."""
    _UNSEEN[0] = True
    try:
        return func(*args, **kwargs)
    finally:
        _UNSEEN[0] = False


def _without_outs(func, kwargs):
    """What makes the results of |func| anew, and its arguments."""
    if not isinstance(func, torch._ops.OpOverload):
        return func, {k: v for k, v in kwargs.items() if k != "out"}
    outs = {a.name for a in func._schema.arguments if a.is_out}
    return (func.overloadpacket if outs else func,
            {k: v for k, v in kwargs.items() if k not in outs})


def _again(func, args, kwargs):
    """Without the modes: below one PyTorch 1.13 takes no notice of conjugate views. A
    thread of its own has none."""
    answer = []

    def run():
        with torch.no_grad():
            try:
                answer.append((func(*args, **kwargs), None))
            except Exception as error:  # noqa: BLE001  raised again below
                answer.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    result, error = answer[0]
    if error:
        raise error
    return result


class _Missing:
    """A call of an operator that the table does not have."""

    def __init__(self, name):
        self.verdict = ("not supported", f"missing {name}")
        self.name = name


class _Dispatch(TorchDispatchMode):
    def __init__(self, call, judge):
        super().__init__()
        self.call, self.judge = call, judge

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if _UNSEEN[0]:
            return func(*args, **kwargs)
        name = func._schema.name
        if func._schema.overload_name:
            name += "." + func._schema.overload_name
        base = func._schema.name.split("::")[1]
        valueless = torch.Tag.nondeterministic_seeded in func.tags or (
            base in samples.WRONG_IN_COMPLEX and args[0].is_complex())
        self.call.valueless |= valueless
        if not self.judge.has(name):
            self.call.trace.append(_Missing(name))
            return func(*args, **kwargs)
        inner = Call(name, args, kwargs, func._schema.is_mutable)
        inner.valueless = valueless
        self.call.trace.append(inner)
        return inner.run(func, args, kwargs, self.judge.inner)


class Capture(TorchFunctionMode):
    """with Capture(judge) as c: ...; c.calls, each with a verdict if it did not raise.

    |judge| has: has(name of an overload), inner(call) and outer(call), which compare.
    """

    def __init__(self, judge):
        super().__init__()
        self.judge, self.calls = judge, []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        call = Call(getattr(func, "__name__", repr(func)), args, kwargs)
        self.calls.append(call)
        with _Dispatch(call, self.judge):
            return call.run(func, args, kwargs, self.judge.outer)
