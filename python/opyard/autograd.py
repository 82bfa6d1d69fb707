# SPDX-License-Identifier: Apache-2.0
"""Gradients: backward, grad, custom functions, hooks, checks (torch.autograd)."""
import sys
import threading

from . import _C, _autograd_function as function, _autograd_graph as graph
from . import _forward_ad as forward_ad
from ._C import Tensor
from ._autograd_function import Function
from ._grad_mode import (  # noqa: F401
    enable_grad, inference_mode, no_grad, set_grad_enabled)

# import opyard.autograd.function
sys.modules[__name__ + ".function"] = function
sys.modules[__name__ + ".graph"] = graph
sys.modules[__name__ + ".forward_ad"] = forward_ad

Variable = Tensor


def _tuple(value):
    return (value,) if isinstance(value, Tensor) else tuple(value)


def _weights(tensors, grads):
    """What the outputs are weighted with: 1 where nothing is said."""
    grads = (None,) * len(tensors) if grads is None else _tuple(grads)
    if len(grads) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grads)} gradients")
    for tensor, grad in zip(tensors, grads):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError("gradients can be either Tensors or None, but got "
                            + type(grad).__name__)
        if grad is not None and grad.shape != tensor.shape:
            raise RuntimeError(
                "Mismatch in shape: grad_output[0] has a shape of " + str(grad.shape)
                + " and output[0] has a shape of " + str(tensor.shape) + ".")
        if grad is None and tensor.requires_grad and tensor.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
    return grads


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    """Adds the gradients of |tensors| to .grad of the leaves that they came from."""
    tensors = _tuple(tensors)
    grads = _weights(tensors, grad_tensors)
    if inputs is not None:
        inputs = _tuple(inputs)
        if not inputs:
            raise RuntimeError("inputs argument to backward() cannot be empty.")
    retain = create_graph if retain_graph is None else retain_graph
    _C.backward(tensors, grads, retain, create_graph, inputs)


def _backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    if gradient is not None and not isinstance(gradient, Tensor):
        raise TypeError(f"gradient must be a Tensor or None, got {type(gradient).__name__}")
    backward((self,), (gradient,), retain_graph, create_graph, inputs)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False,
         only_inputs=True, allow_unused=None, is_grads_batched=False,
         materialize_grads=False):
    """The gradients of |outputs| with respect to |inputs|; no .grad changes."""
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when "
                         "materialize_grads=True, but got: allow_unused=False.")
    outputs, inputs = _tuple(outputs), _tuple(inputs)
    for i, output in enumerate(outputs):
        if not output.requires_grad:
            raise RuntimeError(
                f"element {i} of tensors does not require grad and does not have a grad_fn")
    retain = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        from ._vmap import vmap

        def one(*weights):
            found = grad(outputs, inputs, weights, True, create_graph, True, allow_unused,
                         False, materialize_grads)
            return tuple(found)

        return vmap(one)(*_tuple(grad_outputs))
    grads = _weights(outputs, grad_outputs)
    return _C.gradients(outputs, inputs, grads, bool(retain), bool(create_graph),
                        bool(allow_unused or materialize_grads), bool(materialize_grads))


# ------------------------------------------------------------------------- hooks

def register_hook(self, hook):
    """Calls hook(gradient); what it returns, unless None, takes the gradient's place."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return graph.RemovableHandle(self, _C.register_hook(self, hook))


def register_post_accumulate_grad_hook(self, hook):
    """Calls hook(self) after .grad has changed."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")

    def called(leaf):
        hook(self)

    return graph.RemovableHandle(self, _C.register_post_accumulate_grad_hook(self, called))


def retain_grad(self):
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    _C.retain_grad(self)
    self._retains_grad = not self.is_leaf


# ------------------------------------------------------------------------ checks

