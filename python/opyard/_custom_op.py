# SPDX-License-Identifier: Apache-2.0
"""custom_op: an operator made of a Python function."""
import contextlib
import inspect

from . import _C
from ._autograd_rule import autograd_kernel
from ._infer_schema import infer_schema
from ._key import DispatchKeySet
from ._schema import Schema
from ._tree import tensors_of

_definitions: dict = {}  # by name


def find_definition(op):
    """The CustomOpDef of a name; None if it was made otherwise."""
    return _definitions.get(op)


def _check_aliasing(name, fn, args, kwargs, result):
    """Results of a custom operator share no memory with arguments or each other."""
    seen = tensors_of([args, kwargs])
    for tensor in tensors_of([result]):
        if any(tensor.is_same(other) or _share(tensor, other) for other in seen):
            raise RuntimeError(
                f"{name} (with implementation in {inspect.getmodule(fn)}): The output of this "
                "custom operator (1) must not also be an input to this custom operator and (2) "
                "may not alias any inputs to this custom operator or other returns. The most "
                "common way to trigger this error is if we have y = custom_op(x) and y and x "
                "are the same Tensor. Please instead return a clone of the offending output "
                "tensor(s) (e.g. return x.clone()) or refactor the custom operator to not "
                "return y.")
        seen.append(tensor)


def _share(a, b):
    return a.numel() > 0 and b.numel() > 0 and a.is_alias_of(b)


