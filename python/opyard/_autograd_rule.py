# SPDX-License-Identifier: Apache-2.0
"""Formulas for backward in Python: kernels at Autograd."""
from . import _C
from ._key import DispatchKeySet


class Rule:
    """backward(ctx, *grads) and setup_context(ctx, inputs, output); either may be None."""

    def __init__(self, backward, setup_context):
        self.backward, self.setup_context = backward, setup_context


class Context:
    """What setup_context and backward get: attributes of their own, saved tensors."""

    def __init__(self, saved=()):
        self._saved = tuple(saved)

    def save_for_backward(self, *tensors):
        self._saved = tensors

    @property
    def saved_tensors(self):
        return self._saved

    def mark_non_differentiable(self, *tensors):
        self._non_differentiable = tensors

    def set_materialize_grads(self, value):
        self._materialize = value


def _tensors(values):
    """All tensors of arguments or results, those in lists too, in order."""
    found = []
    for value in values:
        if isinstance(value, _C.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
    return found


class _Call:
    """One call that is recorded."""

    def __init__(self, name, schema, rule, args, kwargs, result):
        self._name, self._rule = name, rule
        self._args, self._kwargs = schema.fill_defaults(args, kwargs)
        self._result = result
        self._context = Context()

    def forward(self, application, *_inputs):
        outputs = _tensors([self._result])
        if self._rule.setup_context:
            more = {"keyword_only_inputs": self._kwargs} if self._kwargs else {}
            self._rule.setup_context(ctx=self._context, inputs=self._args,
                                     output=self._result, **more)
        context = self._context
        saved = context._saved
        application.save(*[tensor for tensor in saved if tensor is not None])
        self._is_saved = [tensor is not None for tensor in saved]
        for tensor in getattr(context, "_non_differentiable", ()):
            application.mark_non_differentiable(tensor)
        if not getattr(context, "_materialize", True):
            application.set_materialize_grads(False)
        context._saved = ()
        self._forget()
        return outputs

    def _forget(self):
        """Keeps which arguments and results are tensors, and not the tensors: what backward
        needs it has saved."""
        self._is_tensor = _places(self._args)
        self._results = _places([self._result] if not isinstance(self._result, tuple)
                                else self._result)
        self._args = self._result = None

    def backward(self, application, *grads):
        if self._rule.backward is None:
            raise RuntimeError(
                f"Trying to backward through {self._name} but no autograd formula was "
                "registered. Please use register_autograd to add one.")
        context = self._context
        numbers = iter(range(sum(self._is_saved)))
        context._saved = tuple(application.saved(next(numbers)) if there else None
                               for there in self._is_saved)
        count = iter(range(_count(self._is_tensor)))
        context.needs_input_grad = tuple(
            _needs_place(place, application, count) for place in self._is_tensor)
        try:
            given = iter(grads)
            result = self._rule.backward(context, *[_grads_at(p, given) for p in self._results])
        finally:
            context._saved = ()
        return self._checked(result)

    def _checked(self, result):
        if not isinstance(result, tuple):
            result = (result,)
        wanted = len(self._is_tensor)
        # What is no tensor has no gradient: it may be left out at the end, or be None.
        if not _count(self._is_tensor[len(result):]):
            result += (None,) * (wanted - len(result))
        if len(result) > wanted and all(grad is None for grad in result[wanted:]):
            result = result[:wanted]
        if len(result) != wanted:
            raise RuntimeError(
                f"function {self._name}Backward returned an incorrect number of gradients "
                f"(expected {wanted}, got {len(result)})")
        return _flat(self._is_tensor, result)


# A place: True for a tensor, False for anything else, a list of places for a list.

def _places(values):
    return [_places(value) if isinstance(value, (list, tuple))
            else isinstance(value, _C.Tensor) for value in values]


def _count(places):
    return sum(_count(place) if isinstance(place, list) else place for place in places)


def _needs_place(place, application, numbers):
    if isinstance(place, list):
        return [_needs_place(one, application, numbers) for one in place]
    return place and application.needs_input_grad(next(numbers))


def _grads_at(place, grads):
    if isinstance(place, list):
        return [_grads_at(one, grads) for one in place]
    return next(grads) if place else None


def _flat(places, grads):
    flat = []
    for place, grad in zip(places, grads):
        if isinstance(place, list):
            flat += _flat(place, [None] * len(place) if grad is None else grad)
        elif place:
            flat.append(grad)
    return flat


def autograd_kernel(name, schema, rule):
    """The kernel of |name| at Autograd: the layers below, then the rule."""
    after = DispatchKeySet(None, *_C.keyset_named("after_autograd"))

    def kernel(keys, *args, **kwargs):
        inputs = _tensors(args)
        record = _C.grad_mode() and any(tensor.requires_grad for tensor in inputs)
        guard = _C.guard_begin("below_autograd")
        try:
            result = _C.redispatch_boxed(name, keys & after, args, kwargs)
        finally:
            _C.guard_end(guard)
        if not record:
            return result
        call = _Call(name, schema, rule, args, kwargs, result)
        outputs = iter(_C.rule_apply(
            name.replace("::", "_").replace(".", "_"), len(_tensors([result])), call.forward,
            call.backward, tuple(inputs)))
        return _with_outputs(result, outputs)

    return kernel


def _with_outputs(result, outputs):
    if isinstance(result, _C.Tensor):
        return next(outputs)
    if isinstance(result, (list, tuple)):
        return type(result)(_with_outputs(item, outputs) for item in result)
    return result