def _checked(fn, inputs, options, twice, raise_exception, fast=False):
    inputs = _tuple(inputs)
    tensors = [item for item in inputs if isinstance(item, Tensor)]

    def call(*given):
        given = iter(given)
        outputs = fn(*[next(given) if isinstance(item, Tensor) else item for item in inputs])
        return tuple(item for item in _tuple(outputs) if isinstance(item, Tensor)
                     and (item.dtype.is_floating_point or item.dtype.is_complex))

    if not any(item.requires_grad for item in tensors):
        raise ValueError("gradcheck expects at least one input tensor to require gradient, "
                         "but none of the them have requires_grad=True.")
    try:
        _C.gradcheck(call, tensors, *options, twice, fast)
    except RuntimeError as error:
        if raise_exception:
            raise GradcheckError(str(error)) from error
        return False
    return True


class GradcheckError(RuntimeError):
    """The gradients that backward gives are not those of small steps."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True,
              nondet_tol=0.0, fast_mode=False, **ignored):
    """Whether the gradients of |func| are what small steps of the inputs say; |fast_mode|:
    along one direction alone."""
    return _checked(func, inputs, (eps, atol, rtol, nondet_tol), False, raise_exception,
                    bool(fast_mode))


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  raise_exception=True, nondet_tol=0.0, **ignored):
    """The same of the gradients."""
    return _checked(func, inputs, (eps, atol, rtol, nondet_tol), True, raise_exception)


# ----------------------------------------------------------------------- anomalies

def _stack():
    import traceback

    return "".join(traceback.format_stack()[:-2])


_anomaly = threading.local()


def is_anomaly_enabled():
    """Whether this thread is in anomaly mode."""
    return _C.anomaly_mode()


def is_anomaly_check_nan_enabled():
    return getattr(_anomaly, "check_nan", True)


def set_anomaly_enabled(mode, check_nan=True):
    _C.anomaly_mode(bool(mode), bool(check_nan), _stack)
    _anomaly.check_nan = bool(check_nan)


class set_detect_anomaly:
    """Turns anomaly mode on or off at once; as a context manager it is put back."""

    def __init__(self, mode, check_nan=True):
        self._begin(mode, check_nan)

    def _begin(self, mode, check_nan):
        self._before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        set_anomaly_enabled(*self._before)


class detect_anomaly(set_detect_anomaly):
    """with opyard.autograd.detect_anomaly(): errors in the backward name the call that made
    the node, and NaN in a gradient is an error."""

    def __init__(self, check_nan=True):
        self._check_nan = check_nan

    def __enter__(self):
        self._begin(True, self._check_nan)


class functional:
    """torch.autograd.functional: what func has, of functions and inputs at once."""

    @staticmethod
    def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False):
        return _jacobian(func, inputs, create_graph)

    @staticmethod
    def hessian(func, inputs, create_graph=False, strict=False, vectorize=False):
        def gradient(*given):
            return grad(func(*given), given, create_graph=True)

        single = isinstance(inputs, Tensor)
        rows = _jacobian(gradient, _tuple(inputs), create_graph)
        return rows[0][0] if single else rows


def _jacobian(func, inputs, create_graph):
    """A tensor for each pair of an output and an input, in tuples where there are several."""
    single_input = isinstance(inputs, Tensor)
    given = _tuple(inputs)
    with enable_grad():
        given = tuple(item.view_as(item) if create_graph and item.requires_grad
                      else item.detach().requires_grad_() for item in given)
        outputs = func(*given)
        single_output = isinstance(outputs, Tensor)
        rows = tuple(_rows(output, given, create_graph) for output in _tuple(outputs))
    if single_input:
        rows = tuple(row[0] for row in rows)
    return rows[0] if single_output else rows


def _rows(output, inputs, create_graph):
    from . import _C as c
    from ._ops import ops

    rows = [[] for _ in inputs]
    for element in output.reshape(-1):
        if element.requires_grad:
            found = c.gradients((element,), inputs, (None,), True, create_graph, True, True)
        else:
            found = [ops.aten.zeros_like(item) for item in inputs]
        for row, one in zip(rows, found):
            row.append(one)
    return tuple(ops.aten.stack(row).view(output.shape + item.shape) if row
                 else item.new_zeros(output.shape + item.shape)
                 for row, item in zip(rows, inputs))