class CustomOpDef:
    """What custom_op() gives: the operator, to be called, and to be given more kernels."""

    def __init__(self, namespace, name, schema, fn, tags):
        from .library import Library

        self._namespace, self._name, self._init_fn = namespace, name, fn
        self._backend_fns, self._disabled = {}, set()
        self._abstract_fn = self._vmap_fn = None
        self.backward = self.setup_context = None
        self._check_schema(schema)
        _retire(self._qualname)
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(name + schema, tags=tags)
        self._schema = Schema.of(self._qualname)
        self._op = _C.find_op(self._qualname)
        self._register_layers()
        _definitions[self._qualname] = self

    def _check_schema(self, schema):
        parsed = Schema.parse(self._name + schema)
        if parsed.has_kwarg_only_tensors():
            raise NotImplementedError(
                "custom_op with kwarg-only Tensor args. Please make your tensors not "
                f"kwarg-only. Got: {self._name}{schema}")
        aliasing = any(r.is_alias for r in parsed.returns) or any(
            a.is_alias and not a.is_write for a in parsed.arguments)
        if aliasing:
            raise RuntimeError(
                f"custom_op with schema {self._name}{schema}: expected results that are new, "
                "got a result that is a view of an argument, or an argument")

    @property
    def _qualname(self):
        return f"{self._namespace}::{self._name}"

    @property
    def _opoverload(self):
        return self._op

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args, **kwargs):
        return self._op(*args, **kwargs)

    # ------------------------------------------------------------------ layers

    def _register_layers(self):
        def fake(*args, **kwargs):
            if self._abstract_fn is not None:
                return self._abstract_fn(*args, **kwargs)
            if self._schema.is_mutable and not self._schema.returns:
                return None
            raise RuntimeError(
                f"There was no fake impl registered for {self}. This is necessary for "
                "torch.compile/export/fx tracing to work. Please use "
                f"`{self._init_fn.__name__}.register_fake` to add an fake impl.")

        self._lib._register_fake(self._name, fake)
        kernel = autograd_kernel(self._qualname, self._schema, self)
        self._lib.impl(self._name, kernel, "Autograd", with_keyset=True)
        if self._schema.is_mutable:
            self._lib.impl(self._name, self._versions, "ADInplaceOrView", with_keyset=True)

    def _versions(self, keys, *args, **kwargs):
        """Counts the change of what is written."""
        args, kwargs = self._schema.fill_defaults(args, kwargs)
        for i, argument in enumerate(self._schema.arguments):
            if argument.is_write:
                value = kwargs[argument.name] if argument.kwarg_only else args[i]
                for tensor in tensors_of([value]):
                    _C.bump_version(tensor)
        guard = _C.guard_begin("below_adinplaceorview")
        try:
            below = DispatchKeySet(None, *_C.keyset_named("after_adinplaceorview"))
            return _C.redispatch_boxed(self._op, keys & below, args, kwargs)
        finally:
            _C.guard_end(guard)

    # ----------------------------------------------------------------- kernels

    def register_kernel(self, device_types, fn=None, /):
        """For a device type, several, or all that have none of their own: None."""
        types = [device_types] if device_types is None or isinstance(device_types, str) \
            else list(device_types)
        if device_types is not None and not self._schema.has_tensors():
            raise ValueError("Functions without tensor inputs are required to have a `device: "
                             "torch.device` argument")

        def register(function):
            for device_type in types:
                self._register_one(device_type, function)
            return function

        return register if fn is None else register(fn)

    def _register_one(self, device_type, function):
        from .library import _device_key

        is_new = device_type not in self._backend_fns
        self._backend_fns[device_type] = function
        if not is_new:
            return

        def kernel(*args, **kwargs):
            disabled = device_type in self._disabled
            chosen = self._init_fn if disabled else self._backend_fns[device_type]
            result = chosen(*args, **kwargs)
            _check_aliasing(self._name, chosen, args, kwargs, result)
            return result

        self._lib.impl(self._name, kernel, _device_key(device_type))

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type, enabled=True):
        """Within `with`: the kernel of a device type, or the function of custom_op."""
        before = set(self._disabled)
        self._disabled = before - {device_type} if enabled else before | {device_type}
        try:
            yield
        finally:
            self._disabled = before

    def register_fake(self, fn, /):
        """What the operator does to fake and Meta tensors."""
        self._abstract_fn = fn
        return fn

    def register_autograd(self, backward, /, *, setup_context=None):
        """backward(ctx, *grads) and setup_context(ctx, inputs, output)."""
        if not self._schema.is_plain_function():
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with "
                f"schema {self._schema}. Please create a functional operator and register an "
                "autograd formula for that.")
        self.backward, self.setup_context = backward, setup_context

    def register_vmap(self, func=None):
        """func(info, in_dims, *args, **kwargs) -> (output, out_dims)."""
        from ._vmap_rule import vmap_kernel

        def register(function):
            is_new = self._vmap_fn is None
            self._vmap_fn = function
            if is_new:
                rule = vmap_kernel(self._qualname, lambda *a, **k: self._vmap_fn(*a, **k))
                self._lib.impl(self._name, rule, "FuncTorchBatched", with_keyset=True)
            return function

        return register if func is None else register(func)

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        def register(function):
            self._lib._register_torch_dispatch_rule(
                self._name, torch_dispatch_class, function)
            return function

        return register if fn is None else register(fn)

    def _destroy(self):
        _definitions.pop(self._qualname, None)
        self._lib._destroy()


def _retire(qualname):
    """Makes room: custom_op may define the same name again, as when a notebook cell runs
    twice."""
    before = _definitions.get(qualname)
    if before is not None:
        before._destroy()


def _check_mutates(schema, name, mutates_args):
    written = {a.name for a in Schema.parse(name + schema).arguments if a.is_write}
    if written != set(mutates_args):
        raise ValueError(
            f"Attempted to create a custom op with `mutates_args={mutates_args}` and "
            f"`schema={schema}. The schema suggests that the op mutates {written}which is "
            "different from what was provided to us in `mutates_args`. Please make these "
            "consistent.")


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Makes an operator of a function. The schema comes from its annotations, unless it is
    given; |mutates_args| names the arguments that it writes to.

        @custom_op("mine::twice", mutates_args=())
        def twice(x: opyard.Tensor) -> opyard.Tensor:
            return x + x
    """
    from .library import _parse_namespace

    def make(function):
        namespace, base = _parse_namespace(name)
        text = schema or infer_schema(function, mutates_args=mutates_args)
        if schema is not None:
            _check_mutates(schema, base, mutates_args)
        made = CustomOpDef(namespace, base, text, function, tags or ())
        made.register_kernel(device_types)(function)
        return made

    return make if fn is None else make(fn)
