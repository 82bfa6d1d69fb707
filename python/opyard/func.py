# SPDX-License-Identifier: Apache-2.0
"""Transforms of functions: grad, vjp, jvp, jacrev, hessian, vmap, functionalize (torch.func)."""
import functools

from . import _C, _tree
from ._C import Tensor
from ._functionalize import functionalize  # noqa: F401
from ._ops import ops
from ._vmap import vmap  # noqa: F401

aten = ops.aten


def _numbers(argnums, count):
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for number in numbers:
        if not -count <= number < count:
            raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    return [number % count for number in numbers]


class _Call:
    """A function of nested arguments as one of flat tensors."""

    def __init__(self, func, args, argnums, has_aux, kwargs, expected="Expected f(*args)"):
        self.func, self.has_aux, self.kwargs = func, has_aux, kwargs
        self.expected = expected
        self.leaves, self.structure = _tree.flatten(tuple(args))
        self.at = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, Tensor)]
        self.tensors = [self.leaves[i] for i in self.at]
        self.wanted, self.shapes = self._wanted(args, argnums)
        self.aux = self.result = None

    def _wanted(self, args, argnums):
        """Which tensors to differentiate by, and how the gradients go together."""
        begins, shapes, count = [], [], 0
        for arg in args:
            leaves, shape = _tree.flatten(arg)
            tensors = sum(isinstance(leaf, Tensor) for leaf in leaves)
            begins.append((count, tensors))
            shapes.append((shape, len(leaves), tensors))
            count += tensors
        wanted = []
        for number in argnums:
            begin, tensors = begins[number]
            if tensors != shapes[number][1] or tensors == 0:
                raise ValueError(f"expected Tensors in argument {number}, to differentiate by")
            wanted += range(begin, begin + tensors)
        return wanted, [shapes[number][0] for number in argnums]

    def __call__(self, *tensors):
        leaves = list(self.leaves)
        for i, tensor in zip(self.at, tensors):
            leaves[i] = tensor
        made = self.func(*_tree.unflatten(leaves, self.structure), **self.kwargs)
        if self.has_aux:
            if not isinstance(made, tuple) or len(made) != 2:
                raise RuntimeError("output of function f should be a tuple: (output, aux) if "
                                   "has_aux is True")
            made, self.aux = made
        values, self.result = _tree.flatten(made)
        for value in values:
            if not isinstance(value, Tensor):
                raise RuntimeError(f"{self.expected} to return only tensors, got unsupported "
                                   f"type {type(value)}")
        return tuple(values)

    def gradients(self, flat, single):
        found, at = [], 0
        for shape in self.shapes:
            count = len(_tree.spread(0, shape, "grad"))
            found.append(_tree.unflatten(flat[at:at + count], shape))
            at += count
        return found[0] if single else tuple(found)


def _unwrapped(aux):
    """What a transform that is over has left unwrapped: operators do that."""
    leaves, shape = _tree.flatten(aux)
    return _tree.unflatten([aten.alias(leaf) if isinstance(leaf, Tensor) else leaf
                            for leaf in leaves], shape)


def grad_and_value(func, argnums=0, has_aux=False):
    """The function that gives the gradient of |func|, and its value."""
    @functools.wraps(func, updated=())
    def wrapped(*args, **kwargs):
        call = _Call(func, args, _numbers(argnums, len(args)), has_aux, kwargs)

        def scalar(*tensors):
            made = call(*tensors)
            if len(made) != 1 or call.result is not _tree.LEAF:
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return "
                                   f"exactly one tensor, got {len(made)}")
            if made[0].dim() > 0:
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a "
                                   f"scalar Tensor, got tensor with {made[0].dim()} dims. Maybe "
                                   "you wanted to use the vjp or jacrev APIs instead?")
            return made

        (value,), flat = _C.grad_of(scalar, call.tensors, call.wanted)
        gradients = call.gradients(flat, isinstance(argnums, int))
        return (gradients, (value, _unwrapped(call.aux))) if has_aux else (gradients, value)

    return wrapped


