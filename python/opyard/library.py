# SPDX-License-Identifier: Apache-2.0
"""Registration from Python: torch.library of PyTorch 2.6.

    lib = Library("mine", "FRAGMENT")
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: x + x, "CPU")
    opyard.ops.mine.twice(x)

What was registered through a Library goes with it. The functions below keep theirs for
the life of the process, unless they are given one.
"""
import contextlib
import functools
import re
import sys
import weakref

from . import _C
from ._ops import ops
from ._schema import Schema

__all__ = [
    "CFunction", "Library", "custom_op", "define", "fallthrough_kernel", "get_ctx",
    "impl", "infer_schema", "opcheck", "register_autograd", "register_fake",
    "register_kernel", "register_torch_dispatch", "register_vmap",
]

# "ns/name/key" of what Python registered: one kernel each.
_impls: set = set()
_reserved_namespaces = ["prim"]
# Libraries that the functions made.
_keep_alive: list = []


def fallthrough_kernel():
    """Given to Library.impl or fallback: the key is skipped."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class CFunction:
    """A kernel in C: the address of a function, as ctypes or a compiler gives it.

    It takes what opyard/inline.h says for |signature|, "(Tensor, Scalar) -> Tensor"; without
    one, for the operator's schema.
    """

    def __init__(self, address, signature=None):
        self.address, self.signature = address, signature


def _kernel(fn):
    """|fn| as opyard._C takes it."""
    if fn is fallthrough_kernel:
        return None
    if isinstance(fn, CFunction):
        return fn.address, fn.signature
    if not callable(fn):
        raise TypeError(
            f"Input function is required to be a callable but found type {type(fn)}")
    return fn


def _place(depth=1):
    """File and line of who called the library: the first frame that is not its own."""
    frame = sys._getframe(depth)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("opyard."):
        frame = frame.f_back
    return {"file": frame.f_code.co_filename, "line": frame.f_lineno}


def _refresh():
    """Operators came or went."""
    refresh = getattr(ops, "refresh", None)
    if refresh:
        refresh()


def _close(library, impls, handles):
    for handle in handles:
        handle()
    handles.clear()
    _impls.difference_update(impls)
    library.close()
    _refresh()


class Library:
    """Registrations that go together. Kinds: DEF, the one that owns a namespace; FRAGMENT,
    more definitions for one; IMPL, kernels for operators that others define."""

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: ", kind)
        if ns in _reserved_namespaces and kind in ("DEF", "FRAGMENT"):
            raise ValueError(
                ns, " is a reserved namespace. Please try creating a library with another name.")
        self.m = _C.Library(kind, ns, dispatch_key, **_place(2))
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._op_defs: set = set()
        self._op_impls: set = set()
        self._registration_handles: list = []
        self._end = weakref.finalize(
            self, _close, self.m, self._op_impls, self._registration_handles)

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Defines an operator; its name with the overload. |alias_analysis|: "",
        "CONSERVATIVE", "FROM_SCHEMA" or "PURE_FUNCTION"."""
        if isinstance(tags, str):
            tags = (tags,)
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE", "PURE_FUNCTION"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        self.m.define(schema, alias_analysis or "FROM_SCHEMA", " ".join(map(str, tags)) or None,
                      **_place())
        name = schema.partition("(")[0].strip().rpartition("::")[2]
        self._op_defs.add(f"{self.ns}::{name}")
        _refresh()
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Registers |fn| for an operator: a callable, fallthrough_kernel or a CFunction."""
        kernel = _kernel(fn)
        dispatch_key = _key_name(dispatch_key or self.dispatch_key)
        if isinstance(op_name, _C.Op):
            name = op_name.name
        elif isinstance(op_name, str):
            name = op_name
        else:
            raise RuntimeError("impl should be passed either a name or an OpOverload object as "
                               "the first argument")
        base = name.rpartition("::")[2]
        key = f"{self.ns}/{base}/{dispatch_key}"
        if key in _impls and not allow_override:
            raise RuntimeError(
                f"This is not allowed since there's already a kernel registered from python "
                f"overriding {base}'s behavior for {dispatch_key} dispatch key and {self.ns} "
                "namespace.")
        if dispatch_key == "Meta":
            self._check_meta(name)
        self.m.impl(name, kernel, dispatch_key or "CompositeImplicitAutograd", with_keyset,
                    allow_override, **_place())
        _impls.add(key)
        self._op_impls.add(key)

    def _check_meta(self, name):
        full = name if "::" in name else f"{self.ns}::{name}"
        if _C.has_kernel(full, "CompositeImplicitAutograd"):
            raise RuntimeError(
                f"We should not register a meta kernel directly to the operator '{name}', "
                "because it has a CompositeImplicitAutograd kernel in core. Instead we should "
                "let the operator decompose, and ensure that we have meta kernels for the base "
                "ops that it decomposes into.")

    def fallback(self, fn, dispatch_key="", *, with_keyset=False):
        """Registers |fn|(op, *args, **kwargs) for all operators that have nothing else at
        the key. The library must be IMPL for the namespace "_"."""
        dispatch_key = _key_name(dispatch_key or self.dispatch_key)
        if self.ns != "_":
            raise RuntimeError(
                'Fallback can only be registered using libary fragment on the global namespace '
                f'"_" but it is {self.ns}')
        if not dispatch_key:
            raise ValueError("fallback(): expected a dispatch key, got none")
        self.m.fallback(_kernel(fn), dispatch_key, with_keyset, **_place())

    def _register_fake(self, op_name, fn, _stacklevel=1):
        from ._fake_impl import register

        self._registration_handles.append(register(self, op_name, fn, _place()))

    def _register_torch_dispatch_rule(self, op_name, torch_dispatch_class, fn):
        op = _C.find_op(f"{self.ns}::{op_name}")
        _C.dispatch_rule_set(op, torch_dispatch_class, fn)
        self._registration_handles.append(
            lambda: _C.dispatch_rule_set(op, torch_dispatch_class, None))

    def _destroy(self):
        """Undoes all registrations now."""
        self._end()


def _key_name(key):
    return key if isinstance(key, str) else key.name


@contextlib.contextmanager
def _scoped_library(*args, **kwargs):
    """A Library that is destroyed at the end of `with`."""
    lib = Library(*args, **kwargs)
    try:
        yield lib
    finally:
        lib._destroy()


# ------------------------------------------------------- functions by full name

def _parse_namespace(qualname):
    parts = qualname.split("::")
    if len(parts) != 2:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. '
            "The qualname passed to the torch.library APIs must consist of a namespace and a "
            "name, e.g. aten::sin")
    return parts


def _library_for(namespace, lib):
    if lib is None:
        lib = Library(namespace, "FRAGMENT")
        _keep_alive.append(lib)
    return lib


_NAMELESS_SCHEMA = re.compile(r"\(.*\) -> .*", re.DOTALL)


@functools.singledispatch
def define(qualname, schema, *, lib=None, tags=()):
    """define("mine::twice", "(Tensor x) -> Tensor")"""
    if not isinstance(qualname, str):
        raise ValueError(
            f"define(qualname, schema): expected qualname to be instance of str, got "
            f"{type(qualname)}")
    namespace, name = _parse_namespace(qualname)
    if not _NAMELESS_SCHEMA.fullmatch(schema):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> '
            f'Tensor" but got "{schema}"')
    _library_for(namespace, lib).define(name + schema, alias_analysis="", tags=tags)


@define.register
def _(lib: Library, schema, alias_analysis=""):
    def register(fn):
        lib.impl(lib.define(schema, alias_analysis), fn)
        return fn

    return register


def _device_key(device_type):
    """The key of a device's kernels; "default": every device's."""
    if device_type is None or device_type == "default":
        return "CompositeExplicitAutograd"
    known = {name.lower(): name for name in _C.backends()}
    if device_type not in known:
        raise RuntimeError(f"Expected one of {', '.join(known)} device type at start of device "
                           f"string: {device_type}")
    return known[device_type]


def _is_key(name):
    try:
        _C.key_parse(name)
    except RuntimeError:
        return False
    return True


def _impl(qualname, types, func, lib):
    if types is None or isinstance(types, str):
        types = (types,)
    keys = {name if name and _is_key(name) else _device_key(name) for name in types}

    def register(fn):
        namespace, name = _parse_namespace(qualname)
        use = _library_for(namespace, lib)
        for key in sorted(keys):
            use.impl(name, fn, key)
        return fn

    return register if func is None else register(func)


@functools.singledispatch
def impl(qualname, types, func=None, *, lib=None):
    """impl("mine::twice", "cpu")(fn): device types, "default" for every one, or keys."""
    return _impl(qualname, types, func, lib)


@impl.register
def _(lib: Library, name, dispatch_key=""):
    def register(fn):
        lib.impl(name, fn, dispatch_key)
        return fn

    return register


def _qualname(op, who):
    """(name, CustomOpDef or None) of what the register functions take."""
    from ._custom_op import CustomOpDef, find_definition

    if isinstance(op, CustomOpDef):
        return op._qualname, op
    if isinstance(op, _C.Op):
        op = op.name
    if not isinstance(op, str):
        raise ValueError(f"{who}({op}): got unexpected type for op: {type(op)}")
    return op, find_definition(op)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """Registers the kernel of |op| for a device type, several, or all: None."""
    name, definition = _qualname(op, "register_kernel")
    if definition is not None:
        return definition.register_kernel(device_types, func)
    return _impl(name, device_types, func, lib)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1):
    """Registers what |op| does to fake and Meta tensors: one for each operator."""
    name, definition = _qualname(op, "register_fake")

    def register(fn):
        if definition is not None:
            return definition.register_fake(fn)
        namespace, opname = _parse_namespace(name)
        _library_for(namespace, lib)._register_fake(opname, fn)
        return fn

    return register if func is None else register(func)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Registers backward(ctx, *grads), and setup_context(ctx, inputs, output)."""
    from ._autograd_rule import Rule, autograd_kernel

    name, definition = _qualname(op, "register_autograd")
    if definition is not None:
        definition.register_autograd(backward, setup_context=setup_context)
        return
    schema = Schema.of(name)
    if not schema.is_plain_function():
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {name} with schema "
            f"{schema}. Please create a functional operator and register an autograd formula "
            "for that.")
    if schema.has_kwarg_only_tensors():
        raise NotImplementedError(
            "register_autograd with kwarg-only Tensor args. In the original definition of the "
            f"op, please make your tensors not kwarg-only. Got: {schema}")
    namespace, opname = _parse_namespace(name)
    kernel = autograd_kernel(name, schema, Rule(backward, setup_context))
    _library_for(namespace, lib).impl(opname, kernel, "Autograd", with_keyset=True)


def register_vmap(op, func=None, /, *, lib=None):
    """Registers func(info, in_dims, *args, **kwargs) -> (output, out_dims)."""
    from ._vmap_rule import vmap_kernel

    name, definition = _qualname(op, "register_vmap")
    if definition is not None:
        return definition.register_vmap(func)

    def register(fn):
        namespace, opname = _parse_namespace(name)
        _library_for(namespace, lib).impl(opname, vmap_kernel(name, fn), "FuncTorchBatched",
                                          with_keyset=True)

    return register if func is None else register(func)


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None):
    """Registers func(mode, op, types, args, kwargs): what a mode, or a tensor with a
    handler, of exactly that class does with |op| instead of __torch_dispatch__."""
    name, _definition = _qualname(op, "register_torch_dispatch")

    def register(fn):
        namespace, opname = _parse_namespace(name)
        _library_for(namespace, lib)._register_torch_dispatch_rule(
            opname, torch_dispatch_class, fn)
        return fn

    return register if func is None else register(func)


from ._custom_op import custom_op  # noqa: E402
from ._fake_impl import get_ctx  # noqa: E402
from ._infer_schema import infer_schema  # noqa: E402
from ._opcheck import opcheck  # noqa: E402
