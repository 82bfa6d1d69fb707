# SPDX-License-Identifier: Apache-2.0
"""The dispatcher, to be looked at: which kernels there are, and which one a call gets.

    print(dispatch.dump_table("aten::add.Tensor"))     # PyTorch's text
    dispatch.table("aten::add.Tensor")["CPU"]          # the same as data
    print(dispatch.explain(opyard.add, x, y))          # why, without calling
    with dispatch.trace() as lines: x + y              # what was called

Operators are named as "aten::add.Tensor", or by their objects.
"""
import contextlib
import re
from typing import NamedTuple

from . import _C
from ._explain import Explanation, Step, explain  # noqa: F401
from ._key import DispatchKey, DispatchKeySet


def _name(op):
    return op if isinstance(op, str) else op.name


# ------------------------------------------------------------------ dumps

def dump_state(op):
    """What is registered for an operator, as PyTorch prints it; "" if nothing is."""
    return _C.dump_state(_name(op))


def dump_table(op):
    """The kernel of each key, as PyTorch prints it."""
    return _C.dump_table(_name(op))


def dump_extractor(op):
    """Which arguments give keys, and which keys are not passed by."""
    return _C.dump_extractor(_name(op))


class Registration(NamedTuple):
    key: str
    place: str      # "registered at file:line"
    signature: str  # "(Tensor _0) -> Tensor _0" or "(none)"
    flags: tuple    # of "fallthrough", "boxed", "unboxed"
    active: bool    # the newest for its key
    alias: bool


class Cell(NamedTuple):
    place: str
    provenance: str  # "kernel", "math kernel", "backend fallback", ...
    fallthrough: bool


_STATE_LINE = re.compile(r"(\w+)(\[alias\])?( \(inactive\))?: (.*) :: (.*) \[ (.*) \]")
_TABLE_LINE = re.compile(r"(\w+): (fallthrough )?(.*) \[([^\[\]]*)\]")


def registrations(op):
    """The kernels that are registered for an operator, as a list."""
    found = (_STATE_LINE.fullmatch(line) for line in dump_state(op).splitlines())
    return [Registration(m[1], m[4], m[5], tuple(m[6].split()), not m[3], bool(m[2]))
            for m in found if m]


def table(op):
    """The computed table: a Cell for the name of each key that has a kernel."""
    found = (_TABLE_LINE.fullmatch(line) for line in dump_table(op).splitlines())
    return {m[1]: Cell(m[3], m[4], bool(m[2])) for m in found if m}


# ------------------------------------------------------------------ questions

def op_names():
    """All operators that have a schema or kernels, sorted."""
    return _C.registered_names()


def has_schema(op):
    return _C.has_schema(_name(op))


def has_kernel(op, key=None):
    """Whether a kernel is registered at |key| itself; without a key: a schema or any."""
    if key is not None:
        return _C.has_kernel(_name(op), key)
    return _name(op) in _C.registered_names()


def has_kernel_for_any(op, keys):
    return _C.has_kernel_in(_name(op), *DispatchKeySet(keys)._words)


def has_computed_kernel_for(op, key):
    """Whether the table has a kernel for |key|, from wherever."""
    return _C.has_computed_kernel(_name(op), key)


def kernel_is_fallthrough(op, key):
    return _C.is_fallthrough(_name(op), key)


def has_fallback(key):
    """Whether there is a kernel for all operators at |key|."""
    return _C.has_fallback(key)


def get_registrations_for_dispatch_key(key=""):
    """Names of operators with a kernel at |key| itself; without a key: all."""
    return _C.dump_key(key).split()


def print_registrations_for_dispatch_key(key=""):
    print(_C.dump_key(key), end="")


def find_dangling_impls():
    """Dumps of operators that have kernels and no schema."""
    return [_C.dump_state(name) for name in _C.registered_names(True)]


def check_invariants(op=None):
    """RuntimeError with both dumps if tables are not what they should be."""
    if op is None:
        _C.check_invariants()
    else:
        _C.check_invariants(_name(op))


def generation():
    """Counts changes of the registry."""
    return _C.generation()


# ------------------------------------------------------------------ keys

def keys(tensor):
    """The keys of a tensor."""
    return DispatchKeySet._of(_C.keyset_of_tensor(tensor))


def expand(key):
    """The runtime keys that an alias key stands for."""
    return DispatchKeySet._of(_C.key_fact("expand", key))


def full_after(key):
    """Everything below |key|: what a layer masks its keys with before it redispatches."""
    return DispatchKeySet._of(_C.key_fact("full_after", key))


def named_set(name):
    """"autograd", "backends", "after_autograd", "default_included", ..."""
    return DispatchKeySet._of(_C.keyset_named(name))


def is_included_in_alias(key, alias):
    return _C.key_in_alias(key, alias)


def register_backend(name):
    """Adds the backend |name| with its six keys, or finds it; its name."""
    return _C.backend_register(name)


def backends():
    return _C.backends()


# ------------------------------------------------------------------ calls

def call_boxed(op, *args, **kwargs):
    return _C.call_boxed(op, None, args, kwargs)


def redispatch(op, keyset, *args, **kwargs):
    """Calls with exactly these keys: no sets of the thread, no masks."""
    return _C.redispatch_boxed(op, keyset, args, kwargs)


def call_for_key(op, key, *args, **kwargs):
    """The kernel registered for |key| itself, else the fallback of |key|."""
    return _C.call_for_key(op, key, args, kwargs)


# ------------------------------------------------------------------ the thread

def tls_included():
    return DispatchKeySet._of(_C.included())


def tls_excluded():
    return DispatchKeySet._of(_C.excluded())


def tls_is_included(key):
    return _C.state_has(False, key)


def tls_is_excluded(key):
    return _C.state_has(True, key)


def tls_set_included(key, on):
    _C.state_set(False, key, on)


def tls_set_excluded(key, on):
    _C.state_set(True, key, on)


class _Guard:
    """The thread's sets are changed within `with`; it can be entered again and nested."""

    def __init__(self, kind, *words):
        self._kind, self._words, self._before = kind, words, []

    def __enter__(self):
        self._before.append(_C.guard_begin(self._kind, *self._words))
        return self

    def __exit__(self, *exception):
        _C.guard_end(self._before.pop())


def include(keyset):
    """with dispatch.include(keys): they are part of every call's set."""
    return _Guard("include", *DispatchKeySet(keyset)._words)


def exclude(keyset):
    """with dispatch.exclude(keys): no call goes to them."""
    return _Guard("exclude", 0, 0, *DispatchKeySet(keyset)._words)


def force(included, excluded):
    """Both sets are exactly these."""
    return _Guard("force", *DispatchKeySet(included)._words, *DispatchKeySet(excluded)._words)


def preserve():
    """Puts both sets back at the end."""
    return _Guard("preserve")


def below_autograd():
    """Calls do not go to autograd."""
    return _Guard("below_autograd")


def below_adinplaceorview():
    """Calls go neither to autograd nor to ADInplaceOrView."""
    return _Guard("below_adinplaceorview")


def without_handlers():
    """No __torch_dispatch__ of a mode or a tensor is asked."""
    return exclude(named_set("python"))


@contextlib.contextmanager
def trace(to_list=True):
    """Lines for what this thread dispatches, in a list; or to stderr."""
    lines = [] if to_list else None
    token = _C.trace_begin(lines)
    try:
        yield lines
    finally:
        _C.trace_end(*token)


__all__ = [name for name in list(globals()) if not name.startswith("_") and
           name not in ("contextlib", "re", "NamedTuple")] + ["DispatchKey"]
