# SPDX-License-Identifier: Apache-2.0
"""opcheck: whether what was registered for an operator is true of it."""
from . import _C
from ._schema import Schema
from ._tree import tensors_of
from .fake import FakeTensorMode

_AUTOGRAD = {"cpu": "AutogradCPU", "cuda": "AutogradCUDA"}


class OpCheckError(Exception):
    """A check of opcheck() failed; __cause__ says how."""


def _mapped(value, function):
    """|value| with function(tensor) in the place of each tensor."""
    if isinstance(value, _C.Tensor):
        return function(value)
    if isinstance(value, dict):
        return {key: _mapped(item, function) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(item, function) for item in value)
    return value


def _copy(tensor):
    before = _C.grad_mode(False)
    try:
        copy = _C.call_boxed("aten::clone", None, (tensor,), {})
    finally:
        _C.grad_mode(before)
    if tensor.requires_grad:
        copy.requires_grad = True
    return copy


def _content(tensor):
    """Everything that a write changes; NaN equals NaN."""
    return repr(tensor.tolist()), tuple(tensor.shape), tensor.stride()


def _named_arguments(schema, args, kwargs):
    names = [a for a in schema.arguments if not a.kwarg_only]
    found = list(zip(names, args))
    return found + [(a, kwargs[a.name]) for a in schema.arguments if a.name in kwargs]


def _without_grad(function, *args):
    before = _C.grad_mode(False)
    try:
        return function(*args)
    finally:
        _C.grad_mode(before)


def _test_schema(op, args, kwargs):
    """Only arguments that the schema says so are written to, and only these and views are
    among the results."""
    schema = Schema.of(op)
    args, kwargs = _mapped(args, _copy), _mapped(kwargs, _copy)
    named = _named_arguments(schema, args, kwargs)
    before = [[_content(tensor) for tensor in tensors_of(value)] for _, value in named]
    results = _without_grad(lambda: _C.call_boxed(op, None, args, kwargs))
    results = results if isinstance(results, tuple) else (results,)
    for (argument, value), contents in zip(named, before):
        tensors = tensors_of(value)
        if not argument.is_write and [_content(t) for t in tensors] != contents:
            raise RuntimeError(
                f"Argument {argument.name} is not defined as mutable but was mutated")
        for result, declared in zip(results, schema.returns):
            aliasing = any(_aliases(t, r) for t in tensors for r in tensors_of(result))
            if aliasing and not (argument.is_alias and declared.is_alias):
                raise RuntimeError(
                    f"Argument {argument.name} is not defined to alias output but was "
                    "aliasing")
    _check_results_apart(results, schema)


def _aliases(a, b):
    return a.is_same(b) or (a.numel() > 0 and b.numel() > 0 and a.is_alias_of(b))


def _check_results_apart(results, schema):
    for i, a in enumerate(results):
        for j, b in enumerate(results[:i]):
            declared = schema.returns[i].is_alias and schema.returns[j].is_alias
            if not declared and any(_aliases(x, y) for x in tensors_of(a) for y in tensors_of(b)):
                raise RuntimeError(f"Outputs {j} and {i} alias unexpectedly")


def _test_autograd_registration(op, args, kwargs):
    """A gradient comes from a kernel at an autograd key, not from inside another one."""
    args, kwargs = _mapped(args, _copy), _mapped(kwargs, _copy)
    inputs = tensors_of([args, kwargs])
    if not any(tensor.requires_grad for tensor in inputs):
        return
    keys = {_AUTOGRAD.get(str(tensor.device).partition(":")[0]) for tensor in inputs} - {None}
    for key in (*keys, "Autograd", "CompositeImplicitAutograd"):
        if _C.has_kernel(op, key):
            return
    results = tensors_of([_C.call_boxed(op, None, args, kwargs)])
    new = [r for r in results if not any(r.is_same(tensor) for tensor in inputs)]
    if any(_has_history(tensor) for tensor in new):
        raise AssertionError(
            f"{op.name}: at least one output of this operator has requires_grad=True but the "
            "operator does not have an autograd kernel defined at an autograd key (e.g. "
            "DispatchKey::Autograd). This could mean that you have incorrectly registered an "
            "autograd kernel to a non-Autograd DispatchKey, which may lead to silently "
            "incorrect results. If your operator consists of regular PyTorch operations, "
            "consider not using an operator at all or registering your operator as "
            "CompositeImplicitAutograd. If you have an autograd.Function registered to a "
            "backend (CPU/CUDA) key, the correct location for it is the Autograd key.")


def _has_history(tensor):
    return tensor.requires_grad


def _metadata(tensor):
    return {"shape": tuple(tensor.shape), "dtype": tensor.dtype, "device": str(tensor.device),
            "strides": tensor.stride()}


def _test_faketensor(op, args, kwargs):
    """Fake tensors come out with the metadata of real ones."""
    real = _without_grad(
        lambda: _C.call_boxed(op, None, _mapped(args, _copy), _mapped(kwargs, _copy)))
    mode = FakeTensorMode()
    fake_args, fake_kwargs = _mapped(args, mode.from_tensor), _mapped(kwargs, mode.from_tensor)
    with mode:
        fake = _without_grad(lambda: _C.call_boxed(op, None, fake_args, fake_kwargs))
    real, fake = tensors_of([real]), tensors_of([fake])
    if len(real) != len(fake):
        raise AssertionError(f"{op.name}: real tensors give {len(real)} tensors, fake ones "
                             f"{len(fake)}")
    for i, (one, other) in enumerate(zip(real, fake)):
        wanted, got = _metadata(one), _metadata(other)
        if wanted != got:
            wrong = [name for name in wanted if wanted[name] != got[name]]
            raise AssertionError(
                f"{op.name}: output {i} of fake tensors differs in " + ", ".join(
                    f"{name}: expected {wanted[name]}, got {got[name]}" for name in wrong))


_TESTS = {
    "test_schema": _test_schema,
    "test_autograd_registration": _test_autograd_registration,
    "test_faketensor": _test_faketensor,
}


def opcheck(op, args, kwargs=None, *, test_utils=tuple(_TESTS), raise_exception=True):
    """Runs the checks named in |test_utils| with sample arguments. What each came to:
    "SUCCESS" or the exception, which is raised as OpCheckError if |raise_exception|."""
    from .library import _qualname

    if isinstance(test_utils, str):
        test_utils = (test_utils,)
    if not set(test_utils) <= set(_TESTS):
        raise ValueError(
            f"opcheck(op, ..., test_utils={test_utils}), expected test_utils to be subset of "
            f"{tuple(_TESTS)} but it was not")
    overload = _C.find_op(_qualname(op, "opcheck")[0])
    results = {}
    for name in test_utils:
        try:
            _TESTS[name](overload, tuple(args), dict(kwargs or {}))
            results[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error} (scroll up "
                                   "for stack trace)") from error
            results[name] = error
    return results
