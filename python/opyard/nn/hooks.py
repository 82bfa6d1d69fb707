# SPDX-License-Identifier: Apache-2.0
"""Functions that run before and after a module's forward, and with its gradients."""
import itertools
from collections import OrderedDict

from .._C import Tensor

_numbers = itertools.count()


class RemovableHandle:
    """What registering a hook gives: remove() takes it back, as leaving `with` does."""

    def __init__(self, hooks, on_change):
        self._hooks, self._on_change, self.id = hooks, on_change, next(_numbers)

    def remove(self):
        self._hooks.pop(self.id, None)
        self._on_change()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def _tensors(value):
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item)]
    return []


class Hooks:
    """Mixed into Module, which asks _has_hooks at every call."""

    def _init_hooks(self):
        put = super().__setattr__
        for kind in ("_forward_pre_hooks", "_forward_hooks", "_backward_hooks",
                     "_backward_pre_hooks"):
            put(kind, OrderedDict())
        put("_has_hooks", False)

    def _hooks_changed(self):
        self.__dict__["_has_hooks"] = bool(
            self._forward_pre_hooks or self._forward_hooks or self._backward_hooks
            or self._backward_pre_hooks)

    def _register_hook(self, hooks, entry, first=False):
        handle = RemovableHandle(hooks, self._hooks_changed)
        hooks[handle.id] = entry
        if first:
            hooks.move_to_end(handle.id, last=False)
        self._hooks_changed()
        return handle

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """hook(module, args), or hook(module, args, kwargs): may return what replaces
        them."""
        return self._register_hook(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False,
                              always_call=False):
        """hook(module, args, output), or hook(module, args, kwargs, output): may return
        what replaces the output. always_call: also when forward raised."""
        entry = (hook, with_kwargs, always_call)
        return self._register_hook(self._forward_hooks, entry, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """hook(module, grad_input, grad_output), once all gradients of the inputs are
        there; may return what replaces grad_input."""
        return self._register_hook(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """hook(module, grad_output), before the gradient goes through the module; may
        return what replaces it."""
        return self._register_hook(self._backward_pre_hooks, hook, prepend)

    def _run_pre_hooks(self, args, kwargs):
        for hook, with_kwargs in tuple(self._forward_pre_hooks.values()):
            if with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    if not isinstance(changed, tuple) or len(changed) != 2:
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, "
                            f"new_kwargs), but got {changed}.")
                    args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = _as_tuple(changed)
        return args, kwargs

    def _run_forward_hooks(self, args, kwargs, output, only_always=False):
        for hook, with_kwargs, always in tuple(self._forward_hooks.values()):
            if only_always and not always:
                continue
            changed = hook(self, args, kwargs, output) if with_kwargs \
                else hook(self, args, output)
            if changed is not None:
                output = changed
        return output

    def _call_with_hooks(self, args, kwargs):
        args, kwargs = self._run_pre_hooks(args, kwargs)
        watch = None
        if self._backward_hooks or self._backward_pre_hooks:
            watch = _BackwardWatch(self)
            args = watch.watch_inputs(args)
        try:
            output = self.forward(*args, **kwargs)
        except Exception:
            self._run_forward_hooks(args, kwargs, None, only_always=True)
            raise
        output = self._run_forward_hooks(args, kwargs, output)
        if watch is not None:
            output = watch.watch_outputs(output)
        return output


class _BackwardWatch:
    """One call's gradients: of its outputs as they come in, of its inputs as they leave.
    Inputs and outputs go through a view each, whose tensor hooks are the module's own."""

    def __init__(self, module):
        self._module = module
        self._grad_outputs, self._grad_inputs = [], []
        self._inputs = 0

    def watch_inputs(self, args):
        tensors = [i for i, arg in enumerate(args)
                   if isinstance(arg, Tensor) and arg.requires_grad]
        args = list(args)
        self._inputs = len(tensors)
        self._grad_inputs = [None] * len(args)
        for i in tensors:
            args[i] = args[i].view_as(args[i])
            args[i].register_hook(lambda grad, i=i: self._input(i, grad))
        return tuple(args)

    def watch_outputs(self, output):
        outputs = [tensor for tensor in _tensors(output) if tensor.requires_grad]
        self._grad_outputs = [None] * len(outputs)
        self._waiting = len(outputs)
        views = [tensor.view_as(tensor) for tensor in outputs]
        for i, view in enumerate(views):
            view.register_hook(lambda grad, i=i: self._output(i, grad))
        if isinstance(output, Tensor):
            return views[0] if views else output
        if isinstance(output, (list, tuple)):
            rest = iter(views)
            return type(output)(next(rest) if isinstance(item, Tensor) and item.requires_grad
                                else item for item in output)
        return output

    def _output(self, i, grad):
        self._grad_outputs[i] = grad
        for hook in tuple(self._module._backward_pre_hooks.values()):
            changed = hook(self._module, tuple(self._grad_outputs))
            if changed is not None:
                self._grad_outputs = list(_as_tuple(changed))
        if self._inputs == 0:
            self._finish()
        return self._grad_outputs[i]

    def _input(self, i, grad):
        self._grad_inputs[i] = grad
        return self._finish(i) if self._seen() == self._inputs else None

    def _seen(self):
        return sum(grad is not None for grad in self._grad_inputs)

    def _finish(self, i=None):
        for hook in tuple(self._module._backward_hooks.values()):
            changed = hook(self._module, tuple(self._grad_inputs), tuple(self._grad_outputs))
            if changed is not None:
                self._grad_inputs = list(_as_tuple(changed))
        return None if i is None else self._grad_inputs[i]