def grad(func, argnums=0, has_aux=False):
    """The function that gives the gradient of |func|, which returns one number."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func, updated=())
    def wrapped(*args, **kwargs):
        gradients, value = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return wrapped


def vjp(func, *primals, has_aux=False):
    """func(*primals), and the function that multiplies cotangents by its Jacobian."""
    return _vjp(func, primals, has_aux, "vjp(f, *primals)")


def _vjp(func, primals, has_aux, api):
    call = _Call(func, primals, range(len(primals)), has_aux, {},
                 f"{api}: expected f(*primals)")
    outputs = call(*call.tensors)
    result, shape, aux = _tree.unflatten(outputs, call.result), call.result, call.aux

    def vjp_fn(*cotangents):
        given, structure = _tree.flatten(cotangents[0] if len(cotangents) == 1 else cotangents)
        if len(given) != len(outputs):
            raise RuntimeError(f"Expected pytree structure of cotangents to be the same as "
                               f"pytree structure of outputs to the function: {shape}, got "
                               f"{structure}")
        _, flat = _C.vjp_of(call, call.tensors, call.wanted, given)
        return call.gradients(flat, False)

    return (result, vjp_fn, aux) if has_aux else (result, vjp_fn)


def _basis(output):
    count = output.numel()
    return aten.eye(count, dtype=output.dtype, device=output.device).view(
        (count,) + tuple(output.shape))


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    """The function that gives the Jacobian of |func|, a row at a time from its end."""
    @functools.wraps(func, updated=())
    def wrapped(*args):
        numbers = _numbers(argnums, len(args))

        def of_wanted(*wanted):
            given = list(args)
            for number, value in zip(numbers, wanted):
                given[number] = value
            return func(*given)

        made = vjp(of_wanted, *[args[number] for number in numbers], has_aux=has_aux)
        outputs, shape = _tree.flatten(made[0])
        rows = [_jacobian(made[1], outputs, i, chunk_size) for i in range(len(outputs))]
        if isinstance(argnums, int):
            rows = [row[0] for row in rows]
        jacobian = _tree.unflatten(rows, shape)
        return (jacobian, made[2]) if has_aux else jacobian

    return wrapped


def _jacobian(vjp_fn, outputs, i, chunk_size):
    """Of output |i| with respect to all inputs."""
    output = outputs[i]

    def one(cotangent):
        return vjp_fn(*[cotangent if k == i else aten.zeros_like(other)
                        for k, other in enumerate(outputs)])

    found = vmap(one, chunk_size=chunk_size)(_basis(output))
    flat, shape = _tree.flatten(found)
    return _tree.unflatten(
        [item.view(tuple(output.shape) + tuple(item.shape[1:])) for item in flat], shape)


def _checked(primals, tangents):
    """The tangents in a row, which fit."""
    api = "jvp(f, primals, tangents): Expected primals"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{api} to be a tuple. E.g. it should be valid to call f(*primals).")
    flat, shape = _tree.flatten(primals)
    flat_tangents, tangents_shape = _tree.flatten(tangents)
    if shape != tangents_shape:
        raise RuntimeError(f"{api} and tangents to have the same python structure. For example, "
                           "if primals is a tuple of 3 tensors, tangents also must be. Got "
                           f"primals with structure {shape} and tangents with structure "
                           f"{tangents_shape}")
    for primal, tangent in zip(flat, flat_tangents):
        if isinstance(primal, Tensor) and primal.shape != tangent.shape:
            raise RuntimeError("Trying to set a forward gradient that has a different size than "
                               "that of the original Tensor, this is not supported. Tensor is "
                               f"of size {list(primal.shape)} while the given forward gradient "
                               f"is of size {list(tangent.shape)}.")
    return flat_tangents


def jvp(func, primals, tangents, *, has_aux=False):
    """func(*primals), and the Jacobian times |tangents|: the vjp of the vjp, which is linear
    in its cotangents."""
    flat_tangents = _checked(primals, tangents)
    made = _vjp(func, primals, has_aux, "jvp(f, primals, tangents)")
    outputs, shape = _tree.flatten(made[0])
    _, transpose = vjp(lambda *cotangents: made[1](*cotangents),
                       *[aten.zeros_like(output) for output in outputs])
    found = transpose(_tree.unflatten(flat_tangents, _tree.flatten(tuple(primals))[1]))
    tangent = _tree.unflatten(list(found), shape)
    return (made[0], tangent, made[2]) if has_aux else (made[0], tangent)


def linearize(func, *primals):
    """func(*primals), and the function that multiplies its Jacobian there by tangents."""
    def tangent_of(*tangents):
        return jvp(func, primals, tangents)[1]

    return func(*primals), tangent_of


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """The same as jacrev, by columns; here it is computed by rows, too."""
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func, argnums=0):
    """The function that gives the matrix of second derivatives."""
    return jacrev(jacrev(func, argnums), argnums)


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, **options):
    """module(*args) with other parameters for this call."""
    dicts = parameter_and_buffer_dicts
    merged = dicts if isinstance(dicts, dict) else {k: v for d in dicts for k, v in d.items()}
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    before = []
    try:
        for name, value in merged.items():
            path, _, last = name.rpartition(".")
            owner = functools.reduce(getattr, path.split(".") if path else [], module)
            for table in (getattr(owner, "_parameters", {}), getattr(owner, "_buffers", {})):
                if last in table:
                    before.append((table, last, table[last]))
                    table[last] = value
                    break
            else:
                raise KeyError(f"{name} is no parameter or buffer of the module")
        return module(*args, **(kwargs or {}))
    finally:
        for table, last, value in reversed(before):
            table[last] = value


def _check_alike(api, models):
    if len(models) == 0:
        raise RuntimeError(f"{api}: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or not any(m.training for m in models)):
        raise RuntimeError(f"{api}: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError(f"{api}: Expected all models to be of the same class.")


def stack_module_state(models):
    """The parameters and the buffers of models that are alike, each stacked: what vmap maps
    functional_call over."""
    _check_alike("stack_module_state", models)

    def stacked(states):
        return {name: _stack_of([state[name] for state in states]) for name in states[0]}

    return (stacked([dict(m.named_parameters()) for m in models]),
            stacked([dict(m.named_buffers()) for m in models]))


def _stack_of(tensors):
    """A leaf that requires a gradient as all of |tensors| do."""
    wants = [t.requires_grad for t in tensors]
    if any(wants) != all(wants):
        raise RuntimeError("Expected parameters/buffers from each model to have the same "
                           f".requires_grad. Got requires_grad={wants}")
    made = aten.stack([t.detach() for t in tensors])
    return made.requires_grad_() if all(wants) else made


def __getattr__(name):
    """What functorch had, and modules are imported for."""
    if name in ("FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble",
                "make_functional", "make_functional_with_buffers"):
        from . import _functional_module

        return getattr(_functional_module, name)
    raise AttributeError(f"module 'opyard.func' has no attribute '{name}'")
