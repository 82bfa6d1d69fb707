# SPDX-License-Identifier: Apache-2.0
"""Fake implementations: one for each operator, as its kernel at Meta, which is where fake
tensors are computed."""
import functools
import threading

from . import _C


class _Entry:
    """The fake implementation of one operator."""

    def __init__(self, fn, source):
        self.fn, self.source = fn, source


_entries: dict = {}  # by name


class _Context(threading.local):
    stack: tuple = ()


_context = _Context()


class FakeImplCtx:
    """What get_ctx() gives within a fake implementation."""

    def __init__(self, op):
        self._op = op

    def new_dynamic_size(self, *, min=0, max=None):  # noqa: A002  PyTorch's names
        """A size that depends on data. There are no such sizes here: fake tensors have
        numbers as sizes, and an operator that needs data is refused."""
        raise RuntimeError(f"DynamicOutputShapeException: {self._op}")

    create_unbacked_symint = new_dynamic_size


def get_ctx():
    """The context of the fake implementation that runs; an error outside of one."""
    if not _context.stack:
        raise RuntimeError("get_ctx() is only valid inside of a fake implementation")
    return _context.stack[-1]


def _check(name):
    if name in _entries:
        raise RuntimeError(
            f"register_fake(...): the operator {name} already has an fake impl registered at "
            f"{_entries[name].source}.")
    if _C.has_kernel(name, "Meta"):
        raise RuntimeError(
            f"register_fake(...): the operator {name} already has an DispatchKey::Meta "
            "implementation via a pre-existing torch.library or TORCH_LIBRARY registration. "
            "Please either remove that registration or don't call register_fake.")
    if _C.has_kernel(name, "CompositeImplicitAutograd"):
        raise RuntimeError(
            f"register_fake(...): the operator {name} already has an implementation for this "
            "device type via a pre-existing registration to "
            "DispatchKey::CompositeImplicitAutograd.CompositeImplicitAutograd operators do not "
            "need an fake impl; instead, the operator will decompose into its constituents and "
            "those can have fake impls defined on them.")


def register(library, op_name, fn, place):
    """Registers |fn|; what takes it away again."""
    name = f"{library.ns}::{op_name}"
    _check(name)
    entry = _Entry(fn, f"{place['file']}:{place['line']}")

    @functools.wraps(fn)
    def kernel(*args, **kwargs):
        before = _context.stack
        _context.stack = before + (FakeImplCtx(name),)
        try:
            return entry.fn(*args, **kwargs)
        finally:
            _context.stack = before

    library.impl(op_name, kernel, "Meta")
    _entries[name] = entry
    return lambda: _entries.pop(name, None)


def has_fake(name):
    return name in _entries
